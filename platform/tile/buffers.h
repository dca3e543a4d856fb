// The registered circular buffers of a tile: for lints and hang reports.
//
// A buffer is a ring of pages in L1 and two 16-bit counters: pages put in (received) and pages
// taken out (acked), in L1 or in registers of the NoC overlay. Software keeps them; the tile runs without this table.
#pragma once

#include "platform/tile/tile.h"

// Adds one. False: the table is full.
bool ts_buffers_add(struct ts_tile *tile, const char *name, uint32_t received, uint32_t acked,
                    uint32_t pages);

// The buffer that has a counter at the address; NULL: none. *full: it is `received`, so a core that
// polls it waits for pages; otherwise for room.
const struct ts_buffer *ts_buffers_at(const struct ts_tile *tile, uint32_t address, bool *full);

// The number of the buffer whose counter is at the address, declared or not; -1: none.
int ts_buffers_number(const struct ts_tile *tile, uint32_t address, bool *full);

// A core has written a register of the overlay. Software clears counters between programs: then nobody owns them.
void ts_buffers_written(struct ts_tile *tile, unsigned core, uint32_t address, ts_cycle now);

// Pages in the buffer now.
uint32_t ts_buffer_fill(const struct ts_tile *tile, const struct ts_buffer *buffer);
// Its two counters, received above acked: another number when anything has changed.
uint64_t ts_buffer_counts(const struct ts_tile *tile, const struct ts_buffer *buffer);
