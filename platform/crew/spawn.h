// A run that is a tensim command of its own: `tensim WORDS` in a process, its output caught.
#pragma once

#include "platform/base/std.h"

#include <jansson.h>

#define TS_SPAWN_WORDS 72

// Runs this program with `words`, quiet. Returns its exit code, or TS_SIGNAL + n; `said` gets the
// first line of its messages without the program's name. `document` not NULL: --json - is added, and
// *document gets what it wrote (NULL: nothing).
int ts_spawn(const char *const *words, size_t count, json_t **document, char *said, size_t size);
