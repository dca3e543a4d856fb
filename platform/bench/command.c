#include "platform/bench/command.h"

#include "platform/base/private.h"
#include "platform/bench/bench.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS (TS_WORKLOAD_SETTINGS + 24)

extern char **environ;

int ts_bench_counter(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .inherit = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

double ts_bench_counted(int counter)
{
    uint64_t value = 0;
    return counter >= 0 && read(counter, &value, sizeof value) == sizeof value ? (double)value : 0;
}

// --- one command ---

// The sum of valgrind's lines "==1== I   refs:      87,806,558": a line for each process.
static double read_refs(FILE *log)
{
    char line[256];
    double sum = 0;
    while (fgets(line, sizeof line, log)) {
        const char *at = strstr(line, "refs:");
        if (strstr(line, "== I ") == NULL || at == NULL)
            continue;
        double value = 0;
        for (; *at; at++)
            if (*at >= '0' && *at <= '9')
                value = 10 * value + (*at - '0');
        sum += value;
    }
    return sum;
}

static void complain(char *const *argv)
{
    fprintf(stderr, "tensim-bench: failed, and its rows are left out:");
    for (; *argv; argv++)
        fprintf(stderr, " %s", *argv);
    fputc('\n', stderr);
}

// The output of a child as JSON, or nowhere.
static bool take_output(int from, json_t **document)
{
    FILE *file = fdopen(from, "r");
    char ignored[4096];
    if (file == NULL)
        return close(from) != 0;
    if (document)
        *document = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
    while (fread(ignored, 1, sizeof ignored, file) > 0)
        ;
    fclose(file);
    return document == NULL || *document != NULL;
}

static bool run_command(char *const *argv, bool wall, struct ts_bench_cost *cost, json_t **document)
{
    int ends[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (pipe(ends) != 0)
        return false;
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    pid_t child = -1;
    double start = ts_seconds();
    bool good = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    good = take_output(ends[0], good ? document : NULL) && good;
    int status = -1;
    struct rusage usage = {0};
    if (child > 0)
        good = wait4(child, &status, 0, &usage) == child && status == 0 && good;
    cost->seconds += wall ? ts_seconds() - start
                          : (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                                1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    return good;
}

bool ts_bench_command(char *const *argv, bool wall, bool valgrind, struct ts_bench_cost *cost,
                      json_t **document)
{
    struct ts_bench_cost ignored = {0};
    char log_option[96], *under[ARGUMENTS] = {"valgrind", "--tool=cachegrind", "--cache-sim=no",
                                              "--cachegrind-out-file=/dev/null", log_option};
    FILE *log = valgrind ? ts_temporary_file() : NULL;
    cost = cost ? cost : &ignored;
    if (valgrind && log == NULL)
        return false;
    if (log) {
        // Valgrind leaves little room behind a program's data, and what does not fit there fails: none is used.
        setenv("MALLOC_TOP_PAD_", "67108864", 0);
        fcntl(fileno(log), F_SETFD, 0); // the child inherits the file
        snprintf(log_option, sizeof log_option, "--log-fd=%d", fileno(log));
        for (size_t i = 0; argv[i] && i + 6 < ARGUMENTS; i++)
            under[i + 5] = argv[i];
    }
    int counter = valgrind ? -1 : ts_bench_counter();
    double before = ts_bench_counted(counter);
    bool good = run_command(log ? under : argv, wall, cost, document);
    cost->host += ts_bench_counted(counter) - before;
    if (counter >= 0)
        close(counter);
    if (log) {
        rewind(log);
        cost->host += read_refs(log);
        fclose(log);
    }
    if (!good)
        complain(argv);
    return good;
}

// --- a workload ---

// The words of a run behind the program's name. Returns their number.
static size_t arguments_of(const struct ts_workload *work, const struct ts_workload_run *run,
                           char settings[TS_WORKLOAD_SETTINGS][64], char **argv)
{
    bool kernel = work->kernel && work->how == TS_WORK_KERNEL;
    size_t used = 0;
    argv[used++] = (char *)(kernel ? work->kernel : "run");
    argv[used++] = "--quiet";
    if (!kernel)
        argv[used++] = (char *)(run->scenario ? run->scenario : work->kernel);
    if (work->how != TS_WORK_KERNEL)
        argv[used++] = "--timing-only";
    if (work->how == TS_WORK_WHY)
        argv[used++] = "--why";
    for (size_t k = 0; k < run->setting_count; k++) {
        snprintf(settings[k], sizeof settings[k], kernel ? "--%s" : "--param=%s", run->settings[k]);
        argv[used++] = settings[k];
    }
    return used;
}

bool ts_bench_do_work(const struct ts_workload *work, const struct ts_workload_files *files,
                      const char *directory, bool quick, bool valgrind, struct ts_bench_cost *cost)
{
    char program[420], threads[24], out[128], settings[TS_WORKLOAD_SETTINGS][64];
    struct ts_workload_run runs[TS_WORKLOAD_RUNS];
    size_t count = ts_workload_runs(work, files, quick, runs);
    snprintf(program, sizeof program, "%s/tensim", directory);
    snprintf(threads, sizeof threads, "--threads=%u", work->threads);
    snprintf(out, sizeof out, "--out=%s/out", files->directory);
    for (size_t i = 0; i < count; i++) {
        char *argv[ARGUMENTS] = {program};
        size_t used = 1 + arguments_of(work, &runs[i], settings, argv + 1);
        argv[used++] = threads;
        if (work->traced) {
            argv[used++] = "--trace";
            argv[used++] = out;
        }
        if (!ts_bench_command(argv, ts_workload_by_wall(work), valgrind, cost, NULL))
            return false;
    }
    return true;
}
