// tensim-bench: one file per benchmark, each prints a table or, with --json, returns rows.
#ifndef TENSIM_BENCH_BENCH_H
#define TENSIM_BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct ts_bench {
    const char *name;
    const char *text;
    // Runs the benchmark; returns its JSON document (owned by the caller), or NULL after a message
    // on stderr.
    json_t *(*run)(bool quick);
    // Prints that document for people.
    void (*print)(const json_t *document);
};

extern const struct ts_bench ts_bench_kernel;
extern const struct ts_bench ts_bench_cores;
extern const struct ts_bench ts_bench_matmul;
extern const struct ts_bench ts_bench_chip;

double ts_bench_seconds(void);
// The median; sorts the values.
double ts_bench_median(double *values, size_t count);

#endif
