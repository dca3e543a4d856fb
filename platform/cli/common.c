#include "platform/cli/crew_options.h"
#include "platform/gdb/gdb.h"
#include "platform/kernel/between.h"
#include "platform/kernel/cluster.h"
#include "platform/run/plan/plan.h"
#include "platform/trace/events.h"

void ts_options_init(struct ts_options *self)
{
    *self = (struct ts_options){.threads = 1, .max_cycles = TS_NEVER, .trace_to = TS_NEVER};
}

// "FROM-TO", or the name of a format.
static void parse_trace_part(struct ts_options *self, struct argp_state *state, const char *part)
{
    unsigned long long from = 0, to = 0;
    int end = 0;
    unsigned format = 0;
    if (strncmp(part, "commits:", 8) == 0) {
        self->commits = ts_need(strdup(part + 8), "the command");
        return;
    }
    self->trace = true;
    if (strcmp(part, "all") == 0) {
        self->trace_formats = (1u << TS_TRACE_FORMATS) - 1;
        self->trace_noc = true;
        return;
    }
    if (strcmp(part, "npe") == 0) {
        self->trace_noc = true;
        return;
    }
    while (format < TS_TRACE_FORMATS && strcmp(ts_trace_formats[format].name, part) != 0)
        format++;
    if (format < TS_TRACE_FORMATS) {
        self->trace_formats |= 1u << format;
        return;
    }
    if (ts_word_index("kanata folded lines", part) >= 0)
        argp_error(
            state,
            "--trace=%s is no longer there: --trace=json shows each instruction from push to "
            "end, --lines the cycles of every source line",
            part);
    if (strspn(part, "0123456789") == 0 || strstr(part, "--") ||
        sscanf(part, "%llu-%llu%n", &from, &to, &end) != 2 || part[end] || to <= from)
        argp_error(state,
                   "--trace: '%s' is not FROM-TO, two cycles, nor a format (json, vcd, npe, all, "
                   "commits:DIR)",
                   part);
    self->trace_from = from;
    self->trace_to = to;
}

static void parse_trace(void *input, char *arg, struct argp_state *state)
{
    struct ts_options *self = input;
    self->trace |= arg == NULL;
    char text[4096], *rest = text, *part;
    snprintf(text, sizeof text, "%s", arg ? arg : "");
    while (arg && (part = strsep(&rest, ",")) != NULL)
        parse_trace_part(self, state, part);
    if (self->trace && self->trace_formats == 0 && !self->trace_noc)
        self->trace_formats = 1u << TS_TRACE_JSON;
}

// [FOLDER/FILE | tcp | PORT][,one]
static void parse_gdb(void *input, char *text, struct argp_state *state)
{
    struct ts_options *self = input;
    const char *arg = text ? text : "";
    const char *comma = strrchr(arg, ','), *last = comma ? comma + 1 : arg;
    char *where = self->gdb_where;
    self->gdb = true;
    self->gdb_one = strcmp(last, "one") == 0;
    const size_t length = !self->gdb_one ? strlen(arg) : comma ? (size_t)(comma - arg) : 0;
    if (length >= sizeof self->gdb_where)
        argp_error(state, "--gdb: '%s' is too long for a socket file", arg);
    snprintf(where, sizeof self->gdb_where, "%.*s", (int)length, arg);
    if (where[0] && strchr(where, '/') == NULL && strcmp(where, "tcp") != 0)
        ts_take_number(state, "gdb", where, 1, 65535);
}

enum { CONFIG, SET }; // the first of the table below

void ts_options_set(void *input, char *arg, struct argp_state *state)
{
    struct ts_options *self = input;
    self->given |= 1u << SET;
    if (self->set_count == TS_SETS_MAX)
        argp_error(state, "more than %d --set", TS_SETS_MAX);
    self->sets[self->set_count++] = arg;
}

