// Figures, the bound and its evidence (verdict.h).
#include "platform/run/verdict.h"

#include "platform/base/json.h"
#include "platform/chip/chip.h"
#include "platform/kernel/domain.h"
#include "platform/run/expected.h"
#include "platform/run/loss.h"
#include "platform/run/plan/launch.h"
#include "platform/run/plan/llk.h"
#include "platform/run/work.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *ts_fidelity_name(uint32_t phases)
{
    static const char *const names[] = {"?", "lofi", "hifi2", "hifi3", "hifi4"};
    return names[phases <= 4 ? phases : 0];
}

// Minimum cycles of the computing unit for the FLOP that count.
static double ideal_cycles(const struct ts_job *job, const struct ts_job_result *result,
                           uint64_t vector_flops)
{
    if (job->program)
        return ts_program_ideal(job);
    if (vector_flops)
        return (double)vector_flops / TS_VECTOR_FLOPS;
    const struct ts_flops executed = ts_flops_matrix(job->tile, job->numbers.phases, 0);
    return result->flops ? (double)result->flops / executed.flops * executed.cycles : 0;
}

static void add_share(struct ts_job_verdict *self, const struct ts_component *c,
                      const struct ts_marks *marks)
{
    if (self->share_count == sizeof self->shares / sizeof *self->shares)
        return;
    const ts_cycle span = ts_marks_cycles(marks);
    struct ts_account account = ts_marks_account(marks, c);
    struct ts_share *share = &self->shares[self->share_count++];
    const char *dot = strrchr(ts_path(c), '.');
    *share = (struct ts_share){.name = dot ? dot + 1 : ts_path(c),
                               .busy = span ? (double)account.busy / (double)span : 0};
    for (unsigned place = 0; place < 4; place++) {
        int best = 0;
        for (int reason = 1; reason < TS_STALL_COUNT; reason++)
            if (account.lost[reason] > account.lost[best])
                best = reason;
        if (account.lost[best] == 0 || span == 0)
            break;
        share->stalls[place].reason = (enum ts_stall)best;
        share->stalls[place].share = (double)account.lost[best] / (double)span;
        account.lost[best] = 0;
    }
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
    self->loss = work->loss;
    self->cycles = result->loop;
    self->first = work->marks.first;
    self->window = ts_marks_cycles(&work->marks);
    self->span = run->cycle;
    self->clock_mhz = job->tile->config.clock_mhz;
    self->seconds = (double)result->loop / (self->clock_mhz * 1e6);
    self->cycles_per_unit = result->cycles_per_unit;
    ts_measures_make(&self->measures, job, result);
    self->ideal = ideal_cycles(job, result, self->measures.flops);
    double loop = result->loop ? (double)result->loop : 1;
    // A function counts what the vector unit executes; a kernel that moves has none.
    const uint64_t flops = self->measures.flops ? self->measures.flops : result->flops;
    self->tflops = (double)flops / loop * self->clock_mhz * 1e6 / 1e12;
    self->utilisation = self->ideal / loop;
    self->peak_tflops = self->utilisation > 0 ? self->tflops / self->utilisation : 0;
    if (job->program && job->program->padded > 0)
        self->padding = 1 - (double)result->flops / job->program->padded;
    if (job->program && job->program->plan->flops > 0 && result->loop) {
        self->device_cycles = (ts_cycle)(ts_program_computes(job) * loop + 0.5);
        self->device = self->device_cycles ? self->ideal / (double)self->device_cycles : 0;
    }
    count_words(self, work);
    for (struct ts_object *object = ts_kernel_objects(job->kernel); object; object = object->next) {
        const struct ts_component *c = ts_object_component(object);
        if (!c || c->domain != job->domain)
            continue;
        add_share(self, c, &work->marks);
        const struct ts_share *share = &self->shares[self->share_count - 1];
        bool computes = strcmp(share->name, "vector") == 0 || strcmp(share->name, "matrix") == 0;
        double busy = share->busy * (double)self->window / loop;
        if (computes && busy > self->math_busy)
            self->math_busy = busy;
    }
    self->roof_count = ts_roofs_make(self->roofs, self, work);
    self->trust = ts_trust_of(self, work);
    ts_ranking_make(&self->ranking, work);
    ts_verdict_bound(self, work);
}

// TFLOP/s of the vector unit at its best.
static double vector_roof(const struct ts_job_verdict *self)
{
    return TS_VECTOR_FLOPS * self->clock_mhz * 1e6 / 1e12;
}

