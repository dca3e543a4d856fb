// Truth table: unpackers, packer, and what both take on the way to and from Dst.
//
//   packs      512 FP32 values of Dst to BF16 in L1, 32 times: REPLAYs of PACRs between counter
//              updates and drains, with the address set each time or once
//   passes     1024 values by a MOP of PACRs between two markers, overwriting or accumulating in L1
//   paths      FP32 from L1 to Dst: straight, or by SrcA or SrcB and moves; from the launch to the
//              matrix thread's answer
//
// The probes are those of blackhole-py (tests/movement), written again from their descriptions. The
// interval of a path ends when the unpacker's own thread has drained: its SEMGET is not held by the
// wait before it, which blocks unpackers only.
#include "platform/study/silicon/probe.h"

#include <stdio.h>

#define OP(name)           ((uint32_t)TS_OP_##name << 24)
#define REPLAY(i, n, rec)  (OP(REPLAY) | (uint32_t)(i) << 14 | (uint32_t)(n) << 4 | (rec))
#define SETC16(r, v)       (OP(SETC16) | (uint32_t)(r) << 16 | (uint32_t)(v))
#define SETADC(dim, value) (OP(SETADC) | 4u << 21 | (uint32_t)(dim) << 18 | (uint32_t)(value))
#define STALL(block, cond) (OP(STALLWAIT) | (uint32_t)(block) << 15 | (uint32_t)(cond))
#define SEM(name, n)       (OP(name) | 4u << (n))
#define SEMWAIT(block, n)  (OP(SEMWAIT) | (uint32_t)(block) << 15 | 4u << (n) | 1)
#define SEMINIT(n)         (OP(SEMINIT) | 2u << 20 | 4u << (n))

enum { B_SYNC = 2, B_UNPACK = 8, B_MATH = 64, B_CFG = 128 };
enum { C_SCALAR = 1, C_UNPACK0 = 2, C_UNPACK1 = 4, C_PACK = 8, C_MATRIX = 16 };
enum { C_SRCA_VALID = 128, C_SRCB_VALID = 256 };
enum { UNPACK_DONE = 2, MATH_DONE = 7 };
enum { INPUT = 0x30000, OUTPUT = 0x50000 };
enum { MARKER_PAD = 2 }; // the published probes' empty pair takes 12 cycles

enum kind { PACKS, PASSES, PATHS };
enum { CONTIGUOUS, DRAINED, QUEUED, ONE_COUNTER }; // how PACKS sets the input's position

struct row {
    struct ts_silicon_row base;
    enum kind kind;
    unsigned mode; // PACKS: above; PASSES: 32-bit output; PATHS: 0 Dst, 1 SrcA, 2 SrcB
    unsigned n;    // PACKS: stride in blocks; PASSES: passes; PATHS: data
    unsigned interfaces;
    bool fixed;      // PACKS: the output address is set once
    bool accumulate; // PASSES
};

// ---- what the probes' assembler makes of a constant and of a store

static void constant(struct ts_rvasm *p, unsigned rd, uint32_t value)
{
    if (value + 2048 < 4096) {
        addi(p, rd, ZERO, (int32_t)value);
        return;
    }
    ts_rvasm(p, TS_RV_LUI, rd, 0, 0, (int32_t)((value + 0x800) & 0xfffff000));
    if (value & 0xfff)
        addi(p, rd, rd, (int32_t)(value << 20) >> 20);
}

static void store(struct ts_rvasm *p, uint32_t address, uint32_t value)
{
    constant(p, T1, value);
    constant(p, T0, address);
    sw(p, T1, T0, 0);
}

static void config(struct ts_rvasm *p, unsigned index, uint32_t value)
{
    store(p, 0xffef0000 + 4 * index, value);
}

static void words(struct ts_rvasm *p, const uint32_t *word, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        inline_word(p, word[i]);
}

// Two words of the profiler: the clock is read, and stored to L1.
static void mark(struct ts_rvasm *p, unsigned rd)
{
    constant(p, T0, 0xffb121f0);
    lw(p, rd, T0, 0);
    constant(p, T0, OUT + 0x100);
    sw(p, rd, T0, 0);
    for (unsigned i = 0; i < MARKER_PAD; i++)
        addi(p, ZERO, ZERO, 0);
}

