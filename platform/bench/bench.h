// tensim-bench: one file per benchmark, each prints a table or, with --json, returns rows.
#ifndef TENSIM_BENCH_BENCH_H
#define TENSIM_BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct ts_bench {
    const char *name;
    const char *text;
    // Runs the benchmark, or only its rows of that name; returns its JSON document (owned by the
    // caller), or NULL after a message on stderr.
    json_t *(*run)(bool quick, const char *only);
    // Prints that document as text.
    void (*print)(const json_t *document);
};

extern const struct ts_bench ts_bench_kernel;
extern const struct ts_bench ts_bench_cores;
extern const struct ts_bench ts_bench_matmul;
extern const struct ts_bench ts_bench_chip;

// Is the row wanted? All are, when `only` is NULL.
bool ts_bench_wanted(const char *only, const char *name);

double ts_bench_seconds(void);
// Processor time of this thread: what others do on the machine counts less.
double ts_bench_cpu_seconds(void);
// The median; sorts the values.
double ts_bench_median(double *values, size_t count);

#endif
