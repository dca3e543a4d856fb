// Integers on the vector unit, two's complement in Dst of 32 bits (fp32_dest_acc_en); conversions;
// random numbers.
//
// Comparisons go by sign and magnitude, which the unit compares exactly: -2^31 is the only value that
// has none. Unsigned values of 2^31 and more are not ordered.
#pragma once
#include "internal/sfpu_binary.h"

namespace ckernel {

#ifdef TRISC_MATH
namespace vec {
ALWI void load_int(uint32_t r, uint32_t tile = 0)
{
    load(r, tile, INT32);
}
ALWI void store_int(uint32_t r, uint32_t tile = 0)
{
    store(r, tile, INT32);
}
// 1 or 0 as an integer; the condition is set.
ALWI void int_truth(uint32_t d)
{
    TT_SFPLOADI(d, 2, 1);
    end();
}
// Shifted by register 1; 0 where that is not from 0 to 31.
ALWI void int_shift(bool left)
{
    when_not_negative(1);
    TT_SFPIADD(uint32_t(-32) & 0xfff, 1, 2, 1);
    otherwise();
    mov(0, ZERO);
    end();
    if (!left)
        isub(1, ZERO);
    shift_by(0, 1);
}
// Register 2 is negative where a > b: their difference, or a where the signs differ. Uses 3.
ALWI void int_difference(uint32_t a, uint32_t b)
{
    mov(2, a);
    isub(2, b);
    mov(3, a);
    bit_xor(3, b);
    when_negative(3);
    bit_not(2, a);
    end();
}
// Register 0 > register 1 to register 0.
ALWI void int_greater()
{
    if constexpr (blind) {
        int_difference(0, 1);
        word(0, 0);
        when_negative(2);
    } else {
        to_sign_magnitude(2, 0);
        to_sign_magnitude(3, 1);
        word(0, 0);
        when_greater(2, 3);
    }
    int_truth(0);
}
ALWI void int_equal(bool yes)
{
    bit_xor(1, 0);
    word(0, 0);
    if (yes)
        when_zero(1);
    else
        when_not_zero(1);
    int_truth(0);
}
ALWI void int_swap()
{
    mov(2, 0);
    mov(0, 1);
    mov(1, 2);
}
ALWI void int_not() // of 0 or 1
{
    word(1, 1);
    bit_xor(0, 1);
}
// The larger (or smaller) of 0 and 1 to 0.
ALWI void int_larger(bool larger)
{
    if constexpr (blind) {
        int_difference(larger ? 1 : 0, larger ? 0 : 1);
        when_negative(2);
    } else {
        to_sign_magnitude(2, 0);
        to_sign_magnitude(3, 1);
        when_greater(larger ? 3 : 2, larger ? 2 : 3);
    }
    mov(0, 1);
    end();
}
#ifndef TT_OP_SFPMUL24
// Eleven bits of register s from bit `at` on, as a float, to register d; the mask is in register 7.
ALWI void int_piece(uint32_t d, uint32_t s, int32_t at)
{
    if (d != s)
        mov(d, s);
    if (at)
        shift(d, -at);
    bit_and(d, 7);
    TT_SFPCAST(d, d, 0);
}
// Low 32 bits of a product, by pieces of eleven bits, as floats: their products, and the sums of those that belong together, are below 2^23, which
// is added so that they are the mantissa. The steps of tt-metal's function. Uses all.
ALWI void int_multiply()
{
    word(7, 0x7ff);
    int_piece(2, 0, 22);
    int_piece(3, 0, 11);
    int_piece(0, 0, 0);
    int_piece(4, 1, 22);
    int_piece(5, 1, 11);
    int_piece(1, 1, 0);
    number(7, 8388608.0f);
    mad(4, 0, 4, 7);
    mad(4, 3, 5, 4);
    mad(4, 2, 1, 4);
    mad(5, 0, 5, 7);
    mad(5, 3, 1, 5);
    mad(0, 0, 1, 7);
    for (uint32_t r : {0u, 4u, 5u})
        TT_SFPEXMAN(0, r, r, 1); // without the hidden bit
    shift(4, 22);
    shift(5, 11);
    iadd(4, 5);
    iadd(0, 4);
}
#else
// Low 32 bits of a product by load macros, eight words a vector: with a1 and b1 the bits of a and b from 23 on, 2^23 (high 23 bits of a b + a1 b + a b1) +
// low 23 bits of a b.
ALWI void product_macros()
{
    set_moves();
    TTI_SFPSHFT2(-23 & 0xfff, 0, 12, 6);
    TTI_SFPMUL24(0, 0, ZERO, 13, 0);
    TTI_SFPSHFT(23, 2, 14, 5);
    TTI_SFPIADD(0, 4, 15, 4);
    set_macro<0, 0, follow(5, 1, false, true), follow(4, 0, false, true), 0>();
    set_macro<1, follow(7, 4, false, true), follow(5, 1, false, true), follow(4, 0, false, true),
              0>();
    TTI_SFPCONFIG(follow(7, 4, true, true) | follow(5, 1, false, true) << 8, 6, 1);
    set_macro<3, follow(6, 0, false, true), 0, 0, follow(3, 2, true)>();
    set_macros(15);
}
// The larger or smaller of two integers, by load macros and two vectors a turn: as sign and magnitude, and the other one where both are negative.
template <bool larger> ALWI void int_extreme_macros()
{
    set_moves();
    TTI_SFPSWAP(0, 1, 12, larger ? 9 : 1);
    TTI_SFPSWAP(0, 3, 13, larger ? 9 : 1);
    TTI_SFPSETCC(0, 0, 14, 0);
    TTI_SFPSHFT2(0, 0, 15, 6);
    set_macro<0, follow(4, 3, false, true), 0, follow(7, 5, true, true), 0>();
    set_macro<1, follow(5, 3, false, true), 0, follow(7, 5, true, true), 0>();
    set_macro<2, follow(6, 4), 0, follow(7, 6, true, true), 0>();
    set_macro<3, 0, 0, 0, follow(3, 4, true)>();
    set_macros(15);
}
template <bool larger> ALWI void init_int_extreme()
{
    init_held<int_extreme_macros<larger>>();
}
template <bool larger> ALWI void int_extreme_tile(uint32_t a, uint32_t b, uint32_t out)
{
    begin_held<int_extreme_macros<larger>>(0);
    each_face(VectorMode::RC, [=] {
        TTI_REPLAY(0, 10, 0, 1);
#pragma GCC unroll 2
        for (uint32_t i = 0; i < 2; i++) {
            load_macro(i, 2 * i, MODE, a * ROWS_PER_TILE, INT32);
            load_macro(2, 2 * i + 1, MODE, b * ROWS_PER_TILE, INT32);
            when_negative(2 - 2 * i); // of the vector before
            TTI_SFPENCC(0, 0, 0, 0);
            load_macro(3, 3, MOVES, (out * ROWS_PER_TILE) | 1, INT32); // register 7
        }
#pragma GCC unroll 4
        for (uint32_t i = 0; i < 4; i++)
            TTI_REPLAY(0, 10, 0, 0);
        nop();
        nop();
        TTI_REPLAY(2, 2, 0, 0);
        nop();
    });
}
ALWI void init_product()
{
    init_held<product_macros>();
}
ALWI void product_tile(uint32_t a, uint32_t b, uint32_t out)
{
    begin_held<product_macros>(0);
    each_face(VectorMode::RC, [=] {
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 8; i++) {
            load_int(0, b);
            load_macro(0, 1, MODE, a * ROWS_PER_TILE, INT32);
            load_macro(1, 2, MODE, b * ROWS_PER_TILE, INT32);
            load_int(0, a);
            load_macro(2, 3, MODE, b * ROWS_PER_TILE, INT32);
            TT_SFPMUL24(0, 3, ZERO, 4, 1);
            iadd(2, 1);
            load_macro(3, 0, MOVES, (out * ROWS_PER_TILE) | 1, INT32); // register 4
        }
        nop();
        nop();
        nop();
    });
}
#endif
// Toward zero; what does not fit saturates.
ALWI void float_to_int()
{
    mov(1, 0);
    exponent(2, 0);
    mantissa(3, 0);
    iadd_number(4, 2, -23);
    shift_by(3, 4);
    when_negative(2); // below one
    word(3, 0);
    end();
    iadd_number(4, 2, -31);
    when_not_negative(4);
    word(3, 0x7fffffff);
    end();
    mov(0, 3);
    when_negative(1);
    word(4, 0);
    isub(0, 4);
    end();
}
ALWI void unsigned_to_float()
{
    mov(1, 0);
    TT_SFPCAST(0, 0, 0); // as sign and magnitude: wrong above 2^31
    when_negative(1);
    shift(1, -1);
    TT_SFPCAST(1, 0, 0);
    add(0, 0, 0);
    end();
}
} // namespace vec
#define TS_INT_RUN(dst, ...)          \
    vec::each(dst, [] {               \
        using namespace ckernel::vec; \
        load_int(0);                  \
        __VA_ARGS__;                  \
        store_int(0);                 \
    })
