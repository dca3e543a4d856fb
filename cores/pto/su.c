// The scalar unit of an AIC or AIV core: runs the program and issues to the pipes in order.
//
//   program --> su --entries--> queues of the pipes
//               ^-- cross-core flags (A2/A3: the scalar unit itself waits)
//
// Source: pto-isa docs/isa/scalar/ops/pipeline-sync. The same Vector program runs on both AIVs;
// `sb` tells them apart.
// Timing: `issue` cycles for each entry; a full queue holds it up; loops and branches take `scalar`
// cycles. An A2/A3 wait stalls issue only: what is queued drains (a push followed by a wait must
// deliver its record).
#include "cores/pto/cluster.h"
#include "platform/kernel/kernel.h"

struct ts_entry *ts_su_micro(struct ts_su *self, enum ts_entry_kind kind, enum ts_lane_id lane)
{
    struct ts_entry *entry = &self->micro[self->micros++];
    *entry = (struct ts_entry){
        .kind = (uint8_t)kind, .lane = (uint8_t)lane, .insn = self->insn, .blocks = 1};
    return entry;
}

// --- control and synchronisation ---

static void expand_sync(struct ts_su *self, const struct ts_insn *insn)
{
    enum { IDS = 8 };
    const int64_t id = ts_su_value(self, &insn->expr[0]);
    struct ts_entry *entry;
    if (id < 0 || id >= IDS) {
        ts_finding_add(&self->core->cluster->findings, TS_FINDING_EVENT_RANGE,
                       (struct ts_spot){0, insn->line, ts_ops[insn->op].name},
                       "%s: local event is %lld; legal: 0 to %d", ts_core_names[self->core->id],
                       (long long)id, IDS - 1);
        return;
    }
    if (insn->op != TS_OP_WAIT) {
        entry = ts_su_micro(self, TS_ENTRY_SET_EVENT, insn->lane[0]);
        entry->other = insn->lane[1];
        entry->id = (uint8_t)id;
    }
    if (insn->op != TS_OP_SET) {
        entry = ts_su_micro(self, TS_ENTRY_WAIT_EVENT, insn->lane[1]);
        entry->other = insn->lane[0];
        entry->id = (uint8_t)id;
    }
}

static void expand_cross(struct ts_su *self, const struct ts_insn *insn)
{
    const struct ts_machine *machine = self->core->cluster->machine;
    bool wait = insn->op == TS_OP_XWAIT;
    bool by_su = wait && machine->profile == TS_PROFILE_A2A3;
    int64_t id = ts_su_value(self, &insn->expr[0]);
    bool all = machine->profile == TS_PROFILE_A5 && self->core->id == TS_CORE_AIC;
    int64_t most = all ? TS_FLAG_IDS - 1 : TS_FLAG_AIV1 - 1;
    if (id < 0 || id > most) {
        ts_finding_add(&self->core->cluster->findings, TS_FINDING_FLAG_RANGE,
                       (struct ts_spot){0, insn->line, ts_ops[insn->op].name},
                       "%s: flag is %lld; legal: 0 to %lld", ts_core_names[self->core->id],
                       (long long)id, (long long)most);
        return;
    }
    struct ts_entry *entry = ts_su_micro(self, wait ? TS_ENTRY_WAIT_FLAG : TS_ENTRY_SET_FLAG,
                                         by_su ? TS_LANE_S : insn->lane[0]);
    entry->id = (uint8_t)id;
}

// Control instructions change the program counter themselves. Returns false for all others.
static bool control(struct ts_su *self, const struct ts_insn *insn)
{
    switch (insn->op) {
    case TS_OP_FOR: {
        int64_t from = ts_su_value(self, &insn->expr[0]), to = ts_su_value(self, &insn->expr[1]);
        self->vars[insn->var] = from;
        if (from >= to) {
            self->pc = insn->jump;
        } else {
            self->limit[self->depth++] = to;
            self->pc++;
        }
        return true;
    }
    case TS_OP_END:
        self->pc++;
        if (insn->jump == 0)
            return true; // of an if
        if (++self->vars[insn->var] < self->limit[self->depth - 1])
            self->pc = insn->jump;
        else
            self->depth--;
        return true;
    case TS_OP_IF:
        self->pc = ts_su_value(self, &insn->expr[0]) ? self->pc + 1 : insn->jump;
        return true;
    case TS_OP_ELSE:
        self->pc = insn->jump;
        return true;
    case TS_OP_LET:
        self->vars[insn->var] = ts_su_value(self, &insn->expr[0]);
        self->pc++;
        return true;
    default:
        return false;
    }
}

