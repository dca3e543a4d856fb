// A tile's part of a hang: its cores, threads and unpackers, and what each waits for; see hang.h.
// Polls are in polls.c, the tile's state in facts.c.
#include "platform/explain/looker.h"
#include "platform/tile/watchdog.h"

// The vendor's names of the semaphores (tt-llk ckernel_structs.h).
const char *const ts_hang_semaphore_names[TS_SEMAPHORES] = {
    "FPU_SFPU",  "MATH_PACK",   "UNPACK_TO_DEST",   "UNPACK_OPERAND_SYNC",
    "PACK_DONE", "UNPACK_SYNC", "UNPACK_MATH_DONE", "MATH_DONE",
};

__attribute__((format(printf, 2, 3))) void ts_hang_say(struct ts_hang_node *node,
                                                       const char *format, ...)
{
    size_t used = strlen(node->text);
    TS_VSNPRINTF(node->text + used, sizeof node->text - used, format);
}

// A core's pc, with function and line if its program has them.
static void at_pc(const struct ts_hang_looker *self, struct ts_hang_node *node, unsigned core,
                  uint32_t pc)
{
    node->frames = ts_symbols_find(self->tile, core, pc);
    node->pc = pc;
    ts_frames_text(&node->frames, node->place, sizeof node->place);
    ts_frames_line(&node->frames, node->line, sizeof node->line);
}

int ts_hang_last_writer(const struct ts_hang_looker *self, struct ts_hang_node *node,
                        uint32_t address)
{
    const struct ts_l1_writer writer = ts_l1_writer(&self->tile->l1, address);
    const struct ts_l1_last *last = &writer.last;
    if (writer.state != TS_L1_KNOWN) {
        snprintf(node->last, sizeof node->last, "%s",
                 writer.state == TS_L1_NOBODY ? "nobody has written it"
                                              : "who wrote it last is no longer recorded");
        return -1;
    }
    int by = ts_node_by(last->by);
    char where[100] = "";
    if (last->by == TS_BY_NOC) {
        snprintf(node->remote, sizeof node->remote, "%u-%u", last->pc & 0xff, last->pc >> 8 & 0xff);
        snprintf(where, sizeof where, " from tile %s", node->remote);
    } else if (last->pc != TS_NO_PC && by >= TS_NODE_CORE && by < TS_NODE_CORE + TS_RV_CORES) {
        struct ts_frames frames = ts_symbols_find(self->tile, (unsigned)(by - TS_NODE_CORE),
                                                  last->pc);
        char line[120];
        ts_frames_line(&frames, line, sizeof line);
        if (line[0])
            snprintf(where, sizeof where, " at %.90s", line);
        else
            snprintf(where, sizeof where, " at pc 0x%x", last->pc);
    }
    snprintf(node->last, sizeof node->last, "%slast written by %s%s, cycle %llu",
             node->size < 4 ? "its word was " : "",
             by >= TS_NODE_CORE && by < TS_NODE_CORE + TS_RV_CORES
                 ? ts_tile_core_name(self->tile, (unsigned)(by - TS_NODE_CORE))
                 : ts_by_name(last->by),
             where, (unsigned long long)last->at);
    return by;
}

// --- who could end a wait

static bool acts_on(uint32_t word, unsigned semaphore)
{
    uint8_t op = TS_OP_OF(word);
    return (op == TS_OP_SEMPOST || op == TS_OP_SEMGET) && word >> (2 + semaphore) & 1;
}

// Does the thread have an instruction in flight that changes the semaphore?
static bool has_on_the_way(const struct ts_frontend *front, unsigned semaphore)
{
    for (unsigned i = 0; i < front->fifo_count; i++)
        if (acts_on(front->fifo[(front->fifo_first + i) % TS_FRONT_FIFO].word, semaphore))
            return true;
    for (unsigned i = 0; i < front->replay_count; i++)
        if (acts_on(front->before_replay[(front->replay_first + i) % TS_FRONT_REPLAY].word,
                    semaphore))
            return true;
    for (unsigned i = 0; i < front->gate_count; i++)
        if (acts_on(front->gate[i].word, semaphore))
            return true;
    return false;
}

