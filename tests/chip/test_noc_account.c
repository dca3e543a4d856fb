// Busy cycles of the networks: NIUs, routers, links and DRAM channels, exact for one request, adding
// up to the span wherever a run stops, and the same for any number of threads.
#include "platform/account/stats.h"
#include "tests/chip/rig.h"
#include "tests/suite.h"

static json_int_t busy_of(const json_t *stats, const char *list, const char *name)
{
    size_t index;
    json_t *row;
    json_array_foreach(json_object_get(stats, list), index, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
            return json_integer_value(json_object_get(row, "busy"));
    }
    ck_abort_msg("%s is not in the stats", name);
    return -1;
}

// One request of 1-2 on NoC 0; its stats.
static json_t *one(struct rig *rig, struct ts_traffic_op op)
{
    static struct ts_traffic_op ops[2];
    ops[0] = op;
    ops[1] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
    rig_drive(rig, at(1, 2), ops, 2);
    rig_run(rig, 100000);
    ck_assert_int_eq(rig->run.stop, TS_STOP_DONE);
    json_t *stats = ts_stats_json(rig->kernel, &rig->run);
    ck_assert_ptr_null(ts_stats_check(rig->kernel, rig->run.cycle));
    return stats;
}

// A header and 16 flits of data there, an acknowledgement back.
START_TEST(test_write)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, NULL);
    json_t *stats = one(
        &rig, ts_traffic_write(&rig.chip, 0, at(1, 2), at(3, 2), 0x1000, 0x2000, 1024, -1, false));
    ck_assert_int_eq(busy_of(stats, "units", "tile[1-2].niu0"), 18);
    ck_assert_int_eq(busy_of(stats, "units", "tile[1-2].router0"), 18);
    ck_assert_int_eq(busy_of(stats, "units", "tile[3-2].niu0"), 18);
    ck_assert_int_eq(busy_of(stats, "units", "tile[3-2].router0"), 18);
    // Its router passes the data on; the acknowledgement goes the other way around the torus.
    ck_assert_int_eq(busy_of(stats, "units", "tile[2-2].router0"), 17);
    ck_assert_int_eq(busy_of(stats, "units", "tile[2-2].niu0"), 0);
    ck_assert_int_eq(busy_of(stats, "units", "tile[4-2].router0"), 1);
    ck_assert_int_eq(busy_of(stats, "units", "tile[1-2].niu1"), 0);
    ck_assert_int_eq(busy_of(stats, "channels", "tile[1-2].link_up0"), 17);
    ck_assert_int_eq(busy_of(stats, "channels", "tile[1-2].link_down0"), 1);
    ck_assert_int_eq(busy_of(stats, "channels", "tile[2-2].link_x0"), 17);
    ck_assert_int_eq(busy_of(stats, "channels", "tile[2-2].link_y0"), 0);
    json_decref(stats);
    rig_free(&rig);
}
END_TEST

START_TEST(test_dram)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, NULL);
    struct ts_noc_xy dram = rig.chip.soc.dram[2][1];
    json_t *stats = one(&rig, ts_traffic_read(&rig.chip, 0, at(1, 2), dram, 0, 0x2000, 4096));
    uint64_t want = 4096u * 1000u / rig.chip.dram[0].rate;
    ck_assert_int_eq(busy_of(stats, "channels", "dram[2].channel"), (json_int_t)want);
    ck_assert_int_eq(busy_of(stats, "channels", "dram[3].channel"), 0);
    ck_assert_int_ge(busy_of(stats, "units", "tile[1-2].niu0"), 66);
    json_decref(stats);
    rig_free(&rig);
}
END_TEST

#define TILES 12
static struct ts_traffic_op crowd[TILES][4];

// Tiles that write to one, read from DRAM and multicast, until `limit`; a hash of the stats.
static void run_crowd(uint32_t threads, ts_cycle limit, char hash[17])
{
    static struct rig rig;
    rig_init(&rig, "p150", threads, NULL);
    for (uint32_t i = 0; i < TILES; i++) {
        struct ts_noc_xy me = rig.chip.tiles[i * 7];
        crowd[i][0] = ts_traffic_write(&rig.chip, 0, me, at(3, 4), 0x1000, 0x20000, 8192, -1,
                                       false);
        crowd[i][1] = ts_traffic_read(&rig.chip, 0, me, rig.chip.soc.dram[0][0], 0, 0x40000, 4096);
        crowd[i][2] = ts_traffic_multicast(&rig.chip, 0, me, at(2, 3), at(5, 6), 0x1000, 0x60000,
                                           512, TS_NOC_CTRL_PATH_RESERVE);
        crowd[i][0].count = crowd[i][1].count = 3;
        crowd[i][3] = (struct ts_traffic_op){.kind = TS_TRAFFIC_BARRIER};
        rig_drive(&rig, me, crowd[i], 4);
    }
    rig_run(&rig, limit);
    json_t *stats = ts_stats_json(rig.kernel, &rig.run);
    const char *wrong = ts_stats_check(rig.kernel, rig.run.cycle);
    ck_assert_msg(wrong == NULL, "limit %llu: %s", (unsigned long long)limit, wrong);
    // Three times 8192 bytes of twelve tiles come down this link, nothing else fills it.
    if (rig.run.stop == TS_STOP_DONE)
        ck_assert_int_ge(busy_of(stats, "channels", "tile[3-4].link_down0"), TILES * 3 * 129);
    ts_stats_hash(stats, hash);
    json_decref(stats);
    rig_free(&rig);
}

START_TEST(test_limits)
{
    static const ts_cycle limits[] = {1, 50, 333, 1000, 2047, 4000, 100000};
    char one_thread[17], two[17];
    run_crowd(1, limits[_i], one_thread);
    run_crowd(2, limits[_i], two);
    ck_assert_str_eq(one_thread, two);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_write);
    tcase_add_test(tests, test_dram);
    tcase_add_loop_test(tests, test_limits, 0, 7);
}

SUITE("noc_account", add_tests)
