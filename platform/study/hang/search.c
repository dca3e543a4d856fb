// The search for the smallest perturbation that hangs; see hang_program.h.
#include "platform/study/hang/program.h"

#include <pthread.h>
#include <stdatomic.h>

struct hunt {
    ts_hang_trial *trial;
    void *context;
    struct ts_progress *progress;
    uint32_t seeds, max;
    atomic_uint next;  // seed to try
    atomic_uint found; // the lowest that hangs or fails; UINT32_MAX: none
    atomic_ullong runs;
    pthread_mutex_t lock;    // of the rest
    struct ts_error failure; // of `found`; TS_OK: it hangs
};

static void *work(void *context)
{
    struct hunt *hunt = context;
    for (;;) {
        uint32_t seed = atomic_fetch_add(&hunt->next, 1);
        struct ts_error error = {0};
        // Seeds above one that hangs cannot be the answer; those below are finished by others.
        if (seed > hunt->seeds || seed > atomic_load(&hunt->found))
            return NULL;
        atomic_fetch_add(&hunt->runs, 1);
        enum ts_code code = hunt->trial(hunt->context, seed, hunt->max, &error);
        ts_progress_add(hunt->progress, 1);
        if (code == TS_OK)
            continue;
        pthread_mutex_lock(&hunt->lock);
        if (seed < atomic_load(&hunt->found)) {
            atomic_store(&hunt->found, seed);
            hunt->failure = error;
        }
        pthread_mutex_unlock(&hunt->lock);
    }
}

bool ts_hang_search_any(ts_hang_trial *trial, void *context, struct ts_hang_search *search)
{
    enum { THREADS = 64 };
    search->runs = 0;
    for (uint32_t max = 1; max <= search->most; max *= 2) {
        struct hunt hunt = {.trial = trial,
                            .context = context,
                            .progress = search->progress,
                            .seeds = search->seeds,
                            .max = max,
                            .next = 1,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .found = UINT32_MAX};
        pthread_t threads[THREADS];
        unsigned started = 0, wanted = search->threads > THREADS ? THREADS : search->threads;
        while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, &hunt) == 0)
            started++;
        work(&hunt);
        for (unsigned i = 0; i < started; i++)
            pthread_join(threads[i], NULL);
        search->runs += atomic_load(&hunt.runs);
        search->seed = atomic_load(&hunt.found);
        search->max = max;
        search->failure = hunt.failure;
        if (search->seed != UINT32_MAX)
            return search->failure.code == TS_OK;
    }
    return false;
}

// --- programs in this process

struct quarry {
    const struct ts_hang_program *program;
    const struct ts_tile_config *config;
    ts_cycle limit;
};

static enum ts_code try_program(void *context, uint32_t seed, uint32_t max, struct ts_error *error)
{
    const struct quarry *self = context;
    struct ts_tile_config config = *self->config;
    struct ts_hang_outcome outcome;
    config.perturb_seed = seed;
    config.perturb_max = max;
    ts_hang_program_run(self->program, &config, self->limit, &outcome);
    enum ts_code code = outcome.code;
    if (code == TS_LIMIT)
        ts_fail(error, code, "cycle limit %llu reached", (unsigned long long)self->limit);
    else if (code != TS_OK && code != TS_HANG)
        ts_fail(error, code, "%s", outcome.text);
    ts_hang_outcome_free(&outcome);
    return code;
}

bool ts_hang_search(const struct ts_hang_program *program, const struct ts_tile_config *config,
                    ts_cycle limit, struct ts_hang_search *search)
{
    struct quarry quarry = {program, config, limit};
    return ts_hang_search_any(try_program, &quarry, search);
}
