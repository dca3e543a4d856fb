// The crew: the same rows on any number of processes; crashes, time limits, signals; what the
// journal keeps; shards and their merge.
#include "platform/base/hash.h"
#include "platform/crew/crew.h"
#include "tests/out/folder.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 200 };

// What each run does.
struct job {
    size_t stop_at;    // this one stops the list; COUNT: none
    size_t crash_at;   // this one crashes
    size_t once_at;    // this one crashes the first time
    size_t endless_at; // this one never ends
    size_t term_at;    // this one ends the crew by a signal
    size_t shown;      // rows seen in order
    bool disorder;
};

static const struct job quiet = {COUNT, COUNT, COUNT, COUNT, COUNT, 0, false};

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    (void)context;
    snprintf(key, size, "run %zu", index);
}

static double cost_of(const void *context, size_t index)
{
    (void)context;
    return (double)(index % 7);
}

// Appends a byte: how often a run was begun.
static void mark(size_t index)
{
    char name[40];
    snprintf(name, sizeof name, "begun-%zu", index);
    int fd = open(in_folder(name), O_WRONLY | O_CREAT | O_APPEND, 0666);
    ck_assert(fd >= 0 && write(fd, "x", 1) == 1);
    close(fd);
}

static long begun(size_t index)
{
    char name[40];
    snprintf(name, sizeof name, "begun-%zu", index);
    return (long)strlen(text_of(name));
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    const struct job *job = context;
    if (index == job->crash_at || index == job->once_at) {
        mark(index);
        if (index == job->crash_at || begun(index) == 1)
            raise(SIGKILL); // sanitizers catch others
    }
    if (index == job->term_at)
        kill(getppid(), SIGTERM);
    while (index == job->endless_at || index == job->term_at)
        usleep(1000);
    ts_crew_share(seat, 0.5);
    json_object_set_new(row, "code", json_integer(TS_OK));
    json_object_set_new(row, "square", json_real((double)index * (double)index / 3));
    json_object_set_new(row, "stops", json_boolean(index == job->stop_at));
}

static bool stops(const json_t *row)
{
    return json_is_true(json_object_get(row, "stops"));
}

static void show(void *context, size_t index, const json_t *row)
{
    struct job *job = context;
    job->disorder |= index != job->shown++ || row == NULL;
}

static struct ts_crew_list list_of(struct job *job)
{
    return (struct ts_crew_list){.command = "test",
                                 .unit = "runs",
                                 .count = COUNT,
                                 .context = job,
                                 .key = key_of,
                                 .cost = cost_of,
                                 .run = run_of,
                                 .show = show};
}

static double square(const struct ts_crew *crew, size_t index)
{
    return json_real_value(json_object_get(crew->rows[index], "square"));
}

static int code_of(const struct ts_crew *crew, size_t index)
{
    return (int)json_integer_value(json_object_get(crew->rows[index], "code"));
}

static const unsigned crews[] = {0, 1, 2, 7, 40};

START_TEST(every_row_once)
{
    struct job job = quiet;
    struct ts_crew_list list = list_of(&job);
    struct ts_crew crew = {.workers = crews[_i], .quiet = true};
    struct ts_error error = {0};
    ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_OK);
    ck_assert_uint_eq(crew.done, COUNT);
    ck_assert_uint_eq(job.shown, COUNT);
    ck_assert(!job.disorder);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert(square(&crew, i) == (double)i * (double)i / 3);
    ts_crew_free(&crew);
}
END_TEST

static void long_key_of(const void *context, size_t index, char *key, size_t size)
{
    (void)context;
    snprintf(key, size, "%0*d run %zu", TS_CREW_KEY, 0, index);
}

// Runs whose long names differ only at the end are different runs, also when they are resumed.
START_TEST(long_names_are_not_cut)
{
    folder_make();
    for (unsigned again = 0; again < 2; again++) {
        struct job job = quiet;
        struct ts_crew_list list = list_of(&job);
        struct ts_crew crew = {.workers = 1,
                               .quiet = true,
                               .directory = folder,
                               .argc = 1,
                               .argv = (char *[]){"test", NULL}};
        struct ts_error error = {0};
        list.key = long_key_of;
        list.count = 3;
        ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_OK);
        ck_assert_uint_eq(crew.resumed, again ? 3 : 0);
        for (size_t i = 0; i < 3; i++)
            ck_assert(square(&crew, i) == (double)i * (double)i / 3);
        ts_crew_free(&crew);
    }
    folder_remove();
}
END_TEST

