// Steps of a sequence (layer.h): loops, tensors that come and go, programs with their settings.
#include "platform/run/layer/layer.h"

#include "platform/kernel/cluster.h"
#include "platform/run/plan/captured.h"
#include "platform/run/plan/npy.h"

#include <unistd.h>

#define SETTINGS 64
// --- programs ---

// The text of a setting: the word that a parameter holds, a number, or the text itself.
static void set(struct ts_layer *self, struct ts_yaml_node key, struct ts_yaml_node node,
                char to[128])
{
    const struct ts_plan_scope scope = {.plan = self->here->plan, .turn = self->turn};
    char said[80];
    const char *text = ts_yaml_text(node, ""), *word = ts_plan_chosen(self->here->plan, text);
    if (strchr(text, '{')) { // "{across}x{down}"
        ts_plan_say(self->here->plan, text, said, sizeof said);
        word = said;
    }
    struct ts_error aside = {0}, *kept = self->here->plan->yaml.error;
    double value;
    self->here->plan->yaml.error =
        &aside; // a text that is no expression is a word of the program's
    const bool number = word == NULL && !ts_yaml_is_quoted(node) &&
                        ts_plan_real(&scope, node, &value);
    self->here->plan->yaml.error = kept;
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
    for (size_t i = 0; ts_layer_good(self) && map.node && i < ts_yaml_count(map); i++) {
        const char *text = ts_yaml_text(ts_yaml_value(map, i), "");
        const int index = ts_layer_tensor(self, ts_yaml_key(map, i));
        char path[PATH_MAX], why[300];
        ts_plan_path(self->here->plan, path, sizeof path, text);
        snprintf(why, sizeof why, "%.200s cannot be read", path);
        if (index >= 0 && ts_npy_is(text) && access(path, R_OK) != 0)
            ts_layer_refuse(self, ts_yaml_value(map, i), why);
        else if (index >= 0 && !self->here->output[index])
            ts_layer_refuse(self, ts_yaml_key(map, i), "it does not write this tensor");
    }
}

static void give_back(struct ts_layer *self, const struct ts_plan *plan)
{
    for (uint32_t i = 0; i < plan->tensor_count; i++)
        if (!plan->tensors[i].bound && !plan->tensors[i].host)
            ts_space_give(&self->here->space, !plan->tensors[i].dram, plan->tensors[i].address);
}

static void note_cores(struct ts_layer *self, const struct ts_plan *plan)
{
    for (uint32_t i = 0; i < plan->core_count; i++)
        self->here->needed[plan->cores[i].raw.y][plan->cores[i].raw.x] = true;
    for (uint32_t i = 0; i < plan->eth_count; i++)
        self->here->needed[plan->eth[i].raw.y][plan->eth[i].raw.x] = true;
}

// Settings that somebody tries instead of, or besides, those of the step (tensim tune). Returns how many there are then.
static size_t change(const struct ts_layer *self, char text[SETTINGS][128], size_t count)
{
    for (size_t i = 0; i < self->options.change_count; i++) {
        char *setting;
        const long line = strtol(self->options.changes[i], &setting, 10);
        const size_t name = strcspn(++setting, "=") + 1;
        size_t at = 0;
        if (line != ts_yaml_line(self->step))
            continue;
        while (at < count && strncmp(text[at], setting, name) != 0)
            at++;
        if (at < SETTINGS)
            snprintf(text[at], 128, "%.127s", setting);
        count += at == count && at < SETTINGS;
    }
    return count;
}