static void end(struct ts_rvasm *p, unsigned thread)
{
    constant(p, T0, 0xffb121f0);
    lw(p, A3, T0, 0);
    ts_rvasm(p, TS_RV_SUB, A3, A3, A2, 0);
    constant(p, T0, OUT + 8 * thread);
    sw(p, A3, T0, 0);
    constant(p, T1, DONE);
    sw(p, T1, T0, 4);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 0);
}

static void sync(struct ts_rvasm *p)
{
    constant(p, T0, 0xffe80004);
    sw(p, ZERO, T0, 0);
    lw(p, T1, T0, 0);
    ts_rvasm(p, TS_RV_AND, ZERO, ZERO, T1, 0);
}

static void set_mop(struct ts_rvasm *p, const uint32_t cfg[9])
{
    for (unsigned i = 0; i < 9; i++)
        store(p, 0xffb80000 + 4 * i, cfg[i]);
}

#define MOP_WORDS(outer, inner, start, loop, last, final)                 \
    {                                                                     \
        outer, inner, start, OP(NOP), OP(NOP), loop, OP(NOP), last, final \
    }

// ---- packs

static void configure_packer(struct ts_rvasm *p, bool wide)
{
    const struct {
        unsigned index;
        uint32_t value;
    } cfg[] = {
        {1, wide ? 0 : 5u << 25},
        {2, 0},
        {12, (wide ? 64u : 32u) << 16},
        {13, wide ? 1024 | 4096u << 16 : 512 | 2048u << 16},
        {18, 1}, // 32-bit Dst
        {20, 0},
        {24, 0xffff},
        {28, 1u << 8},
        {68, 0x40000},
        {69, (OUTPUT >> 4) - 1},
        {70, wide ? 1 : 1 | 5 << 4 | 5 << 8},
    };
    for (unsigned i = 0; i < sizeof cfg / sizeof *cfg; i++)
        config(p, cfg[i].index, cfg[i].value);
    inline_word(p, OP(SETADCXX) | 4u << 21 | 15 << 10);
    inline_word(p, SETC16(38, 0x20));
}

static uint32_t pacr(unsigned interfaces, bool last)
{
    uint32_t mask = interfaces == 4 ? 15u : 1u;
    return OP(PACR) | mask << 8 | (last ? 1u << 15 | 1 : 0);
}

// Half of a GPR by a pushed SETDMAREG whose value is computed.
static void set_gpr_half(struct ts_rvasm *p, unsigned half, uint32_t value, bool known)
{
    if (!known)
        constant(p, A4, value);
    ts_rvasm(p, TS_RV_SLLI, A5, A4, 0, 8);
    constant(p, T1, 0x00ffff00);
    ts_rvasm(p, TS_RV_AND, A5, A5, T1, 0);
    constant(p, T1, OP(SETDMAREG) | half);
    ts_rvasm(p, TS_RV_OR, A5, A5, T1, 0);
    constant(p, T0, 0xffe40000);
    sw(p, A5, T0, 0);
}

static void set_output(struct ts_rvasm *p)
{
    uint32_t address = (OUTPUT >> 4) - 1;
    inline_word(p, SETADC(3, 0));
    set_gpr_half(p, 24, address, false);
    constant(p, A4, address >> 16);
    addi(p, ZERO, ZERO, 0); // the probe shifts and ors: three instructions more
    addi(p, ZERO, ZERO, 0);
    addi(p, ZERO, ZERO, 0);
    set_gpr_half(p, 25, 0, true);
    inline_word(p, STALL(B_CFG, C_SCALAR | C_PACK));
    inline_word(p, OP(WRCFG) | 12u << 16 | 69);
    set_gpr_half(p, 25, 0, true);
    inline_word(p, OP(DMANOP));
}

static void set_position(struct ts_rvasm *p, unsigned slot)
{
    unsigned row = slot % 8 * 8;
    inline_word(p, SETADC(1, row & 15));
    inline_word(p, SETADC(2, row >> 4));
    inline_word(p, SETADC(3, slot / 8));
}

