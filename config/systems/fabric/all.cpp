// A worker that sends a packet to every other chip of a ring and waits for theirs. Arguments: NoC x and y of its router,
// this chip, chips, bytes of a packet. Packets from chip c come to 0x40000 + 0x1000 * c, the word at 0x3f000 counts them.
#include "fabric.h"

constexpr uint32_t HEADER = 0x18400, OWN = 0x20000, INBOX = 0x40000, CAME = 0x3f000, PLACE = 0x1000;

void kernel_main()
{
    const uint32_t me = get_arg_val<uint32_t>(2), chips = get_arg_val<uint32_t>(3),
                   bytes = get_arg_val<uint32_t>(4);
    fabric_connection router{get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1),
                             (volatile uint32_t *)0x18300};
    for (uint32_t d = 1; d < chips; d++) {
        const uint32_t to = me + d < chips ? me + d : me + d - chips, own = OWN + d * PLACE;
        for (uint32_t i = 0; i < bytes / 4; i++)
            ((volatile uint32_t *)(uintptr_t)own)[i] = me << 16 | to << 8 | (i & 255);
        volatile packet_header *header = (volatile packet_header *)(uintptr_t)(HEADER + 48 * d);
        header->to = get_noc_addr(my_x[0], my_y[0], INBOX + me * PLACE);
        header->counter = get_noc_addr(my_x[0], my_y[0], CAME);
        header->bytes = uint16_t(bytes);
        header->kind = WRITE_AND_INCREMENT;
        header->channel = 0;
        header->route = route_to(d);
        header_is_there(header);
        router.wait_for_slot();
        router.send_payload(own, bytes);
        router.send_header(HEADER + 48 * d);
    }
    noc_async_write_barrier();
    noc_semaphore_wait((volatile uint32_t *)CAME, chips - 1);
}
