// units/files/files.h: SrcA, SrcB and Dst as the data path's units share them, with the time they
// change.
//
//   unpackers --> SrcA, SrcB banks --> MATRIX <--> Dst <--> VECTOR
//                                                   Dst --> PACK
//
// The bodies move data at the cycle an instruction starts; the cycle from which others may see it
// is kept here: a bank handed over by an unpacker is the matrix unit's from `valid[bank]` on, a Dst
// block can be used again from `block_ready` on. The difference is not observable, because no unit
// reads a bank that is not valid yet. An unpacker needs no separate event to hand a bank over.
//
// Source: tt-isa-documentation SrcASrcB.md, Dst.md; measured: rows S0004, B0560 to B0586.
// A move to Dst (MOVA2D, MOVB2D) keeps the vector accesses of other threads out until it is written, and the next move lets
// one that waits go first: 5.5 cycles a pair (B0565), the 4 of the move's latency and its 1.5. Products do not (B0574).
// Inaccuracies: Dst accesses of the unpackers, and of cores through their window, take no port.
#pragma once

#include "units/files/dst.h"
#include "units/files/src.h"
#include "units/tensix.h"

#define TS_DST_BLOCKS (TS_DST_ROWS / 8)

// Who accessed Dst: switching between the two costs time.
enum ts_dst_user { TS_DST_NOBODY, TS_DST_MATRIX, TS_DST_VECTOR };

struct ts_bank {
    struct ts_object object; // first: waits name it
    struct ts_files *files;
    uint8_t srcb, index;
    ts_cycle valid; // handed over to the matrix unit, counts from this cycle on
    ts_cycle freed; // returned to the unpacker, counts from this cycle on
};

struct ts_files {
    struct ts_tensix *tensix;
    bool timing_only; // times without data
    struct {
        struct ts_srcs srcs;
        struct ts_dst dst;
        ts_cycle block_ready[TS_DST_BLOCKS];   // by physical block of 8 rows
        uint32_t block_section[TS_DST_BLOCKS]; // of MATH_PACK in which math wrote it last (lint.h)
    } streamed; // through the functions below only (units/isa/promise.h)
    uint16_t
        block_cols; // BLOCK_DEST_MOV of the vector unit's lanes: columns that moves do not touch
    // time
    struct ts_bank bank[2][2]; // [SrcA, SrcB][bank]
    struct ts_object dst_object;
    ts_cycle dst_access; // last cycle of an access by MATRIX or VECTOR
    struct {
        ts_cycle at;    // last access
        uint8_t user;   // enum ts_dst_user of the last access
        uint8_t group;  // accesses in a row of that user, at most 2
        uint32_t depth; // cycles until the last one has left its pipeline
    } dst_last[TS_THREADS];
    struct {
        ts_cycle until; // written before this cycle: no vector access of another thread
        uint8_t thread;
    } dst_move;              // the last move to Dst
    ts_cycle unpack_address; // an UNPACR is in its address phase before this cycle
};

void ts_files_init(struct ts_files *self, struct ts_tensix *tensix, struct ts_domain *domain);

// Dst, after the words that are due.
static inline struct ts_dst *ts_files_dst(struct ts_files *self, ts_cycle now)
{
    ts_promise_cut(self->tensix, now);
    return &self->streamed.dst;
}
// The physical block of a row.
static inline unsigned ts_files_block(const struct ts_files *self, bool dst32, uint32_t row)
{
    return ts_dst_block(&self->streamed.dst, dst32, row);
}
// From which cycle on a block can be used again.
static inline ts_cycle ts_files_block_ready(const struct ts_files *self, unsigned block,
                                            ts_cycle now)
{
    if (ts_promise_writes(self->tensix->promise, block))
        ts_promise_cut(self->tensix, now);
    return self->streamed.block_ready[block];
}
// Dst, for a reader that has asked when each of its blocks is ready.
static inline const struct ts_dst *ts_files_dst_ready(const struct ts_files *self)
{
    return &self->streamed.dst;
}
// A block's section, for a write of it.
static inline uint32_t *ts_files_block_section(struct ts_files *self, unsigned block, ts_cycle now)
{
    ts_promise_cut(self->tensix, now);
    return &self->streamed.block_section[block];
}
// The same for a read of it, by one that has Dst already (ts_files_dst).
static inline uint32_t ts_files_block_written(const struct ts_files *self, unsigned block)
{
    return self->streamed.block_section[block];
}
// SrcA and SrcB, for a change of the matrix unit's banks.
static inline struct ts_srcs *ts_files_srcs(struct ts_files *self, ts_cycle now)
{
    ts_promise_cut(self->tensix, now);
    return &self->streamed.srcs;
}
// The same for the unpackers' banks: no stream uses them.
static inline struct ts_srcs *ts_files_unpacked(struct ts_files *self)
{
    return &self->streamed.srcs;
}
static inline const struct ts_src_file *ts_files_src(const struct ts_files *self, unsigned srcb)
{
    return srcb ? &self->streamed.srcs.b : &self->streamed.srcs.a;
}

