// Reads a captured launch, gives it to the tiles, compares what it leaves (captured.h).
#include "platform/run/plan/captured.h"

#include "platform/base/json.h"
#include "platform/load/loader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool has(const struct ts_captured_tiles *self, uint32_t x, uint32_t y)
{
    return self->row[y] >> x & 1;
}

static bool has_tile(const struct ts_captured_tiles *self, const struct ts_tile *tile)
{
    return has(self, tile->x, tile->y);
}

// --- the file ---

static void read_tiles(const struct ts_plan *plan, struct ts_yaml_node list,
                       struct ts_captured_tiles *to)
{
    for (size_t i = 0; i < ts_yaml_count(list); i++) {
        const char *text = ts_yaml_text(ts_yaml_at(list, i), "");
        unsigned x, y;
        char rest;
        if (sscanf(text, "%u-%u%c", &x, &y, &rest) != 2 || x >= plan->soc.width ||
            y >= plan->soc.height || plan->soc.node[y][x] != TS_NOC_NODE_TENSIX)
            ts_yaml_error(ts_yaml_at(list, i), "'%.40s' is not a Tensix tile of the chip, like 1-2",
                          text);
        else
            to->row[y] |= 1u << x;
    }
}

static void *room_for(struct ts_yaml_node node, size_t count, size_t size)
{
    void *room = calloc(count ? count : 1, size);
    if (room == NULL)
        ts_yaml_error(node, "out of memory");
    return room;
}

// Numbers of the file, or a file of bytes.
static void read_bytes(const struct ts_plan *plan, struct ts_yaml_node node,
                       struct ts_captured_piece *to)
{
    struct ts_yaml_node words = ts_yaml_find(node, "words"), bytes = ts_yaml_find(node, "bytes"),
                        list = words.node ? words : bytes;
    if (list.node == NULL) {
        struct ts_error error = {0};
        char path[PATH_MAX];
        struct ts_yaml_node file = ts_yaml_require(node, "file");
        ts_plan_path(plan, path, sizeof path, ts_yaml_text(file, ""));
        to->bytes = ts_read_file(path, &to->length, &error);
        if (to->bytes == NULL)
            ts_yaml_error(file, "%s", error.text);
        return;
    }
    const size_t size = words.node ? 4 : 1, count = ts_yaml_count(list);
    to->bytes = room_for(node, count, size);
    to->length = to->bytes ? count * size : 0;
    for (size_t i = 0; i < count && to->bytes; i++) {
        uint32_t value = (uint32_t)ts_yaml_int(ts_yaml_at(list, i), 0,
                                               words.node ? UINT32_MAX : UINT8_MAX, 0);
        memcpy(to->bytes + size * i, &value, size);
    }
}

static void read_piece(const struct ts_plan *plan, struct ts_yaml_node node,
                       struct ts_captured_piece *to)
{
    static const char *const keys[] = {"tiles", "dram", "at", "file", "words", "bytes", "is", NULL};
    struct ts_yaml_node dram = ts_yaml_find(node, "dram"), at = ts_yaml_require(node, "at");
    ts_yaml_only(node, keys);
    to->channel = (int)ts_yaml_int(dram, 0, (int64_t)plan->soc.channels - 1, -1);
    if (dram.node == NULL)
        read_tiles(plan, ts_yaml_require(node, "tiles"), &to->tiles);
    to->at = (uint64_t)ts_yaml_int(at, 0, INT64_MAX, 0);
    read_bytes(plan, node, to);
    const bool registers = to->at >= TS_L1_SIZE;
    if (dram.node == NULL &&
        (registers ? to->length != 4 || to->at > UINT32_MAX : to->length > TS_L1_SIZE - to->at))
        ts_yaml_error(at, "%zu bytes at 0x%" PRIx64 " of a tile: neither in L1 nor a register",
                      to->length, to->at);
}

static void read_list(const struct ts_plan *plan, struct ts_yaml_node list,
                      struct ts_captured_list *to)
{
    const size_t count = list.node ? ts_yaml_count(list) : 0;
    to->piece = room_for(list, count, sizeof *to->piece);
    for (; to->piece && to->count < count && list.file->error->code == TS_OK; to->count++)
        read_piece(plan, ts_yaml_at(list, to->count), &to->piece[to->count]);
}

static void read_releases(const struct ts_plan *plan, struct ts_yaml_node list,
                          struct ts_captured *to)
{
    static const char *const keys[] = {"tiles", "cycle", "word", NULL};
    const size_t count = ts_yaml_count(list);
    to->releases = room_for(list, count, sizeof *to->releases);
    for (; to->releases && to->release_count < count; to->release_count++) {
        struct ts_yaml_node node = ts_yaml_at(list, to->release_count);
        struct ts_captured_release *release = &to->releases[to->release_count];
        ts_yaml_only(node, keys);
        read_tiles(plan, ts_yaml_require(node, "tiles"), &release->tiles);
        release->cycle = (ts_cycle)ts_yaml_int(ts_yaml_require(node, "cycle"), 0, INT64_MAX, 0);
        release->word = (uint32_t)ts_yaml_int(ts_yaml_require(node, "word"), 0, UINT32_MAX, 0);
    }
}