int ts_hang_changer(const struct ts_hang_looker *self, unsigned index, bool post, int self_node)
{
    struct ts_hang_node *node = &self->story->node[self_node];
    for (int t = 0; t < TS_THREADS; t++)
        if (TS_NODE_GATE + t != self_node && has_on_the_way(&self->tile->front[t], index))
            return TS_NODE_GATE + t;
    node->sure = false; // by history
    const struct ts_sync_semaphore *s = &self->tile->sync.semaphore[index];
    const struct ts_sync_deed *last = post ? &s->posted : &s->got;
    if (!post && last->count == 0)
        last = &s->dropped;
    if (last->count && ts_node_by(last->by) != self_node)
        return ts_node_by(last->by);
    return -1;
}

static int busiest(const struct ts_hang_looker *self, const uint8_t *ops, unsigned count,
                   int otherwise)
{
    uint64_t most = 0;
    for (int t = 0; t < TS_THREADS; t++) {
        uint64_t passed = 0;
        for (unsigned i = 0; i < count; i++)
            passed += self->tile->front[t].passed[ops[i]];
        if (passed > most) {
            most = passed;
            otherwise = t;
        }
    }
    return TS_NODE_GATE + otherwise;
}

static int math_thread(const struct ts_hang_looker *self)
{
    static const uint8_t ops[] = {TS_OP_MVMUL,  TS_OP_ELWADD, TS_OP_ELWMUL,     TS_OP_ELWSUB,
                                  TS_OP_SETRWC, TS_OP_GAPOOL, TS_OP_CLEARDVALID};
    return busiest(self, ops, sizeof ops, 1);
}

static int unpack_thread(const struct ts_hang_looker *self)
{
    static const uint8_t ops[] = {TS_OP_UNPACR, TS_OP_UNPACR_NOP, TS_OP_SETDVALID};
    return busiest(self, ops, sizeof ops, 0);
}

// --- objects

static const struct ts_sync_semaphore *semaphore_of(const struct ts_hang_looker *self,
                                                    const struct ts_object *object, unsigned *index)
{
    for (*index = 0; *index < TS_SEMAPHORES; (*index)++)
        if (&self->tile->sync.semaphore[*index].object == object)
            return &self->tile->sync.semaphore[*index];
    return NULL;
}

static const struct ts_bank *bank_of(const struct ts_hang_looker *self,
                                     const struct ts_object *object)
{
    for (unsigned i = 0; i < 4; i++)
        if (&self->tile->files.bank[i >> 1][i & 1].object == object)
            return &self->tile->files.bank[i >> 1][i & 1];
    return NULL;
}

// The rest of an object's path after the tile's.
static const char *short_path(const struct ts_object *object)
{
    const char *dot = strstr(object->path, "].");
    return dot ? dot + 2 : object->path;
}

void ts_hang_last_change(struct ts_hang_node *node, const struct ts_sync_semaphore *s)
{
    if (node->need.missing < 0 && s->got.count == 0) {
        snprintf(node->last, sizeof node->last, "nobody has ever gotten it");
        return;
    }
    const struct ts_sync_deed *last = &s->posted;
    const char *what = "posted";
    if (s->got.count && (!last->count || s->got.at > last->at)) {
        last = &s->got;
        what = "gotten";
    }
    if (s->wiped.count && (!last->count || s->wiped.at > last->at)) {
        last = &s->wiped;
        what = "set anew by SEMINIT";
    }
    if (last->count)
        snprintf(node->last, sizeof node->last, "last %s by %s at cycle %llu", what,
                 ts_by_name(last->by), (unsigned long long)last->at);
    else
        snprintf(node->last, sizeof node->last, "nobody has posted it");
}

