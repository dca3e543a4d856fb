#include "platform/chip/soc.h"

#include "noc/translate.h"
#include "platform/base/yaml.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define TENSIX_ROW   2
#define DRAM_X       17 // translated coordinates of DRAM start here
#define DRAM_Y       12
#define PCIE_X       19
#define PCIE_Y       24
#define ETH_X        20
#define ETH_Y        25
#define L2CPU_Y      26
#define SECURITY_Y   30
#define TABLE        32
#define CHANNELS_COL 4 // DRAM channels of a column

// --- the descriptor ---

static bool coordinates(struct ts_soc *self, struct ts_yaml_node node, struct ts_noc_xy *at)
{
    const char *text = ts_yaml_text(node, "");
    unsigned x, y;
    char rest;
    if (sscanf(text, "%u-%u%c", &x, &y, &rest) != 2) {
        ts_yaml_error(node, "'%s' is not a pair of coordinates like 1-2", text);
        return false;
    }
    if (x >= self->width || y >= self->height) {
        ts_yaml_error(node, "%s lies outside the grid of %ux%u", text, self->width, self->height);
        return false;
    }
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
    if (self->channels > TS_SOC_CHANNELS) {
        ts_yaml_error(list, "%u DRAM channels: at most %d", self->channels, TS_SOC_CHANNELS);
        self->channels = 0;
    }
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
    }
}

enum ts_code ts_soc_load(struct ts_soc *self, const char *path, struct ts_error *error)
{
    memset(self, 0, sizeof *self);
    struct ts_yaml file;
    if (!ts_yaml_load(&file, path, error))
        return error->code;
    struct ts_yaml_node root = ts_yaml_root(&file), grid = ts_yaml_require(root, "grid"),
                        arch = ts_yaml_find(root, "arch_name");
    if (strcasecmp(ts_yaml_text(arch, "blackhole"), "blackhole") != 0)
        ts_yaml_error(arch, "the chip is %s; tensim models Blackhole only", ts_yaml_text(arch, ""));
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
    ts_yaml_free(&file);
    return error->code;
}

static int is_chip(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".yaml") == 0;
}

// No such chip: the list of those in config/chips.
static enum ts_code refuse_unknown(const char *name, struct ts_error *error)
{
    char path[512], names[256] = "";
    struct dirent **entries = NULL;
    ts_config_path(path, sizeof path, "chips");
    int count = scandir(path, &entries, is_chip, alphasort);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(names);
        int length = (int)(strrchr(entries[i]->d_name, '.') - entries[i]->d_name);
        snprintf(names + used, sizeof names - used, "%.*s, ", length, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return ts_fail(error, TS_SETUP, "no chip '%s'; there are %sor the path of a SoC file (.yaml)",
                   name, names);
}

enum ts_code ts_soc_find(struct ts_soc *self, const char *name, struct ts_error *error)
{
    char path[512], file[128];
    size_t length = strlen(name);
    if (strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".yaml") == 0))
        return ts_soc_load(self, name, error);
    snprintf(file, sizeof file, "chips/%s.yaml", name);
    ts_config_path(path, sizeof path, file);
    if (access(path, F_OK) != 0)
        return refuse_unknown(name, error);
    return ts_soc_load(self, path, error);
}

// --- translation ---

static bool column_has(const struct ts_soc *self, uint32_t x, enum ts_noc_node kind)
{
    for (uint32_t y = 0; y < self->height; y++)
        if (self->node[y][x] == kind)
            return true;
    return false;
}

