// When the machine stops, and who it goes back in time for.
#include "platform/gdb/gdb.h"

#include "platform/gdb/state.h"
#include "platform/kernel/between.h"

#include <inttypes.h>

#define SNAPSHOTS  40
#define POLL_EVERY 64 // cycles, for Ctrl-C

static struct ts_gdb *server; // of the process; NULL: no gdb

struct ts_gdb_moment ts_gdb_here(const struct ts_gdb *self)
{
    return (struct ts_gdb_moment){self->now, self->machine.inside_thread,
                                  self->machine.inside.done};
}

// To the last snapshot before a cycle, and from there on.
static _Noreturn void go_from(struct ts_gdb *self, ts_cycle before)
{
    struct ts_gdb_shared *shared = self->shared;
    if (!ts_travel_before(self->travel, before, &shared->from)) { // the first one is the beginning
        shared->begin = true;
        shared->task = TS_GDB_TO;
        ts_travel_before(self->travel, TS_NEVER, &shared->from);
        for (ts_cycle at; ts_travel_before(self->travel, shared->from, &at);)
            shared->from = at;
        shared->goal = (struct ts_gdb_moment){shared->from, UINT32_MAX, 0};
        shared->watch = NULL;
    }
    ts_travel_go(self->travel, shared->from);
}

_Noreturn void ts_gdb_go(struct ts_gdb *self, struct ts_gdb_moment goal)
{
    self->shared->task = TS_GDB_TO;
    self->shared->goal = goal;
    go_from(self, goal.cycle + (goal.thread == UINT32_MAX));
}

_Noreturn void ts_gdb_search(struct ts_gdb *self, struct ts_gdb_moment until)
{
    self->shared->task = TS_GDB_SEARCH;
    self->shared->goal = until;
    self->shared->found.cycle = TS_NEVER;
    go_from(self, until.cycle);
}

static _Noreturn void end_search(struct ts_gdb *self)
{
    struct ts_gdb_shared *shared = self->shared;
    if (shared->found.cycle == TS_NEVER)
        ts_gdb_search(self, (struct ts_gdb_moment){shared->from, UINT32_MAX, 0});
    ts_gdb_go(self, shared->found);
}

static void stop(struct ts_gdb *self, uint32_t thread, const struct ts_gdb_point *watch)
{
    char reply[256];
    struct ts_gdb_events *events = &self->shared->events;
    ts_gdb_stop(self, thread, watch, reply, sizeof reply);
    if (self->shared->quiet)
        snprintf(reply, sizeof reply, "OK");
    self->shared->quiet = false;
    for (uint32_t i = events->count; i-- > 0;)
        if (events->event[i].once) {
            events->event[i] = events->event[--events->count];
            events->changes++;
        }
    ts_gdb_serve(self, reply, false);
}

// The user reads what has happened; the core that it concerns.
static uint32_t tell(const struct ts_gdb *self, const struct ts_gdb_event *event)
{
    char line[128], text[200];
    snprintf(text, sizeof text, "cycle %" PRIu64 ", %s\n", self->now - 1,
             ts_gdb_event_text(event, self->machine.tiles[event->tile], line, sizeof line));
    ts_gdb_console(&self->shared->wire, text);
    return event->tile * TS_RV_CORES + (event->kind == TS_GDB_WORD && event->thread < TS_THREADS
                                            ? TS_RV_TRISC0 + event->thread
                                            : self->shared->general % TS_RV_CORES);
}

// --- before an instruction ---

// In non-stop: true, the core stops.
static bool follow_alone(struct ts_gdb *self, uint32_t thread, const struct ts_rv_following *at,
                         bool fresh)
{
    const struct ts_gdb_points *points = &self->shared->points;
    const uint64_t step = self->alone.step[thread];
    const struct ts_gdb_point *met = ts_gdb_meets(points, thread, at);
    if (!self->alone.stopped[thread] &&
        (met || (fresh && (ts_gdb_breaks(points, thread, at->pc) ||
                           (step != UINT64_MAX && step != at->done)))))
        ts_gdb_stop_alone(self, thread, met);
    return self->alone.stopped[thread];
}

