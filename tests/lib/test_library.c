// The public library as a caller sees it: only tensim.h.
#include "platform/tensim.h"
#include "tests/suite.h"

#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tensim_xy tile = {1, 2};

// lw a0, 0x100(zero); beqz a0, -4; sw a0, 0x104(zero); ebreak
static const uint32_t polls[] = {0x10002503, 0xfe050ee3, 0x10a02223, 0x00100073};

static struct tensim *polling(void)
{
    struct tensim_error error;
    struct tensim *sim = tensim_new(NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_int_eq(tensim_write(sim, tile, 0, polls, sizeof polls, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_start(sim, tile, TENSIM_BRISC, &error), TENSIM_OK);
    return sim;
}

START_TEST(runs_until_a_word_has_a_value)
{
    struct tensim_error error;
    struct tensim *sim = polling();
    ck_assert_int_eq(tensim_stopped(sim), TENSIM_STOP_NOT_RUN);
    // Polling is no hang while the host lets time pass.
    ck_assert_int_eq(tensim_run_for(sim, 20000, &error), TENSIM_OK);
    ck_assert_uint_ge(tensim_cycle(sim), 20000);
    uint32_t word = 7;
    ck_assert_int_eq(tensim_write(sim, tile, 0x100, &word, 4, &error), TENSIM_OK);
    uint64_t at = 0;
    struct tensim_until until = {.tile = tile, .address = 0x104, .value = 7, .cycles = 1000};
    ck_assert_int_eq(tensim_run_until(sim, &until, &at, &error), TENSIM_OK);
    ck_assert_uint_gt(at, 20000);
    ck_assert_int_eq(tensim_stopped(sim), TENSIM_STOP_CONDITION);
    ck_assert_int_eq(tensim_run(sim, TENSIM_FOREVER, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_read_word(sim, tile, 0x104, &word, &error), TENSIM_OK);
    ck_assert_uint_eq(word, 7);
    struct tensim_core_state core;
    ck_assert_int_eq(tensim_core_read(sim, tile, TENSIM_BRISC, &core, &error), TENSIM_OK);
    ck_assert(core.paused && !core.held);
    ck_assert_uint_eq(core.x[10], 7);
    ck_assert_uint_eq(core.pc, 0xc);
    ck_assert_int_eq(tensim_core_read(sim, tile, TENSIM_TRISC0, &core, &error), TENSIM_OK);
    ck_assert(core.held);
    tensim_free(sim);
}
END_TEST

START_TEST(explains_a_hang)
{
    struct tensim_error error;
    struct tensim *sim = polling();
    ck_assert_int_eq(tensim_run(sim, TENSIM_FOREVER, &error), TENSIM_HANG);
    ck_assert_msg(strncmp(error.text, "hang since cycle ", 17) == 0, "%s", error.text);
    ck_assert_ptr_nonnull(strstr(error.text, ", detected at cycle "));
    ck_assert_ptr_nonnull(strstr(error.text, ": never started: brisc waits "));
    ck_assert_ptr_nonnull(strstr(error.text, "L1 word 0x100"));
    struct tensim_document *hang = tensim_document(sim, "hang", &error);
    ck_assert_ptr_nonnull(hang);
    ck_assert_uint_ge(tensim_length(hang, "edges"), 1);
    ck_assert_str_eq(tensim_text(hang, "edges/0/from"), "tile[1-2].brisc");
    ck_assert(tensim_number(hang, "edges/0/explains") == 1 &&
              tensim_number(hang, "edges/1/explains") == 0);
    ck_assert_str_eq(tensim_text(hang, "tiles/0/nodes/brisc/state"), "polls");
    ck_assert_str_eq(tensim_text(hang, "edges/0/object"), "L1 word 0x100");
    ck_assert_str_eq(tensim_text(hang, "edges/0/to"), "");
    tensim_document_free(hang);
    char *text = tensim_hang_text(sim, &error), *json = tensim_json(sim, "hang", &error);
    ck_assert_ptr_nonnull(strstr(text, "tile 1-2"));
    ck_assert_ptr_nonnull(strstr(json, "\"edges\""));
    tensim_text_free(text);
    tensim_text_free(json);
    tensim_free(sim);
}
END_TEST

START_TEST(hands_failures_back)
{
    struct tensim_error error;
    struct tensim_config config;
    tensim_config_init(&config);
    static const char *const wrong[] = {"m=33"}, *const unknown[] = {"moo=1"};
    static const char *const setting[] = {"riscv.no_such=1"};
    ck_assert_ptr_null(tensim_new_kernel("no-such", NULL, 0, NULL, &error));
    ck_assert_int_eq(error.code, TENSIM_USAGE);
    ck_assert_ptr_null(tensim_new_kernel("matmul", wrong, 1, NULL, &error));
    ck_assert_int_eq(error.code, TENSIM_USAGE);
    ck_assert_ptr_null(tensim_new_kernel("matmul", unknown, 1, NULL, NULL));
    ck_assert_ptr_null(tensim_new_scenario("/no/such.yaml", NULL, &error));
    ck_assert_int_eq(error.code, TENSIM_SETUP);
    config.settings = setting;
    config.setting_count = 1;
    ck_assert_ptr_null(tensim_new(&config, &error));
    ck_assert_int_eq(error.code, TENSIM_USAGE);
    tensim_config_init(&config);
    config.chip = "p150";
    config.tiles = &(struct tensim_xy){0, 0};
    config.tile_count = 1;
    ck_assert_ptr_null(tensim_new(&config, &error));
    ck_assert_int_eq(error.code, TENSIM_SETUP);
    struct tensim *sim = tensim_new(NULL, &error);
    uint32_t word;
    ck_assert_int_eq(tensim_read_word(sim, (struct tensim_xy){3, 3}, 0, &word, &error),
                     TENSIM_USAGE);
    ck_assert_int_eq(tensim_read(sim, tile, 0x17fffe, &word, 4, &error), TENSIM_SETUP);
    ck_assert_int_eq(tensim_load_elf(sim, tile, TENSIM_BRISC, "/no/such.elf", &error),
                     TENSIM_SETUP);
    ck_assert_int_eq(tensim_start(sim, tile, TENSIM_TRISC1, &error), TENSIM_USAGE);
    ck_assert_int_eq(tensim_start(sim, tile, TENSIM_CORES, &error), TENSIM_USAGE);
    ck_assert_int_eq(tensim_dram_read(sim, 0, 0, &word, 4, &error), TENSIM_USAGE);
    ck_assert_ptr_null(tensim_document(sim, "result", &error));
    ck_assert_int_eq(error.code, TENSIM_USAGE);
    ck_assert_ptr_null(tensim_document(sim, "no-such", &error));
    ck_assert_int_eq(error.code, TENSIM_USAGE);
    tensim_free(sim);
    tensim_free(NULL);
}
END_TEST

START_TEST(reads_the_coprocessor_and_dram)
{
    struct tensim_error error;
    struct tensim_config config;
    struct tensim_xy tiles[2] = {{1, 2}, {2, 3}}, built[4];
    tensim_config_init(&config);
    config.chip = "p100";
    config.tiles = tiles;
    config.tile_count = 2;
    struct tensim *sim = tensim_new(&config, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_uint_eq(tensim_tiles(sim, built, 4), 2);
    ck_assert_uint_eq(built[1].x, 2);
    uint32_t word = 0x12345678, back = 0;
    ck_assert_int_eq(tensim_dram_write(sim, 3, 0x1000, &word, 4, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_dram_read(sim, 3, 0x1000, &back, 4, &error), TENSIM_OK);
    ck_assert_uint_eq(back, word);
    struct tensim_semaphore semaphore;
    ck_assert_int_eq(tensim_semaphore_read(sim, tiles[1], 3, &semaphore, &error), TENSIM_OK);
    ck_assert_uint_eq(semaphore.value, 0);
    ck_assert_int_eq(tensim_semaphore_read(sim, tile, 8, &semaphore, &error), TENSIM_USAGE);
    ck_assert_int_eq(tensim_config_read(sim, tile, 0, 5, &back, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_thread_config_read(sim, tile, 3, 0, &back, &error), TENSIM_USAGE);
    tensim_free(sim);
}
END_TEST

// --- kernels, and instances in threads ---

// Everything that a kernel's run has to say, as one text.
static void *whole_run(void *settings)
{
    struct tensim_error error;
    const char *const *from = settings;
    size_t count = 0;
    while (from[count])
        count++;
    struct tensim *sim = tensim_new_kernel("matmul", from, count, NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_msg(tensim_run(sim, TENSIM_FOREVER, &error) == TENSIM_OK, "%s", error.text);
    char *stats = tensim_json(sim, "stats", &error), *verdict = tensim_json(sim, "result", &error);
    char *all = NULL;
    ck_assert_int_gt(asprintf(&all, "%s\n%s", stats, verdict), 0);
    tensim_text_free(stats);
    tensim_text_free(verdict);
    tensim_free(sim);
    return all;
}

START_TEST(two_threads_give_the_same_bytes)
{
    const char *settings[2][4] = {{"m=64", "n=32", "k=64", NULL},
                                  {"m=32", "fidelity=hifi4", "format=fp16", NULL}};
    char *before[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        before[i] = whole_run(settings[i]);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, whole_run, settings[i]), 0);
    for (int i = 0; i < 2; i++) {
        void *after;
        pthread_join(threads[i], &after);
        ck_assert_str_eq(before[i], after);
        free(after);
        free(before[i]);
    }
}
END_TEST

START_TEST(a_kernel_has_a_verdict_stats_and_a_trace)
{
    static const char *const settings[] = {"m=32", "n=32", "k=64"};
    char path[] = "/tmp/tensim-trace-XXXXXX";
    int file = mkstemp(path);
    close(file);
    struct tensim_error error;
    struct tensim *sim = tensim_new_kernel("matmul", settings, 3, NULL, &error);
    ck_assert_ptr_null(tensim_document(sim, "result", &error));
    ck_assert_int_eq(error.code, TENSIM_USAGE);
    ck_assert_int_eq(tensim_trace(sim, path, 0, TENSIM_FOREVER, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_run(sim, 100, &error), TENSIM_LIMIT);
    ck_assert_int_eq(tensim_run(sim, TENSIM_FOREVER, &error), TENSIM_OK);
    ck_assert(tensim_progress(sim) == 1);
    ck_assert_int_eq(tensim_trace(sim, path, 0, 1, &error), TENSIM_USAGE);
    ck_assert_int_eq(tensim_trace_end(sim, &error), TENSIM_OK);
    ck_assert_int_eq(access(path, R_OK), 0);
    unlink(path);
    struct tensim_document *result = tensim_document(sim, "result", &error),
                           *stats = tensim_document(sim, "stats", &error),
                           *lints = tensim_document(sim, "lints", &error);
    ck_assert(tensim_number(result, "pcc") > 0.99 && tensim_number(result, "cycles") > 0);
    ck_assert_str_eq(tensim_text(result, "what/unit"), "product");
    double sum = tensim_number(stats, "units/tile[1-2].matrix/busy") +
                 tensim_number(stats, "units/tile[1-2].matrix/idle");
    static const char *const reasons[] = {
#define TS_STALL(id, name, text, color) "units/tile[1-2].matrix/stall/" name,
#include "config/stall.def"
    };
    for (size_t i = 1; i < sizeof reasons / sizeof *reasons; i++)
        sum += tensim_number(stats, reasons[i]);
    ck_assert_uint_gt((uint64_t)sum, 0);
    ck_assert_uint_eq((uint64_t)sum, (uint64_t)tensim_number(stats, "run/span_cycles"));
    ck_assert_uint_gt(tensim_length(stats, "units/tile[1-2].matrix/counters"), 0);
    ck_assert_uint_eq(tensim_length(lints, ""), 0);
    tensim_document_free(result);
    tensim_document_free(stats);
    tensim_document_free(lints);
    tensim_free(sim);
}
END_TEST

// A core that the host releases and holds again between two runs: its cycles add up without another run.
START_TEST(stats_go_up_to_what_the_host_held)
{
    struct tensim_error error;
    struct tensim *sim = tensim_new(NULL, &error);
    ck_assert_int_eq(tensim_run_for(sim, 1000, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_run_for(sim, 2000, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_set_start(sim, tile, TENSIM_NCRISC, 0, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_start(sim, tile, TENSIM_NCRISC, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_hold(sim, tile, TENSIM_NCRISC, &error), TENSIM_OK);
    struct tensim_document *stats = tensim_document(sim, "stats", &error);
    ck_assert_uint_eq((uint64_t)tensim_number(stats, "run/span_cycles"), 3000);
    ck_assert_uint_eq((uint64_t)tensim_number(stats, "units/tile[1-2].ncrisc/idle"), 3000);
    ck_assert_uint_eq((uint64_t)tensim_number(stats, "units/tile[1-2].ncrisc/busy"), 0);
    tensim_document_free(stats);
    tensim_free(sim);
}
END_TEST

static void interrupt(void *context)
{
    tensim_interrupt(context, 15);
}

START_TEST(an_interrupt_ends_a_run)
{
    static const uint32_t counts[] = {0x00150513, 0xffdff06f}; // addi a0, a0, 1; j -4
    struct tensim_error error;
    struct tensim *sim = polling();
    tensim_write(sim, tile, 0, counts, sizeof counts, &error);
    tensim_on_progress(sim, interrupt, sim);
    tensim_run_for(sim, 5000, &error);
    ck_assert_int_eq((int)tensim_run_for(sim, 5000, &error), TENSIM_INTERRUPTED + 15);
    ck_assert_int_eq(tensim_stopped(sim), TENSIM_STOP_INTERRUPTED);
    tensim_on_progress(sim, NULL, NULL);
    tensim_run_for(sim, 1, &error);
    ck_assert_int_eq(tensim_run_for(sim, 5000, &error), TENSIM_OK);
    tensim_free(sim);
}
END_TEST

START_TEST(a_scenario_runs_its_script)
{
    char path[] = "/tmp/tensim-scenario-XXXXXX";
    int file = mkstemp(path);
    static const char text[] =
        "tiles:\n  1-2:\n    load: [{address: 0, words: [0x10002503, 0xfe050ee3, 0x10a02223, "
        "0x00100073]}]\n    brisc: {pc: 0}\nscript:\n  - release: [brisc]\n  - run: 100\n"
        "  - write: {address: 0x100, words: [9]}\n"
        "  - until: {l1: 0x104, is: 9, limit: 1000}\n"
        "  - compare: {address: 0x104, words: [8]}\n";
    ck_assert_int_eq(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    struct tensim_error error;
    struct tensim *sim = tensim_new_scenario(path, NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_int_eq(tensim_run(sim, TENSIM_FOREVER, &error), TENSIM_DIFFERS);
    ck_assert_ptr_nonnull(strstr(error.text, ":10:"));
    ck_assert_int_eq(tensim_run(sim, TENSIM_FOREVER, &error), TENSIM_USAGE);
    tensim_free(sim);
    unlink(path);
}
END_TEST

// --- program files ---

static struct tensim *new_matmul(const char *const *settings, size_t count, const char *error_text)
{
    struct tensim_error error;
    struct tensim *sim = tensim_new_program("matmul", settings, count, NULL, &error);
    if (error_text)
        ck_assert_msg(sim == NULL && strstr(error.text, error_text), "%s", error.text);
    else
        ck_assert_msg(sim != NULL, "%s", error.text);
    return sim;
}

// NumPy's file of a matrix, all of whose elements are `value`.
static void write_npy(const char *path, unsigned rows, unsigned columns, float value)
{
    char header[200];
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    int length = snprintf(header, sizeof header,
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u), }", rows,
                          columns);
    fprintf(file, "\x93NUMPY%c%c%c%c%-117s\n", 1, 0, 118, 0, header);
    ck_assert_int_lt(length, 117);
    for (unsigned i = 0; i < rows * columns; i++)
        fwrite(&value, sizeof value, 1, file);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_program_has_tensors)
{
    char setting[80];
    snprintf(setting, sizeof setting, "a=/tmp/tensim-one-%d.npy", (int)getpid());
    const char *path = setting + 2;
    const char *settings[] = {"m=32", "n=64", "k=32", "cores=1x1", "chip=p100", setting};
    const char *bad[] = {"a=ones"}, *gone[] = {"a=nowhere.npy"}, *wrong[] = {"colour=one.npy"};
    struct tensim_error error;
    struct tensim_tensor tensors[4];
    static double b[32 * 64], c[32 * 64];
    write_npy(path, 32, 32, 1);
    struct tensim *sim = new_matmul(settings, 6, NULL);
    ck_assert_uint_eq(tensim_tensors(sim, tensors, 4), 3);
    ck_assert_str_eq(tensors[2].name, "c");
    ck_assert_str_eq(tensors[2].format, "bf16");
    ck_assert(tensors[0].filled && !tensors[2].filled && !tensors[2].checked);
    ck_assert(tensors[2].dimensions == 2 && tensors[2].shape[0] == 32 && tensors[2].shape[1] == 64);
    ck_assert_int_eq(tensim_run(sim, TENSIM_FOREVER, &error), TENSIM_OK);
    tensim_tensors(sim, tensors, 4);
    ck_assert(tensors[2].checked && tensors[2].right);
    ck_assert_int_eq(tensim_tensor_read(sim, "b", b, 32 * 64, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_tensor_read(sim, "c", c, 32 * 64, &error), TENSIM_OK);
    double sum = 0; // of a column of b: what a row of ones makes of it
    for (unsigned row = 0; row < 32; row++)
        sum += b[row * 64 + 5];
    ck_assert_msg(fabs(c[7 * 64 + 5] - sum) < 0.1, "%g, not %g", c[7 * 64 + 5], sum);
    ck_assert_int_eq(tensim_tensor_read(sim, "c", c, 32, &error), TENSIM_USAGE);
    ck_assert_int_eq(tensim_tensor_read(sim, "d", c, 32, &error), TENSIM_USAGE);
    tensim_free(sim);
    new_matmul(bad, 1, "the contents of a tensor are an .npy file");
    new_matmul(gone, 1, "nowhere.npy");
    new_matmul(wrong, 1, "the file has no such parameter");
    write_npy(path, 32, 32, NAN);
    new_matmul(settings, 6, "values are NaN");
    unlink(path);
}
END_TEST

START_TEST(a_kernel_on_cores_is_a_program)
{
    const char *settings[] = {"m=64", "n=64", "cores=2x1", "chip=p100"};
    struct tensim_error error;
    struct tensim_tensor tensor;
    struct tensim *sim = tensim_new_kernel("eltwise", settings, 4, NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_uint_eq(tensim_tiles(sim, NULL, 0), 2);
    ck_assert_uint_gt(tensim_tensors(sim, &tensor, 1), 1);
    ck_assert_int_eq(tensim_run(sim, TENSIM_FOREVER, &error), TENSIM_OK);
    char *text = tensim_prints_text(sim, &error);
    ck_assert_str_eq(text, "");
    tensim_text_free(text);
    tensim_free(sim);
    settings[0] = "colour=1";
    ck_assert_ptr_null(tensim_new_kernel("eltwise", settings, 4, NULL, &error));
    ck_assert_int_eq(error.code, TENSIM_USAGE);
    settings[0] = "strict"; // of any run
    sim = tensim_new_kernel("eltwise", settings, 4, NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    tensim_free(sim);
}
END_TEST

// Tiles of another chip: the same places as on chip 0, other bytes. Nothing acts on chip 0 that is about chip 1.
START_TEST(chips_of_a_system)
{
    struct tensim_error error;
    struct tensim_xy eth, none = {5, 5};
    struct tensim_core_state core;
    struct tensim_site site;
    struct tensim_semaphore semaphore;
    const uint32_t mark = 0x5eed;
    uint32_t word = 0;
    uint64_t at = 0;
    struct tensim *sim = tensim_new_scenario(TENSIM_GUEST "/echo.yaml", NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_uint_eq(tensim_chips(sim), 2);
    ck_assert_int_eq(tensim_choose_chip(sim, 2, &error), TENSIM_USAGE);
    ck_assert_str_eq(error.text, "there is no chip 2: there are 2");
    ck_assert_int_eq(tensim_choose_chip(sim, 1, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_eth(sim, 5, &eth, &error), TENSIM_USAGE);
    ck_assert_str_eq(error.text, "chip 1 has no Ethernet tile 5 here");
    ck_assert_int_eq(tensim_eth(sim, 0, &eth, &error), TENSIM_OK);
    ck_assert_uint_eq(tensim_tiles(sim, NULL, 0), 1);
    ck_assert_int_eq(tensim_write(sim, eth, 0x40000, &mark, 4, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_dram_write(sim, 3, 0x1000, &mark, 4, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_site(sim, eth, &site, &error), TENSIM_OK);
    ck_assert_int_eq(site.kind, TENSIM_SITE_ETHERNET);
    ck_assert_int_eq(tensim_read_word(sim, none, 0, &word, &error), TENSIM_USAGE);
    ck_assert_str_eq(error.text, "there is no tile 5-5 on chip 1");
    ck_assert_int_eq(tensim_start(sim, eth, TENSIM_TRISC1, &error), TENSIM_USAGE);
    ck_assert_msg(strstr(error.text, "an Ethernet tile has no trisc1"), "%s", error.text);
    ck_assert_int_eq(tensim_semaphore_read(sim, eth, 0, &semaphore, &error), TENSIM_USAGE);
    ck_assert_int_eq(tensim_choose_chip(sim, 0, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_read_word(sim, eth, 0x40000, &word, &error), TENSIM_OK);
    ck_assert_uint_eq(word, 0);
    ck_assert_int_eq(tensim_dram_read(sim, 3, 0x1000, &word, 4, &error), TENSIM_OK);
    ck_assert_uint_eq(word, 0);
    // Both ends start by hand; the receiver's end is on chip 1.
    ck_assert_int_eq(tensim_start(sim, eth, TENSIM_BRISC, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_choose_chip(sim, 1, &error), TENSIM_OK);
    ck_assert_int_eq(tensim_start(sim, eth, TENSIM_BRISC, &error), TENSIM_OK);
    struct tensim_until until = {
        .tile = eth, .address = 0x18000, .value = 0x600dd04e, .cycles = 100000};
    ck_assert_msg(tensim_run_until(sim, &until, &at, &error) == TENSIM_OK, "%s", error.text);
    ck_assert_int_eq(tensim_read_word(sim, eth, 0x1b400, &word, &error), TENSIM_OK);
    ck_assert_uint_eq(word, 0x600dda7a); // it came over the link
    ck_assert_int_eq(tensim_core_read(sim, eth, TENSIM_BRISC, &core, &error), TENSIM_OK);
    ck_assert_uint_gt(core.instructions, 1000);
    ck_assert_int_eq(tensim_read_word(sim, eth, 0x40000, &word, &error), TENSIM_OK);
    ck_assert_uint_eq(word, mark);
    ck_assert_int_eq(tensim_dram_read(sim, 3, 0x1000, &word, 4, &error), TENSIM_OK);
    ck_assert_uint_eq(word, mark);
    tensim_free(sim);
    sim = polling(); // one tile alone
    ck_assert_uint_eq(tensim_chips(sim), 1);
    ck_assert_int_eq(tensim_choose_chip(sim, 1, &error), TENSIM_USAGE);
    tensim_free(sim);
}
END_TEST

// Tensors and verdicts of each chip.
START_TEST(a_program_on_a_system)
{
    struct tensim_error error;
    struct tensim_tensor tensors[8];
    struct tensim *sim = tensim_new_program("chips-all-gather", NULL, 0, NULL, &error);
    ck_assert_msg(sim != NULL, "%s", error.text);
    ck_assert_msg(tensim_run(sim, TENSIM_FOREVER, &error) == TENSIM_OK, "%s", error.text);
    for (uint32_t chip = 0; chip < tensim_chips(sim); chip++) {
        ck_assert_int_eq(tensim_choose_chip(sim, chip, &error), TENSIM_OK);
        struct tensim_document *result = tensim_document(sim, "result", &error);
        ck_assert(tensim_number(result, "cycles") > 1000);
        tensim_document_free(result);
        ck_assert_uint_ge(tensim_tiles(sim, NULL, 0), 2); // a worker, an Ethernet tile
        size_t count = tensim_tensors(sim, tensors, 8), checked = 0;
        for (size_t i = 0; i < count; i++) {
            checked += tensors[i].checked;
            ck_assert(!tensors[i].checked || tensors[i].right);
        }
        ck_assert_uint_ge(checked, 1);
    }
    tensim_free(sim);
}
END_TEST

// What a file may not do without permission is an error value (platform/cli/TRUST.md): nobody is asked.
START_TEST(asks_nobody)
{
    struct tensim_error error = {0};
    struct tensim_config config;
    tensim_config_init(&config);
    char name[] = "/tmp/tensim-test-XXXXXX", path[64], command[200];
    ck_assert_ptr_nonnull(mkdtemp(name));
    snprintf(path, sizeof path, "%s/p.yaml", name);
    snprintf(command, sizeof command,
             "cd %s && echo 'void kernel_main() {}' > k.cpp && echo 'kernels: [{source: k.cpp, on: "
             "brisc, compiler: ./x}]' > p.yaml",
             name);
    ck_assert_int_eq(system(command), 0);
    ck_assert_ptr_null(tensim_new_program(path, NULL, 0, &config, &error));
    ck_assert_int_eq(error.code, TENSIM_SETUP);
    ck_assert_msg(strstr(error.text, "--allow=compiler"), "%s", error.text);
    config.allow = "compiler,save";
    ck_assert_ptr_null(tensim_new_program(path, NULL, 0, &config, &error));
    ck_assert_msg(strstr(error.text, "not installed"), "%s", error.text);
    config.allow = "everything";
    ck_assert_ptr_null(tensim_new_program(path, NULL, 0, &config, &error));
    ck_assert_int_eq(error.code, TENSIM_USAGE);
    snprintf(command, sizeof command, "rm -r %s", name);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(costs_are_kept)
{
    static const char *const settings[] = {"m=32", "n=32", "k=64"}, *const wrong[] = {"q=1"};
    char store[] = "/tmp/tensim-cost-XXXXXX";
    struct tensim_error error = {0};
    close(mkstemp(store));
    for (unsigned i = 0; i < 2; i++) { // by a run, from the store
        struct tensim_document *cost = tensim_cost("llk/matmul", settings, 3, NULL, store, &error);
        ck_assert_msg(cost != NULL, "%s", error.text);
        ck_assert_double_gt(tensim_number(cost, "cycles"), 100);
        ck_assert_str_eq(tensim_text(cost, "settings/k"), "64");
        ck_assert_double_ge(tensim_number(cost, "margin/p90"),
                            tensim_number(cost, "margin/median"));
        tensim_document_free(cost);
    }
    ck_assert_ptr_null(tensim_cost("llk/matmul", wrong, 1, NULL, store, &error));
    ck_assert_msg(strstr(error.text, "no parameter 'q'"), "%s", error.text);
    ck_assert_ptr_null(tensim_cost("nothing", NULL, 0, NULL, store, &error));
    ck_assert_int_eq(error.code, TENSIM_SETUP);
    ck_assert_ptr_null(tensim_cost("llk/matmul", settings, 3, NULL, "/no/such/folder", &error));
    ck_assert_int_eq(error.code, TENSIM_SETUP);
    unlink(store);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, costs_are_kept);
    tcase_add_test(tests, asks_nobody);
    tcase_add_test(tests, a_program_has_tensors);
    tcase_add_test(tests, a_kernel_on_cores_is_a_program);
    tcase_add_test(tests, runs_until_a_word_has_a_value);
    tcase_add_test(tests, explains_a_hang);
    tcase_add_test(tests, hands_failures_back);
    tcase_add_test(tests, reads_the_coprocessor_and_dram);
    tcase_add_test(tests, two_threads_give_the_same_bytes);
    tcase_add_test(tests, a_kernel_has_a_verdict_stats_and_a_trace);
    tcase_add_test(tests, stats_go_up_to_what_the_host_held);
    tcase_add_test(tests, an_interrupt_ends_a_run);
    tcase_add_test(tests, a_scenario_runs_its_script);
    tcase_add_test(tests, chips_of_a_system);
    tcase_add_test(tests, a_program_on_a_system);
}

SUITE("library", add_tests)
