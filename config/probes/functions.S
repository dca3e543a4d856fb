// Functions of the vector unit on four vectors by TRISC1. Each interval is marked on its own and ends with a drain; they add up.
// Source: boopdotpng/blackhole-py, operation tests (sfpu_math).
//
// `functions NAME times'. Results: 0, and the cycles of all intervals.
#include "stage.inc"

#define SFPU3(name, a, b, c, d, mod) (OP(name) | (a) << 16 | (b) << 12 | (c) << 8 | (d) << 4 | (mod))
#define SFPU1(name, c, d, mod)       (OP(name) | (c) << 8 | (d) << 4 | (mod))
#define LOADI(d, mod, imm)           (OP(SFPLOADI) | (d) << 20 | (mod) << 16 | (imm))
#define LOAD(d, place)               (OP(SFPLOAD) | (d) << 20 | 3 << 16 | (place))
#define STORE(d, place)              (OP(SFPSTORE) | (d) << 20 | 3 << 16 | (place))
C_VECTOR = 1 << 11
X = 3
TMP = 4
C = 5

.macro defaults
.endm

// A constant takes two loads of half a register.
.macro constant register, bits
TT(LOADI(\register, 8, \bits >> 16))
TT(LOADI(\register, 10, \bits & 0xffff))
.endm

.macro none
.endm

.macro add_
TT(SFPU3(SFPADD, 10, 0, 1, 0, 0))
.endm

.macro subtract
TT(SFPU3(SFPADD, 10, 0, 1, 0, 2))
.endm

.macro multiply
TT(SFPU3(SFPMUL, 0, 1, 9, 0, 0))
.endm

.macro negate
TT(SFPU1(SFPMOV, 0, 0, 1))
.endm

.macro reciprocal
TT(SFPU1(SFPARECIP, 0, 0, 0))
.endm

// Two steps of Newton.
.macro refined
TT(SFPU1(SFPMOV, 0, X, 0))
TT(SFPU1(SFPARECIP, 0, 0, 0))
constant C, 0x40000000
.rept 2
TT(SFPU3(SFPMAD, X, 0, C, TMP, 1))
TT(SFPU3(SFPMUL, 0, TMP, 9, 0, 0))
.endr
.endm

// A polynomial of degree 8 of x / 256, squared eight times.
.macro exp
TT(SFPU1(SFPMOV, 0, X, 0))
TT(OP(SFPMULI) | 0x3b80 << 8 | X << 4)
constant 0, 0x37d00d01
.rept 8
constant C, 0x3f800000
TT(SFPU3(SFPMAD, 0, X, C, 0, 0))
.endr
.rept 8
TT(SFPU3(SFPMUL, 0, 0, 9, 0, 0))
.endr
.endm

.macro drain
TT(STALL(B_SYNC, C_VECTOR))
sync
.endm

.macro functions name, times
stage
on_core T1
TT(OP(SFPENCC) | 2)
vector = 0
.rept 4
TT(LOAD(0, 2 * vector))
TT(LOAD(1, 64 + 2 * vector))
TT(LOAD(2, 128 + 2 * vector))
drain
start_part
.rept \times
\name
.endr
drain
stop_part
TT(STORE(0, 2 * vector))
vector = vector + 1
.endr
drain
stay
take_marks
.endm

#include "config/silicon/functions.def"
