// The search for the smallest perturbation that hangs; see program.h.
//
// One list for a crew: all seeds with the smallest delays first. Runs begin in this order, and a run
// that does not end well makes those behind it superfluous: the answer does not depend on who runs
// what.
#include "platform/study/hang/program.h"

struct hunt {
    ts_hang_trial *trial;
    void *context;
    uint32_t seeds;
};

static uint32_t seed_of(const struct hunt *self, size_t index)
{
    return (uint32_t)(index % self->seeds) + 1;
}

static uint32_t max_of(const struct hunt *self, size_t index)
{
    return UINT32_C(1) << (index / self->seeds);
}

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    snprintf(key, size, "%u:%u", seed_of(context, index), max_of(context, index));
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    const struct hunt *self = context;
    struct ts_error error = {0};
    (void)seat;
    enum ts_code code = self->trial(self->context, seed_of(self, index), max_of(self, index),
                                    &error);
    json_object_set_new(row, "code", json_integer(code));
    if (error.code != TS_OK)
        json_object_set_new(row, "error", json_string(error.text));
}

static bool stops(const json_t *row)
{
    return json_integer_value(json_object_get(row, "code")) != TS_OK;
}

bool ts_hang_search_any(ts_hang_trial *trial, void *context, struct ts_hang_search *search)
{
    struct hunt hunt = {trial, context, search->seeds};
    struct ts_crew *crew = &search->crew;
    struct ts_crew_list list = {.command = search->command ? search->command : "hang --search",
                                .unit = "runs",
                                .configuration = search->configuration,
                                .context = &hunt,
                                .key = key_of,
                                .run = run_of,
                                .stops = stops};
    for (uint32_t max = 1; max <= search->most; max *= 2)
        list.count += search->seeds;
    search->code = ts_crew_run(crew, &list, &search->error);
    search->runs = crew->stop < list.count ? crew->stop + 1 : list.count;
    search->failure = (struct ts_error){0};
    if (search->code != TS_OK || crew->shards || crew->stop == list.count)
        return false;
    const json_t *row = crew->rows[crew->stop];
    enum ts_code code = (enum ts_code)json_integer_value(json_object_get(row, "code"));
    const char *error = json_string_value(json_object_get(row, "error"));
    search->seed = seed_of(&hunt, crew->stop);
    search->max = max_of(&hunt, crew->stop);
    if (code != TS_HANG)
        ts_fail(&search->failure, code, "%s", error ? error : "no message");
    return code == TS_HANG;
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
