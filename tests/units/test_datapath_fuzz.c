// Random words, configuration and counters through every body: no access outside arrays, no
// undefined behaviour. Only effective under asan and ubsan. TENSIM_FUZZ sets the number of words.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "units/isa/cfgregs.h"
#include "units/matrix/unit.h"
#include "units/pack/pack.h"
#include "units/unpack/unpack.h"

#define L1_SIZE 0x18000u

struct machine {
    uint32_t cfg[TS_CFG_ALL];
    uint16_t thd[TS_THD_ALL];
    struct ts_adcs adcs;
    struct ts_rwc rwc;
    struct ts_srcs srcs;
    struct ts_dst dst;
    struct ts_unpacker unpacker[2];
    struct ts_packer packer;
    uint8_t last_row_a;
    uint64_t done, refused;
};

static uint64_t state = UINT64_C(0x2545F4914F6CDD1D);
static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static void scramble(struct machine *m)
{
    uint32_t keep = draw(), spread = draw();
    for (unsigned i = 0; i < TS_CFG_WORDS;
         i++) // few bits set: more words get past the first refusal
        if (draw() % 4 == 0)
            m->cfg[i] = draw() & draw() & (keep & 1 ? draw() : UINT32_MAX);
    for (unsigned i = 0; i < TS_THD_WORDS; i++)
        m->thd[i] = (uint16_t)(draw() % 3 ? 0 : draw());
    // sane enough formats and addresses most of the time
    if (spread % 4) {
        uint32_t f = draw() & 15, g = draw() & 15;
        m->cfg[64] = f | 1u << 4 | (16 * (1 + draw() % 64)) << 16;
        m->cfg[72] = (m->cfg[72] & ~15u) | (f ? f : g & 5);
        m->cfg[112] = g | 1u << 4 | (16 * (1 + draw() % 64)) << 16;
        m->cfg[120] = (m->cfg[120] & ~15u) | (g ? g : f & 5);
        m->cfg[73] |= 1;
        m->cfg[121] |= 1;
        m->cfg[76] = m->cfg[124] = draw() % 0x1000;
        m->cfg[69] = draw() % 0x1400;
        m->cfg[70] = 1u | (draw() & 15) << 4 | f << 8;
        m->cfg[71] &= draw() & draw();
        m->cfg[1] = (m->cfg[1] & ~(15u << 25)) | f << 25;
    }
    for (unsigned t = 0; t < TS_THREADS; t++)
        for (unsigned g = 0; g < TS_ADC_GROUPS; g++)
            for (unsigned c = 0; c < 2; c++)
                for (unsigned d = 0; d < TS_ADC_DIMS; d++)
                    ts_adc_put(&m->adcs.set[t][g].channel[c], d, spread & 1 ? draw() : draw() % 20);
    m->dst.remap_addrs = spread >> 8 & 1;
    m->dst.swizzle_32b = spread >> 9 & 1;
    m->dst.hi16 = (spread >> 10 & 7) == 0;
}

static void run(struct machine *m, uint32_t word, uint8_t *l1)
{
    struct ts_refusal refusal = {0};
    unsigned thread = draw() % TS_THREADS;
    uint8_t op = TS_OP_OF(word);
    if (op == TS_OP_UNPACR) {
        struct ts_unpack_view view = {m->cfg, m->thd, thread, l1, L1_SIZE, NULL};
        struct ts_args_UNPACR args = ts_decode_UNPACR(word);
        struct ts_unpacker *unpacker = &m->unpacker[args.unpack_block_selection];
        struct ts_unpack_plan plan;
        if (ts_unpack_other(&view, unpacker, args))
            return;
        refusal = ts_unpack_plan(&plan, &view, &m->adcs, unpacker, args);
        if (!refusal.what)
            refusal = ts_unpack_run(&plan, &m->srcs, &m->dst, l1, L1_SIZE);
        if (!refusal.what)
            ts_unpack_count(&plan, &view, &m->adcs, unpacker);
        ts_unpack_hand_over(&plan, &view, unpacker, &m->srcs);
    } else if (op == TS_OP_UNPACR_NOP) {
        struct ts_unpack_view view = {m->cfg, m->thd, thread, l1, L1_SIZE, NULL};
        struct ts_args_UNPACR_NOP args = ts_decode_UNPACR_NOP(word);
        struct ts_unpack_nop_write write;
        refusal = ts_unpack_nop(&view, &m->unpacker[args.unpacker_select], &m->srcs, args, &write);
    } else if (op == TS_OP_PACR) {
        struct ts_pack_view view = {m->cfg, m->thd, thread, draw() & 1, NULL};
        struct ts_args_PACR args = ts_decode_PACR(word);
        struct ts_pack_plan plan;
        refusal = ts_pack_plan(&plan, &view, &m->adcs, &m->packer, args);
        if (!refusal.what)
            refusal = ts_pack_run(&plan, &m->packer, &m->dst, l1, L1_SIZE);
        if (!refusal.what)
            ts_pack_finish(&plan, ts_pack_adc(&plan, &m->adcs), args.addr_mode);
    } else {
        struct ts_matrix_view view = {.cfg = m->cfg,
                                      .thd = m->thd,
                                      .rwc = &m->rwc,
                                      .srcs = &m->srcs,
                                      .dst = &m->dst,
                                      .last_row_a = &m->last_row_a,
                                      .block_cols = (uint16_t)draw()};
        ts_matrix_access(&view, word);
        refusal = ts_matrix_execute(&view, word);
    }
    m->refused += refusal.what != NULL;
    m->done += refusal.what == NULL;
}

START_TEST(test_fuzz)
{
    static struct machine m;
    static const uint8_t ops[] = {0x08, 0x09, 0x0A, 0x0B, 0x10, 0x11, 0x12, 0x13, 0x16, 0x17, 0x18,
                                  0x26, 0x27, 0x28, 0x29, 0x30, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38,
                                  0x41, 0x41, 0x41, 0x42, 0x42, 0x42, 0x42, 0x43, 0x22};
    uint8_t *l1 = malloc(L1_SIZE);
    const char *wanted = getenv("TENSIM_FUZZ");
    unsigned long count = wanted ? strtoul(wanted, NULL, 0) : 60000;
    for (unsigned i = 0; i < L1_SIZE; i += 4) {
        uint32_t w = draw();
        memcpy(l1 + i, &w, 4);
    }
    ts_dst_reset(&m.dst);
    for (unsigned long i = 0; i < count; i++) {
        if (i % 16 == 0)
            scramble(&m);
        uint32_t word = (uint32_t)ops[draw() % sizeof ops] << 24 |
                        (draw() & (draw() & 1 ? 0xFFFFFF : draw() & draw()));
        run(&m, word, l1);
    }
    free(l1);
    ck_assert(m.done > count / 3); // the fuzz reaches the bodies
    ck_assert(m.refused > 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_fuzz);
}

SUITE("data path fuzz", add_tests, .one_process = true)
