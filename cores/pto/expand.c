// TPUSH, TPOP, TALLOC and TFREE, taken apart into waits, moves and sets, as the published headers
// do it.
//
// Source: pto-isa include/pto/npu/{a2a3,a5}/TPush.hpp, TPop.hpp, TAlloc.hpp, TFree.hpp.
//
//   profile, ring    producer: waits, moves, sets on   consumer: waits, loads, gives credit on
//   A2/A3 C2V (GM)   su,   fix,  fix                   su,   mte2, mte2
//   A2/A3 V2C (GM)   su,   mte3, mte3                  su,   mte2, mte2
//   A5 C2V (UB)      fix,  fix,  fix                   v,    -,    v    (TFREE)
//   A5 V2C (L1)      mte3, mte3, mte3                  mte1, -,    mte1 (TFREE)
//   A5 C2V_GM        fix,  fix,  fix                   mte2, mte2, mte2
//   A5 V2C_GM        mte3, mte3, mte3                  mte2, mte2, mte2 (published: mte1)
//   A5 BOTH_GM       as C2V_GM and V2C_GM
//   V2C_CTRL         s,    s,    s                     s,    s,    s    (A5: TFREE)
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

// This core's number among those of its side of a ring.
static unsigned part_of(const struct ts_su *self, const struct ts_ring *ring)
{
    return self->core->id == TS_CORE_AIV1 && ring->first_aiv == 0;
}

static bool is_on(const struct ts_su *self, const struct ts_insn *insn, unsigned which,
                  const struct ts_ring_config *config)
{
    if (!insn->has_switch[which])
        return ts_ring_switch_default(config);
    return ts_expr_value(self->core->cluster->machine->words, &insn->on[which], self->vars) != 0;
}

// --- which pipe does what ---

static enum ts_lane_id producer_lane(const struct ts_su *self, const struct ts_ring *ring)
{
    if (ring->path == TS_PATH_CTRL)
        return TS_LANE_S;
    return self->core->id == TS_CORE_AIC ? TS_LANE_FIX : TS_LANE_MTE3;
}

static enum ts_lane_id use_lane(const struct ts_ring *ring)
{
    static const uint8_t lanes[] = {[TS_PATH_GM] = TS_LANE_MTE2,
                                    [TS_PATH_UB] = TS_LANE_V,
                                    [TS_PATH_L1] = TS_LANE_MTE1,
                                    [TS_PATH_CTRL] = TS_LANE_S};
    return (enum ts_lane_id)lanes[ring->path];
}

static enum ts_lane_id wait_lane(const struct ts_su *self, enum ts_lane_id lane)
{
    return profile_of(self) == TS_PROFILE_A2A3 ? TS_LANE_S : lane;
}

static enum ts_lane_id credit_lane(const struct ts_ring *ring)
{
    if (ring->config->direction == TS_DIR_V2C_GM && !ring->config->tmpipe &&
        ts_ring_as_published(ring->config, TS_PUBLISHED_V2C_GM))
        return TS_LANE_MTE1;
    return use_lane(ring);
}

// Sets or waits; on A5 the Cube does it for each AIV that takes part.
static struct ts_entry *flags(struct ts_su *self, const struct ts_ring *ring,
                              enum ts_entry_kind kind, enum ts_lane_id lane, unsigned id,
                              enum ts_split split)
{
    bool each = profile_of(self) == TS_PROFILE_A5 && self->core->id == TS_CORE_AIC;
    bool one = ring->config->tmpipe && (ring->c2v ? ring->readers : ring->writers) == 1;
    struct ts_entry *first = ts_su_micro(self, kind, lane);
    first->id = (uint8_t)(id + (each && one && ring->first_aiv ? TS_FLAG_AIV1 : 0));
    if (each && !one && split != TS_NO_SPLIT)
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
    struct ts_entry *entry = flags(self, ring, TS_ENTRY_SET_FLAG, credit_lane(ring),
                                   ts_ring_free_flag(ring, index), split);
    entry->credit = true;
    entry->ring = ring;
    entry->index = index;
    entry->part = (uint8_t)part_of(self, ring);
}

