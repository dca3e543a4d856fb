// One program of a sequence on the machine (layer.h): its go, its run, its checks, its row of the operation table.
#include "platform/run/layer/layer.h"

#include "platform/base/hash.h"
#include "platform/base/json.h"
#include "platform/load/loader.h"
#include "platform/run/plan/data.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *text)
{
    return ts_hash_bytes(TS_HASH_START, text, strlen(text));
}

// --- what dispatch has to send ---

static uint32_t load_bytes(const struct ts_image *image)
{
    Elf32_Ehdr head;
    uint32_t sum = 0;
    memcpy(&head, image->bytes, sizeof head);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf32_Phdr row;
        memcpy(&row, (const char *)image->bytes + head.e_phoff + (size_t)i * head.e_phentsize,
               sizeof row);
        sum += row.p_type == PT_LOAD ? row.p_filesz : 0;
    }
    return sum;
}

static bool same_group(const struct ts_plan_core *a, const struct ts_plan_core *b)
{
    return memcmp(a->kernel, b->kernel, sizeof a->kernel) == 0 &&
           memcmp(a->block.cb_mask, b->block.cb_mask, sizeof a->block.cb_mask) == 0;
}

static struct ts_dispatch_load load_of(const struct ts_plan *plan)
{
    struct ts_dispatch_load load = {.cores = plan->core_count};
    for (uint32_t i = 0; i < plan->core_count; i++) {
        const struct ts_plan_core *core = &plan->cores[i];
        uint32_t own = 0, earlier = 0;
        while (earlier < i && !same_group(&plan->cores[earlier], core))
            earlier++;
        load.groups += earlier == i;
        for (unsigned p = 0; p < TS_ON; p++) {
            own += p <= TS_ON_TRISC0 ? core->given[0][p] : 0;
            load.configured |= core->given[1][p] > 0;
        }
        load.unique += own > 0;
        load.words += own;
        load.configured |= core->block.cb_mask[0] || core->block.cb_mask[1];
        load.config = 4 * core->word_count > load.config ? 4 * core->word_count : load.config;
    }
    load.configured |= plan->semaphore_count > 0;
    return load;
}

// The go on the clock of the sequence.
static ts_cycle go_of(struct ts_layer *self, struct ts_program_run *run)
{
    uint64_t ids[3 * TS_PLAN_KERNELS];
    uint32_t sizes[3 * TS_PLAN_KERNELS];
    struct ts_dispatch_load load = load_of(run->plan);
    for (uint32_t k = 0; k < run->plan->kernel_count; k++)
        for (unsigned p = 0; p < TS_ON; p++) {
            const char *path = run->plan->kernels[k].image[p];
            const struct ts_image *image = path[0] ? ts_launch_image(run, path, self->error) : NULL;
            if (image == NULL)
                continue;
            ids[load.kernels] = hash_of(path);
            sizes[load.kernels++] = load_bytes(image);
        }
    load.id = ids;
    load.size = sizes;
    return ts_dispatch_go(&self->dispatch, &load, self->clock);
}

// --- numbers ---

static struct ts_agreement compare(const struct ts_plan_tensor *t, const struct ts_value *got,
                                   const struct ts_value *want)
{
    const struct ts_matrix a = {.rows = t->rows, .columns = t->columns, .at = got->at},
                           b = {.rows = t->rows, .columns = t->columns, .at = want->at};
    return ts_matrix_compare(&a, &b, ts_datum_usable(t->format) ? t->format : 8);
}

