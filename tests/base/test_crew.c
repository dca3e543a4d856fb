// The crew: every index once, in order, on any number of threads; and which indices it may skip.
#include "platform/base/crew.h"
#include "platform/base/hash.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { COUNT = 500 };

struct job {
    atomic_uint done[COUNT];
    atomic_size_t begun;
    size_t stop_at; // this index ends it
};

static bool work(void *context, size_t index)
{
    struct job *job = context;
    atomic_fetch_add(&job->begun, 1);
    atomic_fetch_add(&job->done[index], 1);
    return index != job->stop_at;
}

static const unsigned crews[] = {0, 1, 2, 7, 100};

START_TEST(every_index_once)
{
    struct job job = {.stop_at = COUNT};
    ts_crew_run(COUNT, crews[_i], work, &job);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(atomic_load(&job.done[i]), 1);
}
END_TEST

START_TEST(all_below_the_end_have_run)
{
    struct job job = {.stop_at = 100};
    ts_crew_run(COUNT, crews[_i], work, &job);
    for (size_t i = 0; i <= job.stop_at; i++)
        ck_assert_uint_eq(atomic_load(&job.done[i]), 1);
    if (crews[_i] <= 1)
        ck_assert_uint_eq(atomic_load(&job.begun), job.stop_at + 1);
}
END_TEST

START_TEST(nothing_to_do)
{
    ts_crew_run(0, crews[_i], work, NULL);
}
END_TEST

// Hashes are written to files: these are FNV-1a's own test values.
START_TEST(bytes_hash_as_published)
{
    ck_assert_uint_eq(ts_hash_bytes(TS_HASH_START, "", 0), UINT64_C(0xcbf29ce484222325));
    ck_assert_uint_eq(ts_hash_bytes(TS_HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    ck_assert_uint_eq(ts_hash_bytes(TS_HASH_START, "foobar", 6), UINT64_C(0x85944171f73967e8));
}
END_TEST

START_TEST(words_hash_by_place)
{
    uint64_t ab = ts_hash_word(ts_hash_word(TS_HASH_START, 1), 2);
    ck_assert_uint_ne(ab, ts_hash_word(ts_hash_word(TS_HASH_START, 2), 1));
    ck_assert_uint_ne(ab, ts_hash_word(ts_hash_word(TS_HASH_START, 1), 3));
}
END_TEST

#define CREWS(test) tcase_add_loop_test(tests, test, 0, sizeof crews / sizeof *crews)

static void add_tests(TCase *tests)
{
    CREWS(every_index_once);
    CREWS(all_below_the_end_have_run);
    CREWS(nothing_to_do);
    tcase_add_test(tests, bytes_hash_as_published);
    tcase_add_test(tests, words_hash_by_place);
}

SUITE("crew", add_tests)
