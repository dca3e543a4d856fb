// Reads a system and connects its chips (system.h).
#include "platform/chip/system.h"

#include "platform/base/yaml.h"

#include <unistd.h>

bool ts_system_end_parse(const char *text, struct ts_system_end *end)
{
    char rest;
    return sscanf(text, "%u/eth%u%c", &end->chip, &end->channel, &rest) == 2 &&
           end->channel < TS_CHIP_ETH;
}

static bool same(struct ts_system_end a, struct ts_system_end b)
{
    return a.chip == b.chip && a.channel == b.channel;
}

bool ts_system_other(const struct ts_system *self, struct ts_system_end end,
                     struct ts_system_end *other)
{
    for (uint32_t i = 0; i < self->links; i++)
        for (int k = 0; k < 2; k++)
            if (same(self->link[i].end[k], end)) {
                *other = self->link[i].end[1 - k];
                return true;
            }
    return false;
}

int ts_system_channel(const struct ts_system *self, uint32_t chip, uint32_t to, uint32_t number)
{
    for (uint32_t i = 0; i < self->links; i++)
        for (int k = 0; k < 2; k++)
            if (self->link[i].end[k].chip == chip && self->link[i].end[1 - k].chip == to &&
                number-- == 0)
                return (int)self->link[i].end[k].channel;
    return -1;
}

// --- reading ---

static void add(struct ts_system *self, struct ts_yaml_node node, struct ts_system_end a,
                struct ts_system_end b, bool down)
{
    struct ts_system_end taken;
    const struct ts_system_end ends[] = {a, b};
    for (int k = 0; k < 2; k++) {
        if (ends[k].chip >= self->chips)
            ts_yaml_error(node, "there is no chip %u: the system has %u", ends[k].chip,
                          self->chips);
        else if (ends[k].channel >= self->eth[ends[k].chip])
            ts_yaml_error(node, "chip %u (%s) has no Ethernet tile %u: it has %u", ends[k].chip,
                          self->chip[ends[k].chip], ends[k].channel, self->eth[ends[k].chip]);
        else if (ts_system_other(self, ends[k], &taken))
            ts_yaml_error(node, "%u/eth%u has a link already", ends[k].chip, ends[k].channel);
    }
    if (same(a, b))
        ts_yaml_error(node, "a link connects two Ethernet tiles");
    if (self->links == TS_SYSTEM_LINKS)
        ts_yaml_error(node, "more than %d links", TS_SYSTEM_LINKS);
    else
        self->link[self->links++] = (struct ts_system_link){{a, b}, down};
}

static void read_cables(struct ts_system *self, struct ts_yaml_node list)
{
    for (size_t i = 0; i < ts_yaml_count(list) && list.file->error->code == TS_OK; i++) {
        struct ts_yaml_node row = ts_yaml_at(list, i);
        struct ts_system_end ends[2];
        size_t count = ts_yaml_is_list(row) ? ts_yaml_count(row) : 0;
        bool down = count == 3 && strcmp(ts_yaml_text(ts_yaml_at(row, 2), ""), "down") == 0;
        if ((count != 2 && !down) ||
            !ts_system_end_parse(ts_yaml_text(ts_yaml_at(row, 0), ""), &ends[0]) ||
            !ts_system_end_parse(ts_yaml_text(ts_yaml_at(row, 1), ""), &ends[1]))
            ts_yaml_error(row, "a link is [0/eth4, 1/eth4], or [0/eth4, 1/eth4, down]");
        else
            add(self, row, ends[0], ends[1], down);
    }
}

struct grid {
    uint32_t columns, rows;
    bool wrap_x, wrap_y;
};

enum way { WEST, NORTH, EAST, SOUTH, WAYS };

// The neighbour; -1: none. Of two in a row only one link leads to the other.
static int neighbour(const struct grid *grid, uint32_t chip, enum way way)
{
    uint32_t x = chip % grid->columns, y = chip / grid->columns;
    bool along_x = way == WEST || way == EAST, back = way == WEST || way == NORTH;
    uint32_t at = along_x ? x : y, count = along_x ? grid->columns : grid->rows;
    bool wraps = (along_x ? grid->wrap_x : grid->wrap_y) && count > 2;
    if ((back ? at == 0 : at == count - 1) && !wraps)
        return -1;
    at = (at + (back ? count - 1 : 1)) % count;
    return (int)(along_x ? y * grid->columns + at : at * grid->columns + x);
}

