// Dst: the accumulator file, 1024 rows of 16 cells of 16 bits, also seen as 512 rows of 32 bits.
//
//   Dst16b[row] is bits[row16(row)]
//   Dst32b[row] is bits[row32(row)] over bits[row32(row) + 8]   (high and low halves)
//
// Two configuration bits permute rows (remap_addrs for both views, swizzle_32b for the 32-bit one).
// Both permutations keep aligned groups of four rows together, and row32 never leaves the low half
// of a group of sixteen, so an instruction on 4 or 8 aligned rows needs one or two translations. A
// row whose valid flag is clear is undefined: it reads as zero (as all ones for GMPOOL) and the
// next write of the row by the matrix unit defines it. In the 32-bit view the flag is that of the
// high half.
//
// Source: tt-isa-documentation BlackholeA0 Dst.md, WormholeB0 ZEROACC.md; tenstorrent/ttsim 1.10.0.
// Inaccuracies: the low half written by a 16-bit store in hi16 mode is garbage in hardware; the
// model leaves it unchanged.
#pragma once

#include "platform/base/std.h"

#define TS_DST_ROWS   1024u
#define TS_DST_COLS   16u
#define TS_DST_LO_ROW 8u // distance of the low halves from the high ones

struct ts_dst {
    // architectural
    uint16_t bits[TS_DST_ROWS][TS_DST_COLS] __attribute__((aligned(64)));
    uint8_t valid[TS_DST_ROWS] __attribute__((aligned(8))); // 1: defined, 0: undefined
    // configuration, set by writes of DEST_ACCESS_CFG and DBG_FEATURE_DISABLE
    uint8_t remap_addrs;
    uint8_t swizzle_32b;
    uint8_t
        hi16; // DBG_FEATURE_DISABLE bit 11: the 16-bit view is the high halves of the 32-bit one
    // state of stochastic rounding in the matrix unit; 0: as after reset
    uint32_t random;
};

// Power-on state: all zero, all rows valid.
void ts_dst_reset(struct ts_dst *dst);

static inline uint32_t ts_dst_remap(const struct ts_dst *dst, uint32_t row)
{
    row &= TS_DST_ROWS - 1;
    if (__builtin_expect(dst->remap_addrs, 0))
        row = (row & 0x3C7u) ^ (row & 0x030u) >> 1 ^ (row & 0x008u) << 2;
    return row;
}

// Physical row of the high half of Dst32b[row].
static inline uint32_t ts_dst_row32(const struct ts_dst *dst, uint32_t row)
{
    row = ts_dst_remap(dst, row);
    if (__builtin_expect(dst->swizzle_32b, 0))
        row = (row & 0x3F3u) ^ (row & 0x018u) >> 1 ^ (row & 0x004u) << 1;
    return (row & 0x1F8u) << 1 | (row & 0x207u);
}

// Physical row of Dst16b[row].
static inline uint32_t ts_dst_row16(const struct ts_dst *dst, uint32_t row)
{
    return __builtin_expect(dst->hi16, 0) ? ts_dst_row32(dst, row) : ts_dst_remap(dst, row);
}

// Physical block of 8 rows that contains a row of the 32-bit or the 16-bit view.
static inline unsigned ts_dst_block(const struct ts_dst *dst, bool dst32, uint32_t row)
{
    return (dst32 ? ts_dst_row32(dst, row) : ts_dst_row16(dst, row)) / 8;
}

// Has anybody written a row of the tile of this physical row? A 32-bit tile takes 128 of them.
static inline bool ts_dst_tile_written(const struct ts_dst *dst, bool wide, uint32_t row)
{
    const uint32_t rows = wide ? 128 : 64, first = row & (0u - rows) & (TS_DST_ROWS - 1);
    bool written = false;
    for (uint32_t i = 0; i < rows; i++)
        written |= dst->valid[first + i];
    return written;
}

// One cell, as stored (fields swapped: see format.h). Undefined rows read as zero.
static inline uint16_t ts_dst_get16(const struct ts_dst *dst, uint32_t row, uint32_t col)
{
    uint32_t r = ts_dst_row16(dst, row);
    return dst->valid[r] ? dst->bits[r][col] : 0;
}
static inline uint32_t ts_dst_get32(const struct ts_dst *dst, uint32_t row, uint32_t col)
{
    uint32_t r = ts_dst_row32(dst, row);
    return dst->valid[r] ? (uint32_t)dst->bits[r][col] << 16 | dst->bits[r + TS_DST_LO_ROW][col]
                         : 0;
}

// Stores define the row at once. A partial write of an undefined row is undefined in hardware: the
// cells not written then show their value from before the row was cleared.
static inline void ts_dst_set16(struct ts_dst *dst, uint32_t row, uint32_t col, uint16_t cell)
{
    uint32_t r = ts_dst_row16(dst, row);
    dst->bits[r][col] = cell;
    dst->valid[r] = 1;
}
static inline void ts_dst_set32(struct ts_dst *dst, uint32_t row, uint32_t col, uint32_t cell)
{
    uint32_t r = ts_dst_row32(dst, row);
    dst->bits[r][col] = (uint16_t)(cell >> 16);
    dst->bits[r + TS_DST_LO_ROW][col] = (uint16_t)cell;
    dst->valid[r] = 1;
}

// ZEROACC: marks rows undefined (or defined again, when revert). Rows are of the named view.
void ts_dst_clear16(struct ts_dst *dst, uint32_t row, uint32_t count, bool revert);
void ts_dst_clear32(struct ts_dst *dst, uint32_t row, uint32_t count, bool revert);

// RISC-V window onto Dst at 0xFFBD8000 (TRISC only): one element of the view that fmt selects.
// fmt and the two flags are RISC_DEST_ACCESS_CTRL_SEC[thread]. False when fmt does not fit the
// width.
bool ts_dst_risc_load(const struct ts_dst *dst, uint32_t offset, unsigned bytes, unsigned fmt,
                      bool no_swizzle, bool unsigned_int, uint32_t *value);
bool ts_dst_risc_store(struct ts_dst *dst, uint32_t offset, unsigned bytes, unsigned fmt,
                       bool no_swizzle, bool unsigned_int, uint32_t value);
