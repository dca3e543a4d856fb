// Are two programs the same? Lines and columns aside: declarations, instructions, expressions.
#ifndef TENSIM_TESTS_STUDY_PIPE_SAME_H
#define TENSIM_TESTS_STUDY_PIPE_SAME_H

#include "platform/study/pipe/program.h"

#include <stdio.h>
#include <string.h>

#define SAME_FIELD(a, b, field) ((a)->field == (b)->field)

static inline bool same_expr(const struct ts_machine *m, const struct ts_expr *a,
                             const struct ts_machine *n, const struct ts_expr *b)
{
    if (a->constant != b->constant)
        return false;
    if (a->constant)
        return a->value == b->value;
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct ts_expr_word *x = &m->words[a->first + i], *y = &n->words[b->first + i];
        if (x->op != y->op || x->value != y->value)
            return false;
    }
    return true;
}

static inline bool same_ref(const struct ts_machine *m, const struct ts_ref *a,
                            const struct ts_machine *n, const struct ts_ref *b)
{
    if (a->used != b->used || !a->used)
        return a->used == b->used;
    return SAME_FIELD(a, b, tensor) && SAME_FIELD(a, b, id) && SAME_FIELD(a, b, has_offset) &&
           SAME_FIELD(a, b, has_shape) && same_expr(m, &a->index, n, &b->index) &&
           (!a->has_offset ||
            (same_expr(m, &a->row, n, &b->row) && same_expr(m, &a->col, n, &b->col))) &&
           (!a->has_shape ||
            (same_expr(m, &a->rows, n, &b->rows) && same_expr(m, &a->cols, n, &b->cols)));
}

// A switch that says what holds anyway is as good as none.
static inline bool same_switch(const struct ts_machine *m, const struct ts_insn *a,
                               const struct ts_machine *n, const struct ts_insn *b, int which)
{
    const struct ts_expr standing = {.constant = true,
                                     .value = ts_ring_switch_default(&m->pipes[a->pipe])};
    return same_expr(m, a->has_switch[which] ? &a->on[which] : &standing, n,
                     b->has_switch[which] ? &b->on[which] : &standing);
}

static inline bool same_insn(const struct ts_machine *m, const struct ts_insn *a,
                             const struct ts_machine *n, const struct ts_insn *b)
{
    bool same = SAME_FIELD(a, b, op) && SAME_FIELD(a, b, pipe) && SAME_FIELD(a, b, split) &&
                SAME_FIELD(a, b, lane[0]) && SAME_FIELD(a, b, lane[1]) && SAME_FIELD(a, b, var) &&
                SAME_FIELD(a, b, jump) && SAME_FIELD(a, b, scalar) && SAME_FIELD(a, b, transpose) &&
                SAME_FIELD(a, b, unit_flag) && SAME_FIELD(a, b, fixpipe) &&
                SAME_FIELD(a, b, relu) && SAME_FIELD(a, b, has_cast) &&
                SAME_FIELD(a, b, has_scale) && SAME_FIELD(a, b, cast) && SAME_FIELD(a, b, scale) &&
                SAME_FIELD(a, b, target) && same_ref(m, &a->scales, n, &b->scales);
    for (int i = 0; i < 4; i++)
        same = same && same_ref(m, &a->ref[i], n, &b->ref[i]);
    for (int i = 0; i < 3; i++)
        same = same && same_expr(m, &a->expr[i], n, &b->expr[i]);
    for (int i = 0; i < TS_SWITCHES && same && m->pipe_count; i++)
        same = same_switch(m, a, n, b, i);
    return same;
}

static inline bool same_pipe(const struct ts_ring_config *a, const struct ts_ring_config *b)
{
    return strcmp(a->name, b->name) == 0 && SAME_FIELD(a, b, tmpipe) && SAME_FIELD(a, b, variant) &&
           SAME_FIELD(a, b, flag) && SAME_FIELD(a, b, direction) && SAME_FIELD(a, b, slot_size) &&
           SAME_FIELD(a, b, slots) && SAME_FIELD(a, b, local_slots) &&
           SAME_FIELD(a, b, tile_stride) && SAME_FIELD(a, b, no_split) &&
           SAME_FIELD(a, b, unit_flag) && SAME_FIELD(a, b, ub) && SAME_FIELD(a, b, l1) &&
           SAME_FIELD(a, b, gm) && SAME_FIELD(a, b, gm_size) && SAME_FIELD(a, b, published) &&
           SAME_FIELD(a, b, fifo) && SAME_FIELD(a, b, layout) && SAME_FIELD(a, b, sync_period) &&
           SAME_FIELD(a, b, prod_rows) && SAME_FIELD(a, b, prod_cols) &&
           SAME_FIELD(a, b, cons_rows) && SAME_FIELD(a, b, cons_cols) &&
           SAME_FIELD(a, b, element) && SAME_FIELD(a, b, ratio) && SAME_FIELD(a, b, places_tile) &&
           SAME_FIELD(a, b, counts);
}

