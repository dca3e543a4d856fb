// The ranks of an MPI job: rank 0 gives runs, the others send frames (hands.h).
//
//   rank 0: ts_ranks_join, give / poll ..., end        others: join, say / hear ..., leave
//
// Only point-to-point messages and MPI_ERRORS_RETURN: a rank that is gone or silent is marked lost,
// and the job goes on if the launcher allows it (Open MPI with --enable-recovery). Where it ends the
// job instead, rank 0 gets SIGTERM (Open MPI 4) or is killed (MPICH 4).
//
// ranks_mpi.c is built where CMake finds MPI, ranks_none.c otherwise.
#ifndef TENSIM_CREW_RANKS_H
#define TENSIM_CREW_RANKS_H

#include "platform/crew/hands.h"

struct ts_ranks;

bool ts_ranks_built(void); // is MPI in this program?

// Starts MPI. `silence`: seconds after which a rank counts as lost. NULL: error.
struct ts_ranks *ts_ranks_join(const struct ts_crew_place *place, double silence,
                               struct ts_error *error);

// --- rank 0

void ts_ranks_give(struct ts_ranks *self, unsigned rank, const uint64_t *indices, size_t count);
// Takes the frames that have come; `from` is the rank.
void ts_ranks_poll(struct ts_ranks *self, ts_frame_taker *take, void *context);
// Is it gone, or silent for too long?
bool ts_ranks_lost(const struct ts_ranks *self, unsigned rank);
// The job ends when this process exits: all others end then, too, with MPI_Finalize if `whole`, which
// waits for all ranks, otherwise without.
void ts_ranks_end(struct ts_ranks *self, bool whole);

// --- the others

void ts_ranks_say(struct ts_ranks *self, const struct ts_frame *frame);
// Gives the runs that have come to the hands. False: rank 0 says that all is done, or is gone.
bool ts_ranks_hear(struct ts_ranks *self, struct ts_hands *hands);
// Ends this process.
_Noreturn void ts_ranks_leave(struct ts_ranks *self);

#endif
