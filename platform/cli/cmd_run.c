// tensim run: a file of any kind (load/kind.h), or programs on the cores of one tile.
#include "platform/cli/run.h"
#include "platform/run/plan/plan.h"

// --- what goes together ---

#define COMMON                                                                                  \
    "config set threads max-cycles no-hang-check check suppress checkpoint gdb live out trace " \
    "activity json stats-hash problems quiet verbose taken-as "
#define FOLLOWED "perturb record search lint step-by-step allow "

// What is done with a kind of file, and the options that it has.
struct way {
    const char *what;
    int (*run)(struct ts_ask *self);
    const char *options;
};

static const struct way ways[] = {
    [TS_KIND_PROGRAM] = {"a program file", ts_run_program,
                         COMMON FOLLOWED "param chip sources dprint timing-only why lines"},
    [TS_KIND_SMALL] = {"a small program", ts_run_small,
                       "config set threads max-cycles no-hang-check check suppress checkpoint gdb "
                       "live out json stats-hash quiet verbose taken-as chip " FOLLOWED},
    [TS_KIND_SCENARIO] = {"a scenario", ts_run_tiles, COMMON FOLLOWED "load until chip"},
    [TS_KIND_TTV] = {"conformance files", ts_run_ttv,
                     "config set threads no-hang-check check suppress checkpoint out json "
                     "stats-hash quiet taken-as perturb step-by-step timing-only"},
    [TS_KIND_NOC] = {"a NoC workload", ts_run_noc, COMMON "chip param"},
    [TS_KIND_SEQUENCE] = {"a sequence", ts_run_sequence,
                          "config set threads max-cycles no-hang-check check suppress out trace "
                          "json stats-hash quiet verbose taken-as chip param sources allow "
                          "timing-only why lines"},
    [TS_KIND_PIPE] = {"a TPUSH/TPOP program", ts_run_pipe,
                      "set threads max-cycles no-hang-check checkpoint out trace json stats-hash "
                      "quiet taken-as timing-only param"},
};
#define SEARCHED "config set threads out json quiet taken-as param search shard timeout chip "
static const struct way
    searching = {"--search of a command, whose options stand behind --", ts_run_search, SEARCHED},
    searching_small = {"--search", ts_run_small,
                       SEARCHED "max-cycles no-hang-check check suppress lint step-by-step"},
    exploring = {"--explore", ts_run_explore, "explore json quiet taken-as"},
    proving = {"--explore of a TPUSH/TPOP program", ts_run_prove, "explore json quiet taken-as"},
    powering = {"--power", ts_run_power, "power param json quiet taken-as"},
    showing = {"--show", ts_run_show, "show chip config set max-cycles out json quiet taken-as"};

static const struct way *way_of(const struct ts_ask *self)
{
    if (self->explore && self->kind == TS_KIND_PIPE)
        return &proving;
    if (self->power)
        return &powering;
    return self->search ? self->kind == TS_KIND_SMALL && self->file ? &searching_small : &searching
           : self->explore ? &exploring
           : self->show    ? &showing
                           : &ways[self->kind];
}

static void check_together(struct ts_ask *self, struct argp_state *state)
{
    bool any = false;
    for (unsigned i = 0; i < TS_RV_CORES; i++)
        any |= self->elf[i] != NULL;
    if (any && self->file)
        argp_error(state, "a scenario names the programs of its cores: no --load");
    if (self->file && (self->loads.count || self->until))
        argp_error(state, "--load and --until go with programs of cores; a scenario says what is "
                          "loaded and when it ends");
    if (self->strict && self->options.unchecked)
        argp_error(state, "--lint=strict makes faults of the lints that --no-hang-check turns off: "
                          "give one of them");
    if ((self->most || self->random) && self->search == 0)
        argp_error(state, "most and random are of --search: give --search too, with SEEDS");
    if (self->near && self->search)
        argp_error(state, "--search=near is of one run, SEEDS are many: give one of them");
    if (self->record_ops && self->record == NULL)
        argp_error(state, "operations is of the recording: give --record too, with its FILE");
    if (self->record && self->search)
        argp_error(state, "--record writes one run, --search makes many: give one of them");
    if (self->perturb.max && self->search)
        argp_error(state, "--search chooses the perturbations itself: no --perturb");
    if ((self->crew.shards || self->crew.timeout > 0) && self->search == 0)
        argp_error(state, "--shard and --timeout are of the many runs of --search: give it too");
    if (self->replay && (self->schedule || self->options.json))
        argp_error(state, "--explore=replay shows states; it writes no schedule and no JSON");
    if (!any && self->file == NULL && self->word_count == 0 && !self->power)
        argp_error(state, "name a file, or the program of at least one core (--load brisc=FILE)");
}

