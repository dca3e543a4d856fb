// Reads SoC files, and fills the tables by which NIUs translate coordinates as the card's firmware does
// (tt-zephyr-platforms, noc.c and harvesting.c).
#include "platform/chip/soc.h"

#include "noc/translate.h"
#include "platform/base/yaml.h"

#include <strings.h>
#include <unistd.h>

#define TENSIX_ROW 2
#define DRAM_X     17 // translated coordinates of DRAM start here
#define DRAM_Y     12
#define PCIE_X     19
#define PCIE_Y     24
#define ETH_X      20
#define ETH_Y      25
#define L2CPU_Y    26
#define SECURITY_Y 30
#define TABLE      TS_SOC_TABLE
#define COLUMN     4 // DRAM controllers of a column
#define LIKE_MOST  4 // files that say `like`, one after the other

// tt-metal's choice of the endpoints that workers use (blackhole_140_arch.yaml, dram_views).
static const uint8_t worker_endpoints[TS_NOC_COUNT][2 * COLUMN] = {{2, 0, 0, 0, 2, 2, 2, 2},
                                                                   {1, 1, 1, 1, 1, 1, 1, 1}};

// --- the descriptor ---

static bool coordinates(struct ts_soc *self, struct ts_yaml_node node, struct ts_noc_xy *at)
{
    const char *text = ts_yaml_text(node, "");
    unsigned x, y;
    char rest;
    if (sscanf(text, "%u-%u%c", &x, &y, &rest) != 2)
        return ts_yaml_refuse(node, "'%s' is not a pair of coordinates like 1-2", text);
    if (x >= self->width || y >= self->height)
        return ts_yaml_refuse(node, "%s lies outside the grid of %ux%u", text, self->width,
                              self->height);
    *at = (struct ts_noc_xy){(uint8_t)x, (uint8_t)y};
    return true;
}

static void put(struct ts_soc *self, struct ts_yaml_node node, struct ts_noc_xy at,
                enum ts_noc_node kind, uint32_t index)
{
    uint8_t *there = &self->node[at.y][at.x];
    if (*there == kind)
        ts_yaml_error(node, "%u-%u is there twice as %s", at.x, at.y, ts_noc_node_name(*there));
    else if (*there != TS_NOC_NODE_EMPTY)
        ts_yaml_error(node, "%u-%u is already %s", at.x, at.y, ts_noc_node_name(*there));
    *there = (uint8_t)kind;
    self->index[at.y][at.x] = (uint8_t)index;
}

static uint32_t read_list(struct ts_soc *self, struct ts_yaml_node list, enum ts_noc_node kind)
{
    if (list.node == NULL)
        return 0;
    if (!ts_yaml_is_list(list)) {
        ts_yaml_error(list, "a list of coordinates like [1-2, 1-3] is expected here");
        return 0;
    }
    uint32_t count = (uint32_t)ts_yaml_count(list);
    for (uint32_t i = 0; i < count; i++) {
        struct ts_noc_xy at;
        struct ts_yaml_node item = ts_yaml_at(list, i);
        if (!coordinates(self, item, &at))
            return i;
        if (kind == TS_NOC_NODE_PCIE && i == 0)
            self->pcie = at;
        put(self, item, at, kind, i);
    }
    return count;
}

static void read_dram(struct ts_soc *self, struct ts_yaml_node list)
{
    self->channels = (uint32_t)ts_yaml_count(list);
    self->parts = 1;
    if (self->channels > TS_SOC_CHANNELS) {
        ts_yaml_error(list, "%u DRAM channels: at most %d", self->channels, TS_SOC_CHANNELS);
        self->channels = 0;
    }
    self->controllers = self->channels;
    for (uint32_t i = 0; i < self->channels; i++) {
        struct ts_yaml_node channel = ts_yaml_at(list, i);
        if (!ts_yaml_is_list(channel) || ts_yaml_count(channel) != TS_SOC_ENDPOINTS) {
            ts_yaml_error(channel, "a DRAM channel has %d endpoints", TS_SOC_ENDPOINTS);
            return;
        }
        for (uint32_t j = 0; j < TS_SOC_ENDPOINTS; j++) {
            struct ts_yaml_node item = ts_yaml_at(channel, j);
            if (!coordinates(self, item, &self->dram[i][j]))
                return;
            put(self, item, self->dram[i][j], TS_NOC_NODE_DRAM, i);
        }
        for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++)
            self->worker[noc][i] = worker_endpoints[noc][i % (2 * COLUMN)];
    }
}

