// SFPLOAD and SFPSTORE: every format, addresses, and what LaneConfig does to them; from the ISA
// pages, a cell at a time.
#include "tests/suite.h"
#include "tests/units/vector_check.h"
#include "units/files/format.h"
#include "units/vector/body.h"

// A 16-bit cell of Dst (or the high and low halves of a 32-bit one) and the register it makes.
static const struct {
    unsigned fmt;
    uint32_t cell, lreg;
    bool wide;
} loads[] = {
    {1, 0x8000u | 0x155u << 5 | 17, 0x80000000u | (17 + 112) << 23 | 0x155u << 13, false},
    {1, 0x155u << 5, 0x155u << 13, false}, // a denormal becomes some other denormal
    {1, 0x7FFFu, (31u + 112) << 23 | 0x3FFu << 13, false},
    {2, 0xAB12u, 0x80000000u | 0x12u << 23 | 0x2Bu << 16, false},
    {3, 0xAB125678u, 0x80000000u | 0x12u << 23 | 0x2Bu << 16 | 0x5678u, true},
    {4, 0xAB125678u, 0x80000000u | 0x12u << 23 | 0x2Bu << 16 | 0x5678u, true},
    {5, 0xFFFFu, 0x800000FFu, false},
    {6, 0xFEDCu, 0xFEDCu, false},
    {7, 0xFEDCu, 0xFEDC0000u, false},
    {8, 0xFEDCu, 0x80007EDCu, false},
    {9, 0xFEDCu, 0xFEDCu, false},
    {10, 0xAB125678u, 0x80000000u | 0x12u << 23 | 0x2Bu << 16 | 0x5678u, true},
    {11, 0xFFFFu, 0, false},
    {12, 0xAB125678u, 0x80000000u | 0x12u << 23 | 0x2Bu << 16 | 0x5678u, true},
    {13, 0xFFFFu, 0x800003FFu, false},
    {14, 0xFEDCu, 0x1234FEDCu, false}, // the register held 12345678
    {15, 0xFEDCu, 0xFEDC5678u, false},
};

// Dst that differs in every cell but one.
static void scatter(struct rig *r, uint32_t row, uint32_t col, uint32_t cell, bool wide)
{
    for (uint32_t n = 0; n < TS_DST_ROWS * TS_DST_COLS; n++)
        r->dst.bits[n / 16][n % 16] = (uint16_t)(0x9E37u * n);
    if (wide)
        ts_dst_set32(&r->dst, row, col, cell);
    else
        ts_dst_set16(&r->dst, row, col, (uint16_t)cell);
}

static void check_load_formats(unsigned row_number)
{
    struct rig r;
    rig_reset(&r);
    unsigned lane = 8 * 2 + 5; // row 2 of the group, column 10 or 11
    for (unsigned odd = 0; odd < 2; odd++) {
        scatter(&r, 36 + 2, 10 + odd, loads[row_number].cell, loads[row_number].wide);
        rig_fill(&r, 3, 0x12345678u);
        ck_assert_int_eq(rig_run(&r, SFPDST(SFPLOAD, 3, loads[row_number].fmt, 36 + 2 * odd)),
                         TS_VECTOR_OK);
        ck_assert_msg(r.v.lreg[3][lane] == loads[row_number].lreg, "format %u: %08x, not %08x",
                      loads[row_number].fmt, r.v.lreg[3][lane], loads[row_number].lreg);
    }
}

START_TEST(load_formats)
{
    for (unsigned n = 0; n < sizeof loads / sizeof loads[0]; n++)
        check_load_formats(n);
}
END_TEST

static const struct {
    unsigned fmt;
    uint32_t lreg, cell;
    bool wide;
} stores[] = {
    {1, 0x80000000u | (17 + 112) << 23 | 0x155u << 13 | 0x1FFF, 0x8000u | 0x155u << 5 | 17, false},
    {1, 112u << 23 | 0x7FFFFF, 0, false},
    {1, 0xFF800000u, 0xFFFFu, false},
    {1, 144u << 23, 0x7FFFu, false},
    {2, 0x807FFFFFu, 0x8000u, false},
    {2, 0x7FBFFFFFu, 0x3FFFu, false},
    {3, 0x807FFFFFu, 0x80000000u, true},
    {3, 0x89AB5678u, 0x80000000u | 0x2Bu << 24 | 0x13u << 16 | 0x5678u, true},
    {4, 0x807FFFFFu, 0xFF00FFFFu, true},
    {5, 0x80000123u, 0x8000u | 0x123u << 5 | 16, false},
    {6, 0x1234FEDCu, 0xFEDCu, false},
    {7, 0x1234FEDCu, 0x1234FEDCu, true},
    {8, 0x8001FEDCu, 0xFEDCu, false},
    {8, 0x0001FEDCu, 0x7EDCu, false},
    {9, 0x1234FEDCu, 0xFEDC1234u, true},
    {10, 0x807FFFFFu, 0xFF00FFFFu, true},
    {11, 0xFFFFFFFFu, 0, false},
    {12, 0x807FFFFFu, 0xFF00FFFFu, true},
    {13, 0x000007FFu, 0x3FFu << 5 | 16, false},
    {14, 0x1234FEDCu, 0xFEDCu, false},
    {15, 0x1234FEDCu, 0x1234u, false},
};

