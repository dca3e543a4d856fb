// tensim run of conformance files (.ttv): load, start the cores, run until the done words are there, compare L1. A file runs
// under the bit rules that it names (`tensim ops rules`), unless --set bits=... says others.
#include "platform/account/stats.h"
#include "platform/cli/run.h"
#include "platform/explain/checks.h"
#include "platform/explain/hang.h"
#include "platform/load/conform.h"
#include "platform/save/region.h"

// What the callbacks of a run know.
struct stage {
    const struct ts_options *options;
    char hash[17];                  // of the run's stats
    struct ts_checks_result checks; // of one run
    unsigned findings;              // of all
};

static void look_at_end(const struct ts_kernel *kernel, const struct ts_run *run, void *context)
{
    struct stage *stage = context;
    if (stage->options->stats_hash) {
        json_t *stats = ts_stats_json(kernel, run);
        ts_stats_timing_hash(stats, stage->hash);
        json_decref(stats);
    }
    if (stage->options->check) {
        struct ts_error error = {0};
        const struct ts_checks_how how = {.suppress = stage->options->suppress,
                                          .strict = ts_options_check(stage->options).strict};
        stage->checks = ts_checks(kernel, &how, &error);
        stage->findings += stage->checks.count;
        if (stage->checks.list == NULL)
            ts_complain_error(&error);
        else if (!stage->options->quiet || stage->checks.count)
            ts_checks_print(&stage->checks, stderr);
    }
}

static struct ts_progress *shown; // the callback below has no place for it; the CLI is one thread

static void hung(const struct ts_kernel *kernel, ts_cycle cycle, void *context)
{
    (void)context;
    struct ts_hang hang = ts_hang_new(kernel, cycle);
    ts_progress_hide(shown);
    ts_hang_print(&hang, stderr);
    ts_progress_show(shown);
    ts_hang_free(&hang);
}

// One file; true if it passed.
static bool replay(const struct ts_ask *self, const struct ts_conform_options *how,
                   const char *path, json_t *cases)
{
    static struct ts_conform_file conform; // large; the CLI is one thread
    struct ts_error error = {0};
    struct ts_conform_result result = {0};
    bool talk = ts_options_talk(&self->options);
    if (!ts_conform_read(&conform, path, &error)) { // it was good a moment ago
        result.code = error.code;
        snprintf(result.text, sizeof result.text, "%s", error.text);
        snprintf(conform.name, sizeof conform.name, "%.100s", path);
    } else {
        ts_conform_run(&conform, how, &result);
        result.pass |= self->timing_only && result.code == TS_DIFFERS;
    }
    ts_progress_hide(shown);
    if (talk && !result.pass)
        printf("%s: FAILED: %s\n", conform.name, result.text);
    fflush(stdout);
    ts_progress_show(shown);
    ts_progress_add(shown, 1);
    json_t *row = json_pack("{s:s, s:b, s:I, s:I}", "name", conform.name, "pass", (int)result.pass,
                            "cycles", (json_int_t)result.cycles, "instructions",
                            (json_int_t)result.instructions);
    struct stage *stage = how->context;
    if (self->options.stats_hash && result.cycles)
        json_object_set_new(row, "timing_hash", json_string(stage->hash));
    if (json_array_size(stage->checks.list))
        json_object_set(row, "checks", stage->checks.list);
    ts_checks_free(&stage->checks);
    if (!result.pass) {
        json_object_set_new(row, "text", json_string(result.text));
        json_object_set_new(row, "code", json_integer((json_int_t)result.code));
    }
    json_array_append_new(cases, row);
    ts_conform_free(&conform);
    return result.pass;
}

// Whether all files are vectors, before the first one runs.
static int check(const struct ts_ask *self)
{
    static struct ts_conform_file conform; // large
    struct ts_error error = {0};
    for (int i = 0; i < (int)self->word_count && error.code == TS_OK; i++) {
        ts_conform_read(&conform, self->words[i], &error);
        ts_conform_free(&conform);
    }
    return error.code == TS_OK ? TS_OK : ts_complain_error(&error);
}

int ts_run_ttv(struct ts_ask *self)
{
    struct ts_params params = {0};
    int code = ts_ask_params(self, &params);
    if (code == TS_OK)
        code = check(self);
    struct ts_results results = {0};
    if (code == TS_OK)
        code = ts_results_begin(&results, &self->options, &params, self->argc, self->argv);
    if (code != TS_OK) {
        ts_params_free(&params);
        return code;
    }
    struct ts_conform_options how = {
        .tile = ts_ask_tile(self, &params), .soc = "p150", .params = &params};
    struct stage stage = {.options = &self->options};
    how.hung = self->options.quiet ? NULL : hung;
    how.ended = look_at_end;
    how.context = &stage;
    how.threads = self->options.threads;
    for (size_t i = 0; i < self->options.set_count; i++)
        how.given_bits |= strncmp(self->options.sets[i], "bits", 4) == 0;
    json_t *cases = json_array();
    int passed = 0, failed = 0;
    bool inside = ts_region_inside(false);
    shown = ts_progress_new("vectors", (int)self->word_count, self->options.quiet);
    ts_progress_watch(shown, NULL, NULL);
    ts_region_inside(inside);
    for (int i = 0; i < (int)self->word_count; i++)
        *(replay(self, &how, self->words[i], cases) ? &passed : &failed) += 1;
    ts_progress_free(shown);
    if (ts_options_talk(&self->options))
        printf("%d passed, %d failed\n", passed, failed);
    json_t *document = json_pack("{s:i, s:i, s:o}", "passed", passed, "failed", failed, "cases",
                                 cases);
    code = ts_output_json(self->options.json, document);
    ts_results_json(&results, "result.json", document);
    code = ts_results_end(&results, code);
    json_decref(document);
    ts_params_free(&params);
    return code != TS_OK ? code : failed ? TS_DIFFERS : stage.findings ? TS_FINDINGS : TS_OK;
}
