// Truth table: matrix unit, vector unit, packer.
//
//   phase A    blocks of 64 inline words, slope over the number of blocks (as in control)
//   slope      16 inline words and a loop, slope over the iterations, loop included
//   total      the same from marker to marker, with STALLWAIT and the PC buffer's sync
//   batch      a MOP of REPLAYs, then STALLWAIT and sync, marker to marker
//   pairs      matrix and vector instructions that share Dst: slope of REPLAYs in a MOP
//   pack       a MOP of PACRs in a loop, drained each time
#include "platform/study/silicon/probe.h"

#include <stdio.h>

#define OP(name)       ((uint32_t)TS_OP_##name << 24)
#define REPLAY(n, rec) (OP(REPLAY) | (uint32_t)(n) << 4 | (rec))
#define SETC16(r, v)   (OP(SETC16) | (uint32_t)(r) << 16 | (v))
#define SETDVALID      (OP(SETDVALID) | 3)
#define C_PACK         (1u << 3)
#define C_MATRIX       (1u << 4)
#define C_VECTOR       (1u << 11)

#define MARKER_PAD 3

enum kind { PHASE_A, SLOPE, TOTAL, BATCH, PAIRS, THREADS2, SCALE, PACK };

struct row {
    struct ts_silicon_row base;
    enum kind kind;
    uint32_t words[8]; // the body, or matrix and vector instruction
    unsigned count;    // words; 0: one
    unsigned n;        // threads, iterations, or size of a group
    bool flag;         // phase A: T1 walks through Dst; slope: fusion on; pack: 32-bit output
};

static unsigned body_of(const struct row *r)
{
    return r->count ? r->count : 1;
}

static void loop_end(struct ts_rvasm *p, unsigned top)
{
    addi(p, T2, T2, -1);
    bnez(p, T2, top);
}

// A word that is pushed by a store, as the probes do outside their bodies.
static void pushed_word(struct ts_rvasm *p, uint32_t word)
{
    li(p, T0, word);
    sw(p, T0, A0, 0);
}

// STALLWAIT on the unit and the PC buffer's sync, as the probes end.
static void drain(struct ts_rvasm *p, uint32_t condition)
{
    pushed_word(p, OP(STALLWAIT) | 0x1ffu << 15 | condition);
    wait_for_drain(p);
}

// A marker: two words of the wall clock. The published probes' empty pair takes 12 cycles.
static void marker(struct ts_rvasm *p)
{
    lw(p, A2, S0, 0x1f0);
    lw(p, T1, S0, 0x1f4);
    ts_rvasm(p, TS_RV_ANDI, T1, T1, 0, 0);
    for (unsigned i = 0; i < MARKER_PAD; i++)
        addi(p, ZERO, ZERO, 0);
}

static void fusion(struct ts_rvasm *p, bool on)
{
    if (on) {
        li(p, T0, 1u << 18);
        ts_rvasm(p, TS_RV_CSRRC, 0, T0, 0, CSR_CFG0);
    }
}

static double phase_a(struct probe *probe, const struct row *r, unsigned blocks)
{
    struct ts_rvasm *p = probe->p;
    unsigned first = r->n == 1 ? 1 : 0;
    for (unsigned t = first; t < first + r->n; t++) {
        begin(&p[t]);
        if (t == first) // both banks of both files are the matrix unit's for good
            inline_word(&p[t], SETDVALID);
        if (t == 1 && r->flag)
            inline_word(&p[t], SETC16(28, 8)); // ADDR_MOD 0: Dst += 8
        li(&p[t], T2, blocks);
        lw(&p[t], A2, S0, 0x1f0);
        unsigned top = p[t].count;
        for (unsigned i = 0; r->words[0] && i < 64; i++)
            inline_word(&p[t], r->words[0]);
        loop_end(&p[t], top);
        finish(&p[t], t);
    }
    return probe_run(probe, first, r->n);
}

