// The machine as a line of JSON: what a client gets when it comes, and at every stop.
#include "platform/base/json.h"
#include "platform/explain/hang.h"
#include "platform/live/inside.h"
#include "platform/report/drawing.h"
#include "platform/tile/names.h"

static const char *const modes[] = {[TS_LIVE_RUNS] = "runs",
                                    [TS_LIVE_PAUSED] = "paused",
                                    [TS_LIVE_HANG] = "hang",
                                    [TS_LIVE_OVER] = "over"};

static json_t *cycle(ts_cycle value)
{
    return value == TS_NEVER ? json_null() : json_integer((json_int_t)value);
}

static char *line_of(const char *key, json_t *object)
{
    json_t *message = json_pack("{s:o}", key, object);
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    return text;
}

// Cycles that each part of the map was busy, or waited, so far.
static json_t *chip(const struct ts_live *self)
{
    json_t *values = json_array();
    for (uint32_t i = 0; i < self->part_count; i++) {
        const struct ts_object *object = self->parts[i];
        const struct ts_component *component = ts_object_component(object);
        uint64_t value = 0;
        if (component) {
            const struct ts_account account = ts_component_account(component, self->now);
            value = account.busy;
            if (ts_drawing_mapped(object) == TS_PERIODS_WAITS) {
                value = 0;
                for (int reason = TS_STALL_IDLE + 1; reason < TS_STALL_COUNT; reason++)
                    value += account.lost[reason];
            }
        } else if (object->busy) {
            value = object->busy(object, self->now);
        }
        json_array_append_new(values, json_integer((json_int_t)value));
    }
    return values;
}

char *ts_live_hello(const struct ts_live *self)
{
    json_t *tiles = json_array(), *parts = json_array();
    char at[16];
    for (uint32_t i = 0; i < self->machine.tile_count; i++)
        json_array_append_new(
            tiles, json_string(ts_tile_place_name(self->machine.tiles[i], at, sizeof at)));
    for (uint32_t i = 0; i < self->part_count; i++)
        json_array_append_new(parts, json_string(self->parts[i]->path));
    return line_of("hello", json_pack("{s:s, s:i, s:b, s:b, s:i, s:o, s:o}", "schema",
                                      "tensim.live", "version", 1, "back", self->travel != NULL,
                                      "pause", self->options.pause, "threads",
                                      (int)self->options.threads, "tiles", tiles, "parts", parts));
}

json_t *ts_live_waits(const struct ts_live *self)
{
    struct ts_hang hang = ts_hang_new(self->kernel, self->now);
    json_t *document = ts_hang_json(&hang, self->kernel);
    ts_hang_free(&hang);
    json_object_del(document, "nodes"); // the kernel's own graph
    json_object_del(document, "edges");
    // Before the hang others may still end these waits: it is only who waits for whom now.
    json_t *cause = json_object_get(document, "cause");
    if (cause && (self->shared->hang == TS_NEVER || self->now < self->shared->since)) {
        json_object_del(cause, "certainty");
        json_object_set_new(cause, "text",
                            json_sprintf("no hang so far; now %s", ts_json_text(cause, "text")));
    }
    return document;
}

char *ts_live_state(const struct ts_live *self, const struct ts_live_client *client)
{
    const struct ts_live_view *view = &client->view;
    const struct ts_live_shared *shared = self->shared;
    const bool still = self->mode != TS_LIVE_RUNS;
    const uint32_t thread = view->tile * TS_RV_CORES + view->core;
    json_t *state = json_pack(
        "{s:I, s:s, s:s, s:b, s:I, s:o, s:o, s:o, s:o, s:f}", "cycle", (json_int_t)self->shown,
        "mode", modes[self->mode], "why", shared->why, "exact", self->travel != NULL, "first",
        (json_int_t)shared->first, "last", cycle(shared->last), "hang", cycle(shared->hang),
        "since", cycle(shared->since), "over", cycle(shared->over), "rate", self->rate);
    json_object_set_new(state, "heard", json_integer((json_int_t)client->heard));
    json_object_set_new(state, "tile", ts_live_tile(self, view->tile, still));
    if (view->chip)
        json_object_set_new(state, "chip", chip(self));
    if (still) {
        json_object_set_new(state, "code", ts_live_code(self, thread));
        json_object_set_new(state, "memory", ts_live_memory(self, thread, view->memory));
    }
    if (self->waits)
        json_object_set(state, "waits", self->waits);
    return line_of("state", state);
}
