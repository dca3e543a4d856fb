// Every parser with mutated inputs, in one process: no signal, no hang, no memory that stays. The same inputs for the same seed.
//
//   test_parse                            a sample, as in the tests
//   test_parse --runs N [TARGET...]       N inputs for each target
//   test_parse --seconds S [TARGET...]    S seconds, the same for each target
//   --seed S, --keep FILE (the input at work goes there first), --list
//
// With clang: -fsanitize=fuzzer calls LLVMFuzzerTestOneInput; TENSIM_PARSE names the target.
#include "tests/folder.h"
#include "tests/parse/parse.h"
#include "tests/suite.h"

#include <glob.h>
#include <malloc.h>
#include <signal.h>

#define MOST_SEEDS 60
#define LIMIT_S    60 // of one input, by the processor's clock of this process
#define SAMPLE     1500

static struct {
    const char *target;
    uint64_t seed, number;
} at; // work

static void fallen(int number)
{
    char text[200];
    const int length = snprintf(
        text, sizeof text, "\nFAILED: signal %d in target %s, seed %llu, input %llu\n", number,
        at.target, (unsigned long long)at.seed, (unsigned long long)at.number);
    if (write(2, text, (size_t)length) < 0)
        number = 1;
    signal(number, SIG_DFL);
    raise(number);
}

static void add_seed(struct parse_seeds *self, const char *text, size_t length)
{
    if (self->count == MOST_SEEDS || length > PARSE_LARGEST)
        return;
    self->text[self->count] = memcpy(malloc(length + 1), text, length);
    self->text[self->count][length] = '\0';
    self->length[self->count++] = length;
}

static void add_file(struct parse_seeds *self, const char *name)
{
    static char bytes[PARSE_LARGEST + 1];
    FILE *file = fopen(name, "rb");
    const size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    if (length)
        add_seed(self, bytes, length);
}

// A checkpoint and an array, which are not in the tree.
static void make_seeds(void)
{
    char command[600];
    snprintf(command, sizeof command,
             "cd %s && export XDG_STATE_HOME=%s && { %s matmul -M 32 -N 32 -K 32 -q -o run "
             "--checkpoint=at:500 > /dev/null 2>&1; "
             "cp run/500.ckpt seed.ckpt 2>/dev/null; "
             "printf '\\223NUMPY\\001\\000\\066\\000' > seed.npy; "
             "printf \"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}\" >> seed.npy; "
             "head -c 24 /dev/zero >> seed.npy; }",
             folder, folder, TENSIM_BINARY);
    if (system(command) != 0)
        printf("no checkpoint to start from\n");
}

