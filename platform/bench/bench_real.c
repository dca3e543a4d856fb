// tensim-bench real: the simulator on real work, through the library as the commands use it: build,
// operands, run, check. Medians of several runs.
//
// Rows of one thread are timed by processor time; rows of several threads, and the pair of trace_on
// and trace_off (a thread of its own writes the trace), by the wall clock. Host instructions are
// counted where the host has a counter for them.
#include "platform/base/private.h"
#include "platform/bench/bench.h"
#include "platform/bench/command.h"
#include "platform/tensim.h"

#include <malloc.h>
#include <unistd.h>

#define RUNS  5
#define TILES 140

struct figures {
    double setup, seconds, resident; // seconds to build; of the run
    double host;                     // host instructions of the run
    uint64_t cycles, instructions;
};

static uint64_t instructions_of(struct tensim *sim)
{
    struct tensim_xy tiles[TILES];
    size_t count = tensim_tiles(sim, tiles, TILES);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        for (int core = 0; core < TENSIM_CORES; core++) {
            struct tensim_core_state state;
            if (tensim_core_read(sim, tiles[i], (enum tensim_core)core, &state, NULL) == TENSIM_OK)
                sum += state.instructions;
        }
    return sum;
}

static bool measure(const struct ts_workload *work, const struct ts_workload_run *run,
                    const struct ts_workload_files *files, int counter, struct figures *figures)
{
    struct tensim_error error = {0};
    struct tensim_config config;
    tensim_config_init(&config);
    config.threads = work->threads;
    malloc_trim(0); // what the last run has freed is not resident in this one
    double (*clock)(void) = ts_workload_by_wall(work) ? ts_seconds : ts_bench_cpu_seconds;
    double start = clock();
    config.timing_only = work->how != TS_WORK_KERNEL;
    struct tensim *sim = run->scenario
                             ? tensim_new_scenario(run->scenario, &config, &error)
                             : (work->how == TS_WORK_KERNEL
                                    ? tensim_new_kernel
                                    : tensim_new_program)(work->kernel, run->settings,
                                                          run->setting_count, &config, &error);
    bool good = sim && (!work->traced ||
                        tensim_trace(sim, files->trace, 0, TENSIM_FOREVER, &error) == TENSIM_OK);
    if (good) {
        figures->setup += clock() - start;
        double resident = ts_bench_resident(), before = ts_bench_counted(counter);
        start = clock();
        good = tensim_run(sim, TENSIM_FOREVER, &error) == TENSIM_OK &&
               tensim_trace_end(sim, &error) == TENSIM_OK;
        figures->seconds += clock() - start;
        figures->host += ts_bench_counted(counter) - before;
        figures->cycles += tensim_cycle(sim);
        figures->instructions += instructions_of(sim);
        figures->resident = resident > figures->resident ? resident : figures->resident;
    }
    tensim_free(sim);
    if (!good)
        fprintf(stderr, "tensim-bench: %s: %s\n", work->name, error.text);
    return good;
}

static json_t *row_of(const struct ts_workload *work, const struct figures *figures,
                      double *seconds, double *setup, size_t count, bool counted)
{
    double median = ts_bench_median(seconds, count), cycles = (double)figures->cycles;
    json_t *row = json_pack("{s:s, s:i, s:f, s:f, s:f, s:I, s:f, s:f, s:s}", "name", work->name,
                            "threads", (int)work->threads, "cycles_per_s", cycles / median,
                            "instructions_per_s", (double)figures->instructions / median,
                            "rss_bytes", figures->resident, "cycles", (json_int_t)figures->cycles,
                            "seconds", median, "setup_seconds", ts_bench_median(setup, count),
                            "clock", ts_workload_by_wall(work) ? "wall" : "cpu");
    if (counted)
        json_object_set_new(row, "host_instructions_per_cycle", json_real(figures->host / cycles));
    return row;
}

// A row of a command that the library does not have: its time alone.
static json_t *measure_command(const struct ts_workload *work,
                               const struct ts_workload_files *files, bool quick)
{
    char directory[400];
    struct ts_bench_cost cost = {0};
    ts_private_program(directory, sizeof directory);
    if (!ts_bench_do_work(work, files, directory, quick, false, &cost))
        return NULL;
    return json_pack("{s:s, s:i, s:f, s:s}", "name", work->name, "threads", (int)work->threads,
                     "seconds", cost.seconds, "clock", ts_workload_by_wall(work) ? "wall" : "cpu");
}

// A row: all runs of a workload, several times. NULL: a message is on stderr.
static json_t *measure_row(const struct ts_workload *work, const struct ts_workload_files *files,
                           bool quick, int counter)
{
    struct ts_workload_run runs[TS_WORKLOAD_RUNS];
    size_t count = ts_workload_runs(work, files, quick, runs), times = quick ? 1 : RUNS;
    double seconds[RUNS], setup[RUNS];
    struct figures figures;
    for (size_t k = 0; k < times; k++) {
        memset(&figures, 0, sizeof figures);
        for (size_t i = 0; i < count; i++)
            if (!measure(work, &runs[i], files, counter, &figures))
                return NULL;
        seconds[k] = figures.seconds;
        setup[k] = figures.setup;
    }
    return row_of(work, &figures, seconds, setup, times, counter >= 0);
}

// What a trace costs: the time with it over the time without.
static void add_trace_cost(json_t *document)
{
    double with = 0, without = 0;
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const char *name = json_string_value(json_object_get(row, "name"));
        double seconds = json_real_value(json_object_get(row, "seconds"));
        if (strcmp(name, "trace_on") == 0)
            with = seconds;
        if (strcmp(name, "trace_off") == 0)
            without = seconds;
    }
    if (with > 0 && without > 0)
        json_object_set_new(document, "trace_cost", json_real(with / without));
}

static json_t *run(const struct ts_bench_options *options)
{
    struct ts_error error = {0};
    struct ts_workload_files files = {0};
    json_t *document = json_pack("{s:[]}", "rows"), *rows = json_object_get(document, "rows");
    bool good = ts_workload_open(&files, options->quick, &error);
    if (!good)
        fprintf(stderr, "tensim-bench: %s\n", error.text);
    int counter = ts_bench_counter();
    json_object_set_new(document, "host_counter", json_boolean(counter >= 0));
    for (size_t i = 0; i < ts_workload_count && good; i++) {
        if (!ts_bench_wanted(options->only, ts_workloads[i].name))
            continue;
        json_t *row = ts_workloads[i].how == TS_WORK_WHY
                          ? measure_command(&ts_workloads[i], &files, options->quick)
                          : measure_row(&ts_workloads[i], &files, options->quick, counter);
        good = row != NULL;
        if (good)
            json_array_append_new(rows, row);
    }
    if (counter >= 0)
        close(counter);
    ts_workload_close(&files);
    add_trace_cost(document);
    if (good)
        return document;
    json_decref(document);
    return NULL;
}

const struct ts_bench ts_bench_real = {
    .name = "real",
    .text = "real work through the library, as the commands do it",
    .run = run,
};
