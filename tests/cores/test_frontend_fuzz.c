// Random Tensix words through front ends and control units: never a crash, and every refusal has a
// name. TENSIM_FUZZ_ROUNDS sets the number of rounds.
#include "tests/cores/coprocessor_rig.h"
#include "tests/suite.h"

static uint32_t seed = 2463534242u;
static uint32_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static uint32_t put(uint32_t word, unsigned shift, unsigned width, uint32_t value)
{
    uint32_t mask = ((1u << width) - 1) << shift;
    return (word & ~mask) | (value << shift & mask);
}

// Gives a random word a meaning: GPRs 56..63 hold addresses of L1, 48..55 small offsets, the rest
// is arbitrary; registers exist; operations exist.
static uint32_t tame(uint32_t word)
{
    uint8_t op = TS_OP_OF(word);
    switch (op) {
    case TS_OP_ADDDMAREG:
    case TS_OP_SUBDMAREG:
    case TS_OP_MULDMAREG:
        return put(word, 12, 6, rnd() % 48);
    case TS_OP_BITWOPDMAREG:
    case TS_OP_CMPDMAREG:
    case TS_OP_SHIFTDMAREG:
        return put(put(word, 12, 6, rnd() % 48), 18, 5, rnd() % 2);
    case TS_OP_SETDMAREG:
        return put(put(word, 0, 7, rnd() % 96), 7, 1, 0);
    case TS_OP_LOADIND:
        return put(
            put(put(put(word, 0, 6, 56 + rnd() % 8), 14, 8, 96 + rnd() % 16), 6, 6, rnd() % 48), 12,
            2, 0);
    case TS_OP_STOREIND:
        return put(put(put(put(word, 0, 6, 56 + rnd() % 8), 14, 7, 96 + rnd() % 16), 23, 1, 1), 12,
                   2, 0);
    case TS_OP_ATINCGET:
    case TS_OP_ATSWAP:
        return put(put(word, 0, 6, 56 + rnd() % 8), 6, 6, rnd() % 48);
    case TS_OP_ATCAS: // would wait forever
    case TS_OP_ATINCGETPTR:
    case TS_OP_SETDVALID:
    case TS_OP_XMOV:
    case TS_OP_STREAMWAIT:
        return DMANOP;
    case TS_OP_LOADREG:
    case TS_OP_STOREREG:
        return put(put(word, 18, 6, rnd() % 48), 0, 18, 0x12064 >> 2);
    case TS_OP_REG2FLOP:
        return put(put(word, 20, 2, 2 + rnd() % 2), 6, 10, rnd() & 0x3f);
    case TS_OP_WRCFG:
        return put(word, 0, 15, rnd() % TS_CFG_WORDS);
    case TS_OP_RDCFG:
        return put(put(word, 0, 16, rnd() % TS_CFG_WORDS), 16, 8, rnd() % 48);
    case TS_OP_CFGSHIFTMASK:
    case TS_OP_RMWCIB0:
    case TS_OP_RMWCIB1:
    case TS_OP_RMWCIB2:
    case TS_OP_RMWCIB3:
        return put(word, 0, 8, rnd() % TS_CFG_WORDS);
    case TS_OP_STREAMWRCFG:
        return put(word, 0, 11, rnd() % TS_CFG_WORDS);
    case TS_OP_SETC16:
        return put(word, 16, 8, rnd() % 20);
    case TS_OP_REPLAY: // records little, so that it does not record a REPLAY
        return rnd() % 4 ? word & ~3u : REPLAY(rnd() % 32, 1, rnd() % 2, 1);
    case TS_OP_SEMWAIT:
        return rnd() % 8 ? SEMPOST(1u << rnd() % 8) : put(word, 0, 2, 1);
    case TS_OP_ATGETM:
    case TS_OP_ATRELM:
        return ATRELM(3);
    case TS_OP_SETADC:
        return put(word, 16, 2, rnd() % 4);
    default:
        return word;
    }
}

// Mostly sensible words of opcodes that some unit here takes; one in `wild` is anything.
static uint32_t random_word(const uint8_t *codes, unsigned count, unsigned wild)
{
    if (wild && rnd() % wild == 0)
        return rnd();
    uint8_t op = codes[rnd() % count];
    uint32_t word = OP(op) | (rnd() & 0xffffff & ~ts_op_hot[op].reserved);
    return wild && rnd() % wild == 0 ? word | (rnd() & 0xffffff) : tame(word);
}

