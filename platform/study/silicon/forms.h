// Instructions by their form, for programs that are written again from a listing.
#ifndef TENSIM_STUDY_SILICON_FORMS_H
#define TENSIM_STUDY_SILICON_FORMS_H

#include "cores/riscv/assemble.h"

static inline void r(struct ts_rvasm *k, enum ts_rv_op op, unsigned rd, unsigned a, unsigned b)
{
    ts_rvasm(k, op, rd, a, b, 0);
}

static inline void i(struct ts_rvasm *k, enum ts_rv_op op, unsigned rd, unsigned a, int32_t imm)
{
    ts_rvasm(k, op, rd, a, 0, imm);
}

static inline void store(struct ts_rvasm *k, unsigned value, unsigned base, int32_t at)
{
    ts_rvasm(k, TS_RV_SW, 0, base, value, at);
}

#endif
