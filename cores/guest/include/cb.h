// Circular buffers: tiles in L1 between two cores. On a TRISC, taking out belongs to the unpack
// thread and putting in to the pack thread; the coprocessor itself posts the new count, when the
// unpackers or the packer have finished.
#pragma once
#ifdef KERNEL_BUILD // a kernel of a program file has tt-metal's buffers
#include "internal/cb.h"
#else
#include "tensix.h"

#if defined(TRISC_UNPACK) || defined(TRISC_MATH) || defined(TRISC_PACK)
#include "ckernel.h"
#define TS_CB_TENSIX 1
#endif

namespace tt {
enum class CBIndex : uint32_t {
    c_0,
    c_1,
    c_2,
    c_3,
    c_4,
    c_5,
    c_6,
    c_7,
    c_8,
    c_9,
    c_10,
    c_11,
    c_12,
    c_13,
    c_14,
    c_15,
    c_16,
    c_17,
    c_18,
    c_19,
    c_20,
    c_21,
    c_22,
    c_23,
    c_24,
    c_25,
    c_26,
    c_27,
    c_28,
    c_29,
    c_30,
    c_31
};
} // namespace tt

// Arguments of the kernel: the firmware copies them from L1 to the core's own RAM.
#define TS_ARGS_KEPT 24
inline uint32_t kernel_args[TS_ARGS_KEPT];
inline uint32_t get_arg(unsigned index)
{
    return kernel_args[index];
}
inline void args_setup()
{
    for (unsigned i = 0; i < TS_ARGS_KEPT; i++)
        kernel_args[i] = ts_launch_block()->args[i];
}

// What this core knows of a buffer; the tile in front is `position` tiles behind the start of the
// ring.
struct cb_interface {
    uint32_t address, tiles, tile_bytes, format;
    uint32_t position;
    uint32_t count; // tiles this core has taken out or put in
    uint32_t front; // address of that tile in units of 16 bytes, minus one: as unpackers want it
    uint32_t units; // of a tile
};
// Little RAM: the math thread, which wants to know formats, looks at the launch block.
#if defined(TRISC_MATH) && TS_LOCAL_TRISC < 4096
#define TS_CB_LOOKS 1
#else
#define TS_CB_LOOKS 0
inline cb_interface cb_interfaces[TS_CBS];
#endif

// Accepts numbers and tt::CBIndex alike.
struct cb_id {
    uint32_t value;
    constexpr cb_id(uint32_t index) : value(index) {}
    constexpr cb_id(int index) : value(uint32_t(index)) {}
    constexpr cb_id(tt::CBIndex index) : value(uint32_t(index)) {}
    constexpr operator uint32_t() const { return value; }
};

#if TS_CB_LOOKS
inline volatile ts_cb_config &cb_get(cb_id cb)
{
    return ts_launch_block()->cb[cb.value];
}
#else
inline cb_interface &cb_get(cb_id cb)
{
    return cb_interfaces[cb.value];
}
#endif

inline void cb_setup()
{
    args_setup();
#if !TS_CB_LOOKS
    for (uint32_t used = ts_launch_block()->used; used; used &= used - 1) {
        unsigned i = unsigned(__builtin_ctz(used));
        volatile struct ts_cb_config *from = &ts_launch_block()->cb[i];
        uint32_t address = from->address, tiles = from->tiles, bytes = from->tile_bytes;
        uint32_t format = from->format;
        cb_interfaces[i] = {address, tiles, bytes, format, 0, 0, address / 16 - 1, bytes / 16};
    }
#endif
#if defined(TS_CB_TENSIX) && !defined(TRISC_MATH)
    ckernel::set_gpr(ckernel::p_gpr::CB_ADDRESS, (uint32_t)(uintptr_t)ts_launch_block() / 16);
    ckernel::set_gpr(ckernel::p_gpr::CB_OFFSET, 0);
    ckernel::set_gpr(ckernel::p_gpr::CB_COUNT, 0);
#endif
}

