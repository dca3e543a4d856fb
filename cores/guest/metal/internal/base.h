// What data movement and compute kernels share: attributes, formats, constants, arguments, coordinates.
//
// Names and meanings are those of tt-metal's kernel API, v0.65 to August 2026; the text is ours.
#pragma once
#include "program.h"
#include "tensix.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#define tt_l1_ptr
#define tt_reg_ptr
#define FORCE_INLINE inline __attribute__((always_inline))
#define ALWI         inline __attribute__((always_inline))
#ifndef likely
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif
using uint = unsigned int;

// --- formats and buffers ---

enum class DataFormat : uint8_t {
    Float32 = 0,
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Tf32 = 4,
    Float16_b = 5,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Int32 = 8,
    UInt16 = 9,
    Lf8 = 10,
    Fp8_e4m3 = 10,
    Bfp2 = 11,
    Int8 = 14,
    Bfp2_b = 15,
    UInt32 = 24,
    UInt8 = 30,
    RawUInt32 = 24,
    RawUInt16 = 25,
    RawUInt8 = 26,
    Invalid = 0xff
};

namespace tt {
using ::DataFormat;
// clang-format off
enum CBIndex : std::uint8_t {
    c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15,
    c_16, c_17, c_18, c_19, c_20, c_21, c_22, c_23, c_24, c_25, c_26, c_27, c_28, c_29, c_30, c_31,
    c_32, c_33, c_34, c_35, c_36, c_37, c_38, c_39, c_40, c_41, c_42, c_43, c_44, c_45, c_46, c_47,
    c_48, c_49, c_50, c_51, c_52, c_53, c_54, c_55, c_56, c_57, c_58, c_59, c_60, c_61, c_62, c_63,
    SIZE
};
enum CB : std::uint8_t {
    c_in0, c_in1, c_in2, c_in3, c_in4, c_in5, c_in6, c_in7,
    dataflow0, dataflow1, dataflow2, dataflow3, dataflow4, dataflow5, dataflow6, dataflow7,
    c_out0, c_out1, c_out2, c_out3, c_out4, c_out5, c_out6, c_out7,
    c_intermed0, c_intermed1, c_intermed2, c_intermed3, c_intermed4, c_intermed5, c_intermed6, c_intermed7
};
// clang-format on
namespace constants {
constexpr uint32_t TILE_HEIGHT = 32, TILE_WIDTH = 32, TILE_HW = 1024;
constexpr uint32_t FACE_HEIGHT = 16, FACE_WIDTH = 16, FACE_HW = 256;
} // namespace constants
namespace tt_metal {
enum class TensorMemoryLayout {
    INTERLEAVED = 0,
    HEIGHT_SHARDED = 2,
    WIDTH_SHARDED = 3,
    BLOCK_SHARDED = 4,
    ND_SHARDED = 5
};
enum class ShardOrientation { ROW_MAJOR = 0, COL_MAJOR = 1 };
enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };
} // namespace tt_metal
} // namespace tt
#ifdef COMPILE_FOR_TRISC
namespace ckernel {
using tt::constants::FACE_HEIGHT;
using tt::constants::FACE_WIDTH;
using tt::constants::TILE_HEIGHT;
using tt::constants::TILE_WIDTH;
} // namespace ckernel
#endif
constexpr uint32_t RISCV_DEBUG_REG_WALL_CLOCK_L = RISCV_WALL_CLOCK,
                   RISCV_DEBUG_REG_WALL_CLOCK_H = RISCV_WALL_CLOCK + 8;

constexpr uint32_t NUM_CIRCULAR_BUFFERS = TS_BUFFERS;
constexpr uint32_t VALID = 1, INVALID = 0;
constexpr uint32_t NUM_NOCS = 2;
constexpr uint8_t DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1;
constexpr uint32_t MEM_ZEROS_BASE = TS_PROGRAM + offsetof(struct ts_program, zeros);
constexpr uint32_t MEM_ZEROS_SIZE = TS_PROGRAM_ZEROS;
constexpr uint32_t L1_ALIGNMENT = 16, DRAM_ALIGNMENT = 64;
enum class ProgrammableCoreType { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2, DRAM = 3, COUNT = 4 };

// The coprocessor's code of a format: unsigned integers lie in registers as signed ones do.
constexpr uint32_t ts_register_code(uint32_t format)
{
    return format == 24 ? 8u : format == 25 ? 9u : format == 26 || format == 30 ? 14u : format;
}

