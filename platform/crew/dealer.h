// What is next: the order of handing out, tries, what is done, where the list stops.
#pragma once

#include "platform/crew/crew.h"

struct ts_dealer {
    struct ts_crew *crew; // gets the rows
    const struct ts_crew_list *list;
    size_t *order;  // runs, in the order of handing out
    size_t ordered; // of them
    size_t next;
    size_t *again; // given back: they go first
    size_t agains, room;
    uint8_t *tries;
    size_t left;  // runs that are not done, up to the row that stops the list
    size_t shown; // rows before this one are there
};

// After the rows of earlier runs are in the crew. `in_order`: ignores the list's costs.
void ts_dealer_begin(struct ts_dealer *self, struct ts_crew *crew, const struct ts_crew_list *list,
                     bool in_order);
void ts_dealer_free(struct ts_dealer *self);

// The next run; false: there is none to hand out now.
bool ts_dealer_next(struct ts_dealer *self, size_t *index);
// Runs that are not handed out.
size_t ts_dealer_waiting(const struct ts_dealer *self);
// A result with its code; takes the row. False: it is not new.
bool ts_dealer_done(struct ts_dealer *self, size_t index, json_t *row, int64_t code);
// A run that got lost: back to the list, without fault of its own.
void ts_dealer_back(struct ts_dealer *self, size_t index);
// The same by its own fault. False: it has had all its tries.
bool ts_dealer_again(struct ts_dealer *self, size_t index);
