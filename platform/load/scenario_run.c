// Scenarios: the script is done, step by step (scenario.h).
#include "platform/kernel/cluster.h"
#include "platform/load/scenario_parts.h"
#include "platform/load/zones.h"
#include "platform/out/file.h"

// --- time

// The cycle at which the host acts on a tile: not before what the tile has done, nor before what
// the host has seen.
static ts_cycle time_of(const struct ts_scenario *self, const struct ts_scenario_tile *tile)
{
    ts_cycle reached = tile->tile->domain->now;
    return reached > self->now ? reached : self->now;
}

static bool wait_met(struct ts_scenario *self)
{
    uint32_t word;
    memcpy(&word, self->wait.tile->tile->l1.bytes + self->wait.address, 4);
    return (word & self->wait.mask) == self->wait.value;
}

static void wait_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct ts_scenario *self = context;
    (void)address;
    (void)length;
    if (self->wait.met || !wait_met(self))
        return;
    self->wait.met = true;
    self->wait.at = at;
    ts_break(&self->wait.tile->tile->cores[0].component, at);
}

enum ts_code ts_scenario_pass(struct ts_scenario *self, const struct ts_scenario_driver *driver,
                              ts_cycle limit, struct ts_run *run, struct ts_error *error)
{
    memset(run, 0, sizeof *run);
    bool good = driver->run(driver->context, limit, run);
    self->now = run->cycle;
    for (uint32_t i = 0; i < self->tile_count; i++)
        if (self->tiles[i].tile->domain->now > self->now)
            self->now = self->tiles[i].tile->domain->now;
    // When nothing can happen any more, time still passes for the host.
    if ((run->stop == TS_STOP_DEADLOCK || run->stop == TS_STOP_DONE) && limit != TS_NEVER &&
        limit > self->now)
        self->now = limit;
    if (run->stop == TS_STOP_FAULT)
        return ts_fail(error, run->error.code, "%s", run->error.text);
    return good ? TS_OK : TS_LIMIT;
}

// Lets the tiles run until nothing can happen any more; what waits then hangs.
static enum ts_code pass_to_end(struct ts_scenario *self, const struct ts_scenario_driver *driver,
                                struct ts_error *error)
{
    struct ts_run run;
    enum ts_code code = ts_scenario_pass(self, driver, TS_NEVER, &run, error);
    return code == TS_OK && run.stop == TS_STOP_DEADLOCK ? TS_HANG : code;
}

enum ts_code ts_scenario_until(struct ts_scenario *self, const struct ts_scenario_driver *driver,
                               const struct ts_scenario_until *until, struct ts_run *run, bool *met,
                               ts_cycle *at, struct ts_error *error)
{
    self->wait.tile = until->tile;
    self->wait.address = until->address;
    self->wait.value = until->value;
    self->wait.mask = until->mask;
    self->wait.met = !until->written && wait_met(self);
    self->wait.at = self->now;
    enum ts_code code = TS_OK;
    if (!self->wait.met) {
        struct ts_l1 *l1 = &until->tile->tile->l1;
        struct ts_l1_watch watch = {.granule = until->address / TS_L1_GRANULE,
                                    .port = UINT32_MAX,
                                    .written = wait_written,
                                    .context = self};
        if (!ts_l1_watch_add(l1, &watch))
            return ts_fail(error, TS_SETUP, "more than %u words are watched", TS_L1_WATCHES);
        code = ts_scenario_pass(self, driver, until->limit, run, error);
        ts_kernel_tell(self->kernel, until->tile->chip + 1, &self->wait, sizeof self->wait);
        ts_l1_watch_remove(l1, self);
    }
    *met = self->wait.met;
    *at = self->wait.at;
    return code;
}

// --- steps

static enum ts_code step_until(struct ts_scenario *self, const struct ts_scenario_step *step,
                               const struct ts_scenario_driver *driver, struct ts_error *error)
{
    uint32_t address = (uint32_t)step->address;
    struct ts_scenario_until until = {.tile = step->tile,
                                      .address = address,
                                      .value = step->value,
                                      .mask = step->mask,
                                      .limit = self->now + step->cycles};
    struct ts_run run = {0};
    bool met = false;
    ts_cycle at;
    enum ts_code code = ts_scenario_until(self, driver, &until, &run, &met, &at, error);
    if (code != TS_OK || met)
        return code;
    if (run.stop == TS_STOP_DEADLOCK)
        return ts_fail(error, TS_HANG, "%s:%d: the script waits for 0x%x to be 0x%x",
                       self->script.yaml.path, ts_yaml_line(step->node), address, step->value);
    uint32_t word;
    memcpy(&word, step->tile->tile->l1.bytes + address, 4);
    return ts_fail(error, TS_LIMIT, "%s:%d: 0x%x is 0x%x, not 0x%x, after %llu cycles (%s)",
                   self->script.yaml.path, ts_yaml_line(step->node), address, word, step->value,
                   (unsigned long long)step->cycles, ts_stop_name(run.stop));
}

