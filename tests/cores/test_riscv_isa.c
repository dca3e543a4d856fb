// Decoder, encoder and disassembler of the baby cores: every row of the table, and invalid words.
#include "cores/riscv/isa.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

START_TEST(test_rows_round_trip)
{
    for (int op = 0; op < TS_RV_OP_COUNT; op++) {
        const struct ts_rv_row *row = ts_rv_row((enum ts_rv_op)op);
        if (row == NULL)
            continue;
        ck_assert_msg((row->match & ~row->mask) == 0, "%s: match outside mask", row->mnemonic);
        uint32_t word = ts_rv_encode((enum ts_rv_op)op, 5, 6, 7, 8);
        struct ts_rv_insn insn = ts_rv_decode(word);
        ck_assert_msg(insn.op == op, "%s: 0x%08x decodes as %s", row->mnemonic, word,
                      ts_rv_mnemonic((enum ts_rv_op)insn.op));
        ck_assert_int_eq(insn.cls, row->cls);
    }
}
END_TEST

START_TEST(test_immediates)
{
    static const int32_t offsets[] = {-4096, -2048, -4, -2, 0, 2, 4, 30, 2046, 4094};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        ck_assert_int_eq(ts_rv_decode(ts_rv_encode(TS_RV_BEQ, 0, 1, 2, offsets[i])).imm,
                         offsets[i]);
        ck_assert_int_eq(ts_rv_decode(ts_rv_encode(TS_RV_JAL, 1, 0, 0, offsets[i] * 200)).imm,
                         offsets[i] * 200);
        if (offsets[i] >= -2048 && offsets[i] < 2048) {
            ck_assert_int_eq(ts_rv_decode(ts_rv_encode(TS_RV_ADDI, 1, 2, 0, offsets[i])).imm,
                             offsets[i]);
            ck_assert_int_eq(ts_rv_decode(ts_rv_encode(TS_RV_SW, 0, 1, 2, offsets[i])).imm,
                             offsets[i]);
        }
    }
    ck_assert_int_eq(ts_rv_decode(ts_rv_encode(TS_RV_LUI, 1, 0, 0, 0x12345000)).imm, 0x12345000);
}
END_TEST

START_TEST(test_no_row_hides_another)
{
    // A word that matches two rows must mean the first, more special one.
    for (int a = 0; a < TS_RV_OP_COUNT; a++)
        for (int b = 0; b < a; b++) {
            const struct ts_rv_row *x = ts_rv_row((enum ts_rv_op)a),
                                   *y = ts_rv_row((enum ts_rv_op)b);
            if (x == NULL || y == NULL)
                continue;
            bool clash = ((x->match ^ y->match) & (x->mask & y->mask)) == 0;
            ck_assert_msg(!clash || (y->mask | x->mask) == y->mask, "%s hides %s", y->mnemonic,
                          x->mnemonic);
        }
}
END_TEST

START_TEST(test_ttinsn)
{
    // Rotated left by two: the low bits can be 00, 01 or 10.
    static const uint32_t words[] = {0x02000000, 0x41000001, 0xa2123456, 0x99999999};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct ts_rv_insn insn = ts_rv_decode(words[i] << 2 | words[i] >> 30);
        ck_assert_int_eq(insn.op, TS_RV_TTINSN);
        ck_assert_uint_eq((uint32_t)insn.imm, words[i]);
    }
}
END_TEST

START_TEST(test_refused)
{
    const char *name = NULL;
    ck_assert_int_eq(ts_rv_decode(0xffffffff).op, TS_RV_INVALID);
    ck_assert_int_eq(ts_rv_decode(0x18000053).op, TS_RV_ABSENT_OP); // fdiv.s
    ck_assert_ptr_nonnull(ts_rv_absent(0x18000053, &name));
    ck_assert_str_eq(name, "fdiv.s");
    ck_assert_int_eq(ts_rv_decode(0x1000202f).op, TS_RV_ABSENT_OP); // lr.w
    ck_assert_int_eq(ts_rv_decode(0x00000057).op, TS_RV_ABSENT_OP); // V
    ck_assert_int_eq(ts_rv_decode(0x48001033).op, TS_RV_INVALID);   // bclr: no Zbs
}
END_TEST

START_TEST(test_text)
{
    static const struct {
        uint32_t word;
        const char *text;
    } rows[] = {
        {0x00000013, "nop"},
        {0x00150513, "addi a0,a0,1"},
        {0x00008067, "ret"},
        {0x0002a303, "lw t1,0(t0)"},
        {0x0062a223, "sw t1,4(t0)"},
        {0xfe629ee3, "bne t0,t1,0xffc"},
        {0x02c585b3, "mul a1,a1,a2"},
        {0x7c002573, "csrrs a0,cfg0,zero"},
        {0x0062a52f, "amoadd.w a0,t1,(t0)"},
        {0x68c5f5c3, "fmadd.s fa1,fa1,fa2,fa3"},
        {0x08000000, ".ttinsn 0x02000000"},
        {0xffffffff, ".word 0xffffffff"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[80];
        ts_rv_disassemble(0x1000, rows[i].word, text, sizeof text);
        ck_assert_str_eq(text, rows[i].text);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_rows_round_trip);
    tcase_add_test(tests, test_immediates);
    tcase_add_test(tests, test_no_row_hides_another);
    tcase_add_test(tests, test_ttinsn);
    tcase_add_test(tests, test_refused);
    tcase_add_test(tests, test_text);
}

SUITE("riscv_isa", add_tests)
