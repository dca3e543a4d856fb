// Register files, formats and the instructions that only the documents define.
// One file, in the order of the data: formats, Dst and Src, what computes on them, fills, empties.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "units/files/format.h"
#include "units/isa/cfgregs.h"
#include "units/matrix/unit.h"
#include "units/pack/pack.h"
#include "units/unpack/unpack.h"

// ---- formats -----------------------------------------------------------------------------------

START_TEST(test_cells_round_trip)
{
    for (uint32_t x = 0; x < 0x10000; x++) {
        ck_assert_uint_eq(ts_bf16_to_cell(ts_bf16_from_cell((uint16_t)x)), x);
        ck_assert_uint_eq(ts_fp16_to_cell(ts_fp16_from_cell((uint16_t)x)), x);
        ck_assert_uint_eq(ts_fp32_to_cell(ts_fp32_from_cell(x * 65537u)), x * 65537u);
        ck_assert_uint_eq(ts_bf16_from_src(ts_src_from_bf16((uint16_t)x)), x);
        ck_assert_uint_eq(ts_fp16_from_src(ts_src_from_fp16((uint16_t)x)), x);
    }
    ck_assert_uint_eq(ts_bf16_to_cell(0x3F80), 0x007F); // 1.0: mantissa 0, exponent 127
    ck_assert_uint_eq(ts_fp16_to_cell(0xBC01), 0x8000 | 1 << 5 | 15);
}
END_TEST

START_TEST(test_conversions)
{
    ck_assert_uint_eq(ts_bf16_from_bfp8(0x40, 127), 0x3F80);  // 64/64 * 2^0
    ck_assert_uint_eq(ts_bf16_from_bfp8(0x81, 127), 0xBC80);  // -1/64
    ck_assert_uint_eq(ts_bf16_from_bfp8(0x80, 127), 0xFF80);  // -0 is minus infinity
    ck_assert_uint_eq(ts_bf16_from_bfp8(0x01, 3), 0xFD << 7); // normalising wraps the exponent
    ck_assert_uint_eq(ts_fp16_from_bfp8a(0x40, 15), 0x3C00);
    ck_assert_uint_eq(ts_fp16_from_fp32(0x3F800000), 0x3C00);
    ck_assert_uint_eq(ts_fp16_from_fp32(0x7F800000), 0x7FFF); // saturates
    ck_assert_uint_eq(ts_fp16_from_fp32(0xB8000001), 0x8000); // 112 - 112: exponent 0, mantissa cut
    ck_assert_uint_eq(ts_fp16_from_fp8(0x7F, false), 0x7FFF);
    ck_assert_uint_eq(ts_fp16_from_fp8(0x3C, false), 0x3C00);
    ck_assert_uint_eq(ts_fp16_from_fp8(0x38, true), 0x3C00);
    ck_assert_uint_eq(ts_fp16_from_int8(0x83, false), 0x8000 | 16 << 10 | 3);
    ck_assert_uint_eq(ts_fp16_from_int8(0x83, true), 16 << 10 | 0x83);
    ck_assert_int_eq(ts_sat_add32(INT32_MAX, 1), INT32_MAX);
    ck_assert_int_eq(ts_sat_add32(-INT32_MAX, -1), -INT32_MAX);
}
END_TEST

// ---- Dst ---------------------------------------------------------------------------------------

START_TEST(test_dst_maps_are_permutations)
{
    static struct ts_dst dst;
    ts_dst_reset(&dst);
    for (unsigned mode = 0; mode < 4; mode++) {
        dst.remap_addrs = mode & 1;
        dst.swizzle_32b = mode >> 1 & 1;
        uint8_t seen16[TS_DST_ROWS] = {0}, seen32[TS_DST_ROWS] = {0};
        for (unsigned row = 0; row < TS_DST_ROWS; row++) {
            seen16[ts_dst_row16(&dst, row)]++;
            ck_assert_uint_eq(ts_dst_row16(&dst, row) % 4, row % 4);
        }
        for (unsigned row = 0; row < TS_DST_ROWS / 2; row++) {
            uint32_t at = ts_dst_row32(&dst, row);
            ck_assert_uint_eq(at & TS_DST_LO_ROW, 0);
            seen32[at]++;
            seen32[at + TS_DST_LO_ROW]++;
        }
        for (unsigned row = 0; row < TS_DST_ROWS; row++)
            ck_assert(seen16[row] == 1 && seen32[row] == 1);
    }
}
END_TEST

