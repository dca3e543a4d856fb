// The closed list of stall reasons, from config/stall.def.
#pragma once

enum ts_stall {
#define TS_STALL(id, name, text, color) TS_STALL_##id,
#include "config/stall.def"
    TS_STALL_COUNT
};

const char *ts_stall_name(enum ts_stall reason);
