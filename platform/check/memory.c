// Memory errors; see memory.h.
//
// A core may read the pages that it has waited for and write those that it has reserved; either way of both: what a core
// holds it may read and write. Requests of other tiles may use what any core of this tile holds.
// Inaccuracies: a word counts as written when one of its bytes is; copies of words that nobody wrote count as written.
#include "platform/check/accesses.h"

#define LINE      16u // bytes of the map's entries
#define L1_FREE   0x1b400u
#define FLAG_MOST 4u  // bytes that a semaphore is written by
#define HARDWARE  15u // the part of a format that the coprocessor knows

// ---- areas

static bool set_up(struct ts_check *self)
{
    struct ts_check_memory *memory = &self->memory;
    uint64_t l1 = self->shadow[TS_OBJECT_L1].bytes;
    if (memory->areas)
        return true;
    memory->areas = calloc(TS_CHECK_AREAS, sizeof *memory->areas);
    memory->map = l1 ? calloc(l1 / LINE, 1) : NULL;
    return memory->areas && (memory->map || !l1);
}

// Words that the program synchronises by.
static void orders(struct ts_check *self, uint32_t address)
{
    struct ts_check_word *word = ts_check_word_make(&self->words, address);
    if (word)
        word->sync = true;
}

// A range has one more word.
static void widen(struct ts_memory_range *range, uint32_t address)
{
    if (range->end == 0 || address < range->from)
        range->from = address;
    if (address >= range->end)
        range->end = address + 4;
}

static bool within(const struct ts_memory_range *range, uint32_t address)
{
    return address >= range->from && address < range->end;
}

bool ts_memory_add(struct ts_check *self, const struct ts_check_area *area,
                   const struct ts_check_ring *ring)
{
    struct ts_check_memory *memory = &self->memory;
    if (!set_up(self) || memory->area_count == TS_CHECK_AREAS ||
        (ring && memory->ring_count == TS_CHECK_RINGS))
        return false;
    struct ts_check_area *to = &memory->areas[memory->area_count++];
    *to = *area;
    if (!area->filled && (area->kind == TS_AREA_BUFFER || area->kind == TS_AREA_TENSOR))
        to->written = calloc(area->length / 128 + 1, sizeof *to->written);
    if (area->kind == TS_AREA_SEMAPHORE) {
        orders(self, (uint32_t)area->address);
        widen(&memory->semaphores, (uint32_t)area->address);
    }
    if (ring) {
        to->ring = (uint8_t)memory->ring_count;
        orders(self, ring->received);
        orders(self, ring->acked);
        widen(&memory->counters, ring->received);
        widen(&memory->counters, ring->acked);
        memory->rings[memory->ring_count++] = *ring;
    }
    for (uint64_t at = area->address / LINE;
         memory->map && !area->dram && at * LINE < area->address + area->length; at++)
        memory->map[at] = (uint8_t)memory->area_count;
    return true;
}

void ts_memory_free(struct ts_check_memory *self)
{
    for (unsigned i = 0; self->areas && i < self->area_count; i++)
        free(self->areas[i].written);
    free(self->areas);
    free(self->map);
    *self = (struct ts_check_memory){0};
}

static struct ts_check_area *area_at(const struct ts_check *self, bool dram, uint64_t address)
{
    const struct ts_check_memory *memory = &self->memory;
    if (memory->map && !dram) {
        unsigned number = address < self->shadow[TS_OBJECT_L1].bytes ? memory->map[address / LINE]
                                                                     : 0;
        return number ? &memory->areas[number - 1] : NULL;
    }
    for (unsigned i = 0; i < memory->area_count; i++)
        if (memory->areas[i].dram == dram &&
            address - memory->areas[i].address < memory->areas[i].length)
            return &memory->areas[i];
    return NULL;
}

// ---- findings

void ts_memory_found(struct ts_check *self, enum ts_finding_kind kind, enum ts_check_object object,
                     uint64_t address, uint64_t length, uint64_t number,
                     struct ts_check_place place, bool writes)
{
    ts_check_findings_add(&self->findings, &(struct ts_check_finding){.kind = (uint8_t)kind,
                                                                      .object = (uint8_t)object,
                                                                      .alone = true,
                                                                      .writes = {writes},
                                                                      .length = (uint32_t)length,
                                                                      .address = address,
                                                                      .number = number,
                                                                      .place = {place}});
}

