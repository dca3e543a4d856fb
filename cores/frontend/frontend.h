// cores/frontend/frontend.h: the front end of one Tensix thread, up to and including its wait gate.
//
//   TRISC --> FIFO 32 --> MOP expander --+                                        +--> 9 units
//                                        mux --> FIFO 8 --> replay --> FIFO 2 --> gate
//   BRISC -------------------------------+      expander
//
// Strictly in order, one word a cycle in every stage. A push is taken while no more than
// fifo_accept pushed words are still in flight (a MOP or REPLAY counts until its last word has
// passed the gate): Auto TTSync counts them, and also tracks which registers those words touch.
//
// Source: tt-isa-documentation WormholeB0/README.md, WaitGate.md;
// BlackholeA0/PushTensixInstruction.md, AutoTTSync.md, ManualTTSync.md; FIFO sizes of
// Diagrams/TensixFrontend.
// Timing: one cycle per stage, so a word reaches the gate three cycles after its push (the true
// number is not published); mop_penalty between a MOP and a word that is not a MOP.
// Inaccuracies: Auto TTSync does not subdivide the configuration by unpacker (spurious stalls are
// possible, as in hardware without EnSubdividedCfgForUnpacr); RESOURCEDECL has no specification.
#pragma once

#include "cores/frontend/replay.h"
#include "platform/base/perturb.h"
#include "platform/kernel/domain.h"
#include "units/isa/machine.h"

// the MOP expander of a thread.
//
//   FIFO --> ingest --> [ template 0 | template 1 ] --> next --> FIFO before the replay expander
//                              ^
//                       cfg[9], written by the TRISC
//
// One MOP becomes up to 2,096,127 words, one a cycle. It is a stepping generator: the position in the
// loops is the state; loop control costs no cycle. Instruction words are read from cfg when they
// are emitted (as hardware does); counts and flags when the expansion starts.
//
// Source: tt-isa-documentation WormholeB0/MOPExpander.md; on Blackhole the counts have ten bits:
// MopCfg[1] = 256 runs 256 times on cards (measured: B0560, B0561). Counts in the MOP word: tt-llk's
// assembly.yaml and mop_expander_expansion_reference.md (the vendor's statement; nobody has measured them).
// Inaccuracies: cfg changed during an expansion is undefined in hardware; here the words change.

#define TS_MOP_CFG_WORDS 9
#define TS_MOP_COUNT     1023u // bits of a count of template 1

struct ts_mop {
    // architectural
    uint32_t cfg[TS_MOP_CFG_WORDS];
    uint16_t mask_hi; // MOP_CFG
    bool empty;       // template 1 may expand to nothing
    bool records;     // one of the words is a REPLAY that records
    bool end_129;     // the machine's rule mop_129
    // expansion
    bool active;
    uint8_t slot;   // position in the loop body
    bool alternate; // template 1: LoopOp1 is in use
    uint8_t kind;   // template
    uint8_t flags;  // template 0: bit 0 HasB, bit 1 HasA123
    uint32_t mask;  // template 0, shifted as it goes
    uint16_t inner, inner_count;
    uint16_t outer, outer_count;
    uint16_t repeats; // the next words are so many LoopOp0, in an inner loop of nothing else
};

// Slots of template 1, in order.
enum { TS_MOP_START, TS_MOP_LOOP, TS_MOP_END0, TS_MOP_END1 };

// Emits `count` of the words that repeat: cfg[5].
static inline void ts_mop_repeat(struct ts_mop *self, unsigned count)
{
    self->inner = (uint16_t)(self->inner + count);
    self->repeats = (uint16_t)(self->repeats - count);
}

void ts_mop_reset(struct ts_mop *self);
// Writes a configuration register.
void ts_mop_configure(struct ts_mop *self, unsigned index, uint32_t value);
// Discards what is left to emit.
static inline void ts_mop_stop(struct ts_mop *self)
{
    self->active = false;
    self->repeats = 0;
}
// Takes a MOP or MOP_CFG word. `active` says afterwards whether there is anything to emit.
void ts_mop_ingest(struct ts_mop *self, uint32_t word);
// Emits the next word; only while active. The last one clears `active`.
uint32_t ts_mop_next(struct ts_mop *self);

#define TS_FRONT_FIFO   32
#define TS_FRONT_REPLAY 8
#define TS_FRONT_GATE   2
#define TS_FRONT_STAGES 3 // cycles from a push to the gate