static void check_tensor(struct ts_layer *self, struct ts_plan_tensor *t, struct ts_yaml_node node,
                         const struct ts_value *got, json_t *row)
{
    struct ts_value want = {0}, exact = {0};
    struct ts_yaml_node pcc = ts_yaml_find(self->step, "pcc"),
                        tolerance = ts_yaml_find(self->step, "tolerance");
    const double least = ts_yaml_real(pcc, tolerance.node ? -1 : 0.99),
                 most = ts_yaml_real(tolerance, pcc.node ? HUGE_VAL : 0.1);
    ts_plan_evaluate(self->plan, t, node, false, &want);
    if (self->error->code == TS_OK)
        ts_plan_evaluate(self->plan, t, node, true, &exact);
    if (self->error->code == TS_OK) {
        const struct ts_agreement a = compare(t, got, &want), b = compare(t, got, &exact);
        const bool right = a.pcc >= least && a.rel_l2 <= most;
        json_object_set_new(row, "checked", json_string(t->name));
        json_object_set_new(row, "right", json_boolean(right));
        json_object_set_new(row, "rel_l2", ts_json_real(a.rel_l2));
        json_object_set_new(row, "pcc", ts_json_real(a.pcc));
        json_object_set_new(row, "end_to_end_rel_l2", ts_json_real(b.rel_l2));
        json_object_set_new(row, "end_to_end_pcc", ts_json_real(b.pcc));
        if (!right && self->wrong[0] == '\0')
            snprintf(self->wrong, sizeof self->wrong,
                     "%.200s:%d: operation %s: %s is not what is expected: rel_l2 %.2e, PCC %.6f "
                     "(asked for: PCC at least %g, rel_l2 at most %g)",
                     self->plan->path, ts_yaml_line(node), self->name, t->name, a.rel_l2, a.pcc,
                     least, most);
        free(t->original.at);
        t->original =
            exact; // what follows is also compared with exact arithmetic from the beginning on
        exact.at = NULL;
    }
    free(want.at);
    free(exact.at);
}

// Reads what the program wrote: expressions of later steps are about it. An expectation is about what was there before.
static void check(struct ts_layer *self, json_t *row)
{
    struct ts_yaml_node map = ts_yaml_find(self->step, "expect");
    struct ts_value got[TS_PLAN_TENSORS] = {{0}};
    struct ts_plan *plan = self->plan;
    for (uint32_t i = 0; i < plan->tensor_count && self->error->code == TS_OK; i++)
        if (self->output[i])
            ts_plan_take(plan, &plan->tensors[i], &self->machine->chip, &got[i], self->error);
    for (size_t i = 0; map.node && i < ts_yaml_count(map) && self->error->code == TS_OK; i++) {
        const int index = ts_plan_tensor_find(plan, ts_yaml_text(ts_yaml_key(map, i), ""));
        check_tensor(self, &plan->tensors[index], ts_yaml_value(map, i), &got[index], row);
    }
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        struct ts_plan_tensor *t = &plan->tensors[i];
        if (!self->output[i])
            continue;
        const char *name = t->name;
        if (map.node == NULL || ts_yaml_find(map, name).node == NULL) {
            free(t->original.at);
            t->original.at = NULL;
        }
        free(t->data.at);
        t->data = got[i];
        t->rounded = true;
        t->unseen = t->dropped = false;
    }
}

// --- the row ---

// Cycles from the first begin to the last end of each processor's kernels; `begins`: the last begin of all, `movers`: the first
// begin of a kernel that moves data.
static json_t *spans_of(const struct ts_program_run *run, ts_cycle *begins, ts_cycle *movers)
{
    json_t *spans = json_object();
    *movers = TS_NEVER;
    for (unsigned p = 0; p < TS_ON; p++) {
        ts_cycle first = TS_NEVER, last = 0;
        for (uint32_t c = 0; c < run->count; c++)
            for (size_t e = 0; e < run->cores[c].event_count; e++) {
                const struct ts_launch_event *event = &run->cores[c].events[e];
                if (event->id != TS_ZONE_WHOLE || event->processor != p)
                    continue;
                const bool end = event->type == TS_ZONE_FINISH;
                first = !end && event->cycle < first ? event->cycle : first;
                last = end && event->cycle > last ? event->cycle : last;
                *begins = !end && event->cycle > *begins ? event->cycle : *begins;
            }
        if (last > first)
            json_object_set_new(spans, ts_program_processors[p],
                                json_integer((json_int_t)(last - first)));
        *movers = p <= TS_ON_NCRISC && first < *movers ? first : *movers;
    }
    return spans;
}

