// tensim run --explore: every interleaving of a small synchronisation program, or a schedule of one.
#include "platform/cli/run.h"
#include "platform/study/pipe/prove.h"

static int replay(const struct ts_ask *self, const struct ts_explore_program *program)
{
    struct ts_explore_state last;
    struct ts_error error = {0};
    enum ts_code code = ts_explore_replay(program, self->replay, stdout, &last, &error);
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
    const struct ts_ask *ask;
    const struct ts_explore_program *program;
    const struct ts_explore_result *result;
};

static void write_schedule(const void *what, FILE *file)
{
    const struct found *self = what;
    ts_explore_write_schedule(self->program, self->ask->file, self->result, file);
}

static int write_json(const struct ts_ask *self, const struct ts_explore_program *program,
                      const struct ts_explore_result *result)
{
    json_t *document = ts_explore_json(program, result);
    int code = ts_output_json(self->options.json, document);
    json_decref(document);
    return code;
}

// The deadlock of a recording, in the run it was recorded from.
static void print_replay(const struct ts_ask *self, const struct ts_explore_program *program,
                         const struct ts_explore_result *result)
{
    if (!ts_options_talk(&self->options))
        return;
    char *holds = ts_explore_perturb(program, result);
    printf("replay in the run: tensim %s%s%s\n", program->command, holds ? " --perturb " : "",
           holds ? holds : "");
    free(holds);
}

static int explore(const struct ts_ask *self, const struct ts_explore_program *program)
{
    struct ts_explore_options how = self->explored;
    how.progress = ts_progress_new("states", 0, self->options.quiet);
    ts_progress_watch(how.progress, NULL, NULL);
    struct ts_explore_result result = ts_explore_search(program, &how);
    ts_progress_free(how.progress);
    int code = (int)result.code, failed = TS_OK;
    if (ts_options_talk(&self->options))
        ts_explore_print(program, &result, stdout);
    if (code == TS_HANG && program->command[0])
        print_replay(self, program, &result);
    if (self->schedule && code == TS_HANG)
        failed = ts_output(self->schedule, write_schedule, &(struct found){self, program, &result});
    if (self->options.json && failed == TS_OK)
        failed = write_json(self, program, &result);
    if (self->expect && code != TS_LIMIT && failed == TS_OK) {
        const char *verdict = code == TS_OK ? "proved" : "deadlock";
        code = TS_OK;
        if (strcmp(verdict, program->expect) != 0)
            code = ts_complain(TS_DIFFERS, "%s: %s, but the file expects %s", self->file, verdict,
                               program->expect[0] ? program->expect : "nothing");
    }
    ts_explore_result_free(&result);
    return failed != TS_OK ? failed : code;
}

// A program of the TPUSH/TPOP machine: its interleavings by the order that it enforces.
int ts_run_prove(struct ts_ask *self)
{
    struct ts_pipe_program program;
    struct ts_error error = {0};
    if (self->schedule || self->replay || self->expect)
        return ts_complain(TS_USAGE,
                           "%s is a TPUSH/TPOP program: it has no schedule and no expected proof",
                           self->file);
    if (ts_pipe_load(&program, self->file, NULL, NULL, &error) != TS_OK)
        return ts_complain_error(&error);
    struct ts_pipe_proof *proof = ts_need(malloc(sizeof *proof), "the command");
    int code = TS_OK, written = TS_OK;
    if (ts_pipe_prove(&program, proof, &error) != TS_OK) {
        code = ts_complain_error(&error);
    } else {
        code = (int)proof->code;
        json_t *document = ts_pipe_proof_json(&program, proof);
        if (ts_options_talk(&self->options))
            ts_pipe_proof_print(&program, document, stdout);
        written = ts_output_json(self->options.json, document);
        json_decref(document);
    }
    free(proof);
    ts_pipe_program_free(&program);
    return written != TS_OK ? written : code;
}

int ts_run_explore(struct ts_ask *self)
{
    struct ts_error error = {0};
    struct ts_explore_program *program = ts_need(calloc(1, sizeof *program), "the command");
    int code = TS_OK;
    if (!ts_explore_load(program, self->file, NULL, &error))
        code = ts_complain_error(&error);
    if (code == TS_OK && program->note[0])
        ts_complain(TS_OK, "%s: %s", self->file, program->note);
    if (code == TS_OK)
        code = self->replay ? replay(self, program) : explore(self, program);
    ts_explore_free(program);
    free(program);
    return code;
}
