// A core waits for the acknowledgements of posted writes, which have none.
#include "case.h"

void kernel_main()
{
    CASE
    if (core == 0) {
        const uint32_t before = NOC_STATUS_READ_REG(noc_index, NIU_MST_WR_ACK_RECEIVED);
        const uint32_t from = get_write_ptr(0);
        for (uint32_t i = 0; i < 4; i++) {
            if (repaired)
                noc_async_write(from, AT(1, from), 64);
            else
                noc_async_write<NOC_MAX_BURST_SIZE + 1, true, true>(from, AT(1, from), 64);
        }
        while (NOC_STATUS_READ_REG(noc_index, NIU_MST_WR_ACK_RECEIVED) != before + 4) {
        }
    }
}
