// Follows what a host does until a launch is complete (capture.h).
#include "platform/ttsim/capture.h"

#include "platform/base/hash.h"
#include "platform/lib/inside.h"
#include "platform/out/file.h"
#include "platform/run/plan/captured.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK     4096u // memory is compared by blocks
#define PAGE      (1u << TS_DRAM_PAGE_SHIFT)
#define PER_PAGE  (PAGE / BLOCK)
#define RUN       1024u  // blocks that make one piece, at most
#define BRISC     0x800u // bit of the reset register
#define MOST_CUTS (2 + 4 * TS_ON)

struct tile {
    struct ts_capture *capture;
    struct ts_tile *tile;
    bool held, launched, used; // used: by a launch since its release
    ts_cycle release, done;
    uint32_t word; // that released it
    struct ts_pieces boot, registers, memory;
    uint8_t *low;   // the host has written this byte below the configuration
    uint64_t *hash; // of blocks, at the go message
};

struct ts_capture {
    struct tensim *sim;
    char folder[PATH_MAX], chip[PATH_MAX];
    const struct ts_metal_layout *layout; // NULL: nothing was released yet
    struct tile *tiles;
    size_t count;
    uint64_t *dram[TS_SOC_CHANNELS]; // hashes of blocks, at the go message
    struct ts_pieces channels;       // of DRAM
    uint8_t *scratch;                // RUN blocks
    unsigned launches, earlier; // so far; the file before, since all tiles were released; 0: none
    bool asked;                 // a go message was written since time passed
    bool open;                  // a launch runs
    const char *spoilt;         // why it is left out; NULL: it is not
    ts_cycle go;
};

// --- memory by blocks ---

