// The baby cores' floating point (fp.h).
//
// Inaccuracies: minimum, maximum, compares and conversions treat denormals as ordinary numbers (the
// exceptions that InstructionSet.md lists are those of the arithmetic), and 16-bit arithmetic is
// done in the 32-bit datapath and rounded once more (exact for one add or multiply); neither is
// documented. Flags are those of the F extension for the final value; a result that is flushed to
// zero is an underflow; a signalling NaN of 16 bits raises none.
#include "cores/riscv/fp.h"

#define EXP_MAX 255
#define BIAS    127
#define HIDDEN  0x800000u
#define INF     0x7f800000u
#define GUARD   3 // guard, round and sticky bits below the mantissa

struct number {
    uint32_t sign; // bit 31
    int exp;       // biased; 0 with man 0 for zeros and denormals
    uint32_t man;  // with the hidden bit
};

static struct number unpack(uint32_t bits)
{
    struct number n = {bits & TS_RV_F32_SIGN, (int)(bits >> 23 & 0xff), 0};
    if (n.exp != 0)
        n.man = (bits & (HIDDEN - 1)) | HIDDEN;
    return n;
}

static bool is_inf(const struct number *n)
{
    return n->exp == EXP_MAX && n->man == HIDDEN;
}

static bool is_nan_number(const struct number *n)
{
    return n->exp == EXP_MAX && n->man != HIDDEN;
}

// Shifts right by the exponents' distance. Bits shifted out set the last bit, unless the entire
// operand is shifted out: the hardware then loses its sticky bit.
static uint32_t align(uint32_t man, int by)
{
    if (by >= 32)
        return 0;
    uint32_t kept = man >> by;
    return kept != 0 && kept << by != man ? kept | 1 : kept;
}

static uint32_t add_magnitudes(uint32_t sign_p, int exp_p, uint32_t p, uint32_t sign_z, int exp_z,
                               uint32_t z, uint32_t *flags)
{
    const uint32_t whole_p = p, whole_z = z;
    int exp = exp_p > exp_z ? exp_p : exp_z;
    p = align(p, exp - exp_p);
    z = align(z, exp - exp_z);
    if ((p == 0 && whole_p != 0) || (z == 0 && whole_z != 0))
        *flags |= TS_RV_NX; // shifted out altogether

    uint32_t sign = p >= z ? sign_p : sign_z;
    uint32_t sum = sign_p == sign_z ? p + z : p >= z ? p - z : z - p;
    if (sum == 0)
        return sign_p & sign_z;

    // Bring the leading one to bit 26 (23 mantissa bits and three below).
    int shift = 5 - __builtin_clz(sum);
    exp += shift;
    if (exp >= EXP_MAX) {
        *flags |= TS_RV_OF | TS_RV_NX;
        return sign | INF;
    }
    if (exp <= 0) {
        shift++;
        exp = 0;
    }
    if (shift <= 0)
        sum <<= -shift;
    else
        sum = sum >> shift | ((sum & ((1u << shift) - 1)) != 0);

    uint32_t result = ((uint32_t)exp << 23) + (sum >> GUARD & (HIDDEN - 1));
    result += (sum & 7) + (result & 1) > 4;
    if (result >> 23 == 0) {
        *flags |= TS_RV_UF | TS_RV_NX;
        return sign;
    }
    if ((sum & 7) != 0)
        *flags |= TS_RV_NX;
    if (result == INF)
        *flags |= TS_RV_OF;
    return sign | result;
}

static bool is_nan(uint32_t x)
{
    return (x & ~TS_RV_F32_SIGN) > INF;
}

static bool is_signalling(uint32_t x)
{
    return is_nan(x) && !(x & 0x400000);
}

uint32_t ts_rv_fma(uint32_t x_bits, uint32_t y_bits, uint32_t z_bits, uint32_t *flags)
{
    const struct number x = unpack(x_bits), y = unpack(y_bits), z = unpack(z_bits);
    const uint32_t sign = x.sign ^ y.sign;
    const int exp = x.exp + y.exp - BIAS;

    const bool inf = is_inf(&x) || is_inf(&y), zero = x.man == 0 || y.man == 0;
    if (is_signalling(x_bits) || is_signalling(y_bits) || is_signalling(z_bits) ||
        (inf && zero && !is_nan_number(&x) && !is_nan_number(&y)))
        *flags |= TS_RV_NV;
    if (is_nan_number(&x) || is_nan_number(&y) || is_nan_number(&z))
        return TS_RV_NAN;
    if (inf) {
        if (zero || (is_inf(&z) && z.sign != sign)) {
            *flags |= TS_RV_NV;
            return TS_RV_NAN;
        }
        return sign | INF;
    }
    if (is_inf(&z))
        return z_bits;
    if (exp >= EXP_MAX) { // the product alone overflows, for any addend
        *flags |= TS_RV_OF | TS_RV_NX;
        return sign | INF;
    }

    // 48 bits of product, of which the unit keeps those in line with a guarded addend.
    uint64_t full = (uint64_t)x.man * y.man << GUARD;
    uint32_t product = (uint32_t)(full >> 23) | ((full & (HIDDEN - 1)) != 0);
    if (product == 0 || exp < 0) {
        if (product != 0)
            *flags |= z.man != 0 ? TS_RV_NX : TS_RV_UF | TS_RV_NX;
        return z.man != 0 ? z_bits : z.sign & sign;
    }
    return add_magnitudes(sign, exp, product, z.sign, z.exp, z.man << GUARD, flags);
}

