// What a waiting core would do if its waits ended: who could still change the word that another one
// polls.
//
// The core's program is interpreted from where it stands (cores/riscv/walk.h), every wait being
// left by its way out, and its visible operations are listed: stores to L1, requests to the network,
// posts and gets of semaphores, mails. A guess, not a proof: the values that the core would have
// read are not known. It only says who is asked first, never whether there is a hang.
//
// Inaccuracies: after the first wait with an unknown value, a path not taken is not seen. At most
// TS_FORESEEN operations and FORESEE_STEPS instructions of a core.
#ifndef TENSIM_EXPLAIN_FORESEE_H
#define TENSIM_EXPLAIN_FORESEE_H

#include "platform/tile/tile.h"

#define TS_FORESEEN 48

enum ts_foreseen_kind { TS_WOULD_STORE, TS_WOULD_SEND, TS_WOULD_POST, TS_WOULD_GET, TS_WOULD_MAIL };

struct ts_foreseen {
    enum ts_foreseen_kind kind;
    uint32_t pc;
    uint32_t address, length;   // of L1, here or there
    struct ts_noc_xy to, start; // of a request: NoC 0 coordinates
    bool broadcast;
    bool valued; // the value that it writes is known
    uint32_t value;
    uint8_t index;  // semaphore, or core that gets the mail
    uint32_t waits; // that must end first
};

struct ts_foresight {
    struct ts_foreseen would[TS_FORESEEN];
    uint32_t count;
};

void ts_foresee(const struct ts_tile *tile, unsigned core, struct ts_foresight *foresight);
// Does the operation write a word of L1 of the tile at x, y? `here`: where the core is.
bool ts_foreseen_hits(const struct ts_foreseen *self, struct ts_noc_xy here, struct ts_noc_xy at,
                      uint32_t address);

#endif
