// MVMUL, DOTPV and GAPOOL: Dst += SrcB @ SrcA. See matrix.h and mul.h.

#include "platform/kernel/component.h"
#include "units/lanes.h"
#include "units/matrix/mul.h"
#include "units/matrix/toggles.h"

// Dst rows of a block: physical rows in groups of four, undefined ones made zero and defined.
static TS_SLOW_PATH void define_group(struct ts_dst *dst, unsigned r, bool dst32)
{
    for (unsigned i = r; i < r + 4; i++)
        if (!dst->valid[i]) {
            memset(dst->bits[i], 0, sizeof dst->bits[i]);
            if (dst32)
                memset(dst->bits[i + TS_DST_LO_ROW], 0, sizeof dst->bits[i]);
            dst->valid[i] = 1;
        }
}

TS_INLINE void four_rows(struct ts_mul_rows *block, unsigned g, struct ts_dst *dst, bool dst32,
                         uint32_t r)
{
    uint32_t flags;
    memcpy(&flags, &dst->valid[r], 4);
    if (__builtin_expect(flags != 0x01010101u, 0))
        define_group(dst, r, dst32);
    block->hi[g] = dst->bits[r];
    block->lo[g] = dst->bits[dst32 ? r + TS_DST_LO_ROW : r];
}

TS_INLINE void block_rows(struct ts_mul_rows *block, struct ts_dst *dst, bool dst32, unsigned row,
                          unsigned rows)
{
    for (unsigned g = 0; g < rows / 4; g++)
        four_rows(block, g, dst, dst32,
                  dst32 ? ts_dst_row32(dst, row + 4 * g) : ts_dst_row16(dst, row + 4 * g));
}

// INT8: an exact integer dot product, then a saturating sign-magnitude accumulate.
TS_INLINE ts_v4i add_sign_magnitude(ts_v4i d, ts_v4i r)
{
    ts_v4i neg = d >> 31;
    d = ((d & 0x7FFFFFFF) ^ neg) - neg;
    ts_v4i t = (ts_v4i)((ts_v4u)d + (ts_v4u)r);
    ts_v4i over = ((t ^ d) & (t ^ r)) >> 31;
    t = ts_sel4(over, (d >> 31) ^ 0x7FFFFFFF, t);
    t -= t == INT32_MIN; // the lanes compare to -1: saturate at -0x7FFFFFFF
    ts_v4i s = t >> 31;
    return ((t ^ s) - s) | (t & INT32_MIN);
}

static TS_SLOW_PATH void mul_int8(const struct ts_mul_rows *dst, const int16_t *a0,
                                  const int16_t *a1, const int16_t *b, unsigned phase,
                                  unsigned rows)
{
    int shift = (phase & 1 ? 0 : 5) + (phase & 2 ? 0 : 4);
    for (unsigned r = 0; r < rows; r++) {
        // |sum of 16| <= 16 * 31 * 63 < 2^15: 16-bit lanes do
        ts_v8h s0 = {}, s1 = {}, s2 = {}, s3 = {}, x = ts_ld8(b + 16 * r),
               y = ts_ld8(b + 16 * r + 8);
#define MAC(k)                                                                                \
    s0 += ts_ld8(a0 + 16 * k) * ts_dup8(x, k), s1 += ts_ld8(a0 + 16 * k + 8) * ts_dup8(x, k), \
        s2 += ts_ld8(a1 + 16 * k) * ts_dup8(y, k), s3 += ts_ld8(a1 + 16 * k + 8) * ts_dup8(y, k);
        MAC(0) MAC(1) MAC(2) MAC(3) MAC(4) MAC(5) MAC(6) MAC(7) s0 += s2;
#undef MAC
        s1 += s3;
        for (unsigned c = 0; c < 16; c += 8) {
            uint16_t *ph = dst->hi[r / 4] + 16 * (r % 4) + c,
                     *pl = dst->lo[r / 4] + 16 * (r % 4) + c;
            ts_v8h s = c ? s1 : s0, h = ts_ld8(ph), l = ts_ld8(pl);
            h = (h & ts_k8(INT16_MIN)) | ts_shl8(h & 255, 7) | ((h >> 8) & 127);
            ts_v4i u = add_sign_magnitude(ts_zip_lo(l, h), ts_shl4(ts_wide_lo(s), shift));
            ts_v4i v = add_sign_magnitude(ts_zip_hi(l, h), ts_shl4(ts_wide_hi(s), shift));
            h = ts_halves_hi(u, v);
            ts_st8(pl, ts_halves_lo(u, v));
            ts_st8(ph, (h & ts_k8(INT16_MIN)) | ((h >> 7) & 255) | ((h & 127) << 8));
        }
    }
}