START_TEST(test_dst_undefined_rows)
{
    static struct ts_dst dst;
    ts_dst_reset(&dst);
    ts_dst_set32(&dst, 3, 5, 0x12345678);
    ck_assert_uint_eq(ts_dst_get32(&dst, 3, 5), 0x12345678);
    ts_dst_clear32(&dst, 3, 1, false);
    ck_assert_uint_eq(ts_dst_get32(&dst, 3, 5), 0);
    ts_dst_clear32(&dst, 3, 1, true); // the data are still there
    ck_assert_uint_eq(ts_dst_get32(&dst, 3, 5), 0x12345678);
    ck_assert_uint_eq(ts_dst_get16(&dst, 3, 5), 0x1234);
    ck_assert_uint_eq(ts_dst_get16(&dst, 11, 5), 0x5678);
}
END_TEST

START_TEST(test_dst_risc_window)
{
    static struct ts_dst dst;
    uint32_t v = 0;
    ts_dst_reset(&dst);
    for (unsigned fmt = 0; fmt < 6; fmt++) {
        static const uint8_t bytes[6] = {4, 4, 2, 2, 2, 1};
        ck_assert(ts_dst_risc_store(&dst, 8 * bytes[fmt], bytes[fmt], fmt, false, false, 0x37));
        ck_assert(ts_dst_risc_load(&dst, 8 * bytes[fmt], bytes[fmt], fmt, false, false, &v));
        ck_assert_uint_eq(v, 0x37);
    }
    ck_assert(
        ts_dst_risc_store(&dst, 0, 4, 1, false, false, (uint32_t)-5)); // kept as sign and magnitude
    ck_assert_uint_eq(ts_fp32_from_cell(ts_dst_get32(&dst, 0, 0)), 0x80000005);
    ck_assert(!ts_dst_risc_load(&dst, 0, 4, 3, false, false, &v));
}
END_TEST

// ---- Src ---------------------------------------------------------------------------------------

START_TEST(test_src_banks)
{
    static struct ts_srcs srcs;
    ts_srcs_reset(&srcs);
    ts_src_hand_over(&srcs.a, TS_FMT_BF16);
    ck_assert(srcs.a.unpacker == 1 && srcs.a.bank[0].owner == TS_SRC_MATRIX &&
              srcs.a.bank[0].format == TS_FMT_BF16);
    ts_src_flip(&srcs.a, false);
    ck_assert(srcs.a.matrix == 1 && srcs.a.bank[0].owner == TS_SRC_UNPACKER);
    ts_src_hand_over(&srcs.b, TS_FMT_FP16);
    ts_src_flip(&srcs.b, true);
    ck_assert(srcs.b.matrix == 1 && srcs.b.bank[0].owner == TS_SRC_MATRIX);
    ts_cleardvalid(&srcs, 3, false, true);
    ck_assert(srcs.a.matrix == 0 && srcs.a.unpacker == 0 &&
              srcs.b.bank[0].owner == TS_SRC_UNPACKER);
    srcs.a.bank[0].split_ok[0] = srcs.a.bank[0].split_ok[1] = 0xFF;
    ts_src_touch(&srcs.a.bank[0], 12, 8); // rows 12 to 19: blocks 1 and 2
    ck_assert_uint_eq(srcs.a.bank[0].split_ok[0], 0xF9);
    ts_src_touch(&srcs.a.bank[0], 0, 64);
    ck_assert_uint_eq(srcs.a.bank[0].split_ok[1], 0);
}
END_TEST

START_TEST(test_shifts)
{
    static struct ts_srcs srcs;
    ts_srcs_reset(&srcs);
    for (unsigned c = 0; c < 16; c++) {
        srcs.a.bank[0].w[16][c] = c << 13;
        srcs.b.bank[0].w[7][c] = c << 13;
    }
    ck_assert(!ts_shiftxa(&srcs, 2, 16).what);
    ck_assert_uint_eq(srcs.a.bank[0].w[0][0], 0);
    ck_assert_uint_eq(srcs.a.bank[0].w[0][15], 14u << 13);
    ck_assert(!ts_shiftxa(&srcs, 3, 16).what);
    ck_assert_uint_eq(srcs.a.bank[0].w[0][0], 1u << 13);
    ck_assert_uint_eq(srcs.a.bank[0].w[0][15], 0);
    ck_assert(ts_shiftxa(&srcs, 1, 0).kind == TS_CONTRACT);
    ts_shiftxb(&srcs, false, 7);
    ck_assert(srcs.b.bank[0].w[7][0] == 1u << 13 && srcs.b.bank[0].w[7][15] == 0);
    ts_shiftxb(&srcs, true, 7);
    ck_assert(srcs.b.bank[0].w[7][0] == 2u << 13 && srcs.b.bank[0].w[7][15] == 0);
}
END_TEST