#define TS_INT_TWO_RUN(a, b, out, ...)                \
    vec::each(0, [a_ = (a), b_ = (b), out_ = (out)] { \
        using namespace ckernel::vec;                 \
        load_int(0, a_);                              \
        load_int(1, b_);                              \
        __VA_ARGS__;                                  \
        store_int(0, out_);                           \
    })
#define TS_INT_TO_RUN(result, dst, mode, ...)    \
    (vec::begin(dst), vec::each_short(mode, [] { \
         using namespace ckernel::vec;           \
         load_int(0);                            \
         __VA_ARGS__;                            \
         store_int(result);                      \
         step();                                 \
     }))
#define TS_INT_TWO_SHORT_RUN(a, b, out, ...)                                             \
    (vec::begin(0), vec::each_short(VectorMode::RC, [a_ = (a), b_ = (b), out_ = (out)] { \
         using namespace ckernel::vec;                                                   \
         load_int(0, a_);                                                                \
         load_int(1, b_);                                                                \
         __VA_ARGS__;                                                                    \
         store_int(0, out_);                                                             \
         step();                                                                         \
     }))
#else
#define TS_INT_RUN(dst, ...)                  ((void)(dst))
#define TS_INT_TWO_RUN(a, b, out, ...)        ((void)(a), (void)(b), (void)(out))
#define TS_INT_TWO_SHORT_RUN(...)             TS_INT_TWO_RUN(__VA_ARGS__)
#define TS_INT_TO_RUN(result, dst, mode, ...) ((void)(dst), (void)(mode))
#endif

