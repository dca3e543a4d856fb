// The wait-for graph: cycles, chains, several that could end a wait, nothing when all is idle.
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include "platform/kernel/waitfor.h"

#include <string.h>

static ts_step take_both(struct probe *self, ts_cycle now)
{
    const struct ts_port *ports[2] = {&self->in, &self->out};
    if (!ts_semaphore_get(ports[self->count], now))
        return ts_semaphore_await_token(ports[self->count], now);
    return ++self->count == 2 ? ts_finish(&self->base, now) : 3;
}

static ts_step await_word(struct probe *self, ts_cycle now)
{
    return ts_fifo_await_word(&self->in, now);
}

static ts_step await_token(struct probe *self, ts_cycle now)
{
    return ts_semaphore_await_token(&self->in, now);
}

static ts_step finish(struct probe *self, ts_cycle now)
{
    return ts_finish(&self->base, now);
}

static ts_step idle(struct probe *self, ts_cycle now)
{
    return ts_idle(&self->base, now);
}

// The edges as "from>to:reason:object ", those of the explanation first, with a bar after them.
static void spell(const struct ts_waitfor *waitfor, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < waitfor->count; i++) {
        const struct ts_edge *edge = &waitfor->edges[i];
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s>%s:%s:%s ", i == waitfor->explanation ? "| " : "",
                 ts_path(edge->from), edge->to ? ts_path(edge->to) : "-",
                 ts_stall_name(edge->reason), edge->object ? edge->object->path : "-");
    }
}

static void check(struct ts_kernel *kernel, ts_cycle cycle, bool is_cycle, const char *edges)
{
    struct ts_waitfor waitfor = ts_waitfor_new(kernel, cycle, NULL, NULL);
    char text[1000];
    spell(&waitfor, text, sizeof text);
    ck_assert_str_eq(text, edges);
    ck_assert_int_eq(waitfor.is_cycle, is_cycle);
    ck_assert_uint_eq(waitfor.cycle, cycle);
    json_t *json = ts_waitfor_json(&waitfor);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "cycle")), (json_int_t)cycle);
    ck_assert_str_eq(json_string_value(json_object_get(json, "kind")),
                     is_cycle ? "cycle" : "chain");
    const json_t *list = json_object_get(json, "edges"), *nodes = json_object_get(json, "nodes");
    ck_assert_uint_eq(json_array_size(list), waitfor.count);
    for (size_t i = 0; i < waitfor.count; i++) {
        const json_t *edge = json_array_get(list, i);
        const struct ts_edge *want = &waitfor.edges[i];
        ck_assert_str_eq(json_string_value(json_object_get(edge, "from")), ts_path(want->from));
        const json_t *to = json_object_get(edge, "to");
        ck_assert_int_eq(json_is_null(to), want->to == NULL);
        if (want->to)
            ck_assert_str_eq(json_string_value(to), ts_path(want->to));
        ck_assert_str_eq(json_string_value(json_object_get(edge, "reason")),
                         ts_stall_name(want->reason));
        ck_assert_str_eq(json_string_value(json_object_get(edge, "object")), want->object->path);
        // Both ends are nodes, each once.
        for (int end = 0; end < 2; end++) {
            const char *name = json_string_value(end ? to : json_object_get(edge, "from"));
            size_t found = 0;
            for (size_t j = 0; name && j < json_array_size(nodes); j++)
                found += strcmp(
                             json_string_value(json_object_get(json_array_get(nodes, j), "name")),
                             name) == 0;
            ck_assert(name == NULL || found == 1);
        }
    }
    json_decref(json);
    char *report = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&report, &size);
    ts_waitfor_print(&waitfor, file);
    fclose(file);
    ck_assert_ptr_nonnull(strstr(report, is_cycle ? "a cycle of" : "a chain of"));
    for (size_t i = 0; i < waitfor.explanation; i++)
        ck_assert_ptr_nonnull(strstr(report, ts_path(waitfor.edges[i].from)));
    free(report);
    ts_waitfor_free(&waitfor);
}

