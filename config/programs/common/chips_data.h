// What readers and writers of workers between chips need: chunks of a tensor. The header before it says how many tiles a chunk
// has (chunk), how many of them may be on their way (slots), and which buffer has some (CAME).
#include "chips_eth.h"
#include "dataflow_api.h"

constexpr uint32_t tile_bytes = get_tile_size(CAME), chunk_bytes = chunk * tile_bytes;
static_assert(slots * chunk_bytes <= END - FROM_LINK,
              "an Ethernet tile has 192 KiB for slots, of Wormhole 147");
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
// A circular buffer that an Ethernet tile fills: slots are reserved for its chunks, and it hears of those that are free again.
class inlet {
    uint32_t buffer;
    volatile tt_l1_ptr uint32_t *came; // chunks
    uint64_t counter;                  // of the tile: slots that are free again
    uint32_t total, pushed, reserved;  // chunks

    void give_back()
    {
        uint32_t more = 0;
        while (reserved + more < total &&
               cb_pages_reservable_at_back(buffer, (reserved + more + 1 - pushed) * chunk))
            more++;
        if (more == 0)
            return;
        reserved += more;
        cb_reserve_back(buffer, (reserved - pushed) * chunk);
        noc_semaphore_inc(counter, more);
    }

  public:
    inlet(uint32_t id, uint32_t semaphore, uint64_t tile, uint32_t chunks)
        : buffer(id), came((volatile tt_l1_ptr uint32_t *)get_semaphore(semaphore)), counter(tile),
          total(chunks), pushed(0), reserved(chunks < slots ? chunks : slots)
    {
        cb_reserve_back(buffer, reserved * chunk);
    }
    // Waits for the next chunk.
    void take()
    {
        give_back();
        while (*came == pushed) {
            give_back();
            invalidate_l1_cache();
        }
        cb_push_back(buffer, chunk);
        pushed++;
    }
};
// Where other cores make the tensor first: until all of them have ended. The argument is their semaphore.
inline void wait_for_tensor([[maybe_unused]] uint32_t argument)
{
#ifdef MAKERS
    wait_until(get_arg_val<uint32_t>(argument), MAKERS);
#endif
}
