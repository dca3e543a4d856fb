// Row counters (RWC) and address counters (ADC): the trace of seed 001 section 4.2, and the pages.
#include "tests/seeds/rwc_trace.h"
#include "tests/suite.h"
#include "units/files/adc.h"
#include "units/files/rwc.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define AB(a, acr, aclr, b, bcr, bclr) \
    ((a) | (acr) << 6 | (aclr) << 7 | (b) << 8 | (bcr) << 14 | (bclr) << 15)
#define DST(d, cr, clr, c2cr, fi, fclr) \
    (((d)&0x3ff) | (cr) << 10 | (clr) << 11 | (c2cr) << 12 | (fi) << 13 | (fclr) << 15)

static void matmul_addr_mods(uint16_t *thd)
{
    static const struct {
        unsigned section;
        int ab, dst;
    } rows[] = {
        {0, AB(0, 0, 0, 8, 0, 0), DST(8, 0, 0, 0, 0, 0)},
        {1, AB(16, 0, 0, 0, 1, 0), DST(8, 0, 0, 0, 0, 0)},
        {2, AB(0, 1, 0, 32, 1, 0), DST(8, 0, 0, 0, 0, 0)},
        {4, AB(32, 1, 0, 48, 1, 0), DST(0, 1, 0, 0, 0, 0)},
        {5, AB(0, 0, 1, 0, 0, 1), DST(0, 0, 1, 0, 1, 0)},
    };
    memset(thd, 0, TS_THD_ALL * sizeof *thd);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        thd[12 + rows[i].section] = (uint16_t)rows[i].ab;
        thd[28 + rows[i].section] = (uint16_t)rows[i].dst;
    }
}

START_TEST(seed_001_trace_row_by_row)
{
    uint16_t thd[TS_THD_ALL];
    matmul_addr_mods(thd);
    struct ts_rwc rwc = {0};
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_uint_eq(rwc.srcb & 0x38, rwc_trace[i].srcb);
        ck_assert_uint_eq(rwc.srca & 0x38, rwc_trace[i].srca);
        ck_assert_uint_eq(rwc.dst & ~7u, rwc_trace[i].dst);
        ts_rwc_apply(&rwc, thd, rwc_trace[i].addr_mod, true);
        ck_assert_uint_eq(rwc.srca, rwc_trace[i].a);
        ck_assert_uint_eq(rwc.srca_cr, rwc_trace[i].a_cr);
        ck_assert_uint_eq(rwc.srcb, rwc_trace[i].b);
        ck_assert_uint_eq(rwc.srcb_cr, rwc_trace[i].b_cr);
        ck_assert_uint_eq(rwc.dst, rwc_trace[i].d);
        ck_assert_uint_eq(rwc.dst_cr, rwc_trace[i].d_cr);
        ck_assert_uint_eq(rwc.fidelity, rwc_trace[i].phase);
    }
}
END_TEST

START_TEST(addr_mod_modes)
{
    uint16_t thd[TS_THD_ALL] = {0};
    struct ts_rwc rwc = {.dst = 1000, .dst_cr = 8, .srca = 60, .fidelity = 3};
    thd[12] = (uint16_t)AB(8, 0, 0, 0, 0, 0);
    thd[28] = (uint16_t)DST(-16, 0, 0, 0, 1, 0);
    ts_rwc_apply(&rwc, thd, 0, false);
    ck_assert_uint_eq(rwc.srca, 4); // 6 bits
    ck_assert_uint_eq(rwc.dst, 984);
    ck_assert_uint_eq(rwc.fidelity, 3); // partial: the phase stays
    ts_rwc_apply(&rwc, thd, 0, true);
    ck_assert_uint_eq(rwc.fidelity, 0);        // 2 bits
    thd[35] = (uint16_t)DST(4, 0, 0, 1, 2, 0); // section 7: current value to carriage return
    ts_rwc_apply(&rwc, thd, 7, true);
    ck_assert_uint_eq(rwc.dst, 972);
    ck_assert_uint_eq(rwc.dst_cr, 972);
    ck_assert_uint_eq(rwc.fidelity, 2);
    thd[35] = (uint16_t)DST(64, 1, 0, 0, 0, 1);
    ts_rwc_apply(&rwc, thd, 7, true);
    ck_assert_uint_eq(rwc.dst, (972 + 64) & 0x3ff);
    ck_assert_uint_eq(rwc.dst_cr, rwc.dst);
    ck_assert_uint_eq(rwc.fidelity, 0);
}
END_TEST

#define SETRWC(cr, d, b, a, mask) \
    ts_decode_SETRWC(0x37000000u | (cr) << 18 | (d) << 14 | (b) << 10 | (a) << 6 | (mask))
#define INCRWC(cr, d, b, a) \
    ts_decode_INCRWC(0x38000000u | (cr) << 18 | (d) << 14 | (b) << 10 | (a) << 6)

