// The operands of bodies.def's rows inside an interpreter that has `core`, its registers `r` and the
// instruction `i`.
#pragma once

#include "cores/riscv/alu.h"
#include "cores/riscv/fp.h"
#include "cores/riscv/internal.h"

#define RS1  r[i->rs1]
#define RS2  r[i->rs2]
#define A    RS1
#define B    RS2
#define C    r[i->rs3]
#define S(x) ((int32_t)(x))
#define I    ((uint32_t)i->imm)

#define FLAGS (&core->csr[TS_RV_CSR_FCSR]) // exceptions accumulate until software clears them
// The 16-bit format that cfg0 selects, computed where it is used.
#define HALF       half_of(core, false)
#define NAN_BOX(x) ts_rv_half_box(ts_rv_f32_to_half((x), HALF, FLAGS))
#define H(reg)     ts_rv_half_to_f32(ts_rv_half_unbox((reg), HALF), HALF)
// The same with denormals, for operations other than arithmetic.
#define EXACT        half_of(core, true)
#define EXACT_BOX(x) ts_rv_half_box(ts_rv_f32_to_half((x), EXACT, FLAGS))
#define HX(reg)      ts_rv_half_to_f32(ts_rv_half_unbox((reg), EXACT), EXACT)

static inline struct ts_rv_half half_of(const struct ts_rv_core *core, bool exact)
{
    uint32_t cfg0 = core->csr[TS_RV_CSR_CFG0];
    return (struct ts_rv_half){cfg0 & TS_RV_CFG0_EN_BFLOAT, cfg0 & TS_RV_CFG0_EN_BFLOAT_RTNE,
                               exact};
}

// A jump to `target`: writes the link register. Was it predicted?
static inline bool ts_rv_jump(struct ts_rv_core *core, const struct ts_rv_insn *insn,
                              uint32_t target, bool indirect)
{
    struct ts_rv_predictor *const predictor = &core->predictor;
    const uint32_t link = insn->pc + 4;
    core->hop = insn->pc ^ target;
    const bool blind = predictor->blind == insn->pc + 1;
    const bool returns = insn->rd == TS_RV_SINK && (insn->rs1 == 1 || insn->rs1 == 5);
    bool right = !indirect ? ts_rv_predict_direct(predictor, insn->pc, target)
                 : returns ? ts_rv_predict_return(predictor, target)
                           : target == link; // it goes straight on
    if (insn->rd == 1 || insn->rd == 5)
        ts_rv_predict_call(predictor, link);
    core->r[insn->rd] = link;
    right &= !blind;
    predictor->blind = right ? 0 : target + 1;
    if (core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_BP)
        right = core->plain && !indirect && target <= insn->pc;
    core->mispredicts += !right;
    return right;
}
