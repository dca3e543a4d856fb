// Multiply-add where a NaN is no constant (the machine's rule nan_leaks): a datum at a time.
//
// As ts_vector_fma but for what follows: a NaN goes through the adder, and bits of its sum are or'd to it; zeros and results
// that underflow lose their sign, and are decided before they are rounded. Source: ttsim 1.10.0 src/fma.cpp, found by the
// vendor's simulator's answers (tests/conform/wormhole, sfpu_*).
#include "units/vector/body.h"

#define NAN_HERE 0x7F800001u
#define HIDDEN   0x800000u
#define TOP_BIT  26 // the leading one of a normal addend

struct part {
    uint32_t sign, mantissa;
    int32_t exponent;
};

static struct part part_of(uint32_t x)
{
    const int32_t e = (int32_t)(x >> 23 & 255);
    return (struct part){x & TS_SIGN, e ? (x & (HIDDEN - 1)) | HIDDEN : 0, e};
}

static bool infinite(const struct part *x)
{
    return x->exponent == 255 && x->mantissa == HIDDEN;
}

// Right shift with a sticky last bit, which is lost when everything is shifted out.
static uint32_t shift_sticky(uint32_t x, int32_t by)
{
    const uint32_t y = by > 31 ? 0 : x >> by;
    return y | (y && (y << by) != x);
}

// Infinite or NaN: true, and *result is the sum or, not 0, a NaN that goes on.
static bool special(const struct part *x, const struct part *y, const struct part *z, int32_t pe,
                    uint32_t *result)
{
    const uint32_t psign = x->sign ^ y->sign;
    const bool much = x->exponent == 255 || y->exponent == 255 || pe >= 255;
    if ((x->exponent == 255 && (!infinite(x) || !y->mantissa)) ||
        (y->exponent == 255 && (!infinite(y) || !x->mantissa)) ||
        (infinite(z) && much && z->sign != psign))
        *result = psign | NAN_HERE;
    else if (z->exponent == 255 && !infinite(z))
        *result = z->sign | NAN_HERE;
    else {
        *result = (infinite(z) ? z->sign : psign) | TS_FP32_INF;
        return false;
    }
    return true;
}

static uint32_t multiply_add(uint32_t vx, uint32_t vy, uint32_t vz)
{
    const struct part x = part_of(vx), y = part_of(vy), z = part_of(vz);
    const uint32_t psign = x.sign ^ y.sign;
    int32_t pe = x.exponent + y.exponent - 127;
    uint32_t nan = 0;
    if (pe >= 255 || x.exponent == 255 || y.exponent == 255 || z.exponent == 255) {
        if (!special(&x, &y, &z, pe, &nan))
            return nan;
        pe = pe > 255 ? 255 : pe;
    }
    const uint64_t full = (uint64_t)x.mantissa * y.mantissa;
    uint32_t p = (uint32_t)(full >> 20) | ((full & 0xFFFFF) != 0), a = z.mantissa << 3;
    if (p == 0 || pe < 0) {
        if (!nan)
            return z.mantissa ? vz : 0;
        p = 0;
        pe = 0;
    }
    int32_t e = pe > z.exponent ? pe : z.exponent;
    p = shift_sticky(p, e - pe);
    a = shift_sticky(a, e - z.exponent);
    const uint32_t sign = p >= a ? psign : z.sign;
    uint32_t r = psign == z.sign ? p + a : p >= a ? p - a : a - p;
    if (r == 0)
        return nan;
    const int32_t down = 31 - TOP_BIT - __builtin_clz(r);
    e += down;
    if (e >= 255)
        return nan ? nan : sign | TS_FP32_INF;
    if (e < 0)
        return nan;
    r = down <= 0 ? r << -down : r >> down | (r & 1);
    uint32_t sum = ((uint32_t)e << 23) + (r >> 3 & (HIDDEN - 1));
    sum += ((r & 7) + (sum & 1)) > 4;
    if (sum >> 23 == 0)
        return nan;
    return (nan ? nan : sign) | sum;
}

bool ts_vector_fma_leaks(const struct ts_vector *v, const uint32_t *x, const uint32_t *y,
                         const uint32_t *z, uint32_t *d)
{
    if (__builtin_expect(!ts_bits_machine(v->bits, TS_RULE_nan_leaks), 1))
        return false;
    for (TS_EACH_LANE)
        d[l] = multiply_add(x[l], y[l], z[l]);
    return true;
}
