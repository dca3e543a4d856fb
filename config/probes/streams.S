// Streams between L1s that run alone, side by side, over one link or into one tile; increments of one word.
//
// Sources: boopdotpng/tenstorrent-docs, microbenching/noc; boopdotpng/blackhole-py, tests/movement. Every sender reads the clock,
// issues its requests, waits, and reads the clock again; what differs between the reports is how addresses advance, what else
// the loop does and what the end waits for. Packets have 16 KiB. The senders of a ladder send 64, not 256: rates of a steady
// state. The card is a p100; coordinates are raw.
//
// A row is `streams', then one `send KIND OP noc from-x from-y to-x to-y packets [channel priority core]' for each flow, or `ladder',
// `pairs', `shared'. `receivers' says what the targets do. Results of each flow: clock before and after, of the empty loop,
// after the last issue, and when the target has seen its word.
#include "noc.inc"

// Kinds of senders.
OBSERVE = 0   // riscv_noc_write_observe: the packets of a megabyte
SWEEP = 1     // riscv_noc_stream_sweep: the same megabyte several times; after an empty loop
GATED = 2     // riscv_noc_contention_probe: starts at a given time
ARBITRATE = 3 // riscv_noc_arbitration_bench: one packet again and again, from a given time on
SAME = 4      // riscv_noc_same_initiator_active: reads (from 2-2) and writes in turn
TIMED = 5     // riscv_noc_arb_priority_order: reads the clock before and after each poll
COUNTER = 6   // riscv_noc_counter_probe: reads counters after each packet
ATOMIC = 7    // riscv_noc_atomic_visibility_bench: increments from a given time on
SIGNAL = 8    // tests/movement/atomic.py: increments whose registers are written once

// What they send.
WRITE = 0
POSTED = 1
READ = 2
WRITE_READ = 3
READ_WRITE = 4

// What targets poll for: nothing; the last word of their stream; the first packets of all senders; the sum of all increments.
NOTHING = 0
WORD = 1
PACKETS = 2
SUM = 3

DATA = 0x37000     // of both sides
BYTES = 16384
STRIDE = 0x8000    // between the slots of senders that share a target
SINK = DATA + BYTES // where a report's reads go
FAR = 0x140000     // where another's go
MARKER = DATA + BYTES // four bytes after the last packet
TOTAL = 0x148100   // the word that is incremented
GATE = 3000        // cycle at which gated programs start: all are waiting by then
MARK = 0x600dcafe  // what receivers look for
POLLS = 100000000  // that a report allows

.macro defaults
receivers = NOTHING
.endm

// ---- requests

// From a place here to one of tile s9, s4 bytes.
.macro write_words from, to, control=none
words WRITES, CTRL
.ifc \control, none
put_number CTRL, write_control
.else
put CTRL, \control
.endif
put TARG_LO, \from
put RET_LO, \to
put RET_MID, x0
put RET_HI, s9
put AT_LEN_BE, s4
put AT_LEN_BE_1, x0
go
.endm

.macro write from, to
free WRITES
write_words \from, \to
.endm

// From a place in a tile to one here: a register, or SINK.
.macro read from, tile, to=none
free READS
words READS, CTRL
put_number CTRL, CTRL_READ
.ifc \to, none
put_number RET_LO, SINK
.else
put RET_LO, \to
.endif
put RET_MID, x0
put RET_HI, s5
put TARG_LO, \from
put TARG_MID, x0
put TARG_HI, \tile
put AT_LEN_BE, s4
put AT_LEN_BE_1, x0
go
.endm

.macro increment
free ATOMICS
words ATOMICS, RET_LO
put_number RET_LO, 4
put RET_MID, x0
put RET_HI, s5
put TARG_LO, s3
put TARG_MID, x0
put TARG_HI, s9
put_number CTRL, CTRL_READ | CTRL_ATOMIC
put_number AT_LEN_BE, 1 << 12 | 31 << 2
put AT_LEN_BE_1, x0
put_number AT_DATA, 1
go
.endm

