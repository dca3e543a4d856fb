// Start of every guest program: the core's cfg0, stack, initialised data from L1 to the core's own RAM, zeroed data, main.
//
// cfg0 is what the vendor's firmware leaves there (0x60008): no L0 data cache, so that a core that polls a word of L1
// sees what others write, and no gathering of .ttinsn.
// BRISC starts at address 0, and the word at L1 address 16 belongs to the ARC firmware (odd: throttle matmuls), so its
// image jumps over the first 32 bytes.
#include "machine.h"
#ifndef BOOT_ROOM
#define BOOT_ROOM 32
#endif
    .section .text.start, "ax"
    .globl _start
_start:
#ifdef COMPILE_FOR_BRISC
    j start
    .balign BOOT_ROOM, 0 // zeros, not NOPs: an odd word at 16 would throttle
start:
#endif
#if !TS_RULE_plain_cores
    li t0, 1 << 18 | 1 << 3
    csrs 0x7c0, t0
#endif
    la sp, __stack
    la t0, __data_load
    la t1, __data_start
    la t2, __data_end
1:  bgeu t1, t2, 2f
    lw t3, 0(t0)
    sw t3, 0(t1)
    addi t0, t0, 4
    addi t1, t1, 4
    j 1b
2:  la t2, __bss_end
3:  bgeu t1, t2, 4f
    sw zero, 0(t1)
    addi t1, t1, 4
    j 3b
4:  call main
5:  j 5b
