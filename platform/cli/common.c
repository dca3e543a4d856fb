#include "platform/cli/common.h"

#include "config/lints.h"
#include "config/yaml.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_JSON = 256, OPTION_STATS_HASH, OPTION_UNCHECKED = 700 };

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Model", 1},
    {"config", 'c', "FILE", 0, "read the parameters from FILE instead of the built-in file", 1},
    {"set", 'D', "KEY=VALUE", 0, "set one parameter; `tensim config' lists them", 1},
    {0, 0, 0, 0, "Run", 2},
    {"threads", 'j', "N", 0, "simulate on N threads; the results are the same bytes for every N",
     2},
    {"max-cycles", 'n', "N", 0, "stop at cycle N with exit code 6", 2},
    {"no-hang-check", OPTION_UNCHECKED, NULL, 0,
     "no lints, no search for hangs of cores that poll: to measure what these cost", 2},
    {0, 0, 0, 0, "Output", 3},
    {"out", 'o', "DIR", 0, "write a run directory: command, config, stats, trace, hang report", 3},
    {"trace", 't', "FROM-TO", OPTION_ARG_OPTIONAL,
     "write trace.json.gz (Chrome, Perfetto) into the run directory, all of it or some cycles", 3},
    {"json", OPTION_JSON, "FILE", 0, "write the result as one JSON document; - is stdout", 3},
    {"stats-hash", OPTION_STATS_HASH, NULL, 0, "print one hash of all stats and outputs", 3},
    {"quiet", 'q', NULL, 0, "no progress, no verdict", 3},
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

static void parse_trace(struct ts_options *self, struct argp_state *state, const char *arg)
{
    self->trace = true;
    if (arg == NULL)
        return;
    unsigned long long from, to;
    int end = 0;
    if (strspn(arg, "0123456789") == 0 || strstr(arg, "--") ||
        sscanf(arg, "%llu-%llu%n", &from, &to, &end) != 2 || arg[end] || to <= from)
        argp_error(state, "--trace: '%s' is not FROM-TO, two cycles", arg);
    self->trace_from = from;
    self->trace_to = to;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ts_options *self = state->input;
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
    case OPTION_STATS_HASH:
        self->stats_hash = true;
        return 0;
    case 'q':
        self->quiet = true;
        return 0;
    case OPTION_UNCHECKED:
        self->unchecked = true;
        return 0;
    case ARGP_KEY_END:
        if (self->trace && self->out == NULL)
            argp_error(state, "--trace needs a run directory: --out DIR");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp ts_options_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

uint32_t ts_lint_option(const char *choice, const struct argp_state *state)
{
    uint32_t shown;
    char text[700];
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

int ts_complain(enum ts_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("tensim: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return (int)code;
}

int ts_complain_error(const struct ts_error *error)
{
    return ts_complain(error->code, "%s", error->text);
}

bool ts_options_talk(const struct ts_options *self)
{
    return !self->quiet && !(self->json && strcmp(self->json, "-") == 0);
}
