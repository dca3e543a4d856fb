// The watchdog of tiles; see watchdog.h.
#include "platform/tile/watchdog.h"

#include "cores/riscv/walk.h"
#include "platform/kernel/between.h"
#include "platform/kernel/cluster.h"
#include "platform/tile/far.h"
#include "platform/tile/tile.h"

// Looks until the first search for livelocks; the next ones after twice as many each. So their cost
// does not count, and a livelock is found before the run has doubled. A loop over the network, or one with
// a delay, cannot be followed from every one of its states: a few looks in a row.
#define LIVELOCK_LOOKS 16
#define FAR_LOOKS      4

const struct ts_rv_core *ts_core_of(const struct ts_component *component)
{
    if (strcmp(component->ops->kind, "riscv") != 0)
        return NULL;
    return (const struct ts_rv_core *)component;
}

// Registers that can be read without side effects and that do not change by themselves.
bool ts_tile_look(void *context, unsigned core, uint32_t address, unsigned size, uint32_t *value)
{
    struct ts_tile *tile = context;
    uint32_t page = (address - TS_RV_MMIO_BASE) >> 12;
    if (address < TS_RV_MMIO_BASE || page >= TS_RV_MMIO_PAGES)
        return false;
    enum ts_device device = (enum ts_device)tile->device[page];
    bool trisc = core >= TS_RV_TRISC0 && core <= TS_RV_TRISC2;
    struct ts_rv_reply reply = {0};
    ts_cycle now = tile->domain->now + 1; // changes in this cycle are visible
    switch (device) {
    case TS_DEVICE_PCBUF0:
    case TS_DEVICE_PCBUF1:
    case TS_DEVICE_PCBUF2: // semaphores; all else waits or counts as an access
        if (!trisc || (address & 0xffff) < 0x20)
            return false;
        device = TS_DEVICE_PCBUF0;
        break;
    case TS_DEVICE_MAILBOX:
        if (!(address & 4) || core >= TS_MAIL_CORES ||
            ts_mail_load(&tile->queues, core, address, now, &reply) != TS_RV_DONE)
            return false;
        *value = reply.value;
        return true;
    case TS_DEVICE_NOC0:
    case TS_DEVICE_NOC1:
    case TS_DEVICE_OVERLAY:
    case TS_DEVICE_ETH:
        break;
    default:
        return false;
    }
    const struct ts_window *window = &tile->window[device];
    if (window->load == NULL || size != 4 ||
        window->load(window->context, core, address, size, now, &reply) != TS_RV_DONE)
        return false;
    *value = reply.value;
    return true;
}

bool ts_core_spins(const struct ts_rv_core *core, struct ts_rv_spin *spin)
{
    return ts_rv_spins(core, ts_tile_look, core->bus->context, spin);
}

bool ts_look_at_clock(struct ts_watch_steps *self, uint32_t address, unsigned size, uint32_t *value)
{
    if (size != 4 || (address != TS_RV_WALL_CLOCK && address != TS_RV_WALL_CLOCK + 8))
        return false;
    self->time += address == TS_RV_WALL_CLOCK ? self->step : 0;
    *value = address == TS_RV_WALL_CLOCK ? self->time : 0;
    return true;
}

enum ts_delays ts_delays(const struct ts_rv_spin *spin)
{
    bool polls = false, delays = false;
    for (uint32_t i = 0; i < spin->polls; i++) {
        bool time = spin->poll[i].address - TS_RV_WALL_CLOCK <= 8;
        polls |= !time;
        delays |= time;
    }
    return !delays ? TS_DELAYS_NOT : polls ? TS_DELAYS_POLLS : TS_DELAYS_ONLY;
}

struct clocked {
    struct ts_tile *tile;
    struct ts_watch_steps clock;
};

static bool look_with_clock(void *context, unsigned core, uint32_t address, unsigned size,
                            uint32_t *value)
{
    struct clocked *self = context;
    return ts_look_at_clock(&self->clock, address, size, value) ||
           ts_tile_look(self->tile, core, address, size, value);
}

