// Operands of a running instruction, and the tile operations as work for a pipe.
//
//   name[index](row, col, rows, cols) --> memory, address, shape --> entry of mte1, mte2, mte3, m,
//   v or fix
//
// Source: pto-isa include/pto (which pipe moves what).
// Everything an operation will touch is in the views of its entry, so that bounds, races and costs
// all speak of the same bytes.
#include "cores/pto/cluster.h"

// --- operands ---

static void out_of_bounds(struct ts_su *self, const char *what, const char *name, int64_t at,
                          uint64_t legal)
{
    ts_finding_add(&self->core->cluster->findings, TS_FINDING_BOUNDS,
                   (struct ts_spot){0, self->insn->line, name},
                   "%s: %s %s: %lld; legal: up to %llu", ts_core_names[self->core->id], what, name,
                   (long long)at, (unsigned long long)legal);
}

// The number of a tile's element among all elements.
uint32_t ts_su_element(struct ts_su *self, const struct ts_ref *ref)
{
    const struct ts_tile_decl *tile = &self->core->cluster->machine->tiles[ref->id];
    int64_t index = ts_su_value(self, &ref->index);
    if (index >= 0 && index < tile->count)
        return tile->first + (uint32_t)index;
    out_of_bounds(self, "index of tile", tile->name, index, tile->count - 1);
    return tile->first;
}

// Moves a view to (row, col) of its tile or tensor. In NZ a column must begin a fractal.
static void shift(struct ts_su *self, struct ts_view *view, int64_t row, int64_t col)
{
    uint32_t width = ts_layout_width((enum ts_layout)view->layout,
                                     ts_dtype_bytes((enum ts_dtype)view->type));
    if (width > 1 && col % width)
        ts_finding_add(&self->core->cluster->findings, TS_FINDING_LAYOUT,
                       (struct ts_spot){0, self->insn->line, ts_ops[self->insn->op].name},
                       "%s: column %lld of an nz tile; legal: multiples of %u",
                       ts_core_names[self->core->id], (long long)col, width);
    view->addr += ts_view_offset(view, (uint64_t)row, (uint64_t)col);
}

struct ts_view ts_su_view(struct ts_su *self, const struct ts_ref *ref)
{
    const struct ts_machine *machine = self->core->cluster->machine;
    struct ts_view view = {.used = 1};
    if (ref->tensor) {
        const struct ts_tensor_decl *tensor = &machine->tensors[ref->id];
        view.mem = TS_MEM_GM;
        view.type = (uint8_t)tensor->type;
        view.addr = tensor->window ? self->window_addr[ref->id] : tensor->gm;
        view.rows = tensor->rows;
        view.cols = view.stride = tensor->cols;
    } else {
        const struct ts_tile_decl *tile = &machine->tiles[ref->id];
        view.mem = (uint8_t)tile->mem;
        view.type = (uint8_t)tile->type;
        view.owner = self->core->id == TS_CORE_AIV1;
        view.addr = self->tile_addr[ts_su_element(self, ref)];
        view.rows = tile->vrows;
        view.cols = tile->vcols;
        view.layout = (uint8_t)tile->layout;
        view.stride = tile->layout == TS_LAYOUT_ND ? tile->cols : tile->rows;
    }
    if (ref->has_offset)
        shift(self, &view, ts_su_value(self, &ref->row), ts_su_value(self, &ref->col));
    if (ref->has_shape) {
        view.rows = (uint32_t)ts_su_value(self, &ref->rows);
        view.cols = (uint32_t)ts_su_value(self, &ref->cols);
    }
    return view;
}

// A load or store must stay inside its tensor, not only inside GM.
static void check_tensor(struct ts_su *self, const struct ts_ref *ref, const struct ts_view *view)
{
    const struct ts_tensor_decl *tensor = &self->core->cluster->machine->tensors[ref->id];
    int64_t row = ref->has_offset ? ts_su_value(self, &ref->row) : 0;
    int64_t col = ref->has_offset ? ts_su_value(self, &ref->col) : 0;
    if (row < 0 || row + view->rows > tensor->rows)
        out_of_bounds(self, "rows of tensor", tensor->name, row + view->rows, tensor->rows);
    if (col < 0 || col + view->cols > tensor->cols)
        out_of_bounds(self, "columns of tensor", tensor->name, col + view->cols, tensor->cols);
}

