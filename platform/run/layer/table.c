// The operation table of a sequence (layer.h): a row for each operation, and the document.
#include "platform/base/hash.h"
#include "platform/base/json.h"
#include "platform/run/layer/layer.h"
#include "platform/tile/names.h"

// The vendor's model of a matmul, not ours: it fills the PM columns of ops_perf_results.csv, and no cycle depends on it.
#define PM_FLOPS 4096.0 // a core and cycle at LoFi: tt-metal matmul_device_operation.cpp
#define PM_RATE  512.0  // GiB/s of DRAM on Blackhole: tt-metal ttnn/api/ttnn/operation.hpp

static uint64_t hash_of(const char *text)
{
    return ts_hash_bytes(TS_HASH_START, text, strlen(text));
}

// --- the row ---

// Cycles from the first begin to the last end of each processor's kernels; `begins`: the last begin of all, `movers`: the first
// begin of a kernel that moves data.
static json_t *spans_of(const struct ts_program_run *run, ts_cycle *begins, ts_cycle *movers)
{
    json_t *spans = json_object();
    *movers = TS_NEVER;
    for (unsigned p = 0; run && p < TS_ON; p++) {
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
            json_object_set_new(spans, ts_processor_thread[p],
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
        const char *format = plan->llk.on ? ts_datum_name(t->format)
                                          : ts_plan_format_name(t->format);
        if (t->host || t->expected != output)
            continue;
        ts_json_add(list, "{s:s, s:b, s:I, s:I, s:s, s:s, s:s, s:s, s:I}", "name", t->name, "kept",
                    (int)t->bound, "rows", (json_int_t)t->rows, "columns", (json_int_t)t->columns,
                    "format", format, "datatype", datatype(format), "layout",
                    t->tiled ? "TILE" : "ROW_MAJOR", "memory",
                    t->dram      ? t->sharded ? "DRAM_ND_SHARDED" : "DRAM_INTERLEAVED"
                    : t->sharded ? "L1_ND_SHARDED"
                                 : "L1_INTERLEAVED",
                    "bytes", (json_int_t)t->pages * t->page);
    }
    return list;
}

// Does an expression have a product of matrices? Of several, one does.
static bool has_product(struct ts_yaml_node node)
{
    bool product = ts_yaml_is_scalar(node) && strchr(ts_yaml_text(node, ""), '@');
    for (size_t i = 0; ts_yaml_is_list(node) && i < ts_yaml_count(node); i++)
        product |= has_product(ts_yaml_find(ts_yaml_at(node, i), "is"));
    return product;
}

// In cycles: 2*M*K*N / (cores x FLOP of a core) x phases; the largest tensor in DRAM at its rate.
static json_t *ideal_of(const struct ts_layer *self, const struct ts_work *work, ts_cycle cycles)
{
    const struct ts_plan *plan = work->plan;
    const double compute = (double)work->result.flops /
                           (self->here->plan->columns * self->here->plan->rows) / PM_FLOPS *
                           work->jobs[0].numbers.phases;
    double bytes = 0;
    bool product = false;
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        product |= plan->tensors[i].expected &&
                   has_product(ts_yaml_find(plan->tensors[i].node, "expect"));
    if (!product)
        return json_null();
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        if (plan->tensors[i].dram && !plan->tensors[i].host &&
            (double)plan->tensors[i].pages * plan->tensors[i].page > bytes)
            bytes = (double)plan->tensors[i].pages * plan->tensors[i].page;
    const double moves = bytes / (PM_RATE * 1.073741824) * self->dispatch.mhz / 1000;
    return json_pack("{s:f, s:f, s:f, s:f}", "ideal", compute > moves ? compute : moves, "compute",
                     compute, "bandwidth", moves, "percent", 100 * compute / (double)cycles);
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

// What the step asks for, by names.
static json_t *set_of(const struct ts_layer *self)
{
    json_t *all = json_object();
    for (size_t i = 0; i < self->asked.count; i++) {
        const char *setting = self->asked.settings[i], *equals = strchr(setting, '=');
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(equals - setting), setting);
        json_object_set_new(all, name, json_string(equals + 1));
    }
    return all;
}

json_t *ts_layer_row(struct ts_layer *self, struct ts_work *work, ts_cycle begin, ts_cycle first,
                     ts_cycle last)
{
    const struct ts_program_run *run = work->program;
    const struct ts_network_use use = work->jobs[0].chip ? ts_network_use_of(work)
                                                         : (struct ts_network_use){0};
    const struct ts_plan *plan = work->plan;
    ts_cycle begins = 0, movers;
    json_t *document = json_object(), *causes = json_array(),
           *spans = spans_of(run, &begins, &movers), *line;
    size_t i;
    ts_work_json(work, document);
    json_array_foreach(json_object_get(document, "loss"), i, line)
    {
        if (i < 2)
            ts_json_add(causes, "{s:O, s:O}", "text", json_object_get(line, "text"), "percent",
                        json_object_get(line, "percent"));
    }
    json_t *row = json_pack(
        "{s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:f, s:f, s:f, s:f, s:o, s:s, s:o, "
        "s:o, s:o, s:I, s:I, s:o, s:o}",
        "name", self->name, "program", plan->name, "line", ts_yaml_line(self->step), "begin",
        (json_int_t)begin, "cycles", (json_int_t)(last - first), "gap",
        (json_int_t)(begin - self->clock), "cores", (json_int_t)work->made, "available",
        (json_int_t)(self->here->plan->columns * self->here->plan->rows), "bound",
        work->verdict.bound_object, "evidence", work->verdict.evidence, "dram_percent",
        100 * use.dram, "noc_percent", 100 * use.link, "flops_percent",
        100 * work->verdict.utilisation, "tflops", work->verdict.tflops, "causes", causes,
        "fidelity",
        run == NULL || run->computing ? ts_fidelity_name(work->jobs[0].numbers.phases) : "",
        "inputs", tensors_of(plan, false), "outputs", tensors_of(plan, true), "spans", spans,
        "first_to_last_start", (json_int_t)(run ? begins - run->first : 0), "from_movers",
        (json_int_t)(movers == TS_NEVER ? last - first : run->last - movers), "settings",
        settings_of(plan), "model", ideal_of(self, work, last - first));
    const uint64_t hash = hash_of(json_string_value(json_object_get(row, "settings")));
    json_object_set_new(
        row, "hash", json_sprintf("%llu", (unsigned long long)(hash_of(plan->name) * 31 + hash)));
    json_object_set_new(row, "flops", json_integer((json_int_t)work->result.flops));
    json_object_set_new(row, "run", json_string(self->asked.program));
    json_object_set_new(row, "chip", json_boolean(run)); // it is a setting of the program
    json_object_set_new(row, "set", set_of(self));
    if (self->measured[0] > 0)
        json_object_set_new(row, "measured",
                            json_pack("{s:f, s:o*}", "us", self->measured[0], "gap_us",
                                      self->measured[1] < 0 ? NULL : json_real(self->measured[1])));
    const json_t *trust = json_object_get(document, "trust");
    if (trust)
        json_object_set(row, "trust", (json_t *)trust);
    json_decref(document);
    return row;
}

// --- the document ---

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

// --- against a card ---

static int by_size(const void *a, const void *b)
{
    const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return TS_COMPARE(x, y);
}

static double percent_of(double ours, double theirs)
{
    return 100 * (ours / theirs - 1);
}

// Times of the operations whose steps say what a card takes; gaps before those of them that follow each other, so that both have
// the same before them. NULL: there are none.
static json_t *against(const json_t *rows)
{
    double *errors = calloc(json_array_size(rows) + 1, sizeof *errors), us = 0, card_us = 0,
           gap = 0, card_gap = 0;
    size_t i, count = 0, gaps = 0;
    json_t *row;
    bool before = false;
    json_array_foreach(rows, i, row)
    {
        json_t *card = json_object_get(row, "measured");
        const double ours = ts_json_number(row, "us"), theirs = ts_json_number(card, "us");
        if (card && errors) {
            errors[count++] = percent_of(ours, theirs);
            json_object_set_new(card, "percent", json_real(percent_of(ours, theirs)));
            us += ours;
            card_us += theirs;
        }
        if (card && before && json_object_get(card, "gap_us")) {
            gaps++;
            gap += ts_json_number(row, "gap_us");
            card_gap += ts_json_number(card, "gap_us");
        }
        before = card != NULL;
    }
    if (count)
        qsort(errors, count, sizeof *errors, by_size);
    json_t *all = count ? json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:I}", "operations",
                                    (json_int_t)count, "median_percent",
                                    (fabs(errors[(count - 1) / 2]) + fabs(errors[count / 2])) / 2,
                                    "us", card_us, "percent", percent_of(us, card_us), "gap_us",
                                    card_gap, "gap_percent",
                                    card_gap > 0 ? percent_of(gap, card_gap) : 0, "gaps",
                                    (json_int_t)gaps)
                        : NULL;
    free(errors);
    return all;
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
    return json_pack("{s:s, s:s, s:s*, s:I, s:I, s:f, s:I, s:I, s:I, s:s, s:s, s:o*, s:O}", "name",
                     self->here->plan->name, "chip", self->here->plan->soc.name, "system",
                     self->options.system ? self->system.name : NULL, "chips",
                     (json_int_t)self->system.chips, "layer_cycles", (json_int_t)self->clock, "us",
                     (double)self->clock / self->dispatch.mhz, "operation_cycles", times,
                     "gap_cycles", gaps, "clock_mhz", (json_int_t)self->dispatch.mhz, "dispatch",
                     !self->dispatch.on      ? "none"
                     : self->dispatch.traced ? "traced"
                                             : "eager",
                     "wrong", self->wrong, "measured", against(self->rows), "operations",
                     self->rows);
}
