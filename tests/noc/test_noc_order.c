// Order at an NIU: what arrives behind a write on its channel acts after it, for every latency (noc/niu_receive.c).
#include "tests/chip/rig.h"
#include "tests/suite.h"

#define DATA  0x20000u // of the receiver
#define THERE 0x30000u // of the sender
#define BACK  0x50000u

enum behind { WRITE, WRITE_POSTED, INCREMENT, INCREMENT_POSTED, READ, BEHINDS };

static void on_channel(struct ts_traffic_op *op, unsigned vc)
{
    op->word[TS_NOC_CTRL] &= ~(7u << TS_NOC_CTRL_VC_SHIFT);
    op->word[TS_NOC_CTRL] |= TS_NOC_CTRL_VC_STATIC | vc << TS_NOC_CTRL_VC_SHIFT;
    op->gap = 1;
}

// A write, and a request behind it to the last word of it: true if the request acted after the write.
static bool ordered(enum behind behind, struct ts_noc_xy to, unsigned vc, bool posted,
                    const char *const *sets)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, sets);
    const struct ts_noc_xy from = at(1, 2);
    const uint32_t length = 4096, last = DATA + length - 64, first = 1000, second = 77;
    struct ts_traffic_op ops[3] = {
        ts_traffic_write(&rig.chip, 0, from, to, THERE, DATA, length, 1, posted)};
    switch (behind) {
    case WRITE:
    case WRITE_POSTED:
        ops[1] = ts_traffic_write(&rig.chip, 0, from, to, BACK, last, 16, 1,
                                  behind == WRITE_POSTED);
        break;
    case INCREMENT:
    case INCREMENT_POSTED:
        ops[1] = ts_traffic_increment(&rig.chip, 0, from, to, last, BACK, second - first,
                                      behind == INCREMENT_POSTED);
        break;
    default:
        ops[1] = ts_traffic_read(&rig.chip, 0, from, to, last, BACK, 16);
        break;
    }
    ops[2] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
    on_channel(&ops[0], 1);
    on_channel(&ops[1], vc);
    rig_drive(&rig, from, ops, 3);
    ck_assert_int_eq(ts_chip_write(&rig.chip, from, THERE + length - 64, &first, 4, &rig.error),
                     TS_OK);
    ck_assert_int_eq(ts_chip_write(&rig.chip, from, BACK, &second, 4, &rig.error), TS_OK);
    rig_run(&rig, 1000000);
    ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
    uint32_t value;
    ck_assert_int_eq(ts_chip_read(&rig.chip, behind == READ ? from : to,
                                  behind == READ ? BACK : last, &value, 4, &rig.error),
                     TS_OK);
    rig_free(&rig);
    return value == (behind == READ ? first : second);
}

START_TEST(test_one_channel)
{
    static const char *const sets[][3] = {{NULL},
                                          {"noc.memory_write=1000"},
                                          {"noc.memory_write=150", "noc.atomic=1"},
                                          {"noc.memory_write=13", "noc.train=1"},
                                          {"dram.bandwidth=1000", "dram.write_queue=0"}};
    const struct ts_noc_xy tile = at(4, 2), dram = at(0, 0);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (enum behind behind = 0; behind < BEHINDS; behind++)
            for (int posted = 0; posted < 2; posted++) {
                ck_assert_msg(ordered(behind, tile, 1, posted, sets[i]), "%zu %d", i, behind);
                if (behind != INCREMENT && behind != INCREMENT_POSTED) // DRAM has no atomics
                    ck_assert_msg(ordered(behind, dram, 1, posted, sets[i]), "%zu %d", i, behind);
            }
}
END_TEST

// Another channel promises nothing: with a slow memory the increment comes first, and the write covers it.
START_TEST(test_two_channels)
{
    static const char *const slow[] = {"noc.memory_write=1000", NULL};
    ck_assert(!ordered(INCREMENT, at(4, 2), 2, false, slow));
    ck_assert(!ordered(READ, at(4, 2), 2, false, slow));
}
END_TEST

// More trains wait for memory than the buffers of a link hold.
START_TEST(test_many_waiting)
{
    static const char *const slow[] = {"noc.memory_write=1000", "noc.train=1", "noc.link_width=1",
                                       NULL};
    static struct rig rig;
    rig_init(&rig, "p150", 1, slow);
    struct ts_traffic_op ops[2] = {
        ts_traffic_write(&rig.chip, 0, at(1, 2), at(4, 2), THERE, DATA, 16384, 1, false),
        {.kind = TS_TRAFFIC_BARRIER}};
    ops[0].count = 4;
    rig_drive(&rig, at(1, 2), ops, 2);
    rig_fill(&rig, at(1, 2), THERE, 16384, 3);
    rig_run(&rig, 1000000);
    ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
    rig_expect(&rig, at(4, 2), DATA, 16384, 3);
    rig_free(&rig);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_one_channel);
    tcase_add_test(tests, test_two_channels);
    tcase_add_test(tests, test_many_waiting);
}

SUITE("noc_order", add_tests)
