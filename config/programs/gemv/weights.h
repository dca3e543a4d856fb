// Reads a block of a column of w into a circular buffer: all its tiles at once. The caller waits and pushes.
#include "dataflow_api.h"

constexpr uint32_t kt = get_compile_time_arg_val(0), nt = get_compile_time_arg_val(1);
constexpr uint32_t block = get_compile_time_arg_val(2);
constexpr auto w_args = TensorAccessorArgs<4>();
static_assert(kt % block == 0, "k must be whole blocks");

// Which blocks come over NoC 0 and go into buffer 1; the others come over NoC 1 and go into buffer 2.
inline bool over_noc0(uint32_t k)
{
    return k / block % 8 < get_compile_time_arg_val(3);
}

template <typename W> inline void read_weights(const W &w, uint32_t cb, uint32_t k, uint32_t column)
{
    cb_reserve_back(cb, block);
    uint32_t to = get_write_ptr(cb);
    for (uint32_t i = 0; i < block; i++, to += get_tile_size(cb))
        noc_async_read_tile((k + i) * nt + column, w, to);
}
