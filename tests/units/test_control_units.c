// Sync, configuration, scalar units and the mover, driven through the front end, from their pages.
// One file: all of them act on the same front end and the same configuration.
#include "tests/cores/coprocessor_rig.h"
#include "tests/suite.h"

// ---- Sync

// A token pipeline over two semaphores, three threads, as in the sem_3thread vectors.
START_TEST(semaphores_pass_tokens)
{
    enum { N = 8 };
    static uint32_t p[3][8 * N + 4];
    unsigned n[3] = {0};
    p[0][n[0]++] = SEMINIT(2, 0, 1);
    p[0][n[0]++] = SEMINIT(2, 0, 2);
    for (unsigned i = 0; i < N; i++) {
        p[0][n[0]++] = SEMWAIT(0x1ff, 1, 2);
        p[0][n[0]++] = SETDMAREG(2 * i, i);
        p[0][n[0]++] = SEMPOST(1);
        p[1][n[1]++] = SEMWAIT(0x1ff, 1, 1);
        p[1][n[1]++] = SEMWAIT(0x1ff, 2, 2);
        p[1][n[1]++] = SETDMAREG(2 * i, 0x100 + i);
        p[1][n[1]++] = SEMGET(1);
        p[1][n[1]++] = SEMPOST(2);
        p[2][n[2]++] = SEMWAIT(0x1ff, 2, 1);
        p[2][n[2]++] = SETDMAREG(2 * i, 0x200 + i);
        p[2][n[2]++] = SEMGET(2);
    }
    struct rig *rig = rig_new();
    for (unsigned t = 0; t < 3; t++) {
        rig_program(rig, t, p[t], n[t]);
        rig->pusher[t].begin = t ? 20 : 0; // after SEMINIT
    }
    struct ts_run run = rig_run(rig, 10000);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    for (unsigned t = 0; t < 3; t++)
        for (unsigned i = 0; i < N; i++)
            ck_assert_uint_eq(rig->tensix.deferred.gpr[t][i], 0x100 * t + i);
    for (unsigned s = 0; s < 2; s++) {
        ck_assert_uint_eq(rig->sync.semaphore[s].value, 0);
        ck_assert_uint_eq(rig->sync.semaphore[s].posts, N);
        ck_assert_uint_eq(rig->sync.semaphore[s].gets, N);
    }
    ck_assert_uint_eq(rig->reports, 0);
    // Stalls are booked, and busy + stalls + idle is the span.
    struct ts_account account = ts_component_account(&rig->front[2].component, run.cycle);
    uint64_t sum = account.busy;
    for (unsigned i = 0; i < TS_STALL_COUNT; i++)
        sum += account.lost[i];
    ck_assert_uint_eq(sum, run.cycle);
    ck_assert_uint_gt(account.lost[TS_STALL_SEMAPHORE_ZERO], 0);
    account = ts_component_account(&rig->sync.unit.component, run.cycle);
    ck_assert_uint_eq(account.busy, rig->sync.unit.instructions);
    rig_free(rig);
}
END_TEST

START_TEST(semaphore_saturates_and_ignores_max)
{
    static uint32_t p[20];
    p[0] = SEMINIT(1, 0, 4);
    for (unsigned i = 1; i < 20; i++)
        p[i] = SEMPOST(4);
    struct rig *rig = rig_new();
    rig_program(rig, 1, p, 20);
    ck_assert_int_eq(rig_run(rig, 1000).stop, TS_STOP_DONE);
    ck_assert_uint_eq(rig->sync.semaphore[2].value, 15);
    ck_assert_uint_eq(rig->tensix.reports[TS_REPORT_SEMPOST_SATURATED], 4);
    // RISC-V: even posts, odd gets, any value.
    ck_assert(ts_sync_riscv_write(&rig->sync, 2, 1, 2000));
    struct ts_hold hold;
    ck_assert(!ts_sync_riscv_accept(&rig->sync, 2000, &hold));
    ck_assert_int_eq(hold.reason, TS_STALL_UNIT_SHARED);
    ck_assert(ts_sync_riscv_accept(&rig->sync, 2001, &hold));
    ck_assert_uint_eq(ts_sync_value(&rig->sync.semaphore[2], 2000),
                      15); // seen from the next cycle on
    ck_assert_uint_eq(ts_sync_value(&rig->sync.semaphore[2], 2001), 14);
    rig_free(rig);
}
END_TEST

