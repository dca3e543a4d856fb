// What both kernels know: sizes, and what has come when.
#include "dataflow_api.h"

constexpr uint32_t ring = get_compile_time_arg_val(0), tiles = get_compile_time_arg_val(1);
constexpr uint32_t chunk = get_compile_time_arg_val(2), tile = get_tile_size(0);
static_assert(tiles % chunk == 0, "a part must be whole chunks");

// The part that a core has in a round: its own, then that of the core before it, and so on.
inline uint32_t part_of(uint32_t core, uint32_t round)
{
    return (core + ring - round) % ring;
}
// Waits until the tiles up to `first + chunk` of a round's part are there.
inline void wait_for(uint32_t round, uint32_t first)
{
    auto *own = (volatile tt_l1_ptr uint32_t *)get_semaphore(get_arg_val<uint32_t>(1));
    auto *came = (volatile tt_l1_ptr uint32_t *)get_semaphore(get_arg_val<uint32_t>(2));
    if (round == 0)
        noc_semaphore_wait_min(own, 1);
    else
        noc_semaphore_wait_min(came, ((round - 1) * tiles + first) / chunk + 1);
}
