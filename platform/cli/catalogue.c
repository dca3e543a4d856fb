// What comes with tensim, for the page of `tensim ui': programs with their parameters, the gallery of hangs, small programs to
// step through, TPUSH/TPOP programs, the seeds' index. JSON in a file of memory, which the server inherits.
#include "platform/cli/common.h"

#include "platform/base/json.h"
#include "platform/run/plan/plan.h"

#include <dirent.h>
#include <sys/mman.h>
#include <unistd.h>

// The sentence that a file begins with: its first comment, to the first line that is none or names a command.
static json_t *about(const char *path)
{
    char line[400], text[400] = "";
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && line[0] == '#') {
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, "# cause:") || strstr(line, "# repaired:"))
            break;
        ts_append(text, sizeof text, "%s%s", text[0] ? " " : "", line + 1 + strspn(line + 1, " "));
        char *end = strstr(text, ". ");
        if (end || text[strlen(text) - 1] == '.') {
            if (end)
                end[1] = '\0';
            break;
        }
    }
    if (file)
        fclose(file);
    json_t *said = json_string(text);
    return said ? said : json_string("");
}

// --- parameters of a program ---

// What stands behind # in a line of the file; "": nothing.
static json_t *comment(const char *path, int number)
{
    char line[400];
    FILE *file = fopen(path, "r");
    const char *text = "";
    for (int i = 0; file && i < number && fgets(line, sizeof line, file); i++)
        text = i + 1 == number && strstr(line, " # ") ? strstr(line, " # ") + 3 : "";
    if (file)
        fclose(file);
    json_t *said = json_stringn(text, strcspn(text, "\n"));
    return said ? said : json_string("");
}

static void add_words(json_t *to, struct ts_yaml_node list)
{
    for (size_t i = 0; i < ts_yaml_count(list); i++)
        if (ts_yaml_is_scalar(ts_yaml_at(list, i))) // the others say why they are refused
            json_array_append_new(to, json_string(ts_yaml_text(ts_yaml_at(list, i), "")));
}

// A number, or a word: no expression of others.
static bool is_plain(const char *text)
{
    char *end;
    strtod(text, &end);
    return *end == '\0' || ts_word_index(TS_PLAN_FIDELITIES, text) >= 0;
}

// NULL: it follows from others.
static json_t *parameter(const char *name, struct ts_yaml_node node, struct ts_yaml_node sizes)
{
    static const char *const copied[] = {"text", "from", "to"};
    json_t *words = json_array(), *self = json_pack("{s:s, s:o}", "name", name, "words", words);
    const char *value = NULL;
    if (ts_plan_is_option(node)) {
        struct ts_yaml_node list = ts_yaml_find(node, "choose"), own = ts_yaml_find(node, "value");
        if (list.node)
            add_words(words, list);
        value = own.node && ts_yaml_is_scalar(own) ? ts_yaml_text(own, "") : "";
        if (!is_plain(value) && json_array_size(words) == 0)
            value = "";
        for (unsigned i = 0; i < 3; i++) {
            struct ts_yaml_node more = ts_yaml_find(node, copied[i]);
            if (more.node && ts_yaml_is_scalar(more))
                json_object_set_new(self, copied[i], json_string(ts_yaml_text(more, "")));
        }
        if (strcmp(ts_yaml_text(ts_yaml_find(node, "type"), ""), "flag") == 0)
            json_object_set_new(self, "flag", json_true());
        if (ts_yaml_find(node, "text").node == NULL)
            value = NULL;
    } else if (ts_yaml_is_list(node)) {
        add_words(words, node);
        value = "";
    } else if (ts_yaml_is_scalar(node) && is_plain(ts_yaml_text(node, ""))) {
        value = ts_yaml_text(node, "");
    }
    if (value == NULL) {
        json_decref(self);
        return NULL;
    }
    for (unsigned i = 0;
         i < 4 && ts_word_index(TS_PLAN_FIDELITIES, value) >= 0 && json_array_size(words) < 4;
         i++) {
        static const char *const fidelities[] = {"lofi", "hifi2", "hifi3", "hifi4"};
        json_array_append_new(words, json_string(fidelities[i]));
    }
    struct ts_yaml_node step = sizes.node ? ts_yaml_find(sizes, name) : sizes;
    if (step.node && ts_yaml_is_scalar(step))
        json_object_set_new(self, "step", json_string(ts_yaml_text(step, "")));
    if (value[0] == '\0' && json_array_size(words))
        value = json_string_value(json_array_get(words, 0));
    json_object_set_new(self, "value", json_string(value));
    return self;
}

