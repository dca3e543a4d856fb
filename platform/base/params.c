#include "platform/base/params.h"

#include "platform/base/hash.h"
#include "platform/base/yaml.h"

#include <assert.h>

static const char *const kind_names[] = {
    [TS_DOCUMENTED] = "documented", [TS_MEASURED] = "measured", [TS_INFERRED] = "inferred",
    [TS_ASSUMED] = "assumed",       [TS_CHOSEN] = "chosen",     NULL,
};

const char *ts_param_kind_name(enum ts_param_kind kind)
{
    return kind_names[kind];
}

void ts_params_add(struct ts_params *self, const char *name, const struct ts_param *rows,
                   size_t count)
{
    assert(self->count < TS_PARAM_GROUP_MAX);
    struct ts_param_value *values = calloc(count, sizeof *values);
    self->starved |= values == NULL;
    self->groups[self->count++] = (struct ts_param_group){
        .name = name, .rows = rows, .count = values ? count : 0, .values = values};
}

void ts_params_add_choices(struct ts_params *self, const char *name, const struct ts_param *rows,
                           size_t count, const char *const *names, const char *const *evidence)
{
    ts_params_add(self, name, rows, count);
    self->groups[self->count - 1].names = names;
    self->groups[self->count - 1].evidence = evidence;
}

void ts_params_free(struct ts_params *self)
{
    for (size_t i = 0; i < self->count; i++) {
        for (size_t j = 0; j < self->groups[i].count; j++) {
            free(self->groups[i].values[j].source);
            free(self->groups[i].values[j].where);
        }
        free(self->groups[i].values);
    }
    self->count = 0;
}

