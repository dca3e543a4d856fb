// Functions of several tiles of Dst: f_tile(a, b, out).
#pragma once
#include "internal/sfpu_unary.h"

namespace ckernel {

// A row: the name, and how registers 0 (a) and 1 (b) become register 0.
#ifdef TRISC_MATH
#define TS_VECTOR_TWO_RUN(a, b, out, mode, ...) \
    vec::each(                                  \
        0,                                      \
        [a_ = (a), b_ = (b), out_ = (out)] {    \
            using namespace ckernel::vec;       \
            load(0, a_);                        \
            load(1, b_);                        \
            __VA_ARGS__;                        \
            store(0, out_);                     \
        },                                      \
        mode)
// A short one: the vectors of a face one after the other, without a loop.
#define TS_VECTOR_TWO_SHORT_RUN(a, b, out, mode, ...)                          \
    (vec::begin(0), vec::each_short(mode, [a_ = (a), b_ = (b), out_ = (out)] { \
         using namespace ckernel::vec;                                         \
         load(0, a_);                                                          \
         load(1, b_);                                                          \
         __VA_ARGS__;                                                          \
         step(); /* while the result is on its way */                          \
         store_at(0, int32_t(out_ *ROWS_PER_TILE) - 2);                        \
     }))
#else
#define TS_VECTOR_TWO_RUN(a, b, out, mode, ...) ((void)(a), (void)(b), (void)(out), (void)(mode))
#define TS_VECTOR_TWO_SHORT_RUN(a, b, out, mode, ...) \
    ((void)(a), (void)(b), (void)(out), (void)(mode))
#endif
#define TS_VECTOR_TWO_OF(init, run, name, ...)                                        \
    TS_VECTOR_INIT_BY(init, name)                                                     \
    template <auto... flags>                                                          \
    ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t out, metal::which at = {}) \
    {                                                                                 \
        run(a, b, out, at.mode, __VA_ARGS__);                                         \
    }                                                                                 \
    template <auto... flags> ALWI void name##_tile(uint32_t a, uint32_t b)            \
    {                                                                                 \
        run(a, b, a, VectorMode::RC, __VA_ARGS__);                                    \
    }
#define TS_VECTOR_TWO(name, ...) TS_VECTOR_TWO_OF(init, TS_VECTOR_TWO_RUN, name, __VA_ARGS__)
#define TS_VECTOR_TWO_SHORT(name, ...) \
    TS_VECTOR_TWO_OF(init, TS_VECTOR_TWO_SHORT_RUN, name, __VA_ARGS__)
#ifdef TRISC_MATH
#define TS_VECTOR_TWO_COMPARED(a, b, out, mode, comparison) \
    vec::compared_tile<vec::Comparison::comparison>(a, b, out, mode)
#define TS_VECTOR_TWO_ANGLE(a, b, out, mode, ...)      vec::angle_tile(a, b, out, mode)
#define TS_VECTOR_TWO_EXTREME(a, b, out, mode, larger) vec::extreme_tile<larger>(a, b, out, mode)
namespace vec {
// 1 where a compares with b so, else 0: the steps of tt-metal's function. |a| + |b| is 0 for two zeros, which are equal whatever
// their signs, and above infinity if one of them is a NaN.
template <Comparison comparison>
ALWI void compared_tile(uint32_t a, uint32_t b, uint32_t out, VectorMode mode)
{
    constexpr bool opposite = looks_for_opposite<comparison>;
    constexpr uint32_t before = opposite ? ONE : ZERO, then = opposite ? ZERO : ONE;
    constexpr bool equal = comparison == Comparison::EQUAL || comparison == Comparison::NOT_EQUAL;
    constexpr bool turned = comparison == Comparison::GREATER ||
                            comparison == Comparison::GREATER_OR_EQUAL;
    const uint32_t left = turned ? b : a, right = turned ? a : b;
    begin(0);
    word(5, 0x7f800000);
    each_short(mode, [=] {
        load(0, left);
        load(1, right);
        store(before, out);
        abs(2, 0);
        abs(3, 1);
        add(4, 2, 3);
        if constexpr (equal) {
            when_not_greater(1, 0);
            when_not_greater(0, 1);
            when_not_nan(4, 5);
        } else {
            if constexpr (opposite)
                when_greater(0, 1);
            else
                when_greater(1, 0);
            when_not_zero(4);
            if constexpr (!opposite)
                when_not_nan(4, 5);
        }
        if constexpr (equal || opposite) {
            store(then, out);
            end();
            if constexpr (equal)
                when_zero(4);
            else
                when_nan(4, 5);
        }
        store_on(then, out);
        end();
    });
}
} // namespace vec
#else
#define TS_VECTOR_TWO_COMPARED(a, b, out, mode, comparison) \
    ((void)(a), (void)(b), (void)(out), (void)(mode))
