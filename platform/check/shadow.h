// Shadow memory: who wrote and who read each granule last.
//
// A granule remembers one write and two reads, with the bytes that they touched. A write of other bytes of the
// granule replaces the one before: what is forgotten is not reported. Bursts touch many granules alike: a block of
// granules has one set of marks until an access touches a part of it, and again once all of it is written.
#pragma once

#include "platform/check/findings.h"
#include "platform/check/vclock.h"

// An access, once.
struct ts_touch {
    uint32_t at;   // cycle; of a request: when it was issued
    uint16_t home; // of the actor
    uint16_t site;
    uint16_t mask; // parts of the granule; 0: nobody
    uint8_t actor;
    uint8_t detail; // of a request: TS_TOUCH_REQUEST
};

// A request's static channel (8: none), and the core that issued it.
#define TS_TOUCH_REQUEST(channel, core) ((uint8_t)((channel) | (core) << 4))

struct ts_granule {
    struct ts_touch write, read[2];
};

#define TS_SHADOW_BLOCK 8  // granules
#define TS_SHADOW_PAGE  32 // blocks

struct ts_shadow_block {
    struct ts_granule all;   // of each of its granules, all bytes
    bool split;              // they differ:
    struct ts_granule *each; // NULL: they never did
};

struct ts_shadow_page {
    struct ts_shadow_page *next; // that was made before
    struct ts_shadow_block blocks[TS_SHADOW_PAGE];
};

struct ts_shadow {
    struct ts_shadow_page **pages, *made; // made: the last
    uint64_t bytes;
    uint8_t shift; // a granule has 16 << shift bytes
};

struct ts_check_access {
    const struct ts_known *known; // what the actor knows
    struct ts_touch mark;         // but for its mask
    enum ts_check_object object;
    enum ts_check_how how;
    uint64_t address;
    uint32_t length;
    bool polls; // a request that is repeated until the word has a value
};

// The two have no order. `length` bytes from `address` on.
typedef void ts_shadow_clash(void *context, const struct ts_check_access *access,
                             const struct ts_touch *other, bool other_writes, uint64_t address,
                             uint32_t length);

bool ts_shadow_init(struct ts_shadow *self, uint64_t bytes, unsigned shift);
void ts_shadow_free(struct ts_shadow *self);
// Marks the bytes, and calls `clash` for each granule where one before has no order with it.
void ts_shadow_access(struct ts_shadow *self, const struct ts_check_access *access,
                      ts_shadow_clash *clash, void *context);
// Nobody has touched the bytes.
void ts_shadow_clear(struct ts_shadow *self, uint64_t address, uint64_t length);
// The last write of any of these bytes; NULL: none is remembered.
const struct ts_touch *ts_shadow_writer(const struct ts_shadow *self, uint64_t address,
                                        uint32_t length);