static void replace(char **text, const char *by, struct ts_error *error)
{
    free(*text);
    *text = strdup(by);
    if (*text == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory for the parameters");
}

// -1: there is no such kind.
static int kind_of(const char *name)
{
    for (int i = 0; kind_names[i]; i++)
        if (strcmp(kind_names[i], name) == 0)
            return i;
    return -1;
}

static enum ts_param_kind read_kind(struct ts_yaml_node node)
{
    const char *name = ts_yaml_text(node, "");
    int kind = kind_of(name);
    if (kind < 0 && node.node)
        ts_yaml_error(node, "'%s' is not documented, measured, inferred, assumed or chosen", name);
    return kind < 0 ? TS_ASSUMED : (enum ts_param_kind)kind;
}

// Where it stands: file and line.
static void put_where(struct ts_param_value *value, const char *path, int line,
                      struct ts_error *error)
{
    char where[300];
    snprintf(where, sizeof where, "%s:%d", path, line);
    replace(&value->where, where, error);
}

static void load_param(const struct ts_param *row, struct ts_param_value *value,
                       struct ts_yaml_node node)
{
    ts_yaml_only(node, "value unit kind source", NULL);
    value->value = ts_yaml_int(ts_yaml_require(node, "value"), row->low, row->high, row->low);
    value->kind = read_kind(ts_yaml_require(node, "kind"));
    struct ts_yaml_node unit = ts_yaml_require(node, "unit");
    if (unit.node && strcmp(ts_yaml_text(unit, ""), row->unit) != 0)
        ts_yaml_error(unit, "%s is in %s, not in %s", row->key, row->unit, ts_yaml_text(unit, ""));
    struct ts_yaml_node source = ts_yaml_require(node, "source");
    if (source.node && *ts_yaml_text(source, "-") == '\0')
        ts_yaml_error(source, "the source of %s is empty", row->key);
    replace(&value->source, ts_yaml_text(source, ""), node.file->error);
    put_where(value, node.file->path, ts_yaml_line(node), node.file->error);
}

// The number of a name; -1: none of them.
static int choice_of(const struct ts_param_group *group, const char *text)
{
    for (int i = 0; group->names[i]; i++)
        if (strcmp(group->names[i], text) == 0)
            return i;
    return -1;
}

static void choose(struct ts_param_group *group, size_t index, int64_t value,
                   struct ts_error *error)
{
    group->values[index].value = value;
    group->values[index].kind = TS_CHOSEN;
    replace(&group->values[index].source, group->evidence[index], error);
}

// One name for all, or one for each.
static void load_choices(struct ts_param_group *group, struct ts_yaml_node node)
{
    for (size_t i = 0; i < group->count; i++) {
        bool map = ts_yaml_is_map(node);
        struct ts_yaml_node name = map ? ts_yaml_require(node, group->rows[i].key) : node;
        if (!name.node)
            return;
        int choice = choice_of(group, ts_yaml_text(name, ""));
        if (choice < 0) {
            ts_yaml_error(name, "%s is %s or %s, not '%s'", group->name, group->names[1],
                          group->names[0], ts_yaml_text(name, ""));
            return;
        }
        choose(group, i, choice, node.file->error);
        put_where(&group->values[i], node.file->path, ts_yaml_line(name), node.file->error);
    }
}

// like: the file is like another one, so that it need not have all keys.
static void load_group(struct ts_param_group *group, struct ts_yaml_node map, bool like)
{
    if (group->names && map.node) {
        load_choices(group, map);
        return;
    }
    const char **keys = calloc(group->count + 1, sizeof *keys);
    if (keys == NULL) {
        ts_fail(map.file->error, TS_NO_MEMORY, "out of memory for the parameters");
        return;
    }
    for (size_t i = 0; i < group->count; i++)
        keys[i] = group->rows[i].key;
    ts_yaml_only(map, "", keys);
    for (size_t i = 0; i < group->count; i++) {
        struct ts_yaml_node node = like ? ts_yaml_find(map, keys[i])
                                        : ts_yaml_require(map, keys[i]);
        if (node.node)
            load_param(&group->rows[i], &group->values[i], node);
    }
    free(keys);
}

// ---- the file that the build has read

// The row of a parameter; the next one may be near `from`. NULL: it has none, or not a good one.
static const struct ts_param_known *known_row(const struct ts_param_group *group, size_t index,
                                              size_t *from)
{
    const struct ts_params_known *known = &ts_params_known;
    const struct ts_param *param = &group->rows[index];
    for (size_t i = 0; i < known->count; i++) {
        const struct ts_param_known *row = &known->rows[(*from + i) % known->count];
        if (strcmp(row->group, group->name) != 0 ||
            (*row->key && strcmp(row->key, param->key) != 0))
            continue;
        *from += i + (*row->key != '\0');
        if (group->names)
            return choice_of(group, row->unit) >= 0 ? row : NULL;
        return strcmp(row->unit, param->unit) == 0 && kind_of(row->kind) >= 0 && *row->source &&
                       row->value >= param->low && row->value <= param->high
                   ? row
                   : NULL;
    }
    return NULL;
}

// False: a group is not as the build knows it. What is wrong is for the parser to say.
static bool load_known_group(struct ts_param_group *group, const char *path, struct ts_error *error)
{
    size_t rows = 0, from = 0;
    for (size_t i = ts_params_known.count; i-- > 0;)
        if (strcmp(ts_params_known.rows[i].group, group->name) == 0) {
            from = i;
            rows++;
        }
    if (rows != group->count && !(rows == 1 && group->names))
        return false;
    for (size_t i = 0; i < group->count; i++) {
        const struct ts_param_known *row = known_row(group, i, &from);
        struct ts_param_value *value = &group->values[i];
        if (row == NULL)
            return false;
        if (group->names) {
            choose(group, i, choice_of(group, row->unit), error);
        } else {
            value->value = row->value;
            value->kind = (enum ts_param_kind)kind_of(row->kind);
            replace(&value->source, row->source, error);
        }
        put_where(value, path, row->line, error);
    }
    return true;
}

static bool load_known(struct ts_params *self, const char *path, struct ts_error *error)
{
    if (ts_hash_file(TS_HASH_START, path) != ts_params_known.hash)
        return false;
    for (size_t i = 0; i < self->count; i++)
        if (!load_known_group(&self->groups[i], path, error))
            return false;
    return true;
}

// is_model: another file names this one as its `like`; such a file has no `like` itself.
static void load_file(struct ts_params *self, const char *path, bool is_model,
                      struct ts_error *error);

// Loads the file of the same folder that `like` names: its numbers hold where this file has none.
static void load_like(struct ts_params *self, struct ts_yaml_node like)
{
    const char *path = like.file->path, *slash = strrchr(path, '/'), *name = ts_yaml_text(like, "");
    char other[4096];
    if (*name == '\0' || strchr(name, '/')) {
        ts_yaml_error(like, "like: names a file of the same folder without its .yaml");
        return;
    }
    snprintf(other, sizeof other, "%.*s%.255s.yaml", slash ? (int)(slash + 1 - path) : 0, path,
             name);
    load_file(self, other, true, like.file->error);
}

static void load_file(struct ts_params *self, const char *path, bool is_model,
                      struct ts_error *error)
{
    struct ts_yaml file;
    if (load_known(self, path, error) || !ts_yaml_load(&file, path, error))
        return;
    // Groups of other programs may be in the file as well, but nothing that no program knows.
    static const char known[] = "like machine"
#define TS_PARAM_GROUP(name) " " #name
#include "config/param_groups.def"
        ;
    const char *names[TS_PARAM_GROUP_MAX + 1] = {0};
    for (size_t i = 0; i < self->count; i++)
        names[i] = self->groups[i].name;
    struct ts_yaml_node root = ts_yaml_root(&file);
    ts_yaml_only(root, known, names);
    const struct ts_yaml_node like = ts_yaml_find(root, "like");
    if (like.node && is_model)
        ts_yaml_error(like, "this file is like another one already: only one may be");
    else if (like.node)
        load_like(self, like);
    snprintf(self->machine, sizeof self->machine, "%.15s",
             ts_yaml_text(ts_yaml_find(root, "machine"), ""));
    for (size_t i = 0; i < self->count; i++) {
        struct ts_yaml_node group = like.node ? ts_yaml_find(root, names[i])
                                              : ts_yaml_require(root, names[i]);
        if (group.node || like.node == NULL)
            load_group(&self->groups[i], group, like.node != NULL);
    }
    ts_yaml_free(&file);
}

enum ts_code ts_params_load(struct ts_params *self, const char *path, struct ts_error *error)
{
    if (self->starved)
        return ts_fail(error, TS_NO_MEMORY, "out of memory for the parameters");
    load_file(self, path, false, error);
    return error->code;
}

// "group.key", for every parameter; ends with NULL. To be freed with its words. NULL: out of memory.
static char **full_names(const struct ts_params *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++)
        count += self->groups[i].count;
    char **names = calloc(count + 1, sizeof *names);
    size_t next = 0;
    for (size_t i = 0; names && i < self->count; i++)
        for (size_t j = 0; j < self->groups[i].count; j++)
            if (asprintf(&names[next], "%s.%s", self->groups[i].name,
                         self->groups[i].rows[j].key) >= 0)
                next++;
            else
                names[next] = NULL;
    return names;
}

