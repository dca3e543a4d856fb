// Everything that the vendor's own kernels (tests of tt-llk) use: 85 instructions, 39 configuration
// words, 32 thread registers, and those of them that the functional reference refuses. Each is used
// once here, on a complete coprocessor, and none may end in "not implemented".
//
// Config words go further: every field of every word is set alone, on top of a working
// configuration, and a tile is unpacked, multiplied and packed. `refused` lists exactly the fields
// that are then refused: none of them has a public specification, and no kernel sets them so. One
// file: instructions and words run on the same set-up of a coprocessor.
#include "platform/kernel/kernel.h"
#include "platform/tile/hooks.h"
#include "tests/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OP(name)       ((uint32_t)TS_OP_##name << 24)
#define SETC16(r, v)   (OP(SETC16) | (uint32_t)(r) << 16 | (uint32_t)(v))
#define REPLAY(n, rec) (OP(REPLAY) | (uint32_t)(n) << 4 | (rec))
#define VALID          (OP(SETDVALID) | 3)
#define UNPACR(e)      (OP(UNPACR) | (uint32_t)(e) << 23 | 1u << 15 | 1u << 7 | 1u << 6 | 1)
#define PACR           (OP(PACR) | 1u << 8 | 1)

struct pusher {
    struct ts_component component;
    struct ts_frontend *front;
    const uint32_t *words;
    unsigned count, next;
};

struct rig {
    struct ts_kernel *kernel;
    struct ts_tile *tile;
    struct pusher pusher[TS_THREADS];
};

static ts_step push(struct ts_component *component, ts_cycle now)
{
    struct pusher *self = (struct pusher *)component;
    if (self->next == self->count)
        return ts_finish(component, now);
    struct ts_hold hold;
    if (!ts_frontend_push(self->front, &self->words[self->next], 1, now, &hold))
        return ts_block(component, now, hold.reason, hold.object);
    self->next++;
    return 1;
}

static const struct ts_component_ops pusher_ops = {.kind = "pusher", .step = push};

// A configuration as the kernels set it up: BF16 in, BF16 out, tiles of 32 by 32.
static const struct {
    unsigned index;
    uint32_t value;
} basis[] = {
    {0, 0},
    {1, 5u << 17 | 5u << 21 | 5u << 25},
    {2, 0},
    {12, 2 | 32u << 16},
    {13, 512 | 2048u << 16},
    {15, 0},
    {18, 0},
    {20, 0},
    {21, 0},
    {24, 0xffff},
    {25, 0},
    {28, 16u << 8 | 1u << 16 | 1},
    {50, 0x100},
    {57, 512 | 2048u << 16},
    {59, 512 | 2048u << 16},
    {64, 5 | 0x10 | 256u << 16},
    {65, 1 | 4u << 16},
    {68, 4u << 16},
    {69, (0x30000 >> 4) - 1},
    {70, 1 | 5 << 4 | 5 << 8},
    {71, 0},
    {72, 0x20 | 5},
    {73, 0x03},
    {76, (0x20000 >> 4) - 1},
    {77, (0x20000 >> 4) - 1},
    {84, 64 | 64u << 16},
    {86, 256 | 256u << 16},
    {112, 5 | 0x10 | 256u << 16},
    {113, 1 | 4u << 16},
    {119, 0},
    {120, 0x20 | 5},
    {121, 0x03},
    {124, (0x24000 >> 4) - 1},
    {125, (0x24000 >> 4) - 1},
    {180, 0},
    {181, 0},
    {182, 0},
    {183, 0},
    {220, 0},
};