// Which runtime, where the operands are, who moves them, on what, and of what the cycles are.
static void print_head(const struct ts_work *work, FILE *file)
{
    char title[300], each[48] = "";
    const struct ts_plan *plan = work->plan;
    const struct ts_numbers *numbers = &work->jobs[0].numbers;
    if (work->program) {
        ts_program_print_head(work, file);
        return;
    }
    ts_llk_title(plan, title, sizeof title);
    if (work->made > 1)
        snprintf(each, sizeof each, work->shares ? " of each" : " of the first");
    fprintf(file, "llk/%s: low-level kernel, ", title);
    if (work->shares)
        fprintf(file, "%u tile%s of a %s, 2 movers", work->made, work->made == 1 ? "" : "s",
                plan->soc.name);
    else
        fprintf(file, "%u tile%s, operands sharded in its L1, no movers", work->made,
                work->made == 1 ? "" : "s");
    fprintf(file, "; %" PRIu64 " %ss%s; cycles of the %s\n", work->result.work, numbers->unit, each,
            numbers->run_type == TS_RUN_L1_TO_L1       ? "math thread"
            : numbers->run_type == TS_RUN_MATH_ISOLATE ? "math thread's loop, alone"
            : numbers->run_type == TS_RUN_PACK_ISOLATE ? "pack thread's loop, alone"
            : numbers->run_type == TS_RUN_UNPACK_ISOLATE
                ? "unpack thread's loop, alone"
                : "unpack thread's loop, next to the pack thread's");
}

void ts_verdict_odd(const struct ts_agreement *agreement, const char *indent, FILE *file)
{
    if (agreement->odd || agreement->odd_wanted)
        fprintf(file,
                "%sNaN or infinite: %" PRIu64 " of %" PRIu64 " values of the result, %" PRIu64
                " of the expected ones\n",
                indent, agreement->odd, agreement->count, agreement->odd_wanted);
}

static void print_error(const struct ts_numbers *s, const struct ts_job_result *result, FILE *file)
{
    char judged[128];
    ts_expected_text(s, result->agreement.rel_l2, judged, sizeof judged);
    fprintf(file, "  error: rel_l2 %.2e, PCC %.6f (%s)\n", result->agreement.rel_l2,
            result->agreement.pcc, judged);
    ts_verdict_odd(&result->agreement, "  ", file);
    fprintf(file, "  end to end: rel_l2 %.2e, PCC %.6f (float64 on the data before it was %s",
            result->end_to_end.rel_l2, result->end_to_end.pcc, ts_datum_name(s->format));
    if (ts_end_to_end_rows(s) < s->rows)
        fprintf(file, "; %u rows", ts_end_to_end_rows(s));
    fputs(")\n", file);
    if (ts_expected_note(s))
        fprintf(file, "  %s\n", ts_expected_note(s));
}

static void print_threads(const struct ts_job_result *result, bool many, FILE *file)
{
    fprintf(file, "  %-10s %12s %12s %12s%s\n", "thread", "kernel", "init", "loop",
            many ? "   (cycles of the first tile)" : "");
    static const char *const names[TS_THREADS] = {"unpack", "math", "pack"};
    for (unsigned t = 0; t < TS_THREADS; t++)
        fprintf(file, "  %-10s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", names[t],
                result->zones[t][TS_JOB_KERNEL].end - result->zones[t][TS_JOB_KERNEL].start,
                result->zones[t][TS_JOB_INIT].end - result->zones[t][TS_JOB_INIT].start,
                result->zones[t][TS_JOB_LOOP].end - result->zones[t][TS_JOB_LOOP].start);
}