// Resources that Auto TTSync tracks.
enum {
    TS_TRACK_CFG0 = 0x07, // unpacker 0, unpacker 1, rest of Config[0]
    TS_TRACK_CFG1 = 0x38,
    TS_TRACK_GPR = 0x40,
    TS_TRACK_TDMA = 0x80,
};

// A word in the front end. The word that carries a ticket is the last one of its pushed word: the
// ticket frees its place in the FIFO and its resources.
struct ts_front_word {
    uint32_t word;
    uint32_t ticket; // 0: none; else TS_TICKET | resources read | resources written << 8 | place of
                     // its pc << TS_TICKET_PC
};

#define TS_TICKET    0x10000u
#define TS_TICKET_PC 17
#define TS_FRONT_PCS 64 // more than words can be in flight

struct ts_frontend {
    struct ts_component component; // first
    unsigned thread;
    bool run_ahead; // cycles without the kernel while alone; true unless exactness itself is tested
    const struct ts_backend *backend;
    const struct ts_machine *machine;
    const struct ts_closed *closed; // of the thread
    // FIFO before the MOP expander
    struct ts_front_word fifo[TS_FRONT_FIFO];
    uint8_t fifo_first, fifo_count;
    uint8_t fresh;      // words that arrived in cycle fresh_cycle: visible from the next one on
    uint8_t on_the_way; // pushed words that have not passed the gate
    uint8_t mops;       // MOPs in the FIFO
    uint8_t loops;      // and those of template 1
    uint8_t dropping;   // words that leave before the gate: MOP_CFGs and REPLAYs that record
    uint8_t to_record;  // words that the core has still to push for a REPLAY that records
    bool gathered;      // some of them came together; reported once a recording
    bool taken;         // a debugger pushes; cores must not
    ts_cycle fresh_cycle;
    ts_cycle moved; // the stages have gone through the cycles before this one (stages.h)
    ts_cycle due;   // while awake: its next step
    // MOP expander
    struct ts_mop mop;
    uint32_t mop_ticket; // of the MOP being expanded
    ts_cycle mop_ended;
    // the mux: one word of BRISC
    bool brisc_full;
    uint32_t brisc_word;
    ts_cycle brisc_cycle;
    // FIFO and replay expander
    struct ts_front_word before_replay[TS_FRONT_REPLAY];
    uint8_t replay_first, replay_count;
    struct ts_replay replay;
    uint32_t replay_ticket; // of the REPLAY being expanded
    // FIFO and gate
    struct ts_front_word gate[TS_FRONT_GATE]; // [0] is first
    uint8_t gate_count;
    struct ts_perturb perturb; // of the gate
    struct ts_promise promise; // words that pass without a step; count 0: none
    // called for every word that passes; NULL: none
    void (*follow)(void *context, unsigned thread, uint32_t word);
    void *follow_context;
    // Auto TTSync: words in flight by resource
    uint8_t track_reads[8], track_writes[8];
    uint8_t push_state; // CFG_STATE_ID as the pushed words leave it
    // origin of the words in flight, for lints and hangs
    uint32_t push_pc; // set by the core's side before a push
    uint32_t pcs[TS_FRONT_PCS];
    ts_cycle pushed_at[TS_FRONT_PCS]; // with a detailed trace, or if dated
    uint32_t pushes;                  // of the core
    uint8_t next_pc;
    bool dated;        // a check wants to know when words were pushed
    bool brisc_pushed; // words without a pc may be among them
    // what others wait for
    struct ts_object fifo_room, mop_done, tracked;
    // counters
    uint64_t pushed, expanded, dispatched, lost;
    uint64_t passed[256];   // words that passed the gate, by opcode
    const uint8_t *weights; // of opcodes, for a watcher that wants the sum
    uint64_t weight;        // of the words that passed
};

extern const uint8_t ts_frontend_no_weights[256]; // while nobody watches
void ts_frontend_init(struct ts_frontend *self, unsigned thread, const struct ts_backend *backend,
                      const struct ts_machine *machine, struct ts_domain *domain);

// A TRISC pushes up to four words in one cycle (fused .ttinsn). False while the FIFO is full.
bool ts_frontend_push(struct ts_frontend *self, const uint32_t *words, unsigned count, ts_cycle now,
                      struct ts_hold *hold);
// Would a push have to wait now?
static inline bool ts_frontend_full(const struct ts_frontend *self)
{
    return self->on_the_way > self->backend->timing->fifo_accept;
}
// BRISC pushes behind the MOP expander.
bool ts_frontend_push_brisc(struct ts_frontend *self, uint32_t word, ts_cycle now,
                            struct ts_hold *hold);
