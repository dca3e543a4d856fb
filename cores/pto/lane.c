// A pipe of a core: takes entries from its queue in order and executes them.
//
//   su --queue--> lane --data--> memories
//                      --set---> local events, cross-core flags
//
// Source: pto-isa docs/isa/vector/pipeline-sync.md, docs/costmodel/perf-sim-user-guide.md.
// Timing: cost.c. A set fires when everything before it on the pipe has retired; an A5 wait
// blocks the pipe and nothing else. The vector pipe pays an instruction's head only when it was
// empty and its tail at the next synchronisation. With the unit flag the fixpipe follows the matmul
// one block of 16 rows behind.
// Inaccuracies: data are read and written when the work retires.
#include "cores/pto/cluster.h"
#include "platform/kernel/kernel.h"

// --- events and flags ---

// Counters of the pipe pair, as published kernels use them; or, as a card showed (PTOAS issue 823), a
// bit that every pipe which waits for this one shares, and that a second set leaves as it is.
static struct ts_local_event *event_of(struct ts_core *self, unsigned from, unsigned to,
                                       unsigned id)
{
    return &self->event[from][self->cluster->machine->event_bits ? TS_LANE_S : to][id];
}

static void set_event(struct ts_core *self, unsigned from, unsigned to, unsigned id, ts_cycle now)
{
    struct ts_local_event *event = event_of(self, from, to, id);
    if (event->stamp != now) {
        event->stamp = now;
        event->fresh = 0;
    }
    if (event->level == 0 || !self->cluster->machine->event_bits) {
        event->fresh++;
        event->level++;
    }
    if (self->events[from].waiters)
        ts_wake_all(&self->events[from], now + 1);
}

static bool take_event(struct ts_core *self, unsigned from, unsigned to, unsigned id, ts_cycle now)
{
    struct ts_local_event *event = event_of(self, from, to, id);
    if (event->level == (event->stamp == now ? event->fresh : 0))
        return false;
    event->level--;
    return true;
}

struct ts_ring *ts_entry_ring(const struct ts_entry *entry)
{
    entry->ring->line = entry->insn->line;
    return entry->ring;
}

static void set_flag(struct ts_core *self, const struct ts_entry *entry, ts_cycle now)
{
    self->cluster->flags.line = entry->insn->line;
    if (entry->credit)
        ts_ring_credit(ts_entry_ring(entry), entry->part, entry->index, now);
    ts_flags_set(&self->cluster->flags, self->id, entry->id, now);
}

// --- steps ---

static void retire(struct ts_lane *self, ts_cycle now)
{
    struct ts_core *core = self->core;
    struct ts_entry *entry = &self->now;
    self->busy = false;
    if (core->cluster->machine->data)
        ts_work(core, entry, now);
    ts_board_remove(core, entry->seq);
    if (entry->role == TS_RING_WRITE)
        ts_ring_write_end(entry->ring, entry->part, entry->index, now);
    else if (entry->role == TS_RING_READ)
        ts_ring_read_end(entry->ring, entry->part, entry->index, now);
    ts_trace_slice(&self->base, ts_ops[entry->insn->op].name, self->start, now);
    if (self->base.object.waiters)
        ts_wake_all(&self->base.object, now + 1);
}

static void finish_entry(struct ts_core *core, ts_cycle now)
{
    if (--core->queued == 0) // a barrier may wait for it, or the end of the program
        ts_wake(&core->su.base, now + 1);
}

// Looks for older work that uses the same bytes. Returns how the pipe must wait for it, if it must.
static const struct ts_outstanding *held_by(struct ts_lane *self, const struct ts_entry *entry,
                                            struct ts_outstanding *work, ts_cycle now)
{
    struct ts_core *core = self->core;
    const struct ts_outstanding *other = ts_board_conflict(core, work);
    if (other == NULL)
        return NULL;
    if (entry->insn->unit_flag && other->unit_flag) {
        if (self->id == TS_LANE_FIX && other->started && now >= other->early)
            return NULL; // follows the matmul block by block
        return other;
    }
    if (core->cluster->machine->auto_sync)
        return other;
    ts_finding_add(&core->cluster->findings, TS_FINDING_LOCAL_RACE,
                   (struct ts_spot){now, entry->insn->line, ts_lane_names[self->id]},
                   "%s: %s on %s (line %u) starts while %s on %s (line %u) still uses the same "
                   "bytes: an event from %s "
                   "to %s is missing",
                   ts_core_names[core->id], ts_ops[entry->insn->op].name, ts_lane_names[self->id],
                   entry->insn->line, ts_ops[other->insn->op].name, ts_lane_names[other->lane],
                   other->insn->line, ts_lane_names[other->lane], ts_lane_names[self->id]);
    return NULL;
}

