// Softmax and RMSNorm over the rows of a matrix, a row of tiles at a time, in three passes:
//   1. exp(x), or x^2                                       to an intermediate buffer
//   2. sums of the rows: a product with a tile of ones, which leaves the sum in every column; the vector unit makes the
//      factor of the row of it: 1 / sum, or 1 / sqrt(sum / n + eps)
//   3. exp(x), or x, times the factor
// Softmax does not take the largest element away first: it is exact for |x| < 80, beyond that exp saturates.
#include "compute_kernel_api/matmul.h"
#include "llk_sfpu.h"
#include "llk_tiles.h"

namespace {

enum { SOFTMAX, RMSNORM };
constexpr uint32_t MID = 24, FACTOR = 25; // intermediate buffers

// One tile: what the unpack and math threads were programmed for, packed to the end of `out`.
template <typename Work>
void one_tile(uint32_t out, Work work)
{
    tile_regs_acquire();
    work();
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(out, 1);
    pack_tile(0, out);
    tile_regs_release();
    cb_push_back(out, 1);
}

void first_pass([[maybe_unused]] uint32_t op, uint32_t across)
{
    MATH(if (op == SOFTMAX) sfpu::init(sfpu::EXP, 2));
    MATH(if (op == RMSNORM) tiles::eltwise_init(tiles::ELTWISE_MUL, 0, get_arg(TS_ARG_PHASES)));
    for (uint32_t i = 0; i < across; i++)
        one_tile(MID, [&] {
            UNPACK(if (op == SOFTMAX) tiles::unpack_a(TS_CB_IN0, i));
            UNPACK(if (op == RMSNORM) tiles::unpack_ab(TS_CB_IN0, TS_CB_IN0, i, i));
            MATH(if (op == SOFTMAX) sfpu::copy_tile(0));
            MATH(if (op == SOFTMAX) sfpu::run(0); else tiles::run(0));
        });
}

void second_pass([[maybe_unused]] uint32_t op, uint32_t across)
{
    cb_wait_front(MID, across);
    UNPACK(matmul::unpack_init(cb_get(TS_CB_IN1).tile_bytes, cb_get(MID).tile_bytes, 1, 1, 1));
    MATH(matmul::math_init(get_arg(TS_ARG_PHASES), 0, 1, 1));
    one_tile(FACTOR, [&] {
        for (uint32_t i = 0; i < across; i++)
            matmul_tiles(MID, TS_CB_IN1, i, 0, 0);
        MATH(sfpu::init(op == SOFTMAX ? sfpu::RECIPROCAL : sfpu::RSQRT, 2, get_arg(TS_ARG_SCALE)));
        MATH(sfpu::run(0));
    });
}

void third_pass(uint32_t op, uint32_t across)
{
    [[maybe_unused]] const uint32_t from = op == SOFTMAX ? MID : uint32_t(TS_CB_IN0);
    MATH(tiles::eltwise_init(tiles::ELTWISE_MUL, 0, get_arg(TS_ARG_PHASES)));
    cb_wait_front(FACTOR, 1);
    for (uint32_t i = 0; i < across; i++)
        one_tile(TS_CB_OUT, [&] {
            UNPACK(tiles::unpack_ab(from, FACTOR, i, 0));
            MATH(tiles::run(0));
        });
    cb_pop_front(MID, across);
    cb_pop_front(FACTOR, 1);
}

} // namespace

namespace NAMESPACE {
void MAIN
{
    const uint32_t across = get_arg(TS_ARG_ACROSS), tiles = get_arg(TS_ARG_TILES);
    const uint32_t op = get_arg(TS_ARG_OP), repeat = get_arg(TS_ARG_REPEAT);
    {
        profile::zone init(TS_ZONE_INIT);
        compute::hw_startup(TS_CB_IN0, TS_CB_IN0, TS_CB_OUT);
        UNPACK(tiles::unpack_init(true));
        tensix_sync();
    }
    profile::zone loop(TS_ZONE_LOOP);
    for (uint32_t pass = 0; pass < repeat; pass++) {
        cb_wait_front(TS_CB_IN1, 1);
        for (uint32_t done = 0; done < tiles; done += across) {
            cb_wait_front(TS_CB_IN0, across);
            first_pass(op, across);
            second_pass(op, across);
            third_pass(op, across);
            cb_pop_front(TS_CB_IN0, across);
        }
        cb_pop_front(TS_CB_IN1, 1);
    }
    tensix_sync();
}
} // namespace NAMESPACE