static void step_run(struct ts_layer *self)
{
    struct ts_yaml_node run = ts_yaml_find(self->step, "run"),
                        sets = ts_yaml_find(self->step, "set");
    const char *program = ts_yaml_text(run, ""), *params[SETTINGS + 1];
    char text[SETTINGS][128], chip[PATH_MAX + 8], next_to_it[PATH_MAX], found[PATH_MAX];
    const char *name = ts_yaml_text(ts_yaml_find(self->step, "name"), program);
    struct ts_plan_options options = self->options;
    struct ts_plan *plans[TS_SYSTEM_CHIPS] = {NULL};
    struct ts_error inner = {0};
    ts_yaml_only(self->step, "run name set tensors expect pcc tolerance when measured", NULL);
    snprintf(self->name, sizeof self->name, self->turn ? "%.60s[%u]" : "%.60s", name,
             self->turn - 1);
    if (sets.node && (!ts_yaml_is_map(sets) || ts_yaml_count(sets) > SETTINGS))
        ts_yaml_error(sets, "set: {parameter of the program: value}, at most %d", SETTINGS);
    struct ts_yaml_node measured = ts_yaml_find(self->step, "measured");
    if (measured.node && (!ts_yaml_is_list(measured) || ts_yaml_count(measured) - 1 > 1)) {
        ts_yaml_error(measured, "measured: [time in us, gap before it in us]");
        return;
    }
    self->measured[0] = measured.node ? ts_yaml_real(ts_yaml_at(measured, 0), 0) : 0;
    self->measured[1] = ts_yaml_count(measured) > 1 ? ts_yaml_real(ts_yaml_at(measured, 1), -1)
                                                    : -1;
    if (!ts_layer_good(self))
        return;
    options.param_count = sets.node ? ts_yaml_count(sets) : 0;
    for (size_t i = 0; i < options.param_count; i++)
        set(self, ts_yaml_key(sets, i), ts_yaml_value(sets, i), text[i]);
    options.param_count = change(self, text, options.param_count);
    for (size_t i = 0; i < options.param_count; i++)
        params[i] = text[i];
    self->asked.program = program;
    self->asked.settings = params;
    self->asked.count = options.param_count;
    options.params = params;
    ts_plan_path(self->here->plan, next_to_it, sizeof next_to_it, program);
    const char *path = access(next_to_it, R_OK) == 0 && strchr(program, '.')
                           ? next_to_it
                           : ts_plan_find(program, found, sizeof found, &inner);
    if (path == next_to_it)
        self->asked.program = next_to_it;
    const bool llk = path && ts_plan_says(path, "runtime", NULL, 0),
               alone = llk || (path && (ts_plan_says(path, "captured", NULL, 0) ||
                                        ts_plan_says(path, "firmware", NULL, 0)));
    if (self->options.system == NULL && !llk) { // which has a chip, or none, in its file
        snprintf(chip, sizeof chip, "chip=%s", self->here->plan->soc.name);
        params[options.param_count++] = chip;
    }
    if (alone) {
        options.unchecked = self->unchecked;
        options.bind = NULL;
    }
    if (alone && (self->options.system || ts_yaml_find(self->step, "tensors").node ||
                  ts_yaml_find(self->step, "expect").node))
        ts_layer_refuse(
            self, run,
            "low-level kernels, captured launches and kernels that tt-metal built run "
            "on one chip, a machine of their own: they have no tensors of the sequence");
    if (path && self->options.system == NULL) {
        char system[64], why[160];
        ts_plan_system(path, &(struct ts_plan_options){.params = NULL}, system, sizeof system);
        snprintf(why, sizeof why,
                 "it is for several chips: the sequence needs `system: %s', or such a setting",
                 system);
        if (system[0])
            ts_layer_refuse(self, run, why);
    }
    for (uint32_t i = 0; i < self->system.chips && path && ts_layer_good(self); i++) {
        self->here = &self->chips[i];
        memset(self->here->bound, 0, sizeof self->here->bound);
        memset(self->here->output, 0, sizeof self->here->output);
        options.chip_id = i;
        options.space = alone ? NULL : &self->here->space;
        ts_kernel_place(self->kernel, ts_layer_place(self, i)); // of what a tensor is filled with
        plans[i] = ts_plan_read(path, &options, &inner);
        ts_kernel_place(self->kernel, 0);
        if (plans[i] && plans[i]->captured)
            ts_captured_machine_compare(plans[i], self->params, &inner);
        if (inner.code != TS_OK || !ts_plan_compile(plans[i], &options, &inner))
            break;
        if (alone) { // the sequence's machine has a tile at least
            self->here->needed[self->here->plan->raw_y[0]][self->here->plan->raw_x[0]] = true;
            break;
        }
        check_expected(self);
        give_back(
            self,
            plans[i]); // in the order of the file, nobody else takes it while the program runs
        note_cores(self, plans[i]);
    }
    self->here = self->chips;
    if (inner.code != TS_OK && ts_layer_good(self))
        ts_layer_refuse(self, run, inner.text);
    if (!self->dry && ts_layer_good(self) && alone) {
        ts_layer_operate_alone(self, plans[0]);
        plans[0] = NULL;
    } else if (!self->dry && ts_layer_good(self)) {
        ts_layer_operate(self, plans);
    }
    for (uint32_t i = 0; i < self->system.chips; i++) {
        for (uint32_t t = 0; t < TS_PLAN_TENSORS; t++)
            self->chips[i].tensors[t].written |= self->chips[i].output[t];
        ts_plan_free(plans[i]);
    }
}