// ---- matrix unit -------------------------------------------------------------------------------

// Writes a BF16 value to a Src word.
static uint32_t bf(float f)
{
    uint32_t x;
    memcpy(&x, &f, 4);
    return x & 0xFFFF0000u;
}

START_TEST(test_mvmul_identity_and_broadcast)
{
    static struct ts_srcs srcs;
    static struct ts_dst dst;
    struct ts_matrix_mode mode = {.style_a = TS_STYLE_BF16, .style_b = TS_STYLE_BF16};
    ts_srcs_reset(&srcs);
    ts_dst_reset(&dst);
    for (unsigned k = 0; k < 16; k++)
        srcs.a.bank[0].w[k][k] = bf(1.0f);
    for (unsigned c = 0; c < 16; c++)
        srcs.b.bank[0].w[3][c] = bf((float)c - 3);
    ck_assert(!ts_mvmul(&dst, &srcs, &mode, 0, 0, 16, 8).what);
    for (unsigned c = 0; c < 16; c++)
        ck_assert_uint_eq((uint32_t)ts_bf16_from_cell(ts_dst_get16(&dst, 19, c)) << 16,
                          c == 3 ? 0 : bf((float)c - 3));
    // one row onto every other row
    ck_assert(!ts_mvmul_broadcast(&dst, &srcs, &mode, 0, 3, 64).what);
    for (unsigned r = 0; r < 8; r++)
        ck_assert_uint_eq((uint32_t)ts_bf16_from_cell(ts_dst_get16(&dst, 64 + r, 5)) << 16,
                          r % 2 ? 0 : bf(2.0f));
    mode.style_b = TS_STYLE_FP16;
    ck_assert(ts_mvmul(&dst, &srcs, &mode, 0, 0, 0, 8).kind == TS_CONTRACT);
}
END_TEST

START_TEST(test_gmpool_scale_and_argmax)
{
    static struct ts_srcs srcs;
    static struct ts_dst dst;
    struct ts_matrix_mode mode = {
        .style_a = TS_STYLE_BF16, .style_b = TS_STYLE_BF16, .dst32 = true};
    ts_srcs_reset(&srcs);
    ts_dst_reset(&dst);
    ts_dst_clear32(&dst, 0, 8, false);
    for (unsigned k = 0; k < 16; k++) {
        srcs.b.bank[0].w[0][k] = bf(k == 2 ? 4.0f : 1.0f); // row 2 counts four times
        for (unsigned c = 0; c < 16; c++)
            srcs.a.bank[0].w[k][c] = bf(k == 2 ? 3.0f : (float)k - 9.5f);
    }
    ck_assert(!ts_gmpool(&dst, &srcs, &mode, false, 0, 0, 0).what);
    ck_assert_uint_eq(ts_fp32_from_cell(ts_dst_get32(&dst, 0, 7)), bf(12.0f));
    ck_assert_uint_eq(ts_dst_get32(&dst, 1, 7), 0); // the other rows of the group become zero
    ts_dst_clear32(&dst, 4, 4, false);
    ck_assert(!ts_gmpool(&dst, &srcs, &mode, true, 0, 0, 4).what);
    uint32_t cell = ts_dst_get32(&dst, 4, 7);
    ck_assert_uint_eq((uint32_t)ts_bf16_from_cell((uint16_t)(cell >> 16)) << 16, bf(12.0f));
    // An undefined row reads as all ones: the index phase steps from 0xF to 0; row 2 maps to 6.
    ck_assert_uint_eq(cell & 0xFFF, 0x006);
}
END_TEST

START_TEST(test_access)
{
    static struct ts_srcs srcs;
    static struct ts_dst dst;
    uint32_t cfg[TS_CFG_ALL] = {[1] = 1u << 29};
    uint16_t thd[TS_THD_ALL] = {[1] = 512};
    struct ts_rwc rwc = {.dst = 13};
    uint8_t last = 0;
    struct ts_matrix_view view = {
        .cfg = cfg, .thd = thd, .rwc = &rwc, .srcs = &srcs, .dst = &dst, .last_row_a = &last};
    struct ts_matrix_access access = ts_matrix_access(&view, 0x26000000u | 8); // MVMUL dst 8
    ck_assert(access.need_a && access.need_b && access.read_dst && access.write_dst &&
              access.dst32);
    ck_assert(access.dst_row == 512 + 16 && access.dst_rows == 8);
    access = ts_matrix_access(&view, 0x28000000u); // ELWADD without accumulation
    ck_assert(!access.read_dst && access.write_dst);
    access = ts_matrix_access(&view, 0x08002000u); // MOVD2A of four rows
    ck_assert(!access.need_a && access.read_dst && !access.write_dst && access.dst_row == 524);
    ck_assert(ts_matrix_execute(&view, 0x22000000u).kind == TS_NOT_IMPLEMENTED); // CONV3S1
}
END_TEST

