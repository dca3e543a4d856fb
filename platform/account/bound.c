// What bounds a run, in this order: the nearest roof (roofs.h) if it is near, a unit or a network; the slowest stage
// (stages.h). If there is none of these, the resource that most chains of waits of the loss account (loss.h) end at.
#include "platform/account/account.h"
#include "platform/tile/names.h"

#include <inttypes.h>

#define AT_WORK 0.66 // of the cycles: more can be gained from the unit than from all else
#define PHASE   0.15 // of the cycles: a phase of its own
#define GAPS    0.15 // of the cycles: a unit that is occupied so much longer than it computes
#define OWN     0.80 // of the cycles: a stage that hardly waits for the others
#define TURNS   0.50 // of the largest part: a second one that counts as well
#define LEAST   0.25 // of the cycles: a resource that is named
#define NEARLY  0.90 // of the transfers: all of them
#define MOST    0.66 // of the code of all cores: one core has it

// Does the unit, or the other one of its thread, have the cycles?
static bool of_unit(const struct ts_loss_line *line)
{
    const bool math = line->resource == TS_RESOURCE_MATRIX || line->resource == TS_RESOURCE_VECTOR;
    return line->cause == TS_LOSS_FIDELITY || line->cause == TS_LOSS_OTHER_UNIT ||
           line->cause == (enum ts_loss_cause)TS_STALL_DST_HAZARD ||
           (line->cause == (enum ts_loss_cause)TS_STALL_UNIT_BUSY && math);
}

// --- networks ---

struct ts_network_use ts_network_use_of(const struct ts_work *work)
{
    const struct ts_marks *marks = &work->marks;
    const struct ts_chip *chip = &work->chip;
    const double mhz = work->jobs[0].tile->config.clock_mhz,
                 cycles = (double)ts_marks_cycles(marks);
    struct ts_network_use self = {.path = ""};
    for (uint32_t i = 0; i < chip->soc.channels; i++) {
        const struct ts_dram *dram = &chip->dram[i];
        double busy = ts_marks_busy(marks, &dram->object);
        self.channel = busy > self.dram ? i : self.channel;
        self.dram = busy > self.dram ? busy : self.dram;
        self.dram_rate += (double)(dram->bytes_read + dram->bytes_written) / cycles * mhz / 1e3;
        self.dram_peak += (double)dram->parts * (double)dram->rate / 1e3 * mhz / 1e3;
    }
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        const char *name;
        double most = ts_marks_busiest(marks, &chip->torus, noc, &name);
        self.path = most > self.link ? name : self.path;
        self.link = most > self.link ? most : self.link;
    }
    for (uint32_t i = 0; i < TS_CHIP_ETH; i++) {
        const struct ts_tile *tile = chip->eth[i];
        const double busy = tile && tile->eth->other
                                ? ts_marks_busy(marks, &tile->eth->frames.object)
                                : 0;
        if (busy <= self.eth)
            continue;
        self.eth = busy < 1 ? busy : 1;
        self.eth_channel = i;
        self.eth_rate = (double)tile->eth->bytes_out / cycles * mhz / 1e3;
        self.eth_peak = (double)chip->torus.fabric.eth.rate / 8e3;
    }
    return self;
}

// --- the bound ---

struct bound {
    struct ts_job_verdict *to;
    const struct ts_work *work;
    const struct ts_loss_account *loss;
    ts_cycle cycles;
};

__attribute__((format(printf, 4, 5))) static void tell(const struct bound *self, const char *kind,
                                                       const char *object, const char *format, ...)
{
    struct ts_job_verdict *to = self->to;
    TS_VSNPRINTF(to->evidence, sizeof to->evidence, format);
    to->bound_by = kind;
    snprintf(to->bound_object, sizeof to->bound_object, "%s", object);
}

