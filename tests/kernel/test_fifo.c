// FIFOs cycle by cycle: when words and room become visible, and arbitration.
#include "tests/kernel/kit.h"
#include "tests/suite.h"

#include <string.h>

enum { CYCLES = 200 };

// Attempts and successes of both ends of a FIFO, per cycle.
struct script {
    uint32_t push_tries[CYCLES], pop_tries[CYCLES];
    uint32_t pushed[CYCLES], popped[CYCLES];
    uint32_t next_in, next_out; // words count up
};

static ts_step push_all(struct probe *self, ts_cycle now)
{
    struct script *script = self->context;
    if (now >= CYCLES)
        return ts_finish(&self->base, now);
    for (uint32_t i = 0; i < script->push_tries[now]; i++) {
        uint32_t word = script->next_in;
        bool writable = ts_fifo_writable(&self->out, now);
        bool pushed = TS_FIFO_PUSH(&self->out, now, word);
        ck_assert_int_eq(writable, pushed);
        if (!pushed)
            break;
        script->next_in++;
        script->pushed[now]++;
    }
    return 1;
}

static ts_step pop_all(struct probe *self, ts_cycle now)
{
    struct script *script = self->context;
    if (now >= CYCLES)
        return ts_finish(&self->base, now);
    for (uint32_t i = 0; i < script->pop_tries[now]; i++) {
        uint32_t word;
        if (!TS_FIFO_POP(&self->in, now, word))
            break;
        ck_assert_uint_eq(word, script->next_out);
        script->next_out++;
        script->popped[now]++;
    }
    return 1;
}

enum order { WRITER_FIRST, READER_FIRST, CROSSING, CROSSING_TWO_THREADS };

static void run_script(struct script *script, enum order order, uint32_t depth, ts_cycle latency)
{
    bool crossing = order >= CROSSING;
    struct ts_kernel *kernel = kit_kernel(order == CROSSING_TWO_THREADS ? 2 : 1, 0);
    struct ts_domain *a = ts_domain_new(kernel, "a");
    struct ts_domain *b = crossing ? ts_domain_new(kernel, "b") : a;
    struct ts_fifo *fifo = ts_kernel_alloc(kernel, sizeof *fifo);
    struct probe *writer, *reader;
    ts_fifo_init(fifo, a, depth, sizeof(uint32_t), latency, "fifo");
    if (order == READER_FIRST) {
        reader = probe_new(b, pop_all, "reader");
        writer = probe_new(a, push_all, "writer");
    } else {
        writer = probe_new(a, push_all, "writer");
        reader = probe_new(b, pop_all, "reader");
    }
    kit_out(writer, TS_OBJECT_FIFO, &fifo->object);
    kit_in(reader, TS_OBJECT_FIFO, &fifo->object);
    writer->context = reader->context = script;
    memset(script->pushed, 0, sizeof script->pushed);
    memset(script->popped, 0, sizeof script->popped);
    script->next_in = script->next_out = 7;
    kit_elaborate(kernel);
    ck_assert_int_eq(ts_kernel_run(kernel, TS_NEVER).stop, TS_STOP_DONE);
    ck_assert_uint_eq(fifo->pushes, script->next_in - 7);
    ts_kernel_free(kernel);
}

// By the book: a word pushed at t can be popped from t + latency on; room made at t can be used
// from t + credit on.
static void expect_script(const struct script *script, uint32_t depth, ts_cycle latency,
                          ts_cycle credit, const char *what)
{
    uint32_t pushed = 0, popped = 0;
    for (ts_cycle t = 0; t < CYCLES; t++) {
        uint32_t ready = 0, freed = 0;
        for (ts_cycle s = 0; s + latency <= t; s++)
            ready += script->pushed[s];
        for (ts_cycle s = 0; s + credit <= t; s++)
            freed += script->popped[s];
        uint32_t room = depth - (pushed - freed);
        uint32_t push = script->push_tries[t] < room ? script->push_tries[t] : room;
        uint32_t there = ready - popped;
        uint32_t pop = script->pop_tries[t] < there ? script->pop_tries[t] : there;
        ck_assert_msg(script->pushed[t] == push, "%s: cycle %llu: pushed %u, not %u", what,
                      (unsigned long long)t, script->pushed[t], push);
        ck_assert_msg(script->popped[t] == pop, "%s: cycle %llu: popped %u, not %u", what,
                      (unsigned long long)t, script->popped[t], pop);
        pushed += push;
        popped += pop;
    }
}

