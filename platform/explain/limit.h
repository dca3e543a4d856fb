// A run that reaches its cycle limit: what its cores are busy with, as far as it looks like polling
// or retrying. Not a proof: a slow program looks alike.
#pragma once

#include "platform/kernel/kernel.h"
#include "platform/load/symbols.h"

#include <jansson.h>

// {since, cores[]}: the last cycle in which anything but a core worked, and for each running core
// its tile, name, line, text. Text on `file` unless it is NULL. NULL: no core runs.
json_t *ts_limit_story(const struct ts_kernel *kernel, ts_cycle cycle, FILE *file);

// Where the core that a fault's message begins with is. False: it is no core's.
bool ts_fault_frames(const struct ts_kernel *kernel, const char *message, struct ts_frames *frames);
