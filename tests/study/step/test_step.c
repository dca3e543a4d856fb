// tensim step: the RWC trace of a tile, values of instructions, waits, refusals; all examples run.
#include "platform/study/step/step.h"
#include "tests/seeds/rwc_trace.h"
#include "tests/suite.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXAMPLES TENSIM_SOURCE_DIR "/config/step/"
#define LIMIT    1000000

static struct ts_step_program program;

static const struct ts_machine *machine = ts_machines;

static void load(const char *path)
{
    struct ts_error error = {0};
    ck_assert_msg(ts_step_read(&program, path, machine, &error), "%s", error.text);
}

static struct ts_step run(void)
{
    struct ts_step step;
    struct ts_tile_config config = ts_tile_config_default();
    config.run_ahead = false;
    config.machine = machine;
    ts_step_run(&step, &program, &config, true, LIMIT);
    return step;
}

static struct ts_step run_text(const char *text)
{
    char path[] = "/tmp/stepXXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    load(path);
    unlink(path);
    return run();
}

static double value(const struct ts_step_row *row, const char *what, int number, unsigned column)
{
    for (size_t i = 0; i < json_array_size(row->values); i++) {
        const json_t *entry = json_array_get(row->values, i);
        if (strcmp(json_string_value(json_object_get(entry, "what")), what) == 0 &&
            json_integer_value(json_object_get(entry, "row")) == number)
            return json_real_value(json_array_get(json_object_get(entry, "values"), column));
    }
    return NAN;
}

static bool changed(const struct ts_step_row *row, const char *text)
{
    for (size_t i = 0; i < json_array_size(row->changes); i++)
        if (strcmp(json_string_value(json_array_get(row->changes, i)), text) == 0)
            return true;
    return false;
}

START_TEST(rwc_trace_is_the_documents)
{
    load(EXAMPLES "rwc-trace.yaml");
    struct ts_step step = run();
    ck_assert_int_eq(step.code, TS_OK);
    ck_assert_uint_eq(step.count, 16);
    for (unsigned i = 0; i < 16; i++) {
        const struct ts_step_row *row = &step.rows[i];
        char rows[96];
        snprintf(rows, sizeof rows, "SrcB[%u..%u], SrcA[%u..%u] -> Dst[%u..%u]", rwc_trace[i].srcb,
                 rwc_trace[i].srcb + 7, rwc_trace[i].srca, rwc_trace[i].srca + 15, rwc_trace[i].dst,
                 rwc_trace[i].dst + 7);
        ck_assert_str_eq(row->rows, rows);
        ck_assert_uint_eq(ts_decode_MVMUL(row->word).addr_mode, rwc_trace[i].addr_mod);
        const unsigned is[] = {row->rwc.srca, row->rwc.srca_cr, row->rwc.srcb,    row->rwc.srcb_cr,
                               row->rwc.dst,  row->rwc.dst_cr,  row->rwc.fidelity};
        ck_assert_msg(memcmp(is, &rwc_trace[i].a, sizeof is) == 0, "counters after MVMUL %u",
                      i + 1);
        // What the counters say is what is written.
        snprintf(rows, sizeof rows, "Dst rows %u-%u", rwc_trace[i].dst, rwc_trace[i].dst + 7);
        ck_assert_msg(changed(row, rows), "MVMUL %u: %s", i + 1, rows);
        ck_assert_uint_eq(row->cycle, step.rows[0].cycle + i);
    }
    ts_step_free(&step);
}
END_TEST

