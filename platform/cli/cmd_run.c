// tensim run: programs on the cores of one tile, or a scenario of tiles, alone or on a chip.
#include "platform/chip/chip.h"
#include "platform/cli/session.h"
#include "platform/load/scenario.h"
#include "platform/study/hang/record.h"
#include "platform/tile/lints.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Run RISC-V programs: a scenario (YAML), or ELF files on the cores of one tile.\v"
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
    OPTION_RECORD
};

static const struct argp_option options[] = {
    {"brisc", OPTION_CORE + TS_RV_BRISC, "ELF", 0,
     "program of a core; it starts at the ELF's entry (BRISC always at 0)", 0},
    {"trisc0", OPTION_CORE + TS_RV_TRISC0, "ELF", 0, NULL, 0},
    {"trisc1", OPTION_CORE + TS_RV_TRISC1, "ELF", 0, NULL, 0},
    {"trisc2", OPTION_CORE + TS_RV_TRISC2, "ELF", 0, NULL, 0},
    {"ncrisc", OPTION_CORE + TS_RV_NCRISC, "ELF", 0, NULL, 0},
    {"raw", OPTION_RAW, "ADDRESS=FILE", 0, "load a raw file into L1", 0},
    {"until", OPTION_UNTIL, "ADDRESS=VALUE", 0, "end the run when this word of L1 has this value",
     0},
    {"log-commits", OPTION_LOG, "DIR", 0, "write one commit log per core, in Spike's format", 0},
    {"perturb", OPTION_PERTURB, "SEED[:MAX]", 0,
     "delay core accesses and instructions at the gates by up to MAX (16) random cycles", 0},
    {"record", OPTION_RECORD, "FILE", 0,
     "write the synchronisation operations of the first tile as a program for `tensim explore'", 0},
    {"strict", OPTION_STRICT, NULL, 0, "turn lints (lost posts and gets, races) into faults", 0},
    {"lint", OPTION_LINT, "CHOICE", 0, TS_LINT_HELP, 0},
    {"step-by-step", OPTION_EXACT, NULL, 0,
     "do not run ahead, do not park polls: slower, same results", 0},
    {0},
};

#define RAW_MAX 32

struct arguments {
    struct ts_options options;
    const char *scenario;
    const char *elf[TS_RV_CORES];
    const char *raw[RAW_MAX];
    unsigned raw_count;
    const char *until;
    const char *log, *record;
    bool exact, strict;
    uint32_t lints;
    uint64_t perturb_seed;
    uint32_t perturb_max;
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
        return 0;
    case OPTION_RAW:
        if (self->raw_count == RAW_MAX)
            argp_error(state, "more than %d --raw", RAW_MAX);
        self->raw[self->raw_count++] = arg;
        return 0;
    case OPTION_UNTIL:
        self->until = arg;
        return 0;
    case OPTION_LOG:
        self->log = arg;
        return 0;
    case OPTION_RECORD:
        self->record = arg;
        return 0;
    case OPTION_STRICT:
        self->strict = true;
        return 0;
    case OPTION_LINT:
        self->lints = ts_lint_option(arg, state);
        return 0;
    case OPTION_PERTURB:
        if (!ts_perturb_parse(arg, &self->perturb_seed, &self->perturb_max))
            argp_error(state, "--perturb %s: not SEED or SEED:MAX", arg);
        return 0;
    case OPTION_EXACT:
        self->exact = true;
        return 0;
    case ARGP_KEY_ARG:
        if (self->scenario != NULL)
            argp_error(state, "one scenario at a time");
        self->scenario = arg;
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

static bool load(const struct arguments *self, struct ts_scenario_tile *tile,
                 struct ts_error *error)
{
    for (unsigned core = 0; core < TS_RV_CORES; core++)
        if (self->elf[core] != NULL) {
            if (!ts_load_elf(&tile->loader, core, self->elf[core], &tile->pc[core], error))
                return false;
            struct ts_error why = {0};
            if (!ts_tile_startable(core, tile->pc[core], &why)) {
                ts_fail(error, TS_SETUP, "%s: %s", self->elf[core], why.text);
                return false;
            }
            tile->has_program[core] = true;
        }
    for (unsigned i = 0; i < self->raw_count; i++) {
        uint32_t address;
        const char *file = split(self->raw[i], &address);
        if (file == NULL) {
            ts_fail(error, TS_USAGE, "--raw %s: not ADDRESS=FILE", self->raw[i]);
            return false;
        }
        if (!ts_load_raw(&tile->loader, address, file, error))
            return false;
    }
    return true;
}

struct until {
    struct ts_tile *tile;
    uint32_t address, value;
    ts_cycle at; // when it had it
};

static uint32_t until_word(const struct until *self)
{
    uint32_t word;
    memcpy(&word, self->tile->l1.bytes + self->address, 4);
    return word;
}

static void until_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct until *self = context;
    (void)address;
    (void)length;
    if (until_word(self) != self->value || self->at != 0)
        return;
    self->at = at;
    ts_break(&self->tile->cores[0].component, at);
}

