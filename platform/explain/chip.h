// A hang over all tiles of a chip: who could change a word of another tile, who did, what went
// astray, and the one root cause.
#pragma once

#include "platform/explain/looker.h"

// What a waiting core would do if its waits ended: who could still change the word that another one
// polls.
//
// The core's program is interpreted from where it stands (cores/riscv/walk.h), every wait being
// left by its way out, and each operation that others can see is handed on: stores to L1, requests
// to the network, posts and gets of semaphores, mails. It never decides whether there is a hang.
//
// The values that the core would have read are not known: words that others have written, registers
// of the coprocessor, what its own reads would bring. They are followed through registers, local RAM
// and L1. As long as no way, no address and no target depends on one, what is seen is sure: it
// follows from the program alone. From the first one that does on, it is likely.
//
// The core is followed to its end, however many words it stores, for TS_FORESEE_STEPS instructions.
//
// Inaccuracies: floating point is not followed; what comes behind it is not known.

#define TS_FORESEE_STEPS 1000000u

enum ts_foreseen_kind {
    TS_WOULD_STORE,
    TS_WOULD_SEND,
    TS_WOULD_LINK, // over an Ethernet link: bytes to L1 of the other end, or a word to its register
    TS_WOULD_POST,
    TS_WOULD_GET,
    TS_WOULD_MAIL
};

struct ts_foreseen {
    enum ts_foreseen_kind kind;
    uint32_t pc;
    uint64_t address; // of L1, here or there, or of DRAM
    uint32_t length;
    struct ts_noc_xy to, start; // of a request: NoC 0 coordinates
    bool broadcast;
    bool valued; // the value that it writes is known
    bool adds;   // it increments
    uint32_t value;
    uint8_t index;  // semaphore, or core that gets the mail
    uint32_t waits; // that must end first
    bool sure;      // else likely
};

// How far a core was followed.
enum ts_foresight {
    TS_SIGHT_SURE,   // to its end, and nothing depended on a value that is not known
    TS_SIGHT_LIKELY, // to its end
    TS_SIGHT_PART,   // not to its end
};

typedef void ts_foreseen_take(void *context, const struct ts_foreseen *would);
// `idle` becomes true if the core waits for the host's next launch: for a word that the host writes, or for
// another core, to call a program that the host's message names. What it would do then does not count.
enum ts_foresight ts_foresee(const struct ts_tile *tile, unsigned core, ts_foreseen_take *take,
                             void *context, bool *idle);
// What a store of an Ethernet tile's core to a register of TX queues does: false: it sends nothing. `queues`: their
// registers as the core has left them.
struct ts_foreseen_queue {
    uint32_t size, to;
    bool vague;
};
bool ts_foreseen_sends(struct ts_foreseen_queue queues[TS_ETH_QUEUES], uint32_t address,
                       uint32_t value, bool vague, struct ts_foreseen *would);

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
