// DRAM.
//
//   rate      tiles of a p150, row by row, read or write one channel, or a channel each in turn (dramrate.cpp)
//   spread    tiles of a p100, column by column, a channel each in turn, at its endpoint for workers or split over its three
//             (boopdotpng/blackhole-py, dram-noc-bench): all pages in one channel, one request after the other, then the wait
//   striped   tiles of a p150: every tile's pages lie on all channels in turn, in batches of 32, on one core or on both. A read
//             waits for its batch; a write waits until the batch has left, and for all answers at the end
//   rotating  tiles of a p150 with 120, row by row, read 60 entries of 64 KiB, the next one from the next channel, starting with a
//             channel of their own; four requests of 16 KiB each, a limit of them in flight. One endpoint of each channel for
//             a tile: port 0, the one that the firmware uses, or port 2, by its number (Knight-Ops/metalium-rs, gddr_aggregate)
//   stream    a single one of `spread'; gated: starts at a given time
// Rows run with the requests of the measurement: queues in the routers take thousands of cycles to fill. Only where many tiles
// use one channel, which is the limit from the start, are there fewer. The program of S1111 and S1112 is not published: they
// run dramrate.cpp.
// Symbols: op, noc, bytes, count (requests of a stream). Results of each stream: the clock before and after.
#include "noc.inc"

READ = 0
WRITE = 1
ONE_CHANNEL = 0
CHANNEL_EACH = 1
ADJACENT = 2
PREFERRED = 0
SPLIT = 1
ON_BRISC = 0
ON_NCRISC = 1
ON_BOTH = 2

DATA = 0x37000
BASE = 0x1000000 // in a channel
MIB = 0x100000
PAGES = 64       // in L1, of `spread'
BATCH = 32       // pages of `striped'
BATCH_TAG = 1
LOCAL = 0xffb00000 // the core's own memory: the coordinates of the channels
WRITE_REQS_OUTGOING = 32

#define SYMBOLS(S) S(op, UNSET) S(noc, 0) S(gated, 0) S(bytes, 16384) S(count, 64) S(cores, ON_BRISC) S(ahead, 128)

// The endpoints of channels as programs name them: x0 has the first banks, three rows each.
.macro endpoint symbol, bank, port, x0, banks
.if \bank < \banks
\symbol = \x0 | (12 + 3 * (\bank) + \port) << 6
.else
\symbol = (35 - \x0) | (12 + 3 * ((\bank) - \banks) + \port) << 6
.endif
.endm

// The one for workers.
.macro worker symbol, bank, x0, banks
.if noc
endpoint \symbol, \bank, 1, \x0, \banks
.elseif \bank == 0 || \bank > 3
endpoint \symbol, \bank, 2, \x0, \banks
.else
endpoint \symbol, \bank, 0, \x0, \banks
.endif
.endm

.macro result register, index
li s2, RESULTS + 0x100 * core
sw \register, 4 * (\index)(s2)
.endm

.macro take_stream
take RESULTS + 0x100 * core
take RESULTS + 0x100 * core + 4
.endm

// ---- one channel

.macro request
.if op == READ
free READS
words READS, CTRL
put_number CTRL, CTRL_READ
put RET_LO, t5
put RET_MID, x0
put RET_HI, s5
put TARG_LO, a0
put TARG_MID, x0
put TARG_HI, s9
.else
free WRITES
words WRITES, CTRL
put_number CTRL, CTRL_READ | CTRL_WRITE
put TARG_LO, t5
put RET_LO, a0
put RET_MID, x0
put RET_HI, s9
.endif
put AT_LEN_BE, s4
put AT_LEN_BE_1, x0
go
.endm