// A node's wait: text, object and who could end it.
static void waits_on(const struct ts_hang_looker *self, int at, enum ts_stall reason,
                     const struct ts_object *object)
{
    struct ts_hang_node *node = &self->story->node[at];
    unsigned index;
    node->reason = reason;
    node->state = TS_HANG_WAITS;
    const struct ts_sync_semaphore *s = semaphore_of(self, object, &index);
    const struct ts_bank *bank = bank_of(self, object);
    if (s != NULL) {
        bool zero = reason == TS_STALL_SEMAPHORE_ZERO;
        snprintf(node->object, sizeof node->object, "semaphore %u", index);
        ts_hang_say(node, "semaphore %u (%s) = %u, max %u: waits until it is %s", index,
                    ts_hang_semaphore_names[index], s->value, s->max,
                    zero ? "posted" : "below max");
        node->semaphore = (int)index;
        node->need.known = true;
        node->need.has = s->value;
        node->need.needs = zero ? 1 : s->max;
        node->need.missing = zero ? 1 : -1;
        snprintf(node->need.text, sizeof node->need.text,
                 zero ? "has 0, needs at least 1" : "has %u, needs less than its maximum %u",
                 s->value, s->max);
        node->to = ts_hang_changer(self, index, reason == TS_STALL_SEMAPHORE_ZERO, at);
        ts_hang_last_change(node, s);
        if (reason == TS_STALL_SEMAPHORE_MAX && s->max == 0)
            snprintf(node->never, sizeof node->never,
                     "its maximum is 0: SEMINIT is missing or wrong");
        return;
    }
    if (bank != NULL) {
        snprintf(node->object, sizeof node->object, "%s", short_path(object));
        ts_hang_say(node, "%s belongs to %s (%s)", short_path(object),
                    ts_hang_bank_owner(self, bank), ts_stall_name(reason));
        // The unpacking thread fills the unpacker's bank, the math thread empties the matrix
        // unit's.
        node->to = reason == TS_STALL_SRC_NOT_VALID ? unpack_thread(self) : math_thread(self);
        if (bank->valid || bank->freed)
            snprintf(node->last, sizeof node->last, "last %s at cycle %llu",
                     bank->valid >= bank->freed ? "handed to math" : "given back to the unpacker",
                     (unsigned long long)(bank->valid >= bank->freed ? bank->valid : bank->freed));
        else
            snprintf(node->last, sizeof node->last, "it has never changed hands");
        if (node->to == at)
            node->to = -1;
        return;
    }
    if (object == NULL) {
        ts_hang_say(node, "%s", ts_stall_name(reason));
        return;
    }
    snprintf(node->object, sizeof node->object, "%s", short_path(object));
    ts_hang_say(node, "%s (%s)", short_path(object), ts_stall_name(reason));
    node->to = ts_node_holder(self->tile, object, reason);
    if (reason == TS_STALL_MUTEX_HELD && node->to >= 0) {
        ts_hang_say(node, ", held by %s", self->story->node[node->to].name);
        const struct ts_sync_mutex *m = (const struct ts_sync_mutex *)object;
        snprintf(node->last, sizeof node->last, "taken or released last at cycle %llu",
                 (unsigned long long)m->touched);
    }
    if (node->to == at)
        node->to = -1;
}

// --- cores

static void queue_wait(const struct ts_hang_looker *self, int at, const struct ts_object *object)
{
    struct ts_hang_node *node = &self->story->node[at];
    const struct ts_queues *queues = &self->tile->queues;
    for (unsigned from = 0; from < TS_MAIL_CORES; from++) {
        for (unsigned to = 0; to < TS_MAIL_CORES; to++) {
            if (&queues->mail[from][to].words == object)
                node->to = TS_NODE_CORE + (int)from;
            if (&queues->mail_room[from] == object && queues->mail[from][to].count)
                node->to = TS_NODE_CORE + (int)to;
        }
    }
    for (unsigned i = 0; i < TS_PCBUFS; i++) {
        if (&queues->pcbuf[i].words == object)
            node->to = TS_NODE_CORE + TS_RV_BRISC;
        if (&queues->pcbuf_room[i] == object || &queues->pcbuf_drained[i] == object)
            node->to = TS_NODE_CORE + TS_RV_TRISC0 + (int)i;
    }
}

// A core that polls may have a store that waits in its queue: if nothing else can end the poll, the unit that
// this store would start can.
static void store_text(const struct ts_hang_looker *self, int at, const struct ts_rv_core *core)
{
    struct ts_hang_node *node = &self->story->node[at];
    const struct ts_rv_view view = ts_rv_core_view(core);
    if (!view.blocked)
        return;
    const struct ts_rv_store *store = ts_rv_core_store(core, 0);
    const struct ts_rv_reply *wait = view.blocked_on;
    bool push = store->region == TS_RV_REGION_PUSH;
    ts_hang_say(node, ", while its %s from pc 0x%x waits for %s (%s)", push ? "push" : "store",
                store->pc[0], short_path(wait->object), ts_stall_name(wait->reason));
    if (node->to < 0 && push)
        node->to = ts_node_holder(self->tile, wait->object, wait->reason);
}

