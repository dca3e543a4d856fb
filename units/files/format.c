// Conversions between number formats that are too long to inline. See format.h.
#include "units/files/format.h"

const char *ts_format_name(unsigned format)
{
    static const char *const names[16] = {
#define X(constant, code, name, bits) [code] = name,
        TS_FORMATS(X)
#undef X
    };
    return names[format & 15];
}

// infinity: of the format, without a sign; bits: of the exponent that are kept, at `shift`. Exponents above 31 or below the
// leading zeros are undefined for FP16; the model keeps the low five bits.
static uint16_t from_bfp8(uint8_t datum, uint8_t exponent, uint32_t infinity, uint32_t bits,
                          unsigned shift)
{
    uint32_t sign = (uint32_t)(datum >> 7) << 15, mag = (uint8_t)(datum << 1);
    if (!mag)
        return (uint16_t)(sign ? sign | infinity : 0);
    uint32_t zeros = (uint32_t)__builtin_clz(mag) - 24;
    return (uint16_t)(sign | ((exponent - zeros) & bits) << shift |
                      (mag << zeros & 0x7Eu) << (shift - 7));
}

uint16_t ts_bf16_from_bfp8(uint8_t datum, uint8_t exponent)
{
    return from_bfp8(datum, exponent, 0x7F80, 0xFF, 7);
}

uint16_t ts_fp16_from_bfp8a(uint8_t datum, uint8_t exponent)
{
    return from_bfp8(datum, exponent, 0x7C00, 0x1F, 10);
}

uint16_t ts_fp16_from_fp32(uint32_t x)
{
    uint32_t sign = x >> 16 & 0x8000u;
    int32_t exponent = (int32_t)(x >> 23 & 0xFFu) - 112;
    if (exponent < 0)
        return (uint16_t)sign;
    if (exponent > 31)
        return (uint16_t)(sign | 0x7FFFu);
    return (uint16_t)(sign | (uint32_t)exponent << 10 | (x >> 13 & 0x3FFu));
}