static void check_store_formats(unsigned row_number)
{
    struct rig r, before;
    rig_reset(&r);
    unsigned lane = 8 * 3 + 1; // row 3, column 2 or 3
    for (unsigned odd = 0; odd < 2; odd++) {
        scatter(&r, 0, 0, 0, false);
        ts_dst_clear16(&r.dst, 0, TS_DST_ROWS, false);
        before = r;
        r.v.use = TS_ALL_LANES;
        r.v.flags = 1u << lane;
        r.v.lreg[5][lane] = stores[row_number].lreg;
        uint32_t row = 72 + 3, col = 2 + odd;
        uint32_t word = SFPDST(SFPSTORE, 5, stores[row_number].fmt, 72 + 2 * odd);
        if (stores[row_number].fmt == 10)
            r.v.use = 0; // ignores the flags in any case: below
        ck_assert_int_eq(rig_run(&r, word), TS_VECTOR_OK);
        uint32_t got = stores[row_number].wide ? ts_dst_get32(&r.dst, row, col)
                                               : ts_dst_get16(&r.dst, row, col);
        ck_assert_msg(got == stores[row_number].cell, "format %u: %08x, not %08x",
                      stores[row_number].fmt, got, stores[row_number].cell);
        // Nothing else changed, and only that row is defined again.
        uint32_t at = stores[row_number].wide ? ts_dst_row32(&r.dst, row) : row;
        before.dst.bits[at][col] = r.dst.bits[at][col];
        if (stores[row_number].wide)
            before.dst.bits[at + 8][col] = r.dst.bits[at + 8][col];
        before.dst.valid[at] = 1;
        if (stores[row_number].fmt != 10)
            ck_assert_mem_eq(&r.dst, &before.dst, sizeof r.dst);
    }
}

START_TEST(store_formats)
{
    for (unsigned n = 0; n < sizeof stores / sizeof stores[0]; n++)
        check_store_formats(n);
}
END_TEST

START_TEST(addresses)
{
    struct rig r;
    rig_reset(&r);
    r.view = (struct ts_vector_view){
        .math_offset = 512,
        .dst_rwc = 500,
        .regw_base = 20,
        .sp = 7,
        .sp_base = 2,
        .stack_incr = 4,
        .srcb_format = TS_FMT_INT8,
    };
    struct ts_vector_insn i = rig_bind(&r, SFPDST(SFPLOAD, 0, 0, 10));
    ck_assert_uint_eq(i.dst_addr, (10 + 512 + 520 + (9 & 3)) & 0x3FF);
    ck_assert_uint_eq(i.fmt, 1);
    // INT32_ALL counts by the stack pointer: a store pushes, a load pops first.
    i = rig_bind(&r, SFPDST(SFPSTORE, 0, 10, 10));
    ck_assert_uint_eq(i.dst_addr, (10 + 512 + 9 + (520 & 3)) & 0x3FF);
    ck_assert_uint_eq(r.view.sp, 11);
    i = rig_bind(&r, SFPDST(SFPLOAD, 0, 10, 10));
    ck_assert_uint_eq(i.dst_addr, (10 + 512 + 9 + (520 & 3)) & 0x3FF);
    ck_assert_uint_eq(r.view.sp, 7);
    r.view.srcb_format = TS_FMT_TF32;
    ck_assert_uint_eq(rig_bind(&r, SFPDST(SFPLOAD, 0, 0, 0)).fmt, 2);
    r.view.fp32 = true;
    ck_assert_uint_eq(rig_bind(&r, SFPDST(SFPSTORE, 0, 0, 0)).fmt, 3);
    i = rig_bind(&r, OP(SFPLOADMACRO) | 14u << 20 | 3u << 16 | 5u << 13 | 0x2A7);
    ck_assert_uint_eq(i.vd, 6);
    ck_assert_uint_eq(i.round, 3);
    ck_assert_uint_eq(i.addr_mod, 5);
    ck_assert_uint_eq(i.imm, 0x2A7);
}
END_TEST

