// Gives sums to the Ethernet tile that leads to the parent, or to the worker `down' of the root.
// Arguments: chunks; NoC x and y of the tile or worker; of a tile: the semaphore for slots that are free again; of the worker:
// its slots, its semaphore for what has come, semaphores here for what it has stored and passed on.
#include "dataflow_api.h"

#include "tree.h"

#include "../common/chips_data.h"

constexpr uint32_t FROM = children > 0 ? SUMS : OWN;

inline void wait_for_room(uint32_t chunks)
{
    wait_until(get_arg_val<uint32_t>(is_root ? 5 : 3), chunks);
    if constexpr (is_root)
        wait_until(get_arg_val<uint32_t>(6), chunks);
}

void kernel_main()
{
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    const uint32_t to = is_root ? get_arg_val<uint32_t>(3) : TO_LINK;
    const uint32_t counter = is_root ? get_arg_val<uint32_t>(4) : READY;
    const uint32_t chunks = get_arg_val<uint32_t>(0);
    for (uint32_t i = 0; i < chunks; i++) {
        cb_wait_front(FROM, chunk);
        if (i >= slots)
            wait_for_room(i - slots + 1);
        noc_async_write(get_read_ptr(FROM), get_noc_addr(x, y, to + i % slots * chunk_bytes),
                        chunk_bytes);
        noc_semaphore_inc(get_noc_addr(x, y, counter), 1); // behind the chunk
        noc_async_writes_flushed();
        cb_pop_front(FROM, chunk);
    }
    wait_for_room(chunks); // all of them are taken
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
