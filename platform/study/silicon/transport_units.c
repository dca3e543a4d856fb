// Programs for unpackers and packer with their configuration (transport.h).
#include "platform/study/silicon/transport.h"

// ---- T0 and T1: Dst

// Fragments of 256 data, as many as BYTES says, then what is left.
static void unpack_to_dst(struct ts_rvasm *u, uint32_t dst, bool stochastic)
{
    const struct mop play = {1, 1, REPLAY(2, 0), NOP, NOP, NOP, NOP};
    stage_unpacker(u, 0, INPUT, true, &dst);
    commit(u, 0);
    word(u, RMW(0, 7, stochastic ? 6 : 0, 1));
    word(u, REPLAY(2, 1));
    word(u, UNPACR(0, 0x11, 0));
    word(u, STALL(B_UNPACK, 2));
    word(u, SETADCZW(3, 15));
    word(u, SEMWAIT(B_UNPACK, MATH_DONE));
    word(u, SEM(SEMGET, MATH_DONE));
    word(u, SEMSPACE(B_UNPACK, UNPACKED));
    word(u, STALL(B_UNPACK, C_TRISC_CFG | C_PACK));
    ts_rvasm(u, TS_RV_SRLI, N, BYTES, 0, 2);
    ts_rvasm(u, TS_RV_SRLI, M, N, 0, 8);
    ts_rvasm(u, TS_RV_ANDI, N, N, 0, 255);
    unsigned none = stage_forward(u);
    word(u, SETADCXX(1, 255));
    set_mop_by(u, M, 0, play);
    word(u, RUN_MOP);
    unsigned past = stage_forward(u);
    stage_land(u, none, TS_RV_BEQ, M, 0);
    stage_land(u, past, TS_RV_JAL, 0, 0);
    none = stage_forward(u);
    set_x(u, 1, N);
    ts_rvasm_li(u, Z, 1);
    set_mop_by(u, Z, 0, play);
    word(u, RUN_MOP);
    stage_land(u, none, TS_RV_BEQ, N, 0);
    word(u, STALL(B_UNPACK, C_SCALAR | 2));
    word(u, SEM(SEMGET, CONFIGURED));
    stage_sync(u);
    word(u, SETC16(5, 4));
    word(u, SEM(SEMPOST, UNPACKED));
}

// What T1 does meanwhile: zeroes a tile of Dst, gives Dst away, and takes it back.
static void hand_over(struct ts_rvasm *m, unsigned tile, bool stochastic)
{
    for (unsigned i = 0; i < 8; i++)
        word(m, SEMINIT(i));
    if (stochastic) { // the seed, and 600 words until it has taken effect
        config(m, PRNG_SEED, 0x13579bdf);
        set_mop(m, (struct mop){1, 600, NOP, NOP, SFPNOP, SFPNOP, NOP});
        word(m, RUN_MOP);
        word(m, STALL(B_VECTOR, C_VECTOR));
    }
    word(m, OP(ZEROACC) | 3u << 19 | 1u << 18 | 1u << 14 | tile * 4);
    word(m, STALL(B_SYNC, C_MATRIX));
    word(m, SEMSPACE(B_SYNC, MATH_DONE));
    word(m, SEM(SEMPOST, MATH_DONE));
    word(m, SEMWAIT(B_SYNC, UNPACKED));
    word(m, SEM(SEMGET, UNPACKED));
    word(m, STALL(B_SYNC, C_MATH));
    word(m, SEM(SEMPOST, MATH_PACK));
    stage_end(m);
}

void transport_to_dst(struct stage *stage, const struct transport *r)
{
    struct ts_rvasm *u = stage_core(stage, TS_RV_TRISC0);
    hand_over(stage_core(stage, TS_RV_TRISC1), r->where / 1024, false);
    ts_rvasm_li(u, BYTES, 4 * r->count);
    stage_start(u);
    unpack_to_dst(u, r->where, false);
    stage_stop(u);
    stage_end(u);
}

// ---- T0 and T1: SrcA and SrcB

