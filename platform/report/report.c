// The page of one run (report.h).
#include "platform/report/report.h"

#include "platform/explain/hang.h"
#include "platform/kernel/domain.h"
#include "platform/report/page.h"
#include "platform/report/sections.h"
#include "platform/run/expected.h"
#include "platform/run/plan/launch.h"
#include "platform/run/work.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- the answer

void ts_report_card(json_t *cards, double value, const char *format, ...)
{
    char name[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    json_t *figure = value == (double)(json_int_t)value ? json_integer((json_int_t)value)
                                                        : json_real(value);
    json_array_append_new(cards, json_pack("[o, s]", figure, name));
}

// The errors of the results: of a grid the largest of all tiles.
static void add_errors(const struct ts_run_report *self, bool grid, json_t *cards)
{
    const struct ts_job_result *worst = self->result;
    for (uint32_t i = 0; grid && i < self->work->made; i++)
        if (self->work->results[i].agreement.rel_l2 > worst->agreement.rel_l2)
            worst = &self->work->results[i];
    const char *tiles = grid ? ", the worst tile" : "";
    if (self->result->checked && self->job->program) {
        ts_report_card(cards, worst->agreement.pcc, "PCC: %sas expected",
                       ts_program_wrong(self->job->program) ? "not " : "");
        ts_report_card(cards, worst->end_to_end.rel_l2,
                       "rel_l2 end to end, with the original data");
    } else if (self->result->checked) {
        char judged[128];
        ts_expected_text(&self->job->spec, worst->agreement.rel_l2, judged, sizeof judged);
        ts_report_card(cards, worst->agreement.rel_l2, "rel_l2%s, %s", tiles, judged);
        ts_report_card(cards, worst->end_to_end.rel_l2,
                       "rel_l2 end to end%s: data before it was %s", tiles,
                       ts_datum_name(self->job->spec.format));
    }
}

static void add_cards(const struct ts_run_report *self, json_t *page)
{
    const struct ts_job_verdict *v = self->verdict;
    json_t *cards = json_array();
    uint32_t grid = self->job->spec.grid_rows && !self->job->program ? self->tiles : 0;
    if (grid && v->utilisation > 0) { // the chip's figures come first
        ts_report_card(cards, grid * v->tflops, "TFLOP/s of %u tiles", grid);
        ts_report_card(cards, 100 * v->utilisation, "%% of the peak at this fidelity");
    }
    ts_report_card(cards, (double)v->cycles, grid ? "cycles, mean of the tiles" : "cycles");
    ts_report_card(cards, 1e6 * v->seconds, "µs at %u MHz", v->clock_mhz);
    ts_report_card(cards, (double)v->first, "cycles of boot and launch before, in no other figure");
    if (!grid)
        ts_report_card(cards, v->cycles_per_unit, "cycles a %s", self->job->kind->unit);
    if (v->measures.elements > 0)
        ts_report_card(cards, v->measures.elements, "elements a cycle");
    if (v->measures.operations > 0)
        ts_report_card(cards, v->measures.operations, "operations a cycle, of the vector unit's %d",
                       TS_VECTOR_LANES);
    if (v->utilisation > 0 && !grid) { // else FLOPs are meaningless: moves
        ts_report_card(cards, v->tflops, self->job->program ? "TFLOP/s" : "TFLOP/s of a tile");
        ts_report_card(cards, 100 * v->utilisation,
                       v->measures.flops ? "%% of an SFPMAD in every cycle"
                                         : "%% of the peak at this fidelity");
        if (v->padding > 0)
            ts_report_card(cards, 100 * v->padding, "%% of the products are padding");
        if (v->device > 0)
            ts_report_card(cards, 100 * v->device,
                           "%% of the peak at this fidelity while the math kernels run");
    }
    if (self->periods)
        ts_report_chip_cards(self->work, cards);
    add_errors(self, grid, cards);
    ts_page_add(page, "cards", NULL, json_pack("{s:o}", "cards", cards));
}

static void answer_of(const struct ts_run_report *self, char *text, size_t size)
{
    const struct ts_job_verdict *v = self->verdict;
    int used = 0;
    if (self->job->spec.grid_rows && !self->job->program && v->utilisation > 0)
        used = snprintf(text, size, "%.2f TFLOP/s of %u tiles, ", self->tiles * v->tflops,
                        self->tiles);
    used += snprintf(text + used, size - (size_t)used, "%llu cycles, %.2f µs at %u MHz",
                     (unsigned long long)v->cycles, 1e6 * v->seconds, v->clock_mhz);
    if (v->utilisation > 0)
        used += snprintf(text + used, size - (size_t)used,
                         v->measures.flops ? ", %.1f %% of an SFPMAD in every cycle"
                                           : ", %.1f %% of the peak at this fidelity",
                         100 * v->utilisation);
    snprintf(text + used, size - (size_t)used, ". Bound by %s: %s.", v->bound_object, v->evidence);
}

// ---- plots

// Throughput against work per byte, below the roofs of the unit and of the unpackers.
static void add_roofline(const struct ts_run_report *self, json_t *page)
{
    const struct ts_job_verdict *v = self->verdict;
    if (v->flops_per_byte <= 0 || v->peak_tflops <= 0 || v->unpack_roof <= 0)
        return;
    double per_byte = v->unpack_roof * v->clock_mhz * 1e6 / 1e12; // TFLOP/s at 1 FLOP a byte
    double knee = v->peak_tflops / per_byte;
    double low = (knee < v->flops_per_byte ? knee : v->flops_per_byte) / 4;
    double high = (knee > v->flops_per_byte ? knee : v->flops_per_byte) * 4;
    ts_page_add(page, "plot", self->job->program ? "Roofline" : "Roofline of one tile",
                json_pack("{s:{s:s, s:b}, s:{s:s, s:b}, s:[{s:s, s:b, s:b, s:[[f,f],[f,f]]}, "
                          "{s:s, s:b, s:b, s:[[f,f],[f,f]]}, {s:s, s:[[f,f,s]]}]}",
                          "x", "name", "FLOP per byte unpacked from L1", "log", 1, "y", "name",
                          "TFLOP/s", "log", 1, "series", "name", "roof of the unpackers", "line", 1,
                          "bare", 1, "points", low, low * per_byte, knee, v->peak_tflops, "name",
                          "roof of the unit", "line", 1, "bare", 1, "points", knee, v->peak_tflops,
                          high, v->peak_tflops, "name", "this run", "points", v->flops_per_byte,
                          v->tflops, "this run"));
}

// Where time on the page begins: with the first of the kernel's threads, without boot.
static ts_cycle begin_of(const struct ts_run_report *self)
{
    ts_cycle first = self->verdict->first;
    for (unsigned t = 0; t < TS_THREADS && !self->job->program; t++) {
        ts_cycle start = self->result->zones[t][TS_JOB_KERNEL].start;
        first = start && start < first ? start : first;
    }
    return first;
}

// Zones of the three threads over time.
static void add_zones(const struct ts_run_report *self, json_t *page)
{
    static const char *const threads[TS_THREADS] = {"unpack", "math", "pack"};
    static const char *const zones[TS_JOB_ZONES] = {"kernel", "init", "tile loop"};
    json_t *rows = json_array();
    for (unsigned t = 0; t < TS_THREADS; t++) {
        json_t *parts = json_array();
        for (unsigned z = 0; z < TS_JOB_ZONES; z++) {
            const struct ts_job_zone *zone = &self->result->zones[t][z];
            if (zone->end > zone->start)
                json_array_append_new(parts, json_pack("[I, I, s, f]", (json_int_t)zone->start,
                                                       (json_int_t)zone->end, zones[z],
                                                       z == TS_JOB_KERNEL ? 0.2 : 1.0));
        }
        json_array_append_new(rows, json_pack("{s:s, s:o}", "name", threads[t], "parts", parts));
    }
    ts_page_add(page, "lanes", "Zones of the three threads, without boot",
                json_pack("{s:I, s:I, s:o}", "from", (json_int_t)begin_of(self), "to",
                          (json_int_t)self->verdict->span, "rows", rows));
}

static void add_utilisation(const struct ts_run_report *self, json_t *page)
{
    const struct ts_job_verdict *verdict = self->verdict;
    json_t *rows = json_array();
    for (unsigned i = 0; i < verdict->share_count; i++) {
        const struct ts_share *share = &verdict->shares[i];
        json_t *parts = json_pack("[[s, f]]", "busy", 100 * share->busy);
        for (unsigned k = 0; k < 4 && share->stalls[k].share > 0; k++)
            if (share->stalls[k].reason != TS_STALL_IDLE)
                json_array_append_new(parts,
                                      json_pack("[s, f]", ts_stall_name(share->stalls[k].reason),
                                                100 * share->stalls[k].share));
        json_array_append_new(rows, json_pack("{s:s, s:o}", "name", share->name, "parts", parts));
    }
    ts_page_add(page, "bars", "Busy, and waiting by reason (the rest is idle)",
                json_pack("{s:o, s:s, s:i}", "rows", rows, "unit", "% of the kernel's cycles",
                          "high", 100));
}

// ---- tables

// Waits by component (rows) and reason (columns), in cycles of the kernel.
static void add_matrix(const struct ts_run_report *self, json_t *page)
{
    bool used[TS_STALL_COUNT] = {false};
    json_t *heads = json_pack("[s, s, s]", "who", "busy", "idle"), *rows = json_array();
    json_t *hints = json_pack("[n, s, s]", "cycles of work", "cycles without anything to do");
    const struct ts_domain *domain = self->job->domain;
    for (uint32_t i = 0; i < domain->count; i++) {
        struct ts_account account = ts_marks_account(&self->work->marks, domain->components[i]);
        for (int r = TS_STALL_IDLE + 1; r < TS_STALL_COUNT; r++)
            used[r] |= account.lost[r] != 0;
    }
    for (int r = TS_STALL_IDLE + 1; r < TS_STALL_COUNT; r++)
        if (used[r]) {
            json_array_append_new(heads, json_string(ts_stall_name((enum ts_stall)r)));
            json_array_append_new(hints, json_string(ts_stall_text((enum ts_stall)r)));
        }
    for (uint32_t i = 0; i < domain->count; i++) {
        const char *path = ts_path(domain->components[i]), *dot = strrchr(path, '.');
        struct ts_account account = ts_marks_account(&self->work->marks, domain->components[i]);
        json_t *row = json_pack("[s, I, I]", dot ? dot + 1 : path, (json_int_t)account.busy,
                                (json_int_t)account.lost[TS_STALL_IDLE]);
        for (int r = TS_STALL_IDLE + 1; r < TS_STALL_COUNT; r++)
            if (used[r])
                json_array_append_new(
                    row, account.lost[r] ? json_integer((json_int_t)account.lost[r]) : json_null());
        json_array_append_new(rows, row);
    }
    char title[96];
    snprintf(title, sizeof title, "Stall matrix (of the kernel's %llu cycles)",
             (unsigned long long)self->verdict->window);
    ts_page_add(page, "table", title,
                json_pack("{s:o, s:o, s:o, s:[i], s:i, s:s}", "heads", heads, "rows", rows, "hints",
                          hints, "text", 0, "upright", 3, "class", "stalls"));
}

// Instructions that the three threads executed.
static void add_instructions(const struct ts_run_report *self, json_t *page)
{
    json_t *rows = json_array();
    for (unsigned op = 0; op < 256; op++) {
        json_int_t count[TS_THREADS], sum = 0;
        for (unsigned t = 0; t < TS_THREADS; t++)
            sum += count[t] = (json_int_t)self->job->tile->front[t].passed[op];
        if (sum)
            json_array_append_new(
                rows, json_pack("[s, I, I, I]", ts_op_info[op].name, count[0], count[1], count[2]));
    }
    ts_page_add(page, "table", "Instructions that passed the gates",
                json_pack("{s:[s, s, s, s], s:o, s:[i]}", "heads", "instruction", "T0", "T1", "T2",
                          "rows", rows, "text", 0));
}

// ---- text

// A fold with what `write` prints.
static void add_printed(json_t *page, const char *title, void (*write)(const void *self, FILE *),
                        const void *self)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    write(self, memory);
    fclose(memory);
    json_t *fold = ts_page_part(page, "fold", title);
    ts_page_add(fold, "text", NULL, json_pack("{s:s, s:b}", "text", text, "pre", 1));
    free(text);
}

