// fcsr as the F extension and the ISA document define it: exception flags accumulate until software
// clears them, the rounding mode is kept and ignored, all other bits read 0. Instructions that the
// cores do not have are named.
#include "cores/riscv/assemble.h"
#include "cores/riscv/fp.h"
#include "platform/kernel/kernel.h"
#include "platform/tile/tile.h"
#include "tests/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define RESULTS  0x20000u
#define FCSR     0x003
#define COUNT(x) (sizeof(x) / sizeof(x)[0])

enum { NX = TS_RV_NX, UF = TS_RV_UF, OF = TS_RV_OF, NV = TS_RV_NV };

static struct ts_rvasm code;

static struct ts_run run(uint32_t *results, unsigned count)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_error error = {0};
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), NULL, &error);
    ck_assert_ptr_nonnull(tile);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    ts_l1_write(&tile->l1, 0, code.words, code.count * 4, 0);
    ck_assert(ts_tile_start(tile, TS_RV_BRISC, 0, 0, &error));
    struct ts_run result = ts_kernel_run(kernel, 1000000);
    if (results)
        memcpy(results, tile->l1.bytes + RESULTS, count * 4);
    ts_tile_free(tile);
    ts_kernel_free(kernel);
    return result;
}

static const struct row {
    enum ts_rv_op op;
    uint32_t a, b, c, flags;
} ROWS[] = {
    {TS_RV_FADD_S, 0x3f800000, 0x40000000, 0, 0},            // 1 + 2
    {TS_RV_FADD_S, 0x3f800000, 0x33000000, 0, NX},           // 1 + 2^-25
    {TS_RV_FADD_S, 0x3f800000, 0x0d000000, 0, NX},           // one is shifted out
    {TS_RV_FADD_S, 0x7f7fffff, 0x7f7fffff, 0, OF | NX},      //
    {TS_RV_FADD_S, 0x7f800000, 0xff800000, 0, NV},           // inf - inf
    {TS_RV_FSUB_S, 0x3f800000, 0x3f800000, 0, 0},            //
    {TS_RV_FADD_S, 0x7fc00000, 0x3f800000, 0, 0},            // a quiet NaN
    {TS_RV_FADD_S, 0x7f800001, 0x3f800000, 0, NV},           // a signalling one
    {TS_RV_FMUL_S, 0x40400000, 0x40a00000, 0, 0},            // 3 * 5
    {TS_RV_FMUL_S, 0x3dcccccd, 0x3dcccccd, 0, NX},           // 0.1 * 0.1
    {TS_RV_FMUL_S, 0x00800000, 0x3f000000, 0, UF | NX},      // flushed to zero
    {TS_RV_FMUL_S, 0x00800000, 0x00800000, 0, UF | NX},      //
    {TS_RV_FMUL_S, 0x7f000000, 0x7f000000, 0, OF | NX},      //
    {TS_RV_FMUL_S, 0x7f800000, 0x00000000, 0, NV},           // inf * 0
    {TS_RV_FMADD_S, 0x40000000, 0x40400000, 0x3f800000, 0},  // 2 * 3 + 1
    {TS_RV_FMADD_S, 0x7f800000, 0x3f800000, 0xff800000, NV}, //
    {TS_RV_FMIN_S, 0x7fc00000, 0x3f800000, 0, 0},            //
    {TS_RV_FMAX_S, 0x7f800001, 0x3f800000, 0, NV},           //
    {TS_RV_FEQ_S, 0x7fc00000, 0x3f800000, 0, 0},             //
    {TS_RV_FEQ_S, 0x7f800001, 0x3f800000, 0, NV},            //
    {TS_RV_FLT_S, 0x7fc00000, 0x3f800000, 0, NV},            //
    {TS_RV_FLE_S, 0x3f800000, 0x3f800000, 0, 0},             //
    {TS_RV_FCVT_W_S, 0x40000000, 0, 0, 0},                   // 2
    {TS_RV_FCVT_W_S, 0x40200000, 0, 0, NX},                  // 2.5
    {TS_RV_FCVT_W_S, 0x3e800000, 0, 0, NX},                  // 0.25
    {TS_RV_FCVT_W_S, 0x00000000, 0, 0, 0},                   //
    {TS_RV_FCVT_W_S, 0xcf000000, 0, 0, 0},                   // -2^31
    {TS_RV_FCVT_W_S, 0x4f000000, 0, 0, NV},                  // 2^31
    {TS_RV_FCVT_W_S, 0x7fc00000, 0, 0, NV},                  //
    {TS_RV_FCVT_WU_S, 0xbf800000, 0, 0, NV},                 // -1
    {TS_RV_FCVT_WU_S, 0xbe800000, 0, 0, NX},                 // -0.25
    {TS_RV_FSGNJ_S, 0x7f800001, 0x3f800000, 0, 0},           // no arithmetic: no flag
    {TS_RV_FCVT_H_S, 0x3f800000, 0, 0, 0},                   //
    {TS_RV_FCVT_H_S, 0x3f800001, 0, 0, NX},                  //
    {TS_RV_FCVT_H_S, 0x7f000000, 0, 0, OF | NX},             //
    {TS_RV_FADD_H, 0xffff3c00, 0xffff3c00, 0, 0},            // 1 + 1
    {TS_RV_FADD_H, 0xffff7bff, 0xffff7bff, 0, OF | NX},      //
};