// Block i of a tile's L1 (channel < 0) or of a DRAM channel; NULL: zeros.
static const uint8_t *block_of(const struct ts_capture *self, const struct tile *tile, int channel,
                               size_t i)
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
    struct tile *tile;
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
        if (first < i && (!take || i - first == RUN)) {
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
    return self->channel < 0 ? TS_PIECE_TILE + (uint32_t)(self->tile - self->self->tiles)
                             : (uint32_t)self->channel;
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

// --- the launch message ---

// Parts of a configuration, in the order in which tt-metal lays them out.
enum part { END, SEMAPHORES, ARGUMENTS, COMMON, BUFFERS, KERNEL };

static const char *const part_names[] = {"",
                                         "semaphores",
                                         "arguments of ",
                                         "common arguments of ",
                                         "circular buffers: address, bytes, pages, page",
                                         "kernel of "};

struct cut {
    uint32_t at;
    enum part part;
    char is[64];
};

static int by_address(const void *a, const void *b)
{
    const struct cut *left = a, *right = b;
    return (left->at > right->at) - (left->at < right->at);
}

// Of parts at one address all but the last have no bytes. The threads of a compute kernel share their arguments.
static void cut_at(struct cut *cuts, size_t *count, uint32_t at, enum part part, const char *of)
{
    size_t i = 0;
    while (i < *count && cuts[i].at != at)
        i++;
    size_t used = strlen(cuts[i].is);
    if (i < *count && cuts[i].part > part)
        return;
    if (i < *count && cuts[i].part == part)
        snprintf(cuts[i].is + used, sizeof cuts[i].is - used, ", %s", of);
    else
        snprintf(cuts[i].is, sizeof cuts[i].is, "%s%s", part_names[part], of);
    cuts[i].at = at;
    cuts[i].part = part;
    *count += i == *count;
}

// Where the parts of a configuration begin, in order; the last one is its end.
static size_t cut(const struct ts_capture *self, const struct tile *tile, struct cut *cuts)
{
    static const char *const names[TS_ON] = {"brisc", "ncrisc", "trisc0", "trisc1", "trisc2"};
    struct ts_metal_message message;
    size_t count = 0;
    memset(cuts, 0, (MOST_CUTS + 1) * sizeof *cuts);
    memcpy(&message, tile->tile->l1.bytes + self->layout->launch, sizeof message);
    const uint32_t base = message.config[0];
    if (base < self->layout->config || base >= TS_PROGRAM_FREE)
        return 0;
    cut_at(cuts, &count, base + message.semaphores[0], SEMAPHORES, "");
    cut_at(cuts, &count, base + message.buffers, BUFFERS, "");
    for (unsigned p = 0; p < TS_ON; p++) {
        const uint32_t own = message.arguments[p].own, common = message.arguments[p].common,
                       text = message.text[p];
        if (!(message.enables >> p & 1) || text >= TS_PROGRAM_FREE - base)
            continue;
        cut_at(cuts, &count, base + own, ARGUMENTS, names[p]);
        if (common)
            cut_at(cuts, &count, base + common, COMMON, names[p]);
        cut_at(cuts, &count, base + text, KERNEL, names[p]);
        if (message.text_bytes[p] && message.text_bytes[p] < TS_PROGRAM_FREE - base - text)
            cut_at(cuts, &count, base + text + message.text_bytes[p], END, "");
    }
    qsort(cuts, count, sizeof *cuts, by_address);
    while (count > 0 && cuts[count - 1].at >= TS_PROGRAM_FREE)
        count--;
    cuts[count] = (struct cut){.at = TS_PROGRAM_FREE};
    return count;
}

// The configuration in its parts: short ones with their zeros, so that all words can be seen and changed.
static bool add_config(struct ts_capture *self, struct tile *tile, struct ts_error *error)
{
    const uint8_t *l1 = tile->tile->l1.bytes;
    const uint32_t order = TS_PIECE_TILE + (uint32_t)(tile - self->tiles);
    struct cut cuts[MOST_CUTS + 1];
    const size_t count = tile->launched ? cut(self, tile, cuts) : 0;
    const uint32_t first = count ? cuts[0].at : TS_PROGRAM_FREE;
    bool good = ts_pieces_nonzero(&tile->memory, self->folder, order, l1 + self->layout->config,
                                  self->layout->config, first, "", error);
    for (size_t i = 0; i < count && good; i++) {
        struct ts_piece piece = {
            .order = order, .at = cuts[i].at, .length = cuts[i + 1].at - cuts[i].at};
        snprintf(piece.is, sizeof piece.is, "%s", cuts[i].is);
        if (cuts[i].part != KERNEL && piece.length <= TS_PIECE_SHORT)
            good = ts_pieces_add(&tile->memory, self->folder, &piece, l1 + piece.at, error);
        else
            good = ts_pieces_nonzero(&tile->memory, self->folder, order, l1 + piece.at, piece.at,
                                     piece.at + piece.length, piece.is, error);
    }
    return good;
}

// What the host has written below the configuration since the release.
static bool add_low(struct ts_capture *self, struct tile *tile, struct ts_error *error)
{
    const struct ts_metal_layout *layout = self->layout;
    const uint32_t message = layout->launch + (uint32_t)sizeof(struct ts_metal_message);
    for (uint32_t at = 0, next; at < layout->config; at = next) {
        for (next = at; next < layout->config && tile->low[next] == tile->low[at]; next++)
            if (next > at && (next == layout->launch || next == message))
                break;
        struct ts_piece piece = {
            .order = TS_PIECE_TILE + (uint32_t)(tile - self->tiles), .at = at, .length = next - at};
        snprintf(piece.is, sizeof piece.is, "%s",
                 at == layout->launch                    ? "launch message"
                 : at <= layout->go && layout->go < next ? "go message"
                                                         : "");
        if (tile->low[at] &&
            !ts_pieces_add(&tile->memory, self->folder, &piece, tile->tile->l1.bytes + at, error))
            return false;
    }
    return true;
}

// --- release ---

static enum tensim_code give(const struct ts_error *from, struct tensim_error *error)
{
    error->code = (enum tensim_code)from->code;
    snprintf(error->text, sizeof error->text, "%s", from->text);
    return error->code;
}

static bool know_firmware(struct ts_capture *self, const struct tile *tile)
{
    uint32_t jump;
    memcpy(&jump, tile->tile->l1.bytes, 4);
    const struct ts_metal_layout *at;
    for (size_t i = 0; (at = ts_metal_known(i)) != NULL; i++)
        if (ts_metal_jump(at->firmware[TS_ON_BRISC]) == jump)
            self->layout = at;
    return self->layout && ts_metal_jump(self->layout->firmware[TS_ON_BRISC]) == jump;
}

static enum tensim_code released(struct ts_capture *self, struct tile *tile,
                                 struct tensim_error *error)
{
    struct ts_error failure = {0};
    if (!know_firmware(self, tile)) {
        ts_fail(&failure, TS_NOT_IMPLEMENTED,
                "capture: it starts firmware of a version of tt-metal that tensim does not know "
                "(known: %s)",
                ts_metal_known(0)->version);
        return give(&failure, error);
    }
    self->earlier = 0;
    tile->used = false;
    tile->release = tensim_cycle(self->sim);
    tile->word = tile->tile->control.soft_reset;
    ts_pieces_clear(&tile->boot);
    if (!ts_pieces_nonzero(&tile->boot, self->folder,
                           TS_PIECE_TILE + (uint32_t)(tile - self->tiles), tile->tile->l1.bytes, 0,
                           TS_L1_SIZE, "", &failure))
        return give(&failure, error);
    ts_pieces_copy(&tile->boot, &tile->registers);
    ts_pieces_clear(&tile->registers);
    if (tile->low == NULL)
        tile->low = malloc(self->layout->config);
    if (tile->hash == NULL)
        tile->hash = calloc(TS_L1_SIZE / BLOCK, sizeof *tile->hash);
    if (tile->low == NULL || tile->hash == NULL) {
        ts_fail(&failure, TS_NO_MEMORY, "out of memory");
        return give(&failure, error);
    }
    memset(tile->low, 0, self->layout->config);
    return TENSIM_OK;
}

// --- the host writes ---

static struct tile *tile_at(struct ts_capture *self, struct tensim_xy at)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->tiles[i].tile->x == at.x && self->tiles[i].tile->y == at.y)
            return &self->tiles[i];
    return NULL;
}

