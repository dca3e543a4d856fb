// Scripted traffic: a component that issues NoC requests as a core would, without a core.
//
// It programs the registers of its tile's NIUs and looks at their counters, at a given pace: that
// is all software can do. Used by `tensim run` of NoC workloads, by tests and to re-create measurements of the
// network.
#pragma once

#include "platform/chip/chip.h"

enum ts_traffic_kind {
    TS_TRAFFIC_REQUEST, // `count` requests
    TS_TRAFFIC_BARRIER, // until all answers are there
    TS_TRAFFIC_SENT,    // until all writes have left
    TS_TRAFFIC_WORD,    // until the word at `address` of its own memory is `value`
};

struct ts_traffic_op {
    enum ts_traffic_kind kind;
    // Request: the registers.
    unsigned noc;
    uint32_t word[TS_NOC_INITIATOR_WORDS];
    uint32_t answers; // that one request causes
    uint32_t count;   // requests
    // Pace.
    ts_cycle at;  // not before
    uint32_t gap; // cycles of work for each request, or of a poll
    // Word.
    uint32_t address, value;
    // Results.
    ts_cycle started, ended; // first and last request; or when the wait began and ended
};

struct ts_traffic {
    struct ts_component base;
    struct ts_noc_site *site;
    unsigned proc;
    struct ts_traffic_op *ops;
    size_t count;
    // State.
    size_t next;
    uint32_t issued; // requests of the current op
    ts_cycle look;   // the "core" looks whether the initiator is free
    ts_cycle free;   // and has written the registers
    bool looked;
    uint64_t expected[TS_NOC_COUNT][3]; // answers: atomic, write, read
    bool expects[TS_NOC_COUNT];         // it has issued something there
    uint64_t requests;                  // counter
};

// Before elaboration; several in a tile must use different NoCs, or no barrier. The ops belong to
// the caller.
void ts_traffic_init(struct ts_traffic *self, struct ts_chip *chip, struct ts_noc_xy tile,
                     struct ts_traffic_op *ops, size_t count);

// Requests, for the fields of an op; coordinates are raw NoC 0's. A static channel below 0 means a
// dynamic one.
struct ts_traffic_op ts_traffic_write(const struct ts_chip *chip, unsigned noc,
                                      struct ts_noc_xy from, struct ts_noc_xy to, uint64_t source,
                                      uint64_t target, uint32_t length, int vc, bool posted);
struct ts_traffic_op ts_traffic_read(const struct ts_chip *chip, unsigned noc, struct ts_noc_xy by,
                                     struct ts_noc_xy from, uint64_t source, uint64_t target,
                                     uint32_t length);
struct ts_traffic_op ts_traffic_increment(const struct ts_chip *chip, unsigned noc,
                                          struct ts_noc_xy by, struct ts_noc_xy at, uint32_t target,
                                          uint32_t back, uint32_t value, bool posted);
// Makes an increment of all tiles of a rectangle out of one.
void ts_traffic_spread(const struct ts_chip *chip, struct ts_traffic_op *op, struct ts_noc_xy first,
                       struct ts_noc_xy last);
// A multicast to the rectangle between two corners (upper left and lower right, raw NoC 0);
// `receivers` are counted.
struct ts_traffic_op ts_traffic_multicast(const struct ts_chip *chip, unsigned noc,
                                          struct ts_noc_xy from, struct ts_noc_xy first,
                                          struct ts_noc_xy last, uint32_t source, uint32_t target,
                                          uint32_t length, uint32_t ctrl);
