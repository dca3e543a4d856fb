// Vector instructions and modes that the vendor's simulator refuses, from their ISA pages: one
// value in, one value out, in every lane. Those that it executes are in test_vector_conform.c.
#include "tests/suite.h"
#include "tests/units/vector_check.h"
#include "units/vector/body.h"

// LReg 0..2 are A, B, C; LReg 3 is the destination and starts as D.
struct row {
    const char *what;
    uint32_t word, a, b, c, d, want;
};

#define RND(mode, imm, mod)                                                                    \
    (OP(SFP_STOCH_RND) | (uint32_t)(mode) << 21 | (imm) << 16 | 1u << 12 | 2u << 8 | 3u << 4 | \
     (mod))
#define X 0xDEADBEEFu // must not matter

static const struct row rows[] = {
    // SFPADDI, SFPMULI: the sign of VD turned
    {"addi 1.0 - d", SFP16(SFPADDI, 0x3F80, 3, 2), X, X, X, 0x40000000u, 0xBF800000u},
    {"muli 2.0 * -d", SFP16(SFPMULI, 0x4000, 3, 2), X, X, X, 0x40400000u, 0xC0C00000u},
    {"muli -0 becomes +0", SFP16(SFPMULI, 0x8000, 3, 0), X, X, X, 0x40400000u, 0},
    // SFPMUL keeps the sign of zero only with VC negated
    {"mul -0", SFP3(SFPMUL, 0, 1, 9, 3, 0), 0x80000000u, 0x3F800000u, X, X, 0},
    {"mul -0 - 0", SFP3(SFPMUL, 0, 1, 9, 3, 2), 0x80000000u, 0x3F800000u, X, X, 0x80000000u},
    // SFPLUT: eight-bit coefficients, the sign kept or not; 0xFF is zero
    {"lut sign kept", OP(SFPLUT) | 3u << 20 | 4u << 16, 0x0000FF00u, X, X, 0xBF000000u,
     0xBF800000u},
    {"lut sign not kept", OP(SFPLUT) | 3u << 20, 0x0000FF10u, X, X, 0xBF000000u, 0x3F000000u},
    {"lut third entry", OP(SFPLUT) | 3u << 20, X, X, 0x00001080u, 0x40400000u, 0x3F000000u},
    // SFPLUTFP32, three FP32 entries (LReg 4..6 are zero here), sign kept
    {"lutfp32 0.5 * |d|", SFP16(SFPLUTFP32, 0, 3, 4), 0x3F000000u, X, X, 0xBF000000u, 0xBE800000u},
    {"lutfp32 second entry", SFP16(SFPLUTFP32, 0, 3, 0), X, 0x40000000u, X, 0xBFC00000u,
     0x40400000u},
    // six FP16 entries; the sixth begins at 4.0 in the second table and at 3.0 in the first. The
    // addends are lut16 of 0, which is 2^-15
    {"lutfp32 table 1 at 3.5", SFP16(SFPLUTFP32, 0, 3, 2), X, X, 0x3C00FC00u, 0x40600000u,
     0x40600080u},
    {"lutfp32 table 2 at 3.5", SFP16(SFPLUTFP32, 0, 3, 3), X, X, 0xFC003C00u, 0x40600000u,
     0x40600080u},
    // SFPMUL24: high and low halves; the adder's meddling when VC is not zero
    {"mul24 low", SFP3(SFPMUL24, 0, 1, 9, 3, 0), 0x00345678u, 0x00001234u, X, X,
     (uint32_t)(0x345678ull * 0x1234 & 0x7FFFFF)},
    {"mul24 high", SFP3(SFPMUL24, 0, 1, 9, 3, 1), 0xFF7FFFFFu, 0x00FFFFFFu, X, X, 0x7FFFFEu},
    {"mul24 with addend", SFP3(SFPMUL24, 0, 1, 2, 3, 0), 3, 5, 129u << 23, X, 15},
    {"mul24 with small addend", SFP3(SFPMUL24, 0, 1, 2, 3, 0), 3, 5, 119u << 23, X, 15 + 0x10000},
    {"mul24, addend's lost bits", SFP3(SFPMUL24, 0, 1, 2, 3, 0), 3, 5, 108u << 23 | 0x1FFFF, X,
     15 + 0x20 + 0x10000},
    {"mul24, few bits lost", SFP3(SFPMUL24, 0, 1, 2, 3, 0), 3, 5, 108u << 23 | 0x1FFF, X,
     15 + 0x20},
    // SFPEXEXP, SFPIADD, SFPLZ: arithmetic only; flags are in test_vector_cc
    {"divp2 wraps", SFP(SFPDIVP2, 0xFF, 2, 3, 1), X, X, 0x80123456u, X, 0xFF923456u},
    {"divp2 leaves inf", SFP(SFPDIVP2, 1, 2, 3, 1), X, X, 0xFF800000u, X, 0xFF800000u},
    {"setman imm", SFP(SFPSETMAN, 0xABC, 2, 3, 1), X, X, 0x3FFFFFFFu, X,
     0x3F800000u | 0xABCu << 11},
    {"arithmetic shift", SFP(SFPSHFT, 0, 2, 3, 2), X, X, (uint32_t)-4, 0x80000000u, 0xF8000000u},
    {"shift by 32 is by 0", SFP(SFPSHFT, 0, 2, 3, 0), X, X, (uint32_t)-32, 0x1234u, 0x1234u},
    {"setcc leaves VD", SFP(SFPSETCC, 0, 2, 3, 0), X, X, 1, 0x77u, 0x77u},
    // SFPSHFT2: the immediate's low bits are VB as well; mode 6
    {"shft2 imm 1", SFP(SFPSHFT2, 1, 0, 3, 6), X, 0x40000001u, X, X, 0x80000002u},
    {"shft2 imm -14", SFP(SFPSHFT2, 0xFF2, 0, 3, 6), X, X, 0x80000000u, X, 0x80000000u >> 14},
    // SFPCAST
    {"cast abs", SFP(SFPCAST, 0, 2, 3, 2), X, X, (uint32_t)-7, X, 7},
    {"cast abs of minimum", SFP(SFPCAST, 0, 2, 3, 2), X, X, 0x80000000u, X, 0x80000000u},
    {"cast int, -0", SFP(SFPCAST, 0, 2, 3, 3), X, X, 0x80000000u, X, 0x80000000u},
    // SFPARECIP
    {"recip of 1", SFP(SFPARECIP, 0, 2, 3, 0), X, X, 0xBF800000u, X, 0xBF7F0000u},
    {"recip of 2^126", SFP(SFPARECIP, 0, 2, 3, 0), X, X, 0x7E800000u, X, 0},
    {"conditional, taken", SFP(SFPARECIP, 1, 2, 3, 1), X, 0x80000000u, 0xC0000000u, X, 0x3EFF0000u},
    {"conditional, not", SFP(SFPARECIP, 1, 2, 3, 1), X, 1, 0xC0000000u, X, 0xC0000000u},
    {"exp of 1", SFP(SFPARECIP, 0, 2, 3, 2), X, X, 0x3F800000u, X, 0x402D0000u},
    {"exp of -0", SFP(SFPARECIP, 0, 2, 3, 2), X, X, 0x80000000u, X, 0xBF800000u},
    {"exp beyond 2", SFP(SFPARECIP, 0, 2, 3, 15), X, X, 0x40001234u, X, 0x40801234u},
    // SFPSTOCHRND, to nearest: ties away from zero
    {"fp16a tie", RND(0, 0, 0), X, X, 0x3F801000u, X, 0x3F802000u},
    {"fp16a below", RND(0, 0, 0), X, X, 0x3F800FFFu, X, 0x3F800000u},
    {"fp16b -NaN", RND(0, 0, 1), X, X, 0xFFC00000u, X, 0xFF800000u},
    {"fp16b -denormal", RND(0, 0, 1), X, X, 0x80000123u, X, 0},
    // to zero: still up when all discarded bits are ones
    {"fp16b to zero", RND(2, 0, 1), X, X, 0x3F80FFFEu, X, 0x3F800000u},
    {"fp16b to zero, bug", RND(2, 0, 1), X, X, 0x3F80FFFFu, X, 0x3F810000u},
    {"u8 to zero, 0.99999994", RND(2, 0, 2), X, X, 0x3F7FFFFFu, X, 1},
    {"u8 to zero, 1.9999999", RND(2, 0, 2), X, X, 0x3FFFFFFFu, X, 2},
    {"i8 to zero, -2.75", RND(2, 0, 3), X, X, 0xC0300000u, X, 0x80000002u},
    {"i8 saturates", RND(0, 0, 3), X, X, 0xFF800000u, X, 0x8000007Fu},
    {"u16 of NaN", RND(0, 0, 6), X, X, 0x7FC00000u, X, 65535},
    {"i16 -0.25 has no sign", RND(0, 0, 7), X, X, 0xBE800000u, X, 0},
    // integers: by the immediate (mod + 8) or by VB
    {"int to u8 by imm", RND(0, 4, 4 + 8), X, X, 0x80000018u, X, 2},
    {"int to i8 by imm", RND(0, 4, 5 + 8), X, X, 0x80000018u, X, 0x80000002u},
    {"int to i8 by VB", RND(0, 0, 5), X, 36, 0x80000017u, X, 0x80000001u},
    {"int to i8 saturates", RND(0, 0, 5 + 8), X, X, 0x80000080u, X, 0x8000007Fu},
    {"int to u8 to zero", RND(2, 1, 4 + 8), X, X, 5, X, 2},
    // SFPLOADI keeps or makes halves
    {"loadi fp16 denormal", OP(SFPLOADI) | 3u << 20 | 1u << 16 | 0x8001, X, X, X, X, 0xB8002000u},
};