static void print_verdict(const void *report, FILE *file)
{
    const struct ts_run_report *self = report;
    ts_verdict_print(self->verdict, self->job, self->result, file);
}

static void print_params(const void *params, FILE *file)
{
    ts_params_write(params, file);
}

// The rules by which silicon and the reference simulator differ, where the run met a difference.
static void add_rules(const struct ts_run_report *self, json_t *page)
{
    size_t index;
    json_t *rule, *rows = json_array();
    json_array_foreach(json_object_get(self->document, "bit_rules"), index, rule)
    {
        json_array_append_new(rows, json_pack("[O, O, O, O]", json_object_get(rule, "rule"),
                                              json_object_get(rule, "bits"),
                                              json_object_get(rule, "count"),
                                              json_object_get(rule, "text")));
    }
    if (index)
        ts_page_add(page, "table", "Bit rules that mattered",
                    json_pack("{s:[s, s, s, s], s:O, s:[i, i, i]}", "heads", "rule", "bits as",
                              "times", "what the unit does", "rows", rows, "text", 0, 1, 3));
    json_decref(rows);
}

static void print_json(const void *document, FILE *file)
{
    json_dumpf(document, file, JSON_INDENT(1));
}

static void add_setup(const struct ts_run_report *self, json_t *page)
{
    char text[128];
    snprintf(text, sizeof text, "tensim %s, clock %u MHz, %u %s", TENSIM_VERSION,
             self->verdict->clock_mhz, self->tiles, self->tiles == 1 ? "tile" : "tiles");
    ts_page_add(page, "text", "Set-up", json_pack("{s:s}", "text", text));
    if (self->params)
        add_printed(page, "Every parameter: value, unit, kind, source", print_params, self->params);
    add_printed(page, "The result as JSON", print_json, self->document);
}

