// A worker that sends packets to the worker of the next chip as fast as its router takes them: a header into each slot once, and
// from then on credits only. In the end each worker tells the other one, and both stop their routers. Arguments: NoC x and y of
// its router; the word that the router counts slots in; NoC x and y of the other worker, its words for FUSED packets and for the
// end; L1 for a header; packets, a multiple of BATCH.
#include "../fabric.h"

constexpr uint32_t INBOX = 0x40000, BATCH = RECEIVE_BATCH;

// All slots are free again: all packets have come.
static void wait_for_all(const fabric_connection &router)
{
    while (router.sent != *router.given_back)
        ;
}

void kernel_main()
{
    fabric_connection router{get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1),
                             (volatile uint32_t *)(uintptr_t)get_arg_val<uint32_t>(2)};
    const uint32_t x = get_arg_val<uint32_t>(3), y = get_arg_val<uint32_t>(4),
                   done = get_arg_val<uint32_t>(6), at = get_arg_val<uint32_t>(7),
                   packets = get_arg_val<uint32_t>(8);
    volatile packet_header *header = (volatile packet_header *)(uintptr_t)at;
    header->to = get_noc_addr(x, y, INBOX);
    if (KIND == SCATTER) {
        header->places[0] = get_noc_addr(x, y, INBOX + PAYLOAD);
        header->first = PAYLOAD / 2;
        header->pieces = 2;
    } else {
        header->counter = get_noc_addr(x, y, get_arg_val<uint32_t>(5));
    }
    header->bytes = uint16_t(PAYLOAD);
    header->kind = KIND;
    header->channel = 0;
    header->route = route_to(1);
    header_is_there(header);
    for (uint32_t i = 0; i < packets; i++) {
        router.wait_for_slot();
        if (i < SLOTS)
            router.send_header(at);
        else
            router.send_credit();
    }
    wait_for_all(router);
    header->counter = get_noc_addr(x, y, done);
    header->bytes = 16;
    header->kind = INCREMENT;
    header_is_there(header);
    for (uint32_t i = 0; i < BATCH; i++)
        router.send_header(at);
    noc_semaphore_wait((volatile uint32_t *)(uintptr_t)done, BATCH);
    wait_for_all(router);
    noc_semaphore_inc(get_noc_addr(router.x, router.y, STOP), 1);
    noc_async_full_barrier();
}
