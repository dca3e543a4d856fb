// The common parts of all pages: the skeleton with the style and the script of page.css and
// page.js, escaped text, and a distinct colour for every stall reason.
#include "platform/kernel/stall.h"
#include "platform/report/page.h"
#include "platform/report/plot.h"
#include "tests/folder.h"
#include "tests/suite.h"

START_TEST(skeleton)
{
    char *text = NULL, source[1 << 14];
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ts_page_begin(file, "a < b & \"c\"");
    ts_page_end(file);
    fclose(file);
    ck_assert_ptr_nonnull(strstr(text, "<title>a &lt; b &amp; &quot;c&quot;</title>"));
    ck_assert_ptr_nonnull(strstr(text, "<h1>a &lt; b"));
    slurp(TENSIM_SOURCE_DIR "/platform/report/page.css", source, sizeof source);
    ck_assert_ptr_nonnull(strstr(text, source));
    slurp(TENSIM_SOURCE_DIR "/platform/report/page.js", source, sizeof source);
    ck_assert_ptr_nonnull(strstr(text, source));
    ck_assert_str_eq(text + size - 15, "</body></html>\n");
    free(text);
}
END_TEST

START_TEST(colors_of_reasons)
{
    for (int a = 0; a < TS_STALL_COUNT; a++) {
        const char *color = ts_color_stall(ts_stall_name((enum ts_stall)a));
        ck_assert_msg(strlen(color) == 7 && color[0] == '#', "%s: %s",
                      ts_stall_name((enum ts_stall)a), color);
        ck_assert_str_ne(color, TS_COLOR_BUSY);
        for (int b = a + 1; b < TS_STALL_COUNT; b++)
            ck_assert_str_ne(color, ts_color_stall(ts_stall_name((enum ts_stall)b)));
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, skeleton);
    tcase_add_test(tests, colors_of_reasons);
}

SUITE("page", add_tests)
