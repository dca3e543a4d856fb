// The half of a router that receives (fabric.h). Arguments: NoC x and y of the router that packets pass to.
#include "fabric.h"

constexpr uint32_t NOC = 1, TAG = 1,
                   TAGS = fabric == RING ? 8 : 4; // tags of its writes, from TAG on

struct counter {
    uint32_t packets = 0, slot = 0;
    FORCE_INLINE void next() { packets++, slot = (slot + 1) & (RECEIVER_SLOTS - 1); }
};

#ifdef MORE_KINDS
constexpr bool more_kinds = true;
#else
constexpr bool more_kinds = false;
#endif

// Have the writes with a tag left L1?
FORCE_INLINE bool has_left(uint32_t tag)
{
    return noc_status(NOC, NIU_MST_WRITE_REQS_OUTGOING_ID(TAG + tag)) == 0;
}

struct receiver {
    const uint32_t x, y; // of the next router
    uint32_t next = CHANNEL[1], passed = 0;
    counter written, completed, seen;
    uint8_t from[RECEIVER_SLOTS]; // channels
    uint32_t completions[2] = {}, sights[2] = {};
    uint32_t tag = 0, leaving = 0,
             batch = 0; // NEAR: packets that were written with a tag, and with the other one

    static volatile packet_header *header(const counter &at)
    {
        return (volatile packet_header *)(uintptr_t)(RECEIVER + at.slot * SLOT);
    }

    // A count of this receiver to the sender at the other end, with all others.
    static FORCE_INLINE void tell(volatile uint32_t *count, uint32_t value)
    {
        *count = value;
        ts_arrived(*count);
        internal_::eth_send_packet_bytes_unsafe(1, COUNTS, CREDITS, sizeof(router_credits));
    }
    FORCE_INLINE void tell_completed(uint32_t channel, uint32_t packets)
    {
        completions[channel] += packets;
        tell(&((volatile router_credits *)COUNTS)->completed[channel], completions[channel]);
    }
    FORCE_INLINE void tell_seen(uint32_t channel)
    {
        sights[channel]++;
        tell(&((volatile router_credits *)COUNTS)->seen[channel], sights[channel]);
    }

    static FORCE_INLINE void scatter(uint32_t from, uint64_t to, uint32_t bytes, uint32_t tag)
    {
        const uint32_t half = bytes / 2;
        noc_async_write_one_packet_with_trid(from, to, half, TAG + tag, write_cmd_buf, NOC);
        noc_async_write_one_packet_with_trid(from + half, to + bytes, bytes - half, TAG + tag,
                                             write_cmd_buf, NOC);
    }
    // All of them, acknowledged, as the vendor's router flushes.
    static FORCE_INLINE void wait_for_payloads()
    {
        for (uint32_t tag = 0; tag < TAGS; tag++)
            while (noc_status(NOC, NIU_MST_REQS_OUTSTANDING_ID(TAG + tag)) != 0)
                ;
    }

    FORCE_INLINE void keep(const volatile packet_header *packet, uint32_t bytes, uint32_t tag)
    {
        const packet_kind kind = packet->kind;
        if (more_kinds && kind == SCATTER) {
            scatter(uint32_t(uintptr_t(packet)) + sizeof(packet_header), packet->to, bytes, tag);
            return;
        }
        if (kind != INCREMENT)
            noc_async_write_one_packet_with_trid(uint32_t(uintptr_t(packet)) +
                                                     sizeof(packet_header),
                                                 packet->to, bytes, TAG + tag, write_cmd_buf, NOC);
        if (more_kinds && kind == FUSED)
            wait_for_payloads();
        if (kind != WRITE)
            noc_semaphore_inc<true>(packet->counter, 1, NOC);
    }

    FORCE_INLINE void pass(volatile packet_header *packet, uint32_t route, uint32_t bytes,
                           uint32_t tag)
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
            if (ahead(arrived, seen.packets) != 0 && !internal_::eth_txq_is_busy(1)) {
                const uint8_t channel = header(seen)->channel;
                from[seen.slot] = channel;
                tell_seen(channel);
                seen.next();
            }
            unwritten = written.packets != seen.packets;
        }
        if (unwritten) {
            volatile packet_header *packet = header(written);
            const uint32_t route = packet->route, tag = written.slot & (TAGS - 1);
            if constexpr (fabric == LINE)
                from[written.slot] = packet->channel;
            if ((route & 3) == KEEP || ahead(passed, get_ptr_val<RETURNED>()) < SLOTS) {
                const uint32_t bytes = packet->bytes;
                if (route & PASS)
                    pass(packet, route, bytes, tag);
                if (route & KEEP)
                    keep(packet, bytes, tag);
                written.next();
            }
        }
        const bool left = has_left(completed.slot & (TAGS - 1));
        if (completed.packets != written.packets && left && !internal_::eth_txq_is_busy(1)) {
            tell_completed(from[completed.slot], 1);
            completed.next();
        }
    }

    FORCE_INLINE void step_near()
    {
        if (ahead(get_ptr_val<ARRIVED>(), written.packets) != 0) {
            volatile packet_header *packet = header(written);
            keep(packet, packet->bytes, tag);
            written.next();
            batch++;
        }
        if (batch >= RECEIVE_BATCH && leaving == 0) {
            leaving = batch;
            batch = 0;
            tag = 1 - tag;
        }
        if (leaving != 0 && has_left(1 - tag)) {
            tell_completed(0, leaving);
            leaving = 0;
        }
    }
};

void kernel_main()
{
    receiver self{get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1)};
    const volatile uint32_t *stop = (const volatile uint32_t *)STOP;
    internal_::ts_eth_accept_ahead(1, 32);
    while (*stop == 0)
        for (uint32_t i = 0; i < ROUNDS; i++)
            if constexpr (fabric == NEAR)
                self.step_near();
            else
                self.step();
}
