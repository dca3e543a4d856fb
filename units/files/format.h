// Number formats of the Tensix coprocessor: codes, layouts, and the conversions between them.
//
// A datum has one of four layouts:
//   L1    natural layout, sign | exponent | mantissa, or a block format with a shared exponent
//   Src   19 bits; kept at the top of a uint32_t as  sign 31 | exponent 30:23 |
//         mantissa 22:13, the low 13 bits always zero. FP16-class data has its 5-bit exponent in
//         27:23, and 30:28 zero.
//   Dst   16-bit cells with the fields swapped: BF16 is sign | mantissa 7 | exponent 8,
//         FP16 is sign | mantissa 10 | exponent 5; a 32-bit datum is a BF16 cell over 16
//         mantissa bits
//   LReg  plain 32 bits
// Everything here is integer arithmetic on bit patterns.
//
// Source: tt-isa-documentation FloatBitPatterns.md, SrcASrcB.md, Dst.md, UNPACR_Regular.md,
//   Packers/FormatConversion.md; tenstorrent/ttsim 1.10.0 where Blackhole differs.
#pragma once

#include "platform/base/std.h"

// Hardware format codes (4 bits). X(constant, code, name, bits per datum)
#define TS_FORMATS(X)                     \
    X(TS_FMT_FP32, 0, "fp32", 32)         \
    X(TS_FMT_FP16, 1, "fp16", 16)         \
    X(TS_FMT_BFP8A, 2, "bfp8a", 8)        \
    X(TS_FMT_BFP4A, 3, "bfp4a", 4)        \
    X(TS_FMT_TF32, 4, "tf32", 32)         \
    X(TS_FMT_BF16, 5, "bf16", 16)         \
    X(TS_FMT_BFP8, 6, "bfp8", 8)          \
    X(TS_FMT_BFP4, 7, "bfp4", 4)          \
    X(TS_FMT_INT32, 8, "int32", 32)       \
    X(TS_FMT_INT16, 9, "int16", 16)       \
    X(TS_FMT_FP8, 10, "fp8", 8)           \
    X(TS_FMT_BFP2A, 11, "bfp2a", 2)       \
    X(TS_FMT_RES12, 12, "reserved12", 32) \
    X(TS_FMT_RES13, 13, "reserved13", 16) \
    X(TS_FMT_INT8, 14, "int8", 8)         \
    X(TS_FMT_BFP2, 15, "bfp2", 2)

enum ts_format {
#define X(constant, code, name, bits) constant = code,
    TS_FORMATS(X)
#undef X
};

// How the matrix unit treats an operand: all formats fall into three styles, plus integers.
enum ts_style { TS_STYLE_BF16, TS_STYLE_FP16, TS_STYLE_TF32, TS_STYLE_INT8 };

// Name of a format code, as on the command line.
const char *ts_format_name(unsigned format);

// Bits per datum in L1, shared exponents not counted.
static inline unsigned ts_format_bits(unsigned format)
{
    static const uint8_t bits[16] = {
#define X(constant, code, name, width) [code] = width,
        TS_FORMATS(X)
#undef X
    };
    return bits[format & 15];
}

static inline bool ts_format_is_bfp(unsigned format)
{
    return (1u << (format & 15)) & (1u << TS_FMT_BFP8A | 1u << TS_FMT_BFP4A | 1u << TS_FMT_BFP2A |
                                    1u << TS_FMT_BFP8 | 1u << TS_FMT_BFP4 | 1u << TS_FMT_BFP2);
}

// Formats with a 5-bit exponent in Src and Dst; INT8 uses the FP16 layout.
static inline bool ts_format_is_fp16_class(unsigned format)
{
    return (1u << (format & 15)) & (1u << TS_FMT_FP16 | 1u << TS_FMT_FP8 | 1u << TS_FMT_BFP8A |
                                    1u << TS_FMT_BFP4A | 1u << TS_FMT_BFP2A | 1u << TS_FMT_INT8);
}

static inline enum ts_style ts_format_style(unsigned format)
{
    static const uint8_t style[16] = {
        [TS_FMT_TF32] = TS_STYLE_TF32,  [TS_FMT_FP16] = TS_STYLE_FP16,
        [TS_FMT_FP8] = TS_STYLE_FP16,   [TS_FMT_BFP8A] = TS_STYLE_FP16,
        [TS_FMT_BFP4A] = TS_STYLE_FP16, [TS_FMT_BFP2A] = TS_STYLE_FP16,
        [TS_FMT_INT8] = TS_STYLE_FP16, // every other is TS_STYLE_BF16
    };
    return style[format & 15];
}

// The bits of a Src word that the matrix unit reads.
static inline uint32_t ts_style_mask(enum ts_style style)
{
    return style == TS_STYLE_TF32   ? 0xFFFFE000u
           : style == TS_STYLE_BF16 ? 0xFFFF0000u
                                    : 0x8FFFE000u;
}

// ---- Dst cells ---------------------------------------------------------------------------------

// Dst cell <-> natural BF16 (sign | exponent 8 | mantissa 7).
static inline uint16_t ts_bf16_from_cell(uint16_t x)
{
    return (uint16_t)((x & 0x8000u) | (x & 0xFFu) << 7 | (x >> 8 & 0x7Fu));
}
static inline uint16_t ts_bf16_to_cell(uint16_t x)
{
    return (uint16_t)((x & 0x8000u) | (x & 0x7Fu) << 8 | (x >> 7 & 0xFFu));
}

