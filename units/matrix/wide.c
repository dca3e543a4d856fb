// The multiplier array for any exponents: group sums in 16-bit integer lanes. See mul.h.
#include "units/matrix/dispatch.h"
#include "units/matrix/lanes.h"

// Magnitudes of a slice and signs (0 or -1), eight rows or fewer.
static void magnitudes(int16_t *mag, int16_t *sign, const uint32_t *w, unsigned rows, uint32_t mask,
                       bool is_a, bool low)
{
    for (unsigned i = 0; i < 16 * rows; i++) {
        uint32_t m = (w[i] & mask) >> 13 & 0x3FF;
        uint32_t v = is_a ? (low ? m >> 1 & 31 : m >> 6 | 16) : (low ? (m & 15) << 3 : m >> 4 | 64);
        mag[i] = (int16_t)(w[i] & mask & 0x7F800000u ? v : 0);
        sign[i] = (int16_t)((int32_t)w[i] >> 31);
    }
}

TS_INLINE void wide_rows(const struct ts_mul_rows *dst, const struct ts_mul_operands *op,
                         const struct ts_matrix_mode *mode, unsigned rows, bool e5, bool dst32)
{
    int16_t ma[2][128], sa[2][128], mb[128], sb[128];
    uint32_t mask_a = ts_style_mask(mode->style_a), mask_b = ts_style_mask(mode->style_b);
    magnitudes(ma[0], sa[0], op->wa[0], 8, mask_a, true, mode->phase & 1);
    magnitudes(ma[1], sa[1], op->wa[1], 8, mask_a, true, mode->phase & 1);
    magnitudes(mb, sb, op->wb, rows, mask_b, false, mode->phase & 2);
    int adj = ts_matrix_adjust(mode), zero_exp = adj > 0 ? adj : 0;
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < 16; c += 8) {
            ts_v8h exp[2], sum[2];
            for (unsigned g = 0; g < 2; g++) {
                ts_v8h e[8], top = ts_k8(zero_exp), s = {};
                for (unsigned k = 0; k < 8; k++) {
                    e[k] = ts_ld8(op->ea[g] + 16 * k + c) +
                           (int16_t)(op->eb[16 * r + 8 * g + k] + adj);
                    top = ts_max8(top, e[k]);
                }
                for (unsigned k = 0; k < 8; k++) {
                    unsigned i = 16 * k + c, j = 16 * r + 8 * g + k;
                    ts_v8h x = ts_rsh8(ts_ld8(&ma[g][i]) * mb[j], ts_max8(e[k] - top, ts_k8(-13)));
                    ts_v8h n = ts_ld8(&sa[g][i]) ^ sb[j];
                    s += (x ^ n) - n;
                }
                exp[g] = top;
                sum[g] = s & (top > 0);
            }
            unsigned at = 16 * (r % 4) + c;
            ts_accumulate_cells8(dst->hi[r / 4] + at, dst32 ? dst->lo[r / 4] + at : 0, sum[0],
                                 exp[0], sum[1], exp[1], true, e5, dst32);
        }
}

void ts_mul_wide(const struct ts_mul_rows *dst, const struct ts_mul_operands *op,
                 const struct ts_matrix_mode *mode, unsigned rows)
{
    if (mode->dst32)
        wide_rows(dst, op, mode, rows, ts_matrix_is_e5(mode), true);
    else
        wide_rows(dst, op, mode, rows, false, false);
}
