// Both of the packer's conversions at once, for complete rows of the most common pairs of formats,
// directly from Dst into L1. The result is bit-identical to convert.c, which handles all other
// cases. See pack.h.

#include "units/files/format.h"
#include "units/lanes.h"
#include "units/pack/pack.h"

enum ts_pack_pair ts_pack_pair_of(const struct ts_pack_plan *plan)
{
    if (plan->raw || plan->round10 || plan->from_l1)
        return TS_PACK_NO_PAIR;
    switch ((uint32_t)plan->read32 << 8 | (uint32_t)plan->middle << 4 | plan->out) {
    case TS_FMT_BF16 << 4 | TS_FMT_BF16:
        return TS_PACK_BF16_BF16;
    case TS_FMT_FP16 << 4 | TS_FMT_FP16:
        return TS_PACK_FP16_FP16;
    case 0x100 | TS_FMT_FP32 << 4 | TS_FMT_FP32:
    case 0x100 | TS_FMT_INT32 << 4 | TS_FMT_INT32:
        return TS_PACK_32_32;
    case 0x100 | TS_FMT_BF16 << 4 | TS_FMT_BF16:
        return TS_PACK_32_BF16;
    default:
        return TS_PACK_NO_PAIR;
    }
}

// NaN to infinity, denormals to zero.
TS_INLINE void row_bf16(uint8_t *l1, const uint16_t *cell)
{
    ts_v8h x = ts_ld8(cell), y = ts_ld8(cell + 8);
    ts_v16b exponent = ts_bytes_lo(x, y), rest = ts_bytes_hi(x, y); // sign, mantissa
    rest &= ~((exponent == -1) & 0x7F) & (exponent != 0);
    ts_st8(l1, (ts_zipb_lo(rest, rest) & (int16_t)0x807F) | ts_shl7_lo(exponent));
    ts_st8(l1 + 16, (ts_zipb_hi(rest, rest) & (int16_t)0x807F) | ts_shl7_hi(exponent));
}

TS_INLINE void row_fp16(uint8_t *l1, const uint16_t *cell)
{
    uint16_t h[16];
    for (unsigned i = 0; i < 16; i++) {
        uint16_t x = ts_fp16_from_cell(cell[i]);
        h[i] = x & 0x7C00 ? x : 0;
    }
    memcpy(l1, h, sizeof h);
}

TS_INLINE void row_32(uint8_t *l1, const uint16_t *hi, const uint16_t *lo)
{
    for (unsigned i = 0; i < 16; i += 8) {
        ts_v8h x = ts_ld8(hi + i), y = ts_ld8(lo + i);
        x = (x & ts_k8(INT16_MIN)) | ts_shl8(x & 0xFF, 7) | (x >> 8 & 0x7F);
        ts_st4i(l1 + 4 * i, ts_zip_lo(y, x));
        ts_st4i(l1 + 4 * i + 16, ts_zip_hi(y, x));
    }
}

TS_INLINE void row_32_bf16(uint8_t *l1, const uint16_t *hi, const uint16_t *lo)
{
    uint16_t h[16];
    for (unsigned i = 0; i < 16; i++) {
        uint32_t x = (uint32_t)ts_bf16_from_cell(hi[i]) << 16 | lo[i];
        h[i] = (uint16_t)(ts_pack_round(x, 16, 1u << 15) >> 16);
    }
    memcpy(l1, h, sizeof h);
}

void ts_pack_direct(const struct ts_pack_plan *plan, uint8_t *l1, const struct ts_dst *dst)
{
#define EACH_ROW(view, row_bytes, body)                          \
    for (unsigned r = 0; r < plan->rows; r++, l1 += row_bytes) { \
        uint32_t at = ts_dst_row##view(dst, plan->row[r]);       \
        const uint16_t *hi = dst->bits[at];                      \
        if (__builtin_expect(dst->valid[at], 1))                 \
            body;                                                \
        else                                                     \
            memset(l1, 0, row_bytes);                            \
    }
    switch ((enum ts_pack_pair)plan->pair) {
    case TS_PACK_BF16_BF16:
        EACH_ROW(16, 32, row_bf16(l1, hi))
        break;
    case TS_PACK_FP16_FP16:
        EACH_ROW(16, 32, row_fp16(l1, hi))
        break;
    case TS_PACK_32_32:
        EACH_ROW(32, 64, row_32(l1, hi, hi + TS_DST_LO_ROW * TS_DST_COLS))
        break;
    case TS_PACK_32_BF16:
        EACH_ROW(32, 32, row_32_bf16(l1, hi, hi + TS_DST_LO_ROW * TS_DST_COLS))
        break;
    case TS_PACK_NO_PAIR:
        break;
    }
}
