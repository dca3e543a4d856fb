// A program file, from compiling to the exit code (program_run.h).
#include "platform/cli/run.h"

#include "platform/cli/recording.h"
#include "platform/cluster/cluster.h"
#include "platform/lib/inside.h"
#include "platform/run/plan/llk.h"

#define PROGRAM_LIMIT UINT64_C(2000000000)

// The program once more, under all checks: what they find, next to the first wrong element and who wrote it.
static json_t *recheck(void *context)
{
    const struct ts_ask *self = context;
    struct ts_options options = self->options;
    struct tensim_config config = self->config;
    struct tensim_error error;
    options.check = config.check = TS_CHECK_EVERYTHING;
    options.out = options.json = NULL;
    options.trace_formats = 0;
    config.print = !(self->dprint && strcmp(self->dprint, "off") == 0);
    config.output = NULL;
    struct ts_session session = {.options = &options,
                                 .embedded = true,
                                 .again = true,
                                 .limit = options.max_cycles == TS_NEVER ? PROGRAM_LIMIT : 0};
    json_t *found = NULL;
    uint64_t at;
    session.sim = tensim_new_program(self->file, self->params, self->param_count, &config, &error);
    if (session.sim && ts_session_begin(&session) == TS_OK) {
        ts_session_run_sim(&session, NULL, &at);
        ts_work_differs(&session);
        ts_session_end(&session);
        found = json_incref(json_object_get(session.document, "checks"));
    }
    ts_session_free(&session);
    return found;
}

// Several ranks: the first one compiles, so that the others find the same images.
static int begin_ranks(const struct ts_ask *self, const struct tensim_config *config)
{
    struct tensim_error error;
    const char *option = self->record            ? "record"
                         : self->near            ? "search=near"
                         : self->why.asked       ? "why"
                         : self->why.remedies    ? "why=remedies"
                         : self->why.by_line     ? "lines"
                         : self->options.gdb     ? "gdb"
                         : self->options.live.on ? "live"
                         : self->dprint          ? "dprint"
                                                 : NULL;
    int code = TS_OK;
    if (ts_cluster_ranks() == 1)
        return TS_OK;
    if (option)
        return ts_complain(TS_USAGE, "--%s: not with several ranks", option);
    if (ts_cluster_first()) {
        struct tensim *sim = tensim_new_program(self->file, self->params, self->param_count, config,
                                                &error);
        code = sim ? TS_OK : ts_complain_tensim(&error);
        tensim_free(sim);
    }
    return ts_cluster_agree(code);
}

static int run(const struct ts_ask *self, struct ts_session *session)
{
    struct tensim_config config = self->config;
    struct tensim_error error;
    bool off = self->dprint && strcmp(self->dprint, "off") == 0;
    config.print = !off;
    config.output = stderr;
    config.lines = session->by_line = self->why.by_line;
    session->lines = self->why.lines;
    ts_following_config(&config, self->record, self->near);
    session->limit = self->options.max_cycles == TS_NEVER ? PROGRAM_LIMIT : 0;
    session->record = self->record;
    session->near = self->near;
    int allowed = begin_ranks(self, &config);
    if (allowed != TS_OK)
        return allowed;
    ts_cluster_model(true);
    session->sim = tensim_new_program(self->file, self->params, self->param_count, &config, &error);
    ts_cluster_model(false);
    if (session->sim && !ts_ranks_fit(session->sim))
        return TS_USAGE;
    if (session->sim == NULL && self->options.problems)
        ts_problems_message(error.text, stderr);
    if (session->sim == NULL)
        return ts_complain_tensim(&error);
    const struct ts_plan *plan = session->sim->work->plan;
    char warning[300];
    if (plan->llk.on && !self->options.quiet && ts_llk_warning(plan, warning, sizeof warning))
        ts_complain(TS_OK, "warning: %s", warning);
    struct ts_error failure = {0};
    struct ts_file *file = self->dprint && !off ? ts_file_open(self->dprint, &failure) : NULL;
    if (failure.code != TS_OK)
        return ts_complain_error(&failure);
    session->printed = file ? ts_file_stream(file) : stderr;
    struct ts_why why = self->why;
    why.path = self->file;
    why.options = self->params;
    why.option_count = self->param_count;
    why.config = config;
    why.config.lines = false;
    session->why = why.asked || why.remedies ? &why : NULL;
    if (!self->options.once && ts_cluster_ranks() == 1 && !self->options.check &&
        !self->options.quiet && !config.timing_only) {
        session->recheck = recheck;
        session->recheck_context = (void *)self;
    }
    int code = ts_work_session(session);
    return file == NULL || ts_file_close(file, &failure) ? code : ts_complain_error(&failure);
}

int ts_run_program(struct ts_ask *self)
{
    struct ts_session session = {.options = &self->options, .argc = self->argc, .argv = self->argv};
    int code = run(self, &session);
    ts_session_free(&session);
    return code;
}
