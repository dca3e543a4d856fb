// A row of tiles of buffer 0 at a time becomes 32 rows in buffer 16, by the packer or the unpacker.
#include "compute_kernel_api/pack_untilize.h"
#include "compute_kernel_api/untilize.h"

namespace NAMESPACE {

constexpr uint32_t across = get_compile_time_arg_val(0);
#ifdef UNPACKER
constexpr uint32_t part = across; // of a row; the tiles are in Dst one after the other
#define INIT()   untilize_init(0)
#define BLOCK(i) untilize_block(0, across, 16)
#define UNINIT() untilize_uninit(0)
#else
// Tiles that are in Dst together: the largest part of a row that fits.
constexpr uint32_t largest()
{
    uint32_t tiles = 8;
    while (across % tiles)
        tiles--;
    return tiles;
}
constexpr uint32_t part = largest();
#define INIT()   pack_untilize_init<part, across>(0, 16)
#define BLOCK(i) pack_untilize_block<part, across>(0, 1, 16, i)
#define UNINIT() pack_untilize_uninit(16)
#endif

void MAIN
{
    compute_kernel_hw_startup(0, 16);
    INIT();
    for (uint32_t left = get_arg_val<uint32_t>(0); left > 0; left--) {
        cb_wait_front(0, across);
        cb_reserve_back(16, across);
        for (uint32_t i = 0; i < across / part; i++) {
            BLOCK(i);
            cb_pop_front(0, part);
        }
        cb_push_back(16, across);
    }
    UNINIT();
}
} // namespace NAMESPACE