// A loop that does something in every round.
static void say_drift(const struct ts_hang_looker *self, struct ts_hang_node *node,
                      const struct ts_rv_drift *drift)
{
    char name[64];
    ts_hang_say(node, "; it counts its rounds");
    if (drift->stores)
        ts_hang_say(node, " and writes %s, which nobody reads",
                    ts_tile_word_name(self->tile, drift->store[0], name, sizeof name));
}

// The load that decides.
static uint32_t pc_of(const struct ts_rv_spin *spin)
{
    struct ts_condition condition = ts_condition_of(spin);
    return spin->poll[condition.known ? condition.poll : 0].pc;
}

static void look_core(const struct ts_hang_looker *self, unsigned id)
{
    const struct ts_rv_core *core = &self->tile->cores[id];
    struct ts_hang_node *node = &self->story->node[TS_NODE_CORE + id];
    const struct ts_component *c = &core->component;
    const struct ts_rv_view view = ts_rv_core_view(core);
    if (view.held) {
        node->state = view.instructions ? TS_HANG_ENDED : TS_HANG_ABSENT;
        if (view.instructions)
            ts_hang_say(node, "has ended: it is held in reset");
        return;
    }
    char insn[64] = "";
    uint32_t pc = view.at;
    struct ts_rv_spin spin = {0};
    struct ts_rv_drift drift;
    struct ts_far_poll asks;
    bool drifts = false, far = false;
    if (view.ended) {
        node->state = TS_HANG_ENDED;
        node->broke = view.paused;
        node->failed = view.paused && self->tile->kernels;
        ts_hang_say(node,
                    view.paused   ? "stopped at an ebreak at pc 0x%x"
                    : view.halted ? "is halted by a debugger at pc 0x%x"
                                  : "has ended at pc 0x%x",
                    view.pc);
        at_pc(self, node, id, view.pc);
        if (c->asleep != TS_BLOCKED)
            return;
        ts_hang_say(node, ", but its last store does not leave: ");
    } else if (ts_core_asks(core, self->far, &spin, &asks)) {
        pc = pc_of(&spin);
        far = true;
    } else if (view.parked) {
        spin.polls = 1;
        spin.poll[0].address = view.address;
        spin.poll[0].value = view.value;
        struct ts_rv_spin whole;
        if (ts_core_spins(core, &whole) && whole.polls)
            spin = whole;
    } else if ((c->asleep != TS_BLOCKED || view.blocked || view.free) &&
               ts_core_spins(core, &spin)) {
        pc = pc_of(&spin);
    } else if (c->asleep != TS_BLOCKED && ts_core_drifts(core, &spin, &drift)) {
        pc = pc_of(&spin);
        self->story->drifts = drifts = true;
    }
    if (spin.polls) {
        node->state = TS_HANG_POLLS;
        node->reason = TS_STALL_RV_POLL;
        node->serves = self->tile->eth && ts_hang_serves(&spin);
        ts_hang_poll(self, (int)(TS_NODE_CORE + id), &spin, far ? &asks : NULL);
        store_text(self, (int)(TS_NODE_CORE + id), core);
        if (drifts)
            say_drift(self, node, &drift);
    } else if (spin.period) {
        node->state = TS_HANG_POLLS;
        node->reason = TS_STALL_RV_POLL;
        ts_hang_say(node, "goes round in %u instructions without a load", spin.period);
        store_text(self, (int)(TS_NODE_CORE + id), core);
        return;
    } else if (c->asleep == TS_BLOCKED) {
        struct ts_wait wait = ts_waiting(c);
        ts_hang_say(node, "waits for ");
        waits_on(self, (int)(TS_NODE_CORE + id), wait.reason, wait.object);
        if (node->to < 0)
            queue_wait(self, (int)(TS_NODE_CORE + id), wait.object);
    } else if (node->state != TS_HANG_ENDED) {
        node->state = TS_HANG_IDLE;
        ts_hang_say(node, "runs");
    }
    uint32_t word = 0;
    if (ts_rv_code(&self->tile->l1, pc, &word))
        ts_rv_disassemble(pc, word, insn, sizeof insn);
    ts_hang_say(node, " at pc 0x%x: %s", pc, insn);
    at_pc(self, node, id, pc);
}

