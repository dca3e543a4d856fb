// What the machine refuses before a run: every rejection rule, with the parameter and its legal
// range in the message; and unreadable files, with file and line.
#include "platform/study/pipe/run.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char base[] = "name: refuse\n"
                           "tiles:\n"
                           "  - {name: acc, loc: acc, rows: 16, cols: 32}\n"
                           "  - {name: odd, loc: acc, rows: 15, cols: 32}\n"
                           "  - {name: narrow, loc: acc, rows: 16, cols: 24}\n"
                           "  - {name: x, loc: vec, rows: 8, cols: 32}\n"
                           "  - {name: thin, loc: vec, rows: 16, cols: 9}\n"
                           "  - {name: m, loc: mat, rows: 16, cols: 32}\n"
                           "  - {name: l, loc: left, rows: 16, cols: 16}\n"
                           "  - {name: r, loc: right, rows: 32, cols: 16}\n"
                           "windows:\n"
                           "  - {name: g, rows: 16, cols: 32}\n"
                           "tensors:\n"
                           "  - {name: h, type: fp16, rows: 16, cols: 32}\n";

static const struct {
    enum ts_finding_id id;
    const char *profile, *pipes, *cube, *vector, *says;
} rows[] = {
    {TS_FINDING_DIR, "a2a3", "{name: p, flag: 0, dir: c2v_gm, slot_size: 2048, slots: 2}", "", "",
     "dir c2v_gm is not of profile a2a3; legal: c2v, v2c, both"},
    {TS_FINDING_DIR, "a2a3", "{name: p, flag: 0, dir: undefined, slot_size: 2048, slots: 2}", "",
     "", "dir undefined"},
    {TS_FINDING_DIR, "a5\npublished: v2c_ctrl",
     "{name: p, flag: 0, dir: v2c_ctrl, slot_size: 2048, slots: 2}", "", "",
     "published: DIR_V2C_CTRL cannot be instantiated"},
    {TS_FINDING_DIR, "a5\ndata: false",
     "{name: p, flag: 0, dir: v2c_ctrl, slot_size: 2048, slots: 2}", "", "",
     "carries values; legal: with data"},
    {TS_FINDING_FLAG_RANGE, "a2a3", "{name: p, flag: 15, dir: c2v, slot_size: 2048, slots: 2}", "",
     "", "flag is 15; legal on a2a3: 0 to 7"},
    {TS_FINDING_FLAG_RANGE, "a2a3", "{name: p, flag: 255, dir: c2v, slot_size: 2048, slots: 2}", "",
     "", "flag is 255; legal on a2a3: 0 to 7"},
    {TS_FINDING_FLAG_RANGE, "a5", "{name: p, flag: 16, dir: both, slot_size: 2048, slots: 2}", "",
     "", "flag is 16; legal on a5: 0 to 15"},
    {TS_FINDING_FLAG_RANGE, "a5\npublished: [flag_range]",
     "{name: p, flag: 13, dir: both, slot_size: 2048, slots: 2}", "", "",
     "flag is 13; legal on a5: 0 to 12"},
    {TS_FINDING_SLOTNUM, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 0}", "", "",
     "slots is 0; legal: 1 to 15"},
    {TS_FINDING_SLOTNUM, "a5", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 16}", "", "",
     "slots is 16; legal: 1 to 15"},
    {TS_FINDING_SLOTNUM, "a2a3",
     "{name: p, kind: tmpipe, flag: 0, fifo: gm, depth: 9, prod: acc, cons: x}", "", "",
     "depth is 9; legal: 2 to 8"},
    {TS_FINDING_SLOTSIZE, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2000, slots: 2}", "", "",
     "slot_size is 2000; legal: a multiple of 32"},
    {TS_FINDING_SLOTSIZE, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 1024, slots: 2}",
     "tpush acc, p", "", "an entry of 2048 bytes; legal for pipe p: up to slot_size, 1024"},
    {TS_FINDING_SLOTSIZE, "a5", "{name: p, flag: 0, dir: c2v, slot_size: 512, slots: 2}",
     "tpush acc, p", "", "an entry of 1024 bytes"},
    {TS_FINDING_SLOTSIZE, "a2a3", "{name: p, flag: 0, dir: v2c, slot_size: 1024, slots: 2}", "",
     "tpush x, p", "an entry of 2048 bytes"},
    {TS_FINDING_GM_SIZE, "a2a3",
     "{name: p, flag: 0, dir: both, slot_size: 2048, slots: 4, gm_size: 8192}", "", "",
     "the ring takes 16384 bytes; legal: gm_size, 8192"},
    {TS_FINDING_LOCAL_SIZE, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 131072, slots: 2}", "",
     "", "of ub; legal: up to 196608"},
    {TS_FINDING_LOCAL_SIZE, "a2a3",
     "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2, ub: 0}\n  - {name: q, flag: 2, dir: "
     "v2c, slot_size: 2048, slots: 2, l1: 524000}",
     "", "", "of l1; legal: up to 524288"},
    {TS_FINDING_TILE_PROD, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "tpush m, p", "", "tile m is mat; legal: acc, vec"},
    {TS_FINDING_TILE_CONS, "a2a3", "{name: p, flag: 0, dir: v2c, slot_size: 2048, slots: 2}",
     "tpop acc, p", "", "tile acc is acc; legal: vec, mat"},
    {TS_FINDING_ROLE, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}", "",
     "tpush x, p", "a Vector core does not push to it"},
    {TS_FINDING_ROLE, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "tpop m, p", "", "the Cube core does not pop from it"},
    {TS_FINDING_ROLE, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "tpush x, p", "", "of the other core"},
    {TS_FINDING_FIXPIPE_TILE, "a2a3", "{name: p, flag: 0, dir: v2c, slot_size: 2048, slots: 2}", "",
     "tpush x, p relu", "legal: acc"},
    {TS_FINDING_SPLIT_ROWS, "a5", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "tpush odd, p, up_down", "", "legal: even rows, 4 bytes"},
    {TS_FINDING_SPLIT_COLS, "a5", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "tpush narrow, p, left_right", "", "legal: multiples of 32"},
    {TS_FINDING_SPLIT_ALIGN, "a5", "{name: p, flag: 0, dir: v2c, slot_size: 2048, slots: 2}", "",
     "tpush thin, p, left_right", "valid row of 36 bytes; legal: multiples of 32"},
    {TS_FINDING_SPLIT_ODD, "a5", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "tpush acc, p, up_down_odd", "",
     "split is up_down_odd; legal here: no_split, up_down, left_right"},
    {TS_FINDING_SPLIT_ODD, "a2a3", "{name: p, flag: 0, dir: v2c, slot_size: 2048, slots: 2}", "",
     "tpush x, p, left_right_odd", "split is left_right_odd"},
    {TS_FINDING_SPLIT_ODD, "a5", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}", "",
     "tpop x, p, left_right_odd", "split is left_right_odd"},
    {TS_FINDING_GT_DIR, "a5", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "talloc g, p", "", "legal for tensors: c2v_gm, v2c_gm, both_gm"},
    {TS_FINDING_GT_DIR, "a2a3", "{name: p, flag: 0, dir: both, slot_size: 2048, slots: 2}",
     "talloc g, p", "", "the rings overlap"},
    {TS_FINDING_FIFO_TYPE, "a2a3",
     "{name: p, kind: tmpipe, flag: 0, fifo: vec, depth: 2, prod: acc, cons: x}", "", "",
     "legal: gm with acc -> vec or vec -> mat"},
    {TS_FINDING_FIFO_TYPE, "a5",
     "{name: p, kind: tmpipe, flag: 0, fifo: mat, depth: 2, prod: acc, cons: x}", "", "",
     "mat with vec -> mat"},
    {TS_FINDING_SPLIT_MODE, "a5",
     "{name: p, kind: tmpipe, flag: 0, fifo: vec, depth: 2, prod: acc, cons: thin}", "", "",
     "legal: half the rows or half the columns"},
    {TS_FINDING_FLAG_ALIAS, "a2a3",
     "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}\n  - {name: q, flag: 1, dir: v2c, "
     "slot_size: 2048, slots: 2}",
     "", "", "share flag 1 of the AIC"},
    {TS_FINDING_OPERAND, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}", "",
     "tadd x, x, thin", "tile x is 8 x 32, tile thin is 16 x 9; legal: equal"},
    {TS_FINDING_OPERAND, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "talloc h, p", "", "tensor h has memory of its own; legal: a window"},
    {TS_FINDING_SLOTSIZE, "a2a3", "{name: p, flag: 0, dir: v2c, slot_size: 2048, slots: 2}", "",
     "talloc g, p, up_down", "window g takes 4096 bytes"},
    {TS_FINDING_OPERAND, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "tmatmul acc, l, r", "", "left has 16 columns, right 32 rows; legal: equal"},
    {TS_FINDING_OPERAND, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "tload m, h", "", "tile m is fp32, tensor h is fp16; legal: equal"},
    {TS_FINDING_OPERAND, "a2a3", "{name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}",
     "tload x, h", "", "the Cube core has none"},
};

