// units/lint.h: races between units that hardware does not interlock, found while they run.
//
// The units report their actions. The lints keep just enough state to detect that something was
// used before it was ready, or changed before it was used. Reports use ts_tensix_report, as all
// others: counted, shown once, faults under strict.
//
//   MATH_PACK      Dst belongs to math until it posts semaphore 1, to the packer until it gets it
//   configuration  a unit that works on an instruction still uses the registers it reads
//   TRISC_CFG      a core's store to the configuration is only ordered before an instruction behind
//                  it by STALLWAIT on TRISC_CFG, or by a load from the configuration; a PACR long
//                  behind the store is an idiom of the vendor's kernels
//   exponents      PACK is idle before SCALAR has read the exponents of a block-float pack
//   flips          STALLWAIT sees a Src bank's flip two cycles late; MOVD2A, MOVD2B do not wait
//   row flags      a ZEROACC loses the flags that an unpack or a store to Dst sets in its cycle
//   descriptors    words 1 to 3 of a tile descriptor are not tracked by the unpacker
//   replayed WRCFG takes the old value of a GPR that the scalar instruction before it writes
//
// Source: the rules that the vendor's low-level kernels (tt-llk) follow and state in their
// comments; cases G04, G23, G24 and G27 of the hang gallery; each row of config/lints.def.
// Inaccuracies: in this model none of these goes wrong (a PACR and an UNPACR read their
//   configuration when they start, a core's stores arrive in order): the lint reports what the
//   hardware does not guarantee. Stores of cores to Dst are not tracked.
#pragma once

#include "units/tensix.h"

// Units whose configuration is tracked, as bits of `dirty`.
enum { TS_LINT_UNPACK0 = 1, TS_LINT_UNPACK1 = 2, TS_LINT_PACK = 4 };
// Words 1 to 3 of their tile descriptors, written by an instruction.
enum { TS_LINT_TILE0 = 8, TS_LINT_TILE1 = 16 };

// Posts and gets of MATH_PACK; SEMINIT counts as a get of every post. A get takes blocks of Dst from
// those that promised MVMULs do not write.
static inline void ts_lint_posted(struct ts_tensix *tensix, unsigned semaphore, unsigned by,
                                  ts_cycle now)
{
    if (semaphore != 1)
        return;
    ts_promise_cut(tensix, now);
    tensix->lint.posts++;
    tensix->lint.poster = (uint8_t)by;
}
static inline void ts_lint_got(struct ts_tensix *tensix, unsigned semaphore, bool all, ts_cycle now)
{
    struct ts_lint *lint = &tensix->lint;
    if (semaphore != 1 || lint->gets == lint->posts)
        return;
    if (tensix->promise && tensix->promise->unit != TS_UNIT_MATRIX)
        ts_promise_cut(tensix, now);
    lint->gets = all ? lint->posts : lint->gets + 1;
}

// A thread writes a block of Dst whose last writer's section is *section. False: a fault.
bool ts_lint_dst(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                 unsigned block, ts_cycle now);
static inline bool ts_lint_dst_write(struct ts_tensix *tensix, struct ts_component *component,
                                     struct ts_word in, uint32_t *section, unsigned block,
                                     ts_cycle now)
{
    const struct ts_lint *lint = &tensix->lint;
    bool taken = *section > lint->gets && *section <= lint->posts && in.thread == lint->poster;
    *section = lint->posts + 1;
    return __builtin_expect(!taken, 1) || ts_lint_dst(tensix, component, in, block, now);
}

// The same for a thread that only reads it.
bool ts_lint_dst_held(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                      unsigned block, ts_cycle now);
static inline bool ts_lint_dst_look(struct ts_tensix *tensix, struct ts_component *component,
                                    struct ts_word in, uint32_t section, unsigned block,
                                    ts_cycle now)
{
    const struct ts_lint *lint = &tensix->lint;
    bool taken = section > lint->gets && section <= lint->posts && in.thread == lint->poster;
    return __builtin_expect(!taken, 1) || ts_lint_dst_held(tensix, component, in, block, now);
}

