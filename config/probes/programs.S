// Complete kernels that move data between DRAM and several tiles of a p150.
//
//   gather   BRISC reads rows of 4 KiB by index out of DRAM, pages of 2 KiB over eight banks. Results: clock before and after
//   remote   BRISC sends pages of its circular buffer to the same buffer of other tiles, then the new count; NCRISC there waits for
//            the count and pops the pages one by one. Results: the sender's first clock, the latest end of a receiver
//   tiles    117 tiles read over one NoC and write over the other, 16 KiB at a time, four requests before each wait; every tile
//            uses one of the three ports of each bank. Results of each stream: start of the first request, end of the last wait
// Source: boopdotpng/blackhole-py, tests/movement (README.md, indexed.py, remote_cb.py, noc.py): the instructions of `gather' and
// `remote' are those of its emitters. Its streams of 2 MiB a tile are cut short.
//
// Inaccuracies: the count of `remote' goes from L1 to L1; on the card it is an inline write to a register of the overlay, which
// is not modelled. The tiles of `tiles' are scripts with the pace of the kernel's loop.
#include "noc.inc"

STAMPS = 0x8000 // L1: clock before, clock after
PARAMS = 0x8100
TABLE = 0xffb00400 // coordinates of the banks, in the core's own RAM
STATUS = 0x200

#define SYMBOLS(S) S(noc, 0) S(reads, 0) S(writes, 0) S(batch, 4)

// ---- pieces

.macro stamp place
clock t0, t1
li t2, \place
sw t0, 0(t2)
sw t1, 4(t2)
fence
.endm

.macro parameter register, slot
li t0, PARAMS + 4 * \slot
lw \register, 0(t0)
.endm

// Until a word of the interface is 0.
.macro wait_zero base, offset
110:
lw t0, \offset(\base)
bne t0, x0, 110b
.endm

.macro store_number base, index, value
.if (\value) == 0
sw x0, 4 * (\index)(\base)
.else
li t1, \value
sw t1, 4 * (\index)(\base)
.endif
.endm

.macro own_coordinate register
li t0, NIU + 0x10000 * noc + 0x148
lw \register, 0(t0)
slli \register, \register, 20
srli \register, \register, 20
.endm

// What the host and the kernel's loader leave.
.macro set_word address, value
li t0, \address
li t1, \value
sw t1, 0(t0)
.endm

// ---- rows by index
//
// s0 place in DRAM, s1 own coordinate, s2 table of banks, s3 interface, s4 initiator, s5 indices, s6 row in L1, s7 rows to go,
// s8 page, s9 banks, s10 length of a row, s11 rows before a wait; a0 index, a1 offset, a2 bytes to go, a3 place in L1, a4
// page number, a5 offset in it; t3 bank, t4 its row, t5 its address, t6 bytes

INDICES_AT = 0x20000
ROWS_AT = INDICES_AT + 4096
DRAM_AT = 0x1000000
GATHER_TAG = 2
PENDING = STATUS + 4 * (REQS_OUTSTANDING + GATHER_TAG)
ROWS_BEFORE_WAIT = 42

.macro gather_begin rows
parameter s0, 0
andi t0, s0, 15
bne t0, x0, 111f // a wrong argument
j 112f
111:
j .
112:
own_coordinate s1
li s2, TABLE
li s3, NIU
li s4, NIU
wait_zero s3, PENDING
fence
store_number s4, TARG_MID, 0
store_number s4, RET_MID, 0
store_number s4, TAG, GATHER_TAG << 10
store_number s4, CTRL, CTRL_READ
store_number s4, AT_LEN_BE_1, 0
store_number s4, AT_DATA, 0
store_number s4, BRCST_EXCLUDE, 0
li s5, INDICES_AT
li s6, ROWS_AT
li s7, \rows
li s8, 2048
li s9, 8
li s10, 4096
li s11, ROWS_BEFORE_WAIT
.endm

