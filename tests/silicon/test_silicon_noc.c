// Measurements of the networks and DRAM on real cards, re-created: ids and values of
// facts/silicon.csv.
//
// Round trips run on a modelled core, with the loop the reports describe: look at NOC_CMD_CTRL,
// write seven registers, start, poll the counter. Streams are scripts with the pace of the
// published issue loops.
#include "platform/chip/whole.h"
#include "platform/study/rvasm.h"
#include "tests/chip/rig.h"

#include <math.h>
#include <stdio.h>

#define TOLERANCE 0.12 // beyond this a row needs a reason

static double errors[512];
static size_t error_count;

static void row(const char *id, double measured, double simulated, const char *reason)
{
    double error = simulated / measured - 1;
    printf("  %-8s measured %9.2f simulated %9.2f %+6.1f %% %s\n", id, measured, simulated,
           100 * error, reason);
    if (*reason)
        return;
    ck_assert_msg(fabs(error) < TOLERANCE, "%s: %f against %f", id, simulated, measured);
    errors[error_count++] = fabs(error);
}

// --- round trips by a core ---

enum { ZERO, T0 = 5, T1 = 6, T2 = 7, S0 = 8, S1 = 9, A0 = 10, A1 = 11 };
#define ITERATIONS 64

// Cycles of one iteration of a loop of blocking requests by BRISC.
static double round_trip(unsigned noc, struct ts_noc_xy to, bool read, uint32_t length)
{
    struct ts_params params = {0};
    struct ts_error error = {TS_OK, ""};
    struct ts_soc soc;
    char path[512];
    ts_config_path(path, sizeof path, "blackhole.yaml");
    ts_chip_params_add(&params);
    ck_assert_msg(ts_params_load(&params, path, &error) == TS_OK, "%s", error.text);
    ck_assert_int_eq(ts_soc_find(&soc, "p150", &error), TS_OK);
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_tile_config config = ts_tile_config_from(&params);
    static struct ts_chip chip;
    static struct ts_tile tile;
    struct ts_noc_xy from = at(1, 2);
    struct ts_domain *domain = ts_domain_new(kernel, "tile[1-2]");
    ck_assert(ts_tile_init(&tile, domain, &config));
    struct ts_chip_domain given = {from, domain};
    ck_assert_int_eq(ts_chip_init(&chip, kernel, &soc, &params, &given, 1, &error), TS_OK);
    ts_chip_attach(&chip, &tile, from);
    ck_assert_int_eq(ts_chip_build(&chip, &error), TS_OK);
    ck_assert_int_eq(ts_kernel_elaborate(kernel, &error), TS_OK);
    struct ts_traffic_op op = read ? ts_traffic_read(&chip, noc, from, to, 0x20000, 0x30000, length)
                                   : ts_traffic_write(&chip, noc, from, to, 0x30000, 0x20000,
                                                      length, 1, false);
    static struct ts_rvasm code;
    struct ts_rvasm *p = &code;
    p->count = 0;
    ts_rvasm_li(p, A0, 0xffb20000u + 0x10000u * noc);
    ts_rvasm_li(p, S0, ITERATIONS);
    ts_rvasm_li(p, S1, 0);
    for (unsigned i = 0; i <= TS_NOC_BRCST_EXCLUDE; i++)
        ts_rvasm_li(p, 16 + i, op.word[i]);
    ts_rvasm_li(p, T2, 1);
    uint32_t top = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_LW, T1, A0, 0, 4 * TS_NOC_CMD_CTRL);
    ts_rvasm_back(p, TS_RV_BNE, T1, ZERO, top);
    for (unsigned i = 0; i <= TS_NOC_BRCST_EXCLUDE; i++)
        ts_rvasm(p, TS_RV_SW, 0, A0, 16 + i, 4 * (int32_t)i);
    ts_rvasm(p, TS_RV_SW, 0, A0, T2, 4 * TS_NOC_CMD_CTRL);
    ts_rvasm(p, TS_RV_ADDI, S1, S1, 0, 1);
    uint32_t poll = ts_rvasm_here(p);
    ts_rvasm(p, TS_RV_LW, T1, A0, 0,
             0x200 + 4 * (read ? TS_NOC_MST_RD_RESP_RECEIVED : TS_NOC_MST_WR_ACK_RECEIVED));
    ts_rvasm_back(p, TS_RV_BNE, T1, S1, poll);
    ts_rvasm(p, TS_RV_ADDI, S0, S0, 0, -1);
    ts_rvasm_back(p, TS_RV_BNE, S0, ZERO, top);
    ts_rvasm(p, TS_RV_JAL, 0, 0, 0, 0);
    ts_l1_write(&tile.l1, 0, code.words, code.count * 4, 0);
    ck_assert(ts_tile_start(&tile, TS_RV_BRISC, 0, 0, &error));
    struct ts_run run = ts_kernel_run(kernel, 1000000);
    ck_assert_msg(run.stop != TS_STOP_FAULT, "%s", run.error.text);
    ck_assert_uint_eq(ts_chip_site(&chip, from)->niu[noc].counters[TS_NOC_MST_CMD_ACCEPTED],
                      ITERATIONS);
    ts_chip_free(&chip);
    ts_tile_free(&tile);
    ts_kernel_free(kernel);
    ts_params_free(&params);
    return (double)run.cycle / ITERATIONS;
}

