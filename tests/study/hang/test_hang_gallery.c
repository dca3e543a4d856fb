// The gallery of hangs: every program ends with its stated verdict, and the explanation names the
// stated object, nodes and history; with polls parked and step by step; and the search finds the
// races that the usual timing hides.
#include "platform/study/hang/program.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 2000000

// Sanitizers make everything ten to forty times slower.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SLOW 1
#else
#define SLOW 0
#endif

// The words of `path` appear in `line` in this order.
static bool in_order(const char *line, const char *path)
{
    char copy[120], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        line = strstr(line, word);
        if (line == NULL)
            return false;
        line += strlen(word);
    }
    return true;
}

// Does any lint of the run have these words?
static bool told(const json_t *lints, const char *words)
{
    for (size_t i = 0; i < json_array_size(lints); i++) {
        const json_t *lint = json_array_get(lints, i);
        if (strstr(json_string_value(json_object_get(lint, "lint")), words) ||
            strstr(json_string_value(json_object_get(lint, "first")), words))
            return true;
    }
    return false;
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;
    for (; (text = strchr(text, '\n')) != NULL; text++)
        lines++;
    return lines;
}

static void check_hang(const char *name, const struct ts_hang_program *program,
                       const struct ts_hang_outcome *outcome)
{
    char object[48];
    snprintf(object, sizeof object, "[%s]", program->object);
    ck_assert_msg(in_order(outcome->line, program->path), "%s: path %s", name, outcome->line);
    ck_assert_msg(program->object[0] == '\0' || strstr(outcome->line, object), "%s: object %s",
                  name, outcome->line);
    ck_assert_msg(strcmp(outcome->cause, program->cause) == 0, "%s: cause\n%s", name,
                  outcome->cause);
    ck_assert_msg(strstr(outcome->screen, program->says) != NULL, "%s: says\n%s", name,
                  outcome->screen);
    ck_assert_msg(lines_of(outcome->screen) <= 24, "%s: more than a screen\n%s", name,
                  outcome->screen);
    // Reported within 10,000 cycles of the start, so also of the last useful event.
    ck_assert_msg(outcome->cycle < 10000, "%s: cycle %llu", name,
                  (unsigned long long)outcome->cycle);
    ck_assert(json_array_size(json_object_get(outcome->document, "tiles")) > 0);
    ck_assert(json_array_size(json_object_get(outcome->document, "edges")) > 0);
}

static void check_one(const char *path, struct ts_hang_program *program,
                      const struct ts_tile_config *config)
{
    struct ts_hang_outcome outcome;
    ts_hang_program_run(program, config, LIMIT, &outcome);
    const char *name = strrchr(path, '/') + 1;
    bool hang = strcmp(program->verdict, "hang") == 0;
    bool fault = strcmp(program->verdict, "fault") == 0;
    ck_assert_msg(hang || fault || strcmp(program->verdict, "done") == 0, "%s: verdict", name);
    ck_assert_msg(outcome.code == (hang    ? TS_HANG
                                   : fault ? TS_CONTRACT
                                           : TS_OK),
                  "%s: code %d %s %s", name, (int)outcome.code, outcome.text, outcome.line);
    if (hang)
        check_hang(name, program, &outcome);
    if (fault)
        ck_assert_msg(strstr(outcome.text, program->says) != NULL, "%s: %s", name, outcome.text);
    char *lints = json_dumps(outcome.lints, 0);
    if (program->lint[0])
        ck_assert_msg(told(outcome.lints, program->lint), "%s: lints %s", name, lints);
    else if (!hang) // what is right is not complained about
        ck_assert_msg(json_array_size(outcome.lints) == 0, "%s: lints %s", name, lints);
    free(lints);
    ts_hang_outcome_free(&outcome);
}

// A program of the gallery by its name.
static struct ts_hang_program *read_program(const char *name)
{
    struct ts_hang_program *program = malloc(sizeof *program);
    struct ts_error error = {0};
    char path[256];
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/config/gallery/%s.yaml", name);
    ck_assert_msg(ts_hang_program_read(program, path, NULL, NULL, &error), "%s", error.text);
    return program;
}

static void drop(struct ts_hang_program *program)
{
    free(program);
}

START_TEST(gallery)
{
    glob_t files;
    ck_assert_int_eq(glob(TENSIM_SOURCE_DIR "/config/gallery/*.yaml", 0, NULL, &files), 0);
    ck_assert_uint_gt(files.gl_pathc, 70);
    struct ts_hang_program *program = malloc(sizeof *program);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct ts_error error = {0};
        ck_assert_msg(ts_hang_program_read(program, files.gl_pathv[i], NULL, NULL, &error), "%s",
                      error.text);
        ck_assert_msg(program->verdict[0], "%s expects nothing", files.gl_pathv[i]);
        struct ts_tile_config config = ts_tile_config_default();
        check_one(files.gl_pathv[i], program, &config);
        // Step by step the same; what takes long only where time does not matter.
        config.run_ahead = config.park = false;
        if (!program->noc && (!SLOW || strcmp(program->verdict, "hang") == 0))
            check_one(files.gl_pathv[i], program, &config);
    }
    free(program);
    globfree(&files);
}
END_TEST

