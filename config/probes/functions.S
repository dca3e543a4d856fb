// Functions of the vector unit on four vectors by TRISC1. Each interval is marked on its own and ends with a drain; they add up.
// Source: boopdotpng/blackhole-py, operation tests (sfpu_math).
//
// `functions NAME times'. Results: 0, and the cycles of all intervals.
#include "unpack.inc"

X = 3
TMP = 4
C = 5

#define SYMBOLS(S)

.macro none
.endm

.macro add_
TT(SFP4(SFPADD, 10, 0, 1, 0, 0))
.endm

.macro subtract
TT(SFP4(SFPADD, 10, 0, 1, 0, 2))
.endm

.macro multiply
TT(SFP4(SFPMUL, 0, 1, 9, 0, 0))
.endm

.macro negate
TT(SFP2(SFPMOV, 0, 0, 0, 1))
.endm

.macro reciprocal
TT(SFP2(SFPARECIP, 0, 0, 0, 0))
.endm

// Two steps of Newton.
.macro refined
TT(SFP2(SFPMOV, 0, 0, X, 0))
TT(SFP2(SFPARECIP, 0, 0, 0, 0))
constant C, 0x40000000
.rept 2
TT(SFP4(SFPMAD, X, 0, C, TMP, 1))
TT(SFP4(SFPMUL, 0, TMP, 9, 0, 0))
.endr
.endm

// A polynomial of degree 8 of x / 256, squared eight times.
.macro exp
TT(SFP2(SFPMOV, 0, 0, X, 0))
TT(OP(SFPMULI) | 0x3b80 << 8 | X << 4)
constant 0, 0x37d00d01
.rept 8
constant C, 0x3f800000
TT(SFP4(SFPMAD, 0, X, C, 0, 0))
.endr
.rept 8
TT(SFP4(SFPMUL, 0, 0, 9, 0, 0))
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
TT(DST(SFPLOAD, 0, 0, (2 * vector)))
TT(DST(SFPLOAD, 1, 0, (64 + 2 * vector)))
TT(DST(SFPLOAD, 2, 0, (128 + 2 * vector)))
drain
start_part
.rept \times
\name
.endr
drain
stop_part
TT(DST(SFPSTORE, 0, 0, (2 * vector)))
vector = vector + 1
.endr
drain
stay
take_marks
.endm

#include FAMILY_TABLE
