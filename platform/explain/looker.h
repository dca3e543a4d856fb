// Shared by the files that examine a hanging tile.
#pragma once

#include "platform/explain/hang.h"
#include "platform/tile/far.h"
#include "platform/tile/lints.h"
#include "platform/tile/names.h"
#include "platform/tile/nodes.h"

// What must become true for a polling core to leave its loop, in the program's terms: "has 7, needs 8".
//
// The loop's own branches (cores/riscv/spin.h) are computed for other values of what it polls. So the
// answer does not depend on the instructions that a compiler chose. Values near the present one, near
// the constants of the loop and at single bits are tried; borders between values that end the loop and
// values that do not are then found by bisection.
//
// Inaccuracies: a set of values that is neither one range nor one range of what is compared is shown by
// one example.

enum ts_relation {
    TS_REL_EQ,
    TS_REL_NE,
    TS_REL_LESS,  // than `needs`
    TS_REL_LEAST, // at least `needs`
    TS_REL_RANGE, // `needs` to `most`
    TS_REL_SOME,  // `needs` is an example
};

struct ts_condition {
    bool known;
    enum ts_relation relation;
    uint8_t poll;  // the location that must change
    uint8_t exit;  // the branch that then leaves
    bool plain;    // the relation is one of the location's value, not of what is computed from it
    bool both;     // the other side is polled too
    uint8_t other; // its term
    uint32_t has, needs, most;
    uint32_t goal;   // the nearest value of the location that ends the loop
    int64_t missing; // how much must be added to the location; negative: taken away
};

struct ts_condition ts_condition_of(const struct ts_rv_spin *spin);

// For a location that counts: the difference from another count that the loop asks for; 0: it has none.
uint32_t ts_condition_asks(const struct ts_condition *self, const struct ts_rv_spin *spin);

// A location's name.
typedef const char *ts_condition_name(void *context, uint32_t address, char *text, size_t size);
// "has 7, needs 8"; for computed values with the formula before it: "flags & 0x3 has 0, needs 2".
void ts_condition_text(const struct ts_condition *self, const struct ts_rv_spin *spin,
                       ts_condition_name *name, void *context, char *text, size_t size);

struct ts_hang_looker {
    struct ts_hang_tile *story; // nodes in the order of enum ts_node
    struct ts_tile *tile;
    const struct ts_far *far; // NULL: not looked at
};

extern const char *const ts_hang_semaphore_names[TS_SEMAPHORES];

static inline const char *ts_hang_bank_owner(const struct ts_hang_looker *self,
                                             const struct ts_bank *bank)
{
    const struct ts_src_file *file = ts_files_src(&self->tile->files, bank->srcb);
    return file->bank[bank->index].owner == TS_SRC_MATRIX ? "the matrix unit" : "the unpacker";
}

// tile.c: appends to a node's text.
__attribute__((format(printf, 2, 3))) void ts_hang_say(struct ts_hang_node *node,
                                                       const char *format, ...);
// The last writer of a word of L1; its node, -1: none of this tile.
int ts_hang_last_writer(const struct ts_hang_looker *self, struct ts_hang_node *node,
                        uint32_t address);
// Who could change the semaphore: the thread that has the instruction in its FIFO, otherwise the
// last one that executed it (or the other side, if none ever did).
int ts_hang_changer(const struct ts_hang_looker *self, unsigned index, bool post, int self_node);
// The last one to change it.
void ts_hang_last_change(struct ts_hang_node *node, const struct ts_sync_semaphore *s);

// polls.c: what the core of node `at` polls, and the condition that ends its loop; `asks`: what it
// reads over the network in each round, or NULL.
void ts_hang_poll(const struct ts_hang_looker *self, int at, const struct ts_rv_spin *spin,
                  const struct ts_far_poll *asks);
// A word of DRAM or of another tile, as the program of `tile` calls it.
const char *ts_hang_far_name(const struct ts_tile *tile, const struct ts_far *far,
                             struct ts_noc_xy at, uint64_t address, char *text, size_t size);

// link.c: does a core of an Ethernet tile look at several words and registers in turn?
bool ts_hang_serves(const struct ts_rv_spin *spin);

// facts.c
void ts_hang_facts(const struct ts_hang_looker *self);
