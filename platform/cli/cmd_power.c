// tensim power: the card's management firmware on a trace of activity, repeated to milliseconds.
#include "platform/base/yaml.h"
#include "platform/cli/common.h"
#include "platform/firmware/trace.h"
#include "platform/out/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Run the management firmware of a Blackhole card on a trace of activity: each millisecond it "
    "sets the clock by power, current and heat, and asks matmuls for throttle level 5 through the "
    "word in L1.\v"
    "TRACE is the JSON result of a run (its mean shares), or a CSV file: a header, `cycles' and "
    "shares of units (matrix, vector, unpack, pack, cores, "
    "noc, "
    "dram), and a row for each stretch of the program. Without a trace: the cards and their "
    "limits. "
    "Power is a ratio, 1 for all matrix units of the chip at full rate and clock; what that is in "
    "watts nobody has published, so each run is done for the lowest, the usual and the highest "
    "assumed value.\n\n"
    "Example: tensim run matmul-2d --json run.json && tensim power run.json --card p150a --repeat "
    "10000";

enum {
    OPTION_SHARE = 512,
    OPTION_LIMIT,
    OPTION_BLOCK,
    OPTION_THROTTLED,
    OPTION_WEIGHTS,
    OPTION_WATTS,
    OPTION_HEAT,
    OPTION_CSV,
    OPTION_JSON,
    OPTION_MS
};

static const struct argp_option options[] = {
    {"card", 'c', "CARD", 0, "p100a, p150a (default), p150b, p150c, p300a, p300c or galaxy", 0},
    {"repeat", 'r', "N", 0, "run the trace N times, one after the other (default 1)", 0},
    {"ms", OPTION_MS, "N", 0, "end after N milliseconds", 0},
    {"limit", OPTION_LIMIT, "NAME=VALUE", 0,
     "another limit: tdp, board (W), tdc, fast_tdc (A), heat, gddr_heat (C), margin (mV), doppler, "
     "nops (0 or 1)",
     0},
    {"share", OPTION_SHARE, "UNIT=SHARE", 0,
     "instead of a trace: the unit works in this share of the chip's cycles, 0 to 1; with --ms", 0},
    {"throttled", OPTION_THROTTLED, "TRACE", 0,
     "the same program at level 5; default: each MVMUL takes three slots", 0},
    {"block", OPTION_BLOCK, "CYCLES", 0,
     "kernels read the word each CYCLES (default: at each row of the trace)", 0},
    {"power", OPTION_WEIGHTS, "FILE.yaml", 0, "weights instead of config/power.yaml", 0},
    {"watts", OPTION_WATTS, "W", 0, "what a ratio of 1 means, if you know it: one run", 0},
    {"heat", OPTION_HEAT, "CHIP[,GDDR]", 0, "temperatures in C (default 60,60); there is no model",
     0},
    {"csv", OPTION_CSV, "FILE", 0, "write each millisecond: clock, word, power", 0},
    {"json", OPTION_JSON, "FILE", 0, "write the results as JSON (`-': stdout)", 0},
    {0},
};

#define LIMITS 16

struct arguments {
    const char *limits[LIMITS];
    unsigned limit_count;
    const char *trace, *throttled, *weights, *csv, *json;
    struct ts_card card;
    struct ts_power_shares shares;
    bool constant;
    uint64_t repeat, ms, block;
    double watts, heat, gddr_heat;
};

static double number(struct argp_state *state, const char *text, double low, double high,
                     const char *what)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= low && value <= high))
        argp_error(state, "%s: '%s' is not a number from %g to %g", what, text, low, high);
    return value;
}

static uint64_t whole(struct argp_state *state, const char *text, const char *what)
{
    const double value = number(state, text, 1, 1e12, what);
    if (value != (double)(uint64_t)value)
        argp_error(state, "%s: '%s' is not a whole number", what, text);
    return (uint64_t)value;
}

// NAME=VALUE: the value, and the name in `name`.
static double named(struct argp_state *state, const char *arg, char name[24], const char *what)
{
    const char *equals = strchr(arg, '=');
    if (equals == NULL || equals == arg || equals - arg >= 24)
        argp_error(state, "%s: '%s' is not NAME=VALUE", what, arg);
    snprintf(name, 24, "%.*s", (int)(equals - arg), arg);
    return number(state, equals + 1, 0, 1e6, what);
}

static void parse_card(struct argp_state *state, const char *name, struct ts_card *card)
{
    char names[120];
    if (!ts_card_find(name, card))
        argp_error(state, "--card: '%s' is none of %s", name, ts_card_names(names, sizeof names));
}