// From tile `own' to the channel `to', pages from `place' on.
.macro stream_code
.if op == READ
answers = RD_RESP_RECEIVED
.else
answers = WR_ACK_RECEIVED
.endif
begin
li s0, place
li s4, bytes
li s5, own
li s7, count
words WRITES, TARG_HI
put TARG_HI, s5
counter answers, s6
.if gated
gate
.endif
li s10, 0 // first page
li s11, to
clock a2, a3
li s1, RESULTS
sw a2, 0(s1)
sw a3, 32(s1) // the high word
addi s8, x0, 0
100:
beq s8, s7, 101f
add a1, s10, s8
mul t0, a1, s4
addi a0, s0, 0
add a0, a0, t0
addi s9, s11, 0
andi t5, s8, PAGES - 1
mul t5, t5, s4
li t6, DATA
add t5, t5, t6
request
addi s6, s6, 1
addi s8, s8, 1
j 100b
101:
wait_counter answers, s6
fence
clock a4, a5
result a4, 1
j .
.endm

.macro begin_streams chip
run \chip, 100000000
core = BRISC
place = BASE
.endm

.macro one_stream x, y
name_p100 own, \x, \y
at \x, \y
on BRISC, 0
stream_code
done
take_stream
place = place + MIB
.endm

// One by one: a tile and a channel.
.macro stream op_, noc_, x, y, bank, port
op = \op_
noc = \noc_
endpoint to, \bank, \port, 18, 3
one_stream \x, \y
.endm

.macro spread tiles, where
begin_streams p100
i = 0
.rept \tiles
live_p100 x, i / 10
.if \where == SPLIT
endpoint to, (i%7), (i%3), 18, 3
.else
worker to, (i%7), 18, 3
.endif
one_stream x, (2+i%10)
i = i + 1
.endr
.endm

// ---- channels in turn
//
// s0 in DRAM, s1 bytes to go, s2 in L1, s3 bank, s4 page, s5 banks, s6 interface, s7 initiator, s8 table of the banks, s9 own
// coordinate, s10 pages done, s11 bytes of the batch, a0 its bytes to go, a1 its pages, a2 where its room in L1 ends.

.macro wait_zero offset
112:
lw t0, \offset(s6)
bne t0, x0, 112b
fence
.endm

.macro wait_outstanding
wait_zero 0x200 + 4 * (REQS_OUTSTANDING + BATCH_TAG)
.endm

.macro wait_outgoing
wait_zero 0x200 + 4 * (WRITE_REQS_OUTGOING + BATCH_TAG)
.endm

.macro wait_ready
113:
lw t0, 4 * CMD_CTRL(s7)
bne t0, x0, 113b
.endm

// The five words that differ between requests.
.macro submit
wait_ready
.if op == READ
sw s0, 4 * TARG_LO(s7)
sw t2, 4 * TARG_HI(s7)
sw s2, 4 * RET_LO(s7)
sw s9, 4 * RET_HI(s7)
.else
sw s2, 4 * TARG_LO(s7)
sw s9, 4 * TARG_HI(s7)
sw s0, 4 * RET_LO(s7)
sw t2, 4 * RET_HI(s7)
.endif
sw t1, 4 * AT_LEN_BE(s7)
li t3, 1
sw t3, 4 * CMD_CTRL(s7)
.endm

// A write's requests stay below half of what a counter of eight bits counts.
.macro wait_capacity
114:
lw t0, 0x200 + 4 * (REQS_OUTSTANDING + BATCH_TAG)(s6)
li t1, 129
sub t1, t1, a1
bltu t0, t1, 115f
fence
j 114b
115:
.endm

.macro open_batch
addi s11, s1, 0
li t0, BATCH * bytes
bltu s1, t0, 116f
addi s11, t0, 0
beq x0, x0, 116f
116:
addi t0, s4, -1
add a1, s11, t0
divu a1, a1, s4
.if op == WRITE
wait_capacity
.endif
li t0, BATCH
remu t1, s10, t0
mul t1, t1, s4
li s2, room
add s2, s2, t1
li a2, room + BATCH * bytes
addi a0, s11, 0
.endm

