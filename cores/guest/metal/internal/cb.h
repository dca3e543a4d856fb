// Circular buffers: pages in L1 between two cores.
//
// Each core has its own copy of the pointers and advances it with its own pushes and pops; the
// counters in L1 are what the two sides share. Addresses are bytes on a data movement core and units
// of 16 bytes on a compute thread. There, waits and pops act on the unpack thread, reserves and pushes
// on the pack thread, and the coprocessor posts the count when its unit is idle.
#pragma once
#include "internal/base.h"

#ifndef TS_CB_REGISTERS
#define TS_CB_REGISTERS 0 // the counters are words of L1
#endif

#ifdef COMPILE_FOR_TRISC
#include "ckernel.h"
constexpr uint32_t cb_addr_shift = 4;
#else
constexpr uint32_t cb_addr_shift = 0;
#endif
#include "internal/remedies.h"

struct LocalCBInterface {
    uint32_t fifo_size;
    uint32_t fifo_limit; // end of the ring
    uint32_t fifo_page_size;
    uint32_t fifo_num_pages;
    uint32_t fifo_rd_ptr;
    uint32_t fifo_wr_ptr;
    union {
        uint32_t tiles_acked_received_init; // both
        struct {
            uint16_t tiles_acked;
            uint16_t tiles_received;
        };
    };
    uint32_t fifo_wr_tile_ptr; // behind the last page packed, counted from fifo_wr_ptr
};

// Buffers that the program has, up to the highest number.
constexpr uint32_t ts_cb_count()
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < NUM_CIRCULAR_BUFFERS; i++)
        if (unpack_src_format[i] != 255)
            count = i + 1;
    return count;
}
inline LocalCBInterface cb_interface_table[ts_cb_count()];

FORCE_INLINE LocalCBInterface &get_local_cb_interface(uint32_t cb)
{
    return cb_interface_table[cb];
}

// Where the counters are: pages put in and pages taken out, modulo 2^16.
FORCE_INLINE volatile uint32_t *get_cb_tiles_received_ptr(uint32_t cb)
{
    return TS_CB_REGISTERS ? &TS_REG(TS_CB_STREAMS + TS_STREAM_SIZE + TS_CB_STEP * cb)
                           : &ts_program_block()->received[cb];
}
FORCE_INLINE volatile uint32_t *get_cb_tiles_acked_ptr(uint32_t cb)
{
    return TS_CB_REGISTERS ? &TS_REG(TS_CB_STREAMS + TS_STREAM_START + TS_CB_STEP * cb)
                           : &ts_program_block()->acked[cb];
}

inline void ts_cb_setup()
{
    const uint32_t table = ts_program_block()->cb_config;
    for (uint32_t i = 0; i < ts_cb_count(); i++) {
        if (!(ts_program_block()->cb_mask[i / 32] >> i % 32 & 1))
            continue;
        const uint32_t from = table + 16 * i;
        const uint32_t address = TS_REG(from) >> cb_addr_shift,
                       size = TS_REG(from + 4) >> cb_addr_shift;
        cb_interface_table[i] = {size,
                                 address + size,
                                 TS_REG(from + 12) >> cb_addr_shift,
                                 TS_REG(from + 8),
                                 address,
                                 address,
                                 {0},
                                 0};
    }
#if defined(TRISC_UNPACK) || defined(TRISC_PACK)
    ckernel::set_gpr(ckernel::p_gpr::CB_ADDRESS, TS_PROGRAM / 16);
    ckernel::set_gpr(ckernel::p_gpr::CB_OFFSET, 0);
    ckernel::set_gpr(ckernel::p_gpr::CB_COUNT, 0);
#endif
}

// --- descriptors of the format ---

constexpr int32_t get_tile_size(int32_t cb)
{
    return unpack_tile_size[cb];
}
constexpr uint32_t get_tile_hw(int32_t cb)
{
    return uint32_t(unpack_tile_r_dim[cb]) * unpack_tile_c_dim[cb];
}
constexpr uint32_t get_tile_num_faces(int32_t cb)
{
    return unpack_tile_num_faces[cb];
}
constexpr DataFormat get_dataformat(int32_t cb)
{
    return DataFormat(unpack_src_format[cb]);
}

