// tensim silicon: published measurements of real cards, re-created; how right the model is.
#include "platform/chip/chip.h"
#include "platform/cli/crew_options.h"
#include "platform/report/page.h"
#include "platform/study/pipe/tune.h"
#include "platform/study/silicon/report.h"
#include "platform/study/silicon/sensitivity.h"

#include <unistd.h>

enum { CHOICES = 256 };

// By machine: the card that stands for those on which its rows were measured.
static const char *const cards[TS_MACHINES] = {"p150", "n150"};

static const char *card_of(const char *machine)
{
    return strcmp(machine, TS_SILICON_A5) == 0 ? TS_SILICON_A5
                                               : cards[ts_machine_by_name(machine) - ts_machines];
}

struct arguments {
    struct ts_options options;
    struct ts_crew_options crew;
    struct ts_texts rows;
    const struct ts_machine *machine; // whose parameters the rows take
    const char *rows_of;              // the machine of their cards
    const struct ts_silicon_family *families[CHOICES];
    size_t family_count;
    const char *csv, *html, *markdown, *readme, *sources;
    uint32_t every;
    bool summary;
    unsigned kinds; // of sensitivity; 0: it is not asked for
};

static unsigned kinds_of(const char *text, struct argp_state *state)
{
    unsigned kinds = 0;
    while (*text) {
        size_t length = strcspn(text, ",");
        unsigned kind = 0;
        while (kind <= TS_CHOSEN && (strlen(ts_param_kind_name(kind)) != length ||
                                     strncmp(ts_param_kind_name(kind), text, length) != 0))
            kind++;
        if (kind > TS_CHOSEN)
            argp_error(state,
                       "sensitivity: '%.*s' is not a kind of parameter; choose from documented "
                       "measured inferred assumed chosen",
                       (int)length, text);
        kinds |= 1u << kind;
        text += length + (text[length] == ',');
    }
    return kinds;
}

static void parse_chip(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    self->rows_of = TS_SILICON_A5;
    if (strcmp(arg, TS_SILICON_A5) == 0)
        return;
    size_t machine = 0;
    while (machine < TS_MACHINES && strcmp(arg, cards[machine]) != 0)
        machine++;
    if (machine == TS_MACHINES)
        argp_error(state,
                   "--chip %s: each row runs on the card on which it was measured: p150 (all "
                   "Blackhole cards), n150 (Wormhole) or a5 (Ascend)",
                   arg);
    self->machine = &ts_machines[machine];
    self->rows_of = self->machine->name;
}

static void add_family(struct arguments *self, const char *name, struct argp_state *state)
{
    if (self->family_count == CHOICES)
        argp_error(state, "more than %d families", CHOICES);
    self->families[self->family_count] = ts_silicon_family(name);
    if (self->families[self->family_count++] == NULL) {
        char names[400] = "";
        for (size_t f = 0; ts_silicon_families[f]; f++)
            ts_append(names, sizeof names, " %s", ts_silicon_families[f]->name);
        argp_error(state, "no family '%s'; there are%s", name, names);
    }
}

// The id of a row begins with a capital letter, the name of a family does not.
static void take_word(void *input, char *arg, struct argp_state *state)
{
    struct arguments *self = input;
    if (strcmp(arg, "summary") == 0)
        self->summary = true;
    else if (strncmp(arg, "every=", 6) == 0)
        self->every = (uint32_t)ts_take_number(state, "every", arg + 6, 1, 1000000);
    else if (strncmp(arg, "sensitivity", 11) == 0 && (arg[11] == '=' || arg[11] == '\0'))
        self->kinds = kinds_of(arg[11] ? arg + 12 : "assumed", state);
    else if (*arg < 'A' || *arg > 'Z')
        add_family(self, arg, state);
    else if (self->rows.count == CHOICES)
        argp_error(state, "more than %d rows", CHOICES);
    else
        self->rows.text[self->rows.count++] = arg;
}

