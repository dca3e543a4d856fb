// The effect of NoC atomics on 16 bytes of L1: pure functions.
//
// Source: BlackholeA0/NoC/Atomics.md.
#pragma once

#include "platform/base/std.h"

// Performs NOC_AT_LEN_BE's operation on the 16 bytes around the address; *result is the word at the
// address before it. Returns NULL, or why it is refused.
const char *ts_noc_atomic(uint32_t operation, uint32_t data, uint32_t address, uint32_t words[4],
                          uint32_t *result);
