// The wave comes from the replay buffer, so that no core decides when a word starts: periods of up to 32 words are recorded as they are,
// as many as fit; of longer ones, the first half of the buffer has MVMULs and the second has NOPs.
#include "compute_kernel_api/matmul.h"

namespace NAMESPACE {
#ifdef TRISC_MATH
// Plays `count` of the 16 words from `slot` on, again and again.
inline void play(uint32_t slot, uint32_t count)
{
    for (; count > 16; count -= 16)
        TT_REPLAY(slot, 16, 0, 0);
    if (count)
        TT_REPLAY(slot, count, 0, 0);
}

inline void record(uint32_t on, uint32_t off, uint32_t times)
{
    TT_REPLAY(0, (on + off) * times, 0, 1);
    for (uint32_t k = 0; k < times; k++) {
        for (uint32_t i = 0; i < on; i++)
            ts_push(TS_MV(p_setrwc::CLR_NONE, ADDR_MOD_3));
        for (uint32_t i = 0; i < off; i++)
            TTI_NOP;
    }
}
#endif

void MAIN
{
    mm_init(0, 1, 16);
#ifdef TRISC_UNPACK
    tensix_sync();
    for (volatile uint32_t i = 0; i < 400; i++) // the math thread has recorded all, and its words wait
        ;
    llk_unpack_AB_matmul(0, 1, 0, 0);
#endif
#ifdef TRISC_MATH
    const uint32_t on = get_arg_val<uint32_t>(0), off = get_arg_val<uint32_t>(1),
                   period = on + off;
    uint32_t periods = get_arg_val<uint32_t>(2), late = get_arg_val<uint32_t>(3);
    addr_mod_t{.dest = {.incr = 8}}.set(ADDR_MOD_3); // no MVMUL waits for the one before
    record(16, 16, 1);
    TTI_STALLWAIT(0x1ff, p_stall::SRCA_VLD | p_stall::SRCB_VLD); // for all words
    play(16, late);
    if (period > 32) {
        for (; periods; periods--) {
            play(0, on);
            play(16, off);
        }
    } else {
        const uint32_t fit = 32 / period;
        record(on, off, fit);
        for (; periods > fit; periods -= fit)
            TT_REPLAY(0, period * fit, 0, 0);
        TT_REPLAY(0, period * periods, 0, 0);
    }
#endif
}
} // namespace NAMESPACE
