// A program file with `runtime: llk': its cores, tensors, buffers and kernels (README.md).
//
// Buffers lie one after the other from TS_L1_DATA on, as the vendor's low-level tests have them.
#include "platform/run/guest.h"
#include "platform/run/plan/llk.h"
#include "platform/tile/names.h"

// Both of [rows, columns].
static void pair(struct ts_plan *self, struct ts_yaml_node node, uint32_t *rows, uint32_t *columns)
{
    if (!ts_yaml_is_list(node) || ts_yaml_count(node) != 2) {
        ts_yaml_error(node, "two numbers: [rows, columns]");
        return;
    }
    *rows = ts_plan_whole(self, ts_yaml_at(node, 0), 1, 1 << 20);
    *columns = ts_plan_whole(self, ts_yaml_at(node, 1), 1, 1 << 20);
}

// --- cores ---

// {count: N}: the first N of a p150, without a chip; {size: [columns, rows]}: of the chip.
static void read_cores(struct ts_plan *self, struct ts_yaml_node node)
{
    struct ts_yaml_node count = ts_yaml_find(node, "count"), size = ts_yaml_find(node, "size");
    uint32_t rows = 1, columns = self->columns;
    ts_yaml_only(node, "count size", NULL);
    self->core_count = 1;
    if (self->llk.lone)
        self->core_count = ts_plan_whole(self, count, 1, TS_GRID_COLUMNS * TS_GRID_ROWS);
    else
        pair(self, size, &columns, &rows);
    if (rows > self->rows || columns > self->columns) {
        ts_yaml_error(size, "%ux%u cores: the grid has %ux%u", columns, rows, self->columns,
                      self->rows);
        return;
    }
    if (!self->llk.lone)
        self->core_count = rows * columns;
    self->cores = aligned_alloc(_Alignof(struct ts_plan_core),
                                self->core_count * sizeof *self->cores);
    if (self->cores == NULL)
        ts_fail(self->yaml.error, TS_NO_MEMORY, "out of memory");
    for (uint32_t i = 0; self->cores && i < self->core_count; i++) {
        const struct ts_plan_xy at = {(uint8_t)(i % columns), (uint8_t)(i / columns)};
        self->sets[0].at[i] = at;
        self->cores[i] = (struct ts_plan_core){.at = at,
                                               .raw = {self->raw_x[at.x], self->raw_y[at.y]}};
    }
    self->sets[0].count = self->core_count;
}

// --- tensors ---

static unsigned read_format(struct ts_plan *self, struct ts_yaml_node node)
{
    const int format = ts_plan_format_code(self, ts_plan_choice(self, node, "bf16"));
    if (format < 0)
        ts_yaml_error(node, "no format '%.40s'", ts_yaml_text(node, ""));
    return format < 0 ? TS_DF_BF16 : (unsigned)format;
}

static void read_tensor(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_tensor *to)
{
    struct ts_yaml_node order = ts_yaml_find(node, "order"), tile = ts_yaml_find(node, "tile");
    ts_yaml_only(node, "shape tile format layout order fill expect error part", NULL);
    to->node = node;
    to->tiled = strcmp(ts_yaml_text(ts_yaml_find(node, "layout"), "tile"), "rows") != 0;
    to->format = read_format(self, ts_yaml_find(node, "format"));
    to->rows = to->columns = to->tile_rows = to->tile_columns = TS_TILE;
    pair(self, ts_yaml_require(node, "shape"), &to->rows, &to->columns);
    if (tile.node)
        pair(self, tile, &to->tile_rows, &to->tile_columns);
    if ((to->tile_rows != TS_TILE && to->tile_rows != TS_TILE / 2) ||
        (to->tile_columns != TS_TILE && to->tile_columns != TS_TILE / 2) ||
        to->rows % to->tile_rows || to->columns % to->tile_columns)
        ts_yaml_error(node, "%ux%u in tiles of %ux%u: tiles have 16 or 32 rows and columns",
                      to->rows, to->columns, to->tile_rows, to->tile_columns);
    if (self->yaml.error->code != TS_OK)
        return;
    to->dimensions = 2;
    to->shape[0] = to->rows;
    to->shape[1] = to->columns;
    to->pages_down = to->rows / to->tile_rows;
    to->pages_across = to->columns / to->tile_columns;
    to->pages = to->pages_down * to->pages_across;
    to->page = ts_datum_bytes(to->format, to->tile_rows * to->tile_columns);
    to->block_rows = 1;
    to->block_columns = to->pages_across;
    if (ts_yaml_is_list(order))
        pair(self, order, &to->block_rows, &to->block_columns);
    else if (order.node)
        to->pages = ts_plan_whole(self, ts_yaml_require(order, "tiles"), 1, 65535);
    if (to->pages_down % to->block_rows || to->pages_across % to->block_columns)
        ts_yaml_error(order, "blocks of %ux%u do not divide %ux%u tiles", to->block_rows,
                      to->block_columns, to->pages_down, to->pages_across);
    to->filled = ts_yaml_find(node, "fill").node != NULL;
    to->expected = ts_yaml_find(node, "expect").node != NULL;
}

