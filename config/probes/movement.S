// Unpackers, packer, and what both take on the way to and from Dst. Source: boopdotpng/blackhole-py, tests/movement.
//
//   packs    512 FP32 values of Dst to BF16 in L1, 32 times: REPLAYs of PACRs between counter updates and drains. how (the input's
//            position), stride (in blocks), interfaces, fixed (the output's address is set once)
//   passes   1024 values by a MOP of PACRs between two markers, overwriting or accumulating in L1: count, wide, accumulate
//   path     FP32 from L1 to Dst: straight (way 0), or by SrcA (1) or SrcB (2) and moves; from the launch to the matrix
//            thread's answer. count. The interval ends when the unpacker's own thread has drained: its SEMGET is not held by
//            the wait before it, which blocks unpackers only
// Result: the cycles.
#include "tensix.inc"

#define SEMWAIT(block, n) (OP(SEMWAIT) | (block) << 15 | 4 << (n) | 1)
#define PACR(last)        (OP(PACR) | pacr_mask << 8 | (last) << 15 | (last))
UNPACK_DONE = 2
MATH_DONE = 7
INPUT = 0x30000
OUTPUT = 0x50000

// How the input's position is set.
CONTIGUOUS = 0
DRAINED = 1
QUEUED = 2
ONE_COUNTER = 3

#define SYMBOLS(S) S(count, UNSET) S(how, UNSET) S(interfaces, UNSET) S(stride, UNSET) S(way, UNSET) S(fixed, 0) S(wide, 0) \
S(accumulate, 0) S(pacr_mask, 1)

// ---- what the probes' assembler makes of a constant and of a store

.macro store address, value
li t1, \value
li t0, \address
sw t1, 0(t0)
.endm

.macro config index, value
store CFG + 4 * (\index), \value
.endm

// Two words of the profiler: the clock is read, and stored to L1.
.macro mark register
li t0, CLOCK
lw \register, 0(t0)
li t0, OUT + 0x100
sw \register, 0(t0)
nop
nop
.endm

.macro end
li t0, CLOCK
lw a3, 0(t0)
sub a3, a3, a2
li t0, OUT + 8 * thread
sw a3, 0(t0)
li t1, DONE
sw t1, 4(t0)
j .
done
.endm

#define SET_MOP_WORDS(outer, inner, first, body, last, final) \
store MOP_CFG, outer; store MOP_CFG + 4, inner; store MOP_CFG + 8, (first); store MOP_CFG + 12, NOP; store MOP_CFG + 16, NOP; \
store MOP_CFG + 20, (body); store MOP_CFG + 24, NOP; store MOP_CFG + 28, (last); store MOP_CFG + 32, (final)

// ---- packs

.macro configure_packer
.if wide
config 1, 0
config 2, 0
config 12, 64 << 16
config 13, 1024 | 4096 << 16
.else
config 1, 5 << 25
config 2, 0
config 12, 32 << 16
config 13, 512 | 2048 << 16
.endif
config 18, 1 // 32-bit Dst
config 20, 0
config 24, 0xffff
config 28, 1 << 8
config 68, 0x40000
config 69, (OUTPUT >> 4) - 1
.if wide
config 70, 1
.else
config 70, 1 | 5 << 4 | 5 << 8
.endif
TT(OP(SETADCXX) | 4 << 21 | 15 << 10)
TT(SETC16(38, 0x20))
.endm

// Half of a GPR by a pushed SETDMAREG whose value (a4) is computed.
.macro set_gpr_half half
slli a5, a4, 8
li t1, 0x00ffff00
and a5, a5, t1
li t1, OP(SETDMAREG) | \half
or a5, a5, t1
li t0, 0xffe40000
sw a5, 0(t0)
.endm

.macro set_output
TT(SETADC(3, 0))
li a4, (OUTPUT >> 4) - 1
set_gpr_half 24
li a4, ((OUTPUT >> 4) - 1) >> 16
nop // the probe shifts and ors: three instructions more
nop
nop
set_gpr_half 25
TT(STALL(B_CFG, C_SCALAR | C_PACK))
TT(OP(WRCFG) | 12 << 16 | 69)
set_gpr_half 25
TT(OP(DMANOP))
.endm

.macro set_position slot
TT(SETADC(1, (\slot) % 8 * 8 & 15))
TT(SETADC(2, ((\slot) % 8 * 8) >> 4))
TT(SETADC(3, (\slot) / 8))
.endm

.macro pack_once
.if !fixed
set_output
.endif
.if how == CONTIGUOUS
set_position 0
TT(REPLAY_AT(0, length, 0))
.else
.if how == ONE_COUNTER
TT(OP(SETADCZW) | 4 << 21 | 5)
.endif
i = 0
.rept 4
.if i && how == DRAINED
TT(STALL(B_SYNC, C_PACK))
.endif
.if how == ONE_COUNTER
TT(SETADC(1, i * stride * 8))
.else
set_position (i*stride)
.endif
TT(REPLAY_AT(i * length / 4, length / 4, 0))
i = i + 1
.endr
.endif
TT(STALL(B_SYNC, C_PACK))
sync
.endm

