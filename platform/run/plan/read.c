// Reads a program file: chip, core ranges, semaphores. Parameters, tensors, buffers and kernels have
// files of their own.
#include "platform/load/kind.h"
#include "platform/run/plan/captured.h"
#include "platform/run/plan/remedies.h"

#define DRAM_END UINT64_C(4278190080) // of what it gives to tensors of a bank

bool ts_plan_is(const char *path)
{
    return ts_kind_of(path) == TS_KIND_PROGRAM;
}

void ts_plan_path(const struct ts_plan *self, char *to, size_t size, const char *name)
{
    snprintf(to, size, "%s%s", name[0] == '/' ? "" : self->folder, name);
}

// --- cores ---

static void add_core(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_cores *to,
                     uint32_t x, uint32_t y)
{
    if (x >= self->columns || y >= self->rows) {
        ts_yaml_error(node, "core %u,%u lies outside the grid of %ux%u", x, y, self->columns,
                      self->rows);
        return;
    }
    for (uint32_t i = 0; i < to->count; i++)
        if (to->at[i].x == x && to->at[i].y == y) {
            ts_yaml_error(node, "core %u,%u is there twice", x, y);
            return;
        }
    to->at[to->count++] = (struct ts_plan_xy){(uint8_t)x, (uint8_t)y};
}

static void add_rectangle(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_cores *to,
                          const unsigned corner[4], bool by_columns)
{
    unsigned wide = corner[2] - corner[0] + 1, high = corner[3] - corner[1] + 1;
    if (corner[2] < corner[0] || corner[3] < corner[1]) {
        ts_yaml_error(node, "the second corner lies before the first");
        return;
    }
    if (corner[2] >= self->columns || corner[3] >= self->rows) {
        ts_yaml_error(node, "core %u,%u lies outside the grid of %ux%u", corner[2], corner[3],
                      self->columns, self->rows);
        return;
    }
    for (unsigned i = 0; i < wide * high; i++)
        add_core(self, node, to, corner[0] + (by_columns ? i / high : i % wide),
                 corner[1] + (by_columns ? i % high : i / wide));
}

static void add_named(struct ts_plan *self, struct ts_yaml_node node, const char *text,
                      struct ts_plan_cores *to)
{
    unsigned c[4] = {0}, n;
    int used = 0;
    const struct ts_plan_cores *set = ts_plan_set_find(self, text);
    for (uint32_t i = 0; set && i < set->count; i++)
        add_core(self, node, to, set->at[i].x, set->at[i].y);
    if (set != NULL)
        return;
    if (sscanf(text, "%u,%u..%u,%u%n", &c[0], &c[1], &c[2], &c[3], &used) == 4 && used > 0) {
    } else if (sscanf(text, "%ux%u%n", &c[2], &n, &used) == 2 && used > 0 && c[2] > 0 && n > 0) {
        c[0] = c[1] = 0, c[2] -= 1, c[3] = n - 1;
    } else if (sscanf(text, "%u,%u%n", &c[0], &c[1], &used) == 2 && used > 0) {
        c[2] = c[0], c[3] = c[1];
    } else if (strncmp(text, "all", 3) == 0) {
        used = 3, c[2] = self->columns - 1, c[3] = self->rows - 1;
    } else {
        ts_yaml_error(node,
                      "'%.60s' names no cores: 4x2 (columns and rows from 0,0), 1,0 (one core), "
                      "1,0..3,2, all, or a name from `cores'",
                      text);
        return;
    }
    const char *rest = text + used;
    bool by_columns = strcmp(rest, " by columns") == 0;
    if (*rest != '\0' && !by_columns)
        ts_yaml_error(node, "'%.60s': only `by columns' can follow a range of cores", rest);
    else
        add_rectangle(self, node, to, c, by_columns);
}

// {at: [x, y], size: [columns, rows]} by expressions; a size of 0 is a range without cores.
static void add_sized(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_cores *to)
{
    const struct ts_plan_scope scope = {.plan = self};
    struct ts_yaml_node pairs[2] = {ts_yaml_find(node, "at"), ts_yaml_require(node, "size")};
    double number[4] = {0};
    ts_yaml_only(node, "at size", NULL);
    for (unsigned i = 0; i < 4; i++) {
        struct ts_yaml_node pair = pairs[i / 2];
        if (pair.node && (!ts_yaml_is_list(pair) || ts_yaml_count(pair) != 2))
            ts_yaml_error(pair, "two numbers: [columns, rows]");
        else if (pair.node)
            ts_plan_number(&scope, ts_yaml_at(pair, i % 2), 0, 255, &number[i]);
    }
    const unsigned x = (unsigned)number[0], y = (unsigned)number[1], wide = (unsigned)number[2],
                   high = (unsigned)number[3], corner[4] = {x, y, x + wide - 1, y + high - 1};
    if (self->yaml.error->code == TS_OK && wide > 0 && high > 0)
        add_rectangle(self, node, to, corner, false);
}

