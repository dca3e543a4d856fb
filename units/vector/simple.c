// Vector unit, simple sub-unit: lane-wise bits, integers and fields of floats.
//
// Source: tt-isa-documentation BlackholeA0 pages of these instructions.
#include "units/files/format.h"
#include "units/vector/body.h"

enum {
    USE_VB = 1,  // SFPAND, SFPOR
    FLOAT = 1,   // SFPABS
    ARG_IMM = 1, // SFPIADD, SFPSHFT, SFPSETEXP, SFPSETMAN, SFPSETSGN
    DIVP2_ADD = 1,
    EXEXP_NODEBIAS = 1,
    EXEXP_CC_SIGN = 2,
    EXMAN_PAD9 = 1,
    IADD_SUBTRACT = 2,
    IADD_CC_NONE = 4,
    CC_INVERT = 8, // SFPIADD, SFPLZ, SFPEXEXP
    LZ_CC_NONZERO = 2,
    LZ_MAGNITUDE = 4,
    SETEXP_EXPONENT = 2,
    SHFT_ARITHMETIC = 2,
    SHFT_IMM_USE_VC = 4,
    CAST_STOCHASTIC = 1,
    SWAP_EXCHANGE = 0,
    COMPARE_SET_CC = 1, // SFPLE, SFPGT
    COMPARE_STACK = 2,
    COMPARE_STACK_OR = 4,
    COMPARE_SET_VD = 8,
};

// The frame of most bodies: each lane's result d from c = VC and b = VB, written where enabled.
#define LANEWISE(expression)                                                         \
    do {                                                                             \
        if (!ts_lreg_writable(i->vd))                                                \
            return TS_VECTOR_OK;                                                     \
        const uint32_t *restrict vc = v->lreg[i->vc], *restrict vb = v->lreg[i->vb]; \
        TS_LANE_ARRAY(result);                                                       \
        for (TS_EACH_LANE) {                                                         \
            uint32_t c = vc[l], b = vb[l];                                           \
            (void)c, (void)b;                                                        \
            result[l] = (expression);                                                \
        }                                                                            \
        ts_lanes_put(v->lreg[i->vd], result, x->enable);                             \
    } while (0)

#define BODY(name)                                                                             \
    enum ts_vector_fault ts_vector_##name(struct ts_vector *v, const struct ts_vector_insn *i, \
                                          const struct ts_vector_ctx *x)

BODY(SFPDIVP2)
{
    uint32_t imm = i->imm & 0xFFu;
    if (i->mod & DIVP2_ADD)
        LANEWISE((c & 0x7F800000u) == 0x7F800000u
                     ? c
                     : (c & 0x807FFFFFu) | ((c + (imm << 23)) & 0x7F800000u));
    else
        LANEWISE((c & 0x807FFFFFu) | imm << 23);
    return TS_VECTOR_OK;
}

BODY(SFPEXEXP)
{
    uint32_t bias = i->mod & EXEXP_NODEBIAS ? 0 : 127;
    LANEWISE((c >> 23 & 255) - bias);
    if (i->vd < 8) {
        if (i->mod & EXEXP_CC_SIGN)
            ts_flags_put(v, ts_lanes_negative(v->lreg[i->vd]), x->enable);
        if (i->mod & CC_INVERT)
            v->flags ^= x->enable;
    }
    return TS_VECTOR_OK;
}

BODY(SFPEXMAN)
{
    uint32_t hidden = i->mod & EXMAN_PAD9 ? 0 : 1u << 23;
    LANEWISE((c & 0x7FFFFFu) | hidden);
    return TS_VECTOR_OK;
}

BODY(SFPIADD)
{
    uint32_t imm = (uint32_t)((int32_t)((uint32_t)i->imm << 20) >> 20);
    if (i->mod & ARG_IMM)
        LANEWISE(c + imm);
    else if (i->mod & IADD_SUBTRACT)
        LANEWISE(c - b);
    else
        LANEWISE(c + b);
    if (i->vd < 8) {
        if (!(i->mod & IADD_CC_NONE))
            ts_flags_put(v, ts_lanes_negative(v->lreg[i->vd]), x->enable);
        if (i->mod & CC_INVERT)
            v->flags ^= x->enable;
    }
    return TS_VECTOR_OK;
}

BODY(SFPSHFT)
{
    int32_t imm = (int32_t)((uint32_t)i->imm << 20) >> 20;
    uint32_t by = (uint32_t)(imm < 0 ? -imm : imm) & 31;
    if (i->mod & ARG_IMM) {
        unsigned from = i->mod & SHFT_IMM_USE_VC ? i->vc : i->vb;
        const uint32_t *restrict in = v->lreg[from];
        if (imm >= 0)
            LANEWISE(in[l] << by);
        else if (i->mod & SHFT_ARITHMETIC)
            LANEWISE((uint32_t)((int32_t)in[l] >> by));
        else
            LANEWISE(in[l] >> by);
    } else if (i->mod & SHFT_ARITHMETIC) {
        LANEWISE((int32_t)c >= 0 ? b << (c & 31) : (uint32_t)((int32_t)b >> ((0 - c) & 31)));
    } else {
        LANEWISE((int32_t)c >= 0 ? b << (c & 31) : b >> ((0 - c) & 31));
    }
    return TS_VECTOR_OK;
}

