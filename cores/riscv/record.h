// The pipeline as an automaton that is built as it is needed.
//
// What is in flight in a core (when registers are ready, the retire queue) is a state; few states
// occur. Execution is cut where something enters that the state cannot know: a load, store, push,
// fence, branch, jump or division. A record is a state before a cut, with the cut's instruction in
// EX1; times are relative to that cycle. An edge leads to the next record for one outcome of the
// cut: when the access entered and its result comes, which way the branch went and whether that was
// predicted. It knows the cycles, instructions and stalls in between, so that these instructions
// need no bookkeeping (run.c). An edge that is not there yet is worked out by exec.c, from the
// record's state: exec.c is the specification, and all a core uses where `automaton` is off.
//
// Records belong to decoded lines, timing parameters and chicken bits; all cores of all tiles share
// them. They are added under a lock and never change; they are freed with the kernel.
#pragma once

#include "cores/riscv/internal.h"

#include <pthread.h>
#include <stdatomic.h>

#define TS_RV_LINE_BUCKETS   4096u
#define TS_RV_RECORD_BUCKETS 16384u

// What all cores of a kernel share: decoded lines by their words, records by their state.
struct ts_rv_code {
    pthread_mutex_t lock; // tiles of several threads add to it
    uint32_t records;
    struct ts_rv_chunk *chunks; // the memory of lines, records and edges
    struct ts_rv_line *line[TS_RV_LINE_BUCKETS];
    struct ts_rv_record *record[TS_RV_RECORD_BUCKETS];
};

#define TS_RV_CUT_LINES  4  // lines that a segment may touch
#define TS_RV_STATE_REGS 12 // registers with a result on its way

enum ts_rv_cut_kind {
    TS_RV_CUT_LOAD,
    TS_RV_CUT_STORE,
    TS_RV_CUT_PUSH,
    TS_RV_CUT_FENCE,
    TS_RV_CUT_BRANCH,
    TS_RV_CUT_JUMP,
    TS_RV_CUT_DIV,
    TS_RV_CUT_LINE,  // nothing in EX1: a segment as long as there may be ends before this line
    TS_RV_CUT_OTHER, // exec.c executes it
    TS_RV_CUT_COUNT
};

// One segment as exec.c works it out.
struct ts_rv_cut {
    bool pass; // the instruction at pc is a cut, and is executed
    bool done; // the same, and its outcome is known:
    const struct ts_rv_insn *insn;
    struct ts_rv_access access;
    bool taken, right;
    uint32_t target;
    // The answer.
    bool stopped;          // before the next cut; else the core had to stop before
    uint8_t kind;          // of the cut: before and after
    uint32_t first, lines; // lines of code that were entered
    const struct ts_rv_line *line[TS_RV_CUT_LINES];
};

// Times relative to the record's cycle; 0: passed.
struct ts_rv_state {
    uint64_t setting; // parameters and chicken bits
    const struct ts_rv_line *line;
    uint32_t pc;
    uint16_t kind;
    uint16_t retire, longest;
    uint16_t ring[TS_RV_RETIRE]; // from the next entry on; relative to the earliest use of it
    uint16_t count;
    struct {
        uint8_t reg, last; // last: the instruction before writes it
        uint16_t near, far, retire;
    } reg[TS_RV_STATE_REGS];
};

// Bodies of a segment that take their first or second operand from the body before them: it is still at
// hand, and need not come back from the register file.
enum {
    TS_RV_LAST_OP = TS_RV_OP_COUNT - 1,
#define BODY(id, value) TS_RV_A_##id, TS_RV_B_##id,
#define FLOAT(id, value)
#include "cores/riscv/bodies.def"
    TS_RV_BODIES
};
_Static_assert(TS_RV_BODIES <= UINT8_MAX + 1, "an instruction's op has eight bits");

struct ts_rv_edge {
    uint64_t key;
    struct ts_rv_record *to;
    uint64_t sums;   // instructions and lost cycles, 16 bits each: see run.c
    uint32_t after;  // cycles from entering (of a branch: from issue) to the next cut in EX1
    uint32_t serial; // cycles that a fence loses
    uint32_t first;  // line it enters, as a set of the instruction cache
    uint16_t lines, count;
    const struct ts_rv_line *line[TS_RV_CUT_LINES];
    struct ts_rv_edge *next;
    struct ts_rv_insn code[]; // of the segment, up to the next cut's
};

#define TS_RV_CODE_MAX (TS_RV_CUT_LINES * 4 + 6)

#define TS_RV_BUCKETS 4

struct ts_rv_record {
    _Atomic(struct ts_rv_edge *) edge[TS_RV_BUCKETS];
    // The edge that was found last: the host predicts that the next outcome is the same, and does not wait for it.
    _Atomic(const struct ts_rv_edge *) usual;
    const struct ts_rv_insn *insn;
    uint32_t span; // everything in the state has passed after so many cycles
    uint32_t edges;
    struct ts_rv_state state;
    struct ts_rv_record *next;
};

