// Gives tensors, buffers and arguments their places, and every core its launch block.
//
// As the vendor's runtime does (tt-metal: program.cpp): tensors by the allocator of space.h; circular buffers
// from TS_PROGRAM_FREE upwards in the order of the file, at the same address on all their cores.
#include "platform/run/plan/remedies.h"
#include "platform/run/plan/space.h"

#define aligned ts_space_aligned

static uint32_t banks_of(const struct ts_plan *self, const struct ts_plan_tensor *tensor)
{
    if (tensor->dram)
        return self->soc.banks;
    return tensor->sharded ? tensor->shard_cores.count : self->columns * self->rows;
}

uint64_t ts_plan_page_at(const struct ts_plan *self, const struct ts_plan_tensor *t, uint32_t page,
                         uint32_t *bank)
{
    uint32_t banks = banks_of(self, t);
    if (!t->sharded) {
        *bank = page % banks;
        return (uint64_t)(page / banks) * t->stride;
    }
    uint32_t row = page / t->pages_across, column = page % t->pages_across;
    uint32_t across = (t->pages_across + t->shard_across - 1) / t->shard_across;
    uint32_t shard = row / t->shard_down * across + column / t->shard_across;
    uint32_t inside = row % t->shard_down * t->shard_across + column % t->shard_across;
    *bank = shard % banks;
    return ((uint64_t)(shard / banks) * t->shard_down * t->shard_across + inside) * t->stride;
}

static uint64_t bank_bytes(const struct ts_plan *self, const struct ts_plan_tensor *t)
{
    uint32_t banks = banks_of(self, t);
    if (!t->sharded)
        return aligned((uint64_t)((t->pages + banks - 1) / banks) * t->stride);
    uint32_t shards = (t->pages_down + t->shard_down - 1) / t->shard_down *
                      ((t->pages_across + t->shard_across - 1) / t->shard_across);
    return aligned((uint64_t)((shards + banks - 1) / banks) * t->shard_down * t->shard_across *
                   t->stride);
}

bool ts_plan_tensor_place(struct ts_plan *self, struct ts_plan_tensor *t, struct ts_space *space)
{
    t->bank_bytes = bank_bytes(self, t);
    if (t->host || ts_space_take(space, !t->dram, t->bank_bytes, t->name, &t->address))
        return true;
    char map[300];
    ts_space_map(space, !t->dram, map, sizeof map);
    if (t->dram)
        ts_yaml_error(t->node,
                      "%s needs %llu bytes in each of %u DRAM banks; %llu are too many "
                      "(a bank has %llu, the first %u are not for tensors)%s",
                      t->name, (unsigned long long)t->bank_bytes, self->soc.banks,
                      (unsigned long long)(t->bank_bytes - ts_space_largest(space, false)),
                      (unsigned long long)self->dram_end, TS_SPACE_DRAM, map);
    else
        ts_yaml_error(t->node,
                      "%s needs %llu bytes of L1 on each of %u cores; %lld are too many "
                      "(%u are free)%s",
                      t->name, (unsigned long long)t->bank_bytes, banks_of(self, t),
                      (long long)(t->bank_bytes - ts_space_largest(space, true)),
                      self->soc.machine->l1_bytes - TS_PROGRAM_FREE, map);
    return false;
}

// Returns the lowest address in L1 that a tensor takes: one of this program, or of a sequence that it is part of.
static uint32_t place_tensors(struct ts_plan *self)
{
    struct ts_space own, *space = self->space;
    if (space == NULL)
        ts_space_init(space = &own, self->dram_end, self->soc.machine->l1_bytes);
    for (uint32_t i = 0; i < self->tensor_count && self->yaml.error->code == TS_OK; i++) {
        struct ts_plan_tensor *t = &self->tensors[i];
        if (!t->bound && !ts_plan_tensor_place(self, t, space))
            return TS_PROGRAM_FREE;
    }
    return ts_space_lowest(space);
}