START_TEST(deadlock_cycle)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    static const char *const names[] = {"a", "b", "c"};
    struct ts_semaphore *fork = ts_kernel_alloc(kernel, 3 * sizeof *fork);
    struct ts_port *back = ts_kernel_alloc(kernel, 3 * sizeof *back);
    for (int i = 0; i < 3; i++)
        ts_semaphore_init(&fork[i], domain, 1, 1, "m%d", i);
    for (int i = 0; i < 3; i++) { // each gives back the first that it took
        struct probe *probe = probe_new(domain, take_both, "%s", names[i]);
        kit_in(probe, TS_OBJECT_SEMAPHORE, &fork[i].object);
        ts_port_init(&back[i], &probe->base, TS_OBJECT_SEMAPHORE, TS_OUT, "back");
        ts_bind(&back[i], &fork[i].object);
        ts_port_init(&probe->out, &probe->base, TS_OBJECT_SEMAPHORE, TS_IN, "second");
        ts_bind(&probe->out, &fork[(i + 1) % 3].object);
    }
    // One more that waits for the cycle, but is not in it; it comes first.
    struct probe *last = probe_new(domain, take_both, "last");
    last->count = 1;
    ts_port_init(&last->out, &last->base, TS_OBJECT_SEMAPHORE, TS_IN, "second");
    ts_bind(&last->out, &fork[0].object);
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_DEADLOCK);
    ck_assert_uint_eq(run.cycle, 4);
    check(kernel, run.cycle, true,
          "d.a>d.b:semaphore_zero:d.m1 d.b>d.c:semaphore_zero:d.m2 d.c>d.a:semaphore_zero:d.m0 | "
          "d.last>d.a:semaphore_zero:d.m0 ");
    ts_kernel_free(kernel);
}
END_TEST

// a waits for a word of b, which waits for a word of c, which has finished; across domains.
START_TEST(chain_to_the_finished)
{
    for (int end = 0; end < 2; end++) {
        struct ts_kernel *kernel = kit_kernel(1, 0);
        struct ts_domain *d = ts_domain_new(kernel, "d"), *e = ts_domain_new(kernel, "e");
        struct ts_fifo *fifo = ts_kernel_alloc(kernel, 2 * sizeof *fifo);
        struct probe *a = probe_new(d, await_word, "a");
        struct probe *b = probe_new(e, await_word, "b");
        struct probe *c = probe_new(e, end ? finish : idle, "c");
        ts_fifo_init(&fifo[0], e, 1, 4, 3, "ba");
        ts_fifo_init(&fifo[1], e, 1, 4, 1, "cb");
        kit_in(a, TS_OBJECT_FIFO, &fifo[0].object);
        kit_out(b, TS_OBJECT_FIFO, &fifo[0].object);
        kit_in(b, TS_OBJECT_FIFO, &fifo[1].object);
        kit_out(c, TS_OBJECT_FIFO, &fifo[1].object);
        kit_elaborate(kernel);
        struct ts_run run = ts_kernel_run(kernel, 1000);
        ck_assert_int_eq(run.stop, TS_STOP_DEADLOCK);
        check(kernel, run.cycle, false, "d.a>e.b:fifo_empty:e.ba e.b>e.c:fifo_empty:e.cb ");
        struct ts_wait wait = ts_waiting(&b->base);
        ck_assert_int_eq(wait.reason, TS_STALL_FIFO_EMPTY);
        ck_assert_ptr_eq(wait.object, &fifo[1].object);
        ck_assert_ptr_eq(wait.holder, &c->base);
        wait = ts_waiting(&c->base);
        ck_assert_int_eq(wait.reason, TS_STALL_IDLE);
        ck_assert_ptr_null(wait.object);
        ts_kernel_free(kernel);
    }
}
END_TEST

START_TEST(several_posters)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct ts_semaphore *semaphore = ts_kernel_alloc(kernel, 2 * sizeof *semaphore);
    ts_semaphore_init(&semaphore[0], domain, 0, 4, "work");
    ts_semaphore_init(&semaphore[1], domain, 0, 4, "orphan");
    struct probe *a = probe_new(domain, await_token, "a");
    struct probe *p = probe_new(domain, finish, "p"), *q = probe_new(domain, await_token, "q");
    kit_in(a, TS_OBJECT_SEMAPHORE, &semaphore[0].object);
    kit_out(p, TS_OBJECT_SEMAPHORE, &semaphore[0].object);
    kit_out(q, TS_OBJECT_SEMAPHORE, &semaphore[0].object);
    kit_in(q, TS_OBJECT_SEMAPHORE, &semaphore[1].object);
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_DEADLOCK);
    check(kernel, run.cycle, false,
          "d.a>d.p:semaphore_zero:d.work | d.a>d.q:semaphore_zero:d.work "
          "d.q>-:semaphore_zero:d.orphan ");
    ts_kernel_free(kernel);
}
END_TEST

