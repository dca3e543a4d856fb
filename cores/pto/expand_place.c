// Where the bytes of a ring's entry are: the slot a push writes to, the part of it a pop reads, the
// window of a tensor.
//
// Source: pto-isa include/pto/npu/{a2a3,a5}/TPush.hpp, TPop.hpp, TAlloc.hpp: slot index mod S, split
// offsets by sub-block, sub-blocks side by side for TMPipe.
#include "cores/pto/cluster.h"

// TMPipe knows its split by the shapes of its tiles.
static enum ts_split split_of(const struct ts_ring *ring, const struct ts_insn *insn)
{
    const struct ts_ring_config *c = ring->config;
    if (!c->tmpipe)
        return insn->split;
    uint32_t whole_rows = ring->c2v ? c->prod_rows : c->cons_rows,
             part_rows = ring->c2v ? c->cons_rows : c->prod_rows;
    uint32_t whole_cols = ring->c2v ? c->prod_cols : c->cons_cols,
             part_cols = ring->c2v ? c->cons_cols : c->prod_cols;
    if (ring->path == TS_PATH_GM)
        return TS_NO_SPLIT; // by the caller's entry offset
    return 2 * part_rows == whole_rows   ? TS_UP_DOWN
           : 2 * part_cols == whole_cols ? TS_LEFT_RIGHT
                                         : TS_NO_SPLIT;
}

// --- producer ---

// Where a tile of the Cube goes.
static void push_acc(struct ts_su *self, const struct ts_ring *ring, const struct ts_insn *insn,
                     struct ts_entry *entry)
{
    const struct ts_ring_config *config = ring->config;
    struct ts_view *to = &entry->to;
    const struct ts_view *from = &entry->a;
    uint64_t slot = (uint64_t)(entry->index % config->slots) * config->slot_size +
                    ring->prod[self->core->id].offset;
    to->type = insn->has_cast ? (uint8_t)insn->cast : from->type;
    to->rows = from->rows;
    to->cols = from->cols;
    to->layout = (uint8_t)config->layout;
    if (ring->path == TS_PATH_GM) {
        to->mem = TS_MEM_GM;
        to->stride = config->layout == TS_LAYOUT_ND ? from->cols : from->rows;
        to->addr = config->gm + slot;
        return;
    }
    to->mem = TS_MEM_UB;
    to->stride = from->stride;
    to->addr = config->ub + slot;
    switch (split_of(ring, insn)) {
    case TS_UP_DOWN:
        entry->dual = TS_DUAL_ROWS;
        to->rows = from->rows / 2;
        break;
    case TS_LEFT_RIGHT:
        entry->dual = TS_DUAL_COLS;
        to->cols = from->cols / 2;
        to->stride = from->stride / 2;
        break;
    default:
        to->owner = insn->fixpipe ? insn->target : config->tmpipe && config->ratio == 1;
    }
    if (config->layout != TS_LAYOUT_ND)
        to->stride = to->rows;
}

// Where a tile of a Vector core goes.
static void push_vec(struct ts_su *self, const struct ts_ring *ring, const struct ts_insn *insn,
                     struct ts_entry *entry)
{
    const struct ts_ring_config *config = ring->config;
    struct ts_view *to = &entry->to;
    const struct ts_view *from = &entry->a;
    uint32_t sb = ts_su_sub_block(self), size = ts_dtype_bytes(from->type);
    enum ts_split split = split_of(ring, insn);
    uint64_t slot = (uint64_t)(entry->index % config->slots) * config->slot_size +
                    ring->prod[self->core->id].offset;
    bool gm = ring->path == TS_PATH_GM;
    uint32_t width = gm ? from->cols : from->stride; // of this core's part in the slot
    to->type = from->type;
    to->mem = gm ? TS_MEM_GM : TS_MEM_L1;
    to->rows = from->rows;
    to->cols = from->cols;
    to->layout = (uint8_t)config->layout;
    to->stride = split == TS_LEFT_RIGHT ? 2 * width : width;
    if (config->layout != TS_LAYOUT_ND)
        to->stride = split == TS_UP_DOWN ? 2 * from->rows : from->rows;
    to->addr = (gm ? config->gm : config->l1) + slot;
    if (split == TS_UP_DOWN)
        to->addr += ts_view_offset(to, (uint64_t)sb * from->rows, 0);
    else if (split == TS_LEFT_RIGHT)
        to->addr += ts_view_offset(to, 0, (uint64_t)sb * from->cols);
    if (gm && config->tmpipe &&
        config->prod_cols > config->cons_cols) { // blocks of the consumer's width
        entry->blocks = config->prod_cols / config->cons_cols;
        entry->block_step = (uint64_t)config->cons_rows * config->cons_cols * size;
        entry->a.cols = to->cols = to->stride = config->cons_cols;
    }
}

