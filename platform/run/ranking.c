#include "platform/run/ranking.h"

#include "platform/run/loss.h"
#include "platform/run/plan/launch.h"
#include "platform/run/work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BEHIND 0.5 // percent: less is no reason to look for a cause
#define GROUPS 4   // of cores with the same work; more are a range
#define BLOCKS 256 // of a core: more are not countable

// --- why the slowest is behind ---

static int64_t cycles_of(const struct ts_loss_account *account, const struct ts_loss_line *line)
{
    for (uint32_t i = 0; account && i < account->count; i++)
        if (strcmp(account->lines[i].cause, line->cause) == 0 &&
            strcmp(account->lines[i].object, line->object) == 0)
            return account->lines[i].cycles;
    return 0;
}

// The DRAM channel that a tile waits for most, if it is more than half of its waits.
static int channel_of(const struct ts_loss *loss)
{
    uint64_t all = 0;
    unsigned most = 0;
    for (unsigned c = 0; c < TS_SOC_CHANNELS; c++) {
        all += loss->channel[c];
        most = loss->channel[c] > loss->channel[most] ? c : most;
    }
    return 2 * loss->channel[most] > all ? (int)most : -1;
}

static void find_cause(struct ts_ranking *self, const struct ts_work *work, uint32_t slow,
                       uint32_t median)
{
    struct ts_loss_account *a = ts_loss_account_tile(work, slow),
                           *b = ts_loss_account_tile(work, median);
    int64_t most = a && b ? a->reached - b->reached : 0;
    const struct ts_loss_line *cause = NULL;
    for (uint32_t i = 0; a && i < a->count; i++) {
        const struct ts_loss_line *line = &a->lines[i];
        int64_t more = line->cycles - cycles_of(b, line);
        if (more <= most || strcmp(line->cause, "imbalance") == 0)
            continue;
        most = more;
        cause = line;
    }
    const int channel = cause && strstr(cause->text, "DRAM ") ? channel_of(work->jobs[slow].loss)
                                                              : -1;
    char dram[32] = "";
    if (channel >= 0)
        snprintf(dram, sizeof dram, ", DRAM channel %d", channel);
    if (cause)
        snprintf(self->cause, sizeof self->cause, "%s%s (%" PRId64 " cycles more than the median)",
                 cause->text, dram, most);
    else if (most > 0)
        snprintf(self->cause, sizeof self->cause,
                 "it has more to compute (%" PRId64 " cycles more than the median)", most);
    ts_loss_account_free(a);
    ts_loss_account_free(b);
}

// --- work ---

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int more_work(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a < b) - (a > b);
}

// work: of each tile, the most first.
static void find_work(struct ts_ranking *self, const uint64_t *work, uint32_t tiles)
{
    uint64_t amount[GROUPS], block = 0;
    uint32_t count[GROUPS], groups = 0, other = 0;
    for (uint32_t i = 0; i < tiles; i++) {
        block = divisor(block, work[i]);
        if (groups && amount[groups - 1] == work[i]) {
            count[groups - 1]++;
        } else if (groups < GROUPS) {
            amount[groups] = work[i];
            count[groups++] = 1;
        } else {
            other++;
        }
    }
    if (groups < 2 || block == 0)
        return;
    char *text = self->work;
    const size_t size = sizeof self->work;
    if (other || work[0] / block > BLOCKS) {
        snprintf(text, size, "the work of the %u cores differs: the least has %.1f %% of the most",
                 tiles, 100 * (double)work[tiles - 1] / (double)work[0]);
        return;
    }
    int used = snprintf(text, size, "%u of %u cores have %" PRIu64 " block%s of work", count[0],
                        tiles, amount[0] / block, amount[0] == block ? "" : "s");
    for (uint32_t g = 1; g < groups && used > 0 && (size_t)used < size; g++) {
        char how_many[16] = "none";
        if (amount[g])
            snprintf(how_many, sizeof how_many, "%" PRIu64, amount[g] / block);
        used += g + 1 < groups
                    ? snprintf(text + used, size - (size_t)used, ", %u have %s", count[g], how_many)
                    : snprintf(text + used, size - (size_t)used, ", the others %s", how_many);
    }
}

