// A launch that `tensim capture` took from a host, as a program: memory before it, memory after it.
//
//   cycle 0      DRAM; L1 as it was when the host released the cores: tt-metal's firmware
//   release      the host's write to the reset register; the firmware boots
//   go           L1 as it was at the go message: configuration, kernels, data, launch message; the host's words below it
//                (before it, the same for each earlier launch of the host that the file names: `earlier')
//   the end      BRISC has taken the go message back on every tile; L1 and DRAM are compared with what the capture saw
//
// Release and go come in the cycles of the captured run, so that its refreshes and its wall clock come again.
// Inaccuracies: without its earlier launches a launch finds other registers, Dst and local RAM, and firmware that waits already.
// A tile whose firmware is later than it was gets its go message later than the others.
#pragma once

#include "platform/run/plan/metal.h"
#include "platform/run/work.h"

#define TS_CAPTURED_RESET 0xffb121b0u // RISCV_DEBUG_REG_SOFT_RESET_0

// Tiles by NoC 0 coordinates: bit x of row y.
struct ts_captured_tiles {
    uint32_t row[TS_NOC_HEIGHT_MAX];
};

static inline bool ts_captured_has(const struct ts_captured_tiles *self, uint32_t x, uint32_t y)
{
    return self->row[y] >> x & 1;
}

static inline bool ts_captured_has_tile(const struct ts_captured_tiles *self,
                                        const struct ts_tile *tile)
{
    return ts_captured_has(self, tile->x, tile->y);
}

struct ts_captured_piece {
    struct ts_captured_tiles tiles;
    int channel; // of DRAM; -1: L1 or registers of the tiles
    uint64_t at;
    uint8_t *bytes;
    size_t length;
    uint32_t text; // of an ELF file: where its code was linked
};

struct ts_captured_list {
    struct ts_captured_piece *piece;
    size_t count;
};

struct ts_captured_release {
    struct ts_captured_tiles tiles;
    ts_cycle cycle;
    uint32_t word; // for the reset register
};

struct ts_captured {
    struct ts_captured *earlier; // the launch before; NULL: none
    struct ts_yaml yaml;         // its file
    char path[PATH_MAX];
    bool stored; // its DRAM
    const struct ts_metal_layout *layout;
    struct ts_captured_tiles launched;
    struct ts_captured_release *releases;
    size_t release_count;
    ts_cycle go, cycles; // of the captured run: from go to the end; 0: the file has none
    struct ts_captured_list boot, memory, after, elf; // elf: of kernels at their addresses in L1
    char other[160];   // how the machine differs from the captured one; "": it is the same
    const char *apart; // what else was not so then; NULL: nothing
    // After a run.
    ts_cycle took;
    bool retimed; // other cycles on the same machine
    bool compared;
    uint64_t differ; // bytes
    char first[80];  // of them
};

// The file's part; the plan's cores and kernels. Errors are recorded at the node.
void ts_captured_read(struct ts_plan *plan, struct ts_yaml_node node,
                      const struct ts_plan_options *options);
void ts_captured_free(struct ts_captured *self);

// --- the machine (captured_machine.c) ---
// Writes `machine:' with the parameters that have not their default values; nothing if there are none.
bool ts_captured_machine_print(const struct ts_params *params, FILE *file, struct ts_error *error);
// Sets what a captured file says; other files change nothing.
bool ts_captured_machine_set(const char *path, struct ts_params *params, struct ts_error *error);
// Is this the machine of the file?
void ts_captured_machine_compare(struct ts_plan *plan, const struct ts_params *params,
                                 struct ts_error *error);

// --- for the host of a tile (metal.c) ---
// DRAM of the launches that go in this cycle or before. All domains stand still.
bool ts_captured_store(struct ts_captured *self, struct ts_chip *chip, ts_cycle now,
                       struct ts_error *error);
// The launch with so many before it.
struct ts_captured *ts_captured_launch(struct ts_captured *self, unsigned before);
bool ts_captured_boot(const struct ts_captured *self, struct ts_tile *tile, struct ts_error *error);
const struct ts_captured_release *ts_captured_release(const struct ts_captured *self,
                                                      const struct ts_tile *tile);
bool ts_captured_launches(const struct ts_captured *self, const struct ts_tile *tile);
void ts_captured_message(const struct ts_captured *self, struct ts_noc_xy tile,
                         struct ts_metal_message *message);
// At the go message. `room`: for L1 from the configuration on.
bool ts_captured_put(const struct ts_captured *self, struct ts_tile *tile, uint8_t *room,
                     ts_cycle now, struct ts_error *error);

// The kernels of this launch have the names of their ELF files from now on.
void ts_captured_names(const struct ts_captured *self, struct ts_tile *tile,
                       const struct ts_metal_message *message);

// --- after the run (finish.c) ---
void ts_captured_compare(struct ts_captured *self, const struct ts_work *work);
// Other cycles or bytes than the captured ones; how, as a sentence.
bool ts_captured_wrong(const struct ts_captured *self);
void ts_captured_wrong_text(const struct ts_captured *self, char *text, size_t size);
void ts_captured_print(const struct ts_captured *self, FILE *file);
json_t *ts_captured_json(const struct ts_captured *self);
