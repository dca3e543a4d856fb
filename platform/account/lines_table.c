// From cells to source lines: one JSON document (lines.h).
#include "platform/account/lines.h"
#include "platform/base/json.h"
#include "platform/load/names.h"
#include "platform/tile/names.h"

// The threads, in the order of the table.
static const struct {
    const char *name;
    uint8_t core;
    int8_t front;
} threads[] = {{"unpack", TS_RV_TRISC0, 0},
               {"math", TS_RV_TRISC1, 1},
               {"pack", TS_RV_TRISC2, 2},
               {"brisc", TS_RV_BRISC, -1},
               {"ncrisc", TS_RV_NCRISC, -1}};
#define THREADS (sizeof threads / sizeof *threads)

// Waits of a thread that others must end. All other cycles are a line's own: it works, or it waits for what it has
// asked for itself.
static const uint8_t others[] = {
    TS_STALL_IDLE,          TS_STALL_FIFO_EMPTY,   TS_STALL_FIFO_FULL,     TS_STALL_SEMAPHORE_ZERO,
    TS_STALL_SEMAPHORE_MAX, TS_STALL_MUTEX_HELD,   TS_STALL_MAILBOX_EMPTY, TS_STALL_MAILBOX_FULL,
    TS_STALL_SRC_NOT_VALID, TS_STALL_SRC_NOT_FREE, TS_STALL_STREAM,        TS_STALL_TTSYNC,
    TS_STALL_TENSIX_SYNC,   TS_STALL_MOP_SYNC};

static bool is_own(const struct ts_cell *cell)
{
    if (cell->reason == TS_STALL_RV_POLL)
        return cell->transfer != 0;
    if (cell->transfer == TS_CELL_BLOCKED)
        return false;
    for (size_t i = 0; i < sizeof others; i++)
        if (cell->reason == others[i])
            return false;
    return cell->reason <= TS_CELL_BUSY;
}

// --- places: what is known of a pc ---

struct place {
    struct ts_code_place base; // first
    struct ts_frames frames;
    json_t *line; // borrowed; NULL: not asked for yet
};

struct table {
    struct ts_code_places places;
    json_t *lines;  // array
    json_t *by_key; // the same by "path:line"
};

static struct place *place_of(struct table *self, const struct ts_tile_program *image, uint32_t pc)
{
    const struct ts_code_program *program = ts_code_open(&self->places, image);
    bool is_new;
    struct place *place = ts_code_at(&self->places, program, pc, sizeof *place, &is_new);
    if (is_new)
        place->frames = ts_symbols_frames(program->symbols, pc);
    return place;
}

// The frame of the line that has the cycles: the user's; of code without one, the outermost.
static const struct ts_frame *frame_of(const struct ts_frames *frames)
{
    if (frames->user >= 0)
        return &frames->frame[frames->user];
    for (unsigned i = frames->count; i-- > 0;)
        if (frames->frame[i].line)
            return &frames->frame[i];
    return NULL;
}

// The place whose line is charged: the call that leads to the user's source, if this one is a library's.
static struct place *charged(struct table *self, const struct ts_lines_tile *tile,
                             const struct ts_tile_program *image, unsigned core,
                             const struct ts_cell *cell, struct place *inner)
{
    for (uint32_t path = cell->path; inner && !ts_frames_complete(&inner->frames) && path != 0;
         path = tile->calls[core][path].path) {
        struct place *caller = place_of(self, image, tile->calls[core][path].pc);
        if (caller && ts_frames_complete(&caller->frames))
            return caller;
    }
    return inner;
}

// --- lines ---

static json_t *member(json_t *object, const char *key, json_t *made)
{
    json_t *found = json_object_get(object, key);
    if (found) {
        json_decref(made);
        return found;
    }
    json_object_set_new(object, key, made);
    return json_object_get(object, key);
}

static void count(json_t *object, const char *key, int64_t by)
{
    json_t *number = member(object, key, json_integer(0));
    json_integer_set(number, json_integer_value(number) + by);
}

