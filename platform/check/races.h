// Races: two accesses to the same bytes, one of them a write, that nothing orders. It does not matter which one came
// first in this run.
#pragma once

#include "platform/check/check.h"

// Compares an access with those before, and remembers it.
void ts_races_look(struct ts_check *self, const struct ts_check_access *access);
// Is a finding still one at the end of the run? A word may turn out to be one for synchronisation.
bool ts_races_stands(const struct ts_check *self, const struct ts_check_finding *finding);
