// The list of lints and the choice of --lint.
#include "tests/suite.h"
#include "units/isa/lints.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define BIT(name) (1u << TS_REPORT_##name)

START_TEST(list)
{
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++) {
        ck_assert(ts_report_id(i)[0] != '\0' && strcspn(ts_report_id(i), " ,") > 3);
        for (unsigned k = 0; k < i; k++)
            ck_assert_str_ne(ts_report_id(i), ts_report_id(k));
    }
    ck_assert_str_eq(ts_report_level(TS_REPORT_SEMGET_DROPPED), "error");
    ck_assert_str_eq(ts_report_level(TS_REPORT_SETDVALID), "hazard");
    ck_assert_str_eq(ts_report_level(TS_REPORT_CONFIG_LONG_AGO), "idiom");
}
END_TEST

START_TEST(choice)
{
    const uint32_t all = (1u << TS_REPORT_COUNT) - 1, idioms = BIT(CONFIG_LONG_AGO);
    const struct {
        const char *text;
        uint32_t shown;
    } rows[] = {{"hazard", all & ~idioms},
                {"all", all},
                {"all,-setdvalid", all & ~BIT(SETDVALID)},
                {"-setdvalid,-l0-stale", all & ~idioms & ~BIT(SETDVALID) & ~BIT(L0_STALE)},
                {"config-long-ago", all}};
    uint32_t shown;
    char text[700];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(ts_lints_parse(rows[i].text, &shown, text, sizeof text), "%s", text);
        ck_assert_msg(shown == rows[i].shown, "%s: 0x%x", rows[i].text, shown);
    }
    ck_assert(ts_lints_parse("error", &shown, text, sizeof text));
    ck_assert((shown & BIT(SEMGET_DROPPED)) && !(shown & BIT(SETDVALID)));
    ck_assert_uint_eq(ts_lints_default(), all & ~idioms);
    static const char *const wrong[] = {"", "errors", "all,", "-all", "all,-nothing"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert(!ts_lints_parse(wrong[i], &shown, text, sizeof text));
        ck_assert_msg(strstr(text, "semget-dropped") && strstr(text, "setdvalid"), "%s", text);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, list);
    tcase_add_test(tests, choice);
}

SUITE("lints", add_tests)