void ts_check_option(const char **to, const char *arg, struct argp_state *state)
{
    struct ts_check_options check;
    char text[200];
    *to = arg ? arg : TS_CHECK_EVERYTHING;
    if (!ts_check_parse(*to, &check, text, sizeof text))
        argp_error(state, "--check: %s", text);
}

static void parse_check(void *input, char *arg, struct argp_state *state)
{
    struct ts_options *self = input;
    if (arg && strcmp(arg, "once") == 0)
        self->once = true;
    else
        ts_check_option(&self->check, arg, state);
}

static void parse_live(void *input, char *arg, struct argp_state *state)
{
    struct ts_options *self = input;
    char text[100];
    self->live.on = true;
    if (!ts_live_parse(arg, &self->live, text, sizeof text))
        argp_error(state, "--live: %s", text);
}

static void parse_checkpoint(void *input, char *arg, struct argp_state *state)
{
    ts_checkpoint_option(arg, state);
    ((struct ts_options *)input)->checkpoint = true;
}

static void parse_activity(void *input, char *arg, struct argp_state *state)
{
    struct ts_options *self = input;
    (void)state;
    self->activity = true;
    self->toggles = arg && strcmp(arg, "toggles") == 0;
    self->card = self->toggles ? NULL : arg;
}

#define O struct ts_options
static const struct ts_take takes[] = {[CONFIG] = TS_TEXT("config", O, config),
                                       [SET] = TS_CALL("set", ts_options_set),
                                       TS_WHOLE("threads", O, threads, 1, 256),
                                       TS_WHOLE("max-cycles", O, max_cycles, 1, INT64_MAX),
                                       TS_FLAG("no-hang-check", O, unchecked),
                                       TS_CALL("check", parse_check),
                                       TS_TEXT("suppress", O, suppress),
                                       TS_CALL("checkpoint", parse_checkpoint),
                                       TS_CALL("gdb", parse_gdb),
                                       TS_CALL("live", parse_live),
                                       TS_TEXT("out", O, out),
                                       TS_CALL("trace", parse_trace),
                                       TS_CALL("activity", parse_activity),
                                       TS_FILE("json", O, json),
                                       TS_FLAG("stats-hash", O, stats_hash),
                                       TS_FLAG("problems", O, problems),
                                       TS_FLAG("quiet", O, quiet),
                                       TS_FLAG("verbose", O, verbose),
                                       {0}};
#define TAKES (sizeof takes / sizeof *takes)

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_options *self = state->input;
    for (size_t i = 0; i + 1 < TAKES; i++)
        if (key == ts_option_key(takes[i].name)) {
            self->given |= 1u << i;
            if (self->only && ts_word_index(self->only, takes[i].name) < 0)
                argp_error(state, "--%s has no effect on this command", takes[i].name);
        }
    switch (key) {
    case ARGP_KEY_END:
        if (self->only && (self->commits || self->once))
            argp_error(state, "--%s has no effect on this command",
                       self->commits ? "trace=commits" : "check=once");
        if (self->suppress && self->check == NULL)
            argp_error(state, "--suppress is of the findings of --check: give it too");
        if (self->trace && self->out == NULL)
            argp_error(state, "--trace needs a run directory: --out DIR");
        if (self->checkpoint && self->out == NULL)
            argp_error(state, "--checkpoint needs a run directory: --out DIR");
        if (self->checkpoint)
            ts_checkpoint_into(self->out);
        if (self->activity && (self->checkpoint || ts_options_exact(self)))
            argp_error(state, "--activity: not with --checkpoint, --gdb and --live=back");
        if (self->checkpoint && self->gdb)
            argp_error(state, "--checkpoint and --gdb: give one of them");
        if (self->live.on && (self->checkpoint || self->gdb))
            argp_error(state, "--live and --%s: give one of them",
                       self->gdb ? "gdb" : "checkpoint");
        if (self->live.on && self->out == NULL && !self->later)
            argp_error(state, "--live needs a run directory: --out DIR");
        if (self->live.back && self->trace)
            argp_error(state, "--live=back and --trace: a trace cannot go back; give one of them");
        if (ts_options_exact(self))
            self->threads = 1; // they look at cores in the middle of a window
        return 0;
    case ARGP_KEY_SUCCESS: {
        struct ts_error error = {0};
        ts_take(takes, key, arg, state);
        if (self->later)
            return 0;
        if (self->gdb && !ts_gdb_start(self->gdb_where, self->gdb_one, &error))
            exit(ts_complain_error(&error));
        self->live.directory = self->out;
        self->live.threads = self->threads;
        if (self->live.on && !ts_live_start(&self->live, &error))
            exit(ts_complain_error(&error));
        return 0;
    }
    default:
        return ts_take(takes, key, arg, state);
    }
}