.macro issue_batch
120:
beq a0, x0, 124f
addi t1, a0, 0
bltu a0, s4, 121f
addi t1, s4, 0
121:
slli t3, s3, 2
add t3, t3, s8
lw t2, 0(t3)
submit
sub a0, a0, t1
add s2, s2, t1
bne s2, a2, 122f
li s2, room
122:
addi s3, s3, 1
bltu s3, s5, 123f
li s3, 0
add s0, s0, s4
123:
j 120b
124:
.endm

// What the transfer does before its first request.
.macro prepare
li t0, NIU + 0x10000 * noc + 0x148
lw s9, 0(t0)
slli s9, s9, 20
srli s9, s9, 20
li s3, 0
li s4, bytes
li s5, 8
li s6, NIU + 0x10000 * noc
.if op == READ
li s7, NIU + 0x10000 * noc + 0x800
.else
li s7, NIU + 0x10000 * noc + 0x1000
.endif
li s8, LOCAL
li s10, 0
wait_outstanding
.if op == WRITE
wait_outgoing
.endif
.irp word, 0, 1, 2, 3, 4, 5
sw x0, 4 * \word(s7)
.endr
li t0, BATCH_TAG << 10
sw t0, 4 * TAG(s7)
.if op == READ
li t0, CTRL_READ
.else
li t0, CTRL_READ | CTRL_WRITE
.endif
sw t0, 4 * CTRL(s7)
.irp word, 8, 9, 10, 11
sw x0, 4 * \word(s7)
.endr
.endm

.macro striped_code room_
room = \room_
begin
li s8, LOCAL
.irp bank, 0, 1, 2, 3, 4, 5, 6, 7
worker to, \bank, 17, 4
li t0, to
sw t0, 4 * \bank(s8)
.endr
li s0, place
li s1, bytes * count
clock a4, a5
result a4, 0
result a5, 8 // the high word
fence
prepare
100:
beq s1, x0, 101f
open_batch
issue_batch
wait_ready
.if op == READ
wait_outstanding
.else
wait_outgoing
.endif
add s10, s10, a1
sub s1, s1, s11
j 100b
101:
.if op == WRITE
wait_outstanding
.endif
clock a4, a5
result a4, 1
j .
.endm

.macro striped_on core_, address, room_
core = \core_
on \core_, \address
striped_code \room_
done
take_stream
place = place + MIB
.endm

.macro striped tiles
begin_streams p150
i = 0
.rept \tiles
live_p100 x, i / 10
at x, 2 + i % 10
noc = i % 2
.if cores == ON_NCRISC
striped_on NCRISC, 0x4000, DATA
.else
striped_on BRISC, 0, DATA
.endif
.if cores == ON_BOTH
noc = 1 - noc
striped_on NCRISC, 0x4000, (DATA+BATCH*bytes)
.endif
i = i + 1
.endr
.endm

// ---- dramrate.cpp

ARRIVALS = 0x20000 // PROBE_DATA

// The place of tile i: next to the channel's endpoint, or twelve in a row.
.macro rate_tile i, where
.if \where == ADJACENT
.if \i < 4
rate_x = 1
.else
rate_x = 10
.endif
rate_y = 0
n = 0
.irp y, 11, 2, 9, 5, 11, 3, 8, 6
.if n == \i
rate_y = \y
.endif
n = n + 1
.endr
.else
rate_x = \i % 12 + 1
.if rate_x > 6
rate_x = rate_x + 4
.endif
rate_y = 2 + \i / 12
.endif
.endm

.macro rate tiles, where
run p150, 100000000
tail
k = 0
.rept \tiles
rate_tile k, \where
.4byte rate_x, rate_y
k = k + 1
.endr
end_tail
room = 2 * bytes
.if room < 8192
room = 8192
.endif
k = 0
.rept \tiles
rate_tile k, \where
.if \where == ONE_CHANNEL
worker to, 0, 17, 4
.else
worker to, (k%8), 17, 4
.endif
at rate_x, rate_y
.if op == READ
guest_with_tail dram_read.brisc, ARRIVALS, ARRIVALS + 0x1000, room, k, \tiles, count, bytes, to & 63, to >> 6, BASE + k % 16 * MIB, MIB
.else
guest_with_tail dram_write.brisc, ARRIVALS, ARRIVALS + 0x1000, room, k, \tiles, count, bytes, to & 63, to >> 6, BASE + k % 16 * MIB, MIB
.endif
end_guest
take RESULTS + 4
take RESULTS + 8
k = k + 1
.endr
.endm

