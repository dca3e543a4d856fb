// ELWADD, ELWSUB and ELWMUL: Dst = or += SrcA op SrcB, element by element, 8 rows. See matrix.h.
//
// ELWMUL is one product of mul.h per datum, accumulated. ELWADD aligns the operand with the
// smaller exponent (half away from zero; a distance of 12 or more drops it), adds, and accumulates
// or starts from zero. Fidelity phases scale an ELWADD down, by 2^-5 and 2^-7.

#include "units/matrix/dispatch.h"
#include "units/matrix/lanes.h"

// Eight operands of one row in 16-bit lanes.
struct operand {
    ts_v8h sign;     // 0 or -1
    ts_v8h exponent; // 0 to 255
    ts_v8h mantissa; // with the hidden one, 11 bits; zero for a zero
    ts_v8h zero;     // -1 where the datum counts as zero
};

TS_INLINE struct operand load8(const uint32_t *w, uint32_t mask, uint32_t flip, bool keep)
{
    ts_v4u w0 = (ts_ld4u(w) & mask) ^ flip, w1 = (ts_ld4u(w + 4) & mask) ^ flip;
    ts_v8h h = ts_halves_hi((ts_v4i)w0, (ts_v4i)w1);
    struct operand o = {.sign = h >> 15, .exponent = (h >> 7) & 255};
    ts_v8h man = ts_halves_lo((ts_v4i)(w0 >> 13), (ts_v4i)(w1 >> 13)) & 0x3FF;
    // With denormals kept, only the all-zero word is zero to an add, and no word at all to a
    // multiply.
    o.zero = keep ? ts_k8(0) : o.exponent == 0;
    ts_v8h none = keep ? (h == 0) & (man == 0) : o.zero;
    o.mantissa = (man | 0x400) & ~none;
    if (!keep)
        o.sign &= ~o.zero;
    return o;
}

TS_INLINE void add8(ts_v8h *sum, ts_v8h *exp, const struct operand *a, const struct operand *b,
                    bool e5, bool dst32)
{
    ts_v8h top = ts_max8(a->exponent, b->exponent);
    ts_v8h ma = ts_rsh8(a->mantissa, ts_max8(a->exponent - top, ts_k8(-12)));
    ts_v8h mb = ts_rsh8(b->mantissa, ts_max8(b->exponent - top, ts_k8(-12)));
    *sum = ((ma ^ a->sign) - a->sign) + ((mb ^ b->sign) - b->sign);
    *exp = e5 && dst32 ? ts_sel8(top != 0, top + 112, ts_k8(97)) : top;
}

TS_INLINE void mul8(ts_v8h *sum, ts_v8h *exp, const struct operand *a, const struct operand *b,
                    unsigned phase, int adj)
{
    ts_v8h ma = a->mantissa | 0x400, mb = b->mantissa | 0x400; // zeros are masked below
    ma = phase & 1 ? (ma >> 1) & 31 : ma >> 6;
    mb = phase & 2 ? (mb & 15) << 3 : mb >> 4;
    ts_v8h x = a->exponent + b->exponent + (int16_t)adj, sign = a->sign ^ b->sign;
    ts_v8h none = a->zero | b->zero | (x <= 0), m = ma * mb;
    *sum = ((m ^ sign) - sign) & ~none;
    *exp = ts_sel8(none, ts_k8(adj > 0 ? adj : 0), x);
}

// Eight columns.
TS_INLINE void elw8(ts_v8h *sum, ts_v8h *exp, const uint32_t *wa, const uint32_t *wb,
                    const struct ts_matrix_mode *mode, const struct ts_elw *elw, bool e5,
                    bool dst32)
{
    uint32_t flip = elw->op == TS_ELW_SUB ? 0x80000000u : 0;
    int scale = (mode->phase & 1 ? 5 : 0) + (mode->phase & 2 ? 7 : 0);
    struct operand a = load8(wa, ts_style_mask(mode->style_a), 0, false);
    struct operand b = load8(wb, ts_style_mask(mode->style_b), flip, mode->keep_denormals);
    if (elw->op == TS_ELW_MUL) {
        mul8(sum, exp, &a, &b, mode->phase, ts_matrix_adjust(mode));
    } else {
        add8(sum, exp, &a, &b, e5, dst32);
        *exp -= (int16_t)scale;
    }
}

// One row: hi and lo are its cells, b is already broadcast.
TS_INLINE void row_float(uint16_t *hi, uint16_t *lo, const uint32_t *wa, const uint32_t *wb,
                         const struct ts_matrix_mode *mode, const struct ts_elw *elw, bool e5,
                         bool dst32)
{
    for (unsigned c = 0; c < 16; c += 8) {
        ts_v8h sum, exp;
        elw8(&sum, &exp, wa + c, wb + c, mode, elw, e5, dst32);
        ts_accumulate_cells8(hi + c, lo + c, sum, exp, ts_k8(0), ts_k8(0),
                             elw->op == TS_ELW_MUL || elw->add_dst, e5, dst32);
    }
}