const char *ts_options_other(const struct ts_options *self, const char *names)
{
    for (size_t i = 0; i + 1 < TAKES; i++)
        if (self->given >> i & 1 && ts_word_index(names, takes[i].name) < 0)
            return takes[i].name;
    return NULL;
}

const struct argp *ts_options_argp(void)
{
    static struct argp argp = {.parser = parse};
    argp.options = ts_take_rows(takes, NULL);
    return &argp;
}

const struct argp *ts_options_only(struct ts_options *to, const char *names)
{
    static struct argp argp = {.parser = parse};
    argp.options = ts_take_rows(takes, names);
    to->only = names;
    return &argp;
}

const struct ts_help *ts_help(const char *name)
{
    static const struct ts_help rows[] = {
#define TS_HELP(name, ...) {#name, __VA_ARGS__},
#include "platform/cli/help.def"
    };
    const struct ts_help *row = rows;
    while (strcmp(row->name, name) != 0)
        row++;
    return row;
}

static const struct ts_parser *parser; // of the command that reads its words

static void take_word(const struct ts_help *help, struct ts_texts *to, char *arg,
                      const struct argp_state *state)
{
    if (to->count == help->most)
        argp_error(state, "%s takes %zu word%s: '%s' is too many", help->name, help->most,
                   help->most == 1 ? "" : "s", arg);
    to->text[to->count++] = arg;
}

static error_t parse_command(int key, char *arg, struct argp_state *state)
{
    char *input = state->input;
    const struct ts_help *help = ts_help(parser->help);
    switch (key) {
    case ARGP_KEY_INIT:
        if (parser->common)
            state->child_inputs[0] = input;
        if (parser->crew)
            state->child_inputs[parser->common != NULL] = input + parser->crew;
        return 0;
    case ARGP_KEY_ARG:
        if (parser->word)
            parser->word(input, arg, state);
        else
            take_word(help, (struct ts_texts *)(input + parser->to), arg, state);
        return 0;
    case ARGP_KEY_END:
        if (state->arg_num < help->least)
            argp_error(state, "%s", help->missing);
        if (parser->end)
            parser->end(input, state);
        return 0;
    default:
        return parser->takes ? ts_take(parser->takes, key, arg, state) : ARGP_ERR_UNKNOWN;
    }
}

void ts_parse(const struct ts_parser *how, int argc, char **argv, void *input)
{
    struct argp_child children[3] = {0};
    unsigned count = 0;
    parser = how;
    if (how->common) {
        ts_options_init(input);
        children[count++].argp = ts_options_only(input, how->common);
    }
    if (how->crew) {
        children[count].argp = ts_crew_argp();
        ts_crew_hush();
    }
    const struct ts_help *help = ts_help(how->help);
    const struct argp argp = {how->takes ? ts_take_rows(how->takes, NULL) : NULL,
                              parse_command,
                              help->words,
                              how->doc ? how->doc : help->text,
                              children,
                              NULL,
                              NULL};
    argp_parse(&argp, argc, argv, how->in_order ? ARGP_IN_ORDER : 0, NULL, input);
}