static void refuse_unknown(const struct ts_params *self, const char *name, struct ts_error *error)
{
    char **names = full_names(self);
    const char *near = names ? ts_nearest(name, (const char *const *)names) : NULL;
    if (near)
        ts_fail(error, TS_USAGE, "--set %s: no such parameter; did you mean '%s'?", name, near);
    else
        ts_fail(error, TS_USAGE, "--set %s: no such parameter; 'tensim config' lists them", name);
    for (size_t i = 0; names && names[i]; i++)
        free(names[i]);
    free(names);
}

static enum ts_code set_all(struct ts_param_group *group, const char *text, struct ts_error *error)
{
    int choice = choice_of(group, text);
    if (choice < 0)
        return ts_fail(error, TS_USAGE, "--set %s: '%s' is neither %s nor %s", group->name, text,
                       group->names[1], group->names[0]);
    for (size_t i = 0; i < group->count; i++) {
        choose(group, i, choice, error);
        replace(&group->values[i].where, "--set", error);
    }
    return error->code;
}

enum ts_code ts_params_set(struct ts_params *self, const char *assignment, struct ts_error *error)
{
    const char *equals = strchr(assignment, '=');
    if (equals == NULL)
        return ts_fail(error, TS_USAGE, "--set %s: key=value is expected", assignment);
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    for (size_t i = 0; i < self->count; i++) {
        struct ts_param_group *group = &self->groups[i];
        size_t prefix = strlen(group->name);
        if (group->names && strcmp(name, group->name) == 0)
            return set_all(group, equals + 1, error);
        if (strncmp(name, group->name, prefix) != 0 || name[prefix] != '.')
            continue;
        for (size_t j = 0; j < group->count; j++) {
            const struct ts_param *row = &group->rows[j];
            if (strcmp(name + prefix + 1, row->key) != 0)
                continue;
            int64_t value = group->names ? choice_of(group, equals + 1) : -1;
            if (value < 0 && !ts_parse_int(equals + 1, &value))
                return ts_fail(error, TS_USAGE, "--set %s: '%s' is not an integer", name,
                               equals + 1);
            if (value < row->low || value > row->high)
                return ts_fail(error, TS_USAGE, "--set %s: %lld is out of range: %lld to %lld %s",
                               name, (long long)value, (long long)row->low, (long long)row->high,
                               row->unit);
            group->values[j].value = value;
            group->values[j].kind = TS_CHOSEN;
            replace(&group->values[j].source, group->names ? group->evidence[j] : "--set", error);
            replace(&group->values[j].where, "--set", error);
            return error->code;
        }
    }
    refuse_unknown(self, name, error);
    return error->code;
}

