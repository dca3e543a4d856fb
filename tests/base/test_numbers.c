// Every number of the chip, the pipes and the demonstration models is in one place, with a source
// that a reader can look up.
#include "cores/riscv/params.h"
#include "platform/base/hash.h"
#include "platform/chip/chip.h"
#include "platform/study/silicon/account.h"
#include "tests/demo/demo.h"
#include "tests/folder.h"
#include "tests/suite.h"
#include "units/isa/timing.h"

#include <check.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct ts_param pipe_rows[] = {
#define TS_PARAM(key, unit, low, high, text) {#key, unit, low, high, text},
#include "config/pipe_timing.def"
};

static void add_pipe(struct ts_params *params)
{
    ts_params_add(params, "pipe", pipe_rows, sizeof pipe_rows / sizeof *pipe_rows);
}

static const struct {
    const char *file;
    void (*add)(struct ts_params *params);
} files[] = {
    {"blackhole.yaml", ts_chip_params_add}, {"../tests/demo/demo.yaml", ts_demo_params_add},
    {"pipes/timing-flat.yaml", add_pipe},   {"pipes/timing-doc.yaml", add_pipe},
    {"pipes/timing-fitted.yaml", add_pipe}, {"pipes/timing-a5.yaml", add_pipe},
};
enum { FILES = sizeof files / sizeof *files };

static void load(struct ts_params *params, const char *file)
{
    char path[512];
    struct ts_error error = {0};
    ts_config_path(path, sizeof path, file);
    ck_assert_msg(ts_params_load(params, path, &error) == TS_OK, "%s", error.text);
}

// ---- one place

// The file that the build has read gives what the parser gives for the same text in another file.
START_TEST(known_rows_are_those_of_the_parser)
{
    char from[512], path[160];
    struct ts_params known = {0}, parsed = {0};
    struct ts_error error = {0};
    ts_config_path(from, sizeof from, "blackhole.yaml");
    ck_assert_uint_eq(ts_hash_file(TS_HASH_START, from), ts_params_known.hash);
    folder_make();
    snprintf(path, sizeof path, "%s/more.yaml", folder);
    FILE *in = fopen(from, "r"), *out = fopen(path, "w");
    for (int c; (c = getc(in)) != EOF;)
        putc(c, out);
    fputs("# one line more\n", out);
    fclose(in);
    fclose(out);
    ts_chip_params_add(&known);
    ts_chip_params_add(&parsed);
    ck_assert_msg(ts_params_load(&known, from, &error) == TS_OK, "%s", error.text);
    ck_assert_msg(ts_params_load(&parsed, path, &error) == TS_OK, "%s", error.text);
    folder_remove();
    for (size_t i = 0; i < known.count; i++)
        for (size_t j = 0; j < known.groups[i].count; j++) {
            const struct ts_param_value *a = &known.groups[i].values[j];
            const struct ts_param_value *b = &parsed.groups[i].values[j];
            ck_assert_int_eq(a->value, b->value);
            ck_assert_int_eq(a->kind, b->kind);
            ck_assert_str_eq(a->source, b->source);
            ck_assert_str_eq(strrchr(a->where, ':'), strrchr(b->where, ':'));
        }
    ts_params_free(&known);
    ts_params_free(&parsed);
}
END_TEST

START_TEST(defaults_are_those_of_the_file)
{
    struct ts_params params = {0};
    ts_rv_params_add(&params);
    ts_tensix_timing_add(&params);
    load(&params, "blackhole.yaml");
    struct ts_rv_params riscv;
    struct ts_tensix_timing tensix;
    ts_rv_params_get(&params, &riscv);
    ts_tensix_timing_get(&params, &tensix);
    ck_assert_mem_eq(&riscv, &ts_rv_params_default, sizeof riscv);
    ck_assert_mem_eq(&tensix, &ts_tensix_timing_default, sizeof tensix);
    struct ts_error error = {0};
    ck_assert_int_eq(ts_params_set(&params, "tensix.scalar_alu=5", &error), TS_OK);
    ts_tensix_timing_get(&params, &tensix);
    ck_assert_uint_eq(tensix.scalar_alu, 5);
    ts_params_free(&params);
}
END_TEST

// ---- sources

static const char *const documents[] = {
#define TS_DOCUMENT(name, address) name,
#include "config/documents.def"
};
enum { DOCUMENTS = sizeof documents / sizeof *documents };

