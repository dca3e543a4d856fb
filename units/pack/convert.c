// Format conversion in the packer: Dst cells to intermediate values to L1. See pack.h.
//
// Early: narrowing rounds half away from zero, flushes denormals and minus zero to +0 and turns NaN
// into infinity; "raw" reads keep the bits. Late: widening, or narrowing by truncation with
// saturation of a 5-bit exponent.

#include "units/files/format.h"
#include "units/lanes.h"
#include "units/pack/pack.h"

// Input from L1: the datum's width there is that of In_data_format; integers may change theirs.
static bool check_source(struct ts_pack_plan *plan)
{
    static const uint8_t bytes[4] = {4, 2, 1, 1};
    plan->source_bytes = bytes[plan->in & 3];
    switch (plan->middle) {
    case TS_FMT_FP32:
        plan->kind = TS_PACK_F32;
        return plan->source_bytes == 4;
    case TS_FMT_BF16:
        plan->kind = TS_PACK_BF16;
        return plan->source_bytes == 2;
    case TS_FMT_FP16:
        plan->kind = TS_PACK_FP16;
        return plan->source_bytes == 2;
    case TS_FMT_BFP8:
        plan->kind = TS_PACK_BF16;
        return plan->source_bytes == 1;
    case TS_FMT_BFP8A:
    case TS_FMT_FP8:
        plan->kind = TS_PACK_FP16;
        return plan->source_bytes == 1;
    case TS_FMT_INT32:
    case TS_FMT_INT16:
    case TS_FMT_INT8:
        plan->kind = TS_PACK_INT;
        plan->source_shift = (int8_t)(8 * (bytes[plan->middle & 3] - plan->source_bytes));
        return !(plan->middle == TS_FMT_INT8 && plan->source_bytes == 4);
    default:
        return false;
    }
}

// Input from Dst: the early conversion.
static bool check_early(struct ts_pack_plan *plan)
{
    bool from32 = plan->read32, ok = false;
    switch (plan->middle) {
    case TS_FMT_FP32:
        plan->kind = TS_PACK_F32;
        ok = from32 || (plan->round10 && !plan->raw);
        break;
    case TS_FMT_TF32:
        plan->kind = TS_PACK_F32;
        ok = from32 || !plan->raw;
        break;
    case TS_FMT_BF16:
    case TS_FMT_BFP8:
        plan->kind = TS_PACK_BF16;
        ok = true;
        break;
    case TS_FMT_FP16: // from FP32 or BF16 through 10 mantissa bits, or from FP16
        plan->kind = from32 ? TS_PACK_F32 : TS_PACK_FP16;
        ok = !from32 || plan->round10;
        break;
    case TS_FMT_BFP8A:
        plan->kind = TS_PACK_FP16;
        ok = !from32;
        break;
    case TS_FMT_FP8:
        plan->kind = TS_PACK_FP16;
        ok = !from32 && plan->raw;
        break;
    case TS_FMT_INT32:
        plan->kind = TS_PACK_INT;
        ok = from32;
        break;
    case TS_FMT_INT16:
        plan->kind = TS_PACK_INT;
        ok = true;
        break;
    case TS_FMT_INT8:
        plan->kind = TS_PACK_INT;
        ok = from32 || plan->raw;
        break;
    }
    return ok;
}

