// Code as the reports' assembler emits it; and that loops of probes take as many cycles as on cards.
#include "noc/niu.h"
#include "platform/study/silicon/listing.h"
#include "platform/study/silicon/silicon.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct ts_rvasm code;

static uint32_t word(enum ts_rv_op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
    return ts_rv_encode(op, rd, rs1, rs2, imm);
}

// Address and poll of CMD_CTRL, address of the first register, values only where they are needed.
START_TEST(requests)
{
    const struct listing_word words[] = {{TS_NOC_CTRL, L_ZERO, 0x2092},
                                         {TS_NOC_TARG_LO, L_S2, 0},
                                         {TS_NOC_RET_LO, L_ZERO, 0x37000},
                                         {TS_NOC_AT_LEN_BE, L_ZERO, 0x37000},
                                         {TS_NOC_AT_LEN_BE_1, L_ZERO, 0}};
    code.count = 0;
    listing_request(&code, 1, 0, words, 5);
    const uint32_t expected[] = {
        word(TS_RV_LUI, L_T3, 0, 0, (int32_t)0xffb30000),
        word(TS_RV_ADDI, L_T3, L_T3, 0, 0x40),
        word(TS_RV_LW, L_T4, L_T3, 0, 0),
        word(TS_RV_BNE, 0, L_T4, 0, -4),
        word(TS_RV_LUI, L_T3, 0, 0, (int32_t)0xffb30000),
        word(TS_RV_ADDI, L_T3, L_T3, 0, 0x1c),
        word(TS_RV_LUI, L_T4, 0, 0, 0x2000),
        word(TS_RV_ADDI, L_T4, L_T4, 0, 0x92),
        word(TS_RV_SW, 0, L_T3, L_T4, 0),
        word(TS_RV_SW, 0, L_T3, L_S2, -0x1c),
        word(TS_RV_LUI, L_T4, 0, 0, 0x37000),
        word(TS_RV_SW, 0, L_T3, L_T4, -0x10),
        word(TS_RV_SW, 0, L_T3, L_T4, 4),
        word(TS_RV_SW, 0, L_T3, 0, 8),
        word(TS_RV_ADDI, L_T4, 0, 0, 1),
        word(TS_RV_SW, 0, L_T3, L_T4, 0x24),
    };
    ck_assert_uint_eq(code.count, sizeof expected / sizeof *expected);
    for (unsigned i = 0; i < code.count; i++)
        ck_assert_msg(code.words[i] == expected[i], "word %u", i);
}
END_TEST

START_TEST(forward_branches)
{
    code.count = 0;
    uint32_t over = listing_forward(&code, TS_RV_BGEU, L_T1, L_S3);
    listing_addi(&code, L_S7, L_S7, 1);
    listing_here(&code, over);
    ck_assert_uint_eq(code.words[0], word(TS_RV_BGEU, 0, L_T1, L_S3, 8));
}
END_TEST

static double simulate(const struct ts_params *params, const char *id)
{
    struct ts_silicon_context context = ts_silicon_context(params);
    size_t count;
    struct ts_silicon_result *all = ts_silicon_select(ts_silicon_family("zones"), &count);
    double figure = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].row->id, id) == 0) {
            ts_silicon_run_one(&all[i], &context);
            ck_assert_int_eq(all[i].failure.code, TS_OK);
            figure = all[i].simulated;
        }
    free(all);
    return figure;
}

// Cycles of one more transaction of 256 B, from 64 to 256 of them: instructions, the latency of the
// poll, and for reads of L1 a second poll with two branches that go as they did not last time.
START_TEST(paces)
{
    static const struct {
        const char *few, *many; // 64 and 256 transactions
        double cycles;
    } loops[] = {{"S0852", "S0863", 35}, {"S0929", "S0940", 23}};
    struct ts_params params = {0};
    struct ts_error error = {0};
    ck_assert_int_eq(ts_silicon_params(&params, &error), TS_OK);
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
        ck_assert_double_eq((simulate(&params, loops[i].many) - simulate(&params, loops[i].few)) /
                                192,
                            loops[i].cycles);
    ck_assert_double_eq((simulate(&params, "S0970") - simulate(&params, "S0961")) / 48, 22);
    ts_params_free(&params);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, requests);
    tcase_add_test(tests, forward_branches);
    tcase_add_test(tests, paces);
}

SUITE("listing", add_tests)
