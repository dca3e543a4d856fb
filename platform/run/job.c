// A core of a run (job.h).
#include "platform/run/work.h"

static void keep(struct ts_job *job, const uint32_t sync[4])
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

void ts_job_written(struct ts_job *job, size_t sync, size_t done, uint32_t word, ts_cycle at)
{
    uint32_t words[4], end;
    memcpy(words, job->tile->l1.bytes + sync, sizeof words);
    memcpy(&end, job->tile->l1.bytes + done, sizeof end);
    keep(job, words);
    if (end != word || job->done != 0)
        return;
    job->done = at;
    ts_rv_core_keep(&job->tile->cores[TS_RV_BRISC]); // other tiles may go on
    ts_break(&job->tile->cores[TS_RV_BRISC].component, at);
}

void ts_job_free(struct ts_job *job)
{
    ts_loss_free(job->loss);
    job->loss = NULL;
    ts_tile_free(job->tile);
    job->tile = NULL;
}
