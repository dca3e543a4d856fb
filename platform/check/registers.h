// Races on registers of the coprocessor: configuration, GPRs, banks of Src, the MOP expander's configuration.
//
// PACR and UNPACR read their configuration while they run, but for addresses, which they take when they start. A core's
// store is in order with a later word only if somebody waits for it (TRISC_CFG, a load of the word).
//
// Source: tt-isa-documentation BackendConfiguration.md, STALLWAIT.md, MOPExpander.md, SrcASrcB.md.
// Inaccuracies: a word that the CFG unit writes is in order with later words of the same thread. GPRs that a unit reads may be
// written behind it. Address counters of one thread are in order with its words.
#pragma once

#include "platform/check/findings.h"

struct ts_check_registers {
    // The last word of each thread that read configuration of a unit.
    struct ts_check_place used[TS_ACTOR_UNITS][TS_ACTOR_THREADS];
    // The last store of a core to configuration of a unit, and the threads that have not used it since: a bit each.
    struct {
        struct ts_check_place place;
        uint16_t word;
        uint8_t core, threads;
        bool latched;
    } stored[TS_ACTOR_UNITS];
    // The last word of each thread that changed configuration of a unit; at 0: none.
    struct {
        struct ts_check_place place;
        uint16_t word;
    } set[TS_ACTOR_UNITS][TS_ACTOR_THREADS];
    // By base address of an unpacker's context (bank, unpacker, context): the last word of each thread that took it, the last store
    // of a core; at 0: none.
    struct ts_check_base {
        struct ts_check_place taken[TS_ACTOR_THREADS], stored;
        uint16_t word;
        uint8_t core;
    } base[2][2][8];
    // By word of both banks: what a core stored there, plus 1; 0: nothing, or a thread has written it since.
    uint64_t kept[2 * 1024];
    // By file of Src: has math waited for a bank since math gave the last bank back? The last word that filled a bank; the last
    // move into a bank that nobody waited for.
    bool waited[2];
    struct ts_check_place filled[2], moved[2];
    // The last fill: its thread, and what that knew; as often had its core learned something.
    struct ts_check_filler {
        uint8_t thread;
        uint32_t joined;
        struct ts_vclock *clock; // NULL: nobody has filled the bank
    } filler[2];
    // By file and bank: the word that handed it to math; at 0: none.
    struct {
        uint32_t at;
        struct ts_check_filler by;
    } handed[2][2];
    struct {
        uint32_t at, pc;
    } mop[TS_ACTOR_THREADS]; // not known to have been expanded; at 0: none
    // The last word of each thread that used a set of address counters; at 0: none.
    struct {
        uint32_t at, pc;
        uint8_t unit, op;
    } adc[TS_ACTOR_THREADS * 4][TS_ACTOR_THREADS];
};

struct ts_check;

// A word of a unit that reads the unit's configuration passes its gate.
void ts_registers_used(struct ts_check *self, unsigned thread, unsigned unit);
// A word of configuration is written, as far as `bytes` says (a bit each): by a unit (CFG, SCALAR) for a thread, or by a core's store.
// `bits`: of a masked byte, those that change. `user`: the unit that reads it while it runs; 0: none. `latched`: it reads it when it starts.
void ts_registers_set(struct ts_check *self, unsigned thread, unsigned unit, unsigned word,
                      unsigned bytes, bool masked, uint8_t bits, unsigned user);
void ts_registers_stored(struct ts_check *self, unsigned core, uint32_t pc, unsigned word,
                         unsigned user, bool latched, uint32_t at);
// A word of an unpacker takes the base address of a context when it starts; a core stores it.
void ts_registers_base_taken(struct ts_check *self, unsigned thread, unsigned unit, unsigned bank,
                             unsigned context);
void ts_registers_base_stored(struct ts_check *self, unsigned core, uint32_t pc, unsigned word,
                              unsigned unpacker, unsigned context, uint32_t at);
// Does a core store what the word has from a core's store before? Then nothing changes, whatever the order.
bool ts_registers_kept(struct ts_check *self, unsigned word, uint32_t value);
// A core stores a GPR of a thread.
void ts_registers_gpr(struct ts_check *self, unsigned core, uint32_t pc, unsigned thread,
                      unsigned gpr, uint32_t at);

// The last word that filled a bank hands it to math. Math takes it: that word and those before it have read L1, and
// their thread has waited for what it had to.
void ts_registers_handed(struct ts_check *self, unsigned file, unsigned bank);
void ts_registers_take(struct ts_check *self, unsigned thread, unsigned file, unsigned bank);
// Banks of a file of Src: an unpacker fills one; math waits for one; moves into one; gives one back.
void ts_registers_fill(struct ts_check *self, unsigned thread, unsigned unit, unsigned file);
void ts_registers_wait(struct ts_check *self, unsigned files);
void ts_registers_move(struct ts_check *self, unsigned thread, unsigned unit, unsigned file);
void ts_registers_give(struct ts_check *self, unsigned thread, unsigned unit, unsigned files);

// A word of a unit uses sets of a thread's address counters: a bit for each of its three.
void ts_registers_adc(struct ts_check *self, unsigned thread, unsigned unit, unsigned of,
                      unsigned sets);

// A core pushes a MOP; knows that its MOPs are expanded; stores a register of the expander.
void ts_registers_mop(struct ts_check *self, unsigned core, uint32_t pc, uint32_t at);
void ts_registers_mop_done(struct ts_check *self, unsigned core);
void ts_registers_mop_stored(struct ts_check *self, unsigned core, uint32_t pc, unsigned number,
                             uint32_t at);

void ts_registers_free(struct ts_check_registers *self);
