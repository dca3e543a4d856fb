// Makes a case that differs smaller: see fuzz.h.
#include "tests/exact/fuzz.h"

#include <stdlib.h>
#include <string.h>

#define RUNS 400 // comparisons, at most

struct shrinker {
    struct fuzz_case *best, trial;
    unsigned runs;
};

// Is the trial still one that differs? Then it is the best.
static bool holds(struct shrinker *self)
{
    struct fuzz_result result;
    if (self->runs++ >= RUNS)
        return false;
    fuzz_compare(&self->trial, NULL, &result);
    if (result.verdict != FUZZ_DIFFERS)
        return false;
    *self->best = self->trial;
    return true;
}

static void drop_lines(struct fuzz_case *self, unsigned from, unsigned count)
{
    unsigned to = from;
    for (unsigned i = from; i < self->line_count; i++)
        if (i >= from + count || self->lines[i].base)
            self->lines[to++] = self->lines[i];
    self->line_count = to;
}

// Whole tiles, then cores, then halves of the steps, quarters, ... single ones.
static void shrink_lines(struct shrinker *self)
{
    for (unsigned core = 0; core < 5; core++) {
        self->trial = *self->best;
        for (unsigned i = self->trial.line_count; i-- > 0;)
            if (self->trial.lines[i].core == core)
                drop_lines(&self->trial, i, 1);
        holds(self);
    }
    for (unsigned part = self->best->line_count; part; part /= 2)
        for (unsigned from = 0; from + part <= self->best->line_count;) {
            self->trial = *self->best;
            drop_lines(&self->trial, from, part);
            if (self->trial.line_count == self->best->line_count || !holds(self))
                from += part;
        }
}

static void shrink_texts(struct shrinker *self, bool params)
{
    const struct fuzz_case *best = self->best;
    for (unsigned i = params ? best->param_count : best->setting_count; i-- > 0;) {
        self->trial = *best;
        struct fuzz_case *t = &self->trial;
        if (params)
            memmove(t->params[i], t->params[i + 1], (--t->param_count - i) * sizeof *t->params);
        else
            memmove(t->settings[i], t->settings[i + 1],
                    (--t->setting_count - i) * sizeof *t->settings);
        holds(self);
    }
}

static void shrink_rest(struct shrinker *self)
{
    self->trial = *self->best;
    self->trial.perturb_max = 0;
    holds(self);
    self->trial = *self->best;
    self->trial.trace = false;
    self->trial.threads = 1;
    holds(self);
    self->trial = *self->best;
    self->trial.timing_only = false;
    holds(self);
    self->trial = *self->best;
    self->trial.cut = 0;
    holds(self);
}

unsigned fuzz_shrink(struct fuzz_case *self)
{
    struct shrinker *shrinker = calloc(1, sizeof *shrinker);
    shrinker->best = self;
    shrink_rest(shrinker);
    shrink_texts(shrinker, true);
    if (self->kernel[0])
        shrink_texts(shrinker, false);
    else {
        shrink_lines(shrinker);
        shrink_lines(shrinker);
    }
    unsigned runs = shrinker->runs;
    free(shrinker);
    return runs;
}

void fuzz_command(const struct fuzz_case *self, const char *file, FILE *to)
{
    fprintf(to, "tests/fuzz");
    if (self->chip)
        fprintf(to, " --chip %s", self->chip);
    for (unsigned i = 0; i < self->param_count; i++)
        fprintf(to, " -D %s", self->params[i]);
    if (self->perturb_max)
        fprintf(to, " --perturb %llu:%u", (unsigned long long)self->perturb_seed,
                self->perturb_max);
    if (self->cut)
        fprintf(to, " -C %llu", (unsigned long long)self->cut);
    if (self->timing_only)
        fprintf(to, " --timing-only");
    if (self->threads > 1)
        fprintf(to, " -n %u", self->threads);
    if (self->trace)
        fprintf(to, " --trace");
    fprintf(to, " %s", self->kernel[0] ? self->kernel : file);
    for (unsigned i = 0; i < self->setting_count; i++)
        fprintf(to, " %s", self->settings[i]);
    fputc('\n', to);
}
