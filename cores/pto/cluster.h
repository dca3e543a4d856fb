// A cluster of the TPUSH/TPOP machine: one Cube core (AIC), two Vector cores (AIV0, AIV1), their
// pipes and memories.
//
//            AIC                                        AIV0, AIV1
//   su --+-> mte2: GM -> L1                    su --+-> mte2: GM -> UB
//        +-> mte1: L1 -> L0A, L0B, bias             +-> v:    UB -> UB
//        +-> m:    L0A, L0B -> L0C                  +-> mte3: UB -> GM, UB -> L1 of the AIC (A5)
//        +-> fix:  L0C -> GM, L1, UB of an AIV (A5)
//        +-> mte3: L1 -> GM
//   cross-core flags (cores/pto/ring_flags.c) and rings (cores/pto/ring.h) join them
//
// A scalar unit issues in program order to the queues of its pipes; a pipe executes its queue in
// order. One cluster is one domain.
#pragma once

#include "cores/pto/isa.h"
#include "platform/kernel/fifo.h"

// The tape of a cluster: every entry that a scalar unit issued, with the cycles it took. For
// analyses after a run; a run without one pays a branch per entry.

struct ts_tape_event {
    uint8_t core, lane, kind; // kind: enum ts_entry_kind
    uint8_t id, other;        // flag or event; other pipe of an event
    uint8_t role, part;       // of the ring's entry
    bool credit;
    uint32_t index;   // of the ring's tile
    uint32_t blocker; // number of the work that held it last + 1; 0: none
    const struct ts_insn *insn;
    const struct ts_ring *ring; // NULL: none
    ts_cycle issued;            // by the scalar unit
    ts_cycle start, end;        // on its pipe; 0 while it has not begun
    struct ts_view to, from[3];
};

struct ts_tape {
    struct ts_tape_event *event;
    uint32_t count, room;
    uint32_t most; // no event beyond is kept
    bool full;
};

struct ts_entry;
// Number of the event + 1; 0: there is no tape, or it is full.
uint32_t ts_tape_add(struct ts_tape *self, unsigned core, const struct ts_entry *entry,
                     ts_cycle now);

// Takes the last event back: its queue had no room.
static inline void ts_tape_undo(struct ts_tape *self, uint32_t number)
{
    if (number)
        self->count--;
}

static inline struct ts_tape_event *ts_tape_at(struct ts_tape *self, uint32_t number)
{
    return number ? &self->event[number - 1] : NULL;
}

enum ts_entry_kind {
    TS_ENTRY_WORK,
    TS_ENTRY_SET_EVENT,  // local event `id` of this pipe for pipe `other`
    TS_ENTRY_WAIT_EVENT, // local event `id` of pipe `other` for this pipe
    TS_ENTRY_SET_FLAG,   // cross-core
    TS_ENTRY_WAIT_FLAG,
    TS_ENTRY_WRITE_OPEN, // bookkeeping of a slot: the tensor form and zero-copy tiles
    TS_ENTRY_WRITE_CLOSE,
    TS_ENTRY_READ_OPEN,
    TS_ENTRY_READ_CLOSE,
    TS_ENTRY_FENCE,     // pipe_barrier of one pipe
    TS_ENTRY_DRAIN,     // scalar unit: all pipes of the core are empty
    TS_ENTRY_RING_ROOM, // scalar unit, variant G
    TS_ENTRY_RING_TILE,
    TS_ENTRY_CTRL_WRITE, // scalar unit: one control word of a tile into a slot
    TS_ENTRY_CTRL_READ,  // and from a slot into a variable
};

// How a piece of work touches a slot.
enum ts_ring_role { TS_RING_NONE, TS_RING_WRITE, TS_RING_READ, TS_RING_READ_KEEP };
// A5 L0C to UB: one AIV, or both with rows or columns divided.
enum ts_dual { TS_DUAL_NONE, TS_DUAL_ROWS, TS_DUAL_COLS };

// What a scalar unit hands to a pipe (or does itself, on lane S).
struct ts_entry {
    uint8_t kind;
    uint8_t lane;
    uint8_t other, id;
    uint8_t role, part, dual;
    bool credit;
    uint32_t index;  // of the ring's tile
    uint32_t seq;    // order of issue in the core
    uint32_t tape;   // number of its event + 1; 0: none
    uint32_t blocks; // sub-blocks side by side on chip, one behind the other in GM
    uint64_t block_step;
    const struct ts_insn *insn;
    struct ts_ring *ring;
    struct ts_view to, a, b, c;
};

