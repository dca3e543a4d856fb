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
#pragma once

#include "cores/pto/ring_finding.h"
#include "platform/kernel/component.h"

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
