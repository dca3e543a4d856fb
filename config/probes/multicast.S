// Multicasts, with and without a reserved path. Source: boopdotpng/tenstorrent-docs, microbenching/noc, on a p100.
//
// One tile multicasts along its row or to a rectangle; cores of the receivers poll for the last word and take their clock.
//   one_way  riscv_noc_one_way_latency, riscv_noc_mcast_one_way_latency: 32 packets one at a time (unicast: to one tile, posted).
//            Results: the clocks of the receiver seen_x-seen_y, then of the sender: at the issue, or (after=1) when it has left
//   rounds   riscv_noc_mcast_vc_linked: 128 rounds of `depth' linked packets, a wait after each. Results: first and last clock
//   pair     riscv_noc_competing_mcast_matmul_style: two senders, a packet and a tag a round; receivers of both wait for both
//            tags. Results: the first sender's first clock, then the last clock of each stream at each receiver
// On NoC 1 the way from 1-4 to 2-4 is the long one, 16 hops. The second sender of a pair is launched LAUNCH cycles after the
// first.
// Symbols: noc, bytes, reserve; by_x, by_y; x0, y0 to x1, y1, the rectangle.
#include "noc.inc"

MARK = 0xb6000001
MARK_B = 0xdb000001
DATA = 0x37000
DATA_B = 0x90000
SLOT = 16384
TAGS = 0x160000
TAGS_B = 0x168000
TAG_BYTES = 16
STAMPS = 0x170000
START = 4096 // rounds of the delay before the first packet, and between packets
BETWEEN = 2048

#define SYMBOLS(S) S(noc, UNSET) S(seen_x, UNSET) S(seen_y, UNSET) S(bytes, 16384) S(reserve, 0) S(unicast, 0) S(after, 0) \
S(depth, 1) S(by_x, 1) S(by_y, 4) S(x0, 2) S(y0, 4) S(x1, 2) S(y1, 4)

// ---- senders

// What CTRL is for a packet: the next one linked to it or not, the first one or not.
.macro set_control linked, first
.if unicast
control = CTRL_WRITE | CTRL_VC(1)
.else
control = CTRL_WRITE | CTRL_RESP_MARKED | CTRL_BRCST | CTRL_VC(5)
.if \linked
control = control | CTRL_LINKED
.endif
.if reserve && \first
control = control | CTRL_PATH_RESERVE
.endif
.endif
.endm

// From a place to the same place of the receivers (s9): a register, or a number.
.macro send length, register=none, place=0
free WRITES
words WRITES, CTRL
put_number CTRL, control
.ifc \register, none
put_number TARG_LO, \place
put_number RET_LO, \place
.else
put TARG_LO, \register
put RET_LO, \register
.endif
put RET_MID, x0
put RET_HI, s9
put AT_LEN_BE, \length
put AT_LEN_BE_1, x0
go
.endm

// The clock into the words of this round.
.macro stamp offset
clock a2, a3
sw a2, \offset(s10)
sw a3, \offset + 4(s10)
.endm

.macro mark_slot slot
li s11, data + \slot * SLOT + bytes - 4
sw s8, 0(s11)
.endm

.macro one_packet
sw s8, 0(s11)
fence
set_control 0, 1
send s4, s2
stamp 0
addi s6, s6, 1
wait_counter sent, s6
stamp 8
.if !unicast // not always as long: the polls must not keep step
srli t1, s0, 3
add t1, t1, s3
delay t1
.endif
.endm

.macro linked_round
slot = 0
.rept depth
mark_slot slot
slot = slot + 1
.endr
fence
stamp 0
slot = 0
.rept depth
set_control (slot+1<depth), (slot==0)
send s4, none, (data+slot*SLOT)
slot = slot + 1
.endr
addi s6, s6, depth
wait_counter sent, s6
stamp 8
.endm

.macro tagged_round
mark_slot 0
fence
stamp 0
set_control 0, 1
send s4, none, data
addi s6, s6, 1
wait_counter sent, s6
fence
li t0, TAG_BYTES
sw s8, 0(s1)
set_control 0, 1
send t0, s1
addi s6, s6, 1
wait_counter sent, s6
fence
stamp 8
.endm

// To a tile or a rectangle (`to'), after a wait of `late' rounds.
.macro sender round, rounds, late, data_, tags, mark
data = \data_
.if unicast
sent = POSTED_WR_REQ_SENT
.else
sent = NONPOSTED_WR_REQ_SENT
.endif
begin
li s5, own
words WRITES, TARG_HI
put TARG_HI, s5
li s9, to
li s2, data
li s4, bytes
li s11, data + bytes - 4
li s10, STAMPS
li s8, \mark
li s1, \tags
counter sent, s7
addi s6, s7, 0
li s3, \late
delay s3
li s3, BETWEEN
li s0, \rounds
100:
.ifc \round, linked_round // whose body is too long for a branch over it
bne s0, x0, 101f
j .
101:
.else
beq s0, x0, 102f
.endif
\round
addi s10, s10, 16
.ifc \round, tagged_round
addi s1, s1, TAG_BYTES
.endif
addi s8, s8, 1
addi s0, s0, -1
j 100b
102:
j .
done
.endm

// ---- receivers

