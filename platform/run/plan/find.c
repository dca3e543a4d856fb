// Files by name: programs of config/programs, folders of `tensim new', and what else comes with tensim: gallery/NAME, step/NAME,
// pipes/NAME, explore/NAME.
#include "platform/run/plan/remedies.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

// The file of config/programs with this name. False: there is none.
static bool is_named(const char *name, char *path, size_t size)
{
    char inside[300];
    snprintf(inside, sizeof inside, "programs/%.200s/program.yaml", name);
    ts_config_path(path, size, inside);
    return access(path, R_OK) == 0;
}

// The folder of config/ that a name is of: gallery/NAME; NULL: none.
static const char *shipped_in(const char *name)
{
    static const char *const folders[][2] = {{"gallery/", "gallery"},
                                             {"step/", "step"},
                                             {"pipes/", "pipes"},
                                             {"explore/", "explore"},
                                             {"llk/", "programs/llk"}};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(name, folders[i][0], strlen(folders[i][0])) == 0)
            return folders[i][1];
    return NULL;
}

static const char *const endings[] = {".yaml", ".pto", ".cpp"}; // the last two: TPUSH/TPOP programs

// Another file of config/ with this name.
static bool is_shipped(const char *name, char *path, size_t size)
{
    char inside[300];
    bool there = false;
    for (size_t i = 0; i < 3 && !there && shipped_in(name) && !strstr(name, ".."); i++) {
        snprintf(inside, sizeof inside, "%.200s%s", name, endings[i]);
        ts_config_path(path, size, inside);
        there = access(path, R_OK) == 0;
    }
    return there;
}

// A file of such a folder, or a program of llk.
static int is_name(const struct dirent *entry)
{
    char name[300], path[PATH_MAX];
    const char *dot = strchr(entry->d_name, '.');
    snprintf(name, sizeof name, "llk/%.255s", entry->d_name);
    return dot ? ts_word_index(".yaml .pto .cpp", dot) >= 0 : is_named(name, path, sizeof path);
}

// For a name of such a folder that is no file: which name is near; if none is, those that there are.
static void say_names(const char *name, const char *folder, struct ts_error *error)
{
    char path[PATH_MAX], text[360] = "";
    const char *last = strchr(name, '/') + 1;
    struct dirent **entries = NULL;
    ts_config_path(path, sizeof path, folder);
    const int count = scandir(path, &entries, is_name, alphasort);
    const char **names = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof *names);
    for (int i = 0; names && i < count; i++) {
        const size_t used = strlen(text);
        names[i] = entries[i]->d_name;
        entries[i]->d_name[strcspn(names[i], ".")] = '\0';
        if (used == 0 || text[used - 1] != '.')
            snprintf(text + used, sizeof text - used,
                     used + strlen(names[i]) + 8 < sizeof text ? "%s%s" : "%s...", i ? ", " : "",
                     names[i]);
    }
    const char *near = names ? ts_nearest(last, names) : NULL;
    ts_fail(error, TS_SETUP, "%.60s: no such file, and none comes with tensim; %s%.*s%s%s", name,
            near ? "did you mean " : "", (int)(last - name), name, near ? near : ": ",
            near ? "?" : text);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    free(names);
}

// The file in a folder of `tensim new'.
static bool is_folder(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%.3000s/program.yaml", name);
    return access(path, R_OK) == 0;
}

static int is_program(const struct dirent *entry)
{
    char path[PATH_MAX];
    return is_named(entry->d_name, path, sizeof path);
}

void ts_plan_names(char *text, size_t size)
{
    char folder[PATH_MAX];
    struct dirent **entries = NULL;
    ts_config_path(folder, sizeof folder, "programs");
    int count = scandir(folder, &entries, is_program, alphasort);
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        ts_append(text, size, "%s%s", i ? ", " : "", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

bool ts_plan_known_name(const char *name)
{
    char path[PATH_MAX];
    return is_folder(name, path, sizeof path) || is_named(name, path, sizeof path);
}

const char *ts_plan_find(const char *name, char *path, size_t size, struct ts_error *error)
{
    if (is_folder(name, path, size) ||
        (strncmp(name, "llk/", 4) == 0 && is_named(name, path, size)))
        return path;
    struct stat about;
    const bool there = stat(name, &about) == 0;
    if (!there && is_shipped(name, path, size))
        return path;
    if (there && S_ISDIR(about.st_mode) && !is_named(name, path, size))
        return ts_nothing(error, TS_SETUP,
                          "%.300s: a folder without program.yaml, which is what runs of a "
                          "folder; name a file in it",
                          name);
    if (!there && shipped_in(name)) {
        say_names(name, shipped_in(name), error);
        return NULL;
    }
    if (strchr(name, '/') || there)
        return name;
    if (is_named(name, path, size))
        return path;
    if (strchr(name, '.'))
        return name;
    char names[400];
    ts_plan_names(names, sizeof names);
    return ts_nothing(error, TS_SETUP, "%.60s: no such file, and no program of this name: %s", name,
                      names);
}

// The keys of a mapping of the file, separated by blanks.
static void add_keys(struct ts_yaml_node map, char *text, size_t size)
{
    for (size_t i = 0; map.node && ts_yaml_is_map(map) && i < ts_yaml_count(map); i++) {
        ts_append(text, size, "%s%s", text[0] ? " " : "", ts_yaml_text(ts_yaml_key(map, i), ""));
    }
}

void ts_plan_settings(const char *path, char *text, size_t size)
{
    struct ts_error error = {0};
    struct ts_yaml yaml;
    text[0] = '\0';
    if (ts_yaml_load(&yaml, path, &error) && ts_yaml_is_map(ts_yaml_root(&yaml))) {
        struct ts_yaml_node root = ts_yaml_root(&yaml);
        bool captured = ts_yaml_find(root, "captured").node;
        snprintf(text, size, captured ? "chip earlier" : "cores chip");
        add_keys(ts_yaml_find(root, "params"), text, size);
        add_keys(ts_yaml_find(root, "tensors"), text, size);
        if (!captured && ts_yaml_find(root, "runtime").node == NULL)
            ts_remedies_names(text, size);
    }
    ts_yaml_free(&yaml);
}

bool ts_plan_allow(const char *list, unsigned *allow)
{
    char word[16];
    *allow = 0;
    for (size_t length; list && *list; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        const int index = length < sizeof word ? ts_word_index(TS_PLAN_ALLOW, word) : -1;
        if (index < 0)
            return false;
        *allow |= 1u << index;
    }
    return true;
}
