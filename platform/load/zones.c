// Names of timed zones; see zones.h.
#include "platform/load/zones.h"

#include "platform/load/loader.h"
#include "platform/load/sections.h"

static uint32_t id_of(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    return (hash ^ hash >> 16) & 0xffff;
}

// One string of the section: "tool:file:line:name".
static void add(struct ts_zone_names *self, const char *text, size_t length)
{
    char copy[400];
    if (length == 0 || length >= sizeof copy || self->count == TS_ZONE_NAMES)
        return;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *name = strrchr(copy, ':');
    if (name == NULL)
        return;
    *name++ = '\0';
    char *line = strrchr(copy, ':');
    if (line == NULL)
        return;
    *line++ = '\0';
    const char *file = strrchr(copy, '/');
    if (file == NULL)
        file = strrchr(copy, ':');
    self->row[self->count].id = id_of(text, length);
    snprintf(self->row[self->count++].text, sizeof self->row[0].text, "%.30s (%.30s:%.8s)", name,
             file ? file + 1 : copy, line);
}

static void read_section(struct ts_zone_names *self, Elf *elf)
{
    GElf_Shdr header;
    Elf_Scn *section = ts_elf_section(elf, ".profiler_meta", &header);
    const Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
    const char *text = data ? data->d_buf : NULL;
    for (size_t at = 0; text != NULL && at < data->d_size;) {
        size_t length = strnlen(text + at, data->d_size - at);
        add(self, text + at, length);
        at += length + 1;
    }
}

void ts_zone_names_read(struct ts_zone_names *self, const struct ts_tile *tile)
{
    memset(self, 0, sizeof *self);
    if (elf_version(EV_CURRENT) == EV_NONE)
        return;
    for (unsigned core = 0; core < TS_RV_CORES; core++) {
        const struct ts_tile_program *program = &tile->programs[core];
        struct ts_error error = {0};
        size_t length = program->length;
        char *bytes = NULL; // a copy: libelf may write to it
        if (program->path[0])
            bytes = ts_read_file(program->path, &length, &error);
        else if (program->bytes && (bytes = malloc(length)) != NULL)
            memcpy(bytes, program->bytes, length);
        Elf *elf = bytes ? elf_memory(bytes, length) : NULL;
        if (elf != NULL && elf_kind(elf) == ELF_K_ELF)
            read_section(self, elf);
        elf_end(elf);
        free(bytes);
    }
}

const char *ts_zone_name(const struct ts_zone_names *self, uint32_t id, char *text, size_t size)
{
    for (unsigned i = 0; i < self->count; i++)
        if (self->row[i].id == id)
            return self->row[i].text;
    snprintf(text, size, "0x%04x", id);
    return text;
}
