// The search for the smallest perturbation that hangs; see hang_program.h.
#include "platform/base/crew.h"
#include "platform/study/hang/program.h"

#include <pthread.h>
#include <stdatomic.h>

struct hunt {
    ts_hang_trial *trial;
    void *context;
    struct ts_progress *progress;
    uint32_t max;
    atomic_uint found; // the lowest that hangs or fails; UINT32_MAX: none
    atomic_ullong runs;
    pthread_mutex_t lock;    // of the rest
    struct ts_error failure; // of `found`; TS_OK: it hangs
};

// One seed. Seeds above one that hangs cannot be the answer; those below it have begun.
static bool try_seed(void *context, size_t index)
{
    struct hunt *hunt = context;
    uint32_t seed = (uint32_t)index + 1;
    struct ts_error error = {0};
    if (seed > atomic_load(&hunt->found))
        return false;
    atomic_fetch_add(&hunt->runs, 1);
    enum ts_code code = hunt->trial(hunt->context, seed, hunt->max, &error);
    ts_progress_add(hunt->progress, 1);
    if (code == TS_OK)
        return true;
    pthread_mutex_lock(&hunt->lock);
    if (seed < atomic_load(&hunt->found)) {
        atomic_store(&hunt->found, seed);
        hunt->failure = error;
    }
    pthread_mutex_unlock(&hunt->lock);
    return false;
}

bool ts_hang_search_any(ts_hang_trial *trial, void *context, struct ts_hang_search *search)
{
    search->runs = 0;
    for (uint32_t max = 1; max <= search->most; max *= 2) {
        struct hunt hunt = {.trial = trial,
                            .context = context,
                            .progress = search->progress,
                            .max = max,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .found = UINT32_MAX};
        ts_crew_run(search->seeds, search->threads, try_seed, &hunt);
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