// The same with the last rounding random, a datum at a time.
static void row_stochastic(uint16_t *hi, uint16_t *lo, const uint32_t *wa, const uint32_t *wb,
                           const struct ts_matrix_mode *mode, const struct ts_elw *elw, bool e5,
                           uint32_t *random)
{
    for (unsigned c = 0; c < 16; c += 8) {
        ts_v8h sum, exp;
        elw8(&sum, &exp, wa + c, wb + c, mode, elw, e5, mode->dst32);
        for (unsigned i = 0; i < 8; i++) {
            bool add = elw->op == TS_ELW_MUL || elw->add_dst;
            uint32_t d = add ? ts_matrix_from_cell(hi[c + i], mode->dst32 ? lo[c + i] : 0, mode)
                             : 0;
            uint32_t y = ts_matrix_accumulate((int32_t[2]){sum[i], 0}, (int32_t[2]){exp[i], 0}, d,
                                              mode, random);
            hi[c + i] = ts_matrix_to_cell(y, mode);
            if (mode->dst32)
                lo[c + i] = (uint16_t)y;
        }
    }
}

static void row_int8(uint16_t *hi, uint16_t *lo, const uint32_t *wa, const uint32_t *wb,
                     const struct ts_matrix_mode *mode, const struct ts_elw *elw)
{
    bool mul = elw->op == TS_ELW_MUL;
    uint32_t mask_a = mul ? (mode->phase & 1 ? 0x8003E000u : 0x801C0000u) : 0xFFFFE000u;
    uint32_t mask_b = mul ? (mode->phase & 2 ? 0x8001E000u : 0x807E0000u) : 0xFFFFE000u;
    for (unsigned c = 0; c < 16; c++) {
        int32_t a = wa[c] & 0x7F800000u ? ts_int_from_src(wa[c] & mask_a) : 0;
        bool some_b = (wb[c] & 0x7F800000u) || mode->keep_denormals;
        int32_t b = some_b ? ts_int_from_src(wb[c] & mask_b) : 0;
        int32_t r = mul ? a * b : elw->op == TS_ELW_SUB ? a - b : a + b;
        uint32_t d = ts_fp32_from_cell((uint32_t)hi[c] << 16 | lo[c]);
        if (mul || elw->add_dst)
            r = ts_sat_add32(ts_sm32_to_int(d), r);
        d = ts_fp32_to_cell(ts_sm32_from_int(r));
        hi[c] = (uint16_t)(d >> 16);
        lo[c] = (uint16_t)d;
    }
}

struct ts_refusal ts_elementwise(struct ts_dst *dst, struct ts_srcs *srcs,
                                 const struct ts_matrix_mode *mode, const struct ts_elw *elw,
                                 unsigned row_a, unsigned row_b, unsigned row_d)
{
    bool e5 = ts_matrix_is_e5(mode), dst32 = mode->dst32 || mode->int8;
    if (!mode->int8 && e5 != (mode->style_b == TS_STYLE_FP16))
        return ts_contract("matrix unit: 5-bit and 8-bit exponents mixed in SrcA and SrcB", 0);
    const struct ts_src_bank *a = &srcs->a.bank[srcs->a.matrix], *b = &srcs->b.bank[srcs->b.matrix];
    row_a &= 0x38;
    row_b &= elw->broadcast_row ? 0x3F : 0x38;
    row_d &= 0x3F8;
    for (unsigned r = 0; r < 8; r++) {
        const uint32_t *wb = b->w[row_b + (elw->broadcast_row ? 0 : r)];
        uint32_t column[16];
        if (elw->broadcast_col) {
            for (unsigned c = 0; c < 16; c++)
                column[c] = wb[0];
            wb = column;
        }
        uint32_t at = dst32 ? ts_dst_row32(dst, row_d + r) : ts_dst_row16(dst, row_d + r);
        uint16_t *hi = dst->bits[at], *lo = dst32 ? dst->bits[at + TS_DST_LO_ROW] : hi;
        if (!dst->valid[at]) {
            memset(hi, 0, sizeof dst->bits[at]);
            memset(lo, 0, sizeof dst->bits[at]);
            dst->valid[at] = 1;
        }
        if (mode->int8)
            row_int8(hi, lo, a->w[row_a + r], wb, mode, elw);
        else if (mode->stochastic)
            row_stochastic(hi, lo, a->w[row_a + r], wb, mode, elw, e5, &dst->random);
        else if (dst32)
            row_float(hi, lo, a->w[row_a + r], wb, mode, elw, e5, true);
        else if (e5)
            row_float(hi, lo, a->w[row_a + r], wb, mode, elw, true, false);
        else
            row_float(hi, lo, a->w[row_a + r], wb, mode, elw, false, false);
    }
    return ts_fine();
}