static void add_cores(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_cores *to)
{
    if (ts_yaml_is_map(node))
        add_sized(self, node, to);
    else
        add_named(self, node, ts_yaml_text(node, ""), to);
}

// May a range be without cores? One that was computed, and one that names such a range.
static bool may_be_empty(const struct ts_plan *self, struct ts_yaml_node node)
{
    return node.node == NULL || ts_yaml_is_map(node) ||
           (ts_yaml_is_list(node) && ts_yaml_count(node) > 0) ||
           (ts_yaml_is_scalar(node) && ts_plan_set_find(self, ts_yaml_text(node, "")));
}

void ts_plan_cores_read(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_cores *to)
{
    to->count = 0;
    if (node.node == NULL && self->set_count > 0) {
        *to = self->sets[0];
    } else if (node.node == NULL) {
        add_core(self, node, to, 0, 0);
    } else if (ts_yaml_is_list(node)) {
        for (size_t i = 0; i < ts_yaml_count(node); i++)
            add_cores(self, ts_yaml_at(node, i), to);
    } else {
        add_cores(self, node, to);
    }
    if (to->count == 0 && self->yaml.error->code == TS_OK && !may_be_empty(self, node))
        ts_yaml_error(node, "no cores");
}

void ts_plan_cores_any(struct ts_plan *self, struct ts_yaml_node node, struct ts_plan_cores *to)
{
    if (node.node != NULL || self->set_count == 0) {
        ts_plan_cores_read(self, node, to);
        return;
    }
    bool there[16][16] = {{false}};
    for (uint32_t s = 0; s < self->set_count; s++)
        for (uint32_t i = 0; i < self->sets[s].count; i++) {
            struct ts_plan_xy at = self->sets[s].at[i];
            if (!there[at.y][at.x])
                to->at[to->count++] = at;
            there[at.y][at.x] = true;
        }
}

// Names of ranges, not one range.
static bool has_names(struct ts_yaml_node node)
{
    return ts_yaml_is_map(node) && ts_yaml_find(node, "size").node == NULL;
}

// `cores:` one range for all kernels, or names of ranges of which the first is the default. It is known before the parameters,
// and `-p cores=4x2' replaces it.
static void read_first_set(struct ts_plan *self, struct ts_yaml_node node,
                           const struct ts_plan_options *options)
{
    const char *replaced = ts_plan_setting(options, "cores");
    bool named = has_names(node), none = node.node == NULL || (named && ts_yaml_count(node) == 0);
    struct ts_plan_cores *set = &self->sets[0];
    if (none && replaced == NULL)
        return;
    named &= !none;
    if (named)
        ts_plan_name(self, ts_yaml_key(node, 0), set->name);
    struct ts_yaml_node first = named  ? ts_yaml_value(node, 0)
                                : none ? ts_yaml_root(&self->yaml)
                                       : node;
    if (replaced)
        add_named(self, first, replaced, set);
    else
        ts_plan_cores_read(self, first, set);
    self->set_count = 1;
}

// The other ranges, which parameters can size.
static void read_sets(struct ts_plan *self, struct ts_yaml_node node)
{
    if (!has_names(node))
        return;
    for (size_t i = self->set_count; i < ts_yaml_count(node); i++) {
        struct ts_plan_cores set = {.name = ""};
        if (self->set_count == TS_PLAN_SETS) {
            ts_yaml_error(ts_yaml_key(node, i), "more than %d ranges of cores", TS_PLAN_SETS);
            return;
        }
        ts_plan_name(self, ts_yaml_key(node, i), set.name);
        ts_plan_cores_read(self, ts_yaml_value(node, i), &set);
        self->sets[self->set_count++] = set;
    }
}

// --- chip and grid ---

