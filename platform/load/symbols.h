// Symbols and lines of guest programs: from a core's pc to "kernel_main (reader.cpp:30), inside
// cb_wait_front (cb.h:132)".
//
// Reads the ELF a core runs (struct ts_tile_program) on demand, with libelf and libdw. A line
// is only named where the debug information has this very address; a wrong one is worse than none.
// Programs without an ELF (hang programs) have a table of lines instead.
#pragma once

#include "platform/tile/tile.h"

#define TS_FRAMES 12

// One function at an address: where in it the address is, or where it calls the frame before.
struct ts_frame {
    char function[96]; // "" : not known
    char file[96];     // without folder
    char path[512];    // complete, as the compiler had it; "": not known
    int line, column;  // 0: not known
    bool sdk;          // of the guest SDK or the vendor's headers
    bool firmware;     // of the SDK's code that starts kernels
};

// Innermost first.
struct ts_frames {
    struct ts_frame frame[TS_FRAMES];
    unsigned count;
    int user; // the first frame with a line that is not of the SDK, headers last; -1: none
};

// An ELF, open. All functions accept NULL: then nothing is known.
struct ts_symbols;
struct ts_symbols *ts_symbols_open(const struct ts_tile_program *program);
void ts_symbols_close(struct ts_symbols *self);
struct ts_frames ts_symbols_frames(struct ts_symbols *self, uint32_t pc);
// Is the line of the user's source that leads to the address known?
bool ts_frames_complete(const struct ts_frames *self);
// The variable that holds an address, "flags+8". False: none.
bool ts_symbols_variable(struct ts_symbols *self, uint32_t address, char *name, size_t size);

// Of a core of a tile; with the frames of the callers, as far as they are needed to reach the user's
// line, if the core is at `pc` now, or if there is only one caller.
struct ts_frames ts_symbols_find(const struct ts_tile *tile, unsigned core, uint32_t pc);

// " in kernel_main (reader.cpp:30), inside cb_wait_front (cb.h:132)", with a space before it; "" if
// nothing is known.
const char *ts_frames_text(const struct ts_frames *self, char *text, size_t size);
// "reader.cpp:30": the user's line, or the innermost one; "" if no line is known.
const char *ts_frames_line(const struct ts_frames *self, char *text, size_t size);
// The same for editors, with its complete path: "/kernels/reader.cpp:30:5".
#define TS_SOURCE 600
const char *ts_frames_source(const struct ts_frames *self, char *text, size_t size);
