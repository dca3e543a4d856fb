// Local RAM of cores, which others reach by the slow path; see check.h.
//
// Most programs never use that path: until somebody does, a core's own stores only leave their cycle and instruction.
// Source: BabyRISCV/README.md, MemoryOrdering.md: each local RAM is a region of its own.
// Inaccuracies: what a core loads from its own local RAM is not followed.
#include "platform/check/accesses.h"

#define SLOW_PATH 0xffb14000u
#define WINDOW    0x2000u // bytes; the smaller RAMs appear twice in theirs
#define WORDS     (WINDOW / 4)

// The windows' order, by core: brisc, the triscs, ncrisc.
static const struct {
    uint16_t window, bytes;
} rams[TS_ACTOR_CORES] = {{0, 0x2000}, {2, 0x1000}, {3, 0x1000}, {4, 0x1000}, {1, 0x2000}};

static uint32_t place_of(unsigned core, uint32_t offset)
{
    return rams[core].window * WINDOW + offset % rams[core].bytes;
}

static void access_by(struct ts_check *self, unsigned core, uint32_t pc, uint32_t place,
                      uint32_t length, enum ts_check_how how, uint32_t at)
{
    const unsigned region = how == TS_HOW_READ ? TS_REGION_LOADS : TS_REGION_LOCAL;
    const struct ts_known known = ts_check_known_core(self, core, region, at);
    const struct ts_check_site site = {
        .pc = pc, .actor = TS_ACTOR_CORE(core, region), .core = (uint8_t)core, .how = (uint8_t)how};
    ts_check_access(
        self, &(struct ts_check_access){.known = &known,
                                        .mark = {.at = at,
                                                 .home = self->home,
                                                 .site = ts_check_site_of(&self->sites, &site),
                                                 .actor = site.actor},
                                        .object = TS_OBJECT_LOCAL,
                                        .how = how,
                                        .address = place,
                                        .length = length});
}

void ts_check_own_store(struct ts_check *self, unsigned core, uint32_t pc, uint32_t offset,
                        uint32_t length, ts_cycle now)
{
    const uint32_t place = place_of(core, offset);
    if (self->slow >> core & 1) {
        access_by(self, core, pc, place, length, TS_HOW_WRITE, (uint32_t)now);
        return;
    }
    if (self->own_stores == NULL)
        self->own_stores = calloc(TS_ACTOR_CORES * WORDS, sizeof *self->own_stores);
    if (self->own_stores)
        self->own_stores[place / 4] = (struct ts_check_own_store){(uint32_t)now, pc};
}

// Somebody else is at this core's RAM, perhaps for the first time.
static void follow(struct ts_check *self, unsigned core)
{
    if (self->slow >> core & 1)
        return;
    self->slow |= (uint8_t)(1u << core);
    for (uint32_t i = 0; self->own_stores && i < rams[core].bytes; i += 4) {
        const struct ts_check_own_store *store = &self->own_stores[place_of(core, i) / 4];
        if (store->at)
            access_by(self, core, store->pc, place_of(core, i), 4, TS_HOW_WRITE, store->at);
    }
}

// The place that an address of the slow path has, whose core is followed from now on. UINT32_MAX: it is another address.
static uint32_t slow_place(struct ts_check *self, uint64_t address)
{
    for (unsigned core = 0; core < TS_ACTOR_CORES; core++)
        if (address - SLOW_PATH - rams[core].window * WINDOW < WINDOW) {
            follow(self, core);
            return place_of(core, (uint32_t)(address - SLOW_PATH) % WINDOW);
        }
    return UINT32_MAX;
}

void ts_check_slow(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                   uint32_t length, bool writes, ts_cycle now)
{
    access_by(self, core, pc, slow_place(self, address), length,
              writes ? TS_HOW_WRITE : TS_HOW_READ, (uint32_t)now);
}

bool ts_check_slow_request(struct ts_check *self, struct ts_check_access *access)
{
    if (access->address < SLOW_PATH || access->address - SLOW_PATH >= TS_ACTOR_CORES * WINDOW)
        return false;
    access->address = slow_place(self, access->address);
    access->object = TS_OBJECT_LOCAL;
    return true;
}
