// Power of a run as a ratio, from the shares of the chip's cycles in which its units work (platform/firmware/power.h).
#pragma once

#include "platform/firmware/power.h"

struct ts_work;

// After the run: its power. False: config/power.yaml cannot be read.
bool ts_work_power(const struct ts_work *work, struct ts_power_ratio *ratio);
// power, energy and what belongs to them, and power_shares, which `tensim power' takes as a trace.
void ts_work_power_json(const struct ts_work *work, json_t *document);
