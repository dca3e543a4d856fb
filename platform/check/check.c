// Accesses; see check.h. What has no order is a race (races.c); what cores and threads know is in known.c.
#include "platform/check/accesses.h"

#include "platform/check/races.h"
#include "units/isa/machine.h"

#define OVERLAY     0xffb40000u // registers of 64 streams
#define OVERLAY_END 0xffb80000u

// ---- new and free

// Bytes of the objects, and the shift of their granules: 16 bytes, 64 of DRAM; one of whatever else.
static const struct {
    uint64_t bytes;
    uint8_t shift;
} sizes[TS_OBJECTS] = {
    [TS_OBJECT_DRAM] = {0, 2},           [TS_OBJECT_DST] = {128 * 16, 0},
    [TS_OBJECT_SRC] = {4 * 16, 0},       [TS_OBJECT_CONFIG] = {2048 * 16, 0},
    [TS_OBJECT_GPR] = {3 * 64 * 16, 0},  [TS_OBJECT_MOP] = {3 * 16 * 16, 0},
    [TS_OBJECT_LOCAL] = {5 * 0x2000, 0},
};

struct ts_check *ts_check_new(const struct ts_check_options *options, unsigned home, uint64_t l1,
                              uint64_t dram)
{
    struct ts_check *self = calloc(1, sizeof *self);
    if (self == NULL)
        return NULL;
    self->options = *options;
    self->home = (uint16_t)home;
    bool good = ts_check_sites_init(&self->sites);
    for (unsigned i = 0; good && i < TS_OBJECTS; i++) {
        uint64_t bytes = i == TS_OBJECT_L1 ? l1 : i == TS_OBJECT_DRAM ? dram : sizes[i].bytes;
        if (bytes && (l1 || i == TS_OBJECT_DRAM))
            good = ts_shadow_init(&self->shadow[i], bytes, sizes[i].shift);
    }
    good = good && ts_check_words_init(&self->words);
    for (unsigned i = 0; good && l1 && i < TS_ACTOR_CORES; i++)
        good = (self->cores[i].clock = ts_vclock_new(home)) != NULL;
    for (unsigned i = 0; good && l1 && i < TS_ACTOR_THREADS; i++)
        good = (self->threads[i].clock = ts_vclock_new(home)) != NULL;
    if (good)
        return self;
    ts_check_free(self);
    return NULL;
}

static void drop_all(struct ts_vclock **clocks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ts_vclock_drop(clocks[i]);
}

void ts_check_free(struct ts_check *self)
{
    if (self == NULL)
        return;
    for (unsigned i = 0; i < TS_OBJECTS; i++)
        ts_shadow_free(&self->shadow[i]);
    for (unsigned i = 0; i < TS_ACTOR_CORES; i++) {
        ts_vclock_drop(self->cores[i].clock);
        for (unsigned k = 0; k < TS_CHECK_HISTORY; k++)
            ts_vclock_drop(self->cores[i].history[k].clock);
    }
    for (unsigned i = 0; i < TS_ACTOR_THREADS; i++)
        ts_vclock_drop(self->threads[i].clock);
    for (unsigned i = 0; i < 8; i++) {
        ts_releases_free(&self->posts[i]);
        ts_releases_free(&self->gets[i]);
    }
    drop_all(self->mutexes, 8);
    for (unsigned i = 0; i < 16; i++)
        drop_all(self->mailboxes[i].clocks, TS_CHECK_QUEUE);
    for (unsigned i = 0; i < 3; i++)
        drop_all(self->buffers[i].clocks, TS_CHECK_QUEUE);
    ts_vclock_drop(self->shown);
    ts_vclock_drop(self->answers);
    drop_all(self->arrived, TS_ACTOR_QUEUES);
    ts_registers_free(&self->registers);
    ts_check_words_free(&self->words);
    ts_memory_free(&self->memory);
    free(self->findings.list);
    free(self->own_stores);
    ts_check_sites_free(&self->sites);
    free(self);
}

// ---- accesses

// What requests access here.
enum ts_check_object ts_check_requested(const struct ts_check *self)
{
    return self->shadow[TS_OBJECT_L1].pages ? TS_OBJECT_L1 : TS_OBJECT_DRAM;
}

void ts_check_access(struct ts_check *self, const struct ts_check_access *access)
{
    if (self->options.kinds >> TS_CHECK_RACE & 1 && self->shadow[access->object].pages)
        ts_races_look(self, access);
    if (self->options.kinds >> TS_CHECK_MEMORY & 1)
        ts_memory_look(self, access);
}

