// The event kernel on the tile workload; and two threads against one. Each figure is the median of several parts of a run:
// processor time, but durations where two threads are compared with one.
#include "platform/bench/bench.h"
#include "platform/bench/tile.h"
#include "platform/kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PARTS      9
#define SEED       1
#define FIFO_DEPTH 8

struct figure {
    double ns;
    uint64_t checksum;
};

// Runs the workload on our kernel for PARTS times `cycles`.
static struct figure measure(uint32_t tiles, uint32_t threads, uint64_t cycles,
                             double (*seconds)(void))
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = threads});
    struct ts_bench_tiles *workload = ts_bench_tiles_new(kernel, tiles, SEED, FIFO_DEPTH);
    struct ts_error error = {0};
    struct figure figure = {0};
    if (ts_kernel_elaborate(kernel, &error) != TS_OK) {
        fprintf(stderr, "tensim-bench: %s\n", error.text);
        exit((int)error.code);
    }
    uint64_t before = 0;
    double parts[PARTS];
    for (uint32_t part = 0; part < PARTS; part++) {
        double start = seconds();
        struct ts_run run = ts_kernel_run(kernel, (part + 1) * cycles);
        parts[part] = (seconds() - start) * 1e9 / (double)(run.activations - before);
        before = run.activations;
    }
    figure.ns = ts_bench_median(parts, PARTS);
    figure.checksum = ts_bench_tiles_checksum(workload);
    ts_kernel_free(kernel);
    return figure;
}

static json_t *run(const struct ts_bench_options *options)
{
    static const uint32_t sizes[] = {1, 16, 140};
    const uint64_t tile_cycles = options->quick ? 28000 : 280000; // a part
    json_t *rows = json_array();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t tiles = sizes[i];
        uint64_t cycles = tile_cycles / tiles;
        struct figure ours = measure(tiles, 1, cycles, ts_bench_cpu_seconds);
        char checksum[20];
        snprintf(checksum, sizeof checksum, "%016llx", (unsigned long long)ours.checksum);
        json_t *row = json_pack("{s:i, s:f, s:s}", "tiles", (int)tiles, "ns", ours.ns, "checksum",
                                checksum);
        json_array_append_new(rows, row);
    }
    const uint32_t tiles = 140;
    struct figure one = measure(tiles, 1, tile_cycles / 20, ts_seconds);
    struct figure two = measure(tiles, 2, tile_cycles / 20, ts_seconds);
    if (one.checksum != two.checksum) {
        fprintf(stderr, "tensim-bench: %u tiles: one thread and two differ\n", tiles);
        json_decref(rows);
        return NULL;
    }
    return json_pack("{s:o, s:{s:i, s:i, s:f, s:f, s:f}}", "rows", rows, "parallel", "tiles",
                     (int)tiles, "threads", 2, "ns_1", one.ns, "ns_2", two.ns, "speedup",
                     one.ns / two.ns);
}

const struct ts_bench ts_bench_kernel = {
    .name = "kernel",
    .text = "the event kernel on the tile workload; two threads against one",
    .run = run,
};
