// units/matrix/unit.c: see matrix_unit.h.
#include "units/matrix/unit.h"

#include "units/lint.h"

#include <string.h>

static TS_SLOW_PATH void refresh(struct ts_matrix_unit *self, unsigned thread)
{
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    const uint32_t *cfg = ts_cfg_of(&tensix->cfg, thread);
    self->generation[thread] = tensix->cfg.generation[thread];
    self->alu[thread] = ts_alu_cfg_read(cfg, tensix->cfg.thd[thread]);
    self->view[thread] = (struct ts_matrix_view){
        .cfg = cfg,
        .thd = tensix->cfg.thd[thread],
        .rwc = &tensix->rwc[thread],
        .srcs = &files->srcs,
        .dst = &files->dst,
        .last_row_a = &self->last_row_a,
        .alu = &self->alu[thread],
        .dry = files->timing_only,
    };
    ts_matrix_view_settle(&self->view[thread]);
}

// The thread's view, kept while the configuration stays.
struct ts_matrix_view *ts_matrix_view_of(struct ts_matrix_unit *self, unsigned thread)
{
    if (__builtin_expect(self->generation[thread] != self->files->tensix->cfg.generation[thread],
                         0))
        refresh(self, thread);
    return &self->view[thread];
}

// What an instruction asks of the pipeline beside banks and Dst.
enum { WAITS_FOR_MOVE = 1, MOVES = 2, MOVD2B = 4, MOVD2A = 8, LONG = 16, BUSY2 = 32, GIVES = 64 };

static const uint8_t kinds[256] = {
    [TS_OP_MVMUL] = WAITS_FOR_MOVE | LONG,
    [TS_OP_DOTPV] = WAITS_FOR_MOVE | LONG,
    [TS_OP_ELWMUL] = WAITS_FOR_MOVE | LONG,
    [TS_OP_GMPOOL] = WAITS_FOR_MOVE | LONG,
    [TS_OP_GAPOOL] = WAITS_FOR_MOVE | LONG,
    [TS_OP_ELWADD] = LONG,
    [TS_OP_ELWSUB] = LONG,
    [TS_OP_MOVD2A] = WAITS_FOR_MOVE | MOVD2A,
    [TS_OP_MOVD2B] = WAITS_FOR_MOVE | MOVD2B,
    [TS_OP_MOVB2A] = MOVD2A,
    [TS_OP_MOVA2D] = MOVES,
    [TS_OP_MOVDBGA2D] = MOVES,
    [TS_OP_MOVB2D] = MOVES,
    [TS_OP_SHIFTXB] = BUSY2,
    [TS_OP_SETRWC] = GIVES,
    [TS_OP_CLEARDVALID] = GIVES,
};

// The field of the LONG ones that gives banks back.
#define CLEAR_DVALID(word) TS_BITS(word, 22, 2)

// Waits of the unit itself, which keep its port: nobody passes.
static bool held(struct ts_hold *hold, enum ts_stall reason, const struct ts_object *object,
                 ts_cycle until)
{
    *hold = (struct ts_hold){reason, object, until, true};
    return false;
}

static bool matrix_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                          struct ts_hold *hold)
{
    // Pure but for what it remembers: the configuration's meaning and the instruction's access.
    struct ts_matrix_unit *self = (struct ts_matrix_unit *)(uintptr_t)unit;
    struct ts_files *files = self->files;
    unsigned kind = kinds[in.op];
    const struct ts_object *own = &unit->component.object;
    if (__builtin_expect(self->free > now, 0))
        return held(hold, TS_STALL_UNIT_BUSY, own, self->free);
    if (__builtin_expect(self->after_movd2 > now, 0) && in.op != self->movd2_op &&
        !(kind & MOVD2A && self->movd2_op != TS_OP_MOVD2B))
        return held(hold, TS_STALL_UNIT_BUSY, own, self->after_movd2);
    if (__builtin_expect(self->after_move > now, 0) && kind & WAITS_FOR_MOVE)
        return held(hold, TS_STALL_UNIT_BUSY, own, self->after_move);
    const struct ts_matrix_access *a = &self->access;
    ts_matrix_access_to(&self->access, ts_matrix_view_of(self, in.thread), in.word);
    if (a->need_a && !ts_files_matrix_has(files, 0, now, hold))
        return false;
    if (a->need_b && !ts_files_matrix_has(files, 1, now, hold))
        return false;
    if (!a->dst_rows)
        return true;
    self->block = (uint8_t)ts_dst_block(&files->dst, a->dst32, a->dst_row);
    ts_cycle ready = files->block_ready[self->block];
    if (kind & LONG && ready > now)
        return held(hold, TS_STALL_DST_HAZARD, &files->dst_object, ready);
    ready = ts_files_dst_from(files, in.thread, TS_DST_MATRIX, now);
    if (ready > now)
        return ts_held(hold, TS_STALL_DST_HAZARD, &files->dst_object, ready);
    return true;
}

