// From YAML to a program of the TPUSH/TPOP machine.
#include "platform/study/pipe/lex.h"
#include "platform/study/pipe/loader.h"
#include "platform/study/pipe/tune.h"

#include "platform/base/input.h"

// --- sections ---

// Elements of a list or mapping; 0: it is not there.
static size_t length(struct ts_yaml_node node)
{
    return node.node ? ts_yaml_count(node) : 0;
}

static void load_params(struct ts_loader *self, struct ts_yaml_node map)
{
    struct ts_pipe_program *program = self->program;
    size_t count = length(map);
    program->params = ts_pipe_or_die(calloc(count + 1, sizeof *program->params));
    for (size_t i = 0; i < count; i++) {
        const char *key = ts_yaml_text(ts_yaml_key(map, i), "");
        struct ts_load_place place = {.loader = self, .map = map, .path = "params."};
        int64_t value = ts_load_integer(&place, key, INT32_MIN, INT32_MAX, 0);
        struct ts_pipe_name *param = &program->params[program->param_count];
        snprintf(param->name, sizeof param->name, "%.31s", key);
        param->value = value;
        program->param_count++;
    }
}

static void load_tensor(struct ts_loader *self, struct ts_yaml_node node, bool window)
{
    static const char *const keys[] = {
#define AS_KEYS
#define KEYS_TENSOR
#include "config/pipe_keys.def"
        NULL};
    static const char *const inits[] = {"zero", "random", "ints", "iota", "value", "file", NULL};
    struct ts_pipe_program *program = self->program;
    struct ts_load_place place = ts_load_element(self, window ? "windows" : "tensors", node, keys);
    struct ts_tensor_decl *tensor = &program->machine.tensors[program->machine.tensor_count];
    struct ts_pipe_data *data = &program->data[program->machine.tensor_count++];
    ts_load_name(&place, tensor->name, sizeof tensor->name);
    tensor->line = (uint32_t)ts_yaml_line(node);
    tensor->window = window;
#define KEYS_TENSOR
#include "config/pipe_keys.def"
}

static void load_tile(struct ts_loader *self, struct ts_yaml_node node)
{
    static const char *const keys[] = {
#define AS_KEYS
#define KEYS_TILE
#include "config/pipe_keys.def"
        NULL};
    struct ts_machine *machine = &self->program->machine;
    struct ts_load_place place = ts_load_element(self, "tiles", node, keys);
    struct ts_tile_decl *tile = &machine->tiles[machine->tile_count++];
    ts_load_name(&place, tile->name, sizeof tile->name);
    tile->line = (uint32_t)ts_yaml_line(node);
#define KEYS_TILE
#include "config/pipe_keys.def"
    tile->first = machine->element_count;
    machine->element_count += tile->count;
}

// --- timing ---

static const struct ts_param timing_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/pipe_timing.def"
};

bool ts_pipe_preset(struct ts_params *params, const char *preset, struct ts_error *error)
{
    char file[64], path[400];
    snprintf(file, sizeof file, "pipes/timing-%s.yaml", preset);
    ts_config_path(path, sizeof path, file);
    ts_params_add(params, "pipe", timing_rows, sizeof timing_rows / sizeof *timing_rows);
    return ts_params_load(params, path, error) == TS_OK;
}

