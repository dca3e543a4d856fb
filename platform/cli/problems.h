// Problems of a run as compilers write them, FILE:LINE:COLUMN: severity: text, so that editors jump to them (--problems).
#pragma once

#include <jansson.h>
#include <stdio.h>

// Lints, findings of checks, the fault and the waits of a hang, from a run's document: those whose line is known.
void ts_problems_print(const json_t *document, FILE *file);
// A message that begins with a place, "program.yaml:12:14: text"; nothing if it does not.
void ts_problems_message(const char *message, FILE *file);
