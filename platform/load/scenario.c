// Scenarios: reading and building (scenario.h).
#include "platform/kernel/cluster.h"
#include "platform/load/scenario_parts.h"
#include "platform/tile/names.h"

void ts_scenario_path(const struct ts_scenario *self, char *to, size_t size, const char *name)
{
    if (name[0] == '/' || self->folder[0] == '\0')
        snprintf(to, size, "%s", name);
    else
        snprintf(to, size, "%s/%s", self->folder, name);
}

struct ts_scenario_tile *ts_scenario_tile_at(struct ts_scenario *self,
                                             const struct ts_script_step *step)
{
    if (step->verb == TS_DO_HOST_run || step->verb == TS_DO_HOST_link ||
        !ts_script_given(step, "tile"))
        return &self->tiles[0];
    struct ts_script_place place = ts_script_arg_place(step, "tile");
    for (uint32_t i = 0; i < self->tile_count; i++) {
        const struct ts_scenario_tile *tile = &self->tiles[i];
        bool there = place.channel >= 0 ? tile->channel == place.channel
                                        : tile->x == place.at.x && tile->y == place.at.y;
        if (there && tile->chip == place.chip)
            return &self->tiles[i];
    }
    ts_yaml_error(ts_script_node(step, "tile"), "no tile '%s' in this scenario",
                  ts_script_arg_text(step, "tile"));
    return NULL;
}

int ts_scenario_core(const struct ts_scenario_tile *tile, struct ts_yaml_node node)
{
    const char *name = ts_yaml_text(node, "");
    int core = ts_tile_core_by_name(tile->tile, name);
    if (core < 0)
        ts_yaml_error(node, "no core '%s'; there are %s", name,
                      tile->channel < 0 ? "brisc, trisc0, trisc1, trisc2, ncrisc"
                      : ts_control_reset_bit(tile->tile, TS_RV_NCRISC) ? "erisc0, erisc1"
                                                                       : "erisc0");
    return core;
}

void ts_scenario_startable(const struct ts_scenario_tile *tile, unsigned core,
                           struct ts_yaml_node node)
{
    struct ts_error why = {0};
    if (!ts_tile_startable(core, tile->pc[core], &why))
        ts_yaml_error(node, "%s", why.text);
}

// --- reading and building