// ---- parts

// A register to word `index' of the core's results.
.macro result register, index, of=core
li s2, RESULTS + 0x100 * \of
sw \register, 4 * (\index)(s2)
.endm

.macro gate
li s10, GATE
li s11, 0
110:
clock a2, a3
bltu a3, s11, 110b
bne a3, s11, 111f
bltu a2, s10, 110b
111:
.endm

// Nothing of transaction 0 is under way.
.macro wait_none
li t3, COUNTER_AT(REQS_OUTSTANDING)
112:
lw t4, 0(t3)
bne t4, x0, 112b
fence
.endm

.macro barrier
.if op == POSTED
free WRITES
.elseif op == READ
wait_counter RD_RESP_RECEIVED, s6
.else
wait_counter WR_ACK_RECEIVED, s6
.endif
fence
.endm

// ---- loops

.macro observe
li s0, packets
100:
beq s0, x0, 101f
write s2, s3
addi s6, s6, 1
.if kind == OBSERVE
add s2, s2, s8
add s3, s3, s8
.endif
addi s0, s0, -1
j 100b
101:
.endm

.macro empty_loop
clock a2, a3
li s0, repeats * packets
100:
beq s0, x0, 101f
addi s1, s1, 1
addi s0, s0, -1
j 100b
101:
clock a4, a5
sub a4, a4, a2
result a4, 2
.endm

.macro sweep
li s0, repeats
li s8, BYTES
100:
beq s0, x0, 103f
li s3, DATA
li s1, packets
120:
beq s1, x0, 102f
.if op == READ
read s3, s9
.else
write s2, s3
.endif
addi s6, s6, 1
add s3, s3, s8
addi s1, s1, -1
j 120b
102:
addi s0, s0, -1
j 100b
103:
.endm

.macro contend
li s4, BYTES
li s0, repeats
li s8, BYTES
100:
beq s0, x0, 123f
li s1, packets
.if op == READ
li s2, FAR
.else
li s2, DATA
.endif
li s3, DATA
120:
beq s1, x0, 122f
.if op == READ
read s3, s9, s2
.else
write s2, s3
add s2, s2, s8
.endif
addi s6, s6, 1
add s3, s3, s8
addi s1, s1, -1
j 120b
122:
addi s0, s0, -1
j 100b
123:
.endm

.macro same
li s0, packets
100:
beq s0, x0, 101f
.if op == WRITE || op == WRITE_READ
write s2, s2
addi s10, s10, 1
.endif
.if op != WRITE
read s2, s8, s3
addi s11, s11, 1
.endif
.if op == READ_WRITE
write s2, s2
addi s10, s10, 1
.endif
addi s0, s0, -1
j 100b
101:
.if op != READ
wait_counter WR_ACK_RECEIVED, s10
fence
.endif
.if op != WRITE
wait_counter RD_RESP_RECEIVED, s11
fence
.endif
.endm

// The clock before and after the poll, and the longest of these times.
.macro timed_write
clock a4, a5
free WRITES
clock t5, t6
sub s11, t5, a4
add s8, s8, s11
bltu s11, s10, 113f
addi s10, s11, 0
113:
write_words s2, s3, s1
.endm

.macro counted_write
free WRITES
words WRITES, CTRL
put CTRL, s1
put TARG_LO, s2
put TARG_MID, x0
put RET_LO, s3
put RET_MID, x0
put RET_HI, s9
put AT_LEN_BE, s4
put AT_LEN_BE_1, x0
go
.endm

// Four counters after each packet; those that the model lacks are another one here.
.macro sample
counter CMD_ACCEPTED, t0
bgeu t0, s10, 113f
addi s10, t0, 0
113:
counter REQS_OUTSTANDING, t0
bltu t0, s11, 114f
addi s11, t0, 0
114:
counter CMD_ACCEPTED, t0
counter CMD_ACCEPTED, t0
.endm

