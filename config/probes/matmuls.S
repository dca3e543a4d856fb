// A matmul of 5000 x 5000 x 5000 over 10 x 11 tiles of a p150 card, as published with its times (blackhole-py,
// examples/matmul_peak.py and tests/movement, September 2026), written again from its description.
//
//   BRISC   first column: reads a block of a (16 tiles high) from DRAM, multicasts it to its row
//   NCRISC  first row: reads a block of b (16 tiles wide), multicasts it down its column, NoC 1;
//           all: write their 16 x 16 tiles of c to DRAM at the end
//   T0      unpacks (matmul_unpack.inc)
//   T1      multiplies (matmul_math.inc)
//   T2      packs; the last block starts from the sums, or is added, too (matmul_pack.inc)
//
// Symbols: height, width (tiles of a sub-block), block (tiles of a block of the inner dimension), phases (of MVMUL), fp8 (a and
// b; else BF16), wide (sums and c in FP32; else FP8's FP16, or BF16), unsynced (T1 does not wait for its words at the end of
// a sub-block), counters (the threads add up times of their parts, as the profile of level 1 does), most_blocks (run only so many).
//
//   alone         one tile, whose input is always there: the pace of the three threads
//   first_input   all tiles: the input of one block
//   last_output   all tiles: the output, when all of it is in L1
//   whole         all tiles, all of it
// A row is put together from the first three (figures.h): tiles differ in nothing but their place, input comes faster than they use it,
// and output is written slower than they pack. The test `matmuls' compares the sum with the whole.
//
// `unpacks', part: parts of T0, ten rounds of each in one program, while T1 clears what it unpacks (microbench_unpack_backend.py).
// Results: first and last clock of the empty part, and of the part.
#include "matmul.inc"
#include "matmul_unpack.inc"
#include "matmul_math.inc"
#include "matmul_pack.inc"
#include "matmul_move.inc"

LIMIT = 100000000

#define SYMBOLS(S) S(height, UNSET) S(width, UNSET) S(block, UNSET) S(part, UNSET) S(phases, 1) S(fp8, 0) S(wide, 0) \
S(unsynced, 0) S(counters, 0) S(most_blocks, 0)

.macro matmul_run
plan
run p150-120, LIMIT, QUICK | OVERLAY
.endm

.macro on_threads
on T0, 0x8000
unpack_program
on T1, 0xd000
math_program
on T2, 0x13000
pack_program
.endm

.macro alone
matmul_run
at 1, 2
on BRISC, 0
feed_program
on_threads
data PLAN, height, width, block, blocks
take PLAN, 4
take START(AT_BRISC)
take START(AT_T1)
take END(AT_T1)
take END(AT_T2)
take START(AT_FIRST)
take START(AT_LAST)
take COUNTER(UNPACKING)
.endm

// ---- all tiles

// Places in each bank.
A_AT = 0x1000000
B_AT = 0x4000000
C_AT = 0x8000000

// A column as programs name it, and on the card: x = 8 and 9 have no tiles, 7 and 10 are off. Of twelve columns the last one has
// the launcher's tiles.
.macro find_column number
x = (\number) + 1
.if x > 7
x = x + 2
.endif
raw_x = (\number) + 1
.if raw_x > 6
raw_x = raw_x + 4
.endif
.endm

// What the launcher leaves: words 0 to 31 are BRISC's, 32 to 63 NCRISC's, then the ports of the banks on NoC 0 and on NoC 1, two
// a word.
.macro tile_arguments
depth = all_blocks * block // tiles of a row of a
across = SIDE * COLUMNS    // of a row of b and c
own = x | y << 6
data ARGUMENTS, A_AT, row_ * SIDE * depth, 1, depth, block, block, SIDE, tiles_in, sent_blocks, \
2, y, 7, y, 6, 10, y, 13, y, 4, 1, y, 0, 1, BANKS, 0, 0, 0, 0, 0, 0, own, 0, \
B_AT, column * SIDE, 1, across, block * across, SIDE, block, tiles_in, sent_blocks, \
x, ROWS + 1, x, 3, ROWS - 1, x, 2, 2, 3, \
C_AT, row_ * SIDE * across + column * SIDE, 1, across, width, height * across, width, height, subblock, \
SIDE / width, SIDE / height, BANKS, own, ~column & 1, \
0x3d10391, 0x5510491, 0x4520392, 0x5d20512, 0x4110351, 0x59104d1, 0x4120352, 0x59204d2
.endm

// Calls a macro for every tile.
.macro each_tile body
row_ = 0
.rept ROWS
y = 2 + row_
column = 0
.rept COLUMNS
find_column column
at raw_x, y
\body
column = column + 1
.endr
row_ = row_ + 1
.endr
.endm

.macro brisc_of_tile
.if column
load_code BRISC, 0, 82b, 83b
.else
load_code BRISC, 0, 80b, 81b
.endif
.endm