static void expand_barrier(struct ts_su *self, const struct ts_insn *insn)
{
    if (insn->lane[0] == TS_LANE_ALL)
        ts_su_micro(self, TS_ENTRY_DRAIN, TS_LANE_S);
    else if (insn->lane[0] != TS_LANE_S)
        ts_su_micro(self, TS_ENTRY_FENCE, insn->lane[0]);
}

// On a core that is at both ends of a bidirectional pipe, both are set.
static void expand_end(struct ts_su *self, const struct ts_insn *insn)
{
    for (int produce = 0; produce < 2; produce++) {
        struct ts_ring *ring = ts_core_ring(self->core, insn->pipe, produce);
        if (ring == NULL)
            continue;
        struct ts_ring_end *end = produce ? &ring->prod[self->core->id]
                                          : &ring->cons[self->core->id];
        *(insn->op == TS_OP_SETTILE ? &end->index
                                    : &end->offset) = (uint32_t)ts_su_value(self, &insn->expr[0]);
    }
}

static void expand(struct ts_su *self, const struct ts_insn *insn)
{
    switch (insn->op) {
#define TS_PIPE_EXPAND(id, how) \
    case TS_OP_##id:            \
        how;                    \
        return;
#include "config/tpipe.def"
    default:
        ts_expand_tile_op(self, insn);
    }
}

// --- control words ---

// A control word is the first element of a tile: what another pipe still does to that tile must be
// over. Returns how to wait for it, if it must.
static const struct ts_outstanding *tile_in_use(struct ts_su *self, const struct ts_entry *entry,
                                                ts_cycle now)
{
    struct ts_core *core = self->core;
    struct ts_outstanding read = {.seq = self->seq, .lane = TS_LANE_S, .from = {entry->a}};
    const struct ts_outstanding *other = ts_board_conflict(core, &read);
    if (other == NULL || core->cluster->machine->auto_sync)
        return other;
    ts_finding_add(&core->cluster->findings, TS_FINDING_LOCAL_RACE,
                   (struct ts_spot){now, entry->insn->line, ts_lane_names[TS_LANE_S]},
                   "%s: %s (line %u) reads its tile while %s on %s (line %u) still uses it: an "
                   "event from %s to s is missing",
                   ts_core_names[core->id], ts_ops[entry->insn->op].name, entry->insn->line,
                   ts_ops[other->insn->op].name, ts_lane_names[other->lane], other->insn->line,
                   ts_lane_names[other->lane]);
    return NULL;
}

static bool control_write(struct ts_su *self, const struct ts_entry *entry, ts_cycle now,
                          ts_step *step)
{
    const struct ts_outstanding *other = tile_in_use(self, entry, now);
    if (other) {
        *step = ts_block(&self->base, now, TS_STALL_TILE_BUSY,
                         &self->core->lane[other->lane].base.object);
        return false;
    }
    struct ts_ring *ring = ts_entry_ring(entry);
    ts_ring_write_start(ring, entry->part, entry->index, now);
    ring->control[entry->index % ring->config->slots] = ts_work_control(self->core, &entry->a);
    ts_ring_write_end(ring, entry->part, entry->index, now);
    return true;
}

static void control_read(struct ts_su *self, const struct ts_entry *entry, ts_cycle now)
{
    struct ts_ring *ring = ts_entry_ring(entry);
    ts_ring_read_start(ring, entry->part, entry->index, now);
    self->vars[entry->insn->var] = (int32_t)ring->control[entry->index % ring->config->slots];
    if (entry->role == TS_RING_READ)
        ts_ring_read_end(ring, entry->part, entry->index, now);
}

// --- steps ---

