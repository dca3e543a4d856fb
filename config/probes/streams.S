// Streams between L1s that run alone, side by side, over one link or into one tile; increments of one word.
//
// Sources: boopdotpng/tenstorrent-docs, microbenching/noc; boopdotpng/blackhole-py, tests/movement. Every sender reads the clock,
// issues its requests, waits, and reads the clock again; what differs between the reports is how addresses advance, what else
// the loop does and what the end waits for. Packets have 16 KiB. The senders of a ladder send 64, not 256: rates of a steady
// state. The card is a p100; coordinates are raw.
//
// A row is `streams', then one `send KIND OP noc from-x from-y to-x to-y packets [channel priority core rectangle]' for each flow, or `ladder',
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
MARK = 0x600dcafe  // what receivers look for
POLLS = 100000000  // that a report allows

#define SYMBOLS(S) S(cuts, UNSET) S(receivers, NOTHING)

#include "senders.inc"

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

.macro send kind_, op_, noc_, from_x, from_y, to_x, to_y, packets_, channel=1, priority=0, core_=BRISC, rectangle_=0
kind = \kind_
op = \op_
noc = \noc_
packets = \packets_
core = \core_
rectangle = \rectangle_
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

// Neighbours in a row, row by row. Full rows are two rectangles, left and right of the DRAM; a rest of four or five pairs makes the left
// one longer, a shorter one is a rectangle of its own.
.macro pairs count
streams
.rept \count
live_p100 column, index % 6 * 2
live_p100 next, index % 6 * 2 + 1
start = 0
.if \count >= 6
.if \count % 6 >= 4
start = 1 - index % 6 / 4
.elseif index / 6 == \count / 6
start = 2
.else
start = index % 6 / 4
.endif
.endif
send OBSERVE, WRITE, 0, column, (2+index/6), next, (2+index/6), 64, 1, 0, BRISC, start
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
send TIMED, WRITE, 0, 4, 4, 10, 4, 128, 1, \background, BRISC, 1
send TIMED, WRITE, 0, 5, 4, 11, 4, 128, 1, \background, BRISC, 1
send TIMED, WRITE, 0, 7, 4, 12, 4, 128, 1, \background, BRISC, 1
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

#include FAMILY_TABLE
