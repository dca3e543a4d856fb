// The scalar unit of an AIC or AIV core: runs the program and issues to the pipes in order.
//
//   program --> su --entries--> queues of the pipes
//               ^-- cross-core flags (A2/A3: the scalar unit itself waits)
//
// Source: facts/tpipe.md 1.1, 1.3. The same Vector program runs on both AIVs; `sb` tells them
// apart. Timing: `issue` cycles for each entry; a full queue holds it up; loops and branches take
// `scalar` cycles. An A2/A3 wait stalls issue only: what is queued drains (a push followed by a
// wait must deliver its record).
#include "cores/aic_cluster.h"
#include "platform/kernel/kernel.h"

struct ts_entry *ts_su_micro(struct ts_su *self, enum ts_entry_kind kind, enum ts_lane_id lane)
{
    struct ts_entry *entry = &self->micro[self->micros++];
    *entry = (struct ts_entry){
        .kind = (uint8_t)kind, .lane = (uint8_t)lane, .insn = self->insn, .blocks = 1};
    return entry;
}

static int64_t value(const struct ts_su *self, const struct ts_expr *expr)
{
    return ts_expr_value(self->core->cluster->machine->words, expr, self->vars);
}

// --- operands ---

static void out_of_bounds(struct ts_su *self, const char *what, const char *name, int64_t at,
                          uint64_t legal)
{
    ts_finding_add(&self->core->cluster->findings, TS_FINDING_BOUNDS, 0,
                   "%s, line %u: %s %s: %lld; legal: up to %llu", ts_core_name(self->core->id),
                   self->insn->line, what, name, (long long)at, (unsigned long long)legal);
}

// The number of a tile's element among all elements.
uint32_t ts_su_element(struct ts_su *self, const struct ts_ref *ref)
{
    const struct ts_tile_decl *tile = &self->core->cluster->machine->tiles[ref->id];
    int64_t index = value(self, &ref->index);
    if (index >= 0 && index < tile->count)
        return tile->first + (uint32_t)index;
    out_of_bounds(self, "index of tile", tile->name, index, tile->count - 1);
    return tile->first;
}

struct ts_view ts_su_view(struct ts_su *self, const struct ts_ref *ref)
{
    const struct ts_machine *machine = self->core->cluster->machine;
    struct ts_view view = {.used = 1};
    if (ref->tensor) {
        const struct ts_tensor_decl *tensor = &machine->tensors[ref->id];
        view.mem = TS_MEM_GM;
        view.type = (uint8_t)tensor->type;
        view.addr = tensor->window ? self->window_addr[ref->id] : tensor->gm;
        view.rows = tensor->rows;
        view.cols = view.stride = tensor->cols;
    } else {
        const struct ts_tile_decl *tile = &machine->tiles[ref->id];
        view.mem = (uint8_t)tile->mem;
        view.type = (uint8_t)tile->type;
        view.owner = self->core->id == TS_CORE_AIV1;
        view.addr = self->tile_addr[ts_su_element(self, ref)];
        view.rows = tile->vrows;
        view.cols = tile->vcols;
        view.stride = tile->cols;
    }
    if (ref->has_offset) {
        uint64_t row = (uint64_t)value(self, &ref->row), col = (uint64_t)value(self, &ref->col);
        view.addr += (row * view.stride + col) * ts_dtype_bytes(view.type);
    }
    if (ref->has_shape) {
        view.rows = (uint32_t)value(self, &ref->rows);
        view.cols = (uint32_t)value(self, &ref->cols);
    }
    return view;
}

// A load or store must stay inside its tensor, not only inside GM.
static void check_tensor(struct ts_su *self, const struct ts_ref *ref, const struct ts_view *view)
{
    const struct ts_tensor_decl *tensor = &self->core->cluster->machine->tensors[ref->id];
    int64_t row = ref->has_offset ? value(self, &ref->row) : 0;
    int64_t col = ref->has_offset ? value(self, &ref->col) : 0;
    if (row < 0 || row + view->rows > tensor->rows)
        out_of_bounds(self, "rows of tensor", tensor->name, row + view->rows, tensor->rows);
    if (col < 0 || col + view->cols > tensor->cols)
        out_of_bounds(self, "columns of tensor", tensor->name, col + view->cols, tensor->cols);
}