// Packets, then four bytes.
.macro marked
li s0, packets
100:
beq s0, x0, 101f
.if kind == COUNTER
counted_write
sample
.else
timed_write
.endif
addi s0, s0, -1
j 100b
101:
li s2, MARKER
li s3, MARKER
li s4, 4
.if kind == COUNTER
counted_write
.else
timed_write
.endif
.if op == POSTED
free WRITES
fence
.else
wait_none
.endif
.endm

.macro atomic
li s0, packets
100:
beq s0, x0, 101f
li s3, TOTAL
li s9, to
increment
addi s0, s0, -1
j 100b
101:
clock s0, s1
wait_counter ATOMIC_RESP_RECEIVED, s6
.endm

// A word of the parameters, whose place is a number.
.macro parameter register, value
li t0, RESULTS - 0x100
lw t0, 0(t0)
li \register, \value // which the host would have put there
.endm

// The registers once, then only the start; what is returned (READ) is waited for.
.macro signal
parameter s9, to
parameter s3, TOTAL
parameter s4, 1
parameter s0, packets
.if op == READ
wait_none
.endif
words ATOMICS, TARG_LO
put TARG_LO, s3
put TARG_MID, x0
put TARG_HI, s9
put_number RET_LO, DATA
put RET_MID, x0
put RET_HI, s5
put TAG, x0
put_number CTRL, CTRL_READ | CTRL_ATOMIC
put_number AT_LEN_BE, 1 << 12 | 31 << 2
put AT_LEN_BE_1, x0
put AT_DATA, s4
li t3, WORD_AT(ATOMICS, 0)
li t5, 1
100:
beq s0, x0, 101f
102:
lw t4, 4 * CMD_CTRL(t3)
bne t4, x0, 102b
sw t5, 4 * CMD_CTRL(t3)
addi s0, s0, -1
j 100b
101:
free ATOMICS
.if op == READ
wait_none
.endif
.endm

// ---- senders

.macro sender
begin
li s5, own
words WRITES, TARG_HI
put TARG_HI, s5
li s9, to
li s1, write_control
li s4, BYTES
.if kind == SAME
name_p100 source, 2, 2
li s8, source
.elseif kind == OBSERVE
li s8, BYTES
.else
li s8, 0
.endif
li s10, 0
li s11, 0
.if kind == SWEEP
empty_loop
.endif
.if kind == GATED || kind == ARBITRATE || kind == ATOMIC || kind == SIGNAL
gate
.endif
.if kind == SAME
li s3, SINK
.else
li s3, DATA + slot * STRIDE
.endif
li s2, DATA
.if kind == ATOMIC
li s6, packets
.else
li s6, 0
.endif
clock a2, a3
.if kind == OBSERVE || kind == ARBITRATE
observe
barrier
.elseif kind == SWEEP
sweep
barrier
.elseif kind == GATED
contend
barrier
.elseif kind == SAME
same
.elseif kind == TIMED || kind == COUNTER
marked
.elseif kind == ATOMIC
atomic
.else
signal
.endif
clock a4, a5
result a2, 0
result a4, 1
result s0, 3
j .
.endm

// ---- receivers: they poll their L1 and take the clock

.macro watch_word
begin
li s1, MARK
li s2, DATA + BYTES * packets - 4
100:
lw t1, 0(s2)
beq t1, s1, 101f
addi s0, s0, 1
j 100b
101:
clock a2, a3
result a2, 8, BRISC
j .
.endm

.macro watch_packets senders
begin
li s7, 0
gate
li s0, POLLS
100:
beq s0, x0, 101f
addi s6, x0, 0
i = 0
.rept \senders
li t4, 1 << i
and t3, s7, t4
bne t3, x0, 122f
li s2, DATA + BYTES - 4 + i * STRIDE
lw t0, 0(s2)
li t3, MARK
beq t0, t3, 121f
addi s6, s6, 1
beq x0, x0, 122f
121:
clock a4, a5
result a4, 8 + i, BRISC
li t4, 1 << i
or s7, s7, t4
122:
i = i + 1
.endr
beq s6, x0, 101f
addi s10, s10, 1
addi s0, s0, -1
j 100b
101:
j .
.endm

