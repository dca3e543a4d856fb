// units/vector/unit.h: the Vector Unit (SFPU) in time.
//
//   wait gates T0 T1 T2 --> [ one instruction a cycle | SFPLOADMACRO's calendar ] <--> Dst
//
// The interlock holds an instruction for one cycle where hardware does (use.h); where
// hardware does not, the old value is read and the hazard reported. The unit steps on its own only
// while SFPLOADMACRO has booked instructions that execute without further issues.
//
// Source: tt-isa-documentation BlackholeA0/VectorUnit.md; bodies in vector.h.
// Timing: config/vector.def; vector_idle and dst_switch_* of config/blackhole.yaml.
// Inaccuracies: scheduled stores take no part in the arbitration for Dst.
#pragma once

#include "units/files/files.h"
#include "units/vector/use.h"

// A store of SFPLOADMACRO; a load of the same place within as many cycles as are kept here gets the
// old data.
#define TS_VECTOR_STORES 5
struct ts_vector_stored {
    ts_cycle at;
    uint16_t place; // ts_vector_place; 0: none
};

// A word as it was decoded last, by a few bits of the word.
#define TS_VECTOR_WORDS 256
struct ts_vector_decoded {
    struct ts_vector_insn insn;
    struct ts_vector_use use; // when it executes
    bool plain;               // can be promised
    bool touches_dst;
};

// When promised words pass: the same words often come back. Without data that depends on nothing but the words, on
// whether the first one stalls, and on who used Dst last.
#define TS_VECTOR_PLANS 32
struct ts_vector_plan {
    uint32_t words[TS_PROMISE_MOST];
    uint32_t decodes;      // words that were decoded before it was made
    uint8_t asked;         // words that were to be promised; 0: not to be used again
    bool stalls;           // the first one does
    uint8_t dst;           // cycle of the first one that accesses Dst; TS_PROMISE_MOST: none does
    uint8_t count, cycles; // words that pass, and in how many cycles
    uint64_t passes;       // by cycle, as in struct ts_promise
    uint64_t acts;         // those that do more than take time
    uint8_t place[TS_PROMISE_MOST]; // by cycle: the decoded word that passes
};

struct ts_vector_unit {
    struct ts_unit unit;
    struct ts_files *files;
    struct ts_vector_decoded decoded[TS_VECTOR_WORDS];
    uint32_t decodes; // how many words were put there
    // architectural
    struct ts_vector state;
    uint16_t sp[TS_THREADS]; // RWC.Sp
    // pipeline
    struct ts_vector_use before; // the last instruction issued
    ts_cycle issued;             // and when
    ts_cycle clocked;            // last cycle that was executed
    struct ts_vector_stored stored[TS_VECTOR_STORES];
    struct ts_vector_plan plans[TS_VECTOR_PLANS];
    const struct ts_vector_plan *promised;
    // counters
    uint64_t executed, hazards;
};

void ts_vector_unit_init(struct ts_vector_unit *self, struct ts_files *files,
                         struct ts_domain *domain);
// The state that a soft reset of the math unit leaves.
void ts_vector_unit_reset(struct ts_vector_unit *self);
