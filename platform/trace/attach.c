#include "platform/trace/attach.h"

#define LEAST 2048 // records in a buffer

struct ts_trace *ts_trace_attach(struct ts_kernel *kernel, struct ts_trace_writer *const *writers,
                                 size_t count, struct ts_error *error)
{
    size_t records = 2 * ts_kernel_trace_records(kernel);
    struct ts_trace *trace = ts_trace_new(ts_kernel_domain_count(kernel),
                                          records > LEAST ? records : LEAST);
    for (size_t i = 0; i < count; i++) {
        if (trace && ts_trace_add_writer(trace, writers[i]))
            continue;
        ts_fail(error, TS_NO_MEMORY, "out of memory for the trace");
        writers[i]->close(writers[i]);
    }
    if (trace)
        ts_kernel_trace(kernel, trace);
    else
        ts_fail(error, TS_NO_MEMORY, "out of memory for the trace");
    return trace;
}
