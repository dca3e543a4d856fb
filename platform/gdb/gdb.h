// gdb on every core (--gdb): a server of gdb's remote protocol, between two windows of the kernel.
//
//   gdb --TCP--> wire.c (packets) --> commands.c --> machine.c (cores, memory, breakpoints) --> tiles
//                                          \--> travel (platform/save): back in time
//
// Every tile is a process, its five cores are threads. All stop together, between two cycles. Cores do not run ahead while gdb
// is there: same cycles, slower.
// Source: the remote protocol of gdb 13; what gdb-multiarch sends for RISC-V was measured.
// Not there: single cores that stop alone (non-stop), rwatch and awatch, registers of the coprocessor.
#ifndef TENSIM_GDB_GDB_H
#define TENSIM_GDB_GDB_H

#include "platform/base/error.h"

#include <stdbool.h>
#include <stdint.h>

// Listens on 127.0.0.1 (port 0: a free one, which is written to stderr), waits for gdb when the first kernel runs.
// False: error says why.
bool ts_gdb_start(uint16_t port, struct ts_error *error);
// The command is over, with this code: tells gdb.
void ts_gdb_end(int code);

#endif
