// Loads guest programs (guest.h).
#include "platform/run/guest.h"

#include "cores/riscv/core.h"

#include <elf.h>
#include <string.h>

const struct ts_guest_program *ts_guest_find(const char *name)
{
    for (const struct ts_guest_program *program = ts_guest_programs; program->name; program++)
        if (strcmp(program->name, name) == 0)
            return program;
    return NULL;
}

bool ts_guest_load(struct ts_l1 *l1, const char *name, const void *image, size_t length,
                   uint32_t *entry, struct ts_error *error)
{
    Elf32_Ehdr head;
    if (length < sizeof head || memcmp(image, ELFMAG, SELFMAG) != 0)
        return ts_refuse(error, TS_SETUP, "%s: not an ELF file", name);
    memcpy(&head, image, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS32 || head.e_machine != EM_RISCV)
        return ts_refuse(error, TS_SETUP, "%s: not a 32-bit RISC-V program", name);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf32_Phdr row;
        size_t at = head.e_phoff + (size_t)i * head.e_phentsize;
        if (at > length || length - at < sizeof row)
            return ts_refuse(error, TS_SETUP, "%s: truncated", name);
        memcpy(&row, (const char *)image + at, sizeof row);
        if (row.p_type != PT_LOAD || row.p_filesz == 0)
            continue;
        if (row.p_offset > length || length - row.p_offset < row.p_filesz)
            return ts_refuse(error, TS_SETUP, "%s: truncated", name);
        // Load addresses, not run addresses: start-up code copies data to the core's own RAM.
        if (!ts_l1_contains(row.p_paddr, row.p_filesz))
            return ts_refuse(error, TS_SETUP, "%s: segment at 0x%x lies outside L1", name,
                             row.p_paddr);
        ts_l1_write(l1, row.p_paddr, (const char *)image + row.p_offset, row.p_filesz, 0);
    }
    if (entry)
        *entry = head.e_entry;
    return true;
}

uint32_t ts_guest_data_end(const void *image)
{
    uint32_t last = TS_RV_LOCAL_BASE;
    Elf32_Ehdr head;
    memcpy(&head, image, sizeof head);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf32_Phdr row;
        memcpy(&row, (const char *)image + head.e_phoff + (size_t)i * head.e_phentsize, sizeof row);
        if (row.p_type == PT_LOAD && row.p_vaddr >= TS_RV_LOCAL_BASE &&
            row.p_vaddr + row.p_memsz > last)
            last = row.p_vaddr + row.p_memsz;
    }
    return last;
}
