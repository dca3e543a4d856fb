// Dst: reset, bulk clears, and the RISC-V window. See dst.h.
#include "units/files/dst.h"

#include "units/files/format.h"

void ts_dst_reset(struct ts_dst *dst)
{
    memset(dst, 0, sizeof *dst);
    memset(dst->valid, 1, sizeof dst->valid);
}

void ts_dst_clear16(struct ts_dst *dst, uint32_t row, uint32_t count, bool revert)
{
    for (uint32_t i = 0; i < count; i++)
        dst->valid[ts_dst_row16(dst, row + i)] = revert;
}

void ts_dst_clear32(struct ts_dst *dst, uint32_t row, uint32_t count, bool revert)
{
    for (uint32_t i = 0; i < count; i++)
        dst->valid[ts_dst_row32(dst, row + i)] = revert;
}

// Views of the RISC-V window, by RISC_DEST_ACCESS_CTRL_SEC[].fmt.
enum { RISC_FP32, RISC_INT32, RISC_FP16, RISC_BF16, RISC_INT16, RISC_INT8 };

bool ts_dst_risc_load(const struct ts_dst *dst, uint32_t offset, unsigned bytes, unsigned fmt,
                      bool no_swizzle, bool unsigned_int, uint32_t *value)
{
    static const uint8_t width[8] = {4, 4, 2, 2, 2, 1, 0, 0};
    if (bytes != width[fmt & 7] || offset % bytes)
        return false;
    uint32_t index = offset / bytes, row = index / TS_DST_COLS, col = index % TS_DST_COLS;
    uint32_t v = bytes == 4 ? ts_dst_get32(dst, row, col) : ts_dst_get16(dst, row, col);
    switch (fmt) {
    case RISC_FP32:
    case RISC_INT32:
        if (!no_swizzle)
            v = ts_fp32_from_cell(v);
        if (fmt == RISC_INT32 && !no_swizzle && v >> 31)
            v = 0u - (v & 0x7FFFFFFFu);
        break;
    case RISC_FP16:
        v = no_swizzle ? v : ts_fp16_from_cell((uint16_t)v);
        break;
    case RISC_BF16:
        v = no_swizzle ? v : ts_bf16_from_cell((uint16_t)v);
        break;
    case RISC_INT16:
        if (!no_swizzle && !unsigned_int && v >> 15)
            v = (0u - (v & 0x7FFFu)) & 0xFFFFu;
        break;
    default: // RISC_INT8
        if (no_swizzle || unsigned_int)
            v = v >> 5 & 0xFFu;
        else
            v = (v >> 15 ? 0u - (v >> 5 & 0x7Fu) : v >> 5 & 0x7Fu) & 0xFFu;
        break;
    }
    *value = v;
    return true;
}

bool ts_dst_risc_store(struct ts_dst *dst, uint32_t offset, unsigned bytes, unsigned fmt,
                       bool no_swizzle, bool unsigned_int, uint32_t value)
{
    static const uint8_t width[8] = {4, 4, 2, 2, 2, 1, 0, 0};
    if (bytes != width[fmt & 7] || offset % bytes)
        return false;
    uint32_t index = offset / bytes, row = index / TS_DST_COLS, col = index % TS_DST_COLS;
    uint32_t v = value;
    switch (fmt) {
    case RISC_FP32:
    case RISC_INT32:
        // Two's complement to sign-magnitude; -2^31 becomes -(2^31 - 1).
        if (fmt == RISC_INT32 && !no_swizzle && v >> 31)
            v = 0x80000000u | (0u - (v + (v == 0x80000000u)));
        if (!no_swizzle)
            v = ts_fp32_to_cell(v);
        ts_dst_set32(dst, row, col, v);
        return true;
    case RISC_FP16:
        v = no_swizzle ? v : ts_fp16_to_cell((uint16_t)v);
        break;
    case RISC_BF16:
        v = no_swizzle ? v : ts_bf16_to_cell((uint16_t)v);
        break;
    case RISC_INT16:
        v &= 0xFFFFu;
        if (!no_swizzle && !unsigned_int && v >> 15)
            v = 0x8000u | (0u - (v + (v == 0x8000u)));
        break;
    default: // RISC_INT8
        v &= 0xFFu;
        if (no_swizzle || unsigned_int || v < 0x80)
            v = v << 5 | (v ? 16u : 0);
        else // meant as two's complement to sign-magnitude; the hardware keeps bit 7 in the
             // magnitude
            v = 0x8000u | ((0x180u - v - (v == 0x80)) & 0xFFu) << 5 | 16u;
        break;
    }
    ts_dst_set16(dst, row, col, (uint16_t)v);
    return true;
}