// --- threads

static void look_thread(const struct ts_hang_looker *self, unsigned t)
{
    const struct ts_frontend *front = &self->tile->front[t];
    int at = TS_NODE_GATE + (int)t;
    struct ts_hang_node *node = &self->story->node[at];
    if (ts_frontend_empty(front)) {
        bool held = ts_rv_core_view(&self->tile->cores[TS_RV_TRISC0 + t]).held;
        bool used = front->pushed != 0 || !held;
        node->state = used ? TS_HANG_IDLE : TS_HANG_ABSENT;
        node->to = held ? -1 : TS_NODE_CORE + TS_RV_TRISC0 + (int)t;
        ts_hang_say(node, "has nothing to do: its FIFOs are empty");
        return;
    }
    char insn[280] = "nothing";
    if (front->gate_count)
        ts_disasm_fields(front->gate[0].word, insn, sizeof insn);
    struct ts_wait wait = ts_waiting(&front->component);
    node->state = TS_HANG_IDLE;
    ts_hang_say(node, "holds %s", insn);
    if (front->component.asleep == TS_BLOCKED || front->component.asleep == TS_STALLED) {
        ts_hang_say(node, ": ");
        waits_on(self, at, wait.reason, wait.object);
    }
    uint32_t pc = ts_frontend_pc(front);
    if (pc != TS_NO_PC) {
        at_pc(self, node, TS_RV_TRISC0 + t, pc);
        ts_hang_say(node, ", from pc 0x%x", pc);
    }
    ts_hang_say(node, "; FIFOs %u + %u + %u%s%s", front->fifo_count, front->replay_count,
                front->gate_count, front->mop.active ? ", in a MOP" : "",
                front->replay.replaying ? ", replaying" : "");
}

static void look_unpacker(const struct ts_hang_looker *self, unsigned which)
{
    const struct ts_unpack_unit *unit = &self->tile->unpack[which];
    int at = TS_NODE_UNPACK + (int)which;
    struct ts_hang_node *node = &self->story->node[at];
    if (!unit->pending) {
        node->state = TS_HANG_ABSENT;
        return;
    }
    const struct ts_bank *bank = &self->tile->files.bank[which][unit->bank];
    snprintf(node->doing, sizeof node->doing, "%s of T%u", ts_op_info[unit->waiting.op].name,
             unit->waiting.thread);
    ts_hang_say(node, "is in %s: ", node->doing);
    waits_on(self, at, TS_STALL_SRC_NOT_FREE, &bank->object);
}

void ts_hang_tile_look(struct ts_hang_tile *self, struct ts_tile *tile, const struct ts_far *far)
{
    struct ts_hang_looker looker = {.story = self, .tile = tile, .far = far};
    for (unsigned i = 0; i < TS_HANG_NODES; i++) {
        self->node[i].to = self->node[i].to_tile = self->node[i].semaphore = -1;
        self->node[i].pc = self->node[i].address = TS_HANG_NO_PC;
        self->node[i].sure = true;
    }
    self->count = TS_NODE_PACK;
    for (unsigned i = 0; i < self->count; i++) {
        struct ts_hang_node *node = &self->node[i];
        node->component = ts_node_component(tile, i);
        if (i < TS_NODE_GATE)
            snprintf(node->name, sizeof node->name, "%s", ts_tile_core_name(tile, i));
        else if (i < TS_NODE_UNPACK)
            snprintf(node->name, sizeof node->name, "T%u", (i - TS_NODE_GATE) % TS_THREADS);
        else
            snprintf(node->name, sizeof node->name, "UNPACK%u", (i - TS_NODE_UNPACK) % 2);
    }
    for (unsigned id = 0; id < TS_RV_CORES; id++)
        look_core(&looker, id);
    for (unsigned t = 0; t < TS_THREADS; t++)
        look_thread(&looker, t);
    for (unsigned u = 0; u < 2; u++)
        look_unpacker(&looker, u);
    // Who works, and does not wait: the packer, which ends by itself; the network has its own part.
    snprintf(self->node[TS_NODE_PACK].name, sizeof self->node[TS_NODE_PACK].name, "PACK");
    for (unsigned i = 0; i < self->count; i++)
        if (self->node[i].to > TS_NODE_PACK)
            self->node[i].to = -1;
    ts_hang_facts(&looker);
}
