// TensorAccessor: where the pages of a tensor are.
//
// The layout comes from compile-time arguments: flags (1 sharded, 2 in DRAM), aligned page size, and
// for sharded tensors rank, banks, shape and shard shape in pages, and the banks' coordinates, two in
// a word (x << 8 | y; in DRAM, x is the bank). Shard s lies in bank s mod banks, in slot s / banks.
#pragma once
#include "internal/address.h"

#include <tuple>

namespace tensor_accessor {
constexpr uint32_t UNKNOWN = ~0u, MAX_RANK = 8;

// A tensor of a program that names its tensors: where its layout starts among the compile-time
// arguments, and the offset of its address in the common runtime arguments, in bytes.
template <uint32_t CTA_OFFSET, uint32_t ADDR_CRTA_OFFSET> struct TensorBindingToken {
};
} // namespace tensor_accessor

template <std::size_t CTA_OFFSET, std::size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
    static constexpr uint32_t flags = get_ct_arg<CTA_OFFSET>();
    static constexpr bool is_sharded = flags & 1, is_dram = flags & 2;
    static_assert(flags < 4, "a tensor's layout must be known when the kernel is compiled");
    static constexpr uint32_t AlignedPageSize = get_ct_arg<CTA_OFFSET + 1>();
    static constexpr uint32_t word(uint32_t index)
    {
        return kernel_compile_time_args[CTA_OFFSET + index];
    }
    static constexpr uint32_t RankCT = is_sharded ? word(2) : 0,
                              NumBanksCT = is_sharded ? word(3) : 0;

    constexpr TensorAccessorArgs() = default;
    constexpr explicit TensorAccessorArgs(uint32_t) {}
    static constexpr uint32_t get_aligned_page_size() { return AlignedPageSize; }
    static constexpr uint32_t num_compile_time_args()
    {
        return is_sharded ? 4 + 2 * RankCT + (NumBanksCT + 1) / 2 : 2;
    }
    static constexpr uint32_t next_compile_time_args_offset()
    {
        return uint32_t(CTA_OFFSET) + num_compile_time_args();
    }
    static constexpr uint32_t num_common_runtime_args() { return 0; }
    static constexpr uint32_t next_common_runtime_args_offset()
    {
        return CRTA_OFFSET == tensor_accessor::UNKNOWN ? 0 : uint32_t(CRTA_OFFSET);
    }
};