static bool follow(void *context, struct ts_rv_core *core, const struct ts_rv_following *at)
{
    struct ts_gdb *self = context;
    struct ts_gdb_shared *shared = self->shared;
    const struct ts_tile *tile = core->bus->context;
    const uint32_t thread = self->number[tile->domain->index] * TS_RV_CORES + core->id;
    const uint64_t seen = 2 * (at->done + 1) + (at->loads || at->stores);
    const bool fresh = self->last[thread] / 2 != seen / 2;
    if (shared->task == TS_GDB_FREE || (self->last[thread] >= seen && !fresh))
        return self->alone.on && self->alone.stopped[thread]; // as before
    self->last[thread] = seen;
    self->now = tile->domain->now;
    if (self->alone.on)
        return follow_alone(self, thread, at, fresh);
    self->machine.inside_thread = thread;
    self->machine.inside = (struct ts_gdb_place){at->done, at->pc};
    const bool goal = thread == shared->goal.thread;
    const struct ts_gdb_point *met = ts_gdb_meets(&shared->points, thread, at);
    const bool breaks = fresh && ts_gdb_breaks(&shared->points, thread, at->pc);
    switch (shared->task) {
    case TS_GDB_STEP:
    case TS_GDB_RUN:
        if (met || breaks || (shared->task == TS_GDB_STEP && goal && at->done != shared->goal.done))
            stop(self, thread, met);
        break;
    case TS_GDB_TO:
        if (goal && at->done == shared->goal.done)
            stop(self, thread, shared->watch);
        break;
    case TS_GDB_SEARCH:
        if (goal && at->done == shared->goal.done)
            end_search(self);
        if (shared->back == UINT32_MAX ? breaks || met
                                       : thread == shared->back && at->done < shared->back_done) {
            shared->found = ts_gdb_here(self);
            shared->watch = met;
        }
        break;
    case TS_GDB_FREE:
        break;
    }
    self->machine.inside_thread = UINT32_MAX;
    return false;
}

// --- between two windows ---

// Who has changed what is watched. RISC-V gdb takes it for the one that is about to, and lets it execute one instruction: so it
// must be a core that goes on.
static uint32_t writer(const struct ts_gdb *self, const struct ts_gdb_point *watch)
{
    const uint32_t first = watch->thread / TS_RV_CORES * TS_RV_CORES;
    const struct ts_tile *tile = self->machine.tiles[watch->thread / TS_RV_CORES];
    struct ts_l1_writer known = {0};
    if (ts_l1_contains(watch->address, watch->length))
        known = ts_l1_writer(&tile->l1, watch->address);
    else if (!ts_rv_core_view(ts_gdb_core(&self->machine, watch->thread)).ended)
        return watch->thread;
    const unsigned core = (unsigned)known.last.by - TS_BY_CORE;
    if (known.state == TS_L1_KNOWN && core < TS_RV_CORES &&
        !ts_rv_core_view(&tile->cores[core]).ended)
        return first + core;
    for (uint32_t i = first; i < first + TS_RV_CORES; i++)
        if (!ts_rv_core_view(ts_gdb_core(&self->machine, i)).ended)
            return i;
    return watch->thread;
}

// In non-stop: gdb is answered while the machine runs.
static void between_alone(struct ts_gdb *self)
{
    const struct ts_gdb_point *watch = ts_gdb_watch(&self->machine, &self->shared->points);
    const struct ts_gdb_event *event = ts_gdb_happened(&self->looker, &self->machine);
    if (watch)
        ts_gdb_stop_alone(self, writer(self, watch), watch);
    if (event)
        ts_gdb_stop_alone(self, tell(self, event), NULL);
    ts_gdb_serve(self, "", false);
}

// `hung`: nothing will happen any more.
static void between(struct ts_gdb *self, bool hung)
{
    struct ts_gdb_shared *shared = self->shared;
    const struct ts_gdb_point *watch = ts_gdb_watch(&self->machine, &shared->points);
    const struct ts_gdb_event *event = ts_gdb_happened(&self->looker, &self->machine);
    const bool there = shared->goal.thread == UINT32_MAX && self->now >= shared->goal.cycle;
    switch (shared->task) {
    case TS_GDB_RUN:
    case TS_GDB_STEP:
        if (watch || event || hung || ts_gdb_interrupted(&shared->wire))
            stop(self,
                 watch   ? writer(self, watch)
                 : event ? tell(self, event)
                         : shared->general,
                 watch);
        break;
    case TS_GDB_TO:
        if (there || hung)
            stop(self, shared->watch ? writer(self, shared->watch) : shared->general,
                 shared->watch);
        break;
    case TS_GDB_SEARCH:
        if (there || hung)
            end_search(self);
        if ((watch || event) && shared->back == UINT32_MAX) { // going back it stops before that
            shared->found = (struct ts_gdb_moment){self->before, UINT32_MAX, 0};
            shared->watch = watch;
        }
        break;
    case TS_GDB_FREE:
        break;
    }
}

static bool begin(struct ts_gdb *self, const struct ts_kernel *kernel, ts_cycle now)
{
    self->number = calloc(ts_kernel_domain_count(kernel), sizeof *self->number);
    if (self->number == NULL || !ts_gdb_machine_init(&self->machine, kernel))
        return false;
    self->last = calloc(ts_gdb_threads(&self->machine), sizeof *self->last);
    self->shared->wire.socket = ts_gdb_door_wait(&self->door);
    if (self->last == NULL || self->shared->wire.socket < 0 ||
        !ts_gdb_looker_init(&self->looker, &self->machine, &self->shared->events))
        return false;
    for (uint32_t i = 0; i < ts_gdb_threads(&self->machine); i++) {
        struct ts_rv_core *core = ts_gdb_core(&self->machine, i);
        self->number[core->component.domain->index] = i / TS_RV_CORES;
        core->follow = follow;
        core->follower = self;
    }
    ts_gdb_machine_in_time(&self->machine, now);
    return true;
}

