// Commands that run one built-in kernel: options, session, verdict.
#include "platform/cli/job_options.h"

#include "platform/cli/program_run.h"
#include "platform/cli/recording.h"
#include "platform/cli/work_session.h"
#include "platform/run/verdict.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL_LIMIT UINT64_C(2000000000)

// argp's keys of options without a letter.
enum { KEY_RECORD = 900, KEY_NEAR, KEY_FIRST = 1000 };

// The options of one kernel, made from the table; those of other kernels are hidden and refused.
struct job_argp {
    struct argp_option rows[TS_JOB_OPTIONS + TS_GROUP_RUN + 3];
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
    *row++ = (struct argp_option){
        .name = "record",
        .key = KEY_RECORD,
        .arg = "FILE",
        .doc = "write the synchronisation operations of the first tile as a program for `tensim "
               "explore'",
        .group = TS_OPTIONS_RUN};
    *row++ = (struct argp_option){.name = "near",
                                  .key = KEY_NEAR,
                                  .arg = "FILE",
                                  .doc = TS_NEAR_HELP,
                                  .group = TS_OPTIONS_RUN};
    *row = (struct argp_option){0};
}

// Keeps an option for the library. False: there is no room.
static bool add_setting(struct ts_job_options *self, const char *name, const char *value)
{
    if (self->setting_count == TS_KERNEL_SETTINGS)
        return false;
    char **to = &self->settings[self->setting_count];
    if (asprintf(to, value ? "%s=%s" : "%s", name, value) < 0)
        return false;
    self->setting_count++;
    return true;
}

// The options for the built-in kernel. False: text says what is wrong.
static bool check_kernel(struct ts_job_options *self, char *text, size_t size)
{
    for (size_t i = 0; i < self->given_count; i++) {
        enum ts_job_option_id id = self->given[i].id;
        if (!ts_spec_option(&self->spec, id, self->given[i].value, text, size))
            return false;
        snprintf(text, size, "more than %d options", TS_KERNEL_SETTINGS);
        if (!add_setting(self, ts_job_options[id].name, self->given[i].value))
            return false;
    }
    self->spec.unchecked = self->options.unchecked;
    return ts_spec_check(&self->spec, text, size);
}