static bool watch(const struct arguments *self, struct until *until, struct ts_error *error)
{
    const char *text = split(self->until, &until->address);
    int64_t value = 0;
    bool good = text != NULL && ts_parse_int(text, &value) && value >= INT32_MIN &&
                value <= UINT32_MAX;
    until->value = (uint32_t)value;
    if (!good || !ts_l1_contains(until->address, 4) || until->address % 4 != 0) {
        ts_fail(error, TS_USAGE, "--until %s: not ADDRESS=VALUE of a word of L1", self->until);
        return false;
    }
    return ts_l1_watch_add(&until->tile->l1,
                           &(struct ts_l1_watch){.granule = until->address / TS_L1_GRANULE,
                                                 .port = UINT32_MAX,
                                                 .written = until_written,
                                                 .context = until});
}

static struct ts_file *logs[TS_SCENARIO_TILES][TS_RV_CORES]; // the CLI is one thread

static bool open_logs(const struct arguments *self, struct ts_scenario *scenario,
                      struct ts_error *error)
{
    for (uint32_t i = 0; i < scenario->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            char path[512];
            snprintf(path, sizeof path, "%s/%u-%u.%s.log", self->log, scenario->tiles[i].x,
                     scenario->tiles[i].y, ts_rv_core_names[core]);
            struct ts_file *file = ts_file_open(path, error);
            if (file == NULL)
                return false;
            logs[i][core] = file;
            scenario->tiles[i].tile->cores[core].log = ts_file_stream(file);
        }
    return true;
}

// Returns `code`, or TS_SETUP if one could not be written.
static int close_logs(struct ts_scenario *scenario, int code)
{
    struct ts_error error = {0};
    for (uint32_t i = 0; i < scenario->tile_count; i++)
        for (unsigned core = 0; scenario->tiles[i].tile != NULL && core < TS_RV_CORES; core++) {
            struct ts_rv_core *c = &scenario->tiles[i].tile->cores[core];
            if (c->log != NULL) {
                ts_rv_core_log_end(c);
                ts_file_close(logs[i][core], &error);
                c->log = NULL;
            }
        }
    return error.code == TS_OK ? code : ts_complain_error(&error);
}

// --- a chip around the tiles ---

static const char *check_dram(void *context, uint32_t channel, uint64_t address, uint64_t length)
{
    const struct ts_chip *chip = context;
    if (channel >= chip->soc.channels)
        return "the chip has no such channel";
    return ts_dram_check(&chip->dram[channel], address, length);
}

static const char *read_dram(void *context, uint32_t channel, uint64_t address, void *bytes,
                             uint64_t length)
{
    struct ts_chip *chip = context;
    const char *why = check_dram(context, channel, address, length);
    if (why)
        return why;
    return ts_dram_read(&chip->dram[channel], address, bytes, length);
}

static const char *write_dram(void *context, uint32_t channel, uint64_t address, const void *bytes,
                              uint64_t length)
{
    struct ts_chip *chip = context;
    const char *why = check_dram(context, channel, address, length);
    if (why)
        return why;
    return ts_dram_write(&chip->dram[channel], address, bytes, length);
}

