// Brings x: one core reads it and sends it to all cores, block by block. Then each tile of y goes to DRAM.
#include "dataflow_api.h"

#include "columns.h"

constexpr auto x_args = TensorAccessorArgs<6>();
constexpr auto y_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
constexpr uint32_t bytes = block * get_tile_size(0);

// A block of x into its place.
template <typename X> static void read(const X &x, uint32_t k, uint32_t at)
{
    for (uint32_t i = 0; i < block; i++)
        noc_async_read_tile(k + i, x, at + (k + i) * get_tile_size(0));
}

// A block of x to all other cores. NoC 1 runs the other way: from the last core to the first.
static void send(uint32_t k, uint32_t at, uint32_t sent)
{
    const uint32_t x0 = get_arg_val<uint32_t>(6), y0 = get_arg_val<uint32_t>(7);
    const uint32_t x1 = get_arg_val<uint32_t>(8), y1 = get_arg_val<uint32_t>(9);
    at += k * get_tile_size(0);
    noc_async_write_multicast(at, get_noc_multicast_addr(x1, y1, x0, y0, at), bytes, cores - 1);
    noc_async_writes_flushed(); // the semaphore must not overtake the block
    noc_semaphore_set((volatile tt_l1_ptr uint32_t *)sent, k / block + 1);
    noc_semaphore_set_multicast(sent, get_noc_multicast_addr(x1, y1, x0, y0, sent), cores - 1);
}

void kernel_main()
{
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(1), get_tile_size(16));
    const uint32_t at_x = get_arg_val<uint32_t>(2), at_y = get_arg_val<uint32_t>(3);
    const bool sender = get_arg_val<uint32_t>(4) == 0;
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(5)), at = get_write_ptr(0);

    if (sender)
        read(x, 0, at);
    for (uint32_t k = 0; k < kt; k += block) {
        cb_reserve_back(0, block);
        if (sender) {
            noc_async_read_barrier();
            if (k + block < kt)
                read(x, k + block, at); // while this one is sent
            if (cores > 1)
                send(k, at, sent);
        } else {
            noc_semaphore_wait_min((volatile tt_l1_ptr uint32_t *)sent, k / block + 1);
        }
        cb_push_back(0, block);
    }
    for (uint32_t c = first_column(at_x, at_y); c < nt; c += step) {
        cb_wait_front(16, 1);
        noc_async_write_tile(c, y, get_read_ptr(16));
        noc_async_writes_flushed();
        cb_pop_front(16, 1);
    }
    noc_async_write_barrier();
}