struct ts_refusal ts_pack_check(struct ts_pack_plan *plan)
{
    unsigned middle = plan->middle, out = plan->out;
    bool from32 = plan->read32;
    if (plan->from_l1 && !check_source(plan))
        return ts_contract("PACR: input format from L1", (uint32_t)plan->in << 4 | middle);
    if (!plan->from_l1 && !check_early(plan))
        return ts_contract("PACR: intermediate format", middle | (uint32_t)from32 << 8);
    if (plan->in != middle && !plan->from_l1)
        return ts_not_implemented("PACR: In_data_format differs from the intermediate format",
                                  (uint32_t)plan->in << 4 | middle);
    bool is_int = out == TS_FMT_INT32 || out == TS_FMT_INT16 || out == TS_FMT_INT8;
    bool reserved = out == TS_FMT_RES12 || out == TS_FMT_RES13;
    bool tf32 = out == TS_FMT_TF32 && middle == TS_FMT_FP32 && !plan->round10;
    if (reserved || tf32 || is_int != (plan->kind == TS_PACK_INT) || (is_int && out != middle))
        return ts_contract("PACR: late conversion", (uint32_t)middle << 4 | out);
    if (plan->accumulate && out != TS_FMT_FP32 && out != TS_FMT_FP16 && out != TS_FMT_BF16)
        return ts_not_implemented("PACR: L1 accumulation in format", out);
    if (plan->accumulate && plan->compress)
        return ts_not_implemented("PACR: L1 accumulation of compressed data", out);
    if (plan->compress && ts_format_bits(out) == 2) // the documents: data of 4, 8, 16 or 32 bits
        return ts_contract("PACR: compression of a 2-bit format", out);
    return ts_fine();
}

// ---- early -------------------------------------------------------------------------------------

static inline uint32_t round_f32(uint32_t v, unsigned low)
{
    return ts_pack_round(v, low, 1u << (low - 1));
}

// What stochastic rounding adds to drop `low` bits: 1 to 2^low. Hardware is biased towards larger
// magnitudes and may even raise exact values; starting at 1 models this.
static uint32_t dither(uint32_t *random, unsigned low)
{
    uint32_t x = *random ? *random : 0x9E3779B9u;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *random = x;
    return (x >> 8 & ((1u << low) - 1)) + 1;
}

// The rounding conversions with random bits in place of the half.
static void round_randomly(const struct ts_pack_plan *plan, uint32_t v[16], uint32_t *random)
{
    unsigned low = plan->middle == TS_FMT_BF16 ? 16 : plan->middle == TS_FMT_BFP8 ? 17 : 13;
    for (unsigned i = 0; i < 16; i++) {
        v[i] = ts_pack_round(v[i], low, dither(random, low));
        if ((v[i] & 0x7FFFFFFFu) > 0x7F800000u) // past infinity
            v[i] = (v[i] & 0x80000000u) | 0x7F800000u;
        v[i] >>= plan->kind == TS_PACK_BF16 ? 16 : 0;
    }
}

static void early32(const struct ts_pack_plan *plan, uint32_t v[16], const uint16_t *hi,
                    const uint16_t *lo, uint32_t *random)
{
    if (plan->middle == TS_FMT_INT16) { // the upper cell, unchanged
        for (unsigned i = 0; i < 16; i++)
            v[i] = hi[i];
        return;
    }
    for (unsigned i = 0; i < 16; i++)
        v[i] = ts_fp32_from_cell((uint32_t)hi[i] << 16 | lo[i]);
    switch (plan->middle) {
    case TS_FMT_INT32:
        return;
    case TS_FMT_FP32:
        if (!plan->round10 || plan->raw)
            return;
        break;
    case TS_FMT_TF32:
        if (plan->raw)
            return;
        break;
    case TS_FMT_BF16:
    case TS_FMT_BFP8:
        if (plan->raw)
            for (unsigned i = 0; i < 16; i++)
                v[i] >>= 16;
        else if (plan->random_early)
            round_randomly(plan, v, random);
        else if (plan->middle == TS_FMT_BF16)
            for (unsigned i = 0; i < 16; i++)
                v[i] = round_f32(v[i], 16) >> 16;
        else // six mantissa bits
            for (unsigned i = 0; i < 16; i++)
                v[i] = round_f32(v[i], 17) >> 16;
        return;
    case TS_FMT_INT8:
        for (unsigned i = 0; i < 16; i++) {
            uint32_t sign = v[i] >> 31, mag = v[i] & 0x7FFFFFFFu;
            if (plan->raw) {
                v[i] = plan->is_unsigned ? v[i] & 0xFF : sign << 7 | (v[i] & 0x7F);
                continue;
            }
            if (plan->shift)
                mag = (uint32_t)(((uint64_t)mag + (plan->random_early ? dither(random, plan->shift)
                                                                      : 1u << (plan->shift - 1))) >>
                                 plan->shift);
            if (plan->is_unsigned)
                v[i] = sign ? 0 : mag > 255 ? 255 : mag;
            else
                v[i] = sign << 7 | (mag > 127 ? 127 : mag);
        }
        return;
    default: // FP16: rounded to ten bits first, the exponent narrows after ReLU
        break;
    }
    if (plan->random_early) {
        round_randomly(plan, v, random);
        return;
    }
    for (unsigned i = 0; i < 16; i++)
        v[i] = round_f32(v[i], 13);
}

