// Instances: builds tiles that are ready to run from a configuration, and frees them.
#include "platform/lib/inside.h"
#include "platform/run/plan/captured.h"

const char *tensim_version(void)
{
    return TENSIM_VERSION;
}

size_t tensim_path(const char *file, char *path, size_t room)
{
    char text[PATH_MAX];
    ts_config_path(text, sizeof text, file);
    return (size_t)snprintf(path, room, "%s", text);
}

void tensim_config_init(struct tensim_config *config)
{
    *config = (struct tensim_config){.threads = 1};
}

// --- parameters ---

// What the caller, a setting or the file names as its chip, or the first chip of such a system; "": nothing.
static void name_chip(const struct tensim *sim, const char *file,
                      const struct tensim_config *config, char *to, size_t size)
{
    const struct ts_plan_options options = {.params = (const char *const *)sim->settings,
                                            .param_count = sim->setting_count};
    struct ts_error ignored = {0};
    char found[PATH_MAX], name[64] = "";
    const char *path = file ? ts_plan_find(file, found, sizeof found, &ignored) : NULL,
               *set = config->chip ? config->chip : ts_plan_setting(&options, "chip");
    snprintf(to, size, "%s", set ? set : "");
    if (set == NULL && path)
        ts_plan_says(path, "chip", to, size);
    if (config->system)
        snprintf(name, sizeof name, "%s", config->system);
    else if (path || ts_plan_setting(&options, "system"))
        ts_plan_system(path ? path : "", &options, name, sizeof name);
    struct ts_system *system = name[0] ? calloc(1, sizeof *system) : NULL;
    if (system && ts_system_find(system, name, &ignored) == TS_OK)
        snprintf(to, size, "%s", system->chip[0]);
    free(system);
}

// A captured program has a machine of its own, unless the caller names a file.
bool ts_lib_params(struct ts_params *to, const char *program, const char *chip,
                   const struct tensim_config *config, struct ts_error *error)
{
    char path[512];
    ts_config_path(path, sizeof path, ts_soc_machine(chip)->numbers);
    ts_chip_params_add(to);
    ts_params_load(to, config->params ? config->params : path, error);
    if (program && !config->params && error->code == TS_OK)
        ts_captured_machine_set(program, to, error);
    for (size_t i = 0; i < config->setting_count && error->code == TS_OK; i++)
        ts_params_set(to, config->settings[i], error);
    return error->code == TS_OK;
}

static bool configure(struct tensim *sim, const char *program, const char *file,
                      const struct tensim_config *config, struct ts_error *error)
{
    char text[TS_LINTS_TEXT], chip[PATH_MAX];
    name_chip(sim, file, config, chip, sizeof chip);
    if (!ts_lib_params(&sim->params, program, chip, config, error))
        return false;
    struct ts_tile_config *tile = &sim->tile_config;
    *tile = ts_tile_config_from(&sim->params);
    tile->run_ahead = tile->park = !(config->step_by_step || config->lines);
    tile->strict = config->strict;
    tile->unchecked = config->no_hang_check;
    tile->timing_only = config->timing_only;
    tile->perturb_seed = config->perturb_seed;
    tile->perturb_max = config->perturb_max;
    tile->perturb_holds = config->perturb_holds;
    sim->no_hang_check = config->no_hang_check;
    if (config->lints && !ts_lints_parse(config->lints, &tile->lints, text, sizeof text))
        ts_fail(error, TS_USAGE, "lints: %s", text);
    if (config->check && !ts_check_parse(config->check, &tile->check, text, sizeof text))
        ts_fail(error, TS_USAGE, "check: %s", text);
    if (config->strict && config->no_hang_check)
        ts_fail(error, TS_USAGE, "strict makes faults of the lints that no_hang_check turns off");
    if (error->code != TS_OK)
        return false;
    sim->kernel = ts_kernel_new(
        &(struct ts_kernel_config){.threads = config->threads, .hosting = config->hosting});
    if (sim->kernel == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    return error->code == TS_OK;
}

// --- a chip around the tiles ---

static const char *check_dram(void *context, uint32_t channel, uint64_t address, uint64_t length)
{
    const struct ts_chip *chip = context;
    if (channel >= chip->soc.channels)
        return "the chip has no such channel";
    return ts_dram_check(&chip->dram[channel], address, length);
}

#define DRAM(does, pointer)                                                              \
    static const char *does##_dram(void *context, uint32_t channel, uint64_t address,    \
                                   pointer bytes, uint64_t length)                       \
    {                                                                                    \
        struct ts_chip *chip = context;                                                  \
        const char *why = check_dram(context, channel, address, length);                 \
        return why ? why : ts_dram_##does(&chip->dram[channel], address, bytes, length); \
    }
DRAM(read, void *)
DRAM(write, const void *)

const struct ts_scenario_dram ts_lib_dram = {check_dram, read_dram, write_dram};

