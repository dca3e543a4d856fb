// Own times of the stages (stages.h).
#include "platform/account/account.h"

// --- one tile ---

struct tile {
    const struct ts_marks *marks;
    const struct ts_job *job;
    double window;
};

static struct ts_account account_of(const struct tile *self, const struct ts_component *component)
{
    return ts_marks_account(self->marks, component);
}

// Instructions of a core and the stalls of its pipeline.
static double code_of(const struct ts_account *account)
{
    double sum = (double)account->busy;
    for (unsigned i = 0; i < TS_RV_OWN_STALLS; i++)
        sum += (double)account->lost[TS_STALL_RV_FETCH + i];
    return sum;
}

static double semaphores_of(const struct ts_account *account)
{
    return (double)(account->lost[TS_STALL_SEMAPHORE_ZERO] + account->lost[TS_STALL_SEMAPHORE_MAX]);
}

static void add_mover(const struct tile *self, unsigned core, struct ts_stage *stage)
{
    const struct ts_account account = account_of(self, &self->job->tile->cores[core].component);
    const uint64_t *under_way = self->job->loss->under_way[core];
    double code = code_of(&account), noc = (double)under_way[0], dram = (double)under_way[1];
    stage->part[TS_PART_CODE] += code;
    stage->part[TS_PART_NOC] += noc;
    stage->part[TS_PART_DRAM] += dram;
    // The loads of a poll for a transfer are in both: together they are not longer than the core is at work.
    double own = code + noc + dram, most = self->window - (double)account.lost[TS_STALL_IDLE];
    stage->own += own < most ? own : most;
}

// A thread: `peers` are the cycles in which it waits for another stage.
static void add_thread(const struct tile *self, unsigned thread, double peers, double unit,
                       double second, struct ts_stage *stage)
{
    const struct ts_tile *tile = self->job->tile;
    const struct ts_account core = account_of(self, &tile->cores[TS_RV_TRISC0 + thread].component),
                            gate = account_of(self, &tile->front[thread].component);
    double polls = (double)(core.lost[TS_STALL_RV_POLL] + core.lost[TS_STALL_IDLE]);
    double own = self->window - polls - peers - semaphores_of(&gate);
    own = own > 0 ? own : 0;
    // The gate has nothing to do: its core has not sent anything yet.
    double code = (double)gate.lost[TS_STALL_IDLE] - polls;
    code = code > 0 ? code : 0;
    double rest = own - code - unit - second;
    stage->part[TS_PART_CODE] += code;
    stage->part[TS_PART_UNIT] += unit;
    stage->part[TS_PART_SECOND] += second;
    stage->part[TS_PART_ISSUE] += rest > 0 ? rest : 0;
    stage->own += own;
}

static void add_threads(const struct tile *self, struct ts_stage stages[TS_STAGES])
{
    const struct ts_tile *tile = self->job->tile;
    const struct ts_account unpack[2] = {account_of(self, &tile->unpack[0].unit.component),
                                         account_of(self, &tile->unpack[1].unit.component)},
                            gate = account_of(self, &tile->front[1].component),
                            matrix = account_of(self, &tile->matrix.unit.component),
                            vector = account_of(self, &tile->vector.unit.component),
                            pack = account_of(self, &tile->pack.unit.component);
    const struct ts_account *slow = &unpack[unpack[1].busy > unpack[0].busy];
    if (stages[TS_STAGE_UNPACK].used)
        add_thread(self, 0, (double)slow->lost[TS_STALL_SRC_NOT_FREE], (double)slow->busy, 0,
                   &stages[TS_STAGE_UNPACK]);
    if (stages[TS_STAGE_MATH].used)
        add_thread(self, 1, (double)gate.lost[TS_STALL_SRC_NOT_VALID], (double)matrix.busy,
                   (double)vector.busy, &stages[TS_STAGE_MATH]);
    if (stages[TS_STAGE_PACK].used)
        add_thread(self, 2, 0, (double)pack.busy, 0, &stages[TS_STAGE_PACK]);
}

// --- movers ---

// Cycles in which other tiles polled for what this one wrote in the end.
static double awaited(const struct ts_work *work, const struct ts_tile *tile)
{
    double sum = 0;
    for (uint32_t i = 0; i < ts_work_tiles(work); i++)
        if (work->jobs[i].loss && work->jobs[i].tile != tile)
            sum += (double)work->jobs[i].loss->senders[tile->y][tile->x];
    return sum;
}

static void add_movers(const struct tile *self, double weight, double part[TS_PARTS])
{
    static const struct {
        unsigned core, code;
    } movers[] = {{TS_RV_BRISC, TS_PART_CODE}, {TS_RV_NCRISC, TS_PART_SECOND}};
    for (unsigned i = 0; i < 2; i++) {
        const unsigned core = movers[i].core;
        const struct ts_account account = account_of(self, &self->job->tile->cores[core].component);
        const uint64_t *under_way = self->job->loss->under_way[core];
        part[movers[i].code] += weight * code_of(&account);
        part[TS_PART_NOC] += weight * (double)under_way[0];
        part[TS_PART_DRAM] += weight * (double)under_way[1];
    }
}

void ts_stages_movers(double part[TS_PARTS], const struct ts_work *work)
{
    double all = 0, sum = 0;
    for (uint32_t i = 0; i < ts_work_tiles(work); i++)
        all += awaited(work, work->jobs[i].tile);
    memset(part, 0, TS_PARTS * sizeof *part);
    for (uint32_t i = 0; i < ts_work_tiles(work); i++) {
        const struct tile tile = {&work->marks, &work->jobs[i],
                                  (double)ts_marks_cycles(&work->marks)};
        if (tile.job->loss)
            add_movers(&tile, all > 0 ? awaited(work, tile.job->tile) : 1, part);
    }
    for (unsigned i = 0; i < TS_PARTS; i++)
        sum += part[i];
    for (unsigned i = 0; i < TS_PARTS; i++)
        part[i] /= sum > 0 ? sum : 1;
}

// --- all tiles ---

void ts_stages_make(struct ts_stage stages[TS_STAGES], const struct ts_work *work)
{
    static const unsigned movers[] = {TS_RV_BRISC, TS_RV_NCRISC};
    double tiles[TS_STAGES] = {0};
    memset(stages, 0, TS_STAGES * sizeof *stages);
    for (uint32_t i = 0; i < ts_work_tiles(work); i++) {
        const struct tile tile = {&work->marks, &work->jobs[i],
                                  (double)ts_marks_cycles(&work->marks)};
        if (tile.job->loss == NULL)
            continue;
        for (unsigned s = 0; s < TS_STAGES; s++) { // in the order of a program's processors
            stages[s].used = work->program ? work->jobs[i].kernels[s]
                                           : s >= TS_STAGE_UNPACK || work->shares;
            tiles[s] += stages[s].used;
            if (stages[s].used && s < TS_STAGE_UNPACK)
                add_mover(&tile, movers[s], &stages[s]);
        }
        add_threads(&tile, stages);
    }
    for (unsigned s = 0; s < TS_STAGES; s++) {
        double all = tiles[s] * (double)ts_marks_cycles(&work->marks);
        stages[s].used = all > 0;
        for (unsigned p = 0; all > 0 && p < TS_PARTS; p++)
            stages[s].part[p] /= all;
        stages[s].own = all > 0 ? stages[s].own / all : 0;
    }
}