// Three threads request one mutex all the time: round robin, never the same one twice in a row.
START_TEST(mutex_is_fair)
{
    enum { N = 10 };
    static uint32_t p[4 * N];
    for (unsigned i = 0; i < N; i++) {
        p[4 * i] = ATGETM(3);
        p[4 * i + 1] = ADDI(1, 1, 1);
        p[4 * i + 2] = STALLWAIT(0x1ff, 1);
        p[4 * i + 3] = ATRELM(3);
    }
    struct rig *rig = rig_new();
    for (unsigned t = 0; t < 3; t++)
        rig_program(rig, t, p, 4 * N);
    ck_assert_int_eq(rig_run(rig, 10000).stop, TS_STOP_DONE);
    ts_cycle low = TS_NEVER, high = 0;
    for (unsigned t = 0; t < 3; t++) {
        ck_assert_uint_eq(rig->tensix.deferred.gpr[t][1], N);
        ts_cycle done = rig->pusher[t].done;
        low = done < low ? done : low;
        high = done > high ? done : high;
    }
    ck_assert_uint_le(high - low, 40); // they end within a few turns of each other
    ck_assert_int_eq(rig->sync.mutex[3].holder, -1);
    rig_free(rig);
}
END_TEST

// ---- Config

START_TEST(config_instructions)
{
    static const uint32_t words[] = {
        SETDMAREG(8, 0x1111),
        SETDMAREG(9, 0x2222),
        SETDMAREG(10, 0x3333),
        SETDMAREG(12, 0x5555),
        SETDMAREG(14, 0x7777),
        NOP,
        WRCFG(4, 1, 13), // 12..15 from GPRs 4..7
        NOP,
        RDCFG(16, 12),
        RMWCIB(1, 0xf0, 0xab, 13),
        NOP,
        RDCFG(17, 13),
        NOP,
        SETC16(0, 1),
        WRCFG(4, 0, 12),
        NOP,
        RDCFG(18, 12),
        RDCFG(19, 13),
        // Register 209 and up are in both banks.
        WRCFG(5, 0, 209),
        WRCFG(4, 0, 64),
        NOP,
        SETC16(0, 0),
        OP(TS_OP_CFGSHIFTMASK) | 1u << 23 | 3u << 20 | 31u << 15 | 0u << 8 | 12, // += scratch 0
        RDCFG(20, 12),
        OP(TS_OP_CFGSHIFTMASK) | 0u << 20 | 7u << 15 | 8u << 10 | 0u << 8 | 64, // byte to top
        RDCFG(21, 64),
    };
    struct rig *rig = rig_new();
    rig_program(rig, 2, words, COUNT(words));
    ck_assert_int_eq(rig_run(rig, 1000).stop, TS_STOP_DONE);
    const uint32_t *gpr = rig->tensix.deferred.gpr[2];
    ck_assert_uint_eq(gpr[16], 0x22221111);
    ck_assert_uint_eq(gpr[17], 0x0000a333);
    ck_assert_uint_eq(gpr[18], 0x22221111);
    ck_assert_uint_eq(gpr[19], 0); // bank 1 was not touched
    ck_assert_uint_eq(rig->tensix.cfg.bank[0][209], 0x3333);
    ck_assert_uint_eq(rig->tensix.cfg.bank[1][209], 0x3333);
    ck_assert_uint_eq(gpr[20], 0x22221111 + 0x3333);
    ck_assert_uint_eq(gpr[21], 0x33000000);
    ck_assert_uint_eq(rig->tensix.cfg.bank[1][64], 0x22221111);
    // Writing STATE_RESET_EN clears the bank below the global registers.
    uint32_t value;
    ck_assert(ts_cfg_unit_external_read(&rig->config, TS_CFG_WORDS + 12, &value, 2000));
    ck_assert_uint_eq(value, 0x22221111);
    ck_assert(ts_cfg_unit_external_write(&rig->config, TS_BY_CORE, 4, 1, 2001));
    ck_assert(ts_cfg_unit_external_read(&rig->config, 12, &value, 2002));
    ck_assert_uint_eq(value, 0);
    ck_assert_uint_eq(rig->tensix.cfg.bank[0][209], 0x3333);
    ck_assert(ts_cfg_unit_external_write(&rig->config, TS_BY_CORE, 2 * TS_CFG_WORDS + 14, 0x55,
                                         2003)); // both
    ck_assert_uint_eq(rig->tensix.cfg.bank[0][14], 0x55);
    ck_assert_uint_eq(rig->tensix.cfg.bank[1][14], 0x55);
    ck_assert(!ts_cfg_unit_external_write(&rig->config, TS_BY_CORE, 3 * TS_CFG_WORDS, 1, 2004));
    ck_assert(
        ts_cfg_unit_external_read(&rig->config, 3 * TS_CFG_WORDS + 2 * TS_THD_WORDS, &value, 2005));
    rig_free(rig);
}
END_TEST

