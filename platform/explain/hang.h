// The explanation of a hang: adds the tiles' state to the kernel's wait-for graph.
//
// Per tile every core and every thread of the coprocessor is a node that waits for at most one
// other: a core that polls a semaphore waits for the thread that has the SEMGET or SEMPOST in its
// FIFO, an idle thread for its core, a thread that needs a SrcA bank for the one that gives it. The
// explanation is the cycle of these, or the longest chain to an event that never comes. Tiles with
// the same explanation are reported once.
#pragma once

#include "cores/riscv/spin.h"
#include "platform/kernel/waitfor.h"
#include "platform/load/symbols.h"

#include <jansson.h>

// Packets stuck in the networks when a run hangs: packets that wait for each other.
//
// A packet at the front of a router's lane waits for the packet that holds the channel it needs, or
// for the one at the front of the full buffer behind its link. Software that multicasts without
// reserving its path, or links transactions, can turn these waits into a cycle.

#define TS_HANG_PACKETS 8

struct ts_hang_noc {
    struct ts_hang_packet {
        char name[64];  // "NoC 0 multicast from 1-2"
        char waits[96]; // "channel 4 of router 3-5's south output"
    } packets[TS_HANG_PACKETS];
    unsigned count; // of the explanation; 0: nothing is stuck
    bool is_cycle;
    unsigned stuck; // packets in all
};

struct ts_hang_noc ts_hang_noc_look(const struct ts_kernel *kernel);
json_t *ts_hang_noc_json(const struct ts_hang_noc *self); // NULL: nothing is stuck

#define TS_HANG_NODES 12 // five cores, three threads, the two unpackers, the packer
#define TS_HANG_SAYS  24

enum ts_hang_state { TS_HANG_ABSENT, TS_HANG_ENDED, TS_HANG_IDLE, TS_HANG_WAITS, TS_HANG_POLLS };

struct ts_hang_node {
    const struct ts_component *component;
    char name[12];
    enum ts_hang_state state;
    bool broke;  // a core that is at an ebreak
    bool failed; // which cannot be the end of its program
    enum ts_stall reason;
    char object[64];        // "semaphore 3", "srca[0]", "L1 word 0x1f000"
    uint32_t address;       // of the location that it polls; TS_HANG_NO_PC: none
    uint8_t size;           // of it, in bytes
    int semaphore;          // of the coprocessor that it waits for; -1: none
    struct {                // the word of DRAM or of another tile that it reads again and again
        const void *memory; // NULL: none
        struct ts_noc_xy at;
        uint64_t address;
    } far;
    struct {
        bool known;
        uint32_t has, needs;
        int64_t missing; // to be added; negative: to be taken away
        bool plain;      // it is the value of the polled location
        bool exact;      // and it must be equal
        uint32_t goal;   // the nearest value of the location that ends the wait
        uint32_t poll;   // the location, in its loop
        struct ts_rv_spin loop;
        char text[160]; // "has 7, needs 8"
    } need;
    char text[420]; // what it does, for people
    char doing[40]; // the instruction that a unit is in; "" : not a unit
    char last[160]; // who changed the object last, and when
    uint32_t pc;    // of the core, or of the instruction at the thread's gate; TS_HANG_NO_PC
    struct ts_frames frames; // of it
    char place[200];         // function and line of it
    char line[120];          // the user's: "reader.cpp:30"
    // Why it can never go on, what was lost, who has taken what it needs, where it went instead; "" : not so.
    char never[320], lost[320], taken[120], astray[400];
    bool lost_likely;    // it may have another reason to wait
    char elsewhere[400]; // an increment of another word that nobody asks for now
    char few[360];       // who sent how often, and that this is not enough
    char remote[16];     // the tile that changed it last, if it is another one
    int to;              // node that could end it; -1: none
    int to_tile;         // in the list of all tiles; -1: this one
    char to_name[40],
        would[120]; // "brisc of 2-2", and the line where it would; "" : by history only
    bool to_self;   // only itself would
    bool idle;      // a core that waits for the host's next launch
    bool serves;    // a core of an Ethernet tile that waits for several things in turn
    bool sure;      // that `to` is the one
    char sent[260]; // the last request that changed what it polls
    char kept[160]; // what the holder keeps
};

#define TS_HANG_NO_PC UINT32_MAX

