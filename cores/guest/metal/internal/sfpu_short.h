// Functions of a tile as they are used most: exponentials, tanh, sigmoid, GELU, logarithm, root, reciprocal,
// for a 16-bit Dst, and the approximations that kernels ask for with a template argument.
//
// They take the instructions that the vendor's library takes, so that their cycles are the same (README.md has
// the table), and round their results to what Dst holds. Coefficients are minimax fits for the ranges named
// here (Lawson's algorithm). Functions for a 32-bit Dst are in sfpu_math.h.
//
// 2^t with t = i + f by its bits (Moroz et al., "Simple Multiple Precision Algorithms for Exponential Functions",
// 2022; Schraudolph, "A Fast, Compact Approximation of the Exponential Function", 1999); the root from its
// bits by a quadratic and a step of Newton's method.
#pragma once
#include "internal/sfpu_rational.h"

#if (defined(TRISC_MATH) || defined(TRISC_PACK)) && !TS_RULE_vector_blind

namespace ckernel::vec {

// 2^f for 0 <= f < 1, f counted in 2^-23: P0 + f (P1 + f P2), within 0.18 %, and between 1 and 2.
constexpr float P0 = 1.0017248f, P1 = 7.839635491371155e-08f, P2 = 4.791750143340323e-15f;

// The integral and the fractional part of register `t`, 0 <= t < 256: to `i` (in the exponent's place, the
// fraction below it) and to `f` (counted in 2^-23).
ALWI void split(uint32_t i, uint32_t f, uint32_t t)
{
    exponent(f, t);
    mantissa(i, t);
    shift_by(i, f);
    TT_SFPEXMAN(0, i, f, 1); // without the hidden bit
}

// --- exponentials ---

// e^x; 0 from x = -88 down, infinity or nearly from 88.7 up.
ALWI void exponential_constants()
{
    init(); // tt-metal's function of its own does it again
    if constexpr (!wide) {
        set_moves();
        constant(C13, bits(P2));
    }
    constant(C12, bits(wide ? 2.0f : LOG2E));
}
template <uint32_t vectors> ALWI void exponential_tile(uint32_t dst, VectorMode mode)
{
    if constexpr (wide) {
        begin(dst);
        exponential_kept();
        each_vector<vectors>(mode, [] {
            load(0);
            exponential_long(0, true);
            store(3);
        });
        return;
    }
    begin_held<exponential_constants>(dst);
    number(5, 127.0f);
    number(6, P1);
    number(7, 1.001953125f); // P0
    replay_each<16, 1, vectors>(mode, [] {
        load(0);
        mad(3, 0, C12, 5);
        number(1, 255.0f); // SFPSWAP does not wait for what a product writes
        minimum(3, 1);
        split(0, 1, 3);
        TT_SFPCAST(1, 1, 0);
        mad(2, 1, C13, 6);
        TT_SFPGT(0, ZERO, 3, 8); // a mask
        mad(1, 2, 1, 7);
        bit_and(0, 3);
        TT_SFPSETEXP(0, 1, 0, 2);
        round_to_dst(0);
        store_on(0);
    });
}

// Approximate, within 4 %: the bits of e^x are nearly a line, 2^8 / ln2 x + 127 * 2^8 - 14.46, as an integral
// number 15 bits up. Two macros: one moves x up to at least -88.5 / scale, the other computes.
constexpr float EXP_LINE = 127 * 256 - 14.46f;
inline uint32_t exp_slope = bits(256 * LOG2E), exp_limit = bits(-88.5f);
ALWI void exponential_macros()
{
    init();
    word(0, TT_OP_SFPSWAP(0, 0, C14, 1));
    TTI_SFPCONFIG(0, 0, 0);
    nop();
    TTI_SFPMAD(C12, 0, C13, 13, 0);
    TTI_SFP_STOCH_RND(0, 0, 0, 0, 14, 14);
    TTI_SFPSHFT(15, 0, 15, 1);
    set_macro<1, follow(4, 0), 0, 0, follow(3, 2)>();
    set_macro<0, follow(7, 3, true, true), follow(5, 0, false, true), follow(6, 2),
              follow(3, 4, true)>();
    TTI_SFPCONFIG(0x30, 8, 1); // stores have their loads' formats
    constant(C12, exp_slope);
    constant(C13, bits(EXP_LINE));
    constant(C14, exp_limit);
}
// Without a limit: below -88.5 / scale the sign of the rounded number says that it is wrong; from 0.72 / scale on it stays. SFPSHFT2 of each vector comes
// two vectors later.
ALWI void exponential_shift(uint32_t i)
{
    TT_SFPSHFT2(i % 4, C14, 4, 5);
}
ALWI void exponential_macro_free()
{
    init();
    constant(C12, exp_slope);
    constant(C13, bits(EXP_LINE));
    constant(C14, 15);
    TTI_SFPMAD(C12, 0, C13, 13, 0);
    TTI_SFP_STOCH_RND(0, 0, 0, 0, 14, 7);
    TTI_SFPSETSGN(0, 4, 15, 0);
    set_macro<0, follow(7, 5, true, true), follow(5, 0, false, true), follow(6, 3),
              follow(3, 6, true)>();
    TTI_SFPCONFIG(0xf10, 8, 1);
    TTI_REPLAY(0, 16, 0, 1);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < 8; i++) {
        load_macro(0, i % 4, MOVES, 0);
        exponential_shift(i + 2);
    }
}
template <uint32_t scale, bool clamped> inline void exponential_init_approximate()
{
    constexpr float factor = __builtin_bit_cast(float, scale);
    static_assert(factor > 0, "approximate exponentials are only possible with a positive scale");
    exp_slope = bits(256 * LOG2E * factor);
    exp_limit = bits(-88.5f / factor);
    init_held<clamped ? exponential_macros : exponential_macro_free>();
}
template <uint32_t vectors, bool clamped>
ALWI void exponential_tile_approximate(uint32_t dst, VectorMode mode)
{
    begin_held<clamped ? exponential_macros : exponential_macro_free>(dst);
    if constexpr (!clamped)
        set_moves();
    each_face<vectors>(mode, [] {
        if constexpr (clamped) {
#pragma GCC unroll 8
            for (uint32_t i = 0; i < 8; i++) {
                if (i)
                    nop(); // SFPSWAP takes two cycles
                load_macro(1, i % 4, MODE, 2 * i);
            }
#pragma GCC unroll 8
            for (uint32_t i = 0; i < 8; i++)
                load_macro(0, i % 4, MODE, 2 * i);
            nop();
            step(4);
            step(4);
        } else {
            TTI_REPLAY(0, 16, 0, 0);
#pragma GCC unroll 2
            for (uint32_t i = 2; i < 4; i++) {
                nop();
                exponential_shift(i);
            }
            nop();
            nop();
        }
    });
}

