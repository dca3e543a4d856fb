// What a core did, from its commits (record.h).
//
// A wait is a load of a semaphore or of a buffer's counter, and a branch on a value that was computed
// from it that decides whether the word is loaded again. It is recorded when the core goes on, with
// the condition that let it go.
#include "platform/study/hang/recorder.h"

#include "platform/tile/nodes.h"
#include "platform/tile/windows.h"

#define PUSH_END (TS_RV_PUSH_BASE + 0x10000u)
#define LOOP     96 // bytes of a loop that polls, at most

// Each mailbox has two words: the second is its status.
static bool is_mail(const struct ts_place *place, uint32_t address)
{
    return place->kind == TS_PLACE_MAILBOX && !(address & 4);
}

// An operation that the core has done. What it polled before is over.
#define OP(core, id, ...)          \
    ((core)->poll.unmet[0] = '\0', \
     ts_record_add((core)->recorder, (id), (core)->pushes, 0, __VA_ARGS__))

// --- polls

static struct ts_rv_insn insn_at(const struct ts_tile *tile, uint32_t pc)
{
    uint32_t word = 0;
    if (ts_l1_contains(pc, 4))
        memcpy(&word, tile->l1.bytes + pc, sizeof word);
    return ts_rv_decode(word);
}

// Does a jump to pc load the word again? Other loops are around it.
static bool back(const struct ts_record_core *core, uint32_t pc)
{
    return pc <= core->poll.pc && core->poll.pc - pc < LOOP;
}

// Is there a loop from pc on that loads the word again? Compilers put a test in front of a loop: the
// load before the branch is another one than that of the loop.
static bool loops_at(const struct ts_record_core *core, uint32_t pc)
{
    const struct ts_tile *tile = core->recorder->tile;
    uint32_t r[32], load = 0;
    memcpy(r, core->r, sizeof r);
    for (unsigned i = 0; i < 16; i++, pc += 4) {
        struct ts_rv_insn in = insn_at(tile, pc);
        bool own = in.rs1 < 32;
        if (in.cls == TS_RV_CLASS_LOAD && own && r[in.rs1] + (uint32_t)in.imm == core->poll.address)
            load = pc;
        if ((in.cls == TS_RV_CLASS_BRANCH || in.op == TS_RV_JAL) && in.imm < 0)
            return (load && pc + (uint32_t)in.imm <= load) || back(core, pc + (uint32_t)in.imm);
        if (in.op == TS_RV_JAL) {
            pc += (uint32_t)in.imm - 4;
        } else if (in.cls == TS_RV_CLASS_JUMP || in.cls == TS_RV_CLASS_STORE ||
                   in.cls == TS_RV_CLASS_TTINSN) {
            return false;
        }
        if (in.rd < 32 && in.rd && in.op == TS_RV_LUI)
            r[in.rd] = (uint32_t)in.imm;
        else if (in.rd < 32 && in.rd && in.op == TS_RV_ADDI && own)
            r[in.rd] = r[in.rs1] + (uint32_t)in.imm;
    }
    return false;
}

// Does the branch at pc decide whether the word is loaded again? `*stay`: it is if the branch is
// taken.
static bool in_loop(const struct ts_record_core *core, uint32_t pc, int32_t offset, bool *stay)
{
    uint32_t target = pc + (uint32_t)offset;
    *stay = offset < 0 && (back(core, target) || loops_at(core, target));
    if (*stay || loops_at(core, pc + 4))
        return true;
    *stay = true;
    return offset > 0 && loops_at(core, target);
}

static bool taken(enum ts_rv_op op, uint32_t a, uint32_t b)
{
    switch (op) {
    case TS_RV_BEQ:
        return a == b;
    case TS_RV_BNE:
        return a != b;
    case TS_RV_BLT:
        return (int32_t)a < (int32_t)b;
    case TS_RV_BGE:
        return (int32_t)a >= (int32_t)b;
    case TS_RV_BLTU:
        return a < b;
    default:
        return a >= b;
    }
}

