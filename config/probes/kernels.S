// Complete kernels on one tile.
//
// `norm': RMSNorm of one to four tiles of 1024 BF16 values by the three TRISCs, as published with its cycle counts
// (boopdotpng/blackhole-py, tests/compute/fpu): x and gamma from L1, y = x * gamma / sqrt(mean(x * x) + 1e-5) to L1, FP32 in
// between.
//   T0 unpackers --SrcA, SrcB--> T1 matrix and vector unit --Dst--> T2 packer
// Symbols: tiles; math, squares, feed, part (below); phases (of ELWMUL); by_mop (products by one MOP a tile); exported (the scale
// is packed, too, as FP32); plain (no macro for the output either; starts with the set-up); setup (the total starts with
// the set-up of T1). Results: the two marks, and y: an output that is off fails its row.
//
// `triangle': the three threads of a matmul around a few tiles (triangle.inc).
#include "unpack.inc"

// The vector unit by REPLAYs in a MOP (with a macro) or in a straight line; or the matrix unit x * gamma and the vector unit
// the rest.
PORT = 0
VECTOR = 1
HYBRID = 2
// How the hybrid sums squares: pairs of load and multiply-add after the products, after a wait for them, between them, from
// another thread; or load macros.
PAIRS = 0
SERIAL = 1
BETWEEN = 2
BY_T0 = 3
BY_T2 = 4
MACROS = 5
// How T0 continues with the next tile: with all of its configuration; with the addresses only and a wait that the next wait
// replaces; with a wait that holds; or ahead, into the other bank.
FRESH = 0
LOOSE = 1
STRICT = 2
AHEAD = 3
// What is timed.
TOTAL = 0
COMPUTE = 1
PACK = 2

SCALE = OUTPUT + 8192 + 64
FLAGS = SCALE + 512
#define PACR(mode, last) (OP(PACR) | (mode) << 15 | 1 << 8 | (last))
#define UNPACR(engine)   (OP(UNPACR) | (engine) << 23 | 1 << 15 | 1 << 7 | 1 << 6 | 1)

#define SYMBOLS(S) S(tiles, UNSET) S(feed, UNSET) S(math, HYBRID) S(squares, PAIRS) S(part, TOTAL) S(phases, 4) S(by_mop, 0) \
S(exported, 0) S(plain, 0) S(setup, 0)

// Markers of a part: the row's, or another one.
.macro mark_start which
.if part == \which
start
.else
other_start
.endif
.endm

.macro mark_stop which
.if part == \which
stop
.else
other_stop
.endif
.endm

// Signals another core through a flag in L1, and waits for one.
.macro tell flag, value
store \flag, \value
fence
.endm

.macro hear flag, value
li a0, \flag
li a1, \value
132:
lw a2, 0(a0)
fence // the flag may lie in the core's own cache
bne a2, a1, 132b
.endm

// ---- T0

.macro set_base engine, address
config 76 + 48 * \engine, ((\address) >> 4) - 1
config 77 + 48 * \engine, ((\address) >> 4) - 1
.endm

.macro unpack_tile tile
.if feed != AHEAD || \tile == 0
.if feed >= STRICT
TT(SEMWAIT((B_UNPACK | B_SYNC), MATH_DONE))
.else
TT(SEMWAIT(B_UNPACK, MATH_DONE))
.endif
TT(SEM(SEMGET, MATH_DONE))
.endif
.if feed == FRESH || \tile == 0
unpacker 0, (INPUT+\tile*2048), 0
unpacker 1, (GAMMA+\tile*2048), 0
commit 0
TT(OP(SETADCXX) | 1 << 21 | 255 << 10)
TT(OP(SETADCXX) | 2 << 21 | 255 << 10)
TT(OP(SETADCZW) | 3 << 21 | 15)
TT(OP(SETADCXX) | 3 << 21 | 1023 << 10)
.if feed == FRESH
TT(STALL(B_UNPACK, C_CLEAR))
.endif
PROGRAM_MOP(1, 1, UNPACR(0), NOP, UNPACR(1), UNPACR(1), UNPACR(1))
.else
set_base 0, INPUT + \tile * 2048
set_base 1, GAMMA + \tile * 2048
TT(OP(SETADCZW) | 3 << 21 | 15)
.endif
.if feed != FRESH
TT(STALL(B_UNPACK, C_CLEAR))
.endif
TT(RUN_MOP)
TT(STALL(B_UNPACK, C_UNPACK))
TT(SEM(SEMGET, CONFIGURED))
sync
.if feed == AHEAD
TT(SEMSPACE(B_SYNC, UNPACKED))
.endif
TT(SEM(SEMPOST, UNPACKED))
.endm

