// The packer beyond the golden data, from the documents: compression and decompression by an
// unpacker, input from L1, INT_DESCALE by Z, stochastic rounding, sizes and TDMA-RISC.
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "units/files/format.h"
#include "units/isa/cfgregs.h"
#include "units/matrix/matrix.h"
#include "units/pack/pack.h"
#include "units/unpack/unpack.h"

struct rig {
    uint32_t cfg[TS_CFG_ALL];
    uint16_t thd[TS_THD_ALL];
    struct ts_adcs adcs;
    struct ts_packer packer;
    struct ts_dst dst;
    struct ts_srcs srcs;
    struct ts_unpacker unpacker;
    uint8_t l1[0x8000];
};

static struct rig rig;

static void setup(unsigned middle, unsigned out)
{
    memset(&rig, 0, sizeof rig);
    ts_dst_reset(&rig.dst);
    ts_srcs_reset(&rig.srcs);
    rig.cfg[1] = middle << 25;
    rig.cfg[12] = 32u << 16;
    rig.cfg[24] = 0xFFFF;
    rig.cfg[28] = 16u << 8;
    rig.cfg[70] = 1u | out << 4 | middle << 8;
    rig.cfg[69] = 0xFF; // 0x1000
    rig.adcs.set[0][TS_ADC_PACK].channel[1].v[TS_ADC_X] = 15;
}

static struct ts_refusal pack(uint32_t word)
{
    struct ts_pack_view view = {rig.cfg, rig.thd, 0, false, NULL};
    struct ts_args_PACR args = ts_decode_PACR(word);
    struct ts_pack_plan plan;
    struct ts_refusal refusal = ts_pack_plan(&plan, &view, &rig.adcs, &rig.packer, args);
    if (!refusal.what)
        refusal = ts_pack_run(&plan, &rig.packer, &rig.dst, rig.l1, sizeof rig.l1);
    if (!refusal.what)
        ts_pack_finish(&plan, ts_pack_adc(&plan, &rig.adcs), args.addr_mode);
    return refusal;
}

#define PACR(interfaces, concat, last) \
    (0x41000000u | (uint32_t)(interfaces) << 8 | (uint32_t)(concat) << 4 | (uint32_t)(last))

static uint32_t seed = 12345;
static uint32_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

// ---- compression

static const struct {
    unsigned format;
    unsigned zeros; // of 8
} compressed[] = {
    {TS_FMT_BF16, 6}, {TS_FMT_BF16, 0}, {TS_FMT_BF16, 8}, {TS_FMT_FP16, 5},
    {TS_FMT_BFP8, 6}, {TS_FMT_BFP4, 4}, {TS_FMT_FP8, 7},
};

