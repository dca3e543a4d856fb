// Unpacks and packs with the RISC-V code around them: configuration, staging copies, drains.
//
//   to_dst    T0 configures unpacker 0 and sends FP32 straight to Dst: MOPs over fragments of 256. count, where (first datum)
//   to_src    T0 configures an unpacker and sends a BF16 tile to SrcA or SrcB; T1 moves it to Dst. engine
//   pack      T2 configures the packer and packs rows of 16 by a MOP, from the launch on: it waits until T0 and T1 have filled
//             Dst. count, where, wide, mode
//   staged    T0 zeroes a scratch page and copies values into it byte by byte, then unpacks it. count, engine, wide, page
//   inserted  T1 puts values into Dst lane by lane: the vector unit's immediates. count, where, wide
//
// Source: boopdotpng/blackhole-py, tests/movement and tests/operation_pocs/transport. All cores start cold and together; on the
// card the firmware starts them within a few dozen cycles. Results: the two marks.
#include "unpack.inc"

#define PACR(mode, from, last)      (OP(PACR) | (mode) << 15 | (from) << 8 | (last))
#define UNPACR(engine, mode, valid) (OP(UNPACR) | (engine) << 23 | (mode) << 15 | 0x80 | (valid) << 6 | 1)
SCRATCH = INPUT + 0x3000
PRNG_SEED = 186

// Modes of the packer.
PLAIN = 0
RELU = 1
CLAMP = 2
STOCHASTIC = 3

#define SYMBOLS(S) S(count, UNSET) S(page, UNSET) S(where, UNSET) S(wide, 0) S(mode, PLAIN) S(engine, 0)

// s4 N, s5 M, s6 BYTES, s7 FROM, s8 TO, s9 VALUE, s10 INDEX, s11 LIMIT, t3 W, t4 X, t5 Y, t6 Z

// A word with bits from a register.
.macro issue_or bits, register
li t4, \bits
or t5, \register, t4
store_register PUSH_AT, t5
.endm

// SETADCXX of as many data as a register says.
.macro set_x set, register
addi t3, \register, -1
slli t3, t3, 10
issue_or (SETADCXX(\set,0)), t3
.endm

// ---- T0 and T1: Dst

.macro play_by outer
mop_sync
store_register MOP_CFG, \outer
store MOP_CFG + 4, 1
MOP_WORDS(REPLAY(2, 0), NOP, NOP, NOP, NOP, NOP)
.endm

// Fragments of 256 data, as many as s6 says, then what is left.
.macro unpack_to_dst to
unpacker 0, INPUT, 1, \to
commit 0
.if mode == STOCHASTIC
TT(RMW(0, 7, 6, 1))
.else
TT(RMW(0, 7, 0, 1))
.endif
TT(REPLAY(2, 1))
TT(UNPACR(0, 0x11, 0))
TT(STALL(B_UNPACK, 2))
TT(SETADCZW(3, 15))
TT(SEMWAIT(B_UNPACK, MATH_DONE))
TT(SEM(SEMGET, MATH_DONE))
TT(SEMSPACE(B_UNPACK, UNPACKED))
TT(STALL(B_UNPACK, C_TRISC_CFG | C_PACK))
srli s4, s6, 2
srli s5, s4, 8
andi s4, s4, 255
beq s5, x0, 101f
TT(SETADCXX(1, 255))
play_by s5
TT(RUN_MOP)
j 101f
101:
beq s4, x0, 102f
set_x 1, s4
li t6, 1
play_by t6
TT(RUN_MOP)
102:
TT(STALL(B_UNPACK, C_SCALAR | 2))
TT(SEM(SEMGET, CONFIGURED))
sync
TT(SETC16(5, 4))
TT(SEM(SEMPOST, UNPACKED))
.endm

// What T1 does meanwhile: zeroes a tile of Dst, gives Dst away, and takes it back.
.macro hand_over
on_core T1
init_semaphores
.if mode == STOCHASTIC // the seed, and 600 words until it has taken effect
config PRNG_SEED, 0x13579bdf
PROGRAM_MOP(1, 600, NOP, NOP, SFPNOP, SFPNOP, NOP)
TT(RUN_MOP)
TT(STALL(B_VECTOR, C_VECTOR))
.endif
TT(OP(ZEROACC) | 3 << 19 | 1 << 18 | 1 << 14 | (where / 1024 * 4))
TT(STALL(B_SYNC, C_MATRIX))
TT(SEMSPACE(B_SYNC, MATH_DONE))
TT(SEM(SEMPOST, MATH_DONE))
TT(SEMWAIT(B_SYNC, UNPACKED))
TT(SEM(SEMGET, UNPACKED))
TT(STALL(B_SYNC, C_MATH))
TT(SEM(SEMPOST, MATH_PACK))
stay
.endm