// The endpoints that workers use, by bank: tt-metal's `dram_views`.
static void read_views(struct ts_soc *self, struct ts_yaml_node list)
{
    bool seen[TS_SOC_CHANNELS] = {false};
    for (size_t i = 0; list.node && i < ts_yaml_count(list); i++)
        if (ts_yaml_int(ts_yaml_find(ts_yaml_at(list, i), "address_offset"), 0, INT64_MAX, 0))
            self->parts = 2;
    for (size_t i = 0; list.node && i < ts_yaml_count(list); i++) {
        struct ts_yaml_node view = ts_yaml_at(list, i), bank = ts_yaml_require(view, "channel"),
                            ends = ts_yaml_require(view, "worker_endpoint");
        // Files of cards with a hole may list the views of the complete chip.
        uint32_t channel = (uint32_t)ts_yaml_int(bank, 0,
                                                 self->controllers ? self->controllers - 1 : 0, 0);
        if (ts_yaml_int(ts_yaml_find(view, "address_offset"), 0, INT64_MAX, 0))
            channel = channel * self->parts + 1;
        else
            channel *= self->parts;
        if (channel < TS_SOC_CHANNELS && seen[channel])
            ts_yaml_error(bank, "channel %u has two views", channel);
        if (!ts_yaml_is_list(ends) || ts_yaml_count(ends) != TS_NOC_COUNT)
            ts_yaml_error(ends, "a list of two endpoints is expected here, for NoC 0 and NoC 1");
        if (view.file->error->code != TS_OK)
            return;
        seen[channel] = true;
        for (unsigned noc = 0; noc < TS_NOC_COUNT; noc++)
            self->worker[noc][channel] = (uint8_t)ts_yaml_int(ts_yaml_at(ends, noc), 0,
                                                              TS_SOC_ENDPOINTS - 1, 0);
    }
}

// --- holes ---

static void remove_kind(struct ts_soc *self, enum ts_noc_node kind)
{
    for (uint32_t y = 0; y < self->height; y++)
        for (uint32_t x = 0; x < self->width; x++)
            if (self->node[y][x] == kind)
                self->node[y][x] = TS_NOC_NODE_EMPTY;
}

// A whole column of Blackhole, row of Wormhole. False: no Tensix tile of it works.
static bool turn_off(struct ts_soc *self, uint32_t at, bool row)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < (row ? self->width : self->height); k++) {
        uint8_t *node = row ? &self->node[at][k] : &self->node[k][at];
        found += *node == TS_NOC_NODE_TENSIX;
        if (*node == TS_NOC_NODE_TENSIX)
            *node = TS_NOC_NODE_HARVESTED;
    }
    self->tiles -= found;
    uint32_t next = 0; // those that work are numbered as they stand
    for (uint32_t y = 0; y < self->height; y++)
        for (uint32_t x = 0; x < self->width; x++)
            if (self->node[y][x] == TS_NOC_NODE_TENSIX)
                self->index[y][x] = (uint8_t)next++;
    return found != 0;
}

static void harvest(struct ts_soc *self, struct ts_yaml_node list, bool rows)
{
    if (list.node == NULL)
        return;
    if (rows == (self->machine == &ts_machines[0])) {
        ts_yaml_error(list, "harvested_%s: whole %s are off on %s", rows ? "rows" : "columns",
                      rows ? "columns" : "rows", self->machine->title);
        return;
    }
    for (size_t i = 0; i < ts_yaml_count(list); i++) {
        struct ts_yaml_node item = ts_yaml_at(list, i);
        int64_t at = ts_yaml_int(item, 0, (rows ? self->height : self->width) - 1, 0);
        if (!turn_off(self, (uint32_t)at, rows))
            ts_yaml_error(
                item,
                rows ? "row %d has no Tensix tile that works; harvested_rows are raw NoC 0 y"
                     : "column %d has no Tensix tile that works; harvested_columns are "
                       "raw NoC 0 x, on Blackhole 1 to 7 and 10 to 16",
                (int)at);
    }
    if (self->tiles == 0)
        ts_yaml_error(list, "no Tensix tile is left");
}

