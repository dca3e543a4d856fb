// Errors of the families that a run exercises (trust.h).
#include "platform/run/trust.h"

#include "platform/run/plan/launch.h"
#include "platform/run/verdict.h"
#include "platform/run/work.h"

#include <string.h>

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
#undef TS_TRUST
};

#define USES (sizeof uses / sizeof *uses)

static bool is_used(const struct ts_job_verdict *verdict, const char *roof)
{
    for (unsigned i = 0; i < verdict->roof_count; i++)
        if (strncmp(verdict->roofs[i].name, roof, strlen(roof)) == 0 &&
            verdict->roofs[i].share > USED)
            return true;
    return false;
}

struct ts_trust ts_trust_of(const struct ts_job_verdict *verdict, const struct ts_work *work)
{
    const struct ts_job *job = &work->jobs[0];
    bool chip = job->chip != NULL;
    return (struct ts_trust){
        .uses = {[TS_USE_TILE] = !chip,
                 [TS_USE_CHIP] = chip,
                 [TS_USE_MATMUL] = chip && work->made > 1 && work->result.mvmuls > 0,
                 [TS_USE_VECTOR] = is_used(verdict, "vector"),
                 [TS_USE_NOC] = is_used(verdict, "NoC"),
                 [TS_USE_DRAM] = is_used(verdict, "DRAM")},
        .vendor = work->program && work->program->plan->metal != NULL,
    };
}

// What was not the vendor's code; NULL: all of it was.
static const char *own_code(const struct ts_trust *self, unsigned part)
{
    if (self->vendor)
        return NULL;
    return part == 0 ? "kernel API" : self->uses[TS_USE_VECTOR] ? "functions of the SFPU" : NULL;
}

void ts_trust_print(const struct ts_trust *self, FILE *file)
{
    fputs("  how far to trust it: errors against cards, of measurements like parts of this run\n",
          file);
    for (size_t i = 0; i < USES; i++) {
        const struct family *family = &families[uses[i].family];
        if (self->uses[uses[i].use])
            fprintf(file, "  %6.1f %%  median, 90 %% within %.1f %%: %s (%d)\n", family->median,
                    family->p90, family->title, family->rows);
    }
    const char *first = own_code(self, 0), *second = own_code(self, 1);
    if (first)
        fprintf(file, "    not the vendor's code: %s%s%s\n", first, second ? ", " : "",
                second ? second : "");
}

json_t *ts_trust_json(const struct ts_trust *self)
{
    json_t *rows = json_array(), *own = json_array();
    for (size_t i = 0; i < USES; i++) {
        const struct family *family = &families[uses[i].family];
        if (self->uses[uses[i].use])
            json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f, s:f}", "name", family->name,
                                                  "title", family->title, "rows", family->rows,
                                                  "median", family->median, "p90", family->p90));
    }
    for (unsigned part = 0; part < 2; part++)
        if (own_code(self, part))
            json_array_append_new(own, json_string(own_code(self, part)));
    return json_pack("{s:o, s:o}", "families", rows, "not_vendor", own);
}
