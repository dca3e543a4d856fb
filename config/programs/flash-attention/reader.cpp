// For each chunk of rows: its tiles of q, then all chunks of k and v that it sees. If the cores of a head share these, the
// first of them reads and sends them to the others.
#include "dataflow_api.h"

#include "work.h"

constexpr auto q_args = TensorAccessorArgs<9>();
constexpr auto k_args = TensorAccessorArgs<q_args.next_compile_time_args_offset()>();
constexpr auto v_args = TensorAccessorArgs<k_args.next_compile_time_args_offset()>();

// Arguments from 5 on: semaphores, first and last core of the head.
struct Others {
    const uint32_t part = get_arg_val<uint32_t>(1), room = get_semaphore(get_arg_val<uint32_t>(5));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(6));
    const uint32_t x = get_arg_val<uint32_t>(7), y = get_arg_val<uint32_t>(8);
    const uint64_t first = get_noc_addr(x, y, room);
    const uint64_t all = get_noc_multicast_addr(x, y, get_arg_val<uint32_t>(9),
                                                get_arg_val<uint32_t>(10), 0);
    volatile tt_l1_ptr uint32_t *room_here = (volatile tt_l1_ptr uint32_t *)room;
    volatile tt_l1_ptr uint32_t *sent_here = (volatile tt_l1_ptr uint32_t *)sent;

    Others() { *sent_here = part == 0 ? VALID : INVALID; }
    bool send_me() const { return shared && part > 0; }
    void send(uint32_t at, uint32_t bytes) const
    {
        noc_semaphore_wait(room_here, sharers - 1);
        noc_semaphore_set(room_here, 0);
        noc_async_write_multicast(at, all | at, bytes, sharers - 1, true);
        noc_semaphore_set_multicast(sent, all | sent, sharers - 1);
        noc_async_writes_flushed();
    }
    void receive() const
    {
        noc_semaphore_inc(first, 1);
        noc_semaphore_wait(sent_here, VALID);
        noc_semaphore_set(sent_here, INVALID);
    }
};

// `rows` rows of tiles from `row` on; with `by_columns` tile (i, j) goes where (j, i) would.
template <typename T>
static void read(const T &tensor, uint32_t cb, uint32_t row, uint32_t rows, bool by_columns)
{
    const uint32_t to = get_write_ptr(cb), size = get_tile_size(cb);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < dt; j++)
            noc_async_read_tile((row + i) * dt + j, tensor,
                                to + size * (by_columns ? j * rows + i : i * dt + j));
    noc_async_read_barrier();
}
// The same for all cores of the head, if they share it.
template <typename T>
static void bring(const T &tensor, uint32_t cb, uint32_t row, bool by_columns, const Others &others)
{
    cb_reserve_back(cb, kc * dt);
    if (others.send_me()) {
        others.receive();
    } else {
        read(tensor, cb, row, kc, by_columns);
        if (shared)
            others.send(get_write_ptr(cb), kc * dt * get_tile_size(cb));
    }
    cb_push_back(cb, kc * dt);
}

void kernel_main()
{
    const uint32_t head = get_arg_val<uint32_t>(0) * ROUNDS, part = get_arg_val<uint32_t>(1);
    const auto q = TensorAccessor(q_args, get_arg_val<uint32_t>(2), get_tile_size(Q));
    const auto k = TensorAccessor(k_args, get_arg_val<uint32_t>(3), get_tile_size(K));
    const auto v = TensorAccessor(v_args, get_arg_val<uint32_t>(4), get_tile_size(V));
    const Others others;
    EACH_ROUND
        for (uint32_t n = 0; n < chunks; n++) {
            const uint32_t h = head + round;
            cb_reserve_back(Q, qc * dt);
            read(q, Q, h * st + first_row(part, n), qc, false);
            cb_push_back(Q, qc * dt);
            for (uint32_t j = 0; j < chunks_that_come(part, n); j++) {
                bring(k, K, h / group * kts + j * kc, true, others);
                bring(v, V, h / group * kts + j * kc, false, others);
            }
        }
    noc_async_full_barrier();
}