// Every case of the list is in the gallery, with a twin that ends.
START_TEST(complete)
{
    static const unsigned cases[] = {1,  2,  4,  5,  8,  9,  10, 12, 13, 14, 15, 16, 17,
                                     19, 21, 22, 23, 24, 26, 27, 28, 30, 31, 32, 34, 35};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char pattern[256];
        glob_t files;
        snprintf(pattern, sizeof pattern, TENSIM_SOURCE_DIR "/config/gallery/g%02u-*.yaml",
                 cases[i]);
        ck_assert_msg(glob(pattern, 0, NULL, &files) == 0 && files.gl_pathc >= 2, "G%02u",
                      cases[i]);
        bool twin = false;
        for (size_t k = 0; k < files.gl_pathc; k++)
            twin |= strstr(files.gl_pathv[k], "repaired") != NULL;
        ck_assert_msg(twin, "G%02u has no repaired twin", cases[i]);
        globfree(&files);
    }
}
END_TEST

static const struct {
    const char *name;
    uint32_t seeds;
    bool hangs;
} searches[] = {
    {"g01-racy", 50, true},
    {"g01-repaired", 20, false},
    {"g09-racy", 50, true},
    {"g09-repaired", 20, false},
};

START_TEST(searching)
{
    struct ts_hang_program *program = read_program(searches[_i].name);
    struct ts_tile_config config = ts_tile_config_default();
    uint32_t seeds = SLOW && !searches[_i].hangs ? 4 : searches[_i].seeds;
    struct ts_hang_search search = {.seeds = seeds, .most = 64, .crew = {.workers = 2}};
    ck_assert_msg(ts_hang_search(program, &config, LIMIT, &search) == searches[_i].hangs, "%s: %s",
                  searches[_i].name, search.perturb);
    ts_crew_free(&search.crew);
    if (searches[_i].hangs) { // replays, to the cycle
        struct ts_hang_outcome a, b;
        struct ts_perturb_how how;
        ck_assert(ts_perturb_parse(search.perturb, &how));
        config.perturb_seed = how.seed;
        config.perturb_max = how.max;
        config.perturb_holds = how.holds;
        ts_hang_program_run(program, &config, LIMIT, &a);
        ts_hang_program_run(program, &config, LIMIT, &b);
        ck_assert_int_eq(a.code, TS_HANG);
        ck_assert_uint_eq(a.cycle, b.cycle);
        ck_assert_str_eq(a.screen, b.screen);
        ts_hang_outcome_free(&a);
        ts_hang_outcome_free(&b);
    }
    drop(program);
}
END_TEST

// Under --strict the first lint ends the run, at its cause and not where it hangs.
START_TEST(strict)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
        {"g01-lost-semget", "semaphore get at 0 is lost (semaphore 3, by core T"},
        {"g05-post-above-max", "semaphore post above its maximum (semaphore 1 by T1: 3 > 2)"},
        {"g09-clear-before-valid", "SETRWC of T1, srca[0]"},
        {"g04-sync-full-without-seminit", "math writes Dst that is with the packer"},
        {"g12-movd2a-without-wait", "that the unpacker owns (MOVD2A of T1, srca[0])"},
        {"g21-counter-wraps", "65 pages in a ring of 64"},
        {"g22-own-copies", "buffer mid: acked of trisc0 is written by brisc"},
        {"g23-address-in-flight",
         "the packer's address is rewritten in flight (starts with the old"},
        {"g24-zeroacc-exponents", "not for THCON (T2 ZEROACC"},
        {"g27-config-not-waited", "STALLWAIT on TRISC_CFG (T0 UNPACR"},
        {"g28-sync-is-per-thread", "(semaphore 1 = 1, by T1)"},
        {"g34-poll-in-l0", "(brisc, L1 word 0x30000 is 0x1)"},
        {"lint-mop-rewritten", "(register 5 of T1:"},
        {"lint-config-in-use", "register 76: 0x3fff -> 0x4fff by trisc0"},
        {"lint-vector-hazard", "(T1 SFPSWAP"},
        {"lint-two-threads", "enters VECTOR, which works for T"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ts_hang_outcome outcome;
        struct ts_hang_program *program = read_program(rows[i].name);
        struct ts_tile_config config = ts_tile_config_default();
        config.strict = true;
        ts_hang_program_run(program, &config, LIMIT, &outcome);
        ck_assert_msg(outcome.code == TS_CONTRACT, "%s: code %d", rows[i].name, (int)outcome.code);
        ck_assert_msg(strstr(outcome.text, rows[i].text) != NULL, "%s", outcome.text);
        const char *cycle = strstr(outcome.text, ": cycle ");
        ck_assert_msg(cycle && strstr(cycle + 2, ": cycle ") == NULL, "%s", outcome.text);
        ts_hang_outcome_free(&outcome);
        drop(program);
    }
}
END_TEST

