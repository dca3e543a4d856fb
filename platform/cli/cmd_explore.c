// tensim explore: every interleaving of a small synchronisation program, or a schedule of one.
#include "platform/cli/results.h"
#include "platform/out/progress.h"
#include "platform/study/explore/explore.h"
#include "platform/study/pipe/prove.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Explore every interleaving of a small program: a proof that none deadlocks, "
    "or a shortest one that does, with who waits on what.\v"
    "Examples: config/explore/*.yaml, tests/gallery/*.yaml; the format: platform/load/README.md. A "
    "program of `tensim pipe` is explored, too: config/pipes/*. Exit codes: 0 proved, 1 the "
    "verdict differs from "
    "expect "
    "(with --check), 2 deadlock, 3 bad file, 4 a ring hazard is possible, 6 limit.";

enum {
    OPTION_JSON = 512,
    OPTION_REPLAY,
    OPTION_MAX,
    OPTION_ALL,
    OPTION_FULL,
    OPTION_LIST,
    OPTION_CHECK
};

static const struct argp_option options[] = {
    {"schedule", 's', "FILE", 0, "write the interleaving that deadlocks as YAML", 0},
    {"replay", OPTION_REPLAY, "FILE", 0, "execute a schedule step by step and show each state", 0},
    {"all", OPTION_ALL, NULL, 0, "continue after the first deadlock and count all of them", 0},
    {"exhaustive", OPTION_FULL, NULL, 0, "without partial-order reduction", 0},
    {"max-states", OPTION_MAX, "N", 0, "give up after N states, exit code 6 (5000000)", 0},
    {"check", OPTION_CHECK, NULL, 0, "exit 0 if the verdict is the one the file expects, else 1",
     0},
    {"list-steps", OPTION_LIST, NULL, 0, "print the steps of programs", 0},
    {"json", OPTION_JSON, "FILE", 0, "write the result as one JSON document; - is stdout", 0},
    {"quiet", 'q', NULL, 0, "no progress, no verdict", 0},
    {0},
};

