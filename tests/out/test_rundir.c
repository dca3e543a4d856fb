// Run directories: complete or absent, one run at a time, nothing stale, the user's files stay.
#include "platform/out/rundir.h"
#include "tests/out/folder.h"
#include "tests/suite.h"

#include <stdatomic.h>
#include <sys/file.h>
#include <sys/mman.h>

static char *command[] = {(char *)(uintptr_t) "tensim", (char *)(uintptr_t) "test"};

static struct ts_rundir *open_run(void)
{
    struct ts_error error = {0};
    struct ts_rundir *self = ts_rundir_open(in_folder("run"), 2, command, &error);
    ck_assert_msg(self != NULL, "%s", error.text);
    return self;
}

static void add(struct ts_rundir *self, const char *name, const char *text)
{
    struct ts_error error = {0};
    struct ts_file *file = ts_rundir_file(self, name, &error);
    ck_assert_msg(file != NULL, "%s", error.text);
    fputs(text, ts_file_stream(file));
    ck_assert(ts_file_close(file, &error));
}

static void commit(struct ts_rundir *self)
{
    struct ts_error error = {0};
    ck_assert_msg(ts_rundir_commit(self, &error), "%s", error.text);
    ts_rundir_free(self);
}

static void run(const char *name, const char *text)
{
    struct ts_rundir *self = open_run();
    add(self, name, text);
    commit(self);
}

START_TEST(nothing_stale)
{
    folder_make();
    run("hang.json", "old");
    ck_assert_int_eq(entries("run"), 2);
    ck_assert_str_eq(text_of("run/command.txt"), "tensim test\n");
    struct ts_rundir *self = open_run();
    add(self, "stats.json", "new");
    ck_assert_str_eq(text_of("run/hang.json"), "old"); // until the commit
    ck_assert(!is_there("run/stats.json"));
    commit(self);
    ck_assert(!is_there("run/hang.json"));
    ck_assert_str_eq(text_of("run/stats.json"), "new");
    ck_assert_int_eq(entries("run"), 2);
    ck_assert_int_eq(entries("."), 1);
    folder_remove();
}
END_TEST

START_TEST(given_up)
{
    folder_make();
    struct ts_rundir *self = open_run();
    add(self, "stats.json", "never");
    ts_rundir_free(self);
    ck_assert_int_eq(entries("."), 0); // the directory was ours
    run("stats.json", "old");
    self = open_run();
    add(self, "stats.json", "never");
    ts_rundir_free(self);
    ck_assert_str_eq(text_of("run/stats.json"), "old");
    ck_assert_int_eq(entries("run"), 2);
    folder_remove();
}
END_TEST

// The user's files: next to ours, in a directory (then the set moves file by file), or instead.
START_TEST(foreign_files)
{
    struct ts_error error = {0};
    folder_make();
    run("hang.json", "old");
    put("run/notes.txt", "mine");
    run("stats.json", "new");
    ck_assert_str_eq(text_of("run/notes.txt"), "mine");
    ck_assert_int_eq(entries("run"), 3);
    ck_assert_int_eq(mkdir(in_folder("run/more"), 0777), 0);
    put("run/more/notes.txt", "mine too");
    run("hang.json", "newer");
    ck_assert_str_eq(text_of("run/more/notes.txt"), "mine too");
    ck_assert_str_eq(text_of("run/notes.txt"), "mine");
    ck_assert_str_eq(text_of("run/hang.json"), "newer");
    ck_assert(!is_there("run/stats.json"));
    ck_assert_int_eq(entries("run"), 4);
    ck_assert_int_eq(entries("."), 1);
    ck_assert_int_eq(mkdir(in_folder("own"), 0777), 0);
    put("own/config.yaml", "mine");
    ck_assert_ptr_null(ts_rundir_open(in_folder("own"), 2, command, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "is not a run directory"));
    ck_assert_str_eq(text_of("own/config.yaml"), "mine");
    ck_assert_int_eq(entries("own"), 1);
    folder_remove();
}
END_TEST

START_TEST(in_place)
{
    folder_make();
    run("hang.json", "old");
    struct stat before, after;
    ck_assert_int_eq(stat(in_folder("run"), &before), 0);
    ck_assert_int_eq(chdir(in_folder("run")), 0);
    struct ts_error error = {0};
    struct ts_rundir *self = ts_rundir_open(".", 2, command, &error);
    ck_assert_ptr_nonnull(self);
    add(self, "stats.json", "new");
    commit(self);
    ck_assert_int_eq(access("stats.json", F_OK), 0); // visible from inside it
    ck_assert_int_eq(stat(in_folder("run"), &after), 0);
    ck_assert_uint_eq(before.st_ino, after.st_ino);
    ck_assert_int_eq(entries("run"), 2);
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove();
}
END_TEST

