// Functions of every element, by the vector unit.
//
// A function is up to 22 instructions on one vector of 32 datums, recorded at the start of the
// replay buffer; the MOP runs them 32 times, for the 32 vectors of a tile. Behind them lie the
// eight instructions that bring a tile to Dst: MOVA2D, or ELWSUB that takes a column away. L0 is the datum and the result. Constants: 9 zero, 10 one;
// 11 to 14 can be set (SFPCONFIG).
#pragma once
#include "ckernel_template.h"
#include "llk_tiles.h"

#ifdef TRISC_MATH
#include "cmath_common.h"

namespace ckernel::sfpu {

enum { COPY, RELU, EXP, RECIPROCAL, SIGMOID, GELU, RSQRT };

constexpr uint32_t ZERO = 9, ONE = 10, C1 = 11, C2 = 12, LOW = 13, HIGH = 14;
constexpr uint32_t COPY_AT = 23; // in the replay buffer

// Faces of a tile: a constant, but in general images.
#ifdef TS_GENERAL
inline uint32_t tile_faces()
{
    return (get_arg(TS_ARG_FACES) & 15) * (get_arg(TS_ARG_FACES) >> 4);
}
#else
constexpr uint32_t tile_faces()
{
    return 4;
}
#endif

// What copy_tile brings to Dst: SrcA, or SrcA less the first column of SrcB.
enum { FEED_A, FEED_LESS_COLUMN };

#if TS_RULE_vector_blind
#define TS_ALWAYS __attribute__((always_inline))
#else
#define TS_ALWAYS
#endif
// Does the unit read an old value, where it should wait? Such a unit has no negations in its products either.
constexpr bool blind = TS_RULE_vector_blind;

// A recorder: counts first, then pushes.
struct recorder {
#if TS_RULE_vector_blind // with its NOPs longer than the replay buffer: it pushes at once
    TS_ALWAYS void add(uint32_t word)
    {
        ts_push(word);
    }
#else
    uint32_t words[32];
    uint32_t count = 0;
    void add(uint32_t word)
    {
        words[count++] = word;
    }
    void record(uint32_t start) const
    {
        TT_REPLAY(start, count, 0, 1);
        for (uint32_t i = 0; i < count; i++)
            ts_push(words[i]);
    }
#endif
    // A word of two cycles; a unit that does not wait for its result has a NOP behind it.
    TS_ALWAYS void slow(uint32_t word)
    {
        add(word);
        if (blind)
            add(TT_OP_SFPNOP);
    }
    TS_ALWAYS void mad(uint32_t d, uint32_t a, uint32_t b, uint32_t c)
    {
        slow(TT_OP_SFPMAD(a, b, c, d, 0));
    }
    TS_ALWAYS void mul(uint32_t d, uint32_t a, uint32_t b)
    {
        slow(TT_OP_SFPMUL(a, b, ZERO, d, 0));
    }
    TS_ALWAYS void sum(uint32_t d, uint32_t a, uint32_t b)
    {
        slow(TT_OP_SFPADD(ONE, a, b, d, 0));
    }
    // a - b; d is not a.
    TS_ALWAYS void difference(uint32_t d, uint32_t a, uint32_t b)
    {
        if (blind) {
            add(TT_OP_SFPMOV(0, b, d, 1));
            sum(d, a, d);
        } else {
            add(TT_OP_SFPADD(ONE, a, b, d, 2));
        }
    }
    TS_ALWAYS void load(uint32_t r, uint32_t bits)
    {
        add(TT_OP_SFPLOADI(r, 10, bits & 0xffff));
        add(TT_OP_SFPLOADI(r, 8, bits >> 16));
    }
};

#if TS_RULE_vector_blind
inline uint32_t vector_function, vector_format; // of init
#endif

// A 32-bit constant into a register.
inline void load_constant(uint32_t lreg, uint32_t bits)
{
    TT_SFPLOADI(lreg, 10, bits & 0xffff); // low half, the rest stays
    TT_SFPLOADI(lreg, 8, bits >> 16);     // high half, the rest stays
}

// A constant that vectors share, by way of L0.
inline void set_constant(uint32_t index, uint32_t bits)
{
    load_constant(0, bits);
    TT_SFPCONFIG(0, index, 0);
}

// 2^L0 into L0. The integral part by adding and taking away 1.5 * 2^23 (L7), the rest by a
// polynomial of degree 3 with coefficients in L3 (x^3), L4 (x^2), L5 (x), one; then the integral
// part goes into the exponent. Uses L1, L2.
TS_ALWAYS inline void power_of_two(recorder &r)
{
    if (!blind)
        r.add(TT_OP_SFPNOP);              // SFPSWAP does not wait for what a product writes
    r.slow(TT_OP_SFPSWAP(0, HIGH, 0, 1)); // the smaller of both
    r.slow(TT_OP_SFPSWAP(0, LOW, 0, 9));  // the larger
    r.sum(1, 0, 7);                       // t + magic: its low bits are round(t)
    r.difference(2, 1, 7);                // k = that - magic
    r.difference(2, 0, 2);                // f = t - k
    r.mad(0, 2, 3, 4);
    r.mad(0, 0, 2, 5);
    r.mad(0, 0, 2, ONE);
    r.add(TT_OP_SFPSHFT(23, 0, 1, 1)); // k << 23
    r.add(TT_OP_SFPIADD(0, 1, 0, 4));  // onto the exponent; lane flags stay
}

// 1 / L0 into L0: the hardware's approximation and one step of Newton's method. Uses L1, L2.
TS_ALWAYS inline void reciprocal(recorder &r)
{
#ifdef TT_OP_SFPARECIP
    r.add(TT_OP_SFPARECIP(0, 0, 1, 0));
    r.add(TT_OP_SFPMAD(0, 1, ONE, 2, 1)); // 1 - x y
    r.mad(0, 1, 2, 1);                    // y + y (1 - x y)
#else
    constexpr uint32_t GUESS = 0x7ef311c7; // less the bits of x: 1 / x to an eighth
    r.add(TT_OP_SFPMOV(0, 0, 1, 0));
    r.load(2, GUESS);
    r.add(TT_OP_SFPIADD(0, 2, 1, 6));
#pragma GCC unroll 3
    for (uint32_t i = 0; i < 3; i++) {
        r.add(TT_OP_SFPMOV(0, 0, 2, 1));
        r.mad(2, 2, 1, ONE);
        r.mad(i < 2 ? 1 : 0, 1, 2, 1);
    }
#endif
}

inline void body(recorder &r, uint32_t function)
{
    switch (function) {
    case RELU:
        r.add(TT_OP_SFPSETCC(0, 0, 0, 0)); // lanes below zero
        r.add(TT_OP_SFPMOV(0, ZERO, 0, 0));
        r.add(TT_OP_SFPENCC(3, 0, 0, 10)); // all lanes again
        break;
    case EXP:
        r.mul(0, 0, C1);
        power_of_two(r);
        break;
    case RECIPROCAL:
        reciprocal(r);
        break;
    case SIGMOID: // 1 / (1 + 2^(-x log2 e))
        r.mul(0, 0, C1);
        power_of_two(r);
        r.sum(0, 0, ONE);
        reciprocal(r);
        break;
    case GELU: // x sigmoid(1.5957691 (x + 0.044715 x^3)), L6 keeps x
        r.add(TT_OP_SFPMOV(0, 0, 6, 0));
        r.mul(0, 0, 0);
        r.mad(0, 0, C2, C1);
        r.mul(0, 0, 6);
        power_of_two(r);
        r.sum(0, 0, ONE);
        reciprocal(r);
        r.mul(0, 0, 6);
        break;
    case RSQRT: // of L0 * C1 + C2: a guess from the exponent (L3), two steps of Newton's method
        r.mad(0, 0, C1, C2);
        r.add(TT_OP_SFPMOV(0, 0, 1, 0));
        r.add(TT_OP_SFPSHFT(0xfff, 0, 1, 1)); // >> 1
        r.add(TT_OP_SFPIADD(0, 3, 1, 6));     // L3 - L1, lane flags stay
#pragma GCC unroll 2
        for (uint32_t i = 0; i < 2; i++) {
            r.mul(2, 1, 1);
            r.mul(2, 2, 0);
            r.mad(2, 2, 4, 5); // 1.5 - 0.5 x y^2
            r.mul(1, 1, 2);
        }
        r.add(TT_OP_SFPMOV(0, 1, 0, 0));
        break;
    default:
        break;
    }
}

// `scale`: bits of RSQRT's factor. `format`: how vectors are read and written, as SFPLOAD counts
// it: 1 FP16, 2 BF16, 3 FP32.
inline void init(uint32_t function, uint32_t format, uint32_t scale = 0x3f800000,
                 uint32_t feed = FEED_A)
{
    if (feed == FEED_A)
        addr_mod_t{.srca = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_2);
    else
        tiles::eltwise_addr_mods(false, tiles::BROADCAST_COL);
    addr_mod_t{}.set(ADDR_MOD_6);
    addr_mod_t{.dest = {.incr = 2}}.set(ADDR_MOD_7);
    if (function == RSQRT) {
        set_constant(C1, scale);
        set_constant(C2, 0x3727c5ac); // eps: 1e-5
        load_constant(3, 0x5f3759df);
        load_constant(4, 0xbf000000); // -0.5
        load_constant(5, 0x3fc00000); // 1.5
    } else {
        set_constant(C1, function == GELU ? 0xc0135761 : function == EXP ? 0x3fb8aa3b : 0xbfb8aa3b);
        set_constant(C2, 0xbdd2d3e8); // 0.044715 of C1's -2.3022082
        set_constant(LOW, 0xc2fc0000);
        set_constant(HIGH, blind ? 0x42fa0000 : 0x42fe0000); // its power has a reciprocal
        load_constant(3, 0x3d6388ee);                        // 0.0555505
        load_constant(4, 0x3e75fdf0);                        // 0.2402267
        load_constant(5, 0x3f317218);                        // 0.6931472
        load_constant(7, 0x4b400000);                        // 1.5 * 2^23
    }
#if TS_RULE_vector_blind
    vector_function = function;
    vector_format = format;
    TT_REPLAY(COPY_AT, 2 * tile_faces() + 1, 0, 1);
#else
    recorder r;
    r.add(TT_OP_SFPLOAD(0, format, ADDR_MOD_6, 0));
    body(r, function);
    r.add(TT_OP_SFPSTORE(0, format, ADDR_MOD_7, 0));
    r.record(0);
#endif
    recorder copy;
    for (uint32_t i = 0; i < 2 * tile_faces(); i++)
        copy.add(feed == FEED_A ? TT_OP_MOVA2D(0, 0, ADDR_MOD_2, 2, 0)
                                : tiles::eltwise_step(tiles::ELTWISE_SUB, tiles::BROADCAST_COL, i));
    copy.add(TT_OP_SETRWC(feed == FEED_A ? p_setrwc::CLR_A : p_setrwc::CLR_AB, 0, 0, 0, 0,
                          p_setrwc::SET_ABD_F));
#if !TS_RULE_vector_blind
    copy.record(COPY_AT);
    ckernel_template mop(1, 8 * tile_faces(), lltt::replay_insn(0, r.count));
    mop.program();
#endif
    math::reset_counters(p_setrwc::SET_ABD_F);
}

// SrcA to a tile of Dst, or its difference to a column.
inline void copy_tile(uint32_t tile)
{
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(tile);
#ifdef TS_GENERAL
    TT_REPLAY(COPY_AT, 2 * tile_faces() + 1, 0, 0);
#else
    TTI_REPLAY(COPY_AT, 9, 0, 0);
#endif
}

// One tile of Dst, after the copy that filled it.
inline void run(uint32_t tile)
{
    TTI_STALLWAIT(p_stall::STALL_SFPU, p_stall::MATH);
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(tile);
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
#if TS_RULE_vector_blind
    upper_modes(true);
    for (uint32_t vector = 0; vector < 8 * tile_faces(); vector++) {
        recorder r;
        r.add(TT_OP_SFPLOAD(0, vector_format, mode_word(ADDR_MOD_6), 0));
        body(r, vector_function);
        r.add(TT_OP_SFPSTORE(0, vector_format, mode_word(ADDR_MOD_7), 0));
    }
    upper_modes(false);
#else
    ckernel_template::run();
#endif
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
}

} // namespace ckernel::sfpu
#endif
