// TPUSH, TPOP, TALLOC and TFREE, taken apart into waits, moves and sets, as the published headers
// do it.
//
// Source: pto-isa include/pto/npu/{a2a3,a5}/TPush.hpp, TPop.hpp, TAlloc.hpp, TFree.hpp.
//
//   profile, ring     producer waits on, moves on, sets on    consumer waits on, loads on, gives
//   credit on A2/A3 C2V (GM)    su,   fix,  fix                          su,   mte2, mte2 A2/A3 V2C
//   (GM)    su,   mte3, mte3                         su,   mte2, mte2 A5 C2V (UB)       fix,  fix,
//   fix                          v,    -,    v    (TFREE) A5 V2C (L1)       mte3, mte3, mte3 mte1,
//   -,    mte1 (TFREE) A5 C2V_GM         fix,  fix,  fix                          mte2, mte2, mte2
//   A5 V2C_GM         mte3, mte3, mte3                         mte2, mte2, mte1 (as published: can
//   be too early)
#include "cores/pto/cluster.h"

struct ts_ring *ts_core_ring(const struct ts_core *core, uint32_t pipe, bool produce)
{
    bool c2v = (core->id == TS_CORE_AIC) == produce;
    struct ts_ring *ring = &core->cluster->ring[!c2v][pipe];
    return ring->exists ? ring : NULL;
}

static enum ts_profile profile_of(const struct ts_su *self)
{
    return self->core->cluster->machine->profile;
}

static unsigned part_of(const struct ts_su *self)
{
    return self->core->id == TS_CORE_AIV1;
}

static uint32_t sub_block(const struct ts_su *self)
{
    return self->core->id == TS_CORE_AIV1;
}

static bool is_on(const struct ts_su *self, const struct ts_insn *insn, unsigned which,
                  const struct ts_ring_config *config)
{
    if (!insn->has_switch[which])
        return ts_ring_switch_default(config);
    return ts_expr_value(self->core->cluster->machine->words, &insn->on[which], self->vars) != 0;
}

// --- which pipe does what ---

static enum ts_lane_id producer_lane(const struct ts_su *self)
{
    return self->core->id == TS_CORE_AIC ? TS_LANE_FIX : TS_LANE_MTE3;
}

static enum ts_lane_id use_lane(const struct ts_ring *ring)
{
    return ring->path == TS_PATH_UB   ? TS_LANE_V
           : ring->path == TS_PATH_L1 ? TS_LANE_MTE1
                                      : TS_LANE_MTE2;
}

static enum ts_lane_id wait_lane(const struct ts_su *self, enum ts_lane_id lane)
{
    return profile_of(self) == TS_PROFILE_A2A3 ? TS_LANE_S : lane;
}

static enum ts_lane_id credit_lane(const struct ts_su *self, const struct ts_ring *ring)
{
    if (profile_of(self) == TS_PROFILE_A5 && ring->path == TS_PATH_GM && !ring->c2v &&
        !ring->config->tmpipe)
        return TS_LANE_MTE1;
    return use_lane(ring);
}

// Sets or waits; on A5 the Cube does it for both AIVs unless the call is without split.
static struct ts_entry *flags(struct ts_su *self, enum ts_entry_kind kind, enum ts_lane_id lane,
                              unsigned id, enum ts_split split)
{
    struct ts_entry *first = ts_su_micro(self, kind, lane);
    first->id = (uint8_t)id;
    if (profile_of(self) == TS_PROFILE_A5 && self->core->id == TS_CORE_AIC && split != TS_NO_SPLIT)
        ts_su_micro(self, kind, lane)->id = (uint8_t)(id + TS_FLAG_AIV1);
    return first;
}

static enum ts_split flag_split(const struct ts_ring *ring, const struct ts_insn *insn)
{
    if (ring->config->tmpipe)
        return TS_UP_DOWN; // A5: always both AIVs
    return insn->fixpipe ? TS_NO_SPLIT : insn->split;
}

