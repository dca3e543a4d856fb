// What low-level kernels have done: zones, figures, how far they are, and what their document says (llk.h).
#include "platform/run/plan/llk.h"
#include "platform/run/plan/remedies.h"

#include <inttypes.h>

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
            *(type == TS_EVENT_START ? &to->start : &to->end) = time;
        }
    }
}

static const struct ts_plan_tensor *result_of(const struct ts_plan *plan)
{
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        if (plan->tensors[i].expected)
            return &plan->tensors[i];
    return &plan->tensors[0];
}

static void not_done(const struct ts_run *run, struct ts_job_result *result)
{
    result->code = run->stop == TS_STOP_FAULT   ? run->error.code
                   : run->stop == TS_STOP_LIMIT ? TS_LIMIT
                                                : TS_HANG;
    if (run->stop == TS_STOP_FAULT)
        snprintf(result->text, sizeof result->text, "%s", run->error.text);
    else
        snprintf(result->text, sizeof result->text, "not done after %" PRIu64 " cycles (%s)",
                 run->cycle, ts_stop_name(run->stop));
}

static void finish_core(struct ts_work *work, uint32_t core, const struct ts_run *run,
                        struct ts_job_result *result)
{
    struct ts_job *job = &work->jobs[core];
    const struct ts_numbers *numbers = &job->numbers;
    const struct ts_job_timed *timed = &ts_job_timed[numbers->run_type];
    struct ts_error error = {0};
    memset(result, 0, sizeof *result);
    result->cycles = job->done ? job->done : run->cycle;
    if (job->done == 0) {
        not_done(run, result);
        return;
    }
    read_zones(job, result);
    const struct ts_job_zone *zone = &result->zones[timed->thread][timed->zone];
    result->loop = zone->end - zone->start;
    result->mvmuls = job->tile->front[1].passed[TS_OP_MVMUL];
    result->nops = job->tile->front[1].passed[TS_OP_NOP];
    const struct ts_plan_tensor *out = result_of(work->plan);
    result->work = (numbers->run_type == TS_RUN_PACK_ISOLATE // counted by packed tiles
                        ? (uint64_t)out->pages_down * out->pages_across
                        : numbers->units) *
                   numbers->repeat;
    if (numbers->run_type == TS_RUN_L1_TO_L1 || numbers->run_type == TS_RUN_MATH_ISOLATE)
        result->flops = numbers->flops
                            ? numbers->flops * numbers->repeat
                            : (uint64_t)(ts_flops_matrix(job->tile, numbers->phases, 0).flops +
                                         0.5);
    result->cycles_per_unit = (double)result->loop / (double)result->work;
    if (numbers->run_type == TS_RUN_L1_TO_L1 && !job->tile->config.timing_only &&
        !work->plan->unchecked)
        ts_llk_compare(work, core, result, &error);
    if (error.code != TS_OK) {
        result->code = error.code;
        snprintf(result->text, sizeof result->text, "%s", error.text);
    }
}

void ts_llk_finish(struct ts_work *work, const struct ts_run *run)
{
    for (uint32_t i = 0; i < work->made; i++)
        finish_core(work, i, run, &work->results[i]);
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

double ts_llk_share(struct ts_job *job)
{
    const struct ts_numbers *s = &job->numbers;
    bool unpacks = s->run_type == TS_RUN_UNPACK_ISOLATE || s->run_type == TS_RUN_L1_CONGESTION;
    double done, work;
    if (job->done)
        return 1;
    if (s->mvmuls && !unpacks && s->run_type != TS_RUN_PACK_ISOLATE) {
        done = (double)job->tile->front[1].passed[TS_OP_MVMUL];
        work = (double)(s->mvmuls * s->units);
    } else {
        uint32_t tiles;
        const unsigned ring = unpacks ? TS_CB_IN0 : TS_CB_OUT;
        memcpy(&tiles,
               job->tile->l1.bytes + TS_L1_LAUNCH + offsetof(struct ts_launch, cb[ring].tiles),
               sizeof tiles);
        done = pages_gone(job, unpacks ? offsetof(struct ts_launch, acked) + 4 * TS_CB_IN0
                                       : offsetof(struct ts_launch, received) + 4 * TS_CB_OUT);
        work = tiles;
    }
    return done < work * s->repeat ? done / (work * s->repeat) : 1;
}

// --- texts ---

void ts_llk_title(const struct ts_plan *plan, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s ", plan->name);
    ts_plan_say((struct ts_plan *)plan, plan->llk.title, text + used, size - used);
}

bool ts_llk_warning(const struct ts_plan *plan, char *text, size_t size)
{
    struct ts_plan *self = (struct ts_plan *)plan;
    struct ts_error error = {0}, *before = self->yaml.error;
    self->yaml.error = &error;
    struct ts_yaml_node rule = ts_plan_broken(self,
                                              ts_yaml_find(ts_yaml_root(&self->yaml), "warnings"));
    if (rule.node)
        ts_plan_say(self, ts_yaml_text(ts_yaml_find(rule, "says"), ""), text, size);
    self->yaml.error = before;
    return rule.node != NULL;
}

void ts_llk_json(const struct ts_plan *plan, json_t *document)
{
    for (uint32_t i = 0; i < plan->param_count; i++) {
        const struct ts_plan_param *param = &plan->params[i];
        char text[64];
        int64_t whole;
        if (param->text == NULL || param->type == TS_PARAM_EVENTS)
            continue;
        ts_plan_option_text(param, text, sizeof text);
        json_object_set_new(document, param->name,
                            param->fraction              ? json_real(param->value)
                            : ts_parse_int(text, &whole) ? json_integer(whole)
                                                         : json_string(text));
    }
    char flips[TS_FLIPS * 24];
    if (ts_flips_text(plan->flips, flips, sizeof flips)[0])
        json_object_set_new(document, "flip", json_string(flips));
    if (!plan->llk.lone) {
        json_object_set_new(document, "tile_m", json_integer(result_of(plan)->rows));
        json_object_set_new(document, "tile_n", json_integer(result_of(plan)->columns));
    }
    char text[300];
    if (ts_llk_warning(plan, text, sizeof text))
        json_object_set_new(document, "warning", json_string(text));
}
