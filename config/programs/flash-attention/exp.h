// e^(x * scale) for x <= 0, as softmax needs it: 2^t with t = x * scale * log2(e), at least -126.
//
// Adding 1.5 * 2^23 rounds t to a whole number k in the low bits; 2^(t - k) is a polynomial, good to 2e-3, half a step of
// BF16; k goes into the exponent. Two vectors at a time, so that no product waits for another.
#pragma once
#include "compute_kernel_api.h"
#include "internal/sfpu.h"

#ifdef TRISC_MATH
namespace ckernel::softmax {
using namespace vec;

constexpr uint32_t LOWEST = C12, FACTOR = C13, ROUND = C14, SQUARE = 4, LINEAR = 5;

inline void init(float scale)
{
    const float factor = scale * 1.44269504f;
    vec::init();
    constant(LOWEST, bits(-126.0f / factor));
    constant(FACTOR, bits(factor));
    constant(ROUND, bits(12582912.0f));
    number(SQUARE, 0.2398f);
    number(LINEAR, 0.7030f);
}

// Each of the steps for the vectors in registers 0 to 2 and in 3, 6, 7.
template <typename Step> ALWI void both(Step step)
{
    step(0, 1, 2, 0);
    step(3, 6, 7, 2);
}
ALWI void exponentials(uint32_t rows)
{
#pragma GCC unroll 2
    for (uint32_t i = 0; i < rows; i += 4) {
        both([](uint32_t x, uint32_t, uint32_t, uint32_t at) {
            TT_SFPLOAD(x, metal::vector_format(), MODE, at);
        });
        both([](uint32_t x, uint32_t, uint32_t, uint32_t) { exchange(LOWEST, x, 9); });
        both([](uint32_t x, uint32_t k, uint32_t, uint32_t) { mad(k, x, FACTOR, ROUND); });
        both([](uint32_t, uint32_t k, uint32_t f, uint32_t) { sub(f, k, ROUND); });
        both([](uint32_t x, uint32_t, uint32_t f, uint32_t) { msub(f, x, FACTOR, f); });
        both([](uint32_t x, uint32_t, uint32_t f, uint32_t) { mad(x, f, SQUARE, LINEAR); });
        both([](uint32_t x, uint32_t, uint32_t f, uint32_t) { mad(x, x, f, ONE); });
        both([](uint32_t, uint32_t k, uint32_t, uint32_t) { shift(k, 23); });
        both([](uint32_t x, uint32_t k, uint32_t, uint32_t) { iadd(x, k); });
        both([](uint32_t x, uint32_t, uint32_t, uint32_t at) {
            TT_SFPSTORE(x, metal::vector_format(), MODE, at);
        });
        TTI_INCRWC(0, 4, 0, 0);
    }
}
inline void tiles(uint32_t dst, uint32_t count)
{
    begin(dst);
    exponentials(ROWS_PER_TILE * count);
    finish();
}
// Only the left half of each tile: a number for each row is in its first column.
inline void left_halves(uint32_t dst, uint32_t count)
{
    begin(dst);
    for (uint32_t face = 0; face < 2 * count; face++) {
        exponentials(ROWS_PER_TILE / 4);
        TTI_INCRWC(0, 8, 0, 0);
        TTI_INCRWC(0, 8, 0, 0);
    }
    finish();
}
} // namespace ckernel::softmax
#endif
