// L1: the tile's scratchpad, as memory and as a thing to queue for.
//
//   clients --> ports (in order, one request a cycle) --> banks (16 bytes wide, one access a cycle)
//
// Bank = address bits [8:4], unhashed, with the card's 32 banks (riscv.l1_bank_bits). A request takes its
// port and its bank at the first cycle both are free after it arrives; requests are served in the order they arrive, ties in the order
// of the components. A narrow write or an atomic keeps its port for several cycles, its bank in the
// first (read) and the last of them (write-back); on Wormhole the bank for all of them (rule narrow_blocks). Because service is in order of arrival, the caller
// learns its slot at once and reads or writes the bytes at once: nobody can come in between.
//
// Unpackers, packer and NoCs use transfers instead: a transfer is one reservation of its banks in turn. Two
// transfers that meet in a bank in one cycle: the one that came later waits a cycle. Transfers of the
// same width meet once at most, then stay apart; a wider one passes a narrower one again and again.
// A core's request that meets a transfer goes first: a bank serves its ports in turn, and the transfer
// had it a few cycles ago. The transfer goes on a cycle later, and so does what follows it. (Inferred: no
// document says so; the published zones and matmuls over a grid fit better with it.)
//
// It sits below units, cores and noc, which all use it; it knows nothing of them. Three hooks let
// others follow writes without asking: pages that hold decoded instructions, granules that cores may
// hold in their L0 caches, and granules that somebody polls.
//
// Source: BlackholeA0 MemoryOrdering.md (32 requests per cycle, one per bank), WormholeB0 L1.md,
// tt-metal issues 51901, 51902 and 52527.
// Inaccuracies: the port map of Blackhole is not published; instruction fetches take no port; a tie
// in one cycle goes to the lower component instead of the round-robin pointer, so the two orbits of
// tt-metal issue 51902 do not occur. Cores never wait for transfers, and the packer never waits for cores.
// A transfer that waits for another is placed at its end, and all are taken as contiguous. The unit or NoC
// whose transfer a core delays does not learn of it: only the next transfers are later.
#pragma once

#include "platform/base/cycle.h"

#define TS_L1_SIZE       0x180000u
#define TS_L1_IRAM       0x400000u // in `bytes`: NCRISC's instruction RAM, if the machine has one
#define TS_L1_BYTES      (TS_L1_IRAM + 0x4000u)
#define TS_L1_BANKS      128u // at most; a power of 2
#define TS_L1_PORTS      16u
#define TS_L1_GRANULE    16u
#define TS_L1_CODE_SHIFT 10 // pages of decoded code are tracked by 1 KiB
#define TS_L1_WATCHES    16u
#define TS_L1_HITS       4096u // granules so far apart have the same entry of `hits`

// Clients and their ports, in the numbering of the Wormhole page with what is known of Blackhole
// (Diagrams/L1.svg).
enum ts_l1_port {
    TS_L1_PORT_UNPACK0 = 0,
    TS_L1_PORT_UNPACK1 = 1,
    TS_L1_PORT_B_T0_NC = 2, // BRISC, TRISC0, NCRISC and the TDMA bundle (mover read, ThCon)
    TS_L1_PORT_T1_T2 = 3,
    TS_L1_PORT_NOC0 = 4,
    TS_L1_PORT_PACK = 8,
    TS_L1_PORT_NOC1 = 12,
};

// Clients of transfers: one request after the other, several granules a cycle, over all banks in turn.
// Each has as many ports as its width (tt-metal issue 54952, PRs 55162 and 56320: 8 for each NoC, 4
// in and 4 out), so that only banks are in its way.
enum ts_l1_client {
    TS_L1_UNPACK0,
    TS_L1_UNPACK1,
    TS_L1_PACK,
    TS_L1_NOC_IN,                     // + NoC
    TS_L1_NOC_OUT = TS_L1_NOC_IN + 2, // + NoC
    TS_L1_CLIENTS = TS_L1_NOC_OUT + 2,
};

// The latest transfer of a client: `width` granules a cycle from `from` to before `until`.
struct ts_l1_flow {
    ts_cycle from, until;
    uint32_t granule, width;
};

// Called after bytes changed; `at` is the cycle of the write.
typedef void ts_l1_written(void *context, uint32_t address, uint32_t length, ts_cycle at);
// Called before a request of somebody else is queued on the port or bank that a parked poller uses.
typedef void ts_l1_disturbed(void *context, ts_cycle at);
// Called before a transfer begins or a request may stop one: earlier polls come first.
typedef void ts_l1_flowing(void *context, ts_cycle at);