// What a vector operation touches follows from its result, or from its source where it reduces.
static void shape_operands(enum ts_op op, struct ts_entry *entry)
{
    struct ts_view *to = &entry->to, *a = &entry->a, *b = &entry->b, *c = &entry->c;
    switch (op) {
    case TS_OP_TROWMAX:
    case TS_OP_TROWSUM:
        to->rows = a->rows;
        to->cols = 1;
        return;
    case TS_OP_TCOLSUM:
        to->rows = 1;
        to->cols = a->cols;
        return;
    case TS_OP_TROWEXPAND:
        a->rows = to->rows;
        a->cols = 1;
        return;
    default:
        a->rows = b->rows = c->rows = to->rows;
        a->cols = b->cols = c->cols = to->cols;
    }
    if (op == TS_OP_TSEL)
        a->cols = (to->cols + 7) / 8; // a bit for each
    else if (op >= TS_OP_TROWEXPANDADD && op <= TS_OP_TROWEXPANDDIV)
        b->cols = 1;
    else if (op == TS_OP_TCOLEXPANDADD || op == TS_OP_TCOLEXPANDMUL)
        b->rows = 1;
}

// --- tile operations ---

static enum ts_lane_id lane_of_move(enum ts_mem to, enum ts_mem from)
{
    if (from == TS_MEM_L0C)
        return TS_LANE_FIX;
    if (to == TS_MEM_UB)
        return TS_LANE_V;
    return TS_LANE_MTE1;
}

// The fixpipe's factors: one for each column that is moved.
void ts_su_scales(struct ts_su *self, const struct ts_insn *insn, struct ts_entry *entry)
{
    if (!insn->scales.used)
        return;
    entry->b = ts_su_view(self, &insn->scales);
    entry->b.rows = 1;
    entry->b.cols = entry->a.cols;
}

void ts_expand_tile_op(struct ts_su *self, const struct ts_insn *insn)
{
    struct ts_entry *entry = ts_su_micro(self, TS_ENTRY_WORK, TS_LANE_V);
    struct ts_view *to = &entry->to, *a = &entry->a, *b = &entry->b, *c = &entry->c;
    struct ts_view *const views[] = {to, a, b, c};
    self->tile_ops++;
    for (int i = 0; i < 4; i++)
        if (insn->ref[i].used)
            *views[i] = ts_su_view(self, &insn->ref[i]);
    switch (insn->op) {
    case TS_OP_TLOAD:
        // The tile says how much is moved; a transposed load reads the other way round.
        a->rows = insn->transpose ? to->cols : to->rows;
        a->cols = insn->transpose ? to->rows : to->cols;
        entry->lane = TS_LANE_MTE2;
        check_tensor(self, &insn->ref[1], a);
        return;
    case TS_OP_TSTORE:
        to->rows = a->rows;
        to->cols = a->cols;
        entry->lane = a->mem == TS_MEM_L0C ? TS_LANE_FIX : TS_LANE_MTE3;
        check_tensor(self, &insn->ref[0], to);
        break;
    case TS_OP_TMOV:
    case TS_OP_TEXTRACT:
    case TS_OP_TINSERT: {
        struct ts_view *large = insn->op == TS_OP_TINSERT ? to : a;
        const struct ts_view *small = insn->op == TS_OP_TINSERT ? a : to;
        entry->lane = (uint8_t)lane_of_move(to->mem, a->mem);
        if (insn->op != TS_OP_TMOV)
            shift(self, large, ts_su_value(self, &insn->expr[0]),
                  ts_su_value(self, &insn->expr[1]));
        large->rows = small->rows;
        large->cols = small->cols;
        break;
    }
    case TS_OP_TMATMUL:
    case TS_OP_TMATMUL_ACC:
    case TS_OP_TMATMUL_BIAS:
        b->rows = a->cols;
        c->rows = 1;
        c->cols = to->cols = b->cols;
        to->rows = a->rows;
        entry->lane = TS_LANE_M;
        return;
    default:
        shape_operands(insn->op, entry);
        return;
    }
    ts_su_scales(self, insn, entry);
}
