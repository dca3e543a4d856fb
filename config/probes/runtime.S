// The primitives a runtime is made of, each between two markers on one core.
//
//   credits     circular-buffer credits in the overlay's counters: reserve, publish, wait, release, 16 calls in a row
//   semaphores  post, get, wait and a sync, 7 calls; `peer': one wait for a peer that counts to 1024
//   banks       hand a bank of SrcA or SrcB on: 8 rounds, each interval marked on its own
//   transfer    blocks of 128 elements to or from DRAM, all of the command's set-up included: write, serial, elements, bytes, noc
// Source: boopdotpng/blackhole-py, operation tests, runtime. BRISC and NCRISC issue, TRISC0 and 1 sync. Results: the two marks.
#include "stage.inc"

#define SEMINIT(m, v) (OP(SEMINIT) | (m) << 20 | (v) << 16 | 4 << 2)
#define SEMWAIT(c)    (OP(SEMWAIT) | B_SYNC << 15 | 4 << 2 | (c))
#define EMPTY_POST    OP(SEMPOST) // of no semaphore: waits at the gate, does nothing
FLAG = 0x40000 // in L1, wakes the peer
ON_ZERO = 1
ON_MAX = 2

#define SYMBOLS(S) S(bytes, UNSET) S(elements, UNSET) S(noc, UNSET) S(serial, 0) S(write, 0)

// ---- credits

.macro changed counter
li a2, \counter
lhu a0, 0(a2)
li a1, 1
add a0, a0, a1
slli a0, a0, 16
srli a0, a0, 16
li a7, \counter
sw a0, 0(a7)
fence
.endm

.macro publish slot
changed RECEIVED(\slot)
.endm

.macro release slot
changed ACKED(\slot)
.endm

.macro reserve slot
li a2, RECEIVED(\slot)
lhu a0, 0(a2)
li a1, 1
li a7, ACKED(\slot)
100:
lhu a3, 0(a7)
sub a4, a0, a3
slli a4, a4, 16
srli a4, a4, 16
li a5, 32
sub a6, a5, a4
bgeu a6, a1, 101f
fence
j 100b
101:
fence
.endm

.macro wait slot
li a2, ACKED(\slot)
lhu a0, 0(a2)
li a1, 1
li a7, RECEIVED(\slot)
100:
lhu a3, 0(a7)
sub a4, a3, a0
slli a4, a4, 16
srli a4, a4, 16
bgeu a4, a1, 101f
fence
j 100b
101:
fence
.endm

// `there': pages that a consumer finds.
.macro credits action, slot, there=0
stage
on_core BRISC
.if \slot
store RECEIVED(\slot), (65535 + \there) & 0xffff
store ACKED(\slot), 65535
.else
store RECEIVED(\slot), \there
store ACKED(\slot), 0
.endif
fence
start
.rept 16
\action \slot
.endr
stop
stay
take_marks
.endm

// ---- semaphores

.macro post
TT(OP(SEMPOST) | 4 << 2)
sync
.endm

.macro get
TT(OP(SEMGET) | 4 << 2)
sync
.endm

.macro ready
TT(SEMWAIT(ON_ZERO))
TT(EMPTY_POST)
sync
.endm

.macro space
TT(SEMWAIT(ON_MAX))
TT(EMPTY_POST)
sync
.endm

.macro semaphores action, value
stage
on_core T1
TT(SEMINIT(15, \value))
sync
start
.rept 7
\action
.endr
stop
stay
take_marks
.endm

.macro peer action, value, answer
stage
on_core T1
TT(SEMINIT(1, \value))
sync
start
store FLAG, 1
fence
\action
stop
stay
on_core T0
li a2, FLAG
li a1, 1
100:
lw a0, 0(a2)
fence // the flag may lie in the core's own cache
bne a0, a1, 100b
li a0, 1024
101:
addi a0, a0, -1
bne a0, x0, 101b
store FLAG + 4, 0x76543210
fence
\answer
stay
take_marks
.endm

// ---- banks of SrcA (0) and SrcB (1)

.macro step name, bank
.ifc \name, is_published
TT(OP(UNPACR_NOP) | \bank << 23 | 1 << 8 | 1)
TT(STALL(B_SYNC, 2 << \bank))
.endif
.ifc \name, is_released
TT(OP(CLEARDVALID) | 1 << \bank << 22)
TT(STALL(B_SYNC, 1 << 4))
.endif
.ifc \name, is_valid
TT(STALL(B_SYNC, 128 << \bank))
.endif
.ifc \name, is_free
TT(STALL(B_SYNC, 32 << \bank))
.endif
TT(EMPTY_POST)
sync
.endm

.macro banks timed, bank
stage
on_core T0
number = 0
.rept 8
.irp name, is_free, is_published, is_valid, is_released
store FLAG, number
.ifc \name, \timed
start_part
.endif
step \name, \bank
.ifc \name, \timed
stop_part
.endif
number = number + 1
.endr
.endr
stay
take_marks
.endm

// ---- transfers
//
// a0 interface, a1 initiator, a2 place in DRAM, a3 place in L1, a4 length, a5 coordinate of the bank, a6 own coordinate

TRANSACTION = 3
WRITE_CONTROL = 0x2092
L1_AT = 0x50040
CMD_CTRL = 16
OUTSTANDING = 0x200 + 4 * (16 + TRANSACTION)
OUTGOING = 0x200 + 4 * (32 + TRANSACTION)

.macro poll_zero base, offset
100:
lw a7, \offset(\base)
bne a7, x0, 100b
.endm

.macro drained
poll_zero a1, 4 * CMD_CTRL
.if write
poll_zero a0, OUTGOING
fence
.endif
poll_zero a0, OUTSTANDING
fence
.endm

.macro transfer
block = 128 * bytes
niu = 0xffb20000 + 0x10000 * noc
stage p150
.if write
on_core NCRISC
.else
on_core BRISC
.endif
li s3, 0x100000
start
li a0, niu
li a1, niu + 0x800
poll_zero a1, 4 * CMD_CTRL
poll_zero a0, OUTSTANDING
fence
.if write
poll_zero a0, OUTGOING
fence
.endif
// Twelve words, of which tag and control are not zero.
.irp word, 0, 1, 2, 3, 4, 5
sw x0, 4 * \word(a1)
.endr
li s2, TRANSACTION << 10
sw s2, 24(a1)
.if write
li s2, WRITE_CONTROL
sw s2, 28(a1)
.else
sw x0, 28(a1)
.endif
.irp word, 8, 9, 10, 11
sw x0, 4 * \word(a1)
.endr
li s2, niu + 0x148
lw a6, 0(s2)
slli a6, a6, 20
srli a6, a6, 20
// Bank 0 for the first placement, the last bank for the others.
.if elements == 128 && bytes == 2
li a5, 17 | 14 << 6
.else
li a5, 18 | 14 << 6
.endif
li a4, block
n = 0
.rept elements / 128
.if elements > 128
li a2, 64 + n * block * 2
.else
li a2, 64 + n * block
.endif
add a2, s3, a2
li a3, L1_AT + n * block
poll_zero a1, 4 * CMD_CTRL
.if write
sw a3, 0(a1)
sw a6, 8(a1)
sw a2, 12(a1)
sw a5, 20(a1)
.else
sw a2, 0(a1)
sw a5, 8(a1)
sw a3, 12(a1)
sw a6, 20(a1)
.endif
sw a4, 32(a1)
li s4, 1
sw s4, 4 * CMD_CTRL(a1)
.if serial
drained
.endif
n = n + 1
.endr
drained
stop
stay
take_marks
.endm

#include FAMILY_TABLE