struct arguments {
    struct ts_explore_options options;
    const char *program, *schedule, *replay, *json;
    bool quiet, list, check;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    int64_t number;
    switch (key) {
    case 's':
        self->schedule = arg;
        return 0;
    case OPTION_REPLAY:
        self->replay = arg;
        return 0;
    case OPTION_ALL:
        self->options.all = true;
        return 0;
    case OPTION_FULL:
        self->options.exhaustive = true;
        return 0;
    case OPTION_MAX:
        if (!ts_parse_int(arg, &number) || number < 1 || number > 1000000000)
            argp_error(state, "--max-states: '%s' is not a number from 1 to 1000000000", arg);
        self->options.max_states = (uint64_t)number;
        return 0;
    case OPTION_CHECK:
        self->check = true;
        return 0;
    case OPTION_LIST:
        self->list = true;
        return 0;
    case OPTION_JSON:
        self->json = arg;
        return 0;
    case 'q':
        self->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (self->program)
            argp_error(state, "one program at a time");
        self->program = arg;
        return 0;
    case ARGP_KEY_END:
        if (self->program == NULL && !self->list)
            argp_error(state, "name a program");
        if (self->replay && (self->schedule || self->json))
            argp_error(state, "--replay shows states; it writes no schedule and no JSON");
        return 0;
    case ARGP_KEY_SUCCESS:
        ts_demand_writable(self->json);
        ts_demand_writable(self->schedule);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int replay(const struct arguments *arguments, const struct ts_explore_program *program)
{
    struct ts_explore_state last;
    struct ts_error error = {0};
    enum ts_code code = ts_explore_replay(program, arguments->replay, stdout, &last, &error);
    if (error.code != TS_OK)
        return ts_complain_error(&error);
    if (code == TS_HANG)
        ts_explore_print_hang(program, &last, stdout);
    else
        puts(code == TS_OK ? "every thread has ended"
                           : "the schedule ends; threads can still move");
    return (int)code;
}

struct found {
    const struct arguments *arguments;
    const struct ts_explore_program *program;
    const struct ts_explore_result *result;
};

static void write_schedule(const void *what, FILE *file)
{
    const struct found *self = what;
    ts_explore_write_schedule(self->program, self->arguments->program, self->result, file);
}

static int write_json(const struct arguments *arguments, const struct ts_explore_program *program,
                      const struct ts_explore_result *result)
{
    json_t *document = ts_explore_json(program, result);
    int code = ts_output_json(arguments->json, document);
    json_decref(document);
    return code;
}

// The deadlock of a recording, in the run it was recorded from.
static void print_replay(const struct arguments *arguments,
                         const struct ts_explore_program *program,
                         const struct ts_explore_result *result)
{
    if (arguments->quiet || (arguments->json && strcmp(arguments->json, "-") == 0))
        return;
    char *holds = ts_explore_perturb(program, result);
    printf("replay in the run: tensim %s%s%s\n", program->command, holds ? " --perturb " : "",
           holds ? holds : "");
    free(holds);
}

static int explore(const struct arguments *arguments, const struct ts_explore_program *program)
{
    struct ts_explore_options how = arguments->options;
    how.progress = ts_progress_new("states", 0, arguments->quiet);
    ts_progress_watch(how.progress, NULL, NULL);
    struct ts_explore_result result = ts_explore_search(program, &how);
    ts_progress_free(how.progress);
    int code = (int)result.code, failed = TS_OK;
    if (!arguments->quiet && !(arguments->json && strcmp(arguments->json, "-") == 0))
        ts_explore_print(program, &result, stdout);
    if (code == TS_HANG && program->command[0])
        print_replay(arguments, program, &result);
    if (arguments->schedule && code == TS_HANG)
        failed = ts_output(arguments->schedule, write_schedule,
                           &(struct found){arguments, program, &result});
    if (arguments->json && failed == TS_OK)
        failed = write_json(arguments, program, &result);
    if (arguments->check && code != TS_LIMIT && failed == TS_OK) {
        const char *verdict = code == TS_OK ? "proved" : "deadlock";
        code = TS_OK;
        if (strcmp(verdict, program->expect) != 0)
            code = ts_complain(TS_DIFFERS, "%s: %s, but the file expects %s", arguments->program,
                               verdict, program->expect[0] ? program->expect : "nothing");
    }
    ts_explore_result_free(&result);
    return failed != TS_OK ? failed : code;
}

// A program of the TPUSH/TPOP machine: its interleavings by the order that it enforces.
static int explore_pipes(const struct arguments *arguments)
{
    struct ts_pipe_program program;
    struct ts_error error = {0};
    if (ts_pipe_load(&program, arguments->program, NULL, &error) != TS_OK)
        return ts_complain_error(&error);
    struct ts_pipe_proof *proof = ts_need(malloc(sizeof *proof), "the command");
    int code = TS_OK, written = TS_OK;
    if (ts_pipe_prove(&program, proof, &error) != TS_OK) {
        code = ts_complain_error(&error);
    } else {
        code = (int)proof->code;
        json_t *document = ts_pipe_proof_json(&program, proof);
        if (!arguments->quiet && !(arguments->json && strcmp(arguments->json, "-") == 0))
            ts_pipe_proof_print(&program, proof, stdout);
        written = ts_output_json(arguments->json, document);
        json_decref(document);
    }
    free(proof);
    ts_pipe_program_free(&program);
    return written != TS_OK ? written : code;
}

int ts_cmd_explore(int argc, char **argv);
int ts_cmd_explore(int argc, char **argv)
{
    static const struct argp argp = {options, parse, "PROGRAM", doc, NULL, NULL, NULL};
    struct arguments arguments = {.program = NULL};
    struct ts_error error = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (arguments.list) {
        ts_explore_list(stdout);
        return TS_OK;
    }
    if (ts_pipe_is_program(arguments.program)) {
        if (arguments.schedule || arguments.replay || arguments.check)
            return ts_complain(TS_USAGE,
                               "%s is a program of `tensim pipe`: it has no schedule and no "
                               "expected proof",
                               arguments.program);
        return explore_pipes(&arguments);
    }
    struct ts_explore_program *program = ts_need(calloc(1, sizeof *program), "the command");
    int code = TS_OK;
    if (!ts_explore_load(program, arguments.program, &error))
        code = ts_complain_error(&error);
    if (code == TS_OK && program->note[0])
        ts_complain(TS_OK, "%s: %s", arguments.program, program->note);
    if (code == TS_OK)
        code = arguments.replay ? replay(&arguments, program) : explore(&arguments, program);
    ts_explore_free(program);
    free(program);
    return code;
}
