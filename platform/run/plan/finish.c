// Results of a program: zones, checked tensors, and their part of the document (launch.h).
#include "platform/base/json.h"
#include "platform/load/zones.h"
#include "platform/run/plan/captured.h"
#include "platform/run/plan/data.h"
#include "platform/run/plan/launch.h"
#include "platform/run/plan/remedies.h"
#include "platform/tile/names.h"

#include <inttypes.h>

#define WHOLE "kernel" // the zone of a complete kernel

// That the report shows of the first core, and of each of the others.
#define SPANS       4096
#define OTHER_SPANS 40

// --- zones ---

static struct ts_launch_zone *zone_of(struct ts_program_run *self, const char *name,
                                      uint8_t processor)
{
    for (uint32_t i = 0; i < self->zone_count; i++)
        if (self->zones[i].processor == processor && strcmp(self->zones[i].name, name) == 0)
            return &self->zones[i];
    void *grown = realloc(self->zones, (self->zone_count + 1) * sizeof *self->zones);
    if (grown == NULL)
        return NULL;
    self->zones = grown;
    struct ts_launch_zone *zone = &self->zones[self->zone_count++];
    *zone = (struct ts_launch_zone){.processor = processor, .least = TS_NEVER};
    snprintf(zone->name, sizeof zone->name, "%s", name);
    return zone;
}

static void add_span(struct ts_launch_core *self, const struct ts_launch_event *begin,
                     const struct ts_launch_event *end, uint32_t zone)
{
    const uint32_t most = self == self->run->cores ? SPANS : OTHER_SPANS;
    if (self->spans == NULL)
        self->spans = calloc(most, sizeof *self->spans);
    if (self->spans == NULL || self->span_count == most) {
        self->spans_left_out++;
        return;
    }
    uint32_t depth = 0;
    for (const struct ts_launch_event *e = self->events; e < begin; e++)
        depth += e->processor == begin->processor && e->type == TS_ZONE_BEGIN;
    self->spans[self->span_count++] = (struct ts_launch_span){begin->cycle, end->cycle, zone,
                                                              depth};
}

// Begins and ends of a core nest; an end belongs to the last begin of its id.
static void pair_up(struct ts_program_run *self, struct ts_launch_core *core,
                    const struct ts_zone_names *known)
{
    for (size_t e = 0; e < core->event_count; e++) {
        const struct ts_launch_event *end = &core->events[e];
        if (end->type != TS_ZONE_FINISH)
            continue;
        for (size_t b = e; b-- > 0;) {
            struct ts_launch_event *begin = &core->events[b];
            if (begin->type != TS_ZONE_BEGIN || begin->id != end->id ||
                begin->processor != end->processor)
                continue;
            char text[96];
            const char *name = end->id == TS_ZONE_WHOLE
                                   ? WHOLE
                                   : ts_zone_name(known, end->id, text, sizeof text);
            struct ts_launch_zone *zone = zone_of(self, name, end->processor);
            ts_cycle cycles = end->cycle - begin->cycle;
            if (zone)
                add_span(core, begin, end, (uint32_t)(zone - self->zones));
            if (zone) {
                zone->count++;
                zone->sum += cycles;
                zone->least = cycles < zone->least ? cycles : zone->least;
                zone->most = cycles > zone->most ? cycles : zone->most;
            }
            begin->type = 0; // taken
            break;
        }
    }
}

// The complete kernels: of the program from the first begin to the last end.
static void read_kernels(struct ts_program_run *self, struct ts_launch_core *core,
                         struct ts_job_result *result)
{
    for (size_t e = 0; e < core->event_count; e++) {
        const struct ts_launch_event *event = &core->events[e];
        if (event->id != TS_ZONE_WHOLE)
            continue;
        bool begin = event->type == TS_ZONE_BEGIN;
        if (begin && event->cycle < self->first)
            self->first = event->cycle;
        if (!begin && event->cycle > self->last)
            self->last = event->cycle;
        core->job->ended = event->cycle > core->job->ended ? event->cycle : core->job->ended;
        if (event->processor < TS_ON_TRISC0)
            continue;
        struct ts_job_zone *zone = &result->zones[event->processor - TS_ON_TRISC0][TS_JOB_KERNEL];
        *(begin ? &zone->start : &zone->end) = event->cycle;
    }
}

// --- the end ---

