// Baby cores: a loop of n copies of one instruction or a few, on one core or on several at once.
//
// Sources: mesham/tt-sim riscvbench and retirebench (rows S), boopdotpng/tenstorrent-docs microbenching (rows B).
//
// `loop BODY' runs it for two numbers of rounds; results: the clock of the timed core at the end of each.
// Symbols: n (copies), cfg0, timed (core), active (mask of cores that run the loop). Other cores are in reset (rows B) or in
// the vendor's firmware (rows S, vendor=1), which polls its mailbox.
//
// Registers: t0 line that all cores share, t1 own line, t2 local RAM, s0 register or slow alias, s1 ring; a0-a3 results;
// a4, a5 operands; s4 rounds; s5 zero that is not x0.
#include "probe.inc"

SHARED = 0x20000
OWN = 0x30000
RING1 = 0x20100
RING8 = 0x20200
RING64 = 0x21000
LOCAL = 0xffb00000
NOC_STATUS = 0xffb20200
MAILBOX = 0x38068 // as the firmware's, 0x68, in bank 6
GO = 0x80808080
NEXT = -1 // the slow alias of the next core's RAM

SLOW_B = 0xffb14000
SLOW_NC = 0xffb16000
SLOW_T0 = 0xffb18000
SLOW_T1 = 0xffb1a000
SLOW_T2 = 0xffb1c000

// counted: a third instruction in the loop; apart: distance of the cores' own lines; first: a0
#define SYMBOLS(S) S(active, UNSET) S(cfg0, UNSET) S(timed, UNSET) S(n, 16) S(vendor, 0) S(counted, 0) S(apart, 2048) \
S(far, CLOCK) S(ring, RING1) S(first, 1) S(left, 0xffffffff) S(right, 3)

// ---- bodies: copy number k

.macro pick4 a, b, c, d
.if k % 4 == 0
\a
.elseif k % 4 == 1
\b
.elseif k % 4 == 2
\c
.else
\d
.endif
.endm

#define BODY(name, ...) .macro name; __VA_ARGS__; .endm

