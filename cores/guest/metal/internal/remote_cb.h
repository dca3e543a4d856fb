// Circular buffers between cores: one sender writes pages into the rings of several receivers, which lie at one address
// (the vendor's global circular buffers).
//
// The host's part is said by the program file: `named: {remote_cbs: n}` is the place, among the common arguments, of
//   how many there are; of each: number, address and bytes of the ring, bytes of a page, address of the counters, receivers,
//   the sender's x and y, and x and y of each receiver.
// The counters are 32 bytes for each receiver, zero at first and at one address on all cores: units of 16 bytes that were sent,
// and 16 bytes behind them those that were consumed. The word behind all of them is where the ring was left.
#pragma once
#include "internal/objects.h"

constexpr uint32_t REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE = 16;

// As seen by a sender, which writes at the pointer, or by a receiver, which reads there.
struct RemoteCBInterface {
    uint32_t fifo_start_addr; // 0: not read yet
    uint32_t fifo_size;
    uint32_t fifo_limit_page_aligned; // behind the last complete page
    uint32_t fifo_page_size;
    union {
        uint32_t fifo_wr_ptr, fifo_rd_ptr;
    };
    uint32_t counters, receivers, sender_xy;
    uint32_t first_xy; // common argument: the receivers' coordinates
};
using RemoteSenderCBInterface = RemoteCBInterface;
using RemoteReceiverCBInterface = RemoteCBInterface;

namespace ts_remote {

constexpr bool said()
{
    for (const auto &named : ts_named_args)
        if (named.first == "remote_cbs")
            return true;
    return false;
}
[[gnu::error("remote circular buffers: the program file does not say where they are "
             "(named: {remote_cbs: ...}, internal/remote_cb.h)")]] void
refuse();

inline RemoteCBInterface table[said() ? NUM_CIRCULAR_BUFFERS : 1];
inline volatile uint32_t *sent(const RemoteCBInterface &it, uint32_t receiver)
{
    return reinterpret_cast<volatile uint32_t *>(it.counters + 32 * receiver);
}
inline volatile uint32_t *consumed(const RemoteCBInterface &it, uint32_t receiver)
{
    return sent(it, receiver) + 4;
}
// Pages of another size: the ring's end, and the next place where such a page may begin.
inline uint32_t resize(RemoteCBInterface &it, uint32_t page)
{
    const uint32_t from = it.fifo_rd_ptr, offset = from - it.fifo_start_addr;
    it.fifo_page_size = page;
    it.fifo_limit_page_aligned = it.fifo_start_addr + it.fifo_size - it.fifo_size % page;
    it.fifo_rd_ptr = it.fifo_start_addr + (offset + page - 1) / page * page;
    if (it.fifo_rd_ptr < it.fifo_limit_page_aligned)
        return it.fifo_rd_ptr - from;
    it.fifo_rd_ptr = it.fifo_start_addr;
    return it.fifo_start_addr + it.fifo_size - from;
}
template <auto... flags> inline RemoteCBInterface &get(uint32_t cb)
{
    if constexpr (!said()) {
        refuse();
        return table[sizeof...(flags)];
    } else {
        RemoteCBInterface &it = table[cb];
        if (it.fifo_start_addr != 0)
            return it;
        int at = int(get_named_compile_time_arg_val("remote_cbs"));
        const auto next = [&] { return get_common_arg_val<uint32_t>(at++); };
        for (uint32_t left = next(); left > 0; left--) {
            RemoteCBInterface &each = table[next()];
            each.fifo_start_addr = next();
            each.fifo_size = next();
            const uint32_t page = next();
            each.counters = next();
            each.receivers = next();
            const uint32_t x = next();
            each.sender_xy = NOC_XY_ENCODING(x, next());
            each.first_xy = uint32_t(at);
            at += int(2 * each.receivers);
            each.fifo_rd_ptr = each.fifo_start_addr + *sent(each, each.receivers);
            resize(each, page);
        }
        return it;
    }
}
inline uint32_t receiver_xy(const RemoteCBInterface &it, uint32_t receiver)
{
    const int at = int(it.first_xy + 2 * receiver);
    const uint32_t x = get_common_arg_val<uint32_t>(at);
    return NOC_XY_ENCODING(x, get_common_arg_val<uint32_t>(at + 1));
}

#if !defined(COMPILE_FOR_TRISC)
// Which of the receivers this core is.
inline uint32_t mine(const RemoteCBInterface &it)
{
    uint32_t receiver = 0;
    while (receiver + 1 < it.receivers &&
           receiver_xy(it, receiver) != NOC_XY_ENCODING(my_x[noc_index], my_y[noc_index]))
        receiver++;
    return receiver;
}
// Units of 16 bytes that `bytes` from the pointer on take: those that no page fits into, too, if they reach the end.
inline uint32_t units(const RemoteCBInterface &it, uint32_t bytes)
{
    if (it.fifo_rd_ptr + bytes >= it.fifo_limit_page_aligned)
        bytes += it.fifo_start_addr + it.fifo_size - it.fifo_limit_page_aligned;
    return bytes / REMOTE_CIRCULAR_BUFFER_ALIGNED_PAGE_SIZE;
}
inline void forward(RemoteCBInterface &it, uint32_t bytes)
{
    it.fifo_rd_ptr += bytes;
    if (it.fifo_rd_ptr >= it.fifo_limit_page_aligned)
        it.fifo_rd_ptr -= it.fifo_limit_page_aligned - it.fifo_start_addr;
}
inline void wait_sent(const RemoteCBInterface &it, uint32_t wanted)
{
    const uint32_t receiver = mine(it);
    do {
        invalidate_l1_cache();
    } while (*sent(it, receiver) - *consumed(it, receiver) < wanted);
}
template <bool posted = false>
inline void say_sent(const RemoteCBInterface &it, uint32_t receiver, uint32_t count, uint8_t noc)
{
    volatile uint32_t *counter = sent(it, receiver);
    *counter += count;
    noc_semaphore_inc<posted>(
        get_noc_addr_helper(receiver_xy(it, receiver), uint32_t(uintptr_t(counter))), count, noc);
}
inline void say_consumed(const RemoteCBInterface &it, uint32_t count, uint8_t noc)
{
    volatile uint32_t *counter = consumed(it, mine(it));
    *counter += count;
    noc_semaphore_inc(get_noc_addr_helper(it.sender_xy, uint32_t(uintptr_t(counter))), count, noc);
}
#endif

} // namespace ts_remote

