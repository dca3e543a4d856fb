// Sets the follower of a tile's synchronisation (follow.h).
#include "platform/tile/follow.h"

void ts_follow_start(struct ts_tile *tile, const struct ts_follow *follow)
{
    tile->follow = follow;
    for (unsigned t = 0; t < TS_THREADS; t++) {
        tile->front[t].follow = follow ? follow->word : NULL;
        tile->front[t].follow_context = follow ? follow->context : NULL;
    }
}