static uint64_t cb_bytes(const struct ts_plan *self, uint32_t index)
{
    uint64_t most = (uint64_t)self->cbs[index].pages * self->cbs[index].page;
    for (uint32_t i = 0; i < self->cb_count; i++) {
        uint64_t bytes = (uint64_t)self->cbs[i].pages * self->cbs[i].page;
        if (self->cbs[i].with == (int)index && bytes > most)
            most = bytes;
    }
    return most;
}

// The first free address on each core grows; a buffer takes the highest of its cores.
static void place_buffers(struct ts_plan *self, uint32_t end)
{
    static const uint32_t first = TS_PROGRAM_FREE;
    uint32_t next[16][16];
    for (unsigned i = 0; i < 256; i++)
        next[i / 16][i % 16] = first;
    for (uint32_t i = 0; i < self->cb_count; i++) {
        struct ts_plan_cb *cb = &self->cbs[i];
        if (cb->id >= self->soc.machine->buffers)
            ts_yaml_error(cb->node, "buffer %u: cores of %s have room for buffers 0 to %u", cb->id,
                          self->soc.machine->title, self->soc.machine->buffers - 1u);
        if (cb->with >= 0) {
            cb->address = self->cbs[cb->with].address;
            continue;
        }
        uint64_t bytes = cb_bytes(self, i), at = first;
        if (cb->on >= 0) {
            const struct ts_plan_tensor *t = &self->tensors[cb->on];
            cb->address = t->address;
            if (bytes > t->bank_bytes)
                ts_yaml_error(cb->node, "buffer %u has %llu bytes, a shard of %s %llu", cb->id,
                              (unsigned long long)bytes, t->name,
                              (unsigned long long)t->bank_bytes);
            continue;
        }
        for (uint32_t c = 0; c < cb->cores.count; c++)
            if (next[cb->cores.at[c].y][cb->cores.at[c].x] > at)
                at = next[cb->cores.at[c].y][cb->cores.at[c].x];
        cb->address = (uint32_t)at;
        at = aligned(at + bytes);
        if (at > end) {
            ts_yaml_error(
                cb->node,
                "buffer %u of %llu bytes does not fit in L1: %llu bytes too many (buffers "
                "end at %u%s)",
                cb->id, (unsigned long long)bytes, (unsigned long long)(at - end), end,
                end == self->soc.machine->l1_bytes ? "" : ", where the first tensor lies");
            return;
        }
        for (uint32_t c = 0; c < cb->cores.count; c++)
            next[cb->cores.at[c].y][cb->cores.at[c].x] = (uint32_t)at;
    }
}

// --- compile-time arguments ---

static struct ts_noc_xy noc_of(const struct ts_plan *self, struct ts_plan_xy at)
{
    return ts_soc_logical(&self->soc, ts_plan_raw(self, at));
}

// The words of a tensor among compile-time arguments, as TensorAccessorArgs reads them.
static uint32_t tensor_words(const struct ts_plan *self, const struct ts_plan_tensor *t,
                             uint32_t *words, uint32_t room)
{
    enum { SHARDED = 1, DRAM = 2, RANK = 2 };
    uint32_t count = 0, banks = banks_of(self, t);
    if (room < 8 + (banks + 1) / 2)
        return 0;
    words[count++] = (t->sharded ? SHARDED : 0u) | (t->dram ? DRAM : 0u);
    words[count++] = t->stride;
    if (!t->sharded)
        return count;
    const uint32_t shape[] = {RANK,          banks,          t->pages_down, t->pages_across,
                              t->shard_down, t->shard_across};
    for (unsigned i = 0; i < sizeof shape / sizeof *shape; i++)
        words[count++] = shape[i];
    for (uint32_t i = 0; i < banks; i++) {
        uint32_t code = i << 8; // of DRAM the bank's number stands for x
        if (!t->dram) {
            struct ts_noc_xy xy = noc_of(self, t->shard_cores.at[i]);
            code = (uint32_t)xy.x << 8 | xy.y;
        }
        if (i % 2 == 0)
            words[count++] = code;
        else
            words[count - 1] |= code << 16;
    }
    return count;
}

