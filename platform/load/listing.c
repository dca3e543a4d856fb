// Listings (listing.h).
#include "platform/load/listing.h"

#include "cores/riscv/isa.h"

#include <elf.h>

static void list_word(const struct ts_machine *machine, uint32_t address, uint32_t word,
                      bool tensix, FILE *to)
{
    char text[120];
    bool inline_word = !tensix && (word & 3) != 3; // .ttinsn
    if (tensix || inline_word)
        ts_machine_disasm(machine, inline_word ? ts_inline_to_word(word) : word, text, sizeof text);
    else
        ts_rv_disassemble(address, word, text, sizeof text);
    fprintf(to, "%8x:  %08x  %s\n", address, word, text);
}

void ts_list_words(const struct ts_machine *machine, uint32_t address, const uint32_t *words,
                   size_t count, bool tensix, FILE *to)
{
    for (size_t i = 0; i < count; i++)
        list_word(machine, address + (uint32_t)i * 4, words[i], tensix, to);
}

static void list_bytes(const struct ts_machine *machine, uint32_t address,
                       const unsigned char *bytes, size_t length, FILE *to)
{
    for (size_t i = 0; i + 4 <= length; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, 4);
        list_word(machine, address + (uint32_t)i, word, false, to);
    }
}

bool ts_list_file(const struct ts_machine *machine, const void *bytes, size_t length,
                  const char *name, uint32_t base, FILE *to, struct ts_error *error)
{
    Elf32_Ehdr header;
    if (length < sizeof header || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
        list_bytes(machine, base, bytes, length, to);
        return true;
    }
    memcpy(&header, bytes, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_machine != EM_RISCV)
        return ts_refuse(error, TS_SETUP, "%s: not a 32-bit RISC-V ELF file", name);
    bool any = false;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf32_Phdr segment;
        size_t at = (size_t)header.e_phoff + (size_t)i * sizeof segment;
        if (at + sizeof segment > length)
            return ts_refuse(error, TS_SETUP, "%s: truncated: program header %u is missing", name,
                             i);
        memcpy(&segment, (const char *)bytes + at, sizeof segment);
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
            continue;
        if (segment.p_offset > length || segment.p_filesz > length - segment.p_offset)
            return ts_refuse(error, TS_SETUP, "%s: truncated: a segment ends behind the file",
                             name);
        list_bytes(machine, segment.p_vaddr, (const unsigned char *)bytes + segment.p_offset,
                   segment.p_filesz, to);
        any = true;
    }
    if (!any)
        return ts_refuse(error, TS_SETUP, "%s: no code", name);
    return true;
}
