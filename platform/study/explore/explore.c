// The search of explore.h: breadth first, hashed states, persistent sets.
#include "platform/study/explore/explore.h"

#include "platform/base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// All states found, each with the way it was reached first; a hash table of their numbers.
struct store {
    struct ts_explore_state *state;
    uint32_t *parent;
    uint8_t *mover;
    uint32_t count, room;
    uint32_t *table; // number + 1
    uint32_t mask;
};

static void *grown(void *old, size_t count, size_t size)
{
    void *memory = realloc(old, count * size);
    if (memory == NULL)
        abort();
    return memory;
}

static uint64_t hash(const struct ts_explore_state *state)
{
    uint64_t words[sizeof *state / 8], h = TS_HASH_START;
    _Static_assert(sizeof *state % 8 == 0, "the state is hashed in words of 8 bytes");
    memcpy(words, state, sizeof words);
    for (size_t i = 0; i < sizeof *state / 8; i++)
        h = ts_hash_word(h, words[i]);
    return h ^ h >> 32; // the table goes by the low bits
}

static void rehash(struct store *self)
{
    uint32_t size = self->mask ? 2 * (self->mask + 1) : 1024;
    free(self->table);
    self->table = calloc(size, sizeof *self->table);
    if (self->table == NULL)
        abort();
    self->mask = size - 1;
    for (uint32_t i = 0; i < self->count; i++) {
        uint32_t at = (uint32_t)hash(&self->state[i]) & self->mask;
        while (self->table[at])
            at = (at + 1) & self->mask;
        self->table[at] = i + 1;
    }
}

// Adds a state unless it is there; true if it is new.
static bool add(struct store *self, const struct ts_explore_state *state, uint32_t parent,
                unsigned mover)
{
    if (2 * (self->count + 1) > self->mask)
        rehash(self);
    uint32_t at = (uint32_t)hash(state) & self->mask;
    for (; self->table[at]; at = (at + 1) & self->mask)
        if (memcmp(&self->state[self->table[at] - 1], state, sizeof *state) == 0)
            return false;
    if (self->count == self->room) {
        self->room = self->room ? 2 * self->room : 512;
        self->state = grown(self->state, self->room, sizeof *self->state);
        self->parent = grown(self->parent, self->room, sizeof *self->parent);
        self->mover = grown(self->mover, self->room, sizeof *self->mover);
    }
    self->state[self->count] = *state;
    self->parent[self->count] = parent;
    self->mover[self->count] = (uint8_t)mover;
    self->table[at] = ++self->count;
    return true;
}

static void free_store(struct store *self)
{
    free(self->state);
    free(self->parent);
    free(self->mover);
    free(self->table);
}

static bool conflict(struct ts_explore_touch x, struct ts_explore_touch y)
{
    return (x.writes & (y.reads | y.writes)) || (x.reads & y.writes);
}

// The smallest persistent set that begins with some enabled process. Every process is a member that
// can still touch what a member does next, or that can let a member go on. A wait at a gate counts
// as read by its thread, in what it does next and in what it can still do: a process that changes a
// watched object has the watcher in its set, and the watcher has all that change the other objects.
// So the order in which a gate sees several objects change is never lost.
static unsigned persistent(const struct ts_explore_program *p, const struct ts_explore_state *s,
                           unsigned enabled)
{
    enum { ALL = TS_EXPLORE_THREADS + TS_EXPLORE_UNITS };
    unsigned count = ts_explore_processes(p), best = enabled;
    struct ts_explore_touch next[ALL], future[ALL];
    unsigned pulls[ALL];
    for (unsigned i = 0; i < count; i++) {
        next[i] = ts_explore_next(p, s, i);
        future[i] = ts_explore_future(p, s, i);
    }
    for (unsigned i = 0; i < count; i++) {
        pulls[i] = 0;
        for (unsigned j = 0; j < count; j++)
            if (j != i && conflict(next[i], future[j]))
                pulls[i] |= 1u << j;
    }
    for (unsigned first = 0; first < count; first++) {
        if (!(enabled >> first & 1))
            continue;
        unsigned set = 0, todo = 1u << first;
        while (todo) {
            unsigned i = (unsigned)__builtin_ctz(todo);
            set |= 1u << i;
            todo = (todo | pulls[i]) & ~set;
        }
        if (__builtin_popcount(set & enabled) < __builtin_popcount(best))
            best = set & enabled;
    }
    return best;
}

static void take_schedule(struct ts_explore_result *self, const struct store *store, uint32_t at,
                          size_t steps)
{
    self->last = store->state[at];
    self->steps = steps;
    self->schedule = grown(NULL, steps + 1, 1);
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

struct ts_explore_result ts_explore_search(const struct ts_explore_program *self,
                                           const struct ts_explore_options *options)
{
    struct ts_explore_result result = {.code = TS_OK};
    struct timespec begin, end;
    struct store store = {0};
    struct ts_explore_state state;
    uint64_t limit = options->max_states ? options->max_states : TS_EXPLORE_MAX_STATES;
    unsigned processes = ts_explore_processes(self);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    result.lost = calloc(TS_EXPLORE_THREADS, sizeof *result.lost);
    if (result.lost == NULL)
        abort();
    ts_explore_begin(self, &state);
    add(&store, &state, 0, 0);
    bool stop = false;
    size_t steps = 0;
    // One round per length of ways: states of the next length are added behind.
    for (uint32_t from = 0; from < store.count && !stop; steps++) {
        uint32_t to = store.count;
        for (; from < to && !stop; from++) {
            if (from % 4096 == 0)
                ts_progress_set(options->progress, from);
            unsigned enabled = 0, left = 0;
            struct ts_explore_wait why;
            for (unsigned i = 0; i < processes; i++) {
                enabled |= (unsigned)ts_explore_enabled(self, &store.state[from], i, &why) << i;
                left |= (unsigned)!ts_explore_ended(self, &store.state[from], i) << i;
            }
            if (enabled == 0 && left == 0)
                result.ends++;
            if (enabled == 0 && left != 0) {
                if (result.deadlocks++ == 0)
                    take_schedule(&result, &store, from, steps);
                result.code = TS_HANG;
                stop = !options->all;
            }
            unsigned move = options->exhaustive ? enabled
                                                : persistent(self, &store.state[from], enabled);
            for (; move && !stop; move &= move - 1) {
                unsigned process = (unsigned)__builtin_ctz(move);
                state = store.state[from];
                unsigned lost = ts_explore_step(self, &state, process);
                result.transitions++;
                if (lost)
                    note_lost(&result, &store.state[from], process, lost, steps + 1);
                if (add(&store, &state, from, process) && store.count > limit) {
                    result.code = result.code == TS_OK ? TS_LIMIT : result.code;
                    stop = true;
                }
            }
        }
    }
    result.states = store.count;
    free_store(&store);
    clock_gettime(CLOCK_MONOTONIC, &end);
    result.seconds = (double)(end.tv_sec - begin.tv_sec) +
                     1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    return result;
}

void ts_explore_result_free(struct ts_explore_result *self)
{
    free(self->lost);
    free(self->schedule);
    *self = (struct ts_explore_result){0};
}
