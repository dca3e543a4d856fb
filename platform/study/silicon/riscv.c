// Truth table: the baby cores. Guest programs made on the spot, timed in the simulator; the rows
// stand in config/silicon_riscv.def.
//
// Shapes, by what was measured:
//   PROBE16      loop of 16 instructions and addi, bne; cycles per body instruction, loop included
//   BLOCK        loop of 64 instructions and addi, bne; cycles per instruction, loop subtracted
//   LOOP         loop of n instructions and addi, bne; cycles per body instruction
//   RETIRED      loop of n instructions and addi, bne; cycles per retired instruction
//   COUNTED      loop of three instructions and the body; raw cycles of 10,000 rounds
//   RAW          the same; cycles per round
//   MINUS3       the same; cycles per round less the three of the loop
//   MINUS3_HALF  the same for two loads a round
#include "platform/study/silicon/silicon.h"

#include "cores/riscv/assemble.h"
#include "platform/kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum shape { PROBE16, BLOCK, LOOP, RETIRED, COUNTED, RAW, MINUS3, MINUS3_HALF };

// clang-format off
#define PROBES(X)                                                                                  \
    X(NONE) X(NOP) X(LUI) X(AUIPC) X(ADDI_DEP) X(ADDI_IND) X(ADD_DEP) X(ADD_IND) X(XOR_DEP)        \
    X(XOR_IND) X(XORI) X(ORI) X(ANDI) X(SLTIU) X(SEXT_H) X(ZEXT_H) X(SUB) X(OR) X(AND) X(SLL)      \
    X(SLT) X(SLTU) X(MIN) X(MINU) X(MAXU) X(CTZ) X(MUL_DEP) X(MUL_IND4) X(DIVU_ONE) X(DIVU_LARGE)  \
    X(DIVU_29) X(DIVU_DECAY) X(REMU_LARGE) X(FENCE) X(CSRRS) X(CSRRC) X(FADD_DEP) X(FADD_IND4)     \
    X(FMUL_DEP) X(FMADD_DEP) X(NEVER) X(TAKEN) X(XORI_ALTERNATE) X(XORI_TAKEN) X(BEQ_NOT)          \
    X(BNE_TAKEN) X(BLT_TAKEN) X(BGE_TAKEN) X(BGE_NOT) X(BLTU_TAKEN) X(BLTU_NOT) X(BGEU_TAKEN)      \
    X(BGEU_NOT) X(JAL) X(JALR3) X(CHASE_L1) X(CHASE_L1_8) X(CHASE_L1_64) X(CHASE_LOCAL) X(LOAD_L1) \
    X(LBU_L1) X(LHU_L1) X(LOAD_L1_OWN) X(LOAD_L1_IND4) X(LOAD_L1_IND8) X(LOAD_LOCAL)               \
    X(LOAD_LOCAL_IND4) X(LOAD_USE0) X(LOAD_USE1) X(LOAD_USE2) X(LOAD_USE4) X(PAIR_L1) X(RMW_L1)    \
    X(STORE_L1_SAME) X(SB_L1) X(SH_L1) X(STORE_L1_OWN) X(STORE_L1_COALESCED) X(STORE_L1_ROTATE)    \
    X(STORE_LOCAL) X(SLOW_B) X(SLOW_NC) X(SLOW_T0) X(SLOW_NEXT) X(SLOW_CONTESTED) X(SLOW_CHASE2)   \
    X(WALL) X(NOC_STATUS)
// clang-format on

enum probe {
#define X(name) name,
    PROBES(X)
#undef X
};

static const char *const probe_names[] = {
#define X(name) #name,
    PROBES(X)
#undef X
};

struct row {
    struct ts_silicon_row base;
    uint8_t shape, probe;
    uint16_t count;
    uint32_t cfg0;
    uint8_t timed;  // enum ts_rv_id
    uint8_t active; // mask of cores
};