// An instruction right behind WRCFG or RDCFG sees the old value; one more instruction, and it is
// new. On a machine whose RDCFG holds its thread the one behind RDCFG sees the new value.
START_TEST(config_hazards)
{
    static const uint32_t words[] = {
        SETDMAREG(8, 1), SETDMAREG(10, 2), NOP, WRCFG(4, 0, 12), NOP,
        RDCFG(5, 12),    WRCFG(5, 0, 13),  NOP,
    };
    struct rig *rig = rig_new();
    struct ts_machine machine = *rig->tensix.cfg.machine;
    machine.rules = (uint32_t)_i << TS_RULE_rdcfg_holds;
    rig->tensix.cfg.machine = &machine;
    rig_program(rig, 0, words, COUNT(words));
    ck_assert_int_eq(rig_run(rig, 1000).stop, TS_STOP_DONE);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[0][5], 1);
    ck_assert_uint_eq(rig->tensix.cfg.bank[0][13], _i ? 1 : 2); // GPR 5 before RDCFG's result came
    rig_free(rig);
}
END_TEST

// CONFIG-004..012: cycles per instruction of streams through the pipeline.
START_TEST(config_pipeline_rates)
{
    static const struct {
        uint32_t a, b;
        unsigned cycles; // of the pair
    } pairs[] = {
        {WRCFG(4, 0, 12), WRCFG(4, 0, 12), 2},
        {RDCFG(4, 12), RDCFG(4, 12), 2},
        {RMWCIB(0, 1, 1, 12), RMWCIB(0, 1, 1, 12), 2},
        {OP(TS_OP_CFGSHIFTMASK) | 12, OP(TS_OP_CFGSHIFTMASK) | 12, 4},
        {WRCFG(4, 0, 12), RMWCIB(0, 1, 1, 12), 3}, // RMWCIB waits for WRCFG's stage 0
        {RMWCIB(0, 1, 1, 12), SETC16(1, 0), 2},
    };
    enum { N = 100 };
    static uint32_t words[2 * N];
    for (unsigned i = 0; i < N; i++) {
        words[2 * i] = pairs[_i].a;
        words[2 * i + 1] = pairs[_i].b;
    }
    struct rig *rig = rig_new();
    rig_program(rig, 0, words, 2 * N);
    ck_assert_int_eq(rig_run(rig, 10000).stop, TS_STOP_DONE);
    ck_assert_uint_eq((rig->pusher[0].done - rig->pusher[0].first_push) / N, pairs[_i].cycles);
    rig_free(rig);
}
END_TEST

// ---- Scalar