bool ts_core_drifts(const struct ts_rv_core *core, struct ts_rv_spin *spin,
                    struct ts_rv_drift *drift)
{
    struct ts_tile *tile = core->bus->context;
    for (unsigned i = 0; i < 2; i++) {
        struct clocked clock = {tile, ts_steps(tile->domain->now, i)};
        const struct ts_rv_world world = {look_with_clock, NULL, &clock};
        if (!ts_rv_drifts(core, &world, spin, drift))
            return false;
        const enum ts_delays delays = ts_delays(spin);
        if (delays != TS_DELAYS_POLLS)
            return delays == TS_DELAYS_NOT;
    }
    return true;
}

static bool is_core(const struct ts_component *component, void *context)
{
    (void)context;
    return ts_core_of(component) != NULL;
}

// A core whose load and store both wait retries in every cycle.
static bool waits_twice(const struct ts_rv_core *core)
{
    return core->component.asleep == TS_BLOCKED && core->pending && core->store_blocked &&
           core->wait.until == 0 && core->store_wait.until == 0;
}

// A core that goes round in a loop of its own, and counts: until the count has run out, a look finds nothing. It is proved again
// after a while, because others may change the code or stop the core.
#define COUNTING (64 * TS_WATCH_PERIOD)
struct counting {
    const struct ts_rv_core *core;
    ts_cycle until;
    uint32_t first, last; // its pcs
};

struct seen {
    struct counting *counting;
    bool patient;          // look for livelocks too
    uint64_t instructions; // of the cores with two waits; of those that poll, the last store taken
    bool twice;            // a core waits twice, or polls while a store of its own waits
    const struct ts_rv_core *stale; // polls a stale value in its L0 cache
    uint32_t stale_pc, stale_address;
};

bool ts_core_read_by_others(const struct ts_rv_core *core, uint32_t address)
{
    const struct ts_tile *tile = core->bus->context;
    for (uint32_t i = 0; i < tile->l1.watch_count; i++) {
        const struct ts_l1_watch *watch = &tile->l1.watches[i];
        if (watch->context != core && address / TS_L1_GRANULE - watch->granule <= watch->more)
            return true;
    }
    for (unsigned c = 0; c < TS_RV_CORES; c++) {
        const struct ts_rv_core *other = &tile->cores[c];
        struct ts_rv_spin spin;
        struct ts_rv_drift drift;
        if (other == core || ts_rv_core_view(other).ended ||
            (!ts_core_spins(other, &spin) && !ts_core_drifts(other, &spin, &drift)))
            continue;
        for (uint32_t i = 0; i < spin.polls; i++)
            if (spin.poll[i].address / 4 == address / 4)
                return true;
        if (spin.polls == TS_SPIN_POLLS)
            return true; // there may be more
    }
    return false;
}

// A loop that polls forever, and whose words nobody reads. A loop without a poll waits for nothing.
static bool drifts(const struct ts_rv_core *core, struct ts_rv_spin *spin)
{
    struct ts_rv_drift drift;
    if (!ts_core_drifts(core, spin, &drift) || spin->polls == 0)
        return false;
    for (uint32_t i = 0; i < drift.stores; i++)
        if (ts_core_read_by_others(core, drift.store[i]))
            return false;
    return true;
}

// Does it count, and goes on for longer than a walk follows it? Asked when such a walk has not ended. Time is the core's own.
static bool counts(struct counting *self, const struct ts_rv_core *core)
{
    if (core == self->core && core->t < self->until)
        return core->pc - self->first <= self->last - self->first && !core->held;
    *self = (struct counting){.core = core};
    uint64_t cycles = ts_rv_counts(core, &self->first, &self->last);
    cycles = cycles > TS_SPIN_STEPS ? cycles - TS_SPIN_STEPS : 0;
    self->until = core->t + (cycles < COUNTING ? cycles : COUNTING);
    return false;
}