static void check_values(unsigned row_number)
{
    const struct row *row = &rows[row_number];
    struct rig r;
    rig_reset(&r);
    rig_fill(&r, 0, row->a);
    rig_fill(&r, 1, row->b);
    rig_fill(&r, 2, row->c);
    rig_fill(&r, 3, row->d);
    ck_assert_int_eq(rig_run(&r, row->word), TS_VECTOR_OK);
    for (unsigned l = 0; l < TS_LANES; l++)
        ck_assert_msg(r.v.lreg[3][l] == row->want, "%s: lane %u: %08x, not %08x", row->what, l,
                      r.v.lreg[3][l], row->want);
}

START_TEST(values)
{
    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++)
        check_values(n);
}
END_TEST

// e to the power of num / 2^den_bits, times 2^40, by its series.
static uint64_t exp_fixed(uint64_t num, unsigned den_bits)
{
    uint64_t sum = 0, term = 1ull << 40;
    for (unsigned n = 1; term; n++) {
        sum += term;
        term = (uint64_t)((unsigned __int128)term * num >> den_bits) / n;
    }
    return sum;
}

// The two tables, from the sentences at the head of vector_approx.c.
START_TEST(approximations)
{
    struct rig r;
    rig_reset(&r);
    for (uint32_t m = 0; m < 128; m++) {
        uint32_t k = 2 * m + 1; // 1 / (1 + k/256), rounded to 7 bits, of the interval's middle
        uint32_t want = 126u << 23 | ((256 * (256 - k) + 256 + k) / (2 * (256 + k))) << 16;
        rig_fill(&r, 2, 127u << 23 | m << 16 | 0xABCD);
        ck_assert_int_eq(rig_run(&r, SFP(SFPARECIP, 0, 2, 3, 0)), TS_VECTOR_OK);
        ck_assert_uint_eq(r.v.lreg[3][m % 32], want);
    }
    for (uint32_t x = 0x3C80; x < 0x4000; x++) {
        unsigned e = x >> 7; // x is (128 + mantissa) * 2^(e - 127 - 7)
        uint64_t value = exp_fixed(128 + (x & 127), 134 - e);
        uint32_t top = 63 - (uint32_t)__builtin_clzll(value);
        uint32_t want = (127 + top - 40) << 7 | (uint32_t)(value >> (top - 7) & 127);
        rig_fill(&r, 2, x << 16 | 0x5A5A);
        ck_assert_int_eq(rig_run(&r, SFP(SFPARECIP, 0, 2, 3, 2)), TS_VECTOR_OK);
        ck_assert_msg(r.v.lreg[3][0] == (want << 16 | 0x5A5A), "exp of %04x: %08x, not %04x", x,
                      r.v.lreg[3][0], want);
    }
}
END_TEST

