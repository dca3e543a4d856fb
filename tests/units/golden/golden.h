// Deterministic inputs for the golden tests of the data path.
//
// A golden table holds hashes of what the vendor's functional reference made of these inputs: the
// tool that wrote the tables ran the reference on the states this header generates. The tests run
// our bodies on the same states.
#ifndef TENSIM_TESTS_GOLDEN_H
#define TENSIM_TESTS_GOLDEN_H

#include "platform/base/hash.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct golden_random {
    uint64_t state;
};

static inline uint32_t golden_u32(struct golden_random *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)(r->state >> 32);
}
static inline uint32_t golden_below(struct golden_random *r, uint32_t n)
{
    return (uint32_t)((uint64_t)golden_u32(r) * n >> 32);
}
static inline uint32_t golden_pick(struct golden_random *r, const uint8_t *from, uint32_t n)
{
    return from[golden_below(r, n)];
}

// A Src word: mode 0 any exponent, 1 ordinary numbers, 2 with zeros, 3 huge, 4 1..254, 5 near
// underflow of products, 6 near overflow, 7 extreme mantissas, 8 spread, 9 a few 255. Formats with
// 5-bit exponents fold the modes.
static inline uint32_t golden_src(struct golden_random *r, unsigned mode, bool e5)
{
    uint32_t sign = golden_u32(r) & 0x80000000u, man = golden_u32(r) & 0x7FE000u, e;
    if (e5) {
        switch (mode % 5) {
        case 0:
            e = golden_below(r, 32);
            break;
        case 1:
            e = 12 + golden_below(r, 6);
            break;
        case 2:
            e = golden_below(r, 3) ? golden_below(r, 32) : 0;
            break;
        case 3:
            e = golden_below(r, 4);
            break;
        default:
            e = 28 + golden_below(r, 4);
            break;
        }
        return sign | e << 23 | man;
    }
    switch (mode) {
    case 0:
        e = golden_below(r, 256);
        break;
    case 1:
        e = 121 + golden_below(r, 13);
        break;
    case 2:
        e = golden_below(r, 3) ? 120 + golden_below(r, 10) : 0;
        break;
    case 3:
        e = 250 + golden_below(r, 6);
        break;
    case 4:
        e = 1 + golden_below(r, 254);
        break;
    case 5:
        e = 56 + golden_below(r, 16);
        break;
    case 6:
        e = 186 + golden_below(r, 8);
        break;
    case 7:
        e = 127;
        man = golden_below(r, 2) ? 0 : 0x7FE000u;
        break;
    case 8:
        e = 97 + golden_below(r, 60);
        break;
    default:
        e = golden_below(r, 30) ? 124 + golden_below(r, 5) : 255;
        break;
    }
    return sign | e << 23 | man;
}

// ---- matrix unit -------------------------------------------------------------------------------

#define GOLDEN_OPS(X) \
    X(MVMUL)          \
    X(GAPOOL)         \
    X(ELWADD)         \
    X(ELWSUB)         \
    X(ELWMUL)         \
    X(GMPOOL) X(MOVA2D) X(MOVB2D) X(MOVD2A) X(MOVD2B) X(MOVB2A) X(TRNSPSRCB) X(ZEROACC) X(ZEROSRC)
enum golden_op {
#define X(name) GOLDEN_##name,
    GOLDEN_OPS(X)
#undef X
        GOLDEN_OP_COUNT
};

struct golden_matrix {
    uint32_t a[2][64][16], b[2][64][16];
    uint16_t dst[1024][16];
    uint8_t valid[1024];
    uint32_t cfg[3]; // cfg words 0 to 2
    uint32_t cfg220;
    uint16_t implied[2]; // SETC16 2 and 3
    uint32_t rwc_a, rwc_b, rwc_d, phase;
    uint32_t format_a, format_b; // recorded in the banks
    uint32_t word;
};

// Formats that the reference takes for both operands.
static const uint8_t golden_formats[] = {5, 4, 1, 14, 6, 0, 10, 7};