struct ts_l1_watch {
    uint32_t granule; // address / 16
    uint32_t more;    // granules behind it that it follows too
    uint32_t port;
    ts_l1_written *written;
    ts_l1_disturbed *disturbed;
    ts_l1_flowing *flowing;
    void *context;
    bool
        stops; // a write may stop the run: cores do not run ahead of theirs. One watch of an L1 at most
};

// Who wrote a word last: what a hang wants to know of the word somebody polls. Direct-mapped by
// word, small writes only: flags and counters are small. Of larger writes the latest few are kept
// as ranges, because a message may carry its flag with it.
#define TS_L1_LAST       2048u
#define TS_L1_LAST_BYTES 16u
#define TS_L1_RANGES     8u

struct ts_l1_last {
    uint32_t word; // address / 4 + 1; 0: none
    uint32_t pc;   // of the core; of the NoC the coordinates x | y << 8
    union {
        struct {
            uint64_t by : 8; // as units/tensix.h numbers them
            uint64_t at : 56;
        };
        uint64_t stamp; // both, to be written at once
    };
};

struct ts_l1_range {
    struct ts_l1_last last; // of its first word
    uint32_t length;
};

// Who wrote a word last, as a reader gets it.
struct ts_l1_writer {
    enum {
        TS_L1_NOBODY,    // nobody has written the word
        TS_L1_FORGOTTEN, // it may have been written: another word has taken its place
        TS_L1_KNOWN,
    } state;
    struct ts_l1_last last; // known
};

// The latest two requests of a port in a bank. Each takes the bank in its first and in its last cycle
// (a narrow write or an atomic reads, and writes back later), and its granule between. As long as a line of
// the host's cache.
struct ts_l1_slots {
    struct {
        ts_cycle last, first;
        uint32_t granule;
    } slot[2]; // the latest first
} __attribute__((aligned(64)));

struct ts_l1 {
    // Hot: what every access of a core reads, near the start.
    uint8_t *bytes; // TS_L1_SIZE
    // Writers; NULL: not kept.
    struct ts_l1_last *last;
    uint32_t watch_count;
    // Counters of circular buffers are between these: their writes are reported.
    uint32_t books, books_length;
    uint32_t bank_mask;                // of a granule's number: banks - 1
    ts_cycle flows_until;              // of the last one
    uint64_t reads, writes, conflicts; // counters; conflicts: cycles requests waited
    uint32_t stop, stop_bytes;         // what the watch that stops follows
    ts_cycle polls_from;               // no poll of a parked core is due before this cycle
    uint32_t actor; // component index of the core that makes a request; UINT32_MAX: somebody behind
                    // all cores
    bool flows_pass;    // they never wait for each other
    bool narrow_blocks; // the machine's rule narrow_blocks
    bool hit;           // any core has: see `hits`
    uint64_t
        news; // a bit for words that the network changed (address / 4 % 64): loads are reported
    uint64_t code_pages[(TS_L1_BYTES >> TS_L1_CODE_SHIFT) / 64 + 1];
    // Which cores have loaded a granule from their L0 caches ahead of time: a bit for each, which may be old.
    uint8_t hits[TS_L1_HITS];
    // Pipeline state.
    struct ts_l1_slots slots[2][TS_L1_BANKS]; // of the two ports of the cores
    ts_cycle port_free[TS_L1_PORTS];
    struct ts_l1_flow flows[TS_L1_CLIENTS];
    // Followers of writes, and who wrote.
    ts_l1_written *code_written, *hit_written;
    void *cores; // context of both
    struct ts_l1_watch watches[TS_L1_WATCHES];
    void (*looked)(void *context, uint32_t address, uint32_t value);
    void (*booked)(void *context, const struct ts_l1_last *last);
    void *book_context;
    struct ts_l1_range range[TS_L1_RANGES];
    uint32_t ranges; // counts up for ever
};

// Allocates the bytes, zeroed; 1 << bank_bits banks. False: out of memory.
bool ts_l1_init(struct ts_l1 *self, uint32_t bank_bits);
void ts_l1_free(struct ts_l1 *self);

static inline bool ts_l1_contains(uint32_t address, uint32_t length)
{
    return address < TS_L1_SIZE && length <= TS_L1_SIZE - address;
}

void ts_l1_disturb(struct ts_l1 *self, uint32_t port, uint32_t address, ts_cycle now);

static inline uint32_t ts_l1_side(uint32_t port)
{
    return port == TS_L1_PORT_T1_T2;
}

// Past the slots of the other port's requests in the bank.
ts_cycle ts_l1_start_between(const struct ts_l1 *self, const struct ts_l1_slots *other,
                             uint32_t granule, ts_cycle start, uint32_t busy);

