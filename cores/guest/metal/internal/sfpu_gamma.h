// The logarithm of the gamma function in the steps of the vendor's kernels (Stirling's series with reflection, Taylor series near 1
// and 2), and the derivative of GELU.
#pragma once
#include "internal/sfpu_math.h"

namespace ckernel {

#ifdef TRISC_MATH
namespace vec {

constexpr float LOG_ROOT_TWO_PI = 0.9189385332f, LOG_ROOT_PI = 0.5723649429f,
                LOG_PI = 1.1447298858f;

// 7 = x or, below 0.5, 1 - x; x is in register 0. Uses 1.
ALWI void reflected()
{
    mov(7, 0);
    number(1, 0.5f);
    sub(1, 0, 1);
    when_negative(1);
    sub(7, ONE, 0);
    end();
}
// 0 = (z - 0.5) log(z) - z + log(sqrt(2 pi)) + series; z in 7, its logarithm in 0. Keeps 7.
template <typename... C> ALWI void stirling(C... series)
{
    number(1, -0.5f);
    add(1, 7, 1);
    mul(0, 0, 1);
    sub(0, 0, 7);
    plus(0, LOG_ROOT_TWO_PI, 1);
    mov(6, 0);
    mov(0, 7);
    reciprocal(0, 1, 2);
    mul(1, 0, 0);
    polynomial(2, 1, 3, series...);
    mad(0, 0, 2, 6);
}
ALWI void zero_where(uint32_t x, float value)
{
    number(2, value);
    sub(2, x, 2);
    when_zero(2);
    mov(0, ZERO);
    end();
}
// Within a quarter of `at`: 0 = d (...), d = z - at. z in 7.
template <typename... C> ALWI void series_near(float at, C... series)
{
    number(1, at);
    sub(1, 7, 1);
    abs(2, 1);
    number(3, -0.25f);
    add(2, 2, 3);
    when_negative(2);
    polynomial(4, 1, 3, series...);
    mul(0, 4, 1);
    end();
}

} // namespace vec
#endif

ALWI void lgamma_stirling_tile_init()
{
    MATH(vec::init());
}
ALWI void lgamma_stirling_tile([[maybe_unused]] uint32_t dst)
{
    MATH((vec::each(dst, [] {
        using namespace vec;
        load(0);
        reflected();
        mov(0, 7);
        logarithm();
        stirling(-1.0f / 360, 1.0f / 12);
        load(1);
        zero_where(1, 1.0f);
        zero_where(1, 2.0f);
        round_to_dst(0);
        store(0);
    })));
}
ALWI void lgamma_stirling_float_tile_init()
{
    MATH(vec::init());
}
// Of x in a tile and the logarithm of its reflected value in another.
ALWI void lgamma_stirling_float_tile([[maybe_unused]] uint32_t x, [[maybe_unused]] uint32_t log_z,
                                     [[maybe_unused]] uint32_t out)
{
    MATH((vec::each(0, [=] {
        using namespace vec;
        load(0, x);
        reflected();
        load(0, log_z);
        stirling(-1.0f / 1680, 1.0f / 1260, -1.0f / 360, 1.0f / 12);
        series_near(2.0f, -0.00738555f, 0.02058081f, -0.06735230f, 0.32246703f, 0.42278434f);
        series_near(1.0f, -0.20738555f, 0.27058081f, -0.40068563f, 0.82246703f, -0.57721566f);
        number(1, -0.5f);
        add(1, 7, 1);
        abs(1, 1);
        number(2, -0.01f);
        add(1, 1, 2);
        when_negative(1);
        number(0, LOG_ROOT_PI);
        end();
        round_to_dst(0);
        store(0, out);
    })));
}
ALWI void lgamma_adjusted_tile_init()
{
    MATH(vec::init());
}
// Below 0.5: log(pi) - log|sin(pi x)| - log gamma(1 - x).
ALWI void lgamma_adjusted_tile([[maybe_unused]] uint32_t stirling,
                               [[maybe_unused]] uint32_t log_sine, [[maybe_unused]] uint32_t x,
                               [[maybe_unused]] uint32_t out)
{
    MATH((vec::each(0, [=] {
        using namespace vec;
        load(0, stirling);
        load(1, log_sine);
        load(2, x);
        number(3, LOG_PI);
        sub(3, 3, 1);
        sub(3, 3, 0);
        number(4, 0.5f);
        sub(4, 2, 4);
        when_negative(4);
        mov(0, 3);
        end();
        if constexpr (DST_ACCUM_MODE) {
            word(4, 0x7f800000);
            abs(5, 2);
            isub(5, 4);
            when_zero(5);
            mov(0, 4);
            end();
        }
        round_to_dst(0);
        store(0, out);
    })));
}

template <auto... flags> ALWI void gelu_derivative_tile_init()
{
    MATH(vec::init());
}
// (1 + erf(x / sqrt 2)) / 2 + x e^(-x^2 / 2) / sqrt(2 pi)
template <auto... flags> ALWI void gelu_derivative_tile([[maybe_unused]] uint32_t dst)
{
    MATH((vec::each(dst, [] {
        using namespace vec;
        load(0);
        mov(7, 0);
        times(0, 0.7071067812f, 1);
        error_function();
        add(0, 0, ONE);
        times(0, 0.5f, 1);
        mov(6, 0);
        mul(0, 7, 7);
        times(0, -0.5f, 1);
        exponential();
        times(0, 0.3989422804f, 1);
        mad(0, 0, 7, 6);
        round_to_dst(0);
        store(0);
    })));
}

} // namespace ckernel
