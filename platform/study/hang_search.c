// The search for the smallest perturbation that hangs; see hang_program.h.
#include "platform/study/hang_program.h"

#include <pthread.h>
#include <stdatomic.h>

struct hunt {
    ts_hang_trial *trial;
    void *context;
    struct ts_progress *progress;
    uint32_t seeds, max;
    atomic_uint next;  // seed to try
    atomic_uint found; // the lowest that hangs; UINT32_MAX: none
    atomic_ullong runs;
};

static void *work(void *context)
{
    struct hunt *hunt = context;
    for (;;) {
        uint32_t seed = atomic_fetch_add(&hunt->next, 1);
        // Seeds above one that hangs cannot be the answer; those below are finished by others.
        if (seed > hunt->seeds || seed > atomic_load(&hunt->found))
            return NULL;
        atomic_fetch_add(&hunt->runs, 1);
        bool hangs = hunt->trial(hunt->context, seed, hunt->max);
        ts_progress_add(hunt->progress, 1);
        if (!hangs)
            continue;
        unsigned before = atomic_load(&hunt->found);
        while (seed < before && !atomic_compare_exchange_weak(&hunt->found, &before, seed))
            ;
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
        if (search->seed != UINT32_MAX)
            return true;
    }
    return false;
}

// --- programs in this process

struct quarry {
    const struct ts_hang_program *program;
    const struct ts_tile_config *config;
    ts_cycle limit;
};

static bool try_program(void *context, uint32_t seed, uint32_t max)
{
    const struct quarry *self = context;
    struct ts_tile_config config = *self->config;
    struct ts_hang_outcome outcome;
    config.perturb_seed = seed;
    config.perturb_max = max;
    ts_hang_program_run(self->program, &config, self->limit, &outcome);
    bool hangs = outcome.code == TS_HANG;
    ts_hang_outcome_free(&outcome);
    return hangs;
}

bool ts_hang_search(const struct ts_hang_program *program, const struct ts_tile_config *config,
                    ts_cycle limit, struct ts_hang_search *search)
{
    struct quarry quarry = {program, config, limit};
    return ts_hang_search_any(try_program, &quarry, search);
}
