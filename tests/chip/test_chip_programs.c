// Programs on the cores of all 140 tiles: each sends a block to its neighbour, then all meet at a
// barrier, round after round. The data is checked, and every number of threads gives the same
// cycles and bytes.
#include "platform/chip/whole.h"
#include "platform/study/rvasm.h"
#include "tests/chip/rig.h"

#include <stdio.h>

enum { ZERO, T0 = 5, T1 = 6, T2 = 7, S0 = 8, S1 = 9, A0 = 10, A1 = 11, A2 = 12, A3 = 13 };

#define NIU(noc)  (0xffb20000u + 0x10000u * (noc))
#define ROUNDS    3
#define SOURCE    0x20000u
#define TARGET    0x30000u // + 4 KiB for each round
#define LENGTH    2048u
#define ARRIVED   0x15000u // at the root: increments
#define GO        0x15010u // the round that may start
#define DONE      0x14000u
#define DONE_WORD 0x600dd04eu

static void store(struct ts_rvasm *p, uint32_t address, uint32_t value)
{
    ts_rvasm_li(p, T0, address);
    ts_rvasm_li(p, T1, value);
    ts_rvasm(p, TS_RV_SW, 0, T0, T1, 0);
}

// Waits until the word at an address is `value`.
static void await(struct ts_rvasm *p, uint32_t address, uint32_t value)
{
    ts_rvasm_li(p, T0, address);
    ts_rvasm_li(p, T2, value);
    uint32_t top = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_LW, T1, T0, 0, 0);
    ts_rvasm_back(p, TS_RV_BNE, T1, T2, top);
}

// Programs an initiator from an op and starts it.
static void issue(struct ts_rvasm *p, unsigned initiator, const struct ts_traffic_op *op)
{
    uint32_t base = NIU(op->noc) + initiator * TS_NOC_BUF_STRIDE;
    await(p, base + 4 * TS_NOC_CMD_CTRL, 0);
    for (uint32_t i = 0; i <= TS_NOC_BRCST_EXCLUDE; i++)
        store(p, base + 4 * i, op->word[i]);
    store(p, base + 4 * TS_NOC_CMD_CTRL, 1);
}

static void await_counter(struct ts_rvasm *p, unsigned noc, enum ts_noc_counter counter,
                          uint32_t value)
{
    await(p, NIU(noc) + 0x200 + 4 * counter, value);
}

static void program(struct ts_rvasm *p, const struct ts_chip *chip, uint32_t index)
{
    uint32_t count = chip->soc.tiles, acks = 0;
    struct ts_noc_xy me = chip->tiles[index], root = chip->tiles[0];
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        struct ts_noc_xy peer = chip->tiles[(index + round * round) % count];
        struct ts_traffic_op op = ts_traffic_write(chip, 0, me, peer, SOURCE,
                                                   TARGET + 0x1000 * round, LENGTH, 1, false);
        issue(p, 0, &op);
        await_counter(p, 0, TS_NOC_MST_WR_ACK_RECEIVED, ++acks);
        op = ts_traffic_increment(chip, 1, me, root, ARRIVED, 0x15020, 1, false);
        issue(p, 3, &op);
        await_counter(p, 1, TS_NOC_MST_ATOMIC_RESP_RECEIVED, round);
        if (index == 0) {
            await(p, ARRIVED, round * count);
            store(p, 0x15030, round);
            ts_rvasm_li(p, T0, 0x15030);
            ts_rvasm(p, TS_RV_LW, T1, T0, 0, 0); // the store is in L1 before the NoC reads it
            ts_rvasm(p, TS_RV_AND, 0, T1, T1, 0);
            op = ts_traffic_multicast(chip, 0, me, at(1, 2), at(16, 11), 0x15030, GO, 4,
                                      TS_NOC_CTRL_PATH_RESERVE | TS_NOC_CTRL_SRC_INCLUDE);
            issue(p, 0, &op);
            acks += count;
            await_counter(p, 0, TS_NOC_MST_WR_ACK_RECEIVED, acks);
        }
        await(p, GO, round);
    }
    store(p, DONE, DONE_WORD);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 0);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9e3779b97f4a7c15ull ^ hash >> 29;
}

