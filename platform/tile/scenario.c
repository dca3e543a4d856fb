// Scenarios (scenario.h).
#include "platform/tile/scenario.h"

#include "platform/kernel/domain.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS_MAX 0xffffffffll

static void path_of(const struct ts_scenario *self, char *to, size_t size, const char *name)
{
    if (name[0] == '/' || self->folder[0] == '\0')
        snprintf(to, size, "%s", name);
    else
        snprintf(to, size, "%s/%s", self->folder, name);
}

static bool coordinates(const char *text, uint32_t *x, uint32_t *y)
{
    int used = 0;
    return text != NULL && sscanf(text, "%u-%u%n", x, y, &used) == 2 && text[used] == '\0' &&
           *x < 64 && *y < 64;
}

struct ts_scenario_tile *ts_scenario_tile(struct ts_scenario *self, const char *at)
{
    uint32_t x, y;
    if (at == NULL)
        return &self->tiles[0];
    if (coordinates(at, &x, &y))
        for (uint32_t i = 0; i < self->tile_count; i++)
            if (self->tiles[i].x == x && self->tiles[i].y == y)
                return &self->tiles[i];
    return NULL;
}

// The tile a step names, the first one by default.
static struct ts_scenario_tile *tile_at(struct ts_scenario *self, struct ts_yaml_node node)
{
    struct ts_yaml_node at = ts_yaml_is_map(node) ? ts_yaml_find(node, "tile")
                                                  : (struct ts_yaml_node){0};
    const char *text = at.node ? ts_yaml_text(at, NULL) : NULL;
    struct ts_scenario_tile *tile = ts_scenario_tile(self, text);
    if (tile == NULL)
        ts_yaml_error(at, "no tile '%s' in this scenario", text);
    return tile;
}

// --- reading and building
// -----------------------------------------------------------------------------------------

static bool allocate(struct ts_scenario *self, uint32_t count, struct ts_error *error)
{
    self->tiles = calloc(count, sizeof *self->tiles);
    if (self->tiles == NULL) {
        ts_fail(error, TS_SETUP, "out of memory");
        return false;
    }
    self->tile_count = count;
    return true;
}

bool ts_scenario_single(struct ts_scenario *self, struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    if (!allocate(self, 1, error))
        return false;
    self->tiles[0].x = 1;
    self->tiles[0].y = 2;
    return true;
}