START_TEST(fifo_by_hand)
{
    // One digit per cycle: tries of the writer and the reader, and what came of them.
    static const struct {
        uint32_t depth;
        ts_cycle latency;
        const char *push, *pop, *pushed, *popped;
    } rows[] = {
        {1, 1, "1111111", "1111111", "1010101", "0101010"},
        {2, 1, "1111111", "1111111", "1111111", "0111111"},
        {2, 1, "1111111", "0000011", "1100001", "0000011"},
        {2, 3, "1111111", "1111111", "1100110", "0001100"},
        {4, 3, "1111111", "1111111", "1111111", "0001111"},
        {4, 1, "9000900", "0009000", "4000400", "0004000"},
        {4, 2, "3003000", "0110900", "3002000", "0010200"},
        {3, 1, "3333333", "3333333", "3030303", "0303030"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int order = WRITER_FIRST; order <= READER_FIRST; order++) {
            struct script script = {0};
            for (int t = 0; t < 7; t++) {
                script.push_tries[t] = (uint32_t)(rows[i].push[t] - '0');
                script.pop_tries[t] = (uint32_t)(rows[i].pop[t] - '0');
            }
            run_script(&script, (enum order)order, rows[i].depth, rows[i].latency);
            char pushed[8] = "", popped[8] = "";
            for (int t = 0; t < 7; t++) {
                pushed[t] = (char)('0' + script.pushed[t]);
                popped[t] = (char)('0' + script.popped[t]);
            }
            ck_assert_msg(strcmp(pushed, rows[i].pushed) == 0, "row %zu: %s", i, pushed);
            ck_assert_msg(strcmp(popped, rows[i].popped) == 0, "row %zu: %s", i, popped);
        }
}
END_TEST

START_TEST(fifo_by_the_book)
{
    static const uint32_t depths[] = {1, 2, 3, 4, 7, 16};
    static const ts_cycle latencies[] = {1, 2, 5, 9, 64, 70};
    uint32_t random = 1;
    for (int d = 0; d < 6; d++)
        for (int l = 0; l < 6; l++)
            for (int round = 0; round < (KIT_SANITIZED ? 1 : 2); round++) {
                struct script script = {0};
                for (int t = 0; t < CYCLES; t++) {
                    script.push_tries[t] = kit_random(&random) % 4;
                    script.pop_tries[t] = kit_random(&random) % 4;
                }
                for (int order = 0; order < 4; order++) {
                    char what[80];
                    bool crossing = order >= CROSSING;
                    snprintf(what, sizeof what, "depth %u latency %llu order %d", depths[d],
                             (unsigned long long)latencies[l], order);
                    run_script(&script, (enum order)order, depths[d], latencies[l]);
                    expect_script(&script, depths[d], latencies[l], crossing ? latencies[l] : 1,
                                  what);
                }
            }
}
END_TEST

// Where room does not matter, or travels in one cycle as inside a domain, crossing changes nothing.
START_TEST(fifo_crossing_is_the_same)
{
    static const struct {
        uint32_t depth;
        ts_cycle latency;
    } rows[] = {{1, 1}, {2, 1}, {5, 1}, {1024, 9}};
    for (int i = 0; i < 4; i++) {
        struct script local = {0};
        uint32_t random = 3;
        for (int t = 0; t < CYCLES; t++) {
            local.push_tries[t] = kit_random(&random) % 3;
            local.pop_tries[t] = kit_random(&random) % 3;
        }
        struct script crossing = local;
        run_script(&local, WRITER_FIRST, rows[i].depth, rows[i].latency);
        run_script(&crossing, CROSSING, rows[i].depth, rows[i].latency);
        ck_assert_mem_eq(local.pushed, crossing.pushed, sizeof local.pushed);
        ck_assert_mem_eq(local.popped, crossing.popped, sizeof local.popped);
    }
}
END_TEST

// Ends that sleep instead of trying every cycle see the same words in the same cycles.
static ts_step push_asleep(struct probe *self, ts_cycle now)
{
    if (self->count == 40)
        return ts_finish(&self->base, now);
    if (!TS_FIFO_PUSH(&self->out, now, self->count))
        return ts_fifo_await_room(&self->out, now);
    self->count++;
    return 1 + self->count % 3;
}

static ts_step pop_asleep(struct probe *self, ts_cycle now)
{
    uint64_t word;
    if (!TS_FIFO_POP(&self->in, now, word))
        return self->context ? ts_idle(&self->base, now) : ts_fifo_await_word(&self->in, now);
    ck_assert_uint_eq(word, self->count);
    self->count++;
    return self->count == 40 ? ts_finish(&self->base, now) : 1 + self->count / 10;
}

START_TEST(fifo_asleep)
{
    ts_cycle ends[4][2];
    for (int order = 0; order < 4; order++)
        for (int idle = 0; idle < 2; idle++) {
            struct ts_kernel *kernel = kit_kernel(1, 0);
            struct ts_domain *a = ts_domain_new(kernel, "a");
            struct ts_domain *b = order >= 2 ? ts_domain_new(kernel, "b") : a;
            struct ts_fifo *fifo = ts_kernel_alloc(kernel, sizeof *fifo);
            ts_fifo_init(fifo, a, 3, sizeof(uint64_t), 1, "fifo");
            struct probe *first = probe_new(order & 1 ? b : a, order & 1 ? pop_asleep : push_asleep,
                                            "first");
            struct probe *second = probe_new(order & 1 ? a : b,
                                             order & 1 ? push_asleep : pop_asleep, "second");
            struct probe *writer = order & 1 ? second : first;
            struct probe *reader = order & 1 ? first : second;
            reader->context = idle ? reader : NULL;
            kit_out(writer, TS_OBJECT_FIFO, &fifo->object);
            kit_in(reader, TS_OBJECT_FIFO, &fifo->object);
            kit_elaborate(kernel);
            struct ts_run run = ts_kernel_run(kernel, 100000);
            ck_assert_int_eq(run.stop, TS_STOP_DONE);
            ck_assert_uint_eq(reader->count, 40);
            ends[order][idle] = run.cycle;
            struct ts_account account = ts_component_account(&writer->base, run.cycle);
            ck_assert_uint_gt(account.lost[TS_STALL_FIFO_FULL], 0);
            account = ts_component_account(&reader->base, run.cycle);
            ck_assert_int_eq(account.lost[TS_STALL_FIFO_EMPTY] == 0, idle);
            ts_kernel_free(kernel);
        }
    for (int order = 0; order < 4; order++)
        for (int idle = 0; idle < 2; idle++)
            ck_assert_uint_eq(ends[order][idle], ends[0][0]);
}
END_TEST

// A reader that was halted while words came over, and a writer that does not look at the room
// before it waits for more, are not woken in the past.
static ts_step push_once(struct probe *self, ts_cycle now)
{
    if (now % 20 == 0 && now < 100)
        TS_FIFO_PUSH(&self->out, now, self->count);
    return now < 100 ? 1 : ts_finish(&self->base, now);
}

static ts_step first_idle(struct probe *self, ts_cycle now)
{
    uint64_t word;
    self->count += TS_FIFO_POP(&self->in, now, word);
    return ts_idle(&self->base, now);
}

static ts_step halt_other(struct probe *self, ts_cycle now)
{
    ts_halt(&self->other->base, now);
    return now < 50 ? 1 : ts_finish(&self->base, now);
}

START_TEST(fifo_crossing_to_the_halted)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *a = ts_domain_new(kernel, "a"), *b = ts_domain_new(kernel, "b");
    struct ts_fifo *fifo = ts_kernel_alloc(kernel, sizeof *fifo);
    ts_fifo_init(fifo, a, 8, sizeof(uint64_t), 4, "fifo");
    struct probe *writer = probe_new(a, push_once, "writer");
    struct probe *halter = probe_new(b, halt_other, "halter");
    struct probe *reader = probe_new(b, first_idle, "reader");
    halter->other = reader;
    kit_out(writer, TS_OBJECT_FIFO, &fifo->object);
    kit_in(reader, TS_OBJECT_FIFO, &fifo->object);
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s", run.error.text);
    ck_assert_uint_eq(reader->count, 5);
    ts_kernel_free(kernel);
}
END_TEST