static inline uint32_t golden_matrix_word(struct golden_matrix *g, struct golden_random *r,
                                          unsigned op, bool dst32)
{
    uint32_t lo = !golden_below(r, 4), half = 4 * golden_below(r, 2);
    uint32_t accumulate = golden_below(r, 2), broadcast = golden_below(r, 4);
    switch (op) {
    case GOLDEN_MVMUL:
        g->rwc_a &= 0x30;
        return 0x26000000u;
    case GOLDEN_GAPOOL:
        g->rwc_a &= 0x30;
        g->rwc_d += half;
        return 0x34080000u;
    case GOLDEN_ELWADD:
        g->phase = 0;
        return 0x28000000u | accumulate << 21 | broadcast << 19;
    case GOLDEN_ELWSUB:
        g->phase = 0;
        return 0x30000000u | accumulate << 21 | broadcast << 19;
    case GOLDEN_ELWMUL:
        return 0x27000000u | broadcast << 19;
    case GOLDEN_GMPOOL:
        g->rwc_a &= 0x30;
        g->rwc_d += half;
        for (unsigned row = 0; row < 64; row += 8) // the reference only knows a scale of one
            for (unsigned c = 0; c < 16; c++)
                g->b[0][row][c] = 0x3F800000u;
        return 0x33080000u;
    case GOLDEN_MOVA2D:
        return 0x12002000u | lo << 23;
    case GOLDEN_MOVB2D: {
        uint32_t mod = 2 + golden_below(r, 4);
        if (mod >= 4) {
            g->rwc_d += half;
            g->rwc_b += 4 * golden_below(r, 2);
        }
        return 0x13000000u | lo << 23 | mod << 11;
    }
    case GOLDEN_MOVD2A:
        g->rwc_a += half;
        g->rwc_d += 4 * golden_below(r, 2);
        return 0x08002000u | lo << 23;
    case GOLDEN_MOVD2B:
        g->rwc_b += half;
        g->rwc_d += 4 * golden_below(r, 2);
        return 0x0A000000u | lo << 23 | golden_below(r, 2) << 13;
    case GOLDEN_MOVB2A:
        g->rwc_a += half;
        g->rwc_b += 4 * golden_below(r, 2);
        return 0x0B002000u;
    case GOLDEN_TRNSPSRCB:
        return 0x16000000u;
    case GOLDEN_ZEROACC: {
        uint32_t mode = golden_below(r, 4), wide = mode == 1 || mode == 2 ? golden_below(r, 2) : 0;
        uint32_t where = mode == 0   ? golden_below(r, dst32 ? 400 : 900)
                         : mode == 1 ? golden_below(r, wide ? 16 : 32)
                         : mode == 2 ? golden_below(r, 2)
                                     : 0;
        g->rwc_d = golden_below(r, 100);
        g->cfg220 = golden_below(r, 2) << 3;
        return 0x10000000u | mode << 19 | wide << 18 | where;
    }
    default: { // ZEROSRC
        uint32_t both = golden_below(r, 2);
        return 0x11000000u | (both ? 7u : 8u | (1 + golden_below(r, 3)));
    }
    }
}

// State and word of iteration `i` of (op, format index, width of Dst).
static inline void golden_matrix_case(struct golden_matrix *g, unsigned op, unsigned format,
                                      bool dst32, unsigned i)
{
    struct golden_random r = {UINT64_C(0x9E3779B97F4A7C15) ^
                              (op * 4096u + format * 512u + dst32 * 256u + i)};
    for (unsigned k = 0; k < 8; k++)
        golden_u32(&r);
    memset(g, 0, sizeof *g);
    g->format_a = g->format_b = golden_formats[format];
    bool e5 = g->format_a == 1 || g->format_a == 10 || g->format_a == 14;
    if (!e5) {
        static const uint8_t wide[4] = {5, 4, 6, 0};
        g->format_b = golden_pick(&r, wide, 4);
    }
    bool int8 = g->format_a == 14 && op <= GOLDEN_ELWMUL;
    bool move = op >= GOLDEN_MOVA2D && op <= GOLDEN_MOVB2A;
    g->cfg[1] = g->format_a << 17 | g->format_b << 21 | (uint32_t)dst32 << 29 |
                (uint32_t)int8 << 31;
    g->cfg[2] = move ? golden_below(&r, 2) : 0;
    g->implied[0] = (uint16_t)golden_below(&r, 2);
    g->implied[1] = (uint16_t)golden_below(&r, 2);
    unsigned mode_a = golden_below(&r, 10),
             mode_b = golden_below(&r, 3) ? mode_a : golden_below(&r, 10);
    for (unsigned bank = 0; bank < 2; bank++)
        for (unsigned row = 0; row < 64; row++)
            for (unsigned c = 0; c < 16; c++) {
                g->a[bank][row][c] = golden_src(&r, mode_a, e5);
                g->b[bank][row][c] = golden_src(&r, mode_b, e5);
            }
    for (unsigned row = 0; row < 1024; row++) {
        unsigned kind = golden_below(&r, 4);
        g->valid[row] = golden_below(&r, 12) != 0;
        for (unsigned c = 0; c < 16; c++) {
            uint32_t any = golden_u32(&r), e = 118 + golden_below(&r, 20);
            g->dst[row][c] = (uint16_t)(kind == 0 ? any : kind == 1 ? 0 : (any & 0xFF00u) | e);
        }
    }
    g->rwc_a = 8 * golden_below(&r, 8);
    g->rwc_b = 8 * golden_below(&r, 8);
    g->rwc_d = 8 * golden_below(&r, dst32 ? 60 : 120);
    g->phase = golden_below(&r, 4);
    g->word = golden_matrix_word(g, &r, op, dst32);
}

#endif
