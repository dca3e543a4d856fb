// The list of lints and the choice of --lint.
#include "tests/suite.h"
#include "units/isa/lints.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define BIT(name) TS_LINT_BIT(TS_REPORT_##name)

START_TEST(list)
{
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++) {
        ck_assert(ts_report_id(i)[0] != '\0' && strcspn(ts_report_id(i), " ,") > 3);
        for (unsigned k = 0; k < i; k++)
            ck_assert_str_ne(ts_report_id(i), ts_report_id(k));
    }
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++)
        ck_assert(ts_lint_info[i].cure[0] && ts_lint_info[i].source[0]);
    ck_assert_str_eq(ts_report_harm(TS_REPORT_SEMGET_DROPPED), "wrong result");
    ck_assert_str_eq(ts_report_harm(TS_REPORT_SEMPOST_SATURATED), "hang");
    ck_assert_str_eq(ts_report_harm(TS_REPORT_SETDVALID), "portability");
    ck_assert(ts_lint_info[TS_REPORT_CONFIG_LONG_AGO].idiom);
    ck_assert(ts_lints_harmful() & BIT(SEMGET_DROPPED));
    ck_assert(ts_lints_harmful() & BIT(SEMPOST_SATURATED));
    ck_assert(!(ts_lints_harmful() & (BIT(SETDVALID) | BIT(CONFIG_LONG_AGO))));
}
END_TEST

START_TEST(choice)
{
    const uint64_t all = TS_LINT_BIT(TS_REPORT_COUNT) - 1;
    uint64_t idioms = 0;
    for (unsigned i = 0; i < TS_REPORT_COUNT; i++)
        idioms |= ts_lint_info[i].idiom ? TS_LINT_BIT(i) : 0;
    const struct {
        const char *text;
        uint64_t shown;
    } rows[] = {{"style", all & ~idioms},
                {"hang", ts_lints_harmful() & ~idioms},
                {"all", all},
                {"all,-setdvalid", all & ~BIT(SETDVALID)},
                {"-setdvalid,-l0-stale", all & ~idioms & ~BIT(SETDVALID) & ~BIT(L0_STALE)},
                {"config-long-ago", (all & ~idioms) | BIT(CONFIG_LONG_AGO)}};
    uint64_t shown;
    char text[TS_LINTS_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(ts_lints_parse(rows[i].text, &shown, text, sizeof text), "%s", text);
        ck_assert_msg(shown == rows[i].shown, "%s: 0x%llx", rows[i].text,
                      (unsigned long long)shown);
    }
    ck_assert(ts_lints_parse("result", &shown, text, sizeof text));
    ck_assert((shown & BIT(SEMGET_DROPPED)) && !(shown & BIT(SEMPOST_SATURATED)));
    ck_assert_uint_eq(ts_lints_default(), all & ~idioms);
    static const char *const wrong[] = {"", "error", "all,", "-all", "all,-nothing"};
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
