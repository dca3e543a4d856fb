// The functions of a program by address, those that were inlined too: one walk through the debug
// information, then many questions. libdw's own dwarf_getscopes_die walks through all of it for each.
#pragma once

#include "platform/base/std.h"

#include <elfutils/libdw.h>

struct ts_scopes;

// NULL: out of memory.
struct ts_scopes *ts_scopes_new(Dwarf *dwarf);
void ts_scopes_free(struct ts_scopes *self);
// The unit that holds the address and the functions around it, innermost first; the last one is not
// inlined. Returns how many of them there are room for; -1: the address is in no unit.
int ts_scopes_at(const struct ts_scopes *self, uint32_t pc, Dwarf_Die *unit, Dwarf_Die *functions,
                 int room);
