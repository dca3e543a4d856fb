// The rejection rules: what a program may not do, found before it runs.
//
// Source: pto-isa include/pto/common/fifo.hpp, docs/isa/TPUSH.md, TPOP.md, TALLOC.md, TFREE.md.
// Every refusal names the parameter, its value and the legal range.
#include "platform/study/pipe/program.h"

// A finding at a declaration.
#define FIND(declared, id, ...)                                                            \
    ts_finding_add(&self->findings, TS_FINDING_##id,                                       \
                   (struct ts_spot){.line = (declared)->line, .object = (declared)->name}, \
                   __VA_ARGS__)

enum { FLAG_IDS = 16, SEED_FLAGS_A2A3 = 7, USER_FLAGS = 11, SLOT_ALIGN = 32, COUNTER = 15 };

bool ts_pipe_refused(const struct ts_pipe_program *self)
{
    if (ts_findings_any(&self->findings, 'K'))
        return true;
    if (self->machine.strict && self->findings.seen[TS_FINDING_FLAG_USER])
        return true;
    if (!self->machine.unsafe)
        return ts_findings_any(&self->findings, 'C');
    // Unsafe programs may alias flags, nothing else.
    for (int id = 0; id < TS_FINDING_COUNT; id++)
        if (self->findings.seen[id] && ts_finding_rows[id].kind == 'C' &&
            id != TS_FINDING_FLAG_ALIAS)
            return true;
    return false;
}

// Flag ids a pipe takes from its FlagID on.
static uint32_t flags_of(const struct ts_ring_config *pipe)
{
    uint32_t pairs = pipe->variant == TS_VARIANT_E ? pipe->slots : 1;
    return (ts_direction_both(pipe->direction) ? 4 : 2) * pairs;
}

// --- pipes ---

static void check_direction(struct ts_pipe_program *self, const struct ts_ring_config *pipe)
{
    bool a5 = self->machine.profile == TS_PROFILE_A5;
    const char *legal = a5 ? "c2v, v2c, both, v2c_ctrl, c2v_gm, v2c_gm, both_gm"
                           : "c2v, v2c, both, v2c_ctrl";
    if (pipe->tmpipe && pipe->direction == TS_DIR_UNDEFINED) {
        FIND(pipe, FIFO_TYPE,
             "pipe %s: fifo and tiles do not go together; legal: gm with acc -> vec or vec -> mat, "
             "ctrl with vec%s",
             pipe->name, a5 ? ", vec with acc -> vec, mat with vec -> mat" : "");
        return;
    }
    bool known = pipe->direction >= TS_DIR_C2V &&
                 pipe->direction <= (a5 ? TS_DIR_BOTH_GM : TS_DIR_V2C_CTRL);
    if (!known)
        FIND(pipe, DIR, "pipe %s: dir %s is not of profile %s; legal: %s", pipe->name,
             ts_direction_names[pipe->direction], ts_profile_names[self->machine.profile], legal);
    if (pipe->direction != TS_DIR_V2C_CTRL)
        return;
    if (ts_ring_as_published(pipe, TS_PUBLISHED_V2C_CTRL))
        FIND(pipe, DIR, "pipe %s: dir v2c_ctrl, published: %s", pipe->name,
             ts_published_text(TS_PUBLISHED_V2C_CTRL));
    else if (!self->machine.data)
        FIND(pipe, DIR, "pipe %s: dir v2c_ctrl carries values; legal: with data (no --timing-only)",
             pipe->name);
}

// What the program runs as published and against the document.
static void check_published(struct ts_pipe_program *self, const struct ts_ring_config *pipe)
{
    bool a5 = self->machine.profile == TS_PROFILE_A5;
    const bool matters[TS_PUBLISHED_COUNT] = {
        [TS_PUBLISHED_BOTH_GM] = pipe->direction == TS_DIR_BOTH_GM,
        [TS_PUBLISHED_V2C_GM] = pipe->direction == TS_DIR_V2C_GM && !pipe->tmpipe,
        [TS_PUBLISHED_FLAG_RANGE] = !a5 && pipe->flag > SEED_FLAGS_A2A3,
        [TS_PUBLISHED_VC_RATIO] = a5 && pipe->tmpipe && pipe->ratio < 2,
    };
    for (int i = 0; i < TS_PUBLISHED_COUNT; i++)
        if (matters[i] && ts_ring_as_published(pipe, (enum ts_published)i))
            FIND(pipe, PUBLISHED, "pipe %s runs as published (%s): %s", pipe->name,
                 ts_published_names[i], ts_published_text((enum ts_published)i));
}

