// Sections of an ELF file by name.
#ifndef TENSIM_LOAD_SECTIONS_H
#define TENSIM_LOAD_SECTIONS_H

#include <gelf.h>
#include <libelf.h>

// The first section of that name, with its header; NULL, and a header of zeros: there is none.
Elf_Scn *ts_elf_section(Elf *elf, const char *name, GElf_Shdr *header);

#endif
