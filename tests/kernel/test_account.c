// Where the cycles went: busy + stalls + idle = span, with exact numbers.
#include "tests/kernel/kit.h"
#include "tests/suite.h"

// What a component does at its n-th step; the last row finishes.
struct act {
    enum { BUSY, STALL, BLOCK, IDLE, FINISH } how;
    ts_cycle cycles; // BUSY, STALL: how long
    enum ts_stall reason;
};

static ts_step act_body(struct probe *self, ts_cycle now)
{
    const struct act *act = (const struct act *)self->context + self->steps - 1;
    switch (act->how) {
    case BUSY:
        return act->cycles;
    case STALL:
        return ts_stall_for(&self->base, now, act->cycles, act->reason, &self->other->base.object);
    case BLOCK:
        return ts_block(&self->base, now, act->reason, &self->other->base.object);
    case IDLE:
        return ts_idle(&self->base, now);
    case FINISH:
        break;
    }
    return ts_finish(&self->base, now);
}

// Wakes (w) or halts (h) the other at the cycles in its string.
static ts_step control_body(struct probe *self, ts_cycle now)
{
    const char *plan = self->context;
    if (plan[now] == 'w')
        ts_wake(&self->other->base, now + 1);
    if (plan[now] == 'h')
        ts_halt(&self->other->base, now);
    return plan[now] == '\0' ? ts_finish(&self->base, now) : 1;
}

#define F TS_STALL_FIFO_EMPTY
#define S TS_STALL_SEMAPHORE_ZERO
#define I TS_STALL_IDLE