// What a vector operation touches follows from its result, or from its source where it reduces.
static void shape_operands(enum ts_op op, struct ts_entry *entry)
{
    struct ts_view *to = &entry->to, *a = &entry->a, *b = &entry->b;
    switch (op) {
    case TS_OP_TROWMAX:
    case TS_OP_TROWSUM:
        to->rows = a->rows;
        to->cols = 1;
        return;
    case TS_OP_TCOLSUM:
        to->rows = 1;
        to->cols = a->cols;
        return;
    case TS_OP_TROWEXPAND:
        a->rows = to->rows;
        a->cols = 1;
        return;
    default:
        a->rows = b->rows = to->rows;
        a->cols = b->cols = to->cols;
    }
    if (op >= TS_OP_TROWEXPANDADD && op <= TS_OP_TROWEXPANDDIV)
        b->cols = 1;
    else if (op == TS_OP_TCOLEXPANDADD || op == TS_OP_TCOLEXPANDMUL)
        b->rows = 1;
}

// --- tile operations ---

static enum ts_lane_id lane_of_move(enum ts_mem to, enum ts_mem from)
{
    if (from == TS_MEM_L0C)
        return TS_LANE_FIX;
    if (to == TS_MEM_UB)
        return TS_LANE_V;
    return TS_LANE_MTE1;
}

// The fixpipe's factors: one for each column that is moved.
void ts_su_scales(struct ts_su *self, const struct ts_insn *insn, struct ts_entry *entry)
{
    if (!insn->scales.used)
        return;
    entry->b = ts_su_view(self, &insn->scales);
    entry->b.rows = 1;
    entry->b.cols = entry->a.cols;
}

static void expand_tile_op(struct ts_su *self, const struct ts_insn *insn)
{
    struct ts_entry *entry = ts_su_micro(self, TS_ENTRY_WORK, TS_LANE_V);
    self->tile_ops++;
    switch (insn->op) {
    case TS_OP_TLOAD:
        entry->to = ts_su_view(self, &insn->ref[0]);
        entry->a = ts_su_view(self, &insn->ref[1]);
        // The tile says how much is moved; a transposed load reads the other way round.
        entry->a.rows = insn->transpose ? entry->to.cols : entry->to.rows;
        entry->a.cols = insn->transpose ? entry->to.rows : entry->to.cols;
        entry->lane = TS_LANE_MTE2;
        check_tensor(self, &insn->ref[1], &entry->a);
        return;
    case TS_OP_TSTORE:
        entry->to = ts_su_view(self, &insn->ref[0]);
        entry->a = ts_su_view(self, &insn->ref[1]);
        entry->to.rows = entry->a.rows;
        entry->to.cols = entry->a.cols;
        entry->lane = entry->a.mem == TS_MEM_L0C ? TS_LANE_FIX : TS_LANE_MTE3;
        check_tensor(self, &insn->ref[0], &entry->to);
        break;
    case TS_OP_TMOV:
    case TS_OP_TEXTRACT:
    case TS_OP_TINSERT: {
        entry->to = ts_su_view(self, &insn->ref[0]);
        entry->a = ts_su_view(self, &insn->ref[1]);
        entry->lane = (uint8_t)lane_of_move(entry->to.mem, entry->a.mem);
        struct ts_view *large = insn->op == TS_OP_TINSERT ? &entry->to : &entry->a;
        const struct ts_view *small = insn->op == TS_OP_TINSERT ? &entry->a : &entry->to;
        if (insn->op != TS_OP_TMOV) {
            uint64_t row = (uint64_t)value(self, &insn->expr[0]),
                     col = (uint64_t)value(self, &insn->expr[1]);
            large->addr += (row * large->stride + col) * ts_dtype_bytes(large->type);
        }
        large->rows = small->rows;
        large->cols = small->cols;
        break;
    }
    case TS_OP_TMATMUL:
    case TS_OP_TMATMUL_ACC:
    case TS_OP_TMATMUL_BIAS:
        entry->to = ts_su_view(self, &insn->ref[0]);
        entry->a = ts_su_view(self, &insn->ref[1]);
        entry->b = ts_su_view(self, &insn->ref[2]);
        entry->b.rows = entry->a.cols;
        if (insn->ref[3].used) {
            entry->c = ts_su_view(self, &insn->ref[3]);
            entry->c.rows = 1;
            entry->c.cols = entry->b.cols;
        }
        entry->to.rows = entry->a.rows;
        entry->to.cols = entry->b.cols;
        entry->lane = TS_LANE_M;
        return;
    default:
        entry->to = ts_su_view(self, &insn->ref[0]);
        if (insn->ref[1].used)
            entry->a = ts_su_view(self, &insn->ref[1]);
        if (insn->ref[2].used)
            entry->b = ts_su_view(self, &insn->ref[2]);
        shape_operands(insn->op, entry);
        return;
    }
    ts_su_scales(self, insn, entry);
}

