// Puts writers on a kernel's trace bus.
#pragma once

#include "platform/kernel/kernel.h"
#include "platform/kernel/trace.h"

// After elaboration, before the first run: a bus with rings that never have to grow, and the writers
// on it. NULL: error; the writers are closed.
struct ts_trace *ts_trace_attach(struct ts_kernel *kernel, struct ts_trace_writer *const *writers,
                                 size_t count, struct ts_error *error);
