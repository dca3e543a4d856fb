// Two cores read flags from DRAM until they are set, each before it sets that of the other.
#include "case.h"

void kernel_main()
{
    CASE
    const auto flags = TensorAccessor(TensorAccessorArgs<0>(), ARG(10), 64);
    const uint32_t copy = get_write_ptr(0), one = copy + 64;
    WORD(one)[0] = 1;
    for (uint32_t step = 0; step < 2; step++) {
        if (step == (repaired ? core : 1)) {
            WORK
            noc_async_write(one, flags.get_noc_addr(1 - core), 64);
            noc_async_write_barrier();
        } else {
            do {
                noc_async_read(flags.get_noc_addr(core), copy, 64);
                noc_async_read_barrier();
            } while (WORD(copy)[0] == 0);
            WORK
        }
    }
}