.macro ncrisc_of_tile
.if row_
load_code NCRISC, 0x4000, 86b, 87b
.else
load_code NCRISC, 0x4000, 84b, 85b
.endif
.endm

// The programs of BRISC and NCRISC that read (80, 84) and those that get what these send (82, 86).
.macro moving_programs output
80:
brisc_program 1
81:
82:
brisc_program 0
83:
84:
ncrisc_program SENDS, \output
85:
86:
ncrisc_program RECEIVES, \output
87:
.endm

.macro input_tile
brisc_of_tile
ncrisc_of_tile
tile_arguments
take START(AT_NCRISC)
take END(AT_BRISC)
take END(AT_INPUT)
.endm

.macro first_input
matmul_run
sent_blocks = 1
moving_programs 0
each_tile input_tile
.endm

.macro output_tile
load_code NCRISC, 0x4000, 84b, 85b
tile_arguments
take START(AT_OUTPUT)
take END(AT_OUTPUT)
.endm

.macro last_output
matmul_run
sent_blocks = blocks
84:
ncrisc_program THERE, 1
85:
each_tile output_tile
.endm

.macro whole_tile
brisc_of_tile
ncrisc_of_tile
load_code T0, 0x8000, 88b, 89b
load_code T1, 0xd000, 90b, 91b
load_code T2, 0x13000, 92b, 93b
tile_arguments
take START(AT_NCRISC)
take END(AT_T1)
take END(AT_T2)
take END(AT_NCRISC)
.endm

.macro whole
matmul_run
sent_blocks = blocks
moving_programs 1
88:
unpack_program
89:
90:
math_program
91:
92:
pack_program
93:
each_tile whole_tile
.endm

// ---- T0 alone

ROUNDS = 10
EMPTY = 0
POLL = 1
FLIP = 2
ROW_OF_TILES = 3
SUBBLOCK = 4 // of 2 x 2 tiles; SUBBLOCK + i: K = i + 1
RELOAD = SUBBLOCK + 6
RECORDS = 0x128000
ENDED = RECORDS - 4
#define RECORD(part) (RECORDS + 64 * (1 + (part)))

.macro row_at a
li s9, \a
unpack_row 2
.endm

.macro part_of number
.if \number == EMPTY
addi s6, s6, 1
.elseif \number == POLL
wait_for_context s7
.elseif \number == FLIP
other_context
.elseif \number == ROW_OF_TILES
li s10, 0
row_at 0
.elseif \number == RELOAD
begin_tiles
tile = 0
.rept 4
TT(SETADC_ALL_ZW)
wait_for_context s7
li t4, tile
tile_address a0, t4, a4, s0
lw t2, 0(s11)
mv t3, a2
set_base a0
sw x0, 0(s7)
unpack_tile
other_context
tile = tile + 1
.endr
drain_words
end_tiles
set_mop TILES_MOP
.else
TT(SETADC_ALL_ZW)
inner = 0
.rept \number - SUBBLOCK + 1
li s9, inner
li s10, 2 * inner
unpack_row 2
row_at \number - SUBBLOCK + 1 + inner
inner = inner + 1
.endr
.endif
.endm

.macro timed_part number
li s6, 0x55420000 | \number
li a4, 128 // 16 bytes of a tile
li a5, 128
unpack_registers
clock s2, s3
li s8, ROUNDS
.Lagain\@:
beq s8, x0, .Ldone\@
part_of \number
addi s8, s8, -1
j .Lagain\@
.Ldone\@:
clock s4, s5
li t3, RECORD(\number)
.irp i, 0, 1, 2, 3, 4, 5, 6
li t0, \number
sw t0, 4 * \i(t3)
.endr
place = 28
.irp register, s2, s3, s4, s5, s6, x0, x0, x0, x0
sw \register, place(t3)
place = place + 4
.endr
.endm

unpacks_begin:
SYMBOLS(DEFAULT)
height = 2
width = 2
block = 1
plan
begin // as the firmware of June 2026 left its cores (tenstorrent-docs, registers.md): no fusion
set ENDED, 0
unpack_set_up
drain_words
li s0, BUFFERS >> 4
li s1, (BUFFERS + 0x40000) >> 4
.irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
timed_part \number
.endr
set ENDED, 1
stay
unpacks_end:

clears_begin:
begin
li s0, ENDED
100:
lw t0, 0(s0)
bne t0, x0, 101f
TT(SETRWC(3, 3))
j 100b
101:
stay
clears_end:

.macro unpacks
run p100, 1000000, QUICK
at 1, 2
load_code T0, 0x8000, unpacks_begin, unpacks_end
load_code T1, 0xd000, clears_begin, clears_end
.irp number, EMPTY, part
take RECORD(\number) + 28
take RECORD(\number) + 36
.endr
.endm

#include FAMILY_TABLE

// Of no row: what the test compares.
SYMBOLS(DEFAULT) height=1; width=8; block=4; fp8=1; most_blocks=2
row parts_of_test
alone; first_input; last_output
row whole_of_test
whole
