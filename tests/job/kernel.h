// A low-level kernel by its short name and settings, "matmul m=64 n=64", in a test.
#ifndef TENSIM_TESTS_JOB_KERNEL_H
#define TENSIM_TESTS_JOB_KERNEL_H

#include "platform/run/plan/alias.h"
#include "platform/run/plan/launch.h"
#include "platform/tile/watchdog.h"

#include <check.h>
#include <string.h>

struct kernel_run {
    struct ts_kernel *kernel;
    struct ts_work *work;
    struct ts_job *job; // the first
    struct ts_error error;
};

static const char *const kernel_fidelities[] = {"", "lofi", "hifi2", "hifi3", "hifi4"};

// The tiles, not elaborated. False: run->error says why. `config` NULL: the default.
static inline bool kernel_build(struct kernel_run *run, const struct ts_tile_config *config,
                                const char *text)
{
    char copy[512], *rest = copy, *words[40], *word;
    size_t count = 0;
    struct ts_alias alias;
    *run = (struct kernel_run){.kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1})};
    snprintf(copy, sizeof copy, "%s", text);
    while ((word = strsep(&rest, " ")) != NULL)
        if (*word)
            words[count++] = word;
    if (!ts_alias_find(&alias, words[0], (const char *const *)words + 1, count - 1, &run->error))
        return false;
    const struct ts_plan_options options = {.params = (const char *const *)alias.params,
                                            .param_count = alias.count};
    struct ts_plan *plan = ts_plan_read(alias.path, &options, &run->error);
    ts_alias_free(&alias);
    if (plan)
        run->work = ts_work_new_program(plan, NULL, config, run->kernel, &run->error);
    run->job = run->work ? &run->work->jobs[0] : NULL;
    return run->work != NULL;
}

static inline bool kernel_start(struct kernel_run *run)
{
    return ts_kernel_elaborate(run->kernel, &run->error) == TS_OK &&
           ts_work_start(run->work, &run->error);
}

static inline void kernel_free(struct kernel_run *run)
{
    ts_work_free(run->work);
    ts_kernel_free(run->kernel);
}

// All of it: result->code has the outcome. False: nothing could run.
static inline bool kernel_try(const struct ts_tile_config *config, const char *text, ts_cycle limit,
                              struct ts_job_result *result)
{
    struct kernel_run self;
    memset(result, 0, sizeof *result);
    bool ready = kernel_build(&self, config, text) && kernel_start(&self);
    if (ready) {
        struct ts_run end = ts_work_run(self.work, limit);
        ready = ts_work_finish(self.work, &end, &self.error);
        *result = self.work->result;
    }
    if (!ready) {
        result->code = self.error.code;
        snprintf(result->text, sizeof result->text, "%s", self.error.text);
    }
    kernel_free(&self);
    return ready;
}

// What the accounts know of a kernel with these settings.
static inline struct ts_numbers kernel_numbers(const char *text)
{
    struct kernel_run self;
    ck_assert_msg(kernel_build(&self, NULL, text), "%s: %s", text, self.error.text);
    struct ts_numbers numbers = self.job->numbers;
    numbers.unit = strcmp(numbers.unit, "product") == 0 ? "product" : "tile";
    kernel_free(&self);
    return numbers;
}

#endif
