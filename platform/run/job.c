// A core of a run (job.h).
#include "platform/run/work.h"

#include "platform/account/loss.h"
#include "platform/account/marks.h"

void ts_job_keep(struct ts_job *job, const uint32_t sync[4])
{
    static const uint8_t cores[4] = {TS_RV_NCRISC, TS_RV_TRISC0, TS_RV_TRISC1, TS_RV_TRISC2};
    const bool begun = !job->quoted || job->marks->begin.cycle != 0;
    for (unsigned i = 0; i < 4; i++) {
        struct ts_rv_core *core = &job->tile->cores[cores[i]];
        if (sync[i] != (begun ? TS_SYNC_DONE : TS_SYNC_GO) || (begun && ts_rv_core_view(core).held))
            continue;
        if (begun) {
            ts_rv_core_keep(core);
            continue;
        }
        ts_rv_core_note(core);
        ts_rv_core_note(&job->tile->cores[TS_RV_BRISC]);
    }
}

void ts_job_free(struct ts_job *job)
{
    ts_loss_free(job->loss);
    job->loss = NULL;
    ts_tile_free(job->tile);
    job->tile = NULL;
}