static const struct ts_scenario_dram dram = {check_dram, read_dram, write_dram};

static bool build_chip(struct ts_chip *chip, struct ts_scenario *scenario,
                       const struct ts_session *session, struct ts_error *error)
{
    struct ts_soc soc;
    struct ts_tile *tiles[TS_SCENARIO_TILES];
    struct ts_error why = {0};
    if (ts_soc_find(&soc, scenario->chip, &why) != TS_OK) {
        ts_yaml_error(ts_scenario_chip_node(scenario), "%s", why.text);
        return false;
    }
    for (uint32_t i = 0; i < scenario->tile_count; i++) {
        const struct ts_scenario_tile *tile = &scenario->tiles[i];
        enum ts_noc_node node = tile->x < soc.width && tile->y < soc.height
                                    ? soc.node[tile->y][tile->x]
                                    : TS_NOC_NODE_EMPTY;
        if (node != TS_NOC_NODE_TENSIX) {
            ts_yaml_error(ts_scenario_tile_node(scenario, i),
                          "%u-%u of %s is %s, not a Tensix tile", tile->x, tile->y, scenario->chip,
                          ts_noc_node_name(node));
            return false;
        }
        tiles[i] = tile->tile;
    }
    return ts_chip_init(chip, session->kernel, &soc, session->params, tiles, scenario->tile_count,
                        error) == TS_OK &&
           ts_scenario_load_dram(scenario, &dram, chip, error);
}

struct drive {
    struct ts_session *session;
    const struct ts_scenario *scenario;
};

static bool drive(void *context, ts_cycle limit, struct ts_run *run)
{
    const struct drive *self = context;
    struct ts_session *session = self->session;
    session->patient = self->scenario->patient;
    ts_session_run(session, limit);
    *run = session->run;
    return run->stop != TS_STOP_FAULT && run->stop != TS_STOP_SIGNAL &&
           !(run->stop == TS_STOP_LIMIT && run->cycle == session->options->max_cycles);
}

static void verdict(const struct ts_session *session, const struct ts_scenario *scenario)
{
    printf("%s at cycle %llu (%.3f ms at 1.35 GHz), %.2f s\n",
           session->content ? "script passed" : ts_stop_name(session->run.stop),
           (unsigned long long)session->run.cycle, (double)session->run.cycle / 1.35e6,
           session->seconds);
    for (uint32_t i = 0; i < scenario->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            const struct ts_rv_core *c = &scenario->tiles[i].tile->cores[core];
            if (c->instret == 0)
                continue;
            const char *state = c->held       ? "held"
                                : c->paused   ? "paused at ebreak"
                                : c->spinning ? "at its end"
                                              : "running";
            printf("  tile %u-%u %-7s %12llu instructions, %.3f a cycle, pc 0x%x, %s\n",
                   scenario->tiles[i].x, scenario->tiles[i].y, ts_rv_core_names[core],
                   (unsigned long long)c->instret, (double)c->instret / (double)(c->t ? c->t : 1),
                   c->pc, state);
        }
}

static void document(struct ts_session *session, const struct ts_scenario *scenario)
{
    json_t *cores = json_array();
    for (uint32_t i = 0; i < scenario->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++) {
            const struct ts_rv_core *c = &scenario->tiles[i].tile->cores[core];
            char tile[16];
            snprintf(tile, sizeof tile, "%u-%u", scenario->tiles[i].x, scenario->tiles[i].y);
            json_array_append_new(cores, json_pack("{s:s, s:s, s:I, s:I, s:b, s:b}", "tile", tile,
                                                   "core", ts_rv_core_names[core], "instructions",
                                                   (json_int_t)c->instret, "pc", (json_int_t)c->pc,
                                                   "held", (int)c->held, "paused", (int)c->paused));
        }
    json_object_set_new(session->document, "cores", cores);
    if (scenario->step_count > 0)
        json_object_set_new(session->document, "script",
                            json_string(session->content ? "passed" : "failed"));
}

