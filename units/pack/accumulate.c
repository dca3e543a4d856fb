// L1 accumulation in the packer: L1 += datum, rounded to nearest even. See pack.h.
//
// Host arithmetic is used where it is the definition: binary32 and binary64 addition to nearest
// even of values that are exact in those formats. tests/units/test_datapath.c proves it
// against integer arithmetic.
#include <float.h>

#include "platform/base/floats.h"
#include "units/pack/pack.h"

static uint32_t flush(uint32_t x)
{
    return x & 0x7F800000u ? x : x & 0x80000000u;
}

// BF16 as a double. Exponent 255 with a mantissa is an ordinary, huge number.
static double bf16_value(uint16_t x)
{
    uint64_t sign = (uint64_t)(x >> 15) << 63, e = x >> 7 & 0xFF, m = x & 0x7F, bits;
    if (e == 0)
        bits = sign;
    else if (e == 255 && m == 0)
        bits = sign | UINT64_C(0x7FF) << 52;
    else
        bits = sign | (e - 127 + 1023) << 52 | m << 45;
    return ts_bits_double(bits);
}

uint16_t ts_pack_add_bf16(uint16_t l1, uint16_t datum)
{
    bool l1_inf = (l1 & 0x7FFF) == 0x7F80, datum_inf = (datum & 0x7FFF) == 0x7F80;
    if (l1_inf && datum_inf && (l1 ^ datum) >> 15)
        return 0x7FC0;
    double a = bf16_value(l1);
    if ((l1 & 0x7FFF) > 0x7F80) // in L1 a NaN outweighs any number
        a = l1 >> 15 ? -DBL_MAX : DBL_MAX;
    double sum = a + bf16_value(datum);
    uint64_t bits = ts_double_bits(sum);
    uint32_t sign = (uint32_t)(bits >> 63) << 15;
    int32_t e = (int32_t)(bits >> 52 & 0x7FF) - 1023 + 127;
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    if (e <= 0)
        return (uint16_t)sign;
    if (e >= 255)
        return (uint16_t)(sign | 0x7F80);
    uint64_t even = m >> 45 & 1;
    m = (m + (UINT64_C(1) << 44) - 1 + even) >> 45;
    return (uint16_t)(sign | (((uint32_t)e << 7) + (uint32_t)m));
}

uint16_t ts_pack_add_fp16(uint16_t l1, uint16_t datum)
{
    // Every nonzero exponent is an ordinary number, 31 too; denormals are zero.
    uint32_t a = (uint32_t)(l1 & 0x8000) << 16, b = (uint32_t)(datum & 0x8000) << 16;
    if (l1 & 0x7C00)
        a |= ((uint32_t)(l1 & 0x7FFF) << 13) + (112u << 23);
    if (datum & 0x7C00)
        b |= ((uint32_t)(datum & 0x7FFF) << 13) + (112u << 23);
    uint32_t sum = ts_float_bits(ts_bits_float(a) + ts_bits_float(b));
    uint32_t sign = sum >> 16 & 0x8000;
    if (!(sum & 0x7FFFFFFFu)) // hardware quirk: cancellation of large numbers overflows
        return (uint16_t)(sign | ((l1 >> 10 & 31) >= 30 ? 0x7FFF : 0));
    int32_t e = (int32_t)(sum >> 23 & 0xFF) - 112;
    if (e <= 0) // and underflow saturates, except in the last binade
        return (uint16_t)(sign | (e < 0 ? 0x7FFF : 0));
    uint32_t m = sum & 0x7FFFFF;
    uint32_t y = ((uint32_t)e << 10) + ((m + 0xFFF + (m >> 13 & 1)) >> 13);
    return (uint16_t)(sign | (y < 0x8000 ? y : 0x7FFF));
}

void ts_pack_add_row_fp32(uint32_t *l1, const uint32_t *data, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t sum = ts_float_bits(ts_bits_float(flush(l1[i])) + ts_bits_float(flush(data[i])));
        l1[i] = (sum & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC00000u : flush(sum);
    }
}

// Without exponents of 255 a float sum will do: it is exact while the exponents are at most 16
// apart, and beyond that the smaller operand cannot make a tie of eight bits.
void ts_pack_add_row_bf16(uint16_t *l1, const uint16_t *data, unsigned n)
{
    uint32_t big = 0;
    for (unsigned i = 0; i < n; i++)
        big |= (uint32_t)((l1[i] & 0x7F80) == 0x7F80) | (uint32_t)((data[i] & 0x7F80) == 0x7F80);
    if (big) {
        for (unsigned i = 0; i < n; i++)
            l1[i] = ts_pack_add_bf16(l1[i], data[i]);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        uint32_t a = flush((uint32_t)l1[i] << 16), b = flush((uint32_t)data[i] << 16);
        uint32_t sum = ts_float_bits(ts_bits_float(a) + ts_bits_float(b));
        uint32_t rounded = (sum + 0x7FFF + (sum >> 16 & 1)) >> 16;
        l1[i] = (uint16_t)(sum & 0x7F800000u ? rounded : sum >> 16 & 0x8000);
    }
}
