// Sends messages over the link as fast as it takes them, and then waits until the receiver is done with all of them.
// Arguments: bytes of a message, messages. Leaves the cycles from the first message to the answer.
#include "internal/ethernet/dataflow_api.h"

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), messages = get_arg_val<uint32_t>(1);
    const uint32_t result = 0x18200;
    eth_send_bytes(TS_ETH_FREE, TS_ETH_FREE, 16); // both ends are there
    eth_wait_for_receiver_done();
    const uint32_t begin = TS_REG(RISCV_WALL_CLOCK);
    for (uint32_t i = 0; i < messages; i++)
        eth_send_bytes(TS_ETH_FREE, TS_ETH_FREE + i % 8 * bytes, bytes, bytes, bytes >> 4);
    eth_wait_for_receiver_done();
    TS_REG(result) = TS_REG(RISCV_WALL_CLOCK) - begin;
}
