// The firmware's loop on a trace of activity, repeated: the clock and the word follow power, and power follows both.
//
//   trace (cycles, shares) --> clock --> power of 1 ms --> firmware --> clock, word
//
// A trace counts in cycles: a slower clock takes longer for it. After a change of the word kernels go on as they are until their
// next block. Throttled, a stretch of the trace is that of the throttled trace at the same part of the program; without such a
// trace each MVMUL takes three slots instead of one and nothing else changes (math is the bound): its cycles grow by 2 x share.
#pragma once

#include "platform/firmware/power.h"

struct ts_power_point {
    uint64_t cycles;
    struct ts_power_shares shares;
};

struct ts_power_trace {
    struct ts_power_point *points;
    size_t count;
};

struct ts_trace_run {
    struct ts_power_trace trace, throttled; // throttled.count 0: none
    uint64_t repeat;
    uint64_t block; // cycles of a block: kernels read the word at its multiples; 0: at each point
    double heat, gddr_heat;   // C, all the time
    double watts;             // that a ratio of 1 means
    uint64_t periods_at_most; // 0: no limit
    // Called after each period of 1 ms; NULL: nobody asks.
    void (*period)(void *context, const struct ts_firmware *firmware, uint64_t ns, double power);
    void *context;
    // Results.
    uint64_t ns, cycles, free_cycles, throttled_cycles;
    uint64_t first_throttled_ns; // the word became odd; UINT64_MAX: never
    uint64_t effect_cycles;      // from that to the block that read it
    double energy;               // power x us
    double lowest_mhz, mean_mhz, mean_power;
    uint32_t words; // changes of the word
    uint64_t limited
        [TS_THROTTLERS +
         2]; // periods by what limited the clock: the last but one is Doppler critical, the last nothing
};

// "cycles,matrix,vector,..." with a header, at least cycles and one unit; or the JSON result of a run. False: error names the line.
bool ts_power_trace_read(struct ts_power_trace *self, const char *path, struct ts_error *error);
void ts_power_trace_free(struct ts_power_trace *self);
// One period of a busy chip: its core draws so many watts at a clock.
void ts_firmware_measure(struct ts_firmware *self, const struct ts_power *power, double watts,
                         double mhz, double heat, double gddr_heat);
void ts_trace_run(struct ts_trace_run *self, const struct ts_power *power,
                  struct ts_firmware *firmware);