namespace tensor_accessor {

// What an Args type says of a sharded tensor, as shapes and strides in pages.
template <typename Args> struct Distribution {
    static constexpr uint32_t RANK = Args::RankCT;
    using Shape = std::array<uint32_t, RANK ? RANK : 1>;
    static constexpr bool is_dram = Args::is_dram, is_interleaved = !Args::is_sharded;
    static constexpr bool has_static_rank = true, is_static = true;

    static constexpr uint32_t rank() { return RANK; }
    static constexpr uint32_t num_banks() { return Args::NumBanksCT; }
    static constexpr Shape shape_at(uint32_t first)
    {
        Shape shape{};
        for (uint32_t i = 0; i < RANK; i++)
            shape[i] = Args::word(first + i);
        return shape;
    }
    static constexpr Shape strides_of(const Shape &shape)
    {
        Shape strides{};
        uint32_t step = 1;
        for (uint32_t i = RANK; i-- > 0; step *= shape[i])
            strides[i] = step;
        return strides;
    }
    static constexpr uint32_t volume_of(const Shape &shape)
    {
        uint32_t volume = 1;
        for (uint32_t i = 0; i < RANK; i++)
            volume *= shape[i];
        return volume;
    }
    static constexpr Shape grid_of(const Shape &shape, const Shape &shard)
    {
        Shape grid{};
        for (uint32_t i = 0; i < RANK; i++)
            grid[i] = (shape[i] + shard[i] - 1) / shard[i];
        return grid;
    }
    static constexpr std::array<uint16_t, Args::NumBanksCT ? Args::NumBanksCT : 1> banks()
    {
        std::array<uint16_t, Args::NumBanksCT ? Args::NumBanksCT : 1> all{};
        for (uint32_t i = 0; i < Args::NumBanksCT; i++)
            all[i] = uint16_t(Args::word(4 + 2 * RANK + i / 2) >> 16 * (i % 2));
        return all;
    }
    static constexpr Shape tensor_shape_v = shape_at(4), shard_shape_v = shape_at(4 + RANK);
    static constexpr Shape shard_grid_v = grid_of(tensor_shape_v, shard_shape_v);
    static constexpr Shape tensor_strides_v = strides_of(tensor_shape_v);
    static constexpr Shape shard_strides_v = strides_of(shard_shape_v);
    static constexpr Shape shard_grid_strides_v = strides_of(shard_grid_v);
    static constexpr auto packed_xy_coords_v = banks();

    static constexpr const auto &tensor_shape() { return tensor_shape_v; }
    static constexpr const auto &shard_shape() { return shard_shape_v; }
    static constexpr const auto &shard_grid() { return shard_grid_v; }
    static constexpr const auto &tensor_strides() { return tensor_strides_v; }
    static constexpr const auto &shard_strides() { return shard_strides_v; }
    static constexpr const auto &shard_grid_strides() { return shard_grid_strides_v; }
    static constexpr const auto &packed_xy_coords() { return packed_xy_coords_v; }
    static constexpr uint32_t tensor_volume() { return volume_of(tensor_shape_v); }
    static constexpr uint32_t shard_volume() { return volume_of(shard_shape_v); }
    static constexpr uint32_t num_shards() { return volume_of(shard_grid_v); }
};

// One page of a walk.
struct Page {
    uint64_t address;
    uint32_t id;
    uint64_t noc_addr() const { return address; }
    uint32_t page_id() const { return id; }
};

// Pages first, first + step, ... below last; `at` finds one of them.
template <typename Accessor, bool Shard> struct PageRange {
    const Accessor &accessor;
    uint32_t shard, first, last, step;
    uint8_t noc;

    struct iterator {
        const PageRange &range;
        uint32_t at;
        Page operator*() const { return range.find(at); }
        iterator &operator++()
        {
            at += range.step;
            return *this;
        }
        iterator operator++(int)
        {
            iterator before = *this;
            ++*this;
            return before;
        }
        iterator &operator+=(uint32_t steps)
        {
            at += range.step * steps;
            return *this;
        }
        iterator operator+(uint32_t steps) const
        {
            iterator later = *this;
            return later += steps;
        }
        bool operator!=(const iterator &other) const { return at < other.at; }
        bool operator==(const iterator &other) const { return at >= other.at; }
        // it->noc_addr(): the page lives until the end of the expression.
        struct arrow {
            Page page;
            const Page *operator->() const { return &page; }
        };
        arrow operator->() const { return {**this}; }
    };
    Page find(uint32_t at) const
    {
        uint32_t id = at;
        if constexpr (Shard)
            id = accessor.page_of_shard(shard, at);
        return {accessor.get_noc_addr(id, 0, noc), id};
    }
    iterator begin() const { return {*this, first}; }
    iterator end() const { return {*this, last}; }
};
} // namespace tensor_accessor

