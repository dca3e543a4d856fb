// Round trips and single streams against silicon: rows B0757 to B0832.
#include "tests/chip/rig.h"
#include "tests/suite.h"

// One blocking request; cycles from the store to NOC_CMD_CTRL to the counter. `sets`: parameters, or NULL.
static ts_cycle round_trip(unsigned noc, struct ts_noc_xy from, struct ts_noc_xy to, bool read,
                           uint32_t length, const char *const *sets)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, sets);
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

// Rings are one-way, so request and answer together go round once: 17 hops if x differs, 12 if y
// does, wherever the other tile is. What is left, 29 or 30 cycles, is NIUs, routers' ends and
// memory.
START_TEST(test_round_trips)
{
    static const struct {
        unsigned x, y, hops;
    } places[] = {{2, 2, 17},  {12, 2, 17}, {16, 2, 17},  {1, 3, 12},
                  {1, 11, 12}, {2, 3, 29},  {16, 11, 29}, {1, 2, 0}};
    for (unsigned noc = 0; noc < 2; noc++)
        for (int read = 0; read < 2; read++)
            for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
                struct ts_noc_xy to = at(places[i].x, places[i].y);
                ts_cycle fixed = read ? 29 : 30;
                ck_assert_uint_eq(round_trip(noc, at(1, 2), to, read, 64, NULL),
                                  fixed + 9 * places[i].hops);
                // 64 bytes a cycle: 16 KiB take 255 cycles longer than 64 bytes.
                if (i == 0)
                    ck_assert_uint_eq(round_trip(noc, at(1, 2), to, read, 16384, NULL),
                                      fixed + 9 * places[i].hops + 255);
            }
}
END_TEST

// However long a round trip of a link is: a stream that nothing delays is not held up for room. The sender
// must remember what left in all of its cycles.
START_TEST(test_long_links)
{
    static const char *const links[][3] = {{"noc.vc_pool=4096", "noc.hop=65"},
                                           {"noc.vc_pool=4096", "noc.hop=150"},
                                           {"noc.vc_pool=4096", "noc.credit=200"}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        for (int read = 0; read < 2; read++)
            ck_assert_uint_eq(round_trip(0, at(1, 2), at(2, 2), read, 16384, links[i]),
                              round_trip(0, at(1, 2), at(2, 2), read, 64, links[i]) + 255);
}
END_TEST

// Packets that follow each other on one channel: a flit a cycle, and a cycle more for each 4 KiB, rounded (S0470, S0488).
START_TEST(test_rest)
{
    enum { PACKETS = 5 };
    static const struct {
        uint32_t bytes;
        ts_cycle apart;
    } cases[] = {{1024, 17}, {2048, 33 + 1}, {4096, 65 + 1}, {8192, 129 + 2}, {16384, 257 + 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ts_cycle took[2];
        for (unsigned many = 0; many < 2; many++) {
            static struct rig rig;
            rig_init(&rig, "p150", 1, NULL);
            unsigned count = many ? PACKETS : 1;
            struct ts_traffic_op ops[PACKETS + 1];
            for (unsigned j = 0; j < count; j++) {
                ops[j] = ts_traffic_write(&rig.chip, 0, at(1, 2), at(4, 2), 0x40000, 0x20000,
                                          cases[i].bytes, 1, false);
                ops[j].word[TS_NOC_CTRL] |= TS_NOC_CTRL_VC_STATIC | 1u << TS_NOC_CTRL_VC_SHIFT;
                ops[j].gap = 1;
            }
            ops[count] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
            rig_drive(&rig, at(1, 2), ops, count + 1);
            rig_run(&rig, 100000);
            ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
            took[many] = ops[count].ended - ops[0].started;
            rig_free(&rig);
        }
        ck_assert_uint_eq(took[1] - took[0], (PACKETS - 1) * cases[i].apart);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_round_trips);
    tcase_add_test(tests, test_long_links);
    tcase_add_test(tests, test_rest);
}

SUITE("noc_latency", add_tests)
