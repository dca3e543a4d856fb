// What a run's page shows and its result does not have, as JSON (drawing.json): figures of time and of single parts, in
// cycles, as the run counted them. views/run*.js and views/chip.js make pictures of them.
#ifndef TENSIM_REPORT_DRAWING_H
#define TENSIM_REPORT_DRAWING_H

#include "platform/base/params.h"
#include "platform/trace/history.h"
#include "platform/trace/periods.h"

#include <jansson.h>

struct ts_work;

// Of a work that is finished. history: of its first tile; periods: of the chip; either may be NULL.
json_t *ts_drawing_run(const struct ts_work *work, const struct ts_history *history,
                       const struct ts_periods *periods, const struct ts_params *params);

// Who worked and waited when, levels of semaphores, the longest waits (drawing_time.c). begin: without boot.
json_t *ts_drawing_time(const struct ts_history *history, ts_cycle begin);
// Cycles of every place of the chip over time (drawing_chip.c). window: cycles of the kernel.
json_t *ts_drawing_chip(const struct ts_periods *periods, ts_cycle span, ts_cycle window);
// What these keep of an object.
enum ts_periods_what ts_drawing_mapped(const struct ts_object *object);

#endif
