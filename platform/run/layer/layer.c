// Steps of a sequence (layer.h): loops, tensors that come and go, programs with their settings.
#include "platform/run/layer/layer.h"

#include "platform/run/plan/data.h"
#include "platform/run/plan/npy.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETTINGS 64
#define NO_OTHERS                                                                              \
    "a sequence has programs over the kernel API on one chip: no low-level kernels, captured " \
    "launches, kernels that tt-metal built or systems"

static bool good(const struct ts_layer *self)
{
    return self->error->code == TS_OK;
}

// A failure of the current operation, at a line of the sequence.
static void refuse(struct ts_layer *self, struct ts_yaml_node node, const char *text)
{
    const struct ts_error why = *self->error;
    char inner[300];
    snprintf(inner, sizeof inner, "%.299s", text);
    self->error->code = TS_OK;
    ts_yaml_error(node, "operation %s: %s", self->name, inner);
    if (why.code != TS_OK)
        self->error->code = why.code;
}

// --- tensors ---

static int tensor_of(struct ts_layer *self, struct ts_yaml_node node)
{
    const int index = ts_plan_tensor_find(self->plan, ts_yaml_text(node, ""));
    if (index < 0)
        ts_yaml_error(node, "the sequence has no tensor '%.40s'", ts_yaml_text(node, ""));
    return index;
}

static bool place(struct ts_layer *self, uint32_t index, struct ts_yaml_node node)
{
    struct ts_plan_tensor *t = &self->plan->tensors[index];
    struct ts_layer_tensor *state = &self->tensors[index];
    if (!ts_plan_tensor_place(self->plan, t, &self->space)) {
        refuse(self, node, strstr(self->error->text, ": ") ? self->error->text : "no room");
        return false;
    }
    state->state = TS_LAYER_THERE;
    state->written = t->filled;
    return self->dry || !t->filled || t->data.at == NULL || self->plan->bare ||
           ts_plan_put(self->plan, t, &self->machine->chip, self->error);
}

static void spell(const struct ts_plan_tensor *t, char *text, size_t size)
{
    char shard[64] = "interleaved";
    if (t->sharded)
        snprintf(shard, sizeof shard, "shards of %ux%u pages on %u", t->shard_down, t->shard_across,
                 t->shard_cores.count);
    snprintf(text, size, "%ux%u %s %s in %s, %s", t->rows, t->columns,
             ts_plan_format_name(t->format), t->tiled ? "tiles" : "rows", t->dram ? "DRAM" : "L1",
             shard);
}

static bool same_shards(const struct ts_plan_tensor *a, const struct ts_plan_tensor *b)
{
    return a->sharded == b->sharded &&
           (!a->sharded || (a->shard_down == b->shard_down && a->shard_across == b->shard_across &&
                            a->shard_cores.count == b->shard_cores.count &&
                            memcmp(a->shard_cores.at, b->shard_cores.at,
                                   a->shard_cores.count * sizeof *a->shard_cores.at) == 0));
}

// A tensor of the program is one of the sequence.
static void bind_tensor(struct ts_layer *self, struct ts_plan_tensor *own, struct ts_yaml_node node)
{
    char text[300], here[100], there[100];
    const int index = tensor_of(self, node);
    if (index < 0)
        return;
    struct ts_plan_tensor *t = &self->plan->tensors[index];
    struct ts_layer_tensor *state = &self->tensors[index];
    const bool output = own->expected;
    if (state->state == TS_LAYER_FREED) {
        snprintf(text, sizeof text, "%s was freed in line %d (alloc: [%s] gives it a new place)",
                 t->name, state->line, t->name);
        refuse(self, node, text);
        return;
    }
    if (state->state == TS_LAYER_NOWHERE && !place(self, (uint32_t)index, node))
        return;
    spell(own, here, sizeof here);
    spell(t, there, sizeof there);
    if (own->rows != t->rows || own->columns != t->columns || own->format != t->format ||
        own->tiled != t->tiled || own->dram != t->dram || own->page != t->page || own->host ||
        t->host || !same_shards(own, t)) {
        snprintf(text, sizeof text, "%s of the program is %s; %s is %s", own->name, here, t->name,
                 there);
        refuse(self, node, text);
    } else if (!output && !state->written) {
        snprintf(text, sizeof text, "reads %s, which nothing has written", t->name);
        refuse(self, node, text);
    }
    own->bound = true;
    own->address = t->address;
    own->bank_bytes = t->bank_bytes;
    self->bound[index] = true;
    self->output[index] |= output;
}

