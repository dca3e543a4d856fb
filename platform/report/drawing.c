// A run, for its page (drawing.h): the chip's totals, the error of the worst tile; of every tile its zones, the accounts of
// its parts, its instructions and losses; and the texts that the page shows as they are.
#include "platform/report/drawing.h"

#include "platform/base/json.h"
#include "platform/out/text.h"
#include "platform/run/plan/launch.h"
#include "platform/tile/names.h"

#define LOSSES 11 // of a tile; its smaller ones are one

// ---- the chip's totals

static json_t *links(const struct ts_work *work)
{
    json_t *rows = json_array();
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++) {
        const char *path;
        double busy = ts_marks_busiest(&work->marks, &work->chip.torus, noc, &path);
        ts_json_add(rows, "{s:f, s:s*}", "busy", busy, "path", path);
    }
    return rows;
}

// Shares of the kernel's window: the matrix units of all tiles, DRAM, the busiest links.
static json_t *totals(const struct ts_work *work)
{
    json_t *matrix = json_array();
    for (uint32_t i = 0; i < work->made; i++) {
        const struct ts_tile *tile = work->jobs[i].tile;
        json_array_append_new(
            matrix, json_real(ts_marks_busy(&work->marks, &tile->matrix.unit.component.object)));
    }
    json_t *all = json_pack("{s:o}", "matrix", matrix);
    if (!work->shares)
        return all; // tiles without networks
    struct ts_network_use use = ts_network_use_of(work);
    ts_json_put(all, "dram", "{s:f, s:f, s:i, s:f}", "rate", use.dram_rate, "peak", use.dram_peak,
                "channel", (int)use.channel, "busy", use.dram);
    json_object_set_new(all, "links", links(work));
    return all;
}

// ---- errors

// Of a kernel: of a grid that of the tile with the largest.
static json_t *error_of(const struct ts_work *work)
{
    const struct ts_job_result *worst = &work->result;
    if (!worst->checked || work->program)
        return NULL;
    for (uint32_t i = 0; work->shares && i < work->made; i++)
        if (work->results[i].agreement.rel_l2 > worst->agreement.rel_l2)
            worst = &work->results[i];
    char judged[128];
    ts_expected_text(&work->jobs[0].numbers, worst->agreement.rel_l2, judged, sizeof judged);
    return json_pack("{s:o, s:o, s:s}", "rel_l2", ts_json_real(worst->agreement.rel_l2),
                     "end_to_end_rel_l2", ts_json_real(worst->end_to_end.rel_l2), "judged", judged);
}

// ---- zones: [from, to, name, depth]

static json_t *zone(ts_cycle from, ts_cycle to, const char *name, uint32_t depth)
{
    return json_pack("[I, I, s, i]", (json_int_t)from, (json_int_t)to, name, (int)depth);
}

static json_t *kernel_zones(const struct ts_job_result *result)
{
    static const char *const threads[TS_THREADS] = {"unpack", "math", "pack"};
    static const char *const names[TS_JOB_ZONES] = {"kernel", "init", "tile loop"};
    json_t *rows = json_array();
    for (unsigned t = 0; t < TS_THREADS; t++) {
        json_t *parts = json_array();
        for (unsigned z = 0; z < TS_JOB_ZONES; z++) {
            const struct ts_job_zone *one = &result->zones[t][z];
            if (one->end > one->start)
                json_array_append_new(parts,
                                      zone(one->start, one->end, names[z], z != TS_JOB_KERNEL));
        }
        ts_json_add(rows, "{s:s, s:o}", "name", threads[t], "parts", parts);
    }
    return rows;
}

static json_t *program_zones(const struct ts_program_run *run, const struct ts_launch_core *core)
{
    json_t *rows = json_array();
    for (unsigned p = 0; p < TS_ON; p++) {
        json_t *parts = json_array();
        for (uint32_t i = 0; i < core->span_count; i++) {
            const struct ts_launch_span *s = &core->spans[i];
            if (run->zones[s->zone].processor == p)
                json_array_append_new(parts,
                                      zone(s->start, s->end, run->zones[s->zone].name, s->depth));
        }
        ts_json_add(rows, "{s:s, s:o}", "name", ts_processor_thread[p], "parts", parts);
    }
    return rows;
}

// Where time on the page begins: with the first of the kernel's threads, without boot.
static ts_cycle begin_of(const struct ts_work *work)
{
    ts_cycle first = work->verdict.first;
    for (unsigned t = 0; t < TS_THREADS && !work->program; t++) {
        ts_cycle start = work->result.zones[t][TS_JOB_KERNEL].start;
        first = start && start < first ? start : first;
    }
    return first;
}

// ---- a tile's parts

