// What clients ask for: {"do": ...} moves the machine, {"view": ...} says what they look at.
#include "platform/base/json.h"
#include "platform/live/inside.h"
#include "platform/tile/names.h"

#define NO_WAY_BACK "needs snapshots: start the run with --live=back (one thread, step by step)"

static bool number_of(const json_t *object, const char *key, uint64_t most, uint64_t *number)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > most)
        return false;
    *number = (uint64_t)json_integer_value(value);
    return true;
}

// The tile and core that are named; those that the client looks at otherwise. False: there is no such.
static bool place_of(const struct ts_live *self, const struct ts_live_view *view,
                     const json_t *object, uint32_t *tile, uint32_t *core)
{
    const char *at = ts_json_text(object, "tile"), *name = ts_json_text(object, "core");
    char place[16];
    *tile = view->tile;
    *core = view->core;
    for (uint32_t i = 0; at[0] && i <= self->machine.tile_count; i++) {
        if (i == self->machine.tile_count)
            return false;
        *tile = i;
        if (strcmp(ts_tile_place_name(self->machine.tiles[i], place, sizeof place), at) == 0)
            break;
    }
    const int found = name[0] ? ts_tile_core_by_name(self->machine.tiles[*tile], name) : (int)*core;
    *core = found >= 0 ? (uint32_t)found : 0;
    return found >= 0;
}

static const char *set_view(const struct ts_live *self, struct ts_live_view *view,
                            const json_t *wanted)
{
    struct ts_live_view next = *view;
    uint64_t address = next.memory;
    if (!place_of(self, view, wanted, &next.tile, &next.core))
        return "view: no such tile or core";
    if (json_object_get(wanted, "memory") &&
        !number_of(wanted, "memory", UINT32_MAX - 1024, &address))
        return "view: memory is an address";
    next.memory = (uint32_t)address & ~15u;
    if (json_object_get(wanted, "chip"))
        next.chip = json_is_true(json_object_get(wanted, "chip"));
    *view = next;
    return NULL;
}

// What to wait for or to look for; what.what TS_LIVE_NOTHING: cycles.
static const char *read_watch(const struct ts_live *self, const struct ts_live_view *view,
                              const json_t *object, struct ts_live_watch *watch)
{
    const char *what = ts_json_text(object, "what"), *unit = ts_json_text(object, "unit");
    uint32_t tile, core;
    uint64_t number = 0;
    *watch = (struct ts_live_watch){0};
    if (!place_of(self, view, object, &tile, &core))
        return "no such tile or core";
    watch->thread = tile * TS_RV_CORES + core;
    if (strcmp(what, "cycle") == 0)
        return NULL;
    if (strcmp(what, "instruction") == 0) {
        watch->what = TS_LIVE_INSTRUCTIONS;
    } else if (strcmp(what, "unit") == 0) {
        watch->what = TS_LIVE_UNIT;
        for (unsigned i = TS_UNIT_SYNC; unit[0] && i <= TS_UNIT_COUNT; i++) {
            if (i == TS_UNIT_COUNT)
                return "no such unit";
            watch->address = i;
            if (strcmp(ts_unit_name(i), unit) == 0)
                break;
        }
    } else if (strcmp(what, "write") == 0 &&
               number_of(object, "address", UINT32_MAX - 4, &number)) {
        watch->what = TS_LIVE_WORD;
        uint32_t word;
        if (!ts_gdb_read(&self->machine, watch->thread, (uint32_t)number & ~3u, (uint8_t *)&word,
                         4))
            return "nothing that can be read is at this address";
        number &= ~3ull;
    } else if (strcmp(what, "post") == 0 &&
               number_of(object, "semaphore", TS_SEMAPHORES - 1, &number)) {
        watch->what = TS_LIVE_POSTS;
    } else if (strcmp(what, "register") == 0 && number_of(object, "register", 31, &number)) {
        watch->what = TS_LIVE_REGISTER;
    } else {
        return "what: cycle, instruction, unit, write (address), post (semaphore 0 to 7), register "
               "(0 to 31)";
    }
    if (watch->what != TS_LIVE_UNIT)
        watch->address = (uint32_t)number;
    return NULL;
}

