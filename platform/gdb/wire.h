// Packets of gdb's remote protocol on a connection.
#pragma once

#include "platform/base/std.h"

#define TS_GDB_PACKET 8192u

struct ts_gdb_wire {
    int socket; // -1: closed
    bool no_ack;
    size_t used, taken; // of `in`
    char in[4096];
};

// The next packet, with its end; its escapes are resolved. 0 for an interrupt (Ctrl-C). -1: the connection is closed.
int ts_gdb_receive(struct ts_gdb_wire *self, char *packet);
// Is there an interrupt, or has the connection ended? Does not wait.
bool ts_gdb_interrupted(struct ts_gdb_wire *self);
// Is a packet there, or has the connection ended? Does not wait.
bool ts_gdb_ready(struct ts_gdb_wire *self);
// Text for the user, while gdb waits for an answer.
void ts_gdb_console(struct ts_gdb_wire *self, const char *text);
// A packet that is no answer.
void ts_gdb_notify(struct ts_gdb_wire *self, const char *text);
void ts_gdb_send(struct ts_gdb_wire *self, const char *text, size_t length);
