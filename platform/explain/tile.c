// What one tile knows of a hang: its cores, threads and unpackers, and for each whom it waits for;
// see hang.h.
#include "platform/explain/hang.h"
#include "platform/load/symbols.h"
#include "platform/tile/buffers.h"
#include "platform/tile/coprocessor.h"
#include "platform/tile/watchdog.h"

#include <stdarg.h>
#include <string.h>

// Nodes in this order.
enum { CORE = 0, THREAD = TS_RV_CORES, UNPACKER = THREAD + TS_THREADS };

// The vendor's names of the semaphores (tt-llk ckernel_structs.h).
static const char *const semaphore_names[TS_SEMAPHORES] = {
    "FPU_SFPU",  "MATH_PACK",   "UNPACK_TO_DEST",   "UNPACK_OPERAND_SYNC",
    "PACK_DONE", "UNPACK_SYNC", "UNPACK_MATH_DONE", "MATH_DONE",
};

struct looker {
    struct ts_hang_tile *story;
    struct ts_tile *tile;
    struct ts_coprocessor *tensix; // NULL: the tile has none
    ts_cycle cycle;
};

__attribute__((format(printf, 2, 3))) static void say(struct ts_hang_node *node, const char *format,
                                                      ...)
{
    size_t used = strlen(node->text);
    va_list args;
    va_start(args, format);
    vsnprintf(node->text + used, sizeof node->text - used, format, args);
    va_end(args);
}

__attribute__((format(printf, 2, 3))) static void fact(struct ts_hang_tile *self,
                                                       const char *format, ...)
{
    if (self->say_count == TS_HANG_SAYS)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(self->says[self->say_count++], sizeof self->says[0], format, args);
    va_end(args);
}

#define name_of ts_by_name

static int node_of(unsigned by)
{
    if (by < TS_THREADS)
        return THREAD + (int)by;
    return by >= TS_BY_CORE && by < TS_BY_CORE + TS_RV_CORES ? CORE + (int)(by - TS_BY_CORE) : -1;
}

// A core's pc, with function and line if its program has them.
static void at_pc(const struct looker *self, struct ts_hang_node *node, unsigned core, uint32_t pc)
{
    struct ts_place place = ts_symbols_find(self->tile, core, pc);
    node->pc = pc;
    ts_place_text(&place, node->place, sizeof node->place);
}

// Who wrote a word of L1 last; the node that this is, -1: none of this tile.
static int last_writer(const struct looker *self, struct ts_hang_node *node, uint32_t address)
{
    const struct ts_l1_writer writer = ts_l1_writer(&self->tile->l1, address);
    const struct ts_l1_last *last = &writer.last;
    if (writer.state != TS_L1_KNOWN) {
        snprintf(node->last, sizeof node->last, "%s",
                 writer.state == TS_L1_NOBODY ? "nobody has written it"
                                              : "who wrote it last is no longer recorded");
        return -1;
    }
    int by = node_of(last->by);
    char where[100] = "";
    if (last->by == TS_BY_NOC) {
        snprintf(node->remote, sizeof node->remote, "%u-%u", last->pc & 0xff, last->pc >> 8 & 0xff);
        snprintf(where, sizeof where, " from tile %s", node->remote);
    } else if (last->pc != TS_NO_PC && by >= CORE && by < CORE + TS_RV_CORES) {
        struct ts_place place = ts_symbols_find(self->tile, (unsigned)(by - CORE), last->pc);
        char text[80];
        place.function[60] = '\0';
        ts_place_text(&place, text, sizeof text);
        snprintf(where, sizeof where, ", pc 0x%x%s", last->pc, text);
    }
    snprintf(node->last, sizeof node->last, "last written by %s%s at cycle %llu", name_of(last->by),
             where, (unsigned long long)last->at);
    return by;
}

// --- who could end a wait

static bool acts_on(uint32_t word, unsigned semaphore)
{
    uint8_t op = TS_OP_OF(word);
    return (op == TS_OP_SEMPOST || op == TS_OP_SEMGET) && word >> (2 + semaphore) & 1;
}

// Does the thread have an instruction on its way that changes the semaphore?
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

// Who could change the semaphore: whoever has the instruction in its FIFO, else whoever did it
// last (and the other side, if nobody ever did).
static int changer(const struct looker *self, unsigned index, bool post, int self_node)
{
    for (int t = 0; t < TS_THREADS; t++)
        if (THREAD + t != self_node && has_on_the_way(&self->tensix->front[t], index))
            return THREAD + t;
    const struct ts_sync_semaphore *s = &self->tensix->sync.semaphore[index];
    const struct ts_sync_deed *last = post ? &s->posted : &s->got;
    if (!post && last->count == 0)
        last = &s->dropped;
    if (last->count && node_of(last->by) != self_node)
        return node_of(last->by);
    return -1;
}

