// Files by name: programs of config/programs, folders of `tensim new', and what else comes with tensim: gallery/NAME, step/NAME,
// pipes/NAME, explore/NAME.
#include "platform/run/plan/plan.h"
#include "platform/run/plan/remedies.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The file of config/programs with this name. False: there is none.
static bool is_named(const char *name, char *path, size_t size)
{
    char inside[300];
    snprintf(inside, sizeof inside, "programs/%.200s/program.yaml", name);
    ts_config_path(path, size, inside);
    return access(path, R_OK) == 0;
}

// Another file of config/ with this name.
static bool is_shipped(const char *name, char *path, size_t size)
{
    static const char *const folders[] = {"gallery/", "step/", "pipes/", "explore/"};
    char inside[300];
    bool known = false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        known |= strncmp(name, folders[i], strlen(folders[i])) == 0;
    snprintf(inside, sizeof inside, "%.200s.yaml", name);
    ts_config_path(path, size, inside);
    return known && !strstr(name, "..") && access(path, R_OK) == 0;
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
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? ", " : "", entries[i]->d_name);
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
    if (access(name, F_OK) != 0 && is_shipped(name, path, size))
        return path;
    if (strchr(name, '/') || access(name, F_OK) == 0)
        return name;
    if (is_named(name, path, size))
        return path;
    if (strchr(name, '.'))
        return name;
    char names[400];
    ts_plan_names(names, sizeof names);
    ts_fail(error, TS_SETUP, "%.60s: no such file, and no program of this name: %s", name, names);
    return NULL;
}

// The keys of a mapping of the file, separated by blanks.
static void add_keys(struct ts_yaml_node map, char *text, size_t size)
{
    for (size_t i = 0; map.node && ts_yaml_is_map(map) && i < ts_yaml_count(map); i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", used ? " " : "",
                 ts_yaml_text(ts_yaml_key(map, i), ""));
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
