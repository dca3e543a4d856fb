// An engine's part of a function of the kernel API, alone: the loop over tiles, or the function that sets it up.
//
// Source: tt-lang's llk-perf (sources/ttlang_*_perf.cpp, python_tests: 16 tiles twice, tiles of their own size behind one
// another, formats that the compiler knows), which are the low-level kernels' performance tests (tt-metal,
// tt_metal/tt-llk/tests/sources/*_perf.cpp): the timed thread does its part of each tile, the others only hand over or
// give back banks, face by face; Dst is not handed over. A zone ends when the thread's words are done; a figure is the zone
// over 32 tiles, its start included. Each function is a program of its own there, so its code lies together here.
// PROBE_SET: functions of the FPU, or a set of the SFPU's.
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

constexpr uint32_t IN = 0, OTHER = 1, OUT = 16;
constexpr uint32_t ROOM = DST_ACCUM_MODE ? 4 : 8; // tiles of half of Dst
#if defined(TRISC_UNPACK)
constexpr uint32_t ENGINE = API_UNPACK;
#elif defined(TRISC_MATH)
constexpr uint32_t ENGINE = API_MATH;
#else
constexpr uint32_t ENGINE = API_PACK;
#endif

// A zone of their profiler: an entry is the upper word of the clock and a name, then the lower word.
extern uint32_t *log;
extern uint32_t entries, reserved; // words written, and kept for ends of zones
uint32_t *log = (uint32_t *)PROBE_RESULTS;
uint32_t entries = 0, reserved = 0;
FORCE_INLINE void fence()
{
    __asm__ volatile("" : : : "memory");
}
FORCE_INLINE void entry(uint32_t name)
{
    const volatile uint32_t *clock = (const volatile uint32_t *)RISCV_WALL_CLOCK;
    const uint32_t low = clock[0], high = clock[2];
    log[entries++] = name | (high & 0xfff);
    log[entries++] = low;
}
template <typename Body> FORCE_INLINE void zone(Body body)
{
    volatile bool open = false;
    fence();
    if (__builtin_expect(1024 - (entries + reserved) >= 4,
                         0)) { // behind the function, where their compiler puts it
        open = true;
        entry(0xa5a5a000);
        reserved += 2;
    }
    fence();
    body();
    tensix_sync();
    fence();
    if (open) {
        entry(0xb5a5a000);
        reserved -= 2;
    }
    fence();
}

// What their host writes, in the core's own memory.
struct buffer {
    uint32_t base, size; // of a tile
    // As the unpacker and the packer take it.
    uint32_t operator[](uint32_t tile) const { return (base + tile * size) / 16 - 1; }
};
struct parameters {
    uint32_t engine, which, tiles, loops;
    buffer in, other, out;
    uint32_t turned, within; // faces, and each of them
    uint8_t rows, columns;   // of faces in a tile
};

// `banks`: pairs that a tile takes.
template <typename Init, typename Body>
FORCE_INLINE void measure(const parameters &p, uint32_t banks, Init init, Body body)
{
    const bool timed = p.engine == ENGINE;
    const uint32_t tiles = p.tiles, loops = p.loops;
    if (p.which == API_INIT) {
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
            for (uint32_t loop = 0; loop < loops; loop++)
#ifdef TRISC_UNPACK
                for (uint32_t tile = 0; tile < tiles; tile++)
                    body(tile, 0);
#else
                for (uint32_t first = 0; first < tiles; first += ROOM) {
                    const uint32_t room = tiles - first < ROOM ? tiles - first : ROOM;
                    for (uint32_t tile = 0; tile < room; tile++)
                        body(first + tile, tile);
                }
#endif
        });
        return;
    }
    [[maybe_unused]] const uint32_t count = loops * tiles * banks;
#ifdef TRISC_UNPACK
    if (p.engine == API_MATH)
        for (uint32_t i = 0; i < count; i++)
            compute::give_banks(true);