START_TEST(one_at_a_time)
{
    struct ts_error error = {0};
    char first[64];
    folder_make();
    struct ts_rundir *self = open_run();
    snprintf(first, sizeof first, "pid %ld, tensim test", (long)getpid());
    ck_assert_ptr_null(ts_rundir_open(in_folder("run"), 2, command, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "another run writes into this directory"));
    ck_assert_ptr_nonnull(strstr(error.text, first));
    add(self, "stats.json", "first");
    commit(self);
    // Killed, with its lock.
    pid_t child = fork();
    if (child == 0) {
        self = open_run();
        add(self, "stats.json", "killed");
        raise(SIGKILL);
    }
    waitpid(child, NULL, 0);
    ck_assert_str_eq(text_of("run/stats.json"), "first");
    run("stats.json", "second");
    ck_assert_str_eq(text_of("run/stats.json"), "second");
    ck_assert_int_eq(entries("run"), 2);
    folder_remove();
}
END_TEST

// A move file by file that was cut off is finished by the next run into the directory.
START_TEST(finished_later)
{
    folder_make();
    ck_assert_int_eq(mkdir(in_folder("run"), 0777), 0);
    ck_assert_int_eq(mkdir(in_folder("run/.tensim-moving"), 0777), 0);
    put("run/command.txt", "tensim old");
    put("run/stats.json", "old");
    put("run/hang.json", "old");
    put("run/.tensim-moving/command.txt", "tensim new");
    put("run/.tensim-moving/stats.json", "new");
    ts_rundir_free(open_run());
    ck_assert_str_eq(text_of("run/command.txt"), "tensim new");
    ck_assert_str_eq(text_of("run/stats.json"), "new");
    ck_assert(!is_there("run/hang.json"));
    ck_assert_int_eq(entries("run"), 2);
    folder_remove();
}
END_TEST

// --- killed at random moments of writing and committing ---

enum { NAMES = 4, KILLS = 400 };
static const char *const names[2][NAMES] = {
    {"stats.json", "stats.csv", "hang.json", "hang.html"},
    {"stats.json", "report.html", "trace.json.gz", "config.yaml"},
};

static void generation(unsigned number)
{
    struct ts_rundir *self = open_run();
    char text[32];
    snprintf(text, sizeof text, "generation %u\n", number);
    for (int i = 0; i < NAMES; i++)
        add(self, names[number % 2][i], text);
    commit(self);
}

// All files are of one run, complete, and no other is there.
static void check_generation(const char *stage)
{
    unsigned number = 0;
    ck_assert_msg(sscanf(text_of("run/stats.json"), "generation %u", &number) == 1, "%s", stage);
    char want[32];
    snprintf(want, sizeof want, "generation %u\n", number);
    for (int i = 0; i < NAMES; i++) {
        char name[64];
        snprintf(name, sizeof name, "run/%s", names[number % 2][i]);
        ck_assert_msg(strcmp(text_of(name), want) == 0, "%s: %s is '%s', not of run %u", stage,
                      name, text_of(name), number);
        snprintf(name, sizeof name, "run/%s", names[(number + 1) % 2][i]);
        ck_assert_msg(i == 0 || !is_there(name), "%s: %s is stale in run %u", stage, name, number);
    }
    ck_assert_str_eq(text_of("run/notes.txt"), "mine");
}

START_TEST(killed)
{
    folder_make();
    generation(0);
    put("run/notes.txt", "mine");
    atomic_uint *started = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                                0);
    ck_assert(started != MAP_FAILED);
    unsigned seed = 1;
    for (int i = 0; i < KILLS; i++) {
        unsigned before = *started;
        pid_t child = fork();
        if (child == 0)
            for (;;)
                generation(++*started);
        while (*started == before) // a busy machine may let it wait for long
            usleep(100);
        usleep((unsigned)rand_r(&seed) % 4000);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        check_generation("after a kill");
    }
    generation(++*started);
    check_generation("at the end");
    ck_assert_int_eq(entries("run"), NAMES + 2);
    ck_assert_int_eq(entries("."), 1); // nothing is left next to it
    munmap(started, 4096);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, nothing_stale);
    tcase_add_test(tests, given_up);
    tcase_add_test(tests, foreign_files);
    tcase_add_test(tests, in_place);
    tcase_add_test(tests, one_at_a_time);
    tcase_add_test(tests, finished_later);
    tcase_add_test(tests, killed);
}

SUITE("rundir", add_tests)
