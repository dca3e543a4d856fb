// Gives chunks to the Ethernet tile that leads to the next chip: this chip's first, then sums, then those that came and are
// kept. Stores the sums of all chips. Arguments: the tensor, place in the ring, first tile, chunks of a segment; NoC x and y of
// that tile and of the one where chunks come from; semaphores for slots that are free again, chunks to be kept that have come;
// cores that make the tensor.
#include "dataflow_api.h"

#include "chips.h"
#include "chips_data.h"

constexpr uint32_t last = adding + keeping - 1; // round

// Writes of a chunk, which have a tag: while they leave, those of the next chunk begin.
class sender {
    uint32_t x, y, in_x, in_y; // of the tiles to the next chip and from the one before
    uint32_t room;             // semaphore
    uint32_t sent = 0, steps = 0, from = FIRST;

    uint32_t tag(uint32_t step) const { return step % 2 + 1; }

  public:
    sender()
        : x(get_arg_val<uint32_t>(4)), y(get_arg_val<uint32_t>(5)), in_x(get_arg_val<uint32_t>(6)),
          in_y(get_arg_val<uint32_t>(7)), room(get_arg_val<uint32_t>(8))
    {
    }
    void begin() const { noc_async_write_set_trid(tag(steps)); }
    void send(uint32_t at)
    {
        if (sent >= slots)
            wait_until(room, sent - slots + 1);
        noc_async_write(at, get_noc_addr(x, y, TO_LINK + sent % slots * chunk_bytes), chunk_bytes);
        noc_semaphore_inc(get_noc_addr(x, y, READY), 1); // behind the chunk
        sent++;
    }
    // Until the next chip has taken all of them.
    void drain() const { wait_until(room, sent); }
    // All writes of the chunk before have left: its place in the buffer is free.
    void finish()
    {
        noc_async_write_flushed_with_trid(tag(steps + 1));
        if (from == SUMS)
            cb_pop_front(SUMS, chunk);
        else if (from == KEPT)
            passed(1);
        from = FIRST;
    }
    // Of a chunk in this buffer.
    void end(uint32_t buffer)
    {
        finish();
        from = buffer;
        steps++;
    }
    void passed(uint32_t chunks) const
    {
        noc_semaphore_inc(get_noc_addr(in_x, in_y, PASSED), chunks);
    }
};

// This chip's chunks of a group, which it sends in the first round: they are read while others are sent.
template <typename Tensor> class first_chunks {
    const Tensor &tensor;
    const ring &self;
    group of{0};
    uint32_t asked = 0;

  public:
    first_chunks(const Tensor &from, const ring &place) : tensor(from), self(place) {}
    static uint32_t at(uint32_t i) { return get_write_ptr(FIRST) + i * chunk_bytes; }
    void begin(const group &next)
    {
        of = next;
        asked = 0;
    }
    void read_one()
    {
        if (asked == of.count)
            return;
        noc_async_read_set_trid(asked + 1);
        read_chunk(tensor, self.sent(0, of.first + asked), at(asked));
        asked++;
    }
    void read_all()
    {
        while (asked < of.count)
            read_one();
    }
};

void kernel_main()
{
    const ring self = ring_of_worker();
    const uint32_t to_keep = get_arg_val<uint32_t>(9), sums = get_read_ptr(SUMS);
    constexpr auto args = TensorAccessorArgs<5>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0), tile_bytes);
    wait_for_tensor(10);
    sender out;
    group now(self.segment);
    uint32_t added = 0, kept = 0;
    first_chunks first(tensor, self);
    first.begin(now);
    while (now.count > 0) {
        first.read_all();
        for (uint32_t i = 0; i < now.count; i++) {
            noc_async_read_barrier_with_trid(i + 1);
            out.begin();
            out.send(first.at(i));
            out.end(FIRST);
        }
        out.finish();
        const group next(self.segment, now.first + now.count);
        first.begin(next);
        for (uint32_t round = 0; round < adding; round++)
            for (uint32_t i = 0; i < now.count; i++, added++) {
                const uint32_t from = sums + added % SUM_CHUNKS * chunk_bytes;
                cb_wait_front(SUMS, (i + round > 0 ? 2 : 1) * chunk); // the one before is there yet
                out.begin();
                if (round < last)
                    out.send(from);
                if (round == adding - 1)
                    write_chunk(tensor, self.received(round, now.first + i), from);
                out.end(SUMS);
                first.read_one();
            }
        for (uint32_t round = adding; round < last; round++)
            for (uint32_t i = 0; i < now.count; i++, kept++) {
                wait_until(to_keep, kept + 1);
                out.begin();
                out.send(get_write_ptr(KEPT) + kept % slots * chunk_bytes);
                out.end(KEPT);
                first.read_one();
            }
        out.finish();
        if (keeping > 0) { // what comes in the last round goes nowhere
            out.passed(now.count);
            kept += now.count;
        }
        now = next;
    }
    out.drain();
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
