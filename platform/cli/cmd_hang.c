// tensim hang: runs a small synchronisation program, explains its hang, or searches for one.
#include "platform/chip/chip.h"
#include "platform/cli/common.h"
#include "platform/study/hang_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char doc[] =
    "Run a synchronisation program (YAML: steps of the cores of one tile) and explain how it "
    "hangs.\v"
    "Exit code 2 for a hang, 0 when all cores came to their end. The form of a program is "
    "described "
    "in platform/study/hang_program.h; tests/gallery has examples. --search tries SEEDS seeds with "
    "delays of up to 1, 2, 4 ... cycles and prints the command that replays the smallest "
    "perturbation that hangs. It also searches other commands that know --perturb, kernels and "
    "scenarios: tensim hang --search 20 -- run scenario.yaml.";

enum {
    OPTION_PERTURB = 512,
    OPTION_SEARCH,
    OPTION_MOST,
    OPTION_EXACT,
    OPTION_STRICT,
    OPTION_LINT,
    OPTION_RECORD,
    OPTION_OPS
};

static const struct argp_option options[] = {
    {"perturb", OPTION_PERTURB, "SEED[:MAX]", 0,
     "hold accesses of cores and instructions at the gates for up to MAX (16) cycles at random", 0},
    {"search", OPTION_SEARCH, "SEEDS", 0, "search for a perturbation that hangs", 0},
    {"most", OPTION_MOST, "CYCLES", 0, "longest delay that --search tries (256)", 0},
    {"record", OPTION_RECORD, "FILE", 0,
     "write the run's synchronisation operations as a program for `tensim explore'", 0},
    {"operations", OPTION_OPS, "N", 0, "at most N operations of each thread in the recording", 0},
    {"strict", OPTION_STRICT, NULL, 0, "lints (lost posts and gets, races) are faults", 0},
    {"lint", OPTION_LINT, "CHOICE", 0, TS_LINT_HELP, 0},
    {"step-by-step", OPTION_EXACT, NULL, 0,
     "no running ahead, no parking of polls: slower, same results", 0},
    {0},
};

#define LIMIT 10000000
#define WORDS 60

struct arguments {
    struct ts_options options;
    char *words[WORDS]; // a program, or a command with its options
    unsigned word_count;
    uint64_t seed;
    uint32_t max, search, most, ops;
    const char *record;
    bool exact, strict;
    uint32_t lints;
};

