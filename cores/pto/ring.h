// The ring FIFO of TPUSH and TPOP: TPipe and TMPipe, their credits, and the slots as they really
// are.
//
//   producer --write--> [ slot 0 | slot 1 | ... | slot S-1 ] --read--> consumer
//            --ready flag-------------------------------------------->
//            <-------------------------------------free flag (credit)--
//
// Two things live here. The protocol: which flags, when a push waits for a credit and when a pop
// gives one, by the published variant. And the truth: what each slot holds, who has read it, so
// that an overrun, a stale read, a premature or a double free is found although the protocol does
// not see it.
//
// Source: pto-isa fifo.hpp, TPush.hpp and TPop.hpp of both profiles.
// The document of pto.tpush lists DIR_V2C_CTRL and DIR_BOTH_GM as supported; no published header
// has them working. They are modelled as the document says; `published` (config/tpipe.def) gives the
// headers' behaviour instead.
// Timing: none of its own; the cores' pipes carry the moves, ring_flags.c the signals.
#pragma once

#include "platform/kernel/component.h"

// Cross-core flags of a cluster: counting semaphores of the receiving core.
//
//   A2/A3  Cube   set f  --> AIV0 f and AIV1 f, both +1 (broadcast)
//          AIV0 set f, AIV1 set f --> Cube f +1 when both have set it (pairwise reduce)
//   A5     Cube   set f  --> AIV0 f;   set f + 16 --> AIV1 f
//          AIV0   set f  --> Cube f;   AIV1 set f --> Cube f + 16
//
// A set adds 1, `latency` cycles later; a wait needs a counter above 0 and subtracts 1. Counters
// have four bits and are not cleared between kernels.
// Source: CANN CrossCoreSetFlag and CrossCoreWaitFlag, pto-isa headers.
// Inaccuracies: the A5 counter width is not published: four bits as on A2/A3 (`flag_bits`).

// Findings: what is wrong with a program of the TPUSH/TPOP machine, before, during or after its
// run.
//
// A list with a fixed number of places; what does not fit is counted. The first finding of each
// code is always kept, so a flood of one kind cannot hide another.

enum ts_finding_id {
#define TS_PIPE_FINDING(id, kind, code, text) TS_FINDING_##id,
#include "config/tpipe.def"
    TS_FINDING_COUNT
};

#define TS_FINDING_ROOM 64

// Where something is wrong: when (run time; else 0), the line of the declaration or instruction
// (0: none), and the pipe, tile, tensor or flag it is about.
struct ts_spot {
    ts_cycle cycle;
    uint32_t line;
    const char *object;
};

// What is wrong in one place. The same code at the same line about the same object is one finding,
// however often it happens.
struct ts_finding {
    enum ts_finding_id id;
    ts_cycle cycle; // the first time
    uint32_t line;
    uint64_t times;
    char object[40];
    char text[240]; // who, what, the parameter and its legal range
};

struct ts_findings {
    uint32_t count; // kept
    uint64_t seen[TS_FINDING_COUNT];
    struct ts_finding item[TS_FINDING_ROOM];
};

extern const struct ts_finding_row {
    const char *code, *text;
    char kind; // C, K, R or W
} ts_finding_rows[];

void ts_finding_add(struct ts_findings *self, enum ts_finding_id id, struct ts_spot spot,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));
// Any finding of this kind ('C', 'K', 'R', 'W')?
bool ts_findings_any(const struct ts_findings *self, char kind);
void ts_findings_merge(struct ts_findings *self, const struct ts_findings *other);

enum { TS_CORE_AIC, TS_CORE_AIV0, TS_CORE_AIV1, TS_CORES };
enum {
    TS_FLAG_IDS = 32,
    TS_FLAG_MAX = 15,

    TS_FLAG_AIV1 = 16,
    TS_FLAG_FLIGHT = 64
};

enum ts_profile { TS_PROFILE_A2A3, TS_PROFILE_A5 };

extern const char *const ts_core_names[], *const ts_profile_names[];

// One counter, with the sets that are on their way to it.
struct ts_flag {
    struct ts_object object; // waiters sleep on it
    uint8_t core, id;        // receiver
    uint8_t count;
    uint8_t half[2]; // A2/A3, on the Cube: sets of one AIV that the other has not matched
    uint8_t flying, first;
    struct {
        ts_cycle at;
        uint8_t from;
    } flight[TS_FLAG_FLIGHT];
    uint64_t sets, waits;
    uint32_t line; // of the instruction that set it last
    uint8_t peak;
};

struct ts_flags {
    enum ts_profile profile;
    ts_cycle latency;
    unsigned most; // of a counter; TS_FLAG_MAX unless changed
    struct ts_findings *findings;
    uint32_t line; // of the instruction that sets
    struct ts_flag flag[TS_CORES][TS_FLAG_IDS];
};

// "flag 1 of aic": how findings name a flag.
const char *ts_flag_name(const struct ts_flag *self, char text[24]);

