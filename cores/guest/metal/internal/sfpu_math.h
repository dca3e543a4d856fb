// Functions of one vector: the argument is in register 0, the result goes there. Registers 1 to 7 are
// scratch; a function that keeps something says so.
//
// Polynomials and reductions are the usual ones for single precision (Cephes; Abramowitz and Stegun,
// chapters 4 and 7; Giles, "Approximating the erfinv function", 2010). Where Dst has 16 bits, shorter
// ones are used.
#pragma once
#include "internal/sfpu.h"

#if defined(TRISC_MATH) || defined(TRISC_PACK)

namespace ckernel::vec {

constexpr bool wide = DST_ACCUM_MODE; // more than 16 bits count
constexpr float LN2 = 0.69314718f, LOG2E = 1.44269504f, PI = 3.14159265f, HALF_PI = 1.57079633f;
constexpr float INFINITE = __builtin_inff(), NAN_ = __builtin_nanf("");

// Small helpers.
ALWI void clamp_above(uint32_t r, uint32_t limit) // at most `limit`, a register that may be lost
{
    if constexpr (blind) {
        minimum(r, limit);
        return;
    }
    when_greater(r, limit);
    mov(r, limit);
    end();
}
ALWI void clamp_below(uint32_t r, uint32_t limit)
{
    if constexpr (blind) {
        maximum(r, limit);
        return;
    }
    when_greater(limit, r);
    mov(r, limit);
    end();
}
ALWI void times(uint32_t r, float factor, uint32_t t)
{
    number(t, factor);
    mul(r, r, t);
}
ALWI void plus(uint32_t r, float summand, uint32_t t)
{
    number(t, summand);
    add(r, r, t);
}

// 1 / r without the hardware's approximation: a constant less the bits of r is 1 / r to an eighth; each step squares the
// error. Zero becomes infinity on the way; from 2^126 on, 0. Uses t, u.
ALWI void reciprocal_by_steps(uint32_t r, uint32_t t, uint32_t u)
{
    mov(t, r);
    word(u, 0x7ef311c7);
    isub(t, u);
#pragma GCC unroll 3
    for (uint32_t i = 0; i < (wide ? 3 : 2); i++) {
        nmad(u, r, t, ONE);
        mad(t, t, u, t);
    }
    exponent(u, r);
    iadd_number(u, u, -126);
    push();
    when_not_negative(u);
    mov(t, ZERO);
    pop();
    mov(r, t);
}
// 1 / r: the hardware's approximation has 8 bits, each step of Newton's method, y (2 - r y), doubles them. Zero and
// infinity are right already: there r y is NaN, not negative. Uses t, u.
template <bool twice = wide> ALWI void reciprocal(uint32_t r, uint32_t t, uint32_t u)
{
    if constexpr (blind) {
        reciprocal_by_steps(r, t, u);
        return;
    }
    number(u, 2.0f);
#ifdef TT_OP_SFPARECIP
    TT_SFPARECIP(0, r, t, 0);
#endif
    msub(u, r, t, u);
    push();
    when_negative(u);
    minus_mul(t, t, u);
    if constexpr (twice) {
        number(u, 2.0f);
        msub(u, r, t, u);
        minus_mul(t, t, u);
    }
    pop();
    mov(r, t);
}

// e^r for 16 bits: 2^t with t = r * log2(e) between -126 and 127; the integral part of t by adding and
// taking away 1.5 * 2^23, the rest by a polynomial; then the integral part goes into the exponent.
// Uses 1 to 3.
ALWI void exponential_short(uint32_t r)
{
    number(1, LOG2E);
    mul(r, r, 1);
    number(1, 127.0f);
    nop();             // SFPSWAP does not wait for what a product writes
    exchange(1, r, 1); // the smaller
    number(1, -126.0f);
    exchange(1, r, 9); // the larger
    number(2, 12582912.0f);
    add(1, r, 2);
    sub(2, 1, 2);
    sub(2, r, 2); // f
    word(r, 0x3d6388ee);
    word(3, 0x3e75fdf0);
    mad(r, r, 2, 3);
    word(3, 0x3f317218);
    mad(r, r, 2, 3);
    mad(r, r, 2, ONE);
    shift(1, 23); // SFPIADD does not wait for a product either
    iadd(r, 1);
}
// 2^k (1 + y f), from y in register 3, f in `r`, k in 4 (sign and magnitude) and 1 (a float), to 3; infinity or NaN above, 0 below. Uses 1 to 4 and r.
ALWI void scaled_by_two_to_k(uint32_t r)
{
    TT_SFPABS(0, 4, 4, 0); // with the sign again: two's complement
    with_sign(1, 4);
    mad(2, 3, r, ONE);
    number(r, INFINITE);
    mul(3, 3, r);
    TT_SFPEXEXP(0, 2, 4, 1); // biased
    iadd(4, 1);
    push();
    TT_SFPIADD(uint32_t(-255) & 0xfff, 4, r, 1); // where it is below 255
    TT_SFPSETEXP(0, 2, 4, 0);
    mov(3, 4);
    push();
    TT_SFPIADD(254, r, r, 1); // and below 1
    mov(3, ZERO);
    pop();
    pop();
}
// A number in register r already, or else in t.
ALWI uint32_t kept(bool there, uint32_t r, uint32_t t, float value)
{
    if (there)
        return r;
    number(t, value);
    return t;
}
// e^r for 32 bits to register 3, the steps of tt-metal's: r = k * ln2 + f. 0 far below, infinity far above. Uses 1 to 4 and r. `there`: registers 5 to 7 hold
// its first constants (exponential_kept()).
constexpr float EXP_LOG2E = 1.442695f, EXP_MINUS_LN2 = -6.93145752e-1f, EXP_C5 = 8.37312452e-3f;
ALWI void exponential_kept()
{
    number(5, EXP_LOG2E);
    number(6, EXP_MINUS_LN2);
    number(7, EXP_C5);
}
ALWI void exponential_long(uint32_t r, bool there)
{
    mul(1, r, kept(there, 5, 1, EXP_LOG2E));
    number(2, 1.37805939e-3f);
    TT_SFP_STOCH_RND(0, 0, 0, 1, 4, 7); // to the nearest integer
    TT_SFPCAST(4, 1, 0);
    mad(r, 1, kept(there, 6, 3, EXP_MINUS_LN2), r);
    number(3, -1.42860677e-6f);
    mad(r, 1, 3, r);
    mad(2, 2, r, kept(there, 7, 3, EXP_C5));
    number(3, 4.16695364e-2f);
    mad(2, 2, r, 3);
    number(3, 1.66664720e-1f);
    mad(2, 2, r, 3);
    number(3, 4.99999851e-1f);
    mad(2, 2, r, 3);
    mad(3, 2, r, ONE);
    scaled_by_two_to_k(r);
}
// 2^x for 32 bits, the steps of tt-metal's. Uses 1 to 4.
ALWI void power_of_two()
{
    TT_SFP_STOCH_RND(0, 0, 0, 0, 4, 7);
    TT_SFPCAST(4, 1, 0);
    sub(0, 0, 1);
    number(2, 0x1.41cp-13f);
    number(3, 0x1.5f4p-10f);
    mad(2, 2, 0, 3);
    number(3, 0x1.3b4p-7f);
    mad(2, 2, 0, 3);
    number(3, 0x1.c6afd8p-5f);
    mad(2, 2, 0, 3);
    number(3, 0x1.ebfba0p-3f);
    mad(2, 2, 0, 3);
    number(3, 0x1.62e42ep-1f);
    mad(3, 2, 0, 3);
    scaled_by_two_to_k(0);
    mov(0, 3);
}
ALWI void exponential(uint32_t r = 0)
{
    if constexpr (wide) {
        exponential_long(r, false);
        mov(r, 3);
    } else {
        exponential_short(r);
    }
}

// Approximate: to 10 bits also where Dst has 32, in half of the instructions.
ALWI void exponential_of(bool approximate)
{
    if (approximate)
        exponential_short(0);
    else
        exponential();
}

// log(r) for r > 0. Uses 1 to 5.
ALWI void logarithm(uint32_t r = 0)
{
    exponent(1, r);
    set_exponent(2, r, 127); // 1 to 2
    number(3, 1.41421356f);
    when_greater(2, 3, 4);
    scale_by_two_to(2, 2, -1);
    iadd_number(1, 1, 1);
    end();
    to_float(1, 1);
    number(3, -1.0f);
    add(2, 2, 3); // f
    if constexpr (wide)
        polynomial(3, 2, 4, 7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f,
                   -1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f, 2.0000714765e-1f,
                   -2.4999993993e-1f, 3.3333331174e-1f);
    else
        polynomial(3, 2, 4, -1.2420140846e-1f, 1.6249322787e-1f, -1.6668057665e-1f,
                   1.9800714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f);
    mul(4, 2, 2);
    mul(3, 3, 2);
    mul(3, 3, 4); // f^3 P(f)
    number(5, -0.5f);
    mad(3, 4, 5, 3);
    add(3, 3, 2);
    number(5, LN2);
    mad(r, 1, 5, 3);
}
// log(s) by a cubic between 1 and 2, to d, and the exponent as a float, to t: what tt-metal's pow and digamma take. Uses x.
ALWI void logarithm_parts(uint32_t d, uint32_t s, uint32_t x, uint32_t t)
{
    set_exponent(x, s, 127);
    number(d, 0x2.44734p-4f);
    number(t, -0xd.e712ap-4f);
    mad(d, x, d, t);
    number(t, 0x2.4f5388p+0f);
    mad(d, d, x, t);
    number(t, -0x1.952992p+0f);
    mad(d, d, x, t);
    exponent(t, s);
    to_float(t, t);
}
// With the limits: -infinity at 0, NaN below. Uses 1 to 6.
ALWI void logarithm_limits()
{
    mov(6, 0);
    logarithm(0);
    abs(1, 6);
    when_zero(1);
    number(0, -INFINITE);
    end();
    when_negative(6);
    when_not_zero(1);
    number(0, NAN_);
    end();
    number(1, INFINITE);
    sub(1, 6, 1);
    when_zero(1);
    mov(0, 6);
    end();
}

// 1 / sqrt(r) to t. Uses u. Two steps of Newton's method, three where more than 16 bits count.
ALWI void inverse_root(uint32_t r, uint32_t t, uint32_t u, uint32_t v)
{
    mov(t, r);
    shift(t, -1);
    word(u, 0x5f3759df);
    isub(t, u);
    for (uint32_t i = 0; i < (wide ? 3u : 2u); i++) {
        mul(u, t, r); // t * t would be flushed to zero for a large r
        mul(u, u, t);
        number(v, -0.5f);
        mul(u, u, v);
        number(v, 1.5f);
        add(u, u, v);
        mul(t, t, u);
    }
}
ALWI void square_root() // uses 1 to 3
{
    inverse_root(0, 1, 2, 3);
    abs(2, 0);
    when_not_zero(2);
    mul(2, 0, 1);
    end();
    number(3, INFINITE);
    sub(3, 0, 3);
    when_zero(3);
    mov(2, 0);
    end();
    when_negative(0);
    number(2, NAN_);
    end();
    mov(0, 2);
}
ALWI void inverse_square_root()
{
    inverse_root(0, 1, 2, 3);
    abs(2, 0);
    when_zero(2);
    number(1, INFINITE);
    end();
    when_negative(0);
    when_not_zero(2);
    number(1, NAN_);
    end();
    number(3, INFINITE);
    sub(3, 0, 3);
    when_zero(3);
    mov(1, ZERO);
    end();
    mov(0, 1);
}

// --- trigonometry ---

// sin of register 0. x = k pi + r; the sign is that of (-1)^k. Uses 1 to 4.
ALWI void sine()
{
    number(1, 1.0f / PI);
    number(2, 12582912.0f);
    mad(1, 0, 1, 2);
    sub(2, 1, 2);
    number(3, 3.140625f);
    nmad(0, 2, 3, 0);
    number(3, 9.67502593994140625e-4f);
    nmad(0, 2, 3, 0);
    number(3, 1.509957990978376432e-7f);
    nmad(0, 2, 3, 0);
    mul(2, 0, 0);
    if constexpr (wide)
        polynomial(3, 2, 4, -2.5052108e-8f, 2.7557319e-6f, -1.9841270e-4f, 8.3333333e-3f,
                   -1.6666667e-1f);
    else
        polynomial(3, 2, 4, 2.6e-6f, -1.9808741e-4f, 8.3330255e-3f, -1.6666657e-1f);
    mul(3, 3, 2);
    mad(0, 3, 0, 0);
    shift(1, 31); // odd k
    bit_xor(0, 1);
}
ALWI void cosine()
{
    plus(0, HALF_PI, 1);
    sine();
}
// x = k pi/2 + r. Uses 1 to 5.
ALWI void tangent()
{
    number(1, 2.0f / PI);
    number(2, 12582912.0f);
    mad(1, 0, 1, 2);
    sub(2, 1, 2);
    number(3, 1.5703125f);
    nmad(0, 2, 3, 0);
    number(3, 4.837512969970703125e-4f);
    nmad(0, 2, 3, 0);
    number(3, 7.549789948768648e-8f);
    nmad(0, 2, 3, 0);
    mul(2, 0, 0);
    polynomial(3, 2, 4, 9.38540185543e-3f, 3.11992232697e-3f, 2.44301354525e-2f, 5.34112807005e-2f,
               1.33387994085e-1f, 3.33331568548e-1f);
    mul(3, 3, 2);
    mad(0, 3, 0, 0);
    mov(5, 0);
    reciprocal(5, 2, 3);
    shift(1, 31);
    when_negative(1);
    neg(0, 5);
    end();
}
// Uses 1 to 6.
ALWI void arc_tangent()
{
    mov(6, 0);
    abs(0, 0);
    mov(5, 0);
    reciprocal(5, 2, 3);
    when_greater(0, ONE, 2);
    mov(0, 5);
    end();
    mul(2, 0, 0);
    polynomial(3, 2, 4, -0.0040540580f, 0.0218612288f, -0.0559098861f, 0.0964200441f,
               -0.1390853351f, 0.1994653599f, -0.3332985605f, 0.9999993329f);
    mul(0, 0, 3);
    abs(1, 6);
    when_greater(1, ONE, 2);
    number(2, HALF_PI);
    sub(0, 2, 0);
    end();
    with_sign(6, 0);
    mov(0, 6);
}
// A constant that an init has loaded, where inits do; else it is loaded to t.
ALWI uint32_t prepared(uint32_t c, uint32_t t, uint32_t value)
{
    if constexpr (!blind)
        return c;
    word(t, value);
    return t;
}
// Beyond 9/16 asin |x| = pi / 2 - 2 asin sqrt((1 - |x|) / 2); NaN outside -1 to 1. The steps of tt-metal's functions for a 32-bit Dst. Uses all.
ALWI void arc_sine_or_cosine(bool cosine)
{
    abs(6, 0);
    sub(7, ONE, 6);
    number(5, -0.5625f);
    mul_number(7, 0.5f); // (1 - |x|) / 2
    add(5, 6, 5);
    if constexpr (blind) {
        mov(1, 7);
        shift(1, -1);
    } else {
        TT_SFPSHFT(0xfff, 7, 1, 5);
    }
    isub(1, prepared(C12, 2, 0x5f1110a0)); // y, about its inverse root
    mul(2, 7, 1);
    minus_mul(3, 1, 2);
    add(4, prepared(C14, 4, bits(2.2533049f)), 3);
    mad(4, 3, 4, prepared(C13, 2, bits(2.2825186f)));
    mul(1, 1, 4);
    mul(2, 7, 1);
    nmad(3, 1, 2, ONE);
    number(4, 0.5f);
    mul(4, 4, 2);
    mad(1, 3, 4, 2);
    when_negative(5);
    mov(1, 6);
    end();
    mul(2, 1, 1);
    if (cosine) {
        polynomial(3, 2, 4, 0x1.830p-5f, 0x1.cap-8f, 0x1.158p-5f, 0x1.6acp-5f, 0x1.33411ep-4f,
                   0x1.555552p-3f);
        mul(3, 3, 2);
        bit_xor(0, 5); // its sign is that of x, other than that below 9/16
        with_sign(0, 1);
        mad(1, 3, 0, 0);
        bit_or(0, 5);
        when_negative(0);
        number(3, HALF_PI);
        add(1, 1, 3);
        end();
        when_not_negative(5);
        add(1, 1, 1);
        end();
    } else {
        polynomial(3, 2, 4, 0x1.9ep-5f, 0x1.364p-6f, 0x1.7dcp-5f, 0x1.329a74p-4f, 0x1.55578cp-3f);
        mul(3, 3, 2);
        mad(1, 3, 1, 1);
        when_not_negative(5);
        number(3, -2.0f);
        number(4, HALF_PI);
        mad(1, 1, 3, 4);
        end();
        with_sign(0, 1);
        mov(1, 0);
    }
    when_negative(7);
    number(1, NAN_);
    end();
    mov(0, 1);
}
ALWI void hyperbolic_cosine()
{
    exponential();
    mov(6, 0);
    reciprocal(6, 2, 3);
    add(0, 0, 6);
    times(0, 0.5f, 1);
}
// (e^x - e^-x) / 2, near zero a polynomial. Uses all.
ALWI void hyperbolic_sine()
{
    mov(7, 0);
    exponential();
    mov(6, 0);
    reciprocal(6, 2, 3);
    sub(0, 0, 6);
    times(0, 0.5f, 1);
    abs(1, 7);
    number(2, 0.5f);
    when_greater(2, 1, 3);
    mul(2, 7, 7);
    polynomial(3, 2, 4, 1.0f / 5040, 1.0f / 120, 1.0f / 6, 1.0f);
    mul(0, 3, 7);
    end();
}
// 1 - 2 / (e^2x + 1), near zero a polynomial. Uses 1 to 5 and 7.
ALWI void hyperbolic_tangent()
{
    mov(7, 0);
    add(0, 0, 0);
    exponential(0);
    add(0, 0, ONE);
    reciprocal(0, 2, 3);
    number(1, -2.0f);
    mad(0, 0, 1, ONE);
    abs(1, 7);
    number(2, 0.4f);
    when_greater(2, 1, 3);
    mul(2, 7, 7);
    polynomial(3, 2, 4, 62.0f / 2835, -17.0f / 315, 2.0f / 15, -1.0f / 3, 1.0f);
    mul(0, 3, 7);
    end();
}
ALWI void area_hyperbolic_cosine()
{
    mov(6, 0);
    msub(0, 0, 0, ONE);
    square_root();
    add(0, 0, 6);
    logarithm_limits();
}
// sign(x) log(|x| + sqrt(x^2 + 1)). Uses all.
ALWI void area_hyperbolic_sine()
{
    mov(7, 0);
    abs(6, 0);
    mad(0, 0, 0, ONE);
    square_root();
    add(0, 0, 6);
    logarithm(0);
    number(1, 0.25f); // below, a sum of its own: 1 + x^2 would lose x
    when_greater(1, 6, 2);
    mul(2, 6, 6);
    polynomial(3, 2, 4, 35.0f / 1152, -5.0f / 112, 3.0f / 40, -1.0f / 6, 1.0f);
    mul(0, 3, 6);
    end();
    with_sign(7, 0);
    mov(0, 7);
}
ALWI void area_hyperbolic_tangent() // log((1 + x) / (1 - x)) / 2
{
    mov(7, 0);
    sub(6, ONE, 0);
    reciprocal(6, 2, 3);
    add(0, 0, ONE);
    mul(0, 0, 6);
    logarithm_limits();
    times(0, 0.5f, 1);
    abs(1, 7);
    number(2, 0.25f);
    when_greater(2, 1, 3);
    mul(2, 7, 7);
    polynomial(3, 2, 4, 1.0f / 11, 1.0f / 9, 1.0f / 7, 0.2f, 1.0f / 3, 1.0f);
    mul(0, 3, 7);
    end();
}
ALWI void cube_root()
{
    mov(7, 0);
    abs(0, 0);
    logarithm_limits();
    times(0, 1.0f / 3, 1);
    exponential();
    with_sign(7, 0);
    mov(0, 7);
}
// --- exponentials and their kin ---

ALWI void sigmoid() // uses 1 to 5
{
    neg(0, 0);
    exponential(0);
    add(0, 0, ONE);
    reciprocal(0, 2, 3);
}
ALWI void silu()
{
    mov(7, 0);
    sigmoid();
    mul(0, 0, 7);
}
// x = k ln2 + r; 2^k (e^r - 1) + 2^k - 1, halved until the end, since 2^128 is too much. The steps of tt-metal's expm1 for a 32-bit Dst. log2(e) in C12,
// the first part of -ln2 in C13, 1/6 in C14. To register 3; uses all, 7 for what minus_one_kept() loads.
ALWI void minus_one_kept()
{
    number(7, 8.333439939e-3f);
}
ALWI void exponential_minus_one()
{
    number(1, 12582912.0f);
    mad(2, C12, 0, 1);
    number(3, 1.974105835e-4f);
    number(5, 1.393107930e-3f);
    sub(4, 2, 1); // k
    number(1, -1.42860677e-6f);
    mad(0, 4, C13, 0);
    number(6, 0.5f);
    mad(0, 4, 1, 0); // r
    number(1, 4.166680202e-2f);
    mad(3, 3, 0, 5);
    mul(5, 0, 0);
    mad(3, 3, 0, 7);
    shift(2, 23);
    mad(3, 3, 0, 1);
    iadd(2, 6); // 2^(k - 1)
    mad(3, 3, 0, C14);
    iadd_number(1, 6, -1);
    mad(3, 3, 0, 1);
    sub(1, 4, ONE);
    push();
    when_zero(1); // k = 1
    add(0, 0, 6);
    pop();
    mad(3, 3, 5, 0); // e^r - 1
    push();
    when_not_zero(4);
    push();
    when_not_zero(1);
    sub(5, 2, 6);
    add_number(1, -1.0f);
    sub(0, 2, 5);
    number(4, INFINITE);
    sub(0, 0, 6); // what the difference lost
    abs(6, 1);
    mad(3, 3, 2, 0);
    TT_SFP_STOCH_RND(0, 0, 0, 6, 6, 3);
    add(3, 3, 5);
    push();
    TT_SFPIADD(uint32_t(-127) & 0xfff, 6, 6, 9); // |k - 2| from 127 on: -1 or infinity
    mul(3, 1, 4);
    push();
    when_negative(1);
    number(3, -0.5f);
    pop();
    pop();
    pop();
    add(3, 3, 3);
    pop();
}
// e^x - 1 from x = -87 on, to register 4; x must not be large. The steps of tt-metal's elu, selu and celu. Uses 1 to 6, keeps 0.
ALWI void exponential_minus_one_above(uint32_t x)
{
    number(1, -87.0f);
    mov(2, x);
    maximum(2, 1);
    number(1, 12582912.0f);
    number(3, LOG2E);
    mad(3, 2, 3, 1);
    number(4, -0.693115234375f);
    sub(1, 3, 1); // k
    mad(2, 1, 4, 2);
    number(4, -3.19461832987e-05f);
    mad(2, 1, 4, 2); // r
    if constexpr (wide)
        polynomial(4, 2, 5, 1.3948583510e-03f, 8.3691505715e-03f, 4.1666239500e-02f,
                   1.6666504741e-01f, 5.0000000000e-01f);
    else
        polynomial(4, 2, 5, 8.3751315251e-03f, 4.1875664145e-02f, 1.6666433215e-01f,
                   4.9999371171e-01f);
    mad(4, 4, 2, ONE);
    mul(4, 4, 2); // e^r - 1
    word(5, 0x4b3fff81);
    isub(5, 3); // k + 127
    TT_SFPSETEXP(0, ONE, 5, 0);
    sub(6, 5, ONE);
    mad(4, 5, 4, 6);
}
ALWI void logarithm_of_one_plus()
{
    mov(7, 0);
    add(0, 0, ONE);
    logarithm_limits();
    abs(1, 7);
    number(2, 0.1f);
    when_greater(2, 1, 3);
    polynomial(3, 7, 4, 1.0f / 7, -1.0f / 6, 0.2f, -0.25f, 1.0f / 3, -0.5f, 1.0f);
    mul(0, 3, 7);
    end();
}
// log(1 + e^x) without overflow: max(x, 0) + log(1 + e^-|x|). Keeps 7.
ALWI void soft_plus()
{
    mov(6, 0);
    abs(0, 0);
    neg(0, 0);
    exponential(0);
    add(0, 0, ONE);
    logarithm(0);
    when_not_negative(6);
    add(0, 0, 6);
    end();
}
ALWI void mish() // x tanh(log(1 + e^x)) = x n / (n + 2), n = e^x (e^x + 2)
{
    mov(7, 0);
    number(1, 20.0f);
    clamp_above(0, 1);
    exponential(0);
    number(1, 2.0f);
    add(2, 0, 1);
    mul(0, 0, 2);
    add(1, 0, 1);
    reciprocal(1, 2, 3);
    mul(0, 0, 1);
    mul(0, 0, 7);
}
// x^p by e^(p log|x|), p in register 7. A negative x gives NaN unless p is an integer; then the sign is
// that of x for odd p. Uses all.
ALWI void power_of()
{
    mov(6, 0);
    abs(0, 0);
    logarithm(0);
    mul(0, 0, 7);
    if constexpr (wide) {
        exponential(0);
    } else {
        mov(5, 0); // p log|x|
        exponential(0);
        number(1, -87.3f);
        when_greater(1, 5, 2);
        mov(0, ZERO);
        end();
        number(1, 88.7f);
        when_greater(5, 1, 2);
        number(0, INFINITE);
        end();
    }
    // x = 0: 0 for p > 0, infinity for p < 0; p = 0: 1
    abs(1, 6);
    when_zero(1);
    mov(0, ZERO);
    when_negative(7);
    number(0, INFINITE);
    end();
    abs(2, 7);
    when_zero(2);
    mov(0, ONE);
    end();
    // x < 0: the parity of p decides, and whether it is an integer
    number(2, 12582912.0f);
    add(3, 7, 2);
    sub(2, 3, 2);
    sub(2, 2, 7);
    abs(2, 2);
    shift(3, 31);
    when_negative(6);
    when_negative(3);
    neg(0, 0);
    end();
    when_negative(6);
    when_not_zero(1);
    when_not_zero(2);
    number(0, NAN_);
    end();
}

// --- rounding ---

// Toward zero, to register 1: a mask clears the bits below the point, all but the sign where the exponent is negative. In the steps of tt-metal's
// functions. Keeps 0; uses 2, 3.
ALWI void truncated()
{
    word(3, 23);
    word(1, 0x80000000);
    TT_SFPEXEXP(0, 0, 2, 10); // and where it is not negative:
    TT_SFPLOADI(1, 4, 0xffff);
    TT_SFPIADD(0, 3, 2, 10); // bits of fraction; and where there are any:
    shift_by(1, 2);
    end();
    bit_and(1, 0);
}
ALWI void truncate()
{
    truncated();
    mov(0, 1);
}
ALWI void rounded_down()
{
    truncated();
    number(2, -1.0f);
    when_greater(1, 0, 3);
    add(1, 1, 2);
    end();
}
ALWI void round_down()
{
    rounded_down();
    mov(0, 1);
}
ALWI void rounded_up()
{
    truncated();
    when_greater(0, 1, 3);
    add(1, 1, ONE);
    end();
}
// To the nearest, ties to even: below 2^22 by adding and taking away 1.5 * 2^23.
ALWI void round_nearest()
{
    number(1, 12582912.0f);
    add(2, 0, 1);
    sub(2, 2, 1);
    abs(3, 0);
    number(1, 4194304.0f);
    when_greater(1, 3, 4);
    mov(0, 2);
    end();
}

} // namespace ckernel::vec

#endif