static void pack_once(struct ts_rvasm *p, const struct row *r)
{
    unsigned length = 32 / r->interfaces;
    if (!r->fixed)
        set_output(p);
    if (r->mode == CONTIGUOUS) {
        set_position(p, 0);
        inline_word(p, REPLAY(0, length, 0));
    }
    if (r->mode == ONE_COUNTER)
        inline_word(p, OP(SETADCZW) | 4u << 21 | 5);
    for (unsigned i = 0; r->mode != CONTIGUOUS && i < 4; i++) {
        if (i && r->mode == DRAINED)
            inline_word(p, STALL(B_SYNC, C_PACK));
        if (r->mode == ONE_COUNTER)
            inline_word(p, SETADC(1, i * r->n * 8));
        else
            set_position(p, i * r->n);
        inline_word(p, REPLAY(i * length / 4, length / 4, 0));
    }
    inline_word(p, STALL(B_SYNC, C_PACK));
    sync(p);
}

static double packs(struct probe *probe, const struct row *r)
{
    enum { PACKS_TIMED = 32 };
    struct ts_rvasm *p = &probe->p[2];
    unsigned length = 32 / r->interfaces;
    begin(p);
    configure_packer(p, false);
    inline_word(p, SETC16(37, r->interfaces));
    inline_word(p, REPLAY(0, length, 1));
    for (unsigned i = 0; i < length; i++)
        inline_word(p, pacr(r->interfaces, i + 1 == length));
    sync(p);
    pack_once(p, r);
    constant(p, T2, PACKS_TIMED);
    mark(p, A2);
    unsigned top = p->count;
    pack_once(p, r);
    addi(p, T2, T2, -1);
    bnez(p, T2, top);
    end(p, 2);
    return probe_run(probe, 2, 1) / PACKS_TIMED;
}

// Passes of 64 rows, each with its address set, drained.
static double passes(struct probe *probe, const struct row *r)
{
    struct ts_rvasm *p = &probe->p[2];
    const uint32_t mop[9] = MOP_WORDS(1, 64, OP(NOP), pacr(1, false), pacr(1, true), OP(NOP));
    begin(p);
    configure_packer(p, r->mode);
    config(p, 71, r->accumulate ? 1u << 19 : 0);
    inline_word(p, SETC16(37, 1));
    set_mop(p, mop);
    sync(p);
    mark(p, A2);
    for (unsigned i = 0; i < r->n; i++) {
        set_position(p, 0);
        config(p, 69, ((OUTPUT >> 4) - 1) | 1u << 31);
        config(p, 180, 0);
        inline_word(p, OP(SETADCXX) | 4u << 21 | 15 << 10);
        inline_word(p, OP(MOP) | 1u << 23);
        inline_word(p, STALL(B_SYNC, C_PACK));
        sync(p);
    }
    end(p, 2);
    return probe_run(probe, 2, 1);
}

// ---- unpackers

// One unpacker for tiles that lie as they are. The formats are FP32 to `out`, or BF16.
static void configure_unpacker(struct ts_rvasm *p, unsigned engine, uint32_t address, unsigned in,
                               unsigned out, bool to_dst)
{
    unsigned sec = 48 * engine, size = out == 0 ? 4 : 2;
    uint32_t destination = engine ? 0 : 64;
    const struct {
        unsigned index;
        uint32_t value;
    } cfg[] = {
        {64 + sec, in | 0x10 | (engine ? 256u << 16 : 0)},
        {65 + sec, 1 | 4u << 16},
        {66 + sec, 0},
        {67 + sec, 0},
        {72 + sec, 0x20 | out},
        {73 + sec, to_dst ? 0x33 : 0x03},
        {74 + sec, 0},
        {75 + sec, 0},
        {56 + 2 * engine, size | 16 * size << 16},
        {57 + 2 * engine, 256 * size | 1024 * size << 16},
        {48 + 12 * engine, 0},
        {49 + 12 * engine, 0},
        {50 + 12 * engine, engine ? 0 : 0x100},
        {84 + sec, destination | destination << 16},
        {86 + sec, 256 | 256u << 16},
        {92 + sec, 0},
        {93 + sec, 0},
        {76 + sec, (address >> 4) - 1},
        {77 + sec, (address >> 4) - 1},
    };
    for (unsigned i = 0; i < sizeof cfg / sizeof *cfg; i++)
        config(p, cfg[i].index, cfg[i].value);
    if (engine == 0)
        inline_word(p, SETC16(5, to_dst ? 0 : 4));
}

