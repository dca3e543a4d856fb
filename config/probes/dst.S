// Matrix and vector unit side by side on Dst, load macros, reductions.
// Sources: mesham/tt-sim (tensixbench), boopdotpng/blackhole-py (tests/compute).
//
//   formats   phase A of the matrix unit with a source format set: word, format
//   batched   RISC-V loops of inline words, as the Dst bandwidth probe has them: all matrix instructions, then all vector ones
//   grouped   groups of both in one loop: matrix, vector, size
//   macros    256 vectors scaled by load macros, inline or by REPLAY and MOP: how
//   stream    571,851 MVMULs of a matmul over resident operands, by MOPs of REPLAYs
//   sum       eight GAPOOL into one Dst block and three ways to add up what is left: finish; timed (WHOLE or the FINISH)
//   sum_from_l1   that by all three threads: from the launch of the unpackers until T1 has its sum and has notified T2. Packing is
//             not in the published interval: nothing waits for it before the marker
#include "tensix.inc"
#include "unpack.inc"

#define MULTIPLY_ADD    (OP(SFPMAD) | 7 << 8 | 7 << 4) // L7 += L0 * L0
#define LOAD            (OP(SFPLOAD) | 3 << 16)
#define STORE           (OP(SFPSTORE) | 3 << 16)
#define MACRO(reg, row) (OP(SFPLOADMACRO) | (reg) << 20 | 3 << 16 | (row))
#define GAPOOL(mod)     (OP(GAPOOL) | (mod) << 15)

SERIAL = 0
PIPELINED = 1
REPLAYED = 2
WHOLE = 0
FINISH = 1

#define SYMBOLS(S) S(format, UNSET) S(how, UNSET) S(matrix, UNSET) S(size, UNSET) S(vector, UNSET) S(word, UNSET)

.macro drain condition
TT(STALL(B_SYNC, \condition))
wait_for_drain
.endm

// ---- formats

.macro set_format
li2 t0, CFG
li2 t1, format << 17 | format << 21
sw t1, 4(t0)
TT(SETC16(2, 1)) // the configured format counts
TT(SETC16(3, 1))
TT(SETDVALID)
.endm

.macro words_of_block
.rept 64
TT(word)
.endr
.endm

.macro formats
threads = 1
phase set_format, words_of_block, take_thread 1
.endm

// ---- loops: the matrix unit walks through tile 1, the vector unit through tile 0

.macro matrix_word i
TT(matrix + 64 + (\i) % 8 * 8)
.endm

.macro vector_word i
.if vector == MULTIPLY_ADD
TT(MULTIPLY_ADD)
.elseif vector == LOAD
TT(LOAD + ((\i) % 4 << 20) + 2 * (\i))
.else
TT(vector + 2 * (\i))
.endif
.endm

.macro begin_loops
run flags=PUSHED
on_thread 1
fusion_on
wide_dst
TT(SETDVALID)
wait_for_drain
marker
.endm

.macro end_loops
drain (C_MATRIX|C_VECTOR)
finish
take_thread 1
.endm

.macro batched_of repeats
begin_loops
.irp unit, matrix_word, vector_word
li2 t2, \repeats
100:
i = 0
.rept 16
\unit i
i = i + 1
.endr
next_round 100b
.endr
end_loops
.endm

.macro batched
batched_of 32
batched_of 128
.endm

.macro grouped_of repeats
begin_loops
li2 t2, \repeats
100:
first = 0
.rept 32 / size
i = first
.rept size
matrix_word i
i = i + 1
.endr
i = first
.rept size
vector_word i
i = i + 1
.endr
first = first + size
.endr
next_round 100b
end_loops
.endm

.macro grouped
grouped_of 32
grouped_of 128
.endm

// ---- load macros