bool ts_scenario_more(struct ts_scenario *self, uint32_t count, struct ts_error *error)
{
    struct ts_scenario_tile *more = calloc(self->tile_count + count, sizeof *more);
    if (more == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    if (self->tile_count)
        memcpy(more, self->tiles, self->tile_count * sizeof *more);
    free(self->tiles);
    self->tiles = more;
    for (; count; count--)
        self->tiles[self->tile_count++].channel = -1;
    return true;
}

bool ts_scenario_tiles(struct ts_scenario *self, uint32_t count, struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    return ts_scenario_more(self, count, error);
}

// A SoC file is a path like any other, a chip's name is not.
static void read_chip(struct ts_scenario *self)
{
    const char *chip = ts_yaml_text(self->script.chip, "blackhole");
    bool file = strchr(chip, '/') || strstr(chip, ".yaml");
    if (file)
        ts_scenario_path(self, self->chip, sizeof self->chip, chip);
    else if (strcmp(chip, "blackhole") != 0)
        snprintf(self->chip, sizeof self->chip, "%s", chip);
    struct ts_yaml_node system = self->script.system;
    const char *name = system.node ? ts_yaml_text(system, "") : "";
    if (strchr(name, '/') || strstr(name, ".yaml"))
        ts_scenario_path(self, self->system, sizeof self->system, name);
    else
        snprintf(self->system, sizeof self->system, "%s", name);
    if (self->script.dram.node != NULL && self->chip[0] == '\0' && self->system[0] == '\0')
        ts_yaml_error(self->script.dram, TS_SCENARIO_NO_CHIP);
}

bool ts_scenario_read(struct ts_scenario *self, const char *path, struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    const char *slash = strrchr(path, '/');
    if (slash != NULL)
        snprintf(self->folder, sizeof self->folder, "%.*s", (int)(slash - path), path);
    if (!ts_script_read(&self->script, path, NULL, ts_machines, error))
        return false;
    read_chip(self);
    ts_script_without(&self->script, "a scenario", "setup steps");
    if (error->code != TS_OK || !ts_scenario_more(self, self->script.tile_count, error))
        return false;
    for (uint32_t i = 0; i < self->tile_count; i++) {
        self->tiles[i].x = self->script.tiles[i].at.x;
        self->tiles[i].y = self->script.tiles[i].at.y;
        self->tiles[i].chip = self->script.tiles[i].place.chip;
        self->tiles[i].channel = self->script.tiles[i].place.channel;
    }
    return error->code == TS_OK;
}

void ts_scenario_free(struct ts_scenario *self)
{
    for (uint32_t i = 0; i < self->tile_count; i++)
        ts_tile_free(self->tiles[i].tile);
    free(self->tiles);
    ts_scenario_free_script(self);
    ts_script_free(&self->script);
    memset(self, 0, sizeof *self);
}

static bool load_core(struct ts_scenario *self, struct ts_scenario_tile *tile, unsigned core,
                      struct ts_yaml_node value, struct ts_error *error)
{
    struct ts_yaml_node elf = value;
    int64_t pc = -1;
    if (!ts_control_reset_bit(tile->tile, core))
        ts_yaml_error(value, "an Ethernet tile of %s has no %s", tile->tile->config.machine->title,
                      ts_tile_core_name(tile->tile, core));
    if (ts_yaml_is_map(value)) {
        ts_yaml_only(value, "elf pc hold", NULL);
        elf = ts_yaml_find(value, "elf");
        pc = ts_yaml_int(ts_yaml_find(value, "pc"), 0, TS_L1_SIZE - 4, -1);
        tile->hold[core] = ts_yaml_bool(ts_yaml_find(value, "hold"), false);
    }
    if (elf.node != NULL) {
        char path[512];
        struct ts_error why = {0};
        ts_scenario_path(self, path, sizeof path, ts_yaml_text(elf, ""));
        if (error->code == TS_OK && !ts_load_elf(&tile->loader, core, path, &tile->pc[core], &why))
            ts_yaml_error(elf, "%s", why.text);
    } else if (pc < 0 && core != TS_RV_BRISC) {
        ts_yaml_error(value, "%s needs an elf or a pc", ts_tile_core_name(tile->tile, core));
    }
    if (pc >= 0)
        tile->pc[core] = (uint32_t)pc;
    tile->has_program[core] = true;
    if (error->code == TS_OK && !tile->hold[core] && self->script.host.node.node == NULL)
        ts_scenario_startable(tile, core, value);
    return error->code == TS_OK;
}

// A list of words as bytes, to be freed.
static uint32_t *words_of(struct ts_yaml_node list, size_t *count)
{
    *count = ts_yaml_count(list);
    uint32_t *words = calloc(*count ? *count : 1, 4);
    for (size_t i = 0; words != NULL && i < *count; i++)
        words[i] = (uint32_t)ts_yaml_int(ts_yaml_at(list, i), INT32_MIN, TS_SCENARIO_ADDRESS, 0);
    return words;
}

// What a row {file: ...} or {words: [...]} holds, to be freed; NULL: error.
void *ts_scenario_content(struct ts_scenario *self, struct ts_yaml_node row, size_t *length,
                          struct ts_error *error)
{
    struct ts_yaml_node file = ts_yaml_find(row, "file"), words = ts_yaml_find(row, "words");
    if ((file.node == NULL) == (words.node == NULL)) {
        ts_yaml_error(row, "either file or words");
        return NULL;
    }
    void *bytes = NULL;
    size_t count = 0;
    if (file.node != NULL) {
        char path[512];
        struct ts_error why = {0};
        ts_scenario_path(self, path, sizeof path, ts_yaml_text(file, ""));
        bytes = error->code == TS_OK ? ts_read_file(path, length, &why) : NULL;
        if (why.code != TS_OK)
            ts_yaml_error(file, "%s", why.text);
        else if (bytes != NULL && *length == 0)
            ts_yaml_error(file, "%s: empty", path);
    } else {
        bytes = words_of(words, &count);
        *length = count * 4;
        if (count == 0)
            ts_yaml_error(words, "a list of words is expected here");
    }
    if (error->code == TS_OK)
        return bytes;
    free(bytes);
    return NULL;
}

static bool load_tile(struct ts_scenario *self, struct ts_scenario_tile *tile,
                      const struct ts_script_tile *from, struct ts_error *error)
{
    struct ts_yaml_node load = from->load;
    for (unsigned core = 0; core < TS_RV_CORES; core++)
        if (from->programs[core].node && !load_core(self, tile, core, from->programs[core], error))
            return false;
    for (size_t i = 0; load.node != NULL && i < ts_yaml_count(load); i++) {
        struct ts_yaml_node row = ts_yaml_at(load, i);
        ts_yaml_only(row, "address file words", NULL);
        int64_t address = ts_yaml_int(ts_yaml_require(row, "address"), 0, TS_SCENARIO_ADDRESS, 0);
        size_t length = 0;
        void *bytes = ts_scenario_content(self, row, &length, error);
        char name[80];
        struct ts_error why = {0};
        snprintf(name, sizeof name, "load of line %d", ts_yaml_line(row));
        if (bytes != NULL && error->code == TS_OK &&
            !ts_load_bytes(&tile->loader, (uint32_t)address, bytes, length, name, &why))
            ts_yaml_error(row, "%s", why.text);
        free(bytes);
        if (error->code != TS_OK)
            return false;
    }
    return error->code == TS_OK;
}

bool ts_scenario_build(struct ts_scenario *self, struct ts_kernel *kernel,
                       const struct ts_tile_config *config, struct ts_error *error)
{
    self->kernel = kernel;
    self->script.yaml.error = error;
    for (uint32_t i = 0; i < self->tile_count; i++) {
        struct ts_scenario_tile *tile = &self->tiles[i];
        const struct ts_tile_site site = {
            .chip = tile->chip,
            .x = tile->x,
            .y = tile->y,
            .channel = tile->channel,
            .prefix = self->chips ? ts_kernel_format(kernel, "chip%u/", tile->chip) : ""};
        ts_kernel_place(kernel, self->chips ? tile->chip + 1 : 0);
        tile->tile = ts_tile_new_on(kernel, &site, config, error);
        ts_kernel_place(kernel, 0);
        if (tile->tile == NULL)
            return false;
        ts_loader_init(&tile->loader, tile->tile);
        if (i < self->script.tile_count && !load_tile(self, tile, &self->script.tiles[i], error))
            return false;
    }
    return ts_scenario_read_script(self, error);
}

bool ts_scenario_load_dram(struct ts_scenario *self, const struct ts_scenario_dram *dram,
                           void *context, struct ts_error *error)
{
    self->dram = dram;
    self->dram_context = context;
    self->script.yaml.error = error;
    struct ts_yaml_node rows = self->script.dram;
    for (size_t i = 0; rows.node != NULL && i < ts_yaml_count(rows); i++) {
        struct ts_yaml_node row = ts_yaml_at(rows, i);
        ts_yaml_only(row, "chip channel address file words", NULL);
        uint32_t channel = (uint32_t)ts_yaml_int(ts_yaml_require(row, "channel"), 0, 63, 0);
        struct ts_yaml_node chip = ts_yaml_find(row, "chip");
        if (chip.node && self->system[0] == '\0')
            ts_yaml_error(chip, "chip is where DRAM of a system is");
        if (chip.node)
            channel |= (uint32_t)ts_yaml_int(chip, 0, 255, 0) << TS_SCENARIO_CHIP;
        int64_t address = ts_yaml_int(ts_yaml_require(row, "address"), 0, INT64_MAX, 0);
        size_t length = 0;
        void *bytes = error->code == TS_OK ? ts_scenario_content(self, row, &length, error) : NULL;
        if (bytes != NULL)
            ts_scenario_write_dram(self, row, channel, (uint64_t)address, bytes, length);
        free(bytes);
        if (error->code != TS_OK)
            return false;
    }
    return ts_scenario_check_dram(self, error);
}

static void refuse_dram(struct ts_yaml_node row, uint32_t channel, uint64_t address,
                        uint64_t length, const char *why)
{
    if (why != NULL)
        ts_yaml_error(row, "%llu bytes at 0x%llx of channel %u: %s", (unsigned long long)length,
                      (unsigned long long)address, channel & ((1u << TS_SCENARIO_CHIP) - 1), why);
}

void ts_scenario_in_dram(struct ts_scenario *self, struct ts_yaml_node row, uint32_t channel,
                         uint64_t address, uint64_t length)
{
    refuse_dram(row, channel, address, length,
                self->dram->check(self->dram_context, channel, address, length));
}

void ts_scenario_write_dram(struct ts_scenario *self, struct ts_yaml_node row, uint32_t channel,
                            uint64_t address, const void *bytes, size_t length)
{
    refuse_dram(row, channel, address, length,
                self->dram->write(self->dram_context, channel, address, bytes, length));
}

uint8_t *ts_scenario_read_dram(struct ts_scenario *self, struct ts_yaml_node row, uint32_t channel,
                               uint64_t address, size_t length)
{
    uint8_t *bytes = malloc(length ? length : 1);
    const char *why = bytes == NULL
                          ? "out of memory"
                          : self->dram->read(self->dram_context, channel, address, bytes, length);
    refuse_dram(row, channel, address, length, why);
    if (why == NULL)
        return bytes;
    free(bytes);
    return NULL;
}
