// Element types of the TPUSH/TPOP machine as bits: fp32, fp16, bf16, int8, int16, int32.
//
// Conversions round to nearest even; to integers they saturate and NaN becomes 0. Arithmetic on
// fp16 and bf16 is done in fp32 and rounded once: fp32 has more than twice their digits plus two,
// so +, -, x, / and roots are rounded as if exact. No library function is used but the root, which is
// an instruction, so results are the same on every machine.
#pragma once

#include "cores/pto/isa.h"
#include "platform/base/floats.h"

static inline float ts_fp16_to_float(uint16_t half)
{
    uint32_t magnitude = half & 0x7fffu;
    float value = ts_bits_float(magnitude << 13) * 0x1p112f; // also right for subnormals
    uint32_t bits = ts_float_bits(value);
    if (magnitude >= 0x7c00u)
        bits = 0x7f800000u | (magnitude & 0x3ffu) << 13;
    return ts_bits_float(bits | (uint32_t)(half & 0x8000u) << 16);
}

static inline uint16_t ts_float_to_fp16(float value)
{
    uint32_t bits = ts_float_bits(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits >= 0x47800000u) // 65536 and more, infinity, NaN
        return (uint16_t)(sign | (bits > 0x7f800000u ? 0x7e00u : 0x7c00u));
    if (bits < 0x38800000u) { // subnormal: adding 0.5 aligns it to the last bit and rounds
        float sum = ts_bits_float(bits) + 0.5f;
        return (uint16_t)(sign | (ts_float_bits(sum) - 0x3f000000u));
    }
    uint32_t odd = bits >> 13 & 1;
    return (uint16_t)(sign | ((bits - 0x38000000u + 0xfffu + odd) >> 13));
}

static inline float ts_bf16_to_float(uint16_t value)
{
    return ts_bits_float((uint32_t)value << 16);
}

static inline uint16_t ts_float_to_bf16(float value)
{
    uint32_t bits = ts_float_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

static inline bool ts_dtype_is_int(enum ts_dtype type)
{
    return type >= TS_DTYPE_INT8;
}

// A row of elements from and to memory. Integers come and go as they are by the int calls.
void ts_load_floats(float *to, const uint8_t *from, enum ts_dtype type, uint32_t count);
void ts_store_floats(uint8_t *to, enum ts_dtype type, const float *from, uint32_t count);
void ts_load_ints(int32_t *to, const uint8_t *from, enum ts_dtype type, uint32_t count);
void ts_store_ints(uint8_t *to, enum ts_dtype type, const int32_t *from, uint32_t count,
                   bool saturate);
double ts_load_double(const uint8_t *from, enum ts_dtype type);
void ts_store_double(uint8_t *to, enum ts_dtype type, double value);

// e^x, correctly rounded in all but a few cases in a billion, by + and x only.
float ts_exp(float x);

// Correctly rounded; of less than 0 a NaN of one kind.
static inline float ts_sqrt(float x)
{
    return x < 0 ? ts_bits_float(0x7fc00000u) : sqrtf(x);
}
