// Reads the weights of each column, tile by tile, with `ahead` reads on their way. More would fill the
// queues before a bank; the requests in them hold up those to other banks.
#include "dataflow_api.h"

#include "columns.h"

constexpr uint32_t ahead = get_compile_time_arg_val(6);
constexpr auto w_args = TensorAccessorArgs<7>();

void kernel_main()
{
    constexpr uint32_t cb = 1, bytes = get_tile_size(cb);
    const auto w = TensorAccessor(w_args, get_arg_val<uint32_t>(0), bytes);
    const uint32_t begin = get_write_ptr(cb), end = begin + get_arg_val<uint32_t>(3) * bytes;
    uint32_t to = begin, issued = 0, arrived = 0; // reads; each has one of the tags 1 to `ahead`
    const auto push_oldest = [&] {
        noc_async_read_barrier_with_trid(arrived++ % ahead + 1);
        cb_push_back(cb, 1);
    };
    for (uint32_t c = first_column(get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2)); c < nt;
         c += step)
        for (uint32_t k = 0; k < kt; k++) {
            if (issued - arrived == ahead)
                push_oldest();
            cb_reserve_back(cb, issued - arrived + 1);
            noc_async_read_set_trid(issued++ % ahead + 1);
            noc_async_read_tile(k * nt + c, w, to);
            to = to + bytes == end ? begin : to + bytes;
        }
    while (arrived < issued)
        push_oldest();
    noc_async_read_set_trid(0);
}
