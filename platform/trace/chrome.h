// The Chrome / Perfetto trace: trace.json.gz. One process per domain, one lane per component, its
// stalls on a lane of their own (slices that overlap partly on one lane are dropped by Perfetto),
// one counter per channel.
#ifndef TENSIM_TRACE_CHROME_H
#define TENSIM_TRACE_CHROME_H

#include "platform/base/error.h"
#include "platform/kernel/trace.h"

struct ts_kernel;

struct ts_chrome_options {
    const char *path;
    uint32_t clock_mhz; // of the cycles; ts is in microseconds
    ts_cycle from, to;  // only what touches these cycles
};

// Writes the lanes' names at once. NULL after an error.
struct ts_trace_writer *ts_chrome_open(const struct ts_kernel *kernel,
                                       const struct ts_chrome_options *options,
                                       struct ts_error *error);

#endif
