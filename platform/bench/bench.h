// tensim-bench: one file per benchmark, each prints a table or, with --json, returns rows.
#pragma once

#include "platform/base/clock.h"
#include <jansson.h>

// What the command line asks for.
struct ts_bench_options {
    bool quick;
    const char *only; // rows of this name; NULL: all
    uint32_t rounds;  // prices: run the guest `only' for so many rounds; 0: count all
};

struct ts_bench {
    const char *name;
    const char *text;
    // Returns the JSON document, owned by the caller (as text: bench_NAME of config/text.def); NULL after a message on stderr.
    json_t *(*run)(const struct ts_bench_options *options);
};

extern const struct ts_bench ts_bench_matmul;
extern const struct ts_bench ts_bench_chip;
extern const struct ts_bench ts_bench_real;
extern const struct ts_bench ts_bench_prices;

// Is the row wanted? All are, when `only` is NULL.
bool ts_bench_wanted(const char *only, const char *name);

// Processor time of this thread: what others do on the machine counts less.
double ts_bench_cpu_seconds(void);
// Resident bytes of this process.
double ts_bench_resident(void);
// The median; sorts the values.
double ts_bench_median(double *values, size_t count);
