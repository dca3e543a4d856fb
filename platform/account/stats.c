#include "platform/account/stats.h"

#include "platform/base/hash.h"
#include "platform/base/json.h"
#include "platform/kernel/fifo.h"

#define SCHEMA_VERSION 2

static json_t *integer(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *unit(const struct ts_component *c, ts_cycle span)
{
    struct ts_account account = ts_component_account(c, span);
    json_t *stall = json_object();
    for (int reason = TS_STALL_IDLE + 1; reason < TS_STALL_COUNT; reason++)
        if (account.lost[reason])
            json_object_set_new(stall, ts_stall_name((enum ts_stall)reason),
                                integer(account.lost[reason]));
    json_t *row = json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", ts_path(c), "kind", c->ops->kind,
                            "busy", integer(account.busy), "idle",
                            integer(account.lost[TS_STALL_IDLE]), "stall", stall);
    if (c->ops->counters) {
        json_t *counters = json_object();
        for (const struct ts_counter *counter = c->ops->counters; counter->name; counter++) {
            uint64_t value;
            memcpy(&value, (const char *)c + counter->offset, sizeof value);
            json_object_set_new(counters, counter->name, integer(value));
        }
        json_object_set_new(row, "counters", counters);
    }
    return row;
}

// {kind: {counter: {unit, text}}}: the meaning of the counters of each kind of unit.
static void describe(json_t *kinds, const struct ts_component_ops *ops)
{
    if (ops->counters == NULL || json_object_get(kinds, ops->kind))
        return;
    json_t *rows = json_object();
    for (const struct ts_counter *counter = ops->counters; counter->name; counter++)
        ts_json_put(rows, counter->name, "{s:s, s:s}", "unit", counter->unit, "text",
                    counter->text);
    json_object_set_new(kinds, ops->kind, rows);
}

static json_t *channel(const struct ts_object *object, ts_cycle span)
{
    json_t *row = json_pack("{s:s, s:s}", "name", object->path, "kind",
                            ts_object_kind_name(object->kind));
    switch (object->kind) {
    case TS_OBJECT_FIFO: {
        const struct ts_fifo *fifo = (const struct ts_fifo *)object;
        json_object_set_new(row, "depth", integer(fifo->depth));
        json_object_set_new(row, "pushes", integer(fifo->pushes));
        json_object_set_new(row, "left", integer(fifo->pushed - fifo->popped));
        json_object_set_new(row, "peak", integer(fifo->peak));
        break;
    }
    case TS_OBJECT_SEMAPHORE:
    case TS_OBJECT_COMPONENT:
    case TS_OBJECT_RESOURCE:
        if (object->busy)
            break;
        json_decref(row);
        return NULL;
    }
    if (object->busy) {
        uint64_t busy = object->busy(object, span);
        json_object_set_new(row, "busy", integer(busy));
        json_object_set_new(row, "idle", integer(span - busy));
    }
    return row;
}

json_t *ts_stats_json(const struct ts_kernel *kernel, const struct ts_run *run)
{
    json_t *units = json_array(), *channels = json_array(), *kinds = json_object();
    for (const struct ts_object *object = ts_kernel_objects(kernel); object;
         object = object->next) {
        const struct ts_component *c = ts_object_component(object);
        if (c) {
            json_array_append_new(units, unit(c, run->cycle));
            describe(kinds, c->ops);
        } else {
            json_t *row = channel(object, run->cycle);
            if (row)
                json_array_append_new(channels, row);
        }
    }
    json_t *head = json_pack("{s:o, s:s}", "span_cycles", integer(run->cycle), "stop",
                             ts_stop_name(run->stop));
    if (run->stop == TS_STOP_FAULT)
        json_object_set_new(head, "error", json_string(run->error.text));
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "schema", "tensim.stats", "version",
                     SCHEMA_VERSION, "run", head, "units", units, "channels", channels, "counters",
                     kinds);
}

// The integers of an object, one line each. The unit is `unit`, or the counter's in `units`.
static void csv_numbers(const char *name, const json_t *row, const char *unit, const json_t *units,
                        FILE *file)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)row, key, value)
    {
        const json_t *described = json_object_get(json_object_get(units, key), "unit");
        bool cycles = strcmp(key, "busy") == 0 || strcmp(key, "idle") == 0 ||
                      strcmp(key, "span_cycles") == 0;
        if (json_is_integer(value))
            fprintf(file, "%s,%s,%s,%lld\n", name, key,
                    described ? json_string_value(described)
                    : cycles  ? "cycles"
                              : unit,
                    json_integer_value(value));
    }
}

