// A core of an Ethernet tile that waits for what comes over its link; see chip.h.
#include "platform/explain/chip.h"

#include <stdio.h>

// The core at the other end that could send: one that waits, otherwise the first.
static int other_core(const struct ts_hang_chip *self, const struct ts_eth *other, size_t *tile)
{
    for (*tile = 0; *tile < self->count; ++*tile)
        if (self->of[*tile]->eth == other) {
            const struct ts_hang_node *nodes = self->tiles[*tile].node;
            bool second = nodes[TS_NODE_CORE + TS_RV_BRISC].state < TS_HANG_WAITS &&
                          nodes[TS_NODE_CORE + TS_RV_NCRISC].state >= TS_HANG_WAITS;
            return TS_NODE_CORE + (second ? TS_RV_NCRISC : TS_RV_BRISC);
        }
    return -1;
}

void ts_hang_look_link(struct ts_hang_chip *self, size_t tile, int node)
{
    struct ts_hang_tile *story = &self->tiles[tile];
    struct ts_hang_node *n = &story->node[node];
    const struct ts_eth *eth = self->of[tile]->eth;
    if (eth == NULL || n->would[0] || n->far.memory)
        return;
    if (story->say_count < TS_HANG_SAYS)
        ts_eth_text(eth, story->says[story->say_count++], sizeof story->says[0]);
    if (eth->other == NULL || !eth->up) {
        ts_eth_text(eth, n->never, sizeof n->never);
        return;
    }
    size_t at;
    int core = other_core(self, eth->other, &at);
    if (core < 0)
        return;
    n->to = core;
    n->to_tile = (int)at;
    n->sure = false; // what it would send is not followed
    snprintf(n->kept, sizeof n->kept, "%s (chip %u eth %u waits for a packet from chip %u eth %u)",
             self->tiles[at].node[core].state == TS_HANG_ABSENT ? "never started"
                                                                : "has not sent it over the link",
             eth->chip, eth->channel, eth->other->chip, eth->other->channel);
}
