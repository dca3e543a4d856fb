// Symbols and lines of guest programs; see symbols.h.
#include "platform/load/symbols.h"

#include "platform/base/plain.h"
#include "platform/load/loader.h"
#include "platform/load/scopes.h"

#include <dwarf.h>
#include <gelf.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The symbol table behind a section.
static Elf_Scn *next_table(Elf *elf, Elf_Scn *section, GElf_Shdr *header)
{
    while ((section = elf_nextscn(elf, section)) != NULL)
        if (gelf_getshdr(section, header) && header->sh_type == SHT_SYMTAB && header->sh_entsize)
            break;
    return section;
}

// The symbol of the type that holds an address, "name" or "name+4".
static bool find_symbol(Elf *elf, uint32_t address, unsigned type, char *name, size_t size)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    bool found = false;
    while ((section = next_table(elf, section, &header)) != NULL) {
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            if (gelf_getsym(data, (int)i, &symbol) == NULL ||
                GELF_ST_TYPE(symbol.st_info) != type || address < symbol.st_value ||
                address >= symbol.st_value + symbol.st_size)
                continue;
            const char *text = elf_strptr(elf, header.sh_link, symbol.st_name);
            uint32_t offset = address - (uint32_t)symbol.st_value;
            if (text == NULL)
                continue;
            found = true;
            if (type == STT_OBJECT && offset)
                snprintf(name, size, "%s+%u", text, offset);
            else
                snprintf(name, size, "%s", text);
            ts_plain(name);
        }
    }
    return found;
}

// Does the file belong to the guest SDK, in the source tree, the build tree or an installation, or
// to the vendor's headers?
static bool of_sdk(const char *path)
{
    static const char *const folders[] = {"/guest/",        "/tt_metal/hw/", "/tt_metal/include/",
                                          "/tt_metal/api/", "/tt-llk/",      "/tt_llk"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strstr(path, folders[i]) != NULL ||
            strncmp(path, folders[i] + 1, strlen(folders[i]) - 1) == 0)
            return true;
    return false;
}

struct ts_symbols {
    char *bytes;
    Elf *elf;
    Dwarf *dwarf;                      // NULL: no debug information
    struct ts_scopes *scopes;          // of it, once they are needed
    const struct ts_tile_lines *lines; // instead of an ELF
    uint32_t at, moved;                // where it lies, and how far from where it was linked
};

// Firmware, which starts it, was not moved.
static uint32_t linked(const struct ts_symbols *self, uint32_t pc)
{
    return self && pc >= self->at ? pc - self->moved : pc;
}

struct ts_symbols *ts_symbols_open(const struct ts_tile_program *program)
{
    struct ts_symbols *self = calloc(1, sizeof *self);
    struct ts_error error = {0};
    size_t length = program->length;
    if (self == NULL)
        return NULL;
    if (program->lines) {
        self->lines = program->lines;
        return self;
    }
    if (program->bytes) {
        self->bytes = malloc(length);
        if (self->bytes)
            memcpy(self->bytes, program->bytes, length);
    } else if (program->path[0]) {
        self->bytes = ts_read_file(program->path, &length, &error);
    }
    self->at = program->at;
    self->moved = program->moved;
    elf_version(EV_CURRENT);
    if (self->bytes)
        self->elf = elf_memory(self->bytes, length);
    if (self->elf)
        self->dwarf = dwarf_begin_elf(self->elf, DWARF_C_READ, NULL);
    return self;
}

void ts_symbols_close(struct ts_symbols *self)
{
    if (self == NULL)
        return;
    ts_scopes_free(self->scopes);
    if (self->dwarf)
        dwarf_end(self->dwarf);
    if (self->elf)
        elf_end(self->elf);
    free(self->bytes);
    free(self);
}

// --- frames

static void set_line(struct ts_frame *frame, const char *path, int line, int column)
{
    snprintf(frame->file, sizeof frame->file, "%s", base_name(path));
    snprintf(frame->path, sizeof frame->path, "%s", path);
    ts_plain(frame->file);
    ts_plain(frame->path);
    frame->line = line;
    frame->column = column;
    frame->sdk = of_sdk(path);
    frame->firmware = frame->sdk && strstr(path, "program/") != NULL;
}