// Sixteen rows of Dst, a compression row each, packed with compression and unpacked again: what
// arrives in SrcB is what comes the uncompressed way.
START_TEST(test_compression_round_trip)
{
    unsigned format = compressed[_i].format;
    unsigned middle = format == TS_FMT_FP8 ? TS_FMT_FP16 : format >= 5 ? TS_FMT_BF16 : format;
    uint32_t plain[16][16] = {{0}};
    for (unsigned squeezed = 0; squeezed < 2; squeezed++) {
        setup(middle, format);
        seed = 99;
        for (unsigned r = 0; r < 16; r++)
            for (unsigned c = 0; c < 16; c++) {
                uint16_t x = (uint16_t)(0x3C00 + (draw() & 0x3FF)); // near 1 in both formats
                if (draw() % 8 < compressed[_i].zeros)
                    x = 0;
                ts_dst_set16(&rig.dst, r, c,
                             middle == TS_FMT_FP16 ? ts_fp16_to_cell(x) : ts_bf16_to_cell(x));
            }
        rig.cfg[70] = (rig.cfg[70] & ~1u) | !squeezed;
        rig.cfg[68] = 3u | 1u << 16; // 17 row starts in 48 bytes, 16 exponents
        for (unsigned r = 0; r < 16; r++) {
            rig.adcs.set[0][TS_ADC_PACK].channel[0].v[TS_ADC_Y] = r;
            ck_assert(!pack(PACR(1, 0, r == 15)).what);
        }
        // unpacker 1: x 16, y 16 (the rows), z 1
        rig.cfg[112] = format | (uint32_t)!squeezed << 4 | 16u << 16;
        rig.cfg[113] = 16 | 1u << 16;
        rig.cfg[120] = format;
        bool skips = format == TS_FMT_FP8; // 8-bit formats leave the exponents' room, too
        rig.cfg[124] = 0xFFu + (uint32_t)(skips && !squeezed);
        if (skips && squeezed) // the unpacker knows of no such room: close the gap
            memmove(rig.l1 + 0x1030, rig.l1 + 0x1040, 0x4000);
        struct ts_unpack_view view = {rig.cfg, rig.thd, 0, rig.l1, sizeof rig.l1, NULL};
        for (unsigned r = 0; r < 16; r++) {
            struct ts_adc *adc = &rig.adcs.set[0][TS_ADC_UNPACK1];
            adc->channel[0].v[TS_ADC_Y] = r;
            adc->channel[1].v[TS_ADC_X] = 15;
            adc->channel[1].v[TS_ADC_Y] = r;
            rig.cfg[58] = 32u << 16; // output: 16 data of two bytes a row
            struct ts_args_UNPACR args = {.unpack_block_selection = 1};
            struct ts_unpack_plan plan;
            struct ts_refusal refusal = ts_unpack_plan(&plan, &view, &rig.adcs, &rig.unpacker,
                                                       args);
            ck_assert_msg(!refusal.what, "%s", refusal.what);
            plan.out = r * 16;
            refusal = ts_unpack_run(&plan, &rig.srcs, &rig.dst, rig.l1, sizeof rig.l1);
            ck_assert_msg(!refusal.what, "%s", refusal.what);
            for (unsigned c = 0; c < 16; c++) {
                uint32_t got = rig.srcs.b.bank[0].w[r][c];
                if (!squeezed)
                    plain[r][c] = got;
                else if (!ts_format_is_bfp(format)) // groups share other exponents
                    ck_assert_msg(got == plain[r][c], "row %u col %u: 0x%08x, 0x%08x", r, c, got,
                                  plain[r][c]);
                else
                    ck_assert_msg((got == 0) <= (plain[r][c] == 0 || format == TS_FMT_BFP4),
                                  "row %u col %u: 0x%08x, 0x%08x", r, c, got, plain[r][c]);
            }
        }
    }
    // All-zero rows are flagged, and a tile of zeros is small.
    if (compressed[_i].zeros == 8) {
        ck_assert_uint_eq(rig.packer.zero_flags, 0xFFFF);
        ck_assert_uint_eq(rig.packer.augmented, 32); // first and last of each row
        ck_assert_uint_eq(rig.packer.last_size, 3 + 5);
    } else if (compressed[_i].zeros == 0) {
        ck_assert_uint_eq(rig.packer.augmented, 256);
        ck_assert_uint_eq(rig.packer.zero_flags, 0);
    }
}
END_TEST

// One row made of two PACRs by Concat: 1 0 0 ... 0, 0 ... 0 2.
START_TEST(test_compression_concat)
{
    setup(TS_FMT_BF16, TS_FMT_BF16);
    rig.cfg[70] &= ~1u;
    rig.cfg[68] = 1;
    for (unsigned c = 0; c < 16; c++) {
        ts_dst_set16(&rig.dst, 0, c, ts_bf16_to_cell(c == 0 ? 0x3F80 : 0));
        ts_dst_set16(&rig.dst, 1, c, ts_bf16_to_cell(c == 15 ? 0x4000 : 0));
    }
    ck_assert(!pack(PACR(1, 1, 0)).what);
    rig.adcs.set[0][TS_ADC_PACK].channel[0].v[TS_ADC_Y] = 1;
    ck_assert(!pack(PACR(1, 0, 1)).what);
    uint16_t starts[2], data[3];
    memcpy(starts, rig.l1 + 0x1000, 4);
    memcpy(data, rig.l1 + 0x1010, 6);
    ck_assert(starts[0] == 0 && starts[1] == 3);
    ck_assert(data[0] == 0x3F80 && data[1] == 0 && data[2] == 0x4000); // 15 zeros, one, 14 zeros
    ck_assert_uint_eq(rig.l1[0x1010 + 64], 15 | 14 << 4);
    ck_assert_uint_eq(rig.l1[0x1010 + 65], 0);
}
END_TEST

// ---- input from L1

