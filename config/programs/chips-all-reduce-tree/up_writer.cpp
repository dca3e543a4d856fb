// Gives sums to the Ethernet tile that leads to the parent, or to the worker `down' of the root.
// Arguments: chunks; NoC x and y of the tile or worker; of a tile: the semaphore for slots that are free again; of the worker:
// its slots, its semaphore for what has come, semaphores here for what it has stored and passed on; then NoC x and y of the
// tiles where chunks of children come from.
#include "dataflow_api.h"

#include "tree.h"

#include "../common/chips_data.h"

constexpr uint32_t FROM = children > 0 ? SUMS : OWN;

void kernel_main()
{
    const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
    const uint32_t to = is_root ? get_arg_val<uint32_t>(3) : TO_LINK;
    const uint32_t counter = is_root ? get_arg_val<uint32_t>(4) : READY;
    const uint32_t room = get_arg_val<uint32_t>(is_root ? 5 : 3), behind = is_root ? 7 : 4;
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(0); i++) {
        cb_wait_front(FROM, chunk);
        for (uint32_t child = 0; child < children; child++)
            noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(behind + 2 * child),
                                           get_arg_val<uint32_t>(behind + 2 * child + 1), ADDED),
                              1);
        if (i >= slots) {
            wait_until(room, i - slots + 1);
            if constexpr (is_root)
                wait_until(get_arg_val<uint32_t>(6), i - slots + 1);
        }
        noc_async_write(get_read_ptr(FROM), get_noc_addr(x, y, to + i % slots * chunk_bytes),
                        chunk_bytes);
        noc_semaphore_inc(get_noc_addr(x, y, counter), 1); // behind the chunk
        noc_async_writes_flushed();
        cb_pop_front(FROM, chunk);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
