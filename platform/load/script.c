// Small programs: the reader of a file (script.h). Every error names file, line and column.
#include "platform/load/script_parts.h"

const char *const ts_script_lists[] = {"brisc",   "trisc0",  "trisc1", "trisc2", "ncrisc",
                                       "T0",      "T1",      "T2",     "cube",   "vector",
                                       "vector0", "vector1", NULL};

// --- objects

static uint32_t small(struct ts_yaml_node map, const char *key, int64_t low, int64_t high,
                      int64_t otherwise)
{
    return (uint32_t)ts_yaml_int(ts_yaml_find(map, key), low, high, otherwise);
}

static struct ts_script_object *new_object(struct ts_yaml_node key, const char *kind,
                                           struct ts_script_object *objects, unsigned *count,
                                           unsigned most)
{
    const char *name = ts_yaml_text(key, "");
    if (*count == most)
        ts_yaml_error(key, "more than %u of %s", most, kind);
    if (strlen(name) >= TS_SCRIPT_NAME - 8)
        ts_yaml_error(key, "a name has up to %d characters", TS_SCRIPT_NAME - 9);
    struct ts_script_object *to = &objects[*count < most ? (*count)++ : 0];
    *to = (struct ts_script_object){.declared = true};
    snprintf(to->name, sizeof to->name, "%s", name);
    return to;
}

const char *const ts_script_semaphores[TS_SEMAPHORES] = {
    "fpu_sfpu",  "math_pack",   "unpack_to_dest",   "unpack_operand_sync",
    "pack_done", "unpack_sync", "unpack_math_done", "math_done"};

static int fixed_place(struct ts_yaml_node key, struct ts_yaml_node value)
{
    int64_t number;
    const char *name = ts_yaml_text(key, "");
    if (ts_yaml_find(value, "index").node)
        return (int)small(value, "index", 0, TS_SEMAPHORES - 1, 0);
    if (ts_parse_int(name, &number))
        return (int)ts_yaml_int(key, 0, TS_SEMAPHORES - 1, 0);
    for (int i = 0; i < TS_SEMAPHORES; i++)
        if (strcmp(ts_script_semaphores[i], name) == 0)
            return i;
    return -1;
}

static void add_semaphore(struct ts_script *self, int place, struct ts_yaml_node key,
                          struct ts_yaml_node value)
{
    unsigned at = (unsigned)place;
    ts_yaml_only(value, "value max index", NULL);
    for (at = place < 0 ? 0 : at; place < 0 && at < TS_SEMAPHORES && self->semaphores[at].declared;)
        at++;
    if (at == TS_SEMAPHORES || self->semaphores[at].declared) {
        ts_yaml_error(key, "there is no semaphore left for '%s'", ts_yaml_text(key, ""));
        return;
    }
    unsigned one = at;
    struct ts_script_object *to = new_object(key, "semaphores", self->semaphores, &one,
                                             TS_SEMAPHORES);
    to->value = small(value, "value", 0, 15, 0);
    to->max = small(value, "max", 0, 15, 1);
}

static void read_semaphores(struct ts_script *self, struct ts_yaml_node map)
{
    for (unsigned i = 0; i < TS_SEMAPHORES; i++)
        snprintf(self->semaphores[i].name, TS_SCRIPT_NAME, "%s", ts_script_semaphores[i]);
    for (int free_ones = 0; free_ones < 2; free_ones++) // those with a place come first
        for (size_t i = 0; map.node && i < ts_yaml_count(map); i++) {
            struct ts_yaml_node key = ts_yaml_key(map, i), value = ts_yaml_value(map, i);
            int place = fixed_place(key, value);
            if ((place < 0) == free_ones)
                add_semaphore(self, place, key, value);
        }
}

