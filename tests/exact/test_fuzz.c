// Random cases are exact (fuzz.h): cases of a fixed seed as a test, and as a command as many as there
// is time for.
//
//   test_fuzz --minutes N --seed S [--chip CARD] [--from CASE] [--only NAMES] [--without NAMES] [--keep FOLDER]
//   test_fuzz [-D KEY=VALUE]... [--perturb SEED:MAX] [-C CYCLE] [-n THREADS] [--trace] [--timing-only]
//             PROGRAM.yaml | KERNEL [NAME=VALUE]...
#include "platform/base/hash.h"
#include "tests/exact/fuzz.h"
#include "tests/suite.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIXED_SEED  7
#define FIXED_CASES 300 // with tests/run --all; in a sample a third of them

struct wish {
    double minutes;
    uint64_t seed, from, cases;
    struct fuzz_choice choice;
    const char *keep; // where a failing program is written
    bool all;         // go on after a difference
};

static struct {
    uint64_t seed, number;
} current; // for the last words of a crash

static void last_words(int number)
{
    char text[120];
    int length = snprintf(text, sizeof text,
                          "signal %d in case %llu: tests/fuzz --seed %llu --from %llu\n", number,
                          (unsigned long long)current.number, (unsigned long long)current.seed,
                          (unsigned long long)current.number);
    if (write(2, text, (size_t)length) < 0)
        _exit(70);
    signal(number, SIG_DFL);
    raise(number);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A case to its end, and cut at random cycles. False: it differs, and is as it did.
static bool passes(struct fuzz_case *it, uint64_t number, struct fuzz_result *result)
{
    fuzz_compare(it, NULL, result);
    if (result->verdict != FUZZ_SAME)
        return result->verdict != FUZZ_DIFFERS;
    const ts_cycle end = result->cycles;
    const struct fuzz_result whole = *result;
    uint64_t random = ts_hash_word(number, end);
    for (unsigned i = 0; i < (it->kernel[0] ? 1u : 2u) && end > 2; i++) {
        random = ts_hash_word(random, i);
        it->cut = 1 + (random >> 20) % (end - 1);
        fuzz_compare(it, NULL, result);
        if (result->verdict == FUZZ_DIFFERS)
            return false;
    }
    it->cut = 0;
    *result = whole;
    return true;
}

// Shrinks it, writes its program, prints how to see it again.
static void report(struct fuzz_case *it, uint64_t number, const struct wish *wish)
{
    struct fuzz_result result;
    char file[512];
    unsigned lines = it->line_count, runs = fuzz_shrink(it);
    fuzz_compare(it, NULL, &result);
    printf("case %llu of seed %llu: %s\n", (unsigned long long)number,
           (unsigned long long)wish->seed, result.text);
    snprintf(file, sizeof file, "%s/fuzz-%llu-%llu.yaml", wish->keep ? wish->keep : "/tmp",
             (unsigned long long)wish->seed, (unsigned long long)number);
    if (!it->kernel[0]) {
        FILE *to = fopen(file, "w");
        if (to) {
            fprintf(to, "about: %.100s\n", "fast differs from step by step");
            fuzz_write(it, to);
            fclose(to);
        }
        printf("  %u steps instead of %u, after %u runs:\n", it->line_count, lines, runs);
        fuzz_write(it, stdout);
    }
    printf("again: ");
    fuzz_command(it, file, stdout);
    fflush(stdout);
}

// Cases until the time is over. Returns how many differ.
static unsigned fuzz(const struct wish *wish)
{
    static struct fuzz_case it;
    const double begin = seconds();
    uint64_t codes[256] = {0}, cycles = 0, number = wish->from, refused = 0;
    unsigned wrong = 0;
    current.seed = wish->seed;
    signal(SIGSEGV, last_words);
    signal(SIGABRT, last_words);
    signal(SIGFPE, last_words);
    for (; wish->cases ? number < wish->from + wish->cases : seconds() - begin < 60 * wish->minutes;
         number++) {
        struct fuzz_result result;
        current.number = number;
        fuzz_generate(&it, wish->seed, number, &wish->choice);
        bool good = passes(&it, number, &result);
        codes[result.code & 255]++;
        cycles += result.cycles;
        refused += result.verdict == FUZZ_REFUSED;
        if (good)
            continue;
        wrong++;
        report(&it, number, wish);
        if (!wish->all)
            break;
    }
    const double took = seconds() - begin;
    printf("%llu cases of seed %llu in %.1f s (%.0f a minute), %llu M cycles: %u differ, %llu "
           "refused\n  exit codes:",
           (unsigned long long)(number - wish->from), (unsigned long long)wish->seed, took,
           60 * (double)(number - wish->from) / took, (unsigned long long)(cycles / 1000000), wrong,
           (unsigned long long)refused);
    for (unsigned i = 0; i < 256; i++)
        if (codes[i])
            printf(" %u: %llu", i, (unsigned long long)codes[i]);
    putchar('\n');
    return wrong;
}

// ---- as a test

START_TEST(fixed_cases)
{
    static const char *const cards[] = {NULL, "n150"};
    int cases = suite_sample(FIXED_CASES / 3, FIXED_CASES, "random cases");
    struct wish wish = {
        .seed = FIXED_SEED, .cases = (uint64_t)cases / (_i ? 3 : 1), .choice = {.chip = cards[_i]}};
    ck_assert_uint_eq(fuzz(&wish), 0);
}
END_TEST

// Programs of found/, which differed before something was mended.
static const struct {
    const char *file, *param;
    ts_cycle cut;
    uint64_t perturb_seed;
    uint32_t perturb_max;
} found[] = {
    {"late-line", "riscv.icache_miss=150", 24, 0, 0},
    {"late-place", "riscv.retire_credit=201", 204, 0, 0},
    {"late-branch", "riscv.mispredict=205", 3100, 0, 0},
    {"late-hang", NULL, 0, 0, 0},
    {"full-fifo", NULL, 0, 0, 0},
    {"full-end", NULL, 0, 0, 0},
    {"woken-ahead", NULL, 0, 0, 0},
    {"free-branch", "free.riscv=1", 0, 0, 0},
    {"held-store", "riscv.load_l1=258", 0, 320, 8},
    {"blocked-queue", NULL, 0, 0, 0},
    {"blocked-local", NULL, 0, 944, 64},
    {"drained-load", "riscv.store_drain=147", 0, 0, 0},
    {"settled-load", "riscv.store_settle=24", 0, 0, 0},
    {"waiting-load", "riscv.retire_credit=152", 1926, 77, 16},
    {"full-wait", "riscv.store_drain=194", 0, 52, 64},
    {"last-store", NULL, 357, 0, 0},
    {"blocked-push", NULL, 277, 604, 64},
    {"added-round", "riscv.store_drain=2", 2503, 507, 2},
    {"late-fence", "riscv.serialise=0", 133, 0, 0},
    {"old-line", "riscv.icache_stream=3400", 5288, 0, 0},
    {"recalled-stall", NULL, 0, 0, 0},
    {"stale-ahead", NULL, 0, 0, 0},
    {"stale-parked", "riscv.store_drain=8193", 13415, 0, 0},
    {"roused-behind-fault", NULL, 0, 0, 0},
    {"asleep-behind-fault", NULL, 0, 0, 0},
    {"words-behind-fault", NULL, 0, 0, 0},
    {"polls-behind-fault", NULL, 0, 0, 0},
    {"cleared-ahead", NULL, 0, 0, 0},
    {"cleared-poll", NULL, 0, 0, 0},
    {"shorter-merge", NULL, 0, 0, 0},
    {"full-hang", NULL, 0, 669, 2},
    {"status-ahead", NULL, 0, 0, 0},
    {"polled-hang", NULL, 0, 0, 0},
    {"filled-ahead", NULL, 0, 0, 0},
    {"window-hang", NULL, 0, 0, 0},
    {"walked-ahead", "riscv.div_special=1000000", 0, 0, 0},
    {"back-at-end", "riscv.l0_flush_period=2", 2365, 0, 0},
};

// Kernels that did.
static const struct {
    const char *kernel, *settings[4], *params[3];
    uint64_t perturb_seed;
    uint32_t perturb_max;
} found_kernels[] = {
    {"matmul", {NULL}, {"riscv.store_drain=128", "free.riscv=1"}, 0, 0},
    {"matmul_seed", {"m=64", "n=32", "k=64", "format=bfp8"}, {"riscv.load_l1=1"}, 0, 0},
    {"sfpu", {NULL}, {"riscv.load_local=282"}, 0, 0},
    {"untilize", {NULL}, {"riscv.store_merge=0"}, 0, 0},
    {"tilize", {"tiles=2"}, {NULL}, 739, 4},
    {"matmul_seed",
     {NULL},
     {"riscv.load_sync=203", "riscv.retire_credit=125", "free.trisc2=1"},
     0,
     0},
    {"matmul_seed", {NULL}, {"riscv.store_drain=203", "free.trisc2=1"}, 0, 0},
    {"matmul_seed", {NULL}, {"riscv.forward_lag=333", "free.riscv=1"}, 0, 0},
    {"matmul", {"grid=3x2", "m=192", "n=192", "k=64"}, {"dram.read_latency=5"}, 698, 8},
    {"matmul", {"grid=2x1"}, {"riscv.retire_credit=120"}, 0, 0},
    {"matmul", {NULL}, {"riscv.forward_lag=65537"}, 0, 0},        // more than a record's 16 bits
    {"norm", {"n=96", "run-type=l1_congestion"}, {NULL}, 605, 2}, // work that begins after now
    {"untilize", {"run-type=pack_isolate"}, {NULL}, 705, 8},      // and was accepted ahead
    {"matmul", {NULL}, {"riscv.load_l1=102"}, 0, 0}, // rounds of polls that are longer than a slice
};

START_TEST(found_case)
{
    static struct fuzz_case it;
    struct fuzz_result result;
    char path[512];
    it = (struct fuzz_case){.threads = 1,
                            .trace = _i % 2, // the same bytes with a trace
                            .cut = found[_i / 2].cut,
                            .perturb_seed = found[_i / 2].perturb_seed,
                            .perturb_max = found[_i / 2].perturb_max};
    if (found[_i / 2].param)
        snprintf(it.params[it.param_count++], sizeof it.params[0], "%s", found[_i / 2].param);
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/tests/exact/found/%s.yaml", found[_i / 2].file);
    fuzz_compare(&it, path, &result);
    ck_assert_msg(result.verdict == FUZZ_SAME, "%s%s: %s", found[_i / 2].file,
                  it.trace ? " with a trace" : "", result.text);
}
END_TEST

START_TEST(found_kernel)
{
    static struct fuzz_case it;
    struct fuzz_result result;
    it = (struct fuzz_case){.threads = 1,
                            .perturb_seed = found_kernels[_i].perturb_seed,
                            .perturb_max = found_kernels[_i].perturb_max};
    snprintf(it.kernel, sizeof it.kernel, "%s", found_kernels[_i].kernel);
    for (unsigned k = 0; k < 4 && found_kernels[_i].settings[k]; k++)
        snprintf(it.settings[it.setting_count++], sizeof it.settings[0], "%s",
                 found_kernels[_i].settings[k]);
    for (unsigned k = 0; k < 3 && found_kernels[_i].params[k]; k++)
        snprintf(it.params[it.param_count++], sizeof it.params[0], "%s",
                 found_kernels[_i].params[k]);
    fuzz_compare(&it, NULL, &result);
    ck_assert_msg(result.verdict == FUZZ_SAME, "%s: %s", it.kernel, result.text);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, fixed_cases, 0, 2);
    tcase_add_loop_test(tests, found_case, 0, 2 * sizeof found / sizeof *found);
    tcase_add_loop_test(tests, found_kernel, 0, sizeof found_kernels / sizeof *found_kernels);
}