#define A struct arguments
static const struct ts_take takes[] = {TS_FORM("csv", FILE, A, csv),
                                       TS_FORM("html", FILE, A, html),
                                       TS_FORM("markdown", FILE, A, markdown),
                                       TS_FORM("readme", FILE, A, readme),
                                       TS_TEXT("sources", A, sources),
                                       TS_CALL("chip", parse_chip),
                                       {0}};

static void take_end(void *input, struct argp_state *state)
{
    const struct arguments *self = input;
    if ((self->kinds || self->readme) && strcmp(self->rows_of, ts_machines->name) != 0)
        argp_error(state, "sensitivity and --write=readme are of Blackhole's rows");
    if (self->kinds && (self->rows.count || self->family_count || self->every || self->csv ||
                        self->html || self->markdown || self->readme || self->summary))
        argp_error(state, "sensitivity runs all rows and prints a table of its own: no other "
                          "choice of rows or outputs but --json");
}

// ---- which rows

static bool chosen(const struct arguments *self, const struct ts_silicon_result *result)
{
    for (size_t i = 0; i < self->rows.count; i++)
        if (strncmp(self->rows.text[i], result->row->id, 5) == 0 &&
            (strlen(self->rows.text[i]) == 5 || strcmp(self->rows.text[i], result->row->id) == 0))
            return true;
    for (size_t i = 0; i < self->family_count; i++)
        if (self->families[i] == result->family)
            return true;
    return self->rows.count + self->family_count == 0 &&
           ts_silicon_offered(result->family, self->rows_of);
}

static bool of_ttnn(const char *folder)
{
    return strncmp(folder, "ttnn", 4) == 0;
}

// Files of the vendor are in the user's tree.
static int check_sources(const struct arguments *self, const struct ts_silicon_result *rows,
                         size_t count)
{
    char path[PATH_MAX];
    size_t files = 0;
    const char *folder = NULL;
    for (size_t i = 0; i < count; i++) {
        files += rows[i].family->sources != NULL;
        folder = rows[i].family->sources ? rows[i].family->sources : folder;
    }
    if (files && self->sources == NULL)
        return ts_complain(TS_USAGE, "%zu of the rows are %s, --sources DIR", files,
                           of_ttnn(folder)
                               ? "ttnn's own kernels: name your source tree of tt-metal "
                                 "(August 2026)"
                               : "traces of requests: name your tree of tt-npe");
    if (files == 0 && self->sources)
        return ts_complain(TS_USAGE, "--sources: no row of ttnn's kernels is asked for: name the "
                                     "family ops, or rows of it (with --chip n150 wormhole_npe)");
    snprintf(path, sizeof path, "%s/%s", files ? self->sources : "", files ? folder : "");
    if (files && access(path, R_OK) != 0)
        return ts_complain(TS_SETUP, "%s: no %s in it: not a source tree of %s", self->sources,
                           folder, of_ttnn(folder) ? "tt-metal" : "tt-npe");
    return TS_OK;
}

// Rows and families that were named are of the machine.
static int check_machine(const struct arguments *self, const struct ts_silicon_result *rows,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].family->machine, self->rows_of) != 0)
            return ts_complain(TS_USAGE, "%s was measured on a card with %s: --chip %s",
                               rows[i].row->id, rows[i].family->machine,
                               card_of(rows[i].family->machine));
    return TS_OK;
}

// Every row that was asked for must be there; one that is left out says why.
static int check_rows(const struct arguments *self, const struct ts_silicon_account *account)
{
    for (size_t i = 0; i < self->rows.count; i++) {
        const struct ts_silicon_id *id = ts_silicon_find_id(account, self->rows.text[i]);
        if (id == NULL)
            return ts_complain(TS_USAGE, "no row '%s' among the %zu measurements, %s to %s",
                               self->rows.text[i], account->count, account->ids[0].id,
                               account->ids[account->count - 1].id);
        if (id->family == NULL)
            return ts_complain(TS_USAGE, "%s is not re-created: %s (%s)", id->id,
                               id->reason ? id->reason : "not yet", id->source);
    }
    return TS_OK;
}

// ---- output

