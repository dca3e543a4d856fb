// What the errors depend on: every parameter in turn a little smaller and a little larger, and all
// rows again.
#pragma once

#include "platform/study/silicon/silicon.h"

// One parameter, changed both ways.
struct ts_silicon_effect {
    const struct ts_param_group *group;
    size_t index;
    enum ts_param_kind kind;
    int64_t value, tried[2];
    bool possible[2];                  // inside its range, and the model can be built
    double median[2], p90[2];          // of all rows' absolute errors, with the change
    size_t rows;                       // that react to it, either way
    size_t sources;                    // different publications among them
    double change;                     // largest change of a figure, as a fraction
    const struct ts_silicon_row *most; // and its row
    char ids[80];                      // some of the rows that react
    char families[120];                // with rows that react
};

struct ts_silicon_sensitivity {
    struct ts_silicon_effect *effects; // by group and key
    size_t count;
    struct ts_silicon_summary base;
};

// Varies the parameters of the kinds in the mask (1 << enum ts_param_kind). An exit code as of
// ts_crew_run; the study is there if it is TS_OK and the crew is not a shard.
int ts_silicon_sensitivity(struct ts_silicon_sensitivity *self, struct ts_params *params,
                           unsigned kinds, uint64_t configuration, struct ts_crew *crew,
                           struct ts_error *error);
void ts_silicon_sensitivity_free(struct ts_silicon_sensitivity *self);
json_t *ts_silicon_sensitivity_json(const struct ts_silicon_sensitivity *self);
// The document as text.
void ts_silicon_sensitivity_text(const json_t *document, FILE *file);
