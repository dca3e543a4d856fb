// A row of tiles at a time; a column of numbers, one for each row of elements, is in the first column of a tile.
//
//   softmax      p = exp(x - max(x))          y = p * (1 / sum(p))
//   rmsnorm      q = mean(x * x)              y = x * rsqrt(q + epsilon)
//   layernorm    d = x - mean(x)              y = rmsnorm(d)
#include "compute_kernel_api.h"
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_unary/binop_with_scalar.h"
#include "compute_kernel_api/eltwise_unary/exp.h"
#include "compute_kernel_api/eltwise_unary/recip.h"
#include "compute_kernel_api/eltwise_unary/rsqrt.h"
#include "compute_kernel_api/reduce.h"

namespace NAMESPACE {

enum { X, SCALE = 2, Y = 16, PART = 24, SQUARES, NUMBERS, FACTORS };
enum { SOFTMAX, RMSNORM, LAYERNORM };
constexpr uint32_t across = get_compile_time_arg_val(0), op = get_compile_time_arg_val(1);
constexpr uint32_t epsilon = get_compile_time_arg_val(2);

// Packs tile 0 of Dst.
ALWI void finish(uint32_t to)
{
    tile_regs_commit();
    cb_reserve_back(to, 1);
    tile_regs_wait();
    pack_tile(0, to);
    tile_regs_release();
    cb_push_back(to, 1);
}

// The sum or the maximum of the rows of `from`, with `then` done to it in Dst.
template <PoolType type, typename F> static void number(uint32_t from, uint32_t to, F then)
{
    reconfig_data_format(from, SCALE);
    pack_reconfig_data_format(to);
    cb_wait_front(from, across);
    reduce_init<type, ReduceDim::REDUCE_ROW>(from, SCALE, to);
    tile_regs_acquire();
    for (uint32_t i = 0; i < across; i++)
        reduce_tile<type, ReduceDim::REDUCE_ROW>(from, SCALE, i, 0, 0);
    reduce_uninit();
    then();
    finish(to);
}

// x minus its row's number, with `then` done to it in Dst.
template <typename F> static void without(F then)
{
    reconfig_data_format(X, NUMBERS);
    pack_reconfig_data_format(PART);
    cb_wait_front(NUMBERS, 1);
    sub_bcast_cols_init_short(X, NUMBERS);
    for (uint32_t i = 0; i < across; i++) {
        tile_regs_acquire();
        sub_tiles_bcast_cols(X, NUMBERS, i, 0, 0);
        then();
        finish(PART);
    }
    cb_pop_front(NUMBERS, 1);
    cb_pop_front(X, across);
}

static void squares(uint32_t from)
{
    reconfig_data_format(from, from);
    pack_reconfig_data_format(SQUARES);
    cb_wait_front(from, across);
    mul_tiles_init(from, from);
    for (uint32_t i = 0; i < across; i++) {
        tile_regs_acquire();
        mul_tiles(from, from, i, i, 0);
        finish(SQUARES);
    }
}

// y = from times its row's factor
static void scale(uint32_t from)
{
    reconfig_data_format(from, FACTORS);
    pack_reconfig_data_format(Y);
    cb_wait_front(FACTORS, 1);
    mul_bcast_cols_init_short(from, FACTORS);
    for (uint32_t i = 0; i < across; i++) {
        tile_regs_acquire();
        mul_tiles_bcast_cols(from, FACTORS, i, 0, 0);
        finish(Y);
    }
    cb_pop_front(FACTORS, 1);
    cb_pop_front(from, across);
}

static void root_of_mean()
{
    binop_with_scalar_tile_init();
    add_unary_tile(0, epsilon);
    rsqrt_tile_init();
    rsqrt_tile(0);
}

void MAIN
{
    constexpr uint32_t from = op == RMSNORM ? X : PART;
    binary_op_init_common(X, SCALE, Y);
    cb_wait_front(SCALE, 1);
    for (uint32_t left = get_arg_val<uint32_t>(0); left > 0; left--) {
        if constexpr (op == SOFTMAX) {
            number<PoolType::MAX>(X, NUMBERS, [] {});
            without([] {
                exp_tile_init();
                exp_tile(0);
            });
            number<PoolType::SUM>(PART, FACTORS, [] {
                recip_tile_init();
                recip_tile(0);
            });
        } else {
            if constexpr (op == LAYERNORM) {
                number<PoolType::SUM>(X, NUMBERS, [] {});
                without([] {});
            }
            squares(from);
            number<PoolType::SUM>(SQUARES, FACTORS, root_of_mean);
            cb_pop_front(SQUARES, across);
        }
        scale(from);
    }
}
} // namespace NAMESPACE
