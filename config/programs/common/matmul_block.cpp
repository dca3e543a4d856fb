// The core's block of c, in sub-blocks that fit in Dst. The packer adds each block's products to the sums in
// L1; the last block starts from these sums in Dst and goes to c.
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/tile_move_copy.h"

namespace NAMESPACE {

enum { A, B, C = 4, SUMS = 5 };
constexpr uint32_t blocks = get_compile_time_arg_val(0), kt = get_compile_time_arg_val(1);
constexpr uint32_t height = get_compile_time_arg_val(2), width = get_compile_time_arg_val(3);
constexpr uint32_t rows = get_compile_time_arg_val(4), columns = get_compile_time_arg_val(5);
constexpr uint32_t tiles = rows * columns; // of a sub-block
constexpr uint32_t last_kt = get_compile_time_arg_val(6); // tiles of the inner dimension that the last block has
static_assert(tiles <= 8 && height % rows == 0 && width % columns == 0 &&
                  (columns == width || rows == 1),
              "sub_rows x sub_columns does not divide a core's block");

// Dst starts from the sums so far.
static void take_sums()
{
    copy_tile_to_dst_init_short_with_dt(B, SUMS);
    cb_wait_front(SUMS, tiles);
    copy_block_matmul_partials(SUMS, 0, 0, tiles);
    cb_pop_front(SUMS, tiles);
    mm_block_init_short_with_dt(A, B, SUMS, 0, columns, rows, kt);
}

static void pack(uint32_t cb)
{
    cb_reserve_back(cb, tiles);
    tile_regs_wait();
    pack_tile_block(0, cb, tiles);
    tile_regs_release();
    cb_push_back(cb, tiles);
}

void MAIN
{
    mm_block_init(A, B, SUMS, 0, columns, rows, kt);
    for (uint32_t block = 0; block < blocks; block++) {
        const bool last = block + 1 == blocks;
        cb_wait_front(A, height * kt);
        cb_wait_front(B, width * kt);
        if (last) {
            PACK((pack_reconfig_data_format(C)));
            PACK((llk_pack_reconfig_l1_acc(0)));
        } else if (block < 2)
            PACK((llk_pack_reconfig_l1_acc(block)));
        for (uint32_t r = 0; r < height; r += rows)
            for (uint32_t c = 0; c < width; c += columns) {
                tile_regs_acquire();
                if (last && blocks > 1)
                    take_sums();
                for (uint32_t k = 0; k < (last_kt != kt && last ? last_kt : kt); k++)
                    matmul_block(A, B, r * kt + k, k * width + c, 0, 0, columns, rows, kt);
                tile_regs_commit();
                pack(last ? C : SUMS);
            }
        if (block + 2 < blocks) { // the next block is added to the same tiles
            cb_wait_front(SUMS, height * width);
            cb_pop_front(SUMS, height * width);
        }
        cb_pop_front(A, height * kt);
        cb_pop_front(B, width * kt);
    }
}
} // namespace NAMESPACE