// May the matrix unit use its bank of the file now? False: *hold says what it waits for.
static inline bool ts_files_matrix_has(const struct ts_files *self, unsigned srcb, ts_cycle now,
                                       struct ts_hold *hold)
{
    const struct ts_src_file *file = ts_files_src(self, srcb);
    const struct ts_bank *bank = &self->bank[srcb][file->matrix];
    bool handed = file->bank[file->matrix].owner == TS_SRC_MATRIX;
    if (__builtin_expect(handed && bank->valid <= now, 1))
        return true;
    return ts_held(hold, TS_STALL_SRC_NOT_VALID, &bank->object, handed ? bank->valid : TS_NEVER);
}

// The same for the unpacker.
static inline bool ts_files_unpacker_has(const struct ts_files *self, unsigned srcb, unsigned index,
                                         ts_cycle now, struct ts_hold *hold)
{
    const struct ts_src_file *file = ts_files_src(self, srcb);
    const struct ts_bank *bank = &self->bank[srcb][index];
    bool free = file->bank[index].owner == TS_SRC_UNPACKER;
    if (__builtin_expect(free && bank->freed <= now, 1))
        return true;
    return ts_held(hold, TS_STALL_SRC_NOT_FREE, &bank->object, free ? bank->freed : TS_NEVER);
}

// Wake the waiters: a bank was handed over as of cycle `at`, or returned in cycle `now`.
void ts_files_handed_over(struct ts_files *self, unsigned srcb, unsigned index, ts_cycle at);

// Owners before and after an instruction that may have returned or taken banks.
static inline unsigned ts_files_owners(const struct ts_files *self)
{
    const struct ts_src_bank *a = self->streamed.srcs.a.bank, *b = self->streamed.srcs.b.bank;
    return (unsigned)a[0].owner | (unsigned)a[1].owner << 1 | (unsigned)b[0].owner << 2 |
           (unsigned)b[1].owner << 3;
}
// Wakes the waiters of every bank whose owner differs from `before`.
void ts_files_changed(struct ts_files *self, unsigned before, ts_cycle now);

// STALLWAIT's conditions 5 to 8.
bool ts_files_condition(const struct ts_files *self, unsigned condition, ts_cycle now,
                        struct ts_hold *hold);

// Must a vector access of this thread wait for another thread's move to Dst to be written?
static inline bool ts_files_dst_moves(const struct ts_files *self, unsigned thread, ts_cycle now)
{
    return self->dst_move.until > now && self->dst_move.thread != thread;
}

// One access to Dst by MATRIX or VECTOR in a cycle, and the cost of switching between them: within a
// thread, or after a move of another thread. ts_files_dst_from: the first cycle, not before `now`, the
// access may take place in.
static inline ts_cycle ts_files_dst_from(const struct ts_files *self, unsigned thread,
                                         enum ts_dst_user user, ts_cycle now)
{
    const struct ts_tensix_timing *t = &self->tensix->timing;
    ts_cycle from = self->dst_access == now ? now + 1 : now;
    if (self->dst_last[thread].user + user == TS_DST_MATRIX + TS_DST_VECTOR &&
        self->dst_last[thread].user != user) {
        // MATRIX sees VECTOR's access in the next cycle but one: right behind a single one it passes.
        bool seen = self->dst_last[thread].group > 1 || now > self->dst_last[thread].at + 1;
        uint32_t cost = user == TS_DST_VECTOR ? self->dst_last[thread].depth + t->dst_switch_vector
                        : seen                ? t->dst_switch_matrix
                                              : t->dst_switch_matrix_single;
        ts_cycle ready = self->dst_last[thread].at + 1 + cost;
        if (ready > from)
            from = ready;
    }
    if (user == TS_DST_VECTOR && ts_files_dst_moves(self, thread, from))
        from = self->dst_move.until;
    return from;
}

static inline void ts_files_dst_access(struct ts_files *self, unsigned thread,
                                       enum ts_dst_user user, ts_cycle now, uint32_t depth)
{
    self->dst_access = now;
    self->dst_last[thread].depth = depth;
    bool same = self->dst_last[thread].user == user;
    self->dst_last[thread].group = same ? 2 : 1;
    self->dst_last[thread].user = (uint8_t)user;
    self->dst_last[thread].at = now;
}

// Faults the unit with what a body refused. Returns false, as start does.
struct ts_refusal;
bool ts_unit_refused(struct ts_unit *unit, struct ts_word in, ts_cycle now,
                     const struct ts_refusal *refusal) __attribute__((cold, noinline));
