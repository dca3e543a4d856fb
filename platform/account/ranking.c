// The tiles of a run against each other: the slowest, the median and the fastest, why the slowest is behind, and whether the
// cores have different amounts of work (verdict.h).
//
// A tile's cycles are those up to the end of its last kernel. Why: the cause of the loss account (loss.h) that has most more
// cycles in the slowest tile than in the median one; or more work. A block of work is the greatest common divisor of what
// the packers of the cores wrote.
#include "platform/account/account.h"
#include "platform/base/json.h"

#include <inttypes.h>

#define RANKED 3
#define BEHIND 0.5 // percent: less is no reason to look for a cause
#define GROUPS 4   // of cores with the same work; more are a range
#define BLOCKS 256 // of a core: more are not countable

// --- why the slowest is behind ---

static int64_t cycles_of(const struct ts_loss_account *account, const struct ts_loss_line *line)
{
    for (uint32_t i = 0; account && i < account->count; i++)
        if (account->lines[i].cause == line->cause &&
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

static void find_cause(json_t *self, const struct ts_work *work, uint32_t slow, uint32_t median)
{
    struct ts_loss_account *a = ts_loss_account_tile(work, slow),
                           *b = ts_loss_account_tile(work, median);
    int64_t most = a && b ? a->reached - b->reached : 0;
    const struct ts_loss_line *cause = NULL;
    for (uint32_t i = 0; a && i < a->count; i++) {
        const struct ts_loss_line *line = &a->lines[i];
        int64_t more = line->cycles - cycles_of(b, line);
        if (more <= most || line->cause == TS_LOSS_IMBALANCE)
            continue;
        most = more;
        cause = line;
    }
    const int channel = cause && cause->resource == TS_RESOURCE_DRAM
                            ? channel_of(work->jobs[slow].loss)
                            : -1;
    char dram[32] = "";
    if (channel >= 0)
        snprintf(dram, sizeof dram, ", DRAM channel %d", channel);
    if (cause)
        json_object_set_new(self, "cause",
                            json_sprintf("%s%s (%" PRId64 " cycles more than the median)",
                                         cause->text, dram, most));
    else if (most > 0)
        json_object_set_new(
            self, "cause",
            json_sprintf("it has more to compute (%" PRId64 " cycles more than the median)", most));
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
    return TS_COMPARE(b, a);
}

// work: of each tile, the most first.
static void find_work(json_t *self, const uint64_t *work, uint32_t tiles)
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
    char text[160];
    const size_t size = sizeof text;
    if (other || work[0] / block > BLOCKS) {
        json_object_set_new(
            self, "work",
            json_sprintf("the work of the %u cores differs: the least has %.1f %% of the most",
                         tiles, 100 * (double)work[tiles - 1] / (double)work[0]));
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
    json_object_set_new(self, "work", json_string(text));
}

// --- all tiles ---

ts_cycle ts_ranking_cycles(const struct ts_work *work, uint32_t tile)
{
    if (work->program == NULL)
        return work->results[tile].loop;
    const ts_cycle last = work->jobs[tile].ended;
    return last > work->first ? last - work->first : 0;
}

struct tile {
    uint32_t index;
    ts_cycle cycles;
};

static int slower(const void *left, const void *right)
{
    const struct tile *a = left, *b = right;
    return TS_COMPARE(b->cycles, a->cycles) ?: TS_COMPARE(a->index, b->index);
}

json_t *ts_ranking_json(const struct ts_work *work)
{
    static const char *const names[RANKED] = {"slowest", "median", "fastest"};
    const uint32_t all = ts_work_tiles(work);
    struct tile *tiles = calloc(all, sizeof *tiles);
    uint64_t *amounts = calloc(all, sizeof *amounts);
    uint32_t count = 0;
    json_t *self = NULL;
    for (uint32_t i = 0; tiles && amounts && i < all; i++) {
        amounts[i] = work->jobs[i].tile->pack.bytes;
        const ts_cycle cycles = ts_ranking_cycles(work, i);
        if (cycles) // a core without a kernel has none
            tiles[count++] = (struct tile){i, cycles};
    }
    if (count > 1) {
        self = json_object();
        qsort(tiles, count, sizeof *tiles, slower);
        qsort(amounts, all, sizeof *amounts, more_work);
        const struct tile *const of[RANKED] = {&tiles[0], &tiles[count / 2], &tiles[count - 1]};
        double behind = 0;
        for (unsigned r = RANKED; r-- > 0;) {
            const struct ts_tile *tile = work->jobs[of[r]->index].tile;
            behind = 100 * ((double)of[r]->cycles / (double)of[1]->cycles - 1);
            ts_json_put(self, names[r], "{s:o, s:I, s:f}", "tile",
                        json_sprintf("%u-%u", tile->x, tile->y), "cycles",
                        (json_int_t)of[r]->cycles, "behind_percent", behind);
        }
        if (behind >= BEHIND)
            find_cause(self, work, of[0]->index, of[1]->index);
        find_work(self, amounts, all);
    }
    free(tiles);
    free(amounts);
    return self;
}
