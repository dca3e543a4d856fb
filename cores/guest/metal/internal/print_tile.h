// TileSlice: some elements of a tile in a circular buffer, as DPRINT shows them.
#pragma once
#include "internal/base.h"

#define CB_RD_PTR(cb)     (get_local_cb_interface(cb).fifo_rd_ptr << cb_addr_shift)
#define CB_WR_PTR(cb)     (get_local_cb_interface(cb).fifo_wr_ptr << cb_addr_shift)
#define CB_RD_SZ(cb)      (get_local_cb_interface(cb).fifo_size << cb_addr_shift)
#define CB_PAGE_SIZE(cb)  (get_local_cb_interface(cb).fifo_page_size << cb_addr_shift)
#define CB_PAGE_COUNT(cb) (get_local_cb_interface(cb).fifo_num_pages)

template <int Most = 64> struct TileSlice {
    uint32_t address, format;
    SliceRange range;
    bool lines, untilize;

    // On a data movement core the caller says which side of the buffer it means.
#ifdef COMPILE_FOR_TRISC
    TileSlice(uint8_t cb, int tile, const SliceRange &slice, bool line_ends = true,
              bool untilized = true)
        : format(unpack_src_format[cb]), range(slice), lines(line_ends), untilize(untilized)
    {
#ifdef TRISC_PACK
        address = CB_WR_PTR(cb) + uint32_t(tile) * pack_tile_size[cb];
        format = pack_dst_format[cb];
#else
        address = CB_RD_PTR(cb) + uint32_t(tile) * unpack_tile_size[cb];
#endif
    }
#else
    TileSlice(uint8_t cb, int tile, const SliceRange &slice, bool input, bool read = TSLICE_RD_PTR,
              bool line_ends = true, bool untilized = true)
        : address((read ? CB_RD_PTR(cb) : CB_WR_PTR(cb)) + uint32_t(tile) * unpack_tile_size[cb]),
          format(input ? unpack_src_format[cb] : pack_dst_format[cb]), range(slice),
          lines(line_ends), untilize(untilized)
    {
    }
#endif

#ifdef DEBUG_PRINT_ENABLED
    void print_one(ts_message &to, uint32_t index) const
    {
        switch (DataFormat(format)) {
        case DataFormat::Float32:
            to.put(F32(__builtin_bit_cast(float, TS_REG(address + 4 * index))));
            break;
        case DataFormat::Float16_b:
            to.put(BF16(*(volatile uint16_t *)(address + 2 * index)));
            break;
        case DataFormat::Int32:
            to.put(int32_t(TS_REG(address + 4 * index)));
            break;
        case DataFormat::UInt16:
            to.put(uint32_t(*(volatile uint16_t *)(address + 2 * index)));
            break;
        case DataFormat::UInt8:
        case DataFormat::Int8:
            to.put(uint32_t(*(volatile uint8_t *)(address + index)));
            break;
        case DataFormat::Bfp8_b: {
            uint32_t exponent = *(volatile uint8_t *)(address + index / 16);
            uint32_t datum = *(volatile uint8_t *)(address + 64 + index), mantissa = datum & 0x7f;
            uint32_t bits = 0;
            if (mantissa) {
                uint32_t shift = uint32_t(__builtin_clz(mantissa)) - 25;
                bits = (exponent - shift) << 23 | (mantissa << shift & 0x3f) << 17;
            }
            to.put(F32(__builtin_bit_cast(float, bits | datum >> 7 << 31)));
            break;
        }
        default:
            to.put(TS_REG(address + 4 * index));
        }
    }
    void print(ts_message &to) const
    {
        for (uint32_t h = range.h0; h < range.h1; h += range.hs) {
            for (uint32_t w = range.w0; w < range.w1; w += range.ws) {
                uint32_t face = h / 16 * 2 + w / 16;
                print_one(to, untilize ? face * 256 + h % 16 * 16 + w % 16 : h * 32 + w);
                to.put(' ');
                to.send();
            }
            if (lines)
                to.put('\n');
        }
    }
#endif
};
using TSLICE = TileSlice<64>;
