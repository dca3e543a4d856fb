// Checks (--check): what cores, units and the NoC call for each access and each operation that orders accesses.
//
// A tile and a DRAM channel have a struct ts_check, or NULL: then nobody calls anything. What is called here changes
// neither time nor bits. Shortcuts of the simulator keep what they promise: a parked core repeats loads of a word that
// does not change, and streams report their accesses together.
//
//   access   ts_check_load, ts_check_store, ts_check_atomic   L1, by a core
//            ts_check_unit                                    L1 and registers, by a unit of the coprocessor
//            ts_check_noc                                     L1 and DRAM, by a request of the NoC
//            ts_check_eth                                     L1, by a queue of an Ethernet tile
//   order    ts_check_pass, ts_check_wait                     a word passes its gate; what a wait has waited for
//            ts_vclock_release, ts_check_acquire_*             through a semaphore, mutex, mailbox ...
//            ts_check_known_*, ts_check_learn                 what a core or thread knows now
#pragma once

#include "platform/base/cycle.h"
#include "platform/check/memory.h"
#include "platform/check/registers.h"

// Words of L1 that somebody synchronises by: semaphores, counters of circular buffers, flags. A small write by the NoC or
// the coprocessor leaves with the word what its writer knew; atomics add to it. A word serves synchronisation once
// an atomic or a poll has accessed it: then no load of it is a race, and each load acquires what its value, or the end of its poll, guarantees. So does a word that a small transfer
// over a link has written, once a core loads the word a second time: routers look at many counters in one loop.

// What the writers of a word or of a semaphore knew, write by write: a wait gets what its threshold guarantees.
//
// A wait for n increments has seen an increment only if n cannot be reached without it: those of all other senders and the
// earlier ones of its own sender are fewer than n. A wait for a value that one writer sets again and again (a counter that the writer sends) has seen
// the first write that is enough.
// Inaccuracies: increments that come after the wait count as none; the oldest of more than TS_RELEASES_MOST count as known to every actor.

#define TS_RELEASES_MOST 256u

struct ts_release {
    struct ts_vclock *clock; // what its writer knew
    uint32_t value;          // of the word, after it
    uint32_t at;
    uint16_t home;
    uint8_t actor; // the writer himself
    uint8_t proof; // who knows of this one knows of the write
    bool adds;     // to what was there; else it replaces it
};

struct ts_releases {
    struct ts_release *list;
    uint16_t count, room;
    uint32_t first;         // the value before the list
    struct ts_vclock *base; // known to all who wait; NULL: nothing
};

// A write or an increment that leaves `value`; `home`: where the word is.
void ts_releases_add(struct ts_releases *self, unsigned home, const struct ts_known *known,
                     uint32_t value, bool adds);
// Somebody has waited until the word was at least `spare` less than `value`: calls `gets` for the clocks that this guarantees.
typedef void ts_releases_get(void *context, struct ts_vclock *clock);
void ts_releases_wait(const struct ts_releases *self, uint32_t value, uint32_t spare,
                      ts_releases_get *gets, void *context);
// The last increment that `known` does not cover; NULL: it covers all.
const struct ts_release *ts_releases_unknown(const struct ts_releases *self,
                                             const struct ts_known *known);
void ts_releases_free(struct ts_releases *self);

#define TS_CHECK_WORDS 4096u

struct ts_check_word {
    uint32_t word; // address / 4 + 1; 0: none
    bool sync;
    bool flag;                    // a small transfer over a link has written it
    uint8_t looked;               // of a flag: bit for each core that has loaded it
    struct ts_releases releases;  // what its writers knew
    struct ts_check_place atomic; // the last one of the NoC since the word was set; at 0: none
};

struct ts_check_words {
    struct ts_check_word *table;
};

