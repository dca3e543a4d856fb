// From YAML to a program of the TPUSH/TPOP machine.
#include "platform/base/yaml.h"
#include "platform/study/pipe/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loader {
    struct ts_pipe_program *program;
    const struct ts_pipe_sets *sets;
    struct ts_yaml yaml;
    struct ts_pipe_scope scope;
};

// --- one value: of the command line, of the file, or the default ---

static const char * override(const struct loader *self, const char *path)
{
    const char *value = NULL;
    for (size_t i = 0; self->sets && i < self->sets->count; i++)
        if (strcmp(self->sets->set[i].key, path) == 0) {
            value = self->sets->set[i].value;
            if (self->sets->used)
                self->sets->used[i] = 1;
        }
    return value;
}

struct place {
    struct loader *loader;
    struct ts_yaml_node map;
    char path[100]; // "pipes.c2v."
};

static const char *text(const struct place *place, const char *key, const char *otherwise)
{
    char path[160];
    snprintf(path, sizeof path, "%s%s", place->path, key);
    const char *value = override(place->loader, path);
    return value ? value : ts_yaml_text(ts_yaml_find(place->map, key), otherwise);
}

static struct ts_yaml_node where(const struct place *place, const char *key)
{
    struct ts_yaml_node node = ts_yaml_find(place->map, key);
    return node.node ? node : place->map;
}

// An integer expression over the parameters.
static int64_t integer(const struct place *place, const char *key, int64_t low, int64_t high,
                       int64_t otherwise)
{
    const char *source = text(place, key, NULL);
    if (source == NULL)
        return otherwise;
    struct ts_expr expr;
    char why[100];
    const char *at = source;
    if (!ts_pipe_expr(&place->loader->scope, &at, &expr, why, sizeof why) || *at) {
        ts_yaml_error(where(place, key), "%s: %s", key, *at ? "not an integer expression" : why);
        return otherwise;
    }
    if (expr.value < low || expr.value > high) {
        ts_yaml_error(where(place, key), "%s is %lld; it must be %lld to %lld", key,
                      (long long)expr.value, (long long)low, (long long)high);
        return otherwise;
    }
    return expr.value;
}

static bool flag(const struct place *place, const char *key, bool otherwise)
{
    const char *source = text(place, key, NULL);
    if (source == NULL)
        return otherwise;
    if (strcmp(source, "true") == 0 || strcmp(source, "yes") == 0 || strcmp(source, "1") == 0)
        return true;
    if (strcmp(source, "false") != 0 && strcmp(source, "no") != 0 && strcmp(source, "0") != 0)
        ts_yaml_error(where(place, key), "%s is true or false, not '%s'", key, source);
    return false;
}

static double real(const struct place *place, const char *key, double otherwise)
{
    const char *source = text(place, key, NULL);
    if (source == NULL)
        return otherwise;
    char *end;
    double value = strtod(source, &end);
    if (*end)
        ts_yaml_error(where(place, key), "%s is a number, not '%s'", key, source);
    return value;
}

static int choice(const struct place *place, const char *key, const char *const *names,
                  int otherwise)
{
    const char *source = text(place, key, NULL);
    if (source == NULL) {
        if (otherwise < 0)
            ts_yaml_error(place->map, "%s is missing", key);
        return otherwise < 0 ? 0 : otherwise;
    }
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], source) == 0)
            return i;
    const char *near = ts_nearest(source, names);
    ts_yaml_error(where(place, key),
                  near ? "%s: no such value '%s', did you mean '%s'?" : "%s: no such value '%s'",
                  key, source, near);
    return 0;
}

static void name(const struct place *place, char *to, size_t room)
{
    const char *source = ts_yaml_text(ts_yaml_require(place->map, "name"), "");
    if (strlen(source) >= room)
        ts_yaml_error(place->map, "the name '%s' is too long: at most %zu letters", source,
                      room - 1);
    snprintf(to, room, "%.*s", (int)room - 1, source);
}

static struct place element(struct loader *self, const char *list, struct ts_yaml_node node,
                            const char *const *keys)
{
    struct place place = {.loader = self, .map = node};
    ts_yaml_only(node, keys);
    snprintf(place.path, sizeof place.path, "%s.%.32s.", list,
             ts_yaml_text(ts_yaml_find(node, "name"), ""));
    return place;
}

// --- sections ---