#define TS_INT(name, init, ...)                           \
    template <auto... flags> ALWI void name(uint32_t dst) \
    {                                                     \
        TS_INT_RUN(dst, __VA_ARGS__);                     \
    }
#define TS_INT_TO(result, name, ...)                                            \
    template <auto... flags> ALWI void name(uint32_t dst, metal::which at = {}) \
    {                                                                           \
        TS_INT_TO_RUN(result, dst, at.mode, __VA_ARGS__);                       \
    }
#define TS_INT_1(name, init, ...)                                      \
    template <auto... flags> ALWI void name(uint32_t dst, uint32_t p0) \
    {                                                                  \
        TS_VECTOR_SET(C12, p0);                                        \
        TS_INT_RUN(dst, __VA_ARGS__);                                  \
    }
#define TS_INT_TWO(name, ...)                                                            \
    template <auto... flags> ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t out) \
    {                                                                                    \
        TS_INT_TWO_RUN(a, b, out, __VA_ARGS__);                                          \
    }
#define TS_INT_TWO_SHORT(name, ...)                                                      \
    TS_INT_INIT(name)                                                                    \
    template <auto... flags> ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t out) \
    {                                                                                    \
        TS_INT_TWO_SHORT_RUN(a, b, out, __VA_ARGS__);                                    \
    }
