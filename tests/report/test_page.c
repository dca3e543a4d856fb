// The common parts of all pages: the document inside the skeleton with style and scripts, text that cannot leave it, the
// command as a shell takes it, and a distinct colour for every stall reason.
#include "platform/kernel/component.h"
#include "platform/report/page.h"
#include "tests/folder.h"
#include "tests/suite.h"

static char *text_of(const json_t *document, const json_t *drawing, const char *command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ts_page_write(document, drawing, command, file);
    fclose(file);
    return text;
}

START_TEST(skeleton)
{
    static char source[1 << 16];
    json_t *document = json_pack("{s:s}", "schema", "tensim.hang");
    char *text = text_of(document, NULL, NULL);
    static const char *const parts[] = {"page.css", "page.js", "charts.js",
                                        "graph.js", "heat.js", "views/hang.js"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char path[256];
        snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/platform/report/%s", parts[i]);
        slurp(path, source, sizeof source);
        ck_assert_msg(strstr(text, source) != NULL, "%s is not in the page", parts[i]);
    }
    ck_assert_ptr_nonnull(strstr(text, "Chart.js v3"));
    ck_assert_str_eq(text + strlen(text) - 15, "</body></html>\n");
    json_decref(document);
    free(text);
}
END_TEST

static json_t *page_in(const char *text)
{
    const char *from = strchr(strstr(text, "id=\"page\""), '\n');
    json_error_t error;
    json_t *page = json_loads(from, JSON_DISABLE_EOF_CHECK, &error);
    ck_assert_msg(page != NULL, "%s", error.text);
    ck_assert_ptr_null(memmem(from, (size_t)(strstr(from, "</script>") - from), "<", 1));
    return page;
}

// The document comes back as it was, whatever its text.
START_TEST(document)
{
    static const char evil[] = "</script><b>&\"\\ \xc2\xb5";
    json_t *what = json_pack("{s:s, s:s, s:[i, i]}", "schema", "tensim.pipe", "text", evil, "list",
                             1, 2);
    json_t *drawing = json_pack("{s:s}", "more", evil);
    char *text = text_of(what, drawing, "tensim x");
    json_t *back = page_in(text);
    ck_assert(json_equal(json_object_get(back, "document"), what));
    ck_assert(json_equal(json_object_get(back, "drawing"), drawing));
    ck_assert_str_eq(json_string_value(json_object_get(back, "view")), "pipe");
    ck_assert_str_eq(json_string_value(json_object_get(back, "command")), "tensim x");
    json_decref(back);
    json_decref(what);
    json_decref(drawing);
    free(text);
}
END_TEST

// Every schema that has a page has a view.
START_TEST(views)
{
    for (const struct ts_page_file *row = ts_page_files; row->schema; row++) {
        char plain[64], quoted[64];
        const char *name = row->schema + strlen("tensim.");
        snprintf(plain, sizeof plain, "\nviews.%s = ", name);
        snprintf(quoted, sizeof quoted, "\nviews[\"%s\"] = ", name);
        ck_assert_msg(strstr(ts_page_js, plain) || strstr(ts_page_js, quoted), "%s has no view",
                      row->schema);
    }
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
    json_t *what = json_pack("{s:s}", "schema", "tensim.hang");
    char *text = text_of(what, NULL, NULL);
    json_t *page = page_in(text), *colors = json_object_get(page, "colors");
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
    json_decref(what);
    free(text);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, skeleton);
    tcase_add_test(tests, document);
    tcase_add_test(tests, views);
    tcase_add_test(tests, command);
    tcase_add_test(tests, colors_of_reasons);
}

SUITE("page", add_tests)