// The first channel of a chip to one side.
static uint32_t first_channel(const struct grid *grid, uint32_t chip, enum way way, uint32_t links)
{
    uint32_t channel = 0;
    for (enum way w = WEST; w < way; w++)
        channel += neighbour(grid, chip, w) >= 0 ? links : 0;
    return channel;
}

static void read_grid(struct ts_system *self, struct ts_yaml_node node, struct ts_yaml_node links)
{
    ts_yaml_only(node, "columns rows wrap", NULL);
    struct grid grid = {
        .columns = (uint32_t)ts_yaml_int(ts_yaml_require(node, "columns"), 1, TS_SYSTEM_CHIPS, 1),
        .rows = (uint32_t)ts_yaml_int(ts_yaml_require(node, "rows"), 1, TS_SYSTEM_CHIPS, 1)};
    struct ts_yaml_node at = ts_yaml_find(node, "wrap");
    const char *wrap = at.node ? ts_yaml_text(at, "none") : "none";
    if (strcmp(wrap, "none") && strcmp(wrap, "x") && strcmp(wrap, "y") && strcmp(wrap, "xy"))
        ts_yaml_error(at, "wrap is none, x, y or xy");
    grid.wrap_x = strchr(wrap, 'x') != NULL;
    grid.wrap_y = strchr(wrap, 'y') != NULL;
    self->columns = grid.columns;
    if (grid.columns * grid.rows != self->chips)
        ts_yaml_error(node, "%u columns and %u rows are not %u chips", grid.columns, grid.rows,
                      self->chips);
    if (ts_yaml_is_list(links)) {
        read_cables(self, links);
        return;
    }
    uint32_t each = (uint32_t)ts_yaml_int(links, 1, TS_CHIP_ETH, 1);
    for (uint32_t chip = 0; chip < self->chips && node.file->error->code == TS_OK; chip++)
        for (enum way way = EAST; way < WAYS; way++) {
            int other = neighbour(&grid, chip, way);
            for (uint32_t i = 0; other >= 0 && i < each; i++)
                add(self, links,
                    (struct ts_system_end){chip, first_channel(&grid, chip, way, each) + i},
                    (struct ts_system_end){
                        (uint32_t)other,
                        first_channel(&grid, (uint32_t)other, way == EAST ? WEST : NORTH, each) +
                            i},
                    false);
        }
}

// The chip's name, and how many Ethernet tiles it has.
static void read_chip(struct ts_system *self, uint32_t number, struct ts_yaml_node node)
{
    struct ts_error why = {0};
    struct ts_soc soc;
    snprintf(self->chip[number], sizeof self->chip[number], "%s", ts_yaml_text(node, ""));
    if (number && strcmp(self->chip[number], self->chip[number - 1]) == 0) {
        self->eth[number] = self->eth[number - 1];
        return;
    }
    if (node.file->error->code == TS_OK && ts_soc_find(&soc, self->chip[number], &why) != TS_OK) {
        ts_yaml_error(node, "%.200s", why.text);
        return;
    }
    for (uint32_t y = 0; node.file->error->code == TS_OK && y < soc.height; y++)
        for (uint32_t x = 0; x < soc.width; x++)
            if (soc.node[y][x] == TS_NOC_NODE_ETHERNET)
                self->eth[number]++;
}

static void read_chips(struct ts_system *self, struct ts_yaml_node root, struct ts_yaml_node grid)
{
    struct ts_yaml_node chip = ts_yaml_find(root, "chip"), chips = ts_yaml_find(root, "chips");
    if ((chip.node == NULL) == (chips.node == NULL)) {
        ts_yaml_error(root, "either chip (of all in the grid) or chips (a list)");
        return;
    }
    int64_t count = 0;
    if (chips.node)
        count = (int64_t)ts_yaml_count(chips);
    else if (grid.node)
        count = ts_yaml_int(ts_yaml_require(grid, "columns"), 1, TS_SYSTEM_CHIPS, 1) *
                ts_yaml_int(ts_yaml_require(grid, "rows"), 1, TS_SYSTEM_CHIPS, 1);
    if (count < 1 || count > TS_SYSTEM_CHIPS) {
        ts_yaml_error(root, "1 to %d chips", TS_SYSTEM_CHIPS);
        return;
    }
    self->chips = self->columns = (uint32_t)count;
    for (uint32_t i = 0; i < self->chips && root.file->error->code == TS_OK; i++)
        read_chip(self, i, chips.node ? ts_yaml_at(chips, i) : chip);
}