// The other controllers are the banks, in their order.
static void harvest_dram(struct ts_soc *self, struct ts_yaml_node node)
{
    if (node.node == NULL)
        return;
    uint32_t hole = (uint32_t)ts_yaml_int(node, 0, 2 * COLUMN - 1, 0);
    if (self->controllers != 2 * COLUMN || self->channels != self->controllers)
        ts_yaml_error(node,
                      "harvested_dram is one of the %d controllers of a complete chip; this "
                      "one has %u",
                      2 * COLUMN, self->channels);
    if (node.file->error->code != TS_OK)
        return;
    for (uint32_t j = 0; j < TS_SOC_ENDPOINTS; j++)
        self->node[self->dram[hole][j].y][self->dram[hole][j].x] = TS_NOC_NODE_EMPTY;
    memmove(self->dram[hole], self->dram[hole + 1],
            (self->channels - hole - 1) * sizeof *self->dram);
    self->channels--;
    self->hole = hole + 1;
    for (uint32_t i = hole; i < self->channels; i++)
        for (uint32_t j = 0; j < TS_SOC_ENDPOINTS; j++)
            self->index[self->dram[i][j].y][self->dram[i][j].x] = (uint8_t)i;
}

// --- files ---

static void fill_tables(struct ts_soc *self);
static enum ts_code load(struct ts_soc *self, const char *path, unsigned depth,
                         struct ts_error *error);
static enum ts_code find(struct ts_soc *self, const char *name, const char *from, unsigned depth,
                         struct ts_error *error);

static void read_complete(struct ts_soc *self, struct ts_yaml_node root)
{
    struct ts_yaml_node grid = ts_yaml_require(root, "grid"),
                        arch = ts_yaml_find(root, "arch_name");
    self->machine = ts_machine_by_name(ts_yaml_text(arch, ts_machines[0].name));
    if (self->machine == NULL)
        ts_yaml_error(arch, "the chip is %s; tensim models Blackhole and Wormhole",
                      ts_yaml_text(arch, ""));
    self->width = (uint8_t)ts_yaml_int(ts_yaml_require(grid, "x_size"), 1, TS_NOC_WIDTH_MAX - 1, 1);
    self->height = (uint8_t)ts_yaml_int(ts_yaml_require(grid, "y_size"), 1, TS_NOC_HEIGHT_MAX - 1,
                                        1);
    self->tiles = read_list(self, ts_yaml_require(root, "functional_workers"), TS_NOC_NODE_TENSIX);
    read_list(self, ts_yaml_find(root, "harvested_workers"), TS_NOC_NODE_HARVESTED);
    read_list(self, ts_yaml_find(root, "arc"), TS_NOC_NODE_ARC);
    read_list(self, ts_yaml_find(root, "pcie"), TS_NOC_NODE_PCIE);
    read_list(self, ts_yaml_find(root, "eth"), TS_NOC_NODE_ETHERNET);
    read_list(self, ts_yaml_find(root, "l2cpu"), TS_NOC_NODE_L2CPU);
    read_list(self, ts_yaml_find(root, "security"), TS_NOC_NODE_SECURITY);
    read_dram(self, ts_yaml_require(root, "dram"));
    struct ts_yaml_node noc = ts_yaml_find(ts_yaml_find(root, "features"), "noc");
    self->translation = ts_yaml_bool(ts_yaml_find(noc, "translation_id_enabled"), true);
}

// Another chip, but for what the file says.
static void read_like(struct ts_soc *self, struct ts_yaml_node root, unsigned depth)
{
    struct ts_yaml_node like = ts_yaml_find(root, "like"), eth = ts_yaml_find(root, "eth");
    struct ts_error why = {TS_OK, ""};
    ts_yaml_only(root, "like harvested_columns harvested_rows harvested_dram eth dram_views", NULL);
    if (depth == LIKE_MOST)
        ts_yaml_error(like, "more than %d files that say `like`: does one name itself?", LIKE_MOST);
    else if (find(self, ts_yaml_text(like, ""), root.file->path, depth + 1, &why) != TS_OK)
        ts_yaml_error(like, "%.400s", why.text);
    if (eth.node && root.file->error->code == TS_OK) {
        remove_kind(self, TS_NOC_NODE_ETHERNET);
        read_list(self, eth, TS_NOC_NODE_ETHERNET);
    }
}

