// units/matrix/promise.c: promises of MVMULs, see units/isa/promise.h.
#include "units/matrix/unit.h"
#include "units/trace.h"

// Can the unit take an MVMUL of the thread in this cycle and in those that follow? Ignores only the
// block of Dst.
bool ts_matrix_promises(struct ts_unit *unit, struct ts_word first, ts_cycle now)
{
    struct ts_matrix_unit *self = (struct ts_matrix_unit *)unit;
    const struct ts_files *files = self->files;
    struct ts_hold hold;
    if (files->dst_last[first.thread].user != TS_DST_MATRIX || files->dst_access >= now ||
        !ts_matrix_open(self, first.op, now, &hold))
        return false;
    struct ts_matrix_mode mode;
    ts_matrix_mode_of(&mode, ts_matrix_view_of(self, first.thread)->alu, &files->streamed.srcs, 0);
    if (mode.int8 && mode.check) // may be refused
        return false;
    return mode.int8 || (mode.style_a == TS_STYLE_FP16) == (mode.style_b == TS_STYLE_FP16);
}

// ---- plans

static unsigned layout_of(const struct ts_matrix_view *view)
{
    return (unsigned)view->dst32 | (unsigned)view->dst->remap_addrs << 1 |
           (unsigned)view->dst->swizzle_32b << 2 | (unsigned)view->dst->hi16 << 3 |
           TS_THD(view->thd, ADDR_MOD_SET_Base) << 4;
}

// The thread's ADDR_MODs.
static const uint16_t *mods_of(const struct ts_matrix_view *view, unsigned which)
{
    static const uint8_t first[3] = {TS_THD_ADDR_ADDR_MOD_AB_SEC0_SrcAIncr,
                                     TS_THD_ADDR_ADDR_MOD_DST_SEC0_DestIncr,
                                     TS_THD_ADDR_ADDR_MOD_BIAS_SEC0_BiasIncr};
    return view->thd + first[which];
}

static void put_key(struct ts_matrix_key *key, const struct ts_matrix_view *view, unsigned count)
{
    for (unsigned i = 0; i < 3; i++)
        memcpy(key->mods[i], mods_of(view, i), sizeof key->mods[i]);
    key->rwc = *view->rwc;
    key->base = (uint16_t)view->base;
    key->layout = (uint8_t)layout_of(view);
    key->count = (uint8_t)count;
}

static bool fits(const struct ts_matrix_plan *plan, const struct ts_matrix_view *view,
                 const uint32_t *words, unsigned count)
{
    const struct ts_matrix_key *key = &plan->key;
    return key->count == count && key->base == view->base && key->layout == layout_of(view) &&
           memcmp(&key->rwc, view->rwc, sizeof key->rwc) == 0 &&
           memcmp(key->mods[0], mods_of(view, 0), sizeof key->mods[0]) == 0 &&
           memcmp(key->mods[1], mods_of(view, 1), sizeof key->mods[1]) == 0 &&
           memcmp(key->mods[2], mods_of(view, 2), sizeof key->mods[2]) == 0 &&
           memcmp(plan->words, words, count * sizeof *words) == 0;
}

// An MVMUL that returns a bank ends a promise, as does a word that is reported.
static bool is_plain(uint32_t word)
{
    return !ts_matrix_returns(word) && !(word & ts_op_hot[TS_OP_MVMUL].reserved);
}

static TS_SLOW_PATH void make_plan(struct ts_matrix_plan *plan, struct ts_matrix_unit *self,
                                   const struct ts_matrix_view *view, const uint32_t *words,
                                   unsigned count)
{
    const struct ts_files *files = self->files;
    const unsigned period = files->tensix->timing.matrix_block_period;
    struct ts_rwc rwc = *view->rwc;
    uint8_t
        use[TS_DST_BLOCKS]; // which, by block: where `blocks` is set, but for low halves (dst.h)
    unsigned n = 0;
    put_key(&plan->key, view, count);
    plan->blocks[0] = plan->blocks[1] = 0;
    plan->uses = 0;
    memcpy(plan->words, words, count * sizeof *words);
    struct ts_mvmul_run *run = &self->runs[plan - self->plans];
    memset(run, 0, offsetof(struct ts_mvmul_run, step));
    bool broadcast = false;
    for (; n < count && is_plain(words[n]); n++) {
        struct ts_args_MVMUL a = ts_decode_MVMUL(words[n]);
        uint32_t row = (a.dst + rwc.dst + view->base) & (TS_DST_ROWS - 8);
        unsigned block = ts_files_block(files, view->dst32, row);
        uint64_t bit = UINT64_C(1) << block % 64;
        if (!(plan->blocks[block / 64] & bit)) {
            use[block] = plan->uses;
            plan->use[plan->uses].block = (uint8_t)block;
            plan->use[plan->uses++].first = (uint8_t)n;
        } else if (n - plan->use[use[block]].last < period) {
            break; // after the promise's own words the block is not ready
        }
        plan->block[n] = (uint8_t)block;
        plan->blocks[block / 64] |= view->dst32 ? 3 * bit : bit; // low halves: in the next block
        plan->use[use[block]].last = (uint8_t)n;
        plan->row_a = rwc.srca;
        broadcast |= a.instr_mod19;
        if (!view->dry) // else nothing is multiplied
            ts_mvmul_run_add(run, view->dst, view->dst32, rwc.srca, rwc.srcb, row, rwc.fidelity);
        ts_rwc_apply(&rwc, view->thd, a.addr_mode, true);
    }
    if (broadcast)
        run->count = 0;
    plan->count = (uint8_t)n;
    plan->after = rwc;
}

