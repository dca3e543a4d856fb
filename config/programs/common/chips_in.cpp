// E1, on Wormhole the core, of the tile that leads to the chip before: what comes over the link goes over the NoC to one of two places of the worker,
// for chunks that are added and for chunks that are kept, and a credit goes back. Arguments: bytes of a chunk, slots, chunks of
// a segment, rounds in which chunks are added and kept, NoC x and y of the worker; of both places: its slots, its semaphore for
// what has come.
#include "internal/ethernet/dataflow_api.h"

#include "chips_eth.h"

constexpr uint32_t QUEUE = TS_ETH_PACKET_QUEUES - 1;

// A place of the worker.
struct place {
    uint32_t x, y, slots, to, semaphore;
    const volatile uint32_t *first, *second; // chunks that its users are done with, or need not see
    uint32_t count = 0;

    void put(uint32_t from, uint32_t bytes)
    {
        while (int32_t(count - *first) >= int32_t(slots) ||
               int32_t(count - *second) >= int32_t(slots))
            ;
        noc_async_write(from, get_noc_addr(x, y, to + count % slots * bytes), bytes);
        noc_semaphore_inc(get_noc_addr(x, y, semaphore), 1); // behind the chunk
        count++;
    }
};

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), slots = get_arg_val<uint32_t>(1);
    const uint32_t segment = get_arg_val<uint32_t>(2);
    const uint32_t adding = get_arg_val<uint32_t>(3), keeping = get_arg_val<uint32_t>(4);
    const uint32_t x = get_arg_val<uint32_t>(5), y = get_arg_val<uint32_t>(6);
    place add{x,
              y,
              slots,
              get_arg_val<uint32_t>(7),
              get_arg_val<uint32_t>(8),
              counter(ADDED),
              counter(ADDED)};
    place keep{x,
               y,
               slots,
               get_arg_val<uint32_t>(9),
               get_arg_val<uint32_t>(10),
               counter(STORED),
               counter(PASSED)};
    uint32_t arrived = 0, slot = FROM_LINK;
    for (uint32_t begin = 0; begin < segment; begin += slots) {
        const uint32_t count = segment - begin < slots ? segment - begin : slots;
        for (uint32_t i = 0; i < count * (adding + keeping); i++) {
            while (ahead(get_ptr_val<ARRIVED>(), arrived) == 0)
                ;
            (i < count * adding ? add : keep).put(slot, bytes);
            noc_async_writes_flushed();
            while (internal_::eth_txq_is_busy(QUEUE))
                ;
            remote_update_ptr_val<CREDITS, QUEUE>(1);
            arrived++;
            slot = arrived % slots == 0 ? FROM_LINK : slot + bytes;
        }
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
