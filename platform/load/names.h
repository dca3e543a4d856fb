// Names for the trace: Tensix instructions with their operands, and the functions and lines of the
// programs that cores run.
#pragma once

#include "platform/trace/events.h"

// NULL: out of memory. Each program is read when its first pc is asked for.
struct ts_trace_names *ts_names_new(void);
void ts_names_free(struct ts_trace_names *self);
