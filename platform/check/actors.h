// The actors of a tile, by number: everything that accesses memory and registers in its own time.
//
//   core c, its loads           in order; done when their value is used
//   core c, stores to region r  in order within the region, no order between regions
//   thread t, gate              in order
//   thread t, unit u            in order within the unit, no order between units
//   NIU n, transaction id i     no order: each phase of a request counts by itself
//   Ethernet TX queue q         packets arrive in order; the source may be read again until the other end has them
//
// Source: BabyRISCV/MemoryOrdering.md, WaitGate.md, NoC/Counters.md, EthernetTile/EthernetTxRx.md.
#pragma once

#include "platform/base/std.h"

// Regions of a core's stores.
enum ts_actor_region {
    TS_REGION_LOADS, // not a region: all loads of the core
    TS_REGION_L1,
    TS_REGION_LOCAL,  // local RAMs by the slow path
    TS_REGION_TENSIX, // GPRs, configuration, TDMA-RISC, MOP configuration, Dst
    TS_REGION_SYNC,   // PC buffers, TTSync, semaphores
    TS_REGION_MAILBOX,
    TS_REGION_PUSH, // instruction FIFOs
    TS_REGION_NOC0,
    TS_REGION_NOC1,
    TS_REGION_OVERLAY,
    TS_REGION_ETH, // registers of Ethernet queues
    TS_REGION_CONTROL,
    TS_REGIONS
};

// Phases of requests, by transaction id; and what has no id.
enum ts_actor_phase {
    TS_PHASE_READ,   // bytes of a read are in L1
    TS_PHASE_SENT,   // the source of a write has been read
    TS_PHASE_ACKED,  // bytes of a write are in the far memory
    TS_PHASE_ATOMIC, // done at its target
    TS_PHASES
};

// Phases of what an Ethernet TX queue sends.
enum ts_actor_eth {
    TS_ETH_PHASE_SENT,   // its source has been read
    TS_ETH_PHASE_LANDED, // its bytes are at the other end
    TS_ETH_PHASE_ISSUE,  // the order in which the queue takes commands
    TS_ETH_PHASES
};

#define TS_ACTOR_CORES        5u
#define TS_ACTOR_THREADS      3u
#define TS_ACTOR_UNITS        12u // as units/isa/opcodes.h numbers them; 0 is the gate
#define TS_ACTOR_UNPACK0      2u
#define TS_ACTOR_UNPACK1      3u
#define TS_ACTOR_MATRIX       4u
#define TS_ACTOR_PACK         5u
#define TS_ACTOR_VECTOR       6u
#define TS_ACTOR_CFG          8u
#define TS_ACTOR_IDS          16u
#define TS_ACTOR_THREAD_FIRST (TS_ACTOR_CORES * TS_REGIONS)
#define TS_ACTOR_NOC_FIRST    (TS_ACTOR_THREAD_FIRST + TS_ACTOR_THREADS * TS_ACTOR_UNITS)
#define TS_ACTOR_NOC_EACH     (TS_PHASES * TS_ACTOR_IDS + 3)
#define TS_ACTOR_ETH_FIRST    (TS_ACTOR_NOC_FIRST + 2 * TS_ACTOR_NOC_EACH)
#define TS_ACTOR_QUEUES       3u
#define TS_ACTORS             (TS_ACTOR_ETH_FIRST + TS_ACTOR_QUEUES * TS_ETH_PHASES)
#define TS_ACTOR_NOBODY       0xff
#define TS_ACTOR_HOST         0xfe // host and loader: in order with everybody

_Static_assert(TS_ACTORS < TS_ACTOR_HOST, "an actor has 8 bits");

#define TS_ACTOR_CORE(core, region) ((uint8_t)((core)*TS_REGIONS + (region)))
#define TS_ACTOR_UNIT(thread, unit) \
    ((uint8_t)(TS_ACTOR_THREAD_FIRST + (thread)*TS_ACTOR_UNITS + (unit)))
#define TS_ACTOR_GATE(thread) TS_ACTOR_UNIT(thread, 0)
#define TS_ACTOR_NOC(noc, phase, id) \
    ((uint8_t)(TS_ACTOR_NOC_FIRST + (noc)*TS_ACTOR_NOC_EACH + (phase)*TS_ACTOR_IDS + (id)))
// Posted writes: their source, their bytes at the far side (no counter tells of these); and the order
// in which the NIU takes requests.
#define TS_ACTOR_POSTED_SENT(noc)   TS_ACTOR_NOC(noc, TS_PHASES, 0)
#define TS_ACTOR_POSTED_LANDED(noc) TS_ACTOR_NOC(noc, TS_PHASES, 1)
#define TS_ACTOR_ISSUE(noc)         TS_ACTOR_NOC(noc, TS_PHASES, 2)
#define TS_ACTOR_ETH(queue, phase)  ((uint8_t)(TS_ACTOR_ETH_FIRST + (queue)*TS_ETH_PHASES + (phase)))

// What kind an actor is: the rows and columns of the tables.
enum ts_actor_class {
    TS_CLASS_CORE,
    TS_CLASS_UNIT,
    TS_CLASS_READ, // of the NoC
    TS_CLASS_SENT,
    TS_CLASS_POSTED,
    TS_CLASS_LANDED,
    TS_CLASS_ATOMIC,
    TS_CLASS_ETH_SENT,
    TS_CLASS_ETH_LANDED,
    TS_CLASSES
};

static inline enum ts_actor_class ts_actor_class(unsigned actor)
{
    static const uint8_t phases[TS_PHASES] = {TS_CLASS_READ, TS_CLASS_SENT, TS_CLASS_LANDED,
                                              TS_CLASS_ATOMIC};
    if (actor < TS_ACTOR_THREAD_FIRST)
        return TS_CLASS_CORE;
    if (actor < TS_ACTOR_NOC_FIRST)
        return TS_CLASS_UNIT;
    if (actor >= TS_ACTOR_ETH_FIRST)
        return (actor - TS_ACTOR_ETH_FIRST) % TS_ETH_PHASES == TS_ETH_PHASE_SENT
                   ? TS_CLASS_ETH_SENT
                   : TS_CLASS_ETH_LANDED;
    unsigned phase = (actor - TS_ACTOR_NOC_FIRST) % TS_ACTOR_NOC_EACH;
    if (phase < TS_PHASES * TS_ACTOR_IDS)
        return (enum ts_actor_class)phases[phase / TS_ACTOR_IDS];
    return phase == TS_PHASES * TS_ACTOR_IDS ? TS_CLASS_POSTED : TS_CLASS_LANDED;
}