// Zero exponents that count, or random bits: only the plain path supports these.
static TS_SLOW_PATH void mul_plainly(struct ts_dst *dst, const struct ts_mul_rows *block,
                                     const struct ts_src_bank *a, const struct ts_src_bank *b,
                                     const struct ts_matrix_mode *mode, unsigned a0, unsigned a1,
                                     unsigned b0, unsigned rows)
{
    for (unsigned r = 0; r < rows; r++)
        ts_mul_exact_row(block->hi[r / 4] + 16 * (r % 4), block->lo[r / 4] + 16 * (r % 4),
                         a->w + a0, a->w + a1, b->w[b0 + r], mode, &dst->random);
}

static struct ts_refusal check_mode(const struct ts_matrix_mode *mode)
{
    bool mixed = (mode->style_a == TS_STYLE_FP16) != (mode->style_b == TS_STYLE_FP16);
    if (!mode->int8 && mixed)
        return ts_contract("matrix unit: 5-bit and 8-bit exponents mixed in SrcA and SrcB", 0);
    return ts_fine();
}

TS_INLINE void need_exponents(struct ts_src_bank *bank, unsigned block)
{
    if (!(bank->split_exp >> block & 1))
        ts_split_exponents(bank, block);
}

static TS_SLOW_PATH void mul_far(const struct ts_mul_rows *block, struct ts_src_bank *a,
                                 struct ts_src_bank *b, const struct ts_matrix_mode *mode,
                                 unsigned a0, unsigned a1, unsigned b0, unsigned rows)
{
    unsigned sa = mode->phase & 1, sb = mode->phase >> 1 & 1;
    need_exponents(a, a0);
    need_exponents(a, a1);
    need_exponents(b, b0);
    struct ts_mul_operands op = {
        .ea = {a->exponent[8 * a0], a->exponent[8 * a1]},
        .fa = {a->slice.f[sa][8 * a0], a->slice.f[sa][8 * a1]},
        .wa = {a->w[8 * a0], a->w[8 * a1]},
        .eb = b->exponent[8 * b0],
        .fb = b->slice.f[sb][8 * b0],
        .wb = b->w[8 * b0],
        .big = ((a->split_big >> a0 | a->split_big >> a1 | b->split_big >> b0) & 1) != 0,
    };
    ts_mul_fast(block, &op, mode, rows);
}

// Makes the slice of these blocks unless it is there. New exponents make pairs of blocks old.
static void need_slices(struct ts_srcs *srcs, struct ts_src_bank *bank, bool is_a, unsigned blocks,
                        unsigned slice, enum ts_style style)
{
    if (__builtin_expect(bank->split_style != style, 0))
        bank->split_ok[0] = bank->split_ok[1] = 0;
    for (blocks &= ~(unsigned)bank->split_ok[slice]; blocks; blocks &= blocks - 1) {
        unsigned block = (unsigned)__builtin_ctz(blocks), before = (block + 7) % 8;
        if (!((bank->split_ok[0] | bank->split_ok[1]) >> block & 1))
            srcs->pair_ok &= ~(is_a ? (1u << block | 1u << before) * UINT64_C(0x0101010101010101)
                                    : UINT64_C(0xFF) << 8 * block);
        ts_split_block(bank, is_a, block, slice, style);
    }
}

static void need_pairs(struct ts_srcs *srcs, const struct ts_src_bank *a,
                       const struct ts_src_bank *b, uint64_t pairs)
{
    uint8_t banks = (uint8_t)(srcs->a.matrix | srcs->b.matrix << 1);
    if (srcs->pair_banks != banks)
        srcs->pair_banks = banks, srcs->pair_ok = 0;
    for (pairs &= ~srcs->pair_ok; pairs; pairs &= pairs - 1) {
        unsigned i = (unsigned)__builtin_ctzll(pairs);
        ts_mul_pair(&srcs->pair[i / 8][i % 8 / 2], a, b, i % 8, i / 8);
        srcs->pair_ok = (srcs->pair_ok & ~(UINT64_C(3) << (i & ~1u))) | UINT64_C(1) << i;
    }
}

