// tensim-bench compare DIRECTORY: this build against another one, row by row, interleaved.
//
// Rows of kernel, cores, matmul and chip come from both builds' tensim-bench (their quick sizes).
// Rows of real come from both builds' tensim command, so that builds without `tensim-bench real' can
// be compared: processor time of the complete command, wall-clock time where several threads work.
// A pair of runs gives one ratio; its first half is this build's and the other's in turn. The figure
// is the median of the ratios, the spread is from the first to the third quartile.
#include "platform/bench/bench.h"
#include "platform/bench/workload.h"
#include "platform/out/progress.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAIRS      5
#define PAIRS_MOST 99
#define ROWS_MOST  8 // of one benchmark's document
#define ARGUMENTS  (TS_WORKLOAD_SETTINGS + 12)

extern char **environ;

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
    double speed[2][PAIRS_MOST]; // this build, the other
};

struct comparison {
    const struct ts_bench_options *options;
    struct ts_workload_files files;
    char directory[2][400]; // of this build, of the other
    json_t *rows;
    size_t pairs;
    struct row row[ROWS_MOST];
    size_t count; // of rows in use
};

// --- commands ---

// Runs a command; its processor time or its duration goes to *seconds, its output to *document
// unless that is NULL. False: it failed.
static bool command(char *const *argv, bool wall, double *seconds, json_t **document)
{
    int ends[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (pipe(ends) != 0)
        return false;
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    pid_t child = -1;
    double start = ts_bench_seconds();
    bool good = posix_spawn(&child, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (good && document) {
        FILE *file = fdopen(ends[0], "r");
        *document = file ? json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
        good = *document != NULL;
        if (file)
            fclose(file);
    } else {
        char ignored[4096];
        while (good && read(ends[0], ignored, sizeof ignored) > 0)
            ;
        close(ends[0]);
    }
    int status = -1;
    struct rusage usage = {0};
    if (child > 0)
        good = wait4(child, &status, 0, &usage) == child && status == 0 && good;
    if (seconds)
        *seconds += wall ? ts_bench_seconds() - start
                         : (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                               1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    if (!good) {
        fprintf(stderr, "tensim-bench: failed, and its rows are left out:");
        for (; *argv; argv++)
            fprintf(stderr, " %s", *argv);
        fputc('\n', stderr);
    }
    return good;
}

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
    bool good = command(argv, false, NULL, &document);
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, from)
    {
        char name[40];
        const char *given = json_string_value(json_object_get(from, "name"));
        if (given)
            snprintf(name, sizeof name, "%s", given);
        else
            snprintf(name, sizeof name, "tiles%d",
                     (int)json_integer_value(json_object_get(from, "tiles")));
        const json_t *threads = json_object_get(from, "threads");
        struct row *row = find_row(self, asked[question].bench, name,
                                   threads ? (uint32_t)json_integer_value(threads) : 1);
        double value = json_number_value(json_object_get(from, asked[question].key));
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
    char program[420], threads[24], out[128], settings[TS_WORKLOAD_SETTINGS][48];
    struct ts_workload_run runs[TS_WORKLOAD_RUNS];
    size_t count = ts_workload_runs(work, &self->files, self->options->quick, runs);
    double seconds = 0;
    snprintf(program, sizeof program, "%s/tensim", self->directory[build]);
    snprintf(threads, sizeof threads, "--threads=%u", work->threads);
    snprintf(out, sizeof out, "%s/out%u", self->files.directory, build);
    for (size_t i = 0; i < count; i++) {
        char *argv[ARGUMENTS] = {program, (char *)(work->kernel ? work->kernel : "run"), threads,
                                 "--quiet"};
        size_t used = 4;
        if (runs[i].scenario)
            argv[used++] = (char *)runs[i].scenario;
        for (size_t k = 0; k < runs[i].setting_count; k++) {
            snprintf(settings[k], sizeof settings[k], "--%s", runs[i].settings[k]);
            argv[used++] = settings[k];
        }
        if (work->traced) {
            argv[used++] = "--trace";
            argv[used++] = "--out";
            argv[used++] = out;
        }
        if (!command(argv, ts_workload_by_wall(work), &seconds, NULL))
            return false;
    }
    struct row *row = find_row(self, "real", work->name, work->threads);
    row->speed[build][pair] = 1 / seconds;
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
    json_array_append_new(
        self->rows, json_pack("{s:s, s:s, s:i, s:f, s:f, s:[f, f], s:f, s:f, s:i}", "benchmark",
                              row->bench, "name", row->name, "threads", (int)row->threads, "ratio",
                              quantile(ratio, self->pairs, 0.5), "spread", high - low, "quartiles",
                              low, high, "speed", ts_bench_median(mine, self->pairs), "other_speed",
                              ts_bench_median(others, self->pairs), "pairs", (int)self->pairs));
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

static size_t count_wanted(const struct ts_bench_options *options)
{
    size_t count = 0;
    for (size_t i = 0; i < ASKED; i++)
        count += wanted(options, asked[i].bench, asked[i].only);
    for (size_t i = 0; i < ts_workload_count; i++)
        count += wanted(options, "real", ts_workloads[i].name);
    return count;
}

// The directories of both builds. False: a message is on stderr.
static bool find_builds(struct comparison *self)
{
    char path[420];
    ssize_t length = readlink("/proc/self/exe", self->directory[0], sizeof self->directory[0] - 1);
    char *slash = length > 0 ? strrchr(self->directory[0], '/') : NULL;
    if (slash)
        *slash = '\0';
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
    self.pairs = options->pairs ? options->pairs : options->quick ? 1 : PAIRS;
    self.pairs = self.pairs > PAIRS_MOST ? PAIRS_MOST : self.pairs;
    if (!find_builds(&self))
        return NULL;
    if (!ts_workload_open(&self.files, options->quick, &error)) {
        fprintf(stderr, "tensim-bench: %s\n", error.text);
        ts_workload_close(&self.files);
        return NULL;
    }
    self.rows = json_array();
    struct ts_progress *progress = ts_progress_new("rows", (double)count_wanted(options), false);
    ts_progress_watch(progress, NULL, NULL);
    for (size_t i = 0; i < ASKED; i++)
        if (wanted(options, asked[i].bench, asked[i].only)) {
            compare_rows(&self, i, NULL);
            ts_progress_add(progress, 1);
        }
    for (size_t i = 0; i < ts_workload_count; i++)
        if (wanted(options, "real", ts_workloads[i].name)) {
            compare_rows(&self, 0, &ts_workloads[i]);
            ts_progress_add(progress, 1);
        }
    ts_progress_free(progress);
    ts_workload_close(&self.files);
    return json_pack("{s:s, s:s, s:o}", "build", self.directory[0], "other", self.directory[1],
                     "rows", self.rows);
}

static void print(const json_t *document)
{
    size_t i;
    json_t *row;
    printf("%s against %s\n", json_string_value(json_object_get(document, "build")),
           json_string_value(json_object_get(document, "other")));
    printf("%-8s %-30s %7s %8s   %s\n", "", "row", "threads", "faster", "quartiles");
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const json_t *quartiles = json_object_get(row, "quartiles");
        printf("%-8s %-30s %7lld %7.2fx   %.2f to %.2f (%lld pairs)\n",
               json_string_value(json_object_get(row, "benchmark")),
               json_string_value(json_object_get(row, "name")),
               json_integer_value(json_object_get(row, "threads")),
               json_real_value(json_object_get(row, "ratio")),
               json_real_value(json_array_get(quartiles, 0)),
               json_real_value(json_array_get(quartiles, 1)),
               json_integer_value(json_object_get(row, "pairs")));
    }
}

const struct ts_bench ts_bench_compare = {
    .name = "compare",
    .text = "this build against another",
    .run = run,
    .print = print,
};