static ts_step wait_for_work(struct ts_lane *self, const struct ts_outstanding *other, ts_cycle now)
{
    struct ts_lane *lane = &self->core->lane[other->lane];
    const struct ts_entry *head = ts_fifo_head(&self->in, now);
    struct ts_tape_event *event = ts_tape_at(self->core->cluster->tape, head->tape);
    if (event)
        event->blocker = other->tape;
    ts_block(&self->base, now, TS_STALL_TILE_BUSY, &lane->base.object);
    if (self->id == TS_LANE_FIX && other->unit_flag && other->started && other->early > now)
        ts_wake(&self->base, other->early);
    return 0;
}

// Zero-copy tiles lie in the ring: they may be used between the wait and the TFREE only.
static void check_slots(struct ts_core *core, const struct ts_entry *entry, ts_cycle now)
{
    struct ts_cluster *cluster = core->cluster;
    const struct ts_view *views[] = {&entry->a, &entry->b};
    for (uint32_t pipe = 0; pipe < cluster->machine->pipe_count; pipe++) {
        struct ts_ring *ring = ts_core_ring(core, pipe, false);
        if (ring == NULL || !ts_ring_takes_part(ring, core->id) || ring->path == TS_PATH_GM ||
            ring->path == TS_PATH_CTRL || (ring->config->tmpipe && !ring->config->places_tile))
            continue;
        bool ub = ring->path == TS_PATH_UB;
        uint64_t base = ub ? ring->config->ub : ring->config->l1;
        uint64_t bytes = (uint64_t)ring->config->slots * ring->config->slot_size;
        for (int i = 0; i < 2; i++)
            if (views[i]->used && views[i]->mem == (ub ? TS_MEM_UB : TS_MEM_L1) &&
                views[i]->addr >= base && views[i]->addr < base + bytes) {
                ring->line = entry->insn->line;
                ts_ring_use(ring, ub ? core->id - TS_CORE_AIV0 - ring->first_aiv : 0,
                            views[i]->addr - base, now);
            }
    }
}

// Starts a piece of work; 0 if it must wait.
static ts_step start(struct ts_lane *self, const struct ts_entry *entry, ts_cycle now)
{
    struct ts_core *core = self->core;
    struct ts_outstanding *work = ts_board_find(core, entry->seq);
    const struct ts_outstanding *other = held_by(self, entry, work, now);
    if (other)
        return wait_for_work(self, other, now);
    uint64_t tail;
    uint64_t cost = ts_cost(core, entry, self->warm, &tail);
    if (self->id == TS_LANE_M) {
        // One block of 16 rows, then the fixpipe may follow.
        uint64_t rows = (entry->to.rows + 15) / 16;
        work->early = now + (cost + rows - 1) / rows;
        work->end = now + cost;
        if (self->base.object.waiters && entry->insn->unit_flag)
            ts_wake_all(&self->base.object, work->early > now ? work->early : now + 1);
    } else if (self->id == TS_LANE_FIX && entry->insn->unit_flag) {
        const struct ts_outstanding *source = ts_board_conflict(core, work);
        uint64_t rows = (entry->a.rows + 15) / 16;
        if (source && source->end + (cost + rows - 1) / rows > now + cost)
            cost = source->end + (cost + rows - 1) / rows -
                   now; // the last block comes after the matmul's
    }
    work->started = true;
    if (core->cluster->machine->profile == TS_PROFILE_A5)
        check_slots(core, entry, now);
    if (entry->role == TS_RING_WRITE)
        ts_ring_write_start(ts_entry_ring(entry), entry->part, entry->index, now);
    else if (entry->role != TS_RING_NONE)
        ts_ring_read_start(ts_entry_ring(entry), entry->part, entry->index, now);
    self->now = *entry;
    self->busy = true;
    self->start = now;
    self->end = now + cost;
    self->tail = tail;
    self->warm = tail != 0;
    struct ts_tape_event *event = ts_tape_at(core->cluster->tape, entry->tape);
    if (event) {
        event->start = now;
        event->end = now + cost;
    }
    self->ops++;
    self->work_cycles += cost;
    self->bytes += (uint64_t)entry->a.rows * entry->a.cols * entry->blocks *
                   ts_dtype_bytes(entry->a.type);
    ts_fifo_drop(&self->in, now);
    return cost;
}

