// tensim hang: runs a small synchronisation program, explains its hang, or searches for one.
#include "platform/base/hash.h"
#include "platform/base/number.h"
#include "platform/base/private.h"
#include "platform/chip/chip.h"
#include "platform/cli/crew_options.h"
#include "platform/cli/recording.h"
#include "platform/cli/results.h"
#include "platform/crew/spawn.h"
#include "platform/explain/hang.h"
#include "platform/study/hang/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char doc[] =
    "Run a small program (YAML: steps of cores, on tiles) and explain how it hangs.\v"
    "Exit code 2 for a hang, 0 if all cores end. platform/load/README.md describes small programs; "
    "tests/gallery has examples, and programs of `tensim explore' and `tensim step' run, too. "
    "--search delays first what nearly went another way (a semaphore at its edge, a bank given "
    "back soon, a full buffer), then tries SEEDS seeds with random delays of up to 1, 2, 4 ... "
    "cycles, and prints the command that replays the hang. It also searches other commands that "
    "accept --perturb (program files, kernels, scenarios): tensim hang --search 20 -- run "
    "program.yaml.";

enum {
    OPTION_PERTURB = 512,
    OPTION_SEARCH,
    OPTION_RANDOM,
    OPTION_MOST,
    OPTION_EXACT,
    OPTION_STRICT,
    OPTION_LINT,
    OPTION_RECORD,
    OPTION_OPS,
    OPTION_CHIP
};

static const struct argp_option options[] = {
    {"perturb", OPTION_PERTURB, "SEED[:MAX]", 0,
     "delay core accesses and instructions at the gates by up to MAX (16) random cycles; or "
     "PLACE@NUMBER+CYCLES,...: exactly these",
     0},
    {"search", OPTION_SEARCH, "SEEDS", 0, "search for a perturbation that hangs", 0},
    {"random", OPTION_RANDOM, NULL, 0, "search at random only, without near misses", 0},
    {"most", OPTION_MOST, "CYCLES", 0, "longest delay that --search tries (default 256)", 0},
    {"record", OPTION_RECORD, "FILE", 0,
     "write the run's synchronisation operations as a program for `tensim explore'", 0},
    {"operations", OPTION_OPS, "N", 0, "at most N operations of each thread in the recording", 0},
    {"chip", OPTION_CHIP, "CARD", 0, "p150 (default), another card, or a SoC file (.yaml)", 0},
    {"strict", OPTION_STRICT, NULL, 0, TS_STRICT_HELP, 0},
    {"lint", OPTION_LINT, "CHOICE", 0, TS_LINT_HELP, 0},
    {"step-by-step", OPTION_EXACT, NULL, 0,
     "do not run ahead, do not park polls: slower, same results", 0},
    {0},
};

#define LIMIT 10000000
#define MOST  256 // cycles of delay
#define WORDS 60

struct arguments {
    struct ts_options options;
    struct ts_crew_options crew;
    char *words[WORDS]; // a program, or a command with its options
    unsigned word_count;
    struct ts_perturb_how perturb;
    uint32_t search, most, ops;
    bool random;
    const char *record, *chip;
    bool exact, strict;
    uint64_t lints;
};

static uint32_t number(struct argp_state *state, const char *text, char **end)
{
    unsigned long value = strtoul(text, end, ts_number_base(text));
    if (*end == text || value > UINT32_MAX)
        argp_error(state, "'%s' is not a number", text);
    return (uint32_t)value;
}