// The rules of the PRNG and of stochastic rounding, a lane at a time and in wide arithmetic.
static uint32_t prng(uint32_t *state)
{
    uint32_t result = *state;
    uint32_t taps = (uint32_t)__builtin_popcount(result & 0x80200003u);
    *state = ~taps << 31 | result >> 1;
    return result;
}

START_TEST(stochastic)
{
    uint64_t seed = 12345;
    struct rig r;
    rig_reset(&r);
    ts_vector_seed(&r.v, 0xC0FFEEu, true);
    for (unsigned n = 0; n < 4000; n++) {
        uint32_t state[TS_LANES], input[TS_LANES];
        memcpy(state, r.v.prng, sizeof state);
        for (unsigned l = 0; l < TS_LANES; l++)
            r.v.lreg[2][l] = input[l] = (rig_random(&seed) & 0x807FFFFFu) | (100 + l + n % 8) << 23;
        r.v.use = TS_ALL_LANES;
        r.v.flags = rig_random(&seed);
        rig_fill(&r, 3, 0x1234);
        unsigned kind = n % 4; // to BF16, to INT16, INT32 to UINT8 by 16, cast to float
        static const uint32_t words[] = {RND(1, 0, 1), RND(1, 0, 7), RND(3, 16, 4 + 8),
                                         SFP(SFPCAST, 0, 2, 3, 1)};
        ck_assert_int_eq(rig_run(&r, words[kind]), TS_VECTOR_OK);
        for (unsigned l = 0; l < TS_LANES; l++) {
            if (!(r.v.flags >> l & 1)) {
                ck_assert_uint_eq(r.v.lreg[3][l], 0x1234);
                ck_assert_uint_eq(r.v.prng[l], state[l]);
                continue;
            }
            uint32_t c = input[l], random = prng(&state[l]), want;
            uint32_t mag = c & 0x7FFFFFFFu, fraction = random & 0x7FFFFFu;
            if (kind == 0) {
                want = (c & 0xFFFF0000u) + ((c & 0xFFFF) >= fraction >> 7 ? 0x10000 : 0);
            } else if (kind == 1) {
                int e = (int)(mag >> 23) - 127;
                uint64_t fixed = e < -1 ? 0 : (uint64_t)((mag & 0x7FFFFFu) | 0x800000u);
                fixed = e < 0 ? fixed >> 1 : fixed << (e > 16 ? 16 : e);
                uint64_t whole = (fixed >> 23) + (e >= -1 && (fixed & 0x7FFFFFu) >= fraction);
                whole = whole > 32767 ? 32767 : whole;
                want = (uint32_t)whole | (whole ? c & TS_SIGN : 0);
            } else if (kind == 2) {
                uint64_t fixed = (uint64_t)mag << 23 >> 16;
                uint64_t whole = (fixed >> 23) + ((fixed & 0x7FFFFFu) >= fraction);
                want = whole > 255 ? 255 : (uint32_t)whole;
            } else {
                int top = 31 - __builtin_clz(mag);
                uint32_t norm = mag << (31 - top);
                want = (c & TS_SIGN) + ((uint32_t)(126 + top) << 23) + (norm >> 8) +
                       ((norm & 0xFE) > (random >> 9 & 0xFE));
            }
            ck_assert_msg(r.v.lreg[3][l] == want, "kind %u of %08x with %08x: %08x, not %08x", kind,
                          c, random, r.v.lreg[3][l], want);
            ck_assert_uint_eq(r.v.prng[l], state[l]);
        }
    }
}
END_TEST

