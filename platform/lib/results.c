// The results of a run: statistics, hangs, lints, verdicts; as structs and as text.
#include "platform/base/json.h"
#include "platform/explain/hang.h"
#include "platform/lib/inside.h"
#include "platform/run/expected.h"
#include "platform/run/plan/launch.h"
#include "platform/run/stats.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(TENSIM_NO_PC == TS_HANG_NO_PC, "no pc is the same for both");

// --- statistics ---

struct stats {
    struct tensim_stats face; // first
    struct tensim_unit *units;
    struct tensim_amount *amounts;
};

// Stalls and counters of a component, appended at `to` unless it is NULL. Returns how many.
static size_t stalls_of(const struct ts_account *account, struct tensim_amount *to)
{
    size_t count = 0;
    for (int reason = TS_STALL_IDLE + 1; reason < TS_STALL_COUNT; reason++) {
        if (account->lost[reason] == 0)
            continue;
        if (to)
            to[count] = (struct tensim_amount){ts_stall_name((enum ts_stall)reason),
                                               account->lost[reason]};
        count++;
    }
    return count;
}

static size_t counters_of(const struct ts_component *c, struct tensim_amount *to)
{
    size_t count = 0;
    for (const struct ts_counter *row = c->ops->counters; row && row->name; row++, count++)
        if (to) {
            to[count].name = row->name;
            memcpy(&to[count].value, (const char *)c + row->offset, sizeof to[count].value);
        }
    return count;
}

// Counts units and amounts, or fills them in where there is room for them.
static void walk(const struct tensim *sim, struct stats *self, size_t *units, size_t *amounts)
{
    *units = *amounts = 0;
    for (const struct ts_object *object = ts_kernel_objects(sim->kernel); object;
         object = object->next) {
        const struct ts_component *c = ts_object_component(object);
        if (c == NULL)
            continue;
        struct ts_account account = ts_component_account(c, sim->run.cycle);
        struct tensim_amount *at = self->amounts ? self->amounts + *amounts : NULL;
        size_t stalls = stalls_of(&account, at);
        size_t counters = counters_of(c, at ? at + stalls : NULL);
        if (self->units)
            self->units[*units] = (struct tensim_unit){.name = ts_path(c),
                                                       .kind = c->ops->kind,
                                                       .busy = account.busy,
                                                       .idle = account.lost[TS_STALL_IDLE],
                                                       .stalls = at,
                                                       .stall_count = stalls,
                                                       .counters = at + stalls,
                                                       .counter_count = counters};
        ++*units;
        *amounts += stalls + counters;
    }
}

struct tensim_stats *tensim_stats(struct tensim *sim, struct tensim_error *error)
{
    size_t units, amounts;
    ts_lib_extend(sim);
    struct stats *self = calloc(1, sizeof *self);
    if (self) {
        walk(sim, self, &units, &amounts);
        self->units = calloc(units + 1, sizeof *self->units);
        self->amounts = calloc(amounts + 1, sizeof *self->amounts);
    }
    if (self == NULL || self->units == NULL || self->amounts == NULL) {
        tensim_stats_free(self ? &self->face : NULL);
        ts_lib_no_memory(error);
        return NULL;
    }
    walk(sim, self, &units, &amounts);
    self->face = (struct tensim_stats){sim->run.cycle, self->units, units};
    return &self->face;
}

void tensim_stats_free(struct tensim_stats *stats)
{
    struct stats *self = (struct stats *)stats;
    if (self == NULL)
        return;
    free(self->units);
    free(self->amounts);
    free(self);
}

const struct tensim_unit *tensim_stats_find(const struct tensim_stats *stats, const char *name)
{
    for (size_t i = 0; i < stats->unit_count; i++)
        if (strcmp(stats->units[i].name, name) == 0)
            return &stats->units[i];
    return NULL;
}

// --- hangs ---

struct hang {
    struct tensim_hang face; // first
    struct ts_hang from;     // owns the strings
    struct tensim_hang_node *nodes;
    struct tensim_hang_edge *edges;
    char line[600];
};

static void add_edge(struct hang *self, size_t first, const struct ts_hang_tile *tile, size_t node,
                     bool explains)
{
    int to = tile->node[node].to;
    self->edges[self->face.edge_count++] = (struct tensim_hang_edge){
        .from = first + node, .to = to < 0 ? -1 : (long)first + to, .explains = explains};
}

