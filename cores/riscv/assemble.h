// A few lines of assembler for guest programs that the host makes itself: probes, benchmarks,
// tests.
#pragma once

#include "cores/riscv/isa.h"

#define TS_RVASM_WORDS 8192

struct ts_rvasm {
    uint32_t words[TS_RVASM_WORDS];
    uint32_t count;
    bool overflow;
};

static inline void ts_rvasm_word(struct ts_rvasm *self, uint32_t word)
{
    if (self->count == TS_RVASM_WORDS)
        self->overflow = true;
    else
        self->words[self->count++] = word;
}

static inline void ts_rvasm(struct ts_rvasm *self, enum ts_rv_op op, unsigned rd, unsigned rs1,
                            unsigned rs2, int32_t imm)
{
    ts_rvasm_word(self, ts_rv_encode(op, rd, rs1, rs2, imm));
}

// Where the next instruction goes, for branches back.
static inline uint32_t ts_rvasm_here(const struct ts_rvasm *self)
{
    return self->count;
}

static inline void ts_rvasm_back(struct ts_rvasm *self, enum ts_rv_op op, unsigned rs1,
                                 unsigned rs2, uint32_t to)
{
    ts_rvasm(self, op, 0, rs1, rs2, ((int32_t)to - (int32_t)self->count) * 4);
}

static inline void ts_rvasm_li(struct ts_rvasm *self, unsigned rd, uint32_t value)
{
    int32_t low = (int32_t)(value << 20) >> 20;
    uint32_t high = value - (uint32_t)low;
    if (high != 0) {
        ts_rvasm(self, TS_RV_LUI, rd, 0, 0, (int32_t)high);
        if (low != 0)
            ts_rvasm(self, TS_RV_ADDI, rd, rd, 0, low);
    } else {
        ts_rvasm(self, TS_RV_ADDI, rd, 0, 0, low);
    }
}