// The matrix unit and the vector unit have the thread in turn.
static bool find_phases(const struct bound *self, double works)
{
    const struct ts_tile *tile = self->work->jobs[0].tile;
    double all = (double)self->cycles;
    double matrix = (double)ts_marks_account(&self->work->marks, &tile->matrix.unit.component).busy,
           vector = (double)ts_marks_account(&self->work->marks, &tile->vector.unit.component).busy;
    if (works < AT_WORK || matrix < PHASE * all || vector < PHASE * all)
        return false;
    tell(self, "unit", "matrix and vector",
         "the units work in turn: the matrix unit in %.1f %% of the %" PRIu64
         " cycles, the vector unit in %.1f %%",
         100 * matrix / all, self->cycles, 100 * vector / all);
    return true;
}

// The math thread has its instructions, which its roof does not count as computing: gaps between them, loads and stores.
static bool find_gaps(const struct bound *self, double works)
{
    double computes = 0;
    for (unsigned i = 0; i < self->to->roof_count; i++)
        if (self->to->roofs[i].of == self->loss->unit)
            computes = self->to->roofs[i].share;
    if (computes == 0 || computes >= works - GAPS)
        return false;
    tell(self, "unit", ts_loss_unit_name(self->loss),
         "the math thread issues its instructions or waits for it in %.1f %% of the %" PRIu64
         " cycles; in %.1f %% it computes, which is what its roof counts",
         100 * works, self->cycles, 100 * computes);
    return true;
}

static bool find_unit(const struct bound *self, double works)
{
    const enum ts_resource unit = self->loss->unit;
    if (works < AT_WORK)
        return false;
    if (find_gaps(self, works))
        return true;
    tell(self,
         unit == TS_RESOURCE_PACK     ? "pack"
         : unit == TS_RESOURCE_UNPACK ? "unpack"
                                      : "unit",
         ts_loss_unit_name(self->loss), "it works in %.1f %% of the %" PRIu64 " cycles",
         100 * works, self->cycles);
    return true;
}

// A network that is busy all the time is the limit, whichever component waits for it, unless the unit works even more.
static bool find_network(const struct bound *self, double works)
{
    if (self->work->jobs[0].chip == NULL)
        return false;
    struct ts_network_use use = ts_network_use_of(self->work);
    if (works >= AT_WORK && works >= use.dram && works >= use.link && works >= use.eth)
        return false;
    if (use.eth >= TS_NEAR && use.eth >= use.dram && use.eth >= use.link)
        tell(self, "link", "Ethernet",
             "the busiest link, that of eth%u, works in %.1f %% of the %" PRIu64 " cycles",
             use.eth_channel, 100 * use.eth, self->cycles);
    else if (use.dram >= TS_NEAR && use.dram >= use.link)
        tell(self, "DRAM", "DRAM",
             "%.0f of %.0f GB/s; channel %u, the busiest, works in %.1f %% of the %" PRIu64
             " cycles",
             use.dram_rate, use.dram_peak, use.channel, 100 * use.dram, self->cycles);
    else if (use.link >= TS_NEAR)
        tell(self, "NoC", "NoC", "the busiest link (%s) works in %.1f %% of the %" PRIu64 " cycles",
             use.path, 100 * use.link, self->cycles);
    return use.dram >= TS_NEAR || use.link >= TS_NEAR || use.eth >= TS_NEAR;
}

// A part of a stage's own time: what it is called, and what is said of it.
struct part {
    const char *kind, *object, *text;
    double share;
};

static struct part part_of(const struct ts_stage *stages, unsigned s, unsigned part)
{
    static const char *const units[TS_STAGES] = {"", "", "unpack", "matrix", "pack"};
    static const char *const kinds[TS_STAGES] = {"", "", "unpack", "unit", "pack"};
    static const char transfers[] = "it waits for them: the time of each counts, not the bandwidth";
    const struct part parts[TS_PARTS] = {
        [TS_PART_DRAM] = {"DRAM", "DRAM transfers", transfers, 0},
        [TS_PART_NOC] = {"NoC", "NoC transfers", transfers, 0},
        [TS_PART_CODE] = {"core", ts_processor_name[s], "its core runs instructions", 0},
        [TS_PART_UNIT] = {kinds[s], units[s], "its unit works", 0},
        [TS_PART_SECOND] = {"unit", "vector", "the vector unit works", 0},
        [TS_PART_ISSUE] = {"issue", units[s],
                           "its thread issues other instructions or waits for its unit", 0},
    };
    struct part made = parts[part];
    made.share = stages[s].part[part];
    return made;
}

