// The tile as a baby core sees it: registers, instruction pushes, syncs. For C and C++.
#ifndef TENSIM_GUEST_TENSIX_H
#define TENSIM_GUEST_TENSIX_H

#include <stdint.h>

#include "launch.h"
#include "machine.h"

#define TS_REG(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define REGFILE_BASE        0xffe00000u // this thread's 64 GPRs
#define INSTRN_BUF_BASE     0xffe40000u // BRISC: + 0x10000 for each thread
#define INSTRN1_BUF_BASE    0xffe50000u
#define INSTRN2_BUF_BASE    0xffe60000u
#define PC_BUF_BASE         0xffe80000u
#define PC1_BUF_BASE        0xffe90000u
#define PC2_BUF_BASE        0xffea0000u
#define TENSIX_MAILBOX_BASE 0xffec0000u // + 0x1000 for each core: B, T0, T1, T2
#define TENSIX_CFG_BASE     0xffef0000u
#define TENSIX_MOP_CFG_BASE 0xffb80000u
#define RISCV_SOFT_RESET    0xffb121b0u
#define RISCV_WALL_CLOCK    0xffb121f0u // low word; high word latched at + 8
#define RISCV_TRISC_PC      0xffb12228u
#define RISCV_TRISC_PC_EN   0xffb12234u
#define RISCV_NCRISC_PC     0xffb12238u
#define RISCV_NCRISC_PC_EN  0xffb1223cu
#define NOC_NIU_BASE        0xffb20000u // + 0x10000 for NoC 1

// Where code finds this thread's waits and GPRs and the configuration in use: constants, but in re-created tests of the vendor's
// low-level kernels (config/probes/split.h).
#ifndef TS_LLK_TESTS
#define TS_LLK_TESTS      0
#define TS_PC_BUF(offset) (PC_BUF_BASE + (offset))
#define TS_REGFILE        REGFILE_BASE
#define TS_CFG            TENSIX_CFG_BASE
#endif

typedef unsigned int uint;

#define TS_INLINE_ALWAYS static inline __attribute__((always_inline))

// An instruction in the code itself, rotated left by two; the words around it must keep their order. In a kernel of a
// program file other accesses to memory may pass it, unless they are volatile, as with the vendor's macro.
#ifdef KERNEL_BUILD
#define TS_AROUND_WORDS
#else
#define TS_AROUND_WORDS "memory"
#endif
#define TS_INLINE(word) \
    __asm__ volatile(".word %0" : : "i"((int)(((word) << 2) | ((word) >> 30))) : TS_AROUND_WORDS)

// The directive of the vendor's assembler for such an instruction, where that one does not run.
#ifndef __riscv_xtttensixbh
__asm__(".macro .ttinsn word\n"
        ".word (((\\word) << 2) & 0xfffffffc) | (((\\word) >> 30) & 3)\n"
        ".endm");
#endif

#ifdef KERNEL_BUILD
extern volatile uint32_t __instrn_buffer[]; // a name of its own: no other variable lies there
#else
#define __instrn_buffer ((volatile uint32_t *)INSTRN_BUF_BASE)
#endif
// An instruction with operands that may only be known at run time: a store, unless the compiler
// knows them all.
TS_INLINE_ALWAYS void ts_push(uint32_t word)
{
    if (__builtin_constant_p(word))
        TS_INLINE(word);
    else
        __instrn_buffer[0] = word;
}

// Makes the core wait until the value of a load has arrived.
TS_INLINE_ALWAYS void ts_arrived(uint32_t value)
{
    __asm__ volatile("and x0, %0, %0" : : "r"(value) : "memory");
}

// A load that waits in the memory system. It could overtake older stores that are still in the
// core's queue, pushes among them, and wait for less than it should: a store to its own address,
// which nobody receives, must leave the queue first, and all older ones before it (ManualTTSync.md,
// MemoryOrdering.md).
TS_INLINE_ALWAYS void ts_sync_at(uint32_t address)
{
#if TS_LLK_TESTS
    uint32_t value = 0;
    __asm__ volatile("sw %0, (%1)\n\tlw %0, (%1)\n\tand x0, x0, %0"
                     : "+r"(value)
                     : "r"(address)
                     : "memory");
#else
    TS_REG(address) = 0;
    ts_arrived(TS_REG(address));
#endif
}

// Waits until this thread's coprocessor pipeline is empty.
TS_INLINE_ALWAYS void tensix_sync(void)
{
    ts_sync_at(TS_PC_BUF(4));
}

// Waits until this thread's MOP expander is idle.
TS_INLINE_ALWAYS void mop_sync(void)
{
    ts_sync_at(TS_PC_BUF(8));
}

// In polls of L1: with the L0 data cache on, a fence would have to make it forget. It is off
// (crt0.S), so there is nothing to do.
TS_INLINE_ALWAYS void ts_invalidate(void)
{
    __asm__ volatile("" : : : "memory");
}

TS_INLINE_ALWAYS volatile uint32_t *ts_cfg(void)
{
    return (volatile uint32_t *)TS_CFG;
}

// Waits until configuration stores have been performed: a load follows them in order.
TS_INLINE_ALWAYS void ts_cfg_fence(void)
{
    ts_arrived(TS_REG(TENSIX_CFG_BASE + 4));
}

TS_INLINE_ALWAYS volatile struct ts_launch *ts_launch_block(void)
{
    return (volatile struct ts_launch *)TS_L1_LAUNCH;
}

// The tile's semaphores, from a TRISC.
TS_INLINE_ALWAYS uint32_t semaphore_read(unsigned index)
{
    return TS_REG(TS_PC_BUF(0x20 + 4 * index));
}
TS_INLINE_ALWAYS void semaphore_post(unsigned index)
{
    TS_REG(TS_PC_BUF(0x20 + 4 * index)) = 0;
}
TS_INLINE_ALWAYS void semaphore_get(unsigned index)
{
    TS_REG(TS_PC_BUF(0x20 + 4 * index)) = 1;
}

TS_INLINE_ALWAYS void mailbox_write(unsigned core, uint32_t value)
{
    TS_REG(TENSIX_MAILBOX_BASE + 0x1000 * core) = value;
}
TS_INLINE_ALWAYS uint32_t mailbox_read(unsigned core)
{
    return TS_REG(TENSIX_MAILBOX_BASE + 0x1000 * core);
}

#endif