static enum ts_code step_release(struct ts_scenario *self, const struct ts_scenario_step *step,
                                 const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    struct ts_scenario_tile *tile = step->tile;
    for (uint32_t i = 0; i < step->core_count; i++)
        ts_tile_start(tile->tile, step->cores[i], tile->pc[step->cores[i]], time_of(self, tile),
                      error);
    return error->code;
}

static enum ts_code step_hold(struct ts_scenario *self, const struct ts_scenario_step *step,
                              const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    for (uint32_t i = 0; i < step->core_count; i++)
        ts_tile_hold(step->tile->tile, step->cores[i], time_of(self, step->tile));
    return error->code;
}

// The step with its content, which an earlier step may just have dumped; drop frees that.
static bool take_step(struct ts_scenario *self, const struct ts_scenario_step *step,
                      struct ts_scenario_step *with, struct ts_error *error)
{
    *with = *step;
    if (step->bytes == NULL)
        ts_scenario_load(self, with, error);
    return error->code == TS_OK;
}

static void drop(const struct ts_scenario_step *step, struct ts_scenario_step *with)
{
    if (step->bytes == NULL)
        free(with->bytes);
}

static enum ts_code write_tile(struct ts_scenario *self, const struct ts_scenario_step *step,
                               struct ts_error *error)
{
    struct ts_tile *tile = step->tile->tile;
    uint32_t address = (uint32_t)step->address;
    struct ts_error why = {0};
    if (step->length <= TS_L1_SIZE && ts_l1_contains(address, (uint32_t)step->length))
        ts_tile_write(tile, address, step->bytes, (uint32_t)step->length, time_of(self, step->tile),
                      &why);
    else
        for (size_t i = 0; i + 4 <= step->length && why.code == TS_OK; i += 4)
            ts_tile_write(tile, address + (uint32_t)i, step->bytes + i, 4,
                          time_of(self, step->tile), &why);
    if (why.code != TS_OK)
        ts_fail(error, why.code, "%s:%d: %s", self->script.yaml.path, ts_yaml_line(step->node),
                why.text);
    return error->code;
}

static enum ts_code step_write(struct ts_scenario *self, const struct ts_scenario_step *step,
                               const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    struct ts_scenario_step with;
    if (!take_step(self, step, &with, error))
        return error->code;
    if (with.dram)
        ts_scenario_write_dram(self, with.node, with.channel, with.address, with.bytes,
                               with.length);
    else
        write_tile(self, &with, error);
    drop(step, &with);
    return error->code;
}

static enum ts_code compare(const struct ts_scenario *self, struct ts_yaml_node node,
                            uint64_t address, const uint8_t *got, const uint8_t *want,
                            size_t length, struct ts_error *error)
{
    size_t first = 0, differ = 0;
    for (size_t i = 0; i < length; i++)
        if (got[i] != want[i] && differ++ == 0)
            first = i;
    if (differ == 0)
        return TS_OK;
    return ts_fail(error, TS_DIFFERS,
                   "%s:%d: %zu of %zu bytes differ, first at 0x%llx: 0x%02x instead of 0x%02x",
                   self->script.yaml.path, ts_yaml_line(node), differ, length,
                   (unsigned long long)(address + first), got[first], want[first]);
}

static enum ts_code step_compare(struct ts_scenario *self, const struct ts_scenario_step *step,
                                 const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    struct ts_scenario_step with;
    if (!take_step(self, step, &with, error))
        return error->code;
    uint8_t *read = with.dram ? ts_scenario_read_dram(self, with.node, with.channel, with.address,
                                                      with.length)
                              : NULL;
    const uint8_t *got = with.dram ? read : with.tile->tile->l1.bytes + with.address;
    if (got != NULL)
        compare(self, with.node, with.address, got, with.bytes, with.length, error);
    free(read);
    drop(step, &with);
    return error->code;
}

static enum ts_code step_dump(struct ts_scenario *self, const struct ts_scenario_step *step,
                              const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    uint8_t *read = step->dram ? ts_scenario_read_dram(self, step->node, step->channel,
                                                       step->address, step->length)
                               : NULL;
    if (error->code != TS_OK)
        return error->code;
    const uint8_t *bytes = read ? read : step->tile->tile->l1.bytes + step->address;
    if (ts_kernel_is_first(self->kernel))
        ts_file_bytes(step->path, bytes, step->length, error);
    free(read);
    ts_kernel_all(self->kernel, true); // it is there for all
    return error->code;
}