// One stage hardly waits for the others: what it does with its time, two things if they take turns.
static bool find_stage(const struct bound *self)
{
    struct ts_stage stages[TS_STAGES];
    struct part first = {0}, second = {0};
    unsigned s = 0;
    ts_stages_make(stages, self->work);
    for (unsigned i = 1; i < TS_STAGES; i++)
        s = stages[i].own > stages[s].own ? i : s;
    if (stages[s].own < OWN)
        return false;
    for (unsigned i = 0; i < TS_PARTS; i++) {
        struct part part = part_of(stages, s, i);
        if (part.share > first.share) {
            second = first;
            first = part;
        } else if (part.share > second.share)
            second = part;
    }
    char object[sizeof self->to->bound_object], turn[120] = "";
    snprintf(object, sizeof object, "%s", first.object);
    // A mover's core runs the loop that waits for its transfers: that is no turn.
    if (s >= TS_STAGE_UNPACK && second.share > TURNS * first.share &&
        strcmp(first.object, second.object) != 0) {
        snprintf(object, sizeof object, "%s and %s", first.object, second.object);
        snprintf(turn, sizeof turn, ", in %.1f %% %s", 100 * second.share, second.text);
    }
    tell(self, first.kind, object,
         "%s is the slowest stage, with %.1f %% of the %" PRIu64
         " cycles of its own; in %.1f %% %s%s",
         ts_processor_thread[s], 100 * stages[s].own, self->cycles, 100 * first.share, first.text,
         turn);
    return true;
}

static bool find_throttle(const struct bound *self)
{
    const struct ts_loss_line *most = self->loss->lines;
    if (self->loss->count == 0 || most->cause != TS_LOSS_THROTTLE)
        return false;
    tell(self, "throttle", "the throttle", "NOPs in %.1f %% of the %" PRIu64 " cycles",
         100 * (double)most->cycles / (double)self->loss->all, self->cycles);
    return true;
}

// --- no part works nearly all the time ---

// What of the account ends at resources that can be made faster together.
struct group {
    const char *kind, *object;
    double share; // of the cycles of tiles that have work
};

enum { MATRIX, VECTOR, UNPACK, PACK, CODE, LATENCY, GROUPS };

// The account by resource; what ends at data movement elsewhere is divided as the movers divide their own time.
static void sum_resources(const struct bound *self, double sums[TS_RESOURCES])
{
    const struct ts_loss_account *loss = self->loss;
    double part[TS_PARTS];
    for (uint32_t i = 0; i < loss->count; i++)
        sums[loss->lines[i].resource] += (double)loss->lines[i].cycles;
    sums[loss->unit] += (double)loss->reached;
    ts_stages_movers(part, self->work);
    const double elsewhere = sums[TS_RESOURCE_MOVERS];
    sums[TS_RESOURCE_CORE + TS_RV_BRISC] += elsewhere * part[TS_PART_CODE];
    sums[TS_RESOURCE_CORE + TS_RV_NCRISC] += elsewhere * part[TS_PART_SECOND];
    sums[TS_RESOURCE_NOC] += elsewhere * part[TS_PART_NOC];
    sums[TS_RESOURCE_DRAM] += elsewhere * part[TS_PART_DRAM];
    const double with_work = (double)loss->all - sums[TS_RESOURCE_NO_WORK];
    for (unsigned i = 0; i < TS_RESOURCES; i++)
        sums[i] /= with_work;
}

// Code of one core, if it is the most of all code.
static const char *name_code(const double sums[TS_RESOURCES], double *all)
{
    const double *cores = &sums[TS_RESOURCE_CORE];
    unsigned most = 0;
    *all = 0;
    for (unsigned i = 0; i < TS_RV_CORES; i++) {
        *all += cores[i];
        most = cores[i] > cores[most] ? i : most;
    }
    return cores[most] > MOST * *all ? ts_rv_core_names[most] : "RISC-V code";
}

