// tensim run: a program file, programs on the cores of one tile, or a scenario of tiles, alone or on
// a chip.
#include "platform/base/perturb.h"
#include "platform/base/yaml.h"
#include "platform/cli/program_run.h"
#include "platform/cli/recording.h"
#include "platform/lib/inside.h"
#include "platform/out/file.h"
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
    OPTION_CHIP
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Program files", 1},
    {"param", 'p', "NAME=NUMBER", 0, "replace a parameter of the file", 1},
    {"chip", OPTION_CHIP, "CARD", 0,
     "run it on another card: p150 (default), p150-120, p150-110, p100, p300, or a SoC file "
     "(.yaml)",
     1},
    {"sources", OPTION_SOURCES, "DIR", 0, "where the kernels are", 1},
    {"dprint", OPTION_DPRINT, "FILE", 0,
     "where kernels print (stderr); off: they are compiled without DPRINT", 1},
    {"timing-only", OPTION_TIMING, NULL, 0,
     "cycles without arithmetic: the results are not checked", 1},
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
    {0},
};

#define RAW_MAX    32
#define PARAMS_MAX 64

struct arguments {
    struct ts_options options;
    struct ts_why why;
    const char *scenario;
    char found[PATH_MAX]; // of a program that was named
    const char *elf[TS_RV_CORES];
    const char *raw[RAW_MAX];
    unsigned raw_count;
    const char *params[PARAMS_MAX];
    size_t param_count;
    char chip[PATH_MAX]; // as a parameter
    const char *dprint, *sources;
    const char *until;
    const char *log, *record, *near;
    bool exact, strict, timing_only;
    const char *lints;
    struct ts_perturb_how perturb;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    if (key >= OPTION_CORE && key < OPTION_CORE + TS_RV_CORES) {
        self->elf[key - OPTION_CORE] = arg;
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        state->child_inputs[1] = &self->why;
        return 0;
    case OPTION_RAW:
        if (self->raw_count == RAW_MAX)
            argp_error(state, "more than %d --raw", RAW_MAX);
        self->raw[self->raw_count++] = arg;
        return 0;
    case OPTION_UNTIL:
        self->until = arg;
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
        self->log = arg;
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
    case OPTION_TIMING:
        self->timing_only = true;
        return 0;
    case OPTION_EXACT:
        self->exact = true;
        return 0;
    case ARGP_KEY_ARG:
        if (self->scenario != NULL)
            argp_error(state, "one scenario at a time");
        self->scenario = ts_program_path(arg, self->found, sizeof self->found);
        return 0;
    case ARGP_KEY_END: {
        bool any = false;
        for (unsigned i = 0; i < TS_RV_CORES; i++)
            any |= self->elf[i] != NULL;
        if (!any && self->scenario == NULL)
            argp_error(state, "name a scenario, or the program of at least one core");
        if (any && self->scenario != NULL)
            argp_error(state,
                       "a scenario names the programs of its cores: no --brisc and the like");
        if (self->scenario && (self->raw_count || self->until))
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

// "ADDRESS=REST": where REST starts; NULL: not of that form.
static const char *split(const char *text, uint32_t *address)
{
    char *end;
    unsigned long value = strtoul(text, &end, 0);
    if (end == text || *end != '=' || value > UINT32_MAX)
        return NULL;
    *address = (uint32_t)value;
    return end + 1;
}

static const struct tensim_xy only = {1, 2}; // the tile of a run without scenario

// Loads and starts the programs of the cores.
static enum tensim_code load(const struct arguments *self, struct tensim *sim,
                             struct tensim_error *error)
{
    enum tensim_code code = TENSIM_OK;
    for (unsigned core = 0; core < TS_RV_CORES && code == TENSIM_OK; core++)
        if (self->elf[core] != NULL)
            code = tensim_load_elf(sim, only, (enum tensim_core)core, self->elf[core], error);
    for (unsigned i = 0; i < self->raw_count && code == TENSIM_OK; i++) {
        uint32_t address;
        const char *file = split(self->raw[i], &address);
        if (file == NULL) {
            snprintf(error->text, sizeof error->text, "--raw %s: not ADDRESS=FILE", self->raw[i]);
            return error->code = TENSIM_USAGE;
        }
        code = tensim_load_file(sim, only, address, file, error);
    }
    return code;
}

static enum tensim_code start(const struct arguments *self, struct tensim *sim,
                              struct tensim_error *error)
{
    enum tensim_code code = TENSIM_OK;
    for (unsigned core = 0; core < TS_RV_CORES && code == TENSIM_OK; core++)
        if (self->elf[core] != NULL)
            code = tensim_start(sim, only, (enum tensim_core)core, error);
    return code;
}

// --until ADDRESS=VALUE
static enum tensim_code read_until(const struct arguments *self, struct tensim_until *until,
                                   struct tensim_error *error)
{
    ts_cycle most = self->options.max_cycles;
    *until = (struct tensim_until){
        .tile = only, .written = true, .cycles = most == TS_NEVER ? 0 : most};
    const char *text = split(self->until, &until->address);
    int64_t value = 0;
    bool good = text != NULL && ts_parse_int(text, &value) && value >= INT32_MIN &&
                value <= UINT32_MAX;
    until->value = (uint32_t)value;
    if (good && ts_l1_contains(until->address, 4) && until->address % 4 == 0)
        return TENSIM_OK;
    snprintf(error->text, sizeof error->text, "--until %s: not ADDRESS=VALUE of a word of L1",
             self->until);
    return error->code = TENSIM_USAGE;
}

// --- commit logs: not of the library ---

struct log {
    struct ts_file *file;
    struct ts_rv_log log;
};

struct logs {
    struct log (*files)[TS_RV_CORES]; // by tile; NULL: none
};

static bool open_logs(const struct arguments *self, struct logs *logs, struct ts_scenario *scenario,
                      struct ts_error *error)
{
    logs->files = calloc(scenario->tile_count, sizeof *logs->files);
    if (logs->files == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; logs->files && i < scenario->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            char path[512];
            snprintf(path, sizeof path, "%s/%u-%u.%s.log", self->log, scenario->tiles[i].x,
                     scenario->tiles[i].y, ts_rv_core_names[core]);
            struct ts_file *file = ts_file_open(path, error);
            if (file == NULL)
                return false;
            logs->files[i][core] = (struct log){file, {ts_rv_log_print, ts_file_stream(file)}};
            scenario->tiles[i].tile->cores[core].log = &logs->files[i][core].log;
        }
    return error->code == TS_OK;
}

// Returns `code`, or TS_SETUP if one could not be written.
static int close_logs(struct logs *logs, struct ts_scenario *scenario, int code)
{
    struct ts_error error = {0};
    for (uint32_t i = 0; logs->files && i < scenario->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            struct ts_rv_core *c = &scenario->tiles[i].tile->cores[core];
            if (c->log != NULL) {
                ts_rv_core_log_end(c);
                ts_file_close(logs->files[i][core].file, &error);
                c->log = NULL;
            }
        }
    free(logs->files);
    return error.code == TS_OK ? code : ts_complain_error(&error);
}

// --- results ---

static void verdict(const struct ts_session *session)
{
    struct tensim_xy tiles[TS_SCENARIO_TILES];
    size_t count = tensim_tiles(session->sim, tiles, TS_SCENARIO_TILES);
    double ghz = session->sim->tile_config.clock_mhz / 1e3;
    printf("%s at cycle %llu (%.3f ms at %g GHz), %.2f s\n",
           session->content ? "script passed" : ts_stop_name(session->run.stop),
           (unsigned long long)session->run.cycle, (double)session->run.cycle / (1e6 * ghz), ghz,
           session->seconds);
    for (size_t i = 0; i < count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            struct tensim_core_state c;
            tensim_core_read(session->sim, tiles[i], (enum tensim_core)core, &c, NULL);
            if (c.instructions == 0)
                continue;
            const char *state = c.held     ? "held"
                                : c.paused ? "paused at ebreak"
                                : c.ended  ? "at its end"
                                           : "running";
            printf("  tile %u-%u %-7s %12llu instructions, %.3f a cycle, pc 0x%x, %s\n", tiles[i].x,
                   tiles[i].y, ts_rv_core_names[core], (unsigned long long)c.instructions,
                   (double)c.instructions / (double)(c.cycle ? c.cycle : 1), c.pc, state);
        }
}

static void document(struct ts_session *session)
{
    struct tensim_xy tiles[TS_SCENARIO_TILES];
    size_t count = tensim_tiles(session->sim, tiles, TS_SCENARIO_TILES);
    json_t *cores = json_array();
    for (size_t i = 0; i < count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            struct tensim_core_state c;
            char tile[16];
            tensim_core_read(session->sim, tiles[i], (enum tensim_core)core, &c, NULL);
            snprintf(tile, sizeof tile, "%u-%u", tiles[i].x, tiles[i].y);
            json_array_append_new(cores,
                                  json_pack("{s:s, s:s, s:I, s:I, s:b, s:b}", "tile", tile, "core",
                                            ts_rv_core_names[core], "instructions",
                                            (json_int_t)c.instructions, "pc", (json_int_t)c.pc,
                                            "held", (int)c.held, "paused", (int)c.paused));
        }
    json_object_set_new(session->document, "cores", cores);
    if (session->sim->scenario.step_count > 0)
        json_object_set_new(session->document, "script",
                            json_string(session->content ? "passed" : "failed"));
    if (session->sim->chip)
        json_object_set_new(session->document, "chip",
                            ts_chip_json(session->sim->chip, session->run.cycle));
}

// Everything between building and the exit code.
static int run(const struct arguments *self, struct ts_session *session,
               const struct tensim_until *until)
{
    struct tensim_error error;
    int code = ts_session_begin(session);
    if (code == TS_OK && !self->scenario && start(self, session->sim, &error) != TENSIM_OK)
        code = ts_complain_tensim(&error);
    if (code != TS_OK)
        return code;
    struct ts_following following = {NULL, NULL};
    session->record = self->record;
    session->near = self->near;
    for (uint32_t i = 0; i < session->sim->scenario.tile_count; i++)
        ts_following_begin(&following, session, session->sim->scenario.tiles[i].tile, i);
    uint64_t at;
    ts_session_run_sim(session, until, &at);
    code = ts_session_end(session);
    code = ts_following_end(&following, session, self->scenario ? self->scenario : "tensim run",
                            code);
    if (session->sim->script.code != TS_OK && session->run.stop != TS_STOP_FAULT)
        code = ts_complain_error(&session->sim->script);
    if (until && code == TS_OK && at == 0) {
        uint32_t word = 0;
        tensim_read(session->sim, only, until->address, &word, sizeof word, &error);
        code = ts_complain(TS_DIFFERS,
                           "--until %s: the cores came to their end, and the word is 0x%x",
                           self->until, word);
    }
    document(session);
    if (at != 0)
        json_object_set_new(session->document, "until_cycle", json_integer((json_int_t)at));
    if (at != 0 && ts_options_talk(&self->options))
        printf("0x%x = 0x%x at cycle %llu\n", until->address, until->value, (unsigned long long)at);
    if (ts_options_talk(&self->options))
        verdict(session);
    return ts_session_write(session, code);
}

// --- program files ---

static void configure(const struct arguments *self, struct tensim_config *config)
{
    ts_options_config(&self->options, config);
    config->step_by_step = self->exact;
    config->strict = self->strict;
    config->lints = self->lints;
    config->perturb_seed = self->perturb.seed;
    config->perturb_max = self->perturb.max;
    config->perturb_holds = self->perturb.holds;
    if ((self->near || self->record) && self->perturb.max == 0) { // places count
        config->perturb_max = 1;
        config->perturb_holds = "";
    }
}

// An option that only program files have, or that they do not have; NULL: none was given.
static const char *program_option(const struct arguments *self)
{
    return self->chip[0]       ? "chip"
           : self->param_count ? "param"
           : self->dprint      ? "dprint"
           : self->sources     ? "sources"
           : self->timing_only ? "timing-only"
           : self->why.asked   ? "why"
                               : NULL;
}

static const char *other_option(const struct arguments *self)
{
    return self->log ? "log-commits" : NULL;
}

static int run_program(const struct arguments *self, int argc, char **argv)
{
    struct ts_program_run run = {.options = &self->options,
                                 .path = self->scenario,
                                 .params = self->params,
                                 .param_count = self->param_count,
                                 .dprint = self->dprint,
                                 .record = self->record,
                                 .near = self->near,
                                 .why = &self->why,
                                 .argc = argc,
                                 .argv = argv};
    configure(self, &run.config);
    run.config.sources = self->sources;
    run.config.timing_only = self->timing_only;
    return ts_program_run(&run);
}

// The instance with everything loaded; NULL: error.
static struct tensim *build(const struct arguments *self, struct tensim_error *error)
{
    struct tensim_config config;
    configure(self, &config);
    config.output = ts_options_talk(&self->options) ? stdout : NULL;
    if (self->scenario)
        return tensim_new_scenario(self->scenario, &config, error);
    struct tensim *sim = tensim_new(&config, error);
    if (sim && load(self, sim, error) == TENSIM_OK)
        return sim;
    tensim_free(sim);
    return NULL;
}

int ts_cmd_run(int argc, char **argv);
int ts_cmd_run(int argc, char **argv)
{
    struct arguments self = {0};
    ts_options_init(&self.options);
    const struct argp_child children[] = {
        {&ts_options_argp, 0, NULL, 0}, {&ts_why_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse, "[PROGRAM.yaml|PROGRAM|SCENARIO.yaml]", doc, children,
                              NULL,    NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    struct tensim_error error;
    struct tensim_until until;
    struct ts_session session = {.options = &self.options, .argc = argc, .argv = argv};
    bool program = self.scenario && ts_plan_is(self.scenario);
    const char *other = program ? other_option(&self) : program_option(&self);
    if (other)
        return ts_complain(TS_USAGE, "--%s is %s", other,
                           program ? "not for program files" : "for program files only");
    if (program)
        return run_program(&self, argc, argv);
    session.sim = build(&self, &error);
    if (session.sim == NULL)
        return ts_complain_tensim(&error);
    int code = TS_OK;
    if (self.until && read_until(&self, &until, &error) != TENSIM_OK)
        code = ts_complain_tensim(&error);
    struct logs logs = {NULL};
    struct ts_error failure = {0};
    if (code == TS_OK && self.log && !open_logs(&self, &logs, &session.sim->scenario, &failure))
        code = ts_complain_error(&failure);
    if (code == TS_OK)
        code = run(&self, &session, self.until ? &until : NULL);
    code = close_logs(&logs, &session.sim->scenario, code);
    ts_session_free(&session);
    return code;
}
