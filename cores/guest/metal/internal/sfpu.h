// Code for the vector unit, without SFPI: one function for each instruction that kernels need.
//
// A function of elements is a body that works on one vector of 32 elements: load() them to registers,
// compute, store() them. vec::each(dst, body) runs it for the 32 vectors of a tile of Dst. Registers 0 to
// 7 are free; ZERO and ONE are constants; C11 to C14 can be set once with constant(). A condition
// (when_...) holds for the lanes where it is true until end(); a second one narrows the first.
//
//   MATH((vec::each(0, [] {
//       using namespace vec;
//       load(0);
//       mad(1, 0, 0, ONE); // x * x + 1
//       store(1);
//   })));
//
// The pack thread can run them too, between tile_regs_wait and packing; the math thread has no vector code then.
#pragma once
#include "internal/compute.h"

#if defined(TRISC_MATH) || defined(TRISC_PACK)

namespace ckernel::vec {

constexpr uint32_t ZERO = 9, ONE = 10, C11 = 11, C12 = 12, C13 = 13, C14 = 14;
constexpr uint32_t FP16 = 1, BF16 = 2, FP32 = 3, INT32 = 4, INT8 = 5, UINT16 = 6; // formats in Dst
constexpr uint32_t ROWS_PER_TILE = 64;
constexpr uint32_t MODE = mode_word(ADDR_MOD_7); // moves nothing on
constexpr uint32_t MOVES = mode_word(
    ADDR_MOD_6); // to the next vector, if init_moves() has set it up
// A unit that does not wait for results of two cycles: NOPs do. It has no negations in its products, no comparisons and no
// arithmetic shifts either.
constexpr bool blind = TS_RULE_vector_blind;

constexpr uint32_t bits(float value)
{
    return __builtin_bit_cast(uint32_t, value);
}

// --- memory ---

// `tile`: counted from the one that each() is for.
ALWI void load(uint32_t r, uint32_t tile = 0, uint32_t format = metal::vector_format())
{
    TT_SFPLOAD(r, format, MODE, tile * ROWS_PER_TILE);
}
ALWI void store(uint32_t r, uint32_t tile = 0, uint32_t format = metal::vector_format())
{
    TT_SFPSTORE(r, format, MODE, tile * ROWS_PER_TILE);
}
// And moves on to the next vector, in functions that init_moves() is for.
ALWI void store_on(uint32_t r, uint32_t tile = 0)
{
    TT_SFPSTORE(r, metal::vector_format(), MOVES, tile * ROWS_PER_TILE);
}
// Counted in rows from the present vector: the next one is two rows further.
ALWI void load_at(uint32_t r, int32_t row)
{
    TT_SFPLOAD(r, metal::vector_format(), MODE, uint32_t(row) & 0x3ff);
}
ALWI void store_at(uint32_t r, int32_t row)
{
    TT_SFPSTORE(r, metal::vector_format(), MODE, uint32_t(row) & 0x3ff);
}

// --- constants ---

// One instruction for 16 bits, and for what FP16 holds exactly.
ALWI void word(uint32_t r, uint32_t value)
{
    if (__builtin_constant_p(value) && (value & 0xffff) == 0) {
        TT_SFPLOADI(r, 0, value >> 16);
    } else if (__builtin_constant_p(value) && (value & 0x1fff) == 0 &&
               (value >> 23 & 0xff) - 113 < 30) {
        TT_SFPLOADI(r, 1, (value >> 16 & 0x8000) | ((value >> 13) - (112 << 10) & 0x7fff));
    } else if (__builtin_constant_p(value) && value < 0x10000) {
        TT_SFPLOADI(r, 2, value);
    } else {
        TT_SFPLOADI(r, 10, value & 0xffff);
        TT_SFPLOADI(r, 8, value >> 16);
    }
}
ALWI void number(uint32_t r, float value)
{
    word(r, bits(value));
}
// Whose constants the registers hold between two calls: the function that loaded them; 0: nobody's.
inline void (*held)();
// Into C11 to C14; uses register 0.
ALWI void constant(uint32_t c, uint32_t value)
{
    held = nullptr;
    word(0, value);
    TT_SFPCONFIG(0, c, 0);
}

// --- arithmetic ---

ALWI void mov(uint32_t d, uint32_t s)
{
    TT_SFPMOV(0, s, d, 0);
}
ALWI void neg(uint32_t d, uint32_t s)
{
    TT_SFPMOV(0, s, d, 1);
}
// After an instruction of two cycles.
ALWI void settle()
{
    if constexpr (blind)
        TTI_SFPNOP;
}
ALWI void mad(uint32_t d, uint32_t a, uint32_t b, uint32_t c)
{
    TT_SFPMAD(a, b, c, d, 0);
    settle();
}
ALWI void msub(uint32_t d, uint32_t a, uint32_t b, uint32_t c) // a * b - c
{
    if constexpr (!blind) {
        TT_SFPMAD(a, b, c, d, 2);
    } else if (d != a && d != b) {
        neg(d, c);
        mad(d, a, b, d);
    } else if (a == b) {
        mad(d, a, b, ZERO);
        neg(d, d);
        mad(d, d, ONE, c);
        neg(d, d);
    } else {
        neg(d, d);
        mad(d, a, b, c);
        neg(d, d);
    }
}
ALWI void nmad(uint32_t d, uint32_t a, uint32_t b, uint32_t c) // c - a * b
{
    if constexpr (!blind) {
        TT_SFPMAD(a, b, c, d, 1);
    } else if (d == c || (d == a && a == b)) {
        msub(d, a, b, c);
        neg(d, d);
    } else {
        neg(d, d == b ? b : a);
        mad(d, d == b ? a : d, d == b ? d : b, c);
    }
}
ALWI void mul(uint32_t d, uint32_t a, uint32_t b)
{
    TT_SFPMUL(a, b, ZERO, d, 0);
    settle();
}
ALWI void add(uint32_t d, uint32_t a, uint32_t b)
{
    TT_SFPADD(ONE, a, b, d, 0);
    settle();
}
ALWI void sub(uint32_t d, uint32_t a, uint32_t b) // a - b
{
    if constexpr (!blind) {
        TT_SFPADD(ONE, a, b, d, 2);
    } else if (d != a) {
        neg(d, b);
        add(d, a, d);
    } else {
        neg(d, a);
        add(d, d, b);
        neg(d, d);
    }
}
ALWI void minus_mul(uint32_t d, uint32_t a, uint32_t b) // -a * b
{
    if constexpr (blind) {
        mul(d, a, b);
        neg(d, d);
    } else {
        TT_SFPMAD(a, b, ZERO, d, 3);
    }
}
// By a number of 16 bits (BF16).
ALWI void mul_number(uint32_t d, float factor)
{
    TT_SFPMULI(bits(factor) >> 16, d, 0);
    settle();
}
ALWI void add_number(uint32_t d, float summand)
{
    TT_SFPADDI(bits(summand) >> 16, d, 0);
    settle();
}
// Takes two cycles.
ALWI void exchange(uint32_t s, uint32_t d, uint32_t mode)
{
    TT_SFPSWAP(0, s, d, mode);
    settle();
}
// The smaller goes to d; s may be a constant, else it gets the larger.
ALWI void minimum(uint32_t d, uint32_t s)
{
    exchange(s, d, 1);
}
ALWI void maximum(uint32_t d, uint32_t s)
{
    exchange(s, d, 9);
}
// To the nearest value that a 16-bit Dst holds: SFPSTORE would cut.
ALWI void round_to_dst(uint32_t r)
{
    if constexpr (metal::vector_format() != FP32)
        TT_SFP_STOCH_RND(0, 0, 0, r, r, metal::vector_format() == BF16 ? 1 : 0);
}
ALWI void abs(uint32_t d, uint32_t s)
{
    TT_SFPSETSGN(0, s, d, 1);
}
// The sign of d, everything else of s.
ALWI void with_sign(uint32_t d, uint32_t s)
{
    TT_SFPSETSGN(0, s, d, 0);
}
ALWI void nop()
{
    TTI_SFPNOP;
}

// --- bits and integers (two's complement) ---

ALWI void exponent(uint32_t d, uint32_t s) // unbiased
{
    TT_SFPEXEXP(0, s, d, 0);
}
ALWI void mantissa(uint32_t d, uint32_t s) // with the hidden bit
{
    TT_SFPEXMAN(0, s, d, 0);
}
ALWI void set_exponent(uint32_t d, uint32_t s, uint32_t biased)
{
    TT_SFPSETEXP(biased, s, d, 1);
}
ALWI void scale_by_two_to(uint32_t d, uint32_t s, int32_t power)
{
    TT_SFPDIVP2(uint32_t(power) & 0xff, s, d, 1);
}
ALWI void iadd(uint32_t d, uint32_t s) // d += s
{
    TT_SFPIADD(0, s, d, 4);
}
ALWI void isub(uint32_t d, uint32_t s) // d = s - d
{
    TT_SFPIADD(0, s, d, 6);
}
// Infinity in s, a float without its sign in d, which is lost: is it a NaN?
ALWI void when_nan(uint32_t d, uint32_t s)
{
    TT_SFPIADD(0, s, d, 2);
}
ALWI void when_not_nan(uint32_t d, uint32_t s)
{
    TT_SFPIADD(0, s, d, 10);
}
ALWI void iadd_number(uint32_t d, uint32_t s, int32_t value) // 12 bits
{
    TT_SFPIADD(uint32_t(value) & 0xfff, s, d, 5);
}
ALWI void shift(uint32_t d, int32_t left) // right if negative, zeros come in
{
    TT_SFPSHFT(uint32_t(left) & 0xfff, 0, d, 1);
}
ALWI void shift_by(uint32_t d, uint32_t s) // by the lanes of s
{
    TT_SFPSHFT(0, s, d, 0);
}
ALWI void bit_and(uint32_t d, uint32_t s)
{
    TT_SFPAND(0, s, d, 0);
}
ALWI void bit_or(uint32_t d, uint32_t s)
{
    TT_SFPOR(0, s, d, 0);
}
ALWI void bit_xor(uint32_t d, uint32_t s)
{
    TT_SFPXOR(0, s, d, 0);
}
ALWI void bit_not(uint32_t d, uint32_t s)
{
    TT_SFPNOT(0, s, d, 0);
}
ALWI void leading_zeros(uint32_t d, uint32_t s)
{
    TT_SFPLZ(0, s, d, 0);
}
// --- conditions ---

ALWI void when_negative(uint32_t r)
{
    TT_SFPSETCC(0, r, 0, 0);
}
ALWI void when_not_zero(uint32_t r)
{
    TT_SFPSETCC(0, r, 0, 2);
}
ALWI void when_not_negative(uint32_t r)
{
    TT_SFPSETCC(0, r, 0, 4);
}
ALWI void when_zero(uint32_t r)
{
    TT_SFPSETCC(0, r, 0, 6);
}
// Floats: a > b, in total order; without an instruction for that by their difference, in register t, which must be free.
constexpr uint32_t COMPARES_IN = 7;
ALWI void when_greater(uint32_t a, uint32_t b, [[maybe_unused]] uint32_t t = COMPARES_IN)
{
#ifdef TT_OP_SFPGT
    TT_SFPGT(0, b, a, 1);
#else
    sub(t, b, a);
    when_negative(t);
#endif
}
ALWI void when_not_greater(uint32_t a, uint32_t b, [[maybe_unused]] uint32_t t = COMPARES_IN)
{
#ifdef TT_OP_SFPLE
    TT_SFPLE(0, b, a, 1);
#else
    sub(t, b, a);
    when_not_negative(t);
#endif
}
ALWI void otherwise()
{
    TTI_SFPCOMPC(0, 0, 0, 0);
}
ALWI void end()
{
    TTI_SFPENCC(3, 0, 0, 10);
}
// A condition of its own, from push() to pop(), in place of end(): the lanes from before are back then.
ALWI void push()
{
    TTI_SFPPUSHC(0, 0, 0, 0);
}
ALWI void pop()
{
    TTI_SFPPOPC(0, 0, 0, 0);
}

// --- integers that need conditions ---

// Two's complement to sign and magnitude.
ALWI void to_sign_magnitude(uint32_t d, uint32_t s)
{
    if constexpr (!blind) {
        TT_SFPCAST(s, d, 3);
    } else {
        if (d != s)
            mov(d, s);
        push();
        when_negative(d);
        isub(d, ZERO);
        TT_SFPSETSGN(1, d, d, 1);
        pop();
    }
}
ALWI void to_float(uint32_t d, uint32_t s)
{
    to_sign_magnitude(d, s);
    TT_SFPCAST(d, d, 0);
}
ALWI void shift_arithmetic_by(uint32_t d, uint32_t s)
{
    if constexpr (!blind) {
        TT_SFPSHFT(0, s, d, 2);
    } else {
        push();
        when_negative(d);
        bit_not(d, d);
        shift_by(d, s);
        bit_not(d, d);
        otherwise();
        shift_by(d, s);
        pop();
    }
}

// --- shapes of code ---

// d = (((c0 * x + c1) * x + c2) ...): the highest coefficient first. Uses t.
template <typename... C>
ALWI void polynomial(uint32_t d, uint32_t x, uint32_t t, float first, C... rest)
{
    number(d, first);
    ((number(t, rest), mad(d, d, x, t)), ...);
}

inline void aim(uint32_t dst)
{
#ifdef TRISC_MATH
    math::set_dst_write_addr<Tile32x32, UnpackDestination::SrcRegs>(dst);
    TTI_STALLWAIT(p_stall::STALL_SFPU, p_stall::MATH);
#else
    TTI_SEMWAIT(p_stall::STALL_SFPU, semaphore::t6_sem(semaphore::MATH_PACK),
                p_stall::STALL_ON_ZERO);
    TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32,
              ROWS_PER_TILE * dst + packer::get_packer_dest_offset());
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
#endif
    if (four_modes)
        upper_modes(true);
}
inline void begin(uint32_t dst)
{
    held = nullptr;
    aim(dst);
}
ALWI void step(uint32_t vectors = 1)
{
    TT_INCRWC(0, 2 * vectors, 0, 0);
}
inline void finish()
{
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
    if (four_modes)
        upper_modes(false);
}
// Faces 0 and 1 for VectorMode::R, 0 and 2 for C, all for RC; for None so many vectors in a row, which
// eight make a face. `face` moves on by eight vectors.
template <uint32_t vectors = 8, typename Face> ALWI void each_face(VectorMode mode, Face face)
{
    static_assert(vectors % 8 == 0, "a face has eight vectors");
    const uint32_t faces = mode == VectorMode::None                                  ? vectors / 8
                           : mode == VectorMode::RC || mode == VectorMode::RC_custom ? 4
                                                                                     : 2;
#pragma GCC unroll 0
    for (uint32_t i = 0; i < faces; i++) {
        face();
        if (mode == VectorMode::C) {
            step(4);
            step(4);
        }
    }
    finish();
}
template <uint32_t vectors = 8, typename Body> ALWI void each_vector(VectorMode mode, Body body)
{
    each_face<vectors>(mode, [&] {
#pragma GCC unroll 0
        for (uint32_t i = 0; i < 8; i++) {
            body();
            step();
        }
    });
}
template <uint32_t vectors = 8, typename Body>
ALWI void each(uint32_t dst, Body body, VectorMode mode = VectorMode::RC)
{
    begin(dst);
    each_vector<vectors>(mode, body);
}
// The same without a loop over the vectors of a face, for short bodies that move on themselves; begin() comes before it.
template <typename Body> ALWI void each_short(VectorMode mode, Body body)
{
    each_face(mode, [&] {
#pragma GCC unroll 8
        for (uint32_t i = 0; i < 8; i++)
            body();
    });
}
// The same for a body of up to 16 words that moves on by `at_once` vectors itself: the first half of the
// replay buffer repeats it. begin() comes before it (or begin_held()), so that
// constants can be loaded in between.
template <uint32_t words, uint32_t at_once = 1, uint32_t vectors = 8, typename Body>
ALWI void replay_each(VectorMode mode, Body body)
{
    static_assert(words <= 16, "the second half is the matrix unit's");
    each_face<vectors>(mode, [&] {
        if constexpr (blind) { // more words
#pragma GCC unroll 0
            for (uint32_t i = 0; i < 8; i += at_once)
                body();
            return;
        }
        TTI_REPLAY(0, words, 1, 1);
        body();
#pragma GCC unroll 8
        for (uint32_t i = at_once; i < 8; i += at_once)
            TTI_REPLAY(0, words, 0, 0);
    });
}
// What all inits do: all lanes as after reset; the counters stay where SFPLOAD and SFPSTORE find them.
ALWI void init_lanes()
{
    TTI_SFPCONFIG(0, 15, 1);
    addr_mod_t{}.set(ADDR_MOD_7);
}
ALWI void init()
{
    init_lanes();
    math::reset_counters(p_setrwc::SET_ABD_F);
}
// And those that call one of their function's own.
ALWI void init_own()
{
    init();
    math::reset_counters(p_setrwc::SET_ABD_F);
}
ALWI void set_moves()
{
    addr_mod_t{.dest = {.incr = 2}}.set(ADDR_MOD_6);
}
ALWI void init_moves()
{
    init();
    set_moves();
}
ALWI void init_own_moves()
{
    init_moves();
    math::reset_counters(p_setrwc::SET_ABD_F);
}