// --- all tiles ---

ts_cycle ts_ranking_cycles(const struct ts_work *work, uint32_t tile)
{
    if (work->program == NULL)
        return work->results[tile].loop;
    const struct ts_launch_core *core = &work->program->cores[tile];
    ts_cycle last = work->program->first;
    for (size_t e = 0; e < core->event_count; e++)
        if (core->events[e].id == TS_ZONE_WHOLE && core->events[e].cycle > last)
            last = core->events[e].cycle;
    return last - work->program->first;
}

struct tile {
    uint32_t index;
    ts_cycle cycles;
};

static int slower(const void *left, const void *right)
{
    const struct tile *a = left, *b = right;
    if (a->cycles != b->cycles)
        return a->cycles > b->cycles ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void ts_ranking_make(struct ts_ranking *self, const struct ts_work *work)
{
    const uint32_t all = ts_work_tiles(work);
    struct tile *tiles = calloc(all, sizeof *tiles);
    uint64_t *amounts = calloc(all, sizeof *amounts);
    memset(self, 0, sizeof *self);
    for (uint32_t i = 0; tiles && amounts && i < all; i++) {
        amounts[i] = work->jobs[i].tile->pack.bytes;
        const ts_cycle cycles = ts_ranking_cycles(work, i);
        if (cycles) // a core without a kernel has none
            tiles[self->tiles++] = (struct tile){i, cycles};
    }
    if (self->tiles > 1) {
        qsort(tiles, self->tiles, sizeof *tiles, slower);
        qsort(amounts, all, sizeof *amounts, more_work);
        const struct tile *const of[TS_RANKED] = {&tiles[0], &tiles[self->tiles / 2],
                                                  &tiles[self->tiles - 1]};
        for (unsigned r = 0; r < TS_RANKED; r++) {
            const struct ts_tile *tile = work->jobs[of[r]->index].tile;
            snprintf(self->at[r].name, sizeof self->at[r].name, "%u-%u", tile->x, tile->y);
            self->at[r].cycles = of[r]->cycles;
            self->at[r].behind = 100 * ((double)of[r]->cycles / (double)of[TS_MEDIAN]->cycles - 1);
        }
        if (self->at[TS_SLOWEST].behind >= BEHIND)
            find_cause(self, work, of[TS_SLOWEST]->index, of[TS_MEDIAN]->index);
        find_work(self, amounts, all);
    }
    free(tiles);
    free(amounts);
}

void ts_ranking_print(const struct ts_ranking *self, FILE *file)
{
    if (self->tiles < 2)
        return;
    fprintf(file, "  slowest tile: %s, %.1f %% behind the median%s%s\n", self->at[TS_SLOWEST].name,
            self->at[TS_SLOWEST].behind, *self->cause ? ": " : "", self->cause);
    fprintf(file, "  median: %s, %" PRIu64 " cycles; fastest: %s, %.1f %% ahead\n",
            self->at[TS_MEDIAN].name, self->at[TS_MEDIAN].cycles, self->at[TS_FASTEST].name,
            0 - self->at[TS_FASTEST].behind);
    if (*self->work)
        fprintf(file, "  imbalance: %s\n", self->work);
}

json_t *ts_ranking_json(const struct ts_ranking *self)
{
    static const char *const names[TS_RANKED] = {"slowest", "median", "fastest"};
    if (self->tiles < 2)
        return NULL;
    json_t *row = json_object();
    for (unsigned r = 0; r < TS_RANKED; r++)
        json_object_set_new(row, names[r],
                            json_pack("{s:s, s:I, s:f}", "tile", self->at[r].name, "cycles",
                                      (json_int_t)self->at[r].cycles, "behind_percent",
                                      self->at[r].behind));
    if (*self->cause)
        json_object_set_new(row, "cause", json_string(self->cause));
    if (*self->work)
        json_object_set_new(row, "work", json_string(self->work));
    return row;
}
