// The semaphores and Manual TTSync of the coprocessor, as TRISCs load and store them (windows.h). A
// load from TTSync waits until the thread has nothing in flight.
//
// Source: tt-isa-documentation BlackholeA0/TensixTile/BabyRISCV/README.md, ManualTTSync.md.
#include "platform/tile/follow.h"
#include "platform/tile/lints.h"
#include "platform/tile/windows.h"

enum { DRAINED = 0x4, MOP_DRAINED = 0x8, SEMAPHORES = 0x20 };

TS_WINDOW_LOAD(ts_semaphore_load)
{
    struct ts_tile *self = tile;
    (void)size;
    uint32_t offset = address & 0xffff;
    if (!ts_is_trisc(core))
        return ts_tile_refuse(reply, TS_CONTRACT, "load from 0x%08x by a core that is no TRISC",
                              address);
    struct ts_frontend *front = &self->front[core - TS_RV_TRISC0];
    if (offset >= SEMAPHORES && offset < SEMAPHORES + 4 * TS_SEMAPHORES) {
        struct ts_sync_semaphore *s = &self->sync.semaphore[(offset - SEMAPHORES) / 4];
        reply->value = ts_sync_value(s, now);
        // Every change wakes the waiters: a polling core may be asleep.
        reply->settled = s->changed != now;
        reply->object = &s->object;
        return TS_RV_DONE;
    }
    if (offset == DRAINED || offset == MOP_DRAINED) {
        struct ts_hold hold;
        if (!(offset == DRAINED ? ts_frontend_drained(front, now, &hold)
                                : ts_frontend_mop_drained(front, now, &hold)))
            return ts_window_held(&hold, now, reply);
        const struct ts_rv_core *from = &self->cores[core];
        if (__builtin_expect(from->passes_push, 0))
            ts_tile_lint(self, TS_REPORT_SYNC_PASSES_PUSH, TS_BY_CORE + core, from->bus_pc, now,
                         "%s, load from 0x%08x", ts_rv_core_names[core], address);
        return TS_RV_DONE;
    }
    return ts_tile_refuse(reply, TS_CONTRACT, "nothing at 0x%08x", address);
}

TS_WINDOW_STORE(ts_semaphore_store)
{
    struct ts_tile *self = tile;
    (void)size, (void)count;
    uint32_t offset = address & 0xffff;
    if (!ts_is_trisc(core) || offset < SEMAPHORES || offset >= SEMAPHORES + 4 * TS_SEMAPHORES)
        return ts_tile_refuse(reply, TS_CONTRACT, "nothing at 0x%08x", address);
    struct ts_hold hold;
    bool goes = ts_sync_riscv_accept(&self->sync, now, &hold);
    self->sync.caller = (uint8_t)core;
    if (__builtin_expect(self->follow != NULL, 0))
        self->follow->semaphore(self->follow->context, core, (offset - SEMAPHORES) / 4,
                                words[0] & 1);
    ts_sync_riscv_write(&self->sync, (offset - SEMAPHORES) / 4, words[0], now);
    return goes ? TS_RV_DONE : ts_window_held(&hold, now, reply);
}
