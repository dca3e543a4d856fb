// When the machine stops, and who it goes back in time for.
#include "platform/gdb/gdb.h"

#include "cores/riscv/view.h"
#include "platform/gdb/state.h"
#include "platform/kernel/between.h"
#include "platform/kernel/domain.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
    ts_gdb_stop(self, thread, watch, reply, sizeof reply);
    if (self->shared->quiet)
        snprintf(reply, sizeof reply, "OK");
    self->shared->quiet = false;
    ts_gdb_serve(self, reply);
}

// --- before an instruction ---

static void follow(void *context, struct ts_rv_core *core, uint32_t pc, uint64_t done)
{
    struct ts_gdb *self = context;
    struct ts_gdb_shared *shared = self->shared;
    const struct ts_tile *tile = core->bus->context;
    const uint32_t thread = self->number[tile->domain->index] * TS_RV_CORES + core->id;
    if (shared->task == TS_GDB_FREE || self->last[thread] == done + 1)
        return; // as before
    self->last[thread] = done + 1;
    self->now = tile->domain->now;
    self->machine.inside_thread = thread;
    self->machine.inside = (struct ts_gdb_place){done, pc};
    const bool goal = thread == shared->goal.thread;
    switch (shared->task) {
    case TS_GDB_STEP:
    case TS_GDB_RUN:
        if (ts_gdb_breaks(&shared->points, thread, pc) ||
            (shared->task == TS_GDB_STEP && goal && done != shared->goal.done))
            stop(self, thread, NULL);
        break;
    case TS_GDB_TO:
        if (goal && done == shared->goal.done)
            stop(self, thread, NULL);
        break;
    case TS_GDB_SEARCH:
        if (goal && done == shared->goal.done)
            end_search(self);
        if (shared->back == UINT32_MAX ? ts_gdb_breaks(&shared->points, thread, pc)
                                       : thread == shared->back && done < shared->back_done) {
            shared->found = ts_gdb_here(self);
            shared->watch = NULL;
        }
        break;
    case TS_GDB_FREE:
        break;
    }
    self->machine.inside_thread = UINT32_MAX;
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

// `hung`: nothing will happen any more.
static void between(struct ts_gdb *self, bool hung)
{
    struct ts_gdb_shared *shared = self->shared;
    const struct ts_gdb_point *watch = ts_gdb_watch(&self->machine, &shared->points);
    const bool there = shared->goal.thread == UINT32_MAX && self->now >= shared->goal.cycle;
    switch (shared->task) {
    case TS_GDB_RUN:
    case TS_GDB_STEP:
        if (watch || hung || ts_gdb_interrupted(&shared->wire))
            stop(self, watch ? writer(self, watch) : shared->general, watch);
        break;
    case TS_GDB_TO:
        if (there || hung)
            stop(self, shared->watch ? writer(self, shared->watch) : shared->general,
                 shared->watch);
        break;
    case TS_GDB_SEARCH:
        if (there || hung)
            end_search(self);
        if (watch && shared->back == UINT32_MAX) { // going back it stops before the write
            shared->found = (struct ts_gdb_moment){self->before, UINT32_MAX, 0};
            shared->watch = watch;
        }
        break;
    case TS_GDB_FREE:
        break;
    }
}

static bool connect_gdb(struct ts_gdb *self)
{
    int yes = 1;
    int socket = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    close(self->listener);
    self->shared->wire.socket = socket;
    return socket >= 0;
}

static bool begin(struct ts_gdb *self, const struct ts_kernel *kernel, ts_cycle now)
{
    self->number = calloc(ts_kernel_domain_count(kernel), sizeof *self->number);
    if (self->number == NULL || !ts_gdb_machine_init(&self->machine, kernel))
        return false;
    self->last = calloc(ts_gdb_threads(&self->machine), sizeof *self->last);
    if (self->last == NULL || !connect_gdb(self))
        return false;
    for (uint32_t i = 0; i < ts_gdb_threads(&self->machine); i++) {
        struct ts_rv_core *core = ts_gdb_core(&self->machine, i);
        self->number[core->component.domain->index] = i / TS_RV_CORES;
        core->follow = follow;
        core->follower = self;
        ts_rv_debug_attach(core, now);
    }
    return true;
}

// Only writes need every cycle.
static ts_cycle next_look(const struct ts_gdb *self)
{
    const struct ts_gdb_shared *shared = self->shared;
    ts_cycle next = self->now + POLL_EVERY;
    for (uint32_t i = 0; i < shared->points.count; i++)
        if (shared->points.point[i].watch)
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
            ts_gdb_serve(self, "");
            return next_look(self);
        }
    }
    if (kernel != self->kernel || shared->task == TS_GDB_FREE)
        return TS_NEVER;
    self->before = self->now;
    self->now = now;
    ts_travel_look(self->travel, kernel, now);
    between(self, false);
    return next_look(self);
}

static void look_at_hang(void *context, struct ts_kernel *kernel, ts_cycle now)
{
    struct ts_gdb *self = context;
    if (kernel != self->kernel || self->shared->task == TS_GDB_FREE)
        return;
    self->now = now;
    between(self, true);
}

// --- begin and end ---

bool ts_gdb_start(uint16_t port, struct ts_error *error)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int yes = 1;
    struct ts_gdb *self = calloc(1, sizeof *self);
    if (self)
        self->travel = ts_travel_new(SNAPSHOTS, sizeof *self->shared);
    if (self == NULL || self->travel == NULL) {
        free(self);
        ts_fail(error, TS_NO_MEMORY, "out of memory");
        return false;
    }
    self->shared = ts_travel_shared(self->travel);
    self->shared->task = TS_GDB_FREE;
    self->shared->goal.thread = UINT32_MAX;
    self->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(self->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (self->listener < 0 || bind(self->listener, (struct sockaddr *)&address, length) != 0 ||
        listen(self->listener, 1) != 0 ||
        getsockname(self->listener, (struct sockaddr *)&address, &length) != 0) {
        ts_fail(error, TS_SETUP, "--gdb: port %u: %s", port, strerror(errno));
        free(self);
        return false;
    }
    fprintf(stderr, "gdb: target remote 127.0.0.1:%u\n", ntohs(address.sin_port));
    ts_kernel_between(look, look_at_hang, self);
    server = self;
    return true;
}

void ts_gdb_end(int code)
{
    char text[16];
    if (server == NULL)
        return;
    snprintf(text, sizeof text, "W%02x", (unsigned)code & 0xff);
    if (server->kernel && server->shared->task != TS_GDB_FREE)
        ts_gdb_send(&server->shared->wire, text, strlen(text));
    ts_travel_end(server->travel);
}