// ---- T2

.macro position tile
TT(OP(SETADC) | 4 << 21 | 1 << 18)
TT(OP(SETADC) | 4 << 21 | 2 << 18)
TT(OP(SETADC) | 4 << 21 | 3 << 18 | (\tile))
.endm

// A branch that is taken, over code that is not run.
.macro skip words
beq x0, x0, 133f
.rept \words
nop
.endr
133:
.endm

// 16 FP32 values of a Dst tile; the probe finds out at run time how many rows there are.
.macro pack_scale tile
li a3, 16
TT(SEMWAIT(B_TDMA, MATH_PACK))
packer 1
pack_by_rows
TT(OP(SETADC) | 4 << 21 | 3 << 18 | \tile)
li a0, (SCALE >> 4) - 1
set_half 24
li a0, (SCALE >> 4) - 1
srli a0, a0, 16
li a1, 0x8000
or a0, a0, a1
set_half 25
TT(STALL(B_CFG, C_SCALAR | C_PACK))
TT(OP(WRCFG) | 12 << 16 | 69)
li a0, 0
set_half 25
TT(OP(DMANOP))
position \tile
config 180, 0
srli a0, a3, 4
andi a1, a3, 15
beq a0, x0, . + 8 // there is a row
skip 40
TT(OP(SETADCXX) | 4 << 21 | 15 << 10)
PROGRAM_MOP(1, 1, NOP, NOP, PACR(0, 0), PACR(1, 1), NOP)
TT(STALL(B_CFG, C_PACK))
TT(RUN_MOP)
skip 40
TT(STALL(B_SYNC, C_PACK))
sync
TT(SEM(SEMGET, MATH_PACK))
.endm

.macro pack_program
.if exported && math == PORT
pack_scale tiles
.elseif exported
pack_scale 0
.else
TT(SEMWAIT(B_TDMA, MATH_PACK))
.endif
packer 0
pack_by_rows
PROGRAM_MOP(1, 64, NOP, NOP, PACR(0, 0), PACR(1, 1), NOP)
.if math == HYBRID
first_tile = 1
.elseif plain
first_tile = 2 * tiles
.else
first_tile = 0
.endif
tile = 0
.rept tiles
sync
position first_tile + tile
config 69, (((OUTPUT + tile * 2048) >> 4) - 1) | 1 << 31
config 180, 0
TT(OP(SETADCXX) | 4 << 21 | 15 << 10)
TT(RUN_MOP)
TT(STALL(B_SYNC, C_PACK))
sync
tile = tile + 1
.endr
.if !exported
TT(SEM(SEMGET, MATH_PACK))
.endif
mark_stop PACK
mark_stop TOTAL
stay
.endm

#include "norm_math.inc"

// ---- the program

.macro others
tile_ = 0
.rept tiles
other_tile tile_
tile_ = tile_ + 1
.endr
.endm

.macro norm
split = 0
.if squares == BY_T0 || squares == BY_T2
split = 1
.endif
stage
on_core T0
init_semaphores
sync
.if !plain
TT(SEM(SEMPOST, UNPACKED))
.endif
tile_ = 0
.rept tiles
unpack_tile tile_
tile_ = tile_ + 1
.endr
.if squares == BY_T0
others
.endif
stay
on_core T1
math_program
on_core T2
.if squares == BY_T2
others
.endif
pack_program
data_from INPUT, x_values, 2048 * tiles
data_from GAMMA, gamma_values, 2048 * tiles
take_marks
take OUTPUT, 512 * tiles
.endm

x_values:
i = 0
.rept 4096
.2byte (i * 7 & 1) << 15 | (0x3f00 + i * 37 % 0x140)
i = i + 1
.endr
gamma_values:
i = 0
.rept 4096
.2byte (i * 5 >> 2 & 1) << 15 | (0x3f40 + i * 29 % 0x80)
i = i + 1
.endr

#include "triangle.inc"

#include FAMILY_TABLE