void ts_verdict_print(const struct ts_work *work, FILE *file)
{
    const struct ts_job_verdict *self = &work->verdict;
    const struct ts_job *job = &work->jobs[0];
    const struct ts_job_result *result = &work->result;
    print_head(work, file);
    bool grid = work->shares && !job->program;
    const bool many = strcmp(self->scope, "one tile") != 0;
    double tiles = grid ? work->made : 1;
    if (grid) // the chip's figures come first
        fprintf(file, "  %.2f TFLOP/s of %u tiles, %.1f %% of %.1f at this fidelity\n",
                tiles * self->tflops, work->made, 100 * self->utilisation,
                tiles * self->peak_tflops);
    fprintf(file,
            "  %" PRIu64 " cycles%s, %.2f us at %u MHz; %.2f cycles a %s (%" PRIu64 " of them%s)\n",
            self->cycles,
            grid                    ? " (mean of the tiles)"
            : many && !job->program ? " (of the first tile)"
                                    : "",
            1e6 * self->seconds, self->clock_mhz, self->cycles_per_unit, job->numbers.unit,
            result->work, many && !job->program ? " on each" : "");
    fprintf(file, "  before them: %" PRIu64 " cycles of boot and launch, which no figure counts\n",
            self->first);
    ts_measures_print(&self->measures, self->tflops, vector_roof(self), file);
    if (self->utilisation > 0 && self->measures.flops == 0)
        fprintf(file, "  %s%.*f TFLOP/s, %.1f %% of %.3f at this fidelity\n",
                many && !job->program ? "of a tile: " : "", self->tflops < 0.1 ? 5 : 3,
                self->tflops, 100 * self->utilisation, self->peak_tflops);
    if (self->padding > 0)
        fprintf(file,
                "  padding: %.1f %% of the products that are executed (%.3f TFLOP/s with them)\n",
                100 * self->padding, self->tflops / (1 - self->padding));
    if (self->device > 0)
        fprintf(file,
                "  device utilisation %.1f %%: while the math kernels run, %" PRIu64
                " cycles on average (what the vendor publishes)\n",
                100 * self->device, self->device_cycles);
    if (self->intensity > 0)
        fprintf(file, "  MVMUL intensity %.3f %% (%" PRIu64 " MVMULs, %" PRIu64 " NOPs%s%s)\n",
                100 * self->intensity, self->mvmuls, self->nops, many ? " of " : "",
                many ? self->scope : "");
    fprintf(file, "  bound by %s: %s\n", self->bound_object, self->evidence);
    ts_roofs_print(self->roofs, self->roof_count, many ? self->scope : NULL, file);
    if (self->loss)
        ts_loss_print(self->loss, file);
    ts_ranking_print(&self->ranking, file);
    ts_trust_print(&self->trust, file);
    if (job->program) {
        ts_program_print_results(job->program, file);
        ts_program_print_zones(job->program, file);
    } else {
        if (result->checked)
            print_error(&job->numbers, result, file);
        print_threads(result, many, file);
    }
    fprintf(file,
            "  %-10s %8s   where the other cycles went (%% of the same %" PRIu64 " cycles%s)\n",
            "where", "busy", self->window, work->made > 1 ? ", of the first tile" : "");
    for (unsigned i = 0; i < self->share_count; i++) {
        const struct ts_share *share = &self->shares[i];
        if (job->program && share->stalls[0].reason == TS_STALL_IDLE &&
            share->stalls[0].share > 0.999)
            continue; // a program need not use every unit
        fprintf(file, "  %-10s %6.1f %%  ", share->name, 100 * share->busy);
        for (unsigned k = 0; k < 4 && share->stalls[k].share > 0.0005; k++)
            fprintf(file, " %s %.1f %%", ts_stall_name(share->stalls[k].reason),
                    100 * share->stalls[k].share);
        fputc('\n', file);
    }
}

static json_t *json_error(const struct ts_agreement *agreement)
{
    return json_pack("{s:o, s:o, s:I}", "rel_l2", ts_json_real(agreement->rel_l2), "pcc",
                     ts_json_real(agreement->pcc), "not_finite", (json_int_t)agreement->odd);
}

// Both windows: of the math kernels, and from the first begin to the last end of any kernel.
static void json_windows(const struct ts_work *work, json_t *document)
{
    ts_cycle first = TS_NEVER, last = 0, math = 0;
    for (uint32_t i = 0; i < work->made; i++) {
        for (unsigned t = 0; t < TS_THREADS; t++) {
            const struct ts_job_zone *zone = &work->results[i].zones[t][TS_JOB_KERNEL];
            first = zone->end && zone->start < first ? zone->start : first;
            last = zone->end > last ? zone->end : last;
        }
        const struct ts_job_zone *zone = &work->results[i].zones[1][TS_JOB_KERNEL];
        math += zone->end - zone->start;
    }
    if (work->program)
        first = work->program->first, last = work->program->last;
    json_object_set_new(document, "windows",
                        json_pack("{s:I, s:I}", "math",
                                  (json_int_t)((math + work->made / 2) / work->made), "program",
                                  (json_int_t)(last > first ? last - first : 0)));
}

