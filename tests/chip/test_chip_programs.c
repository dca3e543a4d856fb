// Programs on the cores of all 140 tiles: each sends a block to its neighbour, then all meet at a
// barrier, round after round. The data is checked, and every number of threads gives the same
// cycles, bytes and steps of each tile.
#include "tests/chip/complete.h"
#include "tests/chip/programs.h"
#include "tests/chip/rig.h"
#include "tests/suite.h"

#include <stdio.h>

static uint64_t run_programs(uint32_t threads)
{
    static struct complete_rig all;
    struct ts_error error = {TS_OK, ""};
    complete_rig_init(&all, threads);
    static struct ts_rvasm code;
    for (uint32_t i = 0; i < all.soc.tiles; i++) {
        struct ts_tile *tile = all.chip.tile[i];
        code.count = 0;
        program(&code, &all.chip, i);
        ck_assert(!code.overflow && code.count * 4 < 0x14000);
        ts_l1_write(&tile->l1, 0, code.words, code.count * 4, 0);
        uint32_t data[LENGTH / 4];
        for (uint32_t j = 0; j < LENGTH / 4; j++)
            data[j] = i << 16 | j;
        ts_l1_write(&tile->l1, SOURCE, data, LENGTH, 0);
        ck_assert_msg(ts_tile_start(tile, TS_RV_BRISC, 0, 0, &error), "%s", error.text);
    }
    struct ts_run run = ts_kernel_run(all.kernel, 1000000);
    ck_assert_msg(run.stop != TS_STOP_FAULT, "%s", run.error.text);
    ck_assert_msg(ts_chip_check(&all.chip, &run, &error) == TS_OK, "%s", error.text);
    uint64_t hash = ts_hash_word(run.cycle, run.activations);
    for (uint32_t i = 0; i < all.soc.tiles; i++) {
        const uint8_t *l1 = all.chip.tile[i]->l1.bytes;
        uint32_t word;
        memcpy(&word, l1 + DONE, 4);
        ck_assert_msg(word == DONE_WORD, "tile %u stopped at pc 0x%x", i,
                      all.chip.tile[i]->cores[0].pc);
        for (uint32_t round = 1; round <= ROUNDS; round++)
            for (uint32_t j = 0; j < LENGTH / 4; j++) {
                uint32_t from = (i + all.soc.tiles - round * round % all.soc.tiles) % all.soc.tiles;
                memcpy(&word, l1 + TARGET + 0x1000 * round + 4 * j, 4);
                ck_assert_uint_eq(word, from << 16 | j);
            }
        hash = ts_hash_word(hash, all.chip.tile[i]->cores[0].instret);
        hash = ts_hash_word(hash, all.chip.tile[i]->domain->activations);
    }
    printf("  %u threads: %llu cycles, %llu steps\n", threads, (unsigned long long)run.cycle,
           (unsigned long long)run.activations);
    complete_rig_free(&all);
    return hash;
}

START_TEST(test_programs)
{
    uint64_t hash = run_programs(1);
    ck_assert_uint_eq(hash, run_programs(2));
    ck_assert_uint_eq(hash, run_programs(3));
}
END_TEST

// A guest that names a place outside the grid or a fused-off tile, or gives a command that is none,
// gets a fault that names the cause, and its cycle, tile, core and pc.
enum what { READ, WRITE, ATOMIC, MULTICAST };

static const struct {
    enum what what;
    uint32_t word, value; // one register of a good request is changed
    enum ts_code code;
    const char *says;
} faults[] = {
    {READ, TS_NOC_TARG_HI, 20 | 3 << 6, TS_CONTRACT, "outside the grid"},
    {WRITE, TS_NOC_RET_HI, 20 | 3 << 6, TS_CONTRACT, "outside the grid"},
    {ATOMIC, TS_NOC_TARG_HI, 20 | 3 << 6, TS_CONTRACT, "outside the grid"},
    {MULTICAST, TS_NOC_RET_HI, 20 | 3 << 6 | 2 << 12 | 3 << 18, TS_CONTRACT, "outside the grid"},
    {READ, TS_NOC_TARG_HI, 15 | 3 << 6, TS_CONTRACT, "harvested"},
    {WRITE, TS_NOC_RET_HI, 15 | 3 << 6, TS_CONTRACT, "harvested"},
    {ATOMIC, TS_NOC_TARG_HI, 16 | 5 << 6, TS_CONTRACT, "harvested"},
    {MULTICAST, TS_NOC_RET_HI, 15 | 3 << 6 | 15 << 12 | 3 << 18, TS_CONTRACT,
     "no tile receives its broadcast"},
    {READ, TS_NOC_AT_LEN_BE, 0, TS_CONTRACT, "its length is zero"},
    {WRITE, TS_NOC_AT_LEN_BE, 0, TS_CONTRACT, "its length is zero"},
    {READ, TS_NOC_TARG_LO, 0x17fff0, TS_CONTRACT, "runs past the end of L1"},
    {WRITE, TS_NOC_RET_LO, 0x17fff0, TS_CONTRACT, "runs past the end of L1"},
    {MULTICAST, TS_NOC_RET_LO, 0x17fff0, TS_CONTRACT, "runs past the end of L1"},
    {WRITE, TS_NOC_CTRL, 3, TS_CONTRACT, "request type 3 is reserved"},
    {READ, TS_NOC_CTRL, TS_NOC_CTRL_BRCST, TS_CONTRACT, "a read cannot be broadcast"},
    {WRITE, TS_NOC_CTRL, TS_NOC_WRITE | TS_NOC_CTRL_VC_STATIC | 6 << TS_NOC_CTRL_VC_SHIFT,
     TS_CONTRACT, "static virtual channel"},
    {WRITE, TS_NOC_CTRL, TS_NOC_WRITE | TS_NOC_CTRL_L1_ACC, TS_NOT_IMPLEMENTED, "L1_ACC"},
};

