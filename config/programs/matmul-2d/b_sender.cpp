// Reads a block of b for each step of the inner dimension and sends it to the cores below.
#include "dataflow_api.h"

void kernel_main()
{
    constexpr uint32_t blocks = get_compile_time_arg_val(0), height = get_compile_time_arg_val(1);
    constexpr uint32_t width = get_compile_time_arg_val(2), nt = get_compile_time_arg_val(3);
    constexpr uint32_t receivers = get_compile_time_arg_val(4);
    constexpr uint32_t tiles = width * height, tile = get_tile_size(1);
    constexpr auto b_args = TensorAccessorArgs<5>();
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(0), tile);
    uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t room = get_semaphore(get_arg_val<uint32_t>(2));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(3));
    const uint32_t x = get_arg_val<uint32_t>(4);
    const uint32_t there = get_arg_val<uint32_t>(7); // columns of tiles that b has here
    volatile tt_l1_ptr uint32_t *room_here = (volatile tt_l1_ptr uint32_t *)room;
    *(volatile tt_l1_ptr uint32_t *)sent = VALID; // what is sent behind each block
    const uint64_t below = get_noc_multicast_addr(x, get_arg_val<uint32_t>(5), x,
                                                  get_arg_val<uint32_t>(6), 0);
    for (uint32_t block = 0; block < blocks; block++) {
        cb_reserve_back(1, tiles);
        const uint32_t at = get_write_ptr(1);
        uint32_t to = at;
        for (uint32_t row = 0; row < height; row++, first += nt)
            for (uint32_t column = 0; column < width; column++, to += tile)
                if (column < there)
                    noc_async_read_tile(first + column, b, to);
        noc_async_read_barrier();
        noc_semaphore_wait(room_here, receivers);
        noc_semaphore_set(room_here, 0);
        noc_async_write_multicast(at, below | at, tiles * tile, receivers, true);
        noc_async_writes_flushed();
        noc_semaphore_set_multicast(sent, below | sent, receivers);
        cb_push_back(1, tiles);
    }
    noc_async_write_barrier();
}
