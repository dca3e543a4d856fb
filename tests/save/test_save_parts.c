// The parts of a checkpoint by themselves: the stream, its damage, the head of an image, pointers out of the region.
#include "platform/save/image.h"
#include "platform/save/outside.h"
#include "platform/save/stream.h"
#include "tests/folder.h"
#include "tests/random.h"
#include "tests/suite.h"

#include <sys/stat.h>

static char path[200];

static void put_file(const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

static size_t get_file(uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t length = fread(bytes, 1, size, file);
    fclose(file);
    return length;
}

// Bytes that cannot be compressed, so that each is in the file as it is.
#define NOISE 3000
#define MAGIC 16 // bytes in front of the writer and his seal
static uint8_t noise[NOISE];

static void write_stream(void)
{
    struct ts_error error = {0};
    uint32_t seed = 5;
    for (unsigned i = 0; i < NOISE; i++)
        noise[i] = (uint8_t)(random32(&seed) >> 24);
    struct ts_stream *stream = ts_stream_create(path, &error);
    ck_assert_msg(stream != NULL, "%s", error.text);
    ck_assert_int_ne(access(path, F_OK), 0); // it has its name when it is complete
    ts_stream_put_number(stream, 0x123456789abcdef0);
    ts_stream_put(stream, noise, NOISE);
    ck_assert_msg(ts_stream_finish(stream, &error), "%s", error.text);
}

// Reads all of it; "" or what is wrong.
static const char *read_stream(void)
{
    static struct ts_error error;
    uint8_t bytes[NOISE];
    error = (struct ts_error){0};
    struct ts_stream *stream = ts_stream_open(path, true, &error);
    if (stream == NULL)
        return error.text;
    bool same = ts_stream_get_number(stream) == 0x123456789abcdef0;
    same = ts_stream_get(stream, bytes, NOISE) && same && memcmp(bytes, noise, NOISE) == 0;
    bool good = ts_stream_close(stream, true, &error);
    ck_assert_msg(!good || same, "damage was not seen");
    return good ? "" : error.text;
}

START_TEST(streams_say_when_they_are_damaged)
{
    uint8_t bytes[2 * NOISE];
    write_stream();
    ck_assert_str_eq(read_stream(), "");
    const size_t length = get_file(bytes, sizeof bytes);
    ck_assert_uint_gt(length, NOISE);
    struct ts_error error = {0};
    bytes[MAGIC] ^= 1; // another user's: no seal that this one could check, but the checksum
    put_file(bytes, length);
    ck_assert_ptr_null(ts_stream_open(path, false, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "was not written by this user"));
    ck_assert_str_eq(read_stream(), "");
    for (int own = 0; own < 2; own++) {
        for (size_t at = 0; at < length; at += at < 60 ? 1 : 37) { // one bit
            if (at >= MAGIC && at < MAGIC + 16)
                continue;
            bytes[at] ^= 4;
            put_file(bytes, length);
            ck_assert_msg(read_stream()[0] != '\0', "byte %zu", at);
            bytes[at] ^= 4;
        }
        bytes[length] = 0;
        put_file(bytes, length + 1);
        ck_assert_msg(strstr(read_stream(), "is damaged: cut off, or altered"), "%s",
                      read_stream());
        bytes[MAGIC] ^= 1;
    }
    bytes[MAGIC] ^= 1;
    for (size_t cut = 0; cut < length; cut += 97) {
        put_file(bytes, cut);
        ck_assert_msg(read_stream()[0] != '\0', "cut at %zu", cut);
    }
    put_file("not one of ours, but long enough", 32);
    ck_assert_msg(strstr(read_stream(), "is not a checkpoint"), "%s", read_stream());
}
END_TEST

START_TEST(a_stream_that_cannot_be_written_leaves_nothing)
{
    struct ts_error error = {0};
    ck_assert_int_eq(mkdir(path, 0777), 0);
    struct ts_stream *stream = ts_stream_create(path, &error);
    ck_assert_ptr_nonnull(stream);
    ts_stream_put_number(stream, 1);
    ck_assert(!ts_stream_finish(stream, &error)); // a folder has its name
    ck_assert_ptr_nonnull(strstr(error.text, "cannot be written"));
    char part[220];
    snprintf(part, sizeof part, "%s.part", path);
    ck_assert_int_ne(access(part, F_OK), 0);
}
END_TEST

// A head with these arguments, of this build or of another one.
static const char *check_head(uint64_t program, uint64_t count, const char *text)
{
    static struct ts_error error;
    struct ts_image_head head = {0};
    error = (struct ts_error){0};
    struct ts_stream *stream = ts_stream_create(path, &error);
    ts_stream_put_number(stream, program);
    ts_stream_put_number(stream, 77);
    ts_stream_put_number(stream, count);
    for (uint64_t i = 0; i < count && text; i++) {
        ts_stream_put_number(stream, strlen(text));
        ts_stream_put(stream, text, strlen(text));
    }
    for (int i = 0; i < 4; i++) // no words, their hash, no runs, no files
        ts_stream_put_number(stream, 0);
    ck_assert(ts_stream_finish(stream, &error));
    bool good = ts_image_check(path, true, &head, &error);
    if (good)
        ck_assert_uint_eq(head.cycle, 77);
    ts_image_head_free(&head);
    return good ? "" : error.text;
}

START_TEST(heads_are_checked)
{
    // Whatever this build's number is: of two files with different numbers one at least is of another build.
    ck_assert_ptr_nonnull(strstr(check_head(1, 1, "tensim"), "written by another build"));
    ck_assert_ptr_nonnull(strstr(check_head(2, 1, "tensim"), "written by another build"));
    ck_assert_ptr_nonnull(strstr(check_head(1, 0, NULL), "is damaged"));
    ck_assert_ptr_nonnull(strstr(check_head(1, 5000, NULL), "is damaged"));
}
END_TEST

// Pointers of another process become those of this one; numbers that only look like them stay.
START_TEST(pointers_are_translated)
{
    struct ts_outside_word there[] = {{8, 0x7000}, {16, 0x9000}, {24, 0x5000}, {40, 0x6000}},
                           here[] = {{8, 0x7100}, {16, 0x9000}, {32, 0x4000}, {40, 0x6600}};
    const struct ts_outside a = {there, 4, 4}, b = {here, 4, 4};
    struct ts_outside_map map;
    ck_assert(ts_outside_map(&map, &a, &b));
    ck_assert_uint_eq(map.count, 2); // at 8 and 40; at 16 both have the same, at 24 only one has
    uint64_t words[] = {0x7000, 0x6000, 0x9000, 0x5000, 0x6500, 0x7001, 0, ~0ull};
    const uint64_t after[] = {0x7100, 0x6600, 0x9000, 0x5000, 0x6500, 0x7001, 0, ~0ull};
    ts_outside_translate(&map, words, 8);
    ck_assert_mem_eq(words, after, sizeof after);
    free(map.pairs);
}
END_TEST

static void make(void)
{
    folder_make();
    snprintf(path, sizeof path, "%s/file", folder);
}

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, make, folder_remove);
    tcase_add_test(tests, streams_say_when_they_are_damaged);
    tcase_add_test(tests, a_stream_that_cannot_be_written_leaves_nothing);
    tcase_add_test(tests, heads_are_checked);
    tcase_add_test(tests, pointers_are_translated);
}

SUITE("save_parts", add_tests)
