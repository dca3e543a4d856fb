// Tensors and circular buffers of a program file: what they are and how they are cut into pages.
#include "platform/run/plan/plan.h"

#define DRAM_ALIGNMENT 64
#define L1_ALIGNMENT   16

static uint32_t aligned(uint32_t bytes, uint32_t to)
{
    return (bytes + to - 1) / to * to;
}

static unsigned read_format(const struct ts_plan *self, struct ts_yaml_node node)
{
    const char *name = ts_plan_choice(self, node, "bf16");
    int format = ts_plan_format_by_name(name);
    if (format < 0)
        ts_yaml_error(node,
                      "no format '%.40s': bf16 fp32 fp16 tf32 bfp8 bfp4 bfp2 fp8 int8 int32 uint32 "
                      "uint16 uint8, or as the vendor spells them",
                      name);
    return format < 0 ? 5 : (unsigned)format;
}

// Rows are all leading dimensions together.
static void read_shape(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_tensor *to)
{
    size_t count = ts_yaml_is_list(node) ? ts_yaml_count(node) : 0;
    to->rows = to->columns = 32;
    if (count < 1 || count > TS_PLAN_DIMENSIONS) {
        ts_yaml_error(node, "shape: a list of 1 to %d sizes like [64, 128]", TS_PLAN_DIMENSIONS);
        return;
    }
    to->dimensions = (uint32_t)count;
    double rows = 1;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = to->shape[i] = ts_plan_whole(self, ts_yaml_at(node, i), 1, 1 << 26);
        if (i + 1 == count)
            to->columns = size;
        else
            rows *= size;
    }
    if (rows * to->columns > 1 << 28)
        ts_yaml_error(node, "%.0f elements: at most %d", rows * to->columns, 1 << 28);
    else
        to->rows = (uint32_t)rows;
    if (to->tiled && (to->rows % TS_TILE || to->columns % TS_TILE))
        ts_yaml_error(node, "%ux%u in tiles: rows and columns are multiples of 32 (layout: rows)",
                      to->rows, to->columns);
}

static void read_page(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_tensor *to)
{
    to->pages_down = to->rows;
    to->pages_across = 1;
    if (to->tiled) {
        to->page = ts_plan_format_tile_bytes(to->format);
        to->pages_down = to->rows / TS_TILE;
        to->pages_across = to->columns / TS_TILE;
        if (node.node)
            ts_yaml_error(node, "a page of a tensor in tiles is a tile");
    } else {
        uint64_t all = (uint64_t)to->rows * to->columns * ts_plan_format_bytes(to->format);
        to->page = to->columns * ts_plan_format_bytes(to->format);
        if (node.node)
            to->page = ts_plan_whole(self, node, 1, 1 << 20);
        if (all % to->page)
            ts_yaml_error(node, "pages of %u bytes do not divide the tensor's %llu", to->page,
                          (unsigned long long)all);
        to->pages_down = (uint32_t)(all / to->page);
    }
    to->pages = to->pages_down * to->pages_across;
}

// How many cores a line of a rectangle has, in the order in which they are listed; 0: this is no rectangle.
static uint32_t line_of(const struct ts_plan_cores *cores)
{
    const struct ts_plan_xy first = cores->at[0], last = cores->at[cores->count - 1];
    const uint32_t wide = last.x - first.x + 1u, high = last.y - first.y + 1u;
    bool by_rows = last.x >= first.x && last.y >= first.y && wide * high == cores->count;
    bool by_columns = by_rows;
    for (uint32_t i = 0; i < cores->count; i++) {
        const uint32_t x = cores->at[i].x - first.x, y = cores->at[i].y - first.y;
        by_rows &= x == i % wide && y == i / wide;
        by_columns &= x == i / high && y == i % high;
    }
    return by_rows ? wide : by_columns ? high : 0;
}

// Shards go to the cores in the order of the list. If rows of shards lie on the rows of a rectangle of cores that has more
// columns, the cores behind each row's last shard have none (tt-metal: block sharding).
static void skip_cores(const struct ts_plan_tensor *tensor, struct ts_plan_cores *cores)
{
    const uint32_t across = (tensor->pages_across + tensor->shard_across - 1) /
                            tensor->shard_across;
    const uint32_t down = (tensor->pages_down + tensor->shard_down - 1) / tensor->shard_down;
    const uint32_t line = cores->count ? line_of(cores) : 0;
    if (line <= across || across == 1 || down == 1 || down > cores->count / line)
        return;
    for (uint32_t i = 0; i < down * across; i++)
        cores->at[i] = cores->at[i / across * line + i % across];
    cores->count = down * across;
}

