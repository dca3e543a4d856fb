// A run that can be watched (--live): a socket in its run directory, over which a client sees the machine, stops it, steps it
// and, with `back', goes back in time.
//
//   client --Unix socket, JSON lines--> wire.c --> commands.c --> live.c: when the machine stops, where it goes
//                                                     \--> state.c, tile.c, code.c: what it looks like
//
// Everything happens between two windows of the kernel, on the thread that runs it. A client gets whole states, at most ten
// times a second: one that reads slowly gets fewer, one that does not read is dropped. The run never waits for it, and nobody
// attached costs nothing.
// The protocol: platform/ui/README.md.
#pragma once

#include "platform/base/error.h"

struct ts_live_options {
    bool on;
    bool back;  // snapshots: one thread, nobody runs ahead
    bool pause; // before the first cycle and at the end, until a client lets it go on
    const char *directory;
    uint32_t threads;
};

// The words of --live=WORD,...; NULL: none. False: `text` says what is wrong.
bool ts_live_parse(const char *words, struct ts_live_options *options, char *text, size_t size);
// For the next kernel that runs: its socket is there from its first cycle on.
bool ts_live_start(const struct ts_live_options *options, struct ts_error *error);
// Tells all clients that the command has ended with this code.
void ts_live_end(int code);