START_TEST(setrwc_incrwc)
{
    struct ts_rwc rwc = {
        .dst = 100, .dst_cr = 40, .srca = 9, .srca_cr = 48, .srcb_cr = 60, .fidelity = 2};
    ts_rwc_set(&rwc, SETRWC(1, 3, 2, 8, 0x1)); // SrcA only, onto its carriage return
    ck_assert_uint_eq(rwc.srca, 56);
    ck_assert_uint_eq(rwc.srca_cr, 56);
    ck_assert_uint_eq(rwc.dst, 100);
    ts_rwc_set(&rwc, SETRWC(2, 0, 8, 0, 0x2));
    ck_assert_uint_eq(rwc.srcb, 4);          // 60 + 8 in 6 bits
    ts_rwc_set(&rwc, SETRWC(8, 5, 0, 0, 0)); // C_TO_CR acts without SET_D
    ck_assert_uint_eq(rwc.dst, 105);
    ck_assert_uint_eq(rwc.dst_cr, 105);
    ts_rwc_increment(&rwc, INCRWC(0, 8, 1, 2));
    ck_assert_uint_eq(rwc.dst, 113);
    ck_assert_uint_eq(rwc.dst_cr, 105);
    ck_assert_uint_eq(rwc.srcb, 5);
    ck_assert_uint_eq(rwc.srca, 58);
    ts_rwc_increment(&rwc, INCRWC(7, 4, 4, 4));
    ck_assert_uint_eq(rwc.dst, 109);
    ck_assert_uint_eq(rwc.srca, 60);
    ck_assert_uint_eq(rwc.srcb, 8);
    ck_assert_uint_eq(rwc.fidelity, 2);
    ts_rwc_set(&rwc, SETRWC(0, 0, 0, 0, 0xf));
    ck_assert_uint_eq(
        rwc.dst | rwc.dst_cr | rwc.srca | rwc.srca_cr | rwc.srcb | rwc.srcb_cr | rwc.fidelity, 0);
}
END_TEST

#define QUAD(op, groups, over, y1, x1, y0, x0, mask)                                              \
    ((uint32_t)(op) << 24 | (groups) << 21 | (over) << 18 | (y1) << 15 | (x1) << 12 | (y0) << 9 | \
     (x0) << 6 | (mask))

START_TEST(adc_instructions)
{
    static struct ts_adcs adcs;
    memset(&adcs, 0, sizeof adcs);
    struct ts_adc *pack = &adcs.set[2][TS_ADC_PACK], *unp = adcs.set[2];
    ts_adc_set_range(&adcs, 2, ts_decode_SETADCXX(0x5e000000u | 4 << 21 | 255 << 10 | 16));
    ck_assert_uint_eq(pack->channel[0].v[TS_ADC_X], 16);
    ck_assert_uint_eq(pack->channel[1].cr[TS_ADC_X], 255);
    ck_assert_uint_eq(unp[0].channel[1].v[TS_ADC_X], 0);
    ck_assert(
        ts_adc_move(&adcs, 2, QUAD(TS_OP_SETADCXY, 3, 0, 4, 3, 2, 1, 0xb), TS_ADC_X, TS_ADC_PUT));
    ck_assert_uint_eq(unp[0].channel[0].v[TS_ADC_X], 1);
    ck_assert_uint_eq(unp[1].channel[0].v[TS_ADC_Y], 2);
    ck_assert_uint_eq(unp[1].channel[1].v[TS_ADC_X], 0); // not in the mask
    ck_assert_uint_eq(unp[1].channel[1].cr[TS_ADC_Y], 4);
    ck_assert(
        ts_adc_move(&adcs, 2, QUAD(TS_OP_INCADCXY, 1, 0, 7, 0, 1, 0, 0), TS_ADC_X, TS_ADC_ADD));
    ck_assert_uint_eq(unp[0].channel[1].v[TS_ADC_Y], 11);
    ck_assert_uint_eq(unp[0].channel[1].cr[TS_ADC_Y], 4);
    ck_assert(
        ts_adc_move(&adcs, 2, QUAD(TS_OP_ADDRCRXY, 1, 0, 2, 0, 1, 0, 8), TS_ADC_X, TS_ADC_ADD_CR));
    ck_assert_uint_eq(unp[0].channel[1].v[TS_ADC_Y], 6);
    ck_assert_uint_eq(unp[0].channel[0].v[TS_ADC_Y], 3); // not in the mask
    // Z and W have 8 bits; thread 0 reaches into thread 2's counters.
    ck_assert(ts_adc_set(&adcs, 0,
                         ts_decode_SETADC(0x50000000u | 4u << 21 | 1 << 20 | 3 << 18 | 0x300fe)));
    ck_assert_uint_eq(pack->channel[1].v[TS_ADC_W], 0xfe);
    ck_assert(ts_adc_set(&adcs, 0, ts_decode_SETADC(0x50000000u | 1u << 21 | 1 << 20 | 0x300ff)));
    ck_assert_uint_eq(unp[0].channel[1].v[TS_ADC_X], 0xff); // without the number of the thread
    ck_assert(
        ts_adc_move(&adcs, 0, QUAD(TS_OP_INCADCZW, 4, 3, 3, 0, 0, 0, 0), TS_ADC_Z, TS_ADC_ADD));
    ck_assert_uint_eq(pack->channel[1].v[TS_ADC_W], 1);
    ck_assert(
        ts_adc_move(&adcs, 0, QUAD(TS_OP_SETADCZW, 4, 3, 0, 0, 0, 0, 0xf), TS_ADC_Z, TS_ADC_PUT));
    ck_assert(
        ts_adc_move(&adcs, 2, QUAD(TS_OP_ADDRCRZW, 4, 0, 0, 5, 0, 0, 4), TS_ADC_Z, TS_ADC_ADD_CR));
    ck_assert_uint_eq(pack->channel[1].v[TS_ADC_Z], 5);
    ts_adc_poke(&adcs, 1, TS_ADC_UNPACK1, 1, TS_ADC_Y, true, 0xfffff);
    ck_assert_uint_eq(adcs.set[1][TS_ADC_UNPACK1].channel[1].cr[TS_ADC_Y], 0x1fff);
    ck_assert_uint_eq(adcs.set[1][TS_ADC_UNPACK1].channel[1].v[TS_ADC_Y], 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, seed_001_trace_row_by_row);
    tcase_add_test(tests, addr_mod_modes);
    tcase_add_test(tests, setrwc_incrwc);
    tcase_add_test(tests, adc_instructions);
}

SUITE("counters", add_tests)
