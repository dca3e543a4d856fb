// A baby RISC-V core: one component that executes and times one instruction stream.
//
//             +--------------------- core ----------------------+
//   L1 -----> | icache, prediction -> EX1 -> EX2                | <--> local RAM (private)
//             |                        \--> load/store unit ----|---> L1 port, or the bus
//             |   retire queue (8) <---/    store queue (4), L0 |     (everything else)
//             +-------------------------------------------------+
//
// How time works: instructions enter EX1 in order, so each is executed once, in program order, and
// its times (enters EX1, enters the load/store unit, result, retires) follow from those before it.
// Nothing is simulated cycle by cycle. Private code runs ahead of the kernel's clock; an access
// that others can see happens in a step at its own cycle, or at once if nothing else can happen in
// the domain before it. Runs with and without running ahead give the same cycles, the same commit
// log and the same counters.
//
// Source: BabyRISCV/README.md, MemoryOrdering.md, CSRs.md, SoftReset.md; numbers in
// config/blackhole.yaml.
// Inaccuracies:
// - Instruction memory is coherent: code that is overwritten is seen without invalidating the
//   cache. Fetches take no L1 port.
// - Requests reach their region in the cycle they enter the load/store unit; all latency is on the
//   way back.
// - Stores to local RAM do not queue behind stores to other regions.
// - A core stopped by others (soft reset, interrupt, another core's fault, a break), or by a store
//   that is refused when it leaves the queue, may already have run ahead through private code:
//   counters and commit log keep those instructions.
// - RISCV_IC_INVALIDATE takes effect with the core's next load that others can see, whose line stays:
//   until then the core may be ahead of the write, with lines that it has fetched.
// - The predictors' organisation is not published: see predict.h.
// - V of TRISC2 faults as not implemented.
#pragma once

#include "cores/riscv/bus.h"
#include "cores/riscv/csr.h"
#include "cores/riscv/debug.h"
#include "cores/riscv/isa.h"
#include "cores/riscv/params.h"
#include "cores/riscv/predict.h"
#include "platform/base/perturb.h"
#include "platform/mem/l1.h"

#define TS_RV_BY 8 // + core: who wrote a word of L1

// Four decoded instructions and the sentinel that leads to the next line. Lines never change, and
// lines with the same address and words are one, in all tiles: see fetch.c.
struct ts_rv_line {
    struct ts_rv_insn insn[5];
    uint32_t words[4];
    uint32_t number;     // address / 16
    uint32_t extensions; // of the machine that decoded it
    struct ts_rv_line *next;
};

#define TS_RV_LINES (TS_L1_BYTES / 16)
// The instruction RAM. The low bits of a pc are its place among L1's bytes, and those of its line among the lines.
#define TS_RV_IRAM  0xffc00000u
#define TS_RV_PLACE 0x7fffffu
_Static_assert((TS_RV_IRAM & TS_RV_PLACE) == TS_L1_IRAM, "the RAM is behind L1");
// The instruction at `pc`; false: no code can be there.
static inline bool ts_rv_code(const struct ts_l1 *l1, uint32_t pc, uint32_t *word)
{
    if (pc % 4 != 0 || !(ts_l1_contains(pc, 4) || pc - TS_RV_IRAM < TS_L1_BYTES - TS_L1_IRAM))
        return false;
    memcpy(word, l1->bytes + (pc & TS_RV_PLACE), sizeof *word);
    return true;
}

struct ts_rv_store {
    uint32_t address; // L1: of the granule
    uint32_t last;    // address of the last store of this entry
    uint32_t pc[4];   // L1: of the last store to each word; else only the first
    uint8_t region, size, words;
    bool flush;       // no longer waits for a partner
    uint16_t mask;    // L1: bytes that are set
    ts_cycle entered; // when the last store of this entry entered the unit
    ts_cycle from;    // no write request before
    union {
        uint64_t half[2];
        uint32_t word[4];
    } data;
    uint64_t keep[2]; // L1: the bytes of mask, as ones
};

