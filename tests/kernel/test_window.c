// Windows: as long as the reaches of the next steps allow, and no result depends on their length.
#include "platform/base/hash.h"
#include "tests/kernel/kit.h"
#include "tests/random.h"
#include "tests/suite.h"

enum { NODES = 4, HOP = 9, WAY = 5, COMMAND = 3, LIMIT = 3000 };

// A ring of tiles: a core gives its router a number now and then, the router sends it on to the
// next tile's, which wakes the core there.
struct node {
    struct probe core, router;
    struct ts_fifo link;
    uint32_t busy; // the core acts in one of this many steps
    uint64_t seed, seen;
    ts_cycle due, stop;
    bool breaks;
};

static ts_step core(struct probe *self, ts_cycle now)
{
    struct node *node = self->context;
    node->seed = node->seed * 6364136223846793005ull + now;
    if (now >= node->stop && node->stop) {
        node->stop = 0;
        if (!node->breaks)
            return ts_fault(&self->base, now, TS_CONTRACT, "enough");
        ts_break(&self->base, now);
    }
    if (node->due <= now && (node->seed >> 33) % node->busy == 0) {
        node->due = now + COMMAND + WAY;
        ts_wake(&node->router.base, node->due);
    }
    return 1 + (node->seed >> 40) % 3;
}

static ts_step router(struct probe *self, ts_cycle now)
{
    struct node *node = self->context;
    uint64_t word;
    while (self->in.channel && TS_FIFO_POP(&self->in, now, word)) {
        node->seen = ts_hash_word(node->seen, word + now);
        node->seed += word;
        self->count++;
    }
    if (node->due == now) {
        word = node->seed;
        TS_FIFO_PUSH(&self->out, now, word);
    }
    ts_idle(&self->base, now);
    if (node->due > now && node->due != TS_NEVER)
        ts_wake(&self->base, node->due);
    return 0;
}

// What runs ahead while it is alone, in every cycle looks at what came from the others, and sends
// now and then; what comes goes from the router through another component.
struct looker {
    struct probe core, entry, router;
    struct ts_fifo link;
    uint64_t word, value, seed, seen;
    ts_cycle due;
};

static ts_step look(struct probe *self, ts_cycle now)
{
    struct looker *looker = self->context;
    ts_cycle at = now;
    do {
        looker->seen = ts_hash_word(looker->seen, looker->value + at);
        looker->seed = looker->seed * 6364136223846793005ull + looker->value + at;
        if (looker->due <= at && (looker->seed >> 33) % 40 == 0) {
            looker->due = at + COMMAND + WAY;
            ts_wake(&looker->router.base, looker->due);
        }
        at++;
        self->count++;
    } while (at < ts_lookahead(&self->base, now));
    return at - now;
}

static ts_step enter(struct probe *self, ts_cycle now)
{
    struct looker *looker = self->context;
    looker->value = looker->word;
    return ts_idle(&self->base, now);
}

static ts_step pass_on(struct probe *self, ts_cycle now)
{
    struct looker *looker = self->context;
    uint64_t word;
    while (TS_FIFO_POP(&self->in, now, word)) {
        looker->word = word;
        ts_wake(&looker->entry.base, now + WAY);
    }
    if (looker->due == now)
        TS_FIFO_PUSH(&self->out, now, looker->seed);
    ts_idle(&self->base, now);
    if (looker->due > now)
        ts_wake(&self->base, looker->due);
    return 0;
}

