// What readers and writers of workers between chips need: chunks of a tensor. The header before it says how many tiles a chunk
// has (chunk), how many of them may be on their way (slots), and which buffer has some (CAME).
#include "chips_eth.h"
#include "dataflow_api.h"

constexpr uint32_t tile_bytes = get_tile_size(CAME), chunk_bytes = chunk * tile_bytes;
static_assert(slots * chunk_bytes <= END - FROM_LINK, "an Ethernet tile has 192 KiB for slots");
static_assert(slots < 16, "a NoC interface has 15 tags for reads of chunks");

inline void wait_until(uint32_t semaphore, uint32_t value)
{
    noc_semaphore_wait_min((volatile tt_l1_ptr uint32_t *)get_semaphore(semaphore), value);
}
template <typename Tensor> inline void read_chunk(const Tensor &tensor, uint32_t tile, uint32_t to)
{
    for (uint32_t i = 0; i < chunk; i++)
        noc_async_read<tile_bytes>(tensor.get_noc_addr(tile + i), to + i * tile_bytes, tile_bytes);
}
template <typename Tensor>
inline void write_chunk(const Tensor &tensor, uint32_t tile, uint32_t from)
{
    for (uint32_t i = 0; i < chunk; i++)
        noc_async_write<tile_bytes>(from + i * tile_bytes, tensor.get_noc_addr(tile + i),
                                    tile_bytes);
}
// Where other cores make the tensor first: until all of them have ended. The argument is their semaphore.
inline void wait_for_tensor([[maybe_unused]] uint32_t argument)
{
#ifdef MAKERS
    wait_until(get_arg_val<uint32_t>(argument), MAKERS);
#endif
}