// Patterns begin with @guest or @tests: the build's images; the folder of this test.
static struct parse_seeds seeds_of(const struct parse_target *target)
{
    struct parse_seeds self = {calloc(MOST_SEEDS, sizeof *self.text),
                               calloc(MOST_SEEDS, sizeof *self.length), 0};
    char patterns[500], path[400], *rest = patterns;
    snprintf(patterns, sizeof patterns, "%s", target->files ? target->files : "");
    for (char *pattern; target->files && (pattern = strsep(&rest, " ")) != NULL;) {
        glob_t found;
        if (strncmp(pattern, "@guest", 6) == 0)
            snprintf(path, sizeof path, "%s/../guest%s", TENSIM_TESTS, pattern + 6);
        else if (strncmp(pattern, "@tests", 6) == 0)
            snprintf(path, sizeof path, "%s%s", folder, pattern + 6);
        else
            snprintf(path, sizeof path, "%s/%s", TENSIM_SOURCE_DIR, pattern);
        if (glob(path, 0, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_file(&self, found.gl_pathv[i]);
        globfree(&found);
    }
    for (size_t i = 0; target->texts && target->texts[i]; i++)
        add_seed(&self, target->texts[i], strlen(target->texts[i]));
    return self;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double slowest; // input of a target, in seconds
static const char *keep, *inputs;

// Runs inputs: so many, or for so long. How many it were; *grown: bytes that stayed allocated.
static uint64_t work(const struct parse_target *target, uint64_t seed, uint64_t runs,
                     double seconds, long long *grown)
{
    static char input[PARSE_LARGEST + 4200];
    struct parse_seeds seeds = seeds_of(target);
    const double end = now() + seconds;
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, number = 0;
    size_t before = 0;
    at.target = target->name;
    at.seed = seed;
    slowest = 0;
    for (; seeds.count && (seconds > 0 ? now() < end : number < runs); number++) {
        at.number = number;
        struct itimerspec limit = {.it_value.tv_sec = LIMIT_S};
        static timer_t timer;
        static bool made;
        if (!made)
            made = timer_create(
                       CLOCK_PROCESS_CPUTIME_ID,
                       &(struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU},
                       &timer) == 0;
        if (number % 64 == 0)
            timer_settime(timer, 0, &limit, NULL);
        const size_t length = number < seeds.count ? seeds.length[number]
                                                   : parse_mutate(&seeds, &random, input);
        if (number < seeds.count)
            memcpy(input, seeds.text[number], length + 1);
        // A copy of exactly this size: what reads behind it is seen by AddressSanitizer and Valgrind.
        char *copy = malloc(length + 1);
        memcpy(copy, input, length + 1);
        FILE *kept = keep ? fopen(keep, "wb") : NULL;
        if (kept) {
            fwrite(copy, 1, length, kept);
            fclose(kept);
        }
        const double began = now();
        target->run(copy, length);
        slowest = now() - began > slowest ? now() - began : slowest;
        free(copy);
        if (number == 100 || (number > 100 && number == runs / 3)) {
            before = mallinfo2().uordblks;
        }
    }
    *grown = before ? (long long)mallinfo2().uordblks - (long long)before : 0;
    for (unsigned i = 0; i < seeds.count; i++)
        free(seeds.text[i]);
    free(seeds.text);
    free(seeds.length);
    return number;
}

static bool check(const struct parse_target *target, uint64_t seed, uint64_t runs, double seconds)
{
    long long grown;
    const double begin = now();
    const uint64_t done = work(target, seed, runs, seconds, &grown);
    printf("%-17s %9llu inputs, %7.1f s, the slowest %.2f s, %lld bytes more\n", target->name,
           (unsigned long long)done, now() - begin, slowest, grown);
    fflush(stdout);
    return done > 0 && grown < (256 << 10) + 100 * (long long)done; // tables that grow once
}

static void prepare(void)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGXCPU};
    if (mkdtemp(folder) == NULL) // also outside of a test
        exit(1);
    make_seeds();
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], fallen);
    signal(SIGPIPE, SIG_IGN);
    setenv("XDG_STATE_HOME", folder, 1);
    static char memory[] = "/dev/shm/tensim-parse-XXXXXX"; // quicker than a disk
    inputs = mkdtemp(memory) ? memory : folder;
    char from[100], to[100];
    snprintf(from, sizeof from, "%s/seed.ckpt", folder);
    snprintf(to, sizeof to, "%s/seed.plain", folder);
    parse_unpack(from, to);
    parse_begin(inputs);
}

static void clean_up(void)
{
    char command[100];
    parse_end();
    snprintf(command, sizeof command, "rm -rf %s %s", inputs, folder);
    if (system(command) != 0)
        printf("%s: stays\n", folder);
}

static int command_line(int argc, char **argv)
{
    uint64_t seed = 1, runs = 0;
    double seconds = 0;
    int first = 1, count = 0, bad = 0;
    if (argc == 1)
        return 0;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--list") == 0) {
            for (const struct parse_target *target = parse_targets; target->name; target++)
                puts(target->name);
            exit(0);
        } else if (first + 1 == argc) {
            break;
        } else if (strcmp(argv[first], "--runs") == 0) {
            runs = strtoull(argv[++first], NULL, 10);
        } else if (strcmp(argv[first], "--seconds") == 0) {
            seconds = strtod(argv[++first], NULL);
        } else if (strcmp(argv[first], "--seed") == 0) {
            seed = strtoull(argv[++first], NULL, 10);
        } else if (strcmp(argv[first], "--keep") == 0) {
            keep = argv[++first];
        }
    }
    prepare();
    for (int pass = 0; pass < 2; pass++)
        for (const struct parse_target *target = parse_targets; target->name; target++) {
            bool wanted = first == argc;
            for (int i = first; i < argc; i++)
                wanted |= strcmp(argv[i], target->name) == 0;
            count += wanted && pass == 0;
            if (wanted && pass == 1)
                bad += !check(target, seed, runs ? runs : SAMPLE, seconds / count);
        }
    clean_up();
    exit(bad || count == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static bool ready;
    const char *name = getenv("TENSIM_PARSE");
    if (!ready)
        prepare();
    ready = true;
    char *copy = malloc(length + 1);
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    for (const struct parse_target *target = parse_targets; target->name; target++)
        if (name == NULL || strcmp(name, target->name) == 0)
            target->run(copy, length);
    free(copy);
    return 0;
}

START_TEST(every_parser)
{
    prepare();
    const unsigned times = suite_every_case() ? 50 : 1;
    for (const struct parse_target *target = parse_targets; target->name; target++)
        ck_assert_msg(
            check(target, 1, (uint64_t)SAMPLE * target->share / 100 * times + MOST_SEEDS, 0),
            "%s: memory stays, or no input", target->name);
    clean_up();
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, every_parser);
}

SUITE("parse", add_tests, .one_process = true, .begin = command_line)