static void load_params(struct loader *self, struct ts_yaml_node map)
{
    struct ts_pipe_program *program = self->program;
    size_t count = map.node ? ts_yaml_count(map) : 0;
    program->params = ts_pipe_or_die(calloc(count + 1, sizeof *program->params));
    for (size_t i = 0; i < count; i++) {
        const char *key = ts_yaml_text(ts_yaml_key(map, i), "");
        struct place place = {.loader = self, .map = map, .path = "params."};
        int64_t value = integer(&place, key, INT32_MIN, INT32_MAX, 0);
        struct ts_pipe_name *param = &program->params[program->param_count];
        snprintf(param->name, sizeof param->name, "%.31s", key);
        param->value = value;
        program->param_count++;
    }
}

static enum ts_dtype dtype(const struct place *place)
{
    const char *names[TS_DTYPE_COUNT + 1] = {0};
    for (int i = 0; i < TS_DTYPE_COUNT; i++)
        names[i] = ts_dtype_name((enum ts_dtype)i);
    return (enum ts_dtype)choice(place, "type", names, TS_DTYPE_FP32);
}

static char *copy(const char *source)
{
    return source ? ts_pipe_or_die(strdup(source)) : NULL;
}

static void load_tensor(struct loader *self, struct ts_yaml_node node, bool window)
{
    static const char *const keys[] = {"name", "type",   "rows",      "cols", "init",
                                       "low",  "high",   "seed",      "file", "value",
                                       "out",  "expect", "tolerance", "save", NULL};
    static const char *const inits[] = {"zero", "random", "ints", "iota", "value", "file", NULL};
    struct ts_pipe_program *program = self->program;
    struct place place = element(self, window ? "windows" : "tensors", node, keys);
    struct ts_tensor_decl *tensor = &program->machine.tensors[program->machine.tensor_count];
    struct ts_pipe_data *data = &program->data[program->machine.tensor_count++];
    name(&place, tensor->name, sizeof tensor->name);
    tensor->type = dtype(&place);
    tensor->rows = (uint32_t)integer(&place, "rows", 1, 1 << 20, 1);
    tensor->cols = (uint32_t)integer(&place, "cols", 1, 1 << 20, 1);
    tensor->window = window;
    data->init = (enum ts_pipe_init)choice(&place, "init", inits, TS_INIT_ZERO);
    data->low = real(&place, "low", data->init == TS_INIT_INTS ? -2 : -1);
    data->high = real(&place, "high", data->init == TS_INIT_INTS ? 2 : 1);
    data->value = real(&place, "value", 0);
    data->seed = (uint64_t)integer(&place, "seed", 0, INT64_MAX, 19);
    data->file = copy(text(&place, "file", NULL));
    data->expect = copy(text(&place, "expect", NULL));
    data->save = copy(text(&place, "save", NULL));
    data->tolerance = real(&place, "tolerance", 0.001);
    tensor->out = flag(&place, "out", data->expect || data->save);
}

static void load_tile(struct loader *self, struct ts_yaml_node node)
{
    static const char *const keys[] = {"name",       "loc",        "type", "rows",  "cols",
                                       "valid_rows", "valid_cols", "addr", "count", NULL};
    const char *mems[TS_MEM_COUNT + 1] = {0};
    for (int i = 0; i < TS_MEM_COUNT; i++)
        mems[i] = i == TS_MEM_GM ? "-" : ts_mem_tile_name((enum ts_mem)i);
    struct ts_machine *machine = &self->program->machine;
    struct place place = element(self, "tiles", node, keys);
    struct ts_tile_decl *tile = &machine->tiles[machine->tile_count++];
    name(&place, tile->name, sizeof tile->name);
    tile->mem = (enum ts_mem)choice(&place, "loc", mems, -1);
    tile->type = dtype(&place);
    tile->rows = (uint32_t)integer(&place, "rows", 1, 65536, 1);
    tile->cols = (uint32_t)integer(&place, "cols", 1, 65536, 1);
    tile->vrows = (uint32_t)integer(&place, "valid_rows", 1, tile->rows, tile->rows);
    tile->vcols = (uint32_t)integer(&place, "valid_cols", 1, tile->cols, tile->cols);
    tile->count = (uint32_t)integer(&place, "count", 1, 256, 1);
    tile->addr = (uint32_t)integer(&place, "addr", 0, UINT32_MAX - 1, UINT32_MAX);
    tile->first = machine->element_count;
    machine->element_count += tile->count;
}