// A tensor that is not there, for a kernel that has a place for it: the words of one in L1, without a page.
static uint32_t no_tensor(uint32_t *words, uint32_t room)
{
    uint32_t count = room < 2 ? room : 2;
    memset(words, 0, count * sizeof *words);
    return count;
}

// Tensors that the kernel knows by name: their words come last, their addresses are common arguments.
static void bind_tensors(struct ts_plan *self, struct ts_plan_kernel *kernel)
{
    struct ts_yaml_node map = kernel->tensors;
    uint32_t common = kernel->common.node ? (uint32_t)ts_yaml_count(kernel->common) : 0;
    for (size_t i = 0; map.node && i < ts_yaml_count(map); i++) {
        struct ts_yaml_node node = ts_yaml_value(map, i);
        int tensor = ts_plan_tensor_find(self, ts_yaml_text(node, ""));
        if (tensor < 0 || i == TS_PLAN_BOUND) {
            ts_yaml_error(node,
                          tensor < 0 ? "no tensor is called '%.40s'" : "one too many: '%.40s'",
                          ts_yaml_text(node, ""));
            return;
        }
        kernel->bound[i].name = ts_yaml_text(ts_yaml_key(map, i), "");
        kernel->bound[i].tensor = (uint32_t)tensor;
        kernel->bound[i].word = kernel->word_count;
        kernel->bound[i].address = common + (uint32_t)i;
        kernel->bound_count++;
        kernel->word_count += tensor_words(self, &self->tensors[tensor],
                                           kernel->words + kernel->word_count,
                                           TS_PLAN_WORDS - kernel->word_count);
    }
}

static void compile_words(struct ts_plan *self, struct ts_plan_kernel *kernel)
{
    struct ts_plan_scope scope = {.plan = self};
    for (size_t i = 0; ts_yaml_is_list(kernel->compile) && i < ts_yaml_count(kernel->compile);
         i++) {
        struct ts_yaml_node node = ts_yaml_at(kernel->compile, i);
        uint32_t room = TS_PLAN_WORDS - kernel->word_count;
        if (ts_yaml_is_map(node)) {
            ts_yaml_only(node, "tensor", NULL);
            struct ts_yaml_node name = ts_yaml_require(node, "tensor");
            int tensor = ts_plan_tensor_find(self, ts_yaml_text(name, ""));
            if (tensor < 0 && strcmp(ts_yaml_text(name, ""), "none") == 0)
                kernel->word_count += no_tensor(kernel->words + kernel->word_count, room);
            else if (tensor < 0)
                ts_yaml_error(name, "no tensor is called '%.40s'", ts_yaml_text(name, ""));
            else
                kernel->word_count += tensor_words(self, &self->tensors[tensor],
                                                   kernel->words + kernel->word_count, room);
        } else if (room > 0) {
            kernel->words[kernel->word_count++] = ts_plan_word(&scope, node);
        }
        if (kernel->word_count >= TS_PLAN_WORDS)
            ts_yaml_error(node, "more than %d compile-time arguments", TS_PLAN_WORDS - 1);
        if (self->yaml.error->code != TS_OK)
            return;
    }
}

// --- cores ---

struct ts_noc_xy ts_plan_raw(const struct ts_plan *self, struct ts_plan_xy at)
{
    return (struct ts_noc_xy){self->raw_x[at.x], self->raw_y[at.y]};
}

static int core_find(const struct ts_plan *self, struct ts_plan_xy at)
{
    for (uint32_t i = 0; i < self->core_count; i++)
        if (self->cores[i].at.x == at.x && self->cores[i].at.y == at.y)
            return (int)i;
    return -1;
}

