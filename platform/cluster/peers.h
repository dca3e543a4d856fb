// The processes of a cluster as one of them can see them: those of its own host, by their numbers. MPI does not say which
// process is lost; the host does. Those of a host have a board, which is gone with the last of them.
#pragma once

#include "platform/base/std.h"

#include <stdatomic.h>

// What a process says of itself.
struct ts_peer {
    char host[64];      // its name
    char place[128];    // who can see it (crew/watch.h)
    int64_t pid, board; // number; file, -1: none
};

struct ts_peers {
    unsigned own, count;
    struct ts_peer *peers; // by rank
    int *ends; // by rank: pidfds; -1: it cannot be seen from here (another host or container)
    struct ts_board {
        atomic_bool said;    // one of this host has said why all end
        atomic_bool ended[]; // by rank: it knows why it is gone
    } * board;
};

// `tell` brings what one rank has to all. NULL: no memory.
struct ts_peers *ts_peers_new(unsigned own, unsigned count,
                              void (*tell)(unsigned rank, void *bytes, size_t length));
// The first rank that is seen to have ended and did not know that it would; `count`: none.
unsigned ts_peers_lost(const struct ts_peers *self);
// This process is about to end. True: the first of its host that says why.
bool ts_peers_say(struct ts_peers *self);
