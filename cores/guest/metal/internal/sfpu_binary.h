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
#else
#define TS_VECTOR_TWO_RUN(a, b, out, mode, ...) ((void)(a), (void)(b), (void)(out), (void)(mode))
#endif
#define TS_VECTOR_TWO(name, ...)                                                      \
    TS_VECTOR_INIT(name)                                                              \
    template <auto... flags>                                                          \
    ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t out, metal::which at = {}) \
    {                                                                                 \
        TS_VECTOR_TWO_RUN(a, b, out, at.mode, __VA_ARGS__);                           \
    }                                                                                 \
    template <auto... flags> ALWI void name##_tile(uint32_t a, uint32_t b)            \
    {                                                                                 \
        TS_VECTOR_TWO_RUN(a, b, a, VectorMode::RC, __VA_ARGS__);                      \
    }

// clang-format off
TS_VECTOR_TWO(add_binary, add(0, 0, 1))
TS_VECTOR_TWO(sub_binary, sub(0, 0, 1))
TS_VECTOR_TWO(rsub_binary, sub(0, 1, 0))
TS_VECTOR_TWO(mul_binary, mul(0, 0, 1))
TS_VECTOR_TWO(div_binary, mov(4, 0); reciprocal(1, 2, 3); mul(0, 4, 1))
TS_VECTOR_TWO(power_binary, keeps_register_7(true); mov(7, 1); power_of())
TS_VECTOR_TWO(xlogy_binary, keeps_register_7(true); mov(7, 0); mov(0, 1); logarithm_limits(); mul(0, 0, 7); vec::abs(1, 7); when_zero(1); mov(0, ZERO); end())
TS_VECTOR_TWO(binary_max, when_greater(1, 0); mov(0, 1); end())
TS_VECTOR_TWO(binary_min, when_greater(0, 1); mov(0, 1); end())
TS_VECTOR_TWO(eq_binary, mov(2, 1); is_equal(true))
TS_VECTOR_TWO(ne_binary, mov(2, 1); is_equal(false))
TS_VECTOR_TWO(gt_binary, mov(2, 1); is_greater())
TS_VECTOR_TWO(lt_binary, mov(2, 1); is_less())
TS_VECTOR_TWO(ge_binary, mov(2, 1); is_less(); invert_truth())
TS_VECTOR_TWO(le_binary, mov(2, 1); is_greater(); invert_truth())
TS_VECTOR_TWO(fmod_binary, mov(6, 1); reciprocal(1, 2, 3); modulo(false))
TS_VECTOR_TWO(remainder_binary, mov(6, 1); reciprocal(1, 2, 3); modulo(true))
TS_VECTOR_TWO(logsigmoid, nop(); neg(0, 0); soft_plus(); neg(0, 0))
TS_VECTOR_TWO(max, when_greater(1, 0); mov(0, 1); end())
// clang-format on

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