static struct rig *rig_new(void)
{
    struct rig *rig = aligned_alloc(_Alignof(struct rig), sizeof *rig);
    memset(rig, 0, sizeof *rig);
    struct ts_error error = {0};
    rig->kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_domain *domain = ts_domain_new(rig->kernel, "tile");
    for (unsigned t = 0; t < TS_THREADS; t++)
        ts_component_init(&rig->pusher[t].component, &pusher_ops, domain, "pusher[%u]", t);
    rig->tile = ts_tile_new(domain, NULL, &error);
    ck_assert_ptr_nonnull(rig->tile);
    for (unsigned t = 0; t < TS_THREADS; t++)
        rig->pusher[t].front = &rig->tile->front[t];
    ck_assert_msg(ts_kernel_elaborate(rig->kernel, &error) == TS_OK, "%s", error.text);
    for (unsigned i = 0; i < sizeof basis / sizeof *basis; i++)
        for (unsigned bank = 0; bank < 2; bank++)
            ts_cfg_write(&rig->tile->tensix.cfg, bank, basis[i].index, basis[i].value, false);
    for (unsigned i = 0; i < 0x8000; i++)
        rig->tile->l1.bytes[0x20000 + i] = (uint8_t)(i & 1 ? 0x3f : i);
    rig->tile->tensix.cfg.thd[0][5] = 4; // SRCA_SET_SetOvrdWithAddr
    return rig;
}

static struct ts_run rig_run(struct rig *rig, unsigned thread, const uint32_t *words,
                             unsigned count)
{
    rig->pusher[thread].words = words;
    rig->pusher[thread].count = count;
    return ts_kernel_run(rig->kernel, 20000);
}

static void rig_free(struct rig *rig)
{
    ts_tile_free(rig->tile);
    ts_kernel_free(rig->kernel);
    free(rig);
}

// ---- instructions

