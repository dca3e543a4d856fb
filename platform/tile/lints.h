// Lints: what hardware does without complaint and is nearly always a bug. The first reports are kept
// in the tile, once for each place they come from; all are counted in tensix.reports.
#ifndef TENSIM_TILE_LINTS_H
#define TENSIM_TILE_LINTS_H

#include "platform/tile/tile.h"

// Reports what a core, or somebody for the tile, did; as ts_tensix_report. `pc`: TS_NO_PC if it is
// not known. False: the report is a fault (strict).
bool ts_tile_lint(struct ts_tile *self, enum ts_report which, unsigned by, uint32_t pc,
                  ts_cycle now, const char *format, ...) __attribute__((format(printf, 6, 7)));
// "T0", "brisc", "the NoC".
const char *ts_by_name(unsigned by);

// The units' hook for reports, and the cores' for a line of their L0 cache that is out of date.
void ts_tile_report(void *tile, enum ts_report which, unsigned by, ts_cycle now, const char *text);
void ts_tile_stale(void *tile, unsigned core, uint32_t pc, uint32_t address, ts_cycle now);

#endif
