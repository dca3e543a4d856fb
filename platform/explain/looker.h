// Shared by the files that examine a hanging tile.
#pragma once

#include "platform/explain/condition.h"
#include "platform/explain/hang.h"
#include "platform/tile/far.h"
#include "platform/tile/lints.h"
#include "platform/tile/names.h"
#include "platform/tile/nodes.h"

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
