// Files of systems with a mistake: one line, with the place in the file, and exit code 3.
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
     ":1:9: no system 'nosuch'; there are galaxy, p150x2"},
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

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    tcase_add_loop_test(tests, says_what_is_wrong_and_where, 0, sizeof rows / sizeof *rows);
    tcase_add_loop_test(tests, scenarios_too, 0, sizeof scenarios / sizeof *scenarios);
}

SUITE("system_files", add_tests)