#define TS_VECTOR_TWO_EXTREME(...) TS_VECTOR_TWO_COMPARED(__VA_ARGS__)
#define TS_VECTOR_TWO_ANGLE(...)   TS_VECTOR_TWO_COMPARED(__VA_ARGS__)
#endif

// clang-format off
TS_VECTOR_TWO_SHORT(add_binary, add(0, 0, 1))
TS_VECTOR_TWO_SHORT(sub_binary, sub(0, 0, 1))
TS_VECTOR_TWO_SHORT(rsub_binary, sub(0, 1, 0))
TS_VECTOR_TWO_SHORT(mul_binary, mul(0, 0, 1))
TS_VECTOR_TWO(div_binary, mov(4, 0); reciprocal(1, 2, 3); mul(0, 4, 1))
TS_VECTOR_TWO(xlogy_binary, mov(7, 0); mov(0, 1); logarithm_limits(); mul(0, 0, 7); vec::abs(1, 7); when_zero(1); mov(0, ZERO); end())
#if TS_RULE_vector_blind
TS_VECTOR_TWO(binary_max, when_greater(1, 0); mov(0, 1); end())
TS_VECTOR_TWO(binary_min, when_greater(0, 1); mov(0, 1); end())
#else
TS_VECTOR_TWO_OF(init_extreme<true>, TS_VECTOR_TWO_EXTREME, binary_max, true)
TS_VECTOR_TWO_OF(init_extreme<false>, TS_VECTOR_TWO_EXTREME, binary_min, false)
#endif
TS_VECTOR_TWO_OF(init_moves, TS_VECTOR_TWO_COMPARED, eq_binary, EQUAL)
TS_VECTOR_TWO_OF(init_moves, TS_VECTOR_TWO_COMPARED, ne_binary, NOT_EQUAL)
TS_VECTOR_TWO_OF(init_moves, TS_VECTOR_TWO_COMPARED, gt_binary, GREATER)
TS_VECTOR_TWO_OF(init_moves, TS_VECTOR_TWO_COMPARED, lt_binary, LESS)
TS_VECTOR_TWO_OF(init_moves, TS_VECTOR_TWO_COMPARED, ge_binary, GREATER_OR_EQUAL)
TS_VECTOR_TWO_OF(init_moves, TS_VECTOR_TWO_COMPARED, le_binary, LESS_OR_EQUAL)
TS_VECTOR_TWO(fmod_binary, mov(6, 1); reciprocal(1, 2, 3); modulo(false))
TS_VECTOR_TWO(remainder_binary, mov(6, 1); reciprocal(1, 2, 3); modulo(true))
#if TS_RULE_vector_blind
TS_VECTOR_TWO(atan2_binary, mov(7, 1); mov(4, 0); reciprocal(1, 2, 3); mul(0, 4, 1); arc_tangent(); load(1, a_); when_zero(1); mov(0, ZERO); end(); when_negative(7); number(2, 2 * HALF_PI); with_sign(1, 2); add(0, 0, 1); end(); round_to_dst(0))
#else
TS_VECTOR_TWO_OF(init_angle, TS_VECTOR_TWO_ANGLE, atan2_binary, )
#endif
TS_VECTOR_TWO(logsigmoid, nop(); neg(0, 0); soft_plus(); neg(0, 0))
TS_VECTOR_TWO(max, when_greater(1, 0); mov(0, 1); end())
// clang-format on