void ts_flags_init(struct ts_flags *self, struct ts_domain *domain, enum ts_profile profile,
                   ts_cycle latency, struct ts_findings *findings);
// The counters that a set by `from` of flag `id` reaches (A5, from the Cube: id + 16 means AIV1); how many.
struct ts_flag_at {
    unsigned core, id;
};
unsigned ts_flags_reached(enum ts_profile profile, unsigned from, unsigned id,
                          struct ts_flag_at to[2]);
// Such a set.
void ts_flags_set(struct ts_flags *self, unsigned from, unsigned id, ts_cycle now);
// Takes one from the receiver's counter; false if it is 0 in this cycle.
bool ts_flags_take(struct ts_flags *self, unsigned core, unsigned id, ts_cycle now);
// To be returned by a step: asleep until the receiver's counter may be above 0.
ts_step ts_flags_await(struct ts_flags *self, unsigned core, unsigned id,
                       struct ts_component *waiter, ts_cycle now);
// Everything on its way arrives, after a run.
void ts_flags_settle(struct ts_flags *self);
// The receiver's counter once everything on its way until `now` has arrived.
struct ts_flag *ts_flags_look(struct ts_flags *self, unsigned core, unsigned id, ts_cycle now);

enum ts_direction_type {
#define TS_PIPE_DIRECTION(id, ...) TS_DIR_##id,
#include "config/tpipe.def"
};

enum ts_split { TS_NO_SPLIT, TS_UP_DOWN, TS_LEFT_RIGHT, TS_UP_DOWN_ODD, TS_LEFT_RIGHT_ODD };
enum ts_fifo_type { TS_GM_FIFO, TS_VEC_FIFO, TS_MAT_FIFO, TS_CTRL_FIFO };
// Where the slots of a ring are.
enum ts_ring_path { TS_PATH_GM, TS_PATH_UB, TS_PATH_L1, TS_PATH_CTRL };

// The published variants (config/tpipe.def).
enum ts_variant {
#define TS_PIPE_VARIANT(id, ...) TS_VARIANT_##id,
#include "config/tpipe.def"
};

// How elements lie in memory (config/tpipe.def).
enum ts_layout {
#define TS_PIPE_LAYOUT(id, name, text) TS_LAYOUT_##id,
#include "config/tpipe.def"
    TS_LAYOUT_COUNT
};

// Names by number; NULL at the end.
extern const char *const ts_direction_names[],
    *const ts_split_names[], *const ts_variant_names[], *const ts_fifo_names[],
                                                            *const ts_layout_names[],
                                                                *const ts_published_names[];

// Where the published headers differ from the document, and a program may choose the headers.
enum ts_published {
#define TS_PIPE_PUBLISHED(id, name, text) TS_PUBLISHED_##id,
#include "config/tpipe.def"
    TS_PUBLISHED_COUNT
};
const char *ts_published_text(enum ts_published what);

// A control word: what one entry of DIR_V2C_CTRL carries.
enum { TS_CTRL_BYTES = 4 };

enum { TS_RING_SLOTS = 256, TS_RING_READERS = 2, TS_RING_WRITERS = 2 };

// One pipe as declared.
struct ts_ring_config {
    char name[32];
    bool tmpipe;
    enum ts_variant variant;
    uint32_t flag;
    enum ts_direction_type direction;
    uint32_t slot_size; // bytes
    uint32_t slots;     // SlotNum, FiFoDepth
    uint32_t local_slots;
    bool tile_stride; // local slots one tile apart, not one slot: A2/A3 before 2026-08-13
    bool no_split;
    bool unit_flag;
    uint32_t ub, l1;      // consumer buffers
    bool has_ub, has_l1;  // given, not placed by the loader
    uint64_t gm, gm_size; // slot buffer: address, bytes (0: as many as needed)
    bool has_gm;
    enum ts_layout layout; // of an entry in its slot
    uint32_t published;    // bits by ts_published
    uint32_t line;         // of the file
    // TMPipe
    enum ts_fifo_type fifo;
    uint32_t sync_period;          // FiFoSyncT: read by programs only
    uint32_t prod_rows, prod_cols; // tile of one producer
    uint32_t cons_rows, cons_cols;
    uint32_t element;   // bytes
    uint32_t tile_type; // enum ts_dtype of prod and cons
    uint32_t ratio;     // VecCubeRatio: 0, 1 one vector core, 2 both
    bool places_tile;   // local FIFO: TPOP binds the tile to the slot; else the program places it
    bool counts;        // A5: the pipe counts its tiles; else the program calls setTileId
};

static inline bool ts_ring_as_published(const struct ts_ring_config *config, enum ts_published what)
{
    return config->published >> what & 1;
}

