// Puts programs and data into a tile (loader.h).
#include "platform/load/loader.h"

#include "platform/base/input.h"
#include "platform/load/sections.h"
#include "platform/tile/names.h"

#define FILE_MAX (64u << 20)

void ts_loader_init(struct ts_loader *self, struct ts_tile *tile)
{
    memset(self, 0, sizeof *self);
    self->tile = tile;
}

void *ts_read_file(const char *path, size_t *length, struct ts_error *error)
{
    FILE *file = ts_open_input(path, error);
    if (file == NULL)
        return ts_nothing(error, TS_SETUP, "%s: cannot be opened", path);
    unsigned char *bytes = NULL;
    size_t room = 0, count = 0;
    for (;;) {
        if (count == room) {
            room = room ? room * 2 : 65536;
            unsigned char *more = room <= FILE_MAX ? realloc(bytes, room) : NULL;
            if (more == NULL) {
                ts_fail(error, TS_SETUP, "%s: larger than any tile", path);
                break;
            }
            bytes = more;
        }
        size_t got = fread(bytes + count, 1, room - count, file);
        count += got;
        if (got == 0) {
            if (ferror(file)) {
                ts_fail(error, TS_SETUP, "%s: cannot be read", path);
                break;
            }
            fclose(file);
            *length = count;
            return bytes;
        }
    }
    free(bytes);
    fclose(file);
    return NULL;
}

// May both be in the same place?
static bool may_share(const struct ts_load_range *a, const struct ts_load_range *b)
{
    if (a->empty && b->empty)
        return true;
    return (a->empty || b->empty) && (a->program < 0 || b->program < 0 || a->program == b->program);
}

// Takes a range that nothing has been loaded to yet.
static bool claim(struct ts_loader *self, const struct ts_load_range *wanted, const char *name,
                  struct ts_error *error)
{
    for (uint32_t i = 0; i < self->count; i++) {
        const struct ts_load_range *range = &self->ranges[i];
        if (range->core == wanted->core && wanted->address < range->address + range->length &&
            range->address < wanted->address + wanted->length && !may_share(range, wanted))
            return ts_refuse(error, TS_SETUP,
                             "%s: 0x%x to 0x%x overlaps %s, which is at 0x%x to 0x%x", name,
                             wanted->address, wanted->address + wanted->length - 1, range->name,
                             range->address, range->address + range->length - 1);
    }
    if (self->count == TS_LOAD_RANGES)
        return ts_refuse(error, TS_SETUP, "%s: more than %d pieces for one tile", name,
                         TS_LOAD_RANGES);
    self->ranges[self->count] = *wanted;
    const char *base = strrchr(name, '/');
    snprintf(self->ranges[self->count].name, sizeof self->ranges[0].name, "%s",
             base ? base + 1 : name);
    self->count++;
    return true;
}

bool ts_load_bytes(struct ts_loader *self, uint32_t address, const void *bytes, size_t length,
                   const char *name, struct ts_error *error)
{
    if (length == 0)
        return ts_refuse(error, TS_SETUP, "%s: empty", name);
    if (length > self->tile->l1_size || address > self->tile->l1_size - length)
        return ts_refuse(error, TS_SETUP, "%s: %zu bytes at 0x%x do not fit into L1 (0 to 0x%x)",
                         name, length, address, self->tile->l1_size - 1);
    struct ts_load_range range = {
        .address = address, .length = (uint32_t)length, .core = -1, .program = -1};
    if (!claim(self, &range, name, error))
        return false;
    ts_l1_write(&self->tile->l1, address, bytes, (uint32_t)length, 0);
    return true;
}

bool ts_load_raw(struct ts_loader *self, uint32_t address, const char *path, struct ts_error *error)
{
    size_t length = 0;
    void *bytes = ts_read_file(path, &length, error);
    bool good = bytes != NULL && ts_load_bytes(self, address, bytes, length, path, error);
    free(bytes);
    return good;
}

