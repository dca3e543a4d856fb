// tensim run: a program file, programs on the cores of one tile, or a scenario of tiles, alone or on
// a chip.
#include "platform/base/perturb.h"
#include "platform/base/yaml.h"
#include "platform/cli/kernel_command.h"
#include "platform/cli/program_run.h"
#include "platform/cli/recording.h"
#include "platform/cli/tiles_run.h"
#include "platform/run/plan/plan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Run a program file (YAML: kernels with their tensors, buffers and arguments), a scenario "
    "(YAML), "
    "or ELF files on the cores of one tile.\v"
    "A program file is compiled, run on a chip and checked; `tensim new' writes one to start from, "
    "and those that it knows run by name: `tensim run gemv'. "
    "Without a scenario the run ends when no core can continue. A program ends with a jump to "
    "itself or an ebreak. --until ends the run when a word of L1 has a value.";

enum {
    OPTION_CORE = 512,
    OPTION_RAW = 520,
    OPTION_LOG,
    OPTION_UNTIL,
    OPTION_EXACT,
    OPTION_PERTURB,
    OPTION_STRICT,
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
    OPTION_TRUST
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Program files", 1},
    {"param", 'p', "NAME=VALUE", 0,
     "replace a parameter of the file, or the contents of a tensor (NAME=FILE.npy)", 1},
    {"chip", OPTION_CHIP, "CARD", 0,
     "run it on another card: p150 (default), p150-120, p150-110, p100, p300, or a SoC file "
     "(.yaml)",
     1},
    {"sources", OPTION_SOURCES, "DIR", 0, "where the kernels are", 1},
    {"dprint", OPTION_DPRINT, "FILE", 0,
     "where kernels print (stderr); off: they are compiled without DPRINT", 1},
    {"timing-only", OPTION_TIMING, NULL, 0,
     "cycles without arithmetic: the results are not checked", 1},
    {"no-recheck", OPTION_NO_RECHECK, NULL, 0,
     "do not repeat a program whose result is wrong under all checks", 1},
    {NULL, 0, NULL, 0, "ELF files on one tile", 2},
    {"brisc", OPTION_CORE + TS_RV_BRISC, "ELF", 0,
     "program of a core; it starts at the ELF's entry (BRISC always at 0)", 2},
    {"trisc0", OPTION_CORE + TS_RV_TRISC0, "ELF", 0, NULL, 2},
    {"trisc1", OPTION_CORE + TS_RV_TRISC1, "ELF", 0, NULL, 2},
    {"trisc2", OPTION_CORE + TS_RV_TRISC2, "ELF", 0, NULL, 2},
    {"ncrisc", OPTION_CORE + TS_RV_NCRISC, "ELF", 0, NULL, 2},
    {"raw", OPTION_RAW, "ADDRESS=FILE", 0, "load a raw file into L1", 2},
    {"until", OPTION_UNTIL, "ADDRESS=VALUE", 0, "end the run when this word of L1 has this value",
     2},
    {NULL, 0, NULL, 0, "All", 3},
    {"log-commits", OPTION_LOG, "DIR", 0,
     "write one commit log per core, in Spike's format; not for program files", 3},
    {"perturb", OPTION_PERTURB, "SEED[:MAX]", 0,
     "delay core accesses and instructions at the gates by up to MAX (16) random cycles; or "
     "PLACE@NUMBER+CYCLES,...: exactly these",
     3},
    {"record", OPTION_RECORD, "FILE", 0,
     "write the synchronisation operations of the first tile as a program for `tensim explore'", 3},
    {"near", OPTION_NEAR, "FILE", 0, TS_NEAR_HELP, 3},
    {"strict", OPTION_STRICT, NULL, 0, TS_STRICT_HELP, 3},
    {"lint", OPTION_LINT, "CHOICE", 0, TS_LINT_HELP, 3},
    {"step-by-step", OPTION_EXACT, NULL, 0,
     "do not run ahead, do not park polls: slower, same results", 3},
    {"resume", OPTION_RESUME, "FILE.ckpt", 0,
     "go on from a checkpoint (--checkpoint), of whatever command: the file has its options; with "
     "--gdb or --live from there, with --check from its beginning",
     3},
    {"allow", OPTION_ALLOW, "compiler,save", 0,
     "what the file may do, if you trust it: name a compiler, which is executed; save tensors and "
     "dumps outside its folder",
     3},
    {"trust", OPTION_TRUST, NULL, 0,
     "with --resume: a checkpoint that another user or host has written, which is run as a program",
     3},
    {0},
};

