// The program of T1 in an RMSNorm: matrix and vector unit (rmsnorm.h).
#include "platform/study/silicon/rmsnorm_words.h"

static void await(struct ts_rvasm *m, const struct rmsnorm *n, unsigned tile)
{
    if (n->feed != RMSNORM_AHEAD)
        word(m, STALL(B_SYNC, C_MATH));
    if (n->feed != RMSNORM_AHEAD || tile == 0)
        word(m, SEM(SEMPOST, MATH_DONE));
    word(m, SEMWAIT(B_SYNC, UNPACKED));
    word(m, SEM(SEMGET, UNPACKED));
    word(m, STALL(B_MATH, C_VALID));
}

static void add(struct ts_rvasm *m, unsigned a, unsigned b, unsigned d)
{
    word(m, SFP4(SFPADD, 10, a, b, d, 0));
    word(m, SFPNOP);
}

static void mul(struct ts_rvasm *m, unsigned a, unsigned b, unsigned d, unsigned mod)
{
    word(m, SFP4(SFPMUL, a, b, 9, d, mod));
    word(m, SFPNOP);
}

// L0: partial sums -> the scale in all lanes. A seed by an integer subtraction, and two steps.
static void scale(struct ts_rvasm *m, unsigned tiles)
{
    for (unsigned rotations = 4; rotations; rotations /= 2) {
        word(m, SFP2(SFPMOV, 0, 0, 1, 0));
        for (unsigned i = 0; i < rotations; i++) {
            word(m, SFP2(SFPSHFT2, 0, 1, 1, 3));
            word(m, SFPNOP);
        }
        add(m, 0, 1, 0);
    }
    for (unsigned reg = 1; reg < 4; reg++)
        word(m, SFP2(SFPMOV, 0, 0, reg, 0));
    word(m, OP(SFPTRANSP));
    for (unsigned reg = 1; reg < 4; reg++)
        add(m, 0, reg, 0);
    constant(m, 4, 1.0f / (1024 * (float)tiles));
    word(m, SFP4(SFPMUL, 0, 4, 9, 0, 0));
    constant(m, 4, EPSILON);
    add(m, 0, 4, 0);
    word(m, SFP2(SFPMOV, 0, 0, 6, 0));
    word(m, SFP2(SFPMOV, 0, 6, 1, 0));
    word(m, SFP2(SFPSHFT, 0xfff, 9, 1, 1));
    word(m, SFPLOADI(2, 10, 0x10a0));
    word(m, SFPLOADI(2, 8, 0x5f11));
    word(m, SFP2(SFPIADD, 0, 2, 1, 6));
    mul(m, 6, 1, 2, 0);
    word(m, SFP4(SFPMUL, 1, 2, 9, 2, 1));
    constant(m, 3, 2.2825186f);
    constant(m, 4, 2.2533049f);
    add(m, 4, 2, 4);
    word(m, SFP4(SFPMAD, 2, 4, 3, 2, 0));
    word(m, SFPNOP);
    mul(m, 1, 2, 1, 0);
    mul(m, 6, 1, 2, 0);
    mul(m, 1, 2, 2, 1);
    word(m, SFP4(SFPADD, 10, 10, 2, 2, 0));
    constant(m, 5, 0.5f);
    mul(m, 1, 5, 5, 0);
    word(m, SFP4(SFPMAD, 2, 5, 1, 0, 0));
}

static void squares(struct ts_rvasm *k, unsigned load, unsigned sum, unsigned first, unsigned last)
{
    for (unsigned row = first; row < last; row += 2) {
        word(k, DST(SFPLOAD, load, 3, row));
        word(k, SFP4(SFPMAD, load, load, sum, sum, 0));
    }
}

// Macro 0: times L0 a cycle later, stored two after that.
static void output_macro(struct ts_rvasm *m)
{
    word(m, SFP4(SFPMUL, 0, 0, 9, 12, 0));
    word(m, SFPLOADI(0, 8, 0x1300));
    word(m, SFPLOADI(0, 10, 0x8400));
    word(m, SFPCONFIG(0, 4, 0));
    word(m, SFPCONFIG(3, 8, 1));
}