// One loadable segment.
static bool load_segment(struct ts_loader *self, unsigned core, const unsigned char *bytes,
                         size_t length, const GElf_Phdr *segment, const GElf_Shdr *loader_init,
                         const char *name, struct ts_error *error)
{
    static const uint32_t keep_local[TS_RV_CORES] = {1u << 6, 1u << 0, 1u << 2, 1u << 4, 1u << 8};
    struct ts_tile *tile = self->tile;
    if (segment->p_memsz == 0)
        return true;
    if (segment->p_offset > length || segment->p_filesz > length - segment->p_offset)
        return ts_refuse(error, TS_SETUP, "%s: truncated: a segment ends at byte %llu of %zu", name,
                         (unsigned long long)(segment->p_offset + segment->p_filesz), length);
    if (segment->p_filesz > segment->p_memsz)
        return ts_refuse(error, TS_SETUP, "%s: a segment has more bytes in the file than in memory",
                         name);
    uint64_t address = segment->p_paddr, size = segment->p_memsz;
    uint8_t *to;
    int where = -1;
    uint64_t local = address - TS_RV_LOCAL_BASE;
    bool inside = address >= TS_RV_LOCAL_BASE && local < tile->cores[core].local_size &&
                  size <= tile->cores[core].local_size - local;
    if (inside && segment->p_filesz != 0 && loader_init->sh_size != 0) {
        // Nobody but the core reaches its local RAM: the program copies this itself.
        if (local + segment->p_filesz > loader_init->sh_size)
            return ts_refuse(error, TS_SETUP,
                             "%s: segment 0x%llx to 0x%llx does not fit into .loader_init", name,
                             (unsigned long long)address, (unsigned long long)(address + size - 1));
        address = loader_init->sh_addr + local;
        size = segment->p_filesz;
        inside = false;
    }
    if (address < tile->l1_size && size <= tile->l1_size - address) {
        to = tile->l1.bytes + address;
    } else if (inside) {
        to = tile->local[core] + local;
        where = (int)core;
        tile->control.disable_reset |= keep_local[core];
    } else {
        return ts_refuse(error, TS_SETUP,
                         "%s: segment 0x%llx to 0x%llx lies outside L1 and outside %s's local RAM",
                         name, (unsigned long long)address,
                         (unsigned long long)(address + size - 1), ts_tile_core_name(tile, core));
    }
    struct ts_load_range range = {.address = (uint32_t)address,
                                  .length = (uint32_t)size,
                                  .core = where,
                                  .program = (int)core,
                                  .empty = where < 0 && segment->p_filesz == 0};
    if (!claim(self, &range, name, error))
        return false;
    if (range.empty)
        return true; // the host may have put data there
    memcpy(to, bytes + segment->p_offset, segment->p_filesz);
    memset(to + segment->p_filesz, 0, size - segment->p_filesz);
    if (where < 0)
        ts_l1_notify(&tile->l1, (uint32_t)address, (uint32_t)size, 0);
    return true;
}

// Are the segment's bytes all of this section?
static bool only_has(const GElf_Phdr *segment, const GElf_Shdr *section)
{
    return section->sh_size != 0 && segment->p_offset == section->sh_offset &&
           segment->p_filesz <= section->sh_size;
}

static bool load_elf(struct ts_loader *self, unsigned core, Elf *elf, const unsigned char *bytes,
                     size_t length, const char *name, uint32_t *entry, struct ts_error *error)
{
    GElf_Ehdr header;
    size_t count;
    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL)
        return ts_refuse(error, TS_SETUP, "%s: not an ELF file", name);
    if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return ts_refuse(error, TS_SETUP, "%s: not a 32-bit little-endian ELF file", name);
    if (header.e_machine != EM_RISCV)
        return ts_refuse(error, TS_SETUP, "%s: for machine %u, not for RISC-V (%u)", name,
                         header.e_machine, EM_RISCV);
    if (header.e_type != ET_EXEC)
        return ts_refuse(error, TS_SETUP, "%s: not linked: an ELF of type %u, not an executable",
                         name, header.e_type);
    if (elf_getphdrnum(elf, &count) != 0 || count == 0)
        return ts_refuse(error, TS_SETUP, "%s: no program headers", name);
    bool any = false;
    GElf_Shdr loader_init, zone_names;
    ts_elf_section(elf, ".loader_init", &loader_init);
    ts_elf_section(elf, ".profiler_meta", &zone_names);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) == NULL)
            return ts_refuse(error, TS_SETUP, "%s: truncated: program header %zu is missing", name,
                             i);
        if (segment.p_type != PT_LOAD || only_has(&segment, &zone_names))
            continue;
        any |= segment.p_memsz != 0;
        if (!load_segment(self, core, bytes, length, &segment, &loader_init, name, error))
            return false;
    }
    if (!any)
        return ts_refuse(error, TS_SETUP, "%s: nothing to load", name);
    if (header.e_entry >= TS_L1_SIZE || header.e_entry % 4 != 0)
        return ts_refuse(error, TS_SETUP, "%s: entry 0x%llx is not a word of L1", name,
                         (unsigned long long)header.e_entry);
    *entry = (uint32_t)header.e_entry;
    return true;
}

bool ts_load_elf_bytes(struct ts_loader *self, unsigned core, const void *bytes, size_t length,
                       const char *name, uint32_t *entry, struct ts_error *error)
{
    *entry = 0;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return ts_refuse(error, TS_BUG, "libelf is too old");
    if (length < sizeof(Elf32_Ehdr))
        return ts_refuse(error, TS_SETUP, "%s: truncated: %zu bytes are no ELF header", name,
                         length);
    // libelf may write into the image when it converts headers: give it a copy.
    char *copy = malloc(length);
    Elf *elf = copy ? elf_memory(memcpy(copy, bytes, length), length) : NULL;
    bool good = false;
    if (elf == NULL)
        ts_fail(error, TS_SETUP, "%s: not an ELF file", name);
    else
        good = load_elf(self, core, elf, bytes, length, name, entry, error);
    elf_end(elf);
    free(copy);
    return good;
}

bool ts_load_elf(struct ts_loader *self, unsigned core, const char *path, uint32_t *entry,
                 struct ts_error *error)
{
    size_t length = 0;
    void *bytes = ts_read_file(path, &length, error);
    bool good = bytes != NULL && ts_load_elf_bytes(self, core, bytes, length, path, entry, error);
    free(bytes);
    if (good)
        snprintf(self->tile->programs[core].path, sizeof self->tile->programs[core].path, "%s",
                 path);
    return good;
}
