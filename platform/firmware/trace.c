// The firmware's loop on a repeated trace (trace.h).
#include "platform/firmware/trace.h"

#include "platform/base/json.h"
#include "platform/base/yaml.h"

#define LEVEL_5_SLOTS 3.0 // of an MVMUL at level 5: it and two NOPs
#define POINTS        (1u << 22)

// --- reading ---

static bool read_header(char *line, int columns[TS_POWER_UNIT_COUNT + 1], unsigned *count)
{
    *count = 0;
    for (char *rest = line, *name; (name = strsep(&rest, ",\n\r")) != NULL;) {
        if (*name == '\0')
            continue;
        const int unit = ts_word_index(TS_POWER_UNITS, name);
        if (*count > TS_POWER_UNIT_COUNT || (*count == 0 ? strcmp(name, "cycles") != 0 : unit < 0))
            return false;
        columns[(*count)++] = unit;
    }
    return *count > 1;
}

static const char *read_point(char *line, const int *columns, unsigned count,
                              struct ts_power_point *to)
{
    char *at = line, *end;
    memset(to, 0, sizeof *to);
    for (unsigned i = 0; i < count; i++) {
        const double value = strtod(at, &end);
        if (end == at || !isfinite(value))
            return "not a number";
        if (i == 0 && (value < 1 || value > 1e15 || value != floor(value)))
            return "cycles are a whole number from 1 on";
        if (i > 0 && (value < 0 || value > 1))
            return "a share is 0 to 1";
        if (i == 0)
            to->cycles = (uint64_t)value;
        else
            to->shares.of[columns[i]] = value;
        at = end + (i + 1 < count);
        if (i + 1 < count ? *end != ',' : *end != '\0' && *end != '\n' && *end != '\r')
            return "another number of columns than the header has";
    }
    return NULL;
}

// The JSON result of a run: its cycles, and the mean share of each unit.
static bool read_result(struct ts_power_trace *self, const char *path, struct ts_error *error)
{
    json_error_t wrong;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong), *share;
    const json_t *shares = json_object_get(document, "power_shares");
    const json_int_t cycles = ts_json_integer(document, "cycles");
    const char *unit;
    struct ts_power_point point = {.cycles = cycles > 0 ? (uint64_t)cycles : 0};
    if (document == NULL)
        ts_fail(error, TS_SETUP, "%s:%d: %s", path, wrong.line, wrong.text);
    else if (!json_is_object(shares) || point.cycles == 0)
        ts_fail(error, TS_SETUP, "%s: no result of a run: it has no cycles and power_shares", path);
    json_object_foreach((json_t *)shares, unit, share)
    {
        const int index = ts_word_index(TS_POWER_UNITS, unit);
        const double value = json_number_value(share);
        if (index < 0 || !(value >= 0 && value <= 1))
            ts_fail(error, TS_SETUP, "%s: power_shares: %s is no share of a unit", path, unit);
        else
            point.shares.of[index] = value;
    }
    json_decref(document);
    if (error->code == TS_OK && (self->points = malloc(sizeof point)) == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    if (error->code == TS_OK) {
        self->points[0] = point;
        self->count = 1;
    }
    return error->code == TS_OK;
}

bool ts_power_trace_read(struct ts_power_trace *self, const char *path, struct ts_error *error)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0, room = 0;
    int columns[TS_POWER_UNIT_COUNT + 1];
    unsigned count = 0, number = 1;
    *self = (struct ts_power_trace){0};
    if (file == NULL)
        return ts_refuse(error, TS_SETUP, "%s: cannot be read", path);
    const int first = getc(file);
    ungetc(first, file);
    if (first == '{') {
        fclose(file);
        return read_result(self, path, error);
    }
    if (getline(&line, &size, file) < 0 || !read_header(line, columns, &count))
        ts_fail(error, TS_SETUP,
                "%s:1: the header is cycles and at least one of " TS_POWER_UNITS ", with commas",
                path);
    while (error->code == TS_OK && getline(&line, &size, file) >= 0) {
        number++;
        if (self->count == room) {
            room = room ? 2 * room : 64;
            void *more = room > POINTS ? NULL : realloc(self->points, room * sizeof *self->points);
            if (more == NULL) {
                ts_fail(error, TS_NO_MEMORY, "%s:%u: more points than %u, or no memory", path,
                        number, POINTS);
                break;
            }
            self->points = more;
        }
        const char *wrong = read_point(line, columns, count, &self->points[self->count]);
        if (wrong)
            ts_fail(error, TS_SETUP, "%s:%u: %s", path, number, wrong);
        self->count++;
    }
    if (error->code == TS_OK && self->count == 0)
        ts_fail(error, TS_SETUP, "%s: a trace has at least one point", path);
    free(line);
    fclose(file);
    if (error->code != TS_OK)
        ts_power_trace_free(self);
    return error->code == TS_OK;
}