BODY(SFPABS)
{
    if (i->mod & FLOAT)
        LANEWISE(c > 0xFF800000u ? c : c & ~TS_SIGN);
    else
        LANEWISE(c & TS_SIGN ? 0 - c : c);
    return TS_VECTOR_OK;
}

BODY(SFPAND)
{
    LANEWISE(b & c);
    return TS_VECTOR_OK;
}

BODY(SFPOR)
{
    LANEWISE(b | c);
    return TS_VECTOR_OK;
}

BODY(SFPXOR)
{
    LANEWISE(b ^ c);
    return TS_VECTOR_OK;
}

BODY(SFPNOT)
{
    LANEWISE(~c);
    return TS_VECTOR_OK;
}

BODY(SFPLZ)
{
    uint32_t keep = i->mod & LZ_MAGNITUDE ? ~TS_SIGN : ~0u;
    TS_LANE_ARRAY(masked); // VD may be VC
    for (TS_EACH_LANE)
        masked[l] = v->lreg[i->vc][l] & keep;
    LANEWISE(masked[l] ? (uint32_t)__builtin_clz(masked[l]) : 32);
    if (i->vd < 8) {
        if (i->mod & LZ_CC_NONZERO)
            ts_flags_put(v, ~ts_lanes_zero(masked), x->enable);
        if (i->mod & CC_INVERT)
            v->flags ^= x->enable;
    }
    return TS_VECTOR_OK;
}

BODY(SFPSETEXP)
{
    uint32_t imm = (i->imm & 0xFFu) << 23;
    if (i->mod & ARG_IMM)
        LANEWISE((c & 0x807FFFFFu) | imm);
    else if (i->mod & SETEXP_EXPONENT)
        LANEWISE((c & 0x807FFFFFu) | (b & 0x7F800000u));
    else
        LANEWISE((c & 0x807FFFFFu) | (b & 0xFFu) << 23);
    return TS_VECTOR_OK;
}

BODY(SFPSETMAN)
{
    uint32_t imm = (i->imm & 0xFFFu) << 11;
    if (i->mod & ARG_IMM)
        LANEWISE((c & 0xFF800000u) | imm);
    else
        LANEWISE((c & 0xFF800000u) | (b & 0x7FFFFFu));
    return TS_VECTOR_OK;
}

BODY(SFPSETSGN)
{
    uint32_t imm = (i->imm & 1u) << 31;
    if (i->mod & ARG_IMM)
        LANEWISE((c & ~TS_SIGN) | imm);
    else
        LANEWISE((c & ~TS_SIGN) | (b & TS_SIGN));
    return TS_VECTOR_OK;
}

// Magnitude of a sign-magnitude integer, its leading one moved to bit 31, and the float it makes
// when the bits below bit 8 are cut off.
static inline uint32_t cast_cut(uint32_t c, uint32_t *norm)
{
    uint32_t mag = c & ~TS_SIGN;
    uint32_t zeros = (uint32_t)__builtin_clz(mag | 1);
    *norm = mag << zeros;
    return (c & TS_SIGN) | (mag ? ((157 - zeros) << 23) + (*norm >> 8) : 0);
}
static inline uint32_t cast_nearest(uint32_t c)
{
    uint32_t norm, cut = cast_cut(c, &norm);
    return cut + ((norm & 0x80u) && (norm & 0x17Fu));
}
// Seven random bits.
static inline uint32_t cast_stochastic(uint32_t c, uint32_t random)
{
    uint32_t norm, cut = cast_cut(c, &norm);
    return cut + ((norm & 0xFEu) > (random >> 9 & 0xFEu));
}

BODY(SFPCAST)
{
    TS_LANE_ARRAY(random);
    switch (i->mod & 3) {
    case 0: // round to nearest even
        LANEWISE(cast_nearest(c));
        break;
    case CAST_STOCHASTIC: // the PRNG advances even if VD cannot be written
        ts_vector_random(v, x->enable, random);
        LANEWISE(cast_stochastic(c, random[l]));
        break;
    case 2: // meant for something else; a hardware bug makes it an absolute value
        LANEWISE(c & TS_SIGN ? 0 - c : c);
        break;
    default: // two's complement to sign-magnitude and back: the same operation
        LANEWISE(c & TS_SIGN ? TS_SIGN | (0 - c) : c);
        break;
    }
    return TS_VECTOR_OK;
}

// A bit per lane where c < b as sign-magnitude numbers (floats: -NaN < -inf < ... < +NaN).
static uint32_t lanes_smaller(const uint32_t *restrict c, const uint32_t *restrict b)
{
    uint32_t mask = 0;
    for (TS_EACH_LANE)
        mask |= ts_sm32_order(c[l]) < ts_sm32_order(b[l]) ? ts_lane_bit[l] : 0;
    return mask;
}

