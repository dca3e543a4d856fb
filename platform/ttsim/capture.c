// Follows what a host does until a launch is complete, and writes its file (capture.h).
#include "platform/out/file.h"
#include "platform/run/plan/captured.h"
#include "platform/ttsim/capture_parts.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#define BRISC 0x800u // bit of the reset register

// --- release ---

static enum tensim_code give(const struct ts_error *from, struct tensim_error *error)
{
    error->code = (enum tensim_code)from->code;
    snprintf(error->text, sizeof error->text, "%s", from->text);
    return error->code;
}

static bool know_firmware(struct ts_capture *self, const struct ts_capture_tile *tile)
{
    uint32_t jump;
    memcpy(&jump, tile->tile->l1.bytes, 4);
    const struct ts_metal_layout *at;
    for (size_t i = 0; (at = ts_metal_known(i)) != NULL; i++)
        if (ts_metal_jump(at->firmware[TS_ON_BRISC]) == jump)
            self->layout = at;
    return self->layout && ts_metal_jump(self->layout->firmware[TS_ON_BRISC]) == jump;
}

static enum tensim_code released(struct ts_capture *self, struct ts_capture_tile *tile,
                                 struct tensim_error *error)
{
    struct ts_error failure = {0};
    if (self->record.unknown || !know_firmware(self, tile)) {
        self->record.unknown = true;
        return TENSIM_OK;
    }
    ts_record_end(&self->record);
    self->earlier = 0;
    tile->used = false;
    tile->release = tensim_cycle(self->sim);
    tile->word = tile->tile->control.soft_reset;
    ts_pieces_clear(&tile->boot);
    if (!ts_pieces_nonzero(&tile->boot, self->folder, ts_capture_order(self, tile),
                           tile->tile->l1.bytes, 0, TS_L1_SIZE, "", &failure))
        return give(&failure, error);
    ts_pieces_copy(&tile->boot, &tile->registers);
    ts_pieces_clear(&tile->registers);
    if (tile->low == NULL)
        tile->low = malloc(self->layout->config);
    if (tile->hash == NULL)
        tile->hash = calloc(TS_L1_SIZE / TS_CAPTURE_BLOCK, sizeof *tile->hash);
    if (tile->low == NULL || tile->hash == NULL) {
        ts_fail(&failure, TS_NO_MEMORY, "out of memory");
        return give(&failure, error);
    }
    memset(tile->low, 0, self->layout->config);
    return TENSIM_OK;
}

// --- the host writes ---

static struct ts_capture_tile *tile_at(struct ts_capture *self, struct tensim_xy at)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->tiles[i].tile->x == at.x && self->tiles[i].tile->y == at.y)
            return &self->tiles[i];
    return NULL;
}

