// The half of a router that receives (fabric.h). Arguments: NoC x and y of the router that packets pass to.
#include "fabric.h"

constexpr uint32_t NOC = 1, QUEUE = TS_ETH_PACKET_QUEUES - 1, TAG = 1,
                   TAGS = fabric == RING ? 8 : 4; // tags of its writes, from TAG on

struct counter {
    uint32_t packets = 0, slot = 0;
    FORCE_INLINE void next() { packets++, slot = (slot + 1) & (RECEIVER_SLOTS - 1); }
};

// Have the writes with a tag left L1?
FORCE_INLINE bool has_left(uint32_t tag)
{
    return noc_status(NOC, NIU_MST_WRITE_REQS_OUTGOING_ID(TAG + tag)) == 0;
}

struct receiver {
    uint32_t x = 0, y = 0; // of the next router
    uint32_t next = CHANNEL[1], passed = 0;
    counter written, completed, seen;
    uint32_t headers[RECEIVER_SLOTS] = {};
    uint8_t from[RECEIVER_SLOTS] = {}; // channels
    uint32_t completions[2] = {}, sights[2] = {};
    uint32_t tag = 0, leaving = 0,
             batch = 0; // NEAR: packets that were written with a tag, and with the other one

    constexpr receiver()
    {
        for (uint32_t i = 0; i < RECEIVER_SLOTS; i++)
            headers[i] = RECEIVER + i * SLOT;
    }
    packet_header *header(const counter &at) const
    {
        return (packet_header *)(uintptr_t)headers[at.slot];
    }

    // A count to the sender at the other end, with all others. False: the queue is busy, and the sender knows nothing of it yet.
    FORCE_INLINE bool tell(volatile uint32_t *count, uint32_t value)
    {
        if ((fabric != NEAR || one_queue) && internal_::eth_txq_is_busy(QUEUE))
            return false;
        *count = value;
        const uint32_t there = *count; // is under way while the queue is told
        ts_eth::txq(QUEUE, ts_eth::START) = COUNTS;
        ts_eth::txq(QUEUE, ts_eth::DEST) = CREDITS;
        ts_eth::txq(QUEUE, ts_eth::SIZE) = sizeof(router_credits);
        ts_arrived(there);
        ts_eth::txq(QUEUE, ts_eth::CMD) = ts_eth::L1_WRITE;
        return true;
    }
    // The same with one queue: the packets are added.
    FORCE_INLINE bool add(uint32_t stream, uint32_t packets)
    {
        if (internal_::eth_txq_is_busy(QUEUE))
            return false;
        internal_::eth_write_remote_reg_no_txq_check(
            QUEUE, get_stream_reg_write_addr<0>() + 0x1000 * stream, packets << 6);
        return true;
    }
    FORCE_INLINE bool tell_completed(uint32_t channel, uint32_t packets)
    {
        if constexpr (one_queue)
            return add(COMPLETED + channel, packets);
        const uint32_t count = completions[channel] + packets;
        if (!tell(&((volatile router_credits *)COUNTS)->completed[channel], count))
            return false;
        completions[channel] = count;
        return true;
    }

    // All of them, acknowledged, as the vendor's router flushes.
    static FORCE_INLINE void wait_for_payloads()
    {
        for (uint32_t tag = 0; tag < TAGS; tag++)
            while (noc_status(NOC, NIU_MST_REQS_OUTSTANDING_ID(TAG + tag)) != 0)
                ;
    }
    static FORCE_INLINE packet_kind kind_of(const volatile packet_header *packet)
    {
        return packet_kind(packet->word >> 16 & 0xff);
    }
    static FORCE_INLINE void write(uint32_t from, uint64_t to, uint32_t bytes, uint32_t tag)
    {
        noc_async_write_one_packet_with_trid(from, to, bytes, TAG + tag, write_cmd_buf, NOC);
    }