// Where an inlined function was called: the line of the frame around it.
static void set_call(struct ts_frame *frame, Dwarf_Die *inlined, Dwarf_Files *files)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file, line, column = 0;
    if (files == NULL ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0)
        return;
    const char *path = dwarf_filesrc(files, file, NULL, NULL);
    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_column, &attribute), &column);
    if (path)
        set_line(frame, path, (int)line, (int)column);
}

// The functions around the address, from the scopes of the debug information.
static void add_scopes(struct ts_frames *self, const struct ts_scopes *scopes, uint32_t pc)
{
    Dwarf_Die unit, around[TS_FRAMES];
    int depth = ts_scopes_at(scopes, pc, &unit, around, TS_FRAMES), number = 0, column = 0;
    if (depth < 0)
        return;
    Dwarf_Files *files = NULL;
    Dwarf_Line *line = dwarf_getsrc_die(&unit, pc);
    const char *path = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    dwarf_getsrcfiles(&unit, &files, NULL);
    struct ts_frame *frame = &self->frame[self->count];
    if (path && dwarf_lineno(line, &number) == 0 && number > 0) {
        dwarf_linecol(line, &column);
        set_line(frame, path, number, column);
    }
    for (int i = 0; i < depth && self->count < TS_FRAMES; i++) {
        const char *name = dwarf_diename(&around[i]);
        frame = &self->frame[self->count++];
        snprintf(frame->function, sizeof frame->function, "%s", name ? name : "");
        ts_plain(frame->function);
        if (dwarf_tag(&around[i]) == DW_TAG_subprogram)
            break;
        if (self->count < TS_FRAMES)
            set_call(frame + 1, &around[i], files);
    }
}

static bool is_header(const struct ts_frame *frame)
{
    const char *dot = strrchr(frame->file, '.');
    return dot && dot[1] == 'h';
}

// A header of the user's own is a library too, if a source calls it.
static void find_user(struct ts_frames *self)
{
    self->user = -1;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < self->count && self->user < 0; i++)
            if (self->frame[i].line && !self->frame[i].sdk &&
                (pass == 1 || !is_header(&self->frame[i])))
                self->user = (int)i;
}

bool ts_frames_complete(const struct ts_frames *self)
{
    return self->user >= 0 && !is_header(&self->frame[self->user]);
}

static void add_table(struct ts_frames *self, const struct ts_tile_lines *lines, uint32_t pc)
{
    for (uint32_t i = lines->count; i-- > 0;)
        if (pc >= lines->line[i].pc && pc < lines->end) {
            struct ts_frame *frame = &self->frame[self->count++];
            snprintf(frame->file, sizeof frame->file, "%s", base_name(lines->file));
            snprintf(frame->path, sizeof frame->path, "%s", lines->file);
            frame->line = lines->line[i].line;
            return;
        }
}

// The names of a mangled one, without types: "_ZZ11kernel_mainvENKUlvE_clEv" is "kernel_main::{lambda}".
static void plain_name(char *name, size_t size)
{
    char text[sizeof((struct ts_frame *)0)->function] = "";
    if (strncmp(name, "_Z", 2) != 0)
        return;
    for (const char *at = name + 2; *at;) {
        char *end;
        unsigned long length = strtoul(at, &end, 10);
        if (end == at) {
            const bool lambda = strncmp(at, "Ul", 2) == 0;
            if (lambda)
                ts_append(text, sizeof text, "::{lambda}");
            at += lambda ? strlen(at) : 1;
            continue;
        }
        length = length < strlen(end) ? length : strlen(end);
        ts_append(text, sizeof text, "%s%.*s", text[0] ? "::" : "", (int)length, end);
        at = end + length;
        if (*at != 'E' && (*at < '0' || *at > '9') && name[2] != 'Z')
            break; // types follow
    }
    if (text[0])
        snprintf(name, size, "%s", text);
}

static void add_frames(struct ts_frames *frames, struct ts_symbols *self, uint32_t pc)
{
    unsigned before = frames->count;
    if (self && self->lines)
        add_table(frames, self->lines, pc);
    if (self && self->dwarf && self->scopes == NULL)
        self->scopes = ts_scopes_new(self->dwarf);
    if (self && self->scopes && before < TS_FRAMES)
        add_scopes(frames, self->scopes, pc);
    if (self && self->elf && frames->count == before && before < TS_FRAMES) {
        struct ts_frame *frame = &frames->frame[before];
        bool named = find_symbol(self->elf, pc, STT_FUNC, frame->function, sizeof frame->function);
        plain_name(frame->function, sizeof frame->function);
        frames->count += named || frame->line;
    }
    find_user(frames);
}

