// NoC 1's blocks of each column of w into buffer 2. Before that, core 0 reads x and sends
// it to all cores, block by block. At last each tile of y goes to DRAM.
#include "weights.h"

constexpr auto x_args = TensorAccessorArgs<w_args.next_compile_time_args_offset()>();
constexpr auto y_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
constexpr uint32_t bytes = block * get_tile_size(0);

// The sender's part: a block of x from DRAM to this core and to all others.
template <typename X> static void send(const X &x, uint32_t k, uint32_t sent)
{
    cb_reserve_back(0, block);
    const uint32_t at = get_write_ptr(0);
    const uint32_t others = get_arg_val<uint32_t>(6) - 1;
    const uint32_t x0 = get_arg_val<uint32_t>(8), y0 = get_arg_val<uint32_t>(9);
    const uint32_t x1 = get_arg_val<uint32_t>(10), y1 = get_arg_val<uint32_t>(11);
    for (uint32_t i = 0; i < block; i++)
        noc_async_read_tile(k + i, x, at + i * get_tile_size(0));
    noc_async_read_barrier();
    // NoC 1 runs the other way: from the last core to the first
    noc_async_write_multicast(at, get_noc_multicast_addr(x1, y1, x0, y0, at), bytes, others);
    noc_async_writes_flushed(); // the semaphore must not overtake the block
    noc_semaphore_set((volatile tt_l1_ptr uint32_t *)sent, k / block + 1);
    noc_semaphore_set_multicast(sent, get_noc_multicast_addr(x1, y1, x0, y0, sent), others);
    cb_push_back(0, block);
}

void kernel_main()
{
    const uint32_t first = get_arg_val<uint32_t>(1), count = get_arg_val<uint32_t>(2);
    const auto w = TensorAccessor(w_args, get_arg_val<uint32_t>(0), get_tile_size(2));
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(3), get_tile_size(0));
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(4), get_tile_size(16));
    const bool sender = get_arg_val<uint32_t>(5) == 0;
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(7));

    if (sender)
        for (uint32_t k = 0; k < kt; k += block)
            send(x, k, sent);
    for (uint32_t column = first; column < first + count; column++) {
        for (uint32_t k = 0; k < kt; k += block) {
            const bool mine = !over_noc0(k);
            if (mine)
                read_weights(w, 2, k, column);
            if (!sender && column == first) {
                cb_reserve_back(0, block);
                noc_semaphore_wait_min((volatile tt_l1_ptr uint32_t *)sent, k / block + 1);
                cb_push_back(0, block);
            }
            if (mine) {
                noc_async_read_barrier();
                cb_push_back(2, block);
            }
        }
        cb_wait_front(16, 1);
        noc_async_write_tile(column, y, get_read_ptr(16));
        noc_async_writes_flushed();
        cb_pop_front(16, 1);
    }
    noc_async_write_barrier();
}
