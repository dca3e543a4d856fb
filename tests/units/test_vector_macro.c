// SFPLOADMACRO: the schedule, reads and writes in one cycle, and refusals.
//
// Times are in calls of ts_vector_cycle: the cycle of SFPLOADMACRO is t, an instruction with delay
// d executes at t + 1 + d.
#include "tests/suite.h"
#include "tests/units/vector_check.h"
#include "units/files/format.h"
#include "units/vector/body.h"

#define NOP         OP(SFPNOP)
#define ONE         0x3F800000u
#define TWO         0x40000000u
#define FMT_INT32   4
#define FMT_FP32    3
#define ISSUES(sub) (1u << (8 + (sub))) // Misc: this sub-unit's delays count instructions
#define LOAD_MOD    0xF0u               // Misc: all macros store with the load's format

// A byte of a sequence: what, when, and which register gets the loaded register's place.
enum { STORE = 3, TEMPLATE0 = 4, TEMPLATE1, TEMPLATE2, TEMPLATE3, BONUS = 0x40, AS_VB = 0x80 };
#define BYTE(what, delay, flags) ((uint32_t)((flags) | (delay) << 3 | (what)))

static uint32_t macro(unsigned index, unsigned vd, unsigned mod, unsigned addr)
{
    return OP(SFPLOADMACRO) | index << 22 | (vd & 3) << 20 | mod << 16 | addr | vd >> 2;
}

static void sequence(struct rig *r, unsigned index, uint32_t simple, uint32_t mad, uint32_t round,
                     uint32_t store)
{
    rig_fill(r, 0, simple | mad << 8 | round << 16 | store << 24);
    ck_assert_int_eq(rig_run(r, SFP16(SFPCONFIG, 0, 4 + index, 0)), TS_VECTOR_OK);
    rig_fill(r, 0, 0);
}

static void start(struct rig *r, uint32_t misc)
{
    rig_reset(r);
    ck_assert_int_eq(rig_run(r, ALL_ON), TS_VECTOR_OK);
    ck_assert_int_eq(rig_run(r, SFP16(SFPCONFIG, misc, 8, 1)), TS_VECTOR_OK);
}

// Rows of four, even columns, hold the vector's number as a float.
static void number_dst(struct rig *r, unsigned vectors)
{
    for (unsigned n = 0; n < vectors; n++) {
        float f = (float)(n + 1);
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        rig_fill(r, 1, bits);
        ck_assert_int_eq(rig_run(r, SFPDST(SFPSTORE, 1, FMT_FP32, 4 * n)), TS_VECTOR_OK);
    }
}

