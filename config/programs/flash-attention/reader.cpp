// For each chunk of rows: its tiles of q, then all chunks of k and v that it sees.
#include "dataflow_api.h"

#include "work.h"

constexpr auto q_args = TensorAccessorArgs<6>();
constexpr auto k_args = TensorAccessorArgs<q_args.next_compile_time_args_offset()>();
constexpr auto v_args = TensorAccessorArgs<k_args.next_compile_time_args_offset()>();

// `rows` rows of tiles from `row` on; with `by_columns` tile (i, j) goes where (j, i) would.
template <typename T>
static void read(const T &tensor, uint32_t cb, uint32_t row, uint32_t rows, bool by_columns)
{
    cb_reserve_back(cb, rows * dt);
    const uint32_t to = get_write_ptr(cb), size = get_tile_size(cb);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < dt; j++)
            noc_async_read_tile((row + i) * dt + j, tensor,
                                to + size * (by_columns ? j * rows + i : i * dt + j));
    noc_async_read_barrier();
    cb_push_back(cb, rows * dt);
}

void kernel_main()
{
    const uint32_t head = get_arg_val<uint32_t>(0), part = get_arg_val<uint32_t>(1);
    const auto q = TensorAccessor(q_args, get_arg_val<uint32_t>(2), get_tile_size(Q));
    const auto k = TensorAccessor(k_args, get_arg_val<uint32_t>(3), get_tile_size(K));
    const auto v = TensorAccessor(v_args, get_arg_val<uint32_t>(4), get_tile_size(V));
    for (uint32_t n = 0; n < chunks; n++) {
        const uint32_t row = first_row(part, n);
        read(q, Q, head * st + row, qc, false);
        for (uint32_t j = 0; j < key_chunks(row); j++) {
            read(k, K, head * st + j * kc, kc, true);
            read(v, V, head * st + j * kc, kc, false);
        }
    }
}
