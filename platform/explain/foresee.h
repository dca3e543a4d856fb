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
#pragma once

#include "platform/tile/tile.h"

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