// ---- unpackers ---------------------------------------------------------------------------------

// A single-context UNPACR of BF16 through the plan, with the given REG2 word and descriptor flags.
struct unpack_rig {
    uint32_t cfg[TS_CFG_ALL];
    uint16_t thd[TS_THD_ALL];
    struct ts_adcs adcs;
    struct ts_unpacker unpacker;
    struct ts_srcs srcs;
    struct ts_dst dst;
    uint8_t l1[4096];
};

static struct ts_refusal unpack(struct unpack_rig *rig, uint32_t word)
{
    struct ts_unpack_view view = {rig->cfg, rig->thd, 0, rig->l1, sizeof rig->l1, NULL};
    struct ts_args_UNPACR args = ts_decode_UNPACR(word);
    struct ts_unpack_plan plan;
    struct ts_refusal refusal = ts_unpack_plan(&plan, &view, &rig->adcs, &rig->unpacker, args);
    if (!refusal.what)
        refusal = ts_unpack_run(&plan, &rig->srcs, &rig->dst, rig->l1, sizeof rig->l1);
    if (!refusal.what)
        ts_unpack_count(&plan, &view, &rig->adcs, &rig->unpacker);
    ts_unpack_hand_over(&plan, &view, &rig->unpacker, &rig->srcs);
    return refusal;
}

static void unpack_setup(struct unpack_rig *rig, unsigned count)
{
    memset(rig, 0, sizeof *rig);
    rig->cfg[112] = TS_FMT_BF16 | 1u << 4 | 16u << 16; // unpacker 1: rows of 16
    rig->cfg[113] = 64;
    rig->cfg[120] = TS_FMT_BF16;
    rig->cfg[124] = 0; // data at byte 16
    rig->adcs.set[0][1].channel[1].v[TS_ADC_X] = count - 1;
    for (unsigned i = 0; i < 512; i++) {
        uint16_t x = (uint16_t)(0x3F80 + i);
        memcpy(rig->l1 + 16 + 2 * i, &x, 2);
    }
}

// Rows of a block format are converted as one datum after the other is.
START_TEST(test_unpack_rows)
{
    static const uint8_t formats[] = {TS_FMT_BFP8, TS_FMT_BFP4, TS_FMT_BFP2};
    const struct ts_unpack_plan plan = {
        .in_format = formats[_i], .out_format = TS_FMT_BFP8, .target = TS_UNPACK_SRCA};
    const unsigned bits = 8u >> _i, each = 8 / bits;
    uint8_t in[256], exponents[128];
    uint32_t out[8 * 256];
    for (unsigned i = 0; i < 256; i++)
        in[i] = (uint8_t)i;
    for (unsigned e = 0; e < 256; e++) {
        memset(exponents, (int)e, sizeof exponents);
        ts_unpack_rows(&plan, out, in, exponents, 16 * each);
        for (unsigned i = 0; i < 256 * each; i++) {
            const uint32_t datum = (uint32_t)in[i / each] >> i % each * bits & ((1u << bits) - 1);
            ck_assert_uint_eq(out[i], ts_unpack_datum(&plan, datum, (uint8_t)e));
        }
    }
}
END_TEST

START_TEST(test_unpack_upsampling)
{
    static struct unpack_rig rig;
    unpack_setup(&rig, 8);
    rig.cfg[120] |= 1u << 12; // one zero after each datum
    ck_assert(!unpack(&rig, 0x42800001u | 1u << 6).what);
    const uint32_t *w = rig.srcs.b.bank[0].w[0];
    for (unsigned i = 0; i < 16; i++)
        ck_assert_uint_eq(w[i], i % 2 ? 0 : (0x3F80u + i / 2) << 16);
    ck_assert_uint_eq(rig.srcs.b.unpacker, 1);
    unpack_setup(&rig, 8);
    rig.cfg[120] |= 1u << 12 | 1u << 15; // skip a position instead
    rig.srcs.b.bank[0].w[0][1] = 77u << 13;
    ck_assert(!unpack(&rig, 0x42800001u).what);
    ck_assert_uint_eq(rig.srcs.b.bank[0].w[0][1], 77u << 13);
    ck_assert_uint_eq(rig.srcs.b.bank[0].w[0][2], 0x3F81u << 16);
}
END_TEST