TS_INLINE void mul_near(const struct ts_srcs *srcs, const struct ts_mul_rows *rows,
                        const struct ts_src_bank *a, const struct ts_src_bank *b,
                        const struct ts_matrix_mode *mode, unsigned phase, unsigned a0, unsigned b0,
                        unsigned count)
{
    unsigned a1 = (a0 + 1) & 7, sa = phase & 1, sb = phase >> 1 & 1;
    struct ts_near_operands op = {
        .pair = &srcs->pair[b0][a0 / 2],
        .fa = {a->slice.f[sa][8 * a0], a->slice.f[sa][8 * a1]},
        .fb = b->slice.f[sb][8 * b0],
        .less = ts_matrix_phase_shift(phase),
        .small = sb,
    };
    if (mode->dst32)
        ts_mul_near32(rows, &op, count);
    else if (ts_matrix_is_e5(mode))
        ts_mul_fp16(rows, &op, count);
    else
        ts_mul_near16(rows, &op, count);
}

// Multiplies blocks of eight rows: a0 and a1 of SrcA, b0 of SrcB. Not inlined: the compiler would
// derive every address from the banks' numbers.
static __attribute__((noinline)) void mul_blocks(struct ts_srcs *srcs,
                                                 const struct ts_mul_rows *rows,
                                                 struct ts_src_bank *a, struct ts_src_bank *b,
                                                 const struct ts_matrix_mode *mode, unsigned a0,
                                                 unsigned b0, unsigned count)
{
    unsigned a1 = (a0 + 1) & 7, sa = mode->phase & 1, sb = mode->phase >> 1 & 1;
    enum ts_style style_a = mode->int8 ? TS_STYLE_INT8 : mode->style_a;
    enum ts_style style_b = mode->int8 ? TS_STYLE_INT8 : mode->style_b;
    need_slices(srcs, a, true, 1u << a0 | 1u << a1, sa, style_a);
    need_slices(srcs, b, false, 1u << b0, sb, style_b);
    bool is_near = a->split_near >> a0 & a->split_near >> a1 & b->split_near >> b0 & 1;
    if (__builtin_expect(mode->int8, 0))
        mul_int8(rows, a->slice.i[sa][8 * a0], a->slice.i[sa][8 * a1], b->slice.i[sb][8 * b0],
                 mode->phase, count);
    else if (__builtin_expect(is_near, 1)) {
        need_pairs(srcs, a, b, UINT64_C(1) << (8 * b0 + a0));
        mul_near(srcs, rows, a, b, mode, mode->phase, a0, b0, count);
    } else
        mul_far(rows, a, b, mode, a0, a1, b0, count);
}

struct ts_refusal ts_mvmul(struct ts_dst *dst, struct ts_srcs *srcs,
                           const struct ts_matrix_mode *mode, unsigned row_a, unsigned row_b,
                           unsigned row_d, unsigned rows)
{
    struct ts_refusal refusal = check_mode(mode);
    if (refusal.what)
        return refusal;
    struct ts_src_bank *a = &srcs->a.bank[srcs->a.matrix], *b = &srcs->b.bank[srcs->b.matrix];
    struct ts_mul_rows block;
    const bool dst32 = mode->dst32 || mode->int8;
    block_rows(&block, dst, dst32, row_d & (0x400 - rows), rows);
    if (__builtin_expect(srcs->toggles != NULL, 0) && rows == 8)
        ts_toggles_count(srcs->toggles, a, b, row_a >> 3 & 7, row_b >> 3 & 7, &block, dst32);
    if (__builtin_expect(mode->keep_denormals | mode->stochastic | mode->minus_one, 0))
        mul_plainly(dst, &block, a, b, mode, row_a & 0x38, (row_a + 8) & 0x38, row_b & 0x38, rows);
    else
        mul_blocks(srcs, &block, a, b, mode, row_a >> 3 & 7, row_b >> 3 & 7, rows);
    return ts_fine();
}