// Registers chosen per lane by LReg 7.
START_TEST(indirect)
{
    struct rig r;
    rig_reset(&r);
    for (unsigned n = 0; n < 4; n++)
        rig_fill(&r, n, (uint32_t)(127 + n) << 23); // 1, 2, 4, 8
    for (unsigned l = 0; l < TS_LANES; l++)
        r.v.lreg[7][l] = 0xF0 | (l % 6 == 5 ? 12 : l % 6); // 12 cannot be written
    rig_fill(&r, 4, 0);
    ck_assert_int_eq(rig_run(&r, SFP3(SFPMAD, 15, 10, 9, 6, 4)), TS_VECTOR_OK); // VA indirect
    for (unsigned l = 0; l < TS_LANES; l++)
        ck_assert_uint_eq(r.v.lreg[6][l], l % 6 < 4    ? (127 + l % 6) << 23
                                          : l % 6 == 4 ? 0
                                                       : 0x3B000000u);
    struct ts_vector before = r.v;
    ck_assert_int_eq(rig_run(&r, SFP3(SFPADD, 10, 10, 10, 0, 8)), TS_VECTOR_OK); // VD indirect
    for (unsigned l = 0; l < TS_LANES; l++) {
        for (unsigned n = 0; n < TS_LREGS; n++)
            ck_assert_uint_eq(r.v.lreg[n][l],
                              l % 6 < 5 && n == l % 6 ? 0x40000000u : before.lreg[n][l]);
    }
}
END_TEST