START_TEST(test_unpack_compressed)
{
    static struct unpack_rig rig;
    unpack_setup(&rig, 16);
    rig.cfg[112] = TS_FMT_BF16 | 16u << 16; // compressed
    rig.cfg[113] = 2;                       // two rows
    memset(rig.l1, 0, sizeof rig.l1);
    static const uint16_t starts[3] = {0, 3, 5}; // row 0 has three data, row 1 two
    static const uint16_t data[5] = {0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0};
    static const uint8_t zeros[5] = {4, 0, 9, 0, 14};
    memcpy(rig.l1 + 16, starts, sizeof starts);
    memcpy(rig.l1 + 32, data, sizeof data);
    for (unsigned i = 0; i < 5; i++)
        rig.l1[32 + 64 + i / 2] |= (uint8_t)(zeros[i] << 4 * (i % 2));
    ck_assert(!unpack(&rig, 0x42800001u).what);
    const uint32_t *w = rig.srcs.b.bank[0].w[0];
    for (unsigned i = 0; i < 16; i++)
        ck_assert_uint_eq(w[i], i == 0   ? 0x3F800000u
                                : i == 5 ? 0x40000000u
                                : i == 6 ? 0x40400000u
                                         : 0);
    rig.adcs.set[0][1].channel[0].v[TS_ADC_Y] = 1;
    ck_assert(!unpack(&rig, 0x42800001u).what);
    for (unsigned i = 0; i < 16; i++)
        ck_assert_uint_eq(w[i], i == 0 ? 0x40800000u : i == 1 ? 0x40A00000u : 0);
}
END_TEST

START_TEST(test_unpack_counters_and_refusals)
{
    static struct unpack_rig rig;
    unpack_setup(&rig, 16);
    ck_assert(!unpack(&rig, 0x42800001u | 0xE4u << 15).what); // increments z 0, y 1, z 2, y 3
    const struct ts_adc *adc = &rig.adcs.set[0][1];
    ck_assert_uint_eq(adc->channel[0].v[TS_ADC_Y], 1);
    ck_assert_uint_eq(adc->channel[1].v[TS_ADC_Z], 2);
    ck_assert_uint_eq(adc->channel[1].v[TS_ADC_Y], 3);
    ck_assert(unpack(&rig, 0x42800001u | 1u << 5).kind == TS_NOT_IMPLEMENTED); // srcb_bcast
    rig.cfg[120] = TS_FMT_FP16;
    ck_assert(unpack(&rig, 0x42800001u).kind == TS_NOT_IMPLEMENTED); // BF16 to FP16
    rig.cfg[120] = TS_FMT_BF16;
    rig.cfg[124] = 0x1000;
    ck_assert(unpack(&rig, 0x42800001u).kind == TS_CONTRACT); // beyond L1
    struct ts_unpack_view view = {rig.cfg, rig.thd, 0, rig.l1, sizeof rig.l1, NULL};
    struct ts_unpacker unpacker = {0};
    rig.cfg[120] |= 1u << 6; // two contexts
    ck_assert(ts_unpack_other(&view, &unpacker, ts_decode_UNPACR(0x42800001u | 1u << 13)));
    ck_assert_uint_eq(unpacker.context[0], 1);
    ck_assert(ts_unpack_other(&view, &unpacker, ts_decode_UNPACR(0x42800001u | 1u << 13)));
    ck_assert_uint_eq(unpacker.context[0], 0);
}
END_TEST

START_TEST(test_unpack_nop)
{
    static struct unpack_rig rig;
    unpack_setup(&rig, 16);
    struct ts_unpack_view view = {rig.cfg, rig.thd, 0, rig.l1, sizeof rig.l1, NULL};
    struct ts_unpack_nop_write write;
    struct ts_args_UNPACR_NOP args = {.unpack_pop = 1, .src_clr_val_ctrl = 1, .set_dvalid = 1};
    rig.cfg[72] = TS_FMT_TF32;
    ck_assert(!ts_unpack_nop(&view, &rig.unpacker, &rig.srcs, args, &write).what);
    ck_assert_uint_eq(rig.srcs.a.bank[0].w[63][15], 0xFFFFE000u);
    ck_assert(rig.srcs.a.bank[0].owner == TS_SRC_MATRIX &&
              rig.srcs.a.bank[0].format == TS_FMT_TF32);
    args = (struct ts_args_UNPACR_NOP){
        .unpacker_select = 1, .unpack_pop = 1, .src_clr_val_ctrl = 2, .clr_to1_fmt_ctrl = 1};
    ck_assert(!ts_unpack_nop(&view, &rig.unpacker, &rig.srcs, args, &write).what);
    ck_assert_uint_eq(rig.srcs.b.bank[0].w[0][0], 0x3F800000u);
    ck_assert_int_eq(ts_unpack_nop_bank(&rig.srcs, args), 0);
    args = (struct ts_args_UNPACR_NOP){.unpack_pop = 0, .stream_id = 9, .msg_clr_cnt = 1};
    ck_assert(!ts_unpack_nop(&view, &rig.unpacker, &rig.srcs, args, &write).what);
    ck_assert(write.some && write.stream == 9);
}
END_TEST

