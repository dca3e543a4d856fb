// Places in programs that accesses come from, by number: most are met again and again.
#pragma once

#include "platform/check/findings.h"

#define TS_CHECK_SITES_MOST 0xffffu

struct ts_check_sites {
    struct ts_check_site *list; // [TS_NO_SITE]: none
    size_t count, room;
    uint16_t *slots; // numbers by hash; 0: free
    uint32_t slot_count;
};

// False: out of memory.
bool ts_check_sites_init(struct ts_check_sites *self);
void ts_check_sites_free(struct ts_check_sites *self);
// The number of a site, which it has or gets. TS_NO_SITE: no room.
uint16_t ts_check_site_of(struct ts_check_sites *self, const struct ts_check_site *site);
