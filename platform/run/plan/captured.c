// Gives a captured launch to the tiles, compares what it leaves (captured.h).
#include "platform/run/plan/captured.h"

#include "platform/base/json.h"
#include "platform/out/text.h"
#include "platform/tile/names.h"

#include <inttypes.h>

// --- the host of a tile ---

bool ts_captured_launches(const struct ts_captured *self, const struct ts_tile *tile)
{
    return ts_captured_has_tile(&self->launched, tile);
}

const struct ts_captured_release *ts_captured_release(const struct ts_captured *self,
                                                      const struct ts_tile *tile)
{
    size_t i = 0;
    while (i + 1 < self->release_count && !ts_captured_has_tile(&self->releases[i].tiles, tile))
        i++;
    return &self->releases[i];
}

void ts_captured_message(const struct ts_captured *self, struct ts_noc_xy tile,
                         struct ts_metal_message *message)
{
    const uint64_t from = self->layout->launch, end = from + sizeof *message;
    memset(message, 0, sizeof *message);
    for (size_t i = 0; i < self->memory.count; i++) {
        const struct ts_captured_piece *piece = &self->memory.piece[i];
        const uint64_t first = piece->at > from ? piece->at : from,
                       last = piece->at + piece->length < end ? piece->at + piece->length : end;
        if (piece->channel < 0 && ts_captured_has(&piece->tiles, tile.x, tile.y) && first < last)
            memcpy((uint8_t *)message + (first - from), piece->bytes + (first - piece->at),
                   (size_t)(last - first));
    }
}

struct ts_captured *ts_captured_launch(struct ts_captured *self, unsigned before)
{
    unsigned all = 0;
    for (const struct ts_captured *at = self->earlier; at; at = at->earlier)
        all++;
    for (; all > before; all--)
        self = self->earlier;
    return self;
}

static bool store(const struct ts_captured_list *list, struct ts_chip *chip, bool clear,
                  struct ts_error *error)
{
    static const uint8_t zeros[4096];
    for (size_t i = 0; i < list->count; i++) {
        const struct ts_captured_piece *piece = &list->piece[i];
        const char *why = NULL;
        for (size_t at = 0; piece->channel >= 0 && at < piece->length && !why; at += sizeof zeros) {
            size_t part = piece->length - at < sizeof zeros ? piece->length - at : sizeof zeros;
            why = ts_dram_write(&chip->dram[piece->channel], piece->at + at,
                                clear ? zeros : piece->bytes + at, part);
        }
        if (why)
            return ts_refuse(error, TS_SETUP, "%zu bytes at 0x%" PRIx64 " of DRAM channel %d: %s",
                             piece->length, piece->at, piece->channel, why);
    }
    return true;
}

// What is in no list is 0.
bool ts_captured_store(struct ts_captured *self, struct ts_chip *chip, ts_cycle now,
                       struct ts_error *error)
{
    struct ts_captured *earlier = self->earlier;
    if (earlier && !ts_captured_store(earlier, chip, now, error))
        return false;
    if (self->stored || (earlier && self->go > now))
        return true;
    self->stored = true;
    return (earlier == NULL || (store(&earlier->memory, chip, true, error) &&
                                store(&earlier->after, chip, true, error))) &&
           store(&self->memory, chip, false, error);
}

bool ts_captured_boot(const struct ts_captured *self, struct ts_tile *tile, struct ts_error *error)
{
    for (size_t i = 0; i < self->boot.count; i++) {
        const struct ts_captured_piece *piece = &self->boot.piece[i];
        if (piece->channel < 0 && ts_captured_has_tile(&piece->tiles, tile) &&
            !ts_tile_write(tile, (uint32_t)piece->at, piece->bytes, (uint32_t)piece->length, 0,
                           error))
            return false;
    }
    const struct ts_captured_release *release = ts_captured_release(self, tile);
    return release->cycle > 0 ||
           ts_tile_write(tile, TS_CAPTURED_RESET, &release->word, 4, 0, error);
}

// What L1 of a tile holds from the configuration on: these pieces, and 0.
static void fill(const struct ts_captured *self, const struct ts_captured_list *list,
                 const struct ts_tile *tile, uint8_t *room)
{
    const uint32_t config = self->layout->config;
    for (size_t i = 0; i < list->count; i++) {
        const struct ts_captured_piece *piece = &list->piece[i];
        if (piece->channel < 0 && ts_captured_has_tile(&piece->tiles, tile) &&
            piece->at >= config && piece->at < TS_L1_SIZE)
            memcpy(room + (piece->at - config), piece->bytes, piece->length);
    }
}

