// GMPOOL: column maxima of SrcA, scaled by powers of two from SrcB, against a row of Dst. See
// matrix.h.
//
// Comparison is by sign and magnitude. An undefined Dst row counts as all ones, the most negative
// number. The other three rows of the aligned group of four become zero. With argmax, the index of
// the winner among the first eight SrcA rows goes to the low bits of a 32-bit Dst, through the
// hardware's odd transform.
#include "units/matrix/matrix.h"

struct datum {
    uint32_t sign;
    uint32_t exponent; // 9 bits
    uint32_t mantissa; // 10 bits, or the magnitude of an integer
};

// What a Dst row holds here.
enum pool_dst { POOL_BF16, POOL_TF32, POOL_FP16, POOL_INT32 };

static int32_t comparable(struct datum x)
{
    int32_t magnitude = (int32_t)(x.exponent << 10 | x.mantissa);
    return x.sign ? -magnitude : magnitude;
}

static struct datum from_dst(uint32_t cell, enum pool_dst kind)
{
    struct datum d = {.sign = cell >> 31};
    switch (kind) {
    case POOL_INT32: // the low 19 bits of the magnitude
        d.mantissa = cell & 0x3FF;
        d.exponent = (cell >> 10 & 0x3F) | (cell >> 24 & 7) << 6;
        break;
    case POOL_FP16:
        d.exponent = (cell >> 16 & 0x1F) + 15;
        d.mantissa = cell >> 21 & 0x3FF;
        break;
    default:
        d.exponent = (cell >> 16 & 0xFF) + 127;
        d.mantissa = (cell >> 24 & 0x7F) << 3 | (kind == POOL_TF32 ? cell >> 13 & 7 : 0);
        break;
    }
    return d;
}

static uint32_t to_dst(struct datum d, enum pool_dst kind)
{
    switch (kind) {
    case POOL_INT32: // only 13 bits of magnitude come back
        return d.sign << 31 | (d.exponent & 7) << 10 | d.mantissa;
    case POOL_FP16:
        if (!(d.exponent & 0x3F))
            return 0;
        return d.sign << 31 | d.mantissa << 21 | ((d.exponent - 15) & 0x1F) << 16;
    default:
        if (!d.exponent)
            return 0;
        return d.sign << 31 | (d.mantissa & 0x3F8) << 21 | ((d.exponent - 127) & 0xFF) << 16 |
               (kind == POOL_TF32 ? (d.mantissa & 7) << 13 : 0);
    }
}

// SrcA scaled by the power of two in SrcB. A zero scale is minus infinity; a zero datum stays zero.
static struct datum scaled(uint32_t a, uint32_t b, enum ts_style style)
{
    uint32_t ea = a >> 23 & 0xFF, eb = b >> 23 & 0xFF, man = a >> 13 & 0x3FF;
    if (!eb)
        return (struct datum){1, 0x1FF, 0x3FF};
    if (!ea)
        return (struct datum){0, 0, 0};
    switch (style) {
    case TS_STYLE_INT8:
        return (struct datum){a >> 31, 0, man};
    case TS_STYLE_FP16:
        return (struct datum){a >> 31, (ea & 0x1F) + (eb & 0x1F), man};
    case TS_STYLE_TF32:
        return (struct datum){a >> 31, (ea + eb) & 0x1FF, man};
    default:
        return (struct datum){a >> 31, (ea + eb) & 0x1FF, man & 0x3F8};
    }
}

static enum pool_dst dst_kind(const struct ts_matrix_mode *mode, bool argmax, bool dst32)
{
    if (mode->int8)
        return POOL_INT32;
    if (mode->style_a == TS_STYLE_TF32)
        return argmax ? POOL_INT32 : dst32 ? POOL_TF32 : POOL_BF16;
    if (mode->style_a == TS_STYLE_FP16) // argmax with a 32-bit Dst: FP16 over the index
        return dst32 && !argmax ? POOL_TF32 : POOL_FP16;
    return dst32 && !argmax ? POOL_TF32 : POOL_BF16;
}

static uint32_t read_row(const struct ts_dst *dst, bool dst32, unsigned row, unsigned col)
{
    uint32_t at = dst32 ? ts_dst_row32(dst, row) : ts_dst_row16(dst, row);
    if (!dst->valid[at])
        return dst32 ? UINT32_MAX : 0xFFFF0000u;
    return (uint32_t)dst->bits[at][col] << 16 | (dst32 ? dst->bits[at + TS_DST_LO_ROW][col] : 0);
}

struct ts_refusal ts_gmpool(struct ts_dst *dst, struct ts_srcs *srcs,
                            const struct ts_matrix_mode *mode, bool argmax, unsigned row_a,
                            unsigned row_b, unsigned row_d)
{
    // Rows 0 to 7 are visited 4, 5, 6, 7, 0, 1, 2, 3, which decides ties of argmax.
    static const uint8_t order[16] = {4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15};
    static const uint8_t transform[8] = {0, 3, 6, 1, 4, 7, 2, 5};
    const struct ts_src_bank *a = &srcs->a.bank[srcs->a.matrix], *b = &srcs->b.bank[srcs->b.matrix];
    bool dst32 = mode->dst32 || mode->int8;
    enum ts_style style = mode->int8 ? TS_STYLE_INT8 : mode->style_a;
    enum pool_dst kind = dst_kind(mode, argmax, dst32);
    row_a &= 0x30;
    row_b &= 0x38;
    row_d &= 0x3FC;

    uint32_t result[4][16];
    for (unsigned c = 0; c < 16; c++) {
        uint32_t cell = read_row(dst, dst32, row_d, c);
        struct datum max = from_dst(cell, kind);
        uint32_t phase = (cell + 0x100) & 0xF00, index = cell & 0xFF;
        for (unsigned i = 0; i < 16; i++) {
            unsigned k = order[i];
            struct datum x = scaled(a->w[row_a + k][c], b->w[row_b][k], style);
            if (comparable(x) < comparable(max))
                continue;
            max = x;
            if (k < 8)
                index = (phase >> 4) + transform[k];
        }
        uint32_t both = phase | index;
        result[0][c] = !argmax              ? to_dst(max, kind)
                       : kind == POOL_INT32 ? both
                                            : to_dst(max, kind) | both;
        for (unsigned r = 1; r < 4; r++) // the index phase of the other rows steps too
            result[r][c] = argmax && dst32 ? (read_row(dst, dst32, row_d + r, c) + 0x100) & 0xF00
                                           : 0;
    }
    for (unsigned r = 0; r < 4; r++)
        for (unsigned c = 0; c < 16; c++)
            if (dst32)
                ts_dst_set32(dst, row_d + r, c, result[r][c]);
            else
                ts_dst_set16(dst, row_d + r, c, (uint16_t)(result[r][c] >> 16));
    return ts_fine();
}