// The same for its program file. Options of any run, which set no parameter, are kept in the spec.
static bool check_front(struct ts_job_options *self, char *text, size_t size)
{
    const char *cores = NULL;
    const struct ts_job_kind *kind = ts_job_kind_find(self->spec.program);
    for (size_t i = 0; i < self->given_count; i++)
        if (self->given[i].id == TS_OPTION_CORES)
            cores = self->given[i].value;
    bool good = ts_front_begin(&self->front, self->spec.program, cores, text, size);
    if (good && self->setting_count > 0) // of the environment
        good = ts_front_option(&self->front, TS_OPTION_THROTTLE, strchr(self->settings[0], '=') + 1,
                               text, size);
    for (size_t i = 0; good && i < self->given_count; i++) {
        enum ts_job_option_id id = self->given[i].id;
        const char *value = self->given[i].value;
        good = ts_job_options[id].front && ts_option_applies(id, kind)
                   ? ts_front_option(&self->front, id, value, text, size)
                   : ts_spec_option(&self->spec, id, value, text, size);
    }
    return good;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_job_options *self = state->input;
    char text[512];
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = &self->options;
        state->child_inputs[1] = &self->why;
        return 0;
    }
    if (key == KEY_RECORD || key == KEY_NEAR) {
        *(key == KEY_NEAR ? &self->near : &self->record) = arg;
        return 0;
    }
    if (key == ARGP_KEY_SUCCESS) {
        ts_demand_writable(self->record);
        ts_demand_writable(self->near);
        return 0;
    }
    if (key == ARGP_KEY_ARG)
        argp_error(state, "no argument expected: '%s'", arg);
    if (key == ARGP_KEY_END) {
        if (!(self->is_front ? check_front : check_kernel)(self, text, sizeof text))
            argp_error(state, "%s", text);
        return 0;
    }
    for (unsigned id = 0; id < TS_JOB_OPTIONS; id++) {
        int own = ts_job_options[id].key ? ts_job_options[id].key : KEY_FIRST + (int)id;
        if (own != key)
            continue;
        if (self->given_count == TS_KERNEL_SETTINGS)
            argp_failure(state, TS_SETUP, 0, "more than %d options", TS_KERNEL_SETTINGS);
        self->given[self->given_count].id = id;
        self->given[self->given_count++].value = arg;
        self->is_front |= ts_front_asks(id);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

// TT_MM_THROTTLE_PERF sets the level of matmuls, as it does for the vendor's library; the option
// wins.
static bool environment(struct ts_job_options *self, char *text, size_t size)
{
    const char *level = getenv("TT_MM_THROTTLE_PERF");
    if (level == NULL || level[0] == '\0' ||
        !ts_option_applies(TS_OPTION_THROTTLE, ts_job_kind_find(self->spec.program)))
        return true;
    if (ts_spec_option(&self->spec, TS_OPTION_THROTTLE, level, text, size))
        return add_setting(self, "throttle", level);
    snprintf(text, size, "TT_MM_THROTTLE_PERF: '%s' is not a level from 0 to 5", level);
    return false;
}

static int run_front(struct ts_job_options *self, int argc, char **argv)
{
    struct ts_program_run run = {.options = &self->options,
                                 .path = self->front.path,
                                 .params = (const char *const *)self->front.params,
                                 .param_count = self->front.param_count,
                                 .record = self->record,
                                 .near = self->near,
                                 .why = &self->why,
                                 .argc = argc,
                                 .argv = argv};
    ts_options_config(&self->options, &run.config);
    run.config.timing_only = self->spec.timing_only;
    run.config.step_by_step |= self->spec.step_by_step;
    run.config.strict = self->spec.strict;
    for (size_t i = 0; i < self->given_count; i++)
        if (self->given[i].id == TS_OPTION_LINT)
            run.config.lints = self->given[i].value;
    run.config.perturb_seed = self->spec.perturb_seed;
    run.config.perturb_max = self->spec.perturb_max;
    run.config.perturb_holds = self->spec.perturb_holds;
    int code = ts_program_run(&run);
    ts_front_end(&self->front);
    for (size_t i = 0; i < self->setting_count; i++)
        free(self->settings[i]);
    return code;
}

int ts_job_command(const char *program, const char *doc, int argc, char **argv)
{
    struct ts_job_options self;
    memset(&self, 0, sizeof self);
    ts_options_init(&self.options);
    ts_job_spec_default(&self.spec, program);
    char text[512] = "out of memory";
    if (!environment(&self, text, sizeof text))
        return ts_complain(TS_USAGE, "%s", text);
    const struct argp_child children[] = {
        {&ts_options_argp, 0, NULL, 0}, {&ts_why_argp, 0, NULL, 0}, {0}};
    static struct job_argp own; // large; the CLI is one thread
    make_options(&own, ts_job_kind_find(program));
    const struct argp argp = {own.rows, parse, NULL, doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    if (self.is_front)
        return run_front(&self, argc, argv);
    const char *warning = ts_spec_warning(&self.spec);
    if (warning && !self.options.quiet)
        ts_complain(TS_OK, "warning: %s", warning);
    struct tensim_config config;
    struct tensim_error error;
    ts_options_config(&self.options, &config);
    config.lines = self.why.by_line;
    ts_following_config(&config, self.record, self.near);
    struct ts_session session = {.options = &self.options,
                                 .argc = argc,
                                 .argv = argv,
                                 .record = self.record,
                                 .near = self.near,
                                 .by_line = self.why.by_line,
                                 .lines = self.why.lines};
    if (self.options.max_cycles > KERNEL_LIMIT)
        session.limit = KERNEL_LIMIT;
    session.sim = tensim_new_kernel(program, (const char *const *)self.settings, self.setting_count,
                                    &config, &error);
    self.why.program = program;
    self.why.options = (const char *const *)self.settings;
    self.why.option_count = self.setting_count;
    self.why.spec = &self.spec;
    self.why.config = config;
    self.why.config.lines = false;
    session.why = self.why.asked ? &self.why : NULL;
    int code = session.sim ? ts_work_session(&session) : ts_complain_tensim(&error);
    ts_session_free(&session);
    for (size_t i = 0; i < self.setting_count; i++)
        free(self.settings[i]);
    return code;
}
