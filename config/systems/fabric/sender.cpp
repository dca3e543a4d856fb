// The half of a router that sends (fabric.h). Arguments: NoC x and y of the worker and its word for slots given back; NoC x
// and y of the router whose receiver fills channel 1.
#include "fabric.h"

// What is known of the receiver at the other end.
struct other_end {
    uint32_t slot = RECEIVER, room = RECEIVER_SLOTS;
};

constinit other_end end;

#ifdef MEASURED
constexpr bool measures = true;
#else
constexpr bool measures = false;
#endif

// What the link had to do, as the vendor's router counts when its bandwidth is measured; L1 has the sums. Only with MEASURED: a
// router that looks at the clock is never proven to hang.
struct load {
    uint64_t begin = 0, cycles = 0, words = 0, packets = 0;

    static FORCE_INLINE uint64_t clock()
    {
        const uint32_t low = TS_REG(RISCV_WALL_CLOCK);
        return uint64_t(TS_REG(RISCV_WALL_CLOCK + 8)) << 32 | low;
    }
    FORCE_INLINE void count(uint32_t bytes)
    {
        packets++;
        words += bytes >> 4;
    }
    FORCE_INLINE void next()
    {
        cycles = clock() - begin;
        if (packets) {
            volatile load *sum = (volatile load *)LOAD;
            sum->cycles = sum->cycles + cycles;
            sum->words = sum->words + words;
            sum->packets = sum->packets + packets;
        }
        begin = clock();
        words = packets = 0;
    }
};
constinit load measured;

template <uint32_t channel> struct sender_channel {
    uint64_t owner = 0; // where it hears of slots given back
    uint32_t slots[SLOTS] = {}, at = 0, sent = 0, completed = 0, seen = 0, returned = 0,
             unanswered = 0, answered = 0;

    constexpr sender_channel()
    {
        for (uint32_t i = 0; i < SLOTS; i++)
            slots[i] = CHANNEL[channel] + i * SLOT;
    }

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

    // The queue is free. NEAR looks once more before, and once before the work between the two commands.
    FORCE_INLINE void send()
    {
        const uint32_t slot = slots[at];
        volatile packet_header *header = (volatile packet_header *)(uintptr_t)slot;
        const uint32_t bytes = header->bytes + sizeof(packet_header);
        bool busy = true;
        if constexpr (fabric == NEAR)
            internal_::eth_txq_is_busy(0);
        internal_::eth_send_packet_bytes_unsafe(0, slot, end.slot, bytes);
        sent++;
        if constexpr (fabric == NEAR)
            busy = internal_::eth_txq_is_busy(0);
        at = (at + 1) & (SLOTS - 1);
        end.slot = next_slot(end.slot, RECEIVER, RECEIVER_SLOTS);
        end.room--;
        if constexpr (measures)
            measured.count(bytes);
        while (busy)
            busy = internal_::eth_txq_is_busy(0);
        remote_update_ptr_val<ARRIVED, 0>(1);
        increment_local_update_ptr_val<SENT + channel>(1);
    }

    // Slots that the receiver has again.
    FORCE_INLINE uint32_t completions()
    {
        const uint32_t more = one_queue
                                  ? ahead(get_ptr_val<COMPLETED + channel>(), completed)
                                  : ((const volatile router_credits *)CREDITS)->completed[channel] -
                                        completed;
        if (more) {
            end.room += more;
            completed += more;
        }
        return more;
    }

    FORCE_INLINE void step()
    {
        const bool room = end.room >= (fabric == RING && channel == 0 ? 2 : 1);
        if (const bool waiting = ahead(get_ptr_val<FILLED + channel>(), sent) != 0;
            room && waiting && !internal_::eth_txq_is_busy(0)) {
            send();
            unanswered++;
        }
        if constexpr (fabric == NEAR) {
            if (unanswered >= SEND_BATCH)
                answered += completions();
            if (answered >= SEND_BATCH) {
                give_back(answered);
                unanswered -= answered;
                answered = 0;
            }
        } else if (const uint32_t more = completions()) {
            if constexpr (fabric == LINE)
                give_back(more);
        }
        if constexpr (fabric == RING)
            if (const uint32_t more =
                    one_queue ? ahead(get_ptr_val<SEEN + channel>(), seen)
                              : ((const volatile router_credits *)CREDITS)->seen[channel] - seen) {
                seen += more;
                give_back(more);
            }
    }
};

constinit sender_channel<0> own;
constinit sender_channel<1> passing;

FORCE_INLINE void sender_begin()
{
    own.owner = get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1),
                             get_arg_val<uint32_t>(2));
    passing.owner = get_noc_addr(get_arg_val<uint32_t>(3), get_arg_val<uint32_t>(4),
                                 get_stream_reg_write_addr<RETURNED>());
    internal_::ts_eth_accept_ahead(0, 32);
    for (uint32_t i = 0; measures && i < sizeof(load); i += 4)
        TS_REG(LOAD + i) = 0;
}

#ifndef ROUTER
void kernel_main()
{
    const volatile uint32_t *stop = (const volatile uint32_t *)STOP;
    sender_begin();
    for (uint32_t round = 0; *stop == 0;
         round++) { // the vendor's looks here whether its worker goes
        if (measures && round % ROUNDS == 0)
            measured.next();
        own.step();
        if constexpr (fabric != NEAR)
            passing.step();
    }
}
#endif