.macro macros
run flags=PUSHED
on_thread 1
fusion_on
wide_dst
TT(SFPLOADI(6, 0, 0x4000)) // 2.0
TT(SFPCONFIG(0, 15, 1))
TT(SFPNOP)
TT(OP(SFPMUL) | 6 << 16 | 9 << 8 | 12 << 4) // template 0: L6 times what is loaded
TT(SFPLOADI(0, 8, 0x1300))
TT(SFPLOADI(0, 10, 0x8400)) // multiply at t+1, store at t+3
TT(SFPCONFIG(0, 4, 0))
TT(SFPCONFIG(3, 8, 1))
.if how == REPLAYED
TT(REPLAY_AT(0, 8, 1))
i = 0
.rept 4
TT(MACRO(i, 0))
TT(OP(INCRWC) | 2 << 14)
i = i + 1
.endr
SET_MOP(1, 64, NOP, NOP, NOP, REPLAY_AT(0, 8, 0), NOP, REPLAY_AT(0, 8, 0), REPLAY_AT(0, 8, 0))
.endif
drain C_VECTOR
marker
.if how == REPLAYED
TT(RUN_MOP)
.else
i = 0
.rept 256
TT(MACRO(i % 4, 2 * i))
.if how == SERIAL
TT(SFPNOP)
TT(SFPNOP)
TT(SFPNOP)
.endif
i = i + 1
.endr
.endif
.rept 4
TT(SFPNOP)
.endr
drain C_VECTOR
finish
take_thread 1
.endm

// ---- the stream: 69 MOPs of 256 REPLAYs, one of 206, and 11 words

.macro stream
run flags=PUSHED
on_thread 1
TT(SETDVALID)
TT(REPLAY_AT(0, 32, 1))
i = 0
.rept 32
TT(OP(MVMUL) | 8 * i)
i = i + 1
.endr
// The probe has 256 in one loop, which seven documented bits do not hold.
SET_MOP(4, 64, NOP, NOP, NOP, REPLAY_AT(0, 32, 0), NOP, REPLAY_AT(0, 32, 0), REPLAY_AT(0, 32, 0))
drain C_MATRIX
li2 t2, 69
marker
100:
TT(RUN_MOP)
next_round 100b
lw t1, 8(a1) // the MOP expander is idle
andi t1, t1, 0
SET_MOP(2, 103, NOP, NOP, NOP, REPLAY_AT(0, 32, 0), NOP, REPLAY_AT(0, 32, 0), REPLAY_AT(0, 32, 0))
TT(RUN_MOP)
i = 0
.rept 11
TT(OP(MVMUL) | 8 * i)
i = i + 1
.endr
drain C_MATRIX
finish
take_thread 1
.endm

// ---- sums

.macro by_vector
TT(STALL(B_VECTOR, C_MATRIX))
TT(DST(SFPLOAD, 0, 3, 0))
TT(DST(SFPLOAD, 1, 3, 2))
TT(SFP4(SFPADD, 0, 10, 1, 0, 0))
.irp distance, 4, 2, 1
TT(SFP2(SFPMOV, 0, 0, 1, 0))
.rept \distance
TT(SFP2(SFPSHFT2, 0, 1, 1, 3))
.endr
TT(SFP4(SFPADD, 0, 10, 1, 0, 0))
.endr
TT(DST(SFPSTORE, 0, 3, 0))
.endm

.macro by_matrix transpose
TT(STALL(B_CFG, C_MATH))
TT(RMW(0, 0xff, 0x94, 0))
TT(RMW(1, 0x03, 0x02, 0))
TT(SETC16(2, 1))
TT(SETC16(3, 1))
TT(SETRWC(0, 15))
TT(OP(MOVD2B) | (16 * \transpose) << 17 | 3 << 14)
TT(OP(GATESRCRST) | 3)
.if \transpose
TT(OP(TRNSPSRCB))
TT(OP(GATESRCRST) | 3)
.endif
.irp row, 0, 4, 8, 12
TT(OP(MOVB2A) | \row << 17 | 3 << 14 | 2 << 12 | (16 + \row))
.endr
TT(OP(GATESRCRST) | 3)
TT(OP(ZEROACC) | 3 << 19 | 1 << 18 | 3 << 14)
TT(GAPOOL((5 - \transpose)))
TT(GAPOOL(6))
.endm

.macro by_transpose
by_matrix 1
.endm

.macro by_row
by_matrix 0
.endm