bool ts_check_words_init(struct ts_check_words *self);
void ts_check_words_free(struct ts_check_words *self);
struct ts_check_word *ts_check_word_find(const struct ts_check_words *self, uint32_t address);
// The same; a word that is not there is added, in the place of a word that does not serve synchronisation. NULL: no room.
struct ts_check_word *ts_check_word_make(struct ts_check_words *self, uint32_t address);
// The host has set the words: what their writers knew before is over.
void ts_check_words_host(struct ts_check_words *self, uint64_t address, uint64_t length);

// Operations that come in pairs: what a program that ends has begun and not finished.

#define TS_PAIRS_MATH_PACK 1u // the semaphore of tile_regs_*

// The last request of a kind that no barrier has waited for since.
struct ts_check_open {
    struct ts_check_place place;
    uint32_t count;
    uint8_t id, core;
};

struct ts_check_pairs {
    struct ts_check_open open[2][TS_PHASES + 1]; // by NoC and phase; TS_PHASES: posted writes
    // Semaphores that each thread has waited for since it last posted (not full) or took (not empty): a bit each.
    uint8_t room[TS_ACTOR_THREADS], full[TS_ACTOR_THREADS];
    // Parts of Dst (1, 2; 0: not known), and how many math has given to the packer and the packer has given back.
    uint8_t parts;
    uint32_t given, back;
};

struct ts_check;
struct ts_check_trip;

void ts_pairs_issued(struct ts_check *self, const struct ts_check_trip *trip,
                     enum ts_actor_phase phase);
// As ts_check_counted.
void ts_pairs_counted(struct ts_check *self, unsigned noc, unsigned phases, unsigned id);
// A thread waits for semaphores (a bit for each) until they are not full, not empty; posts or takes one.
void ts_pairs_waits(struct ts_check *self, unsigned thread, unsigned semaphores, bool room,
                    bool full);
void ts_pairs_posts(struct ts_check *self, unsigned thread, unsigned unit, unsigned semaphores,
                    bool takes);

// The program has ended.
struct ts_pairs_end {
    const uint8_t *semaphores; // 8 values of the coprocessor's
    const int *mutexes;        // 8: the thread that holds it, or -1
    uint32_t at;
};
void ts_pairs_end(struct ts_check *self, const struct ts_pairs_end *end);

// Places in programs that accesses come from, by number: most are met again and again.

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

#define TS_CHECK_HISTORY 16 // clocks of a core that are remembered
#define TS_CHECK_RECENT  64
#define TS_CHECK_LATE \
    4 // words up to a load by VECTOR that a write of Dst by MATRIX must not be among

struct ts_check_core {
    struct ts_vclock *clock;
    // What it knew before, and since when: its stores and pushes become visible later.
    struct {
        uint32_t from;
        struct ts_vclock *clock;
    } history[TS_CHECK_HISTORY];
    uint32_t changes;
};

// A wait that has not been over yet for the words that it blocks.
struct ts_check_wait {
    uint16_t block;     // bits of units/isa/opcodes.h; 0: none
    uint16_t units;     // of the own thread: bit for each
    uint16_t others;    // of all threads
    uint8_t full, room; // semaphores: not empty, not at their maximum; a bit for each
    uint8_t banks;      // of SrcA, SrcB: a bit for each
    bool core;          // the core's stores to GPRs and configuration
};

struct ts_check_thread {
    struct ts_vclock *clock; // of the gate
    struct ts_check_wait wait;
    ts_cycle pushed; // its last word
    uint32_t joined; // as many changes of the core's clock were before it
    // Blocks of Dst that MATRIX writes for its last words, the newest first; at 0: another word.
    struct ts_check_late {
        uint32_t at;
        uint16_t site;
        uint8_t block;
    } late[TS_CHECK_LATE];
    // The last word that went to each unit: the instruction that pushed it, and when it passed.
    struct {
        uint32_t pc, at;
        uint8_t op;
    } word[TS_ACTOR_UNITS];
    // Sites of its words that were looked up, by their pc; TS_NO_SITE: none.
    struct ts_check_recent {
        uint32_t pc;
        uint16_t site;
        uint8_t op, unit_how;
    } recent[TS_CHECK_RECENT];
};

