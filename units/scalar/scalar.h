// units/scalar/scalar.h: the Scalar Unit (ThCon): 64 GPRs a thread, arithmetic, memory, atomics.
//
//   wait gates T0 T1 T2 --> [ one instruction at a time, its thread is stopped ] <--> GPRs
//                                        |                       |
//                                   L1 requests             MMIO requests
//
// An instruction occupies the unit, and closes its thread's gate, until it is done. A request then
// continues on its own: the result arrives later, and busy_until gives STALLWAIT C0 the cycle.
//
// Source: tt-isa-documentation WormholeB0/ScalarUnit.md and the instruction pages (no Blackhole
// page differs).
// Timing: scalar_* of config/blackhole.yaml.
// Inaccuracies: contention for GPR ports is not modelled; REG2FLOP never waits for the
// configuration unit; in-flight requests are limited to TS_SCALAR_REQUESTS (hardware's limit is not
// published).
#pragma once

#include "units/tensix.h"

#define TS_SCALAR_REQUESTS 16

// A memory request in flight.
struct ts_scalar_request {
    ts_cycle due; // cycle of the next effect
    uint8_t op;   // of the instruction
    uint8_t thread;
    uint8_t gpr;         // result register
    uint8_t bytes;       // LOADIND, STOREIND
    uint8_t mask;        // ATSWAP: halves written
    bool answered;       // ATINCGET: memory was done, the GPR is next
    uint32_t addr;       // in L1, or of the register
    uint32_t width_mask; // ATINCGET: bits of the counter
    uint32_t value[4];
};

struct ts_scalar_unit {
    struct ts_unit unit;
    struct ts_tensix *tensix;
    // pipeline
    ts_cycle done;          // the instruction that executes is done; TS_NEVER: it retries
    struct ts_word current; // an instruction that retries: ATCAS, ATINCGETPTR, FLUSHDMA
    ts_cycle attempt;       // next attempt; TS_NEVER: none
    ts_cycle next_atomic;   // atomics keep a distance
    struct ts_word alu;     // arithmetic that has not read its operands yet
    ts_cycle alu_at;        // when it reads them; TS_NEVER: none
    struct ts_scalar_request request[TS_SCALAR_REQUESTS];
    uint8_t requests;
    // counters
    uint64_t retries;
};

// Soft reset: the current instruction and the requests in flight are aborted.
void ts_scalar_abort(struct ts_scalar_unit *self, ts_cycle now);

void ts_scalar_unit_init(struct ts_scalar_unit *self, struct ts_tensix *tensix,
                         struct ts_domain *domain);
