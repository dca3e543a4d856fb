// Requests issued by a core, one by one or in a row.
//
// Source: boopdotpng/tenstorrent-docs, microbenching/noc, riscv_noc_packet_latency. Every register is written every time, 21 to
// 26 instructions a round in all; the loop waits for each answer (blocking) or not.
//
// `trip': a core of 1-2 and the tile x-y. op, noc, bytes, rounds, blocking; seen: the target's word is watched for the last
// increment. Results: the clock before the loop, after it, after the last answer; seen: the cycle.
#include "noc.inc"

READ = 0
WRITE = 1
INCREMENT = 2
STAMPS = 0x8000
NEAR = 0x30000
FAR = 0x20000

#define SYMBOLS(S) S(noc, UNSET) S(op, UNSET) S(x, UNSET) S(y, UNSET) S(rounds, 256) S(blocking, 1) S(seen, 0) S(bytes, 4)

// s2, s3: where data come from and go to; s4 length; s5 own coordinate, s9 the other tile's; s6 answers.
.macro request
free initiator
.if op == READ
words READS, CTRL
put_number CTRL, CTRL_READ
put RET_LO, s3
put RET_MID, x0
put RET_HI, s5
put TARG_LO, s2
put TARG_MID, x0
put TARG_HI, s9
put AT_LEN_BE, s4
put AT_LEN_BE_1, x0
.elseif op == WRITE
words WRITES, CTRL
put_number CTRL, CTRL_READ | CTRL_WRITE
put TARG_LO, s2
put RET_LO, s3
put RET_MID, x0
put RET_HI, s9
put AT_LEN_BE, s4
put AT_LEN_BE_1, x0
.else
words ATOMICS, RET_LO
put_number RET_LO, 4
put RET_MID, x0
put RET_HI, s5
put TARG_LO, s2
put TARG_MID, x0
put TARG_HI, s9
put_number CTRL, CTRL_READ | CTRL_ATOMIC
put_number AT_LEN_BE, 1 << 12 | 31 << 2
put AT_LEN_BE_1, x0
put_number AT_DATA, 1
.endif
go
.endm

.macro trip
.if op == READ
initiator = READS
answers = RD_RESP_RECEIVED
.elseif op == WRITE
initiator = WRITES
answers = WR_ACK_RECEIVED
.else
initiator = ATOMICS
answers = ATOMIC_RESP_RECEIVED
.endif
name_p150 own, 1, 2
name_p150 other, x, y
run p150
at 1, 2
on BRISC, 0
begin
li s9, other
li s5, own
.if op == WRITE
li s2, NEAR
li s3, FAR
.elseif op == READ
li s2, FAR
li s3, NEAR
.else
li s2, FAR
li s3, 4
.endif
li s4, bytes
.if op == WRITE
words WRITES, TARG_HI
put TARG_HI, s5
.endif
counter answers, s7
addi s6, s7, 0
clock a2, a3
li s0, rounds
100:
beq s0, x0, 101f
request
addi s6, s6, 1
.if blocking
wait_counter answers, s6
fence
.endif
addi s0, s0, -1
j 100b
101:
clock a4, a5
counter answers, s8
wait_counter answers, s6
fence
clock s10, s11
li s2, STAMPS
sw a2, 0(s2)
sw a4, 4(s2)
sw s10, 8(s2)
j .
done
take STAMPS
take STAMPS + 4
take STAMPS + 8
.if seen
at x, y
watch FAR, rounds
.endif
.endm

#include FAMILY_TABLE