// shard: {shape: [rows, columns], cores: ...}; pages of a tensor in rows are as wide as a shard.
static void read_shard(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_tensor *to)
{
    if (node.node == NULL)
        return;
    ts_yaml_only(node, "shape cores when", NULL);
    if (!ts_plan_when(self, node))
        return;
    struct ts_yaml_node shape = ts_yaml_require(node, "shape");
    if (!ts_yaml_is_list(shape) || ts_yaml_count(shape) != 2) {
        ts_yaml_error(shape, "shape of a shard: [rows, columns]");
        return;
    }
    uint32_t rows = ts_plan_whole(self, ts_yaml_at(shape, 0), 1, to->rows);
    uint32_t columns = ts_plan_whole(self, ts_yaml_at(shape, 1), 1, to->columns);
    uint32_t down = to->tiled ? TS_TILE : 1, across = to->tiled ? TS_TILE : columns;
    if (rows % down || columns % across || to->columns % across) {
        ts_yaml_error(shape, "shards of %ux%u do not divide %ux%u%s", rows, columns, to->rows,
                      to->columns, to->tiled ? " in tiles" : "");
        return;
    }
    to->sharded = true;
    to->shard_down = rows / down;
    to->shard_across = columns / across;
    if (!to->tiled) {
        to->page = columns * ts_plan_format_bytes(to->format);
        to->pages_down = to->rows;
        to->pages_across = to->columns / columns;
        to->pages = to->pages_down * to->pages_across;
    }
    struct ts_yaml_node cores = ts_yaml_find(node, "cores");
    if (!to->dram) {
        ts_plan_cores_read(self, cores, &to->shard_cores);
        skip_cores(to, &to->shard_cores);
        if (to->shard_cores.count == 0)
            ts_yaml_error(cores.node ? cores : node, "shards need cores: this range has none");
    } else if (cores.node)
        ts_yaml_error(cores, "shards in DRAM lie in its banks, not on cores");
}

static void read_tensor(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_tensor *to)
{
    ts_yaml_only(node,
                 "shape format layout in page shard fill seed file expect pcc tolerance save seen",
                 NULL);
    struct ts_yaml_node layout = ts_yaml_find(node, "layout"), in = ts_yaml_find(node, "in");
    int kind = ts_word_index("tile rows", ts_plan_choice(self, layout, "tile"));
    int place = ts_word_index("dram l1 host", ts_plan_choice(self, in, "dram"));
    if (kind < 0)
        ts_yaml_error(layout, "layout is tile or rows");
    if (place < 0)
        ts_yaml_error(in, "a tensor lies in dram or l1, or is the host's");
    to->node = node;
    to->seen = ts_yaml_bool(ts_yaml_find(node, "seen"), false) || ts_yaml_find(node, "save").node;
    to->expected = ts_yaml_find(node, "expect").node != NULL;
    to->tiled = kind == 0;
    to->dram = place != 1;
    to->host = place == 2;
    if (to->host && to->expected)
        ts_yaml_error(in, "nobody writes a tensor of the host: there is nothing to expect");
    to->format = read_format(self, ts_yaml_find(node, "format"));
    if (!to->tiled && ts_plan_format_bytes(to->format) == 0)
        ts_yaml_error(layout, "%s has a common exponent for 16 values and exists in tiles only",
                      ts_plan_format_name(to->format));
    read_shape(self, ts_yaml_require(node, "shape"), to);
    if (self->yaml.error->code != TS_OK)
        return;
    read_page(self, ts_yaml_find(node, "page"), to);
    read_shard(self, ts_yaml_find(node, "shard"), to);
    to->stride = aligned(to->page, to->dram ? DRAM_ALIGNMENT : L1_ALIGNMENT);
    struct ts_yaml_node seed = ts_yaml_find(node, "seed");
    double number_of = 0;
    if (seed.node)
        ts_plan_number(&(struct ts_plan_scope){.plan = self}, seed, 0, 0x1p53, &number_of);
    to->seed = (uint64_t)number_of;
}

void ts_plan_tensors_read(struct ts_plan *self, struct ts_yaml_node map)
{
    if (map.node && !ts_yaml_is_map(map)) {
        ts_yaml_error(map, "tensors: names, each with {shape: [rows, columns], ...}");
        return;
    }
    for (size_t i = 0; map.node && i < ts_yaml_count(map); i++) {
        struct ts_yaml_node key = ts_yaml_key(map, i);
        if (self->tensor_count == TS_PLAN_TENSORS) {
            ts_yaml_error(key, "more than %d tensors", TS_PLAN_TENSORS);
            return;
        }
        struct ts_plan_tensor *to = &self->tensors[self->tensor_count];
        if (!ts_plan_name(self, key, to->name))
            return;
        if (!ts_yaml_is_map(ts_yaml_value(map, i)))
            ts_yaml_error(ts_yaml_value(map, i), "a tensor is {shape: [rows, columns], ...}");
        else
            read_tensor(self, ts_yaml_value(map, i), to);
        if (self->yaml.error->code != TS_OK)
            return;
        self->tensor_count++;
    }
}