static void read_version(struct ts_captured *self, struct ts_yaml_node node)
{
    const struct ts_metal_layout *at;
    for (size_t i = 0; (at = ts_metal_known(i)) != NULL; i++)
        if (strcmp(at->version, ts_yaml_text(node, "")) == 0)
            self->layout = at;
    if (self->layout == NULL)
        ts_yaml_error(node, "a version of tt-metal that tensim does not know (known: %s)",
                      ts_metal_known(0)->version);
}

// --- the plan ---

static uint8_t index_of(const uint8_t *raw, uint32_t place)
{
    uint8_t i = 0;
    while (i < 15 && raw[i] != place)
        i++;
    return i;
}

// All kernels of a processor count as one.
static void add_core(struct ts_plan *plan, struct ts_noc_xy at)
{
    const struct ts_captured *captured = plan->captured;
    struct ts_plan_core *core = &plan->cores[plan->core_count++];
    struct ts_metal_message message;
    core->raw = at;
    core->at = (struct ts_plan_xy){index_of(plan->raw_x, at.x), index_of(plan->raw_y, at.y)};
    ts_captured_message(captured, at, &message);
    for (unsigned p = 0; p < TS_ON; p++)
        core->kernel[p] = has(&captured->launched, at.x, at.y) && message.enables >> p & 1
                              ? (int)(p < TS_ON_TRISC0 ? p : TS_ON_TRISC0)
                              : -1;
}

static void add_kernels(struct ts_plan *plan)
{
    static const enum ts_plan_on on[] = {TS_PLAN_BRISC, TS_PLAN_NCRISC, TS_PLAN_COMPUTE};
    for (; plan->kernel_count < 3; plan->kernel_count++) {
        struct ts_plan_kernel *kernel = &plan->kernels[plan->kernel_count];
        kernel->on = on[plan->kernel_count];
        kernel->boot = true;
        for (uint32_t i = 0; i < plan->core_count; i++)
            for (unsigned p = 0; p < TS_ON; p++)
                if (plan->cores[i].kernel[p] == (int)plan->kernel_count)
                    kernel->boot = false;
    }
}

static void make_cores(struct ts_plan *plan, struct ts_yaml_node node)
{
    plan->cores = aligned_alloc(_Alignof(struct ts_plan_core), TS_PLAN_CORES * sizeof *plan->cores);
    if (plan->cores == NULL) {
        ts_yaml_error(node, "out of memory");
        return;
    }
    memset(plan->cores, 0, TS_PLAN_CORES * sizeof *plan->cores);
    for (uint8_t y = 0; y < plan->soc.height; y++)
        for (uint8_t x = 0; x < plan->soc.width; x++)
            for (size_t i = 0; i < plan->captured->release_count; i++)
                if (has(&plan->captured->releases[i].tiles, x, y) &&
                    plan->core_count < TS_PLAN_CORES) {
                    add_core(plan, (struct ts_noc_xy){x, y});
                    break;
                }
    add_kernels(plan);
}

static void check_launched(const struct ts_plan *plan, struct ts_yaml_node node)
{
    uint32_t count = 0;
    for (uint32_t y = 0; y < plan->soc.height; y++)
        count += (uint32_t)__builtin_popcount(plan->captured->launched.row[y]);
    for (uint32_t i = 0; i < plan->core_count; i++)
        count -= has(&plan->captured->launched, plan->cores[i].raw.x, plan->cores[i].raw.y);
    if (count || plan->core_count == 0)
        ts_yaml_error(node, "%s",
                      count ? "a tile of `launched' is not among those of `release'"
                            : "no tile is released");
}

// What a file says of its launch.
static void read_launch(const struct ts_plan *plan, struct ts_yaml_node node,
                        struct ts_captured *self)
{
    static const char *const keys[] = {"earlier", "metal", "launched", "release", "go",
                                       "cycles",  "boot",  "memory",   "after",   NULL};
    ts_yaml_only(node, keys);
    read_version(self, ts_yaml_require(node, "metal"));
    read_tiles(plan, ts_yaml_require(node, "launched"), &self->launched);
    read_releases(plan, ts_yaml_require(node, "release"), self);
    self->go = (ts_cycle)ts_yaml_int(ts_yaml_require(node, "go"), 0, INT64_MAX, 0);
    self->cycles = (ts_cycle)ts_yaml_int(ts_yaml_require(node, "cycles"), 0, INT64_MAX, 0);
    read_list(plan, ts_yaml_require(node, "boot"), &self->boot);
    read_list(plan, ts_yaml_require(node, "memory"), &self->memory);
    read_list(plan, ts_yaml_find(node, "after"), &self->after);
}

