// The management firmware's loop: figures that follow from its published rules.
#include "platform/firmware/trace.h"
#include "tests/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ts_card card_of(const char *name)
{
    struct ts_card card;
    ck_assert(ts_card_find(name, &card));
    return card;
}

START_TEST(voltages)
{
    static const struct {
        double mhz, mv;
    } rows[] = {{800, 703.134}, {1000, 728.25}, {1200, 778.482}, {1350, 832.638}};
    const struct ts_card card = card_of("p300c");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_double_eq_tol(ts_firmware_voltage(&card, rows[i].mhz), rows[i].mv, 1e-3);
    // 700 to 900, whatever the curve says.
    struct ts_card other = card;
    other.margin = 0;
    ck_assert_double_eq(ts_firmware_voltage(&other, 700), 700);
    other.margin = 200;
    ck_assert_double_eq(ts_firmware_voltage(&other, 1350), 900);
}
END_TEST

START_TEST(clock_walks)
{
    ck_assert_uint_eq(ts_clock_units(800), 128);
    ck_assert_uint_eq(ts_clock_units(1350), 216);
    // The walk itself: 100 ns at each unit, so many cycles.
    struct ts_clock clock = {.units = 128, .target = 128};
    ts_clock_set(&clock, 216);
    uint64_t parts = 0;
    for (unsigned u = 128; u < 216; u++)
        parts += 100u * u;
    ck_assert_uint_eq(ts_clock_pass(&clock, 8799), (parts - 215) / TS_CLOCK_NS);
    ck_assert_uint_eq(clock.units, 215);
    ts_clock_pass(&clock, 1);
    ck_assert_uint_eq(clock.units, 216);
}
END_TEST

