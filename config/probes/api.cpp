// An engine's part of a function of the kernel API, alone: the loop over tiles, or the function that sets it up.
//
// Source: the low-level kernels' performance tests (tt-metal, tt_metal/tt-llk/tests/sources/*_perf.cpp), whose loops are these:
// the timed thread does its part of each tile, the others only hand over or give back banks, face by face; Dst is not
// handed over. A zone ends when the thread's words are done. PROBE_SET: functions of the FPU, or a set of the SFPU's.
//
// Arguments: API_... of probe.h. Results: two entries of two words, the second one the lower word of the clock.
#include "probe.h"
#if PROBE_SET == 0
#include "internal/compute_tiles.h"
#include "internal/reduce.h"
#else
#include "internal/compute_all.h"
#endif
#include "isolate.h"

namespace {

constexpr uint32_t IN = 0, OTHER = 1, OUT = 16, ROUNDS = 4, TILES = 16;
constexpr uint32_t ROOM = DST_ACCUM_MODE ? 4 : 8; // tiles of half of Dst
#if defined(TRISC_UNPACK)
constexpr uint32_t ENGINE = API_UNPACK;
#elif defined(TRISC_MATH)
constexpr uint32_t ENGINE = API_MATH;
#else
constexpr uint32_t ENGINE = API_PACK;
#endif

// A zone of their profiler: an entry is the upper word of the clock and a name, then the lower word.
struct entries {
    uint32_t index, open;
};
extern entries taken;
entries taken = {0, 0};
FORCE_INLINE void entry(uint32_t name)
{
    volatile uint32_t *results = (volatile uint32_t *)PROBE_RESULTS;
    const volatile uint32_t *clock = (const volatile uint32_t *)RISCV_WALL_CLOCK;
    const uint32_t low = clock[0], high = clock[1];
    results[taken.index++] = name | (high & 0xfff);
    results[taken.index++] = low;
}
template <typename Body> FORCE_INLINE void zone(Body body)
{
    if (taken.index + taken.open < 1020) {
        entry(0xa5a5a000);
        taken.open += 2;
    }
    __asm__ volatile("" : : : "memory");
    body();
    tensix_sync();
    entry(0xb5a5a000);
    taken.open -= 2;
}

// `banks`: pairs that a tile takes.
template <typename Init, typename Body> void measure(uint32_t banks, Init init, Body body)
{
    const uint32_t engine = get_arg_val<uint32_t>(API_ENGINE);
    const bool timed = engine == ENGINE;
    if (get_arg_val<uint32_t>(API_ZONE) == API_INIT) {
        if (timed)
            zone(init);
        else
            init();
        return;
    }
    init();
    tensix_sync();
    if (timed) {
        zone([&] {
            for (uint32_t round = 0; round < ROUNDS; round++)
                for (uint32_t first = 0; first < TILES; first += ROOM)
                    for (uint32_t tile = 0; tile < ROOM; tile++)
                        body(first + tile, tile);
        });
        return;
    }
#ifdef TRISC_UNPACK
    if (engine == API_MATH)
        for (uint32_t i = 0; i < ROUNDS * TILES * banks; i++)
            compute::give_banks(true);
#endif
#ifdef TRISC_MATH
    if (engine == API_UNPACK && metal::to_dst(IN)) // which the math thread allows tile by tile
        for (uint32_t i = 0; i < ROUNDS * TILES; i++)
            body(i, i % ROOM);
    else if (engine == API_UNPACK)
        for (uint32_t i = 0; i < ROUNDS * TILES * banks; i++)
            compute::free_banks(true);
#endif
}
void buffer(uint32_t cb, uint32_t place)
{
    LocalCBInterface &it = get_local_cb_interface(cb);
    it.fifo_page_size = 256;
    it.fifo_rd_ptr = it.fifo_wr_ptr = place >> 4;
    it.fifo_wr_tile_ptr = 0;
}

// The place of a tile, as the tests give it to the unpacker.
inline uint32_t place(uint32_t cb, uint32_t tile)
{
    return (PROBE_DATA + cb * 0x10000 + tile % TILES * 4096) / 16 - 1;
}

template <PoolType type, ReduceDim dim> void reduction()
{
    measure(
        type == SUM && dim == REDUCE_ROW ? 1 : 4, [] { reduce_init<type, dim>(IN, OTHER, OUT); },
        []([[maybe_unused]] uint32_t tile, [[maybe_unused]] uint32_t dst) {
#ifdef TRISC_UNPACK
            faces::unpack_at(place(IN, tile), place(OTHER, 0));
#else
            reduce_tile<type, dim>(IN, OTHER, tile, 0, dst);
#endif
        });
}
} // namespace

// The unpacker gets addresses, where the API would take them from a circular buffer.
#ifdef TRISC_UNPACK
#define API_BOTH(call) faces::unpack_at(place(IN, tile), place(OTHER, tile))
#define API_A(call)    faces::unpack_one_at(SrcA, place(IN, tile))
#else
#define API_BOTH(call) call
#define API_A(call)    call
#endif
#define API_ONE(name, banks, init, ...)                                                          \
    case API_##name:                                                                             \
        measure(                                                                                 \
            banks, [] { init; },                                                                 \
            []([[maybe_unused]] uint32_t tile, [[maybe_unused]] uint32_t dst) { __VA_ARGS__; }); \
        break;

void kernel_main()
{
    buffer(IN, PROBE_DATA);
    buffer(OTHER, PROBE_DATA + 0x10000);
    buffer(OUT, PROBE_DATA + 0x20000);
    const uint32_t which = get_arg_val<uint32_t>(API_FUNCTION);
    compute_kernel_hw_startup(IN, OTHER, OUT);
    switch (which) {
#if PROBE_SET == 0
        API_ONE(ADD, 4, add_tiles_init(IN, OTHER), API_BOTH(add_tiles(IN, OTHER, tile, tile, dst)))
        API_ONE(SUB, 4, sub_tiles_init(IN, OTHER), API_BOTH(sub_tiles(IN, OTHER, tile, tile, dst)))
        API_ONE(MUL, 4, mul_tiles_init(IN, OTHER), API_BOTH(mul_tiles(IN, OTHER, tile, tile, dst)))
        API_ONE(COPY, 4, copy_tile_init(IN),
                if constexpr (metal::to_dst(IN)) copy_tile(IN, tile, dst);
                else API_A(copy_tile(IN, tile, dst)))
        API_ONE(PACK_TILE, 0, (void)0, pack_tile<true>(dst, OUT, tile))
        API_ONE(BINARY_START, 0, binary_op_init_common(IN, OTHER, OUT), (void)0)
        API_ONE(UNARY_START, 0, init_sfpu(IN, OUT), (void)0)
    case API_REDUCE_COLUMN_MAX:
        reduction<MAX, REDUCE_COL>();
        break;
    case API_REDUCE_COLUMN_SUM:
        reduction<SUM, REDUCE_COL>();
        break;
    case API_REDUCE_ROW_MAX:
        reduction<MAX, REDUCE_ROW>();
        break;
    case API_REDUCE_ROW_SUM:
        reduction<SUM, REDUCE_ROW>();
        break;
    case API_REDUCE_SCALAR_MAX:
        reduction<MAX, REDUCE_SCALAR>();
        break;
    case API_REDUCE_SCALAR_SUM:
        reduction<SUM, REDUCE_SCALAR>();
        break;
#endif
    default:
        break;
    }
}
