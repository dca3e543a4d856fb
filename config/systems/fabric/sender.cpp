// The half of a router that sends (fabric.h). Arguments: NoC x and y of the worker and its word for slots given back; NoC x
// and y of the router whose receiver fills channel 1.
#include "fabric.h"

// What is known of the receiver at the other end.
struct other_end {
    uint32_t slot = RECEIVER, room = RECEIVER_SLOTS;
};

template <uint32_t channel> struct sender_channel {
    uint64_t owner; // where it hears of slots given back
    uint32_t slot = CHANNEL[channel], sent = 0, completed = 0, seen = 0, returned = 0;

    FORCE_INLINE void give_back(uint32_t slots)
    {
        if constexpr (channel == 0) {
            returned += slots;
            noc_inline_dw_write<InlineWriteDst::L1>(owner, returned, 0xf, 0, NOC_UNICAST_WRITE_VC,
                                                    WORD);
        } else {
            noc_inline_dw_write<InlineWriteDst::REG, true>(owner, slots << 6, 0xf, 0);
        }
    }

    FORCE_INLINE void send(other_end &end)
    {
        const uint32_t bytes = ((const volatile packet_header *)(uintptr_t)slot)->bytes +
                               sizeof(packet_header);
        internal_::eth_send_packet_bytes_unsafe(0, slot, end.slot, bytes);
        slot = next_slot(slot, CHANNEL[channel]);
        end.slot = next_slot(end.slot, RECEIVER, RECEIVER_SLOTS);
        end.room--;
        sent++;
        while (internal_::eth_txq_is_busy(0))
            ;
        remote_update_ptr_val<ARRIVED, 0>(1);
    }

    FORCE_INLINE void step(other_end &end)
    {
        const volatile router_credits *credits = (const volatile router_credits *)CREDITS;
        const bool room = end.room >= (fabric == RING && channel == 0 ? 2 : 1);
        const bool waiting = ahead(get_ptr_val<FILLED + channel>(), sent) != 0;
        if (room && waiting && !internal_::eth_txq_is_busy(0))
            send(end);
        if (fabric == NEAR && RECEIVER_SLOTS - end.room < SEND_BATCH)
            return;
        if (const uint32_t more = credits->completed[channel] - completed) {
            completed += more;
            end.room += more;
            if constexpr (fabric == NEAR) {
                if (completed - seen >= SEND_BATCH) {
                    give_back(completed - seen);
                    seen = completed;
                }
            } else if constexpr (fabric == LINE) {
                give_back(more);
            }
        }
        if constexpr (fabric == RING)
            if (const uint32_t more = credits->seen[channel] - seen) {
                seen += more;
                give_back(more);
            }
    }
};

void kernel_main()
{
    other_end end;
    sender_channel<0> own{
        get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_arg_val<uint32_t>(2))};
    [[maybe_unused]] sender_channel<1> passing{get_noc_addr(
        get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4), get_stream_reg_write_addr<RETURNED>())};
    const volatile uint32_t *stop = (const volatile uint32_t *)STOP;
    internal_::ts_eth_accept_ahead(0, 32);
    while (*stop == 0) { // the vendor's looks here whether its worker goes
        own.step(end);
        if constexpr (fabric != NEAR)
            passing.step(end);
    }
}