// How long the unit works on it, and what it forbids to those that follow.
static uint32_t book(struct ts_matrix_unit *self, struct ts_word in,
                     const struct ts_matrix_access *a, ts_cycle now)
{
    const struct ts_tensix_timing *t = &self->files->tensix->timing;
    unsigned kind = kinds[in.op];
    if (kind & LONG)
        return t->fpu_latency;
    if (kind & MOVES) {
        self->after_move = now + 1 + t->fpu_after_move;
        if (a->dst32 && a->dst_rows == 8) {
            uint32_t halves = t->fpu_mova2d_halves + self->half;
            self->half = halves & 1;
            self->free = now + halves / 2;
        }
        return t->fpu_latency_move;
    }
    if (kind & (MOVD2A | MOVD2B)) {
        self->movd2_op = in.op;
        self->after_movd2 = now + 1 + (kind & MOVD2B ? t->fpu_after_movd2b : t->fpu_after_movd2a);
        return in.op == TS_OP_MOVB2A ? t->fpu_latency_move : t->fpu_latency_movd2;
    }
    if (kind & BUSY2) {
        self->free = now + t->fpu_shiftxb;
        return t->fpu_shiftxb;
    }
    return t->fpu_latency_short;
}

// Instructions that touch a bank without waiting for it.
static const bool careless[256] = {[TS_OP_SETRWC] = true,
                                   [TS_OP_CLEARDVALID] = true,
                                   [TS_OP_MOVD2A] = true,
                                   [TS_OP_MOVD2B] = true,
                                   [TS_OP_ZEROACC] = true};

// Reports them where the bank is not the matrix unit's. False: that was a fault.
__attribute__((noinline)) static bool check_banks(struct ts_matrix_unit *self, struct ts_word in,
                                                  ts_cycle now)
{
    struct ts_files *files = self->files;
    if (in.op == TS_OP_ZEROACC)
        return ts_lint_zeroacc(files->tensix, &self->unit.component, in, now);
    unsigned touched = in.op == TS_OP_SETRWC        ? ts_decode_SETRWC(in.word).clear_ab_vld
                       : in.op == TS_OP_CLEARDVALID ? ts_decode_CLEARDVALID(in.word).cleardvalid
                       : in.op == TS_OP_MOVD2A      ? 1
                                                    : 2;
    bool move = in.op == TS_OP_MOVD2A || in.op == TS_OP_MOVD2B;
    if (in.op == TS_OP_CLEARDVALID && ts_decode_CLEARDVALID(in.word).reset)
        return true;
    for (unsigned b = 0; b < 2; b++) {
        const struct ts_src_file *file = ts_files_src(files, b);
        if (touched >> b & 1 && file->bank[file->matrix].owner != TS_SRC_MATRIX &&
            !ts_tensix_report(files->tensix, &self->unit.component, in.thread, now,
                              move ? TS_REPORT_MOVE_NOT_VALID : TS_REPORT_CLEAR_NOT_VALID,
                              "%s of T%u, src%c[%u]", ts_op_info[in.op].name, in.thread, "ab"[b],
                              file -> matrix))
            return false;
    }
    return true;
}

static bool matrix_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    struct ts_matrix_unit *self = (struct ts_matrix_unit *)unit;
    struct ts_files *files = self->files;
    struct ts_matrix_view *view = ts_matrix_view_of(self, in.thread);
    const struct ts_matrix_access *a = &self->access;
    uint32_t latency = book(self, in, a, now);
    if (a->dst_rows) {
        ts_files_dst_access(files, in.thread, TS_DST_MATRIX, now, latency);
        if (a->write_dst) {
            unsigned block = self->block;
            files->block_ready[block] = now + files->tensix->timing.fpu_block_period;
            if (!ts_lint_dst_write(files->tensix, &unit->component, in,
                                   &files->block_section[block], block, now))
                return false;
        }
    }
    uint32_t idle = files->tensix->timing.fpu_idle;
    unit->busy_until[in.thread] = now + (latency > idle ? latency : idle);
    ts_unit_worked(unit, now, 1);
    if (__builtin_expect(in.op == TS_OP_CLREXPHIST, 0)) {
        ts_pack_clear_histogram(self->packer);
        return true;
    }
    if (__builtin_expect(careless[in.op], 0) && !check_banks(self, in, now))
        return false;
    // Only some can give a bank back: those that compute say so in a field.
    unsigned kind = kinds[in.op];
    bool flips = kind & GIVES || (kind & LONG && CLEAR_DVALID(in.word));
    unsigned owners = flips ? ts_files_owners(files) : 0;
    view->block_cols = files->block_cols;
    struct ts_refusal refusal = ts_matrix_execute(view, in.word);
    if (__builtin_expect(refusal.what != NULL, 0))
        return ts_unit_refused(unit, in, now, &refusal);
    if (flips && ts_files_owners(files) != owners)
        ts_files_changed(files, owners, now);
    return true;
}

static const struct ts_unit_ops matrix_ops = {
    .id = TS_UNIT_MATRIX,
    .accept = matrix_accept,
    .start = matrix_start,
};

void ts_matrix_unit_init(struct ts_matrix_unit *self, struct ts_files *files,
                         struct ts_packer *packer, struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &matrix_ops, &ts_unit_passive, domain, "matrix");
    self->files = files;
    self->packer = packer;
    for (unsigned t = 0; t < TS_THREADS; t++)
        self->generation[t] = UINT32_MAX;
    files->tensix->unit[TS_UNIT_MATRIX] = &self->unit;
}