START_TEST(test_flags)
{
    uint32_t got[2 * COUNT(ROWS)], all = 0;
    code.count = 0;
    ts_rvasm_li(&code, 31, RESULTS);
    for (int clear = 1; clear >= 0; clear--)
        for (size_t i = 0; i < COUNT(ROWS); i++) {
            const struct row *row = &ROWS[i];
            const uint32_t value[] = {row->a, row->b, row->c};
            if (clear)
                ts_rvasm(&code, TS_RV_CSRRW, 0, 0, 0, FCSR);
            for (unsigned k = 0; k < 3; k++) {
                ts_rvasm_li(&code, 10, value[k]);
                ts_rvasm(&code, TS_RV_FMV_W_X, k, 10, 0, 0);
            }
            ts_rvasm(&code, row->op, 4, 0, 1, 2);
            ts_rvasm(&code, TS_RV_CSRRS, 11, 0, 0, FCSR);
            ts_rvasm(&code, TS_RV_SW, 0, 31, 11, 0);
            ts_rvasm(&code, TS_RV_ADDI, 31, 31, 0, 4);
        }
    ts_rvasm(&code, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm(&code, TS_RV_JAL, 0, 0, 0, 0);
    ck_assert(!code.overflow);
    struct ts_run result = run(got, COUNT(got));
    ck_assert_msg(result.stop == TS_STOP_DONE, "%s", result.error.text);
    all = got[COUNT(ROWS) - 1];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        const struct row *row = &ROWS[i];
        ck_assert_msg(got[i] == row->flags, "%s 0x%08x 0x%08x 0x%08x: flags 0x%x, not 0x%x",
                      ts_rv_mnemonic(row->op), row->a, row->b, row->c, got[i], row->flags);
        all |= row->flags;
        ck_assert_uint_eq(got[COUNT(ROWS) + i], all);
    }
}
END_TEST

START_TEST(test_bits)
{
    uint32_t got[2];
    code.count = 0;
    ts_rvasm_li(&code, 31, RESULTS);
    ts_rvasm_li(&code, 10, 0xffffffff);
    ts_rvasm(&code, TS_RV_CSRRW, 0, 10, 0, FCSR);
    ts_rvasm(&code, TS_RV_CSRRW, 11, 0, 0, FCSR);
    ts_rvasm(&code, TS_RV_CSRRS, 12, 0, 0, FCSR);
    ts_rvasm(&code, TS_RV_SW, 0, 31, 11, 0);
    ts_rvasm(&code, TS_RV_SW, 0, 31, 12, 4);
    ts_rvasm(&code, TS_RV_FENCE, 0, 0, 0, 0);
    ts_rvasm(&code, TS_RV_JAL, 0, 0, 0, 0);
    ck_assert_int_eq(run(got, 2).stop, TS_STOP_DONE);
    ck_assert_uint_eq(got[0], 0xff);
    ck_assert_uint_eq(got[1], 0);
}
END_TEST

START_TEST(test_absent)
{
    static const struct {
        uint32_t word;
        const char *text;
    } rows[] = {
        {0x18c5f553, "fdiv.s: the cores have no fdiv"},
        {0x1cc5f553, "fdiv.h: the cores have no fdiv"},
        {0x5805f553, "fsqrt.s: the cores have no fsqrt"},
        {0x5c05f553, "fsqrt.h: the cores have no fsqrt"},
        {0x0000100f, "fence.i: the cores have no Zifencei"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        code.count = 0;
        ts_rvasm_word(&code, rows[i].word);
        struct ts_run result = run(NULL, 0);
        ck_assert_int_eq(result.error.code, TS_NOT_IMPLEMENTED);
        ck_assert_msg(strstr(result.error.text, rows[i].text) != NULL, "%s", result.error.text);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_flags);
    tcase_add_test(tests, test_bits);
    tcase_add_test(tests, test_absent);
}

SUITE("fcsr", add_tests)
