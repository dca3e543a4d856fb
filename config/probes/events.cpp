// Transactions one at a time, each with the events of the profiler's network trace: at the issue, at the begin and at the
// end of the barrier.
//
// Source: mesham/tt-sim, perfbench/nocevbench, with tt-metal's tools/profiler/noc_event_profiler.hpp: an event checks
// that there is room, packs what is known of the transaction into eight bytes, marks the time and stores them.
//
// PROBE_READ: what it is compiled for. Results: the marks of marks.h, three for each transaction, four words each.
#include "marks.h"

namespace {

enum { EVENT_READ = 1, EVENT_WRITE = 7, EVENT_BEGIN = 11, EVENT_END = 12 };

FORCE_INLINE void event(uint32_t type, uint64_t address, uint32_t bytes)
{
    const uint32_t xy = uint32_t(address >> NOC_ADDR_LOCAL_BITS), pieces = (bytes + 31) / 32;
    const uint32_t low = type | (xy & 0x3f) << 8 | (xy >> 6 & 0x3f) << 16;
    const uint32_t high = 0xf2u << 8 | (pieces < 255 ? pieces : 255) << 16;
    if (room_for_marks(16)) {
        mark(mark_index, 0x35a5a);
        mark_index += 2;
        mark_words->data[mark_index++] = high;
        mark_words->data[mark_index++] = low;
    }
}

} // namespace

void kernel_main()
{
    const uint32_t x = get_arg_val<uint32_t>(ZONES_X), y = get_arg_val<uint32_t>(ZONES_Y);
    const uint32_t far = get_arg_val<uint32_t>(ZONES_FAR),
                   bytes = get_arg_val<uint32_t>(ZONES_BYTES);
    const uint32_t transactions = get_arg_val<uint32_t>(ZONES_TRANSACTIONS);
    for (uint32_t i = 0; i < transactions; i++) {
        const uint64_t there = get_noc_addr(x, y, far + i * bytes);
        const uint32_t here = PROBE_DATA + i * bytes;
        event(PROBE_READ ? EVENT_READ : EVENT_WRITE, there, bytes);
        if constexpr (PROBE_READ)
            noc_async_read(there, here, bytes);
        else
            noc_async_write(here, there, bytes);
        event(EVENT_BEGIN, 0, 0);
        if constexpr (PROBE_READ)
            noc_async_read_barrier();
        else
            noc_async_write_barrier();
        fence();
        event(EVENT_END, 0, 0);
    }
}