template <typename Args> struct TensorAccessor {
    using DSpec = tensor_accessor::Distribution<Args>;
    static constexpr bool is_dram = Args::is_dram;
    uint32_t bank_base_address, page_size, aligned_page_size;

    TensorAccessor(const Args &, uint32_t address, uint32_t bytes = Args::AlignedPageSize)
        : bank_base_address(address), page_size(bytes),
          aligned_page_size(interleaved_addr_gen::get_aligned_page_size<is_dram>(bytes))
    {
    }
    template <uint32_t CTA, uint32_t CRTA>
    TensorAccessor(tensor_accessor::TensorBindingToken<CTA, CRTA>)
        : TensorAccessor(Args(), get_common_arg_val<uint32_t>(CRTA / 4))
    {
    }

    static constexpr DSpec dspec() { return {}; }
    FORCE_INLINE uint32_t get_aligned_page_size() const { return aligned_page_size; }
    FORCE_INLINE uint32_t get_bank_base_address() const { return bank_base_address; }

    struct PageMapping {
        size_t bank_id, bank_page_offset;
    };
    PageMapping get_bank_and_offset(uint32_t page) const
    {
        if constexpr (!Args::is_sharded) {
            constexpr uint32_t banks = interleaved_addr_gen::banks<is_dram>;
            return {page % banks, page / banks};
        } else {
            typename DSpec::Shape at{};
            for (uint32_t i = DSpec::RANK; i-- > 0; page /= DSpec::tensor_shape_v[i])
                at[i] = page % DSpec::tensor_shape_v[i];
            return get_bank_and_offset(at);
        }
    }
    template <typename Coordinates>
    auto get_bank_and_offset(const Coordinates &page) const -> decltype(page[0], PageMapping())
    {
        uint32_t shard = 0, within = 0;
        for (uint32_t i = 0; i < DSpec::RANK; i++) {
            shard += page[i] / DSpec::shard_shape_v[i] * DSpec::shard_grid_strides_v[i];
            within += page[i] % DSpec::shard_shape_v[i] * DSpec::shard_strides_v[i];
        }
        return {shard % DSpec::num_banks(),
                shard / DSpec::num_banks() * DSpec::shard_volume() + within};
    }
    FORCE_INLINE uint64_t bank_address(uint32_t bank, uint32_t address, uint8_t noc) const
    {
        const uint32_t xy = DSpec::packed_xy_coords_v[bank];
        if constexpr (is_dram)
            return get_noc_addr_from_bank_id<true>(xy >> 8, address, noc);
        else
            return NOC_XY_ADDR(xy >> 8, xy & 0xff, address);
    }
    FORCE_INLINE uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0,
                                       uint8_t noc = noc_index) const
    {
        if constexpr (!Args::is_sharded) {
            return interleaved_addr_gen::page<is_dram>(page, bank_base_address, aligned_page_size,
                                                       offset, noc);
        } else {
            const PageMapping at = get_bank_and_offset(page);
            return bank_address(
                at.bank_id, bank_base_address + at.bank_page_offset * aligned_page_size + offset,
                noc);
        }
    }
    template <typename Coordinates>
    auto get_noc_addr(const Coordinates &page, uint32_t offset = 0, uint8_t noc = noc_index) const
        -> decltype(page[0], uint64_t())
    {
        const PageMapping at = get_bank_and_offset(page);
        return bank_address(
            at.bank_id, bank_base_address + at.bank_page_offset * aligned_page_size + offset, noc);
    }
    FORCE_INLINE uint64_t get_shard_noc_addr(uint32_t shard, uint32_t offset = 0,
                                             uint8_t noc = noc_index) const
    {
        static_assert(Args::is_sharded, "this tensor is interleaved and has no shards");
        return bank_address(
            shard % DSpec::num_banks(),
            bank_base_address +
                shard / DSpec::num_banks() * DSpec::shard_volume() * aligned_page_size + offset,
            noc);
    }
    // Page number of the page that is `at` pages behind the start of a shard.
    uint32_t page_of_shard(uint32_t shard, uint32_t at) const
    {
        uint32_t page = 0;
        for (uint32_t i = 0; i < DSpec::RANK; i++) {
            const uint32_t where = shard / DSpec::shard_grid_strides_v[i] % DSpec::shard_grid_v[i];
            page += (where * DSpec::shard_shape_v[i] +
                     at / DSpec::shard_strides_v[i] % DSpec::shard_shape_v[i]) *
                    DSpec::tensor_strides_v[i];
        }
        return page;
    }

    FORCE_INLINE bool is_local_bank(uint32_t x, uint32_t y, uint8_t noc = noc_index) const
    {
        return x == my_x[noc] && y == my_y[noc];
    }
    FORCE_INLINE bool is_local_addr(uint64_t address, uint8_t noc = noc_index) const
    {
        return is_local_bank(NOC_UNICAST_ADDR_X(address), NOC_UNICAST_ADDR_Y(address), noc);
    }
    FORCE_INLINE bool is_local_page(uint32_t page, uint8_t noc = noc_index) const
    {
        return is_local_addr(get_noc_addr(page, 0, noc), noc);
    }
    FORCE_INLINE bool is_local_shard(uint32_t shard, uint8_t noc = noc_index) const
    {
        return is_local_addr(get_shard_noc_addr(shard, 0, noc), noc);
    }

    auto pages(uint32_t first = 0, uint32_t last = 0, uint8_t noc = noc_index) const
    {
        return tensor_accessor::PageRange<TensorAccessor, false>{
            *this, 0, first, last || !Args::is_sharded ? last : DSpec::tensor_volume(), 1, noc};
    }
    auto shard_pages(uint32_t shard, uint32_t first = 0, uint32_t last = 0,
                     uint8_t noc = noc_index) const
    {
        return tensor_accessor::PageRange<TensorAccessor, true>{
            *this, shard, first, last ? last : DSpec::shard_volume(), 1, noc};
    }
};
template <std::size_t CTA, std::size_t CRTA, typename... Rest>
TensorAccessor(const TensorAccessorArgs<CTA, CRTA> &, Rest...)
    -> TensorAccessor<TensorAccessorArgs<CTA, CRTA>>;
