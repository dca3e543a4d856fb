// The vector unit's operands and interlock: see use.h. Rows are in config/vector.def.
#include "units/vector/use.h"

#define ALL_LREGS 0x1FFFFu
#define LREG(n)   (1u << (n))

enum { A = 1, B = 2, C = 4, D = 8, L = 16 };
enum {
    SIMPLE = TS_SUB_SIMPLE,
    MAD = TS_SUB_MAD,
    ROUND = TS_SUB_ROUND,
    STORE = TS_SUB_STORE,
    LOAD = TS_SUB_LOAD
};

struct row {
    uint8_t sub, latency, reads, seen;
};

static const struct row rows[TS_VECTOR_LAST - TS_VECTOR_FIRST + 1] = {
#define TS_VECTOR_ROW(name, layout, sub, latency, reads, seen) \
    [TS_OP_##name - TS_VECTOR_FIRST] = {sub, latency, reads, seen},
#include "config/vector.def"
};

unsigned ts_vector_sub(uint8_t op)
{
    return rows[op - TS_VECTOR_FIRST].sub;
}

enum {
    INDIRECT_VA = 4,
    INDIRECT_VD = 8,
    ARG_IMM = 1,
    USE_IMM5 = 8,
    SWAP_EXCHANGE = 0,
    SHFT2_CHAINED_COPY4 = 1,
    SHFT2_ROR1_AND_COPY4 = 2,
    SHFT2_SHR1 = 4,
    SHFT2_LREG = 5,
    MIRROR_INDIRECT = 1u << 19, // Mod1Mirror: the interlock's copy of SFPLUTFP32's Mod1
};

static uint32_t named(const struct ts_vector_insn *i, unsigned letters)
{
    return (letters & A ? LREG(i->va) : 0) | (letters & B ? LREG(i->vb) : 0) |
           (letters & C ? LREG(i->vc) : 0) | (letters & D ? LREG(i->vd) : 0);
}

// ---- instructions with a mode that omits or adds operands

typedef void rule(const struct ts_vector_insn *i, struct ts_vector_use *use);

// SFPLOAD, SFPLOADI: halves that keep the other half.
static void load(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    if (i->mod >= 14)
        use->reads = use->seen = LREG(i->vd);
}

static void load_immediate(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    if (i->mod & 8)
        use->reads = use->seen = LREG(i->vd);
}

static void writes_none(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    (void)i;
    use->writes = 0;
}

static void lut(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    use->reads = use->seen = 0xF;
    if (i->mod & INDIRECT_VD) {
        use->reads = use->seen |= LREG(7);
        use->writes = ALL_LREGS;
    }
}

// Conservative: all registers; the interlock looks at its own copy of the mode.
static void lut_fp32(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    use->reads = (i->mod & 10) == 10 ? 0xF : 0x7F;
    use->reads |= i->mod & INDIRECT_VD ? LREG(7) : 0;
    use->seen = i->word & MIRROR_INDIRECT ? ALL_LREGS : ALL_LREGS & ~LREG(7);
    use->writes = i->word & MIRROR_INDIRECT ? ALL_LREGS : use->writes;
}

// LReg 7 names the register.
static void indirect_result(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    if (i->mod & INDIRECT_VD) {
        use->reads |= LREG(7);
        use->seen |= LREG(7);
        use->writes = ALL_LREGS;
    }
}

static void indirect(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    if (i->mod & INDIRECT_VA)
        use->reads = use->seen = ALL_LREGS;
    indirect_result(i, use);
}

static void immediate(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    if (i->mod & ARG_IMM) {
        use->reads &= LREG(i->vc);
        use->seen &= LREG(i->vc);
    }
}

static void shift(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    if (i->mod & ARG_IMM)
        use->reads = i->mod & 4 ? LREG(i->vc) : LREG(i->vb);
}

static void use_of_move(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    if (i->mod & 8)
        use->reads = use->seen = 0;
}

static void reciprocal(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    if (i->mod == 1) {
        use->reads |= LREG(i->vb);
        use->seen |= LREG(i->vb);
    }
}

static void transpose(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    (void)i;
    use->reads = use->seen = use->writes = 0xFF;
}

static void compare(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    use->writes = i->mod & 8 ? use->writes : 0;
}

static void round_random(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    if ((i->mod & 6) == 4 && !(i->mod & USE_IMM5))
        use->reads |= LREG(i->vb);
}

static void configure(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    use->reads = !(i->mod & 1) || i->vd < 4 ? LREG(0) : 0;
    use->writes = i->vd >= 11 && i->vd < 15 ? LREG(i->vd) : 0;
}

// A plain exchange reads in its second cycle only.
static void swap(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    use->reads = i->mod == SWAP_EXCHANGE ? 0 : use->reads;
    use->writes = LREG(i->vc) | LREG(i->vb);
    use->writes |= LREG(4 + (i->vc & 3u)) | LREG(4 + (i->vb & 3u)); // with ENABLE_DEST_INDEX
    use->alone = true;
}

static void shift2(const struct ts_vector_insn *i, struct ts_vector_use *use)
{
    if (i->mod <= SHFT2_CHAINED_COPY4) {
        use->reads = use->seen = use->writes = 0xF;
    } else if (i->mod <= SHFT2_SHR1) {
        bool copy = i->mod == SHFT2_ROR1_AND_COPY4;
        use->reads = LREG(i->vc) | (copy ? 0xEu : 0);
        use->seen = 0;
        use->writes = copy ? 0xFu : use->writes;
        use->latency = 2;
        use->alone = true;
    } else if (i->mod != SHFT2_LREG) {
        use->reads = LREG(i->vb_given ? i->vb : i->imm & 15);
        use->seen = LREG(i->vd);
    }
}

#define RULE(name, by) [TS_OP_##name - TS_VECTOR_FIRST] = (by)
static rule *const rules[TS_VECTOR_LAST - TS_VECTOR_FIRST + 1] = {
    RULE(SFPLOAD, load),
    RULE(SFPLOADI, load_immediate),
    RULE(SFPSTORE, writes_none),
    RULE(SFPLUT, lut),
    RULE(SFPMULI, indirect_result),
    RULE(SFPADDI, indirect_result),
    RULE(SFPIADD, immediate),
    RULE(SFPSHFT, shift),
    RULE(SFPSETCC, writes_none),
    RULE(SFPMOV, use_of_move),
    RULE(SFPSETEXP, immediate),
    RULE(SFPSETMAN, immediate),
    RULE(SFPMAD, indirect),
    RULE(SFPADD, indirect),
    RULE(SFPMUL, indirect),
    RULE(SFPPUSHC, writes_none),
    RULE(SFPPOPC, writes_none),
    RULE(SFPSETSGN, immediate),
    RULE(SFPENCC, writes_none),
    RULE(SFPCOMPC, writes_none),
    RULE(SFPTRANSP, transpose),
    RULE(SFP_STOCH_RND, round_random),
    RULE(SFPNOP, writes_none),
    RULE(SFPCONFIG, configure),
    RULE(SFPSWAP, swap),
    RULE(SFPSHFT2, shift2),
    RULE(SFPLUTFP32, lut_fp32),
    RULE(SFPLE, compare),
    RULE(SFPGT, compare),
    RULE(SFPMUL24, indirect),
    RULE(SFPARECIP, reciprocal),
};
#undef RULE

struct ts_vector_use ts_vector_use(const struct ts_vector *v, const struct ts_vector_insn *insn)
{
    const struct row *row = &rows[insn->op - TS_VECTOR_FIRST];
    if (v && insn->vd >= 12 && !insn->scheduled && insn->op != TS_OP_SFPCONFIG && !v->no_backdoor)
        return (struct ts_vector_use){.sub = row->sub, .latency = 1};
    struct ts_vector_use use = {
        .reads = named(insn, row->reads),
        .seen = named(insn, row->seen),
        .writes = LREG(insn->vd),
        .sub = row->sub,
        .latency = row->latency,
        .dst_read = insn->op == TS_OP_SFPLOAD || insn->op == TS_OP_SFPLOADMACRO,
        .dst_write = insn->op == TS_OP_SFPSTORE,
    };
    rule *by_mode = rules[insn->op - TS_VECTOR_FIRST];
    if (by_mode)
        by_mode(insn, &use);
    if (v && ts_bits_machine(v->bits, TS_RULE_vector_blind))
        use.seen = 0;
    return use;
}
