// Bitonic sorting of columns on the vector unit: topk_local_sort, topk_merge, topk_rebuild.
//
// Values are in tiles dst and dst + 1, one below the other: each of the 32 columns has 64 rows. Their indices are in tiles
// dst + 2 and dst + 3 and follow them: SFPSWAP moves registers 4 to 7 with 0 to 3. Vectors hold four rows of every
// second column of a face, so each function works on four groups of columns. Rows that are four or more apart are compared
// between vectors, others between vectors that SFPTRANSP has transposed. The order of comparisons is that of the vendor's
// functions; the words are pushed by the core, so their cycles are ours.
#pragma once
#include "internal/sfpu.h"

namespace ckernel {

#ifdef TRISC_MATH
namespace topk {

constexpr uint32_t ALL = 1, ROWS_01 = 2,
                   ROWS_02 = 3; // SFPSWAP: rows in which the first register gets the larger
constexpr uint32_t INDICES = 2 * vec::ROWS_PER_TILE; // rows of Dst from values to indices
constexpr uint32_t ROWS = 64;

constexpr uint32_t index_format = DST_ACCUM_MODE ? vec::INT32 : vec::UINT16;

// Where four rows of a column begin in Dst: the right face lies between the upper and the lower one.
ALWI uint32_t place(uint32_t row)
{
    return (row & 15) | row >> 4 << 5;
}
template <uint32_t vectors> ALWI void load(uint32_t group, const uint32_t (&rows)[vectors])
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < vectors; i++)
        TT_SFPLOAD(i, metal::vector_format(), vec::MODE, group + place(rows[i]));
#pragma GCC unroll 4
    for (uint32_t i = 0; i < vectors; i++)
        TT_SFPLOAD(4 + i, index_format, vec::MODE, INDICES + group + place(rows[i]));
}
template <uint32_t vectors> ALWI void store(uint32_t group, const uint32_t (&rows)[vectors])
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < vectors; i++)
        TT_SFPSTORE(i, metal::vector_format(), vec::MODE, group + place(rows[i]));