START_TEST(scalar_arithmetic)
{
#define ALU(op, sel, result, b, a) \
    (OP(op) | (uint32_t)(sel) << 18 | (result) << 12 | (b) << 6 | (a))
#define ALUI(op, sel, result, imm, a) (ALU(op, sel, result, imm, a) | 1u << 23)
    static const uint32_t words[] = {
        SETDMAREG(0, 0x5678),
        SETDMAREG(1, 0x1234),
        SETDMAREG(2, 0x00f0),
        SETDMAREG(3, 0xffff),
        ALU(TS_OP_ADDDMAREG, 0, 8, 1, 0),
        ALUI(TS_OP_SUBDMAREG, 0, 9, 63, 0),
        ALU(TS_OP_MULDMAREG, 0, 10, 1, 0),
        ALU(TS_OP_BITWOPDMAREG, 0, 11, 1, 0),
        ALU(TS_OP_BITWOPDMAREG, 1, 12, 1, 0),
        ALUI(TS_OP_BITWOPDMAREG, 2, 13, 63, 0),
        ALUI(TS_OP_SHIFTDMAREG, 0, 14, 4, 0),
        ALUI(TS_OP_SHIFTDMAREG, 1, 15, 8, 0),
        ALU(TS_OP_CMPDMAREG, 0, 16, 1, 0),
        ALU(TS_OP_CMPDMAREG, 1, 17, 1, 0),
        ALU(TS_OP_CMPDMAREG, 2, 18, 0, 0),
        SETDMAREG(38, 9),
        SETDMAREG(39, 8),
        ALU(TS_OP_ADDDMAREG, 0, 20, 19, 0), // GPRs of two groups: 4 cycles
    };
    struct rig *rig = rig_new();
    rig_program(rig, 1, words, COUNT(words));
    ck_assert_int_eq(rig_run(rig, 1000).stop, TS_STOP_DONE);
    uint32_t a = 0x12345678, b = 0xffff00f0;
    const uint32_t want[] = {a + b,  a - 63, 0x5678 * 0xf0, a & b, a | b, a ^ 63,
                             a << 4, a >> 8, a > b,         a < b, 1};
    for (unsigned i = 0; i < COUNT(want); i++)
        ck_assert_uint_eq(rig->tensix.deferred.gpr[1][8 + i], want[i]);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[1][20], a + 0x00080009);
    // 6 sets at 1, 11 at 3, 1 at 4.
    struct ts_account account = ts_component_account(&rig->scalar.unit.component,
                                                     rig->pusher[1].done);
    ck_assert_uint_eq(account.busy, 6 + 11 * 3 + 4);
    rig_free(rig);
}
END_TEST

#define IND(op, size, half, inc, data, addr) \
    (OP(op) | (uint32_t)(size) << 22 | (half) << 14 | (inc) << 12 | (data) << 6 | (addr))
#define STORE_L1(size, half, inc, data, addr)                                              \
    (OP(TS_OP_STOREIND) | 1u << 23 | (uint32_t)(size) << 21 | (half) << 14 | (inc) << 12 | \
     (data) << 6 | (addr))
#define WAIT_MEMORY STALLWAIT(0x1ff, 1)

START_TEST(scalar_memory)
{
    static const uint32_t words[] = {
        SETDMAREG(0, 0x100),                // GPR 0: address / 16
        SETDMAREG(2, 0),                    // GPR 1 low: offset
        IND(TS_OP_LOADIND, 0, 2, 3, 8, 0),  // 16 bytes to GPRs 8..11, offset += 16
        IND(TS_OP_LOADIND, 1, 2, 2, 12, 0), // 4 bytes at +16, offset += 4
        IND(TS_OP_LOADIND, 2, 2, 1, 13, 0), // 2 bytes at +20
        IND(TS_OP_LOADIND, 3, 2, 0, 14, 0), // 1 byte at +22
        WAIT_MEMORY,
        SETDMAREG(2, 0x40),
        STORE_L1(0, 2, 3, 9, 0),  // aligned down to GPRs 8..11
        STORE_L1(2, 2, 2, 12, 0), // sizes 1 and 2 are not LOADIND's
        STORE_L1(1, 2, 1, 12, 0),
        STORE_L1(3, 2, 0, 12, 0),
        OP(TS_OP_FLUSHDMA) | 1,
        ADDI(15, 1, 1),
    };
    struct rig *rig = rig_new();
    for (unsigned i = 0; i < 32; i++)
        rig->l1[0x1000 + i] = (uint8_t)(0xa0 + i);
    memset(&rig->l1[0x1040], 0xff, 32);
    rig->tensix.deferred.gpr[0][13] = rig->tensix.deferred.gpr[0][14] = 0x11111111;
    rig_program(rig, 0, words, COUNT(words));
    ck_assert_int_eq(rig_run(rig, 1000).stop, TS_STOP_DONE);
    const uint32_t *gpr = rig->tensix.deferred.gpr[0];
    ck_assert_uint_eq(gpr[8], 0xa3a2a1a0);
    ck_assert_uint_eq(gpr[11], 0xafaeadac);
    ck_assert_uint_eq(gpr[12], 0xb3b2b1b0);
    ck_assert_uint_eq(gpr[13], 0x1111b5b4);
    ck_assert_uint_eq(gpr[14], 0x111111b6);
    ck_assert_uint_eq(gpr[1], 0x40 + 16 + 4 + 2);
    ck_assert_int_eq(memcmp(&rig->l1[0x1040], &rig->l1[0x1000], 16), 0);
    static const uint8_t tail[] = {0xb0, 0xb1, 0xb2, 0xb3, 0xb0, 0xb1, 0xb0, 0xff};
    ck_assert_int_eq(memcmp(&rig->l1[0x1050], tail, sizeof tail), 0);
    rig_free(rig);
}
END_TEST