static float dst_float(struct rig *r, unsigned vector, unsigned lane)
{
    uint32_t bits = ts_fp32_from_cell(ts_dst_get32(&r->dst, 4 * vector + lane / 8, 2 * (lane & 7)));
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void clock_clean(struct rig *r, uint32_t word)
{
    struct ts_vector_done done = rig_clock(r, word);
    ck_assert_int_eq(done.fault, TS_VECTOR_OK);
    ck_assert_uint_eq(done.hazards, 0);
}

// One vector a cycle: load at t, multiply-add at t + 1, store at t + 3, over `registers` registers.
// With one register the product goes to LReg 16, and every store meets a multiply-add in flight.
static void scale(unsigned registers)
{
    struct rig r;
    start(&r, LOAD_MOD);
    number_dst(&r, 16);
    uint32_t bonus = registers == 1 ? BONUS : 0;
    ck_assert_int_eq(rig_run(&r, SFP3(SFPMAD, 7, 0, 9, 12, 0)), TS_VECTOR_OK); // 2 * VB + 0
    sequence(&r, 0, 0, BYTE(TEMPLATE0, 0, AS_VB | bonus), 0, BYTE(STORE, 2, bonus));
    rig_fill(&r, 7, TWO);
    for (unsigned n = 0; n < 16; n++)
        clock_clean(&r, macro(0, n % registers, FMT_FP32, 4 * n));
    for (unsigned n = 0; n < 3; n++) {
        ck_assert(ts_vector_runs(&r.v));
        ck_assert_uint_eq(rig_rest(&r).hazards, 0);
    }
    ck_assert(ts_vector_idle(&r.v));
    for (unsigned n = 0; n < 16; n++)
        ck_assert(dst_float(&r, n, n) == 2.0f * (float)(n + 1));
}

START_TEST(one_vector_a_cycle)
{
    scale(4);
    scale(3); // the store reads in the cycle in which the next load writes
    scale(1);
}
END_TEST

// A select in three cycles: the condition is set from what was loaded the cycle before while the
// next load, still unpredicated, overwrites it; the third load is predicated.
START_TEST(select_in_three_cycles)
{
    struct rig r;
    start(&r, LOAD_MOD);
    for (unsigned n = 0; n < 24; n++) {
        for (unsigned l = 0; l < TS_LANES; l++)
            r.v.lreg[1][l] = n < 8 ? (l + n) % 3 == 0 : 1000 * n + l;
        ck_assert_int_eq(rig_run(&r, SFPDST(SFPSTORE, 1, FMT_INT32, 4 * n)), TS_VECTOR_OK);
    }
    ck_assert_int_eq(rig_run(&r, SFP(SFPSETCC, 0, 0, 12, 6)), TS_VECTOR_OK); // == 0
    ck_assert_int_eq(rig_run(&r, SFP(SFPENCC, 0, 0, 13, 0)), TS_VECTOR_OK);
    sequence(&r, 0, BYTE(TEMPLATE0, 0, 0), 0, 0, BYTE(STORE, 2, 0));
    sequence(&r, 1, BYTE(TEMPLATE1, 0, 0), 0, 0, 0);
    for (unsigned n = 0; n < 8; n++) {
        clock_clean(&r, macro(0, 0, FMT_INT32, 4 * n));
        clock_clean(&r, macro(1, 0, FMT_INT32, 4 * (n + 8)));
        clock_clean(&r, SFPDST(SFPLOAD, 0, FMT_INT32, 4 * (n + 16)));
    }
    rig_rest(&r);
    ck_assert(ts_vector_idle(&r.v));
    for (unsigned n = 0; n < 8; n++) {
        ck_assert_int_eq(rig_run(&r, SFPDST(SFPLOAD, 2, FMT_INT32, 4 * n)), TS_VECTOR_OK);
        for (unsigned l = 0; l < TS_LANES; l++)
            ck_assert_uint_eq(r.v.lreg[2][l], 1000 * ((l + n) % 3 == 0 ? n + 8 : n + 16) + l);
    }
}
END_TEST

// Delays that count instructions hold up the complete calendar until an instruction issues.
START_TEST(counting_instructions)
{
    struct rig r;
    start(&r, LOAD_MOD | ISSUES(TS_SUB_STORE));
    ck_assert_int_eq(rig_run(&r, SFP(SFPNOT, 0, 0, 12, 0)), TS_VECTOR_OK);
    sequence(&r, 0, BYTE(TEMPLATE0, 1, 0), 0, 0, BYTE(STORE, 2, 0));
    clock_clean(&r, macro(0, 0, FMT_INT32, 0));
    for (unsigned n = 0; n < 5; n++)
        ck_assert_uint_eq(rig_rest(&r).executed, 0); // nothing issues: nothing moves
    ck_assert(!ts_vector_runs(&r.v));
    ck_assert(!ts_vector_idle(&r.v));
    ck_assert_uint_eq(rig_clock(&r, NOP).executed, 1); // the first countdown
    ck_assert(ts_vector_runs(&r.v));
    struct ts_vector_done done = rig_rest(&r); // the simple instruction's cycle; the store waits
    ck_assert_uint_eq(done.executed, 1);
    ck_assert_uint_eq(r.v.lreg[0][0], 0xFFFFFFFFu);
    ck_assert_uint_eq(rig_rest(&r).executed, 0);
    ck_assert_uint_eq(rig_clock(&r, NOP).executed, 1);
    done = rig_rest(&r);
    ck_assert(done.dst_written);
    ck_assert(ts_vector_idle(&r.v));
    ck_assert_uint_eq(ts_dst_get32(&r.dst, 0, 0), 0xFFFFFFFFu);
    // Of delay 0, it is the next cycle whatever it counts.
    sequence(&r, 1, 0, 0, 0, BYTE(STORE, 0, 0));
    clock_clean(&r, macro(1, 0, FMT_INT32, 8));
    ck_assert(ts_vector_runs(&r.v));
    ck_assert(rig_rest(&r).dst_written);
}
END_TEST

// The later of two bookings for one cycle stays; a byte that books nothing forgets nothing.
START_TEST(overbooking)
{
    struct rig r;
    start(&r, LOAD_MOD);
    ck_assert_int_eq(rig_run(&r, SFP(SFPNOT, 0, 0, 12, 0)), TS_VECTOR_OK);
    ck_assert_int_eq(rig_run(&r, SFP(SFPIADD, 5, 0, 13, 5)), TS_VECTOR_OK); // + 5, no flags
    sequence(&r, 0, BYTE(TEMPLATE0, 2, 0), 0, 0, 0);
    sequence(&r, 1, BYTE(TEMPLATE1, 1, 0), 0, 0, 0);
    sequence(&r, 2, 0, 0, 0, BYTE(STORE, 7, 0));
    clock_clean(&r, macro(0, 1, FMT_INT32, 0)); // not L1 at t + 3
    clock_clean(&r, macro(1, 2, FMT_INT32, 0)); // L2 + 5 at (t + 1) + 2: the same cycle
    clock_clean(&r, macro(2, 3, FMT_INT32, 0)); // at t + 2: the simple one is due next
    ck_assert_uint_eq(rig_rest(&r).executed, 1);
    ck_assert_uint_eq(r.v.lreg[1][0], 0);
    ck_assert_uint_eq(r.v.lreg[2][0], 5);
    for (unsigned n = 0; n < 6; n++)
        ck_assert_uint_eq(rig_rest(&r).executed, 0);
    ck_assert(rig_rest(&r).dst_written);
}
END_TEST

// A scheduled instruction and an issued one for one sub-unit: the issued one is lost and reported.
START_TEST(discarded)
{
    struct rig r;
    start(&r, LOAD_MOD);
    rig_fill(&r, 5, 77);
    ck_assert_int_eq(rig_run(&r, SFP(SFPNOT, 0, 0, 12, 0)), TS_VECTOR_OK);
    sequence(&r, 0, BYTE(TEMPLATE0, 0, 0), 0, 0, 0);
    clock_clean(&r, macro(0, 1, FMT_INT32, 0));
    struct ts_vector_done done = rig_clock(&r, SFP(SFPMOV, 0, 5, 6, 0));
    ck_assert_uint_eq(done.hazards, TS_VHAZARD_DISCARDED);
    ck_assert_uint_eq(done.executed, 1);
    ck_assert_uint_eq(r.v.lreg[6][0], 0);
    ck_assert_uint_eq(r.v.lreg[1][0], 0xFFFFFFFFu);
    // Another sub-unit is free.
    clock_clean(&r, macro(0, 1, FMT_INT32, 0));
    clock_clean(&r, SFP3(SFPMAD, 10, 10, 9, 6, 0));
    rig_rest(&r);
    ck_assert_uint_eq(r.v.lreg[6][0], ONE);
}
END_TEST

// Simple and round in one cycle: each reads what was there before.
START_TEST(simple_beside_round)
{
    struct rig r;
    start(&r, LOAD_MOD);
    ck_assert_int_eq(rig_run(&r, SFP(SFPMOV, 0, 0, 12, 0)), TS_VECTOR_OK);
    ck_assert_int_eq(rig_run(&r, SFP(SFPSHFT2, 4, 6, 13, 5)), TS_VECTOR_OK); // VB << L6
    // L16 = L1, and L1 = L1 << 2 in the same cycle; then store both.
    sequence(&r, 0, BYTE(TEMPLATE0, 0, BONUS), 0, BYTE(TEMPLATE1, 0, AS_VB), BYTE(STORE, 1, BONUS));
    rig_fill(&r, 3, 0x11);
    ck_assert_int_eq(rig_run(&r, SFPDST(SFPSTORE, 3, FMT_INT32, 0)), TS_VECTOR_OK);
    rig_fill(&r, 6, 2);
    clock_clean(&r, macro(0, 1, FMT_INT32, 0));
    struct ts_vector_done done = rig_rest(&r);
    ck_assert_uint_eq(done.executed, 2);
    ck_assert_uint_eq(done.hazards, 0);
    ck_assert_uint_eq(r.v.lreg[16][9], 0x11);
    ck_assert_uint_eq(r.v.lreg[1][9], 0x44);
    // Both to ordinary registers: not allowed.
    sequence(&r, 1, BYTE(TEMPLATE0, 0, 0), 0, BYTE(TEMPLATE1, 0, AS_VB), 0);
    clock_clean(&r, macro(1, 1, FMT_INT32, 0));
    ck_assert_uint_eq(rig_rest(&r).hazards, TS_VHAZARD_SUBUNITS);
}
END_TEST

// The store goes where the load came from, in its own format or the load's; VD may be the
// template's.
START_TEST(store_place_and_format)
{
    struct rig r;
    start(&r, 6 | 2u << 4); // UINT16; macro 1 uses the load's format
    rig_fill(&r, 3, 0xABCD1234u);
    ck_assert_int_eq(rig_run(&r, SFPDST(SFPSTORE, 3, FMT_INT32, 40)), TS_VECTOR_OK);
    sequence(&r, 0, 0, 0, 0, BYTE(STORE, 1, 0));
    sequence(&r, 1, 0, 0, 0, BYTE(STORE, 0, AS_VB)); // SFPSTORE of LReg 0
    sequence(&r, 2, 0, 0, 0, BYTE(TEMPLATE3, 0, AS_VB));
    ck_assert_int_eq(rig_run(&r, SFPDST(SFPSTORE, 15, FMT_INT32, 0)), TS_VECTOR_OK); // template 3
    r.view.dst_rwc = 32;
    clock_clean(&r, macro(0, 1, FMT_INT32, 8));
    r.view.dst_rwc = 512;
    rig_rest(&r);
    ck_assert(rig_rest(&r).dst_written);
    ck_assert_uint_eq(ts_dst_get16(&r.dst, 40, 0), 0x1234);
    rig_fill(&r, 0, 0x00005555u);
    r.view.dst_rwc = 0;
    clock_clean(&r, macro(1, 1, FMT_INT32, 64));
    ck_assert(rig_rest(&r).dst_written);
    ck_assert_uint_eq(ts_dst_get32(&r.dst, 64, 0), 0x5555);
    clock_clean(&r, macro(2, 1, FMT_INT32, 80)); // LReg 15, as UINT16
    rig_rest(&r);
    ck_assert_uint_eq(ts_dst_get16(&r.dst, 83, 14), 62);
}
END_TEST

// Registers chosen by LReg 7, unless the result goes to LReg 16; SFPADDI adds to VC, which is the
// template's VD when the loaded register is VB.
START_TEST(indirect_and_immediate)
{
    struct rig r;
    start(&r, LOAD_MOD);
    number_dst(&r, 1);                                                           // 1.0
    ck_assert_int_eq(rig_run(&r, SFP3(SFPMAD, 10, 10, 9, 12, 8)), TS_VECTOR_OK); // 1 * 1 + VC
    ck_assert_int_eq(rig_run(&r, SFP16(SFPADDI, 0x4040, 13, 0)), TS_VECTOR_OK);  // 3 + VC
    sequence(&r, 0, 0, BYTE(TEMPLATE0, 0, 0), 0, 0);
    sequence(&r, 1, 0, BYTE(TEMPLATE0, 0, BONUS), 0, 0);
    sequence(&r, 2, 0, BYTE(TEMPLATE1, 0, 0), 0, 0);
    sequence(&r, 3, 0, BYTE(TEMPLATE1, 0, AS_VB), 0, 0);
    rig_fill(&r, 7, 5);
    static const unsigned lands[] = {5, 16, 2, 2};
    const uint32_t want[] = {TWO, TWO, 0x40800000u, 0x40400000u}; // the last adds to LReg 13, zero
    for (unsigned n = 0; n < 4; n++) {
        for (unsigned l = 0; l < TS_LANES; l++)
            r.v.lreg[13][l] = 0;
        clock_clean(&r, macro(n, 2, FMT_FP32, 0));
        rig_rest(&r);
        rig_rest(&r);
        ck_assert_uint_eq(r.v.lreg[lands[n]][11], want[n]);
    }
}
END_TEST

// A scheduled SFPSWAP clamps: with AS_VB the loaded register is the one exchanged with VC, without
// it the template's VD takes part in its place (here a constant, which stays).
START_TEST(swap_clamps)
{
    struct rig r;
    start(&r, LOAD_MOD);
    number_dst(&r, 8);
    rig_fill(&r, 0, 0x40800000u); // 4.0 into LReg 14, which will be the template's VD
    ck_assert_int_eq(rig_run(&r, SFP16(SFPCONFIG, 0, 14, 0)), TS_VECTOR_OK);
    rig_fill(&r, 0, SFP(SFPSWAP, 0, 0, 14, 1));
    ck_assert_int_eq(rig_run(&r, SFP16(SFPCONFIG, 0, 0, 0)), TS_VECTOR_OK);
    rig_fill(&r, 0, SFP(SFPSWAP, 0, 14, 0, 1));
    ck_assert_int_eq(rig_run(&r, SFP16(SFPCONFIG, 0, 1, 0)), TS_VECTOR_OK);
    sequence(&r, 0, BYTE(TEMPLATE0, 0, 0), 0, 0, BYTE(STORE, 2, 0));     // VC gets the maximum
    sequence(&r, 1, BYTE(TEMPLATE1, 0, AS_VB), 0, 0, BYTE(STORE, 2, 0)); // VB gets the minimum
    for (unsigned n = 0; n < 8; n++) {
        clock_clean(&r, macro(n % 2, n % 4, FMT_FP32, 4 * n));
        clock_clean(&r, NOP);
    }
    rig_rest(&r);
    rig_rest(&r);
    ck_assert(ts_vector_idle(&r.v));
    for (unsigned n = 0; n < 8; n++) {
        float x = (float)(n + 1), want = n % 2 ? (x < 4 ? x : 4) : (x > 4 ? x : 4);
        ck_assert(dst_float(&r, n, 3 * n) == want);
    }
    ck_assert_uint_eq(r.v.lreg[14][31], 0x40800000u);
    // Its second cycle must leave simple and round alone.
    clock_clean(&r, macro(0, 1, FMT_FP32, 0));
    rig_rest(&r);
    ck_assert_uint_eq(rig_clock(&r, SFP(SFPNOT, 0, 3, 3, 0)).hazards, TS_VHAZARD_SWAP);
}
END_TEST

// Without arithmetic the same instructions happen in the same cycles.
START_TEST(timing_only)
{
    struct ts_vector_done seen[2][12];
    for (unsigned pass = 0; pass < 2; pass++) {
        struct rig r;
        rig_reset(&r);
        r.v.timing_only = pass;
        uint32_t bytes = BYTE(TEMPLATE0, 1, 0) | BYTE(TEMPLATE1, 0, AS_VB) << 8 |
                         BYTE(STORE, 3, BONUS) << 24;
        const uint32_t words[] = {
            ALL_ON,
            SFP(SFPNOT, 0, 0, 12, 0),
            SFP3(SFPMAD, 7, 0, 9, 13, 0),
            OP(SFPLOADI) | 10u << 16 | (bytes & 0xFFFF),
            OP(SFPLOADI) | 8u << 16 | bytes >> 16,
            SFP16(SFPCONFIG, 0, 4, 0),
            SFP16(SFPCONFIG, LOAD_MOD | ISSUES(TS_SUB_STORE), 8, 1),
            macro(0, 1, FMT_FP32, 0),
            macro(0, 2, FMT_FP32, 4),
        };
        memset(seen[pass], 0, sizeof seen[pass]);
        for (unsigned n = 0; n < sizeof words / sizeof words[0]; n++)
            seen[pass][n] = rig_clock(&r, words[n]);
        for (unsigned n = sizeof words / sizeof words[0]; n < 12; n++)
            seen[pass][n] = rig_clock(&r, NOP);
    }
    ck_assert_mem_eq(seen[0], seen[1], sizeof seen[0]);
    ck_assert(seen[0][11].dst_written);
}
END_TEST

START_TEST(refusals)
{
    struct rig r;
    start(&r, LOAD_MOD);
    sequence(&r, 0, 1, 0, 0, 0);
    ck_assert_int_eq(rig_clock(&r, macro(0, 1, FMT_INT32, 0)).fault, TS_VECTOR_SEQUENCE);
    sequence(&r, 0, 0, 0, 0, 2); // SFPNOP for the store sub-unit
    ck_assert_int_eq(rig_clock(&r, macro(0, 1, FMT_INT32, 0)).fault, TS_VECTOR_SEQUENCE);
    // A template of another sub-unit is an SFPNOP, which occupies.
    ck_assert_int_eq(rig_run(&r, SFP3(SFPMAD, 10, 10, 9, 12, 0)), TS_VECTOR_OK);
    sequence(&r, 0, BYTE(TEMPLATE0, 0, 0), 0, 0, 0);
    clock_clean(&r, macro(0, 1, FMT_INT32, 0));
    ck_assert_uint_eq(rig_clock(&r, SFP(SFPNOT, 0, 1, 1, 0)).hazards, TS_VHAZARD_DISCARDED);
    ck_assert_uint_eq(r.v.lreg[1][0], 0);
    ck_assert_int_eq(rig_run(&r, SFP16(SFPCONFIG, 1, 4, 8)), TS_VECTOR_OK); // column 0 only
    ck_assert_int_eq(rig_clock(&r, macro(0, 1, FMT_INT32, 0)).fault, TS_VECTOR_LANES);
}
END_TEST

// Two-cycle results of issued instructions: when they appear, what overwrites them, what is
// reported.
START_TEST(second_cycles)
{
    struct rig r;
    start(&r, 0);
    rig_fill(&r, 1, ONE);
    clock_clean(&r, SFP3(SFPADD, 10, 1, 1, 2, 0)); // L2 = 2
    ck_assert_uint_eq(r.v.lreg[2][0], 0);
    ck_assert(!ts_vector_idle(&r.v));
    struct ts_vector_done done = rig_clock(&r, SFP(SFPIADD, 0, 9, 2, 4)); // L2 += 0, unprotected
    ck_assert_uint_eq(done.hazards, TS_VHAZARD_STALE);
    ck_assert_uint_eq(r.v.lreg[2][0], 0); // the old one, and the younger write stays
    clock_clean(&r, SFP3(SFPADD, 10, 1, 1, 2, 0));
    clock_clean(&r, OP(SFPLOADI) | 2u << 20 | 2u << 16 | 99); // over it
    ck_assert_uint_eq(r.v.lreg[2][0], 99);
    clock_clean(&r, SFP3(SFPADD, 10, 1, 1, 2, 0));
    clock_clean(&r, SFP3(SFPADD, 10, 1, 10, 3, 2)); // back to back
    ck_assert_uint_eq(r.v.lreg[2][0], TWO);
    ck_assert_uint_eq(r.v.lreg[3][0], 0);
    rig_rest(&r);
    ck_assert_uint_eq(r.v.lreg[3][0], 0); // 1 - 1
    clock_clean(&r, SFP(SFPSWAP, 0, 1, 2, 0));
    ck_assert_uint_eq(r.v.lreg[1][0], ONE);
    clock_clean(&r, NOP);
    ck_assert_uint_eq(r.v.lreg[1][0], TWO);
    ck_assert_uint_eq(r.v.lreg[2][0], ONE);
    ck_assert(ts_vector_idle(&r.v));

    // Erratum TEN-2932, and a template write that may come too early.
    clock_clean(&r, SFP16(SFPCONFIG, TS_LANE_DEST_INDEX | TS_LANE_NO_BACKDOOR, 15, 1));
    ck_assert_uint_eq(rig_clock(&r, SFP(SFPMOV, 0, 1, 13, 0)).hazards, TS_VHAZARD_BACKDOOR);
    ck_assert_uint_eq(rig_clock(&r, SFP(SFPMOV, 0, 1, 5, 0)).hazards, TS_VHAZARD_INDEX_BANK);
    ck_assert_uint_eq(rig_clock(&r, SFP(SFPSWAP, 0, 1, 2, 0)).hazards, 0);
}
END_TEST

// As the vendor's column maximum does it: a load writes one register of an exchange in its second cycle.
START_TEST(a_load_behind_a_swap)
{
    struct rig r;
    start(&r, 0);
    number_dst(&r, 16);
    ck_assert_int_eq(rig_run(&r, SFP(SFPSWAP, 0, 5, 13, 1)), TS_VECTOR_OK); // VC the maximum
    sequence(&r, 1, BYTE(TEMPLATE1, 0, AS_VB), 0, 0, 0);
    rig_fill(&r, 5, TWO);
    clock_clean(&r, macro(1, 1, FMT_FP32, 4 * 4)); // 5.0
    clock_clean(&r, SFPDST(SFPLOAD, 0, FMT_FP32, 4 * 6));
    clock_clean(&r, SFPDST(SFPLOAD, 1, FMT_FP32, 4 * 8)); // 9.0
    ck_assert_uint_eq(rig_rest(&r).hazards, 0);
    for (unsigned l = 0; l < TS_LANES; l++) {
        ck_assert_uint_eq(r.v.lreg[5][l], 0x40A00000u); // not what was loaded afterwards
        ck_assert_uint_eq(r.v.lreg[1][l], 0x41100000u);
    }
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, one_vector_a_cycle);
    tcase_add_test(tcase, a_load_behind_a_swap);
    tcase_add_test(tcase, select_in_three_cycles);
    tcase_add_test(tcase, counting_instructions);
    tcase_add_test(tcase, overbooking);
    tcase_add_test(tcase, discarded);
    tcase_add_test(tcase, simple_beside_round);
    tcase_add_test(tcase, store_place_and_format);
    tcase_add_test(tcase, indirect_and_immediate);
    tcase_add_test(tcase, swap_clamps);
    tcase_add_test(tcase, timing_only);
    tcase_add_test(tcase, refusals);
    tcase_add_test(tcase, second_cycles);
}

SUITE("vector_macro", add_tests)
