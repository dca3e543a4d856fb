// Tangent, arc tangent, hyperbolic functions and their inverses, cube root, mish and powers of a tile.
//
// Source: what tt-metal's functions of these names do (hw/ckernels/blackhole/metal/llk_api/llk_sfpu, August 2026): ranges, coefficients, the order of
// instructions. Those named ..._short are for a 16-bit Dst only, the others for both. The cube root: Moroz et al., "Fast Calculation of Cube and
// Inverse Cube Roots Using a Magic Constant", 2021.
#pragma once
#include "internal/sfpu_short.h"

#if (defined(TRISC_MATH) || defined(TRISC_PACK)) && !TS_RULE_vector_blind

namespace ckernel::vec {

// `body` for the vectors of a tile.
template <typename Constants, typename Body>
ALWI void each_with(uint32_t dst, VectorMode mode, Body body)
{
    Constants::begin(dst);
    each_vector(mode, body);
}
// Where r >= limit, a number of 16 bits; uses t.
ALWI void when_from(uint32_t r, float limit, uint32_t t)
{
    number(t, -limit);
    add(t, r, t);
    when_not_negative(t);
}
// 1 / r for 0 < r < 2^126, to t; uses u.
ALWI void reciprocal_of_positive(uint32_t r, uint32_t t, uint32_t u)
{
    TT_SFPARECIP(0, r, t, 0);
#pragma GCC unroll 2
    for (uint32_t i = 0; i < (wide ? 2u : 1u); i++) {
        nmad(u, r, t, ONE);
        mad(t, t, u, t);
    }
}
// Root of register 0, to 5. Uses 1, 3, 4.
ALWI void root_of_positive()
{
    scale_by_two_to(1, 0, -1);
    TT_SFPSHFT(0xfff, 0, 4, 5); // half of the bits
    word(3, 0x5f1110a0);
    isub(4, 3);
#pragma GCC unroll 3
    for (uint32_t i = 0; i < (wide ? 3u : 2u); i++) {
        mul(3, 1, 4);
        minus_mul(3, 3, 4);
        add_number(3, 1.5f);
        mul(4, 4, 3);
    }
    mul(5, 0, 4);
    nmad(3, 5, 5, 0);
    mul_number(3, 0.5f);
    mad(5, 3, 4, 5);
    push();
    when_zero(0);
    mov(5, ZERO);
    pop();
}
// Its argument went through Dst: log(1 + register 2) to 2, keeps 7.
ALWI void logarithm_through_dst()
{
    store(2);
    load(0);
    logarithm_of_one_plus_body();
}

constexpr float FAR = 268435456.0f; // 2^28: there x^2 + 1 is x^2

// log1p(x - 1 + sqrt((x - 1) (x + 1))); far away log(2x).
ALWI void area_cosine_tile(uint32_t dst, VectorMode mode)
{
    each_with<logarithm_constants>(dst, mode, [] {
        load(7);
        mov(2, 7);
        add_number(2, -1.0f);
        push();
        number(1, -FAR);
        add(1, 7, 1);
        when_negative(1);
        add(0, 7, ONE);
        mul(0, 0, 2);
        root_of_positive();
        add(2, 2, 5);
        pop();
        logarithm_through_dst();
        push();
        when_from(7, FAR, 1);
        number(1, LN2);
        add(2, 2, 1);
        pop();
        push();
        sub(1, 7, ONE);
        when_zero(1);
        mov(2, ZERO);
        otherwise();
        when_negative(1);
        number(2, NAN_);
        pop();
        round_to_dst(2);
        store(2);
    });
}
// Below 3/4 a polynomial; then log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))), far away log(2 |x|).
ALWI void area_sine_tile(uint32_t dst, VectorMode mode)
{
    each_with<logarithm_constants>(dst, mode, [] {
        load(7);
        mov(2, ZERO);
        abs(6, 7);
        push();
        when_from(6, FAR, 1);
        sub(2, 6, ONE);
        otherwise();
        when_from(6, 0.75f, 1);
        mad(0, 7, 7, ONE);
        root_of_positive();
        add(3, ONE, 5);
        reciprocal_of_positive(3, 4, 1);
        mul(1, 7, 7);
        mad(2, 1, 4, 6);
        pop();
        logarithm_through_dst();
        abs(6, 7);
        push();
        when_from(6, FAR, 1);
        number(1, LN2);
        add(2, 2, 1);
        pop();
        push();
        number(1, -0.75f);
        add(1, 6, 1);
        when_negative(1);
        mul(3, 7, 7);
        polynomial(4, 3, 1, 4.375355784e-03f, -1.484858524e-02f, 2.785361186e-02f,
                   -4.417778924e-02f, 7.495806366e-02f, -1.666652262e-01f);
        mad(4, 4, 3, ONE);
        mul(2, 6, 4);
        pop();
        with_sign(7, 2);
        round_to_dst(7);
        store(7);
    });
}
// log1p(2 |x| / (1 - |x|)) / 2; infinity at 1, NaN beyond.
ALWI void area_tangent_tile(uint32_t dst, VectorMode mode)
{
    each_with<logarithm_constants>(dst, mode, [] {
        load(7);
        abs(6, 7);
        push();
        sub(1, 6, ONE);
        when_not_negative(1);
        mov(6, ZERO);
        pop();
        sub(1, ONE, 6);
        add(2, 6, 6);
        reciprocal_of_positive(1, 3, 4);
        mul(2, 2, 3);
        logarithm_through_dst();
        mul_number(2, 0.5f);
        mov(1, 7);
        with_sign(1, 2);
        abs(6, 7);
        sub(3, 6, ONE);
        push();
        when_not_negative(3);
        when_not_zero(3);
        number(1, NAN_);
        otherwise();
        when_zero(3);
        number(4, INFINITE);
        with_sign(7, 4);
        mov(1, 7);
        pop();
        round_to_dst(1);
        store(1);
    });
}

// The start of both: f = |x| - k ln2 to register 3, k to 2, |x| to 6; x in register 0. Uses 1, 4.
ALWI void hyperbolic_begin()
{
    mul(1, 0, C12);
    abs(6, 0);
    TT_SFP_STOCH_RND(0, 0, 0, 1, 2, 2); // to the nearest integer, at most 255
    TT_SFPCAST(2, 1, 0);
    mad(3, 1, C13, 6);
    if constexpr (wide) {
        number(4, -1.42860677e-6f);
        mad(3, 1, 4, 3);
    }
}
constexpr float MINUS_LN2 = wide ? -0.693145752f : -LN2;
using hyperbolic_cosine_constants =
    constants<LOG2E, MINUS_LN2, wide ? 4.99999851e-1f : 0.500122011f>;
using hyperbolic_sine_constants =
    constants<LOG2E, MINUS_LN2, wide ? 1.666667163e-1f : 1.666259766e-1f>;

// q = e^|x| / 4: 2q + 1 / 8q.
ALWI void hyperbolic_cosine_tile(uint32_t dst, VectorMode mode)
{
    each_with<hyperbolic_cosine_constants>(dst, mode, [] {
        load(0);
        abs(0, 0);
        hyperbolic_begin();
        if constexpr (wide) {
            polynomial(4, 3, 5, 1.37805939e-3f, 8.37312452e-3f, 4.16695364e-2f, 1.66664720e-1f);
            mad(4, 4, 3, C14);
            iadd_number(2, 2, 125);
            mad(4, 4, 3, ONE);
        } else {
            polynomial(4, 3, 5, 0.038877178f, 0.168174848f);
            iadd_number(2, 2, 125);
            mad(4, 4, 3, C14);
            number(5, 0.999963462f);
            mad(4, 4, 3, 5);
        }
        number(5, INFINITE);
        mul(5, 6, 5);
        mad(4, 4, 3, ONE);
        push();
        TT_SFPIADD(uint32_t(-255) & 0xfff, 2, 1, 1); // else too large
        shift(2, 23);
        mul(5, 4, 2);
        pop();
        reciprocal_of_positive(5, 1, 2);
        add(3, 5, 5);
        mul_number(1, 0.125f);
        exponent(2, 5);
        push();
        TT_SFPIADD(uint32_t(-24) & 0xfff, 2, 2, 1);
        add(3, 3, 1);
        pop();
        round_to_dst(3);
        store(3);
    });
}
// q = (e^|x| - 1) / 4: 2q + 2q / (4q + 1).
ALWI void hyperbolic_sine_tile(uint32_t dst, VectorMode mode)
{
    each_with<hyperbolic_sine_constants>(dst, mode, [] {
        load(0);
        hyperbolic_begin();
        if constexpr (wide) {
            polynomial(4, 3, 5, 1.974105835e-4f, 1.393107930e-3f, 8.333439939e-3f, 4.166680202e-2f);
            mul(5, 3, 3);
            mad(4, 4, 3, C14);
            number(1, 4.999999702e-1f);
        } else {
            number(4, 8.361816406e-3f);
            number(5, 4.177856445e-2f);
            mad(4, 4, 3, 5);
            mul(5, 3, 3);
            mad(4, 4, 3, C14);
            number(1, 0.5f);
        }
        mad(4, 4, 3, 1);
        number(1, 0.25f);
        mad(4, 4, 5, 3);
        mov(5, 2);
        shift(5, 23);
        iadd(5, 1); // 2^k / 4
        sub(3, 5, 1);
        number(1, INFINITE);
        mul(1, 6, 1);
        push();
        TT_SFPIADD(uint32_t(-130) & 0xfff, 2, 2, 1); // else too large
        mad(1, 4, 5, 3);
        pop();
        number(2, 4.0f);
        mad(2, 2, 1, ONE);
        reciprocal_of_positive(2, 3, 4);
        mov(4, 0);
        exponent(5, 1);
        push();
        TT_SFPIADD(27, 5, 6, 9); // else it is x
        add(4, 1, 1);
        push();
        TT_SFPIADD(uint32_t(-23) & 0xfff, 5, 5, 1);
        mad(4, 4, 3, 4);
        pop();
        pop();
        with_sign(0, 4);
        round_to_dst(0);
        store(0);
    });
}

// x = k pi/2 + r in four steps; odd k: -1 / tan r.
using tangent_constants = constants<-0x1.51p-22f, -0x1.0b4612p-34f, 2.0f / PI>;
ALWI void tangent_tile_short(uint32_t dst, VectorMode mode)
{
    each_with<tangent_constants>(dst, mode, [] {
        load(0);
        number(1, 12582912.0f);
        mad(2, 0, C14, 1);
        mov(6, 2);
        sub(2, 2, 1);
        shift(6, 31);
        number(1, -1.5703125f);
        mad(0, 2, 1, 0);
        number(1, -0x1.fbp-12f);
        mad(0, 2, 1, 0);
        mad(0, 2, C12, 0);
        mad(0, 2, C13, 0);
        mul(3, 0, 0);
        polynomial(4, 3, 5, 0x1.4f1f4ep-4f, 0x1.02b98p-3f, 0x1.55953p-2f);
        mul(4, 4, 3);
        mad(0, 4, 0, 0);
        push();
        when_negative(6);
        TT_SFPARECIP(0, 0, 4, 0);
        nmad(5, 0, 4, ONE);
        TT_SFPMAD(4, 5, 4, 0, 3);
        pop();
        round_to_dst(0);
        store(0);
    });
}
// Of 1 / |x| from 1 on, and pi / 2 less it. With a 32-bit Dst 0 in place of 1 / |x| from 2^26 on.
ALWI void arc_tangent_long()
{
    abs(6, 0);
    mov(5, 6);
    TT_SFPEXEXP(0, 6, 7, 10); // and where it is not negative:
    iadd_number(5, 6, -1);
    mul(5, 5, ZERO); // NaN stays
    push();
    TT_SFPIADD(uint32_t(-26) & 0xfff, 7, 4, 1);
    reciprocal_of_positive(6, 5, 4);
    pop();
    end();
    mul(2, 5, 5);
    polynomial(3, 2, 4, 0x1.01cp-8f, -0x1.4bcp-6f, 0x1.93p-5f, -0x1.48cp-4f, 0x1.bd4p-4f,
               -0x1.24p-3f);
    mul(1, 2, 5);
    mad(3, 3, 2, C12);
    number(4, HALF_PI);
    mad(3, 3, 2, C13);
    mad(3, 3, 1, 5);
    when_not_negative(7);
    sub(3, 4, 3);
    end();
    with_sign(0, 3);
    store(0);
}
using arc_tangent_constants =
    std::conditional_t<wide, constants<0x1.999384p-3f, -0x1.555552p-2f>, reciprocal_constants>;
ALWI void arc_tangent_tile(uint32_t dst, VectorMode mode)
{
    each_with<arc_tangent_constants>(dst, mode, [] {
        if constexpr (wide) {
            load(0);
            arc_tangent_long();
            return;
        }
        load(0);
        abs(1, 0);
        mov(2, ZERO);
        TT_SFPEXEXP(0, 0, 3, 1); // biased
        TT_SFPEXMAN(0, 0, 4, 1); // without the hidden bit
        push();
        TT_SFPIADD(uint32_t(-255) & 0xfff, 3, 3, 5);
        when_zero(3);
        when_not_zero(4);
        number(2, NAN_);
        otherwise();
        sub(3, 1, ONE);
        push();
        when_not_negative(3);
        reciprocal<true>(1, 4, 5);
        pop();
        mul(4, 1, 1);
        polynomial(5, 4, 6, -4.4326744973659515380859375e-2f, 0.1555790007114410400390625f,
                   -0.325808584690093994140625f, 0.999787867069244384765625f);
        mul(5, 5, 1);
        push();
        when_not_negative(3);
        number(6, HALF_PI);
        sub(5, 6, 5);
        pop();
        mov(2, 0);
        with_sign(2, 5);
        pop();
        round_to_dst(2);
        store(2);
    });
}

// y, about 1 / cbrt |x|, from the bits of x; then a quadratic, and a step of Newton's method where Dst has 32 bits.
using cube_root_constants = constants<0x1.c09806p0f, -0x1.403e6cp0f, 0x1.04cdb2p-1f>;
ALWI void cube_root_tile(uint32_t dst, VectorMode mode)
{
    cube_root_constants::begin(dst);
    number(6, -0x1.555556p-10f);
    number(7, 1418472267.0f / 256.0f + 8388608.0f);
    each_face(mode, [] {
#pragma GCC unroll 2
        for (uint32_t i = 0; i < 8; i++) {
            load(0);
            abs(1, 0);
            TT_SFPCAST(1, 2, 0);
            mad(2, 2, 6, 7);
            nop(); // SFPSHFT does not wait for a product
            shift(2, 8);
            if constexpr (wide) {
                mul(3, 1, 2);
                mul(4, 2, 2);
                mul(3, 3, 4);
                mad(4, C14, 3, C13);
                mad(4, 3, 4, C12);
                mul(2, 2, 4);
            }
            mul(3, 2, 2);
            mul(3, 1, 3);
            if constexpr (wide) {
                msub(4, 3, 2, ONE);
                scale_by_two_to(5, 6, 8); // -1/3
                mad(5, 4, 5, ONE);
            } else {
                mul(4, 3, 2);
                mad(5, C14, 4, C13);
                mad(5, 4, 5, C12);
            }
            with_sign(0, 3);
            mul(5, 5, 5);
            mul(0, 0, 5);
            round_to_dst(0);
            store(0);
            step();
        }
    });
}

// x - 2x / (u^2 + 2u + 2) with u = e^x, below zero x u (u + 2) / (u^2 + 2u + 2); x from 8 on.
ALWI void mish_tile_short(uint32_t dst, VectorMode mode)
{
    each_with<reciprocal_constants>(dst, mode, [] {
        load(5);
        mov(6, 5);
        push();
        number(1, -8.0f);
        add(1, 5, 1);
        when_negative(1);
        number(1, LOG2E);
        number(2, 127.0f);
        mad(0, 5, 1, 2);
        two_to_the();
        round_to_dst(0);
        add(1, 0, ONE);
        mad(1, 1, 1, ONE);
        TT_SFPARECIP(0, 1, 2, 0);
        msub(3, 1, 2, C12);
        push();
        when_negative(3);
        minus_mul(2, 2, 3);
        pop();
        push();
        when_not_negative(5);
        nmad(3, C12, 2, ONE);
        mul(6, 5, 3);
        otherwise();
        mov(3, 0);
        add_number(3, 2.0f);
        mul(3, 0, 3);
        mul(3, 3, 2);
        mul(6, 5, 3);
        pop();
        pop();
        round_to_dst(6);
        store(6);
    });
}

// The integral part of register s >= 0, at most 2^31 - 1, to register d. Uses t, u.
ALWI void integral_part(uint32_t d, uint32_t s, uint32_t t, uint32_t u)
{
    exponent(t, s);
    push();
    when_negative(t);
    mov(d, ZERO);
    otherwise();
    push();
    TT_SFPIADD(uint32_t(-31) & 0xfff, t, u, 9); // from 2^31 on
    word(d, 0x7fffffff);
    otherwise();
    mantissa(d, s);
    iadd_number(t, t, -23);
    shift_by(d, t);
    pop();
    pop();
}
// The angle of (x, y), y in register 0, x in 1: r = arctangent of the smaller over the larger of |x| and |y|, pi / 2 - r where |y| is the larger, pi / 4 where
// they are equal, 0 where both are 0, pi less that where x is negative. Uses all.
ALWI void angle(uint32_t out)
{
    abs(2, 1);
    abs(3, 0);
    minimum(2, 3); // the larger in 3
    TT_SFPARECIP(0, 3, 4, 0);
    if constexpr (wide) {
        msub(5, 3, 4, C12);
        minus_mul(6, 4, 5);
        when_negative(5);
        msub(5, 3, 6, C12);
        minus_mul(4, 6, 5);
        end();
        mul(4, 2, 4);
        mul(5, 4, 4);
        polynomial(6, 5, 7, 0x1.01cp-8f, -0x1.4bcp-6f, 0x1.93p-5f, -0x1.48cp-4f, 0x1.bd4p-4f,
                   -0x1.24p-3f, 0x1.99938ap-3f, -0x1.555558p-2f);
    } else {
        mul(4, 2, 4);
        mul(5, 4, 4);
        polynomial(6, 5, 7, -0x1.de8p-5f, 0x1.668p-3f, -0x1.54p-2f);
    }
    number(7, HALF_PI);
    mul(6, 6, 5);
    abs(5, 1);
    mad(4, 6, 4, 4);
    TT_SFPIADD(0, 2, 5, 10); // where the smaller is not below |x|
    sub(4, 7, 4);
    mov(5, 3);
    TT_SFPIADD(0, 2, 5, 10);
    scale_by_two_to(4, 7, -1);
    when_zero(2);
    mov(4, ZERO);
    end();
    when_negative(1);
    scale_by_two_to(7, 7, 1);
    sub(4, 7, 4);
    end();
    number(5, INFINITE);
    round_to_dst(4);
    with_sign(0, 4);
    when_nan(3, 5);
    number(0, NAN_);
    end();
    store(0, out);
}
ALWI void angle_constants()
{
    constant(C12, bits(2.0f));
}
ALWI void init_angle()
{
    if constexpr (wide)
        init_held<angle_constants>();
    else
        init();
}
ALWI void angle_tile(uint32_t y, uint32_t x, uint32_t out, VectorMode mode)
{
    if constexpr (wide)
        begin_held<angle_constants>(0);
    else
        begin(0);
    each_vector(mode, [=] {
        load(0, y);
        load(1, x);
        angle(out);
    });
}

// Of 0: 0 for p > 0, NaN (in C14) for p < 0. |x| in register 2, p in 1.
ALWI void power_of_zero(uint32_t r)
{
    when_zero(2);
    when_not_zero(1);
    mov(r, ZERO);
    when_negative(1);
    mov(r, C14);
    end();
}
// x^p to register 6, x in register 0, p in 1, as 2^(p log2|x|): the steps of tt-metal's function for a 16-bit Dst. log2(e) in C12, -127 in C13, NaN in
// C14. Uses all, keeps 1.
ALWI void power_short()
{
    abs(2, 0);
    logarithm_parts(4, 2, 3, 5);
    mad(4, 4, C12, 5);
    mul(4, 1, 4);
    push();
    when_not_greater(4, C13);
    mov(4, C13);
    pop();
    scale_by_two_to(4, 4, 23);
    number(5, float(0x3f800000));
    add(4, 4, 5);
    integral_part(5, 4, 6, 7);
    exponent(6, 5);
    TT_SFPEXMAN(0, 5, 4, 1); // without the hidden bit
    number(5, 0.40196114e-7f);
    word(7, 0xf94ee7);
    iadd(7, 4);
    TT_SFPCAST(7, 7, 0);
    word(3, 0x560e);
    iadd(3, 4);
    TT_SFPCAST(3, 3, 0);
    mul(7, 5, 7);
    mul(7, 7, 3);
    integral_part(4, 7, 5, 3);
    iadd_number(6, 6, 127);
    TT_SFPSETEXP(0, 4, 6, 0);
    TT_SFP_STOCH_RND(0, 0, 0, 1, 3, 7);
    TT_SFPCAST(3, 4, 0);
    push();
    when_negative(0); // odd p: the sign of x; no integer: NaN
    shift(3, 31);
    with_sign(3, 6);
    mov(6, 3);
    push();
    sub(4, 4, 1);
    when_not_zero(4);
    mov(6, C14);
    pop();
    pop();
    power_of_zero(6);
    round_to_dst(6);
}
// 2^(a + b) to register 4 with a in 7, b in 6, whose sum a float would not hold: r = (a + b - k) ln2 in two parts, 2^k by the exponent. Uses 3 to 7.
ALWI void two_to_the_sum()
{
    add(3, 7, 6);
    number(5, -126.9f); // tt-metal has -126.99999: NaN where what the sum lost is below that
    sub(4, 3, 7);
    sub(4, 6, 4); // what the sum lost
    maximum(3, 5);
    number(5, 12582912.0f);
    add(6, 3, 5);
    sub(7, 6, 5); // k
    isub(5, 6);
    sub(7, 3, 7);
    number(6, -2.12194440e-4f);
    add(7, 7, 4);
    number(4, 0.693359375f);
    mul(6, 7, 6);
    mad(7, 7, 4, 6);
    polynomial(6, 7, 4, 1.0f / 5040, 1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f);
    mad(6, 6, 7, ONE);
    mad(6, 6, 7, ONE);
    TT_SFPEXEXP(0, 6, 4, 1); // biased
    iadd(4, 5);
    TT_SFPSETEXP(0, 6, 4, 0);
    number(5, -128.0f);
    add(5, 3, 5);
    when_not_negative(5);
    number(4, INFINITE);
    end();
}
// x^p to register 4, as power_short(), for 32 bits: log |x| by a series in (m - 1) / (m + 1), p times the exponent exact, in two parts of p. NaN in C14.
ALWI void power_long()
{
    abs(2, 0);
    set_exponent(3, 2, 127);
    exponent(4, 2);
    number(5, -1.4142135381698608f);
    add(5, 3, 5);
    when_not_negative(5);
    scale_by_two_to(3, 3, -1);
    iadd_number(4, 4, 1);
    end();
    add(5, 3, ONE);
    number(6, 1.003f);
    number(7, -0.244f);
    to_sign_magnitude(4, 4);
    mad(6, 7, 5, 6); // 1 / (m + 1)
    number(7, 2.0f);
#pragma GCC unroll 3
    for (uint32_t i = 0; i < 3; i++) {
        nmad(2, 5, 6, 7);
        mul(6, 6, 2);
    }
    msub(3, 3, 6, 6);
    TT_SFPCAST(4, 4, 0);
    mul(5, 3, 3);
    polynomial(6, 5, 7, 0.09090909090909091f, 0.1111111111111111f, 0.14285714285714285f, 0.2f,
               0.3333333333333333f);
    number(7, 4097.0f);
    mad(6, 6, 5, ONE);
    mul(5, 1, 7);
    mul(6, 3, 6);
    sub(7, 5, 1);
    add(6, 6, 6);
    sub(7, 5, 7); // the upper bits of p
    mul(6, 6, C12);
    sub(5, 1, 7);
    mul(6, 1, 6);
    mul(7, 7, 4);
    mad(6, 5, 4, 6);
    two_to_the_sum();
    push();
    when_negative(0); // odd p: the sign of x; no integer: NaN
    TT_SFP_STOCH_RND(0, 0, 0, 1, 3, 7);
    TT_SFPCAST(3, 5, 0);
    shift(3, 31);
    with_sign(3, 4);
    mov(4, 3);
    push();
    sub(5, 5, 1);
    when_not_zero(5);
    mov(4, C14);
    pop();
    pop();
    abs(2, 0);
    power_of_zero(4);
}
using power_constants = constants<wide ? LOG2E : 1.442695f, -127.0f, NAN_>;
ALWI void power_tile(uint32_t dst, uint32_t power, VectorMode mode)
{
    power_constants::begin(dst);
    word(1, power);
    each_vector(mode, [] {
        load(0);
        if constexpr (wide)
            power_long();
        else
            power_short();
        store(wide ? 4 : 6);
    });
}

} // namespace ckernel::vec

#endif