// While a program is read: its tensors are known, and not placed yet.
static void bind(void *context, struct ts_plan *plan)
{
    struct ts_layer *self = context;
    struct ts_yaml_node map = ts_yaml_find(self->step, "tensors");
    if (plan->metal || plan->captured || plan->system || plan->eth_count)
        refuse(self, self->step, NO_OTHERS);
    if (map.node && !ts_yaml_is_map(map))
        ts_yaml_error(map, "tensors: {tensor of the program: tensor of the sequence}");
    for (size_t i = 0; good(self) && map.node && i < ts_yaml_count(map); i++) {
        const char *name = ts_yaml_text(ts_yaml_key(map, i), "");
        const int own = ts_plan_tensor_find(plan, name);
        char text[200];
        snprintf(text, sizeof text, "the program %.60s has no tensor '%.40s'", plan->name, name);
        if (own < 0)
            refuse(self, ts_yaml_key(map, i), text);
        else
            bind_tensor(self, &plan->tensors[own], ts_yaml_value(map, i));
    }
    if (!good(self))
        ts_fail(plan->yaml.error, TS_SETUP, "refused");
}

static void step_free(struct ts_layer *self, struct ts_yaml_node list, bool again)
{
    for (size_t i = 0; good(self) && i < ts_yaml_count(list); i++) {
        struct ts_yaml_node node = ts_yaml_at(list, i);
        const int index = tensor_of(self, node);
        if (index < 0)
            return;
        struct ts_plan_tensor *t = &self->plan->tensors[index];
        struct ts_layer_tensor *state = &self->tensors[index];
        if (again && state->state == TS_LAYER_THERE)
            ts_yaml_error(node, "%s has a place already", t->name);
        else if (again)
            place(self, (uint32_t)index, node);
        else if (state->state != TS_LAYER_THERE)
            ts_yaml_error(node,
                          state->state == TS_LAYER_FREED ? "%s was freed in line %d"
                                                         : "%s has no place yet (line %d)",
                          t->name,
                          state->state == TS_LAYER_FREED ? state->line : ts_yaml_line(t->node));
        else {
            ts_space_give(&self->space, !t->dram, t->address);
            state->state = TS_LAYER_FREED;
            state->line = ts_yaml_line(node);
        }
    }
}

// --- programs ---

// The text of a setting: the word that a parameter holds, a number, or the text itself.
static void set(struct ts_layer *self, struct ts_yaml_node key, struct ts_yaml_node node,
                char to[128])
{
    const struct ts_plan_scope scope = {.plan = self->plan, .turn = self->turn};
    char said[80];
    const char *text = ts_yaml_text(node, ""), *word = ts_plan_chosen(self->plan, text);
    if (strchr(text, '{')) { // "{across}x{down}"
        ts_plan_say(self->plan, text, said, sizeof said);
        word = said;
    }
    struct ts_error aside = {0}, *kept = self->plan->yaml.error;
    double value;
    self->plan->yaml.error = &aside; // a text that is no expression is a word of the program's
    const bool number = word == NULL && !ts_yaml_is_quoted(node) &&
                        ts_plan_real(&scope, node, &value);
    self->plan->yaml.error = kept;
    if (number && aside.code == TS_OK)
        snprintf(to, 128, "%.40s=%.15g", ts_yaml_text(key, ""), value);
    else
        snprintf(to, 128, "%.40s=%.80s", ts_yaml_text(key, ""), word ? word : text);
}

static void check_expected(struct ts_layer *self)
{
    struct ts_yaml_node map = ts_yaml_find(self->step, "expect");
    if (map.node && !ts_yaml_is_map(map))
        ts_yaml_error(map, "expect: {tensor: expression or .npy file}");
    for (size_t i = 0; good(self) && map.node && i < ts_yaml_count(map); i++) {
        const char *text = ts_yaml_text(ts_yaml_value(map, i), "");
        const int index = tensor_of(self, ts_yaml_key(map, i));
        char path[PATH_MAX], why[300];
        ts_plan_path(self->plan, path, sizeof path, text);
        snprintf(why, sizeof why, "%.200s cannot be read", path);
        if (index >= 0 && ts_npy_is(text) && access(path, R_OK) != 0)
            refuse(self, ts_yaml_value(map, i), why);
        else if (index >= 0 && !self->output[index])
            refuse(self, ts_yaml_key(map, i), "it does not write this tensor");
    }
}

