// Points, worker processes, results file (sweep.h). Runs are processes, not a crew of threads: one
// that crashes is a row of the table, and the sweep goes on.
#include "platform/study/sweep/sweep.h"

#include "platform/out/progress.h"
#include "platform/run/spec.h"
#include "platform/run/verdict.h"
#include "platform/tile/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define POINT_LIMIT UINT64_C(1000000000)

// --- points
// -------------------------------------------------------------------------------------------------------

bool ts_sweep_axis_add(struct ts_sweep *self, const char *text, struct ts_error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof self->axes[0].name ||
        equals[1] == '\0') {
        ts_fail(error, TS_USAGE, "'%s' is not PARAMETER=VALUE,VALUE...", text);
        return false;
    }
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    unsigned place = 0;
    while (place < self->axis_count && strcmp(self->axes[place].name, name) != 0)
        place++;
    if (place == TS_SWEEP_AXES) {
        ts_fail(error, TS_USAGE, "more than %d parameters", TS_SWEEP_AXES);
        return false;
    }
    struct ts_sweep_axis *axis = &self->axes[place];
    if (place == self->axis_count)
        self->axis_count++;
    snprintf(axis->name, sizeof axis->name, "%s", name);
    axis->count = 0;
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", equals + 1);
    for (char *rest = copy, *value; (value = strsep(&rest, ",")) != NULL;) {
        struct ts_job_spec probe = self->base;
        char wrong[512];
        if (axis->count == TS_SWEEP_VALUES ||
            !ts_spec_vary(&probe, name, value, wrong, sizeof wrong)) {
            ts_fail(error, TS_USAGE, "%s",
                    axis->count == TS_SWEEP_VALUES ? "too many values" : wrong);
            return false;
        }
        snprintf(axis->values[axis->count++], sizeof axis->values[0], "%s", value);
    }
    return true;
}

static size_t count_points(const struct ts_sweep *self)
{
    size_t points = 1;
    for (unsigned i = 0; i < self->axis_count; i++)
        points *= self->axes[i].count;
    return points;
}

// The first axis changes slowest.
static const char *value_of(const struct ts_sweep *self, size_t index, unsigned axis)
{
    for (unsigned i = self->axis_count; i-- > axis + 1;)
        index /= self->axes[i].count;
    return self->axes[axis].values[index % self->axes[axis].count];
}

void ts_sweep_key(const struct ts_sweep *self, size_t index, char *key, size_t size)
{
    size_t used = (size_t)snprintf(key, size, "%s%s", self->base.program,
                                   self->base.strict ? " strict" : "");
    for (unsigned i = 0; i < self->axis_count && used < size; i++)
        used += (size_t)snprintf(key + used, size - used, " %s=%s", self->axes[i].name,
                                 value_of(self, index, i));
}

static struct ts_job_spec spec_of(const struct ts_sweep *self, size_t index)
{
    struct ts_job_spec spec = self->base;
    char wrong[512];
    for (unsigned i = 0; i < self->axis_count; i++)
        ts_spec_vary(&spec, self->axes[i].name, value_of(self, index, i), wrong, sizeof wrong);
    return spec;
}

bool ts_sweep_check(const struct ts_sweep *self, char *text, size_t size)
{
    for (size_t i = 0, points = count_points(self); i < points; i++) {
        struct ts_job_spec spec = spec_of(self, i);
        if (ts_spec_check(&spec, text, size))
            return true;
    }
    return false;
}

const char *ts_sweep_warning(const struct ts_sweep *self)
{
    for (size_t i = 0, points = count_points(self); i < points; i++) {
        struct ts_job_spec spec = spec_of(self, i);
        const char *warning = ts_spec_warning(&spec);
        if (warning)
            return warning;
    }
    return NULL;
}

// --- one run, in a child
// ------------------------------------------------------------------------------------------

