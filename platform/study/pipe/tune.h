// A TPUSH/TPOP program in a sweep: its axes, one point of it, and a proof that a point is safe.
#pragma once

#include "platform/base/params.h"

#include <jansson.h>

enum { TS_TUNE_AXIS = 1024 };

// The axes of the file (`tune`), or, without any, depth and local slots of every pipe: add(context, "pipes.p.slots=1,2,4").
typedef void ts_tune_axis(void *context, const char *text);
bool ts_tune_axes(const char *path, ts_tune_axis *add, void *context, struct ts_error *error);
// The program with these keys ("pipes.p.slots=4"): can it be read?
bool ts_tune_check(const char *path, const char *const *settings, size_t count,
                   struct ts_error *error);
// Runs it: code, error; verdict, cycles, memory and on_chip (bytes of ring slots, tiles and buffers of a cluster; without GM),
// findings, why.
void ts_tune_row(const char *path, const char *const *settings, size_t count, json_t *row);
// Runs it, and it must pass: all its cycles, and the work of AIV0's vector pipe.
bool ts_tune_cycles(const char *path, const char *const *settings, size_t count, double cycles[2],
                    struct ts_error *error);
// The numbers of timing-PRESET.yaml, with their sources.
bool ts_pipe_preset(struct ts_params *params, const char *preset, struct ts_error *error);
// Is it safe in every interleaving?
bool ts_tune_proved(const char *path, const char *const *settings, size_t count);