static uint32_t value_of(const struct ts_check *self, const struct ts_check_word *word)
{
    return self->peek ? self->peek(self->context, (word->word - 1) * 4) : 0;
}

// The word's writer releases what it knows.
static void give(const struct ts_check *self, struct ts_check_word *word,
                 const struct ts_known *known, bool adds)
{
    ts_releases_add(&word->releases, self->home, known, value_of(self, word), adds);
}

// A write or read that is no longer than this may be of a flag. DRAM is accessed by 64 bytes.
uint32_t ts_check_flag_bytes(enum ts_check_object object)
{
    return object == TS_OBJECT_DRAM ? 64 : 16;
}

// Knowledge that a small write leaves with its words.
void ts_check_leave(struct ts_check *self, enum ts_check_object object, uint64_t address,
                    uint32_t length, const struct ts_known *known, bool atomic)
{
    if (length > ts_check_flag_bytes(object))
        return;
    for (uint64_t at = address & ~UINT64_C(3); at < address + length; at += 4) {
        struct ts_check_word *word = ts_check_word_make(&self->words, (uint32_t)at);
        if (word == NULL)
            continue;
        word->sync |= atomic;
        give(self, word, known, atomic);
    }
}

static struct ts_check_access core_access(struct ts_check *self, unsigned core, unsigned region,
                                          uint32_t pc, enum ts_check_how how,
                                          const struct ts_known *known)
{
    const struct ts_check_site site = {
        .pc = pc, .actor = TS_ACTOR_CORE(core, region), .core = (uint8_t)core, .how = (uint8_t)how};
    return (struct ts_check_access){.known = known,
                                    .mark = {.at = known->at,
                                             .home = self->home,
                                             .site = ts_check_site_of(&self->sites, &site),
                                             .actor = site.actor},
                                    .object = TS_OBJECT_L1,
                                    .how = how};
}

// The polled word orders accesses from now on. A plain store to it before knew what the core of the store knew.
struct ts_check_word *ts_check_polled(struct ts_check *self, uint32_t address)
{
    struct ts_check_word *word = ts_check_word_find(&self->words, address);
    if (word && word->sync)
        return word;
    word = ts_check_word_make(&self->words, address);
    if (word == NULL)
        return NULL;
    const struct ts_touch *writer = ts_shadow_writer(&self->shadow[TS_OBJECT_L1], address, 4);
    word->sync = true;
    if (writer && writer->home == self->home && writer->actor < TS_ACTOR_THREAD_FIRST) {
        const struct ts_known known = ts_check_known_core(self, writer->actor / TS_REGIONS,
                                                          TS_REGION_L1, writer->at);
        give(self, word, &known, false);
    }
    return word;
}

// A poll of a part of a word has ended: it knows what the core knew that stored these bytes. Stores to the other bytes of
// the word tell it nothing.
static void see_bytes(struct ts_check *self, unsigned core, uint32_t address, unsigned size,
                      ts_cycle now)
{
    const struct ts_touch *writer = ts_shadow_writer(&self->shadow[TS_OBJECT_L1], address, size);
    if (writer == NULL || writer->home != self->home || writer->actor >= TS_ACTOR_THREAD_FIRST)
        return;
    const struct ts_known known = ts_check_known_core(self, writer->actor / TS_REGIONS,
                                                      TS_REGION_L1, writer->at);
    struct ts_releases bytes = {0};
    ts_releases_add(&bytes, self->home, &known, 0, false);
    ts_check_waited_core(self, core, &bytes, 0, 0, now);
    ts_releases_free(&bytes);
}

void ts_check_load(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                   unsigned size, bool polls, uint32_t spare, ts_cycle now)
{
    if (polls && size < 4)
        see_bytes(self, core, address, size, now);
    if (self->memory.areas)
        ts_memory_seen(self, address);
    struct ts_check_word *word = polls ? ts_check_polled(self, address & ~3u)
                                       : ts_check_word_find(&self->words, address & ~3u);
    if (word && word->flag && word->looked >> core & 1)
        word->sync = true;
    if (word && word->sync) {
        ts_check_waited_core(self, core, &word->releases, value_of(self, word), spare, now);
        return;
    }
    const struct ts_known known = ts_check_known_core(self, core, TS_REGION_LOADS, now);
    struct ts_check_access access = core_access(self, core, TS_REGION_LOADS, pc, TS_HOW_READ,
                                                &known);
    access.address = address;
    access.length = size;
    ts_check_access(self, &access);
    if (word && word->flag) {
        ts_check_waited_core(self, core, &word->releases, value_of(self, word), spare, now);
        word->looked |= (uint8_t)(1u << core);
    }
    // A load of bytes that the core itself has stored: the store has arrived.
    const struct ts_touch *writer = ts_shadow_writer(&self->shadow[TS_OBJECT_L1], address, size);
    if (writer && writer->home == self->home && writer->actor == TS_ACTOR_CORE(core, TS_REGION_L1))
        ts_check_learn(self, core, writer->actor, writer->at, now);
}

