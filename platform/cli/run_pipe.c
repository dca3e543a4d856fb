// tensim run of a TPUSH/TPOP program on A2/A3 or A5 clusters: data, deadlocks, overruns, leftovers.
#include "platform/cli/run.h"
#include "platform/study/pipe/path.h"

enum { TAPE_EVENTS = 200000 }; // kept for the page of a run

static uint32_t clock_of(const struct ts_pipe_program *program)
{
    return program->machine.profile == TS_PROFILE_A5 ? 1650 : 1850;
}

static int refused(const struct ts_ask *self, struct ts_pipe_program *program)
{
    struct ts_pipe_run run = {0};
    struct ts_error error = {0};
    struct ts_results results;
    int code = ts_results_begin(&results, &self->options, &program->timing, self->argc, self->argv);
    if (code != TS_OK)
        return code;
    code = (int)ts_pipe_run_alone(&run, program, 1, &error);
    ts_pipe_refusal_print(&run, stderr);
    json_t *document = json_object();
    ts_pipe_report_json(&run, document);
    ts_results_json(&results, "pipe.json", document);
    int written = ts_output_json(self->options.json, document);
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

static int run_session(const struct ts_ask *self, struct ts_pipe_program *program)
{
    struct ts_error error = {0};
    struct ts_session session = {
        .options = &self->options,
        .params = &program->timing,
        .kernel = ts_kernel_new(
            &(struct ts_kernel_config){.threads = self->options.threads, .hosting = ts_hosting()}),
        .clock_mhz = clock_of(program),
        .explains = true,
        .argc = self->argc,
        .argv = self->argv,
    };
    struct ts_tape tape = {.most = TAPE_EVENTS};
    struct ts_pipe_run run = {.tape = self->options.out ? &tape : NULL};
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
        if (ts_options_talk(&self->options))
            ts_pipe_report_print(&run, stdout);
        code = ts_session_write(&session, code);
    }
    ts_pipe_run_free(&run);
    free(tape.event);
    ts_session_free(&session);
    return code;
}

void ts_pipe_list(void)
{
    for (int op = 0; op < TS_OP_STOP; op++)
        printf("%-16s %s\n", ts_ops[op].name, ts_ops[op].text);
}

int ts_run_pipe(struct ts_ask *self)
{
    struct ts_pipe_program program;
    const char *texts[TS_SETS_MAX + TS_ASK_PARAMS + 1];
    size_t count = 0;
    for (size_t i = 0; i < self->options.set_count; i++)
        texts[count++] = self->options.sets[i];
    for (size_t i = 0; i < self->param_count; i++)
        texts[count++] = self->params[i];
    if (self->timing_only)
        texts[count++] = "data=false";
    struct ts_error error = {0};
    int code = ts_pipe_load_set(&program, self->file, texts, count, &error) != TS_OK
                   ? ts_complain_error(&error)
               : ts_pipe_refused(&program) ? refused(self, &program)
                                           : run_session(self, &program);
    ts_pipe_program_free(&program);
    return code;
}
