// The nodes of a chip, read from a SoC file (config/chips/*.yaml): a descriptor in tt-metal's form, or another
// chip less what is fused off.
//
// DRAM: a controller is what the die has, a channel one that works, in their order. A bank is what software counts: a channel
// on Blackhole, half of one on Wormhole, whose DRAM tiles have two GDDR6 channels each.
#pragma once

#include "noc/fabric.h"

#define TS_SOC_CHANNELS  16
#define TS_SOC_ENDPOINTS 3
#define TS_SOC_TABLE     32 // entries of a translation table

struct ts_soc {
    char name[64]; // of its file: "p150"
    const struct ts_machine *machine;
    uint8_t width, height;
    uint8_t node[TS_NOC_HEIGHT_MAX][TS_NOC_WIDTH_MAX]; // enum ts_noc_node
    uint8_t index[TS_NOC_HEIGHT_MAX]
                 [TS_NOC_WIDTH_MAX]; // among those of its kind; of DRAM the channel
    uint32_t tiles;                  // Tensix tiles that work
    uint32_t controllers;            // DRAM controllers of the die
    uint32_t hole;                   // 1 + the one that is fused off; 0: none
    uint32_t channels;               // those that work
    uint32_t parts;                  // banks of a controller, one after the other in its addresses
    uint32_t banks;                  // as software counts: channels times parts
    struct ts_noc_xy dram[TS_SOC_CHANNELS][TS_SOC_ENDPOINTS]; // of each channel
    uint8_t worker[TS_NOC_COUNT][TS_SOC_CHANNELS];            // which of them workers use, by bank
    struct ts_noc_xy pcie;
    bool translation, from_16;                            // the machine's rule names_from_16
    uint8_t raw_rows;                                     // first rows, in which x is raw
    uint8_t x_table[TS_SOC_TABLE], y_table[TS_SOC_TABLE]; // translated to raw coordinates
};

enum ts_code ts_soc_load(struct ts_soc *self, const char *path, struct ts_error *error);
// "p150" is config/chips/p150.yaml; what has a slash or ends in .yaml is a path; "p300@2080" is one of a p300 whose Tensix columns
// of the mask are off, bit 0 the westernmost.
enum ts_code ts_soc_find(struct ts_soc *self, const char *name, struct ts_error *error);

// The machine of a chip; NULL, or no such chip: Blackhole.
const struct ts_machine *ts_soc_machine(const char *name);

// The endpoint of a bank that workers use on a NoC.
struct ts_noc_xy ts_soc_worker_endpoint(const struct ts_soc *self, uint32_t bank, unsigned noc);

// Fills an NIU's translation registers as firmware does, and NOC_ID_LOGICAL.
void ts_soc_translate(const struct ts_soc *self, unsigned noc, struct ts_noc_xy tile,
                      uint32_t config[]);
// Raw NoC 0 coordinates of a translated pair; false if nothing is there.
bool ts_soc_raw(const struct ts_soc *self, uint32_t x, uint32_t y, struct ts_noc_xy *tile);
// The translated coordinates that firmware prefers for a tile.
struct ts_noc_xy ts_soc_logical(const struct ts_soc *self, struct ts_noc_xy tile);
