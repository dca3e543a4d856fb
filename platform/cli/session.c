#include "platform/cli/session.h"

#include "platform/account/stats.h"
#include "platform/base/clock.h"
#include "platform/base/json.h"
#include "platform/cluster/cluster.h"
#include "platform/explain/checks.h"
#include "platform/explain/hang.h"
#include "platform/explain/limit.h"
#include "platform/kernel/between.h"
#include "platform/lib/inside.h"
#include "platform/load/names.h"
#include "platform/out/text.h"
#include "platform/report/page.h"
#include "platform/run/released.h"
#include "platform/save/region.h"
#include "platform/serve/host.h"
#include "platform/tile/watchdog.h"
#include "platform/trace/attach.h"

static struct ts_session *hosted; // of this process: the last one with a host thread

static unsigned clock_of(const struct ts_session *self)
{
    return (unsigned)(self->sim ? self->sim->tile_config.clock_mhz : self->clock_mhz);
}

static struct ts_trace_writer *open_trace(struct ts_session *self, struct ts_error *error)
{
    struct ts_trace_options options = {.clock_mhz = clock_of(self),
                                       .from = self->options->trace_from,
                                       .to = self->options->trace_to,
                                       .names = self->names = ts_names_new(),
                                       .ends = self->trace_ends};
    char *paths[TS_TRACE_FORMATS] = {NULL};
    for (unsigned i = 0; i < TS_TRACE_FORMATS; i++)
        if (self->options->trace_formats >> i & 1)
            options.path[i] = paths[i] = ts_rundir_path(self->results.directory,
                                                        ts_trace_formats[i].file);
    struct ts_trace_writer *writer = ts_trace_open(self->kernel, &options, error);
    for (unsigned i = 0; i < TS_TRACE_FORMATS; i++)
        free(paths[i]);
    return writer;
}

// The bus, with a writer for the file (-t) and one for the report.
static int begin_trace(struct ts_session *self)
{
    struct ts_error error = {0};
    struct ts_trace_writer *writers[3];
    size_t count = 0;
    if (self->options->trace_formats) {
        writers[count] = open_trace(self, &error);
        if (writers[count++] == NULL)
            return ts_complain_error(&error);
    }
    ts_cluster_model(true); // tiles point to it
    if (self->recorded)
        self->history = ts_history_new(self->kernel, self->recorded, self->recorded_count);
    if (self->history)
        writers[count++] = &self->history->base;
    if (self->mapped)
        self->periods = ts_periods_new(self->kernel, self->mapped);
    if (self->periods)
        writers[count++] = &self->periods->base;
    ts_cluster_model(false);
    self->trace = ts_trace_attach(self->kernel, writers, count, &error);
    return self->trace ? TS_OK : ts_complain_error(&error);
}

// --- progress ---

// Whenever the watchdog looks, on the thread that runs the kernel: how much of the work is done.
static void publish(void *context)
{
    struct ts_session *self = context;
    if (self->done)
        ts_progress_set(self->progress, self->done(self->done_context));
}

// On the thread that shows it.
static void look_at_run(struct ts_progress *progress, void *context)
{
    const struct ts_session *self = context;
    ts_cycle reached = ts_kernel_reached(self->kernel);
    if (self->work > 0 && self->done == NULL) // the work is cycles
        ts_progress_set(progress, (double)reached);
    else
        ts_progress_cycle(progress, reached);
}

