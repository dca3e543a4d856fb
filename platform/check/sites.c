// Places that accesses come from; see check.h.
#include "platform/check/check.h"

#include "platform/base/error.h"

#define SLOTS_FIRST 512u

bool ts_check_sites_init(struct ts_check_sites *self)
{
    self->slots = calloc(SLOTS_FIRST, sizeof *self->slots);
    self->slot_count = SLOTS_FIRST;
    if (self->slots == NULL || !ts_grow((void **)&self->list, 0, &self->room, sizeof *self->list))
        return false;
    memset(self->list, 0, sizeof *self->list);
    self->count = 1; // TS_NO_SITE
    return true;
}

void ts_check_sites_free(struct ts_check_sites *self)
{
    free(self->list);
    free(self->slots);
    *self = (struct ts_check_sites){0};
}

// The slot that has the site, or is free for it.
static uint16_t *slot_of(const struct ts_check_sites *self, const struct ts_check_site *site)
{
    const uint32_t hash = (site->pc ^ (uint32_t)site->actor << 24 ^ (uint32_t)site->detail << 16 ^
                           (uint32_t)site->how << 8) *
                          0x9e3779b1u;
    for (uint32_t i = hash >> 16;; i++) {
        uint16_t *slot = &self->slots[i % self->slot_count];
        if (*slot == TS_NO_SITE || memcmp(&self->list[*slot], site, sizeof *site) == 0)
            return slot;
    }
}

// Half of the slots stay free. False: out of memory, and everything is as it was.
static bool grow(struct ts_check_sites *self)
{
    if (!ts_grow((void **)&self->list, self->count, &self->room, sizeof *self->list))
        return false;
    if (2 * self->count < self->slot_count)
        return true;
    uint16_t *slots = calloc(2 * (size_t)self->slot_count, sizeof *slots);
    if (slots == NULL)
        return false;
    free(self->slots);
    self->slots = slots;
    self->slot_count *= 2;
    for (size_t i = 1; i < self->count; i++)
        *slot_of(self, &self->list[i]) = (uint16_t)i;
    return true;
}

uint16_t ts_check_site_of(struct ts_check_sites *self, const struct ts_check_site *site)
{
    uint16_t *slot = slot_of(self, site);
    if (*slot != TS_NO_SITE)
        return *slot;
    if (self->count > TS_CHECK_SITES_MOST || !grow(self))
        return TS_NO_SITE;
    slot = slot_of(self, site);
    *slot = (uint16_t)self->count;
    self->list[self->count++] = *site;
    return *slot;
}
