// The loss account: every cycle of the limiting unit has exactly one owner.
//
//   gate of the math thread, or an unpacker, the packer, the NoC ports --episode ended--> follow
//   follow: SrcA <- unpacker 0 <- T0's gate <- TRISC0 <- buffer c_0 <- NCRISC <- DRAM read
//
// The unit's cycles are counted in a window: from begin to end of the kernel that the figures are
// quoted for. Words that pass the gate are counted by opcode; every cycle in which none passes goes
// to the end of the chain "who waits for whom" as it was in that cycle, which the ledgers of the
// tile's components tell (platform/kernel/component.h). Owners' cycles and the cycles of the words add
// up to the window; what is left is the front end's: words between FIFO and gate.
//
// Everything happens in the tile's own domain: the same for any number of threads. Several tiles are
// averaged, over the time from the first to begin to the last to end.
#pragma once

#include "platform/chip/soc.h"
#include "platform/tile/nodes.h"
#include "platform/trace/series.h"

#include <jansson.h>

struct ts_work;

// Causes: stall reasons first, then those of config/causes.def.
enum ts_loss_cause {
    TS_LOSS_FIRST = TS_STALL_COUNT - 1,
#define TS_CAUSE(id, ...) TS_LOSS_##id,
#include "config/causes.def"
    TS_LOSS_CAUSES
};

// What the chain of waits of a line ends at, what a roof is of.
enum ts_resource {
    TS_RESOURCE_OTHER, // the front end, a hand-over between threads, what nobody in the tile can end
    TS_RESOURCE_MATRIX,
    TS_RESOURCE_VECTOR,
    TS_RESOURCE_UNPACK,
    TS_RESOURCE_PACK,
    TS_RESOURCE_CORE,                                 // and its number
    TS_RESOURCE_NOC = TS_RESOURCE_CORE + TS_RV_CORES, // transfers under way
    TS_RESOURCE_DRAM,                                 // the same, from or to DRAM
    TS_RESOURCE_ETH,
    TS_RESOURCE_MOVERS,  // data movement: of another tile, or behind the math kernel
    TS_RESOURCE_NO_WORK, // the tile has none
    TS_RESOURCES
};

extern const struct ts_cause {
    const char *name, *text, *color;
    enum ts_resource resource;
} ts_causes[TS_LOSS_CAUSES];

// Who has cycles, and for what the unit waits meanwhile.
struct ts_loss_owner {
    uint8_t cause, node;
    uint8_t via;                    // the unit's own stall reason; IDLE: it has no instruction
    uint8_t flags;                  // TS_LOSS_VIA_B, TS_LOSS_BEFORE
    uint32_t detail;                // address of a poll; of a NoC request its kind
    const struct ts_object *object; // NULL: the node
};

#define TS_LOSS_VIA_B  1 // waits for SrcB
#define TS_LOSS_BEFORE 2 // before the first result

struct ts_loss_entry {
    struct ts_loss_owner owner;
    int64_t cycles;
    int64_t tail; // of these, since the last result
    uint64_t results;
};

#define TS_LOSS_ENTRIES 96 // the last is for all owners beyond them

// What is counted between begin and end.
struct ts_loss_sums {
    struct ts_loss_entry entries[TS_LOSS_ENTRIES];
    uint32_t count;
    int64_t moved; // words of the first and the last cycles, whose opcodes are not known
    int64_t work;  // of an unpacker or the packer
    uint64_t passed[256];
};

// The same over time, in bins; and the words that passed the three gates.
struct ts_loss_times {
    uint32_t bins;
    ts_cycle begin, at; // sampled up to here
    int64_t before[TS_LOSS_ENTRIES];
    uint64_t passed[TS_THREADS][256];
    struct ts_series entries[TS_LOSS_ENTRIES];
    struct ts_series words[TS_THREADS][256];
    bool short_of_memory;
};

// The account of one unit of a tile.
struct ts_loss_root {
    struct ts_loss *loss;
    uint8_t node;   // TS_NODE_GATE + thread, TS_NODE_UNPACK, TS_NODE_PACK or TS_NODE_NIU
    ts_cycle mark;  // accounted up to here
    ts_cycle known; // what a unit waits for is known before this cycle,
    ts_cycle ahead; // so that who is booked next has so many more
    // Results of the unit before what is booked; and before the cycle in which the gate woke up
    // last: the step may have gone further when the sleep is put into the ledger.
    uint64_t results, results_woken;
    ts_cycle woken;
    ts_cycle begin, end;
    bool running, ended;
    int sign;
    uint64_t at_begin[256]; // words that had passed
    uint64_t results_at_begin, results_at_end;
    struct ts_loss_sums sums, closed;
    uint32_t last;               // entry that was used last
    struct ts_loss_times *times; // NULL: nobody asks
};

// Cycles in which a core polls for what somebody wrote in the end: a tile of the chip (x | y << 8), or one of these.
enum { TS_WAITS_LINK = TS_FROM_LINK, TS_WAITS_QUEUE, TS_WAITS_ITSELF };
#define TS_LOSS_WAITS 16 // the last is for all others
struct ts_loss_wait {
    uint32_t from;
    uint64_t cycles; // 0: no more
};

