// A tile: five cores, three front ends, the units, register banks, and what they wait for each other with.
#include "platform/base/json.h"
#include "platform/live/inside.h"
#include "platform/load/symbols.h"
#include "platform/tile/buffers.h"
#include "platform/tile/names.h"

#define MOST_WORDS 16u

static const char *doing(const struct ts_rv_view *view)
{
    return view->held      ? "in reset"
           : view->paused  ? "at an ebreak"
           : view->halted  ? "halted"
           : view->ended   ? "has ended"
           : view->parked  ? "polls"
           : view->waits   ? "waits for a load"
           : view->blocked ? "a store waits"
                           : "runs";
}

static json_t *core(const struct ts_tile *tile, unsigned id, bool still)
{
    const struct ts_rv_view view = ts_rv_core_view(&tile->cores[id]);
    json_t *row = json_pack("{s:s, s:s, s:b, s:I, s:I}", "name", ts_tile_core_name(tile, id),
                            "doing", doing(&view), "ended", view.ended, "pc", (json_int_t)view.at,
                            "instructions", (json_int_t)view.instructions);
    if (still && !view.held) {
        const struct ts_frames frames = ts_symbols_find(tile, id, view.at);
        char line[160];
        json_object_set_new(row, "line", json_string(ts_frames_line(&frames, line, sizeof line)));
        if (frames.count)
            json_object_set_new(row, "function", json_string(frames.frame[0].function));
    }
    return row;
}

static const char *short_path(const struct ts_object *object)
{
    const char *dot = object ? strstr(object->path, "].") : NULL;
    return dot ? dot + 2 : object ? object->path : "";
}

static json_t *thread(const struct ts_tile *tile, unsigned t)
{
    const struct ts_frontend *front = &tile->front[t];
    char name[8], word[280] = "";
    snprintf(name, sizeof name, "T%u", t);
    if (front->gate_count)
        ts_disasm_fields(front->gate[0].word, word, sizeof word);
    json_t *row = json_pack("{s:s, s:i, s:i, s:i, s:s, s:b, s:b, s:I}", "name", name, "fifo",
                            front->fifo_count, "replay", front->replay_count, "gate",
                            front->gate_count, "word", word, "mop", front->mop.active, "replays",
                            front->replay.replaying != 0, "passed", (json_int_t)front->dispatched);
    const enum ts_asleep asleep = front->component.asleep;
    if (front->gate_count && (asleep == TS_BLOCKED || asleep == TS_STALLED)) {
        const struct ts_wait wait = ts_waiting(&front->component);
        json_object_set_new(row, "reason", json_string(ts_stall_name(wait.reason)));
        json_object_set_new(row, "object", json_string(short_path(wait.object)));
    }
    return row;
}

static json_t *unit(const struct ts_live *self, uint32_t index, unsigned id)
{
    const struct ts_unit *of = self->machine.tiles[index]->tensix.unit[id];
    const struct ts_live_word *last = &self->tiles[index].units[id];
    ts_cycle until = 0;
    for (unsigned t = 0; t < TS_THREADS; t++)
        until = of->busy_until[t] > until ? of->busy_until[t] : until;
    json_t *row = json_pack("{s:s, s:b, s:I}", "name", ts_unit_name(id), "busy", until > self->now,
                            "words", (json_int_t)of->instructions);
    if (last->known) {
        char word[280];
        ts_disasm_fields(last->word, word, sizeof word);
        json_object_set_new(row, "word", json_string(word));
        json_object_set_new(row, "thread", json_integer(last->thread));
        json_object_set_new(row, "at", json_integer((json_int_t)last->at));
    }
    return row;
}

// SrcA and SrcB: who has which bank, and which one each side uses next.
static json_t *sources(const struct ts_tile *tile)
{
    json_t *files = json_array();
    for (unsigned b = 0; b < 2; b++) {
        const struct ts_src_file *file = ts_files_src(&tile->files, b);
        json_t *banks = json_array();
        for (unsigned i = 0; i < 2; i++)
            json_array_append_new(
                banks, json_string(file->bank[i].owner == TS_SRC_MATRIX ? "MATRIX" : "UNPACK"));
        ts_json_add(files, "{s:s, s:o, s:i, s:i}", "name", b ? "srcb" : "srca", "banks", banks,
                    "matrix", file->matrix, "unpacker", file->unpacker);
    }
    return files;
}