// --- tanh, sigmoid, GELU ---

// |x| times a polynomial of degree 5, at most 1: within 0.1 % to |x| = 3.2, 0.4 % beyond. Two vectors at a time.
using hyperbolic_tangent_constants =
    constants<__builtin_bit_cast(float, 0x3bc14dea), __builtin_bit_cast(float, 0xbd88c839),
              __builtin_bit_cast(float, 0x3e907e5d)>;
ALWI void hyperbolic_tangent_tile(uint32_t dst, VectorMode mode)
{
    hyperbolic_tangent_constants::begin(dst);
    word(1, 0x3f7fbe78);
    each_face(mode, [] {
#pragma GCC unroll 4
        for (uint32_t i = 0; i < 8; i += 2) {
            load_at(4, 0);
            load_at(3, 2);
            abs(6, 4);
            abs(5, 3);
            mad(2, C12, 6, C13);
            mad(0, C12, 5, C13);
            mad(2, 2, 6, C14);
            mad(0, 0, 5, C14);
            word(7, 0xbefa881a);
            mad(2, 2, 6, 7);
            mad(0, 0, 5, 7);
            word(7, 0x3cfdbbd6);
            mad(2, 2, 6, 7);
            mad(0, 0, 5, 7);
            mad(2, 2, 6, 1);
            mad(0, 0, 5, 1);
            mul(2, 2, 6);
            mul(0, 0, 5);
            minimum(2, ONE);
            with_sign(4, 2);
            minimum(0, ONE);
            with_sign(3, 0);
            round_to_dst(4);
            round_to_dst(3);
            store_at(4, 0);
            store_at(3, 2);
            step(2);
        }
    });
}
// Lines for |x| below 1, below 2 and from 2 on: 0.84 |x|, 0.195 |x| + 0.594, 1; the sign of x.
ALWI void hyperbolic_tangent_tile_approximate(uint32_t dst, VectorMode mode)
{
    begin(dst);
    word(0, 0x1bff);
    word(1, 0x3913);
    word(2, 0xff00);
    replay_each<8, 2>(mode, [] {
        for (uint32_t i = 0; i < 2; i++) {
            load(3);
            TT_SFPLUT(3, 4, 0);
            store(3);
            step();
        }
    });
}
// 2^(t - 127), t in register 0 at least 0 and at most 255. Uses 1 to 4.
ALWI void two_to_the()
{
    number(1, 255.0f);
    maximum(0, ZERO);
    minimum(0, 1);
    split(2, 1, 0);
    TT_SFPEXEXP(0, 2, 0, 1); // biased
    TT_SFPCAST(1, 1, 0);
    number(3, P2);
    number(4, P1);
    mad(3, 1, 3, 4);
    number(4, P0);
    mad(3, 1, 3, 4);
    TT_SFPSETEXP(0, 3, 0, 0);
}
ALWI void power_of_two_tile(uint32_t dst, VectorMode mode)
{
    each(
        dst,
        [] {
            load(0);
            add_number(0, 127.0f);
            two_to_the();
            round_to_dst(0);
            store(0);
        },
        mode);
}
// 1 / (1 + 2^t), t = -x log2(e); times x.
using reciprocal_constants = constants<2.0f>;
template <bool times_x> ALWI void sigmoid_tile_short(uint32_t dst, VectorMode mode)
{
    reciprocal_constants::begin(dst);
    each_face(mode, [] {
#pragma GCC unroll 0
        for (uint32_t i = 0; i < 8; i++) {
            load(5);
            neg(0, 5);
            number(1, LOG2E);
            number(2, 127.0f);
            mad(0, 0, 1, 2);
            two_to_the();
            add(0, 0, ONE);
            TT_SFPARECIP(0, 0, 1, 0);
            msub(2, 0, 1, C12);
            push();
            when_negative(2); // else NaN
            minus_mul(1, 1, 2);
            pop();
            if constexpr (times_x)
                mul(1, 5, 1);
            round_to_dst(1);
            store(1);
            step();
        }
    });
}
// e^x - 1 = 2^k (e^r - 1) + 2^k - 1, x = k ln2 + r, halved until the end.
using minus_one_constants = constants<wide ? 1.442695f : LOG2E, wide ? -0.693145752f : -LN2,
                                      wide ? 1.666667163e-1f : 1.666259766e-1f>;