// Polls for the next mark and takes the clock.
.macro receiver rounds
begin
li s1, MARK
li s2, DATA + (depth - 1) * SLOT + bytes - 4
li s10, STAMPS
li s0, \rounds
100:
beq s0, x0, 102f
101:
lw t1, 0(s2)
beq t1, s1, 120f
addi s8, s8, 1
j 101b
120:
stamp 0
addi s10, s10, 8
addi s1, s1, 1
addi s0, s0, -1
j 100b
102:
j .
done
.endm

// A look at the data that came before the tag.
.macro look mark, data_
li t2, \data_ + SLOT - 4
lw t1, 0(t2)
bgeu t1, \mark, 121f
addi s7, s7, 1
121:
.endm

.macro poll tag, mark
122:
lw t1, 0(\tag)
beq t1, \mark, 123f
addi s8, s8, 1
j 122b
123:
.endm

.macro poll_first
poll s2, s1
stamp 0
sw x0, 8(s10)
sw x0, 12(s10)
look s1, DATA
.endm

.macro poll_second
poll s4, s3
sw x0, 0(s10)
sw x0, 4(s10)
stamp 8
look s3, DATA_B
.endm

.macro poll_both
addi s5, x0, 0
addi s6, x0, 0
124:
bne s5, x0, 125f
lw t1, 0(s2)
bne t1, s1, 125f
stamp 0
li s5, 1
look s1, DATA
125:
bne s6, x0, 126f
lw t1, 0(s4)
bne t1, s3, 126f
stamp 8
li s6, 1
look s3, DATA_B
126:
and t1, s5, s6
bne t1, x0, 127f
addi s8, s8, 1
j 124b
127:
.endm

.macro pair_receiver polls
begin
li s1, MARK
li s2, TAGS
li s3, MARK_B
li s4, TAGS_B
li s10, STAMPS
li s0, 16
100:
beq s0, x0, 102f
\polls
addi s10, s10, 16
addi s2, s2, TAG_BYTES
addi s4, s4, TAG_BYTES
addi s1, s1, 1
addi s3, s3, 1
addi s0, s0, -1
j 100b
102:
j .
done
.endm

// ---- rows

// A rectangle as a multicast names it: NoC 1 runs the other way and starts at the other corner.
.macro name_rectangle symbol, ax, ay, bx, by
name_p100 first, \ax, \ay
name_p100 last, \bx, \by
.if noc
\symbol = last << 12 | first
.else
\symbol = first << 12 | last
.endif
.if unicast
\symbol = first
.endif
.endm

.macro cast
run p100, 4000000
name_p100 own, by_x, by_y
name_rectangle to, x0, y0, x1, y1
at by_x, by_y
on BRISC, 0
.endm

// A tile of a p100: not a column of DRAM, of the ARC, or harvested.
#define IS_TILE(x) ((x) != 6 && (x) != 8 && (x) != 9 && (x) != 15)

.macro one_way
cast
sender one_packet, 32, START, DATA, TAGS, MARK
.if after && y0 == y1
at x0, y0
on BRISC, 0
receiver 32
at 5, y0
again BRISC, 0
at x1, y1
again BRISC, 0
.elseif after && x0 == x1
at x0, y0
on BRISC, 0
receiver 32
at x0, 7
again BRISC, 0
at x0, y1
again BRISC, 0
.elseif after
at x0, y0
on BRISC, 0
receiver 32
at x1, y0
again BRISC, 0
at x0, y1
again BRISC, 0
at x1, y1
again BRISC, 0
.else
seen_x = x0
seen_y = y0
at x0, y0
on BRISC, 0
receiver 32
.endif
at seen_x, seen_y
i = 0
.rept 32
take STAMPS + 8 * i
i = i + 1
.endr
at by_x, by_y
i = 0
.rept 32
take STAMPS + 16 * i + 8 * after
i = i + 1
.endr
.endm

.macro rounds
cast
sender linked_round, 128, 0, DATA, TAGS, MARK
take STAMPS
take STAMPS + 16 * 127 + 8
x = x0
.rept x1 - x0 + 1
.if IS_TILE(x)
at x, y0
on BRISC, 0
receiver 128
.endif
x = x + 1
.endr
.endm

#define INSIDE(ax, ay, bx, by) (x >= (ax) && x <= (bx) && y >= (ay) && y <= (by))

.macro pair ax, ay, bx, by
by_y = 2
x0 = 2
y0 = 3
x1 = 5
y1 = 6
cast
sender tagged_round, 16, 0, DATA, TAGS, MARK
take STAMPS
at 11, 2
name_p100 own, 11, 2
name_rectangle to, \ax, \ay, \bx, \by
on BRISC, 0
sender tagged_round, 16, (LAUNCH/3), DATA_B, TAGS_B, MARK_B
y = 2
.rept 10
x = 1
.rept 16
.if IS_TILE(x) && (INSIDE(x0, y0, x1, y1) || INSIDE(\ax, \ay, \bx, \by))
at x, y
on BRISC, 0
.if INSIDE(x0, y0, x1, y1) && INSIDE(\ax, \ay, \bx, \by)
pair_receiver poll_both
.elseif INSIDE(x0, y0, x1, y1)
pair_receiver poll_first
.else
pair_receiver poll_second
.endif
.if INSIDE(x0, y0, x1, y1)
take STAMPS + 16 * 15
.endif
.if INSIDE(\ax, \ay, \bx, \by)
take STAMPS + 16 * 15 + 8
.endif
.endif
x = x + 1
.endr
y = y + 1
.endr
.endm

#include FAMILY_TABLE