static const struct {
    const char *id;
    unsigned dx, dy;
    bool read;
    uint32_t length;
    double measured;
} trips[] = {
    {"B0758", 1, 0, true, 16, 227.117},    {"B0760", 1, 0, true, 256, 235.117},
    {"B0761", 1, 0, true, 1024, 243.117},  {"B0762", 1, 0, true, 4096, 291.18},
    {"B0766", 1, 0, false, 64, 225.117},   {"B0768", 1, 0, false, 1024, 241.121},
    {"B0770", 1, 0, false, 16384, 481.1},  {"B0773", 0, 1, true, 64, 187.117},
    {"B0775", 0, 1, true, 1024, 203.117},  {"B0777", 0, 1, true, 16384, 443.1},
    {"B0780", 0, 1, false, 64, 177.117},   {"B0784", 0, 1, false, 16384, 434.055},
    {"B0786", 1, 1, true, 16, 339.117},    {"B0790", 1, 1, true, 4096, 403.117},
    {"B0791", 1, 1, true, 16384, 595.215}, {"B0793", 1, 1, false, 16, 337.117},
    {"B0797", 1, 1, false, 4096, 400.96},  {"B0798", 1, 1, false, 16384, 587.8},
};

START_TEST(test_trips)
{
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++)
        row(trips[i].id, trips[i].measured,
            round_trip(i & 1, at(1 + trips[i].dx, 2 + trips[i].dy), trips[i].read, trips[i].length),
            "");
}
END_TEST

// --- nocbench: 64 writes or reads by up to two masters, first issue to last answer ---

static const struct {
    const char *id[2];
    struct ts_noc_xy master[2], sub[2];
    bool read;
    uint32_t length;
    double measured[2];
} benches[] = {
    {{"S0406"}, {{1, 2}}, {{2, 2}}, false, 4096, {4519}},
    {{"S0412"}, {{1, 2}}, {{12, 2}}, false, 4096, {4491}},
    {{"S0414"}, {{1, 2}}, {{1, 3}}, false, 4096, {4481}},
    {{"S0420"}, {{1, 2}}, {{1, 9}}, false, 4096, {4467}},
    {{"S0424"}, {{1, 2}}, {{4, 5}}, false, 4096, {4620}},
    {{"S0429"}, {{1, 2}}, {{13, 10}}, false, 4096, {4618}},
    {{"S0431"}, {{1, 2}}, {{2, 3}}, false, 512, {2544}},
    {{"S0433"}, {{1, 2}}, {{2, 3}}, false, 16384, {17315}},
    {{"S0434"}, {{2, 11}}, {{1, 2}}, true, 8192, {8873}},
    {{"S0435", "S0436"}, {{2, 11}, {3, 10}}, {{1, 2}, {1, 2}}, true, 8192, {16815, 17237}},
    {{"S0437", "S0438"}, {{15, 2}, {6, 2}}, {{6, 3}, {14, 4}}, false, 64, {2546, 2556}},
    {{"S0457", "S0458"}, {{15, 2}, {4, 2}}, {{6, 3}, {12, 4}}, false, 16384, {32831, 33298}},
    {{"S0461", "S0462"}, {{15, 2}, {11, 2}}, {{6, 3}, {2, 4}}, false, 16384, {33671, 33777}},
    {{"S0534"}, {{11, 2}}, {{2, 4}}, false, 2048, {4474}},
};