static const struct use {
    uint8_t op;
    uint8_t thread;
    uint32_t words[6]; // ends with a 0
} uses[] = {
#define U(name, thread, ...)  \
    {                         \
        TS_OP_##name, thread, \
        {                     \
            __VA_ARGS__       \
        }                     \
    }
    U(NOP, 0, OP(NOP)),
    U(SFPENCC, 1, OP(SFPENCC) | 2),
    U(ZEROACC, 1, OP(ZEROACC) | 3u << 19),
    U(SFPCONFIG, 1, OP(SFPCONFIG) | 15 << 4 | 1),
    U(SEMINIT, 0, OP(SEMINIT) | 1u << 20 | 4),
    U(DMANOP, 2, OP(DMANOP)),
    U(ATGETM, 0, OP(ATGETM), OP(ATRELM)),
    U(SETADCXX, 0, OP(SETADCXX) | 3u << 21 | 255u << 10),
    U(WRCFG, 0, OP(SETDMAREG) | 5u << 8 | 8, OP(WRCFG) | 4u << 16 | 69),
    U(SETRWC, 1, OP(SETRWC) | 15),
    U(SETADCZW, 0, OP(SETADCZW) | 3u << 21 | 15),
    U(SETC16, 1, SETC16(12, 8)),
    U(SETDMAREG, 2, OP(SETDMAREG) | 5u << 8 | 8),
    U(ATRELM, 2, OP(ATGETM) | 2, OP(ATRELM) | 2),
    U(SETADCXY, 0, OP(SETADCXY) | 4u << 21 | 11),
    U(STALLWAIT, 1, OP(STALLWAIT) | 2u << 15 | 16),
    U(UNPACR, 0, OP(SETADCXX) | 3u << 21 | 255u << 10, UNPACR(0), UNPACR(1)),
    U(MOP, 0, OP(MOP) | 1u << 23 | 0, OP(NOP)),
    U(RMWCIB0, 0, OP(RMWCIB0) | 0xffu << 16 | 4 << 8 | 71),
    U(RMWCIB1, 0, OP(RMWCIB1) | 0xffu << 16 | 0 << 8 | 71),
    U(RMWCIB2, 0, OP(RMWCIB2) | 0x08u << 16 | 8u << 8 | 71),
    U(RMWCIB3, 0, OP(RMWCIB3) | 0x20u << 16 | 0x20u << 8 | 1),
    U(SEMGET, 0, OP(SEMINIT) | 2u << 20 | 1u << 16 | 4, OP(SEMGET) | 4),
    U(SETADC, 2, OP(SETADC) | 4u << 21 | 3u << 18 | 1),
    U(PACR, 2, OP(SETADCXX) | 4u << 21 | 15u << 10, PACR),
    U(SEMPOST, 0, OP(SEMINIT) | 2u << 20 | 4, OP(SEMPOST) | 4),
    U(SEMWAIT, 1, OP(SEMINIT) | 2u << 20 | 1u << 16 | 4, OP(SEMWAIT) | 2u << 15 | 4 | 1, OP(NOP)),
    U(REPLAY, 1, REPLAY(2, 1), OP(NOP), OP(SFPNOP), REPLAY(2, 0)),
    U(UNPACR_NOP, 0, OP(UNPACR_NOP) | 1u << 8 | 1), // clears SrcA and hands it over
    U(RDCFG, 0, OP(RDCFG) | 4u << 16 | 76),
    U(ADDDMAREG, 0, OP(ADDDMAREG) | 5u << 12 | 6 << 6 | 4),
    U(MVMUL, 1, VALID, OP(MVMUL)),
    U(MULDMAREG, 0, OP(MULDMAREG) | 5u << 12 | 6 << 6 | 4),
    U(SFPSTORE, 1, OP(SFPSTORE) | 3u << 16),
    U(SFPLOAD, 1, OP(SFPLOAD) | 3u << 16),
    U(MOVA2D, 1, VALID, OP(MOVA2D) | 2 << 12),
    U(INCRWC, 1, OP(INCRWC) | 2u << 14),
    U(ELWADD, 1, VALID, OP(ELWADD) | 1u << 21),
    U(SFPNOP, 1, OP(SFPNOP)),
    U(SFPLOADI, 1, OP(SFPLOADI) | 0x3f80),
    U(SFPADD, 1, OP(SFPADD) | 10u << 16 | 1 << 8),
    U(SFPMAD, 1, OP(SFPMAD) | 1u << 16 | 2u << 12 | 3 << 8),
    U(SFPMUL, 1, OP(SFPMUL) | 1u << 16 | 2u << 12 | 9 << 8),
    U(SFPSETCC, 1, OP(SFPSETCC) | 1 << 8),
    U(SFPMOV, 1, OP(SFPMOV) | 1 << 8 | 2 << 4),
    U(CLEARDVALID, 1, VALID, OP(CLEARDVALID) | 3u << 22),
    U(MOVD2B, 1, VALID, OP(MOVD2B) | 2u << 12),
    U(SFPIADD, 1, OP(SFPIADD) | 1 << 8 | 1 | 4),
    U(TRNSPSRCB, 1, VALID, OP(TRNSPSRCB)),
    U(INCADCZW, 2, OP(INCADCZW) | 4u << 21 | 1u << 6),
    U(SFPCAST, 1, OP(SFPCAST) | 1 << 8 | 2 << 4),
    U(ELWMUL, 1, VALID, OP(ELWMUL)),
    U(MOVB2A, 1, VALID, OP(MOVB2A) | 2u << 12),
    U(SFPSETEXP, 1, OP(SFPSETEXP) | 127u << 12 | 1 << 8 | 1),
    U(SFPEXEXP, 1, OP(SFPEXEXP) | 1 << 8),
    U(ADDRCRZW, 2, OP(ADDRCRZW) | 4u << 21 | 1u << 6 | 1),
    U(SFP_STOCH_RND, 1, OP(SFP_STOCH_RND) | 1u << 21 | 1 << 8 | 1), // stochastic, to BF16
    U(SFPSHFT, 1, OP(SFPSHFT) | 1u << 12 | 1),
    U(SFPSETSGN, 1, OP(SFPSETSGN) | 1u << 12 | 1),
    U(SFPCOMPC, 1, OP(SFPENCC) | 2, OP(SFPPUSHC), OP(SFPCOMPC)),
    U(INCADCXY, 2, OP(INCADCXY) | 4u << 21 | 1u << 9),
    U(ELWSUB, 1, VALID, OP(ELWSUB)),
    U(SFPABS, 1, OP(SFPABS) | 1 << 8 | 1),
    U(SFPSWAP, 1, OP(SFPSWAP) | 1 << 8 | 1),
    U(SFPARECIP, 1, OP(SFPARECIP) | 1 << 8),
    U(SFPPUSHC, 1, OP(SFPPUSHC)),
    U(SFPPOPC, 1, OP(SFPPUSHC), OP(SFPPOPC)),
    U(MOVB2D, 1, VALID, OP(MOVB2D) | 4u << 11),
    U(SFPADDI, 1, OP(SFPADDI) | 0x3f80u << 8),
    U(MOP_CFG, 1, OP(MOP_CFG), OP(NOP)),
    U(GAPOOL, 1, VALID, OP(GAPOOL)),
    U(SFPMULI, 1, OP(SFPMULI) | 0x3f80u << 8),
    U(SFPNOT, 1, OP(SFPNOT) | 1 << 8),
    U(GMPOOL, 1, VALID, OP(GMPOOL) | 1u << 19),
    U(ZEROSRC, 1, VALID, OP(ZEROSRC) | 1 << 3 | 3),
    U(SFPTRANSP, 1, OP(SFPTRANSP)),
    U(GATESRCRST, 1, OP(GATESRCRST) | 3),
    U(SFPAND, 1, OP(SFPAND) | 1 << 8),
    U(SETDVALID, 0, VALID),
    U(SFPEXMAN, 1, OP(SFPEXMAN) | 1 << 8),
    U(SFPSETMAN, 1, OP(SFPSETMAN) | 1u << 12 | 1 << 8 | 1),
    U(MOVD2A, 1, VALID, OP(MOVD2A) | 2u << 12),
    U(SFPSHFT2, 1, OP(SFPSHFT2) | 1 << 8 | 1 << 4 | 3),
    U(SFPDIVP2, 1, OP(SFPDIVP2) | 1u << 12 | 1 << 8 | 1),
    U(SFPOR, 1, OP(SFPOR) | 1 << 8),
    // what the functional reference refuses
    U(SFPLOADMACRO, 1, OP(SFPLOADMACRO) | 3u << 16),
    U(STALLWAIT, 1, VALID, OP(STALLWAIT) | 64u << 15 | 1u << 5 | 1u << 6,
      OP(CLEARDVALID) | 3u << 22),
};