static uint32_t number(struct argp_state *state, const char *text, char **end)
{
    unsigned long value = strtoul(text, end, 0);
    if (*end == text || value > UINT32_MAX)
        argp_error(state, "'%s' is not a number", text);
    return (uint32_t)value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    char *end = NULL;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        return 0;
    case OPTION_PERTURB:
        if (!ts_perturb_parse(arg, &self->seed, &self->max))
            argp_error(state, "--perturb %s: not SEED or SEED:MAX", arg);
        return 0;
    case OPTION_SEARCH:
        self->search = number(state, arg, &end);
        if (*end != '\0' || self->search == 0)
            argp_error(state, "--search %s: not a number of seeds", arg);
        return 0;
    case OPTION_MOST:
        self->most = number(state, arg, &end);
        if (*end != '\0' || self->most == 0 || self->most > 1u << 20)
            argp_error(state, "--most %s: not 1 to 1048576", arg);
        return 0;
    case OPTION_RECORD:
        self->record = arg;
        return 0;
    case OPTION_OPS:
        self->ops = number(state, arg, &end);
        if (*end != '\0')
            argp_error(state, "--operations %s: not a number", arg);
        return 0;
    case OPTION_STRICT:
        self->strict = true;
        return 0;
    case OPTION_LINT:
        self->lints = ts_lint_option(arg, state);
        return 0;
    case OPTION_EXACT:
        self->exact = true;
        return 0;
    case ARGP_KEY_ARG:
        if (self->word_count == WORDS)
            argp_error(state, "more than %d words", WORDS);
        self->words[self->word_count++] = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name a program");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool write_document(const struct arguments *self, json_t *document)
{
    if (self->options.json == NULL)
        return true;
    if (strcmp(self->options.json, "-") == 0) {
        json_dumpf(document, stdout, JSON_INDENT(1));
        putchar('\n');
        return true;
    }
    return json_dump_file(document, self->options.json, JSON_INDENT(1)) == 0;
}

static int run(const struct arguments *self, const struct ts_hang_program *program,
               const struct ts_tile_config *config, ts_cycle limit, json_t *document)
{
    struct ts_hang_outcome outcome;
    ts_hang_program_run(program, config, limit, &outcome);
    bool talk = ts_options_talk(&self->options);
    for (size_t i = 0; talk && i < json_array_size(outcome.lints); i++) {
        const json_t *lint = json_array_get(outcome.lints, i);
        fprintf(stderr, "tensim: %s %s: tile %s: cycle %lld: %s (%s)\n",
                json_string_value(json_object_get(lint, "level")),
                json_string_value(json_object_get(lint, "name")),
                json_string_value(json_object_get(lint, "tile")),
                (long long)json_integer_value(json_object_get(lint, "cycle")),
                json_string_value(json_object_get(lint, "lint")),
                json_string_value(json_object_get(lint, "first")));
    }
    if (outcome.code == TS_HANG && talk)
        printf("%s%s\n", outcome.screen ? outcome.screen : "", outcome.line);
    else if (outcome.code == TS_OK && talk)
        printf("all cores came to their end at cycle %llu\n", (unsigned long long)outcome.cycle);
    else if (outcome.code == TS_LIMIT)
        ts_complain(TS_LIMIT, "cycle limit %llu reached", (unsigned long long)limit);
    else if (outcome.code != TS_OK && outcome.code != TS_HANG)
        ts_complain(outcome.code, "%s", outcome.text);
    json_object_set_new(document, "code", json_integer((json_int_t)outcome.code));
    json_object_set_new(document, "cycles", json_integer((json_int_t)outcome.cycle));
    if (outcome.document)
        json_object_set(document, "hang", outcome.document);
    if (json_array_size(outcome.lints))
        json_object_set(document, "lints", outcome.lints);
    int code = (int)outcome.code;
    ts_hang_outcome_free(&outcome);
    return code;
}

static int search(const struct arguments *self, const struct ts_hang_program *program,
                  struct ts_tile_config *config, ts_cycle limit, json_t *document)
{
    struct ts_hang_search search = {
        .seeds = self->search, .most = self->most, .threads = self->options.threads};
    bool found = ts_hang_search(program, config, limit, &search);
    bool talk = ts_options_talk(&self->options);
    json_object_set_new(document, "runs", json_integer((json_int_t)search.runs));
    if (!found) {
        if (talk)
            printf("%llu runs, none hangs\n", (unsigned long long)search.runs);
        return TS_OK;
    }
    config->perturb_seed = search.seed;
    config->perturb_max = search.max;
    json_object_set_new(document, "seed", json_integer(search.seed));
    json_object_set_new(document, "max", json_integer(search.max));
    int code = run(self, program, config, limit, document);
    if (talk)
        printf("found in run %llu; replay: tensim hang --perturb %u:%u %s\n",
               (unsigned long long)search.runs, search.seed, search.max, self->words[0]);
    return code;
}

// --- commands, each run a process

// Runs the command with a perturbation, quietly; its exit code.
static bool try_command(void *context, uint32_t seed, uint32_t max)
{
    const struct arguments *self = context;
    char perturb[40];
    char *argv[WORDS + 8];
    unsigned count = 0;
    snprintf(perturb, sizeof perturb, "%u:%u", seed, max);
    argv[count++] = (char *)(uintptr_t) "tensim";
    for (unsigned i = 0; i < self->word_count; i++)
        argv[count++] = self->words[i];
    argv[count++] = (char *)(uintptr_t) "--perturb";
    argv[count++] = perturb;
    argv[count++] = (char *)(uintptr_t) "-q";
    argv[count] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    int status = 0;
    bool started = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == TS_HANG;
}

static int search_command(struct arguments *self, json_t *document)
{
    struct ts_hang_search search = {
        .seeds = self->search, .most = self->most, .threads = self->options.threads};
    bool found = ts_hang_search_any(try_command, self, &search);
    bool talk = ts_options_talk(&self->options);
    json_object_set_new(document, "runs", json_integer((json_int_t)search.runs));
    if (!found) {
        if (talk)
            printf("%llu runs, none hangs\n", (unsigned long long)search.runs);
        return TS_OK;
    }
    json_object_set_new(document, "seed", json_integer(search.seed));
    json_object_set_new(document, "max", json_integer(search.max));
    if (talk) {
        printf("found in run %llu; replay: tensim", (unsigned long long)search.runs);
        for (unsigned i = 0; i < self->word_count; i++)
            printf(" %s", self->words[i]);
        printf(" --perturb %u:%u\n", search.seed, search.max);
    }
    return TS_HANG;
}

static bool is_program(const struct arguments *self)
{
    const char *dot = strrchr(self->words[0], '.');
    return self->word_count == 1 && dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

int ts_cmd_hang(int argc, char **argv);
int ts_cmd_hang(int argc, char **argv)
{
    struct arguments self = {.most = 256};
    ts_options_init(&self.options);
    const struct argp_child children[] = {{&ts_options_argp, 0, NULL, 0}, {0}};
    const struct argp argp = {options, parse, "PROGRAM.yaml\n-- COMMAND [OPTION...]", doc, children,
                              NULL,    NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    if (!is_program(&self)) {
        if (self.search == 0)
            return ts_complain(TS_USAGE,
                               "one program (.yaml) at a time; commands with --search only");
        json_t *document = json_object();
        int code = search_command(&self, document);
        if (!write_document(&self, document))
            code = ts_complain(TS_SETUP, "%s: cannot be written", self.options.json);
        json_decref(document);
        return code;
    }
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    int code = (int)ts_options_params(&self.options, &params, "blackhole.yaml");
    struct ts_hang_program *program = calloc(1, sizeof *program);
    struct ts_error error = {0};
    if (program == NULL)
        code = ts_complain(TS_SETUP, "out of memory");
    if (code == TS_OK && !ts_hang_program_read(program, self.words[0], &error))
        code = ts_complain_error(&error);
    if (code == TS_OK) {
        struct ts_tile_config config = ts_tile_config_from(&params);
        config.run_ahead = config.park = !self.exact;
        config.strict = self.strict;
        config.lints = self.lints;
        config.unchecked = self.options.unchecked;
        config.perturb_seed = self.seed;
        config.perturb_max = self.max;
        ts_cycle limit = self.options.max_cycles < LIMIT ? self.options.max_cycles : LIMIT;
        json_t *document = json_object();
        struct ts_hang_recording recording = {.ops = self.ops};
        if (self.record && !self.search) {
            recording.file = fopen(self.record, "w");
            program->recording = recording.file ? &recording : NULL;
            if (recording.file == NULL)
                ts_complain(TS_SETUP, "%s: cannot be written", self.record);
        }
        code = self.search ? search(&self, program, &config, limit, document)
                           : run(&self, program, &config, limit, document);
        if (!write_document(&self, document))
            code = ts_complain(TS_SETUP, "%s: cannot be written", self.options.json);
        json_decref(document);
        if (recording.file)
            fclose(recording.file);
    }
    if (program)
        ts_hang_program_free(program);
    free(program);
    ts_params_free(&params);
    return code;
}
