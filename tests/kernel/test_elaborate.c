// Wrong wirings and wrong uses: each is refused with a message that names component and cause.
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <string.h>

// Every row gets a kernel with domains a and b, a component in each, and one of every channel in a.
struct bench {
    struct ts_kernel *kernel;
    struct ts_domain *a, *b;
    struct probe *x, *y, *z; // x and y in a, z in b
    struct ts_fifo fifo;
    struct ts_semaphore semaphore;
    struct ts_port extra;
};

static ts_step finish_body(struct probe *self, ts_cycle now)
{
    return ts_finish(&self->base, now);
}

static void fifo(struct bench *b)
{
    ts_fifo_init(&b->fifo, b->a, 4, 4, 2, "fifo");
}

static void twice(struct bench *b)
{
    fifo(b);
    ts_semaphore_init(&b->semaphore, b->a, 0, 1, "semaphore");
    kit_out(b->x, TS_OBJECT_FIFO, &b->fifo.object);
    ts_bind(&b->x->out, &b->fifo.object);
}

static void unbound(struct bench *b)
{
    ts_port_init(&b->x->in, &b->x->base, TS_OBJECT_SEMAPHORE, TS_IN, "work");
}

static void same_name(struct bench *b)
{
    ts_semaphore_init(&b->semaphore, b->a, 0, 1, "x");
}

static void wrong_kind(struct bench *b)
{
    fifo(b);
    kit_in(b->x, TS_OBJECT_SEMAPHORE, &b->fifo.object);
}

static void two_readers(struct bench *b)
{
    fifo(b);
    kit_out(b->x, TS_OBJECT_FIFO, &b->fifo.object);
    kit_in(b->y, TS_OBJECT_FIFO, &b->fifo.object);
    kit_in(b->z, TS_OBJECT_FIFO, &b->fifo.object);
}

static void two_writers(struct bench *b)
{
    fifo(b);
    kit_out(b->x, TS_OBJECT_FIFO, &b->fifo.object);
    kit_out(b->y, TS_OBJECT_FIFO, &b->fifo.object);
    kit_in(b->z, TS_OBJECT_FIFO, &b->fifo.object);
}

static void foreign_writer(struct bench *b)
{
    fifo(b);
    kit_out(b->z, TS_OBJECT_FIFO, &b->fifo.object);
    kit_in(b->x, TS_OBJECT_FIFO, &b->fifo.object);
}

static void no_reader(struct bench *b)
{
    fifo(b);
    kit_out(b->x, TS_OBJECT_FIFO, &b->fifo.object);
}

static void no_writer(struct bench *b)
{
    fifo(b);
    kit_in(b->x, TS_OBJECT_FIFO, &b->fifo.object);
}

static void no_latency(struct bench *b)
{
    ts_fifo_init(&b->fifo, b->a, 4, 4, 0, "fifo");
}

static void no_depth(struct bench *b)
{
    ts_fifo_init(&b->fifo, b->a, 0, 4, 1, "fifo");
}

static void no_size(struct bench *b)
{
    ts_fifo_init(&b->fifo, b->a, 4, 0, 1, "fifo");
}

static void endless_depth(struct bench *b)
{
    ts_fifo_init(&b->fifo, b->a, UINT32_MAX, 4, 1, "fifo");
    kit_out(b->x, TS_OBJECT_FIFO, &b->fifo.object);
    kit_in(b->y, TS_OBJECT_FIFO, &b->fifo.object);
}

static void semaphore_across(struct bench *b)
{
    ts_semaphore_init(&b->semaphore, b->a, 0, 1, "semaphore");
    kit_in(b->z, TS_OBJECT_SEMAPHORE, &b->semaphore.object);
}

static void above_maximum(struct bench *b)
{
    ts_semaphore_init(&b->semaphore, b->a, 3, 2, "semaphore");
}

static void of_the_model(struct bench *b)
{
    ts_kernel_refuse(b->kernel, "%s: is painted blue", ts_path(&b->x->base));
}

static void build(struct bench *b, uint32_t threads)
{
    *b = (struct bench){.kernel = kit_kernel(threads, 0)};
    b->a = ts_domain_new(b->kernel, "a");
    b->b = ts_domain_new(b->kernel, "b");
    b->x = probe_new(b->a, finish_body, "x");
    b->y = probe_new(b->a, finish_body, "y");
    b->z = probe_new(b->b, finish_body, "z");
}

