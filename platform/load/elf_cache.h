// Kernels by the bytes of their code: the ELF files of a folder, which is tt-metal's build cache.
//
// A host writes the code of a kernel into L1, not its name. A kernel has the names of the first ELF file, by path, whose code is
// the same. Instructions whose addresses the host changes when it moves the code are not compared.
// Files are FOLDER/.../brisc.elf, ncrisc.elf, trisc0.elf, trisc1.elf or trisc2.elf: where a host compiles while it runs, they appear
// before the launch that needs them.
#pragma once

#include "cores/guest/include/program.h"
#include "platform/tile/tile.h"

struct ts_elf_cache;

// NULL: error says what is wrong with the folder.
struct ts_elf_cache *ts_elf_cache_new(const char *folder, struct ts_error *error);
void ts_elf_cache_free(struct ts_elf_cache *self); // NULL: does nothing
// Files may have appeared: a kernel that is not found is looked for in the folder again, once.
void ts_elf_cache_again(struct ts_elf_cache *self);
// The file of the code that processor `on` has at an address of L1, relative to the folder; NULL: none.
const char *ts_elf_cache_find(struct ts_elf_cache *self, unsigned on, const uint8_t *l1,
                              uint32_t at);
// The file itself, which stays the cache's, as the program that lies at an address. False: it cannot be read any more.
bool ts_elf_cache_program(struct ts_elf_cache *self, const char *path, uint32_t at,
                          struct ts_tile_program *to);
