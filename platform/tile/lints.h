// Lints: operations that hardware accepts and that are nearly always bugs. The tile keeps the first
// reports, once per call site; tensix.reports counts all.
#pragma once

#include "platform/tile/tile.h"

// Reports an operation of a core, or of another agent for the tile; as ts_tensix_report. `pc`:
// TS_NO_PC if it is not known. False: the report is a fault (strict).
bool ts_tile_lint(struct ts_tile *self, enum ts_report which, unsigned by, uint32_t pc,
                  ts_cycle now, const char *format, ...) __attribute__((format(printf, 6, 7)));
// "T0", "brisc", "the NoC".
const char *ts_by_name(unsigned by);

// The units' hook for reports, and the cores' for a stale line of their L0 cache.
void ts_tile_report(void *tile, enum ts_report which, unsigned by, ts_cycle now, const char *text);
void ts_tile_stale(void *tile, unsigned core, uint32_t pc, uint32_t address, ts_cycle now);
// The cores' hook for loads behind a kernel's arguments (struct ts_tile_args).
void ts_tile_guarded(void *tile, unsigned core, uint32_t pc, uint32_t address, ts_cycle now);
// A TRISC sends mail: do words of its thread still write configuration that others see?
void ts_tile_mailed(struct ts_tile *self, unsigned core, unsigned to, ts_cycle now);