static enum ts_code load(struct ts_soc *self, const char *path, unsigned depth,
                         struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    struct ts_yaml file;
    if (!ts_yaml_load(&file, path, error))
        return error->code;
    struct ts_yaml_node root = ts_yaml_root(&file);
    if (ts_yaml_find(root, "like").node)
        read_like(self, root, depth);
    else
        read_complete(self, root);
    if (error->code == TS_OK) {
        harvest(self, ts_yaml_find(root, "harvested_columns"), false);
        harvest(self, ts_yaml_find(root, "harvested_rows"), true);
        read_views(self, ts_yaml_find(root, "dram_views"));
        harvest_dram(self, ts_yaml_find(root, "harvested_dram"));
        self->banks = self->channels * self->parts;
        fill_tables(self);
    }
    ts_yaml_free(&file);
    return error->code;
}

enum ts_code ts_soc_load(struct ts_soc *self, const char *path, struct ts_error *error)
{
    return load(self, path, 0, error);
}

// A path in a file is relative to the file.
static enum ts_code find(struct ts_soc *self, const char *name, const char *from, unsigned depth,
                         struct ts_error *error)
{
    char path[1024], file[128], names[256];
    size_t length = strlen(name);
    if (strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".yaml") == 0)) {
        const char *slash = from && name[0] != '/' ? strrchr(from, '/') : NULL;
        snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - from) + 1 : 0,
                 slash ? from : "", name);
        return load(self, path, depth, error);
    }
    snprintf(file, sizeof file, "chips/%s.yaml", name);
    ts_config_path(path, sizeof path, file);
    if (access(path, F_OK) != 0)
        return ts_fail(error, TS_SETUP,
                       "no chip '%s'; there are %s, or the path of a SoC file (.yaml)", name,
                       ts_config_names("chips", names, sizeof names));
    return load(self, path, depth, error);
}

enum ts_code ts_soc_find(struct ts_soc *self, const char *name, struct ts_error *error)
{
    const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
    char *rest = NULL;
    const bool card = strncmp(name, "p150@", 5) == 0 || strncmp(name, "p300@", 5) == 0;
    unsigned long off = card ? strtoul(name + 5, &rest, 16) : 0;
    const bool mask = off && off < 0x3fff && *rest == '\0';
    enum ts_code code = find(self, mask ? "p150" : name, NULL, 0, error);
    for (uint32_t x = 1; mask && code == TS_OK && off; x += x == 7 ? 3 : 1, off >>= 1)
        if (off & 1)
            turn_off(self, x, false);
    if (mask && code == TS_OK)
        fill_tables(self);
    const char *end = strstr(file, ".yaml");
    snprintf(self->name, sizeof self->name, "%.*s", end ? (int)(end - file) : 60, file);
    return code;
}

const struct ts_machine *ts_soc_machine(const char *name)
{
    struct ts_soc soc;
    struct ts_error ignored = {TS_OK, ""};
    const bool there = name && name[0] && ts_soc_find(&soc, name, &ignored) == TS_OK;
    return there ? soc.machine : ts_machines;
}

struct ts_noc_xy ts_soc_worker_endpoint(const struct ts_soc *self, uint32_t bank, unsigned noc)
{
    return self->dram[bank / self->parts][self->worker[noc][bank]];
}

// --- translation ---

static bool column_has(const struct ts_soc *self, uint32_t x, enum ts_noc_node kind)
{
    for (uint32_t y = 0; y < self->height; y++)
        if (self->node[y][x] == kind)
            return true;
    return false;
}

// Number of a column on the die: from the edges to the middle, west and east in turn.
static uint32_t die_column(uint32_t x)
{
    return x < DRAM_X / 2 ? 2 * x : 2 * (DRAM_X - x) + 1;
}

