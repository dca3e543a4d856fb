// One output file: complete or absent, with the reason.
#include "platform/out/file.h"
#include "tests/out/folder.h"
#include "tests/suite.h"

static bool write_text(const char *path, const char *text, struct ts_error *error)
{
    return ts_file_bytes(path, text, strlen(text), error);
}

START_TEST(replaced_when_complete)
{
    struct ts_error error = {0};
    folder_make();
    put("a", "old");
    struct ts_file *file = ts_file_open(in_folder("a"), &error);
    ck_assert_ptr_nonnull(file);
    fputs("new", ts_file_stream(file));
    fflush(ts_file_stream(file));
    ck_assert_str_eq(text_of("a"), "old");
    ck_assert(ts_file_close(file, &error));
    ck_assert_str_eq(text_of("a"), "new");
    file = ts_file_open(in_folder("a"), &error);
    fputs("dropped", ts_file_stream(file));
    ts_file_drop(file);
    ck_assert_str_eq(text_of("a"), "new");
    ck_assert_int_eq(entries("."), 1);
    folder_remove();
}
END_TEST

START_TEST(links_and_modes_stay)
{
    struct ts_error error = {0};
    struct stat after;
    folder_make();
    put("real", "old");
    ck_assert_int_eq(chmod(in_folder("real"), 0640), 0);
    ck_assert_int_eq(symlink("real", in_folder("link")), 0);
    ck_assert(write_text(in_folder("link"), "new", &error));
    ck_assert_str_eq(text_of("real"), "new");
    ck_assert_int_eq(lstat(in_folder("link"), &after), 0);
    ck_assert(S_ISLNK(after.st_mode));
    ck_assert_int_eq(stat(in_folder("real"), &after), 0);
    ck_assert_uint_eq(after.st_mode & 0777, 0640);
    folder_remove();
}
END_TEST

START_TEST(reasons)
{
    static const struct {
        const char *path, *reason;
    } rows[] = {
        {"/dev/full", "/dev/full: cannot be written: No space left on device"},
        {"/nowhere/x", "/nowhere/x: cannot be written: No such file or directory"},
        {"/tmp", "/tmp: cannot be written: Is a directory"},
        {"/proc/version/x", "/proc/version/x: cannot be written: Not a directory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ts_error error = {0};
        ck_assert(!write_text(rows[i].path, "text", &error));
        ck_assert_int_eq(error.code, TS_SETUP);
        ck_assert_str_eq(error.text, rows[i].reason);
    }
    struct ts_error error = {0};
    ck_assert(write_text("/dev/null", "text", &error));
}
END_TEST

// A killed writer leaves the old file and nothing else.
START_TEST(killed)
{
    folder_make();
    put("a", "old");
    for (int i = 0; i < 20; i++) {
        int ready[2];
        char byte;
        ck_assert_int_eq(pipe(ready), 0);
        pid_t child = fork();
        if (child == 0) {
            struct ts_error error = {0};
            struct ts_file *file = ts_file_open(in_folder("a"), &error);
            for (int line = 0; line < 100000 * i; line++)
                fputs("a part of the new file\n", ts_file_stream(file));
            fflush(ts_file_stream(file));
            ck_assert_int_eq(write(ready[1], "x", 1), 1);
            pause();
        }
        ck_assert_int_eq(read(ready[0], &byte, 1), 1);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        close(ready[0]);
        close(ready[1]);
        ck_assert_str_eq(text_of("a"), "old");
        ck_assert_int_eq(entries("."), 1);
    }
    folder_remove();
}
END_TEST

// Processes that check one path at the same time do not see each other, nor remove what one of
// them has written meanwhile.
START_TEST(checked_by_many)
{
    folder_make();
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            struct ts_error error = {0};
            for (int n = 0; n < 8000; n++)
                if (!ts_writable(in_folder("a"), &error) ||
                    (n == 6000 && i == 0 && !write_text(in_folder("a"), "result", &error)))
                    _exit(1);
            _exit(0);
        }
    for (int i = 0; i < 4; i++) {
        int status;
        ck_assert(wait(&status) > 0);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_str_eq(text_of("a"), "result");
    ck_assert_int_eq(entries("."), 1);
    folder_remove();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, replaced_when_complete);
    tcase_add_test(tests, links_and_modes_stay);
    tcase_add_test(tests, reasons);
    tcase_add_test(tests, killed);
    tcase_add_test(tests, checked_by_many);
}

SUITE("file", add_tests)
