// units/matrix/unit.c: see unit.h.
#include "units/matrix/unit.h"

#include "units/lint.h"

static TS_SLOW_PATH void refresh(struct ts_matrix_unit *self, unsigned thread)
{
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    const uint32_t *cfg = ts_cfg_of(&tensix->cfg, thread);
    self->generation[thread] = tensix->cfg.generation[thread];
    self->alu[thread] = ts_alu_cfg_read(cfg, tensix->cfg.thd[thread], &tensix->bits);
    self->view[thread] = (struct ts_matrix_view){
        .cfg = cfg,
        .thd = tensix->cfg.thd[thread],
        .rwc = &tensix->streamed.rwc[thread],
        .srcs = &files->streamed.srcs,
        .dst = &files->streamed.dst,
        .last_row_a = &self->last_row_a,
        .packer = self->packer,
        .alu = &self->alu[thread],
        .bits = &tensix->bits,
        .dry = files->timing_only,
    };
    ts_matrix_view_settle(&self->view[thread]);
}

// The configuration has changed since the thread's view was made.
static inline bool stale(const struct ts_matrix_unit *self, unsigned thread)
{
    return self->generation[thread] != self->files->tensix->cfg.generation[thread];
}

// The thread's view, kept while the configuration stays.
struct ts_matrix_view *ts_matrix_view_of(struct ts_matrix_unit *self, unsigned thread)
{
    if (__builtin_expect(stale(self, thread), 0))
        refresh(self, thread);
    self->view[thread].base = ts_matrix_base(&self->view[thread]);
    return &self->view[thread];
}

bool ts_matrix_open(const struct ts_matrix_unit *self, uint8_t op, ts_cycle now,
                    struct ts_hold *hold)
{
    const struct ts_op_effects *shape = &ts_op_effects[op];
    const struct ts_object *own = &self->unit.component.object;
    if (__builtin_expect(self->free > now, 0))
        return ts_held_port(hold, TS_STALL_UNIT_BUSY, own, self->free);
    if (__builtin_expect(self->after_movd2 > now, 0) && op != self->movd2_op &&
        !(shape->kind & TS_MATRIX_MOVD2A && self->movd2_op != TS_OP_MOVD2B))
        return ts_held_port(hold, TS_STALL_UNIT_BUSY, own, self->after_movd2);
    if (__builtin_expect(self->after_move > now, 0) && shape->kind & TS_MATRIX_WAITS_FOR_MOVE)
        return ts_held_port(hold, TS_STALL_UNIT_BUSY, own, self->after_move);
    return (!(shape->waits & 1) || ts_files_matrix_has(self->files, 0, now, hold)) &&
           (!(shape->waits & 2) || ts_files_matrix_has(self->files, 1, now, hold));
}

// How long the unit works on the word, and which later words it blocks.
static uint32_t book(struct ts_matrix_unit *self, struct ts_word in,
                     const struct ts_matrix_access *a, ts_cycle now)
{
    const struct ts_tensix_timing *t = &self->files->tensix->timing;
    unsigned kind = ts_op_effects[in.op].kind;
    if (kind & TS_MATRIX_LONG)
        return t->matrix_latency;
    if (kind & TS_MATRIX_MOVES) {
        self->after_move = now + 1 + t->matrix_after_move;
        if (a->dst32 && a->dst_rows == 8) {
            uint32_t halves = t->matrix_mova2d_halves + self->half;
            self->half = halves & 1;
            self->free = now + halves / 2;
        }
        return t->matrix_latency_move;
    }
    if (kind & (TS_MATRIX_MOVD2A | TS_MATRIX_MOVD2B)) {
        self->movd2_op = in.op;
        bool b = kind & TS_MATRIX_MOVD2B;
        self->after_movd2 = now + 1 + (b ? t->matrix_after_movd2b : t->matrix_after_movd2a);
        return in.op == TS_OP_MOVB2A ? t->matrix_latency_move : t->matrix_latency_movd2;
    }
    if (kind & TS_MATRIX_BUSY) {
        self->free = now + t->matrix_shiftxb;
        return t->matrix_shiftxb;
    }
    return t->matrix_latency_short;
}

// A check hears of a half of Dst, or all of it, that ZEROACC clears. Clears of 16 rows and less are of one thread.
static void clears(const struct ts_tensix *tensix, struct ts_word in)
{
    const struct ts_args_ZEROACC a = ts_decode_ZEROACC(in.word);
    const bool half = a.clear_mode == TS_ZEROACC_HALF;
    const uint32_t rows = half ? TS_DST_ROWS / 2 : TS_DST_ROWS;
    if (a.clear_mode >= TS_ZEROACC_HALF)
        ts_tensix_access(tensix, in.thread, TS_UNIT_MATRIX, TS_OBJECT_DST, TS_HOW_WRITE,
                         half && a.where & 1 ? rows * 2 : 0, rows * 2);
}