template <auto... flags>
FORCE_INLINE RemoteSenderCBInterface &get_remote_sender_cb_interface(uint32_t cb)
{
    return ts_remote::get<flags...>(cb);
}
template <auto... flags>
FORCE_INLINE RemoteReceiverCBInterface &get_remote_receiver_cb_interface(uint32_t cb)
{
    return ts_remote::get<flags...>(cb);
}

namespace experimental {

#if !defined(COMPILE_FOR_TRISC)
// `tell`: the other side, too, that bytes were skipped. The NoC's mode and command buffer are the kernel's.
template <bool tell = false, auto... flags>
inline void resize_remote_sender_cb_interface(uint32_t cb, uint32_t page, uint8_t noc, auto...)
{
    RemoteCBInterface &it = ts_remote::get<flags...>(cb);
    const uint32_t skipped = ts_remote::resize(it, page) / 16;
    for (uint32_t i = 0; tell && skipped != 0 && i < it.receivers; i++)
        ts_remote::say_sent(it, i, skipped, noc);
}
template <bool tell = false, auto... flags>
inline void resize_remote_receiver_cb_interface(uint32_t cb, uint32_t page, uint8_t noc, auto...)
{
    RemoteCBInterface &it = ts_remote::get<flags...>(cb);
    const uint32_t skipped = ts_remote::resize(it, page) / 16;
    if (tell && skipped != 0) {
        ts_remote::wait_sent(it, skipped); // consumed never passes sent
        ts_remote::say_consumed(it, skipped, noc);
    }
}
template <auto... flags> inline void remote_cb_wait_front(uint32_t cb, uint32_t pages)
{
    RemoteCBInterface &it = ts_remote::get<flags...>(cb);
    ts_remote::wait_sent(it, ts_remote::units(it, pages * it.fifo_page_size));
}
template <auto... flags>
inline void remote_cb_pop_front(uint32_t cb, uint32_t pages, uint8_t noc = noc_index)
{
    RemoteCBInterface &it = ts_remote::get<flags...>(cb);
    const uint32_t bytes = pages * it.fifo_page_size, count = ts_remote::units(it, bytes);
    ts_remote::forward(it, bytes);
    ts_remote::say_consumed(it, count, noc);
}
template <auto... flags> inline void remote_cb_reserve_back(uint32_t cb, uint32_t pages)
{
    RemoteCBInterface &it = ts_remote::get<flags...>(cb);
    const uint32_t wanted = ts_remote::units(it, pages * it.fifo_page_size);
    for (uint32_t i = 0; i < it.receivers; i++)
        do {
            invalidate_l1_cache();
        } while (it.fifo_size / 16 - (*ts_remote::sent(it, i) - *ts_remote::consumed(it, i)) <
                 wanted);
}
template <auto... flags> inline void remote_cb_sender_barrier(uint32_t cb)
{
    RemoteCBInterface &it = ts_remote::get<flags...>(cb);
    for (uint32_t i = 0; i < it.receivers; i++)
        do {
            invalidate_l1_cache();
        } while (*ts_remote::sent(it, i) != *ts_remote::consumed(it, i));
}
// A block of L1 to all receivers: each of its `rows` has, for one receiver after the other, `per_row` pieces of `piece` bytes.
template <bool posted = true, auto... flags>
inline void remote_cb_push_back_and_write_pages(uint32_t cb, uint32_t from, uint32_t pages,
                                                uint32_t rows, uint32_t per_row, uint32_t piece,
                                                uint8_t noc = noc_index)
{
    RemoteCBInterface &it = ts_remote::get<flags...>(cb);
    const uint32_t count = ts_remote::units(it, pages * it.fifo_page_size);
    for (uint32_t i = 0; i < it.receivers; i++) {
        const uint32_t xy = ts_remote::receiver_xy(it, i);
        uint32_t to = it.fifo_wr_ptr;
        noc_async_write_one_packet_set_state<posted>(get_noc_addr_helper(xy, to), piece, noc);
        for (uint32_t row = 0; row < rows; row++) {
            uint32_t at = from + (row * it.receivers + i) * per_row * piece;
            for (uint32_t n = 0; n < per_row; n++, at += piece, to += piece)
                noc_async_write_one_packet_with_state<posted>(at, to, noc);
        }
        ts_remote::say_sent<posted>(it, i, count, noc);
    }
    ts_remote::forward(it, rows * per_row * piece);
}
#endif

// The ring as a local buffer of its receivers: of each of the numbers.
template <uint32_t count>
inline void align_local_cbs_to_remote_cb(uint32_t cb, const uint32_t (&local)[count])
{
    const RemoteCBInterface &it = ts_remote::get<count>(cb);
    for (uint32_t number : local) {
        LocalCBInterface &buffer = get_local_cb_interface(number);
        buffer.fifo_limit = it.fifo_limit_page_aligned >> cb_addr_shift;
        buffer.fifo_size = buffer.fifo_limit - (it.fifo_start_addr >> cb_addr_shift);
        buffer.fifo_num_pages = buffer.fifo_size / buffer.fifo_page_size;
        buffer.fifo_wr_ptr = buffer.fifo_rd_ptr = it.fifo_rd_ptr >> cb_addr_shift;
    }
}
template <auto... flags> inline void update_remote_cb_config_in_l1(uint32_t cb)
{
    const RemoteCBInterface &it = ts_remote::get<flags...>(cb);
    *ts_remote::sent(it, it.receivers) = it.fifo_rd_ptr - it.fifo_start_addr;
}

#if !defined(COMPILE_FOR_TRISC)
class RemoteCircularBuffer {
    uint32_t cb;