static struct ts_check_place place_of(const struct ts_touch *mark)
{
    return (struct ts_check_place){mark->home, mark->site, mark->at};
}

// ---- pages of circular buffers

int ts_memory_ring(const struct ts_check *self, uint32_t address, bool *full)
{
    if (!within(&self->memory.counters, address))
        return -1;
    for (unsigned i = 0; i < self->memory.ring_count; i++) {
        *full = self->memory.rings[i].received == address;
        if (*full || self->memory.rings[i].acked == address)
            return (int)i;
    }
    return -1;
}

void ts_memory_polled(struct ts_check *self, unsigned core, uint32_t pc, unsigned ring, bool full,
                      uint32_t spare, uint32_t at)
{
    struct ts_check_ring *it = &self->memory.rings[ring];
    const struct ts_check_site site = {
        .pc = pc, .actor = TS_ACTOR_CORE(core, TS_REGION_LOADS), .core = (uint8_t)core};
    uint32_t *upto = full ? &it->waited[core] : &it->reserved[core];
    uint32_t page = full ? it->put - spare : it->taken + it->pages - spare;
    if ((int32_t)(page - *upto) <= 0)
        return;
    it->asked[core][full] = page - *upto;
    *upto = page;
    *(full ? &it->wait : &it->reserve) = (struct ts_check_place){
        self->home, ts_check_site_of(&self->sites, &site), at};
}

int64_t ts_memory_spare(const struct ts_check *self, unsigned core, unsigned ring, bool full)
{
    const struct ts_check_ring *it = &self->memory.rings[ring];
    const uint32_t page = (full ? it->waited[core] : it->reserved[core]) + it->asked[core][full];
    return (int32_t)((full ? it->put : it->taken + it->pages) - page);
}

void ts_memory_counted(struct ts_check *self, uint32_t address, uint32_t pages,
                       const struct ts_check_site *by, uint32_t at)
{
    bool full;
    int index = ts_memory_ring(self, address, &full);
    if (index < 0)
        return;
    struct ts_check_ring *ring = &self->memory.rings[index];
    *(full ? &ring->put : &ring->taken) += pages;
    *(full ? &ring->pushes : &ring->pops) |= (uint8_t)(1u << by->core);
    if (full)
        ring->push = (struct ts_check_place){self->home, ts_check_site_of(&self->sites, by), at};
}

// Pages that a core holds from the front or the back on; of any core: TS_ACTOR_CORES.
static uint32_t held(const uint32_t upto[TS_ACTOR_CORES], uint32_t from, unsigned core)
{
    uint32_t most = 0;
    for (unsigned i = 0; i < TS_ACTOR_CORES; i++)
        if ((core == i || core == TS_ACTOR_CORES) && (int32_t)(upto[i] - from) > (int32_t)most)
            most = upto[i] - from;
    return most;
}

static bool in_ring(const struct ts_check_ring *ring, uint32_t from, uint32_t pages, uint32_t slot)
{
    return (slot + ring->pages - from % ring->pages) % ring->pages < pages;
}

// A page that nobody has used is free, for a core that does not ask for pages of this buffer at all.
static bool never_used(const struct ts_check_ring *ring, unsigned core, uint32_t slot)
{
    return ring->put < ring->pages && slot >= ring->put &&
           (core == TS_ACTOR_CORES || (ring->reserved[core] == 0 && ring->waited[core] == 0)) &&
           ring->taken == 0;
}