// Reports instructions that touch a bank without a wait while the matrix unit does not own it.
// False: that was a fault.
__attribute__((noinline)) static bool check_banks(struct ts_matrix_unit *self, struct ts_word in,
                                                  ts_cycle now)
{
    struct ts_files *files = self->files;
    if (in.op == TS_OP_ZEROACC)
        clears(files->tensix, in);
    if (in.op == TS_OP_ZEROACC)
        return ts_lint_zeroacc(files->tensix, &self->unit.component, in, now);
    unsigned move = ts_op_unwaited(in.op), touched = move ? move : ts_matrix_returns(in.word);
    if (in.op == TS_OP_CLEARDVALID && ts_decode_CLEARDVALID(in.word).reset) {
        unsigned owners = ts_files_owners(files);
        return owners == 0 ||
               ts_tensix_report(files->tensix, &self->unit.component, in.thread, now,
                                TS_REPORT_CLEARDVALID_RESET, "T%u; banks of %s", in.thread,
                                !(owners & 12) ? "SrcA"
                                : owners & 3   ? "SrcA and SrcB"
                                               : "SrcB");
    }
    if (move && !ts_lint_moves(files->tensix, &self->unit.component, in, move >> 1, now))
        return false;
    for (; touched; touched &= touched - 1) {
        unsigned b = (unsigned)__builtin_ctz(touched);
        const struct ts_src_file *file = ts_files_src(files, b);
        if (file->bank[file->matrix].owner != TS_SRC_MATRIX &&
            !ts_tensix_report(files->tensix, &self->unit.component, in.thread, now,
                              move ? TS_REPORT_MOVE_NOT_VALID : TS_REPORT_CLEAR_NOT_VALID,
                              "%s of T%u, src%c[%u]", ts_op_info[in.op].name, in.thread, "ab"[b],
                              file -> matrix))
            return false;
    }
    return true;
}

// ---- the unit

// Does a vector access of another thread wait for the last move to Dst?
static bool vector_waits(const struct ts_files *files, unsigned thread)
{
    const struct ts_unit *vector = files->tensix->unit[TS_UNIT_VECTOR];
    return vector && vector->keeper & ~(1u << thread) && vector->keeps == TS_STALL_DST_HAZARD &&
           files->dst_move.thread == thread;
}

static bool matrix_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                          struct ts_hold *hold)
{
    const struct ts_matrix_unit *self = (const struct ts_matrix_unit *)unit;
    const struct ts_files *files = self->files;
    if (!ts_matrix_open(self, in.op, now, hold))
        return false;
    const struct ts_op_effects *shape = &ts_op_effects[in.op];
    if (!shape->rows)
        return true;
    const struct ts_matrix_view *view = &self->view[in.thread];
    struct ts_matrix_view fresh;
    if (__builtin_expect(stale(self, in.thread), 0)) { // start will keep it, this may not
        fresh = (struct ts_matrix_view){.cfg = ts_cfg_of(&files->tensix->cfg, in.thread),
                                        .thd = files->tensix->cfg.thd[in.thread],
                                        .rwc = &files->tensix->streamed.rwc[in.thread]};
        view = &fresh;
    }
    struct ts_matrix_access a = ts_matrix_access(view, in.word);
    ts_cycle ready = files->streamed.block_ready[ts_files_block(files, a.dst32, a.dst_row)];
    if (ready > now && (a.read_dst || shape->kind & TS_MATRIX_LONG)) // Dst.md
        return ts_held_port(hold, TS_STALL_DST_HAZARD, &files->dst_object, ready);
    ready = ts_files_dst_from(files, in.thread, TS_DST_MATRIX, now);
    if (__builtin_expect(shape->kind & TS_MATRIX_MOVES, 0) && vector_waits(files, in.thread))
        ready = files->dst_move.until + 1;
    if (ready > now)
        return ts_held(hold, TS_STALL_DST_HAZARD, &files->dst_object, ready);
    return true;
}

