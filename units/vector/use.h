// Which registers a vector instruction reads and writes, in fact and as the interlock sees them,
// and the effect on the next instruction.
//
// The hardware stalls an instruction for one cycle when the one before takes two cycles to write a
// register it is seen to read. Where the interlock does not see a read, hardware reads the old
// value: the model does so too and reports the hazard.
// Source: tt-isa-documentation BlackholeA0 SFPMAD.md, SFPLUTFP32.md, SFPSWAP.md, SFPSHFT2.md.
#pragma once

#include "units/vector/vector.h"

struct ts_vector_use {
    uint32_t reads;  // bit per LReg: read in the first cycle
    uint32_t seen;   // what the interlock treats as reads
    uint32_t writes; // written (or, for the interlock, assumed to be)
    uint8_t sub;     // enum ts_vector_sub
    uint8_t latency; // cycles until a result may be read
    bool alone;      // in the next cycle the unit takes only SFPNOP
    bool dst_read, dst_write;
};

// With the unit's state, an instruction whose VD of 12..15 only writes a template uses nothing;
// without it (NULL) it counts as executed.
struct ts_vector_use ts_vector_use(const struct ts_vector *v, const struct ts_vector_insn *insn);

// The sub-unit that executes an opcode (SFPNOP: any but the store sub-unit, when scheduled).
unsigned ts_vector_sub(uint8_t op);

enum ts_vector_order { TS_ORDER_FREE, TS_ORDER_STALL, TS_ORDER_STALE };

// next is presented in the cycle after before was issued: STALL for one cycle, or STALE if it would
// read a value not yet written and hardware does not stall it. Not for scheduled instructions: they
// are never stalled.
static inline enum ts_vector_order ts_vector_order(const struct ts_vector_use *before,
                                                   const struct ts_vector_use *next,
                                                   uint8_t next_op)
{
    if (before->latency < 2)
        return TS_ORDER_FREE;
    if (before->alone)
        return next_op == TS_OP_SFPNOP ? TS_ORDER_FREE : TS_ORDER_STALL;
    if (before->writes & next->seen)
        return TS_ORDER_STALL;
    return before->writes & next->reads ? TS_ORDER_STALE : TS_ORDER_FREE;
}