START_TEST(scalar_atomics)
{
    static const uint32_t words[] = {
        SETDMAREG(0, 0x100), SETDMAREG(4, 5),
        OP(TS_OP_ATINCGET) | 15u << 14 | 1u << 12 | 2 << 6 | 0, // 16-bit counter in word 1 += GPR 2
        OP(TS_OP_ATINCGET) | 31u << 14 | 2u << 12 | 3 << 6 | 0, // word 2 += GPR 3 (0)
        WAIT_MEMORY, SETDMAREG(16, 0xbeef), SETDMAREG(18, 0xcafe), SETDMAREG(0, 0x102),
        OP(TS_OP_ATSWAP) | 0x05u << 14 | 8 << 6 | 0,          // halves 0 and 2 of GPRs 8..11
        OP(TS_OP_ATCAS) | 7u << 18 | 3u << 14 | 3u << 12 | 0, // word 3: 3 -> 7
        // A FIFO of 4 at 0x1030: read pointer 2, write pointer 5: push 1, then full.
        SETDMAREG(0, 0x103), OP(TS_OP_ATINCGETPTR) | 0u << 18 | 3u << 14 | 1u << 12 | 20 << 6 | 0,
        OP(TS_OP_ATINCGETPTR) | 1u << 22 | 3u << 14 | 0u << 12 | 21 << 6 |
            0, // peek the read pointer
    };
    struct rig *rig = rig_new();
    uint32_t init[4] = {0, 0x1234fffe, 77, 0}, cas[4] = {0, 0, 0, 3}, fifo[4] = {2, 5, 0, 0},
             got[4];
    memcpy(&rig->l1[0x1000], init, 16);
    memcpy(&rig->l1[0x1020], cas, 16);
    memcpy(&rig->l1[0x1030], fifo, 16);
    rig_program(rig, 0, words, COUNT(words));
    ck_assert_int_eq(rig_run(rig, 1000).stop, TS_STOP_DONE);
    const uint32_t *gpr = rig->tensix.deferred.gpr[0];
    memcpy(got, &rig->l1[0x1000], 16);
    ck_assert_uint_eq(gpr[2], 0x1234fffe);
    ck_assert_uint_eq(got[1], 0x12340003);
    ck_assert_uint_eq(gpr[3], 77);
    memcpy(got, &rig->l1[0x1020], 16);
    ck_assert_uint_eq(got[0], 0xbeef);
    ck_assert_uint_eq(got[1], 0xcafe); // half 2 is the low half of GPR 9
    ck_assert_uint_eq(got[3], 7);
    memcpy(got, &rig->l1[0x1030], 16);
    ck_assert_uint_eq(gpr[20], 5);
    ck_assert_uint_eq(got[1], 6);
    ck_assert_uint_eq(gpr[21], 2);
    ck_assert_uint_eq(got[0], 2);
    rig_free(rig);
}
END_TEST