START_TEST(test_input_from_l1)
{
    static const struct {
        uint8_t in, middle, out;
        uint32_t from, to;
    } cases[] = {
        {TS_FMT_FP32, TS_FMT_FP32, TS_FMT_BF16, 0x3F81FFFF, 0x3F81}, // truncates
        {TS_FMT_BF16, TS_FMT_BF16, TS_FMT_FP32, 0x4049, 0x40490000},
        {TS_FMT_FP16, TS_FMT_FP16, TS_FMT_BF16, 0x3C08, 0x3F81},
        {TS_FMT_FP8, TS_FMT_FP8, TS_FMT_FP16, 0x3D, 0x3D00},
        {TS_FMT_INT16, TS_FMT_INT32, TS_FMT_INT32, 0x1234, 0x12340000},
        {TS_FMT_INT32, TS_FMT_INT16, TS_FMT_INT16, 0x12345678, 0x1234},
        {TS_FMT_INT8, TS_FMT_INT16, TS_FMT_INT16, 0x12, 0x1200},
        {TS_FMT_INT16, TS_FMT_INT8, TS_FMT_INT8, 0x1234, 0x12},
        {TS_FMT_BFP8, TS_FMT_BFP8, TS_FMT_FP32, 0x85, 0x80050000}, // exponent zero
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        setup(cases[i].middle, cases[i].out);
        rig.cfg[70] = 1u | (uint32_t)cases[i].out << 4 | (uint32_t)cases[i].in << 8 | 1u << 16;
        rig.cfg[16] = 0x2000;                                     // PCK0_ADDR_BASE_REG_0
        rig.adcs.set[0][TS_ADC_PACK].channel[1].v[TS_ADC_X] = 39; // 40 data
        unsigned in = ts_format_bits(cases[i].in) / 8, out = ts_format_bits(cases[i].out) / 8;
        for (unsigned k = 0; k < 40; k++)
            memcpy(rig.l1 + 0x2000 + k * in, &cases[i].from, in);
        struct ts_refusal refusal = pack(PACR(1, 0, 1));
        ck_assert_msg(!refusal.what, "case %u: %s (0x%x)", i, refusal.what, refusal.value);
        unsigned skip = cases[i].out & 2 ? rig.cfg[68] >> 16 : 0;
        for (unsigned k = 0; k < 40; k++) {
            uint32_t got = 0;
            memcpy(&got, rig.l1 + 0x1000 + skip * 16 + k * out, out);
            ck_assert_msg(got == cases[i].to, "case %u datum %u: 0x%x", i, k, got);
        }
    }
    setup(TS_FMT_INT8, TS_FMT_INT8);
    rig.cfg[70] = 1u | TS_FMT_INT8 << 4 | TS_FMT_INT32 << 8 | 1u << 16;
    ck_assert_uint_eq(pack(PACR(1, 0, 1)).kind, TS_CONTRACT); // 32 bits to 8: no
}
END_TEST

// ---- INT_DESCALE by Z

START_TEST(test_descale_by_z)
{
    setup(TS_FMT_INT8, TS_FMT_INT8);
    rig.cfg[18] = 1;           // 32-bit Dst
    rig.cfg[8] = 3;            // enabled, by Z
    rig.cfg[187] = 0x04030201; // shifts of z = 0 to 3
    rig.cfg[188] = 0x00000005; // and of 4
    for (unsigned z = 0; z < 5; z++) {
        for (unsigned c = 0; c < 16; c++)
            ts_dst_set32(&rig.dst, 0, c, ts_fp32_to_cell(64));
        rig.adcs.set[0][TS_ADC_PACK].channel[0].v[TS_ADC_Z] = z;
        ck_assert(!pack(PACR(1, 0, 1)).what);
        ck_assert_uint_eq(rig.l1[0x1000], 64 >> (z + 1));
    }
}
END_TEST

// ---- the gasket: BF16 in Dst becomes FP16 before the packer, whatever the width of Dst

START_TEST(test_gasket_fp8)
{
    static const struct {
        uint32_t fp32;
        uint8_t e5m2, e4m3;
    } rows[] = {{0x3F800000, 0x3C, 0x38}, {0x3FC00000, 0x3E, 0x3C}, {0xC0000000, 0xC0, 0xC0}};
    static const unsigned middles[] = {TS_FMT_BF16, TS_FMT_BFP8};
    for (unsigned i = 0; i < 8; i++) {
        bool wide = i & 1, e4m3 = i & 2;
        setup(middles[i / 4], TS_FMT_FP8);
        rig.cfg[70] = 1u | TS_FMT_FP8 << 4 | TS_FMT_FP16 << 8;
        rig.cfg[71] |= (uint32_t)e4m3 << 23;
        rig.cfg[18] = (uint32_t)wide | 1u << 3; // Read_32b_data, Round_10b_mant
        for (unsigned c = 0; c < 3; c++)
            if (wide)
                ts_dst_set32(&rig.dst, 0, c, ts_fp32_to_cell(rows[c].fp32));
            else
                ts_dst_set16(&rig.dst, 0, c, ts_bf16_to_cell((uint16_t)(rows[c].fp32 >> 16)));
        ck_assert(!pack(PACR(1, 0, 1)).what);
        for (unsigned c = 0; c < 3; c++)
            ck_assert_uint_eq(rig.l1[0x1000 + c], e4m3 ? rows[c].e4m3 : rows[c].e5m2);
    }
}
END_TEST

