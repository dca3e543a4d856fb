// The search for the smallest perturbation that makes a program hang; see hang_program.h.
#include "platform/study/hang_program.h"

#include <pthread.h>
#include <stdatomic.h>

struct hunt {
    const struct ts_hang_program *program;
    const struct ts_tile_config *config;
    ts_cycle limit;
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
        struct ts_tile_config config = *hunt->config;
        config.perturb_seed = seed;
        config.perturb_max = hunt->max;
        struct ts_hang_outcome outcome;
        ts_hang_program_run(hunt->program, &config, hunt->limit, &outcome);
        atomic_fetch_add(&hunt->runs, 1);
        if (outcome.code == TS_HANG) {
            unsigned before = atomic_load(&hunt->found);
            while (seed < before && !atomic_compare_exchange_weak(&hunt->found, &before, seed))
                ;
        }
        ts_hang_outcome_free(&outcome);
    }
}

bool ts_hang_search(const struct ts_hang_program *program, const struct ts_tile_config *config,
                    ts_cycle limit, struct ts_hang_search *search)
{
    enum { THREADS = 64 };
    search->runs = 0;
    for (uint32_t max = 1; max <= search->most; max *= 2) {
        struct hunt hunt = {.program = program,
                            .config = config,
                            .limit = limit,
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
