// Failures, in categories that are exit codes; the library hands them back, only the CLI exits.
#pragma once

#include "platform/base/std.h"

// The exit codes of every tensim command (design.md).
enum ts_code {
    TS_OK = 0,
    TS_DIFFERS = 1,         // the workload failed or differs from its golden data
    TS_HANG = 2,            // deadlock or hang
    TS_SETUP = 3,           // file, config, port, elaboration
    TS_CONTRACT = 4,        // the guest broke the hardware contract
    TS_NOT_IMPLEMENTED = 5, // named and not modelled
    TS_LIMIT = 6,           // cycle or time limit reached
    TS_FINDINGS = 7,        // a check (--check) has found something
    TS_NO_MEMORY = 12,      // handed back by the library; the CLI exits with TS_SETUP
    TS_USAGE = 64,          // command line
    TS_BUG = 70,            // a bug of ours
    TS_SIGNAL = 128,        // + signal number
};

// The first failure wins: later ones are usually its consequences.
struct ts_error {
    enum ts_code code;
    char text[500];
};

// Records a failure unless one is there already. Returns the code that stands.
enum ts_code ts_fail(struct ts_error *error, enum ts_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The same for a function that returns whether it has done its work: false.
#define ts_refuse(...) (ts_fail(__VA_ARGS__), false)
// The same for a function that returns what it has made: NULL.
#define ts_nothing(...) (ts_fail(__VA_ARGS__), NULL)
enum ts_code ts_failv(struct ts_error *error, enum ts_code code, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

// --- texts ---

// vsnprintf of the arguments behind `format`, the last parameter with a name.
#define TS_VSNPRINTF(to, size, format)             \
    do {                                           \
        va_list ts_arguments;                      \
        va_start(ts_arguments, format);            \
        vsnprintf(to, size, format, ts_arguments); \
        va_end(ts_arguments);                      \
    } while (0)
// Writes behind what a text has, as far as there is room.
void ts_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// --- memory ---

// Where nobody can be handed an error: says it on stderr and ends the process with exit code 3. For programs, not for the library.
_Noreturn void ts_give_up(const char *text);
_Noreturn void ts_out_of_memory(const char *what);
// What an allocation returned, if it did not fail.
static inline void *ts_need(void *memory, const char *what)
{
    if (memory == NULL)
        ts_out_of_memory(what);
    return memory;
}

// Room for one element more in an array that doubles:
// `count` elements of `size` bytes are in *array, which has room for *room. False: no memory, and
// everything is as it was.
static inline bool ts_grow(void **array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 64;
    void *larger = realloc(*array, more * size);
    if (larger == NULL)
        return false;
    *array = larger;
    *room = more;
    return true;
}

static inline bool ts_grow_32(void **array, size_t count, uint32_t *room, size_t size)
{
    size_t wide = *room;
    const bool good = ts_grow(array, count, &wide, size);
    *room = (uint32_t)wide;
    return good;
}

// The same for an array of any type; `room` is a size_t or a uint32_t.
#define TS_GROW(array, count, room) \
    _Generic(&(room), size_t *      \
             : ts_grow, uint32_t *  \
             : ts_grow_32)((void **)&(array), count, &(room), sizeof *(array))
// For programs: ends the process if there is no memory for `what`.
#define TS_MORE(array, count, room, what) \
    (TS_GROW(array, count, room) ? (void)0 : ts_out_of_memory(what))
