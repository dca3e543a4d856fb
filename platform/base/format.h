// The arguments of a function behind its format, as text.
#pragma once

#include <stdarg.h>
#include <stdio.h>

// vsnprintf of the arguments behind `format`, the last parameter with a name.
#define TS_FORMAT(to, size, format)                \
    do {                                           \
        va_list ts_arguments;                      \
        va_start(ts_arguments, format);            \
        vsnprintf(to, size, format, ts_arguments); \
        va_end(ts_arguments);                      \
    } while (0)
