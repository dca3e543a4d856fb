// Reads and moves tt-metal's ELF files (metal_elf.h).
//
// Source: tt-metal e4f9f0b, tt_metal/hw/toolchain/main.ld, llrt/tt_elffile.cpp, llrt/tt_memory.cpp; RISC-V ELF psABI.
// Inaccuracies: relocations that tt-metal's linker script cannot produce are refused by number.
#include "platform/load/metal_elf.h"

#include <libelf.h>
#include <stdio.h>
#include <string.h>

#define LOCAL_RAM 0xffb00000u

// --- open ---

static bool refuse(const struct ts_metal_elf *self, const char *what, struct ts_error *error)
{
    return ts_refuse(error, TS_SETUP, "%s: %s", self->name, what);
}

static bool find_segments(struct ts_metal_elf *self, const uint8_t *bytes, size_t length,
                          struct ts_error *error)
{
    size_t count = 0;
    Elf32_Phdr *row = elf32_getphdr(self->elf);
    if (row == NULL || elf_getphdrnum(self->elf, &count) != 0)
        return refuse(self, "no segments", error);
    for (size_t i = 0; i < count; i++, row++) {
        if (row->p_type != PT_LOAD)
            continue;
        if (row->p_offset > length || length - row->p_offset < row->p_filesz)
            return refuse(self, "truncated", error);
        if (row->p_vaddr < LOCAL_RAM && self->text_bytes == 0) {
            self->text = row->p_vaddr;
            self->text_bytes = row->p_filesz;
            self->text_at = bytes + row->p_offset;
        } else if (row->p_memsz > 0 && (row->p_vaddr < LOCAL_RAM || self->image_bytes > 0)) {
            return refuse(self, "a segment that tt-metal's linker scripts do not have", error);
        } else if (row->p_filesz > 0) {
            self->image = row->p_paddr;
            self->image_bytes = row->p_filesz;
            self->image_at = bytes + row->p_offset;
        }
    }
    if (self->text_bytes == 0)
        return refuse(self, "no code", error);
    return true;
}

bool ts_metal_elf_open(struct ts_metal_elf *self, const void *bytes, size_t length,
                       const char *name, struct ts_error *error)
{
    *self = (struct ts_metal_elf){0};
    snprintf(self->name, sizeof self->name, "%s", name);
    if (length < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return refuse(self, "not an ELF file", error);
    elf_version(EV_CURRENT);
    self->elf = elf_memory((char *)(uintptr_t)bytes, length); // libelf only reads it
    const Elf32_Ehdr *head = self->elf ? elf32_getehdr(self->elf) : NULL;
    if (head == NULL || head->e_machine != EM_RISCV || head->e_ident[EI_DATA] != ELFDATA2LSB)
        refuse(self, "not a 32-bit RISC-V program", error);
    else if (find_segments(self, bytes, length, error)) {
        self->entry = head->e_entry;
        return true;
    }
    ts_metal_elf_close(self);
    return false;
}

void ts_metal_elf_close(struct ts_metal_elf *self)
{
    if (self->elf)
        elf_end(self->elf);
    self->elf = NULL;
}

uint32_t ts_metal_elf_size_of(const struct ts_metal_elf *self, const char *symbol)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(self->elf, section)) != NULL;) {
        const Elf32_Shdr *head = elf32_getshdr(section);
        Elf_Data *data = head->sh_type == SHT_SYMTAB ? elf_getdata(section, NULL) : NULL;
        const Elf32_Sym *row = data ? data->d_buf : NULL;
        for (size_t i = 0; data && i < data->d_size / sizeof *row; i++) {
            const char *name = elf_strptr(self->elf, head->sh_link, row[i].st_name);
            if (name && strcmp(name, symbol) == 0)
                return row[i].st_size;
        }
    }
    return 0;
}

// --- move ---

uint32_t ts_metal_elf_bytes(const struct ts_metal_elf *self)
{
    return self->image_bytes ? self->image - self->text + self->image_bytes : self->text_bytes;
}

struct move {
    const struct ts_metal_elf *elf;
    uint32_t distance;
    uint8_t *image;
    uint32_t bytes;
    const Elf32_Rela *relocations;
    size_t count;
    const Elf32_Sym *symbols;
    size_t symbol_count;
    uint32_t section, in_image; // address of what is relocated, and where its bytes are
};

static bool in_text(const struct move *self, const Elf32_Sym *symbol)
{
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE)
        return false;
    Elf_Scn *section = elf_getscn(self->elf->elf, symbol->st_shndx);
    const Elf32_Shdr *head = section ? elf32_getshdr(section) : NULL;
    return head && head->sh_flags & SHF_ALLOC &&
           head->sh_addr - self->elf->text <= self->elf->text_bytes;
}

static uint8_t *at_of(const struct move *self, const Elf32_Rela *row)
{
    uint32_t at = self->in_image + (row->r_offset - self->section);
    return at <= self->bytes - 4 ? self->image + at : NULL;
}

static void put(uint8_t *at, uint32_t keep, uint32_t bits)
{
    uint32_t word;
    memcpy(&word, at, 4);
    word = (word & keep) | bits;
    memcpy(at, &word, 4);
}

static void put_high(uint8_t *at, uint32_t value)
{
    put(at, 0x00000fff, (value + 0x800) & 0xfffff000);
}