static json_t *line_of(struct table *self, struct place *place)
{
    if (place && place->line)
        return place->line;
    const struct ts_frame *frame = place ? frame_of(&place->frames) : NULL;
    char key[560] = "";
    if (frame)
        snprintf(key, sizeof key, "%s:%d", frame->path, frame->line);
    json_t *line = json_object_get(self->by_key, key);
    if (line == NULL) {
        line = json_pack("{s:s, s:i, s:i, s:s, s:b, s:I, s:I, s:{}, s:{}, s:{}}", "file",
                         frame ? frame->path : "", "line", frame ? frame->line : 0, "column",
                         frame ? frame->column : 0, "function", frame ? frame->function : "",
                         "library", frame == NULL || place->frames.user < 0, "own", (json_int_t)0,
                         "waits_for_others", (json_int_t)0, "threads", "inside", "code");
        json_object_set(self->by_key, key, line);
        json_array_append_new(self->lines, line);
    }
    if (place)
        place->line = line;
    return line;
}

// --- names ---

static void name_wait(const struct ts_lines_tile *tile, const struct ts_lines_part *part,
                      const struct ts_cell *cell, char *text, size_t size)
{
    text[0] = '\0';
    if (cell->object) {
        const char *dot = strstr(cell->object->path, "].");
        snprintf(text, size, "%s%s", dot ? dot + 2 : cell->object->path,
                 cell->transfer == TS_CELL_BLOCKED ? ", which waits for Src" : "");
    }
    if (cell->reason != TS_STALL_RV_POLL)
        return;
    char name[80];
    snprintf(text, size, "%s%s", cell->transfer == TS_LOSS_DRAM ? "DRAM " : "",
             ts_tile_poll_name(tile->tile, part->core, cell->address, name, sizeof name));
}

static void disassemble(const struct ts_tile *tile, uint32_t pc, char *text, size_t size)
{
    uint32_t word;
    text[0] = '\0';
    if (!ts_rv_code(&tile->l1, pc, &word))
        return;
    if ((word & 3) != 3) // .ttinsn
        ts_disasm(ts_inline_to_word(word), text, size);
    else
        ts_rv_disassemble(pc, word, text, size);
}

// --- sums ---

// Cycles by reason and object: {"reason: object": {reason, object, own, cycles}}.
static void add_wait(json_t *to, const struct ts_cell *cell, const char *object, bool own)
{
    char key[160];
    const char *reason = ts_stall_name((enum ts_stall)cell->reason);
    snprintf(key, sizeof key, "%s: %s", reason, object);
    json_t *row = member(to, key,
                         json_pack("{s:s, s:s, s:b, s:I}", "reason", reason, "object", object,
                                   "own", own, "cycles", (json_int_t)0));
    count(row, "cycles", cell->count);
}

static void add_to(json_t *to, const struct ts_lines_part *part, const struct ts_cell *cell,
                   const char *object)
{
    if (cell->reason == TS_CELL_INSTRUCTIONS || cell->reason == TS_CELL_WORDS) {
        count(to, cell->reason == TS_CELL_WORDS ? "words" : "instructions", cell->count);
        return;
    }
    const bool own = is_own(cell);
    count(to, part->front ? "own_gate" : "own_core", own ? cell->count : 0);
    count(to, "waits_for_others", own ? 0 : cell->count);
    count(to, part->front ? "gate_cycles" : "cycles", cell->count);
    if (cell->reason == TS_CELL_BUSY)
        count(to, part->front ? "issued" : "busy", cell->count);
    else
        add_wait(member(to, part->front ? "held" : "waits", json_object()), cell, object, own);
}

