// A scenario on several chips: finds its tiles, builds the chips around them, connects their links.
#include "platform/kernel/cluster.h"
#include "platform/lib/inside.h"

// What the file says of a tile; of one that it does not name, of the system.
static struct ts_yaml_node node_of(const struct ts_scenario *scenario, uint32_t tile)
{
    return tile < scenario->script.tile_count ? scenario->script.tiles[tile].node
                                              : scenario->script.system;
}

static void refuse_tile(struct tensim *sim, uint32_t tile, const char *text, struct ts_error *error)
{
    ts_lib_refuse(&sim->scenario, node_of(&sim->scenario, tile), text, error);
}

static bool same_tile(const struct ts_scenario_tile *a, const struct ts_scenario_tile *b)
{
    return a->chip == b->chip && a->x == b->x && a->y == b->y;
}

// Finds where a tile stands on its chip.
static bool find_site(struct tensim *sim, uint32_t index, const struct ts_soc *soc,
                      struct ts_error *error)
{
    struct ts_scenario_tile *tile = &sim->scenario.tiles[index];
    char text[200];
    bool found = false;
    for (uint32_t y = 0; y < soc->height && !found; y++)
        for (uint32_t x = 0; x < soc->width && !found; x++) {
            enum ts_noc_node node = soc->node[y][x];
            found = tile->channel >= 0 ? node == TS_NOC_NODE_ETHERNET &&
                                             soc->index[y][x] == (uint32_t)tile->channel
                                       : node == TS_NOC_NODE_TENSIX && tile->x == x && tile->y == y;
            if (found) {
                tile->x = x;
                tile->y = y;
            }
        }
    for (uint32_t i = 0; i < index && found; i++)
        if (same_tile(tile, &sim->scenario.tiles[i])) {
            refuse_tile(sim, index, "this tile is there twice", error);
            return false;
        }
    if (found)
        return true;
    if (tile->channel >= 0)
        snprintf(text, sizeof text, "chip %u (%s) has no Ethernet tile %d", tile->chip, soc->name,
                 tile->channel);
    else
        snprintf(text, sizeof text, "%u-%u of chip %u (%s) is not a Tensix tile", tile->x, tile->y,
                 tile->chip, soc->name);
    refuse_tile(sim, index, text, error);
    return false;
}

static bool find_sites(struct tensim *sim, uint32_t from, struct ts_error *error)
{
    for (uint32_t i = from; i < sim->scenario.tile_count; i++) {
        struct ts_soc soc;
        struct ts_error why = {0};
        uint32_t chip = sim->scenario.tiles[i].chip;
        char text[120];
        snprintf(text, sizeof text, "there is no chip %u: the system has %u", chip,
                 sim->system->chips);
        if (chip >= sim->system->chips ||
            ts_soc_find(&soc, sim->system->chip[chip], &why) != TS_OK) {
            refuse_tile(sim, i, why.code == TS_OK ? text : why.text, error);
            return false;
        }
        if (!find_site(sim, i, &soc, error))
            return false;
    }
    return true;
}

// The Ethernet tiles at the other ends of links that the scenario does not name: their cores are held.
static bool add_ends(struct tensim *sim, struct ts_error *error)
{
    struct ts_scenario *scenario = &sim->scenario;
    const uint32_t named = scenario->tile_count;
    for (uint32_t i = 0; i < named; i++) {
        const struct ts_scenario_tile *tile = &scenario->tiles[i];
        struct ts_system_end other;
        if (tile->channel < 0 ||
            !ts_system_other(sim->system,
                             (struct ts_system_end){tile->chip, (uint32_t)tile->channel}, &other))
            continue;
        bool there = false;
        for (uint32_t k = 0; k < scenario->tile_count; k++)
            there |= scenario->tiles[k].chip == other.chip &&
                     scenario->tiles[k].channel == (int)other.channel;
        if (there)
            continue;
        if (!ts_scenario_more(scenario, 1, error))
            return false;
        scenario->tiles[scenario->tile_count - 1].chip = other.chip;
        scenario->tiles[scenario->tile_count - 1].channel = (int)other.channel;
    }
    return find_sites(sim, named, error);
}