// The cycle in which a request for one granule that arrives at `now` would start.
static inline ts_cycle ts_l1_start(const struct ts_l1 *self, uint32_t port, uint32_t address,
                                   ts_cycle now, uint32_t busy)
{
    uint32_t granule = address / TS_L1_GRANULE;
    const struct ts_l1_slots *other = &self->slots[!ts_l1_side(port)][granule & self->bank_mask];
    ts_cycle start = self->port_free[port] > now ? self->port_free[port] : now;
    if (__builtin_expect(other->slot[0].last < start, 1))
        return start;
    return ts_l1_start_between(self, other, granule, start, busy);
}

// Has the other port a request in the bank of an address after `now`?
static inline bool ts_l1_takes_later(const struct ts_l1 *self, uint32_t port, uint32_t address,
                                     ts_cycle now)
{
    const struct ts_l1_slots *other =
        &self->slots[!ts_l1_side(port)][address / TS_L1_GRANULE & self->bank_mask];
    return other->slot[0].last > now;
}

bool ts_l1_stop_flows(struct ts_l1 *self, uint32_t granule, ts_cycle first, ts_cycle last);

// A core takes a bank in two cycles: a transfer that wants it then stops for one. Always true: who sends a
// request ends with this, and needs no frame for the call.
static inline bool ts_l1_meet(struct ts_l1 *self, uint32_t granule, ts_cycle first, ts_cycle last)
{
    if (__builtin_expect(first < self->flows_until, 0))
        return ts_l1_stop_flows(self, granule, first, last);
    return true;
}

// A request starts.
static inline void ts_l1_take(struct ts_l1 *self, uint32_t port, uint32_t address, ts_cycle start,
                              uint32_t busy)
{
    uint32_t granule = address / TS_L1_GRANULE;
    struct ts_l1_slots *own = &self->slots[ts_l1_side(port)][granule & self->bank_mask];
    own->slot[1] = own->slot[0];
    own->slot[0].first = start;
    own->slot[0].last = start + busy - 1;
    own->slot[0].granule = granule;
    self->port_free[port] = start + busy;
    ts_l1_meet(self, granule, start, start + busy - 1);
}

// Queues a request for one granule that arrives at `now` and keeps its port for `busy` cycles;
// returns the cycle it starts in.
static inline ts_cycle ts_l1_reserve(struct ts_l1 *self, uint32_t port, uint32_t address,
                                     ts_cycle now, uint32_t busy)
{
    if (__builtin_expect(self->watch_count != 0, 0))
        ts_l1_disturb(self, port, address, now);
    ts_cycle start = ts_l1_start(self, port, address, now, busy);
    ts_l1_take(self, port, address, start, busy);
    self->conflicts += start - now;
    return start;
}

// A port of the cores, for requests that find nothing of the other port in their bank. Neighbours are loaded
// together.
struct ts_l1_door {
    uint64_t mask;             // of a bank's place in bytes
    struct ts_l1_slots *other; // by bank
    struct ts_l1_slots *own;
    ts_cycle *free;
};

static inline struct ts_l1_door ts_l1_door(struct ts_l1 *self, uint32_t port)
{
    return (struct ts_l1_door){self->bank_mask * sizeof(struct ts_l1_slots),
                               self->slots[!ts_l1_side(port)], self->slots[ts_l1_side(port)],
                               &self->port_free[port]};
}

// The bank of an address, in few instructions: the number of banks is a parameter.
static inline struct ts_l1_slots *ts_l1_door_bank(const struct ts_l1_door *door,
                                                  struct ts_l1_slots *banks, uint32_t address)
{
    const uint64_t place = (uint64_t)address * (sizeof *banks / TS_L1_GRANULE);
    return (struct ts_l1_slots *)((char *)banks + (place & door->mask));
}

// Is the bank free of the other port's requests from `at` on?
static inline bool ts_l1_door_clear(const struct ts_l1_door *door, uint32_t address, ts_cycle at)
{
    return ts_l1_door_bank(door, door->other, address)->slot[0].last < at;
}

// As ts_l1_reserve, where the bank is clear and nobody watches. ts_l1_meet is left to the caller.
static inline __attribute__((always_inline)) ts_cycle ts_l1_door_pass(struct ts_l1 *self,
                                                                      const struct ts_l1_door *door,
                                                                      uint32_t address, ts_cycle at,
                                                                      uint32_t busy)
{
    uint32_t granule = address / TS_L1_GRANULE;
    struct ts_l1_slots *own = ts_l1_door_bank(door, door->own, address);
    ts_cycle start = at;
    if (*door->free > at) {
        start = *door->free;
        self->conflicts += start - at;
    }
    own->slot[1] = own->slot[0];
    own->slot[0].first = start;
    own->slot[0].last = start + busy - 1;
    own->slot[0].granule = granule;
    *door->free = start + busy;
    return start;
}

