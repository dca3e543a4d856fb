// Blocked matrix multiplication, the vendor's way: the output in sub-blocks of rt x ct tiles that
// stay in Dst while a block of the inner dimension runs. With more than one block the packer adds
// the partial sums in L1; the last block brings them back to Dst, goes on from there and packs to
// the output's format. Before a block the unpack thread waits until the sums of the one before it
// are all there. (A 32-bit Dst cannot be filled through SrcA without loss: then the packer adds the
// last block too, in the output; if it cannot add in the output's format, the sums are FP32 and are
// unpacked straight to Dst.)
//
// Run types: all three threads (L1_TO_L1); one of them with the others feigned (UNPACK_, MATH_,
// PACK_ISOLATE); unpack and pack at full speed beside each other (L1_CONGESTION).
#define TS_MATH_INIT __attribute__((noinline)) static // one copy for the start and for reload()
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

// The partial sums of a sub-block, back to Dst; then everything is as it was for products.
__attribute__((noinline)) void reload(const plan &p)
{
    [[maybe_unused]] const bool straight = compute::general && compute::dst32;
    UNPACK(if (straight) unpacker::reformat_a_as(TS_DF_FP32, TS_DF_FP32);
           else unpacker::reformat_a(cb_get(TS_CB_PARTIALS).format, compute::dst32));
    MATH(math::source_a_format(
        straight ? uint32_t(TS_DF_TF32)
                 : register_format(cb_get(TS_CB_PARTIALS).format, compute::dst32)));
    UNPACK(if (compute::transposed()) unpacker::transpose_a(false));
    UNPACK(tiles::unpack_init(false));
    MATH(tiles::copy_init());
    cb_wait_front(TS_CB_PARTIALS, p.rt * p.ct);
    for (uint32_t i = 0; i < p.rt * p.ct; i++) {
        UNPACK(if (straight) unpacker::unpack_to_dest(TS_CB_PARTIALS, i);
               else tiles::unpack_a(TS_CB_PARTIALS, i));
        MATH(if (straight) math::unpack_to_dest_tile(i); else tiles::run(i));
    }
    cb_pop_front(TS_CB_PARTIALS, p.rt * p.ct);
    UNPACK(unpacker::reformat_a(cb_get(TS_CB_IN1).format, compute::dst32));
    MATH(math::source_a_format(register_format(cb_get(TS_CB_IN1).format, compute::dst32)));
    UNPACK(if (compute::transposed()) unpacker::transpose_a(true));
    mm_block_init_short(TS_CB_IN0, TS_CB_IN1, p.ct, p.rt, p.kt);
}

// `to`: where its tiles go, one after the other; `push`: they are for others at once.
void sub_block(const plan &p, uint32_t row, uint32_t column, cb_id to, bool push, bool more)
{
    if (p.together())
        tile_regs_acquire();
    if (more)
        reload(p);
    for (uint32_t k = 0; k < p.kt; k++)
        step(p, row, column, k);
    if (p.together())
        tile_regs_commit();
    if (p.packs() && push)
        cb_reserve_back(to, p.rt * p.ct);
    if (p.together())
        tile_regs_wait();
    if (p.packs())
        for (uint32_t i = 0; i < p.rt * p.ct; i++)
            pack_tile(i, to);
    if (p.together())
        tile_regs_release();
    if (p.packs() && push)
        cb_push_back(to, p.rt * p.ct);
}

// A block of the inner dimension. Partial sums are kept in a buffer of their own, or in the output.
void multiply(const plan &p, uint32_t block, bool partials)
{
    const bool last = block == p.blocks - 1, kept = partials && !last;
    if (p.unpacks()) {
        cb_wait_front(TS_CB_IN0, p.mt * p.kt);
        cb_wait_front(TS_CB_IN1, p.kt * p.nt);
    }
    PACK(if (partials && (block == 0 || last))
             packer::reformat(cb_get(last ? TS_CB_OUT : TS_CB_PARTIALS).format));
    PACK(if (p.blocks > 1 && (block < 2 || last))
             packer::l1_accumulate(block > 0 && !(partials && last)));
    PACK(cb_detail::written = 0);
    for (uint32_t row = 0; row < p.mt; row += p.rt)
        for (uint32_t column = 0; column < p.nt; column += p.ct)
            sub_block(p, row, column, kept ? TS_CB_PARTIALS : TS_CB_OUT, partials || p.blocks == 1,
                      partials && last);
    if (partials && block + 2 < p.blocks) {
        cb_wait_front(TS_CB_PARTIALS, p.mt * p.nt);
        cb_pop_front(TS_CB_PARTIALS, p.mt * p.nt);
    }
    if (p.unpacks()) {
        cb_pop_front(TS_CB_IN0, p.mt * p.kt);
        cb_pop_front(TS_CB_IN1, p.kt * p.nt);
    }
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
    const bool partials = p.together() && p.blocks > 1 && cb_get(TS_CB_PARTIALS).tiles != 0;
    const bool whole = p.packs() && p.blocks > 1 && !partials; // the output is all one pass's
    {
        profile::zone init(TS_ZONE_INIT);
        mm_block_init(TS_CB_IN0, TS_CB_IN1, TS_CB_OUT, p.ct, p.rt, p.kt);
        tensix_sync();
    }
    profile::zone loop(TS_ZONE_LOOP);
    for (uint32_t pass = 0; pass < repeat; pass++) {
        if (whole)
            cb_reserve_back(TS_CB_OUT, p.mt * p.nt);
        for (uint32_t block = 0; block < p.blocks; block++)
            multiply(p, block, partials);
        if (whole)
            cb_push_back(TS_CB_OUT, p.mt * p.nt);
    }
    tensix_sync();
}
} // namespace NAMESPACE