static void early16(const struct ts_pack_plan *plan, uint32_t v[16], const uint16_t *cell,
                    uint32_t *random)
{
    switch (plan->middle) {
    case TS_FMT_INT16:
        for (unsigned i = 0; i < 16; i++)
            v[i] = cell[i];
        return;
    case TS_FMT_INT8: // only the sign is left
        for (unsigned i = 0; i < 16; i++)
            v[i] = cell[i] >> 8 & 0x80;
        return;
    case TS_FMT_FP16:
        if (plan->round10) { // the cells hold BF16
            for (unsigned i = 0; i < 16; i++)
                v[i] = ts_fp16_from_fp32((uint32_t)ts_bf16_from_cell(cell[i]) << 16);
            return;
        }
        for (unsigned i = 0; i < 16; i++) {
            uint32_t x = ts_fp16_from_cell(cell[i]);
            v[i] = plan->raw || (x & 0x7C00) ? x : 0;
        }
        return;
    case TS_FMT_BFP8A: // raw: seven mantissa bits by truncation; else six by rounding
        for (unsigned i = 0; i < 16; i++) {
            uint32_t x = ts_fp16_from_cell(cell[i]);
            if (plan->raw) {
                v[i] = x & ~7u;
                continue;
            }
            if ((x & 0x7FFF) > 0x7FF7)
                x = (x & 0x8000) | 0x7FF0;
            x = (x + (plan->random_early ? dither(random, 4) : 8)) & ~15u;
            v[i] = x & 0x7C00 ? x : 0;
        }
        return;
    case TS_FMT_FP8:
        for (unsigned i = 0; i < 16; i++)
            v[i] = ts_fp16_from_cell(cell[i]) & 0xFF00u;
        return;
    default: // BF16, BFP8, and FP32 or TF32 out of BF16
        break;
    }
    bool wide = plan->kind == TS_PACK_F32;
    for (unsigned i = 0; i < 16; i++) {
        uint32_t x = ts_bf16_from_cell(cell[i]);
        if (!plan->raw) {
            if ((x & 0x7FFF) > 0x7F80)
                x = (x & 0x8000) | 0x7F80;
            x = x & 0x7F80 ? x : 0;
            if (plan->middle == TS_FMT_BFP8)
                x = (x + (plan->random_early && x ? dither(random, 1) : 1)) & ~1u;
        }
        v[i] = wide ? x << 16 : x;
    }
}

void ts_pack_early(const struct ts_pack_plan *plan, uint32_t v[16], const uint16_t *hi,
                   const uint16_t *lo, uint32_t *random)
{
    if (plan->read32)
        early32(plan, v, hi, lo, random);
    else
        early16(plan, v, hi, random);
}

