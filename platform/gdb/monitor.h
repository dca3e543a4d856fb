// The commands of `monitor`.
#pragma once

#include "platform/gdb/answer.h"
#include "platform/gdb/state.h"

// The command in hexadecimal. True: the machine goes on, and the answer comes when it stops.
bool ts_gdb_monitor(struct ts_gdb *self, struct ts_gdb_answer *answer, const char *packet);
