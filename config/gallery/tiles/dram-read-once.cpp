// A core reads a flag from DRAM once and polls its copy; nobody wrote the flag before.
#include "case.h"

void kernel_main()
{
    CASE
    const auto flag = TensorAccessor(TensorAccessorArgs<0>(), ARG(10), 64);
    const uint32_t copy = get_write_ptr(0);
    if (core == 0) {
        LATER
        WORD(copy)[0] = 1;
        noc_async_write(copy, flag.get_noc_addr(0), 64);
        noc_async_write_barrier();
    } else {
        do {
            noc_async_read(flag.get_noc_addr(0), copy, 64);
            noc_async_read_barrier();
        } while (repaired && WORD(copy)[0] == 0);
        WAIT(copy, 1);
    }
}
