// When the machine stops, and where it goes.
#include "platform/base/clock.h"
#include "platform/explain/hang.h"
#include "platform/kernel/between.h"
#include "platform/live/inside.h"
#include "platform/report/drawing.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#define SNAPSHOTS 40
#define PACE_NS   100000000u // between two states of a run that goes on,
#define SHARE     40         // and so many times what they cost
#define HEAR_NS   20000000u  // between two looks at the clients
#define ALONE_NS  100000000u // the same while there are none
#define STAND_MS  1000       // whether the user's process is still there
#define GAP_LEAST 64         // cycles between two looks
#define GAP_MOST  2048       // the machine may be much slower from one cycle to the next

static struct ts_live *server; // of the process; NULL: none

// --- clients ---

static void tell(struct ts_live *self, struct ts_live_client *client)
{
    if (ts_live_waits_for(client)) {
        client->owed = true;
        return;
    }
    char *text = ts_live_state(self, client);
    if (text)
        ts_live_send(client, text, true);
    free(text);
}

static void tell_all(struct ts_live *self, bool owed)
{
    struct ts_live_wire *wire = &self->shared->wire;
    for (unsigned i = 0; i < TS_LIVE_CLIENTS; i++)
        if (wire->clients[i].socket >= 0 && (!owed || wire->clients[i].owed))
            tell(self, &wire->clients[i]);
}

static void taken(void *context, struct ts_live_client *client)
{
    struct ts_live *self = context;
    char *text = ts_live_hello(self);
    if (text)
        ts_live_send(client, text, false);
    free(text);
    tell(self, client);
}

static bool line(void *context, struct ts_live_client *client, const char *text, size_t length)
{
    struct ts_live *self = context;
    bool done = ts_live_command(self, client, text, length);
    if (!done && client->socket >= 0)
        tell(self, client);
    return done;
}

// The user's process has ended: no client can see the rest of the run.
static void be_orphan(const struct ts_live *self)
{
    if (self->process != self->shared->user && kill(self->shared->user, 0) != 0)
        _exit(TS_OK);
}

// A run that goes on: takes commands in, and shows itself.
static void hear(struct ts_live *self)
{
    struct ts_live_shared *shared = self->shared;
    const uint64_t now = ts_nanoseconds();
    const unsigned count = ts_live_wire_count(&shared->wire);
    if (now - self->heard_ns < (count ? HEAR_NS : ALONE_NS))
        return;
    self->heard_ns = now;
    be_orphan(self);
    ts_live_wire_look(&shared->wire, 0, taken, line, self);
    if (count == 0 || now - shared->state_ns < PACE_NS ||
        now - shared->state_ns < SHARE * shared->cost_ns)
        return;
    self->rate = self->shown > self->told
                     ? (double)(self->shown - self->told) * 1e9 / (double)(now - shared->state_ns)
                     : 0;
    const uint64_t before = ts_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    tell_all(self, false);
    self->told = self->shown;
    shared->state_ns = now;
    shared->cost_ns = ts_clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
}

// Answers clients until one lets the machine go on: shared->task says how.
static void serve(struct ts_live *self, enum ts_live_mode mode)
{
    struct ts_live_shared *shared = self->shared;
    const bool stays = self->options.pause || ts_live_wire_count(&shared->wire);
    self->mode = mode;
    self->rate = 0;
    if (self->shown > shared->last || shared->last == TS_NEVER)
        shared->last = self->shown;
    shared->task = TS_LIVE_TO;
    shared->goal = self->shown;
    if (stays) {
        self->waits = ts_live_waits(self);
        tell_all(self, false);
    }
    while (stays && !ts_kernel_stopped(self->kernel) &&
           (self->options.pause || ts_live_wire_count(&shared->wire))) {
        be_orphan(self);
        if (ts_live_wire_look(&shared->wire, STAND_MS, taken, line, self))
            break;
        tell_all(self, true);
    }
    if (shared->task == TS_LIVE_TO && shared->goal == self->shown) // nobody is left to ask
        shared->task = TS_LIVE_RUN;
    json_decref(self->waits);
    self->waits = NULL;
    self->mode = TS_LIVE_RUNS;
    shared->why[0] = '\0';
    self->told = self->shown;
    shared->state_ns = self->heard_ns = ts_nanoseconds();
    self->gap = GAP_LEAST;
}

