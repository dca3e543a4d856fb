// Scenarios: the script, what the host does step by step (scenario.h).
#include "platform/kernel/domain.h"
#include "platform/tile/scenario_parts.h"
#include "platform/tile/zones.h"

#include <stdlib.h>
#include <string.h>

// The cycle at which the host acts on a tile: not before what the tile has done, nor before what
// the host has seen.
static ts_cycle host_time(const struct ts_scenario *self, const struct ts_scenario_tile *tile)
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

// Lets time pass up to `limit`. OK: the script may go on.
static enum ts_code pass(struct ts_scenario *self, const struct ts_scenario_driver *driver,
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
    if (!good)
        return ts_fail(error, TS_LIMIT, "the run was stopped at cycle %llu",
                       (unsigned long long)run->cycle);
    return TS_OK;
}

static enum ts_code step_wait(struct ts_scenario *self, struct ts_yaml_node node,
                              const struct ts_scenario_driver *driver, struct ts_error *error)
{
    static const char *const keys[] = {"tile", "address", "value", "mask", "limit", NULL};
    ts_yaml_only(node, keys);
    struct ts_scenario_tile *tile = ts_scenario_tile_at(self, node);
    uint32_t address = (uint32_t)ts_yaml_int(ts_yaml_require(node, "address"), 0, TS_L1_SIZE - 4,
                                             0);
    self->wait.tile = tile;
    self->wait.address = address;
    self->wait.value = (uint32_t)ts_yaml_int(ts_yaml_require(node, "value"), INT32_MIN,
                                             TS_SCENARIO_ADDRESS, 0);
    self->wait.mask = (uint32_t)ts_yaml_int(ts_yaml_find(node, "mask"), 0, TS_SCENARIO_ADDRESS,
                                            TS_SCENARIO_ADDRESS);
    ts_cycle limit = (ts_cycle)ts_yaml_int(ts_yaml_find(node, "limit"), 1, INT64_MAX, 10000000);
    if (error->code != TS_OK)
        return error->code;
    self->wait.met = wait_met(self);
    if (self->wait.met)
        return TS_OK;
    struct ts_l1_watch watch = {.granule = address / TS_L1_GRANULE,
                                .port = UINT32_MAX,
                                .written = wait_written,
                                .context = self};
    ts_l1_watch_add(&tile->tile->l1, &watch);
    struct ts_run run;
    enum ts_code code = pass(self, driver, self->now + limit, &run, error);
    ts_l1_watch_remove(&tile->tile->l1, self);
    if (code != TS_OK || self->wait.met)
        return code;
    if (run.stop == TS_STOP_DEADLOCK)
        return ts_fail(error, TS_HANG,
                       "%s:%d: hang at cycle %llu while waiting for 0x%x to be 0x%x",
                       self->yaml.path, ts_yaml_line(node), (unsigned long long)run.cycle, address,
                       self->wait.value);
    uint32_t word;
    memcpy(&word, tile->tile->l1.bytes + address, 4);
    return ts_fail(error, TS_LIMIT, "%s:%d: 0x%x is 0x%x, not 0x%x, after %llu cycles (%s)",
                   self->yaml.path, ts_yaml_line(node), address, word, self->wait.value,
                   (unsigned long long)limit, ts_stop_name(run.stop));
}

static enum ts_code step_cores(struct ts_scenario *self, struct ts_yaml_node node, bool release,
                               struct ts_error *error)
{
    struct ts_scenario_tile *tile = ts_scenario_tile_at(self, node);
    struct ts_yaml_node list = ts_yaml_is_map(node) ? ts_yaml_require(node, "cores") : node;
    for (size_t i = 0; error->code == TS_OK && i < ts_yaml_count(list); i++) {
        const char *name = ts_yaml_text(ts_yaml_at(list, i), "");
        int core = ts_rv_core_by_name(name);
        if (core < 0)
            ts_yaml_error(ts_yaml_at(list, i), "no core '%s'", name);
        else if (!release)
            ts_tile_hold(tile->tile, (unsigned)core, host_time(self, tile));
        else
            ts_tile_start(tile->tile, (unsigned)core, tile->pc[core], host_time(self, tile), error);
    }
    return error->code;
}

