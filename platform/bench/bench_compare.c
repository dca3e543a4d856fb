// tensim-bench compare DIRECTORY: this build against another one, row by row, interleaved.
//
// Rows of kernel, cores, matmul and chip come from both builds' tensim-bench (their quick sizes).
// Rows of real come from both builds' tensim command, so that builds without `tensim-bench real' can
// be compared: processor time of the complete command, wall-clock time where several threads work.
// A pair of runs gives one ratio; its first half is this build's and the other's in turn. The figure
// is the median of the ratios, the spread is from the first to the third quartile.
//
// Host instructions of the rows of real are printed beside the time where the host has a counter.
// --count counts them in one run of each, by the counter or under valgrind, and measures no time but
// that of --why, which is too long for valgrind.
#include "platform/base/json.h"
#include "platform/bench/bench.h"
#include "platform/bench/command.h"
#include "platform/bench/workload.h"
#include "platform/out/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PAIRS      5
#define PAIRS_MOST 99
#define ROWS_MOST  8 // of one benchmark's document

// What tensim-bench of both builds is asked for; every row of its answer has `key`.
static const struct {
    const char *bench, *only, *key;
    bool time; // less is better
} asked[] = {
    {"kernel", NULL, "ns", true},
    {"cores", "alu1", "mips", false},
    {"cores", "mix1", "mips", false},
    {"cores", "alu5", "mips", false},
    {"cores", "mix5", "mips", false},
    {"cores", "line1", "mips", false},
    {"matmul", "lofi", "cycles_per_s", false},
    {"matmul", "hifi4", "cycles_per_s", false},
    {"matmul", "lofi_timing_only", "cycles_per_s", false},
    {"matmul", "hifi4_timing_only", "cycles_per_s", false},
    {"chip", "matmul140", "cycles_per_s", false},
    {"chip", "matmul140_timing_only", "cycles_per_s", false},
};
#define ASKED (sizeof asked / sizeof *asked)

// The figures of one row: speeds of both builds in every pair.
struct row {
    const char *bench;
    char name[40];
    uint32_t threads;
    double speed[2][PAIRS_MOST];    // this build, the other
    double host[2];                 // host instructions of a run
    const struct ts_workload *work; // NULL: of another benchmark than real
};

struct comparison {
    const struct ts_bench_options *options;
    struct ts_workload_files files;
    char directory[2][400]; // of this build, of the other
    int counter;            // of host instructions; -1: the host has none
    json_t *rows;
    size_t pairs;
    struct row row[ROWS_MOST];
    size_t count; // of rows in use
};

// --- rows ---

static struct row *find_row(struct comparison *self, const char *bench, const char *name,
                            uint32_t threads)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->row[i].name, name) == 0 && self->row[i].threads == threads)
            return &self->row[i];
    if (self->count == ROWS_MOST)
        return NULL;
    struct row *row = &self->row[self->count++];
    memset(row, 0, sizeof *row);
    row->bench = bench;
    row->threads = threads;
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

// One build's answer to a question, as the figures of one pair.
static bool ask(struct comparison *self, size_t question, unsigned build, size_t pair)
{
    char program[420];
    snprintf(program, sizeof program, "%s/tensim-bench", self->directory[build]);
    char *argv[] = {program, (char *)asked[question].bench, "--quick", "--json=-", NULL, NULL,
                    NULL};
    if (asked[question].only) {
        argv[4] = "--only";
        argv[5] = (char *)asked[question].only;
    }
    json_t *document = NULL, *from;
    bool good = ts_bench_command(argv, false, false, NULL, &document);
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, from)
    {
        char name[40];
        const char *given = json_string_value(json_object_get(from, "name"));
        if (given)
            snprintf(name, sizeof name, "%s", given);
        else
            snprintf(name, sizeof name, "tiles%d", (int)ts_json_integer(from, "tiles"));
        const json_t *threads = json_object_get(from, "threads");
        struct row *row = find_row(self, asked[question].bench, name,
                                   threads ? (uint32_t)json_integer_value(threads) : 1);
        double value = ts_json_number(from, asked[question].key);
        if (row && value > 0)
            row->speed[build][pair] = asked[question].time ? 1 / value : value;
    }
    json_decref(document);
    return good;
}

// One build's command for a workload.
static bool do_work(struct comparison *self, const struct ts_workload *work, unsigned build,
                    size_t pair)
{
    struct ts_bench_cost cost = {0};
    if (!ts_bench_do_work(work, &self->files, self->directory[build], self->options->quick,
                          self->options->count && self->counter < 0 && work->how != TS_WORK_WHY,
                          &cost))
        return false;
    struct row *row = find_row(self, "real", work->name, work->threads);
    row->work = work;
    row->speed[build][pair] = 1 / cost.seconds;
    row->host[build] = cost.host;
    return true;
}

// --- figures ---

// The value below which a share of the sorted values lies, between neighbours in proportion.
static double quantile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t low = (size_t)at;
    return low + 1 < count ? sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low])
                           : sorted[count - 1];
}

// What a unit costs this build and the other one.
static json_t *both(double mine, double others, double units, const char *unit)
{
    return json_pack("{s:f, s:f, s:f, s:s}", "this", mine / units, "other", others / units,
                     "change", 100 * (mine / others - 1), "unit", unit);
}