static void read_chip(struct ts_plan *self, struct ts_yaml_node root,
                      const struct ts_plan_options *options)
{
    struct ts_yaml_node chip = ts_yaml_find(root, "chip"), grid = ts_yaml_find(root, "grid");
    struct ts_error error = {0};
    char path[PATH_MAX];
    const char *set = ts_plan_setting(options, "chip"), *name = ts_yaml_text(chip, "p150");
    if (set)
        name = set;
    if (self->system && (set || chip.node))
        ts_yaml_error(chip.node ? chip : root, "the system says which chips it has");
    if (self->system)
        name = self->system->chip[self->chip_id];
    if (strstr(name, ".yaml") && !set)
        ts_plan_path(self, path, sizeof path, name);
    else
        snprintf(path, sizeof path, "%s", name);
    if (ts_soc_find(&self->soc, path, &error) != TS_OK) {
        if (set)
            ts_fail(self->yaml.error, error.code, "--chip: %.400s", error.text);
        else
            ts_yaml_error(chip, "%.400s", error.text);
        self->soc.machine = ts_machines; // expressions of the file are read on
        return;
    }
    bool column[TS_NOC_WIDTH_MAX] = {false}, row[TS_NOC_HEIGHT_MAX] = {false};
    for (uint32_t y = 0; y < self->soc.height; y++)
        for (uint32_t x = 0; x < self->soc.width; x++)
            if (self->soc.node[y][x] == TS_NOC_NODE_TENSIX)
                column[x] = row[y] = true;
    for (uint8_t x = 0; x < self->soc.width && self->columns < 16; x++)
        if (column[x])
            self->raw_x[self->columns++] = x;
    for (uint8_t y = 0; y < self->soc.height && self->rows < 16; y++)
        if (row[y])
            self->raw_y[self->rows++] = y;
    const uint32_t kept_columns = self->soc.machine->dispatch_columns,
                   kept_rows = self->soc.machine->dispatch_rows;
    if (self->columns <= kept_columns || self->rows <= kept_rows || self->soc.channels == 0) {
        ts_yaml_error(chip.node ? chip : root,
                      "chip %.80s: a program needs at least %u columns and %u rows of Tensix tiles "
                      "and one DRAM channel",
                      name, kept_columns + 1, kept_rows + 1);
        return;
    }
    unsigned wide = self->columns - kept_columns, high = self->rows - kept_rows;
    char rest;
    if (grid.node && (sscanf(ts_yaml_text(grid, ""), "%ux%u%c", &wide, &high, &rest) != 2 ||
                      wide < 1 || high < 1 || wide > self->columns || high > self->rows))
        ts_yaml_error(grid, "'%.40s' is not a grid of cores like %ux%u, at most %ux%u",
                      ts_yaml_text(grid, ""), self->columns - kept_columns, self->rows - kept_rows,
                      self->columns, self->rows);
    else
        self->columns = wide, self->rows = high;
    uint32_t number[TS_PLAN_CORES];
    ts_plan_shuffle(number, self->columns * self->rows);
    for (uint32_t i = 0; i < self->columns * self->rows; i++)
        self->banks[number[i]] = (struct ts_plan_xy){(uint8_t)(i % self->columns),
                                                     (uint8_t)(i / self->columns)};
}

// --- semaphores ---

static void read_semaphores(struct ts_plan *self, struct ts_yaml_node map)
{
    if (map.node && !ts_yaml_is_map(map)) {
        ts_yaml_error(map, "semaphores: names with their initial values, like {ready: 0}");
        return;
    }
    for (size_t i = 0; map.node && i < ts_yaml_count(map); i++) {
        struct ts_yaml_node node = ts_yaml_value(map, i);
        if (self->semaphore_count == TS_PLAN_SEMAPHORES) {
            ts_yaml_error(node, "a program has at most %d semaphores", TS_PLAN_SEMAPHORES);
            return;
        }
        struct ts_plan_semaphore *to = &self->semaphores[self->semaphore_count];
        ts_plan_name(self, ts_yaml_key(map, i), to->name);
        self->semaphore_count++;
        if (ts_yaml_is_map(node)) {
            ts_yaml_only(node, "value cores", NULL);
            ts_plan_cores_any(self, ts_yaml_find(node, "cores"), &to->cores);
            node = ts_yaml_require(node, "value");
        } else {
            ts_plan_cores_any(self, (struct ts_yaml_node){&self->yaml, NULL}, &to->cores);
        }
        to->value = ts_plan_whole(self, node, 0, UINT32_MAX);
    }
}

// --- the file ---