static void claim(struct ts_check *self, const struct ts_check_area *area, uint64_t address,
                  uint64_t end, unsigned core, struct ts_check_place place, bool writes)
{
    const struct ts_check_ring *ring = &self->memory.rings[area->ring];
    if (ring->shared)
        return;
    const uint32_t waited = held(ring->waited, ring->taken, core),
                   reserved = held(ring->reserved, ring->put, core);
    for (uint64_t at = address; at < end;) {
        uint32_t slot = (uint32_t)((at - area->address) / area->page);
        uint64_t next = area->address + (uint64_t)(slot + 1) * area->page;
        next = next < end ? next : end;
        if (!in_ring(ring, ring->taken, waited, slot) &&
            !in_ring(ring, ring->put, reserved, slot) && !never_used(ring, core, slot))
            ts_memory_found(self, writes ? TS_FINDING_CB_WRITE : TS_FINDING_CB_READ, TS_OBJECT_L1,
                            at, next - at, writes ? reserved : waited, place, writes);
        at = next;
    }
}

bool ts_memory_stands(const struct ts_check *self, const struct ts_check_finding *finding)
{
    const bool claims = finding->kind == TS_FINDING_CB_READ || finding->kind == TS_FINDING_CB_WRITE;
    const struct ts_check_area *area = claims ? area_at(self, false, finding->address) : NULL;
    if (area == NULL || area->kind != TS_AREA_BUFFER)
        return true;
    const struct ts_check_ring *ring = &self->memory.rings[area->ring];
    bool used = ring->put || ring->taken;
    for (unsigned i = 0; i < TS_ACTOR_CORES; i++)
        used |= ring->waited[i] || ring->reserved[i];
    // A buffer that nobody takes pages from never comes round: what is written early harms nothing.
    const bool once = ring->taken == 0 && ring->put <= ring->pages;
    return used && !(once && finding->kind == TS_FINDING_CB_WRITE);
}

// ---- words that nobody has written

// A bit for each word from `word` to `last` that the same element of `written` holds.
static uint32_t bits_of(uint64_t word, uint64_t last)
{
    const uint64_t end = word / 32 == last / 32 ? last % 32 : 31;
    return UINT32_MAX << word % 32 & UINT32_MAX >> (31 - end);
}

static void mark_written(struct ts_check_area *area, uint64_t from, uint64_t to)
{
    const uint64_t last = (to - 1) / 4;
    for (uint64_t word = from / 4; word <= last; word = word / 32 * 32 + 32)
        area->written[word / 32] |= bits_of(word, last);
}

static bool all_written(const struct ts_check_area *area, uint64_t from, uint64_t to,
                        uint64_t *first)
{
    const uint64_t last = (to - 1) / 4;
    for (uint64_t word = from / 4; word <= last; word = word / 32 * 32 + 32) {
        const uint32_t missing = bits_of(word, last) & ~area->written[word / 32];
        if (missing) {
            *first = (word / 32 * 32 + (unsigned)__builtin_ctz(missing)) * 4;
            return false;
        }
    }
    return true;
}

// ---- accesses

// Is this write of these bytes an error, no matter which buffer they belong to? TS_FINDING_KINDS: no.
static unsigned forbidden(const struct ts_check_area *area, const struct ts_check_access *access,
                          uint64_t bytes, bool whole)
{
    const enum ts_actor_class by = ts_actor_class(access->mark.actor);
    const bool bulk = by == TS_CLASS_READ || by == TS_CLASS_LANDED || by == TS_CLASS_ETH_LANDED ||
                      (by == TS_CLASS_UNIT && bytes > FLAG_MOST);
    if (access->how != TS_HOW_WRITE)
        return TS_FINDING_KINDS;
    if (area == NULL)
        return whole && access->address >= L1_FREE ? TS_FINDING_OUTSIDE : TS_FINDING_KINDS;
    switch (area->kind) {
    case TS_AREA_CODE:
        return TS_FINDING_CODE;
    case TS_AREA_LAUNCH:
        return bulk ? TS_FINDING_LAUNCH : TS_FINDING_KINDS;
    case TS_AREA_SEMAPHORE:
        return bulk && bytes > FLAG_MOST ? TS_FINDING_SEMAPHORE : TS_FINDING_KINDS;
    default:
        return TS_FINDING_KINDS;
    }
}

