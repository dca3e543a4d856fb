// Kernels of Ethernet tiles: sends to the tile at the other end of the link, and the words by which both ends agree.
//
// Names and meanings are those of tt-metal's kernel API of August 2026; the text is ours. A kernel here is not
// interrupted by the vendor's firmware: the calls that would let it run do nothing.
#pragma once
#include "eth_launch.h"
#include "internal/base.h"
#include "internal/dataflow.h"

namespace ts_eth {
constexpr uint32_t TXQ = 0xffb90000, CMD = 0x04, STATUS = 0x08, START = 0x14, SIZE = 0x18,
                   DEST = 0x1c, DATA = 0x44, AHEAD = 0x6c;
constexpr uint32_t RAW = 1, L1_WRITE = 2, REGISTER_WRITE = 4, ONGOING = 1u << 16;
constexpr uint32_t CHANNELS = 8;

FORCE_INLINE volatile uint32_t &txq(uint32_t queue, uint32_t offset)
{
    return TS_REG(TXQ + 0x1000 * queue + offset);
}
} // namespace ts_eth

// What both ends know of a channel; each sends its copy to the other.
struct eth_channel_sync_t {
    volatile uint32_t
        bytes_sent; // by the sender; the receiver sends 0 back when it is done with them
    volatile uint32_t receiver_ack; // the bytes have arrived
    volatile uint32_t src_id;
    uint32_t reserved_2;
};

struct erisc_info_t {
    volatile uint32_t launch_user_kernel, unused_arg0, unused_arg1, unused_arg2;
    volatile eth_channel_sync_t channels[ts_eth::CHANNELS];
};
#define erisc_info ((erisc_info_t *)(uintptr_t)TS_ETH_SYNC)

namespace internal_ {

// The load of the command register keeps the status from being read before the command is there.
FORCE_INLINE bool eth_txq_is_busy(uint32_t queue)
{
    [[maybe_unused]] const uint32_t command = ts_eth::txq(queue, ts_eth::CMD);
    if constexpr (TS_RULE_eth_polls_command)
        return command != 0;
    else
        return ts_eth::txq(queue, ts_eth::STATUS) & ts_eth::ONGOING;
}

FORCE_INLINE void eth_send_packet_bytes_unsafe(uint32_t queue, uint32_t from, uint32_t to,
                                               uint32_t bytes)
{
    ts_eth::txq(queue, ts_eth::START) = from;
    ts_eth::txq(queue, ts_eth::DEST) = to;
    ts_eth::txq(queue, ts_eth::SIZE) = bytes;
    ts_eth::txq(queue, ts_eth::CMD) = ts_eth::L1_WRITE;
}

// In words of 16 bytes.
FORCE_INLINE void eth_send_packet_unsafe(uint32_t queue, uint32_t from, uint32_t to, uint32_t words)
{
    eth_send_packet_bytes_unsafe(queue, from << 4, to << 4, words << 4);
}

template <bool ctx_switch = true>
FORCE_INLINE void eth_send_packet(uint32_t queue, uint32_t from, uint32_t to, uint32_t words)
{
    while (eth_txq_is_busy(queue))
        ;
    eth_send_packet_unsafe(queue, from, to, words);
}

FORCE_INLINE void eth_write_remote_reg_no_txq_check(uint32_t queue, uint32_t address,
                                                    uint32_t value)
{
    ts_eth::txq(queue, ts_eth::DEST) = address;
    ts_eth::txq(queue, ts_eth::DATA) = value;
    ts_eth::txq(queue, ts_eth::CMD) = ts_eth::REGISTER_WRITE;
}

// How many commands a queue takes before the first of them has left.
FORCE_INLINE void ts_eth_accept_ahead(uint32_t queue, uint32_t commands)
{
    ts_eth::txq(queue, ts_eth::AHEAD) = commands;
}

template <bool ctx_switch = true>
FORCE_INLINE void eth_write_remote_reg(uint32_t queue, uint32_t address, uint32_t value)
{
    while (eth_txq_is_busy(queue))
        ;
    eth_write_remote_reg_no_txq_check(queue, address, value);
}

FORCE_INLINE void risc_context_switch() {}
FORCE_INLINE void risc_context_switch_without_noc_sync() {}

} // namespace internal_