// ---- stochastic rounding

// A quarter of the way between two BF16 numbers is rounded up in about a quarter of the cases, with
// a little more for the documented bias; an exact number hardly ever.
START_TEST(test_stochastic_early)
{
    unsigned up[2] = {0, 0};
    setup(TS_FMT_BF16, TS_FMT_BF16);
    rig.cfg[1] |= 2; // Gasket_srnd_en
    rig.cfg[18] = 1;
    for (unsigned n = 0; n < 4000; n++) {
        for (unsigned c = 0; c < 16; c++)
            ts_dst_set32(&rig.dst, 0, c, ts_fp32_to_cell(c & 1 ? 0x3F804000 : 0x3F800000));
        ck_assert(!pack(PACR(1, 0, 1)).what);
        for (unsigned c = 0; c < 16; c++) {
            uint16_t x;
            memcpy(&x, rig.l1 + 0x1000 + 2 * c, 2);
            ck_assert(x == 0x3F80 || x == 0x3F81);
            up[c & 1] += x == 0x3F81;
        }
    }
    ck_assert_uint_lt(up[0], 20);
    ck_assert_msg(up[1] > 7600 && up[1] < 8400, "%u of 32000", up[1]);
}
END_TEST

START_TEST(test_stochastic_late)
{
    unsigned up = 0;
    setup(TS_FMT_BF16, TS_FMT_BFP8);
    rig.cfg[1] |= 4; // Packer_srnd_en
    rig.cfg[68] = 1u << 16;
    for (unsigned n = 0; n < 4000; n++) {
        // 2.0 takes the exponent; 1 + 1/128 needs one bit more than is left: 32.25 of 64ths
        for (unsigned c = 0; c < 16; c++)
            ts_dst_set16(&rig.dst, 0, c, ts_bf16_to_cell(c ? 0x3F81 : 0x4000));
        ck_assert(!pack(PACR(1, 0, 1)).what);
        ck_assert_uint_eq(rig.l1[0x1000], 128);
        for (unsigned c = 1; c < 16; c++) {
            ck_assert(rig.l1[0x1010 + c] == 32 || rig.l1[0x1010 + c] == 33);
            up += rig.l1[0x1010 + c] == 33;
        }
    }
    ck_assert_msg(up > 60000 / 4 && up < 60000 / 4 * 2.2, "%u of 60000", up);
}
END_TEST

// The matrix unit: 1 + 2^-8 in a 16-bit Dst, again and again.
START_TEST(test_stochastic_fpu)
{
    unsigned up = 0;
    setup(TS_FMT_BF16, TS_FMT_BF16);
    struct ts_matrix_mode mode = {
        .style_a = TS_STYLE_BF16, .style_b = TS_STYLE_BF16, .stochastic = true};
    for (unsigned r = 0; r < 64; r++)
        for (unsigned c = 0; c < 16; c++) {
            rig.srcs.a.bank[0].w[r][c] = 0x3B800000; // 2^-8
            rig.srcs.b.bank[0].w[r][c] = 0x3F800000; // 1
        }
    struct ts_elw elw = {.op = TS_ELW_MUL};
    for (unsigned n = 0; n < 500; n++) {
        for (unsigned r = 0; r < 8; r++)
            for (unsigned c = 0; c < 16; c++)
                ts_dst_set16(&rig.dst, r, c, ts_bf16_to_cell(0x3F80));
        ck_assert(!ts_elementwise(&rig.dst, &rig.srcs, &mode, &elw, 0, 0, 0).what);
        for (unsigned r = 0; r < 8; r++)
            for (unsigned c = 0; c < 16; c++) {
                uint16_t x = ts_bf16_from_cell(ts_dst_get16(&rig.dst, r, c));
                ck_assert(x == 0x3F80 || x == 0x3F81);
                up += x == 0x3F81;
            }
    }
    ck_assert_msg(up > 30000 && up < 37000, "%u of 64000", up); // a half, and the bias
    // MVMUL goes the same way: sixteen products at once
    for (unsigned c = 0; c < 16; c++)
        rig.srcs.a.bank[0].w[0][c] = 0x3B800000;
    for (unsigned r = 1; r < 16; r++)
        memset(rig.srcs.a.bank[0].w[r], 0, sizeof rig.srcs.a.bank[0].w[r]);
    ts_src_touch(&rig.srcs.a.bank[0], 0, 64);
    for (unsigned c = 0; c < 16; c++)
        ts_dst_set16(&rig.dst, 0, c, ts_bf16_to_cell(0x3F80));
    ck_assert(!ts_mvmul(&rig.dst, &rig.srcs, &mode, 0, 0, 0, 8).what);
    uint16_t x = ts_bf16_from_cell(ts_dst_get16(&rig.dst, 0, 0));
    ck_assert(x == 0x3F80 || x == 0x3F81);
}
END_TEST