// The word's rows of Dst: its place in the order of accesses, and what the lints say.
static inline bool use_dst(struct ts_matrix_unit *self, struct ts_word in,
                           const struct ts_matrix_access *a, uint32_t latency, ts_cycle now)
{
    struct ts_files *files = self->files;
    struct ts_component *component = &self->unit.component;
    if (!self->unit.at_once)
        ts_files_dst_access(files, in.thread, TS_DST_MATRIX, now, latency);
    if (__builtin_expect(ts_op_effects[in.op].kind & TS_MATRIX_MOVES, 0)) {
        files->dst_move.until = (self->free > now ? self->free : now + 1) - 1 + latency;
        files->dst_move.thread = (uint8_t)in.thread;
    }
    unsigned block = ts_files_block(files, a->dst32, a->dst_row);
    ts_tensix_block(files->tensix, in.thread, TS_UNIT_MATRIX, a->write_dst, block);
    if (__builtin_expect(files->tensix->check != NULL, 0)) {
        if (a->write_dst)
            ts_check_dst_written(files->tensix->check, in.thread, block, 0);
        else if (!files->timing_only && ts_checks_for(files->tensix->check, TS_CHECK_MEMORY) &&
                 !ts_dst_tile_written(ts_files_dst(files, now), a->dst32, 8 * block))
            ts_memory_dst(files->tensix->check, in.thread, TS_UNIT_MATRIX, 8 * block);
    }
    if (a->read_dst && !ts_lint_dst_read(files->tensix, component, in, block, now))
        return false;
    if (!a->write_dst)
        return !a->read_dst || ts_lint_dst_look(files->tensix, component, in,
                                                ts_files_block_written(files, block), block, now);
    uint32_t *section = ts_files_block_section(files, block, now);
    files->streamed.block_ready[block] = now + files->tensix->timing.matrix_block_period;
    return ts_lint_dst_write(files->tensix, component, in, section, block, now);
}

static bool matrix_start(struct ts_unit *unit, struct ts_word in, ts_cycle now)
{
    struct ts_matrix_unit *self = (struct ts_matrix_unit *)unit;
    struct ts_files *files = self->files;
    struct ts_matrix_view *view = ts_matrix_view_of(self, in.thread);
    const unsigned kind = ts_op_effects[in.op].kind;
    struct ts_matrix_access a = {0};
    if (ts_op_effects[in.op].rows)
        a = ts_matrix_access(view, in.word);
    uint32_t latency = book(self, in, &a, now);
    if (__builtin_expect(unit->at_once, 0))
        self->free = self->after_move = self->after_movd2 = 0;
    if (a.dst_rows && !use_dst(self, in, &a, latency, now))
        return false;
    uint32_t idle = files->tensix->timing.matrix_idle;
    unit->busy_until[in.thread] = now + (latency > idle ? latency : idle);
    ts_unit_worked_part(unit, now, 1, in.op == TS_OP_MVMUL ? TS_PART_MVMUL : TS_PART_ANY);
    bool flips = ts_matrix_returns(in.word) || in.op == TS_OP_CLEARDVALID;
    if (__builtin_expect(kind & TS_MATRIX_UNCHECKED, 0) && (flips || !(kind & TS_MATRIX_GIVES)) &&
        !check_banks(self, in, now))
        return false;
    if (__builtin_expect(kind & TS_MATRIX_MOVES, 0) && view->alu->fp32 &&
        ts_decode_MOVA2D(in.word).dest_32b_lo && // of all moves to Dst
        !ts_tensix_report(files->tensix, &unit->component, in.thread, now, TS_REPORT_LOW_HALF_FP32,
                          "%s", ts_insn_text(in).text))
        return false;
    unsigned owners = flips ? ts_files_owners(files) : 0;
    view->block_cols = files->block_cols;
    struct ts_refusal refusal = ts_matrix_execute(view, in.word);
    if (__builtin_expect(refusal.what != NULL, 0))
        return ts_unit_refused(unit, in, now, &refusal);
    if (flips && ts_files_owners(files) != owners) {
        ts_lint_flipped(files->tensix, owners ^ ts_files_owners(files), now);
        ts_files_changed(files, owners, now);
    }
    return true;
}

static const struct ts_unit_ops matrix_ops = {
    .id = TS_UNIT_MATRIX,
    .accept = matrix_accept,
    .start = matrix_start,
    .promises = ts_matrix_promises,
    .promise = ts_matrix_promise,
    .apply = ts_matrix_apply,
};

void ts_matrix_unit_init(struct ts_matrix_unit *self, struct ts_files *files,
                         struct ts_packer *packer, struct ts_domain *domain)
{
    memset(self, 0, sizeof *self);
    ts_unit_init(&self->unit, &matrix_ops, &ts_unit_passive, files->tensix, domain, "matrix");
    self->files = files;
    self->packer = packer;
    for (unsigned t = 0; t < TS_THREADS; t++)
        self->generation[t] = UINT32_MAX;
}