void ts_lib_refuse(struct ts_scenario *scenario, struct ts_yaml_node node, const char *text,
                   struct ts_error *error)
{
    if (scenario->script.yaml.loaded)
        ts_yaml_error(node, "%s", text);
    else
        ts_fail(error, TS_SETUP, "%s", text);
}

static bool find_sites(struct ts_scenario *scenario, const struct ts_soc *soc,
                       struct ts_tile **tiles, struct ts_error *error)
{
    for (uint32_t i = 0; i < scenario->tile_count; i++) {
        const struct ts_scenario_tile *tile = &scenario->tiles[i];
        enum ts_noc_node node = tile->x < soc->width && tile->y < soc->height
                                    ? soc->node[tile->y][tile->x]
                                    : TS_NOC_NODE_EMPTY;
        if (node != TS_NOC_NODE_TENSIX && tile->channel < 0) {
            char text[400];
            snprintf(text, sizeof text, "%u-%u of %.300s is %s, not a Tensix tile", tile->x,
                     tile->y, scenario->chip, ts_noc_node_name(node));
            struct ts_yaml_node none = {0};
            ts_lib_refuse(scenario, scenario->script.tiles ? scenario->script.tiles[i].node : none,
                          text, error);
            return false;
        }
        tiles[i] = tile->tile;
    }
    return true;
}

static bool build_chip(struct tensim *sim, struct ts_error *error)
{
    struct ts_scenario *scenario = &sim->scenario;
    struct ts_soc soc;
    struct ts_error why = {0};
    if (ts_soc_find(&soc, scenario->chip, &why) != TS_OK) {
        struct ts_yaml_node none = {0};
        ts_lib_refuse(scenario, scenario->script.tiles ? scenario->script.chip : none, why.text,
                      error);
        return false;
    }
    struct ts_tile **tiles = calloc(scenario->tile_count, sizeof *tiles);
    sim->chip = calloc(1, sizeof *sim->chip);
    bool good = tiles != NULL && sim->chip != NULL;
    if (!good)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    good = good && find_sites(scenario, &soc, tiles, error) &&
           ts_chip_init(sim->chip, sim->kernel, &soc, &sim->params, tiles, scenario->tile_count,
                        error) == TS_OK;
    free(tiles);
    return good && ts_scenario_load_dram(scenario, &ts_lib_dram, sim->chip, error);
}

// --- the three kinds ---

// All tiles of the caller's chip or system, with nothing in them.
static bool name_all_tiles(struct tensim *sim, const struct tensim_config *config,
                           struct ts_error *error)
{
    struct ts_scenario *scenario = &sim->scenario;
    struct ts_soc soc;
    if ((config->chip == NULL) == (config->system == NULL) || config->tiles)
        return ts_refuse(error, TS_USAGE, "complete: name a chip or a system, and no tiles");
    if (config->system) {
        snprintf(scenario->system, sizeof scenario->system, "%s", config->system);
        return true; // ts_lib_complete_system adds them
    }
    snprintf(scenario->chip, sizeof scenario->chip, "%s", config->chip);
    return ts_soc_find(&soc, config->chip, error) == TS_OK &&
           ts_lib_add_all(scenario, 0, &soc, error);
}

bool ts_lib_add_all(struct ts_scenario *scenario, uint32_t chip, const struct ts_soc *soc,
                    struct ts_error *error)
{
    uint32_t next = scenario->tile_count, count = 0;
    for (uint32_t y = 0; y < soc->height; y++)
        for (uint32_t x = 0; x < soc->width; x++)
            count += soc->node[y][x] == TS_NOC_NODE_TENSIX ||
                     soc->node[y][x] == TS_NOC_NODE_ETHERNET;
    if (!ts_scenario_more(scenario, count, error))
        return false;
    for (uint32_t y = 0; y < soc->height; y++)
        for (uint32_t x = 0; x < soc->width; x++) {
            struct ts_scenario_tile *tile = &scenario->tiles[next];
            const bool ethernet = soc->node[y][x] == TS_NOC_NODE_ETHERNET;
            if (!ethernet && soc->node[y][x] != TS_NOC_NODE_TENSIX)
                continue;
            tile->chip = chip;
            tile->x = x;
            tile->y = y;
            tile->channel = ethernet ? (int)soc->index[y][x] : -1;
            next++;
        }
    return true;
}

