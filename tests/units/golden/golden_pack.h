// Deterministic inputs for the golden tests of unpackers and packer: configuration, counters, words
// and L1.
#ifndef TENSIM_TESTS_GOLDEN_PACK_H
#define TENSIM_TESTS_GOLDEN_PACK_H

#include "tests/units/golden/golden.h"

#define GOLDEN_L1 0x10000u // bytes of L1 that the cases use

// L1 starts as these bytes in every case.
static inline void golden_l1(uint8_t *l1)
{
    struct golden_random r = {UINT64_C(0xD1B54A32D192ED03)};
    for (uint32_t i = 0; i < GOLDEN_L1; i += 4) {
        uint32_t w = golden_u32(&r);
        memcpy(l1 + i, &w, 4);
    }
}

// ---- unpackers ---------------------------------------------------------------------------------

// Formats in L1 and in the register file, and whether they go to Dst.
static const struct {
    uint8_t in, out, to_dst;
} golden_unpack_pairs[] = {
    {0, 1, 0},   {0, 4, 0}, {0, 5, 0}, {1, 1, 0}, {5, 5, 0},   {6, 6, 0},   {7, 7, 0},
    {15, 15, 0}, {9, 9, 0}, {8, 8, 1}, {0, 0, 1}, {10, 10, 0}, {14, 14, 0}, {0, 4, 1},
};
#define GOLDEN_UNPACK_PAIRS (sizeof golden_unpack_pairs / sizeof *golden_unpack_pairs)

struct golden_unpack {
    uint32_t cfg[224]; // only the words in `used` are set
    uint8_t used[224];
    uint16_t thd5, thd41;
    uint32_t adc[8]; // channel 0 x y z w, channel 1 x y z w
    uint32_t word;
    unsigned which;
};

static inline void golden_cfg(uint32_t *cfg, uint8_t *used, unsigned addr, uint32_t value)
{
    cfg[addr] = value;
    used[addr] = 1;
}

static inline void golden_unpack_case(struct golden_unpack *g, unsigned pair, unsigned i)
{
    struct golden_random r = {UINT64_C(0xA0761D6478BD642F) ^ (pair * 256u + i)};
    uint32_t draw[24];
    for (unsigned k = 0; k < 8; k++)
        golden_u32(&r);
    for (unsigned k = 0; k < 24; k++)
        draw[k] = golden_u32(&r) >> 8;
    memset(g, 0, sizeof *g);
    uint32_t in = golden_unpack_pairs[pair].in, out = golden_unpack_pairs[pair].out;
    bool to_dst = golden_unpack_pairs[pair].to_dst, small = in == 7 || in == 15;
    uint32_t which = to_dst ? 0 : draw[0] % 2, sec = 48 * which;
    uint32_t transpose = !to_dst && !which && draw[1] % 4 == 0, forced = draw[2] % 6 == 0;
    uint32_t tileize = !which && !small && draw[3] % 5 == 0, x_dim = 16 * (1 + draw[4] % 24);
    g->which = which;
    golden_cfg(g->cfg, g->used, 64 + sec, in | 1u << 4 | x_dim << 16);
    golden_cfg(g->cfg, g->used, 65 + sec, (1 + draw[5] % 3) | draw[6] % 4 << 16);
    golden_cfg(g->cfg, g->used, 72 + sec,
               out | transpose << 8 | tileize << 9 | (tileize ? draw[7] % 48 << 16 : 0));
    golden_cfg(g->cfg, g->used, 73 + sec, 3u | (to_dst ? 3u << 4 : 0) | forced << 8);
    golden_cfg(g->cfg, g->used, 71 + sec, draw[8] % 2 << 22); // FP8: e4m3
    golden_cfg(g->cfg, g->used, 1, draw[9] % 4 << 15);        // INT8: signs
    golden_cfg(g->cfg, g->used, 76 + sec, draw[10] % 0x200);
    golden_cfg(g->cfg, g->used, 77 + sec, draw[11] % 0x200);
    golden_cfg(g->cfg, g->used, 57 + 2 * which, draw[12] % 2 * 1024u);
    if (!which) {
        uint32_t row0 = to_dst ? 8 * (draw[13] % 20) : 8 * (draw[13] % 8),
                 row1 = 8 * (draw[14] % 8);
        golden_cfg(g->cfg, g->used, 86, x_dim | x_dim << 16);
        golden_cfg(g->cfg, g->used, 84, (64 + 16 * row0) | (64 + 16 * row1) << 16);
        golden_cfg(g->cfg, g->used, 50, draw[15] % 512);
        golden_cfg(g->cfg, g->used, 56, 64 * (draw[16] % 3) << 16);
    }
    g->thd5 = to_dst ? 0 : 4;
    g->thd41 = (uint16_t)(draw[17] % 2 << 8 * which);
    uint32_t count = draw[18] % 3 ? 16 * (1 + draw[19] % 48) : 1 + draw[19] % 200;
    uint32_t x = draw[20] % 3 ? 0 : draw[21] % 2 ? draw[21] / 2 % 4 * 16 : draw[21] / 2 % 40;
    uint32_t adc[8] = {
        x, draw[22] % 3, draw[22] / 3 % 2, 0, x + count - 1, draw[22] / 6 % 2, draw[22] / 12 % 2,
        0};
    memcpy(g->adc, adc, sizeof adc);
    g->word = 0x42000081u | which << 23 | (draw[23] & 255) << 15 | (draw[23] >> 8 & 1) << 6;
}