struct ts_loss {
    struct ts_tile *tile;
    const struct ts_soc *soc; // NULL: no networks
    struct ts_noc_niu *niu;   // of the tile, one for each NoC; NULL: none
    struct ts_component *node[TS_NODES];
    struct ts_ledger ledgers[TS_NODES];
    struct ts_loss_root compute, move;
    uint8_t mover;         // the core that moves data
    uint8_t computes[256]; // 1: an opcode of the matrix unit that gives results
    // Cycles in which a core polls for transfers of its own: over the NoC, and from or to DRAM.
    uint64_t under_way[TS_RV_CORES][2];
    uint64_t channel[TS_SOC_CHANNELS]; // of those from or to DRAM, by channel
    uint64_t senders[TS_NOC_HEIGHT_MAX]
                    [TS_NOC_WIDTH_MAX]; // in which a core polls for what that tile sent in the end
    struct ts_loss_wait waits[TS_RV_CORES][TS_LOSS_WAITS];
    // Called when a poll of a core has ended; NULL: nobody asks.
    void (*polled)(void *context, const struct ts_rv_core *core, ts_cycle to);
    void *polled_context;
};

// Attaches to a tile: the account of `node`. NULL: no memory.
struct ts_loss *ts_loss_new(struct ts_tile *tile, unsigned node);
// Also accounts for the tile's NoC ports, which `core` uses.
void ts_loss_join(struct ts_loss *self, const struct ts_soc *soc, struct ts_noc_niu *niu,
                  unsigned core);
void ts_loss_free(struct ts_loss *self);
// The window begins, or ends, at `at`, which is not after now. The last end counts.
void ts_loss_begin(struct ts_loss_root *self, ts_cycle at, ts_cycle now);
void ts_loss_end(struct ts_loss_root *self, ts_cycle at, ts_cycle now);

// loss_follow.c. Waits for the vector unit's own latency, which is no node: half of the words of a function have one.
void ts_loss_wait_vector(struct ts_loss_root *self, const struct ts_object *object,
                         ts_cycle cycles);
// Books the cycles [from, to) in which the root waits for `reason` on `object`.
void ts_loss_follow(struct ts_loss_root *self, unsigned reason, const struct ts_object *object,
                    ts_cycle from, ts_cycle to);
// Books all cycles [from, to) of the root from its ledger.
void ts_loss_replay(struct ts_loss_root *self, ts_cycle from, ts_cycle to);
// Books the cycles [from, to) of an NIU's rest in which the other one rests too.
void ts_loss_rest(struct ts_loss_root *self, unsigned other, ts_cycle from, ts_cycle to);
// A register that a core polls: TS_LOSS_NOC or TS_LOSS_DRAM if transfers are under way that it counts; else TS_LOSS_POLL.
// *channel: of DRAM; NULL: nobody asks.
unsigned ts_loss_transfer(const struct ts_loss *self, uint32_t address, unsigned *channel);
// Counts up with every result of the unit before `now`.
uint64_t ts_loss_results(const struct ts_loss_root *self, ts_cycle now);
// loss_times.c: keeps a root over time, in so many bins. False: out of memory.
bool ts_loss_times_new(struct ts_loss_root *self, uint32_t bins);
void ts_loss_times_free(struct ts_loss_root *self);
void ts_loss_times_begin(struct ts_loss_root *self, ts_cycle at);
// Everything before `now` is booked: may take a sample. Only with `times`.
void ts_loss_sample(struct ts_loss_root *self, ts_cycle now);
// After the run: bins of 1 << shift cycles. False: there is nothing.
bool ts_loss_times_end(struct ts_loss_root *self, unsigned shift);
// loss.c
void ts_loss_book(struct ts_loss_root *self, const struct ts_loss_owner *owner, ts_cycle cycles);

// A line of the account of all tiles.
struct ts_loss_line {
    enum ts_resource resource;
    enum ts_loss_cause cause;
    bool alone; // cores without work
    char object[72];
    char text[200];
    int64_t cycles; // of all tiles
};

struct ts_loss_account {
    enum ts_resource unit; // the limiting one: NOC: the NoC ports
    uint32_t tiles;
    ts_cycle first, wall;       // the first begin; from there to the last end
    int64_t all;                // wall * tiles
    int64_t reached;            // cycles of it
    struct ts_loss_line *lines; // largest first
    uint32_t count, room;
    bool short_of_memory;
};

// The root that the account of a tile is made from; NULL: none. An entry of its sums as a line, without cycles.
struct ts_loss_root *ts_loss_account_root(const struct ts_work *work, uint32_t tile);
void ts_loss_entry_line(const struct ts_loss_root *root, const struct ts_loss_entry *entry,
                        struct ts_loss_line *line);
// The words that passed the math thread's gate as lines, [0] what was reached, and of each opcode how much of it belongs to a line.
#define TS_LOSS_WORDS 5
void ts_loss_word_lines(const struct ts_work *work, uint32_t tile,
                        struct ts_loss_line lines[TS_LOSS_WORDS], double parts[TS_LOSS_WORDS][256]);
// After the run. NULL: there is nothing to account for, or no memory.
struct ts_loss_account *ts_loss_account_new(const struct ts_work *work);
// Of one tile alone; of a grid, in the tile's own window.
struct ts_loss_account *ts_loss_account_tile(const struct ts_work *work, uint32_t tile);
void ts_loss_account_free(struct ts_loss_account *self);
// "matrix", "noc_ports"
const char *ts_loss_unit_name(const struct ts_loss_account *self);
// Adds `reached` and the largest loss: `loss_cause`, `loss_object`, `loss_percent`.
void ts_loss_brief(const struct ts_loss_account *self, json_t *row);
// Adds these and `loss`: [{cause, object, percent, cycles, text, color}, ...]
void ts_loss_json(const struct ts_loss_account *self, json_t *document);
// What differs between the ways to run an operation: {movers, blocks, dispatch}, percent of the window.
json_t *ts_loss_shares(const struct ts_work *work);