// Raw NoC 0 x and y of each translated x and y; identity where nothing is renamed.
static void tables(const struct ts_soc *self, uint8_t x_table[TABLE], uint8_t y_table[TABLE])
{
    for (uint32_t i = 0; i < TABLE; i++)
        x_table[i] = y_table[i] = (uint8_t)i;
    // Tensix columns: those that work first, harvested ones last.
    uint32_t next = 0;
    uint8_t order[TABLE], count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t x = 0; x < self->width; x++) {
            bool works = column_has(self, x, TS_NOC_NODE_TENSIX);
            if (pass == 0 ? works : !works && column_has(self, x, TS_NOC_NODE_HARVESTED))
                order[count++] = (uint8_t)x;
        }
    for (uint32_t x = 0; x < self->width; x++)
        if (column_has(self, x, TS_NOC_NODE_TENSIX) || column_has(self, x, TS_NOC_NODE_HARVESTED))
            x_table[x] = order[next++];
    // DRAM: two columns, twelve rows, three for each channel. Both columns share the rows' order.
    for (uint32_t i = 0; i < self->channels; i++) {
        x_table[DRAM_X + i / CHANNELS_COL] = self->dram[i][0].x;
        for (uint32_t j = 0; j < TS_SOC_ENDPOINTS; j++)
            y_table[DRAM_Y + i % CHANNELS_COL * TS_SOC_ENDPOINTS + j] = self->dram[i][j].y;
    }
    x_table[PCIE_X] = self->pcie.x;
    y_table[PCIE_Y] = self->pcie.y;
    uint32_t eth = ETH_X, l2cpu = L2CPU_Y;
    for (uint32_t y = 0; y < self->height; y++)
        for (uint32_t x = 0; x < self->width; x++) {
            if (self->node[y][x] == TS_NOC_NODE_ETHERNET && eth < TABLE) {
                x_table[eth++] = (uint8_t)x;
                y_table[ETH_Y] = (uint8_t)y;
            } else if (self->node[y][x] == TS_NOC_NODE_L2CPU && l2cpu < SECURITY_Y) {
                y_table[l2cpu++] = (uint8_t)y;
            } else if (self->node[y][x] == TS_NOC_NODE_SECURITY) {
                y_table[SECURITY_Y] = (uint8_t)y;
            }
        }
}

struct ts_noc_xy ts_soc_logical(const struct ts_soc *self, struct ts_noc_xy tile)
{
    // Where the names of each kind of tile lie; kinds without a row have no other name.
    static const struct {
        uint8_t x, y, width, height;
    } ranges[TS_NOC_NODE_COUNT] = {
        [TS_NOC_NODE_TENSIX] = {0, 0, DRAM_X, DRAM_Y},
        [TS_NOC_NODE_HARVESTED] = {0, 0, DRAM_X, DRAM_Y},
        [TS_NOC_NODE_DRAM] = {DRAM_X, DRAM_Y, PCIE_X - DRAM_X, PCIE_Y - DRAM_Y},
        [TS_NOC_NODE_PCIE] = {PCIE_X, PCIE_Y, 1, 1},
        [TS_NOC_NODE_ETHERNET] = {ETH_X, ETH_Y, TABLE - ETH_X, 1},
        [TS_NOC_NODE_L2CPU] = {8, L2CPU_Y, 1, SECURITY_Y - L2CPU_Y},
        [TS_NOC_NODE_SECURITY] = {8, SECURITY_Y, 1, 1},
    };
    uint8_t x_table[TABLE], y_table[TABLE];
    tables(self, x_table, y_table);
    enum ts_noc_node node = self->node[tile.y][tile.x];
    for (uint32_t y = ranges[node].y; y < (uint32_t)ranges[node].y + ranges[node].height; y++)
        for (uint32_t x = ranges[node].x; x < (uint32_t)ranges[node].x + ranges[node].width; x++)
            if (x_table[x] == tile.x && y_table[y] == tile.y)
                return (struct ts_noc_xy){(uint8_t)x, (uint8_t)y};
    return tile;
}

bool ts_soc_raw(const struct ts_soc *self, uint32_t x, uint32_t y, struct ts_noc_xy *tile)
{
    uint8_t x_table[TABLE], y_table[TABLE];
    if (x >= TABLE || y >= TABLE)
        return false;
    tables(self, x_table, y_table);
    *tile = (struct ts_noc_xy){y < TENSIX_ROW ? (uint8_t)x : x_table[x], y_table[y]};
    return tile->x < self->width && tile->y < self->height;
}

void ts_soc_translate(const struct ts_soc *self, unsigned noc, struct ts_noc_xy tile,
                      uint32_t config[])
{
    struct ts_noc_xy logical = ts_soc_logical(self, tile);
    if (!self->translation)
        return;
    uint8_t x_table[TABLE], y_table[TABLE];
    tables(self, x_table, y_table);
    for (uint32_t i = 0; i < TABLE; i++) {
        uint32_t x = x_table[i], y = y_table[i];
        if (noc == 1) {
            x = x < self->width ? self->width - 1u - x : x;
            y = y < self->height ? self->height - 1u - y : y;
        }
        ts_noc_table_set(config + TS_NOC_CFG_X_TABLE, i, x);
        ts_noc_table_set(config + TS_NOC_CFG_Y_TABLE, i, y);
    }
    config[TS_NOC_CFG_ROW_MASK] = 3; // x is raw in the rows of PCIe and Ethernet
    config[TS_NOC_CFG_LOGICAL] = logical.x | (uint32_t)logical.y << 6;
    config[TS_NOC_CFG_NIU] |= TS_NOC_CFG_NIU_TRANSLATE;
}
