// A chip whose Tensix tiles are all there, with cores and coprocessors: ready for programs.
//
//   ts_whole_init -> ts_kernel_elaborate -> load L1, ts_tile_start ... -> ts_kernel_run ->
//   ts_chip_check -> ts_whole_free
//
// Tiles in reset cost nothing: no step, and of their L1 only what is touched. The tiles lie in the
// kernel's memory: ts_whole_free comes before ts_kernel_free.
#ifndef TENSIM_CHIP_WHOLE_H
#define TENSIM_CHIP_WHOLE_H

#include "platform/chip/attach.h"

struct ts_whole {
    struct ts_chip chip;
    struct ts_tile **tiles; // chip.soc.tiles of them, in the order of chip.tiles
};

// `furnish` adds what a tile has beside cores and memory (ts_coprocessor_furnish); NULL: nothing.
enum ts_code ts_whole_init(struct ts_whole *self, struct ts_kernel *kernel,
                           const struct ts_soc *soc, const struct ts_params *params,
                           const struct ts_tile_config *config,
                           bool (*furnish)(struct ts_tile *tile, void *context,
                                           struct ts_error *error),
                           void *context, struct ts_error *error);
void ts_whole_free(struct ts_whole *self);
// The tile at raw NoC 0 coordinates; NULL if none is there.
struct ts_tile *ts_whole_tile(const struct ts_whole *self, struct ts_noc_xy at);

#endif
