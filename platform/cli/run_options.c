// The options of `tensim run`, in one table for every kind of file (run.h).
#include "platform/base/number.h"
#include "platform/cli/run.h"
#include "platform/run/plan/plan.h"

// --- values of options ---

static uint32_t number(struct argp_state *state, const char *text, const char *what, uint32_t high)
{
    char *end;
    unsigned long value = strtoul(text, &end, ts_number_base(text));
    if (end == text || value > UINT32_MAX)
        argp_error(state, "'%s' is not a number", text);
    if (*end || value == 0 || value > high)
        argp_error(state, "%s%s: not %s", what, text,
                   high == UINT32_MAX ? "a number of seeds" : "1 to 1048576");
    return (uint32_t)value;
}

// A copy, in the place of another one.
static char *kept(char *before, const char *text)
{
    free(before);
    return ts_need(strdup(text), "the command");
}

// SEEDS,most:CYCLES,random; near:FILE
static void parse_search(void *input, char *text, struct argp_state *state)
{
    struct ts_ask *self = input;
    char *own = ts_need(strdup(text), "the command"); // argv stays as it is: documents have it
    for (char *rest = own, *part; (part = strsep(&rest, ",")) != NULL;) {
        if (strcmp(part, "random") == 0)
            self->random = true;
        else if (strncmp(part, "near:", 5) == 0)
            self->near = kept(self->near, part + 5);
        else if (strncmp(part, "most:", 5) == 0)
            self->most = number(state, part + 5, "--most ", 1u << 20);
        else
            self->search = number(state, part, "--search ", UINT32_MAX);
    }
    free(own);
}

static void parse_explore(void *input, char *text, struct argp_state *state)
{
    struct ts_ask *self = input;
    int64_t states;
    char *own = text ? ts_need(strdup(text), "the command") : NULL;
    self->explore = true;
    for (char *rest = own, *part; own && (part = strsep(&rest, ",")) != NULL;) {
        if (strcmp(part, "all") == 0)
            self->explored.all = true;
        else if (strcmp(part, "exhaustive") == 0)
            self->explored.exhaustive = true;
        else if (strcmp(part, "expect") == 0)
            self->expect = true;
        else if (strncmp(part, "replay:", 7) == 0)
            self->replay = kept(self->replay, part + 7);
        else if (strncmp(part, "schedule:", 9) == 0)
            self->schedule = kept(self->schedule, part + 9);
        else if (strncmp(part, "states:", 7) != 0)
            argp_error(state,
                       "--explore: '%s' is none of all, exhaustive, expect, states:N, "
                       "replay:FILE, schedule:FILE",
                       part);
        else if (!ts_parse_int(part + 7, &states) || states < 1 || states > 1000000000)
            argp_error(state, "--max-states: '%s' is not a number from 1 to 1000000000", part + 7);
        else
            self->explored.max_states = (uint64_t)states;
    }
    free(own);
}

// FILE,operations:N
static void parse_record(void *input, char *text, struct argp_state *state)
{
    struct ts_ask *self = input;
    const char *more = strstr(text, ",operations:");
    char *end = NULL;
    if (text[0] && text != more)
        self->record = kept(self->record, text);
    if (more == NULL)
        return;
    if (text != more)
        self->record[more - text] = '\0';
    more += strlen(",operations:");
    self->record_ops = (uint32_t)strtoul(more, &end, ts_number_base(more));
    if (end == more || *end)
        argp_error(state, "--record: operations '%s' is not a number", more);
}

static void parse_lint(void *input, char *text, struct argp_state *state)
{
    struct ts_ask *self = input;
    ts_lint_option(text, &self->lints, &self->lint_bits, &self->strict, state);
}

// CORE=FILE, ADDRESS=FILE
static void parse_load(void *input, char *text, struct argp_state *state)
{
    struct ts_ask *self = input;
    static const char *const cores[TS_RV_CORES] = {[TS_RV_BRISC] = "brisc",
                                                   [TS_RV_TRISC0] = "trisc0",
                                                   [TS_RV_TRISC1] = "trisc1",
                                                   [TS_RV_TRISC2] = "trisc2",
                                                   [TS_RV_NCRISC] = "ncrisc"};
    const size_t length = strcspn(text, "=");
    for (unsigned i = 0; i < TS_RV_CORES && text[length]; i++)
        if (strlen(cores[i]) == length && strncmp(cores[i], text, length) == 0) {
            self->elf[i] = text + length + 1;
            return;
        }
    if (self->loads.count == sizeof self->loads.text / sizeof *self->loads.text)
        argp_error(state, "more than %zu --load", self->loads.count);
    self->loads.text[self->loads.count++] = text;
}

static void add_param(struct ts_ask *self, struct argp_state *state, const char *text)
{
    if (self->param_count == TS_ASK_PARAMS)
        argp_error(state, "more than %d --param", TS_ASK_PARAMS);
    self->params[self->param_count++] = text;
}

