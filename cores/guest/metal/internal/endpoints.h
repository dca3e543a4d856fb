// What the NoC reaches: where each kind of object lies. Part of objects.h.
#pragma once

struct UnicastEndpoint {
    uint64_t get_noc_unicast_addr(uint32_t x, uint32_t y, uint32_t address, uint8_t noc) const
    {
        return ::get_noc_addr(x, y, address, noc);
    }
};
struct MulticastEndpoint {
    uint64_t get_noc_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                                    uint32_t address, uint8_t noc) const
    {
        return ::get_noc_multicast_addr(x0, y0, x1, y1, address, noc);
    }
};
enum class AllocatorBankType { L1, DRAM };
template <AllocatorBankType kind> struct AllocatorBank {
    uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address, uint8_t noc) const
    {
        return ::get_noc_addr_from_bank_id<kind == AllocatorBankType::DRAM>(bank, address, noc);
    }
};

template <> struct noc_traits_t<UnicastEndpoint> {
    struct src_args_type {
        uint32_t noc_x{}, noc_y{}, addr{};
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType kind>
    static Noc::addr_underlying_t<kind> src_addr(const UnicastEndpoint &, const Noc &noc,
                                                 const src_args_type &args)
    {
        if constexpr (kind == Noc::AddressType::LOCAL_L1)
            return args.addr;
        else
            return ::get_noc_addr(args.noc_x, args.noc_y, args.addr, noc.get_noc_id());
    }
    template <Noc::AddressType kind>
    static auto dst_addr(const UnicastEndpoint &end, const Noc &noc, const dst_args_type &args)
    {
        return src_addr<kind>(end, noc, args);
    }
};
template <> struct noc_traits_t<MulticastEndpoint> {
    struct dst_args_mcast_type {
        uint32_t noc_x_start{}, noc_y_start{}, noc_x_end{}, noc_y_end{}, addr{};
    };
    template <Noc::AddressType kind>
    static uint64_t dst_addr_mcast(const MulticastEndpoint &, const Noc &noc,
                                   const dst_args_mcast_type &args)
    {
        return ::get_noc_multicast_addr(args.noc_x_start, args.noc_y_start, args.noc_x_end,
                                        args.noc_y_end, args.addr, noc.get_noc_id());
    }
};
template <AllocatorBankType bank> struct noc_traits_t<AllocatorBank<bank>> {
    struct src_args_type {
        uint32_t bank_id{}, addr{};
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType kind>
    static uint64_t src_addr(const AllocatorBank<bank> &end, const Noc &noc,
                             const src_args_type &args)
    {
        return end.get_noc_addr_from_bank_id(args.bank_id, args.addr, noc.get_noc_id());
    }
    template <Noc::AddressType kind>
    static uint64_t dst_addr(const AllocatorBank<bank> &end, const Noc &noc,
                             const dst_args_type &args)
    {
        return src_addr<kind>(end, noc, args);
    }
};

// Memory of this core at an address that the object knows.
template <typename T> struct ts_local_traits {
    struct src_args_type {
        uint32_t offset_bytes{};
    };
    struct dst_args_type {
        uint32_t offset_bytes{};
    };
    struct dst_args_mcast_type {
        uint32_t noc_x_start{}, noc_y_start{}, noc_x_end{}, noc_y_end{}, offset_bytes{};
    };
    template <Noc::AddressType kind>
    static Noc::addr_underlying_t<kind> on(const Noc &noc, uint32_t address)
    {
        if constexpr (kind == Noc::AddressType::LOCAL_L1)
            return address;
        else
            return ::get_noc_addr(address, noc.get_noc_id());
    }
    template <Noc::AddressType kind>
    static auto src_addr(const T &object, const Noc &noc, const src_args_type &args)
    {
        return on<kind>(noc, noc_traits_t<T>::source(object) + args.offset_bytes);
    }
    template <Noc::AddressType kind>
    static auto dst_addr(const T &object, const Noc &noc, const dst_args_type &args)
    {
        return on<kind>(noc, noc_traits_t<T>::target(object) + args.offset_bytes);
    }
    template <Noc::AddressType kind>
    static uint64_t dst_addr_mcast(const T &object, const Noc &noc, const dst_args_mcast_type &args)
    {
        return ::get_noc_multicast_addr(
            args.noc_x_start, args.noc_y_start, args.noc_x_end, args.noc_y_end,
            noc_traits_t<T>::target(object) + args.offset_bytes, noc.get_noc_id());
    }
};
template <> struct noc_traits_t<CircularBuffer> : ts_local_traits<CircularBuffer> {
    static uint32_t source(const CircularBuffer &cb) { return cb.get_read_ptr(); }
    static uint32_t target(const CircularBuffer &cb) { return cb.get_write_ptr(); }
};
using DataflowBufferArgs = ts_local_traits<DataflowBuffer>::src_args_type;
template <> struct noc_traits_t<DataflowBuffer> : ts_local_traits<DataflowBuffer> {
    static uint32_t source(const DataflowBuffer &buffer) { return buffer.get_read_ptr(); }
    static uint32_t target(const DataflowBuffer &buffer) { return buffer.get_write_ptr(); }
};
template <typename T, typename A>
struct noc_traits_t<CoreLocalMem<T, A>> : ts_local_traits<CoreLocalMem<T, A>> {
    static uint32_t source(const CoreLocalMem<T, A> &at) { return at.get_address(); }
    static uint32_t target(const CoreLocalMem<T, A> &at) { return at.get_address(); }
};
template <typename T> struct noc_traits_t<Scratchpad<T>> : ts_local_traits<Scratchpad<T>> {
    static uint32_t source(const Scratchpad<T> &at) { return at.get_address(); }
    static uint32_t target(const Scratchpad<T> &at) { return at.get_address(); }
};

// A buffer by one of its pointers, whichever way the data go.
template <CircularBuffer::AddrSelector which> struct CircularBufferView {
    const CircularBuffer &cb;
    explicit constexpr CircularBufferView(const CircularBuffer &of) : cb(of) {}
    uint32_t address() const
    {
        return which == CircularBuffer::AddrSelector::WRITE_PTR ? cb.get_write_ptr()
                                                                : cb.get_read_ptr();
    }
};
template <CircularBuffer::AddrSelector which> constexpr auto use(const CircularBuffer &cb)
{
    return CircularBufferView<which>(cb);
}
template <CircularBuffer::AddrSelector which>
struct noc_traits_t<CircularBufferView<which>> : ts_local_traits<CircularBufferView<which>> {
    static uint32_t source(const CircularBufferView<which> &view) { return view.address(); }
    static uint32_t target(const CircularBufferView<which> &view) { return view.address(); }
};

// Pages and shards of tensors.
template <typename T> struct ts_page_traits {
    struct src_args_type {
        uint32_t page_id{}, offset_bytes = 0;
    };
    struct dst_args_type {
        uint32_t page_id{}, offset_bytes = 0;
    };
    template <Noc::AddressType kind>
    static Noc::addr_underlying_t<kind> src_addr(const T &object, const Noc &noc,
                                                 const src_args_type &args)
    {
        return Noc::addr_underlying_t<kind>(
            object.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id()));
    }
    template <Noc::AddressType kind>
    static Noc::addr_underlying_t<kind> dst_addr(const T &object, const Noc &noc,
                                                 const dst_args_type &args)
    {
        return Noc::addr_underlying_t<kind>(
            object.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id()));
    }
};
template <typename Args>
struct noc_traits_t<TensorAccessor<Args>> : ts_page_traits<TensorAccessor<Args>> {
};
template <>
struct noc_traits_t<AbstractTensorAccessorWrapper> : ts_page_traits<AbstractTensorAccessorWrapper> {
};
template <bool DRAM>
struct noc_traits_t<InterleavedAddrGen<DRAM>> : ts_page_traits<InterleavedAddrGen<DRAM>> {
};
template <bool DRAM, uint32_t hw>
struct noc_traits_t<InterleavedAddrGenFast<DRAM, hw>>
    : ts_page_traits<InterleavedAddrGenFast<DRAM, hw>> {
};
template <> struct noc_traits_t<tensor_accessor::Page> {
    struct src_args_type {
        uint32_t offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType kind>
    static auto src_addr(const tensor_accessor::Page &page, const Noc &, const src_args_type &args)
    {
        return Noc::addr_underlying_t<kind>(page.noc_addr() + args.offset_bytes);
    }
    template <Noc::AddressType kind>
    static auto dst_addr(const tensor_accessor::Page &page, const Noc &, const dst_args_type &args)
    {
        return Noc::addr_underlying_t<kind>(page.noc_addr() + args.offset_bytes);
    }
};
template <typename Accessor> struct PageView : Accessor {
    explicit PageView(const Accessor &of) : Accessor(of) {}
};
template <typename Accessor>
struct noc_traits_t<PageView<Accessor>> : ts_page_traits<PageView<Accessor>> {
};
template <typename Accessor> struct ShardView {
    const Accessor &accessor;
    explicit ShardView(const Accessor &of) : accessor(of) {}
    uint64_t get_noc_addr(uint32_t shard, uint32_t offset = 0, uint8_t noc = noc_index) const
    {
        return accessor.get_shard_noc_addr(shard, offset, noc);
    }
    bool is_local_shard(uint32_t shard, uint8_t noc = noc_index) const
    {
        return accessor.is_local_shard(shard, noc);
    }
};
template <typename Accessor> struct noc_traits_t<ShardView<Accessor>> {
    struct src_args_type {
        uint32_t shard_id{}, offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType kind>
    static auto src_addr(const ShardView<Accessor> &view, const Noc &noc, const src_args_type &args)
    {
        return Noc::addr_underlying_t<kind>(
            view.get_noc_addr(args.shard_id, args.offset_bytes, noc.get_noc_id()));
    }
    template <Noc::AddressType kind>
    static auto dst_addr(const ShardView<Accessor> &view, const Noc &noc, const dst_args_type &args)
    {
        return src_addr<kind>(view, noc, args);
    }
};

template <ProgrammableCoreType core = ProgrammableCoreType::TENSIX> class Semaphore {
    uintptr_t address;
    volatile uint32_t *word() const { return reinterpret_cast<volatile uint32_t *>(address); }

  public:
    explicit Semaphore(uint32_t id) : address(get_semaphore(id)) {}
    uintptr_t get_l1_addr() const { return address; }
    void up(uint32_t value) { *word() = *word() + value; }
    void up(const Noc &noc, uint32_t x, uint32_t y, uint32_t value,
            uint8_t vc = NOC_UNICAST_WRITE_VC)
    {
        noc_semaphore_inc(::get_noc_addr(x, y, address, noc.get_noc_id()), value, noc.get_noc_id(),
                          vc);
    }
    void down(uint32_t value)
    {
        wait_min(value);
        *word() = *word() - value;
    }
    void wait(uint32_t value) { noc_semaphore_wait(word(), value); }
    void wait_min(uint32_t value) { noc_semaphore_wait_min(word(), value); }
    void set(uint32_t value) { noc_semaphore_set(word(), value); }
    template <ProgrammableCoreType other = core>
    void relay_unicast(const Noc &noc, const Semaphore<other> &to, uint32_t x, uint32_t y)
    {
        noc_semaphore_set_remote(address, ::get_noc_addr(x, y, to.get_l1_addr(), noc.get_noc_id()),
                                 noc.get_noc_id());
    }
    template <auto options = NocOptions::DEFAULT, ProgrammableCoreType other = core>
    void relay_multicast(const Noc &noc, const Semaphore<other> &to, uint32_t x0, uint32_t y0,
                         uint32_t x1, uint32_t y1, uint32_t receivers, bool linked = false)
    {
        const uint64_t at = ::get_noc_multicast_addr(x0, y0, x1, y1, to.get_l1_addr(),
                                                     noc.get_noc_id());
        bool self = false;
        if constexpr (std::is_same_v<std::remove_const_t<decltype(options)>, NocOptions>)
            self = has_flag(options, NocOptions::MCAST_INCL_SRC);
        else
            self = options == Noc::McastMode::INCLUDE_SRC;
        if (self)
            noc_semaphore_set_multicast_loopback_src(address, at, receivers, linked,
                                                     noc.get_noc_id());
        else
            noc_semaphore_set_multicast(address, at, receivers, linked, noc.get_noc_id());
    }
    template <auto options = NocOptions::DEFAULT>
    void set_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                       uint32_t receivers, bool linked = false)
    {
        relay_multicast<options>(noc, *this, x0, y0, x1, y1, receivers, linked);
    }
    void inc_multicast(const Noc &noc, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                       uint32_t value, uint32_t receivers)
    {
        noc_semaphore_inc_multicast(
            ::get_noc_multicast_addr(x0, y0, x1, y1, address, noc.get_noc_id()), value, receivers,
            noc.get_noc_id());
    }
};