#ifdef TT_OP_SFPMUL24
#define TS_INT_TILE(name, init, function)                                                \
    template <auto... flags> ALWI void name##_tile_init(auto...)                         \
    {                                                                                    \
        MATH(vec::init());                                                               \
    }                                                                                    \
    template <auto... flags> ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t out) \
    {                                                                                    \
        MATH(vec::function(a, b, out));                                                  \
    }
#define TS_INT_PRODUCT(name) TS_INT_TILE(name, init_product, product_tile)
#define TS_INT_EXTREME(name, larger) \
    TS_INT_TILE(name, init_int_extreme<larger>, int_extreme_tile<larger>)
#else
#define TS_INT_PRODUCT(name)         TS_INT_TWO_WITH_INIT(name, int_multiply())
#define TS_INT_EXTREME(name, larger) TS_INT_TWO_WITH_INIT(name, int_larger(larger))
#endif
#define TS_INT_INIT(name)                                        \
    template <auto... flags> ALWI void name##_tile_init(auto...) \
    {                                                            \
        ts_vector_init();                                        \
    }
#define TS_INT_TWO_WITH_INIT(name, ...) TS_INT_INIT(name) TS_INT_TWO(name, __VA_ARGS__)

// clang-format off
TS_INT(abs_tile_int32, abs, to_sign_magnitude(0, 0); vec::abs(0, 0))
TS_INT(negative_tile_int32, negative, word(1, 0); isub(0, 1))
TS_INT(relu_tile_int32, relu, when_negative(0); word(0, 0); end())
TS_INT(signbit_tile_int32, signbit, mov(1, 0); word(0, 0); when_negative(1); int_truth(0))
TS_INT_TO(1, eqz_tile_int32, word(1, 0); when_zero(0); int_truth(1))
TS_INT_TO(1, nez_tile_int32, word(1, 0); when_not_zero(0); int_truth(1))
TS_INT_TO(1, eqz_tile_uint32, word(1, 0); when_zero(0); int_truth(1))
TS_INT_TO(1, nez_tile_uint32, word(1, 0); when_not_zero(0); int_truth(1))
TS_INT(gtz_tile_int32, gtz, word(1, 0); int_greater())
TS_INT(ltz_tile_int32, ltz, word(1, 0); int_swap(); int_greater())
TS_INT(gez_tile_int32, gez, word(1, 0); int_swap(); int_greater(); int_not())
TS_INT(lez_tile_int32, lez, word(1, 0); int_greater(); int_not())
TS_INT_TO(1, logical_not_unary_tile_int32, word(1, 0); when_zero(0); int_truth(1))
TS_INT_TO(1, logical_not_unary_tile_uint32, word(1, 0); when_zero(0); int_truth(1))
TS_INT(identity_tile_uint32, identity, nop())
TS_INT(bitwise_not_tile, bitwise_not, bit_not(0, 0))
TS_INT_1(bitwise_and_tile, bitwise_and, mov(1, C12); bit_and(0, 1))
TS_INT_1(bitwise_or_tile, bitwise_or, mov(1, C12); bit_or(0, 1))
TS_INT_1(bitwise_xor_tile, bitwise_xor, mov(1, C12); bit_xor(0, 1))
TS_INT_1(left_shift_tile, left_shift, mov(1, C12); shift_by(0, 1))
TS_INT_1(right_shift_tile, right_shift, mov(1, C12); word(2, 0); isub(1, 2); shift_arithmetic_by(0, 1))
TS_INT_1(add_unary_tile_int32, add_unary, mov(1, C12); iadd(0, 1))
TS_INT_1(sub_unary_tile_int32, sub_unary, mov(1, 0); mov(0, C12); isub(0, 1))
TS_INT_1(rsub_unary_int32_tile, rsub_unary, mov(1, C12); isub(0, 1))
TS_INT_1(unary_max_int32_tile, unary_max, mov(1, C12); int_larger(true))
TS_INT_1(unary_min_int32_tile, unary_min, mov(1, C12); int_larger(false))
TS_INT_1(relu_max_tile_int32, relu_max, mov(1, C12); int_larger(false); word(1, 0); int_larger(true))
TS_INT_1(relu_min_tile_int32, relu_min, mov(1, C12); int_larger(true))
TS_INT_1(unary_eq_tile_int32, unary_eq, mov(1, C12); int_equal(true))
TS_INT_1(unary_ne_tile_int32, unary_ne, mov(1, C12); int_equal(false))
TS_INT_1(unary_gt_tile_int32, unary_gt, mov(1, C12); int_greater())
TS_INT_1(unary_lt_tile_int32, unary_lt, mov(1, C12); int_swap(); int_greater())
TS_INT_1(unary_ge_tile_int32, unary_ge, mov(1, C12); int_swap(); int_greater(); int_not())
TS_INT_1(unary_le_tile_int32, unary_le, mov(1, C12); int_greater(); int_not())
TS_INT_INIT(bitwise_not) TS_INT_INIT(bitwise_and) TS_INT_INIT(bitwise_or) TS_INT_INIT(bitwise_xor)
TS_INT_INIT(left_shift) TS_INT_INIT(right_shift) TS_INT_INIT(rsub_unary_int32)
TS_INT_INIT(unary_max_int32) TS_INT_INIT(unary_min_int32) TS_INT_INIT(signbit_tile_int32)
TS_INT_TWO_SHORT(add_int, iadd(0, 1))
TS_INT_TWO_SHORT(sub_int, int_swap(); isub(0, 1))
TS_INT_TWO_SHORT(rsub_int, isub(0, 1))
TS_INT_PRODUCT(mul_int)
TS_INT_TWO_WITH_INIT(gt_int, int_greater())
TS_INT_TWO_WITH_INIT(lt_int, int_swap(); int_greater())
TS_INT_TWO_WITH_INIT(ge_int, int_swap(); int_greater(); int_not())
TS_INT_TWO_WITH_INIT(le_int, int_greater(); int_not())
TS_INT_TWO_WITH_INIT(eq_int, int_equal(true))
TS_INT_TWO_WITH_INIT(ne_int, int_equal(false))
TS_INT_TWO_SHORT(add_int32, iadd(0, 1))
TS_INT_TWO_SHORT(add_uint32, iadd(0, 1))
TS_INT_TWO_SHORT(sub_int32, int_swap(); isub(0, 1))
TS_INT_TWO_SHORT(sub_uint32, int_swap(); isub(0, 1))
TS_INT_TWO_SHORT(rsub_int32, isub(0, 1))
TS_INT_PRODUCT(mul_int32)
TS_INT_PRODUCT(mul_uint32)
TS_INT_TWO_WITH_INIT(gt_int32, int_greater())
TS_INT_TWO_WITH_INIT(lt_int32, int_swap(); int_greater())
TS_INT_TWO_WITH_INIT(ge_int32, int_swap(); int_greater(); int_not())
TS_INT_TWO_WITH_INIT(le_int32, int_greater(); int_not())
TS_INT_EXTREME(binary_max_int32, true)
TS_INT_EXTREME(binary_min_int32, false)
TS_INT_TWO_SHORT(bitwise_and_binary, bit_and(0, 1))
TS_INT_TWO_SHORT(bitwise_or_binary, bit_or(0, 1))
TS_INT_TWO_SHORT(bitwise_xor_binary, bit_xor(0, 1))
TS_INT_TWO_SHORT(bitwise_and_uint32_binary, bit_and(0, 1))
TS_INT_TWO_SHORT(bitwise_or_uint32_binary, bit_or(0, 1))
TS_INT_TWO_SHORT(bitwise_xor_uint32_binary, bit_xor(0, 1))
TS_INT_TWO_SHORT(binary_left_shift, int_shift(true))
TS_INT_TWO_WITH_INIT(binary_right_shift, word(2, 0); isub(1, 2); shift_arithmetic_by(0, 1))
TS_INT_TWO_SHORT(binary_logical_right_shift, int_shift(false))
TS_INT_TWO_SHORT(binary_left_shift_int32, int_shift(true))
TS_INT_TWO_WITH_INIT(binary_right_shift_int32, word(2, 0); isub(1, 2); shift_arithmetic_by(0, 1))
TS_INT_TWO_SHORT(binary_logical_right_shift_int32, int_shift(false))
    // clang-format on
    ALWI void binary_bitwise_tile_init()
{
    ts_vector_init();
}
ALWI void binary_shift_tile_init()
{
    ts_vector_init();
}
template <auto... flags>
ALWI void where_int32_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out)
{
    MATH(vec::each(0, [=] {
        using namespace vec;
        load_int(0, a);
        load_int(1, b);
        load_int(2, c);
        when_zero(0);
        mov(1, 2);
        end();
        store_int(1, out);
    }));
}

