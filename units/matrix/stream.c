// units/matrix/stream.c: streams of MVMULs, see stream.h.
#include "units/matrix/unit.h"
#include "units/trace.h"

// Can the unit take an MVMUL of the thread in this cycle and in those that follow? Ignores only the
// block of Dst.
static bool open_to(struct ts_matrix_unit *self, const struct ts_matrix_view *view, unsigned thread,
                    ts_cycle now)
{
    const struct ts_unit *unit = &self->unit;
    const struct ts_files *files = self->files;
    const struct ts_tensix *tensix = files->tensix;
    struct ts_hold hold;
    if (unit->last != thread || (unit->losers | unit->keeper) & ~(1u << thread) ||
        files->dst_last[thread].user != TS_DST_MATRIX || files->dst_access >= now ||
        !ts_matrix_open(self, TS_OP_MVMUL, now, &hold))
        return false;
    if (tensix->strict) // a report would be a fault, in its own cycle
        return false;
    if (tensix->lint.flags_lost[0] | tensix->lint.flags_lost[1]) // each read is looked at
        return false;
    struct ts_matrix_mode mode;
    ts_matrix_mode_of(&mode, view->alu, &files->srcs, 0);
    if (mode.int8 && mode.check) // may be refused
        return false;
    return mode.int8 || (mode.style_a == TS_STYLE_FP16) == (mode.style_b == TS_STYLE_FP16);
}

// Takes the words before the first one that is not a plain MVMUL: an MVMUL that returns a bank, or
// another instruction. Returns how many.
static unsigned take_plain(struct ts_stream *stream, const struct ts_replayed *words)
{
    const uint32_t fields = 0xFFu << 24 | 3u << 22 | ts_op_hot[TS_OP_MVMUL].reserved;
    const uint32_t plain = (uint32_t)TS_OP_MVMUL << 24;
    const unsigned room = TS_STREAM_MOST - words->held;
    unsigned most = words->count < room ? words->count : room, n = 0;
    for (unsigned i = 0; i < words->held; i++) {
        if ((words->gate[i] & fields) != plain)
            return 0;
        stream->words[i] = words->gate[i];
    }
    for (uint32_t word; n < most; n++) {
        word = words->ring[(words->index + n) & words->ring_mask];
        if ((word & fields) != plain)
            break;
        stream->words[words->held + n] = word;
    }
    return n;
}

unsigned ts_matrix_stream(struct ts_matrix_unit *self, const struct ts_replayed *words,
                          unsigned thread, ts_cycle now)
{
    struct ts_files *files = self->files;
    struct ts_tensix *tensix = files->tensix;
    struct ts_stream *stream = &tensix->stream;
    const struct ts_matrix_view *view = ts_matrix_view_of(self, thread);
    if (stream->count || !open_to(self, view, thread, now))
        return 0;
    // Sections of Dst that the lints would report.
    const struct ts_lint *lint = &tensix->lint;
    uint32_t given = lint->posts - lint->gets;
    if (thread != lint->poster)
        given = 0;
    const uint32_t base = view->base;
    const bool dst32 = view->dst32;
    const bool straight = !(dst32 | files->dst.remap_addrs | files->dst.hi16);
    struct ts_rwc rwc = tensix->rwc[thread];
    const unsigned period = tensix->timing.matrix_block_period;
    uint64_t blocks[2] = {0};
    uint8_t written[TS_DST_BLOCKS]; // by which word, where `blocks` is set
    const unsigned most = take_plain(stream, words);
    unsigned n = 0;
    for (; n < most; n++) {
        struct ts_args_MVMUL a = ts_decode_MVMUL(stream->words[n]);
        uint32_t row = (a.dst + rwc.dst + base) & (TS_DST_ROWS - 8);
        unsigned block = straight ? row / 8 : ts_dst_block(&files->dst, dst32, row);
        uint64_t bit = UINT64_C(1) << block % 64;
        // The block must be ready, after earlier words and after the stream's own.
        if (files->block_ready[block] > now + n ||
            (blocks[block / 64] & bit && n - written[block] < period) ||
            (given && files->block_section[block] - lint->gets - 1 < given))
            break;
        stream->block[n] = (uint8_t)block;
        blocks[block / 64] |= dst32 ? 3 * bit : bit; // the low halves are in the next block
        written[block] = (uint8_t)n;
        stream->row_a = rwc.srca;
        ts_rwc_apply(&rwc, view->thd, a.addr_mode, true);
    }
    if (n < 2)
        return 0;
    stream->count = (uint8_t)n;
    stream->thread = (uint8_t)thread;
    stream->from = now;
    stream->blocks[0] = blocks[0];
    stream->blocks[1] = blocks[1];
    stream->after = rwc;
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
    bool whole = count == stream->count;
    stream->count = 0;
    if (count == 0)
        return;
    if (ts_trace_detail(&tensix->front[thread]->object))
        for (unsigned i = 0; i < count; i++)
            ts_trace_word(tensix, unit, ts_word(stream->words[i], thread), stream->from + i,
                          stream->from + i, stream->from + i + 1);
    ts_cycle settled = stream->from + t->matrix_block_period;
    for (unsigned i = 0; i < count; i++) {
        files->block_ready[stream->block[i]] = settled + i;
        files->block_section[stream->block[i]] = tensix->lint.posts + 1;
    }
    const struct ts_matrix_view *view = ts_matrix_view_of(self, thread);
    if (whole && view->dry) // only the counters move
        self->last_row_a = stream->row_a, *view->rwc = stream->after;
    else
        ts_matrix_run(view, stream->words, count);
    ts_cycle last = stream->from + count - 1;
    ts_files_dst_access(files, thread, TS_DST_MATRIX, last, t->matrix_latency);
    ts_unit_enter(unit, thread, last);
    unit->instructions += count - 1;
    unit->busy_until[thread] = last + (t->matrix_latency > t->matrix_idle ? t->matrix_latency
                                                                          : t->matrix_idle);
    ts_unit_worked(unit, stream->from, count);
}

void ts_stream_stop(struct ts_tensix *tensix, ts_cycle now)
{
    const struct ts_stream *stream = &tensix->stream;
    struct ts_component *front = tensix->front[stream->thread];
    // The cycle in which the front end continues: the words before it are due.
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