static uint64_t run_programs(uint32_t threads)
{
    struct ts_params params = {0};
    struct ts_error error = {TS_OK, ""};
    struct ts_soc soc;
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(&params);
    ck_assert_msg(ts_params_load(&params, path, &error) == TS_OK, "%s", error.text);
    ck_assert_msg(ts_soc_find(&soc, "p150", &error) == TS_OK, "%s", error.text);
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = threads});
    struct ts_tile_config config = ts_tile_config_from(&params);
    static struct ts_whole whole;
    ck_assert_msg(ts_whole_init(&whole, kernel, &soc, &params, &config, NULL, NULL, &error) ==
                      TS_OK,
                  "%s", error.text);
    ck_assert_msg(ts_kernel_elaborate(kernel, &error) == TS_OK, "%s", error.text);
    static struct ts_rvasm code;
    for (uint32_t i = 0; i < soc.tiles; i++) {
        struct ts_tile *tile = whole.tiles[i];
        code.count = 0;
        program(&code, &whole.chip, i);
        ck_assert(!code.overflow && code.count * 4 < 0x14000);
        ts_l1_write(&tile->l1, 0, code.words, code.count * 4, 0);
        uint32_t data[LENGTH / 4];
        for (uint32_t j = 0; j < LENGTH / 4; j++)
            data[j] = i << 16 | j;
        ts_l1_write(&tile->l1, SOURCE, data, LENGTH, 0);
        ck_assert_msg(ts_tile_start(tile, TS_RV_BRISC, 0, 0, &error), "%s", error.text);
    }
    struct ts_run run = ts_kernel_run(kernel, 1000000);
    ck_assert_msg(run.stop != TS_STOP_FAULT, "%s", run.error.text);
    ck_assert_msg(ts_chip_check(&whole.chip, &run, &error) == TS_OK, "%s", error.text);
    uint64_t hash = mix(run.cycle, run.activations);
    for (uint32_t i = 0; i < soc.tiles; i++) {
        const uint8_t *l1 = whole.tiles[i]->l1.bytes;
        uint32_t word;
        memcpy(&word, l1 + DONE, 4);
        ck_assert_msg(word == DONE_WORD, "tile %u stopped at pc 0x%x", i,
                      whole.tiles[i]->cores[0].pc);
        for (uint32_t round = 1; round <= ROUNDS; round++)
            for (uint32_t j = 0; j < LENGTH / 4; j++) {
                uint32_t from = (i + soc.tiles - round * round % soc.tiles) % soc.tiles;
                memcpy(&word, l1 + TARGET + 0x1000 * round + 4 * j, 4);
                ck_assert_uint_eq(word, from << 16 | j);
            }
        hash = mix(hash, whole.tiles[i]->cores[0].instret);
    }
    printf("  %u threads: %llu cycles, %llu steps\n", threads, (unsigned long long)run.cycle,
           (unsigned long long)run.activations);
    ts_whole_free(&whole);
    ts_kernel_free(kernel);
    ts_params_free(&params);
    return hash;
}

START_TEST(test_programs)
{
    uint64_t hash = run_programs(1);
    ck_assert_uint_eq(hash, run_programs(2));
    ck_assert_uint_eq(hash, run_programs(3));
}
END_TEST

