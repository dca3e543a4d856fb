// The state of a capture (capture.h), for its files.
#pragma once

#include "platform/lib/inside.h"
#include "platform/ttsim/capture.h"

#define TS_CAPTURE_BLOCK 4096u // memory is compared by blocks
#define TS_CAPTURE_RUN   1024u // blocks that make one piece, at most

struct ts_capture_tile {
    struct ts_capture *capture;
    struct ts_tile *tile;
    bool held, launched, used; // used: by a launch since its release
    ts_cycle release, done;
    uint32_t word; // that released it
    struct ts_pieces boot, registers, memory;
    uint8_t *low;   // the host has written this byte below the configuration; NULL: not released
    uint64_t *hash; // of blocks, at the go message
};

// What the host did since the card started (record.c).
struct ts_host_record {
    struct ts_host_step *steps;
    size_t count, room;
    unsigned others; // writes to tiles that a scenario does not have
    bool off;        // the host has tt-metal's firmware
    bool unknown;    // cores run, and it is not tt-metal's firmware
    bool lost;       // no memory
};

struct ts_capture {
    struct ts_host_record record;
    struct tensim *sim;
    char folder[PATH_MAX], chip[PATH_MAX];
    const struct ts_metal_layout *layout; // NULL: nothing was released yet
    struct ts_capture_tile *tiles;
    size_t count;
    uint64_t *dram[TS_SOC_CHANNELS]; // hashes of blocks, at the go message
    struct ts_pieces channels;       // of DRAM
    struct ts_elf_cache *elf_cache;  // NULL: kernels have no names
    unsigned unnamed;                // kernels of the launch that are in no file
    struct ts_pieces elf;            // files of the kernels of the launch
    uint8_t *scratch;                // TS_CAPTURE_RUN blocks
    unsigned launches;               // so far
    unsigned earlier;                // the launch before, since all tiles were released; 0: none
    bool asked;                      // a go message was written since time passed
    bool open;                       // a launch runs
    const char *spoilt;              // why it is left out; NULL: it is not
    ts_cycle go;
};

// Of a tile in lists of pieces.
static inline uint32_t ts_capture_order(const struct ts_capture *self,
                                        const struct ts_capture_tile *tile)
{
    return TS_PIECE_TILE + (uint32_t)(tile - self->tiles);
}

// capture_memory.c: all memory at the go message, and what has changed since.
bool ts_capture_take(struct ts_capture *self, struct ts_error *error);
bool ts_capture_changes(struct ts_capture *self, struct ts_pieces *after, struct ts_error *error);
// capture_message.c: what the host wrote below the configuration, and the configuration in its parts.
bool ts_capture_message(struct ts_capture *self, struct ts_capture_tile *tile,
                        struct ts_error *error);
// capture_names.c: the ELF files of the kernels of a tile that the launch runs on.
bool ts_capture_names(struct ts_capture *self, const struct ts_capture_tile *tile,
                      struct ts_error *error);

// record.c: an access of the host; the file of all of them.
void ts_record_access(struct ts_capture *self, struct tensim_xy at, uint64_t address,
                      const void *bytes, uint32_t length, bool read);
bool ts_record_write(struct ts_capture *self, struct ts_error *error);
void ts_record_end(struct ts_host_record *self);
