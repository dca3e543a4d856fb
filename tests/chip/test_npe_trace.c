// Traces as tt-npe's format document defines them: which events are transfers, what SET_STATE and
// WITH_STATE do, what is left out by name, the chip of a workload, and NoC 1 without translation.
#include "platform/chip/workload.h"
#include "tests/chip/rig.h"
#include "tests/suite.h"

#include <stdio.h>
#include <unistd.h>

#define BRISC "\"proc\":\"BRISC\",\"noc\":\"NOC_0\",\"vc\":1,\"sx\":1,\"sy\":2,"

static struct ts_workload work;
static struct ts_error error;

// Loads a workload from text.
static enum ts_code load(const char *text, const char *chip)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/tensim_npe.%d.json", (int)getpid());
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    struct ts_soc soc;
    error = (struct ts_error){TS_OK, ""};
    ck_assert_int_eq(ts_soc_find(&soc, chip, &error), TS_OK);
    ts_workload_load(&work, path, &soc, &error);
    remove(path);
    return error.code;
}

static size_t left_out(const char *name)
{
    for (size_t i = 0; i < work.left_out_count; i++)
        if (strcmp(work.left_out[i].name, name) == 0)
            return work.left_out[i].count;
    return 0;
}

// Each type alone, next to a read that is always there.
static const struct {
    const char *type;
    size_t transfers, left;
} types[] = {
    {"READ", 1, 0},
    {"WRITE", 1, 0},
    {"WRITE_", 1, 0},
    {"WRITE_WITH_TRID", 1, 0},
    {"SEMAPHORE_INC", 1, 0},
    {"READ_SET_STATE", 0, 0},
    {"READ_DRAM_SHARDED_SET_STATE", 0, 0},
    {"WRITE_SET_STATE", 0, 0},
    {"WRITE_WITH_TRID_SET_STATE", 0, 0},
    {"READ_SET_TRID", 0, 0},
    {"READ_BARRIER_START", 0, 0},
    {"READ_BARRIER_END", 0, 0},
    {"READ_BARRIER_WITH_TRID", 0, 0},
    {"WRITE_BARRIER_START", 0, 0},
    {"WRITE_BARRIER_END", 0, 0},
    {"WRITE_BARRIER_WITH_TRID", 0, 0},
    {"WRITE_FLUSH", 0, 0},
    {"FULL_BARRIER", 0, 0},
    {"ATOMIC_BARRIER", 0, 0},
    {"SEMAPHORE_WAIT", 0, 0},
    {"SEMAPHORE_SET", 0, 0},
    {"WRITE_INLINE", 0, 1},
    {"FABRIC_UNICAST_WRITE", 0, 1},
    {"FABRIC_UNICAST_ATOMIC_INC", 0, 1},
};

START_TEST(test_type)
{
    char text[512];
    snprintf(text, sizeof text,
             "[{" BRISC "\"type\":\"READ\",\"dx\":3,\"dy\":4,\"num_bytes\":64,\"timestamp\":5},"
             "{" BRISC "\"type\":\"%s\",\"dx\":3,\"dy\":4,\"num_bytes\":64,\"timestamp\":6}]",
             types[_i].type);
    ck_assert_msg(load(text, "p150") == TS_OK, "%s", error.text);
    ck_assert_msg(work.count == 1 + types[_i].transfers, "%s: %zu", types[_i].type, work.count);
    ck_assert_uint_eq(left_out(types[_i].type), types[_i].left);
    ts_workload_free(&work);
}
END_TEST