static void put_low(uint8_t *at, uint32_t value, bool store)
{
    if (store)
        put(at, 0x01fff07f, (value >> 5 & 0x7f) << 25 | (value & 0x1f) << 7);
    else
        put(at, 0x000fffff, value << 20);
}

// From an auipc that has moved to what has not.
static uint32_t reached(const struct move *self, const Elf32_Rela *high)
{
    const Elf32_Sym *symbol = &self->symbols[ELF32_R_SYM(high->r_info)];
    return symbol->st_value + (uint32_t)high->r_addend - (high->r_offset + self->distance);
}

static const Elf32_Rela *high_at(const struct move *self, uint32_t address)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->relocations[i].r_offset == address &&
            ELF32_R_TYPE(self->relocations[i].r_info) == R_RISCV_PCREL_HI20)
            return &self->relocations[i];
    return NULL;
}

static bool apply(const struct move *self, const Elf32_Rela *row)
{
    const Elf32_Sym *symbol = &self->symbols[ELF32_R_SYM(row->r_info)];
    uint32_t value = symbol->st_value + (uint32_t)row->r_addend;
    const Elf32_Rela *high;
    uint8_t *at = at_of(self, row);
    bool text = in_text(self, symbol);
    unsigned type = ELF32_R_TYPE(row->r_info);
    if (at == NULL)
        return type == R_RISCV_NONE || type == R_RISCV_RELAX || type == R_RISCV_ALIGN;
    value += text ? self->distance : 0;
    switch (type) {
    case R_RISCV_HI20:
        if (text)
            put_high(at, value);
        return true;
    case R_RISCV_LO12_I:
    case R_RISCV_LO12_S:
        if (text)
            put_low(at, value, type == R_RISCV_LO12_S);
        return true;
    case R_RISCV_PCREL_HI20:
        if (!text)
            put_high(at, reached(self, row));
        return true;
    case R_RISCV_PCREL_LO12_I:
    case R_RISCV_PCREL_LO12_S: // its symbol is the auipc
        high = high_at(self, symbol->st_value + (uint32_t)row->r_addend);
        if (high && !in_text(self, &self->symbols[ELF32_R_SYM(high->r_info)]))
            put_low(at, reached(self, high), type == R_RISCV_PCREL_LO12_S);
        return high != NULL;
    case R_RISCV_32:
        put(at, 0, value);
        return true;
    case R_RISCV_JAL:
    case R_RISCV_CALL:
    case R_RISCV_CALL_PLT:
    case R_RISCV_BRANCH:
        return text;
    case R_RISCV_32_PCREL:
        return false;
    default: // of one segment, relative to the global pointer, or for linkers
        return true;
    }
}

// Where the bytes of an address are before the program starts.
static uint32_t load_address(Elf *elf, uint32_t address)
{
    const Elf32_Phdr *row = elf32_getphdr(elf);
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++, row++)
        if (row->p_type == PT_LOAD && address - row->p_vaddr < row->p_memsz)
            return address - row->p_vaddr + row->p_paddr;
    return address;
}

static bool relocate(struct move *self, Elf_Scn *section, struct ts_error *error)
{
    Elf *elf = self->elf->elf;
    const Elf32_Shdr *head = elf32_getshdr(section);
    Elf_Scn *of = elf_getscn(elf, head->sh_info), *table = elf_getscn(elf, head->sh_link);
    const Elf32_Shdr *target = of ? elf32_getshdr(of) : NULL;
    Elf_Data *rows = elf_getdata(section, NULL), *symbols = table ? elf_getdata(table, NULL) : NULL;
    if (target == NULL || rows == NULL || symbols == NULL || !(target->sh_flags & SHF_ALLOC) ||
        target->sh_type == SHT_NOBITS)
        return true;
    self->section = target->sh_addr;
    self->in_image = load_address(elf, target->sh_addr) - self->elf->text;
    self->relocations = rows->d_buf;
    self->count = rows->d_size / sizeof *self->relocations;
    self->symbols = symbols->d_buf;
    self->symbol_count = symbols->d_size / sizeof *self->symbols;
    for (size_t i = 0; i < self->count; i++) {
        const Elf32_Rela *row = &self->relocations[i];
        if (ELF32_R_SYM(row->r_info) < self->symbol_count && apply(self, row))
            continue;
        return ts_refuse(error, TS_SETUP, "%s: the relocation of type %u at 0x%x cannot be moved",
                         self->elf->name, (unsigned)ELF32_R_TYPE(row->r_info), row->r_offset);
    }
    return true;
}

bool ts_metal_elf_move(const struct ts_metal_elf *self, uint32_t to, uint8_t *image,
                       struct ts_error *error)
{
    struct move move = {.elf = self,
                        .distance = to - self->text,
                        .image = image,
                        .bytes = ts_metal_elf_bytes(self)};
    bool any = false;
    if (move.bytes < 4 || (self->image_bytes && self->image < self->text + self->text_bytes))
        return refuse(self, "its data do not lie behind its code", error);
    memset(image, 0, move.bytes);
    memcpy(image, self->text_at, self->text_bytes);
    if (self->image_bytes)
        memcpy(image + (self->image - self->text), self->image_at, self->image_bytes);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(self->elf, section)) != NULL;) {
        if (elf32_getshdr(section)->sh_type != SHT_RELA)
            continue;
        any = true;
        if (!relocate(&move, section, error))
            return false;
    }
    if (!any)
        return refuse(self, "it has no relocations (link it with --emit-relocs, as tt-metal does)",
                      error);
    return true;
}
