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
    static const char *const names[TENSIM_INTERRUPTED] = {
        [TENSIM_OK] = "ok",
        [TENSIM_DIFFERS] = "differs",
        [TENSIM_HANG] = "hang",
        [TENSIM_SETUP] = "set-up",
        [TENSIM_CONTRACT] = "hardware contract",
        [TENSIM_NOT_IMPLEMENTED] = "not implemented",
        [TENSIM_LIMIT] = "limit",
        [TENSIM_FINDINGS] = "findings",
        [TENSIM_NO_MEMORY] = "no memory",
        [TENSIM_USAGE] = "usage",
        [TENSIM_BUG] = "bug",
    };
    if ((int)code >= TENSIM_INTERRUPTED)
        return "interrupted";
    return (int)code >= 0 && names[code] ? names[code] : "unknown";
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
