// A chunk of rows against one chunk of keys after the other. With m the largest score of a row so far,
// l the sum of its exponentials and o its result, a chunk with scores s changes them to
//
//   m' = max(m, s)    p = exp(s - m')    f = exp(m - m')    l' = f l + sum(p)    o' = f o + p v
//
// and o / l at the end is the result. Scores are divided by sqrt(dim) inside exp.
#include "compute_kernel_api.h"
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_binary_sfpu.h"
#include "compute_kernel_api/eltwise_unary/recip.h"
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/reduce.h"
#include "compute_kernel_api/tile_move_copy.h"

#include <utility>

#include "exp.h"
#include "work.h"

namespace NAMESPACE {

constexpr float SCALE = 1.0f / __builtin_sqrtf(32.0f * dt);
constexpr uint32_t half = qc > 2 ? 2 : qc; // rows of tiles of the result that fit in Dst

ALWI void finish(uint32_t first, uint32_t count, uint32_t cb)
{
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t i = 0; i < count; i++)
        pack_tile(first + i, cb);
    tile_regs_release();
}

// s = q @ t(k)
static void scores()
{
    mm_block_init_short(Q, K, 1, kc, 1, dt);
    cb_wait_front(K, kc * dt);
    cb_reserve_back(SCORES, qc * kc);
    for (uint32_t r = 0; r < qc; r++) {
        tile_regs_acquire();
        for (uint32_t d = 0; d < dt; d++)
            matmul_block(Q, K, r * dt + d, d * kc, 0, 1, kc, 1, dt);
        finish(0, kc, SCORES);
    }
    cb_push_back(SCORES, qc * kc);
    cb_pop_front(K, kc * dt);
}