// The models of document 003, in numbers.
START_TEST(instructions_of_the_matrix_unit)
{
    load(EXAMPLES "mvmul.yaml");
    struct ts_step step = run();
    ck_assert_double_eq(value(&step.rows[0], "Dst", 3, 4), 2 * 3.5);
    ck_assert_double_eq(value(&step.rows[1], "Dst", 3, 4), 4 * 3.5);
    ck_assert(changed(&step.rows[1], "SrcA bank 0: to the unpacker"));
    ck_assert(changed(&step.rows[1], "matrix unit uses bank 1 of SrcB"));
    ts_step_free(&step);
    load(EXAMPLES "fidelity.yaml");
    step = run();
    const double product = 1.9921875 * 1.9921875;
    ck_assert(value(&step.rows[0], "Dst", 0, 0) < value(&step.rows[1], "Dst", 0, 0));
    ck_assert(value(&step.rows[2], "Dst", 0, 0) < product);
    ck_assert_double_eq(value(&step.rows[3], "Dst", 0, 0), product);
    ts_step_free(&step);
    load(EXAMPLES "elwadd.yaml");
    step = run();
    ck_assert_double_eq(value(&step.rows[0], "Dst", 2, 3), 2 + 23);
    ck_assert_double_eq(value(&step.rows[1], "Dst", 10, 3), 2 + 20);
    ck_assert_double_eq(value(&step.rows[2], "Dst", 18, 3), 2 + 3);
    ck_assert_double_eq(value(&step.rows[3], "Dst", 26, 3), 2 + 0);
    ck_assert_double_eq(value(&step.rows[4], "Dst", 2, 3), 2 * (2 + 23));
    ts_step_free(&step);
    load(EXAMPLES "elwsub.yaml");
    step = run();
    ck_assert_double_eq(value(&step.rows[0], "Dst", 4, 7), 40 - 7);
    ts_step_free(&step);
    load(EXAMPLES "elwmul.yaml");
    step = run();
    ck_assert_double_eq(value(&step.rows[1], "Dst", 0, 2), 2 * 1.9921875);
    ts_step_free(&step);
    load(EXAMPLES "gmpool.yaml");
    step = run();
    ck_assert(changed(&step.rows[0], "Dst undefined, rows 0-1023"));
    ck_assert_double_eq(value(&step.rows[1], "Dst", 0, 0), 7);
    ts_step_free(&step);
    load(EXAMPLES "zeroacc.yaml");
    step = run();
    ck_assert(changed(&step.rows[1], "Dst undefined, rows 32-47"));
    ck_assert(changed(&step.rows[2], "Dst undefined, rows 512-1023"));
    ck_assert_uint_eq(step.rows[3].rwc.dst, 32); // the last two apply no ADDR_MOD
    ts_step_free(&step);
    load(EXAMPLES "zerosrc.yaml");
    step = run();
    ck_assert(changed(&step.rows[0], "SrcA bank 0 rows 0-63"));
    ts_step_free(&step);
    load(EXAMPLES "movb2d.yaml");
    step = run();
    ck_assert_double_eq(value(&step.rows[1], "Dst", 15, 8), 2.5);
    ck_assert_double_eq(value(&step.rows[2], "Dst", 19, 0), 7);
    ck_assert_uint_eq(step.rows[3].waited, 3);
    ts_step_free(&step);
    load(EXAMPLES "movd2a.yaml");
    step = run();
    ck_assert_double_eq(value(&step.rows[1], "SrcA[0]", 11, 0), 7);
    ck_assert_double_eq(value(&step.rows[2], "SrcB[0]", 19, 0), 11);
    ts_step_free(&step);
}
END_TEST

START_TEST(counters)
{
    load(EXAMPLES "setrwc.yaml");
    struct ts_step step = run();
    ck_assert(step.rows[1].rwc.srca == 12 && step.rows[1].rwc.srca_cr == 8);
    ck_assert(step.rows[2].rwc.srca == 9 && step.rows[2].rwc.srca_cr == 9);
    ck_assert(step.rows[3].rwc.srca == 17 && step.rows[3].rwc.dst == 3);
    ck_assert(step.rows[4].rwc.dst == 11 && step.rows[4].rwc.dst_cr == 11);
    ck_assert(step.rows[5].rwc.dst == 11); // SET_F does not touch Dst
    ts_step_free(&step);
    load(EXAMPLES "adc.yaml");
    step = run();
    ck_assert(changed(&step.rows[0], "ADC T2 PACK channel 1 X 0 -> 15"));
    ck_assert(changed(&step.rows[2], "ADC T2 PACK channel 0 Y 3 -> 4"));
    ck_assert(changed(&step.rows[4], "ADC T2 PACK channel 0 Y 4 -> 0"));
    ts_step_free(&step);
}
END_TEST

