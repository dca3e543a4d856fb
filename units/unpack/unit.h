// units/unpack/unit.h: one of the two unpackers in time.
//
//   wait gates --> [ address phase | data phase: L1 --> Src bank or Dst ] --> bank to MATRIX
//
// The address phase takes the thread and keeps every other UNPACR out. The data phase runs on its
// own, in order, at the configured speed. The matrix unit must have returned the unpacker's bank before
// data are written to it: until then, what the way from L1 to the bank holds (unpack_latency) is read, and
// the unit takes no further instruction. The bank goes to the matrix unit unpack_valid cycles after the
// last write.
//
// Source: tt-isa-documentation UNPACR_Regular.md, UNPACR_NOP_*.md; bodies in unpack.h.
// Timing: unpack_* of config/blackhole.yaml.
// Inaccuracies: the limit for both unpackers together is not published for Blackhole: none here. On Wormhole (rule
// unpackers_share) the one that begins later waits for the other, where each gets half of the ports: the sum is the same.
// The entire input is read from L1 when the data phase is booked. One instruction waits behind the
// data phase of another; the true depth of the queue is not published.
#pragma once

#include "units/files/files.h"
#include "units/unpack/unpack.h"

#define TS_UNPACK_PLANS 4

struct ts_unpack_unit {
    struct ts_unit unit;
    struct ts_files *files;
    uint8_t which;
    // architectural
    struct ts_unpacker state;
    // pipeline
    ts_cycle begun; // the last instruction's data phase begins
    ts_cycle free;  // and ends
    bool pending;   // `waiting` needs a bank
    struct ts_word waiting;
    int8_t bank;                 // the bank that `waiting` needs
    struct ts_unpack_plan *plan; // of the last UNPACR, the one that waits
    // UNPACRs come back, with the contexts in turn
    struct ts_unpack_plan plans[TS_UNPACK_PLANS];
    uint64_t plan_key[TS_UNPACK_PLANS]; // what they were made for
    // counters
    uint64_t bytes;
};

void ts_unpack_unit_init(struct ts_unpack_unit *self, unsigned which, struct ts_files *files,
                         struct ts_domain *domain);

// The configuration as an instruction of this thread sees it.
struct ts_unpack_view ts_unpack_view_of(const struct ts_files *files, unsigned thread);
