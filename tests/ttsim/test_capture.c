// `tensim capture`: the program files of what hosts launch give the same cycles and bytes. The hosts are this program, started
// again as `host WHAT COLUMNSxROWS`.
#include "platform/load/elf_cache.h"
#include "platform/mem/l1.h"
#include "tests/suite.h"
#include "tests/ttsim/metal_host.h"

#include <stdarg.h>
#include <sys/wait.h>

// --- hosts ---

enum { ADDS, TRIPLES, TWICE, STALE, FAILS, WRONG_FIRMWARE, NEVER_ENDS, NO_LAUNCH, HANGS, PLAIN };

static void check_result(uint32_t function)
{
    uint32_t words[BYTES / 4];
    card_read(&card, 18, 12, Y, words, sizeof words);
    for (uint32_t i = 0; i < BYTES / 4; i++)
        card_must(words[i] == (function ? 3 * i : i + 1000), "wrong result");
}

// No firmware: BRISC of two tiles, twice; the second time the host has put the core back into reset. One copies from DRAM.
static void run_plain(void)
{
    uint32_t words[256];
    for (uint32_t i = 0; i < 256; i++)
        words[i] = 7 * i;
    card_write(&card, 18, 12, X, words, sizeof words);
    for (uint32_t round = 1; round < 3; round++) {
        struct program program = {.count = 0};
        emit_noc(&program, X, 18 | 12 << 6, 0x9000, 1 | 2 << 6, sizeof words, 0);
        emit_wait(&program, 0x9000 + 4, 7);
        emit_wait(&program, 0x8000, round);
        emit_store(&program, 0x8010, 100 + round);
        emit_end(&program);
        card_run(&card, 1, 2, &program);
        card.clock(3);
        card_write32(&card, 1, 2, 0x8000, round);
        card_must(card_wait(&card, 1, 2, 0x8010, 100 + round, 1000), "no answer");
        uint32_t copied[256];
        card_read(&card, 1, 2, 0x9000, copied, sizeof copied);
        card_must(memcmp(copied, words, sizeof words) == 0, "wrong copy");
        card_write32(&card, 1, 2, SOFT_RESET, HELD);
        memset(words, (int)round, 4);
        card_write(&card, 18, 12, X, words, sizeof words);
    }
    card.exit();
    _exit(0);
}

static void run_host(int what)
{
    uint32_t words[BYTES / 4];
    card_open(&card);
    card.init();
    if (what == PLAIN)
        run_plain();
    for (uint32_t i = 0; i < BYTES / 4; i++)
        words[i] = i;
    card_write(&card, 18, 12, X, words, sizeof words);
    load_firmware(what == WRONG_FIRMWARE ? 0x3af0 : 0x3ae0);
    wait_for_all(100);
    if (what == STALE) // time passes before the launch
        card.clock(20);
    if (what == HANGS) // BRISC waits for the math thread
        enables &= ~8u;
    if (what != NO_LAUNCH)
        launch(what == TRIPLES, 1000);
    if (what == NEVER_ENDS)
        _exit(0);
    wait_for_all(1000);
    if (what != NO_LAUNCH)
        check_result(what == TRIPLES);
    if (what == TWICE) {
        launch(1, 1000);
        wait_for_all(1000);
        check_result(1);
    }
    if (what == FAILS)
        _exit(9);
    card.exit();
    _exit(0);
}

static int begin(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "host") == 0 && sscanf(argv[3], "%ux%u", &columns, &rows) == 2)
        run_host(atoi(argv[2]));
    return argc > 1 ? 64 : 0;
}

// --- tests ---

static char text[200000];

