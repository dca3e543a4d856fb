// Messages between the processes of a cluster. Only wire_mpi.c knows MPI: it is in the module tensim-mpi.so (crew/ranks.h).
// All calls come from one thread, and in the same order in all processes. One that waits for others asks its owner from time
// to time (struct ts_wire_owner), who ends the process if they do not come.
#pragma once

#include "platform/base/error.h"

#define TS_WIRE_NAME "tensim_wire" // of the module's struct ts_wire

enum ts_wire_what { TS_WIRE_LEAST, TS_WIRE_MOST, TS_WIRE_SUM };

struct ts_wire_mail {
    const void *out;
    size_t out_length;
    void *in; // freed by the caller
    size_t in_length;
};

struct ts_wire_owner {
    // A call has waited for so many seconds.
    void (*waits)(double seconds);
    // MPI has failed. Does not return.
    void (*fails)(void);
};

struct ts_wire {
    // Starts MPI. False: error.
    bool (*join)(unsigned rank, unsigned ranks, const struct ts_wire_owner *owner,
                 struct ts_error *error);
    // One message to and one from each of these ranks.
    void (*swap)(const unsigned *ranks, size_t count, struct ts_wire_mail *mails);
    void (*reduce)(uint64_t *values, size_t count, enum ts_wire_what what);
    // What `rank` has there comes to all.
    void (*spread)(unsigned rank, void *bytes, size_t length);
    // All end; then this process may.
    void (*leave)(void);
};
