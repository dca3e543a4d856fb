// All calls of tt-metal's Ethernet API, at both ends of a link: each end runs its half, and they agree (tests/chip/test_system_checks.c).
// Argument: 0 sends, 1 receives. REFUSED is a call that does not compile. Leaves at 0x18200: steps that went right.
#include "internal/ethernet/dataflow_api.h"
#include "internal/ethernet/erisc.h"
#include "internal/ethernet/tt_eth_api.h"
#include "internal/ethernet/tunneling.h"

constexpr uint32_t STEPS = 0x18200, BYTES = 64, HERE = TS_ETH_FREE, THERE = TS_ETH_FREE + 0x1000;
constexpr uint32_t CREDITS = 0, ACK = 0x18280;

static uint32_t steps;

static void right(bool is)
{
    steps += is;
}

static void sends()
{
    // bytes, and the receiver's end of them
    eth_send_bytes(HERE, THERE, BYTES);
    eth_wait_for_receiver_done();
    eth_send_bytes(HERE, THERE, BYTES, BYTES, bytes_to_eth_words(BYTES));
    eth_wait_for_receiver_done(100);
    eth_send_bytes_over_channel(HERE, THERE, BYTES, 1);
    while (!eth_is_receiver_channel_send_acked(1))
        invalidate_l1_cache();
    eth_clear_sender_channel_ack(1);
    eth_wait_for_receiver_channel_done(1);
    right(eth_is_receiver_channel_send_done(1));
    eth_send_bytes_over_channel_payload_only(HERE, THERE, BYTES);
    wait_for_eth_txq_cmd_space();
    eth_send_bytes_over_channel_payload_only_unsafe(HERE, THERE, BYTES, BYTES, BYTES >> 4);
    while (eth_txq_is_busy())
        ;
    eth_send_bytes_over_channel_payload_only_unsafe_one_packet(HERE, THERE, BYTES);
    eth_send_payload_complete_signal_over_channel(2, BYTES);
    eth_wait_for_receiver_channel_done(2);
    // acknowledgements of channel 0
    erisc_info->channels[0].bytes_sent = BYTES;
    ts_eth_tell(&erisc_info->channels[0]);
    eth_wait_receiver_acknowledge();
    right(erisc_info->channels[0].bytes_sent == 1);
    // queues and registers by hand
    while (internal_::eth_txq_is_busy(1))
        ;
    internal_::eth_send_packet_bytes_unsafe(1, HERE, THERE, BYTES);
    internal_::eth_send_packet<false>(1, HERE >> 4, THERE >> 4,
                                      bytes_to_eth_words_truncated(BYTES));
    while (internal_::eth_txq_is_busy(1))
        ;
    internal_::eth_send_packet_unsafe(1, HERE >> 4, THERE >> 4, BYTES / ETH_WORD_SIZE_BYTES);
    while (eth_txq_reg_read(1, ETH_TXQ_STATUS) >> ETH_TXQ_STATUS_CMD_ONGOING_BIT & 1)
        ;
    eth_txq_reg_write(1, ETH_TXQ_TRANSFER_START_ADDR, HERE);
    eth_txq_reg_write(1, ETH_TXQ_DEST_ADDR, THERE);
    eth_txq_reg_write(1, ETH_TXQ_TRANSFER_SIZE_BYTES, BYTES);
    eth_txq_reg_write(1, ETH_TXQ_CMD, ETH_TXQ_CMD_START_DATA);
    right(eth_reg_read(ETH_TXQ0_REGS_START + ETH_TXQ_REGS_SIZE + ETH_TXQ_DEST_ADDR) == THERE);
    eth_reg_write(ETH_TXQ0_REGS_START + ETH_TXQ_REGS_SIZE + ETH_TXQ_DEST_ADDR, HERE);
    internal_::eth_write_remote_reg(1, get_stream_reg_write_addr<CREDITS>(), 1 << 6);
    eth_write_remote_reg(get_stream_reg_write_addr<CREDITS>(), 1 << 6);
    while (eth_txq_is_busy())
        ;
    internal_::eth_write_remote_reg_no_txq_check(0, get_stream_reg_write_addr<CREDITS>(), 1 << 6);
    while (eth_txq_is_busy())
        ;
    remote_update_ptr_val<CREDITS, 0>(1);
}

static void receives()
{
    volatile tt_l1_ptr uint32_t *word = (volatile tt_l1_ptr uint32_t *)STEPS;
    eth_wait_for_bytes(BYTES);
    eth_receiver_done();
    eth_wait_for_bytes(BYTES, 100);
    eth_receiver_done();
    eth_wait_for_bytes_on_channel(BYTES, 1);
    right(eth_bytes_are_available_on_channel(1));
    TS_REG(ACK) = 1;
    eth_receiver_channel_ack(1, ACK);
    eth_receiver_channel_done(1);
    eth_wait_for_bytes_on_channel_sync_addr(BYTES, &erisc_info->channels[2]);
    send_eth_receiver_channel_done(&erisc_info->channels[2]);
    eth_wait_for_bytes(BYTES);
    eth_receiver_acknowledge();
    while (get_ptr_val<CREDITS>() < 4)
        ;
    increment_local_update_ptr_val<CREDITS>(-4);
    right(get_ptr_val<CREDITS>() == 0);
    right(TS_REG(THERE) == TS_REG(HERE));
    // words of L1 and the NoC
    noc_async_read(get_noc_addr(my_x[0], my_y[0], HERE), STEPS + 0x40, 16);
    eth_noc_async_read_barrier();
    noc_async_write(HERE, get_noc_addr(my_x[0], my_y[0], STEPS + 0x60), 16);
    eth_noc_async_write_barrier();
    right(TS_REG(STEPS + 0x40) == TS_REG(HERE) && TS_REG(STEPS + 0x60) == TS_REG(HERE));
    *word = 5;
    eth_noc_semaphore_wait(word, 5);
    eth_noc_semaphore_wait_min(word, 4);
    run_routing();
    run_routing_without_noc_sync();
    internal_::risc_context_switch();
    internal_::risc_context_switch_without_noc_sync();
    const uint64_t begin = eth_read_wall_clock();
    eth_wait_cycles(50);
    right(eth_read_wall_clock() - begin >= 50);
}

void kernel_main()
{
    init_ptr_val<CREDITS>(0);
    if (get_arg_val<uint32_t>(0))
        receives();
    else
        sends();
    REFUSED
    TS_REG(STEPS) = steps;
}
