// Names of timed zones: what the programs of a tile say of the ids in their event buffers.
//
// The vendor's perf kernels keep a string for each zone in the section .profiler_meta of their ELF,
// "LLK_PROFILER:file:line:name"; the id is its 32-bit FNV-1a hash, folded to 16 bits.
// Source: tt-llk, tests/helpers/include/profiler.h.
#pragma once

#include "platform/tile/tile.h"

#define TS_ZONE_NAMES 64

struct ts_zone_names {
    struct {
        uint32_t id;
        char text[80]; // "name (file:line)"
    } row[TS_ZONE_NAMES];
    unsigned count;
};

// Reads the names from the ELF files of the tile's cores; without any, none is known.
void ts_zone_names_read(struct ts_zone_names *self, const struct ts_tile *tile);
// The name of a zone, or its id as a number, in `text`.
const char *ts_zone_name(const struct ts_zone_names *self, uint32_t id, char *text, size_t size);
