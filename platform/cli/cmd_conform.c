// tensim conform: replays conformance files.
#include "platform/account/stats.h"
#include "platform/chip/chip.h"
#include "platform/cli/results.h"
#include "platform/explain/checks.h"
#include "platform/explain/hang.h"
#include "platform/load/conform.h"
#include "platform/out/progress.h"
#include "platform/save/region.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] = "Replay conformance vectors (.ttv): load, start the cores, run until the "
                          "done words are there, compare L1.\v"
                          "A vector runs under the bit rules that it names (`tensim ops --rules'), "
                          "unless --set bits=... says others. "
                          "Exit code 0 only if all pass.";

enum { OPTION_EXACT = 512, OPTION_TIMING_ONLY, OPTION_PERTURB };

static const struct argp_option options[] = {
    {"step-by-step", OPTION_EXACT, NULL, 0,
     "no running ahead, no parking of polls: slower, same results", 0},
    {"perturb", OPTION_PERTURB, "SEED[:MAX]", 0,
     "hold accesses of cores and instructions at the gates for up to MAX (16) cycles at random", 0},
    {"timing-only", OPTION_TIMING_ONLY, NULL, 0,
     "the same cycles without arithmetic: a vector passes when its done words are there", 0},
    {0},
};

struct arguments {
    struct ts_options options;
    bool exact, timing_only;
    struct ts_perturb_how perturb;
    char **files;
    int count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        return 0;
    case OPTION_EXACT:
        self->exact = true;
        return 0;
    case OPTION_PERTURB:
        if (!ts_perturb_parse(arg, &self->perturb))
            argp_error(state, "--perturb %s: not " TS_PERTURB_FORM, arg);
        return 0;
    case OPTION_TIMING_ONLY:
        self->timing_only = true;
        return 0;
    case ARGP_KEY_ARGS:
        self->files = state->argv + state->next;
        self->count = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name at least one conformance file (.ttv)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

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
static bool replay(const struct arguments *self, const struct ts_conform_options *how,
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
static int check(const struct arguments *self)
{
    static struct ts_conform_file conform; // large
    struct ts_error error = {0};
    for (int i = 0; i < self->count && error.code == TS_OK; i++) {
        ts_conform_read(&conform, self->files[i], &error);
        ts_conform_free(&conform);
    }
    return error.code == TS_OK ? TS_OK : ts_complain_error(&error);
}

int ts_cmd_conform(int argc, char **argv);
int ts_cmd_conform(int argc, char **argv)
{
    struct arguments self = {0};
    ts_options_init(&self.options);
    struct ts_options_argp common;
    const struct argp_child children[] = {
        {ts_options_only(&common, &self.options,
                         "config set threads no-hang-check check suppress checkpoint out json "
                         "stats-hash quiet"),
         0, NULL, 0},
        {0}};
    const struct argp argp = {options, parse, "FILE.ttv...", doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    int code = (int)ts_options_params(&self.options, &params, "blackhole.yaml");
    if (code == TS_OK)
        code = check(&self);
    struct ts_results results = {0};
    if (code == TS_OK)
        code = ts_results_begin(&results, &self.options, &params, argc, argv);
    if (code != TS_OK) {
        ts_params_free(&params);
        return code;
    }
    struct ts_conform_options how = {
        .tile = ts_tile_config_from(&params), .soc = "p150", .params = &params};
    struct stage stage = {.options = &self.options};
    how.hung = self.options.quiet ? NULL : hung;
    how.ended = look_at_end;
    how.context = &stage;
    how.threads = self.options.threads;
    for (size_t i = 0; i < self.options.set_count; i++)
        how.given_bits |= strncmp(self.options.sets[i], "bits", 4) == 0;
    how.tile.unchecked = self.options.unchecked;
    how.tile.check = ts_options_check(&self.options);
    how.tile.timing_only = self.timing_only;
    how.tile.perturb_seed = self.perturb.seed;
    how.tile.perturb_max = self.perturb.max;
    how.tile.perturb_holds = self.perturb.holds;
    how.tile.run_ahead = how.tile.park = !self.exact;
    json_t *cases = json_array();
    int passed = 0, failed = 0;
    bool inside = ts_region_inside(false);
    shown = ts_progress_new("vectors", self.count, self.options.quiet);
    ts_progress_watch(shown, NULL, NULL);
    ts_region_inside(inside);
    for (int i = 0; i < self.count; i++)
        *(replay(&self, &how, self.files[i], cases) ? &passed : &failed) += 1;
    ts_progress_free(shown);
    if (ts_options_talk(&self.options))
        printf("%d passed, %d failed\n", passed, failed);
    json_t *document = json_pack("{s:i, s:i, s:o}", "passed", passed, "failed", failed, "cases",
                                 cases);
    code = ts_output_json(self.options.json, document);
    ts_results_json(&results, "result.json", document);
    code = ts_results_end(&results, code);
    json_decref(document);
    ts_params_free(&params);
    return code != TS_OK ? code : failed ? TS_DIFFERS : stage.findings ? TS_FINDINGS : TS_OK;
}
