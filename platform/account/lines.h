// Where the cycles of a run went, by source line and thread.
//
//   step of a core, of a front end --watcher--> cells: (call path, pc, reason, object) -> cycles
//   window begins: cells are cleared; window ends: cells are closed (lines.c)
//   cells --ELF, DWARF--> lines of the user's sources, with what was inlined into them (lines_table.c)
//   lines --> JSON (lines_json.c), text as of `perf annotate' (lines_print.c)
//
// Cycles of a core at an instruction: from the cycle in which the one before has left EX1 to the cycle in which it leaves EX1 itself.
// What they were lost to is what the core's own account says. Cycles of a front end at a word: those in which it is first at the gate.
// So for every thread the lines add up to the thread's account in the kernel's window, reason by reason.
//
// Needs steps that are not ahead of their cycles: spec.step_by_step.
// Inaccuracies: words belong to the call path that executed their instruction last, which is another one where a function that is not inlined
// is called from two lines at once.
#pragma once

#include "noc/torus.h"
#include "platform/account/loss.h"
#include "platform/kernel/kernel.h"
#include "platform/load/symbols.h"

// The kernel's part of a run in the accounts of all components, DRAM channels and links.
//
//   first begin of a kernel --break--> accounts so far --+
//                                                         +--> what each did in the kernel's cycles
//   last end of a kernel ----break--> accounts so far ---+
//
// Every figure of a run is of the same cycles: from the first begin of its kernels to their last end. What is before it,
// boot and launch, has a line of its own. The accounts are exact where a run stops, and a stop comes some cycles after the
// kernel has written its time: one of the same few at both ends, or with several tiles at the end of the run. The difference
// is taken from what a component has most of then: nothing to do, or polls; or it is added to it. Cores may be ahead of the
// clock at a stop that they do not foresee: the accounts of those that do not poll then end with the run, and up to the first begin they note when they
// stall (ts_rv_core_note): fast and step by step give the same.
//
// busy: the cycles in which a component works. A core that polls a location works on nothing: its polls are a wait (rv_poll) with
// all their cycles, which the kernel's own accounts, and with them stats.json, have as busy and as stalls of its pipeline.

// What the accounts said at a stop.
struct ts_mark {
    ts_cycle cycle;              // 0: it has not been taken
    struct ts_account *accounts; // of all components, by domain and index
    uint64_t *busy;              // of DRAM channels and links, by id
};

struct ts_marks {
    const struct ts_kernel *kernel;
    uint32_t *base;       // of the accounts of a domain
    bool both;            // the end is marked too: there is one domain
    bool ending;          // the next stop is one of an end
    ts_cycle first, last; // the window, after the run
    struct ts_mark begin, end;
    // Called when a mark is taken; NULL: nobody asks.
    void (*taken)(void *context, bool begins, ts_cycle now);
    void *taken_context;
};

// False: out of memory.
bool ts_marks_init(struct ts_marks *self, const struct ts_kernel *kernel);
void ts_marks_free(struct ts_marks *self);
// From a component's step: the kernel begins, or ends, here.
void ts_marks_begin(struct ts_marks *self, struct ts_component *by, ts_cycle now);
void ts_marks_end(struct ts_marks *self, struct ts_component *by, ts_cycle now);
// After a stop of the run. True: the kernel begins here.
bool ts_marks_stopped(struct ts_marks *self, ts_cycle now);
// After the run, which stopped at `now`: the window that the figures are quoted for.
void ts_marks_close(struct ts_marks *self, ts_cycle first, ts_cycle last, ts_cycle now);

static inline ts_cycle ts_marks_cycles(const struct ts_marks *self)
{
    return self->last - self->first;
}

// After that: what a component did in the window, which it adds up to.
struct ts_account ts_marks_account(const struct ts_marks *self,
                                   const struct ts_component *component);
// The share of the window in which a DRAM channel or a link works.
double ts_marks_busy(const struct ts_marks *self, const struct ts_object *object);
// That of the busiest link of a NoC. "": none.
double ts_marks_busiest(const struct ts_marks *self, const struct ts_noc_torus *torus, unsigned noc,
                        const char **path);

// --- cells ---

