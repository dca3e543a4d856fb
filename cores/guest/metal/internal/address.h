// Addresses on the NoC: cores, rectangles, banks, and the interleaved address generators.
#pragma once
#include "internal/cb.h"
#include "internal/noc_registers.h"

// Copied from L1 before the kernel starts. Static, so that the compiler drops a table, and the copy, that
// the kernel does not use.
static uint16_t dram_bank_to_noc_xy[NUM_NOCS][NUM_DRAM_BANKS];
static uint16_t l1_bank_to_noc_xy[NUM_NOCS][NUM_L1_BANKS];

FORCE_INLINE uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address,
                                   uint8_t noc = noc_index)
{
    (void)noc;
    return NOC_XY_ADDR(x, y, address);
}
FORCE_INLINE uint64_t get_noc_addr(uint32_t address, uint8_t noc = noc_index)
{
    return NOC_XY_ADDR(my_x[noc], my_y[noc], address);
}
FORCE_INLINE uint64_t get_noc_addr_helper(uint32_t xy, uint32_t address)
{
    return uint64_t(xy) << NOC_ADDR_LOCAL_BITS | address;
}
FORCE_INLINE uint64_t get_noc_multicast_addr(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                                             uint32_t address, uint8_t noc = noc_index)
{
    (void)noc;
    return NOC_MULTICAST_ADDR(x0, y0, x1, y1, address);
}

namespace interleaved_addr_gen {
template <bool DRAM> constexpr uint32_t banks = DRAM ? NUM_DRAM_BANKS : NUM_L1_BANKS;
template <bool DRAM> constexpr uint32_t alignment = DRAM ? DRAM_ALIGNMENT : L1_ALIGNMENT;

template <bool DRAM> FORCE_INLINE uint32_t get_bank_offset_index(uint32_t id)
{
    return id / banks<DRAM>;
}
template <bool DRAM> FORCE_INLINE uint32_t get_bank_index(uint32_t id, uint32_t row)
{
    return id - row * banks<DRAM>;
}
template <bool DRAM> FORCE_INLINE uint32_t get_noc_xy(uint32_t bank, uint8_t noc = noc_index)
{
    return DRAM ? dram_bank_to_noc_xy[noc][bank] : l1_bank_to_noc_xy[noc][bank];
}
// Banks that share a DRAM tile lie one after the other in its addresses.
#ifndef TS_DRAM_PARTS
#define TS_DRAM_PARTS      1
#define TS_DRAM_PART_BYTES 0
#endif
template <bool DRAM> FORCE_INLINE uint32_t get_bank_offset(uint32_t bank)
{
    return DRAM ? bank % TS_DRAM_PARTS * TS_DRAM_PART_BYTES : 0;
}
// The same as the tables of the vendor's firmware.
template <bool DRAM> struct offsets {
    FORCE_INLINE int32_t operator[](uint32_t bank) const
    {
        return int32_t(get_bank_offset<DRAM>(bank));
    }
};
template <bool DRAM> constexpr uint32_t get_allocator_alignment()
{
    return alignment<DRAM>;
}
template <bool DRAM> constexpr uint32_t get_aligned_page_size(uint32_t page_size)
{
    return align_power_of_2(page_size, alignment<DRAM>);
}
// Page `id` of pages that lie `aligned` bytes apart in their banks.
template <bool DRAM>
FORCE_INLINE uint64_t page(uint32_t id, uint32_t base, uint32_t aligned, uint32_t offset,
                           uint8_t noc)
{
    const uint32_t row = get_bank_offset_index<DRAM>(id), bank = get_bank_index<DRAM>(id, row);
    return get_noc_addr_helper(get_noc_xy<DRAM>(bank, noc),
                               get_bank_offset<DRAM>(bank) + base + row * aligned + offset);
}
} // namespace interleaved_addr_gen
constexpr interleaved_addr_gen::offsets<true> bank_to_dram_offset{};
constexpr interleaved_addr_gen::offsets<false> bank_to_l1_offset{};

constexpr uint32_t ts_tile_bytes(DataFormat format, uint32_t elements = 1024)
{
    switch (format) {
    case DataFormat::Float32:
    case DataFormat::Int32:
    case DataFormat::UInt32:
    case DataFormat::Tf32:
        return 4 * elements;
    case DataFormat::Float16:
    case DataFormat::Float16_b:
    case DataFormat::UInt16:
    case DataFormat::RawUInt16:
        return 2 * elements;
    case DataFormat::Bfp4:
    case DataFormat::Bfp4_b:
        return elements / 2 + elements / 16;
    case DataFormat::Bfp2:
    case DataFormat::Bfp2_b:
        return elements / 4 + elements / 16;
    case DataFormat::Bfp8:
    case DataFormat::Bfp8_b:
        return elements + elements / 16;
    default:
        return elements;
    }
}
template <uint32_t tile_hw = 1024>
constexpr uint32_t MUL_WITH_TILE_SIZE(uint32_t format, uint32_t index)
{
    return index * ts_tile_bytes(DataFormat(format), tile_hw);
}