// --- pages ---

namespace ts_cb {
// Forward by whole pages; a push or pop may end at the limit, not cross it.
FORCE_INLINE uint32_t forward(const LocalCBInterface &it, uint32_t at, uint32_t pages)
{
    at += pages * it.fifo_page_size;
    return at >= it.fifo_limit ? at - it.fifo_size : at;
}
FORCE_INLINE uint32_t pages_in(volatile uint32_t *received, uint32_t acked)
{
    return (*received - acked) & 0xffff;
}

#ifdef COMPILE_FOR_TRISC
// The coprocessor stores the count as soon as `unit` is idle.
FORCE_INLINE void post(volatile uint32_t *word, uint32_t count, uint32_t unit)
{
    using namespace ckernel;
    const uint32_t offset = uint32_t(uintptr_t(word)) - TS_PROGRAM;
    TT_SETDMAREG(0, count, 0, 2 * p_gpr::CB_COUNT);
    if constexpr (TS_CB_REGISTERS) {
        TT_STALLWAIT(p_stall::STALL_THCON, unit);
        TT_STOREREG(p_gpr::CB_COUNT, uint32_t(uintptr_t(word)) >> 2 & 0x3ffff);
        return;
    }
    TT_SETDMAREG(0, offset, 0, 2 * p_gpr::CB_OFFSET);
    TT_STALLWAIT(p_stall::STALL_THCON, unit);
    TTI_STOREIND(1, 1, 0, 2 * p_gpr::CB_OFFSET, 0, p_gpr::CB_COUNT, p_gpr::CB_ADDRESS);
}
inline void wait_front(uint32_t cb, uint32_t pages)
{
    const uint32_t acked = get_local_cb_interface(cb).tiles_acked;
    while (pages_in(get_cb_tiles_received_ptr(cb), acked) < pages)
        ts_invalidate();
}
#if defined(MM_STAGGER_TYPE) && defined(TRISC_UNPACK)
// As the vendor's library delays odd rows on Wormhole: behind the wait for the second operand, the first time, every time or
// every 20th time.
inline uint32_t stagger_turn;
FORCE_INLINE void stagger(uint32_t cb)
{
    if (__builtin_constant_p(cb) && cb != 1)
        return;
    TS_REMEDY_MARK("stagger");
    if (cb != 1)
        return;
    const uint32_t turn = stagger_turn++;
    if (MM_STAGGER_TYPE == 1 ? turn != 0 : MM_STAGGER_TYPE == 3 && turn % 20 != 0)
        return;
    if ((TS_STAGGER_COLUMNS ? ts_program_block()->logical_x : ts_program_block()->logical_y) & 1) {
        const uint32_t from = TS_REG(RISCV_WALL_CLOCK);
        while (TS_REG(RISCV_WALL_CLOCK) - from < MM_STAGGER_VALUE)
            ;
    }
}
#endif
inline void pop_front(uint32_t cb, uint32_t pages)
{
    LocalCBInterface &it = get_local_cb_interface(cb);
    it.tiles_acked = uint16_t(it.tiles_acked + pages);
    post(get_cb_tiles_acked_ptr(cb), it.tiles_acked, TS_WAIT_1 | TS_WAIT_2);
    it.fifo_rd_ptr = forward(it, it.fifo_rd_ptr, pages);
}
inline void reserve_back(uint32_t cb, uint32_t pages)
{
    const LocalCBInterface &it = get_local_cb_interface(cb);
    volatile uint32_t *acked = get_cb_tiles_acked_ptr(cb);
    while (it.fifo_num_pages - ((it.tiles_received - *acked) & 0xffff) < pages)
        ts_invalidate();
}
inline void push_back(uint32_t cb, uint32_t pages)
{
    LocalCBInterface &it = get_local_cb_interface(cb);
    it.tiles_received = uint16_t(it.tiles_received + pages);
    post(get_cb_tiles_received_ptr(cb), it.tiles_received, TS_WAIT_3);
    it.fifo_wr_ptr = forward(it, it.fifo_wr_ptr, pages);
    it.fifo_wr_tile_ptr = 0;
}
#endif
} // namespace ts_cb

