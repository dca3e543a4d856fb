// tensim pipe --sweep: a run for each combination of values, by a crew.
#include "platform/base/hash.h"
#include "platform/base/json.h"
#include "platform/cli/cmd_pipe.h"
#include "platform/cli/results.h"
#include "platform/study/pipe/run.h"
#include "platform/study/pipe/tune.h"

#include <stdlib.h>
#include <string.h>

// --- options

void ts_pipe_parse_sweep(struct ts_pipe_arguments *self, struct argp_state *state, const char *arg)
{
    const char *equals = strchr(arg, '=');
    if (equals == NULL || self->sweeps == TS_PIPE_SWEEPS ||
        (size_t)(equals - arg) >= sizeof self->sweep[0].key)
        argp_error(state, "--sweep: '%s' is not KEY=LIST", arg);
    struct ts_pipe_values *sweep = &self->sweep[self->sweeps++];
    snprintf(sweep->key, sizeof sweep->key, "%.*s", (int)(equals - arg), arg);
    long long from, to;
    int end = 0;
    if (sscanf(equals + 1, "%lld..%lld%n", &from, &to, &end) == 2 && equals[1 + end] == 0) {
        if (from <= to && (unsigned long long)to - (unsigned long long)from >= TS_PIPE_SWEEP_VALUES)
            argp_error(state, "--sweep: '%s' has more than %d values", arg, TS_PIPE_SWEEP_VALUES);
        for (; from <= to && sweep->count < TS_PIPE_SWEEP_VALUES; from++)
            snprintf(sweep->value[sweep->count++], sizeof sweep->value[0], "%lld", from);
    } else {
        for (const char *at = equals + 1; *at;) {
            size_t length = strcspn(at, ",");
            if (sweep->count == TS_PIPE_SWEEP_VALUES)
                argp_error(state, "--sweep: '%.40s...' has more than %d values", arg,
                           TS_PIPE_SWEEP_VALUES);
            if (length >= sizeof sweep->value[0])
                argp_error(state, "--sweep: '%.*s' is longer than %zu characters", (int)length, at,
                           sizeof sweep->value[0] - 1);
            snprintf(sweep->value[sweep->count++], sizeof sweep->value[0], "%.*s", (int)length, at);
            at += length + (at[length] == ',');
        }
    }
    if (sweep->count == 0)
        argp_error(state, "--sweep: '%s' has no values", arg);
}

int ts_pipe_read_sets(const struct ts_pipe_arguments *arguments, struct ts_pipe_given *self)
{
    size_t count = 0;
    for (size_t i = 0; i < arguments->options.set_count; i++) {
        snprintf(self->text[i], sizeof self->text[i], "%s", arguments->options.sets[i]);
        char *equals = strchr(self->text[i], '=');
        if (equals == NULL)
            return ts_complain(TS_USAGE, "--set: '%s' is not KEY=VALUE", self->text[i]);
        *equals = 0;
        self->set[count++] = (struct ts_pipe_set){self->text[i], equals + 1};
    }
    if (arguments->no_data)
        self->set[count++] = (struct ts_pipe_set){"data", "false"};
    self->sets = (struct ts_pipe_sets){.set = self->set, .count = count, .used = self->used};
    return TS_OK;
}

int ts_pipe_check_used(const struct ts_pipe_given *self)
{
    for (size_t i = 0; i < self->sets.count; i++)
        if (!self->used[i] && strcmp(self->set[i].key, "data") != 0)
            return ts_complain(TS_SETUP, "--set: the program has no '%s'", self->set[i].key);
    return TS_OK;
}

// --- a run

struct table {
    const struct ts_pipe_arguments *arguments;
    struct ts_pipe_given *sets;
    size_t fixed; // of them, before the sweep's
    size_t count;
};

// The value of each axis; the last one changes first.
static void choose(const struct table *self, size_t index, size_t choice[TS_PIPE_SWEEPS])
{
    for (size_t i = self->arguments->sweeps; i-- > 0; index /= self->arguments->sweep[i].count)
        choice[i] = index % self->arguments->sweep[i].count;
}

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    const struct table *self = context;
    size_t choice[TS_PIPE_SWEEPS], used = 0;
    choose(self, index, choice);
    key[0] = '\0';
    for (size_t i = 0; i < self->arguments->sweeps && used < size; i++)
        used += (size_t)snprintf(key + used, size - used, "%s%s=%s", i ? " " : "",
                                 self->arguments->sweep[i].key,
                                 self->arguments->sweep[i].value[choice[i]]);
}