// ---- sideband

START_TEST(test_sizes_and_tdma)
{
    setup(TS_FMT_BF16, TS_FMT_BF16);
    rig.cfg[70] |= 1u << 14 | 1u << 22; // Enable_out_fifo, Add_tile_header_size
    struct ts_pack_setreg regs = {0};
    struct ts_pack_view view = {rig.cfg, rig.thd, 0, false, NULL};
    uint32_t value[4], got;
    bool wait;
    ck_assert(ts_pack_tdma_read(&rig.packer, &regs, false, 0x30, &got, &wait) && wait);
    ck_assert(!pack(PACR(15, 0, 1)).what); // four rows: 128 bytes
    ts_pack_state(&view, &rig.packer, 0, 0, value);
    ck_assert_uint_eq(value[0], 9u << 16 | 8);
    ts_pack_state(&view, &rig.packer, 2, 0, value);
    ck_assert(value[0] == 9 && value[1] == (TS_FMT_BF16 << 16 | 1u << 20));
    ck_assert(ts_pack_tdma_read(&rig.packer, &regs, true, 0x3c, &got, &wait) && got == 1u << 27);
    ck_assert(ts_pack_tdma_read(&rig.packer, &regs, false, 0x30, &got, &wait) && got == 8);
    ck_assert(ts_pack_tdma_read(&rig.packer, &regs, false, 0x1c, &got, &wait) && got == 9);
    ck_assert(ts_pack_tdma_read(&rig.packer, &regs, false, 0x34, &got, &wait));
    ck_assert(ts_pack_tdma_read(&rig.packer, &regs, false, 0x38, &got, &wait) && got == 0x55);
    // the offset of the output, by ACC_PACKED_SIZE
    ck_assert(ts_pack_tdma_write(&rig.packer, &regs, 0x1c, 1u << 16 | 0x20));
    rig.cfg[70] |= 2; // Add_l1_dest_addr_offset
    memset(rig.l1, 0, sizeof rig.l1);
    for (unsigned c = 0; c < 16; c++)
        ts_dst_set16(&rig.dst, 0, c, ts_bf16_to_cell(0x4000));
    ck_assert(!pack(PACR(1, 0, 1)).what);
    ck_assert(rig.l1[0x1201] == 0x40 && rig.l1[0x1001] == 0);
    ts_pack_reset(&rig.packer);
    ts_pack_state(&view, &rig.packer, 0, 0, value);
    ck_assert_uint_eq(value[0], 0);
    // PACR_SETREG: bases and scalers
    ck_assert(ts_pack_tdma_write(&rig.packer, &regs, 0x38, 1u << 20 | 2u << 22 | 3u << 10 | 5));
    ck_assert(regs.base[0] == (1u << 18 | 5u << 2) && regs.base[1] == (2u << 18 | 3u << 2));
    ck_assert(ts_pack_tdma_write(&rig.packer, &regs, 0x3c, 7u | 8u << 9 | 9u << 18));
    ck_assert(ts_pack_tdma_write(&rig.packer, &regs, 0x28, 11u << 16));
    ck_assert(regs.scaler[0] == 7 && regs.scaler[1] == 8 && regs.scaler[2] == 9 &&
              regs.scaler[3] == 11);
    ck_assert(!ts_pack_tdma_write(&rig.packer, &regs, 0x3f8, 0));
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_compression_round_trip, 0,
                        (int)(sizeof compressed / sizeof *compressed));
    tcase_add_test(tests, test_compression_concat);
    tcase_add_test(tests, test_input_from_l1);
    tcase_add_test(tests, test_descale_by_z);
    tcase_add_test(tests, test_gasket_fp8);
    tcase_add_test(tests, test_stochastic_early);
    tcase_add_test(tests, test_stochastic_late);
    tcase_add_test(tests, test_stochastic_fpu);
    tcase_add_test(tests, test_sizes_and_tdma);
}

SUITE("packer", add_tests)
