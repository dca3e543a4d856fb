// The push path and its queues.
//
// Source: mesham/tt-sim riscvbench. Phase T (`groups'): n blocks of inline words, alone or among addi, on one to three TRISCs.
// Phase Q (`burst'): bursts of 16, 32, .. words, with the queues as the burst before left them, drained before, or drained
// within the timed part; the last one is the row's.
//
// groups: threads (one: T1; two: T0 and T1), timed, word, words and plain (addi) of a group, spread (a word after each 4 addi).
// Results: an empty loop of 20 and 60 blocks, then the groups.
// burst: word, words (of the last burst), form.
#include "tensix.inc"

#define ADDDMAREG (OP(ADDDMAREG) | 1 << 23)
ADDI = 0x00168693 // addi a3, a3, 1: no word of the coprocessor has these two low bits
BARRIER = 0x21000
#ifdef WORMHOLE
GROUPS = 16 // of a block, as in the source
#else
GROUPS = 4 // of 16 in the source: they fit into the cache as well
#endif
AS_LEFT = 0
DRAINED = 1
WITHIN = 2

#define SYMBOLS(S) S(form, UNSET) S(word, UNSET) S(words, UNSET) S(threads, 1) S(timed, 1) S(spread, 0) S(plain, 0)

.macro put
.if word == ADDI
addi a3, a3, 1
.else
TT(word)
.endif
.endm

// ---- phase T

.macro group
.if !spread
.rept words
put
.endr
.endif
k = 0
.rept plain
.if spread && k % 4 == 0
put
.endif
addi a3, a3, 1
k = k + 1
.endr
.endm

.macro block_of_groups
.if plain
.rept GROUPS
group
.endr
.else
group
.endif
.endm

.macro groups
phase as_it_is, block_of_groups, take_thread timed
.endm

// ---- phase Q

// The barrier of the source, statement by statement, for a lone T1: counts, publishes the count in L1 and reads it back for
// every active thread. Its variables are in the core's own memory, at t0.
SEQ = 0
BASE = 4
THREAD = 8
ACTIVE = 12

.macro barrier
lw a4, SEQ(t0)
addi a4, a4, 1
sw a4, SEQ(t0)
lw ra, BASE(t0)
lw t1, THREAD(t0)
slli t1, t1, 2
add t1, t1, ra
sw a4, 0(t1)
addi gp, x0, 0
110: // the next thread
lw t1, ACTIVE(t0)
srl t1, t1, gp
andi t1, t1, 1
beq t1, x0, 112f
slli t1, gp, 2
add t1, t1, ra
111:
lw a4, 0(t1)
lw t2, SEQ(t0)
bne a4, t2, 111b
112:
addi gp, gp, 1
addi a4, x0, 3
bne gp, a4, 110b
.endm

.macro burst
run flags=PUSHED
on_thread 1
li2 tp, BARRIER
li2 t0, 0xffb00000
sw x0, SEQ(t0)
sw tp, BASE(t0)
addi t1, x0, 1
sw t1, THREAD(t0)
addi t1, x0, 2
sw t1, ACTIVE(t0)
li2 a5, 16
addi sp, x0, 0 // the next burst has 16 << sp words
li2 s1, words  // of the last
100:
barrier
.if form == DRAINED
wait_for_drain
.endif
start_clock
// The source computes the iterations and checks for none after it has read the clock.
sll t2, a5, sp
srli t2, t2, 4
beq t2, x0, 102f
addi t1, x0, 0
101:
.rept 16
put
.endr
addi t1, t1, 1
bne t1, t2, 101b
102:
.if form == WITHIN
wait_for_drain
.endif
lw a4, 0x1f0(s0)
sub a4, a4, a2
sw a4, 16(tp)
sll t1, a5, sp
addi sp, sp, 1
bne t1, s1, 100b
li2 t0, OUT + 8
sw a4, 0(t0)
li2 t1, DONE
sw t1, 4(t0)
j .
done
take_thread 1
.endm

#include FAMILY_TABLE