void ts_mvmul_run_add(struct ts_mvmul_run *run, const struct ts_dst *dst, bool dst32,
                      unsigned row_a, unsigned row_b, unsigned row_d, unsigned phase)
{
    unsigned a = row_a >> 3 & 7, b = row_b >> 3 & 7, i = run->count++;
    row_d &= TS_DST_ROWS - 8;
    run->step[i].a = (uint8_t)a;
    run->step[i].b = (uint8_t)b;
    run->step[i].phase = (uint8_t)phase;
    for (unsigned g = 0; g < 2; g++)
        run->step[i].row[g] = (uint16_t)(dst32 ? ts_dst_row32(dst, row_d + 4 * g)
                                               : ts_dst_row16(dst, row_d + 4 * g));
    run->need_a[phase & 1] |= (uint8_t)(1u << a | 1u << (a + 1) % 8);
    run->need_b[phase >> 1] |= (uint8_t)(1u << b);
    run->pairs |= UINT64_C(1) << (8 * b + a);
    run->odd = (run->pairs & run->pairs >> 1 & UINT64_C(0x5555555555555555)) != 0;
}

bool ts_mvmuls(struct ts_dst *dst, struct ts_srcs *srcs, const struct ts_matrix_mode *mode,
               const struct ts_mvmul_run *run)
{
    struct ts_src_bank *a = &srcs->a.bank[srcs->a.matrix], *b = &srcs->b.bank[srcs->b.matrix];
    if (mode->int8 | mode->keep_denormals | mode->stochastic | mode->minus_one | run->odd ||
        check_mode(mode).what)
        return false;
    for (unsigned slice = 0; slice < 2; slice++) {
        need_slices(srcs, a, true, run->need_a[slice], slice, mode->style_a);
        need_slices(srcs, b, false, run->need_b[slice], slice, mode->style_b);
    }
    if (((run->need_a[0] | run->need_a[1]) & ~a->split_near) |
        ((run->need_b[0] | run->need_b[1]) & ~b->split_near))
        return false;
    need_pairs(srcs, a, b, run->pairs);
    for (unsigned i = 0; i < run->count; i++) {
        struct ts_mul_rows rows;
        four_rows(&rows, 0, dst, mode->dst32, run->step[i].row[0]);
        four_rows(&rows, 1, dst, mode->dst32, run->step[i].row[1]);
        if (__builtin_expect(srcs->toggles != NULL, 0))
            ts_toggles_count(srcs->toggles, a, b, run->step[i].a, run->step[i].b, &rows,
                             mode->dst32);
        mul_near(srcs, &rows, a, b, mode, run->step[i].phase, run->step[i].a, run->step[i].b, 8);
    }
    return true;
}

struct ts_refusal ts_mvmul_broadcast(struct ts_dst *dst, struct ts_srcs *srcs,
                                     const struct ts_matrix_mode *mode, unsigned row_a,
                                     unsigned row_b, unsigned row_d)
{
    struct ts_refusal refusal = check_mode(mode);
    if (refusal.what)
        return refusal;
    const struct ts_src_bank *a = &srcs->a.bank[srcs->a.matrix], *b = &srcs->b.bank[srcs->b.matrix];
    unsigned a0 = row_a & 0x38, a1 = (a0 + 8) & 0x38;
    bool dst32 = mode->dst32 || mode->int8;
    row_d &= 0x400 - 7; // seven rows of which every other is written; bit 0 survives the mask
    for (unsigned r = 0; r < 7; r += 2) {
        uint32_t at = dst32 ? ts_dst_row32(dst, row_d + r) : ts_dst_row16(dst, row_d + r);
        uint16_t *hi = dst->bits[at], *lo = dst32 ? dst->bits[at + TS_DST_LO_ROW] : hi;
        if (!dst->valid[at]) {
            memset(hi, 0, sizeof dst->bits[at]);
            memset(lo, 0, sizeof dst->bits[at]);
            dst->valid[at] = 1;
        }
        ts_mul_exact_row(hi, lo, a->w + a0, a->w + a1, b->w[row_b & 0x3F], mode, &dst->random);
    }
    return ts_fine();
}