static unsigned length_of(const uint32_t *words, unsigned room)
{
    unsigned n = 0;
    while (n < room && words[n])
        n++;
    return n;
}

START_TEST(test_instruction)
{
    const struct use *use = &uses[_i];
    struct rig *rig = rig_new();
    const char *name = ts_op_info[use->op].name;
    ck_assert_msg(ts_op_info[use->op].status == TS_STATUS_DONE, "%s is not done", name);
    struct ts_run run = rig_run(rig, use->thread, use->words, length_of(use->words, 6));
    ck_assert_msg(run.stop == TS_STOP_DONE || run.stop == TS_STOP_LIMIT, "%s: %s %s", name,
                  ts_stop_name(run.stop), run.error.text);
    struct ts_frontend *front = &rig->tile->front[use->thread];
    bool expands = ts_op_hot[use->op].unit == TS_UNIT_FRONT;
    ck_assert_msg(front->passed[use->op] || expands, "%s did not pass its gate", name);
    ck_assert(ts_frontend_empty(front));
    rig_free(rig);
}
END_TEST

// 85 of them, each once in the table.
START_TEST(test_count)
{
    bool seen[256] = {false};
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof uses / sizeof *uses; i++) {
        count += !seen[uses[i].op] && uses[i].op != TS_OP_SFPLOADMACRO;
        seen[uses[i].op] = true;
    }
    ck_assert_uint_eq(count, 85);
    ck_assert_uint_eq(sizeof basis / sizeof *basis, 39);
}
END_TEST

// ---- configuration

static const struct {
    const char *name;
    uint16_t addr;
    uint8_t shift, width;
} fields[] = {
#define TS_CFG_FIELD(name, addr, shift, width) {#name, addr, shift, width},
#define TS_THD_FIELD(name, addr, shift, width)
#include "config/cfgregs.def"
#undef TS_CFG_FIELD
#undef TS_THD_FIELD
};

