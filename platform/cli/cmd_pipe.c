// tensim pipe: runs a TPUSH/TPOP program on A2/A3 or A5 clusters, alone or in a sweep.
#include "platform/cli/cmd_pipe.h"
#include "platform/cli/session.h"
#include "platform/report/page.h"
#include "platform/study/pipe/path.h"
#include "platform/study/pipe/run.h"
#include "platform/study/pipe/tune.h"
#include "platform/study/pipe/write.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Run a TPUSH/TPOP program on A2/A3 or A5 clusters and judge it: data, deadlocks, overruns, "
    "leftovers.\v"
    "--set takes any key of the program: params.M=64, pipes.c2v.slots=5, tensors.a.seed=3, "
    "timing.flag=20, profile=a5, "
    "preset=fitted, variant=B, clusters=24, dispatches=80, sync=auto, strict=true, unsafe=true.\n"
    "--sweep KEY=LIST runs once for every value; a list is 1,2,4 or 1..8; several sweeps "
    "multiply.\n"
    "`tensim pipe tune PROGRAM` varies depth, tile size, split, ratio and placement and prints the "
    "best "
    "trades of cycles against memory.\n"
    "PROGRAM is YAML, PTO IR text (.pto) or C++ tile API (.cpp). Examples: config/pipes/*. Exit "
    "codes: 0 pass, 1 data differ, 2 deadlock, 3 refused, 4 "
    "hazard, 6 limit.";

enum { OPTION_SWEEP = 512, OPTION_NO_DATA, OPTION_LIST, OPTION_CONVERT };
enum { SWEEPS = 8, VALUES = 256 };
enum { TAPE_EVENTS = 200000 }; // kept for the page of a run

struct sweep {
    char key[64];
    char value[VALUES][24];
    size_t count;
};

struct arguments {
    struct ts_options options;
    const char *program;
    struct sweep sweep[SWEEPS];
    size_t sweeps;
    bool no_data, list;
    int convert; // -1: no
};

static const struct argp_option options[] = {
    {"sweep", OPTION_SWEEP, "KEY=LIST", 0, "run for every value of the list and print a table", 0},
    {"timing-only", OPTION_NO_DATA, NULL, 0, "time and protocol only, no data", 0},
    {"convert", OPTION_CONVERT, "FORM", 0,
     "print the program as yaml, pto (PTO IR text) or cpp (C++ tile API), and do not run it", 0},
    {"list-operations", OPTION_LIST, NULL, 0, "print the instructions of the program text", 0},
    {0},
};