// ATCAS waits for another thread, names its wait, and hangs the thread if none comes.
START_TEST(scalar_cas_waits)
{
    static const uint32_t cas[] = {SETDMAREG(0, 0x100), OP(TS_OP_ATCAS) | 2u << 18 | 1u << 14 | 0,
                                   SETDMAREG(2, 1)};
    struct rig *rig = rig_new();
    rig_program(rig, 0, cas, COUNT(cas));
    struct ts_run run = rig_run(rig, 500);
    ck_assert_int_eq(run.stop, TS_STOP_LIMIT);
    ck_assert_int_eq(ts_waiting(&rig->front[0].component).reason, TS_STALL_THREAD_SCALAR);
    ck_assert_uint_gt(rig->scalar.retries, 20);
    rig->l1[0x1000] = 1;
    ck_assert_int_eq(ts_kernel_run(rig->kernel, 1000).stop, TS_STOP_DONE);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[0][1], 1);
    ck_assert_uint_eq(rig->l1[0x1000], 2);
    rig_free(rig);
}
END_TEST

START_TEST(scalar_reg2flop)
{
    static const uint32_t words[] = {
        SETDMAREG(0, 0x1234),
        SETDMAREG(1, 0xabcd),
        OP(TS_OP_REG2FLOP) | 1u << 22 | 12u << 6 | 0, // THCON register 12 = Config[76]
        OP(TS_OP_REG2FLOP) | 3u << 22 | 2u << 20 | 1u << 18 | (1u << 5 | 2u << 3 | 1) << 6 |
            0, // packer ch 1 Y = byte 1
        OP(TS_OP_REG2FLOP) | 2u << 22 | 3u << 20 | 2u << 18 | 2u << 16 | (1u << 2 | 0) << 6 |
            0, // T2 unp 0 X_Cr
    };
    struct rig *rig = rig_new();
    rig_program(rig, 1, words, COUNT(words));
    ck_assert_int_eq(rig_run(rig, 1000).stop, TS_STOP_DONE);
    ck_assert_uint_eq(rig->tensix.cfg.bank[0][76], 0xabcd1234);
    ck_assert_uint_eq(rig->tensix.adcs.set[1][TS_ADC_PACK].channel[1].v[TS_ADC_Y], 0x12);
    ck_assert_uint_eq(rig->tensix.adcs.set[2][TS_ADC_UNPACK0].channel[0].cr[TS_ADC_X], 0xabcd);
    rig_free(rig);
}
END_TEST

// ---- hooks: streams, registers, banks, packer state

static uint32_t stream_value;
static uint32_t overlay_read(void *tile, unsigned stream, unsigned reg)
{
    (void)tile;
    ck_assert_uint_eq(stream, 9);
    return reg == 259 ? stream_value : 0x1000 + reg;
}

START_TEST(streams)
{
    static const uint32_t words[] = {
        SETC16(60, 9),
        SETC16(58, 1), // stream of selector 1, high part of the target
        OP(TS_OP_STREAMWAIT) | 0x1ffu << 15 | 5u << 4 | 1u << 3 | 1, // num msgs >= 1024 + 5
        SETDMAREG(0, 7),
        OP(TS_OP_STREAMWRCFG) | 1u << 21 | 40u << 11 | 12,
        STALLWAIT(0x1ff, 1 << 12),
        RDCFG(2, 12),
    };
    struct rig *rig = rig_new();
    rig->tensix.hooks.overlay_read = overlay_read;
    stream_value = 1028;
    rig_program(rig, 0, words, COUNT(words));
    ck_assert_int_eq(rig_run(rig, 200).stop, TS_STOP_LIMIT);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[0][0], 0);
    ck_assert_int_eq(ts_waiting(&rig->front[0].component).reason, TS_STALL_STREAM);
    stream_value = 1029;
    ck_assert_int_eq(ts_kernel_run(rig->kernel, 1000).stop, TS_STOP_DONE);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[0][0], 7);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[0][2], 0x1000 + 40);
    rig_free(rig);
}
END_TEST

static uint32_t a_register;
static bool register_read(void *tile, uint32_t addr, uint32_t *value, ts_cycle now)
{
    (void)tile, (void)now;
    *value = a_register ^ addr;
    return addr == 0xffb121f0;
}
static bool register_write(void *tile, uint32_t addr, uint32_t value, ts_cycle now)
{
    (void)tile, (void)now;
    a_register = value;
    return addr == 0xffb12060 || addr == 0xffb12064;
}