void transport_to_src(struct stage *stage, const struct transport *r)
{
    struct ts_rvasm *u = stage_core(stage, TS_RV_TRISC0), *m = stage_core(stage, TS_RV_TRISC1);
    const uint32_t valid = OP(UNPACR_NOP) | 1u << 23 | 1u << 8 | 1;
    const uint32_t one = UNPACR(r->where, 1, 1u);
    bool b = r->where;
    word(u, OP(ZEROSRC) | 1u << 2 | 3); // both, all banks
    word(u, STALL(B_UNPACK, C_UNPACK));
    stage_start(u);
    stage_unpacker(u, r->where, INPUT, false, NULL);
    commit(u, r->where);
    word(u, SETADCXX(r->where + 1, 255));
    word(u, SETADCZW(3, 15));
    word(u, STALL(B_UNPACK, b ? 64 : 32));
    set_mop(u, b ? (struct mop){4, 1, one, NOP, NOP, NOP, NOP}
                 : (struct mop){4, 1, one, NOP, valid, valid, valid});
    word(u, STALL(B_UNPACK, C_TRISC_CFG));
    word(u, RUN_MOP);
    word(u, STALL(B_UNPACK, b ? 4 : 2));
    word(u, SEM(SEMGET, CONFIGURED));
    stage_sync(u);
    stage_stop(u);
    stage_end(u);
    for (unsigned i = 0; i < 8; i++)
        word(m, SEMINIT(i));
    word(m, SETC16(0, 0));
    word(m, SETC16(1, 0));
    word(m, STALL(B_CFG, C_MATH));
    word(m, RMW(3, 0x20, 0x20, 1));
    word(m, SETC16(14, b ? 4 << 8 : 8));
    word(m, SETC16(30, b ? 4 : 8));
    word(m, SETC16(49, 0));
    word(m, SETRWC(0, 15));
    word(m, STALL(B_MATH, b ? 256 : 128));
    const uint32_t move = (b ? OP(MOVB2D) | 4u << 12 : OP(MOVA2D) | 2u << 12) | 2u << 14;
    set_mop_by(m, 0, 0,
               (struct mop){4, b ? 4 : 2, NOP, SETRWC(3, b ? 2 : 3) | (b ? 2u << 18 : 0), move,
                            move, move});
    word(m, RUN_MOP);
    stage_end(m);
}

// ---- T2

// Half a scalar register from a RISC-V one.
static void set_half(struct ts_rvasm *p, unsigned half, unsigned reg)
{
    ts_rvasm(p, TS_RV_SLLI, VALUE, reg, 0, 8);
    ts_rvasm_li(p, Z, 0x00ffff00);
    ts_rvasm(p, TS_RV_AND, VALUE, VALUE, Z, 0);
    ts_rvasm_li(p, X, OP(SETDMAREG) | half);
    ts_rvasm(p, TS_RV_OR, VALUE, VALUE, X, 0);
    store_register(p, PUSH, VALUE);
}

static void configure_packer(struct ts_rvasm *p, const struct transport *r)
{
    uint32_t format = r->wide ? 0 : 5, bytes = r->wide ? 4 : 2;
    uint32_t relu = r->mode == RELU ? 1u << 2 : r->mode == CLAMP ? 3u << 2 | 0x3fc0u << 6 : 0;
    const struct setting settings[] = {
        {68, 0x40000},
        {70, 1 | format << 4 | format << 8},
        {18, 1},
        {12, 16 * bytes << 16},
        {13, 256 * bytes | 1024 * bytes << 16},
        {28, 0x1000},
        {24, 0xffff},
        {25, 0},
        {20, 0},
        {21, 0},
    };
    word(p, RMW(2, 0x80, 0, 71));
    word(p, SETC16(0, 0));
    word(p, RMW(3, 0x1e, format << 1, 1));
    word(p, RMW(0, 7, r->mode == STOCHASTIC ? 6 : 0, 1));
    word(p, RMW(0, 0xfc, relu & 0xfc, 2));
    word(p, RMW(1, 0xff, relu >> 8 & 0xff, 2));
    word(p, RMW(2, 0x3f, relu >> 16 & 0x3f, 2));
    configs(p, settings, sizeof settings / sizeof *settings);
    stage_store(p, 0xffe00000u + 4 * 16, 1024 * bytes / 16);
    stage_store(p, 0xffe00000u + 4 * 52, 0x40000);
    word(p, SETC16(37, 0x0104));
    word(p, SETC16(38, 0x2820));
    word(p, SETC16(39, 0x1120));
    word(p, OP(SETADCXY) | 4u << 21 | 11);
    word(p, SETADCZW(4, 15));
    set_mop(p, (struct mop){4, 4, NOP, NOP, PACR(0, 0, 0), PACR(1, 0, 1), PACR(2, 0, 0)});
    stage_sync(p);
}

