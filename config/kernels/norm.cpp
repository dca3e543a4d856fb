// Softmax and RMSNorm over the rows of a matrix, a row of tiles at a time, in three passes:
//   1. exp(x), or x^2                                       to an intermediate buffer
//   2. sums of the rows: a product with a tile of ones, which leaves the sum in every column; the vector unit makes the
//      factor of the row of it: 1 / sum, or 1 / sqrt(sum / n + eps)
//   3. exp(x), or x, times the factor
// Softmax does not take the largest element away first: it is exact for |x| < 80, beyond that exp saturates.
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/tile_loop.h"
#include "llk_sfpu.h"

namespace {

enum { SOFTMAX, RMSNORM };
constexpr uint32_t MID = 24, FACTOR = 25; // intermediate buffers

// One tile: work(), packed to the end of `out`. An isolated thread has nobody to wait for.
template <typename Work> void one_tile(const compute::run_type &run, uint32_t out, Work work)
{
    const bool handed = run.together() || out == TS_CB_OUT; // somebody takes it out again
    compute::dst_acquire(run);
    work();
    compute::dst_hand_over(run);
    if (run.packs() && handed)
        cb_reserve_back(out, 1);
    if (run.packs())
        pack_tile(0, out);
    compute::dst_release(run);
    if (run.packs() && handed)
        cb_push_back(out, 1);
    PACK(cb_detail::written = 0);
}

void first_pass(const compute::run_type &run, uint32_t op, uint32_t across)
{
    MATH(if (op == SOFTMAX) sfpu::init(sfpu::EXP, 2));
    MATH(if (op == RMSNORM) tiles::eltwise_init(tiles::ELTWISE_MUL, 0, get_arg(TS_ARG_PHASES)));
    for (uint32_t i = 0; i < across; i++)
        one_tile(run, MID, [&] {
            compute::tile_work(
                run, op == RMSNORM,
                [&] {
                    UNPACK(if (op == SOFTMAX) tiles::unpack_a(TS_CB_IN0, i));
                    UNPACK(if (op == RMSNORM) tiles::unpack_ab(TS_CB_IN0, TS_CB_IN0, i, i));
                },
                [&] {
                    MATH(if (op == SOFTMAX) sfpu::copy_tile(0));
                    MATH(if (op == SOFTMAX) sfpu::run(0); else tiles::run(0));
                });
        });
}

void second_pass(const compute::run_type &run, [[maybe_unused]] uint32_t op, uint32_t across)
{
    if (run.together())
        cb_wait_front(MID, across);
    UNPACK(matmul::unpack_init(cb_get(TS_CB_IN1).tile_bytes, cb_get(MID).tile_bytes, 1, 1, 1));
    MATH(matmul::math_init(get_arg(TS_ARG_PHASES), 0, 1, 1));
    one_tile(run, FACTOR, [&] {
        for (uint32_t i = 0; i < across; i++)
            compute::tile_work(
                run, true, [&] { UNPACK(llk_unpack_AB_matmul(MID, TS_CB_IN1, i, 0)); },
                [&] { MATH(llk_math_matmul(0)); });
        MATH(sfpu::init(op == SOFTMAX ? sfpu::RECIPROCAL : sfpu::RSQRT, 2, get_arg(TS_ARG_SCALE)));
        MATH(if (run.computes()) sfpu::run(0));
    });
}

void third_pass(const compute::run_type &run, uint32_t op, uint32_t across)
{
    [[maybe_unused]] const uint32_t from = op == SOFTMAX ? MID : uint32_t(TS_CB_IN0);
    MATH(tiles::eltwise_init(tiles::ELTWISE_MUL, 0, get_arg(TS_ARG_PHASES)));
    if (run.together())
        cb_wait_front(FACTOR, 1);
    for (uint32_t i = 0; i < across; i++)
        one_tile(run, TS_CB_OUT, [&] {
            compute::tile_work(
                run, true, [&] { UNPACK(tiles::unpack_ab(from, FACTOR, i, 0)); },
                [&] { MATH(tiles::run(0)); });
        });
    if (run.together()) {
        cb_pop_front(MID, across);
        cb_pop_front(FACTOR, 1);
    }
}

} // namespace

namespace NAMESPACE {
void MAIN
{
    const uint32_t across = get_arg(TS_ARG_ACROSS), tiles = get_arg(TS_ARG_TILES);
    const uint32_t op = get_arg(TS_ARG_OP);
    compute::tile_kernel(
        [] {
            compute::hw_startup(TS_CB_IN0, TS_CB_IN0, TS_CB_OUT);
            UNPACK(tiles::unpack_init(true));
        },
        [&] {
            const compute::run_type run;
            if (run.unpacks())
                cb_wait_front(TS_CB_IN1, 1);
            for (uint32_t done = 0; done < tiles; done += across) {
                if (run.unpacks())
                    cb_wait_front(TS_CB_IN0, across);
                first_pass(run, op, across);
                second_pass(run, op, across);
                third_pass(run, op, across);
                if (run.unpacks())
                    cb_pop_front(TS_CB_IN0, across);
            }
            if (run.unpacks())
                cb_pop_front(TS_CB_IN1, 1);
        });
}
} // namespace NAMESPACE