// Cycles of the kernel: of work, idle, and by reason.
static json_t *accounts(const struct ts_work *work, const struct ts_domain *domain)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < domain->count; i++) {
        const char *path = ts_path(domain->components[i]), *dot = strrchr(path, '.');
        struct ts_account account = ts_marks_account(&work->marks, domain->components[i]);
        json_t *stalls = json_object();
        for (int r = TS_STALL_IDLE + 1; r < TS_STALL_COUNT; r++)
            if (account.lost[r])
                json_object_set_new(stalls, ts_stall_name((enum ts_stall)r),
                                    json_integer((json_int_t)account.lost[r]));
        ts_json_add(rows, "{s:s, s:I, s:I, s:o}", "name", dot ? dot + 1 : path, "busy",
                    (json_int_t)account.busy, "idle", (json_int_t)account.lost[TS_STALL_IDLE],
                    "stalls", stalls);
    }
    return rows;
}

// Instructions that passed the gates of the three threads.
static json_t *instructions(const struct ts_tile *tile)
{
    json_t *rows = json_array();
    for (unsigned op = 0; op < 256; op++) {
        json_int_t count[TS_THREADS], sum = 0;
        for (unsigned t = 0; t < TS_THREADS; t++)
            sum += count[t] = (json_int_t)tile->front[t].passed[op];
        if (sum)
            ts_json_add(rows, "[s, I, I, I]", ts_op_info[op].name, count[0], count[1], count[2]);
    }
    return rows;
}

// ---- texts

static void print_result(const void *document, FILE *file)
{
    ts_text_print("run", document, true, file);
}

static void print_params(const void *params, FILE *file)
{
    ts_params_write(params, file);
}

// What `print` prints.
static json_t *printed(void (*print)(const void *what, FILE *), const void *what)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        return NULL;
    print(what, memory);
    fclose(memory);
    json_t *string = json_stringn(text, size);
    free(text);
    return string;
}

// ---- every tile

// The largest losses: [cause, object, percent, text, color].
static json_t *losses(const struct ts_loss_account *loss)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < loss->count && i < LOSSES; i++) {
        const struct ts_loss_line *line = &loss->lines[i];
        ts_json_add(rows, "[s, s, f, s, s]", ts_causes[line->cause].name, line->object,
                    100.0 * (double)line->cycles / (double)loss->all, line->text,
                    ts_causes[line->cause].color);
    }
    return rows;
}

// ---- a tile's losses and instructions over time

// Words of opcodes, each with its part, by bins. NULL: none.
static json_t *words_series(const struct ts_series words[256], const double parts[256],
                            const struct ts_drawn_time *time)
{
    uint64_t sums[TS_HISTORY_BINS] = {0};
    for (uint32_t b = 0; b < time->count; b++) {
        double sum = 0;
        for (unsigned op = 0; op < 256; op++)
            sum += words[op].sums ? parts[op] * (double)words[op].sums[b] : 0;
        sums[b] = (uint64_t)(sum + 0.5);
    }
    return ts_drawing_series(&(struct ts_series){.sums = sums}, 1, time);
}

// A row: [cause, object, cycles by bins]; the result has its text and colour.
static void add_row(json_t *rows, const struct ts_loss_line *line, json_t *series)
{
    if (series)
        ts_json_add(rows, "[s, s, o]", ts_causes[line->cause].name, line->object, series);
}

static int more_cycles(const void *a, const void *b)
{
    const struct ts_loss_entry *const *p = a, *const *q = b;
    return TS_COMPARE((*q)->cycles, (*p)->cycles);
}

// {rows, reached}: of NoC ports, unpackers and the packer what no row has was reached.
static json_t *losses_over_time(const struct ts_work *work, uint32_t tile,
                                const struct ts_loss_root *root, const struct ts_drawn_time *time)
{
    const struct ts_loss_entry *largest[TS_LOSS_ENTRIES];
    json_t *rows = json_array(), *self = json_pack("{s:o}", "rows", rows);
    struct ts_loss_line line, lines[TS_LOSS_WORDS];
    double parts[TS_LOSS_WORDS][256];
    for (uint32_t i = 0; i < root->closed.count; i++)
        largest[i] = &root->closed.entries[i];
    if (root->closed.count)
        qsort(largest, root->closed.count, sizeof *largest, more_cycles);
    for (uint32_t i = 0; i < root->closed.count && i < LOSSES; i++) {
        const struct ts_series *series = &root->times->entries[largest[i] - root->closed.entries];
        ts_loss_entry_line(root, largest[i], &line);
        add_row(rows, &line, ts_drawing_series(series, 1, time));
    }
    if (root->node != TS_NODE_GATE + 1)
        return self;
    ts_loss_word_lines(work, tile, lines, parts);
    for (unsigned i = 1; i < TS_LOSS_WORDS; i++)
        add_row(rows, &lines[i], words_series(root->times->words[1], parts[i], time));
    json_t *reached = words_series(root->times->words[1], parts[0], time);
    json_object_set_new(self, "reached", reached ? reached : json_string(""));
    return self;
}