// How much of the program's time the compute kernels run; 0: there is none.
double ts_program_computes(const struct ts_job *job)
{
    const struct ts_program_run *self = job->program;
    for (uint32_t i = 0; i < self->zone_count; i++) {
        const struct ts_launch_zone *zone = &self->zones[i];
        if (zone->processor == TS_ON_TRISC1 && strcmp(zone->name, WHOLE) == 0)
            return (double)zone->sum / (double)zone->count / (double)(self->last - self->first);
    }
    return 0;
}

// A kernel does not end in an ebreak: an ASSERT failed, or the compiler put it where a null pointer is
// used. The hang report says where.
static bool broke_off(const struct ts_work *work)
{
    bool any = false;
    for (uint32_t i = 0; i < work->made; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            any |= ts_rv_core_view(&work->jobs[i].tile->cores[core]).paused;
    return any;
}

static void not_done(const struct ts_work *work, const struct ts_run *run,
                     struct ts_job_result *result)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < work->made; i++)
        waiting += work->jobs[i].done == 0;
    result->code = run->stop == TS_STOP_FAULT   ? run->error.code
                   : run->stop == TS_STOP_LIMIT ? TS_LIMIT
                   : broke_off(work)            ? TS_CONTRACT
                                                : TS_HANG;
    snprintf(result->text, sizeof result->text,
             "%u of %u cores are not done after %" PRIu64 " cycles (%s)", waiting, work->made,
             run->cycle, ts_stop_name(run->stop));
}

static void judge(struct ts_program_run *self, struct ts_job_result *result)
{
    for (uint32_t i = 0; i < self->plan->tensor_count; i++) {
        const struct ts_plan_tensor *t = &self->plan->tensors[i];
        if (!t->expected)
            continue;
        if (t->checked && (!result->checked || t->wrong)) {
            result->agreement = t->agreement;
            result->end_to_end = t->end_to_end;
        }
        result->checked |= t->checked;
        result->work += (uint64_t)t->rows * t->columns / (TS_TILE * TS_TILE);
    }
    if (result->work == 0)
        result->work = 1;
    result->cycles_per_unit = (double)(self->last - self->first) / (double)result->work;
}

// Of the FLOP that the matrix units execute, those that the file asks for count: the others are padding.
static void count_flops(struct ts_work *work, double ideal)
{
    struct ts_program_run *self = work->program;
    const double asked = self->plan->flops;
    struct ts_flops products = {0, 0};
    for (uint32_t i = 0; i < self->count; i++) {
        const struct ts_job *job = &work->jobs[i];
        const struct ts_flops own = ts_flops_matrix(job->tile, job->numbers.phases, TS_OP_MVMUL);
        products.flops += own.flops;
        products.cycles += own.cycles;
    }
    self->ideal = self->computing ? ideal / self->computing : 0;
    if (asked > 0 && products.flops > 0) {
        self->flops = (uint64_t)asked;
        self->ideal = asked / products.flops * products.cycles / self->computing;
        self->padded = products.flops > asked ? products.flops : 0;
    }
    work->results[0].flops = self->flops;
}

void ts_program_finish(struct ts_work *work, const struct ts_run *run)
{
    struct ts_program_run *self = work->program;
    struct ts_job_result *first = &work->results[0];
    bool done = true;
    double ideal = 0;
    self->first = TS_NEVER;
    for (uint32_t i = 0; i < self->count; i++) {
        struct ts_job *job = &work->jobs[i];
        struct ts_job_result *result = &work->results[i];
        memset(result, 0, sizeof *result);
        result->cycles = job->done ? job->done : run->cycle;
        done &= job->done != 0;
        ts_print_flush(&self->cores[i], run->cycle);
        read_kernels(self, &self->cores[i], result);
        result->loop = result->zones[1][TS_JOB_KERNEL].end - result->zones[1][TS_JOB_KERNEL].start;
        result->mvmuls = job->tile->front[1].passed[TS_OP_MVMUL];
        result->nops = job->tile->front[1].passed[TS_OP_NOP];
        const struct ts_flops own = ts_flops_matrix(job->tile, job->numbers.phases, 0);
        result->flops = (uint64_t)(own.flops + 0.5);
        self->flops += result->flops;
        ideal += own.cycles;
        self->computing += self->cores[i].core->kernel[TS_ON_TRISC1] >= 0;
    }
    count_flops(work, ideal);
    for (uint32_t i = 0; i < self->count; i++) {
        struct ts_zone_names known;
        ts_zone_names_read(&known, work->jobs[i].tile);
        pair_up(self, &self->cores[i], &known);
    }
    work->first = self->first;
    work->last = self->last;
    work->computes = ts_program_computes(&work->jobs[0]);
    struct ts_error error = {0};
    if (!done)
        not_done(work, run, first);
    else if (!work->jobs[0].tile->config.timing_only &&
             !ts_plan_fetch(self->plan, &work->chip, &error)) {
        first->code = error.code;
        snprintf(first->text, sizeof first->text, "%s", error.text);
    }
    if (done && self->plan->captured)
        ts_captured_compare(self->plan->captured, work);
    first->loop = self->last > self->first ? self->last - self->first : 0;
    judge(self, first);
}

