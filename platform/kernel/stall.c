#include "platform/kernel/stall.h"

const char *ts_stall_name(enum ts_stall reason)
{
    static const char *const names[TS_STALL_COUNT] = {
#define TS_STALL(id, name, text, color) name,
#include "config/stall.def"
    };
    return names[reason];
}
