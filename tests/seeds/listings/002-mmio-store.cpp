// Document 002, "MMIO Store": a store to the instruction buffer. The operands that it leaves out are 0.
#include "compute_kernel_api/matmul.h"

void kernel_main()
{
#ifdef TRISC_MATH
    uint32_t src_a = 0, src_b = 0;
// volatile pointer to INSTRN_BUF_BASE (0xFFE40000)
volatile uint32_t* instrn_buffer = (volatile uint32_t*)INSTRN_BUF_BASE;
instrn_buffer[0] = TT_OP_MVMUL(src_a, src_b, 0, 0);
    ckernel::instrn_buffer[0] = TT_OP_NOP; // the vendor's name of the same pointer
#endif
}
