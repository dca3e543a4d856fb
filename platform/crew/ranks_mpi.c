// Ranks over MPI (ranks.h). All calls come from one thread.
#include "platform/crew/ranks.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAG_RUNS = 1, TAG_FRAME, TAG_END };

struct rank {
    bool lost;
    double heard; // when it said something
};

struct ts_ranks {
    int rank, count;
    double silence;
    struct rank *others;
    bool whole;
    char *text; // of the message that is read
    size_t room;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool ts_ranks_built(void)
{
    return true;
}

struct ts_ranks *ts_ranks_join(const struct ts_crew_place *place, double silence,
                               struct ts_error *error)
{
    struct ts_ranks *self = calloc(1, sizeof *self);
    if (self == NULL)
        abort();
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &self->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &self->count);
    if (self->rank != (int)place->rank || self->count != (int)place->ranks) {
        ts_fail(error, TS_SETUP,
                "the launcher says rank %u of %u, MPI says %d of %d: start tensim with the "
                "launcher of the MPI that it was built with (with srun: --mpi=pmix)",
                place->rank, place->ranks, self->rank, self->count);
        MPI_Finalize();
        free(self);
        return NULL;
    }
    self->silence = silence;
    self->others = calloc((size_t)self->count, sizeof *self->others);
    if (self->others == NULL)
        abort();
    for (int i = 0; i < self->count; i++)
        self->others[i].heard = seconds_now();
    return self;
}

unsigned ts_ranks_count(const struct ts_ranks *self)
{
    return self ? (unsigned)self->count : 1;
}

// The messages of one kind that have come, one after the other. Its length; -1: none is there.
static int receive(struct ts_ranks *self, int from, int tag, int *source)
{
    int there = 0, length = 0;
    MPI_Status status;
    if (MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there)
        return -1;
    MPI_Get_count(&status, MPI_BYTE, &length);
    if (self->room < (size_t)length + 1) {
        self->room = 2 * (size_t)length + 4096;
        free(self->text);
        self->text = malloc(self->room);
        if (self->text == NULL)
            abort();
    }
    if (MPI_Recv(self->text, length, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return -1;
    self->text[length] = '\0';
    *source = status.MPI_SOURCE;
    return length;
}

static bool post(int to, int tag, const void *bytes, size_t length)
{
    return MPI_Send(bytes, (int)length, MPI_BYTE, to, tag, MPI_COMM_WORLD) == MPI_SUCCESS;
}

// --- rank 0

void ts_ranks_give(struct ts_ranks *self, unsigned rank, const uint64_t *indices, size_t count)
{
    if (!post((int)rank, TAG_RUNS, indices, count * sizeof *indices))
        self->others[rank].lost = true;
}

void ts_ranks_poll(struct ts_ranks *self, ts_frame_taker *take, void *context)
{
    int from = 0;
    while (receive(self, MPI_ANY_SOURCE, TAG_FRAME, &from) >= (int)sizeof(struct ts_frame)) {
        self->others[from].heard = seconds_now();
        take(context, (unsigned)from, (const struct ts_frame *)(const void *)self->text);
    }
    for (int i = 1; i < self->count; i++)
        if (seconds_now() - self->others[i].heard > self->silence)
            self->others[i].lost = true;
}

bool ts_ranks_lost(const struct ts_ranks *self, unsigned rank)
{
    return self->others[rank].lost;
}

// Everything is written and closed by now: not before, because a launcher ends the job when a rank
// ends without MPI_Finalize.
static void at_exit(int status, void *context)
{
    struct ts_ranks *self = context;
    fflush(NULL);
    for (int i = 1; self->rank == 0 && i < self->count; i++)
        if (!self->others[i].lost)
            post(i, TAG_END, &self->whole, sizeof self->whole);
    if (!self->whole)
        _exit(status);
    MPI_Finalize();
    free(self->others);
    free(self->text);
    free(self);
}

void ts_ranks_end(struct ts_ranks *self, bool whole)
{
    self->whole = whole;
    on_exit(at_exit, self);
}

// --- the others

void ts_ranks_say(struct ts_ranks *self, const struct ts_frame *frame)
{
    if (!post(0, TAG_FRAME, frame, sizeof *frame + frame->length))
        self->others[0].lost = true;
}

bool ts_ranks_hear(struct ts_ranks *self, struct ts_hands *hands)
{
    int from = 0, length;
    while ((length = receive(self, 0, TAG_RUNS, &from)) >= 0)
        for (size_t i = 0; i < (size_t)length / sizeof(uint64_t); i++) {
            uint64_t index;
            memcpy(&index, self->text + i * sizeof index, sizeof index);
            ts_hands_give(hands, index);
        }
    if (receive(self, 0, TAG_END, &from) >= 0) {
        memcpy(&self->whole, self->text, sizeof self->whole);
        return false;
    }
    return !self->others[0].lost;
}

_Noreturn void ts_ranks_leave(struct ts_ranks *self)
{
    on_exit(at_exit, self);
    exit(TS_OK);
}