// Messages on their way: of a mailbox, of a PC buffer.
#define TS_CHECK_QUEUE 32
struct ts_check_queue {
    struct ts_vclock *clocks[TS_CHECK_QUEUE];
    struct ts_check_place last; // sent
    uint8_t first, count;
};

struct ts_check {
    struct ts_check_options options;
    uint16_t home; // index of the domain
    struct ts_check_findings findings;
    struct ts_shadow shadow[TS_OBJECTS];
    struct ts_check_core cores[TS_ACTOR_CORES];
    struct ts_check_thread threads[TS_ACTOR_THREADS];
    struct ts_check_words words; // of L1, that cores and the NoC synchronise by
    // Objects that order accesses: a release stores what its actor knows, an acquire takes it over. NULL: nobody has
    // released it. Of semaphores: posts and gets, and by how much a wait's condition is more than met when it ends.
    struct ts_releases posts[8], gets[8];
    uint8_t more[8], less[8];
    struct ts_vclock *mutexes[8];
    const uint16_t *overlay; // registers of a stream (struct ts_machine); of a tile
    uint32_t (*peek)(const void *context,
                     uint32_t address); // a word of L1 or a register; NULL: none
    const void *context;
    struct ts_check_queue mailboxes[16], buffers[3]; // each message has what its sender knew
    // Polls over the NoC: what words of this tile have that others read, what answers to this tile's reads brought.
    struct ts_vclock *shown, *answers;
    struct ts_vclock *arrived[TS_ACTOR_QUEUES]; // what Ethernet RX queues have brought
    uint32_t due[2]
                [TS_PHASES +
                 1]; // what the counters of answers say when all are there; of posted writes: sent
    // The last request of each core: is it a read, and of what? Its last write over a static channel, by NoC.
    struct {
        uint64_t address;
        uint32_t target;
        bool read;
        struct {
            uint32_t target; // plus 1; 0: none
            uint8_t channel;
        } sent[2];
    } asked[TS_ACTOR_CORES];
    // Local RAMs: those that others have used by the slow path, a bit for each core; of the other ones the last store of the core itself
    // to each word, NULL: none.
    uint8_t slow;
    struct ts_check_own_store {
        uint32_t at, pc;
    } * own_stores;
    struct ts_check_sites sites;
    struct ts_check_memory memory;
    struct ts_check_pairs pairs;
    struct ts_check_registers registers;
};

// A request of the NoC, or a command of an Ethernet queue, from the core's store to its last byte. Its packets hold it.
struct ts_check_trip {
    atomic_uint holders;
    struct ts_known known;
    uint32_t at; // it was issued
    uint16_t home, site;
    uint8_t noc, id, detail; // TS_TOUCH_REQUEST; noc: or the queue
    bool posted;
    bool polls;             // a read that is repeated until what it brings is right
    struct ts_vclock *news; // of an answer: knowledge that lies with its word; NULL: none
    uint32_t news_at;
};

// Out of memory: NULL. `l1`, `dram`: bytes; 0: none.
struct ts_check *ts_check_new(const struct ts_check_options *options, unsigned home, uint64_t l1,
                              uint64_t dram);
void ts_check_free(struct ts_check *self); // NULL: does nothing
static inline bool ts_checks_for(const struct ts_check *self, enum ts_check_kind kind)
{
    return self && self->options.kinds >> kind & 1;
}

// --- accesses ---

// A core loads, or stores the bytes of `mask` of 16 bytes, or does an atomic operation. `polls`: the load is the one of a
// loop that waits for its value. Of a word that orders accesses: it would have been enough with `spare` less.
// `entered`: the store, into the core's queue.
void ts_check_load(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                   unsigned size, bool polls, uint32_t spare, ts_cycle now);
void ts_check_store(struct ts_check *self, unsigned core, const uint32_t pc[4], uint32_t address,
                    unsigned mask, ts_cycle entered, ts_cycle now);