START_TEST(test_state)
{
    // A read and a write state at once; the length of the state counts, else the event's own.
    ck_assert_int_eq(
        load("[{" BRISC "\"type\":\"READ_SET_STATE\",\"dx\":0,\"dy\":3,\"num_bytes\":256,"
             "\"timestamp\":0},"
             "{" BRISC "\"type\":\"WRITE_SET_STATE\",\"dx\":5,\"dy\":6,\"num_bytes\":0,"
             "\"timestamp\":1},"
             "{" BRISC "\"type\":\"READ_WITH_STATE\",\"num_bytes\":32,\"timestamp\":2},"
             "{" BRISC "\"type\":\"WRITE_WITH_STATE\",\"dx\":7,\"dy\":7,\"num_bytes\":48,"
             "\"timestamp\":3},"
             // Another core has no state: its own fields, or nothing.
             "{\"proc\":\"NCRISC\",\"noc\":\"NOC_1\",\"sx\":1,\"sy\":2,"
             "\"type\":\"READ_WITH_STATE\",\"dx\":2,\"dy\":2,\"num_bytes\":16,\"timestamp\":4},"
             "{\"proc\":\"NCRISC\",\"noc\":\"NOC_1\",\"sx\":1,\"sy\":2,"
             "\"type\":\"READ_WITH_STATE\",\"num_bytes\":16,\"timestamp\":5}]",
             "p150"),
        TS_OK);
    ck_assert_uint_eq(work.count, 3);
    const struct ts_transfer *read = &work.transfers[0], *write = &work.transfers[1],
                             *other = &work.transfers[2];
    ck_assert(read->kind == TS_NOC_READ && read->peer.x == 0 && read->peer.y == 3);
    ck_assert_uint_eq(read->packet, 256);
    ck_assert(write->kind == TS_NOC_WRITE && write->peer.x == 5 && write->peer.y == 6);
    ck_assert_uint_eq(write->packet, 48);
    ck_assert(other->noc == 1 && other->peer.x == 2 && other->packet == 16);
    ck_assert_uint_eq(left_out("READ_WITH_STATE without destination"), 1);
    ts_workload_free(&work);
}
END_TEST

START_TEST(test_devices)
{
    ck_assert_int_eq(load("[{" BRISC "\"src_device_id\":4,\"type\":\"READ\",\"dx\":3,\"dy\":4,"
                          "\"num_bytes\":64,\"timestamp\":5},"
                          "{" BRISC "\"src_device_id\":5,\"type\":\"READ\",\"dx\":3,\"dy\":4,"
                          "\"num_bytes\":64,\"timestamp\":6},"
                          "{" BRISC
                          "\"src_device_id\":4,\"dst_device_id\":5,\"type\":\"WRITE_\",\"dx\":3,"
                          "\"dy\":4,\"num_bytes\":64,\"timestamp\":7}]",
                          "p150"),
                     TS_OK);
    ck_assert_uint_eq(work.count, 1);
    ck_assert_uint_eq(left_out("READ of another device"), 1);
    ck_assert_uint_eq(left_out("WRITE_ of another device"), 1);
    ts_workload_free(&work);
}
END_TEST

static int load_rectangle(const char *noc, int start, int end)
{
    char text[512];
    snprintf(text, sizeof text,
             "[{\"proc\":\"BRISC\",\"noc\":\"%s\",\"sx\":1,\"sy\":2,\"type\":\"WRITE_MULTICAST\","
             "\"mcast_start_x\":%d,\"mcast_start_y\":%d,\"mcast_end_x\":%d,\"mcast_end_y\":%d,"
             "\"num_bytes\":64,\"timestamp\":6}]",
             noc, start, start, end, end);
    return (int)load(text, "p150");
}

START_TEST(test_rectangles)
{
    ck_assert_int_eq(load_rectangle("NOC_0", 2, 4), TS_OK);
    ck_assert(work.transfers[0].start.x == 2 && work.transfers[0].end.x == 4);
    ts_workload_free(&work);
    ck_assert_int_eq(load_rectangle("NOC_1", 4, 2), TS_OK);
    ck_assert(work.transfers[0].start.x == 2 && work.transfers[0].end.x == 4);
    ts_workload_free(&work);
    ck_assert_int_eq(load_rectangle("NOC_0", 4, 2), TS_SETUP);
    ck_assert_ptr_nonnull(strstr(error.text, "inverted"));
    ts_workload_free(&work);
}
END_TEST

