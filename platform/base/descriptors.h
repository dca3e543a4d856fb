// Descriptors of this process, before a library that ends the process without them asks for some: libuv calls abort()
// when it has none, and when one that it opened is 0, 1 or 2.
#pragma once

#include "platform/base/error.h"

#define TS_LOOP_DESCRIPTORS 6 // of a loop of libuv, with its signals

// For programs: opens those of 0, 1 and 2 that are closed, so that reads end and writes fail as they would.
void ts_descriptors_standard(void);
// Can `count` more be opened, and are 0, 1 and 2 open? False: error says what is wrong.
bool ts_descriptors_free(unsigned count, struct ts_error *error);