static const char *idle_cores(const struct ts_loss_account *loss)
{
    for (uint32_t i = 0; i < loss->count; i++)
        if (loss->lines[i].alone)
            return loss->lines[i].text;
    return NULL;
}

// None has a share that counts: the largest cause of the account.
static void find_cause(const struct bound *self)
{
    const struct ts_loss_line *most = self->loss->lines;
    tell(self, "several", "no single resource",
         "the largest cause is \"%s\", %.1f %% of the %" PRIu64
         " cycles; --why tells what removing it gains",
         self->loss->count ? most->text : "",
         self->loss->count ? 100 * (double)most->cycles / (double)self->loss->all : 0,
         self->cycles);
}

// The resource at which most chains of waits end, start-up and end included, and a second one if it has half as much.
static void find_resource(const struct bound *self)
{
    double sums[TS_RESOURCES] = {0}, code;
    sum_resources(self, sums);
    const char *cores = name_code(sums, &code), *idle = idle_cores(self->loss);
    const double dram = sums[TS_RESOURCE_DRAM], latency = sums[TS_RESOURCE_NOC] + dram;
    const bool all_dram = dram > NEARLY * latency;
    const struct group groups[GROUPS] = {
        [MATRIX] = {"unit", "matrix", sums[TS_RESOURCE_MATRIX]},
        [VECTOR] = {"unit", "vector", sums[TS_RESOURCE_VECTOR]},
        [UNPACK] = {"unpack", "unpack", sums[TS_RESOURCE_UNPACK]},
        [PACK] = {"pack", "pack", sums[TS_RESOURCE_PACK]},
        [CODE] = {"core", cores, code},
        [LATENCY] = {all_dram ? "DRAM" : "NoC", all_dram ? "DRAM transfers" : "NoC latency",
                     latency},
    };
    struct group first = groups[0], second = {0};
    for (unsigned i = 1; i < GROUPS; i++)
        if (groups[i].share > first.share) {
            second = first;
            first = groups[i];
        } else if (groups[i].share > second.share)
            second = groups[i];
    if (first.share < LEAST) {
        find_cause(self);
        return;
    }
    char object[sizeof self->to->bound_object], also[80] = "", network[80] = "", rest[256] = "";
    snprintf(object, sizeof object, "%s", first.object);
    const bool turn = second.share > TURNS * first.share;
    if (turn) {
        snprintf(object, sizeof object, "%s and %s", first.object, second.object);
        snprintf(also, sizeof also, " and in %.1f %% by %s", 100 * second.share, second.object);
    }
    if (latency == first.share || (turn && latency == second.share))
        snprintf(network, sizeof network,
                 "; the time of each transfer counts, not the bandwidth (to or from DRAM: %.1f %%)",
                 100 * dram);
    if (idle)
        snprintf(rest, sizeof rest, "; %s: use fewer cores, or give each a smaller part", idle);
    tell(self, first.kind, object,
         "nothing works nearly all the time; the pace is set in %.1f %% of the %" PRIu64
         " cycles by %s%s%s%s",
         100 * first.share, self->cycles, first.object, also, network, rest);
}

void ts_verdict_bound(struct ts_job_verdict *self, const struct ts_work *work)
{
    const struct bound bound = {self, work, work->loss, self->window};
    const struct ts_loss_account *loss = work->loss;
    if (loss == NULL || loss->all == 0) {
        tell(&bound, "unknown", "what is not known", "there is no account of its cycles");
        return;
    }
    int64_t units = loss->reached;
    for (uint32_t i = 0; i < loss->count; i++)
        units += of_unit(&loss->lines[i]) ? loss->lines[i].cycles : 0;
    // A port that has a transfer under way need not be busy: its links say how much it works.
    double works = loss->unit == TS_RESOURCE_NOC ? 0 : (double)units / (double)loss->all;
    if (!find_throttle(&bound) && !find_phases(&bound, works) && !find_network(&bound, works) &&
        !find_unit(&bound, works) && !find_stage(&bound))
        find_resource(&bound);
}