ALWI void exponential_minus_one_tile(uint32_t dst, VectorMode mode)
{
    minus_one_constants::begin(dst);
    if constexpr (wide)
        minus_one_kept();
    each_face(mode, [] {
#pragma GCC unroll 0
        for (uint32_t i = 0; i < 8; i++) {
            load(0);
            if constexpr (wide) {
                exponential_minus_one();
                store(3);
                step();
                continue;
            }
            number(1, 12582912.0f);
            mad(2, C12, 0, 1);
            number(3, 8.361816406e-3f);
            mov(4, 2);
            sub(2, 2, 1); // k
            number(5, 4.177856445e-2f);
            mad(6, 2, C13, 0); // r
            mad(3, 3, 6, 5);
            mul(5, 6, 6);
            mad(3, 3, 6, C14);
            number(1, 0.5f);
            mad(3, 3, 6, 1);
            number(7, INFINITE);
            mad(3, 3, 5, 6); // e^r - 1
            push();
            when_not_zero(2);
            add_number(2, -2.0f);
            shift(4, 23);
            iadd(4, 1); // 2^(k - 1)
            abs(5, 2);
            sub(6, 4, 1);
            TT_SFP_STOCH_RND(0, 0, 0, 5, 5, 3);
            mad(3, 4, 3, 6);
            push();
            TT_SFPIADD(uint32_t(-127) & 0xfff, 5, 5, 9); // |k - 2| from 127 on: -1 or infinity
            mul(3, 2, 7);
            push();
            when_negative(2);
            number(3, -0.5f);
            pop();
            pop();
            mul_number(3, 2.0f);
            pop();
            round_to_dst(3);
            store(3);
            step();
        }
    });
}
using root_constants = constants<__builtin_bit_cast(float, 0x5f1110a0), 2.2825186f, 2.2533049f>;
// Beyond 5/8 asin |x| = pi / 2 - 2 asin sqrt((1 - |x|) / 2); NaN outside -1 to 1. The root by two steps of Newton's method.
ALWI void init_arcs()
{
    if constexpr (wide)
        root_constants::init();
    else
        init();
}
template <bool cosine> ALWI void arc_tile(uint32_t dst, VectorMode mode)
{
    if constexpr (wide)
        root_constants::begin(dst);
    else
        begin(dst);
    each_vector(mode, [] {
        load(0);
        if constexpr (wide) {
            arc_sine_or_cosine(cosine);
            store(0);
            return;
        }
        number(7, NAN_);
        abs(6, 0);
        push();
        sub(4, 6, ONE); // at most 1: not more than 0
        when_not_negative(4);
        when_not_zero(4);
        otherwise();
        number(5, -0.625f);
        add(5, 6, 5);
        sub(1, ONE, 6);
        mul_number(1, 0.5f);
        mov(2, 1);
        push();
        when_not_zero(1);
        number(3, -0.5f);
        mul(3, 1, 3);
        TT_SFPSHFT(0xfff, 1, 4, 5); // half of the bits
        word(2, 0x5f370000);
        isub(4, 2);
        for (uint32_t n = 0; n < 2; n++) {
            mul(2, 4, 4);
            mul(2, 2, 3);
            add_number(2, 1.5f);
            mul(4, 2, 4);
        }
        mul(2, 4, 1);
        pop();
        push();
        when_negative(5);
        mov(2, 6);
        pop();
        mul(1, 2, 2);
        polynomial(3, 1, 4, 0.083148844540119171142578125f, 0.06381262838840484619140625f,
                   0.16771225631237030029296875f, 0.999978601932525634765625f);
        mul(2, 2, 3);
        push();
        when_not_negative(5);
        number(3, HALF_PI);
        number(4, -2.0f);
        mad(2, 2, 4, 3);
        pop();
        with_sign(0, 2);
        if constexpr (cosine) {
            number(3, HALF_PI);
            sub(7, 3, 0);
        } else {
            mov(7, 0);
        }
        pop();
        round_to_dst(7);
        store(7);
    });
}
// Less 1/2, lines as for tanh: 0.242 |x|, 0.148 |x| + 0.09, 1/2.
ALWI void sigmoid_tile_approximate(uint32_t dst, VectorMode mode)
{
    begin(dst);
    word(0, 0x3fff);
    word(1, 0x3347);
    word(2, 0xff10);
    replay_each<5>(mode, [] {
        load(3);
        TT_SFPLUT(3, 4, 0);
        add_number(3, 0.5f);
        store(3);
        step();
    });
}
ALWI void gelu_tile_short(uint32_t dst, VectorMode mode)
{
    each(
        dst,
        [] {
            load(0);
            gelu();
            round_to_dst(0);
            store(0);
        },
        mode);
}
// x / 2 plus lines for |x| in halves to 2, to 3 and beyond, as FP16: slopes in 0 to 2, the rest in 4 to 6.
ALWI void gelu_lines()
{
    constant(C12, bits(0.5f));
    word(0, 0x37e930a9);
    word(4, 0xb1297c00); // 7c00: none
    word(1, 0x38e138f4);
    word(5, 0xb438b47c);
    word(2, 0x38003852);
    word(6, 0x7c00af96);
}
ALWI void gelu_tile_approximate(uint32_t dst, VectorMode mode)
{
    begin_held<gelu_lines>(dst);
    replay_each<5>(mode, [] {
        load(3);
        TT_SFPLUTFP32(7, 2);
        mad(3, 3, C12, 7);
        store(3);
        step();
    });
}