// Sizes, fixed when the model is compiled.
#define TS_RV_STORES      4 // entries of the store queue (MemoryOrdering.md)
#define TS_RV_RETIRE      8 // entries of the retire-order queue (BabyRISCV/README.md)
#define TS_RV_FLIGHT      4 // loads in flight (measured: S0221, 4 in 7 cycles)
#define TS_RV_L0          4 // lines of 16 bytes of the L0 data cache (BabyRISCV/README.md)
#define TS_RV_SETS        128 // of the largest instruction cache, two lines of 16 bytes each: see fetch.c
#define TS_RV_HITS        64  // hits of L0 that are kept until their cycle comes: see l0.c
#define TS_RV_NOTED       128 // stalls that are kept with their cycle: see ts_rv_core_note
#define TS_RV_NOTED_SLICE (TS_RV_NOTED - 32)  // cycles that such a core runs ahead
#define TS_RV_BLOCKED     (UINT64_C(1) << 62) // a time that is not known yet

#define TS_RV_POLL_SITES 32 // loads that a check has looked at
#define TS_RV_LOOKS      3  // loads of a polling loop, at most
#define TS_RV_DELAYS     4  // of a poll, in cycles: rounds with fewer are known by what they add

// Stalls of the core's own pipeline: those that a polling loop has.
#define TS_RV_OWN_STALLS (TS_STALL_RV_LOAD_STORE - TS_STALL_RV_FETCH + 1)

// Cycles of polls, and how many of them the account has as stalls, by reason from TS_STALL_RV_FETCH on; the others are busy.
struct ts_rv_polled {
    uint64_t cycles, lost[TS_RV_OWN_STALLS];
};

struct ts_check;

// Takes the commits of a core, in program order.
struct ts_rv_commit;
struct ts_rv_log {
    void (*commit)(void *context, unsigned core, const struct ts_rv_commit *commit);
    void *context;
};

