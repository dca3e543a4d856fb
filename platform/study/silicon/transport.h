// Unpacks and packs with the RISC-V code around them (transport.c): rows, and what the programs share.
#ifndef TENSIM_STUDY_SILICON_TRANSPORT_H
#define TENSIM_STUDY_SILICON_TRANSPORT_H

#include "platform/study/silicon/rmsnorm_words.h"

#define SETADC(dim, value) (OP(SETADC) | 4u << 21 | (uint32_t)(dim) << 18 | (uint32_t)(value))
#define SETADCXX(set, end) (OP(SETADCXX) | (uint32_t)(set) << 21 | (uint32_t)(end) << 10)
#define SETADCZW(set, m)   (OP(SETADCZW) | (uint32_t)(set) << 21 | (m))
#define PACR(mode, from, last) \
    (OP(PACR) | (uint32_t)(mode) << 15 | (uint32_t)(from) << 8 | (uint32_t)(last))
#define UNPACR(engine, mode, valid) \
    (OP(UNPACR) | (uint32_t)(engine) << 23 | (uint32_t)(mode) << 15 | 0x80 | (valid) << 6 | 1)
#define C_TRISC_CFG (1u << 10)
#define PUSH        0xffe40000u // Tensix words by store
#define SCRATCH     (INPUT + 0x3000)
#define PRNG_SEED   186

enum { N = 20, M, BYTES, FROM, TO, VALUE, INDEX, LIMIT, W, X, Y, Z }; // RISC-V registers
enum transport_kind { TO_DST, TO_SRC, PACK, STAGED, INSERTED };
enum { PLAIN, RELU, CLAMP, STOCHASTIC };

struct transport {
    struct ts_silicon_row base;
    enum transport_kind kind;
    bool wide; // FP32
    unsigned count;
    unsigned where; // TO_SRC, STAGED: unpacker; others: the first datum in Dst
    unsigned mode;  // PACK: above
    unsigned page;  // STAGED: values that are unpacked
};

// ---- RISC-V

// The published assembler's loop over INDEX: the test at its start, a jump back at its end.
struct loop {
    unsigned start, test, index, limit;
};

static inline struct loop loop_begin(struct ts_rvasm *k, unsigned index, unsigned limit)
{
    struct loop loop = {.start = ts_rvasm_here(k), .index = index, .limit = limit};
    loop.test = stage_forward(k);
    return loop;
}

static inline void loop_end(struct ts_rvasm *k, struct loop loop)
{
    ts_rvasm(k, TS_RV_ADDI, loop.index, loop.index, 0, 1);
    ts_rvasm(k, TS_RV_JAL, 0, 0, 0, ((int32_t)loop.start - (int32_t)k->count) * 4);
    stage_land(k, loop.test, TS_RV_BGEU, loop.index, loop.limit);
}

static inline void store_register(struct ts_rvasm *k, uint32_t address, unsigned reg)
{
    ts_rvasm_li(k, STAGE_T, address);
    ts_rvasm(k, TS_RV_SW, 0, STAGE_T, reg, 0);
}

// A word with bits from a register.
static inline void issue_or(struct ts_rvasm *k, uint32_t bits, unsigned reg)
{
    ts_rvasm_li(k, X, bits);
    ts_rvasm(k, TS_RV_OR, Y, reg, X, 0);
    store_register(k, PUSH, Y);
}

// SETADCXX of as many data as a register says.
static inline void set_x(struct ts_rvasm *k, unsigned set, unsigned reg)
{
    ts_rvasm(k, TS_RV_ADDI, W, reg, 0, -1);
    ts_rvasm(k, TS_RV_SLLI, W, W, 0, 10);
    issue_or(k, SETADCXX(set, 0), W);
}

// A MOP with one end word; its count of the outer or inner loop is in a register (0: the constant).
static inline void set_mop_by(struct ts_rvasm *k, unsigned outer, unsigned inner, struct mop mop)
{
    const uint32_t words[9] = {mop.outer, mop.inner, mop.start, mop.end,  NOP,
                               mop.loop,  NOP,       mop.last,  mop.final};
    mop_sync(k);
    for (unsigned i = 0; i < 9; i++) {
        unsigned reg = i == 0 ? outer : i == 1 ? inner : 0;
        if (reg)
            store_register(k, 0xffb80000u + 4 * i, reg);
        else
            stage_store(k, 0xffb80000u + 4 * i, words[i]);
    }
}

// Makes an unpacker's configuration take effect.
static inline void commit(struct ts_rvasm *u, unsigned engine)
{
    ts_rvasm_li(u, STAGE_T, 0xffef0000u + 4 * (76 + 48 * engine));
    ts_rvasm(u, TS_RV_LW, STAGE_V, STAGE_T, 0, 0);
    stage_store(u, CONFIG_SYNC, 0);
}

// ---- programs of transport_units.c

void transport_to_dst(struct stage *stage, const struct transport *r);
void transport_to_src(struct stage *stage, const struct transport *r);
void transport_pack(struct stage *stage, const struct transport *r);

#endif
