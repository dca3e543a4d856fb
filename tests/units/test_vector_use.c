// The vector unit's interlock: what may directly follow an instruction of two cycles, what waits,
// and what reads the old value. From SFPMAD.md, SFPSWAP.md, SFPSHFT2.md, SFPLUTFP32.md.
#include "tests/suite.h"
#include "tests/units/vector_check.h"
#include "units/isa/effects.h"
#include "units/vector/use.h"

#define FREE   TS_ORDER_FREE
#define STALL  TS_ORDER_STALL
#define STALE  TS_ORDER_STALE
#define MAD_L2 SFP3(SFPMAD, 0, 1, 9, 2, 0)

static const struct {
    const char *what;
    uint32_t before, next;
    enum ts_vector_order order;
} rows[] = {
    {"independent", MAD_L2, SFP3(SFPMAD, 0, 1, 9, 3, 0), FREE},
    {"mad reads it as A", MAD_L2, SFP3(SFPMAD, 2, 1, 9, 3, 0), STALL},
    {"mad reads it as C", MAD_L2, SFP3(SFPMAD, 0, 1, 2, 3, 0), STALL},
    {"mad writes it too", MAD_L2, MAD_L2, FREE},
    {"after one cycle", SFP(SFPMOV, 0, 1, 2, 0), SFP(SFPMOV, 0, 2, 3, 0), FREE},
    {"addi", SFP16(SFPADDI, 0x3F80, 2, 0), SFP16(SFPMULI, 0x3F80, 2, 0), STALL},
    {"store", MAD_L2, SFPDST(SFPSTORE, 2, 0, 0), STALL},
    {"load over it", MAD_L2, SFPDST(SFPLOAD, 2, 0, 0), FREE},
    {"load of a half", MAD_L2, SFPDST(SFPLOAD, 2, 14, 0), STALL},
    {"loadi of a half", MAD_L2, OP(SFPLOADI) | 2u << 20 | 8u << 16, STALL},
    {"setcc", MAD_L2, SFP(SFPSETCC, 0, 2, 0, 0), STALL},
    // The interlock's blind spots.
    {"and, VB seen as VD", MAD_L2, SFP(SFPAND, 2, 1, 3, 1), STALE},
    {"and, VD not read", MAD_L2, SFP(SFPAND, 1, 1, 2, 1), STALL},
    {"or without VB", MAD_L2, SFP(SFPOR, 0, 1, 2, 0), STALL},
    {"iadd reads VD", MAD_L2, SFP(SFPIADD, 0, 1, 2, 4), STALE},
    {"iadd reads VC", MAD_L2, SFP(SFPIADD, 0, 2, 3, 4), STALL},
    {"iadd of an immediate", MAD_L2, SFP(SFPIADD, 1, 1, 2, 5), FREE},
    {"shft reads VD", MAD_L2, SFP(SFPSHFT, 0, 1, 2, 0), STALE},
    {"config reads L0", SFP3(SFPMAD, 1, 1, 9, 0, 0), SFP16(SFPCONFIG, 0, 12, 0), STALE},
    {"config of an immediate", SFP3(SFPMAD, 1, 1, 9, 0, 0), SFP16(SFPCONFIG, 1, 15, 1), FREE},
    {"swap compares at once", MAD_L2, SFP(SFPSWAP, 0, 2, 3, 1), STALE},
    {"plain swap reads later", MAD_L2, SFP(SFPSWAP, 0, 2, 3, 0), FREE},
    {"rotate", MAD_L2, SFP(SFPSHFT2, 0, 2, 3, 3), STALE},
    {"shift by lanes, VB", MAD_L2, SFP(SFPSHFT2, 2, 1, 3, 5), STALE},
    {"shift by lanes, VD", MAD_L2, SFP(SFPSHFT2, 1, 1, 2, 5), STALL},
    {"stochrnd, false VB", MAD_L2, OP(SFP_STOCH_RND) | 2u << 12 | 1u << 8 | 3u << 4 | 1, STALL},
    // Indirection is taken for all registers.
    {"indirect VA", MAD_L2, SFP3(SFPMAD, 0, 0, 9, 3, 4), STALL},
    {"indirect VD", SFP3(SFPMAD, 0, 1, 9, 2, 8), SFP(SFPMOV, 0, 5, 6, 0), STALL},
    {"lutfp32 reads all but L7", MAD_L2, SFP16(SFPLUTFP32, 0, 3, 0), STALL},
    {"lutfp32 and L7", SFP3(SFPMAD, 0, 1, 9, 7, 0), SFP16(SFPLUTFP32, 0, 3, 0), FREE},
    {"lutfp32 and L7, mirrored", SFP3(SFPMAD, 0, 1, 9, 7, 0), SFP16(SFPLUTFP32, 8u << 8, 3, 8),
     STALL},
    {"lutfp32 and L7, not mirrored", SFP3(SFPMAD, 0, 1, 9, 7, 0), SFP16(SFPLUTFP32, 0, 3, 8),
     STALE},
    // Those that occupy the unit for two cycles.
    {"after swap, nop", SFP(SFPSWAP, 0, 0, 1, 0), OP(SFPNOP), FREE},
    {"after swap, anything", SFP(SFPSWAP, 0, 0, 1, 0), SFP(SFPMOV, 0, 5, 6, 0), STALL},
    {"after rotate, anything", SFP(SFPSHFT2, 0, 0, 1, 4), SFP(SFPMOV, 0, 5, 6, 0), STALL},
    {"after bit shift", SFP(SFPSHFT2, 0, 0, 1, 5), SFP(SFPMOV, 0, 1, 6, 0), FREE},
};

