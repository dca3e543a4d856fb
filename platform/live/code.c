// The program of a core: the line of its source, the instructions around the pc, registers, memory.
#include "platform/base/json.h"
#include "platform/live/inside.h"
#include "platform/load/symbols.h"
#include "platform/tile/names.h"

#define WORDS  12 // before and behind the pc
#define LINES  12 // the same of a source
#define MEMORY 256

static json_t *listing(const struct ts_tile *tile, uint32_t pc)
{
    json_t *rows = json_array();
    const uint32_t from = pc > 4 * WORDS ? pc - 4 * WORDS : 0;
    for (uint32_t at = from; at <= pc + 4 * WORDS && ts_l1_contains(at, 4); at += 4) {
        uint32_t word;
        char text[280];
        memcpy(&word, tile->l1.bytes + at, 4);
        if (word && (word & 3) != 3) // a word for the coprocessor
            ts_disasm_fields(ts_inline_to_word(word), text, sizeof text);
        else
            ts_rv_disassemble(at, word, text, sizeof text);
        ts_json_add(rows, "[I, I, s]", (json_int_t)at, (json_int_t)word, text);
    }
    return rows;
}

// Only files that are programs: a path out of an ELF may name any.
static bool is_source(const char *path)
{
    static const char *const ends[] = {".c",  ".cc",  ".cpp", ".cxx", ".h",    ".hpp",
                                       ".hh", ".inl", ".s",   ".S",   ".yaml", ".yml"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(dot, ends[i]) == 0)
            return true;
    return false;
}

static json_t *source(const struct ts_frames *frames)
{
    const struct ts_frame *frame = &frames->frame[frames->user >= 0 ? frames->user : 0];
    const int from = frame->line > LINES ? frame->line - LINES : 1;
    char *text = NULL;
    size_t room = 0;
    if (frames->count == 0 || frame->line == 0)
        return json_null();
    json_t *lines = json_array();
    FILE *file = frame->path[0] && is_source(frame->path) ? fopen(frame->path, "re") : NULL;
    for (int i = 1; file && i <= frame->line + LINES && getline(&text, &room, file) >= 0; i++) {
        text[strcspn(text, "\r\n")] = '\0';
        json_t *line = i >= from ? json_string(text) : NULL;
        if (i >= from)
            json_array_append_new(lines, line ? line : json_string("")); // no UTF-8
    }
    if (file)
        fclose(file);
    free(text);
    return json_pack("{s:s, s:i, s:i, s:o}", "file", frame->file, "line", frame->line, "from", from,
                     "text", lines);
}

json_t *ts_live_code(const struct ts_live *self, uint32_t thread)
{
    const struct ts_tile *tile = self->machine.tiles[thread / TS_RV_CORES];
    const unsigned core = thread % TS_RV_CORES;
    const struct ts_rv_view view = ts_rv_core_view(&tile->cores[core]);
    json_t *registers = json_array(), *calls = json_array();
    for (unsigned i = 0; i < 32; i++)
        json_array_append_new(registers, json_integer(i ? view.x[i] : 0));
    const struct ts_frames frames = ts_symbols_find(tile, core, view.at);
    for (unsigned i = 0; i < frames.count; i++)
        ts_json_add(calls, "{s:s, s:s, s:i}", "function", frames.frame[i].function, "file",
                    frames.frame[i].file, "line", frames.frame[i].line);
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o}", "core", ts_tile_core_name(tile, core), "pc",
                     (json_int_t)view.at, "listing", listing(tile, view.at), "source",
                     source(&frames), "frames", calls, "x", registers);
}

json_t *ts_live_memory(const struct ts_live *self, uint32_t thread, uint32_t address)
{
    json_t *words = json_array();
    for (uint32_t at = address; at < address + MEMORY; at += 4) {
        uint32_t word;
        const bool known = ts_gdb_read(&self->machine, thread, at, (uint8_t *)&word, 4);
        json_array_append_new(words, known ? json_integer(word) : json_null());
    }
    return json_pack("{s:I, s:o}", "address", (json_int_t)address, "words", words);
}
