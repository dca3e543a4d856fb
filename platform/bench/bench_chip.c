// tensim-bench chip: 140 tiles that multiply at once, with their networks, on one thread and on
// two.
//
// Each tile runs the guest of bench_matmul.c with many fidelity phases a product, so its matrix
// unit issues nearly an MVMUL a cycle.
#include "platform/base/json.h"
#include "platform/bench/bench.h"
#include "platform/bench/matmul.h"
#include "platform/chip/chip.h"

#define PHASES 16

static const struct {
    const char *name;
    bool timing_only;
    uint32_t threads;
    uint32_t products;
} rows[] = {
    {"matmul140", false, 1, 40},
    {"matmul140", false, 2, 40},
    {"matmul140_timing_only", true, 1, 400},
    {"matmul140_timing_only", true, 2, 400},
};

struct figures {
    double seconds, resident;
    ts_cycle cycles;
    uint64_t activations;
};

static enum ts_code measure(size_t row, uint32_t products, struct figures *figures,
                            struct ts_error *error)
{
    struct ts_params params = {0};
    struct ts_soc soc;
    char path[512];
    ts_chip_params_add(&params);
    ts_config_path(path, sizeof path, "blackhole.yaml");
    if (ts_params_load(&params, path, error) != TS_OK || ts_soc_find(&soc, "p150", error) != TS_OK)
        return error->code;
    struct ts_tile_config config = ts_tile_config_from(&params);
    config.timing_only = rows[row].timing_only;
    struct ts_kernel *kernel = ts_kernel_new(
        &(struct ts_kernel_config){.threads = rows[row].threads});
    static struct ts_chip chip; // large
    if (ts_chip_init_complete(&chip, kernel, &soc, &params, &config, error) == TS_OK)
        ts_kernel_elaborate(kernel, error);
    for (uint32_t i = 0; i < soc.tiles && error->code == TS_OK; i++)
        ts_bench_matmul_start(chip.tile[i], products, PHASES, error);
    if (error->code == TS_OK) {
        figures->resident = ts_bench_resident();
        double (*clock)(void) = rows[row].threads == 1 ? ts_bench_cpu_seconds : ts_seconds;
        double start = clock();
        struct ts_run run = ts_kernel_run(kernel, (ts_cycle)products * 4000 + 100000);
        figures->seconds = clock() - start;
        figures->cycles = run.cycle;
        figures->activations = run.activations;
        if (run.stop == TS_STOP_FAULT)
            *error = run.error;
        for (uint32_t i = 0; i < soc.tiles && error->code == TS_OK; i++)
            if (!ts_bench_matmul_done(chip.tile[i]))
                ts_fail(error, TS_BUG, "tile %u has not finished at cycle %llu", i,
                        (unsigned long long)run.cycle);
        ts_chip_check(&chip, &run, error);
    }
    ts_chip_free(&chip);
    ts_kernel_free(kernel);
    ts_params_free(&params);
    return error->code;
}

static json_t *run(const struct ts_bench_options *options)
{
    json_t *out = json_array();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ts_bench_wanted(options->only, rows[i].name))
            continue;
        struct figures figures = {0};
        struct ts_error error = {TS_OK, ""};
        uint32_t products = options->quick ? rows[i].products / 4 : rows[i].products;
        if (measure(i, products, &figures, &error) != TS_OK) {
            fprintf(stderr, "tensim-bench: %s\n", error.text);
            json_decref(out);
            return NULL;
        }
        ts_json_add(out, "{s:s, s:i, s:f, s:f, s:f, s:I, s:f}", "name", rows[i].name, "threads",
                    (int)rows[i].threads, "cycles_per_s", (double)figures.cycles / figures.seconds,
                    "rss_bytes", figures.resident, "mvmul_per_cycle",
                    products * 16.0 * PHASES / (double)figures.cycles, "steps",
                    (json_int_t)figures.activations, "seconds", figures.seconds);
    }
    return json_pack("{s:o}", "rows", out);
}

const struct ts_bench ts_bench_chip = {
    .name = "chip",
    .text = "140 tiles that multiply at once, with their networks",
    .run = run,
};
