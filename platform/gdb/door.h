// Who may be the gdb of a run: a socket file for its user, or a TCP port of this host.
#pragma once

#include "platform/base/error.h"

#define TS_GDB_PLACE 128 // bytes of what gdb's `target remote' takes

struct ts_gdb_door {
    int listener;
    char place[TS_GDB_PLACE];
    bool file; // it is a socket file
    bool made; // the socket file's folder is ours, and goes with it
};

// `where`: "": a new socket file in a folder of its own; FOLDER/NAME: this socket file; tcp: a free TCP port of 127.0.0.1; or a port.
bool ts_gdb_door_open(struct ts_gdb_door *self, const char *where, struct ts_error *error);
// Waits for gdb and closes the door; the connection, -1: none. The first connection that begins with `+' or `$' is gdb's; a browser cannot begin so.
// Others are sent away, and keep nobody waiting.
int ts_gdb_door_wait(struct ts_gdb_door *self);
void ts_gdb_door_close(struct ts_gdb_door *self);
