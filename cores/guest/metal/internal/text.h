// Text as a template argument: its hash is a constant.
#pragma once
#include <cstddef>
#include <cstdint>

template <size_t N> struct ts_text {
    char bytes[N];
    constexpr ts_text(const char (&from)[N])
    {
        for (size_t i = 0; i < N; i++)
            bytes[i] = from[i];
    }
};

// The id of a zone's name: the folded 32-bit FNV-1a hash of the text.
template <ts_text Text> struct ts_zone_text {
    static constexpr uint32_t id()
    {
        uint32_t hash = 2166136261u;
        for (size_t i = 0; i + 1 < sizeof Text.bytes; i++)
            hash = (hash ^ uint8_t(Text.bytes[i])) * 16777619u;
        return (hash ^ hash >> 16) & 0xffff;
    }
};