// A file, NAME=VALUE behind it, further conformance files; behind -- a command.
static void take_word(struct ts_ask *self, struct argp_state *state, char *arg)
{
    const bool several = self->file && ts_kind_of(self->file) == TS_KIND_TTV;
    if (self->search && state->quoted && self->file == NULL)
        self->words[self->word_count++] = arg;
    else if ((self->file || self->power) && self->kind != TS_KIND_TTV && !several &&
             strchr(arg, '=')) {
        // A dot is in the names of the machine's parameters, as in a sweep; also in the keys of TPUSH/TPOP programs and of --power.
        if (!self->power && strcspn(arg, ".") < strcspn(arg, "=") &&
            ts_kind_of(self->file) != TS_KIND_PIPE)
            ts_options_set(&self->options, arg, state);
        else
            add_param(self, state, arg);
    } else if (self->file && (self->kind == TS_KIND_TTV || several))
        self->words[self->word_count++] = arg;
    else if (self->file)
        argp_error(state, "one file at a time: '%s'", arg);
    else if (self->kind != TS_KIND_COUNT || self->power || strcmp(arg, "-") == 0)
        self->file = self->words[self->word_count++] = arg;
    else {
        self->words[self->word_count++] = arg;
        self->file = ts_program_path(arg, self->found, sizeof self->found);
    }
}

static void parse_param(void *input, char *arg, struct argp_state *state)
{
    add_param(input, state, arg);
}

static void parse_show(void *input, char *arg, struct argp_state *state)
{
    struct ts_ask *self = input;
    self->show = true;
    self->values |= arg && strcmp(arg, "values") == 0;
    if (arg && !self->values)
        argp_error(state, "--show: '%s' is not values", arg);
}

static void parse_kind(void *input, char *arg, struct argp_state *state)
{
    struct ts_ask *self = input;
    (void)state;
    self->kind = TS_KIND_PROGRAM;
    while (ts_kind_names[self->kind] && strcmp(ts_kind_names[self->kind], arg) != 0)
        self->kind++;
}

static void parse_perturb(void *input, char *arg, struct argp_state *state)
{
    struct ts_ask *self = input;
    if (!ts_perturb_parse(arg, &self->perturb))
        argp_error(state, "--perturb %s: not " TS_PERTURB_FORM, arg);
}

static void parse_allow(void *input, char *arg, struct argp_state *state)
{
    struct ts_ask *self = input;
    self->allow = arg;
    if (strcmp(arg, "checkpoint") == 0)
        argp_error(state, "--allow=checkpoint goes with --resume");
    if (!ts_plan_allow(arg, &self->allowed))
        argp_error(state, "--allow: '%s' is not a list of " TS_PLAN_ALLOW, arg);
}

static void parse_resume(void *input, char *arg,
                         struct argp_state *state) // main.c has looked for it
{
    (void)input;
    (void)arg;
    argp_error(state, "--resume: the checkpoint has the command and its options");
}

#define A struct ts_ask
static const struct ts_take takes[] = {TS_CALL("search", parse_search),
                                       TS_CALL("explore", parse_explore),
                                       TS_CALL("show", parse_show),
                                       TS_FLAG("power", A, power),
                                       TS_CALL("param", parse_param),
                                       TS_TEXT("chip", A, chip),
                                       TS_TEXT("sources", A, sources),
                                       TS_TEXT("dprint", A, dprint),
                                       TS_FLAG("timing-only", A, timing_only),
                                       TS_CALL("load", parse_load),
                                       TS_TEXT("until", A, until),
                                       TS_CALL("perturb", parse_perturb),
                                       TS_CALL("record", parse_record),
                                       TS_CALL("taken-as", parse_kind),
                                       TS_CALL("lint", parse_lint),
                                       TS_FLAG("step-by-step", A, exact),
                                       TS_CALL("resume", parse_resume),
                                       TS_CALL("allow", parse_allow),
                                       {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_ask *self = state->input;
    for (const struct ts_take *take = takes; take->name; take++)
        if (key == ts_option_key(take->name) && self->given_count < 96)
            self->given[self->given_count++] = take->name;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        state->child_inputs[1] = &self->why;
        state->child_inputs[2] = &self->crew;
        return 0;
    case ARGP_KEY_ARG:
        take_word(self, state, arg);
        return 0;
    case ARGP_KEY_END:
        ts_ask_check(self, state);
        return 0;
    case ARGP_KEY_SUCCESS:
        ts_demand_writable(self->record);
        ts_demand_writable(self->schedule);
        ts_demand_writable(self->near);
        return ts_take(takes, key, arg, state);
    default:
        return ts_take(takes, key, arg, state);
    }
}

const struct argp *ts_run_argp(void)
{
    static struct argp_child children[4];
    static struct argp argp = {.parser = parse, .children = children};
    children[0].argp = ts_options_argp();
    children[1].argp = ts_why_argp();
    children[2].argp = ts_crew_argp();
    argp.options = ts_take_rows(takes, NULL);
    return &argp;
}
