// What places of a tile are called: by the names of the program (tile.h: names), else by what they are.
#pragma once

#include "platform/tile/tile.h"

// A word of L1: "semaphore ready", "page 2 of circular buffer c_0", "L1 word 0x1f008". Returns text.
const char *ts_tile_word_name(const struct ts_tile *tile, uint32_t address, char *text,
                              size_t size);
// The same for a place that a request goes to, in L1 of any tile or in DRAM: "page 3 of tensor x". NULL: the program has no name for it.
const char *ts_tile_far_name(const struct ts_tile *tile, bool dram, uint64_t address, char *text,
                             size_t size);
// Cores in the order in which host software counts processors (enum ts_processor), their names, and what they are for a compute kernel.
extern const uint8_t ts_processor_core[5];
extern const char *const ts_processor_name[5];   // brisc to trisc2
extern const char *const ts_processor_thread[5]; // brisc, ncrisc, unpack, math, pack
// "brisc"; of an Ethernet tile "erisc0". And the core of such a name; -1: the tile has none.
const char *ts_tile_core_name(const struct ts_tile *tile, unsigned core);
int ts_tile_core_by_name(const struct ts_tile *tile, const char *name);
// Where the tile is: "1-2", on a chip of several "1/1-2", an Ethernet tile "1/eth7". Returns text.
const char *ts_tile_place_name(const struct ts_tile *tile, char *text, size_t size);
// A register of a tile: credits of an overlay stream by the stream, others by address.
const char *ts_tile_register_name(const struct ts_tile *tile, uint32_t address, char *text,
                                  size_t size);
// What a core polls: "pages in c_0", "semaphore 3", "mailbox of trisc0", "transfers of noc0", a word, "register 0xffb...".
const char *ts_tile_poll_name(const struct ts_tile *tile, unsigned core, uint32_t address,
                              char *text, size_t size);
