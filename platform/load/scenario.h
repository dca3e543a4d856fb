// Scenarios: what is loaded where, and what the host does: a small program (script.h) with ELF files.
//
//   chip: p150                         # or p100, or a SoC file: tiles on its networks, with its DRAM;
//                                      # without it tiles are on their own
//   system: p150x2                     # instead of chip: several chips (platform/chip/system.h); tiles are
//                                      # then named 1/1-2 and 1/eth4 (chip 1), the latter with erisc0, erisc1
//   dram:                              # contents of the chip's channels
//     - {channel: 0, address: 0x1000, file: weights.bin}   # or words:; of a system also chip: 1
//   tiles:                             # the first one is every step's default
//     1-2:                             # NoC 0 coordinates
//       brisc: boot.elf
//       trisc0: {elf: t0.elf, hold: true}
//       trisc1: {pc: 0xb000}
//       load: [{address: 0x20000, file: args.bin}, {address: 0x21000, words: [1, 2, 3]}]
//   script:                            # without one: release every core that has a program, run to
//                                      # the end. After the last release without run or until: the
//                                      # cores run to the end before the next compare, dump or zones
//     - write: {address: 0x1ffc4, words: [1]}          # or file:; also registers, a word at a time
//     - release: [brisc, trisc0]       # or {tile: 1-2, cores: [...]}
//     - run: 1000                      # cycles
//     - until: {l1: 0x1ffb8, is: 0xff, limit: 1000000}
//     - compare: {address: 0x30000, file: golden.bin}  # or words:
//
// config/steps.def has all steps (HOST) and their keys. Paths are relative to the scenario's folder. A core
// without an ELF needs a pc (BRISC: 0).
#pragma once

#include "platform/kernel/kernel.h"
#include "platform/load/loader.h"
#include "platform/load/script.h"

struct ts_scenario_tile {
    uint32_t x, y;
    uint32_t chip;
    int channel; // of an Ethernet tile; -1: a Tensix tile
    struct ts_tile *tile;
    struct ts_loader loader;
    bool has_program[TS_RV_CORES], hold[TS_RV_CORES];
    uint32_t pc[TS_RV_CORES];
};

// The channels of the chip, who knows them; NULL, or why not. Of a system: channel | chip << TS_SCENARIO_CHIP.
#define TS_SCENARIO_CHIP 8
struct ts_scenario_dram {
    const char *(*check)(void *context, uint32_t channel, uint64_t address, uint64_t length);
    const char *(*read)(void *context, uint32_t channel, uint64_t address, void *bytes,
                        uint64_t length);
    const char *(*write)(void *context, uint32_t channel, uint64_t address, const void *bytes,
                         uint64_t length);
};

// The links of the system; NULL, or why not.
struct ts_scenario_links {
    const char *(*train)(void *context, const char *end, bool up, bool look_only);
};

struct ts_scenario {
    struct ts_script script; // nothing is loaded: made without a file
    char folder[256];
    struct ts_scenario_tile *tiles;
    uint32_t tile_count;
    char chip[512];                 // its name or SoC file; empty: tiles are on their own
    char system[512];               // its name or file; empty: there is one chip at most
    uint32_t chips;                 // of the system
    struct ts_scenario_step *steps; // of the script
    size_t step_count, end_at;      // before which step the cores run to their end; SIZE_MAX: none
    const struct ts_scenario_dram *dram;
    void *dram_context;
    const struct ts_scenario_links *links;
    void *links_context;
    struct ts_kernel *kernel; // while it runs
    ts_cycle now;
    bool patient;  // the script lets a number of cycles pass: what only polls meanwhile is no hang
    bool anywhere; // dumps may go outside the folder of the file
    FILE *out;     // dumps and zones for people; NULL: nothing is printed
    bool waiting;
    struct {
        const struct ts_scenario_tile *tile;
        uint32_t address, value, mask;
        bool met;
        ts_cycle at;
    } wait;
};

// How the script lets time pass: runs to the cycle `limit`; false: the run is over (fault, signal).
struct ts_scenario_driver {
    bool (*run)(void *context, ts_cycle limit, struct ts_run *run);
    void *context;
};

// Reads a file: the tiles it names, not their contents.
bool ts_scenario_read(struct ts_scenario *self, const char *path, struct ts_error *error);
// Makes one without a file: tiles with nothing in them, whose coordinates the caller fills in.
bool ts_scenario_tiles(struct ts_scenario *self, uint32_t count, struct ts_error *error);
// More tiles, with nothing in them, behind those there are.
bool ts_scenario_more(struct ts_scenario *self, uint32_t count, struct ts_error *error);
void ts_scenario_free(struct ts_scenario *self);

// Builds the tiles in the kernel, one domain each, loads them, and reads the script with every file
// that it names. Before elaboration.
bool ts_scenario_build(struct ts_scenario *self, struct ts_kernel *kernel,
                       const struct ts_tile_config *config, struct ts_error *error);
// After the chip is built: its DRAM, with what the file puts there. The script is checked against it.
bool ts_scenario_load_dram(struct ts_scenario *self, const struct ts_scenario_dram *dram,
                           void *context, struct ts_error *error);
// Executes the script, or the default one. The code says how the workload ended: TS_OK, TS_DIFFERS
// (compare), TS_LIMIT (wait), TS_HANG, or what stopped the run; without a text in `error` the run's
// own end says it all.
enum ts_code ts_scenario_run(struct ts_scenario *self, const struct ts_scenario_driver *driver,
                             struct ts_error *error);

// Lets time pass up to `limit`. OK: the host may go on. Without a text in `error` the run itself
// says what stopped it.
enum ts_code ts_scenario_pass(struct ts_scenario *self, const struct ts_scenario_driver *driver,
                              ts_cycle limit, struct ts_run *run, struct ts_error *error);
// The same until a word of L1 has a value. *met: it has, since the cycle *at.
struct ts_scenario_until {
    struct ts_scenario_tile *tile;
    uint32_t address, value, mask;
    ts_cycle limit;
    bool written; // only a write counts: that the word has the value already is not enough
};
enum ts_code ts_scenario_until(struct ts_scenario *self, const struct ts_scenario_driver *driver,
                               const struct ts_scenario_until *until, struct ts_run *run, bool *met,
                               ts_cycle *at, struct ts_error *error);
