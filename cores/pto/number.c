#include "cores/pto/number.h"

// Rounds to nearest even without the library: adding and subtracting 1.5 x 2^52 leaves an integer.
static double nearest(double value)
{
    volatile double shifted = value + 0x1.8p52;
    return shifted - 0x1.8p52;
}

static int64_t to_int(double value, int64_t low, int64_t high)
{
    if (!(value == value))
        return 0;
    if (value <= (double)low)
        return low;
    if (value >= (double)high)
        return high;
    return (int64_t)nearest(value);
}

static void int_range(enum ts_dtype type, int64_t *low, int64_t *high)
{
    int bits = type == TS_DTYPE_INT8 ? 8 : type == TS_DTYPE_INT16 ? 16 : 32;
    *high = ((int64_t)1 << (bits - 1)) - 1;
    *low = -*high - 1;
}

void ts_load_ints(int32_t *to, const uint8_t *from, enum ts_dtype type, uint32_t count)
{
    if (type == TS_DTYPE_INT8) {
        for (uint32_t i = 0; i < count; i++)
            to[i] = (int8_t)from[i];
    } else if (type == TS_DTYPE_INT16) {
        for (uint32_t i = 0; i < count; i++) {
            int16_t value;
            memcpy(&value, from + 2 * i, sizeof value);
            to[i] = value;
        }
    } else {
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

void ts_store_ints(uint8_t *to, enum ts_dtype type, const int32_t *from, uint32_t count,
                   bool saturate)
{
    if (type == TS_DTYPE_INT32) {
        memcpy(to, from, (size_t)count * sizeof *from);
        return;
    }
    int64_t low, high;
    int_range(type, &low, &high);
    for (uint32_t i = 0; i < count; i++) {
        int32_t value = from[i];
        if (saturate)
            value = value < low ? (int32_t)low : value > high ? (int32_t)high : value;
        if (type == TS_DTYPE_INT8) {
            to[i] = (uint8_t)value;
        } else {
            int16_t word = (int16_t)value;
            memcpy(to + 2 * i, &word, sizeof word);
        }
    }
}

void ts_load_floats(float *to, const uint8_t *from, enum ts_dtype type, uint32_t count)
{
    switch (type) {
    case TS_DTYPE_FP32:
        memcpy(to, from, (size_t)count * sizeof *to);
        return;
    case TS_DTYPE_FP16:
    case TS_DTYPE_BF16:
        for (uint32_t i = 0; i < count; i++) {
            uint16_t bits;
            memcpy(&bits, from + 2 * i, sizeof bits);
            to[i] = type == TS_DTYPE_FP16 ? ts_fp16_to_float(bits) : ts_bf16_to_float(bits);
        }
        return;
    default:
        for (uint32_t i = 0; i < count; i++) {
            int32_t value;
            ts_load_ints(&value, from + (size_t)i * ts_dtype_bytes(type), type, 1);
            to[i] = (float)value;
        }
    }
}

void ts_store_floats(uint8_t *to, enum ts_dtype type, const float *from, uint32_t count)
{
    switch (type) {
    case TS_DTYPE_FP32:
        memcpy(to, from, (size_t)count * sizeof *from);
        return;
    case TS_DTYPE_FP16:
    case TS_DTYPE_BF16:
        for (uint32_t i = 0; i < count; i++) {
            uint16_t bits = type == TS_DTYPE_FP16 ? ts_float_to_fp16(from[i])
                                                  : ts_float_to_bf16(from[i]);
            memcpy(to + 2 * i, &bits, sizeof bits);
        }
        return;
    default:
        for (uint32_t i = 0; i < count; i++)
            ts_store_double(to + (size_t)i * ts_dtype_bytes(type), type, (double)from[i]);
    }
}

double ts_load_double(const uint8_t *from, enum ts_dtype type)
{
    if (ts_dtype_is_int(type)) {
        int32_t value;
        ts_load_ints(&value, from, type, 1);
        return value;
    }
    float value;
    ts_load_floats(&value, from, type, 1);
    return (double)value;
}

void ts_store_double(uint8_t *to, enum ts_dtype type, double value)
{
    if (ts_dtype_is_int(type)) {
        int64_t low, high;
        int_range(type, &low, &high);
        int32_t rounded = (int32_t)to_int(value, low, high);
        ts_store_ints(to, type, &rounded, 1, true);
        return;
    }
    float single = (float)value;
    ts_store_floats(to, type, &single, 1);
}

float ts_exp(float x)
{
    if (x != x)
        return x;
    if (x > 88.8f)
        return ts_bits_float(0x7f800000u);
    if (x < -104.0f)
        return 0.0f;
    double k = nearest((double)x * 0x1.71547652b82fep+0);
    double r = (double)x - k * 0x1.62e42fefa39efp-1 - k * 0x1.abc9e3b39803fp-56;
    // Taylor to the 13th power: |r| < 0.35, so the rest is below 1e-17.
    static const double inverse[] = {1.0 / 6227020800.0,
                                     1.0 / 479001600.0,
                                     1.0 / 39916800.0,
                                     1.0 / 3628800.0,
                                     1.0 / 362880.0,
                                     1.0 / 40320.0,
                                     1.0 / 5040.0,
                                     1.0 / 720.0,
                                     1.0 / 120.0,
                                     1.0 / 24.0,
                                     1.0 / 6.0,
                                     0.5,
                                     1.0,
                                     1.0};
    double sum = 0;
    for (unsigned i = 0; i < sizeof inverse / sizeof *inverse; i++)
        sum = sum * r + inverse[i];
    uint64_t bits = (uint64_t)(1023 + (int64_t)k) << 52;
    return (float)(sum * ts_bits_double(bits));
}