enum { EQ, NE, LT, LE, GT, GE };
static const char *const compares[] = {"is", "is_not", "below", "at_most", "above", "at_least"};

// What is true of the loaded value, compared with the other operand, when the branch goes its way.
static unsigned condition(enum ts_rv_op op, bool first, bool way)
{
    static const uint8_t not_so[] = {
        [EQ] = NE, [NE] = EQ, [LT] = GE, [LE] = GT, [GT] = LE, [GE] = LT};
    unsigned how = op == TS_RV_BEQ                       ? EQ
                   : op == TS_RV_BNE                     ? NE
                   : op == TS_RV_BLT || op == TS_RV_BLTU ? (first ? LT : GT)
                                                         : (first ? GE : LE);
    return way ? how : not_so[how];
}

// The wait as a step; false: it has none for it.
static bool wait_text(const struct ts_record_core *core, unsigned how, uint32_t value,
                      uint32_t other, char *text, size_t size)
{
    const struct ts_record_poll *poll = &core->poll;
    if (poll->kind == TS_POLL_SEMAPHORE) {
        snprintf(text, size, "until: {semaphore: %s, %s: %u}", ts_script_semaphores[poll->index],
                 compares[how], other);
        return value == poll->value && other <= 15;
    }
    const struct ts_buffer *buffer = &core->recorder->tile->buffers[poll->index];
    uint32_t pages = how == GE ? other : how == GT ? other + 1 : how == NE ? 1 : 0;
    snprintf(text, size, "%s: {buffer: %s, pages: %u}",
             poll->kind == TS_POLL_RECEIVED ? "cb_wait_front" : "cb_reserve_back", buffer->name,
             pages);
    return pages >= 1 && pages <= 1000;
}

static void branched(struct ts_record_core *core, unsigned id, const struct ts_rv_insn *in,
                     const struct ts_rv_commit *commit)
{
    struct ts_record_poll *poll = &core->poll;
    if (poll->kind == TS_POLL_NONE || in->rs1 >= 32 || in->rs2 >= 32)
        return;
    bool first = poll->depend >> in->rs1 & 1, second = poll->depend >> in->rs2 & 1, stay;
    if (!(first | second) || !in_loop(core, commit->pc, in->imm, &stay))
        return;
    uint32_t a = core->r[in->rs1], b = core->r[in->rs2];
    bool stays = taken(in->op, a, b) == stay;
    char text[TS_RECORD_TEXT];
    unsigned how = condition(in->op, first, !stay);
    bool clear = first != second &&
                 wait_text(core, how, first ? a : b, first ? b : a, text, sizeof text);
    if (!clear) {
        core->unclear += !stays;
    } else if (stays) {
        memcpy(poll->unmet, text, sizeof text);
    } else {
        if (poll->kind == TS_POLL_SEMAPHORE)
            core->recorder->semaphores |= 1u << poll->index;
        OP(core, id, "%s", text);
    }
    if (!stays)
        poll->kind = TS_POLL_NONE;
}

static void loaded(struct ts_record_core *core, unsigned id, const struct ts_rv_commit *commit)
{
    struct ts_record_poll *poll = &core->poll;
    uint32_t address = commit->address;
    const struct ts_tile *tile = core->recorder->tile;
    const struct ts_place place = ts_place_of(tile, id, address);
    if (address == TS_AT_TTSYNC && ts_is_trisc(id)) {
        OP(core, id, "sync: tensix");
    } else if (address == TS_AT_TTSYNC_MOP && ts_is_trisc(id)) {
        OP(core, id, "sync: mop");
    } else if (is_mail(&place, address)) {
        OP(core, id, "read: %s", ts_rv_core_names[place.index]);
    } else if (place.kind == TS_PLACE_SEMAPHORE) {
        poll->kind = TS_POLL_SEMAPHORE;
        poll->index = place.index;
        poll->pc = commit->pc;
        poll->value = commit->value;
        poll->depend = 0;
        poll->address = address;
    } else if (place.kind == TS_PLACE_BUFFER) {
        uint32_t index = (uint32_t)(place.buffer - tile->buffers);
        if (poll->kind <= TS_POLL_SEMAPHORE || poll->index != index)
            poll->depend = 0;
        poll->kind = place.full ? TS_POLL_RECEIVED : TS_POLL_ACKED;
        poll->index = index;
        poll->pc = commit->pc;
        poll->address = address;
    }
}

