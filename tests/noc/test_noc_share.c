// Bandwidth, shared links and merges against silicon (ids of facts/silicon.csv).
#include "tests/chip/rig.h"

#include <stdio.h>

#define WRITE_LOOP  23 // cycles of a core's write loop, NOC-051
#define ATOMIC_LOOP 32

static void near_to(double simulated, double measured, double tolerance, const char *what)
{
    printf("  %-46s measured %9.3f simulated %9.3f (%+.1f %%)\n", what, measured, simulated,
           100 * (simulated / measured - 1));
    ck_assert_msg(simulated > measured * (1 - tolerance) && simulated < measured * (1 + tolerance),
                  "%s: %f against %f", what, simulated, measured);
}

// K senders of a row write 256 x 16 KiB each into the tile at the row's end.
static void ladder(unsigned noc, const double *measured, unsigned senders)
{
    static struct rig rig;
    rig_init(&rig, "p100", 1, NULL);
    static struct ts_traffic_op ops[16][2];
    static const unsigned columns[] = {1, 2, 3, 4, 5, 7, 10, 11, 12, 13, 14, 16};
    const unsigned packets = 256;
    // NoC 0 flows right: the target is the last column, the nearest sender the one before it.
    for (unsigned i = 0; i < senders; i++) {
        unsigned x = columns[noc == 0 ? 10 - i : 1 + i], to = columns[noc == 0 ? 11 : 0];
        ops[i][0] = ts_traffic_write(&rig.chip, noc, at(x, 2), at(to, 2), 0x20000, 0x40000, 16384,
                                     1, false);
        ops[i][0].count = packets;
        ops[i][0].gap = WRITE_LOOP;
        ops[i][1] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
        rig_drive(&rig, at(x, 2), ops[i], 2);
    }
    rig_run(&rig, 100000000);
    for (unsigned i = 0; i < senders; i++) {
        char what[64];
        snprintf(what, sizeof what, "merge NoC %u, sender %u of %u", noc, i, senders);
        near_to(packets * 16384.0 / (double)(ops[i][1].ended - ops[i][0].started), measured[i],
                0.02, what);
    }
    printf("  %llu cycles, %llu steps\n", (unsigned long long)rig.run.cycle,
           (unsigned long long)rig.run.activations);
    rig_free(&rig);
}

START_TEST(test_merge)
{
    static const double b0857[] = {31.506, 31.449};
    static const double b0860[] = {31.636, 21.088, 15.812, 12.644, 12.634};
    static const double b0866[] = {31.553, 21.041, 15.781, 12.631, 10.530, 9.028,
                                   7.902,  7.023,  6.321,  5.747,  5.749};
    static const double b0872[] = {31.618, 21.081, 15.807, 12.651, 10.537, 9.029, 9.024};
    ladder(0, b0857, 2);
    ladder(0, b0860, 5);
    ladder(0, b0866, 11);
    ladder(1, b0872, 7);
}
END_TEST

// `senders` increment one word `count` times each; cycles per operation at the target.
static double atomics(unsigned senders, unsigned count)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, NULL);
    static struct ts_traffic_op ops[16][2];
    ts_cycle first = TS_NEVER, last = 0;
    for (unsigned i = 0; i < senders; i++) {
        struct ts_noc_xy by = at(1, 3 + i);
        ops[i][0] = ts_traffic_increment(&rig.chip, 0, by, at(1, 2), 0x20004, 0x30000, 1, false);
        ops[i][0].count = count;
        ops[i][0].gap = ATOMIC_LOOP;
        ops[i][1] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
        rig_drive(&rig, by, ops[i], 2);
    }
    rig_run(&rig, 10000000);
    for (unsigned i = 0; i < senders; i++) {
        first = ops[i][0].started < first ? ops[i][0].started : first;
        last = ops[i][1].ended > last ? ops[i][1].ended : last;
    }
    uint32_t sum;
    ck_assert_int_eq(ts_chip_read(&rig.chip, at(1, 2), 0x20004, &sum, 4, &rig.error), TS_OK);
    ck_assert_uint_eq(sum, senders * count);
    rig_free(&rig);
    return (double)(last - first - 200) / (senders * count);
}

START_TEST(test_atomics)
{
    near_to(atomics(4, 512), 12.69, 0.06, "B0906 4 initiators increment one word");
    near_to(atomics(8, 512), 12.61, 0.06, "B0907 8 initiators increment one word");
    near_to(atomics(8, 512), 12.06, 0.06, "B0908 8 initiators");
}
END_TEST

// Tiles read from one DRAM endpoint; bytes a cycle in sum.
static double dram(unsigned readers, bool read, uint32_t length, unsigned count, unsigned noc)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, NULL);
    static struct ts_traffic_op ops[140][2];
    for (unsigned i = 0; i < readers; i++) {
        struct ts_noc_xy by = rig.chip.tiles[i], bank = at(0, 11);
        ops[i][0] = read ? ts_traffic_read(&rig.chip, noc, by, bank, 0x100000 + i * 0x100000,
                                           0x20000, length)
                         : ts_traffic_write(&rig.chip, noc, by, bank, 0x20000,
                                            0x100000 + i * 0x100000, length, 1, false);
        ops[i][0].count = count;
        ops[i][0].gap = 29;
        ops[i][1] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
        rig_drive(&rig, by, ops[i], 2);
    }
    rig_run(&rig, 100000000);
    ts_cycle last = 0;
    for (unsigned i = 0; i < readers; i++)
        last = ops[i][1].ended > last ? ops[i][1].ended : last;
    rig_free(&rig);
    return (double)readers * count * length / (double)last;
}

START_TEST(test_dram)
{
    near_to(dram(1, true, 16384, 64, 0), 46.375, 0.04, "B1039 one core reads one bank, 16 KiB");
    near_to(dram(1, false, 16384, 64, 0), 47.11, 0.04, "B1041 one core writes one bank, 16 KiB");
    near_to(dram(48, true, 4096, 64, 0), 47.086, 0.04, "S0692 48 tiles read one channel");
    near_to(dram(16, true, 576, 256, 0), 0.62 * 47.4, 0.2, "S1113 576 B reads, one NoC");
    near_to(dram(16, true, 1088, 256, 0), 0.91 * 47.4, 0.2, "S1113 1088 B reads, one NoC");
    near_to(dram(16, true, 2048, 256, 0), 0.98 * 47.4, 0.1, "S1113 2048 B reads, one NoC");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("noc_share");
    TCase *tcase = tcase_create("share");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_merge);
    tcase_add_test(tcase, test_atomics);
    tcase_add_test(tcase, test_dram);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