// Only writes and events need every cycle.
static ts_cycle next_look(const struct ts_gdb *self)
{
    const struct ts_gdb_shared *shared = self->shared;
    ts_cycle next = self->now + (shared->events.count ? 1 : POLL_EVERY);
    for (uint32_t i = 0; i < shared->points.count; i++)
        if (shared->points.point[i].kind == TS_GDB_WRITE)
            next = self->now + 1;
    if (shared->goal.thread == UINT32_MAX && shared->goal.cycle > self->now &&
        shared->goal.cycle < next)
        next = shared->goal.cycle;
    return shared->task == TS_GDB_FREE ? TS_NEVER : next;
}

static ts_cycle look(void *context, struct ts_kernel *kernel, ts_cycle now)
{
    struct ts_gdb *self = context;
    struct ts_gdb_shared *shared = self->shared;
    if (self->kernel == NULL) {
        self->kernel = kernel;
        self->now = now;
        if (!begin(self, kernel, now))
            return TS_NEVER;
        ts_travel_take(self->travel, kernel, now);
        // The first process asks what to do; the first snapshot has the answer.
        if (shared->task == TS_GDB_FREE) {
            shared->task = TS_GDB_TO;
            ts_gdb_serve(self, "", false);
            return next_look(self);
        }
    }
    if (kernel != self->kernel || shared->task == TS_GDB_FREE)
        return TS_NEVER;
    self->before = self->now;
    self->now = now;
    if (self->alone.on) {
        between_alone(self);
        return next_look(self);
    }
    if (shared->keep)
        ts_travel_take(self->travel, kernel, now);
    shared->keep = false;
    ts_travel_look(self->travel, kernel, now);
    between(self, false);
    return next_look(self);
}

// Nothing is due, but a core that gdb has stopped could go on.
static bool holds(void *context, struct ts_kernel *kernel, bool look)
{
    struct ts_gdb *self = context;
    bool stopped = false;
    if (kernel != self->kernel || !self->alone.on || self->shared->task == TS_GDB_FREE)
        return false;
    for (uint32_t i = 0; i < ts_gdb_threads(&self->machine); i++)
        stopped |= self->alone.stopped[i] && ts_rv_core_view(ts_gdb_core(&self->machine, i)).halted;
    if (stopped && !look)
        ts_gdb_serve(self, "", true);
    return stopped;
}

static void look_at_hang(void *context, struct ts_kernel *kernel, ts_cycle now)
{
    struct ts_gdb *self = context;
    if (kernel != self->kernel || self->shared->task == TS_GDB_FREE)
        return;
    self->now = now;
    if (self->alone.on)
        between_alone(self);
    else
        between(self, true);
}

// --- begin and end ---

bool ts_gdb_start(const char *where, bool one, struct ts_error *error)
{
    struct ts_gdb *self = calloc(1, sizeof *self);
    if (self)
        self->travel = ts_travel_new(SNAPSHOTS, sizeof *self->shared);
    if (self == NULL || self->travel == NULL) {
        free(self);
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    }
    self->shared = ts_travel_shared(self->travel);
    self->shared->task = TS_GDB_FREE;
    self->shared->one = one;
    self->shared->goal.thread = UINT32_MAX;
    if (!ts_gdb_door_open(&self->door, where, error)) {
        free(self);
        return false;
    }
    fprintf(stderr, "gdb: target remote %s\n", self->door.place);
    ts_kernel_between(&(struct ts_bystander){
        .call = look, .hung = look_at_hang, .holds = holds, .context = self});
    server = self;
    return true;
}

// A monitor command was to go further than the run: back to its last cycle.
static _Noreturn void end_of_monitor(struct ts_gdb *self)
{
    ts_gdb_console(&self->shared->wire, "the run ends before that: this is its last cycle\n");
    ts_gdb_go(self, (struct ts_gdb_moment){self->before, UINT32_MAX, 0});
}

void ts_gdb_end(int code)
{
    char text[32], packet[TS_GDB_PACKET];
    if (server == NULL)
        return;
    ts_gdb_door_close(&server->door); // nobody came
    struct ts_gdb_wire *wire = &server->shared->wire;
    const bool there = server->kernel && server->shared->task != TS_GDB_FREE;
    snprintf(text, sizeof text, "%sW%02x", server->alone.on ? "Stop:" : "", (unsigned)code & 0xff);
    if (there && server->alone.on) {
        ts_gdb_notify(wire, text);
        if (ts_gdb_receive(wire, packet) > 0) // vStopped: there is nothing else
            ts_gdb_send(wire, "OK", 2);
    } else if (there) {
        if (server->shared->quiet)
            end_of_monitor(server);
        ts_gdb_send(wire, text, strlen(text));
    }
    ts_travel_end(server->travel);
}