void ts_check_atomic(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                     ts_cycle now);
// A core stores a register of the coprocessor: the number of a configuration word or GPR.
void ts_check_register(struct ts_check *self, unsigned core, uint32_t pc,
                       enum ts_check_object object, unsigned number, ts_cycle now);
// A load got an old value from the core's L0 data cache: a finding if the core knows of the write.
void ts_check_stale(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                    ts_cycle now);
// A core stores into its own local RAM; accesses one by the slow path.
void ts_check_own_store(struct ts_check *self, unsigned core, uint32_t pc, uint32_t offset,
                        uint32_t length, ts_cycle now);
void ts_check_slow(struct ts_check *self, unsigned core, uint32_t pc, uint32_t address,
                   uint32_t length, bool writes, ts_cycle now);
// A unit, for the last word of the thread that it has.
void ts_check_unit(struct ts_check *self, unsigned thread, unsigned unit,
                   enum ts_check_object object, enum ts_check_how how, uint64_t address,
                   uint32_t length);
// The same of some bits of a byte: those that change.
void ts_check_unit_bits(struct ts_check *self, unsigned thread, unsigned unit,
                        enum ts_check_object object, enum ts_check_how how, uint64_t address,
                        uint32_t length, uint8_t bits);
// MATRIX writes a block of Dst for the last word of the thread but `words`; VECTOR loads one.
void ts_check_dst_written(struct ts_check *self, unsigned thread, unsigned block, unsigned words);
void ts_check_dst_loaded(struct ts_check *self, unsigned thread, unsigned block);
// `words` more have passed with the last one.
void ts_check_passed(struct ts_check *self, unsigned thread, unsigned words);
// The site of the last word of the thread that a unit has.
uint16_t ts_check_unit_site(struct ts_check *self, unsigned thread, unsigned unit,
                            enum ts_check_how how);
// The host writes: everybody sees it.
void ts_check_host(struct ts_check *self, enum ts_check_object object, uint64_t address,
                   uint64_t length);

// Registers of the NoC overlay's streams order accesses as words of L1 do: tt-metal counts pages of circular buffers and credits there.
// Other addresses: nothing. `spare`: by how much the value is more than the core's poll needed.
void ts_check_overlay_store(struct ts_check *self, uint64_t address, const struct ts_known *known);
void ts_check_overlay_load(struct ts_check *self, unsigned core, uint32_t address, uint32_t value,
                           uint32_t spare, ts_cycle now);

// Words that programs synchronise by: semaphores, counters of circular buffers. NULL: does nothing.
void ts_check_declare(struct ts_check *self, uint32_t address, uint32_t length);

// --- the NoC ---

// A core has issued a request: READ, SENT (a write) or ATOMIC. `answers`: by how much it counts up the counter of answers
// (of a posted write: of those sent), `packets` the one of writes sent. NULL: out of memory, or not of a core.
struct ts_check_trip *ts_check_issue(struct ts_check *self, unsigned core, uint32_t pc,
                                     unsigned noc, enum ts_actor_phase phase, bool posted,
                                     unsigned id, unsigned channel, uint32_t answers,
                                     uint32_t packets, ts_cycle now);
// The request reads `address` of a node: is that a poll? `loop`: its code says so. Else: if it repeats the core's last request.
void ts_check_asks(struct ts_check *self, struct ts_check_trip *trip, bool reads, uint64_t address,
                   uint32_t target, bool loop);
struct ts_check_trip *ts_check_trip_hold(struct ts_check_trip *self); // NULL: NULL
void ts_check_trip_drop(struct ts_check_trip *self);                  // NULL: does nothing
// Bytes of a request at the memory of `self`; `trip` may be of another tile, or NULL.
void ts_check_noc(struct ts_check *self, const struct ts_check_trip *trip,
                  enum ts_actor_phase phase, enum ts_check_how how, uint64_t address,
                  uint32_t length);
// An answer of `length` bytes leaves the memory of `self`: the trip that it goes on with, in place of the request's.
struct ts_check_trip *ts_check_answer(struct ts_check *self, struct ts_check_trip *trip,
                                      uint64_t address, uint32_t length, ts_cycle now);
