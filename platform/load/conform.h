// Conformance files (.ttv): programs with the bytes they must leave in L1.
//
// The format is described in tests/conform/README.md.
#pragma once

#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"

#define TS_CONFORM_TILES 8
#define TS_CONFORM_ROWS  64

struct ts_conform_range { // load and expect
    uint32_t tile, address, offset, length;
};

struct ts_conform_file {
    char name[128];
    char note[256];
    char refused
        [64]; // the run must end as "not implemented" with this in its text; empty: it must not
    const struct ts_machine *machine; // that it is for
    int rules;                        // it was made under: TS_BITS_REFERENCE or TS_BITS_SILICON
    uint64_t budget;
    uint32_t tile_count;
    struct {
        uint32_t x, y;
    } tiles[TS_CONFORM_TILES];
    struct ts_conform_range loads[TS_CONFORM_ROWS], expects[TS_CONFORM_ROWS];
    uint32_t load_count, expect_count;
    struct {
        uint32_t tile, core, pc;
    } cores[TS_CONFORM_ROWS];
    uint32_t core_count;
    struct {
        uint32_t tile, address, value;
    } dones[TS_CONFORM_ROWS];
    uint32_t done_count;
    uint8_t *data;
    uint32_t data_length;
};

struct ts_conform_options {
    struct ts_tile_config tile;
    bool given_bits;       // run under the rules of `tile`, not those of the file
    uint32_t threads;      // that simulate; 0: one
    uint32_t budget_scale; // cycles per clock of the reference's budget; 0: 4
    // Tiles of a vector that has several stand on this chip (ts_soc_find); NULL: on their own.
    const char *soc;
    const struct ts_params *params; // of the chip
    // Called for every tile before the run and after it; may be NULL.
    void (*prepare)(struct ts_tile *tile, void *context);
    void (*dismiss)(struct ts_tile *tile, void *context);
    // After the run, with everything still there; may be NULL.
    void (*ended)(const struct ts_kernel *kernel, const struct ts_run *run, void *context);
    // The run hangs: explain it while everything is still there; may be NULL.
    void (*hung)(const struct ts_kernel *kernel, ts_cycle cycle, void *context);
    void *context;
};

struct ts_conform_result {
    bool pass;
    ts_cycle cycles;
    uint64_t instructions;
    enum ts_code code; // of a failure
    char text[500];
};

// Reads a file. False: error says what is wrong with it, and where.
bool ts_conform_read(struct ts_conform_file *self, const char *path, struct ts_error *error);
bool ts_conform_parse(struct ts_conform_file *self, const void *bytes, size_t length,
                      const char *name, struct ts_error *error);
void ts_conform_free(struct ts_conform_file *self);

// Runs it. What went wrong is in the result; false only if nothing could be run at all.
bool ts_conform_run(const struct ts_conform_file *self, const struct ts_conform_options *options,
                    struct ts_conform_result *result);
