// units/trace.h: words in the trace: which passed the gate when, and when their unit worked on them.
//
// Only with a detailed trace: ts_trace_detail of the front end.
#pragma once

#include "units/tensix.h"

// A word passed the gate. It works in the unit in these cycles; none: that is not known yet, and
// ts_trace_work follows.
TS_SLOW_PATH void ts_trace_word(const struct ts_tensix *tensix, const struct ts_unit *unit,
                                struct ts_word in, ts_cycle passed, ts_cycle from, ts_cycle to);
// `count` words of a promise (units/isa/promise.h), one a cycle from `from` on. The next one is `next`
// further: 0 if all are the same.
TS_SLOW_PATH void ts_trace_stream(const struct ts_tensix *tensix, const struct ts_unit *unit,
                                  unsigned thread, const uint32_t *words, unsigned next,
                                  unsigned count, ts_cycle from);
// A word that waited in the unit begins.
TS_SLOW_PATH void ts_trace_work(const struct ts_unit *unit, unsigned thread, ts_cycle from,
                                ts_cycle to);
