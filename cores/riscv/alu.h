// Integer operations that C has no operator for, and how long a division takes.
//
// Source: the RISC-V M and B extensions; division: div_* of config/blackhole.yaml.
#pragma once

#include "cores/riscv/isa.h"
#include "cores/riscv/params.h"

static inline uint32_t ts_rv_divide(unsigned op, uint32_t a, uint32_t b)
{
    bool overflow = a == 0x80000000u && b == 0xffffffffu;
    switch (op) {
    case TS_RV_DIV:
        return b == 0 ? 0xffffffffu : overflow ? a : (uint32_t)((int32_t)a / (int32_t)b);
    case TS_RV_DIVU:
        return b == 0 ? 0xffffffffu : a / b;
    case TS_RV_REM:
        return b == 0 ? a : overflow ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
    default:
        return b == 0 ? a : a % b;
    }
}

// Cycles a division keeps EX1.
static inline uint32_t ts_rv_divide_cycles(const struct ts_rv_params *p, unsigned op, uint32_t a,
                                           uint32_t b)
{
    bool is_signed = op == TS_RV_DIV || op == TS_RV_REM;
    if (b <= 1 || (is_signed && a == 0x80000000u && b == 0xffffffffu))
        return p->div_special;
    if (is_signed && a >> 31)
        a = 0u - a;
    uint32_t bits = a == 0 ? 0 : 32 - (uint32_t)__builtin_clz(a);
    uint32_t cycles = bits + p->div_offset +
                      (bits > p->div_knee ? (bits - p->div_knee) / p->div_knee_step : 0);
    return cycles < p->div_min ? p->div_min : cycles > p->div_max ? p->div_max : cycles;
}

// orc.b: every byte that is not zero becomes all ones.
static inline uint32_t ts_rv_orc_b(uint32_t a)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i += 8)
        if (a >> i & 0xff)
            result |= 0xffu << i;
    return result;
}

// Generalised reverse: swaps neighbours of 1, 2, 4, 8 and 16 bits as `by` says.
static inline uint32_t ts_rv_grev(uint32_t a, uint32_t by)
{
    if (by & 1)
        a = (a & 0x55555555u) << 1 | (a & 0xaaaaaaaau) >> 1;
    if (by & 2)
        a = (a & 0x33333333u) << 2 | (a & 0xccccccccu) >> 2;
    if (by & 4)
        a = (a & 0x0f0f0f0fu) << 4 | (a & 0xf0f0f0f0u) >> 4;
    if (by & 8)
        a = (a & 0x00ff00ffu) << 8 | (a & 0xff00ff00u) >> 8;
    if (by & 16)
        a = a << 16 | a >> 16;
    return a;
}

static inline uint32_t ts_rv_rotate_left(uint32_t a, uint32_t by)
{
    return a << (by & 31) | a >> (-by & 31);
}

static inline uint32_t ts_rv_mulh(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
}

static inline uint32_t ts_rv_mulhsu(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int64_t)(uint64_t)b) >> 32);
}