// --- texts ---

bool ts_program_wrong(const struct ts_program_run *self)
{
    for (uint32_t i = 0; i < self->plan->tensor_count; i++)
        if (self->plan->tensors[i].wrong)
            return true;
    return self->plan->captured && ts_captured_wrong(self->plan->captured);
}

const char *ts_program_runtime(const struct ts_program_run *self)
{
    return self->plan->captured ? "captured" : self->plan->metal ? "tt-metal" : "kernel API";
}

// Where the tensors lie: "DRAM", "L1 (sharded) and DRAM".
static void places(const struct ts_plan *plan, char *text, size_t size)
{
    static const char *const names[] = {"L1 (sharded)", "L1 (interleaved)", "DRAM"};
    bool there[3] = {false};
    size_t used = 0;
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        if (!plan->tensors[i].host)
            there[plan->tensors[i].dram ? 2 : plan->tensors[i].sharded ? 0 : 1] = true;
    snprintf(text, size, "no tensors");
    for (unsigned i = 0; i < 3; i++)
        if (there[i])
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     used ? " and " : "tensors in ", names[i]);
}

json_t *ts_program_what(const struct ts_work *work)
{
    const struct ts_program_run *self = work->program;
    int kernels = 0, movers = 0;
    char where[80];
    const struct ts_plan_param *steps = ts_plan_param(self->plan, "steps");
    if (steps == NULL)
        steps = ts_plan_param(self->plan, "blocks");
    places(self->plan, where, sizeof where);
    for (uint32_t i = 0; i < self->plan->kernel_count; i++) {
        const struct ts_plan_kernel *kernel = &self->plan->kernels[i];
        kernels += !kernel->boot;
        movers += !kernel->boot && kernel->on != TS_PLAN_COMPUTE && kernel->cores.count > 0;
    }
    json_t *what = json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:s}", "name", self->plan->name,
                             "runtime", ts_program_runtime(self), "place", where, "movers", movers,
                             "kernels", kernels, "on", self->count == 1 ? "core" : "cores",
                             "window", "from the first begin to the last end");
    if (steps)
        json_object_set_new(what, "blocks", json_integer((json_int_t)(steps->value + 0.5)));
    if (self->computing && self->last > self->first)
        json_object_set_new(
            what, "math",
            json_real(ts_program_computes(&work->jobs[0]) * (double)(self->last - self->first)));
    if (self->cores[0].spans_left_out) {
        json_object_set_new(what, "spans", json_integer(self->cores[0].span_count));
        json_object_set_new(what, "spans_left_out",
                            json_integer((json_int_t)self->cores[0].spans_left_out));
    }
    return what;
}

static void asked(const struct ts_plan_tensor *t, char *text, size_t size)
{
    bool pcc = t->pcc > -1, tolerance = t->tolerance < 1e300;
    char first[48] = "", second[48] = "";
    if (pcc)
        snprintf(first, sizeof first, "PCC at least %g", t->pcc);
    if (tolerance)
        snprintf(second, sizeof second, t->tolerance > 0 ? "rel_l2 at most %g" : "equal values",
                 t->tolerance);
    snprintf(text, size, "%s%s%s", first, pcc && tolerance ? ", " : "",
             pcc || tolerance ? second : "nothing");
}

