// The ranks of an MPI job: rank 0 gives runs, the others send frames.
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

#include "platform/crew/crew.h"

// The worker processes of one rank.
//
//   ts_hands_give(index) --> queue --> a process runs it --> frame: result, lost, share
//
// A process serves many runs. When a run kills it or exceeds the time limit, that run is lost and a
// new process takes the place; runs that waited behind it go to the others.

enum ts_frame_type {
    TS_FRAME_RESULT, // text: the row
    TS_FRAME_LOST,   // text: the row of a run that failed this way every time
    TS_FRAME_SHARE,  // number: completed share of the run
    TS_FRAME_HELLO,  // of a rank: index: its processes; code: its pid; text: what it runs, its host
    TS_FRAME_ALIVE,  // of a rank, every second
};

// What a worker, or a rank, says.
struct ts_frame {
    uint32_t type, length; // of the text
    uint64_t index;        // of the run
    double number;         // seconds that the run took; share
    int64_t code;          // of the row
    char text[];
};

typedef void ts_frame_taker(void *context, unsigned from, const struct ts_frame *frame);

struct ts_hands;
struct uv_loop_s;

// `crew` has the number of processes, the time limit and the lock that children give up. The loop is
// the caller's: what else it watches is seen in ts_hands_wait, too.
struct ts_hands *ts_hands_new(const struct ts_crew *crew, const struct ts_crew_list *list,
                              struct uv_loop_s *loop);
// Starts all processes now. False: errno.
bool ts_hands_start(struct ts_hands *self);
void ts_hands_give(struct ts_hands *self, size_t index);
// Waits up to `ms` for frames and hands them to `take`. False: no process can be started; errno.
bool ts_hands_wait(struct ts_hands *self, int ms, ts_frame_taker *take, void *context);
// Runs given and not yet done.
size_t ts_hands_busy(const struct ts_hands *self);
// Seconds that a run takes, from the last ones; 0: none has ended.
double ts_hands_mean(const struct ts_hands *self);
// Kills the processes.
void ts_hands_free(struct ts_hands *self);

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