static double inline_loop(struct probe *probe, const struct row *r, unsigned iterations, bool total)
{
    struct ts_rvasm *q = &probe->p[1];
    begin(q);
    fusion(q, r->flag);
    li(q, T2, iterations);
    marker(q);
    unsigned top = q->count;
    for (unsigned i = 0; r->words[0] && i < 16; i++)
        for (unsigned k = 0; k < (r->count == 2 ? 2 : 1); k++)
            inline_word(q, r->count == 2 ? r->words[k] : r->words[i % body_of(r)]);
    loop_end(q, top);
    if (total)
        drain(q, C_VECTOR);
    finish(q, 1);
    return probe_run(probe, 1, 1);
}

static void record(struct ts_rvasm *p, const uint32_t *words, unsigned count)
{
    inline_word(p, REPLAY(count, 1));
    for (unsigned i = 0; i < count; i++)
        inline_word(p, words[i]);
}

// A MOP of `inner` REPLAYs of `length` words.
static void mop(struct ts_rvasm *p, unsigned inner, unsigned length)
{
    const uint32_t nop = OP(NOP), body = REPLAY(length, 0);
    const uint32_t cfg[9] = {1, inner, nop, nop, nop, body, nop, body, body};
    li(p, A3, 0xffb80000);
    for (unsigned i = 0; i < 9; i++) {
        li(p, T0, cfg[i]);
        sw(p, T0, A3, (int)(4 * i));
    }
}

// `inner` REPLAYs of the words by one MOP. With a 32-bit Dst, as the probes have it.
static double replays(struct probe *probe, unsigned thread, const uint32_t *words, unsigned count,
                      unsigned inner, uint32_t condition)
{
    struct ts_rvasm *q = &probe->p[thread];
    begin(q);
    li(q, T0, 0xffef0000);
    li(q, T1, 1u << 29);
    sw(q, T1, T0, 4); // Fp32_enabled
    inline_word(q, SETDVALID);
    if (inner) {
        record(q, words, count);
        mop(q, inner, count);
    }
    wait_for_drain(q);
    marker(q);
    if (inner) {
        pushed_word(q, OP(MOP) | 1u << 23);
        drain(q, condition);
    }
    finish(q, thread);
    return probe_run(probe, thread, 1);
}

static double batch(struct probe *probe, const struct row *r)
{
    return replays(probe, 1, r->words, body_of(r), r->n, C_MATRIX);
}

// Groups of n matrix and n vector instructions in one thread; Dst tiles differ.
static double pairs(struct probe *probe, const struct row *r)
{
    uint32_t words[32];
    unsigned n = r->n < 16 ? r->n : 16;
    for (unsigned i = 0; i < 32; i++) {
        bool vector = i / n & 1;
        uint32_t block = i / (2 * n) * n + i % n; // the matrix unit walks through a tile
        words[i] = r->words[vector] + (vector ? 0 : 64 + 8 * (block % 8));
    }
    return (replays(probe, 1, words, 32, 96, C_MATRIX | C_VECTOR) -
            replays(probe, 1, words, 32, 32, C_MATRIX | C_VECTOR)) /
           (64 * 16);
}

// The matrix unit from T1 and the vector unit from T2 at once.
static double two_threads(struct probe *probe, const struct row *r, unsigned inner)
{
    struct ts_rvasm *p = probe->p;
    for (unsigned t = 1; t < 3; t++) {
        struct ts_rvasm *q = &p[t];
        uint32_t words[16];
        for (unsigned i = 0; i < 16; i++)
            words[i] = r->words[t - 1] + (t == 1 ? 64 + 8 * (i % 8) : 0);
        begin(q);
        if (t == 1) {
            li(q, T0, 0xffef0000);
            li(q, T1, 1u << 29);
            sw(q, T1, T0, 4);
            inline_word(q, SETDVALID);
        }
        record(q, words, 16);
        mop(q, inner, 16);
        wait_for_drain(q);
        lw(q, A2, S0, 0x1f0);
        pushed_word(q, OP(MOP) | 1u << 23);
        drain(q, C_MATRIX | C_VECTOR);
        finish(q, t);
    }
    return probe_run(probe, 1, 2);
}