// Runs a command of the shell; its output is in `text`.
static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int run(const char *format, ...)
{
    char command[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int capture(int what, const char *tiles)
{
    char self[500] = "";
    ck_assert(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    return run("rm -rf it; " TENSIM_BINARY " capture -o it -- %s host %d %s 2>&1", self, what,
               tiles);
}

static void expect(const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in: %s", part, text);
}

// What the host does, on which tiles; lines of the output.
static const struct {
    int what;
    const char *tiles;
    int code;
    const char *says[3];
} captures[] = {
    {ADDS, "1x1", 0, {"it/launch-1.yaml: 1 tile, ", "; run again: the same cycles and bytes\n"}},
    {TRIPLES,
     "4x3",
     0,
     {"it/launch-1.yaml: 12 tiles, ", "; run again: the same cycles and bytes\n"}},
    {STALE, "2x1", 0, {"it/launch-1.yaml: 2 tiles, ", "; run again: the same cycles and bytes\n"}},
    {TWICE,
     "2x2",
     0,
     {"it/launch-1.yaml: 4 tiles, ", "it/launch-2.yaml: 4 tiles, ",
      "; run again: the same cycles and bytes\n"}},
    {FAILS, "1x1", 9, {"ended with exit code 9", "; run again: the same cycles and bytes\n"}},
    {PLAIN,
     "1x1",
     0,
     {"it/host.yaml: what the host did; run again: it reads the same in the same cycles\n"}},
    {NEVER_ENDS, "1x1", 3, {"launched nothing"}},
    {NO_LAUNCH, "1x1", 3, {"launched nothing that could be captured"}},
};

START_TEST(launches_are_captured)
{
    int code = capture(captures[_i].what, captures[_i].tiles);
    ck_assert_msg(code == captures[_i].code, "exit code %d: %s", code, text);
    for (unsigned i = 0; i < 3 && captures[_i].says[i]; i++)
        expect(captures[_i].says[i]);
    if (captures[_i].what == NO_LAUNCH)
        ck_assert_int_eq(run("test ! -e it"), 0); // no empty folder is left
}
END_TEST

// The file by itself, its words changed, its bytes changed.
START_TEST(file_runs_by_itself)
{
    ck_assert_int_eq(capture(ADDS, "1x1"), 0);
    ck_assert_int_eq(
        run("rm -rf there && mv it there && " TENSIM_BINARY " run there/launch-1.yaml 2>&1"), 0);
    expect("memory that the launch changed: as captured");
    ck_assert_int_eq(run(TENSIM_BINARY " run there/launch-1.yaml -D noc.hop=40 2>&1"), 0);
    expect("with another machine (noc.hop was 9)");
    // Its cycles are a gate, unless the machine is another one or the file has none.
    ck_assert_int_eq(
        run("sed '/^    cycles:/s/: .*/: 77/' there/launch-1.yaml > there/off.yaml; " TENSIM_BINARY
            " run there/off.yaml --check=once 2>&1"),
        1);
    expect("WRONG, captured 77 (");
    expect("cycles from go to the end, captured 77: the model has changed, or the file");
    ck_assert_int_eq(run(TENSIM_BINARY " run there/off.yaml -D noc.hop=40 2>&1"), 0);
    ck_assert_int_eq(run(TENSIM_BINARY " run there/off.yaml --perturb=1:40 2>&1"), 0);
    expect("captured 77 without --perturb");
    ck_assert_int_eq(
        run("sed -i '/^    cycles:/d' there/off.yaml; " TENSIM_BINARY " run there/off.yaml 2>&1"),
        0);
    expect("cycles, not compared");
    ck_assert_int_eq(run("sed -i 's/0x3e8/0x3e9/' there/launch-1.yaml && " TENSIM_BINARY
                         " run there/launch-1.yaml --check=once 2>&1"),
                     1);
    expect("memory that the launch changed: WRONG, ");
    ck_assert_int_eq(run("rm there/bytes/*; " TENSIM_BINARY " run there/launch-1.yaml 2>&1"), 3);
    expect("there/launch-1.yaml:");
}
END_TEST

// A host without tt-metal's firmware: its file compares what it has read, in the cycles in which it read it.
START_TEST(any_host_is_recorded)
{
    ck_assert_int_eq(capture(PLAIN, "1x1"), 0);
    ck_assert_int_eq(run(TENSIM_BINARY " run it/host.yaml -j 2 --step-by-step 2>&1"), 0);
    ck_assert_int_eq(run("cat it/host.yaml"), 0);
    expect("    - write: {tile: 1-2, address: 0xffb121b0, words: [0x47000]}\n");
    expect("    - compare: {tile: 1-2, address: 0x8010, words: [0x66]}\n");
    expect("    - compare: {tile: 1-2, address: 0x9000, file: bytes/");
    ck_assert_int_eq(run(TENSIM_BINARY " run it/host.yaml -D riscv.load_l1=900 2>&1"), 1);
    ck_assert_int_eq(run("sed -i 's/words: .0x66./words: [0x67]/' it/host.yaml; " TENSIM_BINARY
                         " run it/host.yaml 2>&1"),
                     1);
    expect("0x8010");
}
END_TEST

// A launch after the one before it, on two threads and without it; a chain that does not fit.
START_TEST(launch_has_a_history)
{
    ck_assert_int_eq(capture(TWICE, "2x1"), 0);
    ck_assert_int_eq(run(TENSIM_BINARY " run it/launch-2.yaml -j 2 2>&1"), 0);
    expect("cycles, as captured\n  memory that the launch changed: as captured");
    ck_assert_int_eq(run(TENSIM_BINARY " run it/launch-2.yaml -p earlier=0 2>&1"), 0);
    expect(" behind earlier launches\n");
    // Both in a sequence, each on a machine of its own; what differs is named by its operation.
    ck_assert_int_eq(run("printf 'kind: sequence\nname: two\nsteps:\n    - {name: adds, run: "
                         "launch-1.yaml}\n    - {name: triples, run: launch-2.yaml}\n' > "
                         "it/s.yaml; " TENSIM_BINARY " run it/s.yaml --json s.json 2>&1"),
                     0);
    expect("triples: ");
    ck_assert_int_eq(run("sed 's/0x3e8/0x3e9/' it/launch-1.yaml > it/changed.yaml; sed -i "
                         "s/launch-1/changed/ it/s.yaml; " TENSIM_BINARY " run it/s.yaml 2>&1"),
                     1);
    expect("it/s.yaml:4: operation adds: the bytes after the launch differ from the captured ones");
    ck_assert_int_eq(run(TENSIM_BINARY " run it/launch-2.yaml -p earlier=x 2>&1"), 3);
    expect("-p earlier=x is not a number of launches");
    ck_assert_int_eq(
        run("sed -i s/earlier:.*/earlier:\\ launch-2.yaml/ it/launch-2.yaml; " TENSIM_BINARY
            " run it/launch-2.yaml 2>&1"),
        3);
    expect("which is not earlier");
}
END_TEST

// What TENSIM_OPTIONS sets is in the file; the command line wins.
static const struct {
    const char *options; // of the host
    const char *edit;    // of the file, for sed
    const char *run;     // options of `tensim run'; NULL: capturing fails
    int code;
    const char *says;
} settings[] = {
    {"-D noc.hop=12", "", "", 0, "cycles, as captured\n"},
    {"-D noc.hop=12", "", "-D noc.hop=40", 0, "with another machine (noc.hop was 12)"},
    {"-D noc.hop=12", "", "-D noc.hop=9 -D dram.size=512", 0, "noc.hop was 12, and 1 more)"},
    {"-D noc.hop=12", "", "-D noc.hop=12", 0, "cycles, as captured\n"},
    {"", "", "-p chip=p100", 1, "with another machine (chip was p150)"},
    {"", "", "-p chip=p150", 0, "cycles, as captured\n"},
    {"-c other.yaml", "", "", 0, "cycles, as captured\n"},
    {"-c other.yaml", "", "-c other.yaml", 0, "cycles, as captured\n"},
    {"-c other.yaml", "", "-c " TENSIM_SOURCE_DIR "/config/blackhole.yaml", 0,
     "with another machine (noc.hop was 12"},
    {"-D bits=ttsim-1.10.0", "", "", 0, "cycles, as captured\n"},
    {"-D noc.hop=12", "s/noc.hop/noc.hip/", "", 3,
     "launch-1.yaml:6:5: machine: noc.hip: no such parameter"},
    {"-D noc.hop=12", "s/noc.hop: 12/noc.hop: far/", "", 3,
     "machine: noc.hop: 'far' is not an integer"},
    {"--elf .", "", "--lines", 0, "metal_elf/kernel.c:91: "},
    {"--elf kernel", "s/0x1d/0x15/", "", 2, "in wait (kernel.c:23); nobody"}, // without math
    {"--elf .", "s/is: .kernel.brisc.*/file: launch-1.yaml}/", "", 3,
     "launch-1.yaml: not an ELF file"},
    {"--elf nothing", "", NULL, 3, "--elf nothing: no such folder"},
    {"--elf other.yaml", "", NULL, 3, "--elf other.yaml: not a folder"},
};

START_TEST(options_are_in_the_file)
{
    ck_assert_int_eq(run("sed '/^ *hop:/s/value: 9/value: 12/' " TENSIM_SOURCE_DIR
                         "/config/blackhole.yaml > other.yaml"),
                     0);
    setenv("TENSIM_OPTIONS", settings[_i].options, 1);
    int code = capture(ADDS, "1x1");
    unsetenv("TENSIM_OPTIONS");
    if (settings[_i].run) {
        ck_assert_msg(code == 0, "exit code %d: %s", code, text);
        code = run("sed -i '%s' it/launch-1.yaml; " TENSIM_BINARY " run it/launch-1.yaml %s 2>&1",
                   settings[_i].edit, settings[_i].run);
    }
    ck_assert_msg(code == settings[_i].code, "exit code %d: %s", code, text);
    expect(settings[_i].says);
}
END_TEST

// Reports of the card itself, while a host drives it: names, findings. Two tiles write the same result: a race.
static const struct {
    int what;
    const char *tiles, *options;
    int code;
    const char *print; // a command that prints what the run has left
    const char *says;
} reports[] = {
    {HANGS, "2x1", "--hang 5 --elf .", 2, "", "in wait (kernel.c:23); nobody"},
    {ADDS, "1x1", "-o out -tjson --elf .", 0, "zcat out/trace.json.gz", "\"name\":\"plain\""},
    {TWICE, "1x1", "--check=race:strict,memory,sync", 0, "", ""},
    {TWICE, "1x1", "--why -o out", 0,
     "ls out.launch-1/report.html out/report.html && grep -c '\"why\"' out.launch-2/result.json && "
     "grep -c 'launch\": [12],\\|out.launch-[12]/report.html' out/host.json; "
     "python3 -B " TENSIM_SOURCE_DIR "/tests/out/schema.py out/host.json && rm -r out.*",
     "out.launch-1/report.html\nout/report.html\n1\n4\n"},
    {ADDS, "1x1", "--why", 0, "ls -d /tmp/tensim-why-*",
     "launch 1: captured, 2 kernels on 1 core of a p150"},
    {HANGS, "1x1", "--hang 5 --why", 2, "", "nobody"},
    {PLAIN, "1x1", "--why", 0, "", "--why: no launch by firmware of tt-metal"},
    {STALE, "1x1", "--check=race:strict,memory,sync", 0, "", ""},
    {ADDS, "2x1", "--check=race --elf .", 7, "",
     "kernel.c:41:22: warning: NoC 0 for brisc writes DRAM 0x101080..0x10207f"},
    {ADDS, "2x1", "--check=race", 7, "",
     "nothing orders that with the other access [race-unsynced]"},
};

START_TEST(reports_of_a_live_host)
{
    char self[500] = "";
    ck_assert(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    const int code = run(
        "rm -rf out; TT_METAL_SIMULATOR=$(" TENSIM_BINARY
        " --ttsim) TENSIM_OPTIONS='%s' %s host %d %s 2>&1; code=$?; %s; exit $code",
        reports[_i].options, self, reports[_i].what, reports[_i].tiles,
        *reports[_i].print ? reports[_i].print : ":");
    ck_assert_msg(code == reports[_i].code, "exit code %d: %s", code, text);
    expect(reports[_i].says);
}
END_TEST

// Kernels that a folder does not have.
START_TEST(unknown_kernels_have_no_names)
{
    setenv("TENSIM_OPTIONS", "--elf firmware", 1);
    ck_assert_int_eq(capture(ADDS, "1x1"), 0);
    unsetenv("TENSIM_OPTIONS");
    expect("launch 1: 4 kernels are without names: no ELF file of --elf has their code");
    ck_assert_int_eq(run("grep elf: it/launch-1.yaml"), 1);
}
END_TEST

// tt-metal's host rewrites pairs of instructions; other instructions have to be the same.
START_TEST(kernels_are_found_by_their_code)
{
    static uint8_t l1[TS_L1_SIZE], moved[8192];
    const uint32_t at = 0xb010;
    struct ts_error error = {0};
    struct ts_metal_elf elf;
    struct ts_elf_cache *cache = ts_elf_cache_new(".", &error);
    void *bytes = elf_of("kernel", 3, &elf);
    const uint32_t length = ts_metal_elf_bytes(&elf);
    uint32_t changed = 0, same = 0;
    ck_assert(length <= sizeof moved && ts_metal_elf_move(&elf, at, moved, &error));
    memcpy(l1 + at, moved, length);
    for (uint32_t i = 0; i < elf.text_bytes; i += 4) {
        if (memcmp(elf.text_at + i, moved + i, 4) != 0 && (l1[at + i] & 0x7f) == 0x37)
            l1[at + i] ^= 0x20, changed++; // lui is auipc then
        else if (memcmp(elf.text_at + i, moved + i, 4) == 0)
            same = i;
    }
    ck_assert_uint_gt(changed, 0);
    ck_assert_str_eq(ts_elf_cache_find(cache, 3, l1, at), "kernel/trisc1/trisc1.elf");
    ck_assert_ptr_null(ts_elf_cache_find(cache, 2, l1, at));
    ck_assert_ptr_null(ts_elf_cache_find(cache, 3, l1, at + 4));
    ck_assert_ptr_null(ts_elf_cache_find(cache, 3, l1, TS_L1_SIZE - 16));
    l1[at + same] ^= 0x80;
    ck_assert_ptr_null(ts_elf_cache_find(cache, 3, l1, at));
    ts_elf_cache_free(cache);
    elf.image = elf.text + 4;
    ck_assert(!ts_metal_elf_move(&elf, at, moved, &error));
    ck_assert_str_eq(error.text, "kernel/trisc1/trisc1.elf: its data do not lie behind its code");
    ts_metal_elf_close(&elf);
    free(bytes);
}
END_TEST

START_TEST(mistakes_are_refused)
{
    ck_assert_int_eq(
        run("mkdir full && touch full/file && " TENSIM_BINARY " capture -o full true 2>&1"), 3);
    expect("is there already; choose another folder with -o");
    ck_assert_int_eq(run(TENSIM_BINARY " capture -o other -- ./nothing 2>&1"), 3);
    expect("./nothing: No such file");
    ck_assert_int_eq(run(TENSIM_BINARY " capture 2>&1"), 64);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, launches_are_captured, 0, sizeof captures / sizeof *captures);
    tcase_add_test(tests, file_runs_by_itself);
    tcase_add_test(tests, any_host_is_recorded);
    tcase_add_test(tests, launch_has_a_history);
    tcase_add_loop_test(tests, options_are_in_the_file, 0, sizeof settings / sizeof *settings);
    tcase_add_loop_test(tests, reports_of_a_live_host, 0, sizeof reports / sizeof *reports);
    tcase_add_test(tests, unknown_kernels_have_no_names);
    tcase_add_test(tests, kernels_are_found_by_their_code);
    tcase_add_test(tests, mistakes_are_refused);
}

SUITE("capture", add_tests, .begin = begin)