static void modifier(struct ts_rvasm *m, unsigned mod, uint32_t source, uint32_t dst)
{
    word(m, SETC16(12 + mod, source));
    word(m, SETC16(28 + mod, dst));
    word(m, SETC16(47 + mod, 0));
}

static void move_to_dst(struct ts_rvasm *m, unsigned base)
{
    for (unsigned row = 0; row < 64; row += 8)
        word(m, OP(MOVA2D) | row << 17 | 3u << 14 | 2 << 12 | (base + row));
}

static void move_gamma(struct ts_rvasm *m, unsigned base)
{
    for (unsigned row = 0; row < 64; row += 4)
        word(m, OP(MOVB2D) | row << 17 | 3u << 14 | 4 << 11 | (base + row));
}

// The set-up of T1: 32-bit Dst, address modifiers, macros.
static void set_up(struct ts_rvasm *m, const struct rmsnorm *n)
{
    const uint32_t words[] = {
        SETC16(0, 0),          SETC16(1, 0),          STALL(B_CFG, C_MATH),
        RMW(3, 0x20, 0x20, 1), RMW(3, 0x40, 0x40, 1), OP(ZEROACC) | 3u << 19 | 1u << 18 | 1u << 14,
        OP(SFPENCC) | 2,       SFPCONFIG(0, 15, 1),   SFPNOP};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        word(m, words[i]);
    if (n->math == RMSNORM_PORT) {
        word(m, SFP4(SFPMUL, 0, 0, 9, 12, 0));
        word(m, SFPCONFIG(0x8400, 4, 1));
        word(m, SFPCONFIG(0x0f00, 8, 1));
        modifier(m, 3, 0, 0);
        modifier(m, 7, 0, 0);
        return;
    }
    if (n->plain)
        modifier(m, 3, 0, 0);
    if (n->math == RMSNORM_HYBRID) {
        // The MOP has Dst walk with the sources; at the end of a phase it goes back.
        modifier(m, 0, 0x808, n->mop ? 8 : 0);
        modifier(m, 1, 0x808, 1u << 13 | (n->mop ? 1u << 11 : 0));
        modifier(m, 2, 0x808, 1u << 15 | (n->mop ? 1u << 11 : 0));
    }
    if (n->plain) {
        word(m, SFPLOADI(0, 0, 0));
        return;
    }
    modifier(m, 3, 0, 0);
    if (n->squares == RMSNORM_MACROS) {
        for (unsigned reg = 0; reg < 4; reg++) {
            word(m, SFP4(SFPMAD, reg, reg, reg ^ 2, 12 + reg, 0));
            word(m, SFPCONFIG((0x84 + reg) << 8, 4 + reg, 1));
        }
        word(m, SFPCONFIG(3, 8, 1));
        constant(m, 2, 0);
        constant(m, 3, 0);
    } else {
        output_macro(m);
    }
    constant(m, 7, 0);
}

static uint32_t elwmul(unsigned mod, unsigned row)
{
    return OP(ELWMUL) | mod << 14 | row;
}

static void products(struct ts_rvasm *m, const struct rmsnorm *n, unsigned tile)
{
    unsigned row = (tile + 1) * 64;
    if (n->mop) {
        if (tile == 0) {
            set_mop(m, (struct mop){n->phases, 8, NOP, NOP, elwmul(0, row), elwmul(2, row),
                                    elwmul(1, row)});
        } else {
            mop_sync(m);
            stage_store(m, 0xffb80014, elwmul(0, row));
            stage_store(m, 0xffb8001c, elwmul(2, row));
            stage_store(m, 0xffb80020, elwmul(1, row));
        }
        word(m, RUN_MOP);
        return;
    }
    for (unsigned i = 0; i < 8 * n->phases; i++) {
        unsigned mod = i % 8 < 7 ? 0 : i / 8 + 1 < n->phases ? 1 : 2;
        word(m, elwmul(mod, row + i % 8 * 8));
        if (n->squares == RMSNORM_BETWEEN)
            squares(m, 0, 7, 2 * i, 2 * i + 2);
    }
}

