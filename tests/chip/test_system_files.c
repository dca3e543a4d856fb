// Files of systems with a mistake: one line, with the place in the file, and exit code 3.
#include "platform/chip/soc.h"
#include "platform/chip/system.h"
#include "tests/chip/system_run.h"
#include "tests/suite.h"

static const struct row {
    const char *text; // of the system's file
    const char *says; // behind its name
} rows[] = {
    {"chip: p999\ngrid: {columns: 2, rows: 1}\nlinks: 1\n", ":1:7: no chip 'p999'; there are "},
    {"chips: [p150, p999]\nlinks: [[0/eth4, 1/eth4]]\n", ":1:15: no chip 'p999'; there are "},
    {"chips: [[p150], p150]\nlinks: [[0/eth4, 1/eth4]]\n", ":1:9: a single value is expected"},
    {"chips: 7\nlinks: 1\n", ":1:8: a mapping or a list is expected here"},
    {"chips: []\nlinks: []\n", ":1:1: 1 to 256 chips"},
    {"chip: p150\ngrid: {columns: 257, rows: 1}\nlinks: 1\n", ":2:17: "},
    {"chip: p150\ngrid: {columns: 129, rows: 2}\nlinks: 1\n", ":1:1: 1 to 256 chips"},
    {"chip: p150\nlinks: 1\n", ":1:1: 1 to 256 chips"},
    {"chip: p150\nchips: [p150, p150]\nlinks: 1\n", ":1:1: either chip"},
    {"chips: [p150, p150]\nchips: [p150]\nlinks: []\n", ":2:1: the key 'chips' is there twice"},
    {"chips: [p150, p150]\ncolour: red\nlinks: []\n", ":2:1: no key 'colour' is known here"},
    {"chips: [p150, p150]\n", ":1:1: the key 'links' is missing"},
    {"chips: [p150, p150]\nlinks: yes\n", ":2:8: links is a list of cables, or a number with"},
    {"chips: [p150, p150]\nlinks: [0/eth4]\n", ":2:9: a link is [0/eth4, 1/eth4], or "},
    {"chips: [p150, p150]\nlinks: [[0/eth4, 1/eth4, up]]\n",
     ":2:9: a link is [0/eth4, 1/eth4], or "},
    {"chips: [p150, p150]\nlinks: [[0/eth4, 1/eth4], [0/eth4, 1/eth5]]\n",
     ":2:27: 0/eth4 has a link already"},
    {"chips: [p150, p150]\nlinks: [[0/eth4, 0/eth4]]\n",
     ":2:9: a link connects two Ethernet tiles"},
    {"chips: [p150, p150]\nlinks: [[0/eth4, 2/eth4]]\n",
     ":2:9: there is no chip 2: the system has 2"},
    {"chips: [p150, p150]\nlinks: [[0/eth4, 1/eth14]]\n",
     ":2:9: chip 1 (p150) has no Ethernet tile 14: it has 14"},
    {"chips: [p150, p100]\nlinks: [[0/eth4, 1/eth4]]\n",
     ":2:9: chip 1 (p100) has no Ethernet tile 4: it has 0"},
    {"chips: [p150, p150, p150]\nlinks: [[0/eth4, 1/eth4]]\n", ":2:8: chip 2 has no link"},
    {"chip: p150\ngrid: {columns: 2, rows: 1}\nlinks: 15\n",
     ":3:8: chip 0 (p150) has no Ethernet tile 14: it has 14"},
    {"chip: p150\ngrid: {columns: 4, rows: 4}\nlinks: 7\n", ":3:8: chip 1 (p150) has no Ethernet"},
    {"chip: p150\ngrid: {columns: 2, rows: 1, wrap: z}\nlinks: 1\n", ":2:35: wrap is none, x, y"},
    {"chip: p150\ngrid: 4\nlinks: 1\n", ":2:7: a mapping with the key 'columns' is expected"},
    {"chips: [p150, p150]\ngrid: {columns: 3, rows: 1}\nlinks: 1\n",
     ":2:7: 3 columns and 1 rows are not 2 chips"},
    {"chip: n300\ngrid: {columns: 2, rows: 1}\nlinks: [[0/eth8, 1/eth16]]\n",
     ":3:9: a link is [0/eth4, 1/eth4], or "},
    {"chip: n300\ngrid: {columns: 2, rows: 1}\nlinks: [[0/eth8, 2/eth0]]\n",
     ":3:9: there is no chip 2: the system has 2"},
    // Cluster descriptors.
    {"arch: {0: blackhole, 2: blackhole}\nethernet_connections: []\n",
     ":1:7: chip 1: chips are counted from 0, and are blackhole"},
    {"arch: {0: blackhole, 1: wormhole_b0}\nethernet_connections: []\n",
     ":1:25: chip 1: chips are"},
    {"arch: {}\nethernet_connections: []\n", ":1:7: 1 to 256 chips"},
    {"ethernet_connections: []\n", ":1:1: the key 'arch' is missing"},
    {"arch: {0: blackhole}\nharvesting: {0: {harvest_mask: 16383}}\nethernet_connections: []\n",
     ":2:32: 16383 is out of range: 0 to 16382"},
    {"arch: {0: blackhole}\nharvesting: {0: {dram_harvesting_mask: 8}}\nethernet_connections: []\n",
     ":2:17: chip 0: a DRAM controller is off: all must work"},
    {"arch: {0: blackhole, 1: blackhole}\nchips_with_mmio: [0: 0]\nethernet_connections: []\n",
     ":2:18: 1 of 2 chips are on PCIe: all must be"},
    {"arch: {0: blackhole, 1: blackhole}\nethernet_connections: [[{chip: 0, chan: 1}]]\n",
     ":2:24: a connection has two ends"},
    {"arch: {0: blackhole, 1: blackhole}\nethernet_connections: [[{chip: 0, chan: 1}, {chip: "
     "1}]]\n",
     ":2:45: the key 'chan' is missing"},
    {"arch: {0: blackhole, 1: blackhole}\n"
     "ethernet_connections: [[{chip: 0, chan: 1}, {chip: 1, chan: 12}]]\n",
     ":2:24: chip 1 (p150) has no Ethernet tile 12: it has 12"},
    {"arch: {0: blackhole, 1: blackhole}\nethernet_connections: []\n", ":2:23: chip 0 has no link"},
    {"chips: [p150, p150\n", ":2:1: did not find expected ',' or ']'"},
    {"", ":1:1: the file is empty"},
};