// Rows of Dst that hold something, by 64.
static json_t *accumulator(const struct ts_tile *tile)
{
    const struct ts_dst *dst = ts_files_dst_ready(&tile->files);
    json_t *parts = json_array();
    for (unsigned first = 0; first < TS_DST_ROWS; first += 64) {
        int count = 0;
        for (unsigned row = first; row < first + 64; row++)
            count += dst->valid[row];
        json_array_append_new(parts, json_integer(count));
    }
    return parts;
}

static json_t *semaphores(const struct ts_tile *tile)
{
    json_t *rows = json_array();
    for (unsigned i = 0; i < TS_SEMAPHORES; i++) {
        const struct ts_sync_semaphore *s = &tile->sync.semaphore[i];
        ts_json_add(rows, "[i, i, I, I]", s->value, s->max, (json_int_t)s->posted.count,
                    (json_int_t)s->got.count);
    }
    return rows;
}

static json_t *mutexes(const struct ts_tile *tile)
{
    json_t *rows = json_array();
    for (unsigned i = 0; i < TS_MUTEXES; i++)
        if (i != 1)
            ts_json_add(rows, "[i, i]", (int)i, tile->sync.mutex[i].holder);
    return rows;
}

static json_t *mail(const struct ts_tile *tile)
{
    static const unsigned cores[TS_MAIL_CORES] = {TS_RV_BRISC, TS_RV_TRISC0, TS_RV_TRISC0 + 1,
                                                  TS_RV_TRISC2};
    json_t *rows = json_array();
    for (unsigned from = 0; from < TS_MAIL_CORES; from++)
        for (unsigned to = 0; to < TS_MAIL_CORES; to++)
            if (tile->queues.mail[from][to].count)
                ts_json_add(rows, "[s, s, i]", ts_tile_core_name(tile, cores[from]),
                            ts_tile_core_name(tile, cores[to]),
                            (int)tile->queues.mail[from][to].count);
    for (unsigned i = 0; i < TS_PCBUFS; i++)
        if (tile->queues.pcbuf[i].count)
            ts_json_add(rows, "[s, s, i]", "PC buffer", ts_tile_core_name(tile, TS_RV_TRISC0 + i),
                        (int)tile->queues.pcbuf[i].count);
    return rows;
}

static json_t *buffers(const struct ts_tile *tile)
{
    json_t *rows = json_array();
    for (unsigned i = 0; i < tile->buffer_count; i++) {
        const struct ts_buffer *buffer = &tile->buffers[i];
        ts_json_add(rows, "{s:s, s:i, s:i}", "name", buffer->name, "pages", (int)buffer->pages,
                    "fill", (int)ts_buffer_fill(tile, buffer));
    }
    return rows;
}

// Words of L1 that the program has a name for: "semaphore ready".
static json_t *words(const struct ts_tile *tile)
{
    json_t *rows = json_array();
    for (unsigned i = 0; i < tile->name_count && json_array_size(rows) < MOST_WORDS; i++) {
        const struct ts_tile_name *name = &tile->names[i];
        uint32_t word;
        if (name->dram || name->length > 16 || strncmp(name->text, "semaphore ", 10) != 0 ||
            !ts_l1_contains(name->address, 4))
            continue;
        memcpy(&word, tile->l1.bytes + name->address, 4);
        ts_json_add(rows, "[s, I, I]", name->text, (json_int_t)word, (json_int_t)name->address);
    }
    return rows;
}

json_t *ts_live_tile(const struct ts_live *self, uint32_t index, bool still)
{
    const struct ts_tile *tile = self->machine.tiles[index];
    json_t *cores = json_array(), *threads = json_array(), *units = json_array();
    char at[16];
    for (unsigned i = 0; i < TS_RV_CORES; i++)
        json_array_append_new(cores, core(tile, i, still));
    for (unsigned t = 0; t < TS_THREADS; t++)
        json_array_append_new(threads, thread(tile, t));
    for (unsigned i = TS_UNIT_SYNC; i <= TS_UNIT_MOVER; i++)
        if (tile->tensix.unit[i])
            json_array_append_new(units, unit(self, index, i));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                     ts_tile_place_name(tile, at, sizeof at), "cores", cores, "threads", threads,
                     "units", units, "src", sources(tile), "dst", accumulator(tile), "semaphores",
                     semaphores(tile), "mutexes", mutexes(tile), "mail", mail(tile), "buffers",
                     buffers(tile), "words", words(tile));
}