// The vendor's name of a format.
static const char *datatype(const char *format)
{
    static const char *const names[] = {
        "bf16",   "BFLOAT16", "fp32",   "FLOAT32", "bfp8",  "BFLOAT8_B", "bfp4",  "BFLOAT4_B",
        "uint32", "UINT32",   "uint16", "UINT16",  "int32", "INT32",     "uint8", "UINT8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i += 2)
        if (strcmp(names[i], format) == 0)
            return names[i + 1];
    return "";
}

static json_t *tensors_of(const struct ts_plan *plan, bool output)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const struct ts_plan_tensor *t = &plan->tensors[i];
        const char *format = ts_plan_format_name(t->format);
        if (t->host || t->expected != output)
            continue;
        json_array_append_new(
            list, json_pack("{s:s, s:b, s:I, s:I, s:s, s:s, s:s, s:s, s:I}", "name", t->name,
                            "kept", (int)t->bound, "rows", (json_int_t)t->rows, "columns",
                            (json_int_t)t->columns, "format", format, "datatype", datatype(format),
                            "layout", t->tiled ? "TILE" : "ROW_MAJOR", "memory",
                            t->dram      ? t->sharded ? "DRAM_ND_SHARDED" : "DRAM_INTERLEAVED"
                            : t->sharded ? "L1_ND_SHARDED"
                                         : "L1_INTERLEAVED",
                            "bytes", (json_int_t)t->pages * t->page));
    }
    return list;
}

// Does the program say that it multiplies matrices?
static bool multiplies(const struct ts_plan *plan)
{
    bool product = false;
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        product |= plan->tensors[i].expected &&
                   strchr(ts_yaml_text(ts_yaml_find(plan->tensors[i].node, "expect"), ""), '@');
    return product;
}

// The vendor's model of a matmul, in cycles: 2*M*K*N / (cores x 4096) x phases; the largest tensor in DRAM at 512 GiB/s.
static json_t *ideal_of(const struct ts_layer *self, const struct ts_work *work)
{
    const struct ts_plan *plan = work->plan;
    const double compute = (double)work->result.flops / (self->plan->columns * self->plan->rows) /
                           4096 * work->jobs[0].numbers.phases;
    double bytes = 0;
    if (!multiplies(plan))
        return json_null();
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        if (plan->tensors[i].dram && !plan->tensors[i].host &&
            (double)plan->tensors[i].pages * plan->tensors[i].page > bytes)
            bytes = (double)plan->tensors[i].pages * plan->tensors[i].page;
    const double moves = bytes / (512 * 1.073741824) * self->dispatch.mhz / 1000;
    return json_pack("{s:f, s:f, s:f, s:f}", "ideal", compute > moves ? compute : moves, "compute",
                     compute, "bandwidth", moves, "percent",
                     100 * compute / (double)(work->program->last - work->program->first));
}

// Parameters of the program as it ran: "m=64; op=mul".
static json_t *settings_of(const struct ts_plan *plan)
{
    char text[1200];
    size_t used = 0;
    for (uint32_t i = 0; i < plan->param_count && used < sizeof text - 80; i++) {
        const struct ts_plan_param *p = &plan->params[i];
        used += (size_t)(p->word[0] ? snprintf(text + used, sizeof text - used, "%s%s=%s",
                                               used ? "; " : "", p->name, p->word)
                                    : snprintf(text + used, sizeof text - used, "%s%s=%.15g",
                                               used ? "; " : "", p->name, p->value));
    }
    text[used] = '\0';
    return json_string(text);
}

