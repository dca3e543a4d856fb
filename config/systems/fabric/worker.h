// A worker of the fabric with one destination: its arguments, and its send.
#pragma once
#include "fabric.h"

constexpr uint32_t RESULT = 0x18200, GIVEN_BACK = 0x18300, HEADER = 0x18400;
constexpr uint32_t SEND = 0x20000, RECEIVE = 0x22000;

struct worker {
    fabric_connection connection;
    uint32_t bytes, times;

    explicit worker(uint32_t first)
        : connection{get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1),
                     (volatile uint32_t *)GIVEN_BACK},
          bytes(get_arg_val<uint32_t>(first)), times(get_arg_val<uint32_t>(first + 1))
    {
        volatile packet_header *header = (volatile packet_header *)HEADER;
        header->to = get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4), RECEIVE);
        header->bytes = uint16_t(bytes);
        header->kind = WRITE;
        header->channel = 0;
        header->route = route_to(get_arg_val<uint32_t>(2));
        header_is_there(header);
    }
    // The last word of a buffer: all before it has come when it has.
    volatile uint32_t *last(uint32_t buffer) const
    {
        return (volatile uint32_t *)(uintptr_t)(buffer + bytes - 4);
    }
    FORCE_INLINE void send(uint32_t from)
    {
        connection.send_payload(from, bytes);
        connection.send_header(HEADER);
    }
};
