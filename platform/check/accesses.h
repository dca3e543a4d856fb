// What accesses of cores, units and requests have in common.
#pragma once

#include "platform/check/check.h"

// What requests access at the memory of `self`: L1 or DRAM.
enum ts_check_object ts_check_requested(const struct ts_check *self);
// Looks for races and memory errors.
void ts_check_access(struct ts_check *self, const struct ts_check_access *access);
// A write or read that is no longer than this may be of a flag.
uint32_t ts_check_flag_bytes(enum ts_check_object object);
// Knowledge that a small write leaves with its words.
void ts_check_leave(struct ts_check *self, enum ts_check_object object, uint64_t address,
                    uint32_t length, const struct ts_known *known, bool atomic);
// The polled word orders accesses from now on. NULL: no room.
struct ts_check_word *ts_check_polled(struct ts_check *self, uint32_t address);
// Is the access one by the slow path to a local RAM? Then it has the place there.
bool ts_check_slow_request(struct ts_check *self, struct ts_check_access *access);
// Where in the program a unit's access comes from: the word that it executes.
static inline struct ts_check_place ts_check_unit_place(struct ts_check *self, unsigned thread,
                                                        unsigned unit, enum ts_check_how how)
{
    return (struct ts_check_place){self->home, ts_check_unit_site(self, thread, unit, how),
                                   self->threads[thread].word[unit].at};
}
