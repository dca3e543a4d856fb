// Decoder and disassembler of the baby cores, driven by config/riscv.def.
//
// Decoding scans the table: callers keep what they decoded.
#include "cores/riscv/isa.h"

static const struct ts_rv_row ROWS[TS_RV_OP_COUNT] = {
#define TS_RV(id, mnemonic, match, mask, format, class) \
    [TS_RV_##id] = {mnemonic, match, mask, TS_RV_FMT_##format, TS_RV_CLASS_##class},
#include "config/riscv.def"
};

struct absent {
    const char *mnemonic;
    uint32_t match, mask;
    const char *why;
};

static const struct absent ABSENT[] = {
#define TS_RV_ABSENT(id, mnemonic, match, mask, why) {mnemonic, match, mask, why},
#include "config/riscv.def"
};

static const char *const REGS[] = {
    "zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",   "t2",   "s0",  "s1",  "a0",   "a1",   "a2",
    "a3",   "a4",  "a5",  "a6",  "a7",  "s2",  "s3",   "s4",   "s5",  "s6",  "s7",   "s8",   "s9",
    "s10",  "s11", "t3",  "t4",  "t5",  "t6",  "ft0",  "ft1",  "ft2", "ft3", "ft4",  "ft5",  "ft6",
    "ft7",  "fs0", "fs1", "fa0", "fa1", "fa2", "fa3",  "fa4",  "fa5", "fa6", "fa7",  "fs2",  "fs3",
    "fs4",  "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11", "zero",
};

static const struct {
    uint16_t number;
    const char *name;
} CSRS[] = {
#define TS_CSR(number, id, name)   {number, name},
#define TS_CSR_OTHER(number, name) {number, name},
#include "config/csrs.def"
};

static int32_t bits(uint32_t word, unsigned low, unsigned count)
{
    return (int32_t)((word >> low) & ((1u << count) - 1));
}

static int32_t imm_i(uint32_t word)
{
    return (int32_t)word >> 20;
}

static int32_t imm_s(uint32_t word)
{
    return ((int32_t)word >> 25) * 32 + bits(word, 7, 5);
}

static int32_t imm_b(uint32_t word)
{
    return ((int32_t)word >> 31) * 4096 + bits(word, 7, 1) * 2048 + bits(word, 25, 6) * 32 +
           bits(word, 8, 4) * 2;
}

static int32_t imm_u(uint32_t word)
{
    return (int32_t)(word & 0xfffff000u);
}

static int32_t imm_j(uint32_t word)
{
    return ((int32_t)word >> 31) * 1048576 + bits(word, 12, 8) * 4096 + bits(word, 20, 1) * 2048 +
           bits(word, 21, 10) * 2;
}

static uint8_t reg_x(uint32_t word, unsigned low)
{
    return (uint8_t)bits(word, low, 5);
}

static uint8_t reg_f(uint32_t word, unsigned low)
{
    return (uint8_t)(TS_RV_F0 + bits(word, low, 5));
}

static uint8_t reg_rd(uint32_t word)
{
    uint8_t rd = reg_x(word, 7);
    return rd == 0 ? TS_RV_SINK : rd;
}

static int32_t imm_shift(uint32_t word)
{
    return bits(word, 20, 5);
}

static int32_t imm_csr(uint32_t word)
{
    return bits(word, 20, 12);
}

static void operands(struct ts_rv_insn *insn, enum ts_rv_format format, uint32_t word)
{
    // rd, rs1, rs2: x or f; the immediate.
    static const char all[][5] = {
        [TS_RV_FMT_R] = "xxx ",  [TS_RV_FMT_A] = "xxx ",  [TS_RV_FMT_R2] = "xx  ",
        [TS_RV_FMT_SH] = "xx H", [TS_RV_FMT_I] = "xx I",  [TS_RV_FMT_L] = "xx I",
        [TS_RV_FMT_S] = " xxS",  [TS_RV_FMT_B] = " xxB",  [TS_RV_FMT_U] = "x  U",
        [TS_RV_FMT_J] = "x  J",  [TS_RV_FMT_C] = "xx C",  [TS_RV_FMT_CI] = "x  C",
        [TS_RV_FMT_F4] = "fff ", [TS_RV_FMT_F3] = "fff ", [TS_RV_FMT_FF] = "ff  ",
        [TS_RV_FMT_FX] = "xf  ", [TS_RV_FMT_XF] = "fx  ", [TS_RV_FMT_FC] = "xff ",
        [TS_RV_FMT_FL] = "fx I", [TS_RV_FMT_FS] = " xfS", [TS_RV_FMT_N] = "    "};
    static int32_t (*const immediates[128])(uint32_t word) = {
        ['I'] = imm_i, ['S'] = imm_s,     ['B'] = imm_b,  ['U'] = imm_u,
        ['J'] = imm_j, ['H'] = imm_shift, ['C'] = imm_csr};
    const char *of = all[format];
    if (of[0] != ' ')
        insn->rd = of[0] == 'f' ? reg_f(word, 7) : reg_rd(word);
    if (of[1] != ' ')
        insn->rs1 = of[1] == 'f' ? reg_f(word, 15) : reg_x(word, 15);
    if (of[2] != ' ')
        insn->rs2 = of[2] == 'f' ? reg_f(word, 20) : reg_x(word, 20);
    if (format == TS_RV_FMT_F4)
        insn->rs3 = reg_f(word, 27);
    if (format == TS_RV_FMT_CI)
        insn->rs3 = reg_x(word, 15); // the 5-bit immediate; not a register operand
    if (of[3] != ' ')
        insn->imm = immediates[(uint8_t)of[3]](word);
}

struct ts_rv_insn ts_rv_decode(uint32_t word)
{
    struct ts_rv_insn insn = {.op = TS_RV_INVALID, .rd = TS_RV_SINK, .word = word};
    insn.cls = TS_RV_CLASS_NONE;
    if ((word & 3) != 3) {
        // .ttinsn: the Tensix word was rotated left by two; its top bits are never 11.
        insn.op = TS_RV_TTINSN;
        insn.cls = TS_RV_CLASS_TTINSN;
        insn.imm = (int32_t)(word >> 2 | word << 30);
        return insn;
    }
    for (unsigned op = 0; op < TS_RV_OP_COUNT; op++) {
        const struct ts_rv_row *row = &ROWS[op];
        if (row->mask != 0 && (word & row->mask) == row->match) {
            insn.op = (uint8_t)op;
            insn.cls = row->cls;
            if (row->cls == TS_RV_CLASS_LOAD || row->cls == TS_RV_CLASS_STORE)
                insn.size = (uint8_t)(1u << (word >> 12 & 3)); // funct3: 0 byte, 1 half, 2 word
            operands(&insn, (enum ts_rv_format)row->format, word);
            return insn;
        }
    }
    if (ts_rv_absent(word, NULL) != NULL)
        insn.op = TS_RV_ABSENT_OP;
    return insn;
}

static const struct {
    uint8_t last; // enum ts_rv_op
    const char *name;
} EXTENSIONS[] = {
#define TS_RV_EXTENSION(id, name, last) {TS_RV_##last, name},
#include "config/riscv.def"
};

uint32_t ts_rv_extension(enum ts_rv_op op)
{
    for (unsigned i = 0; op != TS_RV_LINE_END && i < sizeof EXTENSIONS / sizeof *EXTENSIONS; i++)
        if (op <= EXTENSIONS[i].last)
            return UINT32_C(1) << i;
    return UINT32_MAX;
}

const char *ts_rv_extension_name(uint32_t bit)
{
    return EXTENSIONS[__builtin_ctz(bit)].name;
}

uint32_t ts_rv_encode(enum ts_rv_op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
    const struct ts_rv_row *row = ts_rv_row(op);
    if (row == NULL)
        return 0;
    uint32_t i = (uint32_t)imm, d = (rd & 31) << 7, s1 = (rs1 & 31) << 15, s2 = (rs2 & 31) << 20;
    switch ((enum ts_rv_format)row->format) {
    case TS_RV_FMT_R:
    case TS_RV_FMT_A:
    case TS_RV_FMT_F3:
    case TS_RV_FMT_FC:
        return row->match | d | s1 | s2;
    case TS_RV_FMT_F4:
        return row->match | d | s1 | s2 | (i & 31) << 27;
    case TS_RV_FMT_R2:
    case TS_RV_FMT_FF:
    case TS_RV_FMT_FX:
    case TS_RV_FMT_XF:
        return row->match | d | s1;
    case TS_RV_FMT_SH:
        return row->match | d | s1 | (i & 31) << 20;
    case TS_RV_FMT_I:
    case TS_RV_FMT_L:
    case TS_RV_FMT_FL:
    case TS_RV_FMT_C:
    case TS_RV_FMT_CI:
        return row->match | d | s1 | i << 20;
    case TS_RV_FMT_S:
    case TS_RV_FMT_FS:
        return row->match | s1 | s2 | (i & 31) << 7 | (i >> 5) << 25;
    case TS_RV_FMT_B:
        return row->match | s1 | s2 | (i >> 12 & 1) << 31 | (i >> 5 & 63) << 25 |
               (i >> 1 & 15) << 8 | (i >> 11 & 1) << 7;
    case TS_RV_FMT_U:
        return row->match | d | (i & 0xfffff000u);
    case TS_RV_FMT_J:
        return row->match | d | (i >> 20 & 1) << 31 | (i >> 1 & 0x3ff) << 21 | (i >> 11 & 1) << 20 |
               (i >> 12 & 0xff) << 12;
    case TS_RV_FMT_N:
        break;
    }
    return row->match;
}

const struct ts_rv_row *ts_rv_row(enum ts_rv_op op)
{
    return op < TS_RV_OP_COUNT && ROWS[op].mask != 0 ? &ROWS[op] : NULL;
}

const char *ts_rv_mnemonic(enum ts_rv_op op)
{
    const struct ts_rv_row *row = ts_rv_row(op);
    if (row != NULL)
        return row->mnemonic;
    return op == TS_RV_TTINSN ? ".ttinsn" : "invalid";
}

const char *ts_rv_absent(uint32_t word, const char **mnemonic)
{
    for (size_t i = 0; i < sizeof ABSENT / sizeof ABSENT[0]; i++)
        if ((word & ABSENT[i].mask) == ABSENT[i].match) {
            if (mnemonic != NULL)
                *mnemonic = ABSENT[i].mnemonic;
            return ABSENT[i].why;
        }
    return NULL;
}

// NULL if the cores have no such CSR
static const char *csr_name(uint32_t csr)
{
    for (size_t i = 0; i < sizeof CSRS / sizeof CSRS[0]; i++)
        if (CSRS[i].number == csr)
            return CSRS[i].name;
    return NULL;
}

// Pseudo-instructions worth reading; everything else is printed as the table spells it.
static int pseudo(uint32_t pc, const struct ts_rv_insn *insn, char *text, size_t size)
{
    const char *rd = REGS[insn->rd], *rs1 = REGS[insn->rs1], *rs2 = REGS[insn->rs2];
    switch (insn->op) {
    case TS_RV_ADDI:
        if (insn->rd == TS_RV_SINK && insn->rs1 == 0 && insn->imm == 0)
            return snprintf(text, size, "nop");
        if (insn->rs1 == 0)
            return snprintf(text, size, "li %s,%d", rd, insn->imm);
        if (insn->imm == 0)
            return snprintf(text, size, "mv %s,%s", rd, rs1);
        break;
    case TS_RV_JAL:
        if (insn->rd == TS_RV_SINK)
            return snprintf(text, size, "j 0x%x", pc + (uint32_t)insn->imm);
        if (insn->rd == 1)
            return snprintf(text, size, "jal 0x%x", pc + (uint32_t)insn->imm);
        break;
    case TS_RV_JALR:
        if (insn->rd == TS_RV_SINK && insn->rs1 == 1 && insn->imm == 0)
            return snprintf(text, size, "ret");
        break;
    case TS_RV_BEQ:
        if (insn->rs2 == 0)
            return snprintf(text, size, "beqz %s,0x%x", rs1, pc + (uint32_t)insn->imm);
        break;
    case TS_RV_BNE:
        if (insn->rs2 == 0)
            return snprintf(text, size, "bnez %s,0x%x", rs1, pc + (uint32_t)insn->imm);
        break;
    case TS_RV_SUB:
        if (insn->rs1 == 0)
            return snprintf(text, size, "neg %s,%s", rd, rs2);
        break;
    }
    return -1;
}

int ts_rv_disassemble(uint32_t pc, uint32_t word, char *text, size_t size)
{
    const struct ts_rv_insn insn = ts_rv_decode(word);
    const char *name = ts_rv_mnemonic((enum ts_rv_op)insn.op);
    const char *rd = REGS[insn.rd], *rs1 = REGS[insn.rs1], *rs2 = REGS[insn.rs2];
    const uint32_t target = pc + (uint32_t)insn.imm;

    if (insn.op == TS_RV_TTINSN)
        return snprintf(text, size, ".ttinsn 0x%08x", (uint32_t)insn.imm);
    const struct ts_rv_row *row = ts_rv_row((enum ts_rv_op)insn.op);
    if (row == NULL) {
        const char *absent = NULL;
        if (ts_rv_absent(word, &absent) != NULL)
            return snprintf(text, size, "%s 0x%08x (not implemented)", absent, word);
        return snprintf(text, size, ".word 0x%08x", word);
    }
    int written = pseudo(pc, &insn, text, size);
    if (written >= 0)
        return written;
    switch ((enum ts_rv_format)row->format) {
    case TS_RV_FMT_R:
    case TS_RV_FMT_F3:
    case TS_RV_FMT_FC:
        return snprintf(text, size, "%s %s,%s,%s", name, rd, rs1, rs2);
    case TS_RV_FMT_F4:
        return snprintf(text, size, "%s %s,%s,%s,%s", name, rd, rs1, rs2, REGS[insn.rs3]);
    case TS_RV_FMT_R2:
    case TS_RV_FMT_FF:
    case TS_RV_FMT_FX:
    case TS_RV_FMT_XF:
        return snprintf(text, size, "%s %s,%s", name, rd, rs1);
    case TS_RV_FMT_I:
        if (insn.op == TS_RV_JALR)
            return snprintf(text, size, "jalr %s,%d(%s)", rd, insn.imm, rs1);
        return snprintf(text, size, "%s %s,%s,%d", name, rd, rs1, insn.imm);
    case TS_RV_FMT_SH:
        return snprintf(text, size, "%s %s,%s,0x%x", name, rd, rs1, (uint32_t)insn.imm);
    case TS_RV_FMT_L:
    case TS_RV_FMT_FL:
        return snprintf(text, size, "%s %s,%d(%s)", name, rd, insn.imm, rs1);
    case TS_RV_FMT_S:
    case TS_RV_FMT_FS:
        return snprintf(text, size, "%s %s,%d(%s)", name, rs2, insn.imm, rs1);
    case TS_RV_FMT_B:
        return snprintf(text, size, "%s %s,%s,0x%x", name, rs1, rs2, target);
    case TS_RV_FMT_U:
        return snprintf(text, size, "%s %s,0x%x", name, rd, (uint32_t)insn.imm >> 12);
    case TS_RV_FMT_J:
        return snprintf(text, size, "%s %s,0x%x", name, rd, target);
    case TS_RV_FMT_A:
        return snprintf(text, size, "%s %s,%s,(%s)", name, rd, rs2, rs1);
    case TS_RV_FMT_C:
    case TS_RV_FMT_CI: {
        const char *csr = csr_name((uint32_t)insn.imm);
        char number[16];
        snprintf(number, sizeof number, "0x%x", (uint32_t)insn.imm);
        if (row->format == TS_RV_FMT_CI)
            return snprintf(text, size, "%s %s,%s,%u", name, rd, csr ? csr : number, insn.rs3);
        return snprintf(text, size, "%s %s,%s,%s", name, rd, csr ? csr : number, rs1);
    }
    case TS_RV_FMT_N:
        break;
    }
    return snprintf(text, size, "%s", name);
}
