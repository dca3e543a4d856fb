#include "platform/cli/common.h"

#include "platform/base/yaml.h"
#include "platform/cli/checkpoint.h"
#include "platform/gdb/gdb.h"
#include "platform/live/live.h"
#include "platform/out/writable.h"
#include "platform/run/plan/plan.h"
#include "platform/trace/events.h"
#include "units/isa/lints.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPTION_JSON = 256,
    OPTION_STATS_HASH,
    OPTION_PROBLEMS,
    OPTION_ACTIVITY,
    OPTION_UNCHECKED = 700,
    OPTION_CHECK,
    OPTION_SUPPRESS,
    OPTION_CHECKPOINT,
    OPTION_GDB,
    OPTION_LIVE
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Model", TS_OPTIONS_MODEL},
    {"config", 'c', "FILE", 0, "read the parameters from FILE instead of the built-in file",
     TS_OPTIONS_MODEL},
    {"set", 'D', "KEY=VALUE", 0, "set one parameter; `tensim config' lists them", TS_OPTIONS_MODEL},
    {0, 0, 0, 0, "Run", TS_OPTIONS_RUN},
    {"threads", 'j', "N", 0, "simulate on N threads; the results do not depend on N",
     TS_OPTIONS_RUN},
    {"max-cycles", 'n', "N", 0, "stop at cycle N with exit code 6", TS_OPTIONS_RUN},
    {"no-hang-check", OPTION_UNCHECKED, NULL, 0,
     "switch off lints and the search for hangs of polling cores, to measure their cost",
     TS_OPTIONS_RUN},
    {"check", OPTION_CHECK, "race[:strict],memory,sync", OPTION_ARG_OPTIONAL,
     "look for accesses that nothing orders (race), for accesses to the wrong memory (memory), for "
     "unpaired operations at "
     "the end (sync); all three without a list; findings are warnings, exit code 7",
     TS_OPTIONS_RUN},
    {"suppress", OPTION_SUPPRESS, "FILE", 0,
     "findings of --check that are known: KIND OBJECT PLACE # reason, one a line", TS_OPTIONS_RUN},
    {"checkpoint", OPTION_CHECKPOINT, "at:N,every:N,hang", 0,
     "write the machine to CYCLE.ckpt in the run directory: at cycle N, every N cycles, at a hang "
     "(hang.ckpt); `tensim run --resume FILE' goes on from there",
     TS_OPTIONS_RUN},
    {"gdb", OPTION_GDB, "WHERE,one", OPTION_ARG_OPTIONAL,
     "wait for gdb-multiarch: every tile is a process (with `one' all of them are), every core a "
     "thread, time runs backwards too; on a socket file of this user, or WHERE: FOLDER/FILE, tcp "
     "or a port of 127.0.0.1",
     TS_OPTIONS_RUN},
    {"live", OPTION_LIVE, "back,pause", OPTION_ARG_OPTIONAL,
     "let `tensim ui' watch the run, by a socket in the run directory; back: time runs backwards "
     "too, on one thread and slower; pause: wait before the first cycle and at the end",
     TS_OPTIONS_RUN},
    {0, 0, 0, 0, "Output", TS_OPTIONS_OUTPUT},
    {"out", 'o', "DIR", 0, "write a run directory: command, config, stats, trace, hang report",
     TS_OPTIONS_OUTPUT},
    {"trace", 't', "FROM-TO,FORMAT,...", OPTION_ARG_OPTIONAL,
     "write a trace into the run directory, of all cycles or some; formats: json (the default: "
     "Perfetto), kanata (Konata), vcd (GTKWave), folded (flame graphs), lines (cycles per source "
     "line), npe (NoC requests, for tt-npe), all",
     TS_OPTIONS_OUTPUT},
    {"activity", OPTION_ACTIVITY, "CARD[:WATTS[:MICROSECONDS]]", OPTION_ARG_OPTIONAL,
     "count which unit works in which cycle; report how many matrix units start and stop together; "
     "with a card (p150a), its firmware changes clock and throttle word each millisecond",
     TS_OPTIONS_OUTPUT},
    {"json", OPTION_JSON, "FILE", 0, "write the result as one JSON document; - is stdout",
     TS_OPTIONS_OUTPUT},
    {"stats-hash", OPTION_STATS_HASH, NULL, 0, "print one hash of all stats and outputs",
     TS_OPTIONS_OUTPUT},
    {"problems", OPTION_PROBLEMS, NULL, 0,
     "also write lints, findings, faults and hangs as FILE:LINE:COLUMN: severity: text to stderr, "
     "as compilers do, so that editors jump to them",
     TS_OPTIONS_OUTPUT},
    {"quiet", 'q', NULL, 0, "no progress, no verdict", TS_OPTIONS_OUTPUT},
    {"verbose", 'v', NULL, 0, "print everything: all roofs and causes, threads, units, trust",
     TS_OPTIONS_OUTPUT},
    {0},
};

