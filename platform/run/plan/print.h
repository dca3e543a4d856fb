// What kernels print (DPRINT): messages of a launch block as lines of text.
//
// A message is a list of items: a letter, then its bytes (print.c has the table). The guest side is in
// cores/guest/metal.
#pragma once

#include "platform/run/plan/launch.h"

// The message of `length` bytes that a processor has just written.
void ts_print_message(struct ts_launch_core *self, uint8_t processor, uint32_t length, ts_cycle at);
// What was printed without an end of line.
void ts_print_flush(struct ts_launch_core *self, ts_cycle at);
