// What the files of scenarios share (scenario.h).
#pragma once

#include "platform/load/scenario.h"

#define TS_SCENARIO_ADDRESS 0xffffffffll // the highest one of a tile
#define TS_SCENARIO_NO_CHIP "DRAM needs a chip: p150, p100 or a SoC file"

struct ts_scenario_step {
    enum ts_script_do verb;
    struct ts_yaml_node node; // what stands behind the verb
    struct ts_scenario_tile *tile;
    bool dram;
    uint32_t channel;
    uint64_t address;
    uint8_t *bytes; // write, compare; NULL: an earlier step dumps the file
    size_t length;
    uint32_t value, mask;
    ts_cycle cycles; // run; limit of until
    uint8_t cores[TS_RV_CORES];
    uint32_t core_count;
    const char *end; // of a link
    bool up;
    char path[512]; // dump
};

// A path of the scenario, relative to its folder.
void ts_scenario_path(const struct ts_scenario *self, char *to, size_t size, const char *name);
// The tile that a step names, the first one by default; NULL: error.
struct ts_scenario_tile *ts_scenario_tile_at(struct ts_scenario *self,
                                             const struct ts_script_step *step);
// What a row {file: ...} or {words: [...]} holds, to be freed; NULL: error.
void *ts_scenario_content(struct ts_scenario *self, struct ts_yaml_node row, size_t *length,
                          struct ts_error *error);
// What a write or a compare carries; it must lie where the step puts it.
void ts_scenario_load(struct ts_scenario *self, struct ts_scenario_step *step,
                      struct ts_error *error);
// The core of the tile that a node names; -1: error.
int ts_scenario_core(const struct ts_scenario_tile *tile, struct ts_yaml_node node);
// An error at the node if the core cannot start where its program begins.
void ts_scenario_startable(const struct ts_scenario_tile *tile, unsigned core,
                           struct ts_yaml_node node);
// DRAM, each with an error at the row if the bytes do not lie in the channel. What is read is to be
// freed; NULL: error.
void ts_scenario_in_dram(struct ts_scenario *self, struct ts_yaml_node row, uint32_t channel,
                         uint64_t address, uint64_t length);
void ts_scenario_write_dram(struct ts_scenario *self, struct ts_yaml_node row, uint32_t channel,
                            uint64_t address, const void *bytes, size_t length);
uint8_t *ts_scenario_read_dram(struct ts_scenario *self, struct ts_yaml_node row, uint32_t channel,
                               uint64_t address, size_t length);

// scenario_script.c: reads the steps with all that they name; what they do to DRAM and links, once these are
// there.
bool ts_scenario_read_script(struct ts_scenario *self, struct ts_error *error);
bool ts_scenario_check_dram(struct ts_scenario *self, struct ts_error *error);
void ts_scenario_free_script(struct ts_scenario *self);
