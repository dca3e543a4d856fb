#include "platform/account/account.h"

static const uint16_t flops_of[256] = {
#define TS_FLOPS(op, flops) [TS_OP_##op] = flops,
#include "config/flops.def"
};

const char *ts_fidelity_name(uint32_t phases)
{
    static const char *const names[] = {"?", "lofi", "hifi2", "hifi3", "hifi4"};
    return names[phases <= 4 ? phases : 0];
}

struct ts_flops ts_flops_matrix(const struct ts_tile *tile, uint32_t phases, unsigned only)
{
    struct ts_flops all = {0, 0};
    for (unsigned op = 0; op < 256; op++) {
        const uint64_t passed = tile->front[1].passed[op];
        if (flops_of[op] == 0 || ts_op_hot[op].unit != TS_UNIT_MATRIX || (only && op != only))
            continue;
        const bool repeats = ts_op_effects[op].kind & TS_MATRIX_PHASES && phases > 1;
        all.flops += (double)(passed * flops_of[op]) / (repeats ? phases : 1);
        all.cycles += (double)passed;
    }
    return all;
}

void ts_measures_make(struct ts_measures *self, const struct ts_job *job,
                      const struct ts_job_result *result)
{
    *self = (struct ts_measures){0};
    const struct ts_numbers *numbers = &job->numbers;
    bool computes = numbers->run_type == TS_RUN_L1_TO_L1 ||
                    numbers->run_type == TS_RUN_MATH_ISOLATE;
    if (job->program || !computes || strcmp(numbers->unit, "tile") != 0 || result->loop == 0)
        return;
    double elements = (double)result->work * numbers->tile, loop = (double)result->loop;
    self->elements = elements / loop;
    const uint64_t *passed = job->tile->front[1].passed;
    uint64_t operations = job->tile->vector.executed - passed[TS_OP_SFPNOP];
    if (TS_VECTOR_LANES * (double)operations < elements)
        return; // only the set-up of its constants
    self->operations = TS_VECTOR_LANES * (double)operations / loop;
    for (unsigned op = 0; op < 256; op++)
        if (ts_op_hot[op].unit == TS_UNIT_VECTOR)
            self->flops += flops_of[op] * passed[op];
}