static void add_row(struct comparison *self, const struct row *row)
{
    double ratio[PAIRS_MOST], mine[PAIRS_MOST], others[PAIRS_MOST];
    for (size_t i = 0; i < self->pairs; i++) {
        if (row->speed[0][i] <= 0 || row->speed[1][i] <= 0)
            return; // one of the builds does not have it
        mine[i] = row->speed[0][i];
        others[i] = row->speed[1][i];
        ratio[i] = mine[i] / others[i];
    }
    ts_bench_median(ratio, self->pairs); // sorts
    double low = quantile(ratio, self->pairs, 0.25), high = quantile(ratio, self->pairs, 0.75);
    json_t *added = NULL;
    json_array_append_new(
        self->rows,
        added = json_pack("{s:s, s:s, s:i, s:f, s:f, s:[f, f], s:f, s:f, s:i}", "benchmark",
                          row->bench, "name", row->name, "threads", (int)row->threads, "ratio",
                          quantile(ratio, self->pairs, 0.5), "spread", high - low, "quartiles", low,
                          high, "speed", ts_bench_median(mine, self->pairs), "other_speed",
                          ts_bench_median(others, self->pairs), "pairs", (int)self->pairs));
    const bool units = row->work && row->work->unit;
    if (row->host[0] > 0 && row->host[1] > 0) {
        ts_json_put(added, "host_instructions", "[f, f]", row->host[0], row->host[1]);
        json_object_set_new(added, "host",
                            both(row->host[0], row->host[1], units ? row->work->units : 1,
                                 units ? row->work->unit : "run"));
    }
    if (units)
        ts_json_put(added, "unit", "[f, s]", row->work->units, row->work->unit);
    json_object_set_new(added, "seconds",
                        both(1 / mine[self->pairs / 2], 1 / others[self->pairs / 2], 1, "run"));
}

// All pairs of a question, or of a workload.
static void compare_rows(struct comparison *self, size_t question, const struct ts_workload *work)
{
    bool good = true;
    self->count = 0;
    for (size_t pair = 0; pair < self->pairs && good; pair++)
        for (unsigned half = 0; half < 2 && good; half++) {
            unsigned build = (half + pair) % 2;
            good = work ? do_work(self, work, build, pair) : ask(self, question, build, pair);
        }
    for (size_t i = 0; i < self->count && good; i++)
        add_row(self, &self->row[i]);
}

static bool wanted(const struct ts_bench_options *options, const char *bench, const char *name)
{
    return ts_bench_wanted(options->only, bench) || (name && ts_bench_wanted(options->only, name));
}

static bool wanted_work(const struct ts_bench_options *options, const struct ts_workload *work)
{
    return wanted(options, "real", work->name) ||
           (work->unit && ts_bench_wanted(options->only, "bars"));
}

static size_t count_wanted(const struct ts_bench_options *options)
{
    size_t count = 0;
    for (size_t i = 0; i < ASKED; i++)
        count += (!options->count && wanted(options, asked[i].bench, asked[i].only));
    for (size_t i = 0; i < ts_workload_count; i++)
        count += wanted_work(options, &ts_workloads[i]);
    return count;
}

// The directories of both builds. False: a message is on stderr.
static bool find_builds(struct comparison *self)
{
    char path[420];
    ts_bench_directory(self->directory[0], sizeof self->directory[0]);
    snprintf(self->directory[1], sizeof self->directory[1], "%s", self->options->other);
    for (unsigned build = 0; build < 2; build++)
        for (unsigned i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "%s/%s", self->directory[build],
                     i ? "tensim" : "tensim-bench");
            if (access(path, X_OK) != 0) {
                fprintf(stderr,
                        "tensim-bench: %s: not there; name a build directory, for example "
                        "build/release\n",
                        path);
                return false;
            }
        }
    return true;
}

static json_t *run(const struct ts_bench_options *options)
{
    static struct comparison self; // large
    struct ts_error error = {0};
    self.options = options;
    self.pairs = options->pairs ? options->pairs : options->quick || options->count ? 1 : PAIRS;
    self.pairs = self.pairs > PAIRS_MOST ? PAIRS_MOST : self.pairs;
    if (!find_builds(&self))
        return NULL;
    if (!ts_workload_open(&self.files, options->quick, &error)) {
        fprintf(stderr, "tensim-bench: %s\n", error.text);
        ts_workload_close(&self.files);
        return NULL;
    }
    self.rows = json_array();
    self.counter = ts_bench_counter();
    struct ts_progress *progress = ts_progress_new("rows", (double)count_wanted(options), false);
    ts_progress_watch(progress, NULL, NULL);
    for (size_t i = 0; i < ASKED; i++)
        if (!options->count && wanted(options, asked[i].bench, asked[i].only)) {
            compare_rows(&self, i, NULL);
            ts_progress_add(progress, 1);
        }
    for (size_t i = 0; i < ts_workload_count; i++)
        if (wanted_work(options, &ts_workloads[i])) {
            compare_rows(&self, 0, &ts_workloads[i]);
            ts_progress_add(progress, 1);
        }
    ts_progress_free(progress);
    ts_workload_close(&self.files);
    const char *by = self.counter >= 0 ? "counter" : options->count ? "valgrind" : "nothing";
    if (self.counter >= 0)
        close(self.counter);
    return json_pack("{s:s, s:s, s:s, s:b, s:o}", "build", self.directory[0], "other",
                     self.directory[1], "counted_by", by, "only_counted", options->count, "rows",
                     self.rows);
}

const struct ts_bench ts_bench_compare = {
    .name = "compare",
    .text = "this build against another",
    .run = run,
};