template <bool DRAM> struct InterleavedAddrGen {
    uint32_t bank_base_address;
    uint32_t page_size;
    const uint32_t aligned_page_size = interleaved_addr_gen::get_aligned_page_size<DRAM>(page_size);

    FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0,
                                       uint8_t noc = noc_index) const
    {
        return interleaved_addr_gen::page<DRAM>(id, bank_base_address, aligned_page_size, offset,
                                                noc);
    }
    FORCE_INLINE uint32_t get_aligned_page_size() const { return aligned_page_size; }
};
template <bool DRAM> struct InterleavedPow2AddrGen {
    const uint32_t bank_base_address;
    const uint32_t log_base_2_of_page_size;
    const uint32_t aligned_log_base_2_of_page_size = log_base_2_of_page_size > (DRAM ? 6 : 4)
                                                         ? log_base_2_of_page_size
                                                         : (DRAM ? 6 : 4);

    FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0,
                                       uint8_t noc = noc_index) const
    {
        return interleaved_addr_gen::page<DRAM>(id, bank_base_address,
                                                1u << aligned_log_base_2_of_page_size, offset, noc);
    }
    FORCE_INLINE uint32_t get_aligned_page_size() const
    {
        return 1u << aligned_log_base_2_of_page_size;
    }
};
template <bool DRAM> struct InterleavedPow2AddrGenFast : InterleavedPow2AddrGen<DRAM> {
};
template <bool DRAM, uint32_t tile_hw = 1024> struct InterleavedAddrGenFast {
    uint32_t bank_base_address;
    uint32_t page_size = 0; // the tile of the format counts, not this
    DataFormat data_format = DataFormat::Float16_b;

    FORCE_INLINE uint32_t get_aligned_page_size() const
    {
        return ts_tile_bytes(data_format, tile_hw);
    }
    FORCE_INLINE uint64_t get_noc_addr(uint32_t id, uint32_t offset = 0,
                                       uint8_t noc = noc_index) const
    {
        return interleaved_addr_gen::page<DRAM>(id, bank_base_address, get_aligned_page_size(),
                                                offset, noc);
    }
};
// What can be asked of an accessor or address generator.
template <typename T> inline constexpr bool has_get_aligned_page_size_v = requires(const T &it)
{
    it.get_aligned_page_size();
};
template <bool DRAM, uint32_t page_size> FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base)
{
    return InterleavedAddrGen<DRAM>{.bank_base_address = base, .page_size = page_size};
}
template <bool DRAM, bool pow2>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base, uint32_t size)
{
    if constexpr (pow2)
        return InterleavedPow2AddrGen<DRAM>{.bank_base_address = base,
                                            .log_base_2_of_page_size = size};
    else
        return InterleavedAddrGen<DRAM>{.bank_base_address = base, .page_size = size};
}
template <bool DRAM, bool pow2>
FORCE_INLINE auto get_interleaved_addr_gen(uint32_t base, uint32_t size, uint32_t log2_size)
{
    return get_interleaved_addr_gen<DRAM, pow2>(base, pow2 ? log2_size : size);
}

// A page by any generator.
template <typename AddrGen>
FORCE_INLINE auto get_noc_addr(uint32_t id, const AddrGen &generator, uint32_t offset = 0,
                               uint8_t noc = noc_index)
    -> decltype(generator.get_noc_addr(id, offset, noc))
{
    return generator.get_noc_addr(id, offset, noc);
}
template <bool DRAM>
FORCE_INLINE uint64_t get_noc_addr_from_bank_id(uint32_t bank, uint32_t address,
                                                uint8_t noc = noc_index)
{
    return get_noc_addr_helper(interleaved_addr_gen::get_noc_xy<DRAM>(bank, noc),
                               interleaved_addr_gen::get_bank_offset<DRAM>(bank) + address);
}
FORCE_INLINE uint64_t get_dram_noc_addr(uint32_t id, uint32_t page_size, uint32_t base,
                                        uint32_t offset = 0, uint8_t noc = noc_index)
{
    return interleaved_addr_gen::page<true>(
        id, base, interleaved_addr_gen::get_aligned_page_size<true>(page_size), offset, noc);
}
FORCE_INLINE uint64_t get_l1_noc_addr(uint32_t id, uint32_t page_size, uint32_t base,
                                      uint32_t offset = 0, uint8_t noc = noc_index)
{
    return interleaved_addr_gen::page<false>(
        id, base, interleaved_addr_gen::get_aligned_page_size<false>(page_size), offset, noc);
}