#define PARAMS_MAX 192

struct arguments {
    struct ts_options options;
    struct ts_why why;
    struct ts_tiles_run tiles;
    char found[PATH_MAX]; // of a program that was named
    const char *params[PARAMS_MAX];
    size_t param_count;
    char chip[PATH_MAX]; // as a parameter
    const char *dprint, *sources, *allow;
    unsigned allowed;
    const char *record, *near;
    bool exact, strict, timing_only, no_recheck;
    const char *lints;
    struct ts_perturb_how perturb;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    if (key >= OPTION_CORE && key < OPTION_CORE + TS_RV_CORES) {
        self->tiles.elf[key - OPTION_CORE] = arg;
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        state->child_inputs[1] = &self->why;
        return 0;
    case OPTION_RAW:
        if (self->tiles.raw_count == TS_TILES_RUN_RAW)
            argp_error(state, "more than %d --raw", TS_TILES_RUN_RAW);
        self->tiles.raw[self->tiles.raw_count++] = arg;
        return 0;
    case OPTION_UNTIL:
        self->tiles.until = arg;
        return 0;
    case OPTION_CHIP:
        snprintf(self->chip, sizeof self->chip, "chip=%s", arg);
        arg = self->chip;
        // fall through
    case 'p':
        if (self->param_count == PARAMS_MAX)
            argp_error(state, "more than %d --param", PARAMS_MAX);
        self->params[self->param_count++] = arg;
        return 0;
    case OPTION_SOURCES:
        self->sources = arg;
        return 0;
    case OPTION_DPRINT:
        self->dprint = arg;
        return 0;
    case OPTION_LOG:
        self->tiles.log = arg;
        return 0;
    case OPTION_RECORD:
        self->record = arg;
        return 0;
    case OPTION_NEAR:
        self->near = arg;
        return 0;
    case OPTION_STRICT:
        self->strict = true;
        return 0;
    case OPTION_LINT:
        ts_lint_option(arg, state);
        self->lints = arg;
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
        if (self->tiles.scenario != NULL && strchr(arg, '=') && self->param_count < PARAMS_MAX) {
            self->params[self->param_count++] = arg;
            return 0;
        }
        if (self->tiles.scenario != NULL)
            argp_error(state, "one scenario at a time: '%s'", arg);
        self->tiles.scenario = ts_program_path(arg, self->found, sizeof self->found);
        return 0;
    case ARGP_KEY_END: {
        bool any = false;
        for (unsigned i = 0; i < TS_RV_CORES; i++)
            any |= self->tiles.elf[i] != NULL;
        if (!any && self->tiles.scenario == NULL)
            argp_error(state, "name a scenario, or the program of at least one core");
        if (any && self->tiles.scenario != NULL)
            argp_error(state,
                       "a scenario names the programs of its cores: no --brisc and the like");
        if (self->tiles.scenario && (self->tiles.raw_count || self->tiles.until))
            argp_error(state, "--raw and --until go with programs of cores; a scenario says what "
                              "is loaded and when it ends");
        if (self->strict && self->options.unchecked)
            argp_error(state, "--strict makes faults of the lints that --no-hang-check turns off: "
                              "give one of them");
        return 0;
    }
    case ARGP_KEY_SUCCESS:
        ts_demand_writable(self->record);
        ts_demand_writable(self->near);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void configure(const struct arguments *self, struct tensim_config *config)
{
    ts_options_config(&self->options, config);
    config->step_by_step |= self->exact;
    config->strict = self->strict;
    config->allow = self->allow;
    config->lints = self->lints;
    config->perturb_seed = self->perturb.seed;
    config->perturb_max = self->perturb.max;
    config->perturb_holds = self->perturb.holds;
}

// An option that only program files have, or that they do not have; NULL: none was given.
static const char *program_option(const struct arguments *self)
{
    return self->chip[0]        ? "chip"
           : self->param_count  ? "param"
           : self->dprint       ? "dprint"
           : self->sources      ? "sources"
           : self->timing_only  ? "timing-only"
           : self->no_recheck   ? "no-recheck"
           : self->why.asked    ? "why"
           : self->why.remedies ? "remedies"
           : self->why.by_line  ? "lines"
                                : NULL;
}

static const char *other_option(const struct arguments *self)
{
    return self->tiles.log ? "log-commits" : NULL;
}

static int run_program(const struct arguments *self, int argc, char **argv)
{
    struct ts_program_run run = {.options = &self->options,
                                 .path = self->tiles.scenario,
                                 .params = self->params,
                                 .param_count = self->param_count,
                                 .dprint = self->dprint,
                                 .record = self->record,
                                 .near = self->near,
                                 .no_recheck = self->no_recheck,
                                 .why = &self->why,
                                 .argc = argc,
                                 .argv = argv};
    configure(self, &run.config);
    run.config.sources = self->sources;
    run.config.timing_only = self->timing_only;
    return ts_program_run(&run);
}

static int run_tiles(const struct arguments *self, int argc, char **argv)
{
    struct ts_tiles_run run = self->tiles;
    run.options = &self->options;
    run.record = self->record;
    run.near = self->near;
    run.argc = argc;
    run.argv = argv;
    configure(self, &run.config);
    return ts_tiles_run(&run);
}

// A file with a mistake may have been meant as a program: the mistake counts, not the option.
static bool is_yaml(const char *path, struct ts_error *error)
{
    struct ts_yaml yaml;
    if (path == NULL)
        return true;
    const bool good = ts_yaml_load(&yaml, path, error);
    ts_yaml_free(&yaml);
    return good;
}

static const struct argp_child children[] = {
    {&ts_options_argp, 0, NULL, 0}, {&ts_why_argp, 0, NULL, 0}, {0}};
const struct argp ts_run_argp = {options, parse, NULL, NULL, children, NULL, NULL};

// `tensim run NAME --help': the options of a program.
static bool tell_options(int argc, char **argv)
{
    char found[PATH_MAX];
    bool asked = false;
    for (int i = 1; i < argc; i++)
        asked |= strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-?") == 0;
    for (int i = 1; i < argc && asked; i++) {
        struct ts_error error = {0};
        const char *path = argv[i][0] != '-' ? ts_plan_find(argv[i], found, sizeof found, &error)
                                             : NULL;
        if (path && ts_plan_is(path))
            return ts_program_help(argc, argv, path);
    }
    return false;
}

int ts_cmd_run(int argc, char **argv);
int ts_cmd_run(int argc, char **argv)
{
    return tell_options(argc, argv) ? TS_OK : ts_run_command(argc, argv, argc, argv);
}

int ts_run_command(int argc, char **argv, int said_count, char **said)
{
    struct arguments self = {0};
    ts_options_init(&self.options);
    const struct argp argp = {
        options, parse, "[PROGRAM.yaml|PROGRAM [NAME=VALUE...]|SCENARIO.yaml]", doc, children,
        NULL,    NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    bool program = self.tiles.scenario && ts_plan_is(self.tiles.scenario);
    const char *other = program ? other_option(&self) : program_option(&self);
    struct ts_error error = {0};
    if (other && !program && !is_yaml(self.tiles.scenario, &error))
        return ts_complain_error(&error);
    if (other)
        return ts_complain(TS_USAGE, "--%s is %s", other,
                           program ? "not for program files" : "for program files only");
    return program ? run_program(&self, said_count, said) : run_tiles(&self, said_count, said);
}