// A guest that writes outside the grid gets a fault with its cycle and its pc.
START_TEST(test_fault)
{
    struct ts_params params = {0};
    struct ts_error error = {TS_OK, ""};
    struct ts_soc soc;
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(&params);
    ck_assert_msg(ts_params_load(&params, path, &error) == TS_OK, "%s", error.text);
    ck_assert_msg(ts_soc_find(&soc, "p100", &error) == TS_OK, "%s", error.text);
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile_config config = ts_tile_config_from(&params);
    static struct ts_whole whole;
    ck_assert_int_eq(ts_whole_init(&whole, kernel, &soc, &params, &config, NULL, NULL, &error),
                     TS_OK);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    static struct ts_rvasm code;
    struct ts_traffic_op op = ts_traffic_write(&whole.chip, 0, at(1, 2), at(2, 2), SOURCE, TARGET,
                                               64, 1, false);
    op.word[TS_NOC_RET_HI] = 15 | 3 << 6; // a harvested column
    issue(&code, 0, &op);
    struct ts_tile *tile = ts_whole_tile(&whole, at(1, 2));
    ts_l1_write(&tile->l1, 0, code.words, code.count * 4, 0);
    ck_assert(ts_tile_start(tile, TS_RV_BRISC, 0, 0, &error));
    struct ts_run run = ts_kernel_run(kernel, 100000);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_int_eq(run.error.code, TS_CONTRACT);
    printf("  %s\n", run.error.text);
    ck_assert_ptr_nonnull(strstr(run.error.text, "harvested"));
    ck_assert_ptr_nonnull(strstr(run.error.text, "tile[1-2].brisc"));
    ck_assert_ptr_nonnull(strstr(run.error.text, "pc"));
    ts_whole_free(&whole);
    ts_kernel_free(kernel);
    ts_params_free(&params);
}
END_TEST

// A read's end raises an interrupt; its handler says which transaction it was.
START_TEST(test_interrupt)
{
    struct ts_params params = {0};
    struct ts_error error = {TS_OK, ""};
    struct ts_soc soc;
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(&params);
    ck_assert_msg(ts_params_load(&params, path, &error) == TS_OK, "%s", error.text);
    ck_assert_int_eq(ts_soc_find(&soc, "p150", &error), TS_OK);
    for (unsigned noc = 0; noc < 2; noc++) {
        struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
        struct ts_tile_config config = ts_tile_config_from(&params);
        static struct ts_whole whole;
        ck_assert_int_eq(ts_whole_init(&whole, kernel, &soc, &params, &config, NULL, NULL, &error),
                         TS_OK);
        ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
        struct ts_tile *tile = ts_whole_tile(&whole, at(1, 2));
        const uint32_t handler = 0x4000, seen = 0x15000;
        static struct ts_rvasm code;
        struct ts_rvasm *p = &code;
        p->count = 0; // the handler: reads NIU_TRANS_COUNT_RTZ_NUM, which clears it
        ts_rvasm_li(p, A0, NIU(noc) + 0x378);
        ts_rvasm(p, TS_RV_LW, A1, A0, 0, 0);
        ts_rvasm(p, TS_RV_ADDI, A1, A1, 0, 100);
        ts_rvasm_li(p, A0, seen);
        ts_rvasm(p, TS_RV_SW, 0, A0, A1, 0);
        ts_rvasm(p, TS_RV_MRET, 0, 0, 0, 0);
        ts_l1_write(&tile->l1, handler, code.words, code.count * 4, 0);
        p->count = 0;
        struct ts_traffic_op op = ts_traffic_read(&whole.chip, noc, at(1, 2), at(5, 5), SOURCE,
                                                  TARGET, 256);
        op.word[TS_NOC_TAG] = 3u << 10;
        store(p, NIU(noc) + 0x178, 1u << 3);            // NIU_TRANS_COUNT_RTZ_CFG
        store(p, 0xffb13128u + 4 * (1 + noc), handler); // HW_INT_PC
        store(p, 0xffb13004u, 2u << noc);               // BRISC_HW_INT_EN
        issue(p, 1, &op);
        await(p, seen, 103);
        store(p, DONE, DONE_WORD);
        ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 0);
        ts_l1_write(&tile->l1, 0, code.words, code.count * 4, 0);
        ck_assert(ts_tile_start(tile, TS_RV_BRISC, 0, 0, &error));
        struct ts_run run = ts_kernel_run(kernel, 100000);
        ck_assert_msg(run.stop != TS_STOP_FAULT, "%s", run.error.text);
        uint32_t word;
        memcpy(&word, tile->l1.bytes + DONE, 4);
        ck_assert_uint_eq(word, DONE_WORD);
        ck_assert_uint_eq(tile->pic.hw[1 + noc], 0);
        ts_whole_free(&whole);
        ts_kernel_free(kernel);
    }
    ts_params_free(&params);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("chip_programs");
    TCase *tcase = tcase_create("programs");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_programs);
    tcase_add_test(tcase, test_fault);
    tcase_add_test(tcase, test_interrupt);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