// The core's state as exec.c has left it; false: too much or too far away.
bool ts_rv_describe(const struct ts_rv_core *core, enum ts_rv_cut_kind kind,
                    struct ts_rv_state *state);
// The record of that state; NULL: there is none for it.
struct ts_rv_record *ts_rv_record_of(struct ts_rv_core *core, enum ts_rv_cut_kind kind);
// The inverse: gives the core the scoreboard of the record it is in, if it is in one.
void ts_rv_leave(struct ts_rv_core *core);
// Adds a copy of an edge with its code.
void ts_rv_edge_add(struct ts_rv_code *code, struct ts_rv_record *from,
                    const struct ts_rv_edge *edge, const struct ts_rv_insn *insns);
// Parameters and chicken bits have changed.
void ts_rv_record_setting(struct ts_rv_core *core);
// Memory for a line, a record or an edge, zeroed, under the lock; NULL: there is none. All of it is freed together.
void *ts_rv_code_alloc(struct ts_rv_code *code, size_t bytes);
void ts_rv_code_free(struct ts_rv_code *code);

static inline uint32_t ts_rv_bucket(uint64_t key)
{
    return key & (TS_RV_BUCKETS - 1);
}

// Edges are published whole. Their fields are reached through the pointer that is loaded here, which
// orders the loads on every host (as consume would; compilers make acquire of that, which costs a
// third of the speed on ARM).
#ifdef __SANITIZE_THREAD__
#define TS_RV_CONSUME memory_order_acquire
#else
#define TS_RV_CONSUME memory_order_relaxed
#endif

static inline struct ts_rv_edge *ts_rv_edge_find(struct ts_rv_record *from, uint64_t key)
{
    struct ts_rv_edge *edge = atomic_load_explicit(&from->edge[ts_rv_bucket(key)], TS_RV_CONSUME);
    while (edge != NULL && edge->key != key)
        edge = edge->next;
    return edge;
}

// The same, to be expected the next time. Never for branches, whose keys are buckets.
static inline const struct ts_rv_edge *ts_rv_edge_expect(struct ts_rv_record *from, uint64_t key)
{
    const struct ts_rv_edge *edge = atomic_load_explicit(&from->usual, TS_RV_CONSUME);
    if (__builtin_expect(edge->key == key, 1))
        return edge;
    edge = ts_rv_edge_find(from, key);
    if (edge != NULL)
        atomic_store_explicit(&from->usual, edge, memory_order_release);
    return edge;
}

#define TS_RV_MARGIN \
    16 // cycles before the end of the run from which exec.c checks every instruction
#define TS_RV_ONCE UINT64_MAX // as key: what is different now is not in a key

// Can the core be in a record now?
static inline bool ts_rv_described(const struct ts_rv_core *core, ts_cycle horizon)
{
    return core->automaton && core->run_ahead && !core->noting && core->log == NULL && !core->odd &&
           !(core->csr[TS_RV_CSR_CFG0] & TS_RV_CFG0_DIS_BP) && !core->pending &&
           core->local_ready <= core->t && core->t + 2 * TS_RV_MARGIN < horizon &&
           ts_rv_fetches(core, core->pc);
}

// segment.c: an edge's sums are instructions, and cycles lost for these reasons. A branch, a jump or
// the end of a line comes soon enough for 16 bits each to hold them.
extern const uint8_t ts_rv_reasons[3];

static inline void ts_rv_book(struct ts_rv_core *core, uint64_t sums)
{
    core->instret += sums & 0xffff;
    sums >>= 16;
    for (unsigned i = 0; sums != 0; i++, sums >>= 16) {
        core->ahead.lost[ts_rv_reasons[i]] += sums & 0xffff;
        core->ahead.any |= UINT64_C(1) << ts_rv_reasons[i];
    }
}

// What is left of a loss where the kernel has booked some of the core's stall already (core->slept).
TS_SLOW_PATH uint64_t ts_rv_not_slept(struct ts_rv_core *core, enum ts_stall reason, uint64_t lost);
// Works out a segment and enters the record at its end; see segment.c.
TS_SLOW_PATH bool ts_rv_build(struct ts_rv_core *core, ts_cycle now, ts_cycle horizon,
                              struct ts_rv_cut *cut, uint64_t key, ts_cycle entered, uint64_t unit,
                              bool *go_on);

// exec.c: runs from core->pc until it must yield; core->resume says until when. With a cut: to the
// next one at most. False: fault.
bool ts_rv_interpret(struct ts_rv_core *core, ts_cycle now, struct ts_rv_cut *cut);