// --- control and synchronisation ---

static void expand_sync(struct ts_su *self, const struct ts_insn *insn)
{
    unsigned id = (unsigned)value(self, &insn->expr[0]) & 7;
    struct ts_entry *entry;
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
    int64_t id = value(self, &insn->expr[0]);
    bool all = machine->profile == TS_PROFILE_A5 && self->core->id == TS_CORE_AIC;
    int64_t most = all ? TS_FLAG_IDS - 1 : TS_FLAG_AIV1 - 1;
    if (id < 0 || id > most) {
        ts_finding_add(&self->core->cluster->findings, TS_FINDING_FLAG_RANGE, 0,
                       "%s, line %u: flag is %lld; legal: 0 to %lld", ts_core_name(self->core->id),
                       insn->line, (long long)id, (long long)most);
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
        int64_t from = value(self, &insn->expr[0]), to = value(self, &insn->expr[1]);
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
        self->pc = value(self, &insn->expr[0]) ? self->pc + 1 : insn->jump;
        return true;
    case TS_OP_ELSE:
        self->pc = insn->jump;
        return true;
    case TS_OP_LET:
        self->vars[insn->var] = value(self, &insn->expr[0]);
        self->pc++;
        return true;
    default:
        return false;
    }
}

static void expand(struct ts_su *self, const struct ts_insn *insn)
{
    switch (insn->op) {
    case TS_OP_SET:
    case TS_OP_WAIT:
    case TS_OP_SYNC:
        expand_sync(self, insn);
        return;
    case TS_OP_BARRIER:
        if (insn->lane[0] == TS_LANE_ALL)
            ts_su_micro(self, TS_ENTRY_DRAIN, TS_LANE_S);
        else if (insn->lane[0] != TS_LANE_S)
            ts_su_micro(self, TS_ENTRY_FENCE, insn->lane[0]);
        return;
    case TS_OP_XSET:
    case TS_OP_XWAIT:
        expand_cross(self, insn);
        return;
    case TS_OP_TPUSH:
        ts_expand_push(self, insn);
        return;
    case TS_OP_TPOP:
        ts_expand_pop(self, insn);
        return;
    case TS_OP_TALLOC:
        ts_expand_alloc(self, insn);
        return;
    case TS_OP_TFREE:
        ts_expand_free(self, insn);
        return;
    case TS_OP_SETTILE:
    case TS_OP_SETOFFSET: {
        // On a core that is at both ends of a bidirectional pipe, both are set.
        for (int produce = 0; produce < 2; produce++) {
            struct ts_ring *ring = ts_core_ring(self->core, insn->pipe, produce);
            if (ring == NULL)
                continue;
            struct ts_ring_end *end = produce ? &ring->prod[self->core->id]
                                              : &ring->cons[self->core->id];
            if (insn->op == TS_OP_SETTILE)
                end->index = (uint32_t)value(self, &insn->expr[0]);
            else
                end->offset = (uint32_t)value(self, &insn->expr[0]);
        }
        return;
    }
    default:
        expand_tile_op(self, insn);
    }
}

// --- steps ---