// A TMPipe's direction follows from its type and the places of its tiles.
static void load_tmpipe(struct loader *self, const struct place *place, struct ts_ring_config *pipe)
{
    static const char *const fifos[] = {"gm", "vec", "mat", "ctrl", NULL};
    static const char *const ratios[] = {"v1c1_vec0", "v1c1_vec1", "v2c1_vecs", NULL};
    struct ts_machine *machine = &self->program->machine;
    pipe->fifo = (enum ts_fifo_type)choice(place, "fifo", fifos, TS_GM_FIFO);
    pipe->slots = (uint32_t)integer(place, "depth", 0, 255, 0);
    pipe->sync_period = (uint32_t)integer(place, "period", 1, 255, 1);
    pipe->ratio = (uint32_t)choice(place, "ratio", ratios, 2);
    const struct ts_tile_decl *end[2] = {0};
    static const char *const keys[] = {"prod", "cons"};
    for (int i = 0; i < 2; i++) {
        const char *tile = text(place, keys[i], "");
        int id = ts_pipe_find_tile(machine, tile);
        if (id < 0) {
            ts_yaml_error(where(place, keys[i]), "%s: no tile is called '%s'", keys[i], tile);
            return;
        }
        end[i] = &machine->tiles[id];
    }
    pipe->prod_rows = end[0]->rows;
    pipe->prod_cols = end[0]->cols;
    pipe->cons_rows = end[1]->rows;
    pipe->cons_cols = end[1]->cols;
    pipe->element = ts_dtype_bytes(end[0]->type);
    bool a5 = machine->profile == TS_PROFILE_A5;
    bool c2v = end[0]->mem == TS_MEM_L0C && end[1]->mem == TS_MEM_UB;
    bool v2c = end[0]->mem == TS_MEM_UB && end[1]->mem == TS_MEM_L1;
    if (pipe->fifo == TS_GM_FIFO && c2v)
        pipe->direction = a5 ? TS_DIR_C2V_GM : TS_DIR_C2V;
    else if (pipe->fifo == TS_GM_FIFO && v2c)
        pipe->direction = a5 ? TS_DIR_V2C_GM : TS_DIR_V2C;
    else if (pipe->fifo == TS_VEC_FIFO && c2v && a5)
        pipe->direction = TS_DIR_C2V;
    else if (pipe->fifo == TS_MAT_FIFO && v2c && a5)
        pipe->direction = TS_DIR_V2C;
    // Slot sizes follow from the shapes (3.7).
    uint32_t prod = pipe->prod_rows * pipe->prod_cols * pipe->element,
             cons = pipe->cons_rows * pipe->cons_cols * pipe->element;
    if (pipe->fifo == TS_GM_FIFO)
        pipe->slot_size =
            c2v ? (pipe->cons_cols > pipe->prod_cols ? pipe->cons_cols / pipe->prod_cols : 1) * prod
                : (pipe->prod_cols > pipe->cons_cols ? pipe->prod_cols / pipe->cons_cols : 1) *
                      cons;
    else
        pipe->slot_size = cons;
}

static void load_pipe(struct loader *self, struct ts_yaml_node node)
{
    static const char *const keys[] = {
        "name",         "kind",      "flag",   "dir",  "slot_size", "slots",   "local_slots",
        "no_split",     "unit_flag", "ub",     "l1",   "gm_size",   "variant", "fifo",
        "local_stride", "depth",     "period", "prod", "cons",      "ratio",   NULL};
    static const char *const kinds[] = {"tpipe", "tmpipe", NULL};
    static const char *const variants[] = {"A", "B", "C", "D", "E", "F", "G", NULL};
    const char *directions[] = {"undefined", "c2v",    "v2c",     "both", "v2c_ctrl",
                                "c2v_gm",    "v2c_gm", "both_gm", NULL};
    struct ts_machine *machine = &self->program->machine;
    struct place place = element(self, "pipes", node, keys);
    struct place top = {.loader = self, .map = ts_yaml_root(&self->yaml)};
    struct ts_ring_config *pipe = &machine->pipes[machine->pipe_count++];
    name(&place, pipe->name, sizeof pipe->name);
    pipe->tmpipe = choice(&place, "kind", kinds, 0);
    // The profile's headers of today: A on A2/A3, B on A5, but A is what works there too; TMPipe is
    // always D.
    int variant = choice(&top, "variant", variants, TS_VARIANT_A);
    if (pipe->tmpipe && variant != TS_VARIANT_F)
        variant = TS_VARIANT_D;
    pipe->variant = (enum ts_variant)choice(&place, "variant", variants, variant);
    pipe->flag = (uint32_t)integer(&place, "flag", 0, 1000, 0);
    pipe->local_slots = (uint32_t)integer(&place, "local_slots", 0, 1024, 2);
    static const char *const strides[] = {"slot", "tile", NULL};
    pipe->tile_stride = choice(&place, "local_stride", strides, 0);
    pipe->no_split = flag(&place, "no_split", false);
    pipe->unit_flag = flag(&place, "unit_flag", false);
    pipe->has_ub = text(&place, "ub", NULL) != NULL;
    pipe->has_l1 = text(&place, "l1", NULL) != NULL;
    pipe->ub = (uint32_t)integer(&place, "ub", 0, UINT32_MAX, 0);
    pipe->l1 = (uint32_t)integer(&place, "l1", 0, UINT32_MAX, 0);
    pipe->gm_size = (uint64_t)integer(&place, "gm_size", 0, INT32_MAX, 0);
    if (pipe->tmpipe) {
        load_tmpipe(self, &place, pipe);
        return;
    }
    pipe->direction = (enum ts_direction_type)choice(&place, "dir", directions, -1);
    pipe->slot_size = (uint32_t)integer(&place, "slot_size", 0, INT32_MAX, 0);
    pipe->slots = (uint32_t)integer(&place, "slots", 0, INT32_MAX, 0);
}