START_TEST(test_src_store)
{
    static struct unpack_rig rig;
    unpack_setup(&rig, 16);
    struct ts_unpack_view view = {rig.cfg, rig.thd, 0, rig.l1, sizeof rig.l1, NULL};
    struct ts_unpacker unpackers[2] = {{.src_row = {16}}, {.src_row = {32}}};
    // the low half in Dst's order (1.0: exponent 127), the high half in the natural one
    static const uint32_t gprs[2] = {0x4000007Fu, 0x3F800080u};
    ck_assert(!ts_src_store(&view, unpackers, &rig.srcs, true, 5u << 2 | 1, gprs).what);
    const uint32_t *w = rig.srcs.b.bank[0].w[32 + 5];
    ck_assert(w[4] == 0x3F800000u && w[5] == 0x40000000u && w[6] == 0x40000000u &&
              w[7] == 0x3F800000u);
    ck_assert(!ts_src_store(&view, unpackers, &rig.srcs, false, 3u << 2, gprs).what); // dropped
    ck_assert(!ts_src_store(&view, unpackers, &rig.srcs, false, 4u << 2, gprs).what);
    ck_assert_uint_eq(rig.srcs.a.bank[0].w[16][0], 0x3F800000u);
    ck_assert(ts_src_store(&view, unpackers, &rig.srcs, true, 16u << 2, gprs).kind == TS_CONTRACT);
}
END_TEST

// ---- packer ------------------------------------------------------------------------------------

struct pack_rig {
    uint32_t cfg[TS_CFG_ALL];
    uint16_t thd[TS_THD_ALL];
    struct ts_adcs adcs;
    struct ts_packer packer;
    struct ts_dst dst;
    uint8_t l1[4096];
};

static void pack_setup(struct pack_rig *rig, unsigned in, unsigned out)
{
    memset(rig, 0, sizeof *rig);
    ts_dst_reset(&rig->dst);
    rig->cfg[1] = in << 25;
    rig->cfg[12] = 32u << 16;
    rig->cfg[24] = 0xFFFF;
    rig->cfg[28] = 16u << 8;
    rig->cfg[70] = 1u | out << 4 | in << 8;
    rig->adcs.set[0][TS_ADC_PACK].channel[1].v[TS_ADC_X] = 15;
    for (unsigned r = 0; r < 64; r++)
        for (unsigned c = 0; c < 16; c++)
            ts_dst_set16(&rig->dst, r, c, ts_bf16_to_cell((uint16_t)(0x3F80 + 16 * r + c)));
}

static struct ts_refusal pack(struct pack_rig *rig, uint32_t word)
{
    struct ts_pack_view view = {rig->cfg, rig->thd, 0, true, NULL};
    struct ts_args_PACR args = ts_decode_PACR(word);
    struct ts_pack_plan plan;
    struct ts_refusal refusal = ts_pack_plan(&plan, &view, &rig->adcs, &rig->packer, args);
    if (!refusal.what)
        refusal = ts_pack_run(&plan, &rig->packer, &rig->dst, rig->l1, sizeof rig->l1);
    if (!refusal.what)
        ts_pack_finish(&plan, ts_pack_adc(&plan, &rig->adcs), args.addr_mode);
    return refusal;
}

static uint16_t half_at(const uint8_t *l1, unsigned byte)
{
    uint16_t x;
    memcpy(&x, l1 + byte, 2);
    return x;
}

