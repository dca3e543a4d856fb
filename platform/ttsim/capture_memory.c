// Memory of a capture by blocks: what is not 0, what has changed (capture.h).
#include "platform/base/hash.h"
#include "platform/ttsim/capture_parts.h"

#define BLOCK    TS_CAPTURE_BLOCK
#define PER_PAGE ((1u << TS_DRAM_PAGE_SHIFT) / BLOCK) // of DRAM

// --- blocks ---

// Block i of a tile's L1 (channel < 0) or of a DRAM channel; NULL: zeros.
static const uint8_t *block_of(const struct ts_capture *self, const struct ts_capture_tile *tile,
                               int channel, size_t i)
{
    if (channel < 0)
        return tile->tile->l1.bytes + i * BLOCK;
    const uint8_t *page = self->sim->chip->dram[channel].pages[i / PER_PAGE];
    return page ? page + i % PER_PAGE * BLOCK : NULL;
}

static size_t block_count(const struct ts_capture *self, int channel)
{
    return channel < 0 ? TS_L1_SIZE / BLOCK
                       : (size_t)self->sim->chip->dram[channel].page_count * PER_PAGE;
}

static uint64_t hash_of(const uint8_t *block)
{
    static const uint64_t zeros[BLOCK / 8];
    uint64_t words[BLOCK / 8];
    if (block == NULL || memcmp(block, zeros, BLOCK) == 0)
        return 0;
    memcpy(words, block, BLOCK);
    return ts_hash_words(1, words, BLOCK / 8);
}

// Calls `add` for runs of blocks, copied to `scratch`, that `wanted` names.
struct walk {
    struct ts_capture *self;
    struct ts_capture_tile *tile;
    int channel;
    struct ts_pieces *to;
    struct ts_error *error;
};

typedef bool block_wanted(const struct walk *self, size_t block, const uint8_t *bytes);
typedef bool run_added(const struct walk *self, uint64_t first, uint64_t end);

static bool walk_blocks(const struct walk *self, size_t from, block_wanted *wanted, run_added *add)
{
    struct ts_capture *capture = self->self;
    const size_t count = block_count(capture, self->channel);
    size_t first = from, i = from;
    for (; i <= count; i++) {
        if (self->channel >= 0 && i < count && first == i && i % PER_PAGE == 0 &&
            block_of(capture, NULL, self->channel, i) == NULL) {
            first = i + PER_PAGE; // the complete page
            i = first - 1;
            continue;
        }
        const uint8_t *bytes = i < count ? block_of(capture, self->tile, self->channel, i) : NULL;
        bool take = i < count && wanted(self, i, bytes);
        if (first < i && (!take || i - first == TS_CAPTURE_RUN)) {
            if (!add(self, (uint64_t)first * BLOCK, (uint64_t)i * BLOCK))
                return false;
            first = i;
        }
        if (!take) {
            first = i + 1;
            continue;
        }
        uint8_t *to = capture->scratch + (i - first) * BLOCK;
        if (bytes)
            memcpy(to, bytes, BLOCK);
        else
            memset(to, 0, BLOCK);
    }
    return true;
}

static uint64_t *hashes(const struct walk *self)
{
    return self->channel < 0 ? self->tile->hash : self->self->dram[self->channel];
}

static uint32_t order_of(const struct walk *self)
{
    return self->channel < 0 ? ts_capture_order(self->self, self->tile) : (uint32_t)self->channel;
}

// At the go message: what is not 0.
static bool not_zero(const struct walk *self, size_t block, const uint8_t *bytes)
{
    return (hashes(self)[block] = hash_of(bytes)) != 0;
}

static bool add_nonzero(const struct walk *self, uint64_t first, uint64_t end)
{
    return ts_pieces_nonzero(self->to, self->self->folder, order_of(self), self->self->scratch,
                             first, end, "", self->error);
}

// At the end: what has changed.
static bool changed(const struct walk *self, size_t block, const uint8_t *bytes)
{
    return hashes(self)[block] != hash_of(bytes);
}

static bool add_changed(const struct walk *self, uint64_t first, uint64_t end)
{
    const struct ts_piece piece = {
        .order = order_of(self), .at = first, .length = (uint32_t)(end - first)};
    return ts_pieces_add(self->to, self->self->folder, &piece, self->self->scratch, self->error);
}

// --- a launch ---

bool ts_capture_take(struct ts_capture *self, struct ts_error *error)
{
    bool good = true;
    ts_pieces_clear(&self->elf);
    self->unnamed = 0;
    for (size_t i = 0; i < self->count && good; i++) {
        struct ts_capture_tile *tile = &self->tiles[i];
        ts_pieces_clear(&tile->memory);
        if (tile->low == NULL)
            continue;
        const struct walk l1 = {self, tile, -1, &tile->memory, error};
        for (size_t b = self->layout->config / BLOCK; b <= TS_PROGRAM_FREE / BLOCK; b++)
            tile->hash[b] = hash_of(tile->tile->l1.bytes + b * BLOCK);
        good = ts_capture_message(self, tile, error) && ts_capture_names(self, tile, error) &&
               ts_pieces_nonzero(&tile->memory, self->folder, ts_capture_order(self, tile),
                                 tile->tile->l1.bytes + TS_PROGRAM_FREE, TS_PROGRAM_FREE,
                                 (TS_PROGRAM_FREE / BLOCK + 1) * BLOCK, "", error) &&
               walk_blocks(&l1, TS_PROGRAM_FREE / BLOCK + 1, not_zero, add_nonzero);
        ts_pieces_copy(&tile->memory, &tile->registers);
    }
    ts_pieces_clear(&self->channels);
    for (int c = 0; c < (int)self->sim->chip->soc.channels && good; c++) {
        if (self->dram[c] == NULL)
            self->dram[c] = calloc(block_count(self, c), sizeof *self->dram[c]);
        const struct walk dram = {self, NULL, c, &self->channels, error};
        if (self->dram[c] == NULL)
            return ts_refuse(error, TS_NO_MEMORY, "out of memory");
        good = walk_blocks(&dram, 0, not_zero, add_nonzero);
    }
    return good;
}

// Tiles without kernels are used if something lies, or is written, in their L1 above the configuration.
bool ts_capture_changes(struct ts_capture *self, struct ts_pieces *after, struct ts_error *error)
{
    bool good = true;
    for (size_t i = 0; i < self->count && good; i++) {
        struct ts_capture_tile *tile = &self->tiles[i];
        if (tile->low == NULL)
            continue;
        const size_t before = after->count;
        const struct walk l1 = {self, tile, -1, after, error};
        good = walk_blocks(&l1, self->layout->config / BLOCK, changed, add_changed);
        tile->used |= tile->launched || after->count > before;
        for (size_t k = 0; k < tile->memory.count; k++)
            tile->used |= tile->memory.piece[k].at >= TS_PROGRAM_FREE;
    }
    for (int c = 0; c < (int)self->sim->chip->soc.channels && good; c++) {
        const struct walk dram = {self, NULL, c, after, error};
        good = walk_blocks(&dram, 0, changed, add_changed);
    }
    return good;
}
