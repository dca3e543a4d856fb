// The bus of a tile's baby cores: what they reach outside L1 and their local RAMs. The tile has its registers
// (platform/tile/bus.c); a core asks what a page is, loads and stores.
//
// Source: BabyRISCV/README.md (memory map), MemoryOrdering.md.
#pragma once

#include "platform/kernel/component.h"

enum ts_rv_id { TS_RV_BRISC, TS_RV_TRISC0, TS_RV_TRISC1, TS_RV_TRISC2, TS_RV_NCRISC, TS_RV_CORES };

extern const char *const ts_rv_core_names[TS_RV_CORES];
// Index of "brisc" ... "ncrisc"; -1 if it is not one of them.
int ts_rv_core_by_name(const char *name);

#define TS_RV_LOCAL_BASE 0xffb00000u
#define TS_RV_MMIO_BASE  0xffb00000u
#define TS_RV_MMIO_PAGES 1024 // of 4 KiB: up to 0xffefffff
#define TS_RV_PUSH_BASE  0xffe40000u

// What a page of the upper address space is, for one core: decides latency and ordering.
enum ts_rv_region {
    TS_RV_REGION_NONE, // unmapped: faults
    TS_RV_REGION_L1,
    TS_RV_REGION_LOCAL,
    TS_RV_REGION_SYNC,   // mailboxes, PC buffers, TTSync, semaphores
    TS_RV_REGION_TENSIX, // GPRs, backend configuration, TDMA-RISC, MOP configuration, Dst
    TS_RV_REGION_PUSH,   // instruction FIFOs
    TS_RV_REGION_MMIO,   // tile control, PIC, NoC, overlay
    TS_RV_REGION_SLOW,   // local RAMs through the slow path
    TS_RV_REGION_COUNT
};

// The bus's answer to an access.
enum ts_rv_answer {
    TS_RV_DONE,
    TS_RV_WAIT,   // not now: object and reason say for what; its writer wakes the object's waiters
    TS_RV_REFUSE, // code and text say why
};

struct ts_rv_reply {
    uint32_t value; // of a load
    uint32_t delay; // cycles lost to contention
    bool settled;   // load: the value cannot change without a write that wakes `object`'s waiters;
                    // store: another one to the same address would have to wait for `object`
    enum ts_stall reason;           // WAIT
    const struct ts_object *object; // WAIT, or what to watch when settled
    ts_cycle until;                 // WAIT: retry at this cycle even without a wake; 0: not known
    enum ts_code code;              // REFUSE
    char text[300];                 // REFUSE
};

// The initial answer; the text counts only with a code.
static inline void ts_rv_reply_clear(struct ts_rv_reply *reply)
{
    memset(reply, 0, offsetof(struct ts_rv_reply, text));
}

// Everything a core reaches outside L1 and its own local RAM. One object serves a tile's cores.
struct ts_rv_bus_ops {
    enum ts_rv_answer (*load)(void *context, unsigned core, uint32_t address, unsigned size,
                              ts_cycle now, struct ts_rv_reply *reply);
    // `count` words go to the same address, in order (more than one only for fused .ttinsn).
    enum ts_rv_answer (*store)(void *context, unsigned core, uint32_t address, unsigned size,
                               const uint32_t *words, unsigned count, ts_cycle now,
                               struct ts_rv_reply *reply);
    // tt_cfg_qstatus (0) and tt_cfg_bstatus (1). Front ends catch up with `reached`; from there to `now`, if that is
    // later, nothing else happens in them.
    uint32_t (*status)(void *context, unsigned core, unsigned which, ts_cycle reached,
                       ts_cycle now);
    // The core has left its interrupt handler; there may be another interrupt for it.
    void (*returned)(void *context, unsigned core, ts_cycle now);
    // A load takes an old value from L0; may be NULL.
    void (*stale)(void *context, unsigned core, uint32_t pc, uint32_t address, ts_cycle now);
    // A load from the guarded part of L1; may be NULL.
    void (*guarded)(void *context, unsigned core, uint32_t pc, uint32_t address, ts_cycle now);
};

struct ts_rv_bus {
    const struct ts_rv_bus_ops *ops;
    void *context;
    uint8_t region[TS_RV_CORES][TS_RV_MMIO_PAGES]; // enum ts_rv_region by page
};