static void set_limit(struct argp_state *state, const char *arg, struct ts_card *card)
{
    char name[24];
    const double value = named(state, arg, name, "--limit");
    if (!ts_card_set(card, name, value))
        argp_error(state,
                   "--limit %s: no such limit, or not in its range (tdp, board, tdc, fast_tdc, "
                   "heat, gddr_heat, margin; doppler and nops are 0 or 1)",
                   arg);
}

static void parse_heat(struct argp_state *state, char *arg, struct arguments *self)
{
    char *comma = strchr(arg, ',');
    if (comma)
        *comma = '\0';
    self->heat = number(state, arg, -40, 150, "--heat");
    if (comma)
        self->gddr_heat = number(state, comma + 1, -40, 150, "--heat");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *self = state->input;
    char name[24];
    double value;
    int unit;
    switch (key) {
    case 'c':
        parse_card(state, arg, &self->card);
        return 0;
    case 'r':
        self->repeat = whole(state, arg, "--repeat");
        return 0;
    case OPTION_MS:
        self->ms = whole(state, arg, "--ms");
        return 0;
    case OPTION_BLOCK:
        self->block = whole(state, arg, "--block");
        return 0;
    case OPTION_LIMIT:
        if (self->limit_count == LIMITS)
            argp_error(state, "more than %d --limit", LIMITS);
        self->limits[self->limit_count++] = arg;
        return 0;
    case OPTION_SHARE:
        value = named(state, arg, name, "--share");
        unit = ts_word_index(TS_POWER_UNITS, name);
        if (unit < 0 || value > 1)
            argp_error(state, "--share %s: a unit of " TS_POWER_UNITS ", and a share of 0 to 1",
                       arg);
        self->shares.of[unit] = value;
        self->constant = true;
        return 0;
    case OPTION_THROTTLED:
        self->throttled = arg;
        return 0;
    case OPTION_WEIGHTS:
        self->weights = arg;
        return 0;
    case OPTION_WATTS:
        self->watts = number(state, arg, 1, 5000, "--watts");
        return 0;
    case OPTION_HEAT:
        parse_heat(state, arg, self);
        return 0;
    case OPTION_CSV:
        self->csv = arg;
        return 0;
    case OPTION_JSON:
        self->json = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (self->trace)
            argp_error(state, "one trace at a time");
        self->trace = arg;
        return 0;
    case ARGP_KEY_END:
        for (unsigned i = 0; i < self->limit_count; i++)
            set_limit(state, self->limits[i], &self->card);
        if (self->trace && self->constant)
            argp_error(state, "a trace or --share: give one of them");
        if (self->constant && self->ms == 0)
            argp_error(state, "--share goes with --ms: a constant share has no end");
        if (!self->trace && (self->throttled || self->block))
            argp_error(state, "--throttled and --block go with a trace");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void list_cards(void)
{
    char names[120], *rest = names, *name;
    printf("card    TDP W  TDC A  fast A  board W  Doppler\n");
    ts_card_names(names, sizeof names);
    while ((name = strsep(&rest, ", ")) != NULL) {
        struct ts_card card;
        if (ts_card_find(name, &card))
            printf("%-7s %5.0f %6.0f %7.0f %8.0f  %s\n", card.name, card.tdp, card.tdc,
                   card.fast_tdc, card.board, card.doppler ? "yes" : "no");
    }
    printf(
        "per chip, as the firmware's tables have them; board 0: none. Source: config/cards.def\n");
}

static void write_period(void *context, const struct ts_firmware *firmware, uint64_t ns,
                         double power)
{
    const int by = firmware->limited_by;
    fprintf(context, "%" PRIu64 ",%.2f,%u,%.6f,%s\n", ns / TS_FIRMWARE_PERIOD_NS,
            firmware->units * TS_CLOCK_UNIT, firmware->word, power,
            by < 0                ? ""
            : by == TS_THROTTLERS ? "doppler_critical"
                                  : ts_throttler_names[by]);
}

static const char *most(const struct ts_trace_run *run)
{
    size_t best = TS_THROTTLERS + 1;
    for (size_t i = 0; i <= TS_THROTTLERS; i++)
        if (run->limited[i] > 0 &&
            (best == TS_THROTTLERS + 1 || run->limited[i] > run->limited[best]))
            best = i;
    return best == TS_THROTTLERS + 1 ? "nothing"
           : best == TS_THROTTLERS   ? "doppler_critical"
                                     : ts_throttler_names[best];
}

static json_t *run_json(const struct ts_trace_run *run)
{
    json_t *row = json_pack("{s:f, s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:f, s:s}", "full_watts",
                            run->watts, "ns", (json_int_t)run->ns, "cycles",
                            (json_int_t)run->cycles, "mean_mhz", run->mean_mhz, "lowest_mhz",
                            run->lowest_mhz, "power", run->mean_power, "energy", run->energy,
                            "word_changes", (json_int_t)run->words, "throttled_share",
                            run->cycles ? (double)run->throttled_cycles / (double)run->cycles : 0,
                            "limited_by", most(run));
    if (run->first_throttled_ns != UINT64_MAX) {
        json_object_set_new(row, "first_throttled_ns",
                            json_integer((json_int_t)run->first_throttled_ns));
        json_object_set_new(row, "word_to_effect_cycles",
                            json_integer((json_int_t)run->effect_cycles));
    }
    return row;
}

static void print_run(const struct ts_trace_run *run)
{
    printf("  1 = %.0f W: %.3f ms, %.1f MHz on average, %.2f at the lowest; level 5 in %.1f %% of "
           "the cycles (%u changes of the word); power %.3f; limited by %s\n",
           run->watts, (double)run->ns / 1e6, run->mean_mhz, run->lowest_mhz,
           run->cycles ? 100.0 * (double)run->throttled_cycles / (double)run->cycles : 0,
           run->words, run->mean_power, most(run));
}

static int simulate(const struct arguments *self, const struct ts_power *power,
                    struct ts_trace_run *run, struct ts_error *error)
{
    const double watts[3] = {power->full_watts.low, power->full_watts.value,
                             power->full_watts.high};
    struct ts_file *csv = self->csv ? ts_file_open(self->csv, error) : NULL;
    json_t *document = json_pack("{s:s, s:i, s:s, s:s, s:s, s:I, s:o}", "schema", "tensim.power",
                                 "version", 1, "card", self->card.name, "kind",
                                 power->assumed ? "ratios; weights and watts are assumed"
                                                : "ratios",
                                 "trace", self->trace ? self->trace : "constant", "repeat",
                                 (json_int_t)run->repeat, "runs", json_array());
    const bool talk = !(self->json && strcmp(self->json, "-") == 0);
    if (talk && error->code == TS_OK)
        printf("firmware of %s, %s%s; assumed: what a ratio of 1 means in watts, and the weights\n",
               self->card.name, self->trace ? self->trace : "a constant share",
               self->card.doppler ? ", with Doppler" : "");
    for (unsigned i = 0; i < 3 && error->code == TS_OK; i++) {
        struct ts_trace_run now = *run;
        struct ts_firmware firmware;
        if (self->watts > 0 && i != 1)
            continue;
        now.watts = self->watts > 0 ? self->watts : watts[i];
        if (csv && i == 1) { // the usual value
            fprintf(ts_file_stream(csv), "ms,mhz,word,power,limited_by\n");
            now.period = write_period;
            now.context = ts_file_stream(csv);
        }
        ts_firmware_init(&firmware, &self->card);
        ts_trace_run(&now, power, &firmware);
        if (talk)
            print_run(&now);
        json_array_append_new(json_object_get(document, "runs"), run_json(&now));
    }
    if (csv && error->code == TS_OK)
        ts_file_close(csv, error);
    else if (csv)
        ts_file_drop(csv);
    struct ts_file *json = self->json && error->code == TS_OK ? ts_file_open(self->json, error)
                                                              : NULL;
    if (json)
        ts_file_json(json, document, error);
    json_decref(document);
    return error->code == TS_OK ? TS_OK : ts_complain_error(error);
}

int ts_cmd_power(int argc, char **argv);
int ts_cmd_power(int argc, char **argv)
{
    struct arguments self = {.repeat = 1, .heat = 60, .gddr_heat = 60};
    const struct argp argp = {options, parse, "[TRACE]", doc, NULL, NULL, NULL};
    struct ts_power_point constant = {.cycles = UINT64_C(1) << 40};
    struct ts_power power;
    struct ts_error error = {0};
    ts_card_find("p150a", &self.card);
    argp_parse(&argp, argc, argv, 0, NULL, &self);
    if (self.trace == NULL && !self.constant) {
        list_cards();
        return TS_OK;
    }
    struct ts_trace_run run = {.repeat = self.repeat,
                               .block = self.block,
                               .heat = self.heat,
                               .gddr_heat = self.gddr_heat,
                               .periods_at_most = self.ms};
    if (!ts_power_read(&power, self.weights, &error))
        return ts_complain_error(&error);
    constant.shares = self.shares;
    run.trace = (struct ts_power_trace){&constant, 1};
    if (self.trace && !ts_power_trace_read(&run.trace, self.trace, &error))
        return ts_complain_error(&error);
    if (self.throttled && !ts_power_trace_read(&run.throttled, self.throttled, &error)) {
        ts_power_trace_free(&run.trace);
        return ts_complain_error(&error);
    }
    if (self.constant) { // they read the word often
        run.repeat = UINT64_MAX;
        run.block = 10000;
    }
    const int code = simulate(&self, &power, &run, &error);
    if (self.trace)
        ts_power_trace_free(&run.trace);
    ts_power_trace_free(&run.throttled);
    return code;
}
