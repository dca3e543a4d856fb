// Puts a Tensix tile at its place on a chip: its NIUs into its address space, its memory behind its
// NIUs.
#ifndef TENSIM_CHIP_ATTACH_H
#define TENSIM_CHIP_ATTACH_H

#include "platform/chip/chip.h"
#include "platform/tile/tile.h"

// Between ts_chip_init and ts_chip_build; the tile lives in the site's domain.
void ts_chip_attach(struct ts_chip *self, struct ts_tile *tile, struct ts_noc_xy at);

#endif