static bool spins(const struct ts_component *component, void *context)
{
    struct ts_rv_spin spin;
    struct seen *seen = context;
    const struct ts_rv_core *core = ts_core_of(component);
    if (core != NULL && waits_twice(core)) {
        seen->twice = true;
        seen->instructions += core->instret + component->object.id;
        return true;
    }
    if (core == NULL)
        return false;
    if (core == seen->counting->core && counts(seen->counting, core))
        return false;
    const bool same = ts_core_spins(core, &spin);
    if (!same && !(seen->patient && drifts(core, &spin))) {
        if (spin.steps == TS_SPIN_STEPS)
            counts(seen->counting, core);
        return false;
    }
    if (same && core->store_count != 0) {
        seen->twice = true;
        seen->instructions += core->store_next + core->store_count + component->object.id;
    }
    if (spin.stale_pc) {
        seen->stale = core;
        seen->stale_pc = spin.stale_pc;
        seen->stale_address = spin.stale_address;
    }
    return true;
}

static bool hang(const struct ts_kernel *kernel, struct counting *counting, struct seen *seen,
                 bool patient)
{
    *seen = (struct seen){.counting = counting, .patient = patient};
    // First the cheap check: is any component awake that is not a core?
    return ts_kernel_quiet(kernel, is_core, NULL) && ts_kernel_quiet(kernel, spins, seen);
}

// The same in a cluster: first every process looks at what it has.
static bool all_hang(struct ts_kernel *kernel, struct counting *counting, struct seen *seen,
                     bool patient)
{
    bool here = hang(kernel, counting, seen, patient);
    if (!ts_kernel_is_cluster(kernel))
        return here;
    if (!ts_kernel_all(kernel, here))
        return false;
    ts_kernel_gather(kernel);
    return hang(kernel, counting, seen, patient);
}

static bool all_hang_far(struct ts_kernel *kernel)
{
    bool here = ts_far_hang(kernel);
    if (!ts_kernel_is_cluster(kernel))
        return here;
    if (!ts_kernel_all(kernel, here))
        return false;
    ts_kernel_gather(kernel);
    return ts_far_hang(kernel);
}

static struct ts_run watched(struct ts_kernel *kernel, ts_cycle limit)
{
    struct seen before = {0};
    struct counting counting = {0};
    uint64_t looks = 0;
    for (;;) {
        ts_cycle next = ts_kernel_reached(kernel) + TS_WATCH_PERIOD;
        next -= next % TS_WATCH_PERIOD; // the same cycles for any earlier limits
        struct ts_run run = ts_kernel_advance(kernel, next < limit ? next : limit);
        if (run.stop != TS_STOP_LIMIT || run.cycle >= limit)
            return run;
        struct seen seen;
        if (ts_kernel_held(kernel)) { // by a debugger: waiting for that is no hang
            before = (struct seen){0};
            continue;
        }
        looks++;
        uint64_t power = LIVELOCK_LOOKS;
        while (2 * power <= looks)
            power *= 2;
        bool patient = looks - power < FAR_LOOKS;
        if (looks - power < FAR_LOOKS && all_hang_far(kernel)) {
            run.stop = TS_STOP_DEADLOCK;
            return run;
        }
        if (!all_hang(kernel, &counting, &seen, patient)) {
            before = (struct seen){0};
            continue;
        }
        // A core that waits twice has retried throughout a complete period without success.
        if (!seen.twice || (before.twice && before.instructions == seen.instructions)) {
            run.stop = TS_STOP_DEADLOCK;
            if (seen.stale && seen.stale->bus->ops->stale) {
                // The core ran ahead of the write: only now can the stale value be reported.
                seen.stale->bus->ops->stale(seen.stale->bus->context, seen.stale->id, seen.stale_pc,
                                            seen.stale_address, run.cycle);
                struct ts_run again = ts_kernel_advance(kernel, run.cycle + 1);
                return again.stop == TS_STOP_FAULT ? again : run;
            }
            return run;
        }
        before = seen;
    }
}

struct ts_run ts_watched_run(struct ts_kernel *kernel, ts_cycle limit)
{
    struct ts_run run = watched(kernel, limit);
    ts_kernel_close(kernel, &run);
    return run;
}
