// Sections of an ELF file by name; see sections.h.
#include "platform/load/sections.h"

#include <string.h>

Elf_Scn *ts_elf_section(Elf *elf, const char *name, GElf_Shdr *header)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) == 0)
        for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
            const char *own = gelf_getshdr(section, header)
                                  ? elf_strptr(elf, names, header->sh_name)
                                  : NULL;
            if (own != NULL && strcmp(own, name) == 0)
                return section;
        }
    *header = (GElf_Shdr){0};
    return NULL;
}
