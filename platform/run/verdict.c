// Figures of a run and their document (verdict.h, config/figures.def).

#include "platform/base/json.h"
#include "platform/run/plan/launch.h"
#include "platform/run/plan/llk.h"

// Minimum cycles of the computing unit for the FLOP that count.
static double ideal_cycles(const struct ts_job *job, const struct ts_job_result *result,
                           uint64_t vector_flops)
{
    if (job->program)
        return job->program->ideal;
    if (vector_flops)
        return (double)vector_flops / TS_VECTOR_FLOPS;
    const struct ts_flops executed = ts_flops_matrix(job->tile, job->numbers.phases, 0);
    return result->flops ? (double)result->flops / executed.flops * executed.cycles : 0;
}

// Of what the figures are: all tiles of a program, one tile of a kernel.
static void count_words(struct ts_job_verdict *self, const struct ts_work *work)
{
    const uint32_t tiles = work->made, counted = work->program ? tiles : 1;
    if (tiles == 1)
        snprintf(self->scope, sizeof self->scope, "one tile");
    else
        snprintf(self->scope, sizeof self->scope,
                 work->program ? "all %u tiles" : "one of %u tiles", tiles);
    for (uint32_t i = 0; i < counted; i++) {
        self->mvmuls += work->results[i].mvmuls;
        self->nops += work->results[i].nops;
    }
    const uint64_t math = self->mvmuls + self->nops;
    self->intensity = math ? (double)self->mvmuls / (double)math : 0;
}

void ts_verdict_make(struct ts_job_verdict *self, const struct ts_work *work,
                     const struct ts_run *run)
{
    const struct ts_job *job = &work->jobs[0];
    const struct ts_job_result *result = &work->result;
    memset(self, 0, sizeof *self);
    self->cycles = result->loop;
    self->first = work->marks.first;
    self->window = ts_marks_cycles(&work->marks);
    self->span = run->cycle;
    self->clock_mhz = job->tile->config.clock_mhz;
    self->seconds = (double)result->loop / (self->clock_mhz * 1e6);
    self->cycles_per_unit = result->cycles_per_unit;
    ts_measures_make(&self->measures, job, result);
    const double ideal = ideal_cycles(job, result, self->measures.flops),
                 loop = result->loop ? (double)result->loop : 1;
    // A function counts what the vector unit executes; a kernel that moves has none.
    const uint64_t flops = self->measures.flops ? self->measures.flops : result->flops;
    self->tflops = (double)flops / loop * self->clock_mhz * 1e6 / 1e12;
    self->utilisation = ideal / loop;
    self->peak_tflops = self->utilisation > 0 ? self->tflops / self->utilisation : 0;
    if (job->program && job->program->padded > 0)
        self->padding = 1 - (double)result->flops / job->program->padded;
    if (job->program && job->program->plan->flops > 0 && result->loop) {
        self->device_cycles = (ts_cycle)(ts_program_computes(job) * loop + 0.5);
        self->device = self->device_cycles ? ideal / (double)self->device_cycles : 0;
    }
    count_words(self, work);
    const struct ts_component *units[] = {&job->tile->vector.unit.component,
                                          &job->tile->matrix.unit.component};
    for (unsigned i = 0; i < 2 && self->window; i++) {
        const double share = (double)ts_marks_account(&work->marks, units[i]).busy /
                             (double)self->window,
                     busy = share * (double)self->window / loop;
        self->math_busy = busy > self->math_busy ? busy : self->math_busy;
    }
    self->roof_count = ts_roofs_make(self->roofs, self, work);
    ts_verdict_bound(self, work);
}

// --- parts of the document ---

// Of a low-level kernel, whose cycles are those of one thread.
static json_t *what_of_kernel(const struct ts_work *work)
{
    static const char *const windows[TS_RUN_TYPES] = {
        [TS_RUN_L1_TO_L1] = "of the math thread",
        [TS_RUN_MATH_ISOLATE] = "of the math thread's loop, alone",
        [TS_RUN_PACK_ISOLATE] = "of the pack thread's loop, alone",
        [TS_RUN_UNPACK_ISOLATE] = "of the unpack thread's loop, alone",
        [TS_RUN_L1_CONGESTION] = "of the unpack thread's loop, next to the pack thread's"};
    const struct ts_numbers *numbers = &work->jobs[0].numbers;
    char title[300], judged[128] = "";
    ts_llk_title(work->plan, title, sizeof title);
    if (work->result.checked)
        ts_expected_text(numbers, work->result.agreement.rel_l2, judged, sizeof judged);
    json_t *what = json_pack(
        "{s:o, s:s, s:s, s:i, s:s, s:s*, s:s, s:s*, s:s}", "name", json_sprintf("llk/%s", title),
        "runtime", "low-level kernel", "place", work->shares ? "" : "operands sharded in its L1",
        "movers", work->shares ? 2 : 0, "on", work->made == 1 ? "tile" : "tiles", "each",
        work->made == 1 ? NULL
        : work->shares  ? "mean of the tiles"
                        : "of the first tile",
        "window", windows[numbers->run_type], "note",
        work->result.checked ? ts_expected_note(numbers) : NULL, "judged", judged);
    if (ts_end_to_end_rows(numbers) < numbers->rows)
        json_object_set_new(what, "rows", json_integer(ts_end_to_end_rows(numbers)));
    return what;
}