// The last word that the host wrote to a register.
static enum tensim_code wrote_register(struct ts_capture *self, struct tile *tile, uint32_t address,
                                       const void *bytes, struct tensim_error *error)
{
    struct ts_error failure = {0};
    const struct ts_piece piece = {
        .order = TS_PIECE_TILE + (uint32_t)(tile - self->tiles), .at = address, .length = 4};
    for (size_t i = 0; i < tile->registers.count; i++)
        if (tile->registers.piece[i].at == address) {
            memcpy(tile->registers.piece[i].bytes, bytes, 4);
            return TENSIM_OK;
        }
    return ts_pieces_add(&tile->registers, self->folder, &piece, bytes, &failure)
               ? TENSIM_OK
               : give(&failure, error);
}

enum tensim_code ts_capture_wrote(struct ts_capture *self, struct tensim_xy at, uint64_t address,
                                  const void *bytes, uint32_t length, struct tensim_error *error)
{
    struct tile *tile = self ? tile_at(self, at) : NULL;
    if (tile == NULL)
        return TENSIM_OK;
    if (address == TS_CAPTURED_RESET) {
        bool held = tile->tile->control.soft_reset & BRISC, was = tile->held;
        tile->held = held;
        return was && !held ? released(self, tile, error) : TENSIM_OK;
    }
    if (address >= TS_L1_SIZE)
        return wrote_register(self, tile, (uint32_t)address, bytes, error);
    if (tile->held || self->layout == NULL)
        return TENSIM_OK;
    for (uint64_t i = address; i < address + length && i < self->layout->config; i++)
        tile->low[i] = 1;
    const uint32_t signal = self->layout->go + TS_METAL_SIGNAL;
    if (address > signal || address + length <= signal ||
        tile->tile->l1.bytes[signal] != TS_METAL_GO)
        return TENSIM_OK;
    if (self->open)
        self->spoilt = "another began before it had ended";
    tile->launched = self->asked = true;
    tile->done = 0;
    return TENSIM_OK;
}

void ts_capture_reached_host(struct ts_capture *self)
{
    if (self && self->open)
        self->spoilt = "its kernels reach the host's memory";
}

// --- a launch ---