static bool wait_event(struct ts_core *core, struct ts_component *by, enum ts_lane_id lane,
                       const struct ts_entry *entry, ts_cycle now, ts_step *step)
{
    if (take_event(core, entry->other, lane, entry->id, now))
        return true;
    *step = ts_block(by, now, TS_STALL_LOCAL_EVENT, &core->events[entry->other]);
    // Set in this very cycle: it is seen from the next one on.
    if (event_of(core, entry->other, lane, entry->id)->level)
        ts_wake(by, now + 1);
    return false;
}

bool ts_core_pass(struct ts_core *core, struct ts_component *by, enum ts_lane_id lane,
                  const struct ts_entry *entry, ts_cycle now, ts_step *step)
{
    struct ts_flags *flags = &core->cluster->flags;
    switch ((enum ts_entry_kind)entry->kind) {
#define TS_PIPE_PASS(kind, passed) \
    case TS_ENTRY_##kind:          \
        return passed;
#include "config/tpipe.def"
    default:
        return true;
    }
}

static ts_step lane_step(struct ts_component *base, ts_cycle now)
{
    struct ts_lane *self = (struct ts_lane *)base;
    if (self->busy) {
        retire(self, now);
        finish_entry(self->core, now);
    }
    for (;;) {
        const struct ts_entry *entry = ts_fifo_head(&self->in, now);
        // Whatever is not more work of the same kind empties the vector pipe.
        if (self->tail && (entry == NULL || entry->kind != TS_ENTRY_WORK)) {
            uint64_t tail = self->tail;
            self->tail = 0;
            self->warm = false;
            return tail;
        }
        if (entry == NULL) {
            self->warm = false;
            return ts_idle(base, now);
        }
        if (entry->kind == TS_ENTRY_WORK)
            return start(self, entry, now);
        ts_step step = 0;
        if (!ts_core_pass(self->core, base, self->id, entry, now, &step))
            return step;
        ts_cycle cost = entry->kind == TS_ENTRY_WAIT_FLAG
                            ? (ts_cycle)self->core->cluster->machine->timing.wait
                            : 0;
        struct ts_tape_event *event = ts_tape_at(self->core->cluster->tape, entry->tape);
        if (event)
            event->start = event->end = now;
        ts_fifo_drop(&self->in, now);
        finish_entry(self->core, now);
        if (cost)
            return cost;
    }
}

// --- why it does not move ---

// A pipe with something to do is itself what is waited for; else its scalar unit is.
static const struct ts_component *mover(const struct ts_core *core, unsigned lane)
{
    const struct ts_lane *self = &core->lane[lane];
    if (lane != TS_LANE_S && self->core && (self->busy || ts_fifo_level(&self->queue)))
        return &self->base;
    return &core->su.base;
}

// The pipe whose queue holds such an entry; NULL if none does.
static const struct ts_component *queued(const struct ts_core *core, enum ts_entry_kind kind,
                                         unsigned other, unsigned id)
{
    for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++) {
        const struct ts_fifo *queue = &core->lane[lane].queue;
        if (core->lane[lane].core == NULL)
            continue;
        for (uint32_t i = queue->popped; i != queue->pushed; i++) {
            const struct ts_entry *entry = (const void *)(ts_fifo_slot(queue, i) +
                                                          sizeof(ts_cycle));
            if (entry->kind == kind && entry->id == id &&
                (kind != TS_ENTRY_SET_EVENT || entry->other == other))
                return &core->lane[lane].base;
        }
    }
    return NULL;
}

