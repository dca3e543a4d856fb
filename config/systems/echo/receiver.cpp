// Sends every message back, with a credit behind it. Arguments: bytes of the message, rounds.
#include "internal/ethernet/dataflow_api.h"

constexpr uint32_t CREDITS = 0, QUEUE = 0;

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), rounds = get_arg_val<uint32_t>(1);
    const uint32_t message = TS_ETH_FREE;
    init_ptr_val<CREDITS>(0);
    eth_wait_for_bytes(16);
    eth_receiver_done();
    for (uint32_t i = 0; i < rounds; i++) {
        while (get_ptr_val<CREDITS>() < 1)
            ;
        increment_local_update_ptr_val<CREDITS>(-1);
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        internal_::eth_send_packet_bytes_unsafe(QUEUE, message, message, bytes);
        while (internal_::eth_txq_is_busy(QUEUE))
            ;
        remote_update_ptr_val<CREDITS, QUEUE>(1);
    }
}