namespace cb_detail {
inline void advance(cb_interface &cb, uint32_t tiles)
{
    cb.count = (cb.count + tiles) & 0xffff;
    cb.position += tiles;
    if (cb.position >= cb.tiles)
        cb.position -= cb.tiles;
    cb.front = cb.address / 16 - 1 + cb.position * cb.units;
}

// Posts a count: by this core, or by the coprocessor once `unit` is idle.
inline void post(volatile uint32_t *word, uint32_t count, uint32_t unit)
{
#ifdef TS_CB_TENSIX
    using namespace ckernel;
    uint32_t offset = (uint32_t)(uintptr_t)word - (uint32_t)(uintptr_t)ts_launch_block();
    TT_SETDMAREG(0, count, 0, 2 * p_gpr::CB_COUNT);
    TT_SETDMAREG(0, offset, 0, 2 * p_gpr::CB_OFFSET);
    TT_STALLWAIT(p_stall::STALL_THCON, unit);
    TTI_STOREIND(1, 1, 0, 2 * p_gpr::CB_OFFSET, 0, p_gpr::CB_COUNT, p_gpr::CB_ADDRESS);
#else
    (void)unit;
    *word = count;
#endif
}

inline uint32_t written; // tiles packed since the last push
#if !TS_CB_LOOKS
inline void wait_front(cb_id cb, uint32_t tiles)
{
    uint32_t taken = cb_get(cb).count;
    while (((ts_launch_block()->received[cb] - taken) & 0xffff) < tiles)
        ts_invalidate();
}
inline void pop_front(cb_id cb, uint32_t tiles)
{
    advance(cb_get(cb), tiles);
    post(&ts_launch_block()->acked[cb], cb_get(cb).count, TS_WAIT_1 | TS_WAIT_2);
}
inline void reserve_back(cb_id cb, uint32_t tiles)
{
    const cb_interface &it = cb_get(cb);
    while (it.tiles - ((it.count - ts_launch_block()->acked[cb]) & 0xffff) < tiles)
        ts_invalidate();
}
inline void push_back(cb_id cb, uint32_t tiles)
{
    written = 0;
    advance(cb_get(cb), tiles);
    post(&ts_launch_block()->received[cb], cb_get(cb).count, TS_WAIT_3);
}
#endif
} // namespace cb_detail

#ifdef TS_CB_TENSIX
inline void cb_wait_front([[maybe_unused]] cb_id cb, [[maybe_unused]] uint32_t tiles)
{
    UNPACK(cb_detail::wait_front(cb, tiles));
}
inline void cb_pop_front([[maybe_unused]] cb_id cb, [[maybe_unused]] uint32_t tiles)
{
    UNPACK(cb_detail::pop_front(cb, tiles));
}
inline void cb_reserve_back([[maybe_unused]] cb_id cb, [[maybe_unused]] uint32_t tiles)
{
    PACK(cb_detail::reserve_back(cb, tiles));
}
inline void cb_push_back([[maybe_unused]] cb_id cb, [[maybe_unused]] uint32_t tiles)
{
    PACK(cb_detail::push_back(cb, tiles));
}
#else
inline void cb_wait_front(cb_id cb, uint32_t tiles)
{
    cb_detail::wait_front(cb, tiles);
}
inline void cb_pop_front(cb_id cb, uint32_t tiles)
{
    cb_detail::pop_front(cb, tiles);
}
inline void cb_reserve_back(cb_id cb, uint32_t tiles)
{
    cb_detail::reserve_back(cb, tiles);
}
inline void cb_push_back(cb_id cb, uint32_t tiles)
{
    cb_detail::push_back(cb, tiles);
}
#endif

#if !TS_CB_LOOKS
// L1 address of a tile counted from the front (reader's side) or back (writer's side) of the
// buffer.
inline uint32_t cb_tile_address(cb_id cb, uint32_t index)
{
    const cb_interface &it = cb_get(cb);
    uint32_t at = it.position + index;
    if (at >= it.tiles)
        at -= it.tiles;
    return it.address + at * it.tile_bytes;
}
inline uint32_t get_read_ptr(cb_id cb)
{
    return cb_tile_address(cb, 0);
}
inline uint32_t get_write_ptr(cb_id cb)
{
    return cb_tile_address(cb, 0);
}
#endif

#endif // KERNEL_BUILD
