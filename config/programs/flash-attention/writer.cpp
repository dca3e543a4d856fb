// Makes the tiles of ones and of masks, then writes the result.
#include "dataflow_api.h"

#include "../common/scaler.h"
#include "work.h"

constexpr auto y_args = TensorAccessorArgs<9>();
constexpr uint32_t ONE = 0x3f800000, NEVER = 0xf149; // 1 in FP32, -1e30 in BF16

// Added to scores: NEVER above the diagonal, and everywhere. Faces are 16 x 16, two beside two; two elements a word.
static void make_masks()
{
    cb_reserve_back(MASKS, 2);
    auto *at = (volatile tt_l1_ptr uint32_t *)get_write_ptr(MASKS);
    for (uint32_t i = 0; i < 512; i++) {
        const uint32_t row = i / 256 * 16 + i % 128 / 8, column = i / 128 % 2 * 16 + i % 8 * 2;
        at[i] = (column > row ? NEVER : 0) | (column + 1 > row ? NEVER << 16 : 0);
        at[512 + i] = NEVER << 16 | NEVER;
    }
    cb_push_back(MASKS, 2);
}

void kernel_main()
{
    const uint32_t head = get_arg_val<uint32_t>(0) * ROUNDS, part = get_arg_val<uint32_t>(1);
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(2), get_tile_size(OUT));
    make_scaler(ONES, ONE);
    if (causal)
        make_masks();
    EACH_ROUND
        for (uint32_t n = 0; n < chunks; n++) {
            const uint32_t h = head + round;
            const uint32_t first = (h * st + first_row(part, n)) * dt;
            cb_wait_front(OUT, qc * dt);
            for (uint32_t i = 0; i < qc * dt; i++)
                noc_async_write_tile(first + i, y, get_read_ptr(OUT) + i * get_tile_size(OUT));
            noc_async_write_barrier();
            cb_pop_front(OUT, qc * dt);
        }
}
