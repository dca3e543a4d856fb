// Power as a ratio: P = idle V^2 + V^2 f (sum of weight x share) (config/power.yaml).
//
// 1 is what the matrix units of the complete chip draw at full rate and full clock. Weights are assumed: every ratio has an
// interval over theirs, and watts exist only as an interval. Nothing here knows of droops.
#pragma once

#include "platform/base/error.h"

#include <jansson.h>

// The management firmware's loop of a Blackhole chip: clock, voltage, throttlers and the throttle word.
//
//   each 1 ms:  power, current, heat --> throttlers --> maxima --+
//               busy --> minima --------------------------------+--> target --> clock in units of 6.25 MHz, 100 ns each
//                                                               +--> the word in L1: odd asks matmuls for level 5
//
// Source: tt-system-firmware (2026-03-06, 37359d86) lib/tenstorrent/bh_arc: dvfs.c, aiclk_ppm.c, throttler.c, vf_curve.c;
// drivers/clock_control/clock_control_tt_bh.c. Limits: config/cards.def. Gains and filters: config/throttlers.def.
// Inaccuracies: voltage changes take no time; the curve is that of unfused chips. Assumed, because nothing public says it: filters,
// errors and the second of Doppler's mean start at 0; a target between two units of the clock is rounded down; the samples of an
// excursion follow each other, and the limit of 800 MHz ends with it. There is no model of heat: temperatures are inputs.

#define TS_FIRMWARE_PERIOD_NS 1000000u
#define TS_CLOCK_LOW          800.0 // MHz
#define TS_CLOCK_HIGH         1350.0
#define TS_CLOCK_UNIT         6.25 // reference 50 MHz / (2 x 4)
#define TS_CLOCK_STEP_NS      100u // at least, for each unit
#define TS_FIRMWARE_HEAT      60   // C of chip and GDDR without heat=, gddr_heat=; assumed
#define TS_CLOCK_NS           160u // a cycle at u units takes TS_CLOCK_NS / u ns
#define TS_TDC_RANGE          400.0
#define TS_DOPPLER_SAMPLES    1000

// A card's limits.
struct ts_card {
    const char *name, *chip;
    double tdp, tdc, fast_tdc, board; // W, A, A, W; board 0: none
    double heat, gddr_heat;           // C
    bool doppler;
    bool
        nops; // without Doppler: NOPs at the lowest clock (tt-system-firmware#1275; off since #1301)
    double margin; // mV
};

enum ts_throttler_id {
#define TS_THROTTLER(id, name, input, limit, filter, p, d, off) TS_THROTTLER_##id,
#include "config/throttlers.def"
    TS_THROTTLERS
};
extern const char *const ts_throttler_names[TS_THROTTLERS];

// What the firmware measures in one period.
struct ts_firmware_sample {
    double core_power, core_current, chip_heat, gddr_heat, input_power;
    bool busy; // asks for the full clock
};

struct ts_firmware {
    struct ts_card card;
    struct {
        double value, error, maximum; // filtered; of the last period; of the clock, MHz
        bool enabled;
    } throttlers[TS_THROTTLERS];
    double critical; // Doppler's maximum
    unsigned above_2, above_25;
    double second[TS_DOPPLER_SAMPLES], sum;
    unsigned at;
    double target;  // MHz
    unsigned units; // of the clock, after the change
    uint32_t word;  // even: free; odd: throttled; counts up
    uint64_t periods;
    int limited_by; // ts_throttler_id; TS_THROTTLERS: Doppler critical; -1: nothing
};

// A card of config/cards.def by name. False: there is none.
bool ts_card_find(const char *name, struct ts_card *card);
// "p100a, p150a, ..." Returns `text`.
const char *ts_card_names(char *text, size_t size);
// Sets a limit by name: tdp, tdc, fast_tdc, board, heat, gddr_heat, doppler, nops, margin. False: no such name or value.
bool ts_card_set(struct ts_card *card, const char *name, double value);

// Starts idle, at the lowest clock.
void ts_firmware_init(struct ts_firmware *self, const struct ts_card *card);
// One period: from the sample to target, clock and word.
void ts_firmware_step(struct ts_firmware *self, const struct ts_firmware_sample *sample);

// The voltage for a clock, in mV: 700 to 900. For ratios of power; no result shows it.
double ts_firmware_voltage(const struct ts_card *card, double mhz);
static inline unsigned ts_clock_units(double mhz)
{
    return (unsigned)(mhz / TS_CLOCK_UNIT);
}

// --- time: cycles of a clock that changes ---

struct ts_clock {
    unsigned units, target; // now; where it walks to, one unit each 100 ns
    uint64_t ns;            // since the start
    uint64_t left;          // ns until the next unit
    uint64_t part;          // of a cycle, in 1 / TS_CLOCK_NS
};
void ts_clock_set(struct ts_clock *self, unsigned target);
// Lets `ns` pass: the cycles in them.
uint64_t ts_clock_pass(struct ts_clock *self, uint64_t ns);

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
