// Power of a run as a ratio (power.h).
#include "platform/run/power.h"

#include "platform/run/plan/plan.h"
#include "platform/run/work.h"

static double busy(const struct ts_work *work, const struct ts_component *component)
{
    return (double)ts_marks_account(&work->marks, component).busy;
}

// The mean over all links between routers and to tiles, and over all DRAM channels.
static void networks(const struct ts_work *work, struct ts_power_shares *shares)
{
    const struct ts_noc_torus *torus = &work->chip.torus;
    const uint32_t sites = (uint32_t)torus->fabric.width * torus->fabric.height;
    double sum = 0;
    for (uint32_t i = 0; i < sites; i++)
        for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
            const struct ts_noc_site *site = &torus->sites[i];
            sum += ts_marks_busy(&work->marks, &site->x[noc].trains.object) +
                   ts_marks_busy(&work->marks, &site->y[noc].trains.object);
        }
    shares->of[TS_POWER_NOC] = sites ? sum / (2.0 * TS_NOC_COUNT * sites) : 0;
}

// After the run, over its window and all tiles of the chip: those that the run does not use are idle.
static void work_shares(const struct ts_work *work, struct ts_power_shares *shares)
{
    const uint32_t on_chip = work->plan->soc.tiles ? work->plan->soc.tiles : work->made;
    const double all = (double)ts_marks_cycles(&work->marks) * on_chip;
    *shares = (struct ts_power_shares){0};
    if (all <= 0)
        return;
    for (uint32_t i = 0; i < ts_work_tiles(work); i++) {
        const struct ts_tile *tile = work->jobs[i].tile;
        shares->of[TS_POWER_MATRIX] += (double)work->results[i].mvmuls / all;
        shares->of[TS_POWER_VECTOR] += busy(work, &tile->vector.unit.component) / all;
        shares->of[TS_POWER_PACK] += busy(work, &tile->pack.unit.component) / all;
        for (unsigned u = 0; u < 2; u++)
            shares->of[TS_POWER_UNPACK] += busy(work, &tile->unpack[u].unit.component) / (2 * all);
        for (unsigned c = 0; c < TS_RV_CORES; c++)
            shares->of[TS_POWER_CORES] += busy(work, &tile->cores[c].component) /
                                          (TS_RV_CORES * all);
    }
    if (work->shares)
        networks(work, shares);
    for (unsigned i = 0; i < TS_POWER_UNIT_COUNT; i++)
        shares->of[i] = shares->of[i] < 1 ? shares->of[i] : 1;
}

static bool power_of(const struct ts_work *work, struct ts_power *power,
                     struct ts_power_shares *shares, struct ts_power_ratio *ratio)
{
    struct ts_card card;
    struct ts_error error = {0};
    if (!ts_power_read(power, NULL, &error) || !ts_card_find("p150a", &card))
        return false;
    work_shares(work, shares);
    *ratio = ts_power_of(power, &card, shares, work->verdict.clock_mhz);
    return true;
}

bool ts_work_power(const struct ts_work *work, struct ts_power_ratio *ratio)
{
    struct ts_power power;
    struct ts_power_shares shares;
    return power_of(work, &power, &shares, ratio);
}

void ts_work_power_json(const struct ts_work *work, json_t *document)
{
    static const char *const names[] = {"matrix", "vector", "unpack", "pack",
                                        "cores",  "noc",    "dram"};
    struct ts_power power;
    struct ts_power_shares shares;
    struct ts_power_ratio ratio;
    if (!power_of(work, &power, &shares, &ratio))
        return;
    ts_power_json(&power, &ratio, (double)work->verdict.cycles / work->verdict.clock_mhz, document);
    json_t *to = json_object();
    for (unsigned i = 0; i < TS_POWER_UNIT_COUNT; i++)
        if (i != TS_POWER_DRAM)
            json_object_set_new(to, names[i], json_real(shares.of[i]));
    json_object_set_new(document, "power_shares", to);
}
