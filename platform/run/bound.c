// What bounds a run: the largest part of its loss account (loss.h), so that the verdict, the report, sweeps and --why
// give one answer.
#include "platform/chip/chip.h"
#include "platform/run/loss.h"
#include "platform/run/plan/launch.h"
#include "platform/run/verdict.h"

#include <inttypes.h>
#include <string.h>

#define AT_WORK 0.66 // of the cycles: more can be gained from the unit than from all else
#define TAKEN   0.60 // of the run: a link or a DRAM channel is the limit

// By cause, else by the beginning of the object's name.
static const struct {
    const char *cause, *object, *bound;
} groups[] = {
    {"fidelity", NULL, "unit"},
    {"other_unit", NULL, "unit"},
    {"dst_hazard", NULL, "unit"},
    {"throttle", NULL, "throttle"},
    {"code", NULL, "core"},
    {"start_up", NULL, "start-up"},
    {"end", NULL, "end"},
    {"imbalance", NULL, "tiles"},
    {"other_tile", NULL, "tiles"},
    {"noc", NULL, "NoC"},
    {"dram", NULL, "DRAM"},
    {"buffer", NULL, "sync"},
    {"poll", NULL, "sync"},
    {"semaphore_max", NULL, "sync"},
    {"semaphore_zero", NULL, "sync"},
    {"src_not_free", NULL, "math"},
    {NULL, "unpack", "unpack"},
    {NULL, "pack", "pack"},
    {NULL, "matrix", "unit"},
    {NULL, "vector", "unit"},
    {NULL, "src", "unpack"},
    {NULL, "niu", "NoC"},
    {NULL, "", "issue"}, // of the threads: gates, configuration, the scalar unit
};

static const char *bound_of(const struct ts_loss_line *line)
{
    size_t i = 0;
    while (groups[i].cause ? strcmp(groups[i].cause, line->cause) != 0
                           : strncmp(groups[i].object, line->object, strlen(groups[i].object)) != 0)
        i++;
    return groups[i].bound;
}

static int64_t sum_of(const struct ts_loss_account *loss, const char *bound)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < loss->count; i++)
        sum += strcmp(bound_of(&loss->lines[i]), bound) == 0 ? loss->lines[i].cycles : 0;
    return sum;
}

// --- networks ---

// Shares of the run in which the busiest DRAM channel and the busiest link work.
struct traffic {
    double dram, link;
    const char *path; // of the link
};

static struct traffic look_at_traffic(const struct ts_chip *chip, ts_cycle span)
{
    struct traffic self = {.path = ""};
    for (uint32_t i = 0; i < chip->soc.channels; i++) {
        double busy = (double)ts_dram_busy(&chip->dram[i], span) / (double)span;
        self.dram = busy > self.dram ? busy : self.dram;
    }
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        const char *name;
        double most = ts_noc_torus_busiest(&chip->torus, noc, span, &name);
        self.path = most > self.link ? name : self.path;
        self.link = most > self.link ? most : self.link;
    }
    return self;
}

// Data are on their way: which of the networks is the limit, if one is.
static void find_network(struct ts_job_verdict *self, const struct ts_job *job, ts_cycle span)
{
    struct traffic traffic = look_at_traffic(job->spec.chip, span);
    const char *taken = traffic.dram >= TAKEN ? "DRAM" : traffic.link >= TAKEN ? "NoC" : NULL;
    size_t used = strlen(self->evidence);
    self->bound_by = taken ? taken : self->bound_by;
    snprintf(
        self->evidence + used, sizeof self->evidence - used,
        "; in the whole run the busiest link (%s) is busy in %.1f %%, the busiest DRAM channel "
        "in %.1f %%%s",
        traffic.path, 100 * traffic.link, 100 * traffic.dram,
        taken ? "" : ": the time of each transfer counts, not the bandwidth");
}

// --- the bound ---

static void find_loss(struct ts_job_verdict *self, double works)
{
    const struct ts_loss_account *loss = self->loss;
    const struct ts_loss_line *most = NULL;
    int64_t largest = 0;
    for (uint32_t i = 0; i < loss->count; i++) {
        const char *bound = bound_of(&loss->lines[i]);
        int64_t sum = strcmp(bound, "unit") == 0 ? 0 : sum_of(loss, bound);
        if (sum > largest) { // lines are sorted: the first of its kind is its largest
            largest = sum;
            most = &loss->lines[i];
        }
    }
    if (most == NULL) {
        self->bound_by = "unit";
        snprintf(self->evidence, sizeof self->evidence,
                 "%s works in %.1f %% of the %" PRIu64 " cycles", loss->unit, 100 * works,
                 loss->wall);
        return;
    }
    double all = (double)loss->all;
    self->bound_by = bound_of(most);
    int used = snprintf(self->evidence, sizeof self->evidence,
                        "%s in %.1f %% of the %" PRIu64 " cycles", most->text,
                        100 * (double)most->cycles / all, loss->wall);
    if (largest - most->cycles > loss->all / 200 && used > 0 &&
        (size_t)used < sizeof self->evidence)
        snprintf(self->evidence + used, sizeof self->evidence - (size_t)used,
                 "; %s in all: %.1f %%", self->bound_by, 100 * (double)largest / all);
}

void ts_verdict_bound(struct ts_job_verdict *self, const struct ts_job *job,
                      const struct ts_run *run)
{
    const struct ts_loss_account *loss = self->loss;
    if (loss == NULL || loss->all == 0) {
        self->bound_by = "unknown";
        snprintf(self->evidence, sizeof self->evidence, "there is no account of its cycles");
        return;
    }
    const bool moves = strcmp(loss->unit, "noc_ports") == 0;
    const char *does = moves                                ? "NoC"
                       : strcmp(loss->unit, "pack") == 0    ? "pack"
                       : strcmp(loss->unit, "unpack0") == 0 ? "unpack"
                                                            : "unit";
    double works = (double)(loss->reached + sum_of(loss, "unit")) / (double)loss->all;
    if (works >= AT_WORK) {
        self->bound_by = does;
        snprintf(self->evidence, sizeof self->evidence,
                 "%s %s in %.1f %% of the %" PRIu64 " cycles",
                 moves                       ? "the NoC ports"
                 : strcmp(does, "unit") == 0 ? "the unit that computes"
                                             : loss->unit,
                 moves ? "move data" : "works", 100 * works, loss->wall);
    } else {
        find_loss(self, works);
    }
    bool network = strcmp(self->bound_by, "NoC") == 0 || strcmp(self->bound_by, "DRAM") == 0;
    if (job->spec.chip && (network || moves))
        find_network(self, job, run->cycle);
}
