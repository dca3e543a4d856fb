// Makes the tiles of ones and of masks, then writes the result.
#include "dataflow_api.h"

#include "work.h"

constexpr auto y_args = TensorAccessorArgs<6>();
constexpr uint16_t ONE = 0x3f80, NEVER = 0xf149; // 1 and -1e30 in BF16

// Ones in the first row of each face.
static void make_ones()
{
    cb_reserve_back(ONES, 1);
    auto *at = (volatile tt_l1_ptr uint16_t *)get_write_ptr(ONES);
    for (uint32_t i = 0; i < 1024; i++)
        at[i] = i % 256 < 16 ? ONE : 0;
    cb_push_back(ONES, 1);
}
// Added to scores: NEVER above the diagonal, and everywhere. Faces are 16 x 16, two beside two.
static void make_masks()
{
    cb_reserve_back(MASKS, 2);
    auto *at = (volatile tt_l1_ptr uint16_t *)get_write_ptr(MASKS);
    for (uint32_t i = 0; i < 1024; i++) {
        const uint32_t row = i / 512 * 16 + i % 256 / 16, column = i / 256 % 2 * 16 + i % 16;
        at[i] = column > row ? NEVER : 0;
        at[1024 + i] = NEVER;
    }
    cb_push_back(MASKS, 2);
}

void kernel_main()
{
    const uint32_t head = get_arg_val<uint32_t>(0), part = get_arg_val<uint32_t>(1);
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(2), get_tile_size(OUT));
    make_ones();
    if (causal)
        make_masks();
    for (uint32_t n = 0; n < chunks; n++) {
        const uint32_t first = (head * st + first_row(part, n)) * dt;
        cb_wait_front(OUT, qc * dt);
        for (uint32_t i = 0; i < qc * dt; i++)
            noc_async_write_tile(first + i, y, get_read_ptr(OUT) + i * get_tile_size(OUT));
        noc_async_write_barrier();
        cb_pop_front(OUT, qc * dt);
    }
}