START_TEST(lane_config)
{
    struct rig r;
    rig_reset(&r);
    scatter(&r, 0, 0, 0, false);
    // CAPTURE_DEFAULT_DEST_INDEX: row and column go to the register four on.
    ck_assert_int_eq(
        rig_run(&r, SFP16(SFPCONFIG, TS_LANE_CAPTURE_INDEX | TS_LANE_DEST_INDEX, 15, 1)),
        TS_VECTOR_OK);
    ck_assert_int_eq(rig_run(&r, SFPDST(SFPLOAD, 2, 6, 8 + 2)), TS_VECTOR_OK);
    ck_assert_uint_eq(r.v.lreg[2][13], r.dst.bits[8 + 1][11]);
    ck_assert_uint_eq(r.v.lreg[6][13], (8 + 1) << 4 | 11);
    // Odd columns regardless of the address; then blocked.
    ck_assert_int_eq(rig_run(&r, SFP16(SFPCONFIG, TS_LANE_ODD_READ, 15, 1)), TS_VECTOR_OK);
    ck_assert_int_eq(rig_run(&r, SFPDST(SFPLOAD, 2, 6, 8)), TS_VECTOR_OK);
    ck_assert_uint_eq(r.v.lreg[2][13], r.dst.bits[8 + 1][11]);
    rig_fill(&r, 0, TS_LANE_BLOCK_READ | TS_LANE_BLOCK_WRITE);
    ck_assert_int_eq(rig_run(&r, SFP16(SFPCONFIG, 1, 15, 8)), TS_VECTOR_OK); // column 0 only
    rig_fill(&r, 2, 77);
    ck_assert_int_eq(rig_run(&r, SFPDST(SFPLOAD, 2, 11, 8)), TS_VECTOR_OK);
    uint16_t before = r.dst.bits[8][0];
    rig_fill(&r, 3, 0x5555);
    ck_assert_int_eq(rig_run(&r, SFPDST(SFPSTORE, 3, 6, 8)), TS_VECTOR_OK);
    for (unsigned l = 0; l < TS_LANES; l++)
        ck_assert_uint_eq(r.v.lreg[2][l], l % 8 ? 0 : 77);
    ck_assert_uint_eq(r.dst.bits[8][0], before);
    // ODD_READ is still on in the other columns, but stores go by ODD_WRITE.
    ck_assert_uint_eq(r.dst.bits[8][2], 0x5555);
    rig_fill(&r, 0, TS_LANE_ODD_WRITE | TS_LANE_FP16A_INF);
    ck_assert_int_eq(rig_run(&r, SFP16(SFPCONFIG, 0, 15, 0)), TS_VECTOR_OK);
    rig_fill(&r, 3, 0x7FFF);
    ck_assert_int_eq(rig_run(&r, SFPDST(SFPSTORE, 3, 6, 8)), TS_VECTOR_OK);
    ck_assert_uint_eq(r.dst.bits[8][3], 0x7FFF);
    ck_assert_int_eq(rig_run(&r, SFPDST(SFPLOAD, 4, 1, 10)), TS_VECTOR_OK); // all ones: infinity
    ck_assert_uint_eq(r.v.lreg[4][1], TS_FP32_INF);
}
END_TEST

// INT32_ALL ignores the flags; swizzled and remapped rows come out where they went in.
START_TEST(all_lanes_and_swizzle)
{
    struct rig r;
    rig_reset(&r);
    r.v.use = TS_ALL_LANES;
    for (unsigned swizzle = 0; swizzle < 4; swizzle++) {
        r.dst.swizzle_32b = swizzle & 1;
        r.dst.remap_addrs = swizzle > 1;
        for (uint32_t addr = 0; addr < 512; addr += 2) {
            for (unsigned l = 0; l < TS_LANES; l++)
                r.v.lreg[1][l] = addr << 16 | l | swizzle << 8;
            ck_assert_int_eq(rig_run(&r, SFPDST(SFPSTORE, 1, 10, addr)), TS_VECTOR_OK);
        }
        for (uint32_t addr = 0; addr < 512; addr += 2) {
            uint32_t row = (addr & ~3u) + 3, col = 2 * 6 + (addr & 2 ? 1 : 0);
            ck_assert_uint_eq(ts_fp32_from_cell(ts_dst_get32(&r.dst, row, col)),
                              addr << 16 | 30 | swizzle << 8);
            ck_assert_int_eq(rig_run(&r, SFPDST(SFPLOAD, 2, 10, addr)), TS_VECTOR_OK);
            ck_assert_uint_eq(r.v.lreg[2][30], addr << 16 | 30 | swizzle << 8);
        }
    }
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, load_formats);
    tcase_add_test(tcase, store_formats);
    tcase_add_test(tcase, addresses);
    tcase_add_test(tcase, lane_config);
    tcase_add_test(tcase, all_lanes_and_swizzle);
}

SUITE("vector_dst", add_tests)
