// The multiplier array in plain integers, one datum at a time: the portable reference. See
// mul.h.
#include "units/matrix/mul.h"

// x / 2^distance, half toward plus infinity.
static int64_t round_up(int64_t x, int distance)
{
    return distance <= 0 ? x : distance > 40 ? 0 : (x + (INT64_C(1) << (distance - 1))) >> distance;
}

// x / 2^distance, half away from zero.
static int64_t round_away(int64_t x, int distance)
{
    return x < 0 ? -round_up(-x, distance) : round_up(x, distance);
}

// x / 2^distance, with 1 to 2^distance added first: biased upwards, even for exact values.
static int64_t round_randomly(int64_t x, int distance, uint32_t *random)
{
    uint32_t r = *random ? *random : 0x2545F491u;
    r ^= r << 13;
    r ^= r >> 17;
    r ^= r << 5;
    *random = r;
    uint64_t bits = (uint64_t)r * UINT64_C(0x9E3779B97F4A7C15) >> 24;
    return (x + 1 + (int64_t)(bits & ((UINT64_C(1) << distance) - 1))) >> distance;
}

uint32_t ts_matrix_accumulate(const int32_t sum[2], const int32_t exponent[2], uint32_t dst,
                              const struct ts_matrix_mode *mode, uint32_t *random)
{
    int dst_exp = (int)(dst >> 23 & 255), top = dst_exp;
    for (int g = 0; g < 2; g++)
        if (exponent[g] > top)
            top = exponent[g];
    if (top <= 0)
        return 0;

    int64_t d = dst_exp ? (int64_t)((dst & 0x7FFFFF) | 0x800000) : 0;
    d = round_away(dst >> 31 ? -d : d, top - dst_exp);
    int64_t total = mode->dst32 ? d : round_away(d, 13) * 8192;
    for (int g = 0; g < 2; g++) {
        int64_t t = round_up((int64_t)sum[g] * 8192, top - exponent[g]);
        total += mode->dst32 ? t : round_up(t, 13) * 8192;
    }
    if (!total)
        return 0;
    if (mode->minus_one && total == -1) // shifted right by four instead of left by 23
        return top + 4 >= 255 ? 0x80000000u | 255u << 23 : 0x80000000u | (uint32_t)(top + 4) << 23;

    bool e5 = ts_matrix_is_e5(mode) && !mode->dst32;
    uint32_t sign = total < 0 ? 0x80000000u : 0;
    int64_t mag = total < 0 ? -total : total;
    int lead = 63 - __builtin_clzll((uint64_t)mag), keep = mode->dst32 ? 24 : e5 ? 11 : 8;
    int exp = top + lead - 23, drop = lead + 1 - keep;
    if (mode->stochastic && drop > 0)
        mag = round_randomly(mag, drop, random);
    else
        mag = drop > 0 ? round_up(mag, drop) : mag << -drop;
    if (mag >> keep) {
        exp++;
        mag >>= 1;
    }
    uint32_t mantissa = (uint32_t)(mag << (24 - keep)) & 0x7FFFFF;
    if (exp <= 0)
        return 0;
    if (e5)
        return exp >= 32 ? sign | 31u << 23 | 0x3FFu << 13 : sign | (uint32_t)exp << 23 | mantissa;
    return exp >= 255 ? sign | 255u << 23 : sign | (uint32_t)exp << 23 | mantissa;
}

// The integer slice of a word that INT8 phases multiply.
static int32_t int_slice(uint32_t w, uint32_t mask, bool keep_zero_exp)
{
    if (!(w & 0x7F800000) && !keep_zero_exp)
        return 0;
    return ts_int_from_src(w & (0x80000000u | mask << 13));
}

static void exact_row_int8(uint16_t hi[16], uint16_t lo[16], const uint32_t a0[8][16],
                           const uint32_t a1[8][16], const uint32_t b[16],
                           const struct ts_matrix_mode *mode)
{
    uint32_t mask_a = mode->phase & 1 ? 0x1F : 0xE0, mask_b = mode->phase & 2 ? 0xF : 0x3F0;
    for (int c = 0; c < 16; c++) {
        int32_t sum = 0;
        for (int k = 0; k < 16; k++)
            sum += int_slice(k < 8 ? a0[k][c] : a1[k - 8][c], mask_a, false) *
                   int_slice(b[k], mask_b, mode->keep_denormals);
        uint32_t d = ts_fp32_from_cell((uint32_t)hi[c] << 16 | lo[c]);
        d = ts_fp32_to_cell(ts_sm32_from_int(ts_sat_add32(ts_sm32_to_int(d), sum)));
        hi[c] = (uint16_t)(d >> 16);
        lo[c] = (uint16_t)d;
    }
}

void ts_mul_exact_row(uint16_t hi[16], uint16_t lo[16], const uint32_t a0[8][16],
                      const uint32_t a1[8][16], const uint32_t b[16],
                      const struct ts_matrix_mode *mode, uint32_t *random)
{
    if (mode->int8) {
        exact_row_int8(hi, lo, a0, a1, b, mode);
        return;
    }
    int adj = ts_matrix_adjust(mode), zero_exp = adj > 0 ? adj : 0;
    uint32_t mask_a = ts_style_mask(mode->style_a), mask_b = ts_style_mask(mode->style_b);
    for (int c = 0; c < 16; c++) {
        int32_t sum[2] = {0, 0}, exponent[2];
        for (int g = 0; g < 2; g++) {
            int e[8], m[8], top = zero_exp;
            for (int i = 0; i < 8; i++) {
                uint32_t wa = (g ? a1 : a0)[i][c] & mask_a, wb = b[8 * g + i] & mask_b;
                int ea = (int)(wa >> 23 & 255), eb = (int)(wb >> 23 & 255);
                e[i] = zero_exp;
                m[i] = 0;
                if (!ea || (!eb && !mode->keep_denormals))
                    continue;
                int ma = (int)(wa >> 13 & 0x3FF) | 0x400, mb = (int)(wb >> 13 & 0x3FF) | 0x400;
                ma = mode->phase & 1 ? ma >> 1 & 31 : ma >> 6;
                mb = mode->phase & 2 ? (mb & 15) << 3 : mb >> 4;
                e[i] = ea + eb + adj;
                m[i] = (wa ^ wb) >> 31 ? -ma * mb : ma * mb;
                if (e[i] > top)
                    top = e[i];
            }
            exponent[g] = top;
            for (int i = 0; i < 8 && top > 0; i++)
                sum[g] += (int32_t)round_away(m[i], top - e[i]);
        }
        uint32_t y = ts_matrix_accumulate(
            sum, exponent, ts_matrix_from_cell(hi[c], mode->dst32 ? lo[c] : 0, mode), mode, random);
        hi[c] = ts_matrix_to_cell(y, mode);
        if (mode->dst32)
            lo[c] = (uint16_t)y;
    }
}
