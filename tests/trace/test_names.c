// Names of any length and with any character: trace.kanata and trace.lines.csv hold them, or a part, and stay readable.
#include "tests/folder.h"
#include "tests/suite.h"

#include "platform/kernel/domain.h"
#include "platform/trace/events.h"

#include <stdlib.h>

#define LONG 5000

static char name[LONG + 1], text[8 * LONG];

static void read_back(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
}

// A word of the function `name`, given to a sink.
static void one_word(enum ts_trace_format format,
                     struct ts_trace_sink *(*make)(const struct ts_kernel *,
                                                   const struct ts_trace_options *,
                                                   struct ts_error *))
{
    static struct ts_domain domain;
    char path[300];
    struct ts_error error = {0};
    struct ts_object front = {.domain = &domain, .path = name}, unit = front;
    struct ts_trace_place place = {.function = name, .line = "a, \"b\".cpp:3"};
    struct ts_trace_insn *insn = calloc(1, sizeof *insn + 10);
    struct ts_trace_word word = {.insn = insn,
                                 .front = &front,
                                 .unit = &unit,
                                 .pushed = 1,
                                 .gate = 2,
                                 .passed = 5,
                                 .from = 6,
                                 .to = 7,
                                 .reason = 1,
                                 .on = &unit,
                                 .waited = 3};
    insn->op = "NOP";
    insn->place = &place;
    folder_make();
    snprintf(path, sizeof path, "%s/file", folder);
    struct ts_trace_options options = {.limit = UINT64_MAX};
    options.path[format] = path;
    struct ts_trace_sink *sink = make(NULL, &options, &error);
    ck_assert_ptr_nonnull(sink);
    sink->word(sink, &word);
    ck_assert_int_eq(sink->close(sink), 0);
    free(insn);
    read_back(path);
    folder_remove();
}

START_TEST(kanata)
{
    memset(name, 'f', LONG);
    one_word(TS_TRACE_KANATA, ts_kanata_sink);
    ck_assert_ptr_nonnull(strstr(text, "waited 3: "));
    ck_assert_ptr_nonnull(strstr(text, "\nR\t0\t0\t0\n"));
}
END_TEST

// Two fields in quotes, four numbers.
START_TEST(lines)
{
    memset(name, '"', LONG);
    one_word(TS_TRACE_LINES, ts_lines_sink);
    static const char first[] = "\"a, \"\"b\"\".cpp:3\",\"";
    const char *at = strchr(text, '\n') + 1;
    ck_assert_int_eq(strncmp(at, first, strlen(first)), 0);
    for (at += strlen(first); at[0] == '"' && at[1] == '"'; at += 2)
        ;
    ck_assert_str_eq(at, "\",0,1,1,3\n");
}
END_TEST

// More source lines than any program has: each has its row.
START_TEST(many_lines)
{
    enum { MANY = 120000 };
    static struct ts_domain domain;
    struct ts_error error = {0};
    struct ts_object core = {.domain = &domain, .path = "core"};
    char path[300], line[32];
    folder_make();
    snprintf(path, sizeof path, "%s/file", folder);
    struct ts_trace_options options = {.limit = UINT64_MAX, .path = {[TS_TRACE_LINES] = path}};
    struct ts_trace_sink *sink = ts_lines_sink(NULL, &options, &error);
    for (unsigned i = 0; i < 2 * MANY; i++) {
        struct ts_trace_place place = {.function = "f", .line = line};
        struct ts_trace_visit visit = {&core, i, &place, i, i + 1};
        snprintf(line, sizeof line, "a.cpp:%u", i % MANY);
        sink->visit(sink, &visit);
    }
    ck_assert_int_eq(sink->close(sink), 0);
    FILE *file = fopen(path, "r");
    unsigned rows = 0, number, cycles;
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    for (; fgets(text, sizeof text, file); rows++) {
        ck_assert_int_eq(sscanf(text, "\"a.cpp:%u\",\"f\",%u,0,0,0", &number, &cycles), 2);
        ck_assert_uint_eq(cycles, 2);
    }
    fclose(file);
    ck_assert_uint_eq(rows, MANY);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, kanata);
    tcase_add_test(tests, lines);
    tcase_add_test(tests, many_lines);
}

SUITE("trace names", add_tests)
