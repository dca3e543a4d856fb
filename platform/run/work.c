#include "platform/base/json.h"
#include "platform/run/plan/captured.h"
#include "platform/run/plan/launch.h"
#include "platform/run/plan/llk.h"
#include "platform/run/power.h"
#include "platform/tile/names.h"
#include "platform/tile/watchdog.h"

void ts_work_join(struct ts_work *self, uint32_t i, unsigned core)
{
    const struct ts_tile *tile = self->jobs[i].tile;
    struct ts_noc_site *site = ts_noc_torus_site(&self->chip.torus, tile->x, tile->y);
    if (self->jobs[i].loss)
        ts_loss_join(self->jobs[i].loss, &self->chip.soc, site->niu, core);
}

void ts_work_free(struct ts_work *self)
{
    if (self == NULL)
        return;
    for (uint32_t i = 0; i < self->made; i++) {
        self->jobs[i].tile = self->machine ? NULL : self->jobs[i].tile;
        ts_job_free(&self->jobs[i]);
    }
    for (uint32_t i = 0; self->machine && i < TS_NOC_WIDTH_MAX * TS_NOC_HEIGHT_MAX; i++)
        ts_tile_free(self->machine[i]);
    free(self->machine);
    ts_marks_free(&self->marks);
    ts_lines_free(self->lines);
    ts_chip_free(&self->chip);
    ts_program_free(self->program);
    ts_plan_free(self->plan);
    free(self->results);
    ts_loss_account_free(self->loss);
    free(self->jobs);
    free(self);
}

static bool watch_lines(struct ts_work *self, uint32_t tiles, struct ts_error *error)
{
    self->lines = ts_lines_new(tiles);
    if (self->lines == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < tiles; i++)
        ts_lines_add(self->lines, i, self->jobs[i].tile, self->jobs[i].loss);
    self->marks.taken = ts_lines_taken;
    self->marks.taken_context = self->lines;
    return true;
}

bool ts_work_start(struct ts_work *self, struct ts_error *error)
{
    const uint32_t tiles = ts_work_tiles(self);
    if (!ts_marks_init(&self->marks, self->jobs[0].kernel))
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; i < tiles; i++)
        self->jobs[i].marks = &self->marks;
    if (self->by_line && !watch_lines(self, tiles, error))
        return false;
    if (self->program)
        return ts_program_start(self, error);
    return ts_llk_start(self, error);
}

static void begin_window(struct ts_work *self, ts_cycle now)
{
    for (uint32_t i = 0; i < self->made; i++) {
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            ts_rv_core_let_go(&self->jobs[i].tile->cores[core]);
        struct ts_loss *loss = self->jobs[i].loss;
        if (loss) {
            memset(loss->under_way, 0, sizeof loss->under_way);
            memset(loss->channel, 0, sizeof loss->channel);
        }
    }
    if (self->began)
        self->began(self->began_context, now);
}

bool ts_work_break(struct ts_work *self, ts_cycle now)
{
    uint32_t done = 0;
    const bool captured = self->program && self->program->plan->captured; // its firmware polls on
    struct ts_error ignored = {0}; // it fitted when it was captured
    if (captured)
        ts_captured_store(self->program->plan->captured, &self->chip, now + 1, &ignored);
    if (ts_marks_stopped(&self->marks, now))
        begin_window(self, now);
    for (uint32_t i = 0; i < self->made; i++) {
        if (self->jobs[i].done == 0)
            continue;
        done++;
        for (unsigned core = 0; self->made > 1 && !captured && core < TS_RV_CORES; core++)
            ts_tile_hold(self->jobs[i].tile, core, now);
    }
    return done == self->made;
}

struct ts_run ts_work_run(struct ts_work *self, ts_cycle limit)
{
    for (;;) {
        struct ts_run run = ts_watched_run(self->jobs[0].kernel, limit);
        if (run.stop != TS_STOP_BREAK || ts_work_break(self, run.cycle))
            return run;
    }
}

double ts_work_share(struct ts_work *self)
{
    double done = 0;
    if (self->program)
        return 0; // not known
    for (uint32_t i = 0; i < self->made; i++)
        done += ts_llk_share(&self->jobs[i]);
    return done / self->made;
}

