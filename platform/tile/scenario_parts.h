// What scenario.c and scenario_script.c share.
#ifndef TENSIM_TILE_SCENARIO_PARTS_H
#define TENSIM_TILE_SCENARIO_PARTS_H

#include "platform/tile/scenario.h"

#define TS_SCENARIO_ADDRESS 0xffffffffll // the highest one of a tile

// A path of the scenario, relative to its folder.
void ts_scenario_path(const struct ts_scenario *self, char *to, size_t size, const char *name);
// The tile that a step names, the first one by default; NULL: error.
struct ts_scenario_tile *ts_scenario_tile_at(struct ts_scenario *self, struct ts_yaml_node node);
// What a row {file: ...} or {words: [...]} holds, to be freed; NULL: error.
void *ts_scenario_content(struct ts_scenario *self, struct ts_yaml_node row, size_t *length,
                          struct ts_error *error);
// Writes a row's content to its address of a DRAM channel; reads from there, to be freed. False and
// NULL: error.
bool ts_scenario_write_dram(struct ts_scenario *self, struct ts_yaml_node row,
                            struct ts_yaml_node channel, struct ts_error *error);
uint8_t *ts_scenario_read_dram(struct ts_scenario *self, struct ts_yaml_node row,
                               struct ts_yaml_node channel, size_t length, struct ts_error *error);

#endif
