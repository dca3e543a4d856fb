// Reads and moves tt-metal's ELF files (metal_elf.h).
//
// Source: tt-metal e4f9f0b, tt_metal/hw/toolchain/main.ld, llrt/tt_elffile.cpp, llrt/tt_memory.cpp; RISC-V ELF psABI.
// Inaccuracies: relocations that tt-metal's linker script cannot produce are refused by number.
#include "platform/load/metal_elf.h"

#include <gelf.h>

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
    GElf_Phdr row;
    if (elf_getphdrnum(self->elf, &count) != 0)
        return refuse(self, "no segments", error);
    for (int i = 0; i < (int)count; i++) {
        if (gelf_getphdr(self->elf, i, &row) == NULL)
            return refuse(self, "no segments", error);
        if (row.p_type != PT_LOAD)
            continue;
        if (row.p_offset > length || length - row.p_offset < row.p_filesz)
            return refuse(self, "truncated", error);
        if (row.p_vaddr < LOCAL_RAM && self->text_bytes == 0) {
            self->text = (uint32_t)row.p_vaddr;
            self->text_bytes = (uint32_t)row.p_filesz;
            self->text_at = bytes + row.p_offset;
        } else if (row.p_memsz > 0 && (row.p_vaddr < LOCAL_RAM || self->image_bytes > 0)) {
            return refuse(self, "a segment that tt-metal's linker scripts do not have", error);
        } else if (row.p_filesz > 0) {
            self->image = (uint32_t)row.p_paddr;
            self->image_bytes = (uint32_t)row.p_filesz;
            self->image_at = bytes + row.p_offset;
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
    GElf_Ehdr head;
    if (self->elf == NULL || gelf_getclass(self->elf) != ELFCLASS32 ||
        gelf_getehdr(self->elf, &head) == NULL || head.e_machine != EM_RISCV ||
        head.e_ident[EI_DATA] != ELFDATA2LSB)
        refuse(self, "not a 32-bit RISC-V program", error);
    else if (find_segments(self, bytes, length, error)) {
        self->entry = (uint32_t)head.e_entry;
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
        GElf_Shdr head;
        GElf_Sym row;
        if (gelf_getshdr(section, &head) == NULL || head.sh_type != SHT_SYMTAB)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (int i = 0; data && gelf_getsym(data, i, &row); i++) {
            const char *name = elf_strptr(self->elf, head.sh_link, row.st_name);
            if (name && strcmp(name, symbol) == 0)
                return (uint32_t)row.st_size;
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
    Elf_Data *relocations, *symbols;
    uint32_t section, in_image; // address of what is relocated, and where its bytes are
};

static bool in_text(const struct move *self, const GElf_Sym *symbol)
{
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE)
        return false;
    Elf_Scn *section = elf_getscn(self->elf->elf, symbol->st_shndx);
    GElf_Shdr head;
    return section && gelf_getshdr(section, &head) && head.sh_flags & SHF_ALLOC &&
           (uint32_t)head.sh_addr - self->elf->text <= self->elf->text_bytes;
}

static uint8_t *at_of(const struct move *self, const GElf_Rela *row)
{
    uint32_t at = self->in_image + ((uint32_t)row->r_offset - self->section);
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

static bool symbol_of(const struct move *self, const GElf_Rela *row, GElf_Sym *symbol)
{
    return gelf_getsym(self->symbols, (int)GELF_R_SYM(row->r_info), symbol) != NULL;
}

static uint32_t value_of(const GElf_Sym *symbol, const GElf_Rela *row)
{
    return (uint32_t)symbol->st_value + (uint32_t)row->r_addend;
}

// From an auipc that has moved to what has not.
static uint32_t reached(const struct move *self, const GElf_Sym *symbol, const GElf_Rela *high)
{
    return value_of(symbol, high) - ((uint32_t)high->r_offset + self->distance);
}

// The relocation of the auipc at this address, and its symbol.
static bool high_at(const struct move *self, uint32_t address, GElf_Rela *high, GElf_Sym *symbol)
{
    for (int i = 0; gelf_getrela(self->relocations, i, high); i++)
        if (high->r_offset == address && GELF_R_TYPE(high->r_info) == R_RISCV_PCREL_HI20)
            return symbol_of(self, high, symbol);
    return false;
}

static bool apply(const struct move *self, const GElf_Rela *row)
{
    GElf_Sym symbol, high_symbol;
    GElf_Rela high;
    if (!symbol_of(self, row, &symbol))
        return false;
    uint32_t value = value_of(&symbol, row);
    uint8_t *at = at_of(self, row);
    bool text = in_text(self, &symbol);
    unsigned type = (unsigned)GELF_R_TYPE(row->r_info);
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
            put_high(at, reached(self, &symbol, row));
        return true;
    case R_RISCV_PCREL_LO12_I:
    case R_RISCV_PCREL_LO12_S: // its symbol is the auipc
        if (!high_at(self, value_of(&symbol, row), &high, &high_symbol))
            return false;
        if (!in_text(self, &high_symbol))
            put_low(at, reached(self, &high_symbol, &high), type == R_RISCV_PCREL_LO12_S);
        return true;
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
    GElf_Phdr row;
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (int i = 0; i < (int)count && gelf_getphdr(elf, i, &row); i++)
        if (row.p_type == PT_LOAD && address - row.p_vaddr < row.p_memsz)
            return (uint32_t)(address - row.p_vaddr + row.p_paddr);
    return address;
}

static bool relocate(struct move *self, Elf_Scn *section, struct ts_error *error)
{
    Elf *elf = self->elf->elf;
    GElf_Shdr head, target;
    gelf_getshdr(section, &head);
    Elf_Scn *of = elf_getscn(elf, head.sh_info), *table = elf_getscn(elf, head.sh_link);
    self->relocations = elf_getdata(section, NULL);
    self->symbols = table ? elf_getdata(table, NULL) : NULL;
    if (of == NULL || gelf_getshdr(of, &target) == NULL || self->relocations == NULL ||
        self->symbols == NULL || !(target.sh_flags & SHF_ALLOC) || target.sh_type == SHT_NOBITS)
        return true;
    self->section = (uint32_t)target.sh_addr;
    self->in_image = load_address(elf, self->section) - self->elf->text;
    GElf_Rela row;
    for (int i = 0; gelf_getrela(self->relocations, i, &row); i++)
        if (!apply(self, &row))
            return ts_refuse(
                error, TS_SETUP, "%s: the relocation of type %u at 0x%x cannot be moved",
                self->elf->name, (unsigned)GELF_R_TYPE(row.r_info), (uint32_t)row.r_offset);
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
        GElf_Shdr head;
        if (gelf_getshdr(section, &head) == NULL || head.sh_type != SHT_RELA)
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