static const struct row rows[] = {
#define TS_SILICON(name, value, how, what, copies, cfg, core, mask) \
    {.base = {.id = #name, .measured = value},                      \
     .shape = how,                                                  \
     .probe = what,                                                 \
     .count = copies,                                               \
     .cfg0 = cfg,                                                   \
     .timed = TS_RV_##core,                                         \
     .active = mask},
#define TS_SILICON_OFF(name, value, how, what, copies, cfg, core, mask, why) \
    {.base = {.id = #name, .measured = value, .cause = why},                 \
     .shape = how,                                                           \
     .probe = what,                                                          \
     .count = copies,                                                        \
     .cfg0 = cfg,                                                            \
     .timed = TS_RV_##core,                                                  \
     .active = mask},
#include "config/silicon_riscv.def"
};

#define SHARED 0x20000u
#define OWN    0x30000u
#define RING1  0x20100u
#define RING8  0x20200u
#define RING64 0x21000u

// The cores without a kernel are in reset (boopdotpng's rows), or in the vendor's firmware (tt-sim's): it polls its mailbox.
// There, the lines are where the source says (0x17d440), in the banks around the mailbox.
#define MAILBOX 0x38068u // as the firmware's, 0x68, in bank 6
#define GO      0x80808080u
#define LINES   0x40u // from bank 4 on

static bool vendors(const struct row *row)
{
    return row->base.id[0] == 'S';
}

// Registers: x5 shared line, x6 own line, x7 local RAM, x8 register or slow alias, x9 ring; x10-x13
// results; x14, x15 operands; x20 count; x21 zero that is not x0.
static const uint32_t slow_base[TS_RV_CORES] = {0xffb14000, 0xffb18000, 0xffb1a000, 0xffb1c000,
                                                0xffb16000};

static void set_up(struct ts_rvasm *code, enum probe probe, unsigned core, uint32_t lines)
{
    uint32_t other = core == TS_RV_NCRISC ? TS_RV_BRISC : core + 1;
    uint32_t far = probe == SLOW_B || probe == SLOW_CONTESTED || probe == SLOW_CHASE2
                       ? slow_base[TS_RV_BRISC]
                   : probe == SLOW_NC    ? slow_base[TS_RV_NCRISC]
                   : probe == SLOW_T0    ? slow_base[TS_RV_TRISC0]
                   : probe == SLOW_NEXT  ? slow_base[other]
                   : probe == NOC_STATUS ? 0xffb20200u
                                         : 0xffb121f0u;
    ts_rvasm_li(code, 5, SHARED + lines);
    // The sources' own lines: 64 bytes apart, or 2048, in the same banks.
    bool near = probe == LOAD_L1_OWN || probe == STORE_L1_OWN;
    ts_rvasm_li(code, 6, OWN + lines + core * (near ? 64 : 2048));
    ts_rvasm_li(code, 7, TS_RV_LOCAL_BASE);
    ts_rvasm(code, TS_RV_SW, 0, 7, 7, 0); // a pointer to itself, and the end of the RAM's clearing
    ts_rvasm(code, TS_RV_LW, 10, 7, 0, 0);
    ts_rvasm(code, TS_RV_ADD, 10, 10, 0, 0);
    ts_rvasm_li(code, 8, far);
    ts_rvasm_li(code, 9, probe == CHASE_L1_8 ? RING8 : probe == CHASE_L1_64 ? RING64 : RING1);
    ts_rvasm_li(code, 10, probe == DIVU_DECAY ? 0x7fffffff : 1);
    ts_rvasm_li(code, 14, probe == DIVU_ONE ? 3 : probe == DIVU_29 ? 0x12345678 : 0xffffffff);
    ts_rvasm_li(code, 15, probe == DIVU_ONE ? 1 : 3);
    ts_rvasm(code, TS_RV_ADDI, 21, 0, 0, 0);
    for (unsigned f = 0; f < 10; f++)
        ts_rvasm(code, TS_RV_FMV_W_X, f, 0, 0, 0);
}

static void load_use(struct ts_rvasm *code, unsigned fillers)
{
    ts_rvasm(code, TS_RV_LW, 10, 5, 0, 0);
    for (unsigned i = 0; i < fillers; i++)
        ts_rvasm(code, TS_RV_ADDI, 16 + i, 0, 0, 1);
    ts_rvasm(code, TS_RV_ADD, 11, 10, 15, 0);
}

// Probes that are one instruction: the k-th copy.
static bool simple(struct ts_rvasm *code, enum probe probe, unsigned k)
{
    static const struct {
        uint8_t probe, op, rd, rs1, rs2;
        int16_t imm;
    } copies[] = {
        {NOP, TS_RV_ADDI, 0, 0, 0, 0},           {ADDI_DEP, TS_RV_ADDI, 10, 10, 0, 1},
        {ADD_DEP, TS_RV_ADD, 10, 10, 15, 0},     {XOR_DEP, TS_RV_XOR, 10, 10, 15, 0},
        {XORI, TS_RV_XORI, 10, 10, 0, 1},        {ORI, TS_RV_ORI, 10, 10, 0, 1},
        {ANDI, TS_RV_ANDI, 10, 10, 0, 1},        {SLTIU, TS_RV_SLTIU, 10, 10, 0, 1},
        {SEXT_H, TS_RV_SEXT_H, 10, 10, 0, 0},    {ZEXT_H, TS_RV_ZEXT_H, 10, 10, 0, 0},
        {SUB, TS_RV_SUB, 10, 10, 15, 0},         {OR, TS_RV_OR, 10, 10, 15, 0},
        {AND, TS_RV_AND, 10, 10, 15, 0},         {SLL, TS_RV_SLL, 10, 10, 15, 0},
        {SLT, TS_RV_SLT, 10, 10, 15, 0},         {SLTU, TS_RV_SLTU, 10, 10, 15, 0},
        {MIN, TS_RV_MIN, 10, 10, 15, 0},         {MINU, TS_RV_MINU, 10, 10, 15, 0},
        {MAXU, TS_RV_MAXU, 10, 10, 15, 0},       {CTZ, TS_RV_CTZ, 10, 10, 0, 0},
        {MUL_DEP, TS_RV_MUL, 10, 10, 15, 0},     {DIVU_ONE, TS_RV_DIVU, 10, 14, 15, 0},
        {DIVU_LARGE, TS_RV_DIVU, 10, 14, 15, 0}, {DIVU_29, TS_RV_DIVU, 10, 14, 15, 0},
        {DIVU_DECAY, TS_RV_DIVU, 10, 10, 15, 0}, {REMU_LARGE, TS_RV_REMU, 10, 14, 15, 0},
        {FENCE, TS_RV_FENCE, 0, 0, 0, 0},        {FADD_DEP, TS_RV_FADD_S, 1, 1, 2, 0},
        {FMUL_DEP, TS_RV_FMUL_S, 1, 1, 2, 0},    {FMADD_DEP, TS_RV_FMADD_S, 1, 1, 2, 3},
        {NEVER, TS_RV_BNE, 0, 0, 0, 8},          {TAKEN, TS_RV_BEQ, 0, 0, 0, 4},
        {BEQ_NOT, TS_RV_BEQ, 0, 15, 0, 8},       {BNE_TAKEN, TS_RV_BNE, 0, 15, 0, 4},
        {BLT_TAKEN, TS_RV_BLT, 0, 0, 15, 4},     {BGE_TAKEN, TS_RV_BGE, 0, 15, 0, 4},
        {BGE_NOT, TS_RV_BGE, 0, 0, 15, 8},       {BLTU_TAKEN, TS_RV_BLTU, 0, 0, 15, 4},
        {BLTU_NOT, TS_RV_BLTU, 0, 15, 0, 8},     {BGEU_TAKEN, TS_RV_BGEU, 0, 15, 0, 4},
        {BGEU_NOT, TS_RV_BGEU, 0, 0, 15, 8},     {JAL, TS_RV_JAL, 0, 0, 0, 4},
        {CHASE_L1, TS_RV_LW, 9, 9, 0, 0},        {CHASE_L1_8, TS_RV_LW, 9, 9, 0, 0},
        {CHASE_L1_64, TS_RV_LW, 9, 9, 0, 0},     {CHASE_LOCAL, TS_RV_LW, 7, 7, 0, 0},
        {LOAD_L1, TS_RV_LW, 10, 5, 0, 0},        {LBU_L1, TS_RV_LBU, 10, 5, 0, 0},
        {LHU_L1, TS_RV_LHU, 10, 5, 0, 0},        {LOAD_L1_OWN, TS_RV_LW, 10, 6, 0, 0},
        {LOAD_LOCAL, TS_RV_LW, 10, 7, 0, 0},     {STORE_L1_SAME, TS_RV_SW, 0, 5, 15, 0},
        {SB_L1, TS_RV_SB, 0, 5, 15, 0},          {SH_L1, TS_RV_SH, 0, 5, 15, 0},
        {STORE_L1_OWN, TS_RV_SW, 0, 6, 15, 0},   {STORE_LOCAL, TS_RV_SW, 0, 7, 15, 16},
        {SLOW_B, TS_RV_LW, 10, 8, 0, 0},         {SLOW_NC, TS_RV_LW, 10, 8, 0, 0},
        {SLOW_T0, TS_RV_LW, 10, 8, 0, 0},        {SLOW_NEXT, TS_RV_LW, 10, 8, 0, 0},
        {WALL, TS_RV_LW, 10, 8, 0, 0},           {NOC_STATUS, TS_RV_LW, 10, 8, 0, 0},
    };
    (void)k;
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        if (copies[i].probe == probe) {
            ts_rvasm(code, (enum ts_rv_op)copies[i].op, copies[i].rd, copies[i].rs1, copies[i].rs2,
                     copies[i].imm);
            return true;
        }
    return false;
}

static void body(struct ts_rvasm *code, enum probe probe, unsigned k, unsigned core)
{
    if (simple(code, probe, k))
        return;
    unsigned rotate = 10 + k % 4;
    switch (probe) {
    case LUI:
        ts_rvasm(code, TS_RV_LUI, 10, 0, 0, 0x1000);
        break;
    case AUIPC:
        ts_rvasm(code, TS_RV_AUIPC, 10, 0, 0, 0x1000);
        break;
    case ADDI_IND:
        ts_rvasm(code, TS_RV_ADDI, rotate, 15, 0, 1);
        break;
    case ADD_IND:
        ts_rvasm(code, TS_RV_ADD, rotate, 15, 14, 0);
        break;
    case XOR_IND:
        ts_rvasm(code, TS_RV_XOR, rotate, 15, 14, 0);
        break;
    case MUL_IND4:
        ts_rvasm(code, TS_RV_MUL, rotate, 15, 14, 0);
        break;
    case FADD_IND4:
        ts_rvasm(code, TS_RV_FADD_S, 1 + k % 4, 8, 9, 0);
        break;
    case CSRRS:
        ts_rvasm(code, TS_RV_CSRRS, 10, 0, 0, 0xc00);
        break;
    case CSRRC:
        ts_rvasm(code, TS_RV_CSRRC, 10, 0, 0, 0xc00);
        break;
    case XORI_ALTERNATE:
        ts_rvasm(code, TS_RV_XORI, 10, 10, 0, 1);
        ts_rvasm(code, TS_RV_BNE, 0, 10, 0, 4);
        break;
    case XORI_TAKEN:
        ts_rvasm(code, TS_RV_XORI, 10, 10, 0, 1);
        ts_rvasm(code, TS_RV_BEQ, 0, 0, 0, 4);
        break;
    case JALR3:
        ts_rvasm(code, TS_RV_AUIPC, 10, 0, 0, 0);
        ts_rvasm(code, TS_RV_ADDI, 10, 10, 0, 12);
        ts_rvasm(code, TS_RV_JALR, 0, 10, 0, 0);
        break;
    case LOAD_L1_IND4:
        ts_rvasm(code, TS_RV_LW, rotate, 5, 0, (int32_t)(k % 4 * 16));
        break;
    case LOAD_L1_IND8:
        ts_rvasm(code, TS_RV_LW, 10 + k % 4, 5, 0, (int32_t)(k % 8 * 4));
        break;
    case LOAD_LOCAL_IND4:
        ts_rvasm(code, TS_RV_LW, rotate, 7, 0, (int32_t)(k % 4 * 4));
        break;
    case LOAD_USE0:
        load_use(code, 0);
        break;
    case LOAD_USE1:
        load_use(code, 1);
        break;
    case LOAD_USE2:
        load_use(code, 2);
        break;
    case LOAD_USE4:
        load_use(code, 4);
        break;
    case PAIR_L1:
        ts_rvasm(code, TS_RV_SW, 0, 5, 15, 0);
        ts_rvasm(code, TS_RV_LW, 10, 5, 0, 0);
        break;
    case RMW_L1:
        ts_rvasm(code, TS_RV_LW, 10, 5, 0, 0);
        ts_rvasm(code, TS_RV_ADDI, 10, 10, 0, 1);
        ts_rvasm(code, TS_RV_SW, 0, 5, 10, 0);
        break;
    case STORE_L1_COALESCED:
        ts_rvasm(code, TS_RV_SW, 0, 6, 15, (int32_t)(k % 4 * 4));
        break;
    case STORE_L1_ROTATE:
        ts_rvasm(code, TS_RV_SW, 0, 6, 15, (int32_t)(k % 4 * 16));
        break;
    case SLOW_CONTESTED: // the owner writes its own RAM, the others read it from outside
        if (core == TS_RV_BRISC)
            ts_rvasm(code, TS_RV_SW, 0, 7, 15, 16);
        else
            ts_rvasm(code, TS_RV_LW, 10, 8, 0, 16);
        break;
    case SLOW_CHASE2:
        ts_rvasm(code, TS_RV_LW, 10, 8, 0, 32);
        ts_rvasm(code, TS_RV_ADD, 11, 10, 8, 0);
        ts_rvasm(code, TS_RV_LW, 12, 11, 0, 32);
        break;
    default:
        break;
    }
}

// The vendor's firmware in a core without a kernel polls its byte of the mailbox, BRISC all four, instruction by instruction as in
// https://github.com/boopdotpng/tenstorrent-docs (disasms, firmware_*.s). The timed core lets it go.
static void firmware(struct ts_rvasm *code, unsigned core)
{
    uint32_t loop;
    code->count = 0;
    code->overflow = false;
    ts_rvasm_li(code, 5, MAILBOX);
    ts_rvasm_li(code, 6, GO & (core == TS_RV_BRISC ? 0xffffffff : 0xff));
    ts_rvasm_li(code, 10, 0x60008);
    ts_rvasm(code, TS_RV_CSRRW, 0, 10, 0, 0x7c0);
    switch (core) {
    case TS_RV_BRISC:
        loop = ts_rvasm_here(code);
        ts_rvasm(code, TS_RV_LW, 10, 5, 0, 0);
        ts_rvasm(code, TS_RV_BEQ, 0, 10, 6, 12);
        ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
        ts_rvasm_back(code, TS_RV_BEQ, 0, 0, loop);
        break;
    case TS_RV_NCRISC:
        loop = ts_rvasm_here(code);
        ts_rvasm(code, TS_RV_LBU, 10, 5, 0, 0);
        ts_rvasm(code, TS_RV_ANDI, 11, 10, 0, 0xff);
        ts_rvasm(code, TS_RV_ADDI, 10, 10, 0, -128);
        ts_rvasm(code, TS_RV_BEQ, 0, 10, 0, 20);
        ts_rvasm(code, TS_RV_ADDI, 10, 11, 0, -1);
        ts_rvasm(code, TS_RV_BEQ, 0, 10, 0, 12);
        ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
        ts_rvasm_back(code, TS_RV_BEQ, 0, 0, loop);
        break;
    case TS_RV_TRISC0:
        ts_rvasm_li(code, 7, 3);
        loop = ts_rvasm_here(code);
        ts_rvasm(code, TS_RV_LBU, 10, 5, 0, 1);
        ts_rvasm(code, TS_RV_BEQ, 0, 10, 7, 16);
        ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
        ts_rvasm(code, TS_RV_LBU, 10, 5, 0, 1);
        ts_rvasm_back(code, TS_RV_BNE, 10, 6, loop);
        break;
    default:
        loop = ts_rvasm_here(code);
        ts_rvasm(code, TS_RV_FENCE, 0, 0, 0, 0);
        ts_rvasm(code, TS_RV_LBU, 10, 5, 0, (int32_t)core);
        ts_rvasm_back(code, TS_RV_BNE, 10, 6, loop);
        break;
    }
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

static void program(struct ts_rvasm *code, const struct row *row, unsigned core, uint32_t rounds)
{
    code->count = 0;
    code->overflow = false;
    ts_rvasm_li(code, 10, row->cfg0);
    ts_rvasm(code, TS_RV_CSRRW, 0, 10, 0, 0x7c0);
    set_up(code, (enum probe)row->probe, core, vendors(row) ? LINES : 0);
    ts_rvasm_li(code, 20, rounds);
    while (code->count % 4 != 0)
        ts_rvasm(code, TS_RV_ADDI, 0, 0, 0, 0);
    uint32_t loop = ts_rvasm_here(code);
    for (unsigned k = 0; k < row->count && row->probe != NONE; k++)
        body(code, (enum probe)row->probe, k, core);
    ts_rvasm(code, TS_RV_ADDI, 20, 20, 0, -1);
    if (row->shape == COUNTED || row->shape == RAW || row->shape >= MINUS3)
        ts_rvasm(code, TS_RV_ADDI, 22, 0, 0, 0);
    if (row->count < 900) {
        ts_rvasm_back(code, TS_RV_BNE, 20, 0, loop);
    } else {
        ts_rvasm(code, TS_RV_BEQ, 0, 20, 0, 8);
        ts_rvasm(code, TS_RV_JAL, 0, 0, 0, ((int32_t)loop - (int32_t)code->count) * 4);
    }
    if (core == row->timed) {
        ts_rvasm_li(code, 10, GO);
        ts_rvasm_li(code, 5, MAILBOX);
        ts_rvasm(code, TS_RV_SW, 0, 5, 10, 0);
    }
    ts_rvasm(code, TS_RV_JAL, 0, 0, 0, 0);
}

static enum ts_rv_answer zero_load(void *context, unsigned core, uint32_t address, unsigned size,
                                   ts_cycle now, struct ts_rv_reply *reply)
{
    (void)context;
    (void)core;
    (void)address;
    (void)size;
    (void)now;
    reply->value = 0;
    return TS_RV_DONE;
}

static void ring(struct ts_tile *tile, uint32_t base, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t next = base + (i + 1) % nodes * 16;
        ts_l1_write(&tile->l1, base + i * 16, &next, 4, 0);
    }
}

// The cycle the timed core has gone through its rounds in.
static bool time_rounds(const struct row *row, const struct ts_silicon_context *context,
                        uint32_t rounds, double *cycles, struct ts_error *error)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile *tile = ts_tile_new(ts_domain_new(kernel, "tile"), &context->tile, error);
    struct ts_rvasm *code = calloc(1, sizeof *code);
    bool good = tile && code && ts_kernel_elaborate(kernel, error) == TS_OK;
    if (good) {
        ts_tile_plug(tile, TS_DEVICE_NOC0, &(struct ts_window){.load = zero_load});
        ring(tile, RING1, 1);
        ring(tile, RING8, 8);
        ring(tile, RING64, 64);
        for (unsigned core = 0; core < TS_RV_CORES && good; core++) {
            uint32_t pc = core == 0 ? 0 : 0x4000 * core;
            if (row->active >> core & 1)
                program(code, row, core, rounds);
            else if (vendors(row))
                firmware(code, core);
            else
                continue;
            ts_l1_write(&tile->l1, pc, code->words, code->count * 4, 0);
            good = ts_tile_start(tile, core, pc, 0, error);
        }
    }
    if (good) {
        struct ts_run result = ts_kernel_run(kernel, 1u << 30);
        good = result.stop == TS_STOP_DONE;
        if (!good)
            ts_fail(error, TS_BUG, "%s: %s %s", row->base.id, ts_stop_name(result.stop),
                    result.error.text);
        *cycles = (double)ts_rv_core_time(&tile->cores[row->timed]);
    }
    ts_tile_free(tile);
    free(code);
    ts_kernel_free(kernel);
    return good;
}

static void run(const struct ts_silicon_row *base, const struct ts_silicon_context *context,
                double *simulated, struct ts_error *error)
{
    const struct row *row = (const struct row *)base;
    // A slope between two lengths, so that what is before and after the loop does not count.
    const uint32_t few = 128, many = row->count > 512 ? 160 : 1128;
    double first, second;
    if (!time_rounds(row, context, few, &first, error) ||
        !time_rounds(row, context, many, &second, error))
        return;
    double per_round = (second - first) / (many - few);
    double value = 0;
    switch ((enum shape)row->shape) {
    case PROBE16:
        value = per_round / 16;
        break;
    case BLOCK:
        value = (per_round - 2) / row->count;
        break;
    case LOOP:
        value = (per_round - 2) / row->count;
        break;
    case RETIRED:
        value = per_round / (row->count + 2);
        break;
    case COUNTED:
        value = per_round * 10000;
        break;
    case RAW:
        value = per_round;
        break;
    case MINUS3:
        value = per_round - 3;
        break;
    case MINUS3_HALF:
        value = (per_round - 3) / 2;
        break;
    }
    *simulated = value;
}

static void describe(const struct ts_silicon_row *base, struct ts_silicon_text *text)
{
    static const char *const metrics[] = {
        [PROBE16] = "cycles per instruction, loop included",
        [BLOCK] = "cycles per instruction",
        [LOOP] = "cycles per instruction",
        [RETIRED] = "cycles per retired instruction",
        [COUNTED] = "cycles of 10,000 rounds",
        [RAW] = "cycles per round",
        [MINUS3] = "cycles per round, less the loop",
        [MINUS3_HALF] = "cycles per load, less the loop",
    };
    static const char *const cores[] = {
        [TS_RV_BRISC] = "BRISC",   [TS_RV_TRISC0] = "TRISC0", [TS_RV_TRISC1] = "TRISC1",
        [TS_RV_TRISC2] = "TRISC2", [TS_RV_NCRISC] = "NCRISC",
    };
    const struct row *row = (const struct row *)base;
    unsigned beside = 0;
    for (unsigned core = 0; core < TS_RV_CORES; core++)
        beside += (row->active >> core & 1) && core != row->timed;
    int n = snprintf(text->workload, sizeof text->workload, "%s x %u on %s",
                     probe_names[row->probe], row->count, cores[row->timed]);
    if (beside)
        snprintf(text->workload + n, sizeof text->workload - (size_t)n, ", %u more cores", beside);
    text->metric = metrics[row->shape];
}

const struct ts_silicon_family ts_silicon_riscv = {
    .name = "riscv",
    .title = "baby RISC-V cores and their memory",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .size = sizeof *rows,
    .run = run,
    .describe = describe,
    .median = 0.02,
    .p90 = 0.05,
    .groups = "riscv",
};