// The three-entry FP16 table writes through LReg 7, by a hardware bug.
START_TEST(lut_three_entries)
{
    struct rig r;
    rig_reset(&r);
    rig_fill(&r, 1, 0x3C003800u); // 1.0 * x + 0.5
    rig_fill(&r, 3, 0x3FC00000u); // 1.5
    rig_fill(&r, 7, 5);
    ck_assert_int_eq(rig_run(&r, SFP16(SFPLUTFP32, 0, 2, 10)), TS_VECTOR_OK);
    ck_assert_uint_eq(r.v.lreg[5][31], 0x40000000u);
    ck_assert_uint_eq(r.v.lreg[2][31], 0);
}
END_TEST

static void number_lanes(struct rig *r)
{
    for (unsigned n = 0; n < 8; n++) {
        for (unsigned l = 0; l < TS_LANES; l++)
            r->v.lreg[n][l] = 100 * n + l;
    }
}

START_TEST(shuffles)
{
    struct rig r;
    for (unsigned mode = 0; mode < 3; mode++) {
        rig_reset(&r);
        number_lanes(&r);
        r.v.use = TS_ALL_LANES;
        r.v.flags = 0x0FFF0FF1u;
        ck_assert_int_eq(rig_run(&r, SFP(SFPSHFT2, 0, 5, 3, mode)), TS_VECTOR_OK);
        for (unsigned l = 0; l < TS_LANES; l++) {
            bool on = r.v.flags >> l & 1;
            for (unsigned n = 0; n < 3; n++)
                ck_assert_uint_eq(r.v.lreg[n][l], 100 * (on ? n + 1 : n) + l);
            uint32_t want[] = {0, l < 24 ? l + 8 : 0, 500 + (l & 7 ? l - 1 : l + 7)};
            ck_assert_uint_eq(r.v.lreg[3][l], on ? want[mode] : 300 + l);
        }
    }
    rig_reset(&r);
    ck_assert_int_eq(rig_run(&r, SFP(SFPSHFT2, 0, 5, 3, 7)), TS_VECTOR_MODE);
}
END_TEST

// SFPSWAP's remaining modes, with equal keys too: VD gets the minimum in some rows of lanes.
START_TEST(swaps)
{
    static const uint32_t min_rows[] = {[4] = 9, [5] = 1, [6] = 2, [7] = 4, [8] = 8, [12] = 0};
    for (unsigned mode = 4; mode <= 12; mode++) {
        struct rig r;
        rig_reset(&r);
        for (unsigned l = 0; l < TS_LANES; l++) {
            r.v.lreg[0][l] = l % 3 == 0 ? 0x80000000u : l;
            r.v.lreg[1][l] = l % 3 == 0 ? 0x80000005u : l % 3 == 1 ? 40 - l : l;
        }
        struct ts_vector before = r.v;
        ck_assert_int_eq(rig_run(&r, SFP(SFPSWAP, 0, 0, 1, mode)), TS_VECTOR_OK);
        for (unsigned l = 0; l < TS_LANES; l++) {
            uint32_t c = before.lreg[0][l], d = before.lreg[1][l];
            bool c_smaller = (c & TS_SIGN ? -(int64_t)(c & ~TS_SIGN) : (int64_t)c) <
                             (d & TS_SIGN ? -(int64_t)(d & ~TS_SIGN) : (int64_t)d);
            uint32_t rows_min = mode < 9 ? min_rows[mode] : 0;
            bool swap = rows_min >> l / 8 & 1 ? c_smaller : !c_smaller;
            ck_assert_uint_eq(r.v.lreg[0][l], swap ? d : c);
            ck_assert_uint_eq(r.v.lreg[1][l], swap ? c : d);
        }
    }
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, values);
    tcase_add_test(tcase, approximations);
    tcase_add_test(tcase, stochastic);
    tcase_add_test(tcase, indirect);
    tcase_add_test(tcase, lut_three_entries);
    tcase_add_test(tcase, shuffles);
    tcase_add_test(tcase, swaps);
}

SUITE("vector_ops", add_tests)
