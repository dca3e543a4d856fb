// What a host launches, as program files: `tensim capture`.
//
//   release of BRISC   L1 of the tile: tt-metal's firmware and its tables
//   go message         when time passes next: L1 of all released tiles, DRAM, what the host wrote below the configuration
//   the end            BRISC has taken the go message back on every tile of the launch: memory that has changed; the file
//
// DIR/launch-N.yaml names DIR/bytes/HASH.bin: equal bytes are there once. platform/run/plan/captured.h runs such a file.
// Other firmware, or none: DIR/host.yaml, a scenario of all that the host does (record.c).
// Inaccuracies: registers, Dst and local RAM that earlier launches left are not captured. Three kinds of
// launches are not captured, and stderr says which: one that begins while another runs, one that has not ended when the host
// ends, and one whose kernels read or write the host's memory.
#pragma once

#include "platform/load/elf_cache.h"
#include "platform/run/plan/metal.h"
#include "platform/tensim.h"

struct ts_capture;

// Captures into `folder`, which is made. `elf`: the ELF files of kernels; NULL: none. NULL: error.
struct ts_capture *ts_capture_new(struct tensim *sim, const char *folder, const char *chip,
                                  struct ts_elf_cache *elf, struct tensim_error *error);
// Reports what was left out. NULL: does nothing.
void ts_capture_free(struct ts_capture *self);
// The same without a last file: in a forked process, the folder is its parent's.
void ts_capture_forget(struct ts_capture *self);
// The host has written to a site. NULL: does nothing.
enum tensim_code ts_capture_wrote(struct ts_capture *self, struct tensim_xy at, uint64_t address,
                                  const void *bytes, uint32_t length, struct tensim_error *error);
// The host has read memory.
void ts_capture_saw(struct ts_capture *self, struct tensim_xy at, uint64_t address,
                    const void *bytes, uint32_t length);
// A kernel has reached the host's memory.
void ts_capture_reached_host(struct ts_capture *self);
// Around a step of time.
enum tensim_code ts_capture_before(struct ts_capture *self, struct tensim_error *error);
enum tensim_code ts_capture_after(struct ts_capture *self, struct tensim_error *error);

// The host has written to a tile (capture_names.c). At a go message its kernels get the names of their ELF files.
void ts_capture_name_kernels(struct ts_elf_cache *cache, struct ts_tile *tile, uint64_t address,
                             uint32_t length);

// --- pieces of memory (pieces.c) ---

struct ts_piece {
    uint32_t order; // DRAM channels first, then tiles
    uint64_t at;
    uint32_t length;
    uint64_t hash;
    uint8_t *bytes; // of a short one; NULL: they are in a file
    char is[160];   // for readers; ""
};

struct ts_pieces {
    struct ts_piece *piece;
    size_t count, room;
};

#define TS_PIECE_TILE  16u  // order of the first tile
#define TS_PIECE_SHORT 256u // bytes that a program file has itself

// Adds a copy, which goes to a file of the folder unless it is short.
bool ts_pieces_add(struct ts_pieces *self, const char *folder, const struct ts_piece *piece,
                   const uint8_t *bytes, struct ts_error *error);
// Writes bytes to a file of the folder, if they are not there yet, and its name as YAML.
bool ts_pieces_store(const char *folder, const uint8_t *bytes, uint32_t length, FILE *file,
                     struct ts_error *error);
// Adds what is not 0 between two addresses; `of` is what lies there.
bool ts_pieces_nonzero(struct ts_pieces *self, const char *folder, uint32_t order,
                       const uint8_t *of, uint64_t first, uint64_t end, const char *is,
                       struct ts_error *error);
void ts_pieces_clear(struct ts_pieces *self);
// Adds copies of the pieces of another list.
void ts_pieces_copy(struct ts_pieces *self, const struct ts_pieces *from);
// As a list of YAML, equal pieces of several tiles once. `name` writes the name of tile `order`.
void ts_pieces_print(struct ts_pieces *self, const char *key, FILE *file,
                     void (*name)(const void *context, uint32_t order, FILE *file),
                     const void *context);
