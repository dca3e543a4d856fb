// Puts programs and data into a tile: ELF files for the cores, raw images, words.
//
// An ELF is 32-bit little-endian RISC-V, linked for one core. Its segments go where they are loaded
// (physical address), into L1 or into the core's local RAM at 0xFFB00000; in the second case the
// core keeps its local RAM over the reset that starts it. With a section .loader_init, as the
// vendor's kernels have it, what belongs into local RAM goes there instead, at its distance from
// the RAM's start: the program's start-up code copies it. Names of zones (.profiler_meta) are for
// the host only (zones.h).
//
// Bytes may not overlap what was loaded before them. A segment without bytes in the file only names
// memory: several programs and the host may share it (arguments of the run), but no other program
// may have bytes there.
#pragma once

#include "platform/tile/tile.h"

#define TS_LOAD_RANGES 256

struct ts_load_range {
    uint32_t address, length;
    int core;    // of a local RAM; -1: L1
    int program; // the core of its ELF; -1: data
    bool empty;  // memory without bytes in the file
    char name[64];
};

struct ts_loader {
    struct ts_tile *tile;
    struct ts_load_range ranges[TS_LOAD_RANGES];
    uint32_t count;
};

void ts_loader_init(struct ts_loader *self, struct ts_tile *tile);

// Loads an ELF for a core; *entry is where it starts. False: error says what is wrong, with the
// file's name.
bool ts_load_elf(struct ts_loader *self, unsigned core, const char *path, uint32_t *entry,
                 struct ts_error *error);
bool ts_load_elf_bytes(struct ts_loader *self, unsigned core, const void *bytes, size_t length,
                       const char *name, uint32_t *entry, struct ts_error *error);
// Loads a raw file to an address of L1.
bool ts_load_raw(struct ts_loader *self, uint32_t address, const char *path,
                 struct ts_error *error);
bool ts_load_bytes(struct ts_loader *self, uint32_t address, const void *bytes, size_t length,
                   const char *name, struct ts_error *error);

// A complete file in memory, to be freed; NULL: error.
void *ts_read_file(const char *path, size_t *length, struct ts_error *error);
