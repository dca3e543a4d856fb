// Data movement as objects: Noc, CircularBuffer, DataflowBuffer, Semaphore, endpoints, CoreLocalMem.
//
// Noc takes its operands as an object and an aggregate of arguments; noc_traits_t<Object> says what the
// aggregate is and where the data lie: on the NoC (64 bits) or in this core's L1 (32 bits).
#pragma once
#ifdef COMPILE_FOR_TRISC
#include "internal/cb.h"
#else
#include "internal/dataflow.h"
#endif

template <typename Release> class Lock {
    Release release;

  public:
    FORCE_INLINE explicit Lock(Release on_release) : release(on_release) {}
    FORCE_INLINE ~Lock() { release(); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
};

// A typed pointer into this core's L1.
template <typename T, typename AddressType = uintptr_t> class CoreLocalMem {
    AddressType address;

  public:
    using difference_type = std::ptrdiff_t;
    CoreLocalMem(AddressType at) : address(at) {}
    CoreLocalMem(T *at) : address(reinterpret_cast<AddressType>(at)) {}
    T *get_unsafe_ptr() const { return reinterpret_cast<T *>(address); }
    AddressType get_address() const { return address; }
    T &operator[](uint32_t i) const { return get_unsafe_ptr()[i]; }
    T &operator*() const { return *get_unsafe_ptr(); }
    T *operator->() const { return get_unsafe_ptr(); }
    CoreLocalMem &operator+=(difference_type n)
    {
        address += AddressType(n) * sizeof(T);
        return *this;
    }
    CoreLocalMem &operator-=(difference_type n) { return *this += -n; }
    CoreLocalMem &operator++() { return *this += 1; }
    CoreLocalMem &operator--() { return *this += -1; }
    CoreLocalMem operator++(int)
    {
        CoreLocalMem old = *this;
        *this += 1;
        return old;
    }
    CoreLocalMem operator--(int)
    {
        CoreLocalMem old = *this;
        *this += -1;
        return old;
    }
    CoreLocalMem operator+(difference_type n) const { return CoreLocalMem(*this) += n; }
    CoreLocalMem operator-(difference_type n) const { return CoreLocalMem(*this) += -n; }
    difference_type operator-(const CoreLocalMem &other) const
    {
        return difference_type(address - other.address) / difference_type(sizeof(T));
    }
    auto operator<=>(const CoreLocalMem &other) const = default;
    explicit operator bool() const { return address != 0; }
    [[nodiscard]] auto scoped_lock(size_t)
    {
        return Lock([] {});
    }
};

// The part of a tensor that lies in this core's L1: its shard.
template <typename T> class LocalTensorAccessor {
    CoreLocalMem<T> memory;

  public:
    explicit LocalTensorAccessor(uint32_t address) : memory(uintptr_t(address)) {}
#ifndef COMPILE_FOR_TRISC
    template <uint32_t CTA, uint32_t CRTA>
    explicit LocalTensorAccessor(tensor_accessor::TensorBindingToken<CTA, CRTA>)
        : LocalTensorAccessor(get_common_arg_val<uint32_t>(CRTA / 4))
    {
        static_assert(!TensorAccessorArgs<CTA>::is_dram,
                      "a tensor in DRAM has no part in L1: use TensorAccessor");
    }
#endif
    T &operator[](uint32_t i) const
    {
        return memory[i];
    }
    uint32_t get_bank_base_address() const
    {
        return uint32_t(memory.get_address());
    }
    CoreLocalMem<T> local_mem() const
    {
        return memory;
    }
};

// Numbers of buffers, semaphores and scratch memory by name, in programs that name them.
struct DFBBindingToken {
    uint16_t id;
    explicit constexpr DFBBindingToken(uint16_t number) noexcept : id(number) {}
    constexpr operator uint32_t() const noexcept { return id; }
};
struct SemaphoreBindingToken {
    uint16_t id;
    explicit constexpr SemaphoreBindingToken(uint16_t number) noexcept : id(number) {}
    constexpr operator uint32_t() const noexcept { return id; }
};
struct ScratchpadBindingToken {
    uint32_t crta_offset, size_in_bytes;
    explicit constexpr ScratchpadBindingToken(uint32_t offset, uint32_t bytes) noexcept
        : crta_offset(offset), size_in_bytes(bytes)
    {
    }
};
template <typename T> class Scratchpad {
    uint32_t address, bytes;

  public:
    explicit Scratchpad(ScratchpadBindingToken token)
        : address(get_common_arg_val<uint32_t>(int(token.crta_offset / 4))),
          bytes(token.size_in_bytes)
    {
    }
    uint32_t get_address() const { return address; }
    uint32_t get_base_address() const { return address; }
    uint32_t size() const { return bytes / sizeof(T); }
    uint32_t size_bytes() const { return bytes; }
    T &operator[](uint32_t i) const { return reinterpret_cast<T *>(address)[i]; }
    CoreLocalMem<T> begin() const { return CoreLocalMem<T>(address); }
    CoreLocalMem<T> end() const { return CoreLocalMem<T>(address + bytes); }
    CoreLocalMem<T> data() const { return begin(); }
};

// One processor of each kind runs a kernel.
constexpr uint32_t get_num_threads()
{
    return 1;
}
constexpr uint32_t get_my_thread_id()
{
    return 0;
}

class CircularBuffer {
  protected:
    uint32_t id;

  public:
    enum class AddrSelector { WRITE_PTR, READ_PTR };
    using AddrSel = AddrSelector;
    explicit CircularBuffer(uint32_t number) : id(number) {}
    uint32_t get_cb_id() const { return id; }
    void reserve_back(int32_t pages) { cb_reserve_back(id, uint32_t(pages)); }
    void push_back(int32_t pages) { cb_push_back(id, uint32_t(pages)); }
    void wait_front(int32_t pages) { cb_wait_front(id, uint32_t(pages)); }
    void pop_front(int32_t pages) { cb_pop_front(id, uint32_t(pages)); }
    uint32_t get_write_ptr() const { return CB_WR_PTR(id); }
    uint32_t get_read_ptr() const { return CB_RD_PTR(id); }
    constexpr uint32_t get_tile_size() const { return uint32_t(::get_tile_size(int32_t(id))); }
    constexpr uint32_t get_tile_hw() const { return ::get_tile_hw(int32_t(id)); }
    constexpr DataFormat get_dataformat() const { return ::get_dataformat(int32_t(id)); }
#ifdef COMPILE_FOR_TRISC
    uint32_t get_tile_address(uint32_t tile);
    uint32_t read_tile_value(uint32_t tile, uint32_t element);
#else
    bool pages_reservable_at_back(int32_t pages) const
    {
        return cb_pages_reservable_at_back(int32_t(id), pages);
    }
    bool pages_available_at_front(int32_t pages) const
    {
        return cb_pages_available_at_front(int32_t(id), pages);
    }
#endif
    [[nodiscard]] auto scoped_lock()
    {
        return Lock([] {});
    }
};

template <typename Release> class DfbScopedLock {
    uint32_t pointer;
    Release release;

  public:
    DfbScopedLock(uint32_t at, Release on_release) : pointer(at), release(on_release) {}
    ~DfbScopedLock() { release(); }
    template <typename T = uint32_t> CoreLocalMem<T> get_ptr() const
    {
        return CoreLocalMem<T>(pointer);
    }
};

class DataflowBuffer : public CircularBuffer {
  public:
    DataflowBuffer(DFBBindingToken token) : CircularBuffer(token.id) {}
    DataflowBuffer(uint16_t number) : CircularBuffer(number) {}
    uint16_t get_id() const { return uint16_t(id); }
    uint32_t get_entry_size() const { return CB_PAGE_SIZE(id); }
    uint32_t get_stride_size() const { return CB_PAGE_SIZE(id); }
    uint32_t get_total_num_entries() const { return CB_PAGE_COUNT(id); }
    uint32_t get_total_size_bytes() const { return CB_RD_SZ(id); }
    uint32_t get_local_num_entries() const { return CB_PAGE_COUNT(id); }
    uint32_t get_local_size_bytes() const { return CB_RD_SZ(id); }
    uint32_t get_ring_span_bytes() const { return CB_RD_SZ(id); }
    uint32_t get_ring_span_num_entries() const { return CB_PAGE_COUNT(id); }
    constexpr uint32_t get_tile_r_dim() const { return unpack_tile_r_dim[id]; }
    constexpr uint32_t get_tile_c_dim() const { return unpack_tile_c_dim[id]; }
    constexpr uint32_t get_tile_num_faces() const { return unpack_tile_num_faces[id]; }
    constexpr uint32_t get_face_r_dim() const { return unpack_tile_face_r_dim[id]; }
    constexpr DataFormat get_unpack_dst_format() const { return DataFormat(unpack_dst_format[id]); }
    constexpr DataFormat get_pack_src_format() const { return DataFormat(pack_src_format[id]); }
    constexpr DataFormat get_pack_dst_format() const { return DataFormat(pack_dst_format[id]); }
    void finish() {}
    void evil_set_write_ptr(uint32_t at)
    {
        get_local_cb_interface(id).fifo_wr_ptr = at >> cb_addr_shift;
    }
    void evil_set_read_ptr(uint32_t at)
    {
        get_local_cb_interface(id).fifo_rd_ptr = at >> cb_addr_shift;
    }
    template <typename N> void write_barrier(const N &noc) const { noc.async_write_barrier(); }
    [[nodiscard]] auto scoped_write_lock(uint16_t = 1)
    {
        return DfbScopedLock(get_write_ptr(), [] {});
    }
    [[nodiscard]] auto scoped_read_lock(uint16_t = 1)
    {
        return DfbScopedLock(get_read_ptr(), [] {});
    }
};

#ifndef COMPILE_FOR_TRISC

template <typename T> struct noc_traits_t {
    static_assert(sizeof(T) == 0, "the NoC cannot reach an object of this type");
};

enum class NocOptions : uint32_t {
    DEFAULT = 0,
    TXN_ID = 1,
    POSTED = 2,
    CUSTOM_VC = 4,
    MCAST_INCL_SRC = 8,
    INLINE_L1 = 16,
    INLINE_REG = 32
};
constexpr NocOptions operator|(NocOptions a, NocOptions b) noexcept
{
    return NocOptions(uint32_t(a) | uint32_t(b));
}
constexpr bool has_flag(NocOptions options, NocOptions flag) noexcept
{
    return uint32_t(options) & uint32_t(flag);
}
struct NocOptVals {
    uint32_t vc = NOC_UNICAST_WRITE_VC;
    uint32_t trid = 0;
};

// Options are NocOptions, or one of the enumerations that v0.65 has for them.
class Noc {
    uint8_t id;

  public:
    enum class AddressType { NOC, LOCAL_L1 };
    enum class TxnIdMode { ENABLED, DISABLED };
    enum class ResponseMode { NON_POSTED, POSTED };
    enum class BarrierMode { TXN_ID, FULL };
    enum class McastMode { INCLUDE_SRC, EXCLUDE_SRC };
    enum class VcSelection { DEFAULT, CUSTOM };
    static constexpr uint32_t INVALID_TXN_ID = ~0u;
    template <AddressType kind>
    using addr_underlying_t = std::conditional_t<kind == AddressType::LOCAL_L1, uint32_t, uint64_t>;

    Noc() : id(noc_index) {}
    explicit Noc(uint8_t number) : id(number) {}
    uint8_t get_noc_id() const { return id; }
    bool is_local_bank(uint32_t x, uint32_t y) const { return x == my_x[id] && y == my_y[id]; }
    bool is_local_addr(uint64_t address) const
    {
        return is_local_bank(NOC_UNICAST_ADDR_X(address), NOC_UNICAST_ADDR_Y(address));
    }

  private:
    template <typename T> using from_t = typename noc_traits_t<T>::src_args_type;
    template <typename T> using to_t = typename noc_traits_t<T>::dst_args_type;
    template <typename T> using rectangle_t = typename noc_traits_t<T>::dst_args_mcast_type;

    template <auto options> static constexpr bool has(NocOptions flag)
    {
        using type = std::remove_const_t<decltype(options)>;
        if constexpr (std::is_same_v<type, NocOptions>)
            return has_flag(options, flag);
        else if constexpr (std::is_same_v<type, McastMode>)
            return options == McastMode::INCLUDE_SRC && flag == NocOptions::MCAST_INCL_SRC;
        else if constexpr (std::is_same_v<type, ResponseMode>)
            return options == ResponseMode::POSTED && flag == NocOptions::POSTED;
        else if constexpr (std::is_same_v<type, TxnIdMode>)
            return options == TxnIdMode::ENABLED && flag == NocOptions::TXN_ID;
        else if constexpr (std::is_same_v<type, BarrierMode>)
            return options == BarrierMode::TXN_ID && flag == NocOptions::TXN_ID;
        else
            return false;
    }
    template <typename S> uint64_t from_noc(const S &source, const from_t<S> &args) const
    {
        return noc_traits_t<S>::template src_addr<AddressType::NOC>(source, *this, args);
    }
    template <typename S> uint32_t from_l1(const S &source, const from_t<S> &args) const
    {
        return uint32_t(
            noc_traits_t<S>::template src_addr<AddressType::LOCAL_L1>(source, *this, args));
    }
    template <typename D> uint64_t to_noc(const D &target, const to_t<D> &args) const
    {
        return noc_traits_t<D>::template dst_addr<AddressType::NOC>(target, *this, args);
    }
    template <typename D> uint32_t to_l1(const D &target, const to_t<D> &args) const
    {
        return uint32_t(
            noc_traits_t<D>::template dst_addr<AddressType::LOCAL_L1>(target, *this, args));
    }

  public:
    template <auto options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              bool tracing = true, typename S, typename D>
    void async_read(const S &source, const D &target, uint32_t bytes, const from_t<S> &from,
                    const to_t<D> &to, const NocOptVals &values = {}) const
    {
        if constexpr (has<options>(NocOptions::TXN_ID))
            noc_async_read_set_trid(values.trid, id);
        noc_async_read<most>(from_noc(source, from), to_l1(target, to), bytes, id, values.vc);
        if constexpr (has<options>(NocOptions::TXN_ID))
            noc_async_read_set_trid(0, id);
    }
    template <auto options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              typename S>
    void set_async_read_state(const S &source, uint32_t bytes, const from_t<S> &from,
                              const NocOptVals &values = {}) const
    {
        if constexpr (most <= NOC_MAX_BURST_SIZE)
            noc_async_read_one_packet_set_state<has<options>(NocOptions::CUSTOM_VC)>(
                from_noc(source, from), bytes, values.vc, id);
        else
            noc_async_read_set_state(from_noc(source, from), id);
    }
    template <auto options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              typename S, typename D>
    void async_read_with_state(const S &source, const D &target, uint32_t bytes,
                               const from_t<S> &from, const to_t<D> &to,
                               const NocOptVals &values = {}) const
    {
        const uint32_t at = uint32_t(from_noc(source, from)), l1 = to_l1(target, to);
        if constexpr (has<options>(NocOptions::TXN_ID))
            noc_async_read_set_trid(values.trid, id);
        if constexpr (most <= NOC_MAX_BURST_SIZE)
            noc_async_read_one_packet_with_state(at, l1, values.vc, id);
        else
            noc_async_read_with_state(at, l1, bytes, id);
    }
    template <auto options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              bool tracing = true, typename S, typename D>
    void async_write(const S &source, const D &target, uint32_t bytes, const from_t<S> &from,
                     const to_t<D> &to, const NocOptVals &values = {}) const
    {
        constexpr bool posted = has<options>(NocOptions::POSTED);
        if constexpr (has<options>(NocOptions::TXN_ID))
            noc_async_write_one_packet_with_trid<true, posted>(
                from_l1(source, from), to_noc(target, to), bytes, values.trid, write_cmd_buf, id,
                uint8_t(values.vc));
        else
            noc_async_write<most, true, posted>(from_l1(source, from), to_noc(target, to), bytes,
                                                id, values.vc);
    }
    template <auto options = NocOptions::DEFAULT, auto most = NOC_MAX_BURST_SIZE + 1,
              bool tracing = true, typename S, typename D>
    void async_write_multicast(const S &source, const D &target, uint32_t bytes, uint32_t receivers,
                               const from_t<S> &from, const rectangle_t<D> &to,
                               bool linked = false) const
    {
        const uint64_t at = noc_traits_t<D>::template dst_addr_mcast<AddressType::NOC>(target,
                                                                                       *this, to);
        if constexpr (has<options>(NocOptions::MCAST_INCL_SRC))
            noc_async_write_multicast_loopback_src(from_l1(source, from), at, bytes, receivers,
                                                   linked, id);
        else
            noc_async_write_multicast(from_l1(source, from), at, bytes, receivers, linked, id);
    }
    template <auto options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              typename D>
    void set_async_write_state(const D &target, uint32_t bytes, const to_t<D> &to,
                               const NocOptVals &values = {}) const
    {
        noc_async_write_one_packet_set_state<has<options>(NocOptions::POSTED)>(
            to_noc(target, to), bytes, id, uint8_t(values.vc));
    }
    template <auto options = NocOptions::DEFAULT, uint32_t most = NOC_MAX_BURST_SIZE + 1,
              typename S, typename D>
    void async_write_with_state(const S &source, const D &target, uint32_t, const from_t<S> &from,
                                const to_t<D> &to, const NocOptVals & = {}) const
    {
        noc_async_write_one_packet_with_state<has<options>(NocOptions::POSTED)>(
            from_l1(source, from), uint32_t(to_noc(target, to)), id);
    }
    template <auto options = NocOptions::DEFAULT, typename D>
    void inline_dw_write(const D &target, uint32_t value, const to_t<D> &to, uint8_t enabled = 0xf,
                         const NocOptVals &values = {}) const
    {
        constexpr InlineWriteDst kind = has<options>(NocOptions::INLINE_L1) ? InlineWriteDst::L1
                                        : has<options>(NocOptions::INLINE_REG)
                                            ? InlineWriteDst::REG
                                            : InlineWriteDst::DEFAULT;
        noc_inline_dw_write<kind, has<options>(NocOptions::POSTED)>(
            to_noc(target, to), value, enabled, id, uint8_t(values.vc));
    }
    // Zeros to this core's L1, or to a page of a tensor by way of `scratch`.
    template <typename D>
    void async_write_zeros(const D &target, uint32_t bytes, const to_t<D> &to = {}) const
    {
        uint32_t at = to_l1(target, to);
        for (; bytes > 0;) {
            const uint32_t piece = bytes < MEM_ZEROS_SIZE ? bytes : MEM_ZEROS_SIZE;
            noc_async_read(::get_noc_addr(MEM_ZEROS_BASE, id), at, piece, id);
            at += piece;
            bytes -= piece;
        }
    }
    template <typename D, typename Scratch>
    void async_write_zeros(const D &target, uint32_t bytes, const to_t<D> &to,
                           const Scratch &) const
    {
        uint64_t at = to_noc(target, to);
        for (; bytes > 0;) {
            const uint32_t piece = bytes < MEM_ZEROS_SIZE ? bytes : MEM_ZEROS_SIZE;
            noc_async_write(MEM_ZEROS_BASE, at, piece, id);
            at += piece;
            bytes -= piece;
        }
    }
    void write_zeros_l1_barrier() const { noc_async_read_barrier(id); }
    void write_zeros_dram_barrier() const { noc_async_write_barrier(id); }

    bool is_read_trid_flushed(uint32_t tag) const
    {
        return ncrisc_noc_read_with_transaction_id_flushed(id, tag);
    }
    template <auto options = NocOptions::DEFAULT>
    void async_read_barrier(const NocOptVals &values = {}) const
    {
        if constexpr (has<options>(NocOptions::TXN_ID))
            noc_async_read_barrier_with_trid(values.trid, id);
        else
            noc_async_read_barrier(id);
    }
    template <auto options = NocOptions::DEFAULT>
    void async_write_barrier(const NocOptVals &values = {}) const
    {
        if constexpr (has<options>(NocOptions::TXN_ID))
            noc_async_write_barrier_with_trid(values.trid, id);
        else
            noc_async_write_barrier(id);
    }
    template <auto options = NocOptions::DEFAULT>
    void async_writes_flushed(const NocOptVals &values = {}) const
    {
        if constexpr (has<options>(NocOptions::TXN_ID))
            noc_async_write_flushed_with_trid(values.trid, id);
        else if constexpr (has<options>(NocOptions::POSTED))
            noc_async_posted_writes_flushed(id);
        else
            noc_async_writes_flushed(id);
    }
    void async_atomic_barrier() const { noc_async_atomic_barrier(id); }
    void async_full_barrier() const { noc_async_full_barrier(id); }
};

#include "internal/endpoints.h"

#endif

namespace experimental {
using ::CircularBuffer;
using ::CoreLocalMem;
using ::DataflowBuffer;
using ::Lock;
#ifndef COMPILE_FOR_TRISC
using ::AllocatorBank;
using ::AllocatorBankType;
using ::CircularBufferView;
using ::MulticastEndpoint;
using ::Noc;
using ::noc_traits_t;
using ::NocOptions;
using ::Semaphore;
using ::UnicastEndpoint;
using ::use;
#endif
} // namespace experimental
