// The matrix unit's bodies against hashes of the vendor's functional reference, and the portable
// paths against the fast.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/units/golden/golden.h"
#include "units/matrix/mul.h"
#include "units/matrix/unit.h"

static const struct row {
    unsigned op, format, dst32;
    uint32_t taken;
    uint64_t hash;
} table[] = {
#include "tests/units/golden/matrix.inc"
};

static const char *const op_names[] = {
#define X(name) #name,
    GOLDEN_OPS(X)
#undef X
};

// A tile's worth of register files, set from a golden state.
struct rig {
    struct ts_srcs srcs;
    struct ts_dst dst;
    struct ts_rwc rwc;
    uint32_t cfg[TS_CFG_ALL];
    uint16_t thd[TS_THD_ALL];
    uint8_t last_row_a;
};

static struct ts_bits reference; // all rules as the reference has them

static struct ts_matrix_view rig_view(struct rig *rig)
{
    return (struct ts_matrix_view){.cfg = rig->cfg,
                                   .thd = rig->thd,
                                   .rwc = &rig->rwc,
                                   .srcs = &rig->srcs,
                                   .dst = &rig->dst,
                                   .last_row_a = &rig->last_row_a,
                                   .bits = &reference};
}

static void rig_load(struct rig *rig, const struct golden_matrix *g)
{
    memset(rig, 0, sizeof *rig);
    for (unsigned bank = 0; bank < 2; bank++) {
        memcpy(rig->srcs.a.bank[bank].w, g->a[bank], sizeof g->a[bank]);
        memcpy(rig->srcs.b.bank[bank].w, g->b[bank], sizeof g->b[bank]);
        rig->srcs.a.bank[bank].format = (uint8_t)g->format_a;
        rig->srcs.b.bank[bank].format = (uint8_t)g->format_b;
    }
    memcpy(rig->dst.bits, g->dst, sizeof g->dst);
    memcpy(rig->dst.valid, g->valid, sizeof g->valid);
    memcpy(rig->cfg, g->cfg, sizeof g->cfg);
    rig->cfg[220] = g->cfg220;
    rig->thd[2] = g->implied[0];
    rig->thd[3] = g->implied[1];
    rig->rwc = (struct ts_rwc){.dst = (uint16_t)g->rwc_d,
                               .srca = (uint8_t)g->rwc_a,
                               .srcb = (uint8_t)g->rwc_b,
                               .fidelity = (uint8_t)g->phase};
}

static uint64_t rig_hash(uint64_t h, const struct rig *rig)
{
    for (unsigned bank = 0; bank < 2; bank++)
        h = ts_hash_bytes(h, rig->srcs.a.bank[bank].w, sizeof rig->srcs.a.bank[bank].w);
    for (unsigned bank = 0; bank < 2; bank++)
        h = ts_hash_bytes(h, rig->srcs.b.bank[bank].w, sizeof rig->srcs.b.bank[bank].w);
    h = ts_hash_bytes(h, rig->dst.bits, sizeof rig->dst.bits);
    return ts_hash_bytes(h, rig->dst.valid, sizeof rig->dst.valid);
}

START_TEST(test_golden)
{
    static struct rig rig;
    static struct golden_matrix g;
    const struct row *row = &table[_i];
    uint64_t h = TS_HASH_START;
    for (unsigned i = 0; i < 24; i++) {
        uint8_t taken = row->taken >> i & 1;
        h = ts_hash_bytes(h, &taken, 1);
        if (!taken)
            continue;
        golden_matrix_case(&g, row->op, row->format, row->dst32, i);
        rig_load(&rig, &g);
        struct ts_matrix_view view = rig_view(&rig);
        struct ts_refusal refusal = ts_matrix_execute(&view, g.word);
        ck_assert_msg(!refusal.what, "%s: %s", op_names[row->op], refusal.what ? refusal.what : "");
        h = rig_hash(h, &rig);
    }
    ck_assert_msg(h == row->hash, "%s %s Dst%ub differs from the reference", op_names[row->op],
                  ts_format_name(golden_formats[row->format]), row->dst32 ? 32 : 16);
}
END_TEST

// The same rows by the plain integer path, one at a time.
static void exact_rows(struct rig *rig, const struct ts_matrix_mode *mode, unsigned rows)
{
    struct ts_dst *dst = &rig->dst;
    for (unsigned r = 0; r < rows; r++) {
        uint32_t at = mode->dst32 ? ts_dst_row32(dst, rig->rwc.dst + r)
                                  : ts_dst_row16(dst, rig->rwc.dst + r);
        uint16_t *lo = dst->bits[mode->dst32 ? at + TS_DST_LO_ROW : at];
        if (!dst->valid[at]) {
            memset(dst->bits[at], 0, sizeof dst->bits[at]);
            memset(lo, 0, sizeof dst->bits[at]);
            dst->valid[at] = 1;
        }
        struct ts_src_bank *a = &rig->srcs.a.bank[0], *b = &rig->srcs.b.bank[0];
        ts_mul_exact_row(dst->bits[at], lo, (const uint32_t(*)[16]) & a->w[rig->rwc.srca],
                         (const uint32_t(*)[16]) & a->w[rig->rwc.srca + 8], b->w[rig->rwc.srcb + r],
                         mode, &dst->random);
    }
}

START_TEST(test_exact_equals_fast)
{
    static struct rig fast, exact;
    static struct golden_matrix g;
    unsigned format = (unsigned)_i / 2, dst32 = (unsigned)_i % 2;
    for (unsigned i = 100; i < 180; i++) {
        golden_matrix_case(&g, GOLDEN_MVMUL, format, dst32, i);
        rig_load(&fast, &g);
        rig_load(&exact, &g);
        struct ts_alu_cfg cfg = ts_alu_cfg_read(fast.cfg, fast.thd, &reference);
        struct ts_matrix_mode mode;
        ts_matrix_mode_of(&mode, &cfg, &fast.srcs, g.phase);
        unsigned rows = i % 4 ? 8 : 4;
        ck_assert(!ts_mvmul(&fast.dst, &fast.srcs, &mode, g.rwc_a, g.rwc_b, g.rwc_d, rows).what);
        exact_rows(&exact, &mode, rows);
        ck_assert_mem_eq(fast.dst.bits, exact.dst.bits, sizeof fast.dst.bits);
        ck_assert_mem_eq(fast.dst.valid, exact.dst.valid, sizeof fast.dst.valid);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_golden, 0, (int)(sizeof table / sizeof *table));
    tcase_add_loop_test(tests, test_exact_equals_fast, 0, 2 * (int)sizeof golden_formats);
}

SUITE("matrix golden", add_tests, .one_process = true)