// --- this core ---

TS_INLINE_ALWAYS volatile struct ts_program *ts_program_block(void)
{
    return (volatile struct ts_program *)TS_PROGRAM;
}

// Copied from L1 before the kernel starts (internal/setup.h).
inline uint32_t ts_runtime_args, ts_common_args;
inline uint8_t my_x[NUM_NOCS], my_y[NUM_NOCS];
inline uint8_t my_logical_x_, my_logical_y_, my_relative_x_, my_relative_y_;

inline uint8_t get_absolute_logical_x()
{
    return my_logical_x_;
}
inline uint8_t get_absolute_logical_y()
{
    return my_logical_y_;
}
inline uint8_t get_relative_logical_x()
{
    return my_relative_x_;
}
inline uint8_t get_relative_logical_y()
{
    return my_relative_y_;
}

// The NoC's coordinate of a worker by its place in the grid.
struct coord_t {
    uint32_t x, y;
};
inline coord_t get_virtual_coord_from_worker_logical_coord(uint32_t x, uint32_t y)
{
    return {ts_program_block()->columns[x], ts_program_block()->rows[y]};
}

// --- arguments ---

#ifndef KERNEL_COMPILE_TIME_ARGS
#define KERNEL_COMPILE_TIME_ARGS
#endif
template <typename... T> constexpr std::array<uint32_t, sizeof...(T)> ts_words(T... values)
{
    return {uint32_t(values)...};
}
constexpr auto kernel_compile_time_args = ts_words(KERNEL_COMPILE_TIME_ARGS);

template <uint32_t Index> constexpr uint32_t get_ct_arg()
{
    static_assert(Index < kernel_compile_time_args.size(),
                  "the program gives this kernel fewer compile-time arguments");
    return kernel_compile_time_args[Index];
}
#define get_compile_time_arg_val(index) get_ct_arg<index>()

#ifdef KERNEL_COMPILE_TIME_ARG_MAP
constexpr std::pair<std::string_view, uint32_t> ts_named_args[] = {KERNEL_COMPILE_TIME_ARG_MAP};
#else
constexpr std::array<std::pair<std::string_view, uint32_t>, 0> ts_named_args = {};
#endif
// Not constexpr: a call of it makes a constant expression invalid, and the compiler names it.
void the_program_gives_no_compile_time_argument_of_this_name();
constexpr uint32_t get_named_ct_arg(std::string_view name)
{
    for (const auto &[key, value] : ts_named_args)
        if (key == name)
            return value;
    the_program_gives_no_compile_time_argument_of_this_name();
    return 0;
}

constexpr uint32_t get_named_compile_time_arg_val(std::string_view name)
{
    return get_named_ct_arg(name);
}

FORCE_INLINE uintptr_t get_arg_addr(int index)
{
    return ts_runtime_args + 4u * uint32_t(index);
}
FORCE_INLINE uintptr_t get_common_arg_addr(int index)
{
    return ts_common_args + 4u * uint32_t(index);
}
template <typename T> FORCE_INLINE T get_arg_val(int index)
{
    static_assert(sizeof(T) == 4, "a runtime argument is a word");
    return __builtin_bit_cast(T, TS_REG(get_arg_addr(index)));
}
template <typename T> FORCE_INLINE T get_common_arg_val(int index)
{
    static_assert(sizeof(T) == 4, "a runtime argument is a word");
    return __builtin_bit_cast(T, TS_REG(get_common_arg_addr(index)));
}

// --- time and memory ---

// A fence, as the vendor's: with the caches off it only waits for the core's own loads and stores.
FORCE_INLINE void invalidate_l1_cache()
{
    __asm__ volatile("fence" : : : "memory");
}
// The data caches are off (crt0.S).
FORCE_INLINE void set_l1_data_cache(bool) {}
template <bool> FORCE_INLINE void set_l1_data_cache() {}
inline uint32_t get_timestamp_32b()
{
    return TS_REG(RISCV_WALL_CLOCK);
}
inline uint64_t get_timestamp()
{
    uint32_t low = TS_REG(RISCV_WALL_CLOCK);
    return low | uint64_t(TS_REG(RISCV_WALL_CLOCK + 8)) << 32;
}
inline void riscv_wait(uint32_t cycles)
{
    uint32_t start = get_timestamp_32b();
    while (get_timestamp_32b() - start < cycles)
        ;
}

