// The same with a delay by the clock between two reads.
#include "case.h"

void kernel_main()
{
    CASE
    const auto flag = TensorAccessor(TensorAccessorArgs<0>(), ARG(10), 64);
    const uint32_t copy = get_write_ptr(0);
    if (core == 0 && repaired) {
        LATER
        WORK
        WORD(copy)[0] = 1;
        noc_async_write(copy, flag.get_noc_addr(0), 4);
        noc_async_write_barrier();
    } else if (core == 1) {
        do {
            noc_async_read(flag.get_noc_addr(0), copy, 64);
            noc_async_read_barrier();
            riscv_wait(repaired ? 50 : 700);
        } while (WORD(copy)[0] == 0);
    }
}