// FlagID: the document's range, or the headers'.
static void check_flag(struct ts_pipe_program *self, const struct ts_ring_config *pipe)
{
    bool a5 = self->machine.profile == TS_PROFILE_A5;
    uint32_t need = flags_of(pipe), last = pipe->flag + need - 1;
    if (need > FLAG_IDS) {
        FIND(pipe, FLAG_RANGE, "pipe %s: variant E takes %u flags for %u slots; at most %d",
             pipe->name, need, pipe->slots, FLAG_IDS);
        return;
    }
    bool published = ts_ring_as_published(pipe, TS_PUBLISHED_FLAG_RANGE);
    uint32_t most = published ? FLAG_IDS - need : a5 ? FLAG_IDS - 1 : SEED_FLAGS_A2A3;
    if (pipe->flag > most)
        FIND(pipe, FLAG_RANGE, "pipe %s: flag is %u; legal on %s: 0 to %u", pipe->name, pipe->flag,
             ts_profile_names[self->machine.profile], most);
    else if (last >= USER_FLAGS)
        FIND(pipe, FLAG_USER,
             "pipe %s: flag is %u, ids %u to %u; CANN leaves 0 to 10 to users, so legal in strict "
             "mode: 0 to %u",
             pipe->name, pipe->flag, pipe->flag, last % FLAG_IDS,
             need > USER_FLAGS ? 0 : USER_FLAGS - need);
}

static void check_numbers(struct ts_pipe_program *self, const struct ts_ring_config *pipe)
{
    const char *slots = pipe->tmpipe ? "depth" : "slots";
    // A TMPipe's records are bounded by its credits, its depth by the documents.
    uint32_t most = pipe->tmpipe ? (self->machine.profile == TS_PROFILE_A5 ? 16 : 8) : COUNTER;
    uint32_t least = pipe->tmpipe ? 2 : 1;
    if (pipe->slots < least || pipe->slots > most)
        FIND(pipe, SLOTNUM, "pipe %s: %s is %u; legal: %u to %u", pipe->name, slots, pipe->slots,
             least, most);
    else if (pipe->slots % 2 && pipe->slots >= 5 && pipe->variant <= TS_VARIANT_C)
        FIND(pipe, DEPTH,
             "pipe %s: slots is %u; safe: 1, 2, 3 or even (the first wait comes at tile %u)",
             pipe->name, pipe->slots,
             (pipe->slots + ts_ring_period(pipe) - 1) / ts_ring_period(pipe) *
                 ts_ring_period(pipe));
    uint32_t unit = pipe->direction == TS_DIR_V2C_CTRL ? TS_CTRL_BYTES : SLOT_ALIGN;
    if (pipe->slot_size == 0 || pipe->slot_size % unit)
        FIND(pipe, SLOTSIZE,
             "pipe %s: slot_size is %u; legal: a multiple of %u, at least one entry", pipe->name,
             pipe->slot_size, unit);
    if (pipe->tmpipe && (pipe->fifo == TS_VEC_FIFO || pipe->fifo == TS_MAT_FIFO) &&
        pipe->direction != TS_DIR_UNDEFINED) {
        bool c2v = pipe->direction == TS_DIR_C2V;
        uint32_t whole_m = c2v ? pipe->prod_rows : pipe->cons_rows,
                 part_m = c2v ? pipe->cons_rows : pipe->prod_rows;
        uint32_t whole_n = c2v ? pipe->prod_cols : pipe->cons_cols,
                 part_n = c2v ? pipe->cons_cols : pipe->prod_cols;
        bool m_split = whole_m == 2 * part_m && whole_n == part_n,
             n_split = whole_m == part_m && whole_n == 2 * part_n;
        bool equal = whole_m == part_m && whole_n == part_n;
        if (!(pipe->ratio == 2 ? m_split || n_split : equal))
            FIND(pipe, SPLIT_MODE, "pipe %s: whole %u x %u, part %u x %u; legal: %s", pipe->name,
                 whole_m, whole_n, part_m, part_n,
                 pipe->ratio == 2 ? "half the rows or half the columns" : "equal shapes");
    }
}

