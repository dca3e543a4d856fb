// A hang over all tiles of a chip: who could change a word of another tile, who did, what went
// astray, and the one root cause.
#pragma once

#include "platform/explain/foresee.h"
#include "platform/explain/looker.h"

// Who would end a node's wait soonest.
struct ts_hang_would {
    unsigned rank; // 0: nobody
    size_t tile;
    int core;
    uint32_t pc;
    bool sure;
};

struct ts_hang_chip {
    struct ts_hang_tile *tiles; // all, also those that do not wait
    struct ts_tile **of;
    struct ts_hang_would *would; // of each node
    size_t count;
    bool asks;               // a core reads words of other tiles again and again
    enum ts_foresight sight; // the shortest of the cores that wait
    char part[40];           // the first one that was not followed to its end
    const struct ts_hang_noc *noc;
    const struct ts_far *far;
};

// The tile of a domain; NULL: none.
struct ts_tile *ts_hang_tile_of(const struct ts_domain *domain);
// "brisc of 2-2"; of the only tile: "brisc".
const char *ts_hang_who(const struct ts_hang_chip *self, size_t tile, int node, char *text,
                        size_t size);
// A line of a core's program: "reader.cpp:30", or "pc 0x594".
const char *ts_hang_at(const struct ts_tile *tile, unsigned core, uint32_t pc, char *text,
                       size_t size);

// "no core that still runs would", as sure as that is.
const char *ts_hang_nobody(const struct ts_hang_chip *self, char *text, size_t size);

// chip.c: joins the tiles' stories.
void ts_hang_join(struct ts_hang_chip *self);
// words.c: what the network did to the word that a node polls.
void ts_hang_look_word(struct ts_hang_chip *self, size_t tile, int node);
// link.c: would an operation of tile `by` end a node's wait over an Ethernet link?
bool ts_hang_link_ends(const struct ts_hang_chip *self, size_t tile, const struct ts_hang_node *n,
                       size_t by, const struct ts_foreseen *would);
// What the tile at the other end of an Ethernet link did not send.
void ts_hang_look_link(struct ts_hang_chip *self, size_t tile, int node);
// A core that serves channels: a packet came, and its credit did not.
bool ts_hang_look_credit(const struct ts_hang_chip *self, size_t *tile, int *node);
// A core that it has sent something to, and that never started: probably what it waits for.
void ts_hang_look_partner(struct ts_hang_chip *self, size_t tile, int node);
// Does any node wait that does not serve?
bool ts_hang_one_waits(const struct ts_hang_chip *self);
// Of a system, behind who waits for whom: what the link between them is doing, and who never started.
const char *ts_hang_link_text(const struct ts_hang_chip *self, size_t waiter, size_t end, int node,
                              char *text, size_t size);
// facts.c: what the coprocessor lost of what the node waits for.
void ts_hang_look_lost(const struct ts_tile *tile, struct ts_hang_node *node);
// since.c: the last cycle in which anything changed.
ts_cycle ts_hang_since(const struct ts_kernel *kernel, const struct ts_far *far,
                       const struct ts_hang *hang);
// One that waits: who it is, and the index of the wait of whom it waits for; -1: none.
struct ts_hang_wait {
    const void *who;
    int to;
    bool begins; // a story can begin here
};
// hang.c: the longest cycle of waits or, if there is none, the longest chain; of several the first. Returns its
// length. `limit`: the length at which a path ends.
unsigned ts_hang_longest(const struct ts_hang_wait *waits, size_t count, unsigned limit, int *best,
                         bool *is_cycle);
// Is it a core that polls?
bool ts_hang_polls(const struct ts_component *component, const void *hang);
// cause.c: the root cause.
void ts_hang_find_cause(const struct ts_hang_chip *self, struct ts_hang_cause *cause);