static void folder_of(const char *path, char *to, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(to, size, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
}

// `sources:` of the file is relative to its folder, the command line's to the current one.
static void read_sources(struct ts_plan *self, struct ts_yaml_node node,
                         const struct ts_plan_options *options)
{
    char folder[PATH_MAX];
    if (options->sources)
        snprintf(folder, sizeof folder, "%s", options->sources);
    else if (node.node)
        ts_plan_path(self, folder, sizeof folder, ts_yaml_text(node, ""));
    else
        snprintf(folder, sizeof folder, "%s", self->folder);
    size_t length = strlen(folder);
    snprintf(self->sources, sizeof self->sources, "%.4000s%s", folder,
             length > 0 && folder[length - 1] != '/' ? "/" : "");
}

// The name for the verdict, with the words that were chosen: op(x) is gelu(x).
static void read_name(struct ts_plan *self, struct ts_yaml_node node)
{
    const char *file = strrchr(self->path, '/'),
               *at = ts_yaml_text(node, file ? file + 1 : self->path);
    size_t used = 0;
    while (*at && used + 1 < sizeof self->name) {
        char word[TS_PLAN_NAME];
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        length = length ? length : 1;
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        const char *chosen = length < sizeof word ? ts_plan_chosen(self, word) : NULL;
        used += (size_t)snprintf(self->name + used, sizeof self->name - used, "%.*s",
                                 chosen ? (int)strlen(chosen) : (int)length, chosen ? chosen : at);
        at += length;
    }
}

// Where circular buffers count their pages: words of L1, or registers of the NoC overlay, where tt-metal's kernels have them.
static void read_counters(struct ts_plan *self, struct ts_yaml_node node)
{
    int place = ts_word_index("l1 registers", ts_plan_choice(self, node, "l1"));
    if (place < 0)
        ts_yaml_error(node, "counters is l1 or registers");
    else if (node.node && self->metal)
        ts_yaml_error(node, "kernels that tt-metal built count in registers: leave counters out");
    self->registers = place == 1 || self->metal;
}

// {bytes: of the tensor, sent: by each chip at least}: what bandwidths are of.
static void read_collective(struct ts_plan *self, struct ts_yaml_node node)
{
    const struct ts_plan_scope scope = {.plan = self};
    if (node.node == NULL)
        return;
    if (self->system == NULL)
        ts_yaml_error(node, "a collective needs a `system:'");
    ts_yaml_only(node, "bytes sent", NULL);
    ts_plan_number(&scope, ts_yaml_require(node, "bytes"), 1, 1e15, &self->bytes);
    ts_plan_number(&scope, ts_yaml_require(node, "sent"), 1, 1e15, &self->sent);
}

// Tiles without a chip: whose?
static void read_machine(struct ts_plan *self, const char *chip)
{
    struct ts_soc soc = {.machine = &ts_machines[0]};
    if (chip)
        ts_soc_find(&soc, chip, self->yaml.error);
    self->soc.machine = soc.machine;
}

static void read_llk(struct ts_plan *self, struct ts_yaml_node root,
                     const struct ts_plan_options *options)
{
    struct ts_yaml_node runtime = ts_yaml_find(root, "runtime");
    self->llk.on = true;
    self->llk.lone = strcmp(ts_yaml_text(ts_yaml_find(root, "chip"), ""), "none") == 0;
    if (strcmp(ts_yaml_text(runtime, ""), "llk") != 0)
        ts_yaml_error(runtime, "runtime is llk, or is left out: kernels of tt-metal's API");
    snprintf(self->name, sizeof self->name, "%s", ts_yaml_text(ts_yaml_require(root, "name"), ""));
    if (!self->llk.lone)
        read_chip(self, root, options);
    else
        read_machine(self, ts_plan_setting(options, "chip"));
    if (self->yaml.error->code == TS_OK)
        ts_plan_llk_read(self, options);
}

static void read_root(struct ts_plan *self, const struct ts_plan_options *options)
{
    struct ts_yaml_node root = ts_yaml_root(&self->yaml);
    const bool captured = ts_yaml_is_map(root) && ts_yaml_find(root, "captured").node;
    self->sequence = ts_yaml_is_map(root) && ts_yaml_find(root, "kind").node;
    ts_yaml_only(root,
                 self->sequence ? "kind name chip grid system params tensors steps dispatch"
                 : captured     ? "name chip machine captured"
                                : "name chip grid params cores tensors semaphores buffers kernels "
                                  "zones sources sizes flops include firmware counters system ethernet "
                                  "collective runtime unit require warnings text title",
                 NULL);
    if (ts_yaml_is_map(root) && ts_yaml_find(root, "runtime").node) {
        read_llk(self, root, options);
        return;
    }
    if (self->sequence && !options->sequence)
        ts_yaml_error(ts_yaml_find(root, "kind"), "a sequence of programs: `tensim run' takes it");
    read_sources(self, ts_yaml_find(root, "sources"), options);
    self->config = TS_PROGRAM_CONFIG;
    if (ts_yaml_find(root, "firmware").node)
        ts_metal_read(self, ts_yaml_find(root, "firmware"));
    read_chip(self, root, options);
    if (captured) {
        read_name(self, ts_yaml_find(root, "name"));
        ts_captured_read(self, ts_yaml_find(root, "captured"), options);
        return;
    }
    if (!self->sequence)
        read_first_set(self, ts_yaml_find(root, "cores"), options);
    ts_plan_params_read(self, ts_yaml_find(root, "params"));
    read_counters(self, ts_yaml_find(root, "counters"));
    read_name(self, ts_yaml_find(root, "name"));
    read_sets(self, ts_yaml_find(root, "cores"));
    ts_plan_tensors_read(self, ts_yaml_find(root, "tensors"));
    ts_plan_settings_check(self, options);
    if (self->sequence)
        return;
    read_semaphores(self, ts_yaml_find(root, "semaphores"));
    ts_plan_buffers_read(self, ts_yaml_find(root, "buffers"));
    ts_plan_kernels_read(self, ts_yaml_require(root, "kernels"));
    ts_remedies_read(self, options);
    ts_plan_eth_read(self, ts_yaml_find(root, "ethernet"));
    struct ts_yaml_node flops = ts_yaml_find(root, "flops");
    if (flops.node)
        ts_plan_number(&(struct ts_plan_scope){.plan = self}, flops, 1, 1e18, &self->flops);
    read_collective(self, ts_yaml_find(root, "collective"));
    self->include = ts_yaml_find(root, "include");
    if (self->include.node && !ts_yaml_is_list(self->include))
        ts_yaml_error(self->include, "include: a list of folders, for all kernels");
    self->zones = ts_yaml_find(root, "zones");
    for (size_t i = 0; self->zones.node && i < ts_yaml_count(self->zones); i++)
        ts_yaml_text(ts_yaml_at(self->zones, i), "");
}

// Reads the file and places everything; contents and expectations come later.
static bool read_file(struct ts_plan *self, const char *path, const struct ts_plan_options *options,
                      struct ts_error *error)
{
    snprintf(self->path, sizeof self->path, "%s", path);
    self->allow = options->allow;
    self->options = options;
    folder_of(path, self->folder, sizeof self->folder);
    self->dram_end = options->dram_bytes && options->dram_bytes < DRAM_END ? options->dram_bytes
                                                                           : DRAM_END;
    if (ts_yaml_load(&self->yaml, self->path, error))
        read_root(self, options);
    self->space = options->space;
    if (options->bind && error->code == TS_OK)
        options->bind(options->bind_context, self);
    return error->code == TS_OK &&
           (self->captured || self->llk.on || self->sequence || ts_plan_place(self));
}

bool ts_plan_accepts(const char *path, const struct ts_plan_options *options)
{
    struct ts_error error = {0};
    struct ts_plan *self = calloc(1, sizeof *self);
    if (self) {
        self->system = options->system;
        self->chip_id = options->chip_id;
    }
    bool good = self && read_file(self, path, options, &error);
    ts_plan_free(self);
    return good;
}

struct ts_plan *ts_plan_read(const char *path, const struct ts_plan_options *options,
                             struct ts_error *error)
{
    struct ts_plan *self = calloc(1, sizeof *self);
    if (self == NULL)
        return ts_nothing(error, TS_NO_MEMORY, "out of memory");
    self->system = options->system;
    self->chip_id = options->chip_id;
    self->unchecked = options->unchecked;
    self->no_floats = options->no_floats;
    self->bare = options->bare;
    if (!read_file(self, path, options, error) && !options->space)
        ts_plan_nearest(path, ts_yaml_root(&self->yaml), options, error);
    if (error->code == TS_OK && !self->llk.on)
        ts_plan_tensors_fill(self, ts_yaml_find(ts_yaml_root(&self->yaml), "tensors"), options);
    self->options = NULL;
    if (error->code == TS_OK)
        return self;
    ts_plan_free(self);
    return NULL;
}

void ts_plan_free(struct ts_plan *self)
{
    if (self == NULL)
        return;
    for (uint32_t i = 0; i < self->tensor_count; i++) {
        free(self->tensors[i].data.at);
        free(self->tensors[i].original.at);
        free(self->tensors[i].want.at);
        free(self->tensors[i].exact.at);
        free(self->tensors[i].got.at);
    }
    ts_captured_free(self->captured);
    free(self->cores);
    ts_yaml_free(&self->yaml);
    free(self);
}