void ts_check_stale(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                    ts_cycle now)
{
    const struct ts_touch *writer = ts_shadow_writer(&self->shadow[TS_OBJECT_L1], address, 4);
    const struct ts_known known = ts_check_known_core(self, core, TS_REGION_LOADS, now);
    const struct ts_check_access access = core_access(self, core, TS_REGION_LOADS, pc, TS_HOW_READ,
                                                      &known);
    if (writer == NULL || !ts_checks_for(self, TS_CHECK_RACE) ||
        !ts_known_covers(&known, writer->home, writer->actor, writer->at))
        return;
    ts_check_findings_add(
        &self->findings,
        &(struct ts_check_finding){.kind = TS_FINDING_RACE_L0,
                                   .object = TS_OBJECT_L1,
                                   .length = 4,
                                   .address = address,
                                   .writes = {false, true},
                                   .place = {{self->home, access.mark.site, access.mark.at},
                                             {writer->home, writer->site, writer->at}}});
}

// A core sets a word that NoC atomics have changed: it must know of all of them.
static void set_word(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                     struct ts_check_word *word, const struct ts_known *known)
{
    const struct ts_check_site site = {.pc = pc,
                                       .actor = TS_ACTOR_CORE(core, TS_REGION_L1),
                                       .core = (uint8_t)core,
                                       .how = TS_HOW_WRITE};
    if (ts_releases_unknown(&word->releases, known) && ts_checks_for(self, TS_CHECK_RACE))
        ts_check_findings_add(
            &self->findings,
            &(struct ts_check_finding){
                .kind = TS_FINDING_RACE_ATOMIC,
                .object = TS_OBJECT_L1,
                .length = 4,
                .address = address,
                .writes = {true, true},
                .place = {{self->home, ts_check_site_of(&self->sites, &site), known->at},
                          word->atomic}});
    word->atomic.at = 0;
}

void ts_check_store(struct ts_check *self, unsigned core, const uint32_t pc[4], uint32_t address,
                    unsigned mask, ts_cycle entered, ts_cycle now)
{
    // What the core learns while the store waits in its queue comes behind the store.
    struct ts_known known = ts_check_known_core(self, core, TS_REGION_L1, entered);
    known.at = (uint32_t)now;
    for (unsigned first = 0, last; mask >> first; first = last) {
        while (!(mask >> first & 1))
            first++;
        for (last = first; mask >> last & 1;)
            last++;
        struct ts_check_access access = core_access(self, core, TS_REGION_L1, pc[first / 4],
                                                    TS_HOW_WRITE, &known);
        access.address = address + first;
        access.length = last - first;
        ts_check_access(self, &access);
    }
    for (unsigned i = 0; i < 4; i++) {
        struct ts_check_word *word = mask >> 4 * i & 15
                                         ? ts_check_word_find(&self->words, address + 4 * i)
                                         : NULL;
        if (word && word->atomic.at)
            set_word(self, core, pc[i], address + 4 * i, word, &known);
        if (word)
            give(self, word, &known, false);
    }
}

void ts_check_atomic(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                     ts_cycle now)
{
    struct ts_check_word *word = ts_check_polled(self, address);
    if (word)
        ts_check_waited_core(self, core, &word->releases, value_of(self, word), 0, now);
    const struct ts_known known = ts_check_known_core(self, core, TS_REGION_L1, now);
    struct ts_check_access access = core_access(self, core, TS_REGION_L1, pc, TS_HOW_ATOMIC,
                                                &known);
    access.address = address;
    access.length = 4;
    ts_check_access(self, &access);
    ts_check_leave(self, TS_OBJECT_L1, address, 4, &known, true);
}

void ts_check_register(struct ts_check *self, unsigned core, uint32_t pc,
                       enum ts_check_object object, unsigned number, ts_cycle now)
{
    const struct ts_known known = ts_check_known_core(self, core, TS_REGION_TENSIX, now);
    struct ts_check_access access = core_access(self, core, TS_REGION_TENSIX, pc, TS_HOW_WRITE,
                                                &known);
    access.object = object;
    access.address = (uint64_t)number * 16;
    access.length = 4;
    ts_check_access(self, &access);
}