static void load_sets(const struct table *self, size_t index)
{
    size_t choice[TS_PIPE_SWEEPS];
    struct ts_pipe_given *sets = self->sets;
    choose(self, index, choice);
    sets->sets.count = self->fixed;
    for (size_t i = 0; i < self->arguments->sweeps; i++)
        sets->set[sets->sets.count++] = (struct ts_pipe_set){
            self->arguments->sweep[i].key, self->arguments->sweep[i].value[choice[i]]};
}

static void finding_names(const struct ts_pipe_run *run, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int id = 0; id < TS_FINDING_COUNT && used < size; id++)
        if (run->findings.seen[id])
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
                                     ts_finding_code((enum ts_finding_id)id));
}

// What the table and the page want of a run.
static void fill_row(const struct table *self, size_t index, const struct ts_pipe_program *program,
                     const struct ts_pipe_run *run, json_t *row)
{
    struct ts_pipe_memory memory = ts_pipe_memory(program);
    size_t choice[TS_PIPE_SWEEPS];
    char findings[600];
    json_t *of = json_object(), *report = json_object();
    choose(self, index, choice);
    finding_names(run, findings, sizeof findings);
    for (size_t i = 0; i < self->arguments->sweeps; i++)
        json_object_set_new(of, self->arguments->sweep[i].key,
                            json_string(self->arguments->sweep[i].value[choice[i]]));
    json_object_set_new(report, "set", of);
    ts_pipe_report_json(run, report);
    json_object_set_new(report, "memory", json_integer((json_int_t)ts_pipe_memory_total(&memory)));
    json_object_set_new(report, "chip", json_integer((json_int_t)ts_pipe_memory_chip(&memory)));
    json_object_set_new(row, "report", report);
    json_object_set_new(row, "verdict", json_integer(run->verdict));
    json_object_set_new(row, "cycles", json_integer((json_int_t)run->run.cycle));
    json_object_set_new(row, "findings", json_string(findings));
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    const struct table *self = context;
    struct ts_pipe_program program;
    struct ts_pipe_run run = {0};
    struct ts_error error = {0};
    (void)seat;
    load_sets(self, index);
    if (ts_pipe_load(&program, self->arguments->program, &self->sets->sets, &error) == TS_OK)
        ts_pipe_run_alone(&run, &program, 1, &error);
    json_object_set_new(row, "code", json_integer(error.code));
    if (error.code == TS_OK)
        fill_row(self, index, &program, &run, row);
    else
        json_object_set_new(row, "error", json_string(error.text));
    ts_pipe_run_free_alone(&run);
    ts_pipe_program_free(&program);
}

// --- the table

static void write_heading(const struct ts_pipe_arguments *arguments, FILE *file)
{
    for (size_t i = 0; i < arguments->sweeps; i++)
        fprintf(file, "%s,", arguments->sweep[i].key);
    fputs("verdict,cycles,findings\n", file);
}

static void write_row(const struct table *self, size_t index, const json_t *row, FILE *file)
{
    size_t choice[TS_PIPE_SWEEPS];
    choose(self, index, choice);
    for (size_t i = 0; i < self->arguments->sweeps; i++)
        fprintf(file, "%s,", self->arguments->sweep[i].value[choice[i]]);
    fprintf(file, "%s,%lld,%s\n",
            ts_pipe_verdict_name((enum ts_pipe_verdict)ts_json_integer(row, "verdict")),
            (long long)ts_json_integer(row, "cycles"), ts_json_text(row, "findings"));
}

static void show(void *context, size_t index, const json_t *row)
{
    const struct table *self = context;
    if (ts_json_integer(row, "code") == TS_OK && ts_options_talk(&self->arguments->options)) {
        write_row(self, index, row, stdout);
        fflush(stdout);
    }
}

