// tensim cost: what operations cost, one or a batch, from the store or by runs of a crew (platform/lib/cost.h).
#include "platform/base/json.h"
#include "platform/cli/crew_options.h"
#include "platform/cli/pricing.h"
#include "platform/out/text.h"

#define WORDS 64

struct query {
    struct ts_cost_query of;
    size_t line, run; // run: which of the crew's
    struct ts_error error;
};

struct arguments {
    struct ts_options options; // -c, -D, -o ...
    unsigned jobs;
    struct ts_texts words;
    const char *allow;
    // Work.
    struct query *queries;
    size_t count, room, said;
    struct ts_pricing pricing; // queries that differ
    json_t *places;            // text of a query: its run
    bool lines;                // a batch
    int code;
};

static const struct ts_take takes[] = {
    TS_WHOLE("threads", struct arguments, jobs, 1, TS_CREW_WORKERS),
    TS_TEXT("allow", struct arguments, allow),
    {0}};

// --- queries ---

static struct query *new_query(struct arguments *self, size_t line)
{
    if (self->count == self->room) {
        self->room = 2 * self->room + 16;
        self->queries = ts_need(realloc(self->queries, self->room * sizeof *self->queries),
                                "the queries");
    }
    self->queries[self->count] = (struct query){.line = line};
    return &self->queries[self->count++];
}

// A member of a query as a setting.
static bool set_member(struct query *to, const char *name, const json_t *value, char text[300])
{
    if (json_is_string(value))
        snprintf(text, 300, "%.60s=%.230s", name, json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, 300, "%.60s=%lld", name, (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, 300, "%.60s=%.15g", name, json_real_value(value));
    else if (json_is_boolean(value))
        snprintf(text, 300, "%.60s=%d", name, json_is_true(value));
    else
        ts_fail(&to->error, TS_SETUP, "\"%.60s\" is neither a text nor a number", name);
    return to->error.code == TS_OK;
}

static void ask_line(struct arguments *self, struct query *to, const char *line)
{
    char texts[WORDS][300];
    const char *settings[WORDS], *name;
    size_t count = 0;
    json_error_t why;
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, &why), *value;
    const char *operation = json_string_value(json_object_get(object, "operation"));
    if (object == NULL)
        ts_fail(&to->error, TS_SETUP, "not a JSON object: %.100s", why.text);
    else if (operation == NULL)
        ts_fail(&to->error, TS_SETUP, "a query is {\"operation\": PROGRAM, PARAMETER: VALUE, ...}");
    json_object_foreach(object, name, value)
    {
        if (strcmp(name, "operation") == 0 || to->error.code != TS_OK)
            continue;
        if (count == WORDS)
            ts_fail(&to->error, TS_SETUP, "more than %d parameters", WORDS);
        else if (set_member(to, name, value, texts[count]))
            settings[count] = texts[count], count++;
    }
    if (to->error.code == TS_OK)
        ts_cost_ask(self->pricing.costs, operation, settings, count, &to->of, &to->error);
    json_decref(object);
}

// Queries that are the same have one run.
static void place(struct arguments *self)
{
    struct ts_pricing *to = &self->pricing;
    to->runs = ts_need(calloc(self->count + 1, sizeof *to->runs), "the queries");
    self->places = json_object();
    for (size_t i = 0; i < self->count; i++) {
        struct query *query = &self->queries[i];
        if (query->error.code != TS_OK)
            continue;
        const json_t *known = json_object_get(self->places, query->of.text);
        query->run = known ? (size_t)json_integer_value(known) : to->count;
        if (known)
            continue;
        json_object_set_new(self->places, query->of.text, json_integer((json_int_t)query->run));
        to->runs[to->count++] = &query->of;
    }
}

static int read_batch(struct arguments *self, const char *path)
{
    const bool in = strcmp(path, "-") == 0;
    FILE *file = in ? stdin : fopen(path, "re");
    char *line = NULL;
    size_t room = 0, number = 0;
    struct ts_crew_place at = {0, 1};
    struct ts_error ignored = {0};
    ts_crew_place(&at, &ignored);
    if (file == NULL)
        return ts_complain(TS_SETUP, "%s: cannot be read: %s", path, strerror(errno));
    if (in && at.ranks > 1)
        return ts_complain(TS_USAGE, "only one of %u ranks has stdin: name a file", at.ranks);
    while (getline(&line, &room, file) > 0) {
        number++;
        if (line[strspn(line, " \t\r\n")] == '\0')
            continue;
        ask_line(self, new_query(self, number), line);
    }
    free(line);
    if (!in)
        fclose(file);
    return TS_OK;
}

