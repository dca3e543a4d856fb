// The management firmware's loop (power.h).
#include "platform/firmware/power.h"

#define SCALE        500.0 // MHz for an error of 1
#define CURVE_2      0.00031395
#define CURVE_1      (-0.43953)
#define CURVE_0      828.83
#define VOLTAGE_LOW  700.0
#define VOLTAGE_HIGH 900.0
#define HEAT         90.0
#define GDDR_HEAT    89.0
// Doppler: an excursion above FACTOR x limit in SAMPLES samples.
#define EXCURSION_2          2.0
#define EXCURSION_2_SAMPLES  10
#define EXCURSION_25         2.5
#define EXCURSION_25_SAMPLES 2

// --- cards ---

static const struct ts_card cards[] = {
#define TS_CARD(card, of, tdp_w, tdc_a, fast_a, board_w, excursions, mv) \
    {.name = card,                                                       \
     .chip = of,                                                         \
     .tdp = tdp_w,                                                       \
     .tdc = tdc_a,                                                       \
     .fast_tdc = fast_a,                                                 \
     .board = board_w,                                                   \
     .heat = HEAT,                                                       \
     .gddr_heat = GDDR_HEAT,                                             \
     .doppler = excursions,                                              \
     .margin = mv},
#include "config/cards.def"
};

bool ts_card_find(const char *name, struct ts_card *card)
{
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        if (strcmp(cards[i].name, name) == 0) {
            *card = cards[i];
            return true;
        }
    return false;
}

const char *ts_card_names(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof cards / sizeof *cards && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", cards[i].name);
    return text;
}

bool ts_card_set(struct ts_card *card, const char *name, double value)
{
    const struct {
        const char *name;
        double *to;
        double low, high;
    } limits[] = {{"tdp", &card->tdp, 1, 1000},           {"tdc", &card->tdc, 1, 1000},
                  {"fast_tdc", &card->fast_tdc, 1, 1000}, {"board", &card->board, 1, 2000},
                  {"heat", &card->heat, 1, 125},          {"gddr_heat", &card->gddr_heat, 1, 125},
                  {"margin", &card->margin, 0, 200}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(limits[i].name, name) == 0) {
            if (!(value >= limits[i].low && value <= limits[i].high))
                return false;
            *limits[i].to = value;
            return true;
        }
    bool *flag = strcmp(name, "doppler") == 0 ? &card->doppler
                 : strcmp(name, "nops") == 0  ? &card->nops
                                              : NULL;
    if (flag == NULL || (value != 0 && value != 1))
        return false;
    *flag = value != 0;
    return true;
}

double ts_firmware_voltage(const struct ts_card *card, double mhz)
{
    const double mv = CURVE_2 * mhz * mhz + CURVE_1 * mhz + CURVE_0 + card->margin;
    return fmin(fmax(mv, VOLTAGE_LOW), VOLTAGE_HIGH);
}

// --- throttlers ---

enum input { CORE_POWER, CORE_CURRENT, CHIP_HEAT, INPUT_POWER, GDDR_HEAT_NOW, INPUT_POWER_MEAN };