static int write_recording(const struct arguments *self, struct ts_recorder *recorder)
{
    struct ts_error error = {0};
    struct ts_file *file = ts_file_open(self->record, &error);
    if (file)
        ts_recorder_write(recorder, self->scenario ? self->scenario : "tensim run", 0,
                          ts_file_stream(file));
    return file && ts_file_close(file, &error) ? TS_OK : ts_complain_error(&error);
}

// Everything between building and the exit code.
static int run(const struct arguments *self, struct ts_session *session,
               struct ts_scenario *scenario, struct ts_chip *chip,
               const struct ts_tile_config *config)
{
    struct ts_error error = {0};
    bool good = self->scenario ? ts_scenario_read(scenario, self->scenario, &error)
                               : ts_scenario_single(scenario, &error);
    good = good && ts_scenario_build(scenario, session->kernel, config, &error);
    if (good && scenario->chip[0])
        good = build_chip(chip, scenario, session, &error);
    struct until until = {.tile = good ? scenario->tiles[0].tile : NULL};
    if (good && self->scenario == NULL)
        good = load(self, &scenario->tiles[0], &error);
    if (good && self->until != NULL)
        good = watch(self, &until, &error);
    if (good && self->log != NULL)
        good = open_logs(self, scenario, &error);
    if (!good)
        return ts_complain_error(&error);
    scenario->out = ts_options_talk(&self->options) ? stdout : NULL;
    int code = ts_session_begin(session);
    if (code != TS_OK)
        return code;
    struct drive context = {session, scenario};
    struct ts_recorder *recorder = self->record ? ts_recorder_new(scenario->tiles[0].tile) : NULL;
    enum ts_code end = ts_scenario_run(scenario, &(struct ts_scenario_driver){drive, &context},
                                       &error);
    session->content = scenario->step_count > 0 && end == TS_OK;
    code = ts_session_end(session);
    if (recorder) {
        int written = write_recording(self, recorder);
        code = written != TS_OK ? written : code;
    }
    ts_recorder_free(recorder);
    if (error.code != TS_OK && session->run.stop != TS_STOP_FAULT)
        code = ts_complain_error(&error);
    if (self->until != NULL && code == TS_OK && until_word(&until) != until.value)
        code = ts_complain(TS_DIFFERS,
                           "--until %s: the cores came to their end, and the word is 0x%x",
                           self->until, until_word(&until));
    document(session, scenario);
    if (scenario->chip[0])
        json_object_set_new(session->document, "chip", ts_chip_json(chip, session->run.cycle));
    if (until.at != 0)
        json_object_set_new(session->document, "until_cycle", json_integer((json_int_t)until.at));
    if (until.at != 0 && ts_options_talk(&self->options))
        printf("0x%x = 0x%x at cycle %llu\n", until.address, until.value,
               (unsigned long long)until.at);
    if (ts_options_talk(&self->options))
        verdict(session, scenario);
    return ts_session_write(session, code);
}

int ts_cmd_run(int argc, char **argv);
int ts_cmd_run(int argc, char **argv)
{
    struct arguments self = {0};
    ts_options_init(&self.options);
    const struct argp_child children[] = {{&ts_options_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse, "[SCENARIO.yaml]", doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    int code = (int)ts_options_params(&self.options, &params, "blackhole.yaml");
    if (code == TS_OK) {
        struct ts_tile_config config = ts_tile_config_from(&params);
        config.run_ahead = config.park = !self.exact;
        config.strict = self.strict;
        config.lints = self.lints;
        config.unchecked = self.options.unchecked;
        config.perturb_seed = self.perturb_seed;
        config.perturb_max = self.perturb_max;
        struct ts_session session = {
            .options = &self.options,
            .params = &params,
            .kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = self.options.threads}),
            .clock_mhz = 1350,
            .argc = argc,
            .argv = argv,
        };
        struct ts_scenario scenario = {0};
        static struct ts_chip chip; // large
        code = run(&self, &session, &scenario, &chip, &config);
        code = close_logs(&scenario, code);
        ts_chip_free(&chip);
        ts_scenario_free(&scenario);
        ts_session_free(&session);
    }
    ts_params_free(&params);
    return code;
}