uint16_t ts_check_unit_site(struct ts_check *self, unsigned thread, unsigned unit,
                            enum ts_check_how how)
{
    struct ts_check_thread *by = &self->threads[thread];
    const uint32_t pc = by->word[unit].pc;
    const uint8_t op = by->word[unit].op, unit_how = (uint8_t)(unit * TS_HOWS + how);
    struct ts_check_recent *recent = &by->recent[(pc / 4 + unit_how) % TS_CHECK_RECENT];
    if (recent->pc != pc || recent->op != op || recent->unit_how != unit_how ||
        recent->site == TS_NO_SITE)
        *recent = (struct ts_check_recent){
            .pc = pc,
            .op = op,
            .unit_how = unit_how,
            .site = ts_check_site_of(&self->sites,
                                     &(struct ts_check_site){.pc = pc,
                                                             .actor = TS_ACTOR_UNIT(thread, unit),
                                                             .core = (uint8_t)(1 + thread),
                                                             .how = (uint8_t)how,
                                                             .detail = op})};
    return recent->site;
}

void ts_check_unit(struct ts_check *self, unsigned thread, unsigned unit,
                   enum ts_check_object object, enum ts_check_how how, uint64_t address,
                   uint32_t length)
{
    ts_check_unit_bits(self, thread, unit, object, how, address, length, 0);
}

void ts_check_unit_bits(struct ts_check *self, unsigned thread, unsigned unit,
                        enum ts_check_object object, enum ts_check_how how, uint64_t address,
                        uint32_t length, uint8_t bits)
{
    const struct ts_check_thread *by = &self->threads[thread];
    const uint32_t at = by->word[unit].at;
    const struct ts_known known = ts_check_known_thread(self, thread, unit, at);
    if (object == TS_OBJECT_L1 && address >= self->shadow[object].bytes) { // a register
        ts_check_overlay_store(self, address, &known);
        return;
    }
    ts_check_access(self, &(struct ts_check_access){
                              .known = &known,
                              .mark = {.at = at,
                                       .home = self->home,
                                       .site = ts_check_unit_site(self, thread, unit, how),
                                       .actor = TS_ACTOR_UNIT(thread, unit),
                                       .detail = bits},
                              .object = object,
                              .how = how,
                              .address = address,
                              .length = length});
    if (object == TS_OBJECT_L1 && how != TS_HOW_READ)
        ts_check_leave(self, object, address, length, &known, how == TS_HOW_ATOMIC);
}

void ts_check_host(struct ts_check *self, enum ts_check_object object, uint64_t address,
                   uint64_t length)
{
    if (self->shadow[object].pages)
        ts_shadow_clear(&self->shadow[object], address, length);
    if (object != TS_OBJECT_L1)
        return;
    ts_memory_host(self, address, length);
    ts_check_words_host(&self->words, address, length);
}

// The word of a register of the NoC overlay; NULL: it is another address. Credits go to the counter of space.
static struct ts_check_word *overlay_word(struct ts_check *self, uint64_t address)
{
    const uint32_t at = (uint32_t)address & 0xffc, stream = (uint32_t)address & ~0xfffu;
    const uint16_t *overlay = self->overlay;
    const bool space = at == overlay[TS_OVERLAY_UPDATE] || at == overlay[TS_OVERLAY_SIZE];
    struct ts_check_word *word = NULL;
    if (address >= OVERLAY && address < OVERLAY_END)
        word = ts_check_word_make(&self->words, stream + (space ? overlay[TS_OVERLAY_SPACE] : at));
    if (word)
        word->sync = true;
    return word;
}

void ts_check_overlay_store(struct ts_check *self, uint64_t address, const struct ts_known *known)
{
    struct ts_check_word *word = overlay_word(self, address);
    if (word)
        give(self, word, known, (address & 0xffc) == self->overlay[TS_OVERLAY_UPDATE]);
}

void ts_check_overlay_load(struct ts_check *self, unsigned core, uint32_t address, uint32_t value,
                           uint32_t spare, ts_cycle now)
{
    const struct ts_check_word *word = overlay_word(self, address);
    if (word)
        ts_check_waited_core(self, core, &word->releases, value, spare, now);
}

void ts_check_declare(struct ts_check *self, uint32_t address, uint32_t length)
{
    for (uint32_t at = address; self && at < address + length; at += 4) {
        struct ts_check_word *word = ts_check_word_make(&self->words, at);
        if (word)
            word->sync = true;
    }
}
