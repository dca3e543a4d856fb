// SoC files: what is fused off, and where the card's firmware then puts DRAM (tt-zephyr-platforms, noc.c).
#include "platform/chip/soc.h"
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ts_error error;
static char path[64];

static enum ts_code load(struct ts_soc *soc, const char *text)
{
    snprintf(path, sizeof path, "/tmp/tensim_soc.%d.yaml", (int)getpid());
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    error = (struct ts_error){TS_OK, ""};
    enum ts_code code = ts_soc_load(soc, path, &error);
    remove(path);
    return code;
}

// Rows of the controllers of a column, by port (kGddrY of the firmware).
static const uint8_t rows[4][3] = {{0, 1, 11}, {2, 10, 3}, {9, 4, 8}, {5, 7, 6}};

// Every hole: banks are the other controllers in their order; the column with the hole is x 18, its
// row of controllers the last three names.
START_TEST(holes)
{
    struct ts_soc soc;
    char text[64];
    snprintf(text, sizeof text, "like: p150\nharvested_dram: %d\n", _i);
    ck_assert_msg(load(&soc, text) == TS_OK, "%s", error.text);
    ck_assert_uint_eq(soc.channels, 7);
    uint8_t order[4], count = 0;
    for (uint8_t row = 0; row < 4; row++)
        if (row != _i % 4)
            order[count++] = row;
    order[3] = (uint8_t)(_i % 4);
    for (uint32_t bank = 0; bank < 7; bank++) {
        uint32_t controller = bank + (bank >= (uint32_t)_i);
        bool swapped = _i < 4, west = controller < 4;
        for (uint32_t port = 0; port < 3; port++) {
            struct ts_noc_xy at = soc.dram[bank][port], name = ts_soc_logical(&soc, at), back;
            ck_assert_uint_eq(at.x, west ? 0 : 9);
            ck_assert_uint_eq(at.y, rows[controller % 4][port]);
            ck_assert_uint_eq(soc.node[at.y][at.x], TS_NOC_NODE_DRAM);
            ck_assert_uint_eq(soc.index[at.y][at.x], bank);
            ck_assert_uint_eq(name.x, west == swapped ? 18 : 17);
            ck_assert_uint_eq(order[(name.y - 12) / 3], controller % 4);
            ck_assert_uint_eq((name.y - 12u) % 3, port);
            ck_assert(ts_soc_raw(&soc, name.x, name.y, &back));
            ck_assert(back.x == at.x && back.y == at.y);
        }
    }
    for (uint32_t port = 0; port < 3; port++)
        ck_assert_uint_eq(soc.node[rows[_i % 4][port]][_i < 4 ? 0 : 9], TS_NOC_NODE_EMPTY);
}
END_TEST

// The p100 of the published measurements: controller 3 is off, endpoints go by bank.
START_TEST(p100)
{
    static const struct ts_noc_xy expected[2][7] = {
        {{0, 11}, {0, 2}, {0, 9}, {9, 0}, {9, 3}, {9, 8}, {9, 6}},
        {{0, 1}, {0, 10}, {0, 4}, {9, 1}, {9, 10}, {9, 4}, {9, 7}}};
    struct ts_soc soc;
    error = (struct ts_error){TS_OK, ""};
    ck_assert_msg(ts_soc_find(&soc, "p100", &error) == TS_OK, "%s", error.text);
    for (unsigned noc = 0; noc < 2; noc++)
        for (uint32_t bank = 0; bank < 7; bank++) {
            struct ts_noc_xy at = ts_soc_worker_endpoint(&soc, bank, noc);
            ck_assert_msg(at.x == expected[noc][bank].x && at.y == expected[noc][bank].y,
                          "NoC %u bank %u: %u-%u", noc, bank, at.x, at.y);
        }
    ck_assert_uint_eq(ts_soc_logical(&soc, (struct ts_noc_xy){0, 0}).x, 18);
    ck_assert_uint_eq(ts_soc_logical(&soc, (struct ts_noc_xy){9, 0}).x, 17);
}
END_TEST

static const struct {
    const char *name;
    uint32_t tiles, channels, banks;
} cards[] = {{"p150", 140, 8, 8}, {"p150-120", 120, 8, 8}, {"p150-110", 110, 8, 8},
             {"p100", 120, 7, 7}, {"p300", 120, 8, 8},     {"n150", 72, 6, 12},
             {"n300", 64, 6, 12}, {"galaxy-wh", 80, 6, 12}};

