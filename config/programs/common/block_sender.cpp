// Reads a block of a matrix for each step of the inner dimension and sends it to the cores of a rectangle, if there are
// any. At the end it writes the core's block of the result, if it is to be written. Sizes in tiles.
#include "block.h"

void kernel_main()
{
    constexpr uint32_t cb = get_compile_time_arg_val(0), blocks = get_compile_time_arg_val(1);
    constexpr uint32_t height = get_compile_time_arg_val(2), width = get_compile_time_arg_val(3);
    constexpr uint32_t row_step = get_compile_time_arg_val(4); // from one row to the next
    constexpr uint32_t block_step = get_compile_time_arg_val(5);
    constexpr uint32_t receivers = get_compile_time_arg_val(6);
    // Any rectangle of receivers and blocks with fewer rows, or a column of receivers and complete blocks.
    constexpr bool any = get_compile_time_arg_val(7);
    // The inner dimension: columns of the first matrix, rows of the second. Its last block may have less of it.
    constexpr uint32_t depth = any ? width : height, last_depth = get_compile_time_arg_val(8);
    constexpr uint32_t tiles = width * height, tile = get_tile_size(cb);
    constexpr auto b_args = TensorAccessorArgs<9>();
    const auto b = TensorAccessor(b_args, get_arg_val<uint32_t>(0), tile);
    uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t room = get_semaphore(get_arg_val<uint32_t>(2));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(3));
    const uint32_t x = get_arg_val<uint32_t>(4);
    const uint32_t last_x = any ? get_arg_val<uint32_t>(8) : x;
    const uint32_t there = get_arg_val<uint32_t>(7); // columns of a block that the matrix has
    const uint32_t rows = any ? get_arg_val<uint32_t>(9) : height;
    volatile tt_l1_ptr uint32_t *room_here = (volatile tt_l1_ptr uint32_t *)room;
    *(volatile tt_l1_ptr uint32_t *)sent = VALID; // what is sent behind each block
    const uint64_t others = get_noc_multicast_addr(x, get_arg_val<uint32_t>(5), last_x,
                                                   get_arg_val<uint32_t>(6), 0);
    for (uint32_t block = 0; block < blocks; block++) {
        cb_reserve_back(cb, tiles);
        const uint32_t at = get_write_ptr(cb);
        const uint32_t steps = last_depth != depth && block + 1 == blocks ? last_depth : depth;
        uint32_t to = at;
        for (uint32_t row = 0; row < height; row++, first += row_step)
            for (uint32_t column = 0; column < width; column++, to += tile)
                if ((!any || row < rows) && column < there &&
                    (last_depth == depth || (any ? column : row) < steps))
                    noc_async_read_tile(first + column, b, to);
        first += block_step - height * row_step;
        noc_async_read_barrier();
        if constexpr (receivers > 0) {
            noc_semaphore_wait(room_here, receivers);
            noc_semaphore_set(room_here, 0);
            noc_async_write_multicast(at, others | at, tiles * tile, receivers, true);
            noc_async_writes_flushed();
            noc_semaphore_set_multicast(sent, others | sent, receivers);
        }
        cb_push_back(cb, tiles);
    }
    noc_async_write_barrier();
    write_result<b_args.next_compile_time_args_offset()>(10);
}