// --- through time ---

static _Noreturn void go_to_snapshot(struct ts_live *self, ts_cycle before)
{
    struct ts_live_shared *shared = self->shared;
    if (!ts_travel_before(self->travel, before, &shared->from))
        shared->from = shared->first;
    ts_live_wire_hand_over(&shared->wire, shared->carry[0]);
    ts_travel_go(self->travel, shared->from);
}

_Noreturn void ts_live_go(struct ts_live *self, ts_cycle goal)
{
    struct ts_live_shared *shared = self->shared;
    shared->task = TS_LIVE_TO;
    shared->goal = goal > shared->first ? goal : shared->first;
    go_to_snapshot(self, shared->goal + 1);
}

_Noreturn void ts_live_search(struct ts_live *self, ts_cycle until)
{
    struct ts_live_shared *shared = self->shared;
    shared->task = TS_LIVE_SEARCH;
    shared->goal = until;
    shared->found = TS_NEVER;
    go_to_snapshot(self, until);
}

static _Noreturn void end_search(struct ts_live *self)
{
    struct ts_live_shared *shared = self->shared;
    char name[120];
    ts_live_watch_name(self, &shared->watch, name, sizeof name);
    if (shared->found != TS_NEVER) {
        snprintf(shared->why, sizeof shared->why, "the next cycle has %s", name);
        ts_live_go(self, shared->found);
    }
    if (shared->from > shared->first)
        ts_live_search(self, shared->from);
    snprintf(shared->why, sizeof shared->why, "before this cycle there is not %s", name);
    ts_live_go(self, shared->origin);
}

// Has the number changed since the last look?
static bool changed(struct ts_live *self)
{
    const uint64_t value = ts_live_value(self, &self->shared->watch);
    const bool differs = self->valued && value != self->value;
    self->value = value;
    self->valued = true;
    return differs;
}

// Is it time to stop? `ended`: the run has, in this way.
static void decide(struct ts_live *self, enum ts_live_mode ended)
{
    struct ts_live_shared *shared = self->shared;
    const enum ts_live_mode mode = ended == TS_LIVE_RUNS ? TS_LIVE_PAUSED : ended;
    switch (shared->task) {
    case TS_LIVE_RUN:
        if (ended != TS_LIVE_RUNS)
            serve(self, mode);
        break;
    case TS_LIVE_TO:
        if (self->now >= shared->goal || ended != TS_LIVE_RUNS) {
            self->shown = shared->goal >= self->asked && shared->goal < self->now ? shared->goal
                                                                                  : self->now;
            serve(self, mode);
        }
        break;
    case TS_LIVE_STEP:
        if (changed(self) || ended != TS_LIVE_RUNS) {
            self->shown = ended == TS_LIVE_RUNS ? self->asked : self->now;
            serve(self, mode);
        }
        break;
    case TS_LIVE_SEARCH:
        if (changed(self))
            shared->found = self->before;
        if (self->now >= shared->goal || ended != TS_LIVE_RUNS)
            end_search(self);
        break;
    }
}

// --- between two windows ---

static void word_passed(void *context, unsigned thread, uint32_t word)
{
    struct ts_live_tile *self = context;
    unsigned unit = ts_op_info[TS_OP_OF(word)].unit;
    if (unit == TS_UNIT_UNPACK)
        unit += word >> 23 & 1;
    self->units[unit] = (struct ts_live_word){word, (uint8_t)thread, true, self->tile->domain->now};
}

