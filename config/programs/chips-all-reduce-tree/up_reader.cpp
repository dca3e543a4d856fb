// Reads this chip's chunks, some of them ahead, and waits for those of the children.
// Arguments: the tensor, first tile, chunks; for each child the semaphore for what has come, NoC x and y of its tile.
#include "dataflow_api.h"

#include "tree.h"

#include "../common/chips_data.h"

constexpr uint32_t AHEAD = OWN_CHUNKS / 2;

// Without a child: of no chunks; it has no arguments.
inline inlet from_child(uint32_t buffer, uint32_t argument, uint32_t chunks)
{
    return {buffer, get_arg_val<uint32_t>(argument),
            get_noc_addr(get_arg_val<uint32_t>(argument + 1), get_arg_val<uint32_t>(argument + 2),
                         ADDED),
            chunks};
}

void kernel_main()
{
    const uint32_t tile = get_arg_val<uint32_t>(1), chunks = get_arg_val<uint32_t>(2);
    const uint32_t own = get_write_ptr(OWN);
    constexpr auto args = TensorAccessorArgs<4>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), tile_bytes);
    [[maybe_unused]] inlet first = from_child(CAME, children > 0 ? 3 : 0,
                                              children > 0 ? chunks : 0);
    [[maybe_unused]] inlet second = from_child(SECOND, children > 1 ? 6 : 0,
                                               children > 1 ? chunks : 0);
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
            first.take();
        if constexpr (children > 1)
            second.take();
    }
    noc_async_atomic_barrier();
}
