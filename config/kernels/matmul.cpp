// Blocked matrix multiplication, the vendor's way: the output in sub-blocks of rt x ct tiles that stay in Dst while the
// inner dimension runs; with more than one block of the inner dimension the packer adds the partial sums in L1.
#include "compute_kernel_api/matmul.h"

namespace NAMESPACE {
void MAIN {
    const uint32_t mt = get_arg(TS_ARG_MT), nt = get_arg(TS_ARG_NT), blocks = get_arg(TS_ARG_BLOCKS);
    const uint32_t kt = get_arg(TS_ARG_KT) / blocks; // of one block
    const uint32_t rt = get_arg(TS_ARG_SUB_H), ct = get_arg(TS_ARG_SUB_W);
    const uint32_t repeat = get_arg(TS_ARG_REPEAT);
    {
        profile::zone init(TS_ZONE_INIT);
        mm_block_init(TS_CB_IN0, TS_CB_IN1, TS_CB_OUT, ct, rt, kt);
        tensix_sync();
    }
    profile::zone loop(TS_ZONE_LOOP);
    for (uint32_t pass = 0; pass < repeat; pass++) {
        cb_reserve_back(TS_CB_OUT, mt * nt);
        for (uint32_t block = 0; block < blocks; block++) {
            cb_wait_front(TS_CB_IN0, mt * kt);
            cb_wait_front(TS_CB_IN1, kt * nt);
            PACK(if (blocks > 1) packer::l1_accumulate(block > 0));
            PACK(cb_detail::written = 0);
            for (uint32_t row = 0; row < mt; row += rt)
                for (uint32_t column = 0; column < nt; column += ct) {
                    tile_regs_acquire();
                    for (uint32_t k = 0; k < kt; k++)
                        matmul_block(TS_CB_IN0, TS_CB_IN1, row * kt + k, k * nt + column, 0, ct, rt, kt);
                    tile_regs_commit();
                    tile_regs_wait();
                    for (uint32_t i = 0; i < rt * ct; i++)
                        pack_tile(i, TS_CB_OUT);
                    tile_regs_release();
                }
            cb_pop_front(TS_CB_IN0, mt * kt);
            cb_pop_front(TS_CB_IN1, kt * nt);
        }
        cb_push_back(TS_CB_OUT, mt * nt);
    }
    tensix_sync();
}
} // namespace NAMESPACE
