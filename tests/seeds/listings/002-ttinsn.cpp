// Document 002, "Inline .ttinsn Custom RISC-V Instruction": the directive of the vendor's assembler.
#include "compute_kernel_api/matmul.h"

#define INSTRUCTION_WORD(x) __asm__ __volatile__(".ttinsn %0" : : "i"((x)))

void kernel_main()
{
#ifdef TRISC_MATH
    INSTRUCTION_WORD(TT_OP_SETRWC(0, 0, 0, 0, 0, 0xf));
    INSTRUCTION_WORD(TT_OP_SETC16(1, 0));
#endif
}
