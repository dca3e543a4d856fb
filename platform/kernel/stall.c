#include "platform/kernel/stall.h"

static const struct {
    const char *name;
    const char *text;
} reasons[TS_STALL_COUNT] = {
#define TS_STALL(id, name, text, color) {name, text},
#include "config/stall.def"
#undef TS_STALL
};

const char *ts_stall_name(enum ts_stall reason)
{
    return reasons[reason].name;
}

const char *ts_stall_text(enum ts_stall reason)
{
    return reasons[reason].text;
}
