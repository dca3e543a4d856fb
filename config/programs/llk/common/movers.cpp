// All five cores of a tile move data: BRISC writes pages to the next tile over NoC 0 and tells it,
// NCRISC reads pages of the tile before and of DRAM over NoC 1, the TRISCs copy and add up pages in
// L1. The workload `movers140' of tensim-bench.
#include "movers.h"

#include "cb.h"

#if defined(COMPILE_FOR_BRISC)

#include "noc.h"

void kernel_main()
{
    noc::interface<0> noc(noc::coordinate(ts_launch_block()->x, ts_launch_block()->y));
    const uint32_t next = get_arg(TS_ARG_MOVERS_NEXT), rounds = get_arg(TS_ARG_REPEAT);
    for (uint32_t round = 1; round <= rounds; round++) {
        for (uint32_t page = 0; page < TS_MOVERS_PAGES; page++)
            noc.write(TS_MOVERS_OUT + page * TS_MOVERS_PAGE, next,
                      TS_MOVERS_IN + page * TS_MOVERS_PAGE, TS_MOVERS_PAGE);
        noc.barrier();
        noc.increment(next, TS_L1_SEMAPHORES, 1, TS_L1_SEMAPHORES + 16);
        while (TS_REG(TS_L1_SEMAPHORES) < round) // the tile before has written its pages
            ts_invalidate();
    }
}

#elif defined(COMPILE_FOR_NCRISC)

#include "noc.h"

void kernel_main()
{
    noc::interface<1> noc(noc::coordinate(ts_launch_block()->x, ts_launch_block()->y));
    const uint32_t before = get_arg(TS_ARG_MOVERS_BEFORE), dram = get_arg(TS_ARG_MOVERS_DRAM);
    for (uint32_t round = 0; round < get_arg(TS_ARG_REPEAT); round++) {
        for (uint32_t page = 0; page < TS_MOVERS_PAGES; page++) {
            uint32_t offset = page * TS_MOVERS_PAGE;
            noc.read(page % 2 ? before : dram, TS_MOVERS_OUT + offset, TS_MOVERS_READ + offset,
                     TS_MOVERS_PAGE);
        }
        noc.read_barrier();
    }
}

#else

#include "compute_kernel_api/common.h"

namespace NAMESPACE {
void MAIN
{
#if defined(TRISC_UNPACK)
    constexpr uint32_t part = 0;
#elif defined(TRISC_MATH)
    constexpr uint32_t part = 1;
#else
    constexpr uint32_t part = 2;
#endif
    const auto from = (volatile uint32_t *)(uintptr_t)(TS_MOVERS_IN + part * TS_MOVERS_PAGE);
    const auto to = (volatile uint32_t *)(uintptr_t)(TS_MOVERS_COPY + part * TS_MOVERS_PAGE);
    uint32_t sum = 0;
    for (uint32_t round = 0; round < get_arg(TS_ARG_REPEAT); round++)
        for (uint32_t i = 0; i < TS_MOVERS_PAGE / 4; i++) {
            uint32_t word = from[i];
            to[i] = word;
            sum += word;
        }
    TS_REG(TS_MOVERS_SUMS + 16 * part) = sum;
}
} // namespace NAMESPACE

#endif
