// Functions of one tile of Dst, in place: f_tile_init(), then f_tile(dst[, parameters]).
//
// A parameter is the bit pattern of a 32-bit float unless its name says an integer. The template argument that
// asks for an approximation has an effect for exp, tanh, sigmoid, gelu, sqrt, log and recip, as the vendor's; it is
// accepted elsewhere.
#pragma once
#include "internal/sfpu_hyperbolic.h"

namespace ckernel {

enum class InputClamping : uint8_t { None, ClampToNegative };
enum class RoundingMode : uint8_t { None = 0, Trunc = 1, Floor = 2 };
enum class DstRoundingMode : uint8_t { Default = 0, NearestEven = 1 };

namespace metal {
// Which faces: an enumerator, or its number.
struct which {
    VectorMode mode = VectorMode::RC;
    constexpr which() = default;
    constexpr which(VectorMode from) : mode(from) {}
    constexpr which(int from) : mode(VectorMode(from)) {}
};
template <auto... flags> ALWI void refuse_on_pack()
{
    static_assert(sizeof...(flags) == ~0u,
                  "vector functions on the pack thread are not there: call "
                  "the function without `pack' (on the math thread)");
}
} // namespace metal

ALWI void ts_vector_init()
{
    MATH(vec::init());
}

// A row: the name, and what happens to register 0. With parameters: C12, C13 and C14 hold them.
#define TS_VECTOR_INIT(name) TS_VECTOR_INIT_BY(init, name)
#define TS_VECTOR_INIT_BY(function, name)                             \
    template <auto... flags> ALWI void name##_tile_init(auto...)      \
    {                                                                 \
        MATH(vec::function());                                        \
    }                                                                 \
    template <auto... flags> ALWI void name##_tile_init_pack(auto...) \
    {                                                                 \
        TS_ON_PACK(vec::function();)                                  \
    }
// Code for vectors, which the math thread runs, and the pack thread for names with `_pack`.
#define TS_VECTOR_CODE(vectors, dst, mode, ...) \
    vec::each<vectors>(                         \
        dst,                                    \
        [] {                                    \
            using namespace ckernel::vec;       \
            load(0);                            \
            __VA_ARGS__;                        \
            store(0);                           \
        },                                      \
        mode)
#define TS_VECTOR_CODE_TO(result, dst, mode, ...)     \
    (vec::begin(dst), vec::each_short(mode, [] {      \
         using namespace ckernel::vec;                \
         load(0);                                     \
         __VA_ARGS__;                                 \
         step(); /* while the result is on its way */ \
         store_at(result, -2);                        \
     }))
#ifdef TRISC_MATH
#define TS_ON_MATH(...)                           __VA_ARGS__
#define TS_VECTOR_RUN_OF(vectors, dst, mode, ...) TS_VECTOR_CODE(vectors, dst, mode, __VA_ARGS__)
#define TS_VECTOR_SET(c, value)                   vec::constant(vec::c, value)
#else
#define TS_ON_MATH(...)
#define TS_VECTOR_RUN_OF(vectors, dst, mode, ...) ((void)(dst), (void)(mode))
#define TS_VECTOR_SET(c, value)                   ((void)(value))
#endif
#define TS_VECTOR_RUN(dst, mode, ...) TS_VECTOR_RUN_OF(8, dst, mode, __VA_ARGS__)
#if TS_RULE_vector_blind
#define TS_ON_PACK(...) metal::refuse_on_pack<flags...>();
#elif defined(TRISC_PACK)
#define TS_ON_PACK(...) __VA_ARGS__
#else
#define TS_ON_PACK(...)
#endif
#define TS_VECTOR_ROW(name, parameters, ...) TS_VECTOR_ROW_BY(init, name, parameters, __VA_ARGS__)
#define TS_VECTOR_ROW_BY(start, name, parameters, ...)             \
    TS_VECTOR_INIT_BY(start, name)                                 \
    template <auto... flags> ALWI void name##_tile parameters      \
    {                                                              \
        TS_ON_MATH(__VA_ARGS__)                                    \
    }                                                              \
    template <auto... flags> ALWI void name##_tile_pack parameters \
    {                                                              \
        TS_ON_PACK(__VA_ARGS__)                                    \
    }
#define TS_VECTOR(name, ...)                                                                    \
    TS_VECTOR_ROW(name, ([[maybe_unused]] uint32_t dst, [[maybe_unused]] metal::which at = {}), \
                  TS_VECTOR_CODE(8, dst, at.mode, __VA_ARGS__);)
// A short one: the vectors of a face one after the other, without a loop; the result is in register `result`.
#define TS_VECTOR_TO(result, name, ...)                                                         \
    TS_VECTOR_ROW(name, ([[maybe_unused]] uint32_t dst, [[maybe_unused]] metal::which at = {}), \
                  TS_VECTOR_CODE_TO(result, dst, at.mode, __VA_ARGS__);)
// A function of a whole tile.
#define TS_VECTOR_TILE(start, name, function)                                                \
    TS_VECTOR_ROW_BY(start, name,                                                            \
                     ([[maybe_unused]] uint32_t dst, [[maybe_unused]] metal::which at = {}), \
                     vec::function(dst, at.mode);)
// A row of comparisons with zero.
#define TS_VECTOR_ZERO(name, comparison) \
    TS_VECTOR_TILE(init_own_moves, name, zero_tile<vec::Comparison::comparison>)
#define TS_VECTOR_1(name, ...)                                                  \
    TS_VECTOR_ROW(name,                                                         \
                  ([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t p0, \
                   [[maybe_unused]] metal::which at = {}),                      \
                  vec::constant(vec::C12, p0);                                  \
                  TS_VECTOR_CODE(8, dst, at.mode, __VA_ARGS__);)
#define TS_VECTOR_2(name, ...)                                                           \
    TS_VECTOR_ROW(name,                                                                  \
                  ([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t p0,          \
                   [[maybe_unused]] uint32_t p1, [[maybe_unused]] metal::which at = {}), \
                  vec::constant(vec::C12, p0);                                           \
                  vec::constant(vec::C13, p1); TS_VECTOR_CODE(8, dst, at.mode, __VA_ARGS__);)
#define TS_VECTOR_3(name, ...)                                                  \
    TS_VECTOR_ROW(name,                                                         \
                  ([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t p0, \
                   [[maybe_unused]] uint32_t p1, [[maybe_unused]] uint32_t p2,  \
                   [[maybe_unused]] metal::which at = {}),                      \
                  vec::constant(vec::C12, p0);                                  \
                  vec::constant(vec::C13, p1); vec::constant(vec::C14, p2);     \
                  TS_VECTOR_CODE(8, dst, at.mode, __VA_ARGS__);)

#if defined(TRISC_MATH) || defined(TRISC_PACK)
namespace vec {
// 1 or 0 by a condition that is set: the argument is replaced.
ALWI void truth_begin()
{
    mov(1, 0);
    mov(0, ZERO);
}
ALWI void truth_end()
{
    mov(0, ONE);
    end();
}
ALWI void is_zero(bool yes)
{
    abs(0, 0);
    truth_begin();
    if (yes)
        when_zero(1);
    else
        when_not_zero(1);
    truth_end();
}
enum class Comparison { EQUAL, NOT_EQUAL, LESS, GREATER, LESS_OR_EQUAL, GREATER_OR_EQUAL };
// What a comparison of NaN gives is false; what it begins with, if the opposite is looked for, true.
template <Comparison comparison>
constexpr bool looks_for_opposite = comparison == Comparison::NOT_EQUAL ||
                                    comparison == Comparison::LESS_OR_EQUAL ||
                                    comparison == Comparison::GREATER_OR_EQUAL;
// 1 where x compares with zero so, else 0: the steps of tt-metal's function. One is stored before the other.
template <Comparison comparison> ALWI void zero_tile(uint32_t dst, VectorMode mode)
{
    constexpr bool opposite = looks_for_opposite<comparison>;
    constexpr uint32_t before = opposite ? ONE : ZERO, then = opposite ? ZERO : ONE;
    constexpr bool equal = comparison == Comparison::EQUAL || comparison == Comparison::NOT_EQUAL;
    constexpr bool negative = comparison == Comparison::LESS ||
                              comparison == Comparison::GREATER_OR_EQUAL;
    begin(dst);
    if constexpr (!equal)
        word(5, 0x7f800000);
    each_short(mode, [] {
        load(0);
        abs(2, 0);
        store(before);
        if constexpr (equal) {
            when_zero(2);
        } else {
            if constexpr (negative)
                when_negative(0);
            else
                when_not_negative(0);
            when_not_zero(2);
            if constexpr (!opposite)
                when_not_nan(2, 5);
        }
        if constexpr (opposite && !equal) {
            store(ZERO);
            end();
            when_nan(2, 5);
        }
        store_on(then);
        end();
    });
}
// Compares register 0 with register 2.
ALWI void is_equal(bool yes)
{
    sub(0, 0, 2);
    is_zero(yes);
}
ALWI void is_greater() // 0 > 2
{
    sub(0, 0, 2);
    truth_begin();
    when_greater(1, ZERO);
    truth_end();
}
ALWI void is_less()
{
    sub(0, 0, 2);
    neg(0, 0);
    truth_begin();
    when_greater(1, ZERO);
    truth_end();
}
ALWI void invert_truth()
{
    sub(0, ONE, 0);
}
ALWI void relu()
{
    when_negative(0);
    mov(0, ZERO);
    end();
}
// Bits without the sign against those of infinity: 0 finite, 1 infinite, 2 NaN count as `kind`.
ALWI void classify(bool infinite, bool nan)
{
    word(2, 0x7f800000);
    abs(1, 0);
    mov(3, 2);
    isub(1, 2); // infinity - |x|: zero for infinity, negative for NaN
    mov(0, ZERO);
    if (infinite) {
        when_zero(1);
        mov(0, ONE);
        end();
    }
    if (nan) {
        when_negative(1);
        mov(0, ONE);
        end();
    }
}
ALWI void is_this_infinity(uint32_t pattern)
{
    word(1, pattern);
    bit_xor(1, 0);
    mov(0, ZERO);
    when_zero(1);
    mov(0, ONE);
    end();
}
// Keep x outside [-limit, limit] (C12), zero inside; soft: moved towards zero by the limit.
ALWI void shrink(bool soft)
{
    mov(1, C12);
    abs(2, 0);
    mov(3, 0);
    mov(4, ZERO);
    when_greater(2, 1, 5);
    if (soft) {
        sub(2, 2, 1);
        with_sign(3, 2);
    }
    mov(4, 3);
    end();
    mov(0, 4);
}
ALWI void clamp_parameters() // to C12 .. C13
{
    mov(1, C12);
    clamp_below(0, 1);
    mov(1, C13);
    clamp_above(0, 1);
}
// alpha (e^(x / beta) - 1) below zero, x above; alpha and 1 / beta in constants.
ALWI void exponential_linear(uint32_t alpha, uint32_t beta = ONE)
{
    if (beta != ONE)
        mul(6, 0, beta);
    exponential_minus_one_above(beta != ONE ? 6 : 0);
    mul(4, 4, alpha);
    push();
    when_negative(0);
    mov(0, 4);
    pop();
}
ALWI void bessel_0() // e^|x| times a polynomial in 3.75 / |x|, or one in (x / 3.75)^2
{
    mov(7, 0);
    abs(0, 0);
    mov(6, 0);
    exponential();
    mov(5, 6);
    reciprocal(5, 2, 3);
    times(5, 3.75f, 1);
    polynomial(3, 5, 4, 0.00392377f, -0.01647633f, 0.02635537f, -0.02057706f, 0.00916281f,
               -0.00157565f, 0.00225319f, 0.01328592f, 0.39894228f);
    mul(0, 0, 3);
    inverse_root(6, 1, 2, 3);
    mul(0, 0, 1);
    number(1, 3.75f);
    when_greater(1, 6, 2);
    times(7, 1.0f / 3.75f, 2);
    mul(2, 7, 7);
    polynomial(0, 2, 4, 0.0045813f, 0.0360768f, 0.2659732f, 1.2067492f, 3.0899424f, 3.5156229f,
               1.0f);
    end();
}
ALWI void bessel_1()
{
    mov(7, 0);
    abs(0, 0);
    mov(6, 0);
    exponential();
    mov(5, 6);
    reciprocal(5, 2, 3);
    times(5, 3.75f, 1);
    polynomial(3, 5, 4, -0.00420059f, 0.01787654f, -0.02895312f, 0.02282967f, -0.01031555f,
               0.00163801f, -0.00362018f, -0.03988024f, 0.39894228f);
    mul(0, 0, 3);
    inverse_root(6, 1, 2, 3);
    mul(0, 0, 1);
    number(1, 3.75f);
    mov(5, 7);
    when_greater(1, 6, 2);
    times(5, 1.0f / 3.75f, 2);
    mul(2, 5, 5);
    polynomial(0, 2, 4, 0.00032411f, 0.00301532f, 0.02658733f, 0.15084934f, 0.51498869f,
               0.87890594f, 0.5f);
    mul(0, 0, 6);
    end();
    with_sign(7, 0);
    mov(0, 7);
}
// Giles: by w = -log((1 - x)(1 + x)).
ALWI void inverse_error_function()
{
    mov(7, 0);
    nmad(0, 0, 0, ONE);
    logarithm_limits();
    neg(0, 0);
    mov(6, 0);
    number(1, 5.0f);
    when_greater(1, 6, 2);
    number(2, -2.5f);
    add(2, 6, 2);
    polynomial(5, 2, 4, 2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f,
               0.00021858087f, -0.00125372503f, -0.00417768164f, 0.246640727f, 1.50140941f);
    end();
    square_root(); // of w
    when_not_greater(1, 6, 2);
    end();
    number(1, 5.0f);
    when_not_greater(1, 6, 2);
    number(2, -3.0f);
    add(2, 0, 2);
    polynomial(5, 2, 4, -0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f,
               0.00573950773f, -0.0076224613f, 0.00943887047f, 1.00167406f, 2.83297682f);
    end();
    mul(0, 5, 7);
    abs(1, 7);
    sub(1, 1, ONE);
    when_zero(1);
    number(0, INFINITE);
    with_sign(7, 0);
    mov(0, 7);
    end();
    abs(1, 7);
    when_greater(1, ONE, 2);
    number(0, NAN_);
    end();
}
// Register 0 modulo register 6, whose reciprocal is in 1. A quotient that was rounded across an integer
// leaves a remainder that is as large as the divisor, or has the wrong sign.
ALWI void modulo(bool floored)
{
    mov(7, 0);
    mul(0, 0, 1);
    if (floored)
        round_down();
    else
        truncate();
    nmad(0, 0, 6, 7);
    mov(7, floored ? 6u : 7u); // the remainder has its sign
    abs(6, 6);
    abs(1, 0);
    when_not_greater(6, 1, 2);
    mov(2, 0);
    with_sign(2, 6);
    sub(0, 0, 2);
    end();
    mul(1, 0, 7);
    abs(2, 0);
    when_negative(1);
    when_not_zero(2);
    mov(2, 7);
    with_sign(2, 6);
    add(0, 0, 2);
    end();
}
} // namespace vec
#endif

// clang-format off
TS_VECTOR(abs, vec::abs(0, 0))
TS_VECTOR_TO(0, negative, neg(0, 0))
TS_VECTOR_TO(0, square, mul(0, 0, 0))
TS_VECTOR(identity, nop())
TS_VECTOR(erf, error_function())
TS_VECTOR(erfc, complementary_error_function())
TS_VECTOR(erfinv, inverse_error_function())
TS_VECTOR(i0, bessel_0())
TS_VECTOR(i1, bessel_1())
TS_VECTOR(digamma, digamma_function())
TS_VECTOR_TO(1, floor, rounded_down())
TS_VECTOR_TO(1, ceil, rounded_up())
TS_VECTOR_TO(1, trunc, truncated())
TS_VECTOR_TO(0, frac, truncated(); sub(0, 0, 1))
TS_VECTOR(sign, mov(1, 0); vec::abs(2, 0); mov(0, ONE); with_sign(1, 0); mov(0, 1); when_zero(2); mov(0, ZERO); end())
TS_VECTOR(relu, vec::relu())
TS_VECTOR(softsign, vec::abs(1, 0); add(1, 1, ONE); reciprocal(1, 2, 3); mul(0, 0, 1))
TS_VECTOR(tanhshrink, mov(6, 0); hyperbolic_tangent(); sub(0, 6, 0))
TS_VECTOR(tanh_derivative, hyperbolic_tangent(); nmad(0, 0, 0, ONE))
TS_VECTOR(gelu_tanh, mov(6, 0); mul(1, 0, 0); number(2, 0.035677408f); number(3, 0.79788456f); mad(1, 1, 2, 3); mul(0, 0, 1); hyperbolic_tangent(); mad(0, 0, 6, 6); number(1, 0.5f); mul(0, 0, 1); round_to_dst(0))
TS_VECTOR(hardmish, number(1, 2.8f); add(1, 0, 1); number(2, 0.2f); mul(1, 1, 2); clamp_above(1, ONE); when_negative(1); mov(1, ZERO); end(); mul(0, 0, 1))
TS_VECTOR(logical_not, is_zero(true))
TS_VECTOR(logical_not_unary, is_zero(true))
#if TS_RULE_vector_blind
TS_VECTOR(signbit, truth_begin(); when_negative(1); truth_end())
TS_VECTOR(hardsigmoid, number(1, 1.0f / 6); number(2, 0.5f); mad(0, 0, 1, 2); vec::relu(); number(1, 1.0f); clamp_above(0, 1))
#else
TS_VECTOR_TILE(init_sign_bit, signbit, sign_bit_tile)
TS_VECTOR_TILE(hard_sigmoid_constants::init, hardsigmoid, hard_sigmoid_tile)
#endif
TS_VECTOR_ZERO(eqz, EQUAL)
TS_VECTOR_ZERO(nez, NOT_EQUAL)
TS_VECTOR_ZERO(gtz, GREATER)
TS_VECTOR_ZERO(ltz, LESS)
TS_VECTOR_ZERO(gez, GREATER_OR_EQUAL)
TS_VECTOR_ZERO(lez, LESS_OR_EQUAL)
TS_VECTOR(isinf, classify(true, false))
TS_VECTOR(isnan, classify(false, true))
TS_VECTOR(isfinite, classify(true, true); invert_truth())
TS_VECTOR(isposinf, is_this_infinity(0x7f800000))
TS_VECTOR(isneginf, is_this_infinity(0xff800000))
TS_VECTOR_1(log_with_base, logarithm_limits(); mul(0, 0, C12))
#if TS_RULE_vector_blind
TS_VECTOR_1(power, mov(7, C12); power_of())
#else
TS_VECTOR_ROW_BY(power_constants::init, power, ([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t p0, [[maybe_unused]] metal::which at = {}), vec::power_tile(dst, p0, at.mode);)
#endif
TS_VECTOR_1(power_iterative, mov(7, C12); to_float(7, 7); power_of())
TS_VECTOR_1(rpow, mov(7, 0); mov(0, C12); power_of())
TS_VECTOR_1(elu, exponential_linear(C12); round_to_dst(0))
TS_VECTOR_1(leaky_relu, when_negative(0); mul(0, 0, C12); end())
TS_VECTOR_1(prelu, when_negative(0); mul(0, 0, C12); end())
TS_VECTOR_1(relu_max, mov(1, C12); clamp_above(0, 1); vec::relu())
TS_VECTOR_1(relu_min, mov(1, C12); clamp_below(0, 1))
TS_VECTOR_1(heaviside, vec::abs(2, 0); mov(1, ONE); when_negative(0); mov(1, ZERO); end(); when_zero(2); mov(1, C12); end(); mov(0, 1))
TS_VECTOR_1(hardshrink, shrink(false))
TS_VECTOR_1(softshrink, shrink(true))
TS_VECTOR_1(add_unary, add(0, 0, C12))
TS_VECTOR_1(sub_unary, sub(0, 0, C12))
TS_VECTOR_1(mul_unary, mul(0, 0, C12))
TS_VECTOR_1(div_unary, mul(0, 0, C12)) // the host passes the reciprocal
TS_VECTOR_1(rsub_unary, mov(1, C12); sub(0, 1, 0))
TS_VECTOR_1(rsub, mov(1, C12); sub(0, 1, 0))
TS_VECTOR_1(unary_max, mov(1, C12); clamp_below(0, 1))
TS_VECTOR_1(unary_min, mov(1, C12); clamp_above(0, 1))
TS_VECTOR_1(unary_eq, mov(2, C12); is_equal(true))
TS_VECTOR_1(unary_ne, mov(2, C12); is_equal(false))
TS_VECTOR_1(unary_gt, mov(2, C12); is_greater())
TS_VECTOR_1(unary_lt, mov(2, C12); is_less())
TS_VECTOR_1(unary_ge, mov(2, C12); is_less(); invert_truth())
TS_VECTOR_1(unary_le, mov(2, C12); is_greater(); invert_truth())
TS_VECTOR_2(clamp, clamp_parameters())
TS_VECTOR_2(hardtanh, clamp_parameters())
TS_VECTOR_2(threshold, mov(1, C12); mov(2, C13); when_not_greater(0, 1); mov(0, 2); end())
TS_VECTOR_2(selu, exponential_linear(C13); mul(0, 0, C12); round_to_dst(0))
TS_VECTOR_2(celu, exponential_linear(C12, C13); round_to_dst(0))
TS_VECTOR_2(softcap, mul(0, 0, C13); hyperbolic_tangent(); mul(0, 0, C12))
TS_VECTOR_2(fmod, mov(6, C12); mov(1, C13); modulo(false))
TS_VECTOR_2(remainder, mov(6, C12); mov(1, C13); modulo(true))
TS_VECTOR_3(softplus, mov(7, 0); mul(0, 0, C12); soft_plus(); mul(0, 0, C13); mul(1, 7, C12); mov(2, C14); when_greater(1, 2, 3); mov(0, 7); end())
// clang-format on

// e^x. Flags as in both of tt-metal's trees: approximate first; to the init a number that all
// approximate calls multiply x by, until the next init; to the tile's function an int, the vectors that
// VectorMode::None stands for. `scale` is the upper half of a float.
namespace metal {
constexpr uint32_t ONE_BITS = 0x3f800000;
#if TS_RULE_vector_blind
inline uint32_t exponential_scale = ONE_BITS; // of approximate calls, until the next init
#endif
template <typename T, typename U> constexpr bool same = __is_same(const T, const U);
// The flag of one of two types, if it is there.
template <typename T, typename U, auto... flags> constexpr uint32_t flag_of(uint32_t found)
{
    ((same<decltype(flags), T> || same<decltype(flags), U> ? (void)(found = uint32_t(flags))
                                                           : (void)0),
     ...);
    return found;
}
template <auto... flags>
constexpr bool clamped =
    flag_of<InputClamping, InputClamping, flags...>(uint32_t(InputClamping::ClampToNegative));
} // namespace metal
template <auto approximate = false, auto... flags> ALWI void exp_tile_init()
{
    constexpr uint32_t scale = metal::flag_of<unsigned int, unsigned long, flags...>(
        metal::flag_of<int, long, flags...>(metal::ONE_BITS));
#if TS_RULE_vector_blind
    if constexpr (approximate)
        MATH(vec::init());
    else
        MATH(vec::init_own());
    metal::exponential_scale = approximate ? scale : metal::ONE_BITS;
#else
    if constexpr (approximate)
        MATH((vec::exponential_init_approximate<scale, metal::clamped<flags...>>()));
    else
        MATH(vec::init_held<vec::exponential_constants>());
#endif
}
template <auto approximate = false, auto... flags>
ALWI void exp_tile([[maybe_unused]] uint32_t dst, metal::which at = {}, uint16_t scale = 0x3f80)
{
    constexpr uint32_t vectors = metal::flag_of<int, long, flags...>(8);
    uint32_t times = uint32_t(scale) << 16;
#if TS_RULE_vector_blind
    if (approximate && times == metal::ONE_BITS)
        times = metal::exponential_scale;
#endif
    if (times != metal::ONE_BITS) {
        TS_VECTOR_SET(C12, times);
        TS_VECTOR_RUN_OF(vectors, dst, at.mode, mul(0, 0, C12); exponential_of(bool(approximate)));
#if TS_RULE_vector_blind
    } else {
        TS_VECTOR_RUN_OF(vectors, dst, at.mode, exponential_of(bool(approximate)); round_to_dst(0));
    }
#else
    } else if constexpr (approximate) {
        MATH((vec::exponential_tile_approximate<vectors, metal::clamped<flags...>>(dst, at.mode)));
    } else {
        MATH(vec::exponential_tile<vectors>(dst, at.mode));
    }
#endif
}
template <auto... flags> ALWI void exp_tile_init_pack(auto...)
{
    metal::refuse_on_pack<flags...>();
}
// On the pack thread.
#if TS_RULE_vector_blind
template <auto... flags> ALWI void exp_packthread_tile_init()
{
    metal::refuse_on_pack<flags...>();
}
template <auto... flags> ALWI void exp_packthread_tile(auto...)
{
    metal::refuse_on_pack<flags...>();
}
#else
template <bool approximate = false, uint32_t scale = metal::ONE_BITS, auto... flags>
ALWI void exp_packthread_tile_init()
{
    if constexpr (approximate)
        PACK((vec::exponential_init_approximate<scale, metal::clamped<flags...>>()));
    else
        PACK(vec::init_held<vec::exponential_constants>());
}
template <bool approximate = false, bool scaled = false,
          InputClamping clamping = InputClamping::ClampToNegative, uint32_t vectors = 8>
ALWI void exp_packthread_tile([[maybe_unused]] uint32_t dst, [[maybe_unused]] metal::which at = {},
                              [[maybe_unused]] uint16_t scale = 0x3f80)
{
    static_assert(!scaled, "exp on the pack thread: its scale is given to the init");
#ifdef TRISC_PACK
    if constexpr (approximate)
        vec::exponential_tile_approximate<vectors, metal::clamped<clamping>>(dst, at.mode);
    else
        vec::exponential_tile<vectors>(dst, at.mode);
#endif
}
#endif

// Functions with a choice: a row has the name, the default, the function for `true` and the one for `false`; then
// how many of them are for a 32-bit Dst too, and what happens to register 0 there otherwise.
#if TS_RULE_vector_blind // one for all
#define TS_VECTOR_CHOICE(start, name, preferred, chosen, other, wide, ...)                      \
    TS_VECTOR_INIT_BY(init_own, name)                                                           \
    template <auto choice = preferred, auto... flags>                                           \
    ALWI void name##_tile([[maybe_unused]] uint32_t dst, [[maybe_unused]] metal::which at = {}) \
    {                                                                                           \
        TS_VECTOR_RUN(dst, at.mode, __VA_ARGS__; round_to_dst(0));                              \
    }
#else
#define TS_VECTOR_CHOICE(start, name, preferred, chosen, other, wide, ...)                      \
    TS_VECTOR_INIT_BY(start, name)                                                              \
    template <auto choice = preferred, auto... flags>                                           \
    ALWI void name##_tile([[maybe_unused]] uint32_t dst, [[maybe_unused]] metal::which at = {}) \
    {                                                                                           \
        TS_ON_MATH(TS_VECTOR_CHOSEN(chosen, other, wide, __VA_ARGS__))                          \
    }                                                                                           \
    template <auto choice = preferred, auto... flags>                                           \
    ALWI void name##_tile_pack([[maybe_unused]] uint32_t dst,                                   \
                               [[maybe_unused]] metal::which at = {})                           \
    {                                                                                           \
        TS_ON_PACK(TS_VECTOR_CHOSEN(chosen, other, wide, __VA_ARGS__))                          \
    }
#define TS_VECTOR_CHOSEN(chosen, other, wide, ...)         \
    if constexpr (choice && (wide > 0 || !DST_ACCUM_MODE)) \
        vec::chosen(dst, at.mode);                         \
    else if constexpr (DST_ACCUM_MODE && wide < 2)         \
        TS_VECTOR_CODE(8, dst, at.mode, __VA_ARGS__);      \
    else                                                   \
        vec::other(dst, at.mode);
#endif
// clang-format off
TS_VECTOR_CHOICE(hyperbolic_tangent_constants::init, tanh, false, hyperbolic_tangent_tile_approximate, hyperbolic_tangent_tile, 1, hyperbolic_tangent())
TS_VECTOR_CHOICE(init_own, gelu, true, gelu_tile_approximate, gelu_tile_short, 1, vec::gelu())
TS_VECTOR_CHOICE(root_constants::init, sqrt, false, square_root_tile<true>, square_root_tile<false>, 2, square_root())
TS_VECTOR_CHOICE(sine_constants::init, sin, false, sine_tile<false>, sine_tile<false>, 2, sine())
TS_VECTOR_CHOICE(cosine_constants::init, cos, false, sine_tile<true>, sine_tile<true>, 2, cosine())
TS_VECTOR_CHOICE(root_constants::init, rsqrt, false, inverse_square_root_tile, inverse_square_root_tile, 2, inverse_square_root())
TS_VECTOR_CHOICE(logarithm_constants::init, log1p, false, logarithm_of_one_plus_tile, logarithm_of_one_plus_tile, 2, logarithm_of_one_plus())
TS_VECTOR_CHOICE(logarithm_constants::init, log, false, logarithm_tile<true>, logarithm_tile<false>, 2, logarithm_limits())
TS_VECTOR_CHOICE(init_own, recip, true, reciprocal_tile_by_steps, reciprocal_tile_short, 0, reciprocal(0, 1, 2))
TS_VECTOR_CHOICE(init_own, exp2, false, power_of_two_tile, power_of_two_tile, 0, power_of_two())
TS_VECTOR_CHOICE(tangent_constants::init, tan, false, tangent_tile_short, tangent_tile_short, 0, tangent())
TS_VECTOR_CHOICE(arc_tangent_constants::init, atan, false, arc_tangent_tile, arc_tangent_tile, 2, arc_tangent())
TS_VECTOR_CHOICE(reciprocal_constants::init, mish, false, mish_tile_short, mish_tile_short, 0, vec::mish())
TS_VECTOR_CHOICE(hyperbolic_cosine_constants::init, cosh, false, hyperbolic_cosine_tile, hyperbolic_cosine_tile, 2, hyperbolic_cosine())
TS_VECTOR_CHOICE(logarithm_constants::init, acosh, false, area_cosine_tile, area_cosine_tile, 2, area_hyperbolic_cosine())
TS_VECTOR_CHOICE(hyperbolic_sine_constants::init, sinh, false, hyperbolic_sine_tile, hyperbolic_sine_tile, 2, hyperbolic_sine())
TS_VECTOR_CHOICE(logarithm_constants::init, asinh, false, area_sine_tile, area_sine_tile, 2, area_hyperbolic_sine())
TS_VECTOR_CHOICE(logarithm_constants::init, atanh, false, area_tangent_tile, area_tangent_tile, 2, area_hyperbolic_tangent())
TS_VECTOR_CHOICE(cube_root_constants::init, cbrt, false, cube_root_tile, cube_root_tile, 2, cube_root())
TS_VECTOR_CHOICE(reciprocal_constants::init, silu, false, sigmoid_tile_short<true>, sigmoid_tile_short<true>, 0, vec::silu())
TS_VECTOR_CHOICE(init_arcs, asin, false, arc_tile<false>, arc_tile<false>, 2, arc_sine_or_cosine(false))
TS_VECTOR_CHOICE(init_arcs, acos, false, arc_tile<true>, arc_tile<true>, 2, arc_sine_or_cosine(true))
// clang-format on
#if TS_RULE_vector_blind
TS_VECTOR_INIT_BY(init_own, expm1)
template <auto... flags> ALWI void expm1_tile([[maybe_unused]] uint32_t dst, metal::which at = {})
{
    TS_VECTOR_SET(C12, __builtin_bit_cast(uint32_t, 1.442695f));
    TS_VECTOR_SET(C13, __builtin_bit_cast(uint32_t, -0.693145752f));
    TS_VECTOR_SET(C14, __builtin_bit_cast(uint32_t, 1.666667163e-1f));
    TS_VECTOR_RUN(dst, at.mode, minus_one_kept(); exponential_minus_one(); mov(0, 3);
                  round_to_dst(0));
}
#else
TS_VECTOR_INIT_BY(minus_one_constants::init, expm1)
template <auto... flags> ALWI void expm1_tile([[maybe_unused]] uint32_t dst, metal::which at = {})
{
    MATH((vec::exponential_minus_one_tile(dst, at.mode)));
}
#endif
TS_VECTOR_INIT(sigmoid)
#define TS_VECTOR_SIGMOID                                \
    if constexpr (approximate)                           \
        vec::sigmoid_tile_approximate(dst, at.mode);     \
    else if constexpr (DST_ACCUM_MODE)                   \
        TS_VECTOR_CODE(8, dst, at.mode, vec::sigmoid()); \
    else                                                 \
        vec::sigmoid_tile_short<false>(dst, at.mode);
template <auto mode = VectorMode::RC, auto approximate = false, auto... flags>
ALWI void sigmoid_tile([[maybe_unused]] uint32_t dst, [[maybe_unused]] metal::which at = mode)
{
#if TS_RULE_vector_blind
    TS_VECTOR_RUN(dst, at.mode, vec::sigmoid(); round_to_dst(0));
#else
    TS_ON_MATH(TS_VECTOR_SIGMOID)
#endif
}
template <auto mode = VectorMode::RC, auto approximate = false, auto... flags>
ALWI void sigmoid_tile_pack([[maybe_unused]] uint32_t dst,
                            [[maybe_unused]] metal::which at = mode){TS_ON_PACK(TS_VECTOR_SIGMOID)}

// 1 / x times a value.
TS_VECTOR_INIT(rdiv) template <RoundingMode rounding = RoundingMode::None>
ALWI void rdiv_tile(uint32_t dst, uint32_t value, metal::which at = {})
{
    TS_VECTOR_SET(C12, value);
    TS_VECTOR_RUN(dst, at.mode, reciprocal(0, 1, 2); mul(0, 0, C12);
                  if constexpr (rounding == RoundingMode::Trunc) truncate();
                  else if constexpr (rounding == RoundingMode::Floor) round_down());
}

// To `decimals` digits behind the point.
TS_VECTOR_INIT(round)
inline void round_tile([[maybe_unused]] uint32_t dst, [[maybe_unused]] int32_t decimals)
{
    float up = 1.0f;
    for (int32_t i = 0; i < decimals; i++)
        up *= 10.0f;
    for (int32_t i = 0; i > decimals; i--)
        up *= 0.1f;
    TS_VECTOR_SET(C12, __builtin_bit_cast(uint32_t, up));
    TS_VECTOR_SET(C13, __builtin_bit_cast(uint32_t, 1.0f / up));
    TS_VECTOR_RUN(dst, VectorMode::RC, mul(0, 0, C12); round_nearest(); mul(0, 0, C13));
}
// Inits that several functions share.
ALWI void rounding_op_tile_init()
{
    ts_vector_init();
}
ALWI void binop_with_scalar_tile_init()
{
    ts_vector_init();
}

// --- constants ---

ALWI void fill_tile_init()
{
    ts_vector_init();
}
#ifdef TRISC_MATH
namespace vec {
// In so many bits as `format` has.
template <uint32_t format = metal::vector_format()>
ALWI void fill_with(uint32_t dst, uint32_t value, VectorMode mode = VectorMode::RC)
{
    begin(dst);
    word(0, value);
    each_short(mode, [] {
        store(0, 0, format);
        step();
    });
}
} // namespace vec
#endif
ALWI void fill_tile_bitcast([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t value)
{
    MATH(vec::fill_with(dst, value));
}
ALWI void fill_tile(uint32_t dst, float value)
{
    fill_tile_bitcast(dst, __builtin_bit_cast(uint32_t, value));
}
template <DataFormat format = DataFormat::Int32>
ALWI void fill_tile_int([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t value)
{
    MATH((vec::fill_with < format == DataFormat::UInt16 ? vec::UINT16 : vec::INT32 > (dst, value)));
}

} // namespace ckernel