static json_t *run_point(const struct ts_sweep *self, size_t index)
{
    struct ts_job_spec spec = spec_of(self, index);
    struct ts_job *job = malloc(sizeof *job);
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    json_t *row = json_object();
    char key[512];
    ts_sweep_key(self, index, key, sizeof key);
    json_object_set_new(row, "key", json_string(key));
    if (ts_job_build(job, &spec, kernel, &error) && ts_kernel_elaborate(kernel, &error) == TS_OK &&
        ts_job_start(job, &error)) {
        struct ts_run run = ts_watched_run(kernel, POINT_LIMIT);
        struct ts_job_result result;
        struct ts_job_verdict verdict;
        ts_job_finish(job, &run, &result);
        json_object_set_new(row, "code", json_integer(result.code));
        if (result.code == TS_OK) {
            ts_verdict_make(&verdict, job, &result, &run);
            ts_verdict_json(&verdict, job, &result, row);
        } else {
            json_object_set_new(row, "error", json_string(result.text));
        }
    } else {
        json_object_set_new(row, "code", json_integer(error.code));
        json_object_set_new(row, "error", json_string(error.text));
    }
    return row;
}

struct worker {
    pid_t pid;
    int fd;
    size_t point;
    char *text;
    size_t length, room;
};

static bool start_worker(const struct ts_sweep *self, struct worker *worker, size_t point)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (pid == 0) {
        // A worker does not outlive the sweep.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(TS_BUG);
        ts_rundir_forked(self->out);
        close(ends[0]);
        char *text = json_dumps(run_point(self, point), JSON_COMPACT);
        size_t length = text ? strlen(text) : 0, done = 0;
        while (done < length) {
            ssize_t n = write(ends[1], text + done, length - done);
            if (n <= 0)
                _exit(TS_BUG);
            done += (size_t)n;
        }
        _exit(0);
    }
    close(ends[1]);
    *worker = (struct worker){.pid = pid, .fd = ends[0], .point = point};
    return true;
}

// Reads what there is; true at the end of what the worker says.
static bool read_worker(struct worker *worker)
{
    if (worker->room - worker->length < 4096) {
        worker->room = worker->room ? 2 * worker->room : 16384;
        worker->text = realloc(worker->text, worker->room);
    }
    ssize_t n = read(worker->fd, worker->text + worker->length, worker->room - worker->length - 2);
    if (n > 0)
        worker->length += (size_t)n;
    return n == 0 || (n < 0 && errno != EINTR);
}

// --- the results file
// -----------------------------------------------------------------------------------------------

static void results_path(const struct ts_sweep *self, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", self->directory, name);
}

static size_t point_of(const struct ts_sweep *self, const char *key)
{
    char own[512];
    for (size_t i = 0; i < self->points; i++) {
        ts_sweep_key(self, i, own, sizeof own);
        if (strcmp(own, key) == 0)
            return i;
    }
    return self->points;
}

// Reads what earlier sweeps left; a line that was cut off is taken away.
static bool load_results(struct ts_sweep *self, const char *path)
{
    FILE *file = fopen(path, "r+");
    if (!file)
        return errno == ENOENT;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    off_t good = 0;
    while ((length = getline(&line, &room, file)) > 0) {
        if (line[length - 1] != '\n')
            break;
        good += length;
        json_t *row = json_loads(line, 0, NULL);
        const char *key = row ? json_string_value(json_object_get(row, "key")) : NULL;
        size_t point = key ? point_of(self, key) : self->points;
        if (point < self->points && self->results[point] == NULL) {
            self->results[point] = row;
            self->resumed++;
        } else {
            json_decref(row);
        }
    }
    free(line);
    bool fine = ftruncate(fileno(file), good) == 0;
    fclose(file);
    return fine;
}