  public:
    enum class RemotePointerUpdate { SKIP, UPDATE_OVER_NOC };
    static constexpr auto TELL = RemotePointerUpdate::UPDATE_OVER_NOC;
    explicit RemoteCircularBuffer(uint32_t number) : cb(number) {}

    void reserve_back(uint32_t pages) { remote_cb_reserve_back(cb, pages); }
    template <typename Src, RemotePointerUpdate update = TELL>
    void push_back(Noc &noc, const Src &src, uint32_t pages, uint32_t rows, uint32_t per_row,
                   uint32_t piece, const typename noc_traits_t<Src>::src_args_type &args = {})
    {
        remote_cb_push_back_and_write_pages<update == TELL>(
            cb, noc_traits_t<Src>::template src_addr<Noc::AddressType::LOCAL_L1>(src, noc, args),
            pages, rows, per_row, piece, noc.get_noc_id());
    }
    // Either name on either side: the vendor's receivers call the sender's.
    template <RemotePointerUpdate update = TELL>
    void set_sender_page_size(Noc &noc, uint32_t page, auto...)
    {
        if (get_remote_sender_cb_interface(cb).sender_xy == NOC_XY_ENCODING(my_x[0], my_y[0]))
            resize_remote_sender_cb_interface<update == TELL>(cb, page, noc.get_noc_id());
        else
            resize_remote_receiver_cb_interface<update == TELL>(cb, page, noc.get_noc_id());
    }
    template <RemotePointerUpdate update = TELL>
    void set_receiver_page_size(Noc &noc, uint32_t page, auto...)
    {
        set_sender_page_size<update>(noc, page);
    }
    void wait_front(uint32_t pages) { remote_cb_wait_front(cb, pages); }
    void pop_front(Noc &noc, uint32_t pages) { remote_cb_pop_front(cb, pages, noc.get_noc_id()); }
    void barrier() { remote_cb_sender_barrier(cb); }
    void commit() { update_remote_cb_config_in_l1(cb); }
};
#endif

} // namespace experimental
