// One operand of a matmul over a grid of tiles: the first tile of a row (or column) has all of it
// and sends every block to the whole row (or column), when all of them have room.
#pragma once
#include "cb.h"
#include "noc.h"

struct grid_stream {
    uint32_t cb, tiles;      // of a block
    uint32_t blocks, repeat; // blocks of a pass, passes
    uint32_t count;          // tiles of the row or column
    bool sender;
    uint32_t from, low, high; // coordinates: of the sender, and of the corners
    uint32_t source;          // address of the operand at the sender
    uint32_t kept;            // blocks of it that lie there; 0: it lies in DRAM
    uint32_t first;           // DRAM: number of its first tile
    uint32_t ready, valid;    // semaphores: tiles with room (at the sender), blocks that came
    uint32_t scratch, word;   // of this tile: where old values come back, the word that is sent
};

// Tiles of a block from DRAM: they lie in the channels in turn.
template <unsigned Which>
void fetch(noc::interface<Which> &noc, const grid_stream &s, uint32_t block, uint32_t to)
{
    uint32_t size = cb_get(s.cb).tile_bytes, number = s.first + block * s.tiles;
    for (uint32_t i = 0; i < s.tiles; i++, number++, to += size)
        noc.read(TS_REG(TS_L1_DRAM + 4 * (number % TS_DRAM_CHANNELS)),
                 number / TS_DRAM_CHANNELS * size, to, size);
    noc.read_barrier();
}

template <unsigned Which> void grid_run(const grid_stream &s, uint32_t me)
{
    noc::interface<Which> noc(me);
    uint32_t bytes = s.tiles * cb_get(s.cb).tile_bytes;
    for (uint32_t i = 0; i < s.blocks * s.repeat; i++) {
        cb_reserve_back(s.cb, s.tiles);
        uint32_t to = get_write_ptr(s.cb);
        if (s.sender) {
            if (s.kept == 0)
                fetch(noc, s, i % s.blocks, to);
            while (TS_REG(s.ready) < (i + 1) * (s.count - 1))
                ts_invalidate();
            TS_REG(s.word) = i + 1;
            ts_arrived(TS_REG(s.word));
            if (s.kept == 0) {
                if (s.count > 1) {
                    noc.multicast(to, s.low, s.high, to, bytes, s.count - 1, false);
                    noc.multicast(s.word, s.low, s.high, s.valid, 4, s.count - 1, false);
                }
                TS_REG(s.valid) = i + 1;
            } else {
                // The word follows the data on the same channel and cannot overtake it; it comes
                // here too.
                uint32_t from = s.source + i % s.blocks % s.kept * bytes;
                if (s.count > 1) {
                    noc.multicast(from, s.low, s.high, to, bytes, s.count, true);
                    noc.multicast(s.word, s.low, s.high, s.valid, 4, s.count, true);
                } else {
                    noc.write(from, me, to, bytes);
                    noc.write(s.word, me, s.valid, 4);
                }
            }
        } else {
            noc.increment(s.from, s.ready, 1, s.scratch);
        }
        while (TS_REG(s.valid) < i + 1)
            ts_invalidate();
        cb_push_back(s.cb, s.tiles);
    }
    noc.barrier();
}
