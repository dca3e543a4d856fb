// Matmul over a grid of tiles, as the vendor's 2D multicast kernels do it.
//
// in0 goes along the rows, in1 down the columns, a block of the inner dimension at a time. Rings
// have room for two blocks: while one is multiplied, the next is fetched and sent. Who sends waits
// until every tile of its row or column has room (`ready`, incremented by them), multicasts the
// block and behind it, on the same reserved path, the number of the block (`valid`).
#pragma once
#include "cb.h"
#include "noc.h"

// A row or a column of the grid on one NoC.
template <unsigned Which> struct grid_line {
    noc::interface<Which> noc;
    uint32_t low, high, count; // corners' coordinates, tiles
    uint32_t words;            // in L1, 16 bytes apart: ready, valid, scratch, number to send
    uint32_t blocks = 0;       // that have come

    grid_line(uint32_t me, uint32_t low_, uint32_t high_, uint32_t count_, uint32_t words_)
        : noc(me), low(low_), high(high_), count(count_), words(words_)
    {
    }

    void wait_valid()
    {
        blocks++;
        while (TS_REG(words + 0x10) < blocks)
            ;
    }
    void receive(uint32_t sender)
    {
        noc.increment(sender, words, 1, words + 0x20);
        wait_valid();
    }
    // The block may lie where the others will have it (then this tile has it already), or elsewhere.
    void send(uint32_t from, uint32_t to, uint32_t bytes)
    {
        bool copy = from != to;
        while (TS_REG(words) < count - 1)
            ;
        TS_REG(words) = 0;
        TS_REG(words + 0x30) = blocks + 1;
        ts_arrived(TS_REG(words + 0x30));
        if (count > 1) {
            uint32_t receivers = copy ? count : count - 1;
            noc.multicast(from, low, high, to, bytes, receivers, copy, true);
            noc.flushed();
            noc.multicast(words + 0x30, low, high, words + 0x10, 4, receivers, copy, false);
        } else if (copy) {
            noc.write(from, low, to, bytes);
            noc.barrier();
        }
        if (!copy || count == 1)
            TS_REG(words + 0x10) = blocks + 1;
        wait_valid();
    }
};

// A matrix in DRAM: its tiles, row by row, lie in the channels in turn.
struct dram_matrix {
    uint32_t base, across, tile_bytes; // in every channel; tiles in a row
    uint32_t channel[TS_DRAM_CHANNELS];

    dram_matrix(unsigned which, uint32_t base_, uint32_t across_, uint32_t tile_bytes_)
        : base(base_), across(across_), tile_bytes(tile_bytes_)
    {
        for (uint32_t i = 0; i < TS_DRAM_CHANNELS; i++)
            channel[i] = TS_REG(TS_L1_DRAM + 4 * (which * TS_DRAM_CHANNELS + i));
    }
    uint32_t at(uint32_t tile) const { return channel[tile % TS_DRAM_CHANNELS]; }
    uint32_t address(uint32_t tile) const { return base + tile / TS_DRAM_CHANNELS * tile_bytes; }
    // A rectangle of tiles to L1, row by row.
    template <unsigned Which>
    void read(noc::interface<Which> &noc, uint32_t first, uint32_t rows, uint32_t columns,
              uint32_t to) const
    {
        for (uint32_t r = 0; r < rows; r++, first += across)
            for (uint32_t c = 0; c < columns; c++, to += tile_bytes)
                noc.read(at(first + c), address(first + c), to, tile_bytes);
        noc.read_barrier();
    }
};