void ts_verdict_json(const struct ts_work *work, json_t *document)
{
    const struct ts_job_verdict *self = &work->verdict;
    const struct ts_job *job = &work->jobs[0];
    const struct ts_job_result *result = &work->result;
    const struct ts_numbers *s = &job->numbers;
    json_object_set_new(document, "kernel", json_string(work->plan->name));
    json_object_set_new(document, "runtime",
                        json_string(work->program ? ts_program_runtime(work->program) : "llk"));
    if (job->chip)
        json_object_set_new(document, "chip", json_string(job->chip->soc.name));
    if (!job->program)
        ts_llk_json(work->plan, document);
    json_windows(work, document);
    json_object_set_new(document, "format", json_string(ts_datum_name(s->format)));
    json_object_set_new(document, "fidelity", json_string(ts_fidelity_name(s->phases)));
    json_object_set_new(document, "throttle", json_integer(s->throttle));
    json_object_set_new(document, "dst", json_integer(s->dst32 ? 32 : 16));
    json_object_set_new(document, "cycles", json_integer((json_int_t)self->cycles));
    json_object_set_new(document, "run_cycles", json_integer((json_int_t)result->cycles));
    json_object_set_new(document,
                        strcmp(s->unit, "product") == 0 ? "cycles_per_product" : "cycles_per_tile",
                        json_real(self->cycles_per_unit));
    json_object_set_new(document, "seconds", json_real(self->seconds));
    json_object_set_new(document, "scope", json_string(self->scope));
    json_object_set_new(document, "where_scope",
                        json_string(strcmp(self->scope, "one tile") ? "first tile" : "one tile"));
    json_object_set_new(document, "clock_mhz", json_integer(self->clock_mhz));
    json_object_set_new(document, "tflops", json_real(self->tflops));
    json_object_set_new(document, "peak_tflops", json_real(self->peak_tflops));
    ts_measures_json(&self->measures, vector_roof(self), document);
    json_object_set_new(document, "utilisation", json_real(self->utilisation));
    if (job->program && job->program->plan->flops > 0) {
        json_object_set_new(document, "flops", json_real((double)result->flops));
        json_object_set_new(document, "padding", json_real(self->padding));
        json_object_set_new(document, "padded_flops",
                            json_real((double)result->flops / (1 - self->padding)));
        json_object_set_new(document, "padded_tflops",
                            json_real(self->tflops / (1 - self->padding)));
        json_object_set_new(document, "device_utilisation", json_real(self->device));
        json_object_set_new(document, "device_cycles",
                            json_integer((json_int_t)self->device_cycles));
    }
    json_object_set_new(document, "roofs", ts_roofs_json(self->roofs, self->roof_count));
    json_object_set_new(document, "trust", ts_trust_json(&self->trust));
    json_t *ranking = ts_ranking_json(&self->ranking);
    if (ranking)
        json_object_set_new(document, "ranking", ranking);
    json_object_set_new(document, "math_busy", json_real(self->math_busy));
    json_object_set_new(document, "intensity", json_real(self->intensity));
    json_object_set_new(document, "mvmuls", json_integer((json_int_t)self->mvmuls));
    json_object_set_new(document, "nops", json_integer((json_int_t)self->nops));
    json_object_set_new(document, "bound_by", json_string(self->bound_by));
    json_object_set_new(document, "bound_object", json_string(self->bound_object));
    json_object_set_new(document, "evidence", json_string(self->evidence));
    if (result->checked) {
        json_object_set_new(document, "result_hash", ts_json_hash(result->agreement.hash));
        json_object_set_new(document, "rel_l2", ts_json_real(result->agreement.rel_l2));
        json_object_set_new(document, "pcc", ts_json_real(result->agreement.pcc));
        json_object_set_new(document, "max_ulp", ts_json_real(result->agreement.max_ulp));
        if (!job->program)
            json_object_set_new(document, "expected_rel_l2", json_real(ts_expected_error(s)));
        json_object_set_new(document, "end_to_end_rel_l2", ts_json_real(result->end_to_end.rel_l2));
        json_object_set_new(document, "end_to_end_pcc", ts_json_real(result->end_to_end.pcc));
        json_object_set_new(document, "differ", json_integer((json_int_t)result->agreement.differ));
        json_object_set_new(document, "errors",
                            json_pack("{s:o, s:o}", "quantised", json_error(&result->agreement),
                                      "original", json_error(&result->end_to_end)));
    }
    json_t *threads = json_object();
    static const char *const names[TS_THREADS] = {"unpack", "math", "pack"};
    static const char *const zones[TS_JOB_ZONES] = {"KERNEL", "INIT", "TILE_LOOP"};
    for (unsigned t = 0; t < TS_THREADS; t++) {
        json_t *row = json_object();
        for (unsigned z = 0; z < TS_JOB_ZONES; z++)
            json_object_set_new(
                row, zones[z],
                json_integer((json_int_t)(result->zones[t][z].end - result->zones[t][z].start)));
        json_object_set_new(threads, names[t], row);
    }
    json_object_set_new(document, "zones", threads);
    json_t *shares = json_array();
    for (unsigned i = 0; i < self->share_count; i++) {
        json_t *stalls = json_object();
        for (unsigned k = 0; k < 4 && self->shares[i].stalls[k].share > 0; k++)
            json_object_set_new(stalls, ts_stall_name(self->shares[i].stalls[k].reason),
                                json_real(self->shares[i].stalls[k].share));
        json_array_append_new(shares, json_pack("{s:s, s:f, s:o}", "name", self->shares[i].name,
                                                "busy", self->shares[i].busy, "stalls", stalls));
    }
    json_object_set_new(document, "where", shares);
    json_object_set_new(document, "where_cycles", json_integer((json_int_t)self->window));
    json_object_set_new(document, "boot_cycles", json_integer((json_int_t)self->first));
}