// The tiles that the caller names, with nothing in them.
static bool name_tiles(struct tensim *sim, const struct tensim_config *config,
                       struct ts_error *error)
{
    if (config->complete)
        return name_all_tiles(sim, config, error);
    static const struct tensim_xy first = {1, 2};
    const struct tensim_xy *tiles = config->tiles ? config->tiles : &first;
    size_t count = config->tiles ? config->tile_count : 1;
    struct ts_scenario *scenario = &sim->scenario;
    if (count < 1 || count > TS_SCRIPT_TILES)
        return ts_refuse(error, TS_USAGE, "%zu tiles: 1 to %d", count, TS_SCRIPT_TILES);
    if (!ts_scenario_tiles(scenario, (uint32_t)count, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        scenario->tiles[i].x = tiles[i].x;
        scenario->tiles[i].y = tiles[i].y;
        for (size_t k = 0; k < i; k++)
            if (tiles[k].x == tiles[i].x && tiles[k].y == tiles[i].y)
                ts_fail(error, TS_USAGE, "tile %u-%u is there twice", tiles[i].x, tiles[i].y);
        if (tiles[i].x >= 64 || tiles[i].y >= 64)
            ts_fail(error, TS_USAGE, "tile %u-%u: coordinates are below 64", tiles[i].x,
                    tiles[i].y);
    }
    if (config->chip)
        snprintf(scenario->chip, sizeof scenario->chip, "%s", config->chip);
    return error->code == TS_OK;
}

static bool build_tiles(struct tensim *sim, const char *path, const struct tensim_config *config,
                        struct ts_error *error)
{
    bool good = path ? ts_scenario_read(&sim->scenario, path, error)
                     : name_tiles(sim, config, error);
    if (good && sim->scenario.system[0])
        good = ts_lib_find_system(sim, path == NULL, error);
    unsigned allow = 0;
    if (good && !ts_plan_allow(config->allow, &allow))
        good = ts_refuse(error, TS_USAGE, "allow: '%.100s' is not a list of " TS_PLAN_ALLOW,
                         config->allow);
    sim->scenario.anywhere = allow & TS_PLAN_ALLOW_SAVE;
    good = good && ts_scenario_build(&sim->scenario, sim->kernel, &sim->tile_config, error);
    sim->scenario.out = config->output;
    if (good && sim->scenario.chip[0])
        good = build_chip(sim, error);
    if (good && sim->system)
        good = ts_lib_build_system(sim, error);
    return good && ts_kernel_elaborate(sim->kernel, error) == TS_OK;
}

static bool copy_settings(struct tensim *sim, const char *const *settings, size_t count)
{
    sim->settings = calloc(count + 1, sizeof *sim->settings);
    for (; sim->settings && sim->setting_count < count; sim->setting_count++) {
        sim->settings[sim->setting_count] = strdup(settings[sim->setting_count]);
        if (sim->settings[sim->setting_count] == NULL)
            return false;
    }
    return sim->settings != NULL;
}

// --- for the caller ---

// An instance. `names`: what has chip and tiles of its own, which the caller then does not name; NULL:
// nothing. NULL: error.
static struct tensim *make(ts_lib_builder *build, const char *name, const char *names,
                           const char *const *settings, size_t setting_count,
                           const struct tensim_config *config, struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct tensim_config defaults;
    tensim_config_init(&defaults);
    config = config ? config : &defaults;
    struct tensim *sim = calloc(1, sizeof *sim);
    if (sim && names && (config->chip || config->system || config->tiles || config->complete))
        ts_fail(&failure, TS_USAGE, "%s: %s", name, names);
    else if (sim == NULL || !copy_settings(sim, settings, setting_count))
        ts_fail(&failure, TS_NO_MEMORY, "out of memory");
    const char *program = build == ts_lib_build_program ? name : NULL,
               *file = build == ts_lib_build_kernel ? NULL : name;
    bool good = failure.code == TS_OK && configure(sim, program, file, config, &failure) &&
                build(sim, name, config, &failure);
    ts_lib_give(&failure, error);
    if (good)
        return sim;
    tensim_free(sim);
    return NULL;
}

struct tensim *tensim_new(const struct tensim_config *config, struct tensim_error *error)
{
    return make(build_tiles, NULL, NULL, NULL, 0, config, error);
}

struct tensim *tensim_new_scenario(const char *path, const struct tensim_config *config,
                                   struct tensim_error *error)
{
    return make(build_tiles, path, "a scenario names its chip and tiles itself", NULL, 0, config,
                error);
}

struct tensim *tensim_new_kernel(const char *name, const char *const *settings,
                                 size_t setting_count, const struct tensim_config *config,
                                 struct tensim_error *error)
{
    return make(ts_lib_build_kernel, name,
                "the kernel's settings name its tiles (tiles=N, grid=CxR)", settings, setting_count,
                config, error);
}

struct tensim *tensim_new_program(const char *path, const char *const *settings,
                                  size_t setting_count, const struct tensim_config *config,
                                  struct tensim_error *error)
{
    return make(ts_lib_build_program, path, "a program file names its chip and cores itself",
                settings, setting_count, config, error);
}

void tensim_free(struct tensim *sim)
{
    if (sim == NULL)
        return;
    tensim_trace_end(sim, NULL);
    if (sim->works == NULL)
        ts_work_free(sim->work);
    if (sim->system)
        ts_lib_free_system(sim);
    else if (sim->chip)
        ts_chip_free(sim->chip);
    free(sim->chip);
    free(sim->devices);
    ts_scenario_free(&sim->scenario);
    ts_kernel_free(sim->kernel);
    ts_params_free(&sim->params);
    for (size_t i = 0; i < sim->setting_count; i++)
        free(sim->settings[i]);
    free(sim->settings);
    free(sim);
}