#endif
#ifdef TRISC_MATH
    if (p.engine == API_UNPACK && metal::to_dst(IN)) // which the math thread allows tile by tile
        for (uint32_t i = 0; i < loops * tiles; i++)
            body(i, i % ROOM);
    else if (p.engine == API_UNPACK)
        for (uint32_t i = 0; i < count; i++)
            compute::free_banks(true);
#endif
}

#if PROBE_SET == 0
template <PoolType type, ReduceDim dim>
void __attribute__((noinline, flatten)) reduction(const parameters &p)
{
    compute_kernel_hw_startup(IN, OTHER, OUT);
    measure(
        p, type == SUM && dim == REDUCE_ROW ? 1 : 4,
        [&] {
#ifdef TRISC_MATH
            if constexpr (type == SUM && dim == REDUCE_ROW) {
                metal::row_sum_init(uint8_t(p.rows * p.columns));
                return;
            }
#endif
            reduce_init<type, dim>(IN, OTHER, OUT);
        },
        [&]([[maybe_unused]] uint32_t tile, [[maybe_unused]] uint32_t dst) {
#ifdef TRISC_UNPACK
            faces::unpack_at(p.in[tile], p.other[tile]);
#else
            reduce_tile<type, dim>(IN, OTHER, tile, 0, dst);
#endif
        });
}
// init_sfpu, its parts in the order of the benchmark.
FORCE_INLINE void unary_start([[maybe_unused]] const parameters &p)
{
    MATH(copy_tile_to_dst_init_short(IN));
    metal::startup(IN, IN, OUT);
    UNPACK(copy_tile_to_dst_init_short(IN, p.turned, p.within));
}
#endif
} // namespace

