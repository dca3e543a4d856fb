// Time of a card whose host drives it: steps of a number of cycles, and what the host waits for.
//
// A step ends early when the word that the host read last changes, or when a kernel writes the host's memory. The first
// read after a write lets a step pass before it: on a card, too, a read takes longer than what the write has started.
//
// A host that reads the same places in turn and writes nothing polls. When it has polled for long, and the model proves
// that nothing on the card can change any more although something waits, that is a hang.
#pragma once

#include "platform/ttsim/device.h"

struct ts_polled {
    uint32_t chip;
    struct tensim_xy at;
    uint64_t address;
};

struct ts_clock {
    struct tensim *sim;
    struct ts_capture *capture; // NULL: nothing is captured
    uint64_t quantum, patience, limit;
    bool written; // by the host, since time passed
    bool looked;  // the host has read since time passed
    bool at_home; // the host polls its own memory, not the card
    struct ts_polled last;
    bool has_last;
    // Polling: the reads come back to this one (Brent's way to find a cycle).
    struct ts_polled anchor;
    uint64_t since, power;
    uint64_t polls; // steps since the first return
    bool cyclic;
};

void ts_clock_init(struct ts_clock *self, struct tensim *sim, uint64_t quantum, uint64_t patience,
                   uint64_t limit);
// TENSIM_OK, or what ended the run: a fault, the limit, a hang.
enum tensim_code ts_clock_run(struct ts_clock *self, uint32_t steps, struct tensim_error *error);
// Before what must find that the host's writes have acted: lets a step pass, if the host has written since time passed.
enum tensim_code ts_clock_let_act(struct ts_clock *self, struct tensim_error *error);
// After an access to memory of the chip.
void ts_clock_saw(struct ts_clock *self, const struct ts_access *access);