static int busiest(const struct looker *self, const uint8_t *ops, unsigned count, int otherwise)
{
    uint64_t most = 0;
    for (int t = 0; t < TS_THREADS; t++) {
        uint64_t passed = 0;
        for (unsigned i = 0; i < count; i++)
            passed += self->tensix->front[t].passed[ops[i]];
        if (passed > most) {
            most = passed;
            otherwise = t;
        }
    }
    return THREAD + otherwise;
}

static int math_thread(const struct looker *self)
{
    static const uint8_t ops[] = {TS_OP_MVMUL,  TS_OP_ELWADD, TS_OP_ELWMUL,     TS_OP_ELWSUB,
                                  TS_OP_SETRWC, TS_OP_GAPOOL, TS_OP_CLEARDVALID};
    return busiest(self, ops, sizeof ops, 1);
}

static int unpack_thread(const struct looker *self)
{
    static const uint8_t ops[] = {TS_OP_UNPACR, TS_OP_UNPACR_NOP, TS_OP_SETDVALID};
    return busiest(self, ops, sizeof ops, 0);
}

static int node_at(const struct looker *self, const struct ts_component *component)
{
    for (uint32_t i = 0; component && i < self->story->count; i++)
        if (self->story->node[i].component == component)
            return (int)i;
    return -1;
}

// --- objects

static const struct ts_sync_semaphore *semaphore_of(const struct looker *self,
                                                    const struct ts_object *object, unsigned *index)
{
    for (*index = 0; self->tensix && *index < TS_SEMAPHORES; (*index)++)
        if (&self->tensix->sync.semaphore[*index].object == object)
            return &self->tensix->sync.semaphore[*index];
    return NULL;
}

static const struct ts_bank *bank_of(const struct looker *self, const struct ts_object *object)
{
    for (unsigned i = 0; self->tensix && i < 4; i++)
        if (&self->tensix->files.bank[i >> 1][i & 1].object == object)
            return &self->tensix->files.bank[i >> 1][i & 1];
    return NULL;
}

static const char *owner_of(const struct looker *self, const struct ts_bank *bank)
{
    const struct ts_src_file *file = ts_files_src(&self->tensix->files, bank->srcb);
    return file->bank[bank->index].owner == TS_SRC_MATRIX ? "the matrix unit" : "the unpacker";
}

// The rest of an object's path behind the tile's.
static const char *short_path(const struct ts_object *object)
{
    const char *dot = strstr(object->path, "].");
    return dot ? dot + 2 : object->path;
}

static void last_change(struct ts_hang_node *node, const struct ts_sync_semaphore *s)
{
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
                 name_of(last->by), (unsigned long long)last->at);
    else
        snprintf(node->last, sizeof node->last, "nobody has posted it");
}

// What a node waits on: text, object and who could end it.
static void waits_on(const struct looker *self, int at, enum ts_stall reason,
                     const struct ts_object *object)
{
    struct ts_hang_node *node = &self->story->node[at];
    unsigned index;
    node->reason = reason;
    node->state = TS_HANG_WAITS;
    const struct ts_sync_semaphore *s = semaphore_of(self, object, &index);
    const struct ts_bank *bank = bank_of(self, object);
    if (s != NULL) {
        snprintf(node->object, sizeof node->object, "semaphore %u", index);
        say(node, "semaphore %u (%s) = %u, max %u: waits until it is %s", index,
            semaphore_names[index], s->value, s->max,
            reason == TS_STALL_SEMAPHORE_ZERO ? "posted" : "below max");
        node->to = changer(self, index, reason == TS_STALL_SEMAPHORE_ZERO, at);
        last_change(node, s);
        if (reason == TS_STALL_SEMAPHORE_MAX && s->max == 0)
            say(node, " (max is 0: SEMINIT is missing or wrong)");
        return;
    }
    if (bank != NULL) {
        snprintf(node->object, sizeof node->object, "%s", short_path(object));
        say(node, "%s belongs to %s (%s)", short_path(object), owner_of(self, bank),
            ts_stall_name(reason));
        // The unpacker's bank is filled by the unpacking thread, the matrix unit's emptied by math.
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
        say(node, "%s", ts_stall_name(reason));
        return;
    }
    snprintf(node->object, sizeof node->object, "%s", short_path(object));
    say(node, "%s (%s)", short_path(object), ts_stall_name(reason));
    const struct ts_component *holder = object->holder ? object->holder(object) : NULL;
    if (holder == NULL && object->kind == TS_OBJECT_COMPONENT)
        holder = ts_object_component(object);
    node->to = node_at(self, holder);
    if (reason == TS_STALL_MUTEX_HELD && node->to >= 0) {
        say(node, ", held by %s", self->story->node[node->to].name);
        const struct ts_sync_mutex *m = (const struct ts_sync_mutex *)object;
        snprintf(node->last, sizeof node->last, "taken or released last at cycle %llu",
                 (unsigned long long)m->touched);
    }
    if (node->to == at)
        node->to = -1;
}