static json_t *row_of(struct ts_layer *self, struct ts_work *work, ts_cycle begin)
{
    const struct ts_program_run *run = work->program;
    const struct ts_network_use use = ts_network_use_of(work);
    const struct ts_plan *plan = work->plan;
    ts_cycle begins = 0, movers;
    json_t *document = json_object(), *causes = json_array(),
           *spans = spans_of(run, &begins, &movers), *line;
    size_t i;
    ts_work_json(work, document);
    json_array_foreach(json_object_get(document, "loss"), i, line)
    {
        if (i < 2)
            json_array_append_new(causes,
                                  json_pack("{s:O, s:O}", "text", json_object_get(line, "text"),
                                            "percent", json_object_get(line, "percent")));
    }
    json_t *row = json_pack(
        "{s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:f, s:f, s:f, s:f, s:o, s:s, s:o, "
        "s:o, s:o, s:I, s:I, s:o, s:o}",
        "name", self->name, "program", plan->name, "line", ts_yaml_line(self->step), "begin",
        (json_int_t)begin, "cycles", (json_int_t)(run->last - run->first), "gap",
        (json_int_t)(begin - self->clock), "cores", (json_int_t)run->count, "available",
        (json_int_t)(self->plan->columns * self->plan->rows), "bound", work->verdict.bound_object,
        "evidence", work->verdict.evidence, "dram_percent", 100 * use.dram, "noc_percent",
        100 * use.link, "flops_percent", 100 * work->verdict.utilisation, "tflops",
        work->verdict.tflops, "causes", causes, "fidelity",
        run->computing ? ts_fidelity_name(work->jobs[0].numbers.phases) : "", "inputs",
        tensors_of(plan, false), "outputs", tensors_of(plan, true), "spans", spans,
        "first_to_last_start", (json_int_t)(begins - run->first), "from_movers",
        (json_int_t)(run->last - movers), "settings", settings_of(plan), "model",
        ideal_of(self, work));
    const uint64_t hash = hash_of(json_string_value(json_object_get(row, "settings")));
    json_object_set_new(
        row, "hash", json_sprintf("%llu", (unsigned long long)(hash_of(plan->name) * 31 + hash)));
    json_object_set_new(row, "flops", json_integer((json_int_t)work->result.flops));
    const json_t *trust = json_object_get(document, "trust");
    if (trust)
        json_object_set(row, "trust", (json_t *)trust);
    json_decref(document);
    return row;
}

// --- the run ---

static void run_machine(struct ts_layer *self, struct ts_work *work)
{
    do
        self->last = self->run(self->context);
    while (self->last.stop == TS_STOP_BREAK && !ts_work_break(work, self->last.cycle));
    if (self->last.stop != TS_STOP_BREAK)
        ts_fail(self->error, self->last.stop == TS_STOP_FAULT ? self->last.error.code : TS_HANG,
                "%.200s:%d: operation %s: the machine stopped in it (%s)", self->plan->path,
                ts_yaml_line(self->step), self->name, ts_stop_name(self->last.stop));
}

bool ts_layer_operate(struct ts_layer *self, struct ts_plan *plan)
{
    struct ts_work *work = self->machine;
    const ts_cycle at = self->at;
    if (at + TS_PROGRAM_START > UINT32_MAX - 1000000)
        ts_fail(self->error, TS_SETUP, "%.200s:%d: operation %s begins after cycle %llu: too late",
                self->plan->path, ts_yaml_line(self->step), self->name, (unsigned long long)at);
    if (self->error->code != TS_OK || !ts_machine_put(work, plan, at, self->kernel, self->error))
        return false;
    const ts_cycle go = go_of(self, work->program),
                   prepare = ts_dispatch_cycles(&self->dispatch, self->dispatch.params.prepare);
    for (uint32_t i = 0; i < plan->core_count; i++) {
        struct ts_plan_core *core = &plan->cores[i];
        const ts_cycle end = self->ends[core->raw.y][core->raw.x], ready = end ? end + prepare : 0;
        core->block.start_after += (uint32_t)at;
        if (self->dispatch.on && ready > go)
            core->block.start_after += (uint32_t)(ready - go);
    }
    if (ts_work_start(work, self->error))
        run_machine(self, work);
    if (self->error->code == TS_OK && ts_work_finish(work, &self->last, self->error) &&
        work->result.code != TS_OK)
        ts_fail(self->error, work->result.code, "%.200s:%d: operation %s: %.200s", self->plan->path,
                ts_yaml_line(self->step), self->name, work->result.text);
    if (self->error->code != TS_OK)
        return false;
    // From the machine's clock to that of the sequence.
    const ts_cycle first = work->program->first, last = work->program->last,
                   start = at + TS_PROGRAM_START,
                   begin = json_array_size(self->rows) == 0 || !self->dispatch.on
                               ? self->clock
                               : go + (first - start);
    json_t *row = row_of(self, work, begin);
    for (uint32_t i = 0; i < work->made; i++)
        self->ends[plan->cores[i].raw.y][plan->cores[i].raw.x] = begin + work->jobs[i].ended -
                                                                 first;
    self->clock = begin + last - first;
    struct ts_tile *tile = NULL; // the first of the machine has a track of operations
    for (uint32_t i = 0; tile == NULL; i++)
        tile = work->machine[i];
    ts_trace_zone(&tile->cores[TS_RV_BRISC].component,
                  ts_kernel_format(self->kernel, "%s", self->name), first, last);
    ts_dispatch_ended(&self->dispatch, self->clock);
    if (!work->jobs[0].tile->config.timing_only)
        check(self, row);
    json_array_append_new(self->rows, row);
    ts_machine_take(work, self->last.cycle);
    const ts_cycle reached = ts_kernel_reached(self->kernel);
    self->at = (reached > self->last.cycle ? reached : self->last.cycle) + 1;
    return self->error->code == TS_OK;
}

