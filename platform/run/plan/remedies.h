// Counter-measures against steps of current, as parameters of any program (config/remedies.def).
//
//   -p stagger=every:2000 --> defines that the kernel API reads (prelude.c), the start of each core (launch block), the word
//   that the firmware changes (platform/run/firmware.c)
//
// The user's kernels are compiled as they are. What a kernel cannot follow is refused: it leaves a mark in its image if it
// can (TS_REMEDY_MARK of cores/guest/metal/internal/remedies.h).
#pragma once

#include "platform/run/plan/plan.h"

// Reads a list of CYCLE[:LEVEL], with commas or +, behind those that are there. False: `text` says what is wrong with it.
bool ts_flips_add(struct ts_flip flips[TS_FLIPS + 1], const char *set, char *text, size_t size);
// The same as text. Returns `text`.
const char *ts_flips_text(const struct ts_flip *flips, char *text, size_t size);

// Adds the names of all that are not in the list, with blanks.
void ts_remedies_names(char *text, size_t size);
// Is it the name of a counter-measure?
bool ts_remedy_is(const char *setting);
// From the settings, after the kernels are read. False: error says what is wrong.
bool ts_remedies_read(struct ts_plan *self, const struct ts_plan_options *options);
// After compiling: does a kernel follow each of them?
bool ts_remedies_check(const struct ts_plan *self, struct ts_error *error);
// The defines of a kernel.
void ts_remedies_define(const struct ts_plan *self, FILE *file);
// Cycles by which the kernels of a core start later.
uint32_t ts_remedies_start(const struct ts_plan *self, struct ts_plan_xy at);
// Does a kernel have NOPs that it would not have?
bool ts_remedies_nops(const struct ts_plan *self);
// "remedies" of a document: what was asked for; nothing if nothing was.
void ts_remedies_json(const struct ts_plan *self, json_t *document);