static struct ts_plan_core *core_at(struct ts_plan *self, struct ts_plan_xy at)
{
    int found = core_find(self, at);
    if (found < 0) {
        found = (int)self->core_count++;
        struct ts_plan_core *core = &self->cores[found];
        *core = (struct ts_plan_core){.at = at, .raw = ts_plan_raw(self, at)};
        for (unsigned i = 0; i < TS_ON; i++)
            core->kernel[i] = -1;
    }
    return &self->cores[found];
}

static void take_processors(struct ts_plan *self, uint32_t index)
{
    const struct ts_plan_kernel *kernel = &self->kernels[index];
    unsigned first = kernel->on == TS_PLAN_BRISC    ? TS_ON_BRISC
                     : kernel->on == TS_PLAN_NCRISC ? TS_ON_NCRISC
                                                    : TS_ON_TRISC0;
    unsigned last = kernel->on == TS_PLAN_COMPUTE ? TS_ON_TRISC2 : first;
    for (uint32_t c = 0; c < kernel->cores.count; c++) {
        struct ts_plan_core *core = core_at(self, kernel->cores.at[c]);
        if (core->kernel[first] >= 0)
            ts_yaml_error(kernel->node, "core %u,%u runs a kernel there already (line %d)",
                          core->at.x, core->at.y,
                          ts_yaml_line(self->kernels[core->kernel[first]].node));
        for (unsigned p = first; p <= last; p++)
            core->kernel[p] = (int)index;
    }
}

// BRISC boots a core: where the file has no kernel for it, an empty one.
static void add_boot(struct ts_plan *self)
{
    struct ts_plan_kernel *boot = &self->kernels[self->kernel_count];
    for (uint32_t i = 0; i < self->core_count; i++)
        if (self->cores[i].kernel[TS_ON_BRISC] < 0)
            boot->cores.at[boot->cores.count++] = self->cores[i].at;
    if (boot->cores.count == 0)
        return;
    boot->node = ts_yaml_find(ts_yaml_root(&self->yaml), "kernels");
    boot->source = self->boot;
    boot->boot = true;
    boot->dynamic_noc = true;
    boot->optimise = "O2";
    ts_sdk_path(self->boot, sizeof self->boot, "program/boot.cpp");
    take_processors(self, self->kernel_count++);
}

// In dedicated mode each NoC belongs to one of the two: their software counts its transfers.
static void check_nocs(struct ts_plan *self)
{
    for (uint32_t i = 0; i < self->core_count; i++) {
        const struct ts_plan_core *core = &self->cores[i];
        if (core->kernel[TS_ON_BRISC] < 0 || core->kernel[TS_ON_NCRISC] < 0)
            continue;
        const struct ts_plan_kernel *b = &self->kernels[core->kernel[TS_ON_BRISC]],
                                    *n = &self->kernels[core->kernel[TS_ON_NCRISC]];
        if (b->noc == n->noc && !b->boot && !(b->dynamic_noc && n->dynamic_noc))
            ts_yaml_error(n->node,
                          "on core %u,%u both data movement kernels use NoC %u (the other: line "
                          "%d); give one of them `noc: %u', or both dynamic_noc: true",
                          core->at.x, core->at.y, n->noc, ts_yaml_line(b->node), 1 - n->noc);
    }
}

// --- launch blocks ---

static void add_word(struct ts_plan *self, struct ts_plan_core *core,
                     const struct ts_plan_scope *scope, struct ts_yaml_node node)
{
    if (core->word_count + 3 * TS_PLAN_BOUND >= TS_PLAN_CONFIG + 4 * TS_PLAN_SEMAPHORES)
        ts_yaml_error(node, "the kernels of a core have at most %d arguments",
                      TS_PLAN_CONFIG - 3 * TS_PLAN_BOUND);
    if (self->yaml.error->code == TS_OK)
        core->words[core->word_count++] = ts_plan_word(scope, node);
}