FORCE_INLINE void run_routing() {}
FORCE_INLINE void run_routing_without_noc_sync() {}

// --- queue 0 ---

FORCE_INLINE bool eth_txq_is_busy()
{
    return internal_::eth_txq_is_busy(0);
}

FORCE_INLINE void wait_for_eth_txq_cmd_space(uint32_t = 0)
{
    while (eth_txq_is_busy())
        ;
}

FORCE_INLINE void eth_write_remote_reg(uint32_t address, uint32_t value)
{
    internal_::eth_write_remote_reg(0, address, value);
}

// The state of a channel to the other end.
FORCE_INLINE void ts_eth_tell(volatile eth_channel_sync_t *sync)
{
    const uint32_t words = uint32_t(uintptr_t(sync)) >> 4;
    internal_::eth_send_packet(0, words, words, 1);
}

// --- bytes ---

FORCE_INLINE void eth_send_bytes_over_channel_payload_only(uint32_t from, uint32_t to,
                                                           uint32_t bytes, uint32_t each = 16,
                                                           uint32_t each_words = 1)
{
    for (uint32_t done = 0; done < bytes; done += each)
        internal_::eth_send_packet(0, (from + done) >> 4, (to + done) >> 4, each_words);
}

FORCE_INLINE void eth_send_bytes_over_channel_payload_only_unsafe(uint32_t from, uint32_t to,
                                                                  uint32_t bytes,
                                                                  uint32_t each = 16,
                                                                  uint32_t each_words = 1)
{
    for (uint32_t done = 0; done < bytes; done += each)
        internal_::eth_send_packet_unsafe(0, (from + done) >> 4, (to + done) >> 4, each_words);
}

FORCE_INLINE void eth_send_bytes_over_channel_payload_only_unsafe_one_packet(uint32_t from,
                                                                             uint32_t to,
                                                                             uint32_t bytes)
{
    internal_::eth_send_packet_bytes_unsafe(0, from, to, bytes);
}

FORCE_INLINE void eth_send_bytes(uint32_t from, uint32_t to, uint32_t bytes, uint32_t each = 16,
                                 uint32_t each_words = 1)
{
    eth_send_bytes_over_channel_payload_only(from, to, bytes, each, each_words);
    erisc_info->channels[0].bytes_sent = erisc_info->channels[0].bytes_sent + bytes;
}

FORCE_INLINE void eth_send_payload_complete_signal_over_channel(uint32_t channel, uint32_t bytes)
{
    erisc_info->channels[channel].bytes_sent = bytes;
    erisc_info->channels[channel].receiver_ack = 0;
    ts_eth_tell(&erisc_info->channels[channel]);
}

FORCE_INLINE void eth_send_bytes_over_channel(uint32_t from, uint32_t to, uint32_t bytes,
                                              uint32_t channel, uint32_t each = 16,
                                              uint32_t each_words = 1)
{
    eth_send_bytes_over_channel_payload_only(from, to, bytes, each, each_words);
    eth_send_payload_complete_signal_over_channel(channel, bytes);
}

// --- the sender waits ---

FORCE_INLINE bool eth_is_receiver_channel_send_acked(uint32_t channel)
{
    return erisc_info->channels[channel].receiver_ack != 0;
}

FORCE_INLINE bool eth_is_receiver_channel_send_done(uint32_t channel)
{
    return erisc_info->channels[channel].bytes_sent == 0;
}

FORCE_INLINE void eth_wait_for_receiver_channel_done(uint32_t channel)
{
    while (!eth_is_receiver_channel_send_done(channel))
        invalidate_l1_cache();
}

FORCE_INLINE void eth_wait_receiver_done(uint32_t = 0)
{
    eth_wait_for_receiver_channel_done(0);
}

FORCE_INLINE void eth_wait_for_receiver_done(uint32_t = 0)
{
    ts_eth_tell(&erisc_info->channels[0]);
    eth_wait_receiver_done();
}

FORCE_INLINE void eth_clear_sender_channel_ack(uint32_t channel)
{
    erisc_info->channels[channel].receiver_ack = 0;
}

