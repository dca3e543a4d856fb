// Writes each row of a tile, two pieces of 32 bytes, to where it belongs.
#include "dataflow_api.h"

constexpr uint32_t places = get_compile_time_arg_val(0); // spread, join
constexpr uint32_t groups = get_compile_time_arg_val(1), each = get_compile_time_arg_val(2);
constexpr uint32_t stride = get_compile_time_arg_val(3), at = get_compile_time_arg_val(4);
constexpr uint32_t wide = get_compile_time_arg_val(5);

// Where a row begins in a tile of BF16; the second half of the row is a face further.
inline uint32_t row_of(uint32_t row)
{
    return row / 16 * 1024 + row % 16 * 32;
}

void kernel_main()
{
    constexpr auto y_args = TensorAccessorArgs<6>();
    constexpr uint32_t size = get_tile_size(0), count = places == 0 ? 32 : each;
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0), size);
    uint32_t tile = get_arg_val<uint32_t>(1);
    for (uint32_t left = get_arg_val<uint32_t>(2); left > 0; left--, tile++) {
        const uint32_t head = tile / wide, column = tile % wide;
        cb_wait_front(0, 1);
        for (uint32_t i = 0; i < count; i++) {
            // spread: row i is a user's; join: row i is a head of the group that the tile is of.
            const uint32_t row = places == 0
                                     ? (i * groups + head / each) * stride + head % each + at
                                     : head / groups;
            const uint32_t page = places == 0 ? row / 32 * wide + column
                                              : (head % groups * each + i) * wide + column;
            const uint64_t to = y.get_noc_addr(page) + row_of(row % 32);
            const uint32_t from = get_read_ptr(0) + row_of(i);
            noc_async_write(from, to, 32);
            noc_async_write(from + 512, to + 512, 32);
        }
        noc_async_writes_flushed();
        cb_pop_front(0, 1);
    }
    noc_async_write_barrier();
}
