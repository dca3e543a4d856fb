// Unpackers and packer against hashes of the vendor's functional reference.
#include <check.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/units/golden/golden_pack.h"
#include "units/files/format.h"
#include "units/isa/cfgregs.h"
#include "units/pack/pack.h"
#include "units/unpack/unpack.h"

struct row {
    unsigned index;
    uint64_t taken, hash;
};
static const struct row unpack_table[] = {
#include "tests/units/golden/unpack.inc"
};
static const struct row pack_table[] = {
#include "tests/units/golden/pack.inc"
};

static uint8_t l1[GOLDEN_L1];

static void set_adc(struct ts_adc *adc, const uint32_t from[8])
{
    for (unsigned i = 0; i < 8; i++)
        adc->channel[i / 4].v[i % 4] = adc->channel[i / 4].cr[i % 4] = from[i];
}

static uint64_t hash_adc(uint64_t h, const struct ts_adc *adc)
{
    h = ts_hash_bytes(h, adc->channel[0].v, sizeof adc->channel[0].v);
    return ts_hash_bytes(h, adc->channel[1].v, sizeof adc->channel[1].v);
}

static struct ts_bits reference; // all rules as the reference has them

START_TEST(test_unpack)
{
    static struct golden_unpack g;
    static struct ts_srcs srcs;
    static struct ts_dst dst;
    const struct row *row = &unpack_table[_i];
    uint64_t h = TS_HASH_START;
    golden_l1(l1);
    for (unsigned i = 0; i < 48; i++) {
        if (!(row->taken >> i & 1))
            continue;
        golden_unpack_case(&g, row->index, i);
        ts_srcs_reset(&srcs);
        ts_dst_reset(&dst);
        uint16_t thd[TS_THD_ALL] = {[5] = g.thd5, [41] = g.thd41};
        struct ts_adcs adcs = {0};
        struct ts_unpacker unpacker = {0};
        set_adc(&adcs.set[0][g.which], g.adc);
        struct ts_unpack_view view = {g.cfg, thd, 0, l1, sizeof l1, &reference};
        struct ts_args_UNPACR args = ts_decode_UNPACR(g.word);
        struct ts_unpack_plan plan;
        struct ts_refusal refusal = ts_unpack_plan(&plan, &view, &adcs, &unpacker, args);
        if (!refusal.what)
            refusal = ts_unpack_run(&plan, &srcs, &dst, l1, sizeof l1);
        ck_assert_msg(!refusal.what, "%s", refusal.what ? refusal.what : "");
        ts_unpack_count(&plan, &view, &adcs, &unpacker);
        ts_unpack_hand_over(&plan, &view, &unpacker, &srcs);
        for (unsigned bank = 0; bank < 2; bank++)
            h = ts_hash_bytes(h, srcs.a.bank[bank].w, sizeof srcs.a.bank[bank].w);
        for (unsigned bank = 0; bank < 2; bank++)
            h = ts_hash_bytes(h, srcs.b.bank[bank].w, sizeof srcs.b.bank[bank].w);
        h = ts_hash_bytes(h, dst.bits, sizeof dst.bits);
        h = ts_hash_bytes(h, dst.valid, sizeof dst.valid);
        h = hash_adc(h, &adcs.set[0][g.which]);
        bool handed = g.word >> 6 & 1;
        ck_assert_uint_eq((g.which ? srcs.b : srcs.a).unpacker, handed);
        ck_assert_uint_eq((g.which ? srcs.b : srcs.a).bank[0].owner,
                          handed ? TS_SRC_MATRIX : TS_SRC_UNPACKER);
    }
    ck_assert_msg(h == row->hash, "unpack %s to %s differs from the reference",
                  ts_format_name(golden_unpack_pairs[row->index].in),
                  ts_format_name(golden_unpack_pairs[row->index].out));
}
END_TEST

START_TEST(test_pack)
{
    static struct golden_pack g;
    static struct ts_dst dst;
    const struct row *row = &pack_table[_i];
    uint64_t h = TS_HASH_START;
    for (unsigned i = 0; i < 32; i++) {
        if (!(row->taken >> i & 1))
            continue;
        golden_l1(l1);
        golden_pack_case(&g, row->index, i);
        ts_dst_reset(&dst);
        memcpy(dst.bits, g.dst, sizeof g.dst);
        memcpy(dst.valid, g.valid, sizeof g.valid);
        uint16_t thd[TS_THD_ALL] = {
            [37] = g.thd[0], [38] = g.thd[1], [39] = g.thd[2], [40] = g.thd[3]};
        struct ts_adcs adcs = {0};
        struct ts_packer packer = {0};
        set_adc(&adcs.set[0][TS_ADC_PACK], g.adc);
        struct ts_pack_view view = {g.cfg, thd, 0, false, &reference};
        for (unsigned k = 0; k < g.words; k++) {
            struct ts_args_PACR args = ts_decode_PACR(g.word[k]);
            struct ts_pack_plan plan;
            struct ts_refusal refusal = ts_pack_plan(&plan, &view, &adcs, &packer, args);
            if (!refusal.what)
                refusal = ts_pack_run(&plan, &packer, &dst, l1, sizeof l1);
            ck_assert_msg(!refusal.what, "%s", refusal.what ? refusal.what : "");
            ts_pack_finish(&plan, ts_pack_adc(&plan, &adcs), args.addr_mode);
        }
        ck_assert(!packer.open);
        h = ts_hash_bytes(h, l1, sizeof l1);
        h = hash_adc(h, &adcs.set[0][TS_ADC_PACK]);
    }
    ck_assert_msg(h == row->hash, "pack mode 0x%x differs from the reference",
                  golden_pack_modes[row->index]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_unpack, 0, (int)(sizeof unpack_table / sizeof *unpack_table));
    tcase_add_loop_test(tests, test_pack, 0, (int)(sizeof pack_table / sizeof *pack_table));
}

SUITE("pack golden", add_tests, .one_process = true)