// No public specification; no kernel sets them.
static const char *const refused[] = {
    "THCON_SEC0_REG1_Dis_shared_exp_assembler",
    "THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel",
    "THCON_SEC0_REG1_pack_start_intf_pos",
    "THCON_SEC0_REG1_All_pack_disable_zero_compress_ovrd",
    "ALU_ACC_CTRL_INT8_math_enabled", // over BF16 data; kernels have integers there
};

// Unpacks two faces, multiplies, packs rows: what all 39 words have a part in.
static struct ts_run tile_through(struct rig *rig)
{
    static const uint32_t unpack[] = {OP(SETADCXX) | 3u << 21 | 255u << 10, UNPACR(0), UNPACR(1)};
    static const uint32_t math[] = {OP(ZEROACC) | 3u << 19, OP(MVMUL),
                                    OP(MOVA2D) | 2 << 12,   OP(ELWADD),
                                    OP(SFPLOAD) | 3u << 16, OP(SFPSTORE) | 3u << 16};
    static const uint32_t pack[] = {OP(SETADCXX) | 4u << 21 | 15u << 10, OP(PACR) | 15u << 8, PACR};
    const uint32_t *words[3] = {unpack, math, pack};
    const unsigned counts[3] = {3, 6, 3};
    for (unsigned t = 0; t < 3; t++) {
        rig->pusher[t].words = words[t];
        rig->pusher[t].count = counts[t];
    }
    return ts_kernel_run(rig->kernel, 20000);
}

START_TEST(test_config_word)
{
    unsigned addr = basis[_i].index, tried = 0;
    for (unsigned f = 0; f < sizeof fields / sizeof *fields; f++) {
        if (fields[f].addr != addr)
            continue;
        struct rig *rig = rig_new();
        uint32_t mask = (fields[f].width == 32 ? UINT32_MAX : (1u << fields[f].width) - 1)
                        << fields[f].shift;
        uint32_t value = basis[_i].value | (1u << fields[f].shift & mask);
        // through the coprocessor, as kernels write it: GPR 4, then the word
        const uint32_t set[] = {OP(SETDMAREG) | (value & 0xffff) << 8 | 8,
                                OP(SETDMAREG) | value >> 16 << 8 | 9, OP(WRCFG) | 4u << 16 | addr};
        struct ts_run run = rig_run(rig, 0, set, 3);
        ck_assert_msg(run.stop == TS_STOP_DONE || run.stop == TS_STOP_LIMIT, "%s", run.error.text);
        ck_assert_uint_eq(rig->tile->tensix.cfg.bank[0][addr],
                          value & rig->tile->tensix.cfg.mask[addr]);
        struct rig *fresh = rig_new();
        memcpy(fresh->tile->tensix.cfg.bank, rig->tile->tensix.cfg.bank,
               sizeof fresh->tile->tensix.cfg.bank);
        run = tile_through(fresh);
        bool expected = false;
        for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++)
            expected |= strcmp(refused[i], fields[f].name) == 0;
        bool missing = run.stop == TS_STOP_FAULT && run.error.code == TS_NOT_IMPLEMENTED;
        ck_assert_msg(missing == expected, "%s: %s", fields[f].name, run.error.text);
        // A format that does not fit, or addresses outside L1, break the contract: no more.
        ck_assert_msg(run.stop != TS_STOP_FAULT || missing || run.error.code == TS_CONTRACT,
                      "%s: %s", fields[f].name, run.error.text);
        rig_free(rig);
        rig_free(fresh);
        tried++;
    }
    bool nameless = addr == 65 || addr == 113; // further words of the tile descriptors
    ck_assert_msg(tried || nameless, "no field at %u", addr);
}
END_TEST