// Its core, if it is of this tile; TS_ACTOR_CORES: of another.
static unsigned core_of(const struct ts_check *self, const struct ts_touch *mark)
{
    if (mark->actor < TS_ACTOR_THREAD_FIRST)
        return mark->actor / TS_REGIONS;
    if (mark->actor < TS_ACTOR_NOC_FIRST)
        return 1 + (mark->actor - TS_ACTOR_THREAD_FIRST) / TS_ACTOR_UNITS;
    return mark->home == self->home ? mark->detail >> 4 : TS_ACTOR_CORES;
}

// The bytes of one area, or of none.
static void look_at(struct ts_check *self, const struct ts_check_access *access,
                    struct ts_check_area *area, uint64_t from, uint64_t to)
{
    const struct ts_check_place place = place_of(&access->mark);
    const bool writes = access->how != TS_HOW_READ;
    const enum ts_actor_class by = ts_actor_class(access->mark.actor);
    unsigned kind = access->object == TS_OBJECT_L1
                        ? forbidden(area, access, to - from, self->memory.whole)
                        : TS_FINDING_KINDS;
    if (kind < TS_FINDING_KINDS)
        ts_memory_found(self, (enum ts_finding_kind)kind, access->object, from, to - from, 0, place,
                        writes);
    if (area == NULL)
        return;
    const bool issued = access->mark.home == self->home &&
                        (by == TS_CLASS_READ || by == TS_CLASS_SENT || by == TS_CLASS_POSTED);
    if (area->kind == TS_AREA_BUFFER && !issued)
        claim(self, area, from, to, core_of(self, &access->mark), place, writes);
    uint64_t first;
    if (area->kind == TS_AREA_SEMAPHORE && access->how == TS_HOW_ATOMIC) {
        area->senders = (uint16_t)(area->unseen == 0
                                       ? 1
                                       : area->senders + (area->last.home != place.home));
        area->unseen++;
        area->last = place;
    }
    if (area->written == NULL)
        return;
    if (writes)
        mark_written(area, from - area->address, to - area->address);
    else if (!all_written(area, from - area->address, to - area->address, &first))
        ts_memory_found(self, TS_FINDING_UNWRITTEN, access->object, area->address + first,
                        to - area->address - first, 0, place, false);
}

void ts_memory_seen(struct ts_check *self, uint32_t address)
{
    struct ts_check_area *area = within(&self->memory.semaphores, address)
                                     ? area_at(self, false, address)
                                     : NULL;
    if (area && area->kind == TS_AREA_SEMAPHORE) {
        area->unseen = 0;
        area->looked = true;
    }
}

void ts_memory_host(struct ts_check *self, uint64_t address, uint64_t length)
{
    for (unsigned i = 0; i < self->memory.area_count; i++) {
        struct ts_check_area *area = &self->memory.areas[i];
        const uint64_t from = address > area->address ? address - area->address : 0,
                       end = address + length - area->address,
                       to = end < area->length ? end : area->length;
        if (!area->dram && area->written && address + length > area->address && from < to)
            mark_written(area, from, to);
    }
}

void ts_memory_look(struct ts_check *self, const struct ts_check_access *access)
{
    const bool dram = access->object == TS_OBJECT_DRAM;
    if (access->object == TS_OBJECT_DST && ts_actor_class(access->mark.actor) == TS_CLASS_UNIT)
        ts_memory_dst_half(self, access);
    if (self->memory.areas == NULL || (access->object != TS_OBJECT_L1 && !dram))
        return;
    const uint64_t end = access->address + access->length;
    for (uint64_t at = access->address; at < end;) {
        struct ts_check_area *area = area_at(self, dram, at);
        uint64_t next = area ? area->address + area->length : end;
        for (uint64_t line = at / LINE * LINE + LINE; !area && !dram && line < end; line += LINE)
            if (area_at(self, false, line)) {
                next = line;
                break;
            }
        next = next < end ? next : end;
        look_at(self, access, area, at, next);
        at = next;
    }
}

// ---- requests