// Rules, free of state.
uint32_t ts_ring_period(const struct ts_ring_config *config);
// Does a push of tile `index` wait for a credit (if its switch is on)? Does a pop of it give one?
bool ts_ring_waits(const struct ts_ring_config *config, uint32_t index);
bool ts_ring_notifies(const struct ts_ring_config *config, uint32_t index);
// Credits the consumer gives when the pipe is made, and those the producer takes when it is
// destroyed after `pushes`.
uint32_t ts_ring_initial(const struct ts_ring_config *config);
uint32_t ts_ring_drain(const struct ts_ring_config *config, uint32_t pushes);
// Default of the switches allocate, record, wait, free.
bool ts_ring_switch_default(const struct ts_ring_config *config);
bool ts_direction_has(enum ts_direction_type direction, bool c2v);
bool ts_direction_both(enum ts_direction_type direction); // one ring for each direction
// DIR_BOTH_GM as published (config/tpipe.def): both rings have the same base, a tile push moves nothing.
bool ts_ring_both_gm_published(const struct ts_ring_config *config);
// Bytes of all slots of a pipe in GM.
uint64_t ts_ring_gm_bytes(const struct ts_ring_config *config);
// Bytes of a pipe's buffer at its consumer.
uint64_t ts_ring_local_bytes(const struct ts_ring_config *config, enum ts_profile profile);
enum ts_ring_path ts_ring_path(const struct ts_ring_config *config, enum ts_profile profile);

// This core's end of a ring.
struct ts_ring_end {
    uint32_t index;  // tiles pushed or popped
    uint32_t offset; // entryOffset
    uint32_t frees;  // TFREE calls
    bool open;       // tensor form: between TALLOC and TPUSH, TPOP and TFREE
};

// One direction of a pipe in one cluster.
struct ts_ring {
    struct ts_object object; // for occupancy, and for the waits of variant G
    const struct ts_ring_config *config;
    struct ts_findings *findings;
    bool exists;
    bool c2v;
    unsigned first_aiv; // part 0 of the Vector side: AIV1 for a TMPipe of AIV1 alone
    enum ts_ring_path path;
    uint32_t control[TS_RING_SLOTS]; // words of a control pipe
    uint8_t ready, free;             // flag ids
    uint8_t writers, readers;        // cores that take part
    // From here to `occupancy` a new kernel begins at 0.
    struct ts_ring_end prod[TS_CORES], cons[TS_CORES];
    // The slots. All numbers are tile index + 1; 0: never.
    uint32_t started[TS_RING_SLOTS][TS_RING_WRITERS];
    uint32_t written[TS_RING_SLOTS][TS_RING_WRITERS];
    uint32_t opened[TS_RING_SLOTS][TS_RING_READERS]; // reads begun
    uint32_t read[TS_RING_SLOTS][TS_RING_READERS];
    uint32_t popped[TS_RING_READERS]; // reads begun, in order
    uint32_t closed[TS_RING_READERS]; // reads finished, in order
    uint32_t notified[TS_RING_READERS];
    uint32_t filled[TS_RING_WRITERS]; // writes finished
    uint32_t occupancy;
    uint32_t line;                // of the instruction whose work is being booked
    uint32_t push_line, pop_line; // of the last of each
    // Counters.
    uint32_t peak;
    uint64_t area; // occupancy x cycles
    ts_cycle since;
    uint64_t pushes, pops, credits;
};

// The least count of so many parts.
static inline uint32_t ts_ring_least(const uint32_t *count, unsigned parts)
{
    return parts > 1 && count[1] < count[0] ? count[1] : count[0];
}

void ts_ring_init(struct ts_ring *self, struct ts_domain *domain,
                  const struct ts_ring_config *config, enum ts_profile profile, bool c2v,
                  struct ts_findings *findings);
// The flags of a tile (variant E has one pair a slot).
// Does this core take part? A TMPipe may leave out one of the AIVs.
bool ts_ring_takes_part(const struct ts_ring *self, unsigned core);
unsigned ts_ring_ready_flag(const struct ts_ring *self, uint32_t index);
unsigned ts_ring_free_flag(const struct ts_ring *self, uint32_t index);

// What really happens to slot index mod S; `part` is the writer's or reader's number, 0 or 1.
void ts_ring_write_start(struct ts_ring *self, unsigned part, uint32_t index, ts_cycle now);
void ts_ring_write_end(struct ts_ring *self, unsigned part, uint32_t index, ts_cycle now);
void ts_ring_read_start(struct ts_ring *self, unsigned part, uint32_t index, ts_cycle now);
void ts_ring_read_end(struct ts_ring *self, unsigned part, uint32_t index, ts_cycle now);
// Zero copy: is the slot at this address of the consumer's buffer between its wait and its TFREE?
void ts_ring_use(struct ts_ring *self, unsigned part, uint64_t offset, ts_cycle now);
// A credit for everything up to tile `index` leaves the consumer.
void ts_ring_credit(struct ts_ring *self, unsigned part, uint32_t index, ts_cycle now);

// Variant G: room for another tile, a tile to pop.
bool ts_ring_has_room(const struct ts_ring *self, uint32_t index);
bool ts_ring_has_tile(const struct ts_ring *self, uint32_t index);

// A new kernel on the same machine: ends and slots forget, flags do not.
void ts_ring_restart(struct ts_ring *self, ts_cycle now);
