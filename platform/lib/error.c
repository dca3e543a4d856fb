// Returns failures to the caller.
#include "platform/lib/inside.h"

// One list of numbers for both.
_Static_assert((int)TENSIM_DIFFERS == TS_DIFFERS && (int)TENSIM_HANG == TS_HANG &&
                   (int)TENSIM_SETUP == TS_SETUP && (int)TENSIM_CONTRACT == TS_CONTRACT &&
                   (int)TENSIM_NOT_IMPLEMENTED == TS_NOT_IMPLEMENTED &&
                   (int)TENSIM_LIMIT == TS_LIMIT && (int)TENSIM_NO_MEMORY == TS_NO_MEMORY &&
                   (int)TENSIM_USAGE == TS_USAGE && (int)TENSIM_BUG == TS_BUG &&
                   (int)TENSIM_INTERRUPTED == TS_SIGNAL,
               "the library's codes are the program's");
_Static_assert(sizeof((struct tensim_error *)0)->text == sizeof((struct ts_error *)0)->text,
               "a text has the same room");

const char *tensim_code_name(enum tensim_code code)
{
    switch (code) {
    case TENSIM_OK:
        return "ok";
    case TENSIM_DIFFERS:
        return "differs";
    case TENSIM_HANG:
        return "hang";
    case TENSIM_SETUP:
        return "set-up";
    case TENSIM_CONTRACT:
        return "hardware contract";
    case TENSIM_NOT_IMPLEMENTED:
        return "not implemented";
    case TENSIM_LIMIT:
        return "limit";
    case TENSIM_FINDINGS:
        return "findings";
    case TENSIM_NO_MEMORY:
        return "no memory";
    case TENSIM_USAGE:
        return "usage";
    case TENSIM_BUG:
        return "bug";
    case TENSIM_INTERRUPTED:
        break;
    }
    return (int)code >= TENSIM_INTERRUPTED ? "interrupted" : "unknown";
}

enum tensim_code ts_lib_give(const struct ts_error *from, struct tensim_error *error)
{
    if (error && from->code != TS_OK) {
        error->code = (enum tensim_code)from->code;
        memcpy(error->text, from->text, sizeof error->text);
    }
    return (enum tensim_code)from->code;
}

enum tensim_code ts_lib_fail(struct tensim_error *error, enum ts_code code, const char *format, ...)
{
    struct ts_error failure = {0};
    va_list args;
    va_start(args, format);
    ts_failv(&failure, code, format, args);
    va_end(args);
    return ts_lib_give(&failure, error);
}

enum tensim_code ts_lib_no_memory(struct tensim_error *error)
{
    return ts_lib_fail(error, TS_NO_MEMORY, "out of memory");
}