// 256 vectors of Dst times 2: the body once for each, by REPLAY and MOP.
static double scale(struct probe *probe, const struct row *r)
{
    uint32_t words[32];
    unsigned body = body_of(r), vectors = 32 / body;
    for (unsigned i = 0; i < vectors * body; i++)
        words[i] = r->words[i % body];
    return replays(probe, 1, words, vectors * body, 256 / vectors, C_VECTOR);
}

// A loop of packs of r->n PACRs, drained each time.
static double pack(struct probe *probe, const struct row *r)
{
    enum { PACKS = 32 };
    struct ts_rvasm *q = &probe->p[2];
    const struct {
        unsigned index;
        uint32_t value;
    } cfg[] = {
        {12, 2 | 32u << 16},
        {24, 0xffff},
        {28, 16u << 8 | 1u << 16 | 1},
        {69, (0x30000 >> 4) - 1},
        {70, r->flag ? 1 | 0 << 4 | 0 << 8 : 1 | 5 << 4 | 5 << 8}, // BF16, or FP32 from FP32
        {18, r->flag ? 1 : 0},                                     // Read_32b_data
        {1, r->flag ? 0 : 5u << 25},
    };
    begin(q);
    li(q, A3, 0xffef0000);
    for (unsigned i = 0; i < sizeof cfg / sizeof *cfg; i++) {
        li(q, T0, cfg[i].value);
        sw(q, T0, A3, (int)(4 * cfg[i].index));
    }
    inline_word(q, OP(SETADCXX) | 4u << 21 | 15 << 10);
    inline_word(q, SETC16(37, 4));
    inline_word(q, SETC16(38, 1 << 5));
    const uint32_t nop = OP(NOP), body = OP(PACR) | r->words[0] << 8,
                   last = OP(PACR) | r->words[0] << 8 | 1u << 15 | 1;
    const uint32_t words[9] = {1, r->n, nop, nop, nop, body, nop, last, last};
    li(q, A3, 0xffb80000);
    for (unsigned i = 0; i < 9; i++) {
        li(q, T0, words[i]);
        sw(q, T0, A3, (int)(4 * i));
    }
    wait_for_drain(q);
    li(q, T2, PACKS);
    lw(q, A2, S0, 0x1f0);
    unsigned top = q->count;
    pushed_word(q, OP(MOP) | 1u << 23);
    drain(q, C_PACK);
    loop_end(q, top);
    finish(q, 2);
    return probe_run(probe, 2, 1) / PACKS;
}

static double simulate(struct probe *probe, const struct row *r)
{
    struct row empty = *r;
    switch (r->kind) {
    case PHASE_A:
        empty.words[0] = 0;
        return (phase_a(probe, r, 60) - phase_a(probe, r, 20) - phase_a(probe, &empty, 60) +
                phase_a(probe, &empty, 20)) /
               (40 * 64);
    case SLOPE:
        return (inline_loop(probe, r, 256, false) - inline_loop(probe, r, 64, false)) / (192 * 16);
    case TOTAL:
        return inline_loop(probe, r, r->n, true);
    case BATCH:
        return batch(probe, r);
    case PAIRS:
        return pairs(probe, r);
    case THREADS2:
        return (two_threads(probe, r, 96) - two_threads(probe, r, 32)) / (64 * 16);
    case SCALE:
        return scale(probe, r);
    default:
        return pack(probe, r);
    }
}

// ---- instructions of the probes