template <uint32_t CTA, uint32_t CRTA>
TensorAccessor(tensor_accessor::TensorBindingToken<CTA, CRTA>)
    -> TensorAccessor<TensorAccessorArgs<CTA, CRTA / 4 + 1>>;

// Several tensors whose layouts follow each other.
namespace tensor_accessor {
template <uint32_t Count, uint32_t CTA> constexpr auto args_tuple()
{
    if constexpr (Count == 0)
        return std::tuple<>();
    else
        return [&]<typename... Rest>(const std::tuple<Rest...> &) {
            return std::tuple<TensorAccessorArgs<CTA>, Rest...>();
        }(args_tuple<Count - 1, TensorAccessorArgs<CTA>::next_compile_time_args_offset()>());
}
} // namespace tensor_accessor
template <uint32_t Count, uint32_t CTA> constexpr auto make_tensor_accessor_args_tuple()
{
    return tensor_accessor::args_tuple<Count, CTA>();
}
template <typename... Args>
auto make_tensor_accessor_tuple(const std::tuple<Args...> &, uint32_t first_address)
{
    return [&]<size_t... I>(std::index_sequence<I...>)
    {
        return std::tuple<TensorAccessor<Args>...>(
            TensorAccessor<Args>(Args(), get_arg_val<uint32_t>(int(first_address + I)))...);
    }
    (std::index_sequence_for<Args...>());
}

// Any accessor behind one type.
class AbstractTensorAccessorWrapper {
    const void *accessor = nullptr;
    uint64_t (*find)(const void *, uint32_t, uint32_t, uint8_t) = nullptr;

  public:
    AbstractTensorAccessorWrapper() = default;
    template <typename Accessor>
    AbstractTensorAccessorWrapper(const Accessor &from)
        : accessor(&from), find([](const void *it, uint32_t page, uint32_t offset, uint8_t noc) {
              return static_cast<const Accessor *>(it)->get_noc_addr(page, offset, noc);
          })
    {
    }
    uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t noc = noc_index) const
    {
        return find(accessor, page, offset, noc);
    }
};
template <typename... Accessor>
auto make_abstract_tensor_accessor_wrappers(const std::tuple<Accessor...> &accessors)
{
    return [&]<size_t... I>(std::index_sequence<I...>)
    {
        return std::array<AbstractTensorAccessorWrapper, sizeof...(Accessor)>{
            AbstractTensorAccessorWrapper(std::get<I>(accessors))...};
    }
    (std::index_sequence_for<Accessor...>());
}
