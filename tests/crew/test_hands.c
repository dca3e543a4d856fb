// A wait for worker processes ends after its time also when that time is over before the wait begins: the clock that
// libuv reads here goes on by a second whenever someone looks at it.
#include "platform/crew/ranks.h"
#include "tests/suite.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

static time_t ahead, pace; // seconds

// Instead of libc's, for libuv too.
int clock_gettime(clockid_t clock, struct timespec *now)
{
    int code = (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_sec += ahead += pace;
    return code;
}

static void take(void *context, unsigned from, const struct ts_frame *frame)
{
    (void)from, (void)frame;
    ++*(unsigned *)context;
}

START_TEST(a_wait_whose_time_is_over_ends)
{
    struct ts_crew crew = {.workers = 2};
    struct ts_crew_list list = {.command = "test", .unit = "runs"};
    uv_loop_t loop;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    struct ts_hands *hands = ts_hands_new(&crew, &list, &loop);
    ck_assert(ts_hands_start(hands)); // they have nothing to do, and say nothing
    unsigned frames = 0;
    pace = 1;
    uint64_t before = uv_hrtime();
    ck_assert(ts_hands_wait(hands, 1, take, &frames));
    ck_assert_uint_gt(uv_hrtime() - before, 1000000000); // libuv has this clock
    pace = 0;
    ck_assert_uint_eq(frames, 0);
    ts_hands_free(hands);
    uv_loop_close(&loop);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, a_wait_whose_time_is_over_ends);
}

SUITE("hands", add_tests, .timeout = 60)