#define ELWADD                     OP(ELWADD)
#define ELWMUL                     OP(ELWMUL)
#define MVMUL                      OP(MVMUL)
#define MOVA2D_8                   (OP(MOVA2D) | 2 << 12)
#define SFP(name, vb, vc, vd, mod) (OP(name) | (vb) << 12 | (vc) << 8 | (vd) << 4 | (mod))
#define SFPADD(a, c, d)            (OP(SFPADD) | 10u << 16 | (a) << 12 | (c) << 8 | (d) << 4)
#define SFPMUL(a, d)               (OP(SFPMUL) | (a) << 16 | 10 << 12 | 9 << 8 | (d) << 4)
#define SFPMAD(a, d)               (OP(SFPMAD) | (a) << 16 | 10 << 12 | 9 << 8 | (d) << 4)
#define SFPLOAD(d)                 (OP(SFPLOAD) | (uint32_t)(d) << 20 | 3u << 16 | 7 << 13)
#define SFPSTORE(d)                (OP(SFPSTORE) | (uint32_t)(d) << 20 | 3u << 16 | 7 << 13)
#define SFPNOP                     OP(SFPNOP)
#define SWAP                       SFP(SFPSWAP, 0, 1, 0, 0)
#define SHUFFLE                    SFP(SFPSHFT2, 0, 0, 1, 3)

#define R(name, how, value, length, size, bit, why, ...)                    \
    {                                                                       \
        .base = {.id = name, .measured = value, .cause = why}, .kind = how, \
        .words = {__VA_ARGS__}, .count = length, .n = size, .flag = bit     \
    }
#define A(name, word, threads, walks, value) R(name, PHASE_A, value, 0, threads, walks, NULL, word)
#define B(name, fused, value, ...)           R(name, SLOPE, value, 0, 0, fused, NULL, __VA_ARGS__)
#define B4(name, fused, value, ...)          R(name, SLOPE, value, 4, 0, fused, NULL, __VA_ARGS__)
#define T(name, size, value, ...)            R(name, TOTAL, value, 0, size, 1, NULL, __VA_ARGS__)
#define T4(name, size, value, ...)           R(name, TOTAL, value, 4, size, 1, NULL, __VA_ARGS__)
#define M(name, size, value, length, ...)    R(name, BATCH, value, length, size, 0, NULL, __VA_ARGS__)
#define P(name, a, b, size, value)           R(name, PAIRS, value, 0, size, 0, NULL, a, b)