// Orders all numbers, with -0 below +0.
static int32_t order(uint32_t x)
{
    return x & TS_RV_F32_SIGN ? (int32_t)~x ^ (int32_t)TS_RV_F32_SIGN : (int32_t)x;
}

static bool both_zero(uint32_t x, uint32_t y)
{
    return ((x | y) & ~TS_RV_F32_SIGN) == 0;
}

static uint32_t outer(uint32_t x, uint32_t y, bool largest, uint32_t *flags)
{
    if (is_signalling(x) || is_signalling(y))
        *flags |= TS_RV_NV;
    if (is_nan(x))
        return is_nan(y) ? TS_RV_NAN : y;
    return is_nan(y) || (order(x) < order(y)) != largest ? x : y;
}

uint32_t ts_rv_fmin(uint32_t x, uint32_t y, uint32_t *flags)
{
    return outer(x, y, false, flags);
}

uint32_t ts_rv_fmax(uint32_t x, uint32_t y, uint32_t *flags)
{
    return outer(x, y, true, flags);
}

bool ts_rv_feq(uint32_t x, uint32_t y, uint32_t *flags)
{
    if (is_signalling(x) || is_signalling(y))
        *flags |= TS_RV_NV;
    return !is_nan(x) && !is_nan(y) && (x == y || both_zero(x, y));
}

bool ts_rv_flt(uint32_t x, uint32_t y, uint32_t *flags)
{
    if (is_nan(x) || is_nan(y))
        *flags |= TS_RV_NV;
    return !is_nan(x) && !is_nan(y) && !both_zero(x, y) && order(x) < order(y);
}

bool ts_rv_fle(uint32_t x, uint32_t y, uint32_t *flags)
{
    return ts_rv_flt(x, y, flags) || ts_rv_feq(x, y, flags);
}

uint32_t ts_rv_fclass(uint32_t x)
{
    bool negative = x >> 31;
    uint32_t exp = x >> 23 & 0xff, man = x & (HIDDEN - 1);
    if (exp == EXP_MAX)
        return man == 0 ? (negative ? 1u << 0 : 1u << 7) : man & 0x400000 ? 1u << 9 : 1u << 8;
    if (exp != 0)
        return negative ? 1u << 1 : 1u << 6;
    if (man != 0)
        return negative ? 1u << 2 : 1u << 5;
    return negative ? 1u << 3 : 1u << 4;
}

// The magnitude as an integer, to nearest even; anything of 2^33 and more returns 2^33.
static uint64_t magnitude(uint32_t x)
{
    int exp = (int)(x >> 23 & 0xff) - BIAS;
    uint64_t man = (x & (HIDDEN - 1)) | HIDDEN;
    if (exp < -1)
        return 0;
    if (exp > 32)
        return UINT64_C(1) << 33;
    if (exp >= 23)
        return man << (exp - 23);
    int drop = 23 - exp;
    uint64_t whole = man >> drop, rest = man & ((UINT64_C(1) << drop) - 1),
             half = UINT64_C(1) << (drop - 1);
    return whole + (rest > half || (rest == half && (whole & 1)));
}

// The result of a conversion to an integer; `fits` says whether the range does.
static uint32_t converted(uint32_t x, bool fits, uint32_t value, uint32_t *flags)
{
    int drop = 23 - ((int)(x >> 23 & 0xff) - BIAS);
    uint32_t man = (x & (HIDDEN - 1)) | HIDDEN;
    if (!fits)
        *flags |= TS_RV_NV;
    else if ((x & ~TS_RV_F32_SIGN) != 0 && drop > 0 &&
             (drop > 23 || (man & ((1u << drop) - 1)) != 0))
        *flags |= TS_RV_NX;
    return value;
}

uint32_t ts_rv_f32_to_i32(uint32_t x, uint32_t *flags)
{
    if (is_nan(x))
        return converted(x, false, 0x7fffffffu, flags);
    uint64_t m = magnitude(x);
    if (x >> 31)
        return m > 0x80000000u ? converted(x, false, 0x80000000u, flags)
                               : converted(x, true, (uint32_t)(0 - m), flags);
    return m >= 0x80000000u ? converted(x, false, 0x7fffffffu, flags)
                            : converted(x, true, (uint32_t)m, flags);
}

uint32_t ts_rv_f32_to_u32(uint32_t x, uint32_t *flags)
{
    if (is_nan(x))
        return converted(x, false, 0xffffffffu, flags);
    uint64_t m = magnitude(x);
    if (x >> 31)
        return converted(x, m == 0, 0, flags);
    return m > 0xffffffffu ? converted(x, false, 0xffffffffu, flags)
                           : converted(x, true, (uint32_t)m, flags);
}

