// Vector unit, MAD sub-unit: SFPMAD, SFPADD, SFPMUL, SFPMULI, SFPADDI, SFPLUT, SFPLUTFP32,
// SFPMUL24.
//
// All take two cycles: bodies store their result in v->mad, and the unit writes it one cycle later.
// Source: tt-isa-documentation BlackholeA0 pages of these instructions.
#include "units/vector/body.h"

enum {
    NEGATE_VB = 1,
    NEGATE_VC = 2,
    INDIRECT_VA = 4,
    INDIRECT_VD = 8,
    MUL24_UPPER = 1,
    LUT_SGN_RETAIN = 4,
    LUTFP32_FP16 = 2,         // coefficients are 16 bits
    LUTFP32_FP16_3ENTRY = 10, // includes INDIRECT_VD: a hardware bug
    LUTFP32_FP16_TABLE2 = 3,
};

// Where the result goes: VD, or per lane the low four bits of LReg 7. Returns the place for it.
static uint32_t *aim(struct ts_vector *v, const struct ts_vector_insn *i, uint32_t lanes)
{
    struct ts_vector_late *late = &ts_vector_later(v)->mad;
    late->vd = i->vd;
    late->scheduled = i->scheduled;
    late->indirect = (i->mod & INDIRECT_VD) && i->vd != TS_LREG_BONUS;
    late->lanes = late->indirect || ts_lreg_writable(i->vd) ? lanes : 0;
    if (late->indirect) {
        for (TS_EACH_LANE)
            late->reg[l] = (uint8_t)(v->lreg[7][l] & 15);
    }
    return late->value;
}

// An operand with its sign flipped, or the register itself.
static const uint32_t *operand(const uint32_t *reg, bool negate, uint32_t *copy)
{
    if (!negate)
        return reg;
    for (TS_EACH_LANE)
        copy[l] = reg[l] ^ TS_SIGN;
    return copy;
}

static const uint32_t *operand_a(const struct ts_vector *v, const struct ts_vector_insn *i,
                                 uint32_t *copy)
{
    if (!(i->mod & INDIRECT_VA))
        return v->lreg[i->va];
    for (TS_EACH_LANE)
        copy[l] = v->lreg[v->lreg[7][l] & 15][l];
    return copy;
}

enum ts_vector_fault ts_vector_SFPMAD(struct ts_vector *v, const struct ts_vector_insn *i,
                                      const struct ts_vector_ctx *x)
{
    uint32_t *d = aim(v, i, x->enable);
    TS_LANE_ARRAY(a);
    TS_LANE_ARRAY(b);
    TS_LANE_ARRAY(c);
    const uint32_t *pa = operand_a(v, i, a), *pb = operand(v->lreg[i->vb], i->mod & NEGATE_VB, b),
                   *pc = operand(v->lreg[i->vc], i->mod & NEGATE_VC, c);
    if (ts_vector_fma_leaks(v, pa, pb, pc, d))
        return TS_VECTOR_OK;
    if (i->vc == 9)
        ts_vector_mul_lanes(pa, pb, i->mod & NEGATE_VC ? TS_SIGN : 0, d);
    else if (pa == v->lreg[10])
        ts_vector_add_lanes(pb, pc, d);
    else if (pb == v->lreg[10])
        ts_vector_add_lanes(pa, pc, d);
    else
        ts_vector_fma_lanes(pa, pb, pc, d);
    return TS_VECTOR_OK;
}

// The same datapath: SFPADD is meant for VA of LReg 10 (one), SFPMUL for VC of LReg 9 (zero).
#define BODY_AS(op, ...)                                                                     \
    enum ts_vector_fault ts_vector_##op(struct ts_vector *v, const struct ts_vector_insn *i, \
                                        const struct ts_vector_ctx *x)                       \
    {                                                                                        \
        return __VA_ARGS__;                                                                  \
    }
BODY_AS(SFPADD, ts_vector_SFPMAD(v, i, x))
BODY_AS(SFPMUL, ts_vector_SFPMAD(v, i, x))

// With the immediate as the upper half of a float: times VC, or plus VC.
static enum ts_vector_fault immediate(struct ts_vector *v, const struct ts_vector_insn *i,
                                      const struct ts_vector_ctx *x, bool times)
{
    uint32_t *d = aim(v, i, x->enable);
    TS_LANE_ARRAY(imm);
    TS_LANE_ARRAY(c);
    for (TS_EACH_LANE)
        imm[l] = (uint32_t)i->imm << 16;
    const uint32_t *vc = operand(v->lreg[i->vc], i->mod & NEGATE_VC, c),
                   *factor = times ? vc : v->lreg[10], *addend = times ? v->lreg[9] : vc;
    if (ts_vector_fma_leaks(v, imm, factor, addend, d))
        return TS_VECTOR_OK;
    if (times)
        ts_vector_mul_lanes(imm, vc, 0, d);
    else
        ts_vector_add_lanes(imm, vc, d);
    return TS_VECTOR_OK;
}

BODY_AS(SFPMULI, immediate(v, i, x, true))
BODY_AS(SFPADDI, immediate(v, i, x, false))

// sign | 3 bits of negative exponent | 4 bits of mantissa; all ones is zero.
static inline uint32_t lut8_to_fp32(uint32_t x)
{
    x &= 0xFF;
    uint32_t value = x >> 7 << 31 | (127 - (x >> 4 & 7)) << 23 | (x & 15) << 19;
    return x == 0xFF ? 0 : value;
}

// FP16 without denormals; the largest exponent is zero.
static inline uint32_t lut16_to_fp32(uint32_t x)
{
    uint32_t e = x >> 10 & 31;
    return (x >> 15 & 1) << 31 | (e == 31 ? 0 : 112 + e) << 23 | (x & 0x3FF) << 13;
}