// --- cores

static void queue_wait(const struct looker *self, int at, const struct ts_object *object)
{
    struct ts_hang_node *node = &self->story->node[at];
    const struct ts_queues *queues = &self->tile->queues;
    for (unsigned from = 0; from < TS_MAIL_CORES; from++) {
        for (unsigned to = 0; to < TS_MAIL_CORES; to++) {
            if (&queues->mail[from][to].words == object)
                node->to = CORE + (int)from;
            if (&queues->mail_room[from] == object && queues->mail[from][to].count)
                node->to = CORE + (int)to;
        }
    }
    for (unsigned i = 0; i < TS_PCBUFS; i++) {
        if (&queues->pcbuf[i].words == object)
            node->to = CORE + TS_RV_BRISC;
        if (&queues->pcbuf_room[i] == object || &queues->pcbuf_drained[i] == object)
            node->to = CORE + TS_RV_TRISC0 + (int)i;
    }
}

// A register of a network interface.
static void niu_text(struct ts_hang_node *node, uint32_t address, uint32_t value, bool first)
{
    static const char *const counters[] = {"ATOMIC_RESP_RECEIVED", "WR_ACK_RECEIVED",
                                           "RD_RESP_RECEIVED"};
    unsigned noc = (address >> 16) - 0xffb2, offset = address & 0xffff,
             index = (offset & 0x7ff) / 4;
    char object[40];
    if (index == 16) {
        snprintf(object, sizeof object, "noc%u command buffer %u", noc, offset / 0x800);
        say(node, "%s%s: its request has not left", first ? "polls " : ", ", object);
    } else if (index >= 0x80 && index < 0xc0) {
        index -= 0x80;
        if (index < 3)
            snprintf(object, sizeof object, "noc%u counter %s", noc, counters[index]);
        else
            snprintf(object, sizeof object, "noc%u counter %u", noc, index);
        say(node, "%s%s = %u", first ? "polls " : ", ", object, value);
    } else {
        snprintf(object, sizeof object, "register 0x%x", address);
        say(node, "%s%s = 0x%x", first ? "polls " : ", ", object, value);
    }
    if (first)
        snprintf(node->object, sizeof node->object, "%s", object);
}