struct ts_frames ts_symbols_frames(struct ts_symbols *self, uint32_t pc)
{
    struct ts_frames frames = {.user = -1};
    add_frames(&frames, self, linked(self, pc));
    return frames;
}

// --- callers, by the code

// The function that holds an address.
static bool function_at(Elf *elf, uint32_t pc, uint32_t *start, uint32_t *length)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = next_table(elf, section, &header)) != NULL) {
        GElf_Sym symbol;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++)
            if (gelf_getsym(data, (int)i, &symbol) && GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
                pc - symbol.st_value < symbol.st_size) {
                *start = (uint32_t)symbol.st_value;
                *length = (uint32_t)symbol.st_size;
                return true;
            }
    }
    return false;
}

static uint32_t jump_target(uint32_t pc, uint32_t word)
{
    uint32_t offset = (word >> 21 & 0x3ff) << 1 | (word >> 20 & 1) << 11 |
                      (word >> 12 & 0xff) << 12;
    return pc + (word >> 31 ? offset | 0xfff00000u : offset);
}

// The first place from which the function of `pc` is called. False: there is none.
static bool first_caller(Elf *elf, uint32_t pc, uint32_t *caller)
{
    uint32_t start, length, count = 0;
    Elf_Scn *section = NULL;
    if (!function_at(elf, pc, &start, &length))
        return false;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == NULL || !(header.sh_flags & SHF_EXECINSTR))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (uint32_t i = 0; data && data->d_buf && i + 4 <= data->d_size; i += 4) {
            uint32_t word, at = (uint32_t)header.sh_addr + i;
            memcpy(&word, (const char *)data->d_buf + i, 4);
            if ((word & 0x7f) != 0x6f || jump_target(at, word) != start || at - start < length)
                continue;
            if (count++ == 0 || at < *caller)
                *caller = at;
        }
    }
    return count > 0;
}

static void add_callers(struct ts_frames *frames, struct ts_symbols *self, uint32_t pc)
{
    while (self && self->elf && !ts_frames_complete(frames) && frames->count &&
           frames->count < TS_FRAMES) {
        unsigned before = frames->count;
        if (!first_caller(self->elf, pc, &pc))
            return;
        add_frames(frames, self, pc);
        if (frames->count == before)
            return;
    }
}

// --- callers, by the call frame information

struct unwound {
    uint32_t reg[32];
    const uint8_t *local;
    uint32_t length;
};

static bool stack_word(const struct unwound *self, uint32_t address, uint32_t *word)
{
    uint32_t offset = address - TS_RV_LOCAL_BASE;
    if (address < TS_RV_LOCAL_BASE || offset % 4 != 0 || offset + 4 > self->length)
        return false;
    memcpy(word, self->local + offset, 4);
    return true;
}

// The register before the call: unchanged, or at an offset from the frame's address.
static bool register_before(const struct unwound *self, Dwarf_Frame *frame, int number,
                            uint32_t cfa, uint32_t *value)
{
    Dwarf_Op memory[3], *ops;
    size_t count;
    if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
        return false;
    if (count == 0) {
        *value = self->reg[number];
        return true;
    }
    if (ops[0].atom != DW_OP_call_frame_cfa)
        return false;
    uint32_t offset = count > 1 && ops[1].atom == DW_OP_plus_uconst ? (uint32_t)ops[1].number : 0;
    return stack_word(self, cfa + offset, value);
}