// As requested: for a grid, the complete matrix.
static void title_of(const struct ts_run_report *self, char *text, size_t size)
{
    const struct ts_job_spec *s = &self->job->spec;
    if (self->job->program) {
        snprintf(text, size, "tensim %s on %u core%s", ts_program_name(self->job->program),
                 self->tiles, self->tiles == 1 ? "" : "s");
        return;
    }
    uint32_t rows = s->grid_rows ? s->grid_rows : 1, columns = s->grid_rows ? s->grid_columns : 1;
    char inner[16] = "";
    if (strncmp(s->program, "matmul", 6) == 0)
        snprintf(inner, sizeof inner, "x%u", s->k);
    int used = snprintf(text, size, "tensim %s%s%s %ux%u%s %s %s", s->program, s->op ? " " : "",
                        s->op ? s->op : "", s->m * rows, s->n * columns, inner,
                        ts_datum_name(s->format), ts_fidelity_name(s->phases));
    if (s->grid_rows)
        snprintf(text + used, size - (size_t)used, " over %ux%u tiles, %ux%u%s each", columns, rows,
                 s->m, s->n, inner);
}

// From here on the page is about one tile of many.
static void add_first_tile(const struct ts_run_report *self, json_t *page)
{
    char title[64];
    snprintf(title, sizeof title, "Tile %u-%u, the first of %u", self->job->tile->x,
             self->job->tile->y, self->tiles);
    ts_page_add(
        page, "text", title,
        json_pack("{s:s, s:s}", "text", "All that follows is of this tile.", "class", "note"));
}