static bool append_result(struct ts_sweep *self, int fd, struct worker *worker)
{
    json_t *row = worker->length ? json_loadb(worker->text, worker->length, 0, NULL) : NULL;
    if (!row) { // it crashed: said as a result, so that the sweep ends
        char key[512];
        ts_sweep_key(self, worker->point, key, sizeof key);
        row = json_pack("{s:s, s:i, s:s}", "key", key, "code", TS_BUG, "error", "the run crashed");
    }
    char *text = json_dumps(row, JSON_COMPACT);
    size_t length = strlen(text);
    char *out = realloc(text, length + 2);
    out[length] = '\n';
    errno = ENOSPC; // of a write that takes only a part
    bool good = write(fd, out, length + 1) == (ssize_t)(length + 1) && fdatasync(fd) == 0;
    if (!good && self->failure == 0)
        self->failure = errno;
    free(out);
    self->results[worker->point] = row;
    return good;
}

// --- the sweep
// -------------------------------------------------------------------------------------------------------

static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
    stop_signal = number;
}

int ts_sweep_run(struct ts_sweep *self, struct ts_error *error)
{
    self->points = count_points(self);
    self->results = calloc(self->points ? self->points : 1, sizeof *self->results);
    struct worker *workers = calloc(self->workers, sizeof *workers);
    struct pollfd *polls = calloc(self->workers, sizeof *polls);
    char path[512];
    results_path(self, "results.jsonl", path, sizeof path);
    int fd = -1;
    if (!self->results || !workers || !polls)
        abort();
    self->out = ts_rundir_open(self->directory, self->argc, self->argv, error);
    if (self->out == NULL ||
        (fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) < 0 ||
        !load_results(self, path)) {
        free(workers);
        free(polls);
        if (self->out)
            ts_fail(error, TS_SETUP, "%s: cannot be written: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return (int)error->code;
    }
    struct sigaction action = {.sa_handler = on_signal}, old_int, old_term;
    stop_signal = 0;
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
    size_t next = 0, done = self->resumed, running = 0;
    struct ts_progress *progress = ts_progress_new("runs", (double)self->points, self->quiet);
    ts_progress_before(progress, (double)done);
    bool good = true;
    while (good && (running > 0 || done < self->points) && !stop_signal) {
        for (unsigned i = 0; i < self->workers; i++) {
            while (next < self->points && self->results[next] != NULL)
                next++;
            if (workers[i].pid == 0 && next < self->points) {
                good = start_worker(self, &workers[i], next++) && good;
                running++;
            }
            polls[i] = (struct pollfd){.fd = workers[i].pid ? workers[i].fd : -1, .events = POLLIN};
        }
        ts_progress_tick(progress);
        if (!good || poll(polls, self->workers, 200) < 0)
            continue;
        for (unsigned i = 0; i < self->workers; i++) {
            if (!(polls[i].revents & (POLLIN | POLLHUP)) || !read_worker(&workers[i]))
                continue;
            waitpid(workers[i].pid, NULL, 0);
            close(workers[i].fd);
            good = append_result(self, fd, &workers[i]) && good;
            free(workers[i].text);
            workers[i] = (struct worker){0};
            running--;
            done++;
            ts_progress_add(progress, 1);
        }
    }
    for (unsigned i = 0; i < self->workers; i++)
        if (workers[i].pid) {
            kill(workers[i].pid, SIGKILL);
            waitpid(workers[i].pid, NULL, 0);
            close(workers[i].fd);
            free(workers[i].text);
        }
    ts_progress_free(progress);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    close(fd);
    free(workers);
    free(polls);
    if (!good)
        return (int)ts_fail(error, TS_SETUP, "%s: cannot be written: %s", path,
                            strerror(self->failure ? self->failure : errno));
    return stop_signal ? TS_SIGNAL + stop_signal : TS_OK;
}

void ts_sweep_free(struct ts_sweep *self)
{
    for (size_t i = 0; self->results && i < self->points; i++)
        json_decref(self->results[i]);
    free(self->results);
    self->results = NULL;
    ts_rundir_free(self->out);
    self->out = NULL;
}