bool ts_scenario_read(struct ts_scenario *self, const char *path, struct ts_error *error)
{
    static const char *const top[] = {"chip", "tiles", "script", NULL};
    static const char *const of_tile[] = {"at", "cores", "load", NULL};
    memset(self, 0, sizeof *self);
    const char *slash = strrchr(path, '/');
    if (slash != NULL)
        snprintf(self->folder, sizeof self->folder, "%.*s", (int)(slash - path), path);
    if (!ts_yaml_load(&self->yaml, path, error))
        return false;
    struct ts_yaml_node root = ts_yaml_root(&self->yaml);
    ts_yaml_only(root, top);
    const char *chip = ts_yaml_text(ts_yaml_find(root, "chip"), "blackhole");
    if (strcmp(chip, "blackhole") != 0)
        ts_yaml_error(ts_yaml_find(root, "chip"), "no chip '%s'; there is blackhole", chip);
    struct ts_yaml_node tiles = ts_yaml_require(root, "tiles");
    size_t count = tiles.node ? ts_yaml_count(tiles) : 0;
    if (error->code == TS_OK && (count == 0 || count > TS_SCENARIO_TILES))
        ts_yaml_error(tiles, "1 to %d tiles", TS_SCENARIO_TILES);
    if (error->code != TS_OK || !allocate(self, (uint32_t)count, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct ts_yaml_node tile = ts_yaml_at(tiles, i), at = ts_yaml_require(tile, "at");
        ts_yaml_only(tile, of_tile);
        const char *text = ts_yaml_text(at, "");
        if (!coordinates(text, &self->tiles[i].x, &self->tiles[i].y))
            ts_yaml_error(at, "'%s' is not x-y, two numbers below 64", text);
        for (size_t k = 0; k < i; k++)
            if (self->tiles[k].x == self->tiles[i].x && self->tiles[k].y == self->tiles[i].y)
                ts_yaml_error(at, "tile %s is there twice", text);
    }
    return error->code == TS_OK;
}

void ts_scenario_free(struct ts_scenario *self)
{
    for (uint32_t i = 0; i < self->tile_count; i++) {
        if (self->tiles[i].tile != NULL)
            ts_tile_free(self->tiles[i].tile);
        free(self->tiles[i].tile);
    }
    free(self->tiles);
    ts_yaml_free(&self->yaml);
    memset(self, 0, sizeof *self);
}

static bool load_core(struct ts_scenario *self, struct ts_scenario_tile *tile,
                      struct ts_yaml_node key, struct ts_yaml_node value, struct ts_error *error)
{
    static const char *const keys[] = {"elf", "pc", "hold", NULL};
    const char *name = ts_yaml_text(key, "");
    int core = ts_rv_core_by_name(name);
    if (core < 0) {
        ts_yaml_error(key, "no core '%s'; there are brisc, trisc0, trisc1, trisc2, ncrisc", name);
        return false;
    }
    const char *elf = NULL;
    int64_t pc = -1;
    if (ts_yaml_is_map(value)) {
        ts_yaml_only(value, keys);
        elf = ts_yaml_text(ts_yaml_find(value, "elf"), NULL);
        pc = ts_yaml_int(ts_yaml_find(value, "pc"), 0, TS_L1_SIZE - 4, -1);
        tile->hold[core] = ts_yaml_bool(ts_yaml_find(value, "hold"), false);
    } else {
        elf = ts_yaml_text(value, NULL);
    }
    if (elf != NULL) {
        char path[512];
        path_of(self, path, sizeof path, elf);
        if (!ts_load_elf(&tile->loader, (unsigned)core, path, &tile->pc[core], error))
            return false;
    } else if (pc < 0 && core != TS_RV_BRISC && error->code == TS_OK) {
        ts_yaml_error(value, "%s needs an elf or a pc", name);
    }
    if (pc >= 0)
        tile->pc[core] = (uint32_t)pc;
    tile->has_program[core] = true;
    return error->code == TS_OK;
}

// A list of words as bytes, to be freed.
static uint32_t *words_of(struct ts_yaml_node list, size_t *count)
{
    *count = ts_yaml_count(list);
    uint32_t *words = calloc(*count ? *count : 1, 4);
    for (size_t i = 0; words != NULL && i < *count; i++)
        words[i] = (uint32_t)ts_yaml_int(ts_yaml_at(list, i), INT32_MIN, ADDRESS_MAX, 0);
    return words;
}

// What a row {file: ...} or {words: [...]} holds, to be freed; NULL: error.
static void *content_of(struct ts_scenario *self, struct ts_yaml_node row, size_t *length,
                        struct ts_error *error)
{
    struct ts_yaml_node file = ts_yaml_find(row, "file"), words = ts_yaml_find(row, "words");
    if ((file.node == NULL) == (words.node == NULL)) {
        ts_yaml_error(row, "either file or words");
        return NULL;
    }
    if (file.node != NULL) {
        char path[512];
        path_of(self, path, sizeof path, ts_yaml_text(file, ""));
        return error->code == TS_OK ? ts_read_file(path, length, error) : NULL;
    }
    size_t count;
    uint32_t *list = words_of(words, &count);
    *length = count * 4;
    if (error->code != TS_OK) {
        free(list);
        return NULL;
    }
    return list;
}

static bool load_tile(struct ts_scenario *self, struct ts_scenario_tile *tile,
                      struct ts_yaml_node node, struct ts_error *error)
{
    static const char *const keys[] = {"address", "file", "words", NULL};
    struct ts_yaml_node cores = ts_yaml_find(node, "cores"), load = ts_yaml_find(node, "load");
    for (size_t i = 0; cores.node != NULL && i < ts_yaml_count(cores); i++)
        if (!load_core(self, tile, ts_yaml_key(cores, i), ts_yaml_value(cores, i), error))
            return false;
    for (size_t i = 0; load.node != NULL && i < ts_yaml_count(load); i++) {
        struct ts_yaml_node row = ts_yaml_at(load, i);
        ts_yaml_only(row, keys);
        int64_t address = ts_yaml_int(ts_yaml_require(row, "address"), 0, ADDRESS_MAX, 0);
        size_t length = 0;
        void *bytes = content_of(self, row, &length, error);
        char name[80];
        snprintf(name, sizeof name, "%.60s:%d", self->yaml.path, ts_yaml_line(row));
        bool good = bytes != NULL &&
                    ts_load_bytes(&tile->loader, (uint32_t)address, bytes, length, name, error);
        free(bytes);
        if (!good)
            return false;
    }
    return error->code == TS_OK;
}

bool ts_scenario_build(struct ts_scenario *self, struct ts_kernel *kernel,
                       const struct ts_tile_config *config,
                       bool (*furnish)(struct ts_tile *, void *, struct ts_error *), void *context,
                       struct ts_error *error)
{
    self->kernel = kernel;
    self->yaml.error = error;
    for (uint32_t i = 0; i < self->tile_count; i++) {
        struct ts_scenario_tile *tile = &self->tiles[i];
        tile->tile = calloc(1, sizeof *tile->tile);
        struct ts_domain *domain = ts_domain_new(kernel, "tile[%u-%u]", tile->x, tile->y);
        if (tile->tile == NULL || !ts_tile_init(tile->tile, domain, config)) {
            ts_fail(error, TS_SETUP, "out of memory");
            return false;
        }
        tile->tile->x = tile->x;
        tile->tile->y = tile->y;
        ts_loader_init(&tile->loader, tile->tile);
        if (furnish != NULL && !furnish(tile->tile, context, error))
            return false;
        if (self->yaml.loaded) {
            struct ts_yaml_node tiles = ts_yaml_find(ts_yaml_root(&self->yaml), "tiles");
            if (!load_tile(self, tile, ts_yaml_at(tiles, i), error))
                return false;
        }
    }
    return true;
}

// --- the script
// ---------------------------------------------------------------------------------------------------

// The cycle at which the host acts on a tile: not before what the tile has done, nor before what
// the host has seen.
static ts_cycle host_time(const struct ts_scenario *self, const struct ts_scenario_tile *tile)
{
    ts_cycle reached = tile->tile->domain->now;
    return self->broke || reached > self->now ? reached : self->now;
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
    // A break leaves the tiles at different cycles of one window; the host acts on each at its own.
    self->now = 0;
    for (uint32_t i = 0; i < self->tile_count; i++)
        if (self->tiles[i].tile->domain->now > self->now)
            self->now = self->tiles[i].tile->domain->now;
    self->broke = run->stop == TS_STOP_BREAK;
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
    struct ts_scenario_tile *tile = tile_at(self, node);
    uint32_t address = (uint32_t)ts_yaml_int(ts_yaml_require(node, "address"), 0, TS_L1_SIZE - 4,
                                             0);
    self->wait.tile = tile;
    self->wait.address = address;
    self->wait.value = (uint32_t)ts_yaml_int(ts_yaml_require(node, "value"), INT32_MIN, ADDRESS_MAX,
                                             0);
    self->wait.mask = (uint32_t)ts_yaml_int(ts_yaml_find(node, "mask"), 0, ADDRESS_MAX,
                                            ADDRESS_MAX);
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
    struct ts_scenario_tile *tile = tile_at(self, node);
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
    static const char *const keys[] = {"tile", "address", "file", "words", NULL};
    ts_yaml_only(node, keys);
    struct ts_scenario_tile *tile = tile_at(self, node);
    uint32_t address = (uint32_t)ts_yaml_int(ts_yaml_require(node, "address"), 0, ADDRESS_MAX, 0);
    size_t length = 0;
    void *bytes = error->code == TS_OK ? content_of(self, node, &length, error) : NULL;
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

static enum ts_code step_compare(struct ts_scenario *self, struct ts_yaml_node node,
                                 struct ts_error *error)
{
    static const char *const keys[] = {"tile", "address", "file", "words", NULL};
    ts_yaml_only(node, keys);
    struct ts_scenario_tile *tile = tile_at(self, node);
    uint32_t address = (uint32_t)ts_yaml_int(ts_yaml_require(node, "address"), 0, TS_L1_SIZE - 1,
                                             0);
    size_t length = 0;
    uint8_t *want = error->code == TS_OK ? content_of(self, node, &length, error) : NULL;
    if (want == NULL)
        return error->code;
    if (length > TS_L1_SIZE || !ts_l1_contains(address, (uint32_t)length)) {
        ts_yaml_error(node, "%zu bytes at 0x%x do not lie in L1", length, address);
    } else {
        const uint8_t *got = tile->tile->l1.bytes + address;
        size_t first = 0, differ = 0;
        for (size_t i = 0; i < length; i++)
            if (got[i] != want[i] && differ++ == 0)
                first = i;
        if (differ != 0)
            ts_fail(error, TS_DIFFERS,
                    "%s:%d: %zu of %zu bytes differ, first at 0x%x: 0x%02x instead of 0x%02x",
                    self->yaml.path, ts_yaml_line(node), differ, length, address + (uint32_t)first,
                    got[first], want[first]);
    }
    free(want);
    return error->code;
}

static enum ts_code step_dump(struct ts_scenario *self, struct ts_yaml_node node,
                              struct ts_error *error)
{
    static const char *const keys[] = {"tile", "address", "length", "file", NULL};
    ts_yaml_only(node, keys);
    struct ts_scenario_tile *tile = tile_at(self, node);
    uint32_t address = (uint32_t)ts_yaml_int(ts_yaml_require(node, "address"), 0, TS_L1_SIZE - 1,
                                             0);
    uint32_t length = (uint32_t)ts_yaml_int(ts_yaml_require(node, "length"), 1,
                                            TS_L1_SIZE - address, 1);
    const char *name = ts_yaml_text(ts_yaml_require(node, "file"), "");
    if (error->code != TS_OK)
        return error->code;
    char path[512];
    path_of(self, path, sizeof path, name);
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && fwrite(tile->tile->l1.bytes + address, 1, length, file) == length;
    if (file != NULL)
        good &= fclose(file) == 0;
    return good ? TS_OK : ts_fail(error, TS_SETUP, "%s: cannot be written", path);
}

// A buffer of timed zones: two words an entry, type(31:28) id(27:12) time[43:32](11:0); time[31:0].
static enum ts_code step_zones(struct ts_scenario *self, struct ts_yaml_node node,
                               struct ts_error *error)
{
    static const char *const keys[] = {"tile", "address", "words", NULL};
    ts_yaml_only(node, keys);
    struct ts_scenario_tile *tile = tile_at(self, node);
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
                fprintf(self->out, "zone 0x%04x at 0x%x: %llu to %llu, %llu cycles\n",
                        open[depth].id, address, (unsigned long long)open[depth].start,
                        (unsigned long long)time, (unsigned long long)(time - open[depth].start));
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
