// Registers that gdb sees: x0 to x31 and pc of a core, and those of the coprocessor, which can only be read.
#pragma once

#include "platform/gdb/answer.h"
#include "platform/gdb/state.h"

#include <stdio.h>

// The feature documents of gdb.
void ts_gdb_features(FILE *file);
// One; "E01": there is no such register.
void ts_gdb_say_register(const struct ts_gdb *self, struct ts_gdb_answer *answer,
                         unsigned long number);
// Those of the core alone.
void ts_gdb_say_registers(const struct ts_gdb *self, struct ts_gdb_answer *answer);
// False: it cannot be written.
bool ts_gdb_set_register(struct ts_gdb *self, unsigned long number, const char *value);
