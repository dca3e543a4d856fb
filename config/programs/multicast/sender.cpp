// Reads a tile, waits until every receiver has room for it, and sends it to all of them.
#include "dataflow_api.h"

void kernel_main()
{
    const uint32_t tiles = get_arg_val<uint32_t>(1), receivers = get_arg_val<uint32_t>(2);
    const uint32_t room = get_semaphore(get_arg_val<uint32_t>(3));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(4));
    const uint32_t x0 = get_arg_val<uint32_t>(5), y0 = get_arg_val<uint32_t>(6);
    const uint32_t x1 = get_arg_val<uint32_t>(7), y1 = get_arg_val<uint32_t>(8);
    constexpr auto x_args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    const uint32_t buffer = get_write_ptr(0);
    volatile tt_l1_ptr uint32_t *room_here = (volatile tt_l1_ptr uint32_t *)room;
    volatile tt_l1_ptr uint32_t *sent_here = (volatile tt_l1_ptr uint32_t *)sent;
    for (uint32_t tile = 0; tile < tiles; tile++) {
        noc_async_read_tile(tile, x, buffer);
        noc_async_read_barrier();
        noc_semaphore_wait(room_here, receivers);
        noc_semaphore_set(room_here, 0);
        noc_async_write_multicast(buffer, get_noc_multicast_addr(x0, y0, x1, y1, buffer),
                                  get_tile_size(0), receivers);
        noc_async_writes_flushed(); // the semaphore must not overtake the tile
        noc_semaphore_set(sent_here, VALID);
        noc_semaphore_set_multicast(sent, get_noc_multicast_addr(x0, y0, x1, y1, sent), receivers);
        noc_async_write_barrier();
    }
}