BODY(nothing, )
BODY(addi0, addi x0, x0, 0)
BODY(lui_, lui a0, 1)
BODY(auipc_, auipc a0, 1)
BODY(addi_dep, addi a0, a0, 1)
BODY(add_dep, add a0, a0, a5)
BODY(xor_dep, xor a0, a0, a5)
BODY(xori_, xori a0, a0, 1)
BODY(ori_, ori a0, a0, 1)
BODY(andi_, andi a0, a0, 1)
BODY(sltiu_, sltiu a0, a0, 1)
BODY(sext_h, sext.h a0, a0)
BODY(zext_h, zext.h a0, a0)
BODY(sub_, sub a0, a0, a5)
BODY(or_, or a0, a0, a5)
BODY(and_, and a0, a0, a5)
BODY(sll_, sll a0, a0, a5)
BODY(slt_, slt a0, a0, a5)
BODY(sltu_, sltu a0, a0, a5)
BODY(min_, min a0, a0, a5)
BODY(minu_, minu a0, a0, a5)
BODY(maxu_, maxu a0, a0, a5)
BODY(ctz_, ctz a0, a0)
BODY(mul_dep, mul a0, a0, a5)
BODY(divu_one, divu a0, a4, a5)
BODY(divu_large, divu a0, a4, a5)
BODY(divu_29, divu a0, a4, a5)
BODY(divu_decay, divu a0, a0, a5)
BODY(remu_large, remu a0, a4, a5)
BODY(fence_, fence)
BODY(csrrs_, csrrs a0, 0xc00, x0)
BODY(csrrc_, csrrc a0, 0xc00, x0)
BODY(fadd_dep, fadd.s f1, f1, f2, rne)
BODY(fmul_dep, fmul.s f1, f1, f2, rne)
BODY(fmadd_dep, fmadd.s f1, f1, f2, f3, rne)
BODY(never, bne x0, x0, . + 8)
BODY(taken, beq x0, x0, . + 4)
BODY(beq_not, beq a5, x0, . + 8)
BODY(bne_taken, bne a5, x0, . + 4)
BODY(blt_taken, blt x0, a5, . + 4)
BODY(bge_taken, bge a5, x0, . + 4)
BODY(bge_not, bge x0, a5, . + 8)
BODY(bltu_taken, bltu x0, a5, . + 4)
BODY(bltu_not, bltu a5, x0, . + 8)
BODY(bgeu_taken, bgeu a5, x0, . + 4)
BODY(bgeu_not, bgeu x0, a5, . + 8)
BODY(jal_, j . + 4)
BODY(chase_l1, lw s1, 0(s1))
BODY(chase_l1_8, lw s1, 0(s1))
BODY(chase_l1_64, lw s1, 0(s1))
BODY(chase_local, lw t2, 0(t2))
BODY(load_l1, lw a0, 0(t0))
BODY(lbu_l1, lbu a0, 0(t0))
BODY(lhu_l1, lhu a0, 0(t0))
BODY(load_l1_own, lw a0, 0(t1))
BODY(load_local, lw a0, 0(t2))
BODY(store_l1_same, sw a5, 0(t0))
BODY(sb_l1, sb a5, 0(t0))
BODY(sh_l1, sh a5, 0(t0))
BODY(store_l1_own, sw a5, 0(t1))
BODY(store_l1_coalesced, sw a5, (k % 4 * 4)(t1))
BODY(store_l1_rotate, sw a5, (k % 4 * 16)(t1))
BODY(store_local, sw a5, 16(t2))
BODY(slow_b, lw a0, 0(s0))
BODY(slow_nc, lw a0, 0(s0))
BODY(slow_t0, lw a0, 0(s0))
BODY(slow_next, lw a0, 0(s0))
BODY(wall, lw a0, 0(s0))
BODY(noc_status, lw a0, 0(s0))
BODY(addi_ind, pick4 "addi a0, a5, 1", "addi a1, a5, 1", "addi a2, a5, 1", "addi a3, a5, 1")
BODY(add_ind, pick4 "add a0, a5, a4", "add a1, a5, a4", "add a2, a5, a4", "add a3, a5, a4")
BODY(xor_ind, pick4 "xor a0, a5, a4", "xor a1, a5, a4", "xor a2, a5, a4", "xor a3, a5, a4")
BODY(mul_ind4, pick4 "mul a0, a5, a4", "mul a1, a5, a4", "mul a2, a5, a4", "mul a3, a5, a4")
BODY(fadd_ind4, pick4 "fadd.s f1, f8, f9, rne", "fadd.s f2, f8, f9, rne", "fadd.s f3, f8, f9, rne", "fadd.s f4, f8, f9, rne")
BODY(load_l1_ind4, pick4 "lw a0, 0(t0)", "lw a1, 16(t0)", "lw a2, 32(t0)", "lw a3, 48(t0)")
BODY(load_l1_ind8, pick4 "lw a0, (k % 8 * 4)(t0)", "lw a1, (k % 8 * 4)(t0)", "lw a2, (k % 8 * 4)(t0)", "lw a3, (k % 8 * 4)(t0)")
BODY(load_local_ind4, pick4 "lw a0, 0(t2)", "lw a1, 4(t2)", "lw a2, 8(t2)", "lw a3, 12(t2)")
BODY(xori_alternate, xori a0, a0, 1; bne a0, x0, . + 4)
BODY(xori_never, xori a0, a0, 1; bne x0, x0, . + 8)
BODY(xori_taken, xori a0, a0, 1; beq x0, x0, . + 4)
BODY(jalr3, auipc a0, 0; addi a0, a0, 12; jalr x0, 0(a0))
BODY(jump32, j . + 32; nop; nop; nop; nop; nop; nop; nop) // a jump in every other line of the cache
BODY(jump4, j . + 4)
BODY(load_use0, lw a0, 0(t0); add a1, a0, a5)
BODY(load_use1, lw a0, 0(t0); addi a6, x0, 1; add a1, a0, a5)
BODY(load_use2, lw a0, 0(t0); addi a6, x0, 1; addi a7, x0, 1; add a1, a0, a5)
BODY(load_use4, lw a0, 0(t0); addi a6, x0, 1; addi a7, x0, 1; addi s2, x0, 1; addi s3, x0, 1; add a1, a0, a5)
BODY(pair_l1, sw a5, 0(t0); lw a0, 0(t0))
BODY(rmw_l1, lw a0, 0(t0); sw a0, 0(t0))
BODY(slow_chase2, lw a0, 32(s0); add a1, a0, s0; lw a2, 32(a1))