// The document that the text begins with; DOCUMENTS: none.
static size_t document_of(const char *text)
{
    for (size_t i = 0; i < DOCUMENTS; i++) {
        size_t length = strlen(documents[i]);
        if (strncmp(text, documents[i], length) == 0 && strchr(":,;", text[length]))
            return i;
    }
    return DOCUMENTS;
}

// The length of a row's id at the start of a word of the text; 0: it is another word.
static size_t row_id(const char *text)
{
    if (*text == '\0' || strchr("SBAOP", *text) == NULL)
        return 0;
    for (unsigned i = 1; i < 5; i++)
        if (!isdigit((unsigned char)text[i]))
            return 0;
    return isalnum((unsigned char)text[5]) ? 0 : 5;
}

// Counts the rows that a source names; all of them must be there.
static unsigned rows_of(const struct ts_silicon_account *account, const char *source)
{
    unsigned count = 0;
    for (const char *c = source; *c; c++) {
        if (c > source && isalnum((unsigned char)c[-1]))
            continue;
        char id[6];
        if (row_id(c) == 0)
            continue;
        snprintf(id, sizeof id, "%.5s", c);
        ck_assert_msg(ts_silicon_find_id(account, id) != NULL, "\"%s\": there is no row %s", source,
                      id);
        count++;
    }
    return count;
}

static unsigned words_of(const char *text)
{
    unsigned words = 0;
    for (const char *c = text; *c; c++)
        words += *c != ' ' && (c == text || c[-1] == ' ');
    return words;
}

static const char measured[] = "measured: ";

static bool is_fine(enum ts_param_kind kind, const char *source, unsigned rows, bool document)
{
    bool by_rows = strncmp(source, measured, strlen(measured)) == 0 &&
                   row_id(source + strlen(measured)) != 0 && rows > 0;
    switch (kind) {
    case TS_DOCUMENTED:
        return document;
    case TS_MEASURED:
        return by_rows && rows >= 2;
    case TS_INFERRED:
        return document || by_rows;
    default:
        return words_of(source) >= 3; // a reason
    }
}

START_TEST(every_source_can_be_looked_up)
{
    bool used[DOCUMENTS] = {false};
    for (unsigned f = 0; f < FILES; f++) {
        struct ts_params params = {0};
        struct ts_silicon_account account;
        ts_silicon_account(&account, files[f].add == add_pipe ? TS_SILICON_A5 : "blackhole");
        files[f].add(&params);
        load(&params, files[f].file);
        for (size_t g = 0; g < params.count; g++)
            for (size_t i = 0; i < params.groups[g].count; i++) {
                const struct ts_param_value *value = &params.groups[g].values[i];
                size_t document = document_of(value->source);
                if (document < DOCUMENTS)
                    used[document] = true;
                ck_assert_msg(is_fine(value->kind, value->source, rows_of(&account, value->source),
                                      document < DOCUMENTS),
                              "%s: %s.%s is %s: \"%s\" is neither a document of "
                              "config/documents.def, nor \"measured: ROW\", nor a reason",
                              value->where, params.groups[g].name, params.groups[g].rows[i].key,
                              ts_param_kind_name(value->kind), value->source);
            }
        ts_params_free(&params);
        ts_silicon_account_free(&account);
    }
    // The list is closed: no document that no number comes from.
    for (size_t i = 0; i < DOCUMENTS; i++)
        ck_assert_msg(used[i] || strcmp(documents[i], "tt-metal issue 51901") == 0,
                      "config/documents.def: nothing comes from %s", documents[i]);
}
END_TEST

START_TEST(a_source_that_cannot_be_looked_up_is_seen)
{
    ck_assert(!is_fine(TS_DOCUMENTED, "a page, FACT-012", 0,
                       document_of("a page, FACT-012") < DOCUMENTS));
    ck_assert(!is_fine(TS_MEASURED, "measured: by somebody", 0, false));
    ck_assert(!is_fine(TS_MEASURED, "measured: B0295", 1, false)); // two, or it is inferred
    ck_assert(!is_fine(TS_INFERRED, "follows from B0295", 1, false));
    ck_assert(!is_fine(TS_ASSUMED, "-", 0, false));
    ck_assert(document_of("BlackholeA0/README.mdx") == DOCUMENTS);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, known_rows_are_those_of_the_parser);
    tcase_add_test(tests, defaults_are_those_of_the_file);
    tcase_add_test(tests, every_source_can_be_looked_up);
    tcase_add_test(tests, a_source_that_cannot_be_looked_up_is_seen);
}

SUITE("numbers", add_tests)
