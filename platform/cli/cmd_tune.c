// tensim tune: the advice of --why that parameters can express, tried within a budget (config/advice.def).
//
//   program or sequence --> candidates: its parameters, and those of the programs of its steps, the longest operation first
//     --> each alone (pricing.h: many at once, from the store) --> what helped is checked with numbers
//     --> one after the other together, as long as it helps --> diff of the file
//
// With a budget of tries the result depends on nothing else; with one of time on the host.
#include "platform/base/json.h"
#include "platform/cli/pricing.h"
#include "platform/cli/tune_file.h"
#include "platform/cli/why_list.h"
#include "platform/load/kind.h"
#include "platform/load/loader.h"
#include "platform/out/text.h"
#include "platform/run/plan/plan.h"

#include <time.h>

#define WORDS   64
#define TRIES   512
#define HELPS   0.1 // percent: less is not worth a change
#define CHECKED 12  // of what helped, at most

struct
try {
    struct ts_change change;
    const char *text; // the advice
    char where[64];   // the operation; "": the file
    struct ts_cost_query query;
    double cycles, gain, error, pcc;
    char wrong[300];
    bool together;
};

struct arguments {
    struct ts_options options;
    struct ts_texts words;
    const char *allow, *yaml, *diff;
    size_t tries; // tries: the budget, or as many as time lets
    unsigned jobs;
    double seconds; // the budget; 0: it is one of tries
    bool timing_only;
    // Work.
    struct ts_pricing pricing;
    struct ts_cost_query query;
    double began, cycles, error, joined; // errors: of the file as it is, of all changes together
    char wrong[300];                     // what is wrong with them together
    json_t *base;
    struct try *list;
    size_t count, tried;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void parse_budget(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    char *end;
    const double value = strtod(arg, &end);
    self->seconds = *end == 'm' ? 60 * value : *end == 's' ? value : 0;
    self->tries = *end ? TRIES : (size_t)value;
    if (end == arg || !(value >= 1 && value < 1e6) || (*end && (!strchr("ms", *end) || end[1])) ||
        (*end == '\0' && strchr(arg, '.')))
        argp_error(state, "--budget: '%s' is not 20 (tries), 10m or 30s", arg);
}

static const struct ts_take takes[] = {
    TS_CALL("budget", parse_budget),
    TS_WHOLE("threads", struct arguments, jobs, 1, TS_CREW_WORKERS),
    TS_TEXT("allow", struct arguments, allow),
    TS_FLAG("timing-only", struct arguments, timing_only),
    TS_FORM("yaml", FILE, struct arguments, yaml),
    TS_FORM("diff", FILE, struct arguments, diff),
    {0}};

// --- candidates ---

static void add_tries(struct arguments *self, const char *path, const char *const *settings,
                      size_t count, int line, const char *where)
{
    const bool sequence = ts_kind_of(path) == TS_KIND_SEQUENCE;
    const struct ts_plan_options options = {
        .params = settings, .param_count = count, .unchecked = true, .sequence = sequence};
    struct ts_error ignored = {0};
    struct ts_why why = {.path = path, .options = settings, .option_count = count};
    struct ts_why_list *list = calloc(1, sizeof *list);
    struct ts_plan *plan = ts_plan_read(path, &options, &ignored);
    if (plan && list) {
        list->why = &why;
        list->sequence = sequence;
        ts_why_tries(list, plan);
    }
    for (size_t i = 0; list && plan && i < list->count && self->count < TRIES; i++) {
        const char *setting = list->points[i].setting, *equals = strchr(setting, '=');
        struct try *to = &self->list[self->count];
        *to = (struct try){.text = list->points[i].text, .change.line = line};
        if (line && ts_plan_format_by_name(equals + 1) >= 0)
            continue; // its tensors are the sequence's
        snprintf(to->change.name, sizeof to->change.name, "%.*s", (int)(equals - setting), setting);
        snprintf(to->change.value, sizeof to->change.value, "%.60s", equals + 1);
        snprintf(to->where, sizeof to->where, "%.60s", where);
        for (char *at = to->change.name; (at = strchr(at, '-')) != NULL;)
            *at = '_';
        self->count++;
    }
    ts_plan_free(plan);
    free(list);
}

// Of the programs of a sequence; a step of a loop once.
static void add_steps(struct arguments *self)
{
    json_t *operations = ts_json_sorted(json_incref(json_object_get(self->base, "operations")),
                                        "-cycles line");
    for (size_t i = 0; i < json_array_size(operations); i++) {
        const json_t *row = json_array_get(operations, i);
        const int line = (int)ts_json_integer(row, "line");
        const char *name = json_string_value(json_object_get(row, "operation")), *key,
                   *settings[WORDS], *slash = strrchr(self->query.path, '/');
        char texts[WORDS][160], neighbour[PATH_MAX], found[PATH_MAX];
        struct ts_error ignored = {0};
        size_t used = 0, before = 0;
        json_t *value;
        while (before < i && ts_json_integer(json_array_get(operations, before), "line") != line)
            before++;
        json_object_foreach(json_object_get(row, "settings"), key, value)
        {
            if (used == WORDS)
                break;
            snprintf(texts[used], sizeof texts[used], "%.60s=%.90s", key, json_string_value(value));
            settings[used] = texts[used];
            used++;
        }
        snprintf(neighbour, sizeof neighbour, "%.*s%.1000s",
                 slash ? (int)(slash + 1 - self->query.path) : 0, self->query.path, name);
        const char *path = strchr(name, '.') ? neighbour
                                             : ts_plan_find(name, found, sizeof found, &ignored);
        if (before == i && path)
            add_tries(self, path, settings, used, line, ts_json_text(row, "name"));
    }
    json_decref(operations);
}

// --- runs ---

// A query with some of the changes.
static bool ask(struct arguments *self, const struct ts_change *const *changes, size_t count,
                struct ts_cost_query *query, struct ts_error *error)
{
    char texts[WORDS][160];
    const char *settings[2 * WORDS];
    size_t used = 0;
    for (size_t i = 0; i < self->query.count; i++) {
        bool replaced = false;
        const char *own = self->query.settings[i];
        for (size_t k = 0; k < count; k++) {
            const size_t length = strlen(changes[k]->name);
            replaced |= changes[k]->line == 0 && strncmp(own, changes[k]->name, length) == 0 &&
                        own[length] == '=';
        }
        if (!replaced && used < WORDS)
            settings[used++] = own;
    }
    for (size_t k = 0; k < count && k < WORDS; k++) {
        char at[16] = "";
        if (changes[k]->line)
            snprintf(at, sizeof at, "@%d:", changes[k]->line);
        snprintf(texts[k], sizeof texts[k], "%s%s=%s", at, changes[k]->name, changes[k]->value);
        settings[used++] = texts[k];
    }
    return ts_cost_ask(self->pricing.costs, self->query.operation, settings, used, query, error);
}

// Runs so many queries; rows stay in the crew. An exit code.
static int price(struct arguments *self, const struct ts_cost_query *const *queries, size_t count,
                 bool numbers)
{
    struct ts_error error = {0};
    ts_crew_free(&self->pricing.crew);
    self->pricing.runs = (const struct ts_cost_query **)queries;
    self->pricing.count = count;
    self->pricing.numbers = numbers;
    const int code = ts_pricing_run(&self->pricing, &error);
    return error.code != TS_OK ? ts_complain_error(&error) : code;
}

static double cycles_of(const struct arguments *self, size_t run)
{
    return ts_json_number(json_object_get(self->pricing.crew.rows[run], "answer"), "cycles");
}

// Each change alone, in parts if time is the budget.
static int try_all(struct arguments *self)
{
    const struct ts_cost_query *queries[TRIES];
    struct ts_error error = {0};
    const size_t part = self->seconds > 0 ? self->pricing.crew.workers : TRIES;
    int code = TS_OK;
    while (code == TS_OK && self->tried < self->count && self->tried < self->tries &&
           (self->seconds <= 0 || now() - self->began < self->seconds)) {
        size_t count = 0;
        const size_t first = self->tried;
        for (; self->tried < self->count && self->tried < self->tries && count < part;
             self->tried++, count++) {
            struct try *one = &self->list[self->tried];
            const struct ts_change *change = &one->change;
            if (!ask(self, &change, 1, &one->query, &error))
                return ts_complain_error(&error);
            queries[count] = &one->query;
        }
        code = price(self, queries, count, false);
        for (size_t i = 0; i < count && code == TS_OK; i++) {
            struct try *one = &self->list[first + i];
            one->cycles = cycles_of(self, i);
            one->gain = one->cycles > 0 ? 100 * (self->cycles - one->cycles) / self->cycles : 0;
        }
    }
    return code;
}

static int best_first(const void *a, const void *b)
{
    const struct try *x = a, *y = b;
    return TS_COMPARE(y->gain, x->gain) ?: TS_COMPARE(x->change.line, y->change.line)
                                          ?: strcmp(x->query.text, y->query.text);
}

// rel_l2 of a run with numbers; wrong: what is not as expected, or "".
static double error_of(const struct arguments *self, size_t run, char wrong[300])
{
    const json_t *row = self->pricing.crew.rows[run];
    const char *why = json_string_value(json_object_get(row, "error"));
    snprintf(wrong, 300, "%s", why ? why : "");
    return json_number_value(
        json_object_get(json_object_get(json_object_get(row, "answer"), "error"), "rel_l2"));
}

// With numbers: the file as it is, then what helped.
static int check(struct arguments *self, size_t helped)
{
    const struct ts_cost_query *queries[CHECKED + 1] = {&self->query};
    for (size_t i = 0; i < helped; i++)
        queries[i + 1] = &self->list[i].query;
    const int code = price(self, queries, helped + 1, true);
    for (size_t i = 0; i <= helped && code == TS_OK; i++) {
        if (i == 0)
            self->error = error_of(self, 0, self->wrong);
        else
            self->list[i - 1].error = error_of(self, i, self->list[i - 1].wrong);
    }
    if (code == TS_OK && self->wrong[0])
        return ts_complain(TS_DIFFERS, "%s", self->wrong);
    return code;
}

// The best first; each that still gains stays. Cycles of all together.
static int join(struct arguments *self, size_t helped, double *cycles)
{
    const struct ts_change *chosen[CHECKED];
    struct ts_error error = {0};
    size_t count = 0;
    int code = TS_OK;
    *cycles = self->cycles;
    for (size_t i = 0; i < helped && code == TS_OK; i++) {
        struct try *one = &self->list[i];
        struct ts_cost_query query = {0};
        const struct ts_cost_query *queries[] = {&query};
        bool same = one->wrong[0] != '\0';
        for (size_t k = 0; k < count; k++)
            same |= chosen[k]->line == one->change.line &&
                    strcmp(chosen[k]->name, one->change.name) == 0;
        if (same)
            continue;
        chosen[count] = &one->change;
        double then = one->cycles;
        if (count && !ask(self, chosen, count + 1, &query, &error))
            return ts_complain_error(&error);
        if (count) {
            code = price(self, queries, 1, false);
            then = code == TS_OK ? cycles_of(self, 0) : 0;
        }
        one->together = then > 0 && then < *cycles * (1 - HELPS / 100);
        if (one->together) {
            *cycles = then;
            count++;
        }
        ts_cost_query_free(&query);
    }
    if (code != TS_OK || self->timing_only || count == 0)
        return code;
    struct ts_cost_query query = {0};
    const struct ts_cost_query *queries[] = {&query};
    if (!ask(self, chosen, count, &query, &error))
        return ts_complain_error(&error);
    code = price(self, queries, 1, true);
    if (code == TS_OK)
        self->joined = error_of(self, 0, self->wrong);
    ts_cost_query_free(&query);
    return code;
}

// --- what comes out ---

static void write_text(const void *text, FILE *file)
{
    fputs(text, file);
}

// The diff, and what the file cannot say. An exit code.
static int write_file(struct arguments *self, size_t helped, json_t *document)
{
    struct ts_change changes[CHECKED];
    bool done[CHECKED] = {false};
    struct ts_error error = {0};
    size_t count = 0, size = 0;
    char *diff = NULL, *bytes;
    for (size_t i = 0; i < helped; i++)
        if (self->list[i].together)
            changes[count++] = self->list[i].change;
    char *after = ts_change_file(self->query.path, changes, count, done, &error);
    bytes = after ? ts_read_file(self->query.path, &size, &error) : NULL;
    char *before = bytes ? strndup(bytes, size) : NULL;
    FILE *file = before ? open_memstream(&diff, &size) : NULL;
    if (file) {
        ts_change_diff(self->query.path, before, after, file);
        fclose(file);
        json_object_set_new(document, "diff", json_string(diff));
    }
    json_t *rest = json_array();
    for (size_t i = 0; i < count; i++)
        if (!done[i] && file)
            json_array_append_new(rest, json_sprintf("%s=%s", changes[i].name, changes[i].value));
    json_object_set_new(document, "only_by_option", rest);
    int code = file ? TS_OK : ts_complain_error(&error);
    if (code == TS_OK)
        code = ts_output(self->yaml, write_text, after);
    if (code == TS_OK)
        code = ts_output(self->diff, write_text, diff);
    free(diff);
    free(after);
    free(bytes);
    free(before);
    return code;
}

static json_t *tell(const struct arguments *self, size_t helped, double cycles)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < helped; i++) {
        const struct try *one = &self->list[i];
        json_t *row = json_pack("{s:s, s:s, s:i, s:s, s:I, s:f, s:s, s:b, s:s}", "name",
                                one->change.name, "value", one->change.value, "line",
                                one->change.line, "where", one->where, "cycles",
                                (json_int_t)one->cycles, "gain", one->gain, "text", one->text,
                                "together", (int)one->together, "wrong", one->wrong);
        if (!self->timing_only && one->wrong[0] == '\0')
            json_object_set_new(row, "rel_l2", json_real(one->error));
        json_array_append_new(rows, row);
    }
    json_t *document = json_pack(
        "{s:s, s:i, s:s, s:I, s:I, s:I, s:I, s:f, s:o}", "schema", "tensim.tune", "version", 1,
        "operation", self->query.text, "cycles", (json_int_t)self->cycles, "candidates",
        (json_int_t)self->count, "tried", (json_int_t)self->tried, "together", (json_int_t)cycles,
        "gain", 100 * (self->cycles - cycles) / self->cycles, "helped", rows);
    if (!self->timing_only && helped) {
        json_object_set_new(document, "rel_l2", json_real(self->error));
        json_object_set_new(document, "together_rel_l2", json_real(self->joined));
        json_object_set_new(document, "together_wrong", json_string(self->wrong));
    }
    return document;
}

