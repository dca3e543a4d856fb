// Scalar code and waits of a core.
//
//   largest   BRISC looks for the largest of 1024 to 4096 BF16 values in tiles, and where it is
//   counters  BRISC reads its counters of cycles and instructions twice, with nothing in between
//   rounds    T1 runs a few instructions in a loop, and waits for the units
// Sources: boopdotpng/blackhole-py, tests/compute/sfpu and microbench_math_backend.py with the helpers of its time (ttk/tensix.py);
// mesham/tt-sim, retirebench. Results: the two marks.
#include "stage.inc"

VALUES = 0x37000
RESULT = 0x45000

#define SYMBOLS(S)

// The address (s4) of value a2: tiles of four faces.
.macro address_of_value
andi a6, a2, 1023
sub s4, a2, a6
srli a7, a6, 5
andi s2, a6, 31
srli s3, a7, 4
slli s3, s3, 9
add s4, s4, s3
srli s3, s2, 4
slli s3, s3, 8
add s4, s4, s3
andi s3, a7, 15
slli s3, s3, 4
add s4, s4, s3
andi s3, s2, 15
add s4, s4, s3
slli s4, s4, 1
li s3, VALUES
add s4, s4, s3
.endm

// Values of both signs, in no order.
.macro values count
directive 5
.4byte VALUES
state = 63
.rept \count
state = (state * 1664525 + 1013904223) & 0xffffffff
.2byte (state >> 31) << 15 | (0x3e00 + (state >> 16 & 0x1ff))
.endr
end_directive
.endm

.macro largest count
stage "", 0
on_core BRISC
start
li a0, 0          // the best key
li a1, 0x7fffffff // its place
li a2, 0
li t4, VALUES
100:
address_of_value
lhu a5, 0(s4)
srli t3, a5, 15
beq t3, x0, 101f
xori a4, a5, -1
slli a4, a4, 16
srli a4, a4, 16
j 102f
101:
li t3, 0x8000
xor a4, a5, t3
102:
addi a3, a2, 0
bltu a0, a4, 104f
bne a0, a4, 105f
bgeu a3, a1, 105f
104:
addi a0, a4, 0
addi a1, a3, 0
105:
addi a2, a2, 1
li t3, \count
bltu a2, t3, 100b
li t0, RESULT
sw a0, 0(t0)
li t0, RESULT + 4
sw a1, 0(t0)
fence
stop
stay
values \count
take_marks
.endm

.macro counters
stage "", 0
on_core BRISC
csrrs a2, 0xb00, x0 // cycles
csrrs a3, 0xb02, x0 // instructions
csrrs a4, 0xb02, x0
csrrs a5, 0xb00, x0
keep_both a2, a5
stay
take_marks
.endm

.macro nothing // a sum, or a constant of one instruction
addi s1, s1, 1
.endm

.macro wait_for_units
TT(STALL(B_SYNC, 0x810))
sync
.endm

.macro prepare // both sources, all banks; Dst; counters; and the wait
TT(OP(ZEROSRC) | 1 << 2 | 3)
TT(OP(ZEROACC) | 3 << 19 | 1 << 14)
TT(OP(SETRWC) | 15)
wait_for_units
.endm

.macro rounds body, count
stage "", 0
on_core T1
clock a2, a3
li s8, \count
100:
beq s8, x0, 101f
\body
addi s8, s8, -1
j 100b
101:
clock a4, a5
keep_both a2, a4
stay
take_marks
.endm

#include FAMILY_TABLE
