// Events of the threads of a low-level kernel, as they are written (work.h).
#include "platform/run/work.h"

const struct ts_job_timed ts_job_timed[TS_RUN_TYPES] = {{1, TS_JOB_KERNEL, TS_NODE_GATE + 1},
                                                        {0, TS_JOB_LOOP, TS_NODE_UNPACK},
                                                        {1, TS_JOB_LOOP, TS_NODE_GATE + 1},
                                                        {2, TS_JOB_LOOP, TS_NODE_PACK},
                                                        {0, TS_JOB_LOOP, TS_NODE_UNPACK}};

// The timed zone begins or ends: the account of its cycles does.
static void event_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct ts_job *job = context;
    const unsigned type = job->numbers.run_type;
    const uint8_t *buffer = job->tile->l1.bytes + TS_L1_EVENTS + ts_job_timed[type].thread * 0x1000;
    struct ts_component *core =
        &job->tile->cores[TS_RV_TRISC0 + ts_job_timed[type].thread].component;
    (void)address, (void)length;
    for (; job->events < 512; job->events++) {
        uint32_t word[2];
        memcpy(word, buffer + job->events * 8, 8);
        if (word[0] == 0 || word[1] == 0)
            break;
        ts_cycle time = (ts_cycle)(word[0] & 0xfff) << 32 | word[1];
        if ((word[0] >> 12 & 0xffff) != ts_job_timed[type].zone + 1u)
            continue;
        if (word[0] >> 28 == TS_EVENT_START) {
            ts_loss_begin(&job->loss->compute, time, at);
            ts_marks_begin(job->marks, core, at);
        } else if (word[0] >> 28 == TS_EVENT_END) {
            ts_loss_end(&job->loss->compute, time, at);
            ts_marks_end(job->marks, core, at);
        }
    }
}

// The kernel of a thread begins with the first event: from here on its core may be free.
static void kernel_begins(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct ts_job *job = context;
    (void)address, (void)length, (void)at;
    for (unsigned t = 0; t < TS_THREADS; t++) {
        uint32_t word;
        memcpy(&word, job->tile->l1.bytes + TS_L1_EVENTS + t * 0x1000, sizeof word);
        if (word)
            ts_tile_free_core(job->tile, TS_RV_TRISC0 + t);
    }
}

void ts_job_window_watch(struct ts_job *job)
{
    for (uint32_t t = 0; t < TS_THREADS && job->tile->config.free_cores; t++)
        ts_l1_watch_add(&job->tile->l1, &(struct ts_l1_watch){
                                            .granule = (TS_L1_EVENTS + t * 0x1000u) / TS_L1_GRANULE,
                                            .port = UINT32_MAX,
                                            .written = kernel_begins,
                                            .context = job});
    uint32_t from = TS_L1_EVENTS + ts_job_timed[job->numbers.run_type].thread * 0x1000u;
    if (job->loss)
        ts_l1_watch_add(&job->tile->l1, &(struct ts_l1_watch){.granule = from / TS_L1_GRANULE,
                                                              .more = 0x1000 / TS_L1_GRANULE - 1,
                                                              .port = UINT32_MAX,
                                                              .written = event_written,
                                                              .context = job});
}