static bool unwind(struct unwound *self, Dwarf_CFI *cfi, uint32_t pc, uint32_t *caller)
{
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops;
    size_t count;
    struct unwound before = *self;
    if (dwarf_cfi_addrframe(cfi, pc, &frame) != 0)
        return false;
    bool known = dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1 &&
                 (ops[0].atom == DW_OP_bregx ||
                  (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31));
    if (known) {
        bool by_number = ops[0].atom == DW_OP_bregx;
        uint32_t base = by_number ? (uint32_t)ops[0].number : (uint32_t)ops[0].atom - DW_OP_breg0;
        uint32_t cfa = self->reg[base % 32] +
                       (uint32_t)(by_number ? ops[0].number2 : ops[0].number);
        for (int i = 1; i < 32 && known; i++)
            if (i == 1 || i == 8 || i == 9 || (i >= 18 && i <= 27))
                known = register_before(self, frame, i, cfa, &before.reg[i]);
        before.reg[2] = cfa;
    }
    free(frame);
    *self = before;
    *caller = before.reg[1];
    return known;
}

// The frames of the caller, if the function of `pc` is not inlined: `reg` are the core's registers,
// `local` its stack, which ends at TS_RV_LOCAL_BASE + length.
static struct ts_frames caller_of(struct ts_symbols *self, uint32_t pc, const uint32_t reg[32],
                                  const uint8_t *local, uint32_t length)
{
    struct ts_frames frames = {.user = -1};
    struct unwound state = {.local = local, .length = length};
    memcpy(state.reg, reg, sizeof state.reg);
    add_frames(&frames, self, pc);
    Dwarf_CFI *cfi = self && self->dwarf ? dwarf_getcfi(self->dwarf) : NULL;
    while (cfi && !ts_frames_complete(&frames) && frames.count < TS_FRAMES &&
           unwind(&state, cfi, pc, &pc)) {
        unsigned before = frames.count;
        pc = linked(self, pc) - 4; // the call, not what follows it
        add_frames(&frames, self, pc);
        if (frames.count == before)
            break;
    }
    return frames;
}

bool ts_symbols_variable(struct ts_symbols *self, uint32_t address, char *name, size_t size)
{
    return self && self->elf && find_symbol(self->elf, address, STT_OBJECT, name, size);
}

struct ts_frames ts_symbols_find(const struct ts_tile *tile, unsigned core, uint32_t pc)
{
    const struct ts_rv_core *c = &tile->cores[core];
    struct ts_symbols *symbols = ts_symbols_open(&tile->programs[core]);
    struct ts_frames frames = ts_symbols_frames(symbols, pc);
    const struct ts_rv_view view = ts_rv_core_view(c);
    // In a loop of the same function the stack is the same.
    if (!ts_frames_complete(&frames) && frames.count && !view.held && pc - view.at + 512 < 1024)
        frames = caller_of(symbols, linked(symbols, pc), view.x, c->local, c->local_size);
    if (!ts_frames_complete(&frames))
        add_callers(&frames, symbols, linked(symbols, pc));
    ts_symbols_close(symbols);
    return frames;
}

const char *ts_frames_text(const struct ts_frames *self, char *text, size_t size)
{
    text[0] = '\0';
    if (self->count == 0)
        return text;
    // The function that the user's line calls; what is below it is the SDK's own affair.
    const struct ts_frame *inner = &self->frame[self->user > 0 ? self->user - 1 : 0];
    const struct ts_frame *user = self->user > 0 ? &self->frame[self->user] : inner;
    size_t used = 0;
    if (user->function[0])
        used = (size_t)snprintf(text, size, " in %s", user->function);
    if (user->line && used < size)
        used += (size_t)snprintf(text + used, size - used, used ? " (%s:%d)" : " at %s:%d",
                                 user->file, user->line);
    if (user != inner && used < size)
        used += (size_t)snprintf(text + used, size - used, ", inside %s", inner->function);
    if (user != inner && inner->line && used < size)
        snprintf(text + used, size - used, " (%s:%d)", inner->file, inner->line);
    return text;
}

const char *ts_frames_line(const struct ts_frames *self, char *text, size_t size)
{
    const struct ts_frame *frame = &self->frame[self->user > 0 ? self->user : 0];
    text[0] = '\0';
    if (self->count && frame->line)
        snprintf(text, size, "%s:%d", frame->file, frame->line);
    return text;
}

const char *ts_frames_source(const struct ts_frames *self, char *text, size_t size)
{
    const struct ts_frame *frame = &self->frame[self->user > 0 ? self->user : 0];
    text[0] = '\0';
    if (self->count && frame->line && frame->path[0])
        snprintf(text, size, "%s:%d:%d", frame->path, frame->line,
                 frame->column ? frame->column : 1);
    return text;
}
