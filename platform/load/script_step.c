// Small programs: the table of steps, their values, lists of them (script.h).
#include "platform/load/script_parts.h"

// --- the table

#define KEY(n, k, l, h, o)                                                  \
    {                                                                       \
        .name = #n, .kind = TS_KEY_##k, .low = l, .high = h, .otherwise = o \
    }
#define NEED(n, k, l, h)                                                    \
    {                                                                       \
        .name = #n, .kind = TS_KEY_##k, .low = l, .high = h, .needed = true \
    }
#define CHOOSE(n, w)                                                  \
    {                                                                 \
        .name = #n, .kind = TS_KEY_CHOICE, .words = w, .needed = true \
    }
#define TS_STEP(where, name, text, ...) \
    static const struct ts_script_key keys_##where##_##name[] = {__VA_ARGS__};
#include "config/steps.def"

const struct ts_script_verb ts_script_verbs[TS_DO_COUNT] = {
#define TS_STEP(where, name, text, ...)                   \
    {TS_STEP_##where, #name, text, keys_##where##_##name, \
     sizeof keys_##where##_##name / sizeof *keys_##where##_##name},
#include "config/steps.def"
};

static unsigned key_index(const struct ts_script_step *step, const char *key)
{
    const struct ts_script_verb *verb = &ts_script_verbs[step->verb];
    unsigned i = 0;
    while (i + 1 < verb->key_count && strcmp(verb->keys[i].name, key) != 0)
        i++;
    return i;
}

int64_t ts_script_arg(const struct ts_script_step *step, const char *key)
{
    return step->args[key_index(step, key)].value;
}

struct ts_yaml_node ts_script_node(const struct ts_script_step *step, const char *key)
{
    return step->args[key_index(step, key)].node;
}

bool ts_script_given(const struct ts_script_step *step, const char *key)
{
    return ts_script_node(step, key).node != NULL;
}

const char *ts_script_arg_text(const struct ts_script_step *step, const char *key)
{
    return ts_yaml_text(ts_script_node(step, key), "");
}

struct ts_noc_xy ts_script_arg_xy(const struct ts_script_step *step, const char *key)
{
    int64_t at = ts_script_arg(step, key);
    return (struct ts_noc_xy){(uint8_t)(at & 0xff), (uint8_t)(at >> 8 & 0xff)};
}

struct ts_script_place ts_script_arg_place(const struct ts_script_step *step, const char *key)
{
    int64_t at = ts_script_arg(step, key);
    return (struct ts_script_place){.at = ts_script_arg_xy(step, key),
                                    .chip = (uint32_t)(at >> 16 & 0xff),
                                    .channel = (int)(at >> 24) - 1};
}

void ts_script_print_steps(FILE *file)
{
    for (unsigned i = 0; i < TS_DO_COUNT; i++) {
        const struct ts_script_verb *verb = &ts_script_verbs[i];
        char keys[200] = "";
        if (verb->where & (TS_STEP_SETUP | TS_STEP_HOST))
            continue;
        for (unsigned k = 0; k < verb->key_count; k++) {
            ts_append(keys, sizeof keys, verb->keys[k].needed ? "%s%s" : "%s[%s]", k ? " " : "",
                      verb->keys[k].name);
        }
        fprintf(file, "%-16s%s\n%16s%s\n", verb->name, verb->text, "", keys);
    }
}

// --- text and errors

static void put(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

static void put_node(struct ts_yaml_node node, char *text, size_t size)
{
    if (ts_yaml_is_scalar(node)) {
        put(text, size, ts_yaml_text(node, ""));
        return;
    }
    bool map = ts_yaml_is_map(node);
    put(text, size, map ? "{" : "[");
    for (size_t i = 0; i < ts_yaml_count(node); i++) {
        put(text, size, i ? ", " : "");
        if (map) {
            put_node(ts_yaml_key(node, i), text, size);
            put(text, size, ": ");
        }
        put_node(map ? ts_yaml_value(node, i) : ts_yaml_at(node, i), text, size);
    }
    put(text, size, map ? "}" : "]");
}

void ts_script_text(const struct ts_script_step *step, char *text, size_t size)
{
    text[0] = '\0';
    if (step->verb == TS_DO_BOTH_tt) {
        put_node(step->args[0].node, text, size);
        return;
    }
    put(text, size, ts_script_verbs[step->verb].name);
    put(text, size, " ");
    put_node(ts_yaml_value(step->node, 0), text, size);
}

void ts_script_refuse(struct ts_yaml_node node, const char *who, const char *why)
{
    ts_fail(node.file->error, TS_NOT_IMPLEMENTED, "%s:%zu:%zu: %s %s", node.file->path,
            node.node->start_mark.line + 1, node.node->start_mark.column + 1, who, why);
}

// --- values

bool ts_script_coordinates(struct ts_yaml_node node, struct ts_noc_xy *at)
{
    unsigned x, y;
    char rest;
    if (sscanf(ts_yaml_text(node, ""), "%u-%u%c", &x, &y, &rest) != 2 || x >= TS_NOC_WIDTH_MAX ||
        y >= TS_NOC_HEIGHT_MAX)
        return ts_yaml_refuse(node,
                              "'%s' is not the place of a tile: x-y, on %d columns and %d rows",
                              ts_yaml_text(node, ""), TS_NOC_WIDTH_MAX, TS_NOC_HEIGHT_MAX);
    *at = (struct ts_noc_xy){(uint8_t)x, (uint8_t)y};
    return true;
}

bool ts_script_place(struct ts_yaml_node node, struct ts_script_place *place)
{
    const char *text = ts_yaml_text(node, ""), *slash = strchr(text, '/');
    unsigned x = 0, y = 0, chip = 0, channel = 0;
    char rest;
    bool good = slash == NULL || sscanf(text, "%u%c", &chip, &rest) == 2;
    const char *tile = slash ? slash + 1 : text;
    bool ethernet = sscanf(tile, "eth%u%c", &channel, &rest) == 1;
    good &= ethernet || (sscanf(tile, "%u-%u%c", &x, &y, &rest) == 2 && x < TS_NOC_WIDTH_MAX &&
                         y < TS_NOC_HEIGHT_MAX);
    if (!good || chip > 255 || channel > 63)
        ts_yaml_error(node, "'%s' is not the place of a tile: 1/1-2 or 1/eth4 is one of chip 1",
                      text);
    *place = (struct ts_script_place){
        .at = {(uint8_t)x, (uint8_t)y}, .chip = chip, .channel = ethernet ? (int)channel : -1};
    return good && chip <= 255 && channel <= 63;
}

static void no_object(struct ts_yaml_node node, const char *kind, const char *name,
                      const struct ts_script_object *objects, unsigned count)
{
    const char *names[TS_SCRIPT_BUFFERS + 1] = {NULL};
    for (unsigned i = 0; i < count; i++)
        names[i] = objects[i].name;
    const char *near = ts_nearest(name, names);
    ts_yaml_error(node, near ? "no %s '%s'; did you mean '%s'?" : "no %s '%s'", kind, name, near);
}

static int64_t object(struct ts_yaml_node node, const char *kind,
                      const struct ts_script_object *objects, unsigned count)
{
    const char *name = ts_yaml_text(node, "");
    for (unsigned i = 0; i < count; i++)
        if (strcmp(objects[i].name, name) == 0)
            return i;
    no_object(node, kind, name, objects, count);
    return 0;
}

static int64_t semaphore(const struct ts_script *self, struct ts_yaml_node node)
{
    int64_t number;
    if (ts_parse_int(ts_yaml_text(node, ""), &number))
        return ts_yaml_int(node, 0, TS_SEMAPHORES - 1, 0);
    return object(node, "semaphore", self->semaphores, TS_SEMAPHORES);
}

static int64_t core_named(struct ts_yaml_node node, int64_t most)
{
    const char *name = ts_yaml_text(node, "");
    int core = ts_rv_core_by_name(name);
    if (core < 0)
        ts_yaml_error(node, "no core '%s'; there are brisc, trisc0, trisc1, trisc2, ncrisc", name);
    else if (core > most)
        ts_yaml_error(node, "%s has no mailbox", name);
    return core;
}

int64_t ts_script_choice(struct ts_yaml_node node, const char *words)
{
    int number = ts_word_index(words, ts_yaml_text(node, ""));
    if (number < 0)
        ts_yaml_error(node, "'%s' is none of: %s", ts_yaml_text(node, ""), words);
    return number;
}

// "0-63" or "5".
static int64_t range(struct ts_yaml_node node, int64_t most)
{
    unsigned first, last;
    char rest;
    int found = sscanf(ts_yaml_text(node, ""), "%u-%u%c", &first, &last, &rest);
    if (found == 1)
        last = first;
    if ((found != 1 && found != 2) || last > most || last < first) {
        ts_yaml_error(node, "'%s' is not a row, or first-last, from 0 to %lld",
                      ts_yaml_text(node, ""), (long long)most);
        return 0;
    }
    return first | (int64_t)last << 16;
}

static int64_t word(const struct ts_script *self, struct ts_yaml_node node)
{
    uint32_t value;
    return ts_script_assemble(self, node, &value) ? value : 0;
}

// x | y << 8 | chip << 16 | (channel + 1) << 24
static int64_t xy(const struct ts_script *self, struct ts_yaml_node node)
{
    struct ts_script_place place = {.channel = -1};
    if (self->system.node)
        ts_script_place(node, &place);
    else
        ts_script_coordinates(node, &place.at);
    return place.at.x | place.at.y << 8 | (int64_t)place.chip << 16 |
           (int64_t)(place.channel + 1) << 24;
}

static int64_t value_of(const struct ts_script *self, const struct ts_script_key *key,
                        struct ts_yaml_node node)
{
    switch (key->kind) {
    case TS_KEY_NUMBER:
        return ts_yaml_int(node, key->low, key->high, 0);
    case TS_KEY_FLAG:
        return ts_yaml_bool(node, false);
    case TS_KEY_CHOICE:
        return ts_script_choice(node, key->words);
    case TS_KEY_SEMAPHORE:
        return semaphore(self, node);
    case TS_KEY_BUFFER:
        return object(node, "buffer", self->buffers, self->buffer_count);
    case TS_KEY_RING:
        return object(node, "ring", self->rings, self->ring_count);
    case TS_KEY_CORE:
        return core_named(node, key->high);
    case TS_KEY_XY:
        return xy(self, node);
    case TS_KEY_WORD:
        return word(self, node);
    case TS_KEY_RANGE:
        return range(node, key->high);
    case TS_KEY_TEXT:
        ts_yaml_text(node, "");
        return 0;
    default:
        return 0;
    }
}

// --- steps

static int find_verb(struct ts_yaml_node row, enum ts_script_where where)
{
    const char *names[TS_DO_COUNT + 1] = {NULL};
    size_t count = 0;
    const char *name = ts_yaml_text(ts_yaml_key(row, 0), "");
    for (unsigned v = 0; v < TS_DO_COUNT; v++) {
        if (!(ts_script_verbs[v].where & where))
            continue;
        names[count++] = ts_script_verbs[v].name;
        if (strcmp(ts_script_verbs[v].name, name) == 0 && ts_yaml_count(row) == 1)
            return (int)v;
    }
    if (where == TS_STEP_HOST && strcmp(name, "wait") == 0)
        ts_yaml_error(row, "wait is now `until: {l1: ADDRESS, is: VALUE, limit: CYCLES}'");
    ts_yaml_only(row, "", names);
    ts_yaml_error(row, "one step is expected here, with one name");
    return -1;
}

// One place, one condition.
static void check_until(const struct ts_script_step *step)
{
    static const char *const keys[] = {"is", "is_not", "below", "at_most", "above", "at_least"};
    unsigned count = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        count += ts_script_given(step, keys[i]);
    if (count != 1)
        ts_yaml_error(step->node, "until needs one of is, is_not, below, at_most, above, at_least");
    if (ts_script_given(step, "semaphore") == ts_script_given(step, "l1"))
        ts_yaml_error(step->node, "until needs either a semaphore or l1");
}

static void read_keys(struct ts_script *self, struct ts_script_step *step,
                      const struct ts_script_verb *verb, struct ts_yaml_node value, unsigned depth)
{
    const char *names[16] = {NULL};
    bool map = ts_yaml_is_map(value);
    for (unsigned k = 0; k < verb->key_count; k++)
        names[k] = verb->keys[k].name;
    if (map)
        ts_yaml_only(value, "", names);
    for (unsigned k = 0; k < verb->key_count; k++) {
        const struct ts_script_key *key = &verb->keys[k];
        struct ts_script_arg *arg = &step->args[k];
        arg->node = map ? ts_yaml_find(value, key->name)
                        : (struct ts_yaml_node){value.file, k ? NULL : value.node};
        arg->value = arg->node.node ? value_of(self, key, arg->node) : key->otherwise;
        if (key->needed && arg->node.node == NULL)
            ts_yaml_error(value, "the key '%s' is missing", key->name);
        if (key->kind == TS_KEY_STEPS && arg->node.node)
            ts_script_read_list(self, arg->node, verb->where, depth + 1, &step->body);
    }
    if (step->verb == TS_DO_CORE_until)
        check_until(step);
}

static void read_step(struct ts_script *self, struct ts_yaml_node row, enum ts_script_where where,
                      unsigned depth, struct ts_script_step *step)
{
    bool plain = ts_yaml_is_scalar(row) && where & TS_STEP_BOTH;
    if (!plain && !ts_yaml_is_map(row)) {
        ts_yaml_error(row, "a step is expected here, like {run: 1000}");
        return;
    }
    int verb = plain ? TS_DO_BOTH_tt : find_verb(row, where);
    if (verb < 0)
        return;
    step->verb = (enum ts_script_do)verb;
    step->number = self->step_count++;
    step->node = row;
    step->args = calloc(ts_script_verbs[verb].key_count, sizeof *step->args);
    if (step->args)
        read_keys(self, step, &ts_script_verbs[verb], plain ? row : ts_yaml_value(row, 0), depth);
    else
        ts_fail(self->yaml.error, TS_NO_MEMORY, "out of memory for a step");
}

void ts_script_read_list(struct ts_script *self, struct ts_yaml_node node,
                         enum ts_script_where where, unsigned depth, struct ts_script_list *list)
{
    size_t count = node.node && ts_yaml_is_list(node) ? ts_yaml_count(node) : 0;
    if (node.node && !ts_yaml_is_list(node))
        ts_yaml_error(node, "a list of steps is expected here");
    if (depth > TS_SCRIPT_DEPTH)
        ts_yaml_error(node, "repeat in repeat: at most %d deep", TS_SCRIPT_DEPTH);
    list->node = node;
    list->steps = calloc(count + 1, sizeof *list->steps);
    if (list->steps == NULL)
        ts_fail(self->yaml.error, TS_NO_MEMORY, "out of memory for steps");
    for (; list->count < count && self->yaml.error->code == TS_OK; list->count++)
        read_step(self, ts_yaml_at(node, list->count), where, depth, &list->steps[list->count]);
}

void ts_script_free_list(struct ts_script_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->steps[i].args);
        ts_script_free_list(&list->steps[i].body);
    }
    free(list->steps);
}
