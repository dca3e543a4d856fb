// E1 of a relay: what comes over the NoC goes over the link. Arguments: channel, bytes of a message, messages.
#include "internal/ethernet/dataflow_api.h"

void kernel_main()
{
    const uint32_t channel = get_arg_val<uint32_t>(0), bytes = get_arg_val<uint32_t>(1);
    const uint32_t messages = get_arg_val<uint32_t>(2);
    volatile uint32_t *counter = (volatile uint32_t *)0x18300;
    for (uint32_t i = 1; i <= messages; i++) {
        eth_noc_semaphore_wait_min(counter, i);
        eth_send_bytes_over_channel(TS_ETH_FREE + 0x10000, TS_ETH_FREE, bytes, channel, bytes,
                                    bytes >> 4);
    }
}