static json_t *what_of(const struct ts_work *work)
{
    const struct ts_program_run *program = work->program;
    json_t *what = program ? ts_program_what(work) : what_of_kernel(work);
    bool repeats = false; // products: then the account is not of the peak at the run's fidelity
    for (uint32_t i = 0; work->loss && i < work->loss->count; i++)
        repeats |= work->loss->lines[i].cause == TS_LOSS_FIDELITY;
    const json_t *more = json_pack(
        "{s:s, s:I, s:I, s:b, s:b, s:b}", "unit", work->jobs[0].numbers.unit, "units",
        (json_int_t)work->result.work, "cores", (json_int_t)work->made, "repeats", (int)repeats,
        "vector", (int)(work->verdict.measures.flops > 0), "program", (int)(program != NULL));
    json_object_update(what, (json_t *)more);
    json_decref((json_t *)more);
    return what;
}

// Both windows: of the math kernels, and from the first begin to the last end of any kernel.
static json_t *windows_of(const struct ts_work *work)
{
    ts_cycle first = TS_NEVER, last = 0, math = 0;
    for (uint32_t i = 0; i < work->made; i++)
        for (unsigned t = 0; t < TS_THREADS; t++) {
            const struct ts_job_zone *zone = &work->results[i].zones[t][TS_JOB_KERNEL];
            first = zone->end && zone->start < first ? zone->start : first;
            last = zone->end > last ? zone->end : last;
            math += t == 1 ? zone->end - zone->start : 0;
        }
    if (work->program)
        first = work->program->first, last = work->program->last;
    return json_pack("{s:I, s:I}", "math", (json_int_t)((math + work->made / 2) / work->made),
                     "program", (json_int_t)(last > first ? last - first : 0));
}

static json_t *vector_of(const struct ts_job_verdict *self)
{
    return json_pack("{s:f, s:i, s:I, s:f}", "operations_per_cycle", self->measures.operations,
                     "lanes", TS_VECTOR_LANES, "flops", (json_int_t)self->measures.flops,
                     "roof_tflops", TS_VECTOR_FLOPS * self->clock_mhz * 1e6 / 1e12);
}

static json_t *error_of(const struct ts_agreement *agreement)
{
    return json_pack("{s:o, s:o, s:I, s:I}", "rel_l2", ts_json_real(agreement->rel_l2), "pcc",
                     ts_json_real(agreement->pcc), "not_finite", (json_int_t)agreement->odd,
                     "not_finite_expected", (json_int_t)agreement->odd_wanted);
}

static json_t *zones_of(const struct ts_job_result *result)
{
    static const char *const names[TS_THREADS] = {"unpack", "math", "pack"};
    json_t *threads = json_object();
    for (unsigned t = 0; t < TS_THREADS; t++) {
        const struct ts_job_zone *zones = result->zones[t];
        ts_json_put(threads, names[t], "{s:I, s:I, s:I}", "KERNEL",
                    (json_int_t)(zones[0].end - zones[0].start), "INIT",
                    (json_int_t)(zones[1].end - zones[1].start), "TILE_LOOP",
                    (json_int_t)(zones[2].end - zones[2].start));
    }
    return threads;
}

#define COMPONENTS 32 // of a tile
#define LONGEST    4  // stalls of a component

static json_t *share_of(const struct ts_component *c, const struct ts_marks *marks)
{
    const double span = (double)ts_marks_cycles(marks);
    struct ts_account account = ts_marks_account(marks, c);
    const char *dot = strrchr(ts_path(c), '.');
    json_t *stalls = json_object();
    for (unsigned place = 0; place < LONGEST && span > 0; place++) {
        int best = 0;
        for (int reason = 1; reason < TS_STALL_COUNT; reason++)
            best = account.lost[reason] > account.lost[best] ? reason : best;
        if (account.lost[best] == 0)
            break;
        json_object_set_new(stalls, ts_stall_name((enum ts_stall)best),
                            json_real((double)account.lost[best] / span));
        account.lost[best] = 0;
    }
    return json_pack("{s:s, s:f, s:o}", "name", dot ? dot + 1 : ts_path(c), "busy",
                     span > 0 ? (double)account.busy / span : 0, "stalls", stalls);
}

static json_t *where_of(const struct ts_work *work)
{
    const struct ts_job *job = &work->jobs[0];
    json_t *rows = json_array();
    for (struct ts_object *object = ts_kernel_objects(job->kernel); object; object = object->next) {
        const struct ts_component *c = ts_object_component(object);
        if (c && c->domain == job->domain && json_array_size(rows) < COMPONENTS)
            json_array_append_new(rows, share_of(c, &work->marks));
    }
    return rows;
}

void ts_verdict_json(const struct ts_work *work, json_t *document)
{
    const struct ts_job_verdict *v = &work->verdict;
    const struct ts_job *job = &work->jobs[0];
    const struct ts_job_result *r = &work->result;
    const struct ts_numbers *s = &job->numbers;
    const struct ts_program_run *p = work->program;
    const bool product = strcmp(s->unit, "product") == 0, asks = p && p->plan->flops > 0;
    if (p == NULL)
        ts_llk_json(work->plan, document);
#define TS_FIGURE(name, type, unit, of, use, when, value, text) \
    if (when)                                                   \
        json_object_set_new(document, #name, (json_t *)(value));
#include "config/figures.def"
}
