// Scalar, sync and configuration units, and the words that only they take.
//
// `blocks': a TRISC runs n blocks of 64 inline words and reads the wall clock before and after (mesham/tt-sim, tensixbench
// phase A): threads (one: T1; two: T0 and T1), word. Results: an empty loop of 20 and 60 blocks, then the words.
//
// `pushes' (boopdotpng/tenstorrent-docs: tensix_instr_bench, microbench_sem_cb, microbench_xmov): a loop of stores to the push
// address, which may wait for the coprocessor in every round; its figures include what a cold start costs. The program is as
// its source has it: a header of results, an empty loop with its record, then the loop of the row, all straight text that
// runs once. thread, rounds, count, a and b (pushed in turn), drain (a STALLWAIT after them), sync (then waits on the PC
// buffer), plain (instructions of the loop besides test, count and jump), xmov, beyond_sync (its empty loop drains, too).
// Results: the loop; with xmov also the empty one.
#include "tensix.inc"

#define IMM(name)          (OP(name) | 1 << 23) // operand B is a constant
#define STALLWAIT          OP(STALLWAIT)
#define SEMINIT(max, init) (OP(SEMINIT) | (max) << 20 | (init) << 16 | 1 << 2)
#define SEMPOST            (OP(SEMPOST) | 1 << 2)
#define SEMGET             (OP(SEMGET) | 1 << 2)
#define SEMWAIT            (OP(SEMWAIT) | B_SYNC << 15 | 1 << 2 | 2) // while at the maximum
#define SETDMAREG          (OP(SETDMAREG) | 8)
#define RDCFG              (OP(RDCFG) | 4 << 16 | 12)

RESULTS = 0x12a000

#define SYMBOLS(S) S(rounds, UNSET) S(word, UNSET) S(threads, 1) S(thread_, 1) S(count, 0) S(a, 0) S(b, 0) S(drain, 0) \
S(sync, 0) S(plain, 0) S(xmov, 0) S(beyond_sync, 0)

.macro words_of_block
.rept 64
TT(word)
.endr
.endm

.macro blocks
phase as_it_is, words_of_block, take_slowest first, threads
.endm

// ---- loops of pushes

.macro put_words to, words:vararg
li s2, \to
place = 0
.irp w, \words
li t0, \w
sw t0, place(s2)
place = place + 4
.endr
.endm

.macro drained
.if waits
sw s7, 0(s3)
.endif
sw x0, 0(s8)
lw s1, 0(s8)
and x0, x0, s1
.endm

// `loop_count' pushes, `loop_sync', `waits': of this loop.
.macro timed_loop
li s1, 0x584d0000
li s3, 0xffe40000
li s8, 0xffe80004
li s7, STALL(B_SYNC, C_MOVER)
.if loop_count
li s4, a
.if b != a
li s5, b
.endif
.endif
clock a2, a3
addi s0, x0, rounds
100:
beq s0, x0, 101f
i = 0
.rept loop_count
.if (i & 1) && b != a
sw s5, 0(s3)
.else
sw s4, 0(s3)
.endif
i = i + 1
.endr
.if loop_sync
drained
.endif
.rept plain
addi s1, s1, 1
.endr
addi s0, s0, -1
j 100b
101:
clock a4, a5
.if loop_count && !loop_sync
drained
.endif
.endm

.macro pushes_of number, synced
// microbench_xmov pushes nothing before its loop, and no firmware has.
.if xmov
run
.else
run flags=PUSHED
.endif
on_thread thread_
.if !xmov
TT(SEMINIT(2, 1)) // a semaphore to work on, at 1 of 2
wait_for_drain
.endif
.balign 16
put_words RESULTS, 0x584d4248, 3, 2, 16, 0x584d0001, 4, RESULTS, 192
loop_count = 0
loop_sync = 0
waits = 0
timed_loop
put_words RESULTS + 64, 0x584d4252, 3, 0, 0, 0, 4, 0, 0
sw a2, 32(s2)
sw a3, 36(s2)
sw a4, 40(s2)
sw a5, 44(s2)
sw s1, 48(s2)
sw x0, 52(s2)
sw x0, 56(s2)
sw x0, 60(s2)
loop_count = \number
loop_sync = \synced
waits = drain
.if loop_count || loop_sync
timed_loop
.endif
sub a3, a4, a2
record_and_stay
take_thread thread_
.endm

.macro pushes
pushes_of count, sync
.if xmov
pushes_of 0, beyond_sync
.endif
.endm

#include FAMILY_TABLE
