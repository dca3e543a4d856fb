// Sums, extremes, running sums and running statistics of a tile in Dst, by the vector unit.
//
// A vector is four rows of Dst and every other column of a face: 4 rows of 8 lanes. Four vectors hold four rows of a
// tile (left and right face, even and odd columns). SFPTRANSP makes of registers 0 to 3 that hold them registers of
// one row of 32 columns each, and the other way round; it does the same to registers 4 to 7, so what these keep is
// transposed twice.
#pragma once
#include "internal/sfpu_int.h"

namespace ckernel {

#ifdef TRISC_MATH
namespace vec {

// Where the vector of column group `group` of rows 4 * four to 4 * four + 3 lies, from the start of a tile.
constexpr uint32_t quad(uint32_t group, uint32_t four)
{
    return four / 4 * 32 + group / 2 * 16 + four % 4 * 4 + group % 2 * 2;
}
ALWI void load_at(uint32_t r, uint32_t row, uint32_t format = metal::vector_format())
{
    TT_SFPLOAD(r, format, MODE, row);
}
ALWI void store_at(uint32_t r, uint32_t row, uint32_t format = metal::vector_format())
{
    TT_SFPSTORE(r, format, MODE, row);
}
ALWI void transpose()
{
    nop(); // what a product writes has arrived
    TTI_SFPTRANSP(0, 0, 0, 0);
}
ALWI void rotate(uint32_t d, uint32_t s) // by one of 8 lanes
{
    nop();
    TT_SFPSHFT2(0, s, d, 3);
    nop();
}

// How elements of a format are loaded, joined and stored. Integers are compared as sign and magnitude.
template <PoolType type, DataFormat format> struct fold {
    static constexpr bool whole = format == DataFormat::Int32 || format == DataFormat::UInt32 ||
                                  format == DataFormat::UInt16;
    static constexpr bool ordered = type == MAX || type == MIN;
    static constexpr uint32_t held = format == DataFormat::UInt16 ? UINT16
                                     : whole                      ? INT32
                                                                  : metal::vector_format();
    static_assert(whole || format == DataFormat::Float32 || format == DataFormat::Float16_b,
                  "sfpu_reduce is of Float32, Float16_b, Int32, UInt32 and UInt16");
    static_assert(!whole || type != AVG, "the average of integers has no format: reduce with SUM");

    ALWI static void load(uint32_t r, uint32_t row)
    {
        load_at(r, row, held);
        if constexpr (whole && ordered)
            to_sign_magnitude(r, r);
    }
    ALWI static void store(uint32_t r, uint32_t row)
    {
        if constexpr (whole && ordered)
            to_sign_magnitude(r, r); // and back: the same operation
        store_at(r, row, held);
    }
    ALWI static void join(uint32_t r, uint32_t other)
    {
        if constexpr (ordered && blind) { // in total order: of integers, too
            exchange(other, r, type == MAX ? 9 : 1);
        } else if constexpr (ordered) {
            if constexpr (type == MAX)
                when_greater(other, r);
            else
                when_greater(r, other);
            mov(r, other);
            end();
        } else if constexpr (whole) {
            iadd(r, other);
        } else {
            add(r, r, other);
        }
    }
};

// Every column, to the first row. The three rows below it become zero.
template <PoolType type, DataFormat format> inline void fold_columns(uint32_t dst)
{
    using with = fold<type, format>;
    begin(dst);
#pragma GCC unroll 4
    for (uint32_t group = 0; group < 4; group++) {
        with::load(group, quad(group, 0));
        for (uint32_t four = 1; four < 8; four++) {
            with::load(4, quad(group, four));
            with::join(group, 4);
        }
    }
    transpose();
    for (uint32_t row = 1; row < 4; row++) {
        with::join(0, row);
        word(row, 0);
    }
    if constexpr (type == AVG) {
        number(4, 1.0f / 32);
        mul(0, 0, 4);
    }
    transpose();
    for (uint32_t group = 0; group < 4; group++)
        with::store(group, quad(group, 0));
    finish();
}
// Every row, to the first column, and to the other even columns of its face.
template <PoolType type, DataFormat format> inline void fold_rows(uint32_t dst)
{
    using with = fold<type, format>;
    begin(dst);
#pragma GCC unroll 0
    for (uint32_t four = 0; four < 8; four++) {
        with::load(0, quad(0, four));
        for (uint32_t group = 1; group < 4; group++) {
            with::load(1, quad(group, four));
            with::join(0, 1);
        }
        for (uint32_t lanes = 1; lanes < 8; lanes *= 2) {
            rotate(1, 0);
            for (uint32_t i = 1; i < lanes; i++)
                rotate(1, 1);
            with::join(0, 1);
        }
        with::store(0, quad(0, four));
    }
    finish();
}

// Running sums down the columns; registers 4 to 7 keep them from tile to tile, transposed.
inline void running_sums(uint32_t dst, bool first)
{
    begin(dst);
    for (uint32_t i = 4; first && i < 8; i++)
        word(i, 0);
#pragma GCC unroll 0
    for (uint32_t four = 0; four < 8; four++) {
        for (uint32_t group = 0; group < 4; group++)
            load_at(group, quad(group, four));
        transpose();
        add(0, 0, 4);
        for (uint32_t row = 1; row < 4; row++)
            add(row, row, row - 1);
        nop();
        mov(4, 3);
        transpose();
        for (uint32_t group = 0; group < 4; group++)
            store_at(group, quad(group, four));
    }
    finish();
}

// --- Welford: register 4 keeps the mean of each column, 5 the sum of squares about it ---

// 1 / (samples), of which `index` is the last: from a table, or worked out.
template <size_t entries> using shares = std::array<uint32_t, entries>;
template <size_t entries> ALWI uint32_t one_over(uint32_t index, const shares<entries> &table)
{
    if constexpr (entries != 0)
        return table[index];
    else
        return bits(1.0f / float(index + 1));
}
ALWI void welford_row(uint32_t x, uint32_t share)
{
    word(7, share);
    sub(6, x, 4);
    mad(4, 6, 7, 4);
    sub(x, x, 4);
    mad(5, 6, x, 5);
}
// Rows `first` to `last` of a tile are samples `index` and following.
template <size_t entries>
inline void welford_rows(uint32_t dst, uint32_t index, uint32_t first, uint32_t last,
                         const shares<entries> &table)
{
    begin(dst);
#pragma GCC unroll 0
    for (uint32_t four = first / 4; four * 4 < last; four++) {
        transpose(); // registers 4 and 5; back with the next one
        for (uint32_t group = 0; group < 4; group++)
            load_at(group, quad(group, four));
        transpose();
#pragma GCC unroll 4
        for (uint32_t row = 0; row < 4; row++)
            if (4 * four + row >= first && 4 * four + row < last)
                welford_row(row, one_over<entries>(index++, table));
    }
    finish();
}
ALWI void welford_forget()
{
    word(4, 0);
    word(5, 0);
}
// One register as the first row of a tile, three rows of zeros below it.
ALWI void store_row(uint32_t r, uint32_t tile)
{
    mov(0, r);
    for (uint32_t i = 1; i < 4; i++)
        word(i, 0);
    transpose();
    for (uint32_t group = 0; group < 4; group++)
        store_at(group, tile * ROWS_PER_TILE + quad(group, 0));
    transpose();
}
ALWI void welford_variance(uint32_t share)
{
    word(7, share);
    mul(5, 5, 7);
    nop();
}

} // namespace vec
#endif

// --- sums, averages and extremes of rows or columns ---

namespace metal {
[[gnu::error("sfpu_reduce reduces one tile: ct_dim and rt_dim are 1")]] void refuse_block();
[[gnu::error("sfpu_add_int adds the tile behind the first one: its offset is 1")]] void
refuse_offset();
} // namespace metal

template <PoolType type, DataFormat format> ALWI void sfpu_reduce_init()
{
    ts_vector_init();
}
template <PoolType type, DataFormat format, ReduceDim dim = REDUCE_COL>
ALWI void sfpu_reduce([[maybe_unused]] uint32_t dst, uint32_t across = 1, uint32_t down = 1)
{
    static_assert(dim == REDUCE_COL || dim == REDUCE_ROW, "sfpu_reduce is of rows or of columns");
    static_assert(dim == REDUCE_COL || type != AVG, "averages are only of columns");
    if (across != 1 || down != 1)
        metal::refuse_block();
#ifdef TRISC_MATH
    if constexpr (dim == REDUCE_COL)
        vec::fold_columns<type, format>(dst);
    else
        vec::fold_rows<type, format>(dst);
#endif
}
ALWI void sfpu_sum_int_init()
{
    ts_vector_init();
}
ALWI void sfpu_sum_int_col(uint32_t dst)
{
    sfpu_reduce<SUM, DataFormat::Int32, REDUCE_COL>(dst);
}
ALWI void sfpu_sum_int_row(uint32_t dst)
{
    sfpu_reduce<SUM, DataFormat::Int32, REDUCE_ROW>(dst);
}
ALWI void sfpu_add_int(uint32_t dst, uint32_t offset = 1, int32_t = 8)
{
    if (offset != 1)
        metal::refuse_offset();
    add_int_tile<DataFormat::Int32>(dst, dst + 1, dst);
}

// Running sums down the columns; `first`: from zero, else on from the tile before.
ALWI void cumsum_tile_init()
{
    ts_vector_init();
}
ALWI void cumsum_tile([[maybe_unused]] uint32_t dst, [[maybe_unused]] bool first = true)
{
    MATH(vec::running_sums(dst, first));
}

// --- mean and variance of the columns, tile after tile ---

enum class WelfordInitMode : uint8_t { ClearStats, PreserveStats };

template <WelfordInitMode mode = WelfordInitMode::ClearStats> ALWI void welford_init()
{
    ts_vector_init();
    MATH(if constexpr (mode == WelfordInitMode::ClearStats) vec::welford_forget());
}
ALWI void welford_reinit(uint32_t cb)
{
    copy_tile_to_dst_init_short(cb);
    ts_vector_init();
}
ALWI void welford_clear()
{
    MATH(vec::welford_forget());
}
template <std::size_t entries>
ALWI void welford_update([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t index,
                         [[maybe_unused]] const std::array<uint32_t, entries> &table)
{
    MATH((vec::welford_rows<entries>(dst, index, 0, 32, table)));
}
template <std::size_t entries>
ALWI void welford_update_rows([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t index,
                              [[maybe_unused]] uint32_t first, [[maybe_unused]] uint32_t count,
                              [[maybe_unused]] const std::array<uint32_t, entries> &table)
{
    MATH((vec::welford_rows<entries>(dst, index, first, first + count, table)));
}
// As one vector each, in four rows of two tiles: for the same function of the other direction.
ALWI void welford_save_state([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t group = 0)
{
#ifdef TRISC_MATH
    vec::begin(dst);
    vec::nop();
    vec::store_at(4, 4 * group);
    vec::store_at(5, vec::ROWS_PER_TILE + 4 * group);
    vec::finish();
#endif
}
ALWI void welford_restore_state([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t group = 0)
{
#ifdef TRISC_MATH
    vec::begin(dst);
    vec::load_at(4, 4 * group);
    vec::load_at(5, vec::ROWS_PER_TILE + 4 * group);
    vec::finish();
#endif
}
// Mean and variance to the first rows of two tiles; table[last] is one over the number of samples.
template <std::size_t entries>
ALWI void welford_finalize_to_row([[maybe_unused]] uint32_t dst, [[maybe_unused]] uint32_t last,
                                  [[maybe_unused]] const std::array<uint32_t, entries> &table)
{
#ifdef TRISC_MATH
    vec::begin(dst);
    vec::welford_variance(vec::one_over<entries>(last, table));
    vec::store_row(4, 0);
    vec::store_row(5, 1);
    vec::finish();
#endif
}
// To the even columns of four rows of the left upper face: eight columns of the tile in each.
template <std::size_t entries>
ALWI void welford_finalize_to_face(uint32_t dst, [[maybe_unused]] uint32_t group,
                                   [[maybe_unused]] uint32_t last,
                                   [[maybe_unused]] const std::array<uint32_t, entries> &table)
{
    MATH((vec::welford_variance(vec::one_over<entries>(last, table))));
    welford_save_state(dst, group);
}
template <std::size_t entries>
ALWI void welford_finalize_to_face(uint32_t dst, uint32_t last,
                                   const std::array<uint32_t, entries> &table)
{
    welford_finalize_to_face<entries>(dst, 0, last, table);
}

} // namespace ckernel
