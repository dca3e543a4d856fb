// What a guest kernel has done: zones, the check of its result, how far it is (job.h).
#include "platform/run/job.h"

#include "platform/run/expected.h"
#include "platform/run/grid.h"
#include "platform/run/measure.h"
#include "platform/run/window.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void read_zones(const struct ts_job *job, struct ts_job_result *result)
{
    for (unsigned thread = 0; thread < TS_THREADS; thread++) {
        const uint8_t *buffer = job->tile->l1.bytes + TS_L1_EVENTS + thread * 0x1000;
        for (unsigned i = 0; i < 512; i++) {
            uint32_t word[2];
            memcpy(word, buffer + i * 8, 8);
            uint32_t type = word[0] >> 28, zone = word[0] >> 12 & 0xffff;
            if (type != TS_EVENT_START && type != TS_EVENT_END)
                break;
            if (zone < TS_ZONE_KERNEL || zone > TS_ZONE_LOOP)
                continue;
            struct ts_job_zone *to = &result->zones[thread][zone - 1];
            ts_cycle time = (ts_cycle)(word[0] & 0xfff) << 32 | word[1];
            if (type == TS_EVENT_START)
                to->start = time;
            else
                to->end = time;
        }
    }
}

static void check_result(struct ts_job *job, struct ts_job_result *result)
{
    uint32_t bytes = ts_datum_bytes(job->spec.out_format, ts_job_elements(&job->out));
    if (job->kind->rows_out)
        ts_rows_decode(&job->out, job->spec.out_format, job->tile->l1.bytes + job->out_address);
    for (uint32_t i = 0; !job->kind->rows_out && i < ts_tile_count(&job->out); i++) {
        uint32_t row, column;
        uint8_t buffer[4096];
        const uint8_t *from = job->tile->l1.bytes + job->out_address + i * bytes;
        struct ts_error error = {0};
        if (job->spec.out_dram && ts_grid_result(job, i, buffer, &error))
            from = buffer;
        job->kind->result_tile(job, i, &row, &column);
        ts_tile_decode(&job->out, row, column, job->spec.out_format, from);
    }
    job->kind->reference(job);
    if (ts_datum_integer(job->spec.out_format)) // saturated
        for (size_t i = 0; i < (size_t)job->want.rows * job->want.columns; i++)
            job->want.at[i] = ts_datum_round(job->spec.out_format, job->want.at[i]);
    result->agreement = ts_matrix_compare(&job->out, &job->want, job->spec.out_format);
    result->checked = true;
    // End to end: the same arithmetic on the values before they were rounded. They are made again
    // because nobody needs the rounded ones any more; of a large product the first rows stand for
    // all.
    uint32_t rows = job->spec.m, some = ts_end_to_end_rows(&job->spec);
    struct ts_matrix got = job->out, want = job->want;
    if (some < rows)
        job->spec.m = job->in[0].rows = got.rows = want.rows = some;
    for (unsigned i = 0; i < TS_JOB_OPERANDS; i++)
        if (job->in[i].rows)
            ts_job_values(job, i);
    job->kind->reference(job);
    result->end_to_end = ts_matrix_compare(&got, &want, job->spec.out_format);
    if (some < rows)
        job->spec.m = job->in[0].rows = rows;
}

// --- how far it is ---

// Pages that passed through a ring: its counter has 16 bits.
static double pages_gone(struct ts_job *job, size_t counter)
{
    uint16_t now;
    memcpy(&now, job->tile->l1.bytes + TS_L1_LAUNCH + counter, sizeof now);
    job->pages += (uint16_t)(now - job->counter);
    job->counter = now;
    return (double)job->pages;
}

double ts_job_share(struct ts_job *job)
{
    const struct ts_job_spec *s = &job->spec;
    bool unpacks = s->run_type == TS_RUN_UNPACK_ISOLATE || s->run_type == TS_RUN_L1_CONGESTION;
    double done, work;
    if (job->done)
        return 1;
    if (strncmp(s->program, "matmul", 6) == 0 && !unpacks && s->run_type != TS_RUN_PACK_ISOLATE) {
        done = (double)job->tile->front[1].passed[TS_OP_MVMUL];
        work = (double)(TS_MVMULS(s) * job->kind->work(job)) * s->phases;
    } else {
        done = pages_gone(job, unpacks ? offsetof(struct ts_launch, acked) + 4 * TS_CB_IN0
                                       : offsetof(struct ts_launch, received) + 4 * TS_CB_OUT);
        work = ts_tile_count(unpacks ? &job->in[0] : &job->out);
    }
    return done < work * s->repeat ? done / (work * s->repeat) : 1;
}

void ts_job_finish(struct ts_job *job, const struct ts_run *run, struct ts_job_result *result)
{
    memset(result, 0, sizeof *result);
    result->cycles = job->done ? job->done : run->cycle;
    if (job->done == 0) {
        result->code = run->stop == TS_STOP_FAULT   ? run->error.code
                       : run->stop == TS_STOP_LIMIT ? TS_LIMIT
                                                    : TS_HANG;
        if (run->stop == TS_STOP_FAULT)
            snprintf(result->text, sizeof result->text, "%s", run->error.text);
        else
            snprintf(result->text, sizeof result->text, "not done after %" PRIu64 " cycles (%s)",
                     run->cycle, ts_stop_name(run->stop));
        return;
    }
    read_zones(job, result);
    const struct ts_job_zone *zone = &result->zones[ts_job_timed[job->spec.run_type].thread]
                                                   [ts_job_timed[job->spec.run_type].zone];
    result->loop = zone->end - zone->start;
    result->mvmuls = job->tile->front[1].passed[TS_OP_MVMUL];
    result->nops = job->tile->front[1].passed[TS_OP_NOP];
    result->work = job->kind->work(job) * job->spec.repeat;
    if (job->spec.run_type == TS_RUN_PACK_ISOLATE) // counted by packed tiles
        result->work = (uint64_t)ts_tile_count(&job->out) * job->spec.repeat;
    if (job->spec.run_type == TS_RUN_L1_TO_L1 || job->spec.run_type == TS_RUN_MATH_ISOLATE)
        result->flops = job->kind->flops
                            ? job->kind->flops(job) * job->spec.repeat
                            : (uint64_t)(ts_flops_matrix(job->tile, job->spec.phases, 0).flops +
                                         0.5);
    result->cycles_per_unit = (double)result->loop / (double)result->work;
    if (job->spec.run_type == TS_RUN_L1_TO_L1 && !job->spec.timing_only)
        check_result(job, result);
}