static const struct ts_param_group *find_group(const struct ts_params *self, const char *name,
                                               size_t count)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->groups[i].name, name) == 0) {
            assert(self->starved || self->groups[i].count == count);
            (void)count;
            return &self->groups[i];
        }
    assert(false && "a group that was added");
    abort();
}

void ts_params_fill(const struct ts_params *self, const char *name, int64_t *values, size_t count)
{
    const struct ts_param_group *group = find_group(self, name, count);
    for (size_t i = 0; i < group->count; i++)
        values[i] = group->values[i].value;
}

void ts_params_fill32(const struct ts_params *self, const char *name, uint32_t *values,
                      size_t count)
{
    const struct ts_param_group *group = find_group(self, name, count);
    for (size_t i = 0; i < group->count; i++)
        values[i] = (uint32_t)group->values[i].value;
}

static void write_choices(const struct ts_param_group *group, FILE *file)
{
    fprintf(file, "%s:\n", group->name);
    for (size_t j = 0; j < group->count; j++)
        fprintf(file, "  %s: %s\n", group->rows[j].key, group->names[group->values[j].value]);
}

void ts_params_write(const struct ts_params *self, FILE *file)
{
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_param_group *group = &self->groups[i];
        if (group->names) {
            write_choices(group, file);
            continue;
        }
        fprintf(file, "%s:\n", group->name);
        for (size_t j = 0; j < group->count; j++) {
            const struct ts_param_value *value = &group->values[j];
            fprintf(file, "  %s: {value: %lld, unit: \"%s\", kind: %s, source: \"",
                    group->rows[j].key, (long long)value->value, group->rows[j].unit,
                    kind_names[value->kind]);
            for (const char *c = value->source ? value->source : ""; *c; c++) {
                if ((unsigned char)*c < ' ') {
                    fprintf(file, "\\x%02x", (unsigned)*c);
                    continue;
                }
                if (*c == '"' || *c == '\\')
                    fputc('\\', file);
                fputc(*c, file);
            }
            fputs("\"}\n", file);
        }
    }
}