static void set_output(struct ts_rvasm *p, unsigned tile)
{
    const uint32_t address = (OUTPUT >> 4) - 1;
    word(p, SETADC(3, tile));
    ts_rvasm_li(p, W, address);
    set_half(p, 24, W);
    ts_rvasm_li(p, FROM, address);
    ts_rvasm(p, TS_RV_SRLI, FROM, FROM, 0, 16);
    ts_rvasm_li(p, TO, 0x8000);
    ts_rvasm(p, TS_RV_OR, TO, TO, FROM, 0);
    set_half(p, 25, TO);
    word(p, STALL(B_CFG, C_SCALAR | C_PACK));
    word(p, OP(WRCFG) | 12u << 16 | 69);
    set_half(p, 25, FROM);
    word(p, OP(DMANOP));
}

// Rows of 16 by a MOP, as many as N says, then what is left by another.
static void pack(struct ts_rvasm *p, const struct transport *r)
{
    const uint32_t one = PACR(0, 1, 0), last = PACR(1, 1, 1);
    unsigned row = r->where % 1024 / 16, tile = r->where / 1024;
    word(p, SEMWAIT(B_TDMA, MATH_PACK));
    configure_packer(p, r);
    word(p, SETC16(37, 1));
    word(p, SETC16(38, 0x20));
    word(p, SETC16(39, 0));
    config(p, 28, 1u << 8);
    set_output(p, tile);
    word(p, SETADC(1, row & 15));
    word(p, SETADC(2, row >> 4));
    word(p, SETADC(3, tile));
    config(p, 180, 0);
    ts_rvasm(p, TS_RV_SRLI, M, N, 0, 4);
    ts_rvasm(p, TS_RV_ANDI, N, N, 0, 15);
    unsigned no_rows = stage_forward(p), whole = stage_forward(p);
    word(p, SETADCXX(4, 15));
    set_mop_by(p, 0, M, (struct mop){1, 1, NOP, NOP, one, one, NOP});
    unsigned run = stage_forward(p);
    stage_land(p, whole, TS_RV_BEQ, N, 0);
    word(p, SETADCXX(4, 15));
    set_mop_by(p, 0, M, (struct mop){1, 1, NOP, NOP, one, last, NOP});
    stage_land(p, run, TS_RV_JAL, 0, 0);
    word(p, STALL(B_CFG, C_PACK));
    word(p, RUN_MOP);
    stage_land(p, no_rows, TS_RV_BEQ, M, 0);
    unsigned no_rest = stage_forward(p);
    set_x(p, 4, N);
    set_mop(p, (struct mop){1, 1, NOP, NOP, one, last, NOP});
    word(p, STALL(B_CFG, C_PACK));
    word(p, RUN_MOP);
    stage_land(p, no_rest, TS_RV_BEQ, N, 0);
    word(p, STALL(B_SYNC, C_PACK));
    stage_sync(p);
    word(p, SEM(SEMGET, MATH_PACK));
}

void transport_pack(struct stage *stage, const struct transport *r)
{
    struct ts_rvasm *u = stage_core(stage, TS_RV_TRISC0), *p = stage_core(stage, TS_RV_TRISC2);
    ts_rvasm_li(u, BYTES, 4096);
    unpack_to_dst(u, r->where / 1024 * 1024, r->mode == STOCHASTIC);
    stage_end(u);
    hand_over(stage_core(stage, TS_RV_TRISC1), r->where / 1024, r->mode == STOCHASTIC);
    ts_rvasm_li(p, N, r->count);
    stage_start(p);
    pack(p, r);
    stage_stop(p);
    stage_end(p);
}