static void write_csv(const void *table, FILE *file)
{
    ts_silicon_csv(table, file);
}

static void write_markdown(const void *table, FILE *file)
{
    ts_silicon_markdown(table, file);
}

static bool takes_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

// What --write=readme writes: the text between two lines of a file.
static const struct mark {
    const char *begin, *end;
    void (*write)(const struct ts_silicon_table *table, FILE *file);
} marks[] = {
    {"<!-- silicon:begin -->\n", "<!-- silicon:end -->\n", ts_silicon_markdown},
    {"<!-- silicon-summary:begin -->\n", "<!-- silicon-summary:end -->\n",
     ts_silicon_markdown_summary},
};

// A file's text, and the place in it where the table goes.
struct between {
    const char *text, *from, *to;
    const struct mark *mark;
    const struct ts_silicon_table *table;
};

static void write_between(const void *what, FILE *file)
{
    const struct between *self = what;
    fwrite(self->text, 1, (size_t)(self->from - self->text), file);
    self->mark->write(self->table, file);
    fputs(self->to, file);
}

// Finds the marks that the text has.
static bool find_between(struct between *self)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *from = strstr(self->text, marks[i].begin);
        self->to = from ? strstr(from, marks[i].end) : NULL;
        if (self->to) {
            self->from = from + strlen(marks[i].begin);
            self->mark = &marks[i];
            return true;
        }
    }
    return false;
}

// Replaces the text between the marks of a file.
static int to_readme(const char *path, const struct ts_silicon_table *table)
{
    if (path == NULL)
        return TS_OK;
    if (!table->whole)
        return ts_complain(TS_USAGE, "--write=readme needs all rows");
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    bool read = file && getdelim(&text, &size, '\0', file) >= 0;
    if (file)
        fclose(file);
    struct between between = {.text = text, .table = table};
    int code = read && find_between(&between)
                   ? ts_output(path, write_between, &between)
                   : ts_complain(
                         TS_SETUP,
                         "%s: no lines <!-- silicon:begin --> and <!-- silicon:end -->, nor "
                         "of silicon-summary",
                         path);
    free(text);
    return code;
}

static int report(const struct arguments *self, const struct ts_silicon_table *table,
                  struct ts_results *results)
{
    if (ts_options_talk(&self->options) && !takes_stdout(self->csv) &&
        !takes_stdout(self->markdown))
        ts_silicon_text(table, !self->summary, stdout);
    json_t *document = ts_silicon_json(table);
    char *command = ts_page_command(results->argc, results->argv);
    ts_results_page(results, document, NULL);
    ts_results_write(results, "result.csv", write_csv, table);
    int code = ts_results_end(results, ts_output_json(self->options.json, document));
    code = code ? code : ts_output(self->csv, write_csv, table);
    code = code ? code : ts_output_page(self->html, document, NULL, command);
    json_decref(document);
    free(command);
    code = code ? code : ts_output(self->markdown, write_markdown, table);
    code = code ? code : to_readme(self->readme, table);
    char missed[200];
    for (size_t f = 0; ts_silicon_families[f]; f++) {
        // A family that was chosen completely has its bars, too.
        struct ts_silicon_table judged = *table;
        for (size_t i = 0; i < self->family_count; i++)
            judged.whole |= self->families[i] == ts_silicon_families[f] && self->every < 2;
        if (ts_silicon_count_ids(table, ts_silicon_families[f]) &&
            ts_silicon_misses(&judged, ts_silicon_families[f], missed, sizeof missed) && code == 0)
            code = ts_complain(TS_DIFFERS, "%s: %s", ts_silicon_families[f]->name, missed);
    }
    if (code == TS_OK && table->whole && ts_silicon_misses(table, NULL, missed, sizeof missed))
        code = ts_complain(TS_DIFFERS, "all rows: %s", missed);
    return code;
}

// The rows that were asked for, in the place of all.
static size_t choose(const struct arguments *self, struct ts_silicon_result *rows, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (chosen(self, &rows[i]) && (self->every < 2 || i % self->every == 0))
            rows[kept++] = rows[i];
    return kept;
}

