// The tests of the low-level kernels are linked from two files that the compiler does not see together (tt-llk,
// tests/python_tests/helpers/test_config.py, helpers/include/ckernel_helper.h): where register spaces lie and which set of
// configuration is in use are variables of the other one. Not so on the unpack thread: its set-ups, too slow already by a few
// cycles, would be 10 cycles slower still.
#pragma once
#include <stdint.h>

#define TS_LLK_TESTS      1
#define TS_PC_BUF(offset) ((uintptr_t)pc_buf_base + (offset))
#define TS_REGFILE        ((uintptr_t)regfile_base)
#define TS_CFG            (cfg_state == 0 ? 0xffef0000 : 0xffef0380)

extern volatile uint32_t *pc_buf_base, *regfile_base;
extern uint32_t cfg_state;
volatile uint32_t *pc_buf_base = (volatile uint32_t *)0xffe80000,
                  *regfile_base = (volatile uint32_t *)0xffe00000;
uint32_t cfg_state = 0;
