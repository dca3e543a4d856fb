// The board of a core: which bytes its issued and unfinished work reads and writes.
//
// A real core has no such thing: software must put events between its pipes. The board is how the
// model notices where it did not (E_LOCAL_RACE), and how `sync: auto` programs run without events.
#include "cores/pto/cluster.h"

#include <assert.h>

void ts_board_add(struct ts_core *self, const struct ts_entry *entry)
{
    assert(self->outstanding < self->room); // the board has a place for all that the queues hold
    self->board[self->outstanding++] = (struct ts_outstanding){
        .seq = entry->seq,
        .lane = entry->lane,
        .unit_flag = entry->insn->unit_flag,
        .tape = entry->tape,
        .insn = entry->insn,
        .to = entry->to,
        .from = {entry->a, entry->b, entry->c},
    };
}

struct ts_outstanding *ts_board_find(struct ts_core *self, uint32_t seq)
{
    for (uint32_t i = 0; i < self->outstanding; i++)
        if (self->board[i].seq == seq)
            return &self->board[i];
    return NULL;
}

void ts_board_remove(struct ts_core *self, uint32_t seq)
{
    struct ts_outstanding *work = ts_board_find(self, seq);
    if (work)
        *work = self->board[--self->outstanding];
}

static bool overlap(const struct ts_view *a, const struct ts_view *b)
{
    if (!a->used || !b->used || a->mem != b->mem || a->owner != b->owner)
        return false;
    uint32_t size_a = ts_dtype_bytes(a->type), size_b = ts_dtype_bytes(b->type);
    if (a->addr + ts_view_extent(a, size_a) <= b->addr ||
        b->addr + ts_view_extent(b, size_b) <= a->addr)
        return false;
    // Columns of one matrix side by side do not touch.
    if (a->layout == TS_LAYOUT_ND && b->layout == TS_LAYOUT_ND && a->stride == b->stride &&
        size_a == size_b && a->stride) {
        int64_t apart = ((int64_t)a->addr - (int64_t)b->addr) / size_a % a->stride;
        apart = apart < 0 ? apart + a->stride : apart;
        if (apart >= b->cols && apart + a->cols <= a->stride)
            return false;
    }
    return true;
}

bool ts_work_conflicts(const struct ts_view *a_to, const struct ts_view a_from[3],
                       const struct ts_view *b_to, const struct ts_view b_from[3])
{
    if (overlap(a_to, b_to))
        return true;
    for (int i = 0; i < 3; i++)
        if (overlap(a_to, &b_from[i]) || overlap(&a_from[i], b_to))
            return true;
    return false;
}

const struct ts_outstanding *ts_board_conflict(const struct ts_core *self,
                                               const struct ts_outstanding *work)
{
    const struct ts_outstanding *youngest = NULL;
    for (uint32_t i = 0; i < self->outstanding; i++) {
        const struct ts_outstanding *other = &self->board[i];
        if (other->lane == work->lane || (int32_t)(other->seq - work->seq) >= 0)
            continue;
        if ((youngest == NULL || (int32_t)(other->seq - youngest->seq) > 0) &&
            ts_work_conflicts(&work->to, work->from, &other->to, other->from))
            youngest = other;
    }
    return youngest;
}
