// The baby cores' floating point, on bit patterns: no host float anywhere.
//
// Add, subtract, multiply and fused multiply-add are one datapath, the same as the vector unit's:
// denormal inputs count as zero, denormal results become a signed zero, the product keeps 27 or 28
// bits with a sticky bit (neither a separate multiply nor a true fused one), every NaN is
// 0x7fc00000, rounding is always to nearest even.
//
// Source: tt-isa-documentation BlackholeA0/TensixTile/BabyRISCV/InstructionSet.md,
// Miscellaneous/FMA; tenstorrent/ttsim 1.10.0.
#pragma once

#include "platform/base/std.h"

#define TS_RV_NAN      0x7fc00000u
#define TS_RV_F32_SIGN 0x80000000u
#define TS_RV_F32_ONE  0x3f800000u

// Exception flags, as in fcsr: every function below ORs the flags it raises into *flags.
#define TS_RV_NX 1u  // inexact
#define TS_RV_UF 2u  // underflow
#define TS_RV_OF 4u  // overflow
#define TS_RV_DZ 8u  // division by zero: never raised
#define TS_RV_NV 16u // invalid

// x * y + z
uint32_t ts_rv_fma(uint32_t x, uint32_t y, uint32_t z, uint32_t *flags);

static inline uint32_t ts_rv_fadd(uint32_t x, uint32_t y, uint32_t *flags)
{
    return ts_rv_fma(x, TS_RV_F32_ONE, y, flags);
}

static inline uint32_t ts_rv_fsub(uint32_t x, uint32_t y, uint32_t *flags)
{
    return ts_rv_fma(x, TS_RV_F32_ONE, y ^ TS_RV_F32_SIGN, flags);
}

// The addend is a zero of the product's sign, so that a zero product keeps its sign.
static inline uint32_t ts_rv_fmul(uint32_t x, uint32_t y, uint32_t *flags)
{
    return ts_rv_fma(x, y, (x ^ y) & TS_RV_F32_SIGN, flags);
}

uint32_t ts_rv_fmin(uint32_t x, uint32_t y, uint32_t *flags);
uint32_t ts_rv_fmax(uint32_t x, uint32_t y, uint32_t *flags);
bool ts_rv_feq(uint32_t x, uint32_t y, uint32_t *flags);
bool ts_rv_flt(uint32_t x, uint32_t y, uint32_t *flags);
bool ts_rv_fle(uint32_t x, uint32_t y, uint32_t *flags);
uint32_t ts_rv_fclass(uint32_t x);

// To integers: to nearest even, saturating; NaN gives the largest value.
uint32_t ts_rv_f32_to_i32(uint32_t x, uint32_t *flags);
uint32_t ts_rv_f32_to_u32(uint32_t x, uint32_t *flags);
uint32_t ts_rv_i32_to_f32(uint32_t x, uint32_t *flags);
uint32_t ts_rv_u32_to_f32(uint32_t x, uint32_t *flags);

// Zfh: what the 16-bit instructions work on, from cfg0.
struct ts_rv_half {
    bool bfloat; // BF16 instead of FP16
    bool rtne;   // BF16 only: to nearest even instead of towards zero
    bool exact;  // denormals are numbers: compares and conversions, not the arithmetic
};

// A register holds a 16-bit value with all ones above it; anything else reads as NaN.
uint32_t ts_rv_half_box(uint32_t bits);
uint32_t ts_rv_half_unbox(uint32_t reg, struct ts_rv_half half);
uint32_t ts_rv_half_class(uint32_t bits, struct ts_rv_half half);
uint32_t ts_rv_half_to_f32(uint32_t bits, struct ts_rv_half half);
uint32_t ts_rv_f32_to_half(uint32_t x, struct ts_rv_half half, uint32_t *flags);