// 1-1 is a worker on Wormhole and Ethernet on Blackhole; 12-3 is on Blackhole only.
START_TEST(test_wormhole)
{
    static const char wormhole[] =
        "[{\"proc\":\"BRISC\",\"noc\":\"NOC_0\",\"sx\":1,\"sy\":1,\"type\":\"READ\",\"dx\":5,"
        "\"dy\":2,\"num_bytes\":64,\"timestamp\":5}]";
    ck_assert_int_eq(load(wormhole, "p150"), TS_SETUP);
    ck_assert_ptr_nonnull(strstr(error.text, "a Wormhole workload"));
    ck_assert_ptr_nonnull(strstr(error.text, "1-1 is tensix there, and eth on this chip"));
    ts_workload_free(&work);
    static const char wrong[] =
        "[{\"proc\":\"BRISC\",\"noc\":\"NOC_0\",\"sx\":1,\"sy\":1,\"type\":\"READ\",\"dx\":12,"
        "\"dy\":3,\"num_bytes\":64,\"timestamp\":5}]";
    ck_assert_int_eq(load(wrong, "p150"), TS_SETUP);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot issue requests"));
    ts_workload_free(&work);
    static const char phases[] =
        "{\"phases\":[{\"transfers\":[{\"packet_size\":64,\"num_packets\":1,\"src_x\":1,"
        "\"src_y\":1,\"dst_x\":2,\"dst_y\":2,\"noc_type\":\"NOC_0\"}]}]}";
    ck_assert_int_eq(load(phases, "p150"), TS_SETUP);
    ck_assert_ptr_nonnull(strstr(error.text, "a Wormhole workload"));
    ts_workload_free(&work);
}
END_TEST

// A SoC file of another chip is refused by its name.
START_TEST(test_soc)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/tensim_npe.%d.yaml", (int)getpid());
    FILE *file = fopen(path, "w");
    fputs("grid: {x_size: 10, y_size: 12}\nfunctional_workers: [1-1]\ndram: []\n"
          "arch_name: QUASAR\n",
          file);
    fclose(file);
    struct ts_soc soc;
    error = (struct ts_error){TS_OK, ""};
    ck_assert_int_eq(ts_soc_load(&soc, path, &error), TS_SETUP);
    ck_assert_msg(strstr(error.text, "QUASAR") != NULL, "%s", error.text);
    remove(path);
}
END_TEST

// What NoC 1 carries arrives at the tile that the trace names, with translation and without.
START_TEST(test_noc1_names)
{
    struct ts_noc_xy me = at(1, 2), to = at(12, 9);
    for (int translation = 0; translation < 2; translation++) {
        static struct rig rig;
        rig_init(&rig, "p150", 1, NULL);
        ts_chip_free(&rig.chip);
        ts_kernel_free(rig.kernel);
        struct ts_soc soc;
        ck_assert_int_eq(ts_soc_find(&soc, "p150", &rig.error), TS_OK);
        soc.translation = translation;
        rig.kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
        ck_assert_int_eq(
            ts_chip_init(&rig.chip, rig.kernel, &soc, &rig.params, NULL, 0, &rig.error), TS_OK);
        rig_fill(&rig, me, 0x1000, 256, 3);
        rig_fill(&rig, to, 0x3000, 256, 4);
        struct ts_traffic_op ops[] = {
            ts_traffic_write(&rig.chip, 1, me, to, 0x1000, 0x2000, 256, -1, false),
            ts_traffic_read(&rig.chip, 1, me, to, 0x3000, 0x4000, 256),
            ts_traffic_multicast(&rig.chip, 1, me, at(11, 4), at(12, 5), 0x1000, 0x5000, 256, 0),
            {.kind = TS_TRAFFIC_BARRIER, .noc = 1},
        };
        rig_drive(&rig, me, ops, 4);
        rig_run(&rig, 100000);
        ck_assert_int_eq(rig.run.stop, TS_STOP_DONE);
        rig_expect(&rig, to, 0x2000, 256, 3);
        rig_expect(&rig, me, 0x4000, 256, 4);
        rig_expect(&rig, at(11, 4), 0x5000, 256, 3);
        rig_expect(&rig, at(12, 5), 0x5000, 256, 3);
        rig_free(&rig);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_type, 0, sizeof types / sizeof *types);
    tcase_add_test(tests, test_state);
    tcase_add_test(tests, test_devices);
    tcase_add_test(tests, test_rectangles);
    tcase_add_test(tests, test_wormhole);
    tcase_add_test(tests, test_soc);
    tcase_add_test(tests, test_noc1_names);
}

SUITE("npe_trace", add_tests)
