// The rejection rules of calls: tiles, splits, operands of every instruction.
//
// Source: pto-isa include/pto/npu/{a2a3,a5}/TPush.hpp, TPop.hpp; docs/isa/TPUSH.md, TPOP.md.
#include "platform/base/format.h"
#include "platform/study/pipe/program.h"

#include <stdio.h>

struct call {
    struct ts_pipe_program *self;
    const struct ts_insn *insn;
    bool vector;
    const struct ts_ring_config *pipe;
};

static const struct ts_tile_decl *tile_of(const struct call *call, int ref)
{
    const struct ts_ref *r = &call->insn->ref[ref];
    return r->used && !r->tensor ? &call->self->machine.tiles[r->id] : NULL;
}

// What a refused call is about: its pipe, or its first tile where the tile is what is wrong.
static const char *object_of(const struct call *call, enum ts_finding_id id)
{
    bool about_tile = id == TS_FINDING_TILE_PROD || id == TS_FINDING_TILE_CONS ||
                      id == TS_FINDING_FIXPIPE_TILE || call->pipe == NULL;
    const struct ts_tile_decl *tile = tile_of(call, call->insn->op == TS_OP_TSTORE);
    return about_tile && tile ? tile->name : call->pipe ? call->pipe->name : "";
}

#define REFUSE(call, id, ...) refuse((call), TS_FINDING_##id, __VA_ARGS__)