// The hash, and how many steps the lookers took.
static uint64_t run_lookers(uint32_t threads, ts_cycle window, ts_cycle inlet, uint64_t *steps)
{
    static const probe_body bodies[] = {look, enter, pass_on};
    struct ts_kernel *kernel = kit_kernel(threads, window);
    struct looker *lookers[NODES];
    for (int i = 0; i < NODES; i++) {
        struct looker *looker = lookers[i] = ts_kernel_alloc(kernel, sizeof *looker);
        struct ts_domain *domain = ts_domain_new(kernel, "n%d", i);
        struct probe *parts[] = {&looker->core, &looker->entry, &looker->router};
        for (int j = 0; j < 3; j++) {
            ts_component_init(&parts[j]->base, &probe_ops, domain, "part%d", j);
            parts[j]->body = bodies[j];
            parts[j]->context = looker;
        }
        ts_fifo_init(&looker->link, domain, 64, sizeof(uint64_t), HOP, "link");
        looker->seed = (uint64_t)i + 1;
        ts_domain_reach(domain, COMMAND + WAY + HOP);
        ts_domain_inlet(domain, inlet);
    }
    for (int i = 0; i < NODES; i++) {
        kit_out(&lookers[i]->router, TS_OBJECT_FIFO, &lookers[i]->link.object);
        kit_in(&lookers[(i + 1) % NODES]->router, TS_OBJECT_FIFO, &lookers[i]->link.object);
    }
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, LIMIT);
    ck_assert_int_eq(run.stop, TS_STOP_LIMIT);
    uint64_t hash = 0;
    *steps = 0;
    for (int i = 0; i < NODES; i++) {
        ck_assert_uint_eq(lookers[i]->core.count, LIMIT); // no cycle twice, none beyond the limit
        hash = ts_hash_word(hash, lookers[i]->seen);
        *steps += lookers[i]->core.steps;
    }
    ts_kernel_free(kernel);
    return hash;
}

START_TEST(beyond_the_window)
{
    uint64_t steps, most, want = run_lookers(1, 1, 0, &most);
    for (uint32_t threads = 1; threads < 4; threads++)
        for (ts_cycle inlet = 0; inlet <= WAY; inlet += WAY)
            for (ts_cycle window = 0; window < 20; window += 3) {
                ck_assert_uint_eq(run_lookers(threads, window, inlet, &steps), want);
                if (window == 0)
                    ck_assert_uint_lt(steps, most);
            }
    uint64_t without;
    run_lookers(1, 0, 0, &without);
    run_lookers(1, 0, WAY, &steps);
    ck_assert_uint_lt(steps, without);
}
END_TEST

struct ring {
    struct ts_kernel *kernel;
    struct node *node[NODES];
};

static struct ring ring_new(uint32_t threads, ts_cycle window, uint32_t busy, ts_cycle reach)
{
    struct ring ring = {.kernel = kit_kernel(threads, window)};
    for (int i = 0; i < NODES; i++) {
        struct node *node = ring.node[i] = ts_kernel_alloc(ring.kernel, sizeof *node);
        struct ts_domain *domain = ts_domain_new(ring.kernel, "n%d", i);
        struct probe *parts[] = {&node->core, &node->router};
        for (int j = 0; j < 2; j++) {
            ts_component_init(&parts[j]->base, &probe_ops, domain, j ? "router" : "core");
            parts[j]->body = j ? router : core;
            parts[j]->context = node;
        }
        ts_fifo_init(&node->link, domain, 64, sizeof(uint64_t), HOP, "link");
        node->busy = busy;
        node->seed = (uint64_t)i + 1;
        if (reach)
            ts_domain_reach(domain, reach);
    }
    for (int i = 0; i < NODES; i++) {
        kit_out(&ring.node[i]->router, TS_OBJECT_FIFO, &ring.node[i]->link.object);
        kit_in(&ring.node[(i + 1) % NODES]->router, TS_OBJECT_FIFO, &ring.node[i]->link.object);
    }
    kit_elaborate(ring.kernel);
    return ring;
}

static uint64_t ring_hash(const struct ring *self, const struct ts_run *run)
{
    uint64_t hash = ts_hash_word(run->cycle, run->stop);
    for (int i = 0; i < NODES; i++) {
        const struct node *node = self->node[i];
        hash = ts_hash_word(ts_hash_word(hash, node->seen), node->router.count);
        hash = ts_hash_word(ts_hash_word(hash, node->core.steps), node->router.steps);
        const struct ts_component *parts[] = {&node->core.base, &node->router.base};
        for (int j = 0; j < 2; j++) {
            struct ts_account account = ts_component_account(parts[j], run->cycle);
            hash = ts_hash_word(ts_hash_word(hash, account.busy), account.lost[TS_STALL_IDLE]);
        }
    }
    return hash;
}

