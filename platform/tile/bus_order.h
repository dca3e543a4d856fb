// What cores' accesses outside L1 do to the order of accesses, for checks (platform/check). Only with a check.
#pragma once

#include "platform/tile/tile.h"

// A core has loaded a word, or stores one.
void ts_tile_ordered_load(struct ts_tile *self, unsigned core, uint32_t address, uint32_t value,
                          ts_cycle now);
void ts_tile_ordered_store(struct ts_tile *self, unsigned core, uint32_t address,
                           const uint32_t *words, unsigned count, unsigned held, ts_cycle now);
// It has issued a request of so many packets.
struct ts_check_trip *ts_tile_issued(struct ts_tile *self, const struct ts_noc_niu *niu,
                                     unsigned core, const struct ts_noc_packet *request,
                                     uint32_t packets, ts_cycle now);
