// Tiles by their coordinates: programs, memory, registers. Nothing here takes simulated time.
#include "platform/lib/inside.h"
#include "platform/tile/names.h"

// --- finding ---

// The tiles of the chosen chip: workers of a program, then its Ethernet tiles. NULL: no more.
static struct ts_tile *tile_number(const struct tensim *sim, size_t number)
{
    const struct ts_work *work = ts_lib_chosen_work(sim);
    const struct ts_chip *chip = ts_lib_chosen_chip(sim);
    if (work && number < work->made)
        return work->jobs[number].tile;
    number -= work ? work->made : 0;
    for (uint32_t c = 0; sim->works && c < TS_CHIP_ETH; c++)
        if (chip->eth[c] && number-- == 0)
            return chip->eth[c];
    for (uint32_t i = 0; work == NULL && i < sim->scenario.tile_count; i++)
        if (sim->scenario.tiles[i].chip == sim->chosen && number-- == 0)
            return sim->scenario.tiles[i].tile;
    return NULL;
}

size_t tensim_tiles(const struct tensim *sim, struct tensim_xy *tiles, size_t room)
{
    size_t count = 0;
    for (const struct ts_tile *tile; (tile = tile_number(sim, count)) != NULL; count++)
        if (count < room)
            tiles[count] = (struct tensim_xy){tile->x, tile->y};
    return count;
}

static enum tensim_code no_tile(const struct tensim *sim, struct tensim_xy at,
                                struct tensim_error *error)
{
    return sim->system ? ts_lib_fail(error, TS_USAGE, "there is no tile %u-%u on chip %u", at.x,
                                     at.y, sim->chosen)
                       : ts_lib_fail(error, TS_USAGE, "there is no tile %u-%u", at.x, at.y);
}

struct ts_tile *ts_lib_tile(struct tensim *sim, struct tensim_xy at, struct tensim_error *error)
{
    const struct ts_chip *chip = ts_lib_chosen_chip(sim);
    if (chip && at.x < chip->soc.width && at.y < chip->soc.height) {
        const struct ts_noc_site *site = ts_chip_site(
            chip, (struct ts_noc_xy){(uint8_t)at.x, (uint8_t)at.y});
        if (site->memory == &ts_tile_memory)
            return site->context;
    }
    size_t i = 0;
    for (struct ts_tile *tile; (tile = tile_number(sim, i)) != NULL; i++)
        if (tile->x == at.x && tile->y == at.y)
            return tile;
    no_tile(sim, at, error);
    return NULL;
}

struct ts_scenario_tile *ts_lib_place(struct tensim *sim, struct tensim_xy at,
                                      struct tensim_error *error)
{
    sim->asleep = false; // what the caller does may wake a core
    for (uint32_t i = 0; i < sim->scenario.tile_count; i++)
        if (sim->scenario.tiles[i].x == at.x && sim->scenario.tiles[i].y == at.y &&
            sim->scenario.tiles[i].chip == sim->chosen)
            return &sim->scenario.tiles[i];
    if (sim->work)
        ts_lib_fail(error, TS_USAGE, "a kernel loads and starts its tiles itself");
    else
        no_tile(sim, at, error);
    return NULL;
}

// The cycle at which the host acts on a tile.
static ts_cycle time_of(const struct tensim *sim, const struct ts_tile *tile)
{
    ts_cycle reached = tile->domain->now;
    return reached > sim->scenario.now ? reached : sim->scenario.now;
}

static bool has_core(const struct ts_tile *tile, enum tensim_core core, struct tensim_error *error)
{
    if ((unsigned)core >= TENSIM_CORES)
        ts_lib_fail(error, TS_USAGE, "there is no core %d", (int)core);
    else if (!ts_control_reset_bit(tile, core))
        ts_lib_fail(error, TS_USAGE,
                    "an Ethernet tile has no %s: its cores are TENSIM_BRISC and, on Blackhole, "
                    "TENSIM_NCRISC",
                    ts_rv_core_names[core]);
    else
        return true;
    return false;
}

_Static_assert((int)TENSIM_BRISC == TS_RV_BRISC && (int)TENSIM_TRISC0 == TS_RV_TRISC0 &&
                   (int)TENSIM_NCRISC == TS_RV_NCRISC && (int)TENSIM_CORES == TS_RV_CORES,
               "the cores have the same numbers");

// --- programs ---

// Marks the core as programmed, if it can start at its pc.
static enum tensim_code programmed(struct ts_scenario_tile *place, enum tensim_core core,
                                   const char *name, struct tensim_error *error)
{
    struct ts_error why = {0};
    if (!ts_tile_entry(place->tile, core, place->pc[core], &why))
        return ts_lib_fail(error, TS_SETUP, "%.200s: %s", name, why.text);
    place->has_program[core] = true;
    return TENSIM_OK;
}