// A limit, a fault and breaks: the same for any window and any number of threads.
START_TEST(nothing_depends_on_it)
{
    static const uint32_t busy[] = {1, 20, 200};
    static const ts_cycle windows[] = {0, 1, 2, 5, 9, 12, 1000};
    for (int row = 0; row < 9; row++) {
        uint64_t want = 0;
        for (int i = 0; i < 7 * 3; i++) {
            struct ring ring = ring_new((uint32_t)(i % 3 + 1), windows[i / 3], busy[row % 3],
                                        COMMAND + WAY + HOP);
            if (row >= 3) {
                ring.node[1]->stop = 1000;
                ring.node[2]->stop = 1005;
                ring.node[3]->stop = 1900;
                for (int j = 1; j < 4; j++)
                    ring.node[j]->breaks = row >= 6;
            }
            struct ts_run run = {.stop = TS_STOP_BREAK};
            uint64_t hash = 0;
            while (run.stop == TS_STOP_BREAK) {
                run = ts_kernel_run(ring.kernel, LIMIT);
                hash = ts_hash_word(hash, ring_hash(&ring, &run));
            }
            ck_assert_int_eq(run.stop, row >= 3 && row < 6 ? TS_STOP_FAULT : TS_STOP_LIMIT);
            want = i == 0 ? hash : want;
            ck_assert_msg(hash == want, "row %d, windows of %llu, %d threads", row,
                          (unsigned long long)windows[i / 3], i % 3 + 1);
            ts_kernel_free(ring.kernel);
        }
    }
}
END_TEST

// All stop a longest window after the first stop, wherever it is.
START_TEST(stops_in_one_cycle)
{
    for (int breaks = 0; breaks < 2; breaks++) {
        struct ring ring = ring_new(2, 0, 20, COMMAND + WAY + HOP);
        ring.node[2]->stop = 100;
        ring.node[2]->breaks = breaks;
        struct ts_run run = ts_kernel_run(ring.kernel, LIMIT);
        ts_cycle at = ring.node[2]->core.base.domain->break_cycle;
        if (!breaks)
            at = ring.node[2]->core.base.domain->fault_cycle;
        ck_assert_int_eq(run.stop, breaks ? TS_STOP_BREAK : TS_STOP_FAULT);
        ck_assert_uint_ge(at, 100);
        ck_assert_uint_eq(run.cycle, at + COMMAND + WAY + HOP);
        ts_kernel_free(ring.kernel);
    }
}
END_TEST

// Windows are as long as the way of a command while only cores are at work, and a hop when all
// routers are.
START_TEST(longer_when_quiet)
{
    static const struct {
        uint32_t busy;
        ts_cycle reach;
        uint64_t least, most;
    } rows[] = {
        {UINT32_MAX, COMMAND + WAY + HOP, LIMIT / 17, LIMIT / 17 + 20}, // nobody sends
        {UINT32_MAX, 0, LIMIT / 11, LIMIT / 10 + 20},                   // a reach of 1 + HOP
        {1, COMMAND + WAY + HOP, LIMIT / 12, LIMIT / 9 + 20},
    };
    for (int i = 0; i < 3; i++) {
        struct ring ring = ring_new(1, 0, rows[i].busy, rows[i].reach);
        struct ts_run run = ts_kernel_run(ring.kernel, LIMIT);
        ck_assert_uint_ge(run.windows, rows[i].least);
        ck_assert_uint_le(run.windows, rows[i].most);
        ts_kernel_free(ring.kernel);
    }
}
END_TEST

// A component that reaches further than declared is detected.
START_TEST(a_lie_is_a_fault)
{
    struct ring ring = ring_new(1, 0, 50, COMMAND + WAY + HOP + 5);
    struct ts_run run = ts_kernel_run(ring.kernel, LIMIT);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_int_eq(run.error.code, TS_BUG);
    ck_assert_ptr_nonnull(strstr(run.error.text, "a shorter reach than it said"));
    ts_kernel_free(ring.kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, nothing_depends_on_it);
    tcase_add_test(tests, stops_in_one_cycle);
    tcase_add_test(tests, longer_when_quiet);
    tcase_add_test(tests, a_lie_is_a_fault);
    tcase_add_test(tests, beyond_the_window);
}

SUITE("window", add_tests)