START_TEST(test_refusal)
{
    static struct ts_pipe_program program;
    static struct ts_pipe_run run;
    struct ts_error error = {0};
    char text[4000];
    snprintf(text, sizeof text,
             "%sprofile: %s\npipes:\n  - %s\ncube: |\n  barrier all\n  %s\nvector: |\n  barrier "
             "all\n  %s\n",
             base, rows[_i].profile, rows[_i].pipes, rows[_i].cube, rows[_i].vector);
    ck_assert_msg(ts_pipe_load(&program, "text", text, NULL, &error) == TS_OK, "%s\n%s", error.text,
                  text);
    ck_assert_msg(ts_pipe_refused(&program), "%s is not refused: %s",
                  ts_finding_rows[rows[_i].id].code, rows[_i].says);
    bool said = false;
    for (uint32_t i = 0; i < program.findings.count; i++)
        said |= program.findings.item[i].id == rows[_i].id &&
                strstr(program.findings.item[i].text, rows[_i].says);
    ck_assert_msg(said, "%s: not said: %s; said: %s", ts_finding_rows[rows[_i].id].code,
                  rows[_i].says, program.findings.item[0].text);
    ck_assert_int_eq(ts_pipe_run_alone(&run, &program, 1, &error), TS_SETUP);
    ck_assert_int_eq(run.verdict, TS_PIPE_REFUSED);
    ck_assert_uint_eq(run.run.cycle, 0); // it never ran
    ts_pipe_run_free_alone(&run);
    ts_pipe_program_free(&program);
}
END_TEST