static void hybrid_tile(struct ts_rvasm *m, struct ts_rvasm *other, const struct rmsnorm *n,
                        unsigned tile)
{
    bool split = n->squares == RMSNORM_BY_T0 || n->squares == RMSNORM_BY_T2;
    move_to_dst(m, 0);
    word(m, STALL(B_VECTOR, C_MATRIX));
    if (tile == 0 && !n->plain) {
        stage_sync(m);
        mark(m, n->part == RMSNORM_COMPUTE, false);
    }
    if (split) {
        static const unsigned registers[] = {1, 15, 31, 50};
        word(m, STALL(B_SYNC, C_MATRIX));
        stage_sync(m);
        tell(m, FLAGS, tile + 1);
        for (unsigned i = 0; i < 4; i++)
            word(other, SETC16(registers[i], 0));
        word(other, SETRWC(0, 15));
        hear(other, FLAGS, tile + 1);
        squares(other, 0, 7, 0, 64);
        word(other, STALL(B_SYNC, C_VECTOR));
        stage_sync(other);
        tell(other, FLAGS + 16, tile + 1);
    }
    word(m, SETRWC(0, 15));
    products(m, n, tile);
    if (n->squares == RMSNORM_SERIAL)
        word(m, STALL(B_VECTOR, C_MATRIX));
    if (n->squares == RMSNORM_MACROS) {
        for (unsigned i = 0; i < 32; i++)
            word(m, DST(SFPLOADMACRO, i % 4 << 2 | i % 4, 3, 2 * i));
        for (unsigned i = 0; i < 3; i++)
            word(m, SFPNOP);
    } else if (!split && n->squares != RMSNORM_BETWEEN) {
        squares(m, n->plain ? 1 : 0, n->plain ? 0 : 7, 0, 64);
    }
    word(m, STALL(B_SYNC, C_MATH));
    if (split) {
        stage_sync(m);
        hear(m, FLAGS + 16, tile + 1);
    }
    word(m, SETRWC(3, 15));
}

static void hybrid_output(struct ts_rvasm *m, const struct rmsnorm *n)
{
    if (n->squares == RMSNORM_MACROS) {
        add(m, 2, 3, 7);
        output_macro(m);
    }
    word(m, SFP2(SFPMOV, 0, 7, 0, 0));
    scale(m, n->tiles);
    word(m, STALL(B_VECTOR, C_MATRIX));
    for (unsigned i = 0; i < 32 * n->tiles; i++) {
        unsigned reg = 1 + i % 4;
        word(m, DST(SFPLOADMACRO, reg & 3, 3, 64 + 2 * i) | reg >> 2);
    }
    for (unsigned i = 0; i < 4; i++)
        word(m, SFPNOP);
}

static void plain_output(struct ts_rvasm *m, const struct rmsnorm *n)
{
    bool hybrid = n->math == RMSNORM_HYBRID;
    word(m, STALL(B_SYNC, C_MATH));
    if (!hybrid)
        squares(m, 1, 0, 0, 64 * n->tiles);
    scale(m, n->tiles);
    word(m, SFPNOP);
    for (unsigned row = 0; row < 64 * n->tiles; row += 2) {
        word(m, DST(SFPLOAD, 1, 3, row + (hybrid ? 64 : 0)));
        if (!hybrid)
            word(m, DST(SFPLOAD, 2, 3, row + 64 * n->tiles));
        mul(m, 1, 0, 1, 0);
        if (!hybrid)
            mul(m, 1, 2, 1, 0);
        word(m, DST(SFPSTORE, 1, 3, row + (hybrid ? 64 : 128 * n->tiles)));
    }
}

// Four MOPs of REPLAYs, one for each face.
static void by_faces(struct ts_rvasm *m, const uint32_t *body, unsigned count, unsigned iterations,
                     bool load)
{
    const uint32_t face = OP(SETRWC) | 4u << 18 | 8u << 14 | 4, play = REPLAY(count, 0);
    if (load) {
        word(m, REPLAY(count, 1));
        for (unsigned i = 0; i < count; i++)
            word(m, body[i]);
    }
    set_mop(m, (struct mop){1, iterations, NOP, face, play, play, play});
    for (unsigned i = 0; i < 4; i++)
        word(m, RUN_MOP);
    word(m, SETRWC(0, 4));
    word(m, STALL(B_SYNC, C_MATH));
}