static void write_text(const void *text, FILE *file)
{
    fputs(text, file);
}

// Result files and --json; an exit code.
static int write_results(const struct table *self, const struct ts_crew *crew,
                         struct ts_results *results)
{
    char *text = NULL;
    size_t length = 0;
    FILE *csv = open_memstream(&text, &length);
    json_t *rows = json_array();
    if (csv == NULL)
        ts_out_of_memory("the command");
    write_heading(self->arguments, csv);
    for (size_t i = 0; i < self->count; i++) {
        write_row(self, i, crew->rows[i], csv);
        json_array_append(rows, json_object_get(crew->rows[i], "report"));
    }
    fclose(csv);
    json_t *document = json_pack("{s:s, s:i, s:o}", "schema", "tensim.pipe.sweep", "version", 1,
                                 "rows", rows);
    ts_results_page(results, document, NULL);
    ts_results_write(results, "result.csv", write_text, text);
    int code = ts_output_json(self->arguments->options.json, document);
    json_decref(document);
    free(text);
    return code;
}

// --- all runs

// Of the program and of --set: results of another one are not taken.
static uint64_t fingerprint(const struct table *self)
{
    uint64_t hash = ts_hash_file(TS_HASH_START, self->arguments->program);
    for (size_t i = 0; i < self->fixed; i++) {
        const struct ts_pipe_set *set = &self->sets->set[i];
        hash = ts_hash_bytes(hash, set->key, strlen(set->key) + 1);
        hash = ts_hash_bytes(hash, set->value, strlen(set->value) + 1);
    }
    return hash;
}

// The first combination shows whether the file can be read and has all keys.
static int check_first(const struct table *self)
{
    struct ts_pipe_program program;
    struct ts_error error = {0};
    load_sets(self, 0);
    int code = ts_pipe_load(&program, self->arguments->program, &self->sets->sets, &error) == TS_OK
                   ? ts_pipe_check_used(self->sets)
                   : ts_complain_error(&error);
    ts_pipe_program_free(&program);
    return code;
}

// The first run that could not be made.
static int check_rows(const struct table *self, const struct ts_crew *crew)
{
    for (size_t i = 0; i < self->count; i++)
        if (ts_json_integer(crew->rows[i], "code") != TS_OK)
            return ts_complain((enum ts_code)ts_json_integer(crew->rows[i], "code"), "%s",
                               ts_json_text(crew->rows[i], "error"));
    return TS_OK;
}

int ts_pipe_sweep(struct ts_pipe_arguments *arguments, struct ts_pipe_given *sets, int argc,
                  char **argv)
{
    struct ts_results results = {0};
    struct ts_error error = {0};
    struct table table = {arguments, sets, sets->sets.count, 1};
    for (size_t i = 0; i < arguments->sweeps && table.count <= TS_CREW_RUNS; i++)
        table.count *= arguments->sweep[i].count;
    int code = ts_crew_options_ready(&arguments->crew, &arguments->options.out,
                                     &arguments->options.json, false);
    code = code ? code : check_first(&table);
    code = code ? code : ts_results_begin(&results, &arguments->options, NULL, argc, argv);
    if (code != TS_OK)
        return code;
    struct ts_crew crew = ts_crew_from(&arguments->crew, arguments->options.threads,
                                       arguments->options.quiet, argc, argv);
    ts_crew_keep(&crew, &results, arguments->options.out);
    struct ts_crew_list list = {.command = "pipe --sweep",
                                .unit = "runs",
                                .count = table.count,
                                .configuration = fingerprint(&table),
                                .context = &table,
                                .key = key_of,
                                .run = run_of,
                                .show = show};
    if (ts_options_talk(&arguments->options) && !arguments->crew.serves && !crew.shards)
        write_heading(arguments, stdout);
    fflush(stdout);
    code = ts_crew_run(&crew, &list, &error);
    if (ts_crew_whole(&crew, "runs", &code, &error) && (code = check_rows(&table, &crew)) == TS_OK)
        code = ts_results_end(&results, write_results(&table, &crew, &results));
    else // a part of a table is none
        code = ts_results_drop(&results, code);
    ts_crew_free(&crew);
    return code;
}