static void walk(struct ts_layer *self, struct ts_yaml_node list)
{
    if (!ts_yaml_is_list(list))
        ts_yaml_error(list, "steps: a list of {run: PROGRAM, ...}, {free: [TENSOR]}, "
                            "{alloc: [TENSOR]} and {loop: TIMES, of: [STEP, ...]}");
    for (size_t i = 0; ts_layer_good(self) && i < ts_yaml_count(list); i++) {
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
        if (!ts_plan_when(self->here->plan, step) || !ts_layer_good(self))
            continue;
        if (loop.node) {
            double times = 0;
            const uint32_t outer = self->turn;
            ts_yaml_only(step, "loop of when", NULL);
            ts_plan_number(&(struct ts_plan_scope){.plan = self->here->plan, .turn = outer}, loop,
                           0, 1e6, &times);
            for (self->turn = 1; ts_layer_good(self) && self->turn <= times; self->turn++)
                walk(self, ts_yaml_require(step, "of"));
            self->turn = outer;
        } else if (free.node || alloc.node) {
            ts_yaml_only(step, "free alloc when", NULL);
            for (uint32_t c = 0; c < self->system.chips; c++) {
                self->here = &self->chips[c];
                ts_kernel_place(self->kernel, ts_layer_place(self, c));
                ts_layer_step_free(self, free, false);
                ts_layer_step_free(self, alloc, true);
                ts_kernel_place(self->kernel, 0);
            }
            self->here = self->chips;
        } else {
            ts_yaml_require(step, "run");
            if (ts_layer_good(self))
                step_run(self);
        }
    }
}

// --- the sequence ---

static void begin(struct ts_layer *self)
{
    for (uint32_t i = 0; i < self->system.chips; i++) {
        struct ts_layer_chip *chip = &self->chips[i];
        ts_space_init(&chip->space, chip->plan->dram_end, chip->plan->soc.machine->l1_bytes);
        memset(chip->tensors, 0, sizeof chip->tensors);
    }
    self->here = self->chips;
    self->turn = 0;
    walk(self, ts_yaml_require(ts_yaml_root(&self->here->plan->yaml), "steps"));
}

static void read_dispatch(struct ts_layer *self, const struct ts_params *params)
{
    struct ts_yaml_node node = ts_yaml_find(ts_yaml_root(&self->here->plan->yaml), "dispatch");
    const int kind = ts_word_index("none traced eager",
                                   ts_plan_choice(self->here->plan, node, "traced"));
    if (kind < 0)
        ts_yaml_error(node, "dispatch is traced, eager or none");
    self->dispatch.on = kind > 0;
    self->dispatch.traced = kind == 1;
    self->dispatch.mhz = ts_clock_mhz(params);
    struct ts_noc_params noc;
    TS_PARAMS_FILL(params, "noc", &noc);
    self->dispatch.hop = noc.hop;
    TS_PARAMS_FILL(params, "dispatch", &self->dispatch.params);
}