enum tensim_code tensim_load_elf(struct tensim *sim, struct tensim_xy tile, enum tensim_core core,
                                 const char *path, struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct ts_scenario_tile *place = ts_lib_place(sim, tile, error);
    if (place == NULL || !has_core(place->tile, core, error))
        return TENSIM_USAGE;
    if (!ts_load_elf(&place->loader, core, path, &place->pc[core], &failure))
        return ts_lib_give(&failure, error);
    return programmed(place, core, path, error);
}

enum tensim_code tensim_load_elf_bytes(struct tensim *sim, struct tensim_xy tile,
                                       enum tensim_core core, const void *bytes, size_t length,
                                       const char *name, struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct ts_scenario_tile *place = ts_lib_place(sim, tile, error);
    if (place == NULL || !has_core(place->tile, core, error))
        return TENSIM_USAGE;
    if (!ts_load_elf_bytes(&place->loader, core, bytes, length, name, &place->pc[core], &failure))
        return ts_lib_give(&failure, error);
    place->tile->programs[core].bytes = bytes;
    place->tile->programs[core].length = length;
    return programmed(place, core, name, error);
}

enum tensim_code tensim_load_file(struct tensim *sim, struct tensim_xy tile, uint32_t address,
                                  const char *path, struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct ts_scenario_tile *place = ts_lib_place(sim, tile, error);
    if (place == NULL)
        return TENSIM_USAGE;
    ts_load_raw(&place->loader, address, path, &failure);
    return ts_lib_give(&failure, error);
}

enum tensim_code tensim_set_start(struct tensim *sim, struct tensim_xy tile, enum tensim_core core,
                                  uint32_t pc, struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct ts_scenario_tile *place = ts_lib_place(sim, tile, error);
    if (place == NULL || !has_core(place->tile, core, error))
        return TENSIM_USAGE;
    if (!ts_tile_entry(place->tile, core, pc, &failure))
        return ts_lib_give(&failure, error);
    place->pc[core] = pc;
    place->has_program[core] = true;
    return TENSIM_OK;
}

enum tensim_code tensim_start(struct tensim *sim, struct tensim_xy tile, enum tensim_core core,
                              struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct ts_scenario_tile *place = ts_lib_place(sim, tile, error);
    if (place == NULL || !has_core(place->tile, core, error))
        return TENSIM_USAGE;
    if (!place->has_program[core] && core != TENSIM_BRISC)
        return ts_lib_fail(error, TS_USAGE,
                           "%s has no program: load an ELF, or set where it starts",
                           ts_tile_core_name(place->tile, core));
    ts_tile_start(place->tile, core, place->pc[core], time_of(sim, place->tile), &failure);
    return ts_lib_give(&failure, error);
}

enum tensim_code tensim_hold(struct tensim *sim, struct tensim_xy tile, enum tensim_core core,
                             struct tensim_error *error)
{
    struct ts_tile *of = ts_lib_tile(sim, tile, error);
    if (of == NULL || !has_core(of, core, error))
        return TENSIM_USAGE;
    sim->asleep = false;
    ts_tile_hold(of, core, time_of(sim, of));
    return TENSIM_OK;
}

// --- memory ---

enum tensim_code tensim_read(struct tensim *sim, struct tensim_xy tile, uint32_t address,
                             void *bytes, size_t length, struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct ts_tile *of = ts_lib_tile(sim, tile, error);
    if (of == NULL)
        return TENSIM_USAGE;
    if (length > TS_L1_SIZE)
        return ts_lib_fail(error, TS_USAGE, "read of %zu bytes: L1 has %u", length, TS_L1_SIZE);
    sim->asleep &= address < TS_L1_SIZE; // a register may be one that counts
    ts_tile_read(of, address, bytes, (uint32_t)length, time_of(sim, of), &failure);
    return ts_lib_give(&failure, error);
}

enum tensim_code tensim_write(struct tensim *sim, struct tensim_xy tile, uint32_t address,
                              const void *bytes, size_t length, struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct ts_tile *of = ts_lib_tile(sim, tile, error);
    if (of == NULL)
        return TENSIM_USAGE;
    if (length > TS_L1_SIZE)
        return ts_lib_fail(error, TS_USAGE, "write of %zu bytes: L1 has %u", length, TS_L1_SIZE);
    // Bytes of a tile whose cores are all held wake nobody.
    sim->asleep &= address < TS_L1_SIZE && ts_control_all_held(of);
    if (length > 0)
        ts_tile_write(of, address, bytes, (uint32_t)length, time_of(sim, of), &failure);
    return ts_lib_give(&failure, error);
}