int ts_session_begin(struct ts_session *self)
{
    struct ts_error error = {0};
    self->document = json_object();
    if (self->sim) {
        self->kernel = self->sim->kernel;
        self->params = &self->sim->params;
    } else if (self->kernel == NULL) {
        return ts_complain(TS_NO_MEMORY, "out of memory");
    } else if (ts_kernel_elaborate(self->kernel, &error) != TS_OK)
        return ts_complain_error(&error);
    int code = ts_results_begin(&self->results, self->options, self->params, self->argc,
                                self->argv);
    if (code == TS_OK && self->options->out &&
        (self->options->trace_formats || self->recorded || self->mapped))
        code = begin_trace(self);
    if (code == TS_OK && self->options->activity) {
        ts_cluster_model(true);
        self->activity = ts_activity_new(self->kernel);
        ts_cluster_model(false);
        if (self->activity == NULL)
            code = ts_complain(TS_NO_MEMORY, "out of memory");
    }
    code = ts_cluster_agree(code);
    if (code != TS_OK || self->embedded ||
        ts_options_exact(self->options)) // whose copies have no other threads
        return code;
    // The host is no part of the machine: checkpoints do not have it.
    bool inside = ts_region_inside(false);
    self->host = ts_host_start(self->kernel, &error);
    if (self->host) {
        self->progress = ts_progress_new(self->unit ? self->unit : "cycles", self->work,
                                         self->options->quiet);
        ts_progress_watch(self->progress, look_at_run, self);
    }
    ts_region_inside(inside);
    hosted = self;
    ts_kernel_pause(self->kernel, publish, self);
    return self->host ? TS_OK : ts_complain_error(&error);
}

enum ts_stop ts_session_run(struct ts_session *self, ts_cycle limit)
{
    double start = ts_seconds();
    ts_cycle max = self->options->max_cycles;
    ts_cycle to = limit < max ? limit : max;
    self->run = self->patient || self->options->unchecked ? ts_kernel_run(self->kernel, to)
                                                          : ts_watched_run(self->kernel, to);
    self->seconds += ts_seconds() - start;
    return self->run.stop;
}

