// Commands that run one built-in kernel: options, session, verdict.
#include "platform/cli/kernel_options.h"

#include "config/yaml.h"
#include "platform/chip/connect.h"
#include "platform/cli/session.h"
#include "platform/study/grid.h"
#include "platform/study/report.h"
#include "platform/study/verdict.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL_LIMIT UINT64_C(2000000000)

// Long options without a letter.
enum {
    OPTION_OUT_FORMAT = 256,
    OPTION_SUB_BLOCK,
    OPTION_BLOCKS,
    OPTION_RUN_TYPE,
    OPTION_FLIP,
    OPTION_TILES,
    OPTION_TIMING_ONLY,
    OPTION_GRID,
    OPTION_STORAGE,
    OPTION_MEAN,
    OPTION_SPREAD,
    OPTION_PERTURB,
    OPTION_STRICT,
    OPTION_LINT,
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Kernel", 0},
    {"m", 'M', "N", 0, "rows of the result, in elements", 0},
    {"n", 'N', "N", 0, "columns of the result", 0},
    {"k", 'K', "N", 0, "inner dimension", 0},
    {"format", 'f', "FORMAT", 0,
     "of the operands: fp32 tf32 fp16 bf16 fp8 bfp8 bfp4 bfp2 bfp8a bfp4a bfp2a; matmul: int8", 0},
    {"out-format", OPTION_OUT_FORMAT, "FORMAT", 0,
     "of the result; default: bf16, or fp16 for formats with 5-bit exponents", 0},
    {"fidelity", 'F', "NAME", 0, "lofi hifi2 hifi3 hifi4", 0},
    {"throttle", 'T', "LEVEL", 0, "matmul throttle, 0 to 5; default: TT_MM_THROTTLE_PERF, or 0", 0},
    {"dst", 'd', "BITS", 0, "width of Dst: 16 or 32", 0},
    {"sub-block", OPTION_SUB_BLOCK, "HxW", 0, "output tiles that stay in Dst", 0},
    {"blocks", OPTION_BLOCKS, "N", 0, "blocks of the inner dimension; partial sums are added in L1",
     0},
    {"op", 'O', "NAME", 0, "operation of the kernel", 0},
    {"broadcast", 'b', "NAME", 0, "of the second operand's tiles: none row col scalar", 0},
    {"run-type", OPTION_RUN_TYPE, "NAME", 0,
     "l1_to_l1 unpack_isolate math_isolate pack_isolate l1_congestion", 0},
    {"repeat", 'r', "N", 0, "do all the work N times", 0},
    {"seed", 's', "N", 0, "of the operands", 0},
    {"mean", OPTION_MEAN, "X", 0, "of the first operand's random values (default 0)", 0},
    {"spread", OPTION_SPREAD, "X", 0, "their standard deviation (default 1)", 0},
    {"grid", OPTION_GRID, "CxR", 0,
     "share the work among C columns x R rows of tiles over the NoC: in0 is sent along rows, in1 "
     "down columns; m and n are of the whole matrix",
     0},
    {"storage", OPTION_STORAGE, "IN0/IN1/OUT", 0,
     "with --grid, where the matrices lie: l1/dram/l1, l1/dram/dram, dram/dram/l1 or "
     "dram/dram/dram; default: the first, or the last if L1 is too small for it",
     0},
    {"timing-only", OPTION_TIMING_ONLY, NULL, 0,
     "cycles without arithmetic: faster, no numeric check", 0},
    {"perturb", OPTION_PERTURB, "SEED[:MAX]", 0,
     "hold accesses of cores and instructions at the gates for up to MAX (16) cycles at random", 0},
    {"strict", OPTION_STRICT, NULL, 0, "lints (lost posts and gets, races) are faults", 0},
    {"lint", OPTION_LINT, "CHOICE", 0, TS_LINT_HELP, 0},
    {"tiles", OPTION_TILES, "N", 0,
     "run it on N tiles at once, each with operands of its own (default 1)", 0},
    {"flip", OPTION_FLIP, "CYCLE", 0,
     "the firmware's throttle word changes at CYCLE; up to 15 times", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_kernel_options *self = state->input;
    char text[256];
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = &self->options;
        return 0;
    }
    if (key == ARGP_KEY_ARG)
        argp_error(state, "no argument expected: '%s'", arg);
    if (key == OPTION_FLIP) {
        int64_t cycle;
        unsigned i = 0;
        while (self->spec.flips[i] != 0)
            i++;
        if (i == 15 || !ts_parse_int(arg, &cycle) || cycle < 1)
            argp_error(state, "--flip: '%s' is not a cycle, or there are too many", arg);
        self->spec.flips[i] = (ts_cycle)cycle;
        return 0;
    }
    if (key == OPTION_TIMING_ONLY) {
        self->spec.timing_only = true;
        return 0;
    }
    if (key == OPTION_PERTURB) {
        if (!ts_perturb_parse(arg, &self->spec.perturb_seed, &self->spec.perturb_max))
            argp_error(state, "--perturb %s: not SEED or SEED:MAX", arg);
        return 0;
    }
    if (key == OPTION_STRICT) {
        self->spec.strict = true;
        return 0;
    }
    if (key == OPTION_LINT) {
        self->spec.lints = ts_lint_option(arg, state);
        return 0;
    }
    if (key == OPTION_TILES) {
        int64_t tiles;
        if (!ts_parse_int(arg, &tiles) || tiles < 1 || tiles > 140)
            argp_error(state, "--tiles: '%s' is not a number from 1 to 140", arg);
        self->tiles = (uint32_t)tiles;
        return 0;
    }
    for (const struct argp_option *option = options; option->name || option->doc; option++)
        if (option->key == key && option->name) {
            if (!ts_spec_set(&self->spec, option->name, arg, text, sizeof text))
                argp_error(state, "%s", text);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

// TT_MM_THROTTLE_PERF sets the level, as it does for the vendor's library; the option wins.
static bool environment(struct ts_job_spec *spec, char *text, size_t size)
{
    const char *level = getenv("TT_MM_THROTTLE_PERF");
    if (level == NULL || level[0] == '\0')
        return true;
    if (ts_spec_set(spec, "throttle", level, text, size))
        return true;
    snprintf(text, size, "TT_MM_THROTTLE_PERF: '%s' is not a level from 0 to 5", level);
    return false;
}

// Runs until every tile has written its done word: each stops the run once, its cores are held, and
// it goes on.
static void run_all(struct ts_session *session, struct ts_job *jobs, uint32_t count)
{
    for (;;) {
        if (ts_session_run(session, KERNEL_LIMIT) != TS_STOP_BREAK)
            return;
        uint32_t done = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (jobs[i].done == 0)
                continue;
            done++;
            for (unsigned core = 0; count > 1 && core < TS_RV_CORES; core++)
                ts_tile_hold(jobs[i].tile, core, session->run.cycle);
        }
        if (done == count)
            return;
    }
}

static void write_report(const struct ts_kernel_options *self, const struct ts_session *session,
                         const struct ts_job *job, const struct ts_job_result *result,
                         const struct ts_job_verdict *verdict)
{
    char path[512];
    snprintf(path, sizeof path, "%s/report.html", self->options.out);
    struct ts_run_report report = {.job = job,
                                   .result = result,
                                   .verdict = verdict,
                                   .stats = session->stats,
                                   .document = session->document,
                                   .record = session->history,
                                   .params = session->params,
                                   .tiles = self->tiles,
                                   .argc = session->argc,
                                   .argv = session->argv};
    if (!ts_report_write(&report, path))
        ts_complain(TS_SETUP, "%s: cannot be written", path);
    else if (ts_options_talk(&self->options))
        printf("  report: %s\n", path);
}

static int run(struct ts_kernel_options *self, struct ts_session *session, struct ts_job *jobs)
{
    struct ts_error error = {0};
    int code = ts_session_begin(session);
    for (uint32_t i = 0; code == TS_OK && i < self->tiles; i++)
        if (!ts_job_start(&jobs[i], &error))
            code = ts_complain_error(&error);
    if (code != TS_OK)
        return code;
    run_all(session, jobs, self->tiles);
    code = ts_session_end(session);
    struct ts_job_result result, *results = calloc(self->tiles, sizeof *results);
    struct ts_job_verdict verdict;
    if (results == NULL)
        return ts_session_write(session, ts_complain(TS_SETUP, "out of memory"));
    json_t *tiles = json_array();
    for (uint32_t i = 0; i < self->tiles; i++) {
        ts_job_finish(&jobs[i], &session->run, &results[i]);
        json_array_append_new(
            tiles, json_pack("{s:I, s:f, s:f}", "cycles", (json_int_t)results[i].loop, "rel_l2",
                             results[i].agreement.rel_l2, "pcc", results[i].agreement.pcc));
    }
    result = results[0];
    for (uint32_t i = 0; i < self->tiles && result.code == TS_OK; i++)
        if (results[i].code != TS_OK)
            result = results[i];
    if (self->spec.grid_rows && result.code == TS_OK) {
        result.loop = ts_grid_mean(results, self->tiles);
        result.cycles_per_unit = (double)result.loop / (double)result.work;
    }
    free(results);
    if (result.code != TS_OK) {
        json_decref(tiles);
        if (code == TS_OK)
            code = ts_complain(result.code, "%s", result.text);
        return ts_session_write(session, code);
    }
    ts_verdict_make(&verdict, &jobs[0], &result, &session->run);
    ts_verdict_json(&verdict, &jobs[0], &result, session->document);
    json_object_set_new(session->document, "tiles", tiles);
    if (self->spec.grid_rows)
        json_object_set_new(session->document, "grid_tflops",
                            json_real(verdict.tflops * self->tiles));
    if (ts_options_talk(&self->options)) {
        ts_verdict_print(&verdict, &jobs[0], &result, stdout);
        if (self->spec.grid_rows)
            printf("  (the mean of a grid of %ux%u tiles, %s/dram/%s, %u blocks: %.3f TFLOP/s in "
                   "all)\n",
                   self->spec.grid_columns, self->spec.grid_rows,
                   self->spec.in0_dram ? "dram" : "l1", self->spec.out_dram ? "dram" : "l1",
                   self->spec.blocks, verdict.tflops * self->tiles);
        else if (self->tiles > 1)
            printf("  (the first of %u tiles, each with operands of its own)\n", self->tiles);
        if (self->options.out)
            printf("  written to %s\n", self->options.out);
    }
    if (self->options.out)
        write_report(self, session, &jobs[0], &result, &verdict);
    return ts_session_write(session, code);
}

int ts_kernel_command(const char *kernel, const char *doc, int argc, char **argv)
{
    struct ts_kernel_options self;
    memset(&self, 0, sizeof self);
    ts_options_init(&self.options);
    ts_job_spec_default(&self.spec, kernel);
    self.tiles = 1;
    char text[256];
    if (!environment(&self.spec, text, sizeof text))
        return ts_complain(TS_USAGE, "%s", text);
    const struct argp_child children[] = {{&ts_options_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse, NULL, doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    self.spec.unchecked = self.options.unchecked;
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    int code = (int)ts_options_params(&self.options, &params, "blackhole.yaml");
    struct ts_error error = {0};
    if (code == TS_OK && self.spec.grid_rows) {
        self.tiles = self.spec.grid_rows * self.spec.grid_columns;
        if (!ts_grid_plan(&self.spec, &error))
            code = ts_complain_error(&error);
    }
    if (code != TS_OK) {
        ts_params_free(&params);
        return code;
    }
    struct ts_tile_config config = ts_tile_config_from(&params);
    self.spec.tile_config = &config;
    struct ts_session session = {
        .options = &self.options,
        .params = &params,
        .kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = self.options.threads}),
        .clock_mhz = TS_CLOCK_MHZ,
        .argc = argc,
        .argv = argv,
    };
    struct ts_job *jobs = calloc(self.tiles, sizeof *jobs);
    struct ts_tile *tiles = calloc(self.tiles, sizeof *tiles);
    struct ts_chip_bench bench = {.params = &params, .soc = "p150"};
    bool built = jobs != NULL && tiles != NULL, connected = false;
    uint32_t made = 0;
    for (; built && made < self.tiles; made++) {
        struct ts_job_spec spec = self.spec;
        spec.tile = made;
        spec.place = &tiles[made];
        if (spec.grid_rows) {
            spec.grid_row = made / spec.grid_columns;
            spec.grid_column = made % spec.grid_columns;
        } else {
            spec.seed += made;
        }
        built = ts_job_build(&jobs[made], &spec, session.kernel, &error);
    }
    if (built && self.spec.grid_rows) {
        connected = true;
        built = ts_grid_connect(jobs, tiles, self.tiles, &bench, &error);
    }
    session.recorded = built ? jobs[0].domain : NULL;
    code = built ? run(&self, &session, jobs) : ts_complain_error(&error);
    for (uint32_t i = 0; i < made; i++)
        ts_job_free(&jobs[i]);
    free(jobs);
    free(tiles);
    if (connected)
        ts_chip_disconnect(&bench);
    ts_session_free(&session);
    ts_params_free(&params);
    return code;
}