enum tensim_code tensim_read_word(struct tensim *sim, struct tensim_xy tile, uint32_t address,
                                  uint32_t *word, struct tensim_error *error)
{
    return tensim_read(sim, tile, address, word, 4, error);
}

// The channel; NULL: error.
static struct ts_dram *channel_of(struct tensim *sim, uint32_t channel, struct tensim_error *error)
{
    struct ts_chip *chip = ts_lib_chosen_chip(sim);
    if (chip && channel < chip->soc.channels)
        return &chip->dram[channel];
    ts_lib_fail(error, TS_USAGE, chip ? "the chip has no DRAM channel %u" : "DRAM needs a chip",
                channel);
    return NULL;
}

static enum tensim_code dram_done(const char *why, uint32_t channel, uint64_t address,
                                  size_t length, struct tensim_error *error)
{
    if (why == NULL)
        return TENSIM_OK;
    return ts_lib_fail(error, TS_SETUP, "%zu bytes at 0x%llx of channel %u: %s", length,
                       (unsigned long long)address, channel, why);
}

#define DRAM_ACCESS(does, pointer)                                                                \
    enum tensim_code tensim_dram_##does(struct tensim *sim, uint32_t channel, uint64_t address,   \
                                        pointer bytes, size_t length, struct tensim_error *error) \
    {                                                                                             \
        struct ts_dram *dram = channel_of(sim, channel, error);                                   \
        if (dram == NULL)                                                                         \
            return TENSIM_USAGE;                                                                  \
        return dram_done(ts_dram_##does(dram, address, bytes, length), channel, address, length,  \
                         error);                                                                  \
    }
DRAM_ACCESS(read, void *)
DRAM_ACCESS(write, const void *)

// --- state of a tile ---

enum tensim_code tensim_core_read(struct tensim *sim, struct tensim_xy tile, enum tensim_core core,
                                  struct tensim_core_state *state, struct tensim_error *error)
{
    struct ts_tile *of = ts_lib_tile(sim, tile, error);
    if (of == NULL || !has_core(of, core, error))
        return TENSIM_USAGE;
    const struct ts_rv_view from = ts_rv_core_view(&of->cores[core]);
    *state = (struct tensim_core_state){.pc = from.pc,
                                        .instructions = from.instructions,
                                        .cycle = from.time,
                                        .held = from.held,
                                        .paused = from.paused,
                                        .ended = from.spinning,
                                        .halted = from.halted};
    memcpy(state->x, from.x, sizeof state->x);
    return TENSIM_OK;
}

static bool has_coprocessor(const struct ts_tile *tile, struct tensim_error *error)
{
    if (tile->channel >= 0)
        ts_lib_fail(error, TS_USAGE, "an Ethernet tile has no coprocessor");
    return tile->channel < 0;
}

enum tensim_code tensim_semaphore_read(struct tensim *sim, struct tensim_xy tile, uint32_t index,
                                       struct tensim_semaphore *semaphore,
                                       struct tensim_error *error)
{
    struct ts_tile *of = ts_lib_tile(sim, tile, error);
    if (of == NULL || !has_coprocessor(of, error))
        return TENSIM_USAGE;
    if (index >= TS_SEMAPHORES)
        return ts_lib_fail(error, TS_USAGE, "there is no semaphore %u", index);
    const struct ts_sync_semaphore *from = &of->sync.semaphore[index];
    *semaphore = (struct tensim_semaphore){from->value, from->max, from->posts, from->gets};
    return TENSIM_OK;
}

enum tensim_code tensim_config_read(struct tensim *sim, struct tensim_xy tile, uint32_t bank,
                                    uint32_t index, uint32_t *value, struct tensim_error *error)
{
    struct ts_tile *of = ts_lib_tile(sim, tile, error);
    if (of == NULL || !has_coprocessor(of, error))
        return TENSIM_USAGE;
    if (bank > 1 || index >= TS_CFG_WORDS)
        return ts_lib_fail(error, TS_USAGE, "there is no register %u of configuration bank %u",
                           index, bank);
    *value = of->tensix.cfg.bank[bank][index];
    return TENSIM_OK;
}

enum tensim_code tensim_thread_config_read(struct tensim *sim, struct tensim_xy tile,
                                           uint32_t thread, uint32_t index, uint32_t *value,
                                           struct tensim_error *error)
{
    struct ts_tile *of = ts_lib_tile(sim, tile, error);
    if (of == NULL || !has_coprocessor(of, error))
        return TENSIM_USAGE;
    if (thread >= TS_THREADS || index >= TS_THD_WORDS)
        return ts_lib_fail(error, TS_USAGE, "there is no register %u of thread %u's configuration",
                           index, thread);
    *value = of->tensix.cfg.thd[thread][index];
    return TENSIM_OK;
}