// Cycles in ns: a number, or all numbers of an object.
static json_t *in_ns(const json_t *cycles, double mhz)
{
    if (!json_is_object(cycles))
        return json_is_number(cycles) ? json_real(json_number_value(cycles) * 1000 / mhz)
                                      : json_null();
    json_t *all = json_object(), *value;
    const char *key;
    json_object_foreach((json_t *)cycles, key, value)
        json_object_set_new(all, key, in_ns(value, mhz));
    return all;
}

// For ops_perf_results.csv: the vendor's number of a call, its code without commas, times in ns.
static void add_call(json_t *row, size_t number, double mhz)
{
    static const char *const times[] = {"gap",   "cycles", "from_movers", "first_to_last_start",
                                        "spans", "model"};
    char code[120];
    snprintf(code, sizeof code, "%s%.96s",
             json_is_object(json_object_get(row, "model")) ? "Matmul " : "",
             json_string_value(json_object_get(row, "name")));
    for (char *c = code; *c; c++)
        *c = *c == ',' || *c == '"' || *c == '\n' ? ';' : *c;
    json_t *ns = json_object();
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        json_object_set_new(ns, times[i], in_ns(json_object_get(row, times[i]), mhz));
    json_object_set_new(row, "ns", ns);
    json_object_set_new(row, "code", json_string(code));
    json_object_set_new(row, "call", json_integer((json_int_t)(1024 * (number + 1))));
}

json_t *ts_layer_json(const struct ts_layer *self)
{
    json_int_t times = 0, gaps = 0;
    size_t i;
    json_t *row;
    json_array_foreach(self->rows, i, row)
    {
        times += ts_json_integer(row, "cycles");
        gaps += ts_json_integer(row, "gap");
        add_call(row, i, self->dispatch.mhz);
        json_object_set_new(row, "percent",
                            json_real(100.0 * (double)ts_json_integer(row, "cycles") /
                                      (double)(self->clock ? self->clock : 1)));
        json_object_set_new(row, "us",
                            json_real((double)ts_json_integer(row, "cycles") / self->dispatch.mhz));
        json_object_set_new(row, "gap_us",
                            json_real((double)ts_json_integer(row, "gap") / self->dispatch.mhz));
    }
    return json_pack("{s:s, s:s, s:I, s:f, s:I, s:I, s:I, s:s, s:s, s:O}", "name", self->plan->name,
                     "chip", self->plan->soc.name, "layer_cycles", (json_int_t)self->clock, "us",
                     (double)self->clock / self->dispatch.mhz, "operation_cycles", times,
                     "gap_cycles", gaps, "clock_mhz", (json_int_t)self->dispatch.mhz, "dispatch",
                     !self->dispatch.on      ? "none"
                     : self->dispatch.traced ? "traced"
                                             : "eager",
                     "wrong", self->wrong, "operations", self->rows);
}
