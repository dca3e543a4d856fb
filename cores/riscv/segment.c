// Segments of the automaton (record.h): works them out with exec.c, and makes edges of them.
#include "cores/riscv/issue.h"

#define SUM_MAX 2047 // of a reason in one segment

const uint8_t ts_rv_reasons[3] = {TS_STALL_RV_OPERAND, TS_STALL_RV_RETIRE, TS_STALL_RV_FETCH};

static uint64_t lost_to(const struct ts_rv_core *core, const struct ts_rv_ahead *before,
                        enum ts_stall reason)
{
    return core->ahead.lost[reason] - before->lost[reason] + core->slept_lost[reason];
}

// The instructions of a segment, and what the core has lost since `before` without `cycles` of its
// cut; false: not for an edge.
static bool sum_up(const struct ts_rv_core *core, uint64_t instructions,
                   const struct ts_rv_ahead *before, uint64_t cycles, struct ts_rv_edge *edge)
{
    uint64_t all = 0, known = lost_to(core, before, TS_STALL_RV_SERIAL) + cycles;
    for (unsigned i = 0; i < TS_STALL_COUNT; i++)
        all += lost_to(core, before, (enum ts_stall)i);
    edge->serial = (uint32_t)(known - cycles);
    edge->sums = instructions;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t lost = lost_to(core, before, (enum ts_stall)ts_rv_reasons[i]);
        if (lost > SUM_MAX)
            return false;
        known += lost;
        edge->sums |= lost << (16 + 16 * i);
    }
    return all == known;
}

uint64_t ts_rv_not_slept(struct ts_rv_core *core, enum ts_stall reason, uint64_t lost)
{
    uint64_t booked = core->slept < lost ? core->slept : lost;
    core->slept -= booked;
    core->slept_lost[reason] += booked;
    return lost - booked;
}

// The instruction after a cut. A segment that enters no line continues in the cut's own.
static const struct ts_rv_insn *after(const struct ts_rv_cut *cut,
                                      const struct ts_rv_record *record)
{
    uint32_t pc = record->state.pc, count = 1;
    switch (record->state.kind) {
    case TS_RV_CUT_LINE:
        return cut->line[0]->insn;
    case TS_RV_CUT_JUMP:
        return &cut->line[0]->insn[cut->target / 4 % 4];
    case TS_RV_CUT_BRANCH:
        if (cut->taken)
            return &cut->line[0]->insn[(uint32_t)record->insn->imm / 4 % 4];
        break;
    case TS_RV_CUT_PUSH:
        count = cut->access.value;
        break;
    }
    return &record->state.line->insn[pc / 4 % 4 + count];
}

// Copies the code of a segment from `i` to the cut at its end; returns the number of instructions.
static uint32_t copy(const struct ts_rv_core *core, const struct ts_rv_insn *i,
                     struct ts_rv_insn *code)
{
    const struct ts_rv_state *end = &core->record->state;
    for (uint32_t count = 0; count < TS_RV_CODE_MAX;) {
        if (i->op == TS_RV_LINE_END && !(end->kind == TS_RV_CUT_LINE && end->pc == i->pc)) {
            i = (*ts_rv_line_at(core, i->pc / 16))->insn;
            continue;
        }
        code[count++] = *i;
        if (i->op == TS_RV_LINE_END || (i->pc == end->pc && end->kind != TS_RV_CUT_LINE))
            return count;
        i++;
    }
    return 0;
}

// An instruction that uses the result of its predecessor takes it from a local variable. A segment is entered only at
// its first instruction, so the predecessor has always run. The loop goes backwards, because it compares with the
// predecessor's op before that op is replaced.
static void forward(struct ts_rv_insn *code, uint32_t count)
{
    static const struct {
        uint8_t a, b;
    } taking[TS_RV_OP_COUNT] = {
#define BODY(id, value) [TS_RV_##id] = {TS_RV_A_##id, TS_RV_B_##id},
#define FLOAT(id, value)
#include "cores/riscv/bodies.def"
    };
    while (count-- > 1) {
        const struct ts_rv_insn *before = &code[count - 1];
        struct ts_rv_insn *i = &code[count];
        if (taking[i->op].a == 0 || taking[before->op].a == 0)
            continue;
        if (i->rs1 == before->rd)
            i->op = taking[i->op].a;
        else if (i->rs2 == before->rd)
            i->op = taking[i->op].b;
    }
}

// Works out a segment, from the record the core is in if it is in one, and enters the record at its
// end. The edge for `key`, from an access that entered at `entered` after `unit` lost cycles, is
// added. False: the core stops here, *go_on says how.
bool ts_rv_build(struct ts_rv_core *core, ts_cycle now, ts_cycle horizon, struct ts_rv_cut *cut,
                 uint64_t key, ts_cycle entered, uint64_t unit, bool *go_on)
{
    struct ts_rv_record *record = core->record;
    struct ts_rv_edge edge = {.key = key};
    const struct ts_rv_ahead ahead = core->ahead;
    const uint64_t instret = core->instret, misses = core->fetch_misses;
    const ts_cycle parted = core->parted;
    // The losses of a record are known afterwards.
    const bool whole = record != NULL && key != TS_RV_ONCE;
    memset(core->slept_lost, 0, sizeof core->slept_lost);
    if (core->t >= core->woken)
        core->slept = 0;
    ts_rv_leave(core);
    *go_on = ts_rv_interpret(core, now, cut);
    if (!*go_on || !cut->stopped)
        return false;
    if (ts_rv_described(core, horizon))
        core->record = ts_rv_record_of(core, (enum ts_rv_cut_kind)cut->kind);
    if (core->record == NULL) {
        *go_on = ts_rv_interpret(core, now, NULL);
        return false;
    }
    if (!whole || core->fetch_misses != misses || core->parted != parted ||
        !sum_up(core, core->instret - instret, &ahead, unit, &edge))
        return true;
    struct ts_rv_insn code[TS_RV_CODE_MAX];
    edge.first = cut->first % TS_RV_SETS;
    edge.lines = (uint16_t)cut->lines;
    memcpy(edge.line, cut->line, sizeof edge.line);
    edge.after = (uint32_t)(core->t - entered);
    edge.to = core->record;
    edge.count = (uint16_t)copy(core, after(cut, record), code);
    if (edge.count != 0) {
        forward(code, edge.count);
        ts_rv_edge_add(core->code, record, &edge, code);
    }
    return true;
}