// --- root, logarithm, reciprocal ---

// y, about 1 / sqrt(x), from the bits of x; y (A + u (B + u)) with u = -x y^2 has 15 bits; then Newton's method for
// x y. Zero and infinity come out right, infinity because the last step is left out; below zero NaN, unless `fast`.
template <bool fast, bool inverse = false> ALWI void square_root_tile(uint32_t dst, VectorMode mode)
{
    root_constants::begin(dst);
    each_face(mode, [] {
#pragma GCC unroll 2
        for (uint32_t i = 0; i < 8; i++) {
            load(2);
            TT_SFPSHFT(0xfff, 2, 0, 5); // half of the bits
            isub(0, C12);
            mul(1, 2, 0);
            TT_SFPMUL(0, 1, ZERO, 1, 1); // u
            number(3, INFINITE);
            add(4, C14, 1);
            mad(1, 1, 4, C13);
            mul(0, 0, 1);
            mul(1, 2, 0);
            nmad(4, 0, 1, ONE);
            if constexpr (inverse) {
                scale_by_two_to(5, 0, -1);
                TT_SFPIADD(0, 2, 3, 6); // infinity - x: the result at both ends
                when_not_zero(3);
                when_not_zero(2);
                mad(0, 4, 5, 0);
                otherwise();
                mov(0, 3);
                end();
            } else {
                mov(5, 1);
                mul_number(5, 0.5f);
                TT_SFPIADD(0, 2, 3, 2); // where x is less than infinity
                mad(0, 4, 5, 1);
                end();
            }
            if constexpr (!fast) {
                when_negative(2);
                number(0, NAN_);
                end();
            }
            round_to_dst(0);
            store(0);
            step();
        }
    });
}