// Options that mean nothing together.
static void check_together(const struct arguments *self, struct argp_state *state)
{
    if (self->most && self->search == 0)
        argp_error(state, "--most is the longest delay that --search tries: give --search too");
    if (self->ops && self->record == NULL)
        argp_error(state, "--operations is of the recording: give --record too");
    if (self->record && self->search)
        argp_error(state, "--record writes one run, --search makes many: give one of them");
    if (self->random && self->search == 0)
        argp_error(state, "--random is a way to search: give --search too");
    if (self->perturb.max && self->search)
        argp_error(state, "--search chooses the perturbations itself: no --perturb");
    if ((self->crew.shards || self->crew.timeout > 0) && self->search == 0)
        argp_error(state, "--shard and --timeout are of the many runs of --search: give it too");
    if (self->chip && self->word_count > 1)
        argp_error(state, "--chip is of the command that is searched: give it behind --");
    if (self->strict && self->options.unchecked)
        argp_error(state, "--strict makes faults of the lints that --no-hang-check turns off: "
                          "give one of them");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    char *end = NULL;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &self->options;
        state->child_inputs[1] = &self->crew;
        return 0;
    case OPTION_CHIP:
        self->chip = arg;
        return 0;
    case OPTION_PERTURB:
        if (!ts_perturb_parse(arg, &self->perturb))
            argp_error(state, "--perturb %s: not " TS_PERTURB_FORM, arg);
        return 0;
    case OPTION_SEARCH:
        self->search = number(state, arg, &end);
        if (*end != '\0' || self->search == 0)
            argp_error(state, "--search %s: not a number of seeds", arg);
        return 0;
    case OPTION_RANDOM:
        self->random = true;
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
    case ARGP_KEY_END:
        check_together(self, state);
        return 0;
    case ARGP_KEY_SUCCESS:
        ts_demand_writable(self->record);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// The run directory and --json. Returns `code`, or what went wrong in writing.
static int write_document(const struct arguments *self, struct ts_results *results,
                          const json_t *document, int code)
{
    json_t *hang = json_object_get(document, "hang");
    ts_results_json(results, "result.json", document);
    if (hang)
        ts_results_hang(results, hang);
    code = ts_results_end(results, code);
    int written = ts_output_json(self->options.json, document);
    return written != TS_OK ? written : code;
}

static int run(const struct arguments *self, const struct ts_hang_program *program,
               const struct ts_tile_config *config, ts_cycle limit, json_t *document)
{
    struct ts_hang_outcome outcome;
    ts_hang_program_run(program, config, limit, &outcome);
    bool talk = ts_options_talk(&self->options);
    for (size_t i = 0; talk && i < json_array_size(outcome.lints); i++)
        ts_lint_print(json_array_get(outcome.lints, i), 0, stderr);
    if ((talk || outcome.checks.count) && self->options.check && outcome.checks.list)
        ts_checks_print(&outcome.checks, stderr);
    if (outcome.code == TS_HANG && talk)
        printf("%s%s\n", outcome.screen ? outcome.screen : "", outcome.line);
    else if (outcome.code == TS_OK && talk)
        printf("all cores ended at cycle %llu\n", (unsigned long long)outcome.cycle);
    else if (outcome.code == TS_LIMIT)
        ts_complain(TS_LIMIT, "cycle limit %llu reached", (unsigned long long)limit);
    else if (outcome.code != TS_OK && outcome.code != TS_HANG)
        ts_complain(outcome.code, "%s", outcome.text);
    json_object_set_new(document, "chip", json_string(program->chip));
    json_object_set_new(document, "code", json_integer((json_int_t)outcome.code));
    json_object_set_new(document, "cycles", json_integer((json_int_t)outcome.cycle));
    if (program->hashed && outcome.hash[0]) {
        json_object_set_new(document, "stats_hash", json_string(outcome.hash));
        json_object_set_new(document, "timing_hash", json_string(outcome.timing));
        if (self->options.json == NULL)
            puts(outcome.hash);
    }
    if (outcome.document)
        json_object_set(document, "hang", outcome.document);
    if (json_array_size(outcome.lints))
        json_object_set(document, "lints", outcome.lints);
    if (self->options.check && outcome.checks.list)
        json_object_set(document, "checks", outcome.checks.list);
    int code = outcome.code == TS_OK && outcome.checks.count ? TS_FINDINGS : (int)outcome.code;
    ts_hang_outcome_free(&outcome);
    return code;
}

// The end of a search that found no hang: all runs ended well, or one failed and stopped it.
static int none_found(const struct arguments *self, const struct ts_hang_search *search,
                      json_t *document)
{
    json_object_set_new(document, "runs", json_integer((json_int_t)search->runs));
    if (search->failure.code != TS_OK) {
        json_object_set_new(document, "error", json_string(search->failure.text));
        return ts_complain(search->failure.code,
                           "the search stopped: --perturb %s ends with exit code %d: %s",
                           search->perturb, (int)search->failure.code, search->failure.text);
    }
    if (ts_options_talk(&self->options))
        printf("%llu runs, none hangs\n", (unsigned long long)search->runs);
    return TS_OK;
}

// A search that found nothing, or is not complete.
static int not_found(const struct arguments *self, struct ts_hang_search *search, json_t *document)
{
    return ts_crew_whole(&search->crew, "runs", &search->code, &search->error)
               ? none_found(self, search, document)
               : search->code;
}

static struct ts_hang_search search_for(const struct arguments *self, struct ts_results *results,
                                        int argc, char **argv)
{
    struct ts_hang_search search = {
        .seeds = self->search,
        .most = self->most ? self->most : MOST,
        .random = self->random,
        .crew = ts_crew_from(&self->crew, self->options.threads, self->options.quiet, argc, argv)};
    ts_crew_keep(&search.crew, results, self->options.out);
    return search;
}

static void found(const struct ts_hang_search *search, json_t *document)
{
    json_object_set_new(document, "runs", json_integer((json_int_t)search->runs));
    json_object_set_new(document, "perturb", json_string(search->perturb));
    if (search->why[0])
        json_object_set_new(document, "near_miss", json_string(search->why));
}

static void print_found(const struct ts_hang_search *search)
{
    printf("found in run %llu", (unsigned long long)search->runs);
    if (search->why[0])
        printf(": %s", search->why);
    if (search->shortened)
        printf("; %llu more runs made the delay as short as it can be",
               (unsigned long long)search->shortened);
    putchar('\n');
}

static int search(const struct arguments *self, const struct ts_hang_program *program,
                  struct ts_tile_config *config, ts_cycle limit, json_t *document,
                  struct ts_hang_search *search)
{
    if (!ts_hang_search(program, config, limit, search))
        return not_found(self, search, document);
    struct ts_perturb_how how;
    found(search, document);
    ts_perturb_parse(search->perturb, &how);
    config->perturb_seed = how.seed;
    config->perturb_max = how.max;
    config->perturb_holds = how.holds;
    int code = run(self, program, config, limit, document);
    if (ts_options_talk(&self->options)) {
        print_found(search);
        printf("replay: tensim hang%s%s --perturb %s %s\n", self->chip ? " --chip " : "",
               self->chip ? self->chip : "", search->perturb, self->words[0]);
    }
    return code;
}

// --- commands, each run a process

static int run_command(const struct arguments *self, const char *option, const char *value,
                       char *text, size_t size)
{
    const char *words[WORDS + 2];
    unsigned count = 0;
    for (; count < self->word_count; count++)
        words[count] = self->words[count];
    words[count++] = option;
    words[count++] = value;
    return ts_spawn(words, count, NULL, text, size);
}

// A run that says where it nearly went another way. The file has no other reader.
static size_t look_at_command(void *context, struct ts_near_hold *list, size_t room)
{
    char path[PATH_MAX], text[300];
    if (!ts_temporary_new(path, sizeof path, "near", false)) {
        ts_complain(TS_OK, "%s: %s; the search begins without near misses", path, strerror(errno));
        return 0;
    }
    run_command(context, "--near", path, text, sizeof text);
    FILE *file = fopen(path, "r");
    size_t count = file ? ts_near_read(file, list, room) : 0;
    if (file)
        fclose(file);
    unlink(path);
    return count;
}

static enum ts_code try_command(void *context, const char *perturb, struct ts_error *error)
{
    char text[300];
    int code = run_command(context, "--perturb", perturb, text, sizeof text);
    if (code != TS_OK && code != TS_HANG)
        ts_fail(error, (enum ts_code)code, "%s", text[0] ? text : "no message");
    return (enum ts_code)code;
}

static int search_command(struct arguments *self, json_t *document, struct ts_hang_search *search)
{
    char command[600] = "hang --search --";
    // A word may be a file that the runs depend on.
    for (unsigned i = 0; i < self->word_count; i++) {
        snprintf(command + strlen(command), sizeof command - strlen(command), " %s",
                 self->words[i]);
        search->configuration = ts_hash_bytes(search->configuration, self->words[i],
                                              strlen(self->words[i]) + 1);
        search->configuration = ts_hash_program(search->configuration, self->words[i]);
    }
    search->command = command;
    if (!ts_hang_search_any(try_command, look_at_command, self, search))
        return not_found(self, search, document);
    found(search, document);
    if (ts_options_talk(&self->options)) {
        print_found(search);
        printf("replay: tensim");
        for (unsigned i = 0; i < self->word_count; i++)
            printf(" %s", self->words[i]);
        printf(" --perturb %s\n", search->perturb);
    }
    return TS_HANG;
}

// The end of a search, or of one run: a search that is not complete has no result.
static int finish(const struct arguments *self, struct ts_results *results,
                  struct ts_hang_search *search, const json_t *document, int code)
{
    bool whole = search == NULL ||
                 (search->code == TS_OK && search->error.code == TS_OK && !search->crew.shards);
    if (search)
        ts_crew_free(&search->crew);
    return whole ? write_document(self, results, document, code) : ts_results_drop(results, code);
}

static bool is_program(const struct arguments *self)
{
    const char *dot = strrchr(self->words[0], '.');
    return self->word_count == 1 && dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static int hang_of_command(struct arguments *self, int argc, char **argv)
{
    if (self->search == 0)
        return ts_complain(TS_USAGE, "one program (.yaml) at a time; commands with --search only");
    struct ts_results results;
    int code = ts_results_begin(&results, &self->options, NULL, argc, argv);
    if (code != TS_OK)
        return code;
    json_t *document = json_object();
    struct ts_hang_search hunt = search_for(self, &results, argc, argv);
    code = search_command(self, document, &hunt);
    code = finish(self, &results, &hunt, document, code);
    json_decref(document);
    return code;
}

// Hash of all that a run of the program depends on.
static uint64_t fingerprint(const struct arguments *self, const struct ts_params *params,
                            ts_cycle limit)
{
    uint64_t hash = ts_hash_program(ts_crew_configuration(params), self->words[0]);
    for (const char *c = self->chip ? self->chip : ""; *c; c++)
        hash = ts_hash_word(hash, (uint64_t)*c);
    hash = ts_hash_word(hash, limit);
    hash = ts_hash_word(hash, self->lints);
    return ts_hash_word(hash, (uint64_t)self->exact << 2 | (uint64_t)self->strict << 1 |
                                  (uint64_t)self->options.unchecked);
}

static int hang_of_program(struct arguments *self, int argc, char **argv)
{
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    int code = (int)ts_options_params(&self->options, &params, "blackhole.yaml");
    struct ts_hang_program *program = calloc(1, sizeof *program);
    struct ts_error error = {0};
    if (program == NULL)
        code = ts_complain(TS_SETUP, "out of memory");
    if (code == TS_OK && !ts_hang_program_read_on(program, self->words[0], self->chip, &error))
        code = ts_complain_error(&error);
    struct ts_results results = {0};
    if (code == TS_OK)
        code = ts_results_begin(&results, &self->options, &params, argc, argv);
    if (code == TS_OK) {
        struct ts_tile_config config = ts_tile_config_from(&params);
        config.run_ahead = config.park = !self->exact && !ts_options_exact(&self->options);
        config.strict = self->strict;
        config.lints = self->lints;
        config.unchecked = self->options.unchecked;
        config.check = ts_options_check(&self->options);
        config.perturb_seed = self->perturb.seed;
        config.perturb_max = self->perturb.max;
        config.perturb_holds = self->perturb.holds;
        ts_cycle limit = self->options.max_cycles < LIMIT ? self->options.max_cycles : LIMIT;
        json_t *document = json_object();
        struct ts_hang_recording recording = {.ops = self->ops};
        char *origin = NULL;
        program->hashed = self->options.stats_hash;
        program->params = &params;
        program->checks = (struct ts_checks_how){.suppress = self->options.suppress,
                                                 .strict = config.check.strict};
        struct ts_file *record = NULL;
        if (self->record && !self->search &&
            (record = ts_file_open(self->record, &error)) != NULL) {
            recording.file = ts_file_stream(record);
            recording.command = origin = ts_record_command(argc, argv);
            program->recording = &recording;
        }
        struct ts_hang_search hunt = search_for(self, &results, argc, argv);
        char command[300];
        snprintf(command, sizeof command, "hang --search %s", self->words[0]);
        hunt.command = command;
        hunt.configuration = fingerprint(self, &params, limit);
        code = self->search ? search(self, program, &config, limit, document, &hunt)
                            : run(self, program, &config, limit, document);
        code = finish(self, &results, self->search ? &hunt : NULL, document, code);
        json_decref(document);
        if (record)
            ts_file_close(record, &error);
        free(origin);
        if (error.code != TS_OK)
            code = ts_complain_error(&error);
    }
    free(program);
    ts_params_free(&params);
    return code;
}

int ts_cmd_hang(int argc, char **argv);
int ts_cmd_hang(int argc, char **argv)
{
    struct arguments self = {0};
    ts_options_init(&self.options);
    struct ts_options_argp common;
    const struct argp_child children[] = {
        {ts_options_only(&common, &self.options,
                         "config set threads max-cycles no-hang-check check suppress checkpoint "
                         "gdb live out json "
                         "stats-hash quiet"),
         0, NULL, 0},
        {&ts_crew_argp, 0, NULL, 0},
        {0}};
    const struct argp argp = {options, parse, "PROGRAM.yaml\n-- COMMAND [OPTION...]", doc, children,
                              NULL,    NULL};
    ts_crew_hush();
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    int code = self.search
                   ? ts_crew_options_ready(&self.crew, &self.options.out, &self.options.json, false)
                   : ts_crew_refuse_ranks("hang without --search");
    if (code == TS_OK && !is_program(&self))
        code = hang_of_command(&self, argc, argv);
    else if (code == TS_OK)
        code = hang_of_program(&self, argc, argv);
    free(self.crew.merge);
    return code;
}