static void give_back(struct ts_layer *self, const struct ts_plan *plan)
{
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        if (!plan->tensors[i].bound && !plan->tensors[i].host)
            ts_space_give(&self->space, !plan->tensors[i].dram, plan->tensors[i].address);
}

// The cores of all programs and the banks of tensors in L1 need tiles: bit x of row y, raw.
static void note_cores(struct ts_layer *self, const struct ts_plan *plan)
{
    for (uint32_t i = 0; i < plan->core_count; i++)
        self->ends[plan->cores[i].raw.y][plan->cores[i].raw.x] = 1;
}

static void step_run(struct ts_layer *self)
{
    static const char *const keys[] = {"run", "name",      "set",  "tensors", "expect",
                                       "pcc", "tolerance", "when", NULL};
    struct ts_yaml_node run = ts_yaml_find(self->step, "run"),
                        sets = ts_yaml_find(self->step, "set");
    const char *program = ts_yaml_text(run, ""), *params[SETTINGS + 1];
    char text[SETTINGS][128], chip[PATH_MAX + 8], next_to_it[PATH_MAX], found[PATH_MAX];
    const char *name = ts_yaml_text(ts_yaml_find(self->step, "name"), program);
    struct ts_plan_options options = self->options;
    struct ts_error inner = {0};
    ts_yaml_only(self->step, keys);
    snprintf(self->name, sizeof self->name, self->turn ? "%.60s[%u]" : "%.60s", name,
             self->turn - 1);
    if (sets.node && (!ts_yaml_is_map(sets) || ts_yaml_count(sets) > SETTINGS))
        ts_yaml_error(sets, "set: {parameter of the program: value}, at most %d", SETTINGS);
    if (strncmp(program, "llk/", 4) == 0)
        refuse(self, run, NO_OTHERS);
    if (!good(self))
        return;
    options.param_count = sets.node ? ts_yaml_count(sets) : 0;
    for (size_t i = 0; i < options.param_count; i++) {
        set(self, ts_yaml_key(sets, i), ts_yaml_value(sets, i), text[i]);
        params[i] = text[i];
    }
    snprintf(chip, sizeof chip, "chip=%s", self->plan->soc.name);
    params[options.param_count++] = chip;
    options.params = params;
    memset(self->bound, 0, sizeof self->bound);
    memset(self->output, 0, sizeof self->output);
    ts_plan_path(self->plan, next_to_it, sizeof next_to_it, program);
    const char *path = access(next_to_it, R_OK) == 0 && strchr(program, '.')
                           ? next_to_it
                           : ts_plan_find(program, found, sizeof found, &inner);
    struct ts_plan *plan = path ? ts_plan_read(path, &options, &inner) : NULL;
    if (plan && !ts_plan_compile(plan, &options, &inner)) {
        ts_plan_free(plan);
        plan = NULL;
    }
    if (plan == NULL && good(self))
        refuse(self, run, inner.text);
    if (plan == NULL)
        return;
    check_expected(self);
    give_back(self, plan); // in the order of the file, nobody else takes it while the program runs
    if (self->dry || !good(self)) {
        note_cores(self, plan);
        ts_plan_free(plan);
    } else
        ts_layer_operate(self, plan);
    for (uint32_t i = 0; i < TS_PLAN_TENSORS; i++)
        self->tensors[i].written |= self->output[i];
}

static void walk(struct ts_layer *self, struct ts_yaml_node list)
{
    static const char *const loop_keys[] = {"loop", "of", "when", NULL}, *const list_keys[] = {
                                                                             "free", "alloc",
                                                                             "when", NULL};
    if (!ts_yaml_is_list(list))
        ts_yaml_error(list, "steps: a list of {run: PROGRAM, ...}, {free: [TENSOR]}, "
                            "{alloc: [TENSOR]} and {loop: TIMES, of: [STEP, ...]}");
    for (size_t i = 0; good(self) && i < ts_yaml_count(list); i++) {
        const struct ts_yaml_node step = ts_yaml_at(list, i);
        if (!ts_yaml_is_map(step)) {
            ts_yaml_error(step, "a step is {run: PROGRAM, ...}, {free: [TENSOR]} or {loop: TIMES}");
            return;
        }
        const struct ts_yaml_node loop = ts_yaml_find(step, "loop"),
                                  free = ts_yaml_find(step, "free"),
                                  alloc = ts_yaml_find(step, "alloc");
        self->step = step;
        snprintf(self->name, sizeof self->name, "%s", free.node ? "free" : "alloc");
        if (!ts_plan_when(self->plan, step) || !good(self))
            continue;
        if (loop.node) {
            double times = 0;
            const uint32_t outer = self->turn;
            ts_yaml_only(step, loop_keys);
            ts_plan_number(&(struct ts_plan_scope){.plan = self->plan, .turn = outer}, loop, 0, 1e6,
                           &times);
            for (self->turn = 1; good(self) && self->turn <= times; self->turn++)
                walk(self, ts_yaml_require(step, "of"));
            self->turn = outer;
        } else if (free.node || alloc.node) {
            ts_yaml_only(step, list_keys);
            if (free.node)
                step_free(self, free, false);
            if (alloc.node)
                step_free(self, alloc, true);
        } else {
            ts_yaml_require(step, "run");
            if (good(self))
                step_run(self);
        }
    }
}