// Those that work fill the columns in rising order; harvested ones follow from the end, in the
// order of the die.
static void tensix_columns(const struct ts_soc *self, uint8_t x_table[TABLE])
{
    uint8_t place[TABLE], good[TABLE], bad[TABLE];
    uint32_t count = 0, works = 0, off = 0;
    for (uint8_t x = 0; x < self->width; x++) {
        bool tensix = column_has(self, x, TS_NOC_NODE_TENSIX);
        if (!tensix && !column_has(self, x, TS_NOC_NODE_HARVESTED))
            continue;
        place[count++] = x;
        if (tensix) {
            good[works++] = x;
            continue;
        }
        uint32_t at = off++;
        for (; at > 0 && die_column(bad[at - 1]) > die_column(x); at--)
            bad[at] = bad[at - 1];
        bad[at] = x;
    }
    for (uint32_t i = 0; i < works; i++)
        x_table[place[i]] = good[i];
    for (uint32_t i = 0; i < off; i++)
        x_table[place[count - 1 - i]] = bad[i];
}

// Two columns, twelve rows, three for each controller. The column with a hole is the second one, and
// the controllers of its row are the last ones of both.
static void dram_rows(const struct ts_soc *self, uint8_t x_table[TABLE], uint8_t y_table[TABLE])
{
    uint32_t hole = self->hole ? self->hole - 1 : self->controllers;
    for (uint32_t bank = 0; bank < self->channels; bank++) {
        uint32_t controller = bank + (bank >= hole), row = controller % COLUMN;
        uint32_t column = controller / COLUMN;
        if (self->hole) {
            column = hole < COLUMN ? !column : column;
            row = row == hole % COLUMN ? COLUMN - 1 : row - (row > hole % COLUMN);
        }
        x_table[DRAM_X + column] = self->dram[bank][0].x;
        for (uint32_t j = 0; j < TS_SOC_ENDPOINTS; j++)
            y_table[DRAM_Y + row * TS_SOC_ENDPOINTS + j] = self->dram[bank][j].y;
    }
}

// Columns and rows have second names: those of DRAM and of Ethernet tiles first, then those of Tensix tiles, harvested rows last.
static void names_from_16(struct ts_soc *self)
{
    uint32_t x = 16, y = 16;
    memset(self->x_table + 16, 0, TABLE - 16);
    memset(self->y_table + 16, 0, TABLE - 16);
    for (int turn = 0; turn < 2; turn++)
        for (uint8_t i = 0; i < self->width; i++)
            if (column_has(self, i, TS_NOC_NODE_DRAM) == (turn == 0))
                self->x_table[x++] = i;
    for (int turn = 0; turn < 3; turn++)
        for (uint8_t i = 0; i < self->height; i++) {
            bool eth = false, off = false;
            for (uint8_t k = 0; k < self->width; k++) {
                eth |= self->node[i][k] == TS_NOC_NODE_ETHERNET;
                off |= self->node[i][k] == TS_NOC_NODE_HARVESTED;
            }
            if (turn == (eth ? 0 : off ? 2 : 1))
                self->y_table[y++] = i;
        }
}

// Raw NoC 0 x and y of each translated x and y; identity where nothing is renamed.
static void fill_tables(struct ts_soc *self)
{
    uint8_t *x_table = self->x_table, *y_table = self->y_table;
    for (uint32_t i = 0; i < TABLE; i++)
        x_table[i] = y_table[i] = (uint8_t)i;
    self->from_16 = ts_machine_has(self->machine, TS_RULE_names_from_16);
    if (self->from_16) {
        names_from_16(self);
        return;
    }
    self->raw_rows = TENSIX_ROW;
    tensix_columns(self, x_table);
    dram_rows(self, x_table, y_table);
    x_table[PCIE_X] = self->pcie.x;
    y_table[PCIE_Y] = self->pcie.y;
    for (uint32_t y = 0; y < self->height; y++)
        for (uint32_t x = 0; x < self->width; x++) {
            uint32_t index = self->index[y][x];
            if (self->node[y][x] == TS_NOC_NODE_ETHERNET && ETH_X + index < TABLE) {
                x_table[ETH_X + index] = (uint8_t)x;
                y_table[ETH_Y] = (uint8_t)y;
            } else if (self->node[y][x] == TS_NOC_NODE_L2CPU && L2CPU_Y + index < SECURITY_Y) {
                y_table[L2CPU_Y + index] = (uint8_t)y;
            } else if (self->node[y][x] == TS_NOC_NODE_SECURITY) {
                y_table[SECURITY_Y] = (uint8_t)y;
            }
        }
}

