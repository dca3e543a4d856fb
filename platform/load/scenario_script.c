// Scenarios: the steps of the script with all that they name (scenario.h).
//
// The whole script is read before the first cycle, with every file that it names: a mistake in its
// last step must not cost the run before it.
#include "platform/base/private.h"
#include "platform/load/scenario_parts.h"
#include "platform/out/file.h"

static bool dumped_before(const struct ts_scenario *self, const char *path)
{
    for (size_t i = 0; i < self->step_count; i++)
        if (strcmp(self->steps[i].path, path) == 0)
            return true;
    return false;
}

void ts_scenario_load(struct ts_scenario *self, struct ts_scenario_step *step,
                      struct ts_error *error)
{
    bool registers = step->verb == TS_DO_HOST_write;
    step->bytes = ts_scenario_content(self, step->node, &step->length, error);
    if (step->bytes == NULL || step->dram ||
        (step->address < TS_L1_SIZE && step->length <= TS_L1_SIZE - step->address))
        return;
    bool words = step->address >= TS_RV_MMIO_BASE && step->address % 4 == 0 &&
                 step->length % 4 == 0 && step->length <= TS_SCENARIO_ADDRESS + 1 - step->address;
    if (!words || !registers)
        ts_yaml_error(step->node, "%zu bytes at 0x%llx do not lie in L1 (0 to 0x%x)%s",
                      step->length, (unsigned long long)step->address, TS_L1_SIZE - 1,
                      registers ? ", nor are they words of registers" : "");
}

static void read_content(struct ts_scenario *self, struct ts_scenario_step *step,
                         const struct ts_script_step *from, struct ts_error *error)
{
    char path[sizeof step->path];
    ts_scenario_path(self, path, sizeof path, ts_script_arg_text(from, "file"));
    if (error->code == TS_OK && !(ts_script_given(from, "file") && dumped_before(self, path)))
        ts_scenario_load(self, step, error);
}

static void read_dump(struct ts_scenario *self, struct ts_scenario_step *step,
                      const struct ts_script_step *from, struct ts_error *error)
{
    struct ts_yaml_node file = ts_script_node(from, "file"),
                        length = ts_script_node(from, "length");
    struct ts_error why = {0};
    if (!step->dram && step->address >= TS_L1_SIZE)
        ts_yaml_error(ts_script_node(from, "address"), "0x%llx is out of range: L1 ends at 0x%x",
                      (unsigned long long)step->address, TS_L1_SIZE - 1);
    else if (!step->dram)
        ts_yaml_int(length, 1, (int64_t)(TS_L1_SIZE - step->address), 1);
    step->length = (size_t)ts_script_arg(from, "length");
    ts_scenario_path(self, step->path, sizeof step->path, ts_yaml_text(file, ""));
    if (error->code == TS_OK && !self->anywhere && !ts_private_below(self->folder, step->path))
        ts_yaml_error(file,
                      "%.200s lies outside the folder of this file, or in a folder that is not "
                      "there: if you trust the file, give --allow=save",
                      ts_yaml_text(file, ""));
    else if (error->code == TS_OK && !ts_writable(step->path, &why))
        ts_yaml_error(file, "%s", why.text);
}

static void read_cores(struct ts_scenario_step *step, struct ts_yaml_node list,
                       struct ts_error *error)
{
    if (!ts_yaml_is_list(list))
        ts_yaml_error(list, "a list of cores is expected here, like [brisc, trisc0]");
    for (size_t i = 0; error->code == TS_OK && i < ts_yaml_count(list); i++) {
        struct ts_yaml_node item = ts_yaml_at(list, i);
        int core = ts_scenario_core(step->tile, item);
        for (uint32_t k = 0; core >= 0 && k < step->core_count; k++)
            if (step->cores[k] == core)
                ts_yaml_error(item, "%s is there twice", ts_yaml_text(item, ""));
        if (error->code == TS_OK)
            step->cores[step->core_count++] = (uint8_t)core;
        if (error->code == TS_OK && step->verb == TS_DO_HOST_release)
            ts_scenario_startable(step->tile, (unsigned)core, item);
    }
}

static void read_place(struct ts_scenario *self, struct ts_scenario_step *step,
                       const struct ts_script_step *from)
{
    step->address = (uint64_t)ts_script_arg(from, "address");
    step->dram = step->verb != TS_DO_HOST_zones && ts_script_given(from, "dram");
    step->channel = step->dram ? (uint32_t)ts_script_arg(from, "dram") : 0;
    if (step->verb != TS_DO_HOST_zones && ts_script_given(from, "chip")) {
        step->channel |= (uint32_t)ts_script_arg(from, "chip") << TS_SCENARIO_CHIP;
        if (!step->dram || self->system[0] == '\0')
            ts_yaml_error(ts_script_node(from, "chip"), "chip is where DRAM of a system is");
    }
    if (step->dram && self->chip[0] == '\0' && self->system[0] == '\0')
        ts_yaml_error(ts_script_node(from, "dram"), TS_SCENARIO_NO_CHIP);
    else if (!step->dram && step->address > TS_SCENARIO_ADDRESS)
        ts_yaml_error(ts_script_node(from, "address"), "0x%llx is out of range",
                      (unsigned long long)step->address);
}