static void poll_text(const struct looker *self, int at, uint32_t address, uint32_t value)
{
    struct ts_hang_node *node = &self->story->node[at];
    unsigned id = (unsigned)at - CORE;
    bool first = node->object[0] == '\0';
    if (address >= 0xffe80020u && address < 0xffe80040u && id >= TS_RV_TRISC0 &&
        id <= TS_RV_TRISC2 && self->tensix) {
        unsigned index = (address - 0xffe80020u) / 4;
        say(node, "%ssemaphore %u (%s) = %u, max %u", first ? "polls " : ", ", index,
            semaphore_names[index], value, self->tensix->sync.semaphore[index].max);
        if (first) {
            snprintf(node->object, sizeof node->object, "semaphore %u", index);
            last_change(node, &self->tensix->sync.semaphore[index]);
            node->to = changer(self, index, value == 0, at);
        }
        return;
    }
    if (address >= 0xffec0000u && address < 0xffec4000u) {
        unsigned from = address >> 12 & 3;
        say(node, "%sthe mailbox from %s: %s", first ? "polls " : ", ", ts_rv_core_names[from],
            value ? "not empty" : "empty");
        if (first) {
            snprintf(node->object, sizeof node->object, "mailbox[%s-%s]", ts_rv_core_names[from],
                     ts_rv_core_names[id]);
            node->to = CORE + (int)from;
        }
        return;
    }
    bool full;
    const struct ts_buffer *buffer = ts_buffers_at(self->tile, address, &full);
    if (buffer != NULL) {
        uint32_t fill = ts_buffer_fill(self->tile, buffer);
        say(node, "%s%s in circular buffer %s: %u of %u pages are in it",
            first ? "polls for " : ", ", full ? "pages" : "room", buffer->name, fill,
            buffer->pages);
        if (!first)
            return;
        snprintf(node->object, sizeof node->object, "buffer %s", buffer->name);
        last_writer(self, node, address);
        uint8_t by = full ? buffer->pushed_by : buffer->popped_by;
        node->to = by == TS_BY_NOBODY ? -1 : node_of(by);
        if (by == TS_BY_NOBODY)
            snprintf(node->last, sizeof node->last, "nobody has ever %s",
                     full ? "put a page in" : "taken a page out");
        if (node->to == at)
            node->to = -1;
        return;
    }
    if (address >= 0xffb20000u && address < 0xffb40000u) {
        niu_text(node, address, value, first);
        return;
    }
    const char *what = address < TS_L1_SIZE ? "L1 word" : "register";
    say(node, "%s%s 0x%x = 0x%x", first ? "polls " : ", ", what, address, value);
    if (!first)
        return;
    snprintf(node->object, sizeof node->object, "%s 0x%x", what, address);
    if (address >= TS_L1_SIZE)
        return;
    uint32_t real;
    memcpy(&real, self->tile->l1.bytes + (address & ~3u), sizeof real);
    if (real != value && address % 4 == 0)
        say(node, " from its L0 cache (L1 has 0x%x: it is not invalidated)", real);
    int by = last_writer(self, node, address);
    node->to = by == at ? -1 : by;
}

// What the loop waits for, from its last branch.
static void loop_text(struct ts_hang_node *node, const struct ts_rv_spin *spin)
{
    uint32_t a = spin->branch.a, b = spin->branch.b;
    bool taken = spin->branch.taken;
    if (spin->branch.pc == 0)
        return;
    switch (spin->branch.op) {
    case TS_RV_BEQ:
    case TS_RV_BNE:
        if ((spin->branch.op == TS_RV_BNE) == taken)
            say(node, ", until %u is %u", a, b);
        else
            say(node, ", until it is not %u", b);
        break;
    case TS_RV_BLTU:
    case TS_RV_BLT:
        say(node, taken ? ", has %u, needs %u" : ", %u must fall below %u", a, b);
        break;
    case TS_RV_BGEU:
    case TS_RV_BGE:
        if (taken)
            say(node, ", %u must fall below %u", a, b);
        else
            say(node, ", has %u, needs %u", a, b);
        break;
    default:
        break;
    }
}

static void look_core(const struct looker *self, unsigned id)
{
    const struct ts_rv_core *core = &self->tile->cores[id];
    struct ts_hang_node *node = &self->story->node[CORE + id];
    const struct ts_component *c = &core->component;
    if (core->held) {
        node->state = TS_HANG_ABSENT;
        return;
    }
    char insn[64] = "";
    uint32_t pc = core->pending ? core->pending_pc : core->pc;
    struct ts_rv_spin spin = {0};
    if (core->paused || core->spinning) {
        node->state = TS_HANG_ENDED;
        say(node, "has ended at pc 0x%x", core->pc);
        at_pc(self, node, id, core->pc);
        if (c->asleep != TS_BLOCKED)
            return;
        say(node, ", but its last store does not leave: ");
    } else if (core->watch.parked) {
        pc = core->watch.pc;
        spin.polls = 1;
        spin.poll[0].address = core->watch.address;
        spin.poll[0].value = core->watch.value;
        struct ts_rv_spin whole;
        if (ts_core_spins(core, &whole) && whole.polls)
            spin = whole;
    } else if (c->asleep != TS_BLOCKED && ts_core_spins(core, &spin)) {
        pc = spin.poll[0].pc;
    }
    if (spin.polls) {
        node->state = TS_HANG_POLLS;
        node->reason = TS_STALL_RV_POLL;
        for (uint32_t i = 0; i < spin.polls; i++)
            poll_text(self, (int)(CORE + id), spin.poll[i].address, spin.poll[i].value);
        loop_text(node, &spin);
    } else if (spin.period) {
        node->state = TS_HANG_POLLS;
        node->reason = TS_STALL_RV_POLL;
        say(node, "goes round in %u instructions without a load", spin.period);
        return;
    } else if (c->asleep == TS_BLOCKED) {
        struct ts_wait wait = ts_waiting(c);
        say(node, "waits for ");
        waits_on(self, (int)(CORE + id), wait.reason, wait.object);
        if (node->to < 0)
            queue_wait(self, (int)(CORE + id), wait.object);
    } else if (node->state != TS_HANG_ENDED) {
        node->state = TS_HANG_IDLE;
        say(node, "runs");
    }
    uint32_t word = 0;
    if (ts_l1_contains(pc, 4)) {
        memcpy(&word, self->tile->l1.bytes + pc, 4);
        ts_rv_disassemble(pc, word, insn, sizeof insn);
    }
    say(node, " at pc 0x%x: %s", pc, insn);
    at_pc(self, node, id, pc);
}