.macro packs
length = 32 / interfaces
.if interfaces == 4
pacr_mask = 15
.endif
run flags=PUSHED
on_thread 2
configure_packer
TT(SETC16(37, interfaces))
TT(REPLAY_AT(0, length, 1))
.rept length - 1
TT(PACR(0))
.endr
TT(PACR(1))
sync
pack_once
li t2, 32
mark a2
100:
pack_once
next_round 100b
end
take_thread 2
.endm

// Passes of 64 rows, each with its address set, drained.
.macro passes
run flags=PUSHED
on_thread 2
configure_packer
config 71, accumulate << 19
TT(SETC16(37, 1))
SET_MOP_WORDS(1, 64, NOP, PACR(0), PACR(1), NOP)
sync
mark a2
.rept count
set_position 0
config 69, ((OUTPUT >> 4) - 1) | 1 << 31
config 180, 0
TT(OP(SETADCXX) | 4 << 21 | 15 << 10)
TT(RUN_MOP)
TT(STALL(B_SYNC, C_PACK))
sync
.endr
end
take_thread 2
.endm

// ---- unpackers

// One unpacker for FP32 that lies as it is; to Dst as FP32, or to SrcA or SrcB as BF16.
.macro configure_unpacker
sec = 48 * engine
config 64 + sec, 0x10 | engine * 256 << 16
config 65 + sec, 1 | 4 << 16
config 66 + sec, 0
config 67 + sec, 0
.if direct
config 72 + sec, 0x20
config 73 + sec, 0x33
size = 4
.else
config 72 + sec, 0x25
config 73 + sec, 0x03
size = 2
.endif
config 74 + sec, 0
config 75 + sec, 0
config 56 + 2 * engine, size | (16 * size) << 16
config 57 + 2 * engine, (256 * size) | (1024 * size) << 16
config 48 + 12 * engine, 0
config 49 + 12 * engine, 0
.if engine
config 62, 0
config 132, 0
.else
config 50, 0x100
config 84, 64 | 64 << 16
.endif
config 86 + sec, 256 | 256 << 16
config 92 + sec, 0
config 93 + sec, 0
config 76 + sec, (INPUT >> 4) - 1
config 77 + sec, (INPUT >> 4) - 1
.if engine == 0
.if direct
TT(SETC16(5, 0))
.else
TT(SETC16(5, 4))
.endif
.endif
.endm

.macro path
direct = 0
engine = 0
step = 8
data_count = count
.if way == 0
direct = 1
.if count > 256
data_count = 256
.endif
.elseif way == 2
engine = 1
step = 4
.endif
run flags=PUSHED
on_thread 0
configure_unpacker
TT(OP(SETADCXX) | (engine + 1) << 21 | (data_count - 1) << 10)
TT(OP(SETADCZW) | 3 << 21 | 15)
.if direct
TT(REPLAY_AT(0, 2, 1))
TT(OP(UNPACR) | 0x11 << 15 | 1 << 7 | 1)
TT(STALL(B_UNPACK, C_UNPACK0))
SET_MOP_WORDS(1, (count + 255) / 256, NOP, REPLAY_AT(0, 2, 0), REPLAY_AT(0, 2, 0), NOP)
.else
SET_MOP_WORDS(1, 1, OP(UNPACR) | engine << 23 | 1 << 15 | 1 << 7 | 1 << 6 | 1, NOP, NOP, NOP)
.endif
li t2, 300 // by then T1 is ready, as on the card
100:
next_round 100b
sync
TT(SEMWAIT(B_UNPACK, MATH_DONE))
TT(SEM(SEMGET, MATH_DONE))
sync
mark a2
TT(RUN_MOP)
TT(STALL(B_UNPACK, C_UNPACK0 << engine))
TT(SEM(SEMGET, 5))
TT(SEM(SEMPOST, UNPACK_DONE))
TT(SEMWAIT(B_UNPACK, MATH_DONE))
TT(SEM(SEMGET, MATH_DONE))
sync
end
on_thread 1
.irp n, 0, 1, 2, 3, 4, 5, 6, 7
TT(OP(SEMINIT) | 2 << 20 | 4 << \n)
.endr
TT(OP(ZEROACC) | 3 << 19 | 1 << 18)
TT(SETC16(0, 0))
TT(SETC16(1, 0))
TT(STALL(B_CFG, C_MATRIX | C_VECTOR))
TT(OP(RMWCIB3) | 0x20 << 16 | 0x20 << 8 | 1)
.if !direct
.if engine
move = OP(MOVB2D) | 2 << 14 | 4 << 11
TT(SETC16(14, step << 8))
.else
move = OP(MOVA2D) | 2 << 14 | 2 << 12
TT(SETC16(14, step))
.endif
TT(SETC16(30, step))
TT(OP(SETRWC) | 15)
SET_MOP_WORDS(1, count / (16 * step), NOP, move, move, NOP)
.endif
TT(STALL(B_SYNC, C_MATRIX))
sync
TT(SEM(SEMPOST, MATH_DONE))
TT(SEMWAIT(B_SYNC, UNPACK_DONE))
TT(SEM(SEMGET, UNPACK_DONE))
.if !direct
TT(STALL(B_MATH, C_SRCA_VALID << engine))
TT(RUN_MOP)
TT(OP(SETRWC) | (1 + engine) << 22 | 15)
.endif
TT(STALL(B_SYNC, C_MATRIX))
sync
TT(SEM(SEMPOST, MATH_DONE))
start_clock
finish
take_thread 0
.endm

#include FAMILY_TABLE
