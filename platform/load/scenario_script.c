// Scenarios: the script, what the host does step by step (scenario.h).
//
// The whole script is read before the first cycle, with every file that it names: a mistake in its
// last step must not cost the run before it. One file: each verb is read here and done here.
#include "platform/kernel/domain.h"
#include "platform/load/scenario_parts.h"
#include "platform/load/zones.h"
#include "platform/out/file.h"
#include "platform/out/writable.h"

#include <stdlib.h>
#include <string.h>

struct ts_scenario_step {
    const struct verb *verb;
    struct ts_yaml_node node; // what stands behind the verb
    struct ts_scenario_tile *tile;
    bool dram;
    uint32_t channel;
    uint64_t address;
    uint8_t *bytes; // write, compare; NULL: an earlier step dumps the file
    size_t length;
    uint32_t value, mask;
    ts_cycle cycles; // run; limit of wait
    uint8_t cores[TS_RV_CORES];
    uint32_t core_count;
    char path[512]; // dump
};

struct verb {
    const char *name;
    const char *const *keys; // NULL: not a mapping, or more than one form
    void (*read)(struct ts_scenario *self, struct ts_scenario_step *step, struct ts_error *error);
    enum ts_code (*run)(struct ts_scenario *self, const struct ts_scenario_step *step,
                        const struct ts_scenario_driver *driver, struct ts_error *error);
    bool starts;    // cores
    bool passes;    // time
    bool looks;     // at what the cores did
    bool registers; // reaches them
};

// --- reading

static uint64_t read_address(struct ts_scenario_step *step, int64_t high)
{
    return (uint64_t)ts_yaml_int(ts_yaml_require(step->node, "address"), 0, high, 0);
}

static void read_channel(const struct ts_scenario *self, struct ts_scenario_step *step)
{
    struct ts_yaml_node channel = ts_yaml_find(step->node, "dram");
    step->dram = channel.node != NULL;
    if (step->dram && self->chip[0] == '\0')
        ts_yaml_error(channel, TS_SCENARIO_NO_CHIP);
    step->channel = (uint32_t)ts_yaml_int(channel, 0, 63, 0);
}

static bool dumped_before(const struct ts_scenario *self, const char *path)
{
    for (size_t i = 0; i < self->step_count; i++)
        if (strcmp(self->steps[i].path, path) == 0)
            return true;
    return false;
}

// What a write or a compare carries; it must lie where the step puts it.
static void load_content(struct ts_scenario *self, struct ts_scenario_step *step,
                         struct ts_error *error)
{
    step->bytes = ts_scenario_content(self, step->node, &step->length, error);
    if (step->bytes == NULL || step->dram ||
        (step->address < TS_L1_SIZE && step->length <= TS_L1_SIZE - step->address))
        return;
    bool words = step->address >= TS_RV_MMIO_BASE && step->address % 4 == 0 &&
                 step->length % 4 == 0 && step->length <= TS_SCENARIO_ADDRESS + 1 - step->address;
    if (!words || !step->verb->registers)
        ts_yaml_error(step->node, "%zu bytes at 0x%llx do not lie in L1 (0 to 0x%x)%s",
                      step->length, (unsigned long long)step->address, TS_L1_SIZE - 1,
                      step->verb->registers ? ", nor are they words of registers" : "");
}

static void read_content(struct ts_scenario *self, struct ts_scenario_step *step,
                         struct ts_error *error)
{
    char path[sizeof step->path];
    read_channel(self, step);
    step->address = read_address(step, step->dram ? INT64_MAX : TS_SCENARIO_ADDRESS);
    struct ts_yaml_node file = ts_yaml_find(step->node, "file");
    ts_scenario_path(self, path, sizeof path, ts_yaml_text(file, ""));
    if (error->code == TS_OK && (file.node == NULL || !dumped_before(self, path)))
        load_content(self, step, error);
}

static void read_dump(struct ts_scenario *self, struct ts_scenario_step *step,
                      struct ts_error *error)
{
    read_channel(self, step);
    step->address = read_address(step, step->dram ? INT64_MAX : TS_L1_SIZE - 1);
    int64_t most = step->dram ? INT32_MAX : (int64_t)(TS_L1_SIZE - step->address);
    step->length = (size_t)ts_yaml_int(ts_yaml_require(step->node, "length"), 1, most, 1);
    struct ts_yaml_node file = ts_yaml_require(step->node, "file");
    ts_scenario_path(self, step->path, sizeof step->path, ts_yaml_text(file, ""));
    struct ts_error why = {0};
    if (error->code == TS_OK && !ts_writable(step->path, &why))
        ts_yaml_error(file, "%s", why.text);
}

static void read_zones(struct ts_scenario *self, struct ts_scenario_step *step,
                       struct ts_error *error)
{
    (void)self;
    (void)error;
    step->address = read_address(step, TS_L1_SIZE - 8);
    step->length = (size_t)ts_yaml_int(ts_yaml_find(step->node, "words"), 2, 65536, 1024);
}

