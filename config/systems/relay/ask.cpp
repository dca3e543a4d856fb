// Sends a message on channel 1 and waits for the answer on channel 2; many times. Arguments: bytes, messages. Leaves the cycles of all.
#include "internal/ethernet/dataflow_api.h"

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), messages = get_arg_val<uint32_t>(1);
    volatile eth_channel_sync_t *sync = &erisc_info->channels[2];
    const uint32_t begin = TS_REG(RISCV_WALL_CLOCK);
    for (uint32_t i = 0; i < messages; i++) {
        eth_send_bytes_over_channel(TS_ETH_FREE, TS_ETH_FREE, bytes, 1, bytes, bytes >> 4);
        eth_wait_for_bytes_on_channel_sync_addr(bytes, sync);
        sync->bytes_sent = 0;
    }
    TS_REG(0x18200) = TS_REG(RISCV_WALL_CLOCK) - begin;
}