static bool add_all(struct tensim *sim, struct ts_error *error)
{
    const struct ts_system *system = sim->system;
    struct ts_soc soc;
    for (uint32_t i = 0; i < system->chips; i++) {
        const bool known = i && strcmp(system->chip[i], system->chip[i - 1]) == 0;
        if (!known && ts_soc_find(&soc, system->chip[i], error) != TS_OK)
            return false;
        if (!ts_lib_add_all(&sim->scenario, i, &soc, error))
            return false;
    }
    return true;
}

bool ts_lib_find_system(struct tensim *sim, bool complete, struct ts_error *error)
{
    struct ts_error why = {0};
    sim->system = calloc(1, sizeof *sim->system);
    if (sim->system == NULL)
        return ts_refuse(error, TS_NO_MEMORY, "out of memory");
    if (ts_system_find(sim->system, sim->scenario.system, &why) != TS_OK) {
        ts_lib_refuse(&sim->scenario, sim->scenario.script.system, why.text, error);
        return false;
    }
    sim->scenario.chips = sim->system->chips;
    ts_kernel_expect(sim->kernel, sim->system->chips);
    return complete ? add_all(sim, error) : find_sites(sim, 0, error) && add_ends(sim, error);
}

// --- links, as the script sees them ---

static const char *train(void *context, const char *text, bool up, bool look_only)
{
    struct tensim *sim = context;
    const struct ts_system *system = sim->system;
    struct ts_system_end end;
    if (!ts_system_end_parse(text, &end))
        return "an end of a link is 1/eth4";
    for (uint32_t i = 0; i < system->links; i++)
        for (int k = 0; k < 2; k++)
            if (system->link[i].end[k].chip == end.chip &&
                system->link[i].end[k].channel == end.channel) {
                ts_cycle now = ts_kernel_reached(sim->kernel);
                now = now > sim->scenario.now ? now : sim->scenario.now;
                if (!look_only)
                    ts_system_train(&system->link[i], sim->chips, up, now);
                return NULL;
            }
    return "no link of the system ends there";
}

static const struct ts_scenario_links links = {train};

// --- DRAM of all chips ---

static struct ts_chip *chip_of(struct tensim *sim, uint32_t *channel)
{
    uint32_t chip = *channel >> TS_SCENARIO_CHIP;
    *channel &= (1u << TS_SCENARIO_CHIP) - 1;
    return chip < sim->system->chips ? sim->chips[chip] : NULL;
}

static const char no_chip[] = "the system has no such chip";

static const char *check_dram(void *context, uint32_t channel, uint64_t address, uint64_t length)
{
    struct ts_chip *chip = chip_of(context, &channel);
    return chip ? ts_lib_dram.check(chip, channel, address, length) : no_chip;
}

static const char *read_dram(void *context, uint32_t channel, uint64_t address, void *bytes,
                             uint64_t length)
{
    struct ts_chip *chip = chip_of(context, &channel);
    return chip ? ts_lib_dram.read(chip, channel, address, bytes, length) : no_chip;
}

static const char *write_dram(void *context, uint32_t channel, uint64_t address, const void *bytes,
                              uint64_t length)
{
    const uint32_t place = (channel >> TS_SCENARIO_CHIP) + 1;
    struct ts_chip *chip = chip_of(context, &channel);
    if (chip == NULL)
        return no_chip;
    ts_kernel_place(chip->kernel, place); // its pages are of the chip
    const char *why = ts_lib_dram.write(chip, channel, address, bytes, length);
    ts_kernel_place(chip->kernel, 0);
    return why;
}

static const struct ts_scenario_dram dram = {check_dram, read_dram, write_dram};

// --- chips ---

static enum ts_code audit(const void *context, const struct ts_run *run, struct ts_error *error)
{
    const struct tensim *sim = context;
    for (uint32_t i = 0; i < sim->system->chips; i++)
        if (ts_chip_check(sim->chips[i], run, error) != TS_OK)
            return error->code;
    return TS_OK;
}