static void load_timing(struct ts_loader *self, struct ts_yaml_node map)
{
    struct ts_pipe_program *program = self->program;
    static const char *const presets[] = {"flat", "fitted", "doc", "a5", NULL};
    struct ts_load_place top = {.loader = self, .map = ts_yaml_root(&self->yaml)};
    // The file's profile chooses the preset, not an override of the profile: a program that is tried
    // on the other profile keeps its numbers unless they are changed, too.
    const char *profile = ts_yaml_text(ts_yaml_find(top.map, "profile"), "a2a3");
    const char *preset =
        presets[ts_load_choice(&top, "preset", presets, strcmp(profile, "a5") == 0 ? 3 : 0)];
    snprintf(program->preset, sizeof program->preset, "%s", preset);
    if (!ts_pipe_preset(&program->timing, preset, self->yaml.error))
        return;
    const char *names[sizeof timing_rows / sizeof *timing_rows + 1] = {0};
    for (size_t i = 0; i < sizeof timing_rows / sizeof *timing_rows; i++)
        names[i] = timing_rows[i].key;
    if (map.node)
        ts_yaml_only(map, "", names);
    struct ts_load_place place = {.loader = self, .map = map, .path = "timing."};
    for (size_t i = 0; names[i]; i++) {
        const char *value = map.node ? ts_load_text(&place, names[i], NULL) : NULL;
        char key[100];
        snprintf(key, sizeof key, "timing.%s", names[i]);
        if (value == NULL)
            value = ts_load_override(self, key);
        if (value == NULL)
            continue;
        char assignment[200];
        snprintf(assignment, sizeof assignment, "pipe.%s=%s", names[i], value);
        ts_params_set(&program->timing, assignment, self->yaml.error);
    }
    TS_PARAMS_FILL(&program->timing, "pipe", &program->machine.timing);
}

// --- the complete file ---

static void load_expectation(struct ts_loader *self, struct ts_yaml_node map)
{
    static const char *const keys[] = {
#define AS_KEYS
#define KEYS_EXPECT
#include "config/pipe_keys.def"
        NULL};
    struct ts_pipe_program *program = self->program;
    if (map.node == NULL)
        return;
    ts_yaml_only(map, "", keys);
    struct ts_load_place place = {.loader = self, .map = map};
    program->has_expectation = true;
#define KEYS_EXPECT
#include "config/pipe_keys.def"
    struct ts_yaml_node peak = ts_yaml_find(map, "peak");
    size_t peaks = length(peak);
    program->peaks = ts_pipe_or_die(calloc(peaks + 1, sizeof *program->peaks));
    for (size_t i = 0; i < peaks; i++) {
        struct ts_pipe_name *one = &program->peaks[program->peak_count++];
        snprintf(one->name, sizeof one->name, "%s", ts_yaml_text(ts_yaml_key(peak, i), ""));
        one->value = ts_yaml_int(ts_yaml_value(peak, i), 0, TS_RING_SLOTS, 0);
    }
    struct ts_yaml_node finds = ts_yaml_find(map, "finds");
    for (size_t i = 0; i < length(finds); i++) {
        const char *code = ts_yaml_text(ts_yaml_at(finds, i), "");
        int id = 0;
        while (id < TS_FINDING_COUNT && strcmp(ts_finding_rows[id].code, code) != 0)
            id++;
        if (id == TS_FINDING_COUNT)
            ts_yaml_error(ts_yaml_at(finds, i), "no finding is called '%s'", code);
        else
            program->expects_finding[id] = true;
    }
}

// tune: {KEY: [VALUE, ...], ...}
static void load_tune(struct ts_loader *self, struct ts_yaml_node map)
{
    struct ts_pipe_program *program = self->program;
    size_t count = length(map);
    if (count > TS_PIPE_AXES)
        ts_yaml_error(map, "tune has %zu keys; at most %d", count, TS_PIPE_AXES);
    program->axes = ts_pipe_or_die(calloc(TS_PIPE_AXES + 1, sizeof *program->axes));
    for (size_t i = 0; i < count && i < TS_PIPE_AXES; i++) {
        struct ts_pipe_axis *axis = &program->axes[program->axis_count++];
        struct ts_yaml_node list = ts_yaml_value(map, i);
        snprintf(axis->key, sizeof axis->key, "%s", ts_yaml_text(ts_yaml_key(map, i), ""));
        for (size_t k = 0; k < ts_yaml_count(list) && k < TS_PIPE_VALUES; k++)
            snprintf(axis->value[axis->count++], sizeof axis->value[0], "%s",
                     ts_yaml_text(ts_yaml_at(list, k), ""));
        if (axis->count == 0)
            ts_yaml_error(list, "%s has no values", axis->key);
    }
}

