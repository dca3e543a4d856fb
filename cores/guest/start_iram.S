// Start on the core of Wormhole's Ethernet tiles: as crt0.S, and before main its code goes from L1 into the core's instruction RAM, with
// RX and TX off meanwhile, as tt-metal's erisc.cc does it.
#define main fill
#include "crt0.S"
#undef main
fill:
    li t0, 0xffba0000 // the MAC: RX and TX
    li t1, 0x30000000
    li t2, 6
    sw t1, 0(t0)
    sw t2, 4(t0)
    li t3, 0xffb94098 // ETH_CORE_IRAM_LOAD
    la t4, __iram_load
    srli t4, t4, 4
    sw t4, 0(t3)
1:  lw t4, 0(t3)
    andi t4, t4, 1
    bnez t4, 1b
    addi t1, t1, 1
    addi t2, t2, 1
    sw t1, 0(t0)
    sw t2, 4(t0)
    tail main
