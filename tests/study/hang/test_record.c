// Recordings of runs: exploring the operations of the gallery's programs gives the gallery's
// verdict; built-in kernels are proved free of deadlock.
#include "platform/study/explore/explore.h"
#include "platform/study/hang/program.h"
#include "tests/folder.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool deadlocks;
    const char *has; // an operation of the recording
} rows[] = {
    {"g01-lost-semget", true, "until: {semaphore: unpack_operand_sync, is: 0}"},
    {"g01-repaired", false, "until: {semaphore: unpack_operand_sync, is: 2}"},
    {"g02-commits-without-releases", true, "SEMPOST sem_sel=2"},
    {"g02-repaired", false, "sem_sel=2 wait_sem_cond=1"},
    {"g08-unpack-without-consumer", true, "UNPACR_NOP "},
    {"g08-repaired", false, "SETRWC clear_ab_vld=1"},
    {"g13-unpack-sync-wedged", true, "until: {semaphore: unpack_sync, below: 2}"},
    {"g15-extra-wait", true, "cb_wait_front: {buffer: in, pages: 3}"},
    {"g15-repaired", false, "cb_push_back: {buffer: in, pages: 1}"},
    {"g16-never-drained", true, "cb_reserve_back: {buffer: mask, pages: 1}"},
    {"g16-repaired", false, "cb_pop_front: {buffer: mask, pages: 1}"},
    {"mutex-cycle", true, "ATGETM mutex_index=3"},
    {"mutex-repaired", false, "ATRELM mutex_index=2"},
    {"mailbox-cycle", true, "read: trisc1"},
    {"mailbox-repaired", false, "mail: trisc1"},
};

// Runs a program, and searches all orders of its recording: the two verdicts.
struct verdicts {
    enum ts_code run, search;
    char *recording; // to be freed
};

static struct verdicts record_and_search(struct ts_hang_program *program, const char *name)
{
    struct verdicts self;
    struct ts_explore_program *explored = calloc(1, sizeof *explored);
    struct ts_error error = {0};
    size_t size = 0;
    struct ts_hang_recording recording = {.file = open_memstream(&self.recording, &size)};
    program->recording = &recording;
    struct ts_tile_config config = ts_tile_config_default();
    struct ts_hang_outcome outcome;
    ts_hang_program_run(program, &config, 1000000, &outcome);
    fclose(recording.file);
    self.run = outcome.code;
    ck_assert_msg(ts_explore_load(explored, name, self.recording, &error), "%s\n%s", error.text,
                  self.recording);
    struct ts_explore_options options = {.max_states = 1000000};
    struct ts_explore_result result = ts_explore_search(explored, &options);
    self.search = result.code;
    ts_explore_result_free(&result);
    ts_hang_outcome_free(&outcome);
    ts_explore_free(explored);
    free(explored);
    return self;
}

START_TEST(recorded)
{
    struct ts_hang_program *program = malloc(sizeof *program);
    struct ts_error error = {0};
    char path[256];
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/config/gallery/%s.yaml", rows[_i].name);
    ck_assert_msg(ts_hang_program_read(program, path, NULL, NULL, &error), "%s", error.text);
    struct verdicts got = record_and_search(program, rows[_i].name);
    ck_assert_msg(strstr(got.recording, rows[_i].has) != NULL, "%s:\n%s", rows[_i].name,
                  got.recording);
    ck_assert_msg(got.search == (rows[_i].deadlocks ? TS_HANG : TS_OK), "%s: %d\n%s", rows[_i].name,
                  (int)got.search, got.recording);
    free(got.recording);
    free(program);
}
END_TEST

// The banks of Src that a matrix word waits for, and those that it returns to the unpackers.
enum { NONE, A, B, AB };
static const struct {
    const char *word;
    unsigned needs, returns;
} banks[] = {
    {"MVMUL", AB, NONE},
    {"MVMUL clear_dvalid=3", AB, AB},
    {"DOTPV", AB, NONE},
    {"DOTPV clear_dvalid=1", AB, A},
    {"DOTPV clear_dvalid=2", AB, B},
    {"ELWADD clear_dvalid=3", AB, AB},
    {"GAPOOL clear_dvalid=1", AB, A},
    {"SHIFTXA shift_mode=2", A, NONE},
    {"SHIFTXB", B, NONE},
    {"TRNSPSRCB", B, NONE},
    {"MOVA2D", A, NONE},
    {"MOVB2D", B, NONE},
    {"MOVB2A", B, NONE},
    {"SETRWC clear_ab_vld=2", NONE, B},
    {"ZEROSRC", NONE, NONE},
};