// A chip has 700 cores, and threads go from tile to tile: what a step touches comes from memory each
// time. So the fields that every step looks at stand side by side, and the large tables at the end.
struct ts_rv_core {
    struct ts_component component; // first
    // Hot: every step and every instruction.
    ts_cycle t __attribute__((aligned(64))); // EX1 is free for the instruction at pc
    // NULL: what is in flight is in the fields from `setting` to `seq`; else it is in the record only.
    struct ts_rv_record *record;
    ts_cycle now;       // of the step
    ts_cycle limit;     // accesses up to this cycle may be done in this step
    ts_cycle resume;    // next own thing to do; TS_NEVER: the instruction at pc waits
    ts_cycle guard;     // the automaton follows no edge that ends later, L0 serves no load ahead
    ts_cycle store_due; // the first one sends its request; TS_NEVER: none, or it waits
    ts_cycle asleep_from, woken;
    ts_cycle due; // the next step, while it is awake
    uint32_t pc;
    uint32_t l1_size; // what lies behind it is no memory of the core's
    uint32_t iram_size;
    uint32_t store_head, store_count;
    union {
        struct {
            bool draining; // the current access waits for the store queue to be empty
            bool pending;  // a load waits for its region
            bool strict;   // loads wait for the store queue to be empty
            bool behind;   // the current access found a store it must stay behind
        };
        uint32_t unusual; // any of them
    };
    union {
        struct {
            bool paused; // at an ebreak
            bool halted; // by a debugger
        };
        uint16_t stopped; // either
    };
    union {
        struct {
            bool interrupt; // the PIC has one for it
            bool halting;   // a debugger wants it to stop
        };
        uint16_t called; // either
    };
    bool held;     // in soft reset
    bool spinning; // in a jump to itself: will never do anything else
    bool in_handler;
    bool store_blocked; // the first one waits for its region
    bool store_full;    // the instruction at pc is a store that waits for a place
    bool in_unit;       // when it waits: to enter the load/store unit; else to enter EX1
    bool stepping;
    bool sent;      // a store went to a register in this step
    bool stopping;  // the store that enters the queue may stop the run
    bool run_ahead; // false: every instruction waits for its cycle; same results
    union {
        struct {
            bool leashed;  // run_ahead is off while a store that may stop the run is queued,
            bool kept;     // or while others keep the core in its cycle,
            bool debugged; // or for good: a debugger has asked for it (debug.h)
            bool untied;   // always false
        };
        uint32_t tied; // any
    };
    // The region whose stores leave quietly; none with --perturb, a check, or if nobody keeps who writes.
    uint8_t quiet;
    bool automaton;   // false: exec.c only, without records; same results
    bool park;        // false: polls are executed one by one; same results
    bool odd;         // a chicken bit is set that the fast path does not handle, or it is debugged
    bool l0;          // the L0 data cache is on
    bool l0_behind;   // it may hold a line that it has fetched while a store to it waited
    bool unready;     // a decoded form in `ready` was lost
    bool passes_push; // the last load from a PC buffer left before a push that is older
    bool noting;      // stalls are kept with their cycles in `noted`, records are not used
    bool heard;       // others hear of loads from L1: `check`, or the bus
    const struct ts_rv_log *log; // takes the commits; NULL: none
    ts_cycle local_ready;        // the local RAM clears itself until then
    // Cycles before `woken` that the kernel has booked as stall, and the core has not.
    uint64_t slept;
    uint64_t slept_lost[TS_STALL_COUNT]; // what would have been booked otherwise, in a segment
    uint64_t shared;                     // accesses others can see, so far
    // Configuration and ports.
    struct ts_l1 *l1;
    struct ts_l1_door door;          // the same
    const struct ts_rv_line **lines; // decoded L1, of all cores of the tile; NULL: not decoded
    struct ts_rv_code *code;         // of all cores of the kernel (record.h)
    const struct ts_rv_bus *bus;
    const char *machine; // its name
    uint32_t extensions; // of its instruction set (ts_rv_extension)
    uint32_t sets;       // of the instruction cache
    bool plain;          // the machine's rule plain_cores
    uint8_t *local;
    uint32_t local_size;
    uint32_t stack_from,
        stack_size;     // where a store to local RAM is not looked at: all, the stack, or nowhere
    uint32_t stack_end; // no stack below it; 0: not checked
    unsigned id;        // enum ts_rv_id
    uint32_t port;
    uint32_t merge;  // cycles a store to L1 waits for a partner; 0: it takes none
    uint32_t linger; // cycles it stays in the queue for that, at least
    uint8_t bit;     // of this core in ts_l1.hits
    // Counters.
    uint64_t instret;
    uint64_t loads, stores_done, branches, mispredicts, fetch_misses, l0_hits;
    uint32_t r[TS_RV_REG_COUNT]; // x, f, sink
    struct {
        // Detection: the last load that others can see, and how regularly it repeats with nothing
        // else in between.
        bool candidate; // stopped before the load, to compare the state with the round before
        bool has_digest;
        // Parked: the load comes at `entered`, and every `period` after it, until another access
        // delays it or changes what it finds.
        bool parked;
        bool regular; // the state of the core is that of the digest
        bool still;   // the core counts as asleep after a while
        bool
            returned; // the core has left parking, but the kernel still shows the parked core's stall
        bool back;    // the last round was added, not executed
        // Late: the load was due in a cycle whose earlier components had run already. The next step executes it with
        // the state of that cycle.
        bool late, captured;
        bool clears; // loads from clear_first on find the instruction cache invalidated
        uint8_t op;
        uint32_t pc, address, value;
        uint32_t rounds, tries, backoff;
        ts_cycle at, period;
        uint64_t shared, stores;
        ts_cycle entered;    // when the load would enter the load/store unit
        ts_cycle considered; // `entered` of the last poll that might have been parked
        ts_cycle again;      // parked: it is stepped then; TS_NEVER: no more
        uint8_t delay;       // of the last round
        // Of a register: who sleeps on it is woken when the value changes; NULL: it may change unseen,
        // or it is a word of L1.
        const struct ts_object *object;
        const struct ts_object *found; // the same of the last load from the bus
        ts_cycle since;
        ts_cycle unpolled; // cycles from `since` on that are taken out of rv_poll
        ts_cycle late_start;
        uint8_t line[16]; // of L1, as the last load found it; the word of a register
        uint64_t digest;
        struct ts_rv_round {
            uint64_t cycles, instret, loads, hits, lost[TS_STALL_COUNT];
        } before; // the totals before the round that is looked at
        struct {
            struct ts_rv_round adds; // cycles 0: not known
            uint64_t owed;           // rounds that `entered` is ahead of the pipeline
        } round[TS_RV_DELAYS];       // by the cycles that the load waits for its slot
    } watch;
    // Polls for the ledger: the last loads that others can see. If all of them repeat with the same
    // values, and no store is in between, the core polls.
    struct {
        struct ts_rv_looked {
            uint32_t pc, address, value;
        } at[TS_RV_LOOKS];
        uint32_t count, repeats;
        ts_cycle from;
        uint64_t stores;
        uint64_t lost[TS_RV_OWN_STALLS]; // to its own stalls, at `from`
        // The same when the last load that waits for a store entered the unit; behind: it is noted now.
        uint64_t entered[TS_RV_OWN_STALLS];
        bool behind;
        // Called when a poll has ended; NULL: nobody asks.
        void (*ended)(void *context, const struct ts_rv_core *core, ts_cycle to);
        void *context;
    } look;
    struct ts_rv_polled polled; // polls that have ended
    // Stalls that are not booked yet: of the last slice, until its time has come; and, where the
    // run ends within the last of them, of what came before that.
    struct ts_rv_ahead {
        uint64_t any; // bit per reason: something to book
        ts_cycle until;
        uint64_t lost[TS_STALL_COUNT];
    } before, ahead;
    ts_cycle parted; // the end of run for which `before` was split off
    uint64_t sums;   // during a load: what run.c has not booked in `ahead` yet (record.h)

