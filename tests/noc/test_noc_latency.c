// Round trips and single streams against silicon: facts/silicon.csv B0757 to B0832.
#include "tests/chip/rig.h"

#include <stdio.h>

// One blocking request; cycles from the store to NOC_CMD_CTRL to the counter.
static ts_cycle round_trip(unsigned noc, struct ts_noc_xy from, struct ts_noc_xy to, bool read,
                           uint32_t length)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, NULL);
    struct ts_traffic_op ops[2] = {
        read ? ts_traffic_read(&rig.chip, noc, from, to, 0x20000, 0x40000, length)
             : ts_traffic_write(&rig.chip, noc, from, to, 0x40000, 0x20000, length, 1, false),
        {.kind = TS_TRAFFIC_BARRIER},
    };
    rig_drive(&rig, from, ops, 2);
    rig_fill(&rig, read ? to : from, read ? 0x20000 : 0x40000, length, 7);
    rig_run(&rig, 100000);
    ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
    rig_expect(&rig, read ? from : to, read ? 0x40000 : 0x20000, length, 7);
    ts_cycle cycles = ops[1].ended - ops[0].started;
    rig_free(&rig);
    return cycles;
}

START_TEST(test_round_trips)
{
    for (unsigned noc = 0; noc < 2; noc++)
        for (int read = 0; read < 2; read++) {
            printf("noc %u %s: x %llu y %llu xy %llu own %llu; 16K x %llu\n", noc,
                   read ? "read" : "write",
                   (unsigned long long)round_trip(noc, at(1, 2), at(2, 2), read, 64),
                   (unsigned long long)round_trip(noc, at(1, 2), at(1, 3), read, 64),
                   (unsigned long long)round_trip(noc, at(1, 2), at(2, 3), read, 64),
                   (unsigned long long)round_trip(noc, at(1, 2), at(1, 2), read, 64),
                   (unsigned long long)round_trip(noc, at(1, 2), at(2, 2), read, 16384));
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("noc_latency");
    TCase *tcase = tcase_create("latency");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test_round_trips);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