// A chip of several that nothing reaches is a mistake in the list of links.
static void look_for_lone_chips(const struct ts_system *self, struct ts_yaml_node links)
{
    for (uint32_t chip = 0; self->chips > 1 && chip < self->chips; chip++) {
        bool linked = false;
        for (uint32_t i = 0; i < self->links && !linked; i++)
            linked = self->link[i].end[0].chip == chip || self->link[i].end[1].chip == chip;
        if (!linked) {
            ts_yaml_error(links, "chip %u has no link", chip);
            return;
        }
    }
}

// --- the vendor's form ---

static bool is_p300(struct ts_yaml_node boards, uint32_t chip)
{
    for (size_t i = 0; boards.node && i < ts_yaml_count(boards); i++) {
        struct ts_yaml_node board = ts_yaml_at(boards, i), chips = {0};
        bool p300 = false;
        for (size_t k = 0; k < ts_yaml_count(board); k++) { // a list of maps with a key each
            struct ts_yaml_node type = ts_yaml_find(ts_yaml_at(board, k), "board_type"),
                                list = ts_yaml_find(ts_yaml_at(board, k), "chips");
            p300 |= type.node && strcmp(ts_yaml_text(type, ""), "p300") == 0;
            chips = list.node ? list : chips;
        }
        for (size_t k = 0; p300 && chips.node && k < ts_yaml_count(chips); k++)
            if (ts_yaml_int(ts_yaml_at(chips, k), 0, TS_SYSTEM_CHIPS, -1) == chip)
                return true;
    }
    return false;
}

// The value of a chip in a map whose keys are chips.
static struct ts_yaml_node of_chip(struct ts_yaml_node map, uint32_t chip)
{
    char key[16];
    snprintf(key, sizeof key, "%u", chip);
    return map.node ? ts_yaml_find(map, key) : map;
}

// A mask of a chip; 0 if the file has none.
static int64_t mask_of(struct ts_yaml_node masks, const char *key, int64_t most)
{
    struct ts_yaml_node at = masks.node ? ts_yaml_find(masks, key) : masks;
    return at.node ? ts_yaml_int(at, 0, most, 0) : 0;
}

// Tensix columns that are off: those of a die without a defect have names of config/chips.
static void read_harvested(struct ts_system *self, struct ts_yaml_node root, uint32_t chip)
{
    struct ts_yaml_node masks = of_chip(ts_yaml_find(root, "harvesting"), chip);
    const uint32_t columns = (uint32_t)mask_of(masks, "harvest_mask", 0x3ffe);
    if (mask_of(masks, "dram_harvesting_mask", 0xff))
        ts_yaml_error(masks, "chip %u: a DRAM controller is off: all must work", chip);
    const bool p300 = columns && is_p300(ts_yaml_find(root, "boards"), chip);
    snprintf(self->chip[chip], sizeof self->chip[chip],
             columns == 0 || (columns == 0xc0 && p300) ? "%s"
             : columns == 0xc0                         ? "%s-120"
                                                       : "%s@%x",
             p300 ? "p300" : "p150", columns);
    self->eth[chip] = 12; // of 14, two are off on every card
}

static void read_connection(struct ts_system *self, struct ts_yaml_node row)
{
    struct ts_system_end ends[2] = {{0}};
    if (!ts_yaml_is_list(row) || ts_yaml_count(row) != 2) {
        ts_yaml_error(row, "a connection has two ends, each with chip and chan");
        return;
    }
    for (size_t k = 0; k < 2; k++) {
        struct ts_yaml_node end = ts_yaml_at(row, k);
        ends[k] = (struct ts_system_end){
            (uint32_t)ts_yaml_int(ts_yaml_require(end, "chip"), 0, TS_SYSTEM_CHIPS - 1, 0),
            (uint32_t)ts_yaml_int(ts_yaml_require(end, "chan"), 0, TS_CHIP_ETH - 1, 0)};
    }
    if (row.file->error->code == TS_OK)
        add(self, row, ends[0], ends[1], false);
}