// Dst cell <-> natural FP16 (sign | exponent 5 | mantissa 10).
static inline uint16_t ts_fp16_from_cell(uint16_t x)
{
    return (uint16_t)((x & 0x8000u) | (x & 0x1Fu) << 10 | (x >> 5 & 0x3FFu));
}
static inline uint16_t ts_fp16_to_cell(uint16_t x)
{
    return (uint16_t)((x & 0x8000u) | (x & 0x3FFu) << 5 | (x >> 10 & 0x1Fu));
}

// Dst32b <-> natural 32 bits; the same shuffle serves FP32, TF32 and sign-magnitude INT32.
static inline uint32_t ts_fp32_from_cell(uint32_t x)
{
    return (x & 0x8000FFFFu) | (x & 0x00FF0000u) << 7 | (x & 0x7F000000u) >> 8;
}
static inline uint32_t ts_fp32_to_cell(uint32_t x)
{
    return (x & 0x8000FFFFu) | (x & 0x7F800000u) >> 7 | (x & 0x007F0000u) << 8;
}

// ---- Src words ---------------------------------------------------------------------------------

static inline uint32_t ts_src_from_bf16(uint16_t x)
{
    return (uint32_t)x << 16;
}
static inline uint32_t ts_src_from_fp16(uint16_t x)
{
    return (x & 0x8000u) << 16 | (x & 0x7FFFu) << 13;
}
static inline uint32_t ts_src_from_fp32(uint32_t x)
{
    return x & 0xFFFFE000u;
}
static inline uint16_t ts_bf16_from_src(uint32_t w)
{
    return (uint16_t)(w >> 16);
}
// The top three exponent bits are dropped, as the Dst cell has no room for them.
static inline uint16_t ts_fp16_from_src(uint32_t w)
{
    return (uint16_t)((w >> 16 & 0x8000u) | (w >> 13 & 0x7FFFu));
}

// Signed value of an integer "8" (sign, 10-bit magnitude).
static inline int32_t ts_int_from_src(uint32_t w)
{
    int32_t mag = (int32_t)(w >> 13 & 0x3FFu);
    return w >> 31 ? -mag : mag;
}

// ---- sign-magnitude integers -------------------------------------------------------------------

static inline int32_t ts_sm32_to_int(uint32_t x)
{
    int32_t mag = (int32_t)(x & 0x7FFFFFFFu);
    return x >> 31 ? -mag : mag;
}
// INT32_MIN cannot occur: every producer saturates at +-0x7FFFFFFF.
static inline uint32_t ts_sm32_from_int(int32_t x)
{
    return x < 0 ? 0x80000000u | (0u - (uint32_t)x) : (uint32_t)x;
}
static inline int32_t ts_sat_add32(int32_t x, int32_t y)
{
    int64_t sum = (int64_t)x + y;
    return (int32_t)(sum > INT32_MAX ? INT32_MAX : sum < -INT32_MAX ? -INT32_MAX : sum);
}
// Orders sign-magnitude numbers (floats too) as plain integers; -0 sorts just below +0.
static inline int32_t ts_sm32_order(uint32_t x)
{
    return (int32_t)(x >> 31 ? x ^ 0x7FFFFFFFu : x);
}

// ---- conversions between natural layouts -------------------------------------------------------

// A datum of BFP8 (BFP4 << 4, BFP2 << 6) with its shared exponent to BF16, and BFP8a to FP16.
// A sign over a zero magnitude means minus infinity. Normalising wraps the exponent, as hardware
// does.
uint16_t ts_bf16_from_bfp8(uint8_t datum, uint8_t exponent);
uint16_t ts_fp16_from_bfp8a(uint8_t datum, uint8_t exponent);

// FP32 to FP16 by truncation; below range gives a signed zero, above saturates to 0x7FFF.
// Exponent 0 of the result is kept with its mantissa (not flushed).
uint16_t ts_fp16_from_fp32(uint32_t x);

// FP8 to FP16. e4m3 chooses sign | exponent 4 | mantissa 3, otherwise it is e5m2. All-ones stays
// all-ones.
static inline uint16_t ts_fp16_from_fp8(uint8_t x, bool e4m3)
{
    uint32_t ones = (x & 0x7Fu) == 0x7F;
    if (!e4m3)
        return (uint16_t)((uint32_t)x << 8 | (ones ? 0xFFu : 0));
    uint32_t sign = (x & 0x80u) << 8, rest = (x & 0x7Fu) << 7;
    uint32_t bias = x & 0x78 ? 8u << 10 : 0; // 15 - 7: from the 4-bit bias to the 5-bit one
    return (uint16_t)(sign | (rest + bias) | (ones ? 0x7Fu : 0));
}

// INT8 in L1 (unsigned, or sign-magnitude) to the integer "8" overlaid on FP16.
static inline uint16_t ts_fp16_from_int8(uint8_t x, bool is_unsigned)
{
    uint32_t sign = is_unsigned ? 0 : x & 0x80u, mag = x - sign;
    return (uint16_t)(sign << 8 | (mag ? 16u << 10 : 0) | mag);
}
