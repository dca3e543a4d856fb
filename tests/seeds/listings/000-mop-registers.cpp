// Document 000, "MOP: the hardware loop engine": its registers.
#include "compute_kernel_api/common.h"

void kernel_main()
{
    uint outer_loop_len = 1, inner_loop_len = 1, start_op = TT_OP_NOP, end_op0 = TT_OP_NOP;
volatile uint *mop_cfg = reinterpret_cast<volatile uint *>(TENSIX_MOP_CFG_BASE);
mop_cfg[0] = outer_loop_len;
mop_cfg[1] = inner_loop_len;
mop_cfg[2] = start_op;
mop_cfg[3] = end_op0;  // ... etc
}
