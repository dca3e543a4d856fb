// A program on several chips: what each chip and each link did, and what bounds all of it.
#ifndef TENSIM_RUN_CHIPS_H
#define TENSIM_RUN_CHIPS_H

#include "platform/chip/system.h"
#include "platform/run/work.h"

#define TS_CHIPS_LINKS (TS_SYSTEM_CHIPS * TS_CHIP_ETH)

// One direction of a link.
struct ts_chips_link {
    const struct ts_eth *from, *to;
    uint64_t bytes;
    double busy;          // share of the window in which frames leave
    double idle, blocked; // the rest: nothing to send; the link is down
    double router; // share in which the cores of the sending tile do not poll, the busier one
    char core[24]; // the busier core: "erisc0 of 0/eth2"
};

struct ts_chips {
    ts_cycle first, last;                       // of all chips
    double seconds;                             // from first to last
    double algorithm, bus;                      // GB/s of a collective; 0: it is none
    uint32_t checked, wrong;                    // chips whose results were compared, that are wrong
    uint32_t first_wrong;                       // chip
    uint32_t slowest;                           // chip
    struct ts_chips_link links[TS_CHIPS_LINKS]; // the busiest first
    uint32_t link_count;
    char bound[200];      // one sentence
    const char *bound_by; // "link", "router" or "chip"
    char bound_object[48];
};

// After the run. NULL: no memory.
struct ts_chips *ts_chips_new(struct ts_work *const *works, uint32_t count);
// Right or wrong, time, bandwidth, what bounds it; then chips and links.
void ts_chips_print(const struct ts_chips *self, struct ts_work *const *works, uint32_t count,
                    FILE *file);
// Adds `system`, `chips`, `links`, `system_bound` and `collective` to a document.
void ts_chips_json(const struct ts_chips *self, struct ts_work *const *works, uint32_t count,
                   json_t *document);

#endif