static inline bool same_tile(const struct ts_tile_decl *a, const struct ts_tile_decl *b)
{
    return strcmp(a->name, b->name) == 0 && SAME_FIELD(a, b, mem) && SAME_FIELD(a, b, type) &&
           SAME_FIELD(a, b, layout) && SAME_FIELD(a, b, rows) && SAME_FIELD(a, b, cols) &&
           SAME_FIELD(a, b, vrows) && SAME_FIELD(a, b, vcols) && SAME_FIELD(a, b, addr) &&
           SAME_FIELD(a, b, count) && SAME_FIELD(a, b, bound);
}

static inline bool same_text(const char *a, const char *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static inline bool same_tensor(const struct ts_pipe_program *p, const struct ts_pipe_program *q,
                               uint32_t i)
{
    const struct ts_tensor_decl *a = &p->machine.tensors[i], *b = &q->machine.tensors[i];
    const struct ts_pipe_data *x = &p->data[i], *y = &q->data[i];
    return strcmp(a->name, b->name) == 0 && SAME_FIELD(a, b, type) && SAME_FIELD(a, b, rows) &&
           SAME_FIELD(a, b, cols) && SAME_FIELD(a, b, window) && SAME_FIELD(a, b, out) &&
           SAME_FIELD(a, b, gm) && SAME_FIELD(x, y, init) && SAME_FIELD(x, y, low) &&
           SAME_FIELD(x, y, high) && SAME_FIELD(x, y, value) && SAME_FIELD(x, y, seed) &&
           SAME_FIELD(x, y, tolerance) && same_text(x->file, y->file) &&
           same_text(x->expect, y->expect) && same_text(x->save, y->save);
}

// "" if they are the same; else what differs first.
static inline const char *difference(const struct ts_pipe_program *p,
                                     const struct ts_pipe_program *q, char *to, size_t room)
{
    const struct ts_machine *m = &p->machine, *n = &q->machine;
    to[0] = 0;
    if (!(SAME_FIELD(m, n, profile) && SAME_FIELD(m, n, strict) && SAME_FIELD(m, n, unsafe) &&
          SAME_FIELD(m, n, auto_sync) && SAME_FIELD(m, n, data) && SAME_FIELD(m, n, clusters) &&
          SAME_FIELD(m, n, dispatches) && SAME_FIELD(m, n, gm_bytes) &&
          SAME_FIELD(m, n, tile_count) && SAME_FIELD(m, n, tensor_count) &&
          SAME_FIELD(m, n, pipe_count) && strcmp(p->name, q->name) == 0 &&
          strcmp(p->preset, q->preset) == 0 && SAME_FIELD(p, q, limit) &&
          SAME_FIELD(p, q, expected) && SAME_FIELD(p, q, expected_cycles) &&
          memcmp(&m->timing, &n->timing, sizeof m->timing) == 0))
        snprintf(to, room, "the machine");
    for (uint32_t i = 0; to[0] == 0 && i < m->tile_count; i++)
        if (!same_tile(&m->tiles[i], &n->tiles[i]))
            snprintf(to, room, "tile %s", m->tiles[i].name);
    for (uint32_t i = 0; to[0] == 0 && i < m->tensor_count; i++)
        if (!same_tensor(p, q, i))
            snprintf(to, room, "tensor %s", m->tensors[i].name);
    for (uint32_t i = 0; to[0] == 0 && i < m->pipe_count; i++)
        if (!same_pipe(&m->pipes[i], &n->pipes[i]))
            snprintf(to, room, "pipe %s", m->pipes[i].name);
    for (int side = 0; to[0] == 0 && side < 2; side++) {
        if (m->code[side].count != n->code[side].count)
            snprintf(to, room, "number of instructions of side %d: %u, %u", side,
                     m->code[side].count, n->code[side].count);
        for (uint32_t i = 0; to[0] == 0 && i < m->code[side].count; i++)
            if (!same_insn(m, &m->code[side].insn[i], n, &n->code[side].insn[i]))
                snprintf(to, room, "%s of line %u, line %u", ts_ops[m->code[side].insn[i].op].name,
                         m->code[side].insn[i].line, n->code[side].insn[i].line);
    }
    return to;
}

#endif
