// Checks that a file can be written, before the run whose result goes there.
#pragma once

#include "platform/base/error.h"

// Leaves everything as it was. False: error (TS_SETUP) names the path and the reason.
bool ts_writable(const char *path, struct ts_error *error);