static const struct ts_matrix_plan *plan_of(struct ts_matrix_unit *self,
                                            const struct ts_matrix_view *view,
                                            const uint32_t *words, unsigned count)
{
    const struct ts_rwc *rwc = view->rwc;
    // A product from its first word on has a place for each tile of Dst; what follows a cut is scattered.
    unsigned place = view->base / 64u + rwc->dst / 8u * 17u + rwc->fidelity * 29u;
    struct ts_matrix_plan *plan = &self->plans[place % TS_MATRIX_PLANS];
    if (__builtin_expect(!fits(plan, view, words, count), 0))
        make_plan(plan, self, view, words, count);
    return plan;
}

bool ts_matrix_promise(struct ts_unit *unit, struct ts_promise *promise)
{
    struct ts_matrix_unit *self = (struct ts_matrix_unit *)unit;
    const struct ts_files *files = self->files;
    const ts_cycle now = promise->from;
    const struct ts_matrix_plan *plan = plan_of(self, &self->view[promise->thread], promise->words,
                                                promise->count);
    // Sections of Dst that the lints would report.
    const struct ts_lint *lint = &files->tensix->lint;
    uint32_t given = lint->posts - lint->gets;
    if (promise->thread != lint->poster)
        given = 0;
    unsigned n = plan->count;
    for (unsigned i = 0; i < plan->uses; i++) {
        unsigned block = plan->use[i].block, first = plan->use[i].first;
        if (first < n && (files->streamed.block_ready[block] > now + first ||
                          (given && files->streamed.block_section[block] - lint->gets - 1 < given)))
            n = first;
    }
    if (n < 2)
        return false;
    promise->count = promise->cycles = (uint8_t)n;
    promise->passes = UINT64_MAX >> (64 - n);
    memcpy(promise->blocks, plan->blocks, sizeof promise->blocks);
    self->promised = plan;
    return true;
}

void ts_matrix_apply(struct ts_unit *unit, const struct ts_promise *promise, ts_cycle to)
{
    struct ts_matrix_unit *self = (struct ts_matrix_unit *)unit;
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    const struct ts_tensix_timing *t = &tensix->timing;
    const struct ts_matrix_plan *plan = self->promised;
    const unsigned thread = promise->thread, count = (unsigned)(to - promise->from);
    if (ts_trace_detail(&tensix->front[thread]->object))
        ts_trace_stream(tensix, unit, thread, plan->words, 1, count, promise->from);
    const ts_cycle settled = promise->from + t->matrix_block_period;
    const bool whole = count == plan->count;
    const uint32_t section = tensix->lint.posts + 1;
    for (unsigned i = 0; whole && i < plan->uses; i++) {
        files->streamed.block_ready[plan->use[i].block] = settled + plan->use[i].last;
        files->streamed.block_section[plan->use[i].block] = section;
    }
    for (unsigned i = 0; !whole && i < count; i++) {
        files->streamed.block_ready[plan->block[i]] = settled + i;
        files->streamed.block_section[plan->block[i]] = section;
    }
    if (__builtin_expect(tensix->check != NULL, 0)) {
        uint64_t blocks[2] = {0};
        for (unsigned i = 0; i < count; i++)
            blocks[plan->block[i] / 64] |= UINT64_C(1) << plan->block[i] % 64;
        ts_tensix_blocks(tensix, thread, TS_UNIT_MATRIX, true, blocks);
        ts_check_passed(tensix->check, thread, count - 1);
        for (unsigned i = 0; i < count && i < TS_CHECK_LATE; i++)
            ts_check_dst_written(tensix->check, thread, plan->block[count - 1 - i], i);
    }
    const struct ts_matrix_view *view = ts_matrix_view_of(self, thread);
    const struct ts_mvmul_run *run = &self->runs[plan - self->plans];
    if (whole && (view->dry || (run->count && ts_matrix_multiply(view, run))))
        self->last_row_a = plan->row_a, *view->rwc = plan->after;
    else
        ts_matrix_run(view, plan->words, count);
    ts_cycle last = promise->from + count - 1;
    ts_files_dst_access(files, thread, TS_DST_MATRIX, last, t->matrix_latency);
    ts_unit_enter(unit, thread, last);
    unit->instructions += count - 1;
    unit->busy_until[thread] = last + (t->matrix_latency > t->matrix_idle ? t->matrix_latency
                                                                          : t->matrix_idle);
    ts_unit_worked_part(unit, promise->from, count, TS_PART_MVMUL);
}
