// The ranks of an MPI job: rank 0 gives runs, the others send frames (hands.h).
//
//   rank 0: join, give / poll ..., end        others: join, say / hear ..., leave
//
// Only point-to-point messages and MPI_ERRORS_RETURN: a rank that is gone or silent is marked lost,
// and the job goes on if the launcher allows it (Open MPI with --enable-recovery). Where it ends the
// job instead, rank 0 gets SIGTERM (Open MPI 4) or is killed (MPICH 4).
//
// Only ranks_mpi.c knows MPI. It is a module, tensim-mpi.so, built where CMake finds MPI and loaded
// when a launcher has started several processes: tensim is the same program with MPI and without.
#pragma once

#include "platform/crew/hands.h"

#define TS_RANKS_MODULE "tensim-mpi.so"
#define TS_RANKS_NAME   "tensim_mpi" // of the module's struct ts_ranks_ops

struct ts_ranks;

struct ts_ranks_ops {
    // Starts MPI. `silence`: seconds after which a rank counts as lost. NULL: error.
    struct ts_ranks *(*join)(const struct ts_crew_place *place, double silence,
                             struct ts_error *error);

    // --- rank 0

    void (*give)(struct ts_ranks *self, unsigned rank, const uint64_t *indices, size_t count);
    // Takes the frames that have come; `from` is the rank.
    void (*poll)(struct ts_ranks *self, ts_frame_taker *take, void *context);
    // It has ended, as somebody else has seen.
    void (*bury)(struct ts_ranks *self, unsigned rank);
    // Is it gone, or silent for too long?
    bool (*lost)(const struct ts_ranks *self, unsigned rank);
    // The job ends when this process exits: all others end then, too, with MPI_Finalize if `whole`,
    // which waits for all ranks, otherwise without.
    void (*end)(struct ts_ranks *self, bool whole);

    // --- the others

    void (*say)(struct ts_ranks *self, const struct ts_frame *frame);
    // Gives the runs that have come to the hands. False: rank 0 says that all is done, or is gone.
    bool (*hear)(struct ts_ranks *self, void (*give)(struct ts_hands *hands, size_t index),
                 struct ts_hands *hands);
    // Ends this process.
    void (*leave)(struct ts_ranks *self);
};

// Loads the MPI module in a process of a launch with so many ranks. NULL: the module or MPI is missing; error says so.
const struct ts_ranks_ops *ts_ranks_load(unsigned ranks, struct ts_error *error);
