// The search of explore.h: breadth first, hashed states, persistent sets.
#include "platform/base/clock.h"
#include "platform/study/explore/words.h"

static void *space(size_t count, size_t size)
{
    void *memory = ts_need(calloc(count, size), "the exploration");
    return memory;
}

static void take_schedule(struct ts_explore_result *self, const struct ts_explore_store *store,
                          uint32_t at, size_t steps)
{
    ts_explore_store_get(store, at, &self->last);
    self->steps = steps;
    self->schedule = space(steps + 1, 1);
    for (; steps-- > 0; at = store->parent[at])
        self->schedule[steps] = store->mover[at];
}

static void note_lost(struct ts_explore_result *self, const struct ts_explore_state *state,
                      unsigned process, unsigned lost, size_t step)
{
    for (; lost; lost &= lost - 1) {
        uint32_t *first = &self->lost[process][state->pc[process]][__builtin_ctz(lost)];
        if (*first == 0)
            *first = (uint32_t)step;
    }
}

// What can move, and what has not ended: a bit per process.
struct moves {
    unsigned enabled, left;
};

static struct moves moves_of(const struct ts_explore_program *self,
                             const struct ts_explore_state *state)
{
    struct moves moves = {0, 0};
    struct ts_explore_wait why;
    for (unsigned i = 0; i < ts_explore_processes(self); i++) {
        moves.enabled |= (unsigned)ts_explore_enabled(self, state, i, &why) << i;
        moves.left |= (unsigned)!ts_explore_ended(self, state, i) << i;
    }
    return moves;
}

// Follows a state. False: the search ends here.
static bool follow_state(const struct ts_explore_program *self,
                         const struct ts_explore_options *options, struct ts_explore_store *store,
                         uint32_t from, size_t steps, struct ts_explore_result *result)
{
    uint64_t limit = options->max_states ? options->max_states : TS_EXPLORE_MAX_STATES;
    struct ts_explore_state state;
    ts_explore_store_get(store, from, &state);
    struct moves moves = moves_of(self, &state);
    if (moves.enabled == 0 && moves.left == 0)
        result->ends++;
    if (moves.enabled == 0 && moves.left != 0) {
        if (result->deadlocks++ == 0)
            take_schedule(result, store, from, steps);
        result->code = TS_HANG;
        if (!options->all)
            return false;
    }
    unsigned move = options->exhaustive ? moves.enabled
                                        : ts_explore_persistent(self, &state, moves.enabled);
    for (; move; move &= move - 1) {
        unsigned process = (unsigned)__builtin_ctz(move);
        struct ts_explore_state next = state;
        unsigned lost = ts_explore_step(self, &next, process);
        result->transitions++;
        if (lost)
            note_lost(result, &state, process, lost, steps + 1);
        if (ts_explore_store_add(store, &next, from, process) && store->count > limit) {
            result->code = result->code == TS_OK ? TS_LIMIT : result->code;
            return false;
        }
    }
    return true;
}

struct ts_explore_result ts_explore_search(const struct ts_explore_program *self,
                                           const struct ts_explore_options *options)
{
    struct ts_explore_result result = {.code = TS_OK};
    const double begin = ts_seconds();
    struct ts_explore_store store;
    struct ts_explore_state state;
    for (unsigned t = 0; t < self->threads; t++)
        result.lost[t] = space(self->thread[t].count + 1, sizeof *result.lost[t]);
    ts_explore_store_init(&store, self);
    ts_explore_begin(self, &state);
    ts_explore_store_add(&store, &state, 0, 0);
    bool on = true;
    // One round per length of ways: states of the next length are added behind.
    for (uint32_t from = 0; from < store.count && on; result.depth++) {
        uint32_t to = store.count;
        for (; from < to && on; from++) {
            if (from % 4096 == 0)
                ts_progress_set(options->progress, from);
            on = follow_state(self, options, &store, from, result.depth, &result);
        }
    }
    result.states = store.count;
    ts_explore_store_free(&store);
    result.seconds = ts_seconds() - begin;
    return result;
}

void ts_explore_result_free(struct ts_explore_result *self)
{
    for (unsigned t = 0; t < TS_EXPLORE_THREADS; t++)
        free(self->lost[t]);
    free(self->schedule);
    *self = (struct ts_explore_result){0};
}
