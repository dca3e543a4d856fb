// Both ends of a link, with mistakes (tests/chip/test_system_checks.c). Arguments: the role, and whether it is done right.
#include "internal/ethernet/dataflow_api.h"

constexpr uint32_t BYTES = 256, RESULT = 0x18200, CREDITS = 0, RXQ = 0xffb94000;

static volatile uint32_t *word(uint32_t address)
{
    return (volatile uint32_t *)(uintptr_t)address;
}

static void wait_a_while()
{
    for (uint32_t i = 0; i < 500; i++)
        asm volatile("nop");
}

static void send(uint32_t queue, uint32_t from, uint32_t to, uint32_t bytes)
{
    while (internal_::eth_txq_is_busy(queue))
        ;
    internal_::eth_send_packet_bytes_unsafe(queue, from, to, bytes);
}

static void credit(uint32_t queue)
{
    while (internal_::eth_txq_is_busy(queue))
        ;
    internal_::eth_write_remote_reg_no_txq_check(queue, get_stream_reg_write_addr<CREDITS>(),
                                                 1 << 6);
}

static void wait_for_credits(int32_t count)
{
    while (get_ptr_val<CREDITS>() < count)
        ;
}

enum role {
    SEND,       // a message and its credit
    SEND_AGAIN, // the next message into the same place; right: when the receiver has read the first
    REUSE,      // writes the source again; right: when the receiver has the message
    RECEIVE,    // reads a message; right: when its credit has come
    RECEIVE_LATE, // the same, after a while
    WAIT,         // waits for the credit, and does not read
    TWO_QUEUES,   // the credit on another queue; right: on the same
    FLAG,         // a flag in L1 behind the message
    RECEIVE_FLAG, // right: reads when the flag is there
    LAST_WORD,    // right: reads when the last word of the message is there
    RAW,          // a raw frame; right: waits until it is read before its source changes
    RECEIVE_RAW,  // right: when the queue says that it came
    FETCH, // a worker reads the message over the NoC; right: when the receiver says that it is there
    RECEIVE_FOR, // waits for the credit, and tells the worker at 1-2
};

void kernel_main()
{
    const uint32_t role = get_arg_val<uint32_t>(0), right = get_arg_val<uint32_t>(1);
    const uint32_t here = TS_ETH_FREE, there = TS_ETH_FREE + 0x1000;
    switch (role) {
    case TWO_QUEUES:
    case SEND:
        send(0, here, there, BYTES);
        credit(role == TWO_QUEUES && !right ? 1 : 0);
        break;
    case SEND_AGAIN:
        send(0, here, there, BYTES);
        credit(0);
        if (right)
            wait_for_credits(1);
        send(0, here, there, BYTES);
        credit(0);
        break;
    case REUSE:
        send(0, here, there, BYTES);
        credit(0);
        if (right)
            wait_for_credits(1);
        *word(here) = 7;
        break;
    case RECEIVE:
        if (right)
            wait_for_credits(1);
        *word(RESULT) = *word(there);
        credit(0);
        break;
    case RECEIVE_LATE:
        wait_a_while();
        wait_a_while();
        if (right)
            wait_for_credits(1);
        *word(RESULT) = *word(there);
        break;
    case WAIT:
        wait_for_credits(1);
        break;
    case FLAG:
        send(0, here, there, BYTES);
        *word(RESULT) = 1;
        ts_arrived(*word(RESULT));
        send(0, RESULT, RESULT + 0x10, 16);
        break;
    case RECEIVE_FLAG:
        while (right && *word(RESULT + 0x10) == 0)
            ;
        *word(RESULT) = *word(there);
        break;
    case LAST_WORD:
        while (*word(there + (right ? BYTES - 4 : 0)) == 0)
            ;
        *word(RESULT) = *word(there + 16);
        break;
    case RAW:
        ts_eth::txq(2, ts_eth::START) = here;
        ts_eth::txq(2, ts_eth::SIZE) = BYTES;
        ts_eth::txq(2, ts_eth::CMD) = ts_eth::RAW;
        while (right && internal_::eth_txq_is_busy(2))
            ;
        *word(here) = 7;
        break;
    case RECEIVE_RAW:
        *word(RXQ + 0x2000 + 0x0c) = there >> 4;
        *word(RXQ + 0x2000 + 0x10) = 64;
        while (right && *word(RXQ + 0x2000 + 0x08) == 0)
            ;
        if (!right)
            wait_a_while();
        *word(RESULT) = *word(there);
        break;
    case RECEIVE_FOR:
        wait_for_credits(1);
        noc_semaphore_inc(get_noc_addr(1, 2, RESULT), 1);
        noc_async_atomic_barrier();
        break;
    case FETCH:
        while (right && *word(RESULT) == 0)
            ;
        noc_async_read(get_noc_addr(get_arg_val<uint32_t>(2), get_arg_val<uint32_t>(3), there),
                       RESULT + 0x100, BYTES);
        noc_async_read_barrier();
        break;
    default:
        break;
    }
}