// --- the receiver ---

FORCE_INLINE bool eth_bytes_are_available_on_channel(uint8_t channel)
{
    return erisc_info->channels[channel].bytes_sent != 0;
}

FORCE_INLINE void eth_wait_for_bytes_on_channel_sync_addr(uint32_t bytes,
                                                          volatile eth_channel_sync_t *sync,
                                                          uint32_t = 0)
{
    while (sync->bytes_sent != bytes)
        invalidate_l1_cache();
}

FORCE_INLINE void eth_wait_for_bytes_on_channel(uint32_t bytes, uint8_t channel, uint32_t = 0)
{
    eth_wait_for_bytes_on_channel_sync_addr(bytes, &erisc_info->channels[channel]);
}

FORCE_INLINE void eth_wait_for_bytes(uint32_t bytes, uint32_t = 0)
{
    eth_wait_for_bytes_on_channel(bytes, 0);
}

FORCE_INLINE void send_eth_receiver_channel_done(volatile eth_channel_sync_t *sync)
{
    sync->bytes_sent = 0;
    sync->receiver_ack = 0;
    ts_eth_tell(sync);
}

FORCE_INLINE void eth_receiver_channel_done(uint32_t channel)
{
    send_eth_receiver_channel_done(&erisc_info->channels[channel]);
}

FORCE_INLINE void eth_receiver_done()
{
    erisc_info->channels[0].bytes_sent = 0;
    ts_eth_tell(&erisc_info->channels[0]);
}

// `from` is a word of 16 bytes with the same contents as the channel's.
FORCE_INLINE void eth_receiver_channel_ack(uint32_t channel, uint32_t from)
{
    erisc_info->channels[channel].receiver_ack = 1;
    TS_REG(from + 4) = 1;
    internal_::eth_send_packet(0, from >> 4,
                               uint32_t(uintptr_t(&erisc_info->channels[channel])) >> 4, 1);
}

FORCE_INLINE void eth_receiver_acknowledge(uint8_t channel = 0)
{
    erisc_info->channels[channel].bytes_sent = 1;
    ts_eth_tell(&erisc_info->channels[channel]);
}

FORCE_INLINE void eth_wait_receiver_acknowledge(uint8_t channel = 0)
{
    while (erisc_info->channels[channel].bytes_sent != 1)
        invalidate_l1_cache();
}

// --- words of L1, and the NoC ---

FORCE_INLINE void eth_noc_semaphore_wait(volatile tt_l1_ptr uint32_t *word, uint32_t value,
                                         uint32_t = 0)
{
    while (*word != value)
        invalidate_l1_cache();
}

FORCE_INLINE void eth_noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t *word, uint32_t value,
                                             uint32_t = 0)
{
    while (*word < value)
        invalidate_l1_cache();
}

FORCE_INLINE void eth_noc_async_read_barrier()
{
    noc_async_read_barrier();
}

FORCE_INLINE void eth_noc_async_write_barrier()
{
    noc_async_write_barrier();
}

// --- registers ---

#define ETH_WORD_SIZE_BYTES              16
#define BYTES_TO_ETH_WORD_SHIFT          4
#define ETH_TXQ0_REGS_START              0xffb90000
#define ETH_TXQ_REGS_SIZE                0x1000
#define ETH_TXQ_CTRL                     0x00
#define ETH_TXQ_CMD                      0x04
#define ETH_TXQ_CMD_START_RAW            1
#define ETH_TXQ_CMD_START_DATA           2
#define ETH_TXQ_CMD_START_REG            4
#define ETH_TXQ_STATUS                   0x08
#define ETH_TXQ_STATUS_CMD_ONGOING_BIT   16
#define ETH_TXQ_MAX_PKT_SIZE_BYTES       0x0c
#define ETH_TXQ_TRANSFER_START_ADDR      0x14
#define ETH_TXQ_TRANSFER_SIZE_BYTES      0x18
#define ETH_TXQ_DEST_ADDR                0x1c
#define ETH_TXQ_TRANSFER_CNT             0x30
#define ETH_TXQ_PKT_START_CNT            0x34
#define ETH_TXQ_PKT_END_CNT              0x3c
#define ETH_TXQ_WORD_CNT                 0x40
#define ETH_TXQ_REMOTE_REG_DATA          0x44
#define ETH_TXQ_REMOTE_SEQ_TIMEOUT       0x48
#define ETH_TXQ_LOCAL_SEQ_UPDATE_TIMEOUT 0x4c
#define ETH_TXQ_DATA_PACKET_ACCEPT_AHEAD 0x6c