// --- circular buffers ---

static int cb_find(const struct ts_plan *self, uint32_t id)
{
    for (uint32_t i = 0; i < self->cb_count; i++)
        if (self->cbs[i].id == id)
            return (int)i;
    return -1;
}

static void read_cb(struct ts_plan *self, struct ts_yaml_node node)
{
    struct ts_plan_cb cb = {.node = node, .with = -1, .on = -1};
    ts_yaml_only(node, "id format pages page cores with on when faces face_rows", NULL);
    if (!ts_plan_when(self, node))
        return;
    struct ts_yaml_node page = ts_yaml_find(node, "page"), with = ts_yaml_find(node, "with"),
                        on = ts_yaml_find(node, "on"), pages = ts_yaml_find(node, "pages"),
                        faces = ts_yaml_find(node, "faces"), rows = ts_yaml_find(node, "face_rows");
    cb.id = ts_plan_whole(self, ts_yaml_require(node, "id"), 0, TS_PROGRAM_CBS - 1);
    cb.format = read_format(self, ts_yaml_find(node, "format"));
    cb.page = page.node ? ts_plan_whole(self, page, 1, 1 << 20)
                        : ts_plan_format_tile_bytes(cb.format);
    cb.faces = faces.node ? (uint8_t)ts_plan_whole(self, faces, 1, 4) : 4;
    cb.face_rows = rows.node ? (uint8_t)ts_plan_whole(self, rows, 1, 16) : 16;
    ts_plan_cores_any(self, ts_yaml_find(node, "cores"), &cb.cores);
    if (with.node &&
        (cb.with = cb_find(self, ts_plan_whole(self, with, 0, TS_PROGRAM_CBS - 1))) < 0)
        ts_yaml_error(with, "no buffer before this one has number %s", ts_yaml_text(with, ""));
    if (on.node && (cb.on = ts_plan_tensor_find(self, ts_yaml_text(on, ""))) < 0)
        ts_yaml_error(on, "no tensor is called '%.40s'", ts_yaml_text(on, ""));
    else if (on.node && (self->tensors[cb.on].dram || !self->tensors[cb.on].sharded))
        ts_yaml_error(on, "a buffer can only lie on a tensor in shards in L1");
    if (pages.node) {
        cb.pages = ts_plan_whole(self, pages, 1, 65535);
    } else if (cb.on >= 0) {
        const struct ts_plan_tensor *t = &self->tensors[cb.on];
        cb.pages = t->shard_down * t->shard_across * t->page / cb.page;
        if (cb.pages == 0)
            ts_yaml_error(node, "a page of %u bytes is larger than a shard of %s", cb.page,
                          t->name);
    } else {
        ts_yaml_require(node, "pages");
    }
    for (uint32_t i = 0; i < self->cb_count; i++)
        for (uint32_t a = 0; self->cbs[i].id == cb.id && a < cb.cores.count; a++)
            for (uint32_t b = 0; b < self->cbs[i].cores.count; b++)
                if (memcmp(&cb.cores.at[a], &self->cbs[i].cores.at[b], sizeof cb.cores.at[a]) == 0)
                    ts_yaml_error(node, "core %u,%u has buffer %u already", cb.cores.at[a].x,
                                  cb.cores.at[a].y, cb.id);
    self->cbs[self->cb_count++] = cb;
}

void ts_plan_buffers_read(struct ts_plan *self, struct ts_yaml_node list)
{
    if (list.node && !ts_yaml_is_list(list)) {
        ts_yaml_error(list, "buffers: a list of {id: 0, format: bf16, pages: 2}");
        return;
    }
    for (size_t i = 0; list.node && i < ts_yaml_count(list); i++) {
        if (self->cb_count == sizeof self->cbs / sizeof *self->cbs) {
            ts_yaml_error(list, "more than %zu buffers", sizeof self->cbs / sizeof *self->cbs);
            return;
        }
        if (!ts_yaml_is_map(ts_yaml_at(list, i)))
            ts_yaml_error(ts_yaml_at(list, i), "a buffer is {id: 0, format: bf16, pages: 2}");
        else
            read_cb(self, ts_yaml_at(list, i));
        if (self->yaml.error->code != TS_OK)
            return;
    }
}