static void load_declarations(struct ts_loader *self, struct ts_yaml_node root)
{
    struct ts_pipe_program *program = self->program;
    struct ts_machine *machine = &program->machine;
    struct ts_yaml_node tensors = ts_yaml_find(root, "tensors"),
                        windows = ts_yaml_find(root, "windows");
    struct ts_yaml_node tiles = ts_yaml_find(root, "tiles"), pipes = ts_yaml_find(root, "pipes");
    size_t count = length(tensors) + length(windows);
    machine->tensors = ts_pipe_or_die(calloc(count + 1, sizeof *machine->tensors));
    program->data = ts_pipe_or_die(calloc(count + 1, sizeof *program->data));
    machine->tiles = ts_pipe_or_die(calloc(length(tiles) + 1, sizeof *machine->tiles));
    machine->pipes = ts_pipe_or_die(calloc(length(pipes) + 1, sizeof *machine->pipes));
    for (size_t i = 0; i < length(tensors); i++)
        load_tensor(self, ts_yaml_at(tensors, i), false);
    for (size_t i = 0; i < length(windows); i++)
        load_tensor(self, ts_yaml_at(windows, i), true);
    for (size_t i = 0; i < length(tiles); i++)
        load_tile(self, ts_yaml_at(tiles, i));
    for (size_t i = 0; i < length(pipes); i++)
        ts_load_pipe(self, ts_yaml_at(pipes, i));
}

static void add_published(struct ts_loader *self, struct ts_yaml_node where_from, const char *word)
{
    for (int i = 0; i < TS_PUBLISHED_COUNT; i++)
        if (strcmp(ts_published_names[i], word) == 0) {
            self->published |= 1u << i;
            return;
        }
    const char *near = ts_nearest(word, ts_published_names);
    ts_yaml_error(where_from,
                  near ? "published: no such value '%s', did you mean '%s'?"
                       : "published: no such value '%s'",
                  word, near);
}

// `published`: a list, or words with commas between them.
static void load_published(struct ts_loader *self, struct ts_yaml_node root)
{
    struct ts_yaml_node node = ts_yaml_find(root, "published");
    const char *given = ts_load_override(self, "published");
    if (given == NULL && node.node && ts_yaml_is_list(node)) {
        for (size_t i = 0; i < ts_yaml_count(node); i++)
            add_published(self, ts_yaml_at(node, i), ts_yaml_text(ts_yaml_at(node, i), ""));
        return;
    }
    if (given == NULL)
        given = ts_yaml_text(node, "");
    for (char word[32]; *given; given += *given == ',') {
        size_t letters = strcspn(given, ",");
        snprintf(word, sizeof word, "%.*s", (int)letters, given);
        add_published(self, node.node ? node : root, word);
        given += letters;
    }
}

static void load_machine(struct ts_loader *self, struct ts_yaml_node root)
{
    static const char *const syncs[] = {"manual", "auto", NULL};
    static const char *const events[] = {"pair", "source", NULL};
    struct ts_pipe_program *program = self->program;
    struct ts_machine *machine = &program->machine;
    struct ts_load_place place = {.loader = self, .map = root};
    const char *slash = strrchr(program->file, '/'), *base = slash ? slash + 1 : program->file;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
    snprintf(program->name, sizeof program->name, "%.63s", ts_load_text(&place, "name", name));
#define KEYS_PROGRAM
#include "config/pipe_keys.def"
}

