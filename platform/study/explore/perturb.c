// From a deadlock of a recording to holds that bring the run there (explore.h).
//
// The recording has the cycle of each operation that --perturb can hold. The schedule is followed in
// its order. An operation that changes an object comes after what other threads did to the object
// before it in the schedule; where the run had it earlier, it is held by the difference. A wait moves
// by itself. Delays of a thread move all that it does later.
// Inaccuracies: a core's loads cannot be held, and how long a delayed instruction takes is not
// predicted: margins.
#include "platform/study/explore/words.h"

enum { MARGIN = 48 }; // cycles between two operations that must not change their order

struct clock {
    int64_t shift[TS_EXPLORE_THREADS]; // of each thread
    int64_t at[TS_EXPLORE_THREADS];    // its last operation
    const struct ts_explore_op *inside[TS_EXPLORE_UNITS];
    // The last change of each object, by each process.
    int64_t changed[TS_EXPLORE_OBJECTS][TS_EXPLORE_THREADS + TS_EXPLORE_UNITS];
};

// When the others had changed the objects for the last time.
static int64_t others(const struct clock *self, unsigned process, ts_explore_mask objects)
{
    int64_t last = 0;
    for (; objects; objects &= objects - 1)
        for (unsigned i = 0; i < TS_EXPLORE_THREADS + TS_EXPLORE_UNITS; i++)
            if (i != process && self->changed[__builtin_ctzll(objects)][i] > last)
                last = self->changed[__builtin_ctzll(objects)][i];
    return last;
}

// "T0", or "trisc0.store" and "trisc0.l1" of a core.
static void place_of(const char *thread, const struct ts_explore_op *op, char *text, size_t size)
{
    bool page = op->code == TS_EXPLORE_PUSH || op->code == TS_EXPLORE_POP;
    snprintf(text, size, "%s%s", thread, thread[0] == 'T' ? "" : page ? ".l1" : ".store");
}

static void follow_process(const struct ts_explore_program *p, struct clock *clock,
                           unsigned process, const struct ts_explore_op *op, FILE *file)
{
    int queue = p->thread[process].queue;
    ts_explore_mask own = queue < 0 ? 0 : ts_explore_bit(queue);
    ts_explore_mask changed = ts_explore_changes(&op->touch) & ~own;
    ts_explore_mask tested = (op->touch.least | op->touch.most | op->touch.reads) & ~changed;
    int64_t at = op->cycle ? op->cycle + clock->shift[process] : clock->at[process];
    int64_t after = others(clock, process, tested);
    if (at <= after) // it waits by itself
        at = after + 1;
    after = others(clock, process, changed);
    char place[24];
    if (at < after + MARGIN && after && op->place) {
        place_of(p->thread[process].name, op, place, sizeof place);
        fprintf(file, "%s%s%s%s@%u+%lld", ftell(file) ? "," : "", p->tile, p->tile[0] ? "/" : "",
                place, op->place, (long long)(after + MARGIN - at));
        at = after + MARGIN;
    }
    if (op->cycle && at > op->cycle + clock->shift[process])
        clock->shift[process] = at - op->cycle;
    clock->at[process] = at;
    for (ts_explore_mask rest = changed; rest; rest &= rest - 1)
        clock->changed[__builtin_ctzll(rest)][process] = at;
}

char *ts_explore_perturb(const struct ts_explore_program *self,
                         const struct ts_explore_result *result)
{
    struct clock *clock = calloc(1, sizeof *clock);
    struct ts_explore_state state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (clock == NULL || file == NULL)
        ts_out_of_memory("the exploration");
    ts_explore_begin(self, &state);
    for (size_t i = 0; i < result->steps; i++) {
        unsigned by = result->schedule[i];
        struct ts_explore_op op = {0};
        if (by >= self->threads) { // what is inside the unpacker was held before it came there
            unsigned unit = by - self->threads;
            op = *clock->inside[unit];
            op.touch = (struct ts_explore_touch){.up = ts_explore_bit(self->src[unit])};
            follow_process(self, clock, (unsigned)state.a[self->unit[unit]] - 1, &op, file);
        } else if (self->thread[by].op[state.pc[by]].code == TS_EXPLORE_UNPACK) {
            const struct ts_explore_op *in = &self->thread[by].op[state.pc[by]];
            clock->inside[in->object == self->src[1]] = in;
        } else {
            follow_process(self, clock, by, &self->thread[by].op[state.pc[by]], file);
        }
        ts_explore_step(self, &state, by);
    }
    free(clock);
    fclose(file);
    if (size == 0) {
        free(text);
        text = NULL;
    }
    return text;
}
