// Conservation, checked at the end of every run of a chip: a byte, a packet or a flit that is lost or
// that nobody sent, a link or a DRAM channel above its rate end the run as our own bug.
#include "tests/chip/rig.h"
#include "tests/suite.h"

static struct rig rig;

// A write, a read and a multicast between tiles, and a read and a write of DRAM.
static void traffic(void)
{
    static struct ts_traffic_op ops[7];
    rig_init(&rig, "p150", 1, NULL);
    struct ts_noc_xy me = at(1, 2), dram = rig.chip.soc.dram[0][0];
    ops[0] = ts_traffic_write(&rig.chip, 0, me, at(3, 4), 0x1000, 0x2000, 1024, -1, false);
    ops[1] = ts_traffic_read(&rig.chip, 0, me, at(3, 4), 0x1000, 0x8000, 2048);
    ops[2] = ts_traffic_multicast(&rig.chip, 0, me, at(1, 2), at(4, 5), 0x1000, 0x4000, 512,
                                  TS_NOC_CTRL_PATH_RESERVE);
    ops[3] = ts_traffic_read(&rig.chip, 0, me, dram, 0x1000, 0x10000, 4096);
    ops[4] = ts_traffic_write(&rig.chip, 0, me, dram, 0x1000, 0x20000, 4096, -1, false);
    ops[5] = ts_traffic_increment(&rig.chip, 0, me, at(3, 4), 0x100, 0x300, 1, false);
    ops[6] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
    rig_drive(&rig, me, ops, 7);
}

static struct ts_noc_site *site(unsigned x, unsigned y)
{
    return ts_noc_torus_site(&rig.chip.torus, x, y);
}

// What the audit says when one counter of an honest run is off.
static void expect(uint64_t *counter, uint64_t by, const char *words)
{
    struct ts_error error = {TS_OK, ""};
    *counter += by;
    ck_assert_int_eq(ts_chip_check(&rig.chip, &rig.run, &error), TS_BUG);
    ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
    *counter -= by;
    error = (struct ts_error){TS_OK, ""};
    ck_assert_int_eq(ts_chip_check(&rig.chip, &rig.run, &error), TS_OK);
}

START_TEST(test_counters)
{
    traffic();
    rig_run(&rig, 100000);
    ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
    struct ts_noc_niu *source = &site(1, 2)->niu[0], *target = &site(3, 4)->niu[0];
    ck_assert_uint_eq(source->due[TS_NOC_WRITE].bytes, 1024 + 15 * 512 + 4096);
    expect(&target->in[TS_NOC_WRITE].bytes, 64, "NoC 0, write: ");
    expect(&source->due[TS_NOC_WRITE].bytes, 64, "were due");
    expect(&source->in[TS_NOC_READ_RESPONSE].bytes, -(uint64_t)64, "NoC 0, read response: ");
    expect(&target->due[TS_NOC_WRITE_ACK].packets, 1, "NoC 0, write acknowledgement: ");
    expect(&target->in[TS_NOC_ATOMIC].packets, 1, "NoC 0, atomic: 2 packets came in, 1 were due");
    expect(&site(2, 2)->x[0].received, -(uint64_t)1, "flits went in");
    expect(&site(2, 2)->x[0].flits, rig.run.cycle, "flits in");
    struct ts_dram *dram = &rig.chip.dram[0];
    expect(&dram->bytes_read, 64, "DRAM channel 0 read 4160 bytes");
    expect(&dram->bytes_written, 47 * rig.run.cycle, "DRAM channel 0 moved");
    rig_free(&rig);
}
END_TEST

// The run itself ends as a bug: nobody has to ask.
START_TEST(test_run)
{
    traffic();
    ck_assert_int_eq(ts_kernel_elaborate(rig.kernel, &rig.error), TS_OK);
    site(3, 4)->niu[0].in[TS_NOC_WRITE].packets++;
    struct ts_run run = ts_kernel_run(rig.kernel, 100000);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_int_eq(run.error.code, TS_BUG);
    ck_assert_msg(strstr(run.error.text, "NoC 0, write: ") != NULL, "%s", run.error.text);
    rig_free(&rig);
}
END_TEST

// A run that stops at its limit has packets under way: nothing is lost.
START_TEST(test_limit)
{
    for (ts_cycle limit = 50; limit < 600; limit += 50) {
        traffic();
        rig_run(&rig, limit);
        rig_free(&rig);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_counters);
    tcase_add_test(tests, test_run);
    tcase_add_test(tests, test_limit);
}

SUITE("conservation", add_tests)