static bool hold(struct ts_su *self, ts_cycle now, enum ts_stall reason, struct ts_object *on,
                 ts_step *step)
{
    *step = ts_block(&self->base, now, reason, on);
    return false;
}

// Does an entry that is the scalar unit's own; false if it must wait.
static bool own(struct ts_su *self, const struct ts_entry *entry, ts_cycle now, ts_step *step)
{
    struct ts_core *core = self->core;
    switch ((enum ts_entry_kind)entry->kind) {
    case TS_ENTRY_DRAIN:
        return core->queued == 0 ||
               hold(self, now, TS_STALL_PIPE_DRAIN, &core->events[TS_LANE_ALL], step);
    case TS_ENTRY_RING_ROOM:
        return ts_ring_has_room(entry->ring, entry->index) ||
               hold(self, now, TS_STALL_RING_FULL, &entry->ring->object, step);
    case TS_ENTRY_RING_TILE:
        return ts_ring_has_tile(entry->ring, entry->index) ||
               hold(self, now, TS_STALL_RING_EMPTY, &entry->ring->object, step);
    case TS_ENTRY_CTRL_WRITE:
        return control_write(self, entry, now, step);
    case TS_ENTRY_CTRL_READ:
        control_read(self, entry, now);
        return true;
    default:
        return ts_core_pass(core, &self->base, TS_LANE_S, entry, now, step);
    }
}

// The next entries: of making the pipes, of an instruction, of destroying the pipes. False at the
// very end.
static bool fetch(struct ts_su *self)
{
    struct ts_cluster *cluster = self->core->cluster;
    const struct ts_machine *machine = cluster->machine;
    const struct ts_code_text *code = &machine->code[self->core->id != TS_CORE_AIC];
    self->micros = self->next = 0;
    while (self->micros == 0) {
        if (self->phase < machine->pipe_count) {
            self->insn = &code->insn[0];
            ts_expand_make(self, self->phase++);
            continue;
        }
        const struct ts_insn *insn = &code->insn[self->pc];
        self->insn = insn;
        if (insn->op == TS_OP_STOP) {
            uint32_t destroyed = self->phase - machine->pipe_count;
            if (destroyed == machine->pipe_count)
                return false;
            // In the opposite order of their making, as destructors go.
            ts_expand_destroy(self, machine->pipe_count - 1 - destroyed);
            self->phase++;
            continue;
        }
        if (control(self, insn)) {
            self->owed += (uint64_t)machine->timing.scalar;
            continue;
        }
        self->pc++;
        self->instructions++;
        expand(self, insn);
        if (self->micros == 0)
            self->owed += (uint64_t)machine->timing.issue;
    }
    return true;
}

// Cycles of the scalar unit's own work beyond the issue.
static uint64_t own_cost(const struct ts_timing *timing, const struct ts_entry *entry)
{
    if (entry->kind == TS_ENTRY_CTRL_WRITE || entry->kind == TS_ENTRY_CTRL_READ)
        return (uint64_t)timing->ctrl;
    bool waits = entry->kind == TS_ENTRY_WAIT_FLAG && entry->lane == TS_LANE_S;
    return waits ? (uint64_t)timing->wait : 0;
}

static ts_step su_step(struct ts_component *base, ts_cycle now)
{
    struct ts_su *self = (struct ts_su *)base;
    struct ts_core *core = self->core;
    const struct ts_timing *timing = &core->cluster->machine->timing;
    if (self->next == self->micros && !self->ended && !fetch(self))
        self->ended = true;
    if (self->ended)
        return ts_cluster_ended(core->cluster, now) ? 1 : ts_idle(base, now);
    if (self->owed) {
        uint64_t owed = self->owed;
        self->owed = 0;
        return owed;
    }
    struct ts_entry *entry = &self->micro[self->next];
    if (entry->lane == TS_LANE_S) {
        ts_step step = 0;
        if (!own(self, entry, now, &step)) {
            self->tried = self->tried ? self->tried : now;
            return step;
        }
        struct ts_tape_event *event = ts_tape_at(
            core->cluster->tape,
            ts_tape_add(core->cluster->tape, core->id, entry, self->tried ? self->tried : now));
        if (event)
            event->start = event->end = now;
        self->tried = 0;
    } else {
        entry->seq = self->seq;
        entry->tape = ts_tape_add(core->cluster->tape, core->id, entry, now);
        if (!TS_FIFO_PUSH(&self->out[entry->lane], now, *entry)) {
            ts_tape_undo(core->cluster->tape, entry->tape);
            return ts_fifo_await_room(&self->out[entry->lane], now);
        }
        self->seq++;
        core->queued++;
        if (entry->kind == TS_ENTRY_WORK)
            ts_board_add(core, entry);
    }
    self->next++;
    return (uint64_t)timing->issue + own_cost(timing, entry);
}