    // The load/store unit.
    ts_cycle lsu_from;      // the current access may not enter the unit before
    ts_cycle local_at;      // last local store: leaves the queue in this cycle
    uint32_t local_address; // of its word
    ts_cycle store_next;  // no write request before: the last one was taken by its region then - 1
    ts_cycle store_left;  // the region has written the last store before this cycle
    ts_cycle load_at;     // a load behind it asks L1 then: before all that enters the unit after it
    ts_cycle bus_sent;    // the last store that went to the bus was sent then,
    uint32_t bus_address; // to this address
    uint32_t guard_from, guard_bytes; // L1 of whose loads the bus hears
    struct ts_check *check;           // hears of all accesses to L1; NULL: none
    struct ts_rv_poll_site {
        uint32_t pc;
        int32_t word;               // its immediate: another program may have another load there
        bool polls, waits;          // waits: it went on with this value of this counter
        uint32_t counter, value;    // of a circular buffer
    } poll_sites[TS_RV_POLL_SITES]; // of guard.c
    uint32_t l0_next;
    uint32_t l0_left;                                       // accesses until the next flush
    uint32_t l0_tag[TS_RV_L0] __attribute__((aligned(16))); // granule + 1; 0: empty
    uint8_t l0_data[TS_RV_L0][16];
    uint32_t l0_flushes;
    // Loads that L0 has served ahead of the clock, until their cycles come.
    struct {
        uint32_t from, to; // of `hit`; both count up for ever
        ts_cycle old;      // cycle of the first hit with an old value; TS_NEVER: none
        ts_cycle clean;    // hits before this cycle have no old value, whatever L1 holds now
    } hits;
    struct ts_rv_store stores[TS_RV_STORES];
    uint32_t prefetch_line; // the prefetcher brings this line next
    uint32_t hop; // since then: pc of the last jump that was taken, xor its target; 0: none
    ts_cycle prefetch_at;
    uint32_t stream_part; // tenths of a cycle that its lines have not taken yet
    struct ts_rv_params params;
    ts_cycle untidy; // until then the pipeline may have times of others (ts_rv_core_retime)

    // The pipeline without a record. Times are cycles.
    const struct ts_rv_insn *insn; // at pc when it stopped; not looked into: lines are overwritten
    uint64_t setting;              // what records depend on: parameters and chicken bits
    ts_cycle retire;               // of the last instruction
    ts_cycle longest;              // last result to come
    struct ts_rv_scoreboard {
        ts_cycle near;   // result can be used by the next instruction
        ts_cycle far;    // and by later ones: only one writer may be in the retire queue
        ts_cycle retire; // of the last writer
        uint32_t last;   // the last writer's sequence number
        uint32_t before; // and that of the writer before it
    } reg[TS_RV_REG_COUNT];
    uint64_t
        written; // registers whose times are not 0; bit 0: the sink, whose times nobody looks at
    ts_cycle ring_result[TS_RV_RETIRE]; // by sequence number
    ts_cycle ring_retire[TS_RV_RETIRE];
    ts_cycle flight[TS_RV_FLIGHT]; // responses of the last loads
    uint32_t flights;
    uint32_t seq;