static void read_wait(struct ts_scenario *self, struct ts_scenario_step *step,
                      struct ts_error *error)
{
    (void)self;
    (void)error;
    step->address = read_address(step, TS_L1_SIZE - 4);
    step->value = (uint32_t)ts_yaml_int(ts_yaml_require(step->node, "value"), INT32_MIN,
                                        TS_SCENARIO_ADDRESS, 0);
    step->mask = (uint32_t)ts_yaml_int(ts_yaml_find(step->node, "mask"), 0, TS_SCENARIO_ADDRESS,
                                       TS_SCENARIO_ADDRESS);
    step->cycles = (ts_cycle)ts_yaml_int(ts_yaml_find(step->node, "limit"), 1, INT64_MAX, 10000000);
}

static void read_run(struct ts_scenario *self, struct ts_scenario_step *step,
                     struct ts_error *error)
{
    (void)self;
    (void)error;
    step->cycles = (ts_cycle)ts_yaml_int(step->node, 1, INT64_MAX, 1);
}

static void read_cores(struct ts_scenario *self, struct ts_scenario_step *step,
                       struct ts_error *error)
{
    static const char *const keys[] = {"tile", "cores", NULL};
    (void)self;
    struct ts_yaml_node list = step->node;
    if (ts_yaml_is_map(list)) {
        ts_yaml_only(list, keys);
        list = ts_yaml_require(list, "cores");
    }
    if (list.node != NULL && !ts_yaml_is_list(list))
        ts_yaml_error(list, "a list of cores is expected here, like [brisc, trisc0]");
    for (size_t i = 0; error->code == TS_OK && i < ts_yaml_count(list); i++) {
        struct ts_yaml_node item = ts_yaml_at(list, i);
        int core = ts_scenario_core(item);
        for (uint32_t k = 0; core >= 0 && k < step->core_count; k++)
            if (step->cores[k] == core)
                ts_yaml_error(item, "%s is there twice", ts_rv_core_names[core]);
        if (error->code == TS_OK)
            step->cores[step->core_count++] = (uint8_t)core;
        if (error->code == TS_OK && step->verb->starts)
            ts_scenario_startable(step->tile, (unsigned)core, item);
    }
}

// --- running

// The cycle at which the host acts on a tile: not before what the tile has done, nor before what
// the host has seen.
ts_cycle ts_scenario_time(const struct ts_scenario *self, const struct ts_scenario_tile *tile)
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
        ts_l1_watch_remove(l1, self);
    }
    *met = self->wait.met;
    *at = self->wait.at;
    return code;
}

static enum ts_code step_wait(struct ts_scenario *self, const struct ts_scenario_step *step,
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
                       self->yaml.path, ts_yaml_line(step->node), address, step->value);
    uint32_t word;
    memcpy(&word, step->tile->tile->l1.bytes + address, 4);
    return ts_fail(error, TS_LIMIT, "%s:%d: 0x%x is 0x%x, not 0x%x, after %llu cycles (%s)",
                   self->yaml.path, ts_yaml_line(step->node), address, word, step->value,
                   (unsigned long long)step->cycles, ts_stop_name(run.stop));
}

static enum ts_code step_release(struct ts_scenario *self, const struct ts_scenario_step *step,
                                 const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    struct ts_scenario_tile *tile = step->tile;
    for (uint32_t i = 0; i < step->core_count; i++)
        ts_tile_start(tile->tile, step->cores[i], tile->pc[step->cores[i]],
                      ts_scenario_time(self, tile), error);
    return error->code;
}

static enum ts_code step_hold(struct ts_scenario *self, const struct ts_scenario_step *step,
                              const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    for (uint32_t i = 0; i < step->core_count; i++)
        ts_tile_hold(step->tile->tile, step->cores[i], ts_scenario_time(self, step->tile));
    return error->code;
}

// The step with its content, which an earlier step may just have dumped; drop frees that.
static bool take(struct ts_scenario *self, const struct ts_scenario_step *step,
                 struct ts_scenario_step *with, struct ts_error *error)
{
    *with = *step;
    if (step->bytes == NULL)
        load_content(self, with, error);
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
        ts_tile_write(tile, address, step->bytes, (uint32_t)step->length,
                      ts_scenario_time(self, step->tile), &why);
    else
        for (size_t i = 0; i + 4 <= step->length && why.code == TS_OK; i += 4)
            ts_tile_write(tile, address + (uint32_t)i, step->bytes + i, 4,
                          ts_scenario_time(self, step->tile), &why);
    if (why.code != TS_OK)
        ts_fail(error, why.code, "%s:%d: %s", self->yaml.path, ts_yaml_line(step->node), why.text);
    return error->code;
}

static enum ts_code step_write(struct ts_scenario *self, const struct ts_scenario_step *step,
                               const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    struct ts_scenario_step with;
    if (!take(self, step, &with, error))
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
                   self->yaml.path, ts_yaml_line(node), differ, length,
                   (unsigned long long)(address + first), got[first], want[first]);
}