static void read_mutexes(struct ts_script *self, struct ts_yaml_node map)
{
    for (size_t i = 0; map.node && i < ts_yaml_count(map); i++) {
        struct ts_yaml_node value = ts_yaml_value(map, i);
        struct ts_script_object *to = new_object(ts_yaml_key(map, i), "mutexes", self->mutexes,
                                                 &self->mutex_count, TS_SEMAPHORES);
        to->index = (uint32_t)ts_yaml_int(value, 0, 4, 0);
        if (to->index == 1)
            ts_yaml_error(value, "mutex 1 does not exist: ATGETM of it waits for ever");
    }
}

static void read_buffers(struct ts_script *self, struct ts_yaml_node map)
{
    for (size_t i = 0; map.node && i < ts_yaml_count(map); i++) {
        struct ts_yaml_node value = ts_yaml_value(map, i);
        struct ts_script_object *to = new_object(ts_yaml_key(map, i), "buffers", self->buffers,
                                                 &self->buffer_count, TS_SCRIPT_BUFFERS);
        ts_yaml_only(value, "pages filled start at page", NULL);
        ts_yaml_require(value, "pages");
        to->pages = small(value, "pages", 1, 65535, 1);
        to->filled = small(value, "filled", 0, to->pages, 0);
        to->start = small(value, "start", 0, 65535, 0);
        to->page = small(value, "page", 0, TS_L1_SIZE / to->pages, 0);
        to->at = small(value, "at", 0, TS_L1_SIZE - to->pages * to->page, 0);
    }
}

static void read_rings(struct ts_script *self, struct ts_yaml_node map)
{
    for (size_t i = 0; map.node && i < ts_yaml_count(map); i++) {
        struct ts_yaml_node value = ts_yaml_value(map, i), how = ts_yaml_find(value, "free");
        struct ts_script_object *to = new_object(ts_yaml_key(map, i), "rings", self->rings,
                                                 &self->ring_count, TS_SCRIPT_RINGS);
        ts_yaml_only(value, "slots free", NULL);
        ts_yaml_require(value, "slots");
        to->slots = small(value, "slots", 1, 100, 1);
        to->tfree = how.node && ts_script_choice(how, "tpop tfree") == 1;
    }
}

// --- the file

// An Ethernet tile has two cores, which run programs.
static void read_eth_key(struct ts_script_tile *tile, struct ts_yaml_node key,
                         struct ts_yaml_node value)
{
    const char *name = ts_yaml_text(key, "");
    if (strcmp(name, "erisc0") == 0)
        tile->programs[TS_RV_BRISC] = value;
    else if (strcmp(name, "erisc1") == 0)
        tile->programs[TS_RV_NCRISC] = value;
    else if (strcmp(name, "load") != 0)
        ts_yaml_error(key, "no core '%s'; an Ethernet tile has erisc0 and erisc1", name);
}

static void read_tile(struct ts_script *self, struct ts_script_tile *tile, struct ts_yaml_node map,
                      bool loads)
{
    for (size_t i = 0; i < ts_yaml_count(map); i++) {
        struct ts_yaml_node key = ts_yaml_key(map, i);
        const char *name = ts_yaml_text(key, "");
        unsigned k = 0;
        if (tile->place.channel >= 0) {
            read_eth_key(tile, key, ts_yaml_value(map, i));
            continue;
        }
        while (k < TS_SCRIPT_LISTS && strcmp(ts_script_lists[k], name) != 0)
            k++;
        if (k == TS_SCRIPT_LISTS && !(loads && strcmp(name, "load") == 0))
            ts_yaml_error(key,
                          "no core '%s'; there are brisc, trisc0 to trisc2, ncrisc, and their "
                          "threads T0 to T2",
                          name);
    }
    tile->node = map;
    tile->load = loads ? ts_yaml_find(map, "load") : (struct ts_yaml_node){map.file, NULL};
    if (tile->place.channel >= 0)
        return;
    for (unsigned i = 0; i < TS_SCRIPT_LISTS && self->yaml.error->code == TS_OK; i++) {
        struct ts_yaml_node value = ts_yaml_find(map, ts_script_lists[i]);
        if (value.node && !ts_yaml_is_list(value) && loads && i < TS_RV_CORES)
            tile->programs[i] = value;
        else if (value.node)
            ts_script_read_list(self, value,
                                i < TS_SCRIPT_T0 || i >= TS_SCRIPT_CUBE ? TS_STEP_CORE
                                                                        : TS_STEP_THREAD,
                                0, &tile->lists[i]);
    }
}

