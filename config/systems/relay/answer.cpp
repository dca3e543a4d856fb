// Sends every message of channel 1 back on channel 2. Arguments: bytes, messages.
#include "internal/ethernet/dataflow_api.h"

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), messages = get_arg_val<uint32_t>(1);
    volatile eth_channel_sync_t *sync = &erisc_info->channels[1];
    for (uint32_t i = 0; i < messages; i++) {
        eth_wait_for_bytes_on_channel_sync_addr(bytes, sync);
        sync->bytes_sent = 0;
        eth_send_bytes_over_channel(TS_ETH_FREE, TS_ETH_FREE, bytes, 2, bytes, bytes >> 4);
    }
}
