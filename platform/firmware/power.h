// Power as a ratio: P = idle V^2 + V^2 f (sum of weight x share) (config/power.yaml).
//
// 1 is what the matrix units of the complete chip draw at full rate and full clock. Weights are assumed: every ratio has an
// interval over theirs, and watts exist only as an interval. Nothing here knows of droops.
#pragma once

#include "platform/base/error.h"
#include "platform/firmware/firmware.h"

#include <jansson.h>

#define TS_POWER_UNITS "matrix vector unpack pack cores noc dram"
enum {
    TS_POWER_MATRIX,
    TS_POWER_VECTOR,
    TS_POWER_UNPACK,
    TS_POWER_PACK,
    TS_POWER_CORES,
    TS_POWER_NOC,
    TS_POWER_DRAM,
    TS_POWER_UNIT_COUNT
};

struct ts_power_value {
    double value, low, high;
    char kind[12];
};

struct ts_power {
    struct ts_power_value weights[TS_POWER_UNIT_COUNT];
    struct ts_power_value idle, full_watts, board_efficiency, board_rest_watts;
    bool assumed; // at least one of them is
};

// The share of the chip's cycles in which each unit works.
struct ts_power_shares {
    double of[TS_POWER_UNIT_COUNT];
};

struct ts_power_ratio {
    double value, low, high;
};

// Reads a file; NULL: config/power.yaml. False: error names the line.
bool ts_power_read(struct ts_power *self, const char *path, struct ts_error *error);
// With the weights as they are, and over their intervals.
struct ts_power_ratio ts_power_of(const struct ts_power *self, const struct ts_card *card,
                                  const struct ts_power_shares *shares, double mhz);
// The value alone.
double ts_power_value(const struct ts_power *self, const struct ts_card *card,
                      const struct ts_power_shares *shares, double mhz);
// power, energy (power x microseconds), their intervals, watts as text, "power_kind".
void ts_power_json(const struct ts_power *self, const struct ts_power_ratio *ratio, double us,
                   json_t *document);
// "30 to 170 W (assumed)". Returns `text`.
const char *ts_power_watts(const struct ts_power *self, const struct ts_power_ratio *ratio,
                           char *text, size_t size);