// The configuration itself goes through, and SrcA, SrcB and L1 have what they should.
START_TEST(test_basis)
{
    struct rig *rig = rig_new();
    struct ts_run run = tile_through(rig);
    ck_assert_msg(run.stop == TS_STOP_DONE || run.stop == TS_STOP_LIMIT, "%s", run.error.text);
    for (unsigned t = 0; t < 3; t++)
        ck_assert(ts_frontend_empty(&rig->tile->front[t]));
    ck_assert(rig->tile->pack.bytes > 0 && rig->tile->matrix.unit.instructions == 4);
    rig_free(rig);
}
END_TEST

START_TEST(test_thread_registers)
{
    static const uint8_t regs[] = {1,  2,  5,  7,  12, 13, 14, 15, 16, 17, 18, 19, 28, 29, 30, 31,
                                   32, 33, 34, 35, 37, 38, 39, 41, 47, 48, 49, 50, 51, 52, 53, 54};
    ck_assert_uint_eq(sizeof regs, 32);
    for (unsigned i = 0; i < sizeof regs; i++) {
        struct rig *rig = rig_new();
        bool bias = regs[i] >= 47; // the kernels write 0 there
        uint32_t value = bias ? 0 : regs[i] >= 12 && regs[i] <= 35 ? 8 : 1;
        uint32_t words[3] = {SETC16(regs[i], value), OP(NOP), 0};
        struct ts_run run = rig_run(rig, 1, words, 2);
        ck_assert_msg(run.stop == TS_STOP_DONE || run.stop == TS_STOP_LIMIT, "%u: %s", regs[i],
                      run.error.text);
        ck_assert_uint_eq(rig->tile->tensix.cfg.thd[1][regs[i]], value);
        rig_free(rig);
    }
}
END_TEST

// ---- what the reference refuses

static const struct {
    const char *name;
    unsigned count;
    struct {
        unsigned index;
        uint32_t value;
    } cfg[6];
} refused_there[] = {
    {"INT8 in, INT32 Dst, INT8 out",
     6,
     {{1, 14u << 17 | 14u << 21 | 14u << 25 | 1u << 31},
      {64, 14 | 0x10 | 256u << 16},
      {72, 0x20 | 14},
      {112, 14 | 0x10 | 256u << 16},
      {120, 0x20 | 14},
      {70, 1 | 14 << 4 | 14 << 8}}},
    {"BFP4",
     4,
     {{64, 7 | 0x10 | 256u << 16}, {72, 0x20 | 7}, {112, 7 | 0x10 | 256u << 16}, {120, 0x20 | 7}}},
    {"BFP4 out", 1, {{70, 1 | 7 << 4 | 5 << 8}}},
    {"stochastic rounding everywhere", 1, {{1, 5u << 17 | 5u << 21 | 5u << 25 | 7}}},
    {"FP32 Dst with stochastic packs",
     2,
     {{1, 5u << 17 | 5u << 21 | 5u << 25 | 1u << 29 | 7}, {18, 1}}},
    {"UINT16", 1, {{70, 1 | 9 << 4 | 9 << 8}}},
};

START_TEST(test_refused_by_reference)
{
    struct rig *rig = rig_new();
    for (unsigned i = 0; i < refused_there[_i].count; i++)
        for (unsigned bank = 0; bank < 2; bank++)
            ts_cfg_write(&rig->tile->tensix.cfg, bank, refused_there[_i].cfg[i].index,
                         refused_there[_i].cfg[i].value, false);
    if (_i == 0) // INT8 is read from a 32-bit Dst
        for (unsigned bank = 0; bank < 2; bank++)
            ts_cfg_write(&rig->tile->tensix.cfg, bank, 18, 1, false);
    if (_i == 5)
        for (unsigned bank = 0; bank < 2; bank++)
            ts_cfg_write(&rig->tile->tensix.cfg, bank, 1, 5u << 17 | 5u << 21 | 9u << 25, false);
    struct ts_run run = tile_through(rig);
    ck_assert_msg(run.stop != TS_STOP_FAULT, "%s: %s", refused_there[_i].name, run.error.text);
    ck_assert(rig->tile->pack.bytes > 0);
    rig_free(rig);
}
END_TEST

