// Non-stop: cores that stop alone (state.h).
#include "platform/gdb/state.h"

bool ts_gdb_alone_begin(struct ts_gdb *self)
{
    const uint32_t threads = ts_gdb_threads(&self->machine);
    struct ts_gdb_alone *alone = &self->alone;
    alone->stopped = calloc(threads, sizeof *alone->stopped);
    alone->waits = calloc(threads, sizeof *alone->waits);
    alone->step = calloc(threads, sizeof *alone->step);
    alone->watch = calloc(threads, sizeof *alone->watch);
    if (!alone->stopped || !alone->waits || !alone->step || !alone->watch)
        return false;
    alone->on = true;
    alone->stopped[self->shared->general] = true;
    memset(alone->step, 0xff, threads * sizeof *alone->step);
    return true;
}

bool ts_gdb_anybody_runs(const struct ts_gdb *self)
{
    for (uint32_t i = 0; self->alone.begun && i < ts_gdb_threads(&self->machine); i++)
        if (!self->alone.stopped[i])
            return true;
    return false;
}

bool ts_gdb_next_stop(struct ts_gdb *self, char *text, size_t size)
{
    for (uint32_t i = 0; i < ts_gdb_threads(&self->machine); i++)
        if (self->alone.waits[i]) {
            self->alone.waits[i] = false;
            ts_gdb_stop(self, i, self->alone.watch[i], text, size);
            self->alone.watch[i] = NULL;
            return true;
        }
    return false;
}

void ts_gdb_stop_alone(struct ts_gdb *self, uint32_t thread, const struct ts_gdb_point *watch)
{
    struct ts_gdb_alone *alone = &self->alone;
    char text[256] = "Stop:";
    if (alone->stopped[thread])
        return;
    alone->stopped[thread] = alone->waits[thread] = true;
    alone->step[thread] = UINT64_MAX;
    alone->watch[thread] = watch;
    if (!alone->told && ts_gdb_next_stop(self, text + 5, sizeof text - 5)) {
        alone->told = true;
        ts_gdb_notify(&self->shared->wire, text);
    }
}

void ts_gdb_continue_alone(struct ts_gdb *self, uint32_t thread, bool step)
{
    struct ts_gdb_alone *alone = &self->alone;
    if (!alone->stopped[thread])
        return;
    alone->begun = true;
    alone->stopped[thread] = false;
    alone->step[thread] = step ? ts_gdb_place(&self->machine, thread).done : UINT64_MAX;
    ts_rv_debug_release(ts_gdb_core(&self->machine, thread), self->now);
}

void ts_gdb_alone_end(struct ts_gdb *self)
{
    for (uint32_t i = 0; i < ts_gdb_threads(&self->machine); i++)
        ts_gdb_continue_alone(self, i, false);
    self->alone.on = false;
}