    // Tables.
    // The decoded form of the line in [0], if it has been looked up.
    const struct ts_rv_line *ready[TS_RV_SETS];
    uint32_t line_tag[TS_RV_SETS][2]; // line + 1; 0: empty. [0] was used last
    uint8_t entered[TS_RV_SETS];      // by line: times without a record, see run.c
    struct ts_rv_predictor predictor;
    struct ts_rv_hit {
        ts_cycle at;
        uint32_t pc, address, raw, flushes;
        bool old; // L1 holds something else by then
    } hit[TS_RV_HITS];

    struct ts_rv_noted {
        ts_cycle end;
        uint32_t lost;
        uint8_t reason;
        bool at_once;
    } noted[TS_RV_NOTED]; // the last stalls of a core that is ahead of the clock
    uint32_t noted_count;

    // Rare.
    uint32_t csr[TS_RV_CSR_SLOTS];
    struct ts_rv_debug debug;
    ts_rv_follow *follow; // of a debugged core; NULL: nobody
    void *follower;
    uint64_t instret_base; // software's last write to minstret, minus instret at that time
    uint64_t cycle_base;   // the same for mcycle
    ts_cycle clear_first, clear_last; // of watch.clears; once more if the last one is later
    uint32_t restore_pc;
    uint32_t interrupt_pc;
    ts_cycle blocked_from;         // the first store waits from this cycle on
    struct ts_rv_reply store_wait; // why
    struct ts_rv_reply wait;       // why, for the load that waits
    ts_cycle pending_from;         // and from which cycle on
    ts_cycle pending_after;        // the instruction before it retires then
    ts_cycle pending_far;          // what it loads can be used from the retire queue from then on
    uint32_t pending_seq, pending_address, pending_pc;
    uint8_t pending_rd, pending_op, pending_region;
    struct ts_perturb perturb; // of its stores to L1
    uint32_t bus_pc;           // of the last load from the bus
    uint32_t stale_pc;         // the last load that took an old value from L0; 0: none
    uint32_t stale_flushes;    // l0_flushes then
    uint32_t shown_pc;         // the last one in a detailed trace
    struct ts_object poll;     // what a parked core waits for
    // Commit log: what is not written yet, because an earlier load waits or the result is pending.
    struct ts_rv_commit {
        uint32_t pc, word, address, stored, value;
        uint8_t rd, kind;
        enum { TS_RV_COMMIT_OPEN, TS_RV_COMMIT_WAITS, TS_RV_COMMIT_READY } state;
    } logged[16];
    uint32_t log_first, log_count;
    bool log_waits; // the instruction that is logged next is the load that waits
};

struct ts_rv_core_desc {
    const struct ts_rv_params *params; // NULL: defaults
    unsigned id;
    uint32_t port; // of L1
    struct ts_l1 *l1;
    const struct ts_rv_line **lines; // TS_RV_LINES of them, for all cores of the tile
    struct ts_rv_code *code;
    const struct ts_rv_bus *bus;
    const char *machine;
    uint32_t extensions;
    bool plain;           // the machine's rule plain_cores
    uint32_t cache_bytes; // of the instruction cache
    uint32_t l1_size;
    uint32_t iram_size;
    uint8_t *local;
    uint32_t local_size;
};

// Registers the core with the domain, held in reset.
void ts_rv_core_init(struct ts_rv_core *self, struct ts_domain *domain,
                     const struct ts_rv_core_desc *desc);

// Soft reset, from another component's step or between runs.
void ts_rv_core_hold(struct ts_rv_core *self, ts_cycle now);
void ts_rv_core_release(struct ts_rv_core *self, uint32_t pc, bool clear_local, ts_cycle now);
// The run may stop at any time: keeps a core that runs ahead in its cycle until it is let go, through resets too.
void ts_rv_core_keep(struct ts_rv_core *self);
void ts_rv_core_let_go(struct ts_rv_core *self);
// The run may stop at any time: until the core is let go, its account (ts_rv_core_account) is exact where that happens, also
// if the core is ahead. It keeps its last stalls with their cycles, runs ahead less, and uses no records.
void ts_rv_core_note(struct ts_rv_core *self);
// The PIC has an interrupt for the core; taken before the next instruction it executes.
void ts_rv_core_interrupt(struct ts_rv_core *self, uint32_t handler, ts_cycle now);
// debug.c: a debugger asks for the core, from another component's step or between runs; before it
// reads or writes debug registers.
void ts_rv_debug_attach(struct ts_rv_core *self, ts_cycle now);
// A core that its follower has halted goes on from the next cycle on.
void ts_rv_debug_release(struct ts_rv_core *self, ts_cycle now);
enum ts_rv_answer ts_rv_debug_read(struct ts_rv_core *self, uint32_t index,
                                   struct ts_rv_reply *reply);