static uint32_t any_stream(void *tile, unsigned stream, unsigned reg)
{
    (void)tile, (void)stream, (void)reg;
    return rnd();
}
static bool any_read(void *tile, uint32_t addr, uint32_t *value, ts_cycle now)
{
    (void)tile, (void)now;
    *value = rnd();
    return addr & 4 || addr == 0xffb12064;
}
static bool any_write(void *tile, uint32_t addr, uint32_t value, ts_cycle now)
{
    (void)tile, (void)value, (void)now;
    return addr & 4 || addr == 0xffb12064;
}

START_TEST(random_words)
{
    uint8_t codes[256];
    unsigned count = 0;
    for (unsigned code = 0; code < 256; code++) {
        unsigned unit = ts_op_hot[code].unit;
        bool here = unit == TS_UNIT_SYNC || unit == TS_UNIT_CFG || unit == TS_UNIT_SCALAR ||
                    unit == TS_UNIT_MISC || unit == TS_UNIT_MOVER || unit == TS_UNIT_FRONT;
        if (here && code != TS_OP_RESOURCEDECL && code != TS_OP_RSTDMA)
            codes[count++] = (uint8_t)code;
    }
    const char *rounds_text = getenv("TENSIM_FUZZ_ROUNDS");
    unsigned rounds = rounds_text ? (unsigned)atoi(rounds_text) : 300;
    static uint32_t words[4][400];
    unsigned stops[TS_STOP_SIGNAL + 1] = {0};
    uint64_t dispatched = 0;
    for (unsigned round = 0; round < rounds; round++) {
        struct rig *rig = rig_new();
        static const unsigned wildness[] = {0, 1000, 100, 5};
        unsigned wild = wildness[rnd() % 4];
        rig->tensix.strict = rnd() % 8 == 0;
        if (rnd() % 8) {
            rig->tensix.hooks.overlay_read = any_stream;
            rig->tensix.hooks.mmio_read = any_read;
            rig->tensix.hooks.mmio_write = any_write;
        }
        for (unsigned t = 0; t < TS_THREADS; t++) {
            for (unsigned i = 0; i < TS_MOP_CFG_WORDS; i++)
                ts_mop_configure(&rig->front[t].mop, i,
                                 i < 2 ? rnd() % 8 : random_word(codes, count, wild));
            for (unsigned i = 0; i < TS_REPLAY_WORDS; i++)
                rig->front[t].replay.ram[i] = SETDMAREG(i, i);
            for (unsigned i = 0; i < TS_GPRS; i++) // addresses in and around L1
                rig->tensix.deferred.gpr[t][i] = i >= 56   ? rnd() % (RIG_L1 / 32)
                                                 : i >= 48 ? rnd() & 0x0fff0fff
                                                           : rnd();
        }
        for (unsigned p = 0; p < 4; p++) {
            for (unsigned i = 0; i < 400; i++)
                words[p][i] = p < 3 || wild ? random_word(codes, count, wild)
                                            : SETDMAREG(i % 96, i);
            if (p < 3 || rnd() % 3 == 0)
                rig_program(rig, p, words[p], p < 3 ? 400 : 20);
        }
        struct ts_run run = rig_run(rig, 30000);
        stops[run.stop]++;
        if (run.stop == TS_STOP_FAULT) {
            ck_assert(run.error.code == TS_CONTRACT || run.error.code == TS_NOT_IMPLEMENTED);
            ck_assert_uint_gt(strlen(run.error.text), 10);
        }
        for (unsigned t = 0; t < TS_THREADS; t++) {
            struct ts_wait wait = ts_waiting(&rig->front[t].component);
            ck_assert(wait.reason == TS_STALL_IDLE || wait.object != NULL);
            struct ts_account account = ts_component_account(&rig->front[t].component, run.cycle);
            uint64_t sum = account.busy;
            for (unsigned i = 0; i < TS_STALL_COUNT; i++)
                sum += account.lost[i];
            ck_assert_uint_eq(sum, run.cycle);
            dispatched += rig->front[t].dispatched;
        }
        rig_free(rig);
    }
    if (rounds_text)
        printf(
            "%llu words passed the gates; runs ended: done %u, limit %u, deadlock %u, fault %u\n",
            (unsigned long long)dispatched, stops[TS_STOP_DONE], stops[TS_STOP_LIMIT],
            stops[TS_STOP_DEADLOCK], stops[TS_STOP_FAULT]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, random_words);
}

SUITE("front end fuzz", add_tests)