bool ts_captured_put(const struct ts_captured *self, struct ts_tile *tile, uint8_t *room,
                     ts_cycle now, struct ts_error *error)
{
    const uint32_t config = self->layout->config;
    const uint8_t *present = tile->l1.bytes + config;
    memset(room, 0, TS_L1_SIZE - config);
    fill(self, &self->memory, tile, room);
    for (uint32_t at = 0; at < TS_L1_SIZE - config; at += TS_L1_GRANULE)
        if (memcmp(present + at, room + at, TS_L1_GRANULE) != 0)
            ts_l1_write(&tile->l1, config + at, room + at, TS_L1_GRANULE, now);
    for (size_t i = 0; i < self->memory.count; i++) {
        const struct ts_captured_piece *piece = &self->memory.piece[i];
        if (piece->channel < 0 && ts_captured_has_tile(&piece->tiles, tile) &&
            (piece->at < config || piece->at >= TS_L1_SIZE) &&
            !ts_tile_write(tile, (uint32_t)piece->at, piece->bytes, (uint32_t)piece->length, now,
                           error))
            return false;
    }
    return true;
}

void ts_captured_names(const struct ts_captured *self, struct ts_tile *tile,
                       const struct ts_metal_message *message)
{
    for (unsigned p = 0; p < TS_ON; p++)
        for (size_t i = 0; i < self->elf.count && message->enables >> p & 1; i++) {
            const struct ts_captured_piece *piece = &self->elf.piece[i];
            const uint32_t at = message->config[0] + message->text[p];
            if (piece->at == at && ts_captured_has_tile(&piece->tiles, tile))
                tile->programs[ts_processor_core[p]] = (struct ts_tile_program){
                    .bytes = piece->bytes,
                    .length = piece->length,
                    .at = at,
                    .moved = at - piece->text};
        }
}

// --- after the run ---

static void compare(struct ts_captured *self, const uint8_t *got, const uint8_t *want,
                    size_t length, const char *where, uint64_t at)
{
    if (memcmp(got, want, length) == 0)
        return;
    for (size_t i = 0; i < length; i++) {
        if (got[i] == want[i])
            continue;
        if (self->differ++ == 0)
            snprintf(self->first, sizeof self->first, "0x%" PRIx64 " of %s: 0x%02x, not 0x%02x",
                     at + i, where, got[i], want[i]);
    }
}

// L1 of a tile is compared where the launch changed it, DRAM too.
static void compare_piece(struct ts_captured *self, const struct ts_captured_piece *piece,
                          const struct ts_work *work)
{
    char where[40];
    if (piece->channel >= 0) {
        uint8_t *got = malloc(piece->length);
        snprintf(where, sizeof where, "DRAM channel %d", piece->channel);
        if (got && ts_dram_read((struct ts_dram *)&work->chip.dram[piece->channel], piece->at, got,
                                piece->length) == NULL)
            compare(self, got, piece->bytes, piece->length, where, piece->at);
        else
            self->differ += piece->length;
        free(got);
        return;
    }
    for (uint32_t i = 0; i < work->made; i++) {
        const struct ts_tile *tile = work->jobs[i].tile;
        snprintf(where, sizeof where, "L1 of tile %u-%u", tile->x, tile->y);
        if (ts_captured_has_tile(&piece->tiles, tile) && piece->at + piece->length <= TS_L1_SIZE)
            compare(self, tile->l1.bytes + piece->at, piece->bytes, piece->length, where,
                    piece->at);
    }
}

void ts_captured_compare(struct ts_captured *self, const struct ts_work *work)
{
    ts_cycle end = 0;
    for (uint32_t i = 0; i < work->made; i++)
        end = work->jobs[i].done > end ? work->jobs[i].done : end;
    self->took = end > self->go ? end - self->go : 0;
    self->differ = 0;
    if (work->jobs[0].tile->config.perturb_max)
        self->apart = "without --perturb";
    self->retimed = self->other[0] == '\0' && self->apart == NULL && self->cycles &&
                    self->took != self->cycles;
    if (work->jobs[0].tile->config.timing_only)
        return;
    self->compared = true;
    for (size_t i = 0; i < self->after.count; i++)
        compare_piece(self, &self->after.piece[i], work);
}

bool ts_captured_wrong(const struct ts_captured *self)
{
    return self->retimed || self->differ;
}

void ts_captured_wrong_text(const struct ts_captured *self, char *text, size_t size)
{
    if (self->differ)
        snprintf(text, size, "the bytes after the launch differ from the captured ones");
    else
        snprintf(text, size,
                 "the launch takes %" PRIu64 " cycles from go to the end, captured %" PRIu64
                 ": the model has changed, or the file (without its line `cycles:' they are not "
                 "compared)",
                 self->took, self->cycles);
}

json_t *ts_captured_json(const struct ts_captured *self)
{
    return json_pack("{s:I, s:I, s:b, s:o}", "cycles", (json_int_t)self->took, "captured_cycles",
                     (json_int_t)self->cycles, "same_machine", self->other[0] == '\0',
                     "bytes_differ",
                     self->compared ? json_integer((json_int_t)self->differ) : json_null());
}

void ts_captured_print(const struct ts_captured *self, FILE *file)
{
    json_t *view = ts_captured_json(self);
    ts_json_more(view, "{s:s, s:s?, s:b, s:f, s:b, s:s}", "other", self->other, "apart",
                 self->apart, "retimed", (int)self->retimed, "percent",
                 self->cycles ? (double)self->took / (double)self->cycles - 1 : 0, "compared",
                 (int)self->compared, "first", self->first);
    ts_text_print("captured", view, true, file);
    json_decref(view);
}