namespace ckernel {
// A load whose value has arrived when it returns.
template <typename T> FORCE_INLINE T load_blocking(volatile T *at)
{
    static_assert(sizeof(T) <= 4, "one register");
    T value = *at;
    ts_arrived(uint32_t(value));
    return value;
}
template <typename T> FORCE_INLINE T load_blocking(const volatile T *at)
{
    return load_blocking(const_cast<volatile T *>(at));
}
} // namespace ckernel

// --- numbers ---

constexpr uint16_t NEG_INF_BFLOAT16 = 0xff80, POS_INF_BFLOAT16 = 0x7f80, NAN_BFLOAT16 = 0x7fff;
constexpr uint16_t BFLOAT16_SIGN_MASK = 0x8000;
constexpr uint32_t NEG_INF_FLOAT32 = 0xff800000, POS_INF_FLOAT32 = 0x7f800000,
                   NAN_FLOAT32 = 0x7fffffff;
constexpr uint32_t FLOAT32_SIGN_MASK = 0x80000000, FLOAT32_EXPONENT_MASK = 0x7f800000;
constexpr uint32_t FLOAT32_MANTISSA_MASK = 0x7fffff, FLOAT32_MAGNITUDE_MASK = 0x7fffffff;
constexpr int32_t NEG_INF_INT32 = INT32_MIN, POS_INF_INT32 = INT32_MAX;
constexpr uint32_t INT32_SIGN_MASK = 0x80000000;

constexpr uint16_t fp32_to_bf16_truncate(float value)
{
    return uint16_t(__builtin_bit_cast(uint32_t, value) >> 16);
}
constexpr uint16_t fp32_to_bf16(float value) // to the nearest, ties to even
{
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
constexpr float bf16_to_fp32(uint16_t bits)
{
    return __builtin_bit_cast(float, uint32_t(bits) << 16);
}
struct FloatBits {
    uint16_t high16, low16;
    explicit constexpr FloatBits(float value)
        : high16(uint16_t(__builtin_bit_cast(uint32_t, value) >> 16)),
          low16(uint16_t(__builtin_bit_cast(uint32_t, value)))
    {
    }
};
// Bit patterns in the order of their values: negative ones turned over.
template <typename T> constexpr bool ts_float_greater(T a, T b)
{
    constexpr T sign = T(T(1) << (8 * sizeof(T) - 1));
    const T x = a & sign ? T(~a) : T(a | sign), y = b & sign ? T(~b) : T(b | sign);
    return x > y;
}
constexpr bool bfloat16_greater(uint16_t a, uint16_t b)
{
    return ts_float_greater<uint16_t>(a, b);
}
constexpr bool float32_greater(uint32_t a, uint32_t b)
{
    return ts_float_greater<uint32_t>(a, b);
}
constexpr bool int32_greater(uint32_t a, uint32_t b)
{
    return int32_t(a) > int32_t(b);
}

// The names of the vendor's integer arithmetic; the compiler does the work.
constexpr uint32_t mulsi3(uint32_t a, uint32_t b)
{
    return a * b;
}
constexpr uint32_t udivsi3(uint32_t a, uint32_t b)
{
    return a / b;
}
constexpr uint32_t umodsi3(uint32_t a, uint32_t b)
{
    return a % b;
}
template <uint32_t by> constexpr uint32_t udivsi3_const_divisor(uint32_t a)
{
    return a / by;
}
template <uint32_t by> constexpr uint32_t umodsi3_const_divisor(uint32_t a)
{
    return a % by;
}
constexpr uint32_t fast_udiv_12(uint32_t a)
{
    return a / 12;
}

constexpr uint32_t align(uint32_t value, uint32_t step)
{
    return (value + step - 1) / step * step;
}
constexpr bool is_power_of_2(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}
template <typename T> constexpr T round_up_to(T value, T step)
{
    return (value + step - 1) / step * step;
}
template <uint32_t Step> constexpr uint32_t align_power_of_2(uint32_t value)
{
    return (value + Step - 1) & ~(Step - 1);
}
constexpr uint32_t align_power_of_2(uint32_t value, uint32_t step)
{
    return (value + step - 1) & ~(step - 1);
}

#include "internal/debug.h"