// --- conversions in Dst, by the numbers of DataFormat ---

template <uint32_t in, uint32_t out> ALWI void typecast_tile_init(auto...)
{
    ts_vector_init();
}
template <uint32_t in, uint32_t out> ALWI void typecast_tile([[maybe_unused]] uint32_t dst)
{
    constexpr bool from_int = in == uint32_t(DataFormat::Int32),
                   to_int = out == uint32_t(DataFormat::Int32);
    constexpr bool from_uint = in == uint32_t(DataFormat::UInt32),
                   to_uint = out == uint32_t(DataFormat::UInt32);
    constexpr bool from_short = in == uint32_t(DataFormat::UInt16),
                   to_short = out == uint32_t(DataFormat::UInt16);
    constexpr bool whole_in = from_int || from_uint || from_short,
                   whole_out = to_int || to_uint || to_short;
    static_assert(!(from_short || to_short), "conversions of 16-bit integers are not supported");
#ifdef TRISC_MATH
    // Between floats, and between 32-bit integers, the packer does what there is to do.
    if constexpr (whole_in && !whole_out)
        vec::each(dst, [] {
            using namespace vec;
            load_int(0);
            if constexpr (from_uint)
                unsigned_to_float();
            else
                to_float(0, 0);
            store(0);
        });
    else if constexpr (whole_out && !whole_in)
        vec::each(dst, [] {
            using namespace vec;
            load(0);
            float_to_int();
            store_int(0);
        });
#endif
}