void ts_power_trace_free(struct ts_power_trace *self)
{
    free(self->points);
    *self = (struct ts_power_trace){0};
}

// --- the loop ---

struct walk {
    struct ts_trace_run *run;
    const struct ts_power *power;
    struct ts_firmware *firmware;
    struct ts_clock clock;
    double at;     // of the trace that runs, in cycles of it
    size_t point;  // that it lies in
    double begins; // where the point begins
    uint64_t turn;
    bool throttled; // kernels have seen an odd word
    double until;   // cycles of this trace until kernels read the word; negative: they know it
    uint64_t since; // the word changed: cycles
    struct ts_power_point now;
};

// The point as it runs now.
static void take(struct walk *self)
{
    const bool given = self->run->throttled.count > 0;
    const struct ts_power_trace *trace = self->throttled && given ? &self->run->throttled
                                                                  : &self->run->trace;
    self->now = trace->points[self->point];
    if (self->throttled && !given) {
        const double stretch = 1 + (LEVEL_5_SLOTS - 1) * self->now.shares.of[TS_POWER_MATRIX];
        self->now.cycles = (uint64_t)(stretch * (double)self->now.cycles + 0.5);
        for (unsigned i = 0; i < TS_POWER_UNIT_COUNT; i++)
            self->now.shares.of[i] /= stretch;
    }
}

static double total(const struct ts_power_trace *trace)
{
    double cycles = 0;
    for (size_t i = 0; i < trace->count; i++)
        cycles += (double)trace->points[i].cycles;
    return cycles;
}

// Kernels have read the word: they continue at the same part of the program.
static void change(struct walk *self)
{
    const bool to = self->firmware->word & 1;
    const double part = self->now.cycles ? (self->at - self->begins) / (double)self->now.cycles : 0;
    if (self->run->throttled.count) {
        const struct ts_power_trace *from = to ? &self->run->trace : &self->run->throttled,
                                    *next = to ? &self->run->throttled : &self->run->trace;
        self->at *= total(next) / total(from);
        for (self->point = 0, self->begins = 0;
             self->point + 1 < next->count &&
             self->begins + (double)next->points[self->point].cycles <= self->at;
             self->point++)
            self->begins += (double)next->points[self->point].cycles;
        self->throttled = to;
        take(self);
    } else {
        self->throttled = to;
        take(self);
        self->at = self->begins + part * (double)self->now.cycles;
    }
    if (to && self->run->effect_cycles == 0)
        self->run->effect_cycles = self->run->cycles - self->since;
    self->until = -1;
}

static void next_point(struct walk *self)
{
    const struct ts_power_trace *trace = self->throttled && self->run->throttled.count
                                             ? &self->run->throttled
                                             : &self->run->trace;
    self->begins += (double)self->now.cycles;
    if (++self->point == trace->count) {
        self->point = 0;
        self->turn++;
        self->at -= self->begins;
        self->begins = 0;
    }
    take(self);
}

