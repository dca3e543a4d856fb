// Blocked matrix multiplication, the vendor's way: the output in sub-blocks of rt x ct tiles that
// stay in Dst while the inner dimension runs; with more than one block of the inner dimension the
// packer adds the partial sums in L1.
//
// Run types: all three threads (L1_TO_L1); one of them with the others feigned (UNPACK_, MATH_,
// PACK_ISOLATE); unpack and pack at full speed beside each other (L1_CONGESTION).
#include "compute_kernel_api/matmul.h"

namespace {

struct plan {
    uint32_t mt, nt, kt, rt, ct, blocks, type;
    bool unpacks() const { return type != TS_RUN_MATH_ISOLATE && type != TS_RUN_PACK_ISOLATE; }
    bool multiplies() const { return type == TS_RUN_L1_TO_L1 || type == TS_RUN_MATH_ISOLATE; }
    bool packs() const { return type != TS_RUN_UNPACK_ISOLATE && type != TS_RUN_MATH_ISOLATE; }
    bool together() const { return type == TS_RUN_L1_TO_L1; }
};

#ifdef TRISC_UNPACK
// Hands over banks without data, as fast as the math thread gives them back.
void feign_unpack(const plan &p)
{
    uint32_t rows = p.ct >= p.rt ? p.rt : p.ct, walk = p.ct >= p.rt ? p.ct : p.rt;
    bool keep_b = p.ct >= p.rt;
    for (uint32_t t = 0; t < rows; t++) {
        if (keep_b) {
            TTI_STALLWAIT(p_stall::STALL_TDMA, p_stall::SRCB_CLR);
            TTI_SETDVALID(2);
        } else {
            TTI_STALLWAIT(p_stall::STALL_TDMA, p_stall::SRCA_CLR);
            TTI_SETDVALID(1);
        }
        for (uint32_t i = 0; i < walk; i++)
            if (keep_b) {
                TTI_STALLWAIT(p_stall::STALL_TDMA, p_stall::SRCA_CLR);
                TTI_SETDVALID(1);
            } else {
                TTI_STALLWAIT(p_stall::STALL_TDMA, p_stall::SRCB_CLR);
                TTI_SETDVALID(2);
            }
    }
}
#endif

#ifdef TRISC_MATH
// Gives banks back without computing.
void feign_math(const plan &p)
{
    bool keep_b = p.ct >= p.rt;
    uint32_t rows = keep_b ? p.rt : p.ct, walk = keep_b ? p.ct : p.rt;
    for (uint32_t t = 0; t < rows; t++) {
        for (uint32_t i = 0; i < walk; i++)
            if (keep_b) {
                TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCA_VLD);
                TTI_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
            } else {
                TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCB_VLD);
                TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
            }
        if (keep_b) {
            TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCB_VLD);
            TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
        } else {
            TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCA_VLD);
            TTI_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
        }
    }
}
#endif

// One step of the inner dimension, as the run type wants it.
void step(const plan &p, uint32_t row, uint32_t column, uint32_t k)
{
    if (p.together()) {
        matmul_block(TS_CB_IN0, TS_CB_IN1, row * p.kt + k, k * p.nt + column, 0, p.ct, p.rt, p.kt);
        return;
    }
#ifdef TRISC_UNPACK
    if (p.unpacks())
        llk_unpack_AB_matmul(TS_CB_IN0, TS_CB_IN1, row * p.kt + k, k * p.nt + column, p.ct, p.rt,
                             p.kt);
    else if (p.multiplies())
        feign_unpack(p);
#endif
#ifdef TRISC_MATH
    if (p.multiplies())
        llk_math_matmul(0, p.ct, p.rt);
    else if (p.unpacks())
        feign_math(p);
#endif
}

void sub_block(const plan &p, uint32_t row, uint32_t column)
{
    if (p.together())
        tile_regs_acquire();
    for (uint32_t k = 0; k < p.kt; k++)
        step(p, row, column, k);
    if (p.together()) {
        tile_regs_commit();
        tile_regs_wait();
    }
    if (p.packs())
        for (uint32_t i = 0; i < p.rt * p.ct; i++)
            pack_tile(i, TS_CB_OUT);
    if (p.together())
        tile_regs_release();
}

} // namespace

namespace NAMESPACE {
void MAIN
{
    const plan p = {
        get_arg(TS_ARG_MT),      get_arg(TS_ARG_NT),    get_arg(TS_ARG_KT) / get_arg(TS_ARG_BLOCKS),
        get_arg(TS_ARG_SUB_H),   get_arg(TS_ARG_SUB_W), get_arg(TS_ARG_BLOCKS),
        get_arg(TS_ARG_RUN_TYPE)};
    const uint32_t repeat = get_arg(TS_ARG_REPEAT);
    {
        profile::zone init(TS_ZONE_INIT);
        mm_block_init(TS_CB_IN0, TS_CB_IN1, TS_CB_OUT, p.ct, p.rt, p.kt);
        tensix_sync();
    }
    profile::zone loop(TS_ZONE_LOOP);
    for (uint32_t pass = 0; pass < repeat; pass++) {
        if (p.packs())
            cb_reserve_back(TS_CB_OUT, p.mt * p.nt);
        for (uint32_t block = 0; block < p.blocks; block++) {
            if (p.unpacks()) {
                cb_wait_front(TS_CB_IN0, p.mt * p.kt);
                cb_wait_front(TS_CB_IN1, p.kt * p.nt);
            }
            PACK(if (p.blocks > 1) packer::l1_accumulate(block > 0));
            PACK(cb_detail::written = 0);
            for (uint32_t row = 0; row < p.mt; row += p.rt)
                for (uint32_t column = 0; column < p.nt; column += p.ct)
                    sub_block(p, row, column);
            if (p.unpacks()) {
                cb_pop_front(TS_CB_IN0, p.mt * p.kt);
                cb_pop_front(TS_CB_IN1, p.kt * p.nt);
            }
        }
        if (p.packs())
            cb_push_back(TS_CB_OUT, p.mt * p.nt);
    }
    tensix_sync();
}
} // namespace NAMESPACE