// What an event of the tape does to its ring's slot.
static inline bool ts_tape_begins_write(const struct ts_tape_event *e)
{
    return e->kind == TS_ENTRY_WRITE_OPEN || e->kind == TS_ENTRY_CTRL_WRITE ||
           (e->kind == TS_ENTRY_WORK && e->role == TS_RING_WRITE);
}

static inline bool ts_tape_ends_write(const struct ts_tape_event *e)
{
    return e->kind == TS_ENTRY_WRITE_CLOSE || e->kind == TS_ENTRY_CTRL_WRITE ||
           (e->kind == TS_ENTRY_WORK && e->role == TS_RING_WRITE);
}

static inline bool ts_tape_opens_read(const struct ts_tape_event *e)
{
    return e->kind == TS_ENTRY_READ_OPEN || e->kind == TS_ENTRY_CTRL_READ ||
           (e->kind == TS_ENTRY_WORK && (e->role == TS_RING_READ || e->role == TS_RING_READ_KEEP));
}

static inline bool ts_tape_closes_read(const struct ts_tape_event *e)
{
    return e->kind == TS_ENTRY_READ_CLOSE ||
           ((e->kind == TS_ENTRY_WORK || e->kind == TS_ENTRY_CTRL_READ) && e->role == TS_RING_READ);
}

// A pipe of a core.
struct ts_lane {
    struct ts_component base;
    struct ts_port in;
    struct ts_fifo queue;
    struct ts_core *core;
    enum ts_lane_id id;
    // pipeline state
    bool busy;
    bool warm;     // the vector pipe is filled: no head
    uint64_t tail; // cycles to pay at the next synchronisation
    ts_cycle start, end;
    struct ts_entry now;
    // counters
    uint64_t ops, bytes, work_cycles;
};

enum { TS_MICROS = 96 };

// The scalar unit.
struct ts_su {
    struct ts_component base;
    struct ts_port out[TS_LANE_COUNT];
    struct ts_core *core;
    // architectural state
    uint32_t pc;
    uint32_t phase; // pipes made so far; then the program; then pipes destroyed
    int64_t vars[TS_VARS];
    int64_t limit[TS_LOOPS];
    uint32_t depth;
    uint64_t *tile_addr;   // by element
    uint64_t *window_addr; // by tensor
    // the instruction being issued
    struct ts_entry micro[TS_MICROS];
    uint32_t micros, next;
    const struct ts_insn *insn;
    uint32_t insn_index; // of the pipe, where it has one
    uint64_t owed;       // cycles of control instructions
    uint32_t seq;
    bool ended;
    ts_cycle tried; // since when the entry waits; 0: it does not
    // counters
    uint64_t instructions, tile_ops;
};

// A local event: seen from the next cycle on.
struct ts_local_event {
    uint8_t level, fresh;
    ts_cycle stamp;
};

// Work that is issued and not finished.
struct ts_outstanding {
    uint32_t seq;
    uint8_t lane;
    bool started, unit_flag;
    uint32_t tape;
    ts_cycle early, end; // unit flag: from when the fixpipe may follow, when the matmul ends
    const struct ts_insn *insn;
    struct ts_view to, from[3];
};

struct ts_core {
    struct ts_cluster *cluster;
    unsigned id;
    struct ts_su su;
    struct ts_lane lane[TS_LANE_COUNT];
    struct ts_object events[TS_LANE_COUNT]; // by source pipe
    struct ts_local_event event[TS_LANE_COUNT][TS_LANE_COUNT][8];
    struct ts_outstanding *board;
    uint32_t outstanding, room;
    uint32_t queued; // entries in queues or running
};

struct ts_cluster {
    const struct ts_machine *machine;
    struct ts_domain *domain;
    uint32_t id;
    uint32_t dispatch; // kernels done
    ts_cycle ended;    // cycle of the end of the last one
    struct ts_findings findings;
    struct ts_core core[TS_CORES];
    struct ts_flags flags;
    struct ts_ring *ring[2];       // C2V, V2C: by pipe
    uint8_t *mem[TS_MEM_COUNT][2]; // second: UB of AIV1
    uint64_t size[TS_MEM_COUNT];
    uint8_t *gm_written; // NULL, or a mark for every byte of GM stored to
    uint8_t *scratch;
    struct ts_tape *tape; // NULL: none is kept
};

// Builds a cluster in a domain. The memories belong to the cluster.
bool ts_cluster_init(struct ts_cluster *self, struct ts_domain *domain,
                     const struct ts_machine *machine, uint32_t id);
