// Circular buffers and semaphores of a data-movement core, a thousand times each.
//
// BRISC runs the helper in a loop; where it waits, NCRISC answers a request in L1 after 64 rounds of a delay. Credits are
// counters of the overlay; the rest of a buffer's state is in local memory. Source: boopdotpng/blackhole-py, microbench_sem_cb.py
// and the helpers of its time (ttk/cb.py, ttk/noc.py). Its assembler keeps constants in registers and adds small differences.
//
// `thousand BODY core', answered=1: NCRISC answers. Results: the two marks.
#include "stage.inc"
#include "cb.inc"

ROUNDS = 1000
DELAY = 64
REQUEST = 0x134000 // sequence, kind, delay, done
WORD = 0x134100    // the semaphore
BUFFER = 0xffb00020
interface = BUFFER
STOP = 0xffffffff // kind of the last request
FOR_CREDIT = 1    // kinds of requests
FOR_WORD = 3

#define SYMBOLS(S) S(answered, 0)

// ---- the core that is timed

// A request; t0 holds an address `near' bytes above its place, or is to be loaded.
.macro request kind, near=0
addi s8, s8, 1
.if \near
distance = \near
.else
distance = 8
li t0, REQUEST + 8
.endif
li t1, DELAY
sw t1, 8 - distance(t0)
addi t1, t1, \kind - DELAY
sw t1, 4 - distance(t0)
sw s8, -distance(t0)
fence
.endm

.macro answer
110:
li t1, REQUEST + 12
lw t0, 0(t1)
beq t0, s8, 111f
fence
j 110b
111:
fence
.endm

.macro empty
addi s1, s1, 1
.endm

.macro signal
request FOR_CREDIT
answer
.endm

// The buffer is emptied first, and another core brings the page.
.macro cb_wait_front_blocked
li t6, BUFFER
lw t0, 0(t6)
sw t0, 16(t6)
sw t0, 20(t6)
li t0, 0
sw t0, 24(t6)
li t0, RECEIVED(0)
sw x0, 0(t0)
sw x0, -8(t0)
fence
request FOR_CREDIT
cb_wait_front 0
answer
.endm

// The coprocessor writes the count, too, when its packer is done.
.macro cb_push_back_both
cb_receive 0
slli t4, t1, 8
li t5, OP(SETDMAREG) | 48
add t4, t4, t5
li t5, PUSH_AT
sw t4, 0(t5)
TT(STALL(32, 8))
li t1, OP(STOREREG) | 24 << 18 | (RECEIVED(0) >> 2 & 0x3ffff)
sw t1, 0(t5)
fence
.endm

.macro semaphore_set
li s4, WORD
li t0, 1
sw t0, 0(s4)
fence
.endm

.macro semaphore_wait
li s4, WORD
li t1, 1
wait_for_word s4, t1
.endm

.macro semaphore_wait_blocked
li t0, WORD
sw x0, 0(t0)
request FOR_WORD, (WORD-REQUEST)
addi s4, t0, 0
addi t1, t1, 1 - FOR_WORD
wait_for_word s4, t1
answer
.endm

// An increment of the tile's own word, and its answer.
.macro semaphore_increment
li s4, WORD
li t2, BUFFER + 0x100
lbu t0, 0(t2)
lbu t1, 2(t2)
slli t1, t1, 6
or a5, t0, t1
li t0, NIU + 0x200
lw s5, 0(t0)
addi s5, s5, 1
li t0, NIU + 0x1840
112:
lw t1, 0(t0)
bne t1, x0, 112b
li t0, NIU + 0x180c
li t1, 4
sw t1, 0(t0)
sw x0, 0x04(t0)
sw a5, 0x08(t0)
sw s4, -0x0c(t0)
sw x0, -0x08(t0)
sw a5, -0x04(t0)
li t1, 0x2091 // marked answer, static channel 1
sw t1, 0x10(t0)
li t1, 0x107c // increment by 32 bits
sw t1, 0x14(t0)
sw x0, 0x18(t0)
li t1, 1
sw t1, 0x1c(t0)
sw t1, 0x34(t0)
li t0, NIU + 0x200
113:
lw t1, 0(t0)
bltu t1, s5, 113b
.endm

// ---- NCRISC waits for the next request, counts down, answers

.macro ncrisc
li s7, 0
100:
li t0, REQUEST
lw s0, 0(t0)
beq s0, s7, 100b
addi s7, s0, 0
lw s1, 4(t0)
lui t1, 0
addi t1, t1, -1
beq s1, t1, 107f
lw s2, 8(t0)
101:
beq s2, x0, 102f
addi s2, s2, -1
j 101b
102:
li t1, FOR_CREDIT
beq s1, t1, 103f
addi t1, t1, 1
beq s1, t1, 104f
addi t1, t1, 1
beq s1, t1, 104f
j 106f
103:
li t0, RECEIVED(0)
li t1, 1
sw t1, 0(t0)
j 106f
104:
li t0, WORD
li t1, 1
sw t1, 0(t0)
106:
li t0, REQUEST + 12
sw s7, 0(t0)
j 100b
107:
stay
.endm

.macro thousand body, core, chip
stage "\chip", 0
on_core \core
// A buffer of 32768 pages with a page in it, the tile's coordinates, a word that is 1.
store BUFFER, 0x4000000
store BUFFER + 4, 0x10000000
store BUFFER + 8, 2048
store BUFFER + 12, 32768
store BUFFER + 16, 0
store BUFFER + 20, 0
store BUFFER + 24, 1 << 16
store BUFFER + 0x100, 1 | 4 << 16
store RECEIVED(0), 1
store ACKED(0), 0
store WORD, 1
li s8, 0
fence
start
li s0, ROUNDS
108:
beq s0, x0, 109f
\body
addi s0, s0, -1
j 108b
109:
stop
store REQUEST + 4, STOP
store REQUEST, STOP
stay
.if answered
on_core NCRISC
ncrisc
.endif
take_marks
.endm

#include FAMILY_TABLE
