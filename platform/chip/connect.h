// Connects tiles that somebody else made with the networks of a whole chip: for vectors and
// scenarios of a few tiles.
#ifndef TENSIM_CHIP_CONNECT_H
#define TENSIM_CHIP_CONNECT_H

#include "platform/chip/attach.h"

struct ts_chip_bench {
    const struct ts_params *params;
    const char *soc; // its name, see ts_soc_find
    struct ts_chip chip;
};

// The hooks of struct ts_conform_options; the context is a bench. All other sites of the chip are
// bare.
bool ts_chip_connect(struct ts_tile *tiles, uint32_t count, void *bench, struct ts_error *error);
void ts_chip_disconnect(void *bench);

#endif
