// How far to trust a run: the errors against cards of the families of measurements that it exercises, and what was not the
// vendor's code (verdict.h).
//
//   tensim silicon --write=readme --> table of platform/study/silicon/README.md --> generated/trust_errors.def (CMakeLists.txt)
//   config/trust.def: the family of each use of the machine ----------------> `trust` of the document
#include "platform/base/json.h"
#include "platform/run/plan/launch.h"

// What a run uses of the machine; TILE: a kernel on tiles without networks, MATMUL: over several tiles.
enum ts_use {
    TS_USE_TILE,
    TS_USE_CHIP,
    TS_USE_MATMUL,
    TS_USE_VECTOR,
    TS_USE_NOC,
    TS_USE_DRAM,
    TS_USES
};

#define USED 0.005 // of a resource: less is the start of the kernels

// The table's families. One that config/trust.def misspells is not declared.
enum {
#define TS_TRUST_ERROR(name, ...) FAMILY_##name,
#include "trust_errors.def"
#undef TS_TRUST_ERROR
};

static const struct family {
    const char *name, *title;
    int rows;
    double median, p90; // percent
} families[] = {
#define TS_TRUST_ERROR(name, ...) {#name, __VA_ARGS__},
#include "trust_errors.def"
#undef TS_TRUST_ERROR
};

static const struct {
    int family;
    enum ts_use use;
} uses[] = {
#define TS_TRUST(family, use) {FAMILY_##family, TS_USE_##use},
#include "config/trust.def"
};

#define USES (sizeof uses / sizeof *uses)

static bool is_used(const struct ts_job_verdict *verdict, enum ts_resource of)
{
    bool used = false;
    for (unsigned i = 0; i < verdict->roof_count; i++)
        used |= verdict->roofs[i].of == of && verdict->roofs[i].share > USED;
    return used;
}

json_t *ts_trust_json(const struct ts_job_verdict *verdict, const struct ts_work *work)
{
    const bool chip = work->jobs[0].chip != NULL, vector = is_used(verdict, TS_RESOURCE_VECTOR),
               vendor = work->program && work->program->plan->metal;
    const bool used[TS_USES] = {[TS_USE_TILE] = !chip,
                                [TS_USE_CHIP] = chip,
                                [TS_USE_MATMUL] = chip && work->made > 1 && work->result.mvmuls > 0,
                                [TS_USE_VECTOR] = vector,
                                [TS_USE_NOC] = is_used(verdict, TS_RESOURCE_NOC),
                                [TS_USE_DRAM] = is_used(verdict, TS_RESOURCE_DRAM)};
    json_t *rows = json_array(), *own = json_array();
    for (size_t i = 0; i < USES; i++) {
        const struct family *family = &families[uses[i].family];
        if (used[uses[i].use] && work->plan->soc.machine == ts_machines) // the rows are Blackhole's
            ts_json_add(rows, "{s:s, s:s, s:i, s:f, s:f}", "name", family->name, "title",
                        family->title, "rows", family->rows, "median", family->median, "p90",
                        family->p90);
    }
    if (!vendor)
        json_array_append_new(own, json_string("kernel API"));
    if (!vendor && vector)
        json_array_append_new(own, json_string("functions of the SFPU"));
    return json_pack("{s:o, s:o}", "families", rows, "not_vendor", own);
}