static enum ts_code load(struct ts_pipe_program *self, struct ts_loader *loader,
                         struct ts_error *error)
{
    static const char *const keys[] = {
#define AS_KEYS
#define KEYS_PROGRAM
#include "config/pipe_keys.def"
        NULL};
    static const char *const sides[] = {"cube", "vector"};
    struct ts_yaml_node root = ts_yaml_root(&loader->yaml);
    ts_yaml_only(root, "", keys);
    loader->scope.program = self;
    snprintf(self->file, sizeof self->file, "%s", loader->yaml.path);
    load_params(loader, ts_yaml_find(root, "params"));
    load_machine(loader, root);
    load_timing(loader, ts_yaml_find(root, "timing"));
    load_published(loader, root);
    self->published = loader->published;
    load_declarations(loader, root);
    load_expectation(loader, ts_yaml_find(root, "expect"));
    load_tune(loader, ts_yaml_find(root, "tune"));
    for (unsigned side = 0; side < 2 && error->code == TS_OK; side++) {
        struct ts_yaml_node node = ts_yaml_find(root, sides[side]);
        ts_pipe_assemble(self, side, node, error);
    }
    if (error->code != TS_OK)
        return error->code;
    ts_pipe_place(self);
    ts_pipe_check(self);
    return TS_OK;
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t own = strlen(name), tail = strlen(suffix);
    return own >= tail && strcmp(name + own - tail, suffix) == 0;
}

typedef bool reader(struct ts_yaml *yaml, const char *name, const char *source,
                    struct ts_error *error);

// The form of a program by the name of its file; YAML if it is not one of the others.
static reader *reader_of(const char *name)
{
    if (ends_in(name, ".pto") || ends_in(name, ".mlir"))
        return ts_pipe_read_pto;
    if (ends_in(name, ".cpp") || ends_in(name, ".hpp"))
        return ts_pipe_read_cpp;
    return NULL;
}

static char *read_file(const char *path, struct ts_error *error)
{
    enum { MOST = 4 << 20 };
    FILE *file = ts_open_input(path, error);
    char *text = ts_pipe_or_die(calloc(1, MOST + 1));
    size_t bytes = file ? fread(text, 1, MOST, file) : 0;
    if (file == NULL || ferror(file))
        ts_fail(error, TS_SETUP, "%s: cannot be read: %s", path, strerror(errno));
    else if (bytes == MOST)
        ts_fail(error, TS_SETUP, "%s: is larger than %d bytes", path, MOST);
    else if (strlen(text) < bytes)
        ts_fail(error, TS_SETUP, "%s: is not a text", path);
    if (file)
        fclose(file);
    if (error->code == TS_OK)
        return text;
    free(text);
    return NULL;
}

enum ts_code ts_pipe_load(struct ts_pipe_program *self, const char *path, const char *text,
                          const struct ts_pipe_sets *sets, struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    struct ts_loader loader = {.program = self, .sets = sets};
    reader *read = reader_of(path);
    char *source = read && !text ? read_file(path, error) : NULL;
    const char *from = text ? text : source;
    if (from ? (read ? read : ts_yaml_parse)(&loader.yaml, path, from, error)
             : !read && ts_yaml_load(&loader.yaml, path, error))
        load(self, &loader, error);
    ts_yaml_free(&loader.yaml);
    free(source);
    return error->code;
}

enum ts_code ts_pipe_load_set(struct ts_pipe_program *self, const char *path,
                              const char *const *texts, size_t count, struct ts_error *error)
{
    uint8_t *used = ts_pipe_or_die(calloc(count + 1, 1));
    memset(self, 0, sizeof *self);
    for (size_t i = 0; i < count; i++)
        if (strchr(texts[i], '=') == NULL)
            ts_fail(error, TS_USAGE, "--set: '%s' is not KEY=VALUE", texts[i]);
    if (error->code == TS_OK)
        ts_pipe_load(self, path, NULL, &(struct ts_pipe_sets){texts, count, used}, error);
    for (size_t i = 0; i < count; i++)
        if (!used[i] && strncmp(texts[i], "data=", 5) != 0)
            ts_fail(error, TS_SETUP, "%s: the program has no '%.*s'", path,
                    (int)strcspn(texts[i], "="), texts[i]);
    free(used);
    return error->code;
}
