// The search for a timing that hangs: near misses first, for programs, for program files on a chip,
// in parallel; holds that replay it; deadlocks of recordings as holds.
#include "platform/base/perturb.h"
#include "platform/study/hang/program.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// --- holds

static const struct {
    const char *text;
    bool good;
} texts[] = {
    {"7", true},
    {"7:32", true},
    {"7:0", false},
    {"7:", false},
    {"T0@17+300", true},
    {"T0@17=300", true},
    {"2-3/trisc1.store@1+0,noc1@4+9", true},
    {"T3@17+300", false},
    {"T0@0+300", false},
    {"T0@17", false},
    {"T0@17+", false},
    {"T0@17+3,", false},
    {"trisc0@1+3", false},
};

START_TEST(parsed)
{
    struct ts_perturb_how how;
    ck_assert_msg(ts_perturb_parse(texts[_i].text, &how) == texts[_i].good, "%s", texts[_i].text);
}
END_TEST

// Each hold is for one thing at one place of one tile, in whatever order they are written.
START_TEST(held)
{
    static const uint64_t want[] = {0, 0, 5, 0, 9, 0};
    struct ts_perturb perturb;
    ts_perturb_init(&perturb, 1, 0, 0);
    ts_perturb_only(&perturb, "T1@5+9,T0@3+77,1-2/T1@3+5,2-2/T1@4+50", "T1", 1, 2);
    uint64_t now = 100;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++, now += 10) {
        ck_assert_int_eq(ts_perturb_holds(&perturb, now), want[i] != 0);
        ck_assert_uint_eq(perturb.until, now + want[i]);
        ck_assert(!ts_perturb_holds(&perturb, now + want[i]));
        ts_perturb_passed(&perturb);
    }
    ts_perturb_only(&perturb, "T1@7=400", "T1", 1, 2);
    ck_assert(ts_perturb_holds(&perturb, 399) && !ts_perturb_holds(&perturb, 400));
}
END_TEST

// --- programs

static struct ts_hang_program *read_program(const char *name)
{
    struct ts_hang_program *program = calloc(1, sizeof *program);
    struct ts_error error = {0};
    char path[256];
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/config/gallery/%s.yaml", name);
    ck_assert_msg(ts_hang_program_read(program, path, NULL, NULL, &error), "%s", error.text);
    return program;
}

static uint64_t runs_of(const struct ts_hang_program *program, bool random, char *perturb)
{
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_hang_search search = {
        .seeds = 100, .most = 64, .random = random, .crew = {.workers = 2}};
    ck_assert(ts_hang_search(program, &config, 1000000, &search));
    ts_crew_free(&search.crew);
    memcpy(perturb, search.perturb, TS_PERTURB_TEXT);
    return search.runs;
}

static enum ts_code run_with(const struct ts_hang_program *program, const char *perturb)
{
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_hang_outcome outcome;
    struct ts_perturb_how how;
    ck_assert_msg(ts_perturb_parse(perturb, &how), "%s", perturb);
    config.perturb_seed = how.seed;
    config.perturb_max = how.max;
    config.perturb_holds = how.holds;
    ts_hang_program_run(program, &config, 1000000, &outcome);
    enum ts_code code = outcome.code;
    ts_hang_outcome_free(&outcome);
    return code;
}

// Near misses need a tenth of the runs of a random search, or fewer, and the replay is minimal: one
// cycle less ends well.
START_TEST(guided)
{
    struct ts_hang_program *program = read_program(_i ? "g09-racy" : "g01-racy");
    char at_random[TS_PERTURB_TEXT], near[TS_PERTURB_TEXT];
    uint64_t random = runs_of(program, true, at_random), few = runs_of(program, false, near);
    ck_assert_msg(10 * few <= random, "%llu runs with %s, %llu with %s", (unsigned long long)few,
                  near, (unsigned long long)random, at_random);
    ck_assert_int_eq(run_with(program, at_random), TS_HANG);
    ck_assert_int_eq(run_with(program, near), TS_HANG);
    char *plus = strchr(near, '+');
    ck_assert_ptr_nonnull(plus);
    unsigned long cycles = strtoul(plus + 1, NULL, 10);
    sprintf(plus + 1, "%lu", cycles - 1);
    ck_assert_int_eq(run_with(program, near), TS_OK);
    free(program);
}
END_TEST

// --- commands

