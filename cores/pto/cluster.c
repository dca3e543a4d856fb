#include "cores/pto/cluster.h"

#include "platform/kernel/kernel.h"

#include <stdlib.h>

// The elements of both operands of the largest matmul, four bytes each: L0A and L0B full of int8.
enum { SCRATCH_BYTES = 2 * 4 * 65536 };

static bool make_memories(struct ts_cluster *self)
{
    const struct ts_machine *machine = self->machine;
    for (unsigned mem = 0; mem < TS_MEM_COUNT; mem++) {
        self->size[mem] = mem == TS_MEM_GM ? machine->gm_bytes
                                           : ts_mem_bytes(mem, machine->profile);
        for (unsigned owner = 0; owner < (mem == TS_MEM_UB ? 2u : 1u) && machine->data; owner++) {
            self->mem[mem][owner] = calloc(self->size[mem] + 1, 1);
            if (self->mem[mem][owner] == NULL)
                return false;
        }
    }
    if (!machine->data)
        return true;
    self->scratch = malloc(SCRATCH_BYTES);
    if (machine->clusters > 1)
        self->gm_written = calloc(machine->gm_bytes + 1, 1);
    return self->scratch && (machine->clusters == 1 || self->gm_written);
}

static void make_core(struct ts_cluster *self, unsigned id)
{
    struct ts_core *core = &self->core[id];
    core->cluster = self;
    core->id = id;
    // Pipes step before their scalar unit: what they finish in a cycle it can see in the next one
    // only.
    for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++) {
        ts_resource_init(&core->events[lane], self->domain, NULL, "%s.events[%s]", ts_core_name(id),
                         ts_lane_name(lane));
        if (lane != TS_LANE_S && ts_lane_exists(lane, id))
            ts_lane_init(&core->lane[lane], core, lane);
    }
    // One place for everything that a queue or a pipe can hold.
    core->room = TS_LANE_COUNT * ((uint32_t)self->machine->timing.queue + 1);
    core->board = ts_kernel_alloc(ts_domain_kernel(self->domain), core->room * sizeof *core->board);
    ts_su_init(&core->su, core);
}

bool ts_cluster_init(struct ts_cluster *self, struct ts_domain *domain,
                     const struct ts_machine *machine, uint32_t id)
{
    struct ts_kernel *kernel = ts_domain_kernel(domain);
    self->machine = machine;
    self->domain = domain;
    self->id = id;
    if (!make_memories(self))
        return false;
    ts_flags_init(&self->flags, domain, machine->profile, (ts_cycle)machine->timing.flag,
                  &self->findings);
    for (int half = 0; half < 2; half++) {
        self->ring[half] = ts_kernel_alloc(kernel,
                                           (machine->pipe_count + 1) * sizeof *self->ring[half]);
        for (uint32_t i = 0; i < machine->pipe_count; i++)
            if (ts_direction_has(machine->pipes[i].direction, half == 0))
                ts_ring_init(&self->ring[half][i], domain, &machine->pipes[i], machine->profile,
                             half == 0, &self->findings);
    }
    for (unsigned core = 0; core < TS_CORES; core++)
        make_core(self, core);
    return true;
}

void ts_cluster_free(struct ts_cluster *self)
{
    for (unsigned mem = 0; mem < TS_MEM_COUNT; mem++)
        for (unsigned owner = 0; owner < 2; owner++)
            free(self->mem[mem][owner]);
    free(self->scratch);
    free(self->gm_written);
}

static void restart(struct ts_cluster *self, ts_cycle at)
{
    for (int half = 0; half < 2; half++)
        for (uint32_t i = 0; i < self->machine->pipe_count; i++)
            if (self->ring[half][i].exists)
                ts_ring_restart(&self->ring[half][i], at);
    for (unsigned core = 0; core < TS_CORES; core++) {
        ts_su_reset(&self->core[core].su, self->dispatch);
        ts_wake(&self->core[core].su.base, at);
    }
}

static void check_exit(struct ts_cluster *self, ts_cycle now)
{
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned id = 0; id < TS_FLAG_IDS; id++) {
            const struct ts_flag *flag = ts_flags_look(&self->flags, core, id, TS_NEVER - 1);
            if (flag->count)
                ts_finding_add(
                    &self->findings, TS_FINDING_RESIDUAL, now,
                    "flag %u of %s is %u at exit: the next kernel's first %u waits pass at once",
                    id, ts_core_name(core), flag->count, flag->count);
            for (unsigned aiv = 0; aiv < 2; aiv++)
                if (flag->half[aiv])
                    ts_finding_add(&self->findings, TS_FINDING_RESIDUAL, now,
                                   "flag %u of %s: %u sets of %s that the other AIV never matched",
                                   id, ts_core_name(core), flag->half[aiv],
                                   ts_core_name(TS_CORE_AIV0 + aiv));
        }
    for (int half = 0; half < 2; half++)
        for (uint32_t i = 0; i < self->machine->pipe_count; i++) {
            const struct ts_ring *ring = &self->ring[half][i];
            if (ring->exists && ring->occupancy)
                ts_finding_add(&self->findings, TS_FINDING_UNREAD, now,
                               "pipe %s: %u tiles were never popped", ring->config->name,
                               ring->occupancy);
        }
}

bool ts_cluster_ended(struct ts_cluster *self, ts_cycle now)
{
    if (self->dispatch == self->machine->dispatches)
        return false;
    for (unsigned core = 0; core < TS_CORES; core++)
        if (!self->core[core].su.ended || self->core[core].queued)
            return false;
    check_exit(self, now);
    if (++self->dispatch == self->machine->dispatches)
        return false;
    restart(self, now + 1);
    return true;
}