// An element of a list can be {times: n, of: EXPRESSION or a list}, in which i goes from 0 to n - 1.
static uint32_t add_words(struct ts_plan *self, struct ts_plan_core *core,
                          const struct ts_plan_scope *scope, struct ts_yaml_node list)
{
    uint32_t address = self->config + 4 * core->word_count;
    for (size_t i = 0; list.node && i < ts_yaml_count(list); i++) {
        struct ts_yaml_node node = ts_plan_item(list, i);
        struct ts_plan_scope turn = *scope;
        double times = 0;
        if (!ts_yaml_is_map(node)) {
            add_word(self, core, scope, node);
            continue;
        }
        ts_yaml_only(node, "times of", NULL);
        ts_plan_number(scope, ts_yaml_require(node, "times"), 0, TS_PLAN_CONFIG, &times);
        struct ts_yaml_node of = ts_yaml_require(node, "of");
        size_t each = ts_yaml_is_list(of) ? ts_yaml_count(of) : 1;
        while (turn.turn++ < times && self->yaml.error->code == TS_OK)
            for (size_t item = 0; item < each; item++)
                add_word(self, core, &turn, ts_yaml_is_list(of) ? ts_yaml_at(of, item) : of);
    }
    return address;
}

static uint32_t index_in(const struct ts_plan_cores *cores, struct ts_plan_xy at)
{
    uint32_t i = 0;
    while (i < cores->count && (cores->at[i].x != at.x || cores->at[i].y != at.y))
        i++;
    return i;
}

// All threads of a compute kernel share their arguments.
static void place_arguments(struct ts_plan *self, struct ts_plan_core *core)
{
    for (unsigned common = 0; common < 2; common++)
        for (unsigned p = 0; p < TS_ON; p++) {
            uint32_t *to = common ? core->block.crta : core->block.rta;
            if (core->kernel[p] < 0)
                continue;
            if (p > TS_ON_TRISC0) {
                to[p] = to[TS_ON_TRISC0];
                core->given[common][p] = core->given[common][TS_ON_TRISC0];
                continue;
            }
            const struct ts_plan_kernel *kernel = &self->kernels[core->kernel[p]];
            struct ts_plan_scope scope = {
                .plan = self, .cores = &kernel->cores, .index = index_in(&kernel->cores, core->at)};
            to[p] = add_words(self, core, &scope, common ? kernel->common : kernel->args);
            for (uint32_t i = 0; common && i < kernel->bound_count; i++)
                core->words[core->word_count++] = self->tensors[kernel->bound[i].tensor].address;
            add_words(self, core, &scope, common ? kernel->common_varargs : kernel->varargs);
            core->given[common][p] = core->word_count - (to[p] - self->config) / 4;
        }
}

static void align_words(struct ts_plan_core *core)
{
    core->word_count = (core->word_count + 3) / 4 * 4;
}

// First, so that a semaphore has one address on all cores.
static void place_semaphores(struct ts_plan *self, struct ts_plan_core *core)
{
    core->block.semaphores = self->config + 4 * core->word_count;
    for (uint32_t i = 0; i < self->semaphore_count; i++) {
        const struct ts_plan_semaphore *s = &self->semaphores[i];
        core->words[core->word_count] = index_in(&s->cores, core->at) < s->cores.count ? s->value
                                                                                       : 0;
        core->word_count += TS_SEMAPHORE_STEP / 4;
    }
}

static void place_configs(struct ts_plan *self, struct ts_plan_core *core)
{
    uint32_t highest = 0;
    align_words(core);
    core->block.cb_config = self->config + 4 * core->word_count;
    for (uint32_t i = 0; i < self->cb_count; i++) {
        const struct ts_plan_cb *cb = &self->cbs[i];
        if (index_in(&cb->cores, core->at) == cb->cores.count)
            continue;
        struct ts_program_cb row = {cb->address, cb->pages * cb->page, cb->pages, cb->page};
        core->block.cb_mask[cb->id / 32] |= 1u << cb->id % 32;
        memcpy(&core->words[core->word_count + 4 * cb->id], &row, sizeof row);
        highest = cb->id + 1 > highest ? cb->id + 1 : highest;
    }
    core->word_count += 4 * highest;
}

