// What the programs of an RMSNorm share (rmsnorm.h): words, configuration, markers, flags.
#ifndef TENSIM_STUDY_SILICON_RMSNORM_WORDS_H
#define TENSIM_STUDY_SILICON_RMSNORM_WORDS_H

#include "platform/study/silicon/rmsnorm.h"
#include "platform/study/silicon/stage.h"

#include <string.h>

#define OP(name)           ((uint32_t)TS_OP_##name << 24)
#define SETC16(r, v)       (OP(SETC16) | (uint32_t)(r) << 16 | (uint32_t)(v))
#define STALL(block, cond) (OP(STALLWAIT) | (uint32_t)(block) << 15 | (uint32_t)(cond))
#define SEM(name, n)       (OP(name) | 4u << (n))
#define SEMWAIT(block, n)  (OP(SEMWAIT) | (uint32_t)(block) << 15 | 4u << (n) | 1)
#define SEMSPACE(block, n) (OP(SEMWAIT) | (uint32_t)(block) << 15 | 4u << (n) | 2)
#define SEMINIT(n)         (OP(SEMINIT) | 1u << 20 | 4u << (n))
#define RMW(byte, m, v, i) (OP(RMWCIB##byte) | (uint32_t)(m) << 16 | (uint32_t)(v) << 8 | (i))
#define SETRWC(release, m) (OP(SETRWC) | (uint32_t)(release) << 22 | (m))
#define SFP4(name, a, b, c, d, mod) \
    (OP(name) | (uint32_t)(a) << 16 | (uint32_t)(b) << 12 | (uint32_t)(c) << 8 | (d) << 4 | (mod))
#define SFP2(name, imm, c, d, mod) \
    (OP(name) | (uint32_t)(imm) << 12 | (uint32_t)(c) << 8 | (uint32_t)(d) << 4 | (mod))
#define SFPLOADI(d, mod, v)  (OP(SFPLOADI) | (uint32_t)(d) << 20 | (uint32_t)(mod) << 16 | (v))
#define SFPCONFIG(v, d, mod) (OP(SFPCONFIG) | (uint32_t)(v) << 8 | (uint32_t)(d) << 4 | (mod))
#define DST(name, reg, mode, row) \
    (OP(name) | (uint32_t)(reg) << 20 | 3u << 16 | (uint32_t)(mode) << 13 | (uint32_t)(row))
#define NOP            OP(NOP)
#define SFPNOP         OP(SFPNOP)
#define RUN_MOP        (OP(MOP) | 1u << 23)
#define REPLAY(n, rec) (OP(REPLAY) | (uint32_t)(n) << 4 | (rec))

enum { B_TDMA = 1, B_SYNC = 2, B_UNPACK = 8, B_MATH = 64, B_CFG = 128, B_VECTOR = 256 };
enum { C_SCALAR = 1, C_UNPACK = 2 | 4, C_PACK = 8, C_MATRIX = 16, C_CLEAR = 32 | 64 };
enum { C_VALID = 128 | 256, C_VECTOR = 1 << 11, C_MATH = C_MATRIX | C_VECTOR };
enum { MATH_PACK = 1, UNPACKED = 2, CONFIGURED = 5, MATH_DONE = 7 };
enum { INPUT = 0x37000, GAMMA = INPUT + 8192, OUTPUT = GAMMA + 8192 };
enum { SCALE = OUTPUT + 8192 + 64, FLAGS = SCALE + 512, SPARE = 0x160fe8 };
enum { A = 10, B, C, D }; // RISC-V registers
#define CONFIG_SYNC 0xffe80034u
#define EPSILON     1e-5f

// ---- what the programs share

static inline void word(struct ts_rvasm *k, uint32_t value)
{
    stage_tensix(k, value);
}

static inline void config(struct ts_rvasm *k, unsigned index, uint32_t value)
{
    stage_store(k, 0xffef0000u + 4 * index, value);
}

struct setting {
    unsigned index;
    uint32_t value;
};

static inline void configs(struct ts_rvasm *k, const struct setting *settings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        config(k, settings[i].index, settings[i].value);
}

static inline void mop_sync(struct ts_rvasm *k)
{
    ts_rvasm_li(k, STAGE_T, 0xffe80008);
    ts_rvasm(k, TS_RV_SW, 0, STAGE_T, STAGE_ZERO, 0);
    ts_rvasm(k, TS_RV_LW, STAGE_V, STAGE_T, 0, 0);
    ts_rvasm(k, TS_RV_AND, 0, 0, STAGE_V, 0);
}

struct mop {
    unsigned outer, inner;
    uint32_t start, end, loop, last, final;
};

static inline void set_mop(struct ts_rvasm *k, struct mop mop)
{
    const uint32_t words[9] = {mop.outer, mop.inner, mop.start, mop.end,  mop.end,
                               mop.loop,  NOP,       mop.last,  mop.final};
    mop_sync(k);
    for (unsigned i = 0; i < 9; i++)
        stage_store(k, 0xffb80000u + 4 * i, words[i]);
}

// A marker of the part that is timed; the others take their time, too.
static inline void mark(struct ts_rvasm *k, bool timed, bool stop)
{
    if (timed && stop) {
        stage_stop(k);
    } else if (timed) {
        stage_start(k);
    } else {
        ts_rvasm_li(k, STAGE_T, 0xffb121f0);
        ts_rvasm(k, TS_RV_LW, STAGE_V, STAGE_T, 0, 0);
        ts_rvasm_li(k, STAGE_T, SPARE);
        ts_rvasm(k, TS_RV_SW, 0, STAGE_T, STAGE_V, 0);
        if (stop)
            ts_rvasm(k, TS_RV_FENCE, 0, 0, 0, 0);
    }
}

static inline void constant(struct ts_rvasm *k, unsigned reg, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    word(k, SFPLOADI(reg, 8, bits >> 16));
    word(k, SFPLOADI(reg, 10, bits & 0xffff));
}

// Signals another core through a flag in L1, and waits for one.
static inline void tell(struct ts_rvasm *k, uint32_t flag, unsigned value)
{
    stage_store(k, flag, value);
    ts_rvasm(k, TS_RV_FENCE, 0, 0, 0, 0);
}

static inline void hear(struct ts_rvasm *k, uint32_t flag, unsigned value)
{
    ts_rvasm_li(k, A, flag);
    ts_rvasm_li(k, B, value);
    uint32_t again = ts_rvasm_here(k);
    ts_rvasm(k, TS_RV_LW, C, A, 0, 0);
    ts_rvasm(k, TS_RV_FENCE, 0, 0, 0, 0); // the flag may lie in the core's own cache
    ts_rvasm_back(k, TS_RV_BNE, C, B, again);
}

// Configures an unpacker as unpack.py of blackhole-py does: for BF16, or FP32 (wide), to its source
// register, or straight to Dst (dst: where, in data).
void stage_unpacker(struct ts_rvasm *u, unsigned engine, uint32_t address, bool wide,
                    const uint32_t *dst);
// That for tiles of 1024 BF16 values.
void rmsnorm_unpacker(struct ts_rvasm *u, unsigned engine, uint32_t address);
// The program of T1; `other` is the thread that sums squares, where it is another one.
void rmsnorm_math(struct ts_rvasm *m, struct ts_rvasm *other, const struct rmsnorm *n);

#endif