static int tensim(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int tensim(const char *format, ...)
{
    char text[1200] = TENSIM_BINARY " ";
    va_list args;
    va_start(args, format);
    vsnprintf(text + strlen(text), sizeof text - strlen(text), format, args);
    va_end(args);
    return WEXITSTATUS(system(text));
}

static char *line_with(const char *path, const char *word, char *line, int size)
{
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    char *found = NULL;
    while (found == NULL && fgets(line, size, file))
        found = strstr(line, word);
    fclose(file);
    ck_assert_msg(found != NULL, "no %s in %s", word, path);
    found[strcspn(found, "\n")] = '\0';
    return found + strlen(word);
}

// A program file on several tiles: the search finds the request or the store to hold, with any number of
// processes, and the command it prints hangs.
static const struct {
    const char *name, *hold;
} hidden[] = {{"racy", " --perturb 1-2/noc0@1+"}, {"late", " --perturb 2-2/brisc.l1@"}};

START_TEST(program_file)
{
    char path[2][64], line[2][600];
    const char *name = hidden[_i].name;
    folder_make();
    ck_assert_int_eq(tensim("run -q " TENSIM_SOURCE_DIR "/tests/study/hang/%s/program.yaml", name),
                     0);
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s/%d", folder, i);
        ck_assert_int_eq(tensim("run --search 1,most:1 -j %d -- run -q " TENSIM_SOURCE_DIR
                                "/tests/study/hang/%s/program.yaml >%s 2>/dev/null",
                                1 + i, name, path[i]),
                         2);
        char *replay = line_with(path[i], "replay: tensim ", line[i], sizeof line[i]);
        ck_assert_ptr_nonnull(strstr(replay, hidden[_i].hold));
        ck_assert_int_eq(tensim("%s 2>/dev/null", replay), 2);
    }
    ck_assert_str_eq(line[0], line[1]);
    folder_remove();
}
END_TEST

// A deadlock of a recorded run that ends well becomes holds that hang it.
START_TEST(explored)
{
    char file[64], text[64], line[600];
    const char *name = _i ? "g09-racy" : "g01-racy";
    folder_make();
    snprintf(file, sizeof file, "%s/r.yaml", folder);
    snprintf(text, sizeof text, "%s/text", folder);
    ck_assert_int_eq(
        tensim("run -q --record %s " TENSIM_SOURCE_DIR "/config/gallery/%s.yaml", file, name), 0);
    ck_assert_int_eq(tensim("run --explore %s >%s", file, text), 2);
    char *replay = line_with(text, "replay in the run: tensim ", line, sizeof line);
    ck_assert_msg(tensim("%s", replay) == 2, "%s", replay);
    folder_remove();
}
END_TEST

// Of one file, `hang' (which runs it) and `explore' (which tries all orders) say the same.
static const struct {
    const char *cores;
    int code;
} both[] = {
    {"T0: [ATGETM mutex_index=0, ATGETM mutex_index=0], T1: [ATGETM mutex_index=0]", 2},
    {"T0: [ATGETM mutex_index=0, ATGETM mutex_index=0, ATRELM mutex_index=0], T1: [ATGETM "
     "mutex_index=0, ATRELM mutex_index=0]",
     0},
    {"T0: [ATGETM mutex_index=1, ATGETM mutex_index=1]", 2},
};

START_TEST(explore_agrees)
{
    char path[64];
    folder_make();
    snprintf(path, sizeof path, "%s/m.yaml", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "cores: {%s}\n", both[_i].cores);
    fclose(file);
    ck_assert_int_eq(tensim("hang %s >/dev/null", path), both[_i].code);
    ck_assert_int_eq(tensim("run --explore %s >/dev/null", path), both[_i].code);
    folder_remove();
}
END_TEST

START_TEST(on_another_chip)
{
    struct ts_hang_program *program = calloc(1, sizeof *program);
    struct ts_error error = {0};
    const char path[] = TENSIM_SOURCE_DIR "/config/gallery/mutex-cycle.yaml";
    ck_assert(ts_hang_program_read(program, path, NULL, "p100", &error));
    ck_assert_str_eq(program->chip, "p100");
    ck_assert(!ts_hang_program_read(program, path, NULL, "nowhere", &error));
    ck_assert_msg(strstr(error.text, "no chip 'nowhere'"), "%s", error.text);
    free(program);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, explore_agrees, 0, (int)(sizeof both / sizeof *both));
    tcase_add_test(tests, on_another_chip);
    tcase_add_loop_test(tests, parsed, 0, (int)(sizeof texts / sizeof *texts));
    tcase_add_test(tests, held);
    tcase_add_loop_test(tests, guided, 0, 2);
    tcase_add_loop_test(tests, program_file, 0, 2);
    tcase_add_loop_test(tests, explored, 0, 2);
}

SUITE("search", add_tests)