// ---- entries in turn
//
// s0 first page, s3 entry, s4 bytes, s5 own coordinate, s6 answers before, s7 requests so far, s8 table of the channels, s9 the
// channel, s10 requests of the entry, a0 in DRAM, a1 in L1.

ENTRIES = 60
ENTRY = 65536
ENTRY_PACE = 95 // rounds: an entry of one request takes 339 cycles

.macro rotating_code tile
begin
li s8, LOCAL
.irp bank, 0, 1, 2, 3, 4, 5, 6, 7
.if \tile % 3 == 0
endpoint to, \bank, 0, 17, 4
.elseif \tile % 3 == 2
endpoint to, \bank, 2, 17, 4
.else
worker to, \bank, 17, 4
.endif
li t0, to
sw t0, 4 * \bank(s8)
.endr
li s4, bytes
li s5, own
li s7, 0
counter RD_RESP_RECEIVED, s6
gate
clock a2, a3
li s1, RESULTS
sw a2, 0(s1)
sw a3, 32(s1) // the high word
li s0, place
li a1, DATA
li s3, 0
100:
li t0, ENTRY_PACE
delay t0
addi t0, s3, \tile
andi t0, t0, 7
slli t0, t0, 2
add t0, t0, s8
lw s9, 0(t0)
srli a0, s3, 3
slli a0, a0, 16
add a0, a0, s0
li s10, ENTRY / bytes
101:
li t3, COUNTER_AT(RD_RESP_RECEIVED)
102:
lw t4, 0(t3)
sub t4, t4, s6
sub t4, s7, t4
li t0, ahead
bgeu t4, t0, 102b
addi t5, a1, 0
request
addi s7, s7, 1
add a0, a0, s4
add a1, a1, s4
li t0, DATA + 4 * ENTRY
bltu a1, t0, 103f
li a1, DATA
103:
addi s10, s10, -1
bne s10, x0, 101b
addi s3, s3, 1
li t0, ENTRIES
bltu s3, t0, 100b
add s6, s6, s7
wait_counter RD_RESP_RECEIVED, s6
fence
clock a4, a5
result a4, 1
j .
.endm

.macro rotating tiles
begin_streams p150
bytes = 16384
i = 0
.rept \tiles
rate_tile i, 0
name_p150 own, rate_x, rate_y
at rate_x, rate_y
on BRISC, 0
rotating_code i
done
take_stream
place = place + MIB
i = i + 1
.endr
.endm

// ---- Wormhole: streams of 1 MiB of tiles without code (traffic)

.macro worker_at tile // of an n150, row by row
at 1 + (\tile) % 8 - ((\tile) % 8 > 3), 1 + (\tile) / 8 - ((\tile) / 8 > 4)
.endm

// The first tiles and one channel, 256 requests of 4 KiB each (mesham/tt-sim, dramratebench).
.macro onechan tiles, write
run n150, 100000000
i = 0
.rept \tiles
worker_at i
traffic 0, \write, 256, 1, 0, 0, i, 256, 4096, 1, -1
i = i + 1
.endr
.endm

// Tiles and banks that are paired at random, for each draw anew: powers of 5 modulo 73 visit all 72 tiles. Packets of 8 KiB.
DYNAMIC = -1
.macro pairs tiles, banks, draws, noc_, write, vc
draw = 0
.rept \draws
run n150, 100000000
p = 1 + 19 * draw
i = 0
.rept \tiles
p = p * 5 % 73
worker_at p - 1
traffic \noc_, \write, 128, 1, i % \banks, 0, i, 128, 8192, \vc, -1
i = i + 1
.endr
draw = draw + 1
.endr
.endm

#include FAMILY_TABLE