static void read_step(struct ts_scenario *self, const struct ts_script_step *from,
                      struct ts_error *error)
{
    struct ts_scenario_step *step = &self->steps[self->step_count];
    *step = (struct ts_scenario_step){.verb = from->verb, .node = ts_yaml_value(from->node, 0)};
    step->tile = ts_scenario_tile_at(self, from);
    switch (from->verb) {
    case TS_DO_HOST_release:
    case TS_DO_HOST_hold:
        read_cores(step, ts_script_node(from, "cores"), error);
        break;
    case TS_DO_HOST_run:
        step->cycles = (ts_cycle)ts_script_arg(from, "cycles");
        break;
    case TS_DO_HOST_link:
        step->end = ts_script_arg_text(from, "end");
        step->up = ts_script_arg(from, "state") == 1;
        if (self->system[0] == '\0')
            ts_yaml_error(step->node, "links are of a system: name one");
        break;
    case TS_DO_HOST_until:
        step->address = (uint64_t)ts_script_arg(from, "l1");
        step->value = (uint32_t)ts_script_arg(from, "is");
        step->mask = (uint32_t)ts_script_arg(from, "mask");
        step->cycles = (ts_cycle)ts_script_arg(from, "limit");
        break;
    default:
        read_place(self, step, from);
        if (from->verb == TS_DO_HOST_zones)
            step->length = (size_t)ts_script_arg(from, "words");
        else if (from->verb == TS_DO_HOST_dump)
            read_dump(self, step, from, error);
        else
            read_content(self, step, from, error);
        break;
    }
    self->step_count++;
}

// Whether cores that the script starts have not run yet where it looks or ends: then they run to
// their end there. A script without run and until may also start them by writing registers.
static size_t find_end(const struct ts_scenario *self)
{
    bool any = false, started = false;
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < self->step_count; i++)
        any |= self->steps[i].verb == TS_DO_HOST_run || self->steps[i].verb == TS_DO_HOST_until;
    for (size_t i = 0; i < self->step_count; i++) {
        const struct ts_scenario_step *step = &self->steps[i];
        bool passes = step->verb == TS_DO_HOST_run || step->verb == TS_DO_HOST_until;
        bool looks = step->verb == TS_DO_HOST_compare || step->verb == TS_DO_HOST_dump ||
                     step->verb == TS_DO_HOST_zones;
        bool registers = step->verb == TS_DO_HOST_write && !step->dram &&
                         step->address >= TS_L1_SIZE;
        if (step->verb == TS_DO_HOST_release || (registers && !any) || passes) {
            started = !passes;
            at = SIZE_MAX;
        } else if (looks && started && at == SIZE_MAX) {
            at = i;
        }
    }
    return started && at == SIZE_MAX ? self->step_count : at;
}

bool ts_scenario_read_script(struct ts_scenario *self, struct ts_error *error)
{
    const struct ts_script_list *list = &self->script.host;
    if (list->node.node == NULL)
        return error->code == TS_OK;
    if (list->count == 0)
        ts_yaml_error(list->node, "a list of steps is expected here");
    self->steps = calloc(list->count + 1, sizeof *self->steps);
    if (self->steps == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    for (size_t i = 0; error->code == TS_OK && i < list->count; i++)
        read_step(self, &list->steps[i], error);
    self->end_at = find_end(self);
    return error->code == TS_OK;
}

bool ts_scenario_check_dram(struct ts_scenario *self, struct ts_error *error)
{
    for (size_t i = 0; i < self->step_count && error->code == TS_OK; i++) {
        const struct ts_scenario_step *step = &self->steps[i];
        const char *why = step->verb == TS_DO_HOST_link
                              ? self->links->train(self->links_context, step->end, step->up, true)
                              : NULL;
        if (why)
            ts_yaml_error(step->node, "%s: %s", step->end, why);
        if (step->dram)
            ts_scenario_in_dram(self, step->node, step->channel, step->address, step->length);
    }
    return error->code == TS_OK;
}

void ts_scenario_free_script(struct ts_scenario *self)
{
    for (size_t i = 0; i < self->step_count; i++)
        free(self->steps[i].bytes);
    free(self->steps);
}
