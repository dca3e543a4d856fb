// The options of `tensim run`, in one table for every kind of file (run.h).
#include "platform/base/number.h"
#include "platform/base/yaml.h"
#include "platform/cli/recording.h"
#include "platform/cli/run.h"
#include "platform/run/plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPTION_ELF = 512,
    OPTION_LOAD,
    OPTION_LOG,
    OPTION_UNTIL,
    OPTION_EXACT,
    OPTION_PERTURB,
    OPTION_LINT,
    OPTION_RECORD,
    OPTION_NEAR,
    OPTION_DPRINT,
    OPTION_SOURCES,
    OPTION_TIMING,
    OPTION_CHIP,
    OPTION_NO_RECHECK,
    OPTION_RESUME,
    OPTION_ALLOW,
    OPTION_TRUST,
    OPTION_SEARCH,
    OPTION_EXPLORE,
    OPTION_SHOW,
    OPTION_KIND
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Ways to look at a file", 1},
    {"search", OPTION_SEARCH, "SEEDS,most:CYCLES,random", 0,
     "search for a timing that hangs: delay first what nearly went another way, then SEEDS seeds "
     "with random delays of up to 1, 2, 4 ... CYCLES (256); behind -- any command that has "
     "--perturb: --search 20 -- matmul -M 64",
     1},
    {"explore", OPTION_EXPLORE, "all,exhaustive,expect,states:N,replay:FILE,schedule:FILE",
     OPTION_ARG_OPTIONAL,
     "small and TPUSH/TPOP programs: every interleaving, a proof or a shortest deadlock (exit code "
     "2); all: count all deadlocks; exhaustive: without partial-order reduction; expect: exit 0 if "
     "the verdict is that of the file; states: give up after N (5000000); schedule: write the "
     "deadlock's steps; replay: execute them",
     1},
    {"show", OPTION_SHOW, "values", OPTION_ARG_OPTIONAL,
     "small programs: what each Tensix instruction changes, in which cycle, and what it waited "
     "for; values: the numbers, too",
     1},
    {NULL, 0, NULL, 0, "Program files", 2},
    {"param", 'p', "NAME=VALUE", 0,
     "replace a parameter of the file, or the contents of a tensor (NAME=FILE.npy)", 2},
    {"chip", OPTION_CHIP, "CARD", 0,
     "run it on another card: p150 (default), p150-120, p150-110, p100, p300, or a SoC file "
     "(.yaml)",
     2},
    {"sources", OPTION_SOURCES, "DIR", 0, "where the kernels are", 2},
    {"dprint", OPTION_DPRINT, "FILE", 0,
     "where kernels print (stderr); off: they are compiled without DPRINT", 2},
    {"timing-only", OPTION_TIMING, NULL, 0,
     "cycles without arithmetic: the results are not checked", 2},
    {"no-recheck", OPTION_NO_RECHECK, NULL, 0,
     "do not repeat a program whose result is wrong under all checks", 2},
    {NULL, 0, NULL, 0, "ELF files on one tile", 3},
    {"elf", OPTION_ELF, "CORE=FILE", 0,
     "program of a core: brisc, trisc0 to trisc2, ncrisc; it starts at the ELF's entry (BRISC "
     "always at 0)",
     3},
    {"load", OPTION_LOAD, "ADDRESS=FILE", 0, "load a raw file into L1", 3},
    {"until", OPTION_UNTIL, "ADDRESS=VALUE", 0, "end the run when this word of L1 has this value",
     3},
    {NULL, 0, NULL, 0, "All", 4},
    {"log-commits", OPTION_LOG, "DIR", 0,
     "write one commit log per core, in Spike's format; not for program files", 4},
    {"perturb", OPTION_PERTURB, "SEED[:MAX]", 0,
     "delay core accesses and instructions at the gates by up to MAX (16) random cycles; or "
     "PLACE@NUMBER+CYCLES,...: exactly these",
     4},
    {"record", OPTION_RECORD, "FILE,operations:N", 0,
     "write the synchronisation operations of the first tile as a program for --explore; small "
     "programs: at most N of each thread",
     4},
    {"near", OPTION_NEAR, "FILE", OPTION_HIDDEN, TS_NEAR_HELP, 4},
    {"taken-as", OPTION_KIND, "KIND", OPTION_HIDDEN, "what the file is, whatever it looks like", 4},
    {"lint", OPTION_LINT, "CHOICE,strict", 0, TS_LINT_HELP "; strict: " TS_STRICT_HELP, 4},
    {"step-by-step", OPTION_EXACT, NULL, 0,
     "do not run ahead, do not park polls: slower, same results", 4},
    {"resume", OPTION_RESUME, "FILE.ckpt", 0,
     "go on from a checkpoint (--checkpoint), of whatever command: the file has its options; with "
     "--gdb or --live from there, with --check from its beginning",
     4},
    {"allow", OPTION_ALLOW, "compiler,save", 0,
     "what the file may do, if you trust it: name a compiler, which is executed; save tensors and "
     "dumps outside its folder",
     4},
    {"trust", OPTION_TRUST, NULL, 0,
     "with --resume: a checkpoint that another user or host has written, which is run as a program",
     4},
    {0},
};

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

