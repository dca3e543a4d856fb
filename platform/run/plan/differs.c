// The first element of a program's result that is wrong: where it lies, and who wrote it last (under checks).
#include "platform/explain/checks.h"
#include "platform/run/plan/launch.h"

#define CLEARLY 0.05 // of the root mean square of what is expected

static bool first_wrong(const struct ts_plan_tensor *t, size_t *first)
{
    const size_t count = (size_t)t->rows * t->columns;
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += t->want.at[i] * t->want.at[i];
    const double most = t->tolerance > 0 ? CLEARLY * sqrt(squares / (double)count) : 0;
    for (*first = 0; *first < count; ++*first)
        if (!(fabs(t->got.at[*first] - t->want.at[*first]) <= most))
            return true;
    return false;
}

static const struct ts_check *check_of(const struct ts_work *work, const struct ts_plan_tensor *t,
                                       uint32_t bank)
{
    if (t->dram)
        return work->chip.dram[bank].check;
    const struct ts_plan *plan = work->program->plan;
    struct ts_noc_xy at = ts_plan_raw(plan,
                                      t->sharded ? t->shard_cores.at[bank] : plan->banks[bank]);
    for (uint32_t i = 0; i < work->made; i++)
        if (work->jobs[i].tile->x == at.x && work->jobs[i].tile->y == at.y)
            return work->jobs[i].tile->check;
    return NULL;
}

void ts_program_differs(const struct ts_work *work, FILE *file)
{
    const struct ts_plan *plan = work->program->plan;
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const struct ts_plan_tensor *t = &plan->tensors[i];
        size_t at;
        if (!t->wrong || t->got.at == NULL || !first_wrong(t, &at))
            continue;
        const uint32_t row = (uint32_t)(at / t->columns), column = (uint32_t)(at % t->columns);
        const uint32_t page = t->tiled ? row / TS_TILE * t->pages_across + column / TS_TILE
                                       : (uint32_t)(at / ((size_t)t->rows * t->columns / t->pages));
        uint32_t bank;
        const uint64_t address = t->address + ts_plan_page_at(plan, t, page, &bank);
        char writer[400];
        ts_checks_writer(work->jobs[0].kernel, check_of(work, t, bank), t->dram, address, t->page,
                         writer, sizeof writer);
        fprintf(file, "  %s: wrong from row %u, column %u on (page %u%s): %g, expected %g; %s\n",
                t->name, row, column, page, t->tiled ? ", a tile" : "", t->got.at[at],
                t->want.at[at], writer);
    }
}