void ts_options_init(struct ts_options *self)
{
    *self = (struct ts_options){.threads = 1, .max_cycles = TS_NEVER, .trace_to = TS_NEVER};
}

static uint64_t number(struct argp_state *state, const char *option, const char *text, int64_t low,
                       int64_t high)
{
    int64_t value;
    if (!ts_parse_int(text, &value) || value < low || value > high)
        argp_error(state, "--%s: '%s' is not a number from %lld to %lld", option, text,
                   (long long)low, (long long)high);
    return (uint64_t)value;
}

// "FROM-TO", or the name of a format.
static void parse_trace_part(struct ts_options *self, struct argp_state *state, const char *part)
{
    unsigned long long from, to;
    int end = 0;
    unsigned format = 0;
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
    if (strspn(part, "0123456789") == 0 || strstr(part, "--") ||
        sscanf(part, "%llu-%llu%n", &from, &to, &end) != 2 || part[end] || to <= from)
        argp_error(state,
                   "--trace: '%s' is not FROM-TO, two cycles, nor a format (json, kanata, vcd, "
                   "folded, lines, npe, all)",
                   part);
    self->trace_from = from;
    self->trace_to = to;
}

static void parse_trace(struct ts_options *self, struct argp_state *state, const char *arg)
{
    self->trace = true;
    char text[256], *rest = text, *part;
    snprintf(text, sizeof text, "%s", arg ? arg : "");
    while (arg && (part = strsep(&rest, ",")) != NULL)
        parse_trace_part(self, state, part);
    if (self->trace_formats == 0 && !self->trace_noc)
        self->trace_formats = 1u << TS_TRACE_JSON;
}