uint32_t ts_pack_neginf(const struct ts_pack_plan *plan)
{
    switch (plan->kind) {
    case TS_PACK_F32:
        return 0xFF800000u;
    case TS_PACK_BF16:
        return 0xFF80u;
    case TS_PACK_FP16:
        return 0xFFFFu;
    default: // integers: the most negative sign-magnitude number
        return plan->middle == TS_FMT_INT32   ? UINT32_MAX
               : plan->middle == TS_FMT_INT16 ? 0xFFFF
                                              : 0xFF;
    }
}

// ---- ReLU and exponent threshold ---------------------------------------------------------------

void ts_pack_relu(const struct ts_pack_plan *plan, uint32_t v[16])
{
    bool wide = plan->kind == TS_PACK_F32 || plan->middle == TS_FMT_INT32;
    uint32_t sign = wide ? 0x80000000u : plan->middle == TS_FMT_INT8 ? 0x80u : 0x8000u;
    uint32_t threshold = wide ? (uint32_t)plan->threshold << 16 : plan->threshold;
    // The upper clamp of FP32 compares 19 bits only.
    unsigned coarse = plan->kind == TS_PACK_F32 ? 13 : 0;
    for (unsigned i = 0; i < 16; i++) {
        uint32_t x = v[i] & sign ? 0 : v[i];
        if (plan->relu == 2 && x <= threshold)
            x = 0;
        if (plan->relu == 3 && x >> coarse > threshold >> coarse)
            x = threshold;
        v[i] = x;
    }
}

void ts_pack_threshold(const struct ts_pack_plan *plan, uint32_t v[16])
{
    unsigned at = plan->kind == TS_PACK_F32 ? 23 : plan->kind == TS_PACK_BF16 ? 7 : 10;
    uint32_t mask = plan->kind == TS_PACK_FP16 ? 0x1F : 0xFF;
    if (plan->kind == TS_PACK_INT)
        return;
    for (unsigned i = 0; i < 16; i++)
        v[i] = (v[i] >> at & mask) < plan->exp_threshold ? 0 : v[i];
}

// ---- late --------------------------------------------------------------------------------------

static inline uint32_t bf16_to_fp16(uint32_t x)
{
    return ts_fp16_from_fp32(x << 16);
}

// FP16 upwards: a zero exponent keeps its mantissa and is not rebiased, as hardware does.
static inline uint32_t fp16_to_fp32(uint32_t x)
{
    uint32_t rest = x & 0x7C00 ? ((x & 0x7FFF) + (112u << 10)) << 13 : (x & 0x3FF) << 13;
    return (x & 0x8000) << 16 | rest;
}
static inline uint32_t fp16_to_bf16(uint32_t x)
{
    return x & 0x7C00 ? (x & 0x8000) | ((x >> 10 & 0x1F) + 112) << 7 | (x & 0x3FF) >> 3 : 0;
}
static inline uint32_t fp16_to_fp8(uint32_t x, bool e4m3)
{
    uint32_t sign = x >> 8 & 0x80, e = x >> 10 & 0x1F;
    if (!e4m3)
        return x >> 8 & 0xFF;
    return e <= 8 ? sign : e >= 24 ? sign | 0x7F : sign | (e - 8) << 3 | (x >> 7 & 7);
}
static inline uint32_t f32_to_bf16(uint32_t x)
{
    return x & 0x7F800000u ? x >> 16 : 0;
}