// The last word that the host wrote to a register.
static enum tensim_code wrote_register(struct ts_capture *self, struct ts_capture_tile *tile,
                                       uint32_t address, const void *bytes,
                                       struct tensim_error *error)
{
    struct ts_error failure = {0};
    const struct ts_piece piece = {
        .order = ts_capture_order(self, tile), .at = address, .length = 4};
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
    struct ts_capture_tile *tile = self ? tile_at(self, at) : NULL;
    if (self)
        ts_record_access(self, at, address, bytes, length, false);
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

void ts_capture_saw(struct ts_capture *self, struct tensim_xy at, uint64_t address,
                    const void *bytes, uint32_t length)
{
    if (self)
        ts_record_access(self, at, address, bytes, length, true);
}

void ts_capture_reached_host(struct ts_capture *self)
{
    if (self && self->open)
        self->spoilt = "its kernels reach the host's memory";
    if (self && self->record.unknown)
        self->spoilt = "its cores reach the host's memory";
}

// --- the file of a launch ---

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
        const struct ts_capture_tile *first = &self->tiles[i];
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

static bool print(struct ts_capture *self, struct ts_pieces *after, FILE *file,
                  struct ts_error *error)
{
    struct ts_pieces boot = {0}, memory = {0};
    ts_cycle end = 0;
    unsigned tiles = 0;
    for (size_t i = 0; i < self->count; i++) {
        const struct ts_capture_tile *tile = &self->tiles[i];
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
            "name: launch %u\nchip: %s\n",
            self->launches, tiles, tiles == 1 ? "" : "s", end - self->go, self->launches,
            self->chip);
    bool good = ts_captured_machine_print(&self->sim->params, file, error);
    fprintf(file, "captured:\n    metal: %s\n", self->layout->version);
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
    if (self->elf.count)
        ts_pieces_print(&self->elf, "elf", file, print_tile, self);
    ts_pieces_clear(&boot);
    ts_pieces_clear(&memory);
    return good;
}

static void launch_path(const struct ts_capture *self, unsigned launch, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.4000s/launch-%u.yaml", self->folder, launch);
}

static bool write_file(struct ts_capture *self, struct ts_error *error)
{
    struct ts_pieces after = {0};
    char path[PATH_MAX];
    bool good = ts_capture_changes(self, &after, error);
    launch_path(self, self->launches, path);
    struct ts_file *file = good ? ts_file_open(path, error) : NULL;
    if (file)
        good = print(self, &after, ts_file_stream(file), error);
    ts_pieces_clear(&after);
    self->earlier = self->launches;
    if (self->unnamed)
        fprintf(stderr,
                "tensim capture: launch %u: %u kernel%s without names: no ELF file of --elf has "
                "their code\n",
                self->launches, self->unnamed, self->unnamed == 1 ? " is" : "s are");
    return file && ts_file_close(file, error) && good;
}

// --- time ---

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
    self->open = true;
    self->launches++;
    self->go = tensim_cycle(self->sim);
    return ts_capture_take(self, &failure) ? TENSIM_OK : give(&failure, error);
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
    struct ts_capture_tile *tile = context;
    const struct ts_metal_layout *layout = tile->capture->layout;
    (void)address, (void)length;
    if (tile->launched && tile->done == 0 &&
        tile->tile->l1.bytes[layout->go + TS_METAL_SIGNAL] == TS_METAL_DONE)
        tile->done = at;
}

// Tiles are followed at the go message of any version that is known.
static bool follow(struct ts_capture_tile *tile)
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
    return ts_refuse(error, TS_SETUP, "%s: %s", path, strerror(errno));
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
                                  struct ts_elf_cache *elf, struct tensim_error *error)
{
    struct ts_error failure = {0};
    struct ts_capture *self = calloc(1, sizeof *self);
    const size_t count = sim->chip->soc.tiles; // Tensix tiles
    bool good = self && (self->tiles = calloc(count, sizeof *self->tiles)) != NULL &&
                (self->scratch = malloc((size_t)TS_CAPTURE_RUN * TS_CAPTURE_BLOCK)) != NULL;
    if (!good)
        ts_fail(&failure, TS_NO_MEMORY, "out of memory");
    if (good) {
        self->sim = sim;
        snprintf(self->folder, sizeof self->folder, "%s", folder);
        snprintf(self->chip, sizeof self->chip, "%s", chip);
        self->elf_cache = elf;
        good = make_folder(self, &failure);
        count_launches(self);
    }
    for (; good && self->count < count; self->count++) {
        struct ts_capture_tile *tile = &self->tiles[self->count];
        *tile = (struct ts_capture_tile){
            .capture = self, .tile = sim->chip->tile[self->count], .held = true};
        good = follow(tile);
    }
    if (good)
        return self;
    give(&failure, error);
    ts_capture_free(self);
    return NULL;
}

void ts_capture_forget(struct ts_capture *self)
{
    ts_record_end(&self->record);
    self->open = false;
    ts_capture_free(self);
}

void ts_capture_free(struct ts_capture *self)
{
    if (self == NULL)
        return;
    struct ts_error failure = {0};
    if (self->open)
        left_out(self, "it had not ended when the host did");
    if (self->record.unknown && self->spoilt)
        fprintf(stderr, "tensim capture: the host is left out: %s\n", self->spoilt);
    else if (self->record.unknown && !ts_record_write(self, &failure))
        fprintf(stderr, "tensim capture: %s\n", failure.text);
    ts_record_end(&self->record);
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
    ts_pieces_clear(&self->elf);
    free(self->tiles);
    free(self->scratch);
    free(self);
}
