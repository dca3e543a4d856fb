// A chip: the grid of a SoC descriptor, two NoCs over it, DRAM channels, and tiles.
//
//   domain per Tensix tile: tile + 2 NIUs + 2 routers      domain per DRAM channel: 3 x (2 NIUs + 2
//   routers) domain per other site: 2 NIUs + 2 routers              links between sites cross: a
//   window is a hop
//
// Built in two steps, so that whoever makes the tiles can put something into their domains:
// ts_chip_init makes grid and domains; the builder gives every Tensix site its memory
// (ts_chip_place); ts_chip_build makes the network. A site that got nothing has bare L1: memory
// without a tile, for runs of the network alone.
#ifndef TENSIM_CHIP_CHIP_H
#define TENSIM_CHIP_CHIP_H

#include "noc/dram.h"
#include "noc/torus.h"
#include "platform/chip/soc.h"
#include "platform/kernel/kernel.h"

#define TS_CHIP_L1_SIZE 0x180000u

struct ts_chip {
    struct ts_kernel *kernel;
    struct ts_soc soc;
    struct ts_noc_torus torus;
    struct ts_dram dram[TS_SOC_CHANNELS];
    struct ts_noc_xy tiles[TS_NOC_HEIGHT_MAX * TS_NOC_WIDTH_MAX]; // the Tensix tiles, row by row
    unsigned char **bare; // L1 of bare tiles, by site; NULL elsewhere
};

// Adds the parameter groups that a chip needs.
void ts_chip_params_add(struct ts_params *params);

// A domain that is there already, for the tile that lives in it.
struct ts_chip_domain {
    struct ts_noc_xy tile;
    struct ts_domain *domain;
};

// `given`: domains that are there already; the others are made.
enum ts_code ts_chip_init(struct ts_chip *self, struct ts_kernel *kernel, const struct ts_soc *soc,
                          const struct ts_params *params, const struct ts_chip_domain *given,
                          size_t count, struct ts_error *error);
// Gives a site its memory.
void ts_chip_place(struct ts_chip *self, struct ts_noc_xy tile, const struct ts_noc_memory *memory,
                   void *context);
enum ts_code ts_chip_build(struct ts_chip *self, struct ts_error *error);
void ts_chip_free(struct ts_chip *self);

static inline struct ts_noc_site *ts_chip_site(const struct ts_chip *self, struct ts_noc_xy tile)
{
    return ts_noc_torus_site(&self->torus, tile.x, tile.y);
}

// The host's access to a tile or channel, without timing. Raw NoC 0 coordinates.
enum ts_code ts_chip_read(struct ts_chip *self, struct ts_noc_xy tile, uint64_t address,
                          void *bytes, uint32_t length, struct ts_error *error);
enum ts_code ts_chip_write(struct ts_chip *self, struct ts_noc_xy tile, uint64_t address,
                           const void *bytes, uint32_t length, struct ts_error *error);

// Conservation: no link, port or channel above its rate, bytes out are bytes in. The kernel makes
// this check at the end of every run of a chip (ts_kernel_audit); here for those who ask again.
enum ts_code ts_chip_check(const struct ts_chip *self, const struct ts_run *run,
                           struct ts_error *error);
json_t *ts_chip_json(const struct ts_chip *self, ts_cycle span);

// Turns the trace of requests on (before the run), and writes it in tt-npe's form.
void ts_chip_log(struct ts_chip *self);
json_t *ts_chip_log_json(const struct ts_chip *self);

#endif
