// Why the memory behind an NIU refuses a request: a text, or NULL.
//
// A text that begins with TS_NOC_ABSENT names a hardware feature that this model does not have; all
// others name a breach of the hardware's rules.
#pragma once

#include "platform/base/error.h"

#define TS_NOC_ABSENT "not implemented: "

static inline enum ts_code ts_noc_code(const char *why)
{
    bool absent = strncmp(why, TS_NOC_ABSENT, sizeof TS_NOC_ABSENT - 1) == 0;
    return absent ? TS_NOT_IMPLEMENTED : TS_CONTRACT;
}