// --- random numbers ---

#ifdef TRISC_MATH
namespace vec {
ALWI void random_bits(uint32_t r)
{
    TT_SFPMOV(0, 9, r, 8);
}
inline void seed(uint32_t value)
{
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::SFPU1);
    cfg_rmw(PRNG_SEED_Seed_Val_ADDR32, ~0u, value);
    for (uint32_t i = 0; i < 600; i++) // the generator of each lane starts from the one before
        TTI_SFPNOP;
}
} // namespace vec
#endif
ALWI void rand_tile_init([[maybe_unused]] uint32_t value = 0, uint32_t = 0)
{
    ts_vector_init();
    MATH(vec::seed(value));
}
// from + scale * (0 to 1).
ALWI void rand_tile([[maybe_unused]] uint32_t dst, uint32_t from, uint32_t scale)
{
    TS_VECTOR_SET(C12, from);
    TS_VECTOR_SET(C13, scale);
    MATH(vec::each(dst, [] {
        using namespace vec;
        random_bits(0);
        shift(0, -9);
        word(1, 0x3f800000);
        bit_or(0, 1); // 1 to 2
        number(1, -1.0f);
        add(0, 0, 1);
        mov(2, C12);
        mov(3, C13);
        mad(0, 0, 3, 2);
        store(0);
    }));
}
ALWI void dropout_kernel_init(uint32_t value = 0)
{
    rand_tile_init(value);
}
// Zero where 31 random bits are below `probability`, times `scale` elsewhere.
ALWI void dropout_tile([[maybe_unused]] uint32_t dst, uint32_t probability, uint32_t scale)
{
    TS_VECTOR_SET(C12, probability);
    TS_VECTOR_SET(C13, scale);
    TS_VECTOR_RUN(dst, VectorMode::RC, mul(0, 0, C13); random_bits(1); shift(1, -1); mov(2, C12);
                  isub(2, 1); when_negative(2); mov(0, ZERO); end());
}

} // namespace ckernel