static void check_local(struct ts_pipe_program *self, const struct ts_ring_config *pipe,
                        enum ts_mem mem, uint32_t address, uint64_t local)
{
    const struct ts_machine *machine = &self->machine;
    uint32_t size = ts_mems[mem].bytes[machine->profile];
    if (address + local > size)
        FIND(pipe, LOCAL_SIZE, "pipe %s: its buffer takes %llu bytes at %u of %s; legal: up to %u",
             pipe->name, (unsigned long long)local, address, ts_mems[mem].name, size);
    for (uint32_t i = 0; i < machine->tile_count && local; i++) {
        const struct ts_tile_decl *tile = &machine->tiles[i];
        uint64_t bytes = ts_tile_bytes(tile) * tile->count;
        if (tile->mem == mem && !tile->bound && !pipe->tmpipe && tile->addr < address + local &&
            address < tile->addr + bytes)
            FIND(pipe, LOCAL_SIZE,
                 "pipe %s: its buffer at %u to %llu of %s lies over tile %s at %u", pipe->name,
                 address, (unsigned long long)(address + local), ts_mems[mem].name, tile->name,
                 tile->addr);
    }
}

// A slot buffer in GM: inside its region, and not over tensors or other rings.
static void check_gm(struct ts_pipe_program *self, const struct ts_ring_config *pipe)
{
    const struct ts_machine *machine = &self->machine;
    uint64_t ring = ts_ring_gm_bytes(pipe);
    if (pipe->gm_size && ring > pipe->gm_size)
        FIND(pipe, GM_SIZE, "pipe %s: the ring takes %llu bytes; legal: gm_size, %llu", pipe->name,
             (unsigned long long)ring, (unsigned long long)pipe->gm_size);
    for (uint32_t i = 0; i < machine->tensor_count && pipe->has_gm; i++) {
        const struct ts_tensor_decl *tensor = &machine->tensors[i];
        uint64_t bytes = ts_tensor_bytes(tensor);
        if (!tensor->window && tensor->gm < pipe->gm + ring && pipe->gm < tensor->gm + bytes)
            FIND(pipe, GM_SIZE,
                 "pipe %s: its slots at %llu of gm lie over tensor %s; legal: from %llu on",
                 pipe->name, (unsigned long long)pipe->gm, tensor->name,
                 (unsigned long long)(tensor->gm + bytes));
    }
    for (const struct ts_ring_config *other = machine->pipes; other < pipe; other++)
        if (ts_ring_path(other, machine->profile) == TS_PATH_GM && other->gm < pipe->gm + ring &&
            pipe->gm < other->gm + ts_ring_gm_bytes(other) && (pipe->has_gm || other->has_gm))
            FIND(pipe, GM_SIZE, "pipe %s: its slots at %llu of gm lie over those of pipe %s",
                 pipe->name, (unsigned long long)pipe->gm, other->name);
}

static void check_memory(struct ts_pipe_program *self, const struct ts_ring_config *pipe)
{
    enum ts_ring_path path = ts_ring_path(pipe, self->machine.profile);
    if (path == TS_PATH_CTRL)
        return;
    if (path == TS_PATH_GM)
        check_gm(self, pipe);
    uint64_t local = ts_ring_local_bytes(pipe, self->machine.profile);
    if (ts_direction_has(pipe->direction, true))
        check_local(self, pipe, TS_MEM_UB, pipe->ub, local);
    if (ts_direction_has(pipe->direction, false))
        check_local(self, pipe, TS_MEM_L1, pipe->l1, local);
}

// Counters belong to the receiver: (core, id) is what two pipes may not share.
static uint64_t receivers(const struct ts_ring_config *pipe, bool vector)
{
    uint64_t ids = 0;
    uint32_t pairs = pipe->variant == TS_VARIANT_E ? pipe->slots : 1;
    uint32_t flag = pipe->flag;
    for (int half = 0; half < 2; half++) {
        bool c2v = half == 0;
        if (!ts_direction_has(pipe->direction, c2v))
            continue;
        for (uint32_t i = 0; i < pairs; i++) {
            // Ready flags go to the consumer, credits to the producer.
            uint32_t id = c2v == vector ? flag + i : flag + pairs + i;
            ids |= UINT64_C(1) << id % FLAG_IDS;
        }
        flag += 2 * pairs;
    }
    return ids;
}

static void check_alias(struct ts_pipe_program *self)
{
    const struct ts_machine *machine = &self->machine;
    for (uint32_t i = 0; i < machine->pipe_count; i++)
        for (uint32_t j = 0; j < i; j++)
            for (int vector = 0; vector < 2; vector++) {
                const struct ts_ring_config *a = &machine->pipes[j], *b = &machine->pipes[i];
                if (a->variant == TS_VARIANT_G || b->variant == TS_VARIANT_G ||
                    a->flag >= FLAG_IDS || b->flag >= FLAG_IDS)
                    continue;
                uint64_t shared = receivers(a, vector) & receivers(b, vector);
                if (shared)
                    FIND(b, FLAG_ALIAS,
                         "pipes %s and %s share flag %d of %s; legal: ids of their own "
                         "at each receiver",
                         a->name, b->name, __builtin_ctzll(shared),
                         vector ? "the AIVs" : "the AIC");
            }
}

