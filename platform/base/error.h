// Failures, in categories that are exit codes; the library hands them back, only the CLI exits.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

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

// Writes behind what a text has, as far as there is room.
void ts_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

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
