// Whether a file can be written, asked before a run whose result is to go there.
#ifndef TENSIM_CONFIG_WRITABLE_H
#define TENSIM_CONFIG_WRITABLE_H

#include "platform/kernel/error.h"

#include <stdbool.h>

// Leaves everything as it was. False: error (TS_SETUP) names the path and the reason.
bool ts_writable(const char *path, struct ts_error *error);

#endif
