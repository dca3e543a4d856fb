// A relay on the one core of an Ethernet tile of Wormhole: what comes over its link goes over the NoC to another Ethernet tile of the
// chip, what that one brings goes over the link, in turn. Arguments: NoC x and y of the other tile, channel from the link, channel
// over it, bytes of a message, messages, 1 if the link is first.
#include "internal/ethernet/dataflow_api.h"

void kernel_main()
{
    const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
    const uint32_t from = get_arg_val<uint32_t>(2), to = get_arg_val<uint32_t>(3);
    const uint32_t bytes = get_arg_val<uint32_t>(4), messages = get_arg_val<uint32_t>(5);
    const bool first = get_arg_val<uint32_t>(6);
    volatile eth_channel_sync_t *sync = &erisc_info->channels[from];
    volatile uint32_t *brought = (volatile uint32_t *)0x18300;
    const uint64_t buffer = get_noc_addr(x, y, TS_ETH_FREE + 0x10000);
    const uint64_t counter = get_noc_addr(x, y, 0x18300);
    for (uint32_t turn = 0; turn < 2 * messages; turn++) {
        if ((turn % 2 == 0) == first) {
            eth_wait_for_bytes_on_channel_sync_addr(bytes, sync);
            sync->bytes_sent = 0; // the sender sends the next one when the answer is there
            noc_async_write(TS_ETH_FREE, buffer, bytes);
            noc_async_writes_flushed();
            noc_semaphore_inc(counter, 1);
        } else {
            eth_noc_semaphore_wait_min(brought, turn / 2 + 1);
            eth_send_bytes_over_channel(TS_ETH_FREE + 0x10000, TS_ETH_FREE, bytes, to, bytes,
                                        bytes >> 4);
        }
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