static void check_orders(unsigned row_number)
{
    struct ts_vector_insn before, next;
    ck_assert(ts_vector_decode(rows[row_number].before, &before));
    ck_assert(ts_vector_decode(rows[row_number].next, &next));
    struct ts_vector_use first = ts_vector_use(NULL, &before), second = ts_vector_use(NULL, &next);
    ck_assert_msg(ts_vector_order(&first, &second, next.op) == rows[row_number].order, "%s",
                  rows[row_number].what);
}

START_TEST(orders)
{
    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++)
        check_orders(n);
}
END_TEST

// Cycles of sixteen words in a row, as measured on silicon:
// boopdotpng/tenstorrent-docs microbenching/timing-reference/fresh-results.md.
static const struct {
    const char *what;
    uint32_t words[2];
    unsigned cycles;
} periods[] = {
    {"mad, dependent", {SFP3(SFPMAD, 2, 2, 2, 2, 0), SFP3(SFPMAD, 2, 2, 2, 2, 0)}, 31},
    {"mad, independent", {MAD_L2, SFP3(SFPMAD, 0, 1, 9, 3, 0)}, 16},
    {"add, dependent", {SFP3(SFPADD, 10, 2, 2, 2, 0), SFP3(SFPADD, 10, 2, 2, 2, 0)}, 31},
    {"mul24, dependent", {SFP3(SFPMUL24, 2, 2, 9, 2, 0), SFP3(SFPMUL24, 2, 2, 9, 2, 0)}, 31},
    {"mov, dependent", {SFP(SFPMOV, 0, 0, 0, 0), SFP(SFPMOV, 0, 0, 0, 0)}, 16},
    {"arecip, dependent", {SFP(SFPARECIP, 0, 0, 0, 0), SFP(SFPARECIP, 0, 0, 0, 0)}, 16},
    {"transp", {OP(SFPTRANSP), OP(SFPTRANSP)}, 16},
    {"swap", {SFP(SFPSWAP, 0, 0, 1, 0), SFP(SFPSWAP, 0, 0, 1, 0)}, 31},
    {"swap, nop", {SFP(SFPSWAP, 0, 0, 1, 0), OP(SFPNOP)}, 16},
    {"rotate", {SFP(SFPSHFT2, 0, 0, 1, 3), SFP(SFPSHFT2, 0, 0, 1, 3)}, 31},
    {"bit shift", {SFP(SFPSHFT2, 0, 0, 1, 5), SFP(SFPSHFT2, 0, 0, 1, 5)}, 16},
};

START_TEST(measured_periods)
{
    for (unsigned n = 0; n < sizeof periods / sizeof periods[0]; n++) {
        struct ts_vector_use before = {0};
        unsigned cycles = 0;
        for (unsigned k = 0; k < 16; k++) {
            struct ts_vector_insn i;
            ck_assert(ts_vector_decode(periods[n].words[k & 1], &i));
            struct ts_vector_use use = ts_vector_use(NULL, &i);
            cycles += ts_vector_order(&before, &use, i.op) == STALL ? 2 : 1;
            before = use;
        }
        ck_assert_msg(cycles == periods[n].cycles, "%s: %u", periods[n].what, cycles);
    }
}
END_TEST

// A template write uses nothing, until templates can no longer be written this way.
START_TEST(template_writes)
{
    struct rig r;
    struct ts_vector_insn i;
    rig_reset(&r);
    ck_assert(ts_vector_decode(SFP(SFPSWAP, 0, 1, 13, 1), &i));
    ck_assert_uint_eq(ts_vector_use(&r.v, &i).latency, 1);
    ck_assert_uint_eq(ts_vector_use(&r.v, &i).reads, 0);
    ck_assert_int_eq(rig_run(&r, SFP16(SFPCONFIG, TS_LANE_NO_BACKDOOR, 15, 1)), TS_VECTOR_OK);
    ck_assert_uint_eq(ts_vector_use(&r.v, &i).latency, 2);
}
END_TEST

// Every opcode of the table is the opcode table's, and the other way round.
START_TEST(table_is_complete)
{
    unsigned rows_of_ours = 0;
#define TS_VECTOR_ROW(name, layout, sub, latency, reads, seen) rows_of_ours++;
#include "config/vector.def"
    unsigned rows_of_tensix = 0;
    for (unsigned op = 0; op < 256; op++) {
        struct ts_vector_insn i;
        bool ours = ts_op_hot[op].unit == TS_UNIT_VECTOR;
        rows_of_tensix += ours;
        ck_assert_int_eq(ts_vector_decode(op << 24, &i), ours);
    }
    ck_assert_uint_eq(rows_of_ours, rows_of_tensix);
}
END_TEST

// What config/effects.def says of an opcode is what its operands do: of LRegs and of Dst, in any mode.
START_TEST(effects_agree)
{
    for (unsigned op = TS_VECTOR_FIRST; op <= TS_VECTOR_LAST; op++) {
        const struct ts_op_effects *effects = &ts_op_effects[op];
        for (unsigned mod = 0; mod < 16; mod++) {
            struct ts_vector_insn i;
            ck_assert(ts_vector_decode(op << 24 | mod << 16 | mod, &i));
            struct ts_vector_use use = ts_vector_use(NULL, &i);
            ck_assert(!use.dst_read || effects->reads & TS_STATE_DST);
            ck_assert(!use.dst_write || effects->writes & TS_STATE_DST);
            ck_assert_msg(op == TS_OP_SFPSTORE || !use.writes || effects->writes & TS_STATE_LREG,
                          "%s", ts_op_info[op].name);
        }
    }
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, orders);
    tcase_add_test(tcase, measured_periods);
    tcase_add_test(tcase, template_writes);
    tcase_add_test(tcase, table_is_complete);
    tcase_add_test(tcase, effects_agree);
}

SUITE("vector_use", add_tests)
