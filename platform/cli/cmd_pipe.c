// tensim pipe: runs a TPUSH/TPOP program on A2/A3 or A5 clusters, alone or in a sweep.
#include "platform/cli/cmd_pipe.h"
#include "platform/cli/session.h"
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
enum { TAPE_EVENTS = 200000 }; // kept for the page of a run

static const struct argp_option options[] = {
    {"sweep", OPTION_SWEEP, "KEY=LIST", 0, "run for every value of the list and print a table", 0},
    {"timing-only", OPTION_NO_DATA, NULL, 0, "time and protocol only, no data", 0},
    {"convert", OPTION_CONVERT, "FORM", 0,
     "print the program as yaml, pto (PTO IR text) or cpp (C++ tile API), and do not run it", 0},
    {"list-operations", OPTION_LIST, NULL, 0, "print the instructions of the program text", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_pipe_arguments *self = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        state->child_inputs[1] = &self->crew;
        return 0;
    case OPTION_SWEEP:
        ts_pipe_parse_sweep(self, state, arg);
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
        if ((self->crew.shards || self->crew.timeout > 0) && self->sweeps == 0)
            argp_error(state, "--shard and --timeout are of the many runs of --sweep: give it too");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --- one run ---

static uint32_t clock_of(const struct ts_pipe_program *program)
{
    return program->machine.profile == TS_PROFILE_A5 ? 1650 : 1850;
}

static int refused(const struct ts_pipe_arguments *arguments, struct ts_pipe_program *program,
                   int argc, char **argv)
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

// The critical path, pipe.json and its page.
static void write_picture(struct ts_session *session, const struct ts_pipe_run *run,
                          const struct ts_tape *tape)
{
    struct ts_pipe_path path;
    if (session->options->out == NULL)
        return;
    ts_pipe_path_find(&path, run, tape);
    json_object_set_new(session->document, "path", ts_pipe_path_json(&path, tape));
    json_t *drawing = ts_pipe_drawing(run, tape, &path, session->clock_mhz);
    ts_results_page(&session->results, session->document, drawing);
    json_decref(drawing);
    ts_pipe_path_free(&path);
}

static int run_session(const struct ts_pipe_arguments *arguments, struct ts_pipe_program *program,
                       int argc, char **argv)
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
        if (run.verdict == TS_PIPE_DEADLOCK && session.hang)
            json_object_set_new(session.hang, "cause", ts_pipe_cause(&run));
        ts_pipe_report_json(&run, session.document);
        if (session.stats)
            ts_pipe_report_stats(&run, session.stats);
        write_picture(&session, &run, &tape);
        if (ts_options_talk(&arguments->options))
            ts_pipe_report_print(&run, stdout);
        code = ts_session_write(&session, code);
    }
    ts_pipe_run_free(&run);
    free(tape.event);
    ts_session_free(&session);
    return code;
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
    static struct ts_pipe_arguments zero;
    struct ts_pipe_arguments *arguments = malloc(sizeof *arguments);
    struct ts_pipe_given *sets = calloc(1, sizeof *sets);
    if (arguments == NULL || sets == NULL)
        ts_out_of_memory("the command");
    *arguments = zero;
    arguments->convert = -1;
    ts_options_init(&arguments->options);
    struct ts_options_argp common;
    const struct argp_child children[] = {
        {ts_options_only(
             &common, &arguments->options,
             "set threads max-cycles no-hang-check checkpoint out trace json stats-hash quiet"),
         0, NULL, 0},
        {&ts_crew_argp, 0, NULL, 0},
        {0}};
    const struct argp argp = {options, parse, "PROGRAM", doc, children, NULL, NULL};
    ts_crew_hush();
    argp_parse(&argp, argc, argv, 0, NULL, arguments);
    int code = arguments->sweeps ? TS_OK : ts_crew_refuse_ranks("pipe without --sweep");
    code = code ? code : ts_pipe_read_sets(arguments, sets);
    if (code == TS_OK && arguments->list) {
        list_operations();
    } else if (code == TS_OK && arguments->sweeps) {
        code = ts_pipe_sweep(arguments, sets, argc, argv);
    } else if (code == TS_OK) {
        struct ts_pipe_program program;
        struct ts_error error = {0};
        if (ts_pipe_load(&program, arguments->program, &sets->sets, &error) != TS_OK)
            code = ts_complain_error(&error);
        else if ((code = ts_pipe_check_used(sets)) == TS_OK && arguments->convert >= 0)
            ts_pipe_write(&program, (enum ts_pipe_form)arguments->convert, stdout);
        else if (code == TS_OK)
            code = ts_pipe_refused(&program) ? refused(arguments, &program, argc, argv)
                                             : run_session(arguments, &program, argc, argv);
        ts_pipe_program_free(&program);
    }
    free(arguments->crew.merge);
    free(sets);
    free(arguments);
    return code;
}