void ts_program_wrong_text(const struct ts_program_run *self, char *text, size_t size)
{
    char wish[128];
    if (self->plan->captured)
        ts_captured_wrong_text(self->plan->captured, text, size);
    for (uint32_t i = self->plan->tensor_count; i-- > 0;) {
        const struct ts_plan_tensor *t = &self->plan->tensors[i];
        asked(t, wish, sizeof wish);
        if (t->wrong)
            snprintf(text, size,
                     "%s is not what the program file expects: rel_l2 %.2e, PCC %.6f (asked for: "
                     "%s)",
                     t->name, t->agreement.rel_l2, t->agreement.pcc, wish);
    }
}

static bool shown(const struct ts_program_run *self, const struct ts_launch_zone *zone)
{
    struct ts_yaml_node list = self->plan->zones;
    if (list.node == NULL)
        return true;
    for (size_t i = 0; i < ts_yaml_count(list); i++) {
        const char *name = ts_yaml_text(ts_yaml_at(list, i), "");
        size_t length = strlen(name);
        if (strncmp(zone->name, name, length) == 0 &&
            (zone->name[length] == '\0' || zone->name[length] == ' '))
            return true;
    }
    return false;
}

void ts_program_json(const struct ts_program_run *self, json_t *document)
{
    json_t *tensors = json_object(), *zones = json_array();
    for (uint32_t i = 0; i < self->plan->tensor_count; i++) {
        const struct ts_plan_tensor *t = &self->plan->tensors[i];
        const struct ts_agreement *a = &t->agreement;
        char wish[128];
        asked(t, wish, sizeof wish);
        if (t->checked)
            ts_json_put(
                tensors, t->name, "{s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:s}",
                "right", (int)!t->wrong, "rel_l2", ts_json_real(a->rel_l2), "pcc",
                ts_json_real(a->pcc), "end_to_end_rel_l2", ts_json_real(t->end_to_end.rel_l2),
                "end_to_end_pcc", ts_json_real(t->end_to_end.pcc), "result_hash",
                ts_json_hash(a->hash), "not_finite", (json_int_t)a->odd, "not_finite_expected",
                (json_int_t)a->odd_wanted, "value_count", (json_int_t)a->count, "dimensions",
                json_sprintf("%ux%u %s", t->rows, t->columns, ts_plan_format_name(t->format)),
                "asked", wish);
    }
    for (uint32_t i = 0; i < self->zone_count; i++) {
        const struct ts_launch_zone *z = &self->zones[i];
        ts_json_add(zones, "{s:s, s:s, s:I, s:f, s:I, s:I, s:b, s:b}", "on",
                    ts_processor_thread[z->processor], "name", z->name, "times",
                    (json_int_t)z->count, "mean", (double)z->sum / (double)z->count, "least",
                    (json_int_t)z->least, "most", (json_int_t)z->most, "shown", (int)shown(self, z),
                    "yours", (int)(shown(self, z) && strcmp(z->name, WHOLE) != 0));
    }
    if (self->plan->captured)
        json_object_set_new(document, "captured", ts_captured_json(self->plan->captured));
    json_object_set_new(document, "cores", json_integer(self->count));
    ts_remedies_json(self->plan, document);
    json_object_set_new(document, "tensors", tensors);
    json_object_set_new(document, "zones", zones);
}

// --- what kernels printed ---

struct printed {
    const struct ts_launch_text *text;
    const struct ts_launch_core *core;
};

static int earlier(const void *a, const void *b)
{
    const struct printed *x = a, *y = b;
    return TS_COMPARE(x->text->cycle, y->text->cycle) ?: TS_COMPARE(x->core, y->core)
                                                        ?: TS_COMPARE(x->text, y->text);
}

void ts_program_print_texts(const struct ts_program_run *self, FILE *file)
{
    size_t count = 0;
    for (uint32_t i = 0; i < self->count; i++)
        count += self->cores[i].text_count;
    struct printed *all = calloc(count + 1, sizeof *all);
    size_t used = 0;
    for (uint32_t i = 0; all && i < self->count; i++)
        for (size_t t = 0; t < self->cores[i].text_count; t++)
            all[used++] = (struct printed){&self->cores[i].texts[t], &self->cores[i]};
    qsort(all, used, sizeof *all, earlier);
    for (size_t i = 0; i < used; i++)
        fprintf(file, "%u,%u %s %" PRIu64 ": %s\n", all[i].core->core->at.x,
                all[i].core->core->at.y, ts_processor_thread[all[i].text->processor],
                all[i].text->cycle, all[i].text->text);
    free(all);
}
