// Values of a program's file (loader.h).
#include "platform/study/pipe/loader.h"

const char *ts_load_override(const struct ts_loader *self, const char *path)
{
    const size_t length = strlen(path);
    const char *value = NULL;
    for (size_t i = 0; self->sets && i < self->sets->count; i++)
        if (strncmp(self->sets->text[i], path, length) == 0 && self->sets->text[i][length] == '=') {
            value = self->sets->text[i] + length + 1;
            if (self->sets->used)
                self->sets->used[i] = 1;
        }
    return value;
}

const char *ts_load_text(const struct ts_load_place *place, const char *key, const char *otherwise)
{
    char path[160];
    snprintf(path, sizeof path, "%s%s", place->path, key);
    const char *value = ts_load_override(place->loader, path);
    return value ? value : ts_yaml_text(ts_yaml_find(place->map, key), otherwise);
}

struct ts_yaml_node ts_load_where(const struct ts_load_place *place, const char *key)
{
    struct ts_yaml_node node = ts_yaml_find(place->map, key);
    return node.node ? node : place->map;
}

// An integer expression over the parameters.
int64_t ts_load_integer(const struct ts_load_place *place, const char *key, int64_t low,
                        int64_t high, int64_t otherwise)
{
    const char *source = ts_load_text(place, key, NULL);
    if (source == NULL)
        return otherwise;
    struct ts_expr expr;
    char why[100];
    const char *at = source;
    if (!ts_pipe_expr(&place->loader->scope, &at, &expr, why, sizeof why) || *at) {
        ts_yaml_error(ts_load_where(place, key), "%s: %s", key,
                      *at ? "not an integer expression" : why);
        return otherwise;
    }
    if (expr.value < low || expr.value > high) {
        ts_yaml_error(ts_load_where(place, key), "%s is %lld; it must be %lld to %lld", key,
                      (long long)expr.value, (long long)low, (long long)high);
        return otherwise;
    }
    return expr.value;
}

bool ts_load_flag(const struct ts_load_place *place, const char *key, bool otherwise)
{
    const char *source = ts_load_text(place, key, NULL);
    if (source == NULL)
        return otherwise;
    if (strcmp(source, "true") == 0 || strcmp(source, "yes") == 0 || strcmp(source, "1") == 0)
        return true;
    if (strcmp(source, "false") != 0 && strcmp(source, "no") != 0 && strcmp(source, "0") != 0)
        ts_yaml_error(ts_load_where(place, key), "%s is true or false, not '%s'", key, source);
    return false;
}

double ts_load_real(const struct ts_load_place *place, const char *key, double otherwise)
{
    const char *source = ts_load_text(place, key, NULL);
    if (source == NULL)
        return otherwise;
    char *end;
    double value = strtod(source, &end);
    if (*end)
        ts_yaml_error(ts_load_where(place, key), "%s is a number, not '%s'", key, source);
    return value;
}

int ts_load_choice(const struct ts_load_place *place, const char *key, const char *const *names,
                   int otherwise)
{
    const char *source = ts_load_text(place, key, NULL);
    if (source == NULL) {
        if (otherwise < 0)
            ts_yaml_error(place->map, "%s is missing", key);
        return otherwise < 0 ? 0 : otherwise;
    }
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], source) == 0)
            return i;
    const char *near = ts_nearest(source, names);
    ts_yaml_error(ts_load_where(place, key),
                  near ? "%s: no such value '%s', did you mean '%s'?" : "%s: no such value '%s'",
                  key, source, near);
    return 0;
}

enum ts_mem ts_load_mem(const struct ts_load_place *place, const char *key)
{
    const char *mems[TS_MEM_COUNT + 1] = {0};
    for (int i = 0; i < TS_MEM_COUNT; i++)
        mems[i] = i == TS_MEM_GM ? "-" : ts_mems[i].tile;
    return (enum ts_mem)ts_load_choice(place, key, mems, -1);
}

char *ts_load_copy(const struct ts_load_place *place, const char *key)
{
    const char *source = ts_load_text(place, key, NULL);
    return source ? ts_pipe_or_die(strdup(source)) : NULL;
}

void ts_load_name(const struct ts_load_place *place, char *to, size_t room)
{
    const char *source = ts_yaml_text(ts_yaml_require(place->map, "name"), "");
    if (strlen(source) >= room)
        ts_yaml_error(place->map, "the name '%s' is too long: at most %zu letters", source,
                      room - 1);
    snprintf(to, room, "%.*s", (int)room - 1, source);
}

struct ts_load_place ts_load_element(struct ts_loader *self, const char *list,
                                     struct ts_yaml_node node, const char *const *keys)
{
    struct ts_load_place place = {.loader = self, .map = node};
    ts_yaml_only(node, "", keys);
    snprintf(place.path, sizeof place.path, "%s.%.32s.", list,
             ts_yaml_text(ts_yaml_find(node, "name"), ""));
    return place;
}