// A lint that means neither a wrong result nor a hang does not end a run under --strict.
START_TEST(strict_passes)
{
    static const char *const names[] = {"lint-srca-burst", "g24-once", "g24-full"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ts_hang_outcome outcome;
        struct ts_hang_program *program = read_program(names[i]);
        struct ts_tile_config config = ts_tile_config_default();
        config.strict = true;
        ts_hang_program_run(program, &config, LIMIT, &outcome);
        ck_assert_msg(outcome.code == TS_OK, "%s: %s", names[i], outcome.text);
        ts_hang_outcome_free(&outcome);
        drop(program);
    }
}
END_TEST

// Correct programs pass whatever the delays: all vectors, two seeds.
START_TEST(perturbed_vectors)
{
    static const char *const seeds[] = {"7:40", "2:9"};
    char command[512];
    snprintf(command, sizeof command,
             "%s vector -q --perturb %s " TENSIM_SOURCE_DIR "/tests/conform/%s*.ttv >/dev/null",
             TENSIM_BINARY, seeds[_i], SLOW ? "s" : "");
    ck_assert_int_eq(system(command), 0);
}
END_TEST

// Exit codes and the document of the command.
START_TEST(command)
{
    char text[512];
    snprintf(text, sizeof text,
             "%s hang --json - " TENSIM_SOURCE_DIR "/config/gallery/g13-unpack-sync-wedged.yaml",
             TENSIM_BINARY);
    FILE *pipe = popen(text, "r");
    ck_assert_ptr_nonnull(pipe);
    json_t *document = json_loadf(pipe, 0, NULL);
    ck_assert_int_eq(pclose(pipe), TS_HANG << 8);
    json_t *hang = json_object_get(document, "hang");
    json_t *path = json_object_get(json_array_get(json_object_get(hang, "tiles"), 0), "path");
    ck_assert_str_eq(json_string_value(json_array_get(path, 0)), "trisc0");
    ck_assert_str_eq(json_string_value(json_array_get(path, 2)), "UNPACK0");
    json_decref(document);
}
END_TEST

// A program with debug information: the explanation has function and line; the run directory has
// the document and the page with the graph.
START_TEST(lines)
{
    char text[900];
    folder_make();
    snprintf(text, sizeof text,
             "%s run --load trisc0=$(dirname %s)/guest/matmul.unpack.elf -q -o %s 2>/dev/null",
             TENSIM_BINARY, TENSIM_BINARY, folder);
    ck_assert_int_eq(system(text), TS_HANG << 8);
    snprintf(text, sizeof text, "%s/hang.json", folder);
    json_t *document = json_load_file(text, 0, NULL);
    ck_assert_ptr_nonnull(document);
    json_t *tile = json_array_get(json_object_get(document, "tiles"), 0);
    const char *place = NULL;
    for (size_t i = 0; i < json_array_size(json_object_get(tile, "nodes")); i++) {
        const json_t *node = json_array_get(json_object_get(tile, "nodes"), i);
        if (strcmp(json_string_value(json_object_get(node, "name")), "trisc0") == 0)
            place = json_string_value(json_object_get(node, "place"));
    }
    ck_assert_msg(place && strstr(place, "in main (") && strstr(place, ".cpp:"), "%s",
                  place ? place : "no place");
    json_decref(document);
    snprintf(text, sizeof text, "grep -q '\"graph\"' %s/hang.html", folder);
    ck_assert_int_eq(system(text), 0);
    folder_remove();
}
END_TEST

// Tiles with the same explanation are reported once.
START_TEST(alike)
{
    struct ts_hang_program *program = read_program("g30-reset-before-flush");
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_hang_outcome outcome;
    ts_hang_program_run(program, &config, LIMIT, &outcome);
    json_t *tiles = json_object_get(outcome.document, "tiles");
    ck_assert_uint_eq(json_array_size(tiles), 1);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(tiles, 0), "same")), " 3-2");
    ck_assert_ptr_nonnull(strstr(outcome.screen, "(and 1 like it: 3-2)"));
    ts_hang_outcome_free(&outcome);
    drop(program);
}
END_TEST

// The search takes any command: this kernel has no race.
START_TEST(search_command)
{
    char text[512];
    snprintf(text, sizeof text,
             "%s hang -q --search 2,most:4 -j 2 -- eltwise --m 32 --n 32 >/dev/null",
             TENSIM_BINARY);
    ck_assert_int_eq(system(text), 0);
    snprintf(
        text, sizeof text,
        "%s hang --search 2,most:1 -- run --load trisc0=$(dirname %s)/guest/matmul.unpack.elf | "
        "grep -q 'replay: tensim run .* --perturb 1:1'",
        TENSIM_BINARY, TENSIM_BINARY);
    ck_assert_int_eq(system(text), 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, gallery);
    tcase_add_test(tests, complete);
    tcase_add_test(tests, strict);
    tcase_add_test(tests, strict_passes);
    tcase_add_test(tests, command);
    tcase_add_test(tests, lines);
    tcase_add_test(tests, alike);
    tcase_add_test(tests, search_command);
    tcase_add_loop_test(tests, perturbed_vectors, 0, 2);
    tcase_add_loop_test(tests, searching, 0, (int)(sizeof searches / sizeof *searches));
}

SUITE("hang", add_tests)