void ts_report_write(const struct ts_run_report *self, FILE *file)
{
    char title[160], answer[512], *command = ts_page_command(self->argc, self->argv);
    title_of(self, title, sizeof title);
    answer_of(self, answer, sizeof answer);
    json_t *page = ts_page_new(title, answer);
    json_object_set(page, "hang", json_object_get(self->document, "hang")); // if there is one
    add_cards(self, page);
    ts_report_loss(self->document, page);
    if (json_object_get(self->document, "lints"))
        ts_report_lints(json_object_get(self->document, "lints"), page);
    if (self->periods)
        ts_report_map(self->periods, self->verdict->span, self->verdict->window, page);
    if (self->tiles > 1)
        add_first_tile(self, page);
    json_t *plots = ts_page_part(page, "plots", NULL);
    if (self->record)
        ts_report_lanes(self->record, begin_of(self), plots);
    if (self->job->program)
        ts_report_zones(self->job->program, plots);
    else
        add_zones(self, plots);
    add_utilisation(self, plots);
    add_roofline(self, plots);
    if (self->record)
        ts_report_levels(self->record, begin_of(self), plots);
    if (self->job->program)
        ts_report_zone_table(self->job->program, page);
    if (self->record)
        ts_report_waits(self->record, self->verdict->window, page);
    add_matrix(self, page);
    add_instructions(self, page);
    add_rules(self, page);
    add_printed(page, "The verdict as text", print_verdict, self);
    add_setup(self, page);
    ts_page_write(page, NULL, command, file);
    json_decref(page);
    free(command);
}
