// Polls over the network: a core that reads words of DRAM or of another tile again and again.
//
// Such a core never rests, and the network neither: nothing sleeps. That it goes on forever is
// proved from what a round does. It sends reads only; each of them brings what already lies where it
// goes, so it changes nothing, whenever it arrives; and the round ends where it began, but for counts
// of its rounds and its reads (cores/riscv/drift.h). If every core that runs is in such a loop, or in
// one that spin.h or drift.h prove, and no write is on its way, nobody will ever write anything.
#pragma once

#include "cores/riscv/drift.h"
#include "noc/niu.h"
#include "platform/kernel/kernel.h"

#define TS_FAR_READS 8u

struct ts_tile;

// Where what is, by chip and NoC 0 coordinates.
struct ts_far {
    struct ts_far_chip {
        const struct ts_noc_niu *niu[TS_NOC_HEIGHT_MAX][TS_NOC_WIDTH_MAX]; // of NoC 0; NULL: none
    } * chip;
    uint32_t chips;
};

// The reads of a round, each once.
struct ts_far_poll {
    struct ts_far_read {
        struct ts_noc_xy to; // NoC 0 coordinates
        uint64_t address;
        uint32_t length, back; // where the bytes go here
        uint32_t pc;
        uint8_t noc;
    } read[TS_FAR_READS];
    unsigned reads;
    struct ts_rv_drift drift; // what the round stores, besides
};

struct ts_far ts_far_of(const struct ts_kernel *kernel);
void ts_far_free(struct ts_far *self);
// The interface at a place of a tile's chip; NULL: none.
const struct ts_noc_niu *ts_far_niu(const struct ts_far *self, const struct ts_tile *from,
                                    struct ts_noc_xy at);
// The memory there: a tile, or a channel of DRAM, which has several places. NULL: none.
const void *ts_far_memory(const struct ts_far *self, const struct ts_tile *from,
                          struct ts_noc_xy at);

// `spin`: what the round loads and how it ends, as of ts_rv_spins. False: not proved.
bool ts_core_asks(const struct ts_rv_core *core, const struct ts_far *far, struct ts_rv_spin *spin,
                  struct ts_far_poll *poll);
// The word that a word of the core's L1 is a copy of; NULL: of none.
const struct ts_far_read *ts_far_copied(const struct ts_far_poll *self, uint32_t address);

// Is every core that runs in a loop forever, at least one of them over the network?
bool ts_far_hang(const struct ts_kernel *kernel);