static bool begin(struct ts_capture *self, struct ts_error *error)
{
    bool good = true;
    self->open = true;
    self->launches++;
    self->go = tensim_cycle(self->sim);
    for (size_t i = 0; i < self->count && good; i++) {
        struct tile *tile = &self->tiles[i];
        ts_pieces_clear(&tile->memory);
        if (tile->low == NULL)
            continue;
        const struct walk l1 = {self, tile, -1, &tile->memory, error};
        for (size_t b = self->layout->config / BLOCK; b <= TS_PROGRAM_FREE / BLOCK; b++)
            tile->hash[b] = hash_of(tile->tile->l1.bytes + b * BLOCK);
        good = add_low(self, tile, error) && add_config(self, tile, error) &&
               ts_pieces_nonzero(&tile->memory, self->folder, order_of(&l1),
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
            return ts_fail(error, TS_NO_MEMORY, "out of memory") == TS_OK;
        good = walk_blocks(&dram, 0, not_zero, add_nonzero);
    }
    return good;
}

static void print_tile(const void *context, uint32_t order, FILE *file)
{
    const struct ts_tile *tile = ((const struct ts_capture *)context)->tiles[order].tile;
    fprintf(file, "%u-%u", tile->x, tile->y);
}

// Tiles of a release: all with the same cycle and word in one line.
static void print_releases(const struct ts_capture *self, FILE *file)
{
    fputs("    release:\n", file);
    for (size_t i = 0; i < self->count; i++) {
        const struct tile *first = &self->tiles[i];
        bool printed = !first->used;
        for (size_t k = 0; k < i && !printed; k++)
            printed = self->tiles[k].used && self->tiles[k].release == first->release &&
                      self->tiles[k].word == first->word;
        if (printed)
            continue;
        fputs("        - {tiles: [", file);
        for (size_t k = i; k < self->count; k++)
            if (self->tiles[k].used && self->tiles[k].release == first->release &&
                self->tiles[k].word == first->word) {
                fputs(k > i ? ", " : "", file);
                print_tile(self, (uint32_t)k, file);
            }
        fprintf(file, "], cycle: %" PRIu64 ", word: 0x%x}\n", first->release, first->word);
    }
}

static void print(struct ts_capture *self, struct ts_pieces *after, FILE *file)
{
    struct ts_pieces boot = {0}, memory = {0};
    ts_cycle end = 0;
    unsigned tiles = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct tile *tile = &self->tiles[i];
        if (tile->launched && tile->done > end)
            end = tile->done;
        tiles += tile->launched;
        if (tile->used)
            ts_pieces_copy(&boot, &tile->boot), ts_pieces_copy(&memory, &tile->memory);
    }
    ts_pieces_copy(&memory, &self->channels);
    fprintf(file,
            "# Launch %u of a host, on %u tile%s: %" PRIu64 " cycles from go to the end.\n"
            "# `tensim run' of this file runs it again, and compares cycles and the memory that "
            "it changed.\n"
            "name: launch %u\nchip: %s\ncaptured:\n    metal: %s\n",
            self->launches, tiles, tiles == 1 ? "" : "s", end - self->go, self->launches,
            self->chip, self->layout->version);
    if (self->earlier)
        fprintf(file, "    earlier: launch-%u.yaml\n", self->earlier);
    fputs("    launched: [", file);
    for (size_t i = 0, n = 0; i < self->count; i++)
        if (self->tiles[i].launched) {
            fputs(n++ ? ", " : "", file);
            print_tile(self, (uint32_t)i, file);
        }
    fputs("]\n", file);
    print_releases(self, file);
    fprintf(file, "    go: %" PRIu64 "\n    cycles: %" PRIu64 "\n", self->go, end - self->go);
    ts_pieces_print(&boot, "boot", file, print_tile, self);
    ts_pieces_print(&memory, "memory", file, print_tile, self);
    ts_pieces_print(after, "after", file, print_tile, self);
    ts_pieces_clear(&boot);
    ts_pieces_clear(&memory);
}

static void launch_path(const struct ts_capture *self, unsigned launch, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.4000s/launch-%u.yaml", self->folder, launch);
}

// Tiles without kernels are part of it if something lies, or is written, in their L1 above the configuration.
static bool write_file(struct ts_capture *self, struct ts_error *error)
{
    struct ts_pieces after = {0};
    bool good = true;
    char path[PATH_MAX];
    for (size_t i = 0; i < self->count && good; i++) {
        struct tile *tile = &self->tiles[i];
        if (tile->low == NULL)
            continue;
        const size_t before = after.count;
        const struct walk l1 = {self, tile, -1, &after, error};
        good = walk_blocks(&l1, self->layout->config / BLOCK, changed, add_changed);
        tile->used |= tile->launched || after.count > before;
        for (size_t k = 0; k < tile->memory.count; k++)
            tile->used |= tile->memory.piece[k].at >= TS_PROGRAM_FREE;
    }
    for (int c = 0; c < (int)self->sim->chip->soc.channels && good; c++) {
        const struct walk dram = {self, NULL, c, &after, error};
        good = walk_blocks(&dram, 0, changed, add_changed);
    }
    launch_path(self, self->launches, path);
    struct ts_file *file = good ? ts_file_open(path, error) : NULL;
    if (file)
        print(self, &after, ts_file_stream(file));
    ts_pieces_clear(&after);
    self->earlier = self->launches;
    return file && ts_file_close(file, error);
}

static void left_out(const struct ts_capture *self, const char *why)
{
    fprintf(stderr, "tensim capture: launch %u is left out: %s\n", self->launches, why);
}

