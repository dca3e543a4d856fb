// Reads this chip's chunks, some of them ahead, and waits for those of the children.
// Arguments: the tensor, first tile, chunks; semaphores for what has come from the first and the second child.
#include "dataflow_api.h"

#include "tree.h"

#include "../common/chips_data.h"

constexpr uint32_t AHEAD = OWN_CHUNKS / 2;

inline void take(uint32_t buffer, uint32_t semaphore, uint32_t count)
{
    wait_until(semaphore, count);
    cb_reserve_back(buffer, chunk);
    cb_push_back(buffer, chunk);
}

void kernel_main()
{
    const uint32_t tile = get_arg_val<uint32_t>(1), chunks = get_arg_val<uint32_t>(2);
    const uint32_t first = get_arg_val<uint32_t>(3), second = get_arg_val<uint32_t>(4);
    const uint32_t own = get_write_ptr(OWN);
    constexpr auto args = TensorAccessorArgs<4>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), tile_bytes);
    uint32_t asked = 0;
    for (uint32_t i = 0; i < chunks; i++) {
        for (; asked < chunks && asked < i + AHEAD; asked++) {
            cb_reserve_back(OWN, (asked + 1 - i) * chunk);
            noc_async_read_set_trid(asked % AHEAD + 1);
            read_chunk(tensor, tile + asked * chunk, own + asked % OWN_CHUNKS * chunk_bytes);
        }
        noc_async_read_barrier_with_trid(i % AHEAD + 1);
        cb_push_back(OWN, chunk);
        if constexpr (children > 0)
            take(CAME, first, i + 1);
        if constexpr (children > 1)
            take(SECOND, second, i + 1);
    }
}