// SEEDS,most:CYCLES,random
static void parse_search(struct ts_ask *self, struct argp_state *state, const char *text)
{
    char *own = ts_need(strdup(text), "the command"); // argv stays as it is: documents have it
    for (char *rest = own, *part; (part = strsep(&rest, ",")) != NULL;) {
        if (strcmp(part, "random") == 0)
            self->random = true;
        else if (strncmp(part, "most:", 5) == 0)
            self->most = number(state, part + 5, "--most ", 1u << 20);
        else
            self->search = number(state, part, "--search ", UINT32_MAX);
    }
    free(own);
}

static void parse_explore(struct ts_ask *self, struct argp_state *state, const char *text)
{
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
static void parse_record(struct ts_ask *self, struct argp_state *state, const char *text)
{
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

// CHOICE,strict
static void parse_lint(struct ts_ask *self, struct argp_state *state, const char *text)
{
    const size_t length = strlen(text);
    const bool alone = strcmp(text, "strict") == 0,
               last = length > 7 && strcmp(text + length - 7, ",strict") == 0;
    self->strict |= alone || last;
    if (alone)
        return;
    self->lints = kept(self->lints, text);
    if (last)
        self->lints[length - 7] = '\0';
    self->lint_bits = ts_lint_option(self->lints, state);
}

static void parse_elf(struct ts_ask *self, struct argp_state *state, const char *text)
{
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
    argp_error(state, "--elf: '%s' is not CORE=FILE, cores brisc, trisc0 to trisc2, ncrisc", text);
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
    else if (self->file && self->kind != TS_KIND_TTV && !several && strchr(arg, '='))
        add_param(self, state, arg);
    else if (self->file && (self->kind == TS_KIND_TTV || several))
        self->words[self->word_count++] = arg;
    else if (self->file)
        argp_error(state, "one file at a time: '%s'", arg);
    else if (self->kind != TS_KIND_COUNT || strcmp(arg, "-") == 0)
        self->file = self->words[self->word_count++] = arg;
    else {
        self->words[self->word_count++] = arg;
        self->file = ts_program_path(arg, self->found, sizeof self->found);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_ask *self = state->input;
    for (const struct argp_option *row = options; row->name || row->doc; row++)
        if (row->name && row->key == key && self->given_count < 96)
            self->given[self->given_count++] = row->name;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        state->child_inputs[1] = &self->why;
        state->child_inputs[2] = &self->crew;
        return 0;
    case OPTION_SEARCH:
        parse_search(self, state, arg);
        return 0;
    case OPTION_EXPLORE:
        parse_explore(self, state, arg);
        return 0;
    case OPTION_SHOW:
        self->show = true;
        self->values |= arg && strcmp(arg, "values") == 0;
        if (arg && !self->values)
            argp_error(state, "--show: '%s' is not values", arg);
        return 0;
    case OPTION_KIND:
        self->kind = TS_KIND_PROGRAM;
        while (ts_kind_names[self->kind] && strcmp(ts_kind_names[self->kind], arg) != 0)
            self->kind++;
        return 0;
    case OPTION_ELF:
        parse_elf(self, state, arg);
        return 0;
    case OPTION_LOAD:
        if (self->load_count == TS_ASK_LOADS)
            argp_error(state, "more than %d --load", TS_ASK_LOADS);
        self->loads[self->load_count++] = arg;
        return 0;
    case OPTION_UNTIL:
        self->until = arg;
        return 0;
    case OPTION_CHIP:
        self->chip = arg;
        return 0;
    case 'p':
        add_param(self, state, arg);
        return 0;
    case OPTION_SOURCES:
        self->sources = arg;
        return 0;
    case OPTION_DPRINT:
        self->dprint = arg;
        return 0;
    case OPTION_LOG:
        self->log = arg;
        return 0;
    case OPTION_RECORD:
        parse_record(self, state, arg);
        return 0;
    case OPTION_NEAR:
        self->near = arg;
        return 0;
    case OPTION_LINT:
        parse_lint(self, state, arg);
        return 0;
    case OPTION_PERTURB:
        if (!ts_perturb_parse(arg, &self->perturb))
            argp_error(state, "--perturb %s: not " TS_PERTURB_FORM, arg);
        return 0;
    case OPTION_NO_RECHECK:
        self->no_recheck = true;
        return 0;
    case OPTION_TIMING:
        self->timing_only = true;
        return 0;
    case OPTION_EXACT:
        self->exact = true;
        return 0;
    case OPTION_ALLOW:
        self->allow = arg;
        if (!ts_plan_allow(arg, &self->allowed))
            argp_error(state, "--allow: '%s' is not a list of " TS_PLAN_ALLOW, arg);
        return 0;
    case OPTION_TRUST:
        argp_error(state, "--trust goes with --resume");
        return 0;
    case OPTION_RESUME: // main.c has looked for it
        argp_error(state, "--resume: the checkpoint has the command and its options");
        return 0;
    case ARGP_KEY_ARG:
        take_word(self, state, arg);
        return 0;
    case ARGP_KEY_END:
        ts_ask_check(self, state);
        return 0;
    case ARGP_KEY_SUCCESS:
        ts_demand_writable(self->record);
        ts_demand_writable(self->near);
        ts_demand_writable(self->schedule);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&ts_options_argp, 0, NULL, 0}, {&ts_why_argp, 0, NULL, 0}, {&ts_crew_argp, 0, NULL, 0}, {0}};
const struct argp ts_run_argp = {options, parse, NULL, NULL, children, NULL, NULL};