static uint32_t unpacr(unsigned engine, bool to_dst)
{
    return OP(UNPACR) | engine << 23 | (to_dst ? 0x11u : 1u) << 15 | 1u << 7 |
           (uint32_t)!to_dst << 6 | 1;
}

static double paths(struct probe *probe, const struct row *r)
{
    struct ts_rvasm *p = &probe->p[0], *q = &probe->p[1];
    bool direct = r->mode == 0;
    unsigned engine = r->mode == 2, step = engine ? 4 : 8;
    begin(p);
    configure_unpacker(p, engine, INPUT, 0, direct ? 0 : 5, direct);
    uint32_t data = direct && r->n > 256 ? 256 : r->n;
    inline_word(p, OP(SETADCXX) | (engine + 1u) << 21 | (data - 1) << 10);
    inline_word(p, OP(SETADCZW) | 3u << 21 | 15);
    if (direct) {
        const uint32_t body[] = {REPLAY(0, 2, 1), unpacr(0, true), STALL(B_UNPACK, C_UNPACK0)};
        const uint32_t mop[9] = MOP_WORDS(1, r->n > 256 ? r->n / 256 : 1, OP(NOP), REPLAY(0, 2, 0),
                                          REPLAY(0, 2, 0), OP(NOP));
        words(p, body, 3);
        set_mop(p, mop);
    } else {
        const uint32_t mop[9] = MOP_WORDS(1, 1, unpacr(engine, false), OP(NOP), OP(NOP), OP(NOP));
        set_mop(p, mop);
    }
    constant(p, T2, 300); // by then T1 is ready, as on the card
    unsigned top = p->count;
    addi(p, T2, T2, -1);
    bnez(p, T2, top);
    sync(p);
    const uint32_t ready[] = {SEMWAIT(B_UNPACK, MATH_DONE), SEM(SEMGET, MATH_DONE)};
    words(p, ready, 2);
    sync(p);
    mark(p, A2);
    const uint32_t launch[] = {OP(MOP) | 1u << 23,
                               STALL(B_UNPACK, engine ? C_UNPACK1 : C_UNPACK0),
                               SEM(SEMGET, 5),
                               SEM(SEMPOST, UNPACK_DONE),
                               SEMWAIT(B_UNPACK, MATH_DONE),
                               SEM(SEMGET, MATH_DONE)};
    words(p, launch, 6);
    sync(p);
    end(p, 0);

    begin(q);
    for (unsigned i = 0; i < 8; i++)
        inline_word(q, SEMINIT(i));
    const uint32_t dst[] = {OP(ZEROACC) | 3u << 19 | 1u << 18, SETC16(0, 0), SETC16(1, 0),
                            STALL(B_CFG, C_MATRIX | 1u << 11),
                            OP(RMWCIB3) | 0x20u << 16 | 0x20 << 8 | 1};
    words(q, dst, 5);
    if (!direct) {
        uint32_t move = engine ? OP(MOVB2D) | 2u << 14 | 4 << 11 : OP(MOVA2D) | 2u << 14 | 2 << 12;
        const uint32_t mop[9] = MOP_WORDS(1, r->n / (16 * step), OP(NOP), move, move, OP(NOP));
        inline_word(q, SETC16(14, engine ? step << 8 : step));
        inline_word(q, SETC16(30, step));
        inline_word(q, OP(SETRWC) | 15);
        set_mop(q, mop);
    }
    inline_word(q, STALL(B_SYNC, C_MATRIX));
    sync(q);
    const uint32_t wait[] = {SEM(SEMPOST, MATH_DONE), SEMWAIT(B_SYNC, UNPACK_DONE),
                             SEM(SEMGET, UNPACK_DONE)};
    words(q, wait, 3);
    if (!direct) {
        inline_word(q, STALL(B_MATH, engine ? C_SRCB_VALID : C_SRCA_VALID));
        inline_word(q, OP(MOP) | 1u << 23);
        inline_word(q, OP(SETRWC) | (engine ? 2u : 1u) << 22 | 15);
    }
    inline_word(q, STALL(B_SYNC, C_MATRIX));
    sync(q);
    inline_word(q, SEM(SEMPOST, MATH_DONE));
    lw(q, A2, S0, 0x1f0);
    finish(q, 1);
    double cycles[3];
    probe_run_each(probe, 0, 2, cycles);
    return cycles[0];
}

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    struct probe probe = {.context = context, .error = error};
    const struct row *r = (const struct row *)base;
    switch (r->kind) {
    case PACKS:
        *simulated = packs(&probe, r);
        break;
    case PASSES:
        *simulated = passes(&probe, r);
        break;
    case PATHS:
        *simulated = paths(&probe, r);
        break;
    }
}

