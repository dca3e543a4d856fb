// Passes the sums of all chips on to the children. Arguments: chunks; the semaphore for what has come; NoC x and y and address
// of the counter for what is passed on; for each child the semaphore for slots that are free again, NoC x and y of its tile.
#include "dataflow_api.h"

#include "tree.h"

#include "../common/chips_data.h"

void kernel_main()
{
    const uint32_t chunks = get_arg_val<uint32_t>(0), came = get_arg_val<uint32_t>(1);
    const uint64_t passed = get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3),
                                         get_arg_val<uint32_t>(4));
    if constexpr (children == 0)
        noc_semaphore_inc(passed, chunks); // they go nowhere
    for (uint32_t i = 0; i < (children > 0 ? chunks : 0); i++) {
        wait_until(came, i + 1);
        for (uint32_t child = 5; child < 5 + 3 * children; child += 3) {
            const uint32_t x = get_arg_val<uint32_t>(child + 1),
                           y = get_arg_val<uint32_t>(child + 2);
            if (i >= slots)
                wait_until(get_arg_val<uint32_t>(child), i - slots + 1);
            noc_async_write(get_write_ptr(KEPT) + i % slots * chunk_bytes,
                            get_noc_addr(x, y, TO_LINK + i % slots * chunk_bytes), chunk_bytes);
            noc_semaphore_inc(get_noc_addr(x, y, READY), 1); // behind the chunk
        }
        noc_async_writes_flushed();
        noc_semaphore_inc(passed, 1);
    }
    for (uint32_t child = 5; child < 5 + 3 * children; child += 3)
        wait_until(get_arg_val<uint32_t>(child), chunks); // all of them are taken
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