static const struct row rows[] = {
    A("S0004", ELWADD, 1, 0, 5.976), A("S0005", ELWMUL, 1, 0, 5.974),
    A("S0008", MVMUL, 1, 0, 5.989), A("S0014", SFPADD(0, 9, 1), 1, 0, 0.998),
    A("S0015", SFPMAD(0, 1), 1, 0, 0.998), A("S0017", SFPMUL(0, 1), 1, 0, 0.998),
    A("S0018", SFPNOP, 1, 0, 0.998), A("S0023", ELWADD, 2, 0, 11.969),
    A("S0024", ELWMUL, 2, 0, 11.971), A("S0027", MVMUL, 2, 0, 12.012),
    A("S0032", OP(SFPABS), 2, 0, 1.968), A("S0034", SFPMAD(0, 1), 2, 0, 1.969),
    A("S0035", OP(SFPMOV), 2, 0, 1.969), A("S0037", SFPNOP, 2, 0, 1.969),
    A("S0042", ELWADD, 3, 0, 17.968), A("S0046", MVMUL, 3, 0, 18.033),
    A("S0052", SFPADD(0, 9, 1), 3, 0, 2.971), A("S0053", SFPMAD(0, 1), 3, 0, 2.974),
    A("S0055", SFPMUL(0, 1), 3, 0, 2.971), A("S0067", ELWADD, 1, 1, 0.998),
    A("S0068", ELWMUL, 1, 1, 0.998), A("S0071", MVMUL, 1, 1, 0.998),
    A("S0077", SFPADD(0, 9, 1), 1, 0, 0.998), A("S0078", SFPMAD(0, 1), 1, 0, 0.998),
    A("S0080", SFPMUL(0, 1), 1, 0, 0.998), A("S0081", SFPNOP, 1, 0, 0.998),
    A("S0086", ELWADD, 2, 1, 6.067), A("S0087", ELWMUL, 2, 1, 6.066),
    A("S0090", MVMUL, 2, 1, 6.077), A("S0095", OP(SFPABS), 2, 0, 1.969),
    A("S0097", SFPMAD(0, 1), 2, 0, 1.969), A("S0098", OP(SFPMOV), 2, 0, 1.969),
    A("S0100", SFPNOP, 2, 0, 1.969), A("S0105", ELWADD, 3, 1, 12.063),
    A("S0109", MVMUL, 3, 1, 12.103), A("S0115", SFPADD(0, 9, 1), 3, 0, 2.969),
    A("S0116", SFPMAD(0, 1), 3, 0, 2.969), A("S0118", SFPMUL(0, 1), 3, 0, 2.969),
    B("B0096", 0, 0.125, 0), B("B0097", 1, 0.125, 0), B("B0098", 0, 1.125, SFPNOP),
    B("B0099", 1, 1.0, SFPNOP), B("B0100", 0, 1.125, OP(SFPLOADI)),
    B("B0101", 1, 1.0, OP(SFPLOADI)), B("B0102", 0, 1.125, OP(SFPMOV)),
    B("B0103", 1, 1.0, OP(SFPMOV)), B("B0104", 0, 1.125, OP(SFPIADD)),
    B("B0105", 1, 1.0, OP(SFPIADD)), B("B0106", 0, 2.0, SFPADD(0, 9, 0)),
    B("B0107", 1, 2.0, SFPADD(0, 9, 0)), B("B0110", 0, 2.0, SFPMUL(0, 0)),
    B("B0111", 1, 2.0, SFPMUL(0, 0)),
    B4("B0112", 0, 1.125, SFPMUL(0, 0), SFPMUL(1, 1), SFPMUL(2, 2), SFPMUL(3, 3)),
    B4("B0113", 1, 1.0, SFPMUL(0, 0), SFPMUL(1, 1), SFPMUL(2, 2), SFPMUL(3, 3)),
    B("B0114", 0, 2.0, SFPMAD(0, 0)), B("B0115", 1, 2.0, SFPMAD(0, 0)),
    B4("B0116", 0, 1.125, SFPMAD(0, 0), SFPMAD(1, 1), SFPMAD(2, 2), SFPMAD(3, 3)),
    B4("B0117", 1, 1.0, SFPMAD(0, 0), SFPMAD(1, 1), SFPMAD(2, 2), SFPMAD(3, 3)),
    B("B0118", 0, 1.125, OP(SFPARECIP)), B("B0119", 1, 1.0, OP(SFPARECIP)),
    B("B0120", 0, 2.0, OP(SFPMUL24) | 10u << 12 | 9 << 8),
    B("B0121", 1, 2.0, OP(SFPMUL24) | 10u << 12 | 9 << 8), B("B0124", 0, 1.125, OP(SFPTRANSP)),
    B("B0125", 1, 1.0, OP(SFPTRANSP)), B("B0126", 0, 2.0, SWAP), B("B0127", 1, 2.0, SWAP),
    B("B0130", 0, 2.0, SHUFFLE), B("B0131", 1, 2.0, SHUFFLE),
    R("B0132", SLOPE, 2.125, 2, 0, 0, NULL, SHUFFLE, SFPNOP),
    R("B0133", SLOPE, 2.0, 2, 0, 1, NULL, SHUFFLE, SFPNOP),
    B("B0134", 0, 1.125, SFP(SFPSHFT2, 0, 0, 1, 5)), B("B0135", 1, 1.0, SFP(SFPSHFT2, 0, 0, 1, 5)),
    B("B0136", 0, 1.125, OP(SFPSETCC)), B("B0137", 1, 1.0, OP(SFPSETCC)),
    B("B0138", 0, 1.125, OP(SFPENCC)), B("B0139", 1, 1.0, OP(SFPENCC)), T("B0142", 64, 158, 0),
    T("B0143", 128, 286, 0), T("B0144", 256, 542, 0), T("B0146", 128, 2080, SFPNOP),
    T("B0148", 64, 1056, OP(SFPLOADI)), T("B0149", 128, 2080, OP(SFPLOADI)),
    T("B0150", 256, 4128, OP(SFPLOADI)), T("B0151", 64, 1056, OP(SFPMOV)),
    T("B0153", 256, 4128, OP(SFPMOV)), T("B0154", 64, 1056, OP(SFPIADD)),
    T("B0156", 256, 4128, OP(SFPIADD)), T("B0157", 64, 2075, SFPADD(0, 9, 0)),
    T("B0159", 256, 8219, SFPADD(0, 9, 0)),
    T4("B0160", 64, 1057, SFPADD(0, 9, 0), SFPADD(1, 9, 1), SFPADD(2, 9, 2), SFPADD(3, 9, 3)),
    T4("B0161", 128, 2081, SFPADD(0, 9, 0), SFPADD(1, 9, 1), SFPADD(2, 9, 2), SFPADD(3, 9, 3)),
    T4("B0162", 256, 4129, SFPADD(0, 9, 0), SFPADD(1, 9, 1), SFPADD(2, 9, 2), SFPADD(3, 9, 3)),
    T("B0163", 64, 2075, SFPMUL(0, 0)), T("B0164", 128, 4123, SFPMUL(0, 0)),
    T("B0165", 256, 8219, SFPMUL(0, 0)),
    T4("B0166", 64, 1057, SFPMUL(0, 0), SFPMUL(1, 1), SFPMUL(2, 2), SFPMUL(3, 3)),
    T4("B0167", 128, 2081, SFPMUL(0, 0), SFPMUL(1, 1), SFPMUL(2, 2), SFPMUL(3, 3)),
    T4("B0168", 256, 4129, SFPMUL(0, 0), SFPMUL(1, 1), SFPMUL(2, 2), SFPMUL(3, 3)),
    T("B0169", 64, 2075, SFPMAD(0, 0)), T("B0170", 128, 4123, SFPMAD(0, 0)),
    T("B0171", 256, 8219, SFPMAD(0, 0)),
    T4("B0174", 256, 4129, SFPMAD(0, 0), SFPMAD(1, 1), SFPMAD(2, 2), SFPMAD(3, 3)),
    T("B0175", 64, 1056, OP(SFPARECIP)), T("B0176", 128, 2080, OP(SFPARECIP)),
    T("B0177", 256, 4128, OP(SFPARECIP)),
    R("B0406 marker", BATCH, 12, 0, 0, 0, NULL, 0), // the note of B0406
    M("B0406", 16, 119.5, 1, ELWADD), M("B0407", 16, 119.5, 1, OP(ELWSUB)),
    M("B0408", 16, 215.5, 2, ELWMUL, ELWMUL), M("B0410", 16, 215.5, 2, OP(GAPOOL), OP(GAPOOL)),
    M("B0411", 16, 119.5, 1, OP(GMPOOL) | 1u << 19),
    M("B0412", 16, 156, 8, OP(ZEROACC), OP(ZEROACC), OP(ZEROACC), OP(ZEROACC), OP(ZEROACC),
      OP(ZEROACC), OP(ZEROACC), OP(ZEROACC)),
    M("B0413", 16, 50.5, 1, MOVA2D_8),
    M("B0414", 16, 59, 2, OP(MOVB2D) | 4 << 11, OP(MOVB2D) | 4 << 11 | 4),
    M("B0416", 16, 59, 2, OP(MOVD2B) | 2 << 12, OP(MOVD2B) | 2 << 12 | 4),
    M("B0417", 1, 29, 1, ELWADD), M("B0418", 1, 29, 1, OP(ELWSUB)),
    M("B0419", 1, 36, 2, ELWMUL, ELWMUL), M("B0420", 1, 29, 1, MVMUL),
    M("B0422", 1, 36, 2, OP(GAPOOL), OP(GAPOOL)), M("B0423", 1, 29, 1, OP(GMPOOL) | 1u << 19),
    M("B0424", 1, 35, 8, OP(ZEROACC), OP(ZEROACC), OP(ZEROACC), OP(ZEROACC), OP(ZEROACC),
      OP(ZEROACC), OP(ZEROACC), OP(ZEROACC)),
    M("B0426", 1, 29, 2, OP(MOVB2D) | 4 << 11, OP(MOVB2D) | 4 << 11 | 4),
    M("B0427", 1, 29, 2, OP(MOVD2A) | 2 << 12, OP(MOVD2A) | 2 << 12 | 4),
    // Two of a kind: the card's cycles are for one.
    P("B0560", MOVA2D_8, MOVA2D_8, 1, 2 * 1.5), P("B0561", SFPLOAD(0), SFPLOAD(0), 1, 2 * 1.0),
    P("B0564", MOVA2D_8, SFPLOAD(0), 1, 7.25), P("B0567", MOVA2D_8, SFPSTORE(0), 1, 7.25),
    P("B0570", ELWMUL, SFPLOAD(0), 1, 8),
    R("B0574", THREADS2, 2, 0, 0, 0, NULL, ELWMUL, SFPSTORE(0)),
    R("B0565", THREADS2, 5.5, 0, 0, 0, NULL, MOVA2D_8, SFPLOAD(0)),
    R("B0577", THREADS2, 2, 0, 0, 0, NULL, MOVA2D_8, SFPMAD(0, 0)),
    R("B0580", THREADS2, 2, 0, 0, 0, NULL, ELWMUL, SFPMAD(0, 0)),
    R("B0526", SCALE, 1054, 4, 0, 0, NULL, SFPLOAD(0), SFPMUL(0, 0), SFPNOP, SFPSTORE(0)),
    R("B0529", SCALE, 1377, 5, 0, 0, NULL, SFPLOAD(0), SFPMUL(0, 0), SFPNOP, SFPSTORE(0),
      OP(INCRWC)),
    R("B0509", PACK, 65.0, 0, 32, 0, NULL, 1), R("B0510", PACK, 41.1, 0, 8, 0, NULL, 15),
    R("B0524", PACK, 104, 0, 64, 0, NULL, 1), // the further passes: (428 - 116) / 3
    R("B0522", PACK, 168, 0, 64, 1, NULL, 1), // and (684 - 180) / 3
};

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    struct probe probe = {.context = context, .error = error};
    *simulated = simulate(&probe, (const struct row *)base);
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    const struct row *row = (const struct row *)base;
    const char *flag = !row->flag             ? ""
                       : row->kind == PHASE_A ? ", walking through Dst"
                       : row->kind == SLOPE   ? ", fusion on"
                       : row->kind == PACK    ? ", 32-bit output"
                                              : "";
    const char *name = row->words[0] == 0  ? "nothing"
                       : row->kind == PACK ? "PACR"
                                           : ts_op_info[row->words[0] >> 24].name;
    char *to = text->workload;
    size_t size = sizeof text->workload;
    text->metric = "cycles";
    switch (row->kind) {
    case PHASE_A:
        snprintf(to, size, "blocks of 64 %s on %u TRISC%s", name, row->n, flag);
        text->metric = "cycles per instruction";
        break;
    case SLOPE:
        snprintf(to, size, "16 inline %s in a loop%s", name, flag);
        text->metric = "cycles per instruction, loop included";
        break;
    case TOTAL:
        snprintf(to, size, "16 inline %s, %u times, drained", name, row->n);
        break;
    case BATCH:
        snprintf(to, size, "MOP of %u REPLAYs of %s, drained", row->n, name);
        break;
    case PAIRS:
        snprintf(to, size, "%s and a VECTOR access, groups of %u", name, row->n);
        text->metric = "cycles per pair";
        break;
    case THREADS2:
        snprintf(to, size, "%s on T1 beside a VECTOR instruction on T2", name);
        text->metric = "cycles per pair";
        break;
    case SCALE:
        snprintf(to, size, "256 vectors of Dst scaled by bodies of %u", row->count);
        break;
    case PACK:
        snprintf(to, size, "packs of %u PACR, drained each%s", row->n, flag);
        text->metric = "cycles per pack";
        break;
    }
}

const struct ts_silicon_family ts_silicon_datapath = {
    .name = "datapath",
    .title = "matrix unit, vector unit, packer",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.03,
    .p90 = 0.10,
    .groups = "riscv tensix",
};