.macro watch_sum sum
begin
gate
li s0, POLLS
li s1, \sum
li s2, TOTAL
100:
.if kind != SIGNAL
beq s0, x0, 101f
.endif
lw t1, 0(s2)
.if kind == SIGNAL
beq t1, s1, 101f
fence
.else
bgeu t1, s1, 101f
addi s10, s10, 1
addi s0, s0, -1
.endif
j 100b
101:
clock a4, a5
result a4, 8, BRISC
j .
.endm

// ---- flows

.macro streams
run p100, 100000000
index = 0
.endm

.macro send kind_, op_, noc_, from_x, from_y, to_x, to_y, packets_, channel=1, priority=0, core_=BRISC
kind = \kind_
op = \op_
noc = \noc_
packets = \packets_
core = \core_
repeats = 1
.if kind == SWEEP
repeats = 4
.endif
slot = 0
.if kind == ARBITRATE
slot = index
.endif
write_control = CTRL_WRITE | CTRL_VC(\channel) | \priority << 27
.if op != POSTED
write_control = write_control | CTRL_RESP_MARKED
.endif
name_p100 own, \from_x, \from_y
name_p100 to, \to_x, \to_y
at \from_x, \from_y
.if core == NCRISC
on NCRISC, 0x4000
.else
on BRISC, 0
.endif
sender
done
.if receivers == WORD
data DATA + BYTES * packets - 4, MARK
.elseif receivers == PACKETS
data DATA + BYTES - 4, MARK
.endif
take RESULTS + 0x100 * core
take RESULTS + 0x100 * core + 4
take RESULTS + 0x100 * core + 8
take RESULTS + 0x100 * core + 12
at \to_x, \to_y
.if receivers == WORD
on BRISC, 0
watch_word
done
.endif
.if receivers == PACKETS
take RESULTS + 4 * (8 + index)
.else
take RESULTS + 4 * 8
.endif
index = index + 1
.endm

// Senders of row 4, near to far, into the tile at its end.
.macro ladder kind_, op_, noc_, senders, packets_
streams
.rept \senders
.if \noc_
live_p100 column, 1 + index
send \kind_, \op_, 1, column, 4, 1, 4, \packets_
.else
live_p100 column, 10 - index
send \kind_, \op_, 0, column, 4, 16, 4, \packets_
.endif
.endr
.if receivers == PACKETS
on BRISC, 0
watch_packets \senders
done
.elseif receivers == SUM
on BRISC, 0
watch_sum \senders * \packets_
done
.endif
.endm

// Neighbours in a row, row by row.
.macro pairs count
streams
.rept \count
live_p100 column, index % 6 * 2
live_p100 next, index % 6 * 2 + 1
send OBSERVE, WRITE, 0, column, (2+index/6), next, (2+index/6), 64
.endr
.endm

// Six streams over one link.
.macro shared noc_
streams
.rept 6
live_p100 column, index
live_p100 next, index + 6
.if \noc_
send OBSERVE, WRITE, 1, next, 4, column, 4, 64
.else
send OBSERVE, WRITE, 0, column, 4, next, 4, 64
.endif
.endr
.endm

.macro victim priority, background
streams
send TIMED, WRITE, 0, 1, 4, 16, 4, 128, 1, \priority
.ifnb \background
send TIMED, WRITE, 0, 4, 4, 10, 4, 128, 1, \background
send TIMED, WRITE, 0, 5, 4, 11, 4, 128, 1, \background
send TIMED, WRITE, 0, 7, 4, 12, 4, 128, 1, \background
.endif
.endm

// Posted streams over the cut in the middle of row 4, each on its channel.
.macro cut channels:vararg
streams
.irp channel, \channels
index_ = 6 - cuts + index
live_p100 column, index_
live_p100 next, index_ + 6
send OBSERVE, POSTED, 0, column, 4, next, 4, 16, \channel
.endr
.endm

#include "config/silicon/streams.def"