// The zones of the kernels, for a trace: of the first core of a program file, of every core of a
// low-level kernel.
static void trace_zones(struct ts_work *self)
{
    static const char *const names[TS_JOB_ZONES] = {"KERNEL", "INIT", "TILE_LOOP"};
    const struct ts_program_run *program = self->program;
    if (self->traced)
        return;
    self->traced = true;
    for (uint32_t i = 0; program && i < program->cores[0].span_count; i++) {
        const struct ts_launch_span *span = &program->cores[0].spans[i];
        const struct ts_launch_zone *zone = &program->zones[span->zone];
        ts_trace_zone(&self->jobs[0].tile->cores[ts_processor_core[zone->processor]].component,
                      zone->name, span->start, span->end);
    }
    for (uint32_t i = 0; !program && i < self->made; i++)
        for (unsigned t = 0; t < TS_THREADS; t++)
            for (unsigned z = 0; z < TS_JOB_ZONES; z++) {
                const struct ts_job_zone *zone = &self->results[i].zones[t][z];
                ts_trace_zone(&self->jobs[i].tile->cores[TS_RV_TRISC0 + t].component, names[z],
                              zone->start, zone->end);
            }
}

// The window of all figures: the account's, else that of the first tile's timed zone.
static void close_window(struct ts_work *self, const struct ts_run *run)
{
    const struct ts_job_timed *timed = &ts_job_timed[self->jobs[0].numbers.run_type];
    const struct ts_job_zone *zone = &self->results[0].zones[timed->thread][timed->zone];
    ts_cycle first = self->loss      ? self->loss->first
                     : self->program ? self->program->first
                                     : zone->start;
    ts_cycle last = self->loss      ? first + self->loss->wall
                    : self->program ? self->program->last
                                    : zone->end;
    ts_marks_close(&self->marks, first, last > first ? last : first, run->cycle);
}

// The device's figure as in the vendor's report: the mean of the math threads' kernels.
static ts_cycle mean_loop(const struct ts_work *self)
{
    ts_cycle sum = 0;
    for (uint32_t i = 0; i < self->made; i++)
        sum += self->results[i].loop;
    return (sum + self->made / 2) / self->made;
}

bool ts_work_finish(struct ts_work *self, const struct ts_run *run, struct ts_error *error)
{
    if (self->results == NULL)
        self->results = calloc(self->made, sizeof *self->results);
    if (self->results == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    (self->program ? ts_program_finish : ts_llk_finish)(self, run);
    self->result = self->results[0];
    for (uint32_t i = 0; i < self->made && self->result.code == TS_OK; i++)
        if (self->results[i].code != TS_OK)
            self->result = self->results[i];
    if (self->result.code != TS_OK)
        return true;
    trace_zones(self);
    if (self->shares && !self->program) {
        self->result.loop = mean_loop(self);
        self->result.cycles_per_unit = (double)self->result.loop / (double)self->result.work;
    }
    ts_loss_account_free(self->loss);
    self->loss = ts_loss_account_new(self);
    close_window(self, run);
    ts_verdict_make(&self->verdict, self, run);
    return true;
}

void ts_work_json(const struct ts_work *self, json_t *document)
{
    ts_verdict_json(self, document);
    ts_work_power_json(self, document);
    if (self->verdict.mvmuls)
        ts_fidelity_json(&self->jobs[0].numbers, document);
    if (self->loss)
        ts_loss_json(self->loss, document);
    if (self->lines) {
        json_t *lines = ts_lines_json(self->lines, &self->marks);
        ts_lines_texts(lines);
        json_object_set_new(document, "lines", lines);
    }
    if (self->program)
        ts_program_json(self->program, document);
    if (self->program)
        return;
    json_t *tiles = json_array();
    for (uint32_t i = 0; i < self->made; i++)
        ts_json_add(tiles, "{s:I, s:o, s:o, s:o, s:o}", "cycles", (json_int_t)self->results[i].loop,
                    "rel_l2", ts_json_real(self->results[i].agreement.rel_l2), "pcc",
                    ts_json_real(self->results[i].agreement.pcc), "end_to_end_rel_l2",
                    ts_json_real(self->results[i].end_to_end.rel_l2), "result_hash",
                    ts_json_hash(self->results[i].agreement.hash));
    json_object_set_new(document, "tiles", tiles);
    if (self->shares) {
        double count = self->made;
        json_object_set_new(document, "grid_tflops", json_real(self->verdict.tflops * count));
        json_object_set_new(document, "grid_peak_tflops",
                            json_real(self->verdict.peak_tflops * count));
    }
}