.macro gather_page
divu a4, a1, s8
remu a5, a1, s8
remu t3, a4, s9
divu t4, a4, s9
mul t0, t4, s8
add t5, s0, t0
add t5, t5, a5
slli t0, t3, 2
add t0, t0, s2
lw t1, 0(t0)
sub t6, s8, a5
bltu t6, a2, 113f
addi t6, a2, 0
113:
wait_zero s4, 4 * CMD_CTRL
sw t5, 4 * TARG_LO(s4)
sw t1, 4 * TARG_HI(s4)
sw a3, 4 * RET_LO(s4)
sw s1, 4 * RET_HI(s4)
sw t6, 4 * AT_LEN_BE(s4)
li t2, 1
sw t2, 4 * CMD_CTRL(s4)
add a1, a1, t6
add a3, a3, t6
sub a2, a2, t6
.endm

.macro gather_wait
wait_zero s4, 4 * CMD_CTRL
wait_zero s3, PENDING
fence
.endm

.macro gather rows
run p150, 20000000
at 1, 2
on BRISC, 0
begin
bank = 0
.irp name, 17|14<<6, 17|15<<6, 17|18<<6, 17|21<<6, 18|14<<6, 18|17<<6, 18|20<<6, 18|23<<6
set_word TABLE + 4 * bank, \name
bank = bank + 1
.endr
i = 0
.rept \rows
set_word INDICES_AT + 4 * i, (17 + i * 7919) % 128256
i = i + 1
.endr
set_word PARAMS, DRAM_AT
fence
stamp STAMPS
gather_begin \rows
100:
beq s7, x0, 105f
lw a0, 0(s5)
mul a1, a0, s10
addi a2, s10, 0
addi a3, s6, 0
101:
beq a2, x0, 102f
gather_page
j 101b
102:
addi s11, s11, -1
bne s11, x0, 104f
gather_wait
li s11, ROWS_BEFORE_WAIT
104:
addi s5, s5, 4
add s6, s6, s10
addi s7, s7, -1
j 100b
105:
gather_wait
stamp STAMPS + 8
j .
done
take STAMPS
take STAMPS + 8
.endm

// ---- pages to other tiles
//
// The sender: s0 pages, s1 bytes of the last, a0 bytes to go, a1 burst, a2 bytes of a request, s6 interface, s7 initiator, s8 from,
// s9 to, s10 own coordinate

BUFFER = 0x20000
RECEIVED = 0x1f000 // the count of pages, on every tile
ACKED = 0x1f010
COUNTED = 0x1f020 // what is sent as the count
PAGE = 2048
DEPTH = 8
SEND_TAG = 1
OUTGOING = STATUS + 4 * (32 + SEND_TAG)

.macro send_check
parameter s0, 0
parameter s1, 1
bne s0, x0, 111f
j . // no pages: not here
111:
li a0, DEPTH
bltu a0, s0, 112f
beq s1, x0, 112f
li a1, PAGE
bltu a1, s1, 112f
addi a3, s0, -1
mul a2, a3, a1
add a2, a2, s1
j 113f
112:
j .
113:
.endm

// Twelve words and the start.
.macro begin_submit
wait_zero s7, 4 * CMD_CTRL
.endm

.macro middle_words
store_number s7, RET_MID, 0
store_number s7, RET_HI, coordinate
store_number s7, TAG, SEND_TAG << 10
store_number s7, CTRL, control
.endm

.macro submit_payload
begin_submit
sw s8, 4 * TARG_LO(s7)
store_number s7, TARG_MID, 0
sw s10, 4 * TARG_HI(s7)
sw s9, 4 * RET_LO(s7)
middle_words
sw a2, 4 * AT_LEN_BE(s7)
store_number s7, AT_LEN_BE_1, 0
store_number s7, AT_DATA, 0
store_number s7, BRCST_EXCLUDE, 0
store_number s7, CMD_CTRL, 1
.endm