static void parse_sweep(struct arguments *self, struct argp_state *state, const char *arg)
{
    const char *equals = strchr(arg, '=');
    if (equals == NULL || self->sweeps == SWEEPS ||
        (size_t)(equals - arg) >= sizeof self->sweep[0].key)
        argp_error(state, "--sweep: '%s' is not KEY=LIST", arg);
    struct sweep *sweep = &self->sweep[self->sweeps++];
    snprintf(sweep->key, sizeof sweep->key, "%.*s", (int)(equals - arg), arg);
    long long from, to;
    int end = 0;
    if (sscanf(equals + 1, "%lld..%lld%n", &from, &to, &end) == 2 && equals[1 + end] == 0) {
        for (; from <= to && sweep->count < VALUES; from++)
            snprintf(sweep->value[sweep->count++], sizeof sweep->value[0], "%lld", from);
    } else {
        for (const char *at = equals + 1; *at && sweep->count < VALUES;) {
            size_t length = strcspn(at, ",");
            snprintf(sweep->value[sweep->count++], sizeof sweep->value[0], "%.*s", (int)length, at);
            at += length + (at[length] == ',');
        }
    }
    if (sweep->count == 0)
        argp_error(state, "--sweep: '%s' has no values", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        return 0;
    case OPTION_SWEEP:
        parse_sweep(self, state, arg);
        return 0;
    case OPTION_NO_DATA:
        self->no_data = true;
        return 0;
    case OPTION_LIST:
        self->list = true;
        return 0;
    case OPTION_CONVERT:
        while (ts_pipe_form_names[++self->convert] &&
               strcmp(ts_pipe_form_names[self->convert], arg) != 0)
            continue;
        if (ts_pipe_form_names[self->convert] == NULL)
            argp_error(state, "--convert: '%s' is not yaml, pto or cpp", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (self->program)
            argp_error(state, "one program at a time");
        self->program = arg;
        return 0;
    case ARGP_KEY_END:
        if (self->program == NULL && !self->list)
            argp_error(state, "name a program");
        if (self->sweeps && (self->options.trace || self->options.stats_hash ||
                             self->options.max_cycles != TS_NEVER))
            argp_error(state, "--trace, --stats-hash and --max-cycles apply to one run; --sweep "
                              "makes many");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --set of the command line, then the sweep's choice; keys end in 0 instead of '='.
struct sets {
    struct ts_pipe_set set[TS_SETS_MAX + SWEEPS + 1];
    uint8_t used[TS_SETS_MAX + SWEEPS + 1];
    char text[TS_SETS_MAX][160];
    struct ts_pipe_sets sets;
};

static int read_sets(const struct arguments *arguments, struct sets *self)
{
    size_t count = 0;
    for (size_t i = 0; i < arguments->options.set_count; i++) {
        snprintf(self->text[i], sizeof self->text[i], "%s", arguments->options.sets[i]);
        char *equals = strchr(self->text[i], '=');
        if (equals == NULL)
            return ts_complain(TS_USAGE, "--set: '%s' is not KEY=VALUE", self->text[i]);
        *equals = 0;
        self->set[count++] = (struct ts_pipe_set){self->text[i], equals + 1};
    }
    if (arguments->no_data)
        self->set[count++] = (struct ts_pipe_set){"data", "false"};
    self->sets = (struct ts_pipe_sets){.set = self->set, .count = count, .used = self->used};
    return TS_OK;
}

static int check_used(const struct sets *self)
{
    for (size_t i = 0; i < self->sets.count; i++)
        if (!self->used[i] && strcmp(self->set[i].key, "data") != 0)
            return ts_complain(TS_SETUP, "--set: the program has no '%s'", self->set[i].key);
    return TS_OK;
}

// --- one run ---

static uint32_t clock_of(const struct ts_pipe_program *program)
{
    return program->machine.profile == TS_PROFILE_A5 ? 1650 : 1850;
}

static int refused(const struct arguments *arguments, struct ts_pipe_program *program, int argc,
                   char **argv)
{
    struct ts_pipe_run run = {0};
    struct ts_error error = {0};
    struct ts_results results;
    int code = ts_results_begin(&results, &arguments->options, &program->timing, argc, argv);
    if (code != TS_OK)
        return code;
    code = (int)ts_pipe_run_alone(&run, program, 1, &error);
    ts_pipe_refusal_print(&run, stderr);
    json_t *document = json_object();
    ts_pipe_report_json(&run, document);
    ts_results_json(&results, "pipe.json", document);
    int written = ts_output_json(arguments->options.json, document);
    json_decref(document);
    ts_pipe_run_free_alone(&run);
    return ts_results_end(&results, written != TS_OK ? written : code);
}

// The critical path, and the page of a run directory.
static void write_picture(struct ts_session *session, const struct ts_pipe_run *run,
                          const struct ts_tape *tape)
{
    struct ts_pipe_path path;
    if (session->options->out == NULL)
        return;
    ts_pipe_path_find(&path, run, tape);
    json_object_set_new(session->document, "path", ts_pipe_path_json(&path, tape));
    char *command = ts_page_command(session->argc, session->argv);
    ts_results_write(&session->results, "pipe.html", ts_pipe_page,
                     &(struct ts_pipe_picture){run, tape, &path, session->clock_mhz, command});
    free(command);
    ts_pipe_path_free(&path);
}

static int run_session(const struct arguments *arguments, struct ts_pipe_program *program, int argc,
                       char **argv)
{
    struct ts_error error = {0};
    struct ts_session session = {
        .options = &arguments->options,
        .params = &program->timing,
        .kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = arguments->options.threads}),
        .clock_mhz = clock_of(program),
        .explains = true,
        .argc = argc,
        .argv = argv,
    };
    struct ts_tape tape = {.most = TAPE_EVENTS};
    struct ts_pipe_run run = {.tape = arguments->options.out ? &tape : NULL};
    int code = (int)ts_pipe_run_begin(&run, program, session.kernel, &error);
    if (code != TS_OK)
        ts_complain_error(&error);
    else
        code = ts_session_begin(&session);
    if (code == TS_OK) {
        ts_session_run(&session, program->limit);
        code = ts_session_end(&session);
        int verdict = (int)ts_pipe_run_end(&run, &session.run, &error);
        if (error.code != TS_OK)
            code = ts_complain_error(&error);
        else if (code == TS_OK)
            code = verdict;
        if (run.verdict == TS_PIPE_DEADLOCK)
            ts_pipe_explain(&run, stderr);
        ts_pipe_report_json(&run, session.document);
        ts_pipe_report_stats(&run, session.stats);
        write_picture(&session, &run, &tape);
        // Rings, pipes, findings.
        ts_results_json(&session.results, "pipe.json", session.document);
        if (ts_options_talk(&arguments->options))
            ts_pipe_report_print(&run, stdout);
        code = ts_session_write(&session, code);
    }
    ts_pipe_run_free(&run);
    free(tape.event);
    ts_session_free(&session);
    return code;
}

// --- a sweep ---

struct point {
    const struct arguments *arguments;
    const size_t *choice; // of each sweep's values
    const struct ts_pipe_run *run;
};

static void write_heading(const struct arguments *arguments, FILE *file)
{
    for (size_t i = 0; i < arguments->sweeps; i++)
        fprintf(file, "%s,", arguments->sweep[i].key);
    fputs("verdict,cycles,findings\n", file);
}

static void write_row(const struct point *self, FILE *file)
{
    for (size_t i = 0; i < self->arguments->sweeps; i++)
        fprintf(file, "%s,", self->arguments->sweep[i].value[self->choice[i]]);
    fprintf(file, "%s,%llu,", ts_pipe_verdict_name(self->run->verdict),
            (unsigned long long)self->run->run.cycle);
    for (int id = 0, first = 1; id < TS_FINDING_COUNT; id++)
        if (self->run->findings.seen[id]) {
            fprintf(file, "%s%s", first ? "" : " ", ts_finding_code((enum ts_finding_id)id));
            first = 0;
        }
    fputc('\n', file);
}

static json_t *row_json(const struct point *self)
{
    json_t *row = json_object(), *of = json_object();
    for (size_t i = 0; i < self->arguments->sweeps; i++)
        json_object_set_new(of, self->arguments->sweep[i].key,
                            json_string(self->arguments->sweep[i].value[self->choice[i]]));
    json_object_set_new(row, "set", of);
    ts_pipe_report_json(self->run, row);
    return row;
}

// One run for each combination of values.
struct table {
    struct ts_progress *progress;
    FILE *csv;
    json_t *rows;
    struct ts_tune plots; // the same for the page
};

// The sweep as axes of a page, as far as they fit.
static void begin_plots(const struct arguments *arguments, struct ts_tune *plots, size_t points)
{
    plots->points = calloc(points + 1, sizeof *plots->points);
    if (plots->points == NULL)
        abort();
    plots->count = plots->own = points;
    plots->program = arguments->program;
    for (size_t i = 0; i < arguments->sweeps; i++) {
        const struct sweep *sweep = &arguments->sweep[i];
        struct ts_pipe_axis *axis = &plots->axes[plots->axis_count++];
        snprintf(axis->key, sizeof axis->key, "%s", sweep->key);
        for (size_t k = 0; k < sweep->count && k < TS_PIPE_VALUES; k++)
            snprintf(axis->value[axis->count++], sizeof axis->value[0], "%s", sweep->value[k]);
    }
}

static void add_plot(struct table *table, size_t number, const struct ts_pipe_program *program,
                     const struct ts_pipe_run *run)
{
    struct ts_tune *plots = &table->plots;
    struct ts_pipe_memory memory = ts_pipe_memory(program);
    plots->points[number] = (struct ts_tune_point){.done = true,
                                                   .verdict = run->verdict,
                                                   .cycles = run->run.cycle,
                                                   .memory = ts_pipe_memory_total(&memory),
                                                   .chip = ts_pipe_memory_chip(&memory)};
    snprintf(plots->name, sizeof plots->name, "%s", program->name);
    snprintf(plots->profile, sizeof plots->profile, "%s",
             ts_profile_name(program->machine.profile));
    snprintf(plots->preset, sizeof plots->preset, "%s", program->preset);
}

static int run_point(const struct arguments *arguments, struct sets *sets, const size_t *choice,
                     struct table *table)
{
    struct ts_pipe_program program;
    struct ts_pipe_run run = {0};
    struct ts_error error = {0};
    int code;
    for (size_t i = 0; i < arguments->sweeps; i++)
        sets->set[sets->sets.count++] = (struct ts_pipe_set){arguments->sweep[i].key,
                                                             arguments->sweep[i].value[choice[i]]};
    if (ts_pipe_load(&program, arguments->program, &sets->sets, &error) != TS_OK ||
        (ts_pipe_run_alone(&run, &program, arguments->options.threads, &error),
         error.code != TS_OK)) {
        code = ts_complain_error(&error);
    } else {
        struct point point = {arguments, choice, &run};
        code = check_used(sets);
        add_plot(table, json_array_size(table->rows), &program, &run);
        json_array_append_new(table->rows, row_json(&point));
        write_row(&point, table->csv);
        ts_progress_hide(table->progress);
        if (ts_options_talk(&arguments->options))
            write_row(&point, stdout);
        fflush(stdout);
        ts_progress_show(table->progress);
    }
    ts_pipe_run_free_alone(&run);
    ts_pipe_program_free(&program);
    ts_progress_add(table->progress, 1);
    return code;
}

static void write_text(const void *text, FILE *file)
{
    fputs(text, file);
}

static int run_sweep(const struct arguments *arguments, struct sets *sets, int argc, char **argv)
{
    struct ts_results results;
    int code = ts_results_begin(&results, &arguments->options, NULL, argc, argv);
    if (code != TS_OK)
        return code;
    size_t fixed = sets->sets.count, choice[SWEEPS] = {0}, length = 0;
    double points = 1;
    for (size_t i = 0; i < arguments->sweeps; i++)
        points *= (double)arguments->sweep[i].count;
    char *text = NULL;
    struct table table = {.rows = json_array(),
                          .csv = open_memstream(&text, &length),
                          .progress = ts_progress_new("runs", points, arguments->options.quiet)};
    if (table.csv == NULL)
        abort();
    begin_plots(arguments, &table.plots, (size_t)points);
    write_heading(arguments, table.csv);
    if (ts_options_talk(&arguments->options))
        write_heading(arguments, stdout);
    ts_progress_watch(table.progress, NULL, NULL);
    for (bool more = true; more && code == TS_OK;) {
        sets->sets.count = fixed;
        code = run_point(arguments, sets, choice, &table);
        size_t i = arguments->sweeps;
        while (i && ++choice[i - 1] == arguments->sweep[i - 1].count)
            choice[--i] = 0;
        more = i > 0;
    }
    ts_progress_free(table.progress);
    fclose(table.csv);
    json_t *document = json_pack("{s:s, s:i, s:o}", "schema", "tensim.pipe.sweep", "version", 1,
                                 "rows", table.rows);
    ts_results_json(&results, "result.json", document);
    ts_results_write(&results, "result.csv", write_text, text);
    bool fits = true; // on a page
    for (size_t i = 0; i < arguments->sweeps; i++)
        fits &= arguments->sweep[i].count <= TS_PIPE_VALUES;
    if (fits) {
        char *command = ts_page_command(results.argc, results.argv);
        ts_tune_front(&table.plots);
        table.plots.command = command;
        ts_results_write(&results, "pipe.html", ts_tune_page, &table.plots);
        free(command);
    }
    ts_tune_free(&table.plots);
    int written = ts_output_json(arguments->options.json, document);
    json_decref(document);
    free(text);
    if (code != TS_OK) // a part of a table is none
        return ts_results_drop(&results, code);
    return ts_results_end(&results, written);
}

static void list_operations(void)
{
    for (int op = 0; op < TS_OP_STOP; op++)
        printf("%-16s %s\n", ts_op_name((enum ts_op)op), ts_op_text((enum ts_op)op));
}

int ts_cmd_pipe(int argc, char **argv);
int ts_cmd_pipe(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "tune") == 0)
        return ts_cmd_pipe_tune(argc - 1, argv + 1);
    static struct arguments zero;
    struct arguments *arguments = malloc(sizeof *arguments);
    struct sets *sets = calloc(1, sizeof *sets);
    if (arguments == NULL || sets == NULL)
        abort();
    *arguments = zero;
    arguments->convert = -1;
    ts_options_init(&arguments->options);
    struct ts_options_argp common;
    const struct argp_child children[] = {
        {ts_options_only(&common, &arguments->options,
                         "set threads max-cycles no-hang-check out trace json stats-hash quiet"),
         0, NULL, 0},
        {0}};
    const struct argp argp = {options, parse, "PROGRAM", doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, arguments);
    int code = read_sets(arguments, sets);
    if (code == TS_OK && arguments->list) {
        list_operations();
    } else if (code == TS_OK && arguments->sweeps) {
        code = run_sweep(arguments, sets, argc, argv);
    } else if (code == TS_OK) {
        struct ts_pipe_program program;
        struct ts_error error = {0};
        if (ts_pipe_load(&program, arguments->program, &sets->sets, &error) != TS_OK)
            code = ts_complain_error(&error);
        else if ((code = check_used(sets)) == TS_OK && arguments->convert >= 0)
            ts_pipe_write(&program, (enum ts_pipe_form)arguments->convert, stdout);
        else if (code == TS_OK)
            code = ts_pipe_refused(&program) ? refused(arguments, &program, argc, argv)
                                             : run_session(arguments, &program, argc, argv);
        ts_pipe_program_free(&program);
    }
    free(sets);
    free(arguments);
    return code;
}
