// A block of a for each step of the inner dimension: the core whose turn it is sends it to all cores of
// its row, itself included; the others say that they have room and wait.
#include "dataflow_api.h"

void kernel_main()
{
    constexpr uint32_t columns = get_compile_time_arg_val(0), blocks = get_compile_time_arg_val(1);
    constexpr uint32_t shard_width = get_compile_time_arg_val(2); // tiles
    constexpr uint32_t width = get_compile_time_arg_val(3), height = get_compile_time_arg_val(4);
    constexpr uint32_t turns = shard_width / width; // of each core, one after the other
    static_assert(shard_width % width == 0, "blocks must divide a core's columns of a");
    constexpr uint32_t tiles = width * height, tile = get_tile_size(0);
    const uint32_t column = get_arg_val<uint32_t>(0), row = get_arg_val<uint32_t>(1);
    const uint32_t room = get_semaphore(get_arg_val<uint32_t>(2));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(3));
    volatile tt_l1_ptr uint32_t *room_here = (volatile tt_l1_ptr uint32_t *)room;
    volatile tt_l1_ptr uint32_t *sent_here = (volatile tt_l1_ptr uint32_t *)sent;
    const uint32_t valid = get_write_ptr(3), shard = get_read_ptr(2);
    *(volatile tt_l1_ptr uint32_t *)valid = VALID;

    uint64_t senders[columns];
    for (uint32_t i = 0; i < columns; i++)
        senders[i] = get_noc_addr(get_arg_val<uint32_t>(4 + i), row, room);
    // NoC 1 runs the other way: from the last core of the row to the first
    const uint64_t all = get_noc_multicast_addr(get_arg_val<uint32_t>(4 + columns - 1), row,
                                                get_arg_val<uint32_t>(4), row, 0);
    for (uint32_t block = 0; block < blocks; block++) {
        cb_reserve_back(0, tiles);
        noc_semaphore_set(sent_here, INVALID);
        if (block / turns == column) {
            uint32_t from = shard;
            const uint32_t to = get_write_ptr(0);
            if constexpr (turns > 1) { // its rows do not follow each other in the shard
                from = to;
                uint64_t at = get_noc_addr(shard + block % turns * width * tile);
                for (uint32_t i = 0; i < height; i++, at += shard_width * tile)
                    noc_async_read(at, to + i * width * tile, width * tile);
                noc_async_read_barrier();
            }
            noc_semaphore_wait(room_here, columns - 1);
            noc_semaphore_set(room_here, 0);
            if constexpr (turns > 1)
                noc_async_write_multicast(from, all | to, tiles * tile, columns - 1, true);
            else
                noc_async_write_multicast_loopback_src(from, all | to, tiles * tile, columns, true);
            noc_semaphore_set_multicast_loopback_src(valid, all | sent, columns);
            noc_async_writes_flushed();
        } else
            noc_semaphore_inc(senders[block / turns], 1);
        noc_semaphore_wait(sent_here, VALID);
        cb_push_back(0, tiles);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
