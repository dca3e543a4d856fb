// Sections of an ELF file by name.
#pragma once

#include <gelf.h>
#include <libelf.h>

// The first section of that name, with its header; NULL, and a header of zeros: there is none.
Elf_Scn *ts_elf_section(Elf *elf, const char *name, GElf_Shdr *header);
