// Inputs that somebody else has made (hostile.def): each command ends with its documented exit code and says why, whatever is
// in the folder. No signal, no endless run, nothing written outside.
#include "tests/folder.h"
#include "tests/suite.h"

#include <sys/wait.h>

static const struct row {
    int code;
    const char *says, *shell;
} rows[] = {
#define HOSTILE(code, says, shell) {code, says, shell},
#include "tests/cli/hostile.def"
#undef HOSTILE
};

#define ROWS (sizeof rows / sizeof *rows)

// A program file with one kernel that does nothing; $1: more keys of the kernel, $2: of the file.
static const char program_file[] =
    "program() { printf 'void kernel_main() {}\\n' > nothing.cpp; printf 'cores: 1x1\\nkernels:\\n "
    " - {source: "
    "nothing.cpp, on: brisc%s}\\n%b' \"$1\" \"$2\" > program.yaml; }\n";

START_TEST(hostile)
{
    static char text[1 << 16], said[1 << 16];
    const struct row *row = &rows[_i];
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(setenv("T", TENSIM_BINARY, 1), 0);
    snprintf(text, sizeof text, "%s( ulimit -t 100; %s\n) > said 2>&1", program_file, row->shell);
    int status = system(text);
    slurp("said", said, sizeof said);
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove();
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == row->code,
                  "%s: status 0x%x, not exit code %d: %s", row->shell, (unsigned)status, row->code,
                  said);
    ck_assert_msg(strstr(said, row->says), "%s: no '%s': %s", row->shell, row->says, said);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, hostile, 0, (int)ROWS);
}

SUITE("hostile", add_tests)