// The value of MOP configuration register 0..8 that a program writes, in the form of the expander.
uint32_t ts_frontend_mop_value(const struct ts_frontend *self, unsigned index, uint32_t value);
// The TRISC writes MOP configuration register 0..8.
void ts_frontend_mop_config(struct ts_frontend *self, unsigned index, uint32_t value, ts_cycle now);

// The TRISC enters soft reset: what is in the first FIFO and in the MOP expander is discarded.
void ts_frontend_core_reset(struct ts_frontend *self, ts_cycle now);

// Manual TTSync: does a load from CoprocessorDoneCheck or MOPExpanderDoneCheck return now? If not,
// `until` is set where the cycle is known, otherwise the object's waiters are woken.
bool ts_frontend_drained(const struct ts_frontend *self, ts_cycle now, struct ts_hold *hold);
bool ts_frontend_mop_drained(struct ts_frontend *self, ts_cycle now, struct ts_hold *hold);

// Auto TTSync: does no word in flight keep the TRISC from these resources (TS_TRACK_*)?
bool ts_frontend_untracked(const struct ts_frontend *self, unsigned resources, bool store,
                           struct ts_hold *hold);

// The words that wait in the front end, in no order; expanders are not followed. Returns how many.
#define TS_FRONT_WORDS (TS_FRONT_FIFO + TS_FRONT_REPLAY + TS_FRONT_GATE)
unsigned ts_frontend_words(const struct ts_frontend *self, uint32_t words[TS_FRONT_WORDS]);

// Kinds of instructions that wait in the front end (bits of tt_cfg_qstatus), and with `busy` also
// those that units work on for this thread (tt_cfg_bstatus).
uint32_t ts_frontend_status(const struct ts_frontend *self, bool busy, ts_cycle now);

// Promises, for the front end's own step: begins one at `at` and returns how many cycles it lasts
// (0: none), books what has passed when it is back, and when a run ends.
TS_SLOW_PATH unsigned ts_frontend_promise(struct ts_frontend *self, ts_cycle at);
TS_SLOW_PATH void ts_frontend_back(struct ts_frontend *self, ts_cycle now);
void ts_frontend_settle(struct ts_component *component, ts_cycle now);
// Call before any access to the stages from outside: moves their words up to `now`.
void ts_frontend_catch_up(struct ts_frontend *self, ts_cycle now);
// The same, before a change of what they do: a promise ends.
void ts_frontend_cut(struct ts_frontend *self, ts_cycle now);
// The first cycle that the stages have not gone through where the caller looks at them.
static inline ts_cycle ts_frontend_reached(const struct ts_frontend *self, ts_cycle now)
{
    return ts_runs_before(&self->component) ? now : now + 1;
}
// The stages must keep up with time from `at` on, the current cycle or the next one: the front end steps
// then. In the current one only where it comes after the caller.
void ts_frontend_hurry(struct ts_frontend *self, ts_cycle at);
// Can the word at the gate and the one behind it be promised? Vector words are worth it in a REPLAY.
static inline bool ts_frontend_may_promise(const struct ts_frontend *self)
{
    const uint8_t op = TS_OP_OF(self->gate[0].word), left = self->replay.replaying;
    if (op != TS_OP_MVMUL)
        return left && self->gate_count == TS_FRONT_GATE && ts_op_hot[op].unit == TS_UNIT_VECTOR;
    return self->gate_count && (left > 3 || (self->gate_count == TS_FRONT_GATE &&
                                             TS_OP_OF(self->gate[1].word) == TS_OP_MVMUL));
}

// The pc of the core's instruction that the first word at the gate comes from; TS_NO_PC: nothing is
// there, or it is unknown.
#define TS_NO_PC UINT32_MAX
uint32_t ts_frontend_pc(const struct ts_frontend *self);
// The same, and the cycle of its push; only with a detailed trace, or if dated. `*pushed` stays as it is if it is
// unknown.
uint32_t ts_frontend_origin(const struct ts_frontend *self, ts_cycle *pushed);
// How many words the core has pushed so far; with `gate`, the number of the one that the word at
// the gate comes from (UINT32_MAX: unknown).
uint32_t ts_frontend_push_number(const struct ts_frontend *self, bool gate);

// Has the thread anything in its front end?
static inline bool ts_frontend_empty(const struct ts_frontend *self)
{
    return !(self->fifo_count | self->replay_count | self->gate_count | self->replay.replaying) &&
           !self->mop.active && !self->brisc_full;
}
