// A program file run for its cycles alone (timed.h).
#include "platform/run/timed.h"

#include "platform/run/plan/launch.h"
#include "platform/tile/watchdog.h"

#define LIMIT UINT64_C(100000000)

struct bench {
    const struct ts_timed *of;
    struct ts_tile_config config;
    struct ts_kernel *kernel;
    struct ts_system system;
    struct ts_work **works; // of each chip
    uint32_t count;
};

static struct ts_work *new_work(struct bench *self, const struct ts_plan_options *options,
                                const struct ts_params *params, struct ts_error *error)
{
    struct ts_plan *plan = ts_plan_read(self->of->path, options, error);
    if (plan && ts_plan_compile(plan, options, error))
        return ts_work_new_program(plan, params, &self->config, self->kernel, error);
    ts_plan_free(plan);
    return NULL;
}

// A work for each chip, and their links.
static bool build(struct bench *self, const struct ts_params *params, struct ts_error *error)
{
    struct ts_chip *chips[TS_SYSTEM_CHIPS];
    struct ts_dram_params channel;
    TS_PARAMS_FILL(params, "dram", &channel);
    struct ts_plan_options options = {.params = self->of->settings,
                                      .param_count = self->of->setting_count,
                                      .dram_bytes = (uint64_t)channel.size << 20,
                                      .sources = self->of->sources,
                                      .unchecked = true,
                                      .bare = true};
    if (!ts_plan_on_system(self->of->path, &options, &self->system, error))
        return false;
    self->count = options.system ? self->system.chips : 1;
    self->works = calloc(self->count, sizeof *self->works);
    for (uint32_t i = 0; self->works && i < self->count; i++) {
        options.chip_id = i;
        self->works[i] = new_work(self, &options, params, error);
        if (self->works[i] == NULL)
            return false;
        chips[i] = &self->works[i]->chip;
    }
    if (self->works && options.system)
        ts_system_connect(&self->system, chips);
    if (self->works == NULL || ts_kernel_elaborate(self->kernel, error) != TS_OK)
        return false;
    for (uint32_t i = 0; i < self->count; i++)
        if (!ts_work_start(self->works[i], error))
            return false;
    return true;
}

// A chip that has ended does not end the others.
static struct ts_run pass(struct bench *self)
{
    struct ts_run run;
    bool done;
    do {
        run = ts_watched_run(self->kernel, LIMIT);
        done = run.stop != TS_STOP_BREAK;
        for (uint32_t i = 0, ended = 0; i < self->count && !done; i++) {
            ended += ts_work_break(self->works[i], run.cycle);
            done |= ended == self->count;
        }
    } while (!done);
    return run;
}

static void pause(void *context)
{
    struct bench *self = context;
    self->of->shown(self->of->context, ts_work_share(self->works[0]));
}

static ts_cycle math_mean(const struct ts_work *work)
{
    ts_cycle sum = 0;
    for (uint32_t i = 0; i < work->made; i++) {
        const struct ts_job_zone *zone = &work->results[i].zones[1][TS_JOB_KERNEL];
        sum += zone->end - zone->start;
    }
    return (sum + work->made / 2) / work->made;
}

static bool run(struct bench *self, const struct ts_params *params, struct ts_timed_cycles *cycles,
                struct ts_error *error)
{
    ts_cycle first = TS_NEVER, last = 0;
    if (!build(self, params, error))
        return false;
    if (self->of->shown)
        ts_kernel_pause(self->kernel, pause, self);
    struct ts_run run = pass(self);
    if (run.stop == TS_STOP_FAULT) {
        *error = run.error;
        return false;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        struct ts_work *work = self->works[i];
        if (!ts_work_finish(work, &run, error))
            return false;
        if (work->result.code != TS_OK)
            return ts_refuse(error, work->result.code, "%s", work->result.text);
        first = work->program->first < first ? work->program->first : first;
        last = work->program->last > last ? work->program->last : last;
    }
    *cycles = (struct ts_timed_cycles){.whole = last - first, .math = math_mean(self->works[0])};
    return true;
}

bool ts_timed_run(const struct ts_timed *self, const struct ts_params *params,
                  struct ts_timed_cycles *cycles, struct ts_error *error)
{
    struct bench bench = {
        .of = self,
        .config = ts_tile_config_from(params),
        .kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = self->threads})};
    bench.config.timing_only = true;
    bool good = bench.kernel && run(&bench, params, cycles, error);
    if (!good && error->code == TS_OK)
        ts_fail(error, TS_SETUP, "out of memory");
    for (uint32_t i = 0; bench.works && i < bench.count; i++)
        ts_work_free(bench.works[i]);
    free(bench.works);
    ts_kernel_free(bench.kernel);
    return good;
}