    static FORCE_INLINE void keep(const packet_header *packet, uint32_t bytes, packet_kind kind,
                                  uint32_t tag)
    {
        const uint32_t payload = uint32_t(uintptr_t(packet)) + sizeof(packet_header);
        switch (kind) {
        case WRITE:
            write(payload, packet->to, bytes, tag);
            break;
        case INCREMENT:
            noc_semaphore_inc<true>(packet->counter, 1, NOC);
            break;
        case WRITE_AND_INCREMENT:
        case FUSED:
            write(payload, packet->to, bytes, tag);
            if (kind == FUSED)
                wait_for_payloads();
            noc_semaphore_inc<true>(packet->counter, 1, NOC);
            break;
        case SCATTER: {
            const uint32_t pieces = packet->pieces, first = packet->first;
            write(payload, packet->to, first, tag);
            write(payload + first, packet->places[pieces - 2], bytes - first, tag);
            break;
        }
        }
    }

    FORCE_INLINE void pass(packet_header *packet, uint32_t route, uint32_t bytes, uint32_t tag)
    {
        packet->channel = 1;
        packet->route = route >> 2;
        header_is_there(packet);
        noc_async_write_one_packet_with_trid(uint32_t(uintptr_t(packet)), get_noc_addr(x, y, next),
                                             bytes + sizeof(packet_header), TAG + tag,
                                             write_cmd_buf, NOC);
        noc_inline_dw_write<InlineWriteDst::REG>(
            get_noc_addr(x, y, get_stream_reg_write_addr<FILLED + 1>()), 1 << 6, 0xf, NOC);
        passed++;
        next = next_slot(next, CHANNEL[1]);
    }

    FORCE_INLINE void step()
    {
        const uint32_t arrived = get_ptr_val<ARRIVED>();
        bool unwritten = ahead(arrived, written.packets) != 0;
        if constexpr (fabric == RING) {
            if (ahead(arrived, seen.packets) != 0) {
                const uint8_t channel = header(seen)->channel;
                from[seen.slot] = channel;
                if (one_queue ? add(SEEN + channel, 1)
                              : tell(&((volatile router_credits *)COUNTS)->seen[channel],
                                     sights[channel] + 1)) {
                    sights[channel]++;
                    seen.next();
                }
            }
            unwritten = written.packets != seen.packets;
        }
        if (unwritten) {
            packet_header *packet = header(written);
            const uint32_t route = packet->route, tag = written.slot & (TAGS - 1);
            if constexpr (fabric == LINE)
                from[written.slot] = packet->channel;
            if ((route & 3) == KEEP || ahead(passed, get_ptr_val<RETURNED>()) < SLOTS) {
                const uint32_t bytes = packet->bytes;
                if (route & PASS)
                    pass(packet, route, bytes, tag);
                if (route & KEEP)
                    keep(packet, bytes, kind_of(packet), tag);
                written.next();
                increment_local_update_ptr_val<WRITTEN>(1);
            }
        }
        const bool left = has_left(completed.slot & (TAGS - 1));
        if (completed.packets != written.packets && left && tell_completed(from[completed.slot], 1))
            completed.next();
    }

    FORCE_INLINE void step_near()
    {
        if (ahead(get_ptr_val<ARRIVED>(), written.packets) != 0) {
            packet_header *packet = header(written);
            const uint32_t word = packet->word;
            keep(packet, word & 0xffff, packet_kind(word >> 16 & 0xff), tag);
            written.next();
            increment_local_update_ptr_val<WRITTEN>(1);
            batch++;
        }
        if (batch >= RECEIVE_BATCH && leaving == 0) {
            leaving = batch;
            batch = 0;
            tag = 1 - tag;
        }
        if (leaving != 0 && has_left(1 - tag) && tell_completed(0, leaving))
            leaving = 0;
    }
};

constinit receiver self;

#ifndef ROUTER
void kernel_main()
{
    self.x = get_arg_val<uint32_t>(0), self.y = get_arg_val<uint32_t>(1);
    const volatile uint32_t *stop = (const volatile uint32_t *)STOP;
    internal_::ts_eth_accept_ahead(QUEUE, 32);
    while (*stop == 0)
        for (uint32_t i = 0; i < ROUNDS; i++)
            if constexpr (fabric == NEAR)
                self.step_near();
            else
                self.step();
}
#endif
