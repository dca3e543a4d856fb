// The search for a perturbation that hangs; see program.h.
//
// One list for a crew: holds that near misses suggest, then all seeds with the smallest delays
// first. Runs begin in this order, and a run that does not end well makes those behind it
// superfluous: the answer does not depend on who runs what.
#include "platform/base/json.h"
#include "platform/study/hang/program.h"

struct hunt {
    ts_hang_trial *trial;
    void *context;
    uint32_t seeds;
    struct ts_near_hold *near;
    size_t count; // of them
};

static void perturb_of(const struct hunt *self, size_t index, char *text, size_t size)
{
    if (index < self->count) {
        snprintf(text, size, "%s", self->near[index].perturb);
        return;
    }
    index -= self->count;
    snprintf(text, size, "%u:%u", (uint32_t)(index % self->seeds) + 1,
             UINT32_C(1) << (index / self->seeds));
}

static void key_of(const void *context, size_t index, char *key, size_t size)
{
    perturb_of(context, index, key, size);
}

static void run_of(void *context, size_t index, struct ts_crew_seat *seat, json_t *row)
{
    const struct hunt *self = context;
    struct ts_error error = {0};
    char text[TS_PERTURB_TEXT];
    (void)seat;
    perturb_of(self, index, text, sizeof text);
    enum ts_code code = self->trial(self->context, text, &error);
    json_object_set_new(row, "code", json_integer(code));
    if (error.code != TS_OK)
        json_object_set_new(row, "error", json_string(error.text));
}

static bool stops(const json_t *row)
{
    return ts_json_integer(row, "code") != TS_OK;
}

// The shortest hold at the same place that hangs, by halving.
static void shorten(const struct hunt *hunt, struct ts_hang_search *search)
{
    const char *plus = strrchr(search->perturb, '+');
    if (plus == NULL)
        return;
    int length = (int)(plus + 1 - search->perturb);
    uint64_t low = 0, high = strtoull(plus + 1, NULL, 10); // ends well, hangs
    while (high - low > 1) {
        struct ts_error error = {0};
        char text[TS_PERTURB_TEXT];
        uint64_t middle = low + (high - low) / 2;
        snprintf(text, sizeof text, "%.*s%llu", length, search->perturb,
                 (unsigned long long)middle);
        bool hangs = hunt->trial(hunt->context, text, &error) == TS_HANG;
        search->shortened++;
        *(hangs ? &high : &low) = middle;
    }
    snprintf(search->perturb + length, sizeof search->perturb - (size_t)length, "%llu",
             (unsigned long long)high);
}

bool ts_hang_search_any(ts_hang_trial *trial, ts_hang_look *look, void *context,
                        struct ts_hang_search *search)
{
    struct hunt hunt = {.trial = trial, .context = context, .seeds = search->seeds};
    struct ts_crew *crew = &search->crew;
    struct ts_crew_list list = {.command = search->command ? search->command : "hang --search",
                                .unit = "runs",
                                .configuration = search->configuration,
                                .context = &hunt,
                                .key = key_of,
                                .run = run_of,
                                .stops = stops};
    hunt.near = ts_need(calloc(TS_NEAR_HOLDS, sizeof *hunt.near), "the small program");
    if (!search->random)
        hunt.count = look(context, hunt.near, TS_NEAR_HOLDS);
    list.count = hunt.count;
    for (uint32_t max = 1; max <= search->most; max *= 2)
        list.count += search->seeds;
    search->code = ts_crew_run(crew, &list, &search->error);
    search->runs = (crew->stop < list.count ? crew->stop + 1 : list.count) + !search->random;
    search->failure = (struct ts_error){0};
    bool stopped = search->code == TS_OK && !crew->shards && crew->stop < list.count;
    enum ts_code code = TS_OK;
    if (stopped) {
        const json_t *row = crew->rows[crew->stop];
        const char *error = json_string_value(json_object_get(row, "error"));
        code = (enum ts_code)ts_json_integer(row, "code");
        perturb_of(&hunt, crew->stop, search->perturb, sizeof search->perturb);
        if (crew->stop < hunt.count)
            snprintf(search->why, sizeof search->why, "%s", hunt.near[crew->stop].why);
        if (code != TS_HANG)
            ts_fail(&search->failure, code, "%s", error ? error : "no message");
    }
    if (code == TS_HANG)
        shorten(&hunt, search);
    free(hunt.near);
    return code == TS_HANG;
}

// --- programs in this process

struct quarry {
    const struct ts_hang_program *program;
    const struct ts_tile_config *config;
    ts_cycle limit;
};

static enum ts_code try_program(void *context, const char *perturb, struct ts_error *error)
{
    const struct quarry *self = context;
    struct ts_tile_config config = *self->config;
    struct ts_hang_outcome outcome;
    struct ts_perturb_how how;
    ts_perturb_parse(perturb, &how);
    config.perturb_seed = how.seed;
    config.perturb_max = how.max;
    config.perturb_holds = how.holds;
    ts_hang_program_run(self->program, &config, self->limit, &outcome);
    enum ts_code code = outcome.code;
    if (code == TS_LIMIT)
        ts_fail(error, code, "cycle limit %llu reached", (unsigned long long)self->limit);
    else if (code != TS_OK && code != TS_HANG)
        ts_fail(error, code, "%s", outcome.text);
    ts_hang_outcome_free(&outcome);
    return code;
}

static size_t look_at_program(void *context, struct ts_near_hold *list, size_t room)
{
    const struct quarry *self = context;
    struct ts_tile_config config = *self->config;
    struct ts_hang_program program = *self->program;
    struct ts_hang_outcome outcome;
    config.perturb_max = 1;
    config.perturb_holds = "";
    program.near = ts_near_new();
    ts_hang_program_run(&program, &config, self->limit, &outcome);
    size_t count;
    const struct ts_near_hold *found = ts_near_list(program.near, &count);
    count = count < room ? count : room;
    memcpy(list, found, count * sizeof *list);
    ts_near_free(program.near);
    ts_hang_outcome_free(&outcome);
    return count;
}

bool ts_hang_search(const struct ts_hang_program *program, const struct ts_tile_config *config,
                    ts_cycle limit, struct ts_hang_search *search)
{
    struct quarry quarry = {program, config, limit};
    return ts_hang_search_any(try_program, look_at_program, &quarry, search);
}