static bool build_chip(struct tensim *sim, uint32_t number, struct ts_tile **tiles,
                       struct ts_error *error)
{
    struct ts_soc soc;
    uint32_t count = 0;
    if (ts_soc_find(&soc, sim->system->chip[number], error) != TS_OK)
        return false;
    for (uint32_t i = 0; i < sim->scenario.tile_count; i++)
        if (sim->scenario.tiles[i].chip == number)
            tiles[count++] = sim->scenario.tiles[i].tile;
    ts_kernel_place(sim->kernel, number + 1);
    struct ts_chip *chip = sim->chips[number] = calloc(1, sizeof *chip);
    if (chip == NULL)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    else
        ts_chip_init_in(chip, sim->kernel, &soc, &sim->params, tiles, count,
                        ts_kernel_format(sim->kernel, "chip%u/", number), error);
    ts_kernel_place(sim->kernel, 0);
    return error->code == TS_OK;
}

void ts_lib_connect(struct tensim *sim)
{
    ts_system_connect(sim->system, sim->chips);
    ts_kernel_audit(sim->kernel, audit, sim);
}

uint32_t ts_lib_works(const struct tensim *sim)
{
    return sim->works ? sim->system->chips : sim->work != NULL;
}

struct ts_work *ts_lib_work(const struct tensim *sim, uint32_t chip)
{
    return sim->works ? sim->works[chip] : sim->work;
}

struct ts_work *ts_lib_chosen_work(const struct tensim *sim)
{
    return ts_lib_work(sim, sim->chosen);
}

struct ts_chip *ts_lib_chosen_chip(const struct tensim *sim)
{
    struct ts_work *work = ts_lib_chosen_work(sim);
    if (sim->works || (work && work->shares))
        return &work->chip;
    return sim->chips ? sim->chips[sim->chosen] : sim->chip;
}

uint32_t tensim_chips(const struct tensim *sim)
{
    return sim->system ? sim->system->chips : 1;
}

enum tensim_code tensim_choose_chip(struct tensim *sim, uint32_t chip, struct tensim_error *error)
{
    if (chip >= tensim_chips(sim))
        return ts_lib_fail(error, TS_USAGE, "there is no chip %u: there %s %u", chip,
                           tensim_chips(sim) == 1 ? "is" : "are", tensim_chips(sim));
    sim->chosen = chip;
    return TENSIM_OK;
}

enum tensim_code tensim_eth(const struct tensim *sim, uint32_t channel, struct tensim_xy *tile,
                            struct tensim_error *error)
{
    const struct ts_chip *chip = ts_lib_chosen_chip(sim);
    const struct ts_tile *eth = chip && channel < TS_CHIP_ETH ? chip->eth[channel] : NULL;
    if (eth == NULL)
        return ts_lib_fail(error, TS_USAGE, "chip %u has no Ethernet tile %u here", sim->chosen,
                           channel);
    *tile = (struct tensim_xy){eth->x, eth->y};
    return TENSIM_OK;
}

bool ts_lib_build_system(struct tensim *sim, struct ts_error *error)
{
    struct ts_tile **tiles = calloc(sim->scenario.tile_count, sizeof *tiles);
    sim->chips = calloc(sim->system->chips, sizeof(struct ts_chip *));
    bool good = tiles && sim->chips;
    if (!good)
        ts_fail(error, TS_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; good && i < sim->system->chips; i++)
        good = build_chip(sim, i, tiles, error);
    free(tiles);
    if (!good)
        return false;
    sim->chip = sim->chips[0];
    ts_lib_connect(sim);
    sim->scenario.links = &links;
    sim->scenario.links_context = sim;
    return ts_scenario_load_dram(&sim->scenario, &dram, sim, error);
}

void ts_lib_free_system(struct tensim *sim)
{
    for (uint32_t i = 0; sim->works && i < sim->system->chips; i++)
        ts_work_free(sim->works[i]);
    for (uint32_t i = 0; sim->chips && !sim->works && i < sim->system->chips; i++)
        if (sim->chips[i]) {
            ts_chip_free(sim->chips[i]);
            if (i)
                free(sim->chips[i]);
        }
    sim->chip = sim->chips && !sim->works ? sim->chips[0] : NULL; // the caller frees it
    free(sim->works);
    free(sim->chips);
    free(sim->system);
    sim->system = NULL;
}