// Does an entry that is the scalar unit's own; false if it must wait.
static bool own(struct ts_su *self, const struct ts_entry *entry, ts_cycle now, ts_step *step)
{
    struct ts_core *core = self->core;
    struct ts_cluster *cluster = core->cluster;
    switch ((enum ts_entry_kind)entry->kind) {
    case TS_ENTRY_WAIT_FLAG:
        if (ts_flags_take(&cluster->flags, core->id, entry->id, now))
            return true;
        *step = ts_flags_await(&cluster->flags, core->id, entry->id, &self->base, now);
        return false;
    case TS_ENTRY_SET_FLAG:
        ts_core_set_flag(core, entry, now);
        return true;
    case TS_ENTRY_SET_EVENT:
        ts_core_set_event(core, TS_LANE_S, entry->other, entry->id, now);
        return true;
    case TS_ENTRY_WAIT_EVENT:
        if (ts_core_take_event(core, entry->other, TS_LANE_S, entry->id, now))
            return true;
        *step = ts_block(&self->base, now, TS_STALL_LOCAL_EVENT, &core->events[entry->other]);
        if (core->event[entry->other][TS_LANE_S][entry->id].level)
            ts_wake(&self->base, now + 1);
        return false;
    case TS_ENTRY_DRAIN:
        if (core->queued == 0)
            return true;
        *step = ts_block(&self->base, now, TS_STALL_PIPE_DRAIN, &core->events[TS_LANE_ALL]);
        return false;
    case TS_ENTRY_RING_ROOM:
        if (ts_ring_has_room(entry->ring, entry->part, entry->index))
            return true;
        *step = ts_block(&self->base, now, TS_STALL_RING_FULL, &entry->ring->object);
        return false;
    case TS_ENTRY_RING_TILE:
        if (ts_ring_has_tile(entry->ring, entry->index))
            return true;
        *step = ts_block(&self->base, now, TS_STALL_RING_EMPTY, &entry->ring->object);
        return false;
    default:
        return true;
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
        if (!own(self, entry, now, &step))
            return step;
    } else {
        entry->seq = self->seq;
        if (!TS_FIFO_PUSH(&self->out[entry->lane], now, *entry))
            return ts_fifo_await_room(&self->out[entry->lane], now);
        self->seq++;
        core->queued++;
        if (entry->kind == TS_ENTRY_WORK)
            ts_board_add(core, entry);
    }
    self->next++;
    uint64_t wait = entry->kind == TS_ENTRY_WAIT_FLAG && entry->lane == TS_LANE_S
                        ? (uint64_t)timing->wait
                        : 0;
    return (uint64_t)timing->issue + wait;
}

struct ts_wait ts_su_waiting(const struct ts_component *base)
{
    const struct ts_su *self = (const struct ts_su *)base;
    struct ts_wait wait = {.reason = base->reason, .object = base->on};
    const struct ts_entry *entry = &self->micro[self->next];
    const struct ts_core *core = self->core;
    switch (base->reason) {
    case TS_STALL_FLAG_ZERO:
        wait.holder = ts_flag_holder(core->cluster, core->id, entry->id);
        break;
    case TS_STALL_LOCAL_EVENT:
        wait.holder = ts_event_holder(core, entry->other, TS_LANE_S, entry->id);
        break;
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
        break;
    }
    return wait;
}

static const struct ts_counter su_counters[] = {
    {"instructions", "instructions", "instructions issued, loops and branches not counted",
     offsetof(struct ts_su, instructions)},
    {"tile_ops", "operations", "tile operations issued", offsetof(struct ts_su, tile_ops)},
    {0},
};

static const struct ts_component_ops su_ops = {"su", su_step, ts_su_waiting, su_counters};

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
        uint64_t bytes = (uint64_t)tile->rows * tile->cols * ts_dtype_bytes(tile->type);
        for (uint32_t j = 0; j < tile->count; j++)
            self->tile_addr[tile->first + j] = tile->addr + j * bytes;
    }
}

void ts_su_init(struct ts_su *self, struct ts_core *core)
{
    struct ts_cluster *cluster = core->cluster;
    struct ts_kernel *kernel = cluster->domain->kernel;
    self->core = core;
    ts_component_init(&self->base, &su_ops, cluster->domain, "%s.su", ts_core_name(core->id));
    for (unsigned lane = 0; lane < TS_LANE_COUNT; lane++)
        if (core->lane[lane].core) {
            ts_port_init(&self->out[lane], &self->base, TS_OBJECT_FIFO, TS_OUT, ts_lane_name(lane));
            ts_bind(&self->out[lane], &core->lane[lane].queue.object);
        }
    self->tile_addr = ts_kernel_alloc(kernel, (cluster->machine->element_count + 1) *
                                                  sizeof *self->tile_addr);
    self->window_addr = ts_kernel_alloc(kernel, (cluster->machine->tensor_count + 1) *
                                                    sizeof *self->window_addr);
    ts_su_reset(self, 0);
}