// --- answers ---

// A wrong query is a wrong file, not a wrong command line.
static int exit_of(int code)
{
    return code == TS_USAGE ? TS_SETUP : code;
}

static void fail(struct arguments *self, const struct query *query, int code, const char *text)
{
    self->code = self->code ? self->code : exit_of(code);
    if (self->lines)
        ts_complain(TS_OK, "%s:%zu: %s", self->words.text[0], query->line, text);
    else
        ts_complain(TS_OK, "%s", text);
}

static void say(struct arguments *self, const struct query *query, const json_t *row)
{
    json_t *answer = json_object_get(row, "answer");
    const char *why = query->error.code != TS_OK ? query->error.text
                                                 : json_string_value(json_object_get(row, "error"));
    const int code = query->error.code != TS_OK ? (int)query->error.code
                                                : (int)ts_json_integer(row, "code");
    if (answer == NULL)
        fail(self, query, code, why ? why : "its run ended without a result");
    if (self->lines) {
        json_t *line = json_pack("{s:I}", "line", (json_int_t)query->line);
        if (answer)
            json_object_update(line, answer);
        else
            ts_json_more(line, "{s:s, s:i}", "error", why ? why : "", "code", exit_of(code));
        json_dumpf(line, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
        json_decref(line);
    } else if (answer && self->options.json) {
        json_t *document = json_pack("{s:s, s:i}", "schema", "tensim.cost", "version", 1);
        json_object_update(document, answer);
        self->code = ts_output_json(self->options.json, document);
        json_decref(document);
    } else if (answer && !self->options.quiet)
        ts_text_print("cost", answer, self->options.verbose, stdout);
}

// Up to run `index` all have rows: says the answers that come next.
static void show(void *context, size_t index, const json_t *row)
{
    struct arguments *self = context;
    (void)row;
    for (; self->said < self->count; self->said++) {
        const struct query *query = &self->queries[self->said];
        if (query->error.code == TS_OK && query->run > index)
            return;
        say(self, query, query->error.code == TS_OK ? self->pricing.crew.rows[query->run] : NULL);
    }
}

// All that is missing runs; then what is left has been said.
static int work(struct arguments *self)
{
    struct ts_error error = {0};
    struct ts_pricing *pricing = &self->pricing;
    place(self);
    pricing->show = show;
    pricing->context = self;
    pricing->crew.quiet |= pricing->count == 1; // no progress of one run
    const int code = ts_pricing_run(pricing, &error);
    if (code == TS_OK)
        show(self, pricing->count, NULL);
    if (self->options.verbose && code == TS_OK)
        fprintf(stderr, "tensim: %zu queries, %zu operations: %zu from the store, %zu runs\n",
                self->count, pricing->count, pricing->crew.resumed,
                pricing->count - pricing->crew.resumed);
    ts_crew_free(&pricing->crew);
    if (error.code != TS_OK)
        return ts_complain_error(&error);
    if (code > TS_SIGNAL)
        return ts_complain((enum ts_code)code, "stopped; the answers so far are in the store");
    return self->code;
}

static int ask(struct arguments *self)
{
    const char *first = self->words.text[0], *dot = strrchr(first, '.');
    self->lines = strcmp(first, "-") == 0 ||
                  (dot && (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".json") == 0));
    if (self->lines && self->words.count > 1)
        return ts_complain(TS_USAGE, "queries of %s have their parameters themselves: '%s'", first,
                           self->words.text[1]);
    if (self->lines)
        return read_batch(self, first);
    struct query *query = new_query(self, 1);
    if (ts_cost_ask(self->pricing.costs, first, self->words.text + 1, self->words.count - 1,
                    &query->of, &query->error))
        return TS_OK;
    return ts_complain_error(&query->error);
}

int ts_cmd_cost(int argc, char **argv)
{
    struct arguments *self = ts_need(calloc(1, sizeof *self), "the command");
    ts_options_init(&self->options);
    ts_parse(&(struct ts_parser){.help = "cost",
                                 .takes = takes,
                                 .common = "set config out json quiet verbose",
                                 .to = offsetof(struct arguments, words)},
             argc, argv, self);
    int code = ts_pricing_open(&self->pricing, &self->options, self->allow, self->jobs, argc, argv);
    code = code ? code : ask(self);
    code = code ? code : work(self);
    for (size_t i = 0; i < self->count; i++)
        ts_cost_query_free(&self->queries[i].of);
    ts_costs_close(self->pricing.costs);
    json_decref(self->places);
    free(self->queries);
    free(self->pricing.runs);
    free(self);
    return code;
}