static void read_tensors(struct ts_plan *self, struct ts_yaml_node map)
{
    for (size_t i = 0; map.node && i < ts_yaml_count(map) && i < TS_PLAN_TENSORS; i++) {
        struct ts_plan_tensor *to = &self->tensors[self->tensor_count];
        if (self->yaml.error->code != TS_OK || !ts_plan_name(self, ts_yaml_key(map, i), to->name))
            return;
        read_tensor(self, ts_yaml_value(map, i), to);
        self->tensor_count++;
    }
}

// --- buffers ---

// {id: 16, on: TENSOR}, {id: 24, format: F, tiles: N}, {id: 24, with: 16}: the same memory. Without an id: a tensor alone.
static void read_buffer(struct ts_plan *self, struct ts_yaml_node node, uint32_t *at)
{
    struct ts_yaml_node id = ts_yaml_find(node, "id"), on = ts_yaml_find(node, "on"),
                        with = ts_yaml_find(node, "with"), tiles = ts_yaml_find(node, "tiles");
    struct ts_plan_cb cb = {.node = node, .id = TS_CBS, .with = -1, .on = -1, .address = *at};
    uint32_t elements = TS_TILE * TS_TILE;
    ts_yaml_only(node, "id on with format tiles when", NULL);
    if (!ts_plan_when(self, node))
        return;
    if (id.node)
        cb.id = ts_plan_whole(self, id, 0, TS_CBS - 1);
    const uint32_t shared = with.node ? ts_plan_whole(self, with, 0, TS_CBS - 1) : TS_CBS;
    if (on.node && (cb.on = ts_plan_tensor_find(self, ts_yaml_text(on, ""))) < 0)
        ts_yaml_error(on, "no tensor is called '%.40s'", ts_yaml_text(on, ""));
    if (self->tensor_count == 0 || self->cb_count == TS_CBS)
        ts_yaml_error(node, "a file has tensors, and at most %d buffers", TS_CBS);
    if (self->yaml.error->code != TS_OK)
        return;
    for (uint32_t i = 0; i < self->cb_count; i++)
        if (self->cbs[i].id == shared && shared < TS_CBS) {
            const uint32_t own = cb.id;
            cb = self->cbs[i];
            cb.id = own;
            self->cbs[self->cb_count++] = cb;
            return;
        }
    struct ts_plan_tensor *tensor = cb.on >= 0 ? &self->tensors[cb.on] : NULL;
    const struct ts_plan_tensor *out = &self->tensors[self->tensor_count - 1];
    if (tensor)
        elements = tensor->tile_rows * tensor->tile_columns;
    else if (cb.id == TS_CB_PARTIALS)
        elements = out->tile_rows * out->tile_columns;
    cb.format = tensor ? tensor->format : read_format(self, ts_yaml_find(node, "format"));
    cb.pages = tiles.node ? ts_plan_whole(self, tiles, 1, 65535) : tensor ? tensor->pages : 0;
    cb.page = ts_datum_bytes(cb.format, elements);
    if (tensor) {
        tensor->address = *at;
        tensor->pages = cb.pages;
    }
    const uint64_t end = *at + (uint64_t)cb.pages * cb.page;
    if (end > TS_L1_EVENTS)
        ts_fail(self->yaml.error, TS_USAGE, "operands and result need %llu KiB of L1, there are %u",
                (unsigned long long)(end - TS_L1_DATA) / 1024, (TS_L1_EVENTS - TS_L1_DATA) / 1024);
    *at = (uint32_t)end;
    self->cbs[self->cb_count++] = cb;
}

// --- kernels ---

static const char *const argument_names[TS_ARGS][2] = {
#define TS_LLK_ARG(id, name, other) [TS_ARG_##id] = {name, other},
#include "config/llk_args.def"
};

void ts_llk_args(struct ts_plan *self, uint32_t core, uint32_t args[TS_ARGS])
{
    const struct ts_plan_scope scope = {.plan = self, .cores = &self->sets[0], .index = core};
    struct ts_yaml_node map = self->llk.args;
    for (size_t i = 0; map.node && i < ts_yaml_count(map); i++) {
        const char *name = ts_yaml_text(ts_yaml_key(map, i), "");
        unsigned a = 0;
        while (a < TS_ARGS && !(argument_names[a][0] && strcmp(argument_names[a][0], name) == 0) &&
               !(argument_names[a][1] && strcmp(argument_names[a][1], name) == 0))
            a++;
        if (a == TS_ARGS)
            ts_yaml_error(ts_yaml_key(map, i), "low-level kernels have no argument '%.40s'", name);
        else
            args[a] = ts_plan_word(&scope, ts_yaml_value(map, i));
    }
}

