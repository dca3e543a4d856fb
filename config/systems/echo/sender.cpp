// Sends a message over the link, with a credit behind it, and waits for the echo; many times. Arguments: bytes of the
// message, rounds. Leaves behind the message: the cycles of all rounds.
#include "internal/ethernet/dataflow_api.h"

constexpr uint32_t CREDITS = 0, QUEUE = 0;

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), rounds = get_arg_val<uint32_t>(1);
    const uint32_t message = TS_ETH_FREE, result = 0x18200;
    init_ptr_val<CREDITS>(0);
    // Both ends are there.
    eth_send_bytes(message, message, 16);
    eth_wait_for_receiver_done();
    uint32_t total = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        const uint32_t begin = TS_REG(RISCV_WALL_CLOCK);
        internal_::eth_send_packet_bytes_unsafe(QUEUE, message, message, bytes);
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        remote_update_ptr_val<CREDITS, QUEUE>(1);
        while (get_ptr_val<CREDITS>() < 1)
            ;
        increment_local_update_ptr_val<CREDITS>(-1);
        total += TS_REG(RISCV_WALL_CLOCK) - begin;
    }
    TS_REG(result) = total;
}
