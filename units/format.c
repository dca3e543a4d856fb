// Conversions between number formats that are too long to inline. See format.h.
#include "units/format.h"

const char *ts_format_name(unsigned format)
{
    static const char *const names[16] = {
#define X(constant, code, name, bits) [code] = name,
        TS_FORMATS(X)
#undef X
    };
    return names[format & 15];
}

uint16_t ts_bf16_from_bfp8(uint8_t datum, uint8_t exponent)
{
    uint32_t sign = (uint32_t)(datum >> 7) << 15, mag = (uint8_t)(datum << 1);
    if (!mag)
        return sign ? 0xFF80 : 0;
    uint32_t zeros = (uint32_t)__builtin_clz(mag) - 24;
    return (uint16_t)(sign | ((exponent - zeros) & 0xFFu) << 7 | (mag << zeros & 0x7Eu));
}

uint16_t ts_fp16_from_bfp8a(uint8_t datum, uint8_t exponent)
{
    uint32_t sign = (uint32_t)(datum >> 7) << 15, mag = (uint8_t)(datum << 1);
    if (!mag)
        return sign ? 0xFC00 : 0;
    uint32_t zeros = (uint32_t)__builtin_clz(mag) - 24;
    // Exponents above 31 or below the leading zeros are undefined; we keep the low five bits.
    return (uint16_t)(sign | ((exponent - zeros) & 0x1Fu) << 10 | (mag << zeros & 0x7Eu) << 3);
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

uint16_t ts_fp16_from_fp8(uint8_t x, bool e4m3)
{
    if (!e4m3)
        return (uint16_t)(x << 8 | ((x & 0x7F) == 0x7F ? 0xFF : 0));
    uint32_t sign = (uint32_t)(x & 0x80) << 8, exponent = x >> 3 & 15, mantissa = x & 7;
    uint32_t fill = (x & 0x7F) == 0x7F ? 0x7F : 0;
    if (exponent)
        exponent += 8; // 15 - 7: from the 4-bit bias to the 5-bit one
    return (uint16_t)(sign | exponent << 10 | mantissa << 7 | fill);
}

uint16_t ts_fp16_from_int8(uint8_t x, bool is_unsigned)
{
    uint32_t sign = is_unsigned ? 0 : x & 0x80u, mag = x - sign;
    return (uint16_t)(sign << 8 | (mag ? 16u << 10 : 0) | mag);
}