// The unpacker and the packer get addresses, where the API would take them from a circular buffer.
#ifdef TRISC_UNPACK
#define API_BOTH(call) faces::unpack_at(p.in[tile], p.other[tile])
#define API_A(call)    faces::unpack_one_at(SrcA, p.in[tile])
#else
#define API_BOTH(call) call
#define API_A(call)    call
#endif
#ifdef TRISC_PACK
#define API_OUT packer::pack(dst, p.out[tile])
#else
#define API_OUT (void)0
#endif
// A face of one tile: their benchmark sets the lanes twice, and the mode of comparisons, too.
#define API_FACE(name, init, ...) API_ONE(name, 0, vec::init_lanes(); init, __VA_ARGS__)
#define API_ZERO(name, function) \
    API_FACE(name, vec::set_moves(); function##_tile_init(), function##_tile(dst, VectorMode::None))
#if PROBE_SET == 0
#define API_FUNCTIONS                                                                           \
    API_ONE(ADD, 4, add_tiles_init(IN, OTHER), API_BOTH(add_tiles(IN, OTHER, tile, tile, dst))) \
    API_ONE(SUB, 4, sub_tiles_init(IN, OTHER), API_BOTH(sub_tiles(IN, OTHER, tile, tile, dst))) \
    API_ONE(MUL, 4, mul_tiles_init(IN, OTHER), API_BOTH(mul_tiles(IN, OTHER, tile, tile, dst))) \
    API_ONE(COPY, 4, copy_tile_to_dst_init_short(IN, p.turned, p.within),                       \
            if constexpr (metal::to_dst(IN)) copy_tile(IN, tile, dst);                          \
            else API_A(copy_tile(IN, tile, dst)))                                               \
    API_ONE(PACK_TILE, 0, (void)0, API_OUT)                                                     \
    API_ONE(BINARY_START, 0, binary_op_init_common(IN, OTHER, OUT), (void)0)                    \
    API_ONE(UNARY_START, 0, unary_start(p), (void)0)
#elif PROBE_SET == 1 // a face of one tile, or two tiles
#define API_FUNCTIONS                                                                             \
    API_FACE(ACOS, acos_tile_init(), acos_tile(dst, VectorMode::None))                            \
    API_ZERO(EQZ, eqz)                                                                            \
    API_FACE(HARDSIGMOID, hardsigmoid_tile_init(), hardsigmoid_tile(dst, VectorMode::None))       \
    API_FACE(NEGATIVE, negative_tile_init(), negative_tile(dst, VectorMode::None))                \
    API_FACE(SQUARE, square_tile_init(), square_tile(dst, VectorMode::None))                      \
    API_FACE(CLAMP, clamp_tile_init(), clamp_tile(dst, 0xbf800000, 0x3f800000, VectorMode::None)) \
    API_FACE(EXP_APPROXIMATE, exp_tile_init<true>(), exp_tile<true>(dst))                         \
    API_FACE(EXP_UNCLAMPED, (exp_tile_init<true, 0x3f800000, InputClamping::None>()),             \
             exp_tile<true, false, InputClamping::None>(dst, VectorMode::None))                   \
    API_ONE(GT_BINARY, 0, gt_binary_tile_init(), gt_binary_tile(dst, (dst + 1) % ROOM, dst))
#elif PROBE_SET == 2
#define API_FUNCTIONS                                                                           \
    API_FACE(ASIN, asin_tile_init(), asin_tile(dst, VectorMode::None))                          \
    API_FACE(EXPM1, expm1_tile_init(), expm1_tile(dst, VectorMode::None))                       \
    API_ZERO(LEZ, lez)                                                                          \
    API_FACE(RSQRT, rsqrt_tile_init(), rsqrt_tile(dst, VectorMode::None))                       \
    API_FACE(TAN, tan_tile_init(), tan_tile(dst, VectorMode::None))                             \
    API_FACE(SELU, selu_tile_init(), selu_tile(dst, 0x3f867d5f, 0x3fd62d7d, VectorMode::None))  \
    API_ONE(ADD_BINARY, 0, add_binary_tile_init(), add_binary_tile(dst, (dst + 1) % ROOM, dst)) \
    API_ONE(LE_BINARY, 0, le_binary_tile_init(), le_binary_tile(dst, (dst + 1) % ROOM, dst))
#elif PROBE_SET == 3 // its power is that for a 16-bit Dst, whatever Dst is
#define API_FUNCTIONS                                                                           \
    API_FACE(ATAN, atan_tile_init(), atan_tile(dst, VectorMode::None))                          \
    API_ZERO(GEZ, gez)                                                                          \
    API_FACE(LOG1P, log1p_tile_init(), log1p_tile(dst, VectorMode::None))                       \
    API_FACE(SIGNBIT, signbit_tile_init(), signbit_tile(dst, VectorMode::None))                 \
    API_FACE(FLOOR, rounding_op_tile_init(), floor_tile(dst, VectorMode::None))                 \
    API_FACE(POWER, power_tile_init(), power_tile(dst, 0x40000000, VectorMode::None))           \
    API_ONE(BINARY_MIN, 0, binary_min_tile_init(), binary_min_tile(dst, (dst + 1) % ROOM, dst)) \
    API_ONE(POWER_BINARY, 0, power_binary_tile_init(),                                          \
            power_binary_tile_short(dst, (dst + 1) % ROOM, dst))
#elif PROBE_SET == 4
#define API_FUNCTIONS                                                             \
    API_FACE(COS, cos_tile_init(), cos_tile(dst, VectorMode::None))               \
    API_ZERO(GTZ, gtz)                                                            \
    API_ZERO(LTZ, ltz)                                                            \
    API_FACE(SIN, sin_tile_init(), sin_tile(dst, VectorMode::None))               \
    API_FACE(FRAC, rounding_op_tile_init(), frac_tile(dst, VectorMode::None))     \
    API_FACE(EXP, exp_tile_init<false>(), exp_tile<false>(dst, VectorMode::None)) \
    API_ONE(EQ_BINARY, 0, eq_binary_tile_init(), eq_binary_tile(dst, (dst + 1) % ROOM, dst))
#elif PROBE_SET == 6
#define API_TWO(name, init, function) \
    API_ONE(name, 0, init##_tile_init(), function##_tile(dst, (dst + 1) % ROOM, dst))
#define API_FUNCTIONS                                                                          \
    API_FACE(FILL, fill_tile_init(), vec::fill_with(dst, 0x40a00000, VectorMode::None))        \
    API_FACE(FILL_INT, fill_tile_init(), vec::fill_with<vec::INT32>(dst, 5, VectorMode::None)) \
    API_FACE(NOT_INT, logical_not_tile_init(),                                                 \
             logical_not_unary_tile_int32(dst, VectorMode::None))                              \
    API_TWO(ATAN2, atan2_binary, atan2_binary)                                                 \
    API_TWO(LEFT_SHIFT, binary_shift, binary_left_shift)                                       \
    API_TWO(RIGHT_SHIFT, binary_shift, binary_logical_right_shift)                             \
    API_TWO(MINIMUM_INT, binary_min_int32, binary_min_int32)                                   \
    API_TWO(XOR_INT, binary_bitwise, bitwise_xor_binary)                                       \
    API_TWO(MUL_INT, mul_int, mul_int)
#else // the other threads of these
#define API_FUNCTIONS
#endif
#define API_ONE(name, banks, init, ...)                                                           \
    static void __attribute__((noinline, flatten)) run_##name(const parameters &p)                \
    {                                                                                             \
        if constexpr (PROBE_SET == 0 && API_##name != API_BINARY_START &&                         \
                      API_##name != API_UNARY_START)                                              \
            compute_kernel_hw_startup(IN, OTHER, OUT);                                            \
        measure(                                                                                  \
            p, banks, [&] { init; },                                                              \
            [&]([[maybe_unused]] uint32_t tile, [[maybe_unused]] uint32_t dst) { __VA_ARGS__; }); \
    }
API_FUNCTIONS
#undef API_ONE
#define API_ONE(name, ...) \
    case API_##name:       \
        run_##name(p);     \
        break;

// The circular buffer that a tile which is unpacked to Dst comes from.
static void ring(uint32_t cb, const buffer &of)
{
    LocalCBInterface &it = get_local_cb_interface(cb);
    it.fifo_page_size = of.size / 16;
    it.fifo_rd_ptr = it.fifo_wr_ptr = of.base / 16;
    it.fifo_wr_tile_ptr = 0;
}

void kernel_main()
{
    constexpr uint32_t TILES = 16, size = PROBE_FORMAT == 6   ? 1088
                                          : PROBE_FORMAT == 5 ? 2048
                                                              : 4096;
    volatile parameters given = {get_arg_val<uint32_t>(API_ENGINE),
                                 get_arg_val<uint32_t>(API_ZONE),
                                 TILES,
                                 2,
                                 {PROBE_DATA + 0x1000, size},
                                 {PROBE_DATA + 0x1000 + TILES * size, size},
                                 {PROBE_DATA + 0x1000 + 2 * TILES * size, size},
                                 0,
                                 0,
                                 2,
                                 2};
    const parameters &p = const_cast<const parameters &>(given);
    ring(IN, p.in);
#if PROBE_SET != 0
    compute_kernel_hw_startup(IN, OTHER, OUT);
#endif
    switch (get_arg_val<uint32_t>(API_FUNCTION)) {
        API_FUNCTIONS
#if PROBE_SET == 0
    case API_REDUCE_COLUMN_MAX:
        reduction<MAX, REDUCE_COL>(p);
        break;
    case API_REDUCE_COLUMN_SUM:
        reduction<SUM, REDUCE_COL>(p);
        break;
    case API_REDUCE_ROW_MAX:
        reduction<MAX, REDUCE_ROW>(p);
        break;
    case API_REDUCE_ROW_SUM:
        reduction<SUM, REDUCE_ROW>(p);
        break;
    case API_REDUCE_SCALAR_MAX:
        reduction<MAX, REDUCE_SCALAR>(p);
        break;
    case API_REDUCE_SCALAR_SUM:
        reduction<SUM, REDUCE_SCALAR>(p);
        break;
#endif
    default:
        break;
    }
}