struct ts_noc_xy ts_soc_logical(const struct ts_soc *self, struct ts_noc_xy tile)
{
    // Where the names of each kind of tile lie; kinds without a row have no other name.
    static const struct range {
        uint8_t x, y, width, height;
    } all[][TS_NOC_NODE_COUNT] = {
        {
            [TS_NOC_NODE_TENSIX] = {0, 0, DRAM_X, DRAM_Y},
            [TS_NOC_NODE_HARVESTED] = {0, 0, DRAM_X, DRAM_Y},
            [TS_NOC_NODE_DRAM] = {DRAM_X, DRAM_Y, PCIE_X - DRAM_X, PCIE_Y - DRAM_Y},
            [TS_NOC_NODE_PCIE] = {PCIE_X, PCIE_Y, 1, 1},
            [TS_NOC_NODE_ETHERNET] = {ETH_X, ETH_Y, TABLE - ETH_X, 1},
            [TS_NOC_NODE_L2CPU] = {8, L2CPU_Y, 1, SECURITY_Y - L2CPU_Y},
            [TS_NOC_NODE_SECURITY] = {8, SECURITY_Y, 1, 1},
        },
        {
            [TS_NOC_NODE_TENSIX] = {18, 18, 8, 10},
            [TS_NOC_NODE_HARVESTED] = {18, 18, 8, 10},
            [TS_NOC_NODE_DRAM] = {16, 16, 2, 12},
            [TS_NOC_NODE_PCIE] = {16, 16, 1, 12},
            [TS_NOC_NODE_ETHERNET] = {18, 16, 8, 2},
            [TS_NOC_NODE_ARC] = {16, 16, 1, 12},
        }};
    enum ts_noc_node node = self->node[tile.y][tile.x];
    const struct range *at = &all[self->from_16][node];
    for (uint32_t y = at->y; y < (uint32_t)at->y + at->height; y++)
        for (uint32_t x = at->x; x < (uint32_t)at->x + at->width; x++)
            if (self->x_table[x] == tile.x && self->y_table[y] == tile.y)
                return (struct ts_noc_xy){(uint8_t)x, (uint8_t)y};
    return tile;
}

bool ts_soc_raw(const struct ts_soc *self, uint32_t x, uint32_t y, struct ts_noc_xy *tile)
{
    if (x >= TABLE || y >= TABLE)
        return false;
    *tile = (struct ts_noc_xy){y < self->raw_rows ? (uint8_t)x : self->x_table[x],
                               self->y_table[y]};
    return tile->x < self->width && tile->y < self->height;
}

void ts_soc_translate(const struct ts_soc *self, unsigned noc, struct ts_noc_xy tile,
                      uint32_t config[])
{
    const struct ts_noc_xy logical = ts_soc_logical(self, tile);
    const uint32_t bits = self->machine->noc_entry_bits;
    if (!self->translation)
        return;
    for (uint32_t i = 0; i < TABLE; i++) {
        uint32_t x = self->x_table[i], y = self->y_table[i];
        if (noc == 1 && (i > 15 || !self->from_16)) {
            x = x < self->width ? self->width - 1u - x : x;
            y = y < self->height ? self->height - 1u - y : y;
        }
        ts_noc_table_set(config + TS_NOC_CFG_X_TABLE, bits, i, x);
        ts_noc_table_set(config + TS_NOC_CFG_Y_TABLE, bits, i, y);
    }
    config[TS_NOC_CFG_ROW_MASK] = (1u << self->raw_rows) - 1; // rows of PCIe and Ethernet
    config[TS_NOC_CFG_LOGICAL] = logical.x | (uint32_t)logical.y << 6;
    config[TS_NOC_CFG_NIU] |= TS_NOC_CFG_NIU_TRANSLATE;
}
