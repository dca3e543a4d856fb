// SrcA and SrcB: the operand files of the matrix unit, two banks each of 64 rows of 16 words of 19
// bits.
//
//   unpacker 0 --> SrcA[2] --+
//                            +--> matrix unit <--> Dst
//   unpacker 1 --> SrcB[2] --+
//
// A bank belongs to its unpacker or to the matrix unit; four pointers say which bank each side uses
// now. The format an operand is read in is the one recorded in its bank when the bank was handed
// over. A bank also caches its words split for the multipliers (see units/matrix/mul.h), and the files
// what products of their blocks have in common. Code that writes words calls ts_src_touch, and both
// are redone when needed.
//
// Source: tt-isa-documentation SrcASrcB.md, CLEARDVALID.md, SETDVALID.md; implied format
// as tenstorrent/ttsim 1.10.0 has it.
#pragma once

#include "platform/base/std.h"

#define TS_SRC_ROWS 64u
#define TS_SRC_COLS 16u

enum ts_src_owner { TS_SRC_UNPACKER, TS_SRC_MATRIX };

struct ts_src_bank {
    // architectural: sign 31 | exponent 30:23 | mantissa 22:13, low 13 bits zero
    uint32_t w[TS_SRC_ROWS][TS_SRC_COLS] __attribute__((aligned(64)));
    uint8_t owner;  // enum ts_src_owner
    uint8_t format; // enum ts_format, recorded when the bank was handed to the matrix unit
    bool moved;     // words were moved there since: any of their 19 bits may be set
    // derived: mantissa slices (high, low) and exponents, valid where `split` says so
    uint8_t split_style; // the style the slices were made for, enum ts_style
    uint8_t split_big;   // bit per 8 rows: some exponent is 255
    uint8_t split_ok[2]; // bit per 8 rows, for the high and the low slice
    uint8_t split_exp;   // the same for `exponent`
    uint8_t split_near;  // bit per 8 rows: `near` has all exponents
    uint8_t split_zeros; // bit per 8 rows: some exponent is zero
    union {
        float f[2][TS_SRC_ROWS][TS_SRC_COLS];   // floating point: the slice's value; see split.c
        int16_t i[2][TS_SRC_ROWS][TS_SRC_COLS]; // INT8: the slice's signed integer
    } slice __attribute__((aligned(64)));
    int8_t near[TS_SRC_ROWS][TS_SRC_COLS] __attribute__((aligned(64)));
    int16_t exponent[TS_SRC_ROWS][TS_SRC_COLS] __attribute__((aligned(64)));
};

struct ts_src_file {
    struct ts_src_bank bank[2];
    uint8_t matrix;   // bank the matrix unit uses
    uint8_t unpacker; // bank the unpacker fills
};

// Group exponents of eight rows of SrcB times sixteen of SrcA. All fidelity phases share them.
struct ts_src_pair {
    // row, group, column; with AVX2 two rows, group, columns 0 to 7 of each row, columns 8 to 15
    int8_t e[8][2][TS_SRC_COLS] __attribute__((aligned(64)));
};

struct ts_srcs {
    struct ts_src_file a, b;
    // derived: by block of SrcB and of SrcA, where pair_ok says so (bit: 8 * block of SrcB + first
    // block of SrcA), for the banks that pair_banks names
    struct ts_src_pair pair[TS_SRC_ROWS / 8][TS_SRC_ROWS / 16];
    uint64_t pair_ok;
    uint8_t pair_banks;
    struct ts_toggles *toggles; // of MVMULs (matrix/toggles.h), or NULL: nobody wants them
};

// Power-on state: all words zero, all banks with the unpackers, all pointers zero.
void ts_srcs_reset(struct ts_srcs *srcs);

// Rows [row, row + count) of the bank were written (count 0 to 64, no wrap).
static inline void ts_src_touch(struct ts_src_bank *bank, unsigned row, unsigned count)
{
    if (count) {
        unsigned first = row >> 3, last = (row + count - 1) >> 3;
        uint8_t keep = (uint8_t) ~((2u << last) - (1u << first));
        bank->split_ok[0] &= keep;
        bank->split_ok[1] &= keep;
        bank->split_exp &= keep;
    }
}

// Clears an entire bank to zero, or to all ones, which the matrix unit reads as minus infinity.
void ts_src_fill(struct ts_src_bank *bank, bool negative_infinity);

// The unpacker hands its bank to the matrix unit, records the format and switches to the other
// bank.
static inline void ts_src_hand_over(struct ts_src_file *file, unsigned format)
{
    struct ts_src_bank *bank = &file->bank[file->unpacker];
    bank->owner = TS_SRC_MATRIX;
    bank->format = (uint8_t)format;
    bank->moved = false;
    file->unpacker ^= 1;
}

// The matrix unit switches to the other bank, and returns the old one unless `keep`
// (CLR_DVALID_*_Disable).
static inline void ts_src_flip(struct ts_src_file *file, bool keep)
{
    if (!keep)
        file->bank[file->matrix].owner = TS_SRC_UNPACKER;
    file->matrix ^= 1;
}