ALWI void inverse_square_root_tile(uint32_t dst, VectorMode mode)
{
    square_root_tile<false, true>(dst, mode);
}

// log(1 + f) = f + f^2 P(f) for f between -1/4 and 1/2, P(f) = L2 + f (L3 - f / 4) within 0.04 %, of degree 8 for a 32-bit Dst. L2 and L3 there, the
// highest coefficients first and the last one: to register 5, uses t.
constexpr float LOG_L3 = wide ? -0x1.00001ap-2f : 0x1.744p-2f;
constexpr float LOG_L2 = wide ? 0x1.555572p-2f : -0x1.008p-1f;
using logarithm_constants = constants<LN2 / 8388608, LOG_L3, LOG_L2>;
ALWI void logarithm_begin(uint32_t f, uint32_t t)
{
    if constexpr (!wide) {
        number(5, -0.25f);
        return;
    }
    polynomial(5, f, t, -0x1.92cp-5f, 0x1.b84p-4f, -0x1.0c4p-3f, 0x1.274p-3f, -0x1.55p-3f,
               0x1.998p-3f);
}
ALWI void logarithm_end(uint32_t f, uint32_t t)
{
    if constexpr (wide) {
        number(t, -0.5f);
        mad(5, 5, f, t);
    }
}
// x = 2^k (1 + f) by the bits of x. -infinity at 0, NaN below; `fast`: NaN at -0 and denormals too.
template <bool fast> ALWI void logarithm_tile(uint32_t dst, VectorMode mode)
{
    logarithm_constants::begin(dst);
    each_face(mode, [] {
#pragma GCC unroll 2
        for (uint32_t i = 0; i < 8; i++) {
            load(0);
            if constexpr (!fast)
                add(0, 0, ZERO); // -0 and denormals become 0
            number(1, 0.75f);
            isub(1, 0);
            TT_SFPSETMAN(0, 1, 1, 1); // k, counted in 2^-23
            TT_SFPCAST(1, 3, 3);
            isub(1, 0);
            sub(2, 1, ONE); // f
            logarithm_begin(2, 6);
            mul(4, 2, 2);
            TT_SFPCAST(3, 3, 0);
            mad(5, 5, 2, C13);
            scale_by_two_to(1, 0, -1); // 0 becomes infinity, infinity stays
            mad(5, 5, 2, C14);
            logarithm_end(2, 6);
            TT_SFPEXEXP(0, 1, 6, 1);
            mad(5, 5, 4, 2);
            mad(2, 3, C12, 5);
            TT_SFPIADD(uint32_t(-255) & 0xfff, 6, 6, 9); // where it is infinity
            mul(2, 2, 1);
            end();
            when_negative(0);
            number(2, NAN_);
            end();
            round_to_dst(2);
            store(2);
            step();
        }
    });
}

