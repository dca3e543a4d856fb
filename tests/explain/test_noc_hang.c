// The explanation of a stalled network: a linked transaction that never ends keeps a channel, and
// another sender's packet waits for it in a router.
#include "platform/kernel/waitfor.h"
#include "tests/chip/rig.h"
#include "tests/suite.h"

#include <stdio.h>

START_TEST(a_kept_channel_is_named)
{
    static struct rig rig;
    rig_init(&rig, "p150", 1, NULL);
    // 1-2 to 4-2: linked, and nothing follows.
    struct ts_traffic_op keeper[] = {
        ts_traffic_write(&rig.chip, 0, at(1, 2), at(4, 2), 0x20000, 0x40000, 64, 1, true),
        {.kind = TS_TRAFFIC_SENT},
    };
    keeper[0].word[TS_NOC_CTRL] |= TS_NOC_CTRL_LINKED;
    struct ts_traffic_op waiter[] = {
        ts_traffic_write(&rig.chip, 0, at(2, 2), at(5, 2), 0x20000, 0x40000, 4096, 1, false),
        {.kind = TS_TRAFFIC_BARRIER},
    };
    waiter[0].at = 200;
    rig_drive(&rig, at(1, 2), keeper, 2);
    rig_drive(&rig, at(2, 2), waiter, 2);
    ck_assert_int_eq(ts_kernel_elaborate(rig.kernel, &rig.error), TS_OK);
    rig.run = ts_kernel_run(rig.kernel, 100000);
    ck_assert_int_eq(rig.run.stop, TS_STOP_DEADLOCK);
    struct ts_waitfor waitfor = ts_waitfor_new(rig.kernel, rig.run.cycle, NULL, NULL);
    ts_waitfor_print(&waitfor, stdout);
    bool router = false, niu = false;
    for (size_t i = 0; i < waitfor.count; i++) {
        const struct ts_edge *edge = &waitfor.edges[i];
        if (strcmp(ts_path(edge->from), "tile[2-2].router0") == 0) {
            router = true;
            ck_assert_int_eq(edge->reason, TS_STALL_FIFO_FULL);
            ck_assert_str_eq(edge->object->path, "tile[2-2].link_x0");
            // Its channel came from the left and is kept.
            ck_assert_ptr_nonnull(edge->to);
            ck_assert_str_eq(ts_path(edge->to), "tile[1-2].router0");
        }
        niu |= strcmp(ts_path(edge->from), "tile[2-2].niu0") == 0;
    }
    ck_assert(router);
    ck_assert(niu); // 65 flits do not fit into the router's buffer
    ts_waitfor_free(&waitfor);
    rig_free(&rig);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, a_kept_channel_is_named);
}

SUITE("noc_hang", add_tests)
