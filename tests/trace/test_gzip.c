// The compressed files of traces: zlib reads back what was written, whatever it is and in whatever
// pieces it comes.
#include "tests/folder.h"
#include "tests/random.h"
#include "tests/suite.h"

#include "platform/trace/out.h"

#include <stdlib.h>
#include <zlib.h>

#define MOST (700u * 1024)

static char text[MOST], back[MOST + 1];

static struct ts_trace_out out;
static char path[300];

static void begin(void)
{
    struct ts_error error = {0};
    snprintf(path, sizeof path, "%s/text.gz", folder);
    ck_assert(ts_out_open(&out, path, true, UINT64_MAX, &error));
}

// Ends the file, reads it back. Returns its size.
static long read_back(size_t length)
{
    ck_assert_int_eq(ts_out_close(&out), 0);
    gzFile file = gzopen(path, "rb");
    int got = gzread(file, back, sizeof back);
    ck_assert_int_eq(got, (int)length);
    ck_assert_int_eq(gzclose(file), Z_OK);
    ck_assert_int_eq(memcmp(text, back, length), 0);
    FILE *raw = fopen(path, "rb");
    fseek(raw, 0, SEEK_END);
    long size = ftell(raw);
    fclose(raw);
    return size;
}

// Writes text in pieces, reads it back. Returns the size of the file.
static long round_trip(size_t length, size_t piece)
{
    begin();
    for (size_t at = 0; at < length; at += piece)
        ts_out_large(&out, text + at, length - at < piece ? length - at : piece);
    return read_back(length);
}

START_TEST(any_text)
{
    uint64_t state = 1;
    folder_make();
    for (unsigned kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < MOST; i++) {
            uint64_t random = random64(&state) >> 20;
            text[i] = kind == 0   ? (char)random             // nothing repeats
                      : kind == 1 ? 'a'                      // one repetition
                      : kind == 2 ? (char)('a' + random % 3) // short ones
                      : i < 33000 ? (char)random
                                  : text[i - 32768 - i / 100000 % 2];
        }
        static const size_t lengths[] = {0,   1,   3,   4,     5,     257,    258,
                                         259, 260, 261, 32768, 32773, 131072, MOST};
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
            round_trip(lengths[l], lengths[l] > 1000 ? 977 : 7);
        round_trip(MOST, MOST);
    }
    folder_remove();
}
END_TEST

START_TEST(lines_get_short)
{
    size_t used = 0;
    folder_make();
    for (unsigned i = 0; used + 200 < MOST; i++)
        used += (size_t)snprintf(
            text + used, MOST - used,
            ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%u.%03u,\"dur\":0.001,"
            "\"name\":\"MVMUL\",\"args\":{\"pc\":\"0xb61c\",\"line\":\"tensix.h:50\"}}",
            100 + i % 3, i / 1000, i % 1000);
    ck_assert_int_lt(round_trip(used, 61), (long)used / 8);
    folder_remove();
}
END_TEST

// A name with any bytes is a string of JSON.
START_TEST(names)
{
    static const char *const cases[][2] = {
        {"plain name", "\"plain name\""}, {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"tab\tline\n", "\"tab line \""}, {"caf\xc3\xa9", "\"caf\xc3\xa9\""},
        {"caf\xe9!", "\"caf?!\""},        {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
        {"\xff\xc3", "\"??\""},           {"\xed\xa0\x80", "\"???\""},
    };
    folder_make();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        ts_out_string(&out, cases[i][0], "");
        strcpy(text, cases[i][1]);
        read_back(strlen(text));
    }
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, any_text);
    tcase_add_test(tests, lines_get_short);
    tcase_add_test(tests, names);
}

SUITE("gzip", add_tests)