// --- threads

static void look_thread(const struct looker *self, unsigned t)
{
    const struct ts_frontend *front = &self->tensix->front[t];
    int at = THREAD + (int)t;
    struct ts_hang_node *node = &self->story->node[at];
    if (ts_frontend_empty(front)) {
        const struct ts_rv_core *core = &self->tile->cores[TS_RV_TRISC0 + t];
        bool used = front->pushed != 0 || !core->held;
        node->state = used ? TS_HANG_IDLE : TS_HANG_ABSENT;
        node->to = core->held ? -1 : CORE + TS_RV_TRISC0 + (int)t;
        say(node, "has nothing to do: its FIFOs are empty");
        return;
    }
    char insn[280] = "nothing";
    if (front->gate_count)
        ts_disasm_fields(front->gate[0].word, insn, sizeof insn);
    struct ts_wait wait = ts_waiting(&front->component);
    node->state = TS_HANG_IDLE;
    say(node, "holds %s: ", insn);
    if (front->component.asleep == TS_BLOCKED || front->component.asleep == TS_STALLED)
        waits_on(self, at, wait.reason, wait.object);
    uint32_t pc = ts_frontend_pc(front);
    if (pc != TS_NO_PC) {
        at_pc(self, node, TS_RV_TRISC0 + t, pc);
        say(node, ", from pc 0x%x", pc);
    }
    say(node, "; FIFOs %u + %u + %u%s%s", front->fifo_count, front->replay_count, front->gate_count,
        front->mop.active ? ", in a MOP" : "", front->replay.replaying ? ", replaying" : "");
}

static void look_unpacker(const struct looker *self, unsigned which)
{
    const struct ts_unpack_unit *unit = &self->tensix->unpack[which];
    int at = UNPACKER + (int)which;
    struct ts_hang_node *node = &self->story->node[at];
    if (!unit->pending) {
        node->state = TS_HANG_ABSENT;
        return;
    }
    const struct ts_bank *bank = &self->tensix->files.bank[which][unit->bank];
    say(node, "is in %s of T%u: ", ts_op_info[unit->waiting.op].name, unit->waiting.thread);
    waits_on(self, at, TS_STALL_SRC_NOT_FREE, &bank->object);
}

// --- the rest

static void look_semaphores(const struct looker *self)
{
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        const struct ts_sync_semaphore *s = &self->tensix->sync.semaphore[i];
        struct ts_hang_tile *story = self->story;
        if (s->posted.count + s->got.count + s->dropped.count == 0 && s->value == 0)
            continue;
        char post[60] = "", get[60] = "";
        if (s->posted.count)
            snprintf(post, sizeof post, ", last by %s at %llu", name_of(s->posted.by),
                     (unsigned long long)s->posted.at);
        if (s->got.count)
            snprintf(get, sizeof get, ", last by %s at %llu", name_of(s->got.by),
                     (unsigned long long)s->got.at);
        fact(story, "semaphore %u = %u, max %u: %llu posts%s; %llu gets%s", i, s->value, s->max,
             (unsigned long long)s->posted.count, post, (unsigned long long)s->got.count, get);
        if (s->dropped.count)
            fact(story,
                 "  SEMGET of semaphore %u by %s was lost at value 0, cycle %llu (%llu so far)", i,
                 name_of(s->dropped.by), (unsigned long long)s->dropped.at,
                 (unsigned long long)s->dropped.count);
        if (s->wiped.count)
            fact(story, "  SEMINIT of semaphore %u by %s when it was %u, cycle %llu", i,
                 name_of(s->wiped.by), s->wiped_value, (unsigned long long)s->wiped.at);
        if (s->above.count)
            fact(story,
                 "  SEMPOST of semaphore %u by %s went above its maximum, cycle %llu (%llu so far)",
                 i, name_of(s->above.by), (unsigned long long)s->above.at,
                 (unsigned long long)s->above.count);
    }
}