static struct ts_wait su_waiting(const struct ts_component *base)
{
    const struct ts_su *self = (const struct ts_su *)base;
    struct ts_wait wait = {.reason = base->reason, .object = base->on};
    const struct ts_entry *entry = &self->micro[self->next];
    const struct ts_core *core = self->core;
    switch (base->reason) {
    case TS_STALL_FIFO_FULL:
        wait.holder = &core->lane[entry->lane].base;
        break;
    case TS_STALL_RING_FULL:
    case TS_STALL_RING_EMPTY:
        wait.holder = ts_ring_holder(core->cluster, entry->ring,
                                     base->reason == TS_STALL_RING_FULL);
        break;
    case TS_STALL_PIPE_DRAIN:
        for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++)
            if (core->lane[lane].core && core->lane[lane].base.asleep == TS_BLOCKED)
                wait.holder = &core->lane[lane].base;
        break;
    default:
        wait.holder = ts_core_holder(core, base, TS_LANE_S, entry);
    }
    return wait;
}

static const struct ts_counter su_counters[] = {
    {"instructions", "instructions", "instructions issued, loops and branches not counted",
     offsetof(struct ts_su, instructions)},
    {"tile_ops", "operations", "tile operations issued", offsetof(struct ts_su, tile_ops)},
    {0},
};

static const struct ts_component_ops su_ops = {
    .kind = "su", .step = su_step, .waiting = su_waiting, .counters = su_counters};

void ts_su_reset(struct ts_su *self, uint32_t dispatch)
{
    const struct ts_machine *machine = self->core->cluster->machine;
    self->pc = self->phase = self->depth = 0;
    self->micros = self->next = 0;
    self->ended = false;
    for (int i = 0; i < TS_VARS; i++)
        self->vars[i] = 0;
    self->vars[TS_VAR_SB] = self->core->id == TS_CORE_AIV1;
    self->vars[TS_VAR_CLUSTER] = self->core->cluster->id;
    self->vars[TS_VAR_CLUSTERS] = machine->clusters;
    self->vars[TS_VAR_DISPATCH] = dispatch;
    for (uint32_t i = 0; i < machine->tile_count; i++) {
        const struct ts_tile_decl *tile = &machine->tiles[i];
        const uint64_t bytes = ts_tile_bytes(tile);
        for (uint32_t j = 0; j < tile->count; j++)
            self->tile_addr[tile->first + j] = tile->addr + j * bytes;
    }
}

void ts_su_init(struct ts_su *self, struct ts_core *core)
{
    struct ts_cluster *cluster = core->cluster;
    struct ts_kernel *kernel = cluster->domain->kernel;
    self->core = core;
    ts_component_init(&self->base, &su_ops, cluster->domain, "%s.su", ts_core_names[core->id]);
    for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++)
        if (core->lane[lane].core) {
            ts_port_init(&self->out[lane], &self->base, TS_OBJECT_FIFO, TS_OUT,
                         ts_lane_names[lane]);
            ts_bind(&self->out[lane], &core->lane[lane].queue.object);
        }
    self->tile_addr = ts_kernel_alloc(kernel, (cluster->machine->element_count + 1) *
                                                  sizeof *self->tile_addr);
    self->window_addr = ts_kernel_alloc(kernel, (cluster->machine->tensor_count + 1) *
                                                    sizeof *self->window_addr);
    ts_su_reset(self, 0);
}
