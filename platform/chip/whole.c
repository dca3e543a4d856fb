#include "platform/chip/whole.h"

#include <stdlib.h>
#include <string.h>

enum ts_code ts_whole_init(struct ts_whole *self, struct ts_kernel *kernel,
                           const struct ts_soc *soc, const struct ts_params *params,
                           const struct ts_tile_config *config,
                           bool (*furnish)(struct ts_tile *tile, void *context,
                                           struct ts_error *error),
                           void *context, struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    if (ts_chip_init(&self->chip, kernel, soc, params, NULL, 0, error) != TS_OK)
        return error->code;
    self->tiles = calloc(soc->tiles, sizeof *self->tiles);
    for (uint32_t i = 0; i < soc->tiles && self->tiles; i++) {
        struct ts_noc_xy at = self->chip.tiles[i];
        // Next to what furnishes it: a tile's state lies together.
        ts_kernel_spread(kernel);
        struct ts_tile *tile = self->tiles[i] = ts_kernel_alloc(kernel, sizeof *tile);
        if (tile == NULL || !ts_tile_init(tile, ts_chip_site(&self->chip, at)->domain, config))
            return ts_fail(error, TS_NO_MEMORY, "no memory for tile %u-%u", at.x, at.y);
        ts_chip_attach(&self->chip, tile, at);
        if (furnish && !furnish(tile, context, error))
            return error->code;
    }
    if (self->tiles == NULL)
        return ts_fail(error, TS_NO_MEMORY, "no memory for %u tiles", soc->tiles);
    return ts_chip_build(&self->chip, error);
}

void ts_whole_free(struct ts_whole *self)
{
    for (uint32_t i = 0; self->tiles && i < self->chip.soc.tiles; i++)
        if (self->tiles[i])
            ts_tile_free(self->tiles[i]);
    free(self->tiles);
    self->tiles = NULL;
    ts_chip_free(&self->chip);
}

struct ts_tile *ts_whole_tile(const struct ts_whole *self, struct ts_noc_xy at)
{
    for (uint32_t i = 0; i < self->chip.soc.tiles; i++)
        if (self->chip.tiles[i].x == at.x && self->chip.tiles[i].y == at.y)
            return self->tiles[i];
    return NULL;
}
