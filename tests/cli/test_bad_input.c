// Bad inputs to every command (bad_input.def): each ends within seconds with the documented exit
// code and one line that says what is wrong, and where.
#include "tests/folder.h"
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct row {
    int code;
    const char *arguments, *says, *place, *input;
} rows[] = {
#define BAD(code, arguments, says, place, input) {code, arguments, says, place, input},
#include "tests/cli/bad_input.def"
#undef BAD
};

#define ROWS (sizeof rows / sizeof *rows)

// --- the files that rows name

static void put(const char *name, const void *bytes, size_t length)
{
    FILE *file = fopen(name, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

struct image {
    Elf32_Ehdr header;
    Elf32_Phdr segment;
    uint32_t words[4];
};

// An executable with a few words at an address of L1.
static struct image image_of(uint32_t address, uint32_t a, uint32_t b, uint32_t c)
{
    struct image self = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
                               EV_CURRENT},
                   .e_type = ET_EXEC,
                   .e_machine = EM_RISCV,
                   .e_version = EV_CURRENT,
                   .e_entry = address,
                   .e_phoff = sizeof(Elf32_Ehdr),
                   .e_ehsize = sizeof(Elf32_Ehdr),
                   .e_phentsize = sizeof(Elf32_Phdr),
                   .e_phnum = 1},
        .segment = {.p_type = PT_LOAD,
                    .p_offset = offsetof(struct image, words),
                    .p_vaddr = address,
                    .p_paddr = address,
                    .p_filesz = 12,
                    .p_memsz = 12},
        .words = {a, b, c},
    };
    return self;
}

static void put_programs(void)
{
    enum { JUMP_SELF = 0x6f, NOP = 0x13 };
    struct image good = image_of(0, JUMP_SELF, NOP, NOP), bad = good;
    put("good.elf", &good, sizeof good);
    put("cut.elf", &good, sizeof good - 8);
    put("head.elf", &good, sizeof good.header);
    bad.header.e_ident[EI_CLASS] = ELFCLASS64;
    put("host.elf", &bad, sizeof bad);
    bad = good;
    bad.header.e_machine = EM_ARM;
    put("arm.elf", &bad, sizeof bad);
    bad = good;
    bad.header.e_type = ET_REL;
    put("object.elf", &bad, sizeof bad);
    bad = good;
    bad.header.e_phnum = 0;
    put("headless.elf", &bad, sizeof bad);
    bad = image_of(0x80000000, JUMP_SELF, NOP, NOP);
    put("far.elf", &bad, sizeof bad);
    bad = image_of(0x1000, JUMP_SELF, NOP, NOP);
    put("high.elf", &bad, sizeof bad);
    bad = good;
    bad.header.e_entry = 2;
    put("odd.elf", &bad, sizeof bad);
    bad = image_of(0, 0x000080b7, 0x0000a103, 0xfe010ee3); // reads 0x8000 until it is not 0
    put("poll.elf", &bad, sizeof bad);
    bad = image_of(0, 0x00108093, 0xffdff06f, NOP); // counts
    put("count.elf", &bad, sizeof bad);
    bad = image_of(0, 0xffffffff, NOP, NOP);
    put("fault.elf", &bad, sizeof bad);
}

static void put_vectors(void)
{
    static char bytes[1 << 20];
    FILE *file = fopen(TENSIM_SOURCE_DIR "/tests/conform/rv_alu_brisc_0.ttv", "rb");
    ck_assert_ptr_nonnull(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    put("good.ttv", bytes, length);
    put("cut.ttv", bytes, length - 10);
}

static void make_folder(void)
{
    static const char noc[] =
        "[{\"type\": \"READ\", \"noc\": \"NOC_0\", \"sx\": 1, \"sy\": 2, \"dx\": 3, \"dy\": 4, "
        "\"num_bytes\": 64, \"timestamp\": 5}]";
    char deep[5000];
    folder_make();
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir("folder", 0777), 0);
    memset(deep, '[', sizeof deep);
    put("deep.yaml", deep, sizeof deep);
    put("empty", "", 0);
    put("empty.yaml", "", 0);
    put("noc.json", noc, strlen(noc));
    put_programs();
    put_vectors();
}

// --- the rows

// The exit code; ends the program itself if that takes too long.
static int run(const char *arguments)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        char command[1000];
        alarm(600);
        snprintf(command, sizeof command, "exec %s %s >stdout 2>stderr", program_of(arguments),
                 arguments);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "tensim %s: ended by signal %d", arguments, WTERMSIG(status));
    return WEXITSTATUS(status);
}

// "tensim: what" or "tensim COMMAND: what" in one line; usage adds where the help is.
static bool one_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return strncmp(text, "tensim", 6) == 0 && strstr(text, ": ") && end &&
           (end[1] == '\0' || strncmp(end + 1, "Try `tensim", 11) == 0);
}

START_TEST(bad_input)
{
    static char out[1 << 16], err[1 << 16];
    const struct row *row = &rows[_i];
    put("in.yaml", row->input, strlen(row->input));
    put("in.json", row->input, strlen(row->input));
    put("in.ttv", row->input, strlen(row->input));
    int code = run(row->arguments);
    slurp("stdout", out, sizeof out);
    slurp("stderr", err, sizeof err);
    ck_assert_msg(code == row->code, "tensim %s: exit %d, not %d: %s", row->arguments, code,
                  row->code, err);
    ck_assert_msg(strstr(err, row->says) && strstr(err, row->place), "tensim %s: no '%s' '%s': %s",
                  row->arguments, row->says, row->place, err);
    ck_assert_msg(row->code == 2 || row->arguments[0] == '\0' || one_line(err),
                  "tensim %s: not one line: %s", row->arguments, err);
    if (row->code == 3 || row->code == 64) // stdout carries results only
        ck_assert_msg(out[0] == '\0', "tensim %s: prints %s", row->arguments, out);
}
END_TEST

START_TEST(many)
{
    ck_assert_uint_ge(ROWS, 200);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make_folder, folder_remove);
    tcase_add_test(tests, many);
    tcase_add_loop_test(tests, bad_input, 0, (int)ROWS);
}

SUITE("bad_input", add_tests)