// --- the rest

static struct ts_record_place take_place(struct ts_record_held *held)
{
    return held->taken < held->count ? held->place[held->taken++] : (struct ts_record_place){0, 0};
}

static void counted(struct ts_record_core *core, unsigned id, const struct ts_buffer *buffer,
                    bool full, uint32_t value)
{
    uint32_t pages = ts_record_pages(core->recorder, buffer, full, value);
    if (pages == 0)
        return;
    struct ts_record_op *op = OP(core, id, "%s: {buffer: %s, pages: %u}",
                                 full ? "cb_push_back" : "cb_pop_front", buffer->name, pages);
    if (op)
        op->place = take_place(&core->stored);
}

static void stored(struct ts_record_core *core, unsigned id, const struct ts_rv_commit *commit)
{
    uint32_t address = commit->address;
    struct ts_record_op *op = NULL;
    const struct ts_place place = ts_place_of(core->recorder->tile, id, address);
    if (ts_is_trisc(id) && address >= TS_RV_PUSH_BASE && address < PUSH_END) {
        core->pushes++;
    } else if (place.kind == TS_PLACE_SEMAPHORE) {
        core->recorder->semaphores |= 1u << place.index;
        op = OP(core, id, "%s: %s", commit->stored & 1 ? "get" : "post",
                ts_script_semaphores[place.index]);
    } else if (is_mail(&place, address)) {
        op = OP(core, id, "mail: %s", ts_rv_core_names[place.index]);
    } else if (place.kind == TS_PLACE_BUFFER) {
        counted(core, id, place.buffer, place.full, commit->stored);
    }
    if (op)
        op->place = take_place(&core->sent);
}

void ts_record_commit(void *context, unsigned id, const struct ts_rv_commit *commit)
{
    struct ts_record_core *core = context;
    struct ts_rv_insn in = ts_rv_decode(commit->word);
    uint32_t *depend = &core->poll.depend, from = 0;
    if (in.rs1 < 32 && in.rs1)
        from |= *depend >> in.rs1 & 1;
    if (in.rs2 < 32 && in.rs2)
        from |= *depend >> in.rs2 & 1;
    switch (commit->kind) {
    case TS_RV_CLASS_LOAD:
        loaded(core, id, commit);
        from = core->poll.kind != TS_POLL_NONE && core->poll.pc == commit->pc;
        break;
    case TS_RV_CLASS_STORE:
        stored(core, id, commit);
        break;
    case TS_RV_CLASS_TTINSN:
        core->pushes += ts_is_trisc(id);
        break;
    case TS_RV_CLASS_BRANCH:
        branched(core, id, &in, commit);
        break;
    }
    if (commit->rd < 32 && commit->rd) {
        core->r[commit->rd] = commit->value;
        *depend = (*depend & ~(1u << commit->rd)) | from << commit->rd;
    }
}

// A wait that the end of the run found.
void ts_record_core_end(struct ts_record_core *core, unsigned id)
{
    const struct ts_tile *tile = core->recorder->tile;
    const struct ts_rv_view view = ts_rv_core_view(&tile->cores[id]);
    const struct ts_place place = ts_place_of(tile, id, view.address);
    if (view.ended)
        return;
    if (core->poll.unmet[0]) {
        char text[TS_RECORD_TEXT];
        memcpy(text, core->poll.unmet, sizeof text);
        if (core->poll.kind == TS_POLL_SEMAPHORE)
            core->recorder->semaphores |= 1u << core->poll.index;
        OP(core, id, "%s", text);
    } else if (view.waits && is_mail(&place, view.address)) {
        OP(core, id, "read: %s", ts_rv_core_names[place.index]);
    } else if (view.waits && view.address == TS_AT_TTSYNC && ts_is_trisc(id)) {
        OP(core, id, "sync: tensix");
    }
}
