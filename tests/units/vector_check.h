// Shared by the vector unit's tests: words, registers, random data.
#ifndef TENSIM_TESTS_UNITS_VECTOR_CHECK_H
#define TENSIM_TESTS_UNITS_VECTOR_CHECK_H

#include "tests/random.h"
#include "tests/units/vector_execute.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define OP(name)                  ((uint32_t)TS_OP_##name << 24)
#define SFP(name, imm, c, d, mod) (OP(name) | (uint32_t)(imm) << 12 | (c) << 8 | (d) << 4 | (mod))
#define SFP3(name, a, b, c, d, mod) \
    (OP(name) | (uint32_t)(a) << 16 | (b) << 12 | (c) << 8 | (d) << 4 | (mod))
#define SFP16(name, imm, d, mod)     (OP(name) | (uint32_t)(imm) << 8 | (d) << 4 | (mod))
#define SFPDST(name, reg, mod, addr) (OP(name) | (uint32_t)(reg) << 20 | (mod) << 16 | (addr))
#define ALL_ON                       SFP(SFPENCC, 3, 0, 0, 10) // lane flags in use and set

struct rig {
    struct ts_vector v;
    struct ts_dst dst;
    struct ts_vector_view view;
};

static inline void rig_reset(struct rig *r)
{
    memset(r, 0, sizeof *r);
    ts_vector_reset(&r->v);
    ts_dst_reset(&r->dst);
    r->view.srcb_format = 5; // BF16
}

static inline struct ts_vector_insn rig_bind(struct rig *r, uint32_t word)
{
    struct ts_vector_insn i;
    if (!ts_vector_decode(word, &i)) // no ck_assert: it is slow, and this runs a million times
        ck_abort_msg("%08x is no vector instruction", word);
    if (ts_vector_touches_dst(i.op))
        ts_vector_bind(&i, &r->view);
    return i;
}

static inline enum ts_vector_fault rig_run(struct rig *r, uint32_t word)
{
    struct ts_vector_insn i = rig_bind(r, word);
    return ts_vector_execute(&r->v, &r->dst, &i);
}

static inline struct ts_vector_done rig_clock(struct rig *r, uint32_t word)
{
    struct ts_vector_done done;
    struct ts_vector_insn i = rig_bind(r, word);
    ts_vector_cycle(&r->v, &r->dst, &i, &done);
    return done;
}

static inline struct ts_vector_done rig_rest(struct rig *r)
{
    struct ts_vector_done done;
    ts_vector_cycle(&r->v, &r->dst, NULL, &done);
    return done;
}

static inline void rig_fill(struct rig *r, unsigned reg, uint32_t value)
{
    for (unsigned l = 0; l < TS_LANES; l++)
        r->v.lreg[reg][l] = value;
}

static inline uint32_t rig_random(uint64_t *state)
{
    return (uint32_t)(random64(state) >> 16);
}

#endif