.macro submit_count
begin_submit
store_number s7, TARG_LO, COUNTED
store_number s7, TARG_MID, 0
sw s10, 4 * TARG_HI(s7)
store_number s7, RET_LO, RECEIVED
middle_words
store_number s7, AT_LEN_BE, 4
store_number s7, AT_LEN_BE_1, 0
sw s0, 4 * AT_DATA(s7)
store_number s7, BRCST_EXCLUDE, 0
store_number s7, CMD_CTRL, 1
.endm

.macro send
send_check
li s6, NIU + 0x10000 * noc
li s7, NIU + 0x10000 * noc
li s8, BUFFER
li s9, BUFFER
own_coordinate s10
wait_zero s6, OUTGOING
fence
addi a0, a2, 0
li a1, 16384
100:
beq a0, x0, 102f
addi a2, a0, 0
bltu a0, a1, 101f
addi a2, a1, 0
101:
submit_payload
add s8, s8, a2
add s9, s9, a2
sub a0, a0, a2
j 100b
102:
wait_zero s7, 4 * CMD_CTRL
wait_zero s6, OUTGOING
fence
submit_count
wait_zero s7, 4 * CMD_CTRL
.endm

.macro pop
parameter s0, 0
li s5, ACKED
lhu s6, 0(s5)
100:
beq s0, x0, 103f
101:
li s5, RECEIVED
lhu s7, 0(s5)
sub t0, s7, s6
slli t0, t0, 16
srli t0, t0, 16
li t1, 1
bgeu t0, t1, 102f
fence
j 101b
102:
fence
addi s6, s6, 1
slli s6, s6, 16
srli s6, s6, 16
li s5, ACKED
sw s6, 0(s5)
addi s0, s0, -1
fence
j 100b
103:
fence
// The last word that came, for the host.
li s5, BUFFER
lw t0, 0(s5)
li s5, STAMPS + 32
sw t0, 0(s5)
fence
.endm

.macro remote pages, receivers
.if \receivers == 1
coordinate = 1 | 3 << 6
control = CTRL_WRITE | CTRL_VC(1)
.else
control = CTRL_WRITE | CTRL_BRCST | CTRL_VC(4)
.if noc // which runs the other way
coordinate = (1 | 3 << 6) | (1 | (2 + \receivers) << 6) << 12
.else
coordinate = (1 | (2 + \receivers) << 6) | (1 | 3 << 6) << 12
.endif
.endif
run p150, 20000000
at 1, 2
on BRISC, 0
begin
set_word PARAMS, \pages
set_word PARAMS + 4, PAGE
set_word COUNTED, \pages
li s11, 200 // until the receivers wait
delay s11
stamp STAMPS
send
stamp STAMPS + 8
j .
done
take STAMPS
at 1, 3
on NCRISC, 0x4000
begin
set_word PARAMS, \pages
stamp STAMPS
pop
stamp STAMPS + 8
j .
done
take STAMPS + 8
y = 4
.rept \receivers - 1
at 1, y
again NCRISC, 0x4000
take_max STAMPS + 8
y = y + 1
.endr
.endm

// ---- all tiles and DRAM

// Streams take so many banks in turn, from `first' on in steps. `batch': requests before a wait. B0926 to B0930 have four; the figures of
// B0936 to B0940 are the best of nine rings with batches of 1 to 32 (test_noc.py), and so are ours: B0936 has 219, 208, 168, 214, 210
// and 211 GB/s with 1, 2, 4, 8, 16 and 32.
.macro tiles read_noc, read_banks, read_first, write_noc, write_banks, write_first, step=1
run p150, 100000000
i = 0
.rept 117
live_p100 x, i / 10
at x, 2 + i % 10
.if reads
traffic \read_noc, 0, reads, \read_banks, \read_first, \step, i, batch
.endif
.if writes
traffic \write_noc, 1, writes, \write_banks, \write_first, \step, i, batch
.endif
i = i + 1
.endr
.endm

#include FAMILY_TABLE
