// Symbols and lines of guest programs: from a core's pc to "cb_wait_front at cb.h:132".
//
// Reads the ELF a core runs (struct ts_tile_program) on demand, with libelf and libdw. A line
// is only named where the debug information has this very address; a wrong one is worse than none.
#ifndef TENSIM_LOAD_SYMBOLS_H
#define TENSIM_LOAD_SYMBOLS_H

#include "platform/tile/tile.h"

// " in wait_front (cb.h:127) from matmul.cpp:30", "" if nothing is known.
struct ts_place {
    char function[96]; // "" : not known
    char file[96];
    int line; // 0: not known
    // For a header of the guest SDK: the line of the kernel from which it was reached. 0: not known.
    char caller[96];
    int caller_line;
};

struct ts_place ts_symbols_find(const struct ts_tile *tile, unsigned core, uint32_t pc);
// The same as text, with a space before it; "" if nothing is known.
const char *ts_place_text(const struct ts_place *self, char *text, size_t size);

#endif
