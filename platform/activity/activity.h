// Activity: which tile's units worked in which cycle, exactly.
//
//   unit, link, DRAM channel --worked(from, cycles)--> lane of its domain and source --> sums per bin
//
// A lane is one source (config/activity.def) of one domain: of a tile, or of another place that a chip
// has (a DRAM channel, an Ethernet tile). Only the thread that simulates the domain writes it, so the same bytes
// come out for any number of threads. The lane of MVMULs has a bit for each cycle. The others have a
// byte for each 8 cycles: how many of the source's members worked, summed over the 8 cycles; until the end, as difference to
// the byte before, modulo 256, so that work of any length is four additions. Pieces of 4,096 cycles in which nothing happens take
// no memory.
//
// Off by default: it is a meter on the trace's branch (kernel/trace.h), and costs nothing then.
//
// Inaccuracies: accesses of RISC-V cores to L1 are not counted; L1 is the work of unpackers, packer and
// mover. A link counts at its sender's place.
#pragma once

#include "platform/kernel/kernel.h"
#include "platform/kernel/trace.h"

enum ts_activity_source {
#define TS_ACTIVITY(id, name, text) TS_ACTIVITY_##id,
#include "config/activity.def"
    TS_ACTIVITY_SOURCES
};

struct ts_activity_text {
    const char *name, *text;
};
extern const struct ts_activity_text ts_activity_text[TS_ACTIVITY_SOURCES];

#define TS_ACTIVITY_PIECE 4096u // cycles
#define TS_ACTIVITY_BYTES (TS_ACTIVITY_PIECE / 8)

struct ts_activity_lane {
    uint8_t *piece;   // that the last work lay in
    ts_cycle begin;   // its first cycle
    uint8_t **pieces; // of TS_ACTIVITY_BYTES each, or NULL: nothing happened
    uint32_t count;
    bool short_of_memory;
};

struct ts_activity_place {
    const struct ts_domain *domain; // "tile[1-2]", "chip[0].tile[1-2]"
    bool used;                      // its matrix unit executed an MVMUL
    int chip, x, y;                 // raw NoC 0 coordinates; -1: it has none
    struct ts_activity_lane *lanes; // by source; in the memory of the domain, which ranks exchange
};

struct ts_activity {
    struct ts_meter meter; // first
    struct ts_kernel *kernel;
    struct ts_activity_place *places; // by the index of the domain
    uint32_t count;
    struct ts_activity_lane **lane_of; // of an object's busy cycles, by its id; NULL: none
    ts_cycle end;                      // of the run, once it has stopped
    struct ts_trace_ring shut;
};

// For a kernel that is elaborated: begins to count. After the trace bus, if there is one. NULL: out of memory.
struct ts_activity *ts_activity_new(struct ts_kernel *kernel);
// After the last run, while the kernel is there: no more is counted. False: it ran out of memory, and the sums are wrong.
bool ts_activity_stop(struct ts_activity *self);
void ts_activity_free(struct ts_activity *self);

#define TS_ACTIVITY_ALL UINT32_MAX

// Exact sums over the cycles [from, to), cut into bins of `bin` cycles from `from` on (the last one may be shorter): of
// a place, or of all of them. Of MVMULs: cycles; of other sources: cycles summed over the members. `from` and
// `bin` are multiples of the shortest bin (of MVMULs 1 cycle, of the others 8); `sums` has room for (to - from + bin - 1) / bin and is overwritten.
void ts_activity_series(const struct ts_activity *self, uint32_t place,
                        enum ts_activity_source source, ts_cycle from, ts_cycle to, ts_cycle bin,
                        uint64_t *sums);
// The first run of MVMULs of a place that ends after `at`, from `at` on: [*from, *to). False: there is none before the end.
bool ts_activity_run(const struct ts_activity *self, uint32_t place, ts_cycle at, ts_cycle *from,
                     ts_cycle *to);
// Of one bin. Of sources other than MVMULs, `to` counts from the next multiple of 8 on.
uint64_t ts_activity_sum(const struct ts_activity *self, uint32_t place,
                         enum ts_activity_source source, ts_cycle from, ts_cycle to);