static json_t *parameters(const char *path)
{
    struct ts_error error = {0};
    struct ts_yaml yaml;
    json_t *rows = json_array();
    if (ts_yaml_load(&yaml, path, &error) && ts_yaml_is_map(ts_yaml_root(&yaml))) {
        struct ts_yaml_node root = ts_yaml_root(&yaml), params = ts_yaml_find(root, "params");
        for (size_t i = 0; params.node && ts_yaml_is_map(params) && i < ts_yaml_count(params);
             i++) {
            json_t *row = parameter(ts_yaml_text(ts_yaml_key(params, i), ""),
                                    ts_yaml_value(params, i), ts_yaml_find(root, "sizes"));
            if (row && json_object_get(row, "text") == NULL)
                json_object_set_new(row, "text",
                                    comment(path, ts_yaml_line(ts_yaml_key(params, i))));
            if (row)
                json_array_append_new(rows, row);
        }
        if (ts_yaml_find(root, "runtime").node == NULL)
            ts_json_add(rows, "{s:s, s:[], s:s, s:s}", "name", "cores", "words", "value", "",
                        "text", "8x4, all, 0,0");
    }
    ts_yaml_free(&yaml);
    return rows;
}

// --- files ---

// Adds {name, about, ...} of every file of config/FOLDER, by name.
static void add_files(json_t *rows, const char *folder, bool programs)
{
    char path[PATH_MAX], file[PATH_MAX + 300], name[300];
    struct dirent **entries = NULL;
    ts_config_path(path, sizeof path, folder);
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *own = entries[i]->d_name, *dot = strrchr(own, '.');
        const size_t length = dot ? (size_t)(dot - own) : strlen(own);
        const char *inside = strcmp(folder, "programs") == 0        ? ""
                             : strncmp(folder, "programs/", 9) == 0 ? folder + 9
                                                                    : folder;
        snprintf(name, sizeof name, "%s%s%.*s", inside, *inside ? "/" : "", (int)length, own);
        snprintf(file, sizeof file, programs ? "%s/%s/program.yaml" : "%s/%s", path, own);
        if (own[0] != '.' && access(file, R_OK) == 0 &&
            (programs || (dot && strcmp(dot, ".yaml") == 0))) {
            json_t *row = json_pack("{s:s, s:o}", "name", name, "about", about(file));
            if (programs)
                json_object_set_new(row, "params", parameters(file));
            json_array_append_new(rows, row);
        }
        free(entries[i]);
    }
    free(entries);
}

// Rows of config/seeds/index.tsv: [document, section, what, verdict, where it is shown].
static json_t *seeds(void)
{
    static const unsigned chosen[] = {0, 1, 3, 4, 6};
    char path[PATH_MAX], line[2000];
    json_t *rows = json_array();
    ts_config_path(path, sizeof path, "seeds/index.tsv");
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *cell[7] = {NULL}, *rest = line;
        line[strcspn(line, "\n")] = '\0';
        for (unsigned i = 0; i < 7 && rest; i++)
            cell[i] = strsep(&rest, "\t");
        if (!isdigit((unsigned char)line[0]) || cell[6] == NULL)
            continue;
        json_t *row = json_array();
        for (unsigned i = 0; i < 5; i++)
            json_array_append_new(row, json_string(cell[chosen[i]]));
        json_array_append_new(rows, row);
    }
    if (file)
        fclose(file);
    return rows;
}

int ts_catalogue(void)
{
    static const struct {
        const char *key, *folder;
        bool programs;
    } kinds[] = {{"programs", "programs", true}, {"programs", "programs/llk", true},
                 {"gallery", "gallery", false},  {"gallery", "gallery/tiles", false},
                 {"steps", "step", false},       {"pipes", "pipes", false}};
    json_t *self = json_pack("{s:[], s:[], s:[], s:[], s:o}", "programs", "gallery", "steps",
                             "pipes", "seeds", seeds());
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add_files(json_object_get(self, kinds[i].key), kinds[i].folder, kinds[i].programs);
    const int file = memfd_create("catalogue", 0);
    json_t *message = json_pack("{s:o}", "catalogue", self);
    if (file >= 0 && (json_dumpfd(message, file, JSON_COMPACT) != 0 || lseek(file, 0, SEEK_SET))) {
        close(file);
        json_decref(message);
        return -1;
    }
    json_decref(message);
    return file;
}
