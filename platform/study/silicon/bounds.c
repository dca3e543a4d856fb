// Compares figures with documented bounds (bounds.h).
#include "platform/study/silicon/bounds.h"

const struct ts_silicon_bound ts_silicon_bounds[] = {
#define AT_LEAST false
#define AT_MOST  true
#define TS_SILICON_BOUND(document, text, family, workload, metric, sense, value, slack) \
    {document, text, #family, workload, metric, sense, value, slack},
#include "config/silicon_bounds.def"
    {0},
};

bool ts_silicon_bound_holds_for(const struct ts_silicon_bound *bound,
                                const struct ts_silicon_result *result)
{
    return strcmp(bound->family, result->family->name) == 0 &&
           strcmp(bound->metric, result->row->metric) == 0 &&
           strstr(result->row->workload, bound->workload);
}

const struct ts_silicon_bound *ts_silicon_bound_beaten(const struct ts_silicon_result *result)
{
    if (result->failure.code != TS_OK)
        return NULL;
    for (const struct ts_silicon_bound *bound = ts_silicon_bounds; bound->document; bound++) {
        double limit = bound->value + (bound->at_most ? bound->slack : -bound->slack);
        bool beaten = bound->at_most ? result->simulated > limit + 1e-9
                                     : result->simulated < limit - 1e-9;
        if (beaten && ts_silicon_bound_holds_for(bound, result))
            return bound;
    }
    return NULL;
}

size_t ts_silicon_bounded(const struct ts_silicon_result *results, size_t count)
{
    size_t bounded = 0;
    for (size_t i = 0; i < count; i++)
        for (const struct ts_silicon_bound *bound = ts_silicon_bounds; bound->document; bound++)
            if (ts_silicon_bound_holds_for(bound, &results[i])) {
                bounded++;
                break;
            }
    return bounded;
}
