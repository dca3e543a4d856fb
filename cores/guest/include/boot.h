// What BRISC does first, whatever it starts then: the coprocessor as kernels expect it.
#pragma once
#include "cfg_defines.h"
#include "tensix.h"
#include "words.h"

namespace {

// BRISC reaches every thread's FIFO behind the MOP expander.
void push(unsigned thread, uint32_t word)
{
    TS_REG(INSTRN_BUF_BASE + 0x10000 * thread) = word;
}

// Where the other cores start when they leave reset.
void start_at(uint32_t trisc0, uint32_t trisc1, uint32_t trisc2, uint32_t ncrisc)
{
#if TS_RULE_start_in_config
    volatile uint32_t *cfg = (volatile uint32_t *)TENSIX_CFG_BASE;
    cfg[TRISC_RESET_PC_SEC0_PC_ADDR32] = trisc0;
    cfg[TRISC_RESET_PC_SEC1_PC_ADDR32] = trisc1;
    cfg[TRISC_RESET_PC_SEC2_PC_ADDR32] = trisc2;
    cfg[TRISC_RESET_PC_OVERRIDE_Reset_PC_Override_en_ADDR32] = 7;
    cfg[NCRISC_RESET_PC_PC_ADDR32] = ncrisc;
    cfg[NCRISC_RESET_PC_OVERRIDE_Reset_PC_Override_en_ADDR32] = 1;
    ts_cfg_fence();
#else
    TS_REG(RISCV_TRISC_PC) = trisc0;
    TS_REG(RISCV_TRISC_PC + 4) = trisc1;
    TS_REG(RISCV_TRISC_PC + 8) = trisc2;
    TS_REG(RISCV_TRISC_PC_EN) = 7;
    TS_REG(RISCV_NCRISC_PC) = ncrisc;
    TS_REG(RISCV_NCRISC_PC_EN) = 1;
#endif
}

void set_up_coprocessor()
{
    push(0, TS_OP_ZEROACC(3, 0, 0, 0));
    push(0, TT_OP_SFPENCC(3, 0, 0, 10)); // all lanes on
    push(0, TT_OP_NOP);
    // Semaphores: value 0; two buffers of Dst, two unpacker contexts, one of the others.
    push(0, TT_OP_SEMINIT(2, 0, 1 << 1));
    push(0, TT_OP_SEMINIT(2, 0, 1 << 5));
    push(0, TT_OP_SEMINIT(1, 0, 1 << 2));
    push(0, TT_OP_SEMINIT(1, 0, 1 << 7));
}

} // namespace