void ts_lint_option(const char *text, char **choice, uint64_t *shown, bool *strict,
                    const struct argp_state *state)
{
    char wrong[TS_LINTS_TEXT];
    const size_t length = strlen(text);
    const bool alone = strcmp(text, "strict") == 0,
               last = length > 7 && strcmp(text + length - 7, ",strict") == 0;
    *strict |= alone || last;
    if (alone)
        return;
    free(*choice);
    *choice = ts_need(strndup(text, last ? length - 7 : length), "the command");
    if (!ts_lints_parse(*choice, shown, wrong, sizeof wrong))
        argp_error(state, "--lint: %s", wrong);
}

enum ts_code ts_options_params(const struct ts_options *self, struct ts_params *params,
                               const char *default_file)
{
    char path[512];
    struct ts_error error = {0};
    ts_config_path(path, sizeof path, default_file);
    ts_params_load(params, self->config ? self->config : path, &error);
    for (size_t i = 0; i < self->set_count && error.code == TS_OK; i++)
        ts_params_set(params, self->sets[i], &error);
    if (error.code != TS_OK)
        ts_complain_error(&error);
    return error.code;
}

void ts_options_config(const struct ts_options *self, struct tensim_config *config)
{
    tensim_config_init(config);
    config->params = self->config;
    config->settings = self->sets;
    config->setting_count = self->set_count;
    config->threads = self->threads;
    config->no_hang_check = self->unchecked;
    config->check = self->check;
    config->step_by_step = ts_options_exact(self);
    config->hosting = ts_hosting();
}

const struct ts_hosting *ts_hosting(void)
{
    static struct ts_hosting outside;
    outside = (struct ts_hosting){ts_kernel_bystander(), ts_kernel_cluster()};
    return &outside;
}

bool ts_options_exact(const struct ts_options *self)
{
    return self->gdb || self->live.back;
}

struct ts_check_options ts_options_check(const struct ts_options *self)
{
    struct ts_check_options check = {0};
    char text[200];
    if (self->check)
        ts_check_parse(self->check, &check, text, sizeof text);
    return check;
}

int ts_complain(enum ts_code code, const char *format, ...)
{
    char text[2000];
    TS_VSNPRINTF(text, sizeof text, format);
    // One line whatever the names and values in it are.
    fputs("tensim: ", stderr);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            fprintf(stderr, "\\x%02x", (unsigned)*c);
        else
            fputc(*c, stderr);
    fputc('\n', stderr);
    return code == TS_NO_MEMORY ? TS_SETUP : (int)code;
}

const char *ts_program_path(const char *name, char *path, size_t size)
{
    struct ts_error error = {0};
    const char *found = ts_plan_find(name, path, size, &error);
    if (found == NULL)
        exit(ts_complain_error(&error));
    return found;
}

void ts_demand_writable(const char *path)
{
    struct ts_error error = {0};
    if (path != NULL && strcmp(path, "-") != 0 && !ts_writable(path, &error))
        exit(ts_complain_error(&error));
}

int ts_complain_error(const struct ts_error *error)
{
    return ts_complain(error->code, "%s", error->text);
}

int ts_complain_tensim(const struct tensim_error *error)
{
    return ts_complain((enum ts_code)error->code, "%s", error->text);
}

bool ts_options_talk(const struct ts_options *self)
{
    return !self->quiet && !(self->json && strcmp(self->json, "-") == 0);
}

// Results on stdout that could not be written are a failure of the command.
static int flushed(int code)
{
    code = code == TS_NO_MEMORY ? TS_SETUP : code;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    return code != TS_OK ? code
                         : ts_complain(TS_SETUP, "stdout: cannot be written: %s", strerror(errno));
}

int ts_command_end(int code)
{
    code = flushed(code);
    ts_gdb_end(code);
    ts_live_end(code);
    return code;
}
