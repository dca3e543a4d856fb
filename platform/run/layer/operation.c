// One program of a sequence on the machines (layer.h): its go and its run.
#include "platform/run/layer/layer.h"

#include "platform/base/hash.h"
#include "platform/kernel/cluster.h"

#include <elf.h>

#define LINKS_STEP 200  // cycles after which kernels of Ethernet tiles are looked at again,
#define LINKS_END  1000 // and how often

// --- what dispatch has to send ---

// What of an image is loaded: its bytes, and a number that is the same on every host.
static uint32_t loaded(const struct ts_image *image, uint64_t *id)
{
    Elf32_Ehdr head;
    uint32_t sum = 0;
    memcpy(&head, image->bytes, sizeof head);
    *id = TS_HASH_START;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf32_Phdr row;
        memcpy(&row, (const char *)image->bytes + head.e_phoff + (size_t)i * head.e_phentsize,
               sizeof row);
        if (row.p_type != PT_LOAD)
            continue;
        sum += row.p_filesz;
        *id = ts_hash_bytes(*id, (const char *)image->bytes + row.p_offset, row.p_filesz);
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
            sizes[load.kernels] = loaded(image, &ids[load.kernels]);
            load.kernels++;
        }
    load.id = ids;
    load.size = sizes;
    return ts_dispatch_go(&self->dispatch, &load, self->clock);
}

// --- the run ---

// A failure of the operation.
static void fail(struct ts_layer *self, enum ts_code code, const char *why)
{
    ts_fail(self->error, code, "%.200s:%d: operation %s: %.200s", self->here->plan->path,
            ts_yaml_line(self->step), self->name, why);
}

static struct ts_work *work_of(const struct ts_layer *self, uint32_t chip)
{
    return self->chips[chip].machine;
}

static void run_machines(struct ts_layer *self)
{
    bool done;
    do {
        done = true;
        self->last = self->run(self->context, TS_NEVER);
        for (uint32_t c = 0; self->last.stop == TS_STOP_BREAK && c < self->system.chips; c++)
            done &= ts_work_break(work_of(self, c), self->last.cycle);
    } while (self->last.stop == TS_STOP_BREAK && !done);
    if (self->last.stop != TS_STOP_BREAK)
        ts_fail(self->error, self->last.stop == TS_STOP_FAULT ? self->last.error.code : TS_HANG,
                "%.200s:%d: operation %s: the machine stopped in it (%s)", self->here->plan->path,
                ts_yaml_line(self->step), self->name, ts_stop_name(self->last.stop));
}

// Kernels of Ethernet tiles end a little later than those of the cores: the last credits come back.
static ts_cycle run_links(struct ts_layer *self, ts_cycle now)
{
    bool ended = false;
    for (unsigned i = 0; i < LINKS_END && !ended && self->error->code == TS_OK; i++) {
        ended = true;
        for (uint32_t c = 0; c < self->system.chips; c++)
            ended &= ts_machine_ended(work_of(self, c));
        if (!ended)
            now = self->run(self->context, now + LINKS_STEP).cycle;
    }
    if (!ended && self->error->code == TS_OK)
        ts_fail(
            self->error, TS_HANG,
            "%.200s:%d: operation %s: a kernel of an Ethernet tile has not ended %d cycles after "
            "those of the cores",
            self->here->plan->path, ts_yaml_line(self->step), self->name, LINKS_END * LINKS_STEP);
    return now;
}

// Hops of the go, a multicast of NoC 1 to the grid, beyond the corner that it comes to first.
static uint32_t hops_to(const struct ts_plan *plan, const struct ts_plan_core *core)
{
    return (uint32_t)(plan->raw_x[plan->columns - 1] - core->raw.x + plan->raw_y[plan->rows - 1] -
                      core->raw.y);
}

// Puts the plans on their machines and starts their cores, each no earlier than dispatch says. Returns the go.
static ts_cycle start_machines(struct ts_layer *self, struct ts_plan **plans, ts_cycle at)
{
    const ts_cycle prepare = ts_dispatch_cycles(&self->dispatch, self->dispatch.params.prepare);
    ts_cycle go = 0;
    for (uint32_t c = 0; c < self->system.chips && self->error->code == TS_OK; c++) {
        struct ts_layer_chip *chip = &self->chips[c];
        struct ts_plan *plan = plans[c];
        plans[c] = NULL;
        ts_kernel_place(self->kernel, ts_layer_place(self, c));
        if (ts_machine_put(chip->machine, plan, at, self->kernel, self->error)) {
            uint32_t nearest = UINT32_MAX;
            if (c == 0)
                go = go_of(self, chip->machine->program); // all chips have the same kernels
            for (uint32_t i = 0; i < plan->core_count; i++)
                nearest = hops_to(plan, &plan->cores[i]) < nearest ? hops_to(plan, &plan->cores[i])
                                                                   : nearest;
            for (uint32_t i = 0; i < plan->core_count; i++) {
                struct ts_plan_core *core = &plan->cores[i];
                const ts_cycle end = chip->ends[core->raw.y][core->raw.x],
                               ready = end ? end + prepare : 0,
                               there = go + (hops_to(plan, core) - nearest) *
                                                (ts_cycle)self->dispatch.hop;
                core->block.start_after += (uint32_t)at;
                if (self->dispatch.on)
                    core->block.start_after += (uint32_t)((ready > there ? ready : there) - go);
            }
            ts_work_start(chip->machine, self->error);
        }
        ts_kernel_place(self->kernel, 0);
    }
    return go;
}