enum ts_rv_answer ts_rv_debug_write(struct ts_rv_core *self, uint32_t index, uint32_t value,
                                    ts_cycle now, struct ts_rv_reply *reply);
// The next instruction, as a debugger sees it.
uint32_t ts_rv_debug_pc(const struct ts_rv_core *self);
// The polls of a core with a ledger, up to `now`, at which the run has stopped.
struct ts_rv_polled ts_rv_core_polled(const struct ts_rv_core *self, ts_cycle now);
// Its account at `now`, with polls as a wait (rv_poll): exact for a core that is noted.
struct ts_account ts_rv_core_account(const struct ts_rv_core *self, ts_cycle now);
// Does it poll at `now`, at which the run has stopped? Then polled.lost is what it has lost otherwise. The core may be ahead
// of the clock in its own code, so nothing of the poll that goes on is looked at.
bool ts_rv_core_polls(const struct ts_rv_core *self, ts_cycle now, struct ts_rv_polled *polled);
// Cycles that it has lost so far, by reason: with those of stalls that end after the clock's cycle.
void ts_rv_core_lost(const struct ts_rv_core *self, uint64_t lost[TS_STALL_COUNT]);
// Flushes the commit log.
void ts_rv_core_log_end(struct ts_rv_core *self);
// A ts_rv_log's commit that writes to a FILE, in Spike's format.
void ts_rv_log_print(void *file, unsigned core, const struct ts_rv_commit *commit);
// Invalidates the instruction cache (RISCV_IC_INVALIDATE) with the next load that others can see.
void ts_rv_core_invalidate(struct ts_rv_core *self, ts_cycle now);
// Decoded lines and pipeline states, shared by all cores of the kernel. NULL: no memory.
struct ts_rv_code *ts_rv_code_of(struct ts_kernel *kernel);
// Discards the decoded form of a range of L1 (ts_l1's code hook) for the tile's cores.
void ts_rv_lines_written(void *cores, uint32_t address, uint32_t length, ts_cycle at);
// Hits of the cores' L0 caches that come after a write of L1 (ts_l1's hit hook): they may be old.
void ts_rv_hits_written(void *cores, uint32_t address, uint32_t length, ts_cycle at);

// Sets bits of cfg0 from outside, as firmware does before a program starts.
void ts_rv_core_configure(struct ts_rv_core *core, uint32_t cfg0_bits);
// The core continues with other parameters. What is queued keeps its times: no new ones in the past.
void ts_rv_core_retime(struct ts_rv_core *core, const struct ts_rv_params *params);
// The bus hears of loads from these bytes of L1.
void ts_rv_core_guard(struct ts_rv_core *self, uint32_t from, uint32_t bytes);
// The check, or NULL, hears of all accesses to L1 from the next start of the core on.
void ts_rv_core_check(struct ts_rv_core *self, struct ts_check *check);
// Does the code repeat the read over the NoC that its store at `pc` issues, until what it brings is right?
bool ts_rv_polls_far(struct ts_rv_core *core, uint32_t pc);
// The load at `pc` has brought `value`. False: it is one of a poll, and the poll goes on. Else the poll would have ended with up to
// `below` less, and up to `above` more (of values up to `most`; UINT32_MAX: not asked for); both 0 if no poll.
bool ts_rv_poll_ends(struct ts_rv_core *core, uint32_t pc, uint32_t address, uint32_t value,
                     uint32_t most, uint32_t *below, uint32_t *above);
bool ts_rv_polls(struct ts_rv_core *core, uint32_t pc);      // is the load there one of a poll?
void ts_rv_core_data(struct ts_rv_core *self, uint32_t end); // the program's data in local RAM