// What was inlined, or called: {"function file:line": ...}; of each thread its own.
static void add_inside(json_t *line, const struct ts_lines_part *part, const struct ts_cell *cell,
                       const struct place *place, const char *thread, const char *object)
{
    const struct ts_frames *frames = &place->frames;
    const struct ts_frame *inner = frames->user == 0  ? NULL
                                   : frames->user > 0 ? &frames->frame[frames->user - 1]
                                                      : frame_of(frames);
    char key[720];
    if (inner == NULL || inner->line == 0)
        return;
    snprintf(key, sizeof key, "%s %s %s:%d", thread, inner->function, inner->path, inner->line);
    json_t *row = member(json_object_get(line, "inside"), key,
                         json_pack("{s:s, s:s, s:s, s:i}", "thread", thread, "function",
                                   inner->function, "file", inner->path, "line", inner->line));
    add_to(row, part, cell, object);
}

static void add_code(json_t *line, const struct ts_lines_part *part, const struct ts_cell *cell,
                     const char *thread)
{
    char key[32], text[120];
    snprintf(key, sizeof key, "%s %08x", thread, cell->pc);
    json_t *row = json_object_get(json_object_get(line, "code"), key);
    if (row == NULL) {
        disassemble(part->tile->tile, cell->pc, text, sizeof text);
        row = member(json_object_get(line, "code"), key,
                     json_pack("{s:s, s:I, s:s}", "thread", thread, "pc", (json_int_t)cell->pc,
                               "text", text));
    }
    if (cell->reason == TS_CELL_INSTRUCTIONS || cell->reason == TS_CELL_WORDS)
        count(row, cell->reason == TS_CELL_WORDS ? "words" : "times", cell->count);
    else
        count(row, part->front ? "gate_cycles" : "cycles", cell->count);
}

static void add_cell(struct table *self, const struct ts_lines_part *part, unsigned t,
                     const struct ts_cell *cell)
{
    const struct ts_lines_tile *tile = part->tile;
    const struct ts_tile_program *image = &tile->tile->programs[part->core];
    struct place *inner = cell->pc == TS_NO_PC ? NULL : place_of(self, image, cell->pc);
    struct place *outer = charged(self, tile, image, part->core, cell, inner);
    json_t *line = line_of(self, outer);
    char object[96];
    name_wait(tile, part, cell, object, sizeof object);
    add_to(member(json_object_get(line, "threads"), threads[t].name, json_object()), part, cell,
           object);
    if (inner) {
        add_inside(line, part, cell, inner, threads[t].name, object);
        add_code(line, part, cell, threads[t].name);
    }
}

// --- the window ---

// The window's edges are a few cycles off the stops at which the cells were closed (lines.h): what the account has more or
// less of a reason, the cells have too. The cells without an instruction first, then the largest.
// Returns how many cycles that changes.
static int64_t fit(struct ts_lines_part *part, const struct ts_account *account)
{
    int64_t changed = 0;
    for (unsigned r = 0; r <= TS_CELL_BUSY; r++) {
        int64_t want = (int64_t)(r == TS_CELL_BUSY ? account->busy : account->lost[r]), have = 0;
        struct ts_cell *most = NULL;
        for (uint32_t i = 0; i < part->cells.room; i++) {
            struct ts_cell *cell = &part->cells.cell[i];
            if (!cell->used || cell->reason != r)
                continue;
            have += cell->count;
            if (most == NULL || cell->count > most->count ||
                (cell->count == most->count && cell->pc < most->pc))
                most = cell;
        }
        if (have == want)
            continue;
        if (most == NULL)
            most = ts_cells_at(&part->cells,
                               &(struct ts_cell){.pc = TS_NO_PC, .reason = (uint16_t)r});
        if (most)
            most->count += want - have;
        changed += llabs(want - have);
    }
    return changed;
}

#define BY_OWN    "-own -waits_for_others file line"
#define BY_CYCLES "-cycles+gate_cycles thread reason object function file line"
#define BY_PC     "thread pc"