void ts_llk_image(const struct ts_plan *self, unsigned processor, char *name, size_t size)
{
    const char *image = self->llk.image, *variant = "";
    for (uint32_t i = 0; i < self->kernel_count; i++)
        if ((unsigned)self->kernels[i].on == processor)
            image = self->kernels[i].source;
    if (processor >= TS_ON_TRISC0)
        variant = self->llk.narrow && processor == TS_ON_TRISC2 ? "_narrow"
                  : self->llk.general                           ? "_general"
                                                                : "";
    snprintf(name, size, "%s%s%s.%s", self->soc.machine->images, image, variant,
             ts_processor_thread[processor]);
}

// {image: NAME, on: compute, ...}: an image that is embedded.
static void read_kernel(struct ts_plan *self, struct ts_yaml_node node)
{
    const int on = ts_word_index("brisc ncrisc compute",
                                 ts_yaml_text(ts_yaml_require(node, "on"), ""));
    const char *image = ts_yaml_text(ts_yaml_require(node, "image"), "");
    ts_yaml_only(node, "image on general narrow args", NULL);
    if (on < 0)
        ts_yaml_error(ts_yaml_find(node, "on"), "a kernel is on brisc, ncrisc or compute");
    if (on < 0 || self->kernel_count == 3)
        return;
    self->kernels[self->kernel_count++] = (struct ts_plan_kernel){
        .node = node, .source = image, .on = (enum ts_plan_on)on};
    if (on == TS_PLAN_COMPUTE) {
        self->llk.image = image;
        self->llk.general = ts_plan_flag(self, ts_yaml_find(node, "general"));
        self->llk.narrow = ts_plan_flag(self, ts_yaml_find(node, "narrow"));
        self->llk.args = ts_yaml_find(node, "args");
    }
}

static void check_images(struct ts_plan *self)
{
    for (unsigned p = 0; p < TS_ON; p++) {
        char name[96];
        ts_llk_image(self, p, name, sizeof name);
        if (self->yaml.error->code == TS_OK && ts_guest_find(name) == NULL)
            ts_yaml_error(ts_yaml_root(&self->yaml),
                          "%s: no such image; there are those of config/programs/llk/images.cmake",
                          name);
    }
}

// --- the file ---

// The rules of the file about its options.
static void check_rules(struct ts_plan *self, struct ts_yaml_node list)
{
    struct ts_yaml_node rule = ts_plan_broken(self, list);
    char text[400];
    if (rule.node == NULL)
        return;
    ts_plan_say(self, ts_yaml_text(ts_yaml_require(rule, "says"), ""), text, sizeof text);
    ts_fail(self->yaml.error, ts_yaml_find(rule, "code").node ? TS_NOT_IMPLEMENTED : TS_USAGE, "%s",
            text);
}

void ts_plan_llk_read(struct ts_plan *self, const struct ts_plan_options *options)
{
    struct ts_yaml_node root = ts_yaml_root(&self->yaml), buffers = ts_yaml_find(root, "buffers"),
                        kernels = ts_yaml_require(root, "kernels");
    uint32_t at = TS_L1_DATA, args[TS_ARGS] = {0};
    if (self->llk.lone)
        for (uint32_t i = 0; i < TS_GRID_COLUMNS; i++) {
            self->columns = TS_GRID_COLUMNS;
            self->rows = TS_GRID_ROWS;
            self->raw_x[i] = (uint8_t)ts_grid_x(i);
            self->raw_y[i] = (uint8_t)(TS_GRID_Y + i);
        }
    self->llk.title = ts_yaml_text(ts_yaml_find(root, "title"), "");
    ts_plan_params_read(self, ts_yaml_find(root, "params"));
    ts_plan_settings_check(self, options);
    if (options->alone)
        return;
    if (self->yaml.error->code == TS_OK)
        check_rules(self, ts_yaml_find(root, "require"));
    if (self->yaml.error->code == TS_OK)
        read_cores(self, ts_yaml_require(root, "cores"));
    read_tensors(self, ts_yaml_find(root, "tensors"));
    for (size_t i = 0; self->yaml.error->code == TS_OK && i < ts_yaml_count(buffers); i++)
        read_buffer(self, ts_yaml_at(buffers, i), &at);
    for (size_t i = 0; self->yaml.error->code == TS_OK && i < ts_yaml_count(kernels); i++)
        read_kernel(self, ts_yaml_at(kernels, i));
    if (self->yaml.error->code == TS_OK)
        ts_llk_args(self, 0, args);
    if (self->yaml.error->code == TS_OK &&
        (args[TS_ARG_RUN_TYPE] >= TS_RUN_TYPES || args[TS_ARG_PHASES] < 1 ||
         args[TS_ARG_PHASES] > 4 || args[TS_ARG_REPEAT] < 1))
        ts_yaml_error(self->llk.args, "run_type is 0 to %d, phases 1 to 4, repeat 1 or more",
                      TS_RUN_TYPES - 1);
    check_images(self);
    struct ts_yaml_node flops = ts_yaml_find(root, "flops");
    if (flops.node && self->yaml.error->code == TS_OK)
        ts_plan_number(&(struct ts_plan_scope){.plan = self}, flops, 1, 1e18, &self->flops);
}