// A cycle through the second of two posters is found.
START_TEST(cycle_behind_a_branch)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct ts_semaphore *semaphore = ts_kernel_alloc(kernel, 2 * sizeof *semaphore);
    ts_semaphore_init(&semaphore[0], domain, 0, 4, "work");
    ts_semaphore_init(&semaphore[1], domain, 0, 4, "back");
    struct probe *a = probe_new(domain, await_token, "a");
    struct probe *p = probe_new(domain, finish, "p"), *q = probe_new(domain, await_token, "q");
    kit_in(a, TS_OBJECT_SEMAPHORE, &semaphore[0].object);
    kit_out(p, TS_OBJECT_SEMAPHORE, &semaphore[0].object);
    kit_out(q, TS_OBJECT_SEMAPHORE, &semaphore[0].object);
    kit_in(q, TS_OBJECT_SEMAPHORE, &semaphore[1].object);
    kit_out(a, TS_OBJECT_SEMAPHORE, &semaphore[1].object);
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_DEADLOCK);
    check(kernel, run.cycle, true,
          "d.a>d.q:semaphore_zero:d.work d.q>d.a:semaphore_zero:d.back | "
          "d.a>d.p:semaphore_zero:d.work ");
    ts_kernel_free(kernel);
}
END_TEST

START_TEST(none_when_idle)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    probe_new(domain, idle, "a");
    probe_new(domain, finish, "b");
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_DONE);
    check(kernel, run.cycle, false, "");
    ts_kernel_free(kernel);
}
END_TEST

// Waits for room in a FIFO, but takes words that come in meanwhile; a word wakes it, and it waits on.
static ts_step take_and_push(struct probe *self, ts_cycle now)
{
    uint32_t word;
    while (TS_FIFO_POP(&self->in, now, word))
        self->count++;
    word = 1;
    if (TS_FIFO_PUSH(&self->out, now, word))
        return 1;
    return ts_alert(&self->base, now, TS_STALL_FIFO_FULL, self->out.channel);
}

static ts_step send_two(struct probe *self, ts_cycle now)
{
    uint32_t word = 7;
    ck_assert(TS_FIFO_PUSH(&self->out, now, word));
    return ++self->count == 2 ? ts_finish(&self->base, now) : 50;
}

START_TEST(alert_takes_other_inputs)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *domain = ts_domain_new(kernel, "d");
    struct probe *sender = probe_new(domain, send_two, "sender");
    struct probe *middle = probe_new(domain, take_and_push, "middle");
    struct probe *end = probe_new(domain, finish, "end");
    struct ts_fifo *fifos = ts_kernel_alloc(kernel, 2 * sizeof *fifos);
    ts_fifo_init(&fifos[0], domain, 4, 4, 1, "in");
    ts_fifo_init(&fifos[1], domain, 2, 4, 1, "out");
    kit_out(sender, TS_OBJECT_FIFO, &fifos[0].object);
    kit_in(middle, TS_OBJECT_FIFO, &fifos[0].object);
    kit_out(middle, TS_OBJECT_FIFO, &fifos[1].object);
    kit_in(end, TS_OBJECT_FIFO, &fifos[1].object);
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_int_eq(run.stop, TS_STOP_DEADLOCK);
    ck_assert_uint_eq(middle->count, 2); // both words were taken while it waited
    check(kernel, run.cycle, false, "d.middle>d.end:fifo_full:d.out ");
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, deadlock_cycle);
    tcase_add_test(tests, chain_to_the_finished);
    tcase_add_test(tests, several_posters);
    tcase_add_test(tests, cycle_behind_a_branch);
    tcase_add_test(tests, none_when_idle);
    tcase_add_test(tests, alert_takes_other_inputs);
}

SUITE("waitfor", add_tests)