static void list_parts(struct ts_live *self)
{
    uint32_t count = 0;
    for (const struct ts_object *o = ts_kernel_objects(self->kernel); o; o = o->next)
        count += ts_drawing_mapped(o) != TS_PERIODS_NOTHING;
    self->parts = calloc(count + 1, sizeof *self->parts);
    for (const struct ts_object *o = ts_kernel_objects(self->kernel); self->parts && o; o = o->next)
        if (ts_drawing_mapped(o) != TS_PERIODS_NOTHING)
            self->parts[self->part_count++] = o;
}

static bool begin(struct ts_live *self)
{
    struct ts_error error = {0};
    if (!ts_gdb_machine_init(&self->machine, self->kernel)) {
        fprintf(stderr, "tensim: --live: this run has no tile to watch\n");
        return false;
    }
    self->tiles = calloc(self->machine.tile_count, sizeof *self->tiles);
    list_parts(self);
    if (self->tiles == NULL || self->parts == NULL)
        return false;
    if (self->travel)
        ts_gdb_machine_in_time(&self->machine, self->now);
    for (uint32_t i = 0; self->travel && i < self->machine.tile_count; i++) {
        struct ts_live_tile *tile = &self->tiles[i];
        tile->tile = self->machine.tiles[i];
        for (unsigned t = 0; t < TS_THREADS; t++) {
            struct ts_frontend *front = &tile->tile->front[t];
            if (front->follow == NULL) { // a recorder has it
                front->follow = word_passed;
                front->follow_context = tile;
            }
        }
    }
    if (!ts_live_wire_open(&self->shared->wire, self->options.directory, &error) ||
        (self->travel && socketpair(AF_UNIX, SOCK_STREAM, 0, self->shared->carry) != 0)) {
        fprintf(stderr, "tensim: %s\n", error.text);
        return false;
    }
    return true;
}

// The next look: some time from now, in every cycle for steps.
static ts_cycle next_look(struct ts_live *self)
{
    const struct ts_live_shared *shared = self->shared;
    if (shared->task == TS_LIVE_STEP || shared->task == TS_LIVE_SEARCH)
        return self->now + 1;
    const uint64_t now = ts_nanoseconds(), took = now - self->look_ns;
    const uint64_t aim = self->travel                        ? HEAR_NS / 4
                         : ts_live_wire_count(&shared->wire) ? HEAR_NS
                                                             : ALONE_NS;
    if (took < aim / 2 && self->gap < GAP_MOST)
        self->gap *= 2;
    else if (took > 2 * aim)
        self->gap = self->gap * aim / took > GAP_LEAST ? self->gap * aim / took : GAP_LEAST;
    self->look_ns = now;
    const ts_cycle next = self->now + self->gap;
    return shared->task == TS_LIVE_TO && shared->goal > self->now && shared->goal < next
               ? shared->goal
               : next;
}

// Is this a copy that goes on from here?
static bool woke(struct ts_live *self)
{
    const pid_t process = getpid();
    if (process == self->process)
        return false;
    self->process = process;
    self->valued = false;
    self->heard_ns = ts_nanoseconds();
    for (unsigned i = 0; i < TS_LIVE_CLIENTS; i++)
        if (self->sockets[i] >= 0)
            close(self->sockets[i]); // as they were then
    ts_live_wire_take_over(&self->shared->wire, self->shared->carry[1]);
    return true;
}