void ts_place_push(struct ts_su *self, const struct ts_ring *ring, const struct ts_insn *insn,
                   struct ts_entry *entry)
{
    if (self->core->id == TS_CORE_AIC)
        push_acc(self, ring, insn, entry);
    else
        push_vec(self, ring, insn, entry);
}

// Where a tensor's window into slot `index` begins, for this core's end of the ring.
uint64_t ts_place_window(const struct ts_su *self, const struct ts_ring *ring,
                         const struct ts_ring_end *end, const struct ts_insn *insn, uint32_t index)
{
    const struct ts_ring_config *config = ring->config;
    const struct ts_tensor_decl *tensor = &self->core->cluster->machine->tensors[insn->ref[0].id];
    uint32_t size = ts_dtype_bytes(tensor->type);
    uint64_t addr = config->gm + (uint64_t)(index % config->slots) * config->slot_size;
    if (config->direction == TS_DIR_BOTH_GM)
        addr += end->offset; // as published, DIR_BOTH does not
    if (self->core->id != TS_CORE_AIC && insn->split == TS_UP_DOWN)
        addr += (uint64_t)ts_su_sub_block(self) * tensor->rows * tensor->cols * size;
    else if (self->core->id != TS_CORE_AIC && insn->split == TS_LEFT_RIGHT)
        addr += (uint64_t)ts_su_sub_block(self) * tensor->cols * size;
    return addr;
}

// --- consumer ---

// The part of the slot that this core loads.
void ts_place_pop(struct ts_su *self, const struct ts_ring *ring, const struct ts_insn *insn,
                  struct ts_entry *entry)
{
    const struct ts_ring_config *config = ring->config;
    struct ts_view *from = &entry->a;
    const struct ts_view *to = &entry->to;
    uint32_t sb = ts_su_sub_block(self), rows = to->rows, cols = to->cols,
             size = ts_dtype_bytes(to->type);
    uint64_t row = 0, col = 0;
    uint32_t whole_rows = rows, whole_cols = cols; // of the entry
    *from = (struct ts_view){.used = 1,
                             .mem = TS_MEM_GM,
                             .type = to->type,
                             .layout = (uint8_t)config->layout,
                             .rows = rows,
                             .cols = cols};
    switch (self->core->id == TS_CORE_AIC ? TS_NO_SPLIT : split_of(ring, insn)) {
    case TS_UP_DOWN:
        row = (uint64_t)sb * rows;
        whole_rows = 2 * rows;
        break;
    case TS_UP_DOWN_ODD:
        row = (uint64_t)sb * (rows + sb);
        whole_rows = 2 * rows + 2 * sb - 1;
        break;
    case TS_LEFT_RIGHT:
        col = (uint64_t)sb * cols;
        whole_cols = 2 * cols;
        break;
    case TS_LEFT_RIGHT_ODD:
        col = (uint64_t)sb * (cols + sb);
        whole_cols = 2 * cols + 2 * sb - 1;
        break;
    case TS_NO_SPLIT:
        break;
    }
    from->stride = config->layout == TS_LAYOUT_ND ? whole_cols : whole_rows;
    from->addr = config->gm + (uint64_t)(entry->index % config->slots) * config->slot_size +
                 ring->cons[self->core->id].offset + ts_view_offset(from, row, col);
    if (config->tmpipe && ring->c2v &&
        config->cons_cols > config->prod_cols) { // blocks of the producer's width
        entry->blocks = config->cons_cols / config->prod_cols;
        entry->block_step = (uint64_t)config->prod_rows * config->prod_cols * size;
        entry->to.cols = from->cols = from->stride = config->prod_cols;
    }
}
