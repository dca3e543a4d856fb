// What `tensim-bench prices' counts: guests that do one thing many times.
#pragma once

#include "platform/base/std.h"

// Runs the guest `name` for so many rounds in this process. `directory` is that of the build. Returns how many things
// it did; 0: no such guest, or it failed with a message on stderr.
double ts_price_guest(const char *name, uint32_t rounds, const char *directory);