static void look_rest(const struct looker *self)
{
    struct ts_coprocessor *tensix = self->tensix;
    for (unsigned b = 0; b < 2; b++) {
        const struct ts_src_file *file = ts_files_src(&tensix->files, b);
        unsigned with_math = (unsigned)(file->bank[0].owner == TS_SRC_MATRIX) +
                             (unsigned)(file->bank[1].owner == TS_SRC_MATRIX);
        bool apart = with_math == 1 ? file->bank[file->matrix].owner != TS_SRC_MATRIX ||
                                          file->unpacker == file->matrix
                                    : file->unpacker != file->matrix;
        if (apart)
            fact(
                self->story,
                "src%c: the bank pointers have diverged (unpacker at %u, math at %u, %u banks with "
                "math): one side went on without the other",
                "ab"[b], file -> unpacker, file -> matrix, with_math);
        if (with_math == 0)
            continue;
        fact(self->story,
             "src%c: bank 0 with %s, bank 1 with %s; the unpacker is at %u, math at %u", "ab"[b],
             owner_of(self, &tensix->files.bank[b][0]), owner_of(self, &tensix->files.bank[b][1]),
             file -> unpacker, file -> matrix);
    }
    for (unsigned i = 0; i < TS_MUTEXES; i++)
        if (i != 1 && tensix->sync.mutex[i].holder >= 0)
            fact(self->story, "mutex %u is held by T%d", i, tensix->sync.mutex[i].holder);
    for (unsigned t = 0; t < TS_THREADS; t++)
        if (tensix->front[t].lost)
            fact(self->story, "%llu words of T%u were lost: BRISC pushed in the same cycle",
                 (unsigned long long)tensix->front[t].lost, t);
    for (unsigned t = 0; t < TS_THREADS; t++)
        if (tensix->front[t].replay.recording)
            fact(self->story, "T%u: REPLAY has %u more words to record%s", t,
                 tensix->front[t].replay.recording,
                 tensix->front[t].replay.execute ? "" : " instead of executing them");
    for (unsigned i = 0; i < tensix->said_count; i++) {
        const struct ts_said *said = &tensix->said[i];
        if (said->report == TS_REPORT_SEMGET_DROPPED || said->report == TS_REPORT_SEMPOST_ABOVE_MAX)
            continue; // told with the semaphore
        char pc[24] = "";
        if (said->pc != TS_NO_PC)
            snprintf(pc, sizeof pc, ", pc 0x%x", said->pc);
        fact(self->story, "cycle %llu: %s (%s)%s; %llu so far", (unsigned long long)said->cycle,
             ts_report_name(said->report), said->text, pc, (unsigned long long)said->count);
    }
}

void ts_hang_tile_look(struct ts_hang_tile *self, struct ts_tile *tile, ts_cycle cycle)
{
    struct looker looker = {.story = self, .tile = tile, .tensix = tile->tensix, .cycle = cycle};
    for (unsigned i = 0; i < TS_HANG_NODES; i++) {
        self->node[i].to = -1;
        self->node[i].pc = TS_HANG_NO_PC;
    }
    for (unsigned id = 0; id < TS_RV_CORES; id++) {
        snprintf(self->node[CORE + id].name, sizeof self->node[0].name, "%s", ts_rv_core_names[id]);
        self->node[CORE + id].component = &tile->cores[id].component;
    }
    self->count = TS_RV_CORES;
    if (looker.tensix) {
        for (unsigned t = 0; t < TS_THREADS; t++) {
            snprintf(self->node[THREAD + t].name, sizeof self->node[0].name, "T%u", t);
            self->node[THREAD + t].component = &looker.tensix->front[t].component;
        }
        for (unsigned u = 0; u < 2; u++) {
            snprintf(self->node[UNPACKER + u].name, sizeof self->node[0].name, "UNPACK%u", u);
            self->node[UNPACKER + u].component = &looker.tensix->unpack[u].unit.component;
        }
        self->count = UNPACKER + 2;
    }
    for (unsigned id = 0; id < TS_RV_CORES; id++)
        look_core(&looker, id);
    if (!looker.tensix)
        return;
    for (unsigned t = 0; t < TS_THREADS; t++)
        look_thread(&looker, t);
    for (unsigned u = 0; u < 2; u++)
        look_unpacker(&looker, u);
    look_semaphores(&looker);
    look_rest(&looker);
}