static int run_table(const struct arguments *self, const struct ts_params *params,
                     const struct ts_silicon_account *account, struct ts_results *results,
                     struct ts_crew *crew)
{
    size_t count;
    struct ts_error error = {0};
    struct ts_silicon_result *rows = ts_silicon_select(NULL, true, &count);
    size_t kept = choose(self, rows, count), offered = 0;
    for (size_t f = 0; ts_silicon_families[f]; f++)
        if (ts_silicon_offered(ts_silicon_families[f], self->rows_of))
            offered += ts_silicon_families[f]->count;
    struct ts_silicon_context context = ts_silicon_context(params);
    context.sources = self->sources;
    context.tile.machine = self->machine;
    int code = check_machine(self, rows, kept);
    code = code ? code : check_sources(self, rows, kept);
    if (code != TS_OK) {
        free(rows);
        return ts_results_drop(results, code);
    }
    code = ts_silicon_run(rows, kept, &context, ts_crew_configuration(params), crew, &error);
    struct ts_params pipes = {0};
    const bool a5 = strcmp(self->rows_of, TS_SILICON_A5) == 0;
    if (code == TS_OK && a5 && !ts_pipe_preset(&pipes, "a5", &error))
        code = (int)error.code;
    struct ts_silicon_table table = {.results = rows,
                                     .count = kept,
                                     .account = account,
                                     .params = a5 ? &pipes : params,
                                     .whole = kept == offered};
    if (ts_crew_whole(crew, "rows", &code, &error))
        code = report(self, &table, results);
    else
        code = ts_results_drop(results, code);
    ts_params_free(&pipes);
    free(rows);
    return code;
}

static int sensitivity(const struct arguments *self, struct ts_params *params,
                       struct ts_results *results, struct ts_crew *crew)
{
    struct ts_silicon_sensitivity study;
    struct ts_error error = {0};
    int code = ts_silicon_sensitivity(&study, params, self->kinds, ts_crew_configuration(params),
                                      crew, &error);
    if (ts_crew_whole(crew, "rows", &code, &error)) {
        json_t *document = ts_silicon_sensitivity_json(&study);
        if (ts_options_talk(&self->options))
            ts_silicon_sensitivity_text(document, stdout);
        code = ts_output_json(self->options.json, document);
        ts_results_json(results, "result.json", document);
        code = ts_results_end(results, code);
        json_decref(document);
    } else {
        code = ts_results_drop(results, code);
    }
    ts_silicon_sensitivity_free(&study);
    return code;
}

int ts_cmd_silicon(int argc, char **argv)
{
    struct arguments self = {.machine = ts_machines, .rows_of = ts_machines->name};
    ts_parse(&(struct ts_parser){.help = "silicon",
                                 .takes = takes,
                                 .common = "config set threads out json quiet",
                                 .crew = offsetof(struct arguments, crew),
                                 .word = take_word,
                                 .end = take_end},
             argc, argv, &self);
    bool files = self.csv || self.html || self.markdown || self.readme;
    int code = ts_crew_options_ready(&self.crew, &self.options.out, &self.options.json, files);
    struct ts_params params = {0};
    ts_chip_params_add(&params);
    code = code ? code : (int)ts_options_params(&self.options, &params, self.machine->numbers);
    struct ts_silicon_account account;
    ts_silicon_account(&account, self.rows_of);
    code = code ? code : check_rows(&self, &account);
    struct ts_results results = {0};
    code = code ? code : ts_results_begin(&results, &self.options, &params, argc, argv);
    struct ts_crew crew = ts_crew_from(&self.crew, self.options.threads, self.options.quiet, argc,
                                       argv);
    ts_crew_keep(&crew, &results, self.options.out);
    if (code == TS_OK)
        code = self.kinds ? sensitivity(&self, &params, &results, &crew)
                          : run_table(&self, &params, &account, &results, &crew);
    ts_crew_free(&crew);
    free(self.crew.merge);
    ts_silicon_account_free(&account);
    ts_params_free(&params);
    return code;
}