#define PACK(name, value, how, stride, at_once, once)                                     \
    {                                                                                     \
        .base = {.id = name, .measured = value}, .kind = PACKS, .mode = how, .n = stride, \
        .interfaces = at_once, .fixed = once                                              \
    }
#define PASS(name, value, count, wide, adds)                                               \
    {                                                                                      \
        .base = {.id = name, .measured = value}, .kind = PASSES, .mode = wide, .n = count, \
        .accumulate = adds                                                                 \
    }
#define PATH(name, value, way, data)                                                   \
    {                                                                                  \
        .base = {.id = name, .measured = value}, .kind = PATHS, .mode = way, .n = data \
    }

static const struct row rows[] = {
    PACK("B0498", 103.2, CONTIGUOUS, 1, 1, false),
    PACK("B0499", 134.2, DRAINED, 1, 1, false),
    PACK("B0500", 134.2, DRAINED, 2, 1, false),
    PACK("B0501", 134.9, DRAINED, 8, 1, false),
    PACK("B0502", 134.1, DRAINED, 21, 1, false),
    PACK("B0503", 112.2, QUEUED, 1, 1, false),
    PACK("B0505", 112.7, QUEUED, 21, 1, false),
    PACK("B0506", 105.1, ONE_COUNTER, 1, 1, false),
    PACK("B0507", 106.6, ONE_COUNTER, 8, 1, false),
    PACK("B0512", 68.5, ONE_COUNTER, 4, 1, true),
    PACK("B0513", 68.0, ONE_COUNTER, 21, 1, true),
    PACK("B0515", 44.0, ONE_COUNTER, 4, 4, true),
    PACK("B0516", 43.3, ONE_COUNTER, 21, 4, true),
    PASS("B0520", 116, 1, 0, false),
    PASS("B0521", 116, 1, 0, true),
    PASS("B0519", 180, 1, 1, true),
    PASS("B0525", 428, 4, 0, true),
    PASS("B0523", 684, 4, 1, true),
    PATH("B0554", 48, 0, 128),
    PATH("B0555", 127, 0, 1024),
    PATH("B0556", 45, 1, 128),
    PATH("B0557", 74, 1, 1024),
    PATH("B0558", 46, 2, 128),
    PATH("B0559", 74, 2, 1024),
};

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const modes[] = {"contiguous", "drained between", "queued", "one counter"};
    static const char *const ways[] = {"straight to Dst", "by SrcA", "by SrcB"};
    const struct row *r = (const struct row *)base;
    char *to = text->workload;
    size_t size = sizeof text->workload;
    text->metric = "cycles";
    switch (r->kind) {
    case PACKS:
        snprintf(to, size, "512 values packed, %s, stride %u, %u interfaces%s", modes[r->mode],
                 r->n, r->interfaces, r->fixed ? ", fixed output" : "");
        text->metric = "cycles per pack";
        break;
    case PASSES:
        snprintf(to, size, "%u passes of 64 PACR to %s%s", r->n, r->mode ? "FP32" : "BF16",
                 r->accumulate ? ", accumulating in L1" : "");
        break;
    case PATHS:
        snprintf(to, size, "%u FP32 values to Dst, %s", r->n, ways[r->mode]);
        break;
    }
}

static const struct ts_silicon_left left[] = {
    {"B0721", "B0724", "paced by circular buffers whose code is not published"},
    {0},
};

const struct ts_silicon_family ts_silicon_movement = {
    .name = "movement",
    .title = "unpackers, packer",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.03,
    .p90 = 0.10,
    .groups = "riscv tensix",
    .left = left,
};