void ts_cluster_free(struct ts_cluster *self);
// When every core has ended and drained: looks for leftovers (counters that are not 0, tiles nobody
// popped) and starts the next kernel, with the flags as they are. True if there is one.
bool ts_cluster_ended(struct ts_cluster *self, ts_cycle now);

// After a deadlock: pops that no TFREE will ever follow.
void ts_cluster_stuck(struct ts_cluster *self, ts_cycle now);

// --- the parts, for each other ---

// su.c, operand.c, expand.c
void ts_su_init(struct ts_su *self, struct ts_core *core);
void ts_su_reset(struct ts_su *self, uint32_t dispatch);
void ts_expand_make(struct ts_su *self, uint32_t pipe);
void ts_expand_destroy(struct ts_su *self, uint32_t pipe);
void ts_expand_tile_op(struct ts_su *self, const struct ts_insn *insn);
void ts_expand_push(struct ts_su *self, const struct ts_insn *insn);
void ts_expand_pop(struct ts_su *self, const struct ts_insn *insn);
void ts_expand_alloc(struct ts_su *self, const struct ts_insn *insn);
void ts_expand_free(struct ts_su *self, const struct ts_insn *insn);
// expand_place.c: which bytes a push writes and a pop reads.
void ts_place_push(struct ts_su *self, const struct ts_ring *ring, const struct ts_insn *insn,
                   struct ts_entry *entry);
void ts_place_pop(struct ts_su *self, const struct ts_ring *ring, const struct ts_insn *insn,
                  struct ts_entry *entry);
uint64_t ts_place_window(const struct ts_su *self, const struct ts_ring *ring,
                         const struct ts_ring_end *end, const struct ts_insn *insn, uint32_t index);
static inline uint32_t ts_su_sub_block(const struct ts_su *self)
{
    return self->core->id == TS_CORE_AIV1;
}
static inline int64_t ts_su_value(const struct ts_su *self, const struct ts_expr *expr)
{
    return ts_expr_value(self->core->cluster->machine->words, expr, self->vars);
}
struct ts_entry *ts_su_micro(struct ts_su *self, enum ts_entry_kind kind, enum ts_lane_id lane);
struct ts_view ts_su_view(struct ts_su *self, const struct ts_ref *ref);
uint32_t ts_su_element(struct ts_su *self, const struct ts_ref *ref);
void ts_su_scales(struct ts_su *self, const struct ts_insn *insn, struct ts_entry *entry);
struct ts_ring *ts_core_ring(const struct ts_core *core, uint32_t pipe, bool produce);
// lane.c
void ts_lane_init(struct ts_lane *self, struct ts_core *core, enum ts_lane_id id);
// The ring of an entry, which books the line of its instruction.
struct ts_ring *ts_entry_ring(const struct ts_entry *entry);
// Executes an entry that takes no time, by a pipe or the scalar unit; false if it must wait, with the
// answer in *step.
bool ts_core_pass(struct ts_core *core, struct ts_component *by, enum ts_lane_id lane,
                  const struct ts_entry *entry, ts_cycle now, ts_step *step);
// A scalar unit or a pipe: its core, and the entry that it issues or executes next (NULL: none).
const struct ts_core *ts_part_core(const struct ts_component *part);
const struct ts_entry *ts_part_entry(const struct ts_component *part);
// Who could end the wait of `by` for a flag, an event or a tile, for the wait-for graph.
const struct ts_component *ts_core_holder(const struct ts_core *core, const struct ts_component *by,
                                          enum ts_lane_id lane, const struct ts_entry *entry);
const struct ts_component *ts_ring_holder(const struct ts_cluster *self, const struct ts_ring *ring,
                                          bool full);
// cost.c
uint64_t ts_cost(const struct ts_core *core, const struct ts_entry *entry, bool warm,
                 uint64_t *tail);
// board.c: what is in use; the youngest older piece of work that conflicts, or NULL.
// Two pieces of work, each with what it writes and what it reads.
bool ts_work_conflicts(const struct ts_view *a_to, const struct ts_view a_from[3],
                       const struct ts_view *b_to, const struct ts_view b_from[3]);
void ts_board_add(struct ts_core *self, const struct ts_entry *entry);
struct ts_outstanding *ts_board_find(struct ts_core *self, uint32_t seq);
void ts_board_remove(struct ts_core *self, uint32_t seq);
const struct ts_outstanding *ts_board_conflict(const struct ts_core *self,
                                               const struct ts_outstanding *work);
// work.c: does the work to the data.
void ts_work(struct ts_core *self, const struct ts_entry *entry, ts_cycle now);
uint32_t ts_work_control(const struct ts_core *self, const struct ts_view *view);