static enum ts_code step_write(struct ts_scenario *self, struct ts_yaml_node node,
                               struct ts_error *error)
{
    static const char *const keys[] = {"tile", "dram", "address", "file", "words", NULL};
    ts_yaml_only(node, keys);
    struct ts_yaml_node channel = ts_yaml_find(node, "dram");
    if (channel.node != NULL) {
        ts_scenario_write_dram(self, node, channel, error);
        return error->code;
    }
    struct ts_scenario_tile *tile = ts_scenario_tile_at(self, node);
    uint32_t address = (uint32_t)ts_yaml_int(ts_yaml_require(node, "address"), 0,
                                             TS_SCENARIO_ADDRESS, 0);
    size_t length = 0;
    void *bytes = error->code == TS_OK ? ts_scenario_content(self, node, &length, error) : NULL;
    if (bytes != NULL && ts_l1_contains(address, (uint32_t)length)) {
        ts_tile_write(tile->tile, address, bytes, (uint32_t)length, host_time(self, tile), error);
    } else if (bytes != NULL) {
        for (size_t i = 0; i + 4 <= length && error->code == TS_OK; i += 4)
            ts_tile_write(tile->tile, address + (uint32_t)i, (char *)bytes + i, 4,
                          host_time(self, tile), error);
    }
    free(bytes);
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

static enum ts_code step_compare(struct ts_scenario *self, struct ts_yaml_node node,
                                 struct ts_error *error)
{
    static const char *const keys[] = {"tile", "dram", "address", "file", "words", NULL};
    ts_yaml_only(node, keys);
    struct ts_yaml_node channel = ts_yaml_find(node, "dram");
    uint64_t address = (uint64_t)ts_yaml_int(ts_yaml_require(node, "address"), 0,
                                             channel.node ? INT64_MAX : TS_L1_SIZE - 1, 0);
    size_t length = 0;
    uint8_t *want = error->code == TS_OK ? ts_scenario_content(self, node, &length, error) : NULL;
    if (want == NULL)
        return error->code;
    if (channel.node != NULL) {
        uint8_t *got = ts_scenario_read_dram(self, node, channel, length, error);
        if (got != NULL)
            compare(self, node, address, got, want, length, error);
        free(got);
    } else if (length > TS_L1_SIZE || !ts_l1_contains((uint32_t)address, (uint32_t)length)) {
        ts_yaml_error(node, "%zu bytes at 0x%llx do not lie in L1", length,
                      (unsigned long long)address);
    } else {
        struct ts_scenario_tile *tile = ts_scenario_tile_at(self, node);
        if (tile != NULL)
            compare(self, node, address, tile->tile->l1.bytes + address, want, length, error);
    }
    free(want);
    return error->code;
}

static enum ts_code step_dump(struct ts_scenario *self, struct ts_yaml_node node,
                              struct ts_error *error)
{
    static const char *const keys[] = {"tile", "dram", "address", "length", "file", NULL};
    ts_yaml_only(node, keys);
    struct ts_yaml_node channel = ts_yaml_find(node, "dram");
    struct ts_scenario_tile *tile = ts_scenario_tile_at(self, node);
    uint64_t address = (uint64_t)ts_yaml_int(ts_yaml_require(node, "address"), 0,
                                             channel.node ? INT64_MAX : TS_L1_SIZE - 1, 0);
    int64_t most = channel.node ? INT32_MAX : (int64_t)(TS_L1_SIZE - address);
    size_t length = (size_t)ts_yaml_int(ts_yaml_require(node, "length"), 1, most, 1);
    const char *name = ts_yaml_text(ts_yaml_require(node, "file"), "");
    if (error->code != TS_OK)
        return error->code;
    uint8_t *read = channel.node ? ts_scenario_read_dram(self, node, channel, length, error) : NULL;
    if (error->code != TS_OK)
        return error->code;
    char path[512];
    ts_scenario_path(self, path, sizeof path, name);
    FILE *file = fopen(path, "wb");
    const uint8_t *bytes = read ? read : tile->tile->l1.bytes + address;
    bool good = file != NULL && fwrite(bytes, 1, length, file) == length;
    if (file != NULL)
        good &= fclose(file) == 0;
    free(read);
    return good ? TS_OK : ts_fail(error, TS_SETUP, "%s: cannot be written", path);
}

// A buffer of timed zones: two words an entry, type(31:28) id(27:12) time[43:32](11:0); time[31:0].
static enum ts_code step_zones(struct ts_scenario *self, struct ts_yaml_node node,
                               struct ts_error *error)
{
    static const char *const keys[] = {"tile", "address", "words", NULL};
    ts_yaml_only(node, keys);
    struct ts_scenario_tile *tile = ts_scenario_tile_at(self, node);
    uint32_t address = (uint32_t)ts_yaml_int(ts_yaml_require(node, "address"), 0, TS_L1_SIZE - 8,
                                             0);
    uint32_t words = (uint32_t)ts_yaml_int(ts_yaml_find(node, "words"), 2, 65536, 1024);
    if (error->code != TS_OK)
        return error->code;
    struct {
        uint32_t id;
        uint64_t start;
    } open[32];
    unsigned depth = 0;
    struct ts_zone_names names;
    char name[16];
    ts_zone_names_read(&names, tile->tile);
    for (uint32_t i = 0; i + 2 <= words && ts_l1_contains(address + i * 4, 8); i += 2) {
        uint32_t entry[2];
        memcpy(entry, tile->tile->l1.bytes + address + i * 4, 8);
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

static enum ts_code step_run(struct ts_scenario *self, struct ts_yaml_node node,
                             const struct ts_scenario_driver *driver, struct ts_error *error)
{
    ts_cycle cycles = (ts_cycle)ts_yaml_int(node, 1, INT64_MAX, 1);
    struct ts_run run;
    if (error->code != TS_OK)
        return error->code;
    self->patient = true;
    enum ts_code code = pass(self, driver, self->now + cycles, &run, error);
    self->patient = false;
    return code;
}

static enum ts_code one_step(struct ts_scenario *self, struct ts_yaml_node row,
                             const struct ts_scenario_driver *driver, struct ts_error *error)
{
    static const char *const verbs[] = {"write",   "release", "hold",  "run", "wait",
                                        "compare", "dump",    "zones", NULL};
    ts_yaml_only(row, verbs);
    if (error->code != TS_OK)
        return error->code;
    struct ts_yaml_node value = ts_yaml_value(row, 0);
    const char *verb = ts_yaml_text(ts_yaml_key(row, 0), "");
    if (strcmp(verb, "write") == 0)
        return step_write(self, value, error);
    if (strcmp(verb, "release") == 0 || strcmp(verb, "hold") == 0)
        return step_cores(self, value, verb[0] == 'r', error);
    if (strcmp(verb, "run") == 0)
        return step_run(self, value, driver, error);
    if (strcmp(verb, "wait") == 0)
        return step_wait(self, value, driver, error);
    if (strcmp(verb, "compare") == 0)
        return step_compare(self, value, error);
    if (strcmp(verb, "dump") == 0)
        return step_dump(self, value, error);
    return step_zones(self, value, error);
}

static enum ts_code default_script(struct ts_scenario *self,
                                   const struct ts_scenario_driver *driver, struct ts_error *error)
{
    for (uint32_t i = 0; i < self->tile_count; i++)
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            if (self->tiles[i].has_program[core] && !self->tiles[i].hold[core] &&
                !ts_tile_start(self->tiles[i].tile, core, self->tiles[i].pc[core],
                               host_time(self, &self->tiles[i]), error))
                return error->code;
    struct ts_run run;
    return pass(self, driver, TS_NEVER, &run, error);
}

enum ts_code ts_scenario_run(struct ts_scenario *self, const struct ts_scenario_driver *driver,
                             struct ts_error *error)
{
    self->yaml.error = error;
    struct ts_yaml_node script = {0};
    if (self->yaml.loaded)
        script = ts_yaml_find(ts_yaml_root(&self->yaml), "script");
    if (script.node == NULL)
        return default_script(self, driver, error);
    for (size_t i = 0; i < ts_yaml_count(script) && error->code == TS_OK; i++)
        one_step(self, ts_yaml_at(script, i), driver, error);
    return error->code;
}
