// A zone of the profiler around transactions of one size and the wait for all of them.
//
// Source: tt-metal, tests/tt_metal/tt_metal/data_movement/noc_estimator_tests/kernels (reader, writer, dram_reader,
// dram_writer of March 2026, with which the latencies were taken). What is compiled in there is compiled in here, but for
// the number and the size of the transactions, which wait in registers: one transaction has no loop, and only those that
// are longer than a packet are cut. A reader gets the other tile as arguments, and a bank's page goes through tables of
// coordinates and offsets; the loop reads the offset each time, and the page is the same one each time.
//
// PROBE_READ, PROBE_BANK, PROBE_TO (x, y): what it is compiled for. Results: the marks of marks.h.
#include "marks.h"

#ifndef PROBE_TO
#define PROBE_TO 0, 0
#endif
// The neighbours of the first tile, in its column and across, as programs name them.
#ifdef ARCH_WORMHOLE
#define PROBE_SAME 18, 19
#define PROBE_DIFF 19, 19
#else
#define PROBE_SAME 1, 3
#define PROBE_DIFF 2, 3
#endif

extern int32_t bank_offset[NUM_DRAM_BANKS];
extern uint16_t bank_xy[NUM_DRAM_BANKS];
int32_t bank_offset[NUM_DRAM_BANKS];
uint16_t bank_xy[NUM_DRAM_BANKS];

namespace {

struct place {
    uint32_t x, y;       // of a tile
    uint32_t base, page; // of a buffer in DRAM
};

FORCE_INLINE uint64_t address_of(const place &far, uint32_t bytes)
{
    if constexpr (PROBE_BANK) {
        const uint32_t bank = far.page % NUM_DRAM_BANKS, index = far.page / NUM_DRAM_BANKS;
        const uint32_t offset = ((volatile int32_t *)bank_offset)[bank];
        return uint64_t(bank_xy[bank]) << NOC_ADDR_LOCAL_BITS | (far.base + index * bytes + offset);
    } else if constexpr (PROBE_READ) {
        return get_noc_addr(far.x, far.y, PROBE_DATA);
    } else {
        return get_noc_addr(PROBE_TO, PROBE_DATA);
    }
}

// At most `most` bytes.
template <uint32_t most> FORCE_INLINE void transaction(const place &far, uint32_t bytes)
{
    if constexpr (PROBE_READ)
        noc_async_read<most>(address_of(far, bytes), PROBE_DATA, bytes);
    else
        noc_async_write<most>(PROBE_DATA, address_of(far, bytes), bytes, noc_index,
                              PROBE_BANK ? NOC_UNICAST_WRITE_VC : 0);
}

FORCE_INLINE void wait()
{
    if constexpr (PROBE_READ)
        noc_async_read_barrier();
    else
        noc_async_write_barrier();
    fence();
}

__attribute__((noinline)) void one(place far, uint32_t bytes)
{
    zone scope;
    transaction<NOC_MAX_BURST_SIZE>(far, bytes);
    wait();
}

__attribute__((noinline)) void many(place far, uint32_t bytes, uint32_t count)
{
    zone scope;
    for (uint32_t i = 0; i < count; i++)
        transaction<NOC_MAX_BURST_SIZE>(far, bytes);
    wait();
}

__attribute__((noinline)) void longer(place far, uint32_t bytes, uint32_t count)
{
    zone scope;
    for (uint32_t i = 0; i < count; i++)
        transaction<NOC_MAX_BURST_SIZE + 1>(far, bytes);
    wait();
}

} // namespace

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(ZONES_BYTES);
    const uint32_t count = get_arg_val<uint32_t>(ZONES_TRANSACTIONS);
    const uint32_t x = get_arg_val<uint32_t>(ZONES_X), y = get_arg_val<uint32_t>(ZONES_Y);
    const place far = {x, y, get_arg_val<uint32_t>(ZONES_FAR), 0};
    bank_xy[0] = uint16_t(NOC_XY_ENCODING(x, y));
    fence();
    if (bytes > NOC_MAX_BURST_SIZE)
        longer(far, bytes, count);
    else if (count == 1)
        one(far, bytes);
    else
        many(far, bytes, count);
}
