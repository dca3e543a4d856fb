// tensim run of a small program: explains its hang, or searches for one; --search of other commands.
#include "platform/base/hash.h"
#include "platform/base/private.h"
#include "platform/cli/recording.h"
#include "platform/cli/run.h"
#include "platform/crew/spawn.h"
#include "platform/study/hang/program.h"

#include <unistd.h>

#define LIMIT 10000000
#define MOST  256 // cycles of delay
#define WORDS 250

// The run directory and --json. Returns `code`, or what went wrong in writing.
static int write_document(const struct ts_ask *self, struct ts_results *results,
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

static int run(const struct ts_ask *self, const struct ts_hang_program *program,
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
static int none_found(const struct ts_ask *self, const struct ts_hang_search *search,
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
        printf("%llu runs, none hangs%s\n", (unsigned long long)search->runs,
               self->word_count ? "; if a card hangs all the same, many matrix units may start "
                                  "together: run it with --activity"
                                : "");
    return TS_OK;
}

// A search that found nothing, or is not complete.
static int not_found(const struct ts_ask *self, struct ts_hang_search *search, json_t *document)
{
    return ts_crew_whole(&search->crew, "runs", &search->code, &search->error)
               ? none_found(self, search, document)
               : search->code;
}

static struct ts_hang_search search_for(const struct ts_ask *self, struct ts_results *results,
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

static int search(const struct ts_ask *self, const struct ts_hang_program *program,
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
        printf("replay: tensim run%s%s --perturb %s %s\n", self->chip ? " --chip " : "",
               self->chip ? self->chip : "", search->perturb, self->file);
    }
    return code;
}

// --- commands, each run a process

static int run_command(const struct ts_ask *self, const char *option, const char *value, char *text,
                       size_t size)
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
    char path[PATH_MAX], text[300], near[PATH_MAX + 8];
    if (!ts_temporary_new(path, sizeof path, "near", false)) {
        ts_complain(TS_OK, "%s: %s; the search begins without near misses", path, strerror(errno));
        return 0;
    }
    snprintf(near, sizeof near, "near:%s", path);
    run_command(context, "--search", near, text, sizeof text);
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

static int search_command(struct ts_ask *self, json_t *document, struct ts_hang_search *search)
{
    char command[600] = "hang --search --";
    // A word may be a file that the runs depend on.
    for (unsigned i = 0; i < self->word_count; i++) {
        ts_append(command, sizeof command, " %s", self->words[i]);
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
static int finish(const struct ts_ask *self, struct ts_results *results,
                  struct ts_hang_search *search, const json_t *document, int code)
{
    bool whole = search == NULL ||
                 (search->code == TS_OK && search->error.code == TS_OK && !search->crew.shards);
    if (search)
        ts_crew_free(&search->crew);
    return whole ? write_document(self, results, document, code) : ts_results_drop(results, code);
}

// The words of the command: those behind --, or `run' with the file, its parameters and the machine's.
static bool take_words(struct ts_ask *self)
{
    size_t count = 0;
    if (self->file == NULL)
        return self->word_count <= WORDS;
    char **words = ts_need(calloc(WORDS + 2, sizeof *words), "the command");
    words[count++] = "run";
    words[count++] = self->words[0];
    for (size_t i = 0; i < self->param_count && count < WORDS; i++) {
        words[count++] = "-p";
        words[count++] = (char *)(uintptr_t)self->params[i];
    }
    for (size_t i = 0; i < self->options.set_count && count < WORDS; i++) {
        words[count++] = "-D";
        words[count++] = (char *)(uintptr_t)self->options.sets[i];
    }
    if (self->options.config && count < WORDS) {
        words[count++] = "-c";
        words[count++] = (char *)(uintptr_t)self->options.config;
    }
    free(self->words);
    self->words = words;
    self->word_count = (unsigned)count;
    return count <= WORDS;
}

int ts_run_search(struct ts_ask *self)
{
    struct ts_results results;
    if (!take_words(self))
        return ts_complain(TS_USAGE, "more than %d words", WORDS);
    int code = ts_results_begin(&results, &self->options, NULL, self->argc, self->argv);
    if (code != TS_OK)
        return code;
    json_t *document = json_object();
    struct ts_hang_search hunt = search_for(self, &results, self->argc, self->argv);
    code = search_command(self, document, &hunt);
    code = finish(self, &results, &hunt, document, code);
    json_decref(document);
    return code;
}

// Hash of all that a run of the program depends on.
static uint64_t fingerprint(const struct ts_ask *self, const struct ts_params *params,
                            ts_cycle limit)
{
    uint64_t hash = ts_hash_program(ts_crew_configuration(params), self->file);
    for (const char *c = self->chip ? self->chip : ""; *c; c++)
        hash = ts_hash_word(hash, (uint64_t)*c);
    hash = ts_hash_word(hash, limit);
    hash = ts_hash_word(hash, self->lint_bits);
    return ts_hash_word(hash, (uint64_t)self->exact << 2 | (uint64_t)self->strict << 1 |
                                  (uint64_t)self->options.unchecked);
}

int ts_run_small(struct ts_ask *self)
{
    struct ts_params params = {0};
    int code = ts_ask_params(self, &params);
    struct ts_hang_program *program = calloc(1, sizeof *program);
    struct ts_error error = {0};
    if (program == NULL)
        code = ts_complain(TS_SETUP, "out of memory");
    if (code == TS_OK && !ts_hang_program_read(program, self->file, NULL, self->chip, &error))
        code = ts_complain_error(&error);
    struct ts_results results = {0};
    if (code == TS_OK)
        code = ts_results_begin(&results, &self->options, &params, self->argc, self->argv);
    if (code == TS_OK) {
        struct ts_tile_config config = ts_ask_tile(self, &params);
        ts_cycle limit = self->options.max_cycles < LIMIT ? self->options.max_cycles : LIMIT;
        json_t *document = json_object();
        struct ts_hang_recording recording = {.ops = self->record_ops};
        char *origin = NULL;
        program->hashed = self->options.stats_hash;
        program->params = &params;
        program->checks = (struct ts_checks_how){.suppress = self->options.suppress,
                                                 .strict = config.check.strict};
        struct ts_file *record = NULL;
        if (self->record && !self->search &&
            (record = ts_file_open(self->record, &error)) != NULL) {
            recording.file = ts_file_stream(record);
            recording.command = origin = ts_record_command(self->argc, self->argv);
            program->recording = &recording;
        }
        struct ts_hang_search hunt = search_for(self, &results, self->argc, self->argv);
        char command[300];
        snprintf(command, sizeof command, "hang --search %s", self->file);
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