START_TEST(wrong_wirings)
{
    static const struct {
        void (*wire)(struct bench *);
        const char *message; // NULL: it is right
    } rows[] = {
        {twice, "a.x: port 'out' is bound twice: to a.fifo and to a.fifo"},
        {unbound, "a.x: port 'work' is not bound"},
        {wrong_kind, "a.x: port 'in' takes a semaphore, but a.fifo is a fifo"},
        {same_name, "a.x: the name of a component and of a semaphore"},
        {two_readers, "a.fifo: has two readers, a.y and b.z"},
        {two_writers, "a.fifo: has two writers, a.x and a.y"},
        {foreign_writer, "a.fifo: its writer b.z is in another domain"},
        {no_reader, "a.fifo: has no reader"},
        {no_writer, "a.fifo: has no writer"},
        {no_latency, "a.fifo: the latency of a FIFO is at least 1 cycle"},
        {no_depth, "a.fifo: a FIFO needs a depth and a word size"},
        {no_size, "a.fifo: a FIFO needs a depth and a word size"},
        {endless_depth, "a.fifo: a FIFO needs a depth and a word size"},
        {semaphore_across,
         "b.z: port 'in' is bound to a.semaphore, which is in another domain: only FIFOs cross"},
        {above_maximum, "a.semaphore: starts at 3, above its maximum 2"},
        {of_the_model, "a.x: is painted blue"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        build(&b, 1);
        rows[i].wire(&b);
        struct ts_error error = {0};
        enum ts_code code = ts_kernel_elaborate(b.kernel, &error);
        ck_assert_int_eq(code, error.code);
        if (rows[i].message) {
            ck_assert_str_eq(error.text, rows[i].message);
            ck_assert_int_eq(code, TS_SETUP);
            // It still cannot run.
            struct ts_run run = ts_kernel_run(b.kernel, 10);
            ck_assert_int_eq(run.stop, TS_STOP_FAULT);
            ck_assert_str_eq(run.error.text, rows[i].message);
        } else {
            ck_assert_msg(code == TS_OK, "%s", error.text);
        }
        ts_kernel_free(b.kernel);
    }
}
END_TEST

START_TEST(wrong_kernels)
{
    static const struct {
        uint32_t threads;
        bool domain;
        const char *message;
    } rows[] = {
        {0, true, "0 threads: must be 1 to 256"},
        {257, true, "257 threads: must be 1 to 256"},
        {1, false, "the model has no domain"},
        {256, true, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ts_kernel *kernel = kit_kernel(rows[i].threads, 0);
        if (rows[i].domain)
            probe_new(ts_domain_new(kernel, "d"), finish_body, "x");
        struct ts_error error = {0};
        ts_kernel_elaborate(kernel, &error);
        ck_assert_str_eq(error.text, rows[i].message ? rows[i].message : "");
        ts_kernel_free(kernel);
    }
    ts_kernel_free(NULL);
}
END_TEST

START_TEST(order_of_the_verbs)
{
    struct bench b;
    build(&b, 2);
    struct ts_run run = ts_kernel_run(b.kernel, 10);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_str_eq(run.error.text, "the model is not elaborated");
    ts_kernel_free(b.kernel);

    build(&b, 2);
    kit_elaborate(b.kernel);
    struct ts_error error = {0};
    ck_assert_int_eq(ts_kernel_elaborate(b.kernel, &error), TS_SETUP);
    ck_assert_str_eq(error.text, "the model is elaborated already");
    ck_assert_int_eq(ts_kernel_run(b.kernel, 10).stop, TS_STOP_DONE);
    ts_resource_init(&b.fifo.object, b.a, NULL, "late");
    run = ts_kernel_run(b.kernel, 20);
    ck_assert_int_eq(run.stop, TS_STOP_FAULT);
    ck_assert_str_eq(run.error.text, "a.late: made after elaboration");
    ts_kernel_free(b.kernel);
}
END_TEST

// --- at run time: through the wrong port, or with the wrong word ---

static uint32_t word;
static uint64_t long_word;

static ts_step push_in(struct probe *self, ts_cycle now)
{
    return TS_FIFO_PUSH(&self->in, now, word) ? 1 : ts_fifo_await_room(&self->in, now);
}

static ts_step pop_out(struct probe *self, ts_cycle now)
{
    return TS_FIFO_POP(&self->out, now, word) ? 1 : ts_fifo_await_word(&self->out, now);
}

static ts_step await_word_out(struct probe *self, ts_cycle now)
{
    return ts_fifo_await_word(&self->out, now);
}

static ts_step await_room_in(struct probe *self, ts_cycle now)
{
    return ts_fifo_await_room(&self->in, now);
}

static ts_step push_long(struct probe *self, ts_cycle now)
{
    return TS_FIFO_PUSH(&self->out, now, long_word);
}

static ts_step push_one(struct probe *self, ts_cycle now)
{
    TS_FIFO_PUSH(&self->out, now, word);
    return ts_finish(&self->base, now);
}

static ts_step pop_long(struct probe *self, ts_cycle now)
{
    if (TS_FIFO_POP(&self->in, now, long_word))
        return 1;
    return now < 5 ? 1 : 0;
}

static ts_step push_unbound(struct probe *self, ts_cycle now)
{
    static struct ts_port port;
    ts_port_init(&port, &self->base, TS_OBJECT_FIFO, TS_OUT, "loose");
    return TS_FIFO_PUSH(&port, now, word);
}

static ts_step get_out(struct probe *self, ts_cycle now)
{
    return ts_semaphore_get(&self->out, now) ? 1 : ts_semaphore_await_token(&self->out, now);
}

static ts_step post_in(struct probe *self, ts_cycle now)
{
    return ts_semaphore_post(&self->in, now) ? 1 : ts_semaphore_await_room(&self->in, now);
}

static ts_step returns_nothing(struct probe *self, ts_cycle now)
{
    return now == 9 ? 0 : self->steps == 1 ? 9 : 1;
}

static ts_step stalls_for_nothing(struct probe *self, ts_cycle now)
{
    return now == 9 ? ts_stall_for(&self->base, now, 0, TS_STALL_EVENT, NULL) : 9;
}

START_TEST(wrong_uses)
{
    static const struct {
        enum ts_object_kind kind;
        probe_body x, y; // x has the OUT end, y the IN end
        const char *message;
    } rows[] = {
        {TS_OBJECT_FIFO, finish_body, push_in,
         "a.y: cycle 0: cannot push to a.fifo through port 'in': the port is not bound to that "
         "end"},
        {TS_OBJECT_FIFO, pop_out, finish_body,
         "a.x: cycle 0: cannot read from a.fifo through port 'out': the port is not bound to that "
         "end"},
        {TS_OBJECT_FIFO, await_word_out, finish_body,
         "a.x: cycle 0: cannot wait for a word of a.fifo through port 'out': the port is not "
         "bound to that end"},
        {TS_OBJECT_FIFO, finish_body, await_room_in,
         "a.y: cycle 0: cannot wait for room in a.fifo through port 'in': the port is not bound "
         "to that end"},
        {TS_OBJECT_FIFO, push_long, finish_body,
         "a.x: cycle 0: port 'out': a word of 8 bytes, but those of a.fifo have 4"},
        {TS_OBJECT_FIFO, push_one, pop_long,
         "a.y: cycle 2: port 'in': a word of 8 bytes, but those of a.fifo have 4"},
        {TS_OBJECT_FIFO, push_unbound, finish_body,
         "a.x: cycle 0: cannot push to anything through port 'loose': it is not bound"},
        {TS_OBJECT_SEMAPHORE, get_out, finish_body,
         "a.x: cycle 0: cannot get from a.semaphore through port 'out': the port is not bound to "
         "that end"},
        {TS_OBJECT_SEMAPHORE, finish_body, post_in,
         "a.y: cycle 0: cannot post to a.semaphore through port 'in': the port is not bound to "
         "that end"},
        {TS_OBJECT_FIFO, returns_nothing, finish_body,
         "a.x: cycle 9: a step returned 0 without saying why it sleeps"},
        {TS_OBJECT_FIFO, stalls_for_nothing, finish_body,
         "a.x: cycle 9: stalls (event) without naming an object"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        build(&b, 1);
        struct ts_object *channel = &b.fifo.object;
        if (rows[i].kind == TS_OBJECT_FIFO)
            fifo(&b);
        if (rows[i].kind == TS_OBJECT_SEMAPHORE) {
            ts_semaphore_init(&b.semaphore, b.a, 0, 1, "semaphore");
            channel = &b.semaphore.object;
        }
        kit_out(b.x, rows[i].kind, channel);
        kit_in(b.y, rows[i].kind, channel);
        b.x->body = rows[i].x;
        b.y->body = rows[i].y;
        kit_elaborate(b.kernel);
        struct ts_run run = ts_kernel_run(b.kernel, 100);
        ck_assert_msg(run.stop == TS_STOP_FAULT, "row %zu: %s", i, ts_stop_name(run.stop));
        ck_assert_str_eq(run.error.text, rows[i].message);
        ck_assert_int_eq(run.error.code, TS_BUG);
        ts_kernel_free(b.kernel);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, wrong_wirings);
    tcase_add_test(tests, wrong_kernels);
    tcase_add_test(tests, order_of_the_verbs);
    tcase_add_test(tests, wrong_uses);
}

SUITE("elaborate", add_tests)