// `cycles` of the trace: the sum of share x cycles.
static void consume(struct walk *self, uint64_t cycles, struct ts_power_shares *sum)
{
    double left = (double)cycles;
    while (left > 0 && self->turn < self->run->repeat) {
        double span = self->begins + (double)self->now.cycles - self->at;
        if (self->until >= 0 && self->until < span)
            span = self->until;
        span = fmin(span, left);
        for (unsigned i = 0; i < TS_POWER_UNIT_COUNT; i++)
            sum->of[i] += span * self->now.shares.of[i];
        self->at += span;
        left -= span;
        self->run->cycles += (uint64_t)(span + 0.5);
        *(self->throttled ? &self->run->throttled_cycles
                          : &self->run->free_cycles) += (uint64_t)(span + 0.5);
        if (self->until >= 0 && (self->until -= span) <= 0)
            change(self);
        else if (self->at >= self->begins + (double)self->now.cycles)
            next_point(self);
    }
}

void ts_firmware_measure(struct ts_firmware *self, const struct ts_power *power, double watts,
                         double mhz, double heat, double gddr_heat)
{
    const struct ts_firmware_sample sample = {
        .core_power = watts,
        .core_current = 1000 * watts / ts_firmware_voltage(&self->card, mhz),
        .chip_heat = heat,
        .gddr_heat = gddr_heat,
        .input_power = watts / power->board_efficiency.value + power->board_rest_watts.value,
        .busy = true};
    ts_firmware_step(self, &sample);
}

static void act(struct walk *self, const struct ts_power_shares *shares, double mhz)
{
    struct ts_trace_run *run = self->run;
    const uint32_t before = self->firmware->word;
    const double ratio = ts_power_value(self->power, &self->firmware->card, shares, mhz);
    ts_firmware_measure(self->firmware, self->power, ratio * run->watts, mhz, run->heat,
                        run->gddr_heat);
    ts_clock_set(&self->clock, self->firmware->units);
    const double us = TS_FIRMWARE_PERIOD_NS / 1000.0;
    run->energy += ratio * us;
    run->mean_power += ratio;
    run->limited[self->firmware->limited_by < 0 ? TS_THROTTLERS + 1 : self->firmware->limited_by]++;
    run->lowest_mhz = fmin(run->lowest_mhz, self->firmware->units * TS_CLOCK_UNIT);
    if (self->firmware->word != before) {
        const double block = run->block ? (double)run->block : (double)self->now.cycles;
        run->words++;
        self->since = run->cycles;
        self->until = run->block ? block - fmod(self->at, block)
                                 : self->begins + (double)self->now.cycles - self->at;
        if ((self->firmware->word & 1) && run->first_throttled_ns == UINT64_MAX)
            run->first_throttled_ns = self->clock.ns;
    }
    if (run->period)
        run->period(run->context, self->firmware, self->clock.ns, ratio);
}

void ts_trace_run(struct ts_trace_run *self, const struct ts_power *power,
                  struct ts_firmware *firmware)
{
    struct walk walk = {.run = self, .power = power, .firmware = firmware, .until = -1};
    // Work begins on a chip that is busy already: at the full clock.
    firmware->units = ts_clock_units(TS_CLOCK_HIGH);
    walk.clock = (struct ts_clock){.units = firmware->units, .target = firmware->units};
    self->first_throttled_ns = UINT64_MAX;
    self->lowest_mhz = TS_CLOCK_HIGH;
    take(&walk);
    uint64_t periods = 0;
    while (walk.turn < self->repeat &&
           (self->periods_at_most == 0 || periods < self->periods_at_most)) {
        struct ts_power_shares sum = {0};
        const uint64_t before = self->cycles,
                       cycles = ts_clock_pass(&walk.clock, TS_FIRMWARE_PERIOD_NS);
        consume(&walk, cycles, &sum);
        for (unsigned i = 0; i < TS_POWER_UNIT_COUNT; i++)
            sum.of[i] /= (double)cycles;
        // The last period ends with the trace.
        self->ns += self->cycles - before < cycles
                        ? (uint64_t)((double)(self->cycles - before) / (double)cycles *
                                     TS_FIRMWARE_PERIOD_NS)
                        : TS_FIRMWARE_PERIOD_NS;
        act(&walk, &sum, (double)cycles * 1000 / TS_FIRMWARE_PERIOD_NS);
        periods++;
    }
    self->mean_power = periods ? self->mean_power / (double)periods : 0;
    self->mean_mhz = self->ns ? 1000.0 * (double)self->cycles / (double)self->ns : 0;
}