static bool new_tiles(struct ts_script *self, size_t count)
{
    self->tiles = calloc(count + 1, sizeof *self->tiles);
    if (self->tiles == NULL)
        return ts_refuse(self->yaml.error, TS_NO_MEMORY, "out of memory for %zu tiles", count);
    for (size_t i = 0; i < count; i++)
        self->tiles[i].place.channel = -1;
    self->tile_count = (unsigned)count;
    return true;
}

static void read_tiles(struct ts_script *self, struct ts_yaml_node tiles)
{
    if (ts_yaml_is_list(tiles)) {
        ts_yaml_error(tiles, "tiles is now a mapping: {1-2: {brisc: FILE.elf, load: [...]}}");
        return;
    }
    size_t count = ts_yaml_count(tiles);
    if (count == 0 || count > TS_SCRIPT_TILES) {
        ts_yaml_error(tiles, "1 to %d tiles are expected here", TS_SCRIPT_TILES);
        return;
    }
    if (!new_tiles(self, count))
        return;
    self->network = true;
    for (size_t i = 0; i < count && self->yaml.error->code == TS_OK; i++)
        if (self->system.node ? ts_script_place(ts_yaml_key(tiles, i), &self->tiles[i].place)
                              : ts_script_coordinates(ts_yaml_key(tiles, i), &self->tiles[i].at)) {
            if (self->system.node)
                self->tiles[i].at = self->tiles[i].place.at;
            read_tile(self, &self->tiles[i], ts_yaml_value(tiles, i), true);
            self->tiles[i].node = ts_yaml_key(tiles, i);
        }
}

