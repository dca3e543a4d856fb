// tensim run --power: the card's management firmware on a trace of activity, repeated to milliseconds. Each millisecond it sets the
// clock by power, current and heat, and asks matmuls for throttle level 5 through the word in L1. Power is a ratio, 1 for all matrix
// units of the chip at full rate and clock; what that is in watts nobody has published, so each run is done for the lowest, the
// usual and the highest assumed value.
#include "platform/cli/run.h"
#include "platform/firmware/trace.h"
#include "platform/out/text.h"

#include <inttypes.h>

#define NAMES "card repeat ms block throttled weights watts heat gddr_heat csv"

struct arguments {
    const char *trace, *throttled, *weights, *csv, *json;
    struct ts_card card;
    struct ts_power_shares shares;
    bool constant;
    double repeat, ms, block, watts, heat, gddr_heat;
};

static int number(const char *name, const char *text, double low, double high, bool whole,
                  double *to)
{
    char *end;
    *to = strtod(text, &end);
    if (end == text || *end != '\0' || !(*to >= low && *to <= high))
        return ts_complain(TS_USAGE, "%s: '%s' is not a number from %g to %g", name, text, low,
                           high);
    if (whole && *to != (double)(uint64_t)*to)
        return ts_complain(TS_USAGE, "%s: '%s' is not a whole number", name, text);
    return TS_OK;
}

// limit.tdp=250, share.matrix=0.5
static int take_part(struct arguments *self, const char *name, const char *text)
{
    const char *part = strchr(name, '.') + 1;
    double value;
    int unit = ts_word_index(TS_POWER_UNITS, part),
        code = number(name, text, 0, 1e6, false, &value);
    if (code != TS_OK)
        return code;
    if (strncmp(name, "share.", 6) == 0 && (unit < 0 || value > 1))
        return ts_complain(TS_USAGE, "%s=%s: a unit of " TS_POWER_UNITS ", and a share of 0 to 1",
                           name, text);
    if (strncmp(name, "share.", 6) == 0) {
        self->shares.of[unit] = value;
        self->constant = true;
    } else if (strncmp(name, "limit.", 6) != 0 || !ts_card_set(&self->card, part, value)) {
        return ts_complain(TS_USAGE,
                           "%s=%s: no such limit, or not in its range (tdp, board, tdc, fast_tdc, "
                           "heat, gddr_heat, margin; doppler and nops are 0 or 1)",
                           name, text);
    }
    return TS_OK;
}

static const struct {
    const char *name;
    double low, high;
    bool whole;
    size_t at;
} numbers[] = {{"repeat", 1, 1e12, true, offsetof(struct arguments, repeat)},
               {"ms", 1, 1e12, true, offsetof(struct arguments, ms)},
               {"block", 1, 1e12, true, offsetof(struct arguments, block)},
               {"watts", 1, 5000, false, offsetof(struct arguments, watts)},
               {"heat", -40, 150, false, offsetof(struct arguments, heat)},
               {"gddr_heat", -40, 150, false, offsetof(struct arguments, gddr_heat)}};

static int take_param(struct arguments *self, const char *param)
{
    char name[40], names[120];
    const size_t length = strcspn(param, "=");
    const char *text = param + length + 1;
    const char **const texts[] = {&self->throttled, &self->weights, &self->csv};
    snprintf(name, sizeof name, "%.*s", (int)length, param);
    if (strchr(name, '.'))
        return take_part(self, name, text);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].name, name) == 0)
            return number(name, text, numbers[i].low, numbers[i].high, numbers[i].whole,
                          (double *)((char *)self + numbers[i].at));
    const int which = ts_word_index("throttled weights csv", name);
    if (which >= 0)
        *texts[which] = text;
    else if (strcmp(name, "card") != 0)
        return ts_complain(TS_USAGE,
                           "--power has no '%s'; it has: " NAMES ", limit.NAME, share.UNIT", name);
    else if (!ts_card_find(text, &self->card))
        return ts_complain(TS_USAGE, "card: '%s' is none of %s", text,
                           ts_card_names(names, sizeof names));
    return TS_OK;
}

// The card first: its limits follow it.
static int take_params(struct arguments *self, const struct ts_ask *ask)
{
    int code = TS_OK;
    for (int part = 0; part < 2; part++)
        for (size_t i = 0; i < ask->param_count && code == TS_OK; i++)
            if ((strncmp(ask->params[i], "limit.", 6) == 0) == part)
                code = take_param(self, ask->params[i]);
    if (code == TS_OK && self->trace && self->constant)
        code = ts_complain(TS_USAGE, "a trace or share.UNIT: give one of them");
    if (code == TS_OK && self->constant && self->ms <= 0)
        code = ts_complain(TS_USAGE, "share.UNIT goes with ms: a constant share has no end");
    if (code == TS_OK && !self->trace && (self->throttled || self->block > 0))
        code = ts_complain(TS_USAGE, "throttled and block go with a trace");
    return code;
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
        json_t *row = run_json(&now);
        if (talk)
            ts_text_print("power", row, true, stdout);
        json_array_append_new(json_object_get(document, "runs"), row);
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

int ts_run_power(struct ts_ask *ask)
{
    struct arguments self = {.trace = ask->file,
                             .json = ask->options.json,
                             .repeat = 1,
                             .heat = TS_FIRMWARE_HEAT,
                             .gddr_heat = TS_FIRMWARE_HEAT};
    struct ts_power_point constant = {.cycles = UINT64_C(1) << 40};
    struct ts_power power;
    struct ts_error error = {0};
    ts_card_find("p150a", &self.card);
    int code = take_params(&self, ask);
    if (code != TS_OK)
        return code;
    if (self.trace == NULL && !self.constant) {
        list_cards();
        return TS_OK;
    }
    struct ts_trace_run run = {.repeat = (uint64_t)self.repeat,
                               .block = (uint64_t)self.block,
                               .heat = self.heat,
                               .gddr_heat = self.gddr_heat,
                               .periods_at_most = (uint64_t)self.ms};
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
    code = simulate(&self, &power, &run, &error);
    if (self.trace)
        ts_power_trace_free(&run.trace);
    ts_power_trace_free(&run.throttled);
    return code;
}