// Bytes of a tensor's pages, not behind their ends.
static void look_at_far(struct ts_check *self, const struct ts_memory_request *request,
                        const struct ts_check_area *area, struct ts_check_place place)
{
    const enum ts_check_object object = request->dram ? TS_OBJECT_DRAM : TS_OBJECT_L1;
    const uint64_t offset = request->address - area->address, end = offset + request->length;
    const bool writes = !request->reads;
    if (end > area->length) {
        ts_memory_found(self, TS_FINDING_OVER, object, request->address, request->length,
                        end - area->length, place, writes);
        return;
    }
    if (area->kind != TS_AREA_TENSOR || area->stride == 0 || !writes)
        return;
    const uint64_t behind = offset % area->stride + request->length;
    if (request->length <= area->stride && behind > area->page)
        ts_memory_found(self, TS_FINDING_PADDING, object, request->address, request->length,
                        behind - area->page, place, writes);
}

void ts_memory_issued(struct ts_check *self, const struct ts_check_trip *trip,
                      const struct ts_memory_request *request)
{
    if (self->memory.areas == NULL || trip == NULL)
        return;
    const struct ts_check_place place = {trip->home, trip->site, trip->at};
    const struct ts_check_area *far = area_at(self, request->dram, request->address),
                               *near = area_at(self, false, request->local);
    if (near && near->kind == TS_AREA_BUFFER) {
        const uint64_t end = near->address + near->length, to = request->local + request->length;
        claim(self, near, request->local, to < end ? to : end, trip->detail >> 4, place,
              request->reads);
        if (to > end)
            ts_memory_found(self, TS_FINDING_OVER, TS_OBJECT_L1, request->local, request->length,
                            to - end, place, request->reads);
    }
    if (far)
        look_at_far(self, request, far, place);
    else if (request->dram && self->memory.whole)
        ts_memory_found(self, TS_FINDING_OUTSIDE, TS_OBJECT_DRAM, request->address, request->length,
                        0, place, !request->reads);
    if (far && near && far->kind == TS_AREA_TENSOR && near->kind == TS_AREA_BUFFER &&
        far->format != near->format && request->length >= near->page / 2)
        ts_memory_found(self, request->reads ? TS_FINDING_FORMAT_READ : TS_FINDING_FORMAT_WRITE,
                        TS_OBJECT_L1, request->local, request->length,
                        (uint64_t)far->format << 8 | near->format, place, request->reads);
}

// ---- units

void ts_memory_format(struct ts_check *self, unsigned thread, unsigned unit, bool writes,
                      uint32_t address, unsigned format)
{
    const struct ts_check_area **last = &self->memory.last[unit], *area = *last;
    if (area == NULL || address - area->address >= area->length)
        *last = area = area_at(self, false, address);
    if (!self->memory.whole || area == NULL || area->kind != TS_AREA_BUFFER ||
        self->memory.rings[area->ring].shared || (area->format & HARDWARE) == (format & HARDWARE))
        return;
    ts_memory_found(self, writes ? TS_FINDING_FORMAT_PACK : TS_FINDING_FORMAT_UNPACK, TS_OBJECT_L1,
                    address, 16, (uint64_t)area->format << 8 | format,
                    ts_check_unit_place(self, thread, unit, writes ? TS_HOW_WRITE : TS_HOW_READ),
                    writes);
}

void ts_memory_argument(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                        uint32_t given, uint32_t at)
{
    const struct ts_check_site site = {
        .pc = pc, .actor = TS_ACTOR_CORE(core, TS_REGION_LOADS), .core = (uint8_t)core};
    ts_memory_found(self, TS_FINDING_ARGUMENT, TS_OBJECT_L1, address, 4, given,
                    (struct ts_check_place){self->home, ts_check_site_of(&self->sites, &site), at},
                    false);
}

void ts_memory_stack(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                     uint32_t end, uint32_t at)
{
    const struct ts_check_site site = {.pc = pc,
                                       .actor = TS_ACTOR_CORE(core, TS_REGION_LOCAL),
                                       .core = (uint8_t)core,
                                       .how = TS_HOW_WRITE};
    ts_memory_found(self, TS_FINDING_STACK, TS_OBJECT_LOCAL, address, 4, end - address,
                    (struct ts_check_place){self->home, ts_check_site_of(&self->sites, &site), at},
                    true);
}