// Keys that other forms of these files had.
static void check_old(struct ts_yaml_node root)
{
    static const struct {
        const char *old, *now;
    } rows[] = {{"threads", "cores: {trisc0: [...], T0: [...]}, by the names of cores and threads"},
                {"name", "about"},
                {"cbs", "buffers"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < ts_yaml_count(root); k++)
            if (strcmp(ts_yaml_text(ts_yaml_key(root, k), ""), rows[i].old) == 0)
                ts_yaml_error(ts_yaml_key(root, k), "%s is now `%s'", rows[i].old, rows[i].now);
}

static void read_mapping(struct ts_script *self, struct ts_yaml_node root)
{
    check_old(root);
    ts_yaml_only(root,
                 "about chip system dram semaphores mutexes buffers rings setup cores tiles "
                 "script expect tile places command",
                 NULL);
    self->about = ts_yaml_text(ts_yaml_find(root, "about"), "");
    self->chip = ts_yaml_find(root, "chip");
    self->system = ts_yaml_find(root, "system");
    if (self->system.node && self->chip.node)
        ts_yaml_error(self->system, "either chip or system");
    self->dram = ts_yaml_find(root, "dram");
    self->expect = ts_yaml_find(root, "expect");
    self->command = ts_yaml_find(root, "command");
    self->tile = ts_yaml_find(root, "tile");
    self->places = ts_yaml_find(root, "places");
    read_semaphores(self, ts_yaml_find(root, "semaphores"));
    read_mutexes(self, ts_yaml_find(root, "mutexes"));
    read_buffers(self, ts_yaml_find(root, "buffers"));
    read_rings(self, ts_yaml_find(root, "rings"));
    struct ts_yaml_node tiles = ts_yaml_find(root, "tiles");
    if (tiles.node) {
        read_tiles(self, tiles);
    } else if (new_tiles(self, 1)) {
        self->tiles[0].at = (struct ts_noc_xy){1, 2};
        struct ts_yaml_node cores = ts_yaml_find(root, "cores");
        if (cores.node)
            read_tile(self, &self->tiles[0], cores, false);
        else
            ts_yaml_error(root, "a program has the key 'cores' or 'tiles'");
    }
    ts_script_read_list(self, ts_yaml_find(root, "setup"), TS_STEP_SETUP, 0, &self->setup);
    ts_script_read_list(self, ts_yaml_find(root, "script"), TS_STEP_HOST, 0, &self->host);
}

static bool read_yaml(struct ts_script *self, struct ts_error *error)
{
    struct ts_yaml_node root = ts_yaml_root(&self->yaml);
    if (root.node && ts_yaml_is_map(root)) {
        read_mapping(self, root);
    } else if (root.node && new_tiles(self, 1)) {
        read_semaphores(self, (struct ts_yaml_node){&self->yaml, NULL});
        self->about = "";
        self->tiles[0].at = (struct ts_noc_xy){1, 2};
        self->tiles[0].node = root;
        if (ts_yaml_is_scalar(root))
            ts_yaml_error(root, "a program is a list (`- NOP'), or a mapping with `cores'");
        ts_script_read_list(self, root, TS_STEP_CORE, 0, &self->tiles[0].lists[TS_RV_TRISC1]);
    }
    return error->code == TS_OK;
}

bool ts_script_read(struct ts_script *self, const char *path, const char *text,
                    const struct ts_machine *machine, struct ts_error *error)
{
    *self = (struct ts_script){.machine = machine};
    return (text ? ts_yaml_parse(&self->yaml, path, text, error)
                 : ts_yaml_load(&self->yaml, path, error)) &&
           read_yaml(self, error);
}

void ts_script_free(struct ts_script *self)
{
    for (unsigned t = 0; t < self->tile_count; t++)
        for (unsigned i = 0; i < TS_SCRIPT_LISTS; i++)
            ts_script_free_list(&self->tiles[t].lists[i]);
    free(self->tiles);
    ts_script_free_list(&self->setup);
    ts_script_free_list(&self->host);
    ts_yaml_free(&self->yaml);
    memset(self, 0, sizeof *self);
}

void ts_script_without(const struct ts_script *self, const char *who, const char *parts)
{
    const struct {
        const char *part;
        struct ts_yaml_node node;
        const char *why;
    } rows[] = {
        {"chip", self->chip, "does not choose a chip: a scenario does"},
        {"chip", self->system, "does not choose a system: a scenario does"},
        {"dram", self->dram, "fills no DRAM: a scenario does"},
        {"script", self->host.node, "has no host: a scenario has one"},
        {"setup", self->setup.node, "does not set up registers: --show does"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].node.node && ts_word_index(parts, rows[i].part) >= 0)
            ts_script_refuse(rows[i].node, who, rows[i].why);
    for (unsigned t = 0; t < self->tile_count; t++) {
        const struct ts_script_tile *tile = &self->tiles[t];
        for (unsigned core = 0; core < TS_RV_CORES; core++)
            if (tile->programs[core].node && ts_word_index(parts, "elf") >= 0)
                ts_script_refuse(tile->programs[core], who,
                                 "takes lists of steps: ELF files are for a scenario");
        if (tile->load.node && ts_word_index(parts, "elf") >= 0)
            ts_script_refuse(tile->load, who, "loads no files: a scenario does");
        for (unsigned i = 0; i < TS_SCRIPT_LISTS; i++)
            if (tile->lists[i].node.node && ts_word_index(parts, "steps") >= 0)
                ts_script_refuse(tile->lists[i].node, who,
                                 "takes ELF files: a small program has lists of steps");
        if (t && ts_word_index(parts, "tiles") >= 0)
            ts_script_refuse(tile->node, who, "takes one tile: `tensim run' of it takes several");
    }
}