// [FOLDER/FILE | tcp | PORT][,one]
static void gdb_option(struct ts_options *self, const char *arg, struct argp_state *state)
{
    const char *comma = strrchr(arg, ','), *last = comma ? comma + 1 : arg;
    char *where = self->gdb_where;
    self->gdb = true;
    self->gdb_one = strcmp(last, "one") == 0;
    const size_t length = !self->gdb_one ? strlen(arg) : comma ? (size_t)(comma - arg) : 0;
    if (length >= sizeof self->gdb_where)
        argp_error(state, "--gdb: '%s' is too long for a socket file", arg);
    snprintf(where, sizeof self->gdb_where, "%.*s", (int)length, arg);
    if (where[0] && strchr(where, '/') == NULL && strcmp(where, "tcp") != 0)
        number(state, "gdb", where, 1, 65535);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_options *self = state->input;
    for (const struct argp_option *row = options; row->name || row->doc; row++)
        if (row->name && row->key == key) {
            self->given |= 1u << (row - options);
            if (self->only && ts_word_index(self->only, row->name) < 0)
                argp_error(state, "--%s has no effect on this command", row->name);
        }
    switch (key) {
    case 'c':
        self->config = arg;
        return 0;
    case 'D':
        if (self->set_count == TS_SETS_MAX)
            argp_error(state, "more than %d --set", TS_SETS_MAX);
        self->sets[self->set_count++] = arg;
        return 0;
    case 'j':
        self->threads = (uint32_t)number(state, "threads", arg, 1, 256);
        return 0;
    case 'n':
        self->max_cycles = number(state, "max-cycles", arg, 1, INT64_MAX);
        return 0;
    case 'o':
        self->out = arg;
        return 0;
    case 't':
        parse_trace(self, state, arg);
        return 0;
    case OPTION_JSON:
        self->json = arg;
        return 0;
    case OPTION_ACTIVITY:
        self->activity = true;
        self->card = arg;
        return 0;
    case OPTION_PROBLEMS:
        self->problems = true;
        return 0;
    case OPTION_STATS_HASH:
        self->stats_hash = true;
        return 0;
    case 'q':
        self->quiet = true;
        return 0;
    case 'v':
        self->verbose = true;
        return 0;
    case OPTION_UNCHECKED:
        self->unchecked = true;
        return 0;
    case OPTION_CHECK: {
        struct ts_check_options check;
        char text[200];
        self->check = arg ? arg : TS_CHECK_EVERYTHING;
        if (!ts_check_parse(self->check, &check, text, sizeof text))
            argp_error(state, "--check: %s", text);
        return 0;
    }
    case OPTION_SUPPRESS:
        self->suppress = arg;
        return 0;
    case OPTION_GDB:
        gdb_option(self, arg ? arg : "", state);
        return 0;
    case OPTION_LIVE: {
        char text[100];
        self->live.on = true;
        if (!ts_live_parse(arg, &self->live, text, sizeof text))
            argp_error(state, "--live: %s", text);
        return 0;
    }
    case OPTION_CHECKPOINT:
        ts_checkpoint_option(arg, state);
        self->checkpoint = true;
        return 0;
    case ARGP_KEY_END:
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
        ts_demand_writable(self->json);
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
        return ARGP_ERR_UNKNOWN;
    }
}

const char *ts_options_other(const struct ts_options *self, const char *names)
{
    for (const struct argp_option *row = options; row->name || row->doc; row++)
        if (row->name && self->given >> (row - options) & 1 && ts_word_index(names, row->name) < 0)
            return row->name;
    return NULL;
}

const struct argp ts_options_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

_Static_assert(sizeof options / sizeof *options <= TS_OPTIONS_ROWS,
               "a copy has room for all common options");

// Has the command an option of this group?
static bool has_group(const char *names, int group)
{
    for (const struct argp_option *row = options; row->name || row->doc; row++)
        if (row->name && row->group == group && ts_word_index(names, row->name) >= 0)
            return true;
    return false;
}

const struct argp *ts_options_only(struct ts_options_argp *self, struct ts_options *to,
                                   const char *names)
{
    struct argp_option *copy = self->rows;
    for (const struct argp_option *row = options; row->name || row->doc; row++) {
        if (row->name == NULL && !has_group(names, row->group))
            continue;
        *copy = *row;
        if (row->name && ts_word_index(names, row->name) < 0)
            copy->flags |= OPTION_HIDDEN;
        copy++;
    }
    *copy = (struct argp_option){0};
    self->argp = (struct argp){self->rows, parse, NULL, NULL, NULL, NULL, NULL};
    to->only = names;
    return &self->argp;
}

uint64_t ts_lint_option(const char *choice, const struct argp_state *state)
{
    uint64_t shown;
    char text[TS_LINTS_TEXT];
    if (!ts_lints_parse(choice, &shown, text, sizeof text))
        argp_error(state, "--lint: %s", text);
    return shown;
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

void ts_one_chip(const char *card, const char *why, const struct argp_state *state)
{
    if (strcmp(card, "p150") != 0)
        argp_error(state, "--chip %s: %s", card, why);
}

int ts_complain(enum ts_code code, const char *format, ...)
{
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
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