static void add_tile(struct hang *self, const struct ts_hang_tile *tile)
{
    for (uint32_t i = 0; i < tile->count; i++) {
        const struct ts_hang_node *from = &tile->node[i];
        bool waits = from->state >= TS_HANG_WAITS;
        self->nodes[self->face.node_count++] = (struct tensim_hang_node){
            .tile = tile->at,
            .name = from->name,
            .state = ts_hang_state_name(from->state),
            .reason = waits ? ts_stall_name(from->reason) : "",
            .object = from->object,
            .text = from->text,
            .last = from->last,
            .place = from->place[0] ? from->place + 1 : "",
            .pc = from->pc};
    }
}

// Edges that explain, in order; then the others.
static void add_edges(struct hang *self, bool explain)
{
    size_t first = 0;
    for (size_t t = 0; t < self->from.count; t++) {
        const struct ts_hang_tile *tile = &self->from.tiles[t];
        for (uint32_t i = 0; explain && i < tile->length; i++) {
            size_t node = (size_t)tile->path[i];
            self->nodes[first + node].explains = true;
            if (tile->node[node].state >= TS_HANG_WAITS)
                add_edge(self, first, tile, node, true);
        }
        for (uint32_t i = 0; !explain && i < tile->count; i++)
            if (tile->node[i].state >= TS_HANG_WAITS && !self->nodes[first + i].explains)
                add_edge(self, first, tile, i, false);
        first += tile->count;
    }
}

struct tensim_hang *tensim_hang(struct tensim *sim, struct tensim_error *error)
{
    struct hang *self = calloc(1, sizeof *self);
    if (self) {
        self->from = ts_hang_new(sim->kernel, sim->run.cycle);
        self->nodes = calloc(TS_HANG_NODES * self->from.count + 1, sizeof *self->nodes);
        self->edges = calloc(TS_HANG_NODES * self->from.count + 1, sizeof *self->edges);
    }
    if (self == NULL || self->from.tiles == NULL || self->nodes == NULL || self->edges == NULL) {
        tensim_hang_free(self ? &self->face : NULL);
        ts_lib_no_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < self->from.count; i++)
        add_tile(self, &self->from.tiles[i]);
    add_edges(self, true);
    self->face.explanation = self->face.edge_count;
    add_edges(self, false);
    ts_hang_line(&self->from, self->line, sizeof self->line);
    self->face.cycle = self->from.cycle;
    self->face.is_cycle = self->from.count && self->from.tiles[0].is_cycle;
    self->face.nodes = self->nodes;
    self->face.edges = self->edges;
    self->face.line = self->line;
    return &self->face;
}

void tensim_hang_free(struct tensim_hang *hang)
{
    struct hang *self = (struct hang *)hang;
    if (self == NULL)
        return;
    ts_hang_free(&self->from);
    free(self->nodes);
    free(self->edges);
    free(self);
}

static json_t *hang_json(struct tensim *sim)
{
    struct ts_hang hang = ts_hang_new(sim->kernel, sim->run.cycle);
    json_t *document = hang.tiles ? ts_hang_json(&hang, sim->kernel) : NULL;
    ts_hang_free(&hang);
    return document;
}

static bool print_hang(struct tensim *sim, FILE *file)
{
    struct ts_hang hang = ts_hang_new(sim->kernel, sim->run.cycle);
    bool good = hang.tiles != NULL;
    if (good)
        ts_hang_print(&hang, file);
    ts_hang_free(&hang);
    return good;
}

// --- lints ---

struct lints {
    struct tensim_lints face; // first
    json_t *from;             // owns the strings
    struct tensim_lint *lints;
};

struct tensim_lints *tensim_lints(struct tensim *sim, struct tensim_error *error)
{
    struct lints *self = calloc(1, sizeof *self);
    if (self) {
        self->from = ts_lints(sim->kernel, NULL);
        self->lints = calloc(json_array_size(self->from) + 1, sizeof *self->lints);
    }
    if (self == NULL || self->from == NULL || self->lints == NULL) {
        tensim_lints_free(self ? &self->face : NULL);
        ts_lib_no_memory(error);
        return NULL;
    }
    size_t i;
    json_t *row;
    json_array_foreach(self->from, i, row)
    {
        const json_t *pc = json_object_get(row, "pc");
        self->lints[i] = (struct tensim_lint){
            .tile = ts_json_text(row, "tile"),
            .name = ts_json_text(row, "name"),
            .harm = ts_json_text(row, "harm"),
            .text = ts_json_text(row, "lint"),
            .first = ts_json_text(row, "first"),
            .by = ts_json_text(row, "by"),
            .place = ts_json_text(row, "place"),
            .pc = pc ? (uint32_t)json_integer_value(pc) : TENSIM_NO_PC,
            .cycle = (uint64_t)json_integer_value(json_object_get(row, "cycle")),
            .count = (uint64_t)json_integer_value(json_object_get(row, "count"))};
    }
    self->face = (struct tensim_lints){self->lints, i};
    return &self->face;
}