TS_VECTOR_INIT(power_binary)
#if !TS_RULE_vector_blind
// For a 16-bit Dst.
ALWI void power_binary_tile_short(uint32_t a, uint32_t b, uint32_t out, metal::which at = {})
{
    TS_VECTOR_SET(C12, __builtin_bit_cast(uint32_t, 1.442695f));
    TS_VECTOR_SET(C13, __builtin_bit_cast(uint32_t, -127.0f));
    TS_VECTOR_SET(C14, __builtin_bit_cast(uint32_t, __builtin_nanf("")));
    TS_VECTOR_TWO_RUN(a, b, out, at.mode, power_short(); mov(0, 6));
}
#endif
template <auto... flags>
ALWI void power_binary_tile(uint32_t a, uint32_t b, uint32_t out, metal::which at = {})
{
#if !TS_RULE_vector_blind
    if constexpr (!DST_ACCUM_MODE) {
        power_binary_tile_short(a, b, out, at);
        return;
    }
#endif
    TS_VECTOR_TWO_RUN(a, b, out, at.mode, mov(7, 1); power_of());
}
template <auto... flags> ALWI void power_binary_tile(uint32_t a, uint32_t b)
{
    power_binary_tile(a, b, a);
}

// The mask is the tile behind the data: where it is zero, the data become zero (or infinity).
TS_VECTOR_INIT(mask)
ALWI void mask_tile(uint32_t data, uint32_t mask, DataFormat = DataFormat::Float16_b)
{
    TS_VECTOR_TWO_RUN(data, mask, data, VectorMode::RC, vec::abs(1, 1); when_zero(1); mov(0, ZERO);
                      end());
}
ALWI void mask_posinf_tile(uint32_t data, uint32_t mask)
{
    TS_VECTOR_TWO_RUN(data, mask, data, VectorMode::RC, vec::abs(1, 1); when_zero(1);
                      number(0, INFINITE); end());
}

TS_VECTOR_INIT(copy_dest_values)
ALWI void copy_dest_values_init()
{
    ts_vector_init();
}
template <auto... flags> ALWI void copy_dest_values(uint32_t from, uint32_t to)
{
    TS_VECTOR_TWO_RUN(from, from, to, VectorMode::RC, nop());
}

// --- three and more ---

#ifdef TRISC_MATH
#define TS_VECTOR_THREE_RUN(a, b, c, out, ...)                  \
    vec::each(0, [a_ = (a), b_ = (b), c_ = (c), out_ = (out)] { \
        using namespace ckernel::vec;                           \
        load(0, a_);                                            \
        load(1, b_);                                            \
        load(2, c_);                                            \
        __VA_ARGS__;                                            \
        store(0, out_);                                         \
    })
#else
#define TS_VECTOR_THREE_RUN(a, b, c, out, ...) ((void)(a), (void)(b), (void)(c), (void)(out))
#endif
#define TS_VECTOR_THREE(name, ...)                                          \
    TS_VECTOR_INIT(name)                                                    \
    template <auto... flags>                                                \
    ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out) \
    {                                                                       \
        TS_VECTOR_THREE_RUN(a, b, c, out, __VA_ARGS__);                     \
    }
// clang-format off
TS_VECTOR_THREE(where, vec::abs(3, 0); mov(0, 1); when_zero(3); mov(0, 2); end())
TS_VECTOR_THREE(where_fp32, vec::abs(3, 0); mov(0, 1); when_zero(3); mov(0, 2); end())
TS_VECTOR_THREE(lerp, sub(1, 1, 0); mad(0, 1, 2, 0))
TS_VECTOR_THREE(mac, mad(0, 0, 1, 2))
// clang-format on
TS_VECTOR_INIT(addcmul)
template <auto... flags>
ALWI void addcmul_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out, uint32_t value)
{
    TS_VECTOR_SET(C12, value);
    TS_VECTOR_THREE_RUN(a, b, c, out, mul(1, 1, C12); mad(0, 1, 2, 0));
}
TS_VECTOR_INIT(addcdiv)
template <auto... flags>
ALWI void addcdiv_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out, uint32_t value)
{
    TS_VECTOR_SET(C12, value);
    TS_VECTOR_THREE_RUN(a, b, c, out, mul(1, 1, C12); reciprocal(2, 3, 4); mad(0, 1, 2, 0));
}

} // namespace ckernel