// --- the sequence ---

static void begin(struct ts_layer *self)
{
    ts_space_init(&self->space, self->plan->dram_end);
    memset(self->tensors, 0, sizeof self->tensors);
    self->turn = 0;
    walk(self, ts_yaml_require(ts_yaml_root(&self->plan->yaml), "steps"));
}

static void read_dispatch(struct ts_layer *self, const struct ts_params *params)
{
    struct ts_yaml_node node = ts_yaml_find(ts_yaml_root(&self->plan->yaml), "dispatch");
    const int kind = ts_word_index("none traced eager", ts_plan_choice(self->plan, node, "traced"));
    if (kind < 0)
        ts_yaml_error(node, "dispatch is traced, eager or none");
    self->dispatch.on = kind > 0;
    self->dispatch.traced = kind == 1;
    self->dispatch.mhz = ts_clock_mhz(params);
    TS_PARAMS_FILL(params, "dispatch", &self->dispatch.params);
}

// Tiles for all cores that run something.
static bool build(struct ts_layer *self, const struct ts_params *params,
                  const struct ts_tile_config *config)
{
    struct ts_noc_xy cores[TS_PLAN_CORES];
    uint32_t count = 0;
    for (uint8_t y = 0; y < TS_NOC_HEIGHT_MAX; y++)
        for (uint8_t x = 0; x < TS_NOC_WIDTH_MAX; x++)
            if (self->ends[y][x] && count < TS_PLAN_CORES)
                cores[count++] = (struct ts_noc_xy){x, y};
    memset(self->ends, 0, sizeof self->ends);
    if (count == 0)
        ts_yaml_error(ts_yaml_root(&self->plan->yaml), "no step runs a program");
    else
        self->machine = ts_machine_new(&self->plan->soc, cores, count, params, config, self->kernel,
                                       self->error);
    return good(self);
}

struct ts_layer *ts_layer_new(const char *path, const struct ts_plan_options *options,
                              const struct ts_params *params, const struct ts_tile_config *config,
                              struct ts_kernel *kernel, struct ts_error *error)
{
    struct ts_layer *self = calloc(1, sizeof *self);
    if (self == NULL || (self->rows = json_array()) == NULL) {
        free(self);
        ts_fail(error, TS_NO_MEMORY, "out of memory");
        return NULL;
    }
    self->kernel = kernel;
    self->error = error;
    self->plan = ts_plan_read(path, options, error);
    if (self->plan == NULL) {
        ts_layer_free(self);
        return NULL;
    }
    self->plan->yaml.error = error;
    struct ts_yaml_node kind = ts_yaml_find(ts_yaml_root(&self->plan->yaml), "kind");
    if (strcmp(ts_yaml_text(kind, ""), "sequence") != 0)
        ts_yaml_error(kind, "kind is sequence");
    self->options = *options;
    self->options.space = &self->space;
    self->options.bind = bind;
    self->options.bind_context = self;
    self->options.sequence = false;
    self->options.unchecked = true; // steps say what is expected
    read_dispatch(self, params);
    self->dry = true;
    if (good(self))
        begin(self);
    self->dry = false;
    self->options.notes = NULL;
    if (good(self) && build(self, params, config))
        return self;
    ts_layer_free(self);
    return NULL;
}

bool ts_layer_run(struct ts_layer *self, struct ts_run (*run)(void *context), void *context,
                  struct ts_error *error)
{
    self->error = self->plan->yaml.error = error;
    self->run = run;
    self->context = context;
    begin(self);
    return good(self);
}

void ts_layer_free(struct ts_layer *self)
{
    if (self == NULL)
        return;
    ts_work_free(self->machine);
    ts_plan_free(self->plan);
    json_decref(self->rows);
    free(self);
}