// Strict mode: the ids CANN leaves to users, 0 to 10.
START_TEST(test_strict)
{
    for (int flag = 0; flag <= 15; flag++)
        for (int strict = 0; strict < 2; strict++) {
            static struct ts_pipe_program program;
            struct ts_error error = {0};
            char text[4000];
            snprintf(text, sizeof text,
                     "%sprofile: a5\nstrict: %s\npipes:\n  - {name: p, flag: %d, dir: c2v, "
                     "slot_size: 2048, "
                     "slots: 2}\n",
                     base, strict ? "true" : "false", flag);
            ck_assert_int_eq(ts_pipe_load(&program, "text", text, NULL, &error), TS_OK);
            ck_assert_int_eq(ts_pipe_refused(&program), strict && flag > 9);
            ts_pipe_program_free(&program);
        }
}
END_TEST

// Aliasing is by receiver: C2V with flag 0 and C2V with flag 1 do not collide.
START_TEST(test_alias_by_receiver)
{
    static struct ts_pipe_program program;
    struct ts_error error = {0};
    char text[4000];
    snprintf(text, sizeof text,
             "%spipes:\n  - {name: p, flag: 0, dir: c2v, slot_size: 2048, slots: 2}\n"
             "  - {name: q, flag: 1, dir: c2v, slot_size: 2048, slots: 2}\n",
             base);
    ck_assert_int_eq(ts_pipe_load(&program, "text", text, NULL, &error), TS_OK);
    ck_assert(!ts_pipe_refused(&program));
    ts_pipe_program_free(&program);
}
END_TEST

#define EACH    "1||1&&1==1+1*(" // five values wait for what is in the parentheses
#define FIVE(x) x x x x x

static const struct {
    const char *text, *says;
} unreadable[] = {
    {"cube: |\n  tpush acc, p\n", "no pipe is called p"},
    {"cube: |\n  tlaod acc, p\n", "did you mean 'tload'?"},
    {"cube: |\n  for i 0 3\n", "for without end"},
    {"cube: |\n  end\n", "end without a beginning"},
    {"cube: |\n  tmov nothing, acc\n", "no tile is called nothing"},
    {"cube: |\n  set v mte2 0\n", "the Cube core has no pipe v"},
    {"vector: |\n  tload x, h(1 +, 0)\n", "expected an expression"},
    {"vector: |\n  tload x, h(q, 0)\n", "nothing is called q"},
    {"vector: |\n  let n " FIVE(EACH) FIVE(EACH) FIVE(EACH) "1\n", "expression nested too deep"},
    {"vector: |\n  let n 99999999999999999999\n", "a number of more than 64 bits"},
    {"vector: |\n  let n 1.5\n", "cannot read .5"},
    {"vector: |\n  let n 7 // 2\n", "expected an expression at / 2"},
    {"vector: |\n  tadds x, x, 1 loudly\n", "unknown option loudly"},
    {"profil: a5\n", "profil"},
    {"profile: a6\n", "a6"},
    {"pipes:\n  - {name: p, flag: many, dir: c2v, slot_size: 2048, slots: 2}\n", "many"},
    {"timing: {flags: 3}\n", "flags"},
    {"dispatches: 0\n", "dispatches is 0; it must be 1 to 1000000"},
};

START_TEST(test_unreadable)
{
    static struct ts_pipe_program program;
    struct ts_error error = {0};
    char text[4000];
    snprintf(text, sizeof text, "%s%s", base, unreadable[_i].text);
    ck_assert_int_eq(ts_pipe_load(&program, "file.yaml", text, NULL, &error), TS_SETUP);
    ck_assert_msg(strstr(error.text, unreadable[_i].says) != NULL, "said '%s', not '%s'",
                  error.text, unreadable[_i].says);
    ck_assert_msg(strncmp(error.text, "file.yaml:", 10) == 0, "no file and line: %s", error.text);
    ts_pipe_program_free(&program);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_refusal, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tests, test_unreadable, 0, sizeof unreadable / sizeof *unreadable);
    tcase_add_test(tests, test_strict);
    tcase_add_test(tests, test_alias_by_receiver);
}

SUITE("pipe refusals", add_tests, .one_process = true)