// In the order of `instructions`: of each thread its words by bins.
static json_t *instructions_over_time(const struct ts_tile *tile, const struct ts_loss_times *times,
                                      const struct ts_drawn_time *time)
{
    json_t *rows = json_array();
    for (unsigned op = 0; op < 256; op++) {
        if (tile->front[0].passed[op] + tile->front[1].passed[op] + tile->front[2].passed[op] == 0)
            continue;
        json_t *row = json_array();
        for (unsigned t = 0; t < TS_THREADS; t++) {
            json_t *series = ts_drawing_series(&times->words[t][op], 1, time);
            json_array_append_new(row, series ? series : json_string(""));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

static void add_times(json_t *self, const struct ts_work *work, uint32_t tile,
                      const struct ts_drawn_time *time)
{
    struct ts_loss_root *root = ts_loss_account_root(work, tile);
    if (root == NULL || time->history == NULL || !ts_loss_times_end(root, time->history->shift))
        return;
    json_object_set_new(self, "loss_time", losses_over_time(work, tile, root, time));
    json_object_set_new(self, "instructions_time",
                        instructions_over_time(work->jobs[tile].tile, root->times, time));
}

static json_t *tile_of(const struct ts_work *work, uint32_t i, const struct ts_drawn_time *time)
{
    const struct ts_job *job = &work->jobs[i];
    const struct ts_launch_core *core = work->program ? &work->program->cores[i] : NULL;
    json_t *self = json_pack(
        "{s:o, s:I, s:o, s:o, s:o}", "tile", json_sprintf("%u-%u", job->tile->x, job->tile->y),
        "cycles", (json_int_t)ts_ranking_cycles(work, i), "zones",
        core ? program_zones(work->program, core) : kernel_zones(&work->results[i]), "parts",
        accounts(work, job->domain), "instructions", instructions(job->tile));
    if (core && core->spans_left_out)
        json_object_set_new(self, "zones_left_out", json_integer((json_int_t)core->spans_left_out));
    if (time->history)
        ts_drawing_tile_time(time, job->tile, self);
    struct ts_loss_account *loss = ts_loss_account_tile(work, i);
    if (loss && loss->all) {
        json_object_set_new(self, "loss", losses(loss));
        json_object_set_new(self, "reached",
                            json_real(100.0 * (double)loss->reached / (double)loss->all));
    }
    ts_loss_account_free(loss);
    add_times(self, work, i, time);
    return self;
}

static json_t *each_tile(const struct ts_work *work, const struct ts_drawn_time *time)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < ts_work_tiles(work); i++)
        json_array_append_new(rows, tile_of(work, i, time));
    return rows;
}

// ---- all of it

json_t *ts_drawing_run(const struct ts_work *work, const json_t *result,
                       const struct ts_history *history, const struct ts_periods *periods,
                       const struct ts_params *params)
{
    const struct ts_program_run *program = work->program;
    const struct ts_job_verdict *verdict = &work->verdict;
    struct ts_drawn_time time = {0};
    if (history)
        time = ts_drawn_time(history, begin_of(work));
    json_t *self = json_pack("{s:s, s:s*, s:i, s:I, s:I, s:o, s:o}", "version", TENSIM_VERSION,
                             "program", program ? program->plan->name : NULL, "tiles",
                             (int)work->made, "begin", (json_int_t)begin_of(work), "end",
                             (json_int_t)(program ? program->last : verdict->span), "text",
                             printed(print_result, result), "each", each_tile(work, &time));
    const struct {
        const char *key;
        json_t *value; // NULL: there is none
    } more[] = {
        {"error", error_of(work)},
        {"time", history
                     ? json_pack("{s:I, s:I, s:I, s:i}", "bin", (json_int_t)time.bin, "from",
                                 (json_int_t)(time.first * time.bin), "end",
                                 (json_int_t)history->end, "count", (int)(time.count - time.first))
                     : NULL},
        {"totals", periods ? totals(work) : NULL},
        {"chip", periods ? ts_drawing_chip(periods, verdict->span, verdict->window) : NULL},
        {"system", periods ? ts_drawing_system(periods, verdict->span) : NULL},
        {"l1", ts_drawing_l1(work)},
        {"sources", ts_lines_sources(json_object_get(result, "lines"))},
        {"parameters", params ? printed(print_params, params) : NULL},
    };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i].value)
            json_object_set_new(self, more[i].key, more[i].value);
    return self;
}