static const struct ts_component *flag_holder(const struct ts_cluster *self, unsigned core,
                                              unsigned id)
{
    unsigned setter = TS_CORE_AIC, sent = id;
    if (core == TS_CORE_AIC) {
        const struct ts_flag *flag = &self->flags.flag[core][id];
        if (self->machine->profile == TS_PROFILE_A5) {
            setter = id < TS_FLAG_AIV1 ? TS_CORE_AIV0 : TS_CORE_AIV1;
            sent = id % TS_FLAG_AIV1;
        } else {
            setter = flag->half[0] <= flag->half[1] ? TS_CORE_AIV0 : TS_CORE_AIV1;
        }
    } else if (self->machine->profile == TS_PROFILE_A5 && core == TS_CORE_AIV1) {
        sent = id + TS_FLAG_AIV1;
    }
    const struct ts_component *lane = queued(&self->core[setter], TS_ENTRY_SET_FLAG, 0, sent);
    return lane ? lane : &self->core[setter].su.base;
}

static const struct ts_component *event_holder(const struct ts_core *self, unsigned from,
                                               unsigned to, unsigned id)
{
    const struct ts_component *lane = queued(self, TS_ENTRY_SET_EVENT, to, id);
    return lane ? lane : mover(self, from);
}

const struct ts_component *ts_ring_holder(const struct ts_cluster *self, const struct ts_ring *ring,
                                          bool full)
{
    unsigned core;
    if (full == ring->c2v) // waits for an AIV: the one that is behind
        core = full ? (ring->readers > 1 && ring->closed[1] < ring->closed[0] ? TS_CORE_AIV1
                                                                              : TS_CORE_AIV0)
                    : (ring->writers > 1 && ring->filled[1] < ring->filled[0] ? TS_CORE_AIV1
                                                                              : TS_CORE_AIV0);
    else
        core = TS_CORE_AIC;
    return &self->core[core].su.base;
}

const struct ts_component *ts_core_holder(const struct ts_core *core, const struct ts_component *by,
                                          enum ts_lane_id lane, const struct ts_entry *entry)
{
    switch (by->reason) {
    case TS_STALL_FLAG_ZERO:
        return flag_holder(core->cluster, core->id, entry->id);
    case TS_STALL_LOCAL_EVENT:
        return event_holder(core, entry->other, lane, entry->id);
    case TS_STALL_TILE_BUSY:
        return ts_object_component(by->on);
    default:
        return NULL;
    }
}

static struct ts_wait lane_waiting(const struct ts_component *base)
{
    const struct ts_lane *self = (const struct ts_lane *)base;
    const struct ts_entry *entry = ts_part_entry(base);
    return (struct ts_wait){.reason = base->reason,
                            .object = base->on,
                            .holder = entry ? ts_core_holder(self->core, base, self->id, entry)
                                            : NULL};
}

static const struct ts_counter lane_counters[] = {
    {"ops", "operations", "tile operations executed", offsetof(struct ts_lane, ops)},
    {"bytes", "bytes", "bytes read by them", offsetof(struct ts_lane, bytes)},
    {"work_cycles", "cycles", "cycles they took", offsetof(struct ts_lane, work_cycles)},
    {0},
};

static const struct ts_component_ops lane_ops = {
    .kind = "pipe", .step = lane_step, .waiting = lane_waiting, .counters = lane_counters};

const struct ts_core *ts_part_core(const struct ts_component *part)
{
    return part->ops == &lane_ops ? ((const struct ts_lane *)part)->core
                                  : ((const struct ts_su *)part)->core;
}

const struct ts_entry *ts_part_entry(const struct ts_component *part)
{
    if (part->ops != &lane_ops) {
        const struct ts_su *su = (const struct ts_su *)part;
        return su->next < su->micros ? &su->micro[su->next] : NULL;
    }
    const struct ts_fifo *queue = &((const struct ts_lane *)part)->queue;
    return ts_fifo_level(queue)
               ? (const void *)(ts_fifo_slot(queue, queue->popped) + sizeof(ts_cycle))
               : NULL;
}

void ts_lane_init(struct ts_lane *self, struct ts_core *core, enum ts_lane_id id)
{
    struct ts_cluster *cluster = core->cluster;
    self->core = core;
    self->id = id;
    ts_component_init(&self->base, &lane_ops, cluster->domain, "%s.%s", ts_core_names[core->id],
                      ts_lane_names[id]);
    ts_port_init(&self->in, &self->base, TS_OBJECT_FIFO, TS_IN, "in");
    ts_fifo_init(&self->queue, cluster->domain, (uint32_t)cluster->machine->timing.queue,
                 sizeof(struct ts_entry), 1, "%s.%s.queue", ts_core_names[core->id],
                 ts_lane_names[id]);
    ts_bind(&self->in, &self->queue.object);
}