// Results of all chips. Returns the work of that which ended last; `first` and `last`: of all kernels.
static struct ts_work *finish_machines(struct ts_layer *self, ts_cycle *first, ts_cycle *last)
{
    struct ts_work *slowest = NULL;
    *first = TS_NEVER;
    *last = 0;
    for (uint32_t c = 0; c < self->system.chips && self->error->code == TS_OK; c++) {
        struct ts_work *work = work_of(self, c);
        if (ts_work_finish(work, &self->last, self->error) && work->result.code != TS_OK)
            fail(self, work->result.code, work->result.text);
        if (slowest == NULL || work->program->last > *last)
            slowest = work;
        *first = work->program->first < *first ? work->program->first : *first;
        *last = work->program->last > *last ? work->program->last : *last;
    }
    return slowest;
}

// All its cores begin together.
void ts_layer_operate_alone(struct ts_layer *self, struct ts_plan *plan)
{
    struct ts_kernel *kernel = ts_kernel_new(&(struct ts_kernel_config){.threads = 1});
    struct ts_work *work = ts_work_new_program(plan, self->params, &self->config, kernel,
                                               self->error);
    if (work && ts_kernel_elaborate(kernel, self->error) == TS_OK &&
        ts_work_start(work, self->error)) {
        const struct ts_run run = ts_work_run(work, TS_NEVER);
        if (ts_work_finish(work, &run, self->error) && work->result.code != TS_OK)
            fail(self, work->result.code, work->result.text);
    }
    if (ts_layer_good(self)) {
        const struct ts_dispatch_load load = load_of(work->plan);
        const ts_cycle prepare = ts_dispatch_cycles(&self->dispatch, self->dispatch.params.prepare),
                       go = ts_dispatch_go(&self->dispatch, &load, self->clock);
        ts_cycle begin = json_array_size(self->rows) == 0 ? self->clock : go;
        char why[200];
        for (uint32_t i = 0; i < work->made; i++) {
            const struct ts_noc_xy raw = work->plan->cores[i].raw;
            const ts_cycle end = self->chips->ends[raw.y][raw.x];
            begin = self->dispatch.on && end && end + prepare > begin ? end + prepare : begin;
        }
        json_array_append_new(self->rows, ts_layer_row(self, work, begin, 0, work->verdict.cycles));
        self->clock = begin + work->verdict.cycles;
        if (work->jobs[0].chip)
            ts_moved_add(&self->moved, &work->chip);
        for (uint32_t i = 0; i < work->made; i++)
            self->chips->ends[work->plan->cores[i].raw.y][work->plan->cores[i].raw.x] = self->clock;
        ts_dispatch_ended(&self->dispatch, self->clock);
        if (work->program && ts_program_wrong(work->program) && self->wrong[0] == '\0') {
            ts_program_wrong_text(work->program, why, sizeof why);
            snprintf(self->wrong, sizeof self->wrong, "%.200s:%d: operation %s: %s",
                     self->here->plan->path, ts_yaml_line(self->step), self->name, why);
        }
    }
    ts_work_free(work);
    ts_kernel_free(kernel);
}

bool ts_layer_operate(struct ts_layer *self, struct ts_plan **plans)
{
    const ts_cycle at = self->at;
    ts_cycle first, last;
    if (at + TS_PROGRAM_START > UINT32_MAX - 1000000)
        ts_fail(self->error, TS_SETUP, "%.200s:%d: operation %s begins after cycle %llu: too late",
                self->here->plan->path, ts_yaml_line(self->step), self->name,
                (unsigned long long)at);
    const ts_cycle go = start_machines(self, plans, at);
    if (self->error->code == TS_OK)
        run_machines(self);
    struct ts_work *work = finish_machines(self, &first, &last);
    if (self->error->code != TS_OK)
        return false;
    // From the machine's clock to that of the sequence.
    const ts_cycle start = at + TS_PROGRAM_START,
                   begin = json_array_size(self->rows) == 0 || !self->dispatch.on
                               ? self->clock
                               : go + (first - start);
    json_t *row = ts_layer_row(self, work, begin, first, last);
    self->clock = begin + last - first;
    for (uint32_t c = 0; c < self->system.chips; c++) {
        const struct ts_work *of = work_of(self, c);
        for (uint32_t i = 0; i < of->made; i++) {
            const struct ts_noc_xy raw = of->plan->cores[i].raw;
            self->chips[c].ends[raw.y][raw.x] = begin + of->jobs[i].ended - first;
        }
    }
    struct ts_tile *tile = NULL; // the first of the machine has a track of operations
    for (uint32_t i = 0; tile == NULL; i++)
        tile = work_of(self, 0)->machine[i];
    ts_trace_zone(&tile->cores[TS_RV_BRISC].component,
                  ts_kernel_format(self->kernel, "%s", self->name), first, last);
    ts_dispatch_ended(&self->dispatch, self->clock);
    if (!work->jobs[0].tile->config.timing_only)
        ts_layer_check(self, row);
    json_array_append_new(self->rows, row);
    const ts_cycle now = run_links(self, self->last.cycle);
    for (uint32_t c = 0; c < self->system.chips; c++)
        ts_machine_take(work_of(self, c), now);
    const ts_cycle reached = ts_kernel_reached(self->kernel);
    self->at = (reached > now ? reached : now) + 1;
    return self->error->code == TS_OK;
}