// MHz in one period at a constant value of 10 % above the limit, once the filter has settled and D has nothing to add.
START_TEST(gains)
{
    static const struct {
        enum ts_throttler_id id;
        double mhz;
    } rows[] = {{TS_THROTTLER_TDP, 0.75},    {TS_THROTTLER_FAST_TDC, 25},
                {TS_THROTTLER_TDC, 10},      {TS_THROTTLER_HEAT, 10},
                {TS_THROTTLER_BOARD, 5},     {TS_THROTTLER_DOPPLER_SLOW, 0.125},
                {TS_THROTTLER_GDDR_HEAT, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const enum ts_throttler_id id = rows[i].id;
        struct ts_card card = card_of("p150a");
        card.doppler = id == TS_THROTTLER_DOPPLER_SLOW;
        struct ts_firmware firmware;
        struct ts_firmware_sample sample = {.busy = true};
        if (id == TS_THROTTLER_TDP)
            sample.core_power = 1.1 * card.tdp;
        else if (id == TS_THROTTLER_FAST_TDC)
            sample.core_current = 1.1 * card.fast_tdc;
        else if (id == TS_THROTTLER_TDC)
            sample.core_current = 1.1 * card.tdc;
        else if (id == TS_THROTTLER_HEAT)
            sample.chip_heat = 1.1 * card.heat;
        else if (id == TS_THROTTLER_GDDR_HEAT)
            sample.gddr_heat = 1.1 * card.gddr_heat;
        else
            sample.input_power = 1.1 * card.board;
        ts_firmware_init(&firmware, &card);
        for (unsigned n = 0; n < (id == TS_THROTTLER_DOPPLER_SLOW ? 1001u : 1u) +
                                     (id == TS_THROTTLER_TDC ? 400u : 1u);
             n++)
            ts_firmware_step(&firmware, &sample);
        firmware.throttlers[id].maximum = TS_CLOCK_HIGH;
        const double before = firmware.throttlers[id].maximum;
        ts_firmware_step(&firmware, &sample);
        ck_assert_double_eq_tol(before - firmware.throttlers[id].maximum, rows[i].mhz, 1e-9);
        ck_assert_double_eq(firmware.target, firmware.throttlers[id].maximum);
        ck_assert_uint_eq(firmware.units, ts_clock_units(firmware.target));
    }
}
END_TEST

// The filter of TDC and the D part of TDP, by hand.
START_TEST(filter_and_difference)
{
    struct ts_card card = card_of("galaxy");
    struct ts_firmware firmware;
    struct ts_firmware_sample sample = {.busy = true, .core_power = 143, .core_current = 440};
    ts_firmware_init(&firmware, &card);
    ck_assert_double_eq(firmware.card.tdc, 400); // 500 A are out of range: off
    ck_assert(!firmware.throttlers[TS_THROTTLER_BOARD].enabled);
    for (unsigned n = 0; n < 3; n++) {
        ts_firmware_step(&firmware, &sample);
        ck_assert_double_eq_tol(firmware.throttlers[TS_THROTTLER_TDC].value,
                                440 * (1 - pow(0.9, n + 1)), 1e-9);
        // e = -0.1; the first period also has D x (e - 0).
        ck_assert_double_eq_tol(firmware.throttlers[TS_THROTTLER_TDP].maximum,
                                1350 - 5 - 0.75 * (n + 1), 1e-9);
    }
    ck_assert_int_eq(firmware.limited_by, TS_THROTTLER_FAST_TDC);
}
END_TEST

START_TEST(minima_and_maxima)
{
    struct ts_card card = card_of("p300a");
    struct ts_firmware firmware;
    struct ts_firmware_sample sample = {.busy = false};
    ts_firmware_init(&firmware, &card);
    ts_firmware_step(&firmware, &sample);
    ck_assert_double_eq(firmware.target, 800);
    sample.busy = true;
    ts_firmware_step(&firmware, &sample);
    ck_assert_double_eq(firmware.target, 1350);
    sample.core_power = 1e4;
    ts_firmware_step(&firmware, &sample);
    ck_assert_double_eq(firmware.target, 800); // the floor
    ck_assert_uint_eq(firmware.word, 0);       // no NOPs without Doppler (fw#1301)
    firmware.card.nops = true;
    ts_firmware_step(&firmware, &sample);
    ck_assert_uint_eq(firmware.word, 1);
}
END_TEST

// Doppler: input power in multiples of the limit, period by period; the word and the target after the last.
START_TEST(excursions)
{
    static const struct {
        double first;
        unsigned count;
        double then;
        unsigned more;
        double target;
        uint32_t word;
    } rows[] = {
        {1.9, 50, 0, 0, 1350, 0},  // brief excursions are allowed
        {2.1, 9, 0, 0, 1350, 0},   // 10 samples above 2x
        {2.1, 10, 0, 0, 800, 1},   //
        {2.6, 1, 0, 0, 1350, 0},   // 2 samples above 2.5x
        {2.6, 2, 0, 0, 800, 1},    //
        {2.1, 9, 1.9, 1, 1350, 0}, // they follow each other
        {2.1, 9, 2.6, 1, 800, 1},  // above 2.5x is above 2x
        {2.6, 2, 1.5, 3, 1350, 1}, // the limit ends with the excursion, the NOPs do not
        {2.6, 2, 0.9, 1, 1350, 2}, // full clock and below the limit: free
        {2.0, 100, 0, 0, 1350, 0}, // not above
    };
    const struct ts_card card = card_of("p150b");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ts_firmware firmware;
        struct ts_firmware_sample sample = {.busy = true, .core_power = 1000};
        ts_firmware_init(&firmware, &card);
        ck_assert(!firmware.throttlers[TS_THROTTLER_TDP].enabled); // off while it is active
        ck_assert(!firmware.throttlers[TS_THROTTLER_TDC].enabled);
        ck_assert(!firmware.throttlers[TS_THROTTLER_BOARD].enabled);
        ck_assert(firmware.throttlers[TS_THROTTLER_FAST_TDC].enabled);
        sample.input_power = rows[i].first * card.board;
        for (unsigned n = 0; n < rows[i].count; n++)
            ts_firmware_step(&firmware, &sample);
        sample.input_power = rows[i].then * card.board;
        for (unsigned n = 0; n < rows[i].more; n++)
            ts_firmware_step(&firmware, &sample);
        ck_assert_msg(firmware.target == rows[i].target && firmware.word == rows[i].word,
                      "row %zu: target %g, word %u", i, firmware.target, firmware.word);
    }
    // The floor: a mean far above the limit brings the target to 800 MHz; power above it, NOPs.
    struct ts_firmware firmware;
    struct ts_firmware_sample sample = {.busy = true, .input_power = 1.9 * card.board};
    ts_firmware_init(&firmware, &card);
    for (unsigned n = 0; n < 3000 && firmware.word == 0; n++)
        ts_firmware_step(&firmware, &sample);
    ck_assert_double_eq(firmware.target, 800);
    ck_assert_uint_eq(firmware.word, 1);
    ck_assert_int_eq(firmware.limited_by, TS_THROTTLER_DOPPLER_SLOW);
}
END_TEST

