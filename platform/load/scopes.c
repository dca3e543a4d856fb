#include "platform/load/scopes.h"

#include "platform/base/error.h"

#include <dwarf.h>

// A unit or a function, in the order of the walk: what is around it comes before it.
struct scope {
    Dwarf_Die die;
    int around; // -1: it is a unit
};

struct range {
    Dwarf_Addr low, high;
    int scope;
};

struct ts_scopes {
    struct scope *scopes;
    size_t scope_count, scope_room;
    struct range *ranges;
    size_t range_count, range_room;
    Dwarf_Off last; // of the walk
};

static bool add_ranges(struct ts_scopes *self, Dwarf_Die *die, int scope)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t offset = 0;
    while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
        if (!TS_GROW(self->ranges, self->range_count, self->range_room))
            return false;
        self->ranges[self->range_count++] = (struct range){low, high, scope};
    }
    return true;
}

static bool add_scope(struct ts_scopes *self, Dwarf_Die *die, int around)
{
    if (!TS_GROW(self->scopes, self->scope_count, self->scope_room))
        return false;
    self->scopes[self->scope_count++] = (struct scope){*die, around};
    return add_ranges(self, die, (int)self->scope_count - 1);
}

static bool walk(struct ts_scopes *self, Dwarf_Die *parent, int around)
{
    Dwarf_Die die;
    bool good = true;
    if (dwarf_child(parent, &die) != 0)
        return true;
    do {
        // Each entry lies behind those before it. In a damaged file one may not: the walk would go in circles.
        if (dwarf_dieoffset(&die) <= self->last)
            return true;
        self->last = dwarf_dieoffset(&die);
        int tag = dwarf_tag(&die), inside = around;
        bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
        bool code = dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges);
        if (function && code) {
            good = add_scope(self, &die, around);
            inside = (int)self->scope_count - 1;
        }
        // A block without code of its own holds variables only.
        if ((function && code) || (tag == DW_TAG_lexical_block && code) || tag == DW_TAG_namespace)
            good = good && walk(self, &die, inside);
    } while (good && dwarf_siblingof(&die, &die) == 0);
    return good;
}

struct ts_scopes *ts_scopes_new(Dwarf *dwarf)
{
    struct ts_scopes *self = calloc(1, sizeof *self);
    Dwarf_Off offset = 0, next;
    size_t header;
    bool good = self != NULL;
    for (; good && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0;
         offset = next) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, offset + header, &unit) == NULL)
            continue;
        good = add_scope(self, &unit, -1);
        good = good && walk(self, &unit, (int)self->scope_count - 1);
    }
    if (good)
        return self;
    ts_scopes_free(self);
    return NULL;
}

void ts_scopes_free(struct ts_scopes *self)
{
    if (self == NULL)
        return;
    free(self->scopes);
    free(self->ranges);
    free(self);
}

int ts_scopes_at(const struct ts_scopes *self, uint32_t pc, Dwarf_Die *unit, Dwarf_Die *functions,
                 int room)
{
    int at = -1, count = 0;
    // The last one of the walk that holds the address is the innermost.
    for (size_t i = 0; i < self->range_count; i++)
        if (pc >= self->ranges[i].low && pc < self->ranges[i].high && self->ranges[i].scope > at)
            at = self->ranges[i].scope;
    if (at < 0)
        return -1;
    for (; self->scopes[at].around >= 0; at = self->scopes[at].around)
        if (count < room)
            functions[count++] = self->scopes[at].die;
    *unit = self->scopes[at].die;
    return count;
}