static void refuse(const struct call *call, enum ts_finding_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void refuse(const struct call *call, enum ts_finding_id id, const char *format, ...)
{
    char text[200];
    TS_FORMAT(text, sizeof text, format);
    ts_finding_add(&call->self->findings, id,
                   (struct ts_spot){0, call->insn->line, object_of(call, id)}, "%s: %s",
                   ts_ops[call->insn->op].name, text);
}

// Does this core stand at that end of the pipe?
static bool check_role(const struct call *call, bool produce)
{
    bool c2v = call->vector != produce;
    if (ts_direction_has(call->pipe->direction, c2v))
        return true;
    REFUSE(call, ROLE, "pipe %s is %s: %s core does not %s it", call->pipe->name,
           ts_direction_names[call->pipe->direction], call->vector ? "a Vector" : "the Cube",
           produce ? "push to" : "pop from");
    return false;
}

static void check_tensor_form(const struct call *call)
{
    const struct ts_tensor_decl *tensor = &call->self->machine.tensors[call->insn->ref[0].id];
    uint64_t bytes = ts_tensor_bytes(tensor);
    // A Vector core's window is its part of the slot.
    bool part = call->vector && call->insn->split != TS_NO_SPLIT;
    if (!tensor->window)
        REFUSE(call, OPERAND, "tensor %s has memory of its own; legal: a window", tensor->name);
    else if (bytes * (part ? 2 : 1) > call->pipe->slot_size)
        REFUSE(call, SLOTSIZE, "window %s takes %llu bytes; legal for pipe %s: up to slot_size, %u",
               tensor->name, (unsigned long long)(bytes * (part ? 2 : 1)), call->pipe->name,
               call->pipe->slot_size);
    enum ts_profile profile = call->self->machine.profile;
    if (ts_ring_path(call->pipe, profile) != TS_PATH_GM)
        REFUSE(call, GT_DIR, "pipe %s is %s; legal for tensors: %s", call->pipe->name,
               ts_direction_names[call->pipe->direction],
               profile == TS_PROFILE_A5 ? "c2v_gm, v2c_gm, both_gm" : "c2v, v2c");
    else if (call->pipe->direction == TS_DIR_BOTH && !call->self->machine.unsafe)
        REFUSE(call, GT_DIR,
               "pipe %s is both: tensor calls do not add the V2C offset, the rings overlap; legal: "
               "c2v, v2c",
               call->pipe->name);
    if (profile == TS_PROFILE_A5 && call->insn->split == TS_NO_SPLIT &&
        call->insn->op == TS_OP_TALLOC && call->vector)
        REFUSE(
            call, GT_DIR,
            "no_split falls into the left_right formula as published; legal: up_down, left_right");
}

// The entry's layout fits the tile at this end: fractals, no sub-blocks of a TMPipe; zero copy takes
// the slot as it is.
static void check_layout(const struct call *call, const struct ts_tile_decl *tile, bool pop)
{
    const struct ts_ring_config *pipe = call->pipe;
    bool local = ts_ring_path(pipe, call->self->machine.profile) != TS_PATH_GM;
    uint32_t width = 32 / ts_dtype_bytes(tile->type);
    if (pop && local && tile->layout != pipe->layout)
        REFUSE(call, LAYOUT,
               "tile %s is %s, entries of pipe %s are %s; legal with zero copy: equal", tile->name,
               ts_layout_names[tile->layout], pipe->name, ts_layout_names[pipe->layout]);
    else if (pipe->layout != TS_LAYOUT_ND && pipe->tmpipe && !local)
        REFUSE(call, LAYOUT, "pipe %s: entries of a gm TMPipe are %s; legal: nd", pipe->name,
               ts_layout_names[pipe->layout]);
    else if (pipe->layout == TS_LAYOUT_NZ && (tile->rows % 16 || tile->cols % width))
        REFUSE(call, LAYOUT,
               "tile %s is %u x %u %s, entries of pipe %s are nz; legal: multiples of 16 rows and "
               "%u columns",
               tile->name, tile->rows, tile->cols, ts_dtype_names[tile->type], pipe->name, width);
}

// Bytes of an entry as the slot sees it.
static void check_slot(const struct call *call, uint64_t bytes)
{
    if (bytes > call->pipe->slot_size)
        REFUSE(call, SLOTSIZE, "an entry of %llu bytes; legal for pipe %s: up to slot_size, %u",
               (unsigned long long)bytes, call->pipe->name, call->pipe->slot_size);
}

// The unified buffer is the vector core's, every other memory the cube core's.
static bool check_core(const struct call *call, const struct ts_tile_decl *tile)
{
    bool own = (tile->mem == TS_MEM_UB) == call->vector;
    if (!own)
        REFUSE(call, ROLE, "tile %s is %s, of the other core", tile->name, ts_mems[tile->mem].tile);
    return own;
}

static void check_push(const struct call *call)
{
    const struct ts_insn *insn = call->insn;
    bool a5 = call->self->machine.profile == TS_PROFILE_A5;
    if (!check_role(call, true))
        return;
    if (insn->ref[0].tensor) {
        check_tensor_form(call);
        return;
    }
    const struct ts_tile_decl *tile = tile_of(call, 0);
    if (tile->mem != TS_MEM_L0C && tile->mem != TS_MEM_UB) {
        REFUSE(call, TILE_PROD, "tile %s is %s; legal: acc, vec", tile->name,
               ts_mems[tile->mem].tile);
        return;
    }
    if (!check_core(call, tile))
        return;
    if (call->pipe->direction == TS_DIR_V2C_CTRL) {
        if (ts_dtype_bytes(tile->type) != TS_CTRL_BYTES)
            REFUSE(call, OPERAND, "tile %s is %s; legal for a control word: int32, fp32",
                   tile->name, ts_dtype_names[tile->type]);
        return;
    }
    check_layout(call, tile, false);
    if (insn->fixpipe && tile->mem != TS_MEM_L0C)
        REFUSE(call, FIXPIPE_TILE, "tile %s is %s; legal: acc", tile->name,
               ts_mems[tile->mem].tile);
    bool odd = insn->split >= TS_UP_DOWN_ODD;
    enum ts_ring_path path = ts_ring_path(call->pipe, call->self->machine.profile);
    bool local = path != TS_PATH_GM;
    if (odd && (call->vector || local))
        REFUSE(call, SPLIT_ODD, "split is %s; legal here: no_split, up_down, left_right",
               ts_split_names[insn->split]);
    if (!call->pipe->tmpipe && call->pipe->no_split != (insn->split == TS_NO_SPLIT) && a5 &&
        !insn->fixpipe)
        REFUSE(call, OPERAND, "split is %s, but pipe %s is declared %s",
               ts_split_names[insn->split], call->pipe->name,
               call->pipe->no_split ? "no_split" : "with split");
    uint32_t size = ts_dtype_bytes(insn->has_cast ? insn->cast : tile->type);
    uint64_t rows = tile->vrows, cols = tile->vcols;
    if (a5 && local && !call->vector && !call->pipe->tmpipe && !insn->fixpipe) {
        if (insn->split == TS_UP_DOWN && (tile->rows % 2 || tile->vrows % 2 || size != 4))
            REFUSE(call, SPLIT_ROWS,
                   "rows %u, valid %u, element %u bytes; legal: even rows, 4 bytes", tile->rows,
                   tile->vrows, size);
        if (insn->split == TS_LEFT_RIGHT && (tile->cols % 32 || tile->vcols % 32 || size != 4))
            REFUSE(call, SPLIT_COLS,
                   "columns %u, valid %u, element %u bytes; legal: multiples of 32, 4 bytes",
                   tile->cols, tile->vcols, size);
        uint64_t row_bytes = (uint64_t)tile->cols * size / (insn->split == TS_LEFT_RIGHT ? 2 : 1);
        if (row_bytes % 32)
            REFUSE(call, ALIGN, "rows of %llu bytes in UB; legal: multiples of 32",
                   (unsigned long long)row_bytes);
        check_slot(call, insn->split == TS_UP_DOWN ? (uint64_t)tile->rows / 2 * tile->cols * size
                         : insn->split == TS_LEFT_RIGHT
                             ? (uint64_t)tile->rows * tile->cols / 2 * size
                             : (uint64_t)tile->rows * tile->cols * size);
        return;
    }
    if (a5 && local && call->vector && insn->split == TS_LEFT_RIGHT && cols * size % 32)
        REFUSE(call, SPLIT_ALIGN, "valid row of %llu bytes; legal: multiples of 32",
               (unsigned long long)(cols * size));
    if (call->pipe->tmpipe)
        return; // slot sizes follow from the shapes
    uint64_t parts = call->vector && insn->split != TS_NO_SPLIT ? 2 : 1;
    check_slot(call, rows * (local ? tile->cols : cols) * size * parts);
}

static void check_pop(const struct call *call)
{
    const struct ts_insn *insn = call->insn;
    if (!check_role(call, false))
        return;
    if (insn->ref[0].tensor) {
        check_tensor_form(call);
        return;
    }
    if (call->pipe->direction == TS_DIR_V2C_CTRL)
        return; // into a variable
    const struct ts_tile_decl *tile = tile_of(call, 0);
    if (tile->mem != TS_MEM_L1 && tile->mem != TS_MEM_UB) {
        REFUSE(call, TILE_CONS, "tile %s is %s; legal: vec, mat", tile->name,
               ts_mems[tile->mem].tile);
        return;
    }
    if (!check_core(call, tile))
        return;
    check_layout(call, tile, true);
    bool gm = ts_ring_path(call->pipe, call->self->machine.profile) == TS_PATH_GM;
    if (insn->split >= TS_UP_DOWN_ODD && (!gm || !call->vector))
        REFUSE(call, SPLIT_ODD, "split is %s; legal here: no_split, up_down, left_right",
               ts_split_names[insn->split]);
    uint64_t bytes = ts_tile_bytes(tile);
    if (!call->pipe->tmpipe && bytes > call->pipe->slot_size)
        REFUSE(call, SLOTSIZE, "tile %s has %llu bytes; legal for pipe %s: up to slot_size, %u",
               tile->name, (unsigned long long)bytes, call->pipe->name, call->pipe->slot_size);
}

// The shapes of two operands, where both are whole tiles: `rows` and `cols` say which must agree.
static void check_shape(const struct call *call, int first, int second, bool match_rows,
                        bool match_cols)
{
    const struct ts_tile_decl *a = tile_of(call, first), *b = tile_of(call, second);
    const struct ts_insn *insn = call->insn;
    if (a == NULL || b == NULL || insn->ref[first].has_offset || insn->ref[second].has_offset)
        return;
    if ((match_rows && a->vrows != b->vrows) || (match_cols && a->vcols != b->vcols))
        REFUSE(call, OPERAND, "tile %s is %u x %u, tile %s is %u x %u; legal: %s", a->name,
               a->vrows, a->vcols, b->name, b->vrows, b->vcols,
               match_rows && match_cols ? "equal"
               : match_rows             ? "equal rows"
                                        : "equal columns");
}

static void check_shapes(const struct call *call)
{
    enum ts_op op = call->insn->op;
    bool reduces = op == TS_OP_TROWMAX || op == TS_OP_TROWSUM || op == TS_OP_TROWEXPAND;
    bool spreads_column = op >= TS_OP_TROWEXPANDADD && op <= TS_OP_TROWEXPANDDIV;
    bool spreads_row = op == TS_OP_TCOLEXPANDADD || op == TS_OP_TCOLEXPANDMUL;
    check_shape(call, 0, 1, op != TS_OP_TCOLSUM, !reduces);
    check_shape(call, 0, 2, !spreads_row, !spreads_column);
}

static void check_operands(const struct call *call)
{
    const struct ts_insn *insn = call->insn;
    for (int i = 0; i < 4; i++) {
        const struct ts_tile_decl *tile = tile_of(call, i);
        if (tile && (tile->mem == TS_MEM_UB) != call->vector) {
            REFUSE(call, OPERAND, "tile %s is %s: %s core has none", tile->name,
                   ts_mems[tile->mem].tile, call->vector ? "a Vector" : "the Cube");
            return;
        }
    }
    const struct ts_tile_decl *d = tile_of(call, 0), *a = tile_of(call, 1), *b = tile_of(call, 2);
    switch (insn->op) {
    case TS_OP_TMATMUL:
    case TS_OP_TMATMUL_ACC:
    case TS_OP_TMATMUL_BIAS:
        if (d->mem != TS_MEM_L0C || a->mem != TS_MEM_L0A || b->mem != TS_MEM_L0B)
            REFUSE(call, OPERAND, "places are %s, %s, %s; legal: acc, left, right",
                   ts_mems[d->mem].tile, ts_mems[a->mem].tile, ts_mems[b->mem].tile);
        else if (a->vcols != b->vrows && !insn->ref[1].has_shape && !insn->ref[2].has_shape)
            REFUSE(call, OPERAND, "left has %u columns, right %u rows; legal: equal", a->vcols,
                   b->vrows);
        else if (a->type != b->type)
            REFUSE(call, OPERAND, "left is %s, right is %s; legal: equal", ts_dtype_names[a->type],
                   ts_dtype_names[b->type]);
        else if (d->type != (a->type >= TS_DTYPE_INT8 ? TS_DTYPE_INT32 : TS_DTYPE_FP32))
            REFUSE(call, OPERAND, "acc is %s; legal for %s: %s", ts_dtype_names[d->type],
                   ts_dtype_names[a->type], a->type >= TS_DTYPE_INT8 ? "int32" : "fp32");
        return;
    case TS_OP_TLOAD: {
        const struct ts_tensor_decl *tensor = &call->self->machine.tensors[insn->ref[1].id];
        if (d->type != tensor->type)
            REFUSE(call, OPERAND, "tile %s is %s, tensor %s is %s; legal: equal", d->name,
                   ts_dtype_names[d->type], tensor->name, ts_dtype_names[tensor->type]);
        else if (call->vector ? d->mem != TS_MEM_UB : d->mem != TS_MEM_L1)
            REFUSE(call, OPERAND, "tile %s is %s; legal: %s", d->name, ts_mems[d->mem].tile,
                   call->vector ? "vec" : "mat");
        return;
    }
    case TS_OP_TSTORE: {
        const struct ts_tensor_decl *tensor = &call->self->machine.tensors[insn->ref[0].id];
        if (a->type != tensor->type && a->mem != TS_MEM_L0C)
            REFUSE(call, OPERAND, "tile %s is %s, tensor %s is %s; legal: equal (acc converts)",
                   a->name, ts_dtype_names[a->type], tensor->name, ts_dtype_names[tensor->type]);
        return;
    }
    case TS_OP_TMOV:
    case TS_OP_TEXTRACT:
    case TS_OP_TINSERT:
        if (d->mem == TS_MEM_L0C || (!call->vector && a->mem != TS_MEM_L1 && a->mem != TS_MEM_L0C))
            REFUSE(
                call, OPERAND,
                "from %s to %s; legal: mat to left, right, bias, scaling; acc to mat; vec to vec",
                ts_mems[a->mem].tile, ts_mems[d->mem].tile);
        else if (insn->op == TS_OP_TMOV)
            check_shape(call, 0, 1, true, true);
        if (d->type != a->type && a->mem != TS_MEM_L0C)
            REFUSE(call, OPERAND, "types are %s and %s; legal: equal (tcvt converts)",
                   ts_dtype_names[d->type], ts_dtype_names[a->type]);
        return;
    default:
        if (!call->vector)
            REFUSE(call, OPERAND, "a vector operation; legal: on a Vector core");
        else if (d->layout != (a ? a->layout : d->layout) || (b && b->layout != d->layout))
            REFUSE(call, LAYOUT, "layouts are %s and %s; legal: equal (tmov converts)",
                   ts_layout_names[d->layout], ts_layout_names[a->layout]);
        else
            check_shapes(call);
        if (call->vector && insn->op != TS_OP_TCVT && a &&
            (d->type != a->type || (b && b->type != a->type)))
            REFUSE(call, OPERAND, "types are %s and %s; legal: equal (tcvt converts)",
                   ts_dtype_names[d->type], ts_dtype_names[a->type]);
    }
}

void ts_pipe_check_call(struct ts_pipe_program *self, const struct ts_insn *insn, bool vector)
{
    struct call call = {.self = self, .insn = insn, .vector = vector};
    if (insn->scales.used) {
        const struct ts_tile_decl *scales = &self->machine.tiles[insn->scales.id];
        if (scales->mem != TS_MEM_FIXB || scales->type != TS_DTYPE_FP32)
            REFUSE(&call, OPERAND, "scales %s is a %s tile of %s; legal: scaling, fp32",
                   scales->name, ts_mems[scales->mem].tile, ts_dtype_names[scales->type]);
    }
    if (insn->op >= TS_OP_TPUSH && insn->op <= TS_OP_TFREE)
        call.pipe = &self->machine.pipes[insn->pipe];
    else if (insn->op >= TS_OP_TLOAD && insn->op < TS_OP_STOP)
        check_operands(&call);
    if (insn->op == TS_OP_TPUSH)
        check_push(&call);
    else if (insn->op == TS_OP_TPOP)
        check_pop(&call);
    else if (insn->op == TS_OP_TALLOC && check_role(&call, true))
        check_tensor_form(&call);
    else if (insn->op == TS_OP_TFREE && check_role(&call, false) && insn->ref[0].used)
        check_tensor_form(&call);
}
