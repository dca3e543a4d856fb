// Waits for all messages of the sender, and says that it is done with them. Arguments as there.
#include "internal/ethernet/dataflow_api.h"

void kernel_main()
{
    const uint32_t bytes = get_arg_val<uint32_t>(0), messages = get_arg_val<uint32_t>(1);
    eth_wait_for_bytes(16);
    eth_receiver_done();
    eth_wait_for_bytes(bytes * messages);
    eth_receiver_done();
}