#pragma GCC unroll 4
    for (uint32_t i = 0; i < vectors; i++)
        TT_SFPSTORE(4 + i, index_format, vec::MODE, INDICES + group + place(rows[i]));
}
// Equal values change places in a swap: stable sorting swaps twice.
template <bool stable> ALWI void swap(uint32_t a, uint32_t b, uint32_t mode = ALL)
{
    vec::exchange(a, b, mode);
    if constexpr (stable)
        vec::exchange(a, b, mode);
}
template <bool stable>
ALWI void swap_two(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t mode = ALL)
{
    vec::exchange(a, b, mode);
    vec::exchange(c, d, mode);
    if constexpr (stable) {
        vec::exchange(a, b, mode);
        vec::exchange(c, d, mode);
    }
}
ALWI void transpose()
{
    TTI_SFPTRANSP(0, 0, 0, 0);
}
// Sequences of two, four and eight rows, descending and ascending in turn.
template <bool stable> ALWI void twos()
{
    transpose();
    swap_two<stable>(0, 1, 3, 2);
    transpose();
}
template <bool stable> ALWI void fours()
{
    transpose();
    swap_two<stable>(0, 2, 1, 3, ROWS_02);
    swap_two<stable>(0, 1, 2, 3, ROWS_02);
    transpose();
}
template <bool stable> ALWI void eights()
{
    swap_two<stable>(0, 1, 3, 2);
    transpose();
    swap_two<stable>(0, 2, 1, 3, ROWS_01);
    swap_two<stable>(0, 1, 2, 3, ROWS_01);
    transpose();
}
// 16 rows in four registers, the last four steps.
template <bool stable> ALWI void sixteen(bool ascending)
{
    for (uint32_t half = 0; half < 2; half++) {
        if (ascending) {
            swap_two<stable>(2, 0, 3, 1);
            swap_two<stable>(1, 0, 3, 2);
        } else {
            swap_two<stable>(0, 2, 1, 3);
            swap_two<stable>(0, 1, 2, 3);
        }
        transpose();
    }
}
template <typename Body> ALWI void groups(uint32_t dst, Body body)
{
    vec::begin(dst);
    TTI_SFPCONFIG(4, 15, 1); // swaps move the indices, too
    TTI_SFPNOP;
    TTI_SFPNOP;
#pragma GCC unroll 0
    for (uint32_t i = 0; i < 4; i++)
        body(i / 2 * 16 + i % 2 * 2);
    TTI_SFPCONFIG(0, 15, 1);
    TTI_SFPNOP;
    TTI_SFPNOP;
    vec::finish();
}
template <typename Body>
ALWI void each_sixteen(uint32_t group, uint32_t rows, uint32_t step, Body body)
{
#pragma GCC unroll 0
    for (uint32_t row = 0; row < rows; row += step) {
        const uint32_t at[] = {row, row + 4, row + 8, row + 12};
        load(group, at);
        body(row);
        store(group, at);
    }
}
// Phase 4 and 5: sequences of 32 and 64 rows, from step `start` to the one above `end`, then steps 4 to 1.
template <bool stable>
ALWI void late_phase(uint32_t group, bool ascending, uint32_t phase, uint32_t start, uint32_t end)
{
    const uint32_t length = 2u << phase;
#pragma GCC unroll 0
    for (uint32_t step = start; step > end; step--) {
        const uint32_t distance = step == 5 ? 16 : 32;
#pragma GCC unroll 0
        for (uint32_t row = 0; row < ROWS;
             row += row % distance == distance - 8 ? distance + 8 : 8) {
            const uint32_t at[] = {row, row + 4, row + distance, row + distance + 4};
            load(group, at);
            if (ascending != (row >= length))
                swap_two<stable>(2, 0, 3, 1);
            else
                swap_two<stable>(0, 2, 1, 3);
            store(group, at);
        }
    }
    each_sixteen(group, ROWS, 16,
                 [&](uint32_t row) { sixteen<stable>(ascending != (row >= length)); });
}
template <bool stable>
inline void local_sort(uint32_t dst, bool ascending, uint32_t end_phase, uint32_t start_phase,
                       uint32_t end_step, uint32_t start_step)
{
    groups(dst, [&](uint32_t group) {
        if (start_phase == 0)
            each_sixteen(group, ROWS, 16, [](uint32_t) { twos<stable>(); });
        if (start_phase <= 1 && end_phase >= 1)
            each_sixteen(group, ROWS, 16, [](uint32_t) { fours<stable>(); });
        if (start_phase <= 2 && end_phase >= 2)
            each_sixteen(group, ROWS, 16, [](uint32_t) { eights<stable>(); });
        if (start_phase <= 3 && end_phase >= 3)
            each_sixteen(group, ROWS, 16,
                         [&](uint32_t row) { sixteen<stable>(ascending != bool(row & 16)); });
        const bool one = start_phase == end_phase;
#pragma GCC unroll 0
        for (uint32_t phase = start_phase < 4 ? 4 : start_phase; phase <= end_phase; phase++)
            late_phase<stable>(group, ascending, phase, one ? start_step : phase + 1,
                               one ? end_step : 4);
    });
}
// The larger (or smaller) of two sequences of k rows to the first: one descends, the other ascends.
template <bool smallest, bool stable>
inline void merge(uint32_t dst, uint32_t iteration, uint32_t k)
{
    const uint32_t most = k > 32 ? 32 : k;
    const uint32_t distance = most << iteration > 32 ? 32 : most << iteration;
    const uint32_t left = ROWS >> iteration < 2 * most ? 2 * most : ROWS >> iteration;
    groups(dst, [&](uint32_t group) {
        uint32_t first = 0;
#pragma GCC unroll 0
        for (uint32_t done = 0; done < left; first += 2 * distance) {
#pragma GCC unroll 0
            for (uint32_t row = 0; row < most; row += 4, done += 8) {
                const uint32_t at[] = {first + row, first + row + distance};
                load(group, at);
                swap<stable>(smallest ? 1 : 0, smallest ? 0 : 1);
                store(group, at);
            }
        }
    });
}
// Sequences of k rows, which a merge has left bitonic, sorted again, in turn up and down.
template <bool stable>
inline void rebuild(uint32_t dst, bool ascending, uint32_t iteration, uint32_t k, uint32_t log_k,
                    bool skip_second)
{
    const uint32_t part = ROWS >> (iteration + 1);
    const uint32_t left = (part < 2 * k ? 2 * k : part) >> skip_second;
    const uint32_t distance = k << (iteration + 1) > 32 ? 32 : k << (iteration + 1);
    groups(dst, [&](uint32_t group) {
        if (log_k > 4)
            return late_phase<stable>(group, ascending, log_k - 1, log_k, 4);
        bool down = !ascending;
#pragma GCC unroll 0
        for (uint32_t row = 0, done = 0; done < left; row += 32, done += 16) {
            if (log_k == 4) {
                const uint32_t at[] = {row, row + 4, row + 8, row + 12};
                load(group, at);
                sixteen<stable>(!down);
                store(group, at);
                down = !down;
            } else if (log_k == 3) {
                const uint32_t at[] = {row, row + 4, row + distance, row + distance + 4};
                load(group, at);
                eights<stable>();
                store(group, at);
            } else if (log_k == 2 && iteration < 2) {
                const uint32_t at[] = {row, row + distance, row + 2 * distance, row + 3 * distance};
                load(group, at);
                fours<stable>();
                store(group, at);
            } else if (log_k == 2) {
                const uint32_t at[] = {row, row + distance};
                load(group, at);
                fours<stable>();
                store(group, at);
            }
        }
    });
}

} // namespace topk
#endif

ALWI void topk_tile_init()
{
    MATH((vec::init()));
}
template <bool stable = false>
ALWI void topk_local_sort([[maybe_unused]] uint32_t dst, [[maybe_unused]] int ascending,
                          [[maybe_unused]] int end_phase, [[maybe_unused]] int start_phase = 0,
                          [[maybe_unused]] int end_step = 0, [[maybe_unused]] int start_step = 0)
{
    MATH((topk::local_sort<stable>(dst, ascending != 0, uint32_t(end_phase), uint32_t(start_phase),
                                   uint32_t(end_step), uint32_t(start_step))));
}
template <bool smallest = false, bool stable = false>
ALWI void topk_merge([[maybe_unused]] uint32_t dst, [[maybe_unused]] int iteration,
                     [[maybe_unused]] int k)
{
    MATH((topk::merge<smallest, stable>(dst, uint32_t(iteration), uint32_t(k))));
}
template <bool stable = false>
ALWI void topk_rebuild([[maybe_unused]] uint32_t dst, [[maybe_unused]] bool ascending,
                       [[maybe_unused]] int iteration, [[maybe_unused]] int k,
                       [[maybe_unused]] int log_k, [[maybe_unused]] int skip_second)
{
    MATH((topk::rebuild<stable>(dst, ascending, uint32_t(iteration), uint32_t(k), uint32_t(log_k),
                                skip_second & 1)));
}
// A value of UInt16 in a 32-bit Dst is the only one that needs it.
ALWI void topk_uint16_prepare_value_tile_for_pack(uint32_t)
{
#ifdef TOPK_UINT16_FP32_DEST
    static_assert(!TOPK_UINT16_FP32_DEST, "values of UInt16 with a 32-bit Dst cannot be sorted");
#endif
}

} // namespace ckernel
