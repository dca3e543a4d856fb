// Softmax and RMSNorm over the rows of a matrix, a row of tiles at a time:
//   1. softmax: the largest element of every row, a column
//   2. exp(x - largest), or x^2, to an intermediate buffer
//   3. sums of the rows: a product with a tile of ones, which leaves the sum in every column; the
//      vector unit makes the factor of the row of it: 1 / sum, or 1 / sqrt(sum / n + eps)
//   4. exp(x - largest), or x, times the factor
// The difference is rounded to BF16 in Dst: e^d is off by up to |d| / 512 of itself for that.
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/tile_loop.h"
#include "llk_sfpu.h"

namespace {

enum { SOFTMAX, RMSNORM };
// Intermediate buffers; MAXIMA has them in the first rows of faces 0 and 2, COLUMN in the first
// column.
constexpr uint32_t MID = 24, FACTOR = 25, MAXIMA = 26, COLUMN = 27;

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

// The largest element of every row, as a column: over all tiles of the row with transposed faces,
// and then transposed back.
void maxima(const compute::run_type &run, uint32_t across)
{
    UNPACK(unpacker::transpose_a(true));
    MATH(tiles::pool_init(true, 1, true));
    one_tile(run, MAXIMA, [&] {
        for (uint32_t i = 0; i < across; i++)
            compute::tile_work(
                run, true, [&] { UNPACK(tiles::unpack_ab(TS_CB_IN0, TS_CB_IN1, i, 0)); },
                [&] { MATH(tiles::run(0)); });
    });
    MATH(tiles::copy_init());
    if (run.together())
        cb_wait_front(MAXIMA, 1);
    one_tile(run, COLUMN, [&] {
        compute::tile_work(
            run, false, [&] { UNPACK(tiles::unpack_a(MAXIMA, 0)); }, [&] { MATH(tiles::run(0)); });
    });
    UNPACK(unpacker::transpose_a(false));
    if (run.together())
        cb_pop_front(MAXIMA, 1);
}

// exp(x - max): none is larger than one, and the largest is one.
void exponentials(const compute::run_type &run, uint32_t across)
{
    MATH(sfpu::init(sfpu::EXP, 2, 0, sfpu::FEED_LESS_COLUMN));
    if (run.together())
        cb_wait_front(COLUMN, 1);
    for (uint32_t i = 0; i < across; i++)
        one_tile(run, MID, [&] {
            compute::tile_work(
                run, true, [&] { UNPACK(tiles::unpack_ab(TS_CB_IN0, COLUMN, i, 0)); },
                [&] {
                    MATH(sfpu::copy_tile(0));
                    MATH(sfpu::run(0));
                });
        });
    if (run.together())
        cb_pop_front(COLUMN, 1);
}

void squares(const compute::run_type &run, uint32_t across)
{
    MATH(tiles::eltwise_init(tiles::ELTWISE_MUL, 0, get_arg(TS_ARG_PHASES)));
    for (uint32_t i = 0; i < across; i++)
        one_tile(run, MID, [&] {
            compute::tile_work(
                run, true, [&] { UNPACK(tiles::unpack_ab(TS_CB_IN0, TS_CB_IN0, i, i)); },
                [&] { MATH(tiles::run(0)); });
        });
}

void factors(const compute::run_type &run, [[maybe_unused]] uint32_t op, uint32_t across)
{
    if (run.together())
        cb_wait_front(MID, across);
    UNPACK(matmuls::unpack_init(cb_get(TS_CB_IN1).tile_bytes, cb_get(MID).tile_bytes, 1, 1, 1));
    MATH(matmuls::math_program<false>(get_arg(TS_ARG_PHASES), 0, 1, 1));
    one_tile(run, FACTOR, [&] {
        for (uint32_t i = 0; i < across; i++)
            compute::tile_work(
                run, true, [&] { UNPACK(llk_unpack_AB_matmul(MID, TS_CB_IN1, i, 0)); },
                [&] { MATH(llk_math_matmul(0)); });
        MATH(sfpu::init(op == SOFTMAX ? sfpu::RECIPROCAL : sfpu::RSQRT, 2, get_arg(TS_ARG_SCALE)));
        MATH(if (run.computes()) sfpu::run(0));
    });
}

void products(const compute::run_type &run, uint32_t op, uint32_t across)
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
                if (op == SOFTMAX) {
                    maxima(run, across);
                    exponentials(run, across);
                } else {
                    squares(run, across);
                }
                factors(run, op, across);
                products(run, op, across);
                if (run.unpacks())
                    cb_pop_front(TS_CB_IN0, across);
            }
            if (run.unpacks())
                cb_pop_front(TS_CB_IN1, 1);
        });
}
} // namespace NAMESPACE