// Tiles for all cores that run something.
static bool build(struct ts_layer *self)
{
    struct ts_chip *chips[TS_SYSTEM_CHIPS];
    ts_kernel_expect(self->kernel, self->system.chips);
    for (uint32_t i = 0; i < self->system.chips && ts_layer_good(self); i++) {
        struct ts_layer_chip *chip = &self->chips[i];
        const struct ts_soc *soc = &chip->plan->soc;
        struct ts_tile_site sites[TS_PLAN_CORES + TS_CHIP_ETH];
        const char *prefix = self->options.system ? ts_kernel_format(self->kernel, "chip%u/", i)
                                                  : "";
        uint32_t count = 0;
        for (uint8_t y = 0; y < TS_NOC_HEIGHT_MAX; y++)
            for (uint8_t x = 0; x < TS_NOC_WIDTH_MAX; x++)
                if (chip->needed[y][x] && count < TS_PLAN_CORES + TS_CHIP_ETH)
                    sites[count++] = (struct ts_tile_site){
                        i, x, y,
                        soc->node[y][x] == TS_NOC_NODE_ETHERNET ? (int)soc->index[y][x] : -1,
                        prefix};
        if (count == 0)
            ts_yaml_error(ts_yaml_root(&chip->plan->yaml), "no step runs a program");
        if (!ts_layer_good(self))
            return false;
        ts_kernel_place(self->kernel, ts_layer_place(self, i));
        chip->machine = ts_machine_new(soc, sites, count, self->params, &self->config, self->kernel,
                                       self->error);
        ts_kernel_place(self->kernel, 0);
        chips[i] = chip->machine ? &chip->machine->chip : NULL;
    }
    if (ts_layer_good(self) && self->options.system)
        ts_system_connect(&self->system, chips);
    return ts_layer_good(self);
}

// The file as each chip has it.
static bool read_chips(struct ts_layer *self, const char *path)
{
    self->system.chips = 1;
    if (!ts_plan_on_system(path, &self->options, &self->system, self->error))
        return false;
    self->chips = calloc(self->system.chips, sizeof *self->chips);
    self->plans = calloc(self->system.chips, sizeof *self->plans);
    if (self->chips == NULL || self->plans == NULL)
        return ts_fail(self->error, TS_NO_MEMORY, "out of memory") == TS_OK;
    self->here = self->chips;
    for (uint32_t i = 0; i < self->system.chips; i++) {
        struct ts_plan_options options = self->options;
        options.chip_id = i;
        struct ts_plan *plan = ts_plan_read(path, &options, self->error);
        if (plan == NULL)
            return false;
        plan->yaml.error = self->error;
        plan->peers = self->plans;
        self->plans[i] = self->chips[i].plan = plan;
    }
    struct ts_yaml_node kind = ts_yaml_find(ts_yaml_root(&self->here->plan->yaml), "kind");
    if (strcmp(ts_yaml_text(kind, ""), "sequence") != 0)
        ts_yaml_error(kind, "kind is sequence");
    return true;
}

struct ts_layer *ts_layer_new(const char *path, const struct ts_plan_options *options,
                              const struct ts_params *params, const struct ts_tile_config *config,
                              struct ts_kernel *kernel, struct ts_error *error)
{
    struct ts_layer *self = calloc(1, sizeof *self);
    if (self == NULL || (self->rows = json_array()) == NULL) {
        free(self);
        return ts_nothing(error, TS_NO_MEMORY, "out of memory");
    }
    self->kernel = kernel;
    self->error = error;
    self->options = *options;
    self->params = params;
    self->config = *config;
    self->unchecked = options->unchecked;
    if (!read_chips(self, path)) {
        ts_layer_free(self);
        return NULL;
    }
    self->options.bind = ts_layer_bind;
    self->options.bind_context = self;
    self->options.sequence = false;
    self->options.unchecked = true; // steps say what is expected
    read_dispatch(self, params);
    self->dry = true;
    if (ts_layer_good(self))
        begin(self);
    self->dry = false;
    self->options.notes = NULL;
    if (ts_layer_good(self) && build(self))
        return self;
    ts_layer_free(self);
    return NULL;
}

bool ts_layer_run(struct ts_layer *self, struct ts_run (*run)(void *context, ts_cycle limit),
                  void *context, struct ts_error *error)
{
    self->error = error;
    for (uint32_t i = 0; i < self->system.chips; i++)
        self->chips[i].plan->yaml.error = error;
    self->run = run;
    self->context = context;
    begin(self);
    return ts_layer_good(self);
}

void ts_layer_free(struct ts_layer *self)
{
    if (self == NULL)
        return;
    for (uint32_t i = 0; self->chips && i < self->system.chips; i++) {
        ts_work_free(self->chips[i].machine);
        ts_plan_free(self->chips[i].plan);
    }
    free(self->chips);
    free(self->plans);
    json_decref(self->rows);
    free(self);
}
