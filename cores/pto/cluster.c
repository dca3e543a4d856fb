#include "cores/pto/cluster.h"

#include "platform/kernel/kernel.h"

// The elements of both operands of the largest matmul, four bytes each: L0A and L0B full of int8.
enum { SCRATCH_BYTES = 2 * 4 * 65536 };

static bool make_memories(struct ts_cluster *self)
{
    const struct ts_machine *machine = self->machine;
    for (unsigned mem = 0; mem < TS_MEM_COUNT; mem++) {
        self->size[mem] = mem == TS_MEM_GM ? machine->gm_bytes
                                           : ts_mems[mem].bytes[machine->profile];
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
        ts_resource_init(&core->events[lane], self->domain, NULL, "%s.events[%s]",
                         ts_core_names[id], ts_lane_names[lane]);
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
    self->flags.most = (1u << machine->timing.flag_bits) - 1;
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

static bool has_tfree(const struct ts_machine *machine, const struct ts_ring *ring)
{
    const struct ts_code_text *code = &machine->code[ring->c2v];
    for (uint32_t i = 0; i < code->count; i++)
        if (code->insn[i].op == TS_OP_TFREE && &machine->pipes[code->insn[i].pipe] == ring->config)
            return true;
    return false;
}

// Tiles that a zero-copy consumer popped and never gave back. While it still runs, it may do so
// later, if it has a TFREE at all.
static void check_unfreed(struct ts_cluster *self, const struct ts_ring *ring, bool ended,
                          ts_cycle now)
{
    const char *pipe = ring->config->name;
    uint32_t popped = ts_ring_least(ring->popped, ring->readers);
    uint32_t closed = ts_ring_least(ring->closed, ring->readers);
    if (popped > closed && (ended || !has_tfree(self->machine, ring)))
        ts_finding_add(&self->findings, TS_FINDING_NO_TFREE,
                       (struct ts_spot){now, ring->pop_line, pipe},
                       "pipe %s: %s popped %u tile%s and freed %u: a TFREE is missing after the "
                       "last use of each (a zero-copy TPOP keeps its slot until TFREE)",
                       pipe, ring->c2v ? "the Vector cores" : "the Cube", popped,
                       popped == 1 ? "" : "s", closed);
}

// Tiles that nobody popped, or nobody gave back.
static void check_ring(struct ts_cluster *self, const struct ts_ring *ring, ts_cycle now)
{
    const char *pipe = ring->config->name;
    uint32_t filled = ts_ring_least(ring->filled, ring->writers);
    uint32_t popped = ts_ring_least(ring->popped, ring->readers);
    if (filled > popped)
        ts_finding_add(&self->findings, TS_FINDING_UNREAD,
                       (struct ts_spot){now, ring->push_line, pipe},
                       "pipe %s: %u tile%s never popped", pipe, filled - popped,
                       filled - popped == 1 ? " was" : "s were");
    check_unfreed(self, ring, true, now);
}

void ts_cluster_stuck(struct ts_cluster *self, ts_cycle now)
{
    for (int half = 0; half < 2; half++)
        for (uint32_t i = 0; i < self->machine->pipe_count; i++)
            if (self->ring[half][i].exists)
                check_unfreed(self, &self->ring[half][i], false, now);
}

static void check_exit(struct ts_cluster *self, ts_cycle now)
{
    for (unsigned core = 0; core < TS_CORES; core++)
        for (unsigned id = 0; id < TS_FLAG_IDS; id++) {
            const struct ts_flag *flag = ts_flags_look(&self->flags, core, id, TS_NEVER - 1);
            char name[24];
            struct ts_spot spot = {now, flag->line, ts_flag_name(flag, name)};
            if (flag->count)
                ts_finding_add(&self->findings, TS_FINDING_RESIDUAL, spot,
                               "%s is %u at exit: the next kernel's first %u waits pass at once",
                               name, flag->count, flag->count);
            for (unsigned aiv = 0; aiv < 2; aiv++)
                if (flag->half[aiv])
                    ts_finding_add(&self->findings, TS_FINDING_RESIDUAL, spot,
                                   "%s: %u sets of %s that the other AIV never matched", name,
                                   flag->half[aiv], ts_core_names[TS_CORE_AIV0 + aiv]);
        }
    for (int half = 0; half < 2; half++)
        for (uint32_t i = 0; i < self->machine->pipe_count; i++)
            if (self->ring[half][i].exists)
                check_ring(self, &self->ring[half][i], now);
}

bool ts_cluster_ended(struct ts_cluster *self, ts_cycle now)
{
    if (self->dispatch == self->machine->dispatches)
        return false;
    for (unsigned core = 0; core < TS_CORES; core++)
        if (!self->core[core].su.ended || self->core[core].queued)
            return false;
    check_exit(self, now);
    self->ended = now;
    if (++self->dispatch == self->machine->dispatches)
        return false;
    restart(self, now + 1);
    return true;
}