void ts_pack_late(const struct ts_pack_plan *plan, uint32_t v[16])
{
    unsigned out = plan->out, kind = plan->kind;
    if (kind == TS_PACK_INT)
        return;
    if (kind == TS_PACK_F32 &&
        plan->middle == TS_FMT_FP16) { // ten bits already: narrow the exponent
        for (unsigned i = 0; i < 16; i++)
            v[i] = ts_fp16_from_fp32(v[i]);
        kind = TS_PACK_FP16;
    }
    switch (out) {
    case TS_FMT_FP32:
    case TS_FMT_TF32:
        if (kind == TS_PACK_BF16)
            for (unsigned i = 0; i < 16; i++)
                v[i] <<= 16;
        else if (kind == TS_PACK_FP16)
            for (unsigned i = 0; i < 16; i++)
                v[i] = fp16_to_fp32(v[i]);
        return;
    case TS_FMT_BF16:
    case TS_FMT_BFP8:
    case TS_FMT_BFP4:
    case TS_FMT_BFP2:
        if (kind == TS_PACK_F32)
            for (unsigned i = 0; i < 16; i++)
                v[i] = f32_to_bf16(v[i]);
        else if (kind == TS_PACK_FP16)
            for (unsigned i = 0; i < 16; i++)
                v[i] = fp16_to_bf16(v[i]);
        return;
    default: // FP16, FP8, BFP8a, BFP4a, BFP2a
        break;
    }
    if (kind == TS_PACK_F32)
        for (unsigned i = 0; i < 16; i++)
            v[i] = ts_fp16_from_fp32(v[i]);
    else if (kind == TS_PACK_BF16)
        for (unsigned i = 0; i < 16; i++)
            v[i] = bf16_to_fp16(v[i]);
    if (out == TS_FMT_FP8)
        for (unsigned i = 0; i < 16; i++)
            v[i] = fp16_to_fp8(v[i], plan->fp8_e4m3);
    else if (out != TS_FMT_FP16) // sign 15 | exponent 5 at 14:7 | mantissa 7
        for (unsigned i = 0; i < 16; i++)
            v[i] = (v[i] & 0x8000) | (v[i] >> 10 & 0x1F) << 7 | (v[i] & 0x3FF) >> 3;
}

// Eight data of a group, aligned to their shared exponent, sign on top.
TS_INLINE ts_v8h group8(ts_v8h x, int top, unsigned bits)
{
    ts_v8h e = (x >> 7) & 255, some = e != 0;
    ts_v8h m = (x & 127) | (some & 128);
    ts_v8h shift = ts_max8(e - (int16_t)(top + 1),
                           ts_k8(-10));   // half up on the magnitude, to seven bits
    m = ts_rsh8(m, shift) & (shift > -9); // a distance of eight or more leaves nothing
    m = ts_sel8(m > 127, ts_k8(127), m) >> (8 - bits);
    return m | ((x >> 15) & (m != 0) & (int16_t)(1u << (bits - 1))); // no minus zero: it means -inf
}

uint8_t ts_pack_group(uint8_t out[16], const uint16_t in[16], unsigned bits)
{
    ts_v8h lo = ts_ld8(in), hi = ts_ld8(in + 8), e = ts_max8((lo >> 7) & 255, (hi >> 7) & 255);
    int top = 0;
    for (unsigned i = 0; i < 8; i++)
        top = e[i] > top ? e[i] : top;
    lo = group8(lo, top, bits);
    hi = group8(hi, top, bits);
    typedef uint8_t v8b __attribute__((vector_size(8)));
    v8b first = __builtin_convertvector(lo, v8b), second = __builtin_convertvector(hi, v8b);
    memcpy(out, &first, sizeof first);
    memcpy(out + 8, &second, sizeof second);
    return (uint8_t)top;
}

uint8_t ts_pack_group_random(uint8_t out[16], const uint16_t in[16], unsigned bits,
                             uint32_t *random)
{
    unsigned top = 0;
    for (unsigned i = 0; i < 16; i++)
        top = (in[i] >> 7 & 255u) > top ? in[i] >> 7 & 255u : top;
    for (unsigned i = 0; i < 16; i++) {
        unsigned e = in[i] >> 7 & 255, shift = top + 1 - e;
        uint32_t m = e ? (in[i] & 127u) | 128 : 0;
        m = m && shift < 9 ? (m + dither(random, shift)) >> shift : 0;
        m = (m > 127 ? 127 : m) >> (8 - bits);
        out[i] = (uint8_t)(m | (m ? (uint32_t)in[i] >> 15 << (bits - 1) : 0));
    }
    return (uint8_t)top;
}
