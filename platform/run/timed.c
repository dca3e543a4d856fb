// A program file run for its cycles alone (timed.h).
#include "platform/run/timed.h"

#include "platform/run/plan/launch.h"

#define LIMIT UINT64_C(100000000)

struct bench {
    const struct ts_timed *of;
    struct ts_tile_config config;
    struct ts_kernel *kernel;
    struct ts_work *work;
};

static struct ts_work *new_work(struct bench *self, const struct ts_params *params,
                                struct ts_error *error)
{
    const struct ts_plan_options options = {.params = self->of->settings,
                                            .param_count = self->of->setting_count,
                                            .sources = self->of->sources,
                                            .unchecked = true,
                                            .bare = true};
    struct ts_plan *plan = ts_plan_read(self->of->path, &options, error);
    if (plan && ts_plan_compile(plan, &options, error))
        return ts_work_new_program(plan, params, &self->config, self->kernel, error);
    ts_plan_free(plan);
    return NULL;
}

static void pause(void *context)
{
    struct bench *self = context;
    self->of->shown(self->of->context, ts_work_share(self->work));
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
    self->work = new_work(self, params, error);
    if (self->work == NULL || ts_kernel_elaborate(self->kernel, error) != TS_OK ||
        !ts_work_start(self->work, error))
        return false;
    if (self->of->shown)
        ts_kernel_pause(self->kernel, pause, self);
    struct ts_run run = ts_work_run(self->work, LIMIT);
    if (!ts_work_finish(self->work, &run, error))
        return false;
    if (self->work->result.code != TS_OK)
        return ts_refuse(error, self->work->result.code, "%s", self->work->result.text);
    *cycles = (struct ts_timed_cycles){.whole = self->work->program->last -
                                                self->work->program->first,
                                       .math = math_mean(self->work)};
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
    ts_work_free(bench.work);
    ts_kernel_free(bench.kernel);
    return good;
}
