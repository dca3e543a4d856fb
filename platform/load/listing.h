// Listings: RISC-V code with the Tensix words in it, from words, raw images or ELF files.
#pragma once

#include "platform/base/error.h"
#include "units/isa/machine.h"

// One line per word: address, word, text. `tensix`: the words are Tensix instructions, not RISC-V.
void ts_list_words(const struct ts_machine *machine, uint32_t address, const uint32_t *words,
                   size_t count, bool tensix, FILE *to);
// An ELF's executable segments, or anything else as a raw image at `base`. False: error.
bool ts_list_file(const struct ts_machine *machine, const void *bytes, size_t length,
                  const char *name, uint32_t base, FILE *to, struct ts_error *error);