START_TEST(all_below_the_stop_have_run)
{
    struct job job = quiet;
    struct ts_crew_list list = list_of(&job);
    struct ts_crew crew = {.workers = crews[_i], .quiet = true};
    struct ts_error error = {0};
    job.stop_at = 100;
    list.cost = NULL;
    list.stops = stops;
    ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_OK);
    ck_assert_uint_eq(crew.stop, 100);
    for (size_t i = 0; i <= job.stop_at; i++)
        ck_assert_ptr_nonnull(crew.rows[i]);
    if (crews[_i] <= 1)
        ck_assert_uint_lt(crew.done, COUNT);
    ts_crew_free(&crew);
}
END_TEST

START_TEST(nothing_to_do)
{
    struct job job = quiet;
    struct ts_crew_list list = list_of(&job);
    struct ts_crew crew = {.workers = crews[_i], .quiet = true};
    struct ts_error error = {0};
    list.count = 0;
    ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_OK);
    ts_crew_free(&crew);
}
END_TEST

// A run that kills its process is tried twice; the others are not touched.
START_TEST(crashes)
{
    folder_make();
    struct job job = quiet;
    struct ts_crew_list list = list_of(&job);
    struct ts_crew crew = {.workers = 2, .quiet = true};
    struct ts_error error = {0};
    job.crash_at = 50;
    job.once_at = 60;
    ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_OK);
    ck_assert_uint_eq(crew.done, COUNT);
    ck_assert_uint_eq(crew.failed, 1);
    ck_assert_int_eq(begun(50), 2);
    ck_assert_int_eq(begun(60), 2);
    ck_assert_int_eq(code_of(&crew, 50), TS_SIGNAL + SIGKILL);
    ck_assert_ptr_nonnull(
        strstr(json_string_value(json_object_get(crew.rows[50], "error")), "signal 9"));
    for (size_t i = 0; i < COUNT; i++)
        ck_assert(i == 50 || square(&crew, i) == (double)i * (double)i / 3);
    ts_crew_free(&crew);
    folder_remove();
}
END_TEST

START_TEST(endless)
{
    struct job job = quiet;
    struct ts_crew_list list = list_of(&job);
    struct ts_crew crew = {.workers = 2, .quiet = true, .timeout = 2};
    struct ts_error error = {0};
    job.endless_at = 3;
    ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_OK);
    ck_assert_uint_eq(crew.failed, 1);
    ck_assert_int_eq(code_of(&crew, 3), TS_LIMIT);
    ck_assert_str_eq(json_string_value(json_object_get(crew.rows[3], "error")),
                     "no result after 2 s");
    ts_crew_free(&crew);
}
END_TEST

// A crew that keeps its results in the folder's `name`.
static struct ts_crew kept(const char *name)
{
    static char words[] = "tensim test", *argv[] = {words, NULL};
    char line[100];
    snprintf(line, sizeof line, "mkdir -p %s", name);
    ck_assert_int_eq(shell(line), 0);
    return (struct ts_crew){
        .workers = 2, .quiet = true, .directory = strdup(in_folder(name)), .argc = 1, .argv = argv};
}

static void drop(struct ts_crew *crew)
{
    ts_crew_free(crew);
    free((char *)(uintptr_t)crew->directory);
}

// A signal ends the crew; what was done is kept, and the same list goes on from there.
START_TEST(stopped_and_resumed)
{
    folder_make();
    struct job job = quiet;
    struct ts_crew_list list = list_of(&job);
    struct ts_error error = {0};
    struct ts_crew crew = kept("run");
    job.term_at = 120;
    list.cost = NULL;
    ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_SIGNAL + SIGTERM);
    size_t done = crew.done;
    ck_assert(done > 0 && done < COUNT);
    drop(&crew);
    // The last line is cut off, and a line of another program comes in between.
    ck_assert_int_eq(shell("printf '{\"of\":\"another\",\"key\":\"run 150\",\"code\":0}\\n"
                           "{\"of\":\"x\",\"ke' >> run/results.jsonl"),
                     0);
    struct job again = quiet;
    list = list_of(&again);
    crew = kept("run");
    ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_OK);
    ck_assert_uint_eq(crew.resumed, done);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert(square(&crew, i) == (double)i * (double)i / 3);
    drop(&crew);
    // Every run once, with the description and the stranger; nothing runs any more.
    ck_assert_int_eq(shell("test $(wc -l < run/results.jsonl) = 202"), 0);
    crew = kept("run");
    ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_OK);
    ck_assert_uint_eq(crew.resumed, COUNT);
    drop(&crew);
    // Another configuration has results of its own.
    list.configuration = 1;
    crew = kept("run");
    ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_OK);
    ck_assert_uint_eq(crew.resumed, 0);
    drop(&crew);
    folder_remove();
}
END_TEST

