// The chip as its host sees it: what stands where, memory of every site, devices that the host puts
// behind sites without a tile, words that it follows. Nothing here takes simulated time.
#include "platform/lib/inside.h"

_Static_assert((int)TENSIM_SITE_EMPTY == TS_NOC_NODE_EMPTY &&
                   (int)TENSIM_SITE_DRAM == TS_NOC_NODE_DRAM &&
                   (int)TENSIM_SITE_PCIE == TS_NOC_NODE_PCIE &&
                   (int)TENSIM_SITE_SECURITY == TS_NOC_NODE_SECURITY,
               "sites have the numbers of nodes");

// --- finding ---

// The chip, if the place lies in its grid; NULL: error.
static struct ts_chip *chip_with(const struct tensim *sim, struct tensim_xy at,
                                 struct tensim_error *error)
{
    struct ts_chip *chip = ts_lib_chosen_chip(sim);
    if (chip && at.x < chip->soc.width && at.y < chip->soc.height)
        return chip;
    ts_lib_fail(error, TS_USAGE, chip ? "%u-%u lies outside the grid" : "%u-%u: needs a chip", at.x,
                at.y);
    return NULL;
}

static struct ts_noc_site *site_at(const struct ts_chip *chip, struct tensim_xy at)
{
    return ts_chip_site(chip, (struct ts_noc_xy){(uint8_t)at.x, (uint8_t)at.y});
}

// A tile, or the bare L1 of a Tensix tile.
static bool has_tile(const struct ts_chip *chip, struct tensim_xy at)
{
    return chip->soc.node[at.y][at.x] == TS_NOC_NODE_TENSIX ||
           site_at(chip, at)->memory == &ts_tile_memory;
}

enum tensim_code tensim_site(const struct tensim *sim, struct tensim_xy at,
                             struct tensim_site *site, struct tensim_error *error)
{
    const struct ts_chip *chip = chip_with(sim, at, error);
    if (chip == NULL)
        return TENSIM_USAGE;
    site->kind = (enum tensim_site_kind)chip->soc.node[at.y][at.x];
    site->name = ts_noc_node_name(chip->soc.node[at.y][at.x]);
    site->index = chip->soc.index[at.y][at.x];
    return TENSIM_OK;
}

enum tensim_code tensim_translate(const struct tensim *sim, struct tensim_xy from,
                                  struct tensim_xy *to, struct tensim_error *error)
{
    struct ts_noc_xy tile;
    const struct ts_chip *chip = ts_lib_chosen_chip(sim);
    if (chip == NULL || !ts_soc_raw(&chip->soc, from.x, from.y, &tile))
        return ts_lib_fail(error, TS_USAGE, "nothing has the coordinates %u-%u", from.x, from.y);
    *to = (struct tensim_xy){tile.x, tile.y};
    return TENSIM_OK;
}

// --- devices of the host ---

static const char *read_device(void *context, uint64_t address, void *bytes, uint32_t length,
                               ts_cycle now)
{
    const struct ts_lib_device *self = context;
    return self->device.read(self->device.context, address, bytes, length, now);
}

static const char *write_device(void *context, uint64_t address, const void *bytes, uint32_t length,
                                ts_cycle now)
{
    const struct ts_lib_device *self = context;
    if (self->device.ends)
        ts_break(&self->niu->base, now);
    return self->device.write(self->device.context, address, bytes, length, now);
}

static void admit_device(void *context, unsigned port, bool write, uint64_t address,
                         uint32_t length, ts_cycle now, struct ts_noc_admission *admission)
{
    const struct ts_lib_device *self = context;
    const struct tensim_turn turn = self->device.turn(self->device.context, write, address, length,
                                                      now);
    (void)port;
    admission->turn = turn.turn;
    admission->start = turn.start;
    admission->rate = turn.rate;
    admission->after = turn.after;
}

static const struct ts_noc_memory device_memory = {.read = read_device, .write = write_device},
                                  far_device_memory = {.read = read_device,
                                                       .write = write_device,
                                                       .admit = admit_device};

enum tensim_code tensim_attach(struct tensim *sim, struct tensim_xy at,
                               const struct tensim_device *device, struct tensim_error *error)
{
    struct ts_chip *chip = chip_with(sim, at, error);
    if (chip == NULL)
        return TENSIM_USAGE;
    enum ts_noc_node node = (enum ts_noc_node)chip->soc.node[at.y][at.x];
    if (has_tile(chip, at) || node == TS_NOC_NODE_DRAM || node == TS_NOC_NODE_EMPTY)
        return ts_lib_fail(error, TS_USAGE, "%u-%u is %s: it takes no device", at.x, at.y,
                           ts_noc_node_name(node));
    const uint32_t room = TS_LIB_DEVICES * tensim_chips(sim);
    if (sim->device_count == room)
        return ts_lib_fail(error, TS_USAGE, "more than %u devices", room);
    if (sim->devices == NULL && (sim->devices = calloc(room, sizeof *sim->devices)) == NULL)
        return ts_lib_no_memory(error);
    struct ts_noc_site *site = site_at(chip, at);
    struct ts_lib_device *self = &sim->devices[sim->device_count++];
    *self = (struct ts_lib_device){*device, &site->niu[0]};
    site->memory = device->turn ? &far_device_memory : &device_memory;
    site->context = self;
    for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++)
        ts_noc_niu_connect(&site->niu[noc], site->memory, site->context, 0);
    chip->torus.fabric.attached[at.y][at.x] = true;
    return TENSIM_OK;
}