START_TEST(test_pack_downsample_and_stats)
{
    static struct pack_rig rig;
    pack_setup(&rig, TS_FMT_BF16, TS_FMT_BF16);
    rig.cfg[71] = 0x1111; // every fourth column
    ck_assert(!pack(&rig, 0x41000101u).what);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(half_at(rig.l1, 16 + 2 * i), 0x3F80 + 4 * i);
    ck_assert_uint_eq(half_at(rig.l1, 24), 0); // padding
    ck_assert_uint_eq(rig.packer.max_exponent, 127);
    ck_assert_uint_eq(rig.packer.histogram[127 & 31], 2); // one datum in eight
    uint32_t value[4];
    struct ts_pack_view view = {rig.cfg, rig.thd, 0, false, NULL};
    ts_pack_state(&view, &rig.packer, 9, 0, value);
    ck_assert_uint_eq(value[0], 127);
    ts_pack_state(&view, &rig.packer, 7, 0, value);
    ck_assert_uint_eq(value[3] >> 24, 2);
    ts_pack_state(&view, &rig.packer, 0, 0, value);
    ck_assert_uint_eq(value[0], 1u << 16 | 1); // one tile of 16 bytes
    ts_pack_clear_histogram(&rig.packer);
    ck_assert_uint_eq(rig.packer.max_exponent, 0);
    struct ts_pack_setreg regs = {.base = {0x40000, 0}, .scaler = {0, 3, 0, 0}};
    struct ts_args_PACR_SETREG args = {.unused = 5, .stream_id = 2};
    uint32_t addr, written;
    bool some;
    ck_assert(!ts_pack_setreg(&view, &regs, args, &addr, &written, &some).what);
    ck_assert(some && addr == 0xFFB42000u && written == (5 | 15u << 12));
}
END_TEST

START_TEST(test_pack_threshold_stride_and_flush)
{
    static struct pack_rig rig;
    pack_setup(&rig, TS_FMT_BF16, TS_FMT_BF16);
    rig.cfg[71] = 1u << 20 | 128u << 24;                // exponents below 128 become zero
    ck_assert(!pack(&rig, 0x41020101u | 3u << 8).what); // strided: rows 0 and 16
    ck_assert_uint_eq(half_at(rig.l1, 16), 0);
    ck_assert_uint_eq(half_at(rig.l1, 48), 0x3F80 + 256);
    pack_setup(&rig, TS_FMT_BF16, TS_FMT_BF16);
    ck_assert(!pack(&rig, 0x41000100u).what);
    ck_assert(rig.packer.open);
    memset(rig.l1 + 48, 0xCC, 16);
    ck_assert(!pack(&rig, 0x41000002u).what); // flush: nothing read, streams closed
    ck_assert(!rig.packer.open);
    ck_assert_uint_eq(rig.l1[48], 0xCC);
}
END_TEST

START_TEST(test_pack_edges_and_refusals)
{
    static struct pack_rig rig;
    pack_setup(&rig, TS_FMT_BF16, TS_FMT_BF16);
    rig.cfg[24] = 0x00FF | 1u << 16; // minus infinity in the right half
    ck_assert(!pack(&rig, 0x41000101u).what);
    ck_assert_uint_eq(half_at(rig.l1, 16 + 14), 0x3F87);
    ck_assert_uint_eq(half_at(rig.l1, 16 + 16), 0xFF80);
    rig.cfg[70] |= 1u << 12;
    ck_assert(pack(&rig, 0x41000101u).kind == TS_NOT_IMPLEMENTED); // Dis_shared_exp_assembler
    rig.cfg[70] &= ~(1u << 12);
    ck_assert(pack(&rig, 0x41000105u).kind == TS_NOT_IMPLEMENTED); // ctxt_ctrl
    rig.cfg[69] = 0x2000;
    ck_assert(pack(&rig, 0x41000101u).kind == TS_CONTRACT); // beyond L1
    pack_setup(&rig, TS_FMT_INT32, TS_FMT_BF16);
    ck_assert(pack(&rig, 0x41000101u).kind == TS_CONTRACT);
}
END_TEST

