// Reads a captured launch: the file, and the plan's cores and kernels (captured.h).
#include "platform/run/plan/captured.h"

#include "platform/load/loader.h"
#include "platform/load/metal_elf.h"

#include <inttypes.h>

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

// Where the code of a kernel was linked.
static void read_elf(struct ts_yaml_node node, struct ts_captured_piece *to)
{
    struct ts_error error = {0};
    struct ts_metal_elf elf;
    if (!ts_metal_elf_open(&elf, to->bytes, to->length, ts_yaml_text(node, "elf"), &error)) {
        ts_yaml_error(node, "%s", error.text);
        return;
    }
    to->text = elf.text;
    ts_metal_elf_close(&elf);
}

// `elf`: an ELF file of the code at this address.
static void read_piece(const struct ts_plan *plan, struct ts_yaml_node node,
                       struct ts_captured_piece *to, bool elf)
{
    struct ts_yaml_node dram = ts_yaml_find(node, "dram"), at = ts_yaml_require(node, "at");
    ts_yaml_only(node, "tiles dram at file words bytes is", NULL);
    to->channel = (int)ts_yaml_int(dram, 0, (int64_t)plan->soc.channels - 1, -1);
    if (dram.node == NULL)
        read_tiles(plan, ts_yaml_require(node, "tiles"), &to->tiles);
    to->at = (uint64_t)ts_yaml_int(at, 0, INT64_MAX, 0);
    read_bytes(plan, node, to);
    if (elf && to->bytes)
        read_elf(ts_yaml_find(node, "file"), to);
    if (elf)
        return;
    const bool registers = to->at >= TS_L1_SIZE;
    if (dram.node == NULL &&
        (registers ? to->length != 4 || to->at > UINT32_MAX : to->length > TS_L1_SIZE - to->at))
        ts_yaml_error(at, "%zu bytes at 0x%" PRIx64 " of a tile: neither in L1 nor a register",
                      to->length, to->at);
}

static void read_list(const struct ts_plan *plan, struct ts_yaml_node list,
                      struct ts_captured_list *to, bool elf)
{
    const size_t count = list.node ? ts_yaml_count(list) : 0;
    to->piece = room_for(list, count, sizeof *to->piece);
    for (; to->piece && to->count < count && list.file->error->code == TS_OK; to->count++)
        read_piece(plan, ts_yaml_at(list, to->count), &to->piece[to->count], elf);
}

static void read_releases(const struct ts_plan *plan, struct ts_yaml_node list,
                          struct ts_captured *to)
{
    const size_t count = ts_yaml_count(list);
    to->releases = room_for(list, count, sizeof *to->releases);
    for (; to->releases && to->release_count < count; to->release_count++) {
        struct ts_yaml_node node = ts_yaml_at(list, to->release_count);
        struct ts_captured_release *release = &to->releases[to->release_count];
        ts_yaml_only(node, "tiles cycle word", NULL);
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
    *core = (struct ts_plan_core){.raw = at,
                                  .at = {index_of(plan->raw_x, at.x), index_of(plan->raw_y, at.y)}};
    ts_captured_message(captured, at, &message);
    for (unsigned p = 0; p < TS_ON; p++)
        core->kernel[p] = ts_captured_has(&captured->launched, at.x, at.y) &&
                                  message.enables >> p & 1
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
    for (uint8_t y = 0; y < plan->soc.height; y++)
        for (uint8_t x = 0; x < plan->soc.width; x++)
            for (size_t i = 0; i < plan->captured->release_count; i++)
                if (ts_captured_has(&plan->captured->releases[i].tiles, x, y) &&
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
        count -= ts_captured_has(&plan->captured->launched, plan->cores[i].raw.x,
                                 plan->cores[i].raw.y);
    if (count || plan->core_count == 0)
        ts_yaml_error(node, "%s",
                      count ? "a tile of `launched' is not among those of `release'"
                            : "no tile is released");
}

// What a file says of its launch.
static void read_launch(const struct ts_plan *plan, struct ts_yaml_node node,
                        struct ts_captured *self)
{
    ts_yaml_only(node, "earlier metal launched release go cycles elf boot memory after", NULL);
    read_version(self, ts_yaml_require(node, "metal"));
    read_tiles(plan, ts_yaml_require(node, "launched"), &self->launched);
    read_releases(plan, ts_yaml_require(node, "release"), self);
    self->go = (ts_cycle)ts_yaml_int(ts_yaml_require(node, "go"), 0, INT64_MAX, 0);
    self->cycles = (ts_cycle)ts_yaml_int(ts_yaml_find(node, "cycles"), 0, INT64_MAX, 0);
    read_list(plan, ts_yaml_require(node, "boot"), &self->boot, false);
    read_list(plan, ts_yaml_require(node, "memory"), &self->memory, false);
    read_list(plan, ts_yaml_find(node, "after"), &self->after, false);
    read_list(plan, ts_yaml_find(node, "elf"), &self->elf, true);
}

// The launches before it, of which there may be less than the file knows: `-p earlier=0'.
static void read_earlier(const struct ts_plan *plan, struct ts_yaml_node node,
                         struct ts_captured *self, int64_t most)
{
    struct ts_yaml_node name = ts_yaml_find(node, "earlier");
    if (name.node && most <= 0)
        plan->captured->apart = "behind earlier launches";
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
    const char *chip = ts_plan_setting(options, "chip"),
               *own = ts_yaml_text(ts_yaml_find(ts_yaml_root(&plan->yaml), "chip"), "p150");
    int64_t most = INT64_MAX;
    if (self == NULL)
        return;
    if (chip && strcmp(chip, own) != 0)
        snprintf(self->other, sizeof self->other, "chip was %.80s", own);
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
    free_list(&self->elf);
    free(self->releases);
    free(self);
}