static void fill_tables(const struct ts_plan *self, struct ts_program *block)
{
    for (uint32_t i = 0; i < self->soc.banks && i < TS_PROGRAM_DRAM + TS_PROGRAM_MORE; i++)
        for (unsigned noc = 0; noc < 2; noc++) {
            struct ts_noc_xy xy = ts_soc_logical(&self->soc,
                                                 ts_soc_worker_endpoint(&self->soc, i, noc));
            uint16_t *to = i < TS_PROGRAM_DRAM ? &block->dram_xy[noc][i]
                                               : &block->dram_more[noc][i - TS_PROGRAM_DRAM];
            *to = (uint16_t)(xy.x | xy.y << 6);
        }
    for (uint32_t i = 0; i < self->columns * self->rows; i++) {
        struct ts_noc_xy xy = noc_of(self, self->banks[i]);
        block->l1_xy[0][i] = block->l1_xy[1][i] = (uint16_t)(xy.x | xy.y << 6);
    }
    for (uint8_t x = 0; x < self->columns; x++)
        block->columns[x] = noc_of(self, (struct ts_plan_xy){x, 0}).x;
    for (uint8_t y = 0; y < self->rows; y++)
        block->rows[y] = noc_of(self, (struct ts_plan_xy){0, y}).y;
}

static void place_core(struct ts_plan *self, struct ts_plan_core *core)
{
    struct ts_program *block = &core->block;
    struct ts_noc_xy noc = noc_of(self, core->at);
    block->my_x = noc.x, block->my_y = noc.y;
    block->logical_x = block->relative_x = core->at.x;
    block->logical_y = block->relative_y = core->at.y;
    block->start_after = ts_remedies_start(self, core->at);
    for (unsigned p = 0; p < TS_ON; p++)
        if (core->kernel[p] >= 0 && !self->kernels[core->kernel[p]].boot)
            block->enables |= 1u << p;
    fill_tables(self, block);
    place_semaphores(self, core);
    place_arguments(self, core);
    place_configs(self, core);
    uint32_t room = TS_PROGRAM_FREE - self->config;
    if (4 * core->word_count > room && self->yaml.error->code == TS_OK)
        ts_yaml_error(ts_yaml_root(&self->yaml),
                      "arguments, semaphores and buffers of core %u,%u need %u bytes: %u too many",
                      core->at.x, core->at.y, 4 * core->word_count, 4 * core->word_count - room);
}

bool ts_plan_place(struct ts_plan *self)
{
    // calloc's memory is not aligned enough for the block that the cores share with their kernels.
    self->cores = aligned_alloc(_Alignof(struct ts_plan_core), TS_PLAN_CORES * sizeof *self->cores);
    if (self->cores == NULL)
        return ts_refuse(self->yaml.error, TS_NO_MEMORY, "out of memory");
    place_buffers(self, place_tensors(self));
    for (uint32_t i = 0; i < self->kernel_count; i++) {
        compile_words(self, &self->kernels[i]);
        bind_tensors(self, &self->kernels[i]);
        take_processors(self, i);
    }
    if (self->core_count == 0 && self->yaml.error->code == TS_OK)
        ts_yaml_error(ts_yaml_find(ts_yaml_root(&self->yaml), "kernels"), "no kernel runs: %s",
                      self->kernel_count ? "their ranges of cores are all empty"
                                         : "`when' leaves all of them out");
    if (self->metal == NULL)
        add_boot(self);
    check_nocs(self);
    for (uint32_t i = 0; i < self->core_count; i++)
        if (self->yaml.error->code == TS_OK)
            place_core(self, &self->cores[i]);
    ts_plan_eth_place(self);
    return self->yaml.error->code == TS_OK;
}