START_TEST(power_ratios)
{
    struct ts_power power;
    struct ts_error error = {0};
    const struct ts_card card = card_of("p300c");
    ck_assert_msg(ts_power_read(&power, NULL, &error), "%s", error.text);
    ck_assert(power.assumed);
    const struct ts_power_shares full = {{[TS_POWER_MATRIX] = 1}}, third = {{1.0 / 3}};
    const double v = ts_firmware_voltage(&card, 800) / ts_firmware_voltage(&card, 1350);
    struct ts_power_ratio at = ts_power_of(&power, &card, &full, 1350);
    ck_assert_double_eq_tol(at.value, 1, 1e-12);
    ck_assert_double_eq_tol(at.low, 1, 1e-12);
    // 1350 to 800 MHz: the dynamic part falls to 42 %; level 5 leaves a third of it.
    at = ts_power_of(&power, &card, &full, 800);
    ck_assert_double_eq_tol(at.value, v * v * 800 / 1350, 1e-12);
    ck_assert_double_eq(round(100 * at.value), 42);
    ck_assert(at.low <= at.value && at.value < at.high);
    at = ts_power_of(&power, &card, &third, 1350);
    ck_assert_double_eq_tol(at.value, 1.0 / 3, 1e-12);
    ck_assert_double_eq_tol(at.high, (1.0 / 3 + 0.5) / 1.5, 1e-12); // idle at its highest
    char text[80];
    ck_assert_str_eq(ts_power_watts(&power, &at, text, sizeof text), "40 to 278 W (assumed)");
}
END_TEST

// A trace: cycles of two stretches, repeated; each figure by hand.
START_TEST(repeated_trace)
{
    struct ts_power_point points[] = {{1000, {{1}}}, {350, {{0}}}};
    struct ts_power power;
    struct ts_error error = {0};
    struct ts_card card = card_of("p300c");
    struct ts_firmware firmware;
    ck_assert(ts_power_read(&power, NULL, &error));
    struct ts_trace_run run = {.trace = {points, 2}, .repeat = 3000, .watts = 100};
    ts_firmware_init(&firmware, &card);
    ts_trace_run(&run, &power, &firmware);
    ck_assert_uint_eq(run.ns, 3000000); // never above a limit: 1350 cycles are 1 us
    ck_assert_uint_eq(run.cycles, 3000 * 1350);
    ck_assert_uint_eq(run.words, 0);
    ck_assert_double_eq_tol(run.mean_power, 1000.0 / 1350, 1e-9);
    ck_assert_double_eq_tol(run.energy, 3000 * 1000.0 / 1350, 1e-6);
    // Throttled after the first period: the floor of the clock, and power still above the limit. From the next block on
    // each MVMUL has three slots.
    struct ts_card doppler = card_of("p150a");
    struct ts_power_point point = {4100, {{1}}};
    struct ts_trace_run hot = {.trace = {&point, 1}, .repeat = 20000, .watts = 1000, .block = 1000};
    ts_firmware_init(&firmware, &doppler);
    ts_trace_run(&hot, &power, &firmware);
    ck_assert_uint_eq(hot.first_throttled_ns, 1000000);
    ck_assert_uint_eq(hot.effect_cycles,
                      900); // 1,350,000 is 1,100 behind a start: the block ends at 2,000
    ck_assert_uint_gt(hot.throttled_cycles, 0);
    // All work was done: free cycles once, throttled ones three times.
    ck_assert_double_eq_tol((double)hot.free_cycles + (double)hot.throttled_cycles / 3, 8.2e7, 10);
}
END_TEST

START_TEST(cards)
{
    char names[120];
    struct ts_card card;
    ck_assert_str_eq(ts_card_names(names, sizeof names),
                     "p100a, p150a, p150b, p150c, p300a, p300c, galaxy");
    ck_assert(!ts_card_find("n150", &card));
    card = card_of("p150a");
    static const struct {
        const char *name;
        double value;
        bool good;
    } rows[] = {{"tdp", 60, true},      {"tdp", 0, false},     {"tdp", NAN, false},
                {"heat", 200, false},   {"doppler", 0, true},  {"doppler", 0.5, false},
                {"nops", 1, true},      {"volts", 1, false},   {"board", 1e9, false},
                {"fast_tdc", 10, true}, {"margin", -1, false}, {"gddr_heat", 89, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(ts_card_set(&card, rows[i].name, rows[i].value) == rows[i].good, "row %zu",
                      i);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, voltages);
    tcase_add_test(tests, clock_walks);
    tcase_add_test(tests, gains);
    tcase_add_test(tests, filter_and_difference);
    tcase_add_test(tests, minima_and_maxima);
    tcase_add_test(tests, excursions);
    tcase_add_test(tests, power_ratios);
    tcase_add_test(tests, repeated_trace);
    tcase_add_test(tests, cards);
}

SUITE("firmware", add_tests)
