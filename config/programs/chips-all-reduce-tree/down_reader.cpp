// Stores the sums of all chips. Arguments: the tensor, first tile, chunks; the semaphore for what has come; NoC x and y and
// address of the counter for what is stored.
#include "dataflow_api.h"

#include "tree.h"

#include "../common/chips_data.h"

void kernel_main()
{
    const uint32_t tile = get_arg_val<uint32_t>(1), came = get_arg_val<uint32_t>(3);
    const uint64_t stored = get_noc_addr(get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5),
                                         get_arg_val<uint32_t>(6));
    constexpr auto args = TensorAccessorArgs<4>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), tile_bytes);
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(2); i++) {
        wait_until(came, i + 1);
        write_chunk(tensor, tile + i * chunk, get_write_ptr(KEPT) + i % slots * chunk_bytes);
        noc_async_writes_flushed();
        noc_semaphore_inc(stored, 1);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
