// Memory errors: what an access means for the things that lie in L1 and DRAM, as the program names them.
//
// A tile knows its areas (circular buffers, tensors, semaphores, code, words of the launch) only if somebody adds them:
// program files do. A circular buffer also has, for each core, the page up to which it has waited or reserved: the
// smallest value of the counter that ends the core's poll says how many pages it asked for.
#pragma once

#include "platform/check/findings.h"
#include "platform/check/vclock.h"

// Shadow memory: who wrote and who read each granule last.
//
// A granule remembers one write and two reads, with the bytes that they touched. A write of other bytes of the
// granule replaces the one before: what is forgotten is not reported. Bursts touch many granules alike: a block of
// granules has one set of marks until an access touches a part of it, and again once all of it is written.

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

enum ts_area_kind {
    TS_AREA_NONE,
    TS_AREA_BUFFER, // circular
    TS_AREA_TENSOR,
    TS_AREA_SEMAPHORE,
    TS_AREA_LAUNCH, // words by which host, firmware and kernels agree, and arguments
    TS_AREA_CODE,
};

struct ts_check_area {
    uint64_t address, length;
    uint32_t page, stride; // bytes of a page, and from one to the next; 0: it has none
    uint8_t kind;          // enum ts_area_kind
    uint8_t format;        // of a datum
    uint8_t ring;          // of a buffer: its index
    bool dram;
    bool filled;       // the host wrote it before the run
    uint32_t *written; // a bit for each word; NULL: all are
    // Of a semaphore: increments since a core last loaded it, and the last one.
    uint32_t unseen;
    bool looked; // a core ever did
    struct ts_check_place last;
    uint16_t senders; // of the unseen ones, at least: runs of one tile
};

// Pages are counted from the launch on.
struct ts_check_ring {
    uint32_t received, acked; // where the counters are
    uint32_t pages;
    bool shared; // its memory belongs to another buffer too: who may access what is not known
    uint32_t put, taken;  // pages in all
    uint8_t pushes, pops; // cores that have: a bit for each
    // Up to which page each core has waited, and reserved; and where it did so last, and counted.
    uint32_t waited[TS_ACTOR_CORES], reserved[TS_ACTOR_CORES];
    uint32_t asked[TS_ACTOR_CORES][2]; // pages more than the time before: reserved, waited
    struct ts_check_place wait, reserve, push;
};

// Words from the first one on; end 0: none.
struct ts_memory_range {
    uint32_t from, end;
};

#define TS_CHECK_AREAS 254
#define TS_CHECK_RINGS 64

struct ts_check_memory {
    struct ts_check_area *areas; // NULL: none
    unsigned area_count;
    uint8_t *map; // of L1: the area of each 16 bytes, + 1
    struct ts_check_ring rings[TS_CHECK_RINGS];
    unsigned ring_count;
    struct ts_memory_range counters, semaphores; // of all rings; all
    const struct ts_check_area
        *last[TS_ACTOR_UNITS]; // that a unit read or wrote data of; NULL: none
    bool whole;                // what belongs to no area belongs to nobody
};

struct ts_check;
struct ts_check_trip;

// Adds an area; `ring` may be NULL. False: no room, or out of memory: it is not checked.
bool ts_memory_add(struct ts_check *self, const struct ts_check_area *area,
                   const struct ts_check_ring *ring);
void ts_memory_free(struct ts_check_memory *self);

// The host has written L1.
void ts_memory_host(struct ts_check *self, uint64_t address, uint64_t length);
// An access of any actor, but for the claims to pages of a request at its own tile: those count when it is issued.
void ts_memory_look(struct ts_check *self, const struct ts_check_access *access);
// A core loads a word of L1.
void ts_memory_seen(struct ts_check *self, uint32_t address);
// A request that a core has issued: `length` bytes from `address` on, in DRAM or another tile, to or from `local`.
struct ts_memory_request {
    bool dram, reads;
    uint64_t address, local;
    uint32_t length;
};
void ts_memory_issued(struct ts_check *self, const struct ts_check_trip *trip,
                      const struct ts_memory_request *request);
// A unit reads or writes L1 as data of a format.
void ts_memory_format(struct ts_check *self, unsigned thread, unsigned unit, bool writes,
                      uint32_t address, unsigned format);
// A core reads an argument behind the `given` ones of its kernel.
void ts_memory_argument(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                        uint32_t given, uint32_t at);
// A core stores into its local RAM by its stack pointer, below the end of its data.
void ts_memory_stack(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                     uint32_t end, uint32_t at);
// A unit reads a tile of Dst from `row` on, of which nobody has written a row.
void ts_memory_dst(struct ts_check *self, unsigned thread, unsigned unit, uint32_t row);
// Blocks of Dst that a unit accesses: do they belong to its thread?
void ts_memory_dst_half(struct ts_check *self, const struct ts_check_access *access);
// A thread names a row of Dst, which may lie behind its end.
void ts_memory_dst_over(struct ts_check *self, unsigned thread, unsigned unit, uint32_t row,
                        bool writes);

// A finding of one place.
void ts_memory_found(struct ts_check *self, enum ts_finding_kind kind, enum ts_check_object object,
                     uint64_t address, uint64_t length, uint64_t number,
                     struct ts_check_place place, bool writes);
// Does a finding stand at the end? Buffers that nobody counts pages of are plain memory.
bool ts_memory_stands(const struct ts_check *self, const struct ts_check_finding *finding);

// The ring that has a counter at the address; -1: none. *full: it counts what was put in.
int ts_memory_ring(const struct ts_check *self, uint32_t address, bool *full);
// A counter has changed by so many pages.
void ts_memory_counted(struct ts_check *self, uint32_t address, uint32_t pages,
                       const struct ts_check_site *by, uint32_t at);
// A poll of a core ends: with `spare` less on the counter it would end too, not with less than that.
void ts_memory_polled(struct ts_check *self, unsigned core, uint32_t pc, unsigned ring, bool full,
                      uint32_t spare, uint32_t at);
// By how much the counter is above what a core asks for, if it asks for as many pages as last time. Negative: it waits.
int64_t ts_memory_spare(const struct ts_check *self, unsigned core, unsigned ring, bool full);