.macro to_dst
stage
on_core T0
li s6, 4 * count
start
unpack_to_dst where
stop
stay
hand_over
take_marks
.endm

// ---- T0 and T1: SrcA and SrcB

.macro to_src
stage
valid = OP(UNPACR_NOP) | 1 << 23 | 1 << 8 | 1
on_core T0
TT(OP(ZEROSRC) | 1 << 2 | 3) // both, all banks
TT(STALL(B_UNPACK, C_UNPACK))
start
unpacker engine, INPUT, 0
commit engine
TT(SETADCXX((engine + 1), 255))
TT(SETADCZW(3, 15))
TT(STALL(B_UNPACK, 32 << engine))
.if engine
PROGRAM_MOP(4, 1, UNPACR(1, 1, 1), NOP, NOP, NOP, NOP)
.else
PROGRAM_MOP(4, 1, UNPACR(0, 1, 1), NOP, valid, valid, valid)
.endif
TT(STALL(B_UNPACK, C_TRISC_CFG))
TT(RUN_MOP)
TT(STALL(B_UNPACK, 2 << engine))
TT(SEM(SEMGET, CONFIGURED))
sync
stop
stay
on_core T1
init_semaphores
TT(SETC16(0, 0))
TT(SETC16(1, 0))
TT(STALL(B_CFG, C_MATH))
TT(RMW(3, 0x20, 0x20, 1))
.if engine
step = 4
move = OP(MOVB2D) | 4 << 12 | 2 << 14
release = SETRWC(3, 2) | 2 << 18
TT(SETC16(14, 4 << 8))
.else
step = 8
move = OP(MOVA2D) | 2 << 12 | 2 << 14
release = SETRWC(3, 3)
TT(SETC16(14, 8))
.endif
TT(SETC16(30, step))
TT(SETC16(49, 0))
TT(SETRWC(0, 15))
TT(STALL(B_MATH, 128 << engine))
mop_sync
store MOP_CFG, 4
store MOP_CFG + 4, 16 / step
MOP_WORDS(NOP, release, NOP, move, move, move)
TT(RUN_MOP)
stay
take_marks
.endm

// ---- T2

.macro configure_packer
.if mode == RELU
packer wide, 0, (1<<2)
.elseif mode == CLAMP
packer wide, 0, (3<<2|0x3fc0<<6)
.elseif mode == STOCHASTIC
packer wide, 6
.else
packer wide
.endif
.endm

.macro set_output tile
TT(SETADC(3, \tile))
li t3, (OUTPUT >> 4) - 1
set_half 24, t3, s9, t6, t4
li s7, (OUTPUT >> 4) - 1
srli s7, s7, 16
li s8, 0x8000
or s8, s8, s7
set_half 25, s8, s9, t6, t4
TT(STALL(B_CFG, C_SCALAR | C_PACK))
TT(OP(WRCFG) | 12 << 16 | 69)
set_half 25, s7, s9, t6, t4
TT(OP(DMANOP))
.endm

.macro rows_by_mop last
TT(SETADCXX(4, 15))
mop_sync
store MOP_CFG, 1
store_register MOP_CFG + 4, s5
MOP_WORDS(NOP, NOP, NOP, PACR(0, 1, 0), \last, NOP)
.endm

