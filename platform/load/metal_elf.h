// ELF files as tt-metal's build cache has them: firmware, which runs where it was linked, and kernels, which the host puts
// anywhere.
//
//   text, linked behind its processor's firmware, then the image of its data: one piece of L1
//   data, linked for local RAM behind the firmware's: start-up code copies the image there
//
// A kernel keeps its relocations (--emit-relocs), because its text moves and its local data does not. Moving it changes what
// names an address of the text, and what reaches from the text to a fixed address relative to the pc. tt-metal's host rewrites
// such pairs of instructions to be relative to the pc; here they get their new addresses. Both take the same cycles.
#pragma once

#include "platform/base/error.h"

struct ts_metal_elf {
    void *elf; // of libelf
    char name[256];
    uint32_t text, text_bytes;   // where it was linked
    uint32_t image, image_bytes; // of the data: behind the text or, of firmware, local RAM
    const uint8_t *text_at, *image_at;
    uint32_t entry;
};

// The bytes stay the caller's, and stay. False: error says what is wrong, with the name.
bool ts_metal_elf_open(struct ts_metal_elf *self, const void *bytes, size_t length,
                       const char *name, struct ts_error *error);
void ts_metal_elf_close(struct ts_metal_elf *self);

// A kernel's complete image, text and data, and the same as it is at an address of L1.
uint32_t ts_metal_elf_bytes(const struct ts_metal_elf *self);
bool ts_metal_elf_move(const struct ts_metal_elf *self, uint32_t to, uint8_t *image,
                       struct ts_error *error);

// A symbol's size; 0: there is none.
uint32_t ts_metal_elf_size_of(const struct ts_metal_elf *self, const char *symbol);