static enum ts_vector_fault compare(struct ts_vector *v, const struct ts_vector_insn *i,
                                    const struct ts_vector_ctx *x, uint32_t holds)
{
    if ((i->mod & COMPARE_SET_VD) && ts_lreg_writable(i->vd)) {
        uint32_t *restrict d = v->lreg[i->vd];
        for (TS_EACH_LANE) {
            uint32_t all = holds & ts_lane_bit[l] ? ~0u : 0;
            d[l] = x->enable & ts_lane_bit[l] ? all : d[l];
        }
    }
    if (i->mod & COMPARE_SET_CC)
        ts_flags_put(v, holds, x->enable);
    if ((i->mod & COMPARE_STACK) && v->depth) {
        uint32_t *top = &v->stack_flags[v->depth - 1];
        if (i->mod & COMPARE_STACK_OR)
            *top |= holds & x->gate;
        else
            *top &= holds | ~x->gate;
    }
    return TS_VECTOR_OK;
}

BODY(SFPGT)
{
    return compare(v, i, x, lanes_smaller(v->lreg[i->vc], v->lreg[i->vb]));
}

BODY(SFPLE)
{
    return compare(v, i, x, ~lanes_smaller(v->lreg[i->vc], v->lreg[i->vb]));
}

// Lanes that track an index and compare a negative value with itself.
static uint32_t tied_below_zero(struct ts_vector *v, const struct ts_vector_insn *i)
{
    const uint32_t *c = v->lreg[i->vc], *b = v->lreg[i->vb];
    uint32_t lanes = 0;
    if (!v->dest_index)
        return 0;
    for (TS_EACH_LANE)
        lanes |= c[l] == b[l] && c[l] >> 31 ? ts_lane_bit[l] : 0;
    lanes &= v->dest_index;
    return lanes && ts_bits_ask(v->bits, TS_BITS_swap_ties) ? lanes : 0;
}

// Compares now; the exchange is for the second cycle. It is between VC and VB, which is VD unless
// SFPLOADMACRO scheduled it.
BODY(SFPSWAP)
{
    static const uint32_t vb_gets_min[16] = {
        [1] = 0xFFFFFFFFu, [2] = 0x0000FFFFu, [3] = 0x00FF00FFu, [4] = 0xFF0000FFu,
        [5] = 0x000000FFu, [6] = 0x0000FF00u, [7] = 0x00FF0000u, [8] = 0xFF000000u,
    };
    uint32_t swap = TS_ALL_LANES;
    if (i->mod != SWAP_EXCHANGE) {
        swap = lanes_smaller(v->lreg[i->vc], v->lreg[i->vb]); // correct where VB takes the minimum
        swap ^= ~vb_gets_min[i->mod] ^ v->exchange;
        swap ^= tied_below_zero(v, i);
    }
    struct ts_vector_second *later = ts_vector_later(v);
    later->swap = swap & x->enable;
    later->swap_c = i->vc;
    later->swap_b = i->vb;
    return TS_VECTOR_OK;
}

static void exchange(uint32_t *restrict c, uint32_t *restrict d, uint32_t lanes)
{
    for (TS_EACH_LANE) {
        uint32_t old = c[l];
        c[l] = lanes & ts_lane_bit[l] ? d[l] : old;
        d[l] = lanes & ts_lane_bit[l] ? old : d[l];
    }
}

// Where c is written it gets d's value, and vice versa; registers from limit on are read only.
static void swap_registers(struct ts_vector *v, unsigned c, unsigned d, unsigned limit,
                           uint32_t lanes)
{
    if (c == d || !lanes)
        return;
    if (c < limit && d < limit)
        exchange(v->lreg[c], v->lreg[d], lanes);
    else if (c < limit)
        ts_lanes_put(v->lreg[c], v->lreg[d], lanes);
    else if (d < limit)
        ts_lanes_put(v->lreg[d], v->lreg[c], lanes);
}

void ts_vector_swap_write(struct ts_vector *v, const struct ts_vector_second *second)
{
    unsigned c = second->swap_c, b = second->swap_b;
    uint32_t indexed = second->swap & v->dest_index;
    swap_registers(v, c, b, 8, second->swap & ~v->dest_index);
    swap_registers(v, c, b, 4, indexed);
    swap_registers(v, 4 + (c & 3), 4 + (b & 3), 8, indexed);
}

// Within each column of lanes, registers 0..3 and rows 0..3 are exchanged; 4..7 likewise.
BODY(SFPTRANSP)
{
    (void)i;
    for (unsigned base = 0; base < 8; base += 4) {
        uint32_t old[4][TS_LANES];
        memcpy(old, v->lreg[base], sizeof old);
        for (unsigned r = 0; r < 4; r++) {
            TS_LANE_ARRAY(result);
            for (unsigned row = 0; row < 4; row++)
                memcpy(&result[8 * row], &old[row][8 * r], 8 * sizeof result[0]);
            ts_lanes_put(v->lreg[base + r], result, x->enable);
        }
    }
    return TS_VECTOR_OK;
}