void ts_session_run_sim(struct ts_session *self, const struct tensim_until *until, uint64_t *at)
{
    double start = ts_seconds();
    *at = 0;
    ts_cluster_model(true);
    if (until)
        tensim_run_until(self->sim, until, at, NULL);
    else
        tensim_run(self->sim, self->limit ? self->limit : self->options->max_cycles, NULL);
    ts_cluster_model(false);
    self->run = self->sim->run;
    self->content = self->sim->passed;
    self->seconds += ts_seconds() - start;
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

// The line of a core's fault.
static void tell_place(struct ts_session *self)
{
    char text[260], source[TS_SOURCE];
    struct ts_frames frames;
    if (!ts_fault_frames(self->kernel, self->run.error.text, &frames) ||
        ts_frames_text(&frames, text, sizeof text)[0] == '\0')
        return;
    fprintf(stderr, " %s\n", text);
    json_object_set_new(self->document, "place", json_string(text + 1));
    if (ts_frames_source(&frames, source, sizeof source)[0])
        json_object_set_new(self->document, "source", json_string(source));
}

// The limit: what the cores are busy with.
static void tell_limit(struct ts_session *self)
{
    ts_complain(TS_LIMIT, "cycle limit %llu reached", (unsigned long long)self->run.cycle);
    self->limit_story = ts_limit_story(self->kernel, self->run.cycle,
                                       self->options->quiet ? NULL : stderr);
}

// What the run says on stderr when it did not end well.
static void explain(struct ts_session *self)
{
    switch (self->run.stop) {
    case TS_STOP_DEADLOCK: {
        if (self->content)
            break;
        ts_kernel_hung(self->kernel, self->run.cycle);
        struct ts_hang hang = ts_hang_new(self->kernel, self->run.cycle);
        self->hang = ts_hang_json(&hang, self->kernel);
        if (self->explains) {
            ts_hang_free(&hang);
            break;
        }
        fputs("tensim: ", stderr);
        if (hang.count) {
            ts_hang_print(&hang, stderr);
        } else { // no tile: the kernel's own graph
            struct ts_waitfor waitfor = ts_waitfor_new(self->kernel, self->run.cycle, NULL, NULL);
            ts_waitfor_print(&waitfor, stderr);
            ts_waitfor_free(&waitfor);
        }
        ts_hang_free(&hang);
        break;
    }
    case TS_STOP_FAULT:
        ts_complain_error(&self->run.error);
        tell_place(self);
        break;
    case TS_STOP_SIGNAL:
        ts_complain(TS_SIGNAL, "stopped by signal %d at cycle %llu", self->run.signal,
                    (unsigned long long)self->run.cycle);
        break;
    case TS_STOP_LIMIT:
        if (self->run.cycle == self->options->max_cycles)
            tell_limit(self);
        break;
    case TS_STOP_DONE:
    case TS_STOP_BREAK:
        break;
    }
}

static void end_host(struct ts_session *self)
{
    ts_progress_free(self->progress);
    self->progress = NULL;
    ts_host_stop(self->host);
    self->host = NULL;
    hosted = NULL;
}

void ts_session_leave_host(void)
{
    if (hosted)
        end_host(hosted);
}

static int end_trace(struct ts_session *self, int code)
{
    ts_kernel_trace_end(self->kernel);
    int error = ts_trace_free(self->trace);
    self->trace = NULL;
    for (unsigned f = 0; f < TS_TRACE_FORMATS; f++) {
        const struct ts_trace_end *end = &self->trace_ends[f];
        if (end->error)
            code = ts_complain(TS_SETUP, "%s/%s: cannot be written: %s", self->options->out,
                               ts_trace_formats[f].file, strerror(end->error));
        else if (end->full)
            ts_complain(TS_OK,
                        "%s/%s ends at cycle %llu, at its limit of %u MB; --trace=FROM-TO traces "
                        "some cycles only",
                        self->options->out, ts_trace_formats[f].file, (unsigned long long)end->full,
                        (unsigned)(TS_TRACE_LIMIT >> 20));
    }
    if (error == 0)
        return code;
    self->results.failed = true;
    return code == TS_OK ? ts_complain(TS_SETUP, "%s: the trace is not complete: %s",
                                       self->options->out, strerror(error))
                         : code;
}

// What the checks have found: warnings on stderr, `checks` of the document. A run that is good otherwise has findings.
static int tell_checks(struct ts_session *self, int code)
{
    struct ts_error error = {0};
    const struct ts_checks_how how = {.suppress = self->options->suppress,
                                      .strict = ts_options_check(self->options).strict,
                                      .ended = code == TS_OK,
                                      .at = self->run.cycle};
    struct ts_checks_result found = ts_checks(self->kernel, &how, &error);
    if (found.list == NULL)
        return ts_complain_error(&error);
    if (!self->options->quiet || found.count)
        ts_checks_print(&found, stderr);
    if (found.count + found.weak + found.suppressed == 0 && code == TS_OK && !self->again &&
        ts_options_talk(self->options))
        printf("--check=%s: nothing found\n", self->options->check);
    json_object_set(self->document, "checks", found.list);
    json_object_set_new(self->document, "findings", json_integer(found.count));
    self->findings = found.count;
    ts_checks_free(&found);
    return code;
}

static int tell_activity(struct ts_session *self, int code)
{
    const unsigned clock = clock_of(self);
    struct ts_activity_steps steps;
    if (ts_activity_stop(self->activity) && ts_activity_steps_make(&steps, self->activity, clock) &&
        ts_activity_steps_json(&steps, self->activity, clock, self->document)) {
        if (self->released && steps.used)
            json_object_set_new(json_object_get(self->document, "activity"), "released",
                                ts_released_json(self->released, self->activity, &steps));
        return code;
    }
    return ts_complain(TS_NO_MEMORY, "out of memory for --activity");
}

int ts_session_end(struct ts_session *self)
{
    int code = code_of(self);
    if (code != TS_HANG)
        ts_kernel_over(self->kernel, self->run.cycle);
    end_host(self);
    ts_cluster_end();
    if (self->trace)
        code = end_trace(self, code);
    if (self->activity)
        code = tell_activity(self, code);
    explain(self);
    const struct ts_options *options = self->options;
    const bool shown = options->out || options->json || options->stats_hash;
    if (shown)
        self->stats = ts_stats_json(self->kernel, &self->run);
    const char *wrong = shown || !self->embedded ? ts_stats_check(self->kernel, self->run.cycle)
                                                 : NULL;
    if (wrong)
        code = ts_complain(TS_BUG, "%s: busy + stalls + idle is not the span", wrong);
    json_object_set_new(self->document, "stop", json_string(ts_stop_name(self->run.stop)));
    json_object_set_new(self->document, "cycles", json_integer((json_int_t)self->run.cycle));
    if (self->run.stop == TS_STOP_FAULT)
        json_object_set_new(self->document, "error", json_string(self->run.error.text));
    if (self->hang)
        json_object_set(self->document, "hang", self->hang);
    if (self->limit_story)
        json_object_set_new(self->document, "limit", self->limit_story);
    json_t *lints = ts_lints(self->kernel, self->options->quiet || self->again ? NULL : stderr);
    if (json_array_size(lints) > 0)
        json_object_set(self->document, "lints", lints);
    json_decref(lints);
    if (self->options->check)
        code = tell_checks(self, code);
    if (self->options->problems && !self->again)
        ts_problems_print(self->document, stderr);
    json_t *rules = ts_rules_used(self->kernel);
    if (json_array_size(rules) > 0)
        json_object_set(self->document, "bit_rules", rules);
    if (ts_options_talk(self->options) && !self->embedded)
        ts_text_print("rules", self->document, true,
                      stdout); // by which silicon and the reference simulator differ
    json_decref(rules);
    return code;
}

static void write_csv(const void *stats, FILE *file)
{
    ts_stats_csv(stats, file);
}

static void write_files(struct ts_session *self)
{
    if (self->schema) {
        json_object_set_new(self->document, "schema", json_string(self->schema));
        json_object_set_new(self->document, "version", json_integer(TS_RESULT_VERSION));
        ts_results_page(&self->results, self->document, self->drawing);
    } else {
        ts_results_json(&self->results, "result.json", self->document);
    }
    ts_results_json(&self->results, "stats.json", self->stats);
    ts_results_write(&self->results, "stats.csv", write_csv, self->stats);
    if (self->hang)
        ts_results_hang(&self->results, self->hang);
    bool page = self->schema && self->results.directory && !self->results.failed;
    if (page && ts_options_talk(self->options) && !self->embedded)
        printf("  report: %s/%s\n", self->options->out, ts_page_file(self->document)->page);
}

int ts_session_write(struct ts_session *self, int code)
{
    const struct ts_options *options = self->options;
    char hash[17] = "", timing[17] = "";
    if (options->stats_hash) { // before what only pages and files have is added
        ts_stats_run_hash(self->stats, self->document, hash);
        ts_stats_timing_hash(self->stats, timing);
    }
    if (self->activity && ts_options_talk(options) && !self->embedded)
        ts_text_print("activity", self->document, options->verbose, stdout);
    write_files(self);
    if (code == TS_OK && self->findings)
        code = TS_FINDINGS;
    code = ts_results_end(&self->results, code);
    if (options->stats_hash && options->json == NULL)
        puts(hash);
    if (options->stats_hash) {
        json_object_set_new(self->document, "stats_hash", json_string(hash));
        json_object_set_new(self->document, "timing_hash", json_string(timing));
    }
    if (options->json == NULL)
        return code;
    // What is of this host and not of the model comes last, and in no hash.
    double rate = self->seconds > 0 ? (double)self->run.cycle / self->seconds : 0;
    ts_json_put(self->document, "host", "{s:i, s:f, s:f}", "threads", (int)options->threads,
                "seconds", self->seconds, "cycles_per_s", rate);
    int written = ts_output_json(options->json, self->document);
    return written != TS_OK ? written : code;
}

void ts_session_free(struct ts_session *self)
{
    end_host(self);
    if (self->trace)
        ts_trace_free(self->trace);
    ts_names_free(self->names);
    ts_results_drop(&self->results, TS_OK); // what is not in place by now is not complete
    ts_history_free(self->history);
    ts_periods_free(self->periods);
    ts_activity_free(self->activity);
    ts_released_free(self->released);
    json_decref(self->stats);
    json_decref(self->document);
    json_decref(self->drawing);
    json_decref(self->hang);
    if (self->sim)
        tensim_free(self->sim);
    else
        ts_kernel_free(self->kernel);
}
