// What a run's page shows and its result does not have, as JSON (drawing.json): figures of time and of single parts, in
// cycles, as the run counted them. views/run*.js and views/chip.js make pictures of them.
#pragma once

#include "platform/base/params.h"
#include "platform/trace/history.h"
#include "platform/trace/periods.h"

#include <jansson.h>

struct ts_tile;
struct ts_work;

// Of a work that is finished. history: of its tiles; periods: of the chip; either may be NULL.
json_t *ts_drawing_run(const struct ts_work *work, const json_t *result,
                       const struct ts_history *history, const struct ts_periods *periods,
                       const struct ts_params *params);

// The bins of a history that a page shows: without boot.
struct ts_drawn_time {
    const struct ts_history *history;
    ts_cycle bin;          // cycles of one
    uint32_t first, count; // the first, and one behind the last
};
struct ts_drawn_time ts_drawn_time(const struct ts_history *history, ts_cycle begin);
// Sums of its bins, as text; NULL: there are none (drawing_time.c).
json_t *ts_drawing_series(const struct ts_series *self, double part,
                          const struct ts_drawn_time *time);
// Adds who worked and waited when in a tile, levels of its semaphores, its longest waits (drawing_time.c).
void ts_drawing_tile_time(const struct ts_drawn_time *time, const struct ts_tile *of, json_t *tile);
// What lies where in L1 and in the cores' own RAM: [{tiles, areas, local}, ...], tiles alike in one (drawing_l1.c).
json_t *ts_drawing_l1(const struct ts_work *work);
// Cycles of every place of the chip over time (drawing_chip.c). window: cycles of the kernel.
json_t *ts_drawing_chip(const struct ts_periods *periods, ts_cycle span, ts_cycle window);
// What these keep of an object.
enum ts_periods_what ts_drawing_mapped(const struct ts_object *object);
json_t *ts_drawing_cycles(const uint64_t *cycles, uint32_t count);
// Cycles of every chip and link of a system over time (drawing_system.c), and what is kept for both.
// NULL: it is a chip alone.
json_t *ts_drawing_system(const struct ts_periods *periods, ts_cycle span);
enum ts_periods_what ts_drawing_mapped_system(const struct ts_object *object);