static void port_math(struct ts_rvasm *m, const struct rmsnorm *n)
{
    const uint32_t step = OP(INCRWC) | 2u << 14;
    unsigned gamma = 64 * n->tiles;
    const uint32_t sum[] = {DST(SFPLOAD, 1, 7, 0), SFP4(SFPMAD, 1, 1, 0, 0, 0), step};
    const uint32_t apply[] = {
        OP(SFPLOADMACRO) | 1u << 20 | 7u << 13,
        DST(SFPLOAD, 2, 7, gamma),
        OP(SFPLOADMACRO) | 3u << 20 | 7u << 13 | 2,
        DST(SFPLOAD, 4, 7, gamma + 2),
        SFP4(SFPMUL, 1, 2, 9, 1, 0),
        SFP4(SFPMUL, 3, 4, 9, 3, 0),
        DST(SFPSTORE, 1, 7, 0),
        DST(SFPSTORE, 3, 7, 2),
        step,
        step,
    };
    word(m, STALL(B_SYNC, C_MATH));
    stage_sync(m);
    mark(m, n->part == RMSNORM_COMPUTE, false);
    word(m, SFPLOADI(0, 0, 0));
    for (unsigned tile = 0; tile < n->tiles; tile++) {
        word(m, SETC16(1, tile * 64));
        word(m, SETRWC(0, 15));
        by_faces(m, sum, 3, 8, tile == 0);
    }
    scale(m, n->tiles);
    for (unsigned tile = 0; tile < n->tiles; tile++) {
        word(m, SETC16(1, tile * 64));
        word(m, SETRWC(0, 15));
        by_faces(m, apply, 10, 4, tile == 0);
    }
}

// The card moves BF16 to a 32-bit Dst as if it were TF32 (blackhole-py says so, and its norms are
// right). The specification, and so the model, has that for sources that are TF32; which costs the
// same. Before any marker.
static void take_as_tf32(struct ts_rvasm *m)
{
    word(m, RMW(2, 0xfe, 4u << 1 | 4u << 5, 1));
    word(m, RMW(3, 1, 0, 1));
    word(m, SETC16(2, 1));
    word(m, SETC16(3, 1));
}

void rmsnorm_math(struct ts_rvasm *m, struct ts_rvasm *other, const struct rmsnorm *n)
{
    bool early = n->plain || n->setup;
    take_as_tf32(m);
    if (early) {
        stage_sync(m);
        mark(m, n->part == RMSNORM_TOTAL, false);
    }
    set_up(m, n);
    if (n->plain) {
        stage_sync(m);
        mark(m, n->part == RMSNORM_COMPUTE, false);
    } else {
        word(m, SEMWAIT(B_SYNC, UNPACKED));
        word(m, SEM(SEMGET, UNPACKED));
        stage_sync(m);
        if (!early)
            mark(m, n->part == RMSNORM_TOTAL, false);
    }
    for (unsigned tile = 0; tile < n->tiles; tile++) {
        await(m, n, tile);
        if (n->math == RMSNORM_HYBRID) {
            hybrid_tile(m, other, n, tile);
        } else {
            move_to_dst(m, tile * 64);
            move_gamma(m, (n->tiles + tile) * 64);
            word(m, SETRWC(3, 15));
        }
    }
    if (n->plain)
        plain_output(m, n);
    else if (n->math == RMSNORM_PORT)
        port_math(m, n);
    else
        hybrid_output(m, n);
    word(m, STALL(B_SYNC, C_MATH));
    stage_sync(m);
    mark(m, n->part == RMSNORM_COMPUTE, true);
    mark(m, n->part == RMSNORM_PACK, false);
    if (n->exported && n->math == RMSNORM_PORT)
        word(m, SETC16(1, 0));
    if (n->exported)
        word(m, DST(SFPSTORE, 0, 3, n->math == RMSNORM_PORT ? n->tiles * 64 : 0));
    word(m, STALL(B_SYNC, C_MATH));
    word(m, SEM(SEMPOST, MATH_PACK));
}
