// Document 003, "Fidelity for ELWMUL": the MOP. What its text leaves out ("...") is no broadcast.
#include "compute_kernel_api/common.h"

void kernel_main()
{
#ifdef TRISC_MATH
    constexpr MathFidelity math_fidelity = MathFidelity::HiFi4;
    constexpr uint32_t innerloop = 8;
#define ELIDED 0, 0, p_elwise::SRCB_NO_BCAST
#define OP(...) TT_OP_ELWMUL(__VA_ARGS__)
ckernel_template tmp(to_underlying(math_fidelity), innerloop,
                     OP(ELIDED, ADDR_MOD_0, 0));
tmp.set_last_inner_loop_instr(OP(ELIDED, ADDR_MOD_2, 0)); // advance fidelity
tmp.set_last_outer_loop_instr(OP(CLR_AB, 0, p_elwise::SRCB_NO_BCAST, ADDR_MOD_3, 0)); // reset+clear
    tmp.program();
#endif
}