// The owner writes its own RAM, the others read it from outside.
.macro slow_contested
.if core == BRISC
sw a5, 16(t2)
.else
lw a0, 16(s0)
.endif
.endm

// ---- the loop

.macro set_up
li t0, SHARED + lines
li t1, OWN + lines + core * apart
li t2, LOCAL
sw t2, 0(t2) // a pointer to itself, and the end of the RAM's clearing
lw a0, 0(t2)
add a0, a0, x0
.if far != NEXT
li s0, far
.elseif core == T0
li s0, SLOW_T1
.elseif core == T1
li s0, SLOW_T2
.elseif core == T2
li s0, SLOW_NC
.elseif core == NCRISC
li s0, SLOW_B
.else
li s0, SLOW_T0
.endif
li s1, ring
li a0, first
li a4, left
li a5, right
addi s5, x0, 0
#ifndef WORMHOLE
.irp f, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9
fmv.w.x \f, x0
.endr
#endif
.endm

.macro code body, rounds
#ifndef WORMHOLE
li a0, cfg0
csrrw x0, 0x7c0, a0
#endif
set_up
li s4, \rounds
.balign 16 // a line of the instruction cache; the code itself starts at one
100:
k = 0
.rept n
\body
k = k + 1
.endr
addi s4, s4, -1
.if counted
addi s6, x0, 0
.endif
.if n < 900
bne s4, x0, 100b
.else
beq s4, x0, . + 8
j 100b
.endif
.if core == timed
li a0, GO
li t0, MAILBOX
sw a0, 0(t0)
.endif
j .
.endm

// The vendor's firmware in a core without a kernel polls its byte of the mailbox, BRISC all four, instruction by instruction
// as in https://github.com/boopdotpng/tenstorrent-docs (disasms, firmware_*.s). The timed core lets it go.
.macro firmware
li t0, MAILBOX
.if core == BRISC
li t1, GO
.else
li t1, GO & 0xff
.endif
li a0, 0x60008
csrrw x0, 0x7c0, a0
.if core == BRISC
100:
lw a0, 0(t0)
beq a0, t1, . + 12
fence
beq x0, x0, 100b
.elseif core == NCRISC
100:
lbu a0, 0(t0)
andi a1, a0, 0xff
addi a0, a0, -128
beq a0, x0, . + 20
addi a0, a1, -1
beq a0, x0, . + 12
fence
beq x0, x0, 100b
.elseif core == T0
li t2, 3
100:
lbu a0, 1(t0)
beq a0, t2, . + 16
fence
lbu a0, 1(t0)
bne a0, t1, 100b
.else
100:
fence
lbu a0, core(t0)
bne a0, t1, 100b
.endif
j .
.endm

.macro ring_of base, nodes
node = 0
.rept \nodes
data \base + 16 * node, \base + (node + 1) % \nodes * 16
node = node + 1
.endr
.endm

.macro rounds_of body, rounds
run limit=1 << 30
core = 0
.rept 5
.if active >> core & 1
.balign 16
on core, 0x4000 * core
code \body, \rounds
done
.elseif vendor
on core, 0x4000 * core
firmware
done
.endif
core = core + 1
.endr
.if ring == RING1
ring_of RING1, 1
.elseif ring == RING8
ring_of RING8, 8
.else
ring_of RING64, 64
.endif
time timed
.endm

.macro loop body
lines = vendor * 0x40 // where the source has them, from bank 4 on: in the banks around the mailbox
rounds_of \body, 128
.if n > 512
rounds_of \body, 160
.else
rounds_of \body, 1128
.endif
.endm

// A chain of jumps that a loop calls through a register.
.macro chained rounds
run limit=1 << 30
core = timed
on core, 0x4000 * core
li a0, cfg0
csrrw x0, 0x7c0, a0
set_up
li s4, \rounds
.balign 32
nop; nop; nop; nop; nop; nop; nop
jal s8, 200f
.rept n
j . + 32; nop; nop; nop; nop; nop; nop; nop
.endr
ret
.balign 16
200:
100:
jalr ra, 0(s8)
addi s4, s4, -1
bne s4, x0, 100b
j .
done
ring_of RING64, 64
time timed
.endm
.macro called_chain
lines = 0
chained 1
chained 17
.endm

#include FAMILY_TABLE
