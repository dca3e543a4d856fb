// Document 001, 5.3 "ADC Instructions": every form, with values.
#include "compute_kernel_api/matmul.h"

void kernel_main()
{
#ifdef TRISC_PACK
    uint32_t value = get_arg_val<uint32_t>(0) & 7;
    TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_X, value);
    TT_SETADCXY(p_setadc::PAC, 0, 0, 0, value, 0b1011);
    TT_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0b1111);
    TT_SETADCXX(p_setadc::PAC, 15, value);
    TT_INCADCXY(p_setadc::PAC, 0, 0, 1, 0);
    TT_INCADCZW(p_setadc::PAC, 0, 0, 0, 1);
#endif
}