// A core has seen that all requests of an id (TS_ACTOR_IDS: of all) are through these phases: a bit for each, TS_PHASES for
// posted writes that are sent.
void ts_check_counted(struct ts_check *self, unsigned core, unsigned noc, unsigned phases,
                      unsigned id, ts_cycle now);

// --- Ethernet ---

// A core has given a TX queue a command of so many bytes; 0: to a register of the other end. NULL: out of memory.
struct ts_check_trip *ts_check_command(struct ts_check *self, unsigned core, uint32_t pc,
                                       unsigned queue, uint32_t length, ts_cycle now);
// Bytes of a command at the memory of `self`: SENT, read there, or LANDED, written. `last`: they are the last ones.
void ts_check_eth(struct ts_check *self, const struct ts_check_trip *trip, enum ts_actor_eth phase,
                  uint64_t address, uint32_t length, bool last);
// A core has seen what an RX queue has brought; that a TX queue's commands are through their phases up to this one.
void ts_check_eth_seen(struct ts_check *self, unsigned core, unsigned queue, ts_cycle now);
void ts_check_eth_through(struct ts_check *self, unsigned core, unsigned queue,
                          enum ts_actor_eth phase, ts_cycle now);
// What a trip knows, as bytes, and back: from process to process. NULL: out of memory.
struct ts_bytes;
void ts_check_trip_pack(const struct ts_check_trip *self, struct ts_bytes *to);
struct ts_check_trip *ts_check_trip_unpack(const void *bytes, uint32_t length);

// --- order ---

// What a core knows when a store of it to the region is served; what a thread knows at its gate.
struct ts_known ts_check_known_core(const struct ts_check *self, unsigned core, unsigned region,
                                    ts_cycle at);
struct ts_known ts_check_known_thread(const struct ts_check *self, unsigned thread, unsigned unit,
                                      ts_cycle at);
void ts_check_acquire_core(struct ts_check *self, unsigned core, struct ts_vclock *object,
                           ts_cycle now);
// A core sends a message, and another one takes the oldest.
void ts_check_send(struct ts_check *self, unsigned core, unsigned region, uint32_t pc,
                   struct ts_check_queue *queue, ts_cycle now);
void ts_check_take(struct ts_check *self, unsigned core, struct ts_check_queue *queue,
                   ts_cycle now);
void ts_check_acquire_thread(struct ts_check *self, unsigned thread, struct ts_vclock *object);
// The same of what a wait guarantees that has ended with `value`, and would have with `spare` less.
void ts_check_waited_core(struct ts_check *self, unsigned core, const struct ts_releases *object,
                          uint32_t value, uint32_t spare, ts_cycle now);
// A semaphore is posted or got; initialised.
void ts_check_semaphore(struct ts_check *self, unsigned number, bool gets,
                        const struct ts_known *known);
void ts_check_seminit(struct ts_check *self, unsigned number, unsigned max,
                      const struct ts_known *known);
// The core knows from now on that an actor of its tile is done up to `at`; that all units of a thread are.
void ts_check_learn(struct ts_check *self, unsigned core, unsigned actor, uint32_t at,
                    ts_cycle now);
void ts_check_thread_done(struct ts_check *self, unsigned core, unsigned thread, ts_cycle now);
// A core lets another one start.
void ts_check_start(struct ts_check *self, unsigned by, unsigned core, ts_cycle now);

// A word passes its gate to a unit: pushed at `pushed` by the core's instruction at `pc`. `block`: its class.
void ts_check_pass(struct ts_check *self, unsigned thread, unsigned unit, uint8_t op,
                   unsigned block, uint32_t pc, ts_cycle pushed, ts_cycle now);
// A wait: a word of `block` that passes behind it comes after these units of its thread, after those of all threads, after
// what the semaphores have (a bit for each), after the core's stores to GPRs and configuration.
void ts_check_waits(struct ts_check *self, unsigned thread, const struct ts_check_wait *wait);
