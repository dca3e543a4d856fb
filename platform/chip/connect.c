#include "platform/chip/connect.h"

#include <stdlib.h>
#include <string.h>

bool ts_chip_connect(struct ts_tile *tiles, uint32_t count, void *context, struct ts_error *error)
{
    struct ts_chip_bench *self = context;
    struct ts_soc soc;
    if (ts_soc_find(&soc, self->soc, error) != TS_OK)
        return false;
    struct ts_chip_domain *given = calloc(count, sizeof *given);
    if (given == NULL) {
        ts_fail(error, TS_NO_MEMORY, "no memory for %u tiles", count);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        given[i] = (struct ts_chip_domain){{(uint8_t)tiles[i].x, (uint8_t)tiles[i].y},
                                           tiles[i].domain};
    struct ts_kernel *kernel = ts_domain_kernel(tiles[0].domain);
    ts_chip_init(&self->chip, kernel, &soc, self->params, given, count, error);
    for (uint32_t i = 0; i < count && error->code == TS_OK; i++) {
        if (soc.node[given[i].tile.y][given[i].tile.x] != TS_NOC_NODE_TENSIX)
            ts_fail(error, TS_SETUP, "%u-%u of %s is %s, not a Tensix tile", given[i].tile.x,
                    given[i].tile.y, self->soc,
                    ts_noc_node_name(soc.node[given[i].tile.y][given[i].tile.x]));
        else
            ts_chip_attach(&self->chip, &tiles[i], given[i].tile);
    }
    free(given);
    return error->code == TS_OK && ts_chip_build(&self->chip, error) == TS_OK;
}

void ts_chip_disconnect(void *context)
{
    struct ts_chip_bench *self = context;
    ts_chip_free(&self->chip);
    memset(&self->chip, 0, sizeof self->chip);
}