// What a row may not see becomes -1e30. `above`: how many tiles the rows' first one lies behind the keys' first one.
static void hide(int32_t above)
{
    cb_wait_front(MASKS, 2); // they stay
    cb_wait_front(SCORES, qc * kc);
    add_tiles_init(SCORES, MASKS);
    for (uint32_t r = 0; r < qc; r++)
        for (uint32_t c = 0; c < kc; c++) {
            const int32_t behind = int32_t(c) - int32_t(r) - above;
            if (behind < 0)
                continue;
            tile_regs_acquire();
            add_tiles(SCORES, MASKS, r * kc + c, behind > 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile<true>(0, SCORES, r * kc + c); // to where it came from
            tile_regs_release();
        }
    cb_pop_front(SCORES, qc * kc);
    cb_reserve_back(SCORES, qc * kc);
    cb_push_back(SCORES, qc * kc);
}

// m' = max(m, s), to buffer `to`; m is in buffer `from`, if there is one
static void largest(uint32_t to, uint32_t from, bool old)
{
    cb_wait_front(SCORES, qc * kc);
    cb_reserve_back(to, qc);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(SCORES, ONES, to);
    tile_regs_acquire();
    for (uint32_t r = 0; r < qc; r++)
        for (uint32_t c = 0; c < kc; c++)
            reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(SCORES, ONES, r * kc + c, 0, r);
    if (old) {
        copy_tile_to_dst_init_short(from);
        for (uint32_t r = 0; r < qc; r++)
            copy_tile(from, r, qc + r);
        binary_max_tile_init();
        for (uint32_t r = 0; r < qc; r++)
            binary_max_tile(r, qc + r, r);
    }
    finish(0, qc, to);
    reduce_uninit();
    cb_push_back(to, qc);
}

// p = exp((s - m') / sqrt(dim))
static void powers(uint32_t m)
{
    cb_wait_front(m, qc);
    cb_reserve_back(POWERS, qc * kc);
    sub_bcast_cols_init_short(SCORES, m);
    MATH((softmax::init(SCALE)));
    for (uint32_t r = 0; r < qc; r++) {
        tile_regs_acquire();
        for (uint32_t c = 0; c < kc; c++)
            sub_tiles_bcast_cols(SCORES, m, r * kc + c, r, c);
        MATH((softmax::tiles(0, kc)));
        finish(0, kc, POWERS);
    }
    cb_push_back(POWERS, qc * kc);
    cb_pop_front(SCORES, qc * kc);
}

// sum(p), to `cb`
static void sums(uint32_t cb)
{
    cb_wait_front(POWERS, qc * kc);
    cb_reserve_back(cb, qc);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(POWERS, ONES, cb);
    tile_regs_acquire();
    for (uint32_t r = 0; r < qc; r++)
        for (uint32_t c = 0; c < kc; c++)
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(POWERS, ONES, r * kc + c, 0, r);
    finish(0, qc, cb);
    reduce_uninit();
    cb_push_back(cb, qc);
}

// f = exp((m - m') / sqrt(dim)); m is done with
static void factors(uint32_t to, uint32_t from)
{
    cb_reserve_back(FACTORS, qc);
    sub_tiles_init(from, to);
    MATH((softmax::init(SCALE)));
    tile_regs_acquire();
    for (uint32_t r = 0; r < qc; r++)
        sub_tiles(from, to, r, r, r);
    MATH((softmax::left_halves(0, qc)));
    finish(0, qc, FACTORS);
    cb_push_back(FACTORS, qc);
    cb_pop_front(from, qc);
}

// l' = f l + sum(p)
static void add_sums()
{
    cb_wait_front(FACTORS, qc);
    cb_wait_front(PARTS, qc);
    cb_wait_front(SUMS, qc);
    cb_reserve_back(SUMS, qc);
    for (uint32_t r = 0; r < qc; r++) {
        tile_regs_acquire();
        copy_tile_to_dst_init_short(SUMS);
        copy_tile(SUMS, r, 0);
        copy_tile(FACTORS, r, 1);
        copy_tile(PARTS, r, 2);
        mul_binary_tile_init();
        mul_binary_tile(0, 1, 0);
        add_binary_tile_init();
        add_binary_tile(0, 2, 0);
        finish(0, 1, SUMS);
    }
    cb_push_back(SUMS, qc);
    cb_pop_front(SUMS, qc);
    cb_pop_front(PARTS, qc);
}

// o' = f o + p v: the product is added to what is in Dst
static void results(bool old)
{
    cb_wait_front(V, kc * dt);
    cb_reserve_back(RESULT, qc * dt);
    if (old)
        cb_wait_front(RESULT, qc * dt);
    for (uint32_t first = 0; first < qc; first += half) {
        tile_regs_acquire();
        if (old) {
            mul_bcast_cols_init_short(RESULT, FACTORS);
            for (uint32_t r = 0; r < half; r++)
                for (uint32_t d = 0; d < dt; d++)
                    mul_tiles_bcast_cols(RESULT, FACTORS, (first + r) * dt + d, first + r,
                                         r * dt + d);
        }
        mm_block_init_short(POWERS, V, 0, dt, half, kc);
        for (uint32_t c = 0; c < kc; c++)
            matmul_block(POWERS, V, first * kc + c, c * dt, 0, 0, dt, half, kc);
        finish(0, half * dt, RESULT);
    }
    cb_push_back(RESULT, qc * dt);
    if (old) {
        cb_pop_front(RESULT, qc * dt);
        cb_pop_front(FACTORS, qc);
    }
    cb_pop_front(POWERS, qc * kc);
    cb_pop_front(V, kc * dt);
}

// o / l
static void divide()
{
    cb_wait_front(SUMS, qc);
    cb_reserve_back(FACTORS, qc);
    copy_tile_to_dst_init_short(SUMS);
    recip_tile_init();
    tile_regs_acquire();
    for (uint32_t r = 0; r < qc; r++)
        copy_tile(SUMS, r, r);
    for (uint32_t r = 0; r < qc; r++)
        recip_tile(r, (int)VectorMode::C);
    finish(0, qc, FACTORS);
    cb_push_back(FACTORS, qc);
    cb_pop_front(SUMS, qc);

    cb_wait_front(FACTORS, qc);
    cb_wait_front(RESULT, qc * dt);
    cb_reserve_back(OUT, qc * dt);
    mul_bcast_cols_init_short(RESULT, FACTORS);
    for (uint32_t first = 0; first < qc; first += half) {
        tile_regs_acquire();
        for (uint32_t r = 0; r < half; r++)
            for (uint32_t d = 0; d < dt; d++)
                mul_tiles_bcast_cols(RESULT, FACTORS, (first + r) * dt + d, first + r, r * dt + d);
        finish(0, half * dt, OUT);
    }
    cb_push_back(OUT, qc * dt);
    cb_pop_front(RESULT, qc * dt);
    cb_pop_front(FACTORS, qc);
}

// Keys and values that came for other cores of the head.
static void drop()
{
    cb_wait_front(K, kc * dt);
    cb_pop_front(K, kc * dt);
    cb_wait_front(V, kc * dt);
    cb_pop_front(V, kc * dt);
}

void MAIN
{
    const uint32_t part = get_arg_val<uint32_t>(0);
    mm_init(Q, K, OUT);
    cb_wait_front(ONES, 1);
    EACH_ROUND
        for (uint32_t n = 0; n < chunks; n++) {
            const uint32_t row = first_row(part, n);
            uint32_t m = LARGEST, m_old = LARGER; // change places with every chunk of keys
            cb_wait_front(Q, qc * dt);
            for (uint32_t j = 0; j < key_chunks(row); j++) {
                const bool old = j > 0;
                scores();
                if (causal && (j + 1) * kc > row)
                    hide(int32_t(row) - int32_t(j * kc));
                largest(m, m_old, old);
                powers(m);
                sums(old ? PARTS : SUMS);
                if (old) {
                    factors(m, m_old);
                    add_sums();
                }
                results(old);
                std::swap(m, m_old);
            }
            for (uint32_t j = key_chunks(row); j < chunks_that_come(part, n); j++)
                drop();
            cb_pop_front(m_old, qc);
            cb_pop_front(Q, qc * dt);
            divide();
        }
}
} // namespace NAMESPACE
