// A ring of chips, as the kernels of a worker see it: which chunk goes and comes when.
//
//     chip before --link--> in (E1) --NoC--> worker --NoC--> out (E0) --link--> next chip
//
// A worker's part of a tensor is cut into one segment for each chip, a segment into chunks of some tiles. In each round a chip
// sends chunks of a segment to the next chip and receives chunks of one from the chip before; what it sends is what it received
// in the round before: with its own added in the first rounds, as it is in the others. Up to `slots` chunks go through all
// rounds together, so sums need not go through DRAM on their way.
#include <stdint.h>

constexpr uint32_t chips = get_compile_time_arg_val(0), chunk = get_compile_time_arg_val(1);
constexpr uint32_t slots = get_compile_time_arg_val(2);
// Rounds in which what comes is added, and rounds in which it is kept.
constexpr uint32_t adding = get_compile_time_arg_val(3) ? chips - 1 : 0;
constexpr uint32_t keeping = get_compile_time_arg_val(4) ? chips - 1 : 0;

// Circular buffers: this chip's chunks to be added to those that came; their sums; chunks that came and are kept; chunks that
// this chip sends first.
constexpr uint32_t OWN = 2, CAME = 3, SUMS = 17, KEPT = 24, FIRST = 25;
constexpr uint32_t OWN_CHUNKS = 8, SUM_CHUNKS = 4;

// Chunks that go through all rounds together: `count' of them from `first' on.
struct group {
    uint32_t first, count;
    explicit group(uint32_t segment, uint32_t begin = 0)
        : first(begin), count(segment - begin < slots ? segment - begin : slots)
    {
    }
};

// A worker's place in the ring, and its part of the tensor.
struct ring {
    uint32_t me, tile, segment; // first tile, chunks of a segment
    // The first tile of a chunk that is sent or received in a round.
    uint32_t sent(uint32_t round, uint32_t number) const
    {
        return tile + ((me + 2 * chips - round) % chips * segment + number) * chunk;
    }
    uint32_t received(uint32_t round, uint32_t number) const { return sent(round + 1, number); }
};
// As the arguments of readers and writers have it, behind the tensor.
inline ring ring_of_worker()
{
    return {get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3)};
}