START_TEST(files)
{
    struct ts_soc soc;
    error = (struct ts_error){TS_OK, ""};
    ck_assert_msg(ts_soc_find(&soc, cards[_i].name, &error) == TS_OK, "%s", error.text);
    ck_assert_uint_eq(soc.tiles, cards[_i].tiles);
    ck_assert_uint_eq(soc.channels, cards[_i].channels);
    ck_assert_uint_eq(soc.banks, cards[_i].banks);
    uint32_t next = 0;
    for (uint32_t y = 0; y < soc.height; y++)
        for (uint32_t x = 0; x < soc.width; x++)
            if (soc.node[y][x] == TS_NOC_NODE_TENSIX)
                ck_assert_uint_eq(soc.index[y][x], next++);
}
END_TEST

// Harvested columns follow those that work from the end, in the order of the die: 16, 15, ... 10.
START_TEST(columns)
{
    struct ts_soc soc;
    ck_assert_msg(load(&soc, "like: p150\nharvested_columns: [2, 15, 7]\n") == TS_OK, "%s",
                  error.text);
    static const uint8_t raw[] = {1, 3, 4, 5, 6, 10, 11, 12, 13, 14, 16, 7, 15, 2};
    static const uint8_t names[] = {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16};
    for (unsigned i = 0; i < 14; i++) {
        struct ts_noc_xy at;
        ck_assert(ts_soc_raw(&soc, names[i], 2, &at));
        ck_assert_uint_eq(at.x, raw[i]);
    }
}
END_TEST

START_TEST(views)
{
    struct ts_soc soc;
    ck_assert_msg(load(&soc, "like: p100\ndram_views: [{channel: 3, worker_endpoint: [2, 0]}]\n") ==
                      TS_OK,
                  "%s", error.text);
    ck_assert_uint_eq(ts_soc_worker_endpoint(&soc, 3, 0).y, 11);
    ck_assert_uint_eq(ts_soc_worker_endpoint(&soc, 3, 1).y, 0);
    ck_assert_uint_eq(ts_soc_worker_endpoint(&soc, 4, 0).y, 3); // as before
}
END_TEST

// Nonsense: the message says what is wrong, and where.
static const struct {
    const char *text, *says;
} refused[] = {
    {"like: p150\nharvested_dram: 8\n", ".yaml:2:17: "},
    {"like: p150\nharvested_dram: three\n", ".yaml:2:17: "},
    {"like: p100\nharvested_dram: 2\n", "one of the 8 controllers of a complete chip"},
    {"like: p150\nharvested_columns: 6\n", ".yaml:2:"},
    {"like: p150\nharvested_columns: [8]\n", "column 8 has no Tensix tile that works"},
    {"like: p150\nharvested_columns: [6, 6]\n", "column 6 has no Tensix tile that works"},
    {"like: p150\nharvested_columns: [17]\n", ".yaml:2:"},
    {"like: p150\nharvested_columns: [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16]\n",
     "no Tensix tile is left"},
    {"like: p150\nharvested_rows: [3]\n", "harvested_rows: whole columns are off on Blackhole"},
    {"like: n150\nharvested_columns: [1]\n", "harvested_columns: whole rows are off on Wormhole"},
    {"like: n150\nharvested_rows: [11]\n", "row 11 has no Tensix tile that works"},
    {"like: p151\n", "no chip 'p151'; there are galaxy-wh, n150"},
    {"like: /nowhere/p150.yaml\n", "/nowhere/p150.yaml"},
    {"like: p150\ndram_views: [{channel: 0, worker_endpoint: [3, 1]}]\n", ".yaml:2:"},
    {"like: p150\ndram_views: [{channel: 0, worker_endpoint: [1]}]\n", "a list of two endpoints"},
    {"like: p150\ndram_views: [{channel: 9, worker_endpoint: [1, 1]}]\n", ".yaml:2:"},
    {"like: p150\ndram_views: [{channel: 1, worker_endpoint: [1, 1]}, "
     "{channel: 1, worker_endpoint: [1, 1]}]\n",
     "channel 1 has two views"},
};

START_TEST(nonsense)
{
    struct ts_soc soc;
    ck_assert_msg(load(&soc, refused[_i].text) == TS_SETUP, "accepted: %s", refused[_i].text);
    ck_assert_msg(strstr(error.text, refused[_i].says) != NULL, "%s: %s", refused[_i].text,
                  error.text);
}
END_TEST

// A file that names itself.
START_TEST(circle)
{
    struct ts_soc soc;
    char text[128];
    snprintf(text, sizeof text, "like: tensim_soc.%d.yaml\n", (int)getpid());
    ck_assert_int_eq(load(&soc, text), TS_SETUP);
    ck_assert_msg(strstr(error.text, "does one name itself?") != NULL, "%s", error.text);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, holes, 0, 8);
    tcase_add_test(tests, p100);
    tcase_add_loop_test(tests, files, 0, sizeof cards / sizeof *cards);
    tcase_add_test(tests, columns);
    tcase_add_test(tests, views);
    tcase_add_loop_test(tests, nonsense, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tests, circle);
}

SUITE("soc", add_tests)