// --- tiles ---

// NZ is made of fractals: 16 rows by 32 bytes. The accumulator keeps logical rows; what leaves it
// takes the layout of its pipe.
static void check_layout(struct ts_pipe_program *self, const struct ts_tile_decl *tile)
{
    uint32_t width = 32 / ts_dtype_bytes(tile->type);
    if (tile->layout != TS_LAYOUT_ND && tile->mem == TS_MEM_L0C)
        FIND(tile, LAYOUT, "tile %s: acc is %s; legal: nd (the pipe's layout is for its entries)",
             tile->name, ts_layout_names[tile->layout]);
    else if (tile->layout != TS_LAYOUT_ND &&
             (tile->vrows != tile->rows || tile->vcols != tile->cols))
        FIND(tile, LAYOUT, "tile %s: %s and partly valid; legal: all rows and columns valid",
             tile->name, ts_layout_names[tile->layout]);
    else if (tile->layout == TS_LAYOUT_NZ && (tile->rows % 16 || tile->cols % width))
        FIND(tile, LAYOUT,
             "tile %s: nz with %u x %u %s; legal: multiples of 16 rows and %u columns", tile->name,
             tile->rows, tile->cols, ts_dtype_names[tile->type], width);
}

static void check_tiles(struct ts_pipe_program *self)
{
    const struct ts_machine *machine = &self->machine;
    for (uint32_t i = 0; i < machine->tile_count; i++) {
        const struct ts_tile_decl *tile = &machine->tiles[i];
        uint64_t end = tile->addr + ts_tile_bytes(tile) * tile->count;
        uint32_t size = ts_mems[tile->mem].bytes[machine->profile];
        check_layout(self, tile);
        if (tile->addr % SLOT_ALIGN)
            FIND(tile, ALIGN, "tile %s: addr is %u; legal: a multiple of %d", tile->name,
                 tile->addr, SLOT_ALIGN);
        if (!tile->bound && end > size)
            FIND(tile, LOCAL_SIZE, "tile %s: ends at %llu of %s; legal: up to %u", tile->name,
                 (unsigned long long)end, ts_mems[tile->mem].name, size);
    }
}

// The tensor form goes in pairs: a push needs a TALLOC, a TFREE a TPOP somewhere on the same side.
static void check_pairs(struct ts_pipe_program *self, int side)
{
    const struct ts_code_text *code = &self->machine.code[side];
    static const struct {
        enum ts_op later, earlier;
        const char *text;
    } pairs[] = {{TS_OP_TPUSH, TS_OP_TALLOC, "TPUSH of a tensor without any TALLOC"},
                 {TS_OP_TFREE, TS_OP_TPOP, "TFREE without any TPOP"}};
    for (uint32_t i = 0; i < code->count; i++)
        for (int p = 0; p < 2; p++) {
            const struct ts_insn *insn = &code->insn[i];
            bool tensor = p == 0 ? insn->ref[0].tensor : true;
            if (insn->op != pairs[p].later || !tensor)
                continue;
            const struct ts_ring_config *pipe = &self->machine.pipes[insn->pipe];
            bool found = false;
            for (uint32_t j = 0; j < code->count; j++)
                found |= code->insn[j].op == pairs[p].earlier && code->insn[j].pipe == insn->pipe;
            if (!found)
                ts_finding_add(&self->findings, TS_FINDING_PAIR,
                               (struct ts_spot){0, insn->line, pipe->name},
                               "%s of pipe %s; legal: in pairs", pairs[p].text, pipe->name);
        }
}

void ts_pipe_check(struct ts_pipe_program *self)
{
    struct ts_machine *machine = &self->machine;
    for (uint32_t i = 0; i < machine->pipe_count; i++) {
        check_direction(self, &machine->pipes[i]);
        check_published(self, &machine->pipes[i]);
        check_flag(self, &machine->pipes[i]);
        check_numbers(self, &machine->pipes[i]);
        check_memory(self, &machine->pipes[i]);
    }
    check_alias(self);
    check_tiles(self);
    for (int side = 0; side < 2; side++)
        check_pairs(self, side);
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < machine->code[side].count; i++)
            ts_pipe_check_call(self, &machine->code[side].insn[i], side);
}