// ---- as a command

static int usage(void)
{
    fprintf(stderr,
            "usage: tests/fuzz [--minutes N | --cases N] [--chip CARD] [--seed S] [--from CASE] "
            "[--all]\n"
            "                  [--only NAMES] [--without NAMES] [--keep FOLDER]\n"
            "       tests/fuzz [--chip CARD] [-D KEY=VALUE]... [--perturb SEED:MAX] [-C CYCLE] [-n "
            "THREADS]\n"
            "                  [--trace] [--timing-only] PROGRAM.yaml | KERNEL [NAME=VALUE]...\n"
            "NAMES, separated by commas: riscv tensix noc dram free (parameters), program chip\n"
            "kernel isolate (what runs), perturb\n");
    return 64;
}

// One case that the command line describes.
static int compare_one(struct fuzz_case *it, char **names, int count)
{
    struct fuzz_result result;
    const char *file = strstr(names[0], ".yaml") ? names[0] : NULL;
    if (!file)
        snprintf(it->kernel, sizeof it->kernel, "%s", names[0]);
    for (int i = 1; i < count && it->setting_count < FUZZ_SETTINGS; i++)
        snprintf(it->settings[it->setting_count++], sizeof it->settings[0], "%s", names[i]);
    fuzz_compare(it, file, &result);
    static const char *const verdicts[] = {"the same", "differs", "refused"};
    printf("%s: exit code %d at cycle %llu%s%s\n", verdicts[result.verdict], result.code,
           (unsigned long long)result.cycles, result.text[0] ? ": " : "", result.text);
    return result.verdict == FUZZ_SAME ? 0 : 1;
}