START_TEST(says_what_is_wrong_and_where)
{
    char path[128], words[200];
    const struct row *row = &rows[_i];
    snprintf(path, sizeof path, "%s/system.yaml", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(row->text, file);
    fclose(file);
    ck_assert_msg(run("system: ./system.yaml\ntiles:\n  0/eth0: {}\n", "") == 3, "%s%s", row->text,
                  out);
    snprintf(words, sizeof words, "tensim: scenario.yaml:1:9: ./system.yaml%s", row->says);
    expect(words);
    ck_assert_msg(strchr(out, '\n') == out + strlen(out) - 1, "more than a line: %s", out);
}
END_TEST

// Scenarios that name what a system has not.
static const struct row scenarios[] = {
    {"system: nosuch\ntiles:\n  0/eth0: {}\n",
     ":1:9: no system 'nosuch'; there are galaxy-wh, galaxy, n300, p150x2"},
    {"system: p150x2\ntiles:\n  2/eth0: {}\n", ":3:3: there is no chip 2: the system has 2"},
    {"system: p150x2\ntiles:\n  0/eth14: {}\n", ":3:3: chip 0 (p150) has no Ethernet tile 14"},
    {"system: p150x2\ntiles:\n  0/eth0: {}\n  0/eth0: {}\n",
     ":4:3: the key '0/eth0' is there twice"},
    {"system: p150x2\ntiles:\n  0/eth0: {brisc: a.elf}\n", ":3:"},
    {"system: p150x2\ntiles:\n  0/0-0: {}\n", ":3:3: 0-0 of chip 0 (p150) is not a Tensix tile"},
    {"system: p150x2\ntiles:\n  0/eth0: {}\nscript:\n  - link: {end: 0/eth9, state: down}\n",
     ":5:"},
};

START_TEST(scenarios_too)
{
    char words[200];
    const struct row *row = &scenarios[_i];
    ck_assert_msg(run(row->text, "") == 3, "%s%s", row->text, out);
    snprintf(words, sizeof words, "tensim: scenario.yaml%s", row->says);
    expect(words);
}
END_TEST

// Each system that hosts can open: its cluster descriptor has the chips and cables of config/systems.
START_TEST(descriptors_are_the_systems)
{
    static const char *const names[] = {"p300", "p150x2", "p150x4-ring", "p150x8", "galaxy"};
    static struct ts_system system, other;
    struct ts_error error = {0};
    char path[1200];
    snprintf(path, sizeof path, TENSIM_SOURCE_DIR "/config/systems/descriptors/%s.yaml", names[_i]);
    ck_assert_msg(ts_system_find(&system, names[_i], &error) == TS_OK, "%s", error.text);
    ck_assert_msg(ts_system_find(&other, path, &error) == TS_OK, "%s", error.text);
    ck_assert_uint_eq(system.chips, other.chips);
    ck_assert_uint_eq(system.links, other.links);
    for (uint32_t i = 0; i < system.chips; i++)
        ck_assert_str_eq(system.chip[i], other.chip[i]);
    for (uint32_t i = 0; i < system.links; i++)
        ck_assert_mem_eq(system.link[i].end, other.link[i].end, sizeof system.link[i].end);
}
END_TEST

// A descriptor of a card: the columns of its masks are off, and its channels are those of the 12 Ethernet tiles.
START_TEST(columns_of_a_mask_are_off)
{
    static struct ts_system system;
    static struct ts_soc soc;
    static const struct {
        const char *name;
        unsigned off[2];
    } chips[] = {{"p300@2080", {10, 16}}, {"p300@110", {5, 11}}, {"p300", {7, 10}}, {"p150", {0}}};
    struct ts_error error = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/card.yaml", folder);
    FILE *file = fopen(path, "w");
    fputs("arch: {0: blackhole, 1: blackhole, 2: blackhole, 3: blackhole}\n"
          "harvesting: {0: {harvest_mask: 8320}, 1: {harvest_mask: 272}, 2: {harvest_mask: 192}}\n"
          "boards: [[{board_type: p300}, {chips: [0, 1]}], [{board_type: p300}, {chips: [2]}]]\n"
          "ethernet_connections:\n"
          "  - [{chip: 0, chan: 2}, {chip: 1, chan: 9}]\n"
          "  - [{chip: 2, chan: 3}, {chip: 3, chan: 8}]\n",
          file);
    fclose(file);
    ck_assert_msg(ts_system_find(&system, path, &error) == TS_OK, "%s", error.text);
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        ck_assert_str_eq(system.chip[i], chips[i].name);
        ck_assert_msg(ts_soc_find(&soc, system.chip[i], &error) == TS_OK, "%s", error.text);
        ck_assert_uint_eq(soc.tiles, chips[i].off[0] ? 120 : 140);
        for (int k = 0; chips[i].off[0] && k < 2; k++)
            ck_assert_uint_eq(soc.node[2][chips[i].off[k]], TS_NOC_NODE_HARVESTED);
    }
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_loop_test(tests, says_what_is_wrong_and_where, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tests, descriptors_are_the_systems, 0, 5);
    tcase_add_test(tests, columns_of_a_mask_are_off);
    tcase_add_loop_test(tests, scenarios_too, 0, sizeof scenarios / sizeof *scenarios);
}

SUITE("system_files", add_tests)
