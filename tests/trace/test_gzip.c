// The compressed files of traces: zlib reads back what was written, whatever it is and however it
// comes: as text or as lines.
#include "tests/folder.h"
#include "tests/random.h"
#include "tests/suite.h"

#include "platform/trace/lines.h"

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

// The text of phrase `number`: short or long ones, some of them nearly alike, some not ASCII.
static size_t words_of(unsigned number, char *to)
{
    size_t length = 1 + number * 37 % (number % 7 == 0 ? TS_PHRASE_MOST : 90);
    for (size_t i = 0; i < length; i++)
        to[i] = (char)(number % 11 == 0 && i % 5 == 0 ? 0xc3 : 'a' + (i + number / 4) % 23);
    return length;
}

static size_t put(size_t at, const char *bytes, size_t length)
{
    memcpy(text + at, bytes, length);
    return at + length;
}

static size_t put_number(size_t at, uint64_t number, bool time)
{
    char digits[32];
    int length = time ? snprintf(digits, sizeof digits, "%llu.%03u",
                                 (unsigned long long)(number / 1000), (unsigned)(number % 1000))
                      : snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    return put(at, digits, (size_t)length);
}

// Lines near and far, with one number or two of any length, other text between them.
START_TEST(lines_and_numbers)
{
    static const uint64_t most[] = {1000, 9999999, 99999999999, UINT64_MAX};
    static char words[400][2][TS_PHRASE_MOST];
    static struct ts_phrase phrases[400][2];
    folder_make();
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t state = seed, number = 0;
        size_t at = 0;
        for (unsigned i = 0; i < seed * 10; i++) {
            size_t first = i % 3 ? 0 : words_of(i + 7, words[i][0]);
            phrases[i][0] = ts_gzip_learn(words[i][0], first);
            phrases[i][1] = ts_gzip_learn(words[i][1], words_of(i, words[i][1]));
        }
        begin();
        while (at + 16 * TS_PHRASE_MOST < MOST) {
            uint64_t random = random64(&state) >> 8, numbers[14];
            unsigned i = (unsigned)(random % (seed * 10)), lines = 1 + (unsigned)(random >> 20) % 7,
                     n = 0;
            const struct ts_phrase *p = phrases[i];
            for (unsigned k = 0; k < lines; k++) {
                number = random >> 40 & 1 ? number + k : random64(&state) % most[seed % 4];
                if (p[0].length) {
                    at = put_number(put(at, p[0].text, p[0].length), number, false);
                    numbers[n++] = number;
                    number = random64(&state) % most[seed % 4];
                }
                at = put_number(put(at, p[1].text, p[1].length), number, true);
                numbers[n++] = number;
            }
            ts_gzip_lines(out.gzip, phrases[i], numbers, lines);
            if (random >> 30 & 1) { // of the same kind as a phrase, but not known as one
                char other[TS_PHRASE_MOST];
                size_t length = words_of(i + 1, other);
                ts_gzip_text(out.gzip, other, length);
                at = put(at, other, length);
            }
        }
        read_back(at);
    }
    folder_remove();
}
END_TEST

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// The file has all lines, in whatever order. What is known stays bounded, whatever comes.
START_TEST(every_line_once)
{
    enum { COUNT = 3 * TS_LINES, LENGTH = 48 };
    static char lines[COUNT][LENGTH], *sorted[2][COUNT];
    static char all[COUNT * LENGTH];
    struct ts_lines table;
    folder_make();
    ck_assert(ts_lines_init(&table, &out));
    begin();
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned say = i % 5 ? i % 1000 : i; // some often, some once
        ts_lines_ready(&table);
        ck_assert_uint_le(table.count, TS_LINES);
        struct ts_line *line = ts_line_of(&table, 1, say);
        if (!ts_line_known(line)) {
            ts_out_text(&out, "\nline ");
            ts_out_number(&out, say);
            ts_out_text(&out, " at ");
            size_t gap = out.used;
            ts_out_text(&out, " and ");
            ck_assert(ts_line_learn(&table, line, say % 2 ? gap : 0));
        }
        ts_line_add(&table, line, i, i + 1000);
        char number[16] = "";
        if (say % 2)
            snprintf(number, sizeof number, "%u", i);
        snprintf(lines[i], LENGTH, "line %u at %s and %u.%03u", say, number, (i + 1000) / 1000,
                 i % 1000);
    }
    ts_lines_flush(&table);
    ck_assert_int_eq(ts_out_close(&out), 0);
    ts_lines_free(&table);
    gzFile file = gzopen(path, "rb");
    int got = gzread(file, all, sizeof all);
    ck_assert_int_eq(gzclose(file), Z_OK);
    ck_assert(got > 0 && got < (int)sizeof all);
    unsigned count = 0;
    for (char *rest = all, *line; (line = strtok_r(rest, "\n", &rest)) && count < COUNT;)
        sorted[0][count++] = line;
    ck_assert_uint_eq(count, COUNT);
    for (unsigned i = 0; i < COUNT; i++)
        sorted[1][i] = lines[i];
    for (unsigned k = 0; k < 2; k++)
        qsort(sorted[k], COUNT, sizeof *sorted[k], by_bytes);
    for (unsigned i = 0; i < COUNT; i++)
        ck_assert_str_eq(sorted[0][i], sorted[1][i]);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, any_text);
    tcase_add_test(tests, lines_get_short);
    tcase_add_test(tests, lines_and_numbers);
    tcase_add_test(tests, every_line_once);
}

SUITE("gzip", add_tests)