// The values of an object, or of an array, as an array; `used`: without those that have no cycles.
static void sort(json_t *owner, const char *key, const char *keys, bool used)
{
    json_t *from = json_object_get(owner, key), *value, *to = json_array();
    const char *name;
    size_t index;
    if (json_is_array(from))
        json_array_extend(to, from);
    else
        json_object_foreach(from, name, value) json_array_append(to, value);
    to = ts_json_sorted(to, keys);
    for (index = json_array_size(to); used && index-- > 0;)
        if (ts_json_integer(json_array_get(to, index), "cycles") == 0 &&
            ts_json_integer(json_array_get(to, index), "gate_cycles") == 0)
            json_array_remove(to, index);
    if (from)
        json_object_set(owner, key, to);
    json_decref(to);
}

// A core and its front end work side by side: a thread's own cycles at a line are the larger of the two counts. The cycles of the
// line are the cycles of its slowest thread.
static void finish(json_t *row)
{
    json_int_t core = ts_json_integer(row, "own_core"), gate = ts_json_integer(row, "own_gate"),
               own = core > gate ? core : gate;
    json_object_del(row, "own_core");
    json_object_del(row, "own_gate");
    json_object_set_new(row, "own", json_integer(own));
    sort(row, "waits", BY_CYCLES, true);
    sort(row, "held", BY_CYCLES, true);
}

static void keep_most(json_t *line, const json_t *row, const char *key)
{
    json_int_t cycles = ts_json_integer(row, key);
    if (cycles > ts_json_integer(line, key))
        json_object_set_new(line, key, json_integer(cycles));
}

static void tidy(json_t *document)
{
    size_t i, k;
    json_t *line, *row;
    const char *name;
    json_array_foreach(json_object_get(document, "lines"), i, line)
    {
        sort(line, "inside", BY_CYCLES, true);
        sort(line, "code", BY_PC, false);
        json_object_foreach(json_object_get(line, "threads"), name, row)
        {
            finish(row);
            keep_most(line, row, "own");
            keep_most(line, row, "waits_for_others");
        }
        json_array_foreach(json_object_get(line, "inside"), k, row)
        {
            finish(row);
        }
    }
    json_array_foreach(json_object_get(document, "threads"), i, row)
    {
        finish(row);
    }
    sort(document, "lines", BY_OWN, false);
}

json_t *ts_lines_json(struct ts_lines *self, const struct ts_marks *marks)
{
    struct table table = {.lines = json_array(), .by_key = json_object()};
    json_t *sums = json_array();
    uint32_t tiles = 0;
    for (size_t t = 0; t < THREADS; t++) {
        json_t *sum = json_pack("{s:s, s:s}", "name", threads[t].name, "core",
                                ts_rv_core_names[threads[t].core]);
        for (uint32_t i = 0; i < self->count; i++) {
            struct ts_lines_tile *tile = &self->tiles[i];
            struct ts_lines_part *parts[] = {&tile->core[threads[t].core],
                                             threads[t].front < 0 ? NULL
                                                                  : &tile->front[threads[t].front]};
            for (unsigned p = 0; p < 2 && tile->tile && parts[p]; p++) {
                struct ts_lines_part *part = parts[p];
                const struct ts_account account = ts_marks_account(marks, part->component);
                count(sum, "edges", fit(part, &account));
                for (uint32_t k = 0; k < part->cells.room; k++)
                    if (part->cells.cell[k].used && part->cells.cell[k].count) {
                        add_cell(&table, part, (unsigned)t, &part->cells.cell[k]);
                        add_to(sum, part, &part->cells.cell[k], "");
                    }
            }
            tiles += t == 0 && tile->tile != NULL;
        }
        json_array_append_new(sums, sum);
    }
    json_t *document = json_pack("{s:I, s:I, s:o, s:o}", "cycles",
                                 (json_int_t)ts_marks_cycles(marks), "tiles", (json_int_t)tiles,
                                 "threads", sums, "lines", table.lines);
    tidy(document);
    ts_code_free(&table.places);
    json_decref(table.by_key);
    return document;
}