static struct ts_entry *book(struct ts_su *self, enum ts_entry_kind kind, enum ts_lane_id lane,
                             struct ts_ring *ring, uint32_t index)
{
    struct ts_entry *entry = ts_su_micro(self, kind, lane);
    entry->ring = ring;
    entry->index = index;
    entry->part = (uint8_t)part_of(self, ring);
    return entry;
}

// --- making and destroying ---

void ts_expand_make(struct ts_su *self, uint32_t pipe)
{
    struct ts_ring *ring = ts_core_ring(self->core, pipe, false);
    if (ring == NULL)
        return;
    const struct ts_ring_config *config = ring->config;
    if (config->tmpipe && config->ratio < 2 && self->core->id != TS_CORE_AIC &&
        ts_su_sub_block(self) != config->ratio)
        return; // as published too
    for (uint32_t i = 0; i < ts_ring_initial(config); i++)
        flags(self, ring, TS_ENTRY_SET_FLAG, credit_lane(ring), ts_ring_free_flag(ring, i),
              config->no_split && !config->tmpipe ? TS_NO_SPLIT : TS_UP_DOWN);
}

void ts_expand_destroy(struct ts_su *self, uint32_t pipe)
{
    struct ts_ring *ring = ts_core_ring(self->core, pipe, true);
    if (ring == NULL || !ts_ring_takes_part(ring, self->core->id))
        return;
    const struct ts_ring_config *config = ring->config;
    self->insn_index = ring->prod[self->core->id].index;
    for (uint32_t i = 0; i < ts_ring_drain(config, ring->prod[self->core->id].index); i++) {
        struct ts_entry *entry = flags(
            self, ring, TS_ENTRY_WAIT_FLAG, wait_lane(self, producer_lane(self, ring)),
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
    struct ts_entry *entry = flags(self, ring, TS_ENTRY_WAIT_FLAG,
                                   wait_lane(self, producer_lane(self, ring)),
                                   ts_ring_free_flag(ring, index), flag_split(ring, insn));
    entry->ring = ring;
    entry->index = index;
}

static void record(struct ts_su *self, struct ts_ring *ring, const struct ts_insn *insn,
                   uint32_t index)
{
    if (ring->config->variant != TS_VARIANT_G)
        flags(self, ring, TS_ENTRY_SET_FLAG, producer_lane(self, ring),
              ts_ring_ready_flag(ring, index), flag_split(ring, insn));
}

static bool advances(const struct ts_su *self, const struct ts_ring *ring)
{
    return !ring->config->tmpipe || profile_of(self) == TS_PROFILE_A2A3 || ring->config->counts;
}

static void push_tile(struct ts_su *self, struct ts_ring *ring, const struct ts_insn *insn,
                      uint32_t index)
{
    // As published, a tile push to DIR_BOTH_GM has no branch that moves anything.
    if (ts_ring_both_gm_published(ring->config))
        return;
    bool control = ring->path == TS_PATH_CTRL;
    struct ts_entry *work = book(self, control ? TS_ENTRY_CTRL_WRITE : TS_ENTRY_WORK,
                                 producer_lane(self, ring), ring, index);
    work->a = ts_su_view(self, &insn->ref[0]);
    if (control) {
        work->a.rows = work->a.cols = 1;
        return;
    }
    work->role = TS_RING_WRITE;
    work->to.used = 1;
    ts_su_scales(self, insn, work);
    ts_place_push(self, ring, insn, work);
}

void ts_expand_push(struct ts_su *self, const struct ts_insn *insn)
{
    struct ts_ring *ring = ts_core_ring(self->core, insn->pipe, true);
    struct ts_ring_end *end = &ring->prod[self->core->id];
    const struct ts_ring_config *config = ring->config;
    if (!ts_ring_takes_part(ring, self->core->id))
        return;
    self->tile_ops++;
    if (insn->ref[0].tensor) { // the slot was filled by stores: only the record
        if (!end->open) {
            ts_finding_add(&self->core->cluster->findings, TS_FINDING_PAIR,
                           (struct ts_spot){0, insn->line, config->name},
                           "%s: TPUSH of a tensor to pipe %s without a TALLOC before it",
                           ts_core_names[self->core->id], config->name);
            return;
        }
        end->open = false;
        self->insn_index = end->index - 1;
        book(self, TS_ENTRY_WRITE_CLOSE, producer_lane(self, ring), ring, end->index - 1);
        record(self, ring, insn, end->index - 1);
        return;
    }
    uint32_t index = self->insn_index = end->index;
    allocate(self, ring, insn, index);
    push_tile(self, ring, insn, index);
    if (advances(self, ring))
        end->index++;
    if (is_on(self, insn, TS_SWITCH_RECORD, config))
        record(self, ring, insn, index);
}

void ts_expand_alloc(struct ts_su *self, const struct ts_insn *insn)
{
    struct ts_ring *ring = ts_core_ring(self->core, insn->pipe, true);
    struct ts_ring_end *end = &ring->prod[self->core->id];
    uint32_t index = self->insn_index = end->index;
    allocate(self, ring, insn, index);
    book(self, TS_ENTRY_WRITE_OPEN, producer_lane(self, ring), ring, index);
    self->window_addr[insn->ref[0].id] = ts_place_window(self, ring, end, insn, index);
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
    bool wrong = ts_ring_both_gm_published(config) &&
                 self->core->id != TS_CORE_AIC; // the free flag
    struct ts_entry *entry = flags(self, ring, TS_ENTRY_WAIT_FLAG, wait_lane(self, use_lane(ring)),
                                   wrong ? ts_ring_free_flag(ring, index)
                                         : ts_ring_ready_flag(ring, index),
                                   flag_split(ring, insn));
    entry->ring = ring;
    entry->index = index;
}

static void pop_tile(struct ts_su *self, struct ts_ring *ring, const struct ts_insn *insn,
                     uint32_t index)
{
    const struct ts_ring_config *config = ring->config;
    if (ring->path == TS_PATH_CTRL) {
        bool frees = profile_of(self) == TS_PROFILE_A2A3;
        struct ts_entry *read = book(self, TS_ENTRY_CTRL_READ, TS_LANE_S, ring, index);
        read->role = frees ? TS_RING_READ : TS_RING_READ_KEEP;
        if (frees && is_on(self, insn, TS_SWITCH_FREE, config) && ts_ring_notifies(config, index))
            credit(self, ring, index, flag_split(ring, insn));
        return;
    }
    const struct ts_tile_decl *tile = &self->core->cluster->machine->tiles[insn->ref[0].id];
    uint64_t *address = &self->tile_addr[ts_su_element(self, &insn->ref[0])];
    if (ring->path != TS_PATH_GM) { // zero copy
        if (!config->tmpipe || config->places_tile)
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
    ts_place_pop(self, ring, insn, work);
    if (config->variant != TS_VARIANT_G && is_on(self, insn, TS_SWITCH_FREE, config) &&
        ts_ring_notifies(config, index))
        credit(self, ring, index, flag_split(ring, insn));
}

void ts_expand_pop(struct ts_su *self, const struct ts_insn *insn)
{
    struct ts_ring *ring = ts_core_ring(self->core, insn->pipe, false);
    struct ts_ring_end *end = &ring->cons[self->core->id];
    if (!ts_ring_takes_part(ring, self->core->id))
        return;
    uint32_t index = self->insn_index = end->index;
    self->tile_ops++;
    if (!insn->ref[0].tensor) {
        await_tile(self, ring, insn, index, false);
        pop_tile(self, ring, insn, index);
    } else {
        await_tile(self, ring, insn, index, true);
        self->window_addr[insn->ref[0].id] = ts_place_window(self, ring, end, insn, index);
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
    if (!ts_ring_takes_part(ring, self->core->id))
        return;
    bool tensor = insn->ref[0].used;
    bool manual = !advances(self, ring);
    if (end->index == 0 && !manual) {
        ts_finding_add(&self->core->cluster->findings, TS_FINDING_PAIR,
                       (struct ts_spot){0, insn->line, config->name},
                       "%s: TFREE of pipe %s before any TPOP", ts_core_names[self->core->id],
                       config->name);
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