static uint32_t from_magnitude(uint32_t sign, uint32_t m, uint32_t *flags)
{
    if (m == 0)
        return sign;
    int top = 31 - __builtin_clz(m);
    uint32_t result;
    if (top <= 23) {
        result = ((uint32_t)(top + BIAS) << 23) + ((m << (23 - top)) & (HIDDEN - 1));
    } else {
        int drop = top - 23;
        uint32_t rest = m & ((1u << drop) - 1), half = 1u << (drop - 1);
        if (rest != 0)
            *flags |= TS_RV_NX;
        result = ((uint32_t)(top + BIAS) << 23) + ((m >> drop) & (HIDDEN - 1));
        result += rest > half || (rest == half && (result & 1));
    }
    return sign | result;
}

uint32_t ts_rv_i32_to_f32(uint32_t x, uint32_t *flags)
{
    return x >> 31 ? from_magnitude(TS_RV_F32_SIGN, 0u - x, flags) : from_magnitude(0, x, flags);
}

uint32_t ts_rv_u32_to_f32(uint32_t x, uint32_t *flags)
{
    return from_magnitude(0, x, flags);
}

uint32_t ts_rv_half_box(uint32_t bits)
{
    return 0xffff0000u | (bits & 0xffff);
}

uint32_t ts_rv_half_unbox(uint32_t reg, struct ts_rv_half half)
{
    return reg >> 16 == 0xffff ? reg & 0xffff : half.bfloat ? 0x7fc0 : 0x7e00;
}

uint32_t ts_rv_half_class(uint32_t bits, struct ts_rv_half half)
{
    if (half.bfloat)
        return ts_rv_fclass(bits << 16);
    // The same classes: each field moved to where FP32 has it, an exponent of all ones widened.
    uint32_t exp = bits >> 10 & 0x1f;
    return ts_rv_fclass((bits & 0x8000) << 16 | (exp == 31 ? EXP_MAX : exp) << 23 |
                        (bits & 0x3ff) << 13);
}

uint32_t ts_rv_half_to_f32(uint32_t bits, struct ts_rv_half half)
{
    uint32_t sign = (bits & 0x8000) << 16;
    if (half.bfloat)
        return is_nan(bits << 16) ? TS_RV_NAN : bits << 16;
    uint32_t exp = bits >> 10 & 0x1f, man = bits & 0x3ff;
    if (exp == 31)
        return man != 0 ? TS_RV_NAN : sign | INF;
    if (exp == 0) {
        if (man == 0 || !half.exact)
            return sign;                                 // zero, or a denormal that counts as one
        unsigned up = (unsigned)__builtin_clz(man) - 21; // brings the leading one to bit 10
        return sign | (BIAS - 14 - up) << 23 | (man << up & 0x3ff) << 13;
    }
    return sign | (exp + BIAS - 15) << 23 | man << 13;
}

static uint32_t to_half(uint32_t x, struct ts_rv_half half)
{
    uint32_t sign = x >> 16 & 0x8000;
    if (half.bfloat) {
        if (is_nan(x))
            return 0x7fc0;
        uint32_t kept = x >> 16;
        if (half.rtne)
            kept += (x & 0xffff) + (kept & 1) > 0x8000;
        return (kept >> 7 & 0xff) == 0 && !half.exact ? sign : kept;
    }
    if (is_nan(x))
        return 0x7e00;
    int exp = (int)(x >> 23 & 0xff) - BIAS + 15;
    uint32_t man = x & (HIDDEN - 1);
    if (exp >= 31)
        return sign | 0x7c00;
    if (exp <= 0 && half.exact) {
        // Units of 2^-24: the mantissa with its hidden bit is 14 places too long at exponent 0.
        int drop = 14 - exp;
        if (drop > 24)
            return sign;
        man |= HIDDEN;
        uint32_t whole = man >> drop, lost = man & ((1u << drop) - 1), tie = 1u << (drop - 1);
        return sign | (whole + (lost + (whole & 1) > tie));
    }
    if (exp < 0)
        return sign;
    uint32_t kept = ((uint32_t)exp << 10) + (man >> 13), rest = man & 0x1fff;
    kept += rest + (kept & 1) > 0x1000;
    return kept >> 10 == 0 ? sign : sign | kept;
}

uint32_t ts_rv_f32_to_half(uint32_t x, struct ts_rv_half half, uint32_t *flags)
{
    uint32_t bits = to_half(x, half), magnitude_bits = x & ~TS_RV_F32_SIGN;
    uint32_t inf = half.bfloat ? 0x7f80 : 0x7c00, least = half.bfloat ? 0x80 : 0x400;
    if (is_signalling(x))
        *flags |= TS_RV_NV;
    if (magnitude_bits >= INF)
        return bits;
    half.exact = true;
    if (ts_rv_half_to_f32(bits, half) != x) {
        *flags |= TS_RV_NX;
        if ((bits & 0x7fff) == inf)
            *flags |= TS_RV_OF;
        else if ((bits & 0x7fff) < least)
            *flags |= TS_RV_UF;
    }
    return bits;
}