START_TEST(registers_from_scalar)
{
    static const uint32_t words[] = {
        SETDMAREG(0, 0x5a5a),
        OP(TS_OP_STOREREG) | 0u << 18 | (0x12060u >> 2),
        WAIT_MEMORY,
        OP(TS_OP_LOADREG) | 1u << 18 | (0x121f0u >> 2),
        WAIT_MEMORY,
        // STOREIND to a register: address GPR + (offset >> 4).
        SETDMAREG(4, 0x2060),
        SETDMAREG(5, 0xffb1),
        SETDMAREG(6, 0x40),
        SETDMAREG(8, 0x77),
        OP(TS_OP_STOREIND) | 1u << 22 | 6u << 14 | 3u << 12 | 4u << 6 | 2,
        WAIT_MEMORY,
    };
    struct rig *rig = rig_new();
    rig->tensix.hooks.mmio_read = register_read;
    rig->tensix.hooks.mmio_write = register_write;
    rig_program(rig, 1, words, COUNT(words));
    struct ts_run run = rig_run(rig, 1000);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s", run.error.text);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[1][1], 0x5a5a ^ 0xffb121f0);
    ck_assert_uint_eq(a_register, 0x77);
    ck_assert_uint_eq(rig->tensix.deferred.gpr[1][3], 0x50); // offset += 16
    rig_free(rig);
}
END_TEST

static unsigned handed_over;
static bool hand_over(void *tile, unsigned thread, unsigned files, ts_cycle now)
{
    (void)tile, (void)now;
    handed_over = thread << 4 | files;
    return true;
}
static bool pack_state(void *tile, unsigned thread, unsigned source, unsigned packers,
                       uint32_t value[4])
{
    (void)tile, (void)thread;
    for (unsigned i = 0; i < 4; i++)
        value[i] = source << 24 | packers << 16 | (0x1110 + i);
    return true;
}

START_TEST(banks_and_packer_state)
{
#define SPECIAL(size, packers, source, from, half)                                     \
    (OP(TS_OP_SETDMAREG) | (uint32_t)(size) << 22 | (packers) << 15 | (source) << 11 | \
     (from) << 8 | 1 << 7 | (half))
    static const uint32_t words[] = {
        OP(TS_OP_SETDVALID) | 3, SPECIAL(0, 5, 1, 2, 3),   SPECIAL(1, 5, 2, 6, 8),
        SPECIAL(2, 0, 3, 0, 24), SPECIAL(2, 0, 15, 0, 32), // no such source: clears four GPRs
        SPECIAL(3, 0, 4, 0, 40),
    };
    struct rig *rig = rig_new();
    rig->tensix.hooks.src_hand_over = hand_over;
    rig->tensix.hooks.pack_state = pack_state;
    uint32_t *gpr = rig->tensix.deferred.gpr[2];
    memset(gpr, 0xff, sizeof rig->tensix.deferred.gpr[2]);
    rig_program(rig, 2, words, COUNT(words));
    ck_assert_int_eq(rig_run(rig, 1000).stop, TS_STOP_DONE);
    ck_assert_uint_eq(handed_over, 2 << 4 | 3);
    ck_assert_uint_eq(gpr[1], 0x1111ffff); // half 2 of the state to half 3 of the GPRs
    ck_assert_uint_eq(gpr[4], 0x02051113);
    ck_assert_uint_eq(gpr[12], 0x03001110);
    ck_assert_uint_eq(gpr[15], 0x03001113);
    ck_assert_uint_eq(gpr[16] | gpr[19], 0);
    ck_assert_uint_eq(gpr[20], 0xffff1110); // reserved parts of the header stay
    ck_assert_uint_eq(gpr[21], 0xff00ffff);
    ck_assert_uint_eq(gpr[22], 0x04001112);
    ck_assert_uint_eq(gpr[23], 0xffffffff);
    rig_free(rig);
}
END_TEST

// ---- Mover

