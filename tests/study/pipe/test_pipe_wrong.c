// Wrong programs: each gives its code, with the line and the object it is about, once.
#include "platform/study/pipe/run.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char base[] = "tensors:\n"
                           "  - {name: far, rows: 64, cols: 64, init: iota}\n"
                           "  - {name: h, type: fp16, rows: 16, cols: 32}\n"
                           "  - {name: out, rows: 8, cols: 32, out: true}\n"
                           "windows:\n"
                           "  - {name: g, rows: 16, cols: 32}\n"
                           "tiles:\n"
                           "  - {name: acc, loc: acc, rows: 16, cols: 32}\n"
                           "  - {name: odd, loc: acc, rows: 15, cols: 32}\n"
                           "  - {name: narrow, loc: acc, rows: 16, cols: 24}\n"
                           "  - {name: m, loc: mat, rows: 16, cols: 32}\n"
                           "  - {name: mh, loc: mat, type: fp16, rows: 16, cols: 32}\n"
                           "  - {name: l, loc: left, rows: 16, cols: 16}\n"
                           "  - {name: l16, loc: left, rows: 16, cols: 32}\n"
                           "  - {name: r, loc: right, rows: 32, cols: 16}\n"
                           "  - {name: x, loc: vec, rows: 8, cols: 32}\n"
                           "  - {name: y, loc: vec, rows: 8, cols: 32}\n"
                           "  - {name: full, loc: vec, rows: 16, cols: 32}\n"
                           "  - {name: half, loc: vec, type: fp16, rows: 8, cols: 32}\n"
                           "  - {name: bits, loc: vec, type: int8, rows: 8, cols: 32}\n"
                           "  - {name: thin, loc: vec, rows: 16, cols: 9}\n"
                           "  - {name: big, loc: vec, rows: 64, cols: 64}\n"
                           "  - {name: fixed, loc: vec, rows: 8, cols: 32, addr: 0x20000}\n";

#define A5         "profile: a5\n"
#define S2         "slot_size: 2048, slots: 2"
#define F(n, keys) "  - {name: p, flag: " #n ", " keys "}"
#define P(keys)    F(0, keys)
#define T(keys)    F(0, "kind: tmpipe, " keys)
#define Q(n, keys) "\n  - {name: q, flag: " #n ", " keys "}"
#define SLOW6      "  for i 0 6\n    tload big, far\n    tpop x, p\n  end\n"

static const struct {
    enum ts_finding_id id;
    enum ts_pipe_verdict verdict;
    const char *object, *keys, *pipes, *cube, *vector;
} rows[] = {
#define WRONG(id, verdict, object, keys, pipes, cube, vector) \
    {TS_FINDING_##id, TS_PIPE_##verdict, object, keys, pipes, cube, vector},
#include "tests/study/pipe/wrong.def"
};

static unsigned marked_line(const char *text)
{
    const char *mark = strstr(text, "#!");
    unsigned line = 1;
    for (const char *at = text; mark && at < mark; at++)
        line += *at == '\n';
    return mark ? line : 0;
}

static unsigned occurrences(const char *text, const char *word)
{
    unsigned count = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

START_TEST(test_wrong)
{
    static struct ts_pipe_program program;
    static struct ts_pipe_run run;
    struct ts_error error = {0};
    char text[6000];
    bool tensor_out = rows[_i].id == TS_FINDING_GM_RACE;
    snprintf(text, sizeof text,
             "%s%spipes:\n%s\ncube: |\n  barrier all\n%svector: |\n  barrier all\n%s",
             rows[_i].keys, base, rows[_i].pipes, rows[_i].cube, rows[_i].vector);
    ck_assert_msg(ts_pipe_load(&program, "text", text, NULL, &error) == TS_OK, "%s\n%s", error.text,
                  text);
    ts_pipe_run_alone(&run, &program, 1, &error);
    ck_assert_msg(error.code == TS_OK, "%s", error.text);
    const char *code = ts_finding_rows[rows[_i].id].code;
    ck_assert_msg(run.verdict == rows[_i].verdict, "%s: %s: %s\n%s", code,
                  ts_pipe_verdict_names[run.verdict], run.why, text + sizeof base - 1);
    const char *said = "";
    unsigned found = 0, line = tensor_out ? 5 : marked_line(text);
    for (uint32_t i = 0; i < run.findings.count; i++) {
        const struct ts_finding *item = &run.findings.item[i];
        if (item->id != rows[_i].id || strcmp(item->object, rows[_i].object) != 0)
            continue;
        found++;
        said = item->text;
        ck_assert_msg(item->line == line, "%s: line %u, not %u: %s\n%s", code, item->line, line,
                      item->text, text);
    }
    ck_assert_msg(found == 1, "%s about %s: %u times; first: %s %s %s\n%s", code, rows[_i].object,
                  found, run.findings.count ? ts_finding_rows[run.findings.item[0].id].code : "",
                  run.findings.count ? run.findings.item[0].object : "",
                  run.findings.count ? run.findings.item[0].text : "", text + sizeof base - 1);
    // And it is printed once.
    char *printed = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&printed, &length);
    if (run.verdict == TS_PIPE_REFUSED)
        ts_pipe_refusal_print(&run, file);
    else
        ts_pipe_report_print(&run, file);
    fclose(file);
    if (rows[_i].id != TS_FINDING_DEADLOCK) // which ts_pipe_explain tells
        ck_assert_msg(occurrences(printed, said) == 1, "not once: %s\n%s", said, printed);
    free(printed);
    ts_pipe_run_free_alone(&run);
    ts_pipe_program_free(&program);
}
END_TEST

START_TEST(test_enough)
{
    ck_assert_uint_ge(sizeof rows / sizeof *rows, 100);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_enough);
    tcase_add_loop_test(tests, test_wrong, 0, sizeof rows / sizeof *rows);
}

SUITE("pipe wrong programs", add_tests, .one_process = true)