// To a cycle, wherever it is. True: the machine moves.
static bool go(struct ts_live *self, ts_cycle goal, const char **wrong)
{
    struct ts_live_shared *shared = self->shared;
    const bool ended = self->mode == TS_LIVE_HANG || self->mode == TS_LIVE_OVER;
    if (goal >= self->asked && goal <= self->now && self->mode != TS_LIVE_RUNS) {
        self->shown = goal; // nothing happens between here and there
        return false;
    }
    if (goal < self->now && self->travel == NULL)
        *wrong = "going back " NO_WAY_BACK;
    else if (goal > self->now && ended)
        *wrong = "the run has ended: nothing comes after this cycle";
    else if (goal < self->now)
        ts_live_go(self, goal);
    else {
        shared->task = TS_LIVE_TO;
        shared->goal = goal;
    }
    return *wrong == NULL;
}

static bool step(struct ts_live *self, const struct ts_live_watch *watch, const char **wrong)
{
    struct ts_live_shared *shared = self->shared;
    if (self->mode == TS_LIVE_HANG || self->mode == TS_LIVE_OVER)
        *wrong = "the run has ended: nothing comes after this cycle";
    else if (self->travel == NULL)
        *wrong = "a step of an instruction or a unit " NO_WAY_BACK;
    if (*wrong)
        return false;
    shared->task = TS_LIVE_STEP;
    shared->watch = *watch;
    self->valued = true;
    self->value = ts_live_value(self, watch);
    return true;
}

static bool search(struct ts_live *self, const struct ts_live_watch *watch, const char **wrong)
{
    struct ts_live_shared *shared = self->shared;
    if (self->travel == NULL) {
        *wrong = "going back " NO_WAY_BACK;
        return false;
    }
    if (self->shown <= shared->first) {
        *wrong = "this is the first cycle";
        return false;
    }
    shared->watch = *watch;
    shared->origin = self->shown;
    ts_live_search(self, self->shown);
}

// True: the machine moves.
static bool act(struct ts_live *self, const struct ts_live_view *view, const json_t *object,
                const char *verb, const char **wrong)
{
    struct ts_live_shared *shared = self->shared;
    struct ts_live_watch watch;
    uint64_t number = 1;
    shared->why[0] = '\0'; // of the stop before
    if (strcmp(verb, "run") == 0) {
        shared->task = TS_LIVE_RUN;
        return true;
    }
    if (strcmp(verb, "pause") == 0) {
        if (self->mode != TS_LIVE_RUNS)
            return false;
        shared->task = TS_LIVE_TO;
        shared->goal = self->now;
        return true;
    }
    if (strcmp(verb, "goto") == 0) {
        if (number_of(object, "cycle", INT64_MAX, &number))
            return go(self, number, wrong);
        *wrong = "goto: cycle is a number";
        return false;
    }
    const bool forth = strcmp(verb, "step") == 0, back = strcmp(verb, "back") == 0;
    if (!forth && !back) {
        *wrong = "do: pause, run, step, back or goto";
        return false;
    }
    *wrong = read_watch(self, view, object, &watch);
    if (*wrong == NULL && json_object_get(object, "count") &&
        !number_of(object, "count", 1u << 30, &number))
        *wrong = "count is a number of cycles";
    if (*wrong)
        return false;
    if (watch.what == TS_LIVE_NOTHING)
        return go(self,
                  forth                  ? self->shown + number
                  : self->shown > number ? self->shown - number
                                         : 0,
                  wrong);
    return forth ? step(self, &watch, wrong) : search(self, &watch, wrong);
}

bool ts_live_command(struct ts_live *self, struct ts_live_client *client, const char *line,
                     size_t length)
{
    const char *wrong = NULL;
    bool moves = false;
    json_t *object = json_loadb(line, length, 0, NULL);
    const char *verb = json_string_value(json_object_get(object, "do"));
    const json_t *view = json_object_get(object, "view");
    if (json_is_object(view))
        wrong = set_view(self, &client->view, view);
    if (wrong == NULL && verb)
        moves = act(self, &client->view, object, verb, &wrong);
    else if (wrong == NULL && !json_is_object(view))
        wrong = "a line is {\"do\": ...} or {\"view\": {...}}";
    json_decref(object);
    if (wrong) {
        char text[300];
        json_t *message = json_pack("{s:s, s:I}", "wrong", wrong, "heard",
                                    (json_int_t)client->heard);
        char *said = message ? json_dumps(message, JSON_COMPACT) : NULL;
        snprintf(text, sizeof text, "%s", said ? said : "{}");
        ts_live_send(client, text, false);
        free(said);
        json_decref(message);
    }
    return moves;
}