static void credit(struct ts_su *self, struct ts_ring *ring, uint32_t index, enum ts_split split)
{
    struct ts_entry *entry = flags(self, TS_ENTRY_SET_FLAG, credit_lane(self, ring),
                                   ts_ring_free_flag(ring, index), split);
    entry->credit = true;
    entry->ring = ring;
    entry->index = index;
    entry->part = (uint8_t)part_of(self);
}

static struct ts_entry *book(struct ts_su *self, enum ts_entry_kind kind, enum ts_lane_id lane,
                             struct ts_ring *ring, uint32_t index)
{
    struct ts_entry *entry = ts_su_micro(self, kind, lane);
    entry->ring = ring;
    entry->index = index;
    entry->part = (uint8_t)part_of(self);
    return entry;
}

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

// --- making and destroying ---

void ts_expand_make(struct ts_su *self, uint32_t pipe)
{
    struct ts_ring *ring = ts_core_ring(self->core, pipe, false);
    if (ring == NULL)
        return;
    const struct ts_ring_config *config = ring->config;
    if (config->tmpipe && config->ratio < 2 && self->core->id != TS_CORE_AIC &&
        sub_block(self) != config->ratio)
        return;
    for (uint32_t i = 0; i < ts_ring_initial(config); i++)
        flags(self, TS_ENTRY_SET_FLAG, credit_lane(self, ring), ts_ring_free_flag(ring, i),
              config->no_split && !config->tmpipe ? TS_NO_SPLIT : TS_UP_DOWN);
}

void ts_expand_destroy(struct ts_su *self, uint32_t pipe)
{
    struct ts_ring *ring = ts_core_ring(self->core, pipe, true);
    if (ring == NULL)
        return;
    const struct ts_ring_config *config = ring->config;
    self->insn_index = ring->prod[self->core->id].index;
    for (uint32_t i = 0; i < ts_ring_drain(config, ring->prod[self->core->id].index); i++) {
        struct ts_entry *entry = flags(
            self, TS_ENTRY_WAIT_FLAG, wait_lane(self, producer_lane(self)),
            ts_ring_free_flag(ring, i),
            config->no_split && !config->tmpipe ? TS_NO_SPLIT : TS_UP_DOWN);
        entry->ring = ring;
    }
}

// --- producer ---

static void allocate(struct ts_su *self, struct ts_ring *ring, const struct ts_insn *insn,
                     uint32_t index)
{
    const struct ts_ring_config *config = ring->config;
    if (config->variant == TS_VARIANT_G) {
        book(self, TS_ENTRY_RING_ROOM, TS_LANE_S, ring, index);
        return;
    }
    if (!is_on(self, insn, TS_SWITCH_ALLOCATE, config) || !ts_ring_waits(config, index))
        return;
    struct ts_entry *entry = flags(self, TS_ENTRY_WAIT_FLAG, wait_lane(self, producer_lane(self)),
                                   ts_ring_free_flag(ring, index), flag_split(ring, insn));
    entry->ring = ring;
    entry->index = index;
}

static void record(struct ts_su *self, struct ts_ring *ring, const struct ts_insn *insn,
                   uint32_t index)
{
    if (ring->config->variant != TS_VARIANT_G)
        flags(self, TS_ENTRY_SET_FLAG, producer_lane(self), ts_ring_ready_flag(ring, index),
              flag_split(ring, insn));
}

static bool advances(const struct ts_su *self, const struct ts_ring *ring)
{
    return !(ring->config->tmpipe && profile_of(self) == TS_PROFILE_A5);
}