// log(1 + x): 1 + x = 2^k (1 + f) as above, f = 2^-k x + 2^-k - 1, so that nothing of a small x is lost. From register 0 to 2, uses 1 to 6.
ALWI void logarithm_of_one_plus_body()
{
    add(6, 0, ONE);
    number(2, NAN_);
    push();
    when_not_negative(6);
    number(1, 0.75f);
    isub(1, 6);
    TT_SFPSETMAN(0, 1, 1, 1); // k, counted in 2^-23
    mov(3, 1);
    isub(3, 0); // 2^-k x
    number(5, -4.0f);
    mov(4, 1);
    isub(4, 5);
    number(5, -0.25f);
    msub(4, 4, 5, ONE);
    to_float(1, 1);
    add(3, 3, 4); // f
    if constexpr (wide)
        logarithm_begin(3, 0);
    mad(5, 5, 3, C13);
    mul(4, 3, 3);
    mad(5, 5, 3, C14);
    logarithm_end(3, 0);
    mad(2, 5, 4, 3);
    number(5, INFINITE);
    mad(2, 1, C12, 2);
    TT_SFPIADD(0, 6, 5, 10); // where 1 + x is infinity or NaN
    mov(2, 6);
    pop();
}
ALWI void logarithm_of_one_plus_tile(uint32_t dst, VectorMode mode)
{
    logarithm_constants::begin(dst);
    each_face(mode, [] {
#pragma GCC unroll 2
        for (uint32_t i = 0; i < 8; i++) {
            load(0);
            logarithm_of_one_plus_body();
            round_to_dst(2);
            store(2);
            step();
        }
    });
}

// sin x = (-1)^k sin(x - k pi), pi in four parts; cos x by odd multiples of pi / 2. On half a period
// sin a = a + a^3 (S0 + a^2 (S1 + a^2 S2)).
using sine_constants = constants<-0x1.51p-21f, -0x1.0b4612p-33f, 1.0f / PI>;
using cosine_constants = constants<-0x1.51p-22f, -0x1.0b4612p-34f, 1.0f / PI>;
template <bool of_cosine> ALWI void sine_tile(uint32_t dst, VectorMode mode)
{
    if constexpr (of_cosine)
        cosine_constants::begin(dst);
    else
        sine_constants::begin(dst);
    number(5, wide ? -0x1.9f70fp-13f : -0x1.8b10a4p-13f);
    number(6, wide ? 0x1.110edap-7f : 0x1.10c2a2p-7f);
    number(7, wide ? -0x1.55554cp-3f : -0x1.5554a4p-3f);
    each_face(mode, [] {
#pragma GCC unroll 0
        for (uint32_t i = 0; i < 8; i++) {
            load(0);
            number(2, of_cosine ? 0.5f : 12582912.0f);
            mad(1, 0, C14, 2);
            if constexpr (of_cosine) {
                add_number(1, 12582912.0f);
                mov(2, 1);
                add_number(2, -12582912.0f);
                number(3, 2.0f);
                msub(2, 2, 3, ONE);
            } else {
                sub(2, 1, 2);
            }
            number(3, of_cosine ? -1.5703125f : -3.140625f);
            mad(0, 2, 3, 0);
            number(3, of_cosine ? -0x1.fbp-12f : -0x1.fbp-11f);
            mad(0, 2, 3, 0);
            mad(0, 2, C12, 0);
            mad(0, 2, C13, 0);
            shift(1, 31); // odd k
            mul(3, 0, 0);
            bit_xor(0, 1);
            if constexpr (wide) {
                number(4, 0x1.5dc908p-19f);
                mad(4, 4, 3, 5);
                mad(4, 4, 3, 6);
            } else {
                mad(4, 5, 3, 6);
            }
            mul(1, 0, 3);
            mad(4, 4, 3, 7);
            mad(0, 4, 1, 0);
            round_to_dst(0);
            store(0);
            step();
        }
    });
}