// A cluster descriptor of tt-umd: what is in it beyond chips, columns that are off and cables is not looked at.
static void read_descriptor(struct ts_system *self, struct ts_yaml_node root)
{
    struct ts_yaml_node chips = ts_yaml_require(root, "arch"),
                        links = ts_yaml_require(root, "ethernet_connections"),
                        host = ts_yaml_find(root, "chips_with_mmio");
    const struct ts_error *error = root.file->error;
    const size_t count = error->code == TS_OK ? ts_yaml_count(chips) : 0;
    if (error->code == TS_OK && (count == 0 || count > TS_SYSTEM_CHIPS))
        ts_yaml_error(chips, "1 to %d chips", TS_SYSTEM_CHIPS);
    self->chips = self->columns = (uint32_t)count;
    for (uint32_t i = 0; i < count && error->code == TS_OK; i++) {
        struct ts_yaml_node arch = of_chip(chips, i);
        if (arch.node == NULL || strcmp(ts_yaml_text(arch, ""), "blackhole") != 0)
            ts_yaml_error(arch.node ? arch : chips,
                          "chip %u: chips are counted from 0, and are "
                          "blackhole",
                          i);
        else
            read_harvested(self, root, i);
    }
    if (error->code == TS_OK && host.node && ts_yaml_count(host) != count)
        ts_yaml_error(host, "%zu of %zu chips are on PCIe: all must be", ts_yaml_count(host),
                      count);
    for (size_t i = 0; error->code == TS_OK && i < ts_yaml_count(links); i++)
        read_connection(self, ts_yaml_at(links, i));
    if (error->code == TS_OK)
        look_for_lone_chips(self, links);
}

static enum ts_code load(struct ts_system *self, const char *path, struct ts_error *error)
{
    struct ts_yaml yaml;
    memset(self, 0, sizeof *self);
    if (!ts_yaml_load(&yaml, path, error))
        return error->code;
    struct ts_yaml_node root = ts_yaml_root(&yaml);
    if (ts_yaml_is_map(root) && ts_yaml_find(root, "ethernet_connections").node) {
        read_descriptor(self, root);
        ts_yaml_free(&yaml);
        return error->code;
    }
    ts_yaml_only(root, "chip chips grid links", NULL);
    struct ts_yaml_node grid = ts_yaml_find(root, "grid"), links = ts_yaml_require(root, "links");
    if (error->code == TS_OK)
        read_chips(self, root, grid);
    if (error->code == TS_OK && grid.node)
        read_grid(self, grid, links);
    else if (error->code == TS_OK && ts_yaml_is_list(links))
        read_cables(self, links);
    else if (error->code == TS_OK)
        ts_yaml_error(links, "links is a list of cables, or a number with a grid");
    if (error->code == TS_OK)
        look_for_lone_chips(self, links);
    ts_yaml_free(&yaml);
    return error->code;
}

enum ts_code ts_system_find(struct ts_system *self, const char *name, struct ts_error *error)
{
    char path[512], file[96], names[256];
    bool given = strchr(name, '/') || strstr(name, ".yaml");
    snprintf(file, sizeof file, "systems/%.64s.yaml", name);
    ts_config_path(path, sizeof path, file);
    if (!given && access(path, F_OK) != 0)
        return ts_fail(error, TS_SETUP,
                       "no system '%.64s'; there are %s, or the path of a system's file (.yaml)",
                       name, ts_config_names("systems", names, sizeof names));
    if (load(self, given ? name : path, error) == TS_OK) {
        const char *slash = strrchr(name, '/');
        snprintf(self->name, sizeof self->name, "%.63s", slash ? slash + 1 : name);
    }
    return error->code;
}

// --- the ring ---

uint32_t ts_system_at_place(const struct ts_system *self, uint32_t place)
{
    const uint32_t across = self->columns, down = self->chips / across;
    place %= self->chips;
    if (place < across)
        return place;
    if (place > self->chips - down)
        return (self->chips - place) * across;
    const uint32_t row = 1 + (place - across) / (across - 1), at = (place - across) % (across - 1);
    return row * across + (row % 2 ? across - 1 - at : 1 + at);
}

uint32_t ts_system_place(const struct ts_system *self, uint32_t chip)
{
    uint32_t place = 0;
    while (ts_system_at_place(self, place) != chip)
        place++;
    return place;
}

// --- connecting ---

static struct ts_eth *eth_of(struct ts_chip *const *chips, struct ts_system_end end)
{
    const struct ts_tile *tile = chips[end.chip]->eth[end.channel];
    return tile ? tile->eth : NULL;
}

void ts_system_connect(const struct ts_system *self, struct ts_chip *const *chips)
{
    for (uint32_t i = 0; i < self->links; i++) {
        struct ts_eth *a = eth_of(chips, self->link[i].end[0]),
                      *b = eth_of(chips, self->link[i].end[1]);
        if (a == NULL || b == NULL)
            continue;
        ts_eth_connect(a, b);
        if (self->link[i].down)
            a->up = b->up = false;
    }
}

void ts_system_train(const struct ts_system_link *link, struct ts_chip *const *chips, bool up,
                     ts_cycle now)
{
    for (int k = 0; k < 2; k++) {
        struct ts_eth *eth = eth_of(chips, link->end[k]);
        if (eth)
            ts_eth_train(eth, up, now);
    }
}