START_TEST(unpack_and_pack)
{
    load(EXAMPLES "unpack.yaml");
    struct ts_step step = run();
    ck_assert(changed(&step.rows[1], "SrcA bank 0 rows 0-63"));
    ck_assert(changed(&step.rows[1], "SrcA bank 0: to the matrix unit"));
    ck_assert_double_eq(value(&step.rows[1], "SrcA[0]", 3, 5), 53);
    ts_step_free(&step);
    load(EXAMPLES "pack.yaml");
    step = run();
    ck_assert(changed(&step.rows[1], "ADC T2 PACK channel 0 Y 0 -> 4"));
    ck_assert(changed(&step.rows[1], "L1 0x30000 to 0x3007f"));
    ck_assert(changed(&step.rows[4], "L1 0x30180 to 0x301ff"));
    ts_step_free(&step);
}
END_TEST

START_TEST(waits)
{
    load(EXAMPLES "dst-hazard.yaml");
    struct ts_step step = run();
    ck_assert(step.rows[1].waited == 5 && step.rows[1].reason == TS_STALL_DST_HAZARD);
    for (unsigned i = 5; i < 12; i++)
        ck_assert_uint_eq(step.rows[i].waited, 0);
    ts_step_free(&step);
    load(EXAMPLES "semaphores.yaml");
    step = run();
    ck_assert(changed(&step.rows[2], "semaphore 1: 0 -> 1 (max 2)"));
    ck_assert_int_eq(step.rows[3].reason, TS_STALL_SEMAPHORE_ZERO);
    ts_step_free(&step);
    step = run_text("- ZEROACC clear_mode=6\n"); // one bit more than the field has
    ck_assert_int_eq(step.code, TS_OK);
    ck_assert_uint_eq(json_array_size(step.lints), 1);
    ts_step_free(&step);
    step = run_text("- MVMUL\n"); // nobody hands over a bank
    ck_assert_int_eq(step.code, TS_HANG);
    ck_assert_msg(strstr(step.text, "src_not_valid") != NULL, "%s", step.text);
    ts_step_free(&step);
    step = run_text("cores:\n  trisc0:\n    - TTI_SETC16(12, 5)\n    - 0xb20d0007\n"
                    "    - ttsetc16 14,9\n");
    ck_assert(changed(&step.rows[0], "ADDR_MOD_AB_SEC0_SrcAIncr 0 -> 5"));
    ck_assert(changed(&step.rows[1], "ADDR_MOD_AB_SEC1_SrcAIncr 0 -> 7"));
    ck_assert(changed(&step.rows[2], "ADDR_MOD_AB_SEC2_SrcAIncr 0 -> 9"));
    ts_step_free(&step);
}
END_TEST

START_TEST(examples_run)
{
    glob_t files;
    ck_assert_int_eq(glob(EXAMPLES "*.yaml", 0, NULL, &files), 0);
    ck_assert_uint_ge(files.gl_pathc, 16);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        load(files.gl_pathv[i]);
        struct ts_step step = run();
        ck_assert_msg(step.code == TS_OK && step.count > 0, "%s: %s", files.gl_pathv[i], step.text);
        ts_step_free(&step);
    }
    globfree(&files);
}
END_TEST

static const struct {
    const char *text, *says;
} wrongs[] = {
    {"- MVMULL\n", ":1:3: no Tensix instruction 'MVMULL'"},
    {"- NOP\n- MVMUL mode=1\n", ":2:3: MVMUL has no field 'mode'"},
    {"- MVMUL addr_mode=32\n", "not of this value"},
    {"- TTI_MVMUL(0, 0, 0, 0, 0)\n", "MVMUL has no field '0'"},
    {"setup: [{cfg: {field: NOTHING, value: 1}}]\ncores: {trisc1: [NOP]}\n",
     ":1:23: no configuration field 'NOTHING'"},
    {"setup: [{addr_mod: {index: 8, srca: +8}}]\ncores: {trisc1: [NOP]}\n",
     "8 is out of range: 0 to 7"},
    {"setup: [{addr_mod: {index: 0, srca: -8}}]\ncores: {trisc1: [NOP]}\n", "'-8' is not +N"},
    {"setup: [{srca: {rows: 0-64, value: 1}}]\ncores: {trisc1: [NOP]}\n",
     ":1:23: '0-64' is not a row, or first-last, from 0 to 63"},
    {"setup: [{srca: {rows: 5-2, value: 1}}]\ncores: {trisc1: [NOP]}\n", "'5-2' is not a row"},
    {"setup: [{srca: {rows: 0-5}}]\ncores: {trisc1: [NOP]}\n", "the key 'value' is missing"},
    {"cores: {trisc3: [NOP]}\n", ":1:9: no core 'trisc3'; there are brisc, trisc0 to"},
    {"setup: [{format: fp4}]\ncores: {trisc1: [NOP]}\n", "'fp4' is none of: bf16 fp16 tf32 int8"},
    {"cores: {trisc1: []}\n", "there is no instruction in it"},
    {"# as it was before\nthread 2\nMVMUL\n", ":2:1: a program is a list (`- NOP'), or a mapping"},
};