// Where the hardware's approximation is not used: 1 / m for m = |x| with the exponent of 1/2, by three steps of Newton's
// method from 4/3, then the exponent. Infinity at 0.
ALWI void reciprocal_tile_by_steps(uint32_t dst, VectorMode mode)
{
    each(
        dst,
        [] {
            load(2);
            TT_SFPSETSGN(1, 2, 1, 1);
            set_exponent(1, 1, 126); // -m
            word(0, bits(4.0f / 3));
#pragma GCC unroll 3
            for (uint32_t i = 0; i < 3; i++) {
                mul(3, 1, 0);
                if (i == 1)
                    exponent(4, 2);
                if (i == 2)
                    abs(5, 2);
                add_number(3, 2.0f);
                mul(0, 0, 3);
            }
            exponent(3, 0);
            isub(4, 3);
            TT_SFPIADD(126, 4, 1, 1); // where that is negative:
            mov(0, ZERO);
            mov(1, ZERO);
            end();
            TT_SFPSETEXP(0, 0, 1, 0);
            when_zero(5);
            number(1, INFINITE);
            end();
            with_sign(2, 1);
            round_to_dst(2);
            store(2);
        },
        mode);
}
// By the hardware's approximation y and one step of Newton's method, y + y (1 - x y). At 0 and infinity the bracket is
// NaN, which becomes 1: the larger in total order. Two vectors at a time.
ALWI void reciprocal_tile_short(uint32_t dst, VectorMode mode)
{
    begin(dst);
    replay_each<15, 2>(mode, [] {
        load_at(0, 0);
        load_at(1, 2);
        TT_SFPARECIP(0, 0, 2, 0);
        TT_SFPARECIP(0, 1, 3, 0);
        nmad(0, 0, 2, ONE);
        nmad(1, 1, 3, ONE);
        minimum(0, ONE);
        minimum(1, ONE);
        mad(0, 0, 2, 2);
        mad(1, 1, 3, 3);
        round_to_dst(0);
        round_to_dst(1);
        store_at(0, 0);
        store_at(1, 2);
        step(2);
    });
}

// --- by load macros ---

// 1 where the sign is set, else 0.
ALWI void sign_bit_macro()
{
    set_moves();
    math::reset_counters(p_setrwc::SET_ABD_F);
    TTI_SFPSHFT2(-31 & 0xfff, 0, 12, 6);
    TTI_SFPCAST(0, 13, 0);
    set_macro<0, follow(5, 1, true), 0, follow(4, 0, false, true), follow(3, 2, true)>();
    set_macros(1);
}
ALWI void init_sign_bit()
{
    init_held<sign_bit_macro>();
}
ALWI void sign_bit_tile(uint32_t dst, VectorMode mode)
{
    begin_held<sign_bit_macro>(dst);
    each_face(mode, [] {
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 8; i++)
            load_macro(0, i % 2, MOVES, 0);
        nop();
        nop();
        nop();
    });
}
// The larger, or the smaller, of two tiles: one macro exchanges, the other stores.
template <bool larger> ALWI void extreme_macros()
{
    set_moves();
    TTI_SFPSWAP(0, 2, 12, larger ? 9 : 1);
    TTI_SFPSHFT2(0, 0, 13, 6);
    set_macro<0, follow(4, 1, false, true), 0, follow(5, 3, true, true), 0>();
    set_macro<1, 0, 0, 0, follow(3, 2, true)>();
    set_macros(3);
}
template <bool larger> ALWI void init_extreme()
{
    init_held<extreme_macros<larger>>();
}
template <bool larger> ALWI void extreme_tile(uint32_t a, uint32_t b, uint32_t out, VectorMode mode)
{
    begin_held<extreme_macros<larger>>(0);
    each_face(mode, [=] {
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 8; i++) {
            load_macro(0, i % 2, MODE, a * ROWS_PER_TILE);
            load(2, b);
            load_macro(1, 3, MOVES, out * ROWS_PER_TILE);
        }
        nop();
        nop();
        nop();
    });
}

// x / 6 + 1/2 between 0 and 1.
using hard_sigmoid_constants = constants<0.1666666716337204f, 0.5f>;
ALWI void hard_sigmoid_tile(uint32_t dst, VectorMode mode)
{
    hard_sigmoid_constants::begin(dst);
    each_short(mode, [] {
        load(0);
        mad(0, 0, C12, C13);
        mov(1, 0);
        add_number(1, -1.0f);
        when_not_negative(1);
        when_not_zero(1);
        mov(0, ONE);
        end();
        when_negative(0);
        mov(0, ZERO);
        end();
        store(0);
        step();
    });
}

} // namespace ckernel::vec

#endif
