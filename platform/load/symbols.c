// Symbols and lines of guest programs; see symbols.h.
#include "platform/load/symbols.h"

#include "platform/load/loader.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The function of the symbol table that holds the address.
static void find_symbol(Elf *elf, uint32_t pc, struct ts_place *place)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_SYMTAB ||
            header.sh_entsize == 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            if (gelf_getsym(data, (int)i, &symbol) == NULL ||
                GELF_ST_TYPE(symbol.st_info) != STT_FUNC || pc < symbol.st_value ||
                pc >= symbol.st_value + symbol.st_size)
                continue;
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name)
                snprintf(place->function, sizeof place->function, "%s", name);
        }
    }
}

// The innermost function, inlined ones too, by its own name.
static void find_function(Dwarf_Die *unit, uint32_t pc, struct ts_place *place)
{
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes(unit, pc, &scopes);
    for (int i = 0; i < count; i++) {
        int tag = dwarf_tag(&scopes[i]);
        const char *name = dwarf_diename(&scopes[i]);
        if ((tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) || name == NULL)
            continue;
        snprintf(place->function, sizeof place->function, "%s", name);
        break;
    }
    free(scopes);
}

// Does the file belong to the guest SDK, in the source tree, the build tree or an installation?
static bool of_sdk(const char *path)
{
    return strstr(path, "/guest/") != NULL;
}

// Where the functions that were inlined around the address were called: the first place that is not
// in the SDK.
static void find_caller(Dwarf_Die *unit, uint32_t pc, struct ts_place *place)
{
    Dwarf_Die *scopes = NULL, *around = NULL;
    Dwarf_Files *files;
    int count = dwarf_getscopes(unit, pc, &scopes), first = 0, depth = 0;
    while (first < count && dwarf_tag(&scopes[first]) != DW_TAG_inlined_subroutine)
        first++;
    if (first < count && dwarf_getsrcfiles(unit, &files, NULL) == 0)
        depth = dwarf_getscopes_die(&scopes[first], &around);
    for (int i = 0; i < depth; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Word file, line;
        if (dwarf_tag(&around[i]) != DW_TAG_inlined_subroutine ||
            dwarf_formudata(dwarf_attr(&around[i], DW_AT_call_file, &attribute), &file) != 0 ||
            dwarf_formudata(dwarf_attr(&around[i], DW_AT_call_line, &attribute), &line) != 0)
            continue;
        const char *path = dwarf_filesrc(files, file, NULL, NULL);
        if (path == NULL || of_sdk(path))
            continue;
        snprintf(place->caller, sizeof place->caller, "%s", base_name(path));
        place->caller_line = (int)line;
        break;
    }
    free(around);
    free(scopes);
}

static void find_line(Dwarf *dwarf, uint32_t pc, struct ts_place *place)
{
    Dwarf_Off offset = 0, next;
    size_t header;
    for (; dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0; offset = next) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, offset + header, &unit) == NULL || dwarf_haspc(&unit, pc) != 1)
            continue;
        find_function(&unit, pc, place);
        Dwarf_Line *line = dwarf_getsrc_die(&unit, pc);
        int number = 0;
        const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
        if (file && dwarf_lineno(line, &number) == 0 && number > 0) {
            snprintf(place->file, sizeof place->file, "%s", base_name(file));
            place->line = number;
            if (of_sdk(file))
                find_caller(&unit, pc, place);
        }
        return;
    }
}

struct ts_place ts_symbols_find(const struct ts_tile *tile, unsigned core, uint32_t pc)
{
    struct ts_place place = {0};
    const struct ts_tile_program *program = &tile->programs[core];
    struct ts_error error = {0};
    size_t length = program->length;
    char *copy = NULL;
    if (program->bytes) {
        copy = malloc(length);
        if (copy)
            memcpy(copy, program->bytes, length);
    } else if (program->path[0]) {
        copy = ts_read_file(program->path, &length, &error);
    }
    if (copy == NULL)
        return place;
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory(copy, length);
    if (elf) {
        find_symbol(elf, pc, &place);
        Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
        if (dwarf) {
            find_line(dwarf, pc, &place);
            dwarf_end(dwarf);
        }
        elf_end(elf);
    }
    free(copy);
    return place;
}

const char *ts_place_text(const struct ts_place *self, char *text, size_t size)
{
    text[0] = '\0';
    if (self->function[0] && self->line)
        snprintf(text, size, " in %s (%s:%d)", self->function, self->file, self->line);
    else if (self->function[0])
        snprintf(text, size, " in %s", self->function);
    else if (self->line)
        snprintf(text, size, " at %s:%d", self->file, self->line);
    size_t used = strlen(text);
    if (self->caller_line)
        snprintf(text + used, size - used, " from %s:%d", self->caller, self->caller_line);
    return text;
}
