// units/matrix_stream.c: streams of MVMULs, see stream.h.
#include "units/matrix_unit.h"

// Could the unit take an MVMUL of the thread in this cycle and in those that follow, as far as
// everything but the block of Dst is concerned?
static bool open_to(struct ts_matrix_unit *self, const struct ts_matrix_view *view, unsigned thread,
                    ts_cycle now)
{
    const struct ts_unit *unit = &self->unit;
    const struct ts_files *files = self->files;
    const struct ts_tensix *tensix = files->tensix;
    struct ts_hold hold;
    if (unit->last != thread || unit->keeper >= 0 || unit->losers & ~(1u << thread) ||
        self->free > now || self->after_movd2 > now || self->after_move > now ||
        files->dst_last[thread].user != TS_DST_MATRIX || files->dst_access >= now ||
        !ts_files_matrix_has(files, 0, now, &hold) || !ts_files_matrix_has(files, 1, now, &hold))
        return false;
    // Nothing that would be told in its own cycle.
    if (tensix->strict || unit->component.object.trace)
        return false;
    struct ts_fpu_mode mode = ts_fpu_mode_of(view->alu, &files->srcs, 0);
    return mode.int8 || (mode.style_a == TS_STYLE_FP16) == (mode.style_b == TS_STYLE_FP16);
}

// A plain MVMUL, that gives no bank back.
static bool plain(uint32_t word)
{
    return TS_OP_OF(word) == TS_OP_MVMUL && !(word & ts_op_hot[TS_OP_MVMUL].reserved) &&
           !ts_decode_MVMUL(word).clear_dvalid;
}

unsigned ts_matrix_stream(struct ts_matrix_unit *self, const uint32_t *words, unsigned count,
                          unsigned after, unsigned thread, ts_cycle now)
{
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    struct ts_stream *stream = &tensix->stream;
    const struct ts_lint *lint = &tensix->lint;
    const struct ts_matrix_view *view = ts_matrix_view_of(self, thread);
    if (stream->count || !plain(words[0]) || !open_to(self, view, thread, now))
        return 0;
    struct ts_rwc rwc = tensix->rwc[thread];
    unsigned period = tensix->timing.fpu_block_period, n = 0, same = 1;
    while (same < count + after && same < TS_STREAM_MOST + after && plain(words[same]))
        same++;
    uint64_t blocks[2] = {0};
    for (; n + after < same; n++) {
        struct ts_args_MVMUL a = ts_decode_MVMUL(words[n]);
        uint32_t row = (a.dst + rwc.dst + view->base) & (TS_DST_ROWS - 8);
        unsigned block = (view->dst32 ? ts_dst_row32(&files->dst, row)
                                      : ts_dst_row16(&files->dst, row)) /
                         8;
        // The block must have settled, since before the stream and since its own words.
        if (files->block_ready[block] > now + n)
            break;
        unsigned back = 1;
        while (back < period && back <= n && stream->block[n - back] != block)
            back++;
        if (back < period && back <= n)
            break;
        uint32_t section = files->block_section[block];
        if (section > lint->gets && section <= lint->posts && thread == lint->poster)
            break; // a report
        stream->words[n] = words[n];
        stream->block[n] = (uint8_t)block;
        blocks[block / 64] |= UINT64_C(1) << block % 64;
        ts_rwc_apply(&rwc, view->thd, a.addr_mode, true);
    }
    if (n < 2)
        return 0;
    stream->count = (uint8_t)n;
    stream->thread = (uint8_t)thread;
    stream->from = now;
    stream->blocks[0] = blocks[0];
    stream->blocks[1] = blocks[1];
    return n;
}

// Executes the first `count` words, as of their own cycles. That is the end of the stream.
static void execute(struct ts_tensix *tensix, unsigned count)
{
    struct ts_stream *stream = &tensix->stream;
    struct ts_matrix_unit *self = (struct ts_matrix_unit *)tensix->unit[TS_UNIT_MATRIX];
    struct ts_files *files = self->files;
    struct ts_unit *unit = &self->unit;
    const struct ts_tensix_timing *t = &tensix->timing;
    unsigned thread = stream->thread;
    stream->count = 0;
    if (count == 0)
        return;
    const struct ts_matrix_view *view = ts_matrix_view_of(self, thread);
    for (unsigned i = 0; i < count; i++) {
        files->block_ready[stream->block[i]] = stream->from + i + t->fpu_block_period;
        files->block_section[stream->block[i]] = tensix->lint.posts + 1;
        ts_matrix_execute(view, stream->words[i]);
    }
    ts_cycle last = stream->from + count - 1;
    ts_files_dst_access(files, thread, TS_DST_MATRIX, last, t->fpu_latency);
    ts_unit_enter(unit, thread, last);
    unit->instructions += count - 1;
    unit->busy_until[thread] = last + (t->fpu_latency > t->fpu_idle ? t->fpu_latency : t->fpu_idle);
    ts_unit_worked(unit, stream->from, count);
}

void ts_stream_stop(struct ts_tensix *tensix, ts_cycle now)
{
    const struct ts_stream *stream = &tensix->stream;
    struct ts_component *front = tensix->front[stream->thread];
    // The cycle the front end goes on in: the words before it are due.
    ts_cycle at = ts_runs_before(front) ? now : now + 1, due = stream->from + stream->count;
    at = at < stream->from ? stream->from : at > due ? due : at;
    execute(tensix, (unsigned)(at - stream->from));
    ts_recall(front, due, at);
}

void ts_stream_end(struct ts_tensix *tensix, unsigned thread)
{
    if (tensix->stream.thread == thread)
        execute(tensix, tensix->stream.count);
}
