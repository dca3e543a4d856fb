// A core of a run (job.h).
#include "platform/run/work.h"

#include "platform/account/loss.h"
#include "platform/account/marks.h"

void ts_job_keep(struct ts_job *job, const uint32_t sync[4])
{
    static const uint8_t cores[4] = {TS_RV_NCRISC, TS_RV_TRISC0, TS_RV_TRISC1, TS_RV_TRISC2};
    const bool begun = !job->marks || !job->loss || job->marks->begin.cycle != 0;
    if (!begun) // from the first of them on: what a core that is far ahead has lost until then is past at the begin
        ts_rv_core_note(&job->tile->cores[TS_RV_BRISC]);
    for (unsigned i = 0; i < 4; i++) {
        struct ts_rv_core *core = &job->tile->cores[cores[i]];
        if (!begun)
            ts_rv_core_note(core);
        else if (sync[i] == TS_SYNC_DONE && !ts_rv_core_view(core).held)
            ts_rv_core_keep(core);
    }
}

void ts_job_free(struct ts_job *job)
{
    ts_loss_free(job->loss);
    job->loss = NULL;
    ts_tile_free(job->tile);
    job->tile = NULL;
}
