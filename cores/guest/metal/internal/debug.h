// Prints, assertions, zones.
//
//   ASSERT(condition)          stops the core (EBREAK) if WATCHER_ENABLED or LIGHTWEIGHT_KERNEL_ASSERTS
//                              is defined; otherwise nothing
//   DeviceZoneScopedN("name")  a zone from here to the end of the scope, if PROFILE_KERNEL is defined
#pragma once
#include "internal/print.h"
#include "internal/text.h"
#include "program.h"
#include "tensix.h"
#include "zone.h"

#if defined(WATCHER_ENABLED) || defined(LIGHTWEIGHT_KERNEL_ASSERTS)
#define ASSERT(condition, ...)          \
    do {                                \
        if (!(condition))               \
            __asm__ volatile("ebreak"); \
    } while (false)
#else
#define ASSERT(condition, ...) \
    do {                       \
    } while (false)
#endif
#define LIGHTWEIGHT_ASSERT(...) ASSERT(__VA_ARGS__)
#define LLK_ASSERT(...)         ASSERT(__VA_ARGS__)
#define WAYPOINT(...)
#define PAUSE()
#define WATCHER_RING_BUFFER_PUSH(...)

#ifdef PROFILE_KERNEL
namespace kernel_profiler {
template <typename Text> inline constexpr uint32_t id_of = Text::id();
template <typename Text> struct zone_scope {
    __attribute__((always_inline)) zone_scope() { ts_zone_event(TS_ZONE_BEGIN, id_of<Text>); }
    __attribute__((always_inline)) ~zone_scope() { ts_zone_event(TS_ZONE_FINISH, id_of<Text>); }
};
template <typename Text> inline __attribute__((always_inline)) void mark()
{
    ts_zone_event(TS_ZONE_MARK, id_of<Text>);
}
// A zone by the hash of its name.
constexpr uint32_t Hash16_CT(const char *text)
{
    uint32_t hash = 2166136261u;
    while (*text)
        hash = (hash ^ uint8_t(*text++)) * 16777619u;
    return (hash ^ hash >> 16) & 0xffff;
}
template <uint32_t id> struct profileScope {
    __attribute__((always_inline)) profileScope() { ts_zone_event(TS_ZONE_BEGIN, id); }
    __attribute__((always_inline)) ~profileScope() { ts_zone_event(TS_ZONE_FINISH, id); }
};
} // namespace kernel_profiler
#define PROFILER_MSG_NAME(name) name
#define DO_PRAGMA(x)
#define TS_ZONE_STRING2(x)   #x
#define TS_ZONE_STRING(x)    TS_ZONE_STRING2(x)
#define TS_ZONE_PASTE2(a, b) a##b
#define TS_ZONE_PASTE(a, b)  TS_ZONE_PASTE2(a, b)
#define TS_ZONE_TEXT(name) \
    ts_zone_text<"LLK_PROFILER:" __FILE__ ":" TS_ZONE_STRING(__LINE__) ":" name>
// The name, in a section that is not loaded: by the assembler, because the compiler takes no section
// for a template's data.
#define TS_ZONE_NAME(name)                                          \
    __asm__ volatile(".pushsection .profiler_meta,\"\",@progbits\n" \
                     ".asciz \"LLK_PROFILER:" __FILE__              \
                     ":" TS_ZONE_STRING(__LINE__) ":" name "\"\n.popsection")
#define DeviceZoneScopedN(name) \
    TS_ZONE_NAME(name);         \
    kernel_profiler::zone_scope<TS_ZONE_TEXT(name)> TS_ZONE_PASTE(ts_zone_, __COUNTER__)
#define DeviceTimestampedData(name, data)            \
    do {                                             \
        (void)(data);                                \
        TS_ZONE_NAME(name);                          \
        kernel_profiler::mark<TS_ZONE_TEXT(name)>(); \
    } while (false)
#define DeviceRecordEvent(event_id) ts_zone_event(TS_ZONE_MARK, uint32_t(event_id) & 0xffff)
#else
#define DeviceZoneScopedN(name)
#define DeviceTimestampedData(name, data)
#define DeviceRecordEvent(event_id)
#endif
#define DeviceZoneScopedMainN(name)
#define DeviceZoneScopedMainChildN(name)
#define DeviceZoneScopedSumN1(name)
#define DeviceZoneScopedSumN2(name)
#define DeviceValidateProfiler(condition)
#define DeviceZoneSetCounter(counter)