#ifdef COMPILE_FOR_TRISC

inline void cb_wait_front([[maybe_unused]] uint32_t cb, [[maybe_unused]] uint32_t pages)
{
    UNPACK(ts_cb::wait_front(cb, pages));
#if defined(MM_STAGGER_TYPE) && defined(TRISC_UNPACK)
    ts_cb::stagger(cb);
#endif
}
inline void cb_pop_front([[maybe_unused]] uint32_t cb, [[maybe_unused]] uint32_t pages)
{
    UNPACK(ts_cb::pop_front(cb, pages));
}
inline void cb_reserve_back([[maybe_unused]] uint32_t cb, [[maybe_unused]] uint32_t pages)
{
    PACK(ts_cb::reserve_back(cb, pages));
}
inline void cb_push_back([[maybe_unused]] uint32_t cb, [[maybe_unused]] uint32_t pages)
{
    PACK(ts_cb::push_back(cb, pages));
}

// What the low-level kernels of this SDK (llk_matmul.h, llk_tiles.h) want to know of a buffer.
using cb_id = uint32_t;
struct cb_interface {
    uint32_t front, units; // address of the page in front, minus one; length of a page
};
FORCE_INLINE cb_interface cb_get(cb_id cb)
{
    const LocalCBInterface &it = get_local_cb_interface(cb);
    return {it.fifo_rd_ptr - 1, it.fifo_page_size};
}

#else

FORCE_INLINE void cb_push_back(int32_t cb, int32_t pages)
{
    LocalCBInterface &it = get_local_cb_interface(uint32_t(cb));
    *get_cb_tiles_received_ptr(uint32_t(cb)) += uint32_t(pages);
    it.fifo_wr_ptr = ts_cb::forward(it, it.fifo_wr_ptr, uint32_t(pages));
}
FORCE_INLINE void cb_pop_front(int32_t cb, int32_t pages)
{
    LocalCBInterface &it = get_local_cb_interface(uint32_t(cb));
    *get_cb_tiles_acked_ptr(uint32_t(cb)) += uint32_t(pages);
    it.fifo_rd_ptr = ts_cb::forward(it, it.fifo_rd_ptr, uint32_t(pages));
}
FORCE_INLINE bool cb_pages_reservable_at_back(int32_t cb, int32_t pages)
{
    const uint32_t used = ts_cb::pages_in(get_cb_tiles_received_ptr(uint32_t(cb)),
                                          *get_cb_tiles_acked_ptr(uint32_t(cb)));
    return get_local_cb_interface(uint32_t(cb)).fifo_num_pages - used >= uint32_t(pages);
}
FORCE_INLINE bool cb_pages_available_at_front(int32_t cb, int32_t pages)
{
    return ts_cb::pages_in(get_cb_tiles_received_ptr(uint32_t(cb)),
                           *get_cb_tiles_acked_ptr(uint32_t(cb))) >= uint32_t(pages);
}
FORCE_INLINE void cb_reserve_back(int32_t cb, int32_t pages)
{
    const uint32_t received = *get_cb_tiles_received_ptr(uint32_t(cb));
    const uint32_t room = get_local_cb_interface(uint32_t(cb)).fifo_num_pages;
    volatile uint32_t *acked = get_cb_tiles_acked_ptr(uint32_t(cb));
    while (room - ((received - *acked) & 0xffff) < uint32_t(pages))
        ts_invalidate();
}
FORCE_INLINE void cb_wait_front(int32_t cb, int32_t pages)
{
    const uint32_t acked = *get_cb_tiles_acked_ptr(uint32_t(cb));
    volatile uint32_t *received = get_cb_tiles_received_ptr(uint32_t(cb));
    while (ts_cb::pages_in(received, acked) < uint32_t(pages))
        ts_invalidate();
}
FORCE_INLINE uint32_t get_write_ptr(uint32_t cb)
{
    return get_local_cb_interface(cb).fifo_wr_ptr;
}
FORCE_INLINE uint32_t get_read_ptr(uint32_t cb)
{
    return get_local_cb_interface(cb).fifo_rd_ptr;
}

#endif

#include "internal/print_tile.h"