static ts_step fill_then_wait(struct probe *self, ts_cycle now)
{
    if (now == 0)
        while (TS_FIFO_PUSH(&self->out, now, self->count))
            self->count++;
    if (now == 0)
        return 40;
    return self->steps > 6 ? ts_finish(&self->base, now) : ts_fifo_await_room(&self->out, now);
}

static ts_step pop_slowly(struct probe *self, ts_cycle now)
{
    uint64_t word;
    if (!TS_FIFO_POP(&self->in, now, word))
        return ts_fifo_await_word(&self->in, now);
    return ++self->count == 8 ? ts_finish(&self->base, now) : 12;
}

START_TEST(fifo_crossing_room_nobody_looked_at)
{
    struct ts_kernel *kernel = kit_kernel(1, 0);
    struct ts_domain *a = ts_domain_new(kernel, "a"), *b = ts_domain_new(kernel, "b");
    struct ts_fifo *fifo = ts_kernel_alloc(kernel, sizeof *fifo);
    ts_fifo_init(fifo, a, 8, sizeof(uint64_t), 4, "fifo");
    struct probe *writer = probe_new(a, fill_then_wait, "writer");
    struct probe *reader = probe_new(b, pop_slowly, "reader");
    kit_out(writer, TS_OBJECT_FIFO, &fifo->object);
    kit_in(reader, TS_OBJECT_FIFO, &fifo->object);
    kit_elaborate(kernel);
    struct ts_run run = ts_kernel_run(kernel, 1000);
    ck_assert_msg(run.stop == TS_STOP_DONE, "%s", run.error.text);
    // Pops at 4, 16, 28, 40, ...: the room of the fourth and later ones comes 4 cycles after.
    static const ts_cycle want[] = {0, 40, 44, 56, 68, 80, 92};
    for (int i = 0; i < 7; i++)
        ck_assert_uint_eq(writer->log[i], want[i]);
    ts_kernel_free(kernel);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, fifo_by_hand);
    tcase_add_test(tests, fifo_by_the_book);
    tcase_add_test(tests, fifo_crossing_is_the_same);
    tcase_add_test(tests, fifo_asleep);
    tcase_add_test(tests, fifo_crossing_to_the_halted);
    tcase_add_test(tests, fifo_crossing_room_nobody_looked_at);
}

SUITE("fifo", add_tests)