// A buffer of timed zones: two words an entry, type(31:28) id(27:12) time[43:32](11:0); time[31:0].
static enum ts_code step_zones(struct ts_scenario *self, const struct ts_scenario_step *step,
                               const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    (void)error;
    uint32_t address = (uint32_t)step->address;
    struct {
        uint32_t id;
        uint64_t start;
    } open[32];
    unsigned depth = 0;
    struct ts_zone_names names;
    char name[16];
    ts_zone_names_read(&names, step->tile->tile);
    for (uint32_t i = 0; i + 2 <= step->length && ts_l1_contains(address + i * 4, 8); i += 2) {
        uint32_t entry[2];
        memcpy(entry, step->tile->tile->l1.bytes + address + i * 4, 8);
        uint32_t type = entry[0] >> 28, id = entry[0] >> 12 & 0xffff;
        uint64_t time = (uint64_t)(entry[0] & 0xfff) << 32 | entry[1];
        if (type == 0xa && depth < 32) {
            open[depth].id = id;
            open[depth++].start = time;
        } else if (type == 0xb && depth > 0) {
            depth--;
            if (self->out != NULL)
                fprintf(self->out, "zone %s at 0x%x: %llu to %llu, %llu cycles\n",
                        ts_zone_name(&names, open[depth].id, name, sizeof name), address,
                        (unsigned long long)open[depth].start, (unsigned long long)time,
                        (unsigned long long)(time - open[depth].start));
        } else if (type != 0xa && type != 0xb) {
            break;
        }
    }
    return TS_OK;
}

static enum ts_code step_link(struct ts_scenario *self, const struct ts_scenario_step *step,
                              const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    const char *why = self->links->train(self->links_context, step->end, step->up, false);
    return why ? ts_fail(error, TS_SETUP, "%s:%d: %s: %s", self->script.yaml.path,
                         ts_yaml_line(step->node), step->end, why)
               : TS_OK;
}

static enum ts_code step_run(struct ts_scenario *self, const struct ts_scenario_step *step,
                             const struct ts_scenario_driver *driver, struct ts_error *error)
{
    struct ts_run run;
    self->patient = true;
    enum ts_code code = ts_scenario_pass(self, driver, self->now + step->cycles, &run, error);
    self->patient = false;
    return code;
}

// --- the script

static enum ts_code default_script(struct ts_scenario *self,
                                   const struct ts_scenario_driver *driver, struct ts_error *error)
{
    for (uint32_t i = 0; i < self->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            if (self->tiles[i].has_program[core] && !self->tiles[i].hold[core] &&
                !ts_tile_start(self->tiles[i].tile, core, self->tiles[i].pc[core],
                               time_of(self, &self->tiles[i]), error))
                return error->code;
    return pass_to_end(self, driver, error);
}

// Software can release the cores that are held: they start where their programs do.
static void set_entries(struct ts_scenario *self)
{
    for (uint32_t i = 0; i < self->tile_count; i++)
        for (unsigned core = TS_RV_BRISC + 1; core < TS_RV_CORES; core++) {
            struct ts_error why = {0}; // one that cannot start is refused where it is released
            if (self->tiles[i].has_program[core])
                ts_tile_entry(self->tiles[i].tile, core, self->tiles[i].pc[core], &why);
        }
}

enum ts_code ts_scenario_run(struct ts_scenario *self, const struct ts_scenario_driver *driver,
                             struct ts_error *error)
{
    static const struct {
        enum ts_script_do verb;
        enum ts_code (*run)(struct ts_scenario *self, const struct ts_scenario_step *step,
                            const struct ts_scenario_driver *driver, struct ts_error *error);
    } verbs[] = {
        {TS_DO_HOST_write, step_write}, {TS_DO_HOST_release, step_release},
        {TS_DO_HOST_hold, step_hold},   {TS_DO_HOST_run, step_run},
        {TS_DO_HOST_until, step_until}, {TS_DO_HOST_compare, step_compare},
        {TS_DO_HOST_dump, step_dump},   {TS_DO_HOST_zones, step_zones},
        {TS_DO_HOST_link, step_link},
    };
    self->script.yaml.error = error;
    set_entries(self);
    if (self->step_count == 0)
        return default_script(self, driver, error);
    enum ts_code code = TS_OK;
    for (size_t i = 0; i <= self->step_count && code == TS_OK; i++) {
        if (i == self->end_at)
            code = pass_to_end(self, driver, error);
        for (size_t v = 0; v < sizeof verbs / sizeof *verbs && i < self->step_count; v++)
            if (code == TS_OK && verbs[v].verb == self->steps[i].verb)
                code = verbs[v].run(self, &self->steps[i], driver, error);
    }
    return code;
}