// Reasons of cells: enum ts_stall, and these.
enum {
    TS_CELL_BUSY = TS_STALL_COUNT,
    TS_CELL_INSTRUCTIONS, // counts, no cycles
    TS_CELL_WORDS,
    TS_CELL_REASONS
};

// As `transfer` of a wait for a unit: the unit itself waits for a bank of Src.
#define TS_CELL_BLOCKED UINT8_MAX

struct ts_cell {
    uint32_t pc;     // TS_NO_PC: at no instruction
    uint32_t path;   // of calls: index in the core's calls, 0: none
    uint16_t reason; // TS_STALL_*, TS_CELL_*
    uint8_t
        transfer; // of a poll of an NIU: TS_LOSS_NOC or TS_LOSS_DRAM; else 0, or TS_CELL_BLOCKED
    bool used;
    uint32_t address;               // of a poll
    const struct ts_object *object; // of any other wait
    int64_t count;
};

// A hash table.
struct ts_cells {
    struct ts_cell *cell;
    uint32_t count, room;
    bool lost; // there was no memory
};

// A call that has not returned: `pc` calls from `path`.
struct ts_call {
    uint32_t pc, path;
};

// A core of a tile or one of its front ends.
struct ts_lines_part {
    struct ts_watcher watcher; // first
    struct ts_component *component;
    struct ts_lines_tile *tile;
    unsigned core; // enum ts_rv_id; of a front end, the core that feeds it
    bool front;
    struct ts_cells cells;
    // What is charged already: cycles before `from`, and the losses that were known then.
    ts_cycle from;
    uint64_t lost[TS_STALL_COUNT];
    int64_t early;              // losses since `from` that are in cells
    uint32_t pc, last;          // the next to be charged, and the one before
    uint32_t path, last_path;   // of calls
    uint64_t instructions;      // of a core; words of a front end
    struct ts_rv_polled polled; // that are in cells as polls
    // Loads that may be a poll: since when, of what, and what was charged since then.
    ts_cycle poll_from;
    uint32_t poll_pc, poll_path, poll_address;
    struct ts_cells journal;
    uint64_t
        blocked; // of a front end: how long the unit that it sleeps on had waited for Src before
    bool passed; // of a front end: in its last step a word passed, that of `last`
};

struct ts_lines_tile {
    struct ts_tile *tile;
    const struct ts_loss *loss; // NULL: none
    struct ts_lines_part core[TS_RV_CORES], front[TS_THREADS];
    struct ts_call *calls[TS_RV_CORES]; // [0] is no call
    uint32_t call_count[TS_RV_CORES], call_room[TS_RV_CORES];
    struct ts_cells pushed[TS_THREADS]; // by pc: the path of calls that executed it last
    bool closed;
};

struct ts_lines {
    struct ts_lines_tile *tiles;
    uint32_t count;
    bool lost; // there was no memory
};

// After elaboration and before the run. NULL: no memory.
struct ts_lines *ts_lines_new(uint32_t tiles);
void ts_lines_add(struct ts_lines *self, uint32_t i, struct ts_tile *tile,
                  const struct ts_loss *loss);
void ts_lines_free(struct ts_lines *self);
// Between runs: the window begins, or ends, at `now` (ts_marks.taken; context is the struct ts_lines).
void ts_lines_taken(void *self, bool begins, ts_cycle now);
// After ts_marks_close: {cycles, tiles, threads: [...], lines: [...]}, the line with the most cycles of its own first
// (platform/out/README.md).
json_t *ts_lines_json(struct ts_lines *self, const struct ts_marks *marks);
// Gives every line its source as `text`, where the file is there.
void ts_lines_texts(json_t *lines);
// The sources of lines with cycles, for a page: {path: pieces}; of a long one what is near these lines. NULL: of no lines.
json_t *ts_lines_sources(const json_t *lines);
// Prints it. `only` NULL: the hottest lines, then every source with cycles; "reader.cpp": that one; "reader.cpp:30": what was inlined into
// the line, and its instructions. False: there is no such line. file NULL: only looks for it.
bool ts_lines_print(const json_t *lines, const char *only, FILE *file);
// The same cell of a table, made if it is not there. NULL: no memory.
struct ts_cell *ts_cells_at(struct ts_cells *self, const struct ts_cell *key);