START_TEST(test_nocbench)
{
    for (size_t i = 0; i + 1 < sizeof benches / sizeof *benches; i++) {
        static struct rig rig;
        rig_init(&rig, "p150", 1, NULL);
        struct ts_traffic_op ops[2][2];
        for (unsigned m = 0; m < 2 && benches[i].id[m]; m++) {
            struct ts_noc_xy by = benches[i].master[m], to = benches[i].sub[m];
            ops[m][0] = benches[i].read ? ts_traffic_read(&rig.chip, 0, by, to, 0x20000, 0x40000,
                                                          benches[i].length)
                                        : ts_traffic_write(&rig.chip, 0, by, to, 0x20000, 0x40000,
                                                           benches[i].length, 1, false);
            ops[m][0].count = 64;
            ops[m][0].gap = benches[i].read ? 47 : 35;
            ops[m][1] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
            rig_drive(&rig, by, ops[m], 2);
        }
        rig_run(&rig, 1000000);
        for (unsigned m = 0; m < 2 && benches[i].id[m]; m++)
            row(benches[i].id[m], benches[i].measured[m],
                (double)(ops[m][1].ended - ops[m][0].started), "");
        rig_free(&rig);
    }
}
END_TEST

// --- multicast: issue to data seen at the first receiver; and bandwidth with a flush after each
// ---

static double multicast(unsigned noc, struct ts_noc_xy from, unsigned last_x, uint32_t length,
                        uint32_t ctrl, unsigned count)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, NULL);
    static struct ts_traffic_op ops[200];
    size_t n = 0;
    for (unsigned i = 0; i < count; i++) {
        ops[n] = ts_traffic_multicast(&rig.chip, noc, from, at(from.x + 1u, from.y),
                                      at(last_x, from.y), 0x20000, 0x40000, length, ctrl);
        ops[n].gap = 150; // the harness needs about 75 cycles after its wait (M2-NOC-008)
        n++;
        ops[n++] = (struct ts_traffic_op){.kind = TS_TRAFFIC_SENT, .gap = 8};
    }
    uint32_t mark = 0x12345678;
    ck_assert_int_eq(ts_chip_write(&rig.chip, from, 0x20000 + length - 4, &mark, 4, &rig.error),
                     TS_OK);
    rig_drive(&rig, from, ops, n);
    struct ts_traffic_op wait = {
        .kind = TS_TRAFFIC_WORD, .address = 0x40000 + length - 4, .value = mark, .gap = 1};
    rig_drive(&rig, at(from.x + 1u, from.y), &wait, 1);
    rig_run(&rig, 1000000);
    double result = count == 1
                        ? (double)(wait.ended - ops[0].started)
                        : (double)count * length / (double)(ops[n - 1].ended - ops[0].started);
    rig_free(&rig);
    return result;
}

START_TEST(test_multicast)
{
    const uint32_t reserve = TS_NOC_CTRL_PATH_RESERVE;
    const char *poll = "(the card's value has its receiver's poll loop in it, about 12 cycles)";
    row("B0942", 45, multicast(0, at(1, 4), 2, 64, 0, 1) + 12, poll);
    row("B0942r", 62.5, multicast(0, at(1, 4), 2, 64, reserve, 1) + 12, poll);
    row("B0945", 178, multicast(1, at(1, 4), 2, 16, 0, 1) + 12, poll);
    row("B0945r", 407, multicast(1, at(1, 4), 2, 16, reserve, 1) + 12, poll);
    row("B0947", 442, multicast(1, at(1, 4), 2, 16384, 0, 1) + 12, poll);
    row("B0949", 42.742, multicast(0, at(1, 4), 3, 16384, reserve, 40), "");
    row("B0950", 40.021, multicast(0, at(1, 4), 5, 16384, reserve, 40), "");
}
END_TEST

START_TEST(test_median)
{
    for (size_t i = 1; i < error_count; i++)
        for (size_t j = i; j > 0 && errors[j] < errors[j - 1]; j--) {
            double swap = errors[j];
            errors[j] = errors[j - 1];
            errors[j - 1] = swap;
        }
    if (error_count == 0)
        return; // forked: each test has its own
    printf("  %zu rows: median error %.1f %%, worst %.1f %%\n", error_count,
           100 * errors[error_count / 2], 100 * errors[error_count - 1]);
    ck_assert(errors[error_count / 2] < 0.04);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("silicon_noc");
    TCase *tcase = tcase_create("silicon");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_trips);
    tcase_add_test(tcase, test_nocbench);
    tcase_add_test(tcase, test_multicast);
    tcase_add_test(tcase, test_median);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK); // the median is over all of them
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
