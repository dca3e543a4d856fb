// Vector unit, round sub-unit: SFPSTOCHRND (SFP_STOCH_RND) and SFPSHFT2; and the PRNG.
//
// Rounding compares the discarded bits, as a 23-bit fraction, with a threshold: a half for
// "nearest" (ties away from zero), 23 random bits for "stochastic", all ones for "to zero". The
// comparison is >= where > was meant, so the last two sometimes round up wrongly, as in hardware.
// Source: tt-isa-documentation BlackholeA0 SFPSTOCHRND_*.md, SFPSHFT2.md, VectorUnit.md "PRNG".
#include "units/vector/body.h"

enum {
    RND_NEAREST = 0,
    RND_ZERO = 2,
    FP32_TO_FP16A = 0,
    FP32_TO_FP16B = 1,
    FP32_TO_UINT8 = 2,
    FP32_TO_INT8 = 3,
    INT32_TO_UINT8 = 4,
    INT32_TO_INT8 = 5,
    FP32_TO_UINT16 = 6,
    USE_IMM5 = 8,
    SHFT2_COPY4 = 0,
    SHFT2_CHAINED_COPY4 = 1,
    SHFT2_ROR1_AND_COPY4 = 2,
    SHFT2_ROR1 = 3,
    SHFT2_SHR1 = 4,
    SHFT2_LREG = 5,
    SHFT2_IMM = 6,
};

#define PRNG_TAPS 0x80200003u

static uint32_t prng_next(uint32_t state)
{
    return (~(uint32_t)__builtin_parity(state & PRNG_TAPS) << 31) | state >> 1;
}

void ts_vector_random(struct ts_vector *v, uint32_t lanes, uint32_t *bits)
{
    if (bits)
        memcpy(bits, v->prng, sizeof v->prng);
    for (TS_EACH_LANE) {
        uint32_t s = v->prng[l];
        // Parity of the four tap bits, by shifts so that it vectorises.
        uint32_t parity = (s >> 31 ^ s >> 21 ^ s >> 1 ^ s) & 1;
        uint32_t next = (parity ^ 1) << 31 | s >> 1;
        v->prng[l] = lanes & ts_lane_bit[l] ? next : s;
    }
}

void ts_vector_seed(struct ts_vector *v, uint32_t seed, bool silicon)
{
    for (unsigned n = 0; n < TS_LANES + (silicon ? 2u : 0u); n++)
        seed = prng_next(seed);
    for (unsigned l = TS_LANES; l-- > 0;) {
        seed = prng_next(prng_next(seed));
        v->prng[l] = seed;
    }
}

// Float with fewer mantissa bits: cut is 13 or 16. Denormals and -0 become +0, NaN infinity.
static inline uint32_t round_float(uint32_t c, uint32_t threshold, unsigned cut)
{
    uint32_t exponent = c & 0x7F800000u;
    uint32_t low = c & ((1u << cut) - 1);
    uint32_t rounded = c - low + (low >= threshold >> (23 - cut) ? 1u << cut : 0);
    rounded = exponent == 0x7F800000u ? c & 0xFF800000u : rounded;
    return exponent ? rounded : 0;
}

// Float to an integer of at most 16 bits of magnitude.
static inline uint32_t float_to_int(uint32_t c, uint32_t threshold, uint32_t most, uint32_t sign)
{
    int32_t e = (int32_t)(c >> 23 & 255) - 127;
    uint32_t man = (c & 0x7FFFFFu) | 0x800000u;
    uint32_t up = e < 0 ? 0 : e > 15 ? 15u : (uint32_t)e;
    uint32_t whole = man >> (23 - up), fraction = man << up & 0x7FFFFFu;
    whole = e < 0 ? 0 : whole;
    fraction = e < 0 ? man >> 1 : fraction; // e is -1: below that the result is zero
    uint32_t mag = whole + (fraction >= threshold);
    mag = e >= 16 || mag > most ? most : mag;
    mag = e < -1 ? 0 : mag;
    return mag ? sign | mag : 0;
}

// Magnitude shifted right; the result has at most 8 bits.
static inline uint32_t int_to_int(uint32_t c, uint32_t threshold, uint32_t by, uint32_t most,
                                  uint32_t sign)
{
    uint64_t wide = (uint64_t)(c & ~TS_SIGN) << 23 >> by;
    uint64_t mag = (wide >> 23) + ((wide & 0x7FFFFFu) >= threshold);
    uint32_t m = mag > most ? most : (uint32_t)mag;
    return m ? sign | m : 0;
}