constexpr uint32_t bytes_to_eth_words_truncated(uint32_t bytes)
{
    return bytes >> 4;
}
constexpr uint32_t bytes_to_eth_words(uint32_t bytes)
{
    return (bytes + 15) >> 4;
}
FORCE_INLINE uint32_t eth_txq_reg_read(uint32_t queue, uint32_t offset)
{
    return ts_eth::txq(queue, offset);
}
FORCE_INLINE void eth_txq_reg_write(uint32_t queue, uint32_t offset, uint32_t value)
{
    ts_eth::txq(queue, offset) = value;
}
FORCE_INLINE uint32_t eth_reg_read(uint32_t address)
{
    return TS_REG(address);
}
FORCE_INLINE void eth_reg_write(uint32_t address, uint32_t value)
{
    TS_REG(address) = value;
}
FORCE_INLINE uint64_t eth_read_wall_clock()
{
    const uint32_t low = TS_REG(RISCV_WALL_CLOCK);
    return low | uint64_t(TS_REG(RISCV_WALL_CLOCK + 8)) << 32;
}
FORCE_INLINE void eth_wait_cycles(uint32_t cycles)
{
    const uint64_t end = eth_read_wall_clock() + cycles;
    while (cycles && eth_read_wall_clock() < end)
        ;
}

// --- what needs the vendor's firmware or hosts ---

#define TS_ETH_REFUSED(what) [[gnu::error(what)]]
TS_ETH_REFUSED("eth_risc_reg_read: registers of the Ethernet core's debug block are not modelled; "
               "eth_read_wall_clock() has the clock")
uint32_t eth_risc_reg_read(uint32_t offset);
TS_ETH_REFUSED("eth_risc_reg_write: registers of the Ethernet core's debug block are not modelled")
void eth_risc_reg_write(uint32_t offset, uint32_t value);
namespace internal_ {
TS_ETH_REFUSED("check_and_context_switch: there is no firmware to switch to; leave it out")
void check_and_context_switch();
TS_ETH_REFUSED(
    "notify_dispatch_core_done: there is no dispatch core; a kernel that returns is done")
void notify_dispatch_core_done(uint64_t address);
TS_ETH_REFUSED("disable_erisc_app: there is no firmware to return to; leave it out")
void disable_erisc_app();
} // namespace internal_
#undef TS_ETH_REFUSED

// --- counters in the NoC overlay, which the other end adds to ---

template <uint32_t stream> constexpr uint32_t get_stream_reg_read_addr()
{
    return 0xffb40000 + TS_STREAM_SPACE + 0x1000 * stream;
}
template <uint32_t stream> constexpr uint32_t get_stream_reg_write_addr()
{
    return 0xffb40000 + TS_STREAM_UPDATE + 0x1000 * stream;
}
template <uint32_t stream> FORCE_INLINE int32_t get_ptr_val()
{
    return int32_t(TS_REG(get_stream_reg_read_addr<stream>()) & 0x1ffff);
}
template <uint32_t stream> FORCE_INLINE void init_ptr_val(int32_t value)
{
    TS_REG(0xffb40000 + TS_STREAM_SIZE + 0x1000 * stream) = uint32_t(value);
}
template <uint32_t stream> FORCE_INLINE void increment_local_update_ptr_val(int32_t value)
{
    TS_REG(get_stream_reg_write_addr<stream>()) = uint32_t(value) << 6;
}
template <uint32_t stream, uint32_t queue> FORCE_INLINE void remote_update_ptr_val(int32_t value)
{
    internal_::eth_write_remote_reg_no_txq_check(queue, get_stream_reg_write_addr<stream>(),
                                                 uint32_t(value) << 6);
}
