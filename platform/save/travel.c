#include "platform/save/travel.h"

#include "platform/base/clock.h"
#include "platform/kernel/between.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define GAP_NS     20000000 // between two snapshots, of the host's time
#define GAP_CYCLES 1000
#define LOOK_MS    1000 // whether the first process is still there, and the one that runs

enum order { WAKE = 'w', END = 'e' };

struct place {
    ts_cycle at;
    bool taken;
    int pipe[2]; // the same in all processes
};

// Shared by all processes.
struct ts_travel {
    unsigned count;
    size_t size;
    uint64_t last_ns; // when the last snapshot was taken
    pid_t first;      // the process that the user started: it ends last
    pid_t runs;       // the one that runs
    struct place places[];
};

struct ts_travel *ts_travel_new(unsigned count, size_t bytes)
{
    const size_t own = (sizeof(struct ts_travel) + count * sizeof(struct place) + 63) / 64 * 64;
    struct ts_travel *self = mmap(NULL, own + bytes, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (self == MAP_FAILED)
        return NULL;
    self->count = count;
    self->size = own;
    self->first = self->runs = getpid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (unsigned i = 0; i < count; i++)
        if (pipe(self->places[i].pipe) != 0)
            return NULL;
    return self;
}

void *ts_travel_shared(const struct ts_travel *self)
{
    return (char *)self + self->size;
}

static void order(const struct place *place, enum order what)
{
    char byte = (char)what;
    while (write(place->pipe[1], &byte, 1) < 0 && errno == EINTR)
        ;
}

static void give_up(struct place *place)
{
    if (place->taken)
        order(place, END);
    place->taken = false;
}

// Has a copy of this snapshot that was the one to run come to an end without saying so?
static bool lost(const struct ts_travel *self)
{
    siginfo_t ended = {.si_pid = 0};
    return waitid(P_PID, (id_t)self->runs, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == self->runs;
}

// The snapshot: returns in every copy that is to run.
static void sleep_here(struct ts_travel *self, struct place *place, struct ts_kernel *kernel)
{
    for (;;) {
        char byte = END;
        struct pollfd ready = {place->pipe[0], POLLIN, 0};
        while (poll(&ready, 1, LOOK_MS) <= 0) {
            if (kill(self->first, 0) != 0)
                _exit(0); // the user has killed it
            if (lost(self))
                ts_travel_end(self); // and the first one hears of it
        }
        while (read(place->pipe[0], &byte, 1) < 0 && errno == EINTR)
            ;
        if (byte == END)
            _exit(0);
        // The copy is reaped when this process has ended, by the first one.
        if (fork() == 0) {
            self->runs = getpid();
            if (!ts_kernel_threads_return(kernel))
                _exit(TS_SETUP);
            return;
        }
    }
}

void ts_travel_take(struct ts_travel *self, struct ts_kernel *kernel, ts_cycle now)
{
    struct place *place = NULL;
    unsigned taken = 0;
    for (unsigned i = 0; i < self->count; i++) {
        if (self->places[i].taken && self->places[i].at == now)
            return;
        if (!self->places[i].taken)
            place = &self->places[i];
        taken += self->places[i].taken;
    }
    if (place == NULL) { // every second one goes, not the first
        for (ts_cycle at = 0, skip = 0; place == NULL || taken > self->count / 2; skip ^= 1) {
            struct place *next = NULL;
            for (unsigned i = 0; i < self->count; i++)
                if (self->places[i].taken && self->places[i].at > at &&
                    (next == NULL || self->places[i].at < next->at))
                    next = &self->places[i];
            if (next == NULL)
                break;
            at = next->at;
            if (skip)
                continue;
            give_up(next);
            place = next;
            taken--;
        }
        if (place == NULL)
            return;
    }
    fflush(NULL);
    ts_kernel_trace_wait(kernel);
    pid_t child = fork();
    if (child < 0)
        return;
    if (child == 0) {
        signal(SIGINT, SIG_IGN);
        sleep_here(self, place, kernel);
        signal(SIGINT, SIG_DFL);
        return;
    }
    place->at = now;
    place->taken = true;
    self->last_ns = ts_nanoseconds();
}

void ts_travel_look(struct ts_travel *self, struct ts_kernel *kernel, ts_cycle now)
{
    ts_cycle last = 0;
    for (unsigned i = 0; i < self->count; i++)
        if (self->places[i].taken && self->places[i].at <= now && self->places[i].at > last)
            last = self->places[i].at;
    if (now - last < GAP_CYCLES || ts_nanoseconds() - self->last_ns < GAP_NS)
        return;
    for (unsigned i = 0; i < self->count; i++) // behind us: we have been here before
        if (self->places[i].taken && self->places[i].at >= now)
            return;
    ts_travel_take(self, kernel, now);
}

bool ts_travel_before(const struct ts_travel *self, ts_cycle cycle, ts_cycle *at)
{
    bool found = false;
    for (unsigned i = 0; i < self->count; i++)
        if (self->places[i].taken && self->places[i].at < cycle &&
            (!found || self->places[i].at > *at)) {
            *at = self->places[i].at;
            found = true;
        }
    return found;
}

_Noreturn void ts_travel_go(struct ts_travel *self, ts_cycle at)
{
    fflush(NULL);
    for (unsigned i = 0; i < self->count; i++)
        if (self->places[i].taken && self->places[i].at == at)
            order(&self->places[i], WAKE);
    if (getpid() != self->first)
        _exit(TS_OK);
    int status = 0, code = TS_BUG;
    for (pid_t child; (child = wait(&status)) > 0 || errno == EINTR;)
        if (child > 0 && child == self->runs) {
            code = WIFEXITED(status) ? WEXITSTATUS(status) : TS_SIGNAL + WTERMSIG(status);
            ts_travel_end(self);
        }
    _exit(code);
}

void ts_travel_forget(struct ts_travel *self, ts_cycle after)
{
    for (unsigned i = 0; i < self->count; i++)
        if (self->places[i].taken && self->places[i].at > after)
            give_up(&self->places[i]);
}

void ts_travel_end(struct ts_travel *self)
{
    for (unsigned i = 0; i < self->count; i++)
        give_up(&self->places[i]);
}
