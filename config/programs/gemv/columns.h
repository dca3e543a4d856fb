// Which columns of tiles of w a core computes.
//
// If n / 32 is a multiple of 8, column c of w is in DRAM bank c % 8, and all weights of a core come from one
// bank. Banks 0 to 3 are left of the grid, banks 4 to 7 in its middle: each core has columns from a bank of
// its side, so that no link carries the weights of both. Cores that are left over on the larger side take
// what is left.
#pragma once
#include <cstdint>

constexpr uint32_t kt = get_compile_time_arg_val(0), nt = get_compile_time_arg_val(1);
constexpr uint32_t width = get_compile_time_arg_val(2), height = get_compile_time_arg_val(3);
constexpr uint32_t left = get_compile_time_arg_val(4);  // columns of cores on the left side
constexpr uint32_t block = get_compile_time_arg_val(5); // tiles
static_assert(kt % block == 0, "k must be whole blocks");

// Core x, y of the range has columns `first`, `first + step` and so on, below nt.
constexpr uint32_t cores = width * height, step = cores < 8 ? cores : cores / 8 * 8;
inline uint32_t first_column(uint32_t x, uint32_t y)
{
    constexpr uint32_t right = width - left;
    constexpr uint32_t pairs = (left < right ? left : right) * height / 4 * 4;
    const bool is_right = x >= left;
    const uint32_t index = is_right ? y * right + x - left : y * left + x;
    const uint32_t slot = index < pairs ? index / 4 * 8 + 4 * is_right + index % 4
                                        : pairs + index + (is_right ? left * height - pairs : 0);
    return slot < step ? slot : nt;
}
