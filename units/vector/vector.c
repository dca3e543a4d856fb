// The vector unit: state after reset, decoding, and one instruction at a time.
//
// The bodies are in simple.c, mad.c, round.c, cc.c, dst.c and
// approx.c; macro.c is the unit's clock.
// Source: tt-isa-documentation BlackholeA0 SoftReset.md, LReg.md, Diagrams/Src/Bits32.lua.
// Timing: config/vector.def.
// Inaccuracies: LReg 12 out of reset is 2^-9 as in the vendor's simulator (whose golden data we
// reproduce), where SoftReset.md says 2^-16.
#include "units/vector/body.h"

enum layout { DST, IMM, LUT, MULI, UNARY, BINARY, TERNARY, ROUND, NONE };

// Positions of the fields: the shift of each register, and of the immediate with its bits. A layout
// without VB or VC has VD in its place.
static const struct {
    uint8_t vd, vc, vb, va, mod, imm;
    uint16_t imm_bits;
} layouts[] = {
    [DST] = {20, 20, 20, 20, 16, 0, 0x3FF}, [IMM] = {20, 20, 20, 20, 16, 0, 0xFFFF},
    [LUT] = {20, 20, 20, 20, 16, 0, 0},     [MULI] = {4, 4, 4, 4, 0, 8, 0xFFFF},
    [UNARY] = {4, 8, 4, 4, 0, 12, 0xFFF},   [BINARY] = {4, 8, 12, 4, 0, 12, 0xFFF},
    [TERNARY] = {4, 8, 12, 16, 0, 0, 0},    [ROUND] = {4, 8, 12, 4, 0, 16, 31},
    [NONE] = {4, 8, 4, 4, 0, 0, 0},
};