static int begin(int argc, char **argv)
{
    static struct fuzz_case it = {.threads = 1};
    struct wish wish = {.minutes = 1, .seed = 1};
    if (argc == 1)
        return 0;
    for (int i = 1; i < argc; i++) {
        const char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        unsigned long long seed;
        unsigned most;
        i++;
        if (strcmp(key, "--minutes") == 0)
            wish.minutes = strtod(value, NULL);
        else if (strcmp(key, "--cases") == 0)
            wish.cases = strtoull(value, NULL, 0);
        else if (strcmp(key, "--seed") == 0)
            wish.seed = strtoull(value, NULL, 0);
        else if (strcmp(key, "--from") == 0)
            wish.from = strtoull(value, NULL, 0);
        else if (strcmp(key, "--chip") == 0)
            it.chip = wish.choice.chip = value;
        else if (strcmp(key, "--only") == 0)
            wish.choice.only = value;
        else if (strcmp(key, "--without") == 0)
            wish.choice.without = value;
        else if (strcmp(key, "--keep") == 0)
            wish.keep = value;
        else if (strcmp(key, "-D") == 0 && it.param_count < FUZZ_SETTINGS)
            snprintf(it.params[it.param_count++], sizeof it.params[0], "%s", value);
        else if (strcmp(key, "--perturb") == 0 && sscanf(value, "%llu:%u", &seed, &most) == 2)
            it.perturb_seed = seed, it.perturb_max = most;
        else if (strcmp(key, "-C") == 0)
            it.cut = strtoull(value, NULL, 0);
        else if (strcmp(key, "-n") == 0)
            it.threads = (unsigned)strtoul(value, NULL, 0);
        else if (i--, strcmp(key, "--all") == 0)
            wish.all = true;
        else if (strcmp(key, "--trace") == 0)
            it.trace = true;
        else if (strcmp(key, "--timing-only") == 0)
            it.timing_only = true;
        else if (key[0] == '-')
            return usage();
        else
            exit(compare_one(&it, argv + i, argc - i));
    }
    exit(fuzz(&wish) ? 1 : 0);
}

SUITE("fuzz", add_tests, .one_process = true, .begin = begin)
