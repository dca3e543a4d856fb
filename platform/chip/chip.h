// A chip: the grid of a SoC descriptor, two NoCs over it, DRAM channels, and tiles.
//
//   domain per Tensix tile:  tile + 2 NIUs + 2 routers; the same per Ethernet tile
//   domain per DRAM channel: 3 x (2 NIUs + 2 routers)
//   domain per other site:   2 NIUs + 2 routers
//
// Links between sites cross domains: a window of the kernel is a hop.
//
//   ts_tile_new_at ... -> ts_chip_init -> ts_kernel_elaborate -> load, ts_tile_start ... ->
//   ts_kernel_run -> ts_chip_free, ts_tile_free ... -> ts_kernel_free
//
// ts_chip_init takes the tiles that a run needs; all other Tensix sites have bare L1: memory without
// a tile. ts_chip_init_complete makes every tile of the chip. Tiles in reset cost nothing: no step,
// and of their L1 only what is touched.
#pragma once

#include "noc/dram.h"
#include "noc/torus.h"
#include "platform/chip/soc.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"

#define TS_CHIP_ETH 16

struct ts_chip {
    struct ts_kernel *kernel;
    struct ts_soc soc;
    struct ts_noc_torus torus;
    struct ts_dram dram[TS_SOC_CHANNELS];
    struct ts_noc_xy tiles[TS_NOC_HEIGHT_MAX * TS_NOC_WIDTH_MAX]; // the Tensix tiles, row by row
    struct ts_tile **tile;            // in the order of `tiles`; NULL: only L1 is there
    struct ts_tile *eth[TS_CHIP_ETH]; // by channel; NULL: not there
    uint32_t clock_mhz;
    unsigned char **bare; // that L1
    bool owns_tiles;
};

// Adds the parameter groups that a chip needs.
void ts_chip_params_add(struct ts_params *params);

// Builds a chip with these tiles, which stay the caller's, at their coordinates. After a failure,
// too, ts_chip_free follows.
enum ts_code ts_chip_init(struct ts_chip *self, struct ts_kernel *kernel, const struct ts_soc *soc,
                          const struct ts_params *params, struct ts_tile *const *tiles,
                          size_t count, struct ts_error *error);
// The same of a chip of several in one kernel: `prefix` begins the names of its domains.
enum ts_code ts_chip_init_in(struct ts_chip *self, struct ts_kernel *kernel,
                             const struct ts_soc *soc, const struct ts_params *params,
                             struct ts_tile *const *tiles, size_t count, const char *prefix,
                             struct ts_error *error);
// Builds a chip with all its tiles, which are the chip's.
enum ts_code ts_chip_init_complete(struct ts_chip *self, struct ts_kernel *kernel,
                                   const struct ts_soc *soc, const struct ts_params *params,
                                   const struct ts_tile_config *config, struct ts_error *error);
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
