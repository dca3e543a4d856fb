// RISCV_DEBUG_REG_SOFT_RESET_0 as the coprocessor sees it: what each bit stops and clears.
//
// A held unit takes no instruction: a function that refuses replaces its accept. Setting or
// clearing the bit clears the state that the page lists for it.
//
// Source: tt-isa-documentation BlackholeA0/TensixTile/SoftReset.md.
// Inaccuracies: while Src data, Src ownership, ZEROACC or the THCON configuration are held, writes
//   to them are not discarded. Bits 3 to 5 (packers 1 to 3) do nothing: Blackhole has one packer.
//   Glue (bit 8) holds nothing back. Bit 23 (Auto TTSync) has no description and is refused.
#include "platform/tile/hooks.h"

enum {
    UNPACKERS = 1 << 0 | 1 << 1 | 1 << 7,
    PACKER = 1 << 2,
    MOVER = 1 << 6,
    TDMA = 1 << 8,
    SCALAR = 1 << 9,
    MATH = 1 << 10, // matrix and vector unit, SrcA
    TRISC0 = 1 << 12,
    SRCA_OWNER = 1 << 15,
    SRCB = 1 << 16, // owner and data
    PACKER_DST = 1 << 17,
    SRCA_COLS = 0xf << 19,
    TTSYNC = 1 << 23,
};

static bool held_accept(const struct ts_unit *unit, struct ts_word in, ts_cycle now,
                        struct ts_hold *hold)
{
    (void)in, (void)now;
    return ts_held(hold, TS_STALL_UNIT_BUSY, &unit->component.object, TS_NEVER);
}

// Ends all work of the unit, for every thread.
static void enter(struct ts_tile *self, struct ts_unit *unit, ts_cycle now)
{
    unit->accept = held_accept;
    for (unsigned t = 0; t < TS_THREADS; t++) {
        unit->busy_until[t] = now;
        if (self->tensix.closed[t].object == &unit->component.object)
            self->tensix.closed[t].until = now;
    }
    ts_unit_changed(unit, now);
}

static void leave(struct ts_unit *unit, ts_cycle now)
{
    unit->accept = unit->ops->accept;
    ts_unit_changed(unit, now);
}

static void clear_columns(struct ts_src_file *file, unsigned cols)
{
    for (unsigned b = 0; b < 2; b++) {
        for (unsigned r = 0; r < TS_SRC_ROWS; r++)
            for (unsigned c = 0; c < TS_SRC_COLS; c++)
                if (cols >> c & 1)
                    file->bank[b].w[r][c] = 0;
        ts_src_touch(&file->bank[b], 0, TS_SRC_ROWS);
    }
}

static void reset_owner(struct ts_tile *self, struct ts_src_file *file, ts_cycle now)
{
    unsigned owners = ts_files_owners(&self->files);
    file->matrix = file->unpacker = 0;
    file->bank[0].owner = file->bank[1].owner = TS_SRC_UNPACKER;
    ts_files_changed(&self->files, owners, now);
}

static void reset_thcon_config(struct ts_cfg *cfg)
{
    unsigned first = TS_CFG_ADDR_THCON_SEC0_REG0_TileDescriptor;
    for (unsigned bank = 0; bank < 2; bank++)
        ts_cfg_clear(cfg, bank, first);
    ts_cfg_changed(cfg);
}

static void entered_units(struct ts_tile *self, uint32_t bits, ts_cycle now)
{
    struct ts_srcs *srcs = ts_files_srcs(&self->files, now);
    if (bits & UNPACKERS)
        for (unsigned i = 0; i < 2; i++) {
            struct ts_unpack_unit *u = &self->unpack[i];
            u->pending = false;
            u->free = u->begun = now;
            self->files.unpack_address = now;
            enter(self, &u->unit, now);
        }
    if (bits & PACKER) {
        ts_pack_reset(&self->pack.state);
        self->pack.free = now;
        enter(self, &self->pack.unit, now);
    }
    if (bits & MATH) {
        enter(self, &self->matrix.unit, now);
        enter(self, &self->vector.unit, now);
        clear_columns(&srcs->a, 0xFFFF);
    }
    for (unsigned i = 0; i < 4; i++)
        if (bits & 1u << (19 + i))
            clear_columns(&srcs->a, 0xFu << 4 * i);
    if (bits & SRCA_OWNER)
        reset_owner(self, &srcs->a, now);
    if (bits & SRCB) {
        reset_owner(self, &srcs->b, now);
        clear_columns(&srcs->b, 0xFFFF);
    }
    if (bits & PACKER_DST) {
        ts_pack_clear_histogram(&self->pack.state);
        memset(ts_files_dst(&self->files, now)->valid, 1, TS_DST_ROWS);
    }
}

static void left_units(struct ts_tile *self, uint32_t bits, uint32_t after, ts_cycle now)
{
    if (bits & UNPACKERS && !(after & UNPACKERS))
        for (unsigned i = 0; i < 2; i++)
            leave(&self->unpack[i].unit, now);
    if (bits & PACKER) {
        self->pack.state.l1_offset = 0;
        leave(&self->pack.unit, now);
    }
    if (bits & MATH) {
        ts_files_dst(&self->files, now)->random = 0;
        ts_vector_unit_reset(&self->vector);
        self->files.block_cols = 0;
        leave(&self->matrix.unit, now);
        leave(&self->vector.unit, now);
    }
    if (bits & PACKER_DST)
        self->pack.state.random = 0;
}

void ts_tile_soft_reset(struct ts_tile *self, uint32_t before, uint32_t after, ts_cycle now)
{
    uint32_t entered = after & ~before;
    ts_tensix_late(&self->tensix, now);
    ts_promise_cut(&self->tensix, now);
    for (unsigned t = 0; t < TS_THREADS; t++)
        if (entered & (uint32_t)TRISC0 << t)
            ts_frontend_core_reset(&self->front[t], now);
    if (entered & (MOVER | TDMA))
        ts_mover_abort(&self->mover, entered & MOVER, entered & TDMA, now);
    if (entered & SCALAR) {
        ts_scalar_abort(&self->scalar, now);
        reset_thcon_config(&self->tensix.cfg);
    }
    entered_units(self, entered, now);
    left_units(self, before & ~after, after, now);
    if (entered & TTSYNC)
        ts_fault(&self->front[0].component, now, TS_NOT_IMPLEMENTED,
                 "not implemented: soft reset of Auto TTSync");
}