enum ts_vector_fault ts_vector_SFP_STOCH_RND(struct ts_vector *v, const struct ts_vector_insn *i,
                                             const struct ts_vector_ctx *x)
{
    TS_LANE_ARRAY(threshold);
    TS_LANE_ARRAY(result);
    const uint32_t *restrict c = v->lreg[i->vc], *restrict b = v->lreg[i->vb];
    unsigned mode = i->mod & 7;

    ts_vector_random(v, x->enable, threshold); // advances in every rounding mode
    for (TS_EACH_LANE) {
        uint32_t random = threshold[l] & 0x7FFFFFu;
        threshold[l] = i->round == RND_NEAREST ? 0x400000u
                       : i->round == RND_ZERO  ? 0x7FFFFFu
                                               : random;
    }
    if (mode == FP32_TO_FP16A || mode == FP32_TO_FP16B) {
        unsigned cut = mode == FP32_TO_FP16A ? 13 : 16;
        for (TS_EACH_LANE)
            result[l] = round_float(c[l], threshold[l], cut);
    } else if (mode == INT32_TO_UINT8 || mode == INT32_TO_INT8) {
        uint32_t keep = mode == INT32_TO_INT8 ? TS_SIGN : 0,
                 most = mode == INT32_TO_INT8 ? 127 : 255;
        for (TS_EACH_LANE) {
            uint32_t by = i->mod & USE_IMM5 ? i->imm : b[l] & 31;
            result[l] = int_to_int(c[l], threshold[l], by, most, c[l] & keep);
        }
    } else {
        bool is_signed = mode & 1;
        uint32_t keep = is_signed ? TS_SIGN : 0;
        uint32_t most = mode >= FP32_TO_UINT16 ? 65535u : 255u;
        most = is_signed ? most >> 1 : most;
        for (TS_EACH_LANE)
            result[l] = float_to_int(c[l], threshold[l], most, c[l] & keep);
    }
    if (ts_lreg_writable(i->vd))
        ts_lanes_put(v->lreg[i->vd], result, x->enable);
    return TS_VECTOR_OK;
}

// L1..L3 move down by one.
void ts_vector_copy4(struct ts_vector *v, uint32_t lanes)
{
    for (unsigned r = 0; r < 3; r++)
        ts_lanes_put(v->lreg[r], v->lreg[r + 1], lanes);
}

// Two-cycle modes: the shuffled register is written in the second cycle.
static void shuffle_late(struct ts_vector *v, const struct ts_vector_insn *i, bool rotate,
                         unsigned vd, uint32_t lanes)
{
    struct ts_vector_late *late = &ts_vector_later(v)->round;
    const uint32_t *c = v->lreg[i->vc];
    for (TS_EACH_LANE)
        late->value[l] = l & 7 ? c[(l - 1) & 31] : rotate ? c[(l + 7) & 31] : 0;
    late->vd = (uint8_t)vd;
    late->scheduled = i->scheduled;
    late->lanes = ts_lreg_writable(vd) ? lanes : 0;
}

enum ts_vector_fault ts_vector_SFPSHFT2(struct ts_vector *v, const struct ts_vector_insn *i,
                                        const struct ts_vector_ctx *x)
{
    TS_LANE_ARRAY(result);
    const uint32_t *c = v->lreg[i->vc];
    int32_t imm = (int32_t)((uint32_t)i->imm << 20) >> 20;

    switch (i->mod) {
    case SHFT2_COPY4:
        memset(result, 0, sizeof result);
        ts_vector_copy4(v, x->enable);
        ts_lanes_put(v->lreg[3], result, x->enable);
        return TS_VECTOR_OK;
    case SHFT2_CHAINED_COPY4: // L3 gets the old L0 of eight lanes on
        memset(result, 0, sizeof result);
        memcpy(result, &v->lreg[0][8], 24 * sizeof result[0]);
        ts_vector_copy4(v, x->enable);
        ts_lanes_put(v->lreg[3], result, x->enable);
        return TS_VECTOR_OK;
    case SHFT2_ROR1_AND_COPY4:
        shuffle_late(v, i, true, 3, x->enable);
        ts_vector_later(v)->copy4 = x->enable;
        return TS_VECTOR_OK;
    case SHFT2_ROR1:
        shuffle_late(v, i, true, i->vd, x->enable);
        return TS_VECTOR_OK;
    case SHFT2_SHR1:
        shuffle_late(v, i, false, i->vd, x->enable);
        return TS_VECTOR_OK;
    case SHFT2_LREG: {
        const uint32_t *b = v->lreg[i->vb];
        for (TS_EACH_LANE)
            result[l] = (int32_t)c[l] >= 0 ? b[l] << (c[l] & 31) : b[l] >> ((0 - c[l]) & 31);
        break;
    }
    case SHFT2_IMM: { // the immediate's low four bits are also VB
        const uint32_t *b = v->lreg[i->vb_given ? i->vb : i->imm & 15];
        uint32_t by = (uint32_t)(imm < 0 ? -imm : imm) & 31;
        for (TS_EACH_LANE)
            result[l] = imm >= 0 ? b[l] << by : b[l] >> by;
        break;
    }
    default:
        return TS_VECTOR_MODE;
    }
    if (ts_lreg_writable(i->vd))
        ts_lanes_put(v->lreg[i->vd], result, x->enable);
    return TS_VECTOR_OK;
}