#if !TS_RULE_vector_blind
// --- load macros: SFPLOADMACRO loads a register and has up to one instruction a unit follow ---

// A byte for each unit: what a macro selects (4 to 7: the words kept by their destinations 12 to 15; 3: a store) after `delay` cycles.
// To register 16 instead of the loaded one; `loaded`: that is operand B instead of C.
constexpr uint32_t follow(uint32_t select, uint32_t delay, bool to_16 = false, bool loaded = false)
{
    return select | delay << 3 | uint32_t(to_16) << 6 | uint32_t(loaded) << 7;
}
template <uint32_t macro, uint32_t simple, uint32_t mad, uint32_t round, uint32_t stored>
ALWI void set_macro()
{
    TT_SFPLOADI(0, 10, simple | mad << 8);
    TT_SFPLOADI(0, 8, round | stored << 8);
    TT_SFPCONFIG(0, 4 + macro, 0);
}
// For macros of the mask: stores have their loads' formats, and delays count instructions.
ALWI void set_macros(uint32_t mask)
{
    TT_SFPCONFIG(mask << 4 | mask << 8, 8, 1);
}
ALWI void load_macro(uint32_t macro, uint32_t r, uint32_t mode, uint32_t row,
                     uint32_t format = metal::vector_format())
{
    TT_SFPLOADMACRO(4 * macro | r, format, mode, row);
}
#endif

// Of functions whose inits load something. A call loads it again, by a function of another place, where another's is there.
template <void (*set)()> __attribute__((noinline)) inline void load_again()
{
    set();
    held = load_again<set>;
}
template <void (*set)()> ALWI void init_held()
{
    init();
    set();
    held = load_again<set>;
}
// With it; the wait of aim() hides the look.
template <void (*set)()> ALWI void begin_held(uint32_t dst)
{
    aim(dst);
    if (held != load_again<set>)
        load_again<set>();
}
// Constants.
template <float... c> struct constants {
    static ALWI void set()
    {
        math::reset_counters(p_setrwc::SET_ABD_F);
        uint32_t at = C12;
        (constant(at++, bits(c)), ...);
    }
    static ALWI void init() { init_held<set>(); }
    static ALWI void begin(uint32_t dst) { begin_held<set>(dst); }
};

} // namespace ckernel::vec

#endif
