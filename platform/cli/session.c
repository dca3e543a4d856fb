#include "platform/cli/session.h"

#include "platform/kernel/waitfor.h"
#include "platform/serve/host.h"
#include "platform/study/hang.h"
#include "platform/study/stats.h"
#include "platform/tile/watchdog.h"
#include "platform/trace/bus.h"
#include "platform/trace/chrome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define TRACE_LEAST 2048 // records in a buffer

static void out_path(const struct ts_session *self, char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", self->options->out, name);
}

static FILE *out_file(const struct ts_session *self, const char *name)
{
    char path[512];
    out_path(self, path, sizeof path, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        ts_complain(TS_SETUP, "%s: %s", path, strerror(errno));
    return file;
}

// Makes the directory and its parents.
static bool make_directory(const char *path)
{
    char part[512];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return mkdir(part, 0777) == 0 || errno == EEXIST;
}

static int begin_directory(const struct ts_session *self)
{
    if (!make_directory(self->options->out))
        return ts_complain(TS_SETUP, "%s: cannot make the run directory: %s", self->options->out,
                           strerror(errno));
    FILE *file = out_file(self, "command.txt");
    if (file == NULL)
        return TS_SETUP;
    for (int i = 0; i < self->argc; i++)
        fprintf(file, "%s%s", i ? " " : "", self->argv[i]);
    fputc('\n', file);
    fclose(file);
    file = out_file(self, "config.yaml");
    if (file == NULL)
        return TS_SETUP;
    ts_params_write(self->params, file);
    fclose(file);
    return TS_OK;
}

// The bus, with a writer for the file (-t) and one for the report.
static int begin_trace(struct ts_session *self)
{
    char path[512];
    struct ts_error error = {0};
    struct ts_trace_writer *writer = NULL;
    if (self->options->trace) {
        out_path(self, path, sizeof path, "trace.json.gz");
        struct ts_chrome_options options = {.path = path,
                                            .clock_mhz = self->clock_mhz,
                                            .from = self->options->trace_from,
                                            .to = self->options->trace_to};
        writer = ts_chrome_open(self->kernel, &options, &error);
        if (writer == NULL)
            return ts_complain_error(&error);
    }
    if (self->recorded)
        self->history = ts_history_new(self->kernel, self->recorded);
    size_t domains = ts_kernel_domain_count(self->kernel);
    size_t records = 2 * ts_kernel_trace_records(self->kernel);
    self->trace = ts_trace_new(domains, records > TRACE_LEAST ? records : TRACE_LEAST);
    if (writer)
        ts_trace_add_writer(self->trace, writer);
    if (self->history)
        ts_trace_add_writer(self->trace, &self->history->base);
    ts_kernel_trace(self->kernel, self->trace);
    return TS_OK;
}

int ts_session_begin(struct ts_session *self)
{
    struct ts_error error = {0};
    self->document = json_object();
    if (ts_kernel_elaborate(self->kernel, &error) != TS_OK)
        return ts_complain_error(&error);
    if (self->options->out) {
        int code = begin_directory(self);
        if (code == TS_OK && (self->options->trace || self->recorded))
            code = begin_trace(self);
        if (code != TS_OK)
            return code;
    }
    self->host = ts_host_start(self->kernel, !self->options->quiet, &error);
    return self->host ? TS_OK : ts_complain_error(&error);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum ts_stop ts_session_run(struct ts_session *self, ts_cycle limit)
{
    double start = seconds_now();
    ts_cycle max = self->options->max_cycles;
    ts_cycle to = limit < max ? limit : max;
    self->run = self->patient || self->options->unchecked ? ts_kernel_run(self->kernel, to)
                                                          : ts_watched_run(self->kernel, to);
    self->seconds += seconds_now() - start;
    return self->run.stop;
}

static int code_of(const struct ts_session *self)
{
    switch (self->run.stop) {
    case TS_STOP_DONE:
    case TS_STOP_BREAK:
        return TS_OK;
    case TS_STOP_LIMIT:
        return self->run.cycle == self->options->max_cycles ? TS_LIMIT : TS_OK;
    case TS_STOP_DEADLOCK:
        return self->content ? TS_OK : TS_HANG;
    case TS_STOP_FAULT:
        return (int)self->run.error.code;
    case TS_STOP_SIGNAL:
        return TS_SIGNAL + self->run.signal;
    }
    return TS_BUG;
}

// What the run says on stderr when it did not end well.
static void explain(struct ts_session *self)
{
    switch (self->run.stop) {
    case TS_STOP_DEADLOCK: {
        if (self->content)
            break;
        struct ts_hang hang = ts_hang_new(self->kernel, self->run.cycle);
        self->hang = ts_hang_json(&hang, self->kernel);
        fputs("tensim: ", stderr);
        if (hang.count) {
            ts_hang_print(&hang, stderr);
        } else { // no tile of ours: the kernel's own graph
            struct ts_waitfor waitfor = ts_waitfor_new(self->kernel, self->run.cycle);
            ts_waitfor_print(&waitfor, stderr);
            ts_waitfor_free(&waitfor);
        }
        ts_hang_free(&hang);
        break;
    }
    case TS_STOP_FAULT:
        ts_complain_error(&self->run.error);
        break;
    case TS_STOP_SIGNAL:
        ts_complain(TS_SIGNAL, "stopped by signal %d at cycle %llu", self->run.signal,
                    (unsigned long long)self->run.cycle);
        break;
    case TS_STOP_LIMIT:
        if (self->run.cycle == self->options->max_cycles)
            ts_complain(TS_LIMIT, "cycle limit %llu reached", (unsigned long long)self->run.cycle);
        break;
    case TS_STOP_DONE:
    case TS_STOP_BREAK:
        break;
    }
}

int ts_session_end(struct ts_session *self)
{
    int code = code_of(self);
    ts_host_stop(self->host);
    self->host = NULL;
    if (self->trace) {
        ts_kernel_trace_end(self->kernel);
        int error = ts_trace_free(self->trace);
        self->trace = NULL;
        if (error)
            code = ts_complain(TS_SETUP, "%s/trace.json.gz: %s", self->options->out,
                               strerror(error));
    }
    explain(self);
    self->stats = ts_stats_json(self->kernel, &self->run);
    const char *wrong = ts_stats_check(self->stats);
    if (wrong)
        code = ts_complain(TS_BUG, "%s: busy + stalls + idle is not the span", wrong);
    json_object_set_new(self->document, "stop", json_string(ts_stop_name(self->run.stop)));
    json_object_set_new(self->document, "cycles", json_integer((json_int_t)self->run.cycle));
    if (self->run.stop == TS_STOP_FAULT)
        json_object_set_new(self->document, "error", json_string(self->run.error.text));
    if (self->hang)
        json_object_set(self->document, "hang", self->hang);
    json_t *lints = ts_lints(self->kernel, self->options->quiet ? NULL : stderr);
    if (json_array_size(lints) > 0)
        json_object_set(self->document, "lints", lints);
    json_decref(lints);
    return code;
}

static bool write_json(const struct ts_session *self, const char *name, const json_t *document)
{
    FILE *file = out_file(self, name);
    if (file == NULL)
        return false;
    bool good = json_dumpf(document, file, JSON_INDENT(1)) == 0;
    fputc('\n', file);
    return fclose(file) == 0 && good;
}

static bool write_directory(const struct ts_session *self)
{
    bool good = write_json(self, "stats.json", self->stats);
    if (self->hang) {
        char path[512];
        out_path(self, path, sizeof path, "hang.html");
        good &= write_json(self, "hang.json", self->hang) && ts_hang_page(self->hang, path);
    }
    FILE *csv = out_file(self, "stats.csv");
    if (csv == NULL)
        return false;
    ts_stats_csv(self->stats, csv);
    return fclose(csv) == 0 && good;
}

int ts_session_write(struct ts_session *self, int code)
{
    const struct ts_options *options = self->options;
    if (options->out && !write_directory(self))
        code = TS_SETUP;
    if (options->stats_hash) {
        char hash[17];
        json_t *all = json_pack("[O, O]", self->stats, self->document);
        ts_stats_hash(all, hash);
        if (options->json == NULL)
            puts(hash);
        json_decref(all);
        json_object_set_new(self->document, "stats_hash", json_string(hash));
        ts_stats_timing_hash(self->stats, hash);
        json_object_set_new(self->document, "timing_hash", json_string(hash));
    }
    if (options->json == NULL)
        return code;
    // What is of this host and not of the model comes last, and in no hash.
    double rate = self->seconds > 0 ? (double)self->run.cycle / self->seconds : 0;
    json_object_set_new(self->document, "host",
                        json_pack("{s:i, s:f, s:f}", "threads", (int)options->threads, "seconds",
                                  self->seconds, "cycles_per_s", rate));
    int failed = 0;
    if (strcmp(options->json, "-") == 0) {
        failed = json_dumpf(self->document, stdout, JSON_INDENT(1));
        putchar('\n');
    } else {
        failed = json_dump_file(self->document, options->json, JSON_INDENT(1));
    }
    if (failed)
        code = ts_complain(TS_SETUP, "%s: cannot be written", options->json);
    return code;
}

void ts_session_free(struct ts_session *self)
{
    ts_host_stop(self->host);
    if (self->trace)
        ts_trace_free(self->trace);
    ts_history_free(self->history);
    json_decref(self->stats);
    json_decref(self->document);
    json_decref(self->hang);
    ts_kernel_free(self->kernel);
}
