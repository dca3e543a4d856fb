// DPRINT: text from a kernel, as a stream (DPRINT << x << ENDL()) and by format (DPRINT("{}", x)).
//
// Each item goes to this core's print buffer, and the store to its length hands it to the simulator
// in that cycle. With printing off, nothing is evaluated and nothing is left.
#pragma once
#include "internal/text.h"
#include "program.h"

#include <type_traits>

struct BF16 {
    uint16_t bits;
    constexpr BF16(uint16_t value) : bits(value) {}
};
struct F32 {
    float value;
    constexpr F32(float from) : value(from) {}
};
struct U32 {
    uint32_t value;
    constexpr U32(uint32_t from) : value(from) {}
};
struct bf16_t {
    uint16_t bits;
    constexpr bf16_t(uint16_t value) : bits(value) {}
};
struct ENDL {};
struct HEX {};
struct DEC {};
struct OCT {};
struct FIXED {};
struct DEFAULTFLOAT {};
struct SETW {
    uint8_t width;
    constexpr SETW(int value) : width(uint8_t(value)) {}
};
struct SETPRECISION {
    uint8_t digits;
    constexpr SETPRECISION(int value) : digits(uint8_t(value)) {}
};
// What a 32-bit word of an array is printed as.
enum TypedU32_ARRAY_Format { TypedU32_ARRAY_Format_INVALID, TypedU32_ARRAY_Format_Raw };
struct U32_ARRAY {
    const uint32_t *words;
    uint32_t count;
    constexpr U32_ARRAY(const uint32_t *at, uint32_t length) : words(at), count(length) {}
};
struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws; // rows h0, h0 + hs, ... below h1; columns likewise
    static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
    static constexpr SliceRange h0_32_w1() { return {0, 32, 1, 1, 2, 1}; }
    static constexpr SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
};
#define TSLICE_RD_PTR    true
#define TSLICE_WR_PTR    false
#define TSLICE_INPUT_CB  true
#define TSLICE_OUTPUT_CB false
#define CTSTR(text)      (text)

#ifdef DEBUG_PRINT_ENABLED

// Items of one message; see "DPRINT" in README.md of the guest SDK for their letters.
struct ts_message {
    uint32_t used = 0;

    static volatile struct ts_program *block() { return (volatile struct ts_program *)TS_PROGRAM; }
    void byte(uint32_t value) { block()->print[PROCESSOR_INDEX][used++] = uint8_t(value); }
    [[gnu::noinline]] void add(char tag, uint64_t value, uint32_t bytes)
    {
        if (used + 1 + bytes > TS_PROGRAM_PRINT)
            return;
        byte(uint8_t(tag));
        for (; bytes > 0; bytes--, value >>= 8)
            byte(uint32_t(value));
    }
    [[gnu::noinline]] void add_text(const char *text)
    {
        do { // long texts go in pieces
            if (used + 3 > TS_PROGRAM_PRINT)
                send();
            byte('s');
            while (*text && used + 1 < TS_PROGRAM_PRINT)
                byte(uint8_t(*text++));
            byte(0);
        } while (*text);
    }
    void send()
    {
        block()->printed[PROCESSOR_INDEX] = used;
        used = 0;
    }

    void put(const char *text) { add_text(text); }
    void put(char *text) { add_text(text); }
    void put(char value) { add('c', uint8_t(value), 1); }
    void put(bool value) { add('b', value, 1); }
    void put(float value) { add('F', __builtin_bit_cast(uint32_t, value), 4); }
    void put(double value) { put(float(value)); }
    void put(BF16 value) { add('h', value.bits, 2); }
    void put(bf16_t value) { add('h', value.bits, 2); }
    void put(F32 item) { put(item.value); }
    void put(U32 item) { add('u', item.value, 4); }
    void put(ENDL) { add('c', '\n', 1); }
    void put(HEX) { add('H', 0, 0); }
    void put(DEC) { add('D', 0, 0); }
    void put(OCT) { add('O', 0, 0); }
    void put(FIXED) { add('X', 0, 0); }
    void put(DEFAULTFLOAT) { add('x', 0, 0); }
    void put(SETW item) { add('w', item.width, 1); }
    void put(SETPRECISION item) { add('P', item.digits, 1); }
    void put(U32_ARRAY array)
    {
        for (uint32_t i = 0; i < array.count; i++) {
            add('u', array.words[i], 4);
            add('c', ' ', 1);
            send();
        }
    }
    template <typename T> void put(const T *pointer) { add('p', uint32_t(uintptr_t(pointer)), 4); }
    template <typename T> void put(const volatile T *pointer)
    {
        add('p', uint32_t(uintptr_t(pointer)), 4);
    }
    template <typename T> void put(const T &value)
    {
        if constexpr (requires { value.print(*this); })
            value.print(*this);
        else if constexpr (std::is_enum_v<T>)
            put(static_cast<std::underlying_type_t<T>>(value));
        else if constexpr (sizeof(T) == 8)
            add(std::is_signed_v<T> ? 'I' : 'U', uint64_t(value), 8);
        else if constexpr (std::is_signed_v<T>)
            add('i', uint32_t(int32_t(value)), 4);
        else
            add('u', uint32_t(value), 4);
    }
};