// L1 accumulation, in integers: exact sum of two BF16 or FP32 values, rounded to nearest even.
static uint32_t add_exact(uint32_t a, uint32_t b, unsigned man_bits)
{
    int ea = (int)(a >> 23 & 255), eb = (int)(b >> 23 & 255);
    if (ea < eb) {
        uint32_t t = a;
        a = b;
        b = t;
        int e = ea;
        ea = eb;
        eb = e;
    }
    // 24 bits, far enough up that what a distance over 32 drops is only sticky
    int64_t ma = ea ? (int64_t)((a & 0x7FFFFF) | 0x800000) << 36 : 0;
    int64_t mb = eb ? (int64_t)((b & 0x7FFFFF) | 0x800000) << 36 : 0;
    int distance = ea - eb;
    int64_t lost = distance > 60 ? mb : mb & ((INT64_C(1) << (distance > 60 ? 60 : distance)) - 1);
    mb = distance > 60 ? 0 : mb >> distance;
    mb |= lost ? 1 : 0;
    int64_t sum = (a >> 31 ? -ma : ma) + (b >> 31 ? -mb : mb);
    if (!sum)
        return a & b & 0x80000000u;
    uint32_t sign = sum < 0 ? 0x80000000u : 0;
    uint64_t m = (uint64_t)(sum < 0 ? -sum : sum);
    int lead = 63 - __builtin_clzll(m), e = ea + lead - 59, drop = lead - (int)man_bits;
    uint64_t kept = m >> drop, rest = m & ((UINT64_C(1) << drop) - 1),
             half = UINT64_C(1) << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    if (kept >> (man_bits + 1)) {
        kept >>= 1;
        e++;
    }
    if (e <= 0)
        return sign;
    if (e >= 255)
        return sign | 0x7F800000u;
    return sign | (uint32_t)e << 23 | ((uint32_t)kept << (23 - man_bits) & 0x7FFFFFu);
}

START_TEST(test_pack_accumulate)
{
    uint64_t s = 88172645463325252u;
    for (unsigned i = 0; i < 300000; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        uint32_t a = (uint32_t)(s >> 32), b = (uint32_t)s;
        if (i & 1) { // close exponents
            uint32_t e = (a >> 23 & 0xFF) + (b >> 23 & 31) - 16;
            b = (b & 0x807FFFFFu) | (e < 255 ? e << 23 : 0);
        }
        if ((a >> 23 & 255) == 255 || (b >> 23 & 255) == 255)
            continue;
        uint32_t fa = a >> 23 & 255 ? a : a & 0x80000000u, fb = b >> 23 & 255 ? b : b & 0x80000000u;
        uint32_t wide = a;
        ts_pack_add_row_fp32(&wide, &b, 1);
        ck_assert_uint_eq(wide, add_exact(fa, fb, 23));
        uint32_t ha = fa & 0xFFFF0000u, hb = fb & 0xFFFF0000u;
        uint16_t sum = (uint16_t)(ha >> 16), datum = (uint16_t)(hb >> 16);
        ts_pack_add_row_bf16(&sum, &datum, 1);
        ck_assert_uint_eq(sum, add_exact(ha, hb, 7) >> 16);
        ck_assert_uint_eq(ts_pack_add_bf16((uint16_t)(ha >> 16), (uint16_t)(hb >> 16)),
                          add_exact(ha, hb, 7) >> 16);
    }
    ck_assert_uint_eq(ts_pack_add_bf16(0x7F80, 0xFF80), 0x7FC0);
    ck_assert_uint_eq(ts_pack_add_bf16(0x7FC1, 0xFF7F), 0x7F80); // a NaN in L1 outweighs
    uint32_t wide = 0x7F800000;
    ts_pack_add_row_fp32(&wide, &(uint32_t){0xFF800000}, 1);
    ck_assert_uint_eq(wide, 0x7FC00000);
    ck_assert_uint_eq(ts_pack_add_fp16(0x3C00, 0x3C00), 0x4000);
    ck_assert_uint_eq(ts_pack_add_fp16(0x7800, 0xF800), 0x7FFF); // the cancellation quirk
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_cells_round_trip);
    tcase_add_test(tests, test_conversions);
    tcase_add_test(tests, test_dst_maps_are_permutations);
    tcase_add_test(tests, test_dst_undefined_rows);
    tcase_add_test(tests, test_dst_risc_window);
    tcase_add_test(tests, test_src_banks);
    tcase_add_test(tests, test_shifts);
    tcase_add_test(tests, test_mvmul_identity_and_broadcast);
    tcase_add_test(tests, test_gmpool_scale_and_argmax);
    tcase_add_test(tests, test_access);
    tcase_add_loop_test(tests, test_unpack_rows, 0, 3);
    tcase_add_test(tests, test_unpack_upsampling);
    tcase_add_test(tests, test_unpack_compressed);
    tcase_add_test(tests, test_unpack_counters_and_refusals);
    tcase_add_test(tests, test_unpack_nop);
    tcase_add_test(tests, test_src_store);
    tcase_add_test(tests, test_pack_downsample_and_stats);
    tcase_add_test(tests, test_pack_threshold_stride_and_flush);
    tcase_add_test(tests, test_pack_edges_and_refusals);
    tcase_add_test(tests, test_pack_accumulate);
}

SUITE("data path", add_tests, .one_process = true)
