// What a run reports of its activity: figures and a JSON object; config/text.def has its lines.
#pragma once

#include "platform/activity/steps.h"

#include <jansson.h>

// Adds the figures that sweeps compare (step_ns1, step_ns10, step_ns100, step_us1: R(w) in tiles; idle_common and start_spread in
// cycles) and "activity": everything else, with the chip over time. False: out of memory.
bool ts_activity_steps_json(const struct ts_activity_steps *self,
                            const struct ts_activity *activity, unsigned clock_mhz,
                            json_t *document);