// --- timing ---

static const struct ts_param timing_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/pipe_timing.def"
#undef TS_PARAM
};

static void load_timing(struct loader *self, struct ts_yaml_node map)
{
    struct ts_pipe_program *program = self->program;
    static const char *const presets[] = {"flat", "fitted", "doc", "a5", NULL};
    struct place top = {.loader = self, .map = ts_yaml_root(&self->yaml)};
    const char *preset =
        presets[choice(&top, "preset", presets, program->machine.profile == TS_PROFILE_A5 ? 3 : 0)];
    snprintf(program->preset, sizeof program->preset, "%s", preset);
    char file[64], path[400];
    snprintf(file, sizeof file, "pipes/timing-%s.yaml", preset);
    ts_config_path(path, sizeof path, file);
    ts_params_add(&program->timing, "pipe", timing_rows, sizeof timing_rows / sizeof *timing_rows);
    if (ts_params_load(&program->timing, path, self->yaml.error) != TS_OK)
        return;
    const char *names[sizeof timing_rows / sizeof *timing_rows + 1] = {0};
    for (size_t i = 0; i < sizeof timing_rows / sizeof *timing_rows; i++)
        names[i] = timing_rows[i].key;
    if (map.node)
        ts_yaml_only(map, names);
    struct place place = {.loader = self, .map = map, .path = "timing."};
    for (size_t i = 0; names[i]; i++) {
        const char *value = map.node ? text(&place, names[i], NULL) : NULL;
        char key[100];
        snprintf(key, sizeof key, "timing.%s", names[i]);
        if (value == NULL)
            value = override(self, key);
        if (value == NULL)
            continue;
        char assignment[200];
        snprintf(assignment, sizeof assignment, "pipe.%s=%s", names[i], value);
        ts_params_set(&program->timing, assignment, self->yaml.error);
    }
    TS_PARAMS_FILL(&program->timing, "pipe", &program->machine.timing);
}

// --- the complete file ---

static void load_expectation(struct loader *self, struct ts_yaml_node map)
{
    static const char *const keys[] = {"verdict", "finds", NULL};
    struct ts_pipe_program *program = self->program;
    if (map.node == NULL)
        return;
    ts_yaml_only(map, keys);
    struct place place = {.loader = self, .map = map};
    program->has_expectation = true;
    program->expected = (enum ts_pipe_verdict)choice(&place, "verdict", ts_pipe_verdict_names,
                                                     TS_PIPE_PASS);
    struct ts_yaml_node finds = ts_yaml_find(map, "finds");
    for (size_t i = 0; finds.node && i < ts_yaml_count(finds); i++) {
        const char *code = ts_yaml_text(ts_yaml_at(finds, i), "");
        int id = 0;
        while (id < TS_FINDING_COUNT && strcmp(ts_finding_code((enum ts_finding_id)id), code) != 0)
            id++;
        if (id == TS_FINDING_COUNT)
            ts_yaml_error(ts_yaml_at(finds, i), "no finding is called '%s'", code);
        else
            program->expects_finding[id] = true;
    }
}

static void load_list(struct loader *self, struct ts_yaml_node list,
                      void (*one)(struct loader *, struct ts_yaml_node))
{
    for (size_t i = 0; list.node && i < ts_yaml_count(list); i++)
        one(self, ts_yaml_at(list, i));
}