static int tune(struct arguments *self)
{
    struct ts_error error = {0};
    const struct ts_cost_query *first[] = {&self->query};
    double cycles = 0;
    size_t helped = 0;
    self->began = now();
    if (!ts_cost_ask(self->pricing.costs, self->words.text[0], self->words.text + 1,
                     self->words.count - 1, &self->query, &error))
        return ts_complain_error(&error);
    int code = price(self, first, 1, false);
    if (code != TS_OK)
        return code;
    const char *why = json_string_value(json_object_get(self->pricing.crew.rows[0], "error"));
    if (why)
        return ts_complain((enum ts_code)ts_json_integer(self->pricing.crew.rows[0], "code"), "%s",
                           why);
    self->base = json_incref(json_object_get(self->pricing.crew.rows[0], "answer"));
    self->cycles = cycles_of(self, 0);
    add_tries(self, self->query.path, (const char *const *)self->query.settings, self->query.count,
              0, "");
    add_steps(self);
    code = try_all(self);
    qsort(self->list, self->tried, sizeof *self->list, best_first);
    while (helped < self->tried && helped < CHECKED && self->list[helped].gain >= HELPS)
        helped++;
    if (code == TS_OK && !self->timing_only && helped)
        code = check(self, helped);
    code = code ? code : join(self, helped, &cycles);
    if (code != TS_OK)
        return code;
    json_t *document = tell(self, helped, cycles);
    code = write_file(self, helped, document);
    if (code == TS_OK && self->options.json)
        code = ts_output_json(self->options.json, document);
    else if (code == TS_OK && !self->options.quiet)
        ts_text_print("tune", document, self->options.verbose, stdout);
    json_decref(document);
    return code;
}

int ts_cmd_tune(int argc, char **argv)
{
    struct arguments *self = ts_need(calloc(1, sizeof *self), "the command");
    self->list = ts_need(calloc(TRIES, sizeof *self->list), "the command");
    self->tries = 20;
    ts_options_init(&self->options);
    ts_parse(&(struct ts_parser){.help = "tune",
                                 .takes = takes,
                                 .common = "set config out json quiet verbose",
                                 .to = offsetof(struct arguments, words)},
             argc, argv, self);
    int code = ts_pricing_open(&self->pricing, &self->options, self->allow, self->jobs, argc, argv);
    code = code ? code : tune(self);
    for (size_t i = 0; i < self->count; i++)
        ts_cost_query_free(&self->list[i].query);
    ts_cost_query_free(&self->query);
    json_decref(self->base);
    ts_crew_free(&self->pricing.crew);
    ts_costs_close(self->pricing.costs);
    free(self->list);
    free(self);
    return code;
}