// --- memory ---

static enum tensim_code site_done(const char *why, const struct ts_chip *chip, struct tensim_xy at,
                                  uint64_t address, size_t length, struct tensim_error *error)
{
    if (why == NULL)
        return TENSIM_OK;
    return ts_lib_fail(error, ts_noc_code(why), "%zu bytes at 0x%llx of %s %u-%u: %s", length,
                       (unsigned long long)address, ts_noc_node_name(chip->soc.node[at.y][at.x]),
                       at.x, at.y, why);
}

// An address of a tile has 32 bits.
static enum tensim_code too_far(struct tensim_xy at, uint64_t address, struct tensim_error *error)
{
    return ts_lib_fail(error, TS_USAGE, "nothing is mapped at 0x%llx of tile %u-%u",
                       (unsigned long long)address, at.x, at.y);
}

enum tensim_code tensim_site_read(struct tensim *sim, struct tensim_xy at, uint64_t address,
                                  void *bytes, uint32_t length, struct tensim_error *error)
{
    struct ts_chip *chip = chip_with(sim, at, error);
    if (chip == NULL)
        return TENSIM_USAGE;
    if (has_tile(chip, at))
        return address > UINT32_MAX ? too_far(at, address, error)
                                    : tensim_read(sim, at, (uint32_t)address, bytes, length, error);
    const struct ts_noc_site *site = site_at(chip, at);
    return site_done(site->memory->read(site->context, address, bytes, length, tensim_cycle(sim)),
                     chip, at, address, length, error);
}

enum tensim_code tensim_site_write(struct tensim *sim, struct tensim_xy at, uint64_t address,
                                   const void *bytes, uint32_t length, struct tensim_error *error)
{
    struct ts_chip *chip = chip_with(sim, at, error);
    if (chip == NULL)
        return TENSIM_USAGE;
    if (has_tile(chip, at))
        return address > UINT32_MAX
                   ? too_far(at, address, error)
                   : tensim_write(sim, at, (uint32_t)address, bytes, length, error);
    const struct ts_noc_site *site = site_at(chip, at);
    const char *why;
    if (site->memory->read == read_device) { // what the host does itself ends no run
        const struct tensim_device *device = &((struct ts_lib_device *)site->context)->device;
        why = device->write(device->context, address, bytes, length, tensim_cycle(sim));
    } else {
        why = site->memory->write(site->context, address, bytes, length, tensim_cycle(sim));
    }
    return site_done(why, chip, at, address, length, error);
}

enum tensim_code tensim_niu_read(struct tensim *sim, struct tensim_xy at, uint32_t noc,
                                 uint32_t offset, uint32_t *word, struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct ts_chip *chip = chip_with(sim, at, error);
    if (chip == NULL)
        return TENSIM_USAGE;
    if (noc >= TS_NOC_COUNT)
        return ts_lib_fail(error, TS_USAGE, "there is no NoC %u", noc);
    ts_noc_niu_load(&site_at(chip, at)->niu[noc], offset, tensim_cycle(sim), word, &failure);
    return ts_lib_give(&failure, error);
}

// --- words that the host follows ---

static uint32_t followed_word(const struct ts_lib_follow *self)
{
    uint32_t word;
    memcpy(&word, self->tile->l1.bytes + self->address, sizeof word);
    return word;
}

static void followed_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    const struct ts_lib_follow *self = context;
    (void)address, (void)length;
    if (followed_word(self) != self->value)
        ts_break(&self->tile->cores[0].component, at);
}

enum tensim_code tensim_follow(struct tensim *sim, struct tensim_xy tile, uint32_t address,
                               struct tensim_error *error)
{
    struct ts_tile *of = ts_lib_tile(sim, tile, error);
    if (of == NULL)
        return TENSIM_USAGE;
    if (address % 4 || !ts_l1_contains(address, 4))
        return ts_lib_fail(error, TS_USAGE, "0x%x is not a word of L1", address);
    sim->follow = (struct ts_lib_follow){of, address, 0};
    sim->follow.value = followed_word(&sim->follow);
    return TENSIM_OK;
}

void tensim_unfollow(struct tensim *sim)
{
    sim->follow.tile = NULL;
}

void ts_lib_follow_begin(struct tensim *sim)
{
    struct ts_lib_follow *self = &sim->follow;
    if (self->tile == NULL)
        return;
    self->value = followed_word(self);
    // Without room for a watch the run only ends later.
    ts_l1_watch_add(&self->tile->l1, &(struct ts_l1_watch){.granule = self->address / TS_L1_GRANULE,
                                                           .port = UINT32_MAX,
                                                           .written = followed_written,
                                                           .context = self});
}

void ts_lib_follow_end(struct tensim *sim)
{
    if (sim->follow.tile)
        ts_l1_watch_remove(&sim->follow.tile->l1, &sim->follow);
}