START_TEST(refusals)
{
    char path[] = "/tmp/stepXXXXXX";
    int file = mkstemp(path);
    struct ts_error error = {0};
    ck_assert(file >= 0 && write(file, wrongs[_i].text, strlen(wrongs[_i].text)) > 0);
    close(file);
    ck_assert(!ts_step_read(&program, path, ts_machines, &error));
    unlink(path);
    ck_assert_int_eq(error.code, TS_SETUP);
    ck_assert_msg(strstr(error.text, wrongs[_i].says) != NULL, "%s", error.text);
}
END_TEST

// The words of a program on Wormhole are Wormhole's: conditions have other bits, modes of addresses two bits.
START_TEST(words_of_another_machine)
{
    machine = ts_machine_by_name("wormhole");
    struct ts_step step = run_text("- STALLWAIT stall_res=math wait_res=mover+pack\n"
                                   "- SFPLOADI lreg_ind=1 imm16=0x4040\n"
                                   "- SFPSTORE lreg_ind=1 sfpu_addr_mode=3 dest_reg_addr=0\n");
    ck_assert_int_eq(step.code, TS_OK);
    ck_assert_uint_eq(program.items[1][0].word, 0xa2000000u | 64 << 15 | 1 << 12 | 15 << 3);
    ck_assert_uint_eq(program.items[1][2].word, 0x72000000u | 1 << 20 | 3 << 14);
    ck_assert_uint_eq(step.rows[0].word, 0xa2000000u | 64 << 15 | 1 << 9 | 1 << 3);
    ck_assert_double_eq(value(&step.rows[2], "Dst", 0, 0), 3);
    ts_step_free(&step);
    machine = ts_machines;
}
END_TEST

// JSON has no infinity: its name stands in its column.
START_TEST(infinite_values)
{
    struct ts_step step = run_text("setup:\n"
                                   "  - srca: {rows: 0-7, value: -3e38}\n"
                                   "  - srcb: {rows: 0-7, value: col}\n"
                                   "cores:\n"
                                   "  trisc1:\n"
                                   "    - ELWMUL\n");
    ck_assert_int_eq(step.code, TS_OK);
    const json_t *list = json_object_get(json_array_get(step.rows[0].values, 0), "values");
    ck_assert_uint_eq(json_array_size(list), 16);
    ck_assert(json_is_real(json_array_get(list, 1)));
    ck_assert_str_eq(json_string_value(json_array_get(list, 15)), "-inf");
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    ts_step_print(&step, file);
    fclose(file);
    ck_assert_msg(strstr(text, "e+38 -inf -inf ") != NULL, "%s", text);
    free(text);
    ts_step_free(&step);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, rwc_trace_is_the_documents);
    tcase_add_test(tests, instructions_of_the_matrix_unit);
    tcase_add_test(tests, counters);
    tcase_add_test(tests, unpack_and_pack);
    tcase_add_test(tests, waits);
    tcase_add_test(tests, words_of_another_machine);
    tcase_add_test(tests, examples_run);
    tcase_add_test(tests, infinite_values);
    tcase_add_loop_test(tests, refusals, 0, (int)(sizeof wrongs / sizeof *wrongs));
}
SUITE("step", add_tests)