static enum ts_code step_compare(struct ts_scenario *self, const struct ts_scenario_step *step,
                                 const struct ts_scenario_driver *driver, struct ts_error *error)
{
    (void)driver;
    struct ts_scenario_step with;
    if (!take(self, step, &with, error))
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
    ts_file_bytes(step->path, bytes, step->length, error);
    free(read);
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

static const char *const content_keys[] = {"tile", "dram", "address", "file", "words", NULL};
static const char *const dump_keys[] = {"tile", "dram", "address", "length", "file", NULL};
static const char *const wait_keys[] = {"tile", "address", "value", "mask", "limit", NULL};
static const char *const zones_keys[] = {"tile", "address", "words", NULL};

#define VERBS 8
static const struct verb verbs[VERBS] = {
    {.name = "write",
     .keys = content_keys,
     .read = read_content,
     .run = step_write,
     .registers = true},
    {.name = "release", .read = read_cores, .run = step_release, .starts = true},
    {.name = "hold", .read = read_cores, .run = step_hold},
    {.name = "run", .read = read_run, .run = step_run, .passes = true},
    {.name = "wait", .keys = wait_keys, .read = read_wait, .run = step_wait, .passes = true},
    {.name = "compare",
     .keys = content_keys,
     .read = read_content,
     .run = step_compare,
     .looks = true},
    {.name = "dump", .keys = dump_keys, .read = read_dump, .run = step_dump, .looks = true},
    {.name = "zones", .keys = zones_keys, .read = read_zones, .run = step_zones, .looks = true},
};

static void read_step(struct ts_scenario *self, struct ts_yaml_node row, struct ts_error *error)
{
    const char *names[VERBS + 1] = {0};
    for (size_t i = 0; i < VERBS; i++)
        names[i] = verbs[i].name;
    ts_yaml_only(row, names);
    if (error->code == TS_OK && (!ts_yaml_is_map(row) || ts_yaml_count(row) != 1))
        ts_yaml_error(row, "one step is expected here, like {run: 1000}");
    if (error->code != TS_OK)
        return;
    struct ts_scenario_step *step = &self->steps[self->step_count];
    const char *name = ts_yaml_text(ts_yaml_key(row, 0), "");
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(name, names[i]) == 0)
            step->verb = &verbs[i];
    step->node = ts_yaml_value(row, 0);
    step->tile = ts_scenario_tile_at(self, step->node);
    if (step->verb->keys != NULL)
        ts_yaml_only(step->node, step->verb->keys);
    if (error->code == TS_OK)
        step->verb->read(self, step, error);
    self->step_count++;
}

// Whether cores that the script starts have not run yet where it looks or ends: then they run to
// their end there. A script without run and wait may also start them by writing registers.
static size_t find_end(const struct ts_scenario *self)
{
    bool passes = false, started = false;
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < self->step_count; i++)
        passes |= self->steps[i].verb->passes;
    for (size_t i = 0; i < self->step_count; i++) {
        const struct ts_scenario_step *step = &self->steps[i];
        bool registers = step->verb->registers && !step->dram && step->address >= TS_L1_SIZE;
        if (step->verb->starts || (registers && !passes)) {
            started = true;
            at = SIZE_MAX;
        } else if (step->verb->passes) {
            started = false;
            at = SIZE_MAX;
        } else if (step->verb->looks && started && at == SIZE_MAX) {
            at = i;
        }
    }
    return started && at == SIZE_MAX ? self->step_count : at;
}

bool ts_scenario_read_script(struct ts_scenario *self, struct ts_error *error)
{
    struct ts_yaml_node script = {0};
    if (self->yaml.loaded)
        script = ts_scenario_script(self);
    if (script.node == NULL)
        return error->code == TS_OK;
    if (!ts_yaml_is_list(script) || ts_yaml_count(script) == 0) {
        ts_yaml_error(script, "a list of steps is expected here");
        return false;
    }
    self->steps = calloc(ts_yaml_count(script), sizeof *self->steps);
    if (self->steps == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    for (size_t i = 0; error->code == TS_OK && i < ts_yaml_count(script); i++)
        read_step(self, ts_yaml_at(script, i), error);
    self->end_at = find_end(self);
    return error->code == TS_OK;
}

bool ts_scenario_check_dram(struct ts_scenario *self, struct ts_error *error)
{
    for (size_t i = 0; i < self->step_count && error->code == TS_OK; i++) {
        const struct ts_scenario_step *step = &self->steps[i];
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

static enum ts_code default_script(struct ts_scenario *self,
                                   const struct ts_scenario_driver *driver, struct ts_error *error)
{
    for (uint32_t i = 0; i < self->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            if (self->tiles[i].has_program[core] && !self->tiles[i].hold[core] &&
                !ts_tile_start(self->tiles[i].tile, core, self->tiles[i].pc[core],
                               ts_scenario_time(self, &self->tiles[i]), error))
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
    self->yaml.error = error;
    set_entries(self);
    if (self->step_count == 0)
        return default_script(self, driver, error);
    enum ts_code code = TS_OK;
    for (size_t i = 0; i <= self->step_count && code == TS_OK; i++) {
        if (i == self->end_at)
            code = pass_to_end(self, driver, error);
        if (code == TS_OK && i < self->step_count)
            code = self->steps[i].verb->run(self, &self->steps[i], driver, error);
    }
    return code;
}