START_TEST(by_hand)
{
    static const struct {
        const char *what;
        struct act acts[8];
        const char *control;
        uint64_t steps;
        uint64_t busy, idle, fifo, semaphore;
    } rows[] = {
        // The controller lives for as many cycles as its string is long, plus one: the span.
        {"busy", {{BUSY, 4, I}, {BUSY, 3, I}, {FINISH, 0, I}}, "..........", 3, 7, 4, 0, 0},
        {"stall for",
         {{BUSY, 2, I}, {STALL, 5, F}, {BUSY, 1, I}, {FINISH, 0, I}},
         "..........",
         4,
         3,
         3,
         5,
         0},
        {"two stalls",
         {{STALL, 2, F}, {STALL, 3, S}, {STALL, 4, F}, {FINISH, 0, I}},
         "..........",
         4,
         0,
         2,
         6,
         3},
        {"block, wake",
         {{BUSY, 1, I}, {BLOCK, 0, F}, {BUSY, 2, I}, {FINISH, 0, I}},
         "....w.....",
         4,
         3,
         4,
         4,
         0},
        {"block for ever", {{BUSY, 1, I}, {BLOCK, 0, S}}, "..........", 2, 1, 0, 0, 10},
        {"blocked again, same",
         {{BLOCK, 0, F}, {BLOCK, 0, F}, {BLOCK, 0, F}, {FINISH, 0, I}},
         "..w..w..w.",
         4,
         0,
         2,
         9,
         0},
        {"blocked again, other",
         {{BLOCK, 0, F}, {BLOCK, 0, S}, {BLOCK, 0, F}, {FINISH, 0, I}},
         "..w..w..w.",
         4,
         0,
         2,
         6,
         3},
        {"idle",
         {{BUSY, 3, I}, {IDLE, 0, I}, {BUSY, 1, I}, {FINISH, 0, I}},
         "......w...",
         4,
         4,
         7,
         0,
         0},
        {"halted while busy", {{BUSY, 9, I}, {FINISH, 0, I}}, "...h......", 1, 3, 8, 0, 0},
        {"halted, woken",
         {{BUSY, 9, I}, {BUSY, 2, I}, {FINISH, 0, I}},
         "...h.w....",
         3,
         5,
         6,
         0,
         0},
        {"halted while blocked",
         {{BLOCK, 0, F}, {BUSY, 1, I}, {FINISH, 0, I}},
         "....h..w..",
         3,
         1,
         6,
         4,
         0},
        {"halted while stalled", {{STALL, 8, S}, {FINISH, 0, I}}, "....h..w..", 2, 0, 7, 0, 4},
        {"finished, woken", {{BUSY, 1, I}, {FINISH, 0, I}}, "...w......", 2, 1, 10, 0, 0},
        {"finished, halted, woken",
         {{BUSY, 1, I}, {FINISH, 0, I}, {BUSY, 2, I}, {FINISH, 0, I}},
         "...hw.....",
         4,
         3,
         8,
         0,
         0},
        {"woken while busy", {{BUSY, 8, I}, {FINISH, 0, I}}, "...w......", 2, 8, 3, 0, 0},
        {"woken while stalled", {{STALL, 8, F}, {FINISH, 0, I}}, "...w......", 2, 0, 3, 8, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int variant = 0; variant < 4; variant++) {
            bool first = variant & 1; // who steps first
            struct ts_kernel *kernel = kit_kernel(1, variant & 2 ? 3 : 0);
            struct ts_domain *domain = ts_domain_new(kernel, "d");
            struct probe *a = probe_new(domain, first ? act_body : control_body, "first");
            struct probe *b = probe_new(domain, first ? control_body : act_body, "second");
            struct probe *actor = first ? a : b, *control = first ? b : a;
            actor->context = (void *)rows[i].acts;
            actor->other = control;
            control->context = (void *)rows[i].control;
            control->other = actor;
            kit_elaborate(kernel);
            struct ts_run run = ts_kernel_run(kernel, 1000);
            ck_assert_msg(run.cycle == 11, "%s: span %llu", rows[i].what,
                          (unsigned long long)run.cycle);
            struct ts_account got = ts_component_account(&actor->base, run.cycle);
            ck_assert_msg(actor->steps == rows[i].steps, "%s, variant %d: %llu steps", rows[i].what,
                          variant, (unsigned long long)actor->steps);
            ck_assert_msg(got.busy == rows[i].busy && got.lost[I] == rows[i].idle &&
                              got.lost[F] == rows[i].fifo && got.lost[S] == rows[i].semaphore,
                          "%s, variant %d: busy %llu, idle %llu, fifo %llu, semaphore %llu",
                          rows[i].what, variant, (unsigned long long)got.busy,
                          (unsigned long long)got.lost[I], (unsigned long long)got.lost[F],
                          (unsigned long long)got.lost[S]);
            uint64_t sum = got.busy;
            for (int reason = 0; reason < TS_STALL_COUNT; reason++)
                sum += got.lost[reason];
            ck_assert_uint_eq(sum, run.cycle);
            ts_kernel_free(kernel);
        }
}
END_TEST

// At any limit the account adds up to it, whatever the component is in.
START_TEST(at_every_limit)
{
    static const struct act acts[] = {{BUSY, 4, I},  {STALL, 5, F}, {BLOCK, 0, S},
                                      {BUSY, 2, I},  {IDLE, 0, I},  {BUSY, 1, I},
                                      {BLOCK, 0, F}, {BLOCK, 0, F}, {FINISH, 0, I}};
    static const char plan[] = "............w........w....w....w......";
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct probe *actor = probe_new(domain, act_body, "actor");
    struct probe *control = probe_new(domain, control_body, "control");
    actor->context = (void *)acts;
    actor->other = control;
    control->context = (void *)plan;
    control->other = actor;
    kit_elaborate(kernel);
    struct ts_account last = {0};
    for (ts_cycle limit = 1; limit < sizeof plan - 1; limit++) {
        struct ts_run run = ts_kernel_run(kernel, limit);
        ck_assert_int_eq(run.stop, TS_STOP_LIMIT);
        ck_assert_uint_eq(run.cycle, limit);
        struct ts_account got = ts_component_account(&actor->base, limit);
        uint64_t sum = got.busy, moved = got.busy - last.busy;
        for (int reason = 0; reason < TS_STALL_COUNT; reason++) {
            sum += got.lost[reason];
            moved += got.lost[reason] - last.lost[reason];
        }
        ck_assert_uint_eq(sum, limit);
        ck_assert_uint_eq(moved, 1); // one cycle more, to one of them
        last = got;
    }
    ck_assert_uint_eq(last.busy, 4 + 2 + 1);
    ck_assert_uint_eq(last.lost[F], 5 + 9);
    ck_assert_uint_eq(last.lost[S], 4);
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, by_hand);
    tcase_add_test(tests, at_every_limit);
}

SUITE("account", add_tests)