// Polls of parked cores up to `now` take their slots, if they may stop a transfer, or one begins at
// `from` that they come before.
void ts_l1_poll_first(struct ts_l1 *self, ts_cycle now, ts_cycle from);
// When the last transfer ends, after the polls up to `now`; another may begin at `from` (TS_NEVER: none).
static inline ts_cycle ts_l1_flows_until(struct ts_l1 *self, ts_cycle now, ts_cycle from)
{
    if (__builtin_expect(self->watch_count != 0, 0))
        ts_l1_poll_first(self, now, from);
    return self->flows_until;
}
ts_cycle ts_l1_flow_among(struct ts_l1 *self, enum ts_l1_client client, uint32_t address,
                          uint32_t width, uint32_t cycles, ts_cycle at);

// A client says in cycle `now` that its transfer would begin at `at`, `width` granules in each of `cycles`
// cycles: the cycle from which it would run without a wait to end when it really does.
static inline ts_cycle ts_l1_flow(struct ts_l1 *self, enum ts_l1_client client, uint32_t address,
                                  uint32_t width, uint32_t cycles, ts_cycle at, ts_cycle now)
{
    if (at < ts_l1_flows_until(self, now, at))
        return ts_l1_flow_among(self, client, address, width, cycles, at);
    self->flows[client] = (struct ts_l1_flow){at, at + cycles, address / TS_L1_GRANULE, width};
    self->flows_until = at + cycles;
    return at;
}

// Tells the followers of a range that it changed. Every writer calls it, after the write.
void ts_l1_notify_slow(struct ts_l1 *self, uint32_t address, uint32_t length, ts_cycle at);

static inline void ts_l1_notify(struct ts_l1 *self, uint32_t address, uint32_t length, ts_cycle at)
{
    uint32_t page = address >> TS_L1_CODE_SHIFT;
    bool one_page = (address + length - 1) >> TS_L1_CODE_SHIFT == page;
    if (__builtin_expect(self->watch_count != 0 || self->hit || !one_page ||
                             (self->code_pages[page / 64] >> page % 64 & 1),
                         0))
        ts_l1_notify_slow(self, address, length, at);
}

// Does nobody follow a write of the granule at this address?
static inline bool ts_l1_unnoticed(const struct ts_l1 *self, uint32_t address)
{
    uint32_t page = address >> TS_L1_CODE_SHIFT;
    return self->watch_count == 0 && !(self->code_pages[page / 64] >> page % 64 & 1) &&
           (self->books_length == 0 ||
            address + TS_L1_GRANULE - 1 - self->books >= self->books_length + TS_L1_GRANULE - 1);
}

// Remembers who wrote a word that nobody follows, or a part of it.
static inline struct ts_l1_last *ts_l1_note_quietly(struct ts_l1_last *writers, uint32_t address,
                                                    unsigned by, uint32_t pc, ts_cycle at)
{
    struct ts_l1_last *last = &writers[address / 4 % TS_L1_LAST];
    last->word = address / 4 + 1;
    last->pc = pc;
    last->stamp = at << 8 | by;
    return last;
}
// The same where somebody may, and where writers may not be kept.
static inline void ts_l1_note_word(struct ts_l1 *self, uint32_t address, unsigned by, uint32_t pc,
                                   ts_cycle at)
{
    if (__builtin_expect(self->last == NULL, 0))
        return;
    const struct ts_l1_last *last = ts_l1_note_quietly(self->last, address, by, pc, at);
    if (__builtin_expect(address - self->books < self->books_length, 0))
        self->booked(self->book_context, last);
}
// The same of a range; every writer but the cores calls it, after the write.
void ts_l1_note(struct ts_l1 *self, uint32_t address, uint32_t length, unsigned by, uint32_t pc,
                ts_cycle at);
// Who wrote the word at an address last.
struct ts_l1_writer ts_l1_writer(const struct ts_l1 *self, uint32_t address);

// Writes bytes and tells the followers; no timing. The range must lie in L1.
void ts_l1_write(struct ts_l1 *self, uint32_t address, const void *bytes, uint32_t length,
                 ts_cycle at);

// Follows the writes of granules. False: no room for another watch.
bool ts_l1_watch_add(struct ts_l1 *self, const struct ts_l1_watch *watch);
void ts_l1_watch_remove(struct ts_l1 *self, const void *context);