static const uint8_t layout_of[TS_VECTOR_LAST - TS_VECTOR_FIRST + 1] = {
#define TS_VECTOR_ROW(name, layout, sub, latency, reads, seen) \
    [TS_OP_##name - TS_VECTOR_FIRST] = layout,
#include "config/vector.def"
};

// vector.def has the vector rows of tensix.def, all of them and in their order.
enum {
#define TS_VECTOR_ROW(name, layout, sub, latency, reads, seen) ROW_##name,
#include "config/vector.def"
    ROWS
};
_Static_assert(ROWS == TS_VECTOR_LAST - TS_VECTOR_FIRST + 1,
               "vector.def has a row too many or too few");
#define TS_OP_VECTOR(code, name, ...)                                                     \
    _Static_assert(ROW_##name == (code)-TS_VECTOR_FIRST, #name " is not in its place in " \
                                                               "vector.def");
#include "units/isa/bodies.h"

#define B(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
const uint32_t ts_lane_bit[TS_LANES] __attribute__((aligned(64))) = {
    B(0), B(4), B(8), B(12), B(16), B(20), B(24), B(28),
};
#undef B

static void fill(uint32_t *reg, uint32_t value)
{
    for (TS_EACH_LANE)
        reg[l] = value;
}

void ts_vector_reset(struct ts_vector *v)
{
    memset(v, 0, sizeof *v);
    fill(v->lreg[8], 0x3F56594Bu);  // 0.8373
    fill(v->lreg[10], TS_FP32_ONE); // 1.0
    fill(v->lreg[11], 0xBF800000u); // -1.0
    fill(v->lreg[12], 0x3B000000u); // 2^-9
    fill(v->lreg[13], 0xBF2CC4C7u); // -0.67487759
    fill(v->lreg[14], 0xBEB08FF9u); // -0.34484843
    for (TS_EACH_LANE)
        v->lreg[15][l] = 2 * l;
    ts_vector_derive(v);
}

bool ts_vector_decode(uint32_t word, struct ts_vector_insn *insn)
{
    uint32_t op = word >> 24;
    if (op < TS_VECTOR_FIRST || op > TS_VECTOR_LAST)
        return false;
    unsigned at = layout_of[op - TS_VECTOR_FIRST];
    *insn = (struct ts_vector_insn){
        .word = word,
        .op = (uint8_t)op,
        .vd = word >> layouts[at].vd & 15,
        .vc = word >> layouts[at].vc & 15,
        .vb = word >> layouts[at].vb & 15,
        .va = word >> layouts[at].va & 15,
        .mod = word >> layouts[at].mod & 15,
        .round = word >> 21 & 3,
        .addr_mod = word >> 13 & 7,
        .imm = (uint16_t)(word >> layouts[at].imm & layouts[at].imm_bits),
        .fmt = word >> layouts[at].mod & 15,
    };
    if (op == TS_OP_SFPLOADMACRO) { // the register's top bit is the address's low one
        insn->round = word >> 22 & 3;
        insn->vd = (uint8_t)((word >> 20 & 3) | (word & 1) << 2);
    } else if ((op == TS_OP_SFPAND || op == TS_OP_SFPOR) && !(word & 1)) {
        insn->vb = insn->vd; // VB only when selected
    }
    return true;
}

// VD of 12..15 does not name a register to write but an instruction template, in lanes that have
// not disabled it. SFPCONFIG's VD is a configuration register, SFPLOADMACRO's has three bits.
static uint32_t template_lanes(const struct ts_vector *v, const struct ts_vector_insn *i)
{
    if (i->vd < 12 || i->scheduled || i->op == TS_OP_SFPCONFIG)
        return 0;
    return ~v->no_backdoor;
}

enum ts_vector_fault ts_vector_start(struct ts_vector *v, struct ts_dst *dst,
                                     const struct ts_vector_insn *i, uint32_t enabled)
{
    struct ts_vector_ctx x = {.enable = enabled, .gate = TS_ALL_LANES, .dst = dst};
    uint32_t templates = template_lanes(v, i);
    if (__builtin_expect(templates != 0, 0)) {
        for (unsigned column = 0; column < 8; column++) {
            if (templates & ts_lane_bit[column])
                v->template[i->vd - 12][column] = i->word;
        }
        ts_vector_derive(v);
        x.gate = ~templates;
        x.enable &= x.gate;
        if (!x.gate)
            return TS_VECTOR_OK;
    }
    if (v->timing_only && i->op != TS_OP_SFPLOADI && i->op != TS_OP_SFPCONFIG)
        return TS_VECTOR_OK;
    switch (i->op) {
#define TS_OP_VECTOR(...) TS_CASE(vector, (v, i, &x), __VA_ARGS__)
#include "units/isa/bodies.h"
    }
    return TS_VECTOR_MODE; // no vector instruction: ts_vector_decode has refused it
}

static void write_late(struct ts_vector *v, struct ts_vector_late *late)
{
    if (!late->indirect) {
        ts_lanes_put(v->lreg[late->vd], late->value, late->lanes);
    } else {
        for (TS_EACH_LANE) {
            if ((late->lanes & ts_lane_bit[l]) && late->reg[l] < 8)
                v->lreg[late->reg[l]][l] = late->value[l];
        }
    }
    late->lanes = 0;
}

void ts_vector_write_second(struct ts_vector *v, struct ts_vector_second *second)
{
    if (second->mad.lanes)
        write_late(v, &second->mad);
    if (second->copy4)
        ts_vector_copy4(v, second->copy4);
    if (second->round.lanes)
        write_late(v, &second->round);
    if (second->swap)
        ts_vector_swap_write(v, second);
    second->copy4 = second->swap = 0;
}

const char *ts_vector_fault_text(enum ts_vector_fault fault)
{
    static const char *const text[TS_VECTOR_FAULTS] = {
        [TS_VECTOR_OK] = "no fault",
#define TS_VFAULT(name, kind, words) [TS_VECTOR_##name] = words,
#include "config/vector_fault.def"
    };
    return text[fault];
}

bool ts_vector_fault_is_contract(enum ts_vector_fault fault)
{
    enum { CONTRACT = true, UNSUPPORTED = false };
    static const bool contract[TS_VECTOR_FAULTS] = {
#define TS_VFAULT(name, kind, words) [TS_VECTOR_##name] = kind,
#include "config/vector_fault.def"
    };
    return contract[fault];
}

const char *ts_vector_hazard_text(unsigned bit)
{
    static const char *const text[TS_VHAZARDS] = {
#define TS_VHAZARD(name, words) [TS_VHAZARD_##name##_BIT] = words,
#include "config/vector_fault.def"
    };
    return text[bit];
}
