// The loop of kernels that work tile by tile, in the run types that people use on silicon: all
// three threads, one of them with the others feigned, or unpack and pack beside each other.
#pragma once
#include "compute_kernel_api/common.h"
#include "isolate.h"
#include "llk_tiles.h"

namespace compute {

// Who works in a run, and who only stands in for the thread that would.
struct run_type {
    uint32_t type;
    run_type() : type(get_arg(TS_ARG_RUN_TYPE)) {}
    bool together() const { return type == TS_RUN_L1_TO_L1; }
    bool unpacks() const { return type != TS_RUN_MATH_ISOLATE && type != TS_RUN_PACK_ISOLATE; }
    bool computes() const { return together() || type == TS_RUN_MATH_ISOLATE; }
    bool packs() const { return type != TS_RUN_UNPACK_ISOLATE && type != TS_RUN_MATH_ISOLATE; }
};

// What the unpack and the math thread do for one tile, or stand in for; `both`: with SrcB.
template <typename Unpack, typename Math>
TS_INLINE_ALWAYS void tile_work(const run_type &run, [[maybe_unused]] bool both,
                                [[maybe_unused]] Unpack unpack, [[maybe_unused]] Math math)
{
#ifdef TRISC_UNPACK
    if (run.unpacks())
        unpack();
    else if (run.computes())
        give_banks(both);
#endif
#ifdef TRISC_MATH
    if (run.computes())
        math();
    else if (run.unpacks())
        free_banks(both);
#endif
    (void)run;
}

// Dst goes from math to pack only if both work.
inline void dst_acquire(const run_type &run)
{
    if (run.together())
        tile_regs_acquire();
}
inline void dst_hand_over(const run_type &run)
{
    if (run.together()) {
        tile_regs_commit();
        tile_regs_wait();
    }
}
inline void dst_release(const run_type &run)
{
    if (run.together())
        tile_regs_release();
}

// All tiles of a pass, `most` at a time: they fit half of Dst. `rings` operands, from the first one
// on, are taken out of their rings tile by tile; unpack(i, number) and math(i) work on tile i of a
// batch, pack(count) brings a batch to the output.
template <typename Unpack, typename Math, typename Pack>
void tile_loop(uint32_t most, uint32_t rings, bool both, Unpack unpack, Math math, Pack pack)
{
    const run_type run;
    const uint32_t tiles = get_arg(TS_ARG_TILES);
    for (uint32_t done = 0; done < tiles;) {
        uint32_t batch = tiles - done < most ? tiles - done : most;
        for (uint32_t r = 0; run.unpacks() && r < rings; r++)
            cb_wait_front(TS_CB_IN0 + r, batch);
        dst_acquire(run);
        for (uint32_t i = 0; i < batch; i++)
            tile_work(
                run, both, [&] { unpack(i, done + i); }, [&] { math(i); });
        for (uint32_t r = 0; run.unpacks() && r < rings; r++)
            cb_pop_front(TS_CB_IN0 + r, batch);
        dst_hand_over(run);
        if (run.packs()) {
            cb_reserve_back(TS_CB_OUT, batch);
            pack(batch);
        }
        dst_release(run);
        if (run.packs())
            cb_push_back(TS_CB_OUT, batch);
        done += batch;
    }
}

inline uint32_t dst_room()
{
    return dst32 ? 4 : 8;
}

inline void pack_batch(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        pack_tile(i, TS_CB_OUT);
}

// A kernel of that kind: set-up, then passes.
template <typename Init, typename Pass> void tile_kernel(Init init, Pass pass)
{
    {
        profile::zone zone(TS_ZONE_INIT);
        init();
        tensix_sync();
    }
    profile::zone loop(TS_ZONE_LOOP);
    for (uint32_t i = 0; i < get_arg(TS_ARG_REPEAT); i++)
        pass();
    tensix_sync();
}

} // namespace compute