// An unpacker fills a bank that nobody waits for before it stalls on the third: there are two of each Src. With fewer
// banks than the word needs, and with a third of a Src that it does not return, the run and the search hang.
static void run_word(struct ts_hang_program *program, const char *word, unsigned given,
                     unsigned thrice, bool hangs)
{
    char text[1000];
    struct ts_error error = {0};
    int used = snprintf(text, sizeof text, "cores:\n  trisc0:\n");
    for (unsigned bank = 0; bank < 2; bank++)
        for (unsigned i = 0; i < (thrice >> bank & 1 ? 3 : given >> bank & 1); i++)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "    - tt: UNPACR_NOP unpacker_select=%u set_dvalid=1 "
                             "stall_clr_cntrl=1 unpack_pop=1\n",
                             bank);
    snprintf(text + used, sizeof text - (size_t)used,
             "    - sync: tensix\n  trisc1:\n"
             "    - tt: STALLWAIT stall_res=0x40 wait_res=0x%x\n    - tt: %s\n    - sync: tensix\n",
             (given & A ? 0x80 : 0) | (given & B ? 0x100 : 0), word);
    ck_assert_msg(ts_hang_program_read(program, "word", text, NULL, &error), "%s", error.text);
    struct verdicts got = record_and_search(program, "word");
    enum ts_code expected = hangs ? TS_HANG : TS_OK;
    ck_assert_msg(got.run == expected && got.search == expected, "run %d, search %d\n%s\n%s",
                  (int)got.run, (int)got.search, text, got.recording);
    free(got.recording);
}

START_TEST(word_banks)
{
    struct ts_hang_program *program = malloc(sizeof *program);
    for (unsigned set = 0; set <= AB; set++) {
        run_word(program, banks[_i].word, set, NONE, banks[_i].needs & ~set);
        run_word(program, banks[_i].word, AB, set, set & ~banks[_i].returns);
    }
    free(program);
}
END_TEST

// Built-in kernels on one tile are proved free of deadlock, with nothing that can be lost. Their
// searches are hardly longer than their programs.
static const char *const kernels[] = {
    "matmul",
    "matmul -M 64 -N 96 -K 256 --blocks 2",
    "matmul -K 512 -F hifi4 -T 3",
    "matmul -d 32 --blocks 4 -K 256",
    "eltwise",
    "eltwise --op mul --broadcast col",
    "reduce",
    "reduce --op max -M 256",
    "norm --op softmax",
    "norm --op softmax -M 256 -N 256",
    "norm --op rmsnorm",
    "sfpu --op gelu",
    "transpose",
    "tilize",
    "untilize",
};

START_TEST(kernel)
{
    char path[64], command[400];
    folder_make();
    snprintf(path, sizeof path, "%s/k.yaml", folder);
    snprintf(command, sizeof command, "%s %s -q --timing-only --record %s", TENSIM_BINARY,
             kernels[_i], path);
    ck_assert_msg(system(command) == 0, "%s", command);
    struct ts_explore_program *explored = calloc(1, sizeof *explored);
    struct ts_error error = {0};
    ck_assert_msg(ts_explore_load(explored, path, NULL, &error), "%s", error.text);
    struct ts_explore_result result = ts_explore_search(explored, &(struct ts_explore_options){0});
    unsigned total = 0;
    ck_assert_msg(result.code == TS_OK, "%s: %d", kernels[_i], (int)result.code);
    for (unsigned t = 0; t < explored->threads; t++)
        for (unsigned i = 0; i < explored->thread[t].count; i++, total++)
            for (unsigned k = 0; k < TS_LOST_KINDS; k++)
                ck_assert_msg(result.lost[t][i][k] == 0, "%s: %s can lose %s", kernels[_i],
                              explored->thread[t].name, explored->thread[t].op[i].text);
    ck_assert_msg(result.states < 2 * total, "%s: %llu states for %u operations", kernels[_i],
                  (unsigned long long)result.states, total);
    // The waits of the cores are in it.
    snprintf(command, sizeof command,
             "grep -q 'cb_wait_front: {buffer: c_0,' %s && grep -q 'cb_reserve_back: {buffer: "
             "c_16,' %s && ! grep -q understood %s",
             path, path, path);
    ck_assert_msg(system(command) == 0, "%s", command);
    folder_remove();
    ts_explore_result_free(&result);
    ts_explore_free(explored);
    free(explored);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, kernel, 0, (int)(sizeof kernels / sizeof *kernels));
    tcase_add_loop_test(tests, recorded, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_loop_test(tests, word_banks, 0, (int)(sizeof banks / sizeof *banks));
}

SUITE("record", add_tests)
