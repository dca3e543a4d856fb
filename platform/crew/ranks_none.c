// A program without MPI: there is one rank, and nothing here is ever called (ranks.h).
#include "platform/crew/ranks.h"

#include <stdlib.h>

bool ts_ranks_built(void)
{
    return false;
}

struct ts_ranks *ts_ranks_join(const struct ts_crew_place *place, double silence,
                               struct ts_error *error)
{
    (void)silence;
    ts_fail(error, TS_BUG, "rank %u of a program without MPI", place->rank);
    return NULL;
}

void ts_ranks_give(struct ts_ranks *self, unsigned rank, const uint64_t *indices, size_t count)
{
    (void)self, (void)rank, (void)indices, (void)count;
}

void ts_ranks_poll(struct ts_ranks *self, ts_frame_taker *take, void *context)
{
    (void)self, (void)take, (void)context;
}

bool ts_ranks_lost(const struct ts_ranks *self, unsigned rank)
{
    (void)self, (void)rank;
    return true;
}

void ts_ranks_end(struct ts_ranks *self, bool whole)
{
    (void)self, (void)whole;
}

void ts_ranks_say(struct ts_ranks *self, const struct ts_frame *frame)
{
    (void)self, (void)frame;
}

bool ts_ranks_hear(struct ts_ranks *self, struct ts_hands *hands)
{
    (void)self, (void)hands;
    return false;
}

_Noreturn void ts_ranks_leave(struct ts_ranks *self)
{
    (void)self;
    exit(TS_BUG);
}