// A configuration register gets a value, by a thread or a core. False: a fault.
bool ts_lint_config(struct ts_tensix *tensix, struct ts_component *component, unsigned by,
                    unsigned bank, unsigned addr, uint32_t value, ts_cycle now);
// WRCFG of a thread is in the configuration unit's pipeline. False: a fault.
bool ts_lint_wrcfg(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                   unsigned addr, unsigned count, ts_cycle due);
// An instruction of a thread writes a register: what uses it must wait.
void ts_lint_config_written(struct ts_tensix *tensix, unsigned thread, unsigned addr, ts_cycle now);
// A TRISC's store to a register: what uses it must wait.
void ts_lint_config_stored(struct ts_tensix *tensix, unsigned thread, unsigned addr, ts_cycle now);
// A thread's STALLWAIT on these conditions.
void ts_lint_stallwait(struct ts_tensix *tensix, unsigned thread, unsigned conditions,
                       ts_cycle now);

// An UNPACR, PACR or ZEROACC starts. False: a fault.
bool ts_lint_uses_config(struct ts_tensix *tensix, struct ts_component *component,
                         struct ts_word in, unsigned user, ts_cycle now);
static inline bool ts_lint_starts(struct ts_tensix *tensix, struct ts_component *component,
                                  struct ts_word in, unsigned user, ts_cycle now)
{
    return __builtin_expect(!(tensix->lint.dirty[in.thread] & (user | user << 3)), 1) ||
           ts_lint_uses_config(tensix, component, in, user, now);
}
// The packer's, first for every PACR, then for one that opens a stream.
static inline void ts_lint_packs(struct ts_tensix *tensix, unsigned thread, bool block_float)
{
    if (__builtin_expect(block_float, 0))
        tensix->lint.exponents[thread] = true;
}
bool ts_lint_pack_opens(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                        ts_cycle now);
bool ts_lint_zeroacc(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                     ts_cycle now);

// The matrix unit's banks changed owners, as ts_files_owners has them.
static inline void ts_lint_flipped(struct ts_tensix *tensix, unsigned changed, ts_cycle now)
{
    for (unsigned b = 0; b < 2; b++)
        if (changed >> 2 * b & 3)
            tensix->lint.flip_seen[b] = now + 3;
}
// MOVD2A (0) or MOVD2B (1) starts. False: a fault.
bool ts_lint_moves(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                   unsigned srcb, ts_cycle now);

// Arithmetic of SCALAR writes a GPR.
void ts_lint_scalar(struct ts_tensix *tensix, unsigned thread, unsigned gpr);

// Rows of Dst, as blocks, are unpacked in these cycles.
void ts_lint_unpacks_dst(struct ts_tensix *tensix, const uint64_t blocks[2], ts_cycle from,
                         ts_cycle until);
// A block of Dst is read. False: a fault.
bool ts_lint_dst_lost(struct ts_tensix *tensix, struct ts_component *component, struct ts_word in,
                      unsigned block, ts_cycle now);
static inline bool ts_lint_dst_read(struct ts_tensix *tensix, struct ts_component *component,
                                    struct ts_word in, unsigned block, ts_cycle now)
{
    return __builtin_expect(!(tensix->lint.flags_lost[block / 64] >> block % 64 & 1), 1) ||
           ts_lint_dst_lost(tensix, component, in, block, now);
}

// A thread enters a unit that still executes another thread's instruction.
bool ts_lint_two_threads(struct ts_tensix *tensix, struct ts_unit *unit, struct ts_word in,
                         unsigned other, ts_cycle now);

// The unit that reads a word of configuration; TS_UNIT_NONE: none that is followed. Does it take it when it starts, and not
// while it works?
unsigned ts_lint_user(unsigned addr);
bool ts_lint_latched(unsigned addr);