// Where a tile of the Cube goes.
static void push_acc(struct ts_su *self, struct ts_ring *ring, const struct ts_insn *insn,
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
    if (ring->path == TS_PATH_GM) {
        to->mem = TS_MEM_GM;
        to->stride = from->cols;
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
}

// Where a tile of a Vector core goes.
static void push_vec(struct ts_su *self, struct ts_ring *ring, const struct ts_insn *insn,
                     struct ts_entry *entry)
{
    const struct ts_ring_config *config = ring->config;
    struct ts_view *to = &entry->to;
    const struct ts_view *from = &entry->a;
    uint32_t sb = sub_block(self), size = ts_dtype_bytes(from->type);
    enum ts_split split = split_of(ring, insn);
    uint64_t slot = (uint64_t)(entry->index % config->slots) * config->slot_size +
                    ring->prod[self->core->id].offset;
    bool gm = ring->path == TS_PATH_GM;
    uint32_t width = gm ? from->cols : from->stride; // of this core's part in the slot
    to->type = from->type;
    to->mem = gm ? TS_MEM_GM : TS_MEM_L1;
    to->rows = from->rows;
    to->cols = from->cols;
    to->stride = split == TS_LEFT_RIGHT ? 2 * width : width;
    to->addr = (gm ? config->gm : config->l1) + slot;
    if (split == TS_UP_DOWN)
        to->addr += (uint64_t)sb * from->rows * to->stride * size;
    else if (split == TS_LEFT_RIGHT)
        to->addr += (uint64_t)sb * from->cols * size;
    if (gm && config->tmpipe &&
        config->prod_cols > config->cons_cols) { // blocks of the consumer's width
        entry->blocks = config->prod_cols / config->cons_cols;
        entry->block_step = (uint64_t)config->cons_rows * config->cons_cols * size;
        entry->a.cols = to->cols = to->stride = config->cons_cols;
    }
}

void ts_expand_push(struct ts_su *self, const struct ts_insn *insn)
{
    struct ts_ring *ring = ts_core_ring(self->core, insn->pipe, true);
    struct ts_ring_end *end = &ring->prod[self->core->id];
    const struct ts_ring_config *config = ring->config;
    self->tile_ops++;
    if (insn->ref[0].tensor) { // the slot was filled by stores: only the record
        if (!end->open) {
            ts_finding_add(&self->core->cluster->findings, TS_FINDING_PAIR, 0,
                           "%s, line %u: TPUSH of a tensor to pipe %s without a TALLOC before it",
                           ts_core_name(self->core->id), insn->line, config->name);
            return;
        }
        end->open = false;
        self->insn_index = end->index - 1;
        book(self, TS_ENTRY_WRITE_CLOSE, producer_lane(self), ring, end->index - 1);
        record(self, ring, insn, end->index - 1);
        return;
    }
    uint32_t index = self->insn_index = end->index;
    allocate(self, ring, insn, index);
    struct ts_entry *work = book(self, TS_ENTRY_WORK, producer_lane(self), ring, index);
    work->role = TS_RING_WRITE;
    work->a = ts_su_view(self, &insn->ref[0]);
    work->to.used = 1;
    ts_su_scales(self, insn, work);
    if (self->core->id == TS_CORE_AIC)
        push_acc(self, ring, insn, work);
    else
        push_vec(self, ring, insn, work);
    if (advances(self, ring))
        end->index++;
    if (is_on(self, insn, TS_SWITCH_RECORD, config))
        record(self, ring, insn, index);
}

void ts_expand_alloc(struct ts_su *self, const struct ts_insn *insn)
{
    struct ts_ring *ring = ts_core_ring(self->core, insn->pipe, true);
    struct ts_ring_end *end = &ring->prod[self->core->id];
    const struct ts_tensor_decl *tensor = &self->core->cluster->machine->tensors[insn->ref[0].id];
    uint32_t index = self->insn_index = end->index, size = ts_dtype_bytes(tensor->type);
    allocate(self, ring, insn, index);
    book(self, TS_ENTRY_WRITE_OPEN, producer_lane(self), ring, index);
    uint64_t addr = ring->config->gm +
                    (uint64_t)(index % ring->config->slots) * ring->config->slot_size;
    if (self->core->id != TS_CORE_AIC && insn->split == TS_UP_DOWN)
        addr += (uint64_t)sub_block(self) * tensor->rows * tensor->cols * size;
    else if (self->core->id != TS_CORE_AIC && insn->split == TS_LEFT_RIGHT)
        addr += (uint64_t)sub_block(self) * tensor->cols * size;
    self->window_addr[insn->ref[0].id] = addr;
    end->open = true;
    if (advances(self, ring))
        end->index++;
}

// --- consumer ---

static void await_tile(struct ts_su *self, struct ts_ring *ring, const struct ts_insn *insn,
                       uint32_t index, bool always)
{
    const struct ts_ring_config *config = ring->config;
    if (config->variant == TS_VARIANT_G) {
        book(self, TS_ENTRY_RING_TILE, TS_LANE_S, ring, index);
        return;
    }
    if (!always && !is_on(self, insn, TS_SWITCH_WAIT, config))
        return;
    struct ts_entry *entry = flags(self, TS_ENTRY_WAIT_FLAG, wait_lane(self, use_lane(ring)),
                                   ts_ring_ready_flag(ring, index), flag_split(ring, insn));
    entry->ring = ring;
    entry->index = index;
}

// The part of the slot that this core loads (3.7).
static void pop_from_gm(struct ts_su *self, struct ts_ring *ring, const struct ts_insn *insn,
                        struct ts_entry *entry)
{
    const struct ts_ring_config *config = ring->config;
    struct ts_view *from = &entry->a;
    const struct ts_view *to = &entry->to;
    uint32_t sb = sub_block(self), rows = to->rows, cols = to->cols,
             size = ts_dtype_bytes(to->type);
    uint64_t offset = 0;
    *from = (struct ts_view){
        .used = 1, .mem = TS_MEM_GM, .type = to->type, .rows = rows, .cols = cols, .stride = cols};
    switch (self->core->id == TS_CORE_AIC ? TS_NO_SPLIT : split_of(ring, insn)) {
    case TS_UP_DOWN:
        offset = (uint64_t)sb * rows * cols;
        break;
    case TS_UP_DOWN_ODD:
        offset = (uint64_t)sb * (rows + sb) * cols;
        break;
    case TS_LEFT_RIGHT:
        offset = (uint64_t)sb * cols;
        from->stride = 2 * cols;
        break;
    case TS_LEFT_RIGHT_ODD:
        offset = (uint64_t)sb * (cols + sb);
        from->stride = 2 * cols + 2 * sb - 1;
        break;
    case TS_NO_SPLIT:
        break;
    }
    from->addr = config->gm + (uint64_t)(entry->index % config->slots) * config->slot_size +
                 ring->cons[self->core->id].offset + offset * size;
    if (config->tmpipe && ring->c2v &&
        config->cons_cols > config->prod_cols) { // blocks of the producer's width
        entry->blocks = config->cons_cols / config->prod_cols;
        entry->block_step = (uint64_t)config->prod_rows * config->prod_cols * size;
        entry->to.cols = from->cols = from->stride = config->prod_cols;
    }
}

static void pop_tile(struct ts_su *self, struct ts_ring *ring, const struct ts_insn *insn,
                     uint32_t index)
{
    const struct ts_ring_config *config = ring->config;
    const struct ts_tile_decl *tile = &self->core->cluster->machine->tiles[insn->ref[0].id];
    uint64_t *address = &self->tile_addr[ts_su_element(self, &insn->ref[0])];
    if (ring->path != TS_PATH_GM) { // zero copy
        if (!config->tmpipe)
            *address = (ring->path == TS_PATH_UB ? config->ub : config->l1) +
                       (uint64_t)(index % config->slots) * config->slot_size +
                       ring->cons[self->core->id].offset;
        book(self, TS_ENTRY_READ_OPEN, use_lane(ring), ring, index);
        return;
    }
    if (config->local_slots) {
        uint64_t stride = profile_of(self) == TS_PROFILE_A2A3 && !config->tmpipe &&
                                  !config->tile_stride
                              ? config->slot_size
                              : (uint64_t)tile->rows * tile->cols * ts_dtype_bytes(tile->type);
        *address = (ring->c2v ? config->ub : config->l1) + (index % config->local_slots) * stride;
    }
    struct ts_entry *work = book(self, TS_ENTRY_WORK, TS_LANE_MTE2, ring, index);
    work->role = config->variant == TS_VARIANT_G ? TS_RING_READ_KEEP : TS_RING_READ;
    work->to = ts_su_view(self, &insn->ref[0]);
    pop_from_gm(self, ring, insn, work);
    if (config->variant != TS_VARIANT_G && is_on(self, insn, TS_SWITCH_FREE, config) &&
        ts_ring_notifies(config, index))
        credit(self, ring, index, flag_split(ring, insn));
}

void ts_expand_pop(struct ts_su *self, const struct ts_insn *insn)
{
    struct ts_ring *ring = ts_core_ring(self->core, insn->pipe, false);
    struct ts_ring_end *end = &ring->cons[self->core->id];
    uint32_t index = self->insn_index = end->index;
    self->tile_ops++;
    if (!insn->ref[0].tensor) {
        await_tile(self, ring, insn, index, false);
        pop_tile(self, ring, insn, index);
    } else {
        const struct ts_tensor_decl *tensor =
            &self->core->cluster->machine->tensors[insn->ref[0].id];
        uint32_t size = ts_dtype_bytes(tensor->type);
        await_tile(self, ring, insn, index, true);
        uint64_t addr = ring->config->gm +
                        (uint64_t)(index % ring->config->slots) * ring->config->slot_size;
        if (self->core->id != TS_CORE_AIC && insn->split == TS_UP_DOWN)
            addr += (uint64_t)sub_block(self) * tensor->rows * tensor->cols * size;
        else if (self->core->id != TS_CORE_AIC && insn->split == TS_LEFT_RIGHT)
            addr += (uint64_t)sub_block(self) * tensor->cols * size;
        self->window_addr[insn->ref[0].id] = addr;
        end->open = true;
        book(self, TS_ENTRY_READ_OPEN, TS_LANE_MTE2, ring, index);
    }
    if (advances(self, ring))
        end->index++;
}

void ts_expand_free(struct ts_su *self, const struct ts_insn *insn)
{
    struct ts_ring *ring = ts_core_ring(self->core, insn->pipe, false);
    struct ts_ring_end *end = &ring->cons[self->core->id];
    const struct ts_ring_config *config = ring->config;
    bool tensor = insn->ref[0].used;
    bool manual = !advances(self, ring);
    if (end->index == 0 && !manual) {
        ts_finding_add(&self->core->cluster->findings, TS_FINDING_PAIR, 0,
                       "%s, line %u: TFREE of pipe %s before any TPOP",
                       ts_core_name(self->core->id), insn->line, config->name);
        return;
    }
    uint32_t index = manual ? end->index : end->index - 1;
    self->insn_index = index;
    if (!tensor && profile_of(self) == TS_PROFILE_A2A3 && config->variant != TS_VARIANT_G)
        return; // no operation: TPOP has freed
    end->open = false;
    // The caller means the oldest tile it has not freed; the header looks at the newest one popped.
    bool closes = tensor || ring->path != TS_PATH_GM || config->variant == TS_VARIANT_G;
    if (closes)
        book(self, TS_ENTRY_READ_CLOSE, use_lane(ring), ring, manual ? index : end->frees);
    end->frees++;
    if (config->variant != TS_VARIANT_G && is_on(self, insn, TS_SWITCH_FREE, config) &&
        ts_ring_notifies(config, index))
        credit(self, ring, index, flag_split(ring, insn));
}