static ts_cycle look(void *context, struct ts_kernel *kernel, ts_cycle now)
{
    struct ts_live *self = context;
    struct ts_live_shared *shared = self->shared;
    const bool first = self->kernel == NULL;
    if (first) {
        self->kernel = kernel;
        self->now = self->asked = shared->first = now;
        if (!begin(self)) {
            server = NULL;
            return TS_NEVER;
        }
    }
    if (kernel != self->kernel)
        return TS_NEVER;
    self->before = self->now;
    self->now = self->shown = now;
    if (self->travel == NULL) // with a trace, windows end later than asked for
        self->asked = now;
    for (unsigned i = 0; i < TS_LIVE_CLIENTS; i++)
        self->sockets[i] = shared->wire.clients[i].socket;
    if (self->travel && first)
        ts_travel_take(self->travel, kernel, now);
    else if (self->travel)
        ts_travel_look(self->travel, kernel, now);
    if (!woke(self) && first && self->options.pause) {
        snprintf(shared->why, sizeof shared->why,
                 now ? "at the checkpoint" : "before the first cycle");
        serve(self, TS_LIVE_PAUSED);
    } else {
        hear(self);
        if (now > shared->last || shared->last == TS_NEVER)
            shared->last = now;
        decide(self, TS_LIVE_RUNS);
    }
    return self->asked = next_look(self);
}

static void look_at_end(struct ts_live *self, const struct ts_kernel *kernel, ts_cycle now,
                        enum ts_live_mode mode)
{
    if (kernel != self->kernel || server == NULL)
        return;
    self->before = self->now;
    self->now = self->shown = self->asked = now;
    if (now > self->shared->last)
        self->shared->last = now;
    decide(self, mode);
}

static void look_at_hang(void *context, struct ts_kernel *kernel, ts_cycle now)
{
    struct ts_live *self = context;
    if (kernel == self->kernel && self->shared->hang == TS_NEVER) {
        struct ts_hang hang = ts_hang_new(kernel, now);
        self->shared->hang = now;
        self->shared->since = hang.since;
        ts_hang_free(&hang);
    }
    look_at_end(self, kernel, now, TS_LIVE_HANG);
}

static void look_at_over(void *context, struct ts_kernel *kernel, ts_cycle now)
{
    struct ts_live *self = context;
    if (kernel == self->kernel)
        self->shared->over = now;
    look_at_end(self, kernel, now, TS_LIVE_OVER);
}

// --- begin and end ---

bool ts_live_parse(const char *words, struct ts_live_options *options, char *text, size_t size)
{
    char copy[100];
    snprintf(copy, sizeof copy, "%s", words ? words : "");
    for (char *rest, *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (strcmp(word, "back") == 0) {
            options->back = true;
        } else if (strcmp(word, "pause") == 0) {
            options->pause = true;
        } else {
            snprintf(text, size, "'%s' is neither back nor pause", word);
            return false;
        }
    }
    return true;
}

bool ts_live_start(const struct ts_live_options *options, struct ts_error *error)
{
    struct ts_live *self = calloc(1, sizeof *self);
    if (self && options->back)
        self->travel = ts_travel_new(SNAPSHOTS, sizeof *self->shared);
    if (self && self->travel)
        self->shared = ts_travel_shared(self->travel);
    else if (self && !options->back)
        self->shared = calloc(1, sizeof *self->shared);
    if (self == NULL || self->shared == NULL) {
        free(self);
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    }
    self->options = *options;
    self->process = self->shared->user = getpid();
    self->gap = GAP_LEAST;
    self->shared->last = self->shared->hang = self->shared->since = self->shared->over = TS_NEVER;
    self->look_ns = self->heard_ns = ts_nanoseconds();
    ts_kernel_between(&(struct ts_bystander){.call = look,
                                             .hung = look_at_hang,
                                             .over = options->back ? look_at_over : NULL,
                                             .context = self,
                                             .each = options->back});
    server = self;
    return true;
}

void ts_live_end(int code)
{
    char text[64];
    if (server == NULL || server->kernel == NULL)
        return;
    struct ts_live_wire *wire = &server->shared->wire;
    snprintf(text, sizeof text, "{\"end\":{\"code\":%d}}", code);
    for (unsigned i = 0; i < TS_LIVE_CLIENTS; i++)
        if (wire->clients[i].socket >= 0)
            ts_live_send(&wire->clients[i], text, false);
    ts_live_wire_close(wire, server->options.directory);
    if (server->travel)
        ts_travel_end(server->travel);
}