// Rows of 16 by a MOP, as many as s4 says, then what is left by another.
.macro pack
stage
on_core T0
li s6, 4096
unpack_to_dst (where/1024*1024)
stay
hand_over
on_core T2
li s4, count
start
TT(SEMWAIT(B_TDMA, MATH_PACK))
configure_packer
pack_by_rows
set_output (where/1024)
TT(SETADC(1, (where % 1024 / 16 & 15)))
TT(SETADC(2, (where % 1024 / 16 >> 4)))
TT(SETADC(3, where / 1024))
config 180, 0
srli s5, s4, 4
andi s4, s4, 15
beq s5, x0, 103f
beq s4, x0, 101f
rows_by_mop (PACR(0,1,0))
j 102f
101:
rows_by_mop (PACR(1,1,1))
102:
TT(STALL(B_CFG, C_PACK))
TT(RUN_MOP)
103:
beq s4, x0, 104f
set_x 4, s4
PROGRAM_MOP(1, 1, NOP, NOP, PACR(0, 1, 0), PACR(1, 1, 1), NOP)
TT(STALL(B_CFG, C_PACK))
TT(RUN_MOP)
104:
TT(STALL(B_SYNC, C_PACK))
sync
TT(SEM(SEMGET, MATH_PACK))
stop
stay
take_marks
.endm

// ---- staged

.macro staged
.if wide
size = 4
shift = 2
.else
size = 2
shift = 1
.endif
stage
on_core T0
li s4, count
other_start // the probe has an empty pair first
other_stop
start
other_start
li s8, SCRATCH
li s10, 0
li s11, (page * size + 64) / 4
100:
bgeu s10, s11, 101f
sw x0, 0(s8)
addi s8, s8, 4
addi s10, s10, 1
j 100b
101:
slli s6, s4, shift
li s7, INPUT
li s8, SCRATCH
li s10, 0
addi s11, s6, 0
102:
bgeu s10, s11, 104f
lbu s9, 0(s7)
sb s9, 0(s8)
addi s7, s7, 1
addi s8, s8, 1
addi s10, s10, 1
j 102b
104:
fence
other_stop
unpacker engine, SCRATCH, wide
commit engine
config 72 + 48 * engine, 0x25
config 56 + 2 * engine, 2 | 32 << 16
config 57 + 2 * engine, 512
.if engine
config 61, 0
.else
config 84, 64 | 64 << 16
.endif
TT(SETADCXX((engine + 1), (page - 1)))
TT(SETADCZW(3, 15))
TT(STALL(B_UNPACK, C_TRISC_CFG))
TT(UNPACR(engine, 1, 1))
TT(STALL(B_UNPACK, 2 << engine))
TT(SEM(SEMGET, CONFIGURED))
sync
stop
stay
take_marks
.endm

// ---- inserted

// One vector: a lane after the other is enabled, and takes its value as an immediate.
.macro insert vector
TT(OP(SFPENCC) | 2)
TT(SFPLOADI(0, 0, 0))
li s10, 0
li s11, 32
100:
bgeu s10, s11, 102f
TT(OP(SFPENCC) | 3 << 12 | 10)
slli s5, s10, 1
sub t3, x0, s5
slli t6, t3, 20
srli t6, t6, 8
issue_or (SFP2(SFPIADD,0,15,7,5)), t6
TT(SFP2(SFPSETCC, 0, 7, 0, 6))
addi s5, s5, \vector / 2 * 64 + \vector % 2
bgeu s5, s4, 101f
.if wide
slli s7, s5, 2
.else
slli s7, s5, 1
.endif
li s9, INPUT
add s7, s7, s9
.if wide
lw s9, 0(s7)
srli s8, s9, 16
slli s9, s9, 16
srli s9, s9, 16
issue_or (SFPLOADI(0,0,0)), s8
issue_or (SFPLOADI(0,10,0)), s9
.else
lhu s9, 0(s7)
issue_or (SFPLOADI(0,0,0)), s9
.endif
101:
addi s10, s10, 1
j 100b
102:
TT(OP(SFPENCC) | 2)
TT(DST(SFPSTORE, 0, 0, (where % 1024 / 16 + \vector * 2)))
.endm

.macro inserted
stage
on_core T1
li s4, count
other_start // the probe has an empty pair first
other_stop
start
TT(SETC16(0, 0))
TT(SETC16(1, where / 1024 * 64))
TT(STALL(B_CFG, C_MATH))
TT(RMW(3, 0x20, 0x20, 1))
TT(SETC16(12, 0))
TT(SETC16(28, 0))
TT(SETC16(47, 0))
TT(SETRWC(0, 15))
.irp vector, 0, 1, 2, 3
insert \vector
.endr
TT(STALL(B_SYNC, C_VECTOR))
sync
stop
stay
take_marks
.endm

#include FAMILY_TABLE
