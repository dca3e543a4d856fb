// gdb on every core (--gdb): a server of gdb's remote protocol, between two windows of the kernel.
//
//   gdb --TCP--> wire.c (packets) --> commands.c --> machine.c (cores, memory, breakpoints) --> tiles
//                                     |   |   \--> monitor.c, events.c, registers.c: the coprocessor
//                                     |   \--> alone.c: cores that stop alone
//                                     \--> travel (platform/save): back in time
//
// Every tile is a process, its five cores are threads. All stop together, or each alone (non-stop). Cores do not run ahead while
// gdb is there: same cycles, slower.
// Source: the remote protocol of gdb 13; what gdb-multiarch sends for RISC-V was measured.
#pragma once

#include "platform/base/error.h"

// Opens a door (state.h), writes its place to stderr, waits for gdb when the first kernel runs. `one`: all tiles are one process.
// False: error says why.
bool ts_gdb_start(const char *where, bool one, struct ts_error *error);
// The command is over, with this code: tells gdb.
void ts_gdb_end(int code);