// The launches before it, of which there may be less than the file knows: `-p earlier=0'.
static void read_earlier(const struct ts_plan *plan, struct ts_yaml_node node,
                         struct ts_captured *self, int64_t most)
{
    struct ts_yaml_node name = ts_yaml_find(node, "earlier");
    if (name.node == NULL || most <= 0 || node.file->error->code != TS_OK)
        return;
    struct ts_captured *earlier = self->earlier = room_for(node, 1, sizeof *earlier);
    if (earlier == NULL)
        return;
    ts_plan_path(plan, earlier->path, sizeof earlier->path, ts_yaml_text(name, ""));
    if (!ts_yaml_load(&earlier->yaml, earlier->path, node.file->error))
        return;
    struct ts_yaml_node launch = ts_yaml_require(ts_yaml_root(&earlier->yaml), "captured");
    read_launch(plan, launch, earlier);
    if (earlier->go >= self->go)
        ts_yaml_error(name, "it goes in cycle %" PRIu64 ", which is not earlier", earlier->go);
    read_earlier(plan, launch, earlier, most - 1);
}

void ts_captured_read(struct ts_plan *plan, struct ts_yaml_node node,
                      const struct ts_plan_options *options)
{
    struct ts_captured *self = plan->captured = room_for(node, 1, sizeof *self);
    const char *set = ts_plan_setting(options, "earlier");
    int64_t most = INT64_MAX;
    if (self == NULL)
        return;
    if (set && (!ts_parse_int(set, &most) || most < 0))
        ts_yaml_error(node, "-p earlier=%.40s is not a number of launches", set);
    read_launch(plan, node, self);
    read_earlier(plan, node, self, most);
    plan->metal = self->layout;
    if (node.file->error->code == TS_OK)
        make_cores(plan, node);
    if (node.file->error->code == TS_OK)
        check_launched(plan, node);
}

static void free_list(struct ts_captured_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->piece[i].bytes);
    free(list->piece);
}

void ts_captured_free(struct ts_captured *self)
{
    if (self == NULL)
        return;
    ts_captured_free(self->earlier);
    if (self->yaml.path)
        ts_yaml_free(&self->yaml);
    free_list(&self->boot);
    free_list(&self->memory);
    free_list(&self->after);
    free(self->releases);
    free(self);
}

// --- the host of a tile ---

bool ts_captured_launches(const struct ts_captured *self, const struct ts_tile *tile)
{
    return has_tile(&self->launched, tile);
}

const struct ts_captured_release *ts_captured_release(const struct ts_captured *self,
                                                      const struct ts_tile *tile)
{
    size_t i = 0;
    while (i + 1 < self->release_count && !has_tile(&self->releases[i].tiles, tile))
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
        if (piece->channel < 0 && has(&piece->tiles, tile.x, tile.y) && first < last)
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
            return ts_fail(error, TS_SETUP, "%zu bytes at 0x%" PRIx64 " of DRAM channel %d: %s",
                           piece->length, piece->at, piece->channel, why) == TS_OK;
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
        if (piece->channel < 0 && has_tile(&piece->tiles, tile) &&
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
        if (piece->channel < 0 && has_tile(&piece->tiles, tile) && piece->at >= config &&
            piece->at < TS_L1_SIZE)
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
        if (piece->channel < 0 && has_tile(&piece->tiles, tile) &&
            (piece->at < config || piece->at >= TS_L1_SIZE) &&
            !ts_tile_write(tile, (uint32_t)piece->at, piece->bytes, (uint32_t)piece->length, now,
                           error))
            return false;
    }
    return true;
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
        if (has_tile(&piece->tiles, tile) && piece->at + piece->length <= TS_L1_SIZE)
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
    if (work->jobs[0].tile->config.timing_only)
        return;
    self->compared = true;
    for (size_t i = 0; i < self->after.count; i++)
        compare_piece(self, &self->after.piece[i], work);
}

void ts_captured_print(const struct ts_captured *self, FILE *file)
{
    fprintf(file, "  from go to the end: %" PRIu64 " cycles, ", self->took);
    if (self->took == self->cycles)
        fputs("as captured\n", file);
    else
        fprintf(file, "captured %" PRIu64 " (%+.2f %%)\n", self->cycles,
                100 * ((double)self->took / (double)self->cycles - 1));
    if (!self->compared)
        return;
    if (self->differ)
        fprintf(file, "  memory that the launch changed: WRONG, %" PRIu64 " bytes, first %s\n",
                self->differ, self->first);
    else
        fputs("  memory that the launch changed: as captured\n", file);
}

json_t *ts_captured_json(const struct ts_captured *self)
{
    return json_pack("{s:I, s:I, s:o}", "cycles", (json_int_t)self->took, "captured_cycles",
                     (json_int_t)self->cycles, "bytes_differ",
                     self->compared ? json_integer((json_int_t)self->differ) : json_null());
}