// Options that mean nothing for this kind of file.
static void check_given(struct ts_ask *self, struct argp_state *state)
{
    const struct way *way = way_of(self);
    const char *common = ts_options_other(&self->options, way->options);
    if (way == &ways[TS_KIND_SCENARIO] && self->file && self->chip)
        argp_error(state, "a scenario names its chip: 'chip: %s' in the file, no --chip",
                   self->chip);
    for (unsigned i = 0; i < self->given_count; i++)
        if (ts_word_index(way->options, self->given[i]) < 0)
            argp_error(state, "--%s has no effect on %s", self->given[i], way->what);
    if (self->why.asked + self->why.remedies + self->why.by_line &&
        ts_word_index(way->options, "why") < 0)
        argp_error(state, "--%s has no effect on %s", self->why.by_line ? "lines" : "why",
                   way->what);
    if ((self->options.once && self->kind != TS_KIND_PROGRAM) ||
        (self->options.commits && self->kind != TS_KIND_SCENARIO))
        argp_error(state, "--%s has no effect on %s",
                   self->options.once ? "check=once" : "trace=commits", way->what);
    if (common)
        argp_error(state, "--%s has no effect on %s", common, way->what);
    if ((self->options.card || self->options.toggles) && self->kind != TS_KIND_PROGRAM)
        argp_error(state, "--activity=%s is of a program file; %s has --activity alone",
                   self->options.toggles ? "toggles" : self->options.card, way->what);
    if (self->options.toggles && self->timing_only)
        argp_error(state, "--activity=toggles counts bits of data: not with --timing-only");
    if (self->param_count && !self->power &&
        ts_word_index("program pipe noc sequence", ts_kind_names[self->kind]) < 0)
        argp_error(state, "%s has no parameters: '%s'", ways[self->kind].what, self->params[0]);
}

static bool is_yaml(const char *path, struct ts_error *error)
{
    struct ts_yaml yaml;
    const bool good = ts_yaml_load(&yaml, path, error);
    ts_yaml_free(&yaml);
    return good;
}

void ts_ask_check(struct ts_ask *self, struct argp_state *state)
{
    struct ts_error error = {0};
    const bool said = self->kind != TS_KIND_COUNT;
    check_together(self, state);
    if (!said)
        self->kind = self->file ? ts_kind_of(self->file) : TS_KIND_SCENARIO;
    // A file with a mistake may have been meant as something else: the mistake counts, not the option.
    if (!said && self->file && !self->power && self->kind == TS_KIND_SCENARIO &&
        !is_yaml(self->file, &error))
        exit(ts_complain_error(&error));
    check_given(self, state);
}

// --- what the kinds share ---

static void configure(struct ts_ask *self)
{
    struct tensim_config *config = &self->config;
    ts_options_config(&self->options, config);
    config->step_by_step |= self->exact;
    config->strict = self->strict;
    config->allow = self->allow;
    config->lints = self->lints;
    config->perturb_seed = self->perturb.seed;
    config->perturb_max = self->perturb.max;
    config->perturb_holds = self->perturb.holds;
    config->sources = self->sources;
    config->timing_only = self->timing_only;
    if (self->chip && (self->kind == TS_KIND_PROGRAM || self->kind == TS_KIND_SEQUENCE) &&
        self->param_count < TS_ASK_PARAMS) {
        snprintf(self->chip_param, sizeof self->chip_param, "chip=%s", self->chip);
        self->params[self->param_count++] = self->chip_param;
    }
}

int ts_ask_params(const struct ts_ask *self, struct ts_params *params)
{
    ts_chip_params_add(params);
    return (int)ts_options_params(&self->options, params, ts_soc_machine(self->chip)->numbers);
}

struct ts_tile_config ts_ask_tile(const struct ts_ask *self, const struct ts_params *params)
{
    struct ts_tile_config config = ts_tile_config_from(params);
    config.run_ahead = config.park = !self->exact && !ts_options_exact(&self->options);
    config.strict = self->strict;
    config.lints = self->lint_bits;
    config.unchecked = self->options.unchecked;
    config.check = ts_options_check(&self->options);
    config.timing_only = self->timing_only;
    config.hosting = ts_hosting();
    config.perturb_seed = self->perturb.seed;
    config.perturb_max = self->perturb.max;
    config.perturb_holds = self->perturb.holds;
    return config;
}

// --- the command ---

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
        if (path && ts_kind_of(path) == TS_KIND_PROGRAM)
            return ts_program_help(argc, argv, path);
    }
    return false;
}

int ts_cmd_run(int argc, char **argv)
{
    return tell_options(argc, argv) ? TS_OK : ts_run_command(argc, argv, argc, argv);
}

int ts_run_command(int argc, char **argv, int said_count, char **said)
{
    struct ts_ask *self = ts_need(calloc(1, sizeof *self), "the command");
    self->words = ts_need(calloc((size_t)argc + 1, sizeof *self->words), "the command");
    self->kind = TS_KIND_COUNT;
    self->argc = said_count;
    self->argv = said;
    ts_options_init(&self->options);
    struct argp argp = *ts_run_argp();
    argp.args_doc = ts_help("run")->words;
    argp.doc = ts_help("run")->text;
    ts_crew_hush();
    argp_parse(&argp, argc, argv, 0, NULL, self);
    configure(self);
    int code = self->search ? ts_crew_options_ready(&self->crew, &self->options.out,
                                                    &self->options.json, false)
                            : TS_OK;
    if (code == TS_OK)
        code = way_of(self)->run(self);
    free(self->crew.merge);
    free(self->record);
    free(self->near);
    free(self->lints);
    free(self->replay);
    free(self->schedule);
    free(self->words);
    free(self);
    return code;
}