// Deep queues: more words than the FIFOs hold, from three threads, behind a unit that is busy.
START_TEST(test_deep_queues)
{
    struct rig *rig = rig_new();
    static uint32_t words[600];
    for (unsigned i = 0; i < 600; i++)
        words[i] = i % 3 ? OP(SFPNOP) : OP(ADDDMAREG) | 5u << 12 | 6 << 6 | 4;
    for (unsigned t = 0; t < 3; t++) {
        rig->pusher[t].words = words;
        rig->pusher[t].count = 600;
    }
    struct ts_run run = ts_kernel_run(rig->kernel, 100000);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s %s", ts_stop_name(run.stop), run.error.text);
    for (unsigned t = 0; t < 3; t++)
        ck_assert_uint_eq(rig->tile->front[t].dispatched, 600);
    rig_free(rig);
}
END_TEST

// Soft reset of every part of the data path, and work afterwards.
START_TEST(test_soft_reset)
{
    struct rig *rig = rig_new();
    rig->tile->files.streamed.srcs.a.bank[0].owner = TS_SRC_MATRIX;
    rig->tile->files.streamed.srcs.b.bank[1].owner = TS_SRC_MATRIX;
    rig->tile->files.streamed.srcs.a.bank[0].w[3][5] = 0x3f800000;
    rig->tile->files.streamed.srcs.b.bank[0].w[3][5] = 0x3f800000;
    rig->tile->files.streamed.dst.valid[7] = 0;
    rig->tile->pack.state.l1_offset = 5;
    rig->tile->pack.state.last_size = 9;
    rig->tile->vector.state.lreg[0][0] = 77;
    const uint32_t units = 0x7b84bf;
    ts_tile_soft_reset(rig->tile, 0, units, 0);
    ck_assert_uint_eq(rig->tile->files.streamed.srcs.a.bank[0].w[3][5], 0);
    ck_assert_uint_eq(rig->tile->files.streamed.srcs.b.bank[0].w[3][5], 0);
    ck_assert_uint_eq(ts_files_owners(&rig->tile->files), 0);
    ck_assert(rig->tile->files.streamed.dst.valid[7] && rig->tile->pack.state.last_size == 0);
    // held: nothing starts
    struct ts_hold hold;
    struct ts_unit *const held[] = {&rig->tile->unpack[0].unit, &rig->tile->unpack[1].unit,
                                    &rig->tile->matrix.unit, &rig->tile->vector.unit,
                                    &rig->tile->pack.unit};
    for (unsigned i = 0; i < 5; i++)
        ck_assert(!held[i]->accept(held[i], ts_word(OP(NOP), 0), 1, &hold) && hold.object);
    ts_tile_soft_reset(rig->tile, units, 0, 1);
    ck_assert(rig->tile->pack.state.l1_offset == 0 && rig->tile->vector.state.lreg[0][0] == 0);
    for (unsigned i = 0; i < sizeof basis / sizeof *basis; i++)
        ts_cfg_write(&rig->tile->tensix.cfg, 0, basis[i].index, basis[i].value, false);
    struct ts_run run = tile_through(rig);
    ck_assert_msg(run.stop == TS_STOP_DONE || run.stop == TS_STOP_LIMIT, "%s", run.error.text);
    ck_assert(rig->tile->pack.bytes > 0);
    rig_free(rig);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_instruction, 0, (int)(sizeof uses / sizeof *uses));
    tcase_add_test(tests, test_count);
    tcase_add_test(tests, test_basis);
    tcase_add_loop_test(tests, test_config_word, 0, (int)(sizeof basis / sizeof *basis));
    tcase_add_test(tests, test_thread_registers);
    tcase_add_loop_test(tests, test_refused_by_reference, 0,
                        (int)(sizeof refused_there / sizeof *refused_there));
    tcase_add_test(tests, test_deep_queues);
    tcase_add_test(tests, test_soft_reset);
}

SUITE("real kernels", add_tests, .one_process = true)