static const struct {
    enum input input;
    size_t limit;
    double filter, p, d;
    bool off;
} rules[TS_THROTTLERS] = {
#define INPUT_CORE_POWER       CORE_POWER
#define INPUT_CORE_CURRENT     CORE_CURRENT
#define INPUT_CHIP_HEAT        CHIP_HEAT
#define INPUT_INPUT_POWER      INPUT_POWER
#define INPUT_GDDR_HEAT        GDDR_HEAT_NOW
#define INPUT_INPUT_POWER_MEAN INPUT_POWER_MEAN
#define TS_THROTTLER(id, name, in, of, share, gain_p, gain_d, without) \
    {INPUT_##in, offsetof(struct ts_card, of), share, gain_p, gain_d, without},
#include "config/throttlers.def"
};

const char *const ts_throttler_names[TS_THROTTLERS] = {
#define TS_THROTTLER(id, name, input, limit, filter, p, d, off) name,
#include "config/throttlers.def"
};

static double limit_of(const struct ts_firmware *self, unsigned id)
{
    double limit;
    memcpy(&limit, (const char *)&self->card + rules[id].limit, sizeof limit);
    return limit;
}

static double clamp(double mhz)
{
    return fmin(fmax(mhz, TS_CLOCK_LOW), TS_CLOCK_HIGH);
}

void ts_firmware_init(struct ts_firmware *self, const struct ts_card *card)
{
    memset(self, 0, sizeof *self);
    self->card = *card;
    self->card.tdc = fmin(card->tdc, TS_TDC_RANGE);
    self->card.fast_tdc = fmin(card->fast_tdc, TS_TDC_RANGE);
    self->critical = TS_CLOCK_HIGH;
    self->target = TS_CLOCK_LOW;
    self->units = ts_clock_units(TS_CLOCK_LOW);
    self->limited_by = -1;
    for (unsigned i = 0; i < TS_THROTTLERS; i++) {
        self->throttlers[i].maximum = TS_CLOCK_HIGH;
        self->throttlers[i].enabled = limit_of(self, i) > 0 && !(card->doppler && rules[i].off) &&
                                      (card->doppler || i != TS_THROTTLER_DOPPLER_SLOW);
    }
}

static double input_of(const struct ts_firmware *self, const struct ts_firmware_sample *sample,
                       enum input input)
{
    switch (input) {
    case CORE_POWER:
        return sample->core_power;
    case CORE_CURRENT:
        return sample->core_current;
    case CHIP_HEAT:
        return sample->chip_heat;
    case GDDR_HEAT_NOW:
        return sample->gddr_heat;
    case INPUT_POWER:
        return sample->input_power;
    case INPUT_POWER_MEAN:
    default:
        return self->sum / TS_DOPPLER_SAMPLES;
    }
}

static void throttle(struct ts_firmware *self, unsigned id, const struct ts_firmware_sample *sample)
{
    const double limit = limit_of(self, id), input = input_of(self, sample, rules[id].input);
    const double filter = rules[id].filter,
                 value = filter * input + (1 - filter) * self->throttlers[id].value,
                 error = (limit - value) / limit, before = self->throttlers[id].error;
    self->throttlers[id].value = value;
    self->throttlers[id].error = error;
    self->throttlers[id].maximum = clamp(
        self->throttlers[id].maximum +
        SCALE * (rules[id].p * error + rules[id].d * (error - before)));
}

// Doppler: the mean of the last second, and excursions that are too long.
static bool excursion(struct ts_firmware *self, double power)
{
    self->sum += power - self->second[self->at];
    self->second[self->at] = power;
    self->at = (self->at + 1) % TS_DOPPLER_SAMPLES;
    self->above_2 = power > EXCURSION_2 * self->card.board ? self->above_2 + 1 : 0;
    self->above_25 = power > EXCURSION_25 * self->card.board ? self->above_25 + 1 : 0;
    return self->above_2 >= EXCURSION_2_SAMPLES || self->above_25 >= EXCURSION_25_SAMPLES;
}

static void find_target(struct ts_firmware *self, bool busy)
{
    double target = busy ? TS_CLOCK_HIGH : TS_CLOCK_LOW;
    self->limited_by = -1;
    for (unsigned i = 0; i < TS_THROTTLERS; i++)
        if (self->throttlers[i].enabled && self->throttlers[i].maximum < target) {
            target = self->throttlers[i].maximum;
            self->limited_by = (int)i;
        }
    if (self->critical < target) {
        target = self->critical;
        self->limited_by = TS_THROTTLERS;
    }
    self->target = target;
    self->units = ts_clock_units(target);
}

void ts_firmware_step(struct ts_firmware *self, const struct ts_firmware_sample *sample)
{
    const bool doppler = self->card.doppler, asks = doppler || self->card.nops;
    const bool critical = doppler && excursion(self, sample->input_power);
    self->periods++;
    for (unsigned i = 0; i < TS_THROTTLERS; i++)
        if (self->throttlers[i].enabled)
            throttle(self, i, sample);
    self->critical = critical ? TS_CLOCK_LOW : TS_CLOCK_HIGH;
    find_target(self, sample->busy);
    const double power = doppler ? sample->input_power : sample->core_power,
                 limit = doppler ? self->card.board : self->card.tdp;
    const bool throttled = self->word & 1,
               low = sample->busy && self->target <= TS_CLOCK_LOW && power > limit,
               high = self->target >= TS_CLOCK_HIGH && power < limit;
    if (asks && (throttled ? high && !critical : critical || low))
        self->word++;
}

// --- time ---

void ts_clock_set(struct ts_clock *self, unsigned target)
{
    self->target = target;
    if (self->left == 0)
        self->left = TS_CLOCK_STEP_NS;
}

static void step_clock(struct ts_clock *self)
{
    self->units = self->units < self->target ? self->units + 1 : self->units - 1;
    self->left = TS_CLOCK_STEP_NS;
}

uint64_t ts_clock_pass(struct ts_clock *self, uint64_t ns)
{
    uint64_t cycles = 0;
    while (ns > 0) {
        const bool walks = self->units != self->target;
        const uint64_t span = walks && self->left < ns ? self->left : ns,
                       parts = span * self->units + self->part;
        cycles += parts / TS_CLOCK_NS;
        self->part = parts % TS_CLOCK_NS;
        self->ns += span;
        ns -= span;
        if (walks && (self->left -= span) == 0)
            step_clock(self);
    }
    return cycles;
}