START_TEST(mover_copies_and_clears)
{
    static const uint32_t words[] = {OP(TS_OP_XMOV), STALLWAIT(0x1ff, 1 << 9), SETDMAREG(0, 1)};
    struct rig *rig = rig_new();
    for (unsigned i = 0; i < 1024; i++)
        rig->l1[0x1000 + i] = (uint8_t)(i * 7);
    uint32_t *cfg = rig->tensix.cfg.bank[0];
    cfg[88] = 0x100;
    cfg[89] = 0x200;
    cfg[90] = 64u | 3u << 30; // 64 units of 16 bytes, L1 to L1
    rig_program(rig, 0, words, COUNT(words));
    struct ts_run run = rig_run(rig, 10000);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    ck_assert_int_eq(memcmp(&rig->l1[0x2000], &rig->l1[0x1000], 1024), 0);
    ck_assert_uint_eq(rig->mover.bytes, 1024);
    // 64 units in bursts of 8 in 11 cycles: 88, and the thread waited for them.
    ck_assert_uint_ge(rig->pusher[0].done, 88);
    ck_assert_uint_le(rig->pusher[0].done, 88 + 12);
    ck_assert_uint_eq(ts_component_account(&rig->mover.unit.component, run.cycle).busy, 88);
    rig_free(rig);
}
END_TEST

START_TEST(mover_by_commands)
{
    struct rig *rig = rig_new();
    struct ts_error error = {0};
    ck_assert_int_eq(ts_kernel_elaborate(rig->kernel, &error), TS_OK);
    ts_kernel_run(rig->kernel, 10);
    for (unsigned i = 0; i < 64; i++)
        rig->l1[0x1000 + i] = (uint8_t)(i + 1);
    uint32_t value;
    ck_assert(ts_mover_read(&rig->mover, 0, 0x14, &value, 10));
    ck_assert_uint_eq(value, 4u << 8 | 1 << 5 | 1 << 3);
    // 4 units from L1 to configuration registers 12..27.
    static const uint32_t param[] = {0x100, 12 / 4, 4, TS_MOVER_L1_TO_CFG};
    for (unsigned i = 0; i < 4; i++)
        ck_assert(ts_mover_write(&rig->mover, 1, 4 * i, param[i], 10));
    ck_assert(ts_mover_write(&rig->mover, 1, 0x10, 0x40, 10));
    ck_assert(ts_mover_write(&rig->mover, 1, 0x10, 0x80000046, 10));
    ck_assert(ts_mover_write(&rig->mover, 1, 0x10, 0x80000089, 10));
    ck_assert(ts_mover_write(&rig->mover, 1, 0x10, 0x80000089, 10));
    struct ts_hold hold;
    ck_assert(!ts_mover_write_accept(&rig->mover, 0x10, &hold));
    ck_assert_int_eq(hold.reason, TS_STALL_FIFO_FULL);
    ck_assert_int_eq(ts_kernel_run(rig->kernel, 1000).stop, TS_STOP_DONE);
    ck_assert_uint_eq(rig->tensix.cfg.bank[0][12], 0x04030201);
    ck_assert_uint_eq(rig->tensix.cfg.bank[0][15], 0x100f0e0d);
    ck_assert(ts_mover_read(&rig->mover, 0, 0x14, &value, 1000));
    ck_assert_uint_eq(value, 4u << 8 | 1 << 5 | 1 << 3);
    rig_free(rig);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, semaphores_pass_tokens);
    tcase_add_test(tests, semaphore_saturates_and_ignores_max);
    tcase_add_test(tests, mutex_is_fair);
    tcase_add_test(tests, config_instructions);
    tcase_add_loop_test(tests, config_hazards, 0, 2);
    tcase_add_loop_test(tests, config_pipeline_rates, 0, 6);
    tcase_add_test(tests, scalar_arithmetic);
    tcase_add_test(tests, scalar_memory);
    tcase_add_test(tests, scalar_atomics);
    tcase_add_test(tests, scalar_cas_waits);
    tcase_add_test(tests, scalar_reg2flop);
    tcase_add_test(tests, streams);
    tcase_add_test(tests, registers_from_scalar);
    tcase_add_test(tests, banks_and_packer_state);
    tcase_add_test(tests, mover_copies_and_clears);
    tcase_add_test(tests, mover_by_commands);
}

SUITE("control units", add_tests)
