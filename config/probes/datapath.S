// Matrix unit, vector unit, packer. Sources: mesham/tt-sim (tensixbench), boopdotpng/tenstorrent-docs and blackhole-py.
//
//   phase_a    blocks of 64 inline words, slope over the number of blocks: threads, w0, walks (T1 through Dst)
//   slope      16 inline words and a loop, slope over the rounds, loop included: w0 .. w3, bodies, fused
//   total      the same from marker to marker, with STALLWAIT and the PC buffer's sync: rounds
//   batch      a MOP of REPLAYs, then STALLWAIT and sync, marker to marker: inner, bodies
//   pairs      matrix (w0) and vector (w1) instructions that share Dst, in groups: slope of REPLAYs in a MOP
//   two_threads  the same at once from T1 and T2
//   scale      256 vectors of Dst times 2: the body once for each, by REPLAY and MOP
//   packs      a MOP of PACRs in a loop, drained each time: inner, from (interfaces), wide (32-bit output)
#include "tensix.inc"

#ifdef WORMHOLE
DST_OF_ADDR_MOD_0 = 23
#else
DST_OF_ADDR_MOD_0 = 28
#endif
#define ELWADD                     OP(ELWADD)
#define ELWMUL                     OP(ELWMUL)
#define MVMUL                      OP(MVMUL)
#define SFP(name, vb, vc, vd, mod) (OP(name) | (vb) << 12 | (vc) << 8 | (vd) << 4 | (mod))
#define SFPADD(a, c, d)            (OP(SFPADD) | 10 << 16 | (a) << 12 | (c) << 8 | (d) << 4)
#define SFPMUL(a, d)               (OP(SFPMUL) | (a) << 16 | 10 << 12 | 9 << 8 | (d) << 4)
#define SFPMAD(a, d)               (OP(SFPMAD) | (a) << 16 | 10 << 12 | 9 << 8 | (d) << 4)
#define SFPLOAD(d)                 (OP(SFPLOAD) | (d) << 20 | 3 << 16 | 7 << 13)
#define SFPSTORE(d)                (OP(SFPSTORE) | (d) << 20 | 3 << 16 | 7 << 13)
#define SWAP                       SFP(SFPSWAP, 0, 1, 0, 0)
#define SHUFFLE                    SFP(SFPSHFT2, 0, 0, 1, 3)

#define SYMBOLS(S) S(from, UNSET) S(inner, UNSET) S(rounds, UNSET) S(size, UNSET) S(w0, UNSET) S(threads, 1) S(walks, 0) \
S(fused, 0) S(bodies, 1) S(w1, 0) S(w2, 0) S(w3, 0) S(w4, 0) S(wide, 0)

// Word number \i of a body of up to five.
.macro body_word i
.if (\i) == 0
TT(w0)
.elseif (\i) == 1
TT(w1)
.elseif (\i) == 2
TT(w2)
.elseif (\i) == 3
TT(w3)
.else
TT(w4)
.endif
.endm

// STALLWAIT on the unit and the PC buffer's sync, as the probes end.
.macro drain condition
PUSH(STALL(0x1ff, \condition))
wait_for_drain
.endm

// ---- inline words

.macro prepare_phase_a
.if t == first
TT(SETDVALID) // both banks of both files are the matrix unit's for good
.endif
.if t == 1 && walks
TT(SETC16(DST_OF_ADDR_MOD_0, 8)) // Dst += 8
.endif
.endm

.macro block_of_phase_a
.rept 64
TT(w0)
.endr
.endm

.macro phase_a
phase prepare_phase_a, block_of_phase_a, take_slowest first, threads
.endm

.macro inline_loop rounds_, drained
run flags=PUSHED
on_thread 1
.if fused
fusion_on
.endif
li2 t2, \rounds_
marker
100:
.if w0
i = 0
.rept 16
.if bodies == 2
TT(w0)
TT(w1)
.else
body_word i % bodies
.endif
i = i + 1
.endr
.endif
next_round 100b
.if \drained
drain C_VECTOR
.endif
finish
take_thread 1
.endm

.macro slope
inline_loop 64, 0
inline_loop 256, 0
.endm

.macro total
inline_loop rounds, 1
.endm

// ---- REPLAYs by a MOP

// `words' is a macro that has the body of `length' words; T1, with a 32-bit Dst.
.macro replays words, length, inner, condition
run flags=PUSHED
on_thread 1
wide_dst
TT(SETDVALID)
.if \inner
TT(REPLAY(\length, 1))
\words
SET_MOP(1, \inner, NOP, NOP, NOP, REPLAY(\length, 0), NOP, REPLAY(\length, 0), REPLAY(\length, 0))
.endif
wait_for_drain
marker
.if \inner
PUSH(RUN_MOP)
drain \condition
.endif
finish
take_thread 1
.endm

.macro all_bodies
i = 0
.rept bodies * vectors
body_word i % bodies
i = i + 1
.endr
.endm

.macro batch
vectors = 1
replays all_bodies, bodies, inner, C_MATRIX
.endm

.macro scale
vectors = 32 / bodies
replays all_bodies, (bodies * vectors), (256 / vectors), C_VECTOR
.endm

// Groups of `size' matrix and as many vector instructions; the matrix unit walks through a tile.
.macro paired
i = 0
.rept 32
.if i / size & 1
TT(w1)
.else
block = i / (2 * size) * size + i % size
TT(w0 + 64 + 8 * (block % 8))
.endif
i = i + 1
.endr
.endm

.macro pairs
replays paired, 32, 32, (C_MATRIX|C_VECTOR)
replays paired, 32, 96, (C_MATRIX|C_VECTOR)
.endm

.macro two_threads_of inner
run flags=PUSHED
t = 1
.rept 2
on_thread t
.if t == 1
wide_dst
TT(SETDVALID)
.endif
TT(REPLAY(16, 1))
i = 0
.rept 16
.if t == 1
TT(w0 + 64 + 8 * (i % 8))
.else
TT(w1)
.endif
i = i + 1
.endr
SET_MOP(1, \inner, NOP, NOP, NOP, REPLAY(16, 0), NOP, REPLAY(16, 0), REPLAY(16, 0))
wait_for_drain
start_clock
PUSH(RUN_MOP)
drain (C_MATRIX|C_VECTOR)
finish
t = t + 1
.endr
take_slowest 1, 2
.endm

.macro two_threads
two_threads_of 32
two_threads_of 96
.endm

// ---- packs

#define PACR(from, last) (OP(PACR) | (from) << 8 | (last) << 15 | (last))

.macro packs
run flags=PUSHED
on_thread 2
li2 a3, CFG
CONFIG(12, 2 | 32 << 16)
CONFIG(24, 0xffff)
CONFIG(28, 16 << 8 | 1 << 16 | 1)
CONFIG(69, (0x30000 >> 4) - 1)
.if wide
CONFIG(70, 1)
CONFIG(18, 1) // Read_32b_data
CONFIG(1, 0)
.else
CONFIG(70, 1 | 5 << 4 | 5 << 8) // BF16
CONFIG(18, 0)
CONFIG(1, 5 << 25)
.endif
TT(OP(SETADCXX) | 4 << 21 | 15 << 10)
TT(SETC16(37, 4))
TT(SETC16(38, 1 << 5))
SET_MOP(1, inner, NOP, NOP, NOP, PACR(from, 0), NOP, PACR(from, 1), PACR(from, 1))
wait_for_drain
li2 t2, 32
start_clock
100:
PUSH(RUN_MOP)
drain C_PACK
next_round 100b
finish
take_thread 2
.endm

#include FAMILY_TABLE
