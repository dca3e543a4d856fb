// The compressed files of traces: zlib reads back what was written, whatever it is and however it
// comes: as text, phrases or numbers.
#include "tests/folder.h"
#include "tests/random.h"
#include "tests/suite.h"

#include "platform/trace/out.h"
#include "platform/trace/phrases.h"

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
    size_t length = 4 + number * 37 % (number % 7 == 0 ? TS_PHRASE_MOST + 60 : 90);
    for (size_t i = 0; i < length; i++)
        to[i] = (char)(number % 11 == 0 && i % 5 == 0 ? 0xc3 : 'a' + (i + number / 4) % 23);
    return length;
}

static void ready(struct ts_phrases *phrases)
{
    if (!ts_phrases_full(phrases))
        return;
    ts_out_drain(&out);
    ts_phrases_make_room(phrases);
}

static size_t put(size_t at, const char *bytes, size_t length)
{
    memcpy(text + at, bytes, length);
    return at + length;
}

// A phrase, known or not, the same way as a sink writes it.
static size_t put_phrase(struct ts_phrases *phrases, unsigned number, size_t at)
{
    char words[TS_PHRASE_MOST + 100];
    size_t length = words_of(number, words);
    struct ts_phrase *phrase = ts_phrase_of(phrases, 1, number);
    if (!ts_out_phrase(&out, phrase)) {
        ts_out_large(&out, words, length);
        ts_out_learn(&out, phrases, phrase);
    }
    return put(at, words, length);
}

// Phrases near and far, numbers of any length, lines, other text between them.
START_TEST(phrases_and_numbers)
{
    static const uint64_t most[] = {1000, 9999999, 99999999999, UINT64_MAX};
    struct ts_phrases phrases;
    char digits[64], words[TS_PHRASE_MOST + 100];
    folder_make();
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t state = seed;
        size_t at = 0;
        ck_assert(ts_phrases_init(&phrases));
        begin();
        while (at + 4 * sizeof words < MOST) {
            ready(&phrases);
            uint64_t random = random64(&state) >> 8, number = random64(&state) % most[seed % 4];
            unsigned a = (unsigned)(random % (seed * 8)), b = (unsigned)(random >> 20) % 9;
            int length = snprintf(digits, sizeof digits, "%llu.%03u",
                                  (unsigned long long)(number / 1000), (unsigned)(number % 1000));
            struct ts_phrase *head = ts_phrase_of(&phrases, 1, a);
            struct ts_phrase *tail = ts_phrase_of(&phrases, 1, b);
            if (ts_phrase_known(head) && ts_phrase_known(tail)) {
                ts_out_line(&out, head, number, tail);
                at = put(at, words, words_of(a, words));
                at = put(at, digits, (size_t)length);
                at = put(at, words, words_of(b, words));
            } else {
                at = put_phrase(&phrases, a, at);
                ts_out_thousandths(&out, number);
                ts_out_short(&out);
                at = put(at, digits, (size_t)length);
                at = put_phrase(&phrases, b, at);
            }
            if (random >> 32 & 1) {
                uint64_t count = number % 1000000;
                ts_out_count(&out, count, '}', 1);
                length = snprintf(digits, sizeof digits, "%llu}", (unsigned long long)count);
                at = put(at, digits, (size_t)length);
            }
            if (random >> 30 & 1) { // of the same kind as a phrase, but not known as one
                size_t some = words_of(a + 1, words);
                ts_out_large(&out, words, some);
                at = put(at, words, some);
            }
        }
        read_back(at);
        ts_phrases_free(&phrases);
    }
    folder_remove();
}
END_TEST

// What is known stays bounded, whatever comes.
START_TEST(phrases_begin_again)
{
    struct ts_phrases phrases;
    folder_make();
    ck_assert(ts_phrases_init(&phrases));
    for (unsigned round = 0; round < 3; round++) {
        size_t at = 0;
        begin();
        for (unsigned i = 0; at + 2 * TS_PHRASE_MOST < MOST; i++) {
            ready(&phrases);
            at = put_phrase(&phrases, i, at);
            for (unsigned k = 0; k < 300; k++) { // entries without a text
                ready(&phrases);
                ts_phrase_of(&phrases, 2, (uint64_t)i * 300 + k + (uint64_t)round * 100000000);
            }
        }
        ck_assert_uint_le(phrases.room, 2 * TS_PHRASES);
        read_back(at);
        ts_phrases_free(&phrases);
        ck_assert(ts_phrases_init(&phrases));
    }
    ts_phrases_free(&phrases);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, any_text);
    tcase_add_test(tests, lines_get_short);
    tcase_add_test(tests, phrases_and_numbers);
    tcase_add_test(tests, phrases_begin_again);
}

SUITE("gzip", add_tests)