START_TEST(test_fault)
{
    struct ts_params params = {0};
    struct ts_error error = {TS_OK, ""};
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(&params);
    ck_assert_msg(ts_params_load(&params, path, &error) == TS_OK, "%s", error.text);
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile_config config = ts_tile_config_from(&params);
    static struct ts_chip chip;
    struct ts_soc soc;
    struct ts_tile *tile = ts_tile_new_at(kernel, 1, 2, &config, &error);
    ck_assert_int_eq(ts_soc_find(&soc, "p100", &error), TS_OK);
    ck_assert_msg(ts_chip_init(&chip, kernel, &soc, &params, &tile, 1, &error) == TS_OK, "%s",
                  error.text);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    static struct ts_rvasm code;
    code.count = 0;
    struct ts_noc_xy me = at(1, 2), to = at(2, 2);
    struct ts_traffic_op op;
    switch (faults[_i].what) {
    case READ:
        op = ts_traffic_read(&chip, 0, me, to, SOURCE, TARGET, 64);
        break;
    case WRITE:
        op = ts_traffic_write(&chip, 0, me, to, SOURCE, TARGET, 64, 1, false);
        break;
    case ATOMIC:
        op = ts_traffic_increment(&chip, 0, me, to, TARGET, 0x15020, 1, false);
        break;
    case MULTICAST:
        op = ts_traffic_multicast(&chip, 0, me, to, at(3, 4), SOURCE, TARGET, 64, 0);
        break;
    }
    op.word[faults[_i].word] = faults[_i].value;
    issue(&code, 0, &op);
    ts_l1_write(&tile->l1, 0, code.words, code.count * 4, 0);
    ck_assert(ts_tile_start(tile, TS_RV_BRISC, 0, 0, &error));
    struct ts_run run = ts_kernel_run(kernel, 100000);
    printf("  %s\n", run.error.text);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_int_eq(run.error.code, faults[_i].code);
    ck_assert_ptr_nonnull(strstr(run.error.text, faults[_i].says));
    ck_assert_ptr_nonnull(strstr(run.error.text, "tile[1-2].brisc"));
    ck_assert_ptr_nonnull(strstr(run.error.text, "cycle"));
    ck_assert_ptr_nonnull(strstr(run.error.text, "pc"));
    ts_chip_free(&chip);
    ts_tile_free(tile);
    ts_kernel_free(kernel);
    ts_params_free(&params);
}
END_TEST

// A tile goes where the chip has a Tensix tile, and nowhere else; the others are bare.
START_TEST(test_places)
{
    static const struct {
        uint8_t x, y;
        const char *says; // NULL: it fits
    } rows[] = {{1, 2, NULL}, {0, 0, "not a Tensix tile"}, {17, 2, "outside the grid"}};
    struct ts_params params = {0};
    struct ts_error error = {TS_OK, ""};
    struct ts_soc soc;
    static struct ts_chip chip;
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(&params);
    ck_assert_msg(ts_params_load(&params, path, &error) == TS_OK, "%s", error.text);
    ck_assert_int_eq(ts_soc_find(&soc, "p150", &error), TS_OK);
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile *tile = ts_tile_new_at(kernel, rows[_i].x, rows[_i].y, NULL, &error);
    ck_assert_ptr_nonnull(tile);
    enum ts_code code = ts_chip_init(&chip, kernel, &soc, &params, &tile, 1, &error);
    ck_assert_int_eq(code, rows[_i].says ? TS_SETUP : TS_OK);
    ck_assert(!rows[_i].says || strstr(error.text, rows[_i].says));
    ck_assert(rows[_i].says || chip.tile[0] == tile);
    ck_assert_ptr_null(chip.tile[1]);
    ts_chip_free(&chip);
    ts_tile_free(tile);
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
        static struct ts_chip chip;
        ck_assert_int_eq(ts_chip_init_complete(&chip, kernel, &soc, &params, &config, &error),
                         TS_OK);
        ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
        struct ts_tile *tile = chip.tile[0];
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
        struct ts_traffic_op op = ts_traffic_read(&chip, noc, at(1, 2), at(5, 5), SOURCE, TARGET,
                                                  256);
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
        ts_chip_free(&chip);
        ts_kernel_free(kernel);
    }
    ts_params_free(&params);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_programs);
    tcase_add_loop_test(tests, test_fault, 0, sizeof faults / sizeof *faults);
    tcase_add_loop_test(tests, test_places, 0, 3);
    tcase_add_test(tests, test_interrupt);
}

SUITE("chip_programs", add_tests)