struct ts_hang_tile {
    char at[16];
    char same[200]; // coordinates of further tiles with the same explanation
    uint32_t same_count;
    struct ts_hang_node node[TS_HANG_NODES];
    uint32_t count;
    int path[TS_HANG_NODES]; // the explanation: nodes in order
    uint32_t length;
    bool is_cycle;
    bool drifts;                  // a core counts its rounds, or writes words that nobody reads
    char says[TS_HANG_SAYS][260]; // semaphores, banks, mutexes, history
    uint32_t say_count;
};

enum ts_hang_verdict {
    TS_CAUSE_CYCLE,   // they wait for each other
    TS_CAUSE_SELF,    // only the waiting one itself would end the wait, behind it
    TS_CAUSE_NEVER,   // it asks for more than there is
    TS_CAUSE_LOST,    // what it needs was done, and lost
    TS_CAUSE_ENDED,   // who could end the wait has ended
    TS_CAUSE_STARVED, // another one took what it needs
    TS_CAUSE_ASTRAY,  // what it needs went to another address
    TS_CAUSE_ABSENT,  // nobody that runs would ever end the wait
    TS_CAUSE_BROKE,   // a core stopped at an ebreak in the middle of its program
    TS_CAUSE_FEW,     // what came is not enough, and nobody would send more
    TS_CAUSE_UNKNOWN, // whether anybody would end the wait is not known
};

// How sure the cause is.
enum ts_hang_certainty {
    TS_PROVED, // it follows from what was recorded and from the programs, whatever values come
    TS_LIKELY, // it also needs a way that a program would take only for some of them
    TS_NOT_KNOWN,
};

#define TS_HANG_PATH 24

// The root cause, over all tiles.
struct ts_hang_cause {
    bool known;
    enum ts_hang_verdict verdict;
    enum ts_hang_certainty certainty;
    bool is_cycle;
    char text[1200]; // one sentence
    // Who waits at the root, for what, where, and who could end it.
    char tile[16], who[16], object[64], line[120], holder[40];
    struct ts_hang_node *waiter; // a copy
    struct {
        size_t tile;
        int node;
        char name[40];
    } path[TS_HANG_PATH]; // the chain or cycle
    size_t length;
};

const char *ts_hang_verdict_name(enum ts_hang_verdict verdict);
const char *ts_hang_certainty_name(enum ts_hang_certainty certainty);

struct ts_hang {
    ts_cycle cycle;   // when it was detected
    ts_cycle since;   // the last cycle in which anything changed
    char nobody[160]; // "no core that still runs would", as sure as that is
    struct ts_hang_cause cause;
    bool livelock; // cores go on, but nothing that they do can end it
    struct ts_hang_tile *tiles;
    size_t count;                      // with different explanations
    const struct ts_component **polls; // cores that poll: they run, asleep or not
    size_t poll_count;
    struct ts_hang_noc noc;
};

// `tiles` is NULL if there is no memory.
struct ts_hang ts_hang_new(const struct ts_kernel *kernel, ts_cycle cycle);
void ts_hang_free(struct ts_hang *self);
// "hang since cycle 12228, detected at cycle 12288".
void ts_hang_head(const struct ts_hang *self, char *text, size_t size);
// One screen.
void ts_hang_print(const struct ts_hang *self, FILE *file);
// {cycle, kind, nodes[], edges[], tiles[]}: the kernel's graph and the tiles' explanations.
json_t *ts_hang_json(const struct ts_hang *self, const struct ts_kernel *kernel);
// "semaphore 3: trisc0 -> T1": the objects and nodes of the explanation of the first tile.
void ts_hang_line(const struct ts_hang *self, char *text, size_t size);

// The lints of a run, the most harmful first, each once per tile and call site, with its first cycle, its pc and its count:
// a JSON array, and text on `file` unless it is NULL.
json_t *ts_lints(const struct ts_kernel *kernel, FILE *file);
// The bit rules (units/isa/bits.h) that mattered in a run, over all tiles: [{rule, bits, count, text}].
json_t *ts_rules_used(const struct ts_kernel *kernel);
// One of them as a line; `more` other tiles report the same.
void ts_lint_print(json_t *lint, unsigned more, FILE *file);

// tile.c
struct ts_tile;
struct ts_far;
void ts_hang_tile_look(struct ts_hang_tile *self, struct ts_tile *tile, const struct ts_far *far);

// A location that a core of the tile polls, by name: "semaphore room", "received of buffer c_0". Returns `text`.
const char *ts_hang_poll_name(const struct ts_tile *tile, unsigned core, uint32_t address,
                              char *text, size_t size);
// facts.c: one more fact of a tile's story, if there is room.
__attribute__((format(printf, 2, 3))) void ts_hang_fact(struct ts_hang_tile *self,
                                                        const char *format, ...);
