// Reads what is added to the chunks that come, some of them ahead, and stores the chunks that are kept.
// Arguments: the tensor, place in the ring, first tile, chunks of a segment; NoC x and y of the tile where chunks come from;
// semaphores for chunks to be added and to be kept that have come; cores that make the tensor.
#include "dataflow_api.h"

#include "chips.h"
#include "chips_data.h"

constexpr uint32_t AHEAD = OWN_CHUNKS / 2;

// The chunks that are added, one after the other.
struct added {
    const ring &self;
    group now = group(self.segment);
    uint32_t round = 0, number = 0;

    uint32_t next()
    {
        const uint32_t tile = self.received(round, now.first + number);
        if (++number == now.count) {
            number = 0;
            if (++round == adding) {
                round = 0;
                now = group(self.segment, now.first + now.count);
            }
        }
        return tile;
    }
};

void kernel_main()
{
    const ring self = ring_of_worker();
    const uint32_t x = get_arg_val<uint32_t>(4), y = get_arg_val<uint32_t>(5);
    const uint32_t to_keep = get_arg_val<uint32_t>(7);
    const uint32_t own = get_write_ptr(OWN), kept = get_write_ptr(KEPT);
    constexpr auto args = TensorAccessorArgs<5>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), tile_bytes);
    wait_for_tensor(8);
    inlet came(CAME, get_arg_val<uint32_t>(6), get_noc_addr(x, y, ADDED), adding * self.segment);
    added all{self};
    uint32_t asked = 0, added = 0, stored = 0;
    for (group now(self.segment); now.count > 0; now = group(self.segment, now.first + now.count)) {
        for (uint32_t i = 0; i < adding * now.count; i++, added++) {
            for (; asked < adding * self.segment && asked < added + AHEAD; asked++) {
                cb_reserve_back(OWN, (asked + 1 - added) * chunk);
                noc_async_read_set_trid(asked % AHEAD + 1);
                read_chunk(tensor, all.next(), own + asked % OWN_CHUNKS * chunk_bytes);
            }
            noc_async_read_barrier_with_trid(added % AHEAD + 1);
            cb_push_back(OWN, chunk);
            came.take();
        }
        for (uint32_t round = adding; round < adding + keeping; round++)
            for (uint32_t i = 0; i < now.count; i++, stored++) {
                wait_until(to_keep, stored + 1);
                write_chunk(tensor, self.received(round, now.first + i),
                            kept + stored % slots * chunk_bytes);
                noc_async_writes_flushed();
                noc_semaphore_inc(get_noc_addr(x, y, STORED), 1);
            }
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