static void load_declarations(struct loader *self, struct ts_yaml_node root)
{
    struct ts_pipe_program *program = self->program;
    struct ts_machine *machine = &program->machine;
    struct ts_yaml_node tensors = ts_yaml_find(root, "tensors"),
                        windows = ts_yaml_find(root, "windows");
    struct ts_yaml_node tiles = ts_yaml_find(root, "tiles"), pipes = ts_yaml_find(root, "pipes");
    size_t count = (tensors.node ? ts_yaml_count(tensors) : 0) +
                   (windows.node ? ts_yaml_count(windows) : 0);
    machine->tensors = ts_pipe_or_die(calloc(count + 1, sizeof *machine->tensors));
    program->data = ts_pipe_or_die(calloc(count + 1, sizeof *program->data));
    machine->tiles = ts_pipe_or_die(
        calloc((tiles.node ? ts_yaml_count(tiles) : 0) + 1, sizeof *machine->tiles));
    machine->pipes = ts_pipe_or_die(
        calloc((pipes.node ? ts_yaml_count(pipes) : 0) + 1, sizeof *machine->pipes));
    for (size_t i = 0; tensors.node && i < ts_yaml_count(tensors); i++)
        load_tensor(self, ts_yaml_at(tensors, i), false);
    for (size_t i = 0; windows.node && i < ts_yaml_count(windows); i++)
        load_tensor(self, ts_yaml_at(windows, i), true);
    load_list(self, tiles, load_tile);
    load_list(self, pipes, load_pipe);
}

static void load_machine(struct loader *self, struct ts_yaml_node root)
{
    static const char *const profiles[] = {"a2a3", "a5", NULL};
    static const char *const syncs[] = {"manual", "auto", NULL};
    struct ts_pipe_program *program = self->program;
    struct ts_machine *machine = &program->machine;
    struct place top = {.loader = self, .map = root};
    snprintf(program->name, sizeof program->name, "%.63s", text(&top, "name", "program"));
    machine->profile = (enum ts_profile)choice(&top, "profile", profiles, 0);
    machine->auto_sync = choice(&top, "sync", syncs, 0);
    machine->strict = flag(&top, "strict", false);
    machine->unsafe = flag(&top, "unsafe", false);
    machine->data = flag(&top, "data", true);
    machine->clusters = (uint32_t)integer(&top, "clusters", 1, 1024, 1);
    machine->dispatches = (uint32_t)integer(&top, "dispatches", 1, 1000000, 1);
    program->limit = (ts_cycle)integer(&top, "limit", 1, INT64_MAX, INT64_C(1) << 60);
}

static enum ts_code load(struct ts_pipe_program *self, struct loader *loader,
                         struct ts_error *error)
{
    static const char *const keys[] = {
        "name",  "text",     "profile",    "preset", "variant", "sync",   "strict",  "unsafe",
        "data",  "clusters", "dispatches", "limit",  "params",  "timing", "tensors", "windows",
        "tiles", "pipes",    "cube",       "vector", "expect",  NULL};
    static const char *const sides[] = {"cube", "vector"};
    struct ts_yaml_node root = ts_yaml_root(&loader->yaml);
    ts_yaml_only(root, keys);
    loader->scope.program = self;
    load_params(loader, ts_yaml_find(root, "params"));
    load_machine(loader, root);
    load_timing(loader, ts_yaml_find(root, "timing"));
    load_declarations(loader, root);
    load_expectation(loader, ts_yaml_find(root, "expect"));
    for (unsigned side = 0; side < 2 && error->code == TS_OK; side++) {
        struct ts_yaml_node node = ts_yaml_find(root, sides[side]);
        // The text of a block scalar begins on the line after its key.
        ts_pipe_assemble(self, side, ts_yaml_text(node, ""), loader->yaml.path,
                         node.node ? ts_yaml_line(node) + 1 : 0, error);
    }
    if (error->code != TS_OK)
        return error->code;
    ts_pipe_place(self);
    ts_pipe_check(self);
    return TS_OK;
}

enum ts_code ts_pipe_load(struct ts_pipe_program *self, const char *path,
                          const struct ts_pipe_sets *sets, struct ts_error *error)
{
    struct loader loader = {.program = self, .sets = sets};
    memset(self, 0, sizeof *self);
    if (ts_yaml_load(&loader.yaml, path, error))
        load(self, &loader, error);
    ts_yaml_free(&loader.yaml);
    return error->code;
}

enum ts_code ts_pipe_parse(struct ts_pipe_program *self, const char *name_of_text,
                           const char *source, const struct ts_pipe_sets *sets,
                           struct ts_error *error)
{
    struct loader loader = {.program = self, .sets = sets};
    memset(self, 0, sizeof *self);
    if (ts_yaml_parse(&loader.yaml, name_of_text, source, error))
        load(self, &loader, error);
    ts_yaml_free(&loader.yaml);
    return error->code;
}