// ---- packer ------------------------------------------------------------------------------------

// 32-bit read << 8 | input format << 4 | output format: all conversions the reference knows.
static const uint16_t golden_pack_modes[] = {
    0x010, 0x011, 0x015, 0x01A, 0x026, 0x050, 0x055, 0x056, 0x057, 0x05F,
    0x060, 0x065, 0x066, 0x067, 0x099, 0x100, 0x101, 0x106, 0x107, 0x10F,
    0x111, 0x11A, 0x155, 0x166, 0x167, 0x188, 0x199, 0x1EE,
};
#define GOLDEN_PACK_MODES (sizeof golden_pack_modes / sizeof *golden_pack_modes)

struct golden_pack {
    uint16_t dst[1024][16];
    uint8_t valid[1024];
    uint32_t cfg[224];
    uint8_t used[224];
    uint16_t thd[4]; // SETC16 37 to 40
    uint32_t adc[8];
    uint32_t word[6];
    unsigned words;
};

static inline void golden_pack_case(struct golden_pack *g, unsigned mode, unsigned i)
{
    struct golden_random r = {UINT64_C(0xE7037ED1A0B428DB) ^ (mode * 256u + i)};
    uint32_t draw[40];
    for (unsigned k = 0; k < 8; k++)
        golden_u32(&r);
    for (unsigned k = 0; k < 40; k++)
        draw[k] = golden_u32(&r) >> 8;
    memset(g, 0, sizeof *g);
    uint32_t read32 = golden_pack_modes[mode] >> 8, in = golden_pack_modes[mode] >> 4 & 15,
             out = golden_pack_modes[mode] & 15, flags = 0;
    bool block = (out & 3) == 3 || out == 2 || out == 6, byte = out == 10 || out == 14;
    bool is_int = in == 8 || in == 9 || in == 14, edge = draw[0] % 3 == 0;
    if ((read32 && in == 1) || (in == 1 && out == 10 && draw[1] % 2))
        flags = 8; // through ten mantissa bits
    if (in == 14)
        flags = 2 * (draw[1] % 2);
    uint32_t accumulate = (out == 0 || out == 1 || out == 5) && draw[2] % 3 == 0;
    uint32_t relu = draw[3] % 3 || is_int ? 0 : draw[3] / 3 % 4;
    static const uint16_t thresholds[4] = {0x3C00, 0x3F80, 0x4000, 0x0123};
    static const uint8_t selects[7] = {0, 0, 0, 1, 3, 5, 10};
    static const uint16_t masks[3] = {0, 1, 0xFFFF};
    uint32_t select = selects[draw[4] % 7], bytes = (in & 3) == 0 ? 4 : (in & 3) == 1 ? 2 : 1;
    for (unsigned row = 0; row < 1024; row++) {
        unsigned kind = golden_below(&r, 5);
        g->valid[row] = golden_below(&r, 16) != 0;
        for (unsigned c = 0; c < 16; c++) {
            uint32_t x = golden_u32(&r), e = golden_below(&r, 34);
            g->dst[row][c] = (uint16_t)(kind == 0   ? x
                                        : kind == 1 ? (x & 0xFF00) | (110 + e)
                                        : kind == 2 ? (x & 0xFF00) | (250 + e % 6)
                                        : kind == 3 ? x & 0xFFE3
                                                    : (x & 0xFF00) | e % 4);
        }
    }
    golden_cfg(g->cfg, g->used, 1, in << 25);
    golden_cfg(g->cfg, g->used, 2, relu << 2 | (uint32_t)thresholds[draw[5] % 4] << 6);
    golden_cfg(g->cfg, g->used, 12, bytes | 16 * bytes << 16);
    golden_cfg(g->cfg, g->used, 13, draw[6] % 2 * 64 * bytes);
    golden_cfg(g->cfg, g->used, 14, draw[7] % 4 * 16 << 16);
    golden_cfg(g->cfg, g->used, 18, read32 | flags);
    golden_cfg(g->cfg, g->used, 20, edge ? draw[8] * 257 & 0x55555555u : 0);
    golden_cfg(g->cfg, g->used, 21, edge ? draw[9] * 257 & 0x55555555u : 0);
    golden_cfg(g->cfg, g->used, 24, edge ? masks[draw[10] % 3] | draw[11] % 2 << 17 : 0xFFFFu);
    golden_cfg(g->cfg, g->used, 25, edge ? masks[draw[12] % 3] : 0);
    golden_cfg(g->cfg, g->used, 28, (1 + draw[13] % 16) << 8 | 1u << 16 | 1u);
    golden_cfg(g->cfg, g->used, 68, (block ? 1 + draw[14] % 4 : byte ? draw[14] % 3 : 0) << 16);
    golden_cfg(g->cfg, g->used, 69, draw[15] % 0x800);
    golden_cfg(g->cfg, g->used, 70, 1u | out << 4 | in << 8);
    golden_cfg(g->cfg, g->used, 71, (out == 10 ? 1u << 23 : 0) | accumulate << 19);
    golden_cfg(g->cfg, g->used, 180, draw[16] % 900);
    for (unsigned k = 0; k < 4; k++) { // increments, carriage returns and clears of Y and Z
        uint32_t a = draw[17 + k], b = draw[21 + k];
        uint32_t clears = (uint32_t)(b % 4 == 0) << 5 | (uint32_t)(b / 4 % 4 == 0) << 11 |
                          (uint32_t)(b / 16 % 3 == 0) << 13;
        g->thd[k] = (uint16_t)(a % 15 | a / 15 % 2 << 4 | a / 30 % 3 << 6 | a / 90 % 2 << 12 |
                               clears);
    }
    bool eight = select == 1 && !block && !byte && draw[25] % 3 == 0;
    uint32_t adc[8] = {0, draw[26] % 8, draw[27] % 3, 0, eight ? 7 : 15, draw[28] % 4, 0, 0};
    memcpy(g->adc, adc, sizeof adc);
    g->words = 1 + draw[29] % 6;
    for (unsigned k = 0; k < g->words; k++)
        g->word[k] = 0x41000000u | draw[30 + k] % 4 << 15 | select << 8 | (k + 1 == g->words);
}

#endif