void tensim_lints_free(struct tensim_lints *lints)
{
    struct lints *self = (struct lints *)lints;
    if (self == NULL)
        return;
    json_decref(self->from);
    free(self->lints);
    free(self);
}

// --- the verdict ---

static enum tensim_code check_verdict(const struct tensim *sim, struct tensim_error *error)
{
    const struct ts_work *work = ts_lib_chosen_work(sim);
    if (work && work->results && work->result.code == TS_OK)
        return TENSIM_OK;
    return ts_lib_fail(error, TS_USAGE,
                       work ? "the kernel has no result" : "only a built-in kernel has a verdict");
}

enum tensim_code tensim_verdict(struct tensim *sim, struct tensim_verdict *verdict,
                                struct tensim_error *error)
{
    if (check_verdict(sim, error) != TENSIM_OK)
        return TENSIM_USAGE;
    const struct ts_work *work = ts_lib_chosen_work(sim);
    const struct ts_job_verdict *from = &work->verdict;
    const struct ts_job_result *result = &work->result;
    *verdict = (struct tensim_verdict){.cycles = from->cycles,
                                       .run_cycles = result->cycles,
                                       .cycles_per_unit = from->cycles_per_unit,
                                       .seconds = from->seconds,
                                       .tflops = from->tflops,
                                       .peak_tflops = from->peak_tflops,
                                       .utilisation = from->utilisation,
                                       .math_busy = from->math_busy,
                                       .checked = result->checked};
    snprintf(verdict->bound_by, sizeof verdict->bound_by, "%s", from->bound_by);
    snprintf(verdict->evidence, sizeof verdict->evidence, "%s", from->evidence);
    if (!result->checked)
        return TENSIM_OK;
    verdict->rel_l2 = result->agreement.rel_l2;
    verdict->pcc = result->agreement.pcc;
    verdict->max_ulp = result->agreement.max_ulp;
    verdict->differ = result->agreement.differ;
    verdict->end_to_end_rel_l2 = result->end_to_end.rel_l2;
    verdict->end_to_end_pcc = result->end_to_end.pcc;
    verdict->expected_rel_l2 = ts_expected_error(&work->jobs[0].numbers);
    return TENSIM_OK;
}

// --- text ---

// A document as text; frees the document.
static char *text_from(json_t *document, struct tensim_error *error)
{
    char *text = document ? json_dumps(document, JSON_INDENT(1)) : NULL;
    json_decref(document);
    if (text == NULL)
        ts_lib_no_memory(error);
    return text;
}

char *tensim_stats_json(struct tensim *sim, struct tensim_error *error)
{
    ts_lib_extend(sim);
    return text_from(ts_stats_json(sim->kernel, &sim->run), error);
}

char *tensim_hang_json(struct tensim *sim, struct tensim_error *error)
{
    return text_from(hang_json(sim), error);
}

// What a function prints, as text.
static char *text_of(struct tensim *sim, bool (*print)(struct tensim *sim, FILE *file),
                     struct tensim_error *error)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    bool good = file && print(sim, file);
    if (file && fclose(file) != 0)
        good = false;
    if (good && text) // fclose succeeds without memory for the text, too
        return text;
    free(text);
    ts_lib_no_memory(error);
    return NULL;
}

char *tensim_hang_text(struct tensim *sim, struct tensim_error *error)
{
    return text_of(sim, print_hang, error);
}

static bool print_prints(struct tensim *sim, FILE *file)
{
    const struct ts_work *work = ts_lib_chosen_work(sim);
    if (work && work->program)
        ts_program_print_texts(work->program, file);
    return true;
}

char *tensim_prints_text(struct tensim *sim, struct tensim_error *error)
{
    return text_of(sim, print_prints, error);
}

char *tensim_lints_json(struct tensim *sim, struct tensim_error *error)
{
    return text_from(ts_lints(sim->kernel, NULL), error);
}

char *tensim_verdict_json(struct tensim *sim, struct tensim_error *error)
{
    if (check_verdict(sim, error) != TENSIM_OK)
        return NULL;
    json_t *document = json_object();
    ts_work_json(ts_lib_chosen_work(sim), document);
    return text_from(document, error);
}

void tensim_text_free(char *text)
{
    free(text);
}
