// The watchdog: ends a run of tiles as soon as nothing useful can happen any more.
//
// The kernel detects when everything sleeps. Cores that poll something other than one word of L1 do
// not sleep: every TS_WATCH_PERIOD cycles the watchdog checks whether only such cores are left, and
// requires a proof that each loops forever unless another agent acts (cores/riscv/spin.h). Slow
// progress is not a hang: a core that waits for a count, or for a time, is never reported. From
// time to time it also looks for livelocks: loops that count their rounds or write signs of life
// that nobody reads (cores/riscv/drift.h), and loops that read over the network (far.h).
#pragma once

#include "cores/riscv/drift.h"
#include "platform/kernel/kernel.h"

#define TS_WATCH_PERIOD 4096

// As ts_kernel_run; a hang ends the run with TS_STOP_DEADLOCK although cores still run.
struct ts_run ts_watched_run(struct ts_kernel *kernel, ts_cycle limit);

// The loop of a core of a tile; false: the core is in none.
bool ts_core_spins(const struct ts_rv_core *core, struct ts_rv_spin *spin);
// The same for a loop that counts its rounds or writes words that nobody else uses.
bool ts_core_drifts(const struct ts_rv_core *core, struct ts_rv_spin *spin,
                    struct ts_rv_drift *drift);
// A wall clock that goes on by a step at each look, for loops that delay between their polls. A proof takes two of them: the
// way must not depend on how fast the clock goes.
struct ts_watch_steps {
    uint32_t time, step;
};
static inline struct ts_watch_steps ts_steps(ts_cycle now, unsigned which)
{
    return (struct ts_watch_steps){(uint32_t)now, 1u << (which ? 24 : 20)};
}
// A load of the clock. False: it is of something else.
bool ts_look_at_clock(struct ts_watch_steps *self, uint32_t address, unsigned size,
                      uint32_t *value);
// Does a loop look at the clock, and at something else?
enum ts_delays { TS_DELAYS_NOT, TS_DELAYS_POLLS, TS_DELAYS_ONLY };
enum ts_delays ts_delays(const struct ts_rv_spin *spin);
// Does another core of its tile read the word in its loop, or does the host follow it?
bool ts_core_read_by_others(const struct ts_rv_core *core, uint32_t address);

// Reads a register of the tile (the context) that has no side effect and does not change by itself.
bool ts_tile_look(void *tile, unsigned core, uint32_t address, unsigned size, uint32_t *value);

// The component as a core of a tile; NULL: another component.
const struct ts_rv_core *ts_core_of(const struct ts_component *component);
