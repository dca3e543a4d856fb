// NumPy's .npy files, as matrices of doubles.
//
// Source: numpy/lib/format.py (versions 1 to 3). Fortran order, objects and structures are refused.
#pragma once

#include "platform/run/plan/plan.h"

// Leading dimensions become rows. False: error.
bool ts_npy_read(const char *path, struct ts_value *value, struct ts_error *error);
// Type codes as NumPy's: "<f4", "<i4", "<u4".
bool ts_npy_write(const char *path, const struct ts_value *value, const char *type,
                  struct ts_error *error);

// Is it the name of such a file?
bool ts_npy_is(const char *text);
// A file as a matrix of the tensor's shape, if it has as many elements. False: an error at the node.
bool ts_npy_tensor(const char *path, const struct ts_plan_tensor *tensor, struct ts_yaml_node node,
                   struct ts_value *value);