// --- shards

static void run_shard(const char *name, unsigned shard, unsigned shards,
                      const struct ts_crew_list *list)
{
    struct ts_error error = {0};
    struct ts_crew crew = kept(name);
    crew.shard = shard;
    crew.shards = shards;
    ck_assert_int_eq(ts_crew_run(&crew, list, &error), TS_OK);
    ck_assert_uint_eq(crew.done, (COUNT + shards - shard) / shards);
    drop(&crew);
}

// Merges directories of the folder, names separated by blanks. What it says; "" if it is good.
static const char *merge(const char *names, const struct ts_crew_list *list)
{
    static struct ts_error error;
    char text[200], *rest = text;
    const char *paths[10];
    struct ts_crew crew = {.quiet = true, .merge = paths};
    snprintf(text, sizeof text, "%s", names);
    for (char *name; (name = strsep(&rest, " ")) != NULL;)
        paths[crew.merges++] = strdup(in_folder(name));
    error = (struct ts_error){0};
    int code = ts_crew_run(&crew, list, &error);
    ck_assert_int_eq(code, error.code ? TS_SETUP : TS_OK);
    for (size_t i = 0; i < COUNT && code == TS_OK; i++)
        ck_assert(square(&crew, i) == (double)i * (double)i / 3);
    ts_crew_free(&crew);
    for (size_t i = 0; i < crew.merges; i++)
        free((char *)(uintptr_t)paths[i]);
    return error.text;
}

#define SAYS(names, part)                                           \
    do {                                                            \
        const char *said = merge(names, &list);                     \
        ck_assert_msg(strstr(said, part), "%s: '%s'", names, said); \
    } while (0)

START_TEST(shards)
{
    folder_make();
    struct job job = quiet;
    struct ts_crew_list list = list_of(&job);
    run_shard("a", 1, 3, &list);
    run_shard("b", 2, 3, &list);
    run_shard("c", 3, 3, &list);
    ck_assert_str_eq(merge("a b c", &list), "");
    ck_assert_str_eq(merge("c a b", &list), "");
    SAYS("a b", "a: is shard 1/3, and only 2 directories are given");
    SAYS("a b b", "b: is shard 2/3, and so is ");
    SAYS("a b nothing", "nothing: no results of a shard");
    run_shard("d", 2, 4, &list);
    SAYS("a d c", "d: is shard 2/4, and ");
    // A gap.
    ck_assert_int_eq(shell("sed -i '/\"run 4\"/d' b/results.jsonl"), 0);
    SAYS("a b c", "b: shard 2/3 has no result of 'run 4' (1 of 200 runs are missing)");
    // Another configuration, command, list, program.
    list.configuration = 5;
    run_shard("e", 2, 3, &list);
    list.configuration = 0;
    SAYS("a e c", "e: has results of another configuration: 0000000000000005, not");
    list.command = "other";
    run_shard("f", 2, 3, &list);
    list.command = "test";
    SAYS("a f c", "f: has results of another command: other, not test");
    list.count = COUNT - 3;
    struct ts_crew crew = kept("g");
    struct ts_error error = {0};
    crew.shard = 2;
    crew.shards = 3;
    ck_assert_int_eq(ts_crew_run(&crew, &list, &error), TS_OK);
    drop(&crew);
    list.count = COUNT;
    SAYS("a g c", "g: has results of another list of runs: ");
    // The last description counts.
    static const char other[] = "\"of\":\"x\",\"tensim\":\"0.0\"}";
    char line[200];
    snprintf(line, sizeof line, "echo '{\"sum\":\"%016llx\",%s' >> b/results.jsonl",
             (unsigned long long)ts_hash_bytes(TS_HASH_START, other, strlen(other)), other);
    ck_assert_int_eq(shell(line), 0);
    SAYS("a b c", "b: has results of another tensim: 0.0, not ");
    // A line that is not as it was written.
    ck_assert_int_eq(shell("sed -i 's/run 5/run 8/' c/results.jsonl"), 0);
    SAYS("c a b", "c/results.jsonl: is damaged: ");
    folder_remove();
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
    CREWS(every_row_once);
    CREWS(all_below_the_stop_have_run);
    CREWS(nothing_to_do);
    tcase_add_test(tests, long_names_are_not_cut);
    tcase_add_test(tests, crashes);
    tcase_add_test(tests, endless);
    tcase_add_test(tests, stopped_and_resumed);
    tcase_add_test(tests, shards);
    tcase_add_test(tests, bytes_hash_as_published);
    tcase_add_test(tests, words_hash_by_place);
}

SUITE("crew", add_tests)