// A table has given a and c: a * b + c, with the sign of LReg 3 where the mode asks for it.
static enum ts_vector_fault look_up(struct ts_vector *v, const struct ts_vector_insn *i,
                                    const uint32_t *a, const uint32_t *b, const uint32_t *c,
                                    uint32_t *d)
{
    if (!ts_vector_fma_leaks(v, a, b, c, d))
        ts_vector_fma_lanes(a, b, c, d);
    if (i->mod & LUT_SGN_RETAIN) {
        for (TS_EACH_LANE)
            d[l] = (d[l] & ~TS_SIGN) | (v->lreg[3][l] & TS_SIGN);
    }
    return TS_VECTOR_OK;
}

enum ts_vector_fault ts_vector_SFPLUT(struct ts_vector *v, const struct ts_vector_insn *i,
                                      const struct ts_vector_ctx *x)
{
    uint32_t *d = aim(v, i, x->enable);
    TS_LANE_ARRAY(a);
    TS_LANE_ARRAY(b);
    TS_LANE_ARRAY(c);
    for (TS_EACH_LANE) {
        uint32_t m = v->lreg[3][l] & ~TS_SIGN;
        uint32_t p0 = v->lreg[0][l], p1 = v->lreg[1][l], p2 = v->lreg[2][l];
        uint32_t pair = m < TS_FP32_ONE ? p0 : p1;
        pair = m < 0x40000000u ? pair : p2;
        a[l] = lut8_to_fp32(pair >> 8);
        b[l] = m;
        c[l] = lut8_to_fp32(pair);
    }
    return look_up(v, i, a, b, c, d);
}

enum ts_vector_fault ts_vector_SFPLUTFP32(struct ts_vector *v, const struct ts_vector_insn *i,
                                          const struct ts_vector_ctx *x)
{
    uint32_t *d = aim(v, i, x->enable);
    bool half = i->mod & LUTFP32_FP16;
    bool three = (i->mod & LUTFP32_FP16_3ENTRY) == LUTFP32_FP16_3ENTRY;
    // Where the sixth entry of a 16-bit table begins: 4.0 or 3.0.
    bool four = (i->mod & LUTFP32_FP16_TABLE2) == LUTFP32_FP16_TABLE2;
    uint32_t cut = four ? 0x40800000u : 0x40400000u;
    TS_LANE_ARRAY(a);
    TS_LANE_ARRAY(b);
    TS_LANE_ARRAY(c);
    for (TS_EACH_LANE) {
        uint32_t m = v->lreg[3][l] & ~TS_SIGN;
        uint32_t a0 = v->lreg[0][l], a1 = v->lreg[1][l], a2 = v->lreg[2][l];
        uint32_t c0 = v->lreg[4][l], c1 = v->lreg[5][l], c2 = v->lreg[6][l];
        a0 = m < TS_FP32_ONE ? a0 : a1;
        c0 = m < TS_FP32_ONE ? c0 : c1;
        a[l] = m < 0x40000000u ? a0 : a2;
        b[l] = m;
        c[l] = m < 0x40000000u ? c0 : c2;
    }
    if (half && three) {
        for (TS_EACH_LANE) {
            c[l] = lut16_to_fp32(a[l]);
            a[l] = lut16_to_fp32(a[l] >> 16);
        }
    } else if (half) { // two entries in each register: the upper one for the upper half of an
                       // interval
        for (TS_EACH_LANE) {
            uint32_t m = b[l];
            uint32_t middle = m < TS_FP32_ONE ? 0x3F000000u : 0x3FC00000u;
            middle = m < 0x40000000u ? middle : cut;
            uint32_t by = m >= middle ? 16 : 0;
            a[l] = lut16_to_fp32(a[l] >> by);
            c[l] = lut16_to_fp32(c[l] >> by);
        }
    }
    return look_up(v, i, a, b, c, d);
}

// How the floating-point adder changes an integer product; not at all when VC is LReg 9.
static uint32_t mul24_shift_add(uint32_t product, uint32_t z)
{
    uint32_t ze = z >> 23 & 255, pe = 129;
    if (!ze)
        return product;
    uint32_t e = pe > ze ? pe : ze;
    uint32_t by = (e - ze) & 31;
    uint32_t addend = ((z & 0x7FFFFFu) | 0x800000u) << 3;
    uint32_t moved = addend >> by;
    product >>= (e - pe) & 31;
    if (!moved)
        return product;
    uint32_t lost = (moved << by) ^ addend;
    return (product + moved + (lost > 0xFFFFu ? 1u << 16 : 0)) & 0x7FFFFFu;
}

enum ts_vector_fault ts_vector_SFPMUL24(struct ts_vector *v, const struct ts_vector_insn *i,
                                        const struct ts_vector_ctx *x)
{
    uint32_t *d = aim(v, i, x->enable);
    TS_LANE_ARRAY(indirect);
    const uint32_t *a = operand_a(v, i, indirect), *b = v->lreg[i->vb], *c = v->lreg[i->vc];
    if (i->mod & MUL24_UPPER) {
        for (TS_EACH_LANE)
            d[l] = (uint32_t)((uint64_t)(a[l] << 9) * (b[l] & 0x7FFFFFu) >> 32);
    } else {
        for (TS_EACH_LANE)
            d[l] = a[l] * b[l] & 0x7FFFFFu;
    }
    if (i->vc != 9) {
        for (TS_EACH_LANE)
            d[l] = mul24_shift_add(d[l], c[l]);
    }
    return TS_VECTOR_OK;
}
