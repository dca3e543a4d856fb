// Commands that run one built-in kernel: options, session, verdict.
#include "platform/cli/job_options.h"

#include "platform/chip/chip.h"
#include "platform/cli/session.h"
#include "platform/report/report.h"
#include "platform/run/grid.h"
#include "platform/run/spec.h"
#include "platform/run/verdict.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL_LIMIT UINT64_C(2000000000)

// argp's keys of options without a letter.
enum { KEY_FIRST = 1000 };

// The options of one kernel, made from the table; those of other kernels are hidden and refused.
struct job_argp {
    struct argp_option rows[TS_JOB_OPTIONS + TS_GROUP_RUN + 1];
    char texts[TS_JOB_OPTIONS][512];
};

static void make_options(struct job_argp *self, const struct ts_job_kind *kind)
{
    static const char *const headings[TS_GROUP_RUN] = {"Kernel", "Numbers", "Schedule", "Tiles"};
    struct argp_option *row = self->rows;
    for (int group = 0; group < TS_GROUP_RUN; group++)
        *row++ = (struct argp_option){.doc = headings[group], .group = group + 1};
    for (unsigned id = 0; id < TS_JOB_OPTIONS; id++) {
        const struct ts_job_option *option = &ts_job_options[id];
        bool own = ts_option_applies(id, kind);
        if (own)
            ts_option_help(id, kind, self->texts[id], sizeof self->texts[id]);
        *row++ = (struct argp_option){
            .name = option->name,
            .key = option->key ? option->key : KEY_FIRST + (int)id,
            .arg = option->argument,
            .flags = own ? 0 : OPTION_HIDDEN,
            .doc = self->texts[id],
            .group = option->group == TS_GROUP_RUN ? TS_OPTIONS_RUN : (int)option->group + 1};
    }
    *row = (struct argp_option){0};
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_job_options *self = state->input;
    char text[512];
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = &self->options;
        return 0;
    }
    if (key == ARGP_KEY_ARG)
        argp_error(state, "no argument expected: '%s'", arg);
    if (key == ARGP_KEY_END) {
        self->spec.unchecked = self->options.unchecked;
        if (!ts_spec_check(&self->spec, text, sizeof text))
            argp_error(state, "%s", text);
        return 0;
    }
    for (unsigned id = 0; id < TS_JOB_OPTIONS; id++) {
        int own = ts_job_options[id].key ? ts_job_options[id].key : KEY_FIRST + (int)id;
        if (own != key)
            continue;
        if (!ts_spec_option(&self->spec, id, arg, text, sizeof text))
            argp_error(state, "%s", text);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

// TT_MM_THROTTLE_PERF sets the level of matmuls, as it does for the vendor's library; the option
// wins.
static bool environment(struct ts_job_spec *spec, char *text, size_t size)
{
    const char *level = getenv("TT_MM_THROTTLE_PERF");
    if (level == NULL || level[0] == '\0' ||
        !ts_option_applies(TS_OPTION_THROTTLE, ts_job_kind_find(spec->program)))
        return true;
    if (ts_spec_option(spec, TS_OPTION_THROTTLE, level, text, size))
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

static void write_page(const void *report, FILE *file)
{
    ts_report_write(report, file);
}

static void write_report(const struct ts_job_options *self, struct ts_session *session,
                         const struct ts_job *job, const struct ts_job_result *result,
                         const struct ts_job_verdict *verdict)
{
    struct ts_run_report report = {.job = job,
                                   .result = result,
                                   .verdict = verdict,
                                   .stats = session->stats,
                                   .document = session->document,
                                   .record = session->history,
                                   .params = session->params,
                                   .tiles = self->spec.tiles,
                                   .argc = session->argc,
                                   .argv = session->argv};
    ts_results_write(&session->results, "report.html", write_page, &report);
    if (!session->results.failed && ts_options_talk(&self->options))
        printf("  report: %s/report.html\n", self->options.out);
}

// For the progress line.
struct works {
    struct ts_job *jobs;
    uint32_t count;
    double each; // units of work of a tile
};

static double works_done(void *context)
{
    const struct works *self = context;
    double done = 0;
    for (uint32_t i = 0; i < self->count; i++)
        done += self->each * ts_job_share(&self->jobs[i]);
    return done;
}

static int run(struct ts_job_options *self, struct ts_session *session, struct ts_job *jobs)
{
    struct ts_error error = {0};
    struct works works = {jobs, self->spec.tiles,
                          (double)jobs[0].kind->work(&jobs[0]) * self->spec.repeat};
    session->unit = strcmp(jobs[0].kind->unit, "product") == 0 ? "products" : "tiles";
    session->work = works.each * works.count;
    session->done = works_done;
    session->done_context = &works;
    int code = ts_session_begin(session);
    for (uint32_t i = 0; code == TS_OK && i < self->spec.tiles; i++)
        if (!ts_job_start(&jobs[i], &error))
            code = ts_complain_error(&error);
    if (code != TS_OK)
        return code;
    run_all(session, jobs, self->spec.tiles);
    code = ts_session_end(session);
    struct ts_job_result result, *results = calloc(self->spec.tiles, sizeof *results);
    struct ts_job_verdict verdict;
    if (results == NULL)
        return ts_session_write(session, ts_complain(TS_SETUP, "out of memory"));
    json_t *tiles = json_array();
    for (uint32_t i = 0; i < self->spec.tiles; i++) {
        ts_job_finish(&jobs[i], &session->run, &results[i]);
        json_array_append_new(
            tiles, json_pack("{s:I, s:f, s:f}", "cycles", (json_int_t)results[i].loop, "rel_l2",
                             results[i].agreement.rel_l2, "pcc", results[i].agreement.pcc));
    }
    result = results[0];
    for (uint32_t i = 0; i < self->spec.tiles && result.code == TS_OK; i++)
        if (results[i].code != TS_OK)
            result = results[i];
    if (self->spec.grid_rows && result.code == TS_OK) {
        result.loop = ts_grid_mean(results, self->spec.tiles);
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
                            json_real(verdict.tflops * self->spec.tiles));
    if (ts_options_talk(&self->options)) {
        ts_verdict_print(&verdict, &jobs[0], &result, stdout);
        if (self->spec.grid_rows)
            printf("  (the mean of a grid of %ux%u tiles, %s/dram/%s, %u blocks: %.3f TFLOP/s in "
                   "all)\n",
                   self->spec.grid_columns, self->spec.grid_rows,
                   self->spec.in0_dram ? "dram" : "l1", self->spec.out_dram ? "dram" : "l1",
                   self->spec.blocks, verdict.tflops * self->spec.tiles);
        else if (self->spec.tiles > 1)
            printf("  (the first of %u tiles, each with operands of its own)\n", self->spec.tiles);
        if (self->options.out)
            printf("  written to %s\n", self->options.out);
    }
    if (self->options.out)
        write_report(self, session, &jobs[0], &result, &verdict);
    return ts_session_write(session, code);
}

int ts_job_command(const char *program, const char *doc, int argc, char **argv)
{
    struct ts_job_options self;
    memset(&self, 0, sizeof self);
    ts_options_init(&self.options);
    ts_job_spec_default(&self.spec, program);
    char text[512];
    if (!environment(&self.spec, text, sizeof text))
        return ts_complain(TS_USAGE, "%s", text);
    const struct argp_child children[] = {{&ts_options_argp, 0, NULL, 0}, {0}};
    static struct job_argp own; // large; the CLI is one thread
    make_options(&own, ts_job_kind_find(program));
    const struct argp argp = {own.rows, parse, NULL, doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    const char *warning = ts_spec_warning(&self.spec);
    if (warning && !self.options.quiet)
        ts_complain(TS_OK, "warning: %s", warning);
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    int code = (int)ts_options_params(&self.options, &params, "blackhole.yaml");
    struct ts_error error = {0};
    if (code == TS_OK && self.spec.grid_rows) {
        self.spec.tiles = self.spec.grid_rows * self.spec.grid_columns;
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
    struct ts_job *jobs = calloc(self.spec.tiles, sizeof *jobs);
    struct ts_chip chip = {0};
    bool built = jobs != NULL;
    uint32_t made = 0;
    for (; built && made < self.spec.tiles; made++) {
        struct ts_job_spec spec = self.spec;
        spec.tile = made;
        if (spec.grid_rows) {
            spec.grid_row = made / spec.grid_columns;
            spec.grid_column = made % spec.grid_columns;
        } else {
            spec.seed += made;
        }
        built = ts_job_build(&jobs[made], &spec, session.kernel, &error);
    }
    if (built && self.spec.grid_rows)
        built = ts_grid_connect(jobs, self.spec.tiles, &params, &chip, &error);
    session.recorded = built ? jobs[0].domain : NULL;
    code = built ? run(&self, &session, jobs) : ts_complain_error(&error);
    for (uint32_t i = 0; i < made; i++)
        ts_job_free(&jobs[i]);
    free(jobs);
    ts_chip_free(&chip);
    ts_session_free(&session);
    ts_params_free(&params);
    return code;
}
