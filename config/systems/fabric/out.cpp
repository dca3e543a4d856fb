// The router towards the next chip. Arguments: this chip, chips, bytes of a packet.
#include "fabric.h"

void kernel_main()
{
    const uint32_t me = get_arg_val<uint32_t>(0), chips = get_arg_val<uint32_t>(1),
                   bytes = get_arg_val<uint32_t>(2);
    volatile uint32_t *passed = (volatile uint32_t *)PASSED;
    init_ptr_val<CREDITS>(1); // the next router has room for one packet
    for (uint32_t d = 1; d < chips; d++) {
        volatile packet *own = (volatile packet *)(uintptr_t)(OWN + d * PLACE);
        own->to = me + d < chips ? me + d : me + d - chips;
        own->from = me;
        own->bytes = bytes;
        for (uint32_t i = 0; i < (bytes - sizeof(packet)) / 4; i++)
            own->payload[i] = me << 16 | own->to << 8 | (i & 255);
    }
    uint32_t own = 1, through = 0;
    while (own < chips || through < passing(chips)) {
        uint32_t from;
        if (through < *passed)
            from = PASSING + through++ * PLACE;
        else if (own < chips)
            from = OWN + own++ * PLACE;
        else
            continue;
        while (get_ptr_val<CREDITS>() < 1)
            ;
        increment_local_update_ptr_val<CREDITS>(-1);
        eth_send_bytes_over_channel(from, ARRIVES, bytes, CHANNEL, bytes, bytes >> 4);
    }
}