struct ts_printer {
    template <typename T> const ts_printer &operator<<(const T &item) const
    {
        ts_message message;
        message.put(item);
        message.send();
        return *this;
    }
    const ts_printer &operator<<(const char *text) const
    {
        ts_message message;
        message.put(text);
        message.send();
        return *this;
    }
    template <typename... T> void operator()(const char *format, const T &...arguments) const
    {
        // What is longer than a message (a slice of a tile) goes before its line.
        auto early = [](const auto &item) {
            ts_message message;
            if constexpr (requires { item.print(message); }) {
                message.put(item);
                message.send();
            }
        };
        (early(arguments), ...);
        ts_message message;
        message.add('T', uint32_t(uintptr_t(format)), 4);
        auto late = [&](const auto &item) {
            if constexpr (requires { item.print(message); })
                message.put("");
            else
                message.put(item);
        };
        (late(arguments), ...);
        message.send();
    }
};
#define TS_PRINT_WHEN(on) \
    if (!(on)) {          \
    } else
#else
struct ts_printer {
    template <typename T> constexpr const ts_printer &operator<<(const T &) const { return *this; }
    template <typename... T> constexpr void operator()(const char *, const T &...) const {}
};
#define TS_PRINT_WHEN(on) \
    if (true) {           \
    } else
#endif

inline constexpr ts_printer ts_print;
using DebugPrinter = ts_printer;

#define DPRINT       TS_PRINT_WHEN(true) ts_print
#define DEVICE_PRINT TS_PRINT_WHEN(true) ts_print

// DPRINT_X(...) takes a format with its arguments, or a stream expression that begins with DPRINT.
// Pasting u8 to the first token tells them apart: u8"text" is still text, u8DPRINT is the stream.
#define u8DPRINT ts_print
constexpr void ts_print_any(const ts_printer &) {}
template <typename... T> inline void ts_print_any(const char8_t *format, const T &...arguments)
{
    ts_print(reinterpret_cast<const char *>(format), arguments...);
}
#if defined(COMPILE_FOR_BRISC)
#define TS_PRINTS_DATA0 true
#else
#define TS_PRINTS_DATA0 false
#endif
#if defined(COMPILE_FOR_NCRISC)
#define TS_PRINTS_DATA1 true
#else
#define TS_PRINTS_DATA1 false
#endif
#if defined(TRISC_UNPACK)
#define TS_PRINTS_UNPACK true
#else
#define TS_PRINTS_UNPACK false
#endif
#if defined(TRISC_MATH)
#define TS_PRINTS_MATH true
#else
#define TS_PRINTS_MATH false
#endif
#if defined(TRISC_PACK)
#define TS_PRINTS_PACK true
#else
#define TS_PRINTS_PACK false
#endif
// clang-format off
#define DPRINT_DATA0(first, ...) TS_PRINT_WHEN(TS_PRINTS_DATA0) ts_print_any(u8##first __VA_OPT__(, ) __VA_ARGS__)
#define DPRINT_DATA1(first, ...) TS_PRINT_WHEN(TS_PRINTS_DATA1) ts_print_any(u8##first __VA_OPT__(, ) __VA_ARGS__)
#define DPRINT_UNPACK(first, ...) TS_PRINT_WHEN(TS_PRINTS_UNPACK) ts_print_any(u8##first __VA_OPT__(, ) __VA_ARGS__)
#define DPRINT_MATH(first, ...) TS_PRINT_WHEN(TS_PRINTS_MATH) ts_print_any(u8##first __VA_OPT__(, ) __VA_ARGS__)
#define DPRINT_PACK(first, ...) TS_PRINT_WHEN(TS_PRINTS_PACK) ts_print_any(u8##first __VA_OPT__(, ) __VA_ARGS__)
// clang-format on
#define DEVICE_PRINT_DATA0  DPRINT_DATA0
#define DEVICE_PRINT_DATA1  DPRINT_DATA1
#define DEVICE_PRINT_UNPACK DPRINT_UNPACK
#define DEVICE_PRINT_MATH   DPRINT_MATH
#define DEVICE_PRINT_PACK   DPRINT_PACK