void ts_stats_csv(const json_t *stats, FILE *file)
{
    fputs("component,counter,unit,value\n", file);
    csv_numbers("run", json_object_get(stats, "run"), "count", NULL, file);
    static const char *const lists[] = {"units", "channels", "rings", "clusters", NULL};
    for (int i = 0; lists[i]; i++) {
        size_t index;
        json_t *row;
        json_array_foreach(json_object_get(stats, lists[i]), index, row)
        {
            const char *name = json_string_value(json_object_get(row, "name"));
            const char *kind = json_string_value(json_object_get(row, "kind"));
            csv_numbers(name, row, "count", NULL, file);
            const char *key;
            json_t *value;
            json_object_foreach(json_object_get(row, "stall"), key, value)
            {
                fprintf(file, "%s,stall.%s,cycles,%lld\n", name, key, json_integer_value(value));
            }
            csv_numbers(name, json_object_get(row, "counters"), "count",
                        json_object_get(json_object_get(stats, "counters"), kind), file);
        }
    }
}

static int hash_bytes(const char *bytes, size_t size, void *state)
{
    *(uint64_t *)state = ts_hash_bytes(*(uint64_t *)state, bytes, size);
    return 0;
}

void ts_stats_hash(const json_t *document, char hash[17])
{
    uint64_t state = TS_HASH_START;
    json_dump_callback(document, hash_bytes, &state, JSON_COMPACT | JSON_SORT_KEYS);
    snprintf(hash, 17, "%016llx", (unsigned long long)state);
}

// Is a member part of the hash? Figures say so (config/figures.def); of members of members some are texts or paths.
static bool is_hashed(const char *name)
{
    enum { NEITHER, HASHED, COLUMN, BOTH };
    static const struct {
        const char *name;
        int use;
    } rows[] = {
#define TS_FIGURE(name, type, unit, of, use, ...) {#name, use},
#include "config/figures.def"
        {"file", NEITHER},       {"path", NEITHER},
        {"worst", NEITHER},      {"asked", NEITHER},
        {"dimensions", NEITHER}, {"value_count", NEITHER},
        {"shown", NEITHER},      {"yours", NEITHER},
        {"is_wrong", NEITHER},   {"not_finite_expected", NEITHER}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].name) == 0)
            return rows[i].use & HASHED;
    return true;
}

// A copy of a result without what depends on the host, or on what else was asked for.
static json_t *of_model(const json_t *value)
{
    json_t *copy = json_is_object(value) ? json_object() : json_array(), *member;
    const char *name;
    size_t index;
    if (!json_is_object(value) && !json_is_array(value)) {
        json_decref(copy);
        return json_incref((json_t *)value);
    }
    json_array_foreach((json_t *)value, index, member)
        json_array_append_new(copy, of_model(member));
    json_object_foreach((json_t *)value, name, member)
    {
        if (is_hashed(name))
            json_object_set_new(copy, name, of_model(member));
    }
    return copy;
}

void ts_stats_run_hash(const json_t *stats, const json_t *result, char hash[17])
{
    json_t *all = json_pack("[O, o]", stats, of_model(result));
    ts_stats_hash(all, hash);
    json_decref(all);
}

void ts_stats_timing_hash(const json_t *stats, char hash[17])
{
    json_t *timing = json_pack("[O, O, O]", json_object_get(stats, "run"),
                               json_object_get(stats, "units"), json_object_get(stats, "channels"));
    ts_stats_hash(timing, hash);
    json_decref(timing);
}

const char *ts_stats_check(const struct ts_kernel *kernel, ts_cycle span)
{
    for (const struct ts_object *object = ts_kernel_objects(kernel); object;
         object = object->next) {
        const struct ts_component *c = ts_object_component(object);
        if (c) { // busy is what the losses leave of the span
            const struct ts_account account = ts_component_account(c, span);
            if (account.busy > span || account.lost[TS_STALL_IDLE] > span)
                return ts_path(c);
        } else if (object->busy && object->busy(object, span) > span)
            return object->path;
    }
    return NULL;
}