// The address modifiers of a sum. `third': the fidelity's register, too.
.macro modifiers third
modifier 0, 16, 0, \third
modifier 1, 16, (1<<13), \third
modifier 2, 16, (1<<15), \third
modifier 3, 0, 0, \third
modifier 4, 0, (1<<13), \third
modifier 5, 0, (2<<13), \third
modifier 6, 0, (1<<15), \third
.endm

.macro eight_pools
.irp mod, 0, 0, 0, 1, 0, 0, 0, 2
TT(GAPOOL(\mod))
.endr
.endm

.macro sum finish_, timed
run flags=PUSHED
on_thread 1
wide_dst
modifiers 0
TT(SETDVALID)
TT(OP(SETRWC) | 15)
TT(OP(SFPENCC) | 2)
TT(REPLAY_AT(0, 8, 1))
eight_pools
drain (C_MATRIX|C_VECTOR)
.if \timed == WHOLE
marker
.endif
TT(REPLAY_AT(0, 8, 0))
.if \timed == FINISH
drain C_MATRIX
marker
.endif
\finish_
drain (C_MATRIX|C_VECTOR)
finish
take_thread 1
.endm

.macro fp32_unpacker engine, address
unpacker \engine, \address, 0
config 64 + 48 * \engine, 0x10 | \engine * 256 << 16 // FP32 in L1
config 72 + 48 * \engine, 0x24                       // TF32 in SrcA and SrcB
config 56 + 2 * \engine, 4 | 64 << 16
config 57 + 2 * \engine, 1024
.endm

.macro sum_from_l1 finish_
stage
on_core T0
init_semaphores
fp32_unpacker 0, INPUT
fp32_unpacker 1, GAMMA
store CONFIG_SYNC, 0
TT(OP(SETADCXX) | 3 << 21 | 1023 << 10)
TT(OP(SETADCZW) | 3 << 21 | 15)
a_ = OP(UNPACR) | 1 << 15 | 0xc1
b_ = a_ | 1 << 23
PROGRAM_MOP(1, 1, a_, NOP, b_, b_, b_)
sync
TT(SEM(SEMPOST, UNPACKED))
TT(SEMWAIT(B_UNPACK, MATH_DONE))
TT(SEM(SEMGET, MATH_DONE))
TT(STALL(B_UNPACK, C_CLEAR))
TT(RUN_MOP)
TT(STALL(B_UNPACK, C_UNPACK))
TT(SEM(SEMGET, CONFIGURED))
sync
TT(SEM(SEMPOST, UNPACKED))
stay
on_core T1
TT(OP(ZEROACC) | 3 << 19 | 1 << 18 | 1 << 14)
TT(STALL(B_CFG, C_MATH))
TT(RMW(3, 0x20, 0x20, 1))
modifiers 1
TT(SETRWC(0, 15))
TT(OP(SFPENCC) | 2)
TT(REPLAY(8, 1))
eight_pools
TT(STALL(B_SYNC, C_MATH))
TT(SEMWAIT(B_SYNC, UNPACKED))
TT(SEM(SEMGET, UNPACKED))
sync
other_start // the probe has an empty pair first
other_stop
start
TT(SEM(SEMPOST, MATH_DONE))
TT(SEMWAIT(B_SYNC, UNPACKED))
TT(SEM(SEMGET, UNPACKED))
TT(STALL(B_MATH, C_VALID))
TT(OP(GATESRCRST) | 3)
sync
other_start
TT(REPLAY(8, 0))
\finish_
TT(STALL(B_SYNC, C_MATH))
sync
other_stop
TT(SETRWC(3, 15))
TT(STALL(B_SYNC, C_MATH))
TT(SEM(SEMPOST, MATH_PACK))
TT(SEMWAIT(B_SYNC, MATH_DONE))
TT(SEM(SEMGET, MATH_DONE))
stop
stay
on_core T2
TT(SEMWAIT(B_SYNC, MATH_PACK))
TT(SEM(SEMGET, MATH_PACK))
TT(SEM(SEMPOST, MATH_DONE))
stay
take_marks
.endm

#include FAMILY_TABLE