enum tensim_code ts_capture_before(struct ts_capture *self, struct tensim_error *error)
{
    struct ts_error failure = {0};
    if (self == NULL || !self->asked)
        return TENSIM_OK;
    self->asked = false;
    if (self->open)
        return TENSIM_OK;
    return begin(self, &failure) ? TENSIM_OK : give(&failure, error);
}

enum tensim_code ts_capture_after(struct ts_capture *self, struct tensim_error *error)
{
    struct ts_error failure = {0};
    if (self == NULL || !self->open)
        return TENSIM_OK;
    for (size_t i = 0; i < self->count; i++)
        if (self->tiles[i].launched && self->tiles[i].done == 0)
            return TENSIM_OK;
    if (self->spoilt)
        left_out(self, self->spoilt), self->earlier = 0;
    else if (!write_file(self, &failure))
        return give(&failure, error);
    self->spoilt = NULL;
    self->open = false;
    for (size_t i = 0; i < self->count; i++)
        self->tiles[i].launched = false;
    return TENSIM_OK;
}

// --- begin and end ---

static void go_written(void *context, uint32_t address, uint32_t length, ts_cycle at)
{
    struct tile *tile = context;
    const struct ts_metal_layout *layout = tile->capture->layout;
    (void)address, (void)length;
    if (tile->launched && tile->done == 0 &&
        tile->tile->l1.bytes[layout->go + TS_METAL_SIGNAL] == TS_METAL_DONE)
        tile->done = at;
}

// Tiles are followed at the go message of any version that is known.
static bool follow(struct tile *tile)
{
    const struct ts_metal_layout *at;
    bool good = true;
    for (size_t i = 0; (at = ts_metal_known(i)) != NULL && good; i++)
        good = ts_l1_watch_add(&tile->tile->l1,
                               &(struct ts_l1_watch){.granule = at->go / TS_L1_GRANULE,
                                                     .port = UINT32_MAX,
                                                     .written = go_written,
                                                     .context = tile});
    return good;
}

static bool make_folder(const struct ts_capture *self, struct ts_error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.4000s/bytes", self->folder);
    if ((mkdir(self->folder, 0777) == 0 || errno == EEXIST) &&
        (mkdir(path, 0777) == 0 || errno == EEXIST))
        return true;
    return ts_fail(error, TS_SETUP, "%s: %s", path, strerror(errno)) == TS_OK;
}

// A host that starts the card again continues with the next number.
static void count_launches(struct ts_capture *self)
{
    char path[PATH_MAX];
    launch_path(self, 1, path);
    while (access(path, F_OK) == 0)
        launch_path(self, ++self->launches + 1, path);
}

struct ts_capture *ts_capture_new(struct tensim *sim, const char *folder, const char *chip,
                                  struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct tensim_xy at[TS_PLAN_CORES];
    struct ts_capture *self = calloc(1, sizeof *self);
    const size_t count = tensim_tiles(sim, at, TS_PLAN_CORES);
    bool good = self && (self->tiles = calloc(count, sizeof *self->tiles)) != NULL &&
                (self->scratch = malloc((size_t)RUN * BLOCK)) != NULL;
    if (!good)
        ts_fail(&failure, TS_NO_MEMORY, "out of memory");
    if (good) {
        self->sim = sim;
        snprintf(self->folder, sizeof self->folder, "%s", folder);
        snprintf(self->chip, sizeof self->chip, "%s", chip);
        good = make_folder(self, &failure);
        count_launches(self);
    }
    for (; good && self->count < count; self->count++) {
        struct tile *tile = &self->tiles[self->count];
        *tile = (struct tile){
            .capture = self, .tile = ts_lib_tile(sim, at[self->count], NULL), .held = true};
        good = follow(tile);
    }
    if (good)
        return self;
    give(&failure, error);
    ts_capture_free(self);
    return NULL;
}

void ts_capture_free(struct ts_capture *self)
{
    if (self == NULL)
        return;
    if (self->open)
        left_out(self, "it had not ended when the host did");
    for (size_t i = 0; i < self->count; i++) {
        ts_pieces_clear(&self->tiles[i].boot);
        ts_pieces_clear(&self->tiles[i].registers);
        ts_pieces_clear(&self->tiles[i].memory);
        free(self->tiles[i].low);
        free(self->tiles[i].hash);
    }
    for (unsigned c = 0; c < TS_SOC_CHANNELS; c++)
        free(self->dram[c]);
    ts_pieces_clear(&self->channels);
    free(self->tiles);
    free(self->scratch);
    free(self);
}
