// The common parts of all pages: the document inside the skeleton with style and scripts, text that cannot leave it, the
// command as a shell takes it, and a distinct colour for every stall reason.
#include "platform/kernel/stall.h"
#include "platform/report/page.h"
#include "tests/folder.h"
#include "tests/suite.h"

static void write_to(char **text, json_t *page)
{
    size_t size = 0;
    FILE *file = open_memstream(text, &size);
    ts_page_write(page, file);
    fclose(file);
}

START_TEST(skeleton)
{
    char source[1 << 15], *text = NULL;
    write_to(&text, ts_page_new("a < b & c", "It is so.", NULL));
    ck_assert_ptr_nonnull(strstr(text, "<title>a &lt; b &amp; c</title>"));
    const char *const parts[] = {"page.css", "page.js", "charts.js", "graph.js", "heat.js"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[256];
        snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/platform/report/%s", parts[i]);
        slurp(path, source, sizeof source);
        ck_assert_msg(strstr(text, source) != NULL, "%s is not in the page", parts[i]);
    }
    ck_assert_ptr_nonnull(strstr(text, "Chart.js v3"));
    ck_assert_str_eq(text + strlen(text) - 15, "</body></html>\n");
    free(text);
}
END_TEST

// The document comes back as it was, whatever its text.
START_TEST(document)
{
    static const char evil[] = "</script><b>&\"\\ \xc2\xb5";
    json_t *page = ts_page_new("t", evil, "tensim x");
    json_t *fold = ts_page_part(page, "fold", "more");
    ts_page_add(fold, "text", NULL, json_pack("{s:s}", "text", evil));
    ts_page_add(page, "cards", NULL, json_pack("{s:[[i, s]]}", "cards", 3, "three"));
    char *text = NULL;
    write_to(&text, page);
    const char *from = strchr(strstr(text, "id=\"page\""), '\n');
    json_error_t error;
    json_t *back = json_loads(from, JSON_DISABLE_EOF_CHECK, &error);
    ck_assert_msg(back != NULL, "%s", error.text);
    ck_assert_ptr_null(memmem(from, (size_t)(strstr(from, "</script>") - from), "<", 1));
    ck_assert_str_eq(json_string_value(json_object_get(back, "answer")), evil);
    json_t *sections = json_object_get(back, "sections"), *first = json_array_get(sections, 0);
    ck_assert_uint_eq(json_array_size(sections), 2);
    ck_assert_str_eq(json_string_value(json_object_get(first, "title")), "more");
    ck_assert_str_eq(json_string_value(json_object_get(
                         json_array_get(json_object_get(first, "sections"), 0), "text")),
                     evil);
    json_decref(back);
    free(text);
}
END_TEST

START_TEST(command)
{
    char *words[] = {"tensim run", "-o", "a b", "it's", "", "x=1,2"};
    char *text = ts_page_command(6, words);
    ck_assert_str_eq(text, "tensim run -o 'a b' 'it'\\''s' '' x=1,2");
    free(text);
}
END_TEST

START_TEST(colors_of_reasons)
{
    json_t *page = ts_page_new("t", NULL, NULL), *colors = json_object_get(page, "colors");
    const char *busy = json_string_value(json_object_get(colors, "busy"));
    for (int a = 0; a < TS_STALL_COUNT; a++) {
        const char *name = ts_stall_name((enum ts_stall)a);
        const char *color = json_string_value(json_object_get(colors, name));
        ck_assert_msg(color && strlen(color) == 7 && color[0] == '#', "%s: %s", name, color);
        ck_assert_str_ne(color, busy);
        for (int b = a + 1; b < TS_STALL_COUNT; b++)
            ck_assert_str_ne(
                color, json_string_value(json_object_get(colors, ts_stall_name((enum ts_stall)b))));
    }
    json_decref(page);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, skeleton);
    tcase_add_test(tests, document);
    tcase_add_test(tests, command);
    tcase_add_test(tests, colors_of_reasons);
}

SUITE("page", add_tests)
